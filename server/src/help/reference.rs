//! Lists in chapters that registries, forms and flags fill, so that no key, flag or route is documented by hand.

use crate::{api, cli};
use clap::{Arg, builder::PossibleValue};
use shared::{
    compare::market::MarketForm,
    demand::trace,
    fabric::ROUTINGS,
    form::{Choice, Described, Field, FieldKind, Schema, Table},
    simulation::{SimulationForm, TRAFFICS},
    spec::{SpecForm, patterns},
    text::{bound, grouped, listed},
    work::KINDS,
};

/// Writes a list.
type Write = fn() -> String;

/// Lines of a chapter that stand for a list, each with the function that writes it.
pub const LISTS: &[(&str, Write)] = &[
    ("{traces}", traces),
    ("{spec}", spec),
    ("{patterns}", pattern_kinds),
    ("{market}", market),
    ("{simulation}", || fields(SimulationForm::SCHEMA)),
    ("{simulate}", simulate),
    ("{traffics}", traffics),
    ("{routings}", routings),
    ("{serve}", || flags("serve")),
    ("{worker}", || flags("worker")),
    ("{prune}", || flags("prune")),
    ("{work}", work),
    ("{routes}", routes),
];

/// Max characters of a line; longer items continue on the next one.
const WIDTH: usize = 135;

/// The text with a list for each line that stands for one.
pub fn filled(text: &str) -> String {
    let list = |line: &str| LISTS.iter().find(|(name, _)| *name == line.trim_end()).map(|(_, list)| list());
    text.split_inclusive('\n').map(|line| list(line).unwrap_or_else(|| line.into())).collect()
}

/// Formats of measured traffic.
fn traces() -> String {
    let row =
        |format: &trace::Format| format!("| `{}` | {}: {} |\n", format.name, format.label, format.about);
    let rows: String = trace::LIST.iter().map(row).collect();
    format!("| format | files, and the amounts that count |\n| --- | --- |\n{rows}")
}

/// Keys of a spec, a section per table.
fn spec() -> String {
    format!("## Top of the file\n\n{}", tables(SpecForm::SCHEMA, "##"))
}

/// Keys of a market file.
fn market() -> String {
    tables(MarketForm::SCHEMA, "###")
}

/// Fields of a schema, then a section per table with a heading of that level.
fn tables(schema: &Schema, level: &str) -> String {
    let section = |table: &Table| {
        let (key, label) = (table.key, table.label);
        let name = match (table.single, table.several) {
            (true, true) => format!("`[{key}]`, or `[[{key}]]` for several"),
            (true, false) => format!("`[{key}]`"),
            (false, _) => format!("`[[{key}]]`"),
        };
        format!("\n{level} {label}: {name}\n\n{}", tables(table.schema, level))
    };
    fields(schema) + &schema.tables.iter().map(section).collect::<String>()
}

/// Kinds of patterns, with the keys that each takes.
fn pattern_kinds() -> String {
    let kind = |entry: &patterns::Entry| {
        let keys = entry.fields().into_iter().flat_map(patterns::Fields::keys);
        let keys = listed(keys);
        let keys = if keys.is_empty() { keys } else { format!(". Keys: {keys}") };
        item("", &format!("`{}`: {}{keys}", entry.name, entry.about))
    };
    let common = listed(patterns::COMMON.iter().map(|field| field.key));
    let common = format!("Every kind takes {common}.\n\n");
    common + &patterns::LIST.iter().map(kind).collect::<String>()
}

/// Traffic of simulations.
fn traffics() -> String {
    TRAFFICS.iter().map(|entry| item("", &format!("`{}`: {}", entry.form(), entry.label))).collect()
}

/// Routings of simulations.
fn routings() -> String {
    ROUTINGS.iter().map(|entry| item("", &format!("`{}`: {}", entry.name, entry.explanation))).collect()
}

/// Kinds of work with the fields of their forms.
fn work() -> String {
    KINDS
        .iter()
        .map(|kind| {
            let fields = kind.forms.iter().flat_map(|form| form.fields);
            let keys = Some(listed(fields.map(|field| field.key))).filter(|keys| !keys.is_empty());
            let keys = keys.unwrap_or_else(|| "no fields".into());
            item("", &format!("`{}`: {keys}", kind.name))
        })
        .collect()
}

