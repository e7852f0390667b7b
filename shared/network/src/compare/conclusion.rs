//! The conclusion of a comparison in one sentence.

use super::{
    beside::{Comparison, FabricRow},
    figures::FabricFigures,
};
use crate::{
    fabric::kinds::name_of,
    text::{capital, fixed, grouped, rounded},
};

/// Relative difference of prices, times or rates that counts as none.
pub const SAME: f64 = 0.005;

/// How an amount differs from another, such as `26 % cheaper`: `[less, same, more]` are the words.
pub fn differing(own: f64, other: f64, [less, same, more]: [&str; 3]) -> String {
    let share = own / other - 1.0;
    let digits =
        |share: f64| if share < 0.0995 { rounded(100.0 * share, 1) } else { fixed(100.0 * share, 0) };
    match share {
        // Both are 0, or a difference that nobody would pay for.
        share if share.is_nan() || share.abs() < SAME => same.into(),
        share if share < 0.0 => format!("{} % {less}", digits(-share)),
        share if share.is_infinite() => more.into(),
        share => format!("{} % {more}", digits(share)),
    }
}

/// Networks that a conclusion ranks.
pub const RANKED: &str = "Ranked are networks with as many NICs per host that reach every requested pair and have a price for all parts. \
    Networks whose hosts forward are ranked only if the design's hosts forward.";

/// A network with its rank: a price or a latency.
struct RankedNetwork<'a> {
    row: &'a FabricRow,
    value: f64,
}

impl RankedNetwork<'_> {
    fn is_own(&self) -> bool {
        self.row.kind == "design"
    }

    /// Name in the middle of a sentence.
    fn name(&self) -> String {
        if self.is_own() { "this design".into() } else { name_of(&self.row.text) }
    }

    /// The latency beside another network's, as the end of a sentence; empty if one is unknown.
    fn latency(&self, other: &RankedNetwork) -> String {
        let words = ["less latency", "the same latency", "more latency"];
        match self.row.latency().zip(other.row.latency()) {
            Some((own, other)) => format!(", with {} between requested pairs", differing(own, other, words)),
            None => String::new(),
        }
    }
}

impl FabricRow {
    /// Price, if every part has one.
    fn price(&self) -> Option<f64> {
        let bill = &self.figures.as_ref()?.bill;
        bill.total.filter(|_| bill.unpriced.is_empty())
    }

    /// Mean latency of requested pairs, if all are reachable.
    fn latency(&self) -> Option<f64> {
        self.figures.as_ref()?.latency()
    }

    /// `true` if it reaches every requested pair.
    fn reaches(&self) -> bool {
        self.figures.as_ref().is_some_and(FabricFigures::reaches)
    }

    /// `true` if some requested pairs communicate through other hosts, as far as is known.
    fn forwards(&self) -> bool {
        self.figures.as_ref().is_some_and(|figures| {
            let apart = figures.demand.and_then(|demand| demand.single_switch) != Some(1.0);
            apart && figures.diameter_hosts != Some(0)
        })
    }

    /// `true` for the design, and for a network with the same NICs that reaches every requested pair. Its hosts forward only if those of
    /// the design do.
    fn is_alike(&self, own_forwards: bool) -> bool {
        let is_same = || self.unlike.is_none() && (own_forwards || !self.forwards());
        self.reaches() && (self.kind == "design" || is_same())
    }
}

impl Comparison {
    /// The conclusion in a sentence: price and latency of the design beside the next network, as [`RANKED`] says.
    pub fn conclusion(&self) -> String {
        if self.rows.iter().all(|row| row.figures.is_none()) {
            return format!("No network is available for {} hosts.", grouped(self.hosts.into()));
        }
        let own = self.rows.iter().find(|row| row.kind == "design");
        let unreached = own.and_then(|own| own.figures.as_ref()?.demand?.unreached).unwrap_or(0);
        if unreached > 0 {
            let pairs = if unreached == 1 { "pair" } else { "pairs" };
            let unreached = grouped(unreached);
            return format!(
                "This design leaves {unreached} requested {pairs} without a path, so it is not compared."
            );
        }
        let priced = self.ranked(FabricRow::price);
        match (own, priced.iter().find(|ranked| ranked.is_own())) {
            (Some(_), Some(own)) => beside_others(own, &priced) + &self.cheaper_unlike(own),
            (None, _) if !priced.is_empty() => cheapest(&priced),
            _ => self.by_latency(),
        }
    }

