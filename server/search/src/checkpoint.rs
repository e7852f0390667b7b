//! Checkpoints: all islands of a search in one piece of bytes, with a mark of the search they belong to and a checksum.

use crate::{genetic::State, islands::Checkpoint, ledger::Account, options::Options, request::SearchError};
use shared::{form::toml, resolve::form_of, search::SearchRequest};

/// What a search is: its spec, seed, islands and tunables, in one number (FNV-1a).
pub fn fingerprint(request: &SearchRequest, options: &Options) -> u64 {
    let version = env!("CARGO_PKG_VERSION");
    let text = format!(
        "{version}\n{}\n{} {} {} {options:?}",
        toml::write(&form_of(&request.spec)),
        request.seed,
        request.threads,
        request.demand.len(),
    );
    hash(text.as_bytes())
}

fn hash(bytes: &[u8]) -> u64 {
    let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}

impl Checkpoint {
    /// All of it in bytes, the checksum last.
    pub fn sealed(&self) -> Option<Vec<u8>> {
        let mut bytes = postcard::to_stdvec(self).ok()?;
        bytes.extend(hash(&bytes).to_le_bytes());
        Some(bytes)
    }
}

/// Reads a checkpoint.
///
/// # Errors
/// It is damaged, or of another search.
pub fn read(bytes: &[u8], fingerprint: u64, threads: u32) -> Result<Checkpoint, SearchError> {
    let damaged = || SearchError::Checkpoint { why: "cannot be read: it is damaged, or of another version" };
    let (body, sum) = bytes.split_last_chunk::<8>().ok_or_else(damaged)?;
    if hash(body) != u64::from_le_bytes(*sum) {
        return Err(damaged());
    }
    let resumed: Checkpoint = postcard::from_bytes(body).map_err(|_| damaged())?;
    if resumed.fingerprint != fingerprint {
        let why = "is of another search: spec, seed, threads and version must be as they were";
        return Err(SearchError::Checkpoint { why });
    }
    let whole = resumed.elapsed.is_finite()
        && resumed.islands.len() == threads as usize
        && resumed.migrations.len() == threads as usize
        && resumed.islands.iter().all(|saved| island(saved).is_some());
    if whole { Ok(resumed) } else { Err(damaged()) }
}

/// An island from its part of a checkpoint.
pub fn island(bytes: &[u8]) -> Option<(State, Account)> {
    postcard::from_bytes(bytes).ok()
}
