//! Bounds from paths of two steps, counted for each PE over all its switches.
//!
//! Let each port of PE v pay a price z(v) to the requested pairs that v has on that switch, in proportion to weights w of
//! the pairs; a pair counts on as many switches as it wants links. With a(v) as the weight of v's pairs on a switch, pair
//! uv gets w(uv)·z(v) / a(v) from v. By Cauchy's inequality, u's pairs get at least W(u)² / T(u) from their other ends, where
//! W(u) is their weight and T(u) is the sum of w(uv)·a(v) / z(v) over them. All that is paid is at most the price of all
//! ports, so that
//!
//! > the sum of W(u)² / T(u) is at most the sum of k(u)·z(u), where PE u uses k(u) ports.
//!
//! T(u) counts paths u-v-x whose two pairs are on the same switch, x = u among them. All paths to x that the demand has are
//! an upper limit, however many switches u and x share. And u meets at most k(u)·(ρ-1) PEs, of which its partners take as
//! many places as they want links. So the partners count, and of the others those with the most paths, one per place left.
//!
//! Every choice of weights and prices proves something. With all alike it is the argument of Kővári, Sós and Turán, per PE. A few
//! steps uphill from there find better ones: a pair in dense parts of the demand becomes cheap, and a PE with many partners
//! dear.

use super::Needs;
use crate::{
    cancel::check,
    demand::{Adjacency, Demand},
};

/// Paths of two steps that the steps uphill of one bound may count together: about a quarter of a second.
const MAX_PATHS: u64 = 20_000_000;
/// Steps uphill per width.
const MAX_ROUNDS: u32 = 36;
const FIRST_STEP: f64 = 0.4;
/// Steps after which a gain is expected.
const PATIENCE: u32 = 6;
/// Share of the price of all ports by which sums of fractions may be off.
const TOLERANCE: f64 = 1e-9;

pub(super) struct Walks {
    adjacency: Adjacency,
    /// Links of each pair.
    links: Vec<f64>,
    /// Per PE, the links of its pairs.
    wanted: Vec<u64>,
    /// Paths of two steps that the demand has.
    steps: u64,
}

/// A proof that switches of this width are too narrow.
pub(super) struct TooNarrow {
    pub width: u32,
    /// Price that the pairs get, as a multiple of the price of all ports.
    pub excess: f64,
}

/// Weight of each pair and price of each PE's ports.
#[derive(Clone)]
struct Prices {
    pairs: Vec<f64>,
    ports: Vec<f64>,
}

/// Sums over all PEs.
struct Sums {
    /// Min price that the pairs get.
    got: f64,
    /// Price of all ports.
    paid: f64,
    ports: f64,
    /// Derivative of `got` by each weight, as a multiple of the mean price of a weight.
    by_pair: Vec<f64>,
    /// Derivative of `got` by each price, per port.
    by_port: Vec<f64>,
}

/// Paths of two steps from one PE.
struct Paths {
    /// Weight of the paths to each PE.
    to: Vec<f64>,
    /// PEs with a path that are partners, and others.
    partners: Vec<u32>,
    others: Vec<u32>,
    is_partner: Vec<bool>,
    is_counted: Vec<bool>,
    /// Weight of the PE's pairs, and of the paths back to it and to partners.
    weight: f64,
    always: f64,
}

impl Walks {
    /// Nothing where every pair or no pair is requested, or where the paths are too many to count.
    pub fn of(demand: &Demand, needs: &Needs) -> Option<Walks> {
        let steps = demand.degrees().iter().map(|&degree| u64::from(degree).pow(2)).sum();
        (!needs.complete && (1..=MAX_PATHS).contains(&steps)).then(|| Walks {
            adjacency: demand.adjacency(),
            links: (0..demand.len()).map(|pair| demand.links(pair).into()).collect(),
            wanted: needs.links.clone(),
            steps,
        })
    }

    /// The widest switches, of at least `from` and fewer than `pes` ports, that are proven too narrow.
    pub fn too_narrow(&self, nis: &[u32], from: u32, pes: u32) -> Option<TooNarrow> {
        let ports: Vec<u64> =
            self.wanted.iter().zip(nis).map(|(&links, &nis)| links.min(nis.into())).collect();
        let price = |(&links, &ports): (&u64, &u64)| links as f64 / ports.max(1) as f64;
        let mut prices = self.prices(self.wanted.iter().zip(&ports).map(price).collect());
        let (mut best, mut width, mut rounds) = (None, from.max(2), MAX_PATHS / self.steps);
        let fits = |width: u32| {
            let room = |pe: u32| ports[pe as usize] * u64::from(width - 1);
            self.asking().all(|pe| room(pe) >= self.wanted[pe as usize])
        };
        while width < pes && fits(width) {
            let excess = self.uphill(&mut prices, &mut rounds, 1.0 + TOLERANCE, |prices| {
                let sums = self.sums(prices, width, |_, pe| ports[pe as usize]);
                let excess = sums.got / sums.paid;
                (excess, excess, sums)
            });
            if excess <= 1.0 + TOLERANCE {
                break;
            }
            best = Some(TooNarrow { width, excess });
            width += 1;
        }
        best
    }

