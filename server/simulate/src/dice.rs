//! Randomness: a portable generator, so that a seed means the same on every machine.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Odd, with bits well mixed: keeps the streams of a seed apart.
const STRIDE: u64 = 0x9E37_79B9_7F4A_7C15;

/// One stream of randomness.
#[derive(Clone, Debug)]
pub struct Dice(Xoshiro256PlusPlus);

impl Dice {
    /// Stream number `stream` of a seed.
    pub fn new(seed: u64, stream: u64) -> Dice {
        Dice(Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_add(stream.wrapping_mul(STRIDE))))
    }

    /// A number below `n`, 0 if there is none. A multiplication and a shift: the bias is below n / 2^32.
    #[inline]
    pub fn below(&mut self, n: u32) -> u32 {
        (((self.0.next_u64() >> 32) * u64::from(n)) >> 32) as u32
    }

    /// A number above 0, at most 1.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// Puts a slice in random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u32 + 1) as usize);
        }
    }
}
