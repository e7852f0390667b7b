//! Flags of a command, made from the fields of a form. The form reads their values.

use clap::{
    Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches, builder::PossibleValue,
    parser::ValueSource,
};
use shared::{
    estimate::EstimateForm,
    form::{Advice, Described, Faults, Field, FieldKind, FormReader, Reader, shown},
    hardware::BoardForm,
    search::{SECONDS, SearchForm, THREADS},
    simulation::SimulationForm,
};

/// A form whose fields are flags.
pub trait FlagForm: Described {
    /// Heading of the flags in the help.
    const HEADING: Option<&'static str> = None;
    /// Fields whose flags the command declares itself: key and flag.
    const OTHERS: &'static [(&'static str, &'static str)] = &[];
}

impl FlagForm for SearchForm {}

impl FlagForm for BoardForm {
    const OTHERS: &'static [(&'static str, &'static str)] =
        &[("nis_from", "nics"), ("nis_to", "nics"), ("market", "market")];
}

impl FlagForm for EstimateForm {
    const HEADING: Option<&'static str> = Some("Assumptions");
}

impl FlagForm for SimulationForm {
    const HEADING: Option<&'static str> = Some("Traffic, times and rules");
    const OTHERS: &'static [(&'static str, &'static str)] = &[
        ("fabric", "fabric"),
        ("traffic", "traffic"),
        ("node", "traffic"),
        ("share", "traffic"),
        ("subgroup", "traffic"),
        ("loads", "load"),
        ("routing", "routing"),
    ];
}

/// The flags of a form.
pub struct Flags<F> {
    /// Texts of the given flags; the other fields are empty.
    pub typed: F,
    /// Keys of the fields with a given flag.
    given: Vec<&'static str>,
}

impl<F: FlagForm> Flags<F> {
    /// `true` if the flag of a field is given.
    pub fn is_given(&self, key: &str) -> bool {
        self.given.contains(&key)
    }

    /// A form with the texts of the given flags instead of its own.
    pub fn over(&self, mut form: F) -> F {
        for key in &self.given {
            if let (Some(text), Some(typed)) = (form.get_mut(key), self.typed.get(key)) {
                typed.clone_into(text);
            }
        }
        form
    }

    /// Reads the values of fields.
    ///
    /// # Errors
    /// Every flag whose value is not accepted.
    pub fn read<T>(&self, read: impl FnOnce(&mut FormReader) -> Option<T>) -> Result<T, Faults> {
        let fields: Vec<Field> = F::SCHEMA.fields.iter().map(at_command_line).collect();
        let mut reader = Reader::default();
        let value = read(&mut reader.form(&self.typed, "").with(&fields));
        reader.finish(value).map_err(named::<F>)
    }
}

/// The faults, with flags as the paths of fields and of entries of lists.
pub fn named<F: FlagForm>(mut faults: Faults) -> Faults {
    for fault in &mut faults.0 {
        let key = fault.path.split('[').next().unwrap_or_default();
        fault.path = flag_of::<F>(key).unwrap_or_else(|| fault.path.clone());
    }
    faults
}

/// Flag of a field, such as `--virtual-channels`; `None` if there is no such field.
pub fn flag_of<F: FlagForm>(key: &str) -> Option<String> {
    let of_form = || fields::<F>().find(|field| field.key == key).map(|field| name(field.key));
    let other = F::OTHERS.iter().find(|(other, _)| *other == key).map(|(_, flag)| (*flag).to_owned());
    other.or_else(of_form).map(|name| format!("--{name}"))
}

/// Fields with a flag of their own. The unit of a limit has none, since it follows from the flag of the limit.
fn fields<F: FlagForm>() -> impl Iterator<Item = &'static Field> {
    let is_own = |key: &str| F::OTHERS.iter().all(|(other, _)| *other != key) && !key.ends_with(".unit");
    F::SCHEMA.fields.iter().filter(move |field| is_own(field.key))
}

/// Name of a field's flag. The limit of a whole search has the plain name.
fn name(key: &str) -> String {
    key.trim_start_matches("budget.").trim_start_matches("total.").replace(['_', '.'], "-")
}

/// A field with its limits and default at the command line.
fn at_command_line(field: &Field) -> Field {
    match last(field.key) {
        "seconds" => Field { kind: SECONDS.kind, ..*field },
        // Without the flag, the limit is in seconds.
        "effort" => Field { default: "", ..*field },
        "threads" => Field { kind: THREADS.kind, hint: "number of cores", ..*field },
        _ => *field,
    }
}

