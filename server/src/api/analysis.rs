//! Analysis of a design.

use super::{ApiError, App, extract::Body};
use crate::{
    counts,
    prepare::{Request, TextError},
};
use axum::{Json, extract::State};
use shared::{
    api::{AnalysisView, MAX_UNCOVERED, SpecAndTable},
    resolve::NoFiles,
};

/// Checks a design, computes its figures and advises what to relax if pairs are uncovered.
#[utoipa::path(post, path = "/api/analysis", tag = "analysis", request_body = SpecAndTable, responses(
    (status = 200, body = AnalysisView),
))]
pub async fn analyse(
    State(app): State<App>,
    Body(body): Body<SpecAndTable>,
) -> Result<Json<AnalysisView>, ApiError> {
    let work = move || {
        let request = Request::read(&body.spec, &mut NoFiles)?;
        let mut view = counts::analysis(&request, &request.wiring(&body.table)?);
        view.verdict.uncovered.truncate(MAX_UNCOVERED);
        Ok::<_, TextError>(view)
    };
    app.compute(work).await.map(Json)
}
