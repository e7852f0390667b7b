//! Minimal paths on meshes and tori of Ethernet switches by VLANs (Otsuka et al. 2005).
//!
//! Ethernet forwards along trees only. Every VLAN holds all hosts and a spanning tree of the links; a host chooses the VLAN, and
//! with it the path, per destination. [`Method::Dor`] gives the paths of dimension order (definitions 2.4, 2.6, 3.4 and 3.6).
//! [`Method::PartialDor`] gives minimal paths with about half as many VLANs (definitions 2.5, 2.7, 3.5 and 3.7): only some rows
//! along dimension 0 have their own VLANs, and a frame from another row first takes one step to such a row.
//!
//! The paper has equal sides; here sides may differ, and each N of its formulas is the side of that dimension. A side of two
//! switches has one link and no ring in a torus; trees that differ only in where they cut such a ring count once. `rows.rs`
//! explains partial DOR on tori with odd rings.

mod rows;
mod tree;

pub use tree::VlanTree;

use super::{
    Grid, RingChannel, Routing, RoutingFault,
    kind::{NetworkKind, RoutingEntry, RoutingResult},
};
use rows::Rows;
use std::{fmt, ops::Range};
use thiserror::Error;

/// Number of VLANs in IEEE 802.1Q.
pub const MAX_VLANS: u32 = 4094;

/// A set of VLANs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Every path in dimension order.
    Dor,
    /// About half as many VLANs; every path minimal, some of them not in dimension order.
    PartialDor,
}

impl Method {
    /// Both methods.
    pub const ALL: [Method; 2] = [Method::Dor, Method::PartialDor];

