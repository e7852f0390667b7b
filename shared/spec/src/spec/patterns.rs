//! The patterns, one per file (Mattox 2006, section 2.3). A pattern is a file and a line in [`LIST`].
//! A pattern with parameters is also a variant of [`Parameters`]; its file has their fields, reading, writing and page rows.
//!
//! A generator yields the partners of one PE at a time. So the union of many patterns is made PE by PE, in order, with no
//! memory but for the result, and the limit on pairs is checked before the first is made.

mod all_pairs;
mod bit_reversal;
pub mod factorization;
pub mod groups;
mod hypercube;
pub mod lattice;
pub mod measured;
mod perfect_shuffle;
mod ring;
mod transpose;

use super::{
    MAX_NIS, MAX_PAIRS, MAX_PES, Objective, Spec,
    job::Groups,
    matrix::{WeightedPair, key},
};
use crate::{
    form::{
        Advice, Described, Fault, Field, FieldKind, Form, FormReader, Rows, Schema, fields, record, says,
        shown,
    },
    text::grouped,
};
use lattice::Lattice;
use measured::Matrix;
use std::{
    borrow::Cow,
    ops::{Index, IndexMut},
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
    /// `true` if it requests every pair of PEs.
    pub complete: bool,
    /// Inputs besides weight and links.
    pub takes: PatternInputs,
}

/// Inputs of a pattern besides weight and links.
#[derive(Clone, Copy, Debug)]
pub enum PatternInputs {
    /// The number of PEs alone.
    Nothing(fn(u32) -> Result<Generator, Refusal>),
    /// Parameters in fields of its own.
    Fields(&'static Fields),
}

/// Fields of a [`PatternForm`] that hold the parameters of a pattern.
#[derive(Debug)]
pub struct Fields {
    /// Keys of all of them, in rows of a page.
    pub rows: &'static [&'static [&'static str]],
    /// `true` for a key that is of use, given the others as typed.
    pub shown: fn(&PatternForm, &str) -> bool,
    /// The parameters as first offered for a number of PEs; `None` if there is no example.
    pub example: fn(u32) -> Option<Parameters>,
    /// Reads the parameters. `None` after a fault.
    pub read: fn(&mut FormReader, &mut Inputs) -> Option<Parameters>,
}

/// Inputs of the parameters of a pattern besides its form.
pub struct Inputs<'a> {
    /// Number of PEs, if it is known.
    pub pes: Option<u32>,
    /// Reads a file, or returns the reason why it cannot be read.
    pub file: &'a mut dyn FnMut(&str) -> Result<String, String>,
}

impl Fields {
    /// Keys of all fields.
    pub fn keys(&self) -> impl Iterator<Item = &'static str> {
        self.rows.iter().copied().flatten().copied()
    }
}

impl Entry {
    /// The fields of its parameters, if it has any.
    pub fn fields(&self) -> Option<&'static Fields> {
        if let PatternInputs::Fields(fields) = self.takes { Some(fields) } else { None }
    }

    /// The pattern as it is first offered for a number of PEs; `None` if there is no example.
    pub fn example(&self, pes: u32) -> Option<PatternKind> {
        let example = |fields: &Fields| (fields.example)(pes);
        let parameters = self.fields().map_or(Some(Parameters::None), example)?;
        Some(PatternKind { name: self.name, parameters })
    }

    /// The form of the pattern as it is first offered.
    pub fn form(&self, pes: u32) -> PatternForm {
        let kind = self.example(pes).unwrap_or(PatternKind::plain(self.name));
        form(&Pattern::of(kind))
    }
}

record! {
    /// One communication pattern of a spec.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Pattern {
        /// Kind of pattern.
        pub kind: PatternKind = PatternKind::plain(""),
        /// Weight of each pair; positive.
        pub weight: f64,
        /// Shared switches wanted for each pair; at least 1.
        pub links: u32,
        /// Extra shared switches, as far as the hardware allows after every pair has its links.
        pub extra: u32,
    }
}

/// A pattern of the list with its parameters (Mattox 2006, sections 2.3 and 3.2).
#[derive(Clone, Debug, PartialEq)]
pub struct PatternKind {
    /// Name in [`LIST`].
    pub name: &'static str,
    /// The parameters that it takes.
    pub parameters: Parameters,
}

impl Pattern {
    /// A pattern of that kind with the defaults of all others.
    pub fn of(kind: PatternKind) -> Pattern {
        Pattern { kind, ..PatternForm::default().record() }
    }
}

impl PatternKind {
    /// A pattern without parameters.
    pub fn plain(name: &'static str) -> PatternKind {
        PatternKind { name, parameters: Parameters::None }
    }
}

