//! Networks side by side.

use super::{
    bill::{Bill, BillLine, measured_bill},
    figures::{FabricFigures, figures},
    floor::Lengths,
    market::{Market, MarketForm},
};
use crate::{
    analysis::cost::cost,
    demand::Demand,
    design::Design,
    fabric::{Fit, NetworkKind, Parts, Wiring, fit, kinds::title},
    form::toml,
    spec::Spec,
    text::{grouped, rounded},
};
use serde::{Deserialize, Serialize};

/// Networks side by side for one number of hosts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Comparison {
    /// Hosts.
    pub hosts: u32,
    /// Requested pairs.
    pub pairs: u64,
    /// The market's TOML text.
    pub market: String,
    /// The design first if there is one, then every kind.
    pub rows: Vec<FabricRow>,
}

/// One network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FabricRow {
    /// Kind, `design` for the design.
    pub kind: String,
    /// Label.
    pub title: String,
    /// Text form; empty if the kind is not available for this number of hosts.
    pub text: String,
    /// The numbers of hosts that the kind takes, if not this one.
    pub takes: Option<String>,
    /// Difference from the requested hosts, such as `1 NIC per host instead of 8`; `None` if like is compared with like.
    pub unlike: Option<String>,
    /// Parts of the network's file that are left out, and why, by line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Cost and performance.
    pub figures: Option<FabricFigures>,
}

/// Inputs of a comparison.
pub struct Sources<'a> {
    /// Hosts, patterns and the prices of the design.
    pub spec: &'a Spec,
    /// Requested pairs.
    pub demand: &'a Demand,
    /// The design, if there is one.
    pub design: Option<&'a Design>,
    /// Prices and available hardware.
    pub market: &'a Market,
    /// `true` if the market is the spec's own hardware; the design then costs what its figures say.
    pub own: bool,
}

impl Sources<'_> {
    /// The bill of a network: of the design if `kind` is that, with the spec's own hardware as its figures say. Racks give the
    /// lengths of cables.
    pub fn bill(&self, kind: &dyn NetworkKind) -> Bill {
        let design = self.design.filter(|_| kind.text() == "design");
        if let Some(design) = design.filter(|_| self.own) {
            return own_bill(self.spec, design);
        }
        let lengths = Lengths::of(kind, self.spec, design, self.market.speeds());
        let mut bill = measured_bill(&kind.parts(), self.market, lengths.as_ref());
        if let Some(price) = self.spec.metre_price.filter(|_| self.own) {
            bill.metres(lengths.as_ref(), price);
        }
        bill
    }
}

/// Compares the design with every kind, and with `others`.
pub fn compare(sources: &Sources, others: &[Box<dyn NetworkKind>]) -> Comparison {
    let own = sources.design.map(|design| own_row(sources, design));
    let others = others.iter().map(|kind| FabricRow::asked_for(&**kind, sources));
    let kinds = fit(sources.spec.pes, &sources.market.limits(sources.spec.mean_nis()))
        .into_iter()
        .map(|fit| FabricRow::fitted(&fit, sources));
    Comparison {
        hosts: sources.spec.pes,
        pairs: sources.demand.len() as u64,
        market: toml::write(&MarketForm::of(sources.market)),
        rows: own.into_iter().chain(others).chain(kinds).collect(),
    }
}

/// The row of the design.
pub fn own_row(sources: &Sources, design: &Design) -> FabricRow {
    let wiring = Wiring::of(sources.spec, design);
    FabricRow::of("This design", &wiring, sources)
}

/// The bill of the design as in its figures: with every switch of the spec, spares, and cable by the metre.
fn own_bill(spec: &Spec, design: &Design) -> Bill {
    let (price, _) = cost(spec, design);
    let line = |each| BillLine { what: "the design, as in its figures".into(), count: 1, each };
    let lines = price.total.map(line).into_iter().collect();
    Bill { lines, total: price.total, unpriced: price.unpriced, ..Bill::default() }
}

impl FabricRow {
    /// The row of a fitted kind.
    pub fn fitted(fit: &Fit, sources: &Sources) -> FabricRow {
        match &fit.kind {
            Ok(kind) => FabricRow::asked_for(&**kind, sources),
            Err(takes) => FabricRow {
                kind: fit.entry.name.into(),
                title: fit.entry.title.into(),
                text: String::new(),
                takes: Some(takes.clone()),
                unlike: None,
                warnings: Vec::new(),
                figures: None,
            },
        }
    }

    /// The row of another network.
    pub fn asked_for(kind: &dyn NetworkKind, sources: &Sources) -> FabricRow {
        FabricRow::of(&title(kind), kind, sources)
    }

    /// The row of a network.
    pub fn of(title: &str, kind: &dyn NetworkKind, sources: &Sources) -> FabricRow {
        let text = kind.text();
        FabricRow {
            kind: text.split(':').next().unwrap_or_default().into(),
            title: title.into(),
            takes: None,
            unlike: unlike(kind, sources),
            warnings: kind.warnings().iter().map(ToString::to_string).collect(),
            figures: Some(FabricFigures {
                bill: sources.bill(kind),
                ranks: sources.spec.ranks_per_pe(),
                ..figures(kind, Some(sources.demand), sources.market)
            }),
            text,
        }
    }
}

/// Difference of a network's hosts from those of the spec.
pub fn unlike(kind: &dyn NetworkKind, sources: &Sources) -> Option<String> {
    let Parts { hosts, nis, trunk_nis, .. } = kind.parts();
    let (own, asked) = (sources.spec.total_nis(), sources.spec.pes);
    if hosts != asked {
        return Some(format!("{} hosts instead of {}", grouped(hosts.into()), grouped(asked.into())));
    }
    let each = |nis: u64| rounded(nis as f64 / f64::from(hosts), 1);
    let (theirs, own) = (each(nis + trunk_nis), each(own));
    let nics = if theirs == "1" { "NIC" } else { "NICs" };
    (theirs != own).then(|| format!("{theirs} {nics} per host instead of {own}"))
}
