//! Through routing (Mattox 2006, section 5.1.4): pairs without a shared switch communicate through intermediary PEs.
//!
//! Every route goes through the fewest intermediaries. A PE knows the next PE on the way to each destination, which is one step
//! nearer, so routes never loop. If there is a choice, two rules decide by the number of PEs:
//!
//! * Up to [`BALANCED_PES`]: the candidate with the least load so far, in passes over all pairs until the load is spread
//!   (`through/balanced.rs`). The choices are stored, at most 4 MiB.
//! * Beyond: the candidate with the lowest hash of pair and candidate, weighted so that PEs with more neighbours, which are
//!   candidates more often, are not chosen more often. Hashes spread load less evenly than counting: on 1,200 PEs with three NIs
//!   wired at random the most loaded PE carries 1.4 times the mean, where counting comes within a hundredth. But they need no
//!   memory, and any row or column of the table is computed separately, so that tables of any size can be streamed. When a PE
//!   fails, only the routes through it change.
//!
//! Mattox 2006 draws pseudo random numbers for all sizes.
//!
//! Both rules take a pair as unordered, so that both directions with one intermediary go through the same. Longer routes may
//! differ by direction, as in Mattox 2006.

mod balanced;
mod first_hops;
mod search;

use crate::cancel::checked;
use crate::design::{Design, Faults, WorkingDesign};
use search::{Costs, FAR, Search};
use std::sync::OnceLock;

/// Max PEs for intermediaries chosen by load.
pub const BALANCED_PES: u32 = 1024;

/// Routes between all PEs that can reach each other.
#[derive(Clone, Debug)]
pub struct ThroughRoutes {
    working: WorkingDesign,
    costs: Costs,
    /// The lowest PE that each PE can reach, itself included.
    part: Vec<u32>,
    unreachable: u64,
    /// The next PE from each PE (row) to each destination without a shared switch; for small designs, filled on first use.
    table: OnceLock<Vec<u32>>,
}

/// A route to a PE without a shared switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThroughRoute {
    /// The destination.
    pub dest: u32,
    /// The first intermediary, which shares a switch with the source.
    pub next: u32,
    /// Number of intermediaries, 1 or more.
    pub intermediaries: u32,
}

/// Routes every pair over the working part. Up to [`BALANCED_PES`] PEs, the first route takes a few searches per PE.
pub fn through(design: &Design, faults: &Faults) -> ThroughRoutes {
    let working = WorkingDesign::new(design, faults);
    let (part, unreachable) = parts(&working);
    ThroughRoutes { working, costs: Costs::of(design), part, unreachable, table: OnceLock::new() }
}

/// The lowest PE that each PE reaches, and the number of pairs of working PEs that do not reach each other.
fn parts(working: &WorkingDesign) -> (Vec<u32>, u64) {
    let (pes, faults) = (working.design().pes(), working.faults());
    let mut part = vec![FAR; pes as usize];
    let mut search = Search::new(working);
    let (mut before, mut unreachable) = (0u64, 0);
    for pe in (0..pes).filter(|&pe| !faults.is_dead(pe)) {
        if part[pe as usize] == FAR {
            search.run(working, pe);
            search.order().iter().for_each(|&reached| part[reached as usize] = pe);
            let size = search.order().len() as u64;
            unreachable += before * size;
            before += size;
        }
    }
    // A failed PE reaches only itself.
    (0..pes).filter(|&pe| faults.is_dead(pe)).for_each(|pe| part[pe as usize] = pe);
    (part, unreachable)
}

impl ThroughRoutes {
    /// The working part of the design.
    pub fn working(&self) -> &WorkingDesign {
        &self.working
    }

    /// `true` if two different PEs can reach each other, directly or through others.
    pub fn reaches(&self, a: u32, b: u32) -> bool {
        a != b && self.part.get(a as usize).is_some_and(|part| self.part.get(b as usize) == Some(part))
    }

    /// Pairs of working PEs that cannot reach each other.
    pub fn unreachable(&self) -> u64 {
        self.unreachable
    }

    /// The next PE on the way to a destination; `None` if it is unreachable, and from a PE to itself.
    pub fn next_hop(&self, pe: u32, dest: u32) -> Option<u32> {
        self.reaches(pe, dest).then(|| self.towards(dest).next(pe))?
    }

