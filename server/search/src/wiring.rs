//! The search's working copy of a wiring: state and queries here, `evaluate` for gains and losses, `apply` for
//! changes, and `fast` for both in the common case.
//!
//! For each NI, `met` has one bit for each partner of its PE: set if that partner is on the NI's switch. A pair is
//! served if the OR over a PE's NIs has its bit; losses and gains are popcounts. Nothing of size PEs × switches is
//! stored. An empty port counts as the NI of a dummy PE, an unconnected NI as one on a dummy switch. So every change
//! is a swap of two places, which cannot break a limit. Pairs that want several links are counted by levels. With
//! weights or extra links, values replace counts. Under rails, a swap stays within a plane.

mod apply;
mod evaluate;
mod fast;

use crate::{
    graph::PeSet,
    problem::{NONE, Problem},
};
use serde::{Deserialize, Serialize};
use spec::{cancel::checked, random::Rng};

/// Loss of an empty port.
const EMPTY: i32 = -1;
/// The change of a swap that breaks a rule.
pub const FORBIDDEN: i64 = i64::MAX;

/// A wiring as the switch of every NI, or [`NONE`].
pub type Genome = Vec<u32>;

/// A swap of two places: NI `ni` goes to port `port`, and its occupant goes to the NI's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swap {
    /// The NI that moves.
    pub ni: u32,
    /// New switch; the NI's PE must not be on it yet.
    pub switch: u32,
    /// New port. The occupant's PE must not be on the NI's old switch.
    pub port: u32,
}

/// The full state of a wiring, for a checkpoint: a restored wiring continues in exactly the same way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Snapshot {
    switch: Genome,
    port: Vec<u32>,
    deficient: Vec<u32>,
}

/// A wiring under work.
#[derive(Clone, Debug)]
pub struct Wiring<'p> {
    /// The instance.
    pub problem: &'p Problem,
    switch: Genome,
    port: Vec<u32>,
    ni_at: Vec<u32>,
    /// For each NI, the partners on its switch.
    met: Vec<u64>,
    /// For each port, the value of the links that only its NI provides, or [`EMPTY`].
    sole_at: Vec<i32>,
    /// For each PE, its pairs with missing links, extra ones included.
    open: Vec<u32>,
    /// For each PE, its uncovered pairs: those with required links missing.
    uncovered: Vec<u32>,
    /// For each PE, the value of its missing links.
    deficit: Vec<u32>,
    /// PEs with missing links.
    deficient: PeSet,
    uncovered_total: u64,
    deficit_total: u64,
    moved: u32,
    max_moved: u32,
    changed: Changed,
}

/// PEs and switches that a batch of moves has changed: stamped with its number.
#[derive(Clone, Debug)]
struct Changed {
    batch: u32,
    pes: Vec<u32>,
    switches: Vec<u32>,
}

impl<'p> Wiring<'p> {
    /// A wiring without connections.
    pub fn empty(problem: &'p Problem) -> Wiring<'p> {
        let (nis, pes) = (problem.nis() as usize, problem.pes() as usize);
        Wiring {
            problem,
            switch: vec![NONE; nis],
            port: vec![NONE; nis],
            ni_at: vec![NONE; problem.ports() as usize],
            met: vec![0; problem.all_words()],
            sole_at: vec![EMPTY; problem.ports() as usize],
            open: vec![0; pes],
            uncovered: vec![0; pes],
            deficit: vec![0; pes],
            deficient: PeSet::empty(problem.pes()),
            uncovered_total: 0,
            deficit_total: 0,
            moved: 0,
            max_moved: problem.rules().and_then(|rules| rules.max_moved).unwrap_or(u32::MAX),
            changed: Changed { batch: 0, pes: vec![0; pes], switches: vec![0; problem.switches() as usize] },
        }
    }

    /// Replaces the whole wiring, without connections that break a limit. If `go_on` said no, disconnects everything
    /// and returns `false`.
    pub fn load(&mut self, genome: &[u32], go_on: &mut dyn FnMut() -> bool) -> bool {
        self.connect_all(genome);
        let whole = self.meet_all(go_on);
        if !whole {
            self.connect_all(&[]);
            self.met.fill(0);
        }
        // Random picks depend on the order of this list, which must not depend on the previous wiring.
        self.deficient.reset(&[]);
        checked(0..self.problem.pes()).for_each(|pe| self.refresh(pe));
        whole
    }

    /// The full state.
    pub fn snapshot(&self) -> Snapshot {
        let (switch, port) = (self.switch.clone(), self.port.clone());
        Snapshot { switch, port, deficient: self.deficient.list().to_vec() }
    }

    /// Restores a snapshot of a wiring of the same instance.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        self.connect_all(&snapshot.switch);
        // The switches match now; only the ports on each switch may differ.
        self.ni_at.fill(NONE);
        self.sole_at.fill(EMPTY);
        for ni in 0..self.problem.nis() {
            let at = ni as usize;
            if self.switch[at] != NONE {
                self.put(ni, self.switch[at], snapshot.port.get(at).copied().unwrap_or(self.port[at]));
            }
        }
        self.meet_all(&mut || true);
        checked(0..self.problem.pes()).for_each(|pe| self.refresh(pe));
        if snapshot.deficient.len() == self.deficient.list().len() {
            self.deficient.reset(&snapshot.deficient);
        }
    }

