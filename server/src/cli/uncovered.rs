//! Pairs that a wiring leaves uncovered, as text.

use shared::text::grouped;
use std::fmt::Write;

/// How many there are and the first `most` of them, then what to relax.
pub fn report(uncovered: &[(u32, u32)], requested: u64, most: usize, advice: &[String]) -> String {
    let mut text = String::new();
    let (count, requested) = (grouped(uncovered.len() as u64), grouped(requested));
    let _ = writeln!(text, "{count} of {requested} requested pairs are not covered:");
    for (a, b) in uncovered.iter().take(most) {
        let _ = writeln!(text, "  {a} {b}");
    }
    if uncovered.len() > most {
        let _ = writeln!(text, "  and {} more", grouped((uncovered.len() - most) as u64));
    }
    for line in advice {
        let _ = writeln!(text, "advice: {line}");
    }
    text
}
