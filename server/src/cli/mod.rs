//! The program, one subcommand a file.
//!
//! Exit codes: 0 done; 1 the answer is no (a pair is not covered, nothing found); 2 bad input, with every fault named.

mod analyze;
mod check;
mod demand;
mod export;
mod files;
mod output;
mod search;
mod serve;
mod signals;
mod uncovered;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// The wiring of cluster interconnects: from patterns and a budget to labels in hand.
#[derive(Parser)]
#[command(name = "crosspoint", version = crate::version::VERSION, about, after_help = EXIT_CODES)]
struct Program {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str =
    "Exit codes: 0 done, 1 the answer is no (a pair is not covered, nothing found), 2 bad input.";

#[derive(Subcommand)]
enum Command {
    Serve(serve::Serve),
    Demand(demand::Demand),
    Search(search::Search),
    Check(check::Check),
    Analyze(analyze::Analyze),
    Export(export::Export),
}

/// What a subcommand comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
}

/// Reads the command line and does what it says. Bad command lines exit with 2, as clap does by itself.
pub fn main() -> ExitCode {
    let answer = match Program::parse().command {
        Command::Serve(serve) => serve.run(),
        Command::Demand(demand) => demand.run(),
        Command::Search(search) => search.run(),
        Command::Check(check) => check.run(),
        Command::Analyze(analyze) => analyze.run(),
        Command::Export(export) => export.run(),
    };
    match answer {
        Ok(Answer::Yes) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(1),
        Err(error) => {
            // Standard error may be closed as well, and then nobody can be told.
            let _ = std::io::Write::write_all(
                &mut std::io::stderr(),
                format!("crosspoint: {error:#}\n").as_bytes(),
            );
            ExitCode::from(2)
        }
    }
}
