//! Two designs or runs side by side, and the work list from one to the other.

use super::{
    ApiError, App,
    error::{gone, no_item},
    extract::Names,
    preview::map_picture,
    work::fresh,
};
use crate::{
    prepare::{Request, TextError},
    tasks,
};
use axum::{
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use shared::{
    analysis::{leftout::weight_served, map::MapIndex},
    api::{DifferenceRow, DifferenceView, SideView},
    compare::{COLUMNS, Recabling, Sources, SpecWiring, cells, market::chosen, own_row, recabling},
    demand::Demand,
    design::{Design, check},
    resolve::NoFiles,
    spec::Objective,
    text::{grouped, percents},
};

/// Columns of a comparison that are shown for two designs.
const SHOWN: [&str; 8] = [
    "switches",
    "cables",
    "price",
    "diameter",
    "demand_latency",
    "demand_bandwidth",
    "switches_survived",
    "links_survived",
];
/// Max steps in a view; the files have all.
const MAX_STEPS: usize = 200;

/// Max nodes of a difference map.
const MAX_MAPPED: u32 = 4096;
/// Width and height of a difference map in pixels.
const MAP_SIDE: u32 = 1024;
/// Bytes of memory per pair on a switch, while a difference map is drawn.
const BYTES_PER_PAIR: u64 = 48;

/// A design or a run with a wiring.
struct Side {
    view: SideView,
    request: Request,
    design: Design,
}

/// Two designs or searches side by side: figures, and the cables to move from the first to the second.
#[utoipa::path(get, path = "/api/differences/{a}/{b}", tag = "analysis",
    params(("a" = String, Path), ("b" = String, Path)), responses(
    (status = 200, body = DifferenceView),
))]
pub async fn get(
    State(app): State<App>,
    Names((a, b)): Names<(String, String)>,
) -> Result<Response, ApiError> {
    let view = with_both(&app, a, b, |sides, list| {
        let by_weight = sides.iter().any(|side| side.request.spec.objective == Objective::Fractional);
        let values = [figures(&sides[0], by_weight)?, figures(&sides[1], by_weight)?];
        let rows = values[0].iter().zip(&values[1]).map(|(one, two)| DifferenceRow {
            values: [one.values[0].clone(), two.values[0].clone()],
            ..one.clone()
        });
        let text = list.text();
        let steps: Vec<String> =
            text.lines().filter(|line| line.contains("[ ]")).map(str::to_owned).collect();
        Ok(DifferenceView {
            rows: rows.collect(),
            kept: list.kept,
            moved: list.moved,
            added: list.added,
            removed: list.removed,
            has_map: has_map(&sides),
            total_steps: steps.len() as u64,
            steps: steps.into_iter().take(MAX_STEPS).collect(),
            sides: sides.map(|side| side.view),
        })
    })
    .await?;
    fresh(Some(view), no_item)
}

/// The difference map: pairs that share a switch in the first design (lower left) and in the second (upper right). Red
/// pairs share a switch in the first design only, green pairs in the second only.
#[utoipa::path(get, path = "/api/differences/{a}/{b}/map.png", tag = "analysis",
    params(("a" = String, Path), ("b" = String, Path)), responses(
    (status = 200, description = "The picture", body = Vec<u8>, content_type = "image/png"),
))]
pub async fn map(
    State(app): State<App>,
    Names((a, b)): Names<(String, String)>,
) -> Result<Response, ApiError> {
    let owned = app.clone();
    let work = move || {
        let sides = [side(&owned, &a)?, side(&owned, &b)?];
        if !has_map(&sides) {
            let max = grouped(MAX_MAPPED.into());
            return Err(ApiError::NotFound(format!(
                "Difference maps have up to {max} nodes, as many in both designs."
            )));
        }
        let [old, new] = sides.map(|side| side.design);
        let pairs: u64 = old.switches().map(|members| (members.len() as u64).pow(2) / 2).sum();
        let _claim = tasks::claim(BYTES_PER_PAIR * pairs)?;
        let connected = old.switches().flat_map(|members| {
            members.iter().enumerate().flat_map(|(at, &a)| members[at + 1..].iter().map(move |&b| (a, b)))
        });
        let index = MapIndex::new(&Demand::from_pairs(old.pes(), connected), Some(&new));
        Ok(map_picture(&index, MAP_SIDE))
    };
    let picture = app.compute(work).await?;
    Ok(([(header::CONTENT_TYPE, "image/png"), (header::CACHE_CONTROL, "no-store")], picture).into_response())
}

/// `true` if a difference map can be drawn.
fn has_map([old, new]: &[Side; 2]) -> bool {
    old.design.pes() == new.design.pes() && old.design.pes() <= MAX_MAPPED
}

