//! What is for sale: speeds, prices and sizes, and the constants of the model that go with them.
//!
//! A market is written as TOML, or typed into a form. Where the prices come from is part of it: those of the papers, those of a
//! spec, or assumptions of ours that are meant to be changed.

mod form;
mod presets;

pub use form::{GoodsForm, MarketForm};
pub use presets::{COMMON, Chosen, OWN, PRESETS, Preset, chosen, has_prices, own, preset, written};

use super::model::Model;
use crate::{
    fabric::{Limits, Speeds, SwitchParts},
    spec::Spec,
};

/// What is for sale.
#[derive(Clone, Debug, PartialEq)]
pub struct Market {
    /// What people call it.
    pub name: String,
    /// Speed of hosts' links, in Mb/s.
    pub speed: u32,
    /// Speed of trunks, in Mb/s: uplinks of trees, and links inside the domains of rails.
    pub trunk_speed: u32,
    /// Price of an NI.
    pub ni: Option<f64>,
    /// Price of an NI of the trunks' speed.
    pub trunk_ni: Option<f64>,
    /// Price of a cable.
    pub cable: Option<f64>,
    /// Price of a hub's port.
    pub hub_port: Option<f64>,
    /// Most ports of a hub; 0 where there are none for sale.
    pub hub_ports: u32,
    /// Price of a switch port, where no boxes are for sale.
    pub port: Option<f64>,
    /// Most ports of a switch.
    pub ports: u32,
    /// Price of a switch port of the trunks' speed, where no boxes are for sale.
    pub trunk_port: Option<f64>,
    /// Most ports of the trunks' speed on a switch.
    pub trunk_ports: u32,
    /// Hosts on a leaf switch of a tree.
    pub leaf: u32,
    /// Uplinks of such a leaf.
    pub uplinks: u32,
    /// Mb/s that a switch without trunks passes in all; none where it passes what all its ports send.
    pub backplane: Option<u32>,
    /// Switches by the box, each of a price of its own.
    pub boxes: Vec<Goods>,
    /// Latency and bandwidth.
    pub model: Model,
}

/// A box with one or more switches.
#[derive(Clone, Debug, PartialEq)]
pub struct Goods {
    /// Ports of each switch in it.
    pub ports: u32,
    /// Ports of the trunks' speed, besides.
    pub trunks: u32,
    /// Switches in it.
    pub switches: u32,
    /// Its price.
    pub price: Option<f64>,
}

impl Goods {
    /// Whether a switch in it has those ports; trunks that are as slow as other ports may be such.
    fn has(&self, switch: &SwitchParts, same_speed: bool) -> bool {
        let (ports, trunks) = (switch.ports, switch.trunks);
        match same_speed {
            true => u64::from(self.ports) + u64::from(self.trunks) >= u64::from(ports) + u64::from(trunks),
            false => self.ports >= ports && self.trunks >= trunks,
        }
    }
}

impl Market {
    /// Speeds of links.
    pub fn speeds(&self) -> Speeds {
        Speeds { hosts: self.speed, trunks: self.trunk_speed }
    }

    /// Most ports of the hosts' speed on one switch.
    fn widest(&self) -> u32 {
        match self.boxes.is_empty() {
            true => self.ports,
            false => self.boxes.iter().map(|sold| sold.ports).max().unwrap_or(0),
        }
    }

    /// Most ports of the trunks' speed on one switch.
    fn widest_trunks(&self) -> u32 {
        match self.boxes.is_empty() {
            true => self.trunk_ports,
            false if self.speed == self.trunk_speed => {
                self.boxes.iter().map(|sold| sold.ports + sold.trunks).max().unwrap_or(0)
            }
            false => self.boxes.iter().map(|sold| sold.trunks).max().unwrap_or(0),
        }
    }

    /// Limits of the hardware for networks to be fitted to.
    pub fn limits(&self) -> Limits {
        Limits {
            ports: self.widest(),
            trunk_ports: self.widest_trunks(),
            hub_ports: self.hub_ports,
            leaf: self.leaf,
            uplinks: self.uplinks,
        }
    }

    /// The box that costs least for each switch, of those that have its ports; without prices, the narrowest.
    pub fn cheapest_box(&self, switch: &SwitchParts) -> Option<usize> {
        let same_speed = self.speed == self.trunk_speed;
        let fits = self.boxes.iter().enumerate().filter(|(_, sold)| sold.has(switch, same_speed));
        let key = |sold: &Goods| {
            let each = sold.price.map_or(f64::INFINITY, |price| price / f64::from(sold.switches));
            (each, sold.ports + sold.trunks)
        };
        fits.min_by(|(_, a), (_, b)| key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal))
            .map(|(i, _)| i)
    }

    /// A market with the switches and prices of a spec; the speed of links and the model are those of `base`. Trees have uplinks
    /// of the hosts' speed, a quarter of the widest switch's ports.
    pub fn of_spec(spec: &Spec, base: &Market) -> Market {
        let boxes: Vec<Goods> = spec
            .switches
            .iter()
            .map(|model| Goods { ports: model.ports, trunks: 0, switches: 1, price: model.price })
            .collect();
        let widest = boxes.iter().map(|sold| sold.ports).max().unwrap_or(0);
        let uplinks = (widest / 4).max(1);
        Market {
            name: "The spec's own hardware".into(),
            speed: base.speed,
            trunk_speed: base.speed,
            ni: spec.ni_price,
            trunk_ni: spec.ni_price,
            cable: spec.cable_price,
            hub_port: None,
            hub_ports: 0,
            port: None,
            ports: widest,
            trunk_port: None,
            trunk_ports: widest,
            leaf: widest.saturating_sub(uplinks).max(1),
            uplinks,
            backplane: None,
            boxes,
            model: base.model,
        }
    }
}
