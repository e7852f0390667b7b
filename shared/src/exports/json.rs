//! The wiring as one JSON document. `assets/schema.json` describes it; version 1 may only be extended.

use super::{
    DesignPlan, Format, JSON, Render, Written, address::mac, identifiers::Identifiers, identifiers::Place,
    machine,
};
use serde_json::json;
use std::fmt;

pub(super) const FORMAT: Format = Format {
    settings: &["interface", "port", "palette"],
    ..Format::new(
        "json",
        "the wiring as one JSON document for your own programs: nodes, switches and cables",
        JSON,
        Render::Text(render),
    )
};

pub(super) const SCHEMA: Format = Format::new(
    "json-schema",
    "JSON schema of the json export",
    ("application/schema+json", "json"),
    Render::Text(schema),
);

fn schema(_bundle: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    Ok(out.write_str(include_str!("assets/schema.json"))?)
}

fn render(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    writeln!(out, "{{\n\"format\": \"crosspoint-wiring\",\n\"version\": 1,")?;
    writeln!(out, "\"name\": {},", json!(plan.title()))?;
    writeln!(out, "\"requested_pairs\": {},", plan.requested())?;
    writeln!(out, "\"uncovered_pairs\": {},\n\"pes\": [", plan.left_out())?;
    pes(plan, out)?;
    out.write_str("],\n\"switches\": [\n")?;
    switches(plan, out)?;
    out.write_str("],\n\"cables\": [\n")?;
    cables(plan, out)?;
    Ok(out.write_str("]\n}\n")?)
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
    for (switch, ports) in (0..).zip(machine::ports(plan)) {
        let (name, colour) = (plan.switch_name(switch), machine::colour(plan, switch));
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
    for pe in 0..plan.pes() {
        for (ni, &switch) in plan.nis.of(pe).iter().enumerate() {
            left -= 1;
            let port = plan.port(switch, pe);
            write!(out, "{{\"pe\": {pe}, \"ni\": {ni}, \"switch\": {switch}, \"port\": {port}, ")?;
            let interface = machine::interface(plan, ni);
            write!(out, "\"interface\": \"{interface}\", \"mac\": \"{}\", ", mac(pe, ni as u32))?;
            write!(out, "\"switchport\": \"{}\", ", machine::port(plan, port))?;
            write!(out, "\"pe_end\": \"{}\", ", identifiers.pe_end(pe, ni as u32))?;
            write!(out, "\"switch_end\": \"{}\"", identifiers.switch_end(switch, port))?;
            if let Some(metres) = identifiers.length(pe, switch) {
                write!(out, ", \"length_m\": {metres:.2}")?;
            }
            writeln!(out, "}}{}", comma(left > 0))?;
        }
    }
    Ok(())
}

fn place(place: Option<Place>) -> String {
    place.map_or_else(String::new, |p| format!(", \"rack\": \"{}\", \"unit\": {}", p.rack, p.unit))
}

fn comma(more: bool) -> &'static str {
    if more { "," } else { "" }
}
