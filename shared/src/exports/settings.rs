//! Settings of exports, given as `name=value`.
//!
//! A format names those that it has. One more is one entry in [`SETTINGS`] and one field.

use super::{
    ExportError, Format,
    address::Mac,
    boot, broadcast,
    escape::FORMULA_SIGNS,
    labels::{self, Labels},
};
use crate::{
    design::Faults,
    fabric::vlan::{MAX_VLANS, Method},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    net::Ipv4Addr,
};

/// A thing that may be chosen.
pub struct Setting {
    /// As `--with name=value` takes it.
    pub name: &'static str,
    /// What it decides, in one line.
    pub purpose: &'static str,
    /// What is accepted, in words.
    pub accepted: &'static str,
    /// What holds unless it is chosen, as it would be written; empty for nothing.
    pub default: &'static str,
    pub(super) set: fn(&mut Settings, &str) -> Option<()>,
}

impl Setting {
    /// The words that are accepted, where these are a few that can be listed; else none.
    pub fn choices(&self) -> Vec<&'static str> {
        listed(self.accepted, |word| self.takes(word))
    }

    /// Whether a value is accepted.
    pub fn takes(&self, value: &str) -> bool {
        (self.set)(&mut Settings::default(), value.trim()).is_some()
    }

    /// Where a value is several words and begins with some that are accepted, the first word that is not, beside these.
    fn first_fault<'a>(&self, value: &'a str) -> Option<&'a str> {
        let ends: Vec<usize> = value
            .split_whitespace()
            .map(|word| word.as_ptr() as usize - value.as_ptr() as usize + word.len())
            .collect();
        let accepted = ends.partition_point(|&end| self.takes(&value[..end]));
        let word = value[*ends.get(accepted.checked_sub(1)?)?..].split_whitespace().next()?;
        Some(word.char_indices().nth(80).map_or(word, |(end, _)| &word[..end]))
    }
}

