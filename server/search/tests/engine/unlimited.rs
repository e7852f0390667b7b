//! Random small specs, with and without counts, against an exact solver: stock without a count is unlimited, nothing possible
//! is called impossible, and no wiring is called optimal that is not.

use crate::support::{request, search};
use analysis::analysis::bounds::{bounds, refuse, standing};
use search::problem::useful_further;
use spec::{design::check, random::Rng, spec::MAX_SWITCHES};
use std::{collections::HashSet, fmt::Write};
use work::search::{Budget, EndReason, SearchRequest};

/// Max states of one question to the solver.
const MAX_STATES: usize = 60_000;
/// Stock of a model without a count, for the solver.
const ANY: u32 = u32::MAX;

/// A machine and its pairs, as the solver sees them.
#[derive(Clone)]
struct Instance {
    /// NICs of every node.
    nics: Vec<u32>,
    /// Usable ports and stock of every model.
    models: Vec<(u32, u32)>,
    /// Requested pairs and their links.
    pairs: Vec<(usize, usize, u32)>,
}

/// Exhaustive search that knows nothing of the engine. The first pair that lacks a link gets one in every possible way: on a
/// switch of one of its nodes, on another switch in use, on a new one of each model, or it is left out.
struct Solver<'a> {
    instance: &'a Instance,
    max_switches: usize,
    max_left_out: u32,
    failed: HashSet<(Vec<(u8, u16)>, u64)>,
}

/// `None` if the solver gave up.
fn solvable(instance: &Instance, max_switches: usize, max_left_out: u32) -> Option<bool> {
    let mut solver = Solver { instance, max_switches, max_left_out, failed: HashSet::new() };
    solver.solve(&mut Vec::new(), 0)
}

/// The smallest number from `first` on for which the solver finds a wiring; `None` if it gave up before.
fn least(first: u32, solves: impl Fn(u32) -> Option<bool>) -> Option<u32> {
    (first..)
        .map(|number| solves(number).map(|found| (number, found)))
        .find(|step| !matches!(step, Some((_, false))))?
        .map(|step| step.0)
}

impl Solver<'_> {
    fn solve(&mut self, switches: &mut Vec<(u8, u16)>, left_out: u64) -> Option<bool> {
        let Some((at, a, b)) = self.first_open(switches, left_out) else { return Some(true) };
        let mut key = switches.clone();
        key.sort_unstable();
        let key = (key, left_out);
        if self.failed.contains(&key) {
            return Some(false);
        }
        if self.failed.len() > MAX_STATES {
            return None;
        }
        let both = 1u16 << a | 1 << b;
        for switch in 0..switches.len() {
            let (model, before) = switches[switch];
            let after = before | both;
            let new = after & !before;
            let fits = after.count_ones() <= self.instance.models[usize::from(model)].0;
            if new != 0 && fits && self.have_nics(switches, new) {
                switches[switch].1 = after;
                let found = self.solve(switches, left_out);
                switches[switch].1 = before;
                if found != Some(false) {
                    return found;
                }
            }
        }
        for (model, &(width, stock)) in self.instance.models.iter().enumerate() {
            let used = switches.iter().filter(|s| usize::from(s.0) == model).count();
            let is_free = width > 1 && (used as u32) < stock && switches.len() < self.max_switches;
            if is_free && self.have_nics(switches, both) {
                switches.push((model as u8, both));
                let found = self.solve(switches, left_out);
                switches.pop();
                if found != Some(false) {
                    return found;
                }
            }
        }
        if left_out.count_ones() < self.max_left_out {
            let found = self.solve(switches, left_out | 1 << at);
            if found != Some(false) {
                return found;
            }
        }
        self.failed.insert(key);
        Some(false)
    }

    fn first_open(&self, switches: &[(u8, u16)], left_out: u64) -> Option<(usize, usize, usize)> {
        let is_open = |&(at, &(a, b, links)): &(usize, &(usize, usize, u32))| {
            let shared = switches.iter().filter(|(_, on)| on >> a & on >> b & 1 == 1).count();
            left_out >> at & 1 == 0 && (shared as u32) < links
        };
        self.instance.pairs.iter().enumerate().find(is_open).map(|(at, &(a, b, _))| (at, a, b))
    }

    fn have_nics(&self, switches: &[(u8, u16)], nodes: u16) -> bool {
        let used = |node: usize| switches.iter().filter(|(_, on)| on >> node & 1 == 1).count() as u32;
        let mut wanted = (0..self.instance.nics.len()).filter(|node| nodes >> node & 1 == 1);
        wanted.all(|node| used(node) < self.instance.nics[node])
    }
}

