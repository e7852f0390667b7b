//! The checkpoint file of a search for a wiring or for hardware.
//!
//! The file holds a line of JSON, [`Head`], followed by the engine's bytes. The engine trusts its bytes, so the line also
//! has their length and checksum. Each checkpoint replaces the file as a whole.

use super::{
    error_text,
    flags::number,
    output::{self, to_stderr},
    progress::ProgressLine,
};
use crate::VERSION;
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use serde::{Deserialize, Serialize};
use shared::{
    random::fnv1a,
    search::SECONDS,
    text::{fixed, grouped},
};
use std::{
    collections::BTreeMap,
    fmt::Display,
    fs::{self, File},
    io::{BufRead, BufReader, ErrorKind, Read},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// Min pause after a checkpoint, as a multiple of the time it took to write.
const REST: u32 = 20;
/// The first checkpoint comes after this fraction of the time between two.
const FIRST: u32 = 10;
/// Max bytes of the first line.
const MAX_HEAD_BYTES: u64 = 1 << 12;
/// Advice for a file that the search cannot resume from.
const START_AGAIN: &str = "to start again, remove it or give --checkpoint another file";

/// Flags of the checkpoints of a search.
#[derive(Args)]
pub struct CheckpointFlags {
    /// Save a checkpoint to this file every few seconds; resume from the file if it exists
    ///
    /// All other arguments and the version of Crosspoint must be the same. Only --seconds and --effort may grow; they include
    /// the work before the checkpoint. The file is removed once nothing is left to search.
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Time between two checkpoints in seconds
    #[arg(long, value_name = "S", value_parser = number(SECONDS), hide = true)]
    checkpoint_every: Option<f64>,
}

/// Progress of a search, stored with a checkpoint: numbers of things, such as 12 of `moves`.
pub type ProgressCounts = BTreeMap<String, u64>;

/// First line of a checkpoint file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Head {
    /// Version of the program that wrote it.
    crosspoint: String,
    seed: u64,
    threads: u32,
    seconds: f64,
    #[serde(flatten)]
    reached: ProgressCounts,
    /// Length of the engine's bytes.
    bytes: u64,
    /// Checksum of the engine's bytes ([`fnv1a`]).
    sum: u64,
}

impl Head {
    fn reached(&self) -> String {
        let numbers = self.reached.iter().map(|(what, number)| format!("{} {what}", grouped(*number)));
        format!("{} s and {}", fixed(self.seconds, 1), numbers.collect::<Vec<_>>().join(", "))
    }

    /// Reason why a search with this seed and these threads cannot resume from the file.
    fn refusal(&self, seed: u64, threads: u32) -> Option<String> {
        if self.crosspoint != VERSION {
            let its = &self.crosspoint;
            return Some(format!("was written by Crosspoint {its}; this is Crosspoint {VERSION}"));
        }
        let its = self.seed;
        if its != seed {
            return Some(format!("belongs to a search with seed {its}, not {seed}; --seed {its} resumes it"));
        }
        let its = self.threads;
        (its != threads).then(|| {
            format!("belongs to a search on {its} threads, not {threads}; --threads {its} resumes it")
        })
    }
}

/// Checkpoints of one search; without a file, they do nothing.
#[derive(Default)]
pub struct Checkpoints {
    /// Seconds and progress of the search, for the next checkpoint.
    pub reached: (f64, ProgressCounts),
    path: Option<PathBuf>,
    seed: u64,
    threads: u32,
    every: Duration,
    next: Option<Instant>,
    /// Head of the checkpoint in the file.
    kept: Option<Head>,
    /// Message that the search resumes, until it is printed.
    resumed: Option<String>,
    warned: bool,
}

impl CheckpointFlags {
    /// Checkpoints of a search with this seed and these threads, written about every `every` seconds unless a flag says otherwise.
    /// The file is none of `others`, each given with its name.
    pub fn checkpoints(
        &self,
        (seed, threads): (u64, u32),
        every: f64,
        others: &[(&str, Option<&Path>)],
    ) -> Result<Checkpoints> {
        distinct(self.checkpoint.as_deref(), others)?;
        let every = Duration::from_secs_f64(self.checkpoint_every.unwrap_or(every));
        let (path, next) = (self.checkpoint.clone(), Some(Instant::now() + every / FIRST));
        Ok(Checkpoints { path, seed, threads, every, next, ..Checkpoints::default() })
    }
}

impl Checkpoints {
    /// The engine's bytes in the file, if it exists.
    pub fn open(&mut self) -> Result<Option<Vec<u8>>> {
        let Some(path) = &self.path else { return Ok(None) };
        let Some((head, bytes)) = read(path)? else {
            output::replaceable(path)?;
            return Ok(None);
        };
        if let Some(why) = head.refusal(self.seed, self.threads) {
            bail!("{} {why}; {START_AGAIN}", path.display());
        }
        output::replaceable(path)?;
        self.resumed = Some(format!("{}: resuming after {}", path.display(), head.reached()));
        self.kept = Some(head);
        Ok(Some(bytes))
    }

