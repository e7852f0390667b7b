//! Torus and grid in any number of dimensions (Mattox 2006, sections 2.3.1 to 2.3.3).
//!
//! The first dimension varies fastest: `pe = x + X*(y + Y*z)`. A dimension is then an axis: its size and its stride,
//! the distance of PE numbers one step apart. All neighbours but diagonal ones lie along one axis, and the many
//! factorizations of a number share most of their axes, so that the axes are put together before any pair is made.

use super::{
    Entry, Fields, Generator, Inputs, Pairs, ParameterSet, Parameters, PatternForm, PatternInputs, Refusal,
    admitted, factorization,
};
use crate::{
    form::{Choice, Field, FieldKind, Form, FormReader, fields, plain_digits, says},
    spec::{MAX_DIMENSIONS, MAX_DIMS, MAX_PES},
    text::{grouped, number},
};
use serde::{Deserialize, Serialize};

pub(super) const TORUS: Entry = Entry {
    name: "torus",
    label: "torus",
    about: "neighbours on a lattice whose dimensions close on themselves",
    complete: false,
    takes: PatternInputs::Fields(&Fields {
        rows: &[&["factorizations", "dims", "dimensions"], &["neighbours"], &["axis_weights"]],
        shown: |form, key| match key {
            "dims" | "axis_weights" => Layout::of(form) == Layout::Sizes,
            "dimensions" => Layout::of(form) != Layout::Sizes,
            _ => true,
        },
        example: |_| {
            let shape = Shape::Factorizations { dimensions: 2, all: false };
            Some(Parameters::Lattice(Lattice { shape, neighbours: Neighbours::Nearest, weights: Vec::new() }))
        },
        read,
    }),
};

pub(super) const GRID: Entry =
    Entry { name: "grid", about: "neighbours on a lattice with edges", label: "grid", ..TORUS };

const FACTORIZATIONS: &[Choice] =
    &[Choice::new("balanced", "Balanced factorization"), Choice::new("all", "All factorizations")];

const NEIGHBOURS: &[Choice] = &[
    Choice::new("nearest", "Nearest: ±1 along an axis"),
    Choice::new("diagonal", "Diagonal: also across corners"),
    Choice::new("power-of-two", "Power of two: ±1, 2, 4 …"),
    Choice::new("axis", "Axis: all along an axis"),
];

pub(super) const FIELDS: &[Field] = fields! {
    /// Sizes of the dimensions of a torus, grid or groups. The first dimension runs fastest: node 1 is beside node 0 along it.
    dims: Field::new("Sizes", FieldKind::Sizes).hint("16x8"),
    /// Number of dimensions of a torus or grid, instead of their sizes.
    dimensions: Field::whole("Dimensions", 1, MAX_DIMENSIONS),
    /// Shapes of a torus or grid with `dimensions`: the most cubic one, or all with that many dimensions.
    factorizations: Field::new("Factorizations", FieldKind::Choice(FACTORIZATIONS)).or("balanced"),
    /// Nodes that count as neighbours on a torus or grid.
    neighbours: Field::new("Neighbours", FieldKind::Choice(NEIGHBOURS)).or("nearest"),
    /// Weights of the pairs along each dimension of `dims`, in the same order. With 4, 1, a pair along the first dimension counts four
    /// times as much as a pair along the second.
    axis_weights: Field::new("Axis weights", FieldKind::Syntax("a positive weight per dimension, such as 4, 1")).hint("1"),
};

/// A torus or a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Lattice {
    /// Layouts of the PEs.
    pub shape: Shape,
    /// PEs that count as neighbours.
    pub neighbours: Neighbours,
    /// Weight of the pairs along each dimension of the sizes, positive; empty if all are 1.
    pub weights: Vec<f64>,
}

/// Layout of the PEs of a torus or grid; the first dimension varies fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// These sizes, whose product is the number of PEs.
    Dims(Vec<u32>),
    /// The descending factorizations into this many factors of at least 2.
    Factorizations {
        /// 1 to 4.
        dimensions: u32,
        /// All of them, or the one with the smallest sum.
        all: bool,
    },
}

/// Neighbours on a torus or grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Neighbours {
    /// One step along one dimension.
    Nearest,
    /// Also every step of -1, 0, 1 in all dimensions at once.
    Diagonal,
    /// Steps of powers of two along one dimension.
    PowerOfTwo,
    /// All PEs that differ in one dimension only.
    Axis,
}

