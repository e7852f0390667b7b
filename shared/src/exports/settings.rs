//! Settings of exports, given as `name=value`.
//!
//! A format names those that it has. One more is one entry in [`SETTINGS`] and one field of [`Settings`].

use super::{
    ExportError, Format, address::Mac, colours::Palette, escape::FORMULA_SIGNS, labels,
    netbox_addresses::NodeAddresses, netbox_types, switches::FlowControl,
};
use crate::{
    design::{Faults, GivenGuids},
    fabric::vlan::{MAX_VLANS, Method},
    form::{Choice, Field, Kind},
    spec::{
        MARKETS,
        names::{Interfaces, MAX_HOST_NAME, NameScheme, PortNames},
    },
    text::is_hidden,
};
use ipnet::Ipv4Net;
use std::{collections::BTreeSet, net::Ipv4Addr};

/// A setting of exports.
pub struct Setting {
    /// Name, label, default and help.
    pub field: Field,
    /// An older name that is accepted, too; empty for none.
    alias: &'static str,
    set: fn(&mut Settings, &str) -> Result<(), Reason>,
}

impl Setting {
    const fn new(key: &'static str, help: &'static str) -> Setting {
        let field = Field { key, help, ..Field::new("", Kind::Lines) };
        Setting { field, alias: "", set: |_, _| Err(None) }
    }

    const fn field(self, field: Field) -> Setting {
        let Field { key, help, .. } = self.field;
        Setting { field: Field { key, help, ..field }, ..self }
    }

    const fn syntax(self, label: &'static str, words: &'static str) -> Setting {
        self.field(Field::new(label, Kind::Syntax(words)))
    }

    const fn choice(self, label: &'static str, choices: &'static [Choice]) -> Setting {
        self.field(Field::new(label, Kind::Choice(choices)))
    }

    const fn or(self, default: &'static str) -> Setting {
        Setting { field: self.field.or(default), ..self }
    }

    const fn hint(self, hint: &'static str) -> Setting {
        Setting { field: self.field.hint(hint), ..self }
    }

    const fn set(self, set: fn(&mut Settings, &str) -> Result<(), Reason>) -> Setting {
        Setting { set, ..self }
    }

    const fn alias(self, alias: &'static str) -> Setting {
        Setting { alias, ..self }
    }

    /// `true` if it goes by that name.
    pub fn is(&self, name: &str) -> bool {
        self.field.key == name || !name.is_empty() && self.alias == name
    }

    /// Checks a value.
    ///
    /// # Errors
    /// It is not accepted; the error describes accepted values.
    pub fn check(&self, value: &str) -> Result<(), String> {
        self.read(&mut Settings::default(), value.trim())
    }

    fn read(&self, settings: &mut Settings, value: &str) -> Result<(), String> {
        self.field.check(value)?;
        (self.set)(settings, value).map_err(|reason| {
            reason.unwrap_or_else(|| {
                let got = self.first_fault(value).map_or(String::new(), |word| format!(" (got {word:?})"));
                self.field.kind.expected() + &got
            })
        })
    }

    /// The first word that is not accepted, of a value of several words that begins with accepted ones.
    fn first_fault<'a>(&self, value: &'a str) -> Option<&'a str> {
        let ends: Vec<usize> = value
            .split_whitespace()
            .map(|word| word.as_ptr() as usize - value.as_ptr() as usize + word.len())
            .collect();
        let takes = |value: &str| (self.set)(&mut Settings::default(), value).is_ok();
        let accepted = ends.partition_point(|&end| takes(&value[..end]));
        let word = value[*ends.get(accepted.checked_sub(1)?)?..].split_whitespace().next()?;
        Some(word.char_indices().nth(80).map_or(word, |(end, _)| &word[..end]))
    }
}

/// What is expected instead of a value, if the setting's description does not say it.
type Reason = Option<String>;

/// Puts an accepted value in its place.
fn put<T>(place: &mut T, value: Option<T>) -> Result<(), Reason> {
    *place = value.ok_or(None)?;
    Ok(())
}

/// Puts a value in its place whose parser knows what is expected.
fn put_parsed<T>(place: &mut T, value: Result<impl Into<T>, String>) -> Result<(), Reason> {
    *place = value.map_err(Some)?.into();
    Ok(())
}

/// GPUs that SimAI knows.
const GPUS: [Choice; 4] = [
    Choice::new("H100", "H100"),
    Choice::new("H800", "H800"),
    Choice::new("A100", "A100"),
    Choice::new("A800", "A800"),
];

