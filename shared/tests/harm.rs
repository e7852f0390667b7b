//! Harmed copies of networks and of what nodes report: a fault or another result, and no panic.

use crate::network_file::{ANYNET, LAB, NETWORKX, SUBNET, YED};
use proptest::{prelude::*, sample::Index, test_runner::TestRunner};
use shared::{
    analysis::audit::{audit, audit_infiniband, is_infiniband},
    design::{Guids, Names, table},
    fabric::NetworkFile,
};

/// A file of each form, all of which are read.
const NETWORKS: &[&str] = &[
    ANYNET,
    SUBNET,
    LAB,
    NETWORKX,
    YED,
    "source,target,speed\n\"a\",\"s\",400\nb;s;25G # slow\nc s trunk\nd s {'speed': 1}\n",
    "host a b\nswitch s\na s\nb s 1.6T\n",
    "5 1 4\n4\n4 0 400Gbps 0.0005ms 0\n4 1 50GBps 500ns 0\n4 2 0.4Tbps 500ns 0\n4 3 25Gb/s 500ns 0\n\nFirst line: nodes\n",
    "7 2 2 1 8 H100\n4 5 6\n0 4 900Gbps 1ns 0\n1 4 900Gbps 1ns 0\n2 5 900Gbps 1ns 0\n3 5 900Gbps 1ns 0\n0 6 400Gbps 1ns 0\n\
     1 6 400Gbps 1ns 0\n2 6 400Gbps 1ns 0\n3 6 400Gbps 1ns 0\n",
    "SwitchName=root Switches=leaf[0-1] LinkSpeed=8\nSwitchName = leaf0 Nodes=r[0-1]n[08-10],x\nSwitchName=leaf1 Level=0 \\\n Nodes=\"b7\"\n",
    "BlockName=b1 BlockIndex=0 Nodes=n[1-4]\nBlockName=b2 Nodes=n[5-8]\nBlockSizes=4\n",
    "- topology: t\n  tree:\n    switches:\n    - {switch: s0, nodes: 'n[1-2]'}\n    - {switch: s1, children: s0, nodes: n3}\n",
    "/* x */ digraph g\n{ rankdir=LR; a [function=server]; b [function=server]; subgraph c { b:eth0 } a -> {s:\"swp1\" t} -> b [speed=100G]; s -> a }\n",
    r#"{"content": {"nodes": {"a": {"os": "cumulus-vx"}, "b": {"os": "generic/ubuntu"}, "c": {"function": "server"}, "oob-mgmt-switch": {}},
        "links": [[{"interface": "swp1", "node": "a"}, {"interface": "eth1", "node": "b"}], [{"node": "a"}, {"node": "c"}],
        [{"node": "c"}, {"node": "oob-mgmt-switch"}], [{"node": "a"}, "unconnected"]]}}"#,
    r#"{"nodes": {"leaf1": {"kind": "nokia_srlinux"}, "h1": {"kind": "linux"}, "h2": {"kind": "linux"}},
        "links": [{"endpoints": {"a": {"node": "leaf1"}, "z": {"node": "h1"}}}, {"a": {"node": "leaf1"}, "z": {"node": "h2"}}]}"#,
    r#"{"directed": true, "nodes": [{"name": "a", "type": "host"}, {"name": "b", "type": "host"}, {"name": "s", "type": "switch"}],
        "links": [{"source": 0, "target": 2}, {"source": 1, "target": 2, "speed": 25}, {"source": 2, "target": 1}]}"#,
    "ID,Label,Device A,Termination A,Device B,Termination B,Status\n1,,leaf01,Ethernet1,\"node01,node02\",\"eth0,eth0\",Connected\n\
     2,,leaf01,Ethernet2,node03,\"eth0,eth1\",Connected\n3,,node01,PSU1,pdu1,Outlet 1,Connected\n",
    "side_a_device;side_a_type;side_a_name;side_b_device;side_b_type;side_b_name\na1;interface;eth0;sw;interface;swp1\na2;interface;eth0;sw;interface;swp2\n",
    "0: 0 1 2\n1: 0 1 # x\n2: 2\n",
];

