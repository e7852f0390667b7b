//! A VLAN's spanning tree of a grid.
//!
//! It consists of lines along rows of switches: one line along the first dimension, from every switch on it a line along the
//! second, from every switch reached so far a line along the third, and so on. All lines of a dimension have the same middle,
//! the tree's coordinate there: a line along a ring leaves out the link opposite its middle (definitions 2.3 and 3.3, and
//! sections 2.4 and 3.4).

use crate::fabric::{Grid, Way};
use std::fmt;

/// A tree: the paper's VL(…).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VlanTree {
    /// The middle of all lines in each dimension.
    middle: Vec<u32>,
    /// `true` if lines come in the order of dimensions (A), not in reverse (B).
    ascending: bool,
    /// `true` for each dimension whose rows are rings.
    rings: Vec<bool>,
}

impl VlanTree {
    /// VL(-:x0, x1, … | A): one line along dimension 0 in that row, and lines along all other dimensions off it. `which` is 0
    /// for the paper's a, 1 for b.
    pub(super) fn along_row(grid: &Grid, row: u32, which: u32) -> VlanTree {
        let mut middle = grid.sides().coordinates(row * grid.sides().sizes()[0]);
        middle[0] = middle_of(grid, 0, which);
        VlanTree::new(grid, middle, true)
    }

    /// VL(x0, …, -:x | B): all lines along dimension 0. The line that connects them is never used; it is in the middle here too.
    pub(super) fn along_column(grid: &Grid, which: u32) -> VlanTree {
        let dimensions = 0..grid.sides().dimensions();
        VlanTree::new(grid, dimensions.map(|dimension| middle_of(grid, dimension, which)).collect(), false)
    }

    fn new(grid: &Grid, middle: Vec<u32>, ascending: bool) -> VlanTree {
        let rings = (0..middle.len()).map(|dimension| grid.wraps(dimension)).collect();
        VlanTree { middle, ascending, rings }
    }

    /// Returns the tree's links in the grid's order, without the links of hosts, which are in every VLAN.
    pub fn links(&self, grid: &Grid) -> Vec<u32> {
        let mut links = Vec::new();
        for dimension in 0..self.middle.len() {
            let ups = (0..grid.switches()).filter(|&switch| self.leads_up(grid, switch, dimension));
            links.extend(ups.filter_map(|switch| Some(grid.channel(switch, dimension, Way::Up)? / 2)));
        }
        links
    }

    /// `true` if the link from a switch up along a dimension is in the tree.
    fn leads_up(&self, grid: &Grid, switch: u32, dimension: usize) -> bool {
        let sides = grid.sides();
        let at = |other: usize| sides.coordinate(switch, other);
        let later = |&other: &usize| if self.ascending { other > dimension } else { other < dimension };
        let is_on_line = (0..self.middle.len()).filter(later).all(|other| at(other) == self.middle[other]);
        is_on_line && !(self.rings[dimension] && at(dimension) == self.last(grid, dimension))
    }

    fn last(&self, grid: &Grid, dimension: usize) -> u32 {
        let side = grid.sides().sizes()[dimension];
        (self.middle[dimension] + side / 2) % side
    }

    /// Appends the channels of the only path in the tree from one switch to another.
    pub fn path(&self, grid: &Grid, from: u32, to: u32, channels: &mut Vec<u32>) {
        let sides = grid.sides();
        let order = |place: usize| if self.ascending { place } else { self.middle.len() - 1 - place };
        // The path must go along the last dimension in which both differ. On the way there and back every later one is at its
        // middle unless it is the only one.
        let (mut at, mut level) = (from, self.middle.len());
        while level > 0 {
            let dimension = order(level - 1);
            let earlier_differ = (0..level - 1)
                .any(|place| sides.coordinate(at, order(place)) != sides.coordinate(to, order(place)));
            level -= 1;
            if !earlier_differ {
                at = self.along(grid, at, dimension, sides.coordinate(to, dimension), channels);
                break;
            }
            at = self.along(grid, at, dimension, self.middle[dimension], channels);
        }
        for place in level + 1..self.middle.len() {
            let dimension = order(place);
            at = self.along(grid, at, dimension, sides.coordinate(to, dimension), channels);
        }
    }

    /// Appends the way along a line to a coordinate and returns the switch there.
    fn along(&self, grid: &Grid, from: u32, dimension: usize, to: u32, channels: &mut Vec<u32>) -> u32 {
        let sides = grid.sides();
        let side = sides.sizes()[dimension];
        // Places on the line, counted from its lower end.
        let end = if self.rings[dimension] { self.last(grid, dimension) + 1 } else { 0 };
        let place = |coordinate: u32| (coordinate + side - end) % side;
        let (start, goal) = (place(sides.coordinate(from, dimension)), place(to));
        let way = if goal > start { Way::Up } else { Way::Down };
        let mut at = from;
        for _ in 0..goal.abs_diff(start) {
            channels.extend(grid.channel(at, dimension, way));
            at = grid.neighbour(at, dimension, way).unwrap_or(at);
        }
        at
    }
}

/// The paper's a (0) or b (1) in a dimension: (N - 1) / 2 or N - 1.
fn middle_of(grid: &Grid, dimension: usize, which: u32) -> u32 {
    let last = grid.sides().sizes()[dimension] - 1;
    if which == 0 { last / 2 } else { last }
}

/// In the paper's notation: `VL(-,1)`, `VL(-:3,0)`, `VL(1,-:1)`; with the order of dimensions if there are more than two.
impl fmt::Display for VlanTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = if self.ascending { 0 } else { self.middle.len() - 1 };
        f.write_str("VL(")?;
        for (dimension, middle) in self.middle.iter().enumerate() {
            f.write_str(if dimension == 0 { "" } else { "," })?;
            match (dimension == first, self.rings[dimension]) {
                (true, true) => write!(f, "-:{middle}")?,
                (true, false) => f.write_str("-")?,
                (false, _) => write!(f, "{middle}")?,
            }
        }
        if self.middle.len() > 2 {
            write!(f, "|{}", if self.ascending { 'A' } else { 'B' })?;
        }
        f.write_str(")")
    }
}
