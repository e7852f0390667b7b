//! Inputs of simulators that list messages: schedules in GOAL (Hoefler, Siebert and Lumsdaine, "Group Operation Assembly Language",
//! ICPP 2009; LogGOPSim and ATLAHS) and connection matrices of htsim.
//!
//! A schedule has `send 8b to 1` and `recv 8b from 0` in the block of each rank, so both ends of a message are reported. Times,
//! tags and dependencies do not count.

use super::{
    End, FaultPlace, Format, LineError, MAX_RANKS, Reader, Sums, Traffic, Unit, Warnings, only,
    pieces::{LineReader, Lines, text},
    rank,
};
use crate::text::grouped;

pub(super) const GOAL: Format = Format {
    name: "goal",
    label: "GOAL schedule",
    about: "text schedules of LogGOPSim, Schedgen and ATLAHS; bytes",
    empty: super::NO_TRAFFIC,
    detect: |head| first_word(head) == "num_ranks",
    reader: || Box::<Goal>::default(),
};

pub(super) const HTSIM: Format = Format {
    name: "htsim",
    label: "htsim connection matrix",
    about: ".cm files with lines such as `0->1 id 1 start 0 size 2000000`; bytes",
    empty: super::NO_TRAFFIC,
    detect: |head| first_word(head) == "Nodes" && memchr::memmem::find(head, b"Connections").is_some(),
    reader: || Box::<Matrix>::default(),
};

