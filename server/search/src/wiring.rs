//! The search's working copy of a wiring, and what a change to it would gain or lose.
//!
//! For each NI, one bit for each partner of its PE says whether that partner is on the NI's switch too (`met`). A pair
//! is served when the OR over a PE's NIs has its bit; losses and gains are popcounts. Nothing of size PEs x switches
//! is kept. An empty port is the NI of a dummy PE without partners, and an unconnected NI is on a dummy switch: so every
//! change is an exchange of two places, and no limit of ports or NIs can be broken.
//!
//! A pair that wants several links is counted by levels: `served` then holds the bits whose count reaches what they
//! want, computed word-parallel; with one link for every pair it is the plain OR. Where links have different values
//! (weights, wishes), losses and gains are sums of values instead of counts.
//!
//! | part | what it is for |
//! | --- | --- |
//! | here | the state, loading, what can be asked |
//! | `value` | what a change would gain and lose |
//! | `change`, `back` | carrying it out, and taking it back |
//! | `lean` | both once more, for the common case, several times as fast |
//!
//! This type guards the limits. Whether a wiring serves its demand is for `shared::design::check` to say.

mod apply;
mod evaluate;
mod fast;

use crate::{
    problem::{NONE, Problem},
    rules::Rules,
};
use serde::{Deserialize, Serialize};
use shared::random::Rng;

/// In place of a loss: an empty port.
const EMPTY: i32 = -1;
/// The change of a trade that breaks a rule.
pub const FORBIDDEN: i64 = i64::MAX;

/// A wiring without its bookkeeping: the switch of every NI, or [`NONE`].
pub type Genome = Vec<u32>;

/// One exchange: NI `ni` goes to port `port`, and what is there goes to where the NI was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swap {
    /// The NI that moves.
    pub ni: u32,
    /// The switch it moves to; its PE is not there yet.
    pub switch: u32,
    /// The port it takes; what is there may go to the NI's old switch.
    pub port: u32,
}

/// All that a wiring is, for a checkpoint: what happens to it next is the same as what would have happened.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Snapshot {
    switch: Genome,
    port: Vec<u32>,
    deficient: Vec<u32>,
}

/// A wiring being worked on.
#[derive(Clone, Debug)]
pub struct Wiring<'p> {
    /// The instance.
    pub problem: &'p Problem,
    /// Switch of each NI.
    switch: Genome,
    /// Port of each NI.
    port: Vec<u32>,
    /// NI at each port.
    ni_at: Vec<u32>,
    /// For each NI, the partners on its switch.
    met: Vec<u64>,
    /// For each port, the value of the links that the NI there alone provides, or [`EMPTY`].
    sole_at: Vec<i32>,
    /// For each PE, its pairs that lack something.
    open: Vec<u32>,
    /// For each PE, its uncovered pairs: those that lack what they must have.
    uncovered: Vec<u32>,
    /// For each PE, the value of what its pairs lack.
    deficit: Vec<u32>,
    /// PEs with pairs that lack something, unsorted.
    deficient: Vec<u32>,
    /// Where a PE is in `deficient`, or [`NONE`].
    deficient_at: Vec<u32>,
    uncovered_total: u64,
    deficit_total: u64,
    /// Cables of the wiring that was there which are not where they were.
    moved: u32,
    /// How many of them may not be.
    max_moved: u32,
}

