//! Times and rules of a simulation on the command line: a flag for each field of the form.

use clap::{
    Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches, builder::PossibleValue,
    parser::ValueSource,
};
use shared::{
    compare::market::{PRESETS, preset},
    form::{Described, Field, Form, Kind},
    simulation::{CURRENT_SWITCHES, TypedSimulation},
};

/// Fields with a flag of their own, since a flag says more than the field.
const OWN: [&str; 7] = ["fabric", "traffic", "node", "share", "subgroup", "loads", "routing"];

/// All other fields of a simulation, as typed.
pub struct Rules(pub TypedSimulation);

fn fields() -> impl Iterator<Item = &'static Field> {
    TypedSimulation::SCHEMA.fields.iter().filter(|field| !OWN.contains(&field.key))
}

impl Args for Rules {
    fn augment_args(command: Command) -> Command {
        let command = command.next_help_heading("Traffic, times and rules");
        let command = command.arg(current_switches());
        fields().fold(command, |command, field| command.arg(flag(field)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Rules::augment_args(command)
    }
}

fn flag(field: &'static Field) -> Arg {
    let arg = Arg::new(field.key).long(field.key.replace('_', "-"));
    let help = field.help.trim_end_matches('.');
    if let Kind::Flag = field.kind {
        return arg.help(help).action(ArgAction::SetTrue);
    }
    let unit = if field.unit.is_empty() { "N".into() } else { field.unit.replace('/', "p").to_uppercase() };
    let arg = match field.kind.choices() {
        _ if matches!(field.kind, Kind::Syntax(_)) => arg,
        words if words.is_empty() => arg.value_name(unit),
        words => arg.value_parser(
            words.into_iter().map(|w| PossibleValue::new(w.word).help(w.label)).collect::<Vec<_>>(),
        ),
    };
    match field.default {
        "" => arg.help(format!("{help} [default: {}]", field.hint)),
        default => arg.help(help).default_value(default),
    }
}

/// Flag of the preset, by the market whose speeds and latencies it takes.
const PRESET: &str = "current-switches";

fn current_switches() -> Arg {
    let markets = PRESETS.iter().map(|market| PossibleValue::new(market.key).help(market.title()));
    Arg::new(PRESET).long(PRESET).value_name("MARKET").value_parser(markets.collect::<Vec<_>>()).help(
        format!("{CURRENT_SWITCHES}; speeds and latencies of a market. Other flags change single fields"),
    )
}

impl FromArgMatches for Rules {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Rules, Error> {
        let mut rules = Rules(TypedSimulation::default());
        rules.update_from_arg_matches(matches)?;
        Ok(rules)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        if let Some(market) = matches.get_one::<String>(PRESET).and_then(|key| preset(key)) {
            self.0.set_current_switches(&market.market());
        }
        let typed = |field: &&Field| matches.value_source(field.key) == Some(ValueSource::CommandLine);
        for field in fields().filter(typed) {
            let text = match field.kind {
                Kind::Flag => Some(matches.get_flag(field.key).to_string()),
                _ => matches.get_one::<String>(field.key).cloned(),
            };
            if let (Some(given), Some(text)) = (text, self.0.get_mut(field.key)) {
                *text = given;
            }
        }
        Ok(())
    }
}