const REPORTS: &[&str] = &[
    include_str!("lldp/lldpd-1.0.16-plain.txt"),
    include_str!("lldp/lldpd-1.0.16-keyvalue.txt"),
    include_str!("lldp/lldpd-1.0.16-json.txt"),
    include_str!("lldp/lldpd-1.0.16-json0.txt"),
    include_str!("lldp/nxos-long-names.txt"),
    include_str!("ib/ibnetdiscover-44.txt"),
    include_str!("ib/iblinkinfo-44.txt"),
    include_str!("ib/iblinkinfo-44-l.txt"),
    "RP/0/RP0/CPU0:sw00#show lldp neighbors\nDevice ID      Local Intf         Hold-time Capability Port ID\n\
     node000        HundredGigE0/0/0/1 120       S          eth0\n --More-- \x08\x08node001        HundredGigE0/0/0/2 120                  eth0\n",
    "[1,3]<stdout>:sw00\n[1,3]<stdout>:LocalPort    RemoteDevice    RemotePortID       Capability    RemotePortDescr\n\
     [1,3]<stdout>:Ethernet1    node000         02:00:00:00:00:00  S             Interface   2 as eth0\n2025-06-01 10:00:00 3: x\n",
    "| Port     | System Name    | Port ID  |\n+====+\n| swp1     | node000.long-d | eth0     |\n|          | omain.example  |          |\n",
    "SW     1  1 0x0000000000000010 4x HDR - CA     2  1 0x0000000000000001 ( 'sw01' - 'node001 mlx5_0' )\n\
     CA     2  1 0x0000000000000001 4x HDR - SW     1  1 0x0000000000000010 ( 'node001 mlx5_0' - 'sw01' )\n",
];

/// Words that change how a text is read, wherever they stand.
const WORDS: &[&str] = &[
    "\"",
    "{",
    "}",
    "[",
    "]",
    "<",
    "&",
    ",",
    ";",
    ":",
    "=",
    "#",
    "\\",
    "\n",
    "\t",
    "|",
    "  ",
    "--",
    "->",
    "/*",
    "\u{1b}[",
    "\u{8}",
    "\u{1f}",
    "--More--",
    "[1,",
    "0: ",
    "10:00:00",
    "\u{e4}",
    "\u{2502}",
    "include ",
    "subgraph ",
    "*x",
    "<<: ",
    "18446744073709551616",
    "-1",
    "1e309",
    "[0-99999999]",
    "node000: ",
];

#[derive(Clone, Debug)]
enum Harm {
    Cut(Index),
    Set(Index, u8),
    Insert(Index, &'static str),
    Repeat(Index, Index),
    Remove(Index, Index),
}

fn harmed(text: &str, harms: &[Harm]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for harm in harms {
        if bytes.is_empty() {
            break;
        }
        let length = bytes.len();
        let range = |a: &Index, b: &Index| {
            let (a, b) = (a.index(length), b.index(length));
            a.min(b)..a.max(b).min(a.min(b) + 300)
        };
        match harm {
            Harm::Cut(at) => bytes.truncate(at.index(length)),
            Harm::Set(at, byte) => bytes[at.index(length)] = *byte,
            Harm::Insert(at, word) => drop(bytes.splice(at.index(length)..at.index(length), word.bytes())),
            Harm::Repeat(a, b) => {
                let part = bytes[range(a, b)].to_vec();
                let end = range(a, b).end;
                bytes.splice(end..end, part);
            }
            Harm::Remove(a, b) => drop(bytes.drain(range(a, b))),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn any_harm_is_a_fault_or_another_result(cases: u32) {
    let index = any::<Index>;
    let harms = prop_oneof![
        2 => index().prop_map(Harm::Cut),
        3 => (index(), any::<u8>()).prop_map(|(at, byte)| Harm::Set(at, byte)),
        4 => (index(), prop::sample::select(WORDS)).prop_map(|(at, word)| Harm::Insert(at, word)),
        2 => (index(), index()).prop_map(|(a, b)| Harm::Repeat(a, b)),
        2 => (index(), index()).prop_map(|(a, b)| Harm::Remove(a, b)),
    ];
    let samples: Vec<&str> = NETWORKS.iter().chain(REPORTS).copied().collect();
    let design = table::parse("0: 0 1\n1: 0 1 2\n", 3).unwrap();
    let names = Names::new(3, 2);
    let mut runner =
        TestRunner::new(ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() });
    let tried = runner.run(&(index(), prop::collection::vec(harms, 1..4)), |(sample, harms)| {
        let text = harmed(samples[sample.index(samples.len())], &harms);
        if let Err(faults) = NetworkFile::read("net.txt", &text) {
            prop_assert!(!faults.0.is_empty());
        }
        let _ = NetworkFile::wiring_table("net.txt", &text, &names);
        is_infiniband(&text);
        let reports =
            [audit(&design, &names, &[], &text), audit_infiniband(&design, &names, &Guids::default(), &text)];
        for report in reports {
            match report {
                Ok(report) => report.write(&names, &mut String::new()).unwrap(),
                Err(faults) => prop_assert!(!faults.is_empty()),
            }
        }
        Ok(())
    });
    tried.unwrap();
}

#[test]
fn samples_are_read() {
    for text in NETWORKS {
        NetworkFile::read("net.txt", text).unwrap_or_else(|faults| panic!("{faults}\n{text}"));
    }
}

#[test]
fn harmed_files_never_panic() {
    any_harm_is_a_fault_or_another_result(1000);
}

#[test]
#[ignore = "minutes: cargo test --release -p shared --test all harm:: -- --ignored"]
fn harmed_files_never_panic_in_a_long_run() {
    any_harm_is_a_fault_or_another_result(100_000);
}
