//! The figures in words: title, unit, one-line explanation, source.

use super::Figures;
use crate::text::{fixed, grouped};
use serde::{Deserialize, Serialize};

/// Explanation and source of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FigureNote {
    /// The figure's name in [`Figures`].
    pub key: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// Its unit; empty for a plain number.
    pub unit: &'static str,
    /// One line.
    pub explanation: &'static str,
    /// Paper and section, or who defines it.
    pub source: &'static str,
}

/// One line of a table of figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FigureRow {
    /// The figure's name in [`Figures`].
    pub key: String,
    /// Name for people.
    pub title: String,
    /// The value, thousands separated.
    pub value: String,
    /// Its unit; empty for a plain number.
    pub unit: String,
    /// One line.
    pub explanation: String,
    /// Paper and section, or who defines it.
    pub source: String,
}

const fn note(
    key: &'static str,
    title: &'static str,
    unit: &'static str,
    explanation: &'static str,
    source: &'static str,
) -> FigureNote {
    FigureNote { key, title, unit, explanation, source }
}

const NOTES: &[FigureNote] = &[
    note("pes", "Nodes", "nodes", "Nodes in the network.", "spec"),
    note("requested", "Requested pairs", "pairs", "The union of all patterns.", "dissertation, section 2.3"),
    note(
        "degree",
        "Degree, max / mean / min",
        "partners",
        "Partners that a node requests.",
        "dissertation, section 2.3",
    ),
    note(
        "covered",
        "Covered pairs",
        "pairs",
        "Requested pairs that share as many switches as required.",
        "dissertation, section 2.4",
    ),
    note("coverage", "Coverage", "%", "Covered share of the requested pairs.", "dissertation, section 2.4"),
    note(
        "connected",
        "Connected pairs",
        "pairs",
        "Pairs that share a switch, requested or not.",
        "dissertation, section 4.3",
    ),
    note(
        "extra",
        "Extra pairs",
        "pairs",
        "Pairs that share a switch without being requested.",
        "dissertation, section 4.3",
    ),
    note(
        "paths",
        "Pairs by number of paths",
        "paths: pairs",
        "Number of pairs that share that many switches.",
        "LCPC paper, section 3.2",
    ),
    note(
        "links_per_pair",
        "Links per pair",
        "links",
        "Mean shared switches over all pairs of nodes.",
        "LCPC paper, section 4.1",
    ),
    note(
        "links_per_pair_bound",
        "Links per pair, upper bound",
        "links",
        "For this hardware: all switches full except the last.",
        "LCPC paper, section 4.1",
    ),
    note(
        "links_per_requested_pair",
        "Links per requested pair",
        "links",
        "Mean shared switches over the requested pairs.",
        "LCPC paper, section 4.1",
    ),
    note(
        "ports_standing",
        "Fullest switch against the bound",
        "",
        "Gap to the narrowest switches that can work with these NICs.",
        "Crosspoint",
    ),
    note(
        "port_bound",
        "Switch width, lower bound",
        "ports",
        "Narrower switches cannot serve the demand with these NICs.",
        "",
    ),
    note(
        "switches_standing",
        "Switches against the bound",
        "",
        "Gap to the fewest switches of these widths that can work.",
        "Crosspoint",
    ),
    note(
        "switch_bound",
        "Switches, lower bound",
        "switches",
        "Fewer of the spec's switches cannot serve the demand, whatever the number of NICs.",
        "",
    ),
    note(
        "nothing_wasted",
        "Nothing wasted",
        "",
        "Every NIC and every port of the used switches is in use, and no pair shares more switches than required.",
        "Crosspoint",
    ),
    note(
        "switches",
        "Switches used / allowed",
        "switches",
        "Switches with a cable, out of those allowed.",
        "spec",
    ),
    note("ports", "Ports used / free / reserved", "ports", "On the used switches.", "spec"),
    note("cables", "Cables", "cables", "One for each NIC used.", "LCPC paper, section 2"),
    note(
        "moves",
        "Cables moved",
        "",
        "Cables of the existing wiring that moved; the cable list marks them.",
        "spec",
    ),
    note(
        "uplink_cables",
        "Uplink cables",
        "cables",
        "One from each other used switch and from each hot spare.",
        "LCPC paper, section 2",
    ),
    note(
        "cable_metres",
        "Cable length",
        "m",
        "Along and across the racks, plus the slack of each cable.",
        "spec",
    ),
    note(
        "cost",
        "Cost",
        "",
        "All switches and NICs of the spec and the cables of the wiring, at the spec's prices.",
        "spec",
    ),
    note(
        "bisection_links",
        "Expected bisection bandwidth",
        "links",
        "Links per pair times nodes: expected bandwidth between random pairs of nodes in two halves.",
        "LCPC paper, section 4.2",
    ),
    note(
        "uplink_links",
        "Added by a separate uplink",
        "links",
        "A separate uplink switch adds one link for each used switch.",
        "LCPC paper, section 4.2",
    ),
    note(
        "total_links",
        "Total bandwidth, max",
        "links",
        "Every NIC in use at once.",
        "LCPC paper, section 4.2",
    ),
];

