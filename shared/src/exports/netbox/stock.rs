//! What NetBox has to know before it knows devices: the site, the manufacturer, roles, device types, racks.

use super::{
    super::{DesignPlan, Format, Written, identifiers::Identifiers, machine},
    MANUFACTURER, MOST_UNITS, PE_ROLE, SWITCH_ROLE, field, format, pe_type, site, slug, switch_type,
};
use std::{collections::BTreeSet, fmt};

pub(in super::super) const SITES: Format =
    format("netbox-sites", "NetBox import 1: the site", &["site"], sites);

pub(in super::super) const MANUFACTURERS: Format = format(
    "netbox-manufacturers",
    "NetBox import 2: the manufacturer that stands for whoever made the devices",
    &[],
    manufacturers,
);

pub(in super::super) const ROLES: Format =
    format("netbox-roles", "NetBox import 3: the roles of devices, PE and switch", &[], roles);

pub(in super::super) const DEVICE_TYPES: Format = format(
    "netbox-device-types",
    "NetBox import 4: a device type for each number of NIs and of ports",
    &[],
    device_types,
);

pub(in super::super) const RACKS: Format =
    format("netbox-racks", "NetBox import 5: the racks, where the spec has some", &["site"], racks);

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
        let units = (pes + switches).clamp(42, u64::from(MOST_UNITS));
        writeln!(out, "{},{name},planned,19,{units}", field(&site))?;
    }
    Ok(())
}
