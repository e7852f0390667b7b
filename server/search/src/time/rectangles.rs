//! Wirings by structure: every plane cuts the lattice of a job into rectangles, each on one switch.
//!
//! The dimensions of a job are the axes of a lattice of nodes, and groups lie along them. Several jobs have a lattice each, and a plane
//! cuts all of them. A plane uses one NIC of every node. Its
//! rectangles are equal up to one node per axis. Planes with equal rectangles are cut at different places, so that a ring longer
//! than a switch is wide loses one NIC per hop, not all of them.
//!
//! Where uplink switches serve the pairs that share no switch, all planes alike are better: such a hop then has all NICs over uplinks.
//! [Lines](Grid::lines) of nodes, cut where a switch is full, leave few such hops on any switch.

use super::{FLOWS_PER_MOVE, clock::Clock};
use crate::{
    ledger::Ledger,
    problem::{NONE, Problem},
};
use spec::{
    random::Rng,
    spec::{
        Spec,
        job::{Dimension, Job},
    },
};
use std::{cmp::Reverse, collections::BTreeSet, ops::Range};

/// Max shapes of rectangles to choose from.
const MAX_SHAPES: usize = 40;
/// Max orders of axes that lines follow.
const MAX_LINES: usize = 24;
/// Cuts at random places that are tried for each plane.
const OTHER_CUTS: u32 = 12;

/// All nodes: a grid for each job.
#[derive(Clone, Debug, PartialEq)]
pub struct Lattice {
    /// Sizes of the axes of all grids.
    dims: Vec<u32>,
    grids: Vec<Grid>,
}

/// Nodes as points of a grid.
#[derive(Clone, Debug, PartialEq)]
struct Grid {
    /// Sizes of the axes; the first varies fastest.
    dims: Vec<u32>,
    /// The node at each point.
    nodes: Vec<u32>,
}

/// Equal rectangles on each grid: a lattice, and the numbers of parts per axis.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    lattice: usize,
    parts: Vec<u32>,
}

/// A plane: its rectangles, and where the first part of each axis begins.
#[derive(Clone, Debug, PartialEq)]
struct Plane {
    shape: Shape,
    cuts: Vec<u32>,
}

impl Lattice {
    /// The lattices of the spec's jobs: one with an axis for each dimension, and one with context and data parallelism as one axis, in
    /// the order of their rings. Without a job, or if axes cross nodes, all nodes on one axis.
    pub fn all(spec: &Spec) -> Vec<Lattice> {
        let line = || vec![Lattice::of(vec![Grid::line((0..spec.pes).collect())])];
        Lattice::of_jobs(spec).unwrap_or_else(line)
    }

    fn of_jobs(spec: &Spec) -> Option<Vec<Lattice>> {
        let nodes = |job: &Job| if spec.jobs.len() == 1 { spec.pes } else { job.node_count() };
        let of = |job: &Job| Grid::of_job(job, nodes(job));
        let (bases, rings): (Vec<Grid>, Vec<Option<Grid>>) =
            spec.jobs.iter().map(of).collect::<Option<Vec<_>>>()?.into_iter().unzip();
        let has_rings = rings.iter().any(Option::is_some);
        let joined =
            rings.into_iter().zip(&bases).map(|(rings, base)| rings.unwrap_or(base.clone())).collect();
        let mut all = vec![bases.clone()];
        all.extend(has_rings.then_some(joined));
        // Nodes after those of all jobs.
        let idle: Vec<u32> = (spec.jobs.iter().map(nodes).sum()..spec.pes).collect();
        let with_idle = |mut grids: Vec<Grid>| {
            grids.extend((!idle.is_empty()).then(|| Grid::line(idle.clone())));
            Lattice::of(grids)
        };
        (!spec.jobs.is_empty()).then(|| all.into_iter().map(with_idle).collect())
    }

    fn of(grids: Vec<Grid>) -> Lattice {
        Lattice { dims: grids.iter().flat_map(|grid| grid.dims.clone()).collect(), grids }
    }

