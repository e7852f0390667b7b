//! Advanced routing tables (Dietz and Mattox 2000, section 3.3): for every pair of PEs a tuple that gives, for each NI of the
//! source, the NI of the destination that it leads to. A message can then be cut into pieces that use all shared switches at
//! once.
//!
//! A tuple is packed into one integer, which a shift and an AND take apart. Fields hold the other NI plus 1, so that 0 is an NI
//! that does not lead there. The layout is the same for all PEs of a design: KLAT2's four NIs take three bits each, two bytes
//! per tuple, 128 bytes per node. Tuples of many NIs take several words of 64 bits; no field spans two.

use super::MultiRoutes;
use crate::design::Path;

/// Layout of packed tuples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TupleLayout {
    /// Fields per tuple: the max NIs per PE, at least 1.
    pub nis: u32,
    /// Bits per field.
    pub field_bits: u32,
    /// Bits per word: 8, 16, 32 or 64.
    pub word_bits: u32,
    /// Words per tuple; more than 1 only with words of 64 bits.
    pub words: u32,
}

impl TupleLayout {
    /// The smallest layout for PEs with up to `nis` NIs; 0 counts as 1.
    pub fn of(nis: u32) -> TupleLayout {
        let nis = nis.max(1);
        let field_bits = u32::BITS - nis.leading_zeros();
        let whole = nis * field_bits;
        let word_bits = [8, 16, 32].into_iter().find(|&bits| whole <= bits).unwrap_or(64);
        TupleLayout { nis, field_bits, word_bits, words: nis.div_ceil(word_bits / field_bits) }
    }

    /// Fields per word. The first is in the lowest bits.
    pub fn fields_per_word(self) -> u32 {
        self.word_bits / self.field_bits
    }

    /// Bytes of a PE's table.
    pub fn table_bytes(self, pes: u32) -> u64 {
        u64::from(pes) * u64::from(self.words) * u64::from(self.word_bits / 8)
    }

    /// Packs the paths from one PE to another: [`TupleLayout::words`] words. NIs are below [`TupleLayout::nis`].
    pub fn pack(self, paths: &[Path]) -> Vec<u64> {
        let mut words = vec![0; self.words as usize];
        for path in paths {
            let (word, shift) = self.place(path.ni);
            words[word] |= u64::from(path.other_ni + 1) << shift;
        }
        words
    }

    /// The destination's NI that an NI of the source leads to, from a packed tuple; `None` if it does not lead there.
    pub fn other_ni(self, tuple: &[u64], ni: u32) -> Option<u32> {
        let (word, shift) = self.place(ni);
        let field = tuple.get(word)? >> shift & ((1 << self.field_bits) - 1);
        (field as u32).checked_sub(1).filter(|_| ni < self.nis)
    }

    /// The word of a field, and its lowest bit there.
    fn place(self, ni: u32) -> (usize, u32) {
        ((ni / self.fields_per_word()) as usize, ni % self.fields_per_word() * self.field_bits)
    }
}

/// The tuples of all PEs, computed from the paths on request.
#[derive(Clone, Copy, Debug)]
pub struct Advanced<'a> {
    routes: &'a MultiRoutes,
    layout: TupleLayout,
}

/// A destination and its packed tuple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tuple {
    /// The destination.
    pub dest: u32,
    /// [`TupleLayout::words`] words.
    pub words: Vec<u64>,
}

/// Tuples for the paths of a design.
pub fn advanced(routes: &MultiRoutes) -> Advanced<'_> {
    let whole = routes.working().whole();
    let most = (0..routes.working().design().pes()).map(|pe| whole.of(pe).len()).max();
    Advanced { routes, layout: TupleLayout::of(most.unwrap_or(0) as u32) }
}

impl Advanced<'_> {
    /// Layout of the tuples, the same for all PEs.
    pub fn layout(&self) -> TupleLayout {
        self.layout
    }

    /// The tuple of every PE that shares a switch with `pe`, by ascending destination. Empty for a PE outside the design.
    pub fn tuples(&self, pe: u32) -> impl Iterator<Item = Tuple> + '_ {
        let layout = self.layout;
        let neighbours = self.routes.neighbours(pe).into_iter();
        neighbours.map(move |n| Tuple { dest: n.pe, words: layout.pack(&n.paths) })
    }
}
