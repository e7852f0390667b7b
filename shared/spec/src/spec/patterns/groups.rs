//! Groups: nodes on a lattice that communicate with those of their row, plane or box.

use super::{
    Entry, Fields, Generator, Inputs, Pairs, ParameterSet, Parameters, PatternForm, PatternInputs, Refusal,
    factorization,
    lattice::{read_sizes, written_sizes},
};
use crate::{
    form::{Choice, Field, FieldKind, Form, FormReader, fields, plain_digits, says},
    spec::job::{Algorithm, Groups},
    text::{grouped, ranges},
};
use std::{borrow::Cow, cell::OnceCell};

pub(super) const ENTRY: Entry = Entry {
    name: "groups",
    label: "groups",
    about: "collectives of nodes along some dimensions of a lattice",
    complete: false,
    takes: PatternInputs::Fields(&Fields {
        rows: &[&["dims", "along"], &["within"]],
        shown: |_, _| true,
        example: |pes| {
            let dims = factorization::balanced_or_flat(pes, 2);
            Some(Parameters::Groups(Groups { dims, along: vec![0], within: Algorithm::Ring, part: None }))
        },
        read,
    }),
};

/// Pairs inside a group.
pub const WITHIN: &[Choice] = &[
    Choice::new("ring", "Ring"),
    Choice::new("tree", "Double binary tree"),
    Choice::new("recursive-doubling", "Recursive doubling"),
    Choice::new("all-pairs", "All pairs"),
    Choice::new("neighbours", "Neighbours in a line"),
];

/// Fields besides the sizes of a lattice.
pub(super) const FIELDS: &[Field] = fields! {
    /// Dimensions of `dims` that vary inside a group, counted from 1. Only for groups.
    along: Field::new("Along", FieldKind::Set).hint("1"),
    /// Pairs inside a group. Only for groups.
    within: Field::new("Within", FieldKind::Choice(WITHIN)).or("ring"),
};

impl Groups {
    /// Dimensions inside a group, counted from 1.
    fn written_along(&self) -> String {
        ranges(&self.along.iter().map(|axis| axis + 1).collect::<Vec<_>>())
    }
}

impl ParameterSet for Groups {
    fn write(&self, form: &mut PatternForm) {
        form.put("dims", written_sizes(&self.dims));
        form.put("along", self.written_along());
        form.put("within", self.within.name());
    }

    /// Such as `groups 8x16 along 2, ring` or `data parallel, ring of 128`.
    fn label(&self, label: &str) -> String {
        let within = self.within.name().replace('-', " ");
        match &self.part {
            Some(part) => {
                let members = grouped(self.members().into());
                format!("{} parallel, {within} of {members}", part.collective.along.label())
            }
            None => format!("{label} {} along {}, {within}", written_sizes(&self.dims), self.written_along()),
        }
    }

    fn generator(&self, _name: &str, pes: u32) -> Result<Generator, Refusal> {
        let product = self.dims.iter().try_fold(1u32, |product, &size| product.checked_mul(size));
        let holds = |ranks: u32| match &self.part {
            None => ranks == pes,
            // A job may take a part of all nodes.
            Some(part) => match &part.nodes {
                Some(nodes) => ranks as usize == nodes.len(),
                None => u64::from(ranks) <= u64::from(pes) * u64::from(part.ranks_per_pe),
            },
        };
        if !product.is_some_and(holds) {
            let product = product.map_or_else(|| "too many".into(), |product| grouped(product.into()));
            let found = format!("{} = {product}", written_sizes(&self.dims));
            let expected = format!("sizes whose product is the number of nodes, {pes}");
            return Err(Refusal { field: "dims", found, advice: expected.into(), mends: Vec::new() });
        }
        let members = self.members();
        if !self.within.fits(members as usize) {
            let found = format!("{} in groups of {members}", self.within.name());
            let sentence = format!(
                "`{}` needs groups of a power of two; these have {members} members. Choose another algorithm.",
                self.within.name()
            );
            return Err(Refusal { field: "within", found, advice: says(sentence), mends: Vec::new() });
        }
        let all = u64::from(pes) * u64::from(pes - 1) / 2;
        let at_most = self.max_pairs().min(all);
        let (groups, pairs) = (self.clone(), OnceCell::new());
        Ok(Generator::new(at_most, move |pe, partners| {
            let pairs = pairs.get_or_init(|| groups.pairs());
            let first = pairs.partition_point(|&(a, ..)| a < pe);
            partners.extend(pairs[first..].iter().take_while(|&&(a, ..)| a == pe).map(|&(_, b, _)| b));
        }))
    }

    fn weighted(&self, _generator: Generator) -> Pairs<'_> {
        Pairs::Listed { all: Cow::Owned(self.pairs()), next: 0 }
    }
}

fn read(fields: &mut FormReader, _: &mut Inputs) -> Option<Parameters> {
    let known = Algorithm::ALL.map(|algorithm| (algorithm.name(), algorithm));
    let within = fields.choice("within", &known);
    let dims = match fields.typed("dims") {
        "" => {
            return fields.fault(
                "dims",
                "sizes such as 16x8, in a file [16, 8], whose product is the number of nodes",
            );
        }
        text => read_sizes(text, fields)?,
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
