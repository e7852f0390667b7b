//! What the parts of a network cost on a market.

use super::market::{Goods, Market};
use crate::fabric::{Parts, SwitchParts};
use serde::{Deserialize, Serialize};

/// A bill.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Bill {
    /// What is paid for.
    pub lines: Vec<BillLine>,
    /// Sum of the lines; none if nothing has a price.
    pub total: Option<f64>,
    /// What the total leaves out because it has no price or is not for sale, in words.
    pub unpriced: Vec<String>,
}

/// A line of a bill.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BillLine {
    /// What.
    pub what: String,
    /// How many.
    pub count: u64,
    /// Price of one.
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

/// The bill for those parts. A switch is the cheapest box that has its ports; where no boxes are for sale, its ports are paid
/// one by one, trunks at their own price.
pub fn bill(parts: &Parts, market: &Market) -> Bill {
    let mut bill = Bill::default();
    bill.add(parts.nis, market.ni, "NIs");
    bill.add(parts.trunk_nis, market.trunk_ni, "NIs of the trunks' speed");
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
            bill.unpriced.push(format!("{}, which nobody sells", named(switch)));
        }
    }
    for (index, switches) in boxes {
        let sold = &market.boxes[index];
        bill.add(switches.div_ceil(sold.switches.into()), sold.price, sold.words());
    }
    bill.add(parts.cables, market.cable, "cables");
    bill
}

fn hub(bill: &mut Bill, hub: &SwitchParts, market: &Market) {
    if hub.ports > market.hub_ports {
        bill.unpriced.push(format!("a hub with {} ports, which nobody sells", hub.ports));
    } else {
        bill.add(u64::from(hub.count) * u64::from(hub.ports), market.hub_port, "hub ports");
    }
}

fn by_port(bill: &mut Bill, switch: &SwitchParts, market: &Market) {
    if switch.ports > market.ports || switch.trunks > market.trunk_ports {
        bill.unpriced.push(format!("{}, which nobody sells", named(switch)));
        return;
    }
    let count = u64::from(switch.count);
    bill.add(count * u64::from(switch.ports), market.port, "switch ports");
    bill.add(count * u64::from(switch.trunks), market.trunk_port, "switch ports of the trunks' speed");
}

fn named(switch: &SwitchParts) -> String {
    match (switch.ports, switch.trunks) {
        (ports, 0) => format!("switches with {ports} ports"),
        (0, trunks) => format!("switches with {trunks} ports of the trunks' speed"),
        (ports, trunks) => format!("switches with {ports} ports and {trunks} of the trunks' speed"),
    }
}

impl Goods {
    fn words(&self) -> String {
        let mut words = format!("switches with {} ports", self.ports);
        if self.trunks > 0 {
            words += &format!(" and {} of the trunks' speed", self.trunks);
        }
        if self.switches > 1 {
            words = format!("boxes of {} {words}", self.switches);
        }
        words
    }
}
