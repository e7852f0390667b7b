//! The bookkeeping of a wiring, with weights, extra links, levels and rules, against a recount from scratch.

use crate::{
    random_specs::{KINDS, PatternKind, Recount, beginning, random_ruled_spec, read},
    support::zoo,
};
use proptest::prelude::*;
use search::{
    genetic::operators,
    moves,
    problem::{self, NONE, Problem},
    team::Kernel,
    wiring::{FORBIDDEN, Swap, Wiring},
};
use spec::{
    demand::Demand,
    design::Breach,
    random::Rng,
    spec::{Objective, Spec},
};

fn instances(spec: &Spec, demand: &Demand) -> Vec<Problem> {
    problem::instances(spec, demand, &mut || true).expect("not stopped")
}

/// The genome after a swap.
fn swapped(wiring: &Wiring, swap: &Swap) -> Vec<u32> {
    let mut genome = wiring.genome().clone();
    let occupant = wiring.ni_at(swap.port);
    if occupant != NONE {
        genome[occupant as usize] = genome[swap.ni as usize];
    }
    genome[swap.ni as usize] = swap.switch;
    genome
}

/// Number of placement breaches, and of moved cables beyond the limit.
fn broken(breaches: &[Breach]) -> (usize, u32) {
    let moved =
        breaches.iter().find_map(|b| if let Breach::Moves { has, .. } = b { Some(*has) } else { None });
    (breaches.iter().filter(|b| matches!(b, Breach::Placement { .. })).count(), moved.unwrap_or(0))
}

/// Checks all bookkeeping against a recount.
fn holds(recount: &Recount, wiring: &Wiring) {
    let genome = wiring.genome();
    let cost = recount.cost(genome);
    assert_eq!((wiring.cost(), wiring.uncovered()), (cost, recount.uncovered(genome)));
    for ni in (0..wiring.problem.nis()).filter(|&ni| wiring.switch_of(ni) != NONE) {
        let mut without = genome.clone();
        without[ni as usize] = NONE;
        assert_eq!(u64::from(wiring.sole(ni)), recount.cost(&without) - cost, "sole of NI {ni}");
        let (before, after) = (recount.breaches(genome), recount.breaches(&without));
        let breaks = broken(&after).0 > broken(&before).0 || broken(&after).1 > broken(&before).1;
        assert_eq!(wiring.allows_idle(ni), !breaks, "whether NI {ni} may go idle");
    }
}

/// Checks the predicted change of a swap against a recount; `true` if the swap is allowed.
fn check_prediction(recount: &Recount, wiring: &Wiring, swap: &Swap) -> bool {
    let (before, after) = (wiring.genome(), swapped(wiring, swap));
    let (was, is) = (broken(&recount.breaches(before)), broken(&recount.breaches(&after)));
    let may = is.0 <= was.0 && is.1 <= was.1;
    assert_eq!(wiring.allows(swap), may, "{swap:?} from {before:?}");
    let change = recount.cost(&after) as i64 - recount.cost(before) as i64;
    let delta = wiring.delta(swap, i64::MAX - 1);
    assert_eq!(delta, if may { change } else { FORBIDDEN }, "{swap:?}");
    for limit in [0, 3, 300] {
        let quick = wiring.delta(swap, limit);
        assert!(if delta <= limit { quick == delta } else { quick > limit }, "{swap:?} within {limit}");
    }
    may
}

