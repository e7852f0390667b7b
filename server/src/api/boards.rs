//! Searches over hardware: started, looked at, stopped, their cells opened.

use super::{
    ApiError, App,
    extract::{Body, Names},
    runs::{created, fresh, last_word},
};
use axum::{extract::State, response::Response};
use shared::api::{BoardDesign, BoardView, Problem, StartBoard};

/// Starts a search over hardware, which goes on whether anybody watches or not.
#[utoipa::path(post, path = "/api/boards", tag = "boards", request_body = StartBoard, responses(
    (status = 201, body = BoardView, headers(("Location" = String, description = "Where the board is"))),
    (status = 422, description = "The spec has faults, or what is asked is beyond a limit", body = Problem,
     content_type = "application/problem+json"),
    (status = 503, description = "Too many searches wait", body = Problem, content_type = "application/problem+json"),
))]
pub async fn start(State(app): State<App>, Body(body): Body<StartBoard>) -> Result<Response, ApiError> {
    let jobs = app.jobs.clone();
    let view = app.compute(move || jobs.start_board(&body)).await?;
    Ok(created(format!("/api/boards/{}", view.id), view))
}

/// How a board stands.
#[utoipa::path(get, path = "/api/boards/{id}", tag = "boards", params(("id" = String, Path)), responses(
    (status = 200, body = BoardView),
    (status = 404, description = "No such board", body = Problem, content_type = "application/problem+json"),
    (status = 503, description = "The studio is being stopped; the next one knows whether the search goes on", body = Problem,
     content_type = "application/problem+json"),
))]
pub async fn get(State(app): State<App>, Names(id): Names<String>) -> Result<Response, ApiError> {
    let jobs = app.jobs.clone();
    let view = app.block(move || jobs.board(&id)).await?;
    last_word(&app, view.as_ref().map(|view| view.state))?;
    fresh(view, "such board")
}

/// Stops a board; one that is over stays as it is. A board that is searched ends a little later, as its events tell.
#[utoipa::path(post, path = "/api/boards/{id}/stop", tag = "boards", params(("id" = String, Path)), responses(
    (status = 200, body = BoardView),
    (status = 404, description = "No such board", body = Problem, content_type = "application/problem+json"),
))]
pub async fn stop(State(app): State<App>, Names(id): Names<String>) -> Result<Response, ApiError> {
    let jobs = app.jobs.clone();
    fresh(app.block(move || jobs.stop_board(&id)).await?, "such board")
}

/// The best wiring of a cell, with the spec that it is for. Cells are counted from 0, row by row, fewest NIs first, in each
/// the widest switch first. The wiring fits the hardware; of a cell that is not solved it leaves pairs uncovered.
#[utoipa::path(get, path = "/api/boards/{id}/cells/{cell}", tag = "boards",
    params(("id" = String, Path), ("cell" = usize, Path)), responses(
    (status = 200, body = BoardDesign),
    (status = 404, description = "No such board or cell, or no wiring yet", body = Problem,
     content_type = "application/problem+json"),
))]
pub async fn cell(
    State(app): State<App>,
    Names((id, cell)): Names<(String, usize)>,
) -> Result<Response, ApiError> {
    let jobs = app.jobs.clone();
    let of = id.clone();
    let board =
        app.block(move || jobs.board(&of)).await?.ok_or_else(|| ApiError::not_found("such board"))?.board;
    if cell >= board.cells.len() {
        let last = board.cells.len().saturating_sub(1);
        let detail = format!("this board has no cell {cell}: its cells are 0 to {last}");
        return Err(ApiError::NotFound(detail));
    }
    let jobs = app.jobs.clone();
    let design = app.compute(move || jobs.board_cell(&id, cell)).await?;
    let design = design.ok_or_else(|| ApiError::not_found("such board"))?;
    let design = design.ok_or_else(|| ApiError::NotFound("this cell has no wiring yet".into()))?;
    fresh(Some(design), "wiring of this cell")
}
