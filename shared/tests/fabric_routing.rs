//! Routings of any fabric, held against distances that are found by themselves.

use shared::{
    cancel::{Token, scope},
    design::table,
    fabric::{
        Disjoint, Ecmp, Fabric, Hops, Minimal, Routing, Shares, SpanningTree, Speeds, Wiring, channel_link,
        kinds,
    },
    resolve::{self, NoFiles},
};
use std::collections::{HashMap, HashSet};

const TEXTS: [&str; 10] = [
    "switch:5",
    "full:6",
    "host-torus:4x4",
    "tree:20,6,2",
    "fat-tree:16,4,3",
    "rail:4x3",
    "mesh:4x3,2",
    "torus:4x4",
    "myrinet:16,4",
    "myrinet:16,9",
];

fn built(text: &str) -> Fabric {
    let kind = kinds::parse(text).unwrap_or_else(|fault| panic!("{fault}"));
    kinds::build(&*kind, Speeds::default()).unwrap_or_else(|fault| panic!("{fault}"))
}

/// Hosts passed and links of a path that leads from one host to the other.
fn walked(fabric: &Fabric, from: u32, to: u32, path: &[u32]) -> (u32, u32) {
    let mut at = from;
    let mut hosts = 0;
    for &channel in path {
        let (here, next) = fabric.channel_ends(channel);
        assert_eq!(here, at, "a path goes on where it is");
        hosts += u32::from(fabric.is_host(next) && next != to);
        at = next;
    }
    assert_eq!(at, to);
    (hosts, path.len() as u32)
}

/// The least hosts passed, and links at that, from one host to every node: relaxed until nothing changes.
fn distances(fabric: &Fabric, from: u32) -> Vec<(u32, u32)> {
    let mut least = vec![(u32::MAX, u32::MAX); fabric.nodes() as usize];
    least[from as usize] = (0, 0);
    loop {
        let before = least.clone();
        for channel in 0..fabric.channels() {
            let (a, b) = fabric.channel_ends(channel);
            let (hosts, links) = least[a as usize];
            if hosts != u32::MAX {
                let on = (hosts + u32::from(fabric.is_host(a) && a != from), links + 1);
                least[b as usize] = least[b as usize].min(on);
            }
        }
        if before == least {
            return least;
        }
    }
}

fn path(routing: &impl Routing, from: u32, to: u32, choice: u32) -> Vec<u32> {
    let mut channels = Vec::new();
    routing.path(from, to, choice, &mut channels);
    channels
}

fn pairs(hosts: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..hosts).flat_map(move |from| (0..hosts).filter(move |&to| to != from).map(move |to| (from, to)))
}

fn assert_minimal(fabric: &Fabric, routing: &impl Routing) {
    for from in 0..fabric.hosts {
        let least = distances(fabric, from);
        for to in (0..fabric.hosts).filter(|&to| to != from) {
            assert!(routing.choices(from, to) > 0);
            for choice in 0..routing.choices(from, to) {
                let channels = path(routing, from, to, choice);
                assert_eq!(walked(fabric, from, to, &channels), least[to as usize]);
            }
        }
        assert!(path(routing, from, from, 0).is_empty());
    }
}

fn uses(fabric: &Fabric, routing: &impl Routing) -> Vec<u64> {
    let mut uses = vec![0; fabric.channels() as usize];
    for (from, to) in pairs(fabric.hosts) {
        path(routing, from, to, 0).into_iter().for_each(|channel| uses[channel as usize] += 1);
    }
    uses
}

#[test]
fn minimal_paths_are() {
    for text in TEXTS {
        let fabric = built(text);
        assert_minimal(&fabric, &Minimal::of(&fabric).unwrap());
    }
}

#[test]
fn least_used_links_even_out_the_load() {
    // Every leaf of four hosts sends 4 * 12 frames to others, over four uplinks: 12 each.
    let fabric = built("fat-tree:16,8,2");
    let uses = uses(&fabric, &Minimal::of(&fabric).unwrap());
    let up: Vec<u64> = (0..fabric.channels())
        .filter(|&channel| {
            let (from, to) = fabric.channel_ends(channel);
            !fabric.is_host(from) && !fabric.is_host(to)
        })
        .map(|channel| uses[channel as usize])
        .collect();
    assert_eq!(up, vec![12; 32]);
}

