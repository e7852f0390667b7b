//! Searches: started, looked at, stopped.

use super::{
    ApiError, App,
    extract::{Body, Names},
};
use axum::{
    Json,
    extract::State,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use shared::api::{Problem, RunState, RunView, StartRun};

/// Starts a search, which goes on whether anybody watches or not.
#[utoipa::path(post, path = "/api/runs", tag = "runs", request_body = StartRun, responses(
    (status = 201, body = RunView, headers(("Location" = String, description = "Where the run is"))),
    (status = 422, description = "The spec has faults, or no hardware of it can serve its demand", body = Problem,
     content_type = "application/problem+json"),
    (status = 503, description = "Too many searches wait", body = Problem, content_type = "application/problem+json"),
))]
pub async fn start(State(app): State<App>, Body(body): Body<StartRun>) -> Result<Response, ApiError> {
    let jobs = app.jobs.clone();
    let view = app.compute(move || jobs.start(&body)).await?;
    Ok(created(format!("/api/runs/{}", view.id), view))
}

/// How a run stands.
#[utoipa::path(get, path = "/api/runs/{id}", tag = "runs", params(("id" = String, Path)), responses(
    (status = 200, body = RunView),
    (status = 404, description = "No such run", body = Problem, content_type = "application/problem+json"),
    (status = 503, description = "The studio is being stopped; the next one knows whether the run goes on", body = Problem,
     content_type = "application/problem+json"),
))]
pub async fn get(State(app): State<App>, Names(id): Names<String>) -> Result<Response, ApiError> {
    let jobs = app.jobs.clone();
    let view = app.block(move || jobs.view(&id)).await?;
    last_word(&app, view.as_ref().map(|view| view.state))?;
    fresh(view, "such run")
}

/// That how a search stands will not change: what a studio interrupts as it goes down may go on with the next one.
pub(super) fn last_word(app: &App, state: Option<RunState>) -> Result<(), ApiError> {
    match state {
        Some(RunState::Interrupted) if app.jobs.is_shutting_down() => Err(ApiError::Busy(
            "the studio is being stopped; the next one knows whether this search goes on".into(),
        )),
        _ => Ok(()),
    }
}

/// Stops a run; one that is over stays as it is. A run that searches ends a little later, as its events tell.
#[utoipa::path(post, path = "/api/runs/{id}/stop", tag = "runs", params(("id" = String, Path)), responses(
    (status = 200, body = RunView),
    (status = 404, description = "No such run", body = Problem, content_type = "application/problem+json"),
))]
pub async fn stop(State(app): State<App>, Names(id): Names<String>) -> Result<Response, ApiError> {
    let jobs = app.jobs.clone();
    let view = app.block(move || jobs.stop(&id)).await?;
    fresh(view, "such run")
}

/// What has just been made, and where it is.
pub(super) fn created(location: String, view: impl Serialize) -> Response {
    (StatusCode::CREATED, [(header::LOCATION, location)], Json(view)).into_response()
}

/// What changes from one moment to the next, if it is there.
pub(super) fn fresh(view: Option<impl Serialize>, what: &str) -> Result<Response, ApiError> {
    let view = view.ok_or_else(|| ApiError::not_found(what))?;
    Ok(([(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))], Json(view)).into_response())
}

/// The best wiring so far, as its text table. It fits the hardware; it may leave pairs uncovered.
#[utoipa::path(get, path = "/api/runs/{id}/table", tag = "runs", params(("id" = String, Path)), responses(
    (status = 200, description = "Lines of `switch: pe pe pe`", body = String, content_type = "text/plain"),
    (status = 404, description = "No such run, or no wiring yet", body = Problem,
     content_type = "application/problem+json"),
))]
pub async fn table(State(app): State<App>, Names(id): Names<String>) -> Result<Response, ApiError> {
    let jobs = app.jobs.clone();
    let table = app.compute(move || jobs.table(&id)).await?;
    let table = table.ok_or_else(|| ApiError::not_found("such run"))?;
    let table = table.ok_or_else(|| ApiError::not_found("wiring of this run yet"))?;
    let headers = [(header::CONTENT_TYPE, "text/plain; charset=utf-8"), (header::CACHE_CONTROL, "no-store")];
    Ok((headers, table.to_string()).into_response())
}
