//! Rows and columns of a hardware search: numbers of NIs and switch widths as typed.

use crate::{
    form::plain_digits,
    spec::{Fault, Faults, MAX_NIS, MAX_PORTS, MIN_PORTS, Spec, SwitchModel},
    text::grouped,
};
use std::cmp::Reverse;

/// The models to try, widest first, each once. Of one without a `count` there is no limit.
///
/// Without a list of widths they are the spec's own, whose `count` is their stock; stocks of equal models are added. With a
/// list such as `6-12, 16, 24`, stock is unlimited. Each width has the price and the reserved ports of the narrowest model
/// that is at least as wide; a wider one has no price and the reserved ports of the widest.
///
/// # Errors
/// Every part of the list that is no width or range of widths, at the path `ports`.
pub fn catalogue(spec: &Spec, ports: &str) -> Result<Vec<SwitchModel>, Faults> {
    let mut models = if ports.trim().is_empty() { merged(&spec.switches) } else { listed(spec, ports)? };
    models.sort_by_key(|m| (Reverse(m.ports), Reverse(m.usable())));
    Ok(models)
}

/// Smallest and largest number of NIs, from text such as `2-8` or `3`.
///
/// # Errors
/// Another text, or a number beyond the NIs of a PE, at the path `nis`.
pub fn nis_range(text: &str) -> Result<(u32, u32), Fault> {
    range(text, 1, MAX_NIS).ok_or_else(|| {
        let expected =
            format!("a number or a range such as 2-8, from 1 to {MAX_NIS}, the smaller number first");
        Fault::new("nis", text.trim(), expected)
    })
}

fn merged(models: &[SwitchModel]) -> Vec<SwitchModel> {
    let mut all: Vec<SwitchModel> = Vec::with_capacity(models.len());
    for model in models {
        let alike = |m: &&mut SwitchModel| SwitchModel { count: model.count, ..**m } == *model;
        match all.iter_mut().find(alike) {
            Some(same) => same.count = same.count.zip(model.count).map(|(a, b)| a.saturating_add(b)),
            None => all.push(*model),
        }
    }
    all
}

fn listed(spec: &Spec, text: &str) -> Result<Vec<SwitchModel>, Faults> {
    let models: Vec<SwitchModel> =
        widths(text).map_err(Faults)?.into_iter().map(|width| of_width(spec, width)).collect();
    match models.iter().find(|m| m.reserve >= m.ports) {
        Some(narrow) => {
            let expected = format!("more than the {} reserved ports (`reserve`)", narrow.reserve);
            Err(Fault::new("ports", narrow.ports, expected).into())
        }
        None => Ok(models),
    }
}

/// The widths of a list, ascending, or everything that is none.
pub(super) fn widths(text: &str) -> Result<Vec<u32>, Vec<Fault>> {
    let mut widths = Vec::new();
    let mut faults = Vec::new();
    let fault = |part: &str, expected: String| Fault::new("ports", part.trim(), expected);
    let expected =
        || format!("widths from {MIN_PORTS} to {}, such as 6-12, 16, 24", grouped(MAX_PORTS.into()));
    for part in text.split(',') {
        match range(part, MIN_PORTS, MAX_PORTS) {
            Some((from, to)) => widths.extend(from..=to),
            None if part.trim().is_empty() => {}
            None => faults.push(fault(part, expected())),
        }
    }
    // A gap between commas cannot be shown itself, so the whole text is.
    if text.split(',').any(|part| part.trim().is_empty()) {
        faults.push(fault(&format!("{:?}", text.trim()), format!("{}, without empty entries", expected())));
    }
    widths.sort_unstable();
    widths.dedup();
    Faults::of(faults).map_or(Ok(widths), |faults| Err(faults.0))
}

fn of_width(spec: &Spec, ports: u32) -> SwitchModel {
    let wide_enough = spec.switches.iter().filter(|m| m.ports >= ports);
    let price_of = |m: &&SwitchModel| m.price.unwrap_or(f64::INFINITY);
    let narrowest =
        wide_enough.min_by(|a, b| (a.ports.cmp(&b.ports)).then(price_of(a).total_cmp(&price_of(b))));
    let widest = || spec.switches.iter().max_by_key(|m| m.ports);
    let reserve = narrowest.or_else(widest).map_or(0, |m| m.reserve);
    SwitchModel { ports, reserve, price: narrowest.and_then(|m| m.price), count: None }
}

/// `least` and `most` bound both ends, which ascend.
fn range(text: &str, least: u32, most: u32) -> Option<(u32, u32)> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| plain_digits(text.trim()).filter(|n| (least..=most).contains(n));
    let (from, to) = (number(from)?, number(to)?);
    (from <= to).then_some((from, to))
}