/// Every setting.
pub(super) const SETTINGS: &[Setting] = &[
    Setting::new("network", "network of all addresses")
        .syntax("Network", "a network of IPv4 hosts such as 10.0.0.0/8, with a prefix of 8 to 24 and no bits after it")
        .or("10.0.0.0/8")
        .set(|s, value| put(&mut s.network, network(value).filter(|n| (8..=24).contains(&n.prefix_len())))),
    Setting::new("avoid", "networks of the site that addresses must not overlap")
        .syntax("Networks to avoid", "networks of IPv4 hosts such as 10.20.0.0/16, without bits after the prefix, separated with spaces")
        .set(|s, value| put(&mut s.avoid, value.split_whitespace().map(network).collect())),
    Setting::new(
        "interface",
        "NIC names in the operating system: a prefix such as ib, a template such as ens{nic+1}f0, or all names",
    )
    .syntax(
        "NIC names",
        "a prefix, a template with {nic} or a name per NIC; up to 15 ASCII letters, digits, -, _ or . each",
    )
    .hint("the spec’s, or eth")
    .set(|s, value| put_parsed(&mut s.interface, Interfaces::parse(value))),
    Setting::new(
        "port",
        "port names on switches: a prefix such as swp, or a template such as Ethernet{port*4-4}",
    )
    .syntax(
        "Port names",
        "a prefix that does not end with a digit, or a template with {port} or {index}; up to 30 ASCII letters, digits, \
         -, _, /, : or . each",
    )
    .hint("the spec’s, or the format’s own")
    .set(|s, value| put_parsed(&mut s.port, PortNames::parse(value))),
    Setting::new("site", "NetBox site of all devices; the design's name by default")
        .syntax("NetBox site", "1 to 100 visible characters that do not start with = + - @")
        .hint("the design’s name")
        .set(|s, value| {
            put(&mut s.netbox.site, netbox_name(value))
        }),
    Setting::new("manufacturer", "manufacturer of all devices that NetBox has already")
        .syntax("NetBox manufacturer", NETBOX_NAME)
        .hint("a new one")
        .set(|s, value| put(&mut s.netbox.manufacturer, netbox_name(value))),
    Setting::new("node-role", "device role of nodes that NetBox has already")
        .syntax("NetBox role of nodes", NETBOX_NAME)
        .hint("a new one")
        .set(|s, value| put(&mut s.netbox.node_role, netbox_name(value))),
    Setting::new("switch-role", "device role of switches that NetBox has already")
        .syntax("NetBox role of switches", NETBOX_NAME)
        .hint("a new one")
        .set(|s, value| put(&mut s.netbox.switch_role, netbox_name(value))),
    Setting::new("node-type", "model of the device type of nodes that NetBox has already")
        .syntax("NetBox type of nodes", NETBOX_NAME)
        .hint("new ones")
        .set(|s, value| put(&mut s.netbox.node_type, netbox_name(value))),
    Setting::new("switch-type", "model of the device type of switches that NetBox has already")
        .syntax("NetBox type of switches", NETBOX_NAME)
        .hint("new ones")
        .set(|s, value| put(&mut s.netbox.switch_type, netbox_name(value))),
    Setting::new("uplink-type", "model of the device type of a separate uplink switch that NetBox has already")
        .syntax("NetBox type of the uplink switch", NETBOX_NAME)
        .hint("a new one")
        .set(|s, value| put(&mut s.netbox.uplink_type, netbox_name(value))),
    Setting::new("interface-type", "NetBox type of all NICs and ports")
        .syntax(
            "NetBox interface type",
            "an interface type of NetBox such as 1000base-t, 100gbase-x-qsfp28 or 400gbase-x-osfp",
        )
        .or("other")
        .set(|s, value| put(&mut s.netbox.interface_type, known(value, netbox_types::is_interface))),
    Setting::new("cable-type", "NetBox type of all cables")
        .syntax("NetBox cable type", "a cable type of NetBox such as cat6, dac-passive, aoc or mmf-om4")
        .set(|s, value| put(&mut s.netbox.cable_type, known(value, netbox_types::is_cable))),
    Setting::new("addresses", "IP addresses of nodes in NetBox, as one of the host formats has them")
        .choice(
            "NetBox addresses",
            &[
                Choice::new("none", "none"),
                Choice::new("routed", "one per node on lo, as in multipath, networkd and netplan"),
                Choice::new("rdma", "one per NIC, as in the formats for RDMA"),
            ],
        )
        .or("none")
        .set(|s, value| {
            let addresses = match value {
                "routed" => NodeAddresses::Routed,
                "rdma" => NodeAddresses::Rdma,
                _ => NodeAddresses::None,
            };
            put(&mut s.netbox.addresses, Some(addresses))
        }),
    Setting::new("failed", "failed switches, nodes and NICs, which routes avoid")
        .syntax("Failed parts", "switches, nodes and NICs such as sw03 pe007 pe005.ni1, or their names, separated with spaces")
        .set(|s, value| put(&mut s.dead, Some(value.into())))
        .alias("dead"),
    Setting::new(
        "through",
        "pairs without a shared switch that get routes through other nodes; by default all, or the \
         requested ones above 1,024 nodes",
    )
    .choice(
        "Forwarding",
        &[
            Choice::new("all", "all pairs"),
            Choice::new("requested", "requested pairs"),
            Choice::new("none", "no pairs"),
        ],
    )
    .set(|s, value| {
        let reach = match value {
            "all" => Reach::All,
            "requested" => Reach::Requested,
            _ => Reach::Direct,
        };
        put(&mut s.through, Some(Some(reach)))
    }),
    Setting::new("macs", "permanent MAC addresses of NICs; they find each NIC regardless of its name")
        .syntax(
            "MAC addresses",
            "NICs with an address of a host each, none twice, such as pe7.ni0=00:1b:21:3c:4d:5e, separated with spaces or \
             line ends",
        )
        .set(|s, value| put(&mut s.macs, inventory(value))),
    Setting::new("guids", "GUIDs of InfiniBand ports, and of switches if known; they find each NIC regardless of its name")
        .syntax(
            "GUIDs",
            "NICs and switches with a GUID each, none twice, such as pe7.ni0=0x08c0eb0300f2a3c4 sw3=0x08c0eb0300a1b2c0, separated with \
             spaces or line ends",
        )
        .set(|s, value| put(&mut s.guids, GivenGuids::parse(value))),
    Setting::new(
        "paths",
        "hardware paths of NICs 0, 1, …, if the same in every node; they find each NIC regardless of its \
         name",
    )
    .syntax(
        "Hardware paths",
        "different values of ID_PATH from `udevadm info` such as pci-0000:03:00.0, one per NIC, separated with spaces",
    )
    .set(|s, value| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.:".contains(c);
        let fits = |path: &str| path.len() <= 100 && path.chars().all(plain);
        let paths: Vec<String> = value.split_whitespace().map(str::to_owned).collect();
        let different: BTreeSet<&String> = paths.iter().collect();
        let fit = paths.iter().all(|path| fits(path)) && different.len() == paths.len();
        put(&mut s.paths, fit.then_some(paths))
    }),
    Setting::new("mtu", "largest packet of NICs with an address each, in bytes; their switches must pass it")
        .field(Field::whole("MTU", 1280, 9216).unit("bytes"))
        .or("9000")
        .set(|s, value| put(&mut s.mtu, value.parse().ok())),
    Setting::new(
        "hca",
        "RDMA devices of NICs 0, 1, …: a prefix such as bnxt_re, a template such as rocep{nic+1}s0, or all names",
    )
    .syntax(
        "RDMA devices",
        "a prefix, a template with {nic} or a name per NIC; up to 15 ASCII letters, digits, -, _ or . each",
    )
    .or("mlx5_{nic}")
    .set(|s, value| put_parsed(&mut s.hca, Interfaces::parse(value))),
    Setting::new("gid-index", "index of the RoCE v2 address in the GID table of each RDMA device")
        .field(Field::whole("GID index", 0, 255))
        .or("3")
        .set(|s, value| put(&mut s.gid_index, value.parse().ok())),
    Setting::new("form", "addresses of nodes: one per node with routes over all switches, or one per NIC for RDMA")
        .choice(
            "Addresses",
            &[
                Choice::new("routed", "one per node, as in multipath, networkd and netplan"),
                Choice::new("rdma", "one per NIC, as in the formats for RDMA"),
            ],
        )
        .or("routed")
        .set(|s, value| put(&mut s.rdma, Some(value == "rdma"))),
    Setting::new("domain", "DNS zone of the nodes; by default cluster.example, and none in prometheus")
        .syntax("DNS zone", "a domain such as cluster.example, of up to 180 letters, digits, hyphens and dots, whose last part is no number")
        .hint("cluster.example, or none")
        .set(|s, value| put(&mut s.domain, domain(value).map(Some))),
    Setting::new("flow-control", "means against loss where several nodes send to one")
        .choice(
            "Flow control",
            &[
                Choice::new("pfc", "per priority, with DSCP 26, for RoCE"),
                Choice::new("pause", "pause frames for all traffic"),
                Choice::new("none", "none"),
            ],
        )
        .or("pfc")
        .set(|s, value| {
            let flow = match value {
                "pfc" => FlowControl::Pfc,
                "pause" => FlowControl::Pause,
                _ => FlowControl::None,
            };
            put(&mut s.flow_control, Some(flow))
        }),
    Setting::new("management", "network of the switches' management ports; switch 0 has its first address, the gateway its last")
        .syntax("Management network", "a network of IPv4 hosts such as 192.168.0.0/24, with a prefix of 8 to 30 and no bits after it")
        .hint("no addresses")
        .set(|s, value| {
            let fits = |n: &Ipv4Net| (8..=30).contains(&n.prefix_len());
            put(&mut s.management, network(value).filter(fits).map(Some))
        }),
    Setting::new("management-port", "name of the switches' management ports in NetBox")
        .syntax("Management port", "1 to 30 ASCII letters, digits, -, _, /, : or . such as eth0, mgmt0 or Management1")
        .or("eth0")
        .set(|s, value| put(&mut s.netbox.management_port, management_port(value))),
    Setting::new("spare-share", "spare parts to buy, in percent of each part")
        .field(Field::whole("Spare parts", 0, 100).unit("%"))
        .or("5")
        .set(|s, value| put(&mut s.spare_share, value.parse().ok())),
    Setting::new("lengths", "cable lengths that are sold, in metres")
        .syntax("Cable lengths", "lengths such as 0.5 1 2.5 in metres, up to 10000, separated with spaces")
        .or("0.5 1 1.5 2 2.5 3 4 5 7 10 15 20 25 30 40 50 70 100")
        .set(|s, value| put(&mut s.lengths, lengths(value))),
    Setting::new("cores", "cores of each rank; rank k of a node starts at core k times this")
        .field(Field::whole("Cores per rank", 1, 1024))
        .or("1")
        .set(|s, value| put(&mut s.cores, value.parse().ok())),
    Setting::new("root", "node that sends broadcasts and serves network boot")
        .syntax("Root node", "a node such as 0 or pe7, or its name")
        .or("0")
        .set(|s, value| put(&mut s.root, is_word(value).then(|| value.into()))),
    Setting::new("group", "nodes that receive the multicast; all by default")
        .syntax("Multicast group", "nodes, by number or name, and ranges such as 0-7 pe12 20-31, separated with spaces")
        .hint("all nodes")
        .set(|s, value| {
            let words: Vec<String> = value.split_whitespace().map(str::to_owned).collect();
            put(&mut s.group, words.iter().all(|word| is_word(word)).then_some(words))
        }),
    Setting::new("boot-ni", "NIC that nodes boot over; by default their firmware tries every NIC")
        .field(Field::whole("Boot NIC", 0, 63))
        .set(|s, value| put(&mut s.boot_ni, value.parse().ok().map(Some))),
    Setting::new("boot-file", "file that nodes without UEFI firmware load to boot")
        .syntax("Boot file", "a path of up to 127 ASCII letters, digits, -, _, . or /, without .. as a folder")
        .or("pxelinux.0")
        .set(|s, value| put(&mut s.boot_file, path(value))),
    Setting::new("uefi-file", "file that nodes with x86-64 UEFI firmware load to boot")
        .syntax("UEFI boot file", "a path of up to 127 ASCII letters, digits, -, _, . or /, without .. as a folder")
        .or("grubx64.efi")
        .set(|s, value| put(&mut s.uefi_file, path(value))),
    Setting::new("arm-file", "file that nodes with 64-bit ARM UEFI firmware load to boot")
        .syntax("ARM boot file", "a path of up to 127 ASCII letters, digits, -, _, . or /, without .. as a folder")
        .or("grubaa64.efi")
        .set(|s, value| put(&mut s.arm_file, path(value))),
    Setting::new("tftp-root", "folder of the boot files on the boot server")
        .syntax("TFTP folder", "a path of up to 127 ASCII letters, digits, -, _, . or / that starts with /, without .. as a folder")
        .or("/srv/tftp")
        .set(|s, value| put(&mut s.tftp_root, path(value).filter(|path| path.starts_with('/')))),
    Setting::new("sheet", "paper, die-cut sheet or tape that labels are printed on")
        .field(Field::new("Sheet or tape", Kind::Listed(labels::sheets)))
        .or("paper")
        .set(|s, value| put(&mut s.labels.sheet, labels::known(value, labels::SHEETS))),
    Setting::new("roll", "labels or continuous stock in the label printer")
        .field(Field::new("Label stock", Kind::Listed(labels::rolls)))
        .or("51x25")
        .set(|s, value| put(&mut s.labels.roll, labels::known(value, labels::ROLLS))),
    Setting::new("dpi", "resolution of the label printer, in dots per inch")
        .choice(
            "Resolution",
            &[
                Choice::new("203", "203 dots per inch (8 per mm)"),
                Choice::new("300", "300 dots per inch (11.8 per mm)"),
            ],
        )
        .or("203")
        .set(|s, value| put(&mut s.labels.dpi, value.parse().ok())),
    Setting::new("palette", "colours of cables")
        .choice(
            "Palette",
            &[
                Choice::new("papers", "20 colours, as in the LCPC paper"),
                Choice::new("colour-blind", "8 colours that colour-blind people can tell apart"),
            ],
        )
        .or("papers")
        .set(|s, value| put(&mut s.labels.palette, Some(Palette::named(value)))),
    Setting::new("qr", "QR code on each label; it opens the node's page and needs the setting link")
        .choice(
            "QR code",
            &[Choice::new("node", "link of the node’s page"), Choice::new("none", "no QR code")],
        )
        .or("node")
        .set(|s, value| put(&mut s.labels.qr, Some(value == "node"))),
    Setting::new("link", "link of the saved design, for sheets and QR codes; the studio knows it itself")
        .syntax(
            "Link of the design",
            "an address such as https://studio.example.org/d/ID, up to 120 ASCII characters, without ? and #",
        )
        .hint("the saved design’s link")
        .set(|s, value| put(&mut s.origin.link, address(value).map(Some))),
    Setting::new("paper", "paper of the report")
        .choice("Paper", &[Choice::new("a4", "A4"), Choice::new("letter", "Letter")])
        .or("a4")
        .set(|s, value| put(&mut s.origin.letter, Some(value == "letter"))),
    Setting::new("date", "date on the sheets; today by default")
        .syntax("Date", "a date such as 2026-11-22")
        .hint("today")
        .set(|s, value| put(&mut s.origin.date, date(value).map(Some))),
    Setting::new("of", "things to label; print the calibration page first")
        .choice(
            "Labels for",
            &[
                Choice::new("pe", "nodes"),
                Choice::new("cable", "both ends of each cable"),
                Choice::new("flag", "both ends of each cable, as flags that wrap round it"),
                Choice::new("calibration", "a calibration page"),
            ],
        )
        .or("pe")
        .set(|s, value| {
            let of = match value {
                "pe" => Of::Pe,
                "cable" => Of::Cable,
                "flag" => Of::Flag,
                _ => Of::Calibration,
            };
            put(&mut s.labels.of, Some(of))
        }),
    Setting::new("diameter", "outer diameter of cables that flags wrap round, in mm")
        .field(Field::number("Cable diameter", 1.0, 50.0).unit("mm"))
        .or("6")
        .set(|s, value| {
            let micrometres = |mm: f64| (mm * 1000.0).round() as u32;
            put(&mut s.labels.diameter_um, value.parse().ok().map(micrometres))
        }),
    Setting::new(
        "method",
        "set of VLANs: dor routes in dimension order, partial-dor takes minimal paths with about half as \
         many VLANs",
    )
    .choice(
        "VLAN method",
        &[
            Choice::new("dor", "dimension order"),
            Choice::new("partial-dor", "minimal paths, about half as many VLANs"),
        ],
    )
    .or("dor")
    .set(|s, value| put(&mut s.method, Method::ALL.into_iter().find(|method| method.name() == value))),
    Setting::new("first-vlan", "number of the first VLAN; the others follow")
        .field(Field::whole("First VLAN", 1, MAX_VLANS as u64))
        .or("2")
        .set(|s, value| put(&mut s.first_vlan, value.parse().ok())),
    Setting::new("most-vlans", "max VLANs per switch")
        .field(Field::whole("Max VLANs", 1, MAX_VLANS as u64))
        .or("4094")
        .set(|s, value| put(&mut s.most_vlans, value.parse().ok())),
    Setting::new("encapsulation", "trunk encapsulation command; switches that also support ISL need dot1q")
        .choice(
            "Trunk encapsulation",
            &[Choice::new("none", "no command"), Choice::new("dot1q", "IEEE 802.1Q")],
        )
        .or("none")
        .set(|s, value| put(&mut s.dot1q, Some(value == "dot1q"))),
    Setting::new("market", "market of speeds and latencies; the spec’s by default, or 400g")
        .field(Field::new("Market", Kind::Choice(MARKETS)))
        .hint("the spec’s")
        .set(|s, value| {
            put(&mut s.market, MARKETS.iter().find(|market| market.word == value).map(|m| Some(m.word)))
        }),
    Setting::new("gpu", "GPU of all nodes, as SimAI names it")
        .choice("GPU", &GPUS)
        .or("H100")
        .set(|s, value| put(&mut s.gpu, GPUS.iter().find(|gpu| gpu.word == value).map(|gpu| gpu.word))),
    Setting::new("nvlink", "speed of a GPU to its NVSwitch, in Gb/s")
        .field(Field::whole("NVLink speed", 1, 1_000_000).unit("Gb/s"))
        .or("2880")
        .set(|s, value| put(&mut s.nvlink, value.parse().ok())),
    Setting::new("room", "sides that a P-Mesh may grow to without new addresses for existing nodes")
        .syntax("Room to grow", "sides such as 30x30, none smaller than the network's")
        .set(|s, value| {
            let sides: Option<Vec<u32>> = value.split('x').map(|side| side.trim().parse().ok()).collect();
            put(&mut s.room, sides.map(Some))
        }),
];

