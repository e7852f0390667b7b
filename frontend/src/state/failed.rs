//! Failed parts of the wiring on screen: a what-if of the views. No file contains it unless the Export page is asked for that.

use super::words::{count, grouped};
use shared::{
    analysis::leftout::weight_served,
    demand::Demand,
    design::{Design, Faults, Names, Verdict, WorkingDesign},
};
use std::{collections::BTreeSet, sync::Arc};

/// Max failed parts that a line names.
const MAX_NAMED: usize = 3;

/// Failed parts as typed, and the wiring that they are parts of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailedParts {
    table: Arc<str>,
    words: String,
    is_around: bool,
}

impl FailedParts {
    /// The failed parts of a wiring; empty for another wiring.
    pub fn of(&self, table: &str) -> &str {
        if *self.table == *table { &self.words } else { "" }
    }

    /// `true` if exports of a wiring route around them.
    pub fn is_around(&self, table: &str) -> bool {
        self.is_around && !self.of(table).is_empty()
    }

    /// Replaces the failed parts. Exports route around other parts only if they are asked again.
    pub fn set(&mut self, table: Arc<str>, words: String) {
        *self = FailedParts { table, words, is_around: false };
    }

    /// Makes exports route around them, or not.
    pub fn set_around(&mut self, is_around: bool) {
        self.is_around = is_around;
    }
}

/// Effect of failed parts on a wiring.
#[derive(Clone, Debug, PartialEq)]
pub struct Damage {
    /// The wiring.
    pub design: Arc<Design>,
    /// The failed parts.
    pub faults: Arc<Faults>,
    /// The failed parts by name, or their number if they are many.
    pub parts: String,
    /// Requested pairs that lose their last shared switch, ascending.
    pub lost: Arc<Vec<(u32, u32)>>,
    /// Nodes of these pairs.
    pub hurt: Arc<BTreeSet<u32>>,
    /// Number of requested pairs that have fewer shared switches left, but some.
    pub fewer: u64,
}

impl Damage {
    /// Compares a wiring with and without failed parts.
    pub fn of(demand: &Demand, design: Arc<Design>, faults: Faults, names: &Names) -> Damage {
        let working = WorkingDesign::new(&design, &faults);
        let (before, after) = (working.whole(), working.live());
        let is_hit: Vec<bool> =
            (0..design.pes()).map(|pe| before.of(pe).len() > after.of(pe).len()).collect();
        let hit = |pe: u32| is_hit.get(pe as usize).copied().unwrap_or_default();
        let (mut lost, mut fewer) = (Vec::new(), 0);
        for a in 0..design.pes().min(demand.pes()) {
            for &b in demand.higher_of(a).iter().filter(|&&b| hit(a) || hit(b)) {
                match (before.shared(a, b).count(), after.shared(a, b).count()) {
                    (had, has) if had == has => {}
                    (_, 0) => lost.push((a, b)),
                    _ => fewer += 1,
                }
            }
        }
        let number = faults.switches.len() + faults.pes.len() + faults.nis.len();
        let parts = match number {
            0..=MAX_NAMED => faults.words(|part| names.word(part)),
            _ => count(number as u64, "part"),
        };
        let hurt = lost.iter().flat_map(|&(a, b)| [a, b]).collect();
        Damage { design, faults: faults.into(), parts, lost: lost.into(), hurt: Arc::new(hurt), fewer }
    }

    /// Number of uncovered pairs with the failed parts. `uncovered` are those without them, ascending.
    pub fn uncovered(&self, uncovered: &[(u32, u32)]) -> u64 {
        (uncovered.len() + self.besides(uncovered).count()) as u64
    }

    /// Lost pairs that are not uncovered anyway.
    fn besides(&self, uncovered: &[(u32, u32)]) -> impl Iterator<Item = (u32, u32)> {
        self.lost.iter().copied().filter(|pair| uncovered.binary_search(pair).is_err())
    }