    /// The cheapest network that is not ranked, as a further sentence if it is cheaper than the design; else empty.
    fn cheaper_unlike(&self, own: &RankedNetwork) -> String {
        let own_forwards = own.row.forwards();
        let unlike = self.rows.iter().filter(|row| row.reaches() && !row.is_alike(own_forwards));
        let cheapest = unlike.filter_map(|row| Some((row, row.price()?))).min_by(|a, b| a.1.total_cmp(&b.1));
        let Some((row, price)) = cheapest.filter(|(_, price)| *price < own.value * (1.0 - SAME)) else {
            return String::new();
        };
        let why = row.unlike.clone().unwrap_or_else(|| "its hosts forward".into());
        let share = differing(price, own.value, ["cheaper", "", ""]);
        format!(" Not ranked, since it differs from this design: {} ({share}, {why}).", name_of(&row.text))
    }

    /// Networks that are alike, by an amount, least first.
    fn ranked(&self, value: fn(&FabricRow) -> Option<f64>) -> Vec<RankedNetwork<'_>> {
        let own = self.rows.iter().find(|row| row.kind == "design");
        let own_forwards = own.is_some_and(FabricRow::forwards);
        let alike = self.rows.iter().filter(|row| row.is_alike(own_forwards));
        let mut all: Vec<_> =
            alike.filter_map(|row| Some(RankedNetwork { row, value: value(row)? })).collect();
        all.sort_by(|a, b| a.value.total_cmp(&b.value));
        all
    }

    /// The conclusion without prices to compare.
    fn by_latency(&self) -> String {
        let start = "Prices are incomplete, so no network is ranked by price";
        let all = self.ranked(FabricRow::latency);
        let own = all.iter().find(|ranked| ranked.is_own());
        let Some(best) = own.filter(|own| own.value <= all[0].value * (1.0 + SAME)).or(all.first()) else {
            return format!("{start}.");
        };
        let same = |other: &&RankedNetwork| other.value <= best.value * (1.0 + SAME);
        let ties = match all.iter().filter(same).count() - 1 {
            0 => String::new(),
            1 => ", as has 1 other".into(),
            others => format!(", and so have {others} other networks"),
        };
        format!("{start}; {} has the least latency between requested pairs{ties}.", best.name())
    }
}

/// The design beside the cheapest other network.
fn beside_others(own: &RankedNetwork, priced: &[RankedNetwork]) -> String {
    let Some(next) = priced.iter().find(|ranked| !ranked.is_own()) else {
        return "No other network with as many NICs per host has a price for all parts, so nothing is compared.".into();
    };
    let words = ["cheaper", "", "cheaper"];
    let (name, share) = (next.name(), own.value / next.value - 1.0);
    match share {
        share if share.abs() < SAME => {
            format!("This design costs as much as the cheapest other network ({name}){}.", own.latency(next))
        }
        share if share < 0.0 => format!(
            "This design is {} than the next network ({name}){}.",
            differing(own.value, next.value, words),
            own.latency(next)
        ),
        _ => format!(
            "{} is {} than this design{}.",
            subject(&next.name()),
            differing(next.value, own.value, words),
            next.latency(own)
        ),
    }
}

/// The cheapest network of several, least first.
fn cheapest(priced: &[RankedNetwork]) -> String {
    match priced {
        [first, next, ..] if differing(first.value, next.value, ["cheaper", "", ""]).is_empty() => {
            format!(
                "{} and {} cost the same, and no network is cheaper.",
                capital(&first.name()),
                next.name()
            )
        }
        [first, next, ..] => format!(
            "{} is {} than the next network ({}){}.",
            subject(&first.name()),
            differing(first.value, next.value, ["cheaper", "", ""]),
            next.name(),
            first.latency(next)
        ),
        [only] => format!("{} is the only network with a price for all parts.", subject(&only.name())),
        [] => String::new(),
    }
}

/// A name as the subject at the start of a sentence; one with commas ends with a comma.
pub fn subject(name: &str) -> String {
    let end = if name.contains(", ") { "," } else { "" };
    capital(name) + end
}
