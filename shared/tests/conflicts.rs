//! Constraints in each other's way are named together, and only where no wiring keeps them.

use crate::common::exhaustive::solvable;
use proptest::prelude::*;
use shared::{
    analysis::bounds::{Refusal, refuse},
    demand::Demand,
    design::{Design, check},
    resolve::{self, NoFiles, resolve},
    spec::{Objective, Spec},
};

fn spec(text: &str) -> (Spec, Demand) {
    let spec = resolve::read(text, &mut NoFiles).unwrap_or_else(|faults| panic!("{faults}"));
    let demand = Demand::build(&spec).unwrap_or_else(|faults| panic!("{faults}"));
    (spec, demand)
}

/// 8 PEs with 2 NIs on 4 switches of 4 ports, a pattern that wants little, and what is added.
fn refused(added: &str) -> Option<Refusal> {
    let pattern = "[[pattern]]\nkind = \"matrix\"\npairs = [[0, 1]]\n";
    let (spec, demand) =
        spec(&format!("pes = 8\nnis_per_pe = 2\n[[switch]]\nports = 4\ncount = 4\n{pattern}{added}"));
    refuse(&spec, &demand)
}

fn placement(pes: &str, switches: &str, kind: &str) -> String {
    format!("[[placement]]\npes = \"{pes}\"\nswitches = \"{switches}\"\nkind = \"{kind}\"\n")
}

/// The proof, and the paths of the fields.
fn told(added: &str) -> (String, String) {
    let refusal = refused(added).unwrap_or_else(|| panic!("nothing is in the way\n{added}"));
    let paths: Vec<String> = refusal.faults.into_iter().map(|fault| fault.path).collect();
    (refusal.proof, paths.join(" "))
}

#[track_caller]
fn conflict(placements: &[String], proof: &str, paths: &str) {
    assert_eq!(told(&placements.concat()), (proof.to_string(), paths.to_string()));
}

#[test]
fn a_pe_on_more_switches_than_it_has_nis() {
    conflict(
        &[placement("0-3", "0-1", "on"), placement("5", "2", "on"), placement("3-5", "2", "on")],
        "Node 3 must be on switches 0-2 (placement[0] and placement[2]), which takes 3 NICs; it has 2.",
        "placement[0].switches placement[2].switches nics_per_node",
    );
}

#[test]
fn a_switch_with_more_pes_than_ports() {
    conflict(
        &[placement("0-2", "1", "on"), placement("2-3, 6", "1", "on")],
        "Nodes 0-3, 6 must be on switch 1 (placement[0] and placement[1]): 5 nodes for 4 usable ports.",
        "placement[0].nodes placement[1].nodes switch[0].ports",
    );
    let kept = "[[keep]]\nswitch = 3\nports = 2\n[uplink]\nkind = \"folded\"\n";
    let (proof, paths) = told(&format!("{kept}{}", placement("0-1", "3", "on")));
    assert_eq!(proof, "Nodes 0-1 must be on switch 3 (placement[0]): 2 nodes for 1 usable ports.");
    assert_eq!(paths, "placement[0].nodes switch[0].ports keep uplink.kind");
}

#[test]
fn a_pe_on_a_switch_that_it_must_not_be_on() {
    conflict(
        &[placement("0-3", "0", "on"), placement("7", "1", "on"), placement("3-6", "0-1", "off")],
        "Node 3 must be on switch 0 (placement[0]) and must not be on it (placement[2]).",
        "placement[0] placement[2]",
    );
}

#[test]
fn a_start_that_takes_more_moves_than_there_may_be() {
    let start =
        |moves: u32| format!("[start]\nmoves = {moves}\ntable = '''\n0: 0 1 2 3\n1: 0 1\n2: 2\n'''\n");
    let text = |moves: u32| {
        // Two cables must go; and PE 4 needs one of the two ports that they free, PEs 5 and 6 one more.
        let placements =
            [placement("0-1", "0", "off"), placement("4-6", "0", "on"), placement("7", "3", "on")];
        format!("{}{}", start(moves), placements.concat())
    };
    let (proof, paths) = told(&text(2));
    assert_eq!(
        proof,
        "For placement[0], placement[1] and placement[2], at least 3 cables of the existing wiring must move; start.moves \
         allows 2."
    );
    assert_eq!(paths, "start.moves placement[0] placement[1] placement[2]");
    assert!(refused(&text(3)).is_none());
    // A PE whose NIs are all taken gives one up.
    let (proof, _) = told(&format!("{}{}", start(0), placement("0", "3", "on")));
    assert!(proof.starts_with("For placement[0], at least one cable"), "{proof}");
    assert!(
        refused(&format!("{}{}", start(0), placement("3", "3", "on"))).is_none(),
        "node 3 has an idle NIC"
    );
}

