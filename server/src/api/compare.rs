//! Comparison of a design with other networks.

use super::{ApiError, App, extract::Body};
use crate::prepare::{Request, TextError};
use axum::{Json, extract::State};
use shared::{
    api::{CompareRequest, MAX_FABRICS},
    compare::{Comparison, Sources, compare as side_by_side, market::chosen},
    fabric::kinds,
    resolve::NoFiles,
    spec::Fault,
};

/// Compares a design with every kind of network for the same number of nodes: parts, price, latency, bandwidth, bisection, faults.
#[utoipa::path(post, path = "/api/compare", tag = "analysis", request_body = CompareRequest, responses(
    (status = 200, body = Comparison),
))]
pub async fn compare(
    State(app): State<App>,
    Body(body): Body<CompareRequest>,
) -> Result<Json<Comparison>, ApiError> {
    let work = move || {
        if body.fabrics.len() > MAX_FABRICS {
            let expected = format!("at most {MAX_FABRICS} networks");
            return Err(Fault::new("fabrics", body.fabrics.len(), expected).into());
        }
        let request = Request::read(&body.spec, &mut NoFiles)?;
        let design = body.table.as_deref().map(|table| request.wiring(table)).transpose()?;
        let chosen = chosen(&request.spec, &body.prices)?;
        let others = kinds::parse_all(&body.fabrics, |number| format!("fabrics[{number}]"))?;
        let sources = Sources {
            spec: &request.spec,
            demand: &request.demand,
            design: design.as_ref(),
            market: &chosen.market,
            own: chosen.own,
        };
        Ok::<_, TextError>(side_by_side(&sources, &others))
    };
    app.compute(work).await.map(Json)
}
