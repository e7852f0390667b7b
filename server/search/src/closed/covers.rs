//! Small graphs and their covers by partitions, structured or found by a short search.

use spec::{cancel::checked, random::Rng, union_find::UnionFind};

/// A graph on the values of a digit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    pub size: u32,
    /// Edges, ascending, lower vertex first.
    pub edges: Vec<(u32, u32)>,
}

impl Graph {
    pub fn new(size: u32, edges: Vec<(u32, u32)>) -> Graph {
        Graph { size, edges }
    }

    pub fn degree(&self) -> u64 {
        let mut degrees = vec![0u64; self.size as usize];
        for &(a, b) in &self.edges {
            degrees[a as usize] += 1;
            degrees[b as usize] += 1;
        }
        degrees.into_iter().max().unwrap_or(0)
    }
}

/// Partitions of a graph's vertices such that every edge is inside a part of one of them.
#[derive(Clone, Debug)]
pub struct Cover {
    /// Largest part of each partition, falling.
    pub sizes: Vec<u32>,
    /// Part of each vertex in each partition; numbered below the number of vertices.
    pub layers: Vec<Vec<u32>>,
    /// Number of parts by size in each partition, sizes rising.
    pub counts: Vec<Vec<(u32, u64)>>,
}

/// Number of covers kept that differ only in their smaller parts: which of them fit on switches is not known yet.
const MAX_ALIKE: usize = 3;

impl Cover {
    /// From the part of each vertex in each partition. Drops partitions into single vertices.
    pub fn new(layers: impl IntoIterator<Item = Vec<u32>>) -> Cover {
        let mut sized: Vec<(u32, Vec<u32>)> = layers.into_iter().map(|l| (widest(&l), l)).collect();
        sized.retain(|&(size, _)| size > 1);
        sized.sort_by_key(|&(size, _)| std::cmp::Reverse(size));
        let counts = sized.iter().map(|(_, layer)| counts(layer)).collect();
        let (sizes, layers) = sized.into_iter().unzip();
        Cover { sizes, layers, counts }
    }

    /// `true` if this cover fits wherever the other does.
    pub fn dominates(&self, other: &[u32]) -> bool {
        self.sizes.len() <= other.len() && self.sizes.iter().zip(other).all(|(a, b)| a <= b)
    }
}

/// Adds a cover unless it is dominated, and drops those that it dominates.
pub fn keep(covers: &mut Vec<Cover>, cover: Cover) {
    let mut alike = covers.iter().filter(|c| c.sizes == cover.sizes).peekable();
    let useless = if alike.peek().is_some() {
        alike.clone().any(|c| c.counts == cover.counts) || alike.count() >= MAX_ALIKE
    } else {
        covers.iter().any(|c| c.dominates(&cover.sizes))
    };
    if !useless {
        covers.retain(|c| c.sizes == cover.sizes || !cover.dominates(&c.sizes));
        covers.push(cover);
    }
}

fn widest(parts: &[u32]) -> u32 {
    part_sizes(parts).into_iter().max().unwrap_or(0)
}

fn counts(parts: &[u32]) -> Vec<(u32, u64)> {
    let mut sizes = part_sizes(parts);
    sizes.retain(|&size| size > 0);
    sizes.sort_unstable();
    sizes.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u64)).collect()
}

fn part_sizes(parts: &[u32]) -> Vec<u32> {
    let mut sizes = vec![0; parts.len()];
    for &part in parts {
        sizes[part as usize] += 1;
    }
    sizes
}

/// Maximum of vertices times edges for which pairs of partitions are tried.
const MAX_WORK: usize = 1 << 17;

/// Maximum number of vertices for which runs of all lengths are tried, not only the shortest, the longest and
/// divisors.
const MAX_LENGTHS: u32 = 256;