/// A path without spaces and quotes, as short as the field of the boot file in DHCP.
fn path(text: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    let fits = (1..=127).contains(&text.len()) && text.chars().all(plain);
    (fits && text.split('/').all(|part| part != "..")).then(|| text.to_owned())
}

/// An IPv4 network of hosts without bits after its prefix: neither multicast, loopback nor reserved.
fn network(text: &str) -> Option<Ipv4Net> {
    text.parse().ok().filter(|net: &Ipv4Net| net.trunc() == *net && is_of_hosts(net.network()))
}

fn is_of_hosts(address: Ipv4Addr) -> bool {
    (1..=223).contains(&address.octets()[0]) && !address.is_loopback()
}

/// The value, if it is known.
fn known(value: &str, is_known: fn(&str) -> bool) -> Option<String> {
    is_known(value).then(|| value.to_owned())
}

const NETBOX_NAME: &str = "a name in NetBox of 1 to 100 visible characters that do not start with = + - @";

/// A name of something in NetBox.
fn netbox_name(text: &str) -> Option<String> {
    let plain = !text.contains(is_hidden) && !text.starts_with(FORMULA_SIGNS);
    (plain && (1..=100).contains(&text.chars().count())).then(|| text.to_owned())
}

/// A name of a port that no CSV file has to quote.
fn management_port(text: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_/:.".contains(c);
    let fits = (1..=30).contains(&text.len()) && text.chars().all(plain);
    (fits && !text.starts_with(FORMULA_SIGNS)).then(|| text.to_owned())
}

