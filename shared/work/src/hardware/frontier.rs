//! The goal `time` of a hardware search: price and time of wirings and other networks for the job at hand, and the cheapest of them.
//!
//! An offer is a wiring for some NICs and switches, or another network. Offers with a price and a time are ranked: the frontier has
//! those for which no cheaper offer is as fast. A part without a price makes an offer's price unknown, and the offer is not ranked.

use super::{HardwareRequest, build_spec, candidates::family, cell_spec, cell_text, mixable, stock_spec};
use crate::{
    analysis::cost::{CableCounts, Price},
    compare::{
        Bill, Market, bill,
        market::{MarketChoice, PRESETS},
        subject,
    },
    estimate::{
        SAME, duration,
        timing::{Timing, has_traffic},
    },
    fabric::{Parts, SwitchParts, kinds::name_of},
    form::{Choice, says},
    spec::{Fault, Faults, MAX_PORTS, Objective, Spec, SwitchModel, Uplink},
    text::{fixed, grouped, rounded},
};
use serde::{Deserialize, Serialize};

/// Kind of the offers that are wirings.
pub const DESIGN: &str = "design";
/// Default of [`Frontier::within`].
pub const WITHIN: &str = "2";

/// The question that a hardware search answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Goal {
    /// Which NICs and switches are enough to serve every pair.
    #[default]
    Pairs,
    /// Which network is the cheapest for a step of the job, or for measured traffic.
    Time,
}

impl Goal {
    /// The words of a form.
    pub const CHOICES: &[Choice] = &[
        Choice::new("pairs", "hardware that serves every pair"),
        Choice::new("time", "cheapest network for the job"),
    ];

    /// Returns the word in a form.
    pub fn word(self) -> &'static str {
        match self {
            Goal::Pairs => "pairs",
            Goal::Time => "time",
        }
    }
}

/// Request of a hardware search with the goal [`Goal::Time`].
#[derive(Clone, Debug)]
pub struct FrontierRequest {
    /// Job, NIC counts, switch models of wirings, budgets. `cell` limits the first search for each wiring.
    pub hardware: HardwareRequest,
    /// Prices, speeds and latencies.
    pub market: MarketChoice,
    /// See [`Frontier::within`].
    pub within: f64,
}

/// State of an offer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum OfferState {
    /// Not tried yet.
    #[default]
    Waiting,
    /// Being searched or estimated.
    Trying,
    /// With a time.
    Done,
    /// Without a time; `missing` says why.
    Missing,
    /// Left out, since a ranked offer is as cheap and no slower than its bound.
    Beaten,
}

/// A wiring or another network, with its price and the time of a step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Offer {
    /// `design`, or the name of the network's kind in one plane.
    pub kind: String,
    /// Label.
    pub title: String,
    /// Text form of the network; the spec as TOML for a design.
    pub text: String,
    /// NICs per node.
    pub nics: u32,
    /// Max ports per switch in use.
    pub ports: u32,
    /// Links from a switch with nodes to other switches.
    pub uplinks: u32,
    /// Switches.
    pub switches: u64,
    /// Cables.
    pub cables: u64,
    /// Price; `None` if some part has none.
    pub price: Option<f64>,
    /// Parts without a price.
    pub unpriced: Vec<String>,
    /// Power in W; `None` if the power of some part is unknown.
    pub power: Option<f64>,
    /// Seconds per step that nothing with these parts beats.
    pub bound: f64,
    /// Seconds per step, or of the delivery of measured traffic.
    pub seconds: Option<f64>,
    /// Seconds per step of each job, if there are several; `seconds` is then their mean.
    #[serde(default)]
    pub jobs: Vec<f64>,
    /// Time with frames divided by that of the fluid model, of the dimension that transfers longest. Above 1.25 it counts in `seconds`.
    #[serde(default)]
    pub frames: Option<f64>,
    /// Order of the nodes if it is not the given one, in words.
    pub order: String,
    /// State.
    pub state: OfferState,
    /// Why it has no time.
    pub missing: Option<String>,
    /// Searches for the design so far.
    pub attempts: u32,
}

/// Offers of a hardware search with the goal [`Goal::Time`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Frontier {
    /// Name of the market.
    pub market: String,
    /// Designs first, then networks as they were estimated.
    pub offers: Vec<Offer>,
    /// Indices of the frontier, cheapest first.
    pub frontier: Vec<usize>,
    /// Percent by which the offer of the answer may be slower than the fastest.
    pub within: f64,
    /// Index of the cheapest offer within that limit.
    pub chosen: Option<usize>,
    /// The answer in a sentence or two.
    pub answer: String,
    /// Networks that were considered.
    pub networks: u64,
    /// Networks left out, since another network is as cheap and no slower than their bound.
    pub beaten: u64,
    /// Networks left out, since their bound is more than [`SLOWEST`] times the least.
    pub slow: u64,
    /// Networks left out, since they take more switches of a model than its `count`; not among `networks`.
    #[serde(default)]
    pub unstocked: u64,
}

/// Max bound of networks that are estimated, in least bounds of all.
pub const SLOWEST: f64 = 4.0;

