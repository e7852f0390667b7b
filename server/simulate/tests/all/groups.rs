//! Collective operations in groups, and beside background traffic.

use crate::support::{Table, ring};
use network::fabric::{Fabric, Link, Switch, SwitchKind};
use simulate::{
    Background, ClosedInput, Destinations, GroupedInput, SimulateError, collective, collective_cost,
    collective_in_groups,
};
use spec::random::Rng;
use std::sync::atomic::AtomicBool;
use work::simulation::{ClosedResult, Collective, FullBufferRule, OpenTraffic, Paths, Queue, Settings};

static GO_ON: AtomicBool = AtomicBool::new(false);

/// Cycles of a full frame alone: two links, a switch, 134 flits; the last flit arrives in cycle 153.
const ALONE: u64 = 153;

/// Switches that are not joined, with `each` hosts on every one.
fn stars(switches: u32, each: u32) -> (Fabric, Table) {
    let hosts = switches * each;
    let links = (0..hosts).map(|host| Link { ends: [host, hosts + host / each], speed: 1000 }).collect();
    let switches = vec![Switch { ports: each, kind: SwitchKind::Switch }; switches as usize];
    let fabric = Fabric { hosts, switches, links };
    let routing = Table::shortest(&fabric, &vec![1; fabric.channels() as usize]);
    (fabric, routing)
}

/// A network with settings.
struct Lab {
    fabric: Fabric,
    routing: Table,
    settings: Settings,
}

impl Lab {
    fn new((fabric, routing): (Fabric, Table)) -> Lab {
        Lab { fabric, routing, settings: Settings::default() }
    }

    fn closed(&self, collective: Collective, message: u64, rounds: u32) -> ClosedInput<'_> {
        ClosedInput {
            fabric: &self.fabric,
            routing: &self.routing,
            settings: &self.settings,
            collective,
            nodes: self.fabric.hosts,
            message,
            rounds,
            seed: 1,
        }
    }
}

fn run(closed: ClosedInput, groups: &[Vec<u32>], background: Option<Background>) -> ClosedResult {
    collective_in_groups(&GroupedInput { closed, groups, background }, &GO_ON).unwrap()
}

fn blocks(size: u32, nodes: u32) -> Vec<Vec<u32>> {
    (0..nodes / size).map(|block| (block * size..(block + 1) * size).collect()).collect()
}

const REDUCES: [Collective; 5] = [
    Collective::AllReduceRing,
    Collective::AllReduceTree,
    Collective::AllReduceHierarchical { size: 2 },
    Collective::ReduceScatter,
    Collective::AllGather,
];

#[test]
fn rings_on_one_switch_take_a_frame_per_step() {
    for nodes in [2, 3, 8] {
        let lab = Lab::new(stars(1, nodes));
        let of = |collective, rounds| {
            // A full frame per chunk.
            let result = in_one_group(lab.closed(collective, 512 * u64::from(nodes), rounds));
            assert!(result.complete && result.deadlock.is_none());
            result
        };
        let steps = u64::from(nodes) - 1;
        assert_eq!(of(Collective::AllReduceRing, 1).cycles, 2 * steps * ALONE + 1);
        assert_eq!(of(Collective::ReduceScatter, 1).cycles, steps * ALONE + 1);
        assert_eq!(of(Collective::AllGather, 3).cycles, 3 * steps * ALONE + 1);
        let result = of(Collective::AllReduceRing, 1);
        assert_eq!(result.received, 2 * steps * u64::from(nodes));
        // 32 bits per cycle and 1 Gb/s.
        let algorithm = f64::from(nodes) * 4096.0 / result.cycles as f64 * 1000.0 / 32.0;
        let bus = algorithm * 2.0 * steps as f64 / f64::from(nodes);
        assert!((result.algorithm_bandwidth.unwrap() - algorithm).abs() < 1e-6);
        assert!((result.bus_bandwidth.unwrap() - bus).abs() < 1e-6);
        assert!((result.bandwidth / f64::from(nodes) - bus).abs() < 1e-6, "a ring sends what counts");
    }
}

