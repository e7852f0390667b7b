//! Files for NetBox's bulk import, with its column names (`netbox/dcim/forms/bulk_import.py` of NetBox 4.4 and later, imported by
//! 4.7.3; earlier versions have no `side_a_site` and `side_b_site`). Import them in the order of their formats. Everything is
//! `planned`.
//!
//! Names of nodes, switches and racks are those of the spec, so one NetBox holds several designs with templates of their own, or each
//! in a site of its own. A manufacturer, role or device type that NetBox has already is named by a setting; the files that create
//! such things leave it out.

use super::{
    AVOID, CSV, DesignPlan, FileType, Format, Group, INTERFACE, NETWORK, Need, PALETTE, PORT, Reason, Render,
    Setting, SettingOf, WriteResult,
    bundle::slug,
    escape::{FORMULA_SIGNS, field},
    identifiers::Identifiers,
    netbox_addresses::{
        FreeInterface, MANAGEMENT_PORT, NODE_ADDRESSES, addresses, has_addresses, prefixes, unplugged,
    },
    netbox_types::{self, READERS},
    switches::MANAGEMENT,
    uplinks::{End, UplinkEnd, UplinkSwitch},
};
use crate::{design::RackPlace, text::is_hidden};
use std::{collections::BTreeSet, fmt};

const SITE: SettingOf<String> =
    Setting::new("site", "NetBox site of all devices; the design's name by default")
        .syntax("NetBox site", "1 to 100 visible characters that do not start with = + - @")
        .hint("the design’s name")
        .read(name);

const MANUFACTURER: SettingOf<String> =
    Setting::new("manufacturer", "existing NetBox manufacturer to use for all devices")
        .syntax("NetBox manufacturer", NAME)
        .hint("a new one")
        .read(name);

const NODE_ROLE: SettingOf<String> = Setting::new("node-role", "existing NetBox device role for nodes")
    .syntax("NetBox role of nodes", NAME)
    .hint("a new one")
    .read(name);

const SWITCH_ROLE: SettingOf<String> =
    Setting::new("switch-role", "device role of switches that NetBox has already")
        .syntax("NetBox role of switches", NAME)
        .hint("a new one")
        .read(name);

const NODE_TYPE: SettingOf<String> = Setting::new("node-type", "existing NetBox device type for nodes")
    .syntax("NetBox type of nodes", NAME)
    .hint("new ones")
    .read(name);

const SWITCH_TYPE: SettingOf<String> =
    Setting::new("switch-type", "model of the device type of switches that NetBox has already")
        .syntax("NetBox type of switches", NAME)
        .hint("new ones")
        .read(name);

const UPLINK_TYPE: SettingOf<String> = Setting::new(
    "uplink-type",
    "model of the device type of a separate uplink switch that NetBox has already",
)
.syntax("NetBox type of the uplink switch", NAME)
.hint("a new one")
.read(name);

const NAME: &str = "a name in NetBox of 1 to 100 visible characters that do not start with = + - @";

const INTERFACE_TYPE: SettingOf<String> = Setting::new("interface-type", "NetBox type of all NICs and ports")
    .syntax(
        "NetBox interface type",
        "an interface type of NetBox such as 1000base-t, 100gbase-x-qsfp28 or 400gbase-x-osfp",
    )
    .or("other")
    .read(|text| netbox_types::is_interface(text).then(|| text.into()).ok_or(None));

const CABLE_TYPE: SettingOf<String> = Setting::new("cable-type", "NetBox type of all cables")
    .syntax("NetBox cable type", "a cable type of NetBox such as cat6, dac-passive, aoc or mmf-om4")
    .read(|text| netbox_types::is_cable(text).then(|| text.into()).ok_or(None));

/// Reads a name of something in NetBox.
fn name(text: &str) -> Result<String, Reason> {
    let plain = !text.contains(is_hidden) && !text.starts_with(FORMULA_SIGNS);
    (plain && (1..=100).contains(&text.chars().count())).then(|| text.to_owned()).ok_or(None)
}