impl Offer {
    /// Takes price, power and parts without a price from a bill.
    pub fn bill(&mut self, bill: &Bill) {
        self.price = bill.total.filter(|_| bill.unpriced.is_empty());
        self.unpriced.clone_from(&bill.unpriced);
        self.power = bill.power;
    }

    /// Takes the numbers of switches, ports and cables.
    pub fn count(&mut self, parts: &Parts) {
        self.switches = parts
            .switches
            .iter()
            .filter(|part| part.ports + part.trunks > 0)
            .map(|part| u64::from(part.count))
            .sum();
        self.ports = parts.switches.iter().map(|part| part.ports + part.trunks).max().unwrap_or(0);
        self.cables = parts.cables;
    }

    /// `true` for a wiring.
    pub fn is_design(&self) -> bool {
        self.kind == DESIGN
    }

    /// Price and seconds, if both are known.
    pub fn ranked(&self) -> Option<(f64, f64)> {
        Some((self.price?, self.seconds?))
    }

    /// The offer in a few words, such as `the wiring with 8 NICs per node and 18 switches of 128 ports`.
    pub fn name(&self) -> String {
        if self.is_design() {
            let nics = if self.nics == 1 { "NIC" } else { "NICs" };
            let switches = if self.switches == 1 { "switch" } else { "switches" };
            let uplinks = match self.uplinks {
                0 => String::new(),
                1 => ", with 1 uplink each".into(),
                uplinks => format!(", with {uplinks} uplinks each"),
            };
            return format!(
                "the wiring with {} {nics} per node and {} {switches} of {} ports{uplinks}",
                self.nics,
                grouped(self.switches),
                self.ports
            );
        }
        name_of(&self.text)
    }

    /// Why it is not ranked; `None` if it is.
    pub fn unranked(&self) -> Option<String> {
        match (&self.missing, self.state) {
            (Some(missing), _) => Some(missing.clone()),
            (None, OfferState::Beaten | OfferState::Waiting) => Some("not tried".into()),
            (None, OfferState::Trying) => Some("in progress".into()),
            _ if self.price.is_none() => Some(format!("no price for {}", self.unpriced.join(", "))),
            _ => None,
        }
    }
}

/// A column of a table of offers.
pub struct OfferColumn {
    /// Title.
    pub title: &'static str,
    /// Cell of an offer; – if the figure is unknown.
    pub cell: fn(&Offer) -> String,
}

/// Columns of a table of offers, after the name.
pub const OFFER_COLUMNS: &[OfferColumn] = &[
    OfferColumn { title: "NICs", cell: |offer| offer.nics.to_string() },
    OfferColumn { title: "Switches", cell: |offer| grouped(offer.switches) },
    OfferColumn { title: "Ports", cell: |offer| grouped(offer.ports.into()) },
    OfferColumn { title: "Uplinks", cell: |offer| grouped(offer.uplinks.into()) },
    OfferColumn { title: "Cables", cell: |offer| grouped(offer.cables) },
    OfferColumn { title: "Price", cell: |offer| offer.price.map_or("–".into(), money) },
    OfferColumn {
        title: "Power",
        cell: |offer| offer.power.map_or("–".into(), |watts| format!("{} kW", fixed(watts / 1000.0, 1))),
    },
    OfferColumn {
        title: "Step",
        cell: |offer| {
            let jobs: Vec<String> = offer.jobs.iter().map(|&seconds| duration(seconds)).collect();
            let each = if jobs.is_empty() { String::new() } else { format!(" (jobs: {})", jobs.join(", ")) };
            offer.seconds.map_or("–".into(), duration) + &each
        },
    },
    OfferColumn { title: "At least", cell: |offer| duration(offer.bound) },
    OfferColumn {
        title: "Frames / fluid",
        cell: |offer| offer.frames.map_or("–".into(), |ratio| fixed(ratio, 2)),
    },
];

impl Frontier {
    /// Ranks the offers anew: frontier, choice and answer. `complete` is `true` if nothing is left to try.
    pub fn rank(&mut self, complete: bool) {
        self.frontier = self.undominated();
        self.chosen = self.cheapest_within(|_| true);
        self.answer = self.answer(complete);
    }

