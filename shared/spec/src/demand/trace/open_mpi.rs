//! Open MPI's `pml_monitoring`: one `NAME.RANK.prof` per rank, or several joined by `aggregate_profile`.
//!
//! Lines are `E`, `I`, `S`, `R` or `C`, then rank, peer, bytes and messages (Open MPI, `ompi/mca/common/monitoring`):
//! * `E` and `I` are messages of the program and of the library's own collectives, from the rank to the peer,
//! * `S` and `R` are one-sided transfers to the peer and from it,
//! * `C` is what collectives would send if each were linear. It counts only if no file has an `I`: collectives that bypass
//!   messages have no other record, and all others would count twice.
//!
//! The matrices of `profile2mat` are read as tables: they are symmetric halves, so both directions together are the bytes.

use super::{
    End, Format, LineError, RankFiles, Reader, Sums, Traffic, Unit,
    pieces::{LineReader, Lines, text},
    rank,
};
use std::collections::BTreeSet;

pub(super) const FORMAT: Format = Format {
    name: "open-mpi",
    label: "Open MPI monitoring",
    about: "files of --mca pml_monitoring_enable_output 3, one per rank or joined; bytes",
    empty: super::NO_TRAFFIC,
    detect,
    reader: || Box::<Monitoring>::default(),
};

const LINES: &str = "a line of pml_monitoring, such as `E 0 1 10000 bytes 10 msgs sent`";

fn detect(head: &[u8]) -> bool {
    let first = head.split(|&byte| byte == b'\n').next().unwrap_or(head);
    let Ok(line) = std::str::from_utf8(first) else { return false };
    line.trim_end() == "# POINT TO POINT" || record(line.trim_end()).is_ok_and(|record| record.is_some())
}

#[derive(Default)]
struct Monitoring {
    lines: Lines,
    traffic: Sums,
    /// `C` lines.
    linear: Sums,
    has_internal: bool,
    files: RankFiles,
    file: FileSoFar,
    /// Highest rank seen, and the ranks of MPI_COMM_WORLD where a file lists them.
    last: Option<u32>,
    world: Option<u32>,
}

/// What is known of the file that is being read.
#[derive(Default)]
struct FileSoFar {
    name: String,
    /// Rank in its name, as Open MPI writes it.
    named: Option<u32>,
    ranks: BTreeSet<u32>,
    /// `true` between its first section and its last.
    open: bool,
}

/// A line with bytes: its letter, rank, peer and bytes.
type Record = (u8, u32, u32, f64);

/// `None` for lines that have no bytes for a pair.
fn record(line: &str) -> Result<Option<Record>, LineError> {
    let wrong = || LineError::new(format!("{line:?}"), LINES);
    let mut fields = line.split('\t');
    let kind = match fields.next() {
        Some(kind @ ("E" | "I" | "S" | "R" | "C")) => kind.as_bytes()[0],
        Some("D" | "O2A" | "A2O" | "A2A" | "") => return Ok(None),
        Some(other) if other.starts_with('#') => return Ok(None),
        _ => return Err(wrong()),
    };
    let (Some(from), Some(to), Some(bytes), Some(messages)) =
        (fields.next(), fields.next(), fields.next(), fields.next())
    else {
        return Err(wrong());
    };
    let bytes = bytes.strip_suffix(" bytes").and_then(|bytes| bytes.parse::<u64>().ok()).ok_or_else(wrong)?;
    let is_count = |count: &str| count.parse::<u64>().is_ok();
    if !messages.strip_suffix(" msgs sent").is_some_and(is_count) {
        return Err(wrong());
    }
    // The sizes of messages as a histogram.
    if fields.any(|sizes| !sizes.split(',').all(is_count)) {
        return Err(wrong());
    }
    Ok(Some((kind, rank(from)?, rank(to)?, bytes as f64)))
}

impl LineReader for Monitoring {
    fn lines(&mut self) -> &mut Lines {
        &mut self.lines
    }