/// Every path from one host to another that is as short as any.
fn all_minimal(fabric: &Fabric, from: u32, to: u32) -> Vec<Vec<u32>> {
    let least = distances(fabric, from);
    let mut found = Vec::new();
    let mut open = vec![(from, (0, 0), Vec::new())];
    while let Some((at, (hosts, links), path)) = open.pop() {
        if at == to {
            found.push(path);
            continue;
        }
        for channel in (0..fabric.channels()).filter(|&channel| fabric.channel_ends(channel).0 == at) {
            let next = fabric.channel_ends(channel).1;
            let cost = (hosts + u32::from(fabric.is_host(at) && at != from), links + 1);
            if least[next as usize] == cost {
                open.push((next, cost, [&path[..], &[channel]].concat()));
            }
        }
    }
    found.retain(|path| walked(fabric, from, to, path) == least[to as usize]);
    found
}

#[test]
fn of_all_minimal_paths_the_least_used_is_taken() {
    for text in [
        "host-torus:4x4",
        "tree:20,6,4",
        "fat-tree:16,4,3",
        "rail:4x3",
        "pmesh:3x3",
        "torus:4x4",
        "myrinet:16,2",
    ] {
        let fabric = built(text);
        let minimal = Minimal::of(&fabric).unwrap();
        let mut used = vec![0u64; fabric.channels() as usize];
        let mut choices = 0;
        for (from, to) in pairs(fabric.hosts) {
            let taken = path(&minimal, from, to, 0);
            let uses = |path: &[u32]| path.iter().map(|&channel| used[channel as usize]).sum::<u64>();
            let all = all_minimal(&fabric, from, to);
            choices += all.len() - 1;
            assert_eq!(Some(uses(&taken)), all.iter().map(|path| uses(path)).min(), "{text}: {from} to {to}");
            taken.iter().for_each(|&channel| used[channel as usize] += 1);
        }
        assert!(choices > 0, "{text} has something to choose from");
    }
}

/// Whether two paths exist that share no link but the only ones of hosts.
fn two_ways(fabric: &Fabric, from: u32, to: u32) -> bool {
    let leaving = fabric.leaving();
    let only = |channel: u32| {
        let (a, b) = fabric.channel_ends(channel);
        [a, b].iter().any(|&node| fabric.is_host(node) && leaving[node as usize].len() == 1)
    };
    let mut room: Vec<u32> = (0..fabric.channels()).map(|channel| 1 + u32::from(only(channel))).collect();
    (0..2).all(|_| {
        let mut by = vec![None; fabric.nodes() as usize];
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            for &channel in &leaving[at as usize] {
                let next = fabric.channel_ends(channel).1;
                if room[channel as usize] > 0 && next != from && by[next as usize].is_none() {
                    by[next as usize] = Some(channel);
                    open.push(next);
                }
            }
        }
        let mut at = to;
        while let Some(channel) = by[at as usize] {
            room[channel as usize] -= 1;
            room[channel as usize ^ 1] += 1;
            at = fabric.channel_ends(channel).0;
        }
        at == from
    })
}

#[test]
fn second_paths_are_found_wherever_two_exist() {
    for text in [
        "host-torus:5x3",
        "pmesh:3x3x3",
        "rail:4x4",
        "mesh:3x3x2",
        "tree:20,6,4",
        "fat-tree:16,4,3",
        "myrinet:16,5",
    ] {
        let fabric = built(text);
        let disjoint = Disjoint::of(&fabric, false).unwrap();
        let single = |from: u32, to: u32| {
            let hosts = [from, to].map(|host| fabric.links.iter().filter(|l| l.ends.contains(&host)).count());
            hosts == [1, 1] && path(&disjoint, from, to, 0).len() == 2
        };
        let mut found = 0;
        for (from, to) in pairs(fabric.hosts).filter(|&(from, to)| !single(from, to)) {
            assert_eq!(
                disjoint.choices(from, to) == 2,
                two_ways(&fabric, from, to),
                "{text}: {from} to {to}"
            );
            found += disjoint.choices(from, to) - 1;
        }
        assert!(found > 0, "{text}");
    }
}

