//! Files of meshes and tori with VLANs and of P-Meshes: frames and packets are forwarded here by nothing but what the files say.

use shared::{
    exports::{Bundle, FileScope, Format, Settings, fabrics},
    fabric::kinds,
};
use std::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    net::Ipv4Addr,
};

fn format(kind: &str, name: &str) -> &'static Format {
    let kind = kinds::parse(kind).unwrap_or_else(|fault| panic!("{fault}"));
    fabrics(&*kind).get(name).unwrap_or_else(|error| panic!("{error}"))
}

fn try_all(kind: &str, name: &str, with: &[&str]) -> Result<Vec<String>, String> {
    let kind = kinds::parse(kind).map_err(|fault| fault.to_string())?;
    let format = fabrics(&*kind).get(name).map_err(|error| error.to_string())?;
    let settings = Settings::read(format, with.iter().copied()).map_err(|error| error.to_string())?;
    let bundle = Bundle::fabric(kind.into()).with(settings);
    let render = |number| {
        let mut text = String::new();
        bundle.render(format, Some(number), &mut text).map_err(|error| error.to_string())?;
        Ok(text)
    };
    (0..bundle.count(format)).map(render).collect()
}

fn all(kind: &str, name: &str, with: &[&str]) -> Vec<String> {
    try_all(kind, name, with).unwrap_or_else(|error| panic!("{kind} {name}: {error}"))
}

fn one(kind: &str, name: &str, with: &[&str]) -> String {
    let [text] = &all(kind, name, with)[..] else { panic!("{name} is several files") };
    text.clone()
}

/// The words of each line that a function of a script prints.
fn lines<'a>(script: &'a str, function: &str) -> Vec<Vec<&'a str>> {
    let begin = format!("\n{function}() {{\n    cat <<'END'\n");
    let (_, rest) = script.split_once(&begin).unwrap_or_else(|| panic!("no {function} in {script}"));
    let (lines, _) = rest.split_once("END\n").expect("an end");
    lines.lines().map(|line| line.split(' ').collect()).collect()
}

fn variable<'a>(script: &'a str, name: &str) -> &'a str {
    let begin = format!("{name}=");
    let line = script.lines().find_map(|line| line.strip_prefix(&begin));
    line.unwrap_or_else(|| panic!("no {name}")).trim_matches('\'')
}

fn rows(csv: &str) -> impl Iterator<Item = Vec<&str>> {
    csv.lines().skip(1).map(|line| line.split(',').collect())
}

/// A switch as its script sets it up.
struct Bridge {
    members: BTreeSet<(String, u32)>,
    hosts: BTreeMap<(u32, String), String>,
}

impl Bridge {
    fn of(script: &str) -> Bridge {
        let mut members = BTreeSet::new();
        for words in lines(script, "members") {
            for range in &words[1..] {
                let (first, last) = range.split_once('-').unwrap_or((range, range));
                let vlans = first.parse::<u32>().unwrap()..=last.parse().unwrap();
                members.extend(vlans.map(|vlan| (words[0].to_owned(), vlan)));
            }
        }
        let mut hosts = BTreeMap::new();
        for words in lines(script, "hosts") {
            let key = (words[0].parse().unwrap(), words[1].to_owned());
            assert!(hosts.insert(key, words[2].to_owned()).is_none(), "{words:?} twice");
        }
        Bridge { members, hosts }
    }
}