fn in_one_group(closed: ClosedInput) -> ClosedResult {
    let all = [(0..closed.nodes).collect()];
    let result = run(closed, &all, None);
    assert_eq!(result, collective(&closed, &GO_ON).unwrap());
    result
}

#[test]
fn trees_and_subgroups_take_what_the_arithmetic_says() {
    let lab = Lab::new(stars(1, 2));
    // Each node is the root of a tree: a frame up and one down, in both at once.
    let result = in_one_group(lab.closed(Collective::AllReduceTree, 1024, 1));
    assert_eq!((result.cycles, result.received), (2 * ALONE + 1, 4));
    let lab = Lab::new(stars(1, 8));
    let hierarchical = Collective::AllReduceHierarchical { size: 4 };
    // Three steps of two frames, two of one frame, and three of two frames. The input is routed anew for the second.
    let result = in_one_group(lab.closed(hierarchical, 8 * 512, 1));
    assert_eq!(result.cycles, 6 * (ALONE + 144) + 2 * ALONE + 1);
    assert_eq!(result.received, 8 * (6 * 2 + 2));
}

#[test]
fn every_operation_delivers_every_byte_in_groups() {
    let lab = Lab::new(stars(1, 12));
    let other = [
        Collective::AllToAll,
        Collective::AllToAllPhases,
        Collective::OneToAll,
        Collective::OneToAllTree,
        Collective::AllToOne,
        Collective::Exchange,
    ];
    for collective in REDUCES.into_iter().chain(other) {
        for size in [2, 4, 6, 12] {
            // Chunks of different lengths.
            let closed = lab.closed(collective, 10_007, 3);
            let result = run(closed, &blocks(size, 12), None);
            assert!(result.complete, "{collective} {size}");
            let (groups, size) = (u64::from(12 / size), u64::from(size));
            let sent = match collective {
                Collective::AllReduceRing | Collective::AllReduceTree => 2 * (size - 1) * 10_007,
                // Each subgroup of two, then all of these together for each half.
                Collective::AllReduceHierarchical { .. } => 2 * (size / 2 + size / 2 - 1) * 10_007,
                Collective::ReduceScatter | Collective::AllGather => (size - 1) * 10_007,
                other => simulate::closed::messages(other, size as u32) * 10_007,
            };
            let speed = 3.0 * (groups * sent) as f64 / result.cycles as f64 * 1000.0 / 4.0;
            assert!((result.bandwidth / speed - 1.0).abs() < 1e-12, "{collective} {size}: {result:?}");
            let completion = result.completion.unwrap();
            assert_eq!((completion.groups, completion.slowest), (groups as u32, result.cycles));
            assert!(completion.fastest <= completion.median && completion.median <= completion.slowest);
            let firsts: Vec<u32> = result.groups.iter().map(|group| group.first).collect();
            assert_eq!(firsts, (0..groups as u32).map(|group| group * size as u32).collect::<Vec<_>>());
        }
    }
}

#[test]
fn groups_on_their_own_switches_are_as_fast_together_as_one_alone() {
    let lab = Lab::new(stars(3, 4));
    for collective in REDUCES {
        let closed = lab.closed(collective, 30_000, 2);
        let groups = blocks(4, 12);
        let together = run(closed, &groups, None);
        for (group, time) in groups.chunks(1).zip(&together.groups) {
            assert_eq!(run(closed, group, None).groups[..], [*time], "{collective}");
        }
        assert_eq!(together.completion.unwrap().slowest, together.cycles);
    }
}