    /// The offers with a price and a time, by index.
    fn ranked(&self) -> impl Iterator<Item = (usize, f64, f64)> + '_ {
        self.offers.iter().enumerate().filter_map(|(index, offer)| {
            let (price, seconds) = offer.ranked()?;
            Some((index, price, seconds))
        })
    }

    /// Ranked offers that are faster than every cheaper one, by more than [`SAME`].
    fn undominated(&self) -> Vec<usize> {
        let mut all: Vec<_> = self.ranked().collect();
        all.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.2.total_cmp(&b.2)).then(a.0.cmp(&b.0)));
        let mut fastest = f64::INFINITY;
        all.retain(|&(_, _, seconds)| {
            let is_faster = seconds < fastest * (1.0 - SAME);
            fastest = if is_faster { seconds } else { fastest };
            is_faster
        });
        all.into_iter().map(|(index, ..)| index).collect()
    }

    /// `true` if a ranked offer, among those that `counts` is true for, costs no more and is no slower than a bound.
    pub fn beats(&self, price: f64, bound: f64, counts: impl Fn(&Offer) -> bool) -> bool {
        self.ranked().any(|(index, own, seconds)| {
            own <= price && seconds <= bound * (1.0 + SAME) && counts(&self.offers[index])
        })
    }

    /// Seconds of the fastest ranked offer.
    pub fn fastest(&self) -> Option<f64> {
        self.ranked().map(|(_, _, seconds)| seconds).min_by(f64::total_cmp)
    }

    /// Seconds up to which an offer is within the limit of the fastest.
    pub fn limit(&self) -> Option<f64> {
        Some(self.fastest()? * (1.0 + (self.within / 100.0).max(SAME)))
    }

    /// The cheapest offer within the limit, of those that `counts` is true for. Ties go to the faster one.
    fn cheapest_within(&self, counts: impl Fn(&Offer) -> bool) -> Option<usize> {
        let limit = self.limit()?;
        let near =
            self.ranked().filter(|&(index, _, seconds)| seconds <= limit && counts(&self.offers[index]));
        let cheapest = near.min_by(|a, b| a.1.total_cmp(&b.1).then(a.2.total_cmp(&b.2)).then(a.0.cmp(&b.0)));
        cheapest.map(|(index, ..)| index)
    }

    fn answer(&self, complete: bool) -> String {
        let Some(chosen) = self.chosen.map(|index| &self.offers[index]) else {
            return self.no_answer(complete);
        };
        let (Some((price, seconds)), Some(fastest)) = (chosen.ranked(), self.fastest()) else {
            return String::new();
        };
        let so_far = if complete { "" } else { "So far: " };
        let speed = match seconds / fastest {
            ratio if ratio <= 1.0 => format!("is the fastest ({})", duration(seconds)),
            ratio if ratio <= 1.0 + SAME => {
                format!("is as fast as the best ({} against {})", duration(seconds), duration(fastest))
            }
            ratio => format!(
                "is within {} % of the fastest ({} against {})",
                rounded(((ratio - 1.0) * 1000.0).ceil() / 10.0, 1),
                duration(seconds),
                duration(fastest)
            ),
        };
        let others: fn(&Offer) -> bool =
            if chosen.is_design() { |offer| !offer.is_design() } else { Offer::is_design };
        let rival = self.cheapest_within(others).map(|index| &self.offers[index]);
        let name = subject(&chosen.name());
        let text = match rival.and_then(|rival| Some((rival, rival.ranked()?))) {
            Some((rival, (theirs, _))) => {
                let less = less(price, theirs)
                    .map_or("the same money as".into(), |less| format!("{less} less money than"));
                let power =
                    chosen.power.zip(rival.power).map_or(String::new(), |(own, theirs)| power(own, theirs));
                let rival = match rival.is_design() {
                    true => rival.name(),
                    false => format!("the cheapest other network ({})", rival.name()),
                };
                let end = format!("{less} {rival}{power}");
                format!("{name} {speed}, for {end}.")
            }
            None => {
                let group = if chosen.is_design() { "other network" } else { "wiring" };
                let start = format!("{name} {speed} and costs {}.", money(price));
                let near = self.ranked().filter(|&(index, ..)| others(&self.offers[index]));
                match near.min_by(|a, b| a.2.total_cmp(&b.2)) {
                    Some((index, theirs, time)) => format!(
                        "{start} The fastest {group} ({}) takes {} and costs {}.",
                        self.offers[index].name(),
                        duration(time),
                        compared(theirs, price)
                    ),
                    None if self.is_beaten(others) => {
                        format!("{start} Every {group} costs more, or is slower by its lower bound.")
                    }
                    None if complete => format!("{start} No {group} has both a price and a time."),
                    None => format!("{start} No {group} has a time yet."),
                }
            }
        };
        let mean = match chosen.jobs.len() {
            0 => String::new(),
            jobs => format!(" A step is the mean of {jobs} jobs."),
        };
        format!("{so_far}{text}{mean}")
    }

    /// `true` if there are offers that `counts` is true for, all of them left out.
    fn is_beaten(&self, counts: impl Fn(&Offer) -> bool) -> bool {
        let mut own = self.offers.iter().filter(|offer| counts(offer)).peekable();
        own.peek().is_some() && own.all(|offer| offer.state == OfferState::Beaten)
    }

    /// The answer while nothing is ranked.
    fn no_answer(&self, complete: bool) -> String {
        let mut unpriced: Vec<&str> =
            self.offers.iter().flat_map(|offer| &offer.unpriced).map(String::as_str).collect();
        unpriced.sort_unstable();
        unpriced.dedup();
        match (unpriced.is_empty(), complete) {
            (true, true) => "No network has both a price and a time.".into(),
            (true, false) => "No network has a time yet.".into(),
            (false, _) => {
                format!("Nothing is ranked, since some parts have no price: {}.", unpriced.join(", "))
            }
        }
    }

    /// Sentences on the networks that are not in the list.
    pub fn left_out(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let of = |count: u64| {
            if count == 1 { "1 network is".into() } else { format!("{} networks are", grouped(count)) }
        };
        let count =
            |state: OfferState| self.offers.iter().filter(|offer| offer.state == state).count() as u64;
        let (waiting, beaten) = (count(OfferState::Waiting), self.beaten + count(OfferState::Beaten));
        if waiting > 0 {
            lines.push(format!("{} not tried.", of(waiting)));
        }
        if beaten > 0 {
            lines.push(format!(
                "{} not estimated, since another network costs no more and is no slower than the lower bound on time.",
                of(beaten)
            ));
        }
        if self.slow > 0 {
            lines.push(format!(
                "{} not estimated, since the lower bound on time is more than {} times the lowest bound.",
                of(self.slow),
                rounded(SLOWEST, 1)
            ));
        }
        if self.unstocked > 0 {
            lines.push(format!(
                "{} not in the list: more switches of a model would be needed than its `count`.",
                of(self.unstocked)
            ));
        }
        lines
    }

    /// Marks that nothing is being tried any more.
    pub fn settle(&mut self) {
        for offer in self.offers.iter_mut().filter(|offer| offer.state == OfferState::Trying) {
            offer.state = match (offer.seconds, &offer.missing) {
                (Some(_), _) => OfferState::Done,
                (None, Some(_)) => OfferState::Missing,
                (None, None) => OfferState::Waiting,
            };
        }
    }

    /// Indices of the offers that are not on the frontier: ranked ones by price, then others. Those that [`Frontier::left_out`] counts
    /// are not among them.
    pub fn rest(&self) -> Vec<usize> {
        let is_tried =
            |&index: &usize| !matches!(self.offers[index].state, OfferState::Waiting | OfferState::Beaten);
        let mut rest: Vec<usize> =
            (0..self.offers.len()).filter(|index| !self.frontier.contains(index)).filter(is_tried).collect();
        let price = |index: usize| self.offers[index].ranked().map_or(f64::INFINITY, |(price, _)| price);
        rest.sort_by(|&a, &b| price(a).total_cmp(&price(b)).then(a.cmp(&b)));
        rest
    }
}

