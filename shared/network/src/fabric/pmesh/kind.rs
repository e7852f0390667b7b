//! The P-Mesh as a kind of network.

use super::PMesh;
use crate::fabric::{
    Fabric, Routing,
    fit::{near, squarest},
    kind::{Cut, FitResult, Hops, KindEntry, Limits, NetworkKind, Parts, Speeds, SplitNetwork, SwitchParts},
    parameters::Numbers,
};

impl PMesh {
    pub(in crate::fabric) const ENTRY: KindEntry = KindEntry {
        name: "pmesh",
        title: "P-Mesh",
        form: "pmesh:SIDES[,ROWS PER SWITCH]",
        example: "pmesh:24x24",
        explanation: "A switch per row of hosts in each dimension; hosts forward between dimensions. Switches may cover several rows: \
         pmesh:24x24,2, or pmesh:24x12,1x2 with one number per dimension.",
        source: "Nitzberg et al. 1999, section 4",
        read: PMesh::read,
        fit: PMesh::fit,
    };

    /// Two or three sides, a switch per row; no side longer than four times another, as P-Meshes are built.
    fn fit(hosts: u32, limits: &Limits) -> FitResult {
        let ports = limits.ports;
        near(hosts, u64::from(ports).pow(3), |hosts| PMesh::new(&cubest(hosts, ports)?, &[1]).ok())
    }

    fn read(text: &str) -> Result<Box<dyn NetworkKind>, String> {
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

impl NetworkKind for PMesh {
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

    fn name(&self) -> String {
        let rows = match (&self.covers[..], self.covers.iter().all(|rows| *rows == self.covers[0])) {
            ([1, ..], true) => String::new(),
            ([rows, ..], true) => format!(", {rows} rows per switch"),
            (covers, _) => {
                let covers: Vec<_> = covers.iter().map(u32::to_string).collect();
                format!(", {} rows per switch", covers.join(" or "))
            }
        };
        format!("P-Mesh, {} hosts{rows}", self.sides)
    }

    fn parts(&self) -> Parts {
        let nis = u64::from(self.hosts()) * u64::from(self.dimensions());
        let switches = (0..self.sides.dimensions()).map(|dimension| SwitchParts {
            count: self.switches_along(dimension),
            ports: self.ports_along(dimension),
            trunks: 0,
            hub: false,
        });
        Parts {
            hosts: self.hosts(),
            nis,
            trunk_nis: 0,
            switches: switches.collect(),
            cables: nis,
            between: 0,
        }
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

    fn apart(&self, speeds: Speeds) -> Option<SplitNetwork> {
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
