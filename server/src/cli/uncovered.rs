//! What a wiring covers and leaves uncovered, as text.

use crate::prepare::Request;
use shared::{
    analysis::leftout::{LeftOut, left_out, weight_served},
    design::Verdict,
    spec::Objective,
    text::{fixed, grouped},
};
use std::fmt::Write;

/// What a wiring covers, the first `most` pairs that it does not, and how many of the wished links there are. Where weight
/// is what counts, its share and the heaviest pairs left out.
pub fn told(request: &Request, verdict: &Verdict, most: usize, advice: &[String]) -> String {
    let text = if verdict.uncovered.is_empty() {
        format!("{}\n", none(verdict.requested))
    } else if request.spec.objective == Objective::Fractional {
        let left = left_out(&request.spec, &request.demand, &verdict.uncovered, most);
        by_weight(&left, verdict, verdict.uncovered.len() as u64)
    } else {
        report(&verdict.uncovered, verdict.requested, most, advice)
    };
    text + &besides(verdict)
}

/// How many of the wished links there are, and how many cables of the wiring that was there are moved; nothing if none is
/// wished for and none was there.
pub fn besides(verdict: &Verdict) -> String {
    let mut text = String::new();
    if verdict.wished > 0 {
        let (granted, wished) = (grouped(verdict.granted), grouped(verdict.wished));
        let _ = writeln!(text, "wished links: granted {granted} of {wished}");
    }
    if let Some(moves) = &verdict.moves {
        let _ = writeln!(text, "{}", moves.words());
    }
    text
}

/// That all requested pairs are covered, without a full stop.
pub fn none(requested: u64) -> String {
    match requested {
        0 => "no pair is requested".into(),
        1 => "the one requested pair is covered".into(),
        _ => format!("every one of {} requested pairs is covered", grouped(requested)),
    }
}

/// How many there are and the first `most` of them, then what to relax.
fn report(uncovered: &[(u32, u32)], requested: u64, most: usize, advice: &[String]) -> String {
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

/// The share of the weight that is served, and what is left out, of `uncovered` pairs the given ones.
fn by_weight(left: &[LeftOut], verdict: &Verdict, uncovered: u64) -> String {
    // Never rounded up to everything.
    let share = fixed((weight_served(verdict) * 1e4).floor() / 100.0, 2);
    let (all, out) = (verdict.requested_weight, verdict.uncovered_weight);
    let mut text = format!("{share} % of the weight is served: {} of {}\n", number(all - out), number(all));
    let verb = if uncovered == 1 { "is" } else { "are" };
    let (count, requested) = (grouped(uncovered), grouped(verdict.requested));
    let _ = writeln!(text, "{count} of {requested} requested pairs {verb} left out, heaviest first:");
    for pair in left {
        let LeftOut { a, b, weight, patterns } = pair;
        let _ = writeln!(text, "  {a} {b}  weight {}: {}", number((*weight).into()), patterns.join(", "));
    }
    let more = uncovered - left.len() as u64;
    if more > 0 {
        let listed: f64 = left.iter().map(|pair| f64::from(pair.weight)).sum();
        let _ = writeln!(text, "  and {} more, of weight {} together", grouped(more), number(out - listed));
    }
    text
}

/// A weight with three decimals at most.
fn number(weight: f64) -> String {
    let text = fixed(weight, 3);
    text.trim_end_matches('0').trim_end_matches('.').into()
}
