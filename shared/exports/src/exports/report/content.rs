//! The chapters of the report.

use super::{
    super::{
        DesignPlan, PALETTE, WriteResult,
        labels::{DATE, LINK, faces::Faces, pdf::Document, pe, print_job::PrintJob},
        picture::{Canvas, in_pixels},
        uplinks::oversubscription,
    },
    PAPER,
    flow::{BODY, Column, Flow, SMALL},
};
use crate::{
    analysis::{
        bounds::bounds,
        cost::cost,
        figures::{Figures, figures, rows},
        leftout::weight_served,
        map::{MAX_PIXELS, MapIndex, Theme, Triangle, Window, colour},
    },
    compare::{COLUMNS, Comparison, Sources, cells, compare, market::chosen},
    demand::patterns,
    design::{Verdict, check},
    spec::{Objective, Spec},
    text::{capital, fixed, grouped, noun},
};
use std::{collections::BTreeMap, io};

const A4: (f64, f64) = (210.0, 297.0);
const LETTER: (f64, f64) = (215.9, 279.4);
const GOOD: &str = "#146e3c";
const BAD: &str = "#b02020";
/// Max cells of the map across and down.
const MAP: u32 = 512;
/// Max pixels of the cables across and down: about 250 per inch.
const CABLES: usize = 1600;
/// Labels of the sample.
const LABELS: u32 = 4;

/// Two columns without a head.
const PAIRS: [Column; 2] = [Column::left("", 1.0), Column::left("", 2.2)];

/// Writes the report.
pub fn render(plan: &DesignPlan, _: u32, out: &mut dyn io::Write) -> WriteResult {
    let faces = Faces::new(&plan.fonts);
    let paper = if plan.settings.get(&PAPER) { LETTER } else { A4 };
    let mut flow = Flow::new(&faces, paper);
    let figures = figures(&plan.spec, &plan.demand, &plan.design);
    let verdict = check(&plan.spec, &plan.demand, &plan.design);
    first_page(plan, &figures, &verdict, &mut flow);
    spec(plan, &mut flow);
    proofs(plan, &figures, &mut flow);
    all_figures(&figures, &mut flow);
    parts(plan, &figures, &mut flow);
    networks(plan, &mut flow);
    wiring(plan, &mut flow);
    label(plan, &faces, &mut flow);
    let footer = format!("{} · wiring {}", plan.title(), plan.revision());
    let mut document = Document::begin(out, &faces)?;
    document.head(&format!("Report: {}", plan.title()), &standing(&plan.spec, &verdict).1, true)?;
    for page in flow.finish(&footer) {
        super::super::labels::print_job::Printer::page(&mut document, &page)?;
    }
    document.end()
}

/// The checker's verdict: `true` if the wiring serves every pair within its budget, and the same in words.
fn standing(spec: &Spec, verdict: &Verdict) -> (bool, String) {
    let (requested, missing) = (grouped(verdict.requested), verdict.uncovered.len() as u64);
    let mut words = match missing {
        0 => format!("All {requested} requested pairs share a {}.", spec.switch_noun()),
        _ => format!("This wiring leaves {} of {requested} requested pairs uncovered.", grouped(missing)),
    };
    if spec.objective == Objective::Fractional && missing > 0 {
        words += &format!(" It serves {} % of the weight.", fixed(100.0 * weight_served(verdict), 1));
    }
    if !verdict.breaches.is_empty() {
        words +=
            &format!(" It exceeds {} hardware limits of the spec.", grouped(verdict.breaches.len() as u64));
    }
    (verdict.holds(), words)
}

