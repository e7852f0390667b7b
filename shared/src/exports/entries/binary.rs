//! A table of entries as bytes: [`Table::to_bytes`].

use super::table;
use crate::{
    analysis::routing::Table,
    exports::{Bundle, ExportError, Format, Render},
};
use std::io;

pub(in crate::exports) const FORMAT: Format = Format {
    name: "entries",
    purpose: "a routing table for each PE, an entry of 32 bits a destination, as bytes: up to five NIs in turn, or through a PE",
    media_type: "application/octet-stream",
    extension: "fnn",
    per_pe: true,
    settings: &["dead"],
    render: Render::Bytes(render),
};

fn render(bundle: &Bundle, pe: Option<u32>, out: &mut dyn io::Write) -> Result<(), ExportError> {
    let pe = pe.unwrap_or(0);
    let entries = table(bundle, pe)?;
    Ok(out.write_all(&Table { pe, entries }.to_bytes())?)
}
