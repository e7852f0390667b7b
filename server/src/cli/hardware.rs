//! `crosspoint hardware`: find sufficient hardware and the cheapest build, or the cheapest network for a job.

use super::{
    Answer, checkpoint, compare, files,
    flags::{Flags, named},
    output,
    output::to_stderr,
    search::randomness,
    watch::{BoardWatch, Watch},
};
use crate::{artifact, frontier, prepare::Request};
use anyhow::{Result, anyhow, bail};
use clap::Args;
use search::hardware::{self, BoardError};
use shared::{
    design::Design,
    estimate::duration,
    hardware::{
        Board, BoardForm, BoardObserver, Cell, CellState, Frontier, FrontierRequest, HardwareRequest,
        OFFER_COLUMNS, Offer, catalogue, cell_text, money, nis_range, unsuited,
    },
    search::Budget,
    spec::{Fault, Faults, Spec},
    text::{count, fixed, grouped},
};
use std::{
    collections::BTreeMap,
    fmt::Write,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering::SeqCst},
};

/// Time between two checkpoints in seconds.
const CHECKPOINT_EVERY: f64 = 2.0;

const ENDING: &str = "\
Examples:
  crosspoint hardware spec.toml --nics 2-6 --ports 8-16,24,48 --seconds 600 -o builds
  crosspoint hardware spec.toml --goal time --nics 2-8 --within 2% --market 400g -o networks

Ctrl-C stops the search and prints the results so far. A second Ctrl-C exits at once.

Use --checkpoint FILE for long searches. If the program or the machine stops, rerun the same command: it keeps the finished
cells and continues with the others. With --cell-effort and --effort the results are identical.";

