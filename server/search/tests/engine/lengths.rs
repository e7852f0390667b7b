//! Cables get shorter, and nothing else gets worse.

use crate::support::{problem, spec, zoo};
use analysis::analysis::lengths::total;
use proptest::prelude::*;
use search::{
    fill,
    genetic::operators,
    lengths::{self, Floor, shorten},
    problem::{Problem, design, start_genome},
    wiring::Wiring,
};
use spec::{
    demand::Demand,
    design::{Design, check, table},
    random::Rng,
    spec::Spec,
};
use std::fmt::Write;

/// A random wiring of an instance.
fn scattered<'p>(problem: &'p Problem, rng: &mut Rng) -> Wiring<'p> {
    let mut wiring = Wiring::empty(problem);
    assert!(wiring.load(&fill::fill(problem), &mut || true));
    operators::exchange_connections(&mut wiring, 3 * problem.nis(), rng);
    wiring
}

/// A spec with its PEs and switches spread over random racks.
fn racked(text: &str, rng: &mut Rng) -> String {
    let spec = spec(text);
    let (mut pes, mut switches) = (spec.pes, spec.switch_budget());
    let mut racked = text.to_string();
    while pes > 0 || switches > 0 {
        let (some, few) = (rng.below(pes + 1).min(9), rng.below(switches + 1).min(5));
        if some + few > 0 {
            let (x, y) = (f64::from(rng.below(200)) / 10.0, f64::from(rng.below(50)) / 10.0);
            writeln!(racked, "[[rack]]\npes = {some}\nswitches = {few}\nx = {x:.1}\ny = {y:.1}")
                .expect("text");
        }
        (pes, switches) = (pes - some, switches - few);
    }
    racked
}

fn metres(spec: &Spec, wiring: &Wiring) -> f64 {
    total(spec, &design(spec, wiring.genome())).expect("racks")
}

/// Shortens with a work limit; returns metres before and after. Checks that limits hold, that the reported saving is
/// real, and that no served pair loses a link.
fn shortened(spec: &Spec, wiring: &mut Wiring, seed: u64, work: u64) -> (f64, f64) {
    let demand = Demand::build(spec).expect("a demand");
    let judge = |wiring: &Wiring| check(spec, &demand, &design(spec, wiring.genome()));
    let (before, old) = (judge(wiring), metres(spec, wiring));
    assert_eq!(before.breaches, []);
    let mut left = work;
    let mut go_on = |done: u64| {
        left = left.saturating_sub(done);
        left > 0
    };
    let saved = shorten(spec, wiring, &mut Rng::new(seed, 3), &mut go_on);
    let (after, new) = (judge(wiring), metres(spec, wiring));
    assert_eq!(after.breaches, []);
    let lost: Vec<_> =
        after.uncovered.iter().filter(|pair| before.uncovered.binary_search(pair).is_err()).collect();
    assert!(lost.is_empty(), "{lost:?} lost");
    assert!(saved >= 0.0 && new <= old + 1e-6, "{old} m became {new} m");
    assert!(old - new >= saved - 1e-3, "{old} m became {new} m, not {saved} m less");
    (old, new)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn cables_get_no_longer_and_no_pair_is_lost(seed in any::<u64>()) {
        let mut rng = Rng::new(seed, 1);
        let spec = spec(&racked(&zoo(seed), &mut rng));
        let problem = problem(&spec);
        let mut wiring = scattered(&problem, &mut rng);
        shortened(&spec, &mut wiring, seed, 20_000);
    }

    #[test]
    fn placements_and_moves_are_kept(seed in any::<u64>()) {
        let mut rng = Rng::new(seed, 1);
        let plain = racked(&zoo(seed), &mut rng);
        let free = spec(&plain);
        let free_problem = problem(&free);
        let wiring = scattered(&free_problem, &mut rng);
        let design = design(&free, wiring.genome());
        let mut text = plain;
        let (pe, switch) = (rng.below(free.pes), rng.below(design.switch_count()));
        let kind = if design.members(switch).contains(&pe) { "on" } else { "off" };
        write!(text, "[[placement]]\nkind = \"{kind}\"\npes = \"{pe}\"\nswitches = \"{switch}\"\n").expect("text");
        let (moves, table) = (rng.below(6), table::write(&design));
        write!(text, "[start]\nmoves = {moves}\ntable = \"\"\"\n{table}\"\"\"\n").expect("text");
        let held = spec(&text);
        let held_problem = problem(&held);
        let mut wiring_held = Wiring::empty(&held_problem);
        let genome = start_genome(&held).expect("a start");
        prop_assert!(wiring_held.load(&genome, &mut || true));
        shortened(&held, &mut wiring_held, seed, 20_000);
    }

    #[test]
    fn the_assignment_is_the_best_of_all(seed in any::<u64>()) {
        let mut rng = Rng::new(seed, 1);
        let text = format!(
            "pes = 12\nnis_per_pe = 2\nobjective = \"sparse\"\n[[switch]]\nports = 6\ncount = {}\n[[pattern]]\nkind = \"ring\"\n{}",
            4 + rng.below(3),
            if rng.chance(300) { "[uplink]\nkind = \"folded\"\n" } else { "" },
        );
        let spec = spec(&racked(&text, &mut rng));
        let problem = problem(&spec);
        let mut wiring = scattered(&problem, &mut rng);
        let least = least_of_all(&spec, &problem, &wiring);
        let floor = Floor::new(&spec, problem.switches()).expect("racks");
        lengths::assign(&spec, &floor, &mut wiring, &mut rng, &mut |_| true);
        prop_assert!((metres(&spec, &wiring) - least).abs() < 1e-4, "{} and {least}", metres(&spec, &wiring));
    }
}

