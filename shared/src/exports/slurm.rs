//! Slurm's topology.conf, as far as it can say what a flat neighbourhood network is.
//!
//! Slurm's plugin topology/tree knows leaf switches with nodes and switches above them. A node may be on several leaves;
//! Slurm warns of it and goes on. So each switch is a leaf, and a root that is not there joins them, since Slurm places
//! no job on leaves that nothing joins.

use super::{DesignPlan, Format, Render, Written};
use crate::design::Design;
use std::fmt;

pub(super) const FORMAT: Format = Format {
    settings: &["failed"],
    ..Format::new(
        "slurm",
        "Slurm's topology.conf: jobs that fit on one switch are placed on one; says what it cannot say",
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
        "# Switches of {} ({pes} PEs), for slurm.conf with TopologyPlugin=topology/tree.",
        plan.title()
    )?;
    out.write_str(SAYS)?;
    out.write_str(if all_meet { ALL_MEET } else { SOME_APART })?;
    let used: Vec<u32> =
        (0..design.switch_count()).filter(|&switch| !design.members(switch).is_empty()).collect();
    if used.len() > SLOW {
        writeln!(out, "# {} switches are many for topology/tree: Slurm may take long to start.", used.len())?;
    }
    out.write_str("#\n# Nodes for slurm.conf, where CPUs and memory are to be added:\n")?;
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
# What it says exactly: which PEs are on which switch. A job that fits on one switch is placed on one, and all its pairs meet
# there. PEs are on several leaves, of which Slurm warns (\"Multiple leaf switches contain nodes\"); that is as it should be.
# What it cannot say: `root` is not there. To Slurm, PEs of different leaves are joined by it, though they may share a
# third switch, or none. topology/block needs blocks without a PE in common and cannot say even this much.
";
const ALL_MEET: &str = "\
# In this wiring every pair of PEs shares a switch, so that every placement is one switch wide: topology/flat says that exactly.
# This file is for keeping small jobs on one switch.
";
const SOME_APART: &str = "\
# In this wiring some pairs of PEs share no switch. Jobs whose pairs all have to meet, and that are larger than one switch, are
# placed by hand, with --nodelist.
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
