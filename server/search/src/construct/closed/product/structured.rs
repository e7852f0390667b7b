//! Covers that follow from the order of a digit's values: runs of consecutive values, values equal modulo something, and
//! last the connected parts of what such partitions leave.
//!
//! With runs of 16 of 64 values, a hypercube's upper bits and a torus's steps from one run to the next are left: they
//! connect the values that are equal modulo 16, four each, and join the classes of 0 and 15.

use super::cover::{Cover, Graph, keep};
use crate::construct::closed::blocks::root;

/// Most vertices times edges for which partitions before the last are tried in pairs.
const MOST_WORK: usize = 1 << 17;

/// Most vertices for which runs of every length are tried; beyond that, the shortest, the longest and those that divide the
/// number of vertices.
const MOST_LENGTHS: u32 = 256;

/// Covers with at most `most` partitions and no part larger than `width`: those of which none is as good as another, and, as
/// they leave no port free, the same among those with parts as large as a switch.
pub fn covers(graph: &Graph, width: u32, most: u32) -> Vec<Cover> {
    let mut covers = [Vec::new(), Vec::new()];
    let depth = if graph.size as usize * graph.edges.len() > MOST_WORK { 2 } else { 3 };
    let candidates = partitions(graph.size, width);
    descend(graph, &graph.edges, &candidates, width, depth.min(most), &mut Vec::new(), &mut covers);
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
    if let Some(last) = components(graph.size, left, width) {
        let cover = Cover::new(chosen.iter().cloned().chain([last]));
        let full = cover.sizes.first() == Some(&width);
        keep(&mut covers[usize::from(full)], cover);
    }
    if depth == 1 {
        return;
    }
    for (at, parts) in candidates.iter().enumerate() {
        let rest: Vec<(u32, u32)> =
            left.iter().copied().filter(|&(a, b)| parts[a as usize] != parts[b as usize]).collect();
        if rest.len() < left.len() {
            chosen.push(parts.clone());
            descend(graph, &rest, &candidates[at + 1..], width, depth - 1, chosen, covers);
            chosen.pop();
        }
    }
}

/// Runs of values and classes of equal remainders, of at least two values each.
fn partitions(size: u32, width: u32) -> Vec<Vec<u32>> {
    let short = |l: u32| size <= MOST_LENGTHS || l <= 3 || l == width;
    let lengths: Vec<u32> =
        (2..=width.min(size - 1)).filter(|&l| short(l) || size.is_multiple_of(l)).collect();
    let runs = lengths.iter().map(|&l| (0..size).map(|v| v / l).collect());
    let shifted = lengths.iter().map(|&l| (0..size).map(|v| (v + l / 2) % size / l).collect());
    let classes = lengths.iter().filter(|&&l| size.is_multiple_of(l));
    let classes = classes.map(|&l| (0..size).map(|v| v % (size / l)).collect());
    runs.chain(classes).chain(shifted).collect()
}

/// The connected part of each vertex, if none is larger than `width`.
fn components(size: u32, edges: &[(u32, u32)], width: u32) -> Option<Vec<u32>> {
    let mut parent: Vec<u32> = (0..size).collect();
    let mut sizes = vec![1u32; size as usize];
    for &(a, b) in edges {
        let (one, other) = (root(&mut parent, a), root(&mut parent, b));
        if one != other {
            parent[other as usize] = one;
            sizes[one as usize] += sizes[other as usize];
            if sizes[one as usize] > width {
                return None;
            }
        }
    }
    Some((0..size).map(|v| root(&mut parent, v)).collect())
}
