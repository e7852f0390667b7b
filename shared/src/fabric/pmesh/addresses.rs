//! Addresses `d.[n].h` (P-Mesh paper, section 4.1): dimension, subnet vector and host, in as few bits as they take.
//!
//! The paper has equal sides n: ceil(log2 d) bits for the dimension, (d - 1) ceil(log2 n) for the subnet vector and
//! ceil(log2(n + 2)) for the host. Here each dimension j has ceil(log2 N_j) bits in subnet vectors, and in its own subnets the
//! host has ceil(log2(N_k + 2)), so that with equal sides the counts are the paper's. Subnets are numbered from 0 and hosts from
//! 1, since an address of all zeros or all ones names no host. Sides may be chosen larger than they are: then the addresses stay
//! as they are when the machine grows up to them.

use super::PMesh;
use crate::fabric::Sides;

/// Addresses within a network of [`Addressing::bits`] bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addressing {
    /// Of each dimension, the bits of a coordinate in subnet vectors.
    coordinate_bits: Vec<u32>,
    /// Of each dimension, the bits of a host.
    host_bits: Vec<u32>,
    dimension_bits: u32,
    /// Bits of subnet vector and host together in the dimension that takes most.
    rest_bits: u32,
}

impl Addressing {
    /// Addresses with room for those sides.
    pub fn new(sides: &Sides) -> Addressing {
        let coordinate_bits: Vec<u32> = sides.sizes().iter().map(|&side| bits(side)).collect();
        let host_bits: Vec<u32> = sides.sizes().iter().map(|&side| bits(side + 2)).collect();
        let all: u32 = coordinate_bits.iter().sum();
        let rests = coordinate_bits.iter().zip(&host_bits).map(|(own, host)| all - own + host);
        let rest_bits = rests.max().unwrap_or(0);
        Addressing { dimension_bits: bits(sides.dimensions() as u32), rest_bits, coordinate_bits, host_bits }
    }

    /// Bits that all addresses take.
    pub fn bits(&self) -> u32 {
        self.dimension_bits + self.rest_bits
    }

    /// Bits of the dimension.
    pub fn dimension_bits(&self) -> u32 {
        self.dimension_bits
    }

    /// Bits of a dimension's subnet vectors.
    pub fn subnet_bits(&self, dimension: usize) -> u32 {
        self.coordinate_bits.iter().sum::<u32>() - self.coordinate_bits[dimension]
    }

    /// Bits of the host in a dimension's subnets.
    pub fn host_bits(&self, dimension: usize) -> u32 {
        self.host_bits[dimension]
    }

    /// The first address of a subnet, as far as this many bits go: that of a dimension and the row through a place, where
    /// the place's own coordinate in that dimension does not matter.
    pub fn subnet(&self, dimension: usize, place: &[u32]) -> u64 {
        let others = place.iter().zip(&self.coordinate_bits).enumerate().rev();
        let others = others.filter(|&(other, _)| other != dimension);
        let vector = others.fold(0, |vector, (_, (&at, bits))| vector << bits | u64::from(at));
        (dimension as u64) << self.rest_bits | vector << self.host_bits[dimension]
    }

    /// The address of a place in one of its dimensions, as far as this many bits go.
    pub fn address(&self, dimension: usize, place: &[u32]) -> u64 {
        self.subnet(dimension, place) | u64::from(place[dimension] + 1)
    }
}

/// Bits that tell so many things apart.
fn bits(things: u32) -> u32 {
    things.next_power_of_two().ilog2()
}

/// A subnet: a row of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Net {
    /// The dimension along which it lies.
    pub dimension: usize,
    /// The place in the row whose coordinate in that dimension is 0.
    pub first: u32,
}

/// An entry of a routing table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Where to.
    pub net: Net,
    /// The dimension to send along and the host there; none where the subnet is the own one.
    pub via: Option<(usize, u32)>,
}

impl PMesh {
    /// A host's routing table: by dimension, and in a dimension by row.
    pub fn table(&self, host: u32) -> impl Iterator<Item = Entry> {
        let nets = (0..self.sides.dimensions()).flat_map(|dimension| self.nets(dimension));
        nets.map(move |net| Entry { net, via: self.next(host, net) })
    }

    /// The subnets of a dimension.
    pub fn nets(&self, dimension: usize) -> impl Iterator<Item = Net> {
        let first = move |&place: &u32| self.sides.coordinate(place, dimension) == 0;
        (0..self.hosts()).filter(first).map(move |first| Net { dimension, first })
    }

    fn next(&self, host: u32, net: Net) -> Option<(usize, u32)> {
        let others = (0..self.sides.dimensions()).filter(|&other| other != net.dimension);
        let mut wrong = others.map(|other| (other, self.sides.coordinate(net.first, other)));
        let (dimension, right) = wrong.find(|&(other, right)| self.sides.coordinate(host, other) != right)?;
        Some((dimension, self.sides.moved(host, dimension, right)))
    }
}
