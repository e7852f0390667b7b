//! Every operator keeps all limits, and incremental counts equal a recount.

use crate::support::{ledger, problem, recount, spec, zoo};
use proptest::prelude::*;
use search::{
    fill,
    genetic::operators::{self, Dna},
    greedy,
    ledger::Ledger,
    moves,
    options::Options,
    problem::Problem,
    repair::repair,
    scaled,
    schedule::Schedule,
    wiring::{Swap, Wiring},
};
use spec::{demand::Demand, random::Rng, spec::Spec};

/// A random wiring of an instance.
fn scattered<'p>(problem: &'p Problem, rng: &mut Rng) -> Wiring<'p> {
    let mut wiring = Wiring::empty(problem);
    assert!(wiring.load(&fill::fill(problem), &mut || true));
    operators::exchange_connections(&mut wiring, 3 * problem.nis(), rng);
    wiring
}

fn holds(spec: &Spec, wiring: &Wiring) {
    assert_eq!(wiring.uncovered(), recount(spec, wiring.genome()));
    let mut fresh = Wiring::empty(wiring.problem);
    assert!(fresh.load(wiring.genome(), &mut || true));
    assert_eq!(fresh.genome(), wiring.genome());
    assert_eq!((fresh.cost(), fresh.uncovered()), (wiring.cost(), wiring.uncovered()));
    for ni in 0..wiring.problem.nis() {
        assert_eq!(fresh.sole(ni), wiring.sole(ni), "links that only NI {ni} provides");
    }
}

/// Applies a swap and checks its predicted change.
fn apply_checked(wiring: &mut Wiring, swap: &Swap) {
    let (before, predicted) = (wiring.cost() as i64, wiring.delta(swap, i64::MAX));
    wiring.apply(swap);
    assert_eq!(wiring.cost() as i64 - before, predicted, "{swap:?}");
}

