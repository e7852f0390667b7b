//! Runs.

use super::{
    ApiError, App,
    extract::{Body, Names},
    rights::{EditHeader, Rights},
};
use crate::{
    prepare::{TextError, check_new},
    store::SearchKind,
};
use axum::{
    Json,
    extract::State,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use shared::api::{ContinueRun, Problem, ReplayView, RunState, RunView, StartRun};

/// Starts a run. It continues even if no client is connected.
#[utoipa::path(post, path = "/api/runs", tag = "runs", params(EditHeader), request_body = StartRun, responses(
    (status = 201, body = RunView, headers(("Location" = String, description = "Path of the run"),
     ("x-crosspoint-edit" = String, description = "A fresh edit token, if the request had none"))),
    (status = 422, description = "The spec has faults, or its hardware provably cannot serve the demand", body = Problem,
     content_type = "application/problem+json"),
    (status = 429, description = "The client has its share of the queue", body = Problem,
     content_type = "application/problem+json"),
    (status = 503, description = "The queue is full", body = Problem, content_type = "application/problem+json"),
))]
pub async fn start(
    State(app): State<App>,
    rights: Rights,
    Body(body): Body<StartRun>,
) -> Result<Response, ApiError> {
    let (jobs, client, starter) = (app.jobs.clone(), App::client(), rights.start()?);
    let edit = starter.hash;
    let (store, quota) = (app.store.clone(), app.quota(body.spec.len()));
    let work = move || {
        check_new(&body.spec).map_err(TextError::Spec)?;
        quota(&store)?;
        Ok::<_, ApiError>(jobs.start(&client, edit, &body)?)
    };
    let view = app.compute_now(work).await?;
    Ok(starter.answer(created(format!("/api/runs/{}", view.id), view)))
}

/// A run with its progress.
#[utoipa::path(get, path = "/api/runs/{id}", tag = "runs", params(("id" = String, Path)), responses(
    (status = 200, body = RunView),
    (status = 503, description = "The studio is shutting down; after a restart it shows whether the run resumes", body = Problem,
     content_type = "application/problem+json"),
))]
pub async fn get(State(app): State<App>, Names(id): Names<String>) -> Result<Response, ApiError> {
    let jobs = app.jobs.clone();
    let view = app.block(move || jobs.view(&id)).await?;
    final_state(&app, view.as_ref().map(|view| view.state))?;
    fresh(view, || ApiError::no_search("run"))
}

/// Fails for a search that the shutdown has interrupted: it may resume with the next start, so the state is not final.
pub(super) fn final_state(app: &App, state: Option<RunState>) -> Result<(), ApiError> {
    match state {
        Some(RunState::Interrupted) if app.jobs.is_shutting_down() => Err(ApiError::Busy(
            "The studio is shutting down. After a restart it shows whether this search resumes.".into(),
        )),
        _ => Ok(()),
    }
}

/// Stops a run. An ended run stays unchanged. A running one ends shortly after, and its events report the end.
#[utoipa::path(post, path = "/api/runs/{id}/stop", tag = "runs", params(("id" = String, Path), EditHeader), responses(
    (status = 200, body = RunView),
    (status = 403, description = "The request lacks the edit token of the run, or comes from another site", body = Problem,
     content_type = "application/problem+json"),
))]
pub async fn stop(
    State(app): State<App>,
    rights: Rights,
    Names(id): Names<String>,
) -> Result<Response, ApiError> {
    rights.edit_search(&app, SearchKind::Run, &id, "run").await?;
    let jobs = app.jobs.clone();
    let view = app.block(move || jobs.stop(&id)).await?;
    fresh(view, || ApiError::no_search("run"))
}

/// Continues a run that was stopped or reached its limit: the same search, with more time or effort than it has used.
#[utoipa::path(post, path = "/api/runs/{id}/continue", tag = "runs", params(("id" = String, Path), EditHeader), request_body = ContinueRun, responses(
    (status = 200, body = RunView),
    (status = 403, description = "The request lacks the edit token of the run, or comes from another site", body = Problem,
     content_type = "application/problem+json"),
    (status = 422, description = "The run is not over, or has nothing left to search", body = Problem,
     content_type = "application/problem+json"),
))]
pub async fn extend(
    State(app): State<App>,
    rights: Rights,
    Names(id): Names<String>,
    Body(body): Body<ContinueRun>,
) -> Result<Response, ApiError> {
    rights.edit_search(&app, SearchKind::Run, &id, "run").await?;
    let jobs = app.jobs.clone();
    let view = app.compute_now(move || jobs.extend(&id, body.budget)).await?;
    fresh(view, || ApiError::no_search("run"))
}

/// Response 201 with the path of what was created.
pub(super) fn created(location: String, view: impl Serialize) -> Response {
    (StatusCode::CREATED, [(header::LOCATION, location)], Json(view)).into_response()
}

/// Response that is not cached, or 404 without a view.
pub(super) fn fresh(
    view: Option<impl Serialize>,
    missing: impl FnOnce() -> ApiError,
) -> Result<Response, ApiError> {
    let view = view.ok_or_else(missing)?;
    Ok(([(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))], Json(view)).into_response())
}

/// Text table of the best wiring so far. The wiring fits the hardware and may leave pairs uncovered.
#[utoipa::path(get, path = "/api/runs/{id}/table", tag = "runs", params(("id" = String, Path)), responses(
    (status = 200, description = "Lines of `switch: pe pe pe`", body = String, content_type = "text/plain"),
))]
pub async fn table(State(app): State<App>, Names(id): Names<String>) -> Result<Response, ApiError> {
    let jobs = app.jobs.clone();
    let table = app.compute_now(move || jobs.table(&id)).await?;
    let table = table.ok_or_else(|| ApiError::no_search("run"))?;
    let table = table.ok_or_else(|| ApiError::not_found("wiring of this run yet"))?;
    let headers = [(header::CONTENT_TYPE, "text/plain; charset=utf-8"), (header::CACHE_CONTROL, "no-store")];
    Ok((headers, table.to_string()).into_response())
}

/// Wirings that the run found on its way, at most 61 in the order of time. The last one is the best wiring so far. A run that was
/// solved by a construction has only that one, and so has one with more than 50,000 cables.
#[utoipa::path(get, path = "/api/runs/{id}/replay", tag = "runs", params(("id" = String, Path)), responses(
    (status = 200, body = ReplayView),
))]
pub async fn replay(State(app): State<App>, Names(id): Names<String>) -> Result<Response, ApiError> {
    let jobs = app.jobs.clone();
    let replay = app.compute_now(move || jobs.replay(&id)).await?;
    fresh(replay, || ApiError::no_search("run"))
}
