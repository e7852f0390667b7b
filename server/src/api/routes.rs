//! Routes of two nodes, and the effect of failed parts.

use super::{ApiError, App, extract::Body};
use crate::routing;
use axum::{Json, extract::State};
use shared::api::{FailuresRequest, FailuresView, RoutesRequest, RoutesView};

/// The routes between two nodes by every method, with the lines of exported files that set them up.
#[utoipa::path(post, path = "/api/routes", tag = "analysis", request_body = RoutesRequest, responses(
    (status = 200, body = RoutesView),
))]
pub async fn routes(
    State(app): State<App>,
    Body(body): Body<RoutesRequest>,
) -> Result<Json<RoutesView>, ApiError> {
    app.compute(move || routing::routes(&body)).await.map(Json)
}

/// The pairs that lose paths when parts fail, and the worst parts to fail next.
#[utoipa::path(post, path = "/api/failures", tag = "analysis", request_body = FailuresRequest, responses(
    (status = 200, body = FailuresView),
))]
pub async fn failures(
    State(app): State<App>,
    Body(body): Body<FailuresRequest>,
) -> Result<Json<FailuresView>, ApiError> {
    app.compute(move || routing::failures(&body)).await.map(Json)
}
