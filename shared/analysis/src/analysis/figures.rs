//! The figures of a wiring: coverage, paths, bounds, hardware, cost, bandwidth.
//!
//! [`figures`] computes them, [`rows`] puts them into words. Bandwidth is counted in links, so that it holds for any speed.

use super::{
    bounds::{PortBound, Standing, SwitchBound, bounds, max_paths, standing},
    cost::{CableCounts, cost},
    meetings::Meetings,
};
use crate::{
    demand::Demand,
    design::{Design, Moves, check, plugged},
    spec::Spec,
    text::{fixed, grouped, percents, rounded},
};
use serde::{Deserialize, Serialize};

/// Number of pairs that share a number of switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PathCount {
    /// Number of shared switches, equal to the single-switch paths.
    pub paths: u32,
    /// Number of node pairs.
    pub pairs: u64,
}

/// Coverage, hardware, cost and bandwidth of a wiring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Figures {
    /// Number of nodes.
    pub pes: u32,
    /// Number of requested pairs.
    pub requested: u64,
    /// Max partners of a node.
    pub degree_max: u32,
    /// Mean number of partners of a node.
    pub degree_mean: f64,
    /// Min partners of a node.
    pub degree_min: u32,
    /// Requested pairs that share as many switches as required.
    pub covered: u64,
    /// Share of requested pairs that are covered, 0 to 1; 1 where nothing is requested.
    pub coverage: f64,
    /// Pairs that share a switch, requested or not.
    pub connected: u64,
    /// Pairs that share a switch without being requested.
    pub extra: u64,
    /// Pairs by number of paths, from 0 on, without empty rows.
    pub paths: Vec<PathCount>,
    /// Mean shared switches over all pairs of nodes (Dietz and Mattox 2000, section 4.1).
    pub links_per_pair: f64,
    /// Upper bound of that mean for this hardware (Dietz and Mattox 2000, section 4.1).
    pub links_per_pair_bound: f64,
    /// Mean shared switches over the requested pairs.
    pub links_per_requested_pair: f64,
    /// Switches narrower than this cannot serve the demand.
    pub port_bound: PortBound,
    /// Fewer switches than this cannot serve the demand.
    pub switch_bound: u32,
    /// Bound on the number of switches, with its proof.
    pub switch_proof: SwitchBound,
    /// Distance of the wiring from both bounds.
    pub standing: Standing,
    /// `true` if every NIC and every port of the used switches is in use, and no pair shares more switches than required.
    pub nothing_wasted: bool,
    /// Switches with a cable in them.
    pub switches_used: u32,
    /// Switches that may be used; `None` if there is no limit.
    pub switches_allowed: Option<u32>,
    /// Ports with a cable in them; equally the cables and the NICs used.
    pub ports_used: u64,
    /// Free ports of used switches, without reserved ones.
    pub ports_free: u64,
    /// Reserved ports of used switches.
    pub ports_reserved: u64,
    /// NICs that the nodes have.
    pub nis: u64,
    /// Cables, one for each NIC used.
    pub cables: u64,
    /// Moved cables of the existing wiring; `None` without one, or if nodes are renumbered.
    #[serde(default)]
    pub moves: Option<Moves>,
    /// `true` if the spec keeps every cable and permutes node numbers.
    #[serde(default)]
    pub renumbered: bool,
    /// Cables to the uplink switch, if there is one: from each other used switch, and from each spare.
    pub uplink_cables: u64,
    /// Requested pairs that share too few switches and that uplink switches join; `None` without an uplink.
    #[serde(default)]
    pub over_uplinks: Option<u64>,
    /// Requested pairs that share no switch and that no uplink switch joins: only other nodes connect them, if they forward.
    #[serde(default)]
    pub need_forwarding: u64,
    /// Nodes per uplink of the switch with the most; `None` without an uplink.
    #[serde(default)]
    pub oversubscription: Option<f64>,
    /// Metres of cable between nodes and switches, and to a folded uplink switch; `None` without racks.
    pub cable_metres: Option<f64>,
    /// Price of all switches and NICs of the spec and of the wiring's cables; a lower bound if parts are unpriced. `None` without any price.
    pub cost: Option<f64>,
    /// Parts without a price or a length, which `cost` leaves out.
    pub unpriced: Vec<String>,
    /// Expected bisection bandwidth in links: links per pair times nodes (Dietz and Mattox 2000, section 4.2).
    pub bisection_links: f64,
    /// Links that separate uplink switches add: the uplinks of each used switch, or one per used switch for a spec without an uplink
    /// (Dietz and Mattox 2000, section 4.2).
    pub uplink_links: u32,
    /// Max links that can carry traffic at once: every NIC in use.
    pub total_links: u64,
}

