//! Randomness: a portable generator, so that a seed means the same on every machine.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

/// Odd, with bits well mixed: keeps the islands' seeds apart.
const STRIDE: u64 = 0x9E37_79B9_7F4A_7C15;

/// One island's source of randomness.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Dice(Xoshiro256PlusPlus);

impl Dice {
    /// Dice number `stream` of a seed.
    pub fn new(seed: u64, stream: u64) -> Dice {
        Dice(Xoshiro256PlusPlus::seed_from_u64(seed ^ stream.wrapping_mul(STRIDE)))
    }

    /// 32 random bits.
    #[inline]
    pub fn bits(&mut self) -> u32 {
        (self.0.next_u64() >> 32) as u32
    }

    /// A number below `n`, 0 if there is none. A multiplication and a shift: the bias is below n / 2^32.
    #[inline]
    pub fn below(&mut self, n: u32) -> u32 {
        ((u64::from(self.bits()) * u64::from(n)) >> 32) as u32
    }

    /// An element of a slice, if it has any.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(of.len() as u32) as usize)
    }

    /// Whether something of this chance in a thousand happens.
    pub fn chance(&mut self, permille: u32) -> bool {
        self.below(1000) < permille
    }

    /// Puts a slice in random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u32 + 1) as usize);
        }
    }
}
