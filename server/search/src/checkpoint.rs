//! Checkpoints of a search as bytes: a postcard value, then the FNV-1a checksum of its bytes.

use crate::{
    genetic::State,
    ledger::{Elite, Score},
    options::Options,
    team::Threads,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use spec::{form::toml, random::fnv1a, resolve::form_of};
use work::search::SearchRequest;

/// Layout of checkpoints; part of every fingerprint, so that other layouts are refused.
pub const LAYOUT: u32 = 7;
/// Reason why bytes are no checkpoint, as the end of "the checkpoint …".
pub const DAMAGED: &str = "is damaged or was written by another version";

/// A saved search.
#[derive(Serialize, Deserialize)]
pub struct Checkpoint {
    /// Identifies the search.
    pub fingerprint: u64,
    /// Seconds taken so far.
    pub elapsed: f64,
    /// Score of the best wiring shown, and the number of wirings shown.
    pub shown: (Option<Score>, u64),
    /// State of each island.
    pub islands: Vec<Vec<u8>>,
    /// Contributions of each island to the last two exchanges.
    pub migrations: Vec<Migration>,
}

/// Contributions of an island to exchanges: finished epochs, and best wirings at the end of even and odd ones.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Migration {
    pub(crate) epochs: u64,
    pub(crate) ended: bool,
    pub(crate) elites: [Option<Elite>; 2],
}

/// A value as bytes, with a checksum.
pub fn seal(value: &impl Serialize) -> Option<Vec<u8>> {
    let mut bytes = postcard::to_stdvec(value).ok()?;
    bytes.extend(fnv1a(&bytes).to_le_bytes());
    Some(bytes)
}

/// The value of sealed bytes; `None` if they are damaged.
pub fn open<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let (body, sum) = bytes.split_last_chunk::<8>()?;
    if fnv1a(body) != u64::from_le_bytes(*sum) {
        return None;
    }
    postcard::from_bytes(body).ok()
}

/// Identifies a search by its spec, seed, islands and tunables.
pub fn fingerprint(request: &SearchRequest, options: &Options) -> u64 {
    let text = format!(
        "{} {LAYOUT}\n{}\n{} {} {} {options:?}",
        env!("CARGO_PKG_VERSION"),
        toml::write(&form_of(&request.spec)),
        request.seed,
        Threads::of(&request.spec, request.threads, options).islands,
        request.demand.len(),
    );
    fnv1a(text.as_bytes())
}

/// Reads a checkpoint.
///
/// # Errors
/// It is damaged, or belongs to another search.
pub fn read(bytes: &[u8], fingerprint: u64, islands: u32) -> Result<Checkpoint, &'static str> {
    let Some(checkpoint) = open::<Checkpoint>(bytes) else { return Err(DAMAGED) };
    if checkpoint.fingerprint != fingerprint {
        return Err("belongs to another search: spec, seed, threads and version must match");
    }
    let intact = checkpoint.elapsed.is_finite()
        && checkpoint.islands.len() == islands as usize
        && checkpoint.migrations.len() == islands as usize
        && checkpoint.islands.iter().all(|saved| State::restore(saved).is_some());
    if intact { Ok(checkpoint) } else { Err(DAMAGED) }
}