#[test]
fn large_fabrics_have_tables_that_are_as_short_and_as_even() {
    let fabric = built("fat-tree:1152,48,2");
    let routing = Minimal::of(&fabric).unwrap();
    let mut channels = Vec::new();
    for (from, to) in [(0, 1), (0, 24), (5, 1151), (1151, 0), (700, 500)] {
        channels.clear();
        routing.path(from, to, 0, &mut channels);
        let same = from / 24 == to / 24;
        assert_eq!(walked(&fabric, from, to, &channels), (0, if same { 2 } else { 4 }));
    }
    let up = |leaf: u32| {
        let mut used = HashMap::new();
        for from in leaf * 24..leaf * 24 + 24 {
            for to in (0..1152).filter(|to| to / 24 != leaf) {
                *used.entry(path(&routing, from, to, 0)[1]).or_insert(0u32) += 1;
            }
        }
        used
    };
    let used = up(3);
    assert_eq!(used.len(), 24, "every uplink is used");
    assert_eq!(used.values().sum::<u32>(), 24 * 1128);
    assert!(used.values().all(|&paths| paths == 1128), "{used:?}");
}

#[test]
fn what_does_not_fit_in_memory_is_refused() {
    let fabric = built("switch:20000");
    let fault = Minimal::of(&fabric).unwrap_err().to_string();
    assert!(fault.contains("20,000 hosts") && fault.contains("67,108,864"), "{fault}");
    assert!(Disjoint::of(&built("switch:600"), false).unwrap_err().to_string().contains("at most 512"));
}

#[test]
fn a_wiring_goes_over_its_uplink_rather_than_through_a_pe() {
    let text =
        "pes = 4\nnis_per_pe = 2\nobjective = 'sparse'\n[[switch]]\nports = 4\n[[pattern]]\nkind = 'ring'\n";
    let wiring = "0: 0 1\n1: 1 2\n2: 2 3\n3: 3 0\n";
    let far = |spec: &str| {
        let spec = resolve::read(spec, &mut NoFiles).unwrap_or_else(|faults| panic!("{faults}"));
        let design = table::parse(wiring, 4).unwrap();
        let kind = Wiring::of(&spec, &design);
        let fabric = kinds::build(&kind, Speeds::default()).unwrap();
        assert_eq!(fabric.check(), Ok(()));
        let routing = Minimal::of(&fabric).unwrap();
        assert_minimal(&fabric, &routing);
        walked(&fabric, 0, 2, &path(&routing, 0, 2, 0))
    };
    assert_eq!(far(text), (1, 4));
    assert_eq!(far(&format!("{text}[uplink]\nkind = 'separate'\n")), (0, 4));
}

#[test]
fn second_paths_share_only_the_links_that_hosts_cannot_do_without() {
    for text in TEXTS {
        let fabric = built(text);
        let routing = Disjoint::of(&fabric, false).unwrap();
        let ends = |node: u32| fabric.links.iter().filter(|link| link.ends.contains(&node)).count();
        for (from, to) in pairs(fabric.hosts).filter(|&(from, to)| routing.choices(from, to) > 1) {
            let links = |choice| -> HashSet<u32> {
                let channels = path(&routing, from, to, choice);
                walked(&fabric, from, to, &channels);
                channels.into_iter().map(channel_link).collect()
            };
            for link in links(0).intersection(&links(1)) {
                let only =
                    fabric.links[*link as usize].ends.iter().any(|&n| fabric.is_host(n) && ends(n) == 1);
                assert!(only, "{text}: {from} to {to} share link {link}");
            }
        }
    }
}