    fn connect_all(&mut self, genome: &[u32]) {
        self.switch.fill(NONE);
        self.port.fill(NONE);
        self.ni_at.fill(NONE);
        self.sole_at.fill(EMPTY);
        let mut next: Vec<usize> =
            (0..self.problem.switches()).map(|s| self.problem.ports_of(s).start).collect();
        if let Some(rules) = self.problem.rules() {
            // Required connections come first, on the NIs that the genome uses for them.
            for pe in 0..self.problem.pes() {
                for switch in rules.required_of(pe) {
                    self.connect_required(pe, switch, genome, &mut next);
                }
            }
        }
        for (ni, &switch) in checked(genome.iter().enumerate().take(self.switch.len())) {
            if self.switch[ni] == NONE {
                self.connect(ni as u32, switch, &mut next);
            }
        }
        self.moved = self.problem.rules().map_or(0, |rules| {
            let gone = |pe| rules.originals_of(pe).filter(|&s| !self.is_on(pe, s)).count() as u32;
            (0..self.problem.pes()).map(gone).sum()
        });
    }

    /// Connects the NI that the genome has on this switch, or else the least important one, preferably idle.
    fn connect_required(&mut self, pe: u32, switch: u32, genome: &[u32], next: &mut [usize]) {
        let nis = self.problem.nis_of(pe);
        let rank = |ni: usize| match (genome.get(ni).copied().unwrap_or(NONE), self.problem.rules()) {
            (has, _) if has == switch => 0,
            (NONE, _) | (_, None) => 1,
            (has, Some(rules)) if rules.is_required(pe, has) => 4,
            (has, Some(rules)) if rules.is_original(pe, has) => 3,
            _ => 2,
        };
        let may = |&ni: &usize| self.switch[ni] == NONE && self.problem.keeps_rail(ni as u32, switch);
        if let Some(ni) = nis.filter(may).min_by_key(|&ni| rank(ni)) {
            self.connect(ni as u32, switch, next);
        }
    }

    fn connect(&mut self, ni: u32, switch: u32, next: &mut [usize]) {
        let pe = self.problem.owner(ni);
        if switch < self.problem.switches()
            && next[switch as usize] < self.problem.ports_of(switch).end
            && !self.is_on(pe, switch)
            && self.problem.keeps_rail(ni, switch)
            && self.problem.rules().is_none_or(|rules| rules.is_allowed(pe, switch))
        {
            self.put(ni, switch, next[switch as usize] as u32);
            next[switch as usize] += 1;
        }
    }

    fn put(&mut self, ni: u32, switch: u32, port: u32) {
        self.switch[ni as usize] = switch;
        self.port[ni as usize] = port;
        if port != NONE {
            self.ni_at[port as usize] = ni;
        }
    }

    fn meet_all(&mut self, go_on: &mut dyn FnMut() -> bool) -> bool {
        for pe in checked(0..self.problem.pes()) {
            if pe % 1024 == 0 && !go_on() {
                return false;
            }
            for ni in self.problem.nis_of(pe) {
                let switch = self.switch[ni];
                for (w, at) in self.problem.words_of(ni).enumerate() {
                    self.met[at] = if switch == NONE { 0 } else { self.partners_on(pe, w, switch) };
                }
            }
        }
        true
    }

    /// Begins to count what changes.
    pub fn begin_batch(&mut self) {
        let Changed { batch, pes, switches } = &mut self.changed;
        *batch = batch.wrapping_add(1);
        if *batch == 0 {
            pes.fill(0);
            switches.fill(0);
            *batch = 1;
        }
    }

    /// The switch of every NI.
    pub fn genome(&self) -> &Genome {
        &self.switch
    }

    /// Number of pairs that share fewer switches than required.
    pub fn uncovered(&self) -> u64 {
        self.uncovered_total / 2
    }

    /// Value of all missing links, which the search lowers.
    pub fn cost(&self) -> u64 {
        self.deficit_total / 2
    }

    /// The switch of an NI, or [`NONE`].
    pub fn switch_of(&self, ni: u32) -> u32 {
        self.switch[ni as usize]
    }

