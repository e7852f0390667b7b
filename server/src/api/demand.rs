//! Counts of a spec's demand.

use super::{ApiError, App, extract::Body};
use crate::{
    counts,
    prepare::{Request, TextError},
};
use axum::{Json, extract::State};
use shared::{
    api::{DemandView, SpecText},
    resolve::NoFiles,
};

/// Counts pairs, degrees, patterns and their synergy, and checks whether bounds rule the hardware out.
#[utoipa::path(post, path = "/api/demand", tag = "demand", request_body = SpecText, responses(
    (status = 200, body = DemandView),
))]
pub async fn count(State(app): State<App>, Body(body): Body<SpecText>) -> Result<Json<DemandView>, ApiError> {
    let work = move || Ok::<_, TextError>(counts::demand(&Request::read(&body.spec, &mut NoFiles)?));
    app.compute(work).await.map(Json)
}
