//! An import as typed: format, nodes of the ranks, pairs to keep.

use super::{LIST, MAX_RANKS, Placement, Threshold};
use crate::{
    form::{Choice, Faults, Field, FieldKind, FormReader, Reader, form},
    spec::{MAX_PES, MAX_WEIGHT},
};

const KEEP: FieldKind = FieldKind::Choice(&[
    Choice::new("all", "All pairs"),
    Choice::new("amount", "Pairs with at least an amount"),
    Choice::new("share", "Fewest pairs with a share of the traffic"),
]);

form! {
    /// Settings of an import as typed.
    pub struct TrafficForm {
        /// Format of the files. Choose one if it is not detected.
        format: Field::new("Format", FieldKind::Listed(formats)).hint("Detect by content"),
        /// Ranks on each node, in order. If empty, ranks with the same host name are one node; without host names, each rank is.
        ranks_per_node: Field::whole("Ranks per node", 1, MAX_RANKS as u64).hint("by host, else 1"),
        /// Number of nodes that the ranks must fit on.
        nodes: Field::whole("Nodes", 1, MAX_PES as u64).hint("as many as needed"),
        /// Pairs of nodes to keep. The others are left out of the spec.
        keep: Field::new("Keep", KEEP).or("all"),
        /// Traffic that a pair must have, both directions together.
        amount: Field::number("Min traffic per pair", 0.0, MAX_WEIGHT).or("1"),
        /// Percentage of the traffic between nodes that the heaviest pairs carry together.
        share: Field::number("Share of the traffic", 0.0, 100.0).unit("%").or("99"),
    }
}

fn formats() -> Vec<Choice> {
    LIST.iter().map(|format| Choice::new(format.name, format.label)).collect()
}

/// Settings of an import.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Nodes of the ranks.
    pub placement: Placement,
    /// Number of nodes to fit on, if it is given.
    pub nodes: Option<u32>,
    /// Pairs to keep.
    pub threshold: Threshold,
}

impl TrafficForm {
    /// The settings but the format, which is a name of the list or empty. Only the field that `keep` chooses is read.
    ///
    /// # Errors
    /// Every field that is not accepted.
    pub fn read(&self) -> Result<Settings, Faults> {
        let mut reader = Reader::default();
        let mut fields = reader.form(self, "");
        let ranks = fields.given("ranks_per_node", FormReader::whole);
        let nodes = fields.given("nodes", FormReader::whole);
        let mut checked = |key, check: fn(f64) -> Result<Threshold, &'static str>| {
            let number = fields.number(key)?;
            check(number).map_or_else(|expected| fields.fault(key, expected), Some)
        };
        let threshold = match self.keep.trim() {
            "amount" => checked("amount", Threshold::amount),
            "share" => checked("share", Threshold::share),
            _ => fields.text("keep").map(|_| Threshold::default()),
        };
        let settings = || {
            let placement = ranks?.map_or(Placement::Hosts, Placement::PerNode);
            Some(Settings { placement, nodes: nodes?, threshold: threshold? })
        };
        reader.finish(settings())
    }
}
