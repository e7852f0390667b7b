//! Covered and uncovered pairs of a design, as text.

use crate::prepare::Request;
use shared::{
    analysis::leftout::{UncoveredPair, left_out, weight_served},
    design::Verdict,
    spec::Objective,
    text::{fixed, grouped, rounded},
};
use std::fmt::Write;

/// Coverage, up to `most` uncovered pairs, and [`extras`]. For a fractional objective, the share of the weight that is served
/// and the heaviest uncovered pairs.
pub fn coverage(request: &Request, verdict: &Verdict, most: usize, advice: &[String]) -> String {
    let text = if verdict.uncovered.is_empty() {
        format!("{}\n", none(verdict.requested))
    } else if request.spec.objective == Objective::Fractional {
        let left = left_out(&request.spec, &request.demand, &verdict.uncovered, most);
        by_weight(&left, verdict, verdict.uncovered.len() as u64)
    } else {
        report(&verdict.uncovered, verdict.requested, most, advice)
    };
    text + &extras(verdict)
}

/// Pairs served over uplink switches, wanted links provided, and cables moved from an existing wiring; empty without either.
pub fn extras(verdict: &Verdict) -> String {
    let mut text = String::new();
    match verdict.over_uplinks {
        0 => {}
        1 => text += "1 of these pairs shares no switch and uses the uplinks\n",
        over => {
            let _ = writeln!(text, "{} of these pairs share no switch and use the uplinks", grouped(over));
        }
    }
    if verdict.wished > 0 {
        let (granted, wished) = (grouped(verdict.granted), grouped(verdict.wished));
        let _ = writeln!(text, "extra links: {granted} of {wished} provided");
    }
    if let Some(moves) = &verdict.moves {
        let _ = writeln!(text, "{}", moves.words());
    }
    text
}

/// Statement that all requested pairs are covered, without a full stop.
pub fn none(requested: u64) -> String {
    match requested {
        0 => "no pairs are requested".into(),
        1 => "the one requested pair is covered".into(),
        _ => format!("all {} requested pairs are covered", grouped(requested)),
    }
}

/// Statement that some requested pairs are uncovered, without a full stop.
pub fn counted(uncovered: u64, requested: u64) -> String {
    match (uncovered, requested) {
        (1, 1) => "the one requested pair is uncovered".into(),
        (1, _) => format!("1 of {} requested pairs is uncovered", grouped(requested)),
        _ => format!("{} of {} requested pairs are uncovered", grouped(uncovered), grouped(requested)),
    }
}

/// Number of uncovered pairs, the first `most` of them, and advice.
fn report(uncovered: &[(u32, u32)], requested: u64, most: usize, advice: &[String]) -> String {
    let mut text = counted(uncovered.len() as u64, requested) + ":\n";
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

/// Served share of the weight, and a line for each pair in `uncovered`.
fn by_weight(left: &[UncoveredPair], verdict: &Verdict, uncovered: u64) -> String {
    // Only full coverage reads 100 %.
    let served = weight_served(verdict);
    let most = if served < 1.0 { 9999.0 } else { 1e4 };
    let share = fixed((served * 1e4).round().min(most) / 100.0, 2);
    let (all, out) = (verdict.requested_weight, verdict.uncovered_weight);
    let mut text =
        format!("covers {share} % of the traffic weight: {} of {}\n", number(all - out), number(all));
    let verb = if uncovered == 1 { "is" } else { "are" };
    let (count, requested) = (grouped(uncovered), grouped(verdict.requested));
    let _ = writeln!(text, "{count} of {requested} requested pairs {verb} uncovered, heaviest first:");
    for pair in left {
        let UncoveredPair { a, b, weight, patterns } = pair;
        let _ = writeln!(text, "  {a} {b}  weight {}: {}", number((*weight).into()), patterns.join(", "));
    }
    let more = uncovered - left.len() as u64;
    if more > 0 {
        let listed: f64 = left.iter().map(|pair| f64::from(pair.weight)).sum();
        let _ =
            writeln!(text, "  and {} more with a total weight of {}", grouped(more), number(out - listed));
    }
    text
}

/// A weight with up to three decimals.
fn number(weight: f64) -> String {
    rounded(weight, 3)
}
