//! The forms in which a network is set up, read back and held against the wiring and against each other.

use crate::common::{spec, wiring};
use shared::{
    design::{Design, NiTable},
    exports::{Bundle, ExportError, Settings, address::mac, format},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    net::Ipv4Addr,
    sync::Arc,
};

const SPEC: &str = "name = \"Lab\"\npes = 8\nnis_per_pe = 3\n[[switch]]\nports = 5\ncount = 6\n[[pattern]]\nkind = \"ring\"\n\
    [[pattern]]\nkind = \"hypercube\"\n";
/// Pairs share none, one or two switches.
const TABLE: &str = "0: 0 1 2 3\n1: 4 5 6 7\n2: 0 1 4 5\n3: 2 3 6 7\n4: 0 2 7\n5: 1 3 5\n";
const PES: u32 = 8;

fn lab(name: &str, choices: &[&str]) -> Bundle {
    let (spec, demand) = spec(SPEC);
    let settings = Settings::read(format(name).unwrap(), choices.iter().copied()).unwrap();
    Bundle::new(Arc::new(spec), SPEC, Arc::new(demand), Arc::new(design())).with(settings)
}

fn design() -> Design {
    wiring(TABLE, PES)
}

/// All files of a format by path; a single file has an empty path.
fn files(name: &str, choices: &[&str], pe: Option<u32>) -> BTreeMap<String, String> {
    let (bundle, format) = (lab(name, choices), format(name).unwrap());
    let mut files = BTreeMap::new();
    if format.is_several() {
        let each = |path: &str, text: &[u8]| {
            let twice = files.insert(path.to_owned(), String::from_utf8(text.to_vec()).unwrap());
            assert_eq!(twice, None, "{path} twice");
            Ok::<_, ExportError>(())
        };
        bundle.files(format, pe, each).unwrap();
    } else {
        let mut text = String::new();
        bundle.render(format, pe, &mut text).unwrap();
        files.insert(String::new(), text);
    }
    files
}

fn fault(name: &str, choices: &[&str]) -> String {
    let (bundle, format) = (lab(name, choices), format(name).unwrap());
    bundle.files(format, Some(0), |_, _| Ok::<_, ExportError>(())).unwrap_err().to_string()
}

/// What a PE's network is set to, whichever form says it.
#[derive(Debug, Default, PartialEq)]
struct Network {
    address: String,
    forwards: bool,
    /// NI, address, MAC address.
    neighbours: BTreeSet<(u32, String, String)>,
    /// Address, with the next PE's and the NIs on the way.
    routes: BTreeMap<String, (String, BTreeSet<u32>)>,
}

/// The lines of a function of a script.
fn lines<'a>(script: &'a str, function: &str) -> impl Iterator<Item = Vec<&'a str>> {
    let start = format!("\n{function}() {{\n    cat <<'END'\n");
    let (_, rest) = script.split_once(&start).unwrap();
    let (body, _) = rest.split_once("END\n").unwrap();
    body.lines().map(|line| line.split(' ').collect())
}

fn of_script(choices: &[&str], pe: u32) -> Network {
    let script = &files("multipath", choices, Some(pe))[""];
    let value = |name: &str| {
        let line = script.lines().find_map(|line| line.strip_prefix(&format!("{name}="))).unwrap();
        line.to_owned()
    };
    let neighbours =
        lines(script, "neighbours").map(|line| (line[0].parse().unwrap(), line[1].into(), line[2].into()));
    let routes = lines(script, "routes").map(|line| {
        let (next, nis) = if line[1] == "via" { (line[2], &line[3..]) } else { (line[0], &line[1..]) };
        (line[0].into(), (next.into(), nis.iter().map(|ni| ni.parse().unwrap()).collect()))
    });
    Network {
        address: value("ADDRESS"),
        forwards: value("FORWARD") == "1",
        neighbours: neighbours.collect(),
        routes: routes.collect(),
    }
}

/// Sections of a file of systemd with their lines.
fn sections(text: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut sections: Vec<(String, Vec<(String, String)>)> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.strip_prefix('[') {
            Some(name) => sections.push((name.strip_suffix(']').unwrap().into(), Vec::new())),
            None => {
                let (key, value) = line.split_once('=').unwrap();
                sections.last_mut().unwrap().1.push((key.into(), value.into()));
            }
        }
    }
    sections
}