/// The first word that is in no comment.
fn first_word(head: &[u8]) -> String {
    let head = String::from_utf8_lossy(head);
    let mut open = false;
    let mut lines = head.lines().map(|line| without_comments(line, &mut open));
    let line = lines.find(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    line.unwrap_or_default().split_whitespace().next().unwrap_or_default().to_owned()
}

/// A line without `//` and `/* */`; `open` is `true` inside a comment of several lines.
fn without_comments(line: &str, open: &mut bool) -> String {
    let (mut rest, mut out) = (line, String::new());
    loop {
        if *open {
            let Some((_, after)) = rest.split_once("*/") else { return out };
            (rest, *open) = (after, false);
        }
        let before = rest.split("//").next().unwrap_or_default();
        match before.split_once("/*") {
            Some((content, _)) => {
                out += content;
                out.push(' ');
                (rest, *open) = (&rest[content.len() + 2..], true);
            }
            None => return out + before,
        }
    }
}

/// A number of ranks or nodes.
fn size(word: Option<&str>) -> Result<u32, LineError> {
    let word = word.unwrap_or_default();
    let number = crate::form::plain_digits(word).filter(|number| (1..=MAX_RANKS).contains(number));
    number.ok_or_else(|| {
        LineError::new(format!("{word:?}"), format!("a number, 1 to {}", grouped(MAX_RANKS.into())))
    })
}

/// A rank below the number of ranks.
fn rank_of(word: Option<&str>, ranks: u32) -> Result<u32, LineError> {
    let number = rank(word.unwrap_or_default())?;
    match number < ranks {
        true => Ok(number),
        false if ranks == 0 => Err(LineError::says(
            "a rank before their number; the file starts with `num_ranks N` or `Nodes N`",
        )),
        false => Err(LineError::new(number, format!("a rank, 0 to {}", ranks - 1))),
    }
}

/// Messages so far, of one file.
#[derive(Default)]
struct Messages {
    lines: Lines,
    sums: Sums,
    ranks: u32,
    files: u32,
    warnings: Warnings,
}

impl Messages {
    fn begin(&mut self, file: &str) -> Result<(), LineError> {
        self.warnings.file = file.to_owned();
        only(&mut self.files, "file of this format")
    }

    /// Adds a warning about the whole file, in sentences.
    fn warn(&mut self, sentence: String) {
        self.warnings.add(FaultPlace::File, sentence);
    }

    fn finish(self) -> Traffic {
        let (ranks, flows) = (self.ranks, self.sums.into_flows());
        Traffic { unit: Unit::Bytes, ranks, flows, warnings: self.warnings.finish(), ..Traffic::default() }
    }
}

const OPERATIONS: &str = "`send 8b to 1`, `recv 8b from 1`, `calc 100`, `a requires b`, `rank 0 {` or `}`";

#[derive(Default)]
struct Goal {
    all: Messages,
    /// The rank of the open block.
    rank: Option<u32>,
    is_comment: bool,
}

impl LineReader for Goal {
    fn lines(&mut self) -> &mut Lines {
        &mut self.all.lines
    }

    fn line(&mut self, line: &[u8], _number: u64) -> Result<(), LineError> {
        let line = without_comments(text(line)?, &mut self.is_comment);
        // A label comes before its operation.
        let content = line.split_once(':').map_or(&*line, |(_, operation)| operation);
        let content = content.replace('{', " { ").replace('}', " } ");
        let words: Vec<&str> = content.split_whitespace().collect();
        self.take(&words)
    }
}

impl Goal {
    /// Takes the words of a line.
    fn take(&mut self, words: &[&str]) -> Result<(), LineError> {
        let wrong = || LineError::new(format!("{:?}", words.join(" ")), OPERATIONS);
        match *words {
            [] => Ok(()),
            ["num_ranks", number, ref rest @ ..] => {
                self.all.ranks = size(Some(number))?;
                self.take(rest)
            }
            ["rank", number, "{", ref rest @ ..] => {
                self.rank = Some(rank_of(Some(number), self.all.ranks)?);
                self.take(rest)
            }
            ["rank", number] => {
                self.rank = Some(rank_of(Some(number), self.all.ranks)?);
                Ok(())
            }
            ["{", ref rest @ ..] if self.rank.is_some() => self.take(rest),
            ["}", ref rest @ ..] => {
                self.rank = None;
                self.take(rest)
            }
            [kind @ ("send" | "recv"), amount, toward @ ("to" | "from"), peer, ..] => {
                let Some(own) = self.rank else { return Err(wrong()) };
                let bytes = amount.strip_suffix('b').unwrap_or(amount);
                let bytes: u64 = bytes.parse().map_err(|_| wrong())?;
                let is_send = kind == "send";
                if is_send != (toward == "to") {
                    return Err(wrong());
                }
                // A message from any rank is counted at its sender.
                if peer == "-1" && !is_send {
                    return Ok(());
                }
                let peer = rank_of(Some(peer), self.all.ranks)?;
                match is_send {
                    true => self.all.sums.add(own, peer, bytes as f64, End::Sender),
                    false => self.all.sums.add(peer, own, bytes as f64, End::Receiver),
                }
            }
            ["calc", _, ..] | [_, "requires" | "irequires", _, ..] if self.rank.is_some() => Ok(()),
            _ => Err(wrong()),
        }
    }
}

impl Reader for Goal {
    fn begin(&mut self, file: &str) -> Result<(), LineError> {
        self.all.begin(file)
    }

    fn feed(&mut self, bytes: &[u8]) -> Result<(), LineError> {
        self.feed_lines(bytes)
    }

    fn end(&mut self) -> Result<(), LineError> {
        self.end_lines()?;
        if let Some(rank) = self.rank.take() {
            let sentence = format!("The file ends inside the block of rank {rank}. What is there is read.");
            self.all.warn(sentence);
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Traffic, LineError> {
        Ok(self.all.finish())
    }
}

const CONNECTION: &str = "a connection such as `0->1 id 1 start 0 size 2000000`";

#[derive(Default)]
struct Matrix {
    all: Messages,
    /// Connections that the head announces, and those so far.
    announced: Option<u64>,
    read: u64,
}

impl LineReader for Matrix {
    fn lines(&mut self) -> &mut Lines {
        &mut self.all.lines
    }

    fn line(&mut self, line: &[u8], number: u64) -> Result<(), LineError> {
        let line = text(line)?.trim();
        let mut words = line.split_whitespace();
        match words.next() {
            None => Ok(()),
            Some(word) if word.starts_with('#') => Ok(()),
            Some("Nodes") => {
                self.all.ranks = size(words.next())?;
                Ok(())
            }
            Some("Connections") => {
                self.announced = words.next().and_then(|word| word.parse().ok());
                Ok(())
            }
            Some("Triggers" | "Failures" | "trigger" | "failure") => Ok(()),
            Some(ends) if ends.contains("->") => self.connection(line, number),
            Some(_) => Err(LineError::new(format!("{line:?}"), CONNECTION)),
        }
    }
}

impl Matrix {
    fn connection(&mut self, line: &str, number: u64) -> Result<(), LineError> {
        let (from, rest) = line.split_once("->").unwrap_or((line, ""));
        let mut words = rest.split_whitespace();
        let [from, to] = [Some(from.trim()), words.next()].map(|word| rank_of(word, self.all.ranks));
        let (from, to) = (from?, to?);
        self.read += 1;
        let amount = words.skip_while(|word| *word != "size").nth(1);
        let Some(bytes) = amount.and_then(|word| word.parse::<u64>().ok()) else {
            let sentence = format!("The connection {from}->{to} has no size, and is left out.");
            self.all.warnings.add(FaultPlace::Line(number), sentence);
            return Ok(());
        };
        self.all.sums.add(from, to, bytes as f64, End::Sender)
    }
}

impl Reader for Matrix {
    fn begin(&mut self, file: &str) -> Result<(), LineError> {
        self.all.begin(file)
    }

    fn feed(&mut self, bytes: &[u8]) -> Result<(), LineError> {
        self.feed_lines(bytes)
    }

    fn end(&mut self) -> Result<(), LineError> {
        self.end_lines()?;
        if let Some(announced) = self.announced.filter(|&announced| announced != self.read) {
            let [read, announced] = [self.read, announced].map(grouped);
            let sentence = format!("The file has {read} connections, and its head says {announced}.");
            self.all.warn(sentence);
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Traffic, LineError> {
        Ok(self.all.finish())
    }
}