/// Routes of the API, a paragraph per noun.
fn routes() -> String {
    let mut text = String::new();
    let mut noun = String::new();
    for route in api::listed() {
        if route.noun != noun {
            text += &format!("{}### {}\n\n", if noun.is_empty() { "" } else { "\n" }, route.noun);
            noun = route.noun;
        }
        text += &item("", &format!("`{} {}`: {}", route.method, route.path, route.about));
    }
    text
}

/// Keys that are required in some specs only, with the condition.
const CONDITIONS: [(&str, &str); 4] = [
    ("nics_per_node", "required without `[[node_group]]`"),
    ("dims", "required for groups; for a torus or grid, `dims` or `dimensions`"),
    ("dimensions", "required for a torus or grid without `dims`"),
    ("pairs", "required for a matrix without `file`"),
];

/// Fields of a form.
fn fields(schema: &Schema) -> String {
    schema.fields.iter().map(field).collect()
}

/// A field: accepted values, default, explanation, and the words to choose from.
fn field(field: &Field) -> String {
    let choices = field.kind.choices();
    let is_plain = choices.iter().all(|choice| meaning(choice).is_empty());
    let values = match (choices.is_empty(), is_plain) {
        (true, _) => values(field),
        (false, true) => listed(choices.iter().map(|choice| choice.word)),
        (false, false) => String::new(),
    };
    let default = match (field.default, field.hint) {
        ("", "") => "required".into(),
        ("", "–") => "optional".into(),
        // An example.
        ("", _) if matches!(field.kind, FieldKind::Set | FieldKind::Sizes) => "required".into(),
        ("", hint) if hint.starts_with("Default") => hint.to_lowercase(),
        ("", hint) => format!("default: {hint}"),
        (default, _) => format!("default `{default}`"),
    };
    let condition = CONDITIONS.iter().find(|(key, _)| *key == field.key);
    let default = condition.map_or(default, |(_, condition)| (*condition).into());
    let was = if field.was.is_empty() { String::new() } else { format!("formerly `{}`", field.was) };
    let brackets: Vec<String> = [values, default, was].into_iter().filter(|part| !part.is_empty()).collect();
    let mut text = item("", &format!("`{}` ({}): {}", field.key, brackets.join("; "), field.help));
    if !is_plain {
        let choice = |choice: &Choice| match meaning(choice) {
            "" => format!("`{}`", choice.word),
            meaning => format!("`{}`: {meaning}", choice.word),
        };
        text.extend(choices.iter().map(|word| item("  ", &choice(word))));
    }
    text
}

/// Values that a field without words to choose from accepts.
fn values(field: &Field) -> String {
    let unit = if field.unit.is_empty() { String::new() } else { format!(" {}", field.unit) };
    // "1 or more tokens", but "0 m or more".
    let more = |least: String| match field.unit.len() {
        0..=4 => format!("{least}{unit} or more"),
        _ => format!("{least} or more{unit}"),
    };
    match field.kind {
        FieldKind::Whole { min, max: 0x4000_0000.. } => more(grouped(min)),
        FieldKind::Whole { min, max } => format!("{} to {}{unit}", grouped(min), grouped(max)),
        FieldKind::Number { min, max: 1e9.. } => more(bound(min)),
        FieldKind::Number { min, max } => format!("{} to {}{unit}", bound(min), bound(max)),
        FieldKind::Text { max } => format!("up to {max} characters"),
        FieldKind::Lines => "lines of text".into(),
        FieldKind::Flag => "`true` or `false`".into(),
        FieldKind::Sizes => "sizes such as `[16, 8]`".into(),
        FieldKind::Pairs => "lines of text".into(),
        FieldKind::Set => "numbers and ranges".into(),
        FieldKind::Syntax(words) => words.into(),
        FieldKind::Choice(_) | FieldKind::Listed(_) => String::new(),
    }
}

/// The label of a word, without the word itself; empty if the label says no more.
fn meaning(choice: &Choice) -> &'static str {
    let is_word = |label: &str| label.to_lowercase().replace(' ', "-") == choice.word;
    match choice.label.split_once(": ") {
        _ if is_word(choice.label) => "",
        Some((label, meaning)) if is_word(label) => meaning,
        _ => choice.label,
    }
}

/// Flags of a command.
fn flags(command: &str) -> String {
    let command = cli::subcommand(command).unwrap_or_else(|| panic!("no command {command}"));
    command.get_arguments().map(flag).collect()
}

