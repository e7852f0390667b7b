//! Machines without switches: a switch with two ports is a cable between two nodes, in every format.

use crate::common::{spec, wiring};
use shared::{
    analysis::{
        audit::{Audit, audit, audit_infiniband},
        bounds::advice,
        cost::cost,
        figures::figures,
    },
    compare::{self, market::preset},
    design::{Guids, Names, check},
    exports::{Bundle, CablingPlan, ExportError, Settings, format},
    fabric::{NetworkFile, NetworkKind, Wiring, kinds},
    spec::names::Interfaces,
};
use std::sync::Arc;

const RING: (&str, &str) =
    (include_str!("../../assets/specs/cables4.toml"), "0: 0 1\n1: 1 2\n2: 2 3\n3: 0 3\n");
const TRIANGLE: (&str, &str) = (include_str!("../../assets/specs/cables3.toml"), "0: 0 1\n1: 0 2\n2: 1 2\n");
/// A switch for all nodes, and a ring of cables.
const MIXED: (&str, &str) = (
    "nodes = 4\nnics_per_node = 3\ncable_price = 10\nnic_price = 1\n[[switch]]\nports = 8\ncount = 1\nprice = 100\n\
     [[switch]]\nports = 2\nprice = 25\n[[pattern]]\nkind = \"ring\"\n",
    "0: 0 1 2 3\n1: 0 3\n2: 2 3\n3: 0 1\n4: 1 2\n",
);

fn bundle((text, table): (&str, &str), name: &str, choices: &[&str]) -> Bundle {
    let (spec, demand) = spec(text);
    let design = wiring(table, spec.pes);
    let settings = Settings::read(format(name).unwrap(), choices.iter().copied()).unwrap();
    Bundle::new(Arc::new(spec), text, Arc::new(demand), Arc::new(design)).with(settings)
}

fn try_file(
    machine: (&str, &str),
    name: &str,
    choices: &[&str],
    number: Option<u32>,
) -> Result<String, ExportError> {
    let (bundle, format) = (bundle(machine, name, choices), format(name).unwrap());
    if !format.is_several() {
        let mut text = String::new();
        return bundle.render(format, number, &mut text).map(|()| text);
    }
    let mut all = String::new();
    bundle.files(format, number, |path, text| {
        all += &format!("{path}\n{}", String::from_utf8_lossy(text));
        Ok::<_, ExportError>(())
    })?;
    Ok(all)
}

fn file(machine: (&str, &str), name: &str, number: Option<u32>) -> String {
    try_file(machine, name, &[], number).unwrap_or_else(|why| panic!("{name}: {why}"))
}

/// Chosen columns of a table.
fn columns(table: &str, names: &[&str]) -> Vec<String> {
    let head: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    let at: Vec<usize> = names.iter().map(|name| head.iter().position(|h| h == name).unwrap()).collect();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        at.iter().map(|&at| cells[at]).collect::<Vec<_>>().join(",")
    };
    table.lines().skip(1).map(row).collect()
}

#[test]
fn a_cable_list_has_a_row_per_cable_with_a_node_at_both_ends() {
    let ends = ["pe_end", "switch_end", "port", "kind", "interface", "switchport"];
    assert_eq!(
        columns(&file(RING, "cables", None), &ends),
        [
            "node000 NIC0,node001 NIC0,,direct,eth0,eth0",
            "node000 NIC1,node003 NIC1,,direct,eth1,eth1",
            "node001 NIC1,node002 NIC0,,direct,eth1,eth0",
            "node002 NIC1,node003 NIC0,,direct,eth1,eth0"
        ]
    );
    let triangle = ["node000 NIC0,node001 NIC0", "node000 NIC1,node002 NIC0", "node001 NIC1,node002 NIC1"];
    assert_eq!(columns(&file(TRIANGLE, "cables", None), &ends[..2]), triangle);
    assert_eq!(columns(&file(TRIANGLE, "worklist-csv", None), &ends[..2]), triangle);
    let netbox = columns(
        &file(TRIANGLE, "netbox-cables", None),
        &["side_a_device", "side_a_name", "side_b_device", "side_b_name"],
    );
    assert_eq!(
        netbox,
        ["node000,eth0,node001,eth0", "node000,eth1,node002,eth0", "node001,eth1,node002,eth1"]
    );
    let mixed = columns(&file(MIXED, "cables", None), &["switch_end", "kind"]);
    assert_eq!(mixed.iter().filter(|row| row.ends_with("direct")).count(), 4);
    assert!(mixed.contains(&"sw00 port 4,node".into()) && mixed.len() == 8, "{mixed:?}");
}

