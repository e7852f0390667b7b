//! A market as written: every field is the text that was typed, empty if it is not given.

use super::{Cable, Goods, Market};
use crate::{
    form::{Described, Faults, Field, FieldKind, Reader, Record, form, plain_digits, toml},
    spec::{MAX_NAME, MAX_PORTS},
};

const PRICE: Field = Field::number("Price", 0.0, 1e9).hint("–");
const POWER: Field = Field::number("Power", 0.0, 1e9).unit("W").hint("–");
const LENGTH: Field = Field::number("Length", 0.0, 1e6).unit("m");
const SPEED: Field = Field::whole("Speed", 1, 10_000_000).unit("Mb/s");
const PORTS: Field = Field::whole("Ports", 0, MAX_PORTS as u64).or("0");
const SOME: Field = Field::whole("Number", 1, MAX_PORTS as u64);
const LATENCY: Field = Field::number("Latency", 0.0, 1e9).unit("µs");
const BANDWIDTH: Field = Field::number("Bandwidth", 0.0, 1e9).unit("MB/s");

// Defaults of the model are those measured on the Whitney prototype: Pentium Pro nodes, Fast Ethernet, Bay 350F-HD switches
// (Nitzberg et al. 1999, section 3).
form! {
    /// A market as written.
    pub struct MarketForm {
        /// Name of the market.
        name: Field::new("Name", FieldKind::Text { max: MAX_NAME }),
        /// Currency of all prices, such as USD.
        currency: Field::new("Currency", FieldKind::Text { max: 16 }).hint("not given"),
        /// Speed of a host's links.
        speed: Field { label: "Host link speed", ..SPEED.or("1000") },
        /// Speed of trunks: uplinks of trees, and links inside the domains of rails.
        trunk_speed: Field { label: "Trunk speed", ..SPEED.or("1000") },
        /// Price of a NIC.
        ni as "nic": Field { label: "NIC price", ..PRICE }.was("ni"),
        /// Price of a NIC of trunk speed.
        trunk_ni as "trunk_nic": Field { label: "Trunk NIC price", ..PRICE }.was("trunk_ni"),
        /// Power of a NIC.
        ni_power as "nic_power": Field { label: "NIC power", ..POWER }.was("ni_power"),
        /// Price of a cable, if there are no kinds of cable.
        cable: Field { label: "Cable price", ..PRICE },
        /// Length of cables to hosts: chooses the kind of cable.
        host_length: Field { label: "Cables to hosts", ..LENGTH.or("2") },
        /// Length of cables between switches.
        switch_length: Field { label: "Cables between switches", ..LENGTH.or("30") },
        /// Price of a hub port.
        hub_port: Field { label: "Hub port price", ..PRICE },
        /// Max ports of a hub. 0: no hubs for sale.
        hub_ports: Field { label: "Max hub ports", ..PORTS },
        /// Price of a switch port, if there are no boxes for sale.
        port: Field { label: "Switch port price", ..PRICE },
        /// Max ports of a switch, if there are no boxes for sale.
        ports: Field { label: "Max switch ports", ..PORTS },
        /// Price of a switch port of trunk speed. Not used if the file has `[[box]]` tables.
        trunk_port: Field { label: "Trunk port price", ..PRICE },
        /// Max trunk ports of a switch, if there are no boxes for sale.
        trunk_ports: Field { label: "Max trunk ports", ..PORTS },
        /// Hosts on each leaf switch of a tree.
        leaf: Field { label: "Hosts per leaf switch", ..SOME.or("24") },
        /// Uplinks of each leaf switch of a tree.
        uplinks: Field { label: "Uplinks per leaf switch", ..SOME.or("2") },
        /// Total traffic that a switch without trunks can pass. Empty: the sum of its ports.
        backplane: Field { label: "Backplane speed", ..SPEED.hint("no limit") },
        /// Latency of a message between directly joined hosts.
        latency: LATENCY.or("175"),
        /// Bandwidth between directly joined hosts.
        bandwidth: BANDWIDTH.or("8.5"),
        /// Latency that each switch adds.
        switch_latency: Field { label: "Switch latency", ..LATENCY.or("5") },
        /// Bandwidth that each switch takes away.
        switch_bandwidth: Field { label: "Switch bandwidth loss", ..BANDWIDTH.or("0.5") },
        /// Latency that each forwarding host adds.
        host_latency: Field { label: "Forwarding latency", ..LATENCY.or("40") },
        /// Bandwidth that each forwarding host takes away.
        host_bandwidth: Field { label: "Forwarding bandwidth loss", ..BANDWIDTH.or("1.5") },
    }
    tables {
        /// Boxes for sale.
        boxes: Vec<GoodsForm> = "box", "Box",
        /// Kinds of cable.
        links: Vec<CableForm> = "link", "Kind of cable",
    }
}

