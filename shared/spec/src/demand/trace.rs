//! Demand from measurements, as programs write them: one format per file in `trace/`, and a line in [`LIST`].
//!
//! A reader is fed the bytes of its files in pieces of any size and keeps only sums per ordered pair of ranks, so a log of
//! gigabytes needs no more memory than its pairs. [`Import`] detects the format by the first bytes of a file. The sums become
//! [`Traffic`] between ranks, [`traffic::Nodes`] between nodes, and a list of pairs for a pattern `matrix`.

mod chakra;
mod flight_recorder;
mod groups;
mod gzip;
mod ipm;
mod matrix_market;
mod nccl;
mod open_mpi;
mod pickle;
mod pieces;
mod pytorch;
mod schedules;
mod settings;
mod table;
pub mod traffic;

pub use settings::{Settings, TrafficForm};
pub use traffic::{Hop, Hops, KeptPairs, NicEnd, Nodes, Placement, Threshold, Traffic, Unit};

use self::gzip::Gzip;
use crate::{
    form::{Advice, printable, shown},
    text::{count as count_of, grouped, listed, other_kind, shorten},
};
use std::{
    collections::HashMap,
    fmt,
    hash::{DefaultHasher, Hasher},
};

/// All formats, in the order to detect them: the most particular first.
pub const LIST: &[Format] = &[
    nccl::FORMAT,
    open_mpi::FORMAT,
    matrix_market::FORMAT,
    schedules::GOAL,
    schedules::HTSIM,
    ipm::FORMAT,
    pytorch::FORMAT,
    flight_recorder::FORMAT,
    chakra::FORMAT,
    table::FORMAT,
];

/// Bytes of a file that its format is detected by. If they have none, twice as many are tried, and so on up to [`MAX_HEAD`]: a
/// program may write megabytes before the first line of NCCL.
const HEAD: usize = 256 << 10;
const MAX_HEAD: usize = 16 << 20;
/// Max ordered pairs of ranks in one import, to limit memory to about 150 MB: one table of 2^22 places, 7/8 full.
pub const MAX_RANK_PAIRS: usize = (1 << 22) / 8 * 7;
/// Max ranks of one import.
pub const MAX_RANKS: u32 = crate::spec::MAX_PES;

/// A format of the list.
#[derive(Debug)]
pub struct Format {
    /// Name on the command line.
    pub name: &'static str,
    /// Name for people.
    pub label: &'static str,
    /// Files that it reads and what it counts, in a few words.
    pub about: &'static str,
    /// Fault of files without traffic, a sentence without its full stop.
    empty: &'static str,
    /// `true` if the first bytes of a file look like this format.
    detect: fn(head: &[u8]) -> bool,
    reader: fn() -> Box<dyn Reader>,
}

/// Fault of files without traffic in most formats.
const NO_TRAFFIC: &str = "there is no traffic between two ranks";

/// The format of that name.
pub fn format(name: &str) -> Option<&'static Format> {
    LIST.iter().find(|format| format.name == name)
}

/// Place of a fault in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultPlace {
    /// The file as a whole.
    File,
    /// A line, from 1.
    Line(u64),
    /// A byte, from 0.
    Byte(u64),
}

/// Fault of an import: where, what is wrong, what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct TraceFault {
    /// Name of the file; empty if the fault concerns all files.
    pub file: String,
    /// Place in the file.
    pub place: FaultPlace,
    /// What is wrong and what to do, in sentences.
    pub message: String,
}

impl fmt::Display for TraceFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file.is_empty() {
            write!(f, "{}: ", self.file)?;
        }
        match self.place {
            FaultPlace::File => {}
            FaultPlace::Line(line) => write!(f, "line {line}: ")?,
            FaultPlace::Byte(byte) => write!(f, "byte {byte}: ")?,
        }
        f.write_str(&self.message)
    }
}

/// A fault before its file is known.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LineError {
    place: FaultPlace,
    message: String,
}

