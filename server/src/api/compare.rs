//! Comparison of a design with other networks, and the time of a training step on them.

use super::{ApiError, App, extract::Body};
use crate::{
    prepare::{Request, TextError},
    tasks,
};
use axum::{Json, extract::State};
use shared::{
    api::{CompareRequest, EstimateRequest, MAX_FABRICS},
    compare::{Comparison, Sources, compare as side_by_side, market::chosen},
    estimate::EstimateReport,
    fabric::{Kind, NetworkFile, kinds},
    form::toml,
    resolve::NoFiles,
    spec::Fault,
};
use simulate::step;

/// Compares a design with every kind of network for the same number of nodes: parts, price, latency, bandwidth, bisection, faults.
#[utoipa::path(post, path = "/api/compare", tag = "analysis", request_body = CompareRequest, responses(
    (status = 200, body = Comparison),
))]
pub async fn compare(
    State(app): State<App>,
    Body(body): Body<CompareRequest>,
) -> Result<Json<Comparison>, ApiError> {
    let work = move || with_sources(&body, |sources, others| Ok(side_by_side(sources, others)));
    app.compute(work).await.map(Json)
}

/// Estimates the time of a training step on a design and on other networks: communication by dimension, a frame-level check,
/// the worst failure, price and power.
#[utoipa::path(post, path = "/api/estimate", tag = "analysis", request_body = EstimateRequest, responses(
    (status = 200, body = EstimateReport),
))]
pub async fn estimate(
    State(app): State<App>,
    Body(body): Body<EstimateRequest>,
) -> Result<Json<EstimateReport>, ApiError> {
    let work = move || {
        with_sources(&body.networks, |sources, others| {
            let settings = body.form.read(&sources.spec.assumptions)?;
            let _claim = tasks::claim(step::memory(sources, others))?;
            Ok(step::estimate(sources, others, &settings)?)
        })
    };
    app.compute(work).await.map(Json)
}

/// Reads the inputs of a comparison.
fn with_sources<T>(
    body: &CompareRequest,
    work: impl FnOnce(&Sources, &[Box<dyn Kind>]) -> Result<T, TextError>,
) -> Result<T, TextError> {
    if body.fabrics.len() > MAX_FABRICS {
        let expected = format!("at most {MAX_FABRICS} networks");
        return Err(Fault::new("fabrics", body.fabrics.len(), expected).into());
    }
    let files = body.files.values().map(|text| NetworkFile::max_bytes(text)).sum::<u64>();
    let _parsing = tasks::claim(files + toml::max_bytes(&body.prices))?;
    let request = Request::read(&body.spec, &mut NoFiles)?;
    let design = body.table.as_deref().map(|table| request.wiring(table)).transpose()?;
    design.as_ref().map_or(Ok(()), |design| request.fits(design))?;
    let chosen = chosen(&request.spec, &body.prices)?;
    let file =
        |name: &str| body.files.get(name).cloned().ok_or_else(|| "`files` has none of that name".into());
    let others = kinds::parse_all(&body.fabrics, &file, |number| format!("fabrics[{number}]"))?;
    let sources = Sources {
        spec: &request.spec,
        demand: &request.demand,
        design: design.as_ref(),
        market: &chosen.market,
        own: chosen.own,
    };
    work(&sources, &others)
}
