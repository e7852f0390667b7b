//! Bit reversal: a PE with the one whose number has its bits in reverse (dissertation, section 2.3.1).

use super::{Partners, Refusal, admitted};

/// Pairs of mirrored numbers; a palindrome has no partner.
pub(super) struct BitReversal {
    pes: u32,
}

impl BitReversal {
    pub(super) fn on(pes: u32) -> Result<Self, Refusal> {
        admitted("kind", pes, "a power of 2", u32::is_power_of_two)?;
        Ok(BitReversal { pes })
    }
}

impl Partners for BitReversal {
    fn at_most(&self) -> u64 {
        u64::from(self.pes / 2)
    }

    fn push(&self, pe: u32, partners: &mut Vec<u32>) {
        // A shift by all 32 bits, on a single PE, would overflow.
        partners.push(pe.reverse_bits().checked_shr(32 - self.pes.ilog2()).unwrap_or(0));
    }
}
