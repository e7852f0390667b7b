//! Price of hardware: one rule for specs, wirings and hardware searches.
//!
//! The bill has all switches and NIs of the spec, used or not, the further switches of the wiring, and its cables. So labels,
//! cable list and bill agree.

use super::lengths;
use crate::{design::Design, spec::Spec, text::fixed};

/// The bill of a wiring, and the metres of its cables if racks give their lengths.
pub fn cost(spec: &Spec, design: &Design) -> (Price, Option<f64>) {
    let spec = &*spec.grown(design.used_switches());
    let metres = lengths::total(spec, design);
    (Price::of(spec, &CableCounts { metres, ..CableCounts::of(spec, design) }), metres)
}

/// The cables of a machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CableCounts {
    /// Cables in NIs. A direct cable between two PEs counts at each.
    pub cables: u64,
    /// Those of direct cables.
    pub direct: u64,
    /// Cables between switches and uplink switches; 0 without uplink switches.
    pub joined: u64,
    /// Metres of all those that have both ends in a rack.
    pub metres: Option<f64>,
}

impl CableCounts {
    /// A cable in every NI, and every uplink of every switch.
    pub fn whole(spec: &Spec) -> CableCounts {
        let others = spec.switch_budget().saturating_sub(spec.uplink_switch().is_some().into());
        let all = spec.total_nis();
        let direct = 2 * spec.cables().iter().filter(|is_cable| **is_cable).count() as u64;
        CableCounts { cables: all, direct: direct.min(all), joined: uplinks(spec, others), metres: None }
    }

    /// Counts the cables of a wiring: switches without any other cable have none to uplink switches. Lengths are not measured.
    pub fn of(spec: &Spec, design: &Design) -> CableCounts {
        let folded = spec.uplink_switch();
        let others = design.switches().zip(0..);
        let others =
            others.filter(|(members, switch)| !members.is_empty() && folded != Some(*switch)).count();
        let cables = design.cables() as u64;
        let ends = spec.cables().into_iter().zip(design.switches()).filter(|(is_cable, _)| *is_cable);
        let direct = ends.map(|(_, members)| members.len() as u64).sum();
        CableCounts { cables, direct, joined: uplinks(spec, others as u32), metres: None }
    }
}

/// Cables from so many switches to uplink switches.
fn uplinks(spec: &Spec, switches: u32) -> u64 {
    u64::from(switches) * u64::from(spec.uplink.map_or(0, |uplink| uplink.links))
}

/// A bill.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Price {
    /// Sum of the known prices; `None` if no price is known. A lower bound if parts are unpriced.
    pub total: Option<f64>,
    /// Parts without a price or a length, which the total leaves out.
    pub unpriced: Vec<String>,
    /// Cables to uplink switches: from switches and from spares.
    pub uplink_cables: u64,
}

impl Price {
    /// The price of all switches and NIs of the spec, the spares, the uplink switches, and these cables with their metres.
    pub fn of(spec: &Spec, cabled: &CableCounts) -> Price {
        let mut bill = Price::default();
        for (model, count) in spec.switches.iter().zip(spec.switch_counts()) {
            match spec.is_cable(model) {
                true => bill.add(count.into(), model.price.or(spec.cable_price), || "direct cables".into()),
                false => {
                    bill.add(count.into(), model.price, || format!("switches with {} ports", model.ports))
                }
            }
        }
        let uplinks = spec.separate_uplinks();
        let price = spec.uplink.and_then(|uplink| uplink.price);
        bill.add(uplinks.into(), price, || match uplinks {
            1 => "the uplink switch".into(),
            _ => "uplink switches".into(),
        });
        let spares = spec.uplink.map_or(0, |uplink| u64::from(uplink.spares));
        bill.uplink_cables = cabled.joined + spares;
        bill.add(spec.total_nis() + spares, spec.ni_price, || "NICs".into());
        let cables = cabled.cables.saturating_sub(cabled.direct) + bill.uplink_cables;
        bill.add(cables, spec.cable_price, || "cables".into());
        let folded = spec.uplink_switch().is_some();
        bill.lengths(spec, cabled.metres, spares + if folded { 0 } else { cabled.joined });
        bill
    }

    /// The sum in words; see [`sum_text`].
    pub fn text(&self) -> Option<String> {
        sum_text(self.total, &self.unpriced)
    }

    /// The sum, if every part has a price.
    pub fn complete(&self) -> Option<f64> {
        self.total.filter(|_| self.unpriced.is_empty())
    }

    fn add(&mut self, count: u64, price: Option<f64>, what: impl FnOnce() -> String) {
        match price {
            _ if count == 0 => {}
            Some(price) => self.pay(count as f64 * price),
            None => self.unpriced.push(what()),
        }
    }

    fn pay(&mut self, price: f64) {
        self.total = Some(self.total.unwrap_or(0.0) + price);
    }

    /// Metres that cost something, `unplaced` cables having an end that stands nowhere.
    fn lengths(&mut self, spec: &Spec, metres: Option<f64>, unplaced: u64) {
        let Some(price) = spec.metre_price else { return };
        match metres {
            Some(metres) => self.pay(metres * price),
            None if spec.racks.is_empty() => self.unpriced.push("metres of cable, without racks".into()),
            None => self.unpriced.push("metres of cable, without a wiring".into()),
        }
        if metres.is_some() && unplaced > 0 {
            self.unpriced.push(format!(
                "metres of {unplaced} cables to uplink switches or from spares (not in a rack)"
            ));
        }
    }
}

/// A sum of prices for people: "1,710.00", or "at least 1,710.00 (no price for NICs)" if parts are unpriced. `None` if no price is known.
pub fn sum_text(total: Option<f64>, unpriced: &[String]) -> Option<String> {
    let sum = fixed(total?, 2);
    Some(match unpriced.is_empty() {
        true => sum,
        false => format!("at least {sum} (no price for {})", unpriced.join(", ")),
    })
}