/// One line of a table of figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FigureRow {
    /// Name of the figure.
    pub key: String,
    /// Name for people.
    pub title: String,
    /// The value, thousands separated.
    pub value: String,
    /// Unit; empty for a plain number.
    pub unit: String,
    /// One line.
    pub explanation: String,
    /// Paper and section, or who defines it.
    pub source: String,
}

/// Computes every figure in the time of the connected pairs. PEs that the wiring or the spec lacks count as unconnected.
pub fn figures(spec: &Spec, demand: &Demand, design: &Design) -> Figures {
    let spec = &*spec.grown(design.used_switches());
    let design = &*plugged(spec, design);
    let counts = Counts::of(spec, demand, design);
    let pes = f64::from(spec.pes);
    let all = u64::from(spec.pes) * u64::from(spec.pes.saturating_sub(1)) / 2;
    let degrees = demand.degrees();
    let hardware = Hardware::of(spec, design);
    let (price, cable_metres) = cost(spec, design);
    let links_per_pair = share(counts.path_sum, all, 0.0);
    let bounds = bounds(spec, demand);
    let wanted: u64 = (0..demand.len()).map(|pair| u64::from(demand.links(pair))).sum();
    let verdict = check(spec, demand, design);
    let cables = design.cables() as u64;
    let (nis, spine) = (design.nis(), spec.spine());
    let is_joined = |&&(a, b): &&(u32, u32)| spine.is_some_and(|spine| spine.joins_any(nis.of(a), nis.of(b)));
    let (joined, lacking): (Vec<_>, Vec<_>) = verdict.uncovered.iter().partition(is_joined);
    let over_uplinks = spine.map(|_| verdict.over_uplinks + joined.len() as u64);
    let apart = lacking.iter().filter(|&&&(a, b)| nis.shared(a, b).next().is_none()).count() as u64;
    let busiest = spine.and_then(|spine| {
        let members = (0..).zip(design.switches()).filter(|(switch, _)| spine.folded != Some(*switch));
        Some(members.map(|(_, members)| members.len()).max()? as f64 / f64::from(spine.links))
    });
    let full = cables > 0 && cables == spec.total_nis() && hardware.free == 0;
    Figures {
        pes: spec.pes,
        requested: demand.len() as u64,
        degree_max: degrees.iter().copied().max().unwrap_or(0),
        degree_mean: if spec.pes == 0 { 0.0 } else { 2.0 * demand.len() as f64 / pes },
        degree_min: degrees.iter().copied().min().unwrap_or(0),
        covered: counts.covered,
        coverage: share(counts.covered, demand.len() as u64, 1.0),
        connected: counts.connected,
        extra: counts.connected - counts.requested_connected,
        paths: counts.histogram(all),
        links_per_pair,
        links_per_pair_bound: share(max_paths(spec), all, 0.0),
        links_per_requested_pair: share(counts.requested_path_sum, demand.len() as u64, 0.0),
        switch_bound: bounds.switches.switches,
        standing: standing(spec, &bounds, design, &verdict),
        nothing_wasted: full && verdict.holds() && counts.path_sum == wanted,
        port_bound: bounds.ports,
        switch_proof: bounds.switches,
        switches_used: hardware.switches,
        switches_allowed: spec.switch_limit(),
        ports_used: cables,
        ports_free: hardware.free,
        ports_reserved: hardware.reserved,
        nis: spec.total_nis(),
        cables: cables - CableCounts::of(spec, design).direct / 2,
        moves: verdict.moves,
        renumbered: spec.renumbers(),
        uplink_cables: price.uplink_cables,
        over_uplinks,
        need_forwarding: apart,
        oversubscription: busiest,
        cable_metres,
        cost: price.total,
        unpriced: price.unpriced,
        bisection_links: links_per_pair * pes,
        uplink_links: hardware.switches * spec.uplink.map_or(1, |uplink| uplink.links),
        total_links: cables,
    }
}

