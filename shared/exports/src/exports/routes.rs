//! Tables of pairs: basic routes and subnets (Dietz and Mattox 2000, section 3.2), all paths (Mattox 2006, section 5.1.3), routes
//! through other nodes (section 5.1.4), and the impact of failed parts (section 5.3).
//!
//! With uplink switches, the pairs without a shared switch are in all tables, and further columns have their way. No path then goes
//! through other nodes.

use super::{
    CSV, DesignPlan, FAILED, Format, Group, Render, TEXT, WriteResult,
    ways::{UplinkPath, UplinkPaths},
};
use crate::{
    analysis::routing::{
        DestinationRoutes, Loss, RemainingRoute, ThroughRoute, ThroughRoutes, fault_report, singles,
        try_losses,
    },
    cancel::checked,
    design::Path,
    text::grouped,
};
use std::fmt;

pub(super) const ROUTES: Format = Format::new(Group::Routes, "routes", "Routes", CSV, Render::Text(routes))
    .read_by(&["pandas 3.1"])
    .recommended()
    .purpose("basic routes: for each node, all nodes that it has a path to, with NICs and switch")
    .with(&[&FAILED])
    .all_pairs();

pub(super) const PATHS: Format = Format::new(Group::Routes, "paths", "All paths", CSV, Render::Text(paths))
    .read_by(&["pandas 3.1"])
    .purpose("all paths: for each pair, all shared switches, with the NICs of both nodes")
    .with(&[&FAILED])
    .all_pairs();

fn routes(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let (routes, paths) = (plan.routes()?, plan.uplink_paths()?);
    let Some(paths) = paths else {
        out.write_str("pe,to,ni,to_ni,switch,requested\n")?;
        for pe in 0..plan.pes() {
            for (to, Path { switch, ni, other_ni }) in routes.paths(pe) {
                writeln!(out, "{pe},{to},{ni},{other_ni},{switch},{}", requested(plan, pe, to))?;
            }
        }
        return Ok(());
    };
    out.write_str("pe,to,ni,to_ni,switch,requested,uplinks,to_switch\n")?;
    for pe in checked(0..plan.pes()) {
        let mut near = routes.paths(pe).peekable();
        for to in (0..plan.pes()).filter(|&to| to != pe) {
            let requested = requested(plan, pe, to);
            if let Some((_, Path { switch, ni, other_ni })) = near.next_if(|(other, _)| *other == to) {
                writeln!(out, "{pe},{to},{ni},{other_ni},{switch},{requested},,")?;
            } else if let Some(UplinkPath { ni, switch, other_ni, other_switch, uplinks }) =
                paths.path(pe, to)
            {
                writeln!(out, "{pe},{to},{ni},{other_ni},{switch},{requested},{uplinks},{other_switch}")?;
            }
        }
    }
    Ok(())
}

/// A line a pair, lower PE first. The lists of a line go together: place by place, a switch and the two NIs on it.
fn paths(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let (routes, over) = (plan.multi_routes()?, plan.uplink_paths()?);
    let (more, none) = if over.is_some() { (",uplinks", ",") } else { ("", "") };
    writeln!(out, "a,b,paths,switches,a_nis,b_nis,requested{more}")?;
    for a in checked(0..plan.pes()) {
        let neighbours = routes.neighbours(a);
        for near in neighbours.iter().filter(|near| near.pe > a) {
            write!(out, "{a},{},{}", near.pe, near.paths.len())?;
            for number in [|p: &Path| p.switch, |p: &Path| p.ni, |p: &Path| p.other_ni] {
                list(&near.paths, number, out)?;
            }
            writeln!(out, ",{}{none}", requested(plan, a, near.pe))?;
        }
        let Some(over) = &over else { continue };
        let far = (a + 1..plan.pes()).filter(|b| neighbours.binary_search_by_key(b, |near| near.pe).is_err());
        for (b, path) in far.filter_map(|b| Some((b, over.path(a, b)?))) {
            writeln!(out, "{a},{b},0,,,,{},{}", requested(plan, a, b), path.uplinks)?;
        }
    }
    Ok(())
}

fn list(paths: &[Path], number: fn(&Path) -> u32, out: &mut dyn fmt::Write) -> fmt::Result {
    for (i, path) in paths.iter().enumerate() {
        write!(out, "{}{}", if i == 0 { ',' } else { ' ' }, number(path))?;
    }
    Ok(())
}