    /// The nodes in a row, grid after grid, each by its [lines](Grid::lines).
    fn lines(&self) -> Vec<Vec<u32>> {
        let lines: Vec<Vec<Vec<u32>>> = self.grids.iter().map(Grid::lines).collect();
        let most = lines.iter().map(Vec::len).max().unwrap_or(0);
        (0..most).map(|at| lines.iter().flat_map(|of| of[at.min(of.len() - 1)].clone()).collect()).collect()
    }

    /// The nodes of each rectangle of a plane, grid after grid.
    fn blocks(&self, plane: &Plane) -> Vec<Vec<u32>> {
        let mut first = 0;
        let of = |grid: &Grid| {
            let axes = first..first + grid.dims.len();
            first = axes.end;
            grid.blocks(&plane.shape.parts[axes.clone()], &plane.cuts[axes])
        };
        self.grids.iter().flat_map(of).collect()
    }

    /// Numbers of parts per axis: the best [shapes](Grid::shapes) of all grids, the second ones, and so on; then those with one grid's
    /// other shapes.
    fn shapes(&self, width: u32) -> Vec<Vec<u32>> {
        let shapes: Vec<Vec<Vec<u32>>> = self.grids.iter().map(|grid| grid.shapes(width)).collect();
        if shapes.iter().any(Vec::is_empty) {
            return Vec::new();
        }
        let most = shapes.iter().map(Vec::len).max().unwrap_or(0);
        let with = |at: &dyn Fn(usize) -> usize| -> Vec<u32> {
            let of = |(grid, of): (usize, &Vec<Vec<u32>>)| of[at(grid).min(of.len() - 1)].clone();
            shapes.iter().enumerate().flat_map(of).collect()
        };
        let mut all: Vec<Vec<u32>> = (0..most).map(|at| with(&|_| at)).collect();
        for at in 1..most {
            all.extend((0..shapes.len()).map(|grid| with(&|other| if other == grid { at } else { 0 })));
        }
        let mut known = BTreeSet::new();
        all.retain(|parts| known.insert(parts.clone()));
        all
    }
}

impl Grid {
    /// One axis.
    fn line(nodes: Vec<u32>) -> Grid {
        Grid { dims: vec![nodes.len() as u32], nodes }
    }

    /// The grid of a job on so many nodes, and the one with its rings as one axis, if that differs.
    fn of_job(job: &Job, pes: u32) -> Option<(Grid, Option<Grid>)> {
        let each = job.ranks_per_pe;
        let (mut inside, mut dims, mut in_ring) = (each, Vec::new(), Vec::new());
        for (mut size, is_data) in axes(job) {
            // The first axes lie inside nodes.
            let shared = if inside.is_multiple_of(size) { size } else { inside };
            if !size.is_multiple_of(shared) {
                return None;
            }
            inside /= shared;
            size /= shared;
            if size > 1 {
                dims.push(size);
                in_ring.push(is_data);
            }
        }
        let points: u32 = dims.iter().product();
        let node = |point: u32| {
            let node = job.node_of(point * each);
            (1..each).all(|rank| job.node_of(point * each + rank) == node).then_some(node)
        };
        if points != pes {
            return None;
        }
        let nodes: Vec<u32> = (0..points).map(node).collect::<Option<_>>()?;
        let mut once = nodes.clone();
        once.sort_unstable();
        once.dedup();
        if once.len() != nodes.len() {
            return None;
        }
        let base = Grid { dims, nodes };
        let rings = base.joined(&in_ring);
        Some((base, rings))
    }

    /// Joins some axes into one, the first; `None` if these are fewer than two.
    fn joined(&self, together: &[bool]) -> Option<Grid> {
        if together.iter().filter(|&&is| is).count() < 2 {
            return None;
        }
        let axes = || self.dims.iter().zip(together);
        let ring: u32 = axes().filter(|(_, is)| **is).map(|(size, _)| size).product();
        let others = axes().filter(|(_, is)| !**is).map(|(&size, _)| size);
        let dims: Vec<u32> = std::iter::once(ring).chain(others).collect();
        let mut nodes = vec![0; self.nodes.len()];
        for (point, &node) in (0u32..).zip(&self.nodes) {
            let (mut rest, mut at, mut strides) = (point, 0, [1, ring]);
            for (&size, &is) in axes() {
                let stride = &mut strides[usize::from(!is)];
                at += rest % size * *stride;
                *stride *= size;
                rest /= size;
            }
            nodes[at as usize] = node;
        }
        Some(Grid { dims, nodes })
    }

