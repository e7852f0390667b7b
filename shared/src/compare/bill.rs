//! Cost of a network's parts on a market.

use super::market::{Goods, Market};
use crate::fabric::{Parts, SwitchParts};
use serde::{Deserialize, Serialize};

/// A bill.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Bill {
    /// Lines.
    pub lines: Vec<BillLine>,
    /// Sum of the lines; `None` if nothing has a price.
    pub total: Option<f64>,
    /// Parts that the total leaves out: without a price or not for sale.
    pub unpriced: Vec<String>,
}

/// A line of a bill.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BillLine {
    /// Part.
    pub what: String,
    /// Number of parts.
    pub count: u64,
    /// Price per part.
    pub each: f64,
}

impl Bill {
    fn add(&mut self, count: u64, each: Option<f64>, what: impl Into<String>) {
        match each {
            _ if count == 0 => {}
            Some(each) => {
                self.total = Some(self.total.unwrap_or(0.0) + count as f64 * each);
                self.lines.push(BillLine { what: what.into(), count, each });
            }
            None => self.unpriced.push(what.into()),
        }
    }
}

/// The bill for those parts. A switch is the cheapest box with enough ports. Without boxes on the market, ports are paid one by
/// one, trunks at their own price.
pub fn bill(parts: &Parts, market: &Market) -> Bill {
    let mut bill = Bill::default();
    bill.add(parts.nis, market.ni, "NICs");
    bill.add(parts.trunk_nis, market.trunk_ni, "NICs of trunk speed");
    let mut boxes: Vec<(usize, u64)> = Vec::new();
    for switch in &parts.switches {
        if switch.hub {
            hub(&mut bill, switch, market);
        } else if market.boxes.is_empty() {
            by_port(&mut bill, switch, market);
        } else if let Some(cheapest) = market.cheapest_box(switch) {
            match boxes.iter_mut().find(|(index, _)| *index == cheapest) {
                Some((_, count)) => *count += u64::from(switch.count),
                None => boxes.push((cheapest, u64::from(switch.count))),
            }
        } else {
            bill.unpriced.push(format!("{} (not for sale)", switch_text(switch)));
        }
    }
    for (index, switches) in boxes {
        let sold = &market.boxes[index];
        bill.add(switches.div_ceil(sold.switches.into()), sold.price, sold.text());
    }
    bill.add(parts.cables, market.cable, "cables");
    bill
}

fn hub(bill: &mut Bill, hub: &SwitchParts, market: &Market) {
    if hub.ports > market.hub_ports {
        bill.unpriced.push(format!("a hub with {} ports (not for sale)", hub.ports));
    } else {
        bill.add(u64::from(hub.count) * u64::from(hub.ports), market.hub_port, "hub ports");
    }
}

fn by_port(bill: &mut Bill, switch: &SwitchParts, market: &Market) {
    if switch.ports > market.ports || switch.trunks > market.trunk_ports {
        bill.unpriced.push(format!("{} (not for sale)", switch_text(switch)));
        return;
    }
    let count = u64::from(switch.count);
    bill.add(count * u64::from(switch.ports), market.port, "switch ports");
    bill.add(count * u64::from(switch.trunks), market.trunk_port, "switch ports of trunk speed");
}

fn switch_text(switch: &SwitchParts) -> String {
    match (switch.ports, switch.trunks) {
        (ports, 0) => format!("switches with {ports} ports"),
        (0, trunks) => format!("switches with {trunks} ports of trunk speed"),
        (ports, trunks) => format!("switches with {ports} ports and {trunks} of trunk speed"),
    }
}

impl Goods {
    fn text(&self) -> String {
        let mut text = format!("switches with {} ports", self.ports);
        if self.trunks > 0 {
            text += &format!(" and {} of trunk speed", self.trunks);
        }
        if self.switches > 1 {
            text = format!("boxes of {} {text}", self.switches);
        }
        text
    }
}