fn requested(plan: &DesignPlan, a: u32, b: u32) -> &'static str {
    if plan.demand.index_of(a, b).is_some() { "yes" } else { "no" }
}

pub(super) const SUBNETS: Format =
    Format::new(Group::Routes, "subnets", "Subnet table", TEXT, Render::Text(subnets))
        .purpose("subnet table: the switch of each pair of nodes, one row and column per node")
        .with(&[&FAILED])
        .all_pairs();

fn subnets(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let (routes, over) = (plan.routes()?, plan.uplink_paths()?);
    let pes = plan.pes();
    let highest = pes.max(plan.design.switch_count()).saturating_sub(1);
    let width = highest.to_string().len();
    writeln!(out, "# {}: the {} of each pair of nodes", plan.title(), plan.spec.switch_noun())?;
    match over {
        Some(_) => out.write_str(
            "# . is the node itself; ^ marks pairs over uplink switches, - pairs without a path\n",
        )?,
        None => out.write_str("# . is the node itself; - marks pairs without a shared switch\n")?,
    }
    if !plan.faults()?.is_empty() {
        writeln!(out, "# Failed: {}", plan.failed()?)?;
    }
    write!(out, "{:1$}", "pe", width + 1)?;
    for pe in 0..pes {
        write!(out, " {pe:width$}")?;
    }
    out.write_str("\n")?;
    for pe in 0..pes {
        write!(out, "{pe:width$}:")?;
        let mut paths = routes.neighbours(pe).peekable();
        for other in 0..pes {
            match paths.next_if(|&(neighbour, _)| neighbour == other) {
                Some((_, switch)) => write!(out, " {switch:width$}")?,
                None if other == pe => write!(out, " {:>width$}", ".")?,
                None => {
                    let over = over.as_ref().is_some_and(|over| over.path(pe, other).is_some());
                    write!(out, " {:>width$}", if over { "^" } else { "-" })?;
                }
            }
        }
        out.write_str("\n")?;
    }
    Ok(())
}

pub(super) const THROUGH: Format =
    Format::new(Group::Routes, "through", "Routes through other nodes", CSV, Render::Text(through))
        .read_by(&["pandas 3.1"])
        .purpose("routes of pairs without a shared switch: the nodes they go through, and unreachable pairs")
        .with(&[&FAILED])
        .all_pairs();

pub(super) const RELAYS: Format =
    Format::new(Group::Routes, "relays", "Load of forwarding nodes", CSV, Render::Text(relays))
        .read_by(&["pandas 3.1"])
        .purpose("number of routes of other pairs through each node; both directions of a pair count")
        .with(&[&FAILED])
        .all_pairs();

/// All routes to one PE stand together, since one search finds them.
fn through(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    if let Some(over) = plan.uplink_paths()? {
        return through_uplinks(plan, &over, out);
    }
    let routes = plan.through()?;
    out.write_str("to,from,intermediaries,via\n")?;
    let Some(mut towards) = (plan.pes() > 0).then(|| routes.towards(0)) else { return Ok(()) };
    for to in 0..plan.pes() {
        towards.turn_to(to);
        for from in (0..plan.pes()).filter(|&from| from != to) {
            route((routes, plan.nodes_forward()), &towards, from, out)?;
        }
    }
    Ok(())
}

fn through_uplinks(plan: &DesignPlan, over: &UplinkPaths, out: &mut dyn fmt::Write) -> WriteResult {
    let (routes, faults) = (plan.routes()?, plan.faults()?);
    out.write_str("to,from,intermediaries,via,uplinks\n")?;
    for to in checked((0..plan.pes()).filter(|&to| !faults.is_dead(to))) {
        let mut near = routes.neighbours(to).map(|(other, _)| other).peekable();
        for from in (0..plan.pes()).filter(|&from| from != to && !faults.is_dead(from)) {
            if near.next_if_eq(&from).is_some() {
                continue;
            }
            match over.path(from, to) {
                Some(path) => writeln!(out, "{to},{from},0,,{}", path.uplinks)?,
                None => writeln!(out, "{to},{from},unreachable,,")?,
            }
        }
    }
    Ok(())
}

