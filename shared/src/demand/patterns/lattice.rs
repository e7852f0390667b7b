//! Torus and grid in any number of dimensions (dissertation, sections 2.3.1 to 2.3.3).
//!
//! The first dimension varies fastest: `pe = x + X*(y + Y*z)`. A dimension is then an axis: its size and its stride,
//! the distance of PE numbers one step apart. All neighbours but diagonal ones lie along one axis, and the many
//! factorizations of a number share most of their axes, so that the axes are put together before any pair is made.

use super::{Entry, Generator, Refusal, Takes, admitted, factorization};
use crate::spec::{Neighbours, Parameters, Shape};

pub(super) const TORUS: Entry = Entry {
    name: "torus",
    label: "torus",
    about: "neighbours on a lattice whose dimensions close on themselves",
    takes: Takes::Lattice,
    complete: false,
    generator: |parameters, pes| generator(parameters, pes, true),
};

pub(super) const GRID: Entry = Entry {
    name: "grid",
    about: "neighbours on a lattice with edges",
    label: "grid",
    generator: |parameters, pes| generator(parameters, pes, false),
    ..TORUS
};

fn generator(parameters: &Parameters, pes: u32, wrap: bool) -> Result<Generator, Refusal> {
    let Parameters::Lattice { shape, neighbours, .. } = parameters else {
        unreachable!("a lattice has a shape")
    };
    let lattice = Lattice::on(pes, wrap, shape, *neighbours)?;
    Ok(Generator::new(lattice.at_most(), move |pe, partners| lattice.push(pe, partners)))
}

/// Neighbours on one or more layouts of the same PEs.
struct Lattice {
    pes: u32,
    wrap: bool,
    neighbours: Neighbours,
    /// Axes that are walked together: all of one layout for diagonal neighbours, a single one otherwise. All differ.
    frames: Vec<Vec<Axis>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Axis {
    stride: u32,
    size: u32,
}

impl Lattice {
    fn on(pes: u32, wrap: bool, shape: &Shape, neighbours: Neighbours) -> Result<Self, Refusal> {
        let mut frames = Vec::new();
        for dims in layouts(pes, shape)? {
            let axes = axes(&dims);
            match neighbours {
                Neighbours::Diagonal => frames.push(axes),
                _ => frames.extend(axes.into_iter().map(|axis| vec![axis])),
            }
        }
        frames.sort_unstable();
        frames.dedup();
        Ok(Lattice { pes, wrap, neighbours, frames })
    }

    /// Upper limit of the neighbours along an axis.
    fn reach(&self, axis: &Axis) -> u64 {
        let others = u64::from(axis.size - 1);
        match self.neighbours {
            Neighbours::Nearest | Neighbours::Diagonal => others.min(2),
            Neighbours::PowerOfTwo => others.min(2 * u64::from(axis.size.next_power_of_two().ilog2())),
            Neighbours::Axis => others,
        }
    }

    fn push_along(&self, axis: Axis, pe: u32, partners: &mut Vec<u32>) {
        match self.neighbours {
            Neighbours::Nearest | Neighbours::Diagonal => {
                partners.extend(axis.step(pe, 1, self.wrap).into_iter().flatten())
            }
            Neighbours::PowerOfTwo => {
                let mut offset = 1;
                while offset < axis.size {
                    partners.extend(axis.step(pe, offset, self.wrap).into_iter().flatten());
                    offset *= 2;
                }
            }
            Neighbours::Axis => {
                let first = pe - axis.coordinate(pe) * axis.stride;
                partners.extend((0..axis.size).map(|c| first + c * axis.stride));
            }
        }
    }

    /// Every PE of a layout that is one or no step away along each of `axes`.
    fn push_around(&self, axes: &[Axis], pe: u32, partners: &mut Vec<u32>) {
        let start = partners.len();
        partners.push(pe);
        for axis in axes {
            for at in start..partners.len() {
                let from = partners[at];
                partners.extend(axis.step(from, 1, self.wrap).into_iter().flatten());
            }
        }
    }

    fn at_most(&self) -> u64 {
        let around = |axes: &Vec<Axis>| axes.iter().map(|a| 1 + self.reach(a)).product::<u64>() - 1;
        let ordered = self.frames.iter().map(around).fold(0, u64::saturating_add);
        (u128::from(ordered) * u128::from(self.pes) / 2).try_into().unwrap_or(u64::MAX)
    }

    fn push(&self, pe: u32, partners: &mut Vec<u32>) {
        for frame in &self.frames {
            match frame[..] {
                [axis] => self.push_along(axis, pe, partners),
                _ => self.push_around(frame, pe, partners),
            }
        }
    }
}

impl Axis {
    fn coordinate(self, pe: u32) -> u32 {
        pe / self.stride % self.size
    }

    /// The PEs `offset` steps up and down; none where a grid ends.
    fn step(self, pe: u32, offset: u32, wrap: bool) -> [Option<u32>; 2] {
        let here = self.coordinate(pe);
        let first = pe - here * self.stride;
        let to = |coordinate: u32| first + coordinate * self.stride;
        if wrap {
            let (up, down) =
                ((here + offset) % self.size, (here + self.size - offset % self.size) % self.size);
            [Some(to(up)), Some(to(down))]
        } else {
            [Some(here + offset).filter(|&c| c < self.size).map(to), here.checked_sub(offset).map(to)]
        }
    }
}

/// The sizes of every layout that a shape stands for.
fn layouts(pes: u32, shape: &Shape) -> Result<Vec<Vec<u32>>, Refusal> {
    match shape {
        Shape::Dims(dims) => {
            let product = dims.iter().try_fold(1u32, |product, &d| product.checked_mul(d));
            if product == Some(pes) {
                return Ok(vec![dims.clone()]);
            }
            let written = dims.iter().map(u32::to_string).collect::<Vec<_>>().join("x");
            let product = product.map_or_else(|| "too many".to_string(), |p| p.to_string());
            let expected = format!("sizes whose product is the number of nodes, {pes}");
            Err(Refusal { field: "dims", found: format!("{written} = {product}"), expected })
        }
        &Shape::Factorizations { dimensions, all } => {
            let rule = format!("a product of {dimensions} factors, each at least 2");
            admitted("dimensions", pes, &rule, |n| factorization::exists(n, dimensions))?;
            Ok(match all {
                true => factorization::all(pes, dimensions),
                false => factorization::balanced(pes, dimensions).into_iter().collect(),
            })
        }
    }
}

/// The axes of a layout; sizes of 1 have no neighbours and are left out.
fn axes(dims: &[u32]) -> Vec<Axis> {
    let mut stride = 1;
    let mut axes = Vec::with_capacity(dims.len());
    for &size in dims {
        if size > 1 {
            axes.push(Axis { stride, size });
        }
        stride *= size;
    }
    axes
}
