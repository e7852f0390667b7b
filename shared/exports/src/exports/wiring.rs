//! The wiring as a table and as a JSON document, and the spec. `assets/schema.json` describes the document; version 1 may only be
//! extended.

use super::{
    DesignPlan, Format, Group, INTERFACE, JSON, PALETTE, PORT, Render, TEXT, WriteResult, address::mac,
    identifiers::Identifiers, plugs::Cable, uplinks::UplinkEnd,
};
use crate::{
    design::{RackPlace, table},
    form::toml,
    resolve,
};
use serde_json::json;
use std::fmt;

pub(super) const TABLE: Format =
    Format::new(Group::Share, "wiring", "Wiring table", TEXT, Render::Text(table_text))
        .read_by(&["Crosspoint"])
        .purpose("wiring table, one line per switch with its nodes; every command reads it back")
        .of_any_wiring();

pub(super) const SPEC: Format = Format::new(
    Group::Share,
    "spec",
    "Spec",
    ("application/toml; charset=utf-8", "toml"),
    Render::Text(spec),
)
.read_by(&["Crosspoint"])
.purpose("spec in normal form, to search again or share")
.of_any_wiring()
.without_wiring();

fn table_text(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    Ok(table::write_to(&plan.design, out)?)
}

/// The normal form, so that it does not matter how a spec was typed; a text that cannot be read goes out as it is.
fn spec(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    match resolve::parse(&plan.spec_text) {
        Ok(form) => out.write_str(&toml::write(&form))?,
        Err(_) => out.write_str(&plan.spec_text)?,
    }
    Ok(())
}

pub(super) const AS_JSON: Format =
    Format::new(Group::Programs, "json", "Wiring, JSON", JSON, Render::Text(as_json))
        .read_by(&["jsonschema 4.26"])
        .recommended()
        .purpose("the wiring as one JSON document for your own programs: nodes, switches and cables")
        .with(&[&INTERFACE, &PORT, &PALETTE]);

pub(super) const SCHEMA: Format = Format::new(
    Group::Programs,
    "json-schema",
    "JSON schema of the wiring",
    ("application/schema+json", "json"),
    Render::Text(schema),
)
.read_by(&["jsonschema 4.26"])
.purpose("JSON schema of the json export")
.of_any_wiring();

fn schema(_bundle: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    Ok(out.write_str(include_str!("assets/schema.json"))?)
}

fn as_json(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    writeln!(out, "{{\n\"format\": \"crosspoint-wiring\",\n\"version\": 1,")?;
    writeln!(out, "\"name\": {},", json!(plan.title()))?;
    writeln!(out, "\"requested_pairs\": {},", plan.requested())?;
    writeln!(out, "\"uncovered_pairs\": {},\n\"pes\": [", plan.left_out())?;
    pes(plan, out)?;
    out.write_str("],\n\"switches\": [\n")?;
    switches(plan, out)?;
    out.write_str("],\n\"cables\": [\n")?;
    cables(plan, out)?;
    out.write_str("]")?;
    uplink(plan, out)?;
    Ok(out.write_str("\n}\n")?)
}