    /// The nodes in a row, along one axis after another, for up to [`MAX_LINES`] orders of the axes.
    fn lines(&self) -> Vec<Vec<u32>> {
        let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
        for _ in &self.dims {
            let longer = |order: &Vec<usize>| -> Vec<Vec<usize>> {
                let free = (0..self.dims.len()).filter(|axis| !order.contains(axis));
                free.map(|axis| [&order[..], &[axis]].concat()).collect()
            };
            orders = orders.iter().flat_map(longer).take(MAX_LINES).collect();
        }
        let place = |order: &[usize], point: u32| {
            let (mut rest, mut at) = (point, vec![0; self.dims.len()]);
            for (at, &size) in at.iter_mut().zip(&self.dims) {
                *at = rest % size;
                rest /= size;
            }
            order.iter().rev().fold(0, |place, &axis| place * self.dims[axis] + at[axis])
        };
        let line = |order: Vec<usize>| {
            let mut nodes = vec![0; self.nodes.len()];
            (0u32..).zip(&self.nodes).for_each(|(point, &node)| nodes[place(&order, point) as usize] = node);
            nodes
        };
        orders.into_iter().map(line).collect()
    }

    /// The nodes of each rectangle, rectangles ascending.
    fn blocks(&self, parts: &[u32], cuts: &[u32]) -> Vec<Vec<u32>> {
        let mut blocks = vec![Vec::new(); parts.iter().product::<u32>() as usize];
        for (point, &node) in (0u32..).zip(&self.nodes) {
            let (mut rest, mut block, mut stride) = (point, 0, 1);
            for ((&size, &parts), &cut) in self.dims.iter().zip(parts).zip(cuts) {
                let at = (rest % size + size - cut % size) % size;
                block += (u64::from(at) * u64::from(parts) / u64::from(size)) as u32 * stride;
                stride *= parts;
                rest /= size;
            }
            blocks[block as usize].push(node);
        }
        blocks
    }

    /// Numbers of parts per axis for rectangles of at most `width` nodes that no axis could be longer in; the fullest first.
    fn shapes(&self, width: u32) -> Vec<Vec<u32>> {
        let mut shapes: Vec<(u32, Vec<u32>)> = vec![(1, Vec::new())];
        for &size in &self.dims {
            let mut next = Vec::new();
            for (nodes, parts) in &shapes {
                let mut before = 0;
                for count in (1..=size).rev() {
                    let length = size.div_ceil(count);
                    if length == before || u64::from(*nodes) * u64::from(length) > u64::from(width) {
                        continue;
                    }
                    // The fewest parts that make rectangles no longer than that.
                    before = length;
                    next.push((nodes * length, [&parts[..], &[size.div_ceil(length)]].concat()));
                }
            }
            shapes = next;
        }
        let longer = |parts: &[u32], axis: usize| {
            let length = |axis: usize, parts: u32| self.dims[axis].div_ceil(parts);
            let now = length(axis, parts[axis]);
            let more = (1..parts[axis]).rev().map(|parts| length(axis, parts)).find(|&other| other > now);
            let others: u32 = (0..parts.len())
                .filter(|&other| other != axis)
                .map(|other| length(other, parts[other]))
                .product();
            more.is_some_and(|more| u64::from(more) * u64::from(others) <= u64::from(width))
        };
        shapes.retain(|(_, parts)| !(0..parts.len()).any(|axis| longer(parts, axis)));
        let waste = |(nodes, parts): &(u32, Vec<u32>)| {
            let blocks: u32 = parts.iter().product();
            (blocks.div_ceil(width / nodes), parts.clone())
        };
        shapes.sort_by_key(waste);
        shapes.dedup();
        shapes.into_iter().map(|(_, parts)| parts).collect()
    }
}

