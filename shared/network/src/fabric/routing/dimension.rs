//! Dimension order on meshes and tori of switches: first along dimension 0 as far as needed, then along dimension 1, and so on.
//!
//! Rings are crossed the shorter way, and up on a tie, as the function select_ab of Otsuka et al. 2005 does.

use super::{RingChannel, Routing};
use crate::fabric::{Grid, Way};

/// Routes of a grid in dimension order, one per pair.
#[derive(Clone, Debug)]
pub struct DimensionOrder(Grid);

impl DimensionOrder {
    /// Routes of that grid.
    pub fn new(grid: Grid) -> DimensionOrder {
        DimensionOrder(grid)
    }

    /// Appends the channels from one switch to another.
    pub fn between(&self, from: u32, to: u32, channels: &mut Vec<u32>) {
        let sides = self.0.sides();
        let mut at = from;
        for dimension in 0..sides.dimensions() {
            let (way, steps) =
                self.0.shorter(dimension, sides.coordinate(at, dimension), sides.coordinate(to, dimension));
            for _ in 0..steps {
                at = step(&self.0, at, dimension, way, channels);
            }
        }
    }
}

/// Appends one step along a dimension and returns the place there; stays if the row ends.
pub(in crate::fabric) fn step(
    grid: &Grid,
    at: u32,
    dimension: usize,
    way: Way,
    channels: &mut Vec<u32>,
) -> u32 {
    channels.extend(grid.channel(at, dimension, way));
    grid.neighbour(at, dimension, way).unwrap_or(at)
}

impl Routing for DimensionOrder {
    fn choices(&self, _from: u32, _to: u32) -> u32 {
        1
    }

    fn path(&self, from: u32, to: u32, _choice: u32, channels: &mut Vec<u32>) {
        if from != to {
            channels.push(self.0.channel_from_host(from));
            self.between(self.0.switch_of(from), self.0.switch_of(to), channels);
            channels.push(self.0.channel_to_host(to));
        }
    }

    fn rings(&self) -> Vec<RingChannel> {
        self.0.rings()
    }
}
