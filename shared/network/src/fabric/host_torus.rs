//! A torus of hosts, each connected to its neighbours and forwarding for the others (Nitzberg et al. 1999, section 3.3).

use super::{
    Fabric, Grid, Link, RingChannel, Routing, Sides, Way,
    fit::{near, squarest},
    kind::{Cut, Hops, KindEntry, NetworkKind, Parts, Speeds},
    parameters::Numbers,
    routing::{Ties, step},
};
use crate::spec::MAX_PES;

/// A torus of hosts, numbered with the first dimension fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HostTorus {
    grid: Grid,
}

impl HostTorus {
    pub(super) const ENTRY: KindEntry = KindEntry {
        name: "host-torus",
        title: "Torus of hosts",
        form: "host-torus:SIDES",
        example: "host-torus:4x4",
        explanation: "Hosts connected to their neighbours, without switches; hosts forward frames.",
        source: "Nitzberg et al. 1999, section 3.3",
        read: |text| {
            let (sides, rest) = Numbers::sides(text)?;
            Numbers::read(rest, [])?;
            Ok(Box::new(HostTorus::new(&sides)?))
        },
        fit: |hosts, _| near(hosts, MAX_PES.into(), |hosts| HostTorus::new(&squarest(hosts)?).ok()),
    };

    /// A torus with sides of at least 2. A side of 2 has one cable per row. Errors: invalid sides.
    pub fn new(sides: &[u32]) -> Result<HostTorus, String> {
        Ok(HostTorus { grid: Grid::of_hosts(sides).map_err(|fault| fault.to_string())? })
    }

    /// Sides of the torus.
    pub fn sides(&self) -> &Sides {
        self.grid.sides()
    }

    /// The shorter way along a dimension and its steps; no way if both are equally short.
    fn shorter(&self, dimension: usize, from: u32, to: u32) -> (Option<Way>, u32) {
        let [from, to] = [from, to].map(|host| self.sides().coordinate(host, dimension));
        let (way, steps) = self.grid.shorter(dimension, from, to);
        let is_tie = self.grid.wraps(dimension) && 2 * steps == self.sides().sizes()[dimension];
        ((!is_tie).then_some(way), steps)
    }
}

/// Dimension order. A pair half a ring apart has a path each way round.
impl Routing for HostTorus {
    fn choices(&self, from: u32, to: u32) -> u32 {
        let ties = (0..self.sides().dimensions()).filter(|&d| self.shorter(d, from, to).0.is_none());
        1 << ties.count()
    }

    fn path(&self, from: u32, to: u32, choice: u32, channels: &mut Vec<u32>) {
        let (mut at, mut ties) = (from, Ties::of(from, to, choice));
        for dimension in 0..self.sides().dimensions() {
            let (way, steps) = self.shorter(dimension, at, to);
            let way = way.unwrap_or_else(|| ties.next());
            for _ in 0..steps {
                at = step(&self.grid, at, dimension, way, channels);
            }
        }
    }

    fn rings(&self) -> Vec<RingChannel> {
        self.grid.rings()
    }
}

impl NetworkKind for HostTorus {
    fn text(&self) -> String {
        format!("host-torus:{}", self.sides())
    }

    fn name(&self) -> String {
        format!("torus of hosts, {}", self.sides())
    }

    fn parts(&self) -> Parts {
        let hosts = self.sides().places();
        let ends = |&side: &u32| u64::from(if side == 2 { 1u32 } else { 2 });
        let nis = u64::from(hosts) * self.sides().sizes().iter().map(ends).sum::<u64>();
        Parts { hosts, nis, trunk_nis: 0, switches: Vec::new(), cables: nis / 2, between: 0 }
    }

    fn fabric(&self, speeds: Speeds) -> Fabric {
        let hosts = self.sides().places();
        let mut links = Vec::with_capacity(self.parts().cables as usize);
        for dimension in 0..self.sides().dimensions() {
            let up = |from| Some([from, self.grid.neighbour(from, dimension, Way::Up)?]);
            links.extend((0..hosts).filter_map(up).map(|ends| Link { ends, speed: speeds.hosts }));
        }
        Fabric { hosts, switches: Vec::new(), links }
    }

    fn routing(&self) -> Option<Box<dyn Routing>> {
        Some(Box::new(self.clone()))
    }

    fn hops(&self, from: u32, to: u32) -> Option<Hops> {
        Some(Hops::new(self.grid.distance(from, to).saturating_sub(1), 0))
    }

    fn extremes(&self) -> Option<[Hops; 2]> {
        let farthest: u32 = self.sides().sizes().iter().map(|side| side / 2).sum();
        Some([Hops::default(), Hops::new(farthest - 1, 0)])
    }

    fn alike(&self) -> bool {
        true
    }

    fn cut(&self, speeds: Speeds) -> Option<Cut> {
        let (least, links) = self.grid.cut();
        Some(Cut::between(least, links, speeds.hosts))
    }
}