/// Sizes of the axes of a job's ranks, the fastest first, with experts as an axis of their own where they divide the others.
/// `true` for those of data parallelism.
fn axes(job: &Job) -> Vec<(u32, bool)> {
    let split = |dimension: &Dimension| match dimension {
        // Groups of experts lie inside context and data parallelism, in this order.
        Dimension::Cp => vec![job.cp],
        Dimension::Dp if job.ep > 1 && job.ep.is_multiple_of(job.cp) => {
            vec![job.ep / job.cp, job.cp * job.dp / job.ep]
        }
        Dimension::Dp => vec![job.dp],
        Dimension::Tp => vec![job.tp],
        Dimension::Pp => vec![job.pp],
        Dimension::Ep | Dimension::Edp => Vec::new(),
    };
    let is_data = |dimension: &Dimension| matches!(dimension, Dimension::Cp | Dimension::Dp);
    let of = |dimension: &Dimension| {
        let is_data = is_data(dimension);
        split(dimension).into_iter().map(move |size| (size, is_data))
    };
    job.order.iter().flat_map(of).collect()
}

/// Calls `found` with wirings by rectangles, each better than those before it of the same beginning, as the switch of every NI.
/// `None` if the ledger stops.
pub fn search(
    problem: &Problem,
    spec: &Spec,
    clock: &Clock,
    rng: &mut Rng,
    ledger: &mut Ledger,
    found: &mut dyn FnMut(Vec<u32>, &mut Ledger),
) -> Option<()> {
    let lattices = Lattice::all(spec);
    let width =
        (0..problem.switches()).map(|switch| problem.ports_of(switch).len() as u32).max().unwrap_or(0);
    let of = |(lattice, of): (usize, &Lattice)| -> Vec<Shape> {
        let shapes = if width == 0 { Vec::new() } else { of.shapes(width) };
        shapes.into_iter().map(|parts| Shape { lattice, parts }).take(MAX_SHAPES / lattices.len()).collect()
    };
    let shapes: Vec<Shape> = lattices.iter().enumerate().flat_map(of).collect();
    if shapes.is_empty() {
        return Some(());
    }
    if clock.serves_over_uplinks {
        for lattice in &lattices {
            let unit = lattice.dims.first().copied().unwrap_or(1);
            for line in lattice.lines() {
                for genome in rows(problem, &line, unit) {
                    let flows = clock.flows.len() as u64;
                    if !ledger.spend(1 + flows / FLOWS_PER_MOVE) {
                        return None;
                    }
                    found(genome, ledger);
                }
            }
        }
    }
    let is_odd = |node| problem.nis_of(node).len() % 2 == 1 && problem.nis_of(node).len() > 1;
    // The last NIC of an odd number is a device by itself. It may do better without a cable.
    let both = clock.is_selective() && (0..problem.pes()).any(is_odd);
    // Two nodes that share no switch have all of their NICs over uplinks, and those that share some only these.
    let ways = if clock.serves_over_uplinks { &[true, false][..] } else { &[false] };
    for is_even in if both { &[true, false][..] } else { &[false] } {
        for is_aligned in ways {
            let (is_even, is_aligned) = (*is_even, *is_aligned);
            let mut trial = Trial { problem, clock, lattices: &lattices, is_even, is_aligned, ledger };
            trial.search(&shapes, rng, found)?;
        }
    }
    Some(())
}

