//! The impact of failed parts, per pair and in figures, and the worst switches and nodes to fail next (dissertation, section 5.3).

use super::{CSV, DesignPlan, Format, Render, TEXT, Written};
use crate::{
    analysis::routing::{Left, Loss, ThroughRoute, fault_report, singles, try_losses},
    design::Names,
    text::grouped,
};
use std::fmt;

pub(super) const FAULTS: Format = Format {
    settings: &["failed"],
    ..Format::new(
        "faults",
        "impact of the failed parts in figures, and the worst single switches and nodes to fail next",
        TEXT,
        Render::Text(faults),
    )
};

pub(super) const LOSSES: Format = Format {
    settings: &["failed"],
    walks_all_pairs: true,
    ..Format::new(
        "losses",
        "pairs that lose paths to the failed parts, and the route they have left",
        CSV,
        Render::Text(losses),
    )
};

/// Max PEs in the ranking; switches are all listed.
const WORST_PES: usize = 20;

fn faults(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    // A wiring of another machine has no pairs that could be told.
    plan.multi_routes()?;
    let (demand, routes) = (&plan.demand, plan.through()?);
    writeln!(out, "# Impact of faults on {} ({} nodes)\n", plan.title(), grouped(plan.pes().into()))?;
    let singles = singles(demand, routes.working());
    let names = Names::of(&plan.design);
    out.write_str(&fault_report(demand, &plan.design, routes, &singles, 0).words(demand.len() as u64))?;
    for (what, parts, most) in
        [("switches", &singles.switches, usize::MAX), ("nodes", &singles.pes, WORST_PES)]
    {
        writeln!(out, "\n{what}, worst to fail next first")?;
        for single in parts.iter().take(most) {
            writeln!(out, "  {}", single.words(names))?;
        }
        if parts.len() > most {
            writeln!(out, "  and {} more", grouped((parts.len() - most) as u64))?;
        }
    }
    Ok(())
}

/// A line a pair. A pair that keeps a path has its new switch; one that goes through others has the first of them, seen from
/// `a`.
fn losses(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    let (basic, through) = (plan.routes()?, plan.through()?);
    out.write_str("a,b,requested,had,has,left,switch,next\n")?;
    let mut row: (u32, Vec<ThroughRoute>) = (u32::MAX, Vec::new());
    try_losses(&plan.demand, &plan.design, through, |loss| {
        let Loss { pair: (a, b), had, has, left, .. } = loss;
        let requested = if loss.requested.is_some() { "yes" } else { "no" };
        write!(out, "{a},{b},{requested},{had},{has},")?;
        match left {
            Left::Fewer => match basic.switch_for(a, b) {
                Some(switch) => writeln!(out, "other switches,{switch},"),
                None => writeln!(out, "other switches,,"),
            },
            Left::Through => {
                if row.0 != a {
                    row = (a, through.routes_from(a));
                }
                let at = row.1.binary_search_by_key(&b, |route| route.dest);
                let next = at.map(|at| row.1[at].next.to_string()).unwrap_or_default();
                writeln!(out, "through,,{next}")
            }
            Left::Nothing => writeln!(out, "nothing,,"),
            Left::Dead => writeln!(out, "dead PE,,"),
        }
    })?;
    Ok(())
}
