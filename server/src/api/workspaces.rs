//! Workspaces: lists of designs and runs under a link that colleagues open.

use super::{
    ApiError, App,
    designs::card_of,
    error::{limited, no_item},
    extract::{Body, Names},
    rights::{EditHeader, Rights},
    work::{created, fresh},
};
use crate::{edit::TokenHash, store::Addition};
use axum::{extract::State, http::StatusCode, response::Response};
use shared::{
    api::{
        AddItem, EDIT_HEADER, MAX_WORKSPACE_ITEMS, MAX_WORKSPACE_NAME, Problem, RemoveItem, StartWorkspace,
        WorkspaceView,
    },
    form::Layout,
    spec::Fault,
    text::grouped,
};

fn no_workspace() -> ApiError {
    ApiError::not_found("workspace with this id")
}

/// Creates a workspace. The request's edit token becomes the workspace's edit token. Use a separate token: everybody with the edit link
/// can read it.
#[utoipa::path(post, path = "/api/workspaces", tag = "workspaces", params(EditHeader), request_body = StartWorkspace, responses(
    (status = 201, body = WorkspaceView, headers(("Location" = String, description = "Path of the workspace"),
     ("x-crosspoint-edit" = String, description = "A fresh edit token, if the request had none"))),
))]
pub async fn start(
    State(app): State<App>,
    rights: Rights,
    Body(body): Body<StartWorkspace>,
) -> Result<Response, ApiError> {
    let name = name_in(&body)?;
    let starter = rights.start()?;
    let edit = starter.hash;
    let view =
        app.saved(name.len(), move |store| store.workspace(&store.add_workspace(&name, edit)?, true)).await?;
    let view = view.ok_or_else(no_workspace)?;
    Ok(starter.answer(created(format!("/api/workspaces/{}", view.id), view)))
}

/// A workspace with its designs and work.
#[utoipa::path(get, path = "/api/workspaces/{id}", tag = "workspaces", params(("id" = String, Path), EditHeader), responses(
    (status = 200, body = WorkspaceView),
))]
pub async fn get(
    State(app): State<App>,
    rights: Rights,
    Names(id): Names<String>,
) -> Result<Response, ApiError> {
    let given = rights.given();
    let work = move |store: &crate::store::Store| {
        let token = store.workspace_token(&id)?;
        store.workspace(&id, token.is_some() && token == given)
    };
    fresh(app.stored(work).await?, no_workspace)
}

/// Renames a workspace.
#[utoipa::path(post, path = "/api/workspaces/{id}/name", tag = "workspaces", params(("id" = String, Path), EditHeader),
    request_body = StartWorkspace, responses(
    (status = 204, description = "It has the new name"),
    (status = 403, description = "The request lacks the workspace's edit secret", body = Problem,
     content_type = "application/problem+json"),
))]
pub async fn rename(
    State(app): State<App>,
    rights: Rights,
    Names(id): Names<String>,
    Body(body): Body<StartWorkspace>,
) -> Result<StatusCode, ApiError> {
    edit(&app, &rights, &id).await?;
    let name = name_in(&body)?;
    app.saved(name.len(), move |store| store.rename_workspace(&id, &name)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Deletes a workspace. Its designs and work stay.
#[utoipa::path(post, path = "/api/workspaces/{id}/delete", tag = "workspaces", params(("id" = String, Path), EditHeader), responses(
    (status = 204, description = "It is deleted"),
    (status = 403, description = "The request lacks the workspace's edit secret", body = Problem,
     content_type = "application/problem+json"),
))]
pub async fn delete(
    State(app): State<App>,
    rights: Rights,
    Names(id): Names<String>,
) -> Result<StatusCode, ApiError> {
    edit(&app, &rights, &id).await?;
    app.stored(move |store| store.delete_workspace(&id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Adds a design or work to a workspace. If the body has the item's edit token, editors of the workspace can change the item's note and
/// delete it.
#[utoipa::path(post, path = "/api/workspaces/{id}/items", tag = "workspaces", params(("id" = String, Path), EditHeader),
    request_body = AddItem, responses(
    (status = 204, description = "It is in the workspace"),
    (status = 403, description = "The request lacks the workspace's edit secret", body = Problem,
     content_type = "application/problem+json"),
))]
pub async fn add(
    State(app): State<App>,
    rights: Rights,
    Names(id): Names<String>,
    Body(body): Body<AddItem>,
) -> Result<StatusCode, ApiError> {
    edit(&app, &rights, &id).await?;
    let item = body.item;
    let of = item.clone();
    let (token, is_design, has_card) = app
        .stored(move |store| Ok((store.item_token(&of)?, store.design(&of)?, store.card(&of)?.is_some())))
        .await?;
    let token = token.ok_or_else(no_item)?;
    if let Some(design) = is_design.filter(|_| !has_card) {
        // A design of an earlier version.
        let store = app.store.clone();
        app.compute_now(move || {
            let card = card_of(&design.spec, &design.table)?;
            Ok::<_, ApiError>(store.add_card(&design.id, None, &card)?)
        })
        .await?;
    }
    let shared = token.is_some_and(|hash| hash == TokenHash::of(&body.edit));
    match app.saved(0, move |store| store.add_item(&id, &item, shared)).await? {
        Addition::Done => Ok(StatusCode::NO_CONTENT),
        Addition::Full => Err(ApiError::Conflict(format!(
            "A workspace holds up to {} designs and runs. Remove some first.",
            grouped(MAX_WORKSPACE_ITEMS as u64)
        ))),
    }
}

/// Removes a design or work from a workspace. The design or work itself stays.
#[utoipa::path(post, path = "/api/workspaces/{id}/remove", tag = "workspaces", params(("id" = String, Path), EditHeader),
    request_body = RemoveItem, responses(
    (status = 204, description = "It is no longer in the workspace"),
    (status = 403, description = "The request lacks the workspace's edit secret", body = Problem,
     content_type = "application/problem+json"),
))]
pub async fn remove(
    State(app): State<App>,
    rights: Rights,
    Names(id): Names<String>,
    Body(body): Body<RemoveItem>,
) -> Result<StatusCode, ApiError> {
    edit(&app, &rights, &id).await?;
    app.stored(move |store| store.remove_item(&id, &body.item)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The name in a request, without blanks around it.
fn name_in(body: &StartWorkspace) -> Result<String, ApiError> {
    let name = body.name.trim();
    limited("name", name, MAX_WORKSPACE_NAME, Layout::Line)?;
    if name.is_empty() {
        return Err(Fault::new("name", "nothing", "a name").into());
    }
    Ok(name.to_owned())
}

/// Checks the right to change a workspace.
async fn edit(app: &App, rights: &Rights, id: &str) -> Result<(), ApiError> {
    let of = id.to_owned();
    let token = app.stored(move |store| store.workspace_token(&of)).await?.ok_or_else(no_workspace)?;
    if rights.given() == Some(token) || rights.is_admin() {
        return Ok(());
    }
    Err(ApiError::Edit(format!(
        "Only the edit link of this workspace can change it. Clients send its edit token as the header {EDIT_HEADER}."
    )))
}
