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
    dice::Dice,
    problem::{NONE, Problem},
    rules::Rules,
};
use serde::{Deserialize, Serialize};

/// In place of a loss: an empty port.
const EMPTY: i32 = -1;
/// The change of a trade that breaks a rule.
pub const FORBIDDEN: i64 = i64::MAX;

/// A wiring without its bookkeeping: the switch of every NI, or [`NONE`].
pub type Genome = Vec<u32>;

/// One exchange: NI `ni` goes to port `port`, and what is there goes to where the NI was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trade {
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
    troubled: Vec<u32>,
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
    bare: Vec<u32>,
    /// For each PE, the value of what its pairs lack.
    lack: Vec<u32>,
    /// PEs with pairs that lack something, unsorted.
    troubled: Vec<u32>,
    /// Where a PE is in `troubled`, or [`NONE`].
    place: Vec<u32>,
    bare_total: u64,
    lack_total: u64,
    /// Cables of the wiring that was there which are not where they were.
    moved: u32,
    /// How many of them may not be.
    most_moved: u32,
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
            bare: vec![0; pes],
            lack: vec![0; pes],
            troubled: Vec::new(),
            place: vec![NONE; pes],
            bare_total: 0,
            lack_total: 0,
            moved: 0,
            most_moved: problem.rules().and_then(Rules::moves).unwrap_or(u32::MAX),
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
        self.troubled.clear();
        self.place.fill(NONE);
        (0..self.problem.pes()).for_each(|pe| self.refresh(pe));
        whole
    }

    /// The wiring as it stands.
    pub fn snapshot(&self) -> Snapshot {
        let (switch, port) = (self.switch.clone(), self.port.clone());
        Snapshot { switch, port, troubled: self.troubled.clone() }
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
        if snapshot.troubled.len() == self.troubled.len() {
            self.troubled.clone_from(&snapshot.troubled);
            for (place, &pe) in (0..).zip(&self.troubled) {
                self.place[pe as usize] = place;
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
                for switch in rules.musts_of(pe) {
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
            let gone = |pe| rules.homes_of(pe).filter(|&s| !self.is_on(pe, s)).count() as u32;
            (0..self.problem.pes()).map(gone).sum()
        });
    }

    /// Connects the NI that the genome has on a switch, or else one whose cable matters least: best an idle one.
    fn connect_must(&mut self, pe: u32, switch: u32, genome: &[u32], next: &mut [usize]) {
        let nis = self.problem.nis_of(pe);
        let rank = |ni: usize| match (genome.get(ni).copied().unwrap_or(NONE), self.problem.rules()) {
            (has, _) if has == switch => 0,
            (NONE, _) | (_, None) => 1,
            (has, Some(rules)) if rules.must(pe, has) => 4,
            (has, Some(rules)) if rules.is_home(pe, has) => 3,
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
            && self.problem.rules().is_none_or(|rules| rules.may(pe, switch))
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
        self.bare_total / 2
    }

    /// The value of all links that pairs lack: what the search lowers. The same as [`Wiring::uncovered`] if each pair
    /// wants one link and all count the same.
    pub fn cost(&self) -> u64 {
        self.lack_total / 2
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
    pub fn hold(&mut self, most: u32) {
        self.most_moved = most;
    }

    /// Whether a trade keeps the rules. Limits it keeps anyway.
    pub fn may(&self, trade: &Trade) -> bool {
        let Some(rules) = self.problem.rules() else { return true };
        let (pe, from) = (self.problem.owner(trade.ni), self.switch[trade.ni as usize]);
        let occupant = self.ni_at[trade.port as usize];
        let other = (occupant != NONE).then(|| self.problem.owner(occupant));
        let stays = |pe: u32, switch: u32| switch != NONE && rules.must(pe, switch);
        let fits = |pe: u32, switch: u32| switch == NONE || rules.may(pe, switch);
        let allowed = !stays(pe, from)
            && fits(pe, trade.switch)
            && other.is_none_or(|other| !stays(other, trade.switch) && fits(other, from));
        if !allowed || self.most_moved == u32::MAX {
            return allowed;
        }
        let home = |pe: u32, switch: u32| i64::from(switch != NONE && rules.is_home(pe, switch));
        let mut moved = home(pe, from) - home(pe, trade.switch);
        if let Some(other) = other {
            moved += home(other, trade.switch) - home(other, from);
        }
        moved <= 0 || i64::from(self.moved) + moved <= i64::from(self.most_moved)
    }

    /// Whether an NI may go idle.
    pub fn may_disconnect(&self, ni: u32) -> bool {
        let Some(rules) = self.problem.rules() else { return true };
        let (pe, switch) = (self.problem.owner(ni), self.switch[ni as usize]);
        let moves = self.moved < self.most_moved || !rules.is_home(pe, switch);
        switch == NONE || (moves && !rules.must(pe, switch))
    }

    /// Whether a PE has an NI on a switch.
    #[inline]
    pub fn is_on(&self, pe: u32, switch: u32) -> bool {
        self.switch[self.problem.nis_of(pe)].contains(&switch)
    }

    /// A PE with pairs that lack something, if there is one.
    pub fn troubled(&self, dice: &mut Dice) -> Option<u32> {
        dice.pick(&self.troubled).copied()
    }

    /// PEs with pairs that lack something, unsorted.
    pub fn lacking(&self) -> &[u32] {
        &self.troubled
    }

    /// A partner with which a PE lacks a link, if there is one.
    pub fn missing_partner(&self, pe: u32, dice: &mut Dice) -> Option<u32> {
        let graph = &self.problem.graph;
        let mut skip = dice.below(self.open[pe as usize]);
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
pub enum Back {
    /// The same two places once more.
    Trade(Trade),
    /// The NI was idle and the port empty.
    Disconnect(u32),
}

impl Back {
    /// What takes back a trade that is about to be carried out.
    pub fn of(wiring: &Wiring, trade: &Trade) -> Back {
        let (switch, port) = (wiring.switch_of(trade.ni), wiring.port_of(trade.ni));
        let occupant = wiring.ni_at(trade.port);
        if port != NONE {
            Back::Trade(Trade { ni: trade.ni, switch, port })
        } else if occupant != NONE {
            Back::Trade(Trade { ni: occupant, switch: trade.switch, port: trade.port })
        } else {
            Back::Disconnect(trade.ni)
        }
    }

    /// Takes it back.
    pub fn apply(&self, wiring: &mut Wiring) {
        match self {
            Back::Trade(trade) => wiring.apply(trade),
            Back::Disconnect(ni) => wiring.disconnect(*ni),
        }
    }
}