impl LineError {
    /// A fault of the whole file: something found, and what it must be.
    fn new(found: impl ToString, advice: impl Into<Advice>) -> LineError {
        LineError { place: FaultPlace::File, message: advice.into().about(&shown(found)) }
    }

    /// A fault of the whole file, in a sentence without its full stop.
    fn says(sentence: impl ToString) -> LineError {
        LineError {
            place: FaultPlace::File,
            message: shorten(&printable(sentence.to_string()), 300, 297) + ".",
        }
    }

    /// More than a limit.
    fn too_many(limit: usize, what: &str) -> LineError {
        LineError::says(format!("more than {} {what}, which is the limit", grouped(limit as u64)))
    }

    fn at(self, place: FaultPlace) -> LineError {
        LineError { place: if self.place == FaultPlace::File { place } else { self.place }, ..self }
    }

    fn in_file(self, file: &str) -> TraceFault {
        TraceFault { file: file.to_owned(), place: self.place, message: self.message }
    }
}

/// Reads the files of one import, one after the other.
trait Reader: Send {
    /// Begins a file.
    fn begin(&mut self, _file: &str) -> Result<(), LineError> {
        Ok(())
    }

    /// Takes the next bytes of the file.
    fn feed(&mut self, bytes: &[u8]) -> Result<(), LineError>;

    /// Ends the file.
    fn end(&mut self) -> Result<(), LineError>;

    /// The sums of all files.
    fn finish(self: Box<Self>) -> Result<Traffic, LineError>;
}

/// One import of one or more files.
pub struct Import {
    format: Option<&'static Format>,
    reader: Option<Box<dyn Reader>>,
    file: String,
    /// Files so far: name as given, name in messages, and a hash of the first bytes.
    files: Vec<(String, String, u64)>,
    /// The first bytes of a file, until they suffice to detect its format.
    head: Option<Vec<u8>>,
    /// Unpacks the file; `None` before its first bytes.
    gzip: Option<Gzip>,
    warnings: Warnings,
}

impl Import {
    /// Starts an import of files in that format, or in one to detect.
    pub fn new(format: Option<&'static Format>) -> Import {
        Import {
            format,
            reader: None,
            file: String::new(),
            files: Vec::new(),
            head: None,
            gzip: None,
            warnings: Warnings::default(),
        }
    }