/// Random changes, each predicted; recounts everything at intervals and at the end.
fn random_walk(recount: &Recount, wiring: &mut Wiring, rng: &mut Rng, turns: u32) {
    for turn in 0..turns {
        let swap = if turn % 2 == 0 {
            moves::propose_serving(wiring, 6, rng)
        } else {
            moves::propose_random(wiring, rng)
        };
        if let Some(swap) = swap
            && check_prediction(recount, wiring, &swap)
        {
            wiring.apply(&swap);
        }
        match turn % 16 {
            3 | 9 => {
                if let Some(ni) = moves::propose_idling(wiring, i64::MAX, rng) {
                    wiring.disconnect(ni);
                }
            }
            5 => moves::gather(wiring, 2, 14, rng),
            11 => {
                operators::mutate(wiring, 4, rng);
            }
            13 => {
                let other = beginning(recount.spec, wiring.problem, rng).genome().clone();
                operators::crossover(wiring, &other, 14, rng);
            }
            15 => holds(recount, wiring),
            _ => {}
        }
        assert_eq!(recount.breaches(wiring.genome()), [], "turn {turn}");
    }
    holds(recount, wiring);
}

fn assert_books(seed: u64, kind: PatternKind) {
    let Some(spec) = random_ruled_spec(seed, kind).and_then(|text| read(&text)) else { return };
    let demand = Demand::build(&spec).expect("a demand");
    for problem in instances(&spec, &demand) {
        let (recount, mut rng) =
            (Recount { spec: &spec, demand: &demand, problem: &problem }, Rng::new(seed, 22));
        let mut wiring = beginning(&spec, &problem, &mut rng);
        assert_eq!(recount.breaches(wiring.genome()), []);
        random_walk(&recount, &mut wiring, &mut rng, 48);
        let mut other = beginning(&spec, &problem, &mut rng);
        other.restore(&wiring.snapshot());
        assert_same(&wiring, &other);
        holds(&recount, &other);
        let twin = |wiring: &mut Wiring| random_walk(&recount, wiring, &mut Rng::new(seed, 23), 40);
        twin(&mut wiring);
        twin(&mut other);
        assert_same(&wiring, &other);
    }
}

