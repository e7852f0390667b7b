//! Transpose: element (r, c) of a square matrix, one element a PE, with (c, r) (dissertation, section 2.3.1).

use super::{Partners, Refusal, admitted};

/// Pairs of mirrored elements; the diagonal has no partners.
pub(super) struct Transpose {
    side: u32,
}

impl Transpose {
    pub(super) fn on(pes: u32) -> Result<Self, Refusal> {
        admitted("kind", pes, "a square number", |n| n.isqrt().pow(2) == n)?;
        Ok(Transpose { side: pes.isqrt() })
    }
}

impl Partners for Transpose {
    fn at_most(&self) -> u64 {
        u64::from(self.side) * u64::from(self.side - 1) / 2
    }

    fn push(&self, pe: u32, partners: &mut Vec<u32>) {
        partners.push(pe % self.side * self.side + pe / self.side);
    }
}
