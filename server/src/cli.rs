//! The program, one subcommand per file.
//!
//! Exit codes: 0 done; 1 the answer is no (a pair is uncovered, nothing found); 2 bad input, with every fault named, or a
//! file that cannot be written.

mod analyze;
mod backup;
mod check;
mod checkpoint;
mod compare;
mod demand;
mod estimate;
mod export;
mod fabric;
mod files;
mod flags;
mod hardware;
mod help;
mod import;
mod output;
mod progress;
mod prune;
mod recable;
mod search;
mod serve;
mod signals;
mod simulate;
mod uncovered;
mod watch;
mod worker;

use clap::{
    Arg, CommandFactory, FromArgMatches, Parser, Subcommand,
    error::{ContextKind, ContextValue, ErrorKind},
};
use output::to_stderr;
use std::process::ExitCode;
use sysinfo::System;

/// Design the wiring of cluster interconnects, from communication patterns to cable labels
///
/// A spec names the communication patterns of the nodes and the hardware. A search finds a wiring in which every requested
/// pair of nodes shares a switch. Exports are the files to build and run the network: labels, cable lists, scripts.
#[derive(Parser)]
#[command(name = "crosspoint", version = crate::VERSION, after_help = EXIT_CODES,
    after_long_help = format!("{}\n{EXAMPLES}", help::topics()), disable_help_subcommand = true)]
struct Program {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str =
    "Exit codes: 0 success; 1 no solution (uncovered pairs, nothing found); 2 bad input or unwritable file.";

const EXAMPLES: &str = "\
A spec, spec.toml:
  name = \"Ours\"
  nodes = 64
  nics_per_node = 4
  objective = \"universal\"     # all pairs; \"sparse\" for the pairs of [[pattern]] tables
  [[switch]]
  ports = 32

From the spec to labels and scripts:
  crosspoint search spec.toml -o wiring.txt
  crosspoint check spec.toml wiring.txt
  crosspoint export spec.toml wiring.txt --format labels -o labels.html
  crosspoint export spec.toml wiring.txt --format script -o scripts

The same in a browser:
  crosspoint serve

Exit codes: 0 success; 1 no solution (uncovered pairs, nothing found); 2 bad input or unwritable file.";

#[derive(Subcommand)]
enum Command {
    Serve(serve::Serve),
    Worker(worker::Worker),
    Backup(backup::Backup),
    Prune(prune::Prune),
    Import(import::Import),
    Demand(demand::Demand),
    Search(search::Search),
    Hardware(hardware::Hardware),
    Check(check::Check),
    Analyze(analyze::Analyze),
    Export(export::Export),
    Compare(compare::Compare),
    Estimate(estimate::Estimate),
    Recable(recable::Recable),
    Fabric(fabric::Fabric),
    Simulate(Box<simulate::Simulate>),
    Help(help::Help),
}

/// Result of a subcommand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
    /// Something failed, and the error is printed.
    Failed,
}

/// Parses the command line and runs the subcommand. On a bad command line, the exit code is 2.
pub fn main() -> ExitCode {
    let matches = command().try_get_matches();
    let program = match matches.and_then(|matches| Program::from_arg_matches(&matches)) {
        Ok(program) => program,
        Err(error) => match refused_value(&error) {
            Some(text) => return failed(&text),
            None => error.exit(),
        },
    };
    let answer = match program.command {
        Command::Serve(serve) => serve.run(),
        Command::Worker(worker) => worker.run(),
        Command::Backup(backup) => backup.run(),
        Command::Prune(prune) => prune.run(),
        Command::Import(import) => import.run(),
        Command::Demand(demand) => demand.run(),
        Command::Search(search) => search.run(),
        Command::Hardware(hardware) => hardware.run(),
        Command::Check(check) => check.run(),
        Command::Analyze(analyze) => analyze.run(),
        Command::Export(export) => export.run(),
        Command::Compare(compare) => compare.run(),
        Command::Estimate(estimate) => estimate.run(),
        Command::Recable(recable) => recable.run(),
        Command::Fabric(fabric) => fabric.run(),
        Command::Simulate(simulate) => simulate.run(),
        Command::Help(help) => help.run(),
    };
    match answer {
        Ok(Answer::Yes) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(1),
        Ok(Answer::Failed) => ExitCode::from(2),
        Err(error) => failed(&error_text(&error)),
    }
}

fn failed(text: &str) -> ExitCode {
    to_stderr(&format!("crosspoint: {text}\n"));
    ExitCode::from(2)
}

/// Error of a flag whose parser is ours, as errors of forms are written: the flag, then the sentence of the parser.
fn refused_value(error: &clap::Error) -> Option<String> {
    let (ErrorKind::ValueValidation, Some(ContextValue::String(flag)), Some(sentence)) =
        (error.kind(), error.get(ContextKind::InvalidArg), std::error::Error::source(error))
    else {
        return None;
    };
    let flag = flag.split(' ').next().unwrap_or_default();
    Some(format!("{flag}: {sentence}"))
}

/// A subcommand with its flags; `None` if there is no such subcommand. Unlike [`Program`], it needs no list of topics.
pub(crate) fn subcommand(name: &str) -> Option<clap::Command> {
    Command::augment_subcommands(clap::Command::new("crosspoint")).find_subcommand(name).cloned()
}

/// The command line. A negative number is a value, so that its error names the accepted range.
fn command() -> clap::Command {
    let value = |arg: Arg| {
        let takes_values = arg.get_action().takes_values() && !arg.is_positional();
        if takes_values { arg.allow_negative_numbers(true) } else { arg }
    };
    Program::command().mut_subcommands(|subcommand| subcommand.mut_args(value))
}

/// Number of the machine's cores.
fn cores() -> u32 {
    std::thread::available_parallelism().map_or(1, |n| n.get() as u32)
}

/// Memory for computations in MiB where the system does not say how much it has.
const DEFAULT_MEMORY: u64 = 2048;

/// Half of the memory of this machine or control group, in MiB.
fn default_memory() -> u64 {
    let Ok(mut system) = System::new() else { return DEFAULT_MEMORY };
    system.refresh_memory();
    let group = system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory);
    (system.total_memory().min(group) / 2) >> 20
}

/// An error with its causes, without those that the text before repeats, and without numbers of the operating system.
fn error_text(error: &anyhow::Error) -> String {
    error.chain().map(|cause| without_number(cause.to_string())).fold(String::new(), |text, cause| match text
        .as_str()
    {
        "" => cause,
        before if before.ends_with(&cause) => text,
        before => format!("{before}: {cause}"),
    })
}

fn without_number(mut text: String) -> String {
    while let Some(start) = text.find(" (os error ")
        && let Some(length) = text[start..].find(')')
    {
        text.replace_range(start..=start + length, "");
    }
    text
}