fn of_networkd(choices: &[&str], pe: u32) -> Network {
    let mut network = Network::default();
    let mut metrics: BTreeMap<String, BTreeSet<(u32, u32)>> = BTreeMap::new();
    for (path, text) in files("networkd", choices, Some(pe)) {
        let name = path.rsplit_once('/').unwrap().1;
        if name == "90-crosspoint.conf" {
            network.forwards = text.contains(".forwarding = 1");
            assert!(text.contains("net.ipv4.fib_multipath_hash_policy = 1"));
            continue;
        }
        let interface = name.strip_prefix("10-crosspoint-").unwrap().strip_suffix(".network").unwrap();
        let ni = interface.strip_prefix("eth").map(|ni| ni.parse().unwrap());
        for (section, values) in sections(&text) {
            let get = |key: &str| values.iter().find(|(k, _)| k == key).map(|(_, value)| value.clone());
            match section.as_str() {
                "Address" => network.address = get("Address").unwrap().strip_suffix("/32").unwrap().into(),
                "Neighbor" => {
                    let neighbour = (ni.unwrap(), get("Address").unwrap(), get("LinkLayerAddress").unwrap());
                    assert!(network.neighbours.insert(neighbour));
                }
                "Route" => {
                    let to = get("Destination").unwrap().strip_suffix("/32").unwrap().to_owned();
                    if get("Metric").is_some() {
                        let metric = get("Metric").unwrap().parse().unwrap();
                        assert!(metrics.entry(to).or_default().insert((metric, ni.unwrap())));
                        continue;
                    }
                    let over = values.iter().filter(|(key, _)| key == "MultiPathRoute").map(|(_, value)| {
                        let (next, dev) = value.split_once('@').unwrap();
                        (next.to_owned(), dev.strip_prefix("eth").unwrap().parse().unwrap())
                    });
                    let over: Vec<(String, u32)> = over.collect();
                    let route = match over.first() {
                        Some((next, _)) => (next.clone(), over.iter().map(|(_, ni)| *ni).collect()),
                        None => (get("Gateway").unwrap_or_else(|| to.clone()), BTreeSet::from([ni.unwrap()])),
                    };
                    assert_eq!(network.routes.insert(to, route), None);
                }
                "Match" | "Link" | "Network" => {}
                other => panic!("[{other}]"),
            }
        }
    }
    // Every gateway of a route over several NIs is reached on each of them by itself.
    for (next, nis) in network.routes.values().filter(|(_, nis)| nis.len() > 1) {
        let alone: BTreeSet<u32> = metrics[next].iter().map(|(_, ni)| *ni).collect();
        assert_eq!(&alone, nis);
        assert_eq!(metrics[next].iter().map(|(metric, _)| *metric).max(), Some(nis.len() as u32));
    }
    network
}

fn address(pe: u32) -> String {
    format!("10.0.0.{}", pe + 1)
}

/// The PE of an address.
fn number(address: &str) -> u32 {
    address.strip_prefix("10.0.0.").unwrap().parse::<u32>().unwrap() - 1
}

/// Own NI and other's NI on each switch that two PEs share and that is not dead.
fn shared(nis: &NiTable, dead: &[u32], a: u32, b: u32) -> BTreeSet<(u32, u32)> {
    let ni = |pe, switch| nis.of(pe).iter().position(|&s| s == switch).unwrap() as u32;
    let alive = nis.shared(a, b).filter(|switch| !dead.contains(switch));
    alive.map(|switch| (ni(a, switch), ni(b, switch))).collect()
}

/// All PEs as the forms say they are set up, held against the wiring without its dead switches.
fn hold(all: &[Network], dead: &[u32]) {
    let nis = design().nis();
    for (pe, network) in (0..).zip(all) {
        assert_eq!(network.address, address(pe));
        let others = || (0..PES).filter(move |&other| other != pe);
        let expected = others().flat_map(|other| {
            shared(&nis, dead, pe, other)
                .into_iter()
                .map(move |(own, ni)| (own, address(other), mac(other, ni).to_string()))
        });
        assert_eq!(network.neighbours, expected.collect(), "PE {pe}");
        assert_eq!(network.routes.keys().map(|to| number(to)).collect::<BTreeSet<_>>(), others().collect());
        for (to, (next, over)) in &network.routes {
            let met = shared(&nis, dead, pe, number(next));
            assert_eq!(
                *over,
                met.iter().map(|&(own, _)| own).collect(),
                "PE {pe} to {to} over all switches at once"
            );
            if next != to {
                assert!(shared(&nis, dead, pe, number(to)).is_empty(), "PE {pe} to {to} through {next}");
                assert!(all[number(next) as usize].forwards, "PE {next} hands on");
            }
        }
        for to in others() {
            let (mut at, mut hops) = (pe, 0);
            while at != to {
                at = number(&all[at as usize].routes[&address(to)].0);
                hops += 1;
                assert!(hops < PES, "PE {pe} to {to} goes in circles");
            }
        }
    }
}