    /// The format, once it is known.
    pub fn format(&self) -> Option<&'static Format> {
        self.format
    }

    /// Begins a file. Its name gives the rank where the content does not.
    pub fn begin(&mut self, file: &str) {
        // Files of several folders may have the same name.
        let number = 1 + self.files.iter().filter(|(name, ..)| name == file).count();
        self.file = if number == 1 { file.to_owned() } else { format!("#{number}/{file}") };
        self.files.push((file.to_owned(), self.file.clone(), 0));
        self.head = Some(Vec::new());
        self.gzip = Some(Gzip::default());
        self.warnings.file.clone_from(&self.file);
    }

    /// Takes the next bytes of the file, in pieces of any size.
    ///
    /// # Errors
    /// The first fault in them.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), TraceFault> {
        let Some(mut gzip) = self.gzip.take() else { return Ok(()) };
        let fed = gzip.feed(bytes, |bytes| self.take(bytes));
        self.gzip = Some(gzip);
        fed?.map_err(|wrong| self.fault(wrong))
    }

    fn take(&mut self, mut bytes: &[u8]) -> Result<(), TraceFault> {
        while let Some(mut head) = self.head.take() {
            let next = HEAD.max((head.len() + 1).next_power_of_two());
            let (first, rest) = bytes.split_at(bytes.len().min(next - head.len()));
            head.extend_from_slice(first);
            bytes = rest;
            if head.len() < next {
                self.head = Some(head);
                return Ok(());
            }
            match self.format.is_some() || detect(&head).is_some() || head.len() >= MAX_HEAD {
                true => self.open(&head)?,
                false => self.head = Some(head),
            }
        }
        self.pass(bytes)
    }

    /// Ends the file.
    ///
    /// # Errors
    /// The file is of no known format, or is truncated.
    pub fn end(&mut self) -> Result<(), TraceFault> {
        if let Some(mut gzip) = self.gzip.take() {
            let is_cut = gzip.end(|bytes| self.take(bytes))?;
            if is_cut {
                self.warnings
                    .add(FaultPlace::File, "The gzip file is cut off. Its beginning is read.".into());
            }
        }
        if let Some(head) = self.head.take() {
            if head.trim_ascii().is_empty() {
                self.warnings.add(FaultPlace::File, "The file is empty.".into());
                return Ok(());
            }
            self.open(&head)?;
        }
        let ended = self.reader.as_mut().map_or(Ok(()), |reader| reader.end());
        ended.map_err(|wrong| self.fault(wrong))
    }

    /// The traffic of all files.
    ///
    /// # Errors
    /// The files do not fit together, or hold no traffic.
    pub fn finish(self) -> Result<Traffic, TraceFault> {
        let of_all = |wrong: LineError| match self.files.as_slice() {
            [(_, only, _)] => wrong.in_file(only),
            _ => wrong.in_file(""),
        };
        let Some(reader) = self.reader else {
            return Err(of_all(LineError::says(match self.files.len() {
                0 => "no file is given; choose at least one",
                1 => "is empty",
                _ => "all files are empty",
            })));
        };
        let mut traffic = reader.finish().map_err(&of_all)?;
        traffic.warnings.splice(0..0, self.warnings.finish());
        match traffic.flows.is_empty() && traffic.collectives.is_empty() {
            true => {
                let mut wrong = LineError::says(self.format.map_or(NO_TRAFFIC, |format| format.empty));
                if let Some(warning) = traffic.warnings.first() {
                    wrong.message = format!("{} {warning}", wrong.message);
                }
                Err(of_all(wrong))
            }
            false => Ok(traffic),
        }
    }

    /// Settles the format and starts to read.
    fn open(&mut self, head: &[u8]) -> Result<(), TraceFault> {
        let head = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(head);
        let mut hasher = DefaultHasher::new();
        hasher.write(head);
        if let Some(((name, _, hash), before)) = self.files.split_last_mut() {
            *hash = hasher.finish();
            if before.iter().any(|(other, _, known)| other == name && known == hash) {
                return Err(LineError::says("the same file twice; give each file once").in_file(name));
            }
        }
        let detected = detect(head);
        match (self.format, detected) {
            // A file of the same import may say less about itself.
            (Some(format), Some(other)) if self.files.len() > 1 && !same(format, other) => {
                let (other, format) = (other.label, format.label);
                let sentence = format!(
                    "has the format {other}, but the files before have {format}; import one format at a time"
                );
                return Err(self.fault(LineError::says(sentence)));
            }
            (None, None) => {
                return Err(self.fault(unknown(head)));
            }
            (None, detected) => self.format = detected,
            (Some(_), _) => {}
        }
        let Some(format) = self.format else { return Ok(()) };
        let file = self.file.clone();
        let reader = self.reader.get_or_insert_with(format.reader);
        let begun = reader.begin(&file).and_then(|()| reader.feed(head));
        begun.map_err(|wrong| self.fault(wrong))
    }

    fn pass(&mut self, bytes: &[u8]) -> Result<(), TraceFault> {
        let fed = match &mut self.reader {
            Some(reader) if !bytes.is_empty() => reader.feed(bytes),
            _ => Ok(()),
        };
        fed.map_err(|wrong| self.fault(wrong))
    }

    fn fault(&self, wrong: LineError) -> TraceFault {
        wrong.in_file(&self.file)
    }
}