/// Every setting.
pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        name: "network",
        purpose: "the network that addresses are taken from",
        accepted: "an IPv4 network such as 10.0.0.0/8, with a prefix of 8 to 24",
        default: "10.0.0.0/8",
        set: |settings, value| {
            settings.network = Network::parse(value).filter(|n| (8..=24).contains(&n.prefix))?;
            Some(())
        },
    },
    Setting {
        name: "avoid",
        purpose: "networks of the site that addresses must stay clear of",
        accepted: "IPv4 networks such as 10.20.0.0/16, with spaces between them",
        default: "",
        set: |settings, value| {
            settings.avoid = value.split_whitespace().map(Network::parse).collect::<Option<_>>()?;
            Some(())
        },
    },
    Setting {
        name: "interface",
        purpose: "what the operating system calls NIs, without their number",
        accepted: "1 to 12 ASCII letters, digits, - or _, beginning with a letter",
        default: "eth",
        set: |settings, value| {
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
            let begins = value.starts_with(|c: char| c.is_ascii_alphabetic());
            let fits = begins && value.len() <= 12 && value.chars().all(plain);
            settings.interface = fits.then(|| value.to_owned())?;
            Some(())
        },
    },
    Setting {
        name: "port",
        purpose: "what switches call their ports, without the number",
        accepted: "1 to 30 ASCII letters, digits, -, _ or /, beginning with a letter and not ending with a digit",
        default: "swp",
        set: |settings, value| {
            let plain = |c: char| c.is_ascii_alphanumeric() || "-_/".contains(c);
            let begins = value.starts_with(|c: char| c.is_ascii_alphabetic());
            let ends = !value.ends_with(|c: char| c.is_ascii_digit());
            let fits = begins && ends && value.len() <= 30 && value.chars().all(plain);
            settings.port = Some(fits.then(|| value.to_owned())?);
            Some(())
        },
    },
    Setting {
        name: "site",
        purpose: "the site that NetBox is to put everything on; unless chosen, one of the design's name",
        accepted: "1 to 100 characters of which the first is none of = + - @",
        default: "",
        set: |settings, value| {
            let plain = !value.contains(char::is_control) && !value.starts_with(FORMULA_SIGNS);
            let fits = plain && (1..=100).contains(&value.chars().count());
            settings.site = fits.then(|| value.to_owned())?;
            Some(())
        },
    },
    Setting {
        name: "interface-type",
        purpose: "what NetBox calls the kind of all NIs and ports",
        accepted: "a type of NetBox's such as 1000base-t or 100gbase-x-qsfp28",
        default: "other",
        set: |settings, value| {
            settings.interface_type = slug_like(value)?;
            Some(())
        },
    },
    Setting {
        name: "cable-type",
        purpose: "what NetBox calls the kind of all cables",
        accepted: "a type of NetBox's such as cat6 or dac-passive",
        default: "",
        set: |settings, value| {
            settings.cable_type = slug_like(value)?;
            Some(())
        },
    },
    Setting {
        name: "dead",
        purpose: "what is dead and routed around",
        accepted: "switches, PEs and NIs such as sw3 pe7 pe5.ni1, with spaces between them",
        default: "",
        set: |settings, value| {
            settings.dead = Faults::read(value).ok()?;
            Some(())
        },
    },
    Setting {
        name: "through",
        purpose: "which PEs that share no switch are reached through others; unless chosen, all of them on machines of up to \
                  1,024 PEs, and those of requested pairs on larger ones",
        accepted: "all, requested or none",
        default: "",
        set: |settings, value| {
            settings.through = Some(Reach::parse(value)?);
            Some(())
        },
    },
    Setting {
        name: "macs",
        purpose: "the permanent MAC addresses of NIs, by which they are found whatever order they come up in",
        accepted: "NIs with an address each, such as pe7.ni0=00:1b:21:3c:4d:5e, with spaces or line ends between them",
        default: "",
        set: |settings, value| {
            settings.macs = inventory(value)?;
            Some(())
        },
    },
    Setting {
        name: "paths",
        purpose: "where NIs 0, 1 and so on are plugged in, where that is the same in every PE: by it they are found whatever \
                  order they come up in",
        accepted: "paths as `udevadm info` tells with ID_PATH, such as pci-0000:03:00.0, with spaces between them",
        default: "",
        set: |settings, value| {
            let plain = |c: char| c.is_ascii_alphanumeric() || "-_.:".contains(c);
            let fits = |path: &str| path.len() <= 100 && path.chars().all(plain);
            let paths: Vec<String> = value.split_whitespace().map(str::to_owned).collect();
            settings.paths = paths.iter().all(|path| fits(path)).then_some(paths)?;
            Some(())
        },
    },
    broadcast::ROOT,
    broadcast::GROUP,
    boot::BOOT_NI,
    boot::BOOT_FILE,
    labels::SHEET,
    labels::PALETTE,
    labels::QR,
    labels::OF,
    Setting {
        name: "method",
        purpose: "which set of VLANs: every path in dimension order, or minimal paths with about half as many VLANs",
        accepted: "dor or partial-dor",
        default: "dor",
        set: |settings, value| {
            settings.method = Method::ALL.into_iter().find(|method| method.name() == value)?;
            Some(())
        },
    },
    Setting {
        name: "first-vlan",
        purpose: "the number of the first VLAN; the others follow",
        accepted: "1 to 4094",
        default: "2",
        set: |settings, value| {
            settings.first_vlan = vlan(value)?;
            Some(())
        },
    },
    Setting {
        name: "most-vlans",
        purpose: "most VLANs that a switch has",
        accepted: "1 to 4094",
        default: "4094",
        set: |settings, value| {
            settings.most_vlans = vlan(value)?;
            Some(())
        },
    },
    Setting {
        name: "encapsulation",
        purpose: "which tags ports are told to use before they become trunks, as switches want that know ISL as well",
        accepted: "none or dot1q",
        default: "none",
        set: |settings, value| {
            settings.dot1q = ["none", "dot1q"].iter().position(|word| *word == value)? == 1;
            Some(())
        },
    },
    Setting {
        name: "room",
        purpose: "sides that a P-Mesh may grow to without new addresses for the hosts that are there",
        accepted: "sides such as 30x30, none smaller than the network's",
        default: "",
        set: |settings, value| {
            let sides: Result<Vec<u32>, _> = value.split('x').map(|side| side.trim().parse()).collect();
            settings.room = Some(sides.ok()?);
            Some(())
        },
    },
];