const MAKER: &str = "Crosspoint";
const PE_ROLE: &str = "Node";
const OWN_SWITCH_ROLE: &str = "FNN switch";
const UPLINK_ROLE: &str = "FNN uplink switch";
/// Units of a rack. One that NetBox has already may have any number.
const RACK_UNITS: u32 = 42;

/// The site's name of up to 100 characters. One of the design's name leaves out what spreadsheets take for a formula.
fn site(plan: &DesignPlan) -> String {
    if let Some(chosen) = plan.settings.given(&SITE) {
        return chosen.clone();
    }
    let title = plan.title();
    let plain = title.trim_start_matches(|c: char| FORMULA_SIGNS.contains(&c) || c.is_whitespace());
    if plain.is_empty() { "untitled".into() } else { plain.chars().take(100).collect() }
}

/// A kind of device.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum DeviceKind {
    /// A node or a spare, with that many NICs.
    Node(u32),
    /// A switch, with that many ports.
    Switch(u32),
    /// A separate uplink switch, with that many ports.
    Uplink(u32),
}

impl DeviceKind {
    /// Returns the role, and `true` if NetBox has it already.
    fn role(self, plan: &DesignPlan) -> (String, bool) {
        let (setting, own) = match self {
            DeviceKind::Node(_) => (&NODE_ROLE, PE_ROLE),
            DeviceKind::Switch(_) => (&SWITCH_ROLE, OWN_SWITCH_ROLE),
            DeviceKind::Uplink(_) => (&SWITCH_ROLE, UPLINK_ROLE),
        };
        chosen(plan, setting, || own.into())
    }

    /// Returns the device type, and `true` if NetBox has it already.
    fn model(self, plan: &DesignPlan) -> (String, bool) {
        let (setting, own) = match self {
            DeviceKind::Node(1) => (&NODE_TYPE, "Node with 1 NIC".into()),
            DeviceKind::Node(nis) => (&NODE_TYPE, format!("Node with {nis} NICs")),
            DeviceKind::Switch(ports) => (&SWITCH_TYPE, format!("Switch with {ports} ports")),
            DeviceKind::Uplink(ports) => (&UPLINK_TYPE, format!("Uplink switch with {ports} ports")),
        };
        chosen(plan, setting, || own)
    }
}

/// A node, a spare or a switch.
struct Device {
    name: String,
    kind: DeviceKind,
    place: Option<RackPlace>,
}

/// Every device: nodes, switches, spares, and uplink switches that are switches of their own.
fn all_devices(plan: &DesignPlan) -> Vec<Device> {
    let identifiers = Identifiers::of(plan);
    let nodes = (0..plan.pes()).map(|pe| Device {
        name: plan.pe_name(pe),
        kind: DeviceKind::Node(plan.nis.of(pe).len() as u32),
        place: identifiers.pe_place(pe),
    });
    let switches = (0..).zip(plan.ports()).filter(|(switch, _)| !plan.is_cable(*switch));
    let switches = switches.map(|(switch, ports)| Device {
        name: plan.switch_name(switch),
        kind: DeviceKind::Switch(ports.all),
        place: identifiers.switch_place(switch),
    });
    let mut devices: Vec<Device> = nodes.chain(switches).collect();
    if let Some(uplink) = plan.uplink() {
        let spare = |spare| Device { name: plan.names.spare(spare), kind: DeviceKind::Node(1), place: None };
        devices.extend(uplink.spares().map(spare));
        if uplink.folded.is_none() {
            let of = |switch: UplinkSwitch| Device {
                kind: DeviceKind::Uplink(switch.ports),
                name: switch.name,
                place: None,
            };
            devices.extend(uplink.switches.into_iter().map(of));
        }
    }
    devices
}

/// Settings of one NetBox: names of what it has already.
pub(super) const SITES: Format =
    Format::new(Group::Inventory, "netbox-sites", "NetBox import 1: site", CSV, Render::Text(sites))
        .read_by(READERS)
        .purpose("NetBox import 1: the site")
        .with(&[&SITE]);