#[test]
fn no_file_names_a_switch_that_does_not_exist() {
    for machine in [RING, TRIANGLE] {
        for format in shared::exports::formats().filter(|format| !format.needs_server) {
            let number = Some(0).filter(|_| format.each != shared::exports::FileScope::Whole);
            let Ok(text) = try_file(machine, format.name, &[], number) else { continue };
            assert!(!text.contains("sw00") && !text.contains("sw01"), "{}: {text}", format.name);
        }
    }
    let devices = columns(&file(RING, "netbox-devices", None), &["name"]);
    assert_eq!(devices, ["node000", "node001", "node002", "node003"]);
    assert_eq!(columns(&file(MIXED, "netbox-devices", None), &["name"])[4..], ["sw00"]);
    assert_eq!(file(TRIANGLE, "netbox-interfaces", None).lines().count(), 1 + 6);
    let lab = file(TRIANGLE, "containerlab", None);
    assert!(!lab.contains("bridge") && lab.contains("[\"node000:eth1\", \"node002:eth0\"]"), "{lab}");
    let dot = file(TRIANGLE, "dot", None);
    assert!(dot.contains("\"node001\":\"eth1\" -- \"node002\":\"eth1\"") && !dot.contains("cable0"), "{dot}");
    let labels = try_file(RING, "labels", &["of=cable"], None).unwrap();
    assert!(labels.contains(">node001:NIC1<") && labels.contains(">to node002:NIC0<"), "{labels}");
    assert!(file(RING, "labels", None).contains("goes to the node with a patch of that number"));
    assert!(file(RING, "svg", None).contains("4 nodes, 4 cables<"));
    assert!(file(RING, "worklist-text", None).contains("\n4 cables in 1 part."));
    assert!(file(RING, "hosts", Some(0)).contains("# Nodes without a shared cable with node000: 1"));
}

#[test]
fn formats_of_switches_are_refused_or_have_the_switches_alone() {
    for name in ["sonic", "nvue", "eos", "nxos", "linux-switch", "ibnetdiscover", "topo", "p2p"] {
        let number = Some(0).filter(|_| name != "topo" && name != "p2p");
        let why = try_file(RING, name, &[], number).unwrap_err().to_string();
        assert!(why.starts_with(&format!("{name} is for switches, and this design has none")), "{why}");
    }
    let sonic = format("sonic").unwrap();
    assert_eq!(bundle(MIXED, "sonic", &[]).numbers(sonic).collect::<Vec<_>>(), [0]);
    assert_eq!(
        try_file(MIXED, "sonic", &[], Some(1)).unwrap_err().to_string(),
        "cable01 is a cable between two nodes, not a switch; choose a switch"
    );
}

#[test]
fn a_cable_is_bought_once_and_no_switch() {
    let bill = |machine| columns(&file(machine, "bill", None), &["part", "quantity", "unit_price"]);
    assert_eq!(bill(RING)[..2], ["NIC,8,", "direct cable,4,"]);
    assert_eq!(bill(MIXED)[..4], ["switch,1,100", "NIC,12,1", "cable,4,10", "direct cable,4,25"]);
    let of = |text: &str, table: &str| {
        let (spec, demand) = spec(text);
        let design = wiring(table, spec.pes);
        let cables = figures(&spec, &demand, &design).cables;
        (cables, cost(&spec, &design).0.total)
    };
    assert_eq!(of(MIXED.0, MIXED.1), (8, Some(100.0 + 12.0 + 40.0 + 100.0)));
    // Without a price of its own, a direct cable costs as much as any cable.
    let priced = format!("cable_price = 30\nnic_price = 0\n{}", RING.0);
    assert_eq!(of(&priced, RING.1), (4, Some(120.0)));
}