    /// Ports that the pairs cost on switches with at most `width` ports, however many NIs there are.
    ///
    /// The sum of k is at least the sum of k - k·z + W² / T, so at least the sum of the minima over k.
    pub fn ports(&self, width: u32) -> f64 {
        let others = u64::from(width).saturating_sub(1);
        if others == 0 {
            return if self.links.is_empty() { 0.0 } else { f64::INFINITY };
        }
        let mut prices = self.prices(vec![0.5; self.wanted.len()]);
        self.uphill(&mut prices, &mut (MAX_PATHS / self.steps), f64::INFINITY, |prices| {
            let sums = self.sums(prices, width, |paths, pe| {
                paths.cheapest(self.wanted[pe as usize], others, prices.ports[pe as usize])
            });
            (sums.ports - sums.paid + sums.got, 1.0, sums)
        })
    }

    /// Improves prices until their value exceeds `enough`, rises little, or no round is left; returns the best value. `evaluate`
    /// returns the value of prices and by how much ports may be paid back.
    fn uphill(
        &self,
        prices: &mut Prices,
        rounds: &mut u64,
        enough: f64,
        evaluate: impl Fn(&Prices) -> (f64, f64, Sums),
    ) -> f64 {
        let (mut best, mut last, mut checked, mut step) = (0.0f64, 0.0, 0.0, FIRST_STEP);
        for round in 0..MAX_ROUNDS {
            if *rounds == 0 {
                break;
            }
            *rounds -= 1;
            let (value, most, sums) = evaluate(prices);
            best = best.max(value);
            if best > enough {
                break;
            }
            if round % PATIENCE == 0 {
                // Later rounds gain less.
                let hoped = (best - checked) * f64::from((MAX_ROUNDS - round) / PATIENCE);
                if round > PATIENCE && hoped < (enough - best).min(0.005 * best) {
                    break;
                }
                checked = best;
            }
            step *= if value < last { 0.75 } else { 1.0 };
            last = value;
            prices.climb(&sums, most, step);
        }
        best
    }

    /// PEs that have a partner.
    fn asking(&self) -> impl Iterator<Item = u32> {
        (0..self.wanted.len() as u32).filter(|&pe| self.wanted[pe as usize] > 0)
    }

    fn prices(&self, ports: Vec<f64>) -> Prices {
        Prices { pairs: vec![1.0; self.links.len()], ports }
    }

    /// All that the pairs get on switches of this width, where a PE uses as many ports as `choose` says: enough for its links.
    fn sums(&self, prices: &Prices, width: u32, choose: impl Fn(&mut Paths, u32) -> u64) -> Sums {
        let mut paths = Paths::new(self.wanted.len());
        let (by_pair, by_port) = (vec![0.0; prices.pairs.len()], vec![0.0; prices.ports.len()]);
        let mut sums = Sums { got: 0.0, paid: 0.0, ports: 0.0, by_pair, by_port };
        let mut weights = 0.0;
        let mut used = vec![1.0; self.wanted.len()];
        for pe in self.asking() {
            paths.count(self, prices, pe);
            let ports = choose(&mut paths, pe);
            let places = places(ports, u64::from(width - 1), self.wanted[pe as usize]);
            used[pe as usize] = ports as f64;
            paths.add(self, prices, pe, places, &mut sums);
            sums.paid += ports as f64 * prices.ports[pe as usize];
            sums.ports += ports as f64;
            weights += paths.weight;
            paths.clear();
        }
        let each = weights / sums.paid;
        sums.by_pair.iter_mut().zip(&prices.pairs).for_each(|(by, weight)| *by *= weight * each);
        sums.by_port.iter_mut().zip(used).for_each(|(by, ports)| *by /= ports);
        sums
    }

    /// A PE's partners, each with the number of the pair.
    fn pairs_of(&self, pe: u32) -> impl Iterator<Item = (u32, u32)> {
        let own =
            self.adjacency.starts[pe as usize] as usize..self.adjacency.starts[pe as usize + 1] as usize;
        self.adjacency.partners[own.clone()].iter().copied().zip(self.adjacency.pair[own].iter().copied())
    }
}

/// Places for others on these ports, each of which reaches as many PEs, next to those that the links take.
fn places(ports: u64, others: u64, links: u64) -> usize {
    usize::try_from((ports * others).saturating_sub(links)).unwrap_or(usize::MAX)
}