/// The format of a file that begins so.
fn detect(head: &[u8]) -> Option<&'static Format> {
    LIST.iter().find(|format| (format.detect)(head))
}

/// Why the beginning of a file is of no format.
fn unknown(head: &[u8]) -> LineError {
    let names = listed(LIST.iter().map(|format| format.name));
    match head {
        [b'P', b'K', 3, 4, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..] => {
            LineError::says("is compressed; unpack it first")
        }
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => LineError::says("is text in UTF-16; save it as UTF-8"),
        _ => match other_kind(head).or_else(|| traffic_free(head)) {
            Some(kind) => LineError::says(format!("is {kind}; it has no traffic")),
            None => LineError::says(format!("unknown format; if it is one of these, choose it: {names}")),
        },
    }
}

/// Kind of a text file that has no traffic.
fn traffic_free(head: &[u8]) -> Option<&'static str> {
    const KINDS: [(&str, &str); 13] = [
        ("@ mpiP", "an mpiP report, which sums messages by size and not by pair"),
        ("<graphs", "an NCCL graph file"),
        ("<system", "an NCCL topology file"),
        ("Switchguids", "output of ibnetdiscover"),
        ("switchguid=", "output of ibnetdiscover"),
        ("NCCL version ", "a log without `NCCL INFO` lines (set NCCL_DEBUG=INFO)"),
        ("NCCL WARN ", "a log without `NCCL INFO` lines (set NCCL_DEBUG=INFO)"),
        ("out-of-place", "output of nccl-tests without `NCCL INFO` lines (set NCCL_DEBUG=INFO)"),
        ("\"nodes\": [", "JSON without traffic"),
        ("<?xml", "an XML file"),
        ("<html", "a web page"),
        ("<!DOCTYPE html", "a web page"),
        ("GPU0\t", "output of nvidia-smi topo"),
    ];
    let kind = |(mark, _): &&(&str, &str)| memchr::memmem::find(head, mark.as_bytes()).is_some();
    KINDS.iter().find(kind).map(|(_, kind)| *kind)
}

fn same(a: &Format, b: &Format) -> bool {
    a.name == b.name
}

/// Reads files that are in memory, as one import.
///
/// # Errors
/// The first fault.
pub fn read(files: &[(&str, &[u8])], format: Option<&'static Format>) -> Result<Traffic, TraceFault> {
    let mut import = Import::new(format);
    for (name, bytes) in files {
        import.begin(name);
        import.feed(bytes)?;
        import.end()?;
    }
    import.finish()
}

/// Max warnings of an import that are listed.
const MAX_WARNINGS: usize = 20;

/// Warnings: places where something was left out or concluded, and why.
#[derive(Default)]
struct Warnings {
    /// The file that is being read; empty for all files.
    file: String,
    list: Vec<TraceFault>,
    more: u64,
}

impl Warnings {
    /// Adds a warning, in sentences.
    fn add(&mut self, place: FaultPlace, message: String) {
        match self.list.len() < MAX_WARNINGS {
            true => {
                let message = printable(message);
                self.list.push(TraceFault { file: self.file.clone(), place, message });
            }
            false => self.more += 1,
        }
    }

    /// Adds a warning about all files, a sentence without its full stop, unless it is there.
    fn once(&mut self, sentence: &str) {
        let message = format!("{sentence}.");
        if !self.list.iter().any(|known| known.message == message) {
            self.list.push(TraceFault { file: String::new(), place: FaultPlace::File, message });
        }
    }

    fn finish(mut self) -> Vec<TraceFault> {
        if self.more > 0 {
            let message = format!("{} like these.", count_of(self.more, "more warning"));
            self.list.push(TraceFault { file: String::new(), place: FaultPlace::File, message });
        }
        self.list
    }
}

/// Sums per ordered pair of ranks. Where both ends report the same transfer, the larger of the two sums counts.
#[derive(Default)]
struct Sums {
    /// What the sender reports, and what the receiver reports.
    pairs: HashMap<(u32, u32), [f64; 2]>,
}

