//! The kinds of networks: what their numbers promise is what their graphs have.

use shared::fabric::{
    Fabric, Limits, MYRINETS, Minimal, NetworkKind, Routing, Speeds, SwitchKind, fit,
    kinds::{self, KINDS},
};
use std::collections::{HashMap, HashSet};

const SPEEDS: Speeds = Speeds { hosts: 100, trunks: 1000 };

const TEXTS: [&str; 61] = [
    "direct",
    "hub:1",
    "hub:7",
    "switch:16",
    "full:2",
    "full:9",
    "host-torus:4x4",
    "host-torus:2x3x4",
    "host-torus:5",
    "tree:768,24,2",
    "tree:50,24,2",
    "tree:50,24,4,2",
    "tree:9,4,1",
    "fat-tree:16,4,3",
    "fat-tree:9,4,3",
    "fat-tree:32,8,2",
    "fat-tree:20,8,2",
    "fat-tree:20,8,2,3",
    "fat-tree:100,6,4",
    "fat-tree:128,8,3",
    "rail:16x8",
    "rail:3x2",
    "mesh:8x8",
    "mesh:3x4x2,3",
    "torus:8x8",
    "torus:2x5,2",
    "myrinet:16,1",
    "myrinet:16,4",
    "myrinet:16,9",
    "myrinet:18,5",
    "rail-clos:6,2,8,2",
    "rail-clos:9,3,10,2,4",
    "rail-clos:20,2,8,3",
    "rail-clos:23,4,8,3",
    "rail-clos:40,2,6,4",
    "hyperx:5",
    "hyperx:3x4",
    "hyperx:3x3,2,4",
    "hyperx:2x3x4,1,2,41",
    "dragonfly:2,1",
    "dragonfly:4,2,2",
    "dragonfly:4,2,3",
    "dragonfly:4,2,5,2,33",
    "dragonfly:3,1,3,2",
    "dragonfly:6,3,7",
    "dragonfly-plus:2,2,1",
    "dragonfly-plus:3,2,3,4",
    "dragonfly-plus:4,4,4,9",
    "slim-fly:4",
    "slim-fly:5",
    "slim-fly:7,3",
    "slim-fly:8,2,200",
    "polarfly:2",
    "polarfly:5",
    "polarfly:8,3",
    "jellyfish:20,6",
    "jellyfish:11,4,7",
    "hamming-mesh:2x2,4x4",
    "hamming-mesh:1x3,2x5",
    "planes:8,fat-tree:32,8,2",
    "planes:2,torus:3x4,2",
];

fn read(text: &str) -> Box<dyn NetworkKind> {
    kinds::parse(text).unwrap_or_else(|fault| panic!("{fault}"))
}

fn built(text: &str) -> Fabric {
    kinds::build(&*read(text), SPEEDS).unwrap_or_else(|fault| panic!("{fault}"))
}

/// Nodes that can be reached from host 0.
fn reached(fabric: &Fabric) -> usize {
    let leaving = fabric.leaving();
    let mut seen = vec![false; fabric.nodes() as usize];
    let mut open = vec![0u32];
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut seen[node as usize], true) {
            open.extend(leaving[node as usize].iter().map(|&channel| fabric.channel_ends(channel).1));
        }
    }
    seen.into_iter().filter(|&seen| seen).count()
}

#[test]
fn graphs_have_the_parts_that_are_bought() {
    for text in TEXTS {
        let (kind, fabric) = (read(text), built(text));
        let parts = kind.parts();
        assert_eq!(kind.text(), text);
        assert_eq!(fabric.check(), Ok(()), "{text}");
        assert_eq!(reached(&fabric), fabric.nodes() as usize, "{text}");
        assert_eq!((fabric.hosts, fabric.links.len() as u64), (parts.hosts, parts.cables), "{text}");
        assert_eq!(fabric.switches.len() as u64, parts.switch_count(), "{text}");
        assert_eq!(fabric.switches.iter().map(|s| u64::from(s.ports)).sum::<u64>(), parts.ports(), "{text}");
        let ends = |speed| {
            let links = fabric.links.iter().filter(|link| link.speed == speed);
            links.flat_map(|link| link.ends).filter(|&node| fabric.is_host(node)).count() as u64
        };
        assert_eq!((ends(SPEEDS.hosts), ends(SPEEDS.trunks)), (parts.nis, parts.trunk_nis), "{text}");
        ports_suffice_at_their_speed(text, &*kind, &fabric);
    }
}

