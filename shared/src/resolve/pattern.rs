//! One pattern: its kind, the fields that belong to the kind, and whether it admits the number of PEs.

use super::MatrixFiles;
use crate::{
    demand::{
        matrix::{self, MatrixFault, Weighted},
        patterns::{self, Entry, Takes},
    },
    form::{Described, Field, FormReader, plain_digits},
    spec::{
        MAX_DIMS, MAX_PES, Neighbours, Objective, Parameters, Pattern, PatternForm, PatternKind, Shape,
        job::{Algorithm, Groups},
    },
    text::{did_you_mean, grouped, listed},
};

const COMMON: [&str; 4] = ["kind", "weight", "links", "extra"];

/// Values that the rules of a pattern depend on.
pub(super) struct Rules {
    pub(super) pes: Option<u32>,
    pub(super) nis: Option<u32>,
    pub(super) objective: Option<Objective>,
}

impl Rules {
    pub(super) fn resolve(&self, fields: &mut FormReader, files: &mut dyn MatrixFiles) -> Option<Pattern> {
        let weight = fields.number("weight");
        let links = fields.whole("links");
        if let (Some(links), Some(nis)) = (links, self.nis)
            && links > nis
        {
            let expected = format!("at most {nis}, the NICs of a node: each shared switch takes one");
            fields.fault::<()>("links", expected);
        }
        let extra = self.extra(links, fields);
        let entry = listed_kind(fields)?;
        refuse_strangers(entry, fields);
        let kind = self.kind(entry, fields, files)?;
        if let Some(Err(refusal)) = self.pes.map(|pes| patterns::admit(&kind, pes)) {
            let refusal = refusal.at(fields.path("").trim_end_matches('.'));
            fields.reader().faults.push(refusal);
            return None;
        }
        Some(Pattern { kind, weight: weight?, links: links?, extra: extra? })
    }

    /// Extra links; with the required ones at most the NIs of a PE.
    fn extra(&self, links: Option<u32>, fields: &mut FormReader) -> Option<u32> {
        let extra = fields.whole("extra")?;
        if extra > 0 && matches!(self.objective, Some(Objective::Fractional | Objective::Time)) {
            let expected = "no value: the fractional objective uses `links` and `weight`";
            return fields.fault("extra", expected);
        }
        if let (Some(links), Some(nis)) = (links, self.nis)
            && links <= nis
            && links + extra > nis
        {
            let expected = match nis - links {
                0 => format!("no value: the `links` use all {nis} NICs of a node"),
                rest => {
                    format!("at most {rest}: `links` ({links}) and `extra` share the {nis} NICs of a node")
                }
            };
            return fields.fault("extra", expected);
        }
        Some(extra)
    }

    fn kind(
        &self,
        entry: &'static Entry,
        fields: &mut FormReader,
        files: &mut dyn MatrixFiles,
    ) -> Option<PatternKind> {
        let parameters = match entry.takes {
            Takes::Nothing => Parameters::None,
            Takes::Lattice => lattice(fields)?,
            Takes::Groups => groups(fields)?,
            Takes::Matrix => self.matrix(fields, files)?,
        };
        Some(PatternKind { name: entry.name, parameters })
    }

    fn matrix(&self, fields: &mut FormReader, files: &mut dyn MatrixFiles) -> Option<Parameters> {
        let faults = fields.reader().faults.len();
        let threshold = fields.given("threshold", FormReader::number).flatten();
        let (file, pairs) = (fields.typed("file"), fields.typed("pairs"));
        let (field, read) = match (file.is_empty(), pairs.is_empty()) {
            (true, true) => return fields.fault("pairs", "pairs, or a `file` of them"),
            (false, false) => return fields.fault("file", "no file, since `pairs` is given"),
            (true, false) => ("pairs", self.pes.map(|pes| matrix::parse_list(pairs, pes, threshold))),
            (false, true) => match files.read(file) {
                Ok(text) => ("file", self.pes.map(|pes| matrix::parse(&text, pes, threshold))),
                Err(clause) => return fields.fault("file", clause),
            },
        };
        let pairs = taken(field, read?, fields)?;
        if fields.reader().faults.len() > faults {
            return None;
        }
        let file = Some(file).filter(|file| !file.is_empty()).map(str::to_string);
        Some(Parameters::Matrix { pairs: pairs.into(), file, threshold })
    }
}