/// Number of missing links, counted from scratch.
fn lacking(spec: &Spec, genome: &[u32], problem: &Problem) -> u64 {
    let demand = Demand::build(spec).expect("a demand");
    let on = |pe: u32| genome[problem.nis_of(pe)].iter().filter(|&&s| s != search::problem::NONE);
    let shared = |a: u32, b: u32| on(a).filter(|s| on(b).any(|t| t == *s)).count() as u64;
    demand
        .pairs()
        .enumerate()
        .map(|(i, (a, b))| u64::from(demand.links(i)).saturating_sub(shared(a, b)))
        .sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn incremental_cost_is_the_recomputed_cost_after_any_moves(seed in any::<u64>()) {
        let spec = spec(&zoo(seed));
        let (problem, mut rng) = (problem(&spec), Rng::new(seed, 1));
        let mut wiring = scattered(&problem, &mut rng);
        for turn in 0..200u32 {
            let swap = if turn % 2 == 0 { moves::propose_serving(&wiring, 6, &mut rng) } else { moves::propose_random(&wiring, &mut rng) };
            if let Some(swap) = swap {
                apply_checked(&mut wiring, &swap);
            }
            if turn % 3 == 0 && let Some(ni) = moves::propose_idling(&wiring, i64::MAX, &mut rng) {
                let (before, predicted) = (wiring.cost(), u64::from(wiring.sole(ni)));
                wiring.disconnect(ni);
                prop_assert_eq!(wiring.cost(), before + predicted);
            }
        }
        holds(&spec, &wiring);
        prop_assert_eq!(wiring.cost(), lacking(&spec, wiring.genome(), &problem));
    }

    #[test]
    fn a_refused_trade_is_above_its_limit(seed in any::<u64>()) {
        let spec = spec(&zoo(seed));
        let (problem, mut rng) = (problem(&spec), Rng::new(seed, 2));
        let mut wiring = scattered(&problem, &mut rng);
        for limit in [0, 1, 2, 0, 1, 2, 0, 1, 2] {
            if let Some(swap) = moves::propose_random(&wiring, &mut rng) {
                let (quick, exact) = (wiring.delta(&swap, limit), wiring.delta(&swap, i64::MAX));
                let agrees = if exact <= limit { quick == exact } else { quick > limit };
                prop_assert!(agrees, "{quick} for {exact}, limit {limit}");
                wiring.apply(&swap);
            }
        }
    }

    #[test]
    fn a_pair_gathers_within_its_limit_or_not_at_all(seed in any::<u64>()) {
        let spec = spec(&zoo(seed));
        let (problem, mut rng) = (problem(&spec), Rng::new(seed, 7));
        let mut wiring = scattered(&problem, &mut rng);
        for limit in [0, 1, 2, -1].repeat(20) {
            if limit == 2 && let Some(ni) = moves::propose_idling(&wiring, i64::MAX, &mut rng) {
                wiring.disconnect(ni);
            }
            let (before, genome) = (wiring.cost() as i64, wiring.genome().clone());
            moves::gather(&mut wiring, limit, 14, &mut rng);
            prop_assert!(wiring.genome() == &genome || wiring.cost() as i64 - before <= i64::from(limit));
        }
        holds(&spec, &wiring);
    }

    #[test]
    fn mutations_keep_limits(seed in any::<u64>()) {
        let spec = spec(&zoo(seed));
        let (problem, mut rng) = (problem(&spec), Rng::new(seed, 3));
        let mut wiring = scattered(&problem, &mut rng);
        operators::exchange_connections(&mut wiring, 40, &mut rng);
        holds(&spec, &wiring);
        for _ in 0..20 {
            let (a, b) = (rng.below(spec.pes), rng.below(spec.pes));
            operators::exchange_pes(&mut wiring, a, b);
        }
        holds(&spec, &wiring);
        operators::mutate(&mut wiring, 2, &mut rng);
        holds(&spec, &wiring);
    }

    #[test]
    fn crossover_keeps_limits(seed in any::<u64>()) {
        let spec = spec(&zoo(seed));
        let (problem, mut rng) = (problem(&spec), Rng::new(seed, 4));
        let other = scattered(&problem, &mut rng).genome().clone();
        let mut child = scattered(&problem, &mut rng);
        operators::crossover(&mut child, &other, 14, &mut rng);
        holds(&spec, &child);
    }

    #[test]
    fn constructions_and_repair_keep_limits(seed in any::<u64>()) {
        let spec = spec(&zoo(seed));
        let (problem, mut rng, options) = (problem(&spec), Rng::new(seed, 5), Options::default());
        recount(&spec, &fill::fill(&problem));
        let dna = Dna::random(problem.graph.pairs as usize, &mut rng);
        for dna in [None, Some(&dna)] {
            let made = greedy::greedy(&problem, dna, 3, &mut ledger());
            recount(&spec, &made.genome);
            let mut wiring = Wiring::empty(&problem);
            assert!(wiring.load(&made.genome, &mut || true));
            prop_assert_eq!(wiring.genome(), &made.genome);
            let schedule = Schedule { hot: 650, cool: 280, steps: 8, moves: 500 };
            repair(&mut wiring, &schedule, &options, Some("test"), &mut rng, &mut ledger());
            holds(&spec, &wiring);
        }
        if problem.graph.complete
            && let Some(mut genome) = scaled::scaled(&problem, &options, &mut rng, &mut ledger())
        {
            recount(&spec, &genome);
            fill::seat_rest(&problem, &mut genome);
            recount(&spec, &genome);
        }
    }

    #[test]
    fn seating_idle_nis_loses_nothing(seed in any::<u64>()) {
        let spec = spec(&zoo(seed));
        let (problem, mut rng) = (problem(&spec), Rng::new(seed, 8));
        let mut wiring = scattered(&problem, &mut rng);
        for _ in 0..problem.nis() {
            if let Some(ni) = moves::propose_idling(&wiring, 0, &mut rng) {
                wiring.disconnect(ni);
            }
        }
        let idle = |wiring: &Wiring| wiring.genome().iter().filter(|&&s| s == search::problem::NONE).count();
        let (before, cost) = (idle(&wiring), wiring.cost());
        fill::seat_idle(&mut wiring);
        prop_assert!(idle(&wiring) <= before && wiring.cost() <= cost);
        holds(&spec, &wiring);
    }

    #[test]
    fn dna_operators_keep_an_order_of_all_pairs(pairs in 1usize..200, seed in any::<u64>()) {
        let mut rng = Rng::new(seed, 6);
        let (a, b) = (Dna::random(pairs, &mut rng), Dna::random(pairs, &mut rng));
        for child in [a.point_mutated(Some(pairs - 1), &mut rng), a.point_mutated(None, &mut rng), a.crossed(&b, &mut rng)] {
            let mut order = child.order().to_vec();
            order.sort_unstable();
            prop_assert!(order.iter().enumerate().all(|(i, &pair)| i == pair as usize));
            prop_assert_eq!(order.len(), pairs);
        }
    }
}