/// A random spec as text, with what the solver sees of its hardware.
fn random(seed: u64) -> (String, Vec<u32>, Vec<(u32, u32)>) {
    let mut rng = Rng::new(seed, 34);
    let nodes = if rng.chance(150) { 9 + rng.below(2) } else { 4 + rng.below(5) };
    let universal = nodes < 8 && rng.chance(350);
    let objective = if universal { "universal" } else { "sparse" };
    let mut text = format!("pes = {nodes}\nobjective = \"{objective}\"\n");
    let most = if nodes > 8 { 2 } else { 3 };
    let first = 1 + rng.below(nodes - 1);
    let some = 1 + rng.below(most);
    let others = if rng.chance(600) { some } else { 1 + rng.below(most) };
    let mut nics = Vec::new();
    for (count, each) in [(first, some), (nodes - first, others)] {
        writeln!(text, "[[pe_group]]\ncount = {count}\nnis = {each}").expect("text");
        nics.extend((0..count).map(|_| each));
    }
    let number = 1 + rng.below(3);
    let open = rng.chance(700).then(|| rng.below(number));
    let mut models = Vec::new();
    for model in 0..number {
        let (usable, reserve) = (2 + rng.below(5), if rng.chance(300) { 1 } else { 0 });
        writeln!(text, "[[switch]]\nports = {}\nreserve = {reserve}", usable + reserve).expect("text");
        let stock = if open == Some(model) { ANY } else { 1 + rng.below(5) };
        if stock != ANY {
            writeln!(text, "count = {stock}").expect("text");
        }
        models.push((usable, stock));
    }
    if !universal {
        let links = if some.min(others) > 1 && rng.chance(250) { 2 } else { 1 };
        let groups: Vec<u32> = (2..nodes).filter(|size| nodes.is_multiple_of(*size)).collect();
        match (rng.below(4), rng.pick(&groups)) {
            (0, Some(size)) => writeln!(
                text,
                "[[pattern]]\nkind = \"groups\"\ndims = [{size}, {}]\nalong = \"1\"\nwithin = \"all-pairs\"\nlinks = {links}",
                nodes / size
            ),
            (1, _) => writeln!(text, "[[pattern]]\nkind = \"ring\"\nlinks = {links}"),
            _ => {
                let share = 200 + 100 * rng.below(4);
                let all = (0..nodes).flat_map(|a| (a + 1..nodes).map(move |b| (a, b)));
                let mut pairs: String = all.filter(|_| rng.chance(share)).map(|(a, b)| format!("{a} {b}\n")).collect();
                pairs += if pairs.is_empty() { "0 1\n" } else { "" };
                writeln!(text, "[[pattern]]\nkind = \"matrix\"\nlinks = {links}\npairs = '''\n{pairs}'''")
            }
        }
        .expect("text");
    }
    (text, nics, models)
}

/// Numbers of specs of one kind.
#[derive(Debug, Default)]
struct Tally {
    feasible: u32,
    infeasible: u32,
    undecided: u32,
    refused: u32,
    /// Feasible ones that the search did not find.
    missed: Vec<u64>,
    /// Infeasible ones of which the search left out more pairs than it must.
    more_left_out: u32,
}

