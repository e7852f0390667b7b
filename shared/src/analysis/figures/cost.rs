//! What the hardware of a wiring costs, its cables by their length.

use crate::{analysis::lengths, design::Design, spec::Spec};

/// Hardware with its price.
pub(super) struct Cost {
    pub total: Option<f64>,
    pub unpriced: Vec<String>,
    pub uplink_cables: u64,
    pub metres: Option<f64>,
}

impl Cost {
    /// The price of the used switches and the uplink switch, of an NI and a cable for each connection and each spare, of the
    /// uplink cables and of the metres of all cables whose ends have a place.
    pub fn of(spec: &Spec, design: &Design) -> Cost {
        let mut bill = Bill { total: None, unpriced: Vec::new() };
        let folded = spec.uplink_switch();
        let used = |s: u32| folded == Some(s) || !design.members(s).is_empty();
        let mut first = 0u32;
        let mut switches = 0;
        for (model, count) in spec.switches.iter().zip(spec.switch_counts()) {
            let end = first.saturating_add(count).min(design.switch_count());
            let taken = (first.min(end)..end).filter(|&s| used(s)).count() as u64;
            bill.add(taken, model.price, || format!("switches with {} ports", model.ports));
            first = first.saturating_add(count);
            switches += taken;
        }
        let spares = spec.uplink.map_or(0, |uplink| u64::from(uplink.spares));
        let joined = spec
            .uplink
            .map_or(0, |_| switches - u64::from(folded.is_some_and(|s| s < design.switch_count())));
        if let Some(uplink) = spec.uplink.filter(|uplink| !uplink.folded) {
            bill.add(1, uplink.price, || "the uplink switch".into());
        }
        let cables = design.cables() as u64;
        bill.add(cables + spares, spec.ni_price, || "NIs".into());
        bill.add(cables + spares + joined, spec.cable_price, || "cables".into());
        let metres = lengths::total(spec, design);
        bill.lengths(spec, metres, spares + if folded.is_some() { 0 } else { joined });
        Cost { total: bill.total, unpriced: bill.unpriced, uplink_cables: joined + spares, metres }
    }
}

struct Bill {
    total: Option<f64>,
    unpriced: Vec<String>,
}

impl Bill {
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
            None => self.unpriced.push("metres of cable, without racks".into()),
        }
        if metres.is_some() && unplaced > 0 {
            self.unpriced.push(format!(
                "metres of {unplaced} cables to the uplink switch or from spares, which have no rack"
            ));
        }
    }
}
