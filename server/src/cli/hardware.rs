//! `crosspoint hardware`: find out which hardware is enough, and which costs least.

mod text;
mod watcher;

use super::{
    Answer,
    checkpoint::{self, Checkpoints},
    files, output,
    search::{Origin, budget, million_moves, seconds},
    signals, tell,
};
use crate::{
    artifact,
    jobs::boards::{CELL_SECONDS, TOTAL_SECONDS},
    prepare::Request,
};
use anyhow::{Context, Result, anyhow};
use clap::Args;
use search::hardware;
use shared::{
    hardware::{Board, HardwareRequest, catalogue, cell_text, field_faults, nis_range, unsuited},
    search::Budget,
    spec::{Fault, Faults},
};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::atomic::Ordering::SeqCst,
    time::Duration,
};
use watcher::{Build, Watcher};

const ENDING: &str = "\
Example:
  crosspoint hardware spec.toml --nis 2-6 --ports 8-16,24,48 --seconds 600 -o builds

Ctrl-C ends the search and keeps what was found so far; a second one ends the program at once.

A search of hours is best given --checkpoint FILE: should the program or the machine be stopped, the same command keeps the
cells that were finished and goes on with the others. With --cell-effort and --effort it comes to the same board.";

/// Find which numbers of NIs and which switches are enough, and the cheapest build
///
/// Tries every number of NIs with every switch width: from the fewest NIs of each width upward until a wiring covers every
/// requested pair, widest switches first, then what failed beside the frontier again, each time for twice as long. What
/// bounds prove impossible is not tried. Of the spec, `nis_per_pe` is set aside, and groups of PEs with different NIs are
/// refused, since all PEs have as many as the row says. Its switch models are the catalogue and their counts the stock; of
/// those without a count as many may be bought as it takes. --ports names other widths, each at the price of the spec's
/// narrowest model that is at least as wide, and as many of each as it takes.
///
/// Progress goes to standard error, the board to standard output. With -o, the spec and the wiring table of each build on
/// the frontier and of the cheapest go to a folder.
///
/// Exit codes: 0 some hardware is enough; 1 none was found; 2 bad input, or a file that cannot be written.
#[derive(Args)]
#[command(after_help = ENDING)]
pub struct Hardware {
    /// The spec file, or - for standard input
    spec: PathBuf,
    /// NIs a PE: a range such as 2-8, or one number
    #[arg(long, value_name = "RANGE")]
    nis: String,
    /// Switch widths such as 6-12,16,24 [default: the spec's switch models]
    #[arg(long, value_name = "WIDTHS", default_value = "", hide_default_value = true)]
    ports: String,
    /// First attempt at each cell in seconds [default: 5]
    #[arg(long, value_name = "S", value_parser = seconds, conflicts_with = "cell_effort")]
    cell_seconds: Option<f64>,
    /// First attempt at each cell in million moves: with --effort, the same board on every machine
    #[arg(long, value_name = "W", value_parser = million_moves)]
    cell_effort: Option<u64>,
    /// Give up after so many seconds in all [default: 300]
    #[arg(long, value_name = "S", value_parser = seconds, conflicts_with = "effort")]
    seconds: Option<f64>,
    /// Give up after so many million moves in all; an attempt that succeeds counts as one
    #[arg(long, value_name = "W", value_parser = million_moves)]
    effort: Option<u64>,
    #[command(flatten)]
    origin: Origin,
    /// The folder that specs and wiring tables go to, made if it is missing
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Write what the search can go on from to this file every few seconds; go on from it if it is there
    ///
    /// Spec, NIs, widths, the budget of a cell, seed, threads and the version of Crosspoint must be the same; --seconds and
    /// --effort count from the first beginning. The file is removed once no cell is left that could be tried.
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Seconds between two checkpoints
    #[arg(long, value_name = "S", value_parser = seconds, default_value = "2", hide = true)]
    checkpoint_every: f64,
    /// The board as JSON
    #[arg(long)]
    json: bool,
}

