//! IPM's profiles (Fürlinger, Wright and Skinner, IPDPS 2010): the XML log of a run, and the table `map_data.txt` that
//! `ipm_parse -html` makes of it.
//!
//! A log has an element `hent` for each call, buffer size and peer, with the number of calls. Only sends count: IPM writes rank 0
//! for a receive from any rank. Collectives have no list of members, so they are left out, with a warning. In the table, each line
//! has a pair with the bytes that the first rank sent and received.

use super::{
    End, FaultPlace, Format, LineError, MAX_RANKS, RankFiles, Reader, Sums, Traffic, Unit, Warnings,
    pieces::{LineReader, Lines, latin},
    rank,
};
use crate::text::{count, listed, ranges};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const FORMAT: Format = Format {
    name: "ipm",
    label: "IPM profile",
    about: "XML logs of IPM (IPM_LOG=full), or map_data.txt of ipm_parse; bytes",
    empty: "there is no message between two ranks; IPM needs IPM_LOG=full for its table of calls",
    detect: |head| {
        let has = |mark: &str| memchr::memmem::find(head, mark.as_bytes()).is_some();
        head.starts_with(TABLE.as_bytes()) || has("<task ipm_version=") || has("<ipm_job_profile")
    },
    reader: || Box::<Profile>::default(),
};

/// Beginning of a table.
const TABLE: &str = "# region irank jrank data_tot data_tx data_rx";
const ROW: &str = "a line with region, two ranks and the bytes in all, sent and received";
/// Calls that send to one rank.
const SENDS: &[&str] = &["send", "ssend", "rsend", "bsend", "isend", "issend", "irsend", "ibsend"];
/// Calls that send to one rank and receive from another.
const EXCHANGES: &[&str] = &["sendrecv", "sendrecv_replace"];
/// Calls of collectives start so, also with an `I` in front.
const COLLECTIVES: &[&str] = &[
    "allgather",
    "allreduce",
    "alltoall",
    "bcast",
    "exscan",
    "gather",
    "reduce",
    "scan",
    "scatter",
    "neighbor_",
];

#[derive(Default)]
struct Profile {
    lines: Lines,
    sums: Sums,
    is_table: bool,
    /// Ranks of the run, as the log says; of a table the highest rank plus one.
    ranks: u32,
    /// The rank of the open task.
    task: Option<u32>,
    tasks: RankFiles,
    hosts: BTreeMap<u32, String>,
    collectives: BTreeSet<String>,
    file: String,
    warnings: Warnings,
}

/// The value of an attribute.
fn attribute<'a>(element: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = element;
    loop {
        let at = rest.find(name)?;
        let (before, after) = (&rest[..at], &rest[at + name.len()..]);
        if let Some(value) = after.strip_prefix("=\"").filter(|_| before.ends_with(' ')) {
            return value.split('"').next();
        }
        rest = after;
    }
}

impl LineReader for Profile {
    fn lines(&mut self) -> &mut Lines {
        &mut self.lines
    }

    fn line(&mut self, line: &[u8], number: u64) -> Result<(), LineError> {
        // IPM declares Latin-1, whatever the environment has.
        let line = latin(line);
        let line = line.trim();
        if line.starts_with(TABLE) {
            self.is_table = true;
            return Ok(());
        }
        if self.is_table {
            return self.row(line);
        }
        // Elements may share a line.
        for element in line.split('<') {
            self.element(element, number)?;
        }
        Ok(())
    }
}

