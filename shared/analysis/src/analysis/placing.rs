//! Vertices of a weighted graph on nodes of a wiring, so that little weight is between nodes without a shared switch.
//!
//! Trees of a group and the ranks of a job are such graphs. The start is the given place of each vertex. Up to
//! [`EXACT`] vertices, all placements are tried. Beyond, vertices with a missing switch swap places with the neighbours of their
//! partners as long as this helps. Random swaps follow, which are undone if they lead to nothing better (iterated local
//! search).

use crate::{cancel::check, design::Design, design::NiTable, random::Rng};
use std::collections::BTreeMap;

/// Max vertices whose placement is exact.
pub const EXACT: usize = 8;
/// Evaluated swaps that are enough for a large graph: about a second for sixteen edges per vertex.
pub const EFFORT: u64 = 4_000_000;
/// Random swaps without success before the search ends.
const KICKS: u32 = 300;

/// A placement of vertices on nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    /// The node of each vertex.
    pub nodes: Vec<u32>,
    /// Weight of the edges between nodes that share no switch.
    pub apart: f64,
    /// Weight of the edges between nodes that share no switch, in the given placement.
    pub given: f64,
}

/// Places vertices on the nodes of `start`, whose order is the given placement. The result is never worse than that.
///
/// At most `effort` swaps are evaluated. `edges` holds two vertices and a weight each. Vertices are numbered by their place in
/// `start`, whose nodes differ.
pub fn place(
    design: &Design,
    nis: &NiTable,
    edges: &[(u32, u32, f64)],
    start: &[u32],
    effort: u64,
) -> Placement {
    let mut search = Search::new(design, nis, edges, start, effort);
    let given = search.total();
    if given > 0.0 {
        match start.len() <= EXACT {
            true => search.exact(),
            false => search.improve(),
        }
    }
    Placement { apart: search.total(), given, nodes: search.nodes }
}

/// Edges of the two trees of [`Algorithm::Tree`](crate::spec::job::Algorithm::Tree) over so many nodes.
pub fn tree_edges(count: u32) -> Vec<(u32, u32, f64)> {
    use crate::{demand::collective::exchange, spec::job};
    let members: Vec<u32> = (0..count).collect();
    let mut edges = Vec::new();
    let (operation, algorithm) = (job::Operation::AllReduce, job::Algorithm::Tree);
    exchange(operation, algorithm, &members, 1.0, 1.0, |a, b, _| edges.push((a, b, 1.0)));
    edges
}

struct Search<'a> {
    design: &'a Design,
    nis: &'a NiTable,
    /// Partners of each vertex with the weight of the edge.
    partners: Vec<Vec<(u32, f64)>>,
    nodes: Vec<u32>,
    /// The vertex on each node.
    vertex: BTreeMap<u32, u32>,
    left: u64,
}

