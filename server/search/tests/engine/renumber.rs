//! Renumbering: every cable stays, PE numbers are permuted.

use crate::support::{SOLO, problem, recount, search as solve, spec, zoo};
use proptest::prelude::*;
use search::{
    fill,
    genetic::operators,
    ledger::Ledger,
    permutation::{Permutation, Slots},
    problem::{Problem, design},
    renumber::{Cooling, renumber},
    wiring::{Genome, Wiring},
};
use spec::{
    demand::Demand,
    design::{Design, check, table},
    random::Rng,
    spec::{Objective, Spec},
};
use work::search::Budget;

/// The patterns of KASY0 for 32 PEs.
const KASY0: &str = "pes = 32\nnis_per_pe = 3\nobjective = \"sparse\"\n[[switch]]\nports = 9\n\
    [[pattern]]\nkind = \"hypercube\"\n[[pattern]]\nkind = \"bit-reversal\"\n[[pattern]]\nkind = \"ring\"\n\
    [[pattern]]\nkind = \"torus\"\ndims = [8, 4]\nneighbours = \"axis\"\n";

/// A spec with a start wiring whose cables all stay.
fn starting(toml: &str, design: &Design) -> Spec {
    spec(&format!("{toml}[start]\nrenumber = true\ntable = \"\"\"\n{}\"\"\"\n", table::write(design)))
}

/// A wiring with PE numbers permuted at random.
fn scrambled(design: &Design, seed: u64) -> Design {
    let mut numbers: Vec<u32> = (0..design.pes()).collect();
    Rng::new(seed, 9).shuffle(&mut numbers);
    let renamed = |members: &[u32]| members.iter().map(|&pe| numbers[pe as usize]).collect();
    Design::from_switches(design.pes(), design.switches().map(renamed).collect::<Vec<_>>())
}

/// A random wiring of an instance.
fn scattered(spec: &Spec, rng: &mut Rng) -> Design {
    let problem = problem(spec);
    let mut wiring = Wiring::empty(&problem);
    assert!(wiring.load(&fill::fill(&problem), &mut || true));
    operators::exchange_connections(&mut wiring, 3 * problem.nis(), rng);
    design(spec, wiring.genome())
}

/// Renumbers with a work limit; returns the uncovered pairs, confirmed by the checker, and the genome.
fn renumbered(spec: &Spec, seed: u64, work: u64) -> (u64, Genome) {
    let (problem, demand) = (problem(spec), Demand::build(spec).expect("a demand"));
    let start = spec.start.as_ref().expect("a start");
    let mut ledger = Ledger::new(&SOLO, 0, work);
    let mut rng = Rng::new(seed, 0);
    renumber(spec, &demand, start, &problem, &Cooling::default(), &mut rng, &mut ledger)
        .expect("known switches");
    let genome = ledger.close().expect("a wiring").genome;
    (recount(spec, &genome), genome)
}

#[test]
fn a_scrambled_wiring_is_found_back() {
    let made = solve(&crate::support::request(KASY0, Budget::Effort(50), 1, 1));
    assert_eq!(made.uncovered, 0);
    for seed in 1..=3 {
        let spec = starting(KASY0, &scrambled(&made.design, seed));
        assert_eq!(renumbered(&spec, seed, 60_000_000).0, 0, "seed {seed}");
    }
}

#[test]
fn two_pes_that_changed_places_change_back() {
    let made = solve(&crate::support::request(KASY0, Budget::Effort(50), 1, 1));
    let numbers = |pe: &u32| [5, 20].iter().position(|p| p == pe).map_or(*pe, |at| [20, 5][at]);
    let swapped = made.design.switches().map(|members| members.iter().map(numbers).collect::<Vec<u32>>());
    let spec = starting(KASY0, &Design::from_switches(32, swapped));
    assert_eq!(renumbered(&spec, 1, 20_000_000).0, 0);
}

/// The switches of a ring's neighbours serve another ring, with PE numbers five apart.
#[test]
fn an_old_machine_serves_a_new_pattern() {
    let old = "pes = 24\nnis_per_pe = 2\nobjective = \"sparse\"\n[[switch]]\nports = 6\n[[pattern]]\nkind = \"ring\"\n";
    let made = solve(&crate::support::request(old, Budget::Effort(10), 1, 1));
    assert_eq!(made.uncovered, 0);
    let pairs: Vec<String> = (0..24).map(|pe| format!("{} {}", pe * 5 % 24, (pe + 1) * 5 % 24)).collect();
    let ring = "kind = \"ring\"";
    let new = old.replace(ring, &format!("kind = \"matrix\"\npairs = \"\"\"\n{}\n\"\"\"", pairs.join("\n")));
    let spec = starting(&new, &made.design);
    let demand = Demand::build(&spec).expect("a demand");
    assert!(!check(&spec, &demand, &made.design).uncovered.is_empty());
    assert_eq!(renumbered(&spec, 1, 20_000_000).0, 0);
}