fn share(part: u64, whole: u64, of_none: f64) -> f64 {
    if whole == 0 { of_none } else { part as f64 / whole as f64 }
}

#[derive(Default)]
struct Counts {
    covered: u64,
    connected: u64,
    requested_connected: u64,
    path_sum: u64,
    requested_path_sum: u64,
    /// Pairs by paths, from one path on.
    by_paths: Vec<u64>,
}

impl Counts {
    fn of(spec: &Spec, demand: &Demand, design: &Design) -> Counts {
        let mut counts = Counts::default();
        let pes = spec.pes.min(design.pes()).min(demand.pes());
        let nis = design.nis();
        let mut meetings = Meetings::new(design.pes().max(demand.pes()));
        for pe in 0..pes {
            meetings.count(design, &nis, pe, pe + 1, pes);
            counts.connected += meetings.met_unsorted().len() as u64;
            for &other in meetings.met_unsorted() {
                let paths = meetings.with(other) as usize;
                if counts.by_paths.len() < paths {
                    counts.by_paths.resize(paths, 0);
                }
                counts.by_paths[paths - 1] += 1;
            }
            for (at, &other) in demand.higher_of(pe).iter().enumerate() {
                let paths = meetings.with(other);
                counts.covered += u64::from(paths >= demand.links(demand.first_pair(pe) + at));
                counts.requested_connected += u64::from(paths > 0);
                counts.requested_path_sum += u64::from(paths);
            }
        }
        counts.path_sum = counts.by_paths.iter().zip(1..).map(|(pairs, paths)| pairs * paths).sum();
        counts
    }

    fn histogram(&self, all: u64) -> Vec<PathCount> {
        let none = PathCount { paths: 0, pairs: all - self.connected };
        let some = self.by_paths.iter().zip(1..).map(|(&pairs, paths)| PathCount { paths, pairs });
        std::iter::once(none).chain(some).filter(|row| row.pairs > 0).collect()
    }
}

struct Hardware {
    switches: u32,
    free: u64,
    reserved: u64,
}

impl Hardware {
    fn of(spec: &Spec, design: &Design) -> Hardware {
        let mut hardware = Hardware { switches: 0, free: 0, reserved: 0 };
        let (usable, mut ports) = (spec.usable_ports(), spec.all_ports());
        for (switch, members) in design.switches().enumerate() {
            let ports = ports.next().unwrap_or(0);
            if members.is_empty() {
                continue;
            }
            hardware.switches += 1;
            let usable = usable.get(switch).copied().unwrap_or(0);
            hardware.free += u64::from(usable).saturating_sub(members.len() as u64);
            hardware.reserved += u64::from(ports.saturating_sub(usable));
        }
        hardware
    }
}

/// A figure of the table.
struct Entry {
    key: &'static str,
    title: &'static str,
    unit: &'static str,
    explanation: &'static str,
    source: &'static str,
    value: fn(&Figures) -> String,
    /// Completes the row with words of these figures.
    complete: fn(&Figures, &mut FigureRow),
}

impl Entry {
    const fn new(
        key: &'static str,
        title: &'static str,
        unit: &'static str,
        value: fn(&Figures) -> String,
    ) -> Entry {
        Entry { key, title, unit, explanation: "", source: "spec", value, complete: |_, _| {} }
    }

    const fn explanation(self, explanation: &'static str) -> Entry {
        Entry { explanation, ..self }
    }

    const fn source(self, source: &'static str) -> Entry {
        Entry { source, ..self }
    }

    const fn complete(self, complete: fn(&Figures, &mut FigureRow)) -> Entry {
        Entry { complete, ..self }
    }

    fn row(&self, figures: &Figures) -> FigureRow {
        let value = (self.value)(figures);
        let unit = if value == "1" { singular(self.unit) } else { self.unit }.into();
        let [key, title, explanation, source] =
            [self.key, self.title, self.explanation, self.source].map(String::from);
        let mut row = FigureRow { key, title, value, unit, explanation, source };
        (self.complete)(figures, &mut row);
        row
    }
}

