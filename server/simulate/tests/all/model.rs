//! Simulations checked by arithmetic.

use crate::support::{Table, ring};
use network::fabric::{Fabric, Link, Switch, SwitchKind};
use simulate::{
    ClosedInput, CostModel, Destinations, Observer, OpenInput, SimulateError, TraceFrame, collective,
    saturate, simulate, trace,
};
use std::sync::{
    Mutex,
    atomic::{AtomicBool, AtomicU32, Ordering},
};
use work::simulation::{
    Collective, FullBufferRule, LoadProgress, OpenTraffic, Paths, Queue, Settings, SimulationProgress,
    Switching,
};

static GO_ON: AtomicBool = AtomicBool::new(false);

/// Hosts on one switch, with this many links each.
fn star(hosts: u32, links: u32, speed: u32) -> (Fabric, Table) {
    let each = (0..hosts).flat_map(|host| (0..links).map(move |_| Link { ends: [host, hosts], speed }));
    let switches = vec![Switch { ports: hosts * links, kind: SwitchKind::Switch }];
    let fabric = Fabric { hosts, switches, links: each.collect() };
    let routing = Table::shortest(&fabric, &vec![1; fabric.channels() as usize]);
    (fabric, routing)
}

fn uniform(hosts: u32) -> Destinations {
    Destinations::new(OpenTraffic::Uniform, hosts).unwrap()
}

#[test]
fn an_empty_network_takes_what_the_arithmetic_says() {
    let settings = Settings::default();
    let (fabric, routing) = ring(6);
    for to in 1..6 {
        let sent = [TraceFrame { cycle: 7, from: 0, to }];
        // Path length: switches + 1 links.
        let (links, switches) = (u64::from(to) + 2, u64::from(to) + 1);
        let cut = trace(&fabric, &routing, &settings, &sent, 0, &AtomicBool::new(false)).unwrap();
        assert_eq!(cut.arrived, [Some(7 + 5 * links + 10 * switches + 133)]);
        let stores = Settings { switching: Switching::StoreAndForward, ..settings.clone() };
        let stored = trace(&fabric, &routing, &stores, &sent, 0, &AtomicBool::new(false)).unwrap();
        assert_eq!(stored.arrived, [Some(7 + (5 + 133) * links + 10 * switches)]);
    }
}

#[test]
fn a_slow_link_takes_longer_and_a_fast_one_after_it_starts_late() {
    let link = |a, b, speed| Link { ends: [a, b], speed };
    let switches = vec![Switch { ports: 2, kind: SwitchKind::Switch }];
    let fabric = Fabric { hosts: 2, switches, links: vec![link(0, 2, 100), link(1, 2, 1000)] };
    let routing = Table::shortest(&fabric, &[1; 4]);
    let settings = Settings::default();
    // Ten cycles a flit on the slow link, either way: the last flit of 134 is sent 1,330 cycles after the first.
    for (from, to, arrives) in [(0, 1, 5 + 1330 + 5), (1, 0, 5 + 10 + 5 + 1330)] {
        let arrival = trace(
            &fabric,
            &routing,
            &settings,
            &[TraceFrame { cycle: 0, from, to }],
            0,
            &AtomicBool::new(false),
        )
        .unwrap();
        assert_eq!(arrival.arrived, [Some(arrives)]);
    }
}

#[test]
fn frames_are_conserved() {
    for full in [FullBufferRule::Hold, FullBufferRule::Drop] {
        let (fabric, routing) = ring(5);
        let settings = Settings { full, buffer: 2, cycles: 50_000, ..Settings::default() };
        let open = OpenInput {
            fabric: &fabric,
            routing: &routing,
            settings: &settings,
            traffic: &uniform(5),
            seed: 3,
        };
        for load in [0.05, 0.3, 1.0] {
            let point = simulate(&open, load, &GO_ON).unwrap();
            assert_eq!(point.frames, point.received + point.lost + point.left, "{full:?} {load}");
            assert!(point.received > 0 && (full == FullBufferRule::Drop || point.lost == 0));
        }
    }
}

