//! Advanced routing tables (LCPC paper, section 3.3) as a C header per node: one packed tuple of NIs per destination, and macros.
//!
//! Only destinations with a path are written; the table has a place for every PE, zero without a path.

use super::{DesignPlan, Each, Format, HEADER, Render, Written};
use crate::analysis::routing::{TupleLayout, advanced};
use std::fmt;

pub(super) const FORMAT: Format = Format {
    each: Each::Node,
    settings: &["failed"],
    ..Format::new(
        "advanced",
        "C header per node: for each destination, the NIC there that each own NIC reaches, packed, with macros",
        HEADER,
        Render::Text(render),
    )
};

/// Tuples on a line.
const PER_LINE: usize = 6;

fn render(plan: &DesignPlan, pe: u32, out: &mut dyn fmt::Write) -> Written {
    let tables = advanced(plan.multi_routes()?);
    let layout = tables.layout();
    open(plan, pe, "FNN_ADVANCED_H", "Advanced routing table", out)?;
    sizes(plan, layout, out)?;
    let TupleLayout { word_bits, field_bits, .. } = layout;
    write!(out, "\nstatic const uint{word_bits}_t fnn_advanced[FNN_PES][FNN_TUPLE_WORDS] = {{")?;
    let digits = word_bits as usize / 4;
    let mut count = 0;
    for tuple in tables.tuples(pe) {
        out.write_str(if count % PER_LINE == 0 { "\n   " } else { "" })?;
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
pub(super) fn open(plan: &DesignPlan, pe: u32, guard: &str, what: &str, out: &mut dyn fmt::Write) -> Written {
    let (host, title, pes) = (plan.pe_name(pe), comment(&plan.title()), plan.pes());
    writeln!(out, "/* {what} of {host} in {title} ({pes} nodes). C99. */")?;
    let faults = plan.faults()?;
    if !faults.is_empty() {
        writeln!(out, "/* Routed around failed parts: {faults}. */")?;
    }
    let left_out = plan.left_out_of(pe);
    if !left_out.is_empty() {
        writeln!(out, "/* Requested but not covered by this wiring: {}. */", left_out.join(" "))?;
    }
    writeln!(out, "#ifndef {guard}\n#define {guard}\n\n#include <stdint.h>\n")?;
    Ok(writeln!(out, "#define FNN_PES {pes}\n#define FNN_SELF {pe}")?)
}

/// Text inside a comment, which it can neither end nor begin anew.
fn comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *")
}

/// Suffix of a constant of `bits` bits, after its `u`.
pub(super) fn long(bits: u32) -> &'static str {
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
