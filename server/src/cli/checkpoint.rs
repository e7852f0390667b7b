//! The checkpoint file of a search for a wiring or for hardware.
//!
//! The file holds a line of JSON, [`Head`], followed by the engine's bytes. The engine trusts its bytes, so the line also
//! has their length and checksum. Each checkpoint replaces the file as a whole.

use super::{error_text, output, progress::ProgressLine};
use crate::VERSION;
use anyhow::{Context, Result, anyhow, bail};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use shared::{random::fnv1a, text::fixed};
use std::{
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

/// Progress of a search, stored with a checkpoint.
pub trait Reached: Clone + Serialize + DeserializeOwned {
    /// The progress as text, such as `12 moves`.
    fn words(&self) -> String;
}

/// First line of a checkpoint file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Head<R> {
    /// Version of the program that wrote it.
    crosspoint: String,
    seed: u64,
    threads: u32,
    seconds: f64,
    #[serde(flatten)]
    reached: R,
    /// Length of the engine's bytes.
    bytes: u64,
    /// Their checksum ([`fnv1a`]).
    sum: u64,
}

impl<R: Reached> Head<R> {
    fn reached(&self) -> String {
        format!("{} s and {}", fixed(self.seconds, 1), self.reached.words())
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
pub struct Checkpoints<'a, R> {
    path: Option<&'a Path>,
    seed: u64,
    threads: u32,
    every: Duration,
    next: Instant,
    /// Head of the checkpoint in the file.
    kept: Option<Head<R>>,
    /// Message that the search resumes, until it is printed.
    resumed: Option<String>,
    warned: bool,
}

impl<'a, R: Reached> Checkpoints<'a, R> {
    /// Checkpoints of a search with this seed and these threads, written to `path` about every `every`.
    pub fn new(path: Option<&'a Path>, seed: u64, threads: u32, every: Duration) -> Self {
        let next = Instant::now() + every / FIRST;
        Checkpoints { path, seed, threads, every, next, kept: None, resumed: None, warned: false }
    }

    /// The engine's bytes in the file, if it exists.
    pub fn open(&mut self) -> Result<Option<Vec<u8>>> {
        let Some(path) = self.path else { return Ok(None) };
        let Some((head, bytes)) = read::<R>(path)? else {
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
        match self.path {
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
        self.is_on() && Instant::now() >= self.next
    }

    /// Writes a checkpoint. Prints the first failure.
    pub fn save(&mut self, line: &mut ProgressLine, seconds: f64, reached: R, bytes: &[u8]) {
        let Some(path) = self.path else { return };
        let began = Instant::now();
        let written = self.write(path, seconds, reached, bytes);
        self.next = Instant::now() + self.every.max(began.elapsed() * REST);
        let Some(error) = written.err().filter(|_| !self.warned) else { return };
        self.warned = true;
        let kept = self.kept.as_ref().filter(|_| path.is_file());
        let holds = kept.map_or("no checkpoint".into(), |head| format!("the one after {}", head.reached()));
        line.remark(&format!(
            "crosspoint: {}; the search continues and tries again, the file holds {holds}",
            error_text(&error)
        ));
    }

    /// Ends the checkpoints and returns a message about the file. A search that is `done` needs no file; for any other,
    /// `larger` names the flags that continue it.
    pub fn close(self, done: bool, larger: &str) -> Option<String> {
        let path = self.path?;
        let name = path.display();
        let Some(head) = self.kept.filter(|_| path.is_file()) else {
            let why = if self.warned { "" } else { ": the search ended before the first was due" };
            return (!done).then(|| format!("{name}: no checkpoint{why}"));
        };
        if !done {
            return Some(format!("{name}: the same command{larger} resumes after {}", head.reached()));
        }
        Some(match fs::remove_file(path) {
            Ok(()) => format!("{name}: removed, the search is complete"),
            Err(error) => format!("{name}: no longer needed, but cannot be removed: {error}"),
        })
    }

    fn write(&mut self, path: &Path, seconds: f64, reached: R, bytes: &[u8]) -> Result<()> {
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

/// Makes sure that the checkpoint file is none of the other files, each given with its name.
pub fn distinct(file: Option<&Path>, others: &[(&str, Option<&Path>)]) -> Result<()> {
    let Some(file) = file else { return Ok(()) };
    let name = file.display();
    if output::is_standard(file) {
        bail!("--checkpoint {name}: not a file");
    }
    let place = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path));
    match others.iter().find(|(_, other)| other.is_some_and(|other| place(other) == place(file))) {
        Some((what, _)) => bail!("--checkpoint {name}: the file is also {what}; name another file"),
        None => Ok(()),
    }
}

/// Contents of the file; `None` if it does not exist.
fn read<R: Reached>(path: &Path) -> Result<Option<(Head<R>, Vec<u8>)>> {
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
    let head: Head<R> = serde_json::from_slice(&line)
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
