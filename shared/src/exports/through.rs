//! Routes of pairs without a shared switch (dissertation, section 5.1.4), and the number of routes through each node.

use super::{CSV, DesignPlan, Format, Render, Written};
use crate::analysis::routing::{Through, Towards};
use std::fmt;

pub(super) const THROUGH: Format = Format {
    settings: &["failed"],
    walks_all_pairs: true,
    ..Format::new(
        "through",
        "routes of pairs without a shared switch: the nodes they go through, and unreachable pairs",
        CSV,
        Render::Text(through),
    )
};

pub(super) const RELAYS: Format = Format {
    settings: &["failed"],
    walks_all_pairs: true,
    ..Format::new(
        "relays",
        "number of routes of other pairs through each node; both directions of a pair count",
        CSV,
        Render::Text(relays),
    )
};

/// All routes to one PE stand together, since one search finds them.
fn through(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    let routes = plan.through()?;
    out.write_str("to,from,intermediaries,via\n")?;
    let Some(mut towards) = (plan.pes() > 0).then(|| routes.towards(0)) else { return Ok(()) };
    for to in 0..plan.pes() {
        towards.turn_to(to);
        for from in (0..plan.pes()).filter(|&from| from != to) {
            route(routes, &towards, from, out)?;
        }
    }
    Ok(())
}

fn route(routes: &Through, towards: &Towards, from: u32, out: &mut dyn fmt::Write) -> fmt::Result {
    let to = towards.dest();
    let faults = routes.working().faults();
    match towards.intermediaries(from) {
        Some(0) => Ok(()),
        Some(number) => {
            write!(out, "{to},{from},{number}")?;
            let path = towards.path(from).unwrap_or_default();
            for (i, pe) in path.iter().skip(1).take(number as usize).enumerate() {
                write!(out, "{}{pe}", if i == 0 { ',' } else { ' ' })?;
            }
            out.write_str("\n")
        }
        None if faults.is_dead(to) || faults.is_dead(from) => Ok(()),
        None => writeln!(out, "{to},{from},unreachable,"),
    }
}

fn relays(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    out.write_str("pe,name,routes\n")?;
    for (pe, routes) in (0..).zip(plan.through()?.load()) {
        writeln!(out, "{pe},{},{routes}", plan.pe_name(pe))?;
    }
    Ok(())
}
