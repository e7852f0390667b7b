//! The patterns of the corpus, one generator a file (dissertation, section 2.3).
//!
//! A generator tells the partners of one PE at a time. So the union of many patterns is made PE by PE, in order, with no
//! memory but for the result; and how many pairs a pattern can have at most is known before the first is made.

mod all_pairs;
mod bit_reversal;
pub mod factorization;
mod hypercube;
mod lattice;
mod perfect_shuffle;
mod ring;
mod transpose;

use crate::spec::{Fault, MAX_PAIRS, MAX_PES, PatternKind};

/// A kind of pattern, as specs name it and people pick it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name in a spec.
    pub name: &'static str,
    /// What it connects, in one line.
    pub about: &'static str,
    /// The spec's fields that apply to it, besides `kind`, `weight` and `links`.
    pub fields: &'static [&'static str],
}

const LAID_OUT: &[&str] = &["dims", "dimensions", "factorizations", "neighbours"];

/// All kinds of pattern, in the order to offer them.
pub const LIST: &[Listed] = &[
    Listed { name: "hypercube", about: "PE numbers that differ in one bit", fields: &[] },
    Listed { name: "bit-reversal", about: "a PE with the one of its bits reversed", fields: &[] },
    Listed { name: "perfect-shuffle", about: "PE p with 2p mod (N-1)", fields: &[] },
    Listed { name: "transpose", about: "element (r, c) of a square matrix with (c, r)", fields: &[] },
    Listed { name: "ring", about: "neighbours in a circle", fields: &[] },
    Listed { name: "torus", about: "neighbours on a lattice that closes on itself", fields: LAID_OUT },
    Listed { name: "grid", about: "neighbours on a lattice with edges", fields: LAID_OUT },
    Listed { name: "all-pairs", about: "every PE with every other", fields: &[] },
    Listed {
        name: "matrix",
        about: "measured or hand-written pairs",
        fields: &["file", "pairs", "threshold"],
    },
];

/// Why a pattern cannot be had on a number of PEs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The field of the pattern that is at odds with it.
    pub field: &'static str,
    /// What stands there.
    pub found: String,
    /// What would be accepted.
    pub expected: String,
}

impl Refusal {
    /// As a fault of the pattern at `path`.
    pub fn at(self, path: &str) -> Fault {
        Fault::new(format!("{path}.{}", self.field), self.found, self.expected)
    }
}

/// What every generator tells.
trait Partners {
    /// No less than its number of pairs.
    fn at_most(&self) -> u64;
    /// Appends all partners of a PE that have higher numbers, in any order. Lower ones, the PE itself and
    /// repetitions may be among them.
    fn push(&self, pe: u32, partners: &mut Vec<u32>);
}

/// A pattern on a number of PEs that it admits.
pub(super) struct Generator(Box<dyn Partners>);

impl Generator {
    /// A [`PatternKind::Matrix`] has none.
    pub(super) fn on(kind: &PatternKind, pes: u32) -> Result<Option<Generator>, Refusal> {
        let partners: Box<dyn Partners> = match kind {
            PatternKind::Hypercube => Box::new(hypercube::Hypercube::on(pes)?),
            PatternKind::BitReversal => Box::new(bit_reversal::BitReversal::on(pes)?),
            PatternKind::PerfectShuffle => Box::new(perfect_shuffle::PerfectShuffle::on(pes)?),
            PatternKind::Transpose => Box::new(transpose::Transpose::on(pes)?),
            PatternKind::Ring => Box::new(ring::Ring::on(pes)),
            PatternKind::Lattice { wrap, shape, neighbours } => {
                Box::new(lattice::Lattice::on(pes, *wrap, shape, *neighbours)?)
            }
            PatternKind::AllPairs => Box::new(all_pairs::AllPairs::on(pes)),
            PatternKind::Matrix { .. } => return Ok(None),
        };
        let most = partners.at_most();
        if most > MAX_PAIRS as u64 {
            let expected = format!("a pattern or a number of PEs that make at most {MAX_PAIRS} pairs");
            return Err(Refusal { field: "kind", found: format!("up to {most} pairs"), expected });
        }
        Ok(Some(Generator(partners)))
    }

    /// Puts into `partners` those of a PE with higher numbers, ascending.
    pub(super) fn higher(&self, pe: u32, partners: &mut Vec<u32>) {
        partners.clear();
        self.0.push(pe, partners);
        partners.retain(|&other| other > pe);
        partners.sort_unstable();
        partners.dedup();
    }
}

/// Whether a pattern can be had on `pes` PEs, which must not be 0.
///
/// # Errors
/// It does not admit this number, or might have more than [`MAX_PAIRS`] pairs.
pub fn admit(kind: &PatternKind, pes: u32) -> Result<(), Refusal> {
    Generator::on(kind, pes).map(|_| ())
}

/// The pairs of one pattern on `pes` PEs, as ascending distinct keys (`lower << 32 | higher`).
/// Those of a [`PatternKind::Matrix`] are its own.
///
/// # Errors
/// At a field of `path`: the pattern does not admit this number of PEs, and the fault says which it does; or it might
/// have more than [`MAX_PAIRS`] pairs.
pub fn pairs(kind: &PatternKind, pes: u32, path: &str) -> Result<Vec<u64>, Fault> {
    if pes == 0 {
        return Err(Fault::new("pes", pes, "at least 1"));
    }
    if let PatternKind::Matrix { pairs, .. } = kind {
        return Ok(pairs.iter().map(|&(a, b, _)| super::key(a, b)).collect());
    }
    let Some(generator) = Generator::on(kind, pes).map_err(|refusal| refusal.at(path))? else {
        return Ok(Vec::new());
    };
    let (mut keys, mut partners) = (Vec::new(), Vec::new());
    for pe in 0..pes {
        generator.higher(pe, &mut partners);
        keys.extend(partners.iter().map(|&other| super::key(pe, other)));
    }
    Ok(keys)
}

/// Refuses a number of PEs that is not `rule`, naming the nearest that are.
fn admitted(field: &'static str, pes: u32, rule: &str, admits: impl Fn(u32) -> bool) -> Result<(), Refusal> {
    if admits(pes) {
        return Ok(());
    }
    let below = (1..pes).rev().find(|&n| admits(n));
    let above = (pes + 1..=MAX_PES).find(|&n| admits(n));
    let nearest = below.into_iter().chain(above).map(|n| n.to_string()).collect::<Vec<_>>().join(" or ");
    let expected = format!("a number of PEs that is {rule}, such as {nearest}");
    Err(Refusal { field, found: format!("{pes} PEs"), expected })
}