/// Every switch has ports of each speed for its links, and so has some switch of its kind exactly.
fn ports_suffice_at_their_speed(text: &str, kind: &dyn NetworkKind, fabric: &Fabric) {
    let mut first = fabric.hosts;
    for part in kind.parts().switches {
        let links = |node: u32, speed: u32| {
            let here = fabric.links.iter().filter(|link| link.ends.contains(&node) && link.speed == speed);
            here.count() as u32
        };
        for node in first..first + part.count {
            assert!(links(node, SPEEDS.hosts) <= part.ports, "{text}: node {node}");
            assert!(links(node, SPEEDS.trunks) <= part.trunks, "{text}: node {node}");
            assert_eq!(fabric.switches[(node - fabric.hosts) as usize].kind == SwitchKind::Hub, part.hub);
        }
        let exact = |node| links(node, SPEEDS.hosts) + links(node, SPEEDS.trunks) == part.ports + part.trunks;
        if !text.starts_with("myrinet") {
            assert!((first..first + part.count).any(exact), "{text}: {part:?}");
        }
        first += part.count;
    }
}

#[test]
fn the_tree_of_the_paper_is_built_from_its_switches() {
    let parts = read("tree:768,24,2").parts();
    let told: Vec<_> = parts.switches.iter().map(|s| (s.count, s.ports, s.trunks)).collect();
    assert_eq!(told, [(32, 24, 2), (2, 0, 32)]);
}

#[test]
fn fat_trees_have_the_sizes_of_the_books() {
    // k-port switches in three levels: k^3/4 hosts, 5k^2/4 switches (Al-Fares et al. 2008).
    for ports in [4u32, 6, 8, 16] {
        let hosts = ports.pow(3) / 4;
        let parts = read(&format!("fat-tree:{hosts},{ports},3")).parts();
        assert_eq!(parts.switch_count(), u64::from(5 * ports * ports / 4));
        assert!(parts.switches.iter().all(|s| s.ports == ports));
        let more = kinds::parse(&format!("fat-tree:{},{ports},3", hosts + 1)).unwrap_err();
        assert!(
            more.to_string().contains(&format!("to {} hosts", shared::text::grouped(hosts.into()))),
            "{more}"
        );
    }
}

/// Table 3 of "Insights into DeepSeek-V3" (arXiv 2505.09343), for switches with 64 ports: endpoints, switches, links between
/// switches. Its Slim Fly has order 28, which is no power of a prime: see the test in `slim_fly.rs`.
#[test]
fn networks_of_table_3_have_its_counts() {
    let table = [
        ("fat-tree:2048,64,2", 2048, 96, 2048),
        ("fat-tree:65536,64,3", 65_536, 5120, 131_072),
        ("dragonfly:32,16,511", 261_632, 16_352, 384_272),
    ];
    for (text, hosts, switches, links) in table {
        let parts = read(text).parts();
        assert_eq!(
            (parts.hosts, parts.switch_count(), parts.cables - parts.nis),
            (hosts, switches, links),
            "{text}"
        );
        assert!(parts.switches.iter().all(|part| part.ports <= 64), "{text}");
    }
    // MPFT: eight planes of the two-layer fat tree. An endpoint of the table is a NIC.
    let planes = read("planes:8,fat-tree:2048,64,2").parts();
    assert_eq!((planes.nis, planes.switch_count(), planes.cables - planes.nis), (16_384, 768, 16_384));
}

/// Tables of the Slim Fly paper (Besta and Hoefler 2014, table II and section V) and of the PolarFly paper (Lakhotia et al. 2022,
/// table V): switches, links of each, hosts.
#[test]
fn networks_of_diameter_2_have_published_counts() {
    let table =
        [("slim-fly:19", 722, 29, 722 * 15), ("slim-fly:5", 50, 7, 200), ("polarfly:31", 993, 32, 993 * 16)];
    for (text, switches, degree, hosts) in table {
        let parts = read(text).parts();
        let each = hosts / switches;
        assert_eq!(
            (parts.hosts, parts.switches[0].count, parts.switches[0].ports - each),
            (hosts, switches, degree),
            "{text}"
        );
    }
}

