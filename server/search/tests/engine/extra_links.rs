//! Extra links: as many as possible once every pair is served, and never at the expense of a pair.

use crate::{
    random_specs::{PatternKind, random_spec},
    support::{request, search},
};
use proptest::prelude::*;
use spec::{
    demand::Demand,
    design::{Verdict, check},
    random::Rng,
    spec::Spec,
};
use std::fmt::Write;
use work::search::{Budget, EndReason, SearchRequest};

/// KLAT2 with its rows and columns linked twice as far as possible (Dietz and Mattox 2000, section 3).
const KLAT2: &str = "pes = 64\nnis_per_pe = 4\nobjective = \"universal\"\n[[switch]]\nports = 32\nreserve = 1\n\
    [[pattern]]\nkind = \"torus\"\ndims = [8, 8]\nneighbours = \"axis\"\nextra = 1\n";

fn verdict(ask: &SearchRequest) -> (Verdict, EndReason) {
    let outcome = search(ask);
    (check(&ask.spec, &ask.demand, &outcome.design), outcome.ended)
}

#[test]
fn klat2_has_every_pair_and_most_of_its_rows_and_columns_twice() {
    let (plain, _) = verdict(&request(&KLAT2.replace("extra = 1\n", ""), Budget::Effort(4), 1, 2));
    assert_eq!(plain.wished, 0);
    for seed in 0..2 {
        let ask = request(KLAT2, Budget::Effort(12), seed, 2);
        let outcome = search(&ask);
        let (verdict, ended) = (check(&ask.spec, &ask.demand, &outcome.design), outcome.ended);
        assert!(!outcome.method.contains("start wiring"), "no existing wiring: {}", outcome.method);
        assert_eq!((verdict.uncovered.len(), ended, verdict.wished), (0, EndReason::Solved, 448));
        println!("{} of {} granted", verdict.granted, verdict.wished);
        assert!(verdict.granted >= 440, "{} granted", verdict.granted);
    }
}

/// The maximum number of extra links with every pair served, by exhaustive search; `None` if no wiring serves every
/// pair or that takes too long.
fn most_granted(spec: &Spec, demand: &Demand) -> Option<u64> {
    let mut trial =
        Trial { spec, demand, widths: spec.usable_ports(), sets: Vec::new(), most: None, steps: 0 };
    (trial.widths.len() <= 10 && trial.place()).then_some(trial.most)?
}

struct Trial<'a> {
    spec: &'a Spec,
    demand: &'a Demand,
    widths: Vec<u32>,
    sets: Vec<u32>,
    most: Option<u64>,
    steps: u32,
}

impl Trial<'_> {
    fn place(&mut self) -> bool {
        let pe = self.sets.len() as u32;
        if pe == self.spec.pes {
            self.most = self.most.max(Some(self.granted()));
            return true;
        }
        for set in 0..1u32 << self.widths.len() {
            let load = |s: usize| self.sets.iter().filter(|set| *set >> s & 1 == 1).count() as u32;
            let fits = (0..self.widths.len()).all(|s| set >> s & 1 == 0 || load(s) < self.widths[s]);
            if set.count_ones() > self.spec.nis_of(pe) || !fits || !self.serves(pe, set) {
                continue;
            }
            self.steps += 1;
            if self.steps > 200_000 {
                return false;
            }
            self.sets.push(set);
            let in_time = self.place();
            self.sets.pop();
            if !in_time {
                return false;
            }
        }
        true
    }

    fn shared(&self, a: u32, set: u32) -> u32 {
        (self.sets[a as usize] & set).count_ones()
    }

    fn serves(&self, pe: u32, set: u32) -> bool {
        let wants = |a: u32| self.demand.index_of(a, pe).map_or(0, |pair| self.demand.links(pair));
        (0..pe).all(|a| self.shared(a, set) >= wants(a))
    }

    fn granted(&self) -> u64 {
        let one = |(pair, (a, b)): (usize, (u32, u32))| {
            let has = self.shared(a, self.sets[b as usize]);
            u64::from(has.saturating_sub(self.demand.links(pair)).min(self.demand.extra(pair)))
        };
        self.demand.pairs().enumerate().map(one).sum()
    }
}

