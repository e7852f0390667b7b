//! Who sends to whom.

use crate::{SimulateError, dice::Dice};
use shared::{
    demand::Demand,
    simulation::{OpenTraffic, TrafficFault},
};

/// For each logical node, how much it sends and where to.
#[derive(Clone, Debug)]
pub struct Destinations {
    nodes: u32,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Uniform,
    /// The destination of each node, itself if it sends nothing.
    Fixed(Vec<u32>),
    HotSpot {
        node: u32,
        share: f64,
    },
    Weighted(Weighted),
}

/// Partners of node p are `partners[starts[p]..starts[p + 1]]`.
#[derive(Clone, Debug)]
struct Weighted {
    starts: Vec<u32>,
    partners: Vec<u32>,
    /// The sum of the weights of a node's partners up to each one.
    sums: Vec<f32>,
    rates: Vec<f32>,
}

impl Destinations {
    /// Traffic among this many nodes.
    ///
    /// # Errors
    /// The number of nodes does not admit it, or it takes a demand: [`Destinations::of_demand`].
    pub fn new(traffic: OpenTraffic, nodes: u32) -> Result<Destinations, SimulateError> {
        let fault = |accepted: String| {
            SimulateError::Traffic(TrafficFault {
                name: traffic.to_string(),
                accepted: format!("{accepted} (there are {nodes})"),
            })
        };
        if nodes < 2 {
            return Err(fault("two nodes or more".into()));
        }
        let n = nodes;
        let fixed = |to: &dyn Fn(u32) -> u32| Ok(Kind::Fixed((0..n).map(to).collect()));
        let even =
            |kind| if n.is_multiple_of(2) { kind } else { Err(fault("an even number of nodes".into())) };
        let bits = n.trailing_zeros();
        let side = n.isqrt();
        let kind = match traffic {
            OpenTraffic::Uniform => Ok(Kind::Uniform),
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
            OpenTraffic::HotSpot { node, share } if node < n => Ok(Kind::HotSpot { node, share }),
            OpenTraffic::HotSpot { .. } => Err(fault("a node below the number of nodes".into())),
            OpenTraffic::Demand | OpenTraffic::Pattern(_) => Err(fault("a spec, whose demand it is".into())),
        };
        Ok(Destinations { nodes, kind: kind? })
    }

    /// Along a demand's pairs, both ways: how much a node sends is in proportion to the weights of its pairs if `weighted`,
    /// and all pairs of a node are alike and all nodes with a pair send as much otherwise.
    ///
    /// # Errors
    /// The demand has no pairs.
    pub fn of_demand(demand: &Demand, weighted: bool) -> Result<Destinations, SimulateError> {
        if demand.is_empty() {
            let fault = TrafficFault { name: "demand".into(), accepted: "a demand with pairs".into() };
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
        let weighted = Weighted { starts: adjacency.starts, partners: adjacency.partners, sums, rates };
        Ok(Destinations { nodes: demand.pes(), kind: Kind::Weighted(weighted) })
    }

    /// Logical nodes.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// Nodes that send.
    pub fn senders(&self) -> u32 {
        (0..self.nodes).filter(|&node| self.rate(node) > 0.0).count() as u32
    }

    /// How much a node sends, relative to the mean of those that send.
    pub fn rate(&self, node: u32) -> f64 {
        match &self.kind {
            Kind::Uniform | Kind::HotSpot { .. } => 1.0,
            Kind::Fixed(to) => f64::from(u8::from(to[node as usize] != node)),
            Kind::Weighted(weighted) => weighted.rates[node as usize].into(),
        }
    }

    /// The largest of them.
    pub fn most_rate(&self) -> f64 {
        (0..self.nodes).map(|node| self.rate(node)).fold(0.0, f64::max)
    }

    /// Pairs that have traffic; of all that have, where every node sends to every other one, those that join all of them.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (u32, u32)> {
        let to = |node: u32| -> Vec<u32> {
            match &self.kind {
                Kind::Uniform | Kind::HotSpot { .. } => vec![(node + 1) % self.nodes],
                Kind::Fixed(to) => vec![to[node as usize]],
                Kind::Weighted(weighted) => weighted.of(node).to_vec(),
            }
        };
        let each = move |node| to(node).into_iter().map(move |to| (node, to));
        (0..self.nodes).flat_map(each).filter(|(from, to)| from != to)
    }

    /// Where a node that sends sends its next frame.
    pub fn draw(&self, node: u32, dice: &mut Dice) -> u32 {
        match &self.kind {
            Kind::Uniform => other(node, self.nodes, dice),
            Kind::Fixed(to) => to[node as usize],
            Kind::HotSpot { node: hot, share } => {
                let drawn = dice.unit() <= *share;
                if drawn && node != *hot { *hot } else { other(node, self.nodes, dice) }
            }
            Kind::Weighted(weighted) => weighted.draw(node, dice),
        }
    }
}

impl Weighted {
    /// To whom a node sends.
    fn of(&self, node: u32) -> &[u32] {
        &self.partners[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    fn draw(&self, node: u32, dice: &mut Dice) -> u32 {
        let own = self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize;
        let sums = &self.sums[own.clone()];
        let drawn = dice.unit() as f32 * sums.last().copied().unwrap_or(0.0);
        let at = sums.partition_point(|sum| *sum < drawn).min(sums.len() - 1);
        self.partners[own][at]
    }
}

/// Any node but one.
fn other(node: u32, nodes: u32, dice: &mut Dice) -> u32 {
    let drawn = dice.below(nodes - 1);
    drawn + u32::from(drawn >= node)
}