/// Every figure, in the order of the table.
const ENTRIES: &[Entry] = &[
    Entry::new("pes", "Nodes", "nodes", |f| grouped(f.pes.into()))
        .explanation("Nodes in the network."),
    Entry::new("requested", "Requested pairs", "pairs", |f| grouped(f.requested))
        .explanation("The union of all patterns.")
        .source("Mattox 2006, section 2.3"),
    Entry::new("degree", "Degree, max / mean / min", "partners", |f| {
            let (most, least) = (grouped(f.degree_max.into()), grouped(f.degree_min.into()));
            format!("{most} / {} / {least}", fixed(f.degree_mean, 2))
        })
        .explanation("Partners that a node requests.")
        .source("Mattox 2006, section 2.3"),
    Entry::new("covered", "Covered pairs", "pairs", |f| grouped(f.covered))
        .explanation("Requested pairs that share as many switches as required.")
        .source("Mattox 2006, section 2.4"),
    Entry::new("coverage", "Coverage", "%", |f| percents(f.coverage))
        .explanation("Covered share of the requested pairs.")
        .source("Mattox 2006, section 2.4"),
    Entry::new("connected", "Connected pairs", "pairs", |f| grouped(f.connected))
        .explanation("Pairs that share a switch, requested or not.")
        .source("Mattox 2006, section 4.3"),
    Entry::new("extra", "Extra pairs", "pairs", |f| grouped(f.extra))
        .explanation("Pairs that share a switch without being requested.")
        .source("Mattox 2006, section 4.3"),
    Entry::new("paths", "Pairs by number of paths", "paths: pairs", |f| {
            let rows = f.paths.iter().map(|row| format!("{}: {}", row.paths, grouped(row.pairs)));
            rows.collect::<Vec<_>>().join(" · ")
        })
        .explanation("Number of pairs that share that many switches.")
        .source("Dietz and Mattox 2000, section 3.2")
        .complete(|f, row| {
        if f.paths.is_empty() {
            (row.value, row.unit) = ("none".into(), String::new());
        }
    }),
    Entry::new("links_per_pair", "Links per pair", "links", |f| fixed(f.links_per_pair, 3))
        .explanation("Mean shared switches over all pairs of nodes.")
        .source("Dietz and Mattox 2000, section 4.1"),
    Entry::new("links_per_pair_bound", "Links per pair, upper bound", "links", |f| fixed(f.links_per_pair_bound, 3))
        .explanation("For this hardware: all switches full except the last.")
        .source("Dietz and Mattox 2000, section 4.1"),
    Entry::new("links_per_requested_pair", "Links per requested pair", "links", |f| fixed(f.links_per_requested_pair, 3))
        .explanation("Mean shared switches over the requested pairs.")
        .source("Dietz and Mattox 2000, section 4.1"),
    Entry::new("ports_standing", "Fullest switch against the bound", "", |f| f.standing.ports.words.clone())
        .explanation("Gap to the narrowest switches that can work with these NICs.")
        .source("Crosspoint"),
    Entry::new("port_bound", "Switch width, lower bound", "ports", |f| grouped(f.port_bound.ports.into()))
        .explanation("Narrower switches cannot serve the demand with these NICs.")
        .complete(|f, row| proof(row, &f.port_bound.reason, &f.port_bound.source)),
    Entry::new("switches_standing", "Switches against the bound", "", |f| f.standing.switches.words.clone())
        .explanation("Gap to the fewest switches of these widths that can work.")
        .source("Crosspoint"),
    Entry::new("switch_bound", "Switches, lower bound", "switches", |f| grouped(f.switch_bound.into()))
        .explanation("Fewer of the spec's switches cannot serve the demand, whatever the number of NICs.")
        .complete(|f, row| proof(row, &f.switch_proof.reason, &f.switch_proof.source)),
    Entry::new("nothing_wasted", "Perfect (no waste)", "", |f| if f.nothing_wasted { "yes" } else { "no" }.into())
        .explanation("Every NIC and every port of the used switches is in use, and no pair shares more switches than required.")
        .source("Crosspoint"),
    Entry::new("switches", "Switches used / allowed", "switches", |f| format!("{} / {}", grouped(f.switches_used.into()), f.switches_allowed.map_or("no limit".into(), |most| grouped(most.into()))))
        .explanation("Switches with a cable, out of those allowed. Without `count`, stock is unlimited."),
    Entry::new("ports", "Ports used / free / reserved", "ports", |f| {
            format!("{} / {} / {}", grouped(f.ports_used), grouped(f.ports_free), grouped(f.ports_reserved))
        })
        .explanation("On the used switches."),
    Entry::new("cables", "Cables", "cables", |f| grouped(f.cables))
        .explanation("One for each NIC used, and a direct cable for two NICs.")
        .source("Dietz and Mattox 2000, section 2"),
    Entry::new("moves", "Cables moved", "", |f| match f.moves {
            Some(moves) => moves.share(),
            None if f.renumbered => "nodes renumbered".into(),
            None => "no existing wiring".into(),
        })
        .explanation("Cables of the existing wiring that moved; the cable list marks them."),
    Entry::new("uplink_cables", "Uplink cables", "cables", |f| grouped(f.uplink_cables))
        .explanation("Cables from each other used switch to the uplink switches, and one cable of each hot spare.")
        .source("Dietz and Mattox 2000, section 2"),
    Entry::new("over_uplinks", "Pairs over uplinks", "", |f| f.over_uplinks.map_or("no uplinks".into(), grouped))
        .explanation("Requested pairs that share too few switches, and whose traffic can go over uplink switches.")
        .source("Crosspoint"),
    Entry::new("need_forwarding", "Pairs that need forwarding", "pairs", |f| grouped(f.need_forwarding))
        .explanation("Requested pairs that share no switch, and that no uplink switch joins. Without nodes that forward, they have no path.")
        .source("Crosspoint"),
    Entry::new("oversubscription", "Oversubscription of uplinks", "", |f| match f.oversubscription {
            Some(share) => format!("{} : 1", rounded(share, 1)),
            None => "no uplinks".into(),
        })
        .explanation("Nodes per uplink of the switch with the most. At 1, all nodes of a switch can send over its uplinks at full speed.")
        .source("Crosspoint"),
    Entry::new("cable_metres", "Cable length", "m", |f| f.cable_metres.map_or("no racks given".into(), |metres| fixed(metres, 1)))
        .explanation("Along and across the racks, plus the slack of each cable.")
        .complete(|f, row| {
        if f.cable_metres.is_none() {
            row.unit.clear();
        }
    }),
    Entry::new("cost", "Cost", "", |f| match (f.cost, f.unpriced.is_empty()) {
            (None, _) => "no prices given".into(),
            (Some(cost), true) => fixed(cost, 2),
            (Some(cost), false) => format!("at least {}", fixed(cost, 2)),
        })
        .explanation("All switches and NICs of the spec and the cables of the wiring, at the spec's prices.")
        .complete(|f, row| {
        if !f.unpriced.is_empty() {
            row.explanation += &format!(" Not priced: {}.", f.unpriced.join(", "));
        }
    }),
    Entry::new("bisection_links", "Expected bandwidth between halves", "links", |f| fixed(f.bisection_links, 1))
        .explanation("Links per pair times nodes: expected bandwidth between random pairs of nodes in two halves. The bisection on the Compare page is the worst case: the fewest links between any two halves.")
        .source("Dietz and Mattox 2000, section 4.2"),
    Entry::new("uplink_links", "Added by a separate uplink", "links", |f| grouped(f.uplink_links.into()))
        .explanation("Links that separate uplink switches add: the uplinks of each used switch. For a spec without an uplink, one link \
            per used switch is assumed.")
        .source("Dietz and Mattox 2000, section 4.2"),
    Entry::new("total_links", "Total bandwidth, max", "links", |f| grouped(f.total_links))
        .explanation("Every NIC in use at once.")
        .source("Dietz and Mattox 2000, section 4.2"),
];

/// The figures as lines of a table.
pub fn rows(figures: &Figures) -> Vec<FigureRow> {
    ENTRIES.iter().map(|entry| entry.row(figures)).collect()
}

fn proof(row: &mut FigureRow, reason: &str, source: &str) {
    row.explanation += &format!(" Proof: {reason}.");
    row.source = source.into();
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
