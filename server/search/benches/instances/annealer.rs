//! A plain annealer, as a measure for the search: one thread, one move, restarts of twice the length.
//!
//! A random uncovered pair (a, b) moves one NI of a to a switch of b, in exchange for the occupant that loses least
//! of 14 neighbouring ones. The exact change is accepted at a temperature that falls geometrically from 0.65 to 0.28
//! pairs. For each NI, one word has a bit for each partner of its PE on its switch. It shares no code with the engine.

use spec::{demand::Demand, design::Design, random::Rng};
use std::time::Instant;

/// Occupants compared.
const CANDIDATES: usize = 14;
/// First and last temperature, in pairs.
const HOT: f64 = 0.65;
const COOL: f64 = 0.28;
/// Moves per NI of the first descent; each further one has twice as many.
const FIRST: u64 = 640;
/// Temperatures per descent.
const STEPS: u64 = 100;
const NONE: u32 = u32::MAX;

/// Result of an annealing.
pub struct Annealed {
    /// The wiring with the fewest uncovered pairs.
    pub design: Design,
    /// Seconds.
    pub seconds: f64,
}

/// Anneals until every pair is covered, or for `limit` seconds. `nis` is per PE, and every switch has `ports`.
/// `None` if a PE has more than 64 partners.
pub fn anneal(demand: &Demand, nis: u32, ports: u32, seed: u64, limit: f64) -> Option<Annealed> {
    match nis {
        3 => State::<3>::new(demand, ports, seed)?.run(limit),
        4 => State::<4>::new(demand, ports, seed)?.run(limit),
        5 => State::<5>::new(demand, ports, seed)?.run(limit),
        _ => return None,
    }
    .into()
}

struct State<const NIS: usize> {
    pes: usize,
    width: usize,
    rng: Rng,
    /// Partners of each PE, and the place of the PE in the list of each partner.
    partners: Vec<Vec<(u32, u8)>>,
    full: Vec<u64>,
    /// Switch and port of each NI of a PE; NIs of dummy PEs fill the ports that remain.
    switch: Vec<[u32; NIS]>,
    port: Vec<[u32; NIS]>,
    met: Vec<[u64; NIS]>,
    /// PE and NI at each port, and the partners that only this NI meets.
    at: Vec<(u32, u8)>,
    sole: Vec<u8>,
    missing: Vec<u64>,
    /// PEs with missing partners, and the place of each PE among them.
    open: Vec<u32>,
    place: Vec<u32>,
    uncovered: u64,
}

impl<const NIS: usize> State<NIS> {
    fn new(demand: &Demand, ports: u32, seed: u64) -> Option<Self> {
        let (pes, width) = (demand.pes() as usize, ports as usize);
        let mut lists = vec![Vec::new(); pes];
        for (a, b) in demand.pairs() {
            lists[a as usize].push((b, 0));
            lists[b as usize].push((a, 0));
        }
        if lists.iter().any(|list| list.len() > 64) {
            return None;
        }
        let partners = lists.iter().enumerate().map(|(a, list)| {
            let place = |&(b, _): &(u32, u8)| {
                let place = lists[b as usize].iter().position(|&(back, _)| back as usize == a);
                (b, place.unwrap_or(0) as u8)
            };
            list.iter().map(place).collect()
        });
        let full = |list: &Vec<_>| if list.len() == 64 { u64::MAX } else { (1 << list.len()) - 1 };
        let places = (pes * NIS).div_ceil(width) * width;
        Some(State {
            pes,
            width,
            rng: Rng::new(seed, 0),
            partners: partners.collect(),
            full: lists.iter().map(full).collect(),
            switch: vec![[NONE; NIS]; pes],
            port: vec![[NONE; NIS]; pes],
            met: vec![[0; NIS]; pes],
            at: vec![(NONE, 0); places],
            sole: vec![0; places],
            missing: vec![0; pes],
            open: Vec::new(),
            place: vec![NONE; pes],
            uncovered: 0,
        })
    }

