//! P-Meshes with dead parts: packets are forwarded by the exported tables over what the cable list leaves alive, and who is out of
//! reach is held against a search of its own.

use shared::{
    design::Faults,
    exports::{Bundle, Settings, fabrics},
    fabric::kinds,
};
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    net::Ipv4Addr,
};

fn try_export(kind: &str, name: &str, number: u32, dead: &str) -> Result<String, String> {
    let kind = kinds::parse(kind).map_err(|fault| fault.to_string())?;
    let format = fabrics(&*kind).get(name).map_err(|error| error.to_string())?;
    let choice = format!("dead={dead}");
    let heeds = format.has_setting("dead");
    let settings = Settings::read(format, heeds.then_some(&*choice)).map_err(|e| e.to_string())?;
    let bundle = Bundle::fabric(kind.into()).with(settings);
    let mut text = String::new();
    bundle.render(format, Some(number), &mut text).map_err(|error| error.to_string())?;
    Ok(text)
}

fn export(kind: &str, name: &str, number: u32, dead: &str) -> String {
    try_export(kind, name, number, dead).unwrap_or_else(|error| panic!("{kind} {name} {dead}: {error}"))
}

fn rows(csv: &str) -> impl Iterator<Item = Vec<&str>> {
    csv.lines().skip(1).map(|line| line.split(',').collect())
}

fn network(text: &str) -> (u32, u32) {
    let (address, prefix) = text.split_once('/').unwrap();
    (address.parse::<Ipv4Addr>().unwrap().to_bits(), prefix.parse().unwrap())
}

/// An entry: network, prefix, NI, next address.
type Route = (u32, u32, u32, Option<u32>);

/// A P-Mesh as its tables tell, with what is dead.
struct Machine {
    hosts: u32,
    nis: u32,
    /// The switch of each live NI.
    live: BTreeMap<(u32, u32), u32>,
    /// Of each address, the host and the NI.
    at: BTreeMap<u32, (u32, u32)>,
    dead: Faults,
    /// Of each host.
    routes: Vec<Vec<Route>>,
}

impl Machine {
    fn new(kind: &str, dead: &str) -> Machine {
        let faults = Faults::read(dead).unwrap();
        let (mut hosts, mut nis, mut live) = (0, 0, BTreeMap::new());
        for row in rows(&export(kind, "cables", 0, dead)) {
            let [host, ni, switch] = [0, 1, 2].map(|cell| row[cell].parse::<u32>().unwrap());
            (hosts, nis) = (hosts.max(host + 1), nis.max(ni + 1));
            let cut = faults.switches.contains(&switch) || faults.nis.contains(&(host, ni));
            if !cut && !faults.pes.contains(&host) {
                live.insert((host, ni), switch);
            }
        }
        let at = rows(&export(kind, "addresses", 0, dead))
            .map(|row| {
                let address = row[3].parse::<Ipv4Addr>().unwrap().to_bits();
                (address, (row[0].parse().unwrap(), row[2].parse().unwrap()))
            })
            .collect();
        let mut routes = vec![Vec::new(); hosts as usize];
        for row in rows(&export(kind, "routes", 0, dead)) {
            let (first, prefix) = network(row[1]);
            let via = row[3].parse::<Ipv4Addr>().ok().map(Ipv4Addr::to_bits);
            routes[row[0].parse::<usize>().unwrap()].push((first, prefix, row[2].parse().unwrap(), via));
        }
        Machine { hosts, nis, live, at, dead: faults, routes }
    }

    fn address(&self, host: u32, ni: u32) -> u32 {
        *self.at.iter().find(|(_, own)| **own == (host, ni)).unwrap().0
    }

    /// The hosts that a packet passes by the tables; `None` where one has no entry.
    fn forward(&self, from: u32, goal: u32) -> Option<Vec<(u32, u32)>> {
        let (to, _) = self.at[&goal];
        let (mut at, mut way) = (from, Vec::new());
        while at != to {
            let fits =
                |&&(first, prefix, ..): &&Route| (first ^ goal).checked_shr(32 - prefix).unwrap_or(0) == 0;
            let entry = self.routes[at as usize].iter().filter(fits).max_by_key(|(_, prefix, ..)| *prefix)?;
            let (_, _, ni, via) = *entry;
            let (next, next_ni) = self.at[&via.unwrap_or(goal)];
            assert_eq!(next_ni, ni, "handed to the address of the same dimension");
            let (own, other) = (self.live.get(&(at, ni)), self.live.get(&(next, ni)));
            assert!(own.is_some() && own == other, "{at} to {next} over NI {ni}: dead, or no common switch");
            way.push((ni, next));
            assert!(way.len() <= self.hosts as usize, "round in circles: {way:?}");
            at = next;
        }
        Some(way)
    }

