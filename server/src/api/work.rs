//! Work of every kind.

use super::{
    ApiError, App, events,
    extract::{Body, Names},
    rights::{EditHeader, Rights},
};
use crate::{
    edit::TokenHash,
    prepare::{TextError, check_new},
    store::new_id,
    tasks::Lane,
    work::{self, Detail, Live},
};
use axum::{
    Json,
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Redirect, Response},
};
use serde::Serialize;
use serde_json::{Value, value::RawValue};
use shared::api::{ContinueWork, EditLink, PartView, Problem, ReplayView, StartWork, WorkState, WorkView};
use std::{sync::Arc, time::Duration};
use tokio::time::timeout;

/// Max time that a request waits for the end of its work.
const MAX_WAIT: Duration = Duration::from_secs(20);
/// Header with the time that a request waits (RFC 7240).
const PREFER: HeaderName = HeaderName::from_static("prefer");

/// Stops a computation that nobody waits for any more.
struct StopOnDrop(Option<Arc<Live>>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.iter().for_each(|live| live.cancel());
    }
}

/// Starts work. It continues even if no client is connected.
///
/// With the header `Prefer: wait=S`, the response waits up to S seconds, at most 20, for the end. A comparison, estimate, placement or
/// analysis that ends by then is not kept, and it stops if the client disconnects.
#[utoipa::path(post, path = "/api/work", tag = "work", params(
    EditHeader,
    ("prefer" = Option<String>, Header, description = "`wait=S`: the response waits up to S seconds for the end"),
), request_body = StartWork, responses(
    (status = 200, description = "The work has ended", body = WorkView<Value>),
    (status = 201, description = "The work is queued or running", body = WorkView<Value>,
     headers(("Location" = String, description = "Path of the work"),
     ("x-crosspoint-edit" = String, description = "A fresh edit token, if the request had none"))),
    (status = 422, description = "The request has errors, its hardware provably cannot serve the demand, or it needs too much memory or time",
     body = Problem, content_type = "application/problem+json"),
    (status = 429, description = "The client's share of the queue is used up", body = Problem,
     content_type = "application/problem+json"),
    (status = 503, description = "The queue is full", body = Problem, content_type = "application/problem+json"),
))]
pub async fn start(
    State(app): State<App>,
    rights: Rights,
    headers: HeaderMap,
    Body(body): Body<StartWork>,
) -> Result<Response, ApiError> {
    let (works, client, starter) = (app.works.clone(), App::client(), rights.start()?);
    let (wait, body) = (wait(&headers)?, body.without_blanks());
    let (edit, owner) = (starter.hash, app.store.pseudonym(&client));
    let is_kept = work::kind(body.kind).lane() != work::Lane::Task;
    let texts = body.spec.iter().chain(&body.table).chain(body.files.values()).chain(body.form.0.values());
    let (store, bytes) = (app.store.clone(), texts.map(String::len).sum());
    let quota = app.quota(bytes);
    let admit = move || {
        if is_kept {
            check_kept(&body)?;
            quota(&store)?;
        }
        Ok::<_, ApiError>(works.start(&owner, edit, body)?)
    };
    if is_kept {
        let live = app.compute_now(admit).await?;
        let is_over = !wait.is_zero() && timeout(wait, live.over()).await.is_ok();
        if let Some(error) = live.take_error().filter(|_| is_over) {
            return Err(error);
        }
        let view = app.block(move || Ok::<_, ApiError>(live.view(Detail::Full))).await?;
        return Ok(starter.answer(started(&view, is_over)));
    }
    let waiting = app.tasks.admit(App::caller(), Lane::Ordinary)?;
    let live = admit()?;
    let mut guard = StopOnDrop(Some(live.clone()));
    if wait.is_zero() {
        keep(&app, &live, bytes).await?;
    }
    app.works.compute(&app.tasks, waiting, live.clone());
    let is_over = !wait.is_zero() && timeout(wait, live.over()).await.is_ok();
    if !is_over && !wait.is_zero() {
        keep(&app, &live, bytes).await?;
    }
    guard.0 = None;
    match live.take_error().filter(|_| is_over) {
        Some(error) => Err(error),
        None => Ok(starter.answer(started(&live.view(Detail::Full), is_over))),
    }
}

/// Keeps a computation that goes on.
async fn keep(app: &App, live: &Arc<Live>, bytes: usize) -> Result<(), ApiError> {
    let (works, live, quota, store) = (app.works.clone(), live.clone(), app.quota(bytes), app.store.clone());
    app.compute_now(move || {
        check_kept(&live.asked)?;
        quota(&store)?;
        Ok::<_, ApiError>(works.keep(&live)?)
    })
    .await
}

