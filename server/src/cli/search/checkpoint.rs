//! The file that a search writes checkpoints to and goes on from.
//!
//! It is a line of JSON, [`Head`], and then what the engine handed over. The engine reads its part without a doubt, so that
//! the line also tells its length and a sum by which damage is known. Each checkpoint replaces the one before as a whole.

use super::super::{output, progress::ProgressLine, told};
use crate::version::VERSION;
use anyhow::{Context, Result, anyhow, bail};
use search::SearchError;
use serde::{Deserialize, Serialize};
use shared::{
    design::Design,
    search::{Ended, Observer, Progress, SearchRequest},
    text::{fixed, grouped},
};
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
const MOST_HEAD: u64 = 1 << 12;
/// What would do in place of a file that cannot be gone on from.
const ELSE: &str = "remove it, or give --checkpoint another file, to begin anew";

/// Which search a checkpoint is of, and how far it had come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Head {
    /// Version of the program that wrote it.
    crosspoint: String,
    seed: u64,
    threads: u32,
    /// Time the search had taken.
    seconds: f64,
    /// Moves it had evaluated.
    moves: u64,
    /// Length of what follows.
    bytes: u64,
    /// Its sum: see [`sum`].
    sum: u64,
}

impl Head {
    fn far(&self) -> String {
        format!("{} s and {} moves", fixed(self.seconds, 1), grouped(self.moves))
    }

    /// Why this search cannot go on from it, and what would do.
    fn refusal(&self, request: &SearchRequest) -> Option<String> {
        if self.crosspoint != VERSION {
            let its = &self.crosspoint;
            return Some(format!(
                "was written by Crosspoint {its}, this is {VERSION}: {its} goes on from it"
            ));
        }
        let (its, asked) = (self.seed, request.seed);
        if its != asked {
            return Some(format!(
                "is of a search with seed {its}, not {asked}: --seed {its} goes on from it"
            ));
        }
        let (its, asked) = (self.threads, request.threads);
        (its != asked)
            .then(|| format!("is of a search on {its} threads, not {asked}: --threads {its} goes on from it"))
    }
}

/// FNV-1a of all bytes.
fn sum(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// Tells of a search, and writes its checkpoints.
pub struct Keeper<'a> {
    line: &'a mut ProgressLine,
    request: &'a SearchRequest,
    file: Option<&'a Path>,
    every: Duration,
    next: Instant,
    progress: Progress,
    /// What the file holds.
    kept: Option<Head>,
    /// From where the search goes on, until it is told.
    resumed: Option<String>,
    warned: bool,
}

impl<'a> Keeper<'a> {
    /// For a search whose checkpoints go to `file`, if to any, about every `every`.
    pub fn new(
        line: &'a mut ProgressLine,
        request: &'a SearchRequest,
        file: Option<&'a Path>,
        every: Duration,
    ) -> Self {
        let next = Instant::now() + every / FIRST;
        let progress = Progress::default();
        Keeper { line, request, file, every, next, progress, kept: None, resumed: None, warned: false }
    }

    /// What the file holds for this search, if it is there.
    ///
    /// # Errors
    /// The file cannot be read or is no checkpoint of this search, or no other can take its place; it is named, and what
    /// would do.
    pub fn open(&mut self) -> Result<Option<Vec<u8>>> {
        let Some(path) = self.file else { return Ok(None) };
        let Some((head, bytes)) = read(path)? else {
            output::replaceable(path)?;
            return Ok(None);
        };
        if let Some(why) = head.refusal(self.request) {
            bail!("{} {why}; {ELSE}", path.display());
        }
        output::replaceable(path)?;
        self.resumed = Some(format!("{}: the search goes on after {}", path.display(), head.far()));
        self.kept = Some(head);
        Ok(Some(bytes))
    }

    /// What the engine has refused, of the spec called `name` or of the checkpoint that it was given.
    pub fn refused(&self, name: &str, why: &SearchError) -> anyhow::Error {
        match (why, self.file) {
            (SearchError::Checkpoint { .. }, Some(path)) => {
                anyhow!("{} is of no use for {name}: {why}; {ELSE}", path.display())
            }
            _ => anyhow!("{name}: {why}"),
        }
    }

    /// Tells where the search has ended.
    pub fn end(&mut self, last: &[String]) {
        self.line.end(last);
    }

    /// The search is over: what it has found, if it is `done`, is not gone on with. Returns what is to be told.
    pub fn close(self, ended: Ended, done: bool) -> Option<String> {
        let path = self.file?;
        let name = path.display();
        let Some(head) = self.kept.filter(|_| path.is_file()) else {
            let why = if self.warned { "" } else { ", since the search came to none" };
            return (!done).then(|| format!("{name}: holds no checkpoint{why}"));
        };
        if !done {
            let far = head.far();
            let larger = if ended == Ended::Exhausted { " with a larger --seconds or --effort" } else { "" };
            return Some(format!("{name}: the same command{larger} goes on after {far}"));
        }
        Some(match fs::remove_file(path) {
            Ok(()) => format!("{name}: removed, since the search has found what it was to find"),
            Err(error) => format!("{name}: of no use any more, and cannot be removed: {error}"),
        })
    }

    fn write(&mut self, path: &Path, bytes: &[u8]) -> Result<()> {
        let head = Head {
            crosspoint: VERSION.into(),
            seed: self.request.seed,
            threads: self.request.threads,
            seconds: self.progress.elapsed,
            moves: self.progress.moves,
            bytes: bytes.len() as u64,
            sum: sum(bytes),
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

impl Observer for Keeper<'_> {
    fn progress(&mut self, progress: &Progress) {
        // Now that the engine has taken it.
        self.resumed.take().into_iter().for_each(|told| self.line.remark(&told));
        self.progress.clone_from(progress);
        self.line.progress(progress);
    }

    fn better(&mut self, design: &Design, uncovered: u64) {
        self.line.better(design, uncovered);
    }

    fn keeps_checkpoints(&self) -> bool {
        self.file.is_some()
    }

    fn wants_checkpoint(&mut self) -> bool {
        Instant::now() >= self.next
    }

    fn checkpoint(&mut self, bytes: Vec<u8>) {
        let Some(path) = self.file else { return };
        let began = Instant::now();
        if let Err(error) = self.write(path, &bytes)
            && !self.warned
        {
            self.warned = true;
            let kept = self.kept.as_ref().filter(|_| path.is_file());
            let holds = kept.map_or("nothing".into(), |head| format!("the checkpoint after {}", head.far()));
            let error = told(&error);
            self.line.remark(&format!(
                "crosspoint: {error}; the search goes on and will try again, the file holds {holds}"
            ));
        }
        self.next = Instant::now() + self.every.max(began.elapsed() * REST);
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
fn read(path: &Path) -> Result<Option<(Head, Vec<u8>)>> {
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
    file.by_ref().take(MOST_HEAD).read_until(b'\n', &mut line).with_context(cannot)?;
    let head: Head = serde_json::from_slice(&line)
        .map_err(|_| anyhow!("{name} is no checkpoint, or damaged at its beginning; {ELSE}"))?;
    let rest = metadata.len().saturating_sub(line.len() as u64);
    if rest != head.bytes {
        bail!("{name} is damaged: {rest} bytes follow its first line, which says {}; {ELSE}", head.bytes);
    }
    let mut bytes = Vec::new();
    file.take(rest).read_to_end(&mut bytes).with_context(cannot)?;
    if sum(&bytes) != head.sum {
        bail!("{name} is damaged: its bytes are not those that were written; {ELSE}");
    }
    Ok(Some((head, bytes)))
}