    fn run(mut self, limit: f64) -> Annealed {
        let began = Instant::now();
        let mut best = (u64::MAX, Vec::new());
        let mut moves = FIRST * (self.pes * NIS) as u64;
        while best.0 > 0 && began.elapsed().as_secs_f64() < limit {
            self.scatter();
            self.descend(moves, began, limit);
            if self.uncovered < best.0 {
                best = (self.uncovered, self.switch.clone());
            }
            moves *= 2;
        }
        let switches = (self.at.len() / self.width) as u32;
        let members = |s: u32| (0..self.pes as u32).filter(|&pe| best.1[pe as usize].contains(&s)).collect();
        let design = Design::from_switches(self.pes as u32, (0..switches).map(members));
        Annealed { design, seconds: began.elapsed().as_secs_f64() }
    }

    /// A random wiring: NIs in order, exchanged at random where no PE comes to be on a switch twice.
    fn scatter(&mut self) {
        self.at.fill((NONE, 0));
        let switches = self.at.len() / self.width;
        for pe in 0..self.pes {
            for k in 0..NIS {
                let nth = pe * NIS + k;
                let port = (nth % switches) * self.width + nth / switches;
                self.seat((pe as u32, k as u8), port as u32);
            }
        }
        for _ in 0..4 * self.at.len() {
            let [a, b] = [0; 2].map(|_| self.rng.below(self.at.len() as u32));
            let ((pe, _), (other, _)) = (self.at[a as usize], self.at[b as usize]);
            let (from, to) = (a / self.width as u32, b / self.width as u32);
            if (pe == NONE || !self.is_on(pe, to)) && (other == NONE || !self.is_on(other, from)) {
                let (ni, occupant) = (self.at[a as usize], self.at[b as usize]);
                self.seat(ni, b);
                self.seat(occupant, a);
            }
        }
        for pe in 0..self.pes {
            for k in 0..NIS {
                self.met[pe][k] = self.there(pe as u32, self.switch[pe][k], NONE);
            }
        }
        (0..self.pes as u32).for_each(|pe| self.count(pe));
    }

    fn descend(&mut self, moves: u64, began: Instant, limit: f64) {
        for step in 0..STEPS {
            let temperature = HOT * (COOL / HOT).powf(step as f64 / (STEPS - 1) as f64);
            let chances: [u32; 16] =
                std::array::from_fn(|d| ((-(d as f64 + 1.0) / temperature).exp() * 4_294_967_296.0) as u32);
            for turn in 0..moves / STEPS {
                if self.open.is_empty() || turn % 65_536 == 0 && began.elapsed().as_secs_f64() >= limit {
                    return;
                }
                let draw = self.rng.bits();
                let accepted = chances.iter().take_while(|&&chance| draw < chance).count() as i32;
                self.attempt(accepted);
            }
        }
    }

    fn attempt(&mut self, accepted: i32) {
        let a = self.open[self.rng.below(self.open.len() as u32) as usize];
        let mut missing = self.missing[a as usize];
        for _ in 0..self.rng.below(missing.count_ones()) {
            missing &= missing - 1;
        }
        let b = self.partners[a as usize][missing.trailing_zeros() as usize].0;
        let to = self.switch[b as usize][self.rng.below(NIS as u32) as usize];
        let k = self.rng.below(NIS as u32) as usize;
        let from = self.switch[a as usize][k];
        if self.is_on(a, to) {
            return;
        }
        // The occupant that loses least.
        let (first, start) = (to as usize * self.width, self.rng.below(self.width as u32) as usize);
        let mut best = (u8::MAX, NONE);
        for turn in 0..CANDIDATES.min(self.width) {
            let port = first + (start + turn) % self.width;
            let (other, _) = self.at[port];
            let loss = if other == NONE { 0 } else { self.sole[port] + 1 };
            if loss < best.0 && (other == NONE || !self.is_on(other, from)) {
                best = (loss, port as u32);
            }
        }
        let (_, port) = best;
        if port == NONE {
            return;
        }
        let (other, theirs) = self.at[port as usize];
        let place = self.port[a as usize][k];
        let mut change = i32::from(self.sole[place as usize]) - self.gain(a, k, to, other);
        if other != NONE {
            change += i32::from(self.sole[port as usize]);
            let hope = self.missing[other as usize].count_ones() as i32 + i32::from(self.sole[port as usize]);
            if change - hope > accepted {
                return;
            }
            change -= self.gain(other, theirs as usize, from, a);
        }
        if change > accepted {
            return;
        }
        self.leave(a, k);
        if other != NONE {
            self.leave(other, theirs as usize);
        }
        self.seat((other, theirs), place);
        self.seat((a, k as u8), port);
        self.join(a, k);
        if other != NONE {
            self.join(other, theirs as usize);
            self.count(other);
        }
        self.count(a);
    }

