//! The patterns, one per file (dissertation, section 2.3). A pattern is a file and a line in [`LIST`].
//!
//! A generator yields the partners of one PE at a time. So the union of many patterns is made PE by PE, in order, with no
//! memory but for the result, and the limit on pairs is checked before the first is made.

mod all_pairs;
mod bit_reversal;
pub mod factorization;
mod groups;
mod hypercube;
mod lattice;
mod measured;
mod perfect_shuffle;
mod ring;
mod transpose;

use super::{key, matrix};
use crate::{
    form::Fault,
    spec::{
        MAX_PAIRS, MAX_PES, Neighbours, Objective, Parameters, Pattern, PatternForm, PatternKind, Shape,
        Spec,
        job::{Algorithm, Groups},
    },
    text::{grouped, number, ranges},
};

/// All patterns, in the order to offer them.
pub const LIST: &[Entry] = &[
    hypercube::ENTRY,
    bit_reversal::ENTRY,
    perfect_shuffle::ENTRY,
    transpose::ENTRY,
    ring::ENTRY,
    lattice::TORUS,
    lattice::GRID,
    groups::ENTRY,
    all_pairs::ENTRY,
    measured::ENTRY,
];

/// A pattern of the list.
#[derive(Debug)]
pub struct Entry {
    /// Name in a spec.
    pub name: &'static str,
    /// Name for people.
    pub label: &'static str,
    /// Pairs that it requests, in a few words.
    pub about: &'static str,
    /// Parameters that it takes.
    pub takes: Takes,
    /// `true` if it requests every pair of PEs.
    pub complete: bool,
    generator: fn(&Parameters, u32) -> Result<Generator, Refusal>,
}

/// The parameters of a pattern, without weight and links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// None.
    Nothing,
    /// A shape and its neighbours.
    Lattice,
    /// Sizes, the dimensions inside a group, and the pairs there.
    Groups,
    /// Measured pairs.
    Matrix,
}

impl Takes {
    /// Keys of the fields of a [`PatternForm`] that hold the parameters.
    pub fn fields(self) -> &'static [&'static str] {
        match self {
            Takes::Nothing => &[],
            Takes::Lattice => &["dims", "dimensions", "factorizations", "neighbours", "axis_weights"],
            Takes::Groups => &["dims", "along", "within"],
            Takes::Matrix => &["file", "pairs", "threshold"],
        }
    }
}

impl Entry {
    /// The pattern as it is first offered; `None` if its parameters depend on the nodes.
    pub fn example(&self) -> Option<PatternKind> {
        let parameters = match self.takes {
            Takes::Nothing => Parameters::None,
            Takes::Lattice => Parameters::Lattice {
                shape: Shape::Factorizations { dimensions: 2, all: false },
                neighbours: Neighbours::Nearest,
                weights: Vec::new(),
            },
            Takes::Groups | Takes::Matrix => return None,
        };
        Some(PatternKind { name: self.name, parameters })
    }

    /// The form of the pattern as it is first offered.
    pub fn form(&self) -> PatternForm {
        let example = self.example().unwrap_or(PatternKind::plain(self.name));
        form(&Pattern { kind: example, weight: 1.0, links: 1, extra: 0 })
    }
}

/// The entry of that name.
pub fn entry(name: &str) -> Option<&'static Entry> {
    LIST.iter().find(|entry| entry.name == name)
}

/// Labels of the patterns in a mask of [`Demand::patterns_of`](super::Demand::patterns_of), and of a universal objective.
pub fn requesting(spec: &Spec, mask: u32) -> Vec<String> {
    let asking = spec.patterns.iter().enumerate().filter(|(p, _)| mask >> p & 1 == 1);
    let universal = (spec.objective == Objective::Universal).then(|| "universal".into());
    asking.map(|(_, pattern)| label(pattern)).chain(universal).collect()
}

/// A pattern in a few words, such as `torus 16x8, axis`.
pub fn label(pattern: &Pattern) -> String {
    let PatternKind { name, parameters } = &pattern.kind;
    let name = entry(name).map_or(*name, |entry| entry.label);
    let kind = match parameters {
        Parameters::None => name.into(),
        Parameters::Matrix { file: Some(file), .. } => format!("{name} {file}"),
        Parameters::Matrix { pairs, file: None, .. } => match pairs.len() {
            1 => format!("{name} of 1 pair"),
            pairs => format!("{name} of {pairs} pairs"),
        },
        Parameters::Groups(groups) => groups_label(groups),
        Parameters::Lattice { shape, neighbours, .. } => {
            let shape = match shape {
                Shape::Dims(dims) => sizes(dims),
                Shape::Factorizations { dimensions, all: true } => {
                    format!("{dimensions}D, all factorizations")
                }
                Shape::Factorizations { dimensions, all: false } => format!("{dimensions}D, balanced"),
            };
            match neighbours {
                Neighbours::Nearest => format!("{name} {shape}"),
                others => format!("{name} {shape}, {}", others.name().replace('-', " ")),
            }
        }
    };
    match pattern.links {
        0 | 1 => kind,
        links => format!("{kind}, {links} links"),
    }
}

/// Groups in a few words, such as `groups 8x16 along 2, ring` or `data parallel, ring of 128`.
fn groups_label(groups: &Groups) -> String {
    let within = groups.within.name().replace('-', " ");
    match &groups.part {
        Some(part) => {
            format!(
                "{} parallel, {within} of {}",
                part.collective.along.label(),
                grouped(groups.members().into())
            )
        }
        None => {
            let along: Vec<u32> = groups.along.iter().map(|axis| axis + 1).collect();
            format!("groups {} along {}, {within}", sizes(&groups.dims), ranges(&along))
        }
    }
}

