//! The cheapest network for a job on small machines, against all wirings.

use server::frontier;
use shared::{
    compare::market::chosen,
    demand::Demand,
    design::Design,
    estimate::timing::Timing,
    hardware::{Board, BoardForm, BoardObserver, DesignOption, FrontierRequest, Offer, OfferState},
    random::Rng,
    resolve::{NoFiles, read},
    search::Budget,
    spec::Spec,
};
use std::{
    fmt::Write,
    sync::{Arc, atomic::AtomicBool},
};

/// Ports and prices of the switch models.
const MODELS: [(u32, f64); 3] = [(4, 20.0), (6, 36.0), (8, 60.0)];
/// Prices of a NIC and of a cable.
const NIC: f64 = 8.0;
const CABLE: f64 = 2.0;

struct Silent;

impl BoardObserver for Silent {
    fn board(&mut self, _: &Board) {}

    fn design(&mut self, _: usize, _: &Spec, _: &Design, _: u64) {}
}

fn machine(nodes: u32, nics: u32) -> String {
    let mut text = format!(
        "pes = {nodes}\nnis_per_pe = {nics}\nobjective = \"time\"\nni_price = {NIC}\ncable_price = {CABLE}\n"
    );
    for (ports, price) in MODELS {
        let _ = writeln!(text, "[[switch]]\nports = {ports}\nprice = {price}");
    }
    text
}

/// A ring of all nodes, and more pairs, with 1 to 100 GB each.
fn measured(nodes: u32, nics: u32, seed: u64) -> String {
    let mut rng = Rng::new(seed, 3);
    let mut text = machine(nodes, nics) + "[[pattern]]\nkind = \"matrix\"\npairs = \"\"\"\n";
    for a in 0..nodes {
        let other = (rng.below(2) == 0).then(|| (a + 2 + rng.below(nodes - 3)) % nodes);
        for b in [(a + 1) % nodes].into_iter().chain(other) {
            let _ = writeln!(text, "{a} {b} {}e9", 1 + rng.below(100));
        }
    }
    text + "\"\"\"\n"
}

/// Four groups of three nodes that NCCL joins, and a pipeline through them.
fn job(nodes: u32, nics: u32) -> String {
    machine(nodes, nics)
        + "[job]\nranks_per_pe = 1\ndp = 3\npp = 4\n[[collective]]\nalong = \"dp\"\nbytes = 4e9\n[[collective]]\nalong = \"pp\"\n\
           bytes = 1e9\n"
}

/// The least time over all wirings of so many NICs per node and switches that use every NIC, or every port if these are fewer.
/// Nodes are placed in order, on unused switches in order; a wiring is given up once its nodes take as long among themselves as the
/// best one.
struct Exact {
    /// What nodes 0 to n send among themselves.
    timings: Vec<Timing>,
    ports: usize,
    nics: u32,
    /// NICs that stay without a cable.
    idle: u32,
    sets: Vec<Vec<u32>>,
    least: f64,
}

impl Exact {
    fn of(spec: &Spec, nics: u32, ports: u32, switches: u32) -> f64 {
        let whole = Timing::of(spec).expect("traffic");
        let among = |last: u32| {
            let mut timing = whole.clone();
            for group in timing.lanes.iter_mut().flat_map(|lane| &mut lane.phases).flatten() {
                group.retain(|transfer| transfer.ends.iter().all(|&end| end <= last));
            }
            timing
        };
        let mut exact = Exact {
            timings: (0..spec.pes).map(among).collect(),
            ports: ports as usize,
            nics,
            idle: (spec.pes * nics).saturating_sub(switches * ports),
            sets: vec![Vec::new(); switches as usize],
            least: f64::INFINITY,
        };
        exact.place(0);
        exact.least
    }

    fn place(&mut self, node: u32) {
        let used = self.sets.iter().take_while(|set| !set.is_empty()).count();
        for chosen in 1u32..1 << self.sets.len() {
            let fresh = chosen >> used;
            let is_full = |at: usize| chosen >> at & 1 == 1 && self.sets[at].len() == self.ports;
            let idle = self.nics.checked_sub(chosen.count_ones());
            let Some(idle) = idle.filter(|&idle| idle <= self.idle) else { continue };
            // Of unused switches, the first.
            if fresh & fresh.wrapping_add(1) != 0 || (0..used).any(is_full) {
                continue;
            }
            let shift = |sets: &mut Vec<Vec<u32>>, add: bool| {
                for (_, set) in (0..).zip(sets).filter(|(at, _)| chosen >> at & 1 == 1) {
                    if add { set.push(node) } else { set.truncate(set.len() - 1) }
                }
            };
            shift(&mut self.sets, true);
            let nodes = self.timings.len() as u32;
            let taken =
                self.timings[node as usize].on(&Design::from_switches(nodes, self.sets.iter().cloned()));
            if let Some(seconds) = taken.map(|taken| taken.step).filter(|&seconds| seconds < self.least) {
                if node + 1 == nodes {
                    self.least = seconds;
                } else {
                    self.idle -= idle;
                    self.place(node + 1);
                    self.idle += idle;
                }
            }
            shift(&mut self.sets, false);
        }
    }
}

