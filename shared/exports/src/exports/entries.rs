//! Routing tables for programs. [`advanced`] ones (Dietz and Mattox 2000, section 3.3) are C headers with a packed tuple of NIs
//! per destination. Tables of 32-bit [`entries()`] (Mattox 2006, section 5.1.3) are bytes to map into memory, a C header, or
//! JSON.

use super::{DesignPlan, ExportError, FAILED, FileScope, Format, Group, HEADER, JSON, Render, WriteResult};
use crate::analysis::routing::{Entry, Hop, NiPair, Table, TupleLayout, advanced, entries};
use serde_json::json;
use std::{fmt, io};

pub(super) const BINARY: Format = Format::new(Group::Programs, "entries", "Routing table, binary", ("application/octet-stream", "fnn"), Render::Bytes(binary))
    .purpose("binary routing table per node, one 32-bit entry per destination: up to five NICs in turn, or through a node")
    .per(FileScope::Node)
    .with(&[&FAILED]);

fn binary(plan: &DesignPlan, pe: u32, out: &mut dyn io::Write) -> WriteResult {
    let entries = table(plan, pe)?;
    Ok(out.write_all(&Table { pe, entries }.to_bytes())?)
}

pub(super) const C_HEADER: Format = Format::new(
    Group::Programs,
    "entries-c",
    "Routing table, C header",
    HEADER,
    Render::Text(entries_header),
)
.read_by(&["GCC 12.2"])
.purpose("C header per node with the table of 32-bit entries and macros")
.per(FileScope::Node)
.with(&[&FAILED]);

/// Entries on a line.
const ENTRIES_PER_LINE: usize = 5;

const MACROS: &str = include_str!("assets/entries.h");

fn entries_header(plan: &DesignPlan, pe: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let table = table(plan, pe)?;
    open(plan, pe, "FNN_ENTRIES_H", "Routing entries", out)?;
    out.write_str(
        "\n/* One entry per destination, 0 if it is unreachable. Taking turns between NICs rewrites entries. */\n",
    )?;
    out.write_str("static uint32_t fnn_entries[FNN_PES] = {")?;
    let reached = others(&table, pe).filter(|&(_, entry)| entry != Entry(0));
    let mut count = 0;
    for (dest, Entry(bits)) in reached {
        out.write_str(if count % ENTRIES_PER_LINE == 0 { "\n   " } else { "" })?;
        write!(out, " [{dest}] = 0x{bits:08x}u,")?;
        count += 1;
    }
    out.write_str(if count == 0 { " 0 };\n\n" } else { "\n};\n\n" })?;
    out.write_str(MACROS)?;
    Ok(out.write_str("\n#endif\n")?)
}

pub(super) const AS_JSON: Format =
    Format::new(Group::Programs, "entries-json", "Routing table, JSON", JSON, Render::Text(as_json))
        .purpose("JSON per node with the table of 32-bit entries, decoded")
        .per(FileScope::Node)
        .with(&[&FAILED]);

fn as_json(plan: &DesignPlan, pe: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let table = table(plan, pe)?;
    writeln!(out, "{{\n\"format\": \"crosspoint-entries\",\n\"version\": 1,")?;
    writeln!(out, "\"name\": {},", json!(plan.title()))?;
    writeln!(out, "\"dead\": {},", json!(plan.failed()?))?;
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
    let mut table = entries(plan.multi_routes()?, plan.through()?)?.table(pe);
    if !plan.nodes_forward() {
        let through = |entry: &&mut Entry| matches!(entry.decode(), Some(Hop::Through { .. }));
        table.iter_mut().filter(through).for_each(|entry| *entry = Entry(0));
    }
    Ok(table)
}

/// The destinations of a table with their entries, without the PE itself.
fn others(table: &[Entry], pe: u32) -> impl Iterator<Item = (u32, Entry)> + '_ {
    (0..).zip(table.iter().copied()).filter(move |&(dest, _)| dest != pe)
}

pub(super) const ADVANCED: Format = Format::new(
    Group::Programs,
    "advanced",
    "Advanced routing table, C header",
    HEADER,
    Render::Text(advanced_header),
)
.read_by(&["GCC 12.2"])
.purpose(
    "C header per node: for each destination, the destination's NIC that each NIC of the node reaches, packed, with macros",
)
.per(FileScope::Node)
.with(&[&FAILED]);

/// Tuples on a line.
const TUPLES_PER_LINE: usize = 6;