impl<'p> Wiring<'p> {
    /// A wiring with nothing connected.
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
            deficient: Vec::new(),
            deficient_at: vec![NONE; pes],
            uncovered_total: 0,
            deficit_total: 0,
            moved: 0,
            max_moved: problem.rules().and_then(Rules::max_moved).unwrap_or(u32::MAX),
        }
    }

    /// Replaces the whole wiring. A connection that breaks a limit is left out. Says no, with everything
    /// disconnected but consistent, if `go_on` did.
    pub fn load(&mut self, genome: &[u32], go_on: &mut dyn FnMut() -> bool) -> bool {
        self.connect_all(genome);
        let whole = self.meet_all(go_on);
        if !whole {
            self.connect_all(&[]);
            self.met.fill(0);
        }
        // What is picked of it depends on its order, which is not to depend on what the wiring was before.
        self.deficient.clear();
        self.deficient_at.fill(NONE);
        (0..self.problem.pes()).for_each(|pe| self.refresh(pe));
        whole
    }

    /// The wiring as it stands.
    pub fn snapshot(&self) -> Snapshot {
        let (switch, port) = (self.switch.clone(), self.port.clone());
        Snapshot { switch, port, deficient: self.deficient.clone() }
    }

    /// Takes up a snapshot of a wiring of the same instance.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        self.connect_all(&snapshot.switch);
        // The same switches as the snapshot's, so that only the places of NIs among a switch's ports differ.
        self.ni_at.fill(NONE);
        self.sole_at.fill(EMPTY);
        for ni in 0..self.problem.nis() {
            let at = ni as usize;
            if self.switch[at] != NONE {
                self.put(ni, self.switch[at], snapshot.port.get(at).copied().unwrap_or(self.port[at]));
            }
        }
        self.meet_all(&mut || true);
        (0..self.problem.pes()).for_each(|pe| self.refresh(pe));
        if snapshot.deficient.len() == self.deficient.len() {
            self.deficient.clone_from(&snapshot.deficient);
            for (place, &pe) in (0..).zip(&self.deficient) {
                self.deficient_at[pe as usize] = place;
            }
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
            // What must be comes first, wherever the genome has those NIs.
            for pe in 0..self.problem.pes() {
                for switch in rules.required_of(pe) {
                    self.connect_must(pe, switch, genome, &mut next);
                }
            }
        }
        for (ni, &switch) in genome.iter().enumerate().take(self.switch.len()) {
            if self.switch[ni] == NONE {
                self.connect(ni as u32, switch, &mut next);
            }
        }
        self.moved = self.problem.rules().map_or(0, |rules| {
            let gone = |pe| rules.originals_of(pe).filter(|&s| !self.is_on(pe, s)).count() as u32;
            (0..self.problem.pes()).map(gone).sum()
        });
    }

    /// Connects the NI that the genome has on a switch, or else one whose cable matters least: best an idle one.
    fn connect_must(&mut self, pe: u32, switch: u32, genome: &[u32], next: &mut [usize]) {
        let nis = self.problem.nis_of(pe);
        let rank = |ni: usize| match (genome.get(ni).copied().unwrap_or(NONE), self.problem.rules()) {
            (has, _) if has == switch => 0,
            (NONE, _) | (_, None) => 1,
            (has, Some(rules)) if rules.is_required(pe, has) => 4,
            (has, Some(rules)) if rules.is_original(pe, has) => 3,
            _ => 2,
        };
        if let Some(ni) = nis.filter(|&ni| self.switch[ni] == NONE).min_by_key(|&ni| rank(ni)) {
            self.connect(ni as u32, switch, next);
        }
    }

    fn connect(&mut self, ni: u32, switch: u32, next: &mut [usize]) {
        let pe = self.problem.owner(ni);
        if switch < self.problem.switches()
            && next[switch as usize] < self.problem.ports_of(switch).end
            && !self.is_on(pe, switch)
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
        for pe in 0..self.problem.pes() {
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

    /// The switch of every NI.
    pub fn genome(&self) -> &Genome {
        &self.switch
    }

    /// Number of uncovered pairs: those that share fewer switches than they must.
    pub fn uncovered(&self) -> u64 {
        self.uncovered_total / 2
    }

    /// The value of all links that pairs lack: what the search lowers. The same as [`Wiring::uncovered`] if each pair
    /// wants one link and all count the same.
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

    /// The value of the links that would be missed without this NI.
    pub fn sole(&self, ni: u32) -> u32 {
        match self.port[ni as usize] {
            NONE => 0,
            port => self.sole_at[port as usize] as u32,
        }
    }

    /// Cables of the wiring that was there which are not where they were; 0 where no rule knows of one.
    pub fn moved(&self) -> u32 {
        self.moved
    }

    /// From now on only so many cables may be elsewhere than they were, in place of what the rules say. Where more are
    /// already, none may be added.
    pub fn limit_moved(&mut self, max: u32) {
        self.max_moved = max;
    }

    /// Whether a trade keeps the rules. Limits it keeps anyway.
    pub fn allows(&self, swap: &Swap) -> bool {
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

    /// Whether an NI may go idle.
    pub fn allows_idle(&self, ni: u32) -> bool {
        let Some(rules) = self.problem.rules() else { return true };
        let (pe, switch) = (self.problem.owner(ni), self.switch[ni as usize]);
        let moves = self.moved < self.max_moved || !rules.is_original(pe, switch);
        switch == NONE || (moves && !rules.is_required(pe, switch))
    }

    /// Whether a PE has an NI on a switch.
    #[inline]
    pub fn is_on(&self, pe: u32, switch: u32) -> bool {
        self.switch[self.problem.nis_of(pe)].contains(&switch)
    }

    /// A PE with pairs that lack something, if there is one.
    pub fn random_deficient(&self, rng: &mut Rng) -> Option<u32> {
        rng.pick(&self.deficient).copied()
    }

    /// PEs with pairs that lack something, unsorted.
    pub fn deficient(&self) -> &[u32] {
        &self.deficient
    }

    /// A partner with which a PE lacks a link, if there is one.
    pub fn missing_partner(&self, pe: u32, rng: &mut Rng) -> Option<u32> {
        let graph = &self.problem.graph;
        let mut skip = rng.below(self.open[pe as usize]);
        for w in 0..graph.words(pe) {
            let mut word = graph.full(pe, w) & !self.served(pe, w, usize::MAX);
            let here = word.count_ones();
            if skip < here {
                (0..skip).for_each(|_| word &= word - 1);
                return Some(graph.partners(pe)[w * 64 + word.trailing_zeros() as usize]);
            }
            skip -= here;
        }
        None
    }
}

// Taking a change back.

/// What takes a trade back, before anything else is changed.
pub enum Undo {
    /// The same two places once more.
    Swap(Swap),
    /// The NI was idle and the port empty.
    Disconnect(u32),
}

impl Undo {
    /// What takes back a trade that is about to be carried out.
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

    /// Takes it back.
    pub fn apply(&self, wiring: &mut Wiring) {
        match self {
            Undo::Swap(swap) => wiring.apply(swap),
            Undo::Disconnect(ni) => wiring.disconnect(*ni),
        }
    }
}