/// Parameters of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub enum Parameters {
    /// None.
    None,
    /// Parameters of a torus or a grid.
    Lattice(Lattice),
    /// Groups of nodes, or of a job's ranks.
    Groups(Groups),
    /// Measured or hand-written pairs.
    Matrix(Matrix),
}

impl Parameters {
    fn given(&self) -> Option<&dyn ParameterSet> {
        match self {
            Parameters::None => None,
            Parameters::Lattice(lattice) => Some(lattice),
            Parameters::Groups(groups) => Some(groups),
            Parameters::Matrix(matrix) => Some(matrix),
        }
    }
}

/// Parameters that a pattern has.
trait ParameterSet {
    /// Writes them, defaults left out.
    fn write(&self, form: &mut PatternForm);
    /// The pattern of that label in a few words.
    fn label(&self, label: &str) -> String;
    /// The pairs of the pattern of that name.
    fn generator(&self, name: &str, pes: u32) -> Result<Generator, Refusal>;

    /// Adds weights to the pairs, once they are known to fit.
    fn weighted(&self, generator: Generator) -> Pairs<'_> {
        Pairs::Generated(generator)
    }
}

/// The pairs of a pattern with their own weights.
pub enum Pairs<'a> {
    /// Pairs of a generator, of weight 1.
    Generated(Generator),
    /// Pairs of a generator, weighted by a function of the two PEs.
    Weighted(Generator, Box<dyn Fn(u32, u32) -> f64 + 'a>),
    /// A list, ascending, and the number of its pairs that have been taken.
    Listed {
        /// The list.
        all: Cow<'a, [WeightedPair]>,
        /// The first pair that has not been taken.
        next: usize,
    },
}

impl<'a> Pairs<'a> {
    /// The pairs of a pattern on a number of PEs.
    pub fn of(kind: &'a PatternKind, pes: u32) -> Result<Pairs<'a>, Refusal> {
        let generator = Generator::on(kind, pes)?;
        Ok(match kind.parameters.given() {
            Some(given) => given.weighted(generator),
            None => Pairs::Generated(generator),
        })
    }
}

const HEAD: &[Field] = fields! {
    /// Kind of pattern.
    kind: Field::new("Kind", FieldKind::Syntax("the name of a pattern")),
};

/// Fields of all patterns, besides the kind.
pub const COMMON: &[Field] = fields! {
    /// Importance of each pair, relative to other patterns.
    weight: Field::number("Weight", 1e-9, 1e9).or("1"),
    /// Shared switches required for each pair.
    links: Field::whole("Links per pair", 1, MAX_NIS as u64).or("1"),
    /// Additional shared switches for each pair, as far as the hardware allows.
    extra: Field::whole("Extra links", 0, MAX_NIS as u64).or("0"),
};

/// All fields, in the order of a file.
const FIELDS: [&[Field]; 5] = [HEAD, lattice::FIELDS, groups::FIELDS, COMMON, measured::FIELDS];

const COUNT: usize = {
    let (mut count, mut part) = (0, 0);
    while part < FIELDS.len() {
        count += FIELDS[part].len();
        part += 1;
    }
    count
};

const ALL_FIELDS: [Field; COUNT] = {
    let (mut all, mut count, mut part) = ([HEAD[0]; COUNT], 0, 0);
    while part < FIELDS.len() {
        let mut at = 0;
        while at < FIELDS[part].len() {
            all[count] = FIELDS[part][at];
            (count, at) = (count + 1, at + 1);
        }
        part += 1;
    }
    all
};

/// A pattern, as written: a text for each field, by its key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatternForm([String; COUNT]);

impl PatternForm {
    /// The form with these texts. Panics for a key that it lacks.
    pub fn of<const N: usize>(texts: [(&str, &str); N]) -> PatternForm {
        let mut form = PatternForm::default();
        texts.into_iter().for_each(|(key, text)| form[key] = text.into());
        form
    }
}

fn position(key: &str) -> Option<usize> {
    ALL_FIELDS.iter().position(|field| field.key == key)
}

impl Described for PatternForm {
    const SCHEMA: &'static Schema = &Schema { fields: &ALL_FIELDS, tables: &[] };
}

impl Form for PatternForm {
    fn schema(&self) -> &'static Schema {
        Self::SCHEMA
    }

    fn get(&self, key: &str) -> Option<&str> {
        Some(&self.0[position(key)?])
    }

    fn get_mut(&mut self, key: &str) -> Option<&mut String> {
        let at = position(key)?;
        Some(&mut self.0[at])
    }

    fn rows(&self, _table: &str) -> Option<&dyn Rows> {
        None
    }

    fn rows_mut(&mut self, _table: &str) -> Option<&mut dyn Rows> {
        None
    }
}

impl Index<&str> for PatternForm {
    type Output = String;

    fn index(&self, key: &str) -> &String {
        &self.0[position(key).unwrap_or_else(|| panic!("no field {key}"))]
    }
}

