//! Routes around failed parts. Nitzberg et al. 1999 (section 4) have a dead switch "tolerated by updating the routing tables",
//! and does not say how.
//!
//! A host keeps a route in dimension order if all its parts work. For every address that it would lose it gets an entry of its
//! own: to the host of its rows from which the rest of the way is shortest, counted in hosts. Along either kind of entry the
//! remaining way gets shorter with every step, since dimension order is a shortest way too. So the two mix without loops. Among
//! equally near hosts, different destinations take different ones.
//!
//! If rows alone lead nowhere and switches cover several, the next host may be on the same switch in another row. It is in
//! another subnet, which the entry then says.

use super::{Entry, PMesh};
use crate::{
    cancel::checked,
    design::Design,
    design::{Faults, UnknownParts, WorkingDesign},
};
use std::collections::BTreeSet;

/// A P-Mesh with failed parts.
#[derive(Clone, Debug)]
pub struct PMeshDetours {
    mesh: PMesh,
    working: WorkingDesign,
    /// Detours of each host, by destination.
    detours: Vec<Vec<Detour>>,
    /// For each host the working hosts that it cannot reach, ascending; empty for failed hosts.
    lost: Vec<Vec<u32>>,
}

/// A host's way to another host, some of whose addresses dimension order does not reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detour {
    /// The destination.
    pub to: u32,
    /// Bit k is set if its address in dimension k takes this way.
    dimensions: u32,
    along: u8,
    next: u32,
}

impl Detour {
    /// The dimension to send along and the host there.
    pub fn via(&self) -> (usize, u32) {
        (self.along.into(), self.next)
    }

    /// `true` if the destination's address in a dimension takes this way.
    pub fn has(&self, dimension: usize) -> bool {
        self.dimensions >> dimension & 1 == 1
    }
}

impl PMesh {
    /// The hosts on each switch. NI k of a host is the one in dimension k.
    pub fn design(&self) -> Design {
        let mut switches = vec![Vec::new(); self.switches() as usize];
        for host in 0..self.hosts() {
            for dimension in 0..self.sides.dimensions() {
                switches[self.switch_of(host, dimension) as usize].push(host);
            }
        }
        Design::from_switches(self.hosts(), switches)
    }

    /// Finds routes around failed parts. Time, and memory if much has failed, grow with the square of the hosts.
    ///
    /// # Errors
    /// Every part that the network does not have.
    pub fn around(&self, dead: &Faults) -> Result<PMeshDetours, UnknownParts> {
        let design = self.design();
        dead.fit(&design)?;
        let hosts = self.hosts() as usize;
        let mut around = PMeshDetours {
            mesh: self.clone(),
            working: WorkingDesign::new(&design, dead),
            detours: vec![Vec::new(); hosts],
            lost: vec![Vec::new(); hosts],
        };
        for to in (0..self.hosts()).filter(|&to| !dead.is_dead(to)) {
            around.route_to(to);
        }
        Ok(around)
    }
}

impl PMeshDetours {
    /// The failed parts.
    pub fn dead(&self) -> &Faults {
        self.working.faults()
    }

    /// The working hosts that a working host cannot reach.
    pub fn lost(&self, host: u32) -> &[u32] {
        &self.lost[host as usize]
    }

    /// A host's entries for single addresses, by destination.
    pub fn detours(&self, host: u32) -> &[Detour] {
        &self.detours[host as usize]
    }

    /// A host's entries for subnets, without those whose first step has failed.
    pub fn table(&self, host: u32) -> impl Iterator<Item = Entry> {
        let alive = move |entry: &Entry| {
            let (dimension, next) = entry.via.unwrap_or((entry.net.dimension, host));
            self.joins(dimension, host, next)
        };
        self.mesh.table(host).filter(alive)
    }

    /// The hosts on the way to another's address in the last dimension, each with the dimension it is reached along.
    pub fn steps(&self, from: u32, to: u32) -> Option<Vec<(usize, u32)>> {
        let last = self.mesh.sides.dimensions() - 1;
        let (mut at, mut steps) = (from, Vec::new());
        while at != to {
            let (dimension, next) = self.next(at, to, last)?;
            steps.push((dimension, next));
            at = next;
        }
        Some(steps)
    }

    /// The next host on the way to another's address in a dimension.
    fn next(&self, at: u32, to: u32, dimension: usize) -> Option<(usize, u32)> {
        let detours = self.detours(at);
        let detour = detours.binary_search_by_key(&to, |detour| detour.to).ok().map(|place| detours[place]);
        match detour.filter(|detour| detour.has(dimension)) {
            Some(detour) => Some(detour.via()),
            None => {
                self.mesh.way(at, to, dimension).next().filter(|&(along, next)| self.joins(along, at, next))
            }
        }
    }

