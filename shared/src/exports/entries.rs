//! Routing tables of 32-bit entries (dissertation, section 5.1.3), in three forms: bytes for a program to map into memory,
//! a C header, and JSON. [`routing::entries`](crate::analysis::routing::entries()) says what the bits are.

use super::{DesignPlan, Each, ExportError, Format, HEADER, JSON, Render, Written, advanced::open};
use crate::analysis::routing::{Entry, Hop, NiPair, Table, entries};
use serde_json::json;
use std::{fmt, io};

pub(super) const BINARY: Format = Format {
    each: Each::Node,
    settings: &["failed"],
    ..Format::new(
        "entries",
        "binary routing table per node, one 32-bit entry per destination: up to five NICs in turn, or through a node",
        ("application/octet-stream", "fnn"),
        Render::Bytes(binary),
    )
};

fn binary(plan: &DesignPlan, pe: u32, out: &mut dyn io::Write) -> Written {
    let entries = table(plan, pe)?;
    Ok(out.write_all(&Table { pe, entries }.to_bytes())?)
}

pub(super) const C_HEADER: Format = Format {
    each: Each::Node,
    settings: &["failed"],
    ..Format::new(
        "entries-c",
        "C header per node with the table of 32-bit entries and macros",
        HEADER,
        Render::Text(header),
    )
};

/// Entries on a line.
const PER_LINE: usize = 5;

const MACROS: &str = include_str!("assets/entries.h");

fn header(plan: &DesignPlan, pe: u32, out: &mut dyn fmt::Write) -> Written {
    let table = table(plan, pe)?;
    open(plan, pe, "FNN_ENTRIES_H", "Routing entries", out)?;
    out.write_str(
        "\n/* One entry per destination, 0 if it is unreachable. Taking turns between NICs rewrites entries. */\n",
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

pub(super) const AS_JSON: Format = Format {
    each: Each::Node,
    settings: &["failed"],
    ..Format::new(
        "entries-json",
        "JSON per node with the table of 32-bit entries, decoded",
        JSON,
        Render::Text(as_json),
    )
};

fn as_json(plan: &DesignPlan, pe: u32, out: &mut dyn fmt::Write) -> Written {
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

/// A decoded entry: pairs of own and other NI in the order of their turns, and the forwarding PE, if any.
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

/// A PE's table.
fn table(plan: &DesignPlan, pe: u32) -> Result<Vec<Entry>, ExportError> {
    Ok(entries(plan.multi_routes()?, plan.through()?)?.table(pe))
}

/// The destinations of a table with their entries, without the PE itself.
fn others(table: &[Entry], pe: u32) -> impl Iterator<Item = (u32, Entry)> + '_ {
    (0..).zip(table.iter().copied()).filter(move |&(dest, _)| dest != pe)
}
