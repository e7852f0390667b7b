//! Which partitions go on which NI.
//!
//! A branching search: digit by digit, the ones with most values first, each cover of the digit's graph, each way to put
//! its partitions on different NIs with room for them. NIs with equal room are the same; what is left of rooms after some
//! digits and was found hopeless is remembered.

use super::{cover::Cover, digits::Digits};
use std::collections::HashSet;

/// Most partial allotments looked at.
const MOST_STEPS: u32 = 100_000;

/// Which cover a digit has, and the NI of each of its partitions.
#[derive(Clone, Debug, Default)]
pub struct Seating {
    pub cover: usize,
    pub nis: Vec<usize>,
}

/// Digits, covers and NIs to put together.
pub struct Allotment<'a> {
    digits: &'a Digits,
    covers: &'a [Vec<Cover>],
    /// Digits, those with most values first.
    order: Vec<usize>,
    rooms: Vec<u32>,
}

struct Run<'a> {
    offer: &'a mut dyn FnMut(&[Seating]) -> bool,
    seatings: Vec<Seating>,
    hopeless: HashSet<(usize, Vec<u32>)>,
    steps: u32,
}

/// How a branch ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Nothing,
    Something,
    Stop,
}

impl<'a> Allotment<'a> {
    /// On `nis` NIs, each of which may multiply its partitions' sizes up to `width`.
    pub fn new(digits: &'a Digits, covers: &'a [Vec<Cover>], width: u32, nis: u32) -> Allotment<'a> {
        let mut order: Vec<usize> = (0..digits.places.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(digits.graphs[digits.places[at].graph].size));
        Allotment { digits, covers, order, rooms: vec![width; nis as usize] }
    }

    /// Hands out allotments, seatings in the order of digits, until `offer` says to stop.
    pub fn each(&self, offer: &mut dyn FnMut(&[Seating]) -> bool) {
        let seatings = vec![Seating::default(); self.order.len()];
        let mut run = Run { offer, seatings, hopeless: HashSet::new(), steps: 0 };
        self.digit(0, &mut self.rooms.clone(), &mut run);
    }

    fn digit(&self, at: usize, rooms: &mut Vec<u32>, run: &mut Run<'_>) -> End {
        let Some(&digit) = self.order.get(at) else {
            return if (run.offer)(&run.seatings) { End::Stop } else { End::Something };
        };
        let mut key = rooms.clone();
        key.sort_unstable();
        run.steps += 1;
        if run.steps > MOST_STEPS {
            return End::Stop;
        }
        let key = (at, key);
        if run.hopeless.contains(&key) {
            return End::Nothing;
        }
        let mut end = End::Nothing;
        for cover in 0..self.covers[self.digits.places[digit].graph].len() {
            run.seatings[digit] = Seating { cover, nis: Vec::new() };
            match self.layer(at, rooms, run) {
                End::Stop => return End::Stop,
                End::Something => end = End::Something,
                End::Nothing => {}
            }
        }
        if end == End::Nothing {
            run.hopeless.insert(key);
        }
        end
    }

    /// Puts the next partition of digit number `at` in the order on an NI: where it leaves least room, first.
    fn layer(&self, at: usize, rooms: &mut Vec<u32>, run: &mut Run<'_>) -> End {
        let digit = self.order[at];
        let seating = &run.seatings[digit];
        let sizes = &self.covers[self.digits.places[digit].graph][seating.cover].sizes;
        let Some(&size) = sizes.get(seating.nis.len()) else { return self.digit(at + 1, rooms, run) };
        let mut nis: Vec<usize> =
            (0..rooms.len()).filter(|ni| rooms[*ni] >= size && !seating.nis.contains(ni)).collect();
        nis.sort_by_key(|&ni| (rooms[ni], ni));
        nis.dedup_by_key(|ni| rooms[*ni]);
        let mut end = End::Nothing;
        for ni in nis {
            let room = rooms[ni];
            rooms[ni] = room / size;
            run.seatings[digit].nis.push(ni);
            let branch = self.layer(at, rooms, run);
            run.seatings[digit].nis.pop();
            rooms[ni] = room;
            match branch {
                End::Stop => return End::Stop,
                End::Something => end = End::Something,
                End::Nothing => {}
            }
        }
        end
    }
}
