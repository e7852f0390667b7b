//! Slurm's topology.conf for a flat neighbourhood network.
//!
//! Slurm's plugin topology/tree has leaf switches with nodes and switches above them. A node may be on several leaves, with a
//! warning. Each switch is a leaf here, and a root that does not exist joins them, since Slurm places no job on unjoined leaves.

use super::{DesignPlan, Format, Render, Written};
use crate::design::Design;
use std::fmt;

pub(super) const FORMAT: Format = Format {
    settings: &["failed"],
    ..Format::new(
        "slurm",
        "Slurm topology.conf that keeps jobs on one switch if they fit; its comments name the limits",
        ("text/plain; charset=utf-8", "conf"),
        Render::Text(render),
    )
};

/// Switches beyond which Slurm takes long to read the file: it compares all of them with each other, three at a time.
const SLOW: usize = 1000;

fn render(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    let routes = plan.multi_routes()?;
    let design = routes.working().design();
    let pes = plan.pes();
    let all_meet = (0..pes).all(|pe| routes.neighbours(pe).len() as u32 + 1 == pes);
    writeln!(
        out,
        "# Switches of {} ({pes} nodes), for slurm.conf with TopologyPlugin=topology/tree.",
        plan.title()
    )?;
    out.write_str(SAYS)?;
    out.write_str(if all_meet { ALL_MEET } else { SOME_APART })?;
    let used: Vec<u32> =
        (0..design.switch_count()).filter(|&switch| !design.members(switch).is_empty()).collect();
    if used.len() > SLOW {
        writeln!(out, "# topology/tree is slow with {} switches: Slurm may take long to start.", used.len())?;
    }
    out.write_str("#\n# Nodes for slurm.conf; add CPUs and memory:\n")?;
    writeln!(
        out,
        "# NodeName={}\n",
        named("pe", pe_width(plan), (0..pes).filter(|&pe| is_on(plan, design, pe)))
    )?;
    for &switch in &used {
        let nodes = named("pe", pe_width(plan), design.members(switch).iter().copied());
        writeln!(out, "SwitchName={} Nodes={nodes}", plan.switch_name(switch))?;
    }
    if used.len() > 1 {
        let width = plan.switch_name(0).len() - 2;
        writeln!(out, "SwitchName=root Switches={}", named("sw", width, used.into_iter()))?;
    }
    Ok(())
}

const SAYS: &str = "\
# Each switch is a leaf with its nodes. If a job fits on one switch, Slurm places it on one, and all its pairs share it.
# Nodes are on several leaves. Slurm warns of this (\"Multiple leaf switches contain nodes\"); ignore the warning.
# `root` does not exist. Slurm assumes that it joins the leaves, though two nodes may share a third switch, or none.
# topology/block needs blocks without common nodes and cannot express this wiring.
";
const ALL_MEET: &str = "\
# In this wiring every pair of nodes shares a switch, so any placement works, also with topology/flat.
# Use this file to keep small jobs on one switch.
";
const SOME_APART: &str = "\
# In this wiring some pairs of nodes share no switch. Place jobs that are larger than one switch by hand with --nodelist if
# all their pairs must share one.
";

fn is_on(plan: &DesignPlan, design: &Design, pe: u32) -> bool {
    let of = plan.nis.of(pe).iter();
    of.copied().any(|switch| design.members(switch).binary_search(&pe).is_ok())
}

fn pe_width(plan: &DesignPlan) -> usize {
    plan.pe_name(0).len() - 2
}

/// Names with ascending numbers as Slurm writes them: `pe[000-003,007]`.
fn named(prefix: &str, width: usize, numbers: impl Iterator<Item = u32>) -> String {
    let mut spans: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match spans.last_mut() {
            Some(span) if span.1 + 1 == number => span.1 = number,
            _ => spans.push((number, number)),
        }
    }
    let span = |&(first, last): &(u32, u32)| {
        if first == last { format!("{first:0width$}") } else { format!("{first:0width$}-{last:0width$}") }
    };
    match &spans[..] {
        [(first, last)] if first == last => format!("{prefix}{first:0width$}"),
        _ => format!("{prefix}[{}]", spans.iter().map(span).collect::<Vec<_>>().join(",")),
    }
}
