//! Meshes and tori of switches as kinds of networks.

use super::{
    DimensionOrder, Fabric, Grid, GridShape, Routing,
    fit::{cubest, near, squarest},
    kind::{Cut, FitResult, Hops, KindEntry, Limits, NetworkKind, Parts, Speeds, SwitchParts},
    parameters::{Numbers, Parameter},
};
use crate::{spec::MAX_PES, text::count};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SwitchGrid(Grid);

impl SwitchGrid {
    pub(super) const MESH: KindEntry = KindEntry {
        name: "mesh",
        title: "Mesh of switches",
        form: "mesh:SIDES[,HOSTS PER SWITCH]",
        example: "mesh:8x8",
        explanation: "Switches connected to their neighbours, with hosts on each.",
        source: "Otsuka et al. 2005, definition 2.1",
        read: |text| SwitchGrid::read(GridShape::Mesh, text),
        fit: |hosts, limits| SwitchGrid::fit(GridShape::Mesh, hosts, limits),
    };
    pub(super) const TORUS: KindEntry = KindEntry {
        name: "torus",
        title: "Torus of switches",
        form: "torus:SIDES[,HOSTS PER SWITCH]",
        example: "torus:8x8",
        explanation: "Switches connected to their neighbours in rings, with hosts on each.",
        source: "Otsuka et al. 2005, definition 3.1",
        read: |text| SwitchGrid::read(GridShape::Torus, text),
        fit: |hosts, limits| SwitchGrid::fit(GridShape::Torus, hosts, limits),
    };

    fn read(shape: GridShape, text: &str) -> Result<Box<dyn NetworkKind>, String> {
        let (sides, rest) = Numbers::sides(text)?;
        let [hosts] = Numbers::read(rest, [Parameter::new("hosts per switch", 1, MAX_PES).or(1)])?;
        let grid = Grid::new(shape, &sides, hosts).map_err(|fault| fault.to_string())?;
        Ok(Box::new(SwitchGrid(grid)))
    }

    /// Two dimensions of at least four switches, and for a torus also three, with as many hosts per switch as fit beside the links.
    fn fit(shape: GridShape, hosts: u32, limits: &Limits) -> FitResult {
        let network = |hosts: u32, dimensions: u32| {
            let max = limits.ports.saturating_sub(2 * dimensions).min(hosts / (1 << dimensions));
            let mut each = (1..=max).rev().filter(|&each| hosts.is_multiple_of(each));
            each.find_map(|each| {
                let sides = match dimensions {
                    2 => squarest(hosts / each)?.to_vec(),
                    _ => cubest(hosts / each)?.to_vec(),
                };
                let even = sides[0] <= 4 * sides[sides.len() - 1];
                Some(SwitchGrid(Grid::new(shape, &sides, each).ok().filter(|_| even)?))
            })
        };
        let flat = near(hosts, MAX_PES.into(), |hosts| network(hosts, 2));
        let solid =
            Some(3).filter(|_| shape == GridShape::Torus).and_then(|dimensions| network(hosts, dimensions));
        match (flat, solid) {
            (flat, None) => flat,
            (flat, Some(solid)) => {
                let mut both = flat.unwrap_or_default();
                both.push(Box::new(solid));
                Ok(both)
            }
        }
    }
}

impl NetworkKind for SwitchGrid {
    fn text(&self) -> String {
        let name = if self.0.shape() == GridShape::Mesh { "mesh" } else { "torus" };
        match self.0.hosts_per_switch() {
            1 => format!("{name}:{}", self.0.sides()),
            hosts => format!("{name}:{},{hosts}", self.0.sides()),
        }
    }

    fn name(&self) -> String {
        let name = if self.0.shape() == GridShape::Mesh { "mesh" } else { "torus" };
        let (sides, hosts) = (self.0.sides(), self.0.hosts_per_switch());
        format!("{}D {name}, {sides} switches, {} each", sides.dimensions(), count(hosts.into(), "host"))
    }

    fn parts(&self) -> Parts {
        let hosts = self.0.hosts();
        let count = self.0.switches();
        let switches = SwitchParts { count, ports: self.0.most_links(), trunks: 0, hub: false };
        let nis = u64::from(hosts);
        let between: u64 = (0..self.0.sides().dimensions()).map(|d| u64::from(self.0.links_along(d))).sum();
        Parts { hosts, nis, trunk_nis: 0, switches: vec![switches], cables: nis + between, between }
    }

    fn fabric(&self, speeds: Speeds) -> Fabric {
        self.0.fabric(speeds.hosts)
    }

    fn routing(&self) -> Option<Box<dyn Routing>> {
        Some(Box::new(DimensionOrder::new(self.0.clone())))
    }

    fn grid(&self) -> Option<&Grid> {
        Some(&self.0)
    }

    fn hops(&self, from: u32, to: u32) -> Option<Hops> {
        let switches = self.0.distance(self.0.switch_of(from), self.0.switch_of(to)) + 1;
        Some(Hops::new(0, switches))
    }

    fn extremes(&self) -> Option<[Hops; 2]> {
        let along = |(d, side): (usize, &u32)| if self.0.wraps(d) { side / 2 } else { side - 1 };
        let farthest: u32 = self.0.sides().sizes().iter().enumerate().map(along).sum();
        let nearest = if self.0.hosts_per_switch() > 1 { 1 } else { 2 };
        Some([Hops::new(0, nearest), Hops::new(0, farthest + 1)])
    }

    fn cut(&self, speeds: Speeds) -> Option<Cut> {
        let (least, links) = self.0.cut();
        let (hosts, each) = (u64::from(self.0.hosts()), u64::from(self.0.hosts_per_switch()));
        // With an odd number of switches, the middle one's own links cut off half of its hosts.
        let links = links + if self.0.switches().is_multiple_of(2) { 0 } else { each / 2 };
        // Frames between halves also pass their hosts' own links, each for at most all hosts of the other half.
        Some(Cut::between(least.min(hosts / 2), links.min(hosts / 2), speeds.hosts))
    }
}