#[test]
fn two_links_suffice_in_slim_fly_and_polarfly() {
    let slim = [3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27].map(|q| format!("slim-fly:{q},1"));
    let polar = [2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 25, 27].map(|q| format!("polarfly:{q},1"));
    for text in slim.iter().chain(&polar) {
        let fabric = built(text);
        let (_, links) = switches_of(&fabric);
        let switches = fabric.switches.len();
        let mut near = vec![Vec::new(); switches];
        for &(a, b) in &links {
            near[a].push(b);
            near[b].push(a);
        }
        for from in 0..switches {
            let mut reached = vec![false; switches];
            reached[from] = true;
            for &next in &near[from] {
                assert!(near[from].iter().filter(|&&other| other == next).count() == 1, "{text}: twice");
                reached[next] = true;
                near[next].iter().for_each(|&far| reached[far] = true);
            }
            assert!(reached.into_iter().all(|reached| reached), "{text}: {from}");
        }
    }
}

#[test]
fn a_seed_draws_one_jellyfish() {
    let (one, again, other) =
        (built("jellyfish:98,9,1,5"), built("jellyfish:98,9,1,5"), built("jellyfish:98,9,2,5"));
    assert_eq!(one, again);
    assert_ne!(one, other);
    let (_, links) = switches_of(&one);
    assert_eq!(links.iter().collect::<HashSet<_>>().len(), links.len());
    assert!(links.iter().all(|(a, b)| a != b));
}

#[test]
fn every_example_of_the_list_is_accepted_and_written_back() {
    for entry in KINDS {
        assert_eq!(read(entry.example).text(), entry.example);
        assert!(entry.form.starts_with(entry.name));
    }
}

#[test]
fn networks_have_names_that_people_use() {
    let cases = [
        ("planes:8,switch:64", "8 rails, one 64-port switch each"),
        ("planes:2,hub:16", "2 rails, one 16-port hub each"),
        ("switch:16", "one 16-port switch"),
        ("fat-tree:128,8,3,2", "fat tree, 3 levels, 1:2"),
        ("planes:4,fat-tree:128,8,3", "fat tree, 3 levels, 1:1, 4 planes"),
        ("tree:768,24,2", "tree, 24 hosts and 2 uplinks per leaf"),
        ("tree:96,24,4,1", "tree, 24 hosts and 4 uplinks per leaf, 1 root"),
        ("rail-clos:64,8,64,2", "rail-optimised Clos, 8 rails, 2 levels, 1:1"),
        ("rail:16x8", "rail-only, 8 rails, 16 domains"),
        ("direct", "one cable"),
        ("host-torus:4x4", "torus of hosts, 4x4"),
        ("torus:4x4x2,3", "3D torus, 4x4x2 switches, 3 hosts each"),
        ("mesh:8x8", "2D mesh, 8x8 switches, 1 host each"),
        ("pmesh:24x12,1x2", "P-Mesh, 24x12 hosts, 1 or 2 rows per switch"),
        ("pmesh:24x24,2", "P-Mesh, 24x24 hosts, 2 rows per switch"),
        ("hyperx:8", "full mesh of 8 switches, 8 hosts each"),
        ("hyperx:4x4,2,3", "HyperX, 4x4 switches, 2 links per pair, 3 hosts each"),
        ("dragonfly:8,4,5,4", "Dragonfly, 5 groups of 8 switches, 4 hosts each"),
        ("slim-fly:5,4,151", "Slim Fly, 50 switches, up to 4 hosts each"),
        ("hamming-mesh:2x2,4x4", "HammingMesh, 4x4 boards of 2x2 hosts"),
        ("file:own.txt", "network of own.txt"),
        ("planes:2,file:own.txt", "planes:2,file:own.txt"),
        ("nonsense", "nonsense"),
    ];
    for (text, name) in cases {
        assert_eq!(kinds::name_of(text), name);
    }
    for entry in KINDS {
        let name = read(entry.example).name();
        assert!(!name.contains(':') || name.contains(", 1:"), "{name}");
        assert_eq!(kinds::name_of(entry.example), name);
    }
}

