//! The program, one subcommand a file.
//!
//! Exit codes: 0 done; 1 the answer is no (a pair is not covered, nothing found); 2 bad input, with every fault
//! named, or a file that cannot be written.

mod analyze;
mod check;
mod checkpoint;
mod compare;
mod demand;
mod export;
mod fabric;
mod files;
mod hardware;
mod output;
mod progress;
mod search;
mod serve;
mod signals;
mod simulate;
mod standing;
mod uncovered;

use clap::{Parser, Subcommand};
use std::{io::Write, process::ExitCode};

/// The wiring of cluster interconnects: from patterns and a budget to labels in hand
///
/// A spec says which nodes (PEs) must talk to which, as patterns, and what hardware there is. A search finds which PE to
/// plug into which switches, so that every requested pair meets on one switch. Exports are what people and machines build
/// the network from.
#[derive(Parser)]
#[command(name = "crosspoint", version = crate::version::VERSION, after_help = EXIT_CODES, after_long_help = EXAMPLES)]
struct Program {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done, 1 the answer is no (a pair is not covered, nothing found), 2 bad input or a file\nthat cannot be written.";

const EXAMPLES: &str = "\
A spec, spec.toml:
  name = \"Ours\"
  pes = 64
  nis_per_pe = 4
  objective = \"universal\"     # every pair; \"sparse\" for those of [[pattern]] tables
  [[switch]]
  ports = 32

From it to labels and scripts:
  crosspoint search spec.toml -o wiring.txt
  crosspoint check spec.toml wiring.txt
  crosspoint export spec.toml wiring.txt --format labels -o labels.html
  crosspoint export spec.toml wiring.txt --format script -o scripts

The same in a browser:
  crosspoint serve

Exit codes: 0 done, 1 the answer is no (a pair is not covered, nothing found), 2 bad input or a file
that cannot be written.";

#[derive(Subcommand)]
enum Command {
    Serve(serve::Serve),
    Demand(demand::Demand),
    Search(search::Search),
    Hardware(hardware::Hardware),
    Check(check::Check),
    Analyze(analyze::Analyze),
    Export(export::Export),
    Compare(compare::Compare),
    Fabric(fabric::Fabric),
    Simulate(Box<simulate::Simulate>),
}

/// What a subcommand comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
    /// Something could not be done, and has been told.
    Failed,
}

/// Reads the command line and does what it says. Bad command lines exit with 2, as clap does by itself.
pub fn main() -> ExitCode {
    let answer = match Program::parse().command {
        Command::Serve(serve) => serve.run(),
        Command::Demand(demand) => demand.run(),
        Command::Search(search) => search.run(),
        Command::Hardware(hardware) => hardware.run(),
        Command::Check(check) => check.run(),
        Command::Analyze(analyze) => analyze.run(),
        Command::Export(export) => export.run(),
        Command::Compare(compare) => compare.run(),
        Command::Fabric(fabric) => fabric.run(),
        Command::Simulate(simulate) => simulate.run(),
    };
    match answer {
        Ok(Answer::Yes) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(1),
        Ok(Answer::Failed) => ExitCode::from(2),
        Err(error) => {
            tell(&format!("crosspoint: {}\n", told(&error)));
            ExitCode::from(2)
        }
    }
}

/// Tells people something. Standard error may be closed, and then nobody can be told.
fn tell(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// An error with its causes, but for those whose words the error before has taken over.
fn told(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |told, cause| match told.as_str() {
        "" => cause,
        before if before.ends_with(&cause) => told,
        before => format!("{before}: {cause}"),
    })
}