/// Find the NIC counts and switches that work, and the cheapest build found
///
/// Each combination of NICs per node and switch width is a cell. The search tries the widest switches first, and for each
/// width the fewest NICs upward, until a wiring covers every requested pair. Then it tries solved cells with fewer switches
/// and cables, mixes switch models, and retries failed cells beside the frontier. A failed attempt is repeated for twice as
/// long. Provably impossible cells are skipped.
///
/// The search ends when nothing can be cheaper, or with its limit. The cheapest build is then called `cheapest found so far`.
/// Without a price for every part, builds are not ranked by cost.
///
/// The spec's switch models are the catalogue, and each `count` is the stock of a model. Without `count`, stock is unlimited. --ports
/// adds other widths with unlimited stock. A switch of such a width costs as much as the spec's narrowest model that is at least as
/// wide.
/// `nics_per_node` is ignored. Node groups with different NIC counts are not accepted.
///
/// With --goal time, the search finds the cheapest network for the spec's job, or for measured traffic. It compares wirings of
/// the market's switches with trees, fat trees, rail-optimised Clos networks, tori and Dragonflies, each with the parameters and
/// the order of nodes that suit the job. The frontier has the networks for which no cheaper one is as fast. The answer is the
/// cheapest network that is at most --within slower than the fastest. A network with a part without a price is not ranked. A wiring
/// is searched for again, each time for twice as long, until nothing better is found.
///
/// Progress goes to standard error, the results to standard output. With -o, the spec and the wiring table of the cheapest
/// build and of each build on the frontier are written to a folder.
///
/// Exit codes: 0 sufficient hardware found, or a network ranked; 1 none; 2 bad input, or a file that cannot be written.
#[derive(Args)]
#[command(after_help = ENDING)]
pub struct Hardware {
    /// Spec file, or - for standard input
    spec: PathBuf,
    /// NICs per node: a range such as 2-8, or one number [default with --goal time: 2 up to the spec's number]
    #[arg(long = "nics", alias = "nis", value_name = "RANGE")]
    nis: Option<String>,
    /// With --goal time: prices, speeds and latencies, as --prices of `crosspoint compare` [default: the spec's own prices or market]
    #[arg(long, value_name = "NAME|FILE")]
    market: Option<String>,
    #[command(flatten)]
    form: Flags<BoardForm>,
    #[command(flatten)]
    place: checkpoint::CheckpointFlags,
    /// Folder for specs and wiring tables, created if missing
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

impl Hardware {
    pub fn run(self) -> Result<Answer> {
        let of_time = self.form.typed.goal == "time";
        if self.nis.is_none() && !of_time {
            bail!("--nics is missing: NICs per node, a range such as 2-8, or one number");
        }
        if !of_time {
            let within = self.form.is_given("within").then_some("--within");
            if let Some(flag) = self.market.as_ref().map(|_| "--market").or(within) {
                bail!("{flag} has no effect without --goal time");
            }
        }
        let text = files::read_spec_text(&self.spec)?;
        let mut watch = Watch::start()?;
        let refused = |faults| anyhow!("{}", named::<BoardForm>(faults));
        let (request, asked) = (files::parse_catalogue(&self.spec, &text), self.asked());
        if let (Err(error), Err(faults)) = (&request, &asked) {
            bail!("{error}\n{faults}");
        }
        let request = request?;
        let asked = asked.and_then(|asked| asked(&request));
        let asked = asked.map_err(|faults| refused(Faults([unsuited(&request.spec), faults.0].concat())))?;
        let randomness = (asked.seed, asked.threads);
        let search: Search = match of_time {
            true => {
                let market = compare::market(&request.spec, self.market.as_deref(), "--market")?;
                let within = self.form.read(|fields| fields.number("within"))?;
                let asked = FrontierRequest::new(asked, market, &self.form.typed.ports, within);
                let asked = asked.map_err(refused)?;
                Box::new(move |saved, watcher, cancel| frontier::run(&asked, saved, None, watcher, cancel))
            }
            false => {
                Box::new(move |saved, watcher, cancel| hardware::resume(&asked, saved, None, watcher, cancel))
            }
        };
        // Fail now rather than after the search.
        self.output.as_deref().map_or(Ok(()), ready)?;
        let others = [("the spec", Some(&*self.spec))];
        let saved = watch.resume(self.place.checkpoints(randomness, CHECKPOINT_EVERY, &others)?)?;
        let cancel = watch.cancel.clone();
        let mut watcher = BoardWatch::new(&mut watch, show);
        let board = search(saved.as_deref(), &mut watcher, &cancel);
        drop(saved);
        let mut builds = watcher.builds;
        builds.retain(|_, (uncovered, ..)| *uncovered == 0);
        let board = board.map_err(|error| match error {
            BoardError::Checkpoint(_) => watch.checkpoints.refused(&files::name(&self.spec), &error),
            BoardError::Faults(faults) => refused(faults),
        })?;
        watch.line.end(&fields(&board));
        match (self.json, &board.networks) {
            (true, _) => output::print_json(&board)?,
            (false, Some(networks)) => output::print(&frontier_text(networks))?,
            (false, None) => output::print(&board_text(&board))?,
        }
        if let Some(folder) = &self.output {
            keep(folder, &board, &builds)?;
        }
        // Checkpoints are not needed when nothing is left to try.
        let cancelled = cancel.load(SeqCst);
        watch.checkpoints.close(!cancelled && board.complete, !cancelled);
        let is_ranked = |networks: &Frontier| networks.chosen.is_some();
        let is_found = board.networks.as_ref().map_or_else(|| board.any_solved(), is_ranked);
        Ok(if is_found { Answer::Yes } else { Answer::No })
    }

