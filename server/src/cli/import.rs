//! `crosspoint import`: pairs of nodes from measured traffic.

use super::{
    Answer, files,
    flags::{COUNT, parser, whole},
    output,
    output::to_stderr,
    progress::ProgressLine,
};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use shared::{
    demand::{
        matrix,
        trace::{self, Format, KeptPairs, Nodes, Placement, Threshold, TraceFault, Traffic},
    },
    text::{bytes, closest, count, fixed, grouped, listed},
};
use std::{
    fmt::Write as _,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

/// Bytes that are read at a time.
const PIECE: usize = 1 << 20;
/// Lines that are written at a time.
const LINES: usize = 10_000;
/// Max points of the curve.
const POINTS: usize = 1000;
/// Max bytes of a rank file: a line for each rank.
const MAX_RANK_FILE: u64 = 32 << 20;

/// Turn measured traffic into the pairs of a spec
///
/// Reads the files that programs write, in the formats below. Give the files of all ranks to one import. Ranks become nodes, and both
/// directions of a pair are added up. The result is a list `node node weight`, or a spec with it. A summary goes to standard error.
///
/// Files are read as streams: their size is not limited.
#[derive(Args)]
#[command(after_long_help = formats())]
pub struct Import {
    /// Files of one import, or - for standard input; optional with --format list
    #[arg(required_unless_present = "format")]
    files: Vec<PathBuf>,
    /// Format, or `list` [default: detected by the first bytes]
    #[arg(long, value_name = "NAME")]
    format: Option<String>,
    /// Ranks per node, in order [default: by host names if the files have them, else 1]
    #[arg(long, value_name = "N", conflicts_with = "rank_file", value_parser = whole::<u32>(COUNT))]
    ranks_per_node: Option<u32>,
    /// File with a line `rank node` for each rank
    #[arg(long, value_name = "FILE")]
    rank_file: Option<PathBuf>,
    /// Number of nodes that the ranks must fit on
    #[arg(long, value_name = "N", value_parser = whole::<u32>(COUNT))]
    nodes: Option<u32>,
    /// Keep pairs with at least this many bytes (or connections, where a log has no bytes)
    #[arg(long, value_name = "B", conflicts_with = "share", value_parser = threshold(Threshold::amount))]
    bytes: Option<Threshold>,
    /// Keep the fewest pairs that carry this percentage of the traffic between nodes
    #[arg(long, value_name = "PERCENT", value_parser = threshold(Threshold::share))]
    share: Option<Threshold>,
    /// Print a spec with the pairs
    #[arg(long, conflicts_with = "curve")]
    spec: bool,
    /// Print how much the heaviest pairs carry, as CSV
    #[arg(long)]
    curve: bool,
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Import {
    /// Reads the files and prints the pairs.
    pub fn run(self) -> Result<Answer> {
        if self.format.as_deref() == Some("list") {
            output::print(&list())?;
            return Ok(Answer::Yes);
        }
        if self.files.is_empty() {
            bail!("FILE is missing; only --format list works without it");
        }
        let format = self.format.as_deref().map(format_of).transpose()?;
        let threshold = self.bytes.or(self.share).unwrap_or_default();
        let placement = self.placement()?;
        output::ready(self.output.as_deref(), self.files.iter().chain(&self.rank_file))?;
        let (label, traffic) = read(&self.files, format)?;
        files::warn(&traffic.warnings);
        let nodes = traffic.nodes(&placement, self.nodes).map_err(|fault| anyhow!("{fault}"))?;
        if nodes.pairs.is_empty() {
            bail!(
                "all traffic is inside nodes: {} ranks on {}",
                grouped(traffic.ranks.into()),
                count(nodes.nodes as u64, "node")
            );
        }
        let kept = nodes.keep(threshold);
        to_stderr(&summary(label, self.files.len(), &traffic, &nodes, &kept));
        // Millions of pairs are held once.
        drop(traffic);
        let path = self.output.as_deref();
        if self.curve {
            output::to(path, |out| Ok(out.write_all(curve(&nodes).as_bytes())?))?;
        } else if self.spec {
            let text = kept
                .spec(self.nodes.unwrap_or(nodes.nodes))
                .map_err(|fault| anyhow!("{fault}, or write the list to a file and name it in the spec"))?;
            output::to(path, |out| Ok(out.write_all(text.as_bytes())?))?;
        } else {
            drop(nodes);
            output::to(path, |out| {
                kept.pairs
                    .chunks(LINES)
                    .try_for_each(|pairs| Ok(writeln!(out, "{}", matrix::write_list(pairs))?))
            })?;
        }
        Ok(Answer::Yes)
    }

    fn placement(&self) -> Result<Placement> {
        match (&self.rank_file, self.ranks_per_node) {
            (Some(path), _) => {
                let text = files::read_text(path, MAX_RANK_FILE)?;
                Placement::parse(&text, &files::name(path)).map_err(|fault| anyhow!("{fault}"))
            }
            (None, Some(ranks)) => Ok(Placement::PerNode(ranks)),
            (None, None) => Ok(Placement::Hosts),
        }
    }
}

/// Reads the files of one import. Also returns the name of their format.
pub fn read(files: &[PathBuf], format: Option<&'static Format>) -> Result<(&'static str, Traffic)> {
    let mut import = trace::Import::new(format);
    let mut line = ProgressLine::new();
    let mut done = 0;
    let mut piece = vec![0; PIECE];
    let sizes = files.iter().map(|path| std::fs::metadata(path).map_or(0, |found| found.len()));
    let total: u64 = sizes.sum();
    for (index, path) in files.iter().enumerate() {
        let name = files::name(path);
        import.begin(&name);
        let mut source = open(path).with_context(|| format!("{name} cannot be read"))?;
        loop {
            let read = source.read(&mut piece).with_context(|| format!("{name} cannot be read"))?;
            if read == 0 {
                break;
            }
            import.feed(&piece[..read]).map_err(|fault| refused(path, &fault))?;
            done += read as u64;
            if done > 64 * PIECE as u64 {
                line.write(|| progress(done, total, index, files.len()));
            }
        }
        import.end().map_err(|fault| refused(path, &fault))?;
    }
    if done > 64 * PIECE as u64 {
        line.end(&progress(done, total, files.len() - 1, files.len()));
    }
    let label = import.format().map_or("", |format| format.label);
    Ok((label, import.finish().map_err(|fault| anyhow!("{fault}"))?))
}

/// Error of a file. If the file is a spec or a wiring, the error says so.
fn refused(path: &Path, fault: &TraceFault) -> anyhow::Error {
    let text = path.is_file().then(|| files::read_spec_text(path).ok()).flatten();
    match text.and_then(|text| files::kind_of(&text)) {
        Some(kind) => anyhow!("{} is {kind}; it has no traffic", files::name(path)),
        None => anyhow!("{fault}"),
    }
}

fn open(path: &Path) -> Result<Box<dyn Read>> {
    if path == Path::new(output::STANDARD) {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        bail!("it is a folder, not a file");
    }
    Ok(Box::new(file))
}

fn progress(done: u64, total: u64, index: usize, count: usize) -> Vec<String> {
    let size = match total.checked_sub(done) {
        Some(_) => format!("{} of {}", bytes(done as f64), bytes(total as f64)),
        None => bytes(done as f64),
    };
    vec![size, format!("file {} of {}", grouped(index as u64 + 1), grouped(count as u64))]
}

fn format_of(name: &str) -> Result<&'static Format> {
    let names = || trace::LIST.iter().map(|format| format.name);
    trace::format(name).ok_or_else(|| match closest(name, names()) {
        Some(near) => anyhow!("--format: unknown format {name:?}. Did you mean `{near}`?"),
        None => anyhow!("--format: unknown format {name:?}. The formats are {}.", listed(names())),
    })
}

fn list() -> String {
    trace::LIST
        .iter()
        .map(|Format { name, label, about, .. }| format!("{name:<16} {label}: {about}\n"))
        .collect()
}

fn formats() -> String {
    format!(
        "Formats:\n{}",
        trace::LIST
            .iter()
            .map(|format| format!("  {:<16} {}\n", format.name, format.about))
            .collect::<String>()
    )
}

/// Parser of a threshold. A text that is no number is read as one that no threshold accepts.
fn threshold(
    read: fn(f64) -> Result<Threshold, &'static str>,
) -> impl Fn(&str) -> Result<Threshold, String> + Clone {
    parser(move |text| read(text.trim().parse().unwrap_or(f64::NAN)))
}

fn summary(label: &str, files: usize, traffic: &Traffic, nodes: &Nodes, kept: &KeptPairs) -> String {
    let unit = traffic.unit.words();
    let (total, dropped) = (nodes.total(), kept.dropped_amount);
    let mut text = String::new();
    let _ = writeln!(text, "format   {label}, {}", count(files as u32 as u64, "file"));
    let _ =
        writeln!(text, "ranks    {} on {}", grouped(traffic.ranks.into()), count(nodes.nodes as u64, "node"));
    let _ = writeln!(
        text,
        "kept     {} of {} pairs",
        grouped(kept.pairs.len() as u64),
        grouped(nodes.pairs.len() as u64)
    );
    let _ = writeln!(
        text,
        "dropped  {} pairs with {} of {} {unit} ({}%)",
        grouped(kept.dropped as u64),
        fixed(dropped, 0),
        fixed(total, 0),
        fixed(100.0 * dropped / total, 2)
    );
    if nodes.inside > 0.0 {
        let _ = writeln!(text, "inside   {} {unit} between ranks of the same node", fixed(nodes.inside, 0));
    }
    text
}

fn curve(nodes: &Nodes) -> String {
    let line = |(pairs, share): &(usize, f64)| format!("{pairs},{share:.4}\n");
    "pairs,percent\n".to_owned() + &nodes.curve(POINTS).iter().map(line).collect::<String>()
}