/// Sends a frame from every host to every other in the VLAN and to the MAC address that its script tells, and follows it through
/// switches that forward as their scripts tell.
fn frames_arrive(kind: &str, method: &str) {
    let with = [&*format!("method={method}")];
    let cables = one(kind, "cables", &[]);
    let mut ends = BTreeMap::new();
    for row in rows(&cables) {
        let [a, b] = [(row[0], row[1]), (row[2], row[3])];
        assert!(ends.insert(a, b).is_none() && ends.insert(b, a).is_none(), "{row:?}: a port twice");
    }
    let named = |scripts: Vec<String>| {
        scripts
            .into_iter()
            .map(|script| (variable(&script, "HOST").to_owned(), script))
            .collect::<BTreeMap<_, _>>()
    };
    let (hosts, switches) = (named(all(kind, "script", &with)), named(all(kind, "bridge", &with)));
    let bridges: BTreeMap<_, _> =
        switches.iter().map(|(name, script)| (&**name, Bridge::of(script))).collect();
    let names = one(kind, "names", &[]);
    let host_at: BTreeMap<&str, &str> =
        names.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' ')).collect();
    assert_eq!(host_at.len(), hosts.len());
    let paths = one(kind, "paths", &with);
    let told: BTreeMap<(&str, &str), (&str, &str)> =
        rows(&paths).map(|row| ((row[0], row[1]), (row[2], row[3]))).collect();
    let mut sent = 0;
    for (from, script) in &hosts {
        for words in lines(script, "neighbours") {
            let (vlan, to) = (words[0].strip_prefix("0_").unwrap(), host_at[words[1]]);
            let has_vlan = |script: &str| variable(script, "VLANS").split(' ').any(|own| own == vlan);
            assert!(
                has_vlan(script) && has_vlan(&hosts[to]),
                "{from} and {to} have an interface of VLAN {vlan}"
            );
            assert_eq!(variable(&hosts[to], "MAC"), words[2]);
            assert_eq!(variable(&hosts[to], "ADDRESS"), words[1]);
            let number: u32 = vlan.parse().unwrap();
            let (mut at, mut port) = ends[&(from.as_str(), "eth0")];
            let mut on_way = Vec::new();
            while at != to {
                let bridge = &bridges[at];
                on_way.push(at);
                assert!(on_way.len() <= bridges.len(), "{from} to {to}: round in circles");
                assert!(bridge.members.contains(&(port.to_owned(), number)), "{from} to {to}: {at} drops it");
                let out = &bridge.hosts[&(number, words[2].to_owned())];
                assert!(
                    bridge.members.contains(&(out.clone(), number)) && out != port,
                    "{from} to {to}: {at}"
                );
                (at, port) = ends[&(at, out.as_str())];
            }
            assert_eq!(told[&(from.as_str(), to)], (vlan, &*on_way.join(" ")), "{from} to {to}");
            sent += 1;
        }
    }
    assert_eq!(sent, hosts.len() * (hosts.len() - 1));
    assert_eq!(sent, told.len());
}

#[test]
fn frames_arrive_by_what_scripts_of_hosts_and_switches_say() {
    for kind in
        ["mesh:4x4", "torus:4x4", "torus:3x3", "mesh:3x2,2", "torus:3x5,3", "torus:3x3x3", "mesh:4x3x2,2"]
    {
        for method in ["dor", "partial-dor"] {
            frames_arrive(kind, method);
        }
    }
    frames_arrive("mesh:5,2", "dor");
}

/// The VLANs that a line of IOS puts on a trunk.
fn allowed(line: &str) -> Vec<u32> {
    let Some(list) = line.strip_prefix(" switchport trunk allowed vlan ") else { return Vec::new() };
    let ranges = list.strip_prefix("add ").unwrap_or(list).split(',');
    let vlans = ranges.flat_map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        first.parse::<u32>().unwrap()..=last.parse().unwrap()
    });
    vlans.collect()
}

