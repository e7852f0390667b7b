//! A table of entries as a C header, with macros that say what an entry means and take turns.

use super::{others, table};
use crate::{
    analysis::routing::Entry,
    exports::{DesignPlan, Each, Format, HEADER, Render, Written, c},
};
use std::fmt;

pub(in crate::exports) const FORMAT: Format = Format {
    each: Each::Node,
    settings: &["dead"],
    ..Format::new(
        "entries-c",
        "the routing table of 32-bit entries as a C header for each PE, with macros",
        HEADER,
        Render::Text(render),
    )
};

/// Entries on a line.
const PER_LINE: usize = 5;

const MACROS: &str = include_str!("macros.h");

fn render(plan: &DesignPlan, pe: u32, out: &mut dyn fmt::Write) -> Written {
    let table = table(plan, pe)?;
    c::open(plan, pe, "FNN_ENTRIES_H", "Routing entries", out)?;
    out.write_str(
        "\n/* One entry a destination, 0 where there is no way to it. Taking turns changes them. */\n",
    )?;
    out.write_str("static uint32_t fnn_entries[FNN_PES] = {")?;
    let reached = others(&table, pe).filter(|&(_, entry)| entry != Entry(0));
    let mut count = 0;
    for (dest, Entry(bits)) in reached {
        out.write_str(if count % PER_LINE == 0 { "\n   " } else { "" })?;
        write!(out, " [{dest}] = 0x{bits:08x}u,")?;
        count += 1;
    }
    out.write_str(if count == 0 { " 0 };\n\n" } else { "\n};\n\n" })?;
    out.write_str(MACROS)?;
    Ok(out.write_str("\n#endif\n")?)
}
