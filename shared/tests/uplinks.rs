//! Exports of wirings whose switches are joined by uplink switches: addresses, routing of switches, and routes of nodes.

use crate::common::{spec, wiring};
use serde_json::Value;
use shared::exports::{Bundle, FileScope, Settings, format};
use std::{
    collections::{BTreeMap, BTreeSet},
    net::Ipv4Addr,
    sync::Arc,
};

const TABLE: &str = "0: 0 1 2 3\n1: 4 5 6 7\n2: 0 1 4 5\n3: 2 3 6 7\n";

/// A spec with its wiring.
struct Machine {
    text: String,
    table: String,
}

impl Machine {
    /// Returns exports with settings of a format.
    fn with(&self, name: &str, choices: &[&str]) -> Bundle {
        let (spec, demand) = spec(&self.text);
        let design = wiring(&self.table, spec.pes);
        let bundle = Bundle::new(Arc::new(spec), &*self.text, Arc::new(demand), Arc::new(design));
        bundle.with(Settings::read(format(name).unwrap(), choices.iter().copied()).unwrap())
    }
}

/// Eight nodes on four switches, of which 8 pairs share none.
fn machine(links: u32, more: &str) -> Machine {
    let text = format!(
        "pes = 8\nnis_per_pe = 2\n{more}[[switch]]\nports = {}\ncount = 4\n[[pattern]]\nkind = \"ring\"\n",
        4 + links
    );
    bundle(&text, TABLE)
}

fn bundle(text: &str, table: &str) -> Machine {
    Machine { text: text.into(), table: table.into() }
}

