//! PEs and switches as NetBox's devices, and their NIs and ports as its interfaces.

use super::{
    super::{
        DesignPlan, Format, Written,
        identifiers::{Identifiers, Place},
        machine,
    },
    MANUFACTURER, MOST_UNITS, PE_ROLE, SWITCH_ROLE, field, format, pe_type, site, switch_type,
};
use std::fmt;

pub(in super::super) const DEVICES: Format = format(
    "netbox-devices",
    "NetBox import 6: every PE and every switch, with its place in a rack where the spec knows it",
    &["site"],
    devices,
);

pub(in super::super) const INTERFACES: Format = format(
    "netbox-interfaces",
    "NetBox import 7: every NI and every port, those kept free included",
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
            Some(Place { rack, unit }) if unit > MOST_UNITS => writeln!(out, "{rack},,"),
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
            let kept = if number > ports.usable { "kept free" } else { "" };
            writeln!(out, "{name},{port},port {number},{kind},{kept}")?;
        }
    }
    Ok(())
}