    fn line(&mut self, line: &[u8], _number: u64) -> Result<(), LineError> {
        let line = text(line)?.trim_end();
        match line {
            "# POINT TO POINT" => self.file.open = true,
            "# COLLECTIVES" => self.file.open = false,
            _ => {}
        }
        if let Some(procs) = line.strip_prefix("D\tMPI_COMM_WORLD\tprocs: ") {
            return self.world(procs);
        }
        let Some((kind, from, to, bytes)) = record(line)? else { return self.totals(line) };
        self.of_rank(from)?;
        self.last = self.last.max(Some(from.max(to)));
        self.has_internal |= kind == b'I';
        match kind {
            b'C' => self.linear.add(from, to, bytes, End::Sender),
            b'R' => self.traffic.add(to, from, bytes, End::Sender),
            _ => self.traffic.add(from, to, bytes, End::Sender),
        }
    }
}

impl Monitoring {
    /// Notes the rank of a line with totals of collectives: a rank that sent nothing has no other.
    fn totals(&mut self, line: &str) -> Result<(), LineError> {
        let mut fields = line.split('\t');
        match (fields.next(), fields.next()) {
            (Some("O2A" | "A2O" | "A2A"), Some(from)) => self.of_rank(rank(from)?),
            _ => Ok(()),
        }
    }

    fn of_rank(&mut self, from: u32) -> Result<(), LineError> {
        if let Some(named) = self.file.named
            && named != from
        {
            return Err(LineError::says(format!(
                "a line of rank {from}, but the file name says rank {named}"
            )));
        }
        match self.file.ranks.insert(from) {
            true => self.files.add(from, &self.file.name),
            false => Ok(()),
        }
    }

    fn world(&mut self, procs: &str) -> Result<(), LineError> {
        let mut ranks = 0;
        for (expected, word) in procs.split(',').enumerate() {
            if rank(word.trim())? as usize != expected {
                return Err(LineError::says(format!(
                    "MPI_COMM_WORLD must have its ranks in order, as in 0,1,2, not {}",
                    crate::form::shown(procs)
                )));
            }
            ranks += 1;
        }
        match self.world.replace(ranks) {
            Some(other) if other != ranks => Err(LineError::says(format!(
                "MPI_COMM_WORLD has {ranks} ranks here and {other} in other files; give the files of one run"
            ))),
            _ => Ok(()),
        }
    }
}

impl Reader for Monitoring {
    fn begin(&mut self, file: &str) -> Result<(), LineError> {
        let stem = file.strip_suffix(".prof").and_then(|stem| stem.rsplit_once('.'));
        let named = stem.and_then(|(_, number)| number.parse().ok());
        self.file = FileSoFar { name: file.to_owned(), named, ..FileSoFar::default() };
        match named {
            Some(named) => self.files.add(named, file),
            None => Ok(()),
        }
    }

    fn feed(&mut self, bytes: &[u8]) -> Result<(), LineError> {
        self.feed_lines(bytes)
    }

    fn end(&mut self) -> Result<(), LineError> {
        let (next, is_cut) = self.end_lines()?;
        if is_cut {
            return Err(LineError::says("the file is cut off in a line").at(next));
        }
        match self.file.open {
            true => Err(LineError::says("the file is cut off before `# COLLECTIVES`").at(next)),
            false => Ok(()),
        }
    }

    fn finish(self: Box<Self>) -> Result<Traffic, LineError> {
        let seen = self.last.map_or(0, |last| last + 1);
        if let Some(world) = self.world {
            self.files.check(world, &format!("MPI_COMM_WORLD has {world}"))?;
            if seen > world {
                let (rank, last) = (seen - 1, world - 1);
                return Err(LineError::says(format!(
                    "rank {rank}, but MPI_COMM_WORLD has ranks 0 to {last}"
                )));
            }
        }
        let mut traffic = self.traffic;
        if !self.has_internal {
            for ((from, to), [bytes, _]) in self.linear.pairs {
                traffic.add(from, to, bytes, End::Sender)?;
            }
        }
        let ranks = self.world.unwrap_or(seen);
        Ok(Traffic { unit: Unit::Bytes, ranks, flows: traffic.into_flows(), ..Traffic::default() })
    }
}