    /// The port of an NI, or [`NONE`].
    pub fn port_of(&self, ni: u32) -> u32 {
        self.port[ni as usize]
    }

    /// The NI at a port, or [`NONE`].
    pub fn ni_at(&self, port: u32) -> u32 {
        self.ni_at[port as usize]
    }

    /// Value of the links that only this NI provides.
    pub fn sole(&self, ni: u32) -> u32 {
        match self.port[ni as usize] {
            NONE => 0,
            port => self.sole_at[port as usize] as u32,
        }
    }

    /// Number of cables of the start wiring that have moved; 0 without a start wiring.
    pub fn moved(&self) -> u32 {
        self.moved
    }

    /// Overrides the maximum number of moved cables. If more have moved already, no further one may.
    pub fn limit_moved(&mut self, max: u32) {
        self.max_moved = max;
    }

    /// `true` if a swap keeps the rules. It keeps the limits in any case.
    pub fn allows(&self, swap: &Swap) -> bool {
        // The occupant is on the same plane, and so may take the NI's place.
        if !self.problem.keeps_rail(swap.ni, swap.switch) {
            return false;
        }
        let Some(rules) = self.problem.rules() else { return true };
        let (pe, from) = (self.problem.owner(swap.ni), self.switch[swap.ni as usize]);
        let occupant = self.ni_at[swap.port as usize];
        let other = (occupant != NONE).then(|| self.problem.owner(occupant));
        let stays = |pe: u32, switch: u32| switch != NONE && rules.is_required(pe, switch);
        let fits = |pe: u32, switch: u32| switch == NONE || rules.is_allowed(pe, switch);
        let allowed = !stays(pe, from)
            && fits(pe, swap.switch)
            && other.is_none_or(|other| !stays(other, swap.switch) && fits(other, from));
        if !allowed || self.max_moved == u32::MAX {
            return allowed;
        }
        let home = |pe: u32, switch: u32| i64::from(switch != NONE && rules.is_original(pe, switch));
        let mut moved = home(pe, from) - home(pe, swap.switch);
        if let Some(other) = other {
            moved += home(other, swap.switch) - home(other, from);
        }
        moved <= 0 || i64::from(self.moved) + moved <= i64::from(self.max_moved)
    }

    /// `true` if an NI may be disconnected.
    pub fn allows_idle(&self, ni: u32) -> bool {
        let Some(rules) = self.problem.rules() else { return true };
        let (pe, switch) = (self.problem.owner(ni), self.switch[ni as usize]);
        let moves = self.moved < self.max_moved || !rules.is_original(pe, switch);
        switch == NONE || (moves && !rules.is_required(pe, switch))
    }

    /// `true` if a PE has an NI on a switch.
    #[inline]
    pub fn is_on(&self, pe: u32, switch: u32) -> bool {
        self.switch[self.problem.nis_of(pe)].contains(&switch)
    }

    /// A random PE with missing links, if there is one.
    pub fn random_deficient(&self, rng: &mut Rng) -> Option<u32> {
        rng.pick(self.deficient.list()).copied()
    }

    /// PEs with missing links, unsorted.
    pub fn deficient(&self) -> &[u32] {
        self.deficient.list()
    }

    /// A random partner to which a PE lacks a link, if there is one.
    pub fn missing_partner(&self, pe: u32, rng: &mut Rng) -> Option<u32> {
        let graph = &self.problem.graph;
        let missing = |w| graph.full(pe, w) & !self.served(pe, w, usize::MAX);
        graph.partner_among(pe, rng.below(self.open[pe as usize]), missing)
    }
}

/// The inverse of a swap, valid until the next change.
pub enum Undo {
    /// Swap the same two places again.
    Swap(Swap),
    /// The NI was idle and the port empty.
    Disconnect(u32),
}

impl Undo {
    /// The inverse of a swap that is about to be applied.
    pub fn of(wiring: &Wiring, swap: &Swap) -> Undo {
        let (switch, port) = (wiring.switch_of(swap.ni), wiring.port_of(swap.ni));
        let occupant = wiring.ni_at(swap.port);
        if port != NONE {
            Undo::Swap(Swap { ni: swap.ni, switch, port })
        } else if occupant != NONE {
            Undo::Swap(Swap { ni: occupant, switch: swap.switch, port: swap.port })
        } else {
            Undo::Disconnect(swap.ni)
        }
    }

    /// Undoes the swap.
    pub fn apply(&self, wiring: &mut Wiring) {
        match self {
            Undo::Swap(swap) => wiring.apply(swap),
            Undo::Disconnect(ni) => wiring.disconnect(*ni),
        }
    }
}