#[test]
fn every_pe_is_reached_over_all_shared_switches_or_through_others() {
    let scripts: Vec<Network> = (0..PES).map(|pe| of_script(&[], pe)).collect();
    hold(&scripts, &[]);
    assert!(scripts.iter().any(|network| network.routes.iter().any(|(to, (next, _))| to != next)));
    assert!(scripts.iter().any(|network| network.routes.values().any(|(_, over)| over.len() > 1)));
}

#[test]
fn networkd_sets_what_the_script_sets() {
    for choices in
        [&[][..], &["dead=sw2"], &["through=none"], &["through=requested"], &["dead=node3 node5.nic1"]]
    {
        for pe in 0..PES {
            let (script, mut networkd) = (of_script(choices, pe), of_networkd(choices, pe));
            // A PE without an NI has no interface to forward on.
            networkd.forwards |= script.forwards && script.neighbours.is_empty();
            assert_eq!(script, networkd, "PE {pe} with {choices:?}");
        }
    }
}

/// Routes to neighbours are there without BFD as well.
#[test]
fn frr_watches_the_routes_of_the_script() {
    for choices in
        [&[][..], &["dead=sw2"], &["through=none"], &["through=requested"], &["dead=node3 node5.nic1"]]
    {
        for pe in 0..PES {
            let (script, files) = (of_script(choices, pe), files("frr", choices, Some(pe)));
            let text = &files["etc/frr/frr.conf"];
            let (mut watched, mut others) = (BTreeMap::new(), BTreeMap::new());
            let address = |word: &str| word.strip_suffix("/32").unwrap().to_owned();
            let ni = |name: &str| name.strip_prefix("eth").unwrap().parse::<u32>().unwrap();
            for line in text.lines().filter_map(|line| line.strip_prefix("ip route ")) {
                let (route, to, next, over) = match line.split(' ').collect::<Vec<_>>()[..] {
                    [to, next, over, "onlink", "bfd", "source", own, "profile", "crosspoint"] => {
                        assert_eq!(own, script.address);
                        (&mut watched, address(to), next.to_owned(), over)
                    }
                    [to, over, "250"] => (&mut others, address(to), address(to), over),
                    _ => panic!("{line}"),
                };
                let (same, nis) = route.entry(to).or_insert_with(|| (next.clone(), BTreeSet::new()));
                assert!(*same == next && nis.insert(ni(over)), "{line}");
            }
            assert_eq!(watched, script.routes, "PE {pe} with {choices:?}");
            watched.retain(|to, (next, _)| to == next);
            assert_eq!(others, watched, "PE {pe} with {choices:?}");
            let networkd = self::files("networkd", choices, Some(pe));
            let sysctl = "etc/sysctl.d/90-crosspoint.conf";
            assert_eq!(files[sysctl], networkd[sysctl]);
        }
    }
}

#[test]
fn the_rest_of_a_machine_is_reached_around_dead_switches() {
    for switch in 0..6 {
        let choice = format!("dead=sw{switch}");
        let all: Vec<Network> = (0..PES).map(|pe| of_script(&[&choice], pe)).collect();
        hold(&all, &[switch]);
    }
}

#[test]
fn requested_pairs_alone_are_routed_through_others_where_that_is_chosen() {
    let (_, demand) = spec(SPEC);
    let nis = design().nis();
    for pe in 0..PES {
        let network = of_script(&["through=requested", "dead=sw2"], pe);
        let through = network.routes.iter().filter(|(to, (next, _))| to != &next).map(|(to, _)| number(to));
        let asked = |to: &u32| demand.higher_of(pe.min(*to)).contains(&pe.max(*to));
        let apart = |to: &u32| *to != pe && shared(&nis, &[2], pe, *to).is_empty();
        let expected: BTreeSet<u32> = (0..PES).filter(|to| apart(to) && asked(to)).collect();
        assert!(expected.is_subset(&through.collect()), "PE {pe}");
        let direct = of_script(&["through=none", "dead=sw2"], pe);
        assert!(direct.routes.iter().all(|(to, (next, _))| to == next) && !direct.forwards);
    }
}