#[test]
fn every_kind_is_fitted_built_and_routed() {
    let mut fitted: HashMap<&str, u32> = HashMap::new();
    for (hosts, nics) in (2..=64).map(|hosts| (hosts, 1)).chain((2..=64).map(|hosts| (hosts, 3))) {
        let limits = Limits { ports: 48, trunk_ports: 48, hub_ports: 48, leaf: 24, uplinks: 2, nics };
        for fit in fit(hosts, &limits) {
            let Ok(kind) = fit.kind else { continue };
            let text = kind.text();
            let name = KINDS
                .iter()
                .find(|entry| text.starts_with(&format!("{}:", entry.name)) || text == entry.name);
            let name = name.unwrap().name;
            let plane = text.split_once(',').map_or("", |(_, plane)| plane);
            assert!([name, plane.split(':').next().unwrap()].contains(&fit.entry.name), "{text}");
            let fabric = built(&text);
            assert_eq!(fabric.hosts, hosts, "{text}");
            fabric.check().unwrap();
            if name == "planes" || name == "rail-clos" {
                assert_eq!(kind.parts().nis, u64::from(hosts * nics), "{text}");
            }
            let routing = kind.routing().unwrap_or_else(|| Box::new(Minimal::of(&fabric).unwrap()));
            for (to, choice) in (1..hosts).flat_map(|to| (0..routing.choices(0, to)).map(move |c| (to, c))) {
                assert_eq!(end(&fabric, &*routing, to, choice), to, "{text}");
            }
            assert!((1..hosts).all(|to| routing.choices(0, to) > 0), "{text}");
            *fitted.entry(name).or_default() += 1;
        }
    }
    let missing: Vec<_> =
        KINDS.iter().filter(|entry| !fitted.contains_key(entry.name)).map(|entry| entry.name).collect();
    assert!(missing.is_empty(), "never fitted: {missing:?}");
}

/// The end of a path from host 0.
fn end(fabric: &Fabric, routing: &dyn Routing, to: u32, choice: u32) -> u32 {
    let mut channels = Vec::new();
    routing.path(0, to, choice, &mut channels);
    let ends = channels.iter().map(|&channel| fabric.channel_ends(channel));
    ends.fold(0, |at, (from, next)| if from == at { next } else { u32::MAX })
}

#[test]
fn the_widest_switches_fit_without_overflow() {
    let limits =
        Limits { ports: 4096, trunk_ports: 4096, hub_ports: 4096, leaf: 4096, uplinks: 4096, nics: 1 };
    for hosts in [2, 4096, 4097, 1 << 20] {
        assert!(fit(hosts, &limits).len() >= KINDS.len());
    }
    assert_eq!(read("fat-tree:1000000,4096,2").parts().hosts, 1_000_000);
    assert!(kinds::parse("fat-tree:1000000,4096,6").is_err());
}

#[test]
fn sides_are_read_with_every_sign_for_times() {
    for text in ["pmesh:4x3", "pmesh:4X3", "pmesh:4×3", "pmesh: 4 x 3 "] {
        assert_eq!(read(text).text(), "pmesh:4x3");
    }
}

#[test]
fn what_is_no_network_is_told_with_what_would_do() {
    let cases = [
        ("ring:4", "`host-torus`"),
        ("switch:", "hosts from 1 to"),
        ("switch:0", "hosts from 1 to"),
        ("switch:4,5", "nothing after the last parameter, not \"5\""),
        ("direct:3", "2 hosts"),
        // A number that is missing between others is no number further on.
        ("tree:768,,2", "hosts per leaf from 1 to 4,096"),
        ("tree:768,24,", "uplinks per leaf from 1 to 4,096"),
        ("pmesh:4x4,", "a number after the comma"),
        ("torus:99999999999x2", "at most 1,048,576 positions in all"),
        ("tree:24,24,2", "1 to 23 hosts per leaf"),
        ("tree:48,24,4,3", "divides the 4 uplinks"),
        ("fat-tree:8,8,2,9", "fewer than 8 hosts"),
        ("fat-tree:4,8,2", "5 to 32 hosts"),
        ("host-torus:4x1", "sides of at least 2, not 1"),
        ("host-torus:4*4", "sides such as 8x8"),
        ("mesh:2000x2000", "at most 1,048,576 positions"),
        ("rail:1x8", "of at least 2"),
        ("rail:65536x65536", "of at least 2"),
        ("myrinet:18,4", "18 hosts with 5, 6 or 9"),
        ("slim-fly:6", "a power of a prime, such as 5 or 7"),
        ("polarfly:10", "such as 9 or 11"),
        ("dragonfly:4,2,10", "2 to 9 groups"),
        ("dragonfly:4,2,9,2,36", "37 to 72 hosts with 2 per switch"),
        ("hyperx:1x4", "sides of at least 2, not 1"),
        ("jellyfish:9,3", "an even number of switches"),
        ("jellyfish:4,4", "3 to 3 links per switch"),
        ("rail-clos:4,8,8,3", "more than 8 ports for 8 NICs"),
        ("rail-clos:9,2,8,2,9", "fewer than 8 hosts per uplink"),
        ("rail-clos:1000000,64,4096,6", "fewer than 6 levels for 4096 ports"),
        ("hyperx:4x4x1", "not 1 (dimension 3)"),
        ("hamming-mesh:2x2", "sides such as"),
        ("hamming-mesh:2x2x2,4x4", "two sides each"),
        ("planes:2,planes:2,switch:4", "not of planes itself"),
        ("planes:2", "not of planes itself"),
        ("planes:1,switch:4", "planes from 2 to 64"),
        ("planes:2,switch:0", "hosts from 1 to"),
    ];
    for (text, expected) in cases {
        let fault = kinds::parse(text).unwrap_err().to_string();
        assert!(fault.contains(text) && fault.contains(expected), "{fault}");
    }
    let fault = kinds::build(&*read("full:65536"), SPEEDS).unwrap_err().to_string();
    assert!(fault.contains("2,147,450,880 links; at most 16,777,216 can be built."), "{fault}");
}