#[test]
fn the_same_dice_give_the_same_numbers() {
    let made = solve(&crate::support::request(KASY0, Budget::Effort(50), 1, 1));
    let spec = starting(KASY0, &scrambled(&made.design, 7));
    assert_eq!(renumbered(&spec, 7, 150_000), renumbered(&spec, 7, 150_000));
}

/// Every pair counts the same: no permutation is better, and the search ends early.
#[test]
fn where_every_pair_is_wanted_numbers_do_not_matter() {
    let toml = "pes = 8\nnis_per_pe = 1\nobjective = \"universal\"\n[[switch]]\nports = 4\n";
    let spec = starting(toml, &Design::from_switches(8, [vec![0, 2, 4, 6], vec![1, 3, 5, 7]]));
    assert_eq!(renumbered(&spec, 1, u64::MAX).0, 16);
}

#[test]
fn a_cable_to_a_switch_that_the_instance_lacks_is_named() {
    let toml = "pes = 3\nnis_per_pe = 1\nobjective = \"sparse\"\n[[switch]]\nports = 2\ncount = 2\n\
        [[pattern]]\nkind = \"ring\"\n";
    let spec = starting(toml, &Design::from_switches(3, [vec![0, 1], vec![2]]));
    let graph = search::graph::Graph::new(&Demand::build(&spec).expect("a demand"), &mut || true)
        .expect("not stopped");
    let problem = Problem::new(std::sync::Arc::new(graph), search::problem::nis_per_pe(&spec), &[2]);
    let start = spec.start.as_ref().expect("a start");
    let mut other = spec.clone();
    other.switches[0].count = Some(1);
    let error = Slots::new(&other, start, &problem, &mut || true).expect_err("the second switch is left out");
    assert_eq!(error.switch, 1);
    assert!(error.to_string().contains("switch 1"), "{error}");
}

/// Missing links of a wiring, times their weights, counted from scratch.
fn lacking(spec: &Spec, demand: &Demand, design: &Design) -> f64 {
    let nis = design.nis();
    let fractional = spec.objective == Objective::Fractional;
    (0..demand.len())
        .map(|pair| {
            let (a, b) = demand.pair(pair);
            let missing = demand.links(pair).saturating_sub(nis.shared(a, b).count() as u32);
            f64::from(missing) * if fractional { f64::from(demand.weight(pair)) } else { 1.0 }
        })
        .sum()
}

/// A small random machine with a random wiring; every third one with weights.
fn old_machine(seed: u64) -> Spec {
    let mut rng = Rng::new(seed, 1);
    let mut text = zoo(seed);
    if seed.is_multiple_of(3) {
        text = text.replace("\"sparse\"", "\"fractional\"").replacen(
            "kind = \"ring\"",
            "kind = \"ring\"\nweight = 2.5",
            1,
        );
    }
    let design = scattered(&spec(&text), &mut rng);
    starting(&text, &design)
}

/// Checks the increments against a recount after each swap.
fn exchanges_hold(spec: &Spec, problem: &Problem, slots: &Slots, seed: u64) {
    let (demand, mut rng) = (Demand::build(spec).expect("a demand"), Rng::new(seed, 2));
    let mut permutation = Permutation::new(spec, &demand, problem, slots, &mut || true).expect("not stopped");
    let mut genome = Genome::new();
    for turn in 0..40 {
        if turn == 20 {
            assert!(permutation.shuffle(&mut rng, &mut || true));
        }
        let swap =
            if turn % 2 == 0 { permutation.propose(&mut rng) } else { permutation.propose_any(&mut rng) };
        let Some(swap) = swap else { continue };
        let (before, exact) = (permutation.cost(), permutation.delta(swap, i64::MAX));
        let quick = permutation.delta(swap, 1);
        assert!(if exact <= 1 { quick == exact } else { quick > 1 }, "{quick} for {exact}");
        permutation.apply(swap);
        assert_eq!(permutation.cost() - before, exact, "{swap:?}");
        permutation.genome(permutation.slots(), &mut genome);
        assert_eq!(permutation.uncovered(), recount(spec, &genome));
    }
    permutation.genome(permutation.slots(), &mut genome);
    let all = lacking(spec, &demand, &design(spec, &genome));
    let weights: f64 = (0..demand.len()).map(|pair| f64::from(demand.weight(pair))).sum();
    let unit =
        if spec.objective == Objective::Fractional { weights / demand.len() as f64 / 65_536.0 } else { 1.0 };
    assert!(
        (permutation.cost() as f64 * unit - all).abs() <= 1e-3 * (1.0 + all),
        "{} x {unit}, not {all}",
        permutation.cost()
    );
}

