//! Routing tables (P-Mesh paper, section 4.2).
//!
//! A host has an entry for every subnet: d n^(d-1) of them with equal sides. Those d of its own rows are reached directly, which
//! operating systems enter by themselves along with addresses. What is for another subnet goes to the host whose coordinate is
//! already right in the first dimension where the own one is not.
//!
//! The paper's pseudocode compares coordinate i with place i of the subnet vector. That is right for subnets of the last
//! dimension only: the vector of dimension k leaves out coordinate k, so its later places are one dimension further on. Taken
//! literally, the paper's host (x, y) would send what is for the row y' along x to (y', y). Here the vector's places are
//! compared with the dimensions that they stand for. What is sent to a host's address in dimension k then goes along all
//! other dimensions in order, and along k last; so to the address in the last dimension, which is the one that names a host,
//! everything goes in dimension order. Either way at most d - 1 hosts hand it on.

use super::PMesh;

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