fn tiny(seed: u64) -> String {
    let mut rng = Rng::new(seed, 31);
    let (pes, nis) = (3 + rng.below(3), 2 + rng.below(2));
    let objective = if rng.chance(400) { "universal" } else { "sparse" };
    let mut text = format!("pes = {pes}\nnis_per_pe = {nis}\nobjective = \"{objective}\"\n");
    for _ in 0..1 + rng.below(2) {
        write!(text, "[[switch]]\nports = {}\ncount = {}\n", 2 + rng.below(3), 1 + rng.below(3))
            .expect("text");
    }
    text += "[[pattern]]\nkind = \"ring\"\n";
    let extra = 1 + rng.below(nis - 1);
    writeln!(text, "[[pattern]]\nkind = \"matrix\"\nextra = {extra}\npairs = \"\"\"\n0 1").expect("text");
    for a in 0..pes {
        for b in a + 2..pes {
            if rng.chance(400) {
                writeln!(text, "{a} {b}").expect("text");
            }
        }
    }
    text + "\"\"\"\n"
}

#[test]
fn as_many_wishes_are_granted_as_can_be() {
    // The best wiring serves pairs in another way than the search first finds.
    let mut known = 0;
    for seed in [6_617_737_452_482_969_900].into_iter().chain(0..24) {
        let ask = request(&tiny(seed), Budget::Effort(1), seed, 1);
        if let Some(most) = most_granted(&ask.spec, &ask.demand) {
            let (verdict, ended) = verdict(&ask);
            assert_eq!((ended, verdict.granted), (EndReason::Solved, most), "{}", tiny(seed));
            known += 1;
        }
    }
    assert!(known >= 8, "{known}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn wishes_leave_no_more_uncovered_than_there_would_be(seed in any::<u64>()) {
        let with_extra_links = random_spec(seed, PatternKind::ExtraLinks);
        let plain = with_extra_links.replace("extra = 1\n", "").replace("extra = 2\n", "");
        let [with, without] = [with_extra_links, plain].map(|text| verdict(&request(&text, Budget::Effort(1), 1, 1)).0);
        if without.uncovered.is_empty() {
            prop_assert_eq!(with.uncovered.len(), 0);
        }
    }
}

#[test]
fn hundreds_of_wishes_are_not_worth_one_pair() {
    // Two switches take 300 PEs each. All but one could meet twice. But the last PE must meet PE 0, and the PE that
    // makes room for it loses 298 extra links.
    let mut text = "pes = 301\nnis_per_pe = 2\nobjective = \"sparse\"\n[[switch]]\nports = 300\ncount = 2\n\
        [[pattern]]\nkind = \"matrix\"\npairs = \"\"\"\n0 300\n\"\"\"\n\
        [[pattern]]\nkind = \"matrix\"\nextra = 1\npairs = \"\"\"\n"
        .to_string();
    for a in 0..300 {
        for b in a + 1..300 {
            writeln!(text, "{a} {b}").expect("text");
        }
    }
    let (verdict, ended) = verdict(&request(&(text + "\"\"\"\n"), Budget::Effort(2), 1, 1));
    assert_eq!((verdict.uncovered, ended), (vec![], EndReason::Solved));
    assert!(verdict.granted > 40_000, "{} of {}", verdict.granted, verdict.wished);
}

#[test]
fn wishes_of_any_kind_end_the_same_on_any_number_of_islands() {
    for (seed, threads) in [(0, 1), (1, 2), (2, 3), (4, 5)] {
        let ask = request(&random_spec(seed, PatternKind::ExtraLinks), Budget::Effort(1), seed, threads);
        let [first, again] = [0, 1].map(|_| search(&ask));
        assert_eq!((&first.design, &first.method), (&again.design, &again.method), "{threads} islands");
    }
    let ask = request(KLAT2, Budget::Effort(2), 3, 3);
    let [first, again] = [0, 1].map(|_| search(&ask));
    assert_eq!((first.design, first.method), (again.design, again.method));
}