#[test]
fn second_paths_spread_the_pattern_of_the_topology_paper() {
    // Hosts whose numbers differ by 8 put four pairs on one link each way and leave the other links free (figure 6, left).
    // With every other frame on the second path, no link between switches carries much more than two pairs' worth (right;
    // "the FM routing mechanism will not necessarily choose exactly these routes").
    let fabric = built("myrinet:16,4");
    let routing = Disjoint::of(&fabric, false).unwrap();
    let mut load = vec![[0u32; 2]; fabric.channels() as usize];
    for from in 0..16 {
        for choice in 0..2 {
            for channel in path(&routing, from, (from + 8) % 16, choice) {
                load[channel as usize][choice as usize] += 1;
            }
        }
    }
    let between = &load[32..];
    let mut first: Vec<u32> = between.iter().map(|load| load[0]).collect();
    first.sort_unstable();
    assert_eq!(first, [0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 4, 4]);
    assert_eq!(between.iter().map(|load| load[1]).sum::<u32>(), 32, "two links each");
    assert!(between.iter().all(|load| f64::from(load[0] + load[1]) / 2.0 <= 2.5), "{between:?}");
}

#[test]
fn loops_are_made_on_request_only() {
    let fabric = built("myrinet:16,4");
    assert_eq!(Disjoint::of(&fabric, false).unwrap().choices(0, 1), 1);
    let routing = Disjoint::of(&fabric, true).unwrap();
    assert_eq!(routing.choices(0, 1), 2);
    assert_eq!(walked(&fabric, 0, 1, &path(&routing, 0, 1, 1)), (0, 4));
}

#[test]
fn a_spanning_tree_uses_one_link_less_than_switches() {
    for text in ["mesh:4x4", "torus:4x3,2", "myrinet:16,9", "tree:20,6,2"] {
        let fabric = built(text);
        let routing = SpanningTree::of(&fabric);
        let mut links = HashSet::new();
        let mut sum = 0;
        for (from, to) in pairs(fabric.hosts) {
            assert_eq!(routing.choices(from, to), 1);
            let channels = path(&routing, from, to, 0);
            assert_eq!(walked(&fabric, from, to, &channels).0, 0);
            sum += channels.len();
            links.extend(channels.into_iter().map(channel_link).filter(|&link| link >= fabric.hosts));
        }
        assert!(links.len() < fabric.switches.len(), "{text}");
        assert!(sum >= pairs(fabric.hosts).map(|(a, b)| distances(&fabric, a)[b as usize].1 as usize).sum());
    }
}

#[test]
fn the_root_of_the_spanning_tree_has_the_least_average_path() {
    // A chain of switches is its own only tree; on a mesh of 3x3 the middle is the best root.
    let chain = built("mesh:5");
    assert_minimal(&chain, &SpanningTree::of(&chain));
    let fabric = built("mesh:3x3");
    let routing = SpanningTree::of(&fabric);
    let longest = pairs(9).map(|(from, to)| path(&routing, from, to, 0).len()).max();
    assert_eq!(longest, Some(6), "two up and two down from the middle");
    // Switches that are not connected have no path.
    let apart = Fabric { links: fabric.links[..9].to_vec(), ..fabric };
    assert_eq!(SpanningTree::of(&apart).choices(0, 1), 0);
    assert_eq!(Minimal::of(&apart).unwrap().choices(0, 1), 0);
}

/// Networks of this decade, with few hosts.
const CURRENT: [&str; 24] = [
    "rail-clos:6,2,8,2",
    "rail-clos:20,2,8,3",
    "rail-clos:23,4,8,3",
    "hyperx:5",
    "hyperx:3x4",
    "hyperx:3x3,2,4",
    "hyperx:2x3x4,1,2,41",
    "dragonfly:2,1",
    "dragonfly:4,2,2",
    "dragonfly:4,2,3,1",
    "dragonfly:4,2,5,2,33",
    "dragonfly:4,2,9,1",
    "dragonfly:3,1,3,2",
    "dragonfly-plus:2,2,1",
    "dragonfly-plus:3,2,3,4",
    "slim-fly:4,1",
    "slim-fly:5,2",
    "slim-fly:7,1",
    "slim-fly:8,1",
    "polarfly:3",
    "polarfly:4,2",
    "polarfly:7,1",
    "planes:3,fat-tree:32,8,2",
    "planes:2,torus:3x4,2",
];