/// The cases: one cable each; a bond; bonds to two uplink switches; a set per plane; one of the wiring's own switches.
fn cases() -> [(&'static str, Machine); 5] {
    let folded = "pes = 8\nnis_per_pe = 2\n[uplink]\nkind = \"folded\"\nlinks = 2\nspares = 1\n[[switch]]\nports = 6\n\
                  count = 4\n[[switch]]\nports = 12\ncount = 1\n[[pattern]]\nkind = \"ring\"\n";
    [
        ("one", machine(1, "[uplink]\nlinks = 1\nspares = 2\n")),
        ("bond", machine(2, "[uplink]\nlinks = 2\n")),
        ("two bonds", machine(4, "[uplink]\nlinks = 4\nports = 8\n")),
        ("rail", machine(2, "rail = true\n[uplink]\nlinks = 2\nports = 2\n")),
        (
            "folded",
            bundle(
                folded,
                &format!("{TABLE}4: 0 6\n").replace("0: 0 1", "0: 1").replace("1: 4 5 6 7", "1: 4 5 7"),
            ),
        ),
    ]
}

fn render(machine: &Machine, name: &str, part: Option<u32>, choices: &[&str]) -> String {
    let mut text = String::new();
    let written = machine.with(name, choices).render(format(name).unwrap(), part, &mut text);
    written.unwrap_or_else(|error| panic!("{name}: {error}"));
    text
}

/// Files of a format of several, one after the other.
fn files(machine: &Machine, name: &str, part: Option<u32>, choices: &[&str]) -> String {
    let mut text = String::new();
    let each = |name: &str, content: &[u8]| {
        text += &format!("# {name}\n{}", String::from_utf8_lossy(content));
        Ok::<_, shared::exports::ExportError>(())
    };
    machine
        .with(name, choices)
        .files(format(name).unwrap(), part, each)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    text
}

/// A switch as its SONiC tables say.
struct Switch {
    asn: u64,
    gateway: Option<String>,
    /// Own addresses of links, with the interface.
    links: BTreeMap<Ipv4Addr, String>,
    /// AS number by the address of the other end.
    neighbours: BTreeMap<Ipv4Addr, u64>,
    bonds: BTreeMap<String, usize>,
}

fn switches(bundle: &Machine, choices: &[&str]) -> Vec<Switch> {
    let count = bundle.with("sonic", &[]).count(format("sonic").unwrap());
    let switch = |number| {
        let tables: Value = serde_json::from_str(&render(bundle, "sonic", Some(number), choices)).unwrap();
        let keys = |table: &str| -> Vec<String> {
            tables[table].as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect()
        };
        let addressed = |table: &str| -> Vec<(String, String)> {
            let pair = |key: &String| key.split_once('|').map(|(a, b)| (a.to_owned(), b.to_owned()));
            keys(table).iter().filter_map(pair).collect()
        };
        let links = [addressed("INTERFACE"), addressed("PORTCHANNEL_INTERFACE")].concat();
        let mut bonds = BTreeMap::new();
        for (bond, _) in addressed("PORTCHANNEL_MEMBER") {
            *bonds.entry(bond).or_insert(0) += 1;
        }
        let neighbour = |(key, value): (&String, &Value)| {
            (key.parse().unwrap(), value["asn"].as_str().unwrap().parse().unwrap())
        };
        Switch {
            asn: tables["DEVICE_METADATA"]["localhost"]["bgp_asn"].as_str().unwrap().parse().unwrap(),
            gateway: addressed("VLAN_INTERFACE").pop().map(|(_, address)| address),
            links: links
                .iter()
                .map(|(port, address)| (address.strip_suffix("/31").unwrap().parse().unwrap(), port.clone()))
                .collect(),
            neighbours: tables["BGP_NEIGHBOR"].as_object().unwrap().iter().map(neighbour).collect(),
            bonds,
        }
    };
    (0..count).map(switch).collect()
}

/// The other end of a link.
fn other(address: Ipv4Addr) -> Ipv4Addr {
    Ipv4Addr::from_bits(address.to_bits() ^ 1)
}

/// Paths of AS numbers by which each switch knows each subnet, as BGP spreads them: shortest ones, without its own number.
fn spread(switches: &[Switch]) -> Vec<BTreeMap<String, Vec<Vec<u64>>>> {
    let at =
        |address: Ipv4Addr| switches.iter().position(|switch| switch.links.contains_key(&address)).unwrap();
    let mut known: Vec<BTreeMap<String, Vec<Vec<u64>>>> = switches
        .iter()
        .map(|switch| switch.gateway.iter().map(|subnet| (subnet.clone(), vec![vec![]])).collect())
        .collect();
    loop {
        let mut next = known.clone();
        for (number, switch) in switches.iter().enumerate() {
            for &address in switch.links.keys() {
                let peer = at(other(address));
                for (subnet, paths) in &known[peer] {
                    let path: Vec<u64> = [&[switches[peer].asn], &paths[0][..]].concat();
                    let own = next[number].entry(subnet.clone()).or_default();
                    let shortest = own.iter().map(Vec::len).min().unwrap_or(usize::MAX);
                    if path.contains(&switch.asn) || path.len() > shortest {
                        continue;
                    }
                    own.retain(|other| other.len() <= path.len());
                    own.push(path);
                }
            }
            for paths in next[number].values_mut() {
                paths.sort();
                paths.dedup();
            }
        }
        if next == known {
            return known;
        }
        known = next;
    }
}

/// Every link has two ends with each other's AS number, and BGP leads from every switch of a set to every other over one uplink switch.
#[test]
fn switches_route_to_each_other_over_one_uplink_switch() {
    for (case, bundle) in cases() {
        let switches = switches(&bundle, &[]);
        let (links, bonds) = match case {
            "one" => (1, 0),
            "bond" => (1, 2),
            "two bonds" => (2, 2),
            "rail" => (2, 0),
            _ => (1, 2),
        };
        let leaves = 4;
        for (number, switch) in switches.iter().enumerate() {
            assert_eq!(switch.links.len(), switch.neighbours.len(), "{case} {number}");
            for (&address, port) in &switch.links {
                let peer = switches.iter().find(|peer| peer.links.contains_key(&other(address))).unwrap();
                assert_eq!(switch.neighbours[&other(address)], peer.asn, "{case} {number} {port}");
            }
            if number < leaves {
                assert_eq!(switch.links.len(), links, "{case} {number}");
                assert!(switch.bonds.len() == if bonds > 0 { links } else { 0 }, "{case} {number}");
                assert!(switch.bonds.values().all(|&ports| ports == bonds), "{case} {number}");
            }
        }
        let known = spread(&switches);
        for from in 0..leaves {
            let same = |to: &usize| case != "rail" || from / 2 == to / 2;
            let reached = (0..leaves).filter(same).map(|to| switches[to].gateway.clone().unwrap());
            for subnet in reached.filter(|subnet| Some(subnet) != switches[from].gateway.as_ref()) {
                let paths = &known[from][&subnet];
                assert!(paths.iter().all(|path| path.len() == 2), "{case} {from} {subnet}: {paths:?}");
            }
            let sets = if case == "rail" { 2 } else { 4 };
            let more = usize::from(case == "one" || case == "folded");
            assert_eq!(known[from].len(), sets + more, "{case} {from}");
        }
    }
}

/// No two devices have the same address, whatever the plan of addresses, and all are in the network.
#[test]
fn addresses_of_routers_are_those_of_no_node() {
    for (case, bundle) in cases() {
        for choices in
            [&[][..], &["network=192.168.0.0/16"], &["network=192.168.0.0/24"], &["avoid=10.0.0.0/9"]]
        {
            let switches = switches(&bundle, choices);
            let mut seen: BTreeSet<Ipv4Addr> = BTreeSet::new();
            let mut take = |address: Ipv4Addr| {
                assert!(seen.insert(address), "{case} {choices:?}: {address} twice");
                let inside = match choices.first() {
                    None => address.octets()[0] == 10,
                    Some(choice) if choice.starts_with("avoid") => address.octets()[1] >= 128,
                    Some(_) => address.octets()[0] == 192,
                };
                assert!(inside, "{case} {choices:?}: {address}");
            };
            for switch in &switches {
                switch.links.keys().copied().for_each(&mut take);
                let gateway = switch.gateway.iter().map(|gateway| gateway.split_once('/').unwrap().0);
                gateway.map(|address| address.parse().unwrap()).for_each(&mut take);
            }
            for pe in 0..8 {
                let text = render(&bundle, "hosts", Some(pe), choices);
                let own = text.lines().skip_while(|line| !line.ends_with(" itself")).skip(1);
                let own = own.take_while(|line| !line.is_empty());
                own.map(|line| line.split(' ').next().unwrap().parse().unwrap()).for_each(&mut take);
            }
        }
    }
}

/// In every form a node has a route to all others, and none over other nodes.
#[test]
fn nodes_reach_the_others_over_their_gateways() {
    let one = machine(1, "[uplink]\nlinks = 1\n");
    let networkd = files(&one, "rdma-networkd", Some(0), &[]);
    for route in [
        "[Route]\nDestination=10.0.0.0/14\nGateway=10.0.255.254\nPreferredSource=10.0.0.1\nTable=1000\n",
        "[Route]\nDestination=10.0.0.0/14\nGateway=10.2.255.254\nPreferredSource=10.2.0.1\nTable=1001\n",
    ] {
        assert!(networkd.contains(route), "{networkd}");
    }
    let netplan = files(&one, "rdma-netplan", Some(0), &[]);
    assert!(
        netplan.contains("- {to: 10.0.0.0/14, via: 10.2.255.254, from: 10.2.0.1, table: 1001}"),
        "{netplan}"
    );
    let keyfiles = files(&one, "rdma-networkmanager", Some(0), &[]);
    assert!(keyfiles.contains("route2=10.0.0.0/14,10.0.255.254\nroute2_options=table=1000,src=10.0.0.1\n"));

    // One address per node is that of its first NIC.
    let names = render(&one, "names", None, &[]);
    assert!(names.contains("10.0.0.1 node000\n") && names.contains("10.1.0.8 node007\n"), "{names}");
    let script = render(&one, "multipath", Some(0), &[]);
    assert!(script.contains("\n10.0.0.0/14 0@10.0.255.254 1@10.2.255.254\n"), "{script}");
    assert!(script.contains("\n0 10.0.0.1/16 ") && script.contains("\n1 10.2.0.1/16 "), "{script}");
    assert!(!script.contains("FORWARD") && !script.contains(" via 10."), "{script}");
    let lo = files(&one, "networkd", Some(0), &[]);
    assert!(lo.contains("MultiPathRoute=10.0.255.254@eth0\nMultiPathRoute=10.2.255.254@eth1\n"), "{lo}");
    assert!(!lo.contains("forwarding"), "{lo}");
    let frr = files(&one, "frr", Some(0), &[]);
    assert!(
        frr.contains("ip route 10.0.0.0/14 10.0.255.254 eth0\nip route 10.0.0.0/14 10.2.255.254 eth1\n"),
        "{frr}"
    );
    assert!(!frr.contains("through"), "{frr}");
    let basic = render(&one, "script", Some(0), &[]);
    assert!(basic.contains("\n10.0.0.0/14 0@10.0.255.254 1@10.2.255.254\n"), "{basic}");
    let hosts = render(&one, "hosts", Some(0), &[]);
    assert!(
        hosts.contains("# Nodes over uplink switches: 2\n10.1.0.7 node006\n10.1.0.8 node007\n"),
        "{hosts}"
    );

    // Each plane has networks of its own.
    let rail = machine(2, "rail = true\n[uplink]\nlinks = 2\nports = 2\n");
    let script = render(&rail, "multipath", Some(0), &[]);
    for line in ["\n10.0.0.0/15 0@10.0.255.254\n", "\n10.2.0.0/15 1@10.2.255.254\n"] {
        assert!(script.contains(line), "{script}");
    }
}

#[test]
fn tables_of_pairs_have_the_way_over_uplink_switches() {
    let two = machine(4, "[uplink]\nlinks = 4\nports = 8\n");
    let routes = render(&two, "routes", None, &[]);
    assert!(routes.starts_with("pe,to,ni,to_ni,switch,requested,uplinks,to_switch\n"), "{routes}");
    assert!(
        routes.contains("\n0,2,0,0,0,no,,\n") && routes.contains("\n0,6,0,0,0,no,uplink0 uplink1,1\n"),
        "{routes}"
    );
    assert_eq!(routes.lines().count(), 1 + 8 * 7);
    let paths = render(&two, "paths", None, &[]);
    assert!(paths.contains("\n0,6,0,,,,no,uplink0 uplink1\n"), "{paths}");
    let subnets = render(&two, "subnets", None, &[]);
    assert!(subnets.contains("\n0: . 2 0 0 2 2 ^ ^\n"), "{subnets}");
    let through = render(&two, "through", None, &[]);
    assert!(through.contains("\n6,0,0,,uplink0 uplink1\n"), "{through}");
    let losses = render(&two, "losses", None, &["failed=sw00"]);
    assert!(losses.contains(",uplinks,,\n") && !losses.contains(",through,"), "{losses}");
    let relays = render(&two, "relays", None, &[]);
    assert!(relays.lines().skip(1).all(|line| line.ends_with(",0")), "{relays}");
    let rail = machine(2, "rail = true\n[uplink]\nlinks = 2\nports = 2\n");
    let routes = render(&rail, "routes", None, &["failed=sw00"]);
    assert!(routes.contains("\n0,6,1,1,2,no,uplink2 uplink3,3\n"), "{routes}");
}

#[test]
fn nodes_that_forward_nothing_need_an_uplink_for_pairs_apart() {
    let text = "pes = 8\nnis_per_pe = 2\nforwarding = false\n[[switch]]\nports = 4\ncount = 4\n[[pattern]]\nkind = \"all-pairs\"\n";
    let apart = bundle(text, TABLE);
    let error = |choices: &[&str]| {
        let written = apart.with("multipath", choices).render(
            format("multipath").unwrap(),
            Some(0),
            &mut String::new(),
        );
        written.unwrap_err().to_string()
    };
    let why = error(&[]);
    assert!(
        why.contains("node000\u{2013}node006, node000\u{2013}node007, node001\u{2013}node006 (and 5 more)"),
        "{why}"
    );
    assert!(why.contains("add [uplink] with links = 1"), "{why}");
    assert!(error(&["through=all"]).contains("set forwarding = true"));
    let through = render(&apart, "through", None, &[]);
    assert!(through.contains("\n6,0,unreachable,\n"), "{through}");
    let ring = text.replace("all-pairs", "ring");
    let covered = bundle(&ring, "0: 0 1 2 3\n1: 4 5 6 7\n2: 0 7 3 4\n3: 1 2 5 6\n");
    assert!(render(&covered, "multipath", Some(0), &[]).contains("FORWARD=0\n"));
}

#[test]
fn infiniband_switches_of_a_set_are_one_subnet() {
    let rail = machine(2, "rail = true\n[uplink]\nlinks = 2\nports = 2\n");
    let opensm = files(&rail, "opensm", None, &[]);
    assert_eq!(opensm.matches("routing_engine updn\n").count(), 4, "{opensm}");
    assert!(opensm.contains("\nplane0,0xfec0000000000001,8,") && opensm.contains("\nplane1,"), "{opensm}");
    let bond = machine(2, "[uplink]\nlinks = 2\n");
    let topology = render(&bond, "ibnetdiscover", Some(4), &[]);
    assert_eq!(topology.matches("\nswitchguid=").count(), 5, "{topology}");
    assert_eq!(topology.matches("\ncaguid=").count(), 16, "{topology}");
    assert!(topology.contains("[5]\t\"S-0201000000000004\"[1]\t\t# \"uplink\" lid 0\n"), "{topology}");
    assert!(topology.contains("[1]\t\"S-0201000000000000\"[5]\t\t# \"sw00\" lid 0\n"), "{topology}");
    assert_eq!(format("ibnetdiscover").unwrap().each, FileScope::Switch);
    let topo = render(&bond, "topo", None, &["system-type=MQM8700"]);
    assert!(topo.contains("\nMQM8700 sw00\n") && topo.contains("\nMQM8700 uplink\n"), "{topo}");
    assert!(topo.contains("   P5 -> MQM8700 uplink P1\n"), "{topo}");
    assert!(topo.contains("   P1 -> MQM8700 sw00 P5\n"), "{topo}");
    let table = render(&bond, "p2p", None, &[]);
    let (cables, uplinks) = (render(&bond, "cables", None, &[]), table.matches(",uplink,").count());
    assert_eq!(table.lines().count(), cables.lines().count(), "{table}");
    assert!(uplinks > 0 && table.contains(",,sw00,5,,,uplink,1\n"), "{table}");
}

/// Every dialect has the bond, its addresses and its neighbour.
#[test]
fn every_dialect_bonds_and_routes() {
    let bond = machine(2, "[uplink]\nlinks = 2\n");
    for (dialect, lines) in [
        (
            "eos",
            &[
                "interface Port-Channel1\n   description sw01 to uplink\n   no switchport\n   mtu 9214\n   ip address 10.4.0.3/31\n",
                "   channel-group 1 mode active\n",
                "interface Vlan1\n   mtu 9214\n   ip address 10.1.255.254/16\n",
                "router bgp 4200001001\n   router-id 10.4.0.9\n",
                "   neighbor 10.4.0.2 remote-as 4200000000\n",
                "   network 10.1.0.0/16\n",
            ][..],
        ),
        (
            "nxos",
            &[
                "feature bgp\nfeature interface-vlan\nfeature lacp\n",
                "interface port-channel1\n  description sw01 to uplink\n  no switchport\n  mtu 9216\n  ip address 10.4.0.3/31\n",
                "  channel-group 1 mode active\n",
                "  neighbor 10.4.0.2\n    remote-as 4200000000\n",
            ],
        ),
        (
            "nvue",
            &[
                "      bond1:\n        type: bond\n",
                "            swp5: {}\n            swp6: {}\n",
                "              10.4.0.2:\n                type: numbered\n                remote-as: 4200000000\n",
                "      vlan1:\n        type: svi\n        vlan: 1\n",
            ],
        ),
        (
            "linux-switch",
            &[
                "bond bond1 'sw01 to uplink' swp5 swp6\nip address replace 10.4.0.3/31 dev bond1\n",
                "net/ipv4/conf/br0/rp_filter=0\nip address replace 10.1.255.254/16 dev br0\n",
                "ip route replace unreachable 10.0.0.0/14 metric 100000\n",
            ],
        ),
    ] {
        let text = render(&bond, dialect, Some(1), &[]);
        lines.iter().for_each(|line| assert!(text.contains(line), "{dialect} lacks {line}: {text}"));
    }
    let frr = files(&bond, "frr-switch", Some(1), &[]);
    assert!(
        frr.contains(" neighbor 10.4.0.2 remote-as 4200000000\n") && frr.contains("  network 10.1.0.0/16\n")
    );
}