/// Percent by which a number is less than another; `None` if it is the same in whole percents.
fn less(own: f64, theirs: f64) -> Option<String> {
    let percent = 100.0 * (1.0 - own / theirs);
    (percent >= 0.5).then(|| format!("{} %", fixed(percent, 0)))
}

fn power(own: f64, theirs: f64) -> String {
    match (less(own, theirs), less(theirs, own)) {
        (Some(less), _) => format!(", and {less} less power"),
        (None, Some(_)) => format!(", but {} % more power", fixed(100.0 * (own / theirs - 1.0), 0)),
        (None, None) => ", at the same power".into(),
    }
}

fn compared(price: f64, other: f64) -> String {
    match (less(price, other), less(other, price)) {
        (Some(less), _) => format!("{less} less"),
        (None, Some(_)) => format!("{} % more", fixed(100.0 * (price / other - 1.0), 0)),
        (None, None) => "as much".into(),
    }
}

/// A price in a sentence.
pub fn money(price: f64) -> String {
    if price >= 1000.0 { grouped(price.round() as u64) } else { fixed(price, 2) }
}

/// A design that is searched for.
#[derive(Clone, Debug, PartialEq)]
pub struct DesignOption {
    /// The spec with its NICs and switches.
    pub spec: Spec,
    /// NICs per node.
    pub nics: u32,
}

impl FrontierRequest {
    /// The search over the NICs and budgets of `hardware`. Wirings have the switches of the market, unless `ports` names widths; with
    /// the spec's own hardware, those of `hardware`.
    ///
    /// # Errors
    /// See [`FrontierRequest::faults`].
    pub fn new(
        hardware: HardwareRequest,
        market: MarketChoice,
        ports: &str,
        within: f64,
    ) -> Result<FrontierRequest, Faults> {
        let reserve = hardware.spec.switches.iter().map(|model| model.reserve).max().unwrap_or(0);
        let catalogue = match market.own {
            true => hardware.catalogue.clone(),
            false => {
                let given = hardware.catalogue.iter().map(|model| model.ports).collect();
                let mut widths = if ports.trim().is_empty() { market.market.widths() } else { given };
                widths.sort_unstable_by_key(|&width| std::cmp::Reverse(width));
                widths.dedup();
                widths.retain(|&width| width > reserve && width <= MAX_PORTS);
                let model = |ports| SwitchModel { reserve, ..SwitchModel::of(ports) };
                widths.into_iter().map(model).collect()
            }
        };
        let mut market = market;
        if let Some(length) = hardware.spec.assumptions.host_cable {
            market.market.host_length = length;
        }
        let request = FrontierRequest { hardware: HardwareRequest { catalogue, ..hardware }, market, within };
        Faults::of(request.faults()).map_or(Ok(request), Err)
    }

