//! The file that a search, over wirings or over hardware, writes checkpoints to and goes on from.
//!
//! It is a line of JSON, [`Head`], and then what the engine handed over. The engine reads its part without a doubt, so that
//! the line also tells its length and a sum by which damage is known. Each checkpoint replaces the one before as a whole.

mod held;

pub use held::Held;

use super::{output, told};
use crate::version::VERSION;
use anyhow::{Context, Result, anyhow, bail};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use shared::{random::fnv1a, text::fixed};
use std::{
    fs::{self, File},
    io::{BufRead, BufReader, ErrorKind, Read},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// Least pause after a checkpoint, in times that writing it took.
const REST: u32 = 20;
/// Of the time between two checkpoints, the part that passes before the first.
const FIRST: u32 = 10;
/// Most bytes of the first line.
const MAX_HEAD: u64 = 1 << 12;
/// What would do in place of a file that cannot be gone on from.
const ELSE: &str = "remove it, or give --checkpoint another file, to begin anew";

/// How far a search has come, besides its time.
pub trait Far: Clone + Serialize + DeserializeOwned {
    /// In words that follow the time.
    fn words(&self) -> String;
}

/// Which search a checkpoint is of, and how far it had come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Head<F> {
    /// Version of the program that wrote it.
    crosspoint: String,
    seed: u64,
    threads: u32,
    /// Time the search had taken.
    seconds: f64,
    #[serde(flatten)]
    far: F,
    /// Length of what follows.
    bytes: u64,
    /// Its checksum ([`fnv1a`]).
    sum: u64,
}

impl<F: Far> Head<F> {
    fn far(&self) -> String {
        format!("{} s and {}", fixed(self.seconds, 1), self.far.words())
    }

    /// Why a search with this seed on so many threads cannot go on from it, and what would do.
    fn refusal(&self, seed: u64, threads: u32) -> Option<String> {
        if self.crosspoint != VERSION {
            let its = &self.crosspoint;
            return Some(format!(
                "was written by Crosspoint {its}, this is {VERSION}: {its} goes on from it"
            ));
        }
        let its = self.seed;
        if its != seed {
            return Some(format!("is of a search with seed {its}, not {seed}: --seed {its} goes on from it"));
        }
        let its = self.threads;
        (its != threads).then(|| {
            format!("is of a search on {its} threads, not {threads}: --threads {its} goes on from it")
        })
    }
}

/// The file of one search.
pub struct Checkpoints<'a, F> {
    path: &'a Path,
    seed: u64,
    threads: u32,
    every: Duration,
    next: Instant,
    /// What the file holds.
    kept: Option<Head<F>>,
    warned: bool,
}

impl<'a, F: Far> Checkpoints<'a, F> {
    /// For a search with this seed on so many threads, whose checkpoints go to `path` about every `every`.
    pub fn new(path: &'a Path, seed: u64, threads: u32, every: Duration) -> Self {
        let next = Instant::now() + every / FIRST;
        Checkpoints { path, seed, threads, every, next, kept: None, warned: false }
    }

    /// What the file holds for this search, if it is there, and from where that goes on, in words.
    ///
    /// # Errors
    /// The file cannot be read or is no checkpoint of this search, or no other can take its place; it is named, and what
    /// would do.
    pub fn open(&mut self) -> Result<Option<(Vec<u8>, String)>> {
        let name = self.path.display();
        let Some((head, bytes)) = read::<F>(self.path)? else {
            output::replaceable(self.path)?;
            return Ok(None);
        };
        if let Some(why) = head.refusal(self.seed, self.threads) {
            bail!("{name} {why}; {ELSE}");
        }
        output::replaceable(self.path)?;
        let told = format!("{name}: the search goes on after {}", head.far());
        self.kept = Some(head);
        Ok(Some((bytes, told)))
    }

    /// The file's name, as people are told it.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Whether it is time for another.
    pub fn is_due(&self) -> bool {
        Instant::now() >= self.next
    }

