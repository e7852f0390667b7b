//! Work that computes one result: comparison, estimate, placement, analysis.

use crate::form::{Field, FieldKind, form};
use serde::{Deserialize, Serialize};

/// Max number of more networks.
pub const MAX_FABRICS: usize = 16;

form! {
    /// The networks of a comparison as typed.
    pub struct CompareForm {
        /// Market: `spec` for the spec's own prices, the key of another market such as `400g`, or the TOML text of a market. Empty:
        /// the spec's own prices if it has any, else its `market`.
        prices: Field::new("Prices", FieldKind::Lines).hint("the spec's"),
        /// More networks, in addition to those fitted to the number of nodes, such as `tree:768,24,2`, or `file:NAME` for one of the
        /// files.
        fabrics: Field::new("More networks", FieldKind::Syntax("networks such as tree:768,24,2, separated by spaces")),
    }
}

impl CompareForm {
    /// The networks, a text each.
    pub fn networks(&self) -> Vec<String> {
        let words = self.fabrics.split_whitespace().map(|word| word.trim_end_matches(','));
        words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    }
}

form! {
    /// A placement as typed.
    pub struct PlacementForm {
        /// Nodes per rack, for a spec without racks.
        nodes_per_rack: Field::whole("Nodes per rack", 1, crate::spec::MAX_PES as u64),
    }
}

/// Report of work that computes one result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ComputedReport<T> {
    /// The current stage; none before the start and after the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// The result, once it is complete.
    pub result: Option<T>,
}

impl<T> Default for ComputedReport<T> {
    fn default() -> ComputedReport<T> {
        ComputedReport { stage: None, result: None }
    }
}

/// A stage of a computation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Stage {
    /// Current activity, in words.
    pub trying: String,
    /// Number of the stage, from 1.
    pub number: u32,
    /// Number of stages.
    pub of: u32,
}

/// The wiring with its switches placed: cables are shortest, nodes keep their places.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PlacedView {
    /// The wiring's text table, with other numbers of switches.
    pub table: String,
    /// Metres of all cables before.
    pub metres_before: f64,
    /// Metres of all cables now.
    pub metres: f64,
}
