//! Markets: speeds, prices and sizes of available hardware, and the constants of the performance model.
//!
//! A market is TOML text or a form. It names the source of its prices: a paper, a spec, or assumptions to replace.

mod form;
mod presets;

pub use form::{CableForm, GoodsForm, MarketForm};
pub use presets::{MarketChoice, OWN, PRESETS, Preset, chosen, default_key, own, preset, written};

use crate::{
    fabric::{Hops, Limits, Speeds, SwitchParts},
    form::record,
    spec::Spec,
};
use serde::{Deserialize, Serialize};

record! {
    /// Available hardware with its prices.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Market {
        /// Name.
        pub name: String,
        /// Currency of the prices; empty if it is not given.
        pub currency: String,
        /// Speed of hosts' links, in Mb/s.
        pub speed: u32,
        /// Speed of trunks, in Mb/s: uplinks of trees, and links inside the domains of rails.
        pub trunk_speed: u32,
        /// Price per NIC.
        pub ni as "nic": Option<f64>,
        /// Price per NIC of the trunks' speed.
        pub trunk_ni as "trunk_nic": Option<f64>,
        /// Power of a NIC, in W.
        pub ni_power as "nic_power": Option<f64>,
        /// Price per cable, without kinds of cable.
        pub cable: Option<f64>,
        /// Kinds of cable; if there are any, each link has the cheapest that is long enough.
        pub links: Vec<Cable> = Vec::new(),
        /// Length of cables to hosts, in m.
        pub host_length: f64,
        /// Length of cables between switches, in m.
        pub switch_length: f64,
        /// Price per hub port.
        pub hub_port: Option<f64>,
        /// Max ports per hub; 0 without hubs.
        pub hub_ports: u32,
        /// Price per switch port, without boxes.
        pub port: Option<f64>,
        /// Max ports per switch, without boxes.
        pub ports: u32,
        /// Price per switch port of the trunks' speed, without boxes.
        pub trunk_port: Option<f64>,
        /// Max ports of the trunks' speed per switch, without boxes.
        pub trunk_ports: u32,
        /// Hosts per leaf switch of a tree.
        pub leaf: u32,
        /// Uplinks per leaf switch of a tree.
        pub uplinks: u32,
        /// Max Mb/s in all through a switch without trunks; `None` without a limit.
        pub backplane: Option<u32>,
        /// Switches sold as boxes.
        pub boxes: Vec<Goods> = Vec::new(),
        /// Latency and bandwidth model.
        pub model: Model,
    }
}

record! {
    /// A box with one or more switches.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Goods {
        /// Ports per switch.
        pub ports: u32,
        /// Additional ports of the trunks' speed per switch.
        pub trunks: u32,
        /// Switches per box.
        pub switches: u32,
        /// Price per box.
        pub price: Option<f64>,
        /// Power of the box, in W.
        pub power: Option<f64>,
        /// Height of the box, in rack units.
        pub units: Option<u32>,
    }
}

record! {
    /// A kind of cable: copper, active copper, or optics with fibre.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Cable {
        /// Name.
        pub name: String,
        /// Max length in m.
        pub reach: f64,
        /// Price of a cable, without transceivers that have an `end_price`.
        pub price: Option<f64>,
        /// Price of the transceiver at each end; `None` if the price of the cable includes both ends.
        pub end_price: Option<f64>,
        /// Power of each end, in W.
        pub end_power: Option<f64>,
    }
}

impl Cable {
    /// Price with both ends.
    pub fn whole(&self) -> Option<f64> {
        Some(self.price? + 2.0 * self.end_price.unwrap_or(0.0))
    }
}

impl Goods {
    /// `true` if a switch of the box has those ports; trunks of the hosts' speed serve as ports.
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

    /// Ports of the switches for sale, trunks of the hosts' speed included. Without boxes, powers of two and the widest.
    pub fn widths(&self) -> Vec<u32> {
        let trunks = |sold: &Goods| if self.speed == self.trunk_speed { sold.trunks } else { 0 };
        match self.boxes.is_empty() {
            true => (2..)
                .map(|power| 1 << power)
                .take_while(|&width| width < self.ports)
                .chain([self.ports])
                .collect(),
            false => self.boxes.iter().map(|sold| sold.ports + trunks(sold)).collect(),
        }
    }

