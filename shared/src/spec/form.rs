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
    /// Price of a metre of cable.
    pub metre_price: String,
    /// Metres added to every cable.
    pub cable_slack: String,
    /// PEs with different numbers of NIs, in PE order.
    pub pe_group: Vec<PeGroupForm>,
    /// The switch catalogue.
    pub switch: Vec<SwitchForm>,
    /// Ports kept free on single switches.
    pub keep: Vec<KeepForm>,
    /// The switch that joins all others.
    pub uplink: Option<UplinkForm>,
    /// Where PEs and switches stand.
    pub rack: Vec<RackForm>,
    /// PEs that must or must not be on a switch.
    pub placement: Vec<PlacementForm>,
    /// The patterns to serve.
    pub pattern: Vec<PatternForm>,
    /// The wiring that is there already.
    pub start: Option<StartForm>,
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

/// Ports kept free on one switch, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct KeepForm {
    /// Which switch.
    pub switch: String,
    /// How many of its ports.
    pub ports: String,
}

/// The switch that joins all others, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UplinkForm {
    /// `separate` or `folded`.
    pub kind: String,
    /// Hot spares on it.
    pub spares: String,
    /// Price of it, if it is separate.
    pub price: String,
}

/// Where some PEs and switches stand, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RackForm {
    /// How many PEs.
    pub pes: String,
    /// How many switches.
    pub switches: String,
    /// Metres along the row of racks.
    pub x: String,
    /// Metres across.
    pub y: String,
}

/// PEs that must or must not be on switches, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlacementForm {
    /// Which PEs, as in `0-7, 12`.
    pub pes: String,
    /// Which switches, as in `0, 3`.
    pub switches: String,
    /// `on` or `off`.
    pub kind: String,
}

/// The wiring that is there already, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StartForm {
    /// Cables that may be moved.
    pub moves: String,
    /// `true` if every cable stays and PE numbers are permuted.
    pub renumber: String,
    /// The table's file, read at the command line only.
    pub file: String,
    /// The table: lines of `switch: pe pe pe`.
    pub table: String,
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
    /// Shared switches wished for on top.
    pub extra: String,
    /// A matrix's file, read at the command line only.
    pub file: String,
    /// A matrix's pairs: lines of `a b` or `a b weight`.
    pub pairs: String,
    /// A matrix's pairs of less weight than this are left out.
    pub threshold: String,
}

/// What the value of a key is, in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A number.
    Number,
    /// Words, and everything else that stands in quotes.
    Text,
    /// `true` or `false`.
    Flag,
    /// Sizes: a list of numbers, `16x8` in the form.
    Sizes,
    /// Pairs: a list of lists, lines in the form.
    Pairs,
    /// Numbers and ranges: `0-7, 12`, or a list of them.
    Set,
}

/// The fields of one table of a spec, by their keys in the file.
pub(crate) trait Fields: Default {
    /// All keys, in the order to write them.
    const KEYS: &'static [&'static str];
    /// What the value of a key is; text for a key that is not there.
    fn kind(key: &str) -> Kind;
    /// The text of a field.
    fn get(&self, key: &str) -> Option<&String>;
    /// The text of a field, to be set.
    fn get_mut(&mut self, key: &str) -> Option<&mut String>;
}

macro_rules! fields {
    ($form:ident: $($key:ident $kind:ident,)*) => {
        impl Fields for $form {
            const KEYS: &'static [&'static str] = &[$(stringify!($key)),*];

            fn kind(key: &str) -> Kind {
                match key {
                    $(stringify!($key) => Kind::$kind,)*
                    _ => Kind::Text,
                }
            }

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

fields!(SpecForm: name Text, pes Number, nis_per_pe Number, objective Text, ni_price Number, cable_price Number,
    metre_price Number, cable_slack Number,);
fields!(PeGroupForm: count Number, nis Number,);
fields!(SwitchForm: ports Number, reserve Number, price Number, count Number,);
fields!(KeepForm: switch Number, ports Number,);
fields!(UplinkForm: kind Text, spares Number, price Number,);
fields!(RackForm: pes Number, switches Number, x Number, y Number,);
fields!(PlacementForm: pes Set, switches Set, kind Text,);
fields!(PatternForm: kind Text, dims Sizes, dimensions Number, factorizations Text, neighbours Text, weight Number,
    links Number, extra Number, file Text, pairs Pairs, threshold Number,);
fields!(StartForm: moves Number, renumber Flag, file Text, table Text,);