#[test]
fn netplan_and_its_drop_ins_say_what_networkd_says() {
    for pe in 0..PES {
        let (networkd, netplan) = (files("networkd", &[], Some(pe)), files("netplan", &[], Some(pe)));
        let yaml = &netplan["etc/netplan/60-crosspoint.yaml"];
        for ni in 0..design().nis().of(pe).len() {
            let own = &networkd[&format!("etc/systemd/network/10-crosspoint-eth{ni}.network")];
            let drop_in =
                &netplan[&format!("etc/systemd/network/10-netplan-eth{ni}.network.d/crosspoint.conf")];
            let neighbours =
                |text| sections(text).into_iter().filter(|s| s.0 == "Neighbor").collect::<Vec<_>>();
            assert_eq!(neighbours(own), neighbours(drop_in));
            let (_, of_ni) = yaml.split_once(&format!("\n    eth{ni}:\n")).unwrap();
            let of_ni = of_ni.split("\n    eth").next().unwrap();
            assert!(of_ni.contains(&format!("macaddress: \"{}\"", mac(pe, ni as u32))));
            let routes = sections(own).into_iter().filter(|s| s.0 == "Route");
            let as_yaml = routes.map(|(_, values)| {
                let get = |key: &str| values.iter().find(|(k, _)| k == key).map(|(_, value)| value.clone());
                let hop =
                    get("Gateway").map_or("scope: link".into(), |next| format!("via: {next}, on-link: true"));
                let metric = get("Metric").map_or(String::new(), |metric| format!(", metric: {metric}"));
                let (to, from) = (get("Destination").unwrap(), get("PreferredSource").unwrap());
                format!("        - {{to: {to}, {hop}, from: {from}{metric}}}")
            });
            let lines: Vec<&str> = of_ni.lines().filter(|line| line.contains("- {to:")).collect();
            assert_eq!(as_yaml.collect::<Vec<_>>(), lines);
        }
        let routes = |text| sections(text).into_iter().filter(|s| s.0 == "Route").collect::<Vec<_>>();
        assert_eq!(
            routes(&networkd["etc/systemd/network/10-crosspoint-lo.network"]),
            routes(&netplan["etc/systemd/network/10-netplan-lo.network.d/crosspoint.conf"])
        );
        assert_eq!(networkd["etc/sysctl.d/90-crosspoint.conf"], netplan["etc/sysctl.d/90-crosspoint.conf"]);
    }
}

/// The permanent MAC address first, then the slot; by either, interfaces may come up in any order.
#[test]
fn interfaces_are_found_by_the_best_that_is_known() {
    let choices = [
        "interface=ni",
        "macs=node7.nic1=00:1B:21:3c:4d:5e node6.nic0=00:1b:21:3c:4d:5f",
        "paths=pci-0000:03:00.0 pci-0000:04:00.0 pci-0000:05:00.0",
    ];
    let by_name = &files("networkd", &choices[..2], Some(7));
    let files = files("networkd", &choices, Some(7));
    let file = |name: &str| files.get(&format!("etc/systemd/network/10-crosspoint-{name}"));
    let (slot, permanent) = (file("ni0.link").unwrap(), file("ni1.link").unwrap());
    assert!(slot.contains("[Match]\nPath=pci-0000:03:00.0\n\n[Link]\nName=ni0\n"), "{slot}");
    assert!(
        permanent.contains("[Match]\nPermanentMACAddress=00:1b:21:3c:4d:5e\n\n[Link]\nName=ni1\n"),
        "{permanent}"
    );
    assert!(file("ni2.link").unwrap().contains("Path=pci-0000:05:00.0\n"));
    for ni in 0..3 {
        let by = "MACAddress=02:";
        let network = file(&format!("ni{ni}.network")).unwrap();
        assert!(network.contains(&format!("[Match]\n{by}")), "{network}");
    }
    let file = |name: &str| by_name.get(&format!("etc/systemd/network/10-crosspoint-{name}"));
    assert_eq!(file("ni2.link"), None);
    let network = file("ni2.network").unwrap();
    assert!(
        network.contains("[Match]\nName=ni2")
            && network.contains("Matched by kernel name, which can change between boots.")
    );
}