fn listed_kind(fields: &mut FormReader) -> Option<&'static Entry> {
    let written = fields.typed("kind");
    patterns::entry(written).or_else(|| {
        let names = || patterns::LIST.iter().map(|entry| entry.name);
        fields.fault("kind", format!("one of {}{}", listed(names()), did_you_mean(written, names())))
    })
}

fn refuse_strangers(entry: &Entry, fields: &mut FormReader) {
    for Field { key, .. } in PatternForm::SCHEMA.fields {
        if fields.is_given(key) && !COMMON.contains(key) && !entry.takes.fields().contains(key) {
            fields.fault::<()>(key, format!("no value: `{}` takes no `{key}`", entry.name));
        }
    }
}

fn lattice(fields: &mut FormReader) -> Option<Parameters> {
    let known = Neighbours::ALL.map(|neighbours| (neighbours.name(), neighbours));
    let neighbours = fields.choice("neighbours", &known);
    let shape = shape(fields);
    let weights = axis_weights(fields, shape.as_ref(), neighbours);
    Some(Parameters::Lattice { shape: shape?, neighbours: neighbours?, weights: weights? })
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
        return fields.fault("axis_weights", "no value: diagonal neighbours are along no single axis");
    }
    let Shape::Dims(dims) = shape? else {
        return fields.fault("axis_weights", "no value without `dims`: factorizations have no fixed axes");
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

fn groups(fields: &mut FormReader) -> Option<Parameters> {
    let known = Algorithm::ALL.map(|algorithm| (algorithm.name(), algorithm));
    let within = fields.choice("within", &known);
    let dims = match fields.typed("dims") {
        "" => return fields.fault("dims", "sizes such as 16x8, whose product is the number of nodes"),
        text => sizes(text, fields)?,
    };
    let words = fields.typed("along").split(|c: char| c == ',' || c.is_whitespace());
    let axis = |word: &str| plain_digits::<u32>(word).filter(|axis| (1..=dims.len() as u32).contains(axis));
    let along: Option<Vec<u32>> = words.filter(|word| !word.is_empty()).map(axis).collect();
    let Some(mut along) = along.filter(|along| !along.is_empty()) else {
        let expected = format!("dimensions from 1 to {}, such as 1", dims.len());
        return fields.fault("along", expected);
    };
    along.iter_mut().for_each(|axis| *axis -= 1);
    along.sort_unstable();
    along.dedup();
    Some(Parameters::Groups(Groups { dims, along, within: within?, part: None }))
}

fn shape(fields: &mut FormReader) -> Option<Shape> {
    let all =
        |fields: &mut FormReader| fields.choice("factorizations", &[("balanced", false), ("all", true)]);
    let dims = fields.typed("dims");
    if dims.is_empty() {
        if !fields.is_given("dimensions") {
            fields.fault::<()>("dims", "sizes such as 16x8, or `dimensions`, 1 to 4");
            all(fields);
            return None;
        }
        let dimensions = fields.whole("dimensions");
        let all = all(fields);
        return Some(Shape::Factorizations { dimensions: dimensions?, all: all? });
    }
    for key in ["dimensions", "factorizations"] {
        if fields.is_given(key) {
            fields.fault::<()>(key, "no value, since `dims` is given");
        }
    }
    sizes(dims, fields).map(Shape::Dims)
}

fn sizes(dims: &str, fields: &mut FormReader) -> Option<Vec<u32>> {
    let between = |c: char| matches!(c, 'x' | 'X' | '×' | ',') || c.is_whitespace();
    let words = dims.split(between).filter(|word| !word.is_empty());
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

/// The pairs of a matrix; their faults are those of the field they come from.
fn taken(
    field: &str,
    read: Result<Vec<Weighted>, Vec<MatrixFault>>,
    fields: &mut FormReader,
) -> Option<Vec<Weighted>> {
    match read {
        Ok(pairs) if pairs.is_empty() => {
            let expected = "at least one pair with a weight above 0 and not below the threshold";
            fields.fault_of(field, "no pairs", expected)
        }
        Ok(pairs) => Some(pairs),
        Err(faults) => {
            for fault in faults {
                let found = format!("{} (line {})", fault.found, fault.line);
                fields.fault_of::<()>(field, found, fault.expected);
            }
            None
        }
    }
}