impl IndexMut<&str> for PatternForm {
    fn index_mut(&mut self, key: &str) -> &mut String {
        let at = position(key).unwrap_or_else(|| panic!("no field {key}"));
        &mut self.0[at]
    }
}

/// The entry of that name.
pub fn entry(name: &str) -> Option<&'static Entry> {
    LIST.iter().find(|entry| entry.name == name)
}

/// Labels of the patterns in a mask of [`Demand::patterns_of`](crate::demand::Demand::patterns_of), and of a universal objective.
pub fn requesting(spec: &Spec, mask: u32) -> Vec<String> {
    let asking = spec.patterns.iter().enumerate().filter(|(p, _)| mask >> p & 1 == 1);
    let universal = (spec.objective == Objective::Universal).then(|| "universal".into());
    asking.map(|(_, pattern)| label(pattern)).chain(universal).collect()
}

/// A pattern in a few words, such as `torus 16x8, axis`.
pub fn label(pattern: &Pattern) -> String {
    let PatternKind { name, parameters } = &pattern.kind;
    let name = entry(name).map_or(*name, |entry| entry.label);
    let kind = parameters.given().map_or_else(|| name.into(), |given| given.label(name));
    match pattern.links {
        0 | 1 => kind,
        links => format!("{kind}, {links} links"),
    }
}

/// A pattern as written, defaults left out; a matrix without the name of its file.
pub fn form(pattern: &Pattern) -> PatternForm {
    let mut form = PatternForm::short_of(pattern);
    form["kind"] = pattern.kind.name.into();
    if let Some(given) = pattern.kind.parameters.given() {
        given.write(&mut form);
    }
    form
}

/// The reason why a number of PEs cannot have a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The field of the pattern.
    pub field: &'static str,
    /// Value found there.
    pub found: String,
    /// What to do.
    pub advice: Advice,
    /// Texts that mend it, each with its field: one of the pattern, or `nodes` of the spec.
    pub mends: Vec<(&'static str, String)>,
}

impl Refusal {
    /// Returns a fault of the pattern at `path`.
    pub fn at(self, path: &str) -> Fault {
        let fault = Fault::new(format!("{path}.{}", self.field), self.found, self.advice);
        self.mends.into_iter().fold(fault, |fault, (field, text)| match field {
            NODES => fault.mended(NODES, text),
            field => fault.mended(format!("{path}.{field}"), text),
        })
    }

    /// Returns a sentence about the pattern.
    pub fn sentence(self) -> String {
        self.advice.about(&shown(self.found))
    }
}

/// The field of the spec with its number of nodes.
const NODES: &str = "nodes";

/// The pairs of a pattern on a number of PEs that it admits.
pub struct Generator {
    at_most: u64,
    push: Box<Push>,
}

/// Appends at least all partners of a PE that have higher numbers, in any order.
type Push = dyn Fn(u32, &mut Vec<u32>);

impl Generator {
    fn new(at_most: u64, push: impl Fn(u32, &mut Vec<u32>) + 'static) -> Generator {
        Generator { at_most, push: Box::new(push) }
    }

    /// The pairs of a pattern. Panics if the pattern is not in the list, or lacks its parameters.
    pub fn on(kind: &PatternKind, pes: u32) -> Result<Generator, Refusal> {
        let generator = match (kind.parameters.given(), entry(kind.name).map(|entry| entry.takes)) {
            (Some(given), _) => given.generator(kind.name, pes),
            (None, Some(PatternInputs::Nothing(generator))) => generator(pes),
            (None, _) => panic!("{} is no pattern without parameters", kind.name),
        }?;
        if generator.at_most > MAX_PAIRS as u64 {
            let expected =
                format!("at most {} pairs: fewer nodes, or another pattern", grouped(MAX_PAIRS as u64));
            return Err(Refusal {
                field: "kind",
                found: format!("up to {} pairs", grouped(generator.at_most)),
                advice: expected.into(),
                mends: Vec::new(),
            });
        }
        Ok(generator)
    }

    /// Upper limit of the number of pairs.
    pub fn max_pairs(&self) -> u64 {
        self.at_most
    }

    /// Fills `partners` with those of a PE that have higher numbers, ascending.
    pub fn higher(&self, pe: u32, partners: &mut Vec<u32>) {
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
        return Err(Fault::new(NODES, pes, "at least 1"));
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
    let nearest: Vec<String> = below.into_iter().chain(above).map(|n| n.to_string()).collect();
    let sentence =
        format!("needs a node count that is {rule}, such as {}; {pes} is none.", nearest.join(" or "));
    let mends = nearest.into_iter().map(|nodes| (NODES, nodes)).collect();
    Err(Refusal { field, found: format!("{pes} nodes"), advice: says(sentence), mends })
}
