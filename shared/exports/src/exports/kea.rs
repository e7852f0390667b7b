//! Kea's configuration of the boot server: the reservations of the export `dnsmasq`, a subnet per switch. Kea relays nothing, so
//! relays run that export's files. Boot files are by another server, with TFTP. Routes and a description are in a user context, which Kea ignores, since JSON has no comments.

use super::{
    AVOID, DesignPlan, ExportError, FAILED, Format, Group, INTERFACE, JSON, NETWORK, ROOT, Render,
    WriteResult,
    boot::{
        ARM_FILE, BOOT_FILE, BOOT_NI, UEFI_FILE, interface, served, server_address, server_routes, subnet,
    },
    parts::MACS,
};
use crate::analysis::routing::BootPlan;
use serde_json::{Value, json};
use std::fmt;

pub(super) const FORMAT: Format = Format::new(
    Group::Boot,
    "kea",
    "Kea DHCP server",
    JSON,
    Render::Text(render),
)
.read_by(&["Kea 2.2"])
.purpose("Kea DHCPv4 configuration of the boot server, with all reservations; relays run the export dnsmasq")
.with(&[&ROOT, &BOOT_NI, &BOOT_FILE, &UEFI_FILE, &ARM_FILE, &NETWORK, &AVOID, &MACS, &INTERFACE, &FAILED]);

/// A lease without end (RFC 2131).
const INFINITE: u32 = u32::MAX;

fn render(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let boot = plan.boot_plan()?;
    let server = boot.server();
    let interfaces: Vec<String> =
        boot.serves(server).map(|switch| interface(plan, &boot, server, switch)).collect();
    let subnets = served(plan, &boot)
        .map(|(switch, by)| subnet4(plan, &boot, switch, by))
        .collect::<Result<Vec<_>, _>>()?;
    let routes = server_routes(plan, &boot)?;
    let never: Vec<String> = boot.never().map(|pe| plan.pe_name(pe)).collect();
    let about = json!({
        "design": plan.title(),
        "server": plan.pe_name(server),
        "addresses": plan.addresses()?.describe(),
        "relays": "files of the export dnsmasq, except the server's",
        "nodes that cannot boot": never,
        "routes to run first, as root": routes,
    });
    let configuration = json!({"Dhcp4": {
        "user-context": {"crosspoint": about},
        "interfaces-config": {"interfaces": interfaces, "re-detect": true},
        "lease-database": {"type": "memfile", "persist": true},
        "authoritative": true,
        "valid-lifetime": INFINITE,
        "boot-file-name": plan.settings.get(&BOOT_FILE),
        // Firmware sends its architecture in option 93 (RFC 4578): 7 and 9 are UEFI on x86-64, 11 on ARM.
        "client-classes": [
            {
                "name": "uefi",
                "test": "option[93].hex == 0x0007 or option[93].hex == 0x0009",
                "boot-file-name": plan.settings.get(&UEFI_FILE),
            },
            {"name": "arm", "test": "option[93].hex == 0x000b", "boot-file-name": plan.settings.get(&ARM_FILE)},
        ],
        "host-reservation-identifiers": ["hw-address"],
        "subnet4": subnets,
    }});
    writeln!(out, "{configuration:#}")?;
    Ok(())
}

/// The subnet of a switch. It has no pool: only nodes with a reservation get an address.
fn subnet4(plan: &DesignPlan, boot: &BootPlan, switch: u32, by: u32) -> Result<Value, ExportError> {
    let (first, _) = subnet(plan, by, switch)?;
    let server = boot.server();
    let next = if by == server { plan.address_on(by, switch)? } else { server_address(plan, boot, by)? };
    let mut reservations = Vec::new();
    for &pe in plan.design.members(switch) {
        let Some(booting) = boot.booting(pe).filter(|booting| booting.switch == switch) else { continue };
        reservations.push(json!({
            "hw-address": plan.boot_mac(pe, booting.ni)?.to_string(),
            "ip-address": plan.address_on(pe, switch)?,
            "hostname": plan.pe_name(pe),
        }));
    }
    Ok(json!({
        "id": switch + 1,
        "subnet": format!("{first}/{}", plan.addresses()?.prefix(switch)),
        "user-context": {"switch": plan.switch_name(switch), "through": plan.pe_name(by)},
        "next-server": next,
        "option-data": [{"name": "routers", "data": plan.address_on(by, switch)?.to_string()}],
        "reservations": reservations,
    }))
}
