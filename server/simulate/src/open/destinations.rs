//! Destinations of traffic.

use crate::SimulateError;
use spec::{demand::Demand, form::says, random::Rng};
use work::simulation::{OpenTraffic, TrafficFault};

/// Rate and destinations of each logical node.
#[derive(Clone, Debug)]
pub struct Destinations {
    nodes: u32,
    kind: DestinationKind,
}

#[derive(Clone, Debug)]
enum DestinationKind {
    Uniform,
    /// Destination of each node; itself if it sends nothing.
    Fixed(Vec<u32>),
    HotSpot {
        node: u32,
        share: f64,
    },
    Weighted(WeightedPartners),
}

/// Partners of node p are `partners[starts[p]..starts[p + 1]]`.
#[derive(Clone, Debug)]
struct WeightedPartners {
    starts: Vec<u32>,
    partners: Vec<u32>,
    /// Running sums of the weights of each node's partners.
    sums: Vec<f32>,
    rates: Vec<f32>,
}

impl Destinations {
    /// Destinations of synthetic traffic.
    ///
    /// # Errors
    /// Returned if the traffic does not fit the number of nodes, or needs a demand ([`Destinations::of_demand`]).
    pub fn new(traffic: OpenTraffic, nodes: u32) -> Result<Destinations, SimulateError> {
        let fault = |accepted: String| {
            SimulateError::Traffic(TrafficFault {
                name: traffic.to_string(),
                advice: says(format!("{traffic} needs {accepted}; there are {nodes}.")),
            })
        };
        if nodes < 2 {
            return Err(fault("two or more nodes".into()));
        }
        let n = nodes;
        let fixed = |to: &dyn Fn(u32) -> u32| Ok(DestinationKind::Fixed((0..n).map(to).collect()));
        let even =
            |kind| if n.is_multiple_of(2) { kind } else { Err(fault("an even number of nodes".into())) };
        let bits = n.trailing_zeros();
        let side = n.isqrt();
        let kind = match traffic {
            OpenTraffic::Uniform => Ok(DestinationKind::Uniform),
            OpenTraffic::BitReversal if n.is_power_of_two() => fixed(&|p| p.reverse_bits() >> (32 - bits)),
            OpenTraffic::BitReversal => Err(fault("a number of nodes that is a power of 2".into())),
            OpenTraffic::Transpose if side * side == n => fixed(&|p| p % side * side + p / side),
            OpenTraffic::Transpose => Err(fault("a number of nodes that is a square".into())),
            OpenTraffic::Shuffle => {
                even(fixed(&|p| if p == n - 1 { p } else { (2 * u64::from(p) % u64::from(n - 1)) as u32 }))
            }
            OpenTraffic::Neighbour => fixed(&|p| (p + 1) % n),
            OpenTraffic::Complement => fixed(&|p| n - 1 - p),
            OpenTraffic::Opposite => even(fixed(&|p| if p < n / 2 { p + n / 2 } else { p - n / 2 })),
            OpenTraffic::HotSpot { node, share } if node < n => Ok(DestinationKind::HotSpot { node, share }),
            OpenTraffic::HotSpot { .. } => {
                let sentence = format!("hot-spot needs a node from 0 to {}.", n - 1);
                Err(SimulateError::Traffic(TrafficFault {
                    name: traffic.to_string(),
                    advice: says(sentence),
                }))
            }
            OpenTraffic::Demand | OpenTraffic::Pattern(_) => {
                let sentence = format!(
                    "{traffic} needs a spec, whose requested pairs it sends between; give one, or use other traffic."
                );
                Err(SimulateError::Traffic(TrafficFault {
                    name: traffic.to_string(),
                    advice: says(sentence),
                }))
            }
        };
        Ok(Destinations { nodes, kind: kind? })
    }

    /// Destinations along a demand's pairs, in both directions. If `weighted`, rates are proportional to pair weights. Otherwise
    /// every node with a pair sends equally, and equally to all its partners.
    ///
    /// # Errors
    /// Returned if the demand has no pairs.
    pub fn of_demand(demand: &Demand, weighted: bool) -> Result<Destinations, SimulateError> {
        if demand.is_empty() {
            let fault = TrafficFault { name: "demand".into(), advice: says("the demand has no pairs.") };
            return Err(SimulateError::Traffic(fault));
        }
        let adjacency = demand.adjacency();
        let mut sums = Vec::with_capacity(adjacency.partners.len());
        let mut rates = Vec::with_capacity(demand.pes() as usize);
        for pe in 0..demand.pes() as usize {
            let mut sum = 0.0;
            for at in adjacency.starts[pe]..adjacency.starts[pe + 1] {
                sum += if weighted { demand.weight(adjacency.pair[at as usize] as usize) } else { 1.0 };
                sums.push(sum);
            }
            rates.push(if weighted || sum == 0.0 { sum } else { 1.0 });
        }
        let senders = rates.iter().filter(|rate| **rate > 0.0).count();
        let mean = rates.iter().sum::<f32>() / senders as f32;
        rates.iter_mut().for_each(|rate| *rate /= mean);
        let weighted =
            WeightedPartners { starts: adjacency.starts, partners: adjacency.partners, sums, rates };
        Ok(Destinations { nodes: demand.pes(), kind: DestinationKind::Weighted(weighted) })
    }