fn first_page(plan: &DesignPlan, figures: &Figures, verdict: &Verdict, flow: &mut Flow) {
    flow.title(&plan.title());
    let known = [
        ("Date", plan.settings.given(&DATE).cloned()),
        ("Link", plan.settings.given(&LINK).cloned()),
        ("Wiring", Some(plan.revision())),
        ("Crosspoint", Some(env!("CARGO_PKG_VERSION").to_owned())),
    ];
    let line: Vec<String> =
        known.into_iter().filter_map(|(name, value)| Some(format!("{name}: {}", value?))).collect();
    flow.note(&line.join(" · "));
    flow.space(2.0);
    let (holds, words) = standing(&plan.spec, verdict);
    flow.verdict(&words, if holds { GOOD } else { BAD });
    for breach in verdict.breaches.iter().take(5) {
        flow.note(&format!("Over the limit: {breach}."));
    }
    let (price, _) = cost(&plan.spec, &plan.design);
    let cost = price.text().unwrap_or_else(|| "no prices given".into());
    let is_mixed =
        !plan.has_only_cables() && plan.spec.switches.iter().any(|model| plan.spec.is_cable(model));
    let switches = match is_mixed {
        true => "Switches and direct cables".into(),
        false => capital(&noun(2, plan.spec.switch_noun())),
    };
    let mut rows = vec![
        ("Nodes".to_owned(), grouped(figures.pes.into())),
        (
            format!("{switches} used"),
            match figures.switches_allowed {
                Some(most) => {
                    format!("{} of {}", grouped(figures.switches_used.into()), grouped(most.into()))
                }
                None => grouped(figures.switches_used.into()),
            },
        ),
        ("Cables".into(), grouped(figures.cables)),
        ("Cost".into(), cost),
        ("Fullest switch".into(), figures.standing.ports.words.clone()),
        (format!("{switches} against the bound"), figures.standing.switches.words.clone()),
    ];
    if plan.has_only_cables() {
        rows.retain(|(name, _)| name != "Cables" && name != "Fullest switch");
    }
    let rows: Vec<Vec<String>> = rows.into_iter().map(|(name, value)| vec![name, value]).collect();
    flow.table(&PAIRS, &rows, BODY);
    let by_weight = match plan.spec.objective {
        Objective::Fractional => " Heavier pairs are darker.",
        Objective::Universal | Objective::Sparse | Objective::Time => "",
    };
    let legend = format!(
        "Rows and columns are nodes. Lower left: requested pairs. Upper right: pairs that share a switch, black if \
         requested, green if extra, red if requested and uncovered.{by_weight}"
    );
    flow.picture(("Map", &legend), map(plan), (135.0, 135.0));
}

/// The whole map in pixels.
fn map(plan: &DesignPlan) -> Canvas {
    let index = MapIndex::of(&plan.spec, &plan.demand, Some(&plan.design));
    let tile = index.tile(Window::all(index.pes()), MAP.min(MAX_PIXELS));
    // Readers blur the cells of small pictures.
    let dots = (2 * MAP).div_ceil(tile.pixels);
    let side = (tile.pixels * dots) as usize;
    let mut canvas = Canvas::new(side, side, [255; 3]);
    for (number, cell) in (0..).zip(&tile.cells) {
        let (column, row) = (number % tile.pixels, number / tile.pixels);
        let half = if row > column { Triangle::Requested } else { Triangle::Delivered };
        let [r, g, b, a] = colour(cell, tile.places(column, row, index.pes()), Theme::Light, half);
        if a > 0 {
            let [x, y, dots] = [column * dots, row * dots, dots].map(f64::from);
            canvas.fill(x, y, dots, dots, [r, g, b]);
        }
    }
    canvas
}

fn spec(plan: &DesignPlan, flow: &mut Flow) {
    let spec = &*plan.spec;
    flow.next_page();
    flow.heading("Spec");
    let objective = match spec.objective {
        Objective::Universal => "universal: every pair of nodes shares a switch",
        Objective::Sparse => "sparse: every requested pair shares a switch",
        Objective::Fractional => "fractional: as much weight as the hardware allows",
        Objective::Time => {
            "time: every requested pair shares a switch, and a step takes as little time as possible"
        }
    };
    let nis = spec.pe_groups.iter().map(|g| format!("{} with {}", grouped(g.count.into()), g.nis));
    let mut rows = vec![
        vec!["Objective".into(), objective.into()],
        vec!["Nodes and their NICs".into(), nis.collect::<Vec<_>>().join(", ")],
    ];
    let unlimited = spec.unlimited();
    for (index, (model, count)) in spec.switches.iter().zip(spec.switch_counts()).enumerate() {
        let stock = match unlimited == Some(index) {
            true => "any number".into(),
            false => format!("up to {}", grouped(count.into())),
        };
        rows.push(match spec.is_cable(model) {
            true => vec!["Direct cables".into(), stock],
            false => {
                let words = format!("{stock}, {} ports each, {} reserved", model.ports, model.reserve);
                vec!["Switches".into(), words]
            }
        });
    }
    if let Some(uplinks) = spec.uplink_text() {
        rows.push(vec!["Uplinks".into(), uplinks]);
    }
    if let Some((switch, ratio)) = oversubscription(spec, &plan.design) {
        let name = plan.switch_name(switch);
        rows.push(vec!["Nodes per uplink cable".into(), format!("up to {} ({name})", fixed(ratio, 2))]);
    }
    if !spec.racks.is_empty() {
        rows.push(vec!["Racks".into(), grouped(spec.racks.len() as u64)]);
    }
    flow.table(&PAIRS, &rows, BODY);
    let columns = [Column::left("Pattern", 4.0), Column::right("Weight", 1.0), Column::right("Links", 1.0)];
    let rows: Vec<Vec<String>> = spec
        .patterns
        .iter()
        .map(|pattern| vec![patterns::label(pattern), pattern.weight.to_string(), pattern.links.to_string()])
        .collect();
    flow.table(&columns, &rows, BODY);
    flow.paragraph(&format!("Together they request {} pairs.", grouped(plan.requested() as u64)));
}