fn judge(seed: u64, tally: &mut Tally) {
    let (text, nics, models) = random(seed);
    let asked = request(&text, Budget::Effort(4), seed, 1);
    let (spec, demand) = (&*asked.spec, &*asked.demand);
    let pairs = demand.pairs().enumerate().map(|(at, (a, b))| (a as usize, b as usize, demand.links(at)));
    let instance = Instance { nics, models, pairs: pairs.collect() };
    let all = instance.pairs.iter().map(|pair| pair.2 as usize).sum();
    let Some(feasible) = solvable(&instance, all, 0) else { return tally.undecided += 1 };
    let (bounds, refusal) = (bounds(spec, demand), refuse(spec, demand));
    if let Some(refusal) = refusal {
        assert!(!feasible, "seed {seed}: {} but:\n{text}", refusal.proof);
        tally.refused += 1;
    }
    // However many switches of one port less there were, they would not serve.
    let narrower = Instance { models: vec![(bounds.ports.ports - 1, ANY)], ..instance.clone() };
    assert_ne!(solvable(&narrower, all, 0), Some(true), "seed {seed}: {:?}\n{text}", bounds.ports);
    if !feasible {
        tally.infeasible += 1;
        if seed.is_multiple_of(5)
            && let Some(left_out) = least(1, |most| solvable(&instance, all, most))
        {
            let outcome = search(&SearchRequest { budget: Budget::Effort(1), ..asked.clone() });
            assert!(outcome.uncovered >= left_out.into(), "seed {seed}: {text}");
            tally.more_left_out += u32::from(outcome.uncovered > left_out.into());
        }
        return;
    }
    tally.feasible += 1;
    let fewest = least(1, |most| solvable(&instance, most as usize, 0));
    if let Some(fewest) = fewest {
        assert!(
            bounds.switches.switches <= fewest,
            "seed {seed}: {fewest} do, {:?}\n{text}",
            bounds.switches
        );
    }
    let outcome = search(&asked);
    if outcome.ended != EndReason::Solved {
        return tally.missed.push(seed);
    }
    let claim = standing(spec, &bounds, &outcome.design, &check(spec, demand, &outcome.design)).switches;
    assert!(
        !claim.optimal || fewest.is_none_or(|fewest| claim.used == fewest),
        "seed {seed}: {}\n{text}",
        claim.words
    );
}

fn judge_all(seeds: std::ops::Range<u64>) {
    let mut tally = Tally::default();
    seeds.for_each(|seed| judge(seed, &mut tally));
    println!("{tally:?}");
    assert!(tally.undecided < 7, "{tally:?}");
    assert!(tally.feasible > 40 && tally.infeasible > 20 && tally.refused > 5, "{tally:?}");
    assert!(tally.missed.is_empty(), "{tally:?}");
}

#[test]
fn claims_on_random_specs_are_true() {
    judge_all(0..125);
}

#[test]
fn claims_on_more_random_specs_are_true() {
    judge_all(125..250);
}

#[test]
fn claims_on_still_more_random_specs_are_true() {
    judge_all(250..375);
}

#[test]
fn claims_on_the_last_random_specs_are_true() {
    judge_all(375..500);
}

/// Six nodes on three 4-port switches, although the other model alone has a port for every NIC.
const BESIDE_A_COUNT: &str = "pes = 6\nnis_per_pe = 2\nobjective = \"universal\"\n[[switch]]\nports = 4\n[[switch]]\nports = 3\ncount = 4\n";
/// Four groups of three nodes on 4-port switches: three have a port for every NIC, four are needed.
const THREES: &str = "pes = 12\nnis_per_pe = 1\nobjective = \"sparse\"\n[[switch]]\nports = 4\n[[pattern]]\n\
    kind = \"groups\"\ndims = [3, 4]\nalong = \"1\"\nwithin = \"all-pairs\"\n";

