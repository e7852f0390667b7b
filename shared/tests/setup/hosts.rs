//! Formats of hosts with RDMA and of provisioning, held against the wiring and against each other.

use crate::common::{spec, wiring};
use shared::{
    design::Design,
    exports::{Bundle, ExportError, FileScope, Settings, format},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

const SPEC: &str = "name = \"Lab\"\npes = 8\nnis_per_pe = 3\n[[switch]]\nports = 5\ncount = 6\n[[pattern]]\nkind = \"ring\"\n";
const TABLE: &str = "0: 0 1 2 3\n1: 4 5 6 7\n2: 0 1 4 5\n3: 2 3 6 7\n4: 0 2 7\n5: 1 3 5\n";
const PES: u32 = 8;

fn design() -> Design {
    wiring(TABLE, PES)
}

/// All files of a format by path; a single file has an empty path.
fn export(name: &str, choices: &[&str], pe: Option<u32>) -> Result<BTreeMap<String, String>, ExportError> {
    export_of(SPEC, design(), name, choices, pe)
}

fn export_of(
    text: &str,
    design: Design,
    name: &str,
    choices: &[&str],
    pe: Option<u32>,
) -> Result<BTreeMap<String, String>, ExportError> {
    let (spec, demand) = spec(text);
    let format = format(name).unwrap();
    let settings = Settings::read(format, choices.iter().copied())?;
    let bundle = Bundle::new(Arc::new(spec), text, Arc::new(demand), Arc::new(design)).with(settings);
    let mut files = BTreeMap::new();
    if format.is_several() {
        bundle.files(format, pe, |path, text| {
            files.insert(path.to_owned(), String::from_utf8(text.to_vec()).unwrap());
            Ok::<_, ExportError>(())
        })?;
    } else {
        let mut text = String::new();
        bundle.render(format, pe, &mut text)?;
        files.insert(String::new(), text);
    }
    Ok(files)
}

fn files(name: &str, choices: &[&str], pe: Option<u32>) -> BTreeMap<String, String> {
    export(name, choices, pe).unwrap_or_else(|why| panic!("{name} {choices:?}: {why}"))
}

#[test]
fn forms_for_rdma_say_the_same_of_every_nic_and_forward_nothing() {
    for pe in 0..PES {
        let [networkd, netplan, manager] = ["rdma-networkd", "rdma-netplan", "rdma-networkmanager"]
            .map(|name| files(name, &["mtu=4200"], Some(pe)));
        let nis = design().nis();
        for (ni, switch) in nis.of(pe).iter().enumerate() {
            let (address, subnet) = (format!("10.{switch}.0.{}", pe + 1), format!("10.{switch}.0.0/16"));
            let table = 1000 + ni;
            let own = &networkd[&format!("etc/systemd/network/10-crosspoint-eth{ni}.network")];
            let route = format!(
                "[Route]\nDestination={subnet}\nScope=link\nPreferredSource={address}\nTable={table}\n"
            );
            let rule = format!("[RoutingPolicyRule]\nFrom={address}/32\nTable={table}\nPriority={table}\n");
            for section in
                [&format!("[Address]\nAddress={address}/16\n"), &route, &rule, &"MTUBytes=4200\n".into()]
            {
                assert!(own.contains(section.as_str()), "{section}{own}");
            }
            let yaml = &netplan["etc/netplan/60-crosspoint.yaml"];
            let (_, of_nic) = yaml.split_once(&format!("\n    eth{ni}:\n")).unwrap();
            let of_nic = of_nic.split("\n    eth").next().unwrap();
            for line in [
                format!("addresses: [{address}/16]"),
                format!("- {{to: {subnet}, scope: link, from: {address}, table: {table}}}"),
                format!("- {{from: {address}/32, table: {table}, priority: {table}}}"),
                "mtu: 4200".into(),
            ] {
                assert!(of_nic.contains(&line), "{line}\n{of_nic}");
            }
            let key =
                &manager[&format!("etc/NetworkManager/system-connections/crosspoint-eth{ni}.nmconnection")];
            for line in [
                format!("address1={address}/16"),
                format!("route1={subnet}\nroute1_options=table={table},src={address},scope=253"),
                format!("routing-rule1=priority {table} from {address}/32 table {table}"),
                "mtu=4200".into(),
            ] {
                assert!(key.contains(&line), "{line}\n{key}");
            }
        }
        assert_eq!(networkd.len(), nis.of(pe).len() + 1);
        let sysctl = "etc/sysctl.d/90-crosspoint.conf";
        assert!(networkd[sysctl] == netplan[sysctl] && networkd[sysctl] == manager[sysctl]);
        for text in networkd.values().chain(netplan.values()).chain(manager.values()) {
            let bad = ["orward", "Gateway", "via:"].into_iter().find(|word| text.contains(word));
            assert_eq!(bad, None, "{text}");
        }
    }
}

#[test]
fn nics_are_found_by_the_best_that_is_known_and_keep_their_mac_address() {
    let macs = "macs=node7.nic1=00:1B:21:3c:4d:5e";
    let choices = ["interface=ni", macs, "paths=pci-0000:03:00.0 pci-0000:04:00.0 pci-0000:05:00.0"];
    let manager = files("rdma-networkmanager", &choices, Some(7));
    let key = |nic: u32| {
        &manager[&format!("etc/NetworkManager/system-connections/crosspoint-ni{nic}.nmconnection")]
    };
    let link = |nic: u32| manager.get(&format!("etc/systemd/network/10-crosspoint-ni{nic}.link"));
    assert!(key(1).contains("interface-name=ni1\n") && key(1).contains("mac-address=00:1b:21:3c:4d:5e\n"));
    assert!(link(1).unwrap().ends_with("PermanentMACAddress=00:1b:21:3c:4d:5e\n\n[Link]\nName=ni1\n"));
    assert!(link(0).unwrap().ends_with("Path=pci-0000:03:00.0\n\n[Link]\nName=ni0\n"));
    assert!(link(2).unwrap().contains("Path=pci-0000:05:00.0\n"));
    let by_name = &files("rdma-networkmanager", &["interface=ni", macs], Some(7));
    let of = |folder: &str, end: &str| by_name.get(&format!("etc/{folder}/{end}"));
    assert!(of("systemd/network", "10-crosspoint-ni2.link").is_none());
    let key_of_2 = of("NetworkManager/system-connections", "crosspoint-ni2.nmconnection").unwrap();
    assert!(key_of_2.contains("# Matched by kernel name, which can change between boots."));
    let netplan = files("rdma-netplan", &choices, Some(7));
    assert!(netplan.contains_key("etc/systemd/network/10-crosspoint-ni0.link") && netplan.len() == 4);
    assert!(netplan["etc/netplan/60-crosspoint.yaml"].contains("match: {macaddress: \"00:1b:21:3c:4d:5e\"}"));
    let networkd = files("rdma-networkd", &choices, Some(7));
    assert!(networkd.values().all(|text| !text.contains("\nMACAddress=")), "{networkd:?}");
    let fault =
        export("rdma-netplan", &["macs=node7.nic1=00:1b:21:3c:4d:5e"], Some(7)).unwrap_err().to_string();
    assert!(fault.contains("such as interface=ni"), "{fault}");
}

/// Node 7, NIC 0 of node 5 and switch 2.
#[test]
fn failed_parts_are_left_out() {
    let failed = "failed=node7 node5.nic0 sw2";
    for name in [
        "rdma-networkd",
        "rdma-netplan",
        "rdma-networkmanager",
        "rdma-ansible",
        "kea",
        "maas",
        "warewulf",
        "xcat",
    ] {
        let each = format(name).unwrap().each;
        let parts = if each == FileScope::Node { (0..PES).map(Some).collect() } else { vec![None] };
        for pe in parts {
            for (path, text) in files(name, &[failed], pe) {
                let has = |address: &str| {
                    text.split(|c: char| !c.is_ascii_digit() && c != '.').any(|word| word == address)
                };
                let left = ["10.1.0.8", "10.3.0.8", "10.4.0.8", "10.1.0.6", "10.2.0.1", "10.2.0.6"];
                assert_eq!(left.into_iter().find(|address| has(address)), None, "{name} {path}: {text}");
            }
        }
    }
    let zones = files("dns-zone", &["form=rdma", failed], None);
    let zone = &zones["cluster.example.zone"];
    assert!(!zone.contains("node007") && zone.contains("\nnode005-eth2 IN A 10.5.0.6\n"), "{zone}");
    let env = &files("rdma-env", &[failed], Some(5))[""];
    assert!(env.contains("\nNCCL_IB_HCA==mlx5_2\n") && env.contains("=^=eth2,lo,docker0\n"), "{env}");
    assert!(
        files("rdma-env", &[failed], Some(7))[""].ends_with("# No NIC works, so there is nothing to set.\n")
    );
}

/// The environment of a node with 3 NICs, or 4 on this wiring, for a job with this library.
fn environment(library: &str, gpus: u32, choices: &[&str]) -> String {
    let job = format!("[job]\nranks_per_pe = {gpus}\nlibrary = \"{library}\"\n");
    let text =
        format!("{}{job}", SPEC.replace("= 3\n", "= 4\n").replace("ports = 5\ncount = 6", "ports = 8"));
    let table = format!("{TABLE}6: 0 1 2 3 4 5 6 7\n7: 4 6\n");
    export_of(&text, wiring(&table, PES), "rdma-env", choices, Some(0)).unwrap().remove("").unwrap()
}

#[test]
fn the_environment_merges_nics_as_the_rule_of_nccl_does() {
    // Node 0 is on the switches 0, 2, 4 and 6.
    let pairs = environment("nccl", 2, &[]);
    for line in [
        "NCCL_IB_MERGE_NICS=1",
        "NCCL_NET_FORCE_MERGE=\"mlx5_0,mlx5_1;mlx5_2,mlx5_3\"",
        "NCCL_IB_SUBNET_AWARE_ROUTING=1",
        "NCCL_IB_SUBNET_PREFIX_LEN=16",
    ] {
        assert!(pairs.lines().any(|own| own == line), "{line}\n{pairs}");
    }
    assert!(
        pairs.lines().all(|line| line.is_empty() || line.starts_with('#') || line.contains('=')),
        "{pairs}"
    );
    let one = environment("nccl", 2, &["failed=node0.nic1"]);
    assert!(one.contains("\nNCCL_NET_FORCE_MERGE=mlx5_2,mlx5_3\n"), "{one}");
    assert_eq!(environment("nccl", 4, &[]), pairs, "the nodes are not on the same switches");
    let text = "pes = 4\nnis_per_pe = 2\n[[switch]]\nports = 4\n[job]\nranks_per_pe = 2\n";
    let rails = export_of(text, wiring("0: 0 1 2 3\n1: 0 1 2 3\n", 4), "rdma-env", &[], Some(0)).unwrap();
    let single = &rails[""];
    assert!(single.contains("\nNCCL_IB_MERGE_NICS=0\n") && !single.contains("FORCE_MERGE"), "{single}");
    for library in ["nccl", "any"] {
        assert!(!environment(library, 2, &[]).contains("UCX_MAX_RNDV_RAILS"), "{library}");
    }
    assert!(environment("mpi", 2, &[]).ends_with("\nUCX_MAX_RNDV_RAILS=2\n"));
    let nccl = |library: &str| environment(library, 2, &[]).split("\n# UCX").next().map(str::to_owned);
    assert_eq!(["any", "mpi"].map(nccl), ["nccl", "nccl"].map(nccl), "whatever library the job names");
}

/// Subnets of unlike sizes: NCCL compares as many bits as the largest has, if these bits tell all subnets apart.
#[test]
fn nccl_tells_unlike_subnets_apart() {
    let text = "pes = 8\nnis_per_pe = 2\n[[switch]]\nports = 8\ncount = 1\n[[switch]]\nports = 2\ncount = 4\n\
                [[pattern]]\nkind = \"ring\"\n";
    let env = |table: &str| {
        let choices = ["network=192.168.0.0/24"];
        export_of(text, wiring(table, 8), "rdma-env", &choices, Some(0)).unwrap().remove("").unwrap()
    };
    let apart = env("0: 0 1 2 3 4 5 6 7\n1: 0 1\n");
    assert!(apart.contains("192.168.0.1/28 on sw"), "{apart}");
    assert!(apart.contains("\nNCCL_IB_SUBNET_PREFIX_LEN=28\n"), "{apart}");
    let together = env("0: 0 1 2 3 4 5 6 7\n1: 0 1\n2: 2 3\n");
    assert!(together.contains("\n# NCCL_IB_SUBNET_PREFIX_LEN is missing"), "{together}");
}

#[test]
fn the_environment_counts_the_nodes_that_share_a_switch() {
    let nis = design().nis();
    for pe in 0..PES {
        let shared = |to: &u32, same: bool| {
            let of = |pe: u32| nis.of(pe).iter().enumerate();
            of(pe).any(|(own, switch)| of(*to).any(|(other, to)| switch == to && (!same || own == other)))
        };
        let others = || (0..PES).filter(|&to| to != pe);
        let all = others().filter(|to| shared(to, false)).count();
        let rails = others().filter(|to| shared(to, true)).count();
        let env = &files("rdma-env", &["hca=rocep{nic*2+1}s0"], Some(pe))[""];
        let text = format!(
            "shares a switch with {all} of 7 other nodes: with\n# {rails} on NICs of the same number"
        );
        assert!(env.contains(&text), "{text}\n{env}");
        assert!(env.contains("NCCL_IB_HCA==rocep1s0,rocep3s0"), "{env}");
    }
}

/// Ignition and Butane have the same files, and the network files of the form.
#[test]
fn ignition_has_the_files_of_butane() {
    for (form, unit) in [("form=routed", true), ("form=rdma", false)] {
        let ignition: serde_json::Value =
            serde_json::from_str(&files("ignition", &[form], Some(5))[""]).unwrap();
        let butane = &files("butane", &[form], Some(5))[""];
        let mut all = BTreeMap::new();
        for file in ignition["storage"]["files"].as_array().unwrap() {
            let text = decoded(file["contents"]["source"].as_str().unwrap().strip_prefix("data:,").unwrap());
            let path = file["path"].as_str().unwrap().trim_start_matches('/').to_owned();
            let inline: Vec<String> = text
                .lines()
                .map(|line| if line.is_empty() { String::new() } else { format!("          {line}") })
                .collect();
            let mode = file["mode"].as_u64().unwrap();
            let block = format!(
                "    - path: /{path}\n      mode: {mode:04o}\n      overwrite: true\n      contents:\n        inline: |\n{}\n",
                inline.join("\n")
            );
            assert!(butane.contains(&block), "{block}\n{butane}");
            all.insert(path, text);
        }
        assert_eq!(all.remove("etc/hostname").unwrap(), "node005\n");
        assert_eq!(ignition["systemd"]["units"][0]["enabled"] == true, unit);
        if unit {
            let script = &files("multipath", &[], Some(5))[""];
            assert_eq!(&all["usr/local/sbin/crosspoint-network"], script);
        } else {
            assert_eq!(all, files("rdma-networkmanager", &[], Some(5)));
        }
    }
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        bytes.push(if *first == b'%' {
            let (hex, tail) = rest.split_at(2);
            rest = tail;
            u8::from_str_radix(std::str::from_utf8(hex).unwrap(), 16).unwrap()
        } else {
            *first
        });
    }
    String::from_utf8(bytes).unwrap()
}