/// `true` if a part of the machine may have such a name.
fn is_word(text: &str) -> bool {
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

/// The address of a page, without a slash at its end.
fn address(text: &str) -> Option<String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
    let plain = |c: char| c.is_ascii_graphic() && !"?#\"<>\\^`{|}".contains(c);
    let fits = text.len() <= 120 && rest.starts_with(|c: char| c != '/') && rest.chars().all(plain);
    fits.then(|| text.trim_end_matches('/').to_owned())
}

/// Lengths in metres as centimetres; at least one.
fn lengths(text: &str) -> Option<Vec<u64>> {
    let length = |word: &str| {
        let plain = word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let metres: f64 = word.parse().ok().filter(|_| plain)?;
        let centimetres = (metres * 100.0).round();
        ((1.0..=1e6).contains(&centimetres)).then_some(centimetres as u64)
    };
    let lengths: Option<Vec<u64>> = text.split_whitespace().map(length).collect();
    lengths.filter(|lengths| !lengths.is_empty())
}

/// A date as in ISO 8601: year, month and day.
fn date(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return None };
    let number = |part: &str, digits: usize, most: u32| {
        let plain = part.len() == digits && part.bytes().all(|b| b.is_ascii_digit());
        part.parse().ok().filter(|number: &u32| plain && (1..=most).contains(number))
    };
    let year = number(year, 4, 9999)?;
    let days = match number(month, 2, 12)? {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    number(day, 2, days).map(|_| text.to_owned())
}