    /// Number of logical nodes.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// Number of nodes that send.
    pub fn senders(&self) -> u32 {
        (0..self.nodes).filter(|&node| self.rate(node) > 0.0).count() as u32
    }

    /// Rate of a node, relative to the mean of all sending nodes.
    pub fn rate(&self, node: u32) -> f64 {
        match &self.kind {
            DestinationKind::Uniform | DestinationKind::HotSpot { .. } => 1.0,
            DestinationKind::Fixed(to) => f64::from(u8::from(to[node as usize] != node)),
            DestinationKind::Weighted(weighted) => weighted.rates[node as usize].into(),
        }
    }

    /// Largest rate of a node.
    pub fn max_rate(&self) -> f64 {
        (0..self.nodes).map(|node| self.rate(node)).fold(0.0, f64::max)
    }

    /// Pairs with traffic. For all-to-all traffic just a ring through all nodes, enough to find disconnected hosts.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (u32, u32)> {
        let to = |node: u32| -> Vec<u32> {
            match &self.kind {
                DestinationKind::Uniform | DestinationKind::HotSpot { .. } => vec![(node + 1) % self.nodes],
                DestinationKind::Fixed(to) => vec![to[node as usize]],
                DestinationKind::Weighted(weighted) => weighted.of(node).0.to_vec(),
            }
        };
        let each = move |node| to(node).into_iter().map(move |to| (node, to));
        (0..self.nodes).flat_map(each).filter(|(from, to)| from != to)
    }

    /// Destinations of a node's frames, and the share of each.
    pub fn shares(&self, node: u32) -> Vec<(u32, f64)> {
        let others = |share: f64| {
            let each = share / f64::from(self.nodes - 1);
            (0..self.nodes).filter(move |&to| to != node).map(move |to| (to, each))
        };
        match &self.kind {
            DestinationKind::Uniform => others(1.0).collect(),
            DestinationKind::Fixed(to) if to[node as usize] == node => Vec::new(),
            DestinationKind::Fixed(to) => vec![(to[node as usize], 1.0)],
            DestinationKind::HotSpot { node: hot, .. } if node == *hot => others(1.0).collect(),
            DestinationKind::HotSpot { node: hot, share } => others(1.0 - share)
                .map(|(to, each)| (to, if to == *hot { each + share } else { each }))
                .collect(),
            DestinationKind::Weighted(weighted) => weighted.shares(node),
        }
    }

    /// Draws the destination of a node's next frame.
    pub fn draw(&self, node: u32, rng: &mut Rng) -> u32 {
        match &self.kind {
            DestinationKind::Uniform => other(node, self.nodes, rng),
            DestinationKind::Fixed(to) => to[node as usize],
            DestinationKind::HotSpot { node: hot, share } => {
                let drawn = rng.unit() <= *share;
                if drawn && node != *hot { *hot } else { other(node, self.nodes, rng) }
            }
            DestinationKind::Weighted(weighted) => weighted.draw(node, rng),
        }
    }
}

impl WeightedPartners {
    /// Partners of a node, and the running sums of their weights.
    fn of(&self, node: u32) -> (&[u32], &[f32]) {
        let own = self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize;
        (&self.partners[own.clone()], &self.sums[own])
    }

    fn shares(&self, node: u32) -> Vec<(u32, f64)> {
        let ((partners, sums), mut before) = (self.of(node), 0.0);
        let all = f64::from(sums.last().copied().unwrap_or(1.0));
        let share = |(&to, &sum): (&u32, &f32)| {
            let share = f64::from(sum) - std::mem::replace(&mut before, f64::from(sum));
            (to, share / all)
        };
        partners.iter().zip(sums).map(share).collect()
    }

    fn draw(&self, node: u32, rng: &mut Rng) -> u32 {
        let (partners, sums) = self.of(node);
        let drawn = rng.unit() as f32 * sums.last().copied().unwrap_or(0.0);
        let at = sums.partition_point(|sum| *sum < drawn).min(sums.len() - 1);
        partners[at]
    }
}

fn other(node: u32, nodes: u32, rng: &mut Rng) -> u32 {
    let drawn = rng.below(nodes - 1);
    drawn + u32::from(drawn >= node)
}