    fn is_on(&self, pe: u32, switch: u32) -> bool {
        self.switch[pe as usize].iter().fold(false, |hit, &s| hit | (s == switch))
    }

    /// Partners of a PE on a switch, without one of them.
    fn there(&self, pe: u32, switch: u32, without: u32) -> u64 {
        let mut word = 0;
        for (bit, &(other, _)) in self.partners[pe as usize].iter().enumerate() {
            word |= u64::from(self.is_on(other, switch) & (other != without)) << bit;
        }
        word
    }

    fn gain(&self, pe: u32, k: usize, switch: u32, without: u32) -> i32 {
        let met = &self.met[pe as usize];
        let others = (0..NIS).fold(0, |any, j| any | if j == k { 0 } else { met[j] });
        (self.there(pe, switch, without) & !others).count_ones() as i32
    }

    fn seat(&mut self, (pe, k): (u32, u8), port: u32) {
        self.at[port as usize] = (pe, k);
        if pe != NONE {
            self.switch[pe as usize][k as usize] = port / self.width as u32;
            self.port[pe as usize][k as usize] = port;
        }
    }

    fn leave(&mut self, pe: u32, k: usize) {
        let word = std::mem::take(&mut self.met[pe as usize][k]);
        self.tell(pe, k, word, false);
        self.switch[pe as usize][k] = NONE;
    }

    fn join(&mut self, pe: u32, k: usize) {
        let word = self.there(pe, self.switch[pe as usize][k], NONE);
        self.met[pe as usize][k] = word;
        self.tell(pe, k, word, true);
    }

    /// Sets or clears a PE's bit at partners on the same switch.
    fn tell(&mut self, pe: u32, k: usize, mut word: u64, here: bool) {
        let switch = self.switch[pe as usize][k];
        while word != 0 {
            let (other, place) = self.partners[pe as usize][word.trailing_zeros() as usize];
            word &= word - 1;
            if let Some(j) = (0..NIS).find(|&j| self.switch[other as usize][j] == switch) {
                let mask = 1 << place;
                let met = &mut self.met[other as usize][j];
                *met = if here { *met | mask } else { *met & !mask };
                self.count(other);
            }
        }
    }

    /// Counts again what each NI of a PE meets alone, and the missing partners.
    fn count(&mut self, pe: u32) {
        let p = pe as usize;
        let (mut any, mut twice) = (0, 0);
        for word in self.met[p] {
            twice |= any & word;
            any |= word;
        }
        for k in 0..NIS {
            self.sole[self.port[p][k] as usize] = (self.met[p][k] & !twice).count_ones() as u8;
        }
        let missing = self.full[p] & !any;
        self.uncovered =
            self.uncovered + u64::from(missing.count_ones()) - u64::from(self.missing[p].count_ones());
        self.missing[p] = missing;
        match (missing != 0, self.place[p]) {
            (true, NONE) => {
                self.place[p] = self.open.len() as u32;
                self.open.push(pe);
            }
            (false, place) if place != NONE => {
                self.open.swap_remove(place as usize);
                if let Some(&moved) = self.open.get(place as usize) {
                    self.place[moved as usize] = place;
                }
                self.place[p] = NONE;
            }
            _ => {}
        }
    }
}
