//! `crosspoint hardware`: find out which hardware is enough, and which costs least.

mod text;

use super::{
    Answer, files, output,
    progress::ProgressLine,
    search::{Origin, budget, seconds},
    signals, tell,
};
use crate::{
    artifact,
    jobs::boards::{CELL_SECONDS, TOTAL_SECONDS},
    prepare::Request,
};
use anyhow::{Context, Result, anyhow};
use clap::Args;
use search::meta;
use shared::{
    api::MAX_EFFORT,
    design::Design,
    hardware::{Board, BoardObserver, HardwareRequest, catalogue, cell_text, nis_range},
    spec::{Faults, Spec},
};
use std::{collections::BTreeMap, fs, path::Path, path::PathBuf};

const ENDING: &str = "\
Example:
  crosspoint hardware spec.toml --nis 2-6 --ports 8-16,24,48 --seconds 600 -o builds

Ctrl-C ends the search and keeps what was found so far; a second one ends the program at once.";

/// Find which numbers of NIs and which switches are enough, and the cheapest build
///
/// Tries every number of NIs with every switch width: from the fewest NIs of each width upward until a wiring covers every
/// requested pair, widest switches first, then what failed beside the frontier again, each time for twice as long. What
/// bounds prove impossible is not tried. Of the spec, NIs are ignored and switch models are the catalogue, their counts the
/// stock; --ports names other widths, each at the price of the spec's narrowest model that is at least as wide.
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
    #[arg(long, value_name = "RANGE", value_parser = nis)]
    nis: (u32, u32),
    /// Switch widths such as 6-12,16,24 [default: the spec's switch models]
    #[arg(long, value_name = "WIDTHS", default_value = "", hide_default_value = true)]
    ports: String,
    /// First attempt at each cell in seconds [default: 5]
    #[arg(long, value_name = "S", value_parser = seconds, conflicts_with = "cell_effort")]
    cell_seconds: Option<f64>,
    /// First attempt at each cell in million moves: with --effort, the same board on every machine
    #[arg(long, value_name = "W", value_parser = clap::value_parser!(u64).range(1..=MAX_EFFORT))]
    cell_effort: Option<u64>,
    /// Give up after so many seconds in all [default: 300]
    #[arg(long, value_name = "S", value_parser = seconds, conflicts_with = "effort")]
    seconds: Option<f64>,
    /// Give up after so many million moves in all; an attempt that succeeds counts as one
    #[arg(long, value_name = "W", value_parser = clap::value_parser!(u64).range(1..=MAX_EFFORT))]
    effort: Option<u64>,
    #[command(flatten)]
    origin: Origin,
    /// The folder that specs and wiring tables go to, made if it is missing
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// The board as JSON
    #[arg(long)]
    json: bool,
}

fn nis(text: &str) -> Result<(u32, u32), String> {
    nis_range(text).map_err(|fault| fault.expected)
}

impl Hardware {
    /// Searches, prints the board and writes the builds.
    pub fn run(self) -> Result<Answer> {
        let text = files::read_spec_text(&self.spec)?;
        let cancel = signals::cancel()?;
        let request = files::parse_spec(&self.spec, &text)?;
        let name = files::name(&self.spec);
        let refused = |faults: Faults| anyhow!("{name}: no search over hardware:\n{faults}");
        let asked = self.asked(&request).map_err(refused)?;
        // Better now than after the search.
        self.output.as_deref().map_or(Ok(()), ready)?;
        let mut watcher = Watcher { line: ProgressLine::new(), builds: BTreeMap::new() };
        let board = meta::run(&asked, &mut watcher, &cancel).map_err(refused)?;
        watcher.line.end(&text::progress(&board));
        output::print(&match self.json {
            true => serde_json::to_string_pretty(&board)? + "\n",
            false => text::board(&board),
        })?;
        if let Some(folder) = &self.output {
            keep(folder, &board, &watcher.builds)?;
        }
        Ok(if board.any_solved() { Answer::Yes } else { Answer::No })
    }

    fn asked(&self, request: &Request) -> Result<HardwareRequest, Faults> {
        Ok(HardwareRequest {
            catalogue: catalogue(&request.spec, &self.ports)?,
            spec: request.spec.clone(),
            demand: request.demand.clone(),
            nis_from: self.nis.0,
            nis_to: self.nis.1,
            cell: budget(self.cell_effort, self.cell_seconds, CELL_SECONDS),
            total: budget(self.effort, self.seconds, TOTAL_SECONDS),
            seed: self.origin.seed,
            threads: self.origin.islands(),
        })
    }
}

/// A spec with a wiring that serves it.
type Build = (Spec, Design);

struct Watcher {
    line: ProgressLine,
    /// Those that serve every pair, by cell.
    builds: BTreeMap<usize, Build>,
}

impl BoardObserver for Watcher {
    fn board(&mut self, board: &Board) {
        self.line.write(|| text::progress(board));
    }

    fn design(&mut self, cell: usize, spec: &Spec, design: &Design, uncovered: u64) {
        if uncovered == 0 {
            self.builds.insert(cell, (spec.clone(), design.clone()));
        }
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