    /// The ways to join the switches of a design. More ways are listed here.
    ///
    /// No uplink and the one of the spec; and on a market, whose switches have prices, 1, 2, 4 and 8 cables from each switch to uplink
    /// switches of the widest model, where the job's library has a use for them.
    fn uplinks(&self) -> Vec<Option<Uplink>> {
        let own = self.hardware.spec.uplink;
        let mut all = vec![None];
        all.extend(own.map(Some));
        let ports = self.hardware.catalogue.iter().map(|model| model.ports).max();
        for links in [1, 2, 4, 8] {
            let uplink = Uplink { links, ports, ..Uplink::default() };
            let spec =
                Spec { objective: Objective::Time, uplink: Some(uplink), ..(*self.hardware.spec).clone() };
            if !self.market.own && spec.serves_over_uplinks() && own != Some(uplink) {
                all.push(Some(uplink));
            }
        }
        all
    }

    /// The designs to search for: every NIC count with every switch model that is too narrow for all nodes, with as many switches as
    /// all NICs need, and with fewer, down to what one NIC less needs: each number up to [`MOST_BETWEEN`] fewer, or else
    /// half. If models have a `count`, also offers all models together.
    pub fn designs(&self) -> Vec<DesignOption> {
        let HardwareRequest { nis_from, nis_to, spec, catalogue, .. } = &self.hardware;
        let key = PRESETS.iter().find(|preset| !self.market.own && preset.title() == self.market.market.name);
        let base = |uplink| Spec {
            objective: Objective::Time,
            uplink,
            market: key.map_or(spec.market, |preset| preset.key),
            ..(**spec).clone()
        };
        let mut all = Vec::new();
        for uplink in self.uplinks() {
            let base = base(uplink);
            for nics in *nis_from..=*nis_to {
                // Uplink switches join all switches, or those of each plane.
                for rail in [false, true].into_iter().filter(|rail| !rail || (uplink.is_some() && nics > 1)) {
                    let base = Spec { rail, ..base.clone() };
                    for model in catalogue {
                        let fits = designs_of(&base, nics, model).into_iter().filter(Spec::fits_uplink);
                        all.extend(fits.map(|spec| DesignOption { spec, nics }));
                    }
                    let mix = self.mix(&base, nics).filter(Spec::fits_uplink);
                    all.extend(mix.map(|spec| DesignOption { spec, nics }));
                }
            }
        }
        all
    }

    /// All models together, if the spec has several and not any number of each.
    fn mix(&self, base: &Spec, nics: u32) -> Option<Spec> {
        let models = &self.hardware.catalogue;
        let mixes = mixable(base, models);
        if !self.market.own || mixes.len() < 2 || models.iter().all(|model| model.count.is_none()) {
            return None;
        }
        let count = |(at, model): (usize, &SwitchModel)| {
            if mixes.contains(&at) { cell_spec(base, nics, model).switch_budget() } else { 0 }
        };
        let counts: Vec<u32> = models.iter().enumerate().map(count).collect();
        Some(stock_spec(base, nics, models, &counts))
    }

    /// `true` if other networks of those parts can be built from the spec's stock of switches: each switch is the one of the bill.
    pub fn has_stock(&self, parts: &Parts) -> bool {
        let (market, models) = (&self.market.market, &self.hardware.spec.switches);
        let mut taken = vec![0u64; models.len()];
        for switch in parts.switches.iter().filter(|_| self.market.own) {
            if let Some(taken) = market.cheapest_box(switch).and_then(|index| taken.get_mut(index)) {
                *taken += u64::from(switch.count);
            }
        }
        taken.iter().zip(models).all(|(&taken, model)| model.count.is_none_or(|count| taken <= count.into()))
    }

    /// The offer of a design before it is searched for, with all cables.
    pub fn offer(&self, option: &DesignOption, timing: &Timing) -> Offer {
        let DesignOption { spec, nics } = option;
        let mut offer = Offer {
            kind: DESIGN.into(),
            title: "Wiring".into(),
            text: cell_text(spec),
            nics: *nics,
            uplinks: spec.uplink.map_or(0, |uplink| uplink.links),
            bound: Timing { spine: spec.spine(), ..timing.clone() }.bound(spec).step,
            ..Offer::default()
        };
        let cables = CableCounts::whole(spec);
        let switches = |count, ports| SwitchParts { count, ports, trunks: 0, hub: false };
        let mut parts = Parts {
            hosts: spec.pes,
            nis: cables.cables,
            trunk_nis: 0,
            switches: vec![switches(spec.switch_budget(), spec.switches[0].ports)],
            cables: cables.cables,
            between: 0,
        };
        if let Some(uplink) = spec.uplink {
            let joined = spec.switch_budget() - u32::from(uplink.folded);
            parts.between = u64::from(joined) * u64::from(uplink.links);
            parts.cables += parts.between;
            let count = spec.separate_uplinks();
            if count > 0 {
                let ports = uplink.ports.unwrap_or_else(|| (parts.between as u32).div_ceil(count));
                parts.switches.push(switches(count, ports));
            }
        }
        offer.count(&parts);
        let bill = match self.market.own {
            true => {
                let price = Price::of(spec, &cables);
                Bill { total: price.total, unpriced: price.unpriced, ..Bill::default() }
            }
            false => bill(&parts, &self.market.market),
        };
        offer.bill(&bill);
        // A wiring of several models may do with few of them.
        offer.price = offer.price.filter(|_| spec.switches.len() == 1);
        offer
    }

