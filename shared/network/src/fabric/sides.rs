//! Sides of a grid, and numbers and coordinates of its places.

use crate::text::grouped;
use std::fmt;
use thiserror::Error;

/// Sides of a grid, at least 2 per dimension. Place (x0, x1, x2, …) is `x0 + N0 * (x1 + N1 * (x2 + …))`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sides(Vec<u32>);

/// Reason why numbers are no sides of a grid.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SidesFault {
    /// No dimension.
    #[error("at least one side")]
    None,
    /// A side that is too short.
    #[error("sides of at least 2, not {side} (dimension {})", *.dimension + 1)]
    Short {
        /// Which dimension, from 0.
        dimension: usize,
        /// Size of the side.
        side: u32,
    },
    /// Too many places.
    #[error("at most {} positions ({sides} has more)", grouped(u64::from(*.most)))]
    Many {
        /// The sides.
        sides: String,
        /// Max places.
        most: u32,
    },
}

/// Max places of a grid.
pub const MAX_PLACES: u32 = crate::spec::MAX_PES;

impl Sides {
    /// A grid's sides. Errors: no side, a side below 2, or more than [`MAX_PLACES`] places.
    pub fn new(sides: &[u32]) -> Result<Sides, SidesFault> {
        if sides.is_empty() {
            return Err(SidesFault::None);
        }
        if let Some((dimension, &side)) = sides.iter().enumerate().find(|(_, side)| **side < 2) {
            return Err(SidesFault::Short { dimension, side });
        }
        let places = sides.iter().try_fold(1u32, |places, &side| places.checked_mul(side));
        match places {
            Some(places) if places <= MAX_PLACES => Ok(Sides(sides.to_vec())),
            _ => Err(SidesFault::Many { sides: written(sides), most: MAX_PLACES }),
        }
    }

    /// The size of each dimension.
    pub fn sizes(&self) -> &[u32] {
        &self.0
    }

    /// Number of dimensions.
    pub fn dimensions(&self) -> usize {
        self.0.len()
    }

    /// Number of places.
    pub fn places(&self) -> u32 {
        self.0.iter().product()
    }

    /// Distance between the numbers of two neighbours along a dimension.
    pub fn stride(&self, dimension: usize) -> u32 {
        self.0[..dimension].iter().product()
    }

    /// A place's coordinate in one dimension.
    pub fn coordinate(&self, place: u32, dimension: usize) -> u32 {
        place / self.stride(dimension) % self.0[dimension]
    }

    /// A place's coordinates.
    pub fn coordinates(&self, place: u32) -> Vec<u32> {
        let mut rest = place;
        let split = |side: &u32| {
            let coordinate = rest % side;
            rest /= side;
            coordinate
        };
        self.0.iter().map(split).collect()
    }

    /// The number of the place with those coordinates, each below its side.
    pub fn place(&self, coordinates: &[u32]) -> u32 {
        let both = self.0.iter().zip(coordinates);
        both.rev().fold(0, |number, (side, coordinate)| number * side + coordinate)
    }

    /// The place with another coordinate in one dimension.
    pub fn moved(&self, place: u32, dimension: usize, coordinate: u32) -> u32 {
        let stride = self.stride(dimension);
        place - self.coordinate(place, dimension) * stride + coordinate * stride
    }
}

/// Written as `8x8x4`.
impl fmt::Display for Sides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&written(&self.0))
    }
}

fn written(sides: &[u32]) -> String {
    sides.iter().map(u32::to_string).collect::<Vec<_>>().join("x")
}
