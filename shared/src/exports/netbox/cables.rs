//! Cables between NetBox's interfaces.

use super::{
    super::{DesignPlan, Format, Written, identifiers::Identifiers, machine},
    field, format, site,
};
use std::fmt;

pub(in super::super) const CABLES: Format = format(
    "netbox-cables",
    "NetBox import 8: every cable with both ends, its colour, label and, where racks are known, length",
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