/// A pattern as written, defaults left out; a matrix without the name of its file.
pub fn form(pattern: &Pattern) -> PatternForm {
    let unless =
        |default: bool, value: &dyn ToString| if default { String::new() } else { value.to_string() };
    let mut form = PatternForm {
        kind: pattern.kind.name.into(),
        weight: unless(pattern.weight == 1.0, &number(pattern.weight)),
        links: unless(pattern.links == 1, &pattern.links),
        extra: unless(pattern.extra == 0, &pattern.extra),
        ..PatternForm::default()
    };
    match &pattern.kind.parameters {
        Parameters::None => {}
        Parameters::Groups(groups) => {
            form.dims = sizes(&groups.dims);
            form.along = ranges(&groups.along.iter().map(|axis| axis + 1).collect::<Vec<_>>());
            form.within = unless(groups.within == Algorithm::Ring, &groups.within.name());
        }
        Parameters::Lattice { shape, neighbours, weights } => {
            form.axis_weights = weights.iter().map(|&weight| number(weight)).collect::<Vec<_>>().join(", ");
            match shape {
                Shape::Dims(dims) => form.dims = sizes(dims),
                Shape::Factorizations { dimensions, all } => {
                    form.dimensions = dimensions.to_string();
                    form.factorizations = if *all { "all" } else { "balanced" }.into();
                }
            }
            form.neighbours = unless(*neighbours == Neighbours::Nearest, &neighbours.name());
        }
        Parameters::Matrix { pairs, threshold, .. } => {
            form.pairs = matrix::write_list(pairs);
            form.threshold = threshold.map_or_else(String::new, number);
        }
    }
    form
}

fn sizes(dims: &[u32]) -> String {
    dims.iter().map(u32::to_string).collect::<Vec<_>>().join("x")
}

/// The reason why a number of PEs cannot have a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The field of the pattern.
    pub field: &'static str,
    /// Value found there.
    pub found: String,
    /// Values that are accepted.
    pub expected: String,
}

impl Refusal {
    /// As a fault of the pattern at `path`.
    pub fn at(self, path: &str) -> Fault {
        Fault::new(format!("{path}.{}", self.field), self.found, self.expected)
    }
}

/// The pairs of a pattern on a number of PEs that it admits.
pub(super) struct Generator {
    at_most: u64,
    push: Box<Push>,
}

/// Appends at least all partners of a PE that have higher numbers, in any order.
type Push = dyn Fn(u32, &mut Vec<u32>);

impl Generator {
    fn new(at_most: u64, push: impl Fn(u32, &mut Vec<u32>) + 'static) -> Generator {
        Generator { at_most, push: Box::new(push) }
    }

    pub(super) fn on(kind: &PatternKind, pes: u32) -> Result<Generator, Refusal> {
        let listed = entry(kind.name).unwrap_or_else(|| panic!("{} is not in the list", kind.name));
        let generator = (listed.generator)(&kind.parameters, pes)?;
        if generator.at_most > MAX_PAIRS as u64 {
            let expected =
                format!("at most {} pairs: fewer nodes, or another pattern", grouped(MAX_PAIRS as u64));
            return Err(Refusal {
                field: "kind",
                found: format!("up to {} pairs", grouped(generator.at_most)),
                expected,
            });
        }
        Ok(generator)
    }

    /// Upper limit of the number of pairs.
    pub(super) fn max_pairs(&self) -> u64 {
        self.at_most
    }

    /// Fills `partners` with those of a PE that have higher numbers, ascending.
    pub(super) fn higher(&self, pe: u32, partners: &mut Vec<u32>) {
        partners.clear();
        (self.push)(pe, partners);
        partners.retain(|&other| other > pe);
        partners.sort_unstable();
        partners.dedup();
    }
}

/// Checks that `pes` PEs, at least 1, can have a pattern.
///
/// # Errors
/// The pattern does not admit this number, or could have more than [`MAX_PAIRS`] pairs.
pub fn admit(kind: &PatternKind, pes: u32) -> Result<(), Refusal> {
    Generator::on(kind, pes).map(|_| ())
}

/// The pairs of one pattern on `pes` PEs, as ascending distinct keys (`lower << 32 | higher`).
///
/// # Errors
/// At a field of `path`: the pattern does not admit this number of PEs, and the fault says which it does; or it could
/// have more than [`MAX_PAIRS`] pairs.
pub fn pairs(kind: &PatternKind, pes: u32, path: &str) -> Result<Vec<u64>, Fault> {
    if pes == 0 {
        return Err(Fault::new("pes", pes, "at least 1"));
    }
    let generator = Generator::on(kind, pes).map_err(|refusal| refusal.at(path))?;
    let (mut keys, mut partners) = (Vec::new(), Vec::new());
    for pe in 0..pes {
        generator.higher(pe, &mut partners);
        keys.extend(partners.iter().map(|&other| key(pe, other)));
    }
    Ok(keys)
}

/// Refuses a number of PEs that is not `rule` and names the nearest that are.
fn admitted(field: &'static str, pes: u32, rule: &str, admits: impl Fn(u32) -> bool) -> Result<(), Refusal> {
    if admits(pes) {
        return Ok(());
    }
    let below = (1..pes).rev().find(|&n| admits(n));
    let above = (pes + 1..=MAX_PES).find(|&n| admits(n));
    let nearest = below.into_iter().chain(above).map(|n| n.to_string()).collect::<Vec<_>>().join(" or ");
    let expected = format!("a node count that is {rule}, such as {nearest}");
    Err(Refusal { field, found: format!("{pes} nodes"), expected })
}