/// The ring of four nodes is the torus of 2 x 2 hosts: it costs as much and is as fast.
#[test]
fn compared_with_other_networks_a_cable_is_no_switch() {
    let (spec, _) = spec(RING.0);
    let market = preset("400g").unwrap().market();
    let figures = |kind: &dyn NetworkKind| {
        let found = compare::figures(kind, None, &market);
        let between = (found.diameter_switches, found.diameter_hosts, found.best, found.worst);
        (found.switches, found.ports, found.cables, found.bill.total, between)
    };
    let ring = figures(&Wiring::of(&spec, &wiring(RING.1, 4)));
    assert_eq!(ring, figures(&*kinds::parse("host-torus:2x2").unwrap()));
    assert!((ring.0, ring.2, ring.4.0, ring.4.1) == (0, 4, Some(0), Some(1)) && ring.3.is_some(), "{ring:?}");
}

#[test]
fn a_direct_cable_is_as_long_as_its_nodes_are_apart() {
    let racks = "[[rack]]\nnodes = 2\n[[rack]]\nnodes = 2\nx = 3.0\n";
    let text = format!("cable_slack = 1.0\n{}\n{racks}", RING.0);
    let machine = (text.as_str(), RING.1);
    assert_eq!(columns(&file(machine, "cables", None), &["length_m"]), ["1.00", "4.00", "4.00", "1.00"]);
    let (spec, _) = spec(&text);
    assert_eq!(cost(&spec, &wiring(RING.1, 4)).1, Some(10.0));
}

#[test]
fn each_cable_is_a_30_of_its_own() {
    for (node, own) in [(0, ["10.0.0.1/30", "10.0.0.13/30"]), (2, ["10.0.0.6/30", "10.0.0.9/30"])] {
        for name in ["rdma-netplan", "rdma-networkd", "rdma-networkmanager"] {
            let text = file(RING, name, Some(node));
            assert!(own.iter().all(|address| text.contains(address)), "{name}: {text}");
        }
    }
    let netplan = try_file(TRIANGLE, "rdma-netplan", &["network=192.168.7.0/24"], Some(2)).unwrap();
    assert!(netplan.contains("[192.168.7.6/30]") && netplan.contains("[192.168.7.10/30]"), "{netplan}");
    let full = try_file(RING, "rdma-netplan", &["network=10.0.0.0/24", "avoid=10.0.0.0/24"], Some(0));
    let why = full.unwrap_err().to_string();
    assert!(why.contains("4 cables with 2 ports need 16 addresses in subnets of their own"), "{why}");
}