impl<'a> Search<'a> {
    fn new(
        design: &'a Design,
        nis: &'a NiTable,
        edges: &[(u32, u32, f64)],
        start: &[u32],
        effort: u64,
    ) -> Search<'a> {
        let mut partners = vec![Vec::new(); start.len()];
        for &(a, b, weight) in edges {
            partners[a as usize].push((b, weight));
            partners[b as usize].push((a, weight));
        }
        let vertex = start.iter().copied().zip(0..).collect();
        Search { design, nis, partners, nodes: start.to_vec(), vertex, left: effort }
    }

    fn is_apart(&self, a: u32, b: u32) -> bool {
        self.nis.shared(a, b).next().is_none()
    }

    /// Weight apart of the edges of a vertex on a node, without those to `except`.
    fn weight(&self, vertex: u32, node: u32, except: u32) -> f64 {
        let partners = self.partners[vertex as usize].iter().filter(|(other, _)| *other != except);
        let apart = partners.filter(|(other, _)| self.is_apart(node, self.nodes[*other as usize]));
        apart.map(|(_, weight)| weight).sum()
    }

    fn total(&self) -> f64 {
        let of = |vertex: u32| self.weight(vertex, self.nodes[vertex as usize], u32::MAX);
        (0..self.nodes.len() as u32).map(of).fold(0.0, |sum, weight| sum + weight) / 2.0
    }

    /// Change of the weight apart if two vertices swap places.
    fn swap_gain(&mut self, a: u32, b: u32) -> f64 {
        self.left = self.left.saturating_sub(1);
        let [x, y] = [a, b].map(|vertex| self.nodes[vertex as usize]);
        let old = self.weight(a, x, b) + self.weight(b, y, a);
        let new = self.weight(a, y, b) + self.weight(b, x, a);
        new - old
    }

    fn swap(&mut self, a: u32, b: u32) {
        self.nodes.swap(a as usize, b as usize);
        for vertex in [a, b] {
            self.vertex.insert(self.nodes[vertex as usize], vertex);
        }
    }

    /// Partners of a vertex that share no switch with it.
    fn missed(&self, vertex: u32) -> Vec<u32> {
        let node = self.nodes[vertex as usize];
        let partners = self.partners[vertex as usize].iter().map(|(other, _)| *other);
        partners.filter(|other| self.is_apart(node, self.nodes[*other as usize])).collect()
    }

    /// Vertices on the nodes that share a switch with a vertex's node.
    fn around(&self, vertex: u32) -> Vec<u32> {
        let switches = self.nis.of(self.nodes[vertex as usize]).iter();
        let nodes = switches.flat_map(|&switch| self.design.members(switch));
        let mut found: Vec<u32> = nodes.filter_map(|node| self.vertex.get(node).copied()).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Swaps vertices of the queue, which miss switches, to where they miss less weight. Returns the swaps.
    fn descend(&mut self, mut queue: Vec<u32>) -> Vec<(u32, u32)> {
        let mut swaps = Vec::new();
        while let Some(vertex) = queue.pop() {
            check();
            let missed = self.missed(vertex);
            let mut best = (-1e-9, vertex);
            for partner in missed {
                for other in self.around(partner) {
                    if self.left == 0 {
                        return swaps;
                    }
                    let gain = self.swap_gain(vertex, other);
                    // Relative to the weights, sums of them differ in their last bits.
                    if other != vertex && gain < best.0 * self.scale(vertex, other) {
                        best = (gain / self.scale(vertex, other), other);
                    }
                }
            }
            if best.1 != vertex {
                self.swap(vertex, best.1);
                swaps.push((vertex, best.1));
                queue.extend([vertex, best.1]);
            }
        }
        swaps
    }

    /// Weight of all edges of two vertices.
    fn scale(&self, a: u32, b: u32) -> f64 {
        [a, b].iter().flat_map(|&v| &self.partners[v as usize]).map(|(_, weight)| weight).sum()
    }

    fn improve(&mut self) {
        let all = |search: &Search| -> Vec<u32> {
            (0..search.nodes.len() as u32).filter(|&vertex| !search.missed(vertex).is_empty()).collect()
        };
        let bad = all(self);
        self.descend(bad);
        let mut rng = Rng::new(1, 0);
        let (mut total, mut failed) = (self.total(), 0);
        let mut bad = all(self);
        while failed < KICKS && self.left > 0 {
            let Some(&vertex) = rng.pick(&bad) else { return };
            let missed = self.missed(vertex);
            let Some(&partner) = rng.pick(&missed) else { return };
            let around = self.around(partner);
            let Some(&other) = rng.pick(&around).filter(|other| **other != vertex) else {
                failed += 1;
                continue;
            };
            self.swap(vertex, other);
            let mut touched: Vec<u32> = [vertex, other]
                .iter()
                .flat_map(|&v| self.partners[v as usize].iter().map(|(partner, _)| *partner))
                .collect();
            touched.extend([vertex, other]);
            let swaps = self.descend(touched);
            self.left = self.left.saturating_sub(self.nodes.len() as u64);
            let now = self.total();
            if now > total {
                swaps.into_iter().rev().for_each(|(a, b)| self.swap(a, b));
                self.swap(vertex, other);
                failed += 1;
                continue;
            }
            failed = if now < total { 0 } else { failed + 1 };
            total = now;
            bad = all(self);
        }
    }

    /// The best of all placements: vertex by vertex, as long as the weight apart is below the best.
    fn exact(&mut self) {
        let mut best = (self.total(), self.nodes.clone());
        let (mut taken, nodes) = (vec![false; self.nodes.len()], self.nodes.clone());
        self.extend(0, 0.0, &nodes, &mut taken, &mut best);
        self.nodes = best.1;
    }

    fn extend(
        &mut self,
        vertex: u32,
        apart: f64,
        nodes: &[u32],
        taken: &mut [bool],
        best: &mut (f64, Vec<u32>),
    ) {
        if apart >= best.0 {
            return;
        }
        if vertex as usize == nodes.len() {
            *best = (apart, self.nodes.clone());
            return;
        }
        for (at, &node) in nodes.iter().enumerate() {
            if !std::mem::replace(&mut taken[at], true) {
                let placed = self.partners[vertex as usize].iter().filter(|(other, _)| *other < vertex);
                let more: f64 = placed
                    .filter(|(other, _)| self.is_apart(node, self.nodes[*other as usize]))
                    .map(|(_, weight)| weight)
                    .sum();
                self.nodes[vertex as usize] = node;
                self.extend(vertex + 1, apart + more, nodes, taken, best);
                taken[at] = false;
            }
        }
    }
}