/// Covers with up to `max` partitions and parts up to `width`: runs of values, residue classes, and last the
/// connected parts of what remains. Keeps undominated covers, and separately those with parts as large as a switch,
/// which leave no port free.
pub fn structured(graph: &Graph, width: u32, max: u32) -> Vec<Cover> {
    let mut covers = [Vec::new(), Vec::new()];
    let depth = if graph.size as usize * graph.edges.len() > MAX_WORK { 2 } else { 3 };
    let candidates = partitions(graph.size, width);
    descend(graph, &graph.edges, &candidates, width, depth.min(max), &mut Vec::new(), &mut covers);
    let mut covers = covers.concat();
    covers.sort_by(|a, b| a.sizes.len().cmp(&b.sizes.len()).then_with(|| a.sizes.cmp(&b.sizes)));
    covers
}

fn descend(
    graph: &Graph,
    left: &[(u32, u32)],
    candidates: &[Vec<u32>],
    width: u32,
    depth: u32,
    chosen: &mut Vec<Vec<u32>>,
    covers: &mut [Vec<Cover>; 2],
) {
    if depth == 0 {
        return;
    }
    if let Some(last) = components(graph.size, left.iter().copied(), width) {
        let cover = Cover::new(chosen.iter().cloned().chain([last]));
        let full = cover.sizes.first() == Some(&width);
        keep(&mut covers[usize::from(full)], cover);
    }
    if depth == 1 {
        return;
    }
    for (at, parts) in checked(candidates.iter().enumerate()) {
        let rest: Vec<(u32, u32)> =
            left.iter().copied().filter(|&(a, b)| parts[a as usize] != parts[b as usize]).collect();
        if rest.len() < left.len() {
            chosen.push(parts.clone());
            descend(graph, &rest, &candidates[at + 1..], width, depth - 1, chosen, covers);
            chosen.pop();
        }
    }
}

/// Runs of values and residue classes, with at least two values each.
fn partitions(size: u32, width: u32) -> Vec<Vec<u32>> {
    let short = |l: u32| size <= MAX_LENGTHS || l <= 3 || l == width;
    let lengths: Vec<u32> =
        (2..=width.min(size - 1)).filter(|&l| short(l) || size.is_multiple_of(l)).collect();
    let runs = lengths.iter().map(|&l| (0..size).map(|v| v / l).collect());
    let shifted = lengths.iter().map(|&l| (0..size).map(|v| (v + l / 2) % size / l).collect());
    let classes = lengths.iter().filter(|&&l| size.is_multiple_of(l));
    let classes = classes.map(|&l| (0..size).map(|v| v % (size / l)).collect());
    runs.chain(classes).chain(shifted).collect()
}

/// The connected part of each vertex, if none is larger than `width`.
pub fn components(size: u32, edges: impl Iterator<Item = (u32, u32)>, width: u32) -> Option<Vec<u32>> {
    let mut parts = UnionFind::new(size);
    let mut sizes = vec![1u32; size as usize];
    for (a, b) in checked(edges) {
        let (one, other) = (parts.root(a), parts.root(b));
        if one != other {
            parts.join_under(one, other);
            sizes[one as usize] += sizes[other as usize];
            if sizes[one as usize] > width {
                return None;
            }
        }
    }
    Some((0..size).map(|v| parts.root(v)).collect())
}

/// Maximum number of vertices: bits of a machine word.
const MAX_VERTICES: u32 = 128;

/// Fixed, so that a graph always has the same covers.
const SEED: u64 = 0x7061_7274;

/// Moves per vertex and partition of one try, and for all tries on one demand.
const MOVES: u32 = 150;
pub const ALL_MOVES: u64 = 400_000;

/// First and last temperature, in uncovered edges.
const HOT: f64 = 0.9;
const COOL: f64 = 0.2;