impl Neighbours {
    /// All, the default first.
    pub const ALL: [Neighbours; 4] =
        [Neighbours::Nearest, Neighbours::Diagonal, Neighbours::PowerOfTwo, Neighbours::Axis];

    /// Returns the name in a spec.
    pub fn name(self) -> &'static str {
        match self {
            Neighbours::Nearest => "nearest",
            Neighbours::Diagonal => "diagonal",
            Neighbours::PowerOfTwo => "power-of-two",
            Neighbours::Axis => "axis",
        }
    }
}

/// The way a torus or grid gives its sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// By `dims`.
    Sizes,
    /// The most cube-like factorization into a number of dimensions.
    Balanced,
    /// All factorizations into a number of dimensions.
    All,
}

impl Layout {
    /// All, each with the value and the label of its option.
    pub const ALL: [(Layout, &str, &str); 3] = [
        (Layout::Sizes, "sizes", "Sizes"),
        (Layout::Balanced, "balanced", "Balanced factorization"),
        (Layout::All, "all", "All factorizations"),
    ];

    /// The layout of a pattern as written.
    pub fn of(form: &PatternForm) -> Layout {
        let [dims, dimensions, factorizations] =
            ["dims", "dimensions", "factorizations"].map(|key| form[key].trim());
        match factorizations {
            _ if !dims.is_empty() => Layout::Sizes,
            "all" => Layout::All,
            "" if dimensions.is_empty() => Layout::Sizes,
            _ => Layout::Balanced,
        }
    }

    /// Writes a pattern in this layout, with as many dimensions as before.
    pub fn set(self, form: &mut PatternForm, pes: u32) {
        let dimensions = match form["dims"].split('x').count() {
            parts @ 1..=4 if !form["dims"].trim().is_empty() => parts.to_string(),
            _ if form["dimensions"].trim().is_empty() => "2".into(),
            _ => form["dimensions"].clone(),
        };
        for key in ["dims", "dimensions", "factorizations"] {
            form[key].clear();
        }
        if self == Layout::Sizes {
            let sizes = factorization::balanced_or_flat(pes, dimensions.trim().parse().unwrap_or(2));
            form["dims"] = written_sizes(&sizes);
        } else {
            form["axis_weights"].clear();
            form["dimensions"] = dimensions;
            form["factorizations"] = if self == Layout::All { "all" } else { "balanced" }.into();
        }
    }
}

impl ParameterSet for Lattice {
    fn write(&self, form: &mut PatternForm) {
        match &self.shape {
            Shape::Dims(dims) => form.put("dims", written_sizes(dims)),
            Shape::Factorizations { dimensions, all } => {
                form.put("dimensions", *dimensions);
                form["factorizations"] = if *all { "all" } else { "balanced" }.into();
            }
        }
        form.put("neighbours", self.neighbours.name());
        let weights: Vec<String> = self.weights.iter().map(|&weight| number(weight)).collect();
        form.put("axis_weights", weights.join(", "));
    }

    fn label(&self, label: &str) -> String {
        let shape = match &self.shape {
            Shape::Dims(dims) => written_sizes(dims),
            Shape::Factorizations { dimensions, all: true } => format!("{dimensions}D, all factorizations"),
            Shape::Factorizations { dimensions, all: false } => format!("{dimensions}D, balanced"),
        };
        match self.neighbours {
            Neighbours::Nearest => format!("{label} {shape}"),
            others => format!("{label} {shape}, {}", others.name().replace('-', " ")),
        }
    }

    fn generator(&self, name: &str, pes: u32) -> Result<Generator, Refusal> {
        let walk = Walk::on(pes, name == TORUS.name, &self.shape, self.neighbours)?;
        Ok(Generator::new(walk.at_most(), move |pe, partners| walk.push(pe, partners)))
    }

    fn weighted(&self, generator: Generator) -> Pairs<'_> {
        match &self.shape {
            Shape::Dims(dims) if !self.weights.is_empty() => {
                Pairs::Weighted(generator, Box::new(|a, b| between(dims, &self.weights, a, b)))
            }
            _ => Pairs::Generated(generator),
        }
    }
}

/// The weight of the axis along which two PEs differ, the slowest if there are several.
fn between(dims: &[u32], weights: &[f64], mut a: u32, mut b: u32) -> f64 {
    let mut weight = 1.0;
    for (size, own) in dims.iter().zip(weights) {
        if a % size != b % size {
            weight = *own;
        }
        (a, b) = (a / size, b / size);
    }
    weight
}

