//! Seeded random numbers and a stable hash: the same on every machine.

use rand::{Rng as _, RngExt as _, SeedableRng as _, distr::OpenClosed01};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// Odd, with bits well mixed: keeps the streams of a seed apart.
pub const STRIDE: u64 = 0x9E37_79B9_7F4A_7C15;

/// One stream of random numbers (xoshiro256++). Bounded draws and shuffles are written here, since those of `rand` change
/// between versions and a seed must keep its designs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rng(Xoshiro256PlusPlus);

impl Rng {
    /// Stream number `stream` of a seed.
    pub fn new(seed: u64, stream: u64) -> Rng {
        Rng::seeded(seed ^ stream.wrapping_mul(STRIDE))
    }

    /// The stream of a seed that the caller has mixed.
    pub fn seeded(seed: u64) -> Rng {
        Rng(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// 32 random bits.
    #[inline]
    pub fn bits(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// A number below `n`, or 0 if `n` is 0. One multiplication and a shift: the bias is below n / 2^32.
    #[inline]
    pub fn below(&mut self, n: u32) -> u32 {
        ((u64::from(self.bits()) * u64::from(n)) >> 32) as u32
    }

    /// A number above 0, up to 1.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        self.0.sample(OpenClosed01)
    }

    /// An element of a slice, if it has any.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len() as u32) as usize)
    }

    /// `true` with this chance in a thousand.
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

/// Mixes the bits of a number: the last step of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
/// generators", 2014, figure 17).
pub fn mix(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

/// [`mix`] of an ordered pair of nodes.
pub fn mix_pair(from: u32, to: u32) -> u64 {
    mix(u64::from(from) << 32 | u64::from(to))
}

/// FNV-1a of bytes: marks checkpoints, and no defence against anybody who wants a collision.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_keeps_its_numbers() {
        let (mut rng, mut raw) =
            (Rng::new(7, 3), Xoshiro256PlusPlus::seed_from_u64(7 ^ STRIDE.wrapping_mul(3)));
        for _ in 0..100 {
            assert_eq!(rng.bits(), (raw.next_u64() >> 32) as u32);
            assert_eq!(rng.unit(), ((raw.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64);
            assert_eq!(rng.below(1000), (((raw.next_u64() >> 32) * 1000) >> 32) as u32);
        }
        assert_eq!(Rng::seeded(1).below(0), 0);
    }

    #[test]
    fn the_hash_is_fnv_1a() {
        assert_eq!((fnv1a(b""), fnv1a(b"foobar")), (0xcbf2_9ce4_8422_2325, 0x8594_4171_f739_67e8));
    }
}