    /// Share of the requested weight that is covered with the failed parts. `verdict` is the one without them.
    pub fn weight_served(&self, demand: &Demand, verdict: &Verdict) -> f64 {
        let more = self.besides(&verdict.uncovered).filter_map(|(a, b)| demand.index_of(a, b));
        let more: f64 = more.map(|pair| f64::from(demand.weight(pair))).sum();
        weight_served(&Verdict {
            uncovered_weight: verdict.uncovered_weight + more,
            requested_weight: verdict.requested_weight,
            ..Verdict::default()
        })
    }

    /// The effect in words.
    pub fn effect(&self) -> String {
        let fewer = grouped(self.fewer);
        let [have, others] = if self.fewer == 1 { ["has", "other has"] } else { ["have", "others have"] };
        match (self.lost.len(), self.fewer) {
            (0, 0) => "no requested pair loses a shared switch".into(),
            (0, _) => format!("no requested pair loses its last shared switch, {fewer} {have} fewer"),
            (lost, fewer_too) => {
                let lose = if lost == 1 { "loses its" } else { "lose their" };
                let lost = count(lost as u64, "requested pair");
                let others = if fewer_too > 0 { format!(", {fewer} {others} fewer") } else { String::new() };
                format!("{lost} {lose} last shared switch{others}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn damage(failed: &str) -> Damage {
        let design = Arc::new(Design::from_switches(6, [vec![0, 1, 2], vec![0, 1, 3], vec![0, 4, 5]]));
        let demand = Demand::from_pairs(6, [(0, 1), (0, 2), (1, 3), (2, 3), (4, 5)]);
        let names = Names::new(6, 3);
        let faults = Faults::parse(failed, &design, &names).unwrap();
        Damage::of(&demand, design, faults, &names)
    }

    #[test]
    fn failed_parts_are_those_of_one_wiring() {
        let (own, other): (Arc<str>, Arc<str>) = ("0: 0 1\n".into(), "0: 0 1 2\n".into());
        let mut failed = FailedParts::default();
        failed.set(own.clone(), "sw00".into());
        assert_eq!((failed.of(&own), failed.of("0: 0 1\n"), failed.of(&other)), ("sw00", "sw00", ""));
        assert!(!failed.is_around(&own), "exports are intact by default");
        failed.set_around(true);
        assert!(failed.is_around(&own) && !failed.is_around(&other));
        failed.set(own.clone(), "sw00 sw01".into());
        assert!(!failed.is_around(&own), "nobody has asked for these parts");
        failed.set_around(true);
        failed.set(own.clone(), String::new());
        assert!(!failed.is_around(&own));
    }

    #[test]
    fn a_failed_switch_costs_pairs_their_last_switch() {
        let found = damage("sw00");
        assert_eq!((found.lost.as_slice(), found.fewer), (&[(0, 2)][..], 1));
        assert_eq!(found.hurt.iter().copied().collect::<Vec<_>>(), [0, 2]);
        // Nodes 2 and 3 share no switch anyway.
        assert_eq!((found.uncovered(&[(2, 3)]), found.uncovered(&[])), (2, 1));
        let demand = Demand::from_pairs(6, [(0, 1), (0, 2), (1, 3), (2, 3), (4, 5)]);
        let before = |uncovered: Vec<(u32, u32)>| Verdict {
            uncovered_weight: uncovered.len() as f64,
            uncovered,
            requested_weight: 5.0,
            ..Verdict::default()
        };
        let share = |uncovered| found.weight_served(&demand, &before(uncovered));
        assert_eq!((share(vec![(2, 3)]), share(vec![(0, 2), (2, 3)])), (0.6, 0.6));
        assert_eq!(found.effect(), "1 requested pair loses its last shared switch, 1 other has fewer");
    }

    #[test]
    fn nodes_and_nics_fail_too_and_many_parts_are_counted() {
        assert_eq!(damage("node004").lost.as_slice(), [(4, 5)]);
        assert_eq!(
            damage("node0.nic0").effect(),
            "1 requested pair loses its last shared switch, 1 other has fewer"
        );
        assert_eq!(damage("node0.nic2").effect(), "no requested pair loses a shared switch");
        let all = damage("sw0 sw1 sw2 node0");
        assert_eq!(all.parts, "4 parts");
        assert_eq!(all.effect(), "4 requested pairs lose their last shared switch");
    }
}
