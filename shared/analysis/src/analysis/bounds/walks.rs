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

/// Paths of two steps that all attempts to find better weights may count together: about a quarter of a second.
const MAX_PATHS: u64 = 30_000_000;
/// Steps uphill per width.
const MAX_ROUNDS: u32 = 30;
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
    /// Price that the pairs collect, as a multiple of the price of all ports.
    pub excess: f64,
}

/// Weight of each pair and price of each PE's ports, on average about 1.
#[derive(Clone)]
struct Prices {
    pairs: Vec<f64>,
    ports: Vec<f64>,
}

/// How the excess changes with each weight and price, both relative.
struct Slope {
    pairs: Vec<f64>,
    ports: Vec<f64>,
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
    /// Weight of the PE's pairs, and of the paths back to it.
    weight: f64,
    back: f64,
}

impl Walks {
    pub fn of(demand: &Demand, needs: &Needs) -> Walks {
        let adjacency = demand.adjacency();
        let steps = (0..demand.pes()).map(|pe| (adjacency.of(pe).len() as u64).pow(2)).sum();
        let links = (0..demand.len()).map(|pair| demand.links(pair).into()).collect();
        Walks { adjacency, links, wanted: needs.links.clone(), steps }
    }

    /// The widest switches, of at least `from` and fewer than `pes` ports, that are proven too narrow.
    pub fn too_narrow(&self, needs: &Needs, from: u32, pes: u32) -> Option<TooNarrow> {
        let ports: Vec<u64> =
            self.wanted.iter().zip(&needs.nis).map(|(&links, &nis)| links.min(nis.into())).collect();
        let mut prices = self.plain(&ports);
        let (mut best, mut width, mut rounds, mut last) = (None, from.max(2), 0, 0.0);
        let (mut counted, mut step) = (0, 0.2);
        while width < pes && rounds < MAX_ROUNDS && counted <= MAX_PATHS {
            let Some((excess, slope)) = self.excess(&prices, &ports, width) else { break };
            counted += self.steps;
            if excess > 1.0 + TOLERANCE {
                best = Some(TooNarrow { width, excess });
                (width, rounds, last, step) = (width + 1, 0, 0.0, 0.2);
                continue;
            }
            step *= if excess < last { 0.6 } else { 1.0 };
            (last, rounds) = (excess, rounds + 1);
            prices.climb(&slope, step);
        }
        best
    }

    /// Ports that the pairs cost on switches with at most `width` ports, however many NIs there are.
    ///
    /// With all weights and prices alike, the ports are at least the sum of the least (k + W² / T) / 2.
    pub fn ports(&self, width: u32) -> f64 {
        let others = u64::from(width).saturating_sub(1);
        if others == 0 {
            return if self.links.is_empty() { 0.0 } else { f64::INFINITY };
        }
        let prices = Prices { pairs: vec![1.0; self.links.len()], ports: vec![1.0; self.wanted.len()] };
        let mut paths = Paths::new(self.wanted.len());
        let mut sum = 0.0;
        for pe in self.asking() {
            let links = self.wanted[pe as usize];
            paths.count(self, &prices, pe);
            paths.others.sort_unstable_by(|&a, &b| paths.to[b as usize].total_cmp(&paths.to[a as usize]));
            let (mut limit, mut places) = (paths.back + paths.to_partners(), 0);
            let mut least = f64::INFINITY;
            for ports in links.div_ceil(others)..=links {
                let left = (ports * others - links).min(paths.others.len() as u64) as usize;
                limit += paths.others[places..left].iter().map(|&x| paths.to[x as usize]).sum::<f64>();
                places = left;
                least = least.min(ports as f64 + paths.weight * paths.weight / limit);
            }
            sum += least / 2.0;
            paths.clear();
        }
        sum
    }

    /// PEs that have a partner.
    fn asking(&self) -> impl Iterator<Item = u32> {
        (0..self.wanted.len() as u32).filter(|&pe| self.wanted[pe as usize] > 0)
    }

    /// All pairs alike, and ports at a price that grows with the links per port.
    fn plain(&self, ports: &[u64]) -> Prices {
        let price = |(&links, &ports): (&u64, &u64)| links as f64 / ports.max(1) as f64;
        let mut prices = Prices {
            pairs: vec![1.0; self.links.len()],
            ports: self.wanted.iter().zip(ports).map(price).collect(),
        };
        prices.scale();
        prices
    }

