//! An Ansible inventory with the variables of each node, and a playbook that configures all nodes in any of the forms.

use super::{
    AVOID, DesignPlan, ExportError, FAILED, FOLDER, FileSink, Format, Group, INTERFACE, NETWORK, Render,
    WriteResult, address::mac, bundle::stem,
};
use std::fmt::Write as _;

pub(super) const FORMAT: Format = Format::new(Group::Nodes, "ansible", "Ansible playbook", FOLDER, Render::Files(render))
    .read_by(&["ansible-core 2.19", "ansible-lint 26.10"])
    .recommended()
    .purpose("Ansible inventory with host variables, and a playbook that applies or removes script, multipath, networkd or netplan")
    .with(&[&NETWORK, &AVOID, &INTERFACE, &FAILED]);

const PLAYBOOK: &str = include_str!("assets/playbook.yml");
/// The systemd unit that runs a script at every boot.
pub(super) const UNIT: &str = include_str!("assets/crosspoint-network.service");

pub(super) const RDMA: Format = Format::new(Group::Rdma, "rdma-ansible", "Ansible playbook, RoCE v2", FOLDER, Render::Files(render_rdma))
    .read_by(&["ansible-core 2.19", "ansible-lint 26.10"])
    .recommended()
    .purpose("Ansible inventory with the addresses of each NIC, and a playbook that applies or removes the formats for RDMA")
    .with(&[&NETWORK, &AVOID, &INTERFACE, &FAILED]);

fn render(plan: &DesignPlan, _: u32, each: &mut FileSink) -> WriteResult {
    each("inventory.yml", &inventory(plan, false)?)?;
    each("crosspoint-network.service", UNIT)?;
    each("crosspoint.yml", PLAYBOOK)
}

fn render_rdma(plan: &DesignPlan, _: u32, each: &mut FileSink) -> WriteResult {
    each("inventory.yml", &inventory(plan, true)?)?;
    each("crosspoint.yml", PLAYBOOK)
}

fn inventory(plan: &DesignPlan, rdma: bool) -> Result<String, ExportError> {
    let mut text = format!("# Nodes of {} ({} nodes).\n", plan.title(), plan.pes());
    match rdma {
        true => writeln!(text, "# Addresses: {}.", plan.addresses()?.describe())?,
        false => {
            writeln!(text, "# Addresses of all formats except script: {}.", plan.pe_addresses()?.describe())?;
        }
    }
    text.push_str("# Add ansible_host if the names do not resolve over another network.\n");
    writeln!(
        text,
        "all:\n  children:\n    crosspoint:\n      vars:\n        crosspoint_design: \"{}\"",
        stem(&plan.spec.name)
    )?;
    if rdma {
        text.push_str("        crosspoint_default_form: rdma-networkd\n");
    }
    text.push_str("      hosts:\n");
    for pe in 0..plan.pes() {
        host(plan, pe, rdma, &mut text)?;
    }
    Ok(text)
}

fn host(plan: &DesignPlan, pe: u32, rdma: bool, text: &mut String) -> WriteResult {
    if plan.faults()?.is_dead(pe) {
        writeln!(text, "        # {} has failed.", plan.pe_name(pe))?;
        return Ok(());
    }
    writeln!(text, "        {}:\n          crosspoint_pe: {pe}", plan.pe_name(pe))?;
    if !rdma {
        writeln!(text, "          crosspoint_address: {}", plan.pe_addresses()?.of(pe))?;
    }
    let nis = plan.working_nis(pe)?;
    text.push_str(if nis.is_empty() {
        "          crosspoint_nis: []\n"
    } else {
        "          crosspoint_nis:\n"
    });
    for (ni, switch) in nis {
        let name = plan.interface(ni);
        // A direct cable leads to another node.
        let (far, port) = match plan.far_ni(pe, switch) {
            Some((far, ni)) => (plan.pe_name(far), plan.interface(ni)),
            None => (plan.switch_name(switch), plan.port(switch, pe).to_string()),
        };
        let own = match rdma {
            true => format!("address: {}/{}", plan.address_on(pe, switch)?, plan.addresses()?.prefix(switch)),
            false => format!("mac: \"{}\"", mac(pe, ni)),
        };
        writeln!(text, "            - {{ni: {ni}, interface: {name}, {own}, switch: {far}, port: {port}}}")?;
    }
    Ok(())
}
