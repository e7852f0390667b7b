//! Routing tables: basic routes and subnets (LCPC paper, section 3.2), and all paths of pairs (dissertation, section 5.1.3).

use super::{CSV, DesignPlan, Format, Render, TEXT, Written};
use crate::design::Path;
use std::fmt;

pub(super) const ROUTES: Format = Format {
    settings: &["failed"],
    walks_all_pairs: true,
    ..Format::new(
        "routes",
        "basic routes: for each node every node it has a path to, with NICs and switch",
        CSV,
        Render::Text(routes),
    )
};

pub(super) const PATHS: Format = Format {
    settings: &["failed"],
    walks_all_pairs: true,
    ..Format::new(
        "paths",
        "all paths: for each pair every shared switch, with the NICs of both nodes",
        CSV,
        Render::Text(paths),
    )
};

fn routes(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    let routes = plan.routes()?;
    out.write_str("pe,to,ni,to_ni,switch,requested\n")?;
    for pe in 0..plan.pes() {
        for (to, Path { switch, ni, other_ni }) in routes.paths(pe) {
            writeln!(out, "{pe},{to},{ni},{other_ni},{switch},{}", requested(plan, pe, to))?;
        }
    }
    Ok(())
}

/// A line a pair, lower PE first. The lists of a line go together: place by place, a switch and the two NIs on it.
fn paths(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    let routes = plan.multi_routes()?;
    out.write_str("a,b,paths,switches,a_nis,b_nis,requested\n")?;
    for a in 0..plan.pes() {
        for near in routes.neighbours(a).iter().filter(|near| near.pe > a) {
            write!(out, "{a},{},{}", near.pe, near.paths.len())?;
            for number in [|p: &Path| p.switch, |p: &Path| p.ni, |p: &Path| p.other_ni] {
                list(&near.paths, number, out)?;
            }
            writeln!(out, ",{}", requested(plan, a, near.pe))?;
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

pub(super) const SUBNETS: Format = Format {
    settings: &["failed"],
    walks_all_pairs: true,
    ..Format::new(
        "subnets",
        "subnet table: the switch of each pair of nodes, one row and column per node",
        TEXT,
        Render::Text(subnets),
    )
};

fn subnets(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    let routes = plan.routes()?;
    let pes = plan.pes();
    let highest = pes.max(plan.design.switch_count()).saturating_sub(1);
    let width = highest.to_string().len();
    writeln!(out, "# {}: the switch of each pair of nodes", plan.title())?;
    writeln!(out, "# . is the node itself; - marks pairs without a shared switch")?;
    if !plan.faults()?.is_empty() {
        writeln!(out, "# Failed: {}", plan.faults()?)?;
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
                None => write!(out, " {:>width$}", if other == pe { "." } else { "-" })?,
            }
        }
        out.write_str("\n")?;
    }
    Ok(())
}
