//! A market as written: every field is the text that was typed, empty if it is not given.

use super::{Goods, Market};
use crate::{
    compare::model::Model,
    form::{Faults, Field, FormReader, Kind, Reader, form, toml},
    spec::{MAX_NAME, MAX_PORTS},
};

const PRICE: Field = Field::number("Price", 0.0, 1e9).hint("–");
const SPEED: Field = Field::whole("Speed", 1, 10_000_000).unit("Mb/s");
const PORTS: Field = Field::whole("Ports", 0, MAX_PORTS as u64).or("0");
const SOME: Field = Field::whole("Number", 1, MAX_PORTS as u64);
const LATENCY: Field = Field::number("Latency", 0.0, 1e9).unit("µs");
const BANDWIDTH: Field = Field::number("Bandwidth", 0.0, 1e9).unit("MB/s");

// Defaults of the model are those measured on the Whitney prototype: Pentium Pro nodes, Fast Ethernet, Bay 350F-HD switches
// (P-Mesh paper, section 3).
form! {
    /// A market as written.
    pub struct MarketForm {
        /// Name of the market.
        name: Field::new("Name", Kind::Text { max: MAX_NAME }),
        /// Speed of a host's links.
        speed: Field { label: "Host link speed", ..SPEED.or("1000") },
        /// Speed of trunks: uplinks of trees, and links inside the domains of rails.
        trunk_speed: Field { label: "Trunk speed", ..SPEED.or("1000") },
        /// Price of a NIC.
        ni: Field { label: "NIC price", ..PRICE },
        /// Price of a NIC of trunk speed.
        trunk_ni: Field { label: "Trunk NIC price", ..PRICE },
        /// Price of a cable.
        cable: Field { label: "Cable price", ..PRICE },
        /// Price of a hub port.
        hub_port: Field { label: "Hub port price", ..PRICE },
        /// Max ports of a hub. 0: no hubs for sale.
        hub_ports: Field { label: "Max hub ports", ..PORTS },
        /// Price of a switch port, if there are no boxes for sale.
        port: Field { label: "Switch port price", ..PRICE },
        /// Max ports of a switch, if there are no boxes for sale.
        ports: Field { label: "Max switch ports", ..PORTS },
        /// Price of a switch port of trunk speed, if there are no boxes for sale.
        trunk_port: Field { label: "Trunk port price", ..PRICE },
        /// Max trunk ports of a switch, if there are no boxes for sale.
        trunk_ports: Field { label: "Max trunk ports", ..PORTS },
        /// Hosts on each leaf switch of a tree.
        leaf: Field { label: "Hosts per leaf switch", ..SOME.or("24") },
        /// Uplinks of each leaf switch of a tree.
        uplinks: Field { label: "Uplinks per leaf switch", ..SOME.or("2") },
        /// Traffic that a switch without trunks passes in all. Empty: the sum of its ports.
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
        if self.boxes.len() > toml::MAX_ENTRIES {
            let expected = format!("at most {} boxes", toml::MAX_ENTRIES);
            reader.fault::<()>("box", self.boxes.len(), expected);
        }
        let market = self.read(&mut reader.form(self, ""), boxes.into_iter().collect());
        reader.finish(market)
    }

    fn read(&self, fields: &mut FormReader, boxes: Option<Vec<Goods>>) -> Option<Market> {
        let (name, speed, trunk_speed) =
            (fields.text("name"), fields.whole("speed"), fields.whole("trunk_speed"));
        let [ni, trunk_ni, cable, hub_port, port, trunk_port] =
            ["ni", "trunk_ni", "cable", "hub_port", "port", "trunk_port"]
                .map(|key| fields.given(key, FormReader::number));
        let [hub_ports, ports, trunk_ports, leaf, uplinks] =
            ["hub_ports", "ports", "trunk_ports", "leaf", "uplinks"].map(|key| fields.whole(key));
        let backplane = fields.given("backplane", FormReader::whole);
        let [latency, bandwidth, switch_latency, switch_bandwidth, host_latency, host_bandwidth] =
            ["latency", "bandwidth", "switch_latency", "switch_bandwidth", "host_latency", "host_bandwidth"]
                .map(|key| fields.number(key));
        Some(Market {
            name: name?,
            speed: speed?,
            trunk_speed: trunk_speed?,
            ni: ni?,
            trunk_ni: trunk_ni?,
            cable: cable?,
            hub_port: hub_port?,
            hub_ports: hub_ports?,
            port: port?,
            ports: ports?,
            trunk_port: trunk_port?,
            trunk_ports: trunk_ports?,
            leaf: leaf?,
            uplinks: uplinks?,
            backplane: backplane?,
            boxes: boxes?,
            model: Model {
                latency: latency?,
                bandwidth: bandwidth?,
                switch_latency: switch_latency?,
                switch_bandwidth: switch_bandwidth?,
                host_latency: host_latency?,
                host_bandwidth: host_bandwidth?,
            },
        })
    }

    /// The form that resolves to a market.
    pub fn of(market: &Market) -> MarketForm {
        let Market { model, .. } = market;
        MarketForm {
            name: market.name.clone(),
            speed: market.speed.to_string(),
            trunk_speed: market.trunk_speed.to_string(),
            ni: given(market.ni),
            trunk_ni: given(market.trunk_ni),
            cable: given(market.cable),
            hub_port: given(market.hub_port),
            hub_ports: market.hub_ports.to_string(),
            port: given(market.port),
            ports: market.ports.to_string(),
            trunk_port: given(market.trunk_port),
            trunk_ports: market.trunk_ports.to_string(),
            leaf: market.leaf.to_string(),
            uplinks: market.uplinks.to_string(),
            backplane: given(market.backplane),
            latency: model.latency.to_string(),
            bandwidth: model.bandwidth.to_string(),
            switch_latency: model.switch_latency.to_string(),
            switch_bandwidth: model.switch_bandwidth.to_string(),
            host_latency: model.host_latency.to_string(),
            host_bandwidth: model.host_bandwidth.to_string(),
            boxes: market.boxes.iter().map(GoodsForm::of).collect(),
        }
    }
}

impl GoodsForm {
    fn resolve(&self, reader: &mut Reader, number: usize) -> Option<Goods> {
        let mut fields = reader.form(self, format!("box[{number}]."));
        let (ports, trunks, switches) =
            (fields.whole("ports"), fields.whole("trunks"), fields.whole("switches"));
        let price = fields.given("price", FormReader::number);
        if (ports, trunks) == (Some(0), Some(0)) {
            return fields.fault("ports", "at least one port or trunk port");
        }
        Some(Goods { ports: ports?, trunks: trunks?, switches: switches?, price: price? })
    }

    fn of(sold: &Goods) -> GoodsForm {
        GoodsForm {
            ports: sold.ports.to_string(),
            trunks: sold.trunks.to_string(),
            switches: sold.switches.to_string(),
            price: given(sold.price),
        }
    }
}

/// The text of an optional value.
fn given(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}