/// Adds better covers of two or three partitions by simulated annealing; `false` if `go_on` said no.
pub fn annealed(
    graph: &Graph,
    (width, max): (u32, u32),
    covers: &mut Vec<Cover>,
    moves_left: &mut u64,
    go_on: &mut dyn FnMut() -> bool,
) -> bool {
    if graph.size > MAX_VERTICES || graph.edges.is_empty() {
        return true;
    }
    let partners = partners(graph);
    let densest = densest(&partners);
    let widest = width.min(graph.size);
    for wanted in falling(widest, max.min(3)) {
        let mut sizes = wanted;
        while let Some(last) = sizes.last_mut().filter(|last| **last > 1) {
            *last -= 1;
            if covers.iter().any(|c| c.dominates(&sizes)) {
                continue;
            }
            if !go_on() {
                return false;
            }
            let holds: u64 = sizes.iter().map(|&s| u64::from(densest[s as usize])).sum();
            if holds < 2 * graph.edges.len() as u64 {
                break;
            }
            let Some(layers) = anneal(graph, &sizes, moves_left) else { break };
            keep(covers, Cover::new(layers));
        }
    }
    true
}

/// All falling lists of two to `max` sizes, with the last one above the first value to try.
fn falling(widest: u32, max: u32) -> Vec<Vec<u32>> {
    let mut all = Vec::new();
    let two: Vec<Vec<u32>> = (2..=widest).map(|a| vec![a, a + 1]).collect();
    if max >= 3 {
        all.extend((2..=widest).flat_map(|a| (2..=a).map(move |b| vec![a, b, b + 1])));
    }
    if max >= 2 { [two, all].concat() } else { Vec::new() }
}

/// For each part size, an estimate of twice the edges inside a partition into such parts, by greedy growth from each
/// vertex.
fn densest(partners: &[u128]) -> Vec<u32> {
    let size = partners.len();
    let mut max = vec![0u32; size + 1];
    for start in checked(0..size) {
        let (mut set, mut edges) = (1u128 << start, 0);
        for entry in &mut max[2..] {
            let outside = (0..size).filter(|&v| set >> v & 1 == 0);
            let Some(next) = outside.max_by_key(|&v| (partners[v] & set).count_ones()) else { break };
            edges += (partners[next] & set).count_ones();
            set |= 1 << next;
            *entry = edges.max(*entry);
        }
    }
    // A smaller part may be denser, so the best of all sizes up to this one counts.
    let mut best = 0.0f64;
    for (count, entry) in max.iter_mut().enumerate().skip(1) {
        best = best.max(f64::from(*entry) / count as f64);
        *entry = libm::ceil(2.0 * best * size as f64) as u32;
    }
    max
}

fn partners(graph: &Graph) -> Vec<u128> {
    let mut partners = vec![0u128; graph.size as usize];
    for &(a, b) in &graph.edges {
        partners[a as usize] |= 1 << b;
        partners[b as usize] |= 1 << a;
    }
    partners
}

/// A cover by partitions of these sizes, if one is found. Slots beyond the vertices hold dummies. A move swaps one
/// end of an uncovered edge into a part of the other end; one machine word per part holds its members.
fn anneal(graph: &Graph, sizes: &[u32], moves_left: &mut u64) -> Option<Vec<Vec<u32>>> {
    let reach: u64 = sizes.iter().map(|&s| u64::from(s - 1)).sum();
    if reach < graph.degree() {
        return None;
    }
    let mut state = State::new(graph, sizes);
    let mut rng = Rng::new(SEED, 0);
    let moves = MOVES * graph.size * sizes.len() as u32;
    *moves_left = moves_left.checked_sub(u64::from(moves))?;
    let mut heat = HOT;
    let cooling = libm::pow(COOL / HOT, 64.0 / f64::from(moves));
    for step in checked(0..moves) {
        if step % 64 == 63 {
            heat *= cooling;
        }
        if !state.step(heat, &mut rng) {
            return Some(state.layers(graph.size));
        }
    }
    None
}

struct State<'a> {
    graph: &'a Graph,
    partners: Vec<u128>,
    sizes: &'a [u32],
    layers: Vec<Layer>,
    uncovered: u32,
}

struct Layer {
    /// Occupant of each slot: vertices, then dummies.
    who: Vec<u32>,
    slot: Vec<u32>,
    members: Vec<u128>,
}

