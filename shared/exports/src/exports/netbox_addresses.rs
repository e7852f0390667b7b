//! IP addresses for NetBox (`netbox/ipam/forms/bulk_import.py` of NetBox 4.4 and later), if the settings ask for some: those of
//! nodes in either form of the host formats, and those of the switches' management ports. All are in the global table, outside VRFs.
//!
//! NetBox has no `planned` addresses and prefixes; these are `reserved`.

use super::{
    AVOID, CSV, Choice, DesignPlan, ExportError, FileScope, Format, Group, INTERFACE, NETWORK, Render,
    Setting, SettingOf, WriteResult,
    escape::{FORMULA_SIGNS, field},
    netbox_types::READERS,
    rdma::RdmaNic,
    switches::{MANAGEMENT, Management},
};
use crate::spec::names::LOOPBACK;
use ipnet::Ipv4Net;
use std::{collections::BTreeMap, fmt, net::Ipv4Addr};

pub(super) const NODE_ADDRESSES: SettingOf<NodeAddresses> =
    Setting::new("addresses", "IP addresses of nodes in NetBox, the same as in the formats for nodes")
        .choice(
            "NetBox addresses",
            &[
                Choice::new("none", "none"),
                Choice::new("routed", "one per node on lo, as in multipath, networkd and netplan"),
                Choice::new("rdma", "one per NIC, as in the formats for RDMA"),
            ],
        )
        .or("none")
        .read(|text| {
            Ok(match text {
                "routed" => NodeAddresses::Routed,
                "rdma" => NodeAddresses::Rdma,
                _ => NodeAddresses::None,
            })
        });

pub(super) const MANAGEMENT_PORT: SettingOf<String> =
    Setting::new("management-port", "name of the switches' management ports in NetBox")
        .syntax(
            "Management port",
            "1 to 30 ASCII letters, digits, -, _, /, : or . such as eth0, mgmt0 or Management1",
        )
        .or("eth0")
        .read(|text| management_port(text).ok_or(None));

/// A name of a port that no CSV file has to quote.
fn management_port(text: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_/:.".contains(c);
    let fits = (1..=30).contains(&text.len()) && text.chars().all(plain);
    (fits && !text.starts_with(FORMULA_SIGNS)).then(|| text.to_owned())
}

/// Addresses of nodes in NetBox.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeAddresses {
    /// None.
    None,
    /// One per node, on its loopback interface.
    Routed,
    /// One per NIC.
    Rdma,
}

/// An address of an interface.
struct Address {
    address: Ipv4Addr,
    /// Prefix length.
    prefix: u8,
    device: String,
    interface: String,
    /// `true` if others reach the device at this address.
    is_primary: bool,
}

/// An interface that has no cable.
pub(super) struct FreeInterface {
    pub device: String,
    pub name: String,
    pub label: &'static str,
    /// Type in NetBox.
    pub kind: &'static str,
    /// `true` for the management port of a switch.
    pub is_management: bool,
}

/// Host names of all switches, by number. Separate uplink switches come last.
fn switch_names(plan: &DesignPlan) -> impl Iterator<Item = (u32, String)> {
    let all = FileScope::Switch.count(&plan.spec, &plan.design);
    (0..all).map(|switch| (switch, plan.any_switch_name(switch)))
}

/// The interfaces without a cable that have addresses.
///
/// # Errors
/// A port has the name of the management port, or the management network has too few addresses.
pub(super) fn unplugged(plan: &DesignPlan) -> Result<Vec<FreeInterface>, ExportError> {
    let mut found = Vec::new();
    if plan.settings.get(&NODE_ADDRESSES) == NodeAddresses::Routed {
        found.extend((0..plan.pes()).map(|pe| FreeInterface {
            device: plan.pe_name(pe),
            name: LOOPBACK.into(),
            label: "loopback",
            kind: "virtual",
            is_management: false,
        }));
    }
    if let Some(&network) = plan.settings.given(&MANAGEMENT) {
        Management::fits(plan, network)?;
        let name = &plan.settings.get(&MANAGEMENT_PORT);
        let uplinks = plan.separate_uplinks().into_iter().map(|uplink| uplink.ports);
        let most = plan.ports().map(|ports| ports.all).chain(uplinks).max().unwrap_or(0);
        if (1..=most).any(|port| plan.port_name(port) == *name) {
            let why = "a port of a switch has that name";
            return Err(ExportError::setting("management-port", name, why));
        }
        found.extend(switch_names(plan).map(|(_, device)| FreeInterface {
            device,
            name: name.clone(),
            label: "management",
            kind: "other",
            is_management: true,
        }));
    }
    Ok(found)
}