/// A domain in small letters, without a dot at its end. 180 characters leave room for the longest name in it.
fn domain(text: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let label = |label: &str| {
        let fits = (1..=MAX_HOST_NAME).contains(&label.len()) && label.chars().all(plain);
        fits && !label.starts_with('-') && !label.ends_with('-')
    };
    let text = text.strip_suffix('.').unwrap_or(text);
    let lower = text.to_ascii_lowercase();
    let top = lower.split('.').next_back()?;
    // An address is no domain, and the export has the reverse zones itself.
    let is_domain = top != "arpa" && !top.bytes().all(|byte| byte.is_ascii_digit());
    (text.len() <= 180 && text.split('.').all(label) && is_domain).then_some(lower)
}

/// PEs without a shared switch that are reached through others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// All.
    All,
    /// Those of requested pairs.
    Requested,
    /// None.
    Direct,
}

/// Things to label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Each PE, with all its NIs.
    Pe,
    /// Both ends of each cable.
    Cable,
    /// Both ends of each cable, twice each: a flag wraps round the cable, and its halves stick together back to back.
    Flag,
    /// Nothing: rulers, outlines of the labels and patches of the colours.
    Calibration,
}

impl Of {
    /// `true` if each label is for one end of a cable.
    pub fn is_of_ends(self) -> bool {
        matches!(self, Of::Cable | Of::Flag)
    }
}

