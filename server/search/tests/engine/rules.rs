//! Placements, and start wirings of which only some cables may move.

use crate::{
    random_specs::{KINDS, Recount, beginning, random_ruled_spec, read},
    support::{Log, request, search, search_watched},
};
use proptest::prelude::*;
use search::{
    fill,
    genetic::operators,
    lengths::shorten,
    moves,
    problem::{self, NONE},
    wiring::Wiring,
};
use spec::{
    demand::Demand,
    design::{Design, check, table},
    random::Rng,
    spec::Spec,
};
use std::{
    fmt::Write,
    sync::{Arc, atomic::AtomicBool},
};
use work::search::{Budget, EndReason, SearchRequest};

/// A request from a valid spec.
fn ask(text: &str, effort: u64, seed: u64, threads: u32) -> SearchRequest {
    request(text, Budget::Effort(effort), seed, threads)
}

/// Number of cables of the start wiring that a design does not have.
fn moved(spec: &Spec, design: &Design) -> usize {
    let start = spec.start.as_ref().expect("a start");
    let gone = |(switch, members): (usize, &Vec<u32>)| {
        let stays =
            |pe: &&u32| switch < design.switch_count() as usize && design.members(switch as u32).contains(pe);
        members.iter().filter(|pe| !stays(pe)).count()
    };
    start.switches.iter().enumerate().map(gone).sum()
}

/// A spec with everything in racks.
fn racked(text: &str, spec: &Spec) -> String {
    let (pes, switches) = (spec.pes / 2, spec.switch_budget() / 2);
    let racks = [(pes, switches, 0.0), (spec.pes - pes, spec.switch_budget() - switches, 7.5)];
    racks.iter().filter(|rack| rack.0 + rack.1 > 0).fold(text.to_string(), |text, (pes, switches, x)| {
        format!("{text}[[rack]]\npes = {pes}\nswitches = {switches}\nx = {x:.1}\n")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every operator keeps the rules.
    #[test]
    fn operators_keep_rules(seed in any::<u64>()) {
        for kind in KINDS {
            let Some(text) = random_ruled_spec(seed, kind) else { continue };
            let Some(spec) = read(&text).and_then(|spec| read(&racked(&text, &spec))) else { continue };
            let demand = Demand::build(&spec).expect("a demand");
            let problem = problem::instances(&spec, &demand, &mut || true).expect("not stopped").pop().expect("one");
            let (recount, mut rng) = (Recount { spec: &spec, demand: &demand, problem: &problem }, Rng::new(seed, 40));
            let mut wiring = beginning(&spec, &problem, &mut rng);
            let other = beginning(&spec, &problem, &mut rng).genome().clone();
            operators::crossover(&mut wiring, &other, 14, &mut rng);
            prop_assert_eq!(recount.breaches(wiring.genome()), vec![], "crossover: {}", text);
            for _ in 0..problem.nis() / 2 {
                if let Some(ni) = moves::propose_idling(&wiring, i64::MAX, &mut rng) {
                    wiring.disconnect(ni);
                }
            }
            prop_assert_eq!(recount.breaches(wiring.genome()), vec![], "idle: {}", text);
            let mut genome = wiring.genome().clone();
            fill::seat_idle(&mut wiring);
            prop_assert_eq!(recount.breaches(wiring.genome()), vec![], "seat_idle: {}", text);
            fill::connect_rest(&problem, &mut genome);
            prop_assert_eq!(recount.breaches(&genome), vec![], "connect_rest: {}", text);
            prop_assert!(wiring.load(&genome, &mut || true));
            prop_assert_eq!(wiring.genome(), &genome, "what keeps the rules is loaded as it is");
            fill::seat_idle(&mut wiring);
            prop_assert_eq!(recount.breaches(wiring.genome()), vec![], "seat_idle: {}", text);
            let mut left = 50;
            shorten(&spec, &mut wiring, &mut rng, &mut |_| { left -= 1; left > 0 });
            prop_assert_eq!(recount.breaches(wiring.genome()), vec![], "lay: {}", text);
        }
    }

    /// [`search`] checks that nothing is broken.
    #[test]
    fn outcomes_keep_rules_however_short_the_search(seed in any::<u64>(), effort in 0u64..2) {
        for kind in KINDS {
            if let Some(text) = random_ruled_spec(seed, kind) {
                search(&ask(&text, effort * u64::from(seed % 4 == 0), seed, 1 + (seed % 2) as u32));
            }
        }
    }

    #[test]
    fn a_search_that_is_cancelled_at_once_keeps_rules(seed in any::<u64>()) {
        if let Some(text) = random_ruled_spec(seed, KINDS[2]) {
            search_watched(&ask(&text, 1, seed, 2), &mut Log::default(), &AtomicBool::new(true));
        }
    }

    /// A required connection takes an idle NI first, not one whose cable would move.
    #[test]
    fn what_must_be_takes_an_idle_ni_first(seed in any::<u64>()) {
        let mut rng = Rng::new(seed, 41);
        let nis = 2 + rng.below(3);
        let (pe, home, must) = (rng.below(6), rng.below(2), 2 + rng.below(2));
        let before = if home == 0 { "" } else { "0:\n" };
        let text = format!(
            "pes = 6\nnis_per_pe = {nis}\nobjective = \"sparse\"\n[[switch]]\nports = 6\ncount = 5\n\
             [[pattern]]\nkind = \"matrix\"\npairs = \"\"\"\n0 1\n\"\"\"\n\
             [[placement]]\npes = {pe}\nswitches = {must}\n[start]\nmoves = 0\ntable = \"\"\"\n{before}{home}: {pe}\n\"\"\"\n"
        );
        search(&ask(&text, 0, seed, 1));
        prop_assert_eq!(search(&ask(&text, 1, seed, 1)).ended, EndReason::Solved);
    }
}

/// The fewest uncovered pairs and then the fewest moved cables, by exhaustive search within the rules; `None` if that
/// takes too long.
fn least_uncovered(spec: &Spec, demand: &Demand) -> Option<(usize, u64)> {
    let mut trial =
        Trial { spec, demand, rows: vec![Vec::new(); spec.usable_ports().len()], least: None, steps: 0 };
    trial.place(0).then_some(trial.least)?
}

struct Trial<'a> {
    spec: &'a Spec,
    demand: &'a Demand,
    rows: Vec<Vec<u32>>,
    least: Option<(usize, u64)>,
    steps: u32,
}

impl Trial<'_> {
    fn place(&mut self, pe: u32) -> bool {
        if pe == self.spec.pes {
            self.steps += 1;
            let verdict = check(self.spec, self.demand, &Design::from_switches(pe, self.rows.clone()));
            if verdict.breaches.is_empty() {
                let has = (verdict.uncovered.len(), verdict.moves.map_or(0, |moves| moves.has));
                self.least = Some(self.least.map_or(has, |least| least.min(has)));
            }
            return self.steps < 20_000;
        }
        let on = |set: u32, s: &usize| set >> s & 1 == 1;
        for set in 0..1u32 << self.rows.len() {
            if set.count_ones() != self.spec.nis_of(pe).min(self.rows.len() as u32) {
                continue;
            }
            let switches: Vec<usize> = (0..self.rows.len()).filter(|s| on(set, s)).collect();
            switches.iter().for_each(|&s| self.rows[s].push(pe));
            let in_time = self.place(pe + 1);
            for &s in &switches {
                self.rows[s].pop();
            }
            if !in_time {
                return false;
            }
        }
        true
    }
}