#[test]
fn a_switch_accepts_a_permutation_whole() {
    let (fabric, routing) = star(8, 1, 1000);
    let settings = Settings::default();
    let traffic = Destinations::new(OpenTraffic::Complement, 8).unwrap();
    let open =
        OpenInput { fabric: &fabric, routing: &routing, settings: &settings, traffic: &traffic, seed: 1 };
    let point = simulate(&open, 0.5, &GO_ON).unwrap();
    assert!((point.accepted / point.generated - 1.0).abs() < 0.01, "{point:?}");
    assert!((point.generated - 0.5).abs() < 0.02, "{point:?}");
    // Routing takes 10 cycles in which the input sends nothing.
    let full = simulate(&open, 1.0, &GO_ON).unwrap();
    assert!((full.accepted - 134.0 / 144.0).abs() < 0.002, "{full:?}");
    assert!(full.load.iter().all(|load| (0.9..=1.0).contains(load)));
}

#[test]
fn the_same_seed_gives_the_same_and_another_one_not() {
    let (fabric, routing) = ring(7);
    let settings = Settings { cycles: 30_000, random_placement: true, ..Settings::default() };
    let at = |seed| {
        let open =
            OpenInput { fabric: &fabric, routing: &routing, settings: &settings, traffic: &uniform(7), seed };
        simulate(&open, 0.1, &GO_ON).unwrap()
    };
    assert_eq!(at(1), at(1));
    assert_ne!(at(1), at(2));
}

#[test]
fn a_deadlocked_ring_is_reported_with_its_channels() {
    let (fabric, routing) = ring(5);
    let settings = Settings { buffer: 1, ..Settings::default() };
    let traffic = Destinations::new(OpenTraffic::Uniform, 5).unwrap();
    let open =
        OpenInput { fabric: &fabric, routing: &routing, settings: &settings, traffic: &traffic, seed: 1 };
    let point = simulate(&open, 0.9, &GO_ON).unwrap();
    let deadlock = point.deadlock.expect("a ring without room stands still");
    let mut channels = deadlock.channels.clone();
    channels.sort_unstable();
    // Upwards round the ring, after the five links of the hosts.
    assert_eq!(channels, [10, 12, 14, 16, 18]);
    assert!(deadlock.names.contains(&"switch 4 -> switch 0".to_string()), "{:?}", deadlock.names);
    assert!(point.cycles == deadlock.cycle && point.cycles < settings.cycles);

    let lossy = Settings { full: FullBufferRule::Drop, ..settings };
    let point = simulate(&OpenInput { settings: &lossy, ..open }, 0.9, &GO_ON).unwrap();
    assert!(point.deadlock.is_none() && point.lost > 0);
}

#[test]
fn a_port_holds_alpha_times_the_free_memory() {
    let (fabric, routing) = star(8, 1, 1000);
    let sent: Vec<TraceFrame> = (1..8).map(|from| TraceFrame { cycle: 0, from, to: 0 }).collect();
    // All heads arrive in one cycle. A port that holds h of 8 frames takes another if h < alpha * (8 - h).
    for (alpha, taken) in [(0.01, 1), (0.5, 3), (1.0, 4), (2.0, 6), (64.0, 7)] {
        let settings = Settings {
            queue: Queue::Shared,
            shared_buffer: Some(8),
            alpha,
            full: FullBufferRule::Drop,
            ..Settings::default()
        };
        let arrival = trace(&fabric, &routing, &settings, &sent, 0, &GO_ON).unwrap();
        assert_eq!(
            (arrival.lost, arrival.arrived.iter().flatten().count()),
            (7 - taken, taken as usize),
            "{alpha}"
        );
        let held = Settings { full: FullBufferRule::Hold, ..settings };
        let arrival = trace(&fabric, &routing, &held, &sent, 0, &GO_ON).unwrap();
        assert!(arrival.lost == 0 && arrival.arrived.iter().all(Option::is_some), "{alpha}");
    }
}

