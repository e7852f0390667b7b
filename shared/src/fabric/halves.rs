//! The least cut between halves of the hosts where every row of a grid of hosts has a switch: P-Meshes and rails.
//!
//! What a row costs depends only on how many of its hosts are on the first side, and grows ever more slowly up to half of
//! them (it is concave). In two dimensions one may therefore push all hosts of the first side to the beginning of their rows,
//! and then to the beginning of their columns: rows keep their numbers, and of all columns with those rows the pushed ones
//! are the most uneven (Gale 1957, Ryser 1957), so they cost least (Schur 1923). What is left are steps that go down, and the
//! cheapest of them are found row by row. In more dimensions the same holds for every two of them, so that layers shrink; that
//! each layer lies within the one before is left out, which gives a bound from below. The hosts that it chooses are a cut.

/// Steps that one cut may take.
const MAX_STEPS: u64 = 1 << 26;
/// Most numbers that are kept to tell which hosts the least cut chooses.
const MAX_KEPT: u64 = 1 << 21;

/// What the rows of a dimension cost: entry `n` is for `n` hosts of the row on the first side, from 0 to all.
pub(super) type RowCosts = Vec<u64>;

/// The least cut between halves, which differ by one where hosts are odd in number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Halves {
    /// No cut costs less.
    pub least: u64,
    /// The hosts of the first side of a good cut, by their numbers in the order of [`halves`]'s dimensions, the first one
    /// fastest; in two dimensions it costs the least. None where there are too many to tell.
    pub chosen: Option<Vec<u32>>,
}

/// The least cut of a grid with a switch a row; `None` where it takes too long. Every dimension's costs must be concave, with
/// nothing to pay for rows that are whole.
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

/// Hosts of the first side, so many of them, in the lowest layers' own least cuts.
fn choose(stacks: &[Stack], count: usize, before: u32, hosts: &mut Vec<u32>) {
    let Some((stack, below)) = stacks.split_last() else {
        return hosts.extend((0..count as u32).map(|place| before + place));
    };
    let places = stack.layer.len() as u32 - 1;
    for (layer, count) in (0..).zip(stack.layers(count)) {
        choose(below, count, before + layer * places, hosts);
    }
}

/// Layers that shrink, one for each place along a dimension.
struct Stack {
    /// What a layer costs by itself, for each number of its hosts.
    layer: Vec<u64>,
    /// How much more a row through the layers costs for one more layer.
    more: Vec<i64>,
    /// The least cost of each number of hosts in all.
    least: Vec<u64>,
    /// After each layer, the least cost for each number of its hosts and each number in all so far; empty if not kept.
    kept: Vec<Vec<i64>>,
}

/// What cannot be; far enough from the end for sums.
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

    /// What a layer with so many hosts costs, with what it adds to the rows through all layers.
    fn cost(&self, height: usize, count: usize) -> i64 {
        self.layer[count] as i64 + self.more[height] * count as i64
    }

    /// Hosts of each layer, so many in all, at the least cost.
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
