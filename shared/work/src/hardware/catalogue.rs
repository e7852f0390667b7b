//! Rows and columns of a hardware search: numbers of NIs and switch widths as typed.

use crate::{
    form::{plain_digits, says},
    spec::{Fault, Faults, MAX_NIS, MAX_PORTS, MIN_PORTS, Spec, SwitchModel},
    text::grouped,
};
use std::cmp::Reverse;

/// Max models of a catalogue that mixes models.
const MAX_MIXED: usize = 64;

/// The models to try, widest first, each once. A model without `count` has no limit.
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
        let (text, swapped) =
            (text.trim(), text.split_once('-').map(|(a, b)| format!("{}-{}", b.trim(), a.trim())));
        match swapped.filter(|swapped| range(swapped, 1, MAX_NIS).is_some()) {
            Some(swapped) => {
                Fault::new("nis", text, says(format!("put the smaller number first, such as {swapped}.")))
            }
            None => Fault::new("nis", text, format!("a number or a range such as 2-8, from 1 to {MAX_NIS}")),
        }
    })
}

/// Missing prices, each a sentence that starts with the field. Models without a price are not ranked by cost.
pub fn unranked(spec: &Spec, models: &[SwitchModel]) -> Vec<String> {
    let mut missing: Vec<String> = Vec::new();
    for model in models.iter().filter(|model| model.price.is_none()) {
        let unpriced = |fits: &dyn Fn(u32) -> bool| {
            spec.switches.iter().position(|m| fits(m.ports) && m.price.is_none())
        };
        let own = unpriced(&|ports| ports == model.ports).or_else(|| unpriced(&|ports| ports > model.ports));
        let sentence = match own {
            Some(index) => format!("switch[{index}].price: give a price to rank by cost."),
            None => format!(
                "ports: no model of the spec with {} ports or more has a price, so this width is not ranked by cost.",
                model.ports
            ),
        };
        if !missing.contains(&sentence) {
            missing.push(sentence);
        }
    }
    missing.extend(unpriced_parts(spec));
    missing
}

/// Missing prices of the parts that every cell has.
fn unpriced_parts(spec: &Spec) -> Vec<String> {
    let give = |path: &str| format!("{path}: give a price to rank by cost.");
    let mut missing = Vec::new();
    missing.extend(spec.ni_price.is_none().then(|| give("nic_price")));
    missing.extend(spec.cable_price.is_none().then(|| give("cable_price")));
    let lengths =
        "metre_price: remove it to rank by cost, since a hardware search does not know cable lengths.";
    missing.extend(spec.metre_price.map(|_| lengths.to_owned()));
    let uplink = spec.uplink.filter(|uplink| !uplink.folded && uplink.price.is_none());
    missing.extend(uplink.map(|_| give("uplink.price")));
    missing
}

/// Models that may share a wiring, by index: those with a price for which no other model is as wide, as cheap and in
/// unlimited stock. Empty if costs are unknown, if fewer than two are left, or for a catalogue of more than 64 models.
///
/// A folded uplink switch is one of the widest model's, so models do not mix there.
pub fn mixable(spec: &Spec, models: &[SwitchModel]) -> Vec<usize> {
    if models.len() > MAX_MIXED
        || !unpriced_parts(spec).is_empty()
        || spec.uplink.is_some_and(|uplink| uplink.folded)
    {
        return Vec::new();
    }
    let usable = |index: usize| spec.usable_by_model(&models[index]);
    let is_beaten = |index: usize, price: f64| {
        (0..models.len()).filter(|&other| other != index && models[other].count.is_none()).any(|other| {
            let Some(theirs) = models[other].price else { return false };
            let as_good = usable(other) >= usable(index) && theirs <= price;
            let better = usable(other) > usable(index) || theirs < price || models[index].count.is_some();
            as_good && (better || other < index)
        })
    };
    let kept = |&index: &usize| {
        models[index].price.is_some_and(|price| usable(index) > 1 && !is_beaten(index, price))
    };
    let kept: Vec<usize> = (0..models.len()).filter(kept).collect();
    if kept.len() > 1 { kept } else { Vec::new() }
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
            let sentence = format!(
                "{} ports are no more than the {} reserved ones (`reserve`).",
                narrow.ports, narrow.reserve
            );
            Err(Fault::new("ports", narrow.ports, says(sentence)).into())
        }
        None => Ok(models),
    }
}

/// Widths of a list, ascending. Errors: every word that is not a width.
pub(super) fn widths(text: &str) -> Result<Vec<u32>, Vec<Fault>> {
    let mut widths = Vec::new();
    let (mut faults, mut wrong) = (Vec::new(), Vec::new());
    let expected =
        || format!("widths from {MIN_PORTS} to {}, such as 6-12, 16, 24", grouped(MAX_PORTS.into()));
    for part in text.split(',') {
        match range(part, MIN_PORTS, MAX_PORTS) {
            Some((from, to)) => widths.extend(from..=to),
            None if part.trim().is_empty() => {}
            None if wrong.contains(&part.trim()) => {}
            None => wrong.push(part.trim()),
        }
    }
    if !wrong.is_empty() {
        faults.push(Fault::new("ports", wrong.join(", "), expected()));
    }
    // A gap between commas cannot be shown itself, so the whole text is.
    if text.split(',').any(|part| part.trim().is_empty()) {
        let sentence = says(format!("has an empty entry between commas: {:?}.", text.trim()));
        faults.push(Fault::new("ports", text.trim(), sentence));
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
    SwitchModel { reserve, price: narrowest.and_then(|m| m.price), ..SwitchModel::of(ports) }
}

/// `least` and `most` bound both ends, which ascend.
fn range(text: &str, least: u32, most: u32) -> Option<(u32, u32)> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| plain_digits(text.trim()).filter(|n| (least..=most).contains(n));
    let (from, to) = (number(from)?, number(to)?);
    (from <= to).then_some((from, to))
}