#[test]
fn a_deadlock_of_shared_memories_is_found() {
    let (fabric, routing) = ring(5);
    let settings =
        Settings { queue: Queue::Shared, shared_buffer: Some(3), alpha: 64.0, ..Settings::default() };
    let traffic = uniform(5);
    let open =
        OpenInput { fabric: &fabric, routing: &routing, settings: &settings, traffic: &traffic, seed: 1 };
    let deadlock =
        simulate(&open, 0.9, &GO_ON).unwrap().deadlock.expect("a ring of full memories stands still");
    let mut channels = deadlock.channels;
    channels.sort_unstable();
    assert_eq!(channels, [10, 12, 14, 16, 18]);
}

#[test]
fn saturation_is_where_it_must_be() {
    // Five hosts in a ring that goes one way: each frame passes 2.5 of 5 links on average, less routing.
    let (fabric, routing) = ring(5);
    let settings = Settings { buffer: 64, routing_delay: 0, cycles: 60_000, ..Settings::default() };
    let open =
        OpenInput { fabric: &fabric, routing: &routing, settings: &settings, traffic: &uniform(5), seed: 1 };
    let mut points = Vec::new();
    let found = saturate(&open, &GO_ON, &mut |point| points.push(point.clone())).unwrap();
    assert!(found.throughput > 0.3 && found.throughput <= 0.4 + 1e-3, "{found:?}");
    assert!(points.iter().all(|point| point.accepted <= found.throughput || point.deadlock.is_some()));
    assert!(found.sustained <= found.throughput * 1.05, "{found:?}");
}

#[test]
fn several_interfaces_carry_more_if_paths_use_them() {
    let (fabric, _) = star(4, 2, 1000);
    struct Both;
    impl network::fabric::Routing for Both {
        fn choices(&self, _: u32, _: u32) -> u32 {
            2
        }
        fn path(&self, from: u32, to: u32, choice: u32, channels: &mut Vec<u32>) {
            channels.extend([2 * (2 * from + choice), 2 * (2 * to + choice) + 1]);
        }
    }
    let traffic = Destinations::new(OpenTraffic::Neighbour, 4).unwrap();
    let accepted = |paths| {
        let settings = Settings { paths, ..Settings::default() };
        let open =
            OpenInput { fabric: &fabric, routing: &Both, settings: &settings, traffic: &traffic, seed: 1 };
        simulate(&open, 1.8, &GO_ON).unwrap().accepted
    };
    assert!((accepted(Paths::First) - 134.0 / 144.0).abs() < 0.01);
    assert!(accepted(Paths::Alternate) > 1.7 && accepted(Paths::Random) > 1.7);
}

#[test]
fn collectives_take_what_the_arithmetic_says() {
    let (fabric, routing) = star(4, 1, 1000);
    let settings = Settings::default();
    let closed = |collective| ClosedInput {
        fabric: &fabric,
        routing: &routing,
        settings: &settings,
        collective,
        nodes: 4,
        message: 512,
        rounds: 1,
        seed: 1,
    };
    let cycles = |collective: Collective| simulate::collective(&closed(collective), &GO_ON).unwrap().cycles;
    // A frame alone: two links, a switch, 134 flits.
    let alone = 2 * 5 + 10 + 134;
    assert_eq!(cycles(Collective::Exchange), alone);
    // Three one after the other; the input is routed anew for each.
    assert_eq!(cycles(Collective::OneToAll), alone + 2 * 144);
    // 0 to 1, then 0 to 2 and 1 to 3; node 1 sends the cycle its frame is there whole.
    assert_eq!(cycles(Collective::OneToAllTree), alone + (alone - 1));
    // The link to node 0 is free again after 134.
    assert_eq!(cycles(Collective::AllToOne), alone + 2 * 134);
    let result = collective(&closed(Collective::Exchange), &GO_ON).unwrap();
    // 4 messages of 4,096 bits at 1 Gb/s, 32 bits a cycle.
    let bandwidth = 4.0 * 4096.0 / f64::from(alone as u32) * 1000.0 / 32.0;
    assert!(result.complete && (result.bandwidth - bandwidth).abs() < 1e-6, "{result:?}");
}