/// Ways to put switches on two sides: hosts on the first side, and links between the sides.
fn cuts(hosts_on: &[u32], links: &[(usize, usize)]) -> impl Iterator<Item = (u32, u32)> {
    (0u32..1 << hosts_on.len()).map(move |side| {
        let here = (0..hosts_on.len()).filter(|s| side >> s & 1 == 1).map(|s| hosts_on[s]).sum();
        (here, links.iter().filter(|&&(a, b)| (side >> a ^ side >> b) & 1 == 1).count() as u32)
    })
}

/// Min links between switches whose hosts, all of each, are halves: what the paper counts.
fn least_between_switches(hosts_on: &[u32], links: &[(usize, usize)]) -> u32 {
    let half = hosts_on.iter().sum::<u32>() / 2;
    cuts(hosts_on, links).filter(|&(here, _)| here == half).map(|(_, links)| links).min().unwrap()
}

/// Min links between halves of the hosts, those of hosts on another side than their switch included.
fn least_cut(hosts_on: &[u32], links: &[(usize, usize)]) -> u32 {
    let half = hosts_on.iter().sum::<u32>() / 2;
    cuts(hosts_on, links).map(|(here, links)| links + here.abs_diff(half)).min().unwrap()
}

fn switches_of(fabric: &Fabric) -> (Vec<u32>, Vec<(usize, usize)>) {
    let mut hosts_on = vec![0; fabric.switches.len()];
    let mut links = Vec::new();
    for link in &fabric.links {
        match link.ends.map(|node| node.checked_sub(fabric.hosts)) {
            [None, Some(switch)] => hosts_on[switch as usize] += 1,
            [Some(a), Some(b)] => links.push((a as usize, b as usize)),
            _ => panic!("a link between hosts"),
        }
    }
    (hosts_on, links)
}

#[test]
fn the_clusters_have_the_bisections_they_are_named_after() {
    for (hosts, bisection) in MYRINETS {
        let fabric = built(&format!("myrinet:{hosts},{bisection}"));
        let (hosts_on, links) = switches_of(&fabric);
        assert_eq!(least_between_switches(&hosts_on, &links), bisection, "{hosts} hosts");
        // No network of hosts with one link has more than half as many: all switches may stay on one side.
        assert_eq!(least_cut(&hosts_on, &links), bisection.min(hosts / 2), "{hosts} hosts");
    }
}

#[test]
fn the_reconstructions_say_what_is_true_of_other_graphs() {
    let pairs = |switches: usize| -> Vec<(usize, usize)> {
        (0..switches).flat_map(|a| (a + 1..switches).map(move |b| (a, b))).collect()
    };
    // Two dual switches: no more than 4 with four hosts on each switch and up to 8 links, doubled ones included.
    let all = pairs(4);
    let mut most = 0;
    for counts in 0..3u32.pow(6) {
        let times = |pair: usize| (counts / 3u32.pow(pair as u32) % 3) as usize;
        let links: Vec<_> = (0..6).flat_map(|pair| std::iter::repeat_n(all[pair], times(pair))).collect();
        let ports = |s| 4 + links.iter().filter(|&&(a, b)| a == s || b == s).count();
        if (0..4).all(|s| ports(s) <= 8) {
            most = most.max(least_between_switches(&[4; 4], &links));
        }
    }
    assert_eq!(most, 4);
    // Three dual switches with 18 hosts: fewer than nine links have a bisection below 5.
    let all = pairs(6);
    let best = (0..1u32 << 15).filter(|graph| graph.count_ones() == 8).map(|graph| {
        let links: Vec<_> = (0..15).filter(|pair| graph >> pair & 1 == 1).map(|pair| all[pair]).collect();
        least_between_switches(&[3; 6], &links)
    });
    assert_eq!(best.max(), Some(4));
}
