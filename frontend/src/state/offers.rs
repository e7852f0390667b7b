//! The cheapest networks for a job as the page shows them: the rows of the table, and the plot of price against time.

use super::words::{capital, percent};
use shared::{
    estimate::duration,
    hardware::{Frontier, OFFER_COLUMNS, Offer, money},
};

/// Width and height of the plot, in the units of the drawing.
pub const SIZE: (f64, f64) = (720.0, 400.0);
/// Margins of the plot: left, right, top, bottom.
const MARGINS: [f64; 4] = [96.0, 24.0, 16.0, 48.0];
/// Span from which an axis is logarithmic.
const LOG: f64 = 10.0;
/// Room beyond the outermost points, as a share of the axis.
const ROOM: f64 = 0.05;

/// A row of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Index of the offer.
    pub index: usize,
    /// Number in the table and in the plot.
    pub number: usize,
    /// The network's name, or `wiring`.
    pub name: String,
    /// Code of the network; empty for a wiring.
    pub code: String,
    /// Cells of [`OFFER_COLUMNS`].
    pub figures: Vec<String>,
    /// Order of the nodes.
    pub order: String,
    /// Place among the offers: the answer, on the frontier, or nothing.
    pub place: &'static str,
    /// Name of its button.
    pub opens: String,
}

/// The ranked offers: the frontier first, then others, each cheapest first.
pub fn rows(frontier: &Frontier) -> Vec<Row> {
    let rest = frontier.rest().into_iter().filter(|&index| is_ranked(&frontier.offers[index]));
    let row = |(index, number): (usize, usize)| {
        let offer = &frontier.offers[index];
        Row {
            index,
            number,
            name: if offer.is_design() { "wiring".into() } else { capital(&offer.name()) },
            code: if offer.is_design() { String::new() } else { offer.text.clone() },
            figures: OFFER_COLUMNS.iter().map(|column| (column.cell)(offer)).collect(),
            order: if offer.order.is_empty() { "as given".into() } else { offer.order.clone() },
            place: match (frontier.chosen == Some(index), frontier.frontier.contains(&index)) {
                (true, _) => "answer",
                (false, true) => "frontier",
                (false, false) => "",
            },
            opens: format!(
                "{} {}",
                if offer.is_design() { "Open design:" } else { "Compare network:" },
                offer.name()
            ),
        }
    };
    frontier.frontier.iter().copied().chain(rest).zip(1..).map(row).collect()
}

fn is_ranked(offer: &Offer) -> bool {
    offer.ranked().is_some() && offer.unranked().is_none()
}

/// The other offers, each with the reason why it is not ranked.
pub fn unranked(frontier: &Frontier) -> Vec<String> {
    let reason = |offer: &Offer| Some(format!("{}: {}", offer.name(), offer.unranked()?));
    let lines = frontier.rest().into_iter().filter_map(|index| reason(&frontier.offers[index]));
    lines.chain(frontier.left_out()).collect()
}

/// An axis: the numbers at its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Axis {
    from: f64,
    to: f64,
    is_log: bool,
}

impl Axis {
    /// The axis of some positive numbers, with room beyond them.
    fn of(numbers: impl Iterator<Item = f64> + Clone) -> Axis {
        let (least, most) = (numbers.clone().fold(f64::INFINITY, f64::min), numbers.fold(0.0, f64::max));
        if least > 0.0 && most > LOG * least {
            let room = (most / least).powf(ROOM);
            return Axis { from: least / room, to: most * room, is_log: true };
        }
        let room = if most > least { ROOM * (most - least) } else { ROOM * most.max(1e-9) };
        Axis { from: (least - room).max(0.0), to: most + room, is_log: false }
    }

    /// The place of a number, from 0 to 1.
    fn place(self, number: f64) -> f64 {
        match self.is_log {
            true => (number / self.from).ln() / (self.to / self.from).ln(),
            false => (number - self.from) / (self.to - self.from),
        }
    }

