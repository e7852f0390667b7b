//! Tiny instances against exhaustive search: solvable instances are solved.

use crate::support::{request, search};
use proptest::prelude::*;
use search::problem::nis_per_pe;
use spec::{demand::Demand, random::Rng, spec::Spec};
use work::search::{Budget, EndReason};

/// Limit of steps of the exhaustive search.
const MAX_STEPS: u32 = 300_000;

/// `Some(true)` if some wiring serves every pair; `None` if that took too long.
///
/// PEs take sets of switches in turn. Among equal switches only the first are tried.
pub fn solvable(spec: &Spec, demand: &Demand) -> Option<bool> {
    let widths = spec.usable_ports();
    if widths.len() > 16 {
        return None;
    }
    let nis: Vec<u32> = nis_per_pe(spec).collect();
    let wanted = demand.pairs().enumerate().map(|(i, (a, b))| (a, b, demand.links(i))).collect();
    let on = vec![0; widths.len()];
    let mut trial = Trial { widths, nis, wanted, sets: Vec::new(), on, steps: 0 };
    trial.place()
}

struct Trial {
    widths: Vec<u32>,
    nis: Vec<u32>,
    wanted: Vec<(u32, u32, u32)>,
    /// Switches of each PE placed so far, one bit each.
    sets: Vec<u32>,
    /// PEs on each switch, one bit each.
    on: Vec<u32>,
    steps: u32,
}

impl Trial {
    fn place(&mut self) -> Option<bool> {
        let pe = self.sets.len();
        if pe == self.nis.len() {
            return Some(true);
        }
        for set in 0..1u32 << self.widths.len() {
            if set.count_ones() > self.nis[pe] || !self.fits(set) || !self.serves(pe as u32, set) {
                continue;
            }
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return None;
            }
            self.put(set, pe);
            self.sets.push(set);
            let found = self.place();
            self.sets.pop();
            self.put(set, pe);
            if found != Some(false) {
                return found;
            }
        }
        Some(false)
    }

    fn put(&mut self, set: u32, pe: usize) {
        (0..self.on.len()).filter(|s| set >> s & 1 == 1).for_each(|s| self.on[s] ^= 1 << pe);
    }

    fn fits(&self, set: u32) -> bool {
        let has = |s: usize| set >> s & 1 == 1;
        let alike = |s: usize, t: usize| self.widths[s] == self.widths[t] && self.on[s] == self.on[t];
        (0..self.on.len())
            .filter(|&s| has(s))
            .all(|s| self.on[s].count_ones() < self.widths[s] && (0..s).all(|t| has(t) || !alike(s, t)))
    }

    fn serves(&self, pe: u32, set: u32) -> bool {
        let ends_here = |&&(_, b, _): &&(u32, u32, u32)| b == pe;
        self.wanted
            .iter()
            .filter(ends_here)
            .all(|&(a, _, links)| (self.sets[a as usize] & set).count_ones() >= links)
    }
}

/// A tiny spec: groups, several models with reserved ports, one or two links per pair, every pair or some.
fn tiny(seed: u64) -> String {
    let mut rng = Rng::new(seed, 9);
    let pes = 2 + rng.below(5);
    let universal = rng.chance(300);
    let objective = if universal { "universal" } else { "sparse" };
    let mut text = format!("pes = {pes}\nobjective = \"{objective}\"\n");
    let first = 1 + rng.below(pes - 1);
    let (some, rest) = (1 + rng.below(4), 1 + rng.below(4));
    let rest = if rng.chance(500) { some } else { rest };
    text += &format!("[[pe_group]]\ncount = {first}\nnis = {some}\n");
    text += &format!("[[pe_group]]\ncount = {}\nnis = {rest}\n", pes - first);
    for model in 0..1 + rng.below(3) {
        let (usable, reserve) = (1 + rng.below(5), rng.below(3));
        text += &format!("[[switch]]\nports = {}\nreserve = {reserve}\n", (usable + reserve).max(2));
        if model > 0 || rng.chance(600) {
            text += &format!("count = {}\n", 1 + rng.below(3));
        }
    }
    let links = if rng.chance(400) { some.min(rest).min(2) } else { 1 };
    let mut pairs = String::new();
    for a in 0..pes {
        for b in a + 1..pes {
            if rng.chance(450) {
                pairs += &format!("{a} {b}\n");
            }
        }
    }
    if pairs.is_empty() {
        text += &format!("[[pattern]]\nkind = \"ring\"\nlinks = {links}\n");
    } else {
        text += &format!("[[pattern]]\nkind = \"matrix\"\nlinks = {links}\npairs = \"\"\"\n{pairs}\"\"\"\n");
    }
    text
}

/// Found unsolved once: pairs whose PEs meet on neither's switch, and NIs that had to stay idle.
const FOUND_LATE: [&str; 4] = [
    "pes = 2\nnis_per_pe = 1\nobjective = \"sparse\"\n[[switch]]\nports = 5\nreserve = 4\ncount = 2\n\
     [[switch]]\nports = 4\ncount = 1\n[[pattern]]\nkind = \"ring\"\n",
    "pes = 6\nnis_per_pe = 2\nobjective = \"sparse\"\n[[switch]]\nports = 5\n\
     [[pattern]]\nkind = \"matrix\"\nlinks = 2\npairs = \"\"\"\n0 3\n0 5\n1 2\n2 5\n\"\"\"\n",
    "pes = 4\nobjective = \"universal\"\n[[pe_group]]\ncount = 2\nnis = 4\n[[pe_group]]\ncount = 2\nnis = 2\n\
     [[switch]]\nports = 3\n",
    "pes = 3\nnis_per_pe = 1\nobjective = \"universal\"\n[[switch]]\nports = 3\nreserve = 1\ncount = 3\n\
     [[switch]]\nports = 3\ncount = 1\n",
];

#[test]
fn what_was_found_late_is_found() {
    for text in FOUND_LATE {
        for seed in 0..4 {
            let ask = request(text, Budget::Effort(1), seed, 1);
            assert_eq!(solvable(&ask.spec, &ask.demand), Some(true), "{text}");
            assert_eq!(search(&ask).ended, EndReason::Solved, "seed {seed}: {text}");
        }
    }
}

fn assert_solved(text: &str) {
    let ask = request(text, Budget::Effort(8), 1, 1);
    if solvable(&ask.spec, &ask.demand) == Some(true) {
        assert_eq!(search(&ask).ended, EndReason::Solved, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_trying_everything_solves_is_solved(seed in any::<u64>()) {
        assert_solved(&tiny(seed));
    }
}