/// Checks that a request to keep has no hidden characters in its spec.
fn check_kept(asked: &StartWork) -> Result<(), TextError> {
    asked.spec.as_deref().map_or(Ok(()), check_new).map_err(TextError::Spec)
}

/// Time that a request waits for the end of its work.
fn wait(headers: &HeaderMap) -> Result<Duration, ApiError> {
    let Some(prefer) = headers.get(PREFER).and_then(|value| value.to_str().ok()) else {
        return Ok(Duration::ZERO);
    };
    let mut preferences = prefer.split([',', ';']).map(str::trim);
    let Some(seconds) = preferences.find_map(|preference| preference.strip_prefix("wait=")) else {
        return Ok(Duration::ZERO);
    };
    let whole = seconds.parse().map(Duration::from_secs).ok().filter(|wait| *wait <= MAX_WAIT);
    let expected = format!("wait=S with whole seconds up to {}", MAX_WAIT.as_secs());
    whole.ok_or_else(|| ApiError::Field(shared::spec::Fault::new("prefer", prefer, expected)))
}

/// Response 200 with work that has ended, 201 with its path otherwise.
fn started(view: &WorkView<Box<RawValue>>, is_over: bool) -> Response {
    match is_over {
        true => Json(view).into_response(),
        false => created(format!("/api/work/{}", view.id), view),
    }
}

/// Work with its report so far.
#[utoipa::path(get, path = "/api/work/{id}", tag = "work", params(("id" = String, Path)), responses(
    (status = 200, body = WorkView<Value>),
    (status = 503, description = "The studio is shutting down; after a restart it shows whether the work resumes", body = Problem,
     content_type = "application/problem+json"),
))]
pub async fn get(State(app): State<App>, Names(id): Names<String>) -> Result<Response, ApiError> {
    let works = app.works.clone();
    let view = app.block(move || works.view(&id)).await?;
    // Interrupted work may resume with the next start, so the state is not final.
    if view.as_ref().is_some_and(|view| view.state == WorkState::Interrupted) && app.works.is_shutting_down()
    {
        return Err(ApiError::Busy(
            "The studio is shutting down. After a restart it shows whether this work resumes.".into(),
        ));
    }
    fresh(view, ApiError::no_work)
}

/// Redirects from the path of a search or hardware search of an earlier version.
pub async fn moved(Names(id): Names<String>) -> Result<Redirect, ApiError> {
    // Other letters do not belong in a header.
    let is_id = id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_id { Ok(Redirect::permanent(&format!("/api/work/{id}"))) } else { Err(ApiError::no_work()) }
}

/// Events of work: `work` with the complete work at the start and after each change of state. In between, `progress` with the latest
/// change, and `watchers` with the number of open streams. The stream ends with the work.
#[utoipa::path(get, path = "/api/work/{id}/events", tag = "work", params(("id" = String, Path)), responses(
    (status = 200, description = "Events `work` (WorkView), `progress` (WorkChange) and `watchers` (WatchersView), each with its data as JSON",
     body = String, content_type = "text/event-stream"),
))]
pub async fn follow(State(app): State<App>, Names(id): Names<String>) -> Result<Response, ApiError> {
    if let Some(live) = app.works.find(&id) {
        return events::follow_work(&app, &live);
    }
    let works = app.works.clone();
    let view = app.block(move || works.view(&id)).await?;
    events::last("work", &view.ok_or_else(ApiError::no_work)?)
}

/// Stops work. Ended work stays unchanged. Running work ends shortly after, and its events report the end.
#[utoipa::path(post, path = "/api/work/{id}/stop", tag = "work", params(("id" = String, Path), EditHeader), responses(
    (status = 200, body = WorkView<Value>),
    (status = 403, description = "The request lacks the edit token of the work, or comes from another site", body = Problem,
     content_type = "application/problem+json"),
))]
pub async fn stop(
    State(app): State<App>,
    rights: Rights,
    Names(id): Names<String>,
) -> Result<Response, ApiError> {
    rights.edit_work(&app, &id).await?;
    let works = app.works.clone();
    fresh(app.block(move || works.stop(&id)).await?, ApiError::no_work)
}