pub(super) const MANUFACTURERS: Format = Format::new(
    Group::Inventory,
    "netbox-manufacturers",
    "NetBox import 2: manufacturer",
    CSV,
    Render::Text(manufacturers),
)
.read_by(READERS)
.purpose("NetBox import 2: a placeholder manufacturer of all devices")
.with(&[&MANUFACTURER]);

pub(super) const ROLES: Format =
    Format::new(Group::Inventory, "netbox-roles", "NetBox import 3: roles", CSV, Render::Text(roles))
        .read_by(READERS)
        .purpose("NetBox import 3: the device roles of nodes and switches")
        .with(&[&NODE_ROLE, &SWITCH_ROLE]);

pub(super) const DEVICE_TYPES: Format = Format::new(
    Group::Inventory,
    "netbox-device-types",
    "NetBox import 4: device types",
    CSV,
    Render::Text(device_types),
)
.read_by(READERS)
.purpose("NetBox import 4: a device type per number of NICs and of ports")
.with(&[&MANUFACTURER, &NODE_TYPE, &SWITCH_TYPE, &UPLINK_TYPE]);

pub(super) const RACKS: Format =
    Format::new(Group::Inventory, "netbox-racks", "NetBox import 5: racks", CSV, Render::Text(racks))
        .read_by(READERS)
        .needs(Need::Racks)
        .purpose("NetBox import 5: the racks, if the spec has some")
        .with(&[&SITE]);

fn sites(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let site = site(plan);
    Ok(write!(out, "name,slug,status\n{},{},planned\n", field(&site), slug(&site))?)
}

/// The manufacturer of all devices, and `true` if NetBox has it already.
fn manufacturer(plan: &DesignPlan) -> (String, bool) {
    chosen(plan, &MANUFACTURER, || MAKER.into())
}

/// The name that a setting gives, or else its own, and `true` if NetBox has it already.
fn chosen(plan: &DesignPlan, setting: &SettingOf<String>, own: impl FnOnce() -> String) -> (String, bool) {
    plan.settings.given(setting).map_or_else(|| (own(), false), |name| (name.clone(), true))
}

fn manufacturers(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    out.write_str("name,slug\n")?;
    match manufacturer(plan) {
        (_, true) => Ok(()),
        (name, false) => Ok(writeln!(out, "{name},{}", slug(&name))?),
    }
}

fn roles(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    out.write_str("name,slug,color\n")?;
    let kinds: BTreeSet<DeviceKind> = all_devices(plan).into_iter().map(|device| device.kind).collect();
    let mut written = BTreeSet::new();
    for kind in kinds {
        let colour = if matches!(kind, DeviceKind::Node(_)) { "2196f3" } else { "4caf50" };
        let (role, exists) = kind.role(plan);
        if !exists && written.insert(role.clone()) {
            writeln!(out, "{role},{},{colour}", slug(&role))?;
        }
    }
    Ok(())
}

fn device_types(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    out.write_str("manufacturer,model,slug,u_height\n")?;
    let maker = field(&manufacturer(plan).0);
    let kinds: BTreeSet<DeviceKind> = all_devices(plan).into_iter().map(|device| device.kind).collect();
    for kind in kinds {
        let (model, exists) = kind.model(plan);
        if !exists {
            writeln!(out, "{maker},{model},{},1", slug(&model))?;
        }
    }
    Ok(())
}

fn racks(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    out.write_str("site,name,status,width,u_height\n")?;
    let site = site(plan);
    for rack in plan.names.racks() {
        writeln!(out, "{},{},planned,19,{RACK_UNITS}", field(&site), rack.name)?;
    }
    Ok(())
}

pub(super) const DEVICES: Format =
    Format::new(Group::Inventory, "netbox-devices", "NetBox import 6: devices", CSV, Render::Text(devices))
        .read_by(READERS)
        .purpose("NetBox import 6: every node and switch, with its place in a rack if the spec has racks")
        .with(&[&SITE, &MANUFACTURER, &NODE_ROLE, &SWITCH_ROLE, &NODE_TYPE, &SWITCH_TYPE, &UPLINK_TYPE]);

