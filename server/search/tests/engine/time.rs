//! The search for time: against all wirings of small instances, and on jobs of real size.

use crate::{
    checkpoint::{hurried, same, whole},
    support::{Log, request, search, search_watched},
};
use analysis::analysis::library::{Connections, Devices, Library, SwitchRule, pairs};
use search::{
    problem::{genome, instances},
    request::resume,
    time::clock::Clock,
};
use spec::{
    design::{Design, check, table},
    random::Rng,
};
use std::{fmt::Write, sync::atomic::AtomicBool};
use work::{
    estimate::timing::Timing,
    search::{Budget, Outcome, SearchRequest},
};

/// Seconds on the wiring of an outcome.
fn step(ask: &SearchRequest, outcome: &Outcome) -> f64 {
    let timing = Timing::of(&ask.spec).expect("traffic");
    timing.on(&outcome.design).expect("served pairs").step
}

fn bound(ask: &SearchRequest) -> f64 {
    Timing::of(&ask.spec).expect("traffic").bound(&ask.spec).step
}

/// Traffic between nodes that share a switch on a drawn wiring: weights from 1 to 100 on two thirds of these pairs.
fn measured(nodes: u32, switches: u32, seed: u64) -> String {
    let mut rng = Rng::new(seed, 7);
    let ports = 2 * nodes / switches;
    // Every node twice, dealt out until no switch has one twice.
    let dealt = loop {
        let mut nics: Vec<u32> = (0..2 * nodes).map(|nic| nic / 2).collect();
        rng.shuffle(&mut nics);
        let sets: Vec<Vec<u32>> = nics.chunks(ports as usize).map(<[u32]>::to_vec).collect();
        if sets
            .iter()
            .all(|set| (0..nodes).all(|node| set.iter().filter(|&&member| member == node).count() < 2))
        {
            break sets;
        }
    };
    let mut text = format!(
        "pes = {nodes}\nnis_per_pe = 2\nobjective = \"time\"\n[[switch]]\nports = {ports}\ncount = {switches}\n\
         [[pattern]]\nkind = \"matrix\"\npairs = \"\"\"\n"
    );
    let mut pairs = Vec::new();
    for set in dealt {
        for (at, &a) in set.iter().enumerate() {
            pairs.extend(set[at + 1..].iter().map(|&b| (a.min(b), a.max(b))));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    for (a, b) in pairs {
        if rng.below(3) > 0 {
            let _ = writeln!(text, "{a} {b} {}", 1 + rng.below(100));
        }
    }
    text + "\"\"\"\n"
}

/// The least time over all wirings, two NICs per node.
fn least(ask: &SearchRequest, ports: u32, switches: u32) -> f64 {
    let timing = Timing::of(&ask.spec).expect("traffic");
    let choices: Vec<[usize; 2]> =
        (0..switches as usize).flat_map(|a| (a + 1..switches as usize).map(move |b| [a, b])).collect();
    let mut sets = vec![Vec::new(); switches as usize];
    let mut least = f64::INFINITY;
    place(0, ask.spec.pes, ports as usize, &choices, &mut sets, &mut |sets| {
        let design = Design::from_switches(ask.spec.pes, sets.to_vec());
        if let Some(seconds) = timing.on(&design) {
            least = least.min(seconds.step);
        }
    });
    least
}

fn place(
    node: u32,
    nodes: u32,
    ports: usize,
    choices: &[[usize; 2]],
    sets: &mut Vec<Vec<u32>>,
    visit: &mut dyn FnMut(&[Vec<u32>]),
) {
    if node == nodes {
        return visit(sets);
    }
    for (at, &[a, b]) in choices.iter().enumerate() {
        // Switches are alike: the first node takes the first two.
        if node == 0 && at > 0 {
            break;
        }
        if sets[a].len() < ports && sets[b].len() < ports {
            sets[a].push(node);
            sets[b].push(node);
            place(node + 1, nodes, ports, choices, sets, visit);
            sets[a].pop();
            sets[b].pop();
        }
    }
}

#[test]
fn it_finds_the_fastest_of_all_wirings() {
    let mut gained = 0;
    for (nodes, switches, seed) in
        (0..12).map(|seed| (8, 4, seed)).chain([(6, 3, 1), (6, 4, 2), (9, 3, 3), (10, 4, 4)])
    {
        let text = measured(nodes, switches, seed);
        let ask = request(&text, Budget::Effort(20), 1, 1);
        let outcome = search(&ask);
        assert_eq!(outcome.uncovered, 0, "{text}");
        let (found, best) = (step(&ask, &outcome), least(&ask, 2 * nodes / switches, switches));
        assert!(bound(&ask) <= best * (1.0 + 1e-9), "bound {} above {best}: {text}", bound(&ask));
        assert!(
            found >= best * (1.0 - 1e-9) && found <= best * (1.0 + 3e-4),
            "{found} instead of {best}: {text}"
        );
        let plain = request(&text.replace("\"time\"", "\"sparse\""), Budget::Effort(20), 1, 1);
        gained += u32::from(step(&plain, &search(&plain)) > 1.01 * found);
    }
    assert!(gained > 4, "a search for coverage finds the fastest wirings, too");
}

/// All pairs of so many nodes, with weights from 1 to 100 and a few of 100 times as much: more than shared switches serve.
fn all_to_all(nodes: u32, ports: u32, uplink: &str, seed: u64) -> String {
    let mut rng = Rng::new(seed, 9);
    let mut text = format!(
        "pes = {nodes}\nnis_per_pe = 2\nobjective = \"time\"\n[[switch]]\nports = {ports}\ncount = 4\n[uplink]\n{uplink}\n\
         [[pattern]]\nkind = \"matrix\"\npairs = \"\"\"\n"
    );
    for (a, b) in (0..nodes).flat_map(|a| (a + 1..nodes).map(move |b| (a, b))) {
        let weight = (1 + rng.below(100)) * if rng.below(8) == 0 { 100 } else { 1 };
        let _ = writeln!(text, "{a} {b} {weight}");
    }
    text + "\"\"\"\n"
}

#[test]
fn it_decides_which_traffic_goes_over_uplinks() {
    let (mut gained, mut over) = (0, 0);
    for (nodes, links, uplink, seed) in [
        (8, 1, "links = 1", 1),
        (8, 1, "links = 1", 2),
        (8, 2, "links = 2\nports = 4", 3),
        (8, 2, "links = 2", 4),
        (6, 1, "links = 1", 5),
    ] {
        let ports = 2 * nodes / 4 + links;
        let text = all_to_all(nodes, ports, uplink, seed);
        let ask = request(&text, Budget::Effort(20), 1, 1);
        let outcome = search(&ask);
        assert_eq!(outcome.uncovered, 0);
        let verdict = check(&ask.spec, &ask.demand, &outcome.design);
        assert!(verdict.holds() && verdict.over_uplinks > 0, "{verdict:?}");
        over += verdict.over_uplinks;
        let (found, best) = (step(&ask, &outcome), least(&ask, 2 * nodes / 4, 4));
        assert!(bound(&ask) <= best * (1.0 + 1e-9));
        assert!(
            found >= best * (1.0 - 1e-9) && found <= best * (1.0 + 3e-4),
            "{found} instead of {best}: {uplink} {seed}"
        );
        let timing = Timing::of(&ask.spec).expect("traffic");
        let plain = request(&text.replace("\"time\"", "\"fractional\""), Budget::Effort(1), 1, 1);
        let by_weight = timing.on(&search(&plain).design).expect("a time").step;
        gained += u32::from(by_weight > 1.02 * found);
    }
    assert!(gained > 2 && over > 10, "{gained} {over}");
}

#[test]
fn nccl_reaches_all_nodes_over_uplinks() {
    // Eight rings of 16 do not fit beside a pipeline of 2 on switches of 8; with rails, each plane has its own uplink switches.
    for rail in ["", "rail = true\n"] {
        let text = format!(
            "pes = 32\nnis_per_pe = 4\n{rail}[[switch]]\nports = 10\n[uplink]\nlinks = 2\n[job]\nranks_per_pe = 4\ntp = 4\ndp = 16\n\
             pp = 2\n[[collective]]\nalong = \"dp\"\nbytes = 1e9\n[[collective]]\nalong = \"pp\"\nbytes = 1e7\n"
        );
        let ask = request(&text, Budget::Effort(50), 1, 1);
        let outcome = search(&ask);
        let job = &ask.spec.jobs[0];
        let found = Connections::of(ask.spec.spine(), std::slice::from_ref(job), &outcome.design.nis());
        assert!(outcome.uncovered == 0 && found.hold(), "{}", found.counts());
        let without = Connections::of(None, std::slice::from_ref(job), &outcome.design.nis());
        assert_eq!((found.pairs, found.over.is_some_and(|over| over > 0)), (without.pairs, !without.hold()));
        assert!(step(&ask, &outcome) >= bound(&ask) * (1.0 - 1e-9));
    }
}

/// A job whose data parallelism is a ring longer than a switch is wide, beside a pipeline.
const RING: &str = "pes = 64\nnis_per_pe = 4\n[[switch]]\nports = 16\n[job]\nlibrary = \"any\"\ntp = 8\ndp = 32\npp = 2\n\
    [[collective]]\nalong = \"dp\"\nbytes = 1e9\n[[collective]]\nalong = \"pp\"\nbytes = 1e7\n";

#[test]
fn a_ring_longer_than_a_switch_loses_one_nic_per_hop() {
    // Without a model nothing is hidden. The ring keeps 3 of 4 NICs on each hop, or with NCCL one of a pair of NICs, which is proven
    // to be the most.
    let nis = vec![4; 64];
    let whole =
        |timing: &Timing, widest| timing.bound_of(&timing.lanes[0], &nis, widest, &timing.partners(64));
    for (library, over) in [(Library::Any, 3.0), (Library::Nccl, 2.0), (Library::Mpi, 2.0)] {
        let ask = request(&RING.replace("any", library.name()), Budget::Effort(50), 1, 2);
        let timing = Timing::of(&ask.spec).expect("traffic");
        let lanes = timing.lanes_on(&search(&ask).design).expect("connected pairs");
        let least = whole(&timing, 16);
        assert!((lanes[0] / least - 1.0).abs() < 1e-9, "{lanes:?}, at least {least}");
        if library != Library::Mpi {
            // A whole ring fits 32 ports, but the pipeline's nodes do not fit beside it.
            assert_eq!(whole(&timing, 32), least);
            let latency = timing.lanes[0].messages * timing.latency;
            let [least, all] = [least, whole(&timing, 48)].map(|seconds| seconds - latency);
            assert!((all / least * 4.0 / over - 1.0).abs() < 1e-9, "{all} {least}");
        }
    }
}

/// With NCCL, every device of the receiver must be on a switch of the sender.
#[test]
fn nccl_connects_all_pairs_where_it_can() {
    let mut gained = 0;
    for (nodes, nics, ports, dp) in [
        (16, 4, 8, 16),
        (36, 4, 12, 9),
        (64, 8, 16, 16),
        (24, 2, 12, 8),
        (48, 8, 12, 12),
        (24, 3, 8, 6),
        (20, 5, 10, 10),
    ] {
        let text = format!(
            "pes = {nodes}\nnis_per_pe = {nics}\n[[switch]]\nports = {ports}\n[job]\ntp = 8\ndp = {dp}\npp = {}\n\
             [[collective]]\nalong = \"dp\"\nbytes = 1e9\n[[collective]]\nalong = \"pp\"\nbytes = 1e8\n",
            nodes / dp
        );
        let of = |library: Library| {
            let text = text.replace("[job]\n", &format!("[job]\nlibrary = \"{}\"\n", library.name()));
            request(&text, Budget::Effort(50), 1, 2)
        };
        let [any, nccl] = [of(Library::Any), of(Library::Nccl)];
        let job = &nccl.spec.jobs[0];
        let connected = |outcome: &Outcome| {
            Connections::of(None, std::slice::from_ref(job), &outcome.design.nis()).hold()
        };
        let (free, bound_to) = (search(&any), search(&nccl));
        assert!(connected(&bound_to), "{text}");
        gained += u32::from(!connected(&free));
        let seconds = [step(&any, &free), step(&nccl, &bound_to)];
        assert!(seconds[0] <= seconds[1] * (1.0 + 1e-9), "{seconds:?}: {text}");
        assert!(bound(&nccl) <= seconds[1] * (1.0 + 1e-9), "{seconds:?}: {text}");
    }
    assert!(gained > 0, "NCCL connects all wirings that are searched without its rule");
}

#[test]
fn presets_are_as_fast_as_the_best_wirings_known() {
    for (name, library, more, most) in [
        ("llama405b", "any", "", 12.11),
        ("llama405b", "nccl", "", 12.45),
        ("deepseek-v3", "nccl", "", 26.56),
        // A reserved port: the groups of eight no longer fill switches.
        ("deepseek-v3", "any", "[uplink]\nkind = \"separate\"\n", 27.7),
        ("gpt3-175b", "any", "", 6.21),
        ("gpt3-175b", "nccl", "", 6.5),
        ("mixtral64", "any", "", 2.07),
        ("mixtral64", "nccl", "", 2.14),
    ] {
        let path = format!("{}/../../assets/specs/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("a preset") + more;
        let text = text.replace("[job]", &format!("[job]\nlibrary = \"{library}\""));
        let ask = request(&text, Budget::Effort(100), 1, 2);
        let mut log = Log::default();
        let outcome = search_watched(&ask, &mut log, &AtomicBool::new(false));
        let found = step(&ask, &outcome);
        assert!(check(&ask.spec, &ask.demand, &outcome.design).holds(), "{name}");
        assert!(found <= most && found >= bound(&ask) * (1.0 - 1e-9), "{name}: {found}");
        let times: Vec<f64> = log.progress.iter().filter_map(|progress| Some(progress.time?.best)).collect();
        assert!(times.windows(2).all(|pair| pair[1] <= pair[0]), "{times:?}");
        assert!(times.last().is_some_and(|last| (last - found).abs() < 1e-6 * found), "{times:?} {found}");
    }
}

/// Two jobs side by side are as fast as each in a search of its own: two alike, which reach their bound, and two that differ.
#[test]
fn several_jobs_are_as_fast_as_each_alone() {
    let job = |pp: u32| format!("ranks_per_pe = 8\ntp = 8\npp = {pp}\nlibrary = \"any\"\n");
    let collectives = |job: u32| {
        let of = |along: &str, bytes: &str| {
            format!("[[collective]]\njob = {job}\nalong = \"{along}\"\nbytes = {bytes}\n")
        };
        of("dp", "8e9") + &of("pp", "1e9") + &of("tp", "0")
    };
    let machine =
        |pes: u32| format!("pes = {pes}\nnis_per_pe = 8\nobjective = \"time\"\n[[switch]]\nports = 32\n");
    let seconds = |text: &str| {
        let ask = request(text, Budget::Effort(20), 1, 2);
        let outcome = search(&ask);
        assert!(check(&ask.spec, &ask.demand, &outcome.design).holds(), "{text}");
        [step(&ask, &outcome), bound(&ask)]
    };
    let alone = |pes: u32, pp: u32| seconds(&format!("{}[job]\n{}{}", machine(pes), job(pp), collectives(0)));
    let both = |share: f64, pp: u32| {
        let tables = format!("[[job]]\nshare = {share}\n{}[[job]]\n{}", job(4), job(pp));
        seconds(&format!("{}{tables}{}{}", machine(128), collectives(0), collectives(1)))
    };
    let ([half, least], [alike, bound]) = (alone(64, 4), both(0.5, 4));
    assert!(half <= least * (1.0 + 1e-9) && alike <= bound * (1.0 + 1e-9), "{half} {least} {alike} {bound}");
    assert!((alike - half).abs() < 1e-9 * half, "{alike} {half}");
    let ([large, _], [small, _], [uneven, _]) = (alone(96, 4), alone(32, 1), both(0.75, 1));
    assert!(uneven <= (0.75 * large + 0.25 * small) * (1.0 + 1e-9), "{large} {small} {uneven}");
}

#[test]
fn it_resumes_and_repeats() {
    let text = measured(24, 8, 5);
    let (options, never) = (hurried(), AtomicBool::new(false));
    let ask = request(&text, Budget::Effort(3), 5, 2);
    let (outcome, kept) = whole(&ask, &options);
    assert!(!kept.is_empty());
    for bytes in [&kept[0], &kept[kept.len() / 2], &kept[kept.len() - 1]] {
        let resumed = resume(&ask, &options, Some(bytes), None, &mut Log::default(), &never);
        same(&outcome, &resumed.expect("accepted"), &text);
    }
}

#[test]
fn rules_and_planes_hold() {
    for more in ["", "rail = true\n", "[[placement]]\npes = [0, 5]\nswitches = [1]\n"] {
        let (rails, tables) = if more.starts_with('[') { ("", more) } else { (more, "") };
        let text = format!("{rails}{RING}{tables}");
        // The checker inside knows the rules.
        let outcome = search(&request(&text, Budget::Effort(3), 1, 1));
        assert_eq!(outcome.uncovered, 0, "{more}");
    }
}

/// Where cables stay, the nodes take the places in which the ring and the pipeline are fast.
#[test]
fn nodes_are_renumbered_for_time() {
    let ask = request(RING, Budget::Effort(50), 1, 2);
    let fast = search(&ask);
    let mut numbers: Vec<u32> = (0..64).collect();
    Rng::seeded(3).shuffle(&mut numbers);
    let mixed = |switch: &[u32]| switch.iter().map(|&node| numbers[node as usize]).collect::<Vec<u32>>();
    let start = Design::from_switches(64, fast.design.switches().map(mixed));
    let text = format!("{RING}[start]\nrenumber = true\ntable = \"\"\"\n{}\"\"\"\n", table::write(&start));
    let renumbered = request(&text, Budget::Effort(200), 1, 1);
    let outcome = search(&renumbered);
    assert_eq!(outcome.uncovered, 0);
    let sizes = |design: &Design| design.switches().map(<[u32]>::len).collect::<Vec<_>>();
    assert_eq!(sizes(&outcome.design), sizes(&start));
    let timing = Timing::of(&ask.spec).expect("traffic");
    let [before, found, best] =
        [&start, &outcome.design, &fast.design].map(|design| timing.on(design).map(|seconds| seconds.step));
    assert_eq!(before, None, "pairs apart");
    let (found, best) = (found.expect("served pairs"), best.expect("served pairs"));
    assert!(found < 1.6 * best, "{found} instead of {best}");
}

/// The loss by a failed switch, against the time on the wiring without that switch.
#[test]
fn losses_are_those_of_the_worst_failed_switch() {
    let mut rng = Rng::seeded(11);
    for round in 0..40 {
        let (nics, library) = ([2, 3, 4][round % 3], Library::ALL[round % 2 * 2]);
        let text = format!(
            "pes = 8\nnis_per_pe = {nics}\n[[switch]]\nports = 8\ncount = {}\n[job]\nlibrary = \"{}\"\ntp = 8\ndp = 4\npp = 2\n\
             [[collective]]\nalong = \"dp\"\nbytes = 1e9\n[[collective]]\nalong = \"pp\"\nbytes = 1e8\n",
            nics + 1,
            library.name()
        );
        let ask = request(&text, Budget::Effort(1), 1, 1);
        let problems = instances(&ask.spec, &ask.demand, &mut || true).expect("instances");
        let problem = problems.last().expect("an instance");
        let clock = Clock::of(&ask.spec).expect("traffic");
        // Every node leaves out one switch, most of them the same.
        let mut sets = vec![Vec::new(); nics + 1];
        for node in 0..8 {
            let without = if rng.below(4) > 0 { nics as u32 } else { rng.below(nics as u32 + 1) };
            (0..=nics as u32).filter(|&s| s != without).for_each(|s| sets[s as usize].push(node));
        }
        let design = |without: Option<usize>| {
            let of =
                |(at, set): (usize, &Vec<u32>)| if Some(at) == without { Vec::new() } else { set.clone() };
            Design::from_switches(8, sets.iter().enumerate().map(of))
        };
        let timing = Timing::of(&ask.spec).expect("traffic");
        let communication = |without: Option<usize>| {
            timing.on(&design(without)).map(|seconds| (seconds.communication * 1e6) as u64)
        };
        let (whole, is_whole) = genome(&ask.spec, design(None).switches());
        assert!(is_whole);
        let loss = clock.loss(problem, &whole, |_| true).expect("not stopped");
        let (lost, microseconds) = (loss >> 40, loss & ((1 << 40) - 1));
        if library == Library::Any {
            let after: Vec<Option<u64>> = (0..=nics).map(|switch| communication(Some(switch))).collect();
            assert_eq!(lost > 0, after.contains(&None), "{sets:?}");
            if lost == 0 {
                let worst = after.into_iter().flatten().max().expect("switches");
                let before = communication(None).expect("connected pairs");
                assert!(
                    (worst..=worst.max(before)).contains(&microseconds),
                    "{microseconds} instead of {worst}: {sets:?}"
                );
            }
        } else {
            let job = &ask.spec.jobs[0];
            let whole = design(None);
            let nis = whole.nis();
            let rule = SwitchRule::of(None, std::slice::from_ref(job), &nis);
            if rule.devices() == Devices::Pairs {
                let breaks = |switch: u32| {
                    let rule = rule.without((0..8).map(|node| (node, switch)));
                    let reaches = |from, to| rule.route(from, to).is_complete();
                    pairs(job).into_iter().any(|[a, b]| !reaches(a, b) || !reaches(b, a))
                };
                let before = Connections::of(None, std::slice::from_ref(job), &nis).hold();
                if before {
                    assert_eq!(lost > 0, (0..=nics as u32).any(breaks), "{sets:?}");
                }
            }
        }
    }
}

/// A node is on a switch once: without a count, there are as many switches as a node has NICs.
#[test]
fn no_nic_waits_for_a_further_switch() {
    let text = "pes = 2\nnis_per_pe = 8\n[[switch]]\nports = 4\n[job]\ntp = 8\n[[collective]]\nalong = \"dp\"\nbytes = 1e9\n";
    let ask = request(text, Budget::Effort(1), 1, 1);
    let outcome = search(&ask);
    assert_eq!(outcome.design.switches().filter(|switch| !switch.is_empty()).count(), 8);
    assert!((step(&ask, &outcome) / bound(&ask) - 1.0).abs() < 1e-9);
    let sparse = request(&format!("objective = \"sparse\"\n{text}"), Budget::Effort(1), 1, 1);
    assert_eq!(sparse.spec.usable_ports().len(), 4);
}