    /// The PEs of the route from one to another, both included. `None` as for [`ThroughRoutes::next_hop`].
    pub fn path(&self, pe: u32, dest: u32) -> Option<Vec<u32>> {
        self.reaches(pe, dest).then(|| self.towards(dest).path(pe))?
    }

    /// All routes to one destination. Panics if the PE does not exist.
    pub fn towards(&self, dest: u32) -> DestinationRoutes<'_> {
        assert!((dest as usize) < self.part.len(), "PE {dest} of {}", self.part.len());
        let mut towards = DestinationRoutes { through: self, dest, search: Search::new(&self.working) };
        towards.turn_to(dest);
        towards
    }

    /// The routes from a PE to all reachable PEs without a shared switch, by ascending destination.
    pub fn routes_from(&self, pe: u32) -> Vec<ThroughRoute> {
        if pe as usize >= self.part.len() {
            return Vec::new();
        }
        let mut search = Search::new(&self.working);
        search.run(&self.working, pe);
        let route = |(dest, next)| ThroughRoute { dest, next, intermediaries: search.distance(dest) - 1 };
        let kept = |&dest: &u32| Some((dest, self.kept(pe, dest)?));
        let mut routes: Vec<ThroughRoute> = match self.table() {
            Some(_) => search.order().iter().filter_map(kept).map(route).collect(),
            None => {
                first_hops::from(&self.working, &self.costs, &search, pe).into_iter().map(route).collect()
            }
        };
        routes.sort_unstable_by_key(|route| route.dest);
        routes
    }

    /// Routes through each PE, one per direction of a pair; takes a search per destination.
    pub fn load(&self) -> Vec<u64> {
        let pes = self.part.len();
        let (mut load, mut carried) = (vec![0u64; pes], vec![0u64; pes]);
        let mut towards = DestinationRoutes { through: self, dest: 0, search: Search::new(&self.working) };
        for dest in checked(0..pes as u32) {
            towards.turn_to(dest);
            // From the farthest inwards, each PE forwards its own route and those received.
            for &pe in towards.search.order().iter().rev() {
                let brought = std::mem::take(&mut carried[pe as usize]);
                if let Some(next) = towards.next(pe).filter(|&next| next != dest) {
                    carried[next as usize] += brought + 1;
                    load[next as usize] += brought + 1;
                }
            }
        }
        load
    }

    fn table(&self) -> Option<&[u32]> {
        let small = self.part.len() <= BALANCED_PES as usize;
        small.then(|| self.table.get_or_init(|| balanced::table(&self.working, &self.costs)).as_slice())
    }

    /// The table's next PE, of a small design.
    fn kept(&self, pe: u32, dest: u32) -> Option<u32> {
        let table = self.table()?;
        Some(table[pe as usize * self.part.len() + dest as usize]).filter(|&next| next != FAR)
    }
}

/// All routes to one destination.
#[derive(Clone, Debug)]
pub struct DestinationRoutes<'a> {
    through: &'a ThroughRoutes,
    dest: u32,
    search: Search,
}

impl DestinationRoutes<'_> {
    /// Changes the destination and reuses memory. Panics if the PE does not exist.
    pub fn turn_to(&mut self, dest: u32) {
        self.dest = dest;
        self.search.run(&self.through.working, dest);
    }

    /// The destination.
    pub fn dest(&self) -> u32 {
        self.dest
    }

    /// PEs between a PE and the destination, 0 with a shared switch. `None` as for [`ThroughRoutes::next_hop`].
    pub fn intermediaries(&self, pe: u32) -> Option<u32> {
        self.through.reaches(pe, self.dest).then(|| self.search.distance(pe) - 1)
    }

    /// As [`ThroughRoutes::next_hop`].
    pub fn next(&self, pe: u32) -> Option<u32> {
        match self.intermediaries(pe)? {
            0 => Some(self.dest),
            _ if self.through.table().is_some() => self.through.kept(pe, self.dest),
            _ => self
                .search
                .nearer(&self.through.working, pe, |next| self.through.costs.key(pe, self.dest, next)),
        }
    }

    /// As [`ThroughRoutes::path`].
    pub fn path(&self, pe: u32) -> Option<Vec<u32>> {
        let mut path = vec![pe];
        let mut at = pe;
        while at != self.dest || path.len() == 1 {
            at = self.next(at)?;
            path.push(at);
        }
        Some(path)
    }
}