/// NCCL takes both NICs for one device: else a node that listens on the NIC of one neighbour is out of reach for the other.
#[test]
fn nccl_merges_the_two_nics_of_a_ring_whatever_the_library_is() {
    let job = |library: &str| {
        let head = "nodes = 4\nnics_per_node = 2\n[[switch]]\nports = 2\n[job]\nranks_per_node = 1\ndp = 4\n";
        format!("{head}library = \"{library}\"\n")
    };
    for text in [RING.0.to_owned(), job("nccl"), job("mpi"), job("any")] {
        let env = try_file((&text, RING.1), "rdma-env", &["hca=rocep1s0f{nic}"], Some(1)).unwrap();
        for line in [
            "NCCL_IB_MERGE_NICS=1",
            "NCCL_NET_FORCE_MERGE=rocep1s0f0,rocep1s0f1",
            "NCCL_IB_SUBNET_AWARE_ROUTING=1",
            "NCCL_IB_SUBNET_PREFIX_LEN=30",
            "# NCCL connects node001 to the 2 nodes that the spec pairs it with.",
            "# rocep1s0f1: eth1, 10.0.0.5/30 by cable01 to node002 NIC0",
        ] {
            assert!(env.lines().any(|own| own == line), "{line}\n{env}");
        }
        assert!(env.contains("NCCL_ALGO=Ring") && env.contains("cables to 2 of 3 other nodes"), "{env}");
    }
    // All pairs of four nodes with two NICs: opposite nodes do not connect.
    let all = RING.0.replace("kind = \"ring\"", "kind = \"all-pairs\"").replace("sparse", "fractional");
    let env = file((&all, RING.1), "rdma-env", Some(1));
    assert!(
        env.contains(
            "\n# NCCL does not connect node001 to 1 of the 3 nodes that the spec pairs it with: node003.\n"
        ),
        "{env}"
    );
}

#[test]
fn names_of_cables_are_read_back_and_those_of_the_spec_kept() {
    let env = |more: &str| file((&format!("{}{more}", RING.0), RING.1), "rdma-env", Some(0));
    assert!(env("\n[names]\nswitches = \"link\"\n").contains("by link00 to"));
    let failed = |part: &str| try_file(RING, "rdma-env", &[&format!("failed={part}")], Some(0)).unwrap();
    for part in ["cable00", "cable0", "sw0"] {
        assert!(failed(part).contains("\n# NCCL does not connect node000 to 1 of the 2"), "{part}");
    }
    let (spec, _) = spec(RING.0);
    let plan = CablingPlan::new(spec, wiring(RING.1, 4));
    assert_eq!(
        plan.cables(3).iter().map(|cable| cable.ends()).collect::<Vec<_>>(),
        ["NIC 0 → node002 NIC 1", "NIC 1 → node000 NIC 1"]
    );
}

#[test]
fn lists_of_direct_cables_are_read_back() {
    for (machine, pairs) in [(RING, "0 1, 0 3, 1 2, 2 3"), (TRIANGLE, "0 1, 0 2, 1 2")] {
        let (spec, _) = spec(machine.0);
        for name in ["cables", "dot", "netbox-cables"] {
            let text = file(machine, name, None);
            let read =
                NetworkFile::wiring_table("cables.txt", &text, &Names::sized(&spec, spec.pes, 0)).unwrap();
            let (found, _) = read.unwrap_or_else(|faults| panic!("{name}: {faults}\n{text}"));
            let design = wiring(&found, spec.pes);
            let mut found: Vec<String> =
                design.switches().map(|pair| format!("{} {}", pair[0], pair[1])).collect();
            found.sort();
            assert_eq!(found.join(", "), pairs, "{name}");
        }
    }
    // A switch beside the cables, and node 3 without a cable.
    let (spec, _) = spec(MIXED.0);
    let text = file((MIXED.0, "0: 0 1 2\n1: 0 1\n"), "cables", None);
    let (found, _) =
        NetworkFile::wiring_table("cables.txt", &text, &Names::sized(&spec, spec.pes, 0)).unwrap().unwrap();
    assert_eq!(found, "0: 0 1 2\n1: 0 1\n");
}

/// What PEs report, each as node, interface, neighbour and its port.
fn neighbours(seen: &[[&str; 4]]) -> String {
    let of = |[node, nic, far, port]: &[&str; 4]| {
        format!(
            "{node}: lldp.{nic}.via=LLDP\n{node}: lldp.{nic}.chassis.name={far}\n{node}: lldp.{nic}.port.ifname={port}\n"
        )
    };
    seen.iter().map(of).collect()
}

