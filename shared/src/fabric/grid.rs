//! Meshes and tori of switches, of any dimensions and sides, with hosts on every switch (VLAN paper, definitions 2.1 and 3.1).
//!
//! Hosts of switch `s` are `s * h` to `s * h + h - 1`. Links stand in this order: first every host's own, by host; then those
//! between switches by dimension, and in a dimension by the switch that they lead up from. The link that closes a ring of a
//! torus leads up from the last switch to the first. Two switches in a row have one link in a torus too.

use super::{Fabric, Link, Sides, SidesFault, Switch, SwitchKind};
use thiserror::Error;

/// A mesh or torus of switches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    sides: Sides,
    shape: GridShape,
    hosts_per_switch: u32,
    /// Of each dimension, the number of its first link.
    first_links: Vec<u32>,
}

/// Whether rows of switches close to rings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridShape {
    /// Rows have two ends.
    Mesh,
    /// Rows of more than two switches are rings.
    Torus,
}

/// A way along a row of switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To the next higher coordinate, and from the last to the first.
    Up,
    /// To the next lower coordinate, and from the first to the last.
    Down,
}

/// What makes numbers no grid.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GridFault {
    /// The sides do not.
    #[error(transparent)]
    Sides(#[from] SidesFault),
    /// No hosts, or too many.
    #[error("{hosts} hosts on each of {switches} switches: 1 to {most} are accepted")]
    Hosts {
        /// Hosts on a switch that were asked for.
        hosts: u32,
        /// Switches of the grid.
        switches: u32,
        /// Most hosts that each may have.
        most: u32,
    },
}

impl Grid {
    /// A grid of those sides with so many hosts on each switch.
    ///
    /// # Errors
    /// The sides are none, or there are no hosts or more than [`super::MAX_PLACES`] altogether.
    pub fn new(shape: GridShape, sides: &[u32], hosts_per_switch: u32) -> Result<Grid, GridFault> {
        let sides = Sides::new(sides)?;
        let most = super::MAX_PLACES / sides.places();
        if !(1..=most).contains(&hosts_per_switch) {
            return Err(GridFault::Hosts { hosts: hosts_per_switch, switches: sides.places(), most });
        }
        let mut grid = Grid { sides, shape, hosts_per_switch, first_links: Vec::new() };
        let mut next = grid.hosts();
        for dimension in 0..grid.sides.dimensions() {
            grid.first_links.push(next);
            next += grid.links_along(dimension);
        }
        Ok(grid)
    }

    /// Its sizes.
    pub fn sides(&self) -> &Sides {
        &self.sides
    }

    /// Mesh or torus.
    pub fn shape(&self) -> GridShape {
        self.shape
    }

    /// Hosts on each switch.
    pub fn hosts_per_switch(&self) -> u32 {
        self.hosts_per_switch
    }

    /// Number of switches.
    pub fn switches(&self) -> u32 {
        self.sides.places()
    }

    /// Number of hosts.
    pub fn hosts(&self) -> u32 {
        self.switches() * self.hosts_per_switch
    }

    /// The switch that a host is on.
    pub fn switch_of(&self, host: u32) -> u32 {
        host / self.hosts_per_switch
    }

    /// Whether the rows of a dimension are rings.
    pub fn wraps(&self, dimension: usize) -> bool {
        self.shape == GridShape::Torus && self.sides.sizes()[dimension] > 2
    }

    /// Most links that a switch has, hosts' included.
    pub fn most_links(&self) -> u32 {
        let between =
            |dimension| if self.wraps(dimension) { 2 } else { (self.sides.sizes()[dimension] - 1).min(2) };
        self.hosts_per_switch + (0..self.sides.dimensions()).map(between).sum::<u32>()
    }

    /// The network, with links of that speed in Mb/s and switches of as many ports as the one with most links needs.
    pub fn fabric(&self, speed: u32) -> Fabric {
        let hosts = self.hosts();
        let link = |ends| Link { ends, speed };
        let mut links: Vec<Link> =
            (0..hosts).map(|host| link([host, hosts + self.switch_of(host)])).collect();
        for dimension in 0..self.sides.dimensions() {
            let up = |from| Some([hosts + from, hosts + self.neighbour(from, dimension, Way::Up)?]);
            links.extend((0..self.switches()).filter_map(up).map(link));
        }
        let switch = Switch { ports: self.most_links(), kind: SwitchKind::Switch };
        Fabric { hosts, switches: vec![switch; self.switches() as usize], links }
    }

    /// The next switch along a dimension, if the row goes on.
    pub fn neighbour(&self, switch: u32, dimension: usize, way: Way) -> Option<u32> {
        let (at, side) = (self.sides.coordinate(switch, dimension), self.sides.sizes()[dimension]);
        let next = match way {
            Way::Up if at + 1 < side => at + 1,
            Way::Down if at > 0 => at - 1,
            Way::Up if self.wraps(dimension) => 0,
            Way::Down if self.wraps(dimension) => side - 1,
            _ => return None,
        };
        Some(self.sides.moved(switch, dimension, next))
    }