    /// Steps from every host to one, over live parts.
    fn distances(&self, to: u32) -> BTreeMap<u32, usize> {
        let mut members: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        self.live.iter().for_each(|((host, _), switch)| members.entry(*switch).or_default().push(*host));
        let (mut near, mut queue) = (BTreeMap::from([(to, 0)]), VecDeque::from([to]));
        while let Some(host) = queue.pop_front() {
            let steps = near[&host] + 1;
            for switch in (0..self.nis).filter_map(|ni| self.live.get(&(host, ni))) {
                for &other in &members[switch] {
                    near.entry(other).or_insert_with(|| {
                        queue.push_back(other);
                        steps
                    });
                }
            }
        }
        near
    }

    /// Sends from every live host to every address of every other; returns how many pairs have no way.
    fn check(&self, kind: &str, told: &Told) -> usize {
        let (mut lost, alive) = (0, |host: u32| !self.dead.pes.contains(&host));
        let rows_alone = !kind.contains(',');
        for to in 0..self.hosts {
            let near = self.distances(to);
            for from in (0..self.hosts).filter(|&from| from != to) {
                if !(alive(from) && alive(to)) {
                    assert_eq!(told.losses.get(&(from, to)).map(|row| &*row.0), Some("failed node"));
                    assert!(!told.paths.contains_key(&(from, to)));
                    continue;
                }
                let ways: Vec<_> =
                    (0..self.nis).map(|ni| self.forward_or_lost(from, self.address(to, ni), &near)).collect();
                let Some(main) = ways.last().unwrap() else {
                    lost += 1;
                    assert!(ways.iter().all(Option::is_none) && !told.paths.contains_key(&(from, to)));
                    assert_eq!(told.losses[&(from, to)].0, "nothing", "{from} to {to}");
                    continue;
                };
                if rows_alone {
                    let steps = near[&from];
                    assert!(ways.iter().all(|way| way.as_ref().unwrap().len() == steps), "{ways:?}: {steps}");
                }
                let through: Vec<_> =
                    main.iter().rev().skip(1).rev().map(|(_, next)| next.to_string()).collect();
                assert_eq!(told.paths[&(from, to)], through.join(" "), "{from} to {to}");
                if let Some((left, through)) = told.losses.get(&(from, to)) {
                    assert_eq!((&**left, through), ("through", &told.paths[&(from, to)]));
                }
            }
        }
        lost
    }

    fn forward_or_lost(&self, from: u32, goal: u32, near: &BTreeMap<u32, usize>) -> Option<Vec<(u32, u32)>> {
        if near.contains_key(&from) {
            let way = self.forward(from, goal);
            assert!(way.is_some(), "{from} has no entry for {}", Ipv4Addr::from_bits(goal));
            return way;
        }
        None
    }
}

/// What tables tell of pairs: the hosts that hand on; and of losses, what is left.
struct Told {
    paths: BTreeMap<(u32, u32), String>,
    losses: BTreeMap<(u32, u32), (String, String)>,
}

impl Told {
    fn new(kind: &str, dead: &str) -> Told {
        let pair = |row: &[&str]| (row[0].parse().unwrap(), row[1].parse().unwrap());
        let (paths, losses) = (export(kind, "paths", 0, dead), export(kind, "losses", 0, dead));
        Told {
            paths: rows(&paths).map(|row| (pair(&row), row[2].to_owned())).collect(),
            losses: rows(&losses).map(|row| (pair(&row), (row[2].to_owned(), row[3].to_owned()))).collect(),
        }
    }
}

fn check(kind: &str, dead: &str) -> usize {
    Machine::new(kind, dead).check(kind, &Told::new(kind, dead))
}

#[test]
fn one_dead_switch_cuts_nobody_off() {
    for (kind, switches) in [("pmesh:4x4", 8), ("pmesh:3x5", 8), ("pmesh:2x3x2", 16), ("pmesh:4x4,2", 4)] {
        for switch in 0..switches {
            assert_eq!(check(kind, &format!("sw{switch}")), 0, "{kind} without switch {switch}");
        }
    }
}

/// Section 4: "two switch failures will, at most, result in the loss of a single node".
#[test]
fn two_dead_switches_cut_off_the_host_on_both_and_nobody_else() {
    for a in 0..8 {
        for b in a + 1..8 {
            let lost = check("pmesh:4x4", &format!("sw{a} sw{b}"));
            // Ways to that host and from it.
            let expected = if (a < 4) == (b < 4) { 0 } else { 2 * 15 };
            assert_eq!(lost, expected, "switches {a} and {b}");
        }
    }
}