/// The route from one PE, if it shares no switch with the destination.
fn route(
    (routes, forwards): (&ThroughRoutes, bool),
    towards: &DestinationRoutes,
    from: u32,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    let to = towards.dest();
    let faults = routes.working().faults();
    match towards.intermediaries(from) {
        Some(0) => Ok(()),
        Some(number) if forwards => {
            write!(out, "{to},{from},{number}")?;
            let path = towards.path(from).unwrap_or_default();
            for (i, pe) in path.iter().skip(1).take(number as usize).enumerate() {
                write!(out, "{}{pe}", if i == 0 { ',' } else { ' ' })?;
            }
            out.write_str("\n")
        }
        None if faults.is_dead(to) || faults.is_dead(from) => Ok(()),
        _ => writeln!(out, "{to},{from},unreachable,"),
    }
}

fn relays(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    out.write_str("pe,name,routes\n")?;
    if !plan.nodes_forward() {
        (0..plan.pes()).try_for_each(|pe| writeln!(out, "{pe},{},0", plan.pe_name(pe)))?;
        return Ok(());
    }
    for (pe, routes) in (0..).zip(plan.through()?.load()) {
        writeln!(out, "{pe},{},{routes}", plan.pe_name(pe))?;
    }
    Ok(())
}

pub(super) const FAULTS: Format =
    Format::new(Group::Routes, "faults", "Impact of failed parts", TEXT, Render::Text(faults))
        .purpose(
            "impact of the failed parts in figures, and the worst single switches and nodes to fail next",
        )
        .with(&[&FAILED]);

pub(super) const LOSSES: Format =
    Format::new(Group::Routes, "losses", "Pairs affected by failed parts", CSV, Render::Text(losses))
        .read_by(&["pandas 3.1"])
        .purpose("pairs that lose paths because of failed parts, and the route that each pair has left")
        .with(&[&FAILED])
        .all_pairs();

/// Max PEs in the ranking; switches are all listed.
const WORST_PES: usize = 20;

fn faults(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    plan.multi_routes()?;
    let (demand, routes) = (&plan.demand, plan.through()?);
    writeln!(out, "# Impact of failures on {} ({} nodes)\n", plan.title(), grouped(plan.pes().into()))?;
    let singles = singles(demand, routes.working());
    let report = fault_report(demand, (&plan.design, &plan.names), routes, &singles, 0);
    out.write_str(&report.words(demand.len() as u64))?;
    for (what, parts, most) in
        [("switches", &singles.switches, usize::MAX), ("nodes", &singles.pes, WORST_PES)]
    {
        writeln!(
            out,
            "\n{what}, worst to fail next first: by unreachable pairs, then weight of requested pairs"
        )?;
        for single in parts.iter().take(most) {
            writeln!(out, "  {}", single.words(&plan.names))?;
        }
        if parts.len() > most {
            writeln!(out, "  and {} more", grouped((parts.len() - most) as u64))?;
        }
    }
    Ok(())
}

/// A line per pair: its new switch if it keeps a path, or the first node that it goes through, seen from `a`.
fn losses(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let (basic, through) = (plan.routes()?, plan.through()?);
    let (over, forwards) = (plan.uplink_paths()?, plan.nodes_forward());
    out.write_str("a,b,requested,had,has,left,switch,next\n")?;
    let mut row: (u32, Vec<ThroughRoute>) = (u32::MAX, Vec::new());
    try_losses(&plan.demand, &plan.design, through, |loss| {
        let Loss { pair: (a, b), had, has, left, .. } = loss;
        let requested = if loss.requested.is_some() { "yes" } else { "no" };
        write!(out, "{a},{b},{requested},{had},{has},")?;
        match left {
            RemainingRoute::Fewer => match basic.switch_for(a, b) {
                Some(switch) => writeln!(out, "other switches,{switch},"),
                None => writeln!(out, "other switches,,"),
            },
            RemainingRoute::Through | RemainingRoute::Nothing
                if over.as_ref().is_some_and(|over| over.path(a, b).is_some()) =>
            {
                writeln!(out, "uplinks,,")
            }
            RemainingRoute::Through if forwards => {
                if row.0 != a {
                    row = (a, through.routes_from(a));
                }
                let at = row.1.binary_search_by_key(&b, |route| route.dest);
                let next = at.map(|at| row.1[at].next.to_string()).unwrap_or_default();
                writeln!(out, "through,,{next}")
            }
            RemainingRoute::Through | RemainingRoute::Nothing => writeln!(out, "nothing,,"),
            RemainingRoute::Dead => writeln!(out, "failed node,,"),
        }
    })?;
    Ok(())
}
