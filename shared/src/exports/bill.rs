//! The bill of materials: switches, NICs and cables to buy, by rack, with spare parts and the lengths that cables are sold in.
//!
//! The sum of a part's quantities is what to buy. Counts and prices are those of [`cost`](crate::analysis::cost), except that cables
//! are as long as they are sold.

use super::{
    CSV, DesignPlan, Format, Render, Written, design::Cable, escape::field, identifiers::Identifiers,
};
use crate::{design::Place, text::number};
use std::{collections::BTreeMap, fmt};

pub(super) const BILL: Format = Format::new("bill", CSV, Render::Text(render))
    .read_by(&["pandas 3.1"])
    .purpose("bill of materials: switches, NICs and cables by rack, with spares, cable lengths that are sold, and prices")
    .with(&["spare-share", "lengths"]);

/// A part as it is ordered; sorted as it is listed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Switch {
        ports: u32,
    },
    Uplink {
        ports: u32,
    },
    Nic,
    /// In centimetres; `None` if racks do not give the length.
    Cable(Option<u64>),
}

impl Part {
    fn words(&self) -> (&'static str, String) {
        match self {
            Part::Switch { ports } => ("switch", format!("{ports} ports")),
            Part::Uplink { ports } => ("uplink switch", format!("{ports} ports")),
            Part::Nic => ("NIC", String::new()),
            Part::Cable(None) => ("cable", "length unknown".into()),
            Part::Cable(Some(length)) => ("cable", format!("{} m", number(*length as f64 / 100.0))),
        }
    }
}

fn render(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    let parts = parts(plan);
    out.write_str("part,kind,rack,quantity,unit_price,price\n")?;
    let mut totals: BTreeMap<&Part, u64> = BTreeMap::new();
    for ((part, rack), &count) in &parts {
        *totals.entry(part).or_default() += count;
        row(plan, part, rack, count, out)?;
    }
    let share = u64::from(plan.settings.spare_share);
    for (part, count) in totals {
        let spare = (count * share).div_ceil(100);
        if spare > 0 {
            row(plan, part, "spare", spare, out)?;
        }
    }
    Ok(())
}

fn row(plan: &DesignPlan, part: &Part, rack: &str, count: u64, out: &mut dyn fmt::Write) -> fmt::Result {
    let (name, kind) = part.words();
    write!(out, "{name},{},{},{count},", field(&kind), field(rack))?;
    match price(plan, part) {
        Some(price) => writeln!(out, "{},{}", number(price), number(price * count as f64)),
        None => out.write_str(",\n"),
    }
}

/// Price of one; `None` if the spec has none.
fn price(plan: &DesignPlan, part: &Part) -> Option<f64> {
    let spec = &plan.spec;
    match part {
        Part::Switch { ports } => spec.switches.iter().find(|model| model.ports == *ports)?.price,
        Part::Uplink { .. } => spec.uplink?.price,
        Part::Nic => spec.ni_price,
        Part::Cable(length) => match (spec.metre_price, length) {
            (None, _) => spec.cable_price,
            (Some(metre), Some(length)) => {
                Some(spec.cable_price.unwrap_or(0.0) + metre * *length as f64 / 100.0)
            }
            (Some(_), None) => None,
        },
    }
}

/// Numbers of each part in each rack; without racks, the rack is empty. A cable is in the rack of its node.
fn parts(plan: &DesignPlan) -> BTreeMap<(Part, String), u64> {
    let identifiers = Identifiers::of(plan);
    let rack = |place: Option<Place>| place.map_or_else(String::new, |place| place.rack);
    let mut parts: BTreeMap<(Part, String), u64> = BTreeMap::new();
    let mut add = |part: Part, rack: String, count: u64| *parts.entry((part, rack)).or_default() += count;
    let models = plan.spec.switches.iter().zip(plan.spec.switch_counts());
    let widths = models.flat_map(|(model, count)| std::iter::repeat_n(model.ports, count as usize));
    for (switch, ports) in (0..).zip(widths) {
        add(Part::Switch { ports }, rack(identifiers.switch_place(switch)), 1);
    }
    for (pe, nis) in (0..).zip(plan.spec.nis_per_pe()) {
        add(Part::Nic, rack(identifiers.pe_place(pe)), nis.into());
    }
    let sold = |metres: Option<f64>| Part::Cable(metres.map(|metres| sold(&plan.settings.lengths, metres)));
    for Cable { pe, switch, .. } in plan.cables() {
        add(sold(identifiers.length(pe, switch)), rack(identifiers.pe_place(pe)), 1);
    }
    if let Some(uplink) = plan.uplink() {
        if uplink.folded.is_none() {
            add(Part::Uplink { ports: uplink.ports() }, String::new(), 1);
        }
        let spares = uplink.spares().count() as u64;
        if spares > 0 {
            add(Part::Nic, String::new(), spares);
        }
        for &cable in &uplink.cables {
            add(sold(uplink.length(&identifiers, cable)), String::new(), 1);
        }
    }
    parts
}

/// The shortest length that is sold and suffices, in centimetres; beyond the longest, full metres.
fn sold(lengths: &[u64], metres: f64) -> u64 {
    let needed = (metres * 100.0 - 1e-6).ceil().max(0.0) as u64;
    lengths.iter().copied().filter(|&length| length >= needed).min().unwrap_or(needed.div_ceil(100) * 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cables_are_as_long_as_they_are_sold() {
        let lengths = [50, 100, 300];
        assert_eq!([0.2, 0.5, 1.01, 3.0, 3.2].map(|metres| sold(&lengths, metres)), [50, 50, 300, 300, 400]);
    }
}
