//! Network boot (dissertation, section 5.2.1): the order in which nodes can boot, and the NIC and server of each, as a table.

use super::{CSV, DesignPlan, ExportError, Format, Render, Written, address::Mac, address::mac};
use crate::{
    analysis::routing::{BootPlan, boot},
    design::Working,
};
use std::{fmt, net::Ipv4Addr};

pub(super) const FORMAT: Format = Format {
    settings: &["root", "boot-ni", "network", "avoid", "macs", "failed"],
    ..Format::new(
        "boot",
        "network boot order: waves of nodes, each with its NIC, the node it asks and its address",
        CSV,
        Render::Text(render),
    )
};

impl DesignPlan {
    /// Boot order of all PEs from the setting `root`.
    pub(super) fn boot_plan(&self) -> Result<BootPlan, ExportError> {
        let root = self.root()?;
        self.may_boot_over()?;
        let working = Working::new(&self.design, self.faults()?);
        Ok(boot(&working, root, self.settings.boot_ni))
    }

    /// Checks that some PE has the NI of the setting `boot-ni`.
    fn may_boot_over(&self) -> Written {
        let most = (0..self.pes()).map(|pe| self.nis.of(pe).len() as u32).max().unwrap_or(0);
        let Some(ni) = self.settings.boot_ni.filter(|&ni| ni >= most) else { return Ok(()) };
        let why = match most.checked_sub(1) {
            Some(last) => format!("no node has this NIC; NICs are 0 to {last}"),
            None => "no node has a cable".into(),
        };
        Err(ExportError::Setting { choice: format!("boot-ni={ni}"), why })
    }

    /// The address of a PE's NI on a switch that it is on.
    pub(super) fn address_on(&self, pe: u32, switch: u32) -> Result<Ipv4Addr, ExportError> {
        Ok(self.addresses()?.address(switch, pe, self.port(switch, pe)))
    }

    /// Permanent MAC address of an NI (setting `macs`), else the computed one.
    pub(super) fn boot_mac(&self, pe: u32, ni: u32) -> Result<Mac, ExportError> {
        Ok(self.permanent_mac(pe, ni)?.unwrap_or_else(|| mac(pe, ni)))
    }
}

fn render(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    let boot = plan.boot_plan()?;
    out.write_str("wave,pe,name,ni,switch,mac,address,asks\n")?;
    for &pe in boot.order() {
        let name = plan.pe_name(pe);
        match boot.booting(pe) {
            None => writeln!(out, "0,{pe},{name},,,,,")?,
            Some(b) => {
                let (mac, address) = (plan.boot_mac(pe, b.ni)?, plan.address_on(pe, b.switch)?);
                writeln!(out, "{},{pe},{name},{},{},{mac},{address},{}", b.wave, b.ni, b.switch, b.asks)?;
            }
        }
    }
    let never = |pe: &u32| *pe != boot.server() && boot.booting(*pe).is_none();
    for pe in (0..plan.pes()).filter(never) {
        writeln!(out, "never,{pe},{},,,,,", plan.pe_name(pe))?;
    }
    Ok(())
}