#[test]
fn choices_that_would_not_work_on_the_machine_are_refused() {
    let error = fault("networkd", &["interface=ni", "macs=node7.nic3=00:1b:21:3c:4d:5e"]);
    assert_eq!(error, "macs=node7.nic3: the wiring has no such NIC; the export `cables` lists all");
    let error = fault("networkd", &["paths=pci-0000:03:00.0"]);
    assert!(error.contains("interface=eth") && error.contains("such as interface=ni"), "{error}");
    let error = fault("networkd", &["interface=ni", "paths=pci-0000:03:00.0 pci-0000:04:00.0"]);
    assert_eq!(
        error,
        "paths=pci-0000:03:00.0 pci-0000:04:00.0: node000 has none for NIC 2; name one per NIC, from NIC 0 on"
    );
    let read =
        |name: &str, choice: &str| Settings::read(format(name).unwrap(), [choice]).unwrap_err().to_string();
    let error = fault(
        "netplan",
        &["interface=ni", "macs=node0.nic0=00:1b:21:3c:4d:5e node000.eth0=00:1b:21:3c:4d:5f"],
    );
    assert!(error.contains("macs=node000.eth0: this is not a NIC"), "{error}");
    let error = fault(
        "netplan",
        &["interface=ni", "macs=node0.nic0=00:1b:21:3c:4d:5e node000.nic0=00:1b:21:3c:4d:5f"],
    );
    assert_eq!(error, "macs=node000.nic0: this NIC has two addresses; give one");
    let error = read("networkd", "macs=node0.nic0=00:1b:21:3c:4d:5e node0.nic1=00:1B:21:3C:4D:5E");
    assert!(error.contains("none twice"), "{error}");
    assert!(
        read(
            "networkd",
            "macs=node0.nic0=00:1b:21:3c:4d:5e\nnode0.ni1=00:1b:21:3c:4d:5f\nnode1.ni0=00:1b:21 node2.nic0=x"
        )
        .ends_with(", not node1.ni0=00:1b:21.")
    );
    // A group's address, everybody's and nobody's.
    for address in ["01:1b:21:3c:4d:5e", "ff:ff:ff:ff:ff:ff", "00:00:00:00:00:00"] {
        let error = read("networkd", &format!("macs=node0.nic0={address}"));
        assert!(
            error.contains(address) && error.ends_with(&format!("line ends, not node0.nic0={address}.")),
            "{error}"
        );
    }
    assert!(read("multipath", "avoid=10.1.0.0/16 10.2.0.0/16 foo").ends_with(", not `foo`."));
    assert!(read("networkd", "paths=a;b").contains("ID_PATH"));
    assert!(
        read("multipath", "through=some").contains("must be one of `all`, `requested`, `none`, not `some`.")
    );
    let (bundle, networkd) = (lab("networkd", &[]), format("networkd").unwrap());
    let mut text = String::new();
    assert_eq!(bundle.render(networkd, Some(0), &mut text), Err(ExportError::Several("networkd")));
    let as_several = bundle.files(format("multipath").unwrap(), Some(0), |_, _| Ok::<_, ExportError>(()));
    assert_eq!(as_several, Err(ExportError::Single("multipath")));
}

#[test]
fn forms_heed_the_network_and_stay_clear_of_the_site() {
    let choices = ["network=172.16.0.0/12", "avoid=172.16.0.0/30 192.168.0.0/16"];
    for name in ["hosts", "script", "multipath", "networkd", "netplan"] {
        let all: String = files(name, &choices, Some(5)).into_values().collect();
        assert!(all.contains("172.16.") && !all.contains("10.0.0."), "{all}");
        assert!(all.contains("outside 172.16.0.0/30"), "{all}");
        let said = all.lines().filter(|line| !line.trim_start().starts_with('#'));
        let words = said.flat_map(|line| line.split(|c: char| c != '.' && !c.is_ascii_digit()));
        let written: BTreeSet<Ipv4Addr> = words.filter_map(|word| word.parse().ok()).collect();
        let site = Ipv4Addr::new(172, 16, 0, 0)..=Ipv4Addr::new(172, 16, 0, 3);
        assert!(written.len() > 6 && written.range(site).next().is_none(), "{name}: {written:?}");
    }
    let names = &files("names", &["network=172.16.0.0/12", "avoid=172.16.0.0/30"], None)[""];
    assert!(names.contains("172.16.0.5 node000\n") && names.contains("172.16.0.12 node007\n"), "{names}");
}

