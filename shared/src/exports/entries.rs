//! Routing tables of 32-bit entries (dissertation, section 5.1.3), in three forms: bytes for a program to map into memory,
//! a C header, and JSON. [`routing::entries`](crate::analysis::routing::entries()) says what the bits are.

mod binary;
mod header;
mod json;

pub(super) use binary::FORMAT as BINARY;
pub(super) use header::FORMAT as HEADER;
pub(super) use json::FORMAT as JSON;

use super::{DesignPlan, ExportError};
use crate::analysis::routing::{Entry, entries};

/// A PE's table.
fn table(plan: &DesignPlan, pe: u32) -> Result<Vec<Entry>, ExportError> {
    Ok(entries(plan.multi_routes()?, plan.through()?)?.table(pe))
}

/// The destinations of a table with their entries, without the PE itself.
fn others(table: &[Entry], pe: u32) -> impl Iterator<Item = (u32, Entry)> + '_ {
    (0..).zip(table.iter().copied()).filter(move |&(dest, _)| dest != pe)
}
