//! Nodes and their NICs for programs that install clusters: MAAS, Warewulf and xCAT. Every NIC has an address in the subnet of its
//! switch, as in the formats for RDMA.

use super::{
    AVOID, DesignPlan, ExportError, FAILED, FileType, Format, Group, INTERFACE, NETWORK, Render, SCRIPT,
    WriteResult, address::Mac, boot::BOOT_NI, parts::MACS, rdma::RdmaNic, scripts::lines, switches::MTU,
};
use std::{fmt, net::Ipv4Addr};

/// A node with its working NICs.
struct Machine {
    host: String,
    nics: Vec<(RdmaNic, Mac)>,
    /// Place of the NIC that it boots over.
    first: usize,
}

impl Machine {
    /// All nodes that work and have a working NIC.
    fn all(plan: &DesignPlan) -> Result<Vec<Machine>, ExportError> {
        let faults = plan.faults()?;
        plan.may_boot_over()?;
        let mut machines = Vec::new();
        for pe in (0..plan.pes()).filter(|&pe| !faults.is_dead(pe)) {
            let with_mac = |nic: RdmaNic| Ok((plan.boot_mac(pe, nic.ni)?, nic)).map(|(mac, nic)| (nic, mac));
            let nics: Vec<(RdmaNic, Mac)> =
                RdmaNic::all(plan, pe)?.into_iter().map(with_mac).collect::<Result<_, ExportError>>()?;
            let first =
                nics.iter().position(|(nic, _)| Some(&nic.ni) == plan.settings.given(&BOOT_NI)).unwrap_or(0);
            if !nics.is_empty() {
                machines.push(Machine { host: plan.pe_name(pe), nics, first });
            }
        }
        Ok(machines)
    }

    /// The NIC that it boots over.
    fn boot(&self) -> &(RdmaNic, Mac) {
        &self.nics[self.first]
    }
}

/// Comment lines: the nodes, and a note that MAC addresses can be computed.
fn about(plan: &DesignPlan, out: &mut dyn fmt::Write) -> WriteResult {
    writeln!(out, "# Nodes of {} ({} nodes).", plan.title(), plan.pes())?;
    writeln!(out, "# Addresses: {}.", plan.addresses()?.describe())?;
    let macs = "# NICs without a permanent MAC address in the setting `macs` have a computed MAC address.\n";
    Ok(out.write_str(macs)?)
}

/// Subnets of the switches that machines are on, with their names.
fn subnets(
    plan: &DesignPlan,
    machines: &[Machine],
) -> std::collections::BTreeMap<u32, (String, ipnet::Ipv4Net)> {
    let nics = machines.iter().flat_map(|machine| &machine.nics);
    nics.map(|(nic, _)| (nic.switch, (plan.switch_name(nic.switch), nic.subnet()))).collect()
}

fn mask(prefix: u8) -> Ipv4Addr {
    Ipv4Addr::from_bits(u32::MAX.checked_shl(32 - u32::from(prefix)).unwrap_or(0))
}

const YAML: FileType = ("application/yaml", "yaml");

pub(super) const WAREWULF: Format =
    Format::new(Group::Boot, "warewulf", "Warewulf 4", YAML, Render::Text(warewulf))
        .purpose("nodes and NICs for `wwctl node import` of Warewulf 4")
        .with(&[&BOOT_NI, &NETWORK, &AVOID, &MACS, &INTERFACE, &FAILED, &MTU]);

fn warewulf(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    about(plan, out)?;
    out.write_str(
        "# wwctl node import FILE. It replaces nodes that exist; the profile default gives image and kernel.\n",
    )?;
    for machine in Machine::all(plan)? {
        write!(out, "{}:\n  profiles:\n    - default\n  network devices:\n", machine.host)?;
        for (nic, mac) in &machine.nics {
            let RdmaNic { name, address, prefix, switch, .. } = nic;
            let far = if plan.is_cable(*switch) { "by" } else { "on" };
            writeln!(out, "    # {far} {}", plan.switch_name(*switch))?;
            write!(
                out,
                "    {name}:\n      type: ethernet\n      onboot: \"true\"\n      device: {name}\n      hwaddr: \"{mac}\"\n      \
                 ipaddr: {address}\n      netmask: {}\n      mtu: \"{}\"\n",
                mask(*prefix),
                plan.settings.get(&MTU)
            )?;
        }
        writeln!(out, "  primary network: {}", machine.boot().0.name)?;
    }
    Ok(())
}

