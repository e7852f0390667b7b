//! The P-Mesh (Nitzberg et al. 1999, section 4): hosts in a grid of any dimensions and sides, with a switch per row in place of
//! the row of cables of a torus. Hosts forward traffic along more than one dimension.
//!
//! A switch may cover several rows of its dimension, which takes fewer and larger switches. Rows remain separate networks, as
//! their addresses are (figure 4: two boxes stand for eight switches). Rows of a dimension are numbered like places of the
//! grid without that dimension, and a switch covers consecutive rows. Switches of dimension 0 come first. Link `host * d + k`
//! is the host's in dimension k, its NI k.

mod addresses;
mod around;
mod cut;
mod kind;

pub use addresses::{Addressing, Entry, Net};
pub use around::{Detour, PMeshDetours};

use super::{Fabric, Link, Routing, Sides, SidesFault, Switch, SwitchKind};
use thiserror::Error;

/// A P-Mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PMesh {
    sides: Sides,
    covers: Vec<u32>,
    first_switches: Vec<u32>,
}

/// Reason why numbers are no P-Mesh.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PMeshFault {
    /// Invalid sides.
    #[error(transparent)]
    Sides(#[from] SidesFault),
    /// Rows per switch for another number of dimensions.
    #[error("one number of rows per switch, or one for each of the {dimensions} dimensions, not {given}")]
    Dimensions {
        /// Numbers given.
        given: usize,
        /// Dimensions of the grid.
        dimensions: usize,
    },
    /// A switch for no rows, or for more than there are.
    #[error("1 to {most} rows per switch in dimension {dimension}, not {rows}")]
    Rows {
        /// The dimension.
        dimension: usize,
        /// Rows per switch given.
        rows: u32,
        /// Rows of that dimension.
        most: u32,
    },
}

impl PMesh {
    /// A P-Mesh with those sides and rows per switch: one number for all dimensions, or one each.
    ///
    /// # Errors
    /// Invalid sides, or a switch without rows or with more than there are.
    pub fn new(sides: &[u32], covers: &[u32]) -> Result<PMesh, PMeshFault> {
        let sides = Sides::new(sides)?;
        let dimensions = sides.dimensions();
        let covers = match covers {
            [all] => vec![*all; dimensions],
            each if each.len() == dimensions => each.to_vec(),
            other => return Err(PMeshFault::Dimensions { given: other.len(), dimensions }),
        };
        let mut mesh = PMesh { sides, covers, first_switches: Vec::with_capacity(dimensions) };
        let mut next = 0;
        for dimension in 0..dimensions {
            let (rows, most) = (mesh.covers[dimension], mesh.rows(dimension));
            if !(1..=most).contains(&rows) {
                return Err(PMeshFault::Rows { dimension, rows, most });
            }
            mesh.first_switches.push(next);
            next += mesh.switches_along(dimension);
        }
        Ok(mesh)
    }

    /// Sides of the grid.
    pub fn sides(&self) -> &Sides {
        &self.sides
    }

    /// Rows per switch, by dimension.
    pub fn covers(&self) -> &[u32] {
        &self.covers
    }

    /// Number of dimensions, and of NICs per host.
    pub fn dimensions(&self) -> u32 {
        self.sides.dimensions() as u32
    }

    /// Number of hosts.
    pub fn hosts(&self) -> u32 {
        self.sides.places()
    }

    /// Rows of a dimension.
    pub fn rows(&self, dimension: usize) -> u32 {
        self.hosts() / self.sides.sizes()[dimension]
    }

    /// The host's row of a dimension, from 0.
    fn row_of(&self, host: u32, dimension: usize) -> u32 {
        let (stride, side) = (self.sides.stride(dimension), self.sides.sizes()[dimension]);
        host / (stride * side) * stride + host % stride
    }

    /// Switches of a dimension.
    pub fn switches_along(&self, dimension: usize) -> u32 {
        self.rows(dimension).div_ceil(self.covers[dimension])
    }

    /// Ports needed per switch of a dimension.
    pub fn ports_along(&self, dimension: usize) -> u32 {
        self.covers[dimension] * self.sides.sizes()[dimension]
    }

    /// Number of switches.
    pub fn switches(&self) -> u32 {
        (0..self.sides.dimensions()).map(|dimension| self.switches_along(dimension)).sum()
    }

    /// The switch of a host's NIC of a dimension.
    pub fn switch_of(&self, host: u32, dimension: usize) -> u32 {
        self.first_switches[dimension] + self.row_of(host, dimension) / self.covers[dimension]
    }

    /// The port, from 1, of a host's NIC of a dimension: rows one after the other, each in order.
    pub fn port_of(&self, host: u32, dimension: usize) -> u32 {
        let side = self.sides.sizes()[dimension];
        self.row_of(host, dimension) % self.covers[dimension] * side
            + self.sides.coordinate(host, dimension)
            + 1
    }

    /// `true` if two hosts share a row of a dimension.
    pub fn is_in_row(&self, a: u32, b: u32, dimension: usize) -> bool {
        self.sides.moved(a, dimension, 0) == self.sides.moved(b, dimension, 0)
    }

    /// The graph, with links of `speed` Mb/s.
    pub fn fabric(&self, speed: u32) -> Fabric {
        let (hosts, dimensions) = (self.hosts(), self.sides.dimensions());
        let own = |host| (0..dimensions).map(move |dimension| (host, dimension));
        let link = |(host, dimension)| Link { ends: [host, hosts + self.switch_of(host, dimension)], speed };
        let switches = (0..dimensions).flat_map(|dimension| {
            let switch = Switch { ports: self.ports_along(dimension), kind: SwitchKind::Switch };
            std::iter::repeat_n(switch, self.switches_along(dimension) as usize)
        });
        Fabric { hosts, switches: switches.collect(), links: (0..hosts).flat_map(own).map(link).collect() }
    }

    /// The hosts between two hosts in dimension order and the last one, each with the dimension it is reached along.
    pub fn steps(&self, from: u32, to: u32) -> impl Iterator<Item = (usize, u32)> {
        self.way(from, to, self.sides.dimensions() - 1)
    }

    /// The hosts on the way to another's address in a dimension, which comes last, each with the dimension it is reached along.
    pub fn way(&self, from: u32, to: u32, last: usize) -> impl Iterator<Item = (usize, u32)> {
        let mut at = from;
        let others = (0..self.sides.dimensions()).filter(move |&dimension| dimension != last);
        others.chain([last]).filter_map(move |dimension| {
            let next = self.sides.moved(at, dimension, self.sides.coordinate(to, dimension));
            let step = (next != at).then_some((dimension, next));
            at = next;
            step
        })
    }
}

/// Dimension order: along dimension 0 first, and so on.
impl Routing for PMesh {
    fn choices(&self, _from: u32, _to: u32) -> u32 {
        1
    }

    fn path(&self, from: u32, to: u32, _choice: u32, channels: &mut Vec<u32>) {
        let mut at = from;
        for (dimension, next) in self.steps(from, to) {
            let link = |host| host * self.dimensions() + dimension as u32;
            channels.extend([2 * link(at), 2 * link(next) + 1]);
            at = next;
        }
    }
}
