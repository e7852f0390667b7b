//! Settings of the parts of a network: names of NICs and ports, addresses of NICs, and failed parts.

use super::{ExportError, Setting, SettingOf, Settings, address::Mac};
use crate::{
    design::{Faults, GivenGuids},
    spec::names::{Interfaces, NameScheme, PortNames},
};
use std::collections::BTreeSet;

pub(super) const INTERFACE: SettingOf<Interfaces> = Setting::new(
    "interface",
    "NIC names in the operating system: a prefix such as ib, a template such as ens{nic+1}f0, or all names; =NAME for one NIC whose \
     name ends with a letter",
)
.syntax("NIC names", NAMES)
.hint("the spec’s, or eth")
.read(|text| Interfaces::parse(text).map_err(Some));

pub(super) const PORT: SettingOf<PortNames> =
    Setting::new("port", "port names on switches: a prefix such as swp, or a template such as Ethernet{port*4-4}")
        .syntax(
            "Port names",
            "a prefix that does not end with a digit, or a template with {port} or {index}; up to 30 ASCII letters, digits, \
             -, _, /, : or . each",
        )
        .hint("the spec’s, or the format’s own")
        .read(|text| PortNames::parse(text).map_err(Some));

pub(super) const FAILED: SettingOf<String> = Setting::new(
    "failed",
    "failed switches, nodes and NICs, which routes avoid",
)
.words(
    "Failed parts",
    "switches, nodes and NICs such as sw03 node007 node005.nic1, or their names, separated with spaces",
)
.alias("dead")
.read(|text| Ok(text.into()));

/// Words of NICs with their permanent MAC addresses; checked against the wiring when they are written.
pub(super) const MACS: SettingOf<Vec<(String, Mac)>> =
    Setting::new("macs", "permanent MAC addresses of NICs; they find each NIC regardless of its name")
        .words(
            "MAC addresses",
            "NICs with one unicast MAC address each, none twice, such as node7.nic0=00:1b:21:3c:4d:5e, separated with spaces or \
             line ends",
        )
        .read(|text| inventory(text).ok_or(None));

pub(super) const GUIDS: SettingOf<GivenGuids> = Setting::new(
    "guids",
    "GUIDs of InfiniBand ports, and of switches if known; they find each NIC regardless of its name",
)
.words(
    "GUIDs",
    "NICs and switches with one GUID each, none twice, such as node7.nic0=0x08c0eb0300f2a3c4 sw3=0x08c0eb0300a1b2c0, separated with \
     spaces or line ends",
)
.read(|text| GivenGuids::parse(text).ok_or(None));

pub(super) const HARDWARE_PATHS: SettingOf<Vec<String>> = Setting::new(
    "paths",
    "hardware paths of NICs 0, 1, …, if the same in every node; they find each NIC regardless of its \
     name",
)
.words(
    "Hardware paths",
    "different values of ID_PATH from `udevadm info` such as pci-0000:03:00.0, one per NIC, separated with spaces",
)
.read(|text| {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.:".contains(c);
    let fits = |path: &String| path.len() <= 100 && path.chars().all(plain);
    let paths: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    let different: BTreeSet<&String> = paths.iter().collect();
    let fit = paths.iter().all(fits) && different.len() == paths.len();
    fit.then_some(paths).ok_or(None)
});

pub(super) const HCA: SettingOf<Interfaces> = Setting::new(
    "hca",
    "RDMA devices of NICs 0, 1, …: a prefix such as bnxt_re, a template such as rocep{nic+1}s0, or all names",
)
.syntax("RDMA devices", NAMES)
.or("mlx5_{nic}")
.read(|text| Interfaces::parse(text).map_err(Some));

pub(super) const ROOT: SettingOf<String> =
    Setting::new("root", "node that sends broadcasts and serves network boot")
        .syntax("Root node", "a node such as 0 or node7, or its name")
        .or("0")
        .read(|text| is_word(text).then(|| text.into()).ok_or(None));

const NAMES: &str =
    "a prefix, a template with {nic} or a name per NIC; up to 15 ASCII letters, digits, -, _ or . each";

/// `true` if a part of the machine may have such a name.
pub(super) fn is_word(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    (1..=MAX_WORD).contains(&text.len()) && text.chars().all(plain)
}

/// Length of the longest name of a NIC with its node's.
const MAX_WORD: usize = 80;

/// Words of NICs with their permanent MAC addresses; no address twice.
fn inventory(text: &str) -> Option<Vec<(String, Mac)>> {
    let mut seen = BTreeSet::new();
    let entry = |word: &str| {
        let (nic, mac) = word.split_once('=')?;
        let mac = Mac::parse(mac).filter(|mac| mac.is_of_a_host() && seen.insert(*mac))?;
        (is_word(nic) && nic.contains('.')).then(|| (nic.to_owned(), mac))
    };
    text.split_whitespace().map(entry).collect()
}

impl Settings {
    /// Words of failed parts; checked against the wiring when it is routed.
    pub(super) fn failed(&self) -> &str {
        self.given(&FAILED).map_or("", String::as_str)
    }

    /// The failed parts of a network that has no names of its own.
    pub(super) fn faults(&self) -> Result<Faults, ExportError> {
        Faults::read(self.failed()).map_err(|why| ExportError::setting("failed", self.failed(), why))
    }

    /// Names of NIs where no spec has some.
    pub(super) fn interfaces(&self) -> Interfaces {
        self.given(&INTERFACE).cloned().unwrap_or_else(|| NameScheme::default().interface)
    }
}