impl Profile {
    fn row(&mut self, line: &str) -> Result<(), LineError> {
        if line.is_empty() || line.starts_with('#') {
            return Ok(());
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        // The name of a region may have blanks.
        let Some([.., from, to, _, sent, received, _, _]) = words.len().ge(&7).then_some(&words[..]) else {
            return Err(LineError::new(format!("{line:?}"), ROW));
        };
        let amount = |word: &str| {
            let bytes = word.parse().ok().filter(|bytes: &f64| (0.0..=1e18).contains(bytes));
            bytes.ok_or_else(|| LineError::new(format!("{word:?}"), "a number of bytes"))
        };
        let (from, to) = (rank(from)?, rank(to)?);
        self.ranks = self.ranks.max(from.max(to) + 1);
        self.sums.add(from, to, amount(sent)?, End::Sender)?;
        self.sums.add(to, from, amount(received)?, End::Sender)
    }

    /// Takes an element and the text after it, without its `<`.
    fn element(&mut self, element: &str, number: u64) -> Result<(), LineError> {
        let name = element.split([' ', '>']).next().unwrap_or_default();
        let Some(task) = self.task.filter(|_| name != "task") else {
            return match name {
                "task" => self.begin_task(element),
                _ => Ok(()),
            };
        };
        match name {
            "/task" => self.task = None,
            "host" => {
                if let Some((_, host)) = element.split_once('>').filter(|(_, host)| !host.is_empty()) {
                    self.hosts.insert(task, host.to_owned());
                }
            }
            "hent" => return self.call(task, element, number),
            _ => {}
        }
        Ok(())
    }

    fn begin_task(&mut self, element: &str) -> Result<(), LineError> {
        let number = |name| {
            let word = attribute(element, name).unwrap_or_default();
            crate::form::plain_digits(word).filter(|&number| number <= MAX_RANKS)
        };
        let (Some(rank), Some(ranks)) = (number("mpi_rank"), number("mpi_size")) else {
            return Err(LineError::says("a task without its rank and the number of ranks"));
        };
        if rank >= ranks {
            return Err(LineError::says(format!("rank {rank} of {ranks}; ranks count from 0")));
        }
        if self.ranks > 0 && self.ranks != ranks {
            let before = self.ranks;
            return Err(LineError::says(format!(
                "a run of {ranks} ranks, and of {before} before; give the files of one run"
            )));
        }
        self.ranks = ranks;
        self.task = Some(rank);
        self.tasks.add(rank, &self.file)
    }

    fn call(&mut self, task: u32, element: &str, number: u64) -> Result<(), LineError> {
        let attributes = ["call", "bytes", "orank", "count"].map(|name| attribute(element, name));
        let [Some(call), Some(bytes), Some(peer), Some(calls)] = attributes else {
            let sentence = "The element hent lacks its call, bytes, peer or count, and is left out.";
            self.warnings.add(FaultPlace::Line(number), sentence.into());
            return Ok(());
        };
        let call = call.strip_prefix("MPI_").unwrap_or(call).to_ascii_lowercase();
        if !SENDS.contains(&&*call) && !EXCHANGES.contains(&&*call) {
            let blocking = call.strip_prefix('i').unwrap_or(&call);
            let is_one = |name: &&&str| call.starts_with(**name) || blocking.starts_with(**name);
            if let Some(name) = COLLECTIVES.iter().find(is_one).filter(|_| bytes != "0") {
                self.collectives.insert((*name).trim_end_matches('_').to_owned());
            }
            return Ok(());
        }
        let (bytes, calls) = (bytes.parse::<u64>(), calls.parse::<u64>());
        let (Ok(bytes), Ok(calls), Some(peer)) =
            (bytes, calls, crate::form::plain_digits(peer).filter(|&peer: &u32| peer < self.ranks))
        else {
            let sentence =
                "The element hent has a peer outside the run or no whole numbers, and is left out.";
            self.warnings.add(FaultPlace::Line(number), sentence.into());
            return Ok(());
        };
        self.sums.add(task, peer, bytes as f64 * calls as f64, End::Sender)
    }
}

impl Reader for Profile {
    fn begin(&mut self, file: &str) -> Result<(), LineError> {
        file.clone_into(&mut self.file);
        file.clone_into(&mut self.warnings.file);
        (self.task, self.is_table) = (None, false);
        Ok(())
    }

    fn feed(&mut self, bytes: &[u8]) -> Result<(), LineError> {
        self.feed_lines(bytes)
    }

    fn end(&mut self) -> Result<(), LineError> {
        self.end_lines()?;
        if let Some(task) = self.task {
            let sentence = format!("The file ends inside the task of rank {task}. What is there is read.");
            self.warnings.add(FaultPlace::File, sentence);
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Traffic, LineError> {
        self.warnings.file.clear();
        let missing = self.tasks.missing(self.ranks);
        if !self.is_table && !missing.is_empty() {
            let ranks = count(missing.len() as u64, "rank");
            let sentence = format!("{ranks} without a task: {}", ranges(&missing));
            self.warnings.once(&sentence);
        }
        if !self.collectives.is_empty() {
            let names = listed(self.collectives.iter().map(String::as_str));
            self.warnings.once(&format!(
                "Collectives ({names}) have no list of members in a profile, and are left out"
            ));
        }
        let mut hosts = Vec::new();
        if self.hosts.len() == self.ranks as usize {
            hosts.extend(self.hosts.into_values());
        }
        Ok(Traffic {
            unit: Unit::Bytes,
            ranks: self.ranks,
            flows: self.sums.into_flows(),
            hosts,
            warnings: self.warnings.finish(),
            ..Traffic::default()
        })
    }
}