/// The host of a switch at the end of a ring of three takes every second VLAN.
#[test]
fn no_line_of_ios_is_longer_than_it_takes() {
    let of = |name: &str| {
        let kind = kinds::parse("torus:3x16x16").unwrap();
        let bundle = Bundle::fabric(kind.into());
        let mut text = String::new();
        bundle.render(format("torus:3x16x16", name), Some(2), &mut text).unwrap();
        text
    };
    let (ios, bridge) = (of("ios"), Bridge::of(&of("bridge")));
    assert!(ios.lines().all(|line| line.len() <= 254), "{:?}", ios.lines().map(str::len).max());
    assert!(ios.contains(" vlan add "), "a list that takes several lines");
    for (number, port) in ios.split("interface GigabitEthernet1/0/").skip(1).take(6).enumerate() {
        let name = format!("swp{}", number + 1);
        let own: Vec<u32> =
            bridge.members.iter().filter(|(port, _)| *port == name).map(|(_, vlan)| *vlan).collect();
        let (first, rest) = port.split_once("allowed vlan ").unwrap();
        assert!(!first.contains("add") && !rest.starts_with("add"), "the first list replaces what was there");
        assert_eq!(port.lines().flat_map(allowed).collect::<Vec<_>>(), own, "{name}");
    }
}

#[test]
fn ios_shares_no_vlans_and_names_its_tags_where_it_is_told() {
    let ios = all("mesh:2x2", "ios", &[]);
    assert!(ios.iter().all(|text| text.contains("\nvtp mode transparent\nvlan 2-3\n")));
    assert!(ios.iter().all(|text| !text.lines().any(|line| line.starts_with(" switchport trunk encap"))));
    for text in all("mesh:2x2", "ios", &["encapsulation=dot1q"]) {
        let trunks = text.matches(" switchport trunk encapsulation dot1q\n switchport mode trunk\n").count();
        assert_eq!(trunks, 3, "{text}");
    }
}

/// Configurations for IOS have the members and entries of the Linux commands.
#[test]
fn ios_says_what_linux_does() {
    for (bridge, ios) in all("torus:3x3,2", "bridge", &[]).iter().zip(all("torus:3x3,2", "ios", &[])) {
        let bridge = Bridge::of(bridge);
        let dotted = |mac: &str| {
            let digits: String = mac.split(':').collect();
            format!("{}.{}.{}", &digits[..4], &digits[4..8], &digits[8..])
        };
        let entries: BTreeSet<String> = bridge
            .hosts
            .iter()
            .map(|((vlan, mac), port)| {
                let port = port.strip_prefix("swp").unwrap();
                format!(
                    "mac address-table static {} vlan {vlan} interface GigabitEthernet1/0/{port}",
                    dotted(mac)
                )
            })
            .collect();
        let told = ios.lines().filter(|line| line.starts_with("mac ")).map(str::to_owned);
        assert_eq!(told.collect::<BTreeSet<_>>(), entries);
        let mut port = "";
        let mut members = BTreeSet::new();
        for line in ios.lines() {
            if let Some(number) = line.strip_prefix("interface GigabitEthernet1/0/") {
                port = number;
            }
            members.extend(allowed(line).into_iter().map(|vlan| (format!("swp{port}"), vlan)));
        }
        assert_eq!(members, bridge.members);
    }
    let (ios, undo) = (all("mesh:2x2", "ios", &[]), all("mesh:2x2", "ios-undo", &[]));
    let lines = |text: &str, begin: &str| text.lines().filter(|line| line.starts_with(begin)).count();
    assert_eq!(lines(&ios[0], "mac "), lines(&undo[0], "no mac "));
    assert_eq!(lines(&ios[0], "interface "), lines(&undo[0], "default interface "));
}

/// A P-Mesh's host as its script sets it up.
struct Host {
    name: String,
    addresses: Vec<(Ipv4Addr, u32)>,
    neighbours: BTreeSet<(usize, Ipv4Addr)>,
    routes: Vec<(Ipv4Addr, u32, Ipv4Addr, usize)>,
}

fn network(text: &str) -> (Ipv4Addr, u32) {
    let (address, prefix) = text.split_once('/').unwrap();
    (address.parse().unwrap(), prefix.parse().unwrap())
}

fn holds((first, prefix): (Ipv4Addr, u32), address: Ipv4Addr) -> bool {
    (first.to_bits() ^ address.to_bits()).checked_shr(32 - prefix).unwrap_or(0) == 0
}

