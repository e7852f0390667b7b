//! An Ansible inventory with what each PE has to know of itself, and a playbook that sets up all PEs in any of the forms.

use super::{Bundle, EachFile, ExportError, Format, Render, address::mac};
use std::fmt::Write as _;

pub(super) const FORMAT: Format = Format {
    name: "ansible",
    purpose: "an Ansible inventory with host variables, and a playbook that applies script, multipath, networkd or netplan and takes it back",
    media_type: "application/x-tar",
    extension: "tar",
    per_pe: false,
    settings: &["network", "avoid", "interface", "dead"],
    render: Render::Files(render),
};

const PLAYBOOK: &str = include_str!("ansible/playbook.yml");
const UNIT: &str = include_str!("ansible/crosspoint-network.service");

fn render(bundle: &Bundle, _pe: Option<u32>, each: &mut EachFile) -> Result<(), ExportError> {
    each("inventory.yml", &inventory(bundle)?)?;
    each("crosspoint-network.service", UNIT)?;
    each("crosspoint.yml", PLAYBOOK)
}

fn inventory(bundle: &Bundle) -> Result<String, ExportError> {
    let addresses = bundle.pe_addresses()?;
    let mut text = format!("# PEs of {} ({} PEs).\n", bundle.title(), bundle.pes());
    writeln!(text, "# Addresses, but for the form script: {}.", addresses.describe())?;
    text.push_str("# Where names do not lead to the machines over another network, add ansible_host.\n");
    writeln!(
        text,
        "all:\n  children:\n    crosspoint:\n      vars:\n        crosspoint_design: \"{}\"",
        bundle.stem()
    )?;
    text.push_str("      hosts:\n");
    for pe in 0..bundle.pes() {
        host(bundle, pe, &mut text)?;
    }
    Ok(text)
}

fn host(bundle: &Bundle, pe: u32, text: &mut String) -> Result<(), ExportError> {
    let address = bundle.pe_addresses()?.of(pe);
    if bundle.faults()?.is_dead(pe) {
        writeln!(text, "        # {} is dead.", bundle.pe_name(pe))?;
        return Ok(());
    }
    writeln!(
        text,
        "        {}:\n          crosspoint_pe: {pe}\n          crosspoint_address: {address}",
        bundle.pe_name(pe)
    )?;
    let nis = bundle.working_nis(pe)?;
    text.push_str(if nis.is_empty() {
        "          crosspoint_nis: []\n"
    } else {
        "          crosspoint_nis:\n"
    });
    for (ni, switch) in nis {
        let (name, mac) = (&bundle.settings.interface, mac(pe, ni));
        let (switch_name, port) = (bundle.switch_name(switch), bundle.port(switch, pe));
        writeln!(
            text,
            "            - {{ni: {ni}, interface: {name}{ni}, mac: \"{mac}\", switch: {switch_name}, port: {port}}}"
        )?;
    }
    Ok(())
}
