//! A shell script that each PE runs to find cables that are not where the design says. One file serves the whole machine:
//! it holds the cable list, and a program (`audit/body.sh`) that looks at the cables of the PE it runs on.
//!
//! LLDP tells where a cable is; where switches do not speak it, a PE sees those at the same switch, or asks them by ARP
//! at their addresses, of which each switch has its own subnet (dissertation, section 5.1.1).

use super::{DesignPlan, Format, Render, SCRIPT, Written};
use std::fmt;

pub(super) const FORMAT: Format = Format {
    settings: &["interface", "network", "avoid"],
    ..Format::new(
        "audit",
        "a shell script that each PE runs: which of its cables are not where the design says, by LLDP or ARP",
        SCRIPT,
        Render::Text(render),
    )
};

const BODY: &str = include_str!("assets/audit.sh");

fn render(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    let addresses = plan.addresses()?;
    writeln!(out, "#!/bin/sh\n# Looks at the cables of {} ({} PEs).", plan.title(), plan.pes())?;
    writeln!(out, "# Addresses, for --arp: {}.", addresses.describe())?;
    writeln!(out, "\nINTERFACE={}", plan.settings.interface)?;
    out.write_str("\n# PE, NI, switch, port, address of the NI.\ncables() {\n    cat <<'END'\n")?;
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