/// Last part of a key.
fn last(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

/// Key of another field of the same limit, such as `total.unit` for `total.effort`.
fn beside(key: &str, other: &str) -> String {
    format!("{}{other}", key.trim_end_matches(last(key)))
}

impl<F: FlagForm> Args for Flags<F> {
    fn augment_args(command: Command) -> Command {
        fields::<F>().fold(command.next_help_heading(F::HEADING), |command, field| {
            let unit = F::SCHEMA.field(&beside(field.key, "unit")).filter(|_| last(field.key) == "effort");
            command.arg(match unit {
                Some(unit) => flag(field, unit.help).conflicts_with(beside(field.key, "seconds")),
                None => flag(field, ""),
            })
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// The flag of a field, with more sentences of help.
fn flag(field: &'static Field, more: &str) -> Arg {
    let (arg, Field { unit, help, .. }) = (Arg::new(field.key).long(name(field.key)), field);
    let help = format!("{help} {more}").trim_end_matches(['.', ' ']).to_owned();
    if let FieldKind::Flag = field.kind {
        return arg.help(help).action(ArgAction::SetTrue);
    }
    let choices = field.kind.choices().into_iter().map(|word| PossibleValue::new(word.word).help(word.label));
    let arg = match (*unit, field.kind) {
        (_, FieldKind::Choice(_) | FieldKind::Listed(_)) => {
            arg.value_name(last(field.key).to_uppercase()).value_parser(choices.collect::<Vec<_>>())
        }
        ("", FieldKind::Whole { .. } | FieldKind::Number { .. }) => arg.value_name("N"),
        ("", _) => arg.value_name(last(field.key).to_uppercase()),
        ("%", _) => arg.value_name("PERCENT"),
        (unit, _) => arg.value_name(unit.replace(' ', "-").to_uppercase()),
    };
    // Not a default of the parser: a spec or a preset may have another value.
    match at_command_line(field).placeholder() {
        "" => arg.help(help),
        default => arg.help(format!("{help} [default: {default}]")),
    }
}

impl<F: FlagForm> FromArgMatches for Flags<F> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut flags = Flags { typed: F::default(), given: Vec::new() };
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        let is_given = |key| matches.value_source(key) == Some(ValueSource::CommandLine);
        for Field { key, kind, unit, .. } in fields::<F>().filter(|field| is_given(field.key)) {
            let text = match kind {
                FieldKind::Flag => "true",
                _ => matches.get_one::<String>(key).map_or("", String::as_str),
            };
            // The sign of a percentage is optional.
            let text = if *unit == "%" { text.trim_end().trim_end_matches('%') } else { text };
            self.given.push(key);
            self.typed.get_mut(key).into_iter().for_each(|typed| text.clone_into(typed));
            let unit = self.typed.get_mut(&beside(key, "unit"));
            unit.into_iter().for_each(|unit| last(key).clone_into(unit));
        }
        Ok(())
    }
}

/// Reads a log level. Errors: the accepted levels.
pub fn log_level(text: &str) -> Result<tracing::Level, String> {
    text.parse().map_err(|_| "error, warn, info, debug or trace".into())
}

/// Memory limit of a program in MiB.
pub const MEMORY: Field = Field::whole("Memory", 64, 1 << 24);
/// Number of things without a limit of its own.
pub const COUNT: Field = Field::whole("Number", 1, u32::MAX as u64);

/// Parser of a flag that is no field of a form: a whole number that the field accepts. Panics if `N` is too small for the field.
pub fn whole<N: TryFrom<u64>>(field: Field) -> impl Fn(&str) -> Result<N, String> + Clone + use<N> {
    let read = move |text: &str| {
        field.read_whole(text).map(|number| N::try_from(number).ok().expect("a fitting type"))
    };
    parser(read)
}

/// Parser of a flag that is no field of a form: a decimal number that the field accepts.
pub fn number(field: Field) -> impl Fn(&str) -> Result<f64, String> + Clone {
    parser(move |text| field.read_number(text))
}

/// Parser of a flag whose error is a sentence. The errors of `read` are what to do, or the accepted values as a noun phrase.
pub fn parser<T, A: Into<Advice>>(
    read: impl Fn(&str) -> Result<T, A> + Clone,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| read(text).map_err(|advice| advice.into().about(&shown(text)))
}