    /// Reads the flags. Returns the request of a spec.
    fn asked(&self) -> Result<impl FnOnce(&Request) -> Result<HardwareRequest, Faults>, Faults> {
        let ports = &self.form.typed.ports;
        let nis = self.nis.as_deref().map(nis_range).transpose();
        let nis = nis.map_err(|fault| Fault { path: "--nics".into(), ..fault });
        let widths = BoardForm { ports: ports.clone(), ..BoardForm::default() }.read();
        let (nis, [cell, total], (seed, threads)) = self.form.read(|fields| {
            fields.reader().faults.extend(nis.clone().err());
            fields.reader().faults.extend(widths.err().into_iter().flat_map(|faults| faults.0));
            let limits = ["cell", "total"].map(|key| Budget::read(fields, key));
            let (randomness, within) = (randomness(fields), fields.number("within"));
            Some((nis.ok()?, [limits[0]?, limits[1]?], within.and(randomness)?))
        })?;
        Ok(move |request: &Request| {
            let most = request.spec.mean_nis().max(1);
            let (nis_from, nis_to) = nis.unwrap_or((most.min(2), most));
            let (spec, demand) = (request.spec.clone(), request.demand.clone());
            let catalogue = catalogue(&spec, ports)?;
            Ok(HardwareRequest { spec, demand, nis_from, nis_to, catalogue, cell, total, seed, threads })
        })
    }
}

/// A search from a checkpoint, if there is one.
type Search =
    Box<dyn FnOnce(Option<&[u8]>, &mut dyn BoardObserver, &AtomicBool) -> Result<Board, BoardError>>;

fn ready(folder: &Path) -> Result<()> {
    output::folder(folder)?;
    output::ready(Some(&folder.join("board.txt")), [])
}

/// Writes the builds on the frontier and the best one.
fn keep(folder: &Path, board: &Board, builds: &BTreeMap<usize, (u64, Spec, Design)>) -> Result<()> {
    let best = board.best().map(|(index, _)| index);
    let mut chosen: Vec<usize> = board.frontier.iter().copied().chain(best).collect();
    if let Some(networks) = &board.networks {
        chosen.extend(networks.frontier.iter().copied().chain(networks.chosen));
    }
    chosen.sort_unstable();
    chosen.dedup();
    if !chosen.iter().any(|index| builds.contains_key(index)) {
        to_stderr(&format!("{}: no wiring is on the frontier, so no file is written\n", folder.display()));
    }
    for (index, (_, spec, design)) in chosen.iter().filter_map(|index| builds.get_key_value(index)) {
        let name = file_name(board, *index);
        let text = cell_text(spec);
        output::to(Some(&folder.join(format!("{name}.toml"))), |out| Ok(out.write_all(text.as_bytes())?))?;
        output::to(Some(&folder.join(format!("{name}.txt"))), |out| Ok(artifact::write_table(design, out)?))?;
        to_stderr(&format!("{}: {name}.toml, {name}.txt\n", folder.display()));
    }
    Ok(())
}

/// Shows the progress, and notes the numbers of the next checkpoint.
fn show(watch: &mut Watch, board: &Board) {
    let solved = board.cells.iter().filter(|cell| cell.state.is_solved()).count() as u64;
    let offers = board.networks.iter().flat_map(|networks| &networks.offers);
    let timed = offers.clone().filter(|offer| offer.seconds.is_some()).count() as u64;
    let attempts = board.attempts.len() as u64 + offers.map(|offer| u64::from(offer.attempts)).sum::<u64>();
    watch.show(|| fields(board), board.elapsed, [("attempts", attempts), ("cells solved", solved + timed)]);
}

/// The results: table, legend, frontier and best build.
fn board_text(board: &Board) -> String {
    let mut text = table(board);
    let marks: Vec<String> = LEGEND
        .iter()
        .filter(|(state, ..)| board.cells.iter().any(|cell| cell.state == *state))
        .map(|(_, mark, meaning)| format!("{mark}  {meaning}"))
        .collect();
    let _ = writeln!(text, "\n{}", marks.join("\n"));
    if !board.any_solved() {
        let refuted = |cell: &&Cell| cell.state == CellState::Refuted;
        let _ = match board.cells.first().filter(|_| board.cells.iter().all(|cell| refuted(&cell))) {
            Some(cell) => writeln!(
                text,
                "\nno sufficient hardware found: all of it is provably impossible, such as {}, {}. {}. \
                 Try more NICs with --nics, or wider switches with --ports.",
                count(cell.nis.into(), "NIC"),
                count(cell.ports.into(), "port"),
                cell.note.trim_end_matches('.')
            ),
            None => writeln!(text, "\nno sufficient hardware found"),
        };
        return text;
    }
    text += "\nfrontier (fewer NICs need wider switches, narrower switches more NICs):\n";
    for &index in &board.frontier {
        let _ = writeln!(text, "  {}", build(board, &board.cells[index]));
    }
    if let Some((index, words)) = board.best() {
        let _ = writeln!(text, "{words}:\n  {}", build(board, &board.cells[index]));
    }
    if let Some(least) = board.least_cost.filter(|_| board.cheapest.is_some() && !board.is_proven()) {
        let _ = writeln!(text, "no hardware here costs less than {}", fixed(least, 2));
    }
    if !board.unranked.is_empty() {
        let _ = writeln!(
            text,
            "not ranked by cost, since prices are missing:\n  {}",
            board.unranked.join("\n  ")
        );
    }
    text
}

/// Fields of the progress line, the most important first.
fn fields(board: &Board) -> Vec<String> {
    if let Some(networks) = &board.networks {
        return fields_of_time(board, networks);
    }
    let count =
        |is: fn(CellState) -> bool| grouped(board.cells.iter().filter(|cell| is(cell.state)).count() as u64);
    let mut fields = vec![
        format!("{:>7} s", fixed(board.elapsed, 1)),
        format!("{} of {} cells solved", count(CellState::is_solved), grouped(board.cells.len() as u64)),
        format!("{} failed", count(|state| state == CellState::Failed)),
    ];
    fields.extend(board.best().map(|(index, words)| match board.cells[index].cost {
        Some(cost) => format!("{words} {}", fixed(cost, 2)),
        None => format!("{words} {}", grouped(board.cells[index].switches.into())),
    }));
    fields.push(board.trying.clone());
    fields
}

/// Fields of the progress line with the goal `time`.
fn fields_of_time(board: &Board, networks: &Frontier) -> Vec<String> {
    let timed = networks.offers.iter().filter(|offer| offer.seconds.is_some()).count();
    let mut fields = vec![
        format!("{:>7} s", fixed(board.elapsed, 1)),
        format!("{} networks timed", grouped(timed as u64)),
    ];
    let chosen = networks.chosen.map(|index| &networks.offers[index]);
    if let Some((price, seconds)) = chosen.and_then(Offer::ranked) {
        fields.push(format!("cheapest fast network {} at {}", money(price), duration(seconds)));
    }
    fields.push(board.trying.clone());
    fields
}

/// The results with the goal `time`: the answer, the frontier, and the other networks.
fn frontier_text(networks: &Frontier) -> String {
    let mut text = format!("{}\n", networks.answer);
    if !networks.frontier.is_empty() {
        let _ = writeln!(
            text,
            "\nFrontier: no cheaper network is as fast. * is the answer. Prices: {}",
            networks.market
        );
        text += &output::table(&offer_lines(networks, &networks.frontier));
    }
    let (ranked, others): (Vec<usize>, Vec<usize>) =
        networks.rest().into_iter().partition(|&index| networks.offers[index].unranked().is_none());
    if !ranked.is_empty() {
        let _ = write!(text, "\nOther networks:\n{}", output::table(&offer_lines(networks, &ranked)));
    }
    let reasons = others.into_iter().filter_map(|index| {
        let offer = &networks.offers[index];
        Some(format!("  {}: {}\n", offer.name(), offer.unranked()?))
    });
    let reasons: String = reasons.collect();
    if !reasons.is_empty() {
        let _ = write!(text, "\nNot ranked:\n{reasons}");
    }
    for line in networks.left_out() {
        let _ = write!(text, "\n{line}\n");
    }
    text
}

/// A table of offers, with its head.
fn offer_lines(networks: &Frontier, indices: &[usize]) -> Vec<Vec<String>> {
    let head = std::iter::once("Network")
        .chain(OFFER_COLUMNS.iter().map(|column| column.title))
        .chain(["Order of nodes"]);
    let line = |&index: &usize| {
        let offer = &networks.offers[index];
        let name = if offer.is_design() { "wiring".into() } else { offer.text.clone() };
        let mark = if networks.chosen == Some(index) { " *" } else { "" };
        let cells = OFFER_COLUMNS.iter().map(|column| (column.cell)(offer));
        let order = if offer.order.is_empty() { "as given".into() } else { offer.order.clone() };
        std::iter::once(format!("{name}{mark}")).chain(cells).chain([order]).collect()
    };
    std::iter::once(head.map(Into::into).collect()).chain(indices.iter().map(line)).collect()
}

/// Name of a cell's files, without extension.
fn file_name(board: &Board, index: usize) -> String {
    if let Some(networks) = &board.networks {
        let offer = &networks.offers[index];
        let uplinks = if offer.uplinks > 0 { format!("-{}-uplinks", offer.uplinks) } else { String::new() };
        return format!("{}-nics-{}-switches-{}-ports{uplinks}", offer.nics, offer.switches, offer.ports);
    }
    let cell = &board.cells[index];
    if cell.is_mix() {
        return format!("{}-nics-mixed", cell.nis);
    }
    let alike = board.ports.iter().filter(|&&ports| ports == cell.ports).count();
    let which = if alike > 1 { format!("-model-{}", cell.model + 1) } else { String::new() };
    format!("{}-nics-{}-ports{which}", cell.nis, cell.ports)
}

const LEGEND: [(CellState, char, &str); 6] = [
    (CellState::Solved, '+', "solved, at this price"),
    (CellState::Implied, '=', "solved with the wiring of another cell, at this price"),
    (CellState::Failed, 'x', "failed, with this many uncovered pairs"),
    (CellState::Refuted, '-', "provably impossible"),
    (CellState::Stock, '$', "needs more switches than the stock has"),
    (CellState::Unknown, '?', "not tried"),
];

fn table(board: &Board) -> String {
    let heads = board.ports.iter().map(|&ports| match ports {
        0 => "mixed".into(),
        ports => format!("{ports} ports"),
    });
    let mut rows: Vec<Vec<String>> = vec![std::iter::once(String::new()).chain(heads).collect()];
    for (row, nis) in board.cells.chunks(board.ports.len()).zip(board.nis_from..) {
        let head = format!("{nis} {}", if nis == 1 { "NIC" } else { "NICs" });
        rows.push(std::iter::once(head).chain(row.iter().map(entry)).collect());
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..=board.ports.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let fields: Vec<String> =
            row.iter().zip(&widths).map(|(field, width)| format!("{field:<width$}")).collect();
        fields.join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

fn entry(cell: &Cell) -> String {
    let mark = LEGEND.iter().find(|(state, ..)| *state == cell.state).map_or('?', |(_, mark, _)| *mark);
    let figure = match cell.state {
        CellState::Solved | CellState::Implied => cell.cost.map(|cost| fixed(cost, 2)),
        CellState::Failed => cell.uncovered.map(grouped),
        _ => None,
    };
    figure.map_or_else(|| mark.to_string(), |figure| format!("{mark} {figure}"))
}

fn build(board: &Board, cell: &Cell) -> String {
    let mut text = format!(
        "{} {}, {}: {} {}, {} cables",
        cell.nis,
        if cell.nis == 1 { "NIC" } else { "NICs" },
        cell.widths(&board.ports),
        grouped(cell.switches.into()),
        if cell.switches == 1 { "switch" } else { "switches" },
        grouped(cell.cables),
    );
    match (cell.cost, cell.known_cost) {
        (Some(cost), _) => text += &format!(", {}", fixed(cost, 2)),
        (None, Some(known)) => text += &format!(", at least {}", fixed(known, 2)),
        (None, None) => {}
    }
    text + &format!(" ({})", cell.note)
}
