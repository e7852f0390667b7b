//! Event queue: a ring of the next 4,096 cycles, each with its events, and a heap for later ones.
//!
//! A cycle without events costs one bit. The ring keeps its memory, so that nothing is allocated in the long run.

use std::{cmp::Reverse, collections::BinaryHeap};

const CYCLES: u64 = 1 << 12;
const WORDS: usize = (CYCLES / 64) as usize;

/// Kind of an event and the number of its object.
pub(crate) type Event = u32;

pub(crate) struct Wheel {
    now: u64,
    ring: Vec<Vec<Event>>,
    /// One bit per cycle of the ring, set if it has events.
    due: [u64; WORDS],
    far: BinaryHeap<Reverse<(u64, Event)>>,
}

impl Wheel {
    pub fn new() -> Wheel {
        Wheel { now: 0, ring: vec![Vec::new(); CYCLES as usize], due: [0; WORDS], far: BinaryHeap::new() }
    }

    /// Adds an event for a cycle after `now`, or for cycle 0.
    #[inline]
    pub fn add(&mut self, time: u64, event: Event) {
        debug_assert!(time > self.now || time == 0);
        if time - self.now >= CYCLES {
            self.far.push(Reverse((time, event)));
            return;
        }
        let place = (time % CYCLES) as usize;
        self.ring[place].push(event);
        self.due[place / 64] |= 1 << (place % 64);
    }

    /// First cycle from `now` on that has events.
    pub fn next(&self) -> Option<u64> {
        let far = self.far.peek().map(|Reverse((time, _))| *time);
        let near = self.next_near();
        [near, far].into_iter().flatten().min()
    }

    fn next_near(&self) -> Option<u64> {
        let start = (self.now % CYCLES) as usize;
        let (word, bit) = (start / 64, start % 64);
        // The word of `now` is read twice: first the bits from `now` on, at the end those before it.
        for step in 0..=WORDS {
            let at = (word + step) % WORDS;
            let mask = match step {
                0 => u64::MAX << bit,
                WORDS => !(u64::MAX << bit),
                _ => u64::MAX,
            };
            let bits = self.due[at] & mask;
            if bits != 0 {
                let place = (at * 64) as u64 + u64::from(bits.trailing_zeros());
                return Some(self.now + (place + CYCLES - start as u64) % CYCLES);
            }
        }
        None
    }

    /// Advances to the cycle returned by [`Wheel::next`] and moves its events into `events`, which is cleared first.
    pub fn take(&mut self, time: u64, events: &mut Vec<Event>) {
        self.now = time;
        let place = (time % CYCLES) as usize;
        events.clear();
        std::mem::swap(events, &mut self.ring[place]);
        self.due[place / 64] &= !(1 << (place % 64));
        while self.far.peek().is_some_and(|Reverse((far, _))| *far == time) {
            events.extend(self.far.pop().map(|Reverse((_, event))| event));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_in_the_order_of_their_cycles() {
        let times = [0, 1, 63, 64, 4095, 4096, 4097, 9000, 8191, 100_000];
        let mut wheel = Wheel::new();
        for (event, &time) in (0..).zip(&times) {
            wheel.add(time, event);
        }
        let mut sorted = times;
        sorted.sort_unstable();
        let mut events = Vec::new();
        for time in sorted {
            assert_eq!(wheel.next(), Some(time));
            wheel.take(time, &mut events);
            assert_eq!(events.iter().map(|&event| times[event as usize]).collect::<Vec<_>>(), [time]);
        }
        assert_eq!(wheel.next(), None);
    }

    #[test]
    fn the_ring_wraps_around() {
        let (mut wheel, mut events) = (Wheel::new(), Vec::new());
        let mut time = 0;
        for step in 0..10_000u64 {
            let next = time + 1 + (step * 2_654_435_761) % (CYCLES + 5);
            wheel.add(next, step as u32);
            assert_eq!(wheel.next(), Some(next));
            wheel.take(next, &mut events);
            assert_eq!(events, [step as u32]);
            time = next;
        }
    }
}
