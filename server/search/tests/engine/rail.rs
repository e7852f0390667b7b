//! Rails: NI i of a PE only goes to switches of plane i.

use crate::{
    random_specs::{read, scattered},
    support::{Log, request, search, search_watched},
};
use proptest::prelude::*;
use search::{
    genetic::operators::{align, crossover, mutate},
    greedy::greedy,
    ledger::Ledger,
    limit::Limit,
    moves,
    problem::{NONE, Problem, design, instances},
    team::Kernel,
    wiring::Wiring,
};
use spec::{
    demand::Demand,
    design::{Design, check, table},
    random::Rng,
    spec::Spec,
};
use std::{fmt::Write, sync::atomic::AtomicBool};
use work::search::Budget;

/// A random spec under rails.
fn random_rails(seed: u64) -> String {
    let mut rng = Rng::new(seed, 30);
    let pes = 2 + rng.below(24);
    let (most, first) = (1 + rng.below(5), 1 + rng.below(pes - 1));
    let least = 1 + rng.below(most);
    let universal = rng.chance(200);
    let objective = if universal { "universal" } else { "sparse" };
    let mut text = format!("pes = {pes}\nrail = true\nobjective = \"{objective}\"\n");
    for (count, nis) in [(first, most), (pes - first, least)] {
        writeln!(text, "[[pe_group]]\ncount = {count}\nnis = {nis}").expect("text");
    }
    let ports = 2 + rng.below(8);
    writeln!(text, "[[switch]]\nports = {ports}").expect("text");
    if rng.chance(500) {
        writeln!(text, "count = {}", most * (pes.div_ceil(ports) + rng.below(3))).expect("text");
    }
    let links = 1 + rng.below(least.min(2));
    writeln!(text, "[[pattern]]\nkind = \"ring\"\nlinks = {links}").expect("text");
    let pairs: String = (0..rng.below(2 * pes))
        .map(|_| {
            let a = rng.below(pes - 1);
            format!("{a} {}\n", a + 1 + rng.below(pes - 1 - a))
        })
        .collect();
    if !pairs.is_empty() {
        writeln!(text, "[[pattern]]\nkind = \"matrix\"\npairs = '''\n{pairs}'''").expect("text");
    }
    text
}

/// The spec with racks, or with an existing wiring that may change.
fn with_more(text: &str, spec: &Spec, rng: &mut Rng) -> String {
    let problem = last_problem(spec);
    match rng.below(5) {
        0 => {
            let (pes, switches) = (spec.pes / 2, spec.switch_budget() / 2);
            format!(
                "{text}[[rack]]\npes = {pes}\nswitches = {switches}\n[[rack]]\npes = {}\nswitches = {}\nx = 9.0\n",
                spec.pes - pes,
                spec.switch_budget() - switches
            )
        }
        kind @ 1..=3 => {
            let start = table::write(&design(spec, scattered(&problem, rng).genome()));
            let rule = ["moves = 4\n", "", "renumber = true\n"][kind as usize - 1];
            format!("{text}[start]\n{rule}table = '''\n{start}'''\n")
        }
        _ => text.to_string(),
    }
}

fn last_problem(spec: &Spec) -> Problem {
    let demand = Demand::build(spec).expect("a demand");
    instances(spec, &demand, &mut || true).expect("not stopped").pop().expect("an instance")
}

/// Checks that NI i of each PE is on plane i, or idle where `idle` says so.
fn keeps_rails(spec: &Spec, design: &Design, idle: bool) {
    let nis = design.nis();
    for (pe, has) in (0..spec.pes).zip(spec.nis_per_pe()) {
        let planes: Vec<u32> =
            nis.of(pe).iter().map(|&switch| spec.plane_of(switch).expect("rails")).collect();
        assert!(planes.windows(2).all(|pair| pair[0] < pair[1]), "PE {pe} on planes {planes:?}");
        assert!(planes.last().is_none_or(|&last| last < has), "PE {pe} on planes {planes:?}");
        assert!(idle || planes.len() == has as usize, "PE {pe} on planes {planes:?}");
    }
}