impl Host {
    fn of(script: &str) -> Host {
        Host {
            name: variable(script, "HOST").to_owned(),
            addresses: lines(script, "nis").iter().map(|words| network(words[1])).collect(),
            neighbours: lines(script, "neighbours")
                .iter()
                .map(|words| (words[0].parse().unwrap(), words[1].parse().unwrap()))
                .collect(),
            routes: lines(script, "routes")
                .iter()
                .map(|words| {
                    let (first, prefix) = network(words[0]);
                    (first, prefix, words[1].parse().unwrap(), words[2].parse().unwrap())
                })
                .collect(),
        }
    }

    /// Where a packet goes next: the neighbour's address and the NI.
    fn next(&self, to: Ipv4Addr) -> (Ipv4Addr, usize) {
        let own =
            self.addresses.iter().enumerate().filter(|(_, own)| holds(**own, to)).map(|(ni, _)| (to, ni));
        let routes = self.routes.iter().filter(|(first, prefix, ..)| holds((*first, *prefix), to));
        let all: Vec<_> = own.chain(routes.map(|&(_, _, via, ni)| (via, ni))).collect();
        let [(next, ni)] = all[..] else { panic!("{}: {all:?} for {to}", self.name) };
        assert!(self.neighbours.contains(&(ni, next)), "{} knows no neighbour {next} on NI {ni}", self.name);
        (next, ni)
    }
}

#[test]
fn packets_arrive_by_what_scripts_of_p_meshes_say() {
    let rooms: [(&str, &[&str]); 5] = [
        ("pmesh:4x4", &[]),
        ("pmesh:2x3x2", &["network=192.168.0.0/16"]),
        ("pmesh:5x3", &["room=30x30", "avoid=10.0.0.0/24"]),
        ("pmesh:2x2x2x2", &[]),
        ("pmesh:6", &[]),
    ];
    for (kind, with) in rooms {
        let hosts: Vec<Host> = all(kind, "script", with).iter().map(|script| Host::of(script)).collect();
        let dimensions = hosts[0].addresses.len();
        let at: BTreeMap<Ipv4Addr, &Host> = hosts
            .iter()
            .flat_map(|host| host.addresses.iter().map(move |&(address, _)| (address, host)))
            .collect();
        assert_eq!(at.len(), hosts.len() * dimensions, "{kind}: addresses are distinct");
        let main: Vec<&str> = with.iter().copied().filter(|with| !with.starts_with("interface")).collect();
        let names = one(kind, "names", &main);
        let named: BTreeMap<&str, Ipv4Addr> = names
            .lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split_once(' ').map(|(address, name)| (name, address.parse().unwrap())))
            .collect();
        let paths = one(kind, "paths", &[]);
        let mut pairs = 0;
        for row in rows(&paths) {
            let (from, to): (usize, usize) = (row[0].parse().unwrap(), row[1].parse().unwrap());
            let goal = named[hosts[to].name.as_str()];
            let (mut host, mut through, mut nis) = (&hosts[from], Vec::new(), Vec::new());
            loop {
                let (next, ni) = host.next(goal);
                host = at[&next];
                nis.push(ni);
                if host.name == hosts[to].name {
                    break;
                }
                through.push(hosts.iter().position(|other| other.name == host.name).unwrap().to_string());
                assert!(through.len() < dimensions, "{kind}: {row:?} through {through:?}");
            }
            assert!(nis.is_sorted(), "{kind}: {row:?}: in dimension order");
            assert_eq!(through.join(" "), row[2], "{kind}: {row:?}");
            pairs += 1;
        }
        assert_eq!(pairs, hosts.len() * (hosts.len() - 1));
    }
}

#[test]
fn addresses_stay_where_they_are_while_a_p_mesh_grows() {
    let (small, large) = (one("pmesh:3x2", "addresses", &["room=8x8"]), one("pmesh:8x8", "addresses", &[]));
    let of = |text: &str| {
        let row = |row: Vec<&str>| ((row[1].to_owned(), row[2].to_owned()), row[3].to_owned());
        rows(text).map(row).collect::<BTreeMap<_, _>>()
    };
    let (small, large) = (of(&small), of(&large));
    assert!(small.iter().all(|(key, address)| large.get(key) == Some(address)));
    assert_eq!(small.len(), 12);
}