    /// Price that the pairs collect on switches of this width, as a multiple of the price of all ports, with its slope. `None` if
    /// a PE has too few places for its links.
    fn excess(&self, prices: &Prices, ports: &[u64], width: u32) -> Option<(f64, Slope)> {
        let mut paths = Paths::new(self.wanted.len());
        let mut slope =
            Slope { pairs: vec![0.0; prices.pairs.len()], ports: vec![0.0; prices.ports.len()] };
        let (mut collected, mut paid, mut weights) = (0.0, 0.0, 0.0);
        for pe in self.asking() {
            let places = (ports[pe as usize] * u64::from(width - 1)).checked_sub(self.wanted[pe as usize])?;
            paths.count(self, prices, pe);
            let limit = paths.limit(usize::try_from(places).unwrap_or(usize::MAX));
            collected += paths.weight * paths.weight / limit;
            paid += ports[pe as usize] as f64 * prices.ports[pe as usize];
            weights += paths.weight;
            paths.add_slope(self, prices, pe, limit, &mut slope);
            paths.clear();
        }
        let (excess, each) = (collected / paid, weights / paid);
        slope.pairs.iter_mut().zip(&prices.pairs).for_each(|(slope, weight)| *slope *= weight * each);
        let per_port = slope.ports.iter_mut().zip(ports);
        per_port.for_each(|(slope, &ports)| *slope = *slope / ports.max(1) as f64 - excess);
        Some((excess, slope))
    }

    /// A PE's partners, each with the number of the pair.
    fn pairs_of(&self, pe: u32) -> impl Iterator<Item = (u32, u32)> {
        let own = self.adjacency.starts[pe as usize] as usize..self.adjacency.starts[pe as usize + 1] as usize;
        self.adjacency.partners[own.clone()].iter().copied().zip(self.adjacency.pair[own].iter().copied())
    }
}

impl Prices {
    fn climb(&mut self, slope: &Slope, step: f64) {
        let rise = |value: &mut f64, slope: f64| {
            *value = (*value * (1.0 + step * slope.clamp(-2.0, 2.0))).clamp(1e-4, 1e4);
        };
        self.pairs.iter_mut().zip(&slope.pairs).for_each(|(value, &slope)| rise(value, slope));
        self.ports.iter_mut().zip(&slope.ports).for_each(|(value, &slope)| rise(value, slope));
        self.scale();
    }

    fn scale(&mut self) {
        for values in [&mut self.pairs, &mut self.ports] {
            let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
            values.iter_mut().for_each(|value| *value /= mean);
        }
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
            back: 0.0,
        }
    }

    /// Counts the paths from a PE. A path has as many links as the pair with fewer.
    fn count(&mut self, walks: &Walks, prices: &Prices, pe: u32) {
        check();
        (self.weight, self.back) = (0.0, 0.0);
        walks.pairs_of(pe).for_each(|(partner, _)| self.is_partner[partner as usize] = true);
        for (partner, pair) in walks.pairs_of(pe) {
            let (links, weight) = (walks.links[pair as usize], prices.pairs[pair as usize]);
            let share = weight / prices.ports[partner as usize];
            self.weight += links * weight;
            self.back += links * weight * share;
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
    }

    fn to_partners(&self) -> f64 {
        self.partners.iter().map(|&end| self.to[end as usize]).sum()
    }

    /// Upper limit on the weight of the paths with this many places for others, and marks the PEs that it counts.
    fn limit(&mut self, places: usize) -> f64 {
        if self.others.len() > places {
            let to = &self.to;
            self.others
                .select_nth_unstable_by(places, |&a, &b| to[b as usize].total_cmp(&to[a as usize]));
        }
        let mut limit = self.back + self.to_partners();
        self.partners.iter().for_each(|&end| self.is_counted[end as usize] = true);
        for &end in self.others.iter().take(places) {
            self.is_counted[end as usize] = true;
            limit += self.to[end as usize];
        }
        limit
    }

    /// Adds how this PE's share of the price changes with weights, and with prices as a multiple of them.
    fn add_slope(&self, walks: &Walks, prices: &Prices, pe: u32, limit: f64, slope: &mut Slope) {
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
                    slope.pairs[next as usize] -= falls * links * share;
                }
            }
            slope.pairs[pair as usize] += 2.0 * ratio * links - falls * (onward + links * weight) / price;
            slope.ports[partner as usize] += falls * share * onward / price;
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