fn audited((text, table): (&str, &str), seen: &[[&str; 4]]) -> (Audit, Vec<String>) {
    let (spec, _) = spec(text);
    let design = wiring(table, spec.pes);
    let names = Names::of(&spec, &design);
    let audit = audit(&design, &names, &[], &neighbours(seen)).unwrap();
    let mut lines = String::new();
    audit.write(&names, &mut lines).unwrap();
    (audit, lines.lines().map(str::to_owned).collect())
}

/// The ring as cabled, by the report of every node.
const REPORTS: [[&str; 4]; 8] = [
    ["node000", "eth0", "node001", "eth0"],
    ["node000", "eth1", "node003", "eth1"],
    ["node001", "eth0", "node000", "eth0"],
    ["node001", "eth1", "node002", "eth0"],
    ["node002", "eth0", "node001", "eth1"],
    ["node002", "eth1", "node003", "eth0"],
    ["node003", "eth0", "node002", "eth1"],
    ["node003", "eth1", "node000", "eth1"],
];

#[test]
fn one_end_that_reports_a_direct_cable_is_enough() {
    let right = ["4 of 4 cables are where the design says"];
    let (all, lines) = audited(RING, &REPORTS);
    assert!(all.holds() && lines == right, "{lines:?}");
    let (two, lines) = audited(RING, &[REPORTS[0], REPORTS[1], REPORTS[4], REPORTS[5]]);
    assert!(two.holds() && lines == right, "{lines:?}");
    let (one, lines) = audited(RING, &REPORTS[..2]);
    assert!(!one.holds());
    assert_eq!(
        lines,
        [
            "2 of 4 cables are where the design says",
            "not checked, because neither end reported: 2 cables",
            "  node001 NIC1 to node002 NIC0",
            "  node002 NIC1 to node003 NIC0"
        ]
    );
    let (missing, lines) = audited(RING, &REPORTS[..3]);
    assert_eq!((missing.right, missing.missing_direct.len()), (2, 1));
    assert_eq!(lines[1], "missing: node001 NIC1: no neighbour seen; it belongs at node002 NIC0");
}

#[test]
fn plugs_of_direct_cables_are_named_by_both_nics() {
    let mut swapped = REPORTS;
    (swapped[0][1], swapped[1][1], swapped[2][3], swapped[7][3]) = ("eth1", "eth0", "eth1", "eth0");
    let of_pair = "swapped: node000 NIC0 is cabled to node003 NIC1, and node000 NIC1 is cabled to node001 NIC0; swap these two \
                   plugs at node000";
    for seen in [&swapped[..], &swapped[..2]] {
        let (audit, lines) = audited(RING, seen);
        assert_eq!(
            (audit.cables, audit.right, audit.misplugged.len()),
            (4, if seen.len() == 8 { 2 } else { 0 }, 1)
        );
        assert_eq!(lines[1], of_pair);
    }
    // One plug of node001 is in the other NIC, and nothing is in the first.
    let (_, lines) = audited(RING, &[["node000", "eth0", "node001", "eth1"], REPORTS[1], REPORTS[5]]);
    assert_eq!(
        lines[..3],
        [
            "2 of 4 cables are where the design says",
            "wrong: node000 NIC0 is cabled to node001 NIC1; it belongs at node001 NIC0",
            "wrong: node001 NIC1 is cabled to node000 NIC0; it belongs at node002 NIC0"
        ]
    );
    // Two plugs of different nodes.
    let (_, lines) =
        audited(RING, &[["node000", "eth0", "node002", "eth1"], ["node001", "eth0", "node003", "eth0"]]);
    assert_eq!(
        lines[1],
        "swapped: node000 NIC0 is cabled to node002 NIC1, and node003 NIC0 is cabled to node001 NIC0; swap the plugs at node000 \
         NIC0 and node003 NIC0"
    );
}