#[test]
fn groups_of_other_sizes_and_with_common_nodes_all_end() {
    let lab = Lab::new(stars(1, 6));
    let groups = [vec![0, 1, 2], vec![2, 3], vec![5, 4, 3, 2, 1, 0], vec![2, 0]];
    for collective in [Collective::AllReduceRing, Collective::AllReduceTree, Collective::AllToAll] {
        let closed = lab.closed(collective, 5000, 3);
        let together = run(closed, &groups, None);
        assert!(together.complete);
        for (group, time) in groups.chunks(1).zip(&together.groups) {
            let alone = run(closed, group, None);
            assert!(alone.cycles <= time.cycles.unwrap(), "{collective} {group:?}");
            assert_eq!(time.nodes as usize, group[0].len());
        }
        let slowest = together.groups.iter().max_by_key(|group| group.cycles).unwrap();
        let steps = 2.0 * f64::from(slowest.nodes - 1) / f64::from(slowest.nodes);
        if let Some((bus, own)) = together.bus_bandwidth.zip(together.algorithm_bandwidth) {
            assert!((bus / own - steps).abs() < 1e-9);
        }
    }
}

#[test]
fn background_slows_an_operation_and_is_counted_apart() {
    let lab = Lab::new(stars(1, 8));
    let traffic = Destinations::new(OpenTraffic::Uniform, 8).unwrap();
    for collective in REDUCES {
        let closed = lab.closed(collective, 8 * 5120, 5);
        let alone = run(closed, &blocks(8, 8), None);
        assert_eq!(alone.background, None);
        let mut last = alone.cycles;
        for load in [0.1, 0.4, 0.9] {
            let beside = run(closed, &blocks(8, 8), Some(Background { traffic: &traffic, load }));
            assert!(beside.complete && beside.cycles > last, "{collective} {load}: {} {last}", beside.cycles);
            assert_eq!(beside.received, alone.received);
            let background = beside.background.unwrap();
            assert!(background.received <= background.frames && background.offered == load);
            let share = background.received as f64 / background.frames as f64;
            assert!((background.delivered - share).abs() < 1e-12 && background.delivered > 0.2);
            let generated = background.frames as f64 * 134.0 / (8.0 * beside.cycles as f64);
            assert!((generated / load - 1.0).abs() < 0.15, "{generated} of {load}");
            assert!((background.accepted / (generated * share) - 1.0).abs() < 1e-9);
            last = beside.cycles;
        }
    }
}

#[test]
fn results_depend_on_nothing_but_the_arguments() {
    let mut rng = Rng::seeded(11);
    let traffic = Destinations::new(OpenTraffic::HotSpot { node: 3, share: 0.4 }, 8).unwrap();
    for _ in 0..25 {
        let mut lab = Lab::new(if rng.below(2) == 0 { stars(1, 8) } else { ring(8) });
        lab.settings = Settings {
            random_placement: rng.below(2) == 0,
            half_duplex_hosts: rng.below(3) == 0,
            paths: if rng.below(2) == 0 { Paths::Random } else { Paths::Alternate },
            queue: if rng.below(2) == 0 { Queue::Input } else { Queue::Shared },
            buffer: 4 + rng.below(8),
            ..Settings::default()
        };
        let collective = *rng.pick(&REDUCES).unwrap();
        let size = [2, 4, 8][rng.below(3) as usize];
        let mut closed = lab.closed(collective, 100 + u64::from(rng.below(20_000)), 1 + rng.below(4));
        let groups = blocks(size, 8);
        let load = 0.02 + rng.unit() * 0.2;
        let background = (rng.below(3) > 0).then_some(Background { traffic: &traffic, load });
        let first = run(closed, &groups, background);
        assert_eq!(first, run(closed, &groups, background));
        assert!(first.complete != first.deadlock.is_some(), "{collective} {size} {load}");
        if background.is_some() && first.complete {
            closed.seed += 1;
            assert_ne!(first, run(closed, &groups, background));
        }
    }
}

