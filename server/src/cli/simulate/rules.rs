//! Times and rules of a simulation on the command line: a flag for each field of the form.

use anyhow::{Result, bail};
use clap::{
    Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches, builder::PossibleValue,
    parser::ValueSource,
};
use shared::{
    compare::market::{PRESETS, preset},
    form::{Described, Field, Form, Kind},
    simulation::{CURRENT_SWITCHES, SimulationForm, Traffic},
};

/// Fields with a flag of their own, since a flag says more than the field.
const OWN: [&str; 7] = ["fabric", "traffic", "node", "share", "subgroup", "loads", "routing"];

/// All other fields of a simulation.
pub struct Rules {
    /// The fields as typed.
    pub typed: SimulationForm,
    /// Keys of the fields with a given flag.
    given: Vec<&'static str>,
}

impl Rules {
    /// Checks that every given flag has an effect; `others` are flags of the command that are no fields.
    ///
    /// # Errors
    /// The first flag without one, and the reason.
    pub fn check(&self, traffic: Traffic, others: &[&str]) -> Result<()> {
        let collective = match traffic {
            Traffic::Closed(collective) => Some(collective),
            Traffic::Open(_) => None,
        };
        let given = |flag: &&str| self.given.contains(flag) || others.contains(flag);
        let pool = !self.typed.shared_buffer.is_empty();
        let idle: [(bool, &[&str], &str); 6] = [
            (!pool, &["alpha"], "without --shared-buffer"),
            (pool, &["buffer"], "with a shared buffer"),
            (
                collective.is_none(),
                &["message", "rounds", "groups", "background", "background_load"],
                "without a collective operation such as all-to-all",
            ),
            (
                collective.is_some(),
                &["load", "saturate", "cycles", "ignored"],
                &collective.map_or(String::new(), |name| format!("with {name}, a collective operation")),
            ),
            (self.typed.background.is_empty(), &["background_load"], "without --background"),
            (
                others.contains(&"booksim"),
                &["saturate", "threads", "json", "output"],
                "with --booksim, which simulates nothing",
            ),
        ];
        let mut idle = idle.into_iter().filter(|(applies, ..)| *applies);
        match idle.find_map(|(_, flags, why)| Some((flags.iter().find(|flag| given(flag))?, why))) {
            Some((flag, why)) => bail!("--{} has no effect {why}", flag.replace('_', "-")),
            None => Ok(()),
        }
    }
}

fn fields() -> impl Iterator<Item = &'static Field> {
    SimulationForm::SCHEMA.fields.iter().filter(|field| !OWN.contains(&field.key))
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
        let mut rules = Rules { typed: SimulationForm::default(), given: Vec::new() };
        rules.update_from_arg_matches(matches)?;
        Ok(rules)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        let given = |name: &str| matches.value_source(name) == Some(ValueSource::CommandLine);
        self.given = fields().map(|field| field.key).filter(|key| given(key)).collect();
        if let Some(market) = matches.get_one::<String>(PRESET).and_then(|key| preset(key)) {
            self.typed.set_current_switches(&market.market());
            // A queue of its own takes the place of the market's shared memory.
            if matches.get_one::<String>("queue").is_some_and(|queue| given("queue") && queue == "input") {
                self.typed.shared_buffer.clear();
            }
        }
        for field in fields().filter(|field| given(field.key)) {
            let text = match field.kind {
                Kind::Flag => Some(matches.get_flag(field.key).to_string()),
                _ => matches.get_one::<String>(field.key).cloned(),
            };
            if let (Some(given), Some(text)) = (text, self.typed.get_mut(field.key)) {
                *text = given;
            }
        }
        Ok(())
    }
}
