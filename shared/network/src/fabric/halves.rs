//! The minimum cut between halves of the hosts where every row of a grid of hosts has a switch: P-Meshes and rails.
//!
//! A row's cost depends only on how many of its hosts are on the first side, and is concave. In two dimensions all hosts of
//! the first side may therefore move to the beginning of their rows, and then to the beginning of their columns: rows keep
//! their numbers, and of all columns with those rows these are the most uneven (Gale 1957, Ryser 1957), so they cost least
//! (Schur 1923). The result is a staircase, and the cheapest one is found row by row. In more dimensions the same holds for
//! every two of them, so that layers shrink. The search ignores that each layer lies within the one before, which gives a
//! lower bound. The hosts that it chooses are a cut.

const MAX_STEPS: u64 = 1 << 26;
/// Max numbers kept to find the hosts of the minimum cut.
const MAX_KEPT: u64 = 1 << 21;

/// Cost of a row of a dimension: entry `n` is for `n` hosts on the first side, from 0 to all.
pub(super) type RowCosts = Vec<u64>;

/// The minimum cut between halves, which differ by one if the number of hosts is odd.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Halves {
    /// Lower bound of every cut.
    pub least: u64,
    /// Hosts of the first side of a good cut, first dimension fastest; `None` if there are too many hosts.
    pub chosen: Option<Vec<u32>>,
}

/// The minimum cut of a grid with a switch per row; `None` if it takes too long. Costs are concave, and 0 for whole rows.
pub(super) fn halves(dimensions: &[RowCosts]) -> Option<Halves> {
    let (first, others) = dimensions.split_first()?;
    let side = |costs: &RowCosts| costs.len() as u64 - 1;
    let (mut places, mut steps) = (side(first), 0u64);
    for (number, costs) in others.iter().enumerate() {
        let all = places.checked_mul(side(costs))?;
        let wanted = if number + 1 == others.len() { all / 2 } else { all };
        steps = steps.checked_add(all.checked_mul(wanted)?)?;
        places = all;
    }
    if steps > MAX_STEPS {
        return None;
    }
    let mut stacks = Vec::new();
    let mut least = first.clone();
    for (number, costs) in others.iter().enumerate() {
        let all = (least.len() - 1) * (costs.len() - 1);
        let wanted = if number + 1 == others.len() { all / 2 } else { all };
        let stack = Stack::of(least, costs, wanted, steps <= MAX_KEPT);
        least = stack.least.clone();
        stacks.push(stack);
    }
    let half = (places / 2) as usize;
    let chosen = (steps <= MAX_KEPT).then(|| {
        let mut hosts = Vec::with_capacity(half);
        choose(&stacks, half, 0, &mut hosts);
        hosts
    });
    Some(Halves { least: least[half], chosen })
}

/// Chooses `count` hosts of the first side, in the lowest layers' own minimum cuts.
fn choose(stacks: &[Stack], count: usize, before: u32, hosts: &mut Vec<u32>) {
    let Some((stack, below)) = stacks.split_last() else {
        return hosts.extend((0..count as u32).map(|place| before + place));
    };
    let places = stack.layer.len() as u32 - 1;
    for (layer, count) in (0..).zip(stack.layers(count)) {
        choose(below, count, before + layer * places, hosts);
    }
}

/// Layers that shrink, one per place along a dimension.
struct Stack {
    /// Cost of a layer by itself, by number of its hosts.
    layer: Vec<u64>,
    /// Additional cost of a row through the layers, per layer.
    more: Vec<i64>,
    /// Min cost by number of hosts in all.
    least: Vec<u64>,
    /// After each layer, the min cost by number of its hosts and number in all so far; empty if not kept.
    kept: Vec<Vec<i64>>,
}

/// Cost of the impossible, small enough for sums.
const NEVER: i64 = i64::MAX / 4;

impl Stack {
    fn of(layer: Vec<u64>, rows: &RowCosts, wanted: usize, keep: bool) -> Stack {
        let more: Vec<i64> = rows.windows(2).map(|two| two[1] as i64 - two[0] as i64).collect();
        let (hosts, wide) = (layer.len() - 1, wanted + 1);
        let mut stack = Stack { layer, more, least: Vec::new(), kept: Vec::new() };
        let mut costs = vec![NEVER; (hosts + 1) * wide];
        costs[hosts * wide] = 0;
        for height in 0..stack.more.len() {
            shrink(&mut costs, wide);
            for count in 0..=hosts {
                let line = &mut costs[count * wide..][..wide];
                let cost = stack.cost(height, count);
                line.copy_within(..wide - count.min(wide), count.min(wide));
                line[..count.min(wide)].fill(NEVER);
                line.iter_mut().for_each(|sum| *sum = (*sum + cost).min(NEVER));
            }
            if keep {
                stack.kept.push(costs.clone());
            }
        }
        let fewest = |all: usize| (0..=hosts).map(|count| costs[count * wide + all]).min().unwrap_or(NEVER);
        stack.least = (0..wide).map(|all| fewest(all) as u64).collect();
        stack
    }

    /// Cost of a layer with `count` hosts, with its share of the rows through all layers.
    fn cost(&self, height: usize, count: usize) -> i64 {
        self.layer[count] as i64 + self.more[height] * count as i64
    }

    /// Hosts per layer at the minimum cost, for a given total number of hosts.
    fn layers(&self, mut all: usize) -> Vec<usize> {
        let wide = self.least.len();
        let mut layers = vec![0; self.more.len()];
        let mut at_least = 0;
        for height in (0..layers.len()).rev() {
            let cost = |count: &usize| self.kept[height][count * wide + all];
            let count = (at_least..self.layer.len()).min_by_key(cost).unwrap_or(at_least);
            layers[height] = count;
            (all, at_least) = (all - count, count);
        }
        layers
    }
}

/// The next layer may have fewer hosts than the one before, at no cost.
fn shrink(costs: &mut [i64], wide: usize) {
    for count in (1..costs.len() / wide).rev() {
        let (lower, upper) = costs.split_at_mut(count * wide);
        for (fewer, more) in lower[(count - 1) * wide..].iter_mut().zip(&upper[..wide]) {
            *fewer = (*fewer).min(*more);
        }
    }
}