#[test]
fn what_does_not_fit_a_group_is_refused() {
    let lab = Lab::new(stars(1, 6));
    let refused = |collective, message, groups: &[Vec<u32>]| {
        let closed = lab.closed(collective, message, 1);
        let grouped = GroupedInput { closed, groups, background: None };
        let error = collective_in_groups(&grouped, &GO_ON).unwrap_err();
        assert_eq!(collective_cost(&grouped).unwrap_err(), error);
        error.to_string()
    };
    let (all, pairs) = ([(0..6).collect()], blocks(2, 6));
    let hierarchical = Collective::AllReduceHierarchical { size: 4 };
    assert!(refused(hierarchical, 600, &all).contains("that divide the nodes; there are 6"));
    assert!(refused(hierarchical, 600, &pairs).contains("that divide the nodes; groups have 2"));
    assert!(refused(Collective::AllReduceRing, 5, &all).contains("5 bytes for 6 nodes"));
    assert!(refused(Collective::AllToAll, 5, &[]).contains("two or more nodes"));
    assert!(refused(Collective::AllToAll, 5, &[vec![0, 1], vec![2]]).contains("groups have 1"));
    assert!(refused(Collective::AllToAll, 5, &[vec![0, 6]]).contains("7 nodes"));

    let traffic = Destinations::new(OpenTraffic::Uniform, 6).unwrap();
    let beside = |settings: &Settings, load| {
        let closed = ClosedInput { settings, ..lab.closed(Collective::AllReduceRing, 600, 1) };
        let background = Some(Background { traffic: &traffic, load });
        collective_in_groups(&GroupedInput { closed, groups: &all, background }, &GO_ON).unwrap_err()
    };
    for load in [0.0, -1.0, 1.5, f64::NAN] {
        assert!(matches!(beside(&lab.settings, load), SimulateError::Load(..)), "{load}");
    }
    let lossy = Settings { full: FullBufferRule::Drop, ..Settings::default() };
    assert_eq!(beside(&lossy, 0.1), SimulateError::Lossy);
}

#[test]
fn a_cancelled_operation_has_no_completion() {
    let lab = Lab::new(stars(1, 4));
    let traffic = Destinations::new(OpenTraffic::Uniform, 4).unwrap();
    let background = Some(Background { traffic: &traffic, load: 0.2 });
    let closed = lab.closed(Collective::AllReduceRing, 1 << 20, 100);
    let grouped = GroupedInput { closed, groups: &blocks(2, 4), background };
    let result = collective_in_groups(&grouped, &AtomicBool::new(true)).unwrap();
    assert!(!result.complete && result.completion.is_none() && result.bus_bandwidth.is_none());
    assert!(result.groups.len() == 2 && result.groups.iter().all(|group| group.cycles.is_none()));
}

#[test]
fn estimates_count_the_frames() {
    let lab = Lab::new(stars(1, 8));
    let traffic = Destinations::new(OpenTraffic::Uniform, 8).unwrap();
    for collective in REDUCES {
        let closed = lab.closed(collective, 8 * 512 * 10, 2);
        let groups = blocks(4, 8);
        let grouped = GroupedInput { closed, groups: &groups, background: None };
        let estimate = collective_cost(&grouped).unwrap();
        let result = collective_in_groups(&grouped, &GO_ON).unwrap();
        let ratio = estimate.frames / result.received as f64;
        assert!((1.0..1.3).contains(&ratio) && estimate.hops == 2.0, "{collective} {ratio}");
        let beside =
            GroupedInput { background: Some(Background { traffic: &traffic, load: 0.1 }), ..grouped };
        let (more, beside) =
            (collective_cost(&beside).unwrap(), collective_in_groups(&beside, &GO_ON).unwrap());
        assert!(more.seconds > estimate.seconds);
        let frames = more.frames - estimate.frames;
        let ratio = frames / beside.background.unwrap().frames as f64;
        assert!((0.4..1.6).contains(&ratio), "{collective} {ratio}");
    }
}
