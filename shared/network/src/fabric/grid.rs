//! Meshes and tori of switches, of any dimensions and sides, with hosts on every switch (Otsuka et al. 2005, definitions 2.1 and
//! 3.1).
//!
//! Hosts of switch `s` are `s * h` to `s * h + h - 1`. Links are numbered: first every host's own, by host; then those between
//! switches by dimension, and in a dimension by the switch that they lead up from. The link that closes a ring leads up from
//! the last switch to the first. Two switches in a row share one link in a torus too.

use super::{Fabric, Link, RingChannel, Sides, SidesFault, Switch, SwitchKind};
use thiserror::Error;

/// A mesh or torus of switches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    sides: Sides,
    shape: GridShape,
    hosts_per_switch: u32,
    first_links: Vec<u32>,
}

/// Mesh or torus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridShape {
    /// Rows have two ends.
    Mesh,
    /// Rows of more than two switches are rings.
    Torus,
}

/// Direction along a row of switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To the next higher coordinate, and from the last to the first.
    Up,
    /// To the next lower coordinate, and from the first to the last.
    Down,
}

/// Reason why numbers are no grid.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GridFault {
    /// Invalid sides.
    #[error(transparent)]
    Sides(#[from] SidesFault),
    /// No hosts, or too many.
    #[error("1 to {most} hosts on each of the {switches} switches, not {hosts}")]
    Hosts {
        /// Hosts per switch given.
        hosts: u32,
        /// Switches of the grid.
        switches: u32,
        /// Max hosts per switch.
        most: u32,
    },
}

impl Grid {
    /// A grid with those sides and hosts per switch.
    ///
    /// # Errors
    /// Invalid sides, no hosts, or more than [`super::MAX_PLACES`] hosts in all.
    pub fn new(shape: GridShape, sides: &[u32], hosts_per_switch: u32) -> Result<Grid, GridFault> {
        let sides = Sides::new(sides)?;
        let most = super::MAX_PLACES / sides.places();
        if !(1..=most).contains(&hosts_per_switch) {
            return Err(GridFault::Hosts { hosts: hosts_per_switch, switches: sides.places(), most });
        }
        Ok(Grid::numbered(Grid { sides, shape, hosts_per_switch, first_links: Vec::new() }))
    }

    /// A torus of hosts: its places are no switches, and all links are between them.
    ///
    /// # Errors
    /// Invalid sides.
    pub(super) fn of_hosts(sides: &[u32]) -> Result<Grid, SidesFault> {
        let (sides, shape) = (Sides::new(sides)?, GridShape::Torus);
        Ok(Grid::numbered(Grid { sides, shape, hosts_per_switch: 0, first_links: Vec::new() }))
    }

    fn numbered(mut grid: Grid) -> Grid {
        let mut next = grid.hosts();
        for dimension in 0..grid.sides.dimensions() {
            grid.first_links.push(next);
            next += grid.links_along(dimension);
        }
        grid
    }

    /// Sides of the grid.
    pub fn sides(&self) -> &Sides {
        &self.sides
    }

    /// Mesh or torus.
    pub fn shape(&self) -> GridShape {
        self.shape
    }

    /// Hosts per switch.
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

    /// The switch of a host.
    pub fn switch_of(&self, host: u32) -> u32 {
        host / self.hosts_per_switch
    }

    /// `true` if the rows of a dimension are rings.
    pub fn wraps(&self, dimension: usize) -> bool {
        self.shape == GridShape::Torus && self.sides.sizes()[dimension] > 2
    }

    /// Max links per switch, its hosts' included.
    pub fn most_links(&self) -> u32 {
        let between =
            |dimension| if self.wraps(dimension) { 2 } else { (self.sides.sizes()[dimension] - 1).min(2) };
        self.hosts_per_switch + (0..self.sides.dimensions()).map(between).sum::<u32>()
    }

    /// The graph, with links of `speed` Mb/s and ports for the busiest switch on every switch.
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

    /// The next switch along a dimension, unless the row ends.
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

