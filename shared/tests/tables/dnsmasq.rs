//! The configuration of dnsmasq: who is known by which address, which way relayed requests and answers take, and
//! whether dnsmasq itself can read it.

use super::{
    machines::{Machine, bundle, kasy0, klat2, lab, parted, row, scattered},
    programs,
};
use shared::{
    design::Design,
    exports::{ExportError, format},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    net::Ipv4Addr,
};

/// The text of each file.
fn files(machine: Machine, choices: &[&str]) -> BTreeMap<String, String> {
    let bundle = bundle(machine, "dnsmasq", choices).unwrap();
    let mut files = BTreeMap::new();
    let each = |path: &str, bytes: &[u8]| {
        let before = files.insert(path.to_owned(), String::from_utf8(bytes.to_vec()).unwrap());
        assert_eq!(before, None, "{path} twice");
        Ok::<_, ExportError>(())
    };
    bundle.files(format("dnsmasq").unwrap(), None, each).unwrap();
    files
}

/// What stands behind a word at the beginning of lines, field by field.
fn values<'a>(text: &'a str, word: &str) -> Vec<Vec<&'a str>> {
    text.lines().filter_map(|line| line.strip_prefix(word)).map(|rest| rest.split(',').collect()).collect()
}

/// The network of the readable addresses: switch S is 10.S.0.0/16, PE p is host p + 1.
fn owner(address: &str) -> (u32, u32) {
    let [a, switch, high, low] = address.parse::<Ipv4Addr>().unwrap().octets();
    assert_eq!(a, 10);
    (u32::from(switch), u32::from(high) * 256 + u32::from(low) - 1)
}

fn is_on(design: &Design, (switch, pe): (u32, u32)) -> bool {
    design.members(switch).contains(&pe)
}

#[test]
fn everyone_that_boots_is_known_once_in_the_right_subnet() {
    for machine in [kasy0(), klat2(), lab(), row(), parted(), scattered(7, 30, 3, 9)] {
        let (boots, design) =
            (super::machines::written(machine.clone(), "boot", None, &[]).unwrap(), machine.2.clone());
        let files = files(machine, &[]);
        let server = &files["node000.conf"];
        let subnets: BTreeSet<&str> =
            values(server, "dhcp-range=set:").iter().map(|range| range[1].trim_end_matches(".0.0")).collect();
        let mut known = BTreeSet::new();
        for host in values(server, "dhcp-host=") {
            let (mac, address, name) = (host[0], host[1], host[2]);
            let (switch, pe) = owner(address);
            assert!(is_on(&design, (switch, pe)) && name == format!("node{pe:03}"), "{host:?}");
            assert!(subnets.contains(format!("10.{switch}").as_str()));
            assert!(boots.contains(&format!(",{mac},{address},")), "{host:?} is not what boots");
            assert!(known.insert(pe), "PE {pe} twice");
        }
        let waves = boots.lines().skip(2).filter(|line| !line.starts_with("never")).count();
        assert_eq!(known.len(), waves);
        assert!(server.contains(&format!("\ndhcp-lease-max={}\n", waves.max(1))));
    }
}

/// The routes in a file's comments: from the network of a switch, or one address, to the next PE.
fn routes(text: &str) -> Vec<(&str, &str)> {
    text.lines()
        .filter_map(|line| line.strip_prefix("# run: ip route replace ")?.split_once(" via "))
        .collect()
}

