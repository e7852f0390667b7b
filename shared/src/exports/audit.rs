//! A shell script that finds cables that are not where the design says. It holds the cable list of the whole machine and a program
//! (`assets/audit.sh`), which uses LLDP, or ARP: each switch is a subnet (dissertation, section 5.1.1).

use super::{DesignPlan, Format, Render, SCRIPT, Written};
use std::fmt;

pub(super) const FORMAT: Format = Format {
    settings: &["interface", "network", "avoid"],
    ..Format::new(
        "audit",
        "shell script for every node: finds cables that are not where the design says, by LLDP or ARP",
        SCRIPT,
        Render::Text(render),
    )
};

const BODY: &str = include_str!("assets/audit.sh");

fn render(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    let addresses = plan.addresses()?;
    writeln!(out, "#!/bin/sh\n# Checks the cables of {} ({} nodes).", plan.title(), plan.pes())?;
    writeln!(out, "# Addresses, for --arp: {}.", addresses.describe())?;
    writeln!(out, "\nINTERFACE={}", plan.settings.interface)?;
    out.write_str("\n# Node, NIC, switch, port, address of the NIC.\ncables() {\n    cat <<'END'\n")?;
    for pe in 0..plan.pes() {
        let name = plan.pe_name(pe);
        for (ni, &switch) in plan.nis.of(pe).iter().enumerate() {
            let port = plan.port(switch, pe);
            let address = addresses.address(switch, pe, port);
            writeln!(out, "{name} {ni} {} {port} {address}", plan.switch_name(switch))?;
        }
    }
    out.write_str("END\n}\n\n")?;
    Ok(out.write_str(BODY)?)
}
