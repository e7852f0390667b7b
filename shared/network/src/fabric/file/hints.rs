//! Guesses from names: devices and interfaces of switches have other names than those of hosts.

use super::listed::Role;

/// Names of switches, as the first letters of a word of the name.
const SWITCHES: &[&str] = &[
    "sw",
    "swi",
    "switch",
    "leaf",
    "spine",
    "superspine",
    "sspine",
    "tor",
    "core",
    "agg",
    "aggr",
    "dist",
    "router",
    "rtr",
    "border",
    "fabric",
    "bleaf",
    "bl",
    "edge",
];
/// Names of hosts.
const HOSTS: &[&str] = &[
    "node",
    "host",
    "server",
    "srv",
    "client",
    "gpu",
    "compute",
    "cn",
    "dgx",
    "hgx",
    "worker",
    "login",
    "storage",
    "nas",
    "vm",
    "pc",
    "hca",
    "cpu",
    "controller",
];
/// Beginnings of the interfaces of hosts, before a number.
const NICS: &[&str] = &[
    "eth", "eno", "enp", "ens", "enx", "ib", "ibp", "ibs", "mlx", "roce", "hsn", "bond", "nic", "hca", "hfi",
    "bnxt", "gpu",
];
/// Beginnings of the ports of switches, before a number.
const PORTS: &[&str] =
    &["swp", "Ethernet", "Eth", "et-", "xe-", "ge-", "Gi", "Te", "Hu", "Fo", "Twe", "HundredGigE", "XGE"];

/// The role of a device with that name; `None` if the name does not say.
pub(super) fn of_name(name: &str) -> Option<Role> {
    let name = name.to_ascii_lowercase();
    let words = name.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    // The last word that says something: `gpu-leaf01` is a leaf, and `edge-node01` a node.
    words.rev().find_map(|word| match word {
        word if SWITCHES.contains(&word) || word.ends_with("switch") => Some(Role::Switch),
        word if HOSTS.contains(&word) => Some(Role::Host),
        _ => None,
    })
}

/// The role of a device with an interface of that name; `None` if the name does not say.
pub(super) fn of_interface(name: &str) -> Option<Role> {
    let is_numbered = |start: &&&str| {
        name.strip_prefix(**start).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    if name.contains('/') || PORTS.iter().any(|start| is_numbered(&start)) {
        return Some(Role::Switch);
    }
    let lower = name.to_ascii_lowercase();
    let is_nic = NICS.iter().any(|start| {
        lower
            .strip_prefix(start)
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '_'))
    });
    is_nic.then_some(Role::Host)
}