/// A line of nodes on switches in order, alike in every plane, as the switch of every NI: as many nodes on each as it has ports, as
/// few as all switches together allow, and a multiple or a divisor of `unit` nodes.
fn rows(problem: &Problem, line: &[u32], unit: u32) -> Vec<Vec<u32>> {
    let planes = (0..problem.pes()).map(|node| problem.nis_of(node).len() as u32).max().unwrap_or(0);
    let part =
        |plane: u32| (u64::from(problem.switches()) * u64::from(plane) / u64::from(planes.max(1))) as u32;
    let switches = |plane: u32| match problem.rail() {
        Some(rail) => rail.switches_of(plane),
        None => part(plane)..part(plane + 1),
    };
    let widths = |plane: u32| switches(plane).map(|switch| problem.ports_of(switch).len() as u32);
    let most = (0..planes).flat_map(widths).max().unwrap_or(0);
    let least =
        (0..planes).map(|plane| (line.len() as u32).div_ceil((switches(plane).len() as u32).max(1))).max();
    let even = |length: &u32| length.is_multiple_of(unit) || unit.is_multiple_of(*length);
    let mut lengths: Vec<u32> = least.into_iter().chain([most]).chain((1..=most).rev().find(even)).collect();
    lengths.retain(|&length| length > 0);
    lengths.sort_unstable();
    lengths.dedup();
    let row = |length: u32| {
        let mut genome = vec![NONE; problem.nis() as usize];
        for plane in 0..planes {
            let mut own = line.iter().filter_map(|&node| problem.nis_of(node).nth(plane as usize));
            for switch in switches(plane) {
                let room = (problem.ports_of(switch).len() as u32).min(length);
                own.by_ref().take(room as usize).for_each(|ni| genome[ni] = switch);
            }
        }
        genome
    };
    lengths.into_iter().map(row).collect()
}

impl Trial<'_, '_> {
    /// NICs of a node that get a cable.
    fn nics(&self, node: u32) -> usize {
        match self.problem.nis_of(node).len() {
            nics if self.is_even && nics > 1 => nics - nics % 2,
            nics => nics,
        }
    }

    fn search(
        &mut self,
        shapes: &[Shape],
        rng: &mut Rng,
        found: &mut dyn FnMut(Vec<u32>, &mut Ledger),
    ) -> Option<()> {
        let (clock, lattices) = (self.clock, self.lattices);
        let planes = (0..self.problem.pes()).map(|node| self.nics(node)).max().unwrap_or(0);
        if planes == 0 {
            return Some(());
        }
        // All planes alike, or one after another, with and without regard for nodes that share no switch meanwhile.
        for apart in [None, Some(1.0), Some(0.0)] {
            let mut chosen: Vec<usize> = Vec::new();
            if let Some(apart) = apart {
                for _ in 0..planes {
                    let with = |shape: usize| [&chosen[..], &[shape]].concat();
                    let next = self.least(0..shapes.len(), with, shapes, apart)?;
                    chosen.push(next.1);
                }
            } else {
                let best = self.least(0..shapes.len(), |shape| vec![shape; planes], shapes, 1.0)?;
                chosen = vec![best.1; planes];
            }
            // A library that merges NICs in pairs tells the places of planes apart.
            let is_sorted = !clock.is_selective();
            if is_sorted {
                chosen.sort_unstable();
            }
            let planned = self.planes(&chosen, shapes);
            let mut energy = self.energy(&planned, 1.0)?;
            found(self.packed(&planned), self.ledger);
            if Clock::is_least(self.ledger.best_score().cost) {
                continue;
            }
            // One plane at a time takes another shape, as long as that helps.
            loop {
                let mut better = None;
                for at in 0..planes {
                    if is_sorted && at > 0 && chosen[at] == chosen[at - 1] {
                        continue;
                    }
                    let with = |shape: usize| {
                        let mut other = chosen.clone();
                        other[at] = shape;
                        if is_sorted {
                            other.sort_unstable();
                        }
                        other
                    };
                    let (least, shape) = self.least(0..shapes.len(), with, shapes, 1.0)?;
                    if least < energy && better.as_ref().is_none_or(|(found, _)| least < *found) {
                        better = Some((least, with(shape)));
                    }
                }
                let Some((least, other)) = better else { break };
                (energy, chosen) = (least, other);
                found(self.packed(&self.planes(&chosen, shapes)), self.ledger);
            }
            let mut cut = self.planes(&chosen, shapes);
            for plane in 0..planes {
                for attempt in 0..OTHER_CUTS {
                    let before = cut[plane].cuts.clone();
                    let dims = &lattices[cut[plane].shape.lattice].dims;
                    let axis = attempt as usize % dims.len();
                    cut[plane].cuts[axis] = rng.below(dims[axis]);
                    match self.energy(&cut, 1.0)? {
                        less if less < energy => energy = less,
                        _ => cut[plane].cuts = before,
                    }
                }
            }
            found(self.packed(&cut), self.ledger);
        }
        Some(())
    }
}