impl Prices {
    /// Raises what raises the price that the pairs get, and the ports for which they get more than `most` times the price.
    fn climb(&mut self, sums: &Sums, most: f64, step: f64) {
        let rise = |value: &mut f64, by: f64| {
            *value = (*value * (1.0 + step * by.clamp(-2.0, 2.0))).clamp(1e-4, 1e4);
        };
        self.pairs.iter_mut().zip(&sums.by_pair).for_each(|(value, &by)| rise(value, by));
        self.ports.iter_mut().zip(&sums.by_port).for_each(|(value, &by)| rise(value, by - most));
        let mean = self.pairs.iter().sum::<f64>() / self.pairs.len().max(1) as f64;
        self.pairs.iter_mut().for_each(|value| *value /= mean);
    }
}

impl Paths {
    fn new(pes: usize) -> Paths {
        Paths {
            to: vec![0.0; pes],
            partners: Vec::new(),
            others: Vec::new(),
            is_partner: vec![false; pes],
            is_counted: vec![false; pes],
            weight: 0.0,
            always: 0.0,
        }
    }

    /// Counts the paths from a PE. A path has as many links as the pair with fewer.
    fn count(&mut self, walks: &Walks, prices: &Prices, pe: u32) {
        check();
        (self.weight, self.always) = (0.0, 0.0);
        walks.pairs_of(pe).for_each(|(partner, _)| self.is_partner[partner as usize] = true);
        for (partner, pair) in walks.pairs_of(pe) {
            let (links, weight) = (walks.links[pair as usize], prices.pairs[pair as usize]);
            let share = weight / prices.ports[partner as usize];
            self.weight += links * weight;
            self.always += links * weight * share;
            for (end, next) in walks.pairs_of(partner).filter(|&(end, _)| end != pe) {
                let to = &mut self.to[end as usize];
                if *to == 0.0 {
                    if self.is_partner[end as usize] { &mut self.partners } else { &mut self.others }
                        .push(end);
                }
                *to += links.min(walks.links[next as usize]) * share * prices.pairs[next as usize];
            }
        }
        walks.pairs_of(pe).for_each(|(partner, _)| self.is_partner[partner as usize] = false);
        self.always += self.partners.iter().map(|&end| self.to[end as usize]).sum::<f64>();
    }

    /// Number of ports with the least k - k·price + W² / T, where a port reaches this many others.
    fn cheapest(&mut self, links: u64, others: u64, price: f64) -> u64 {
        let (mut ports, mut least) = (links.div_ceil(others), f64::INFINITY);
        // T is concave in k, so that W² / T is convex: the cost falls up to its minimum.
        loop {
            let limit = self.limit(places(ports, others, links));
            let cost = ports as f64 * (1.0 - price) + self.weight * self.weight / limit;
            if cost >= least {
                return ports - 1;
            }
            if ports == links {
                return ports;
            }
            (ports, least) = (ports + 1, cost);
        }
    }

    /// Upper limit on the weight of the paths with this many places for others, and moves the others that count to the front.
    fn limit(&mut self, places: usize) -> f64 {
        let to = &self.to;
        if self.others.len() > places {
            self.others.select_nth_unstable_by(places, |&a, &b| to[b as usize].total_cmp(&to[a as usize]));
        }
        self.always + self.others.iter().take(places).map(|&end| to[end as usize]).sum::<f64>()
    }

    /// Adds W² / T with this many places for others, and its derivatives.
    fn add(&mut self, walks: &Walks, prices: &Prices, pe: u32, places: usize, sums: &mut Sums) {
        let limit = self.limit(places);
        sums.got += self.weight * self.weight / limit;
        for &end in self.partners.iter().chain(self.others.iter().take(places)) {
            self.is_counted[end as usize] = true;
        }
        let ratio = self.weight / limit;
        let falls = ratio * ratio;
        for (partner, pair) in walks.pairs_of(pe) {
            let (links, weight) = (walks.links[pair as usize], prices.pairs[pair as usize]);
            let price = prices.ports[partner as usize];
            let share = weight / price;
            let mut onward = links * weight;
            for (end, next) in walks.pairs_of(partner) {
                if self.is_counted[end as usize] {
                    let links = links.min(walks.links[next as usize]);
                    onward += links * prices.pairs[next as usize];
                    sums.by_pair[next as usize] -= falls * links * share;
                }
            }
            sums.by_pair[pair as usize] += 2.0 * ratio * links - falls * (onward + links * weight) / price;
            sums.by_port[partner as usize] += falls * share * onward / price;
        }
    }