/// Every address that the settings ask for, those of nodes first.
///
/// # Errors
/// A network has too few addresses, or the management network overlaps that of the nodes.
fn all(plan: &DesignPlan) -> Result<Vec<Address>, ExportError> {
    let (settings, mut found) = (&plan.settings, Vec::new());
    for pe in 0..plan.pes() {
        let device = plan.pe_name(pe);
        match settings.get(&NODE_ADDRESSES) {
            NodeAddresses::None => break,
            NodeAddresses::Routed => {
                let (address, interface) = (plan.pe_addresses()?.of(pe), LOOPBACK.into());
                found.push(Address { address, prefix: 32, device, interface, is_primary: true });
            }
            NodeAddresses::Rdma => found.extend(RdmaNic::all(plan, pe)?.into_iter().map(|nic| Address {
                address: nic.address,
                prefix: nic.prefix,
                device: device.clone(),
                interface: nic.name,
                is_primary: false,
            })),
        }
    }
    let Some(&network) = settings.given(&MANAGEMENT) else { return Ok(found) };
    for (switch, device) in switch_names(plan) {
        let Management { address, prefix, .. } = Management::of(plan, network, switch)?;
        let interface = settings.get(&MANAGEMENT_PORT);
        found.push(Address { address, prefix, device, interface, is_primary: true });
    }
    Ok(found)
}

pub(super) const PREFIXES: Format = Format::new(
    Group::Inventory,
    "netbox-prefixes",
    "NetBox import 9: prefixes",
    CSV,
    Render::Text(prefixes),
)
.read_by(READERS)
.purpose("NetBox import 9: the network and its parts, if `addresses` or `management` is set")
.with(&[&NODE_ADDRESSES, &NETWORK, &AVOID, &MANAGEMENT]);

/// Subnets are reserved; the network around them is a container.
pub(super) fn prefixes(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    may_write(plan, PREFIXES.name)?;
    let (title, network) = (plan.title(), plan.settings.get(&NETWORK));
    let mut found: BTreeMap<Ipv4Net, (&str, String)> = BTreeMap::new();
    let nodes = format!("Nodes of {title}");
    match plan.settings.get(&NODE_ADDRESSES) {
        NodeAddresses::None => {}
        NodeAddresses::Routed => {
            found.insert(network, ("container", nodes.clone()));
            found.extend(
                plan.pe_addresses()?.networks().into_iter().map(|net| (net, ("reserved", nodes.clone()))),
            );
        }
        NodeAddresses::Rdma => {
            found.insert(network, ("container", nodes));
            let addresses = plan.addresses()?;
            found.extend((0..plan.design.switch_count()).map(|switch| {
                let about = format!("NICs on {}", plan.switch_name(switch));
                (addresses.subnet(switch), ("reserved", about))
            }));
        }
    }
    if plan.spec.uplink.is_some() && plan.settings.get(&NODE_ADDRESSES) != NodeAddresses::None {
        let addresses = plan.addresses()?;
        let links = format!("Links to uplink switches of {title}");
        found.extend(addresses.router_networks().into_iter().map(|net| (net, ("reserved", links.clone()))));
        found.extend(addresses.spares().map(|net| (net, ("reserved", format!("Spare nodes of {title}")))));
    }
    if let Some(&network) = plan.settings.given(&MANAGEMENT) {
        Management::check(plan, network)?;
        found.entry(network).or_insert(("reserved", format!("Switches of {title}")));
    }
    out.write_str("prefix,status,description\n")?;
    for (prefix, (status, about)) in found {
        // NetBox has descriptions of up to 200 characters.
        let about: String = about.chars().take(200).collect();
        writeln!(out, "{prefix},{status},{}", field(&about))?;
    }
    Ok(())
}

pub(super) const ADDRESSES: Format = Format::new(
    Group::Inventory,
    "netbox-addresses",
    "NetBox import 10: addresses",
    CSV,
    Render::Text(addresses),
)
.read_by(READERS)
.purpose(
    "NetBox import 10: addresses of nodes and of management ports, if `addresses` or `management` is set",
)
.with(&[&NODE_ADDRESSES, &NETWORK, &AVOID, &INTERFACE, &MANAGEMENT, &MANAGEMENT_PORT]);

pub(super) fn addresses(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    may_write(plan, ADDRESSES.name)?;
    out.write_str("address,status,device,interface,is_primary\n")?;
    for Address { address, prefix, device, interface, is_primary } in all(plan)? {
        writeln!(out, "{address}/{prefix},reserved,{device},{interface},{is_primary}")?;
    }
    Ok(())
}

/// `true` if the settings ask for addresses.
pub(super) fn has_addresses(plan: &DesignPlan) -> bool {
    plan.settings.get(&NODE_ADDRESSES) != NodeAddresses::None || plan.settings.given(&MANAGEMENT).is_some()
}

fn may_write(plan: &DesignPlan, format: &'static str) -> WriteResult {
    if has_addresses(plan) { Ok(()) } else { Err(ExportError::NoAddresses(format)) }
}
