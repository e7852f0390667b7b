//! Uncovered pairs by weight, the measure of a fractional network (Mattox 2006, section 2.4).

use crate::{
    demand::{Demand, patterns},
    design::Verdict,
    spec::Spec,
};
use serde::{Deserialize, Serialize};

/// A requested pair that shares fewer switches than it wants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UncoveredPair {
    /// The lower node.
    pub a: u32,
    /// The higher node.
    pub b: u32,
    /// Weight of the pair.
    pub weight: f32,
    /// Labels of the patterns that request it.
    pub patterns: Vec<String>,
}

/// The heaviest `most` of the uncovered pairs, by falling weight, pairs of equal weight ascending.
pub fn left_out(spec: &Spec, demand: &Demand, uncovered: &[(u32, u32)], most: usize) -> Vec<UncoveredPair> {
    let found = |&(a, b): &(u32, u32)| demand.index_of(a, b).map(|pair| (demand.weight(pair), pair));
    let mut pairs: Vec<(f32, usize)> = uncovered.iter().filter_map(found).collect();
    // Pairs are numbered in ascending order.
    let heavier = |x: &(f32, usize), y: &(f32, usize)| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1));
    if most == 0 {
        return Vec::new();
    }
    if most < pairs.len() {
        pairs.select_nth_unstable_by(most - 1, heavier);
        pairs.truncate(most);
    }
    pairs.sort_unstable_by(heavier);
    let row = |(weight, pair): (f32, usize)| {
        let (a, b) = demand.pair(pair);
        UncoveredPair { a, b, weight, patterns: patterns::requesting(spec, demand.patterns_of(pair)) }
    };
    pairs.into_iter().map(row).collect()
}

/// Share of the requested weight that is served, 0 to 1; 1 where nothing is requested.
pub fn weight_served(verdict: &Verdict) -> f64 {
    if verdict.requested_weight > 0.0 {
        (1.0 - verdict.uncovered_weight / verdict.requested_weight).clamp(0.0, 1.0)
    } else {
        1.0
    }
}
