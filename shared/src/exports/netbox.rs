//! Files for NetBox's bulk import, with its column names (`netbox/dcim/forms/bulk_import.py` of NetBox 4.4 and later; earlier
//! versions have no `side_a_site` and `side_b_site`). Import them in the order of their formats. Everything is `planned`.

use super::{
    CSV, DesignPlan, ExportError, Format, Render, Written,
    bundle::slug,
    design::Cable,
    escape::{FORMULA_SIGNS, field},
    identifiers::Identifiers,
};
use crate::design::Place;
use std::{collections::BTreeSet, fmt};

const MANUFACTURER: &str = "Crosspoint";
const PE_ROLE: &str = "Node";
const SWITCH_ROLE: &str = "FNN switch";
/// Max rack units that NetBox takes (`RACK_U_HEIGHT_MAX`).
const MAX_UNITS: u32 = 100;

/// The site's name of up to 100 characters. One of the design's name leaves out what spreadsheets take for a formula.
fn site(plan: &DesignPlan) -> String {
    let chosen = &plan.settings.site;
    if !chosen.is_empty() {
        return chosen.clone();
    }
    let title = plan.title();
    let plain = title.trim_start_matches(|c: char| FORMULA_SIGNS.contains(&c) || c.is_whitespace());
    if plain.is_empty() { "untitled".into() } else { plain.chars().take(100).collect() }
}

/// The device type of PEs with that number of NIs.
fn pe_type(nis: u32) -> String {
    format!("Node with {nis} NICs")
}

/// The device type of switches with that number of ports.
fn switch_type(ports: u32) -> String {
    format!("Switch with {ports} ports")
}

pub(super) const SITES: Format = Format::new("netbox-sites", CSV, Render::Text(sites))
    .purpose("NetBox import 1: the site")
    .with(&["site"]);

pub(super) const MANUFACTURERS: Format =
    Format::new("netbox-manufacturers", CSV, Render::Text(manufacturers))
        .purpose("NetBox import 2: a placeholder manufacturer of all devices");

pub(super) const ROLES: Format = Format::new("netbox-roles", CSV, Render::Text(roles))
    .purpose("NetBox import 3: the device roles, node and switch");

pub(super) const DEVICE_TYPES: Format = Format::new("netbox-device-types", CSV, Render::Text(device_types))
    .purpose("NetBox import 4: a device type per number of NICs and of ports");

pub(super) const RACKS: Format = Format::new("netbox-racks", CSV, Render::Text(racks))
    .purpose("NetBox import 5: the racks, if the spec has some")
    .with(&["site"]);

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
    let ports: BTreeSet<u32> = plan.ports().map(|ports| ports.all).collect();
    let models = nis.into_iter().map(pe_type).chain(ports.into_iter().map(switch_type));
    for model in models {
        writeln!(out, "{MANUFACTURER},{model},{},1", slug(&model))?;
    }
    Ok(())
}

fn racks(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    if plan.spec.racks.is_empty() {
        return Err(ExportError::NoRacks);
    }
    out.write_str("site,name,status,width,u_height\n")?;
    let site = site(plan);
    for (name, pes, switches) in Identifiers::of(plan).racks() {
        // A rack of 42 units is the common one; PEs beyond what NetBox takes are in the rack without a place in it.
        let units = (pes + switches).clamp(42, u64::from(MAX_UNITS));
        writeln!(out, "{},{name},planned,19,{units}", field(&site))?;
    }
    Ok(())
}

pub(super) const DEVICES: Format = Format::new("netbox-devices", CSV, Render::Text(devices))
    .purpose("NetBox import 6: every node and switch, with its place in a rack if the spec has racks")
    .with(&["site"]);

pub(super) const INTERFACES: Format = Format::new("netbox-interfaces", CSV, Render::Text(interfaces))
    .purpose("NetBox import 7: every NIC and port, reserved ports included")
    .with(&["interface", "port", "interface-type"]);

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
    for (switch, ports) in (0..).zip(plan.ports()) {
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
        for ni in 0..plan.nis.of(pe).len() as u32 {
            writeln!(out, "{name},{},NIC{ni},{kind},", plan.interface(ni))?;
        }
    }
    for (switch, ports) in (0..).zip(plan.ports()) {
        let name = plan.switch_name(switch);
        for number in 1..=ports.all {
            let port = plan.port_name(number);
            let kept = if number > ports.usable { "reserved" } else { "" };
            writeln!(out, "{name},{port},port {number},{kind},{kept}")?;
        }
    }
    Ok(())
}

pub(super) const CABLES: Format = Format::new("netbox-cables", CSV, Render::Text(cables))
    .purpose("NetBox import 8: every cable with both ends, colour, label and, if racks are known, length")
    .with(&["site", "interface", "port", "cable-type", "palette"]);

fn cables(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    out.write_str(
        "side_a_site,side_a_device,side_a_type,side_a_name,side_b_site,side_b_device,side_b_type,side_b_name,\
         type,status,label,color,length,length_unit\n",
    )?;
    let (site, identifiers) = (field(&site(plan)), Identifiers::of(plan));
    let kind = &plan.settings.cable_type;
    for Cable { pe, ni, switch, port } in plan.cables() {
        let (name, interface) = (plan.pe_name(pe), plan.interface(ni));
        write!(out, "{site},{name},dcim.interface,{interface},{site},{},", plan.switch_name(switch))?;
        write!(out, "dcim.interface,{},{kind},planned,", plan.port_name(port))?;
        let (from, to) = (identifiers.pe_end(pe, ni), identifiers.switch_end(switch, port));
        write!(out, "{from}/{to},{},", plan.colour(switch).paint.trim_start_matches('#'))?;
        match identifiers.length(pe, switch) {
            Some(metres) => writeln!(out, "{metres:.2},m")?,
            None => out.write_str(",\n")?,
        }
    }
    Ok(())
}