    /// Prints once that the search resumes. Called when the engine has accepted the bytes.
    pub fn accepted(&mut self, line: &mut ProgressLine) {
        self.resumed.take().iter().for_each(|text| line.remark(text));
    }

    /// The error of an engine that refuses the checkpoint for the spec called `name`.
    pub fn refused(&self, name: &str, why: &dyn Display) -> anyhow::Error {
        match &self.path {
            Some(path) => anyhow!("{} cannot be used for {name}: {why}; {START_AGAIN}", path.display()),
            None => anyhow!("{name}: {why}"),
        }
    }

    /// `true` if the search writes checkpoints.
    pub fn is_on(&self) -> bool {
        self.path.is_some()
    }

    /// `true` when the next checkpoint should be written.
    pub fn is_due(&self) -> bool {
        self.is_on() && self.next.is_none_or(|next| Instant::now() >= next)
    }

    /// Writes a checkpoint. Prints the first failure.
    pub fn save(&mut self, line: &mut ProgressLine, bytes: &[u8]) {
        let Some(path) = self.path.clone() else { return };
        let began = Instant::now();
        let written = self.write(&path, bytes);
        self.next = Some(Instant::now() + self.every.max(began.elapsed() * REST));
        let Some(error) = written.err().filter(|_| !self.warned) else { return };
        self.warned = true;
        let kept = self.kept.as_ref().filter(|_| path.is_file());
        let holds =
            kept.map_or("no checkpoint".into(), |head| format!("the checkpoint after {}", head.reached()));
        line.remark(&format!(
            "crosspoint: {}; the search continues and tries again, the file holds {holds}",
            error_text(&error)
        ));
    }

    /// Ends the checkpoints and prints a message about the file. A search that is `done` needs no file; one whose limit is
    /// `spent` continues with a larger limit.
    pub fn close(self, done: bool, spent: bool) {
        let Some(path) = self.path else { return };
        let larger = if spent { " with a larger --seconds or --effort" } else { "" };
        let text = match self.kept.filter(|_| path.is_file()) {
            None if done => return,
            None if self.warned => "no checkpoint".into(),
            None => "no checkpoint: the search ended before the first was due".into(),
            Some(head) if !done => format!("the same command{larger} resumes after {}", head.reached()),
            Some(_) => match fs::remove_file(&path) {
                Ok(()) => "removed, the search is complete".into(),
                Err(error) => format!("no longer needed, but cannot be removed: {error}"),
            },
        };
        to_stderr(&format!("{}: {text}\n", path.display()));
    }

    fn write(&mut self, path: &Path, bytes: &[u8]) -> Result<()> {
        let (seconds, reached) = self.reached.clone();
        let head = Head {
            crosspoint: VERSION.into(),
            seed: self.seed,
            threads: self.threads,
            seconds,
            reached,
            bytes: bytes.len() as u64,
            sum: fnv1a(bytes),
        };
        let line = serde_json::to_string(&head)?;
        output::replace(path, |out| {
            out.write_all(line.as_bytes())?;
            out.write_all(b"\n")?;
            Ok(out.write_all(bytes)?)
        })?;
        self.kept = Some(head);
        Ok(())
    }
}

/// Checks that the checkpoint file differs from the other files, which have their names for the error.
fn distinct(file: Option<&Path>, others: &[(&str, Option<&Path>)]) -> Result<()> {
    let Some(file) = file else { return Ok(()) };
    let name = file.display();
    if output::is_standard(file) {
        bail!("--checkpoint {name}: not a file");
    }
    match others.iter().find(|(_, other)| other.is_some_and(|other| output::same(other, file))) {
        Some((what, _)) => bail!("--checkpoint {name}: the file is also {what}; name another file"),
        None => Ok(()),
    }
}

/// Contents of the file; `None` if it does not exist.
fn read(path: &Path) -> Result<Option<(Head, Vec<u8>)>> {
    let name = path.display();
    let cannot = || format!("{name} cannot be read");
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file.with_context(cannot)?,
    };
    let metadata = file.metadata().with_context(cannot)?;
    if !metadata.is_file() {
        bail!("{name} is not a plain file; --checkpoint needs a file of its own");
    }
    let mut file = BufReader::new(file);
    let mut line = Vec::new();
    file.by_ref().take(MAX_HEAD_BYTES).read_until(b'\n', &mut line).with_context(cannot)?;
    let head: Head = serde_json::from_slice(&line)
        .map_err(|_| anyhow!("{name} is not a checkpoint, or its first line is damaged; {START_AGAIN}"))?;
    let rest = metadata.len().saturating_sub(line.len() as u64);
    if rest != head.bytes {
        bail!(
            "{name} is damaged: its first line is followed by {rest} bytes, not {}; {START_AGAIN}",
            head.bytes
        );
    }
    let mut bytes = Vec::new();
    file.take(rest).read_to_end(&mut bytes).with_context(cannot)?;
    if fnv1a(&bytes) != head.sum {
        bail!("{name} is damaged: its checksum does not match; {START_AGAIN}");
    }
    Ok(Some((head, bytes)))
}
