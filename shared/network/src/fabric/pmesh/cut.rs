//! The minimum cut between halves of a P-Mesh's hosts. Rows are separate networks, even those that share a switch.

use super::PMesh;
use crate::fabric::{
    Fabric,
    halves::{Halves, RowCosts, halves},
    kind::{Cut, Speeds, SplitNetwork},
};

/// Unit of the cut at one row.
#[derive(Clone, Copy)]
struct Price {
    link: u64,
    /// Mb/s through a switch in total; `None` without a limit.
    switch: Option<u64>,
}

impl PMesh {
    /// The cut in links: see [`halves`]. Beyond its reach, every cut has at least a quarter of the hosts: a row with a hosts here
    /// and b there cuts the smaller group, at least ab over its length, and the sum of that over all rows is least where the
    /// hosts' halves differ most smoothly (the second eigenvalue of a product of complete graphs).
    pub(super) fn links_cut(&self, speeds: Speeds) -> Cut {
        let hosts = u64::from(self.hosts());
        let price = Price { link: 1, switch: None };
        let [least, most] = self.cut_at(price).unwrap_or_else(|| {
            let straight = self.straight(price);
            let least = (hosts / 2 * hosts.div_ceil(2)).div_ceil(hosts);
            [least, straight.unwrap_or(hosts / 2 * u64::from(self.dimensions()))]
        });
        Cut::between(least, most, speeds.hosts)
    }

    /// The cut in Mb/s of both directions, if a switch passes at most `backplane` in all.
    pub(super) fn passed_cut(&self, speeds: Speeds, backplane: u32) -> Option<[u64; 2]> {
        let price = Price { link: 2 * u64::from(speeds.hosts), switch: Some(backplane.into()) };
        match self.cut_at(price) {
            Some(both) => Some(both),
            None => self.straight(price).map(|most| [0, most]),
        }
    }

    /// Lower bound of every cut, and the cost of a known one.
    fn cut_at(&self, price: Price) -> Option<[u64; 2]> {
        let mut dimensions: Vec<usize> = (0..self.sides().dimensions()).collect();
        dimensions.sort_by_key(|&dimension| self.sides().sizes()[dimension]);
        let (mut least, mut most) = (0, self.straight(price));
        // Layers along the longest sides, and along the shortest: either bound may be the better one.
        for _ in 0..if dimensions.len() > 2 { 2 } else { 1 } {
            let costs: Vec<RowCosts> = dimensions.iter().map(|&d| self.row_costs(d, price)).collect();
            let Halves { least: bound, chosen } = halves(&costs)?;
            least = least.max(bound);
            if dimensions.len() <= 2
                && (price.switch.is_none() || self.covers().iter().all(|&rows| rows == 1))
            {
                return Some([bound; 2]);
            }
            if let Some(chosen) = chosen {
                let mut first = vec![false; self.hosts() as usize];
                chosen.iter().for_each(|&place| first[self.host_of(place, &dimensions) as usize] = true);
                let cost = self.cost(&first, price);
                most = Some(most.map_or(cost, |most| most.min(cost)));
            }
            dimensions.reverse();
        }
        let all = price.link * u64::from(self.hosts() / 2) * u64::from(self.dimensions());
        Some([least, most.unwrap_or(all)])
    }

    /// Min cost of a row by number of its hosts on the first side: its share of the switch's limit.
    fn row_costs(&self, dimension: usize, price: Price) -> RowCosts {
        let side = u64::from(self.sides().sizes()[dimension]);
        let passed = price.switch.map_or(u64::MAX, |all| all / u64::from(self.covers()[dimension]));
        (0..=side).map(|here| (price.link * here.min(side - here)).min(passed)).collect()
    }

    /// The host at a place that is numbered with other dimensions first.
    fn host_of(&self, place: u32, dimensions: &[usize]) -> u32 {
        let (mut rest, mut host) = (place, 0);
        for &dimension in dimensions {
            let side = self.sides().sizes()[dimension];
            host += rest % side * self.sides().stride(dimension);
            rest /= side;
        }
        host
    }

    /// The cut through the middle of a dimension, which the paper counts: the cheapest one if there is an even side.
    fn straight(&self, price: Price) -> Option<u64> {
        let even = |&(_, side): &(usize, &u32)| side.is_multiple_of(2);
        let cost = |(dimension, &side): (usize, &u32)| {
            let each = price.link * u64::from(side / 2);
            let switch = |switch| {
                let rows =
                    self.covers()[dimension].min(self.rows(dimension) - switch * self.covers()[dimension]);
                (each * u64::from(rows)).min(price.switch.unwrap_or(u64::MAX))
            };
            (0..self.switches_along(dimension)).map(switch).sum::<u64>()
        };
        self.sides().sizes().iter().enumerate().filter(even).map(cost).min()
    }

    /// Cost of the cut with those hosts on its first side.
    fn cost(&self, first: &[bool], price: Price) -> u64 {
        let along = |dimension: usize| {
            let side = self.sides().sizes()[dimension];
            let mut here = vec![0; self.rows(dimension) as usize];
            for host in (0..self.hosts()).filter(|&host| first[host as usize]) {
                here[self.row_of(host, dimension) as usize] += 1;
            }
            let links =
                |rows: &[u32]| -> u64 { rows.iter().map(|&here| u64::from(here.min(side - here))).sum() };
            let passed = price.switch.unwrap_or(u64::MAX);
            let switches = here.chunks(self.covers()[dimension] as usize);
            switches.map(|rows| (price.link * links(rows)).min(passed)).sum::<u64>()
        };
        (0..self.sides().dimensions()).map(along).sum()
    }

    /// The rows as separate switches, if switches cover several.
    pub(super) fn rows_apart(&self, speeds: Speeds) -> Option<SplitNetwork> {
        if self.covers().iter().all(|&rows| rows == 1) {
            return None;
        }
        let fabric: Fabric = PMesh::new(self.sides().sizes(), &[1]).ok()?.fabric(speeds.hosts);
        Some(SplitNetwork { fabric, switch_loss: self.switch_loss() })
    }

    /// Hosts that the worst failed switch cuts off. One remaining row of a dimension connects all rows of the others.
    fn switch_loss(&self) -> u32 {
        let alone = |&dimension: &usize| self.switches_along(dimension) == 1;
        let lost = |dimension: usize| self.hosts() - self.rows(dimension);
        (0..self.sides().dimensions()).filter(alone).map(lost).max().unwrap_or(0)
    }
}
