//! The library: the designs and runs of a browser, their notes and deletion, and links that give the right to stop.

use super::{
    ApiError, App,
    error::{limited, no_item},
    extract::{Body, Names},
    rights::{EditHeader, Rights},
    work::fresh,
};
use crate::store::Deletion;
use axum::{extract::State, http::StatusCode, response::Response};
use shared::{
    api::{EDIT_HEADER, LibraryView, MAX_NOTE, Problem, SetNote},
    form::Layout,
};

/// Designs and work of the request's edit token, newest first.
#[utoipa::path(get, path = "/api/library", tag = "library", params(EditHeader), responses(
    (status = 200, body = LibraryView),
    (status = 403, description = "The request has no edit token", body = Problem, content_type = "application/problem+json"),
))]
pub async fn list(State(app): State<App>, rights: Rights) -> Result<Response, ApiError> {
    let why = format!("The library belongs to a browser. Send its edit token as the header {EDIT_HEADER}.");
    let token = rights.given().ok_or(ApiError::Edit(why))?;
    let view = app.stored(move |store| store.library(token)).await?;
    fresh(Some(view), || ApiError::not_found("library"))
}

/// Changes the note of a design or of work.
#[utoipa::path(post, path = "/api/library/{id}/note", tag = "library", params(("id" = String, Path), EditHeader),
    request_body = SetNote, responses(
    (status = 204, description = "The note is changed"),
    (status = 403, description = "The request may not change it", body = Problem, content_type = "application/problem+json"),
))]
pub async fn note(
    State(app): State<App>,
    rights: Rights,
    Names(id): Names<String>,
    Body(body): Body<SetNote>,
) -> Result<StatusCode, ApiError> {
    limited("note", &body.note, MAX_NOTE, Layout::Lines)?;
    rights.edit_item(&app, &id).await?;
    app.saved(body.note.len(), move |store| store.set_note(&id, &body.note)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Deletes a design, or work that has ended. This can't be undone. The link then says that it was deleted.
#[utoipa::path(post, path = "/api/library/{id}/delete", tag = "library", params(("id" = String, Path), EditHeader), responses(
    (status = 204, description = "It is deleted"),
    (status = 403, description = "The request may not delete it", body = Problem, content_type = "application/problem+json"),
    (status = 409, description = "The run has not ended", body = Problem, content_type = "application/problem+json"),
))]
pub async fn delete(
    State(app): State<App>,
    rights: Rights,
    Names(id): Names<String>,
) -> Result<StatusCode, ApiError> {
    rights.edit_item(&app, &id).await?;
    let of = id.clone();
    match app.stored(move |store| store.delete_item(&of)).await? {
        Deletion::Done => {}
        Deletion::Unfinished => {
            return Err(ApiError::Conflict("This run has not ended. Stop it first, then delete it.".into()));
        }
        Deletion::Missing => return Err(no_item()),
    }
    app.forget_picture(&id);
    Ok(StatusCode::NO_CONTENT)
}