#[test]
fn conflicts_of_constraints_alone_refuse_a_fractional_objective_too() {
    let fractional = |placements: &[String]| {
        let text = "pes = 8\nnis_per_pe = 2\nobjective = \"fractional\"\n[[switch]]\nports = 4\ncount = 4\n\
                    [[pattern]]\nkind = \"all-pairs\"\n";
        let (spec, demand) = spec(&format!("{text}{}", placements.concat()));
        refuse(&spec, &demand)
    };
    let on_and_off = fractional(&[placement("0", "0", "on"), placement("0", "0", "off")]);
    assert_eq!(on_and_off.unwrap().faults.len(), 2);
    assert!(fractional(&[placement("0", "0-1", "off"), placement("1-7", "2-3", "off")]).is_none());
}

#[test]
fn many_conflicts_are_told_at_once() {
    let placements = [placement("0", "0-2", "on"), placement("1-5", "3", "on"), placement("1", "3", "off")];
    assert_eq!(told(&placements.concat()).0.lines().count(), 3);
}

#[test]
fn a_million_placed_pes_are_judged_at_once() {
    let text = "pes = 1048576\nnis_per_pe = 2\n[[switch]]\nports = 64\n[[pattern]]\nkind = \"ring\"\n";
    let places = [placement("0-524287", "0-16383", "off"), placement("524287-1048575", "9", "on")];
    let (spec, demand) = spec(&format!("{text}{}", places.concat()));
    let refusal = refuse(&spec, &demand).unwrap();
    assert!(refusal.proof.starts_with("Node 524287 must be on switch 9"), "{}", refusal.proof);
    assert_eq!(refusal.proof.lines().count(), 2);
}

/// Faults of other fields do not hide what placements contradict, and bring no contradiction of their own.
#[test]
fn contradictions_are_told_with_faults() {
    let told = |added: &str| {
        let text = format!(
            "pes = 8\nnis_per_pe = 2\n[[switch]]\nports = 4\ncount = 4\n[[pattern]]\nkind = \"ring\"\n{added}"
        );
        let faults = resolve::read(&text, &mut NoFiles).unwrap_err().0;
        faults.into_iter().map(|fault| fault.path).collect::<Vec<_>>().join(" ")
    };
    let keep = |switch: &str, ports: &str| format!("[[keep]]\nswitch = {switch}\nports = {ports}\n");
    let contrary = [placement("1", "0", "on"), placement("1", "0", "off")].concat();
    let both = "placement[0] placement[1]";
    assert_eq!(told(&format!("{}{contrary}", keep("9", "1"))), format!("keep[0].switch {both}"));
    assert_eq!(told(&format!("{}{contrary}", keep("0", "-1"))), format!("keep[0].ports {both}"));
    assert_eq!(told(&format!("{}{contrary}", keep("0", "4"))), format!("keep[0].ports {both}"));
    assert_eq!(told(&format!("{contrary}[uplink]\nkind = \"x\"\n")), format!("uplink.kind {both}"));
    let spares = "[uplink]\nkind = \"folded\"\nspares = 9\n";
    assert_eq!(told(&format!("{spares}{}", placement("0", "3", "on"))), "uplink");
    assert_eq!(told(&format!("{spares}{contrary}")), format!("uplink {both}"));
    let busy = placement("1", "0-2", "on");
    assert_eq!(
        told(&format!("{}{busy}", keep("9", "1"))),
        "keep[0].switch placement[0].switches nics_per_node"
    );
    // Without the ports that cannot be kept, the PEs find theirs; a placement on a switch that is not there is told once.
    assert_eq!(told(&format!("{}{}", keep("0", "4"), placement("0-3", "0", "on"))), "keep[0].ports");
    assert_eq!(told(&placement("0", "0-2, 7", "on")), "placement[0].switches");
}

/// Whether any wiring keeps every constraint and, unless the objective is fractional, serves every pair.
fn possible(spec: &Spec, demand: &Demand) -> bool {
    let (pes, switches) = (spec.pes as usize, spec.switch_budget() as usize);
    (0u32..1 << (pes * switches)).any(|bits| {
        let members =
            |s: usize| (0..pes).filter(move |pe| bits >> (s * pes + pe) & 1 == 1).map(|pe| pe as u32);
        let design = Design::from_switches(spec.pes, (0..switches).map(|s| members(s).collect()));
        let verdict = check(spec, demand, &design);
        verdict.breaches.is_empty()
            && (spec.objective == Objective::Fractional || verdict.uncovered.is_empty())
    })
}