/// Settings of labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    /// Name of the sheet or tape.
    pub(super) sheet: &'static str,
    /// Name of the stock in a label printer.
    pub(super) roll: &'static str,
    /// Resolution of a label printer, in dots per inch.
    pub(super) dpi: u32,
    /// Colours of cables.
    pub(super) palette: Palette,
    /// `true` if each label has a QR code, as far as the link is known.
    pub(super) qr: bool,
    /// Things to label.
    pub(super) of: Of,
    /// Outer diameter of cables, in micrometres.
    pub(super) diameter_um: u32,
}

/// Names and types in NetBox. Empty names are those of things to create.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NetBox {
    /// Site; empty for one of the design's name.
    pub site: String,
    /// Manufacturer.
    pub manufacturer: String,
    /// Role of nodes.
    pub node_role: String,
    /// Role of switches.
    pub switch_role: String,
    /// Device type of nodes.
    pub node_type: String,
    /// Device type of switches.
    pub switch_type: String,
    /// Device type of a separate uplink switch.
    pub uplink_type: String,
    /// Type of NIs and ports.
    pub interface_type: String,
    /// Type of cables; empty for none.
    pub cable_type: String,
    /// Addresses of nodes.
    pub addresses: NodeAddresses,
    /// Name of the switches' management ports.
    pub management_port: String,
}

