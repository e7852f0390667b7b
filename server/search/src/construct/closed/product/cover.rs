//! Small graphs and their covers by partitions.

/// A graph on the values of a digit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// Number of vertices.
    pub size: u32,
    /// Edges, ascending, lower vertex first.
    pub edges: Vec<(u32, u32)>,
}

impl Graph {
    /// A graph of ascending edges.
    pub fn new(size: u32, edges: Vec<(u32, u32)>) -> Graph {
        Graph { size, edges }
    }

    /// The most edges at one vertex.
    pub fn degree(&self) -> u64 {
        let mut degrees = vec![0u64; self.size as usize];
        for &(a, b) in &self.edges {
            degrees[a as usize] += 1;
            degrees[b as usize] += 1;
        }
        degrees.into_iter().max().unwrap_or(0)
    }
}

/// Partitions of a graph's vertices such that each edge is within a part of one of them.
#[derive(Clone, Debug)]
pub struct Cover {
    /// The largest part of each partition, falling.
    pub sizes: Vec<u32>,
    /// For each partition the part of each vertex; parts are numbered below the number of vertices.
    pub layers: Vec<Vec<u32>>,
    /// For each partition how many parts there are of each size, sizes rising.
    pub counts: Vec<Vec<(u32, u64)>>,
}

/// Most covers kept that differ in their smaller parts alone: which of them go together onto switches, nobody knows yet.
const MOST_ALIKE: usize = 3;

impl Cover {
    /// From the part of each vertex in each partition. Partitions that part every two vertices are left out.
    pub fn new(layers: impl IntoIterator<Item = Vec<u32>>) -> Cover {
        let mut sized: Vec<(u32, Vec<u32>)> = layers.into_iter().map(|l| (widest(&l), l)).collect();
        sized.retain(|&(size, _)| size > 1);
        sized.sort_by_key(|&(size, _)| std::cmp::Reverse(size));
        let counts = sized.iter().map(|(_, layer)| counts(layer)).collect();
        let (sizes, layers) = sized.into_iter().unzip();
        Cover { sizes, layers, counts }
    }

    /// Whether wherever the other goes this one does.
    pub fn dominates(&self, other: &[u32]) -> bool {
        self.sizes.len() <= other.len() && self.sizes.iter().zip(other).all(|(a, b)| a <= b)
    }
}

/// Adds a cover unless one there is as good, and drops those that it makes useless.
pub fn keep(covers: &mut Vec<Cover>, cover: Cover) {
    let mut alike = covers.iter().filter(|c| c.sizes == cover.sizes).peekable();
    let useless = if alike.peek().is_some() {
        alike.clone().any(|c| c.counts == cover.counts) || alike.count() >= MOST_ALIKE
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
