//! Hardware searches.

use super::{
    ApiError, App,
    extract::{Body, Names},
    rights::{EditHeader, Rights},
    runs::{created, final_state, fresh},
};
use crate::{
    prepare::{TextError, check_new},
    store::SearchKind,
};
use axum::{extract::State, response::Response};
use shared::api::{BoardDesign, BoardView, Problem, StartBoard};

/// The kind of search, in words.
const WHAT: &str = "hardware search";

fn no_board() -> ApiError {
    ApiError::no_search(WHAT)
}

/// Starts a hardware search. It continues even if no client is connected.
#[utoipa::path(post, path = "/api/boards", tag = "boards", params(EditHeader), request_body = StartBoard, responses(
    (status = 201, body = BoardView, headers(("Location" = String, description = "Path of the board"),
     ("x-crosspoint-edit" = String, description = "A fresh edit token, if the request had none"))),
    (status = 429, description = "The client has its share of the queue", body = Problem,
     content_type = "application/problem+json"),
    (status = 503, description = "The queue is full", body = Problem, content_type = "application/problem+json"),
))]
pub async fn start(
    State(app): State<App>,
    rights: Rights,
    Body(body): Body<StartBoard>,
) -> Result<Response, ApiError> {
    let (jobs, client, starter) = (app.jobs.clone(), App::client(), rights.start()?);
    let edit = starter.hash;
    let (store, quota) = (app.store.clone(), app.quota(body.spec.len()));
    let work = move || {
        check_new(&body.spec).map_err(TextError::Spec)?;
        quota(&store)?;
        Ok::<_, ApiError>(jobs.start_board(&client, edit, &body)?)
    };
    let view = app.compute_now(work).await?;
    Ok(starter.answer(created(format!("/api/boards/{}", view.id), view)))
}

/// A hardware search with its results so far.
#[utoipa::path(get, path = "/api/boards/{id}", tag = "boards", params(("id" = String, Path)), responses(
    (status = 200, body = BoardView),
    (status = 503, description = "The studio is shutting down; after a restart it shows whether the search resumes", body = Problem,
     content_type = "application/problem+json"),
))]
pub async fn get(State(app): State<App>, Names(id): Names<String>) -> Result<Response, ApiError> {
    let jobs = app.jobs.clone();
    let view = app.block(move || jobs.board(&id)).await?;
    final_state(&app, view.as_ref().map(|view| view.state))?;
    fresh(view, no_board)
}

/// Stops a hardware search. An ended one stays unchanged. A running one ends shortly after, and its events report the end.
#[utoipa::path(post, path = "/api/boards/{id}/stop", tag = "boards", params(("id" = String, Path), EditHeader), responses(
    (status = 200, body = BoardView),
    (status = 403, description = "The request lacks the edit token of the search, or comes from another site", body = Problem,
     content_type = "application/problem+json"),
))]
pub async fn stop(
    State(app): State<App>,
    rights: Rights,
    Names(id): Names<String>,
) -> Result<Response, ApiError> {
    rights.edit_search(&app, SearchKind::Board, &id, WHAT).await?;
    let jobs = app.jobs.clone();
    fresh(app.block(move || jobs.stop_board(&id)).await?, no_board)
}

/// The best wiring of a cell with its spec. Cells count from 0, row by row: fewest NICs first, within a row widest switches
/// first. The wiring fits the hardware. In an unsolved cell, it leaves pairs uncovered. With the goal `time`, the number is that of
/// an offer of the kind `design`.
#[utoipa::path(get, path = "/api/boards/{id}/cells/{cell}", tag = "boards",
    params(("id" = String, Path), ("cell" = usize, Path)), responses(
    (status = 200, body = BoardDesign),
))]
pub async fn cell(
    State(app): State<App>,
    Names((id, cell)): Names<(String, usize)>,
) -> Result<Response, ApiError> {
    let jobs = app.jobs.clone();
    let of = id.clone();
    let board = app.block(move || jobs.board(&of)).await?.ok_or_else(no_board)?.board;
    let (number, what) = match &board.networks {
        Some(networks) => (networks.offers.len(), "offer"),
        None => (board.cells.len(), "cell"),
    };
    if cell >= number {
        let last = number.saturating_sub(1);
        let detail = format!("This hardware search has no {what} {cell}. Its {what}s are 0 to {last}.");
        return Err(ApiError::NotFound(detail));
    }
    let jobs = app.jobs.clone();
    let design = app.compute_now(move || jobs.board_cell(&id, cell)).await?;
    let design = design.ok_or_else(no_board)?;
    let design = design.ok_or_else(|| ApiError::NotFound(format!("This {what} has no wiring.")))?;
    fresh(Some(design), no_board)
}