#[test]
fn a_nic_of_a_switch_and_one_of_a_direct_cable_can_be_swapped() {
    let (audit, lines) = audited(
        MIXED,
        &[
            ["node000", "eth0", "node003", "eth1"],
            ["node000", "eth1", "sw00", "swp1"],
            ["node000", "eth2", "node001", "eth1"],
            ["node001", "eth0", "sw00", "swp2"],
        ],
    );
    assert_eq!(audit.cables, 8);
    assert!(
        lines.contains(
            &"swapped: node000 NIC0 is cabled to node003 NIC1, and node000 NIC1 is on sw00 port 1; swap these two plugs at node000"
                .to_owned()
        ),
        "{lines:?}"
    );
    assert!(!lines.iter().any(|line| line.contains("cable0")), "{lines:?}");
}

#[test]
fn a_direct_cable_with_two_neighbours_is_ambiguous_and_an_unknown_nic_is_named() {
    let (audit, lines) = audited(
        RING,
        &[["node000", "eth0", "node001", "eth0"], ["node000", "eth0", "node002", "eth0"], REPORTS[1]],
    );
    assert_eq!((audit.right, audit.ambiguous.len(), audit.misplugged.len()), (1, 1, 0), "{lines:?}");
    let (audit, lines) = audited(RING, &[["node000", "eth0", "node001", "enp5s0"], REPORTS[1]]);
    assert_eq!((audit.right, audit.by_node), (2, 1));
    assert_eq!(lines[1], "1 of them compared by node only: the names of their NICs differ from the spec");
    let (audit, lines) = audited(RING, &[["node000", "eth0", "node002", "enp5s0"], REPORTS[1]]);
    assert_eq!(audit.right, 1);
    assert_eq!(lines[1], "wrong: node000 NIC0 is cabled to node002 enp5s0; it belongs at node001 NIC0");
    let both = [["node000", "enp1", "node001", "enp1"], ["node001", "enp1", "node000", "enp1"]];
    let (audit, _) = audited(RING, &both);
    assert_eq!((audit.right, audit.by_node, audit.joins.len()), (1, 1, 0));
    assert!(audit.knows_no_nic());
    let (audit, lines) = audited(RING, &[["node000", "enp1", "node002", "enp1"]]);
    assert_eq!(audit.joins.len(), 1);
    assert!(
        lines.contains(
            &"extra: line 1: node000 enp1 sees node002 enp1; the design has no cable between them".to_owned()
        ),
        "{lines:?}"
    );
    let (_, lines) = audited(RING, &[["node000", "eth0", "leaf7", "swp1"], REPORTS[1]]);
    assert_eq!(
        lines[1],
        "missing: node000 NIC0: line 1: it sees leaf7, outside the design; it belongs at node001 NIC0"
    );
}

/// An adapter's record of `ibnetdiscover`, with its link.
fn adapter([own, name, far, far_name]: [&str; 4]) -> String {
    format!(
        "caguid=0xb83fd20300000{own}\nCa\t1 \"H-b83fd20300000{own}\"\t\t# \"{name}\"\n\
         [1](b83fd20300000{own}) \t\"H-b83fd20300000{far}\"[1] (b83fd20300000{far}) \t\t# lid 1 lmc 0 \"{far_name}\" lid 2 4xNDR\n\n"
    )
}

