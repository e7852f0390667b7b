//! Files of FRR for each node: the addresses and routes of `multipath`, watched by BFD.
//!
//! The kernel notices that a cable is pulled, and not that a switch forwards nothing while its links stay up. So FRR exchanges
//! packets (BFD, RFC 5881) with each neighbour over each shared switch. A route over a NIC holds while they come back.
//!
//! Below each watched route to a neighbour is one without BFD, of a higher distance. It carries packets while no session is up:
//! before BFD has begun, or while the neighbour runs no FRR. This route also lets BFD restart after all shared switches of
//a pair have failed: with `rp_filter`, the kernel drops packets of a node without a route to it.
//!
//! Neighbours are found by ARP, so NICs keep their own MAC addresses.

use super::{
    AVOID, DesignPlan, FAILED, FOLDER, FileScope, FileSink, Format, Group, INTERFACE, NETWORK, Render,
    WriteResult,
    networkd::sysctl,
    ways::{THROUGH, UplinkRoutes, Ways},
};
use crate::design::Path;
use std::fmt::Write as _;

pub(super) const FORMAT: Format = Format::new(Group::Nodes, "frr", "FRR on nodes", FOLDER, Render::Files(frr))
    .read_by(&["FRR 10.3"])
    .purpose("FRR files per node: the routes of multipath; BFD removes a switch from the routes if it stops forwarding while its links \
        stay up")
    .per(FileScope::Node)
    .with(&[&NETWORK, &AVOID, &INTERFACE, &FAILED, &THROUGH]);

/// Distance of routes without BFD: higher than any that FRR has by default but 255, which is never used.
const DISTANCE: u32 = 250;

/// FRR's list of daemons, with one besides those that always run. They listen for operators on the loopback interface, as Debian's own
/// file has it.
pub(super) fn daemons(name: &str) -> String {
    let options = |daemon: &str, more: &str| format!("{daemon}_options=\"-A 127.0.0.1{more}\"\n");
    let always = options("zebra", " -s 90000000") + &options("mgmtd", "") + &options("staticd", "");
    format!("{name}=yes\nvtysh_enable=yes\n{always}{}", options(name, ""))
}

/// BFD's usual times: a failure is noticed after 0.9 s.
const PROFILE: &str = "\
bfd
 profile crosspoint
  detect-multiplier 3
  receive-interval 300
  transmit-interval 300
 exit
exit
";

fn frr(plan: &DesignPlan, pe: u32, each: &mut FileSink) -> WriteResult {
    let ways = plan.ways(pe)?;
    each("etc/frr/daemons", &daemons("bfdd"))?;
    each("etc/frr/frr.conf", &configuration(plan, pe, &ways)?)?;
    each("etc/sysctl.d/90-crosspoint.conf", &sysctl(plan, pe, &ways)?)
}

fn configuration(plan: &DesignPlan, pe: u32, ways: &Ways) -> Result<String, super::ExportError> {
    let addresses = plan.pe_addresses()?;
    let own = addresses.of(pe);
    let mut text = format!(
        "! Network of {} in {}. Addresses: {}.\n! Tested with FRR 10.3. This node has {} BFD sessions.\n",
        plan.pe_name(pe),
        plan.title(),
        addresses.describe(),
        ways.entries()
    );
    write!(text, "frr defaults traditional\n!\ninterface lo\n ip address {own}/32\nexit\n!\n")?;
    for &(ni, switch) in &ways.nis {
        let name = plan.interface(ni);
        let address = match plan.spec.uplink {
            Some(_) => plan.subnet_address(pe, switch)?,
            None => own.into(),
        };
        write!(text, "interface {name}\n description {}\n", plan.far_label(pe, switch))?;
        write!(text, " ip address {address}\n no shutdown\nexit\n!\n")?;
    }
    let watched = |to: u32, next: u32, paths: &[Path], text: &mut String| {
        let (to, next) = (addresses.of(to), addresses.of(next));
        paths.iter().try_for_each(|path| {
            let name = plan.interface(path.ni);
            writeln!(text, "ip route {to}/32 {next} {name} onlink bfd source {own} profile crosspoint")
        })
    };
    for neighbour in &ways.neighbours {
        writeln!(text, "! {}", plan.pe_name(neighbour.pe))?;
        watched(neighbour.pe, neighbour.pe, &neighbour.paths, &mut text)?;
        for path in &neighbour.paths {
            let (to, name) = (addresses.of(neighbour.pe), plan.interface(path.ni));
            writeln!(text, "ip route {to}/32 {name} {DISTANCE}")?;
        }
    }
    for &(to, next) in &ways.through {
        writeln!(text, "! {} through {}", plan.pe_name(to), plan.pe_name(next))?;
        watched(to, next, ways.paths(next), &mut text)?;
    }
    for UplinkRoutes { networks, gateways } in &ways.uplinked {
        text.push_str("! over uplink switches\n");
        for (network, gateway) in networks.iter().flat_map(|net| gateways.iter().map(move |gate| (net, gate)))
        {
            writeln!(text, "ip route {network} {} {}", gateway.address, plan.interface(gateway.ni))?;
        }
    }
    text.push_str("!\n");
    text.push_str(PROFILE);
    Ok(text)
}