impl Hardware {
    /// Searches, prints the board and writes the builds.
    pub fn run(self) -> Result<Answer> {
        let text = files::read_spec_text(&self.spec)?;
        let cancel = signals::cancel()?;
        let request = files::parse_catalogue(&self.spec, &text).map_err(|error| self.with_flags(error))?;
        let name = files::name(&self.spec);
        let refused = |faults: Faults| anyhow!("{name}: no search over hardware:\n{faults}");
        let asked = self.asked(&request).map_err(refused)?;
        // Better now than after the search.
        self.output.as_deref().map_or(Ok(()), ready)?;
        if let Some(file) = &self.checkpoint {
            checkpoint::distinct(file, &[("the spec", Some(&*self.spec))])?;
        }
        let every = Duration::from_secs_f64(self.checkpoint_every);
        let file = self.checkpoint.as_deref();
        let file = file.map(|path| Checkpoints::new(path, asked.seed, asked.threads, every));
        let mut watcher = Watcher::new(file);
        let saved = watcher.open()?;
        let board = hardware::resume(&asked, saved.as_deref(), &mut watcher, &cancel);
        drop(saved);
        let board = board.map_err(|error| watcher.refused(&name, &error))?;
        watcher.end(&board);
        output::print(&match self.json {
            true => serde_json::to_string_pretty(&board)? + "\n",
            false => text::board(&board),
        })?;
        if let Some(folder) = &self.output {
            keep(folder, &board, &watcher.builds)?;
        }
        let told = watcher.close(&board, cancel.load(SeqCst));
        told.iter().for_each(|told| tell(&format!("{told}\n")));
        Ok(if board.any_solved() { Answer::Yes } else { Answer::No })
    }

    /// What is wrong with the spec, and with what was asked besides.
    fn with_flags(&self, error: anyhow::Error) -> anyhow::Error {
        let mut faults: Vec<Fault> = nis_range(&self.nis).err().into_iter().collect();
        let budgets = [("cell", Budget::Seconds(CELL_SECONDS)), ("total", Budget::Seconds(TOTAL_SECONDS))];
        faults.extend(field_faults((1, 1), &self.ports, budgets, self.origin.islands()));
        match Faults::of(faults) {
            Some(faults) => anyhow!("{error}\n{faults}"),
            None => error,
        }
    }

    fn asked(&self, request: &Request) -> Result<HardwareRequest, Faults> {
        let (nis, catalogue) = match (nis_range(&self.nis), catalogue(&request.spec, &self.ports)) {
            (Ok(nis), Ok(catalogue)) => (nis, catalogue),
            (nis, catalogue) => {
                let mut faults = unsuited(&request.spec);
                faults.extend(nis.err());
                faults.extend(catalogue.err().into_iter().flat_map(|faults| faults.0));
                return Err(Faults(faults));
            }
        };
        Ok(HardwareRequest {
            catalogue,
            spec: request.spec.clone(),
            demand: request.demand.clone(),
            nis_from: nis.0,
            nis_to: nis.1,
            cell: budget(self.cell_effort, self.cell_seconds, CELL_SECONDS),
            total: budget(self.effort, self.seconds, TOTAL_SECONDS),
            seed: self.origin.seed,
            threads: self.origin.islands(),
        })
    }
}

fn ready(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    output::ready(&folder.join("board.txt"))
}

/// Writes the builds of the frontier and the cheapest one.
fn keep(folder: &Path, board: &Board, builds: &BTreeMap<usize, Build>) -> Result<()> {
    let mut chosen: Vec<usize> = board.frontier.iter().copied().chain(board.cheapest).collect();
    chosen.sort_unstable();
    chosen.dedup();
    for (index, (spec, design)) in chosen.iter().filter_map(|index| builds.get_key_value(index)) {
        let name = text::file_name(board, *index);
        let text = cell_text(spec);
        output::to(Some(&folder.join(format!("{name}.toml"))), |out| Ok(out.write_all(text.as_bytes())?))?;
        output::to(Some(&folder.join(format!("{name}.txt"))), |out| Ok(artifact::write_table(design, out)?))?;
        tell(&format!("{}: {name}.toml, {name}.txt\n", folder.display()));
    }
    Ok(())
}