#[test]
fn crossover_with_the_same_wiring_renumbered_changes_nothing() {
    let spec = spec(
        "pes = 24\nnis_per_pe = 3\nobjective = \"sparse\"\n[[switch]]\nports = 8\n[[pattern]]\nkind = \"ring\"\n",
    );
    let problem = problem(&spec);
    let mut rng = Rng::new(1, 0);
    let mut child = scattered(&problem, &mut rng);
    let before = child.genome().clone();
    let last = problem.switches() - 1;
    let renumbered: Vec<u32> = before.iter().map(|&s| last - s).collect();
    assert_eq!(operators::crossover(&mut child, &renumbered, 14, &mut rng), 0);
    assert_eq!(child.genome(), &before);
}

#[test]
fn a_block_crossover_keeps_the_block_in_its_place() {
    let mut rng = Rng::new(3, 0);
    let (a, b) = (Dna::random(40, &mut rng), Dna::random(40, &mut rng));
    let child = a.crossed(&b, &mut rng);
    let same = child.order().iter().zip(b.order()).filter(|(x, y)| x == y).count();
    let from_a: Vec<&u32> =
        child.order().iter().zip(b.order()).filter(|(x, y)| x != y).map(|(x, _)| x).collect();
    let in_a = |pair: &u32| a.order().iter().position(|p| p == pair);
    assert!(same >= 1 && from_a.windows(2).all(|w| in_a(w[0]) < in_a(w[1])));
}

#[test]
fn a_greedy_design_that_is_stopped_counts_what_it_lacks() {
    let spec = spec(
        "pes = 64\nnis_per_pe = 3\nobjective = \"sparse\"\n[[switch]]\nports = 8\n[[pattern]]\nkind = \"hypercube\"\n",
    );
    let problem = problem(&spec);
    let made = greedy::greedy(&problem, None, 3, &mut Ledger::new(&crate::support::SOLO, 0, 60));
    assert_eq!(made.stopped_at, Some(recount(&spec, &made.genome)));
}

#[test]
fn an_idle_ni_is_seated_where_another_makes_room() {
    let spec = spec(
        "pes = 3\nnis_per_pe = 2\nobjective = \"sparse\"\n[[switch]]\nports = 2\ncount = 3\n\
         [[pattern]]\nkind = \"matrix\"\npairs = \"\"\"\n1 2\n\"\"\"\n",
    );
    let problem = problem(&spec);
    let mut wiring = Wiring::empty(&problem);
    // PE 0 is on the only switch with a free port; PEs 1 and 2 meet twice.
    assert!(wiring.load(&[2, search::problem::NONE, 0, 1, 0, 1], &mut || true));
    fill::seat_idle(&mut wiring);
    assert!(!wiring.genome().contains(&search::problem::NONE));
    holds(&spec, &wiring);
}
