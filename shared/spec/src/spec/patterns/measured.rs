//! Matrix: measured or hand-written pairs, read by [`matrix`].

use super::{
    Entry, Fields, Generator, Inputs, Pairs, ParameterSet, Parameters, PatternForm, PatternInputs, Refusal,
};
use crate::{
    form::{Field, FieldKind, Form, FormReader, LineFault, fields, says},
    spec::{
        MAX_WEIGHT,
        matrix::{self, WeightedPair},
    },
};
use std::{borrow::Cow, sync::Arc};

pub(super) const ENTRY: Entry = Entry {
    name: "matrix",
    label: "matrix",
    about: "measured or hand-written pairs",
    complete: false,
    takes: PatternInputs::Fields(&Fields {
        rows: &[&["pairs"], &["threshold", "file"]],
        shown: |_, _| true,
        example: |_| None,
        read,
    }),
};

/// Path of a file, read only at the command line.
pub const FILE: Field = Field::new("File", FieldKind::Syntax("the path of a file")).hint("–");

pub(super) const FIELDS: &[Field] = fields! {
    /// Path of a matrix file, read only at the command line.
    file: FILE,
    /// A line `a b` or `a b weight` per pair.
    pairs: Field::new("Pairs", FieldKind::Pairs).hint("–"),
    /// Smallest weight of a pair; lighter pairs are left out.
    threshold: Field::number("Min weight", 0.0, MAX_WEIGHT).hint("0"),
};

/// Measured or hand-written pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    /// Pairs (lower PE first, ascending) with their own weights.
    pub pairs: Arc<[WeightedPair]>,
    /// The file that they were read from.
    pub file: Option<String>,
    /// The smallest weight of a pair; lighter pairs were left out.
    pub threshold: Option<f64>,
}

impl ParameterSet for Matrix {
    fn write(&self, form: &mut PatternForm) {
        form.put("pairs", matrix::write_list(&self.pairs));
        form.put("threshold", self.threshold);
    }

    fn label(&self, label: &str) -> String {
        match (&self.file, self.pairs.len()) {
            (Some(file), _) => format!("{label} {file}"),
            (None, 1) => format!("{label} of 1 pair"),
            (None, pairs) => format!("{label} of {pairs} pairs"),
        }
    }

    fn generator(&self, _name: &str, _pes: u32) -> Result<Generator, Refusal> {
        let pairs = self.pairs.clone();
        let at_most = pairs.len() as u64;
        let push = move |pe: u32, partners: &mut Vec<u32>| {
            let first = pairs.partition_point(|&(a, ..)| a < pe);
            partners.extend(pairs[first..].iter().take_while(|&&(a, ..)| a == pe).map(|&(_, b, _)| b));
        };
        Ok(Generator::new(at_most, push))
    }

    fn weighted(&self, _generator: Generator) -> Pairs<'_> {
        Pairs::Listed { all: Cow::Borrowed(&self.pairs), next: 0 }
    }
}

fn read(fields: &mut FormReader, inputs: &mut Inputs) -> Option<Parameters> {
    let faults = fields.reader().faults.len();
    let threshold = fields.given("threshold", FormReader::number).flatten();
    let (file, pairs) = (fields.typed("file"), fields.typed("pairs"));
    let (field, read) = match (file.is_empty(), pairs.is_empty()) {
        (true, true) => return fields.fault("pairs", "pairs, or a `file` of them"),
        (false, false) => return fields.besides("file", "pairs"),
        (true, false) => ("pairs", inputs.pes.map(|pes| matrix::parse_list(pairs, pes, threshold))),
        (false, true) => match (inputs.file)(file) {
            Ok(text) => ("file", inputs.pes.map(|pes| matrix::parse(&text, pes, threshold))),
            Err(sentence) => return fields.fault("file", says(sentence)),
        },
    };
    let pairs = taken(field, read?, fields)?;
    if fields.reader().faults.len() > faults {
        return None;
    }
    let file = Some(file).filter(|file| !file.is_empty()).map(str::to_string);
    Some(Parameters::Matrix(Matrix { pairs: pairs.into(), file, threshold }))
}

/// The pairs of a matrix; their faults are those of the field they come from.
fn taken(
    field: &str,
    read: Result<Vec<WeightedPair>, Vec<LineFault>>,
    fields: &mut FormReader,
) -> Option<Vec<WeightedPair>> {
    match read {
        Ok(pairs) if pairs.is_empty() => fields.fault_of(
            field,
            "",
            says("every pair has the weight 0 or is below `threshold`; lower `threshold`."),
        ),
        Ok(pairs) => Some(pairs),
        Err(faults) => {
            for fault in faults {
                fields.fault_of::<()>(field, "", says(fault.to_string()));
            }
            None
        }
    }
}