    /// `dor` or `partial-dor`.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    pub(super) const fn entry(self) -> RoutingEntry {
        match self {
            Method::Dor => RoutingEntry {
                name: "dor",
                label: "VLANs, dimension order (DOR)",
                explanation: "VLANs with the paths of dimension order; for meshes and tori of switches",
                searches: false,
                build: |kind, _| Method::Dor.routing(kind),
            },
            Method::PartialDor => RoutingEntry {
                name: "partial-dor",
                label: "VLANs, partial DOR",
                explanation: "minimal paths with about half as many VLANs; for meshes and tori of switches",
                searches: false,
                build: |kind, _| Method::PartialDor.routing(kind),
            },
        }
    }

    fn routing(self, kind: &dyn NetworkKind) -> RoutingResult {
        let other = || RoutingFault::Network("a mesh or torus of switches as the network, or minimal".into());
        let vlans = Vlans::new(kind.grid().ok_or_else(other)?, self, MAX_VLANS);
        let vlans =
            vlans.map_err(|fault| RoutingFault::Network(format!("another routing or network: {fault}")))?;
        Ok(Box::new(vlans))
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Reason why there is no such set of VLANs.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum VlanFault {
    /// Partial DOR on one dimension.
    #[error("partial-dor needs two or more dimensions, and {0} has one; use dor")]
    OneDimension(String),
    /// More VLANs than a switch has.
    #[error("{sides} by {method} needs {needed} VLANs; the limit is {most}; {instead}")]
    Many {
        /// The grid's sides.
        sides: String,
        /// The method.
        method: Method,
        /// VLANs needed.
        needed: u32,
        /// Max VLANs.
        most: u32,
        /// An alternative.
        instead: String,
    },
}

/// A set of VLANs for a grid, with the VLAN of each pair of switches.
#[derive(Clone, Debug)]
pub struct Vlans {
    grid: Grid,
    method: Method,
    rows: Rows,
    trees: Vec<VlanTree>,
}

impl Vlans {
    /// The set for a grid, with at most `most` VLANs.
    ///
    /// # Errors
    /// The method does not fit the grid, or the set takes more than `most` or [`MAX_VLANS`] VLANs.
    pub fn new(grid: &Grid, method: Method, most: u32) -> Result<Vlans, VlanFault> {
        let most = most.min(MAX_VLANS);
        let rows = Rows::of(grid, method)?;
        let needed = rows.vlans(grid);
        if needed > most {
            let (sides, instead) = (grid.sides().to_string(), instead(grid, most));
            return Err(VlanFault::Many { sides, method, needed, most, instead });
        }
        let mut trees = Vec::with_capacity(needed as usize);
        for row in rows.with_vlans() {
            trees.extend(middles(grid).map(|middle| VlanTree::along_row(grid, row, middle)));
        }
        if method == Method::PartialDor {
            trees.extend(middles(grid).map(|middle| VlanTree::along_column(grid, middle)));
        }
        Ok(Vlans { grid: grid.clone(), method, rows, trees })
    }

    /// Number of VLANs of a set, whatever switches hold. Errors: the method does not fit the grid.
    pub fn needed(grid: &Grid, method: Method) -> Result<u32, VlanFault> {
        Ok(Rows::of(grid, method)?.vlans(grid))
    }

    /// The grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The method.
    pub fn method(&self) -> Method {
        self.method
    }

    /// The trees, by VLAN from 0.
    pub fn trees(&self) -> &[VlanTree] {
        &self.trees
    }

    /// The VLAN of frames from one switch to another, from 0.
    pub fn choice(&self, from: u32, to: u32) -> u32 {
        let sides = self.grid.sides();
        let middle = select_ab(&self.grid, sides.coordinate(from, 0), sides.coordinate(to, 0));
        let row = self.grid.sides().sizes()[0];
        if let Some(vlan) = self.rows.first_vlan(from / row) {
            return vlan + middle;
        }
        let differs =
            |&dimension: &usize| sides.coordinate(from, dimension) != sides.coordinate(to, dimension);
        let next = (1..sides.dimensions()).find(differs).and_then(|dimension| {
            let (at, there) = (sides.coordinate(from, dimension), sides.coordinate(to, dimension));
            let (way, _) = self.grid.shorter(dimension, at, there);
            self.rows.first_vlan(self.grid.neighbour(from, dimension, way)? / row)
        });
        // Otherwise both are in one row, which the last VLANs hold whole.
        next.unwrap_or(self.trees.len() as u32 - middles(&self.grid).end) + middle
    }

    /// Appends the channels from one switch to another in the VLAN of the pair.
    pub fn between(&self, from: u32, to: u32, channels: &mut Vec<u32>) {
        let tree = &self.trees[self.choice(from, to) as usize];
        tree.path(&self.grid, from, to, channels);
    }
}

impl Routing for Vlans {
    fn choices(&self, _from: u32, _to: u32) -> u32 {
        1
    }

    fn path(&self, from: u32, to: u32, _choice: u32, channels: &mut Vec<u32>) {
        if from != to {
            channels.push(self.grid.channel_from_host(from));
            self.between(self.grid.switch_of(from), self.grid.switch_of(to), channels);
            channels.push(self.grid.channel_to_host(to));
        }
    }

    fn rings(&self) -> Vec<RingChannel> {
        if self.method == Method::Dor { self.grid.rings() } else { Vec::new() }
    }
}

/// The paper's a and b as 0 and 1, where rows along dimension 0 are rings; else 0 alone.
fn middles(grid: &Grid) -> Range<u32> {
    0..if grid.wraps(0) { 2 } else { 1 }
}

/// The paper's function select_ab: 0 or 1: the one of a and b in the middle of the line that contains the shorter way.
fn select_ab(grid: &Grid, from: u32, to: u32) -> u32 {
    if !grid.wraps(0) {
        return 0;
    }
    let side = grid.sides().sizes()[0];
    let goes_up = (to + side - from) % side <= (from + side - to) % side;
    u32::from(goes_up != (from < side / 2))
}

/// An alternative within that many VLANs.
fn instead(grid: &Grid, most: u32) -> String {
    let mut sizes = grid.sides().sizes().to_vec();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    let turned = Grid::new(grid.shape(), &sizes, grid.hosts_per_switch()).unwrap_or_else(|_| grid.clone());
    for grid in [grid, &turned] {
        for method in Method::ALL {
            if let Ok(needed) = Vlans::needed(grid, method)
                && needed <= most
            {
                return format!("{} by {method} needs {needed}", grid.sides());
            }
        }
    }
    let least = Method::ALL.iter().filter_map(|&method| Vlans::needed(&turned, method).ok()).min();
    format!("no set for these sides has fewer than {}", least.unwrap_or(u32::MAX))
}