#[test]
fn direct_cables_of_infiniband_are_compared_by_nic() {
    let (spec, _) = spec(RING.0);
    let design = wiring(RING.1, spec.pes);
    let names = Names::of(&spec, &design).with(Some(&Interfaces::parse("mlx5_").unwrap()), None);
    let lines = |links: &[[&str; 4]]| {
        let both = |&[a, a_name, b, b_name]: &[&str; 4]| {
            adapter([a, a_name, b, b_name]) + &adapter([b, b_name, a, a_name])
        };
        let text: String = links.iter().map(both).collect();
        let audit = audit_infiniband(&design, &names, &Guids::default(), &text).unwrap();
        let mut lines = String::new();
        audit.write(&names, &mut lines).unwrap();
        (audit.holds(), lines)
    };
    let others = [
        ["101", "node001 mlx5_1", "200", "node002 mlx5_0"],
        ["201", "node002 mlx5_1", "300", "node003 mlx5_0"],
    ];
    let right = [
        ["000", "node000 mlx5_0", "100", "node001 mlx5_0"],
        ["001", "node000 mlx5_1", "301", "node003 mlx5_1"],
    ];
    assert_eq!(
        lines(&[&right[..], &others].concat()),
        (true, "4 of 4 cables are where the design says\n".into())
    );
    let swapped = [
        ["001", "node000 mlx5_1", "100", "node001 mlx5_0"],
        ["000", "node000 mlx5_0", "301", "node003 mlx5_1"],
    ];
    assert_eq!(
        lines(&[&swapped[..], &others].concat()),
        (
            false,
            "2 of 4 cables are where the design says\nswapped: node000 NIC0 is cabled to node003 NIC1, and node000 NIC1 is cabled to \
             node001 NIC0; swap these two plugs at node000\n"
                .into()
        )
    );
}

#[test]
fn the_cable_list_tells_which_end_of_a_direct_cable_moves() {
    let changes = |old: &str, new: &str| {
        let text = format!("{}\n[start]\ntable = \"\"\"\n{old}\"\"\"\n", RING.0);
        columns(
            &file((&text, new), "cables", None),
            &["pe", "ni", "switch", "pe_end", "switch_end", "kind", "change"],
        )
    };
    let ring = "0: 0 1\n1: 2 3\n2: 0 3\n3: 1 2\n";
    assert_eq!(
        changes(ring, "0: 0 2\n1: 1 3\n2: 0 3\n3: 1 2\n"),
        [
            "0,0,0,node000 NIC0,node002 NIC0,direct,moves from node001 to node002",
            "0,1,2,node000 NIC1,node003 NIC1,direct,stays",
            "1,0,1,node001 NIC0,node003 NIC0,direct,moves from node002 to node001",
            "1,1,3,node001 NIC1,node002 NIC1,direct,stays",
        ]
    );
    assert_eq!(
        changes(ring, "0: 2 3\n1:\n2: 0 3\n"),
        [
            "0,0,2,node000 NIC0,node003 NIC1,direct,stays",
            "0,,0,node000,node001,direct,is unplugged",
            "1,,3,node001,node002,direct,is unplugged",
            "2,0,0,node002 NIC0,node003 NIC0,direct,new",
            "2,,1,node002,node003,direct,is unplugged",
        ]
    );
}

#[test]
fn a_node_alone_on_a_direct_cable_has_no_cable_there() {
    let loose = (RING.0, "0: 0 1\n1: 2\n2: 0 3\n3: 1 2\n");
    let (spec, demand) = spec(loose.0);
    let design = wiring(loose.1, 4);
    let found = figures(&spec, &demand, &design);
    assert_eq!((found.cables, found.ports_used, found.switches_used), (3, 6, 3));
    assert_eq!(columns(&file(loose, "cables", None), &["switch"]), ["0", "2", "3"]);
    let env = file(loose, "rdma-env", Some(2));
    assert!(env.lines().next().unwrap().ends_with("with RoCE v2 on 1 NIC."), "{env}");
    assert!(!env.contains("cable01"), "{env}");
    assert!(!file(loose, "wiring", None).contains("1: 2"));
    let plan = CablingPlan::new(spec.clone(), design.clone());
    assert_eq!(plan.cables(2).len(), 1);
    let advice = advice(&spec, &demand, &check(&spec, &demand, &design));
    assert!(
        advice.iter().any(|line| line == "Use switches with 4 or 5 ports instead of direct cables."),
        "{advice:?}"
    );
}

#[test]
fn a_mixed_design_has_switches_and_direct_cables_in_its_words() {
    let env = file(MIXED, "rdma-env", Some(0));
    assert!(
        env.contains("# A NIC reaches only the nodes on its switch or at the end of its cable."),
        "{env}"
    );
}