    /// What the spec communicates, with the market's speeds; `None` if it has no traffic in bytes.
    pub fn timing(&self) -> Option<Timing> {
        let spec = &self.hardware.spec;
        Timing::with(spec, &spec.assumptions, &self.market.market)
    }

    /// The offers before anything is tried: all designs.
    pub fn blank(&self, timing: &Timing) -> Frontier {
        Frontier {
            market: self.market.market.name.clone(),
            offers: self.designs().iter().map(|option| self.offer(option, timing)).collect(),
            within: self.within,
            ..Frontier::default()
        }
    }

    /// Every reason not to search: those of the hardware, no traffic in bytes, and parts that have no price whatever is bought.
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults = self.hardware.faults();
        if !has_traffic(&self.hardware.spec) {
            let sentence = "time needs a spec with a training job ([job] and [model]) or with measured traffic alone; else use pairs.";
            faults.push(Fault::new("goal", "time", says(sentence)));
        }
        faults.extend(unpriced(&self.market));
        faults
    }
}

/// Specs with that NIC count and switch model.
fn designs_of(base: &Spec, nics: u32, model: &SwitchModel) -> Vec<Spec> {
    let all = cell_spec(base, nics, model);
    let usable = all.usable_by_model(model);
    if usable >= base.pes || usable < 2 {
        return Vec::new();
    }
    let most = all.switch_budget();
    let mut counts = vec![most];
    if nics > 1 && base.uplink.is_none() {
        let fewer = cell_spec(base, nics - 1, model).switch_budget();
        let step = if most - fewer <= MOST_BETWEEN { 1 } else { (most - fewer) / 2 };
        counts.extend((1..).map(|steps| most - steps * step).take_while(|&count| count > fewer));
    }
    counts.into_iter().map(|count| build_spec(&all, count)).collect()
}

/// Faults of a market on which every network has a part without a price.
fn unpriced(MarketChoice { market, own }: &MarketChoice) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut need = |part: &str, own_path: &str| {
        let (path, found) = if *own { (own_path, "") } else { ("market", market.name.as_str()) };
        let sentence = format!("give a price for {part}; networks without a price are not ranked.");
        faults.push(Fault::new(path, found, says(sentence)));
    };
    let Market { ni, cable, links, boxes, port, .. } = market;
    if ni.is_none() {
        need("NICs (`nic`)", "nic_price");
    }
    if cable.is_none() && links.iter().all(|cable| cable.whole().is_none()) {
        need("cables (`cable`, or `price` of a [[link]])", "cable_price");
    }
    if boxes.iter().all(|sold| sold.price.is_none()) && (port.is_none() || !boxes.is_empty()) {
        need("switches (`price` of a [[box]], or `port`)", "switch[0].price");
    }
    faults
}

/// Max number of switches by which two NIC counts differ, up to which all numbers between them are tried.
const MOST_BETWEEN: u32 = 4;

