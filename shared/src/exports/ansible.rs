//! An Ansible inventory with the variables of each node, and a playbook that configures all nodes in any of the forms.

use super::{DesignPlan, EachFile, ExportError, FOLDER, Format, Render, Written, address::mac, bundle::slug};
use std::fmt::Write as _;

pub(super) const FORMAT: Format = Format::new("ansible", FOLDER, Render::Files(render))
    .read_by(&["ansible-core 2.19", "ansible-lint 26.10"])
    .purpose("Ansible inventory with host variables, and a playbook that applies or removes script, multipath, networkd or netplan")
    .with(&["network", "avoid", "interface", "failed"]);

const PLAYBOOK: &str = include_str!("assets/playbook.yml");
/// The systemd unit that runs a script at every boot.
pub(super) const UNIT: &str = include_str!("assets/crosspoint-network.service");

fn render(plan: &DesignPlan, _: u32, each: &mut EachFile) -> Written {
    each("inventory.yml", &inventory(plan)?)?;
    each("crosspoint-network.service", UNIT)?;
    each("crosspoint.yml", PLAYBOOK)
}

fn inventory(plan: &DesignPlan) -> Result<String, ExportError> {
    let addresses = plan.pe_addresses()?;
    let mut text = format!("# Nodes of {} ({} nodes).\n", plan.title(), plan.pes());
    writeln!(text, "# Addresses of all forms except script: {}.", addresses.describe())?;
    text.push_str("# Add ansible_host if the names do not resolve over another network.\n");
    writeln!(
        text,
        "all:\n  children:\n    crosspoint:\n      vars:\n        crosspoint_design: \"{}\"",
        slug(&plan.spec.name)
    )?;
    text.push_str("      hosts:\n");
    for pe in 0..plan.pes() {
        host(plan, pe, &mut text)?;
    }
    Ok(text)
}

fn host(plan: &DesignPlan, pe: u32, text: &mut String) -> Written {
    let address = plan.pe_addresses()?.of(pe);
    if plan.faults()?.is_dead(pe) {
        writeln!(text, "        # {} has failed.", plan.pe_name(pe))?;
        return Ok(());
    }
    writeln!(
        text,
        "        {}:\n          crosspoint_pe: {pe}\n          crosspoint_address: {address}",
        plan.pe_name(pe)
    )?;
    let nis = plan.working_nis(pe)?;
    text.push_str(if nis.is_empty() {
        "          crosspoint_nis: []\n"
    } else {
        "          crosspoint_nis:\n"
    });
    for (ni, switch) in nis {
        let (name, mac) = (plan.interface(ni), mac(pe, ni));
        let (switch_name, port) = (plan.switch_name(switch), plan.port(switch, pe));
        writeln!(
            text,
            "            - {{ni: {ni}, interface: {name}, mac: \"{mac}\", switch: {switch_name}, port: {port}}}"
        )?;
    }
    Ok(())
}
