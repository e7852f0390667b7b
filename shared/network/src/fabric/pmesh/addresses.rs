//! Addresses `d.[n].h` (Nitzberg et al. 1999, section 4.1) and routing tables (section 4.2).
//!
//! An address holds dimension, subnet vector and host in the fewest bits. The paper has equal sides n: ceil(log2 d) bits for the
//! dimension, (d - 1) ceil(log2 n) for the subnet vector and ceil(log2(n + 2)) for the host. Here each dimension j has
//! ceil(log2 N_j) bits in subnet vectors, and the host ceil(log2(N_k + 2)) in its own subnets; equal sides give the paper's
//! counts. Subnets are numbered from 0 and hosts from 1, since an address of all zeros or all ones names no host. Sides may be
//! larger than the machine's, so that addresses stay when it grows.
//!
//! A host has an entry per subnet: d n^(d-1) of them with equal sides. Operating systems enter the d subnets of its own rows by
//! themselves. Packets for another subnet go to the host whose coordinate is right in the first dimension where the own one is
//! not.
//!
//! The paper's pseudocode compares coordinate i with place i of the subnet vector. That is right only for subnets of the last
//! dimension: the vector of dimension k leaves out coordinate k, so its later places stand for one dimension further on. Taken
//! literally, the paper's host (x, y) would send packets for the row y' along x to (y', y). Here the vector's places are compared
//! with the dimensions that they stand for. Packets to a host's address in dimension k then go along all other dimensions in
//! order, and along k last; to the address in the last dimension, which names the host, everything goes in dimension order.
//! Either way at most d - 1 hosts forward.

use super::PMesh;
use crate::fabric::Sides;

/// Addresses within a network of [`Addressing::bits`] bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addressing {
    /// Bits of a coordinate in subnet vectors, by dimension.
    coordinate_bits: Vec<u32>,
    /// Bits of a host, by dimension.
    host_bits: Vec<u32>,
    dimension_bits: u32,
    /// Max bits of subnet vector and host together over the dimensions.
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

    /// Bits of an address.
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

    /// The first address of the subnet of a dimension and the row through a place.
    pub fn subnet(&self, dimension: usize, place: &[u32]) -> u64 {
        let others = place.iter().zip(&self.coordinate_bits).enumerate().rev();
        let others = others.filter(|&(other, _)| other != dimension);
        let vector = others.fold(0, |vector, (_, (&at, bits))| vector << bits | u64::from(at));
        (dimension as u64) << self.rest_bits | vector << self.host_bits[dimension]
    }

    /// The address of a place in one of its dimensions.
    pub fn address(&self, dimension: usize, place: &[u32]) -> u64 {
        self.subnet(dimension, place) | u64::from(place[dimension] + 1)
    }
}

/// Bits to tell that many things apart.
fn bits(things: u32) -> u32 {
    things.next_power_of_two().ilog2()
}

/// A subnet: a row of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Net {
    /// The dimension along which it lies.
    pub dimension: usize,
    /// The place in the row with coordinate 0 in that dimension.
    pub first: u32,
}

/// An entry of a routing table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The destination subnet.
    pub net: Net,
    /// The dimension to send along and the host there; `None` for an own subnet.
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
