//! One pattern: its kind, the fields that belong to the kind, and whether it admits the number of PEs.

use super::{
    MatrixFiles,
    read::{Reader, plain_digits},
};
use crate::{
    demand::{
        matrix::{self, MatrixFault, Weighted},
        patterns::{self, Listed},
    },
    spec::{
        Fault, MAX_DIMS, MAX_NIS, MAX_PES, Neighbours, Objective, Pattern, PatternForm, PatternKind, Shape,
        form::Fields,
    },
    text::{did_you_mean, listed},
};

/// Weights a pattern may have; far enough apart for any ranking, near enough for sums in single precision.
const WEIGHTS: (f64, f64) = (1e-9, 1e9);
/// Fields that every kind has.
const COMMON: [&str; 4] = ["kind", "weight", "links", "extra"];

/// What a pattern is judged by.
pub(super) struct Rules<'a> {
    /// Where it stands, as in `pattern[2]`.
    pub(super) path: &'a str,
    /// Number of PEs, if that is known.
    pub(super) pes: Option<u32>,
    /// Most NIs of a PE, if that is known.
    pub(super) nis: Option<u32>,
    /// The objective, if that is known.
    pub(super) objective: Option<Objective>,
}

impl Rules<'_> {
    pub(super) fn resolve(
        &self,
        form: &PatternForm,
        files: &mut dyn MatrixFiles,
        reader: &mut Reader,
    ) -> Option<Pattern> {
        let weight = reader.number_or(&self.at("weight"), &form.weight, WEIGHTS, 1.0);
        let links = reader.whole_or(&self.at("links"), &form.links, 1, MAX_NIS, 1);
        if let (Some(links), Some(nis)) = (links, self.nis)
            && links > nis
        {
            let expected = format!("at most {nis}, the NIs of a PE: each shared switch takes one");
            reader.fault::<()>(&self.at("links"), &form.links, expected);
        }
        let extra = self.extra(form, links, reader);
        let listed = self.listed(form, reader)?;
        self.refuse_strangers(form, listed, reader);
        let kind = self.kind(form, listed, files, reader)?;
        if let Some(Err(refusal)) = self.pes.map(|pes| patterns::admit(&kind, pes)) {
            reader.faults.push(refusal.at(self.path));
            return None;
        }
        Some(Pattern { kind, weight: weight?, links: links?, extra: extra? })
    }

    /// Links wished for on top. With those wanted they take at most the NIs of a PE.
    fn extra(&self, form: &PatternForm, links: Option<u32>, reader: &mut Reader) -> Option<u32> {
        let path = self.at("extra");
        let extra = reader.whole_or(&path, &form.extra, 0, MAX_NIS, 0)?;
        if extra > 0 && self.objective == Some(Objective::Fractional) {
            let expected =
                "nothing: with the fractional objective `links` and `weight` say what is wished for";
            return reader.fault(&path, &form.extra, expected.into());
        }
        if let (Some(links), Some(nis)) = (links, self.nis)
            && links <= nis
            && links + extra > nis
        {
            let expected = match nis - links {
                0 => format!("nothing: the {nis} NIs of a PE are all taken by its `links`"),
                rest => {
                    format!("at most {rest}: with the `links`, {links}, as many as the NIs of a PE, {nis}")
                }
            };
            return reader.fault(&path, &form.extra, expected);
        }
        Some(extra)
    }

    fn at(&self, field: &str) -> String {
        format!("{}.{field}", self.path)
    }

    fn listed(&self, form: &PatternForm, reader: &mut Reader) -> Option<&'static Listed> {
        let written = form.kind.trim();
        let found = patterns::LIST.iter().find(|listed| listed.name == written);
        found.or_else(|| {
            let names = || patterns::LIST.iter().map(|listed| listed.name);
            let expected = format!("one of {}{}", listed(names()), did_you_mean(written, names()));
            reader.fault(&self.at("kind"), written, expected)
        })
    }

    /// Fields that the kind does not have.
    fn refuse_strangers(&self, form: &PatternForm, listed: &Listed, reader: &mut Reader) {
        for key in PatternForm::KEYS {
            let value = form.get(key).map_or("", |value| value.trim());
            if !value.is_empty() && !COMMON.contains(key) && !listed.fields.contains(key) {
                reader.fault::<()>(
                    &self.at(key),
                    value,
                    format!("nothing: `{}` takes no `{key}`", listed.name),
                );
            }
        }
    }

    fn kind(
        &self,
        form: &PatternForm,
        listed: &Listed,
        files: &mut dyn MatrixFiles,
        reader: &mut Reader,
    ) -> Option<PatternKind> {
        match listed.name {
            "hypercube" => Some(PatternKind::Hypercube),
            "bit-reversal" => Some(PatternKind::BitReversal),
            "perfect-shuffle" => Some(PatternKind::PerfectShuffle),
            "transpose" => Some(PatternKind::Transpose),
            "ring" => Some(PatternKind::Ring),
            "all-pairs" => Some(PatternKind::AllPairs),
            "matrix" => self.matrix(form, files, reader),
            lattice => self.lattice(form, lattice == "torus", reader),
        }
    }

    fn lattice(&self, form: &PatternForm, wrap: bool, reader: &mut Reader) -> Option<PatternKind> {
        use Neighbours::{Axis, Diagonal, Nearest, PowerOfTwo};
        let known =
            [("nearest", Nearest), ("diagonal", Diagonal), ("power-of-two", PowerOfTwo), ("axis", Axis)];
        let neighbours = reader.choice(&self.at("neighbours"), &form.neighbours, &known);
        let shape = self.shape(form, reader);
        Some(PatternKind::Lattice { wrap, shape: shape?, neighbours: neighbours? })
    }

    fn shape(&self, form: &PatternForm, reader: &mut Reader) -> Option<Shape> {
        let dims = form.dims.trim();
        if dims.is_empty() {
            if form.dimensions.trim().is_empty() {
                let expected = "sizes such as 16x8, or `dimensions`, 1 to 4".to_string();
                reader.fault::<()>(&self.at("dims"), "", expected);
                reader.choice(
                    &self.at("factorizations"),
                    &form.factorizations,
                    &[("balanced", ()), ("all", ())],
                );
                return None;
            }
            let dimensions = reader.whole(&self.at("dimensions"), &form.dimensions, 1, 4);
            let known = [("balanced", false), ("all", true)];
            let all = reader.choice(&self.at("factorizations"), &form.factorizations, &known);
            return Some(Shape::Factorizations { dimensions: dimensions?, all: all? });
        }
        for (key, value) in [("dimensions", &form.dimensions), ("factorizations", &form.factorizations)] {
            if !value.trim().is_empty() {
                reader.fault::<()>(&self.at(key), value, "nothing, since `dims` says it".into());
            }
        }
        let between = |c: char| matches!(c, 'x' | 'X' | '×' | ',') || c.is_whitespace();
        let words = dims.split(between).filter(|word| !word.is_empty());
        let sizes: Option<Vec<u32>> =
            words.map(|word| plain_digits(word).filter(|size| (1..=MAX_PES).contains(size))).collect();
        match sizes.filter(|sizes| (1..=MAX_DIMS).contains(&sizes.len())) {
            Some(sizes) => Some(Shape::Dims(sizes)),
            None => {
                let expected =
                    format!("1 to {MAX_DIMS} sizes such as 16x8, each from 1 to {MAX_PES}, in plain digits");
                reader.fault(&self.at("dims"), dims, expected)
            }
        }
    }

    fn matrix(
        &self,
        form: &PatternForm,
        files: &mut dyn MatrixFiles,
        reader: &mut Reader,
    ) -> Option<PatternKind> {
        let told = reader.faults.len();
        let threshold = form.threshold.trim();
        let threshold = match threshold.is_empty() {
            true => None,
            false => reader.number_or(&self.at("threshold"), threshold, (0.0, matrix::MAX_WEIGHT), 0.0),
        };
        let (file, pairs) = (form.file.trim(), form.pairs.trim());
        let (field, read) = match (file.is_empty(), pairs.is_empty()) {
            (true, true) => return reader.fault(&self.at("pairs"), "", "pairs, or a `file` of them".into()),
            (false, false) => {
                return reader.fault(&self.at("file"), file, "nothing, since `pairs` says it".into());
            }
            (true, false) => ("pairs", self.pes.map(|pes| matrix::parse_list(&form.pairs, pes, threshold))),
            (false, true) => match files.read(file) {
                Ok(text) => ("file", self.pes.map(|pes| matrix::parse(&text, pes, threshold))),
                Err(clause) => return reader.fault(&self.at("file"), file, clause),
            },
        };
        let pairs = self.taken(field, read?, reader)?;
        if reader.faults.len() > told {
            return None;
        }
        let file = Some(file).filter(|file| !file.is_empty()).map(str::to_string);
        Some(PatternKind::Matrix { pairs: pairs.into(), file, threshold })
    }

    /// The pairs of a matrix; their faults are those of the field they come from.
    fn taken(
        &self,
        field: &str,
        read: Result<Vec<Weighted>, Vec<MatrixFault>>,
        reader: &mut Reader,
    ) -> Option<Vec<Weighted>> {
        match read {
            Ok(pairs) if pairs.is_empty() => {
                let expected = "at least one pair whose weight is above 0 and reaches the threshold".into();
                reader.fault(&self.at(field), "no pair at all", expected)
            }
            Ok(pairs) => Some(pairs),
            Err(faults) => {
                let fault = |f: MatrixFault| {
                    Fault::new(self.at(field), format!("{} (line {})", f.found, f.line), f.expected)
                };
                reader.faults.extend(faults.into_iter().map(fault));
                None
            }
        }
    }
}