/// Where and when printed pages come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Address of the design's page.
    pub(super) link: Option<String>,
    /// Day of the export. Nothing here has a clock.
    pub(super) date: Option<String>,
    /// `true` for Letter paper instead of A4.
    pub(super) letter: bool,
}

/// Values of all settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Network of all addresses.
    pub network: Ipv4Net,
    /// Networks that addresses must not overlap.
    pub avoid: Vec<Ipv4Net>,
    /// Names of NIs; `None` for the spec's.
    pub interface: Option<Interfaces>,
    /// Words of failed parts; checked against the wiring when it is routed.
    pub dead: String,
    /// PEs that are reached through others; `None` to decide by the size of the machine.
    pub through: Option<Reach>,
    /// Words of NICs with their permanent MAC addresses; checked against the wiring when they are written.
    pub macs: Vec<(String, Mac)>,
    /// GUIDs of InfiniBand ports and switches; checked against the wiring when they are written.
    pub guids: GivenGuids,
    /// Hardware path of each NI.
    pub paths: Vec<String>,
    /// MTU of all NICs, in bytes.
    pub mtu: u32,
    /// Names of RDMA devices.
    pub hca: Interfaces,
    /// Index of the RoCE v2 address in a device's GID table.
    pub gid_index: u32,
    /// `true` for one address per NIC, `false` for one per node with routes.
    pub rdma: bool,
    /// DNS zone of the nodes; `None` for an example, or for names without a zone.
    pub domain: Option<String>,
    /// Flow control of switches.
    pub flow_control: FlowControl,
    /// Network of the switches' management ports; `None` for no addresses.
    pub management: Option<Ipv4Net>,
    /// Spare parts to buy, in percent.
    pub spare_share: u32,
    /// Cable lengths that are sold, in centimetres.
    pub lengths: Vec<u64>,
    /// Cores of each rank.
    pub cores: u32,
    /// Word of the PE that sends broadcasts or serves network boot; checked against the wiring when it is used.
    pub root: String,
    /// Words of PEs of a multicast, and of ranges; empty for all.
    pub group: Vec<String>,
    /// NI that PEs boot over; `None` for any.
    pub boot_ni: Option<u32>,
    /// File that PEs boot whose firmware is no UEFI.
    pub boot_file: String,
    /// File that PEs with x86-64 UEFI firmware boot.
    pub uefi_file: String,
    /// File that PEs with 64-bit ARM UEFI firmware boot.
    pub arm_file: String,
    /// Folder of these files.
    pub tftp_root: String,
    /// Names of ports; `None` for the spec's, or the format's default.
    pub port: Option<PortNames>,
    /// Names and types in NetBox.
    pub netbox: NetBox,
    /// Settings of labels.
    pub labels: Labels,
    /// Link and date on printed pages.
    pub origin: Origin,
    /// Set of VLANs.
    pub method: Method,
    /// Number of the first VLAN; 2 by default, since switches use VLAN 1 for untagged frames.
    pub first_vlan: u32,
    /// Max VLANs per switch.
    pub most_vlans: u32,
    /// `true` if ports of IOS are set to IEEE 802.1Q before they become trunks. Switches without ISL have no such command.
    pub dot1q: bool,
    /// Sides that a P-Mesh may grow to; `None` for its own.
    pub room: Option<Vec<u32>>,
    /// Key of the market of speeds and latencies; `None` for the spec's, or the default one.
    pub market: Option<&'static str>,
    /// GPU of all nodes.
    pub gpu: &'static str,
    /// Speed of a GPU to its NVSwitch, in Gb/s.
    pub nvlink: u32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            network: Ipv4Net::new_assert(Ipv4Addr::new(10, 0, 0, 0), 8),
            avoid: Vec::new(),
            interface: None,
            dead: String::new(),
            through: None,
            macs: Vec::new(),
            guids: GivenGuids::default(),
            paths: Vec::new(),
            mtu: 9000,
            hca: Interfaces::mlx5(),
            gid_index: 3,
            rdma: false,
            domain: None,
            flow_control: FlowControl::Pfc,
            management: None,
            spare_share: 5,
            lengths: vec![
                50, 100, 150, 200, 250, 300, 400, 500, 700, 1000, 1500, 2000, 2500, 3000, 4000, 5000, 7000,
                10000,
            ],
            cores: 1,
            root: "0".into(),
            group: Vec::new(),
            boot_ni: None,
            boot_file: "pxelinux.0".into(),
            uefi_file: "grubx64.efi".into(),
            arm_file: "grubaa64.efi".into(),
            tftp_root: "/srv/tftp".into(),
            port: None,
            netbox: NetBox {
                interface_type: "other".into(),
                management_port: "eth0".into(),
                ..NetBox::default()
            },
            labels: Labels {
                sheet: "paper",
                roll: "51x25",
                dpi: 203,
                palette: Palette::Papers,
                qr: true,
                of: Of::Pe,
                diameter_um: 6000,
            },
            origin: Origin::default(),
            method: Method::Dor,
            first_vlan: 2,
            most_vlans: MAX_VLANS,
            dot1q: false,
            room: None,
            market: None,
            gpu: "H100",
            nvlink: 2880,
        }
    }
}