fn read(fields: &mut FormReader, _: &mut Inputs) -> Option<Parameters> {
    let known = Neighbours::ALL.map(|neighbours| (neighbours.name(), neighbours));
    let neighbours = fields.choice("neighbours", &known);
    let shape = shape(fields);
    let weights = axis_weights(fields, shape.as_ref(), neighbours);
    Some(Parameters::Lattice(Lattice { shape: shape?, neighbours: neighbours?, weights: weights? }))
}

/// A weight for each dimension of the sizes; empty if none is given.
fn axis_weights(
    fields: &mut FormReader,
    shape: Option<&Shape>,
    neighbours: Option<Neighbours>,
) -> Option<Vec<f64>> {
    let text = fields.typed("axis_weights");
    if text.is_empty() {
        return Some(Vec::new());
    }
    if neighbours == Some(Neighbours::Diagonal) {
        return fields.unwanted("axis_weights", "diagonal neighbours are along no single axis");
    }
    let Shape::Dims(dims) = shape? else {
        return fields.unwanted("axis_weights", "only `dims` fixes the axes");
    };
    let words = text.trim_matches(['[', ']']).split(|c: char| c == ',' || c.is_whitespace());
    let weight = |word: &str| word.parse().ok().filter(|weight| (1e-9..=1e9).contains(weight));
    let weights: Option<Vec<f64>> = words.filter(|word| !word.is_empty()).map(weight).collect();
    weights.filter(|weights| weights.len() == dims.len()).or_else(|| {
        let example = vec!["1"; dims.len()].join(", ");
        let expected =
            format!("{} weights from 1e-9 to 1e9, one per dimension, such as {example}", dims.len());
        fields.fault("axis_weights", expected)
    })
}

fn shape(fields: &mut FormReader) -> Option<Shape> {
    let all =
        |fields: &mut FormReader| fields.choice("factorizations", &[("balanced", false), ("all", true)]);
    let dims = fields.typed("dims");
    if dims.is_empty() {
        if !fields.is_given("dimensions") {
            fields.fault::<()>(
                "dims",
                says("missing; give sizes such as `dims = [16, 8]`, or `dimensions = 2`."),
            );
            all(fields);
            return None;
        }
        let dimensions = fields.whole("dimensions");
        let all = all(fields);
        return Some(Shape::Factorizations { dimensions: dimensions?, all: all? });
    }
    for key in ["dimensions", "factorizations"] {
        if fields.is_given(key) {
            fields.besides::<()>(key, "dims");
        }
    }
    read_sizes(dims, fields).map(Shape::Dims)
}

/// Sizes as typed, such as 16x8.
pub(super) fn read_sizes(dims: &str, fields: &mut FormReader) -> Option<Vec<u32>> {
    let between = |c: char| matches!(c, 'x' | 'X' | '×' | ',') || c.is_whitespace();
    let words = dims.trim_matches(['[', ']']).split(between).filter(|word| !word.is_empty());
    let sizes: Option<Vec<u32>> =
        words.map(|word| plain_digits(word).filter(|size| (1..=MAX_PES).contains(size))).collect();
    match sizes.filter(|sizes| (1..=MAX_DIMS).contains(&sizes.len())) {
        Some(sizes) => Some(sizes),
        None => {
            let expected =
                format!("1 to {MAX_DIMS} sizes such as 16x8, each from 1 to {}", grouped(MAX_PES.into()));
            fields.fault("dims", expected)
        }
    }
}

/// Sizes such as 16x8.
pub(super) fn written_sizes(dims: &[u32]) -> String {
    dims.iter().map(u32::to_string).collect::<Vec<_>>().join("x")
}

/// Neighbours on one or more layouts of the same PEs.
struct Walk {
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

impl Walk {
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
        Ok(Walk { pes, wrap, neighbours, frames })
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
            let product = product.map_or_else(|| "too many".to_string(), |p| p.to_string());
            let expected = format!("sizes whose product is the number of nodes, {pes}");
            let found = format!("{} = {product}", written_sizes(dims));
            let mends = factorization::near(pes, dims.len() as u32);
            let mends = mends.into_iter().map(|sizes| ("dims", written_sizes(&sizes))).collect();
            Err(Refusal { field: "dims", found, advice: expected.into(), mends })
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
