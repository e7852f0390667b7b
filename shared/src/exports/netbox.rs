//! Files for NetBox's bulk import, with its column names (`netbox/dcim/forms/bulk_import.py` of NetBox 4.4 and later; earlier
//! versions have no `side_a_site` and `side_b_site`). Import them in the order of their formats. Everything is `planned`.

use super::{
    CSV, DesignPlan, Format, Render, Written,
    bundle::slug,
    escape::{FORMULA_SIGNS, field},
    identifiers::{Identifiers, Place},
    machine,
};
use std::{collections::BTreeSet, fmt};

const MANUFACTURER: &str = "Crosspoint";
const PE_ROLE: &str = "PE";
const SWITCH_ROLE: &str = "FNN switch";
/// Max rack units that NetBox takes (`RACK_U_HEIGHT_MAX`).
const MAX_UNITS: u32 = 100;

type Rendering = fn(&DesignPlan, u32, &mut dyn fmt::Write) -> Written;

const fn format(
    name: &'static str,
    purpose: &'static str,
    settings: &'static [&'static str],
    render: Rendering,
) -> Format {
    Format { settings, ..Format::new(name, purpose, CSV, Render::Text(render)) }
}

/// The site's name, which NetBox gives 100 characters. One of the design's name leaves out what would make it a formula where
/// somebody opens the file in a spreadsheet first.
fn site(plan: &DesignPlan) -> String {
    let chosen = &plan.settings.site;
    if !chosen.is_empty() {
        return chosen.clone();
    }
    let title = plan.title();
    let plain = title.trim_start_matches(|c: char| FORMULA_SIGNS.contains(&c) || c.is_whitespace());
    if plain.is_empty() { "untitled".into() } else { plain.chars().take(100).collect() }
}

/// The device type of PEs with so many NIs.
fn pe_type(nis: u32) -> String {
    format!("PE with {nis} NIs")
}

/// The device type of switches with so many ports.
fn switch_type(ports: u32) -> String {
    format!("Switch with {ports} ports")
}

pub(super) const SITES: Format = format("netbox-sites", "NetBox import 1: the site", &["site"], sites);

pub(super) const MANUFACTURERS: Format = format(
    "netbox-manufacturers",
    "NetBox import 2: a placeholder manufacturer of all devices",
    &[],
    manufacturers,
);

pub(super) const ROLES: Format =
    format("netbox-roles", "NetBox import 3: the device roles, node and switch", &[], roles);

pub(super) const DEVICE_TYPES: Format = format(
    "netbox-device-types",
    "NetBox import 4: a device type per number of NICs and of ports",
    &[],
    device_types,
);

pub(super) const RACKS: Format =
    format("netbox-racks", "NetBox import 5: the racks, if the spec has some", &["site"], racks);

fn sites(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    let site = site(plan);
    Ok(write!(out, "name,slug,status\n{},{},planned\n", field(&site), slug(&site))?)
}

fn manufacturers(_bundle: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    Ok(write!(out, "name,slug\n{MANUFACTURER},{}\n", slug(MANUFACTURER))?)
}

fn roles(_bundle: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    out.write_str("name,slug,color\n")?;
    for (role, colour) in [(PE_ROLE, "2196f3"), (SWITCH_ROLE, "4caf50")] {
        writeln!(out, "{role},{},{colour}", slug(role))?;
    }
    Ok(())
}

fn device_types(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    out.write_str("manufacturer,model,slug,u_height\n")?;
    let nis: BTreeSet<u32> = (0..plan.pes()).map(|pe| plan.nis.of(pe).len() as u32).collect();
    let ports: BTreeSet<u32> = machine::ports(plan).map(|ports| ports.all).collect();
    let models = nis.into_iter().map(pe_type).chain(ports.into_iter().map(switch_type));
    for model in models {
        writeln!(out, "{MANUFACTURER},{model},{},1", slug(&model))?;
    }
    Ok(())
}