/// The offer of another network before it is estimated.
pub fn network_offer(text: &str, title: String, nics: u32, uplinks: u32) -> Offer {
    Offer { kind: family(text).into(), title, text: text.into(), nics, uplinks, ..Offer::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        compare::market::{chosen, preset, written},
        demand::Demand,
        hardware::BoardForm,
        resolve::{self, NoFiles},
    };
    use std::sync::Arc;

    const JOB: &str = "pes = 16\nnis_per_pe = 2\nobjective = \"time\"\n[[switch]]\nports = 8\n[job]\ntp = 1\ndp = 8\npp = 2\n\
                       ranks_per_pe = 1\n[model]\nparameters = 1e9\nlayers = 8\nhidden = 1024\nsequence = 1024\nglobal_batch = 64\n";

    fn offer(kind: &str, price: Option<f64>, seconds: Option<f64>) -> Offer {
        let state = if seconds.is_some() { OfferState::Done } else { OfferState::Waiting };
        let text = if kind == DESIGN { String::new() } else { format!("{kind}:8,4") };
        Offer {
            kind: kind.into(),
            text,
            nics: 2,
            switches: 4,
            ports: 8,
            price,
            seconds,
            state,
            ..Offer::default()
        }
    }

    fn ranked(offers: &[(&str, f64, f64)], within: f64) -> Frontier {
        let offers = offers.iter().map(|&(kind, price, seconds)| offer(kind, Some(price), Some(seconds)));
        let mut frontier = Frontier { offers: offers.collect(), within, ..Frontier::default() };
        frontier.rank(true);
        frontier
    }

    #[test]
    fn the_frontier_has_what_no_cheaper_offer_is_as_fast_as() {
        let all = [
            ("tree", 9.0, 1.0),
            (DESIGN, 5.0, 2.0),
            ("torus", 5.0, 1.5),
            ("switch", 7.0, 1.5),
            (DESIGN, 2.0, 8.0),
        ];
        assert_eq!(ranked(&all, 2.0).frontier, [4, 2, 0]);
        let ties = [(DESIGN, 5.0, 1.0), ("tree", 6.0, 0.996), ("torus", 7.0, 0.99)];
        assert_eq!(ranked(&ties, 2.0).frontier, [0, 2], "0.4 % faster counts as no faster");
    }

    #[test]
    fn a_search_cut_short_is_not_tried_unless_an_earlier_one_failed() {
        let trying = Offer { state: OfferState::Trying, ..offer(DESIGN, Some(5.0), None) };
        let failed = Offer { missing: Some("3 pairs share no switch".into()), ..trying.clone() };
        let beaten = Offer { state: OfferState::Beaten, ..trying.clone() };
        let offers = vec![trying, failed, beaten];
        let mut frontier = Frontier { offers, beaten: 1, ..Frontier::default() };
        frontier.settle();
        assert_eq!(frontier.rest(), [1]);
        assert_eq!(frontier.offers[1].unranked().unwrap(), "3 pairs share no switch");
        let left = frontier.left_out();
        assert_eq!(left[0], "1 network is not tried.");
        assert!(left[1].starts_with("2 networks are not estimated"), "{left:?}");
    }

    #[test]
    fn an_unknown_price_is_not_ranked() {
        let free = Offer { unpriced: vec!["NICs".into(), "cables".into()], ..offer("tree", None, Some(1.0)) };
        let mut frontier = Frontier { offers: vec![free.clone()], within: 2.0, ..Frontier::default() };
        frontier.rank(true);
        assert_eq!((frontier.frontier.len(), frontier.chosen), (0, None));
        assert_eq!(frontier.answer, "Nothing is ranked, since some parts have no price: NICs, cables.");
        frontier.offers.push(offer(DESIGN, Some(5.0), Some(3.0)));
        frontier.rank(true);
        assert_eq!((frontier.frontier.as_slice(), frontier.chosen), (&[1][..], Some(1)));
        assert_eq!(free.unranked().unwrap(), "no price for NICs, cables");
        assert_eq!(frontier.rest(), [0]);
    }

    #[test]
    fn within_chooses_the_cheapest_that_is_about_as_fast() {
        let all = [("tree", 9.0, 1.0), (DESIGN, 5.0, 1.015), ("torus", 4.0, 1.09)];
        assert_eq!(ranked(&all, 2.0).chosen, Some(1));
        assert_eq!(ranked(&all, 0.0).chosen, Some(0));
        assert_eq!(ranked(&all, 10.0).chosen, Some(2));
    }

    #[test]
    fn the_answer_compares_a_wiring_with_the_cheapest_other_network() {
        let mut frontier =
            ranked(&[("tree", 100.0, 12.05), (DESIGN, 74.0, 12.11), ("torus", 90.0, 14.0)], 2.0);
        assert_eq!(
            frontier.answer,
            "The wiring with 2 NICs per node and 4 switches of 8 ports is as fast as the best (12.11 s against 12.05 s), for 26 % less \
             money than the cheapest other network (tree, 4 hosts and 1 uplink per leaf)."
        );
        (frontier.offers[0].power, frontier.offers[1].power) = (Some(100.0), Some(71.0));
        frontier.rank(false);
        assert!(frontier.answer.starts_with("So far: The wiring"), "{}", frontier.answer);
        assert!(frontier.answer.ends_with("per leaf), and 29 % less power."), "{}", frontier.answer);
    }

    #[test]
    fn the_answer_says_honestly_to_buy_another_network() {
        let near = ranked(&[("tree", 80.0, 12.05), (DESIGN, 100.0, 12.0)], 2.0);
        let words = "Tree, 4 hosts and 1 uplink per leaf, is as fast as the best (12.05 s against 12.00 s), for 20 % less money than the wiring";
        assert!(near.answer.starts_with(words), "{}", near.answer);
        let far = ranked(&[("tree", 80.0, 10.0), (DESIGN, 60.0, 12.0)], 2.0);
        assert_eq!(
            far.answer,
            "Tree, 4 hosts and 1 uplink per leaf, is the fastest (10.00 s) and costs 80.00. The fastest wiring (the wiring with 2 NICs \
             per node and 4 switches of 8 ports) takes 12.00 s and costs 25 % less."
        );
        let mut beaten = ranked(&[("tree", 80.0, 10.0)], 2.0);
        beaten.offers.push(Offer {
            state: OfferState::Beaten,
            bound: 10.0,
            ..offer(DESIGN, Some(90.0), None)
        });
        beaten.rank(true);
        assert!(
            beaten.answer.ends_with("Every wiring costs more, or is slower by its lower bound."),
            "{}",
            beaten.answer
        );
    }

    #[test]
    fn an_offer_is_beaten_by_a_cheaper_one_at_its_bound() {
        let frontier = ranked(&[("tree", 80.0, 10.0)], 2.0);
        assert!(frontier.beats(80.0, 10.0, |_| true) && frontier.beats(90.0, 9.96, |_| true));
        assert!(!frontier.beats(79.0, 10.0, |_| true) && !frontier.beats(90.0, 9.9, |_| true));
        assert!(!frontier.beats(90.0, 11.0, Offer::is_design));
    }

    fn asked(text: &str, form: &BoardForm) -> Result<FrontierRequest, Faults> {
        let spec = Arc::new(resolve::read_catalogue(text, &mut NoFiles)?);
        let demand = Arc::new(Demand::build(&spec).unwrap());
        form.frontier(&spec, &demand)
    }

    fn form() -> BoardForm {
        BoardForm { goal: "time".into(), nis_from: "1".into(), nis_to: "2".into(), ..BoardForm::default() }
    }

    #[test]
    fn designs_have_every_nic_count_and_switch_model_with_fewer_switches_too() {
        let request = asked(JOB, &BoardForm { ports: "8".into(), ..form() }).unwrap();
        let told = |option: &DesignOption| {
            (option.nics, option.spec.switch_budget(), option.spec.uplink.map(|uplink| uplink.links))
        };
        let designs: Vec<_> = request.designs().iter().map(told).collect();
        assert_eq!(designs[..3], [(1, 2, None), (2, 4, None), (2, 3, None)]);
        assert!(designs[3..].iter().all(|design| design.2.is_some()) || designs.len() == 3, "{designs:?}");
        let timing = request.timing().unwrap();
        let blank = request.blank(&timing);
        let whole = &blank.offers[1];
        // 32 NICs and cables, and 4 of the market's narrowest switches.
        assert_eq!((whole.price, whole.cables), (Some(32.0 * 1650.0 + 4.0 * 20_000.0), 32));
        assert!(whole.bound > timing.base() && whole.text.contains("objective = \"time\""), "{whole:?}");
        resolve::read(&whole.text, &mut NoFiles).unwrap();
    }

    #[test]
    fn other_networks_take_switches_from_stock() {
        let text = "pes = 8\nnis_per_pe = 2\nobjective = \"time\"\nni_price = 1\ncable_price = 1\n[[switch]]\nports = 4\nprice = 5\n\
                    count = 3\n[[switch]]\nports = 6\nprice = 9\n[[pattern]]\nkind = \"matrix\"\npairs = \"\"\"\n0 1 1e9\n\"\"\"\n";
        let request = asked(text, &BoardForm { market: "spec".into(), ..form() }).unwrap();
        let parts = |switches: &[(u32, u32)]| Parts {
            switches: switches
                .iter()
                .map(|&(count, ports)| SwitchParts { count, ports, trunks: 0, hub: false })
                .collect(),
            hosts: 8,
            nis: 8,
            trunk_nis: 0,
            cables: 8,
            between: 0,
        };
        assert!(request.has_stock(&parts(&[(2, 4), (1, 3), (9, 6)])));
        assert!(!request.has_stock(&parts(&[(2, 4), (2, 3)])), "four of three");
        let sold = asked(text, &BoardForm { market: "400g".into(), ..form() }).unwrap();
        assert!(sold.has_stock(&parts(&[(2, 4), (2, 3)])), "a market has any number");
        let left = Frontier { unstocked: 2, ..Frontier::default() }.left_out();
        assert!(left[0].starts_with("2 networks are not in the list"), "{left:?}");
    }

    #[test]
    fn no_traffic_is_a_fault_of_the_goal() {
        let text = "pes = 8\nnis_per_pe = 2\n[[switch]]\nports = 4\n[[pattern]]\nkind = \"ring\"\n";
        let Err(Faults(faults)) = asked(text, &form()) else { panic!("no job") };
        assert!(
            faults.iter().any(|fault| fault.path == "goal" && fault.message.contains("[job]")),
            "{faults:?}"
        );
        let Err(Faults(faults)) = asked(JOB, &BoardForm { market: "5g".into(), ..form() }) else {
            panic!("no market")
        };
        assert!(faults.iter().any(|fault| fault.path == "market"), "{faults:?}");
    }

    #[test]
    fn a_market_without_a_price_for_a_part_names_it() {
        let text = "name = \"Mine\"\nspeed = 400000\nlatency = 2\nbandwidth = 48500\nswitch_latency = 1\ncable = 100\n\
                    [[box]]\nports = 32\n";
        let faults = unpriced(&MarketChoice { market: written(text).unwrap(), own: false });
        let told: Vec<_> = faults.iter().map(|fault| (fault.path.as_str(), fault.message.as_str())).collect();
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[0].1.contains("NICs") && told[1].1.contains("switches") && told[0].0 == "market");
        assert_eq!(unpriced(&MarketChoice { market: preset("400g").unwrap().market(), own: false }), []);
        let spec = resolve::read_catalogue(JOB, &mut NoFiles).unwrap();
        let own = chosen(&spec, "spec").unwrap();
        assert_eq!(
            unpriced(&own).iter().map(|fault| fault.path.as_str()).collect::<Vec<_>>(),
            ["nic_price", "cable_price", "switch[0].price"]
        );
    }
}