/// A VLAN's number, or a number of VLANs.
fn vlan(text: &str) -> Option<u32> {
    text.parse().ok().filter(|vlan| (1..=MAX_VLANS).contains(vlan))
}

/// The words that a text says are accepted, where it lists nothing else.
fn listed(accepted: &'static str, takes: impl Fn(&str) -> bool) -> Vec<&'static str> {
    let parts = accepted.split(", ").flat_map(|part| part.split(" and "));
    let words: Vec<&str> = parts.flat_map(|part| part.split(" or ")).collect();
    let all = words.len() > 1 && words.iter().all(|word| takes(word));
    if all { words } else { Vec::new() }
}

/// NIs with their permanent MAC addresses; none twice, and no address twice.
fn inventory(text: &str) -> Option<BTreeMap<(u32, u32), Mac>> {
    let mut macs = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for word in text.split_whitespace() {
        let (ni, mac) = word.split_once('=')?;
        let (pe, ni) = ni.strip_prefix("pe")?.split_once(".ni")?;
        let mac = Mac::parse(mac).filter(|mac| mac.is_of_a_host() && seen.insert(*mac))?;
        if macs.insert((pe.parse().ok()?, ni.parse().ok()?), mac).is_some() {
            return None;
        }
    }
    Some(macs)
}

/// Which PEs that share no switch are reached through others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Every one.
    All,
    /// Those of pairs that the demand asks for.
    Requested,
    /// None.
    Direct,
}

impl Reach {
    fn parse(word: &str) -> Option<Reach> {
        match word {
            "all" => Some(Reach::All),
            "requested" => Some(Reach::Requested),
            "none" => Some(Reach::Direct),
            _ => None,
        }
    }
}

/// A word of lower-case letters, digits, dots and hyphens, as NetBox's choices are.
fn slug_like(value: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
    ((1..=50).contains(&value.len()) && value.chars().all(plain)).then(|| value.to_owned())
}

/// What was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Where addresses are taken from.
    pub network: Network,
    /// Networks they must stay clear of.
    pub avoid: Vec<Network>,
    /// NIs are called this and their number.
    pub interface: String,
    /// What is dead; whether the wiring has it is seen when it is routed.
    pub dead: Faults,
    /// Which PEs are reached through others; none for what the size of the machine says.
    pub through: Option<Reach>,
    /// Permanent MAC addresses by PE and NI; whether the wiring has the NIs is seen when they are written.
    pub macs: BTreeMap<(u32, u32), Mac>,
    /// Where each NI is plugged in, by NI.
    pub paths: Vec<String>,
    /// The PE that broadcasts begin at, or that serves the boot; whether there is one is seen when it is asked for.
    pub root: u32,
    /// Whom a multicast is for, as first and last PEs of ranges; none for all.
    pub group: Vec<(u32, u32)>,
    /// The NI that PEs boot over; none for any.
    pub boot_ni: Option<u32>,
    /// What they load.
    pub boot_file: String,
    /// Ports of switches are called this and their number; none for the format's default.
    pub port: Option<String>,
    /// NetBox's site; empty for one of the design's name.
    pub site: String,
    /// NetBox's kind of NIs and ports.
    pub interface_type: String,
    /// NetBox's kind of cables; empty for none in particular.
    pub cable_type: String,
    /// What labels are like.
    pub labels: Labels,
    /// The set of VLANs.
    pub method: Method,
    /// The number of the first VLAN; 2 by default, since switches have a VLAN 1 for untagged frames.
    pub first_vlan: u32,
    /// Max VLANs of a switch.
    pub most_vlans: u32,
    /// `true` if ports of IOS are set to IEEE 802.1Q before they become trunks. Switches that know nothing else have no such
    /// command.
    pub dot1q: bool,
    /// Sides that a P-Mesh may grow to; none for those it has.
    pub room: Option<Vec<u32>>,
}

