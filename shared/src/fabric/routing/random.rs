//! Chance against uneven traffic: a random host on the way, or logical hosts at random places (topology paper, sections 2.1
//! and 4).

use super::Routing;

/// Paths that lead to some other host first and from there to the destination; whoever sends chooses one at random. There are
/// as many as other hosts; where that host cannot be reached, the path is the direct one.
#[derive(Clone, Debug)]
pub struct RandomIntermediate<R> {
    hosts: u32,
    within: R,
}

impl<R: Routing> RandomIntermediate<R> {
    /// Over the first path that `within` has for each half of the way, in a network of so many hosts.
    pub fn new(hosts: u32, within: R) -> RandomIntermediate<R> {
        RandomIntermediate { hosts, within }
    }
}

impl<R: Routing> Routing for RandomIntermediate<R> {
    fn choices(&self, from: u32, to: u32) -> u32 {
        match self.within.choices(from, to) {
            0 => 0,
            _ if from == to => 1,
            _ => self.hosts.saturating_sub(2).max(1),
        }
    }

    fn path(&self, from: u32, to: u32, choice: u32, channels: &mut Vec<u32>) {
        let between = nth_other(choice, from, to);
        let halves = [(from, between), (between, to)];
        let open = between < self.hosts && halves.iter().all(|&(a, b)| self.within.choices(a, b) > 0);
        if from == to || !open {
            return self.within.path(from, to, 0, channels);
        }
        halves.iter().for_each(|&(a, b)| self.within.path(a, b, 0, channels));
    }
}

/// The host of that number, counted without two of them.
fn nth_other(number: u32, a: u32, b: u32) -> u32 {
    let (low, high) = (a.min(b), a.max(b));
    let number = number + u32::from(number >= low);
    number + u32::from(number >= high)
}

/// Logical hosts at random places of a network.
#[derive(Clone, Debug)]
pub struct RandomPlacement<R> {
    places: Vec<u32>,
    within: R,
}

impl<R: Routing> RandomPlacement<R> {
    /// Every logical host at a place of its own, by chance: the same for the same seed.
    pub fn new(hosts: u32, seed: u64, within: R) -> RandomPlacement<R> {
        let mut places: Vec<u32> = (0..hosts).collect();
        let mut state = seed;
        for left in (1..places.len()).rev() {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let place = (u128::from(spread(state)) * (left as u128 + 1)) >> 64;
            places.swap(left, place as usize);
        }
        RandomPlacement { places, within }
    }

    /// Where a logical host is.
    pub fn place(&self, host: u32) -> u32 {
        self.places[host as usize]
    }
}

/// The finaliser of SplitMix64, which spreads every bit over all others.
fn spread(mut bits: u64) -> u64 {
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

impl<R: Routing> Routing for RandomPlacement<R> {
    fn choices(&self, from: u32, to: u32) -> u32 {
        self.within.choices(self.place(from), self.place(to))
    }

    fn path(&self, from: u32, to: u32, choice: u32, channels: &mut Vec<u32>) {
        self.within.path(self.place(from), self.place(to), choice, channels);
    }
}
