//! The P-Mesh (P-Mesh paper, section 4): hosts in a grid of any dimensions and sides, with a switch per row in place of the
//! row of cables of a torus. Hosts forward traffic along more than one dimension.
//!
//! A switch may cover several rows of its dimension, which takes fewer and larger switches. Rows remain separate networks, as
//! their addresses are (figure 4: two boxes stand for eight switches). Rows of a dimension are numbered like places of the
//! grid without that dimension, and a switch covers consecutive rows. Switches of dimension 0 come first. Link `host * d + k`
//! is the host's in dimension k, its NI k.

mod addresses;
mod around;
mod cut;

pub use addresses::{Addressing, Entry, Net};
pub use around::{Around, Detour};

use super::{
    Fabric, Link, Routing, Sides, SidesFault, Switch, SwitchKind,
    fit::{Fitted, Limits, near, squarest},
    kinds::{Apart, Cut, Hops, Kind, KindEntry, Parts, Speeds, SwitchParts},
    parameters::Numbers,
};
use thiserror::Error;

/// A P-Mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PMesh {
    sides: Sides,
    /// Rows per switch, by dimension.
    covers: Vec<u32>,
    /// First switch of each dimension.
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

    /// The hosts on the way to another's address in a dimension, each with the dimension it is reached along: all other
    /// dimensions in order, and that one last.
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

impl PMesh {
    pub(super) const ENTRY: KindEntry = KindEntry {
        name: "pmesh",
        title: "P-Mesh",
        form: "pmesh:SIDES[,ROWS PER SWITCH]",
        example: "pmesh:24x24",
        explanation: "A switch per row of hosts in each dimension; hosts forward between dimensions. Switches may cover several rows: \
         pmesh:24x24,2, or pmesh:24x12,1x2 with one number per dimension.",
        source: "P-Mesh paper, section 4",
        read: PMesh::read,
        fit: PMesh::fit,
    };

    /// Two or three sides, a switch per row; no side longer than four times another, as P-Meshes are built.
    fn fit(hosts: u32, limits: &Limits) -> Fitted {
        let ports = limits.ports;
        near(hosts, u64::from(ports).pow(3), |hosts| PMesh::new(&cubest(hosts, ports)?, &[1]).ok())
    }

    fn read(text: &str) -> Result<Box<dyn Kind>, String> {
        let (sides, rest) = Numbers::sides(text)?;
        let covers = match rest.trim() {
            "" => vec![1],
            rest => match Numbers::sides(rest) {
                Ok((covers, "")) => covers,
                _ => return Err(format!("rows per switch such as 2 or 1x2, not {rest:?}")),
            },
        };
        let mesh = PMesh::new(&sides, &covers).map_err(|fault| fault.to_string())?;
        Ok(Box::new(mesh))
    }
}

impl Kind for PMesh {
    fn text(&self) -> String {
        let same = self.covers.iter().all(|rows| *rows == self.covers[0]);
        match self.covers[0] {
            1 if same => format!("pmesh:{}", self.sides),
            rows if same => format!("pmesh:{},{rows}", self.sides),
            _ => {
                let covers: Vec<_> = self.covers.iter().map(u32::to_string).collect();
                format!("pmesh:{},{}", self.sides, covers.join("x"))
            }
        }
    }

    fn parts(&self) -> Parts {
        let nis = u64::from(self.hosts()) * u64::from(self.dimensions());
        let switches = (0..self.sides.dimensions()).map(|dimension| SwitchParts {
            count: self.switches_along(dimension),
            ports: self.ports_along(dimension),
            trunks: 0,
            hub: false,
        });
        Parts { hosts: self.hosts(), nis, trunk_nis: 0, switches: switches.collect(), cables: nis }
    }

    fn fabric(&self, speeds: Speeds) -> Fabric {
        PMesh::fabric(self, speeds.hosts)
    }

    fn routing(&self) -> Option<Box<dyn Routing>> {
        Some(Box::new(self.clone()))
    }

    fn pmesh(&self) -> Option<&PMesh> {
        Some(self)
    }

    fn hops(&self, from: u32, to: u32) -> Option<Hops> {
        let steps = self.steps(from, to).count() as u32;
        Some(Hops::new(steps.saturating_sub(1), steps))
    }

    fn extremes(&self) -> Option<[Hops; 2]> {
        Some([Hops::new(0, 1), Hops::new(self.dimensions() - 1, self.dimensions())])
    }

    fn cut(&self, speeds: Speeds) -> Option<Cut> {
        Some(self.links_cut(speeds))
    }

    fn passed(&self, speeds: Speeds, backplane: u32) -> Option<[u64; 2]> {
        self.passed_cut(speeds, backplane)
    }

    fn apart(&self, speeds: Speeds) -> Option<Apart> {
        self.rows_apart(speeds)
    }
}

/// Two sides up to `max`, else three, as equal as possible, the longest first.
fn cubest(places: u32, max: u32) -> Option<Vec<u32>> {
    let fits = |sides: &Vec<u32>| sides[0] <= max && sides[0] <= 4 * sides[sides.len() - 1];
    if let Some(sides) = squarest(places).map(Vec::from).filter(fits) {
        return Some(sides);
    }
    let third = |side: u32| {
        let mut sides = squarest(places / side)?.to_vec();
        sides.push(side);
        sides.sort_unstable_by(|a, b| b.cmp(a));
        Some(sides)
    };
    let root = f64::from(places).cbrt() as u32 + 1;
    let all = (2..=root).filter(|&side| places.is_multiple_of(side)).filter_map(third).filter(fits);
    all.min_by_key(|sides| sides.iter().sum::<u32>())
}