/// Flags of `crosspoint simulate` that are no fields of the form.
fn simulate() -> String {
    let command = cli::subcommand("simulate").unwrap_or_else(|| panic!("no command"));
    let is_other = |flag: &&Arg| SimulationForm::SCHEMA.field(flag.get_id().as_str()).is_none();
    command.get_arguments().filter(is_other).map(flag).collect()
}

/// A flag: value, default, explanation; empty for an argument without a name, or a hidden one.
fn flag(flag: &Arg) -> String {
    let Some(name) = flag.get_long().filter(|_| !flag.is_hide_set()) else { return String::new() };
    let value: String = match flag.get_action().takes_values() {
        true => flag
            .get_value_names()
            .iter()
            .flat_map(|names| names.iter())
            .map(|name| format!(" {name}"))
            .collect(),
        false => String::new(),
    };
    let words = if value.is_empty() { Vec::new() } else { flag.get_possible_values() };
    let words = listed(words.iter().map(PossibleValue::get_name));
    let help = flag.get_help().map(ToString::to_string).unwrap_or_default();
    let (help, words_of_default) =
        match help.strip_suffix(']').and_then(|help| help.split_once(" [default: ")) {
            Some((help, default)) => (help, format!("default: {default}")),
            None => (help.as_str(), String::new()),
        };
    let default = flag.get_default_values().first().filter(|_| !value.is_empty());
    let default =
        default.map_or(words_of_default, |default| format!("default `{}`", default.to_string_lossy()));
    let variable = flag
        .get_env()
        .map(|name| format!("or the variable `{}`", name.to_string_lossy()))
        .unwrap_or_default();
    let brackets: Vec<String> =
        [words, default, variable].into_iter().filter(|part| !part.is_empty()).collect();
    let brackets = if brackets.is_empty() { String::new() } else { format!(" ({})", brackets.join("; ")) };
    item("", &format!("`--{name}{value}`{brackets}: {help}"))
}

/// An item of a list, in lines of at most [`WIDTH`] characters.
fn item(indent: &str, text: &str) -> String {
    let mut lines = format!("{indent}*");
    let mut width = lines.len();
    let end = if text.ends_with(['.', ')', '`']) { "" } else { "." };
    for word in format!("{text}{end}").split_whitespace() {
        let length = word.chars().count();
        if width + 1 + length > WIDTH {
            lines += &format!("\n{indent} ");
            width = indent.len() + 1;
        }
        lines += " ";
        lines += word;
        width += 1 + length;
    }
    lines + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_stands_in_a_chapter() {
        let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/help")).unwrap();
        let files = folder
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|e| e == "md"));
        let chapters: Vec<String> = files.map(|path| std::fs::read_to_string(path).unwrap()).collect();
        for (name, list) in LISTS {
            let count = chapters.iter().flat_map(|text| text.lines()).filter(|line| line == name).count();
            assert_eq!(count, 1, "{name}");
            assert!(list().lines().count() > 1, "{name}");
        }
        let marks = chapters.iter().flat_map(|text| text.lines()).filter(|line| line.starts_with('{'));
        assert_eq!(marks.count(), LISTS.len(), "a mark without a list");
    }

    #[test]
    fn a_field_has_its_range_default_and_words() {
        const WORDS: &[Choice] =
            &[Choice::new("cut-through", "Cut-through: at once"), Choice::new("late", "Late")];
        let of = |kind| Field { key: "key", help: "Help.", ..Field::new("Key", kind) };
        assert_eq!(
            field(&of(FieldKind::Whole { min: 1, max: 4096 })),
            "* `key` (1 to 4,096; required): Help.\n"
        );
        assert_eq!(
            field(&of(FieldKind::Number { min: 0.0, max: 1e12 }).unit("m").hint("–")),
            "* `key` (0 m or more; optional): Help.\n"
        );
        assert_eq!(
            field(&of(FieldKind::Choice(WORDS)).or("late")),
            "* `key` (default `late`): Help.\n  * `cut-through`: at once.\n  * `late`\n"
        );
        assert_eq!(
            field(&of(FieldKind::Choice(&WORDS[1..])).or("late")),
            "* `key` (`late`; default `late`): Help.\n"
        );
    }

    #[test]
    fn long_items_continue_on_the_next_line() {
        let text = item("  ", &"word ".repeat(60));
        assert!(text.lines().count() == 3 && text.lines().all(|line| line.len() <= WIDTH), "{text}");
        assert!(text.lines().skip(1).all(|line| line.starts_with("    word")), "{text}");
    }
}