fn advanced_header(plan: &DesignPlan, pe: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let tables = advanced(plan.multi_routes()?);
    let layout = tables.layout();
    open(plan, pe, "FNN_ADVANCED_H", "Advanced routing table", out)?;
    sizes(plan, layout, out)?;
    let TupleLayout { word_bits, field_bits, .. } = layout;
    write!(out, "\nstatic const uint{word_bits}_t fnn_advanced[FNN_PES][FNN_TUPLE_WORDS] = {{")?;
    let digits = word_bits as usize / 4;
    let mut count = 0;
    for tuple in tables.tuples(pe) {
        out.write_str(if count % TUPLES_PER_LINE == 0 { "\n   " } else { "" })?;
        write!(out, " [{}] = {{", tuple.dest)?;
        for (i, word) in tuple.words.iter().enumerate() {
            write!(out, "{}0x{word:0digits$x}u{}", if i == 0 { "" } else { ", " }, long(word_bits))?;
        }
        out.write_str("},")?;
        count += 1;
    }
    out.write_str(if count == 0 { " { 0 } };\n" } else { "\n};\n" })?;
    macros(field_bits, layout.fields_per_word(), out)?;
    Ok(out.write_str("\n#endif\n")?)
}

fn sizes(plan: &DesignPlan, layout: TupleLayout, out: &mut dyn fmt::Write) -> fmt::Result {
    let TupleLayout { nis, field_bits, word_bits, words } = layout;
    writeln!(
        out,
        "\n/* A tuple is {words} {} of {word_bits} bits; the table takes {} bytes. Field k, from the lowest bits on, is for\n   \
         own NIC k: {field_bits} bits, the destination's NIC plus 1, or 0 if NIC k does not lead there. */",
        if words == 1 { "word" } else { "words" },
        layout.table_bytes(plan.pes()),
    )?;
    writeln!(out, "#define FNN_TUPLE_NIS {nis}\n#define FNN_TUPLE_WORDS {words}")
}

fn macros(field_bits: u32, per_word: u32, out: &mut dyn fmt::Write) -> fmt::Result {
    let mask = (1u32 << field_bits) - 1;
    writeln!(
        out,
        "\n/* The destination's NIC, from 1, that own NIC ni (0 to FNN_TUPLE_NIS - 1) leads to; 0 if it does not lead there. */\n\
         #define FNN_TUPLE_FIELD(dest, ni) \\\n    \
         ((unsigned)((fnn_advanced[dest][(ni) / {per_word}] >> ((ni) % {per_word} * {field_bits})) & {mask}u))\n\
         /* True if own NIC ni leads to the destination. */\n\
         #define FNN_USES(dest, ni) (FNN_TUPLE_FIELD(dest, ni) != 0)\n\
         /* The destination's NIC, from 0; only valid where FNN_USES holds. */\n\
         #define FNN_OTHER_NI(dest, ni) (FNN_TUPLE_FIELD(dest, ni) - 1)"
    )
}

/// Begins a header: what it is, what the wiring leaves out, its guard, the machine's and the PE's numbers.
fn open(plan: &DesignPlan, pe: u32, guard: &str, what: &str, out: &mut dyn fmt::Write) -> WriteResult {
    let (host, title, pes) = (plan.pe_name(pe), comment(&plan.title()), plan.pes());
    writeln!(out, "/* {what} of {host} in {title} ({pes} nodes). C99. */")?;
    if !plan.faults()?.is_empty() {
        writeln!(out, "/* Routed around failed parts: {}. */", plan.failed()?)?;
    }
    let left_out = plan.left_out_of(pe);
    if !left_out.is_empty() {
        writeln!(out, "/* Requested, but without a path: {}. */", left_out.join(" "))?;
    }
    writeln!(out, "#ifndef {guard}\n#define {guard}\n\n#include <stdint.h>\n")?;
    Ok(writeln!(out, "#define FNN_PES {pes}\n#define FNN_SELF {pe}")?)
}

/// Text inside a comment, which it can neither end nor begin anew.
fn comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *")
}

/// Suffix of a constant of `bits` bits, after its `u`.
fn long(bits: u32) -> &'static str {
    if bits == 64 { "ll" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_comment() {
        for text in ["a */ b", "*/*/", "/*/", "**//", "/**/"] {
            let inside = comment(text);
            assert!(!inside.contains("*/") && !inside.contains("/*"), "{inside}");
        }
    }
}