#[test]
fn further_switches_serve_where_the_planned_ones_do_not() {
    for (text, used) in [(BESIDE_A_COUNT, 3), (THREES, 4)] {
        let asked = request(text, Budget::Effort(2), 1, 1);
        assert_eq!(refuse(&asked.spec, &asked.demand), None, "{text}");
        let outcome = search(&asked);
        assert_eq!(outcome.ended, EndReason::Solved, "{text}");
        let design = &outcome.design;
        assert_eq!(design.switches().filter(|members| !members.is_empty()).count(), used, "{text}");
        let grown = asked.spec.grown(design.used_switches());
        assert_eq!((grown.switch_budget(), asked.spec.switch_limit()), (design.used_switches(), None));
    }
}

/// Found by a review: bounds that counted on the narrow switches only, and called wirings optimal.
#[test]
fn bounds_count_on_every_switch_that_may_be_bought() {
    let pairs = "0 1\n0 3\n0 5\n1 2\n1 5\n1 6\n2 3\n2 4\n2 6\n2 7\n4 5\n4 6\n5 7\n6 7\n";
    let sparse = format!(
        "pes = 8\nnis_per_pe = 2\nobjective = \"sparse\"\n[[switch]]\nports = 6\n[[switch]]\nports = 4\ncount = 4\n\
         [[pattern]]\nkind = \"matrix\"\npairs = '''\n{pairs}'''\n"
    );
    let universal = "pes = 9\nnis_per_pe = 3\nobjective = \"universal\"\n[[switch]]\nports = 4\ncount = 6\n[[switch]]\nports = 5\n";
    for (text, fewest) in [(&*sparse, 2), (universal, 5)] {
        let asked = request(text, Budget::Effort(1), 1, 1);
        let bound = bounds(&asked.spec, &asked.demand).switches;
        assert!(bound.switches <= fewest, "{bound:?}");
    }
}

#[test]
fn an_existing_wiring_may_have_further_switches() {
    let start = "[start]\nmoves = 0\ntable = '''\n0: 0 1 2\n1: 3 4 5\n2: 6 7 8\n3: 9 10 11\n'''\n";
    let asked = request(&format!("{THREES}{start}"), Budget::Effort(1), 1, 1);
    assert_eq!((asked.spec.further, search(&asked).ended), (1, EndReason::Solved));
}

/// Few more switches than give every NIC a port are of use, and racks limit them.
#[test]
fn further_switches_stay_few() {
    let machine = |nodes: u32, more: &str| {
        format!(
            "pes = {nodes}\nnis_per_pe = 4\nobjective = \"sparse\"\n[[switch]]\nports = 32\n{more}[[pattern]]\nkind = \"ring\"\n"
        )
    };
    let useful = |text: &str| {
        let asked = request(text, Budget::Effort(1), 1, 1);
        (asked.spec.max_switches(), useful_further(&asked.spec, &asked.demand))
    };
    assert_eq!(useful(&machine(1024, "")), (MAX_SWITCHES, 2 * 4096 / 33 + 1 - 128));
    assert_eq!(useful(&machine(1024, "count = 128\n")), (128, 0));
    let racks = "[[rack]]\npes = 1024\nswitches = 130\n";
    assert_eq!(useful(&machine(1024, racks)), (130, 2));
}

/// Example specs are served by the switches that give every NIC a port, as before stock was unlimited.
#[test]
fn example_specs_need_no_further_switches() {
    for name in ["kasy0", "klat2", "lab16", "cube1024", "gpt3-175b"] {
        let path = format!("{}/../../assets/specs/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("an example spec");
        let asked = request(&text, Budget::Effort(20), 1, 1);
        let outcome = search(&asked);
        assert_eq!(outcome.ended, EndReason::Solved, "{name}");
        assert!(outcome.design.used_switches() <= asked.spec.switch_budget(), "{name}");
    }
}