fn proofs(plan: &DesignPlan, figures: &Figures, flow: &mut Flow) {
    flow.heading("Lower bounds");
    flow.paragraph("Smaller values are proven impossible. Even these minimums may not suffice.");
    let bounds = bounds(&plan.spec, &plan.demand);
    let columns = [
        Column::left("Bound", 1.2),
        Column::right("Value", 0.7),
        Column::left("This design", 2.0),
        Column::left("Proof", 4.0),
    ];
    let proof = |reason: &str, source: &str| match source {
        "" => format!("{reason}."),
        source => format!("{reason} ({source})."),
    };
    let rows = [
        vec![
            "Switch width".into(),
            grouped(bounds.ports.ports.into()),
            figures.standing.ports.words.clone(),
            proof(&bounds.ports.reason, &bounds.ports.source),
        ],
        vec![
            "Switches".into(),
            grouped(bounds.switches.switches.into()),
            figures.standing.switches.words.clone(),
            proof(&bounds.switches.reason, &bounds.switches.source),
        ],
    ];
    flow.table(&columns, &rows, SMALL);
}

fn all_figures(figures: &Figures, flow: &mut Flow) {
    flow.heading("Figures");
    let columns = [
        Column::left("Figure", 2.2),
        Column::right("Value", 1.8),
        Column::left("Unit", 1.0),
        Column::left("Meaning and source", 4.6),
    ];
    let lines: Vec<Vec<String>> = rows(figures)
        .into_iter()
        .map(|row| {
            let source = format!("{} Source: {}.", row.explanation, row.source);
            vec![row.title, row.value, row.unit, source]
        })
        .collect();
    flow.table(&columns, &lines, SMALL);
}

fn parts(plan: &DesignPlan, figures: &Figures, flow: &mut Flow) {
    let spec = &*plan.spec;
    flow.heading("Bill of materials");
    let columns = [
        Column::left("Part", 3.5),
        Column::right("Number", 1.0),
        Column::right("Price each", 1.0),
        Column::right("Price", 1.2),
    ];
    let line = |what: String, count: u64, each: Option<f64>| {
        let money = |price: Option<f64>| price.map_or("–".into(), |price| fixed(price, 2));
        vec![what, grouped(count), money(each), money(each.map(|each| each * count as f64))]
    };
    let mut rows = Vec::new();
    for (model, count) in spec.switches.iter().zip(spec.switch_counts()) {
        rows.push(match spec.is_cable(model) {
            true => line("Direct cable".into(), count.into(), model.price.or(spec.cable_price)),
            false => line(format!("Switch with {} ports", model.ports), count.into(), model.price),
        });
    }
    let spares = spec.uplink.map_or(0, |uplink| u64::from(uplink.spares));
    if let Some(uplink) = spec.uplink.filter(|uplink| !uplink.folded) {
        rows.push(line("Uplink switch".into(), spec.separate_uplinks().into(), uplink.price));
    }
    rows.push(line("NIC".into(), spec.total_nis() + spares, spec.ni_price));
    let direct = plan.cables().filter(|cable| cable.direct.is_some()).count() as u64;
    let cables = figures.cables + figures.uplink_cables - direct;
    if cables > 0 {
        rows.push(line("Cable".into(), cables, spec.cable_price));
    }
    if let (Some(metres), Some(price)) = (figures.cable_metres, spec.metre_price) {
        let total = fixed(metres * price, 2);
        rows.push(vec!["Metres of cable".into(), fixed(metres, 1), fixed(price, 2), total]);
    }
    let total = match (figures.cost, figures.unpriced.is_empty()) {
        (None, _) => "–".into(),
        (Some(cost), true) => fixed(cost, 2),
        (Some(cost), false) => format!("at least {}", fixed(cost, 2)),
    };
    rows.push(vec!["Total".into(), String::new(), String::new(), total]);
    flow.table(&columns, &rows, BODY);
    if !figures.unpriced.is_empty() {
        flow.note(&format!("Not priced: {}.", figures.unpriced.join(", ")));
    }
    let mut colours: BTreeMap<u32, (String, u64, u64)> = BTreeMap::new();
    for (switch, members) in (0..).zip(plan.design.switches()).filter(|(_, members)| !members.is_empty()) {
        let first = switch % plan.settings.get(&PALETTE).round();
        let entry = colours.entry(first).or_insert_with(|| (plan.colour(first).name(), 0, 0));
        entry.1 += 1;
        entry.2 += if plan.is_cable(switch) { members.len() / 2 } else { members.len() } as u64;
    }
    let mut columns =
        vec![Column::left("Cable colour", 3.0), Column::right("Cables", 1.0), Column::right("Switches", 1.0)];
    if plan.has_only_cables() {
        columns.truncate(2);
    }
    let row = |(name, switches, cables)| {
        let mut row = vec![name, grouped(cables), grouped(switches)];
        row.truncate(columns.len());
        row
    };
    let rows: Vec<Vec<String>> = colours.into_values().map(row).collect();
    flow.table(&columns, &rows, SMALL);
}