    /// The channel from a switch to its neighbour along a dimension, if the row goes on.
    pub fn channel(&self, switch: u32, dimension: usize, way: Way) -> Option<u32> {
        let next = self.neighbour(switch, dimension, way)?;
        Some(match way {
            Way::Up => 2 * self.link_up(switch, dimension),
            Way::Down => 2 * self.link_up(next, dimension) + 1,
        })
    }

    /// The channel from a host to its switch.
    pub fn channel_from_host(&self, host: u32) -> u32 {
        2 * host
    }

    /// The channel to a host from its switch.
    pub fn channel_to_host(&self, host: u32) -> u32 {
        2 * host + 1
    }

    /// Steps up from one coordinate to another along a dimension: the paper's d+. `None` where a row's end is between them.
    pub fn steps_up(&self, dimension: usize, from: u32, to: u32) -> Option<u32> {
        match to.checked_sub(from) {
            Some(steps) => Some(steps),
            None => self.wraps(dimension).then(|| to + self.sides.sizes()[dimension] - from),
        }
    }

    /// The way with fewer steps from one coordinate to another, and how many; up where both have as many, as in the paper.
    pub fn shorter(&self, dimension: usize, from: u32, to: u32) -> (Way, u32) {
        match (self.steps_up(dimension, from, to), self.steps_up(dimension, to, from)) {
            (Some(up), Some(down)) if up > down => (Way::Down, down),
            (None, Some(down)) => (Way::Down, down),
            (up, _) => (Way::Up, up.unwrap_or_default()),
        }
    }

    /// The fewest steps of every switch to every other, all together.
    pub fn distances(&self) -> u64 {
        let places = u64::from(self.switches());
        let along = |(dimension, &side): (usize, &u32)| {
            let side = u64::from(side);
            // Sums over ordered pairs of places on a ring or line.
            let line =
                if self.wraps(dimension) { side * (side * side / 4) } else { side * (side * side - 1) / 3 };
            line * (places / side).pow(2)
        };
        self.sides.sizes().iter().enumerate().map(along).sum()
    }

    /// Fewest links between two switches.
    pub fn distance(&self, from: u32, to: u32) -> u32 {
        let along = |dimension| {
            let at = |switch| self.sides.coordinate(switch, dimension);
            self.shorter(dimension, at(from), at(to)).1
        };
        (0..self.sides.dimensions()).map(along).sum()
    }

    /// Bounds of the links between halves of the places, which differ by one where places are odd in number: at least, and
    /// there is such a cut.
    ///
    /// The cut is straight, through the middle of the longest side; where that is odd, its middle layer is cut in the same way
    /// in the other dimensions (Azizoğlu and Eğecioğlu 2004). No cut has fewer links than pairs of places in different halves
    /// over the pairs that a link takes one way in dimension order, at the most: in a row of k places k²/4 of N/k rows' worth,
    /// half of that where the row is a ring. Where the longest side is even both are the same.
    pub(super) fn cut(&self) -> (u64, u64) {
        let places = u64::from(self.switches());
        let rings = |dimension| if self.wraps(dimension) { 2 } else { 1 };
        let mut sides: Vec<(u64, u64)> =
            self.sides.sizes().iter().enumerate().map(|(d, &side)| (side.into(), rings(d))).collect();
        sides.sort_unstable_by(|a, b| b.cmp(a));
        // Twice the pairs of a row on its busiest link, each way, so that half a pair is none.
        let busiest = sides.iter().map(|(side, rings)| side * side / 4 * 2 / rings * (places / side)).max();
        let apart = places / 2 * places.div_ceil(2);
        let (mut layer, mut links) = (places, 0);
        for (side, rings) in sides {
            layer /= side;
            links += layer * rings;
            if side.is_multiple_of(2) {
                break;
            }
        }
        ((2 * apart).div_ceil(busiest.unwrap_or(1)), links)
    }

    /// Links between switches along a dimension.
    fn links_along(&self, dimension: usize) -> u32 {
        let side = self.sides.sizes()[dimension];
        if self.wraps(dimension) { self.switches() } else { self.switches() / side * (side - 1) }
    }

    /// The link that leads up from a switch which has one.
    fn link_up(&self, switch: u32, dimension: usize) -> u32 {
        let (side, stride) = (self.sides.sizes()[dimension], self.sides.stride(dimension));
        // Where rows end, the last switch of each has no link.
        let before = if self.wraps(dimension) { switch } else { switch - switch / (stride * side) * stride };
        self.first_links[dimension] + before
    }
}