    /// Numbers with a mark: round ones, or on a logarithmic axis, those of 1, 2 and 5 times a power of ten.
    fn marks(self) -> Vec<f64> {
        let power = |number: f64| 10f64.powf(number.log10().floor());
        let inside = |number: &f64| (self.from..=self.to).contains(number);
        if self.is_log {
            let steps = std::iter::successors(Some(power(self.from)), |step| Some(step * 10.0));
            let steps = steps.take_while(|step| *step <= self.to);
            return steps.flat_map(|step| [step, 2.0 * step, 5.0 * step]).filter(inside).collect();
        }
        let rough = (self.to - self.from) / 4.0;
        let step =
            [1.0, 2.0, 5.0, 10.0].map(|times| times * power(rough)).into_iter().find(|step| *step >= rough);
        let step = step.unwrap_or(rough);
        let first = (self.from / step).ceil() as u64;
        (first..first + 12).map(|times| times as f64 * step).filter(inside).collect()
    }
}

/// A point of the plot, in the units of the drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Index of the offer.
    pub index: usize,
    /// Number in the table.
    pub number: usize,
    /// From the left and from the top.
    pub at: (f64, f64),
    /// Classes in the styles.
    pub class: &'static str,
    /// `true` if the number stands beside it; others would hide each other.
    pub is_labelled: bool,
    /// The offer with price and time, for screen readers and the tooltip.
    pub words: String,
}

/// The prepared plot: the price from left to right, the time from bottom to top.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// A point for each ranked offer.
    pub points: Vec<Point>,
    /// Path of the frontier: at each price, the least time.
    pub steps: String,
    /// Marks of the price axis: place from the left, label.
    pub prices: Vec<(f64, String)>,
    /// Marks of the time axis: place from the top, label.
    pub times: Vec<(f64, String)>,
    /// Scales in words.
    pub scales: String,
}

/// Left, right, top and bottom of the plot's area.
pub fn area() -> [f64; 4] {
    let [left, right, top, bottom] = MARGINS;
    [left, SIZE.0 - right, top, SIZE.1 - bottom]
}

/// Prepares the plot; `None` without a ranked offer.
pub fn plot(frontier: &Frontier) -> Option<Plot> {
    let rows = rows(frontier);
    let ranked = |row: &Row| frontier.offers[row.index].ranked();
    let all = || rows.iter().filter_map(ranked);
    all().next()?;
    let (prices, times) = (Axis::of(all().map(|known| known.0)), Axis::of(all().map(|known| known.1)));
    let [left, right, top, bottom] = area();
    let x = |price: f64| left + (right - left) * prices.place(price);
    let y = |seconds: f64| bottom - (bottom - top) * times.place(seconds);
    let point = |row: &Row| {
        let offer = &frontier.offers[row.index];
        let (price, seconds) = offer.ranked()?;
        let class = match (row.place, offer.is_design()) {
            ("answer", true) => "offer design chosen",
            ("answer", false) => "offer network chosen",
            ("frontier", true) => "offer design best",
            ("frontier", false) => "offer network best",
            (_, true) => "offer design",
            (_, false) => "offer network",
        };
        Some(Point {
            index: row.index,
            number: row.number,
            at: (x(price), y(seconds)),
            class,
            is_labelled: !row.place.is_empty(),
            words: format!(
                "{}, {}: price {}, step {}",
                row.number,
                offer.name(),
                money(price),
                duration(seconds)
            ),
        })
    };
    let mut steps = String::new();
    for (price, seconds) in frontier.frontier.iter().filter_map(|&index| frontier.offers[index].ranked()) {
        match steps.is_empty() {
            true => steps = format!("M{:.1} {:.1}", x(price), y(seconds)),
            false => steps += &format!("H{:.1}V{:.1}", x(price), y(seconds)),
        }
    }
    steps += &format!("H{right:.1}");
    let scale = |axis: Axis| if axis.is_log { "logarithmic" } else { "linear" };
    Some(Plot {
        points: rows.iter().filter_map(point).collect(),
        steps,
        prices: prices.marks().into_iter().map(|price| (x(price), short_money(price))).collect(),
        times: times.marks().into_iter().map(|seconds| (y(seconds), duration(seconds))).collect(),
        scales: format!("Price ({}), time ({})", scale(prices), scale(times)),
    })
}

