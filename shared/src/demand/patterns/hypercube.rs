//! Hypercube: PE numbers that differ in one bit (dissertation, section 2.3.2).

use super::{Partners, Refusal, admitted};

/// Pairs at Hamming distance 1.
pub(super) struct Hypercube {
    pes: u32,
}

impl Hypercube {
    pub(super) fn on(pes: u32) -> Result<Self, Refusal> {
        admitted("kind", pes, "a power of 2", u32::is_power_of_two)?;
        Ok(Hypercube { pes })
    }
}

impl Partners for Hypercube {
    fn at_most(&self) -> u64 {
        u64::from(self.pes) * u64::from(self.pes.ilog2()) / 2
    }

    fn push(&self, pe: u32, partners: &mut Vec<u32>) {
        partners.extend((0..self.pes.ilog2()).map(|bit| pe ^ 1 << bit));
    }
}