/// Compares a network's formulas with the paths of its graph. `true` if it has one for the hops of every pair.
fn formulas_hold(text: &str) -> bool {
    let kind = kinds::parse(text).unwrap_or_else(|fault| panic!("{fault}"));
    let fabric = built(text);
    let mut all = Vec::new();
    let mut known = true;
    for from in 0..fabric.hosts {
        let least = distances(&fabric, from);
        for to in (0..fabric.hosts).filter(|&to| to != from) {
            let (hosts, links) = least[to as usize];
            let walked = Hops::new(hosts, links - 1 - hosts);
            let hops = kind.hops(from, to);
            assert!(hops.is_none_or(|hops| hops == walked), "{text}: {from} to {to}");
            known &= hops.is_some();
            all.push(walked);
        }
    }
    all.sort_unstable();
    assert_eq!(kind.extremes(), Some([all[0], all[all.len() - 1]]), "{text}");
    known
}

#[test]
fn formulas_of_current_networks_are_what_paths_pass() {
    for text in CURRENT {
        formulas_hold(text);
    }
}

#[test]
fn formulas_of_hops_are_what_paths_pass() {
    let more = [
        "direct",
        "host-torus:2x3x4",
        "tree:50,24,4,2",
        "fat-tree:20,8,2,3",
        "pmesh:4x3",
        "pmesh:3x2x4",
        "mesh:3x4x2",
    ];
    for text in TEXTS.iter().chain(&more).filter(|text| !text.starts_with("myrinet")) {
        assert!(formulas_hold(text), "{text}: a pair without a formula");
    }
}

/// Channels of all paths of a pair with their shares, by channel.
fn shares(paths: &Ecmp, ends: [u32; 2]) -> Vec<(u32, f64)> {
    let mut all: HashMap<u32, f64> = HashMap::new();
    paths.split(ends, &mut Shares::default(), |channel, share| *all.entry(channel).or_default() += share);
    let mut all: Vec<(u32, f64)> = all.into_iter().collect();
    all.sort_by_key(|share| share.0);
    all
}

#[test]
fn equal_cost_paths_are_minimal_and_share_evenly() {
    for text in TEXTS {
        let fabric = built(text);
        let paths = Ecmp::of(&fabric).unwrap();
        for from in 0..fabric.hosts {
            let least = distances(&fabric, from);
            for to in (0..fabric.hosts).filter(|&to| to != from) {
                let mut used = HashMap::new();
                for choice in 0..64 {
                    let mut path = Vec::new();
                    paths.path(from, to, choice, &mut path);
                    assert_eq!(walked(&fabric, from, to, &path), least[to as usize], "{text} {from} {to}");
                    path.into_iter().for_each(|channel| *used.entry(channel).or_insert(0.0) += 1.0 / 64.0);
                }
                let shares = shares(&paths, [from, to]);
                let out: f64 = shares
                    .iter()
                    .filter(|(channel, _)| fabric.channel_ends(*channel).0 == from)
                    .map(|(_, share)| share)
                    .sum();
                assert!((out - 1.0).abs() < 1e-9, "{text} {from} {to}: {out}");
                // Consecutive numbers use the ways of the first node in turn.
                for (channel, share) in shares.iter().filter(|(c, _)| fabric.channel_ends(*c).0 == from) {
                    assert!((used[channel] - share).abs() < 0.05, "{text} {from} {to}");
                }
                assert!(used.keys().all(|channel| shares.iter().any(|share| share.0 == *channel)));
                let mut gathered: Vec<(u32, f64)> = Vec::new();
                paths.gather(to, &[(from, 1.0)], |channel, amount| gathered.push((channel, amount)));
                gathered.sort_by_key(|share| share.0);
                let same = gathered.iter().zip(&shares).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-12);
                assert!(same && gathered.len() == shares.len(), "{text} {from} {to}");
            }
        }
    }
}

