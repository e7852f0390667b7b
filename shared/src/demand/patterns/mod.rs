//! The patterns of the corpus, one generator a file (dissertation, section 2.3).

use crate::spec::{Fault, PatternKind};

/// The pairs of one pattern on `pes` PEs, as ascending distinct keys (`lower << 32 | higher`).
/// A [`PatternKind::Matrix`] has no generator.
///
/// # Errors
/// At `path`: the pattern does not admit this number of PEs; the fault says which it does.
pub fn pairs(_kind: &PatternKind, _pes: u32, path: &str) -> Result<Vec<u64>, Fault> {
    Err(Fault::new(path, "", "pattern generators are being written"))
}