#[test]
fn answers_find_relays_and_relays_find_the_server() {
    for (machine, root) in [(kasy0(), 0), (row(), 0), (row(), 8), (scattered(3, 40, 2, 14), 1), (lab(), 7)] {
        let design = machine.2.clone();
        let files = files(machine, &[&format!("root={root}")]);
        let text = |pe: u32| files.get(&format!("node{pe:03}.conf"));
        let mut relayed = BTreeSet::new();
        for (name, relay) in &files {
            let pe: u32 = name[4..7].parse().unwrap();
            assert_eq!(values(relay, "dhcp-relay=").is_empty(), pe == root);
            for line in values(relay, "dhcp-relay=") {
                let (own, server) = (owner(line[0]), owner(line[1]));
                assert!(
                    own.1 == pe && server.1 == root && is_on(&design, own) && is_on(&design, server),
                    "{line:?}"
                );
                assert!(relayed.insert(own.0), "two relays on switch {}", own.0);
                walk(&design, root, &format!("10.{}.0.0/16", own.0), own, text);
                walk(&design, pe, &format!("{}/32", line[1]), server, text);
            }
        }
    }
}

/// Follows routes from a PE to where a network begins, each over a switch of both, and each PE forwarding.
fn walk<'a>(
    design: &Design,
    from: u32,
    network: &str,
    to: (u32, u32),
    text: impl Fn(u32) -> Option<&'a String>,
) {
    let mut at = from;
    for _ in 0..design.pes() {
        if is_on(design, (to.0, at)) {
            return;
        }
        let file =
            text(at).unwrap_or_else(|| panic!("PE {at} has no file on the way from {from} to {network}"));
        let forwards = file.contains("# run: sysctl -w net.ipv4.ip_forward=1");
        let found = routes(file).into_iter().find(|route| route.0 == network);
        let (_, via) = found.unwrap_or_else(|| panic!("PE {at} knows no way to {network}\n{file}"));
        let next = owner(via);
        assert!(
            is_on(design, next) && is_on(design, (next.0, at)) && (at == from || forwards),
            "{via} from PE {at}"
        );
        at = next.1;
    }
    panic!("from PE {from} to {network} in circles");
}

#[test]
fn settings_are_heeded() {
    let choices = [
        "interface=lan",
        "boot-file=bios/lpxelinux.0",
        "uefi-file=efi/boot.efi",
        "tftp-root=/var/lib/boot",
        "network=192.168.0.0/16",
        "macs=node1.nic0=00:1b:21:3c:4d:5e",
    ];
    let files = files(row(), &choices);
    let server = &files["node000.conf"];
    for line in [
        "interface=lan0",
        "enable-tftp",
        "tftp-root=/var/lib/boot",
        "dhcp-match=set:uefi,option:client-arch,7",
        "dhcp-boot=tag:!uefi,tag:!arm,bios/lpxelinux.0",
        "dhcp-boot=tag:uefi,efi/boot.efi",
        "dhcp-boot=tag:arm,grubaa64.efi",
        "dhcp-range=set:sw00,192.168.0.0,static,255.255.255.0,infinite",
        "dhcp-host=00:1b:21:3c:4d:5e,192.168.0.2,node001,infinite",
        "dhcp-option=tag:sw01,option:router,192.168.1.3",
        "# run: ip route replace 192.168.3.0/24 via 192.168.0.3",
    ] {
        assert!(server.lines().any(|found| found == line), "{line} is not in\n{server}");
    }
    assert_eq!(
        files.keys().collect::<Vec<_>>(),
        ["node000.conf", "node002.conf", "node004.conf", "node006.conf"]
    );
    assert!(
        files["node004.conf"]
            .contains("\n# lan1, sw02: node005 node006.\ndhcp-relay=192.168.2.5,192.168.0.1\n")
    );
}

#[test]
fn dnsmasq_reads_every_file() {
    let compact = ["network=10.200.0.0/16", "avoid=10.200.3.0/24"];
    for (machine, choices) in
        [(kasy0(), &[][..]), (klat2(), &compact), (row(), &["boot-nic=0"]), (parted(), &[])]
    {
        for (name, text) in files(machine, choices) {
            let Some(tried) = programs::run("dnsmasq", &["--test", "-C", "-"], &text) else { return };
            let said = String::from_utf8_lossy(&tried.stderr);
            assert!(tried.status.success() && said.contains("syntax check OK"), "{name}: {said}\n{text}");
        }
    }
}