/// Columns of the comparison, in two tables.
const COMPARED: [&[&str]; 2] = [
    &["switches", "ports", "cables", "price", "price_per_host", "diameter"],
    &[
        "demand_latency",
        "demand_bandwidth",
        "single_switch",
        "bisection_links",
        "switch_loss",
        "switches_survived",
    ],
];

fn networks(plan: &DesignPlan, flow: &mut Flow) {
    // The spec's own market and the default one have no faults.
    let Ok(market) = chosen(&plan.spec, "") else { return };
    let comparison = compare(
        &Sources {
            spec: &plan.spec,
            demand: &plan.demand,
            design: Some(&plan.design),
            market: &market.market,
            own: market.own,
        },
        &[],
    );
    flow.heading("Other networks");
    let (hosts, name) = (grouped(comparison.hosts.into()), &market.market.name);
    flow.paragraph(&format!(
        "Networks for {hosts} hosts. Prices and hardware: {name}. {}",
        comparison.conclusion()
    ));
    for keys in COMPARED {
        side_by_side(&comparison, keys, flow);
    }
    let left: Vec<String> = comparison
        .rows
        .iter()
        .filter_map(|row| Some(format!("{} ({})", row.title, row.takes.as_ref()?)))
        .collect();
    if !left.is_empty() {
        flow.note(&format!("Not available for {hosts} hosts: {}.", left.join(", ")));
    }
    let unlike: Vec<String> = comparison
        .rows
        .iter()
        .filter_map(|row| Some(format!("{}: {}", row.title, row.unlike.as_ref()?)))
        .collect();
    if !unlike.is_empty() {
        flow.note(&format!("Not like for like: {}.", unlike.join("; ")));
    }
    flow.note(
        "Latency and bandwidth follow the model of Nitzberg et al. 1999. Two numbers are a lower and an upper bound.",
    );
}

fn side_by_side(comparison: &Comparison, keys: &[&str], flow: &mut Flow) {
    let chosen: Vec<usize> = (0..COLUMNS.len()).filter(|&at| keys.contains(&COLUMNS[at].key)).collect();
    let mut columns = vec![Column::left("Network", 3.0)];
    columns.extend(chosen.iter().map(|&at| Column::right(COLUMNS[at].title, 1.0)));
    let mut rows = vec![vec![String::new()]];
    rows[0].extend(chosen.iter().map(|&at| COLUMNS[at].unit.to_owned()));
    for row in comparison.rows.iter().filter(|row| row.figures.is_some()) {
        let cells = cells(row);
        let mut line = vec![row.title.clone()];
        line.extend(chosen.iter().map(|&at| cells[at].clone()));
        rows.push(line);
    }
    flow.table(&columns, &rows, SMALL);
}

fn wiring(plan: &DesignPlan, flow: &mut Flow) {
    let legend = "Cables in their colours, or for a large machine the nodes of each switch.";
    flow.picture(("Cables", legend), in_pixels(plan).reduced(CABLES), (flow.width(), 150.0));
}

/// The first labels as they are printed, at true size.
fn label(plan: &DesignPlan, faces: &Faces, flow: &mut Flow) {
    flow.heading("Labels");
    let job = match PrintJob::of(plan, faces) {
        Ok(job) => job,
        Err(error) => return flow.paragraph(&format!("No sample: {error}.")),
    };
    let names = plan.spec.switch_noun();
    flow.paragraph(&format!("The first labels, at true size. Each patch is one NIC and names its {names}."));
    let size = job.layout.grid.size;
    let fitting = ((flow.width() / size.0) as u32).clamp(1, LABELS).min(plan.pes());
    flow.place((size.0 * f64::from(fitting), size.1), |drawing, area| {
        for number in 0..fitting {
            let cell = super::super::labels::draw::Area {
                x: area.x + size.0 * f64::from(number),
                w: size.0,
                ..area
            };
            drawing.edge(cell, "#777777", 0.1);
            let inside = pe::beside_qr(&job, drawing, cell, Some(number));
            pe::draw(&job, drawing, inside, number);
        }
    });
}