fn assert_same(one: &Wiring, other: &Wiring) {
    assert_eq!(one.genome(), other.genome());
    assert_eq!((one.cost(), one.uncovered()), (other.cost(), other.uncovered()));
    for ni in 0..one.problem.nis() {
        assert_eq!((one.port_of(ni), one.sole(ni)), (other.port_of(ni), other.sole(ni)), "NI {ni}");
    }
    for seed in 0..20 {
        let picks = |wiring: &Wiring| wiring.random_deficient(&mut Rng::new(seed, 1));
        assert_eq!(picks(one), picks(other), "a PE that lacks something");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_counts_is_counted_right(seed in any::<u64>()) {
        KINDS.into_iter().for_each(|kind| assert_books(seed, kind));
    }

    #[test]
    fn a_loaded_wiring_is_the_same_whatever_it_was_before(seed in any::<u64>()) {
        let Some(spec) = random_ruled_spec(seed, PatternKind::Plain).and_then(|text| read(&text)) else { return Ok(()) };
        let demand = Demand::build(&spec).expect("a demand");
        for problem in instances(&spec, &demand) {
            let mut rng = Rng::new(seed, 24);
            let mut used = beginning(&spec, &problem, &mut rng);
            let genome = beginning(&spec, &problem, &mut rng).genome().clone();
            let mut fresh = Wiring::empty(&problem);
            prop_assert!(used.load(&genome, &mut || true) && fresh.load(&genome, &mut || true));
            assert_same(&used, &fresh);
        }
    }

    #[test]
    fn the_lean_kernel_counts_like_the_general_one(seed in any::<u64>()) {
        let text = fast_text(seed);
        let spec = read(&text).expect("a spec");
        let demand = Demand::build(&spec).expect("a demand");
        let problem = instances(&spec, &demand).pop().expect("an instance");
        let recount = Recount { spec: &spec, demand: &demand, problem: &problem };
        let mut rng = Rng::new(seed, 25);
        let mut wiring = beginning(&spec, &problem, &mut rng);
        for turn in 0..120u32 {
            let (before, limit) = (recount.cost(wiring.genome()), (turn % 4) as i32 - 1);
            serve_fast(&mut wiring, limit, &mut rng);
            let change = recount.cost(wiring.genome()) as i64 - before as i64;
            prop_assert!(change <= i64::from(limit.max(0)), "{} lost within {}", change, limit);
            if turn % 3 == 0 && let Some(ni) = moves::propose_idling(&wiring, i64::MAX, &mut rng) {
                wiring.disconnect(ni);
            }
            if turn % 10 == 0 {
                holds(&recount, &wiring);
            }
        }
        holds(&recount, &wiring);
        prop_assert_eq!(recount.breaches(wiring.genome()), []);
    }

    /// With equal draws both kernels do the same: a swap that one accepts, the other predicts.
    #[test]
    fn the_lean_kernel_accepts_what_the_general_one_foretells(seed in any::<u64>()) {
        let spec = read(&fast_text(seed)).expect("a spec");
        let demand = Demand::build(&spec).expect("a demand");
        let problem = instances(&spec, &demand).pop().expect("an instance");
        let mut rng = Rng::new(seed, 26);
        let mut wiring = beginning(&spec, &problem, &mut rng);
        for turn in 0..120u32 {
            let limit = (turn % 4) as i32 - 1;
            let (mut general, mut same) = (wiring.clone(), rng.clone());
            serve_fast(&mut wiring, limit, &mut rng);
            if let Some(swap) = moves::propose_serving(&general, 6, &mut same)
                && general.delta(&swap, limit.into()) <= limit.into()
            {
                general.apply(&swap);
            }
            assert_same(&wiring, &general);
            prop_assert_eq!(rng.bits(), same.bits());
            if let Some(ni) = moves::propose_idling(&wiring, i64::MAX, &mut rng) && turn % 3 == 0 {
                wiring.disconnect(ni);
            }
        }
    }
}

/// A spec for the fast kernel: equal NIs, one link per pair, no weights, extra links or rules.
fn fast_text(seed: u64) -> String {
    let nis = [2, 3, 4, 5, 6, 8][(seed % 6) as usize];
    let mut text = String::new();
    for line in zoo(seed).lines() {
        if let Some(key) = line.split_once(" = ").map(|(key, _)| key) {
            match key {
                "nis" => text += &format!("nis = {nis}\n"),
                "links" => {}
                _ => text += &format!("{line}\n"),
            }
        } else {
            text += &format!("{line}\n");
        }
    }
    text
}

fn serve_fast(wiring: &mut Wiring, limit: i32, rng: &mut Rng) {
    assert!(wiring.fast_nis().is_some());
    Kernel::of(wiring).serve(wiring, limit, 6, rng);
}

#[test]
fn values_are_in_proportion_to_weights() {
    let mut seen = 0;
    for seed in 0..60 {
        let Some(spec) = read(&crate::random_specs::random_spec(seed, PatternKind::Weights)) else {
            continue;
        };
        assert_eq!(spec.objective, Objective::Fractional);
        let demand = Demand::build(&spec).expect("a demand");
        let problem = instances(&spec, &demand).pop().expect("an instance");
        let each = |pair: usize| f64::from(demand.weight(pair)) / f64::from(demand.links(pair));
        let heaviest = (0..demand.len()).map(each).fold(0.0, f64::max);
        let value = |pair: usize| {
            let (a, b) = demand.pair(pair);
            f64::from(problem.graph.value(a, problem.graph.bit_of(a, b).expect("a pair"), 1))
        };
        let top = (0..demand.len()).map(value).fold(0.0, f64::max);
        assert!(top >= 1e7, "{top} as the heaviest value: seed {seed}");
        for pair in 0..demand.len() {
            let (is, ought) = (value(pair), each(pair) / heaviest * top);
            assert!((is - ought.max(1.0)).abs() <= 1.0, "{is}, not {ought}: seed {seed}");
            seen += 1;
        }
    }
    assert!(seen > 1000, "{seen}");
}