#[test]
fn every_format_writes_what_it_says() {
    for kind in ["mesh:3x2", "torus:3x4,2", "pmesh:3x2", "pmesh:3x2,2"] {
        for format in fabrics(&*kinds::parse(kind).unwrap()).iter() {
            let files = all(kind, format.name, &[]);
            assert_eq!(files.len() > 1, format.each != FileScope::Whole, "{kind} {}", format.name);
            for text in files {
                // Nothing is lost where nothing is dead.
                let least = if format.name == "losses" { 1 } else { 2 };
                let lines = text.lines().count();
                assert!(text.ends_with('\n') && lines >= least, "{kind} {}: {text}", format.name);
            }
        }
    }
    assert_eq!(format("mesh:3x2", "script").each, FileScope::Node);
}

#[test]
fn what_a_network_does_not_admit_is_refused_with_what_it_does() {
    let refused = |kind: &str, name: &str, with: &[&str]| try_all(kind, name, with).unwrap_err();
    for (message, words) in [
        (
            refused("hub:8", "links", &[]),
            "hub:8 has a hub, whose ports share one medium; lists of links have switches only",
        ),
        (refused("hub:8", "script", &[]), "there is no format \"script\". Formats are `links`, `graphml`"),
        (
            refused("full:2048", "links", &[]),
            "full:2048: 2,096,128 links; exports of links support up to 1,048,576",
        ),
        (refused("mesh:4x4", "routes", &[]), "`script`, `bridge`, `ios`"),
        (refused("torus:8x8", "ios", &["most-vlans=8"]), "8x8 by dor needs 16 VLANs; the limit is 8"),
        (
            refused("mesh:8x8", "script", &["first-vlan=4088"]),
            "8 VLANs from 4088 on end at 4095; use 1 to 4087.",
        ),
        (
            refused("mesh:4x4", "ios", &["first-vlan=1000"]),
            "IOS reserves VLAN 1002: 1 and 1002 to 1005 are its own; these 4 fit from 2 on.",
        ),
        (refused("mesh:4x4", "ios", &["first-vlan=1"]), "IOS reserves VLAN 1: 1 and "),
        (refused("mesh:4x4", "ios", &["encapsulation=isl"]), "must be one of `none`, `dot1q`, not `isl`."),
        (
            refused("mesh:4x4", "bridge", &["port=GigabitEthernet1/0/"]),
            "Linux does not accept the port name GigabitEthernet1/0/",
        ),
        (refused("mesh:4x4", "bridge", &["port=abcdefghijklmno"]), "up to 14 characters without /"),
        (refused("mesh:6", "script", &["method=partial-dor"]), "use dor"),
        (
            refused("mesh:4x4", "names", &["method=dor"]),
            "method: names has no such setting; its settings are `network`, `avoid`.",
        ),
        (refused("mesh:4x4", "vlans", &["method=xy"]), "must be one of `dor`, `partial-dor`, not `xy`."),
        (refused("mesh:4x4", "vlans", &["method=dor", "method=dor"]), "given twice"),
        (refused("mesh:40x40", "script", &[]), "1600 switches; exports support up to 1024"),
        (refused("mesh:2x512", "bridge", &[]), "(max 32,000,000); choose sides"),
        (refused("pmesh:4x4", "script", &["room=8x2"]), "must have 2 sides, none smaller than in 4x4."),
        (refused("pmesh:64x64", "script", &["network=192.168.0.0/24"]), "and 256 are free"),
    ] {
        assert!(message.contains(words), "{message}");
    }
}

/// A topology file as ns-3 reads it: counts and rows of numbers.
struct Simulated {
    head: Vec<String>,
    switches: Vec<usize>,
    /// Ends, Gb/s, ns.
    links: Vec<(usize, usize, f64, f64)>,
}

