//! Cost of a network's parts on a market.

use super::{
    floor::{CableLengths, Lengths},
    market::{Cable, Goods, Market},
};
use crate::{
    fabric::{Parts, SwitchParts},
    text::rounded,
};
use serde::{Deserialize, Serialize};

/// A bill.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Bill {
    /// Lines.
    pub lines: Vec<BillLine>,
    /// Sum of the lines; a lower bound if parts are unpriced. `None` if nothing has a price.
    pub total: Option<f64>,
    /// Parts that the total leaves out: without a price or not for sale.
    pub unpriced: Vec<String>,
    /// Power of NICs, switches and cables, in W; `None` if the power of some part is unknown.
    pub power: Option<f64>,
    /// Rack units of the switches; `None` if some height is unknown.
    pub units: Option<u64>,
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

    /// Adds parts that are not for sale, so that power and rack units are unknown.
    fn unsold(&mut self, what: &str) {
        self.unpriced.push(format!("{what} (not for sale)"));
        (self.power, self.units) = (None, None);
    }

    /// Adds the power of some parts.
    fn draw(&mut self, count: u64, each: Option<f64>) {
        if count > 0 {
            self.power = self.power.zip(each).map(|(sum, each)| sum + count as f64 * each);
        }
    }

    /// Adds cables of measured lengths, a line for each kind of cable.
    fn measured(&mut self, cables: &CableLengths, what: &str, market: &Market) {
        let (mut sold, mut beyond) = (Vec::new(), None);
        for (length, count) in cables.metres() {
            let Some(cable) = market.cable_for(length) else {
                beyond = Some((beyond.map_or(0, |(others, _)| others) + count, length));
                continue;
            };
            match sold.iter_mut().find(|(other, _): &&mut (&Cable, u64)| std::ptr::eq(*other, cable)) {
                Some((_, sum)) => *sum += count,
                None => sold.push((cable, count)),
            }
        }
        for (cable, count) in sold {
            self.sold(count, what, cable);
        }
        if let Some((count, longest)) = beyond {
            self.unsold(&format!("{what}, {count} of up to {longest} m"));
        }
        if cables.unknown > 0 {
            self.unpriced.push(format!("{what}, {} of unknown length", cables.unknown));
            self.power = None;
        }
    }

    fn cables(&mut self, count: u64, what: &str, length: f64, market: &Market) {
        let Some(cable) = market.cable_for(length) else {
            if count > 0 {
                self.unsold(&format!("{what}, {length} m"));
            }
            return;
        };
        self.sold(count, what, cable);
    }

    fn sold(&mut self, count: u64, what: &str, cable: &Cable) {
        self.add(count, cable.whole(), format!("{what}, {}", cable.name));
        self.draw(count, cable.end_power.map(|power| 2.0 * power));
    }

    /// Adds metres of cable at a price per metre.
    pub(super) fn metres(&mut self, lengths: Option<&Lengths>, each: f64) {
        let Some(lengths) = lengths else {
            self.unpriced.push("metres of cable, without racks".into());
            return;
        };
        let (metres, unknown) = lengths.total();
        if metres > 0.0 {
            self.add(1, Some(metres * each), format!("{} m of cable", rounded(metres, 1)));
        }
        if unknown > 0 {
            self.unpriced.push(format!("metres of {unknown} cables of unknown length"));
        }
    }
}

/// The bill for those parts. A switch is the cheapest box with enough ports. Without boxes on the market, ports are paid one by
/// one, trunks at their own price. A cable is the cheapest kind that is long enough.
pub fn bill(parts: &Parts, market: &Market) -> Bill {
    measured_bill(parts, market, None)
}

/// [`bill`] with the lengths of the cables; without them, cables are as long as the market says.
pub fn measured_bill(parts: &Parts, market: &Market, lengths: Option<&Lengths>) -> Bill {
    let mut bill = Bill { power: Some(0.0), units: Some(0), ..Bill::default() };
    // NICs of trunk speed are ordinary ones if the two speeds are equal.
    let alike = market.speed == market.trunk_speed && market.trunk_ni.is_none();
    let (nis, trunk_nis) = match alike {
        true => (parts.nis + parts.trunk_nis, 0),
        false => (parts.nis, parts.trunk_nis),
    };
    bill.add(nis, market.ni, "NICs");
    bill.draw(nis, market.ni_power);
    bill.add(trunk_nis, market.trunk_ni, "NICs of trunk speed");
    bill.draw(trunk_nis, None);
    let mut boxes: Vec<(usize, u64)> = Vec::new();
    for switch in parts.switches.iter().filter(|switch| switch.ports + switch.trunks > 0) {
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
            bill.unsold(&switch_text(switch));
        }
        if switch.hub || market.boxes.is_empty() {
            (bill.power, bill.units) = (None, None);
        }
    }
    for (index, switches) in boxes {
        let sold = &market.boxes[index];
        let count = switches.div_ceil(sold.switches.into());
        bill.add(count, sold.price, sold.text());
        bill.draw(count, sold.power);
        bill.units = bill.units.zip(sold.units).map(|(sum, units)| sum + count * u64::from(units));
    }
    if market.links.is_empty() {
        bill.add(parts.cables, market.cable, "cables");
        bill.draw(parts.cables, None);
    } else if let Some(lengths) = lengths {
        bill.measured(&lengths.to_hosts, "cables to hosts", market);
        bill.measured(&lengths.between, "cables between switches", market);
    } else {
        bill.cables(parts.cables - parts.between, "cables to hosts", market.host_length, market);
        bill.cables(parts.between, "cables between switches", market.switch_length, market);
    }
    bill
}

fn hub(bill: &mut Bill, hub: &SwitchParts, market: &Market) {
    if hub.ports > market.hub_ports {
        bill.unsold(&format!("a hub with {} ports", hub.ports));
    } else {
        bill.add(u64::from(hub.count) * u64::from(hub.ports), market.hub_port, "hub ports");
    }
}

fn by_port(bill: &mut Bill, switch: &SwitchParts, market: &Market) {
    if switch.ports > market.ports || switch.trunks > market.trunk_ports {
        bill.unsold(&switch_text(switch));
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