/// The end that reports a transfer.
#[derive(Clone, Copy)]
enum End {
    Sender = 0,
    Receiver = 1,
}

impl Sums {
    fn add(&mut self, from: u32, to: u32, amount: f64, end: End) -> Result<(), LineError> {
        if from == to || amount <= 0.0 {
            return Ok(());
        }
        if self.pairs.len() >= MAX_RANK_PAIRS && !self.pairs.contains_key(&(from, to)) {
            return Err(LineError::too_many(MAX_RANK_PAIRS, "pairs of ranks"));
        }
        self.pairs.entry((from, to)).or_default()[end as usize] += amount;
        Ok(())
    }

    /// The sums, ascending.
    fn into_flows(self) -> Vec<(u32, u32, f64)> {
        let larger = |((from, to), [sent, received]): ((u32, u32), [f64; 2])| (from, to, sent.max(received));
        let mut flows: Vec<_> = self.pairs.into_iter().map(larger).collect();
        flows.sort_unstable_by_key(|&(from, to, _)| (from, to));
        flows
    }
}

/// The last number in the name of a file, without its folder and its endings: the rank in `chakra.12.et`.
fn rank_in_name(file: &str) -> Option<u32> {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    // `1.0.2` is a version.
    let mut runs = name.split(|c: char| !c.is_ascii_digit() && c != '.').map(|run| run.trim_matches('.'));
    let run = runs.rfind(|run| !run.is_empty() && run.split('.').count() < 3)?;
    run.rsplit('.').next()?.parse().ok().filter(|&rank| rank < MAX_RANKS)
}

/// Accepts a rank up to [`MAX_RANKS`].
fn rank(word: &str) -> Result<u32, LineError> {
    let number = crate::form::plain_digits(word).filter(|&rank| rank < MAX_RANKS);
    number.ok_or_else(|| LineError::new(format!("{word:?}"), format!("a rank, 0 to {}", MAX_RANKS - 1)))
}

/// Counts the files of a format of which an import has one.
fn only(files: &mut u32, what: &str) -> Result<(), LineError> {
    *files += 1;
    match *files {
        1 => Ok(()),
        _ => Err(LineError::says(format!("is a second {what}; import one at a time"))),
    }
}

/// Files of one import by the rank that each belongs to.
#[derive(Default)]
struct RankFiles(std::collections::BTreeMap<u32, String>);

impl RankFiles {
    /// Adds the file of a rank; a rank has one.
    fn add(&mut self, rank: u32, file: &str) -> Result<(), LineError> {
        match self.0.insert(rank, file.to_owned()) {
            Some(other) if other != file => {
                Err(LineError::says(format!("is of rank {rank}, and so is {other}; give one file per rank")))
            }
            _ => Ok(()),
        }
    }

    /// The highest rank with a file.
    fn last(&self) -> u32 {
        self.0.keys().last().copied().unwrap_or(0)
    }

    /// Ranks without a file.
    fn missing(&self, ranks: u32) -> Vec<u32> {
        (0..ranks).filter(|rank| !self.0.contains_key(rank)).collect()
    }

    /// Checks that each of so many ranks has its file, and no other.
    fn check(&self, ranks: u32, why: &str) -> Result<(), LineError> {
        if let Some((rank, file)) = self.0.range(ranks..).next() {
            let last = ranks.saturating_sub(1);
            return Err(LineError::says(format!("{file} is of rank {rank}, but {why}: ranks 0 to {last}")));
        }
        match (0..ranks).find(|rank| !self.0.contains_key(rank)) {
            Some(missing) => {
                let files = count_of(self.0.len() as u64, "file");
                Err(LineError::says(format!(
                    "no file of rank {missing} among {files}, but {why}; give the files of all {ranks} ranks"
                )))
            }
            None => Ok(()),
        }
    }
}
