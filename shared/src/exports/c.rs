//! What C headers of a PE have in common.

use super::{DesignPlan, Written};
use std::fmt;

/// Begins a header: what it is, what the wiring leaves out, its guard, the machine's and the PE's numbers.
pub(super) fn open(plan: &DesignPlan, pe: u32, guard: &str, what: &str, out: &mut dyn fmt::Write) -> Written {
    let (host, title, pes) = (plan.pe_name(pe), comment(&plan.title()), plan.pes());
    writeln!(out, "/* {what} of {host} in {title} ({pes} PEs). C99. */")?;
    let faults = plan.faults()?;
    if !faults.is_empty() {
        writeln!(out, "/* Around what is dead: {faults}. */")?;
    }
    let left_out = plan.left_out_of(pe);
    if !left_out.is_empty() {
        writeln!(out, "/* Requested, and not served by this wiring: {}. */", left_out.join(" "))?;
    }
    writeln!(out, "#ifndef {guard}\n#define {guard}\n\n#include <stdint.h>\n")?;
    Ok(writeln!(out, "#define FNN_PES {pes}\n#define FNN_SELF {pe}")?)
}

/// Text inside a comment, which it can neither end nor begin anew.
fn comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *")
}

/// What a constant of so many bits ends in, after its `u`.
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