struct Trial<'a, 'l> {
    problem: &'a Problem,
    clock: &'a Clock,
    lattices: &'a [Lattice],
    /// `true` if the last NIC of an odd number gets no cable.
    is_even: bool,
    /// `true` if planes of one shape are cut at the same places.
    is_aligned: bool,
    ledger: &'a mut Ledger<'l>,
}

impl Trial<'_, '_> {
    /// Planes of these shapes; those of one shape are cut at places that are evenly apart, or at the same.
    fn planes(&self, chosen: &[usize], shapes: &[Shape]) -> Vec<Plane> {
        let place = |(at, &shape): (usize, &usize)| {
            let alike = chosen.iter().filter(|&&other| other == shape).count() as u32;
            let number = chosen[..at].iter().filter(|&&other| other == shape).count() as u32;
            // The two planes of a merged pair are cut far apart.
            let number = match self.clock.is_selective() {
                true => number / 2 + number % 2 * alike.div_ceil(2),
                false => number,
            };
            let shape = shapes[shape].clone();
            let cut = |(&size, &parts): (&u32, &u32)| match parts {
                1 => 0,
                _ if self.is_aligned => 0,
                _ => size.div_ceil(parts) * number / alike,
            };
            let cuts = self.lattices[shape.lattice].dims.iter().zip(&shape.parts).map(cut).collect();
            Plane { shape, cuts }
        };
        chosen.iter().enumerate().map(place).collect()
    }

    /// The number among `of` with the least energy, first of equal ones.
    fn least(
        &mut self,
        of: std::ops::Range<usize>,
        with: impl Fn(usize) -> Vec<usize>,
        shapes: &[Shape],
        apart: f64,
    ) -> Option<(f64, usize)> {
        let mut least = (f64::INFINITY, of.start);
        for number in of {
            let energy = self.energy(&self.planes(&with(number), shapes), apart)?;
            if energy < least.0 {
                least = (energy, number);
            }
        }
        Some(least)
    }

    /// Seconds, smoothed so that a busy channel counts more than a less busy one, with `apart` steps per flow that does not connect, over all flows. `None`
    /// if the ledger stops.
    fn energy(&mut self, planes: &[Plane], apart: f64) -> Option<f64> {
        let flows = self.clock.flows.len() as u64;
        if !self.ledger.spend(1 + flows / FLOWS_PER_MOVE) {
            return None;
        }
        let genome = self.packed(planes);
        let loads = self.clock.loads(self.problem, &genome);
        let energy = self.clock.energy(&loads.smooth(), &loads.misses);
        // Both directions of a flow.
        let missing = loads.misses.broken as f64 / 2.0;
        let step = self.clock.bound.step;
        let missing = if missing > 0.0 { 1.0 + 20.0 * missing / flows as f64 } else { 0.0 };
        Some(energy + apart * step * missing)
    }

    /// The wiring of some planes, as the switch of every NI: rectangles on switches with room for all of their nodes, then the others
    /// on what is left, as many of their nodes together as possible.
    fn packed(&self, planes: &[Plane]) -> Vec<u32> {
        let problem = self.problem;
        let mut packing = Packing {
            problem,
            genome: vec![NONE; problem.nis() as usize],
            room: (0..problem.switches()).map(|switch| problem.ports_of(switch).len() as u32).collect(),
            next: vec![0; problem.pes() as usize],
            left_out: vec![0; problem.pes() as usize],
            planes: if self.clock.is_selective() || self.is_aligned { planes.len() as u32 } else { 1 },
            is_aligned: self.is_aligned,
        };
        let mut rest = Vec::new();
        for (number, plane) in planes.iter().enumerate() {
            let mut blocks = self.lattices[plane.shape.lattice].blocks(plane);
            for block in &mut blocks {
                block.retain(|&node| number < self.nics(node));
            }
            let whole = |block: &Vec<u32>| !packing.seat_whole(number, block);
            rest.extend(
                blocks
                    .into_iter()
                    .filter(|block| !block.is_empty())
                    .filter(whole)
                    .map(|block| (number, block)),
            );
        }
        for (number, block) in rest {
            packing.seat_parts(number, block);
        }
        packing.genome
    }
}