/// The fewest uncovered pairs over all permutations of PEs with equally many NIs.
fn fewest(spec: &Spec, design: &Design) -> u64 {
    let demand = Demand::build(spec).expect("a demand");
    let (nis, old) = (spec.nis_per_pe().collect::<Vec<_>>(), design.nis());
    let mut fewest = u64::MAX;
    permutations(&mut (0..spec.pes).collect(), 0, &mut |slot| {
        if (0..).zip(slot).all(|(pe, &old): (usize, &u32)| nis[pe] == nis[old as usize]) {
            let shared = |a: u32, b: u32| old.shared(slot[a as usize], slot[b as usize]).count() as u32;
            let uncovered = (0..demand.len()).filter(|&pair| {
                let (a, b) = demand.pair(pair);
                shared(a, b) < demand.links(pair)
            });
            fewest = fewest.min(uncovered.count() as u64);
        }
    });
    fewest
}

fn permutations(items: &mut Vec<u32>, fixed: usize, see: &mut impl FnMut(&[u32])) {
    if fixed == items.len() {
        return see(items);
    }
    for next in fixed..items.len() {
        items.swap(fixed, next);
        permutations(items, fixed + 1, see);
        items.swap(fixed, next);
    }
}

/// Up to seven PEs with equal or different NIs, on two or three switches, and some random pairs.
fn tiny(seed: u64) -> Spec {
    let mut rng = Rng::new(seed, 3);
    let pes = 4 + rng.below(4);
    let first = 1 + rng.below(pes - 1);
    let mut text = format!(
        "pes = {pes}\nobjective = \"sparse\"\n[[pe_group]]\ncount = {first}\nnis = 2\n[[pe_group]]\ncount = {}\nnis = {}\n\
         [[switch]]\nports = {}\n[[pattern]]\nkind = \"matrix\"\npairs = \"\"\"\n",
        pes - first,
        1 + rng.below(2),
        2 + rng.below(3)
    );
    for _ in 0..1 + rng.below(2 * pes) {
        let a = rng.below(pes - 1);
        text += &format!("{a} {}\n", a + 1 + rng.below(pes - 1 - a));
    }
    text += "\"\"\"\n";
    let design = scattered(&spec(&text), &mut rng);
    starting(&text, &design)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn increments_are_what_a_count_from_scratch_gives(seed in any::<u64>()) {
        let spec = old_machine(seed);
        let problem = problem(&spec);
        let start = spec.start.as_ref().expect("a start");
        let slots = Slots::new(&spec, start, &problem, &mut || true).expect("known switches").expect("not stopped");
        exchanges_hold(&spec, &problem, &slots, seed);
    }

    #[test]
    fn tiny_machines_are_renumbered_as_well_as_can_be(seed in any::<u64>()) {
        let spec = tiny(seed);
        let start = spec.start.as_ref().expect("a start");
        let old = Design::from_switches(spec.pes, start.switches.iter().cloned());
        prop_assert_eq!(renumbered(&spec, seed, 100_000).0, fewest(&spec, &old));
    }
}

/// More slots than the table holds.
#[test]
fn large_machines_are_counted_without_a_table() {
    let toml = "pes = 4200\nnis_per_pe = 3\nobjective = \"sparse\"\n[[switch]]\nports = 24\n[[pattern]]\nkind = \"ring\"\nlinks = 2\n";
    let spec = starting(toml, &scattered(&spec(toml), &mut Rng::new(1, 1)));
    let problem = problem(&spec);
    let start = spec.start.as_ref().expect("a start");
    let slots =
        Slots::new(&spec, start, &problem, &mut || true).expect("known switches").expect("not stopped");
    exchanges_hold(&spec, &problem, &slots, 1);
}
