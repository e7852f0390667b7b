//! A table of entries as bytes: [`Table::to_bytes`].

use super::table;
use crate::{
    analysis::routing::Table,
    exports::{DesignPlan, Each, Format, Render, Written},
};
use std::io;

pub(in crate::exports) const FORMAT: Format = Format {
    each: Each::Node,
    settings: &["dead"],
    ..Format::new(
        "entries",
        "a routing table for each PE, an entry of 32 bits a destination, as bytes: up to five NIs in turn, or through a PE",
        ("application/octet-stream", "fnn"),
        Render::Bytes(render),
    )
};

fn render(plan: &DesignPlan, pe: u32, out: &mut dyn io::Write) -> Written {
    let entries = table(plan, pe)?;
    Ok(out.write_all(&Table { pe, entries }.to_bytes())?)
}
