//! HyperX: switches in a grid, each connected to all others of its rows. One dimension is a full mesh of switches, two
//! dimensions are a flattened butterfly.

use super::{
    kind::{FitResult, KindEntry, Limits},
    parameters::{Numbers, Parameter, split},
    sides::Sides,
    switched::{SwitchGraph, SwitchedNetwork},
};
use crate::{spec::MAX_PORTS, text::count};

/// A full mesh in every dimension, with that many links per pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HyperX {
    sides: Sides,
    links: u32,
}

impl HyperX {
    pub(super) const ENTRY: KindEntry = KindEntry {
        name: HyperX::NAME,
        title: "HyperX",
        form: "hyperx:SIDES[,LINKS[,HOSTS PER SWITCH[,HOSTS]]]",
        example: "hyperx:8x8",
        explanation: "Switches connected to all others of their rows; one dimension is a full mesh of switches.",
        source: "Ahn et al. 2009",
        read: |text| {
            let (sides, rest) = Numbers::sides(text)?;
            let (links, rest) = split(rest, 1);
            let [links] = Numbers::read(links, [Parameter::new("links per pair", 1, MAX_PORTS).or(1)])?;
            Ok(Box::new(SwitchedNetwork::read(HyperX::new(&sides, links)?, rest)?))
        },
        fit: HyperX::fit,
    };

    fn new(sides: &[u32], links: u32) -> Result<HyperX, String> {
        let sides = Sides::new(sides).map_err(|fault| fault.to_string())?;
        let graph = HyperX { sides, links };
        let degree: u64 =
            graph.sides.sizes().iter().map(|&side| u64::from(side - 1) * u64::from(links)).sum();
        match degree < u64::from(MAX_PORTS) {
            true => Ok(graph),
            false => Err(format!("sides and links for switches of at most {MAX_PORTS} ports")),
        }
    }

    /// Grids of one to three equal dimensions, with sides that differ by at most 1.
    fn fit(hosts: u32, limits: &Limits) -> FitResult {
        let side = 2..=limits.ports.min(64);
        let graphs = side.flat_map(|side| {
            let less = side - 1;
            [vec![side], vec![side; 2], vec![side, less], vec![side; 3], vec![side, side, less]]
        });
        SwitchedNetwork::fit(hosts, limits.ports, graphs.filter_map(|sides| HyperX::new(&sides, 1).ok()))
    }
}

impl SwitchGraph for HyperX {
    const NAME: &'static str = "hyperx";

    fn text(&self, whole: bool) -> String {
        match self.links {
            1 if !whole => self.sides.to_string(),
            links => format!("{},{links}", self.sides),
        }
    }

    fn name(&self) -> String {
        let links = if self.links == 1 { String::new() } else { format!(", {} links per pair", self.links) };
        match self.sides.sizes() {
            [switches] => format!("full mesh of {}{links}", count((*switches).into(), "switch")),
            _ => format!("HyperX, {} switches{links}", self.sides),
        }
    }

    /// Hosts that send uniform traffic at full speed: a link of a row of s switches carries the share 1/s of a switch's.
    fn balanced(&self) -> u32 {
        let least = self.sides.sizes().iter().copied().min().unwrap_or(2);
        (least * self.links).max(1)
    }

    fn levels(&self) -> Vec<(u32, u32)> {
        let degree = self.sides.sizes().iter().map(|side| (side - 1) * self.links).sum();
        vec![(self.sides.places(), degree)]
    }

    fn between(&self) -> u64 {
        let (switches, degree) = self.levels()[0];
        u64::from(switches) * u64::from(degree) / 2
    }

    fn links(&self) -> Vec<[u32; 2]> {
        let mut links = Vec::with_capacity(self.between() as usize);
        let mut stride = 1;
        for &side in self.sides.sizes() {
            for from in 0..self.sides.places() {
                let at = from / stride % side;
                let higher = (at + 1..side).map(|to| [from, from + (to - at) * stride]);
                links.extend(higher.flat_map(|ends| (0..self.links).map(move |_| ends)));
            }
            stride *= side;
        }
        links
    }

    fn distance(&self, a: u32, b: u32) -> Option<u32> {
        let mut stride = 1;
        let differs = |side: &u32| {
            let differs = a / stride % side != b / stride % side;
            stride *= side;
            u32::from(differs)
        };
        Some(self.sides.sizes().iter().map(differs).sum())
    }

    fn diameter(&self) -> Option<u32> {
        Some(self.sides.dimensions() as u32)
    }
}
