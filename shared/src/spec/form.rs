//! A spec as written: every field is the text that was typed, empty where nothing was.

use serde::{Deserialize, Serialize};

/// A spec as written. Empty text means "not given".
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SpecForm {
    /// What people call it.
    pub name: String,
    /// Number of PEs.
    pub pes: String,
    /// NIs of each PE, unless there are groups.
    pub nis_per_pe: String,
    /// `universal`, `sparse` or `fractional`.
    pub objective: String,
    /// Price of one NI.
    pub ni_price: String,
    /// Price of one cable.
    pub cable_price: String,
    /// PEs with different numbers of NIs, in PE order.
    pub pe_group: Vec<PeGroupForm>,
    /// The switch catalogue.
    pub switch: Vec<SwitchForm>,
    /// The patterns to serve.
    pub pattern: Vec<PatternForm>,
}

/// PEs with the same number of NIs, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PeGroupForm {
    /// How many PEs.
    pub count: String,
    /// NIs of each.
    pub nis: String,
}

/// A switch model, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SwitchForm {
    /// Ports of one.
    pub ports: String,
    /// Ports kept free on each.
    pub reserve: String,
    /// Price of one.
    pub price: String,
    /// How many may be used.
    pub count: String,
}

/// A pattern, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PatternForm {
    /// `hypercube`, `bit-reversal`, `perfect-shuffle`, `transpose`, `ring`, `torus`, `grid`, `all-pairs`, `matrix`.
    pub kind: String,
    /// Sizes of a torus or grid, as in `16x8`.
    pub dims: String,
    /// Number of dimensions, where there are no sizes.
    pub dimensions: String,
    /// `balanced` or `all`, where there are no sizes.
    pub factorizations: String,
    /// `nearest`, `diagonal`, `power-of-two` or `axis`.
    pub neighbours: String,
    /// How much each pair matters.
    pub weight: String,
    /// Shared switches wanted for each pair.
    pub links: String,
    /// A matrix's file, read at the command line only.
    pub file: String,
    /// A matrix's pairs: lines of `a b` or `a b weight`.
    pub pairs: String,
    /// A matrix's pairs of less weight than this are left out.
    pub threshold: String,
}

/// The fields of one table of a spec, by their keys in the file.
pub(super) trait Fields: Default {
    /// All keys, in the order to write them.
    const KEYS: &'static [&'static str];
    /// The text of a field.
    fn get(&self, key: &str) -> Option<&String>;
    /// The text of a field, to be set.
    fn get_mut(&mut self, key: &str) -> Option<&mut String>;
}

macro_rules! fields {
    ($form:ident: $($key:ident)*) => {
        impl Fields for $form {
            const KEYS: &'static [&'static str] = &[$(stringify!($key)),*];

            fn get(&self, key: &str) -> Option<&String> {
                match key {
                    $(stringify!($key) => Some(&self.$key),)*
                    _ => None,
                }
            }

            fn get_mut(&mut self, key: &str) -> Option<&mut String> {
                match key {
                    $(stringify!($key) => Some(&mut self.$key),)*
                    _ => None,
                }
            }
        }
    };
}

fields!(SpecForm: name pes nis_per_pe objective ni_price cable_price);
fields!(PeGroupForm: count nis);
fields!(SwitchForm: ports reserve price count);
fields!(PatternForm: kind dims dimensions factorizations neighbours weight links file pairs threshold);