fn genome_keeps_rails(spec: &Spec, problem: &Problem, genome: &[u32]) {
    for ni in 0..problem.nis() {
        let switch = genome[ni as usize];
        assert!(switch == NONE || problem.keeps_rail(ni, switch), "NI {ni} on switch {switch}");
    }
    keeps_rails(spec, &design(spec, genome), true);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every search ends with NI i of each PE on plane i; so does every wiring it shows on the way.
    #[test]
    fn searches_keep_rails(seed in any::<u64>()) {
        let text = random_rails(seed);
        let spec = read(&text).expect(&text);
        let more = with_more(&text, &spec, &mut Rng::new(seed, 31));
        let request = request(&more, Budget::Effort(1), seed, 1 + (seed % 2) as u32);
        let mut log = Log::default();
        let outcome = search_watched(&request, &mut log, &AtomicBool::new(false));
        keeps_rails(&request.spec, &outcome.design, false);
        for (design, _) in &log.better {
            prop_assert_eq!(check(&request.spec, &request.demand, design).breaches, []);
        }
    }

    /// Constructions, moves and operators keep NIs on their planes.
    #[test]
    fn moves_keep_rails(seed in any::<u64>()) {
        let text = random_rails(seed);
        let spec = read(&text).expect(&text);
        let (problem, mut rng) = (last_problem(&spec), Rng::new(seed, 32));
        let mut ledger = Ledger::new(&Limit::NONE, 0, u64::MAX);
        genome_keeps_rails(&spec, &problem, &greedy(&problem, None, 3, &mut ledger).genome);
        let (mut wiring, other) = (scattered(&problem, &mut rng), scattered(&problem, &mut rng));
        genome_keeps_rails(&spec, &problem, wiring.genome());
        for _ in 0..200 {
            Kernel::PLAIN.serve(&mut wiring, 2, 14, &mut rng);
            moves::gather(&mut wiring, 2, 14, &mut rng);
            if let Some(swap) = moves::judge_random(&wiring, 2, &mut rng) {
                wiring.apply(&swap);
            }
            if let Some(ni) = moves::propose_idling(&wiring, 2, &mut rng) {
                wiring.disconnect(ni);
            }
        }
        genome_keeps_rails(&spec, &problem, wiring.genome());
        genome_keeps_rails(&spec, &problem, &align(&problem, wiring.genome(), other.genome()));
        crossover(&mut wiring, other.genome(), 14, &mut rng);
        mutate(&mut wiring, 1, &mut rng);
        genome_keeps_rails(&spec, &problem, wiring.genome());
        let mut loaded = Wiring::empty(&problem);
        prop_assert!(loaded.load(wiring.genome(), &mut || true));
        prop_assert_eq!(loaded.genome(), wiring.genome());
        prop_assert_eq!(loaded.cost(), wiring.cost());
    }
}

/// The parallel classes of an affine plane of order 4 are the planes of 16 PEs with 5 NIs.
#[test]
fn an_affine_plane_keeps_rails() {
    let text = "pes = 16\nnis_per_pe = 5\nrail = true\nobjective = \"universal\"\n[[switch]]\nports = 4\n";
    let request = request(text, Budget::Effort(1), 1, 1);
    let outcome = search(&request);
    assert!(outcome.method.starts_with("by construction: "), "{}", outcome.method);
    assert_eq!(outcome.uncovered, 0);
    keeps_rails(&request.spec, &outcome.design, false);
}

/// Two PEs that share a switch on each plane: no wiring of two NIs on one plane would be better.
#[test]
fn a_pair_may_share_a_switch_on_every_plane() {
    let text = "pes = 6\nnis_per_pe = 3\nrail = true\n[[switch]]\nports = 2\n[[pattern]]\nkind = \"matrix\"\nlinks = 3\n\
                pairs = '''\n0 5\n1 4\n2 3\n'''\n";
    let request = request(text, Budget::Effort(1), 1, 1);
    let outcome = search(&request);
    assert_eq!(outcome.uncovered, 0, "{}", table::write(&outcome.design));
}