struct Packing<'a> {
    problem: &'a Problem,
    genome: Vec<u32>,
    /// Free ports of each switch.
    room: Vec<u32>,
    /// NIs of each node in use, where any may take any switch.
    next: Vec<usize>,
    /// Times that each node was parted from its rectangle.
    left_out: Vec<u32>,
    /// Parts of the switches without rails, of which each plane prefers its own.
    planes: u32,
    /// `true` if all planes are to be alike.
    is_aligned: bool,
}

impl Packing<'_> {
    /// The NI of a node for a plane.
    fn ni(&self, plane: usize, node: u32) -> Option<usize> {
        let own = self.problem.nis_of(node);
        let place = if self.problem.rail().is_some() { plane } else { self.next[node as usize] };
        own.clone().nth(place).filter(|&ni| self.genome[ni] == NONE)
    }

    /// The switches of a plane, those that it prefers or all that it may take.
    fn switches(&self, plane: usize, prefers: bool) -> Range<u32> {
        let (plane, all) = (plane as u32, self.problem.switches());
        let part = |plane: u32| (u64::from(all) * u64::from(plane) / u64::from(self.planes)) as u32;
        match self.problem.rail() {
            Some(rail) => rail.switches_of(plane),
            None if prefers && self.planes > 1 => part(plane)..part(plane + 1),
            None => 0..all,
        }
    }

    fn may(&self, plane: usize, node: u32, switch: u32) -> bool {
        self.ni(plane, node).is_some() && !self.genome[self.problem.nis_of(node)].contains(&switch)
    }

    fn seat(&mut self, plane: usize, node: u32, switch: u32) {
        if let Some(ni) = self.ni(plane, node) {
            self.genome[ni] = switch;
            self.next[node as usize] += 1;
            self.room[switch as usize] -= 1;
        }
    }

    /// Seats a block on the fullest switch that takes all of it; `false` if there is none.
    fn seat_whole(&mut self, plane: usize, block: &[u32]) -> bool {
        let mut fullest: Option<u32> = None;
        for switch in self.switches(plane, true) {
            let room = self.room[switch as usize];
            let fuller = fullest.is_none_or(|other| room < self.room[other as usize]);
            if fuller && room >= block.len() as u32 && block.iter().all(|&node| self.may(plane, node, switch))
            {
                fullest = Some(switch);
            }
        }
        let Some(switch) = fullest else { return false };
        block.iter().for_each(|&node| self.seat(plane, node, switch));
        true
    }

    /// Seats as much of a block as fits together, those first that were left out most often, and then the rest.
    fn seat_parts(&mut self, plane: usize, mut block: Vec<u32>) {
        while !block.is_empty() {
            let fits = |switch: u32| {
                let takes = block.iter().filter(|&&node| self.may(plane, node, switch)).count() as u32;
                takes.min(self.room[switch as usize])
            };
            let best = |prefers: bool| {
                let fits = self.switches(plane, prefers).map(|switch| (fits(switch), switch));
                fits.max_by_key(|&(fit, switch)| (fit, Reverse(switch))).filter(|&(fit, _)| fit > 0)
            };
            let Some((_, switch)) = best(true).or_else(|| best(false)) else { return };
            if !self.is_aligned {
                block.sort_by_key(|&node| Reverse(self.left_out[node as usize]));
            }
            let mut apart = Vec::new();
            for node in block {
                if self.room[switch as usize] > 0 && self.may(plane, node, switch) {
                    self.seat(plane, node, switch);
                } else {
                    self.left_out[node as usize] += 1;
                    apart.push(node);
                }
            }
            block = apart;
        }
    }
}
