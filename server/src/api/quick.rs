//! Quick searches: the wiring of a spec while people type it.

use super::{ApiError, App, extract::Body};
use crate::work::quick;
use axum::{Json, extract::State};
use shared::api::{QuickView, StartWork};

/// Searches on one thread for at most the studio's limit, 100 ms by default. The studio keeps no result.
#[utoipa::path(post, path = "/api/quick", tag = "work", request_body = StartWork, responses(
    (status = 200, body = QuickView),
))]
pub async fn find(State(app): State<App>, Body(asked): Body<StartWork>) -> Result<Json<QuickView>, ApiError> {
    let limit = app.config.quick;
    app.compute(move || quick::find(&asked, limit)).await.map(Json)
}
