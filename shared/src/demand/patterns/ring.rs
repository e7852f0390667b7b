//! Ring: neighbours in a circle, the torus of one dimension (dissertation, section 2.3.1).

use super::Partners;

/// A PE with the next and the one before.
pub(super) struct Ring {
    pes: u32,
}

impl Ring {
    pub(super) fn on(pes: u32) -> Self {
        Ring { pes }
    }
}

impl Partners for Ring {
    fn at_most(&self) -> u64 {
        u64::from(self.pes)
    }

    fn push(&self, pe: u32, partners: &mut Vec<u32>) {
        partners.extend([(pe + 1) % self.pes, (pe + self.pes - 1) % self.pes]);
    }
}