/// The least length over all assignments of switches with equally many ports.
fn least_of_all(spec: &Spec, problem: &Problem, wiring: &Wiring) -> f64 {
    let design = design(spec, wiring.genome());
    let width = |switch: u32| problem.ports_of(switch).len();
    let mut least = f64::INFINITY;
    permutations(&mut (0..problem.switches()).collect(), 0, &mut |players| {
        if (0..).zip(players).all(|(part, &player)| width(part) == width(player)) {
            let mut lines = vec![Vec::new(); players.len()];
            for (part, members) in design.switches().enumerate() {
                lines[players[part] as usize] = members.to_vec();
            }
            least = least.min(total(spec, &Design::from_switches(spec.pes, lines)).expect("racks"));
        }
    });
    least
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

/// Two rows of racks whose switches serve the far row: exchanging the switches halves the cables.
#[test]
fn switches_go_to_the_racks_that_they_serve() {
    let spec = spec(
        "pes = 8\nnis_per_pe = 1\nobjective = \"fractional\"\n[[switch]]\nports = 4\n[[pattern]]\nkind = \"ring\"\n\
         [[rack]]\npes = 4\nswitches = 1\nx = 0\n[[rack]]\npes = 4\nswitches = 1\nx = 10\n",
    );
    let problem = problem(&spec);
    let mut wiring = Wiring::empty(&problem);
    assert!(wiring.load(&[1, 1, 1, 1, 0, 0, 0, 0], &mut || true));
    assert_eq!(shortened(&spec, &mut wiring, 1, 1_000_000), (96.0, 16.0));
}

/// Swaps only: without requested pairs every PE can use the near switch, though switches may not change roles.
#[test]
fn nis_trade_places_where_nothing_depends_on_them() {
    let spec = spec(
        "pes = 8\nnis_per_pe = 1\nobjective = \"sparse\"\n[[switch]]\nports = 4\n[[pattern]]\nkind = \"matrix\"\npairs = \"0 1\"\n\
         [[placement]]\nkind = \"off\"\npes = \"7\"\nswitches = \"1\"\n\
         [[rack]]\npes = 4\nswitches = 1\nx = 0\n[[rack]]\npes = 4\nswitches = 1\nx = 10\n",
    );
    let problem = problem(&spec);
    let mut wiring = Wiring::empty(&problem);
    assert!(wiring.load(&[0, 0, 1, 1, 1, 1, 0, 0], &mut || true));
    // PE 7 must stay on the far switch, and one PE of the first rack with it.
    assert_eq!(shortened(&spec, &mut wiring, 1, 1_000_000), (56.0, 36.0));
}

#[test]
fn a_wiring_whose_cables_all_stay_is_left_alone() {
    let spec = spec(
        "pes = 4\nnis_per_pe = 1\nobjective = \"sparse\"\n[[switch]]\nports = 2\n[[pattern]]\nkind = \"matrix\"\npairs = \"0 2\\n1 3\"\n\
         [start]\nrenumber = true\ntable = \"\"\"\n0: 1 3\n1: 0 2\n\"\"\"\n[[rack]]\npes = 4\nswitches = 1\n[[rack]]\nswitches = 1\n",
    );
    let problem = problem(&spec);
    let mut wiring = Wiring::empty(&problem);
    assert!(wiring.load(&[1, 0, 1, 0], &mut || true));
    let genome = wiring.genome().clone();
    assert_eq!(shorten(&spec, &mut wiring, &mut Rng::new(1, 0), &mut |_| true), 0.0);
    assert_eq!(wiring.genome(), &genome);
}
