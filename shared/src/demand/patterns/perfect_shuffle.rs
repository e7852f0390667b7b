//! Perfect shuffle: PE p with 2p mod (N-1), as when two halves of a deck interleave (dissertation, section 2.3.1).

use super::{Partners, Refusal, admitted};

/// A PE with where the shuffle sends it; the inverse shuffle asks for the same pairs.
pub(super) struct PerfectShuffle {
    pes: u32,
}

impl PerfectShuffle {
    pub(super) fn on(pes: u32) -> Result<Self, Refusal> {
        admitted("kind", pes, "even", |n| n % 2 == 0)?;
        Ok(PerfectShuffle { pes })
    }
}

impl Partners for PerfectShuffle {
    fn at_most(&self) -> u64 {
        u64::from(self.pes)
    }

    fn push(&self, pe: u32, partners: &mut Vec<u32>) {
        // Modulo N-1 the number N is 1, so that N/2 undoes the doubling. The last PE stays where it is.
        if pe + 1 < self.pes {
            let image = |factor: u32| (u64::from(pe) * u64::from(factor) % u64::from(self.pes - 1)) as u32;
            partners.extend([image(2), image(self.pes / 2)]);
        }
    }
}
