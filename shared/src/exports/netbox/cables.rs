//! Cables between NetBox's interfaces.

use super::{
    super::{Bundle, ExportError, Format, identifiers::Identifiers, machine},
    field, format, site,
};
use std::fmt;

pub(in super::super) const CABLES: Format = format(
    "netbox-cables",
    "NetBox import 8: every cable with both ends, its colour, label and, where racks are known, length",
    &["site", "interface", "port", "cable-type", "palette"],
    cables,
);

fn cables(bundle: &Bundle, _pe: Option<u32>, out: &mut dyn fmt::Write) -> Result<(), ExportError> {
    out.write_str(
        "side_a_site,side_a_device,side_a_type,side_a_name,side_b_site,side_b_device,side_b_type,side_b_name,\
         type,status,label,color,length,length_unit\n",
    )?;
    let (site, identifiers) = (field(&site(bundle)), Identifiers::of(bundle));
    let kind = &bundle.settings.cable_type;
    for pe in 0..bundle.pes() {
        let name = bundle.pe_name(pe);
        for (ni, &switch) in bundle.nis.of(pe).iter().enumerate() {
            let port = bundle.port(switch, pe);
            let interface = machine::interface(bundle, ni);
            write!(out, "{site},{name},dcim.interface,{interface},{site},{},", bundle.switch_name(switch))?;
            write!(out, "dcim.interface,{},{kind},planned,", machine::port(bundle, port))?;
            let ends = (identifiers.pe_end(pe, ni as u32), identifiers.switch_end(switch, port));
            write!(out, "{}/{},{},", ends.0, ends.1, hex(bundle, switch))?;
            match identifiers.length(pe, switch) {
                Some(metres) => writeln!(out, "{metres:.2},m")?,
                None => out.write_str(",\n")?,
            }
        }
    }
    Ok(())
}

/// A switch's colour without what web pages put in front.
fn hex(bundle: &Bundle, switch: u32) -> &'static str {
    machine::colour(bundle, switch).paint.trim_start_matches('#')
}
