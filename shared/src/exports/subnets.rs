//! The subnet table (LCPC paper, section 3.2 and figure 10): for every pair the switch that basic routing takes, a row a
//! PE.

use super::{DesignPlan, Format, Render, TEXT, Written};
use std::fmt;

pub(super) const FORMAT: Format = Format {
    settings: &["dead"],
    walks_all_pairs: true,
    ..Format::new(
        "subnets",
        "the subnet table: which switch each pair of PEs talks over, a row and a column a PE",
        TEXT,
        Render::Text(render),
    )
};

fn render(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    let routes = plan.routes()?;
    let pes = plan.pes();
    let highest = pes.max(plan.design.switch_count()).saturating_sub(1);
    let width = highest.to_string().len();
    writeln!(out, "# {}: the switch that each pair of PEs talks over", plan.title())?;
    writeln!(out, "# . is the PE itself; - marks pairs that share no switch")?;
    if !plan.faults()?.is_empty() {
        writeln!(out, "# dead: {}", plan.faults()?)?;
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
