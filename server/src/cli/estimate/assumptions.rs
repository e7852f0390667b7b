//! Assumptions of an estimate on the command line: a flag for each field of the form.

use anyhow::{Result, anyhow};
use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches, builder::PossibleValue};
use shared::{
    estimate::{EstimateForm, EstimateSettings},
    form::{Described, Field, Form},
};

/// The fields of the form as typed.
#[derive(Default)]
pub struct Assumptions(EstimateForm);

impl Assumptions {
    /// The settings. A flag that is not given has the value of the spec's settings.
    ///
    /// # Errors
    /// Every flag whose value is not accepted.
    pub fn read(&self, spec: &EstimateSettings) -> Result<EstimateSettings> {
        self.0.read(spec).map_err(|mut faults| {
            faults.0.iter_mut().for_each(|fault| fault.path = format!("--{}", fault.path.replace('_', "-")));
            anyhow!("{faults}")
        })
    }
}

impl Args for Assumptions {
    fn augment_args(command: Command) -> Command {
        let command = command.next_help_heading("Assumptions");
        EstimateForm::SCHEMA.fields.iter().fold(command, |command, field| command.arg(flag(field)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Assumptions::augment_args(command)
    }
}

fn flag(field: &'static Field) -> Arg {
    let arg = Arg::new(field.key).long(field.key.replace('_', "-"));
    let help = field.help.trim_end_matches('.');
    let unit = if field.unit.is_empty() { "N".into() } else { field.unit.to_uppercase() };
    let arg = match field.kind.choices() {
        words if words.is_empty() => arg.value_name(unit),
        words => arg.value_parser(
            words.into_iter().map(|w| PossibleValue::new(w.word).help(w.label)).collect::<Vec<_>>(),
        ),
    };
    // Not a default of the parser: the spec's value comes first.
    arg.help(format!("{help} [default: {}]", field.placeholder()))
}

impl FromArgMatches for Assumptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Assumptions, Error> {
        let mut assumptions = Assumptions::default();
        assumptions.update_from_arg_matches(matches)?;
        Ok(assumptions)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        for field in EstimateForm::SCHEMA.fields {
            if let (Some(text), Some(typed)) =
                (self.0.get_mut(field.key), matches.get_one::<String>(field.key))
            {
                text.clone_from(typed);
            }
        }
        Ok(())
    }
}