/// Names between brackets, as Slurm writes them.
fn expanded(text: &str) -> Vec<u32> {
    let (_, list) = text.split_once('[').unwrap_or((text, &text[4..]));
    let spans =
        list.trim_end_matches(']').split(',').map(|span| span.split_once('-').unwrap_or((span, span)));
    spans.flat_map(|(first, last)| first.parse::<u32>().unwrap()..=last.parse().unwrap()).collect()
}

#[test]
fn slurm_reads_the_wiring_itself() {
    let text = &files("slurm", &["dead=sw4 node5"], None)[""];
    let switch = |line: &str| {
        let (name, rest) = line.strip_prefix("SwitchName=")?.split_once(' ')?;
        Some((name.to_owned(), rest.to_owned()))
    };
    let all: BTreeMap<String, String> = text.lines().filter_map(switch).collect();
    assert_eq!(all.keys().cloned().collect::<Vec<_>>(), ["root", "sw00", "sw01", "sw02", "sw03", "sw05"]);
    assert_eq!(expanded(all["root"].strip_prefix("Switches=").unwrap()), [0, 1, 2, 3, 5]);
    for switch in [0, 1, 2, 3, 5] {
        let nodes = expanded(all[&format!("sw0{switch}")].strip_prefix("Nodes=").unwrap());
        let alive: Vec<u32> = design().members(switch).iter().copied().filter(|&pe| pe != 5).collect();
        assert_eq!(nodes, alive);
    }
    assert!(text.contains("some pairs of nodes share no switch"), "{text}");
    // A node's features are its working switches.
    let mut nodes = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("# NodeName=")) {
        let (names, features) = line.split_once(" Feature=").unwrap();
        for pe in expanded(names) {
            let on = |switch: &u32| *switch != 4 && design().members(*switch).contains(&pe);
            let switches: Vec<String> = (0..6).filter(on).map(|switch| format!("sw0{switch}")).collect();
            assert_eq!(features, switches.join(","), "{pe}");
            nodes.push(pe);
        }
    }
    nodes.sort_unstable();
    assert_eq!(nodes, [0, 1, 2, 3, 4, 6, 7]);
    assert!(text.contains("--constraint=\"[sw00|sw01|sw02|sw03|sw05]\"\n"), "{text}");
}

#[test]
fn programs_are_told_of_the_pes_network_and_of_enough_flows() {
    let mpi = files("openmpi", &["dead=node2"], None);
    let settings = &mpi["openmpi-mca-params.conf"];
    assert!(
        settings.contains("\nbtl_tcp_if_include = eth0\n") && settings.contains("\nbtl_tcp_links = 4\n"),
        "{settings}"
    );
    assert!(mpi["prte-mca-params.conf"].contains("\nprte_if_include = eth0\n"));
    let without = &files("openmpi", &["dead=node2.nic0", "interface=ni"], None)["openmpi-mca-params.conf"];
    assert!(without.contains("\nbtl_tcp_if_include = ni1\n"), "{without}");
    let hosts: Vec<&str> = mpi["hostfile"].lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(hosts, ["node000", "node001", "node003", "node004", "node005", "node006", "node007"]);
    let nccl = &files("nccl", &["interface=enp3s0f"], None)[""];
    assert!(nccl.contains("\nNCCL_SOCKET_IFNAME==enp3s0f0,enp3s0f1,enp3s0f2\n"), "{nccl}");
    assert!(nccl.contains("\nNCCL_SOCKET_NTHREADS=3\nNCCL_NSOCKS_PERTHREAD=2\n"), "{nccl}");
}

#[test]
fn the_inventory_names_each_living_pe_with_its_nis() {
    let inventory = &files("ansible", &["dead=node2 sw0"], None)["inventory.yml"];
    assert_eq!(inventory.matches("crosspoint_pe:").count(), 7);
    assert!(inventory.contains("        # node002 has failed.\n"));
    let (_, host) = inventory.split_once("        node007:\n").unwrap();
    let expected = format!(
        "          crosspoint_pe: 7\n          crosspoint_address: 10.0.0.8\n          crosspoint_nis:\n            \
         - {{ni: 0, interface: eth0, mac: \"{}\", switch: sw01, port: 4}}\n",
        mac(7, 0)
    );
    assert!(host.starts_with(&expected), "{host}");
    assert!(!inventory.contains("switch: sw00"));
}
