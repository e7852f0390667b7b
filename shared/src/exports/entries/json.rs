//! A table of entries as JSON, each with what it means beside its bits.

use super::{others, table};
use crate::{
    analysis::routing::{Entry, Hop, NiPair},
    exports::{DesignPlan, Each, Format, JSON, Render, Written},
};
use serde_json::json;
use std::fmt;

pub(in crate::exports) const FORMAT: Format = Format {
    each: Each::Node,
    settings: &["dead"],
    ..Format::new(
        "entries-json",
        "the routing table of 32-bit entries as JSON for each PE, each entry with what it means",
        JSON,
        Render::Text(render),
    )
};

fn render(plan: &DesignPlan, pe: u32, out: &mut dyn fmt::Write) -> Written {
    let table = table(plan, pe)?;
    writeln!(out, "{{\n\"format\": \"crosspoint-entries\",\n\"version\": 1,")?;
    writeln!(out, "\"name\": {},", json!(plan.title()))?;
    writeln!(out, "\"dead\": {},", json!(plan.faults()?.to_string()))?;
    writeln!(out, "\"pes\": {},\n\"pe\": {pe},\n\"entries\": [", plan.pes())?;
    let mut separator = "";
    for (dest, entry) in others(&table, pe) {
        write!(out, "{separator}{{\"dest\": {dest}, \"entry\": {}", entry.0)?;
        meaning(entry, out)?;
        out.write_str("}")?;
        separator = ",\n";
    }
    Ok(out.write_str("\n]\n}\n")?)
}

/// What an entry says: pairs of own and other NI in the order of their turns, and an intermediary if there is one.
fn meaning(entry: Entry, out: &mut dyn fmt::Write) -> fmt::Result {
    let (through, nis) = match entry.decode() {
        None | Some(Hop::Unreachable) => (None, Vec::new()),
        Some(Hop::Direct(nis)) => (None, nis),
        Some(Hop::Through { gateway, nis }) => (Some(gateway), vec![nis]),
    };
    if let Some(gateway) = through {
        write!(out, ", \"through\": {gateway}")?;
    }
    let pairs: Vec<String> = nis.iter().map(|NiPair { own, other }| format!("[{own}, {other}]")).collect();
    write!(out, ", \"nis\": [{}]", pairs.join(", "))
}