fn racks(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    out.write_str("site,name,status,width,u_height\n")?;
    let site = site(plan);
    for (name, pes, switches) in Identifiers::of(plan).racks() {
        // A rack of 42 units is the common one; PEs beyond what NetBox takes are in the rack without a place in it.
        let units = (pes + switches).clamp(42, u64::from(MAX_UNITS));
        writeln!(out, "{},{name},planned,19,{units}", field(&site))?;
    }
    Ok(())
}

pub(super) const DEVICES: Format = format(
    "netbox-devices",
    "NetBox import 6: every node and switch, with its place in a rack if the spec has racks",
    &["site"],
    devices,
);

pub(super) const INTERFACES: Format = format(
    "netbox-interfaces",
    "NetBox import 7: every NIC and port, reserved ports included",
    &["interface", "port", "interface-type"],
    interfaces,
);

fn devices(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    out.write_str("name,role,manufacturer,device_type,status,site,rack,position,face\n")?;
    let (site, identifiers) = (field(&site(plan)), Identifiers::of(plan));
    let mut device = |name: &str, role: &str, model: &str, place: Option<Place>| {
        write!(out, "{name},{role},{MANUFACTURER},{model},planned,{site},")?;
        match place {
            None => out.write_str(",,\n"),
            Some(Place { rack, unit }) if unit > MAX_UNITS => writeln!(out, "{rack},,"),
            Some(Place { rack, unit }) => writeln!(out, "{rack},{unit},front"),
        }
    };
    for pe in 0..plan.pes() {
        let model = pe_type(plan.nis.of(pe).len() as u32);
        device(&plan.pe_name(pe), PE_ROLE, &model, identifiers.pe_place(pe))?;
    }
    for (switch, ports) in (0..).zip(machine::ports(plan)) {
        let model = switch_type(ports.all);
        device(&plan.switch_name(switch), SWITCH_ROLE, &model, identifiers.switch_place(switch))?;
    }
    Ok(())
}

fn interfaces(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    out.write_str("device,name,label,type,description\n")?;
    let kind = &plan.settings.interface_type;
    for pe in 0..plan.pes() {
        let name = plan.pe_name(pe);
        for ni in 0..plan.nis.of(pe).len() {
            writeln!(out, "{name},{},NI{ni},{kind},", machine::interface(plan, ni))?;
        }
    }
    for (switch, ports) in (0..).zip(machine::ports(plan)) {
        let name = plan.switch_name(switch);
        for number in 1..=ports.all {
            let port = machine::port(plan, number);
            let kept = if number > ports.usable { "reserved" } else { "" };
            writeln!(out, "{name},{port},port {number},{kind},{kept}")?;
        }
    }
    Ok(())
}

pub(super) const CABLES: Format = format(
    "netbox-cables",
    "NetBox import 8: every cable with both ends, colour, label and, if racks are known, length",
    &["site", "interface", "port", "cable-type", "palette"],
    cables,
);

fn cables(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    out.write_str(
        "side_a_site,side_a_device,side_a_type,side_a_name,side_b_site,side_b_device,side_b_type,side_b_name,\
         type,status,label,color,length,length_unit\n",
    )?;
    let (site, identifiers) = (field(&site(plan)), Identifiers::of(plan));
    let kind = &plan.settings.cable_type;
    for pe in 0..plan.pes() {
        let name = plan.pe_name(pe);
        for (ni, &switch) in plan.nis.of(pe).iter().enumerate() {
            let port = plan.port(switch, pe);
            let interface = machine::interface(plan, ni);
            write!(out, "{site},{name},dcim.interface,{interface},{site},{},", plan.switch_name(switch))?;
            write!(out, "dcim.interface,{},{kind},planned,", machine::port(plan, port))?;
            let ends = (identifiers.pe_end(pe, ni as u32), identifiers.switch_end(switch, port));
            write!(out, "{}/{},{},", ends.0, ends.1, hex(plan, switch))?;
            match identifiers.length(pe, switch) {
                Some(metres) => writeln!(out, "{metres:.2},m")?,
                None => out.write_str(",\n")?,
            }
        }
    }
    Ok(())
}

/// A switch's colour without what web pages put in front.
fn hex(plan: &DesignPlan, switch: u32) -> &'static str {
    machine::colour(plan, switch).paint.trim_start_matches('#')
}