/// Continues a search that was stopped or reached its limit: the same search, with more time or effort than it has used.
#[utoipa::path(post, path = "/api/work/{id}/continue", tag = "work", params(("id" = String, Path), EditHeader), request_body = ContinueWork, responses(
    (status = 200, body = WorkView<Value>),
    (status = 403, description = "The request lacks the edit token of the work, or comes from another site", body = Problem,
     content_type = "application/problem+json"),
    (status = 422, description = "The search is not over, or has nothing left to search", body = Problem,
     content_type = "application/problem+json"),
))]
pub async fn extend(
    State(app): State<App>,
    rights: Rights,
    Names(id): Names<String>,
    Body(body): Body<ContinueWork>,
) -> Result<Response, ApiError> {
    rights.edit_work(&app, &id).await?;
    let (works, of) = (app.works.clone(), id.clone());
    let live = app.compute_now(move || works.extend(&of, &body)).await?;
    app.forget_picture(&id);
    fresh(live.map(|live| live.view(Detail::Full)), ApiError::no_work)
}

/// Creates the secret of an edit link. It gives the right to stop and continue this work only. An earlier edit link of the work becomes
/// invalid.
#[utoipa::path(post, path = "/api/work/{id}/edit-link", tag = "work", params(("id" = String, Path), EditHeader), responses(
    (status = 201, body = EditLink),
    (status = 403, description = "The request lacks the edit token of the work", body = Problem,
     content_type = "application/problem+json"),
))]
pub async fn edit_link(
    State(app): State<App>,
    rights: Rights,
    Names(id): Names<String>,
) -> Result<Response, ApiError> {
    let of = id.clone();
    let found = app.stored(move |store| Ok(store.edit_token(&of)?.zip(store.work(&of)?))).await?;
    let (token, record) = found.ok_or_else(ApiError::no_work)?;
    let kind = record.view.asked.kind;
    rights.edit(kind.noun(), token)?;
    let edit = new_id()?;
    let hash = TokenHash::of(&edit);
    let of = id.clone();
    app.saved(0, move |store| store.set_edit_link(&of, hash)).await?;
    Ok(created(kind.page(&id), EditLink { edit }))
}

/// Text table of the best wiring of a search so far. The wiring fits the hardware and can leave pairs uncovered.
#[utoipa::path(get, path = "/api/work/{id}/table", tag = "work", params(("id" = String, Path)), responses(
    (status = 200, description = "Lines of `switch: node node node`", body = String, content_type = "text/plain"),
))]
pub async fn table(State(app): State<App>, Names(id): Names<String>) -> Result<Response, ApiError> {
    let works = app.works.clone();
    let table = app.compute_now(move || works.table(&id)).await?;
    let table = table.ok_or_else(|| ApiError::not_found("wiring of this search yet"))?;
    let headers = [(header::CONTENT_TYPE, "text/plain; charset=utf-8"), (header::CACHE_CONTROL, "no-store")];
    Ok((headers, table.to_string()).into_response())
}

/// Wirings that a search found on its way, at most 61 in the order of time. The last one is the best wiring so far. There is
/// only one if a construction solved the search, or if the wiring has more than 50,000 cables.
#[utoipa::path(get, path = "/api/work/{id}/replay", tag = "work", params(("id" = String, Path)), responses(
    (status = 200, body = ReplayView),
))]
pub async fn replay(State(app): State<App>, Names(id): Names<String>) -> Result<Response, ApiError> {
    let works = app.works.clone();
    Ok(fresh_view(app.compute_now(move || works.replay(&id)).await?))
}

/// The spec and the best wiring of a cell of a hardware search. Cells are numbered from 0, row by row: fewest NICs first, and in a row
/// widest switches first. The wiring of an unsolved cell leaves pairs uncovered. With the goal `time`, the number is the number of an
/// offer of the kind `design`.
#[utoipa::path(get, path = "/api/work/{id}/parts/{number}", tag = "work",
    params(("id" = String, Path), ("number" = usize, Path)), responses(
    (status = 200, body = PartView),
))]
pub async fn part(
    State(app): State<App>,
    Names((id, number)): Names<(String, usize)>,
) -> Result<Response, ApiError> {
    let works = app.works.clone();
    Ok(fresh_view(app.compute_now(move || works.part(&id, number)).await?))
}

/// Response 201 with the path of what was created.
pub(super) fn created(location: String, view: impl Serialize) -> Response {
    (StatusCode::CREATED, [(header::LOCATION, location)], Json(view)).into_response()
}

/// Response that is not cached, or an error without a view.
pub(super) fn fresh(
    view: Option<impl Serialize>,
    missing: impl FnOnce() -> ApiError,
) -> Result<Response, ApiError> {
    view.map(fresh_view).ok_or_else(missing)
}

/// Response that is not cached.
fn fresh_view(view: impl Serialize) -> Response {
    ([(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))], Json(view)).into_response()
}