    fn clear(&mut self) {
        for &end in self.partners.iter().chain(&self.others) {
            (self.to[end as usize], self.is_counted[end as usize]) = (0.0, false);
        }
        self.partners.clear();
        self.others.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PES: u32 = 9;

    /// Switches, a bit per PE, and some of the pairs that they serve.
    struct Wiring {
        walks: Walks,
        /// Per PE, the switches that it is on.
        nis: Vec<u32>,
        width: u32,
    }

    /// Pairs chosen by bit, each with one link, or with all links that the switches give it.
    fn wiring(chosen: u64, links: u64, blocks: &[u32]) -> Wiring {
        let met = |a: u32, b: u32| blocks.iter().filter(|&of| of >> a & of >> b & 1 == 1).count() as u32;
        let all = (0..PES).flat_map(|a| (a + 1..PES).map(move |b| (a, b))).enumerate();
        let pairs: Vec<_> = all.filter(|&(i, (a, b))| chosen >> i & 1 == 1 && met(a, b) > 0).collect();
        let demand = Demand::from_pairs(PES, pairs.iter().map(|&(_, pair)| pair));
        let wanted = |&(i, (a, b)): &(usize, (u32, u32))| if links >> i & 1 == 1 { met(a, b) } else { 1 };
        let of = |pe: u32| pairs.iter().filter(move |(_, (a, b))| *a == pe || *b == pe).map(wanted);
        let walks = Walks {
            adjacency: demand.adjacency(),
            links: pairs.iter().map(|pair| wanted(pair).into()).collect(),
            wanted: (0..PES).map(|pe| of(pe).map(u64::from).sum()).collect(),
            steps: 1,
        };
        let nis = (0..PES).map(|pe| blocks.iter().filter(|&&block| block >> pe & 1 == 1).count() as u32);
        let width = blocks.iter().map(|block| block.count_ones()).max().unwrap_or(0);
        Wiring { walks, nis: nis.collect(), width }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

        /// Any weights and prices are a proof.
        #[test]
        fn no_prices_contradict_a_wiring(
            chosen in any::<u64>(),
            links in any::<u64>(),
            blocks in prop::collection::vec(1u32..1 << PES, 1..8),
            pairs in prop::collection::vec(0.01f64..10.0, 36),
            ports in prop::collection::vec(0.01f64..10.0, PES as usize),
        ) {
            let Wiring { walks, nis, width } = wiring(chosen, links, &blocks);
            let prices = Prices { pairs: pairs[..walks.links.len()].to_vec(), ports };
            let useful = |pe: u32| walks.wanted[pe as usize].min(nis[pe as usize].into());
            let sums = walks.sums(&prices, width, |_, pe| useful(pe));
            prop_assert!(sums.got <= sums.paid + 1e-9, "{} of {}", sums.got, sums.paid);
        }

        #[test]
        fn no_wiring_is_too_narrow_or_needs_fewer_ports(
            chosen in any::<u64>(),
            links in any::<u64>(),
            blocks in prop::collection::vec(1u32..1 << PES, 1..8),
        ) {
            let Wiring { walks, nis, width } = wiring(chosen, links, &blocks);
            prop_assume!(!walks.links.is_empty());
            let ports = walks.ports(width);
            prop_assert!(ports <= f64::from(nis.iter().sum::<u32>()) + 1e-9, "{ports} for {nis:?}");
            let narrow = walks.too_narrow(&nis, 2, PES).map_or(0, |found| found.width);
            prop_assert!(narrow < width, "{narrow} for {width}");
        }

        /// One step uphill changes what the pairs get as the derivatives say.
        #[test]
        fn derivatives_are_slopes(chosen in any::<u64>(), pair in 0usize..36, pe in 0u32..PES) {
            let Wiring { walks, width, .. } = wiring(chosen, 0, &[(1 << PES) - 1]);
            prop_assume!(pair < walks.links.len() && walks.wanted[pe as usize] > 0);
            let sums = |prices: &Prices| walks.sums(prices, width, |_, _| 2);
            let plain = walks.prices(vec![1.0; PES as usize]);
            let before = sums(&plain);
            let mut prices = plain.clone();
            prices.pairs[pair] += 1e-6;
            let each = 2.0 * walks.links.len() as f64 / before.paid;
            let slope = (sums(&prices).got - before.got) / 1e-6;
            prop_assert!((slope * each - before.by_pair[pair]).abs() < 1e-3, "{slope}, {}", before.by_pair[pair]);
            let mut prices = plain.clone();
            prices.ports[pe as usize] += 1e-6;
            let slope = (sums(&prices).got - before.got) / 2e-6;
            prop_assert!((slope - before.by_port[pe as usize]).abs() < 1e-3, "{slope}, {:?}", before.by_port);
        }
    }
}