/// Keeps the last checkpoint.
#[derive(Default)]
struct Keeper(Vec<u8>);

impl BoardObserver for Keeper {
    fn board(&mut self, _: &Board) {}

    fn design(&mut self, _: usize, _: &Spec, _: &Design, _: u64) {}

    fn keeps_checkpoints(&self) -> bool {
        true
    }

    fn checkpoint(&mut self, bytes: Vec<u8>) {
        self.0 = bytes;
    }
}

fn asked(text: &str, most: u32, total: u64) -> FrontierRequest {
    let spec = Arc::new(read(text, &mut NoFiles).expect("a spec"));
    let demand = Arc::new(Demand::build(&spec).expect("a demand"));
    let form = BoardForm {
        nis_from: "1".into(),
        nis_to: most.to_string(),
        threads: "2".into(),
        ..BoardForm::default()
    };
    let mut hardware = form.request(&spec, &demand).expect("a request");
    (hardware.cell, hardware.total) = (Budget::Effort(5), Budget::Effort(total));
    let market = chosen(&spec, "spec").expect("prices");
    FrontierRequest::new(hardware, market, "", 2.0).expect("a request")
}

#[test]
fn a_checkpoint_keeps_what_has_a_time() {
    let text = measured(10, 2, 3);
    let (never, mut keeper) = (AtomicBool::new(false), Keeper::default());
    let first = frontier::run(&asked(&text, 2, 3), None, None, &mut keeper, &never).expect("a board");
    assert!(!first.complete);
    let whole = asked(&text, 2, 2000);
    let resumed = frontier::run(&whole, Some(&keeper.0), None, &mut Silent, &never).expect("a board");
    let known = first.networks.expect("networks").offers;
    let offers = resumed.networks.expect("networks").offers;
    assert!(resumed.complete && known.iter().any(|offer| offer.seconds.is_some()));
    for (before, after) in known.iter().zip(&offers) {
        assert!(before.seconds.is_none_or(|seconds| after.seconds.is_some_and(|now| now <= seconds)));
    }
}

/// No model has enough switches for two NICs of all nodes.
#[test]
fn models_in_short_supply_share_a_wiring() {
    let mut text = measured(12, 2, 4);
    for (ports, count) in [(4, 4), (6, 2), (8, 1)] {
        let model = format!("ports = {ports}\n");
        text = text.replacen(&model, &format!("{model}count = {count}\n"), 1);
    }
    let request = asked(&text, 2, 2000);
    let board = frontier::run(&request, None, None, &mut Silent, &AtomicBool::new(false)).expect("a board");
    let networks = board.networks.expect("networks");
    for (option, offer) in request.designs().iter().zip(&networks.offers) {
        let is_mix = option.spec.switches.len() > 1;
        assert_eq!(offer.seconds.is_some(), is_mix && option.nics == 2, "{offer:?}");
    }
    let is_whole = |(option, offer): (&DesignOption, &Offer)| {
        option.spec.switches.len() == MODELS.len() && offer.seconds.is_some() && offer.price.is_some()
    };
    assert!(request.designs().iter().zip(&networks.offers).any(is_whole));
}

#[test]
fn the_frontier_is_the_true_one() {
    let cases = [
        (measured(8, 3, 1), 3),
        (measured(8, 2, 2), 2),
        (measured(10, 2, 3), 2),
        (measured(12, 2, 4), 2),
        (job(12, 2), 2),
        (job(12, 3), 3),
    ];
    let (mut points, mut found) = (0, 0);
    for (text, most) in cases {
        let request = asked(&text, most, 2000);
        let spec = &*request.hardware.spec;
        let board =
            frontier::run(&request, None, None, &mut Silent, &AtomicBool::new(false)).expect("a board");
        assert!(board.complete);
        let networks = board.networks.expect("networks");
        for (option, offer) in request.designs().iter().zip(&networks.offers) {
            let nis = spec.pes * option.nics;
            let (ports, switches) = (option.spec.switches[0].ports, option.spec.switch_budget());
            let least = Exact::of(spec, option.nics, ports, switches);
            let what = format!(
                "{} NICs, {switches} switches of {ports} ports: {least} {offer:?}\n{text}",
                option.nics
            );
            // Without a time it is impossible, or another offer is as good as it could be.
            let holds = match offer.seconds {
                None => offer.state == OfferState::Beaten || least.is_infinite(),
                // A wiring that leaves an odd NIC without a cable may be faster.
                Some(seconds) => {
                    let is_whole = offer.cables == u64::from(nis.min(switches * ports));
                    seconds <= least * (1.0 + 1e-3) && (!is_whole || seconds >= least * (1.0 - 1e-9))
                }
            };
            assert!(holds, "{what}");
            if least.is_finite() {
                let price = f64::from(switches) * option.spec.switches[0].price.expect("a price")
                    + f64::from(nis) * NIC
                    + f64::from(nis.min(switches * ports)) * CABLE;
                assert!(networks.beats(price + 1e-6, least, |_| true), "{what}");
                points += 1;
                found += u32::from(offer.seconds.is_some());
            }
        }
    }
    assert!(found > 20 && points > found, "{found} of {points}");
}