impl Default for Settings {
    fn default() -> Settings {
        let network = Network { first: 10 << 24, prefix: 8 };
        Settings {
            network,
            avoid: Vec::new(),
            interface: "eth".into(),
            dead: Faults::default(),
            through: None,
            macs: BTreeMap::new(),
            paths: Vec::new(),
            root: 0,
            group: Vec::new(),
            boot_ni: None,
            boot_file: "pxelinux.0".into(),
            port: None,
            site: String::new(),
            interface_type: "other".into(),
            cable_type: String::new(),
            labels: Labels::default(),
            method: Method::Dor,
            first_vlan: 2,
            most_vlans: MAX_VLANS,
            dot1q: false,
            room: None,
        }
    }
}

impl Settings {
    /// Takes choices for a format, each `name=value`.
    ///
    /// # Errors
    /// A text without `=`, a setting that the format does not heed, one chosen twice, a value that is not accepted.
    pub fn read<'a>(
        format: &Format,
        choices: impl IntoIterator<Item = &'a str>,
    ) -> Result<Settings, ExportError> {
        let mut settings = Settings::default();
        let mut seen: Vec<&str> = Vec::new();
        for choice in choices {
            let fault = |why: String| ExportError::Setting { choice: choice.chars().take(80).collect(), why };
            let Some((name, value)) = choice.split_once('=') else {
                return Err(fault("expected name=value".into()));
            };
            let (name, value) = (name.trim(), value.trim());
            let Some(setting) = format.settings().find(|setting| setting.name == name) else {
                return Err(fault(match format.settings {
                    [] => format!("{} has no settings", format.name),
                    names => format!("{} has {}", format.name, names.join(", ")),
                }));
            };
            if seen.contains(&name) {
                return Err(fault(format!("{name} is chosen twice")));
            }
            seen.push(name);
            (setting.set)(&mut settings, value).ok_or_else(|| {
                let got = setting.first_fault(value).map_or(String::new(), |word| format!(" (got {word:?})"));
                fault(format!("expected {}{got}", setting.accepted))
            })?;
        }
        Ok(settings)
    }
}

/// An IPv4 network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    /// Its first address.
    pub first: u32,
    /// Leading bits that all its addresses share, 0 to 32.
    pub prefix: u8,
}

impl Network {
    /// Reads `10.0.0.0/8`. `None` for anything else, and where bits after the prefix are set.
    pub fn parse(text: &str) -> Option<Network> {
        let (address, prefix) = text.split_once('/')?;
        let (address, prefix): (Ipv4Addr, u8) = (address.parse().ok()?, prefix.parse().ok()?);
        let network = Network { first: address.to_bits(), prefix };
        (prefix <= 32 && u64::from(network.first).is_multiple_of(network.size())).then_some(network)
    }

    /// Number of addresses.
    pub fn size(self) -> u64 {
        1 << (32 - self.prefix)
    }

    /// Whether two networks have an address in common.
    pub fn meets(self, other: Network) -> bool {
        let (a, b) = (u64::from(self.first), u64::from(other.first));
        a < b + other.size() && b < a + self.size()
    }
}

impl std::fmt::Display for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", Ipv4Addr::from_bits(self.first), self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_a_few_words_list_them_and_others_do_not() {
        let choices = |name: &str| SETTINGS.iter().find(|s| s.name == name).unwrap().choices();
        assert_eq!(choices("through"), ["all", "requested", "none"]);
        assert_eq!(choices("palette"), ["papers", "colour-blind"]);
        for name in ["network", "avoid", "interface", "dead", "macs", "site", "cable-type", "qr"] {
            assert!(choices(name).is_empty(), "{name}: {:?}", choices(name));
        }
        for setting in SETTINGS {
            assert!(
                setting.choices().is_empty() || setting.default.is_empty() || setting.takes(setting.default)
            );
        }
    }
}