    /// Max ports of the hosts' speed per switch.
    fn widest(&self) -> u32 {
        match self.boxes.is_empty() {
            true => self.ports,
            false => self.boxes.iter().map(|sold| sold.ports).max().unwrap_or(0),
        }
    }

    /// Max ports of the trunks' speed per switch.
    fn widest_trunks(&self) -> u32 {
        match self.boxes.is_empty() {
            true => self.trunk_ports,
            false if self.speed == self.trunk_speed => {
                self.boxes.iter().map(|sold| sold.ports + sold.trunks).max().unwrap_or(0)
            }
            false => self.boxes.iter().map(|sold| sold.trunks).max().unwrap_or(0),
        }
    }

    /// Limits for fitting networks to hosts with that many NICs.
    pub fn limits(&self, nics: u32) -> Limits {
        Limits {
            ports: self.widest(),
            trunk_ports: self.widest_trunks(),
            hub_ports: self.hub_ports,
            leaf: self.leaf,
            uplinks: self.uplinks,
            nics,
        }
    }

    /// The cheapest kind of cable of that length, in m; without prices, the one with the shortest reach.
    pub fn cable_for(&self, length: f64) -> Option<&Cable> {
        let key = |cable: &Cable| (cable.whole().unwrap_or(f64::INFINITY), cable.reach);
        let long = self.links.iter().filter(|cable| cable.reach >= length);
        long.min_by(|a, b| key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal))
    }

    /// The cheapest box per switch with those ports; without prices, the narrowest.
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

    /// A market with the switches and prices of a spec, and the link speed and model of `base`. Trees have uplinks of the hosts'
    /// speed: a quarter of the widest switch's ports.
    pub fn of_spec(spec: &Spec, base: &Market) -> Market {
        let boxes: Vec<Goods> = spec
            .switches
            .iter()
            .filter(|model| !spec.is_cable(model))
            .map(|model| Goods {
                ports: model.ports,
                trunks: 0,
                switches: 1,
                price: model.price,
                power: None,
                units: None,
            })
            .collect();
        let widest = boxes.iter().map(|sold| sold.ports).max().unwrap_or(0);
        let uplinks = (widest / 4).max(1);
        Market {
            name: format!("The spec's own hardware; speeds and latencies of {}", base.name),
            currency: String::new(),
            speed: base.speed,
            trunk_speed: base.speed,
            ni: spec.ni_price,
            trunk_ni: spec.ni_price,
            ni_power: None,
            cable: spec.cable_price,
            links: Vec::new(),
            host_length: base.host_length,
            switch_length: base.switch_length,
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

record! {
    /// Constants of the latency and bandwidth model (Nitzberg et al. 1999, sections 3 and 4): switches and forwarding hosts add
    /// latency and reduce bandwidth.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
    pub struct Model {
        /// Latency between two directly connected hosts, in microseconds.
        pub latency: f64,
        /// Bandwidth between two directly connected hosts, in MB/s.
        pub bandwidth: f64,
        /// Added latency per switch, in microseconds.
        pub switch_latency: f64,
        /// Lost bandwidth per switch, in MB/s.
        pub switch_bandwidth: f64,
        /// Added latency per forwarding host, in microseconds.
        pub host_latency: f64,
        /// Lost bandwidth per forwarding host, in MB/s.
        pub host_bandwidth: f64,
    }
}

/// Latency and bandwidth of a message between two hosts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Performance {
    /// Latency in microseconds.
    pub latency: f64,
    /// Bandwidth in MB/s, at least 0.
    pub bandwidth: f64,
}

impl Model {
    /// Latency and bandwidth over that number of hosts and switches.
    pub fn performance(&self, hops: Hops) -> Performance {
        let (hosts, switches) = (f64::from(hops.hosts), f64::from(hops.switches));
        let bandwidth = self.bandwidth - switches * self.switch_bandwidth - hosts * self.host_bandwidth;
        Performance {
            latency: self.latency + switches * self.switch_latency + hosts * self.host_latency,
            bandwidth: bandwidth.max(0.0),
        }
    }
}