    /// `true` if working parts connect two hosts of one switch, or one host and its switch.
    pub fn joins(&self, dimension: usize, a: u32, b: u32) -> bool {
        let switch = self.mesh.switch_of(a, dimension);
        let on = |host: u32| self.working.live().of(host).binary_search(&switch).is_ok();
        on(a) && on(b)
    }

    /// Enters the detours to a working host.
    fn route_to(&mut self, to: u32) {
        let near = self.distances(to);
        for from in checked(0..self.mesh.hosts()) {
            if from == to || self.dead().is_dead(from) {
                continue;
            }
            let Some(own) = near[from as usize] else {
                self.lost[from as usize].push(to);
                continue;
            };
            let broken =
                (0..self.mesh.sides.dimensions()).filter(|&dimension| !self.holds(from, to, dimension));
            let dimensions = broken.fold(0, |mask, dimension| mask | 1 << dimension);
            if dimensions != 0 {
                let via = self.nearer(from, to, own, &near);
                self.detours[from as usize].extend(via.map(|(along, next)| Detour {
                    to,
                    dimensions,
                    along: along as u8,
                    next,
                }));
            }
        }
    }

    /// `true` if all of the way to an address in dimension order works.
    fn holds(&self, from: u32, to: u32, dimension: usize) -> bool {
        let mut at = from;
        self.mesh.way(from, to, dimension).all(|(along, next)| {
            let alive = self.joins(along, at, next);
            at = next;
            alive
        })
    }

    /// A host one step nearer to a destination: in one of the own rows if possible, else on one of the own switches.
    fn nearer(&self, from: u32, to: u32, own: u32, near: &[Option<u32>]) -> Option<(usize, u32)> {
        let fits =
            |&(_, next): &(usize, u32)| near[next as usize].is_some_and(|distance| distance + 1 == own);
        let mut all: Vec<_> = self.neighbours(from, false).filter(fits).collect();
        if all.is_empty() {
            all = self.neighbours(from, true).filter(fits).collect();
        }
        let place = (from as usize + to as usize).checked_rem(all.len())?;
        Some(all[place])
    }

    /// The hosts that a host is connected to, with the dimension: those in its rows, or all on its switches.
    fn neighbours(&self, host: u32, switches: bool) -> impl Iterator<Item = (usize, u32)> {
        let dimensions = 0..self.mesh.sides.dimensions();
        dimensions.flat_map(move |dimension| {
            let others = self.group(host, dimension, switches).into_iter();
            others.filter(move |&other| other != host).map(move |other| (dimension, other))
        })
    }

    /// The working hosts of a host's row, or of its switch; none if the host is cut off from it.
    fn group(&self, host: u32, dimension: usize, switches: bool) -> Vec<u32> {
        if !self.joins(dimension, host, host) {
            return Vec::new();
        }
        if switches {
            return self.working.design().members(self.mesh.switch_of(host, dimension)).to_vec();
        }
        let row =
            (0..self.mesh.sides.sizes()[dimension]).map(|at| self.mesh.sides.moved(host, dimension, at));
        row.filter(|&other| self.joins(dimension, other, other)).collect()
    }

    /// Steps from every host to one host. Steps to other rows of a switch come only where steps along rows do not lead.
    fn distances(&self, to: u32) -> Vec<Option<u32>> {
        let mut near = vec![None; self.mesh.hosts() as usize];
        near[to as usize] = Some(0);
        let mut layers = vec![vec![to]];
        self.spread(&mut layers, &mut near, false);
        if self.mesh.covers.iter().any(|&rows| rows > 1) {
            self.spread(&mut layers, &mut near, true);
        }
        near
    }

    /// Assigns distances to hosts that are connected to one with a distance, nearest first; `layers` holds hosts by distance.
    fn spread(&self, layers: &mut Vec<Vec<u32>>, near: &mut [Option<u32>], switches: bool) {
        let mut seen = BTreeSet::new();
        let mut distance = 0;
        while distance < layers.len() {
            let mut next = Vec::new();
            for &host in &layers[distance] {
                for dimension in 0..self.mesh.sides.dimensions() {
                    // All of a row or switch is near once one host of it is.
                    let row = if switches { 0 } else { self.mesh.sides.moved(host, dimension, 0) };
                    let on = (self.mesh.switch_of(host, dimension), row);
                    if !self.joins(dimension, host, host) || !seen.insert(on) {
                        continue;
                    }
                    for other in self.group(host, dimension, switches) {
                        if near[other as usize].is_none() {
                            near[other as usize] = Some(distance as u32 + 1);
                            next.push(other);
                        }
                    }
                }
            }
            distance += 1;
            match layers.get_mut(distance) {
                Some(layer) => layer.append(&mut next),
                None if next.is_empty() => {}
                None => layers.push(next),
            }
        }
    }
}