#[test]
fn dead_nis_and_hosts_are_gone_round() {
    assert_eq!(check("pmesh:4x4", "node5.nic0 node5.nic1"), 2 * 15);
    assert_eq!(check("pmesh:4x4", "node5.nic0 node6.nic1 node0"), 0);
    assert_eq!(check("pmesh:3x3x3", "sw0 sw9 node13.nic2 node1 node26.nic0"), 0);
    // One dimension has no other way.
    assert_eq!(check("pmesh:5", "node3.nic0"), 2 * 4);
    assert_eq!(check("pmesh:5", "sw0"), 5 * 4);
}

#[test]
fn other_rows_of_a_switch_help_where_rows_alone_do_not() {
    // All along dimension 1 is dead: one switch of dimension 0 covers two of the four rows each.
    assert_eq!(check("pmesh:3x4,2x1", "sw2 sw3 sw4"), 2 * 6 * 6);
    assert_eq!(check("pmesh:3x4,4x1", "sw1 sw2 sw3"), 0);
    let script = export("pmesh:3x4,4x1", "script", 0, "sw1 sw2 sw3");
    assert!(script.contains(" onlink\n"), "{script}");
}

/// Many dead parts, drawn by a small generator.
#[test]
fn whatever_is_dead_nothing_is_lost_that_live_parts_join() {
    let mut state = 1u64;
    let mut draw = |below: u32| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32 % below
    };
    let (mut lost, mut cases) = (0, 0);
    for (kind, hosts, nis, switches) in [
        ("pmesh:4x4", 16, 2, 8),
        ("pmesh:2x5", 10, 2, 7),
        ("pmesh:3x2x3", 18, 3, 21),
        ("pmesh:2x2x2x2", 16, 4, 32),
        ("pmesh:4x4,3", 16, 2, 4),
        ("pmesh:3x3x2,2x1x4", 18, 3, 12),
    ] {
        for _ in 0..12 {
            let mut dead: BTreeSet<String> = BTreeSet::new();
            for _ in 0..draw(hosts / 2) + 1 {
                dead.insert(match draw(3) {
                    0 => format!("sw{}", draw(switches)),
                    1 => format!("pe{}", draw(hosts)),
                    _ => format!("pe{}.ni{}", draw(hosts), draw(nis)),
                });
            }
            lost += check(kind, &dead.into_iter().collect::<Vec<_>>().join(" "));
            cases += 1;
        }
    }
    assert!(lost > 0 && cases == 72, "some parts cut hosts off: {lost}");
}

#[test]
fn scripts_say_what_the_routing_table_says_and_who_is_out_of_reach() {
    let (kind, dead) = ("pmesh:4x4", "sw1 sw6 node0.nic1");
    let table = export(kind, "routes", 0, dead);
    for host in 0..16 {
        let script = export(kind, "script", host, dead);
        let (_, rest) = script.split_once("\nroutes() {\n    cat <<'END'\n").unwrap();
        let told: BTreeSet<_> = rest.split_once("END\n").unwrap().0.lines().map(str::to_owned).collect();
        let own = rows(&table).filter(|row| row[0] == host.to_string() && !row[3].is_empty());
        assert_eq!(told, own.map(|row| format!("{} {} {}", row[1], row[3], row[2])).collect(), "{host}");
        assert!(script.contains("\n# Failed, routed around: sw01 sw06 node000.nic1.\n"), "{script}");
        // Host 6 is on switch 1 of dimension 0 and on switch 6 of dimension 1.
        let lost = script.lines().find(|line| line.starts_with("# Unreachable")).unwrap();
        let expected: Vec<_> = (0..16).filter(|&other| other != 6).map(|o| format!("node{o:03}")).collect();
        let expected = if host == 6 { expected.join(" ") } else { "node006".into() };
        assert_eq!(lost, format!("# Unreachable: {expected}."));
    }
    assert!(!export(kind, "script", 3, "").contains("Failed"), "nothing has failed");
    let gone = export(kind, "script", 5, "node5");
    assert!(gone.contains("\nNEIGHBOURS=0\n"), "{gone}");
}

#[test]
fn what_cannot_be_dead_is_told() {
    let refused = |kind: &str, dead: &str| try_export(kind, "routes", 0, dead).unwrap_err();
    for (message, words) in [
        (refused("pmesh:4x4", "sw8"), "there is no switch 8; switches are 0 to 7"),
        (refused("pmesh:4x4", "node16"), "there is no node 16; nodes are 0 to 15"),
        (refused("pmesh:4x4", "node3.nic2"), "node 3 has no NIC 2; its NICs are 0 to 1"),
        (refused("pmesh:4x4", "cable7"), "\"cable7\" is not a switch (such as sw03)"),
        (refused("pmesh:80x80", "sw0"), "up to 2,048 nodes, and this network has 6,400."),
    ] {
        assert!(message.contains(words), "{message}");
    }
    assert!(try_export("pmesh:80x80", "cables", 0, "").is_ok());
}