/// A price in few characters.
fn short_money(price: f64) -> String {
    if price >= 1000.0 { super::words::short(price) } else { money(price) }
}

/// The number of networks, and the limit of the answer.
pub fn counts(frontier: &Frontier) -> String {
    let timed = frontier.offers.iter().filter(|offer| offer.seconds.is_some()).count();
    let within = percent(frontier.within / 100.0);
    format!(
        "Networks with a time: {timed}. The answer is the cheapest network within {within} of the fastest time. Prices: {}.",
        frontier.market
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::hardware::{DESIGN, OfferState};

    fn offer(kind: &str, text: &str, price: Option<f64>, seconds: Option<f64>) -> Offer {
        let state = if seconds.is_some() { OfferState::Done } else { OfferState::Waiting };
        Offer { kind: kind.into(), text: text.into(), nics: 2, price, seconds, state, ..Offer::default() }
    }

    fn frontier(offers: Vec<Offer>) -> Frontier {
        let mut frontier = Frontier { offers, within: 2.0, ..Frontier::default() };
        frontier.rank(true);
        frontier
    }

    fn three() -> Frontier {
        frontier(vec![
            offer(DESIGN, "", Some(50.0), Some(2.0)),
            offer("tree", "tree:8,4", Some(60.0), Some(2.0)),
            offer("torus", "torus:2x2,2", Some(20.0), Some(4.0)),
            Offer { unpriced: vec!["NICs".into()], ..offer("fat-tree", "fat-tree:8,4,2", None, Some(1.0)) },
            offer(DESIGN, "", Some(10.0), None),
        ])
    }

    #[test]
    fn rows_begin_with_the_frontier_and_leave_out_what_is_not_ranked() {
        let rows = rows(&three());
        let told: Vec<_> = rows.iter().map(|row| (row.number, row.index, row.place)).collect();
        assert_eq!(told, [(1, 2, "frontier"), (2, 0, "answer"), (3, 1, "")]);
        assert_eq!(
            (rows[1].name.as_str(), rows[2].name.as_str()),
            ("wiring", "Tree, 4 hosts and 1 uplink per leaf")
        );
        let others = unranked(&three());
        assert!(others[0].ends_with("no price for NICs"), "{others:?}");
        assert_eq!(others[1], "1 network is not tried.");
    }

    #[test]
    fn the_plot_has_a_point_for_each_row_and_steps_along_the_frontier() {
        let plot = plot(&three()).unwrap();
        assert_eq!(plot.points.iter().map(|point| point.number).collect::<Vec<_>>(), [1, 2, 3]);
        let [cheap, best, other] = [0, 1, 2].map(|at| plot.points[at].at);
        assert!(cheap.0 < best.0 && best.0 < other.0 && cheap.1 < best.1 && best.1 == other.1);
        assert_eq!(plot.points[1].class, "offer design chosen");
        assert!(plot.points[0].words.contains("price 20.00, step 4.00 s"), "{}", plot.points[0].words);
        assert_eq!((plot.steps.matches('V').count(), plot.steps.starts_with('M')), (1, true));
        assert_eq!(plot.scales, "Price (linear), time (linear)");
        let [left, right, top, bottom] = area();
        assert!(
            plot.points
                .iter()
                .all(|point| (left..=right).contains(&point.at.0) && (top..=bottom).contains(&point.at.1))
        );
        assert!(plot.prices.len() >= 3 && plot.times.len() >= 3, "{plot:?}");
    }

    #[test]
    fn a_wide_span_is_logarithmic() {
        let wide = frontier(vec![
            offer(DESIGN, "", Some(1e3), Some(1.0)),
            offer("tree", "tree:8,4", Some(5e5), Some(1.5)),
        ]);
        let plot = plot(&wide).unwrap();
        assert_eq!(plot.scales, "Price (logarithmic), time (linear)");
        assert_eq!(plot.prices.len(), 9, "1, 2 and 5 times each power of ten");
    }

    #[test]
    fn one_network_has_a_plot_and_none_has_not() {
        assert!(plot(&frontier(vec![offer(DESIGN, "", Some(5.0), Some(2.0))])).is_some());
        assert_eq!(plot(&Frontier::default()), None);
    }
}