pub(super) const INTERFACES: Format = Format::new(
    Group::Inventory,
    "netbox-interfaces",
    "NetBox import 7: interfaces",
    CSV,
    Render::Text(interfaces),
)
.read_by(READERS)
.purpose("NetBox import 7: every NIC and port, reserved ports included, and other interfaces with addresses")
.with(&[&INTERFACE, &PORT, &INTERFACE_TYPE, &NODE_ADDRESSES, &MANAGEMENT, &MANAGEMENT_PORT]);

fn devices(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    out.write_str("name,role,manufacturer,device_type,status,site,rack,position,face\n")?;
    let (site, maker) = (site(plan), manufacturer(plan).0);
    let (site, maker) = (field(&site), field(&maker));
    for Device { name, kind, place } in all_devices(plan) {
        let ((role, _), (model, _)) = (kind.role(plan), kind.model(plan));
        write!(out, "{name},{},{maker},{},planned,{site},", field(&role), field(&model))?;
        match place {
            None => out.write_str(",,\n")?,
            // A rack with more devices than units has several to a unit; which ones, the spec does not say.
            Some(RackPlace { rack, .. }) if !fits(plan, &rack) => writeln!(out, "{rack},,")?,
            Some(RackPlace { rack, unit }) => writeln!(out, "{rack},{unit},front")?,
        }
    }
    Ok(())
}

/// `true` if each device of a rack has a unit of its own.
fn fits(plan: &DesignPlan, rack: &str) -> bool {
    let found = plan.names.racks().iter().find(|known| known.name == rack);
    found.is_some_and(|rack| rack.pes + rack.switches <= RACK_UNITS.into())
}

fn interfaces(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    out.write_str("device,name,label,type,description,mgmt_only\n")?;
    let kind = plan.settings.get(&INTERFACE_TYPE);
    for pe in 0..plan.pes() {
        let name = plan.pe_name(pe);
        for ni in 0..plan.nis.of(pe).len() as u32 {
            writeln!(out, "{name},{},NIC{ni},{kind},,false", plan.interface(ni))?;
        }
    }
    let uplink = plan.uplink();
    let joined = |switch: u32, number: u32| {
        uplink.as_ref().is_some_and(|uplink| {
            let here = UplinkEnd::Switch { switch, port: number };
            let folded = uplink.folded == Some(switch);
            uplink.cables.iter().any(|cable| cable.from == here || folded && cable.port == number)
        })
    };
    for (switch, ports) in (0..).zip(plan.ports()).filter(|(switch, _)| !plan.is_cable(*switch)) {
        let name = plan.switch_name(switch);
        for number in 1..=ports.all {
            let port = plan.port_name(number);
            let kept = match number > ports.usable {
                true if joined(switch, number) => "uplink",
                true => "reserved",
                false => "",
            };
            writeln!(out, "{name},{port},port {number},{kind},{kept},false")?;
        }
    }
    for FreeInterface { device, name, label, kind, is_management } in unplugged(plan)? {
        writeln!(out, "{device},{name},{label},{kind},,{is_management}")?;
    }
    let Some(uplink) = &uplink else { return Ok(()) };
    for spare in uplink.spares() {
        writeln!(out, "{},{},NIC0,{kind},,false", plan.names.spare(spare), plan.interface(0))?;
    }
    for switch in uplink.switches.iter().filter(|_| uplink.folded.is_none()) {
        for number in 1..=switch.ports {
            writeln!(out, "{},{},port {number},{kind},,false", switch.name, plan.port_name(number))?;
        }
    }
    Ok(())
}

pub(super) const CABLES: Format =
    Format::new(Group::Inventory, "netbox-cables", "NetBox import 8: cables", CSV, Render::Text(cables))
        .read_by(READERS)
        .purpose("NetBox import 8: every cable with both ends, colour, label and, if racks are known, length")
        .with(&[&SITE, &INTERFACE, &PORT, &CABLE_TYPE, &PALETTE]);