/// The work list from the first design to the second, as plain text.
#[utoipa::path(get, path = "/api/differences/{a}/{b}/recabling.txt", tag = "analysis",
    params(("a" = String, Path), ("b" = String, Path)), responses(
    (status = 200, description = "The list, a line per step", body = String, content_type = "text/plain"),
))]
pub async fn text(
    State(app): State<App>,
    Names((a, b)): Names<(String, String)>,
) -> Result<Response, ApiError> {
    let work = |[old, new]: [Side; 2], list: &Recabling| {
        Ok(format!("From {} to {}\n{}", old.view.name, new.view.name, list.text()))
    };
    with_both(&app, a, b, work).await.map(|text| file("recabling.txt", "text/plain", text))
}

/// The work list from the first design to the second, as CSV.
#[utoipa::path(get, path = "/api/differences/{a}/{b}/recabling.csv", tag = "analysis",
    params(("a" = String, Path), ("b" = String, Path)), responses(
    (status = 200, description = "The list, a row per step", body = String, content_type = "text/csv"),
))]
pub async fn csv(
    State(app): State<App>,
    Names((a, b)): Names<(String, String)>,
) -> Result<Response, ApiError> {
    with_both(&app, a, b, |_, list| Ok(list.csv())).await.map(|text| file("recabling.csv", "text/csv", text))
}

fn file(name: &str, media: &str, text: String) -> Response {
    let headers = [
        (header::CONTENT_TYPE, format!("{media}; charset=utf-8")),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    (headers, text).into_response()
}

/// Runs `work` with both sides as a task.
async fn with_both<T: Send + 'static>(
    app: &App,
    a: String,
    b: String,
    work: impl FnOnce([Side; 2], &Recabling) -> Result<T, TextError> + Send + 'static,
) -> Result<T, ApiError> {
    let owned = app.clone();
    let read = move || {
        let sides = [side(&owned, &a)?, side(&owned, &b)?];
        let [old, new] =
            [&sides[0], &sides[1]].map(|side| SpecWiring { spec: &side.request.spec, design: &side.design });
        let list = recabling(old, new);
        Ok::<_, ApiError>(work(sides, &list)?)
    };
    app.compute(read).await
}

/// Reads a design, or the best wiring of a run so far. Blocks.
fn side(app: &App, id: &str) -> Result<Side, ApiError> {
    let (spec, table, created, is_run) = if let Some(design) = app.store.design(id)? {
        (design.spec, design.table, design.created, false)
    } else if let Some(deleted) = app.store.deletion_of(id)? {
        return Err(gone(&deleted));
    } else {
        let run = app.works.view(id)?.ok_or_else(no_item)?;
        let table = app.works.table(id)?;
        let table = table.ok_or_else(|| ApiError::not_found("wiring of this run yet"))?;
        (run.asked.spec.unwrap_or_default(), table.to_string(), run.created, true)
    };
    let request = Request::read(&spec, &mut NoFiles)?;
    let design = request.wiring(&table)?;
    let name = if request.spec.name.is_empty() { "Untitled design" } else { &request.spec.name };
    let view = SideView { id: id.into(), is_run, name: name.into(), created };
    Ok(Side { view, request, design })
}

/// Figures of one design, also by weight if one of both has a fractional objective; the second value of each row stays empty.
fn figures(side: &Side, by_weight: bool) -> Result<Vec<DifferenceRow>, TextError> {
    let Side { request, design, .. } = side;
    let row = |title: &str, unit: &str, value: String, explanation: &str| DifferenceRow {
        title: title.into(),
        unit: unit.into(),
        values: [value, String::new()],
        explanation: explanation.into(),
    };
    let verdict = check(&request.spec, &request.demand, design);
    let uncovered = verdict.uncovered.len() as u64;
    let share = match uncovered {
        0 => 1.0,
        some => (verdict.requested - some) as f64 / verdict.requested.max(1) as f64,
    };
    let mut rows = vec![row("Nodes", "", grouped(request.spec.pes.into()), "Nodes in the network.")];
    if by_weight {
        let served = percents(weight_served(&verdict));
        rows.push(row("Weight covered", "%", served, "Covered share of the weight of the requested pairs."));
    }
    rows.extend([
        row("Coverage", "%", percents(share), "Covered share of the requested pairs."),
        row("Uncovered pairs", "", grouped(uncovered), "Requested pairs that share too few switches."),
    ]);
    let market = chosen(&request.spec, "")?;
    let sources = Sources {
        spec: &request.spec,
        demand: &request.demand,
        design: Some(design),
        market: &market.market,
        own: market.own,
    };
    let source = "Source of the prices, and of the speeds and latencies of links and switches.";
    rows.push(row("Prices and speeds", "", market.market.name.clone(), source));
    let values = cells(&own_row(&sources, design));
    let columns = COLUMNS.iter().zip(values).filter(|(column, _)| SHOWN.contains(&column.key));
    rows.extend(columns.map(|(column, value)| row(column.title, column.unit, value, column.explanation)));
    Ok(rows)
}