form! {
    /// A box with one or more switches, as written.
    pub struct GoodsForm {
        /// Ports of each switch in the box.
        ports: PORTS,
        /// Ports of trunk speed of each switch, in addition.
        trunks: Field { label: "Trunk ports", ..PORTS },
        /// Switches in the box.
        switches: Field { label: "Switches", ..SOME.or("1") },
        /// Price of the box.
        price: PRICE,
        /// Power of the box.
        power: POWER,
        /// Height of the box.
        units: Field::whole("Rack units", 1, 100).unit("U").hint("–"),
    }
}

form! {
    /// A kind of cable, as written.
    pub struct CableForm {
        /// Name, such as DAC.
        name: Field::new("Name", FieldKind::Text { max: MAX_NAME }),
        /// Max length.
        reach: Field { label: "Reach", ..LENGTH },
        /// Price of a cable, without ends that are sold apart.
        price: PRICE,
        /// Price of the transceiver at each end. Empty: the cable's price includes both ends.
        end_price: Field { label: "Price per end", ..PRICE },
        /// Power of each end.
        end_power: Field { label: "Power per end", ..POWER },
    }
}

impl MarketForm {
    /// Parses a TOML file.
    ///
    /// # Errors
    /// Every fault of the text. [`MarketForm::resolve`] checks the values.
    pub fn parse(text: &str) -> Result<MarketForm, Faults> {
        toml::parse(text, "market", |form: &MarketForm| {
            form.resolve().err().map_or_else(Vec::new, |faults| faults.0)
        })
    }

    /// The market on sale.
    ///
    /// # Errors
    /// Every value that is not accepted, at its path.
    pub fn resolve(&self) -> Result<Market, Faults> {
        let mut reader = Reader::default();
        // Every box is read before any is missed, so that every fault is listed.
        let boxes: Vec<_> =
            self.boxes.iter().enumerate().map(|(n, sold)| sold.resolve(&mut reader, n)).collect();
        let links: Vec<_> = self
            .links
            .iter()
            .enumerate()
            .map(|(n, cable)| Cable::read(&mut reader.form(cable, format!("link[{n}].")), ""))
            .collect();
        for (key, count) in [("box", self.boxes.len()), ("link", self.links.len())] {
            if count > toml::MAX_ENTRIES {
                reader.fault::<()>(key, count, format!("at most {}", toml::MAX_ENTRIES));
            }
        }
        let market = Market::read(&mut reader.form(self, ""), "");
        let (boxes, links) = (boxes.into_iter().flatten().collect(), links.into_iter().flatten().collect());
        reader.finish(market.map(|market| Market { boxes, links, ..market }))
    }

    /// The form that resolves to a market.
    pub fn of(market: &Market) -> MarketForm {
        MarketForm {
            boxes: market.boxes.iter().map(GoodsForm::of).collect(),
            links: market.links.iter().map(CableForm::of).collect(),
            ..<MarketForm as Described>::of(market)
        }
    }
}

impl GoodsForm {
    fn resolve(&self, reader: &mut Reader, number: usize) -> Option<Goods> {
        let mut fields = reader.form(self, format!("box[{number}]."));
        let goods = Goods::read(&mut fields, "");
        let is_zero = |key| !fields.is_given(key) || plain_digits(fields.typed(key)) == Some(0u32);
        if is_zero("ports") && is_zero("trunks") {
            return fields.fault("ports", "at least one port or trunk port");
        }
        goods
    }
}