/// Kea has the reservations of dnsmasq.
#[test]
fn kea_reserves_what_dnsmasq_reserves() {
    for choices in [&["root=3"][..], &["root=0", "boot-nic=1", "failed=sw3"]] {
        let kea: serde_json::Value = serde_json::from_str(&files("kea", choices, None)[""]).unwrap();
        let mut reserved = BTreeSet::new();
        for subnet in kea["Dhcp4"]["subnet4"].as_array().unwrap() {
            for host in subnet["reservations"].as_array().unwrap() {
                let word = |key: &str| host[key].as_str().unwrap().to_owned();
                reserved.insert([word("hw-address"), word("ip-address"), word("hostname")].join(","));
            }
        }
        let dnsmasq = files("dnsmasq", choices, None);
        let hosts =
            dnsmasq.values().flat_map(|text| text.lines()).filter_map(|line| line.strip_prefix("dhcp-host="));
        let expected: BTreeSet<String> =
            hosts.map(|line| line.strip_suffix(",infinite").unwrap().to_owned()).collect();
        assert!(expected.len() >= 3 && reserved == expected, "{choices:?}: {reserved:?} {expected:?}");
    }
}

#[test]
fn settings_that_do_not_fit_are_refused() {
    for (name, choice, expected) in [
        ("rdma-env", "hca=mlx5_0 mlx5_1", "has 2 of 3 values, one per NIC of a node"),
        (
            "rdma-env",
            "hca=mlx5",
            "has 1 of 3 values, one per NIC of a node; or give a template such as mlx5_{nic}",
        ),
        ("rdma-env", "hca=mlx5_{port}", "{port} is no placeholder; use {nic}."),
        ("rdma-networkd", "interface=eth0 lo eth2", "NIC 1 would be lo, which Linux sets up itself"),
        ("rdma-networkd", "interface=eth0 eth0 eth2", "NICs 0 and 1 would both be eth0"),
        ("linux-switch", "port=p{port/2}", "ports 2 and 3 would both be p1"),
        ("linux-switch", "port=p{port-5}", "{port-5} can be negative; add a larger number."),
        ("rdma-env", "gid-index=256", "255"),
        ("rdma-networkd", "mtu=1279", "from 1,280 to 9,216"),
        ("rdma-netplan", "mtu=9217", "9,216"),
        ("dns-zone", "domain=a..b", "a domain such as cluster.example"),
        ("dns-zone", "domain=-a.example", "a domain such as cluster.example"),
        ("dns-zone", "domain=10.0.0.1", "that does not end in a number"),
        ("kea", "boot-file=a/../b", "without .. as a folder"),
        ("rdma-networkd", "paths=pci-0000:03:00.0", "such as interface=ni"),
        ("cloud-init", "form=multipath", "routed"),
    ] {
        let why = export(name, &[choice], Some(0)).unwrap_err().to_string();
        assert!(why.contains(expected), "{choice}: {why}");
    }
    let why = export("dns-zone", &["form=rdma", "interface=a_1 a.1 b"], None).unwrap_err().to_string();
    assert!(why.contains("\"node000-a-1\"") && why.contains("two NICs would have this name"), "{why}");
}