    /// The channel from a switch to its neighbour along a dimension, unless the row ends.
    pub fn channel(&self, switch: u32, dimension: usize, way: Way) -> Option<u32> {
        let next = self.neighbour(switch, dimension, way)?;
        Some(match way {
            Way::Up => 2 * self.link_up(switch, dimension),
            Way::Down => 2 * self.link_up(next, dimension) + 1,
        })
    }

    /// The channels of all rings; empty for a mesh.
    pub(super) fn rings(&self) -> Vec<RingChannel> {
        let mut rings = Vec::new();
        for dimension in (0..self.sides.dimensions()).filter(|&dimension| self.wraps(dimension)) {
            let last = self.sides.sizes()[dimension] - 1;
            for switch in 0..self.switches() {
                let at = self.sides.coordinate(switch, dimension);
                for (way, end) in [(Way::Up, last), (Way::Down, 0)] {
                    let channel = self.channel(switch, dimension, way);
                    let ring = |channel| RingChannel { channel, dimension, closes: at == end };
                    rings.extend(channel.map(ring));
                }
            }
        }
        rings
    }

    /// The channel from a host to its switch.
    pub fn channel_from_host(&self, host: u32) -> u32 {
        2 * host
    }

    /// The channel to a host from its switch.
    pub fn channel_to_host(&self, host: u32) -> u32 {
        2 * host + 1
    }

    /// Steps up from one coordinate to another along a dimension: the paper's d+. `None` if the row ends between them.
    pub fn steps_up(&self, dimension: usize, from: u32, to: u32) -> Option<u32> {
        match to.checked_sub(from) {
            Some(steps) => Some(steps),
            None => self.wraps(dimension).then(|| to + self.sides.sizes()[dimension] - from),
        }
    }

    /// The direction with fewer steps between two coordinates, and those steps; up on a tie, as in the paper.
    pub fn shorter(&self, dimension: usize, from: u32, to: u32) -> (Way, u32) {
        match (self.steps_up(dimension, from, to), self.steps_up(dimension, to, from)) {
            (Some(up), Some(down)) if up > down => (Way::Down, down),
            (None, Some(down)) => (Way::Down, down),
            (up, _) => (Way::Up, up.unwrap_or_default()),
        }
    }

    /// Sum of the fewest steps over all ordered pairs of switches.
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

    /// Min links between two switches.
    pub fn distance(&self, from: u32, to: u32) -> u32 {
        let along = |dimension| {
            let at = |switch| self.sides.coordinate(switch, dimension);
            self.shorter(dimension, at(from), at(to)).1
        };
        (0..self.sides.dimensions()).map(along).sum()
    }

    /// Lower and upper bound of the links between halves of the places.
    ///
    /// The upper one is a straight cut through the middle of the longest side; if that is odd, its middle layer is cut the same way
    /// in the other dimensions (Azizoğlu and Eğecioğlu 2004). The lower one divides the pairs of places in different halves by the
    /// max pairs that a link carries one way in dimension order: in a row of k places k²/4 times the N/k rows, half of that in a
    /// ring. Both meet if the longest side is even.
    pub(super) fn cut(&self) -> (u64, u64) {
        let places = u64::from(self.switches());
        let rings = |dimension| if self.wraps(dimension) { 2 } else { 1 };
        let mut sides: Vec<(u64, u64)> =
            self.sides.sizes().iter().enumerate().map(|(d, &side)| (side.into(), rings(d))).collect();
        sides.sort_unstable_by(|a, b| b.cmp(a));
        // Doubled, so that half a pair becomes a whole number.
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
    pub(super) fn links_along(&self, dimension: usize) -> u32 {
        let side = self.sides.sizes()[dimension];
        if self.wraps(dimension) { self.switches() } else { self.switches() / side * (side - 1) }
    }

    /// The link that leads up from a switch; the switch must have one.
    fn link_up(&self, switch: u32, dimension: usize) -> u32 {
        let (side, stride) = (self.sides.sizes()[dimension], self.sides.stride(dimension));
        // Where rows end, the last switch of each has no link.
        let before = if self.wraps(dimension) { switch } else { switch - switch / (stride * side) * stride };
        self.first_links[dimension] + before
    }
}