#[test]
fn paths_without_a_part_are_those_of_the_network_without_it() {
    for text in ["fat-tree:16,4,3", "host-torus:4x4", "planes:2,tree:8,4,2", "rail:4x3", "switch:5"] {
        let fabric = built(text);
        let paths = Ecmp::of(&fabric).unwrap();
        let switch = fabric.switches.len().checked_sub(1).map(|last| fabric.switch_node(last as u32));
        let of_switch =
            (0..).zip(&fabric.links).filter(|(_, link)| switch.is_some_and(|s| link.ends.contains(&s)));
        let of_switch: Vec<u32> = of_switch.map(|(number, _)| number).collect();
        for closed in [vec![0], of_switch] {
            let found = paths.without(&fabric, &closed);
            // Links behind a missing one have other numbers.
            let mut rest = fabric.clone();
            rest.links =
                (0..).zip(&fabric.links).filter(|(n, _)| !closed.contains(n)).map(|(_, l)| *l).collect();
            let kept: Vec<u32> = (0..fabric.links.len() as u32).filter(|n| !closed.contains(n)).collect();
            let expected = Ecmp::of(&rest).unwrap();
            for (from, to) in (0..fabric.hosts).flat_map(|a| (0..fabric.hosts).map(move |b| (a, b))) {
                if from == to {
                    continue;
                }
                assert_eq!(found.hops(from, to), expected.hops(from, to), "{text} without {closed:?}");
                let renamed = shares(&expected, [from, to])
                    .into_iter()
                    .map(|(channel, share)| (2 * kept[channel_link(channel) as usize] + channel % 2, share));
                assert_eq!(
                    shares(&found, [from, to]),
                    renamed.collect::<Vec<_>>(),
                    "{text} without {closed:?}"
                );
            }
        }
    }
}

#[test]
fn clusters_of_65536_hosts_have_a_row_per_leaf() {
    for (text, links) in [("fat-tree:65536,64,3", 6), ("dragonfly:32,16,128,16", 5)] {
        let fabric = built(text);
        let paths = Ecmp::of(&fabric).unwrap();
        for (from, to) in [(0, 1), (0, 40), (7, 65_535), (65_535, 3), (40_000, 20_000)] {
            let all: HashSet<Vec<u32>> = (0..64).map(|choice| path(&paths, from, to, choice)).collect();
            for path in &all {
                let (through, length) = walked(&fabric, from, to, path);
                let known = paths.hops(from, to).unwrap();
                assert_eq!((through, length), (0, known.switches + 1), "{text} {from} {to}");
                assert!(length <= links, "{text} {from} {to}: {length}");
            }
            assert!(!text.contains("fat") || all.len() > 1 || to == 1, "{text} {from} {to}");
        }
    }
    assert!(Ecmp::of(&built("host-torus:32x32x16")).is_err(), "hosts that forward need a row each");
}

#[test]
fn rails_are_changed_in_the_own_domain_or_over_there() {
    let text = "rail:5x3";
    let (kind, fabric) = (kinds::parse(text).unwrap(), built(text));
    let routing = kind.routing().unwrap();
    assert_minimal(&fabric, &routing);
    assert_eq!((routing.choices(0, 1), routing.choices(0, 3), routing.choices(0, 4)), (1, 1, 2));
    let through = |choice| fabric.channel_ends(path(&routing, 0, 4, choice)[1]).1;
    assert_eq!([0, 1].map(through), [1, 3]);
}

/// Networks with computed paths and hosts that forward or have a cable to each other one.
const COMPUTED: [&str; 18] = [
    "full:2",
    "full:7",
    "host-torus:2",
    "host-torus:5",
    "host-torus:4x4",
    "host-torus:6x2",
    "host-torus:2x3x4",
    "host-torus:4x2x4",
    "hamming-mesh:1x1,2x2",
    "hamming-mesh:1x1,3x4",
    "hamming-mesh:1x3,2x5",
    "hamming-mesh:2x2,4x3",
    "hamming-mesh:3x3,2x2",
    "hamming-mesh:4x3,2x3",
    "hamming-mesh:5x4,2x2",
    "hamming-mesh:6x1,2x3",
    "planes:2,host-torus:4x3",
    "planes:3,hamming-mesh:3x2,2x2",
];