#[test]
fn every_collective_ends_and_delivers_everything() {
    let (fabric, routing) = star(7, 1, 1000);
    for collective in [
        Collective::AllToAll,
        Collective::AllToAllPhases,
        Collective::OneToAll,
        Collective::OneToAllTree,
        Collective::AllToOne,
        Collective::Exchange,
    ] {
        for (half_duplex_hosts, random_placement) in [(false, true), (true, false)] {
            let settings = Settings { half_duplex_hosts, random_placement, ..Settings::default() };
            let closed = ClosedInput {
                fabric: &fabric,
                routing: &routing,
                settings: &settings,
                collective,
                nodes: if collective == Collective::Exchange { 6 } else { 7 },
                message: 1300,
                rounds: 5,
                seed: 2,
            };
            let result = simulate::collective(&closed, &GO_ON).unwrap();
            let messages = simulate::closed::messages(collective, closed.nodes);
            // 1,300 bytes are two full frames and a third.
            assert_eq!((result.complete, result.received), (true, messages * 3 * 5), "{collective}");
        }
    }
}

#[test]
fn invalid_input_is_refused() {
    let (fabric, routing) = star(4, 1, 1000);
    let settings = Settings { link_delay: 0, ignored: 100_000, ..Settings::default() };
    let traffic = uniform(4);
    let open =
        OpenInput { fabric: &fabric, routing: &routing, settings: &settings, traffic: &traffic, seed: 1 };
    let error = simulate(&open, 0.5, &GO_ON).unwrap_err().to_string();
    assert_eq!(
        error,
        "link_delay: must be a whole number from 1 to 1,048,576, not 0.\n\
         ignored: must be a whole number below the 100,000 cycles, not 100000."
    );
    let settings = Settings { reference_speed: Some(100), ..Settings::default() };
    let error = simulate(&OpenInput { settings: &settings, ..open }, 0.5, &GO_ON).unwrap_err();
    assert_eq!(error, SimulateError::Reference(100, 1000));
    let settings = Settings::default();
    let open = OpenInput { settings: &settings, ..open };
    for load in [0.0, -1.0, f64::NAN, 135.0] {
        assert!(matches!(simulate(&open, load, &GO_ON), Err(SimulateError::Load(..))), "{load}");
    }
    let error = simulate(&OpenInput { traffic: &uniform(5), ..open }, 0.5, &GO_ON).unwrap_err();
    assert_eq!(error, SimulateError::Nodes(5, 4));
    for traffic in [OpenTraffic::BitReversal, OpenTraffic::Transpose, OpenTraffic::Shuffle] {
        let error = Destinations::new(traffic, 7).unwrap_err().to_string();
        assert!(error.contains("was expected") || error.contains("; there are 7"), "{error}");
    }
}

#[test]
fn a_cancelled_simulation_returns_what_it_has() {
    let (fabric, routing) = star(4, 1, 1000);
    let settings = Settings::default();
    let open =
        OpenInput { fabric: &fabric, routing: &routing, settings: &settings, traffic: &uniform(4), seed: 1 };
    let point = simulate(&open, 0.5, &AtomicBool::new(true)).unwrap();
    assert!(point.cycles < settings.cycles && point.deadlock.is_none());
}

/// Cancels at its tenth look.
#[derive(Default)]
struct Tenth(AtomicU32);

impl Observer for Tenth {
    fn is_cancelled(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) >= 9
    }
}

#[test]
fn a_simulation_looks_at_cancellation_in_every_cycle() {
    let (fabric, routing) = star(4, 1, 1000);
    let settings = Settings::default();
    let open =
        OpenInput { fabric: &fabric, routing: &routing, settings: &settings, traffic: &uniform(4), seed: 1 };
    let point = simulate(&open, 0.5, &Tenth::default()).unwrap();
    assert!(point.cycles < 1024, "{}", point.cycles);
}

/// Records all reports.
#[derive(Default)]
struct Notes(Mutex<Vec<SimulationProgress>>);

impl Observer for Notes {
    fn is_cancelled(&self) -> bool {
        false
    }

    fn report(&self, progress: SimulationProgress) {
        self.0.lock().unwrap().push(progress);
    }
}

