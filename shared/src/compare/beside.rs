//! Networks side by side.

use super::{
    bill::{Bill, BillLine},
    figures::{FabricFigures, figures},
    market::{Market, MarketForm},
};
use crate::{
    analysis::cost::cost,
    demand::Demand,
    design::Design,
    fabric::{Fit, Kind, Wiring, fit, kinds::KINDS},
    form::toml,
    spec::Spec,
};
use serde::{Deserialize, Serialize};

/// Networks side by side, for as many hosts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Comparison {
    /// Hosts.
    pub hosts: u32,
    /// Pairs that are asked for.
    pub pairs: u64,
    /// The market's TOML text.
    pub market: String,
    /// The wiring first if there is one, then every kind.
    pub rows: Vec<FabricRow>,
}

/// One network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FabricRow {
    /// Its kind, `design` for the wiring.
    pub kind: String,
    /// What people call it.
    pub title: String,
    /// Its text form; empty where it does not take so many hosts.
    pub text: String,
    /// Which numbers of hosts it takes, if not this one.
    pub takes: Option<String>,
    /// What it is, costs and does.
    pub figures: Option<FabricFigures>,
}

/// What networks are compared for.
pub struct Sources<'a> {
    /// Hosts, patterns and the prices of the wiring.
    pub spec: &'a Spec,
    /// The pairs that are asked for.
    pub demand: &'a Demand,
    /// The wiring, if there is one.
    pub design: Option<&'a Design>,
    /// What is for sale.
    pub market: &'a Market,
    /// Whether the market is the spec's own hardware, so that the wiring costs what its figures say.
    pub own: bool,
}

/// All of them; `others` are networks that were asked for besides.
pub fn compare(sources: &Sources, others: &[Box<dyn Kind>]) -> Comparison {
    let own = sources.design.map(|design| own_row(sources, design));
    let others = others.iter().map(|kind| FabricRow::asked_for(&**kind, sources));
    let kinds = fit(sources.spec.pes, &sources.market.limits())
        .into_iter()
        .map(|fit| FabricRow::fitted(&fit, sources));
    Comparison {
        hosts: sources.spec.pes,
        pairs: sources.demand.len() as u64,
        market: toml::write(&MarketForm::of(sources.market)),
        rows: own.into_iter().chain(others).chain(kinds).collect(),
    }
}

/// The row of the wiring.
pub fn own_row(sources: &Sources, design: &Design) -> FabricRow {
    let wiring = Wiring::of(sources.spec, design);
    let mut row = FabricRow::of("This design", &wiring, sources);
    if let Some(figures) = row.figures.as_mut().filter(|_| sources.own) {
        figures.bill = own_bill(sources.spec, design);
    }
    row
}

/// The bill of the wiring as its figures have it: with every switch of the spec, with spares, and by metres of cable.
fn own_bill(spec: &Spec, design: &Design) -> Bill {
    let (price, _) = cost(spec, design);
    let line = |each| BillLine { what: "the wiring, as in its figures".into(), count: 1, each };
    Bill { lines: price.total.map(line).into_iter().collect(), total: price.total, unpriced: price.unpriced }
}

impl FabricRow {
    /// The row of a kind that was fitted.
    pub fn fitted(fit: &Fit, sources: &Sources) -> FabricRow {
        match &fit.kind {
            Ok(kind) => FabricRow::of(fit.entry.title, &**kind, sources),
            Err(takes) => FabricRow {
                kind: fit.entry.name.into(),
                title: fit.entry.title.into(),
                text: String::new(),
                takes: Some(takes.clone()),
                figures: None,
            },
        }
    }

    /// The row of a network that was asked for besides.
    pub fn asked_for(kind: &dyn Kind, sources: &Sources) -> FabricRow {
        let text = kind.text();
        let named = KINDS.iter().find(|entry| text.split(':').next() == Some(entry.name));
        FabricRow::of(named.map_or(text.as_str(), |entry| entry.title), kind, sources)
    }

    /// The row of a network.
    pub fn of(title: &str, kind: &dyn Kind, sources: &Sources) -> FabricRow {
        let text = kind.text();
        FabricRow {
            kind: text.split(':').next().unwrap_or_default().into(),
            title: title.into(),
            takes: None,
            figures: Some(figures(kind, Some(sources.demand), sources.market)),
            text,
        }
    }
}