/// The uplink switches, if the spec has any.
fn uplink(plan: &DesignPlan, out: &mut dyn fmt::Write) -> WriteResult {
    let Some(uplink) = plan.uplink() else { return Ok(()) };
    let identifiers = Identifiers::of(plan);
    out.write_str(",\n\"uplink\": {\n\"switches\": [\n")?;
    for (at, switch) in (1..).zip(&uplink.switches) {
        let colour = plan.colour(switch.number);
        write!(out, "{{\"name\": \"{}\", ", switch.name)?;
        if let Some(folded) = uplink.folded {
            write!(out, "\"switch\": {folded}, ")?;
        } else {
            write!(out, "\"ports\": {}, ", switch.ports)?;
        }
        if let Some(plane) = switch.plane {
            write!(out, "\"plane\": {plane}, ")?;
        }
        write!(out, "\"colour\": {}, \"paint\": \"{}\"}}", json!(colour.name()), colour.paint)?;
        writeln!(out, "{}", comma(at < uplink.switches.len()))?;
    }
    out.write_str("],\n")?;
    let spares: Vec<String> = uplink.spares().map(|spare| plan.names.spare(spare)).collect();
    writeln!(out, "\"spares\": {},\n\"cables\": [", json!(spares))?;
    for (at, &cable) in uplink.cables.iter().enumerate() {
        let [from, to] = uplink.ends(&plan.names, &identifiers, cable);
        match cable.from {
            UplinkEnd::Switch { switch, port } => {
                write!(out, "{{\"from_switch\": {switch}, \"from_port\": {port}, ")?;
            }
            UplinkEnd::Spare(spare) => write!(out, "{{\"from_spare\": {spare}, ")?,
        }
        write!(
            out,
            "\"to\": \"{}\", \"port\": {}, \"from\": \"{}\", \"from_end\": \"{}\", ",
            to.device, cable.port, from.device, from.identifier
        )?;
        write!(out, "\"from_interface\": \"{}\", \"switchport\": \"{}\", ", from.port, to.port)?;
        write!(out, "\"switch_end\": \"{}\"", to.identifier)?;
        if let Some(metres) = uplink.length(&identifiers, cable) {
            write!(out, ", \"length_m\": {metres:.2}")?;
        }
        writeln!(out, "}}{}", comma(at + 1 < uplink.cables.len()))?;
    }
    Ok(out.write_str("]\n}")?)
}

fn pes(plan: &DesignPlan, out: &mut dyn fmt::Write) -> fmt::Result {
    let identifiers = Identifiers::of(plan);
    for pe in 0..plan.pes() {
        let place = place(identifiers.pe_place(pe));
        let (name, nis) = (plan.pe_name(pe), plan.nis.of(pe).len());
        let comma = comma(pe + 1 < plan.pes());
        writeln!(out, "{{\"pe\": {pe}, \"name\": \"{name}\", \"nis\": {nis}{place}}}{comma}")?;
    }
    Ok(())
}

fn switches(plan: &DesignPlan, out: &mut dyn fmt::Write) -> fmt::Result {
    let identifiers = Identifiers::of(plan);
    for (switch, ports) in (0..).zip(plan.ports()) {
        let (name, colour) = (plan.switch_name(switch), plan.colour(switch));
        let comma = comma(switch + 1 < plan.design.switch_count());
        write!(out, "{{\"switch\": {switch}, \"name\": \"{name}\", \"ports\": {}, ", ports.all)?;
        write!(out, "\"usable_ports\": {}, \"colour\": {}, ", ports.usable, json!(colour.name()))?;
        write!(out, "\"paint\": \"{}\"", colour.paint)?;
        writeln!(out, "{}}}{comma}", place(identifiers.switch_place(switch)))?;
    }
    Ok(())
}

fn cables(plan: &DesignPlan, out: &mut dyn fmt::Write) -> fmt::Result {
    let identifiers = Identifiers::of(plan);
    let mut left = plan.design.cables();
    for Cable { pe, ni, switch, port, .. } in plan.plugs() {
        left -= 1;
        write!(out, "{{\"pe\": {pe}, \"ni\": {ni}, \"switch\": {switch}, \"port\": {port}, ")?;
        write!(out, "\"interface\": \"{}\", \"mac\": \"{}\", ", plan.interface(ni), mac(pe, ni))?;
        write!(out, "\"switchport\": \"{}\", ", plan.port_name(port))?;
        write!(out, "\"pe_end\": \"{}\", ", identifiers.pe_end(pe, ni))?;
        write!(out, "\"switch_end\": \"{}\"", identifiers.switch_end(switch, port))?;
        if let Some(metres) = identifiers.length(pe, switch) {
            write!(out, ", \"length_m\": {metres:.2}")?;
        }
        writeln!(out, "}}{}", comma(left > 0))?;
    }
    Ok(())
}

fn place(place: Option<RackPlace>) -> String {
    place.map_or_else(String::new, |p| format!(", \"rack\": \"{}\", \"unit\": {}", p.rack, p.unit))
}

fn comma(more: bool) -> &'static str {
    if more { "," } else { "" }
}