fn cables(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    out.write_str(
        "side_a_site,side_a_device,side_a_type,side_a_name,side_b_site,side_b_device,side_b_type,side_b_name,\
         type,status,label,color,length,length_unit\n",
    )?;
    let (site, identifiers) = (site(plan), Identifiers::of(plan));
    let (site, kind) = (field(&site), plan.settings.given(&CABLE_TYPE).map_or("", String::as_str));
    let length = |out: &mut dyn fmt::Write, metres: Option<f64>| match metres {
        Some(metres) => writeln!(out, "{metres:.2},m"),
        None => out.write_str(",\n"),
    };
    let mut row = |[from, to]: [End; 2], switch, metres| {
        write!(out, "{site},{},dcim.interface,{},{site},{},", from.device, from.port, to.device)?;
        write!(out, "dcim.interface,{},{kind},planned,", to.port)?;
        let paint = plan.colour(switch).paint.trim_start_matches('#');
        write!(out, "{}/{},{paint},", from.identifier, to.identifier)?;
        length(out, metres)
    };
    for cable in plan.cables() {
        row(plan.ends(&identifiers, cable), cable.switch, plan.length(&identifiers, cable))?;
    }
    let Some(uplink) = plan.uplink() else { return Ok(()) };
    for &cable in &uplink.cables {
        let ends = uplink.ends(&plan.names, &identifiers, cable);
        row(ends, uplink.switch_of(cable).number, uplink.length(&identifiers, cable))?;
    }
    Ok(())
}

const PYTHON: FileType = ("text/x-python; charset=utf-8", "py");

pub(super) const API: Format = Format::new(
    Group::Inventory,
    "netbox-api",
    "NetBox, script for its API",
    PYTHON,
    Render::Text(api),
)
.read_by(READERS)
.recommended()
.purpose("Python script that brings all of these into NetBox by its REST API; a second run changes nothing")
.with(&[
    &SITE,
    &MANUFACTURER,
    &NODE_ROLE,
    &SWITCH_ROLE,
    &NODE_TYPE,
    &SWITCH_TYPE,
    &UPLINK_TYPE,
    &INTERFACE,
    &PORT,
    &INTERFACE_TYPE,
    &CABLE_TYPE,
    &PALETTE,
    &NODE_ADDRESSES,
    &NETWORK,
    &AVOID,
    &MANAGEMENT,
    &MANAGEMENT_PORT,
]);

type Step = fn(&DesignPlan, u32, &mut dyn fmt::Write) -> WriteResult;

/// The files of the imports, in their order.
const STEPS: [(&str, Step); 10] = [
    ("sites", sites),
    ("manufacturers", manufacturers),
    ("roles", roles),
    ("device-types", device_types),
    ("racks", racks),
    ("devices", devices),
    ("interfaces", interfaces),
    ("cables", cables),
    ("prefixes", prefixes),
    ("addresses", addresses),
];

const USAGE: &str = r#"#!/usr/bin/env python3
"""usage: NETBOX_URL=https://... NETBOX_TOKEN=... python3 FILE [--dry-run]

Brings a design into NetBox by its REST API, with Python alone. It creates what is missing, moves devices, cables and addresses to
where the design puts them, and prints each change. Running it twice changes nothing. Sites, manufacturers, roles, types, racks and
prefixes that exist stay as they are, and so do all statuses and the primary addresses of devices.
"""

"#;

fn api(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    out.write_str(USAGE)?;
    writeln!(out, "# {} ({} nodes), as the import files of NetBox.\nFILES = {{", plan.title(), plan.pes())?;
    for (step, write) in STEPS {
        let is_asked = match step {
            "racks" => !plan.spec.racks.is_empty(),
            "prefixes" | "addresses" => has_addresses(plan),
            _ => true,
        };
        if !is_asked {
            continue;
        }
        let mut file = String::new();
        write(plan, 0, &mut file)?;
        writeln!(out, "    {step:?}: [")?;
        for line in file.lines() {
            writeln!(out, "        {},", serde_json::Value::from(line))?;
        }
        out.write_str("    ],\n")?;
    }
    out.write_str("}\n\n")?;
    Ok(out.write_str(include_str!("assets/netbox_api.py"))?)
}
