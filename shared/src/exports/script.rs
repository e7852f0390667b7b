//! A shell script for each PE that sets up its NIs and one permanent neighbour entry for each route.
//!
//! The program is the same everywhere (`script/body.sh`); in front of it stand this PE's name, its NIs and its
//! neighbours as data. Neighbours are set along the basic routing (LCPC paper, section 3.2) with computed MAC
//! addresses, so that no PE ever broadcasts to find another.

pub(super) mod shell;

use super::{DesignPlan, Each, Format, Render, SCRIPT, Written, address::mac};
use crate::analysis::routing::per_ni;
use std::fmt;

pub(super) const FORMAT: Format = Format {
    each: Each::Node,
    settings: &["network", "avoid", "interface", "dead"],
    ..Format::new(
        "script",
        "a shell script for each PE: addresses and a permanent neighbour entry for each route; its undo takes them back",
        SCRIPT,
        Render::Text(render),
    )
};

const NEIGHBOURS: &str = include_str!("script/neighbours.sh");

fn render(plan: &DesignPlan, pe: u32, out: &mut dyn fmt::Write) -> Written {
    let (routes, addresses) = (plan.routes()?, plan.addresses()?);
    let address = |switch, pe| addresses.address(switch, pe, plan.port(switch, pe));
    shell::begin(plan, pe, &addresses.describe(), out)?;
    let known = per_ni(routes, pe);
    let own = known.interfaces.iter();
    let nis: Vec<_> = own
        .map(|&(ni, switch)| (ni, Some(format!("{}/{}", address(switch, pe), addresses.prefix(switch)))))
        .collect();
    shell::nis(plan, pe, known.hosts.len(), &nis, out)?;
    let comment = "# Own NI, address and MAC address of each PE with a path from here.";
    shell::lines(comment, "neighbours", out, |out| {
        for (other, path) in &known.hosts {
            writeln!(out, "{} {} {}", path.ni, address(path.switch, *other), mac(*other, path.other_ni))?;
        }
        Ok(())
    })?;
    Ok(write!(out, "\n{NEIGHBOURS}\n{}", shell::BODY)?)
}