#[test]
fn an_observer_of_a_load_gets_cycles_and_changes_nothing() {
    let (fabric, routing) = star(4, 1, 1000);
    let settings = Settings::default();
    let open =
        OpenInput { fabric: &fabric, routing: &routing, settings: &settings, traffic: &uniform(4), seed: 1 };
    let notes = Notes::default();
    assert_eq!(simulate(&open, 0.5, &notes), simulate(&open, 0.5, &GO_ON));
    let seen = notes.0.into_inner().unwrap();
    assert_eq!(seen[0].loads, [LoadProgress { offered: 0.5, cycles: 0, share: 0.0 }]);
    let cycles: Vec<u64> = seen
        .iter()
        .map(|progress| match progress.loads[..] {
            [LoadProgress { offered: 0.5, cycles, share }] if share == cycles as f64 / 100_000.0 => cycles,
            _ => panic!("{progress:?}"),
        })
        .collect();
    assert!(cycles.is_sorted() && cycles.len() >= 50 && cycles.last() < Some(&100_000), "{cycles:?}");
}

#[test]
fn an_observer_of_a_collective_gets_messages_and_rounds() {
    let (fabric, routing) = star(4, 1, 1000);
    let settings = Settings::default();
    let closed = ClosedInput {
        fabric: &fabric,
        routing: &routing,
        settings: &settings,
        collective: Collective::AllToAll,
        nodes: 4,
        message: 5120,
        rounds: 20,
        seed: 1,
    };
    let notes = Notes::default();
    assert_eq!(collective(&closed, &notes), collective(&closed, &GO_ON));
    let (mut last, seen) = ((0, 0, 0), notes.0.into_inner().unwrap());
    for progress in &seen {
        let SimulationProgress { cycles, messages, share: Some(share), rounds, .. } = *progress else {
            panic!("{progress:?}")
        };
        // A round is twelve messages; nobody is done with one before his own three are there.
        assert!(share == messages as f64 / 240.0 && u64::from(rounds) * 12 <= messages, "{progress:?}");
        let now = (cycles, messages, rounds);
        assert!(last.0 <= now.0 && last.1 <= now.1 && last.2 <= now.2, "{last:?} {now:?}");
        last = now;
    }
    assert!(seen.len() >= 50 && last.1 > 200 && last.2 >= 17, "{} {last:?}", seen.len());
}

#[test]
fn a_pilot_run_estimates_delivered_frames() {
    let (fabric, routing) = star(5, 1, 1000);
    let settings = Settings { cycles: 400_000, ..Settings::default() };
    // Four send to one, whose link is full at a quarter of what each can send.
    let traffic = Destinations::new(OpenTraffic::HotSpot { node: 0, share: 1.0 }, 5).unwrap();
    let open =
        OpenInput { fabric: &fabric, routing: &routing, settings: &settings, traffic: &traffic, seed: 1 };
    let rough = CostModel::new(&open).unwrap();
    let known = CostModel::new(&open).unwrap().with_pilot(0.4, &GO_ON).unwrap();
    for load in [0.05, 0.4] {
        let (rough, known) = (rough.at(load), known.at(load));
        assert_eq!((rough.frames, rough.hops, rough.bytes), (known.frames, known.hops, known.bytes));
        // Half a microsecond a frame, and a quarter for each of two hops of those that are received.
        let received = simulate(&open, load, &GO_ON).unwrap().received as f64;
        let seconds = (500.0 * known.frames + 500.0 * received) / 1e9;
        assert!((known.seconds / seconds - 1.0).abs() < 0.15, "{received} {known:?}");
        assert!(known.seconds <= rough.seconds);
    }
}

#[test]
fn a_pair_without_a_path_is_found_before_simulating() {
    // Two switches without a link between them; the last host alone on one.
    let links = (0..100).map(|host| Link { ends: [host, if host < 99 { 100 } else { 101 }], speed: 1000 });
    let switches = vec![Switch { ports: 99, kind: SwitchKind::Switch }; 2];
    let fabric = Fabric { hosts: 100, switches, links: links.collect() };
    let routing = Table::shortest(&fabric, &vec![1; fabric.channels() as usize]);
    let settings = Settings::default();
    let open = OpenInput {
        fabric: &fabric,
        routing: &routing,
        settings: &settings,
        traffic: &uniform(100),
        seed: 1,
    };
    assert_eq!(CostModel::new(&open).err(), Some(SimulateError::NoPath(98, 99)));
}