    /// Writes a checkpoint. Returns what is to be told, the first time that this fails.
    pub fn save(&mut self, seconds: f64, far: F, bytes: &[u8]) -> Option<String> {
        let began = Instant::now();
        let written = self.write(seconds, far, bytes);
        self.next = Instant::now() + self.every.max(began.elapsed() * REST);
        let error = written.err().filter(|_| !self.warned)?;
        self.warned = true;
        let kept = self.kept.as_ref().filter(|_| self.path.is_file());
        let holds = kept.map_or("nothing".into(), |head| format!("the checkpoint after {}", head.far()));
        Some(format!(
            "crosspoint: {}; the search goes on and will try again, the file holds {holds}",
            told(&error)
        ))
    }

    /// The search is over: what it has found, if it is `done`, is not gone on with. `larger` are the words for what would
    /// make it go on. Returns what is to be told.
    pub fn close(self, done: bool, larger: &str) -> Option<String> {
        let name = self.path.display();
        let Some(head) = self.kept.filter(|_| self.path.is_file()) else {
            let why = if self.warned { "" } else { ": the search ended before the first was due" };
            return (!done).then(|| format!("{name}: holds no checkpoint{why}"));
        };
        if !done {
            return Some(format!("{name}: the same command{larger} goes on after {}", head.far()));
        }
        Some(match fs::remove_file(self.path) {
            Ok(()) => format!("{name}: removed, since the search has found what it was to find"),
            Err(error) => format!("{name}: of no use any more, and cannot be removed: {error}"),
        })
    }

    fn write(&mut self, seconds: f64, far: F, bytes: &[u8]) -> Result<()> {
        let head = Head {
            crosspoint: VERSION.into(),
            seed: self.seed,
            threads: self.threads,
            seconds,
            far,
            bytes: bytes.len() as u64,
            sum: fnv1a(bytes),
        };
        let line = serde_json::to_string(&head)?;
        output::replace(self.path, |out| {
            out.write_all(line.as_bytes())?;
            out.write_all(b"\n")?;
            Ok(out.write_all(bytes)?)
        })?;
        self.kept = Some(head);
        Ok(())
    }
}

/// Makes sure that checkpoints do not go where something else is to be.
///
/// # Errors
/// They would; both are named.
pub fn distinct(file: &Path, others: &[(&str, Option<&Path>)]) -> Result<()> {
    if output::is_standard(file) {
        bail!("--checkpoint {}: a file was expected, which the search can go on from", file.display());
    }
    let place = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path));
    let same = others.iter().find(|(_, other)| other.is_some_and(|other| place(other) == place(file)));
    match same {
        Some((what, _)) => {
            bail!("--checkpoint {}: it is {what}, too; another file was expected", file.display())
        }
        None => Ok(()),
    }
}

/// What the file holds; `None` if it is not there.
fn read<F: Far>(path: &Path) -> Result<Option<(Head<F>, Vec<u8>)>> {
    let name = path.display();
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file.with_context(|| format!("{name} cannot be read"))?,
    };
    let cannot = || format!("{name} cannot be read");
    let metadata = file.metadata().with_context(cannot)?;
    if !metadata.is_file() {
        bail!("{name} is no plain file; checkpoints go to a file of their own");
    }
    let mut file = BufReader::new(file);
    let mut line = Vec::new();
    file.by_ref().take(MAX_HEAD).read_until(b'\n', &mut line).with_context(cannot)?;
    let head: Head<F> = serde_json::from_slice(&line)
        .map_err(|_| anyhow!("{name} is no checkpoint, or damaged at its beginning; {ELSE}"))?;
    let rest = metadata.len().saturating_sub(line.len() as u64);
    if rest != head.bytes {
        bail!("{name} is damaged: {rest} bytes follow its first line, which says {}; {ELSE}", head.bytes);
    }
    let mut bytes = Vec::new();
    file.take(rest).read_to_end(&mut bytes).with_context(cannot)?;
    if fnv1a(&bytes) != head.sum {
        bail!("{name} is damaged: its bytes are not those that were written; {ELSE}");
    }
    Ok(Some((head, bytes)))
}