impl Simulated {
    fn of(text: &str) -> Simulated {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let mut lines = text.lines();
        let head = words(lines.next().unwrap());
        let switches = lines.next().unwrap().split(' ').map(|word| word.parse().unwrap()).collect();
        let unit = |word: &str, unit| word.strip_suffix(unit).unwrap().parse().unwrap();
        let link = |line: &str| {
            let words = words(line);
            assert_eq!((words.len(), &*words[4]), (5, "0"), "{line}");
            let end = |at: usize| words[at].parse().unwrap();
            (end(0), end(1), unit(&words[2], "Gbps"), unit(&words[3], "ns"))
        };
        Simulated { head, switches, links: lines.map(link).collect() }
    }

    /// Links and delay of the shortest path; nodes that are no switches forward nothing.
    fn path(&self, from: usize, to: usize) -> Option<(u32, f64)> {
        let mut reached = BTreeMap::from([(from, (0, 0.0))]);
        let mut next = vec![from];
        while !reached.contains_key(&to) && !next.is_empty() {
            for node in std::mem::take(&mut next) {
                let (hops, delay) = reached[&node];
                for &(a, b, _, more) in self.links.iter().filter(|link| link.0 == node || link.1 == node) {
                    let other = if a == node { b } else { a };
                    if let Entry::Vacant(vacant) = reached.entry(other) {
                        vacant.insert((hops + 1, delay + more));
                        next.extend(self.switches.contains(&other).then_some(other));
                    }
                }
            }
        }
        reached.get(&to).copied()
    }
}

#[test]
fn topologies_of_ns_3_have_the_speeds_and_latencies_of_the_market() {
    // Two leaves of four hosts with two cables to each of two roots: parallel links are one of their total speed.
    let tree = Simulated::of(&one("tree:8,4,4,2", "astra-sim", &["market=100g"]));
    assert_eq!(tree.head, ["12", "4", "12"]);
    assert_eq!(tree.switches, [8, 9, 10, 11]);
    assert_eq!(
        tree.links.iter().filter(|link| link.0 >= 8 && link.2 == 200.0).count(),
        4,
        "{:?}",
        tree.links
    );
    let market = shared::compare::market::preset("100g").unwrap().market();
    let latency = |switches: f64| (market.model.latency + switches * market.model.switch_latency) * 1e3;
    let close = |(_, delay): (u32, f64), switches: f64| (delay - latency(switches)).abs() < 1e-6;
    assert!(close(tree.path(0, 1).unwrap(), 1.0));
    assert!(close(tree.path(0, 7).unwrap(), 3.0), "{:?} {}", tree.path(0, 7), latency(3.0));

    // GPU i of every node is on rail i; the NVSwitch of a node reaches all of its GPUs, and forwards to no other node.
    let rails = Simulated::of(&one("planes:4,switch:3", "simai", &["gpu=A100", "nvlink=2400"]));
    assert_eq!(rails.head, ["19", "4", "3", "4", "24", "A100"]);
    assert_eq!(rails.switches, (12..19).collect::<Vec<_>>());
    assert_eq!(rails.path(0, 3).unwrap(), (2, 50.0));
    assert_eq!(rails.path(0, 4).unwrap().0, 2);
    assert_eq!(rails.path(0, 5), None, "another rail");
    assert_eq!(rails.links.iter().filter(|link| link.2 == 2400.0).count(), 12);

    let forward = ["host-torus:4x4", "hamming-mesh:1x1,4x4", "rail:4x2", "direct"]
        .map(|kind| (kind, "ns-3 supports only hosts that have links to switches and don't forward"));
    for (kind, told) in [("hub:8", "has a hub")].into_iter().chain(forward) {
        for name in ["astra-sim", "simai"] {
            let error = try_all(kind, name, &[]).unwrap_err();
            assert!(error.contains(told), "{kind} {name}: {error}");
        }
    }
}