/// Few PEs, switches wide enough for all NIs, random placements and moves.
fn tiny(seed: u64) -> String {
    let mut rng = Rng::new(seed, 42);
    let (pes, nis, count) = (4 + rng.below(2), 1 + rng.below(2), 3);
    let ports = (pes * nis).div_ceil(count).max(2);
    let mut text = format!(
        "pes = {pes}\nnis_per_pe = {nis}\nobjective = \"sparse\"\n[[switch]]\nports = {ports}\ncount = {count}\n\
         [[pattern]]\nkind = \"ring\"\n"
    );
    for _ in 0..rng.below(3) {
        let kind = if rng.chance(300) { "on" } else { "off" };
        let (pe, switch) = (rng.below(pes), rng.below(count));
        writeln!(text, "[[placement]]\npes = {pe}\nswitches = {switch}\nkind = \"{kind}\"").expect("text");
    }
    if rng.chance(600) {
        let spec = read(&text).expect("a spec");
        let problem = crate::support::problem(&spec);
        let wiring = crate::random_specs::scattered(&problem, &mut rng);
        let made = table::write(&problem::design(&spec, wiring.genome()));
        writeln!(text, "[start]\nmoves = {}\ntable = \"\"\"\n{made}\"\"\"", rng.below(6)).expect("text");
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tiny_instances_come_as_far_as_their_rules_let_them(seed in any::<u64>()) {
        let text = tiny(seed);
        let ask = ask(&text, 1, seed, 1);
        if let Some((least, moves)) = least_uncovered(&ask.spec, &ask.demand) {
            let outcome = search(&ask);
            prop_assert!(outcome.uncovered <= least as u64, "{} uncovered, not {}: {}", outcome.uncovered, least, text);
            let moved = u64::from(outcome.moved.unwrap_or(0));
            prop_assert!(least > 0 || moved <= moves, "{moved} cables moved, not {moves}: {text}");
        }
    }
}

const RING: &str =
    "nis_per_pe = 3\nobjective = \"sparse\"\n[[switch]]\nports = 8\n[[pattern]]\nkind = \"ring\"\n";

/// A spec that starts from a design and allows this many moves.
fn from(text: &str, design: &Design, moves: u32) -> String {
    format!("{text}[start]\nmoves = {moves}\ntable = \"\"\"\n{}\"\"\"\n", table::write(design))
}

#[test]
fn a_machine_grows_without_a_cable_moved() {
    let old = search(&ask(&format!("pes = 24\n{RING}"), 2, 1, 1));
    assert_eq!(old.uncovered, 0);
    for moves in [0, 2, 6] {
        let grown = ask(&from(&format!("pes = 32\n{RING}"), &old.design, moves), 4, 1, 2);
        let outcome = search(&grown);
        assert!(moved(&grown.spec, &outcome.design) <= moves as usize);
        assert!(outcome.uncovered <= 4, "{} uncovered with {moves} moves", outcome.uncovered);
    }
}

#[test]
fn no_more_cables_move_than_the_new_pattern_needs() {
    let old = search(&ask(&format!("pes = 32\n{RING}"), 2, 1, 1));
    // No port is free: a move needs two cables.
    let rows: Vec<Vec<u32>> = old.design.switches().map(<[u32]>::to_vec).collect();
    assert_eq!(rows.iter().flatten().count(), 96);
    let new = format!("pes = 32\n{RING}[[pattern]]\nkind = \"matrix\"\npairs = \"\"\"\n0 16\n\"\"\"\n");
    let moved: Vec<u32> = [3, 100, 1000]
        .iter()
        .map(|&moves| {
            let outcome = search(&ask(&from(&new, &old.design, moves), 2, 1, 2));
            assert_eq!(outcome.uncovered, 0, "{moves} may move");
            outcome.moved.expect("a wiring was there")
        })
        .collect();
    assert_eq!(moved, [2, 2, 2]);
}

#[test]
fn shorter_cables_spend_no_more_moves() {
    let old = search(&ask(&format!("pes = 32\n{RING}"), 2, 1, 1));
    let text =
        from(&format!("pes = 32\n{RING}[[pattern]]\nkind = \"matrix\"\npairs = \"0 16\"\n"), &old.design, 40);
    let spec = crate::support::spec(&text);
    let outcome = search(&ask(&racked(&text, &spec), 2, 1, 1));
    assert_eq!(outcome.uncovered, 0);
    assert_eq!(outcome.moved, Some(2));
}

#[test]
fn more_moves_serve_a_new_pattern_no_worse() {
    let old = search(&ask(&format!("pes = 32\n{RING}"), 2, 1, 1));
    let new = format!("pes = 32\n{RING}[[pattern]]\nkind = \"hypercube\"\n");
    let mut before = u64::MAX;
    for moves in [0, 4, 12, 24, 96] {
        let ask = ask(&from(&new, &old.design, moves), 6, 1, 1);
        let outcome = search(&ask);
        assert!(moved(&ask.spec, &outcome.design) <= moves as usize);
        assert!(
            outcome.uncovered <= before,
            "{} uncovered with {moves} moves, {before} with fewer",
            outcome.uncovered
        );
        before = outcome.uncovered;
    }
    assert_eq!(before, 0, "as many moves as there are cables");
    let still = search(&ask(&from(&new, &old.design, 0), 1, 1, 1));
    assert!(still.uncovered > 0);
    let places = |design: &Design| design.switches().map(<[u32]>::to_vec).collect::<Vec<_>>();
    assert_eq!(places(&still.design), places(&old.design), "no cable moved, and no NI was idle");
}

#[test]
fn a_start_from_which_anything_may_move_is_only_a_beginning() {
    let old = search(&ask(&format!("pes = 32\n{RING}"), 2, 1, 1));
    let text = format!("pes = 32\n{RING}[[pattern]]\nkind = \"hypercube\"\n[start]\ntable = \"\"\"\n");
    let outcome = search(&ask(&format!("{text}{}\"\"\"\n", table::write(&old.design)), 4, 1, 1));
    assert_eq!(outcome.ended, EndReason::Solved);
}

#[test]
fn a_search_without_effort_returns_the_wiring_that_was_there() {
    let old = search(&ask(&format!("pes = 32\n{RING}"), 2, 1, 1));
    let new = format!("pes = 32\n{RING}[[pattern]]\nkind = \"hypercube\"\n");
    let renumber =
        format!("{new}[start]\nrenumber = true\ntable = \"\"\"\n{}\"\"\"\n", table::write(&old.design));
    for text in [from(&new, &old.design, 0), renumber] {
        for stopped in [false, true] {
            let ask = ask(&text, u64::from(stopped), 1, 2);
            let outcome = search_watched(&ask, &mut Log::default(), &AtomicBool::new(stopped));
            assert_eq!(outcome.design, old.design);
        }
    }
}

#[test]
fn switches_that_the_start_leaves_empty_take_nobodys_place() {
    // More switches than NIs: the removed switches must be unused.
    let text = "pes = 4\nnis_per_pe = 1\nobjective = \"sparse\"\n[[switch]]\nports = 4\ncount = 9\n\
        [[switch]]\nports = 2\ncount = 3\n[[pattern]]\nkind = \"matrix\"\npairs = \"\"\"\n0 1\n2 3\n\"\"\"\n\
        [start]\nmoves = 0\ntable = \"\"\"\n0:\n1:\n2:\n3:\n4:\n5:\n6:\n7:\n8:\n9:\n10: 0 1\n11: 2\n\"\"\"\n";
    assert_eq!(search(&ask(text, 1, 1, 1)).ended, EndReason::Solved);
}

#[test]
fn ports_kept_and_a_folded_uplink_stay_free() {
    let text = "pes = 64\nnis_per_pe = 4\nobjective = \"universal\"\n[[switch]]\nports = 32\n\
        [[keep]]\nswitch = 3\nports = 5\n[uplink]\nkind = \"folded\"\nspares = 2\n";
    let placed = format!(
        "{text}[[placement]]\npes = \"0-7\"\nswitches = 3\n[[placement]]\npes = \"8-63\"\nswitches = 0\nkind = \"off\"\n"
    );
    for text in [text, &placed] {
        let ask = ask(text, 3, 1, 2);
        let outcome = search(&ask);
        let uplink = ask.spec.uplink_switch().expect("an uplink switch");
        assert!(ask.spec.usable_of(3) == Some(27) && ask.spec.usable_of(uplink) < Some(27));
        for (switch, members) in (0..).zip(outcome.design.switches()) {
            assert!(members.len() as u32 <= ask.spec.usable_of(switch).expect("a switch"), "switch {switch}");
        }
    }
}

#[test]
fn idle_nis_are_seated_where_they_may_be() {
    // PE 0 is on the only switch with a free port. The PE that could make room is on a switch that is forbidden for
    // PE 0.
    let text = "pes = 3\nnis_per_pe = 2\nobjective = \"sparse\"\n[[switch]]\nports = 2\ncount = 3\n\
        [[pattern]]\nkind = \"matrix\"\npairs = \"\"\"\n1 2\n\"\"\"\n\
        [[placement]]\npes = 0\nswitches = \"0-1\"\nkind = \"off\"\n";
    let spec = Arc::new(read(text).expect("a spec"));
    let demand = Demand::build(&spec).expect("a demand");
    let problem = problem::instances(&spec, &demand, &mut || true).expect("not stopped").pop().expect("one");
    let mut wiring = Wiring::empty(&problem);
    assert!(wiring.load(&[2, NONE, 0, 1, 0, 1], &mut || true));
    fill::seat_idle(&mut wiring);
    assert_eq!(Recount { spec: &spec, demand: &demand, problem: &problem }.breaches(wiring.genome()), []);
}

#[test]
fn rules_of_any_kind_give_the_same_design_on_any_number_of_islands() {
    for (seed, threads) in [(0, 1), (1, 2), (2, 3), (3, 5)] {
        let Some(text) = random_ruled_spec(seed, KINDS[2]) else { continue };
        let ask = ask(&text, 1, seed, threads);
        let [first, again] = [0, 1].map(|_| search(&ask));
        assert_eq!(
            (&first.design, &first.method),
            (&again.design, &again.method),
            "{threads} islands: {text}"
        );
    }
}