fn constraints() -> impl Strategy<Value = String> {
    let some = |end: u32| prop::sample::subsequence((0..end).collect::<Vec<_>>(), 1..=2);
    let placement = (some(4), some(3), any::<bool>()).prop_map(|(pes, switches, on)| {
        let kind = if on { "on" } else { "off" };
        format!("[[placement]]\npes = {pes:?}\nswitches = {switches:?}\nkind = '{kind}'\n")
    });
    let start = prop::sample::select(vec![
        "",
        "[start]\nmoves = 0\ntable = '''\n0: 0 1\n1: 2 3\n'''\n",
        "[start]\nmoves = 1\ntable = '''\n0: 0 1 2\n1: 1\n2: 0 3\n'''\n",
        "[start]\nmoves = 2\ntable = '''\n0: 0 1\n1: 0 2\n2: 1 2\n'''\n",
    ]);
    let kept = prop::sample::select(vec!["", "[[keep]]\nswitch = 1\nports = 2\n", "[uplink]\n"]);
    (prop::collection::vec(placement, 1..4), start, kept).prop_map(|(placements, start, kept)| {
        // Where an uplink takes ports the wirings that are there would not fit.
        let start = if kept == "[uplink]\n" { "" } else { start };
        format!("{}{start}{kept}", placements.concat())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Every wiring of 4 PEs on 3 switches is tried.
    #[test]
    fn what_is_refused_is_impossible(
        constraints in constraints(),
        objective in prop::sample::select(vec!["sparse", "universal", "fractional"]),
        nis in 1u32..3,
        pairs in prop::sample::subsequence(vec![[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]], 1..4),
        links in 1u32..3,
    ) {
        let text = format!(
            "pes = 4\nnis_per_pe = {nis}\nobjective = '{objective}'\n[[switch]]\nports = 4\nreserve = 1\ncount = 3\n\
             [[pattern]]\nkind = 'matrix'\nlinks = {}\npairs = {pairs:?}\n{constraints}",
            links.min(nis),
        );
        let form = resolve::parse(&text).unwrap();
        // A start may have more cables than the PEs have NIs; that is told elsewhere.
        if let Ok(spec) = resolve(&form, &mut NoFiles) {
            let demand = Demand::build(&spec).unwrap();
            if let Some(refusal) = refuse(&spec, &demand) {
                prop_assert!(!possible(&spec, &demand), "{}\n{}", refusal.proof, text);
                prop_assert!(!refusal.faults.is_empty());
            }
        }
    }
}

/// Up to 7 PEs on up to 5 switches of two widths, and many placements.
fn placed_machines() -> impl Strategy<Value = String> {
    let set = |end: u32| prop::collection::btree_set(0..end, 1..=end as usize);
    let hardware = (4u32..8, 1u32..4, prop::collection::vec((2u32..5, 1u32..4), 1..3));
    hardware.prop_flat_map(move |(pes, nis, models)| {
        let switches = models.iter().map(|m| m.1).sum::<u32>();
        let placement = (set(pes), set(switches), 0u32..4);
        let pairs: Vec<[u32; 2]> = (0..pes).flat_map(|a| (a + 1..pes).map(move |b| [a, b])).collect();
        let most = pairs.len().min(12);
        let pairs = prop::sample::subsequence(pairs, 1..=most);
        (prop::collection::vec(placement, 1..5), pairs, 1u32..3).prop_map(
            move |(placements, pairs, links)| {
                let mut text = format!("pes = {pes}\nnis_per_pe = {nis}\n");
                models.iter().for_each(|(ports, count)| {
                    text += &format!("[[switch]]\nports = {ports}\ncount = {count}\n")
                });
                for (pes, switches, kind) in &placements {
                    // Much of what must be is contrary to itself.
                    let kind = if *kind == 0 { "on" } else { "off" };
                    text +=
                        &format!("[[placement]]\npes = {pes:?}\nswitches = {switches:?}\nkind = '{kind}'\n");
                }
                text.replace('{', "[").replace('}', "]")
                    + &format!(
                        "[[pattern]]\nkind = 'matrix'\nlinks = {}\npairs = {pairs:?}\n",
                        links.min(nis)
                    )
            },
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn places_are_refused_only_where_no_wiring_keeps_them(text in placed_machines()) {
        let (spec, demand) = spec(&text);
        if let Some(refusal) = refuse(&spec, &demand) {
            prop_assert!(solvable(&spec, &demand) != Some(true), "{}\n{}", refusal.proof, text);
        }
    }
}