#[test]
fn computed_paths_are_minimal_and_differ() {
    for text in COMPUTED {
        let (fabric, routing) = (built(text), kinds::parse(text).unwrap().routing().unwrap());
        assert_minimal(&fabric, &routing);
        for (from, to) in pairs(fabric.hosts) {
            let choices = routing.choices(from, to);
            let all: HashSet<_> = (0..choices).map(|choice| path(&routing, from, to, choice)).collect();
            assert_eq!(all.len(), choices as usize, "{text}: {from} to {to}");
        }
        assert_eq!(routing.bytes(), 0);
    }
}

#[test]
fn ties_of_rings_are_split_by_hash() {
    // Even sides: over both paths of each tie, every channel carries as much.
    let text = "host-torus:8x8";
    let (fabric, routing) = (built(text), kinds::parse(text).unwrap().routing().unwrap());
    let mut all = vec![0.0; fabric.channels() as usize];
    for (from, to) in pairs(fabric.hosts) {
        let choices = routing.choices(from, to);
        for channel in (0..choices).flat_map(|choice| path(&routing, from, to, choice)) {
            all[channel as usize] += 1.0 / f64::from(choices);
        }
    }
    // A ring of 8 has a mean distance of 2, a row 8 * 64 paths over 16 channels.
    assert!(all.iter().all(|&uses| uses == 64.0), "{all:?}");
    let first = uses(&fabric, &routing);
    assert!(first.iter().all(|uses| (48..=80).contains(uses)), "{first:?}");
}

#[test]
fn computed_paths_need_no_table_for_a_million_hosts() {
    for (text, most) in [("host-torus:64x64x256", 192), ("hamming-mesh:4x4,128x512", 10)] {
        let (fabric, routing) = (built(text), kinds::parse(text).unwrap().routing().unwrap());
        let ends: Vec<u32> =
            (0..100u64).map(|n| (n * 2_654_435_761 % u64::from(fabric.hosts)) as u32).collect();
        for pair in ends.windows(2) {
            for choice in 0..routing.choices(pair[0], pair[1]) {
                let (_, links) = walked(&fabric, pair[0], pair[1], &path(&routing, pair[0], pair[1], choice));
                assert!(links <= most, "{text}: {links}");
            }
        }
    }
}

#[test]
fn searches_for_paths_report_their_share() {
    let (token, fabric) = (Token::default(), built("host-torus:10x10x4"));
    let last = 399.0 / 400.0;
    for search in [|fabric: &Fabric| drop(Minimal::of(fabric)), |fabric: &Fabric| drop(Ecmp::of(fabric))] {
        assert!(scope(&token, || search(&fabric)).is_ok());
        assert_eq!(token.share(), last);
    }
    token.cancel();
    assert!(scope(&token, || Minimal::of(&fabric)).is_err(), "a cancelled search ends");
}

#[test]
fn first_paths_spread_over_planes() {
    let text = "planes:4,torus:4x4,2";
    let (fabric, routing) = (built(text), kinds::parse(text).unwrap().routing().unwrap());
    let mut on_plane = [0u32; 4];
    for (from, to) in pairs(fabric.hosts) {
        let plane = |choice| path(&routing, from, to, choice)[0] * 4 / fabric.channels();
        on_plane[plane(0) as usize] += 1;
        let all: HashSet<u32> = (0..4).map(plane).collect();
        assert_eq!(all.len(), 4, "consecutive paths take every plane in turn");
    }
    let even = fabric.hosts * (fabric.hosts - 1) / 4;
    assert!(on_plane.iter().all(|paths| paths.abs_diff(even) < even / 5), "{on_plane:?}");
}
