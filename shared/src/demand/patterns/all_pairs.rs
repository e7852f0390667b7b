//! All pairs: what a universal network serves (dissertation, section 2.4).

use super::Partners;

/// Every pair of PEs.
pub(super) struct AllPairs {
    pes: u32,
}

impl AllPairs {
    pub(super) fn on(pes: u32) -> Self {
        AllPairs { pes }
    }
}

impl Partners for AllPairs {
    fn at_most(&self) -> u64 {
        u64::from(self.pes) * u64::from(self.pes.saturating_sub(1)) / 2
    }

    fn push(&self, pe: u32, partners: &mut Vec<u32>) {
        partners.extend(pe + 1..self.pes);
    }
}