impl Settings {
    /// The failed parts of a network that has no names of its own.
    pub(super) fn faults(&self) -> Result<Faults, ExportError> {
        Faults::read(&self.dead).map_err(|why| ExportError::setting("failed", &self.dead, why))
    }

    /// Names of NIs where no spec has some.
    pub(super) fn interfaces(&self) -> Interfaces {
        self.interface.clone().unwrap_or_else(|| NameScheme::default().interface)
    }

    /// Reads settings of a format, each `name=value`.
    ///
    /// # Errors
    /// A text without `=`, a setting that the format does not have, a setting given twice, a value that is not accepted.
    pub fn read<'a>(
        format: &Format,
        choices: impl IntoIterator<Item = &'a str>,
    ) -> Result<Settings, ExportError> {
        let mut settings = Settings::default();
        let mut seen: Vec<&str> = Vec::new();
        for choice in choices {
            let fault = |why: String| ExportError::Setting { choice: choice.chars().take(80).collect(), why };
            let (name, value) = choice.split_once('=').ok_or_else(|| fault("expected name=value".into()))?;
            let (name, value) = (name.trim(), value.trim());
            let Some(setting) = format.settings().find(|setting| setting.is(name)) else {
                return Err(fault(match format.settings {
                    [] => format!("{} has no settings", format.name),
                    [name] => format!("{} has only the setting {name}", format.name),
                    names => format!("{} has only the settings {}", format.name, names.join(", ")),
                }));
            };
            if let Some(first) = seen.iter().find(|first| setting.is(first)) {
                return Err(fault(match *first == name {
                    true => format!("{name} is given twice"),
                    false => format!("{first} and {name} are the same setting; give one of them"),
                }));
            }
            seen.push(name);
            setting.read(&mut settings, value).map_err(|expected| fault(format!("expected {expected}")))?;
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_accepted_and_are_those_of_no_settings() {
        for setting in SETTINGS.iter().filter(|setting| !setting.field.default.is_empty()) {
            let mut settings = Settings::default();
            assert_eq!(setting.read(&mut settings, setting.field.default), Ok(()), "{}", setting.field.key);
            assert_eq!(settings, Settings::default(), "{}", setting.field.key);
        }
    }

    #[test]
    fn every_name_that_a_format_has_is_a_setting() {
        let kinds = ["mesh:4x4", "pmesh:4x4"].map(|kind| crate::fabric::kinds::parse(kind).unwrap());
        let fabrics = kinds.iter().flat_map(|kind| super::super::fabrics(&**kind).iter());
        for format in super::super::formats().chain(fabrics) {
            assert_eq!(format.settings().count(), format.settings.len(), "{}", format.name);
            assert_ne!(format.purpose, "", "{}", format.name);
        }
    }
}