impl<'a> State<'a> {
    /// Starts with consecutive vertices in the first partition and strided ones in the others.
    fn new(graph: &'a Graph, sizes: &'a [u32]) -> State<'a> {
        let partners = partners(graph);
        let layers =
            sizes.iter().enumerate().map(|(at, &size)| Layer::new(graph.size, size, at > 0)).collect();
        let mut state = State { graph, partners, sizes, layers, uncovered: 0 };
        state.uncovered = (0..graph.size).map(|v| state.missing(v).count_ones()).sum::<u32>() / 2;
        state
    }

    /// Uncovered partners of a vertex; none for a dummy.
    fn missing(&self, vertex: u32) -> u128 {
        let Some(&partners) = self.partners.get(vertex as usize) else { return 0 };
        let parts = self.layers.iter().zip(self.sizes);
        let with = parts.fold(0, |with, (layer, &size)| with | layer.members[layer.part(vertex, size)]);
        partners & !with
    }

    fn step(&mut self, heat: f64, rng: &mut Rng) -> bool {
        if self.uncovered == 0 {
            return false;
        }
        let Some((a, b)) = self.open_edge(rng) else { return false };
        let (mover, host) = if rng.chance(500) { (a, b) } else { (b, a) };
        let at = rng.below(self.layers.len() as u32) as usize;
        let size = self.sizes[at];
        let part = self.layers[at].part(host, size) as u32;
        let slot = part * size + rng.below(size);
        let guest = self.layers[at].who[slot as usize];
        if guest == host {
            return true;
        }
        let before = self.missing(mover).count_ones() + self.missing(guest).count_ones();
        self.layers[at].swap(mover, guest, size);
        let after = self.missing(mover).count_ones() + self.missing(guest).count_ones();
        let worse = f64::from(after) - f64::from(before);
        if worse > 0.0 && f64::from(rng.bits()) >= libm::exp(-worse / heat) * 4_294_967_296.0 {
            self.layers[at].swap(mover, guest, size);
        } else {
            self.uncovered = self.uncovered + after - before;
        }
        true
    }

    fn open_edge(&self, rng: &mut Rng) -> Option<(u32, u32)> {
        let edges = self.graph.edges.len() as u32;
        let start = rng.below(edges);
        (0..edges)
            .map(|i| self.graph.edges[((start + i) % edges) as usize])
            .find(|&(a, b)| self.missing(a) >> b & 1 == 1)
    }

    fn layers(&self, size: u32) -> Vec<Vec<u32>> {
        let parts = self.layers.iter().zip(self.sizes);
        parts.map(|(layer, &wide)| (0..size).map(|v| layer.part(v, wide) as u32).collect()).collect()
    }
}

impl Layer {
    fn new(vertices: u32, size: u32, strided: bool) -> Layer {
        let parts = vertices.div_ceil(size);
        let slots = parts * size;
        let place = |who: u32| if strided { who % parts * size + who / parts } else { who };
        let (mut who, slot): (Vec<u32>, Vec<u32>) =
            (vec![0; slots as usize], (0..slots).map(place).collect());
        let mut members = vec![0u128; parts as usize];
        for vertex in 0..slots {
            who[slot[vertex as usize] as usize] = vertex;
            if vertex < vertices {
                members[(slot[vertex as usize] / size) as usize] |= 1 << vertex;
            }
        }
        Layer { who, slot, members }
    }

    fn part(&self, vertex: u32, size: u32) -> usize {
        (self.slot[vertex as usize] / size) as usize
    }

    /// Swaps two occupants of different parts; dummies have no bit.
    fn swap(&mut self, a: u32, b: u32, size: u32) {
        let (in_a, in_b) = (self.part(a, size), self.part(b, size));
        let bit = |v: u32, bits: u128| if v < 128 { bits & (1 << v) } else { 0 };
        let (has_a, has_b) = (bit(a, self.members[in_a]), bit(b, self.members[in_b]));
        self.members[in_a] = self.members[in_a] & !has_a | has_b;
        self.members[in_b] = self.members[in_b] & !has_b | has_a;
        let (slot_a, slot_b) = (self.slot[a as usize], self.slot[b as usize]);
        self.who.swap(slot_a as usize, slot_b as usize);
        self.slot.swap(a as usize, b as usize);
    }
}