/// Explanation of every figure, in the order of [`rows`].
pub fn explain() -> &'static [FigureNote] {
    NOTES
}

/// The figures as lines of a table.
pub fn rows(figures: &Figures) -> Vec<FigureRow> {
    NOTES.iter().map(|note| row(note, figures)).collect()
}

fn row(note: &FigureNote, f: &Figures) -> FigureRow {
    let mut row = FigureRow {
        key: note.key.into(),
        title: note.title.into(),
        value: value(note.key, f),
        unit: String::new(),
        explanation: note.explanation.into(),
        source: note.source.into(),
    };
    row.unit = if row.value == "1" { singular(note.unit) } else { note.unit }.into();
    if note.key == "paths" && f.paths.is_empty() {
        (row.value, row.unit) = ("none".into(), String::new());
    }
    if note.key == "port_bound" {
        row.explanation = format!("{} Proof: {}.", row.explanation, f.port_bound.reason);
        row.source = f.port_bound.source.clone();
    }
    if note.key == "switch_bound" {
        row.explanation = format!("{} Proof: {}.", row.explanation, f.switch_proof.reason);
        row.source = f.switch_proof.source.clone();
    }
    if note.key == "cable_metres" && f.cable_metres.is_none() {
        row.unit.clear();
    }
    if note.key == "cost" && !f.unpriced.is_empty() {
        row.explanation = format!("{} Not priced: {}.", row.explanation, f.unpriced.join(", "));
    }
    row
}

/// The unit of one.
fn singular(unit: &'static str) -> &'static str {
    match unit {
        "nodes" => "node",
        "pairs" => "pair",
        "links" => "link",
        "ports" => "port",
        "switches" => "switch",
        "cables" => "cable",
        other => other,
    }
}

fn value(key: &str, f: &Figures) -> String {
    match key {
        "pes" => grouped(f.pes.into()),
        "requested" => grouped(f.requested),
        "degree" => {
            let (most, least) = (grouped(f.degree_max.into()), grouped(f.degree_min.into()));
            format!("{most} / {} / {least}", fixed(f.degree_mean, 2))
        }
        "covered" => grouped(f.covered),
        "coverage" => coverage(f),
        "connected" => grouped(f.connected),
        "extra" => grouped(f.extra),
        "paths" => {
            let rows = f.paths.iter().map(|row| format!("{}: {}", row.paths, grouped(row.pairs)));
            rows.collect::<Vec<_>>().join(" · ")
        }
        "links_per_pair" => fixed(f.links_per_pair, 3),
        "links_per_pair_bound" => fixed(f.links_per_pair_bound, 3),
        "links_per_requested_pair" => fixed(f.links_per_requested_pair, 3),
        "port_bound" => grouped(f.port_bound.ports.into()),
        "switch_bound" => grouped(f.switch_bound.into()),
        "switches" => format!("{} / {}", grouped(f.switches_used.into()), grouped(f.switches_allowed.into())),
        "ports" => {
            format!("{} / {} / {}", grouped(f.ports_used), grouped(f.ports_free), grouped(f.ports_reserved))
        }
        "ports_standing" => f.standing.ports.words.clone(),
        "switches_standing" => f.standing.switches.words.clone(),
        "nothing_wasted" => if f.nothing_wasted { "yes" } else { "no" }.into(),
        "cables" => grouped(f.cables),
        "moves" => match f.moves {
            Some(moves) => moves.share(),
            None if f.renumbered => "nodes renumbered".into(),
            None => "no existing wiring".into(),
        },
        "uplink_cables" => grouped(f.uplink_cables),
        "cable_metres" => f.cable_metres.map_or("no racks given".into(), |metres| fixed(metres, 1)),
        "cost" => f.cost.map_or("no prices given".into(), |cost| fixed(cost, 2)),
        "bisection_links" => fixed(f.bisection_links, 1),
        "uplink_links" => grouped(f.uplink_links.into()),
        "total_links" => grouped(f.total_links),
        _ => String::new(),
    }
}

/// The share in percent, never rounded up to 100 while a pair is missing.
fn coverage(f: &Figures) -> String {
    if f.covered == f.requested { "100".into() } else { fixed((f.coverage * 1e4).floor() / 100.0, 2) }
}