pub(super) const XCAT: Format =
    Format::new(Group::Boot, "xcat", "xCAT", ("text/plain; charset=utf-8", "stanza"), Render::Text(xcat))
        .read_by(&["xCAT 2.19.0"])
        .purpose("nodes, NICs and networks as a stanza file that `mkdef -z` of xCAT reads")
        .with(&[&BOOT_NI, &NETWORK, &AVOID, &MACS, &INTERFACE, &FAILED, &MTU]);

fn xcat(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    out.write_str("# <xCAT data object stanza file>\n")?;
    about(plan, out)?;
    out.write_str("# cat FILE | mkdef -z; with -f it replaces nodes that exist.\n")?;
    let machines = Machine::all(plan)?;
    let mtu = plan.settings.get(&MTU);
    for (name, subnet) in subnets(plan, &machines).values() {
        write!(
            out,
            "\n{name}:\n    objtype=network\n    net={}\n    mask={}\n    mtu={mtu}\n",
            subnet.network(),
            subnet.netmask()
        )?;
    }
    for machine in &machines {
        let (boot, mac) = machine.boot();
        write!(
            out,
            "\n{}:\n    objtype=node\n    groups=crosspoint,all\n    ip={}\n    mac={mac}\n    installnic=mac\n    primarynic=mac\n",
            machine.host, boot.address
        )?;
        for (nic, _) in &machine.nics {
            let RdmaNic { name, address, switch, .. } = nic;
            write!(
                out,
                "    nicips.{name}={address}\n    nictypes.{name}=Ethernet\n    nicnetworks.{name}={}\n    \
                 nichostnamesuffixes.{name}=-{name}\n    nicextraparams.{name}=MTU={mtu}\n",
                plan.switch_name(*switch)
            )?;
        }
    }
    Ok(())
}

pub(super) const MAAS: Format = Format::new(Group::Boot, "maas", "MAAS", SCRIPT, Render::Text(maas))
    .read_by(&["ShellCheck 0.9"])
    .purpose(
        "shell script of `maas` commands: machines, a fabric and a subnet per switch, and static addresses",
    )
    .with(&[&NETWORK, &AVOID, &MACS, &INTERFACE, &FAILED, &MTU]);

const BODY: &str = include_str!("assets/maas.sh");

fn maas(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    out.write_str("#!/bin/sh\n")?;
    about(plan, out)?;
    out.write_str(USAGE)?;
    writeln!(out, "set -eu\nMTU={}", plan.settings.get(&MTU))?;
    let machines = Machine::all(plan)?;
    lines(&format!("# Name and network of each {}.", plan.spec.switch_noun()), "subnets", out, |out| {
        for (name, subnet) in subnets(plan, &machines).values() {
            writeln!(out, "{name} {subnet}")?;
        }
        Ok(())
    })?;
    lines("# Each node with the MAC addresses of its NICs.", "machines", out, |out| {
        for machine in &machines {
            let macs: Vec<String> = machine.nics.iter().map(|(_, mac)| mac.to_string()).collect();
            writeln!(out, "{} {}", machine.host, macs.join(" "))?;
        }
        Ok(())
    })?;
    lines("# Node, NIC, MAC address, network and address.", "nics", out, |out| {
        for machine in &machines {
            for (nic, mac) in &machine.nics {
                writeln!(out, "{} {} {mac} {} {}", machine.host, nic.name, nic.subnet(), nic.address)?;
            }
        }
        Ok(())
    })?;
    Ok(write!(out, "\n{BODY}")?)
}

const USAGE: &str = "\
# usage: PROFILE=admin sh FILE add    adds subnets and machines that MAAS does not have; commission the machines then
# usage: PROFILE=admin sh FILE link   gives the NICs of commissioned machines their names and addresses
# Needs maas, logged in as $PROFILE, and jq. Set ARCHITECTURE (default amd64/generic) and POWER (default power_type=manual) for all machines.
";
