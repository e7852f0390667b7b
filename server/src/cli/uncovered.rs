//! What a wiring covers and leaves uncovered, as text.

use shared::text::grouped;
use std::fmt::Write;

/// That all requested pairs are covered, without a full stop.
pub fn none(requested: u64) -> String {
    match requested {
        0 => "no pair is requested".into(),
        1 => "the one requested pair is covered".into(),
        _ => format!("every one of {} requested pairs is covered", grouped(requested)),
    }
}

/// How many there are and the first `most` of them, then what to relax.
pub fn report(uncovered: &[(u32, u32)], requested: u64, most: usize, advice: &[String]) -> String {
    let mut text = String::new();
    let count = grouped(uncovered.len() as u64);
    let _ = match (uncovered.len(), requested) {
        (1, 1) => writeln!(text, "the one requested pair is uncovered:"),
        (1, _) => writeln!(text, "1 of {} requested pairs is uncovered:", grouped(requested)),
        _ => writeln!(text, "{count} of {} requested pairs are uncovered:", grouped(requested)),
    };
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
