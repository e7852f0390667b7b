//! The whole wiring as one JSON document, for programs of one's own. `json/schema.json` says what is in it, and is an
//! export too; what `version` 1 holds stays as it is, and may only be added to.

use super::{
    Bundle, ExportError, Format, Render, address::mac, identifiers::Identifiers, identifiers::Place, machine,
};
use serde_json::json;
use std::fmt;

pub(super) const FORMAT: Format = Format {
    name: "json",
    purpose: "the wiring as one JSON document, PEs, switches and cables, for programs of one's own",
    media_type: "application/json",
    extension: "json",
    per_pe: false,
    settings: &["interface", "port", "palette"],
    render: Render::Text(render),
};

pub(super) const SCHEMA: Format = Format {
    name: "json-schema",
    purpose: "the JSON schema that describes the export json",
    media_type: "application/schema+json",
    extension: "json",
    per_pe: false,
    settings: &[],
    render: Render::Text(schema),
};

fn schema(_bundle: &Bundle, _pe: Option<u32>, out: &mut dyn fmt::Write) -> Result<(), ExportError> {
    Ok(out.write_str(include_str!("json/schema.json"))?)
}

fn render(bundle: &Bundle, _pe: Option<u32>, out: &mut dyn fmt::Write) -> Result<(), ExportError> {
    writeln!(out, "{{\n\"format\": \"crosspoint-wiring\",\n\"version\": 1,")?;
    writeln!(out, "\"name\": {},", json!(bundle.title()))?;
    writeln!(out, "\"requested_pairs\": {},", bundle.requested())?;
    writeln!(out, "\"uncovered_pairs\": {},\n\"pes\": [", bundle.left_out())?;
    pes(bundle, out)?;
    out.write_str("],\n\"switches\": [\n")?;
    switches(bundle, out)?;
    out.write_str("],\n\"cables\": [\n")?;
    cables(bundle, out)?;
    Ok(out.write_str("]\n}\n")?)
}

fn pes(bundle: &Bundle, out: &mut dyn fmt::Write) -> fmt::Result {
    let identifiers = Identifiers::of(bundle);
    for pe in 0..bundle.pes() {
        let place = place(identifiers.pe_place(pe));
        let (name, nis) = (bundle.pe_name(pe), bundle.nis.of(pe).len());
        let comma = comma(pe + 1 < bundle.pes());
        writeln!(out, "{{\"pe\": {pe}, \"name\": \"{name}\", \"nis\": {nis}{place}}}{comma}")?;
    }
    Ok(())
}

fn switches(bundle: &Bundle, out: &mut dyn fmt::Write) -> fmt::Result {
    let identifiers = Identifiers::of(bundle);
    for (switch, ports) in (0..).zip(machine::ports(bundle)) {
        let (name, colour) = (bundle.switch_name(switch), machine::colour(bundle, switch));
        let comma = comma(switch + 1 < bundle.design.switch_count());
        write!(out, "{{\"switch\": {switch}, \"name\": \"{name}\", \"ports\": {}, ", ports.all)?;
        write!(out, "\"usable_ports\": {}, \"colour\": {}, ", ports.usable, json!(colour.name()))?;
        write!(out, "\"paint\": \"{}\"", colour.paint)?;
        writeln!(out, "{}}}{comma}", place(identifiers.switch_place(switch)))?;
    }
    Ok(())
}

fn cables(bundle: &Bundle, out: &mut dyn fmt::Write) -> fmt::Result {
    let identifiers = Identifiers::of(bundle);
    let mut left = bundle.design.cables();
    for pe in 0..bundle.pes() {
        for (ni, &switch) in bundle.nis.of(pe).iter().enumerate() {
            left -= 1;
            let port = bundle.port(switch, pe);
            write!(out, "{{\"pe\": {pe}, \"ni\": {ni}, \"switch\": {switch}, \"port\": {port}, ")?;
            let interface = machine::interface(bundle, ni);
            write!(out, "\"interface\": \"{interface}\", \"mac\": \"{}\", ", mac(pe, ni as u32))?;
            write!(out, "\"switchport\": \"{}\", ", machine::port(bundle, port))?;
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
