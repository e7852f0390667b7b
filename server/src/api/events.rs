//! A run as it goes, as server-sent events.
//!
//! Whoever comes late is told how the run stands and then what changes, so that nobody needs to know what they missed.

use super::{ApiError, App, extract::Names};
use crate::jobs::Live;
use axum::{
    extract::State,
    http::{HeaderName, HeaderValue, header},
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use serde::Serialize;
use shared::api::{Problem, RunView};
use std::{convert::Infallible, sync::Arc, time::Duration};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

/// Least time between two events: faster than this nobody can see.
const PACE: Duration = Duration::from_millis(50);
/// How often a silent stream says that it is alive.
const ALIVE: Duration = Duration::from_secs(10);

/// Events `run` with the whole run at the start and whenever its state changes, the last one when it is over; between
/// them events `progress`. The stream then ends.
#[utoipa::path(get, path = "/api/runs/{id}/events", tag = "runs", params(("id" = String, Path)), responses(
    (status = 200, description = "Events `run` (RunView) and `progress` (Progress)", body = RunView,
     content_type = "text/event-stream"),
    (status = 404, description = "No such run", body = Problem, content_type = "application/problem+json"),
))]
pub async fn follow(State(app): State<App>, Names(id): Names<String>) -> Result<Response, ApiError> {
    let (sender, receiver) = mpsc::channel(16);
    if let Some(live) = app.jobs.live(&id) {
        tokio::spawn(tell(live, sender));
    } else {
        let jobs = app.jobs.clone();
        let view = app.block(move || jobs.view(&id)).await?;
        let view = view.ok_or_else(|| ApiError::not_found("such run"))?;
        // The channel has room for it.
        let _ = sender.try_send(Ok(event("run", &view)));
    }
    let stream = Sse::new(ReceiverStream::new(receiver)).keep_alive(KeepAlive::new().interval(ALIVE));
    let headers = [
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        // Proxies that collect a response before they pass it on would stop the stream.
        (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")),
    ];
    Ok((headers, stream).into_response())
}

type Sender = mpsc::Sender<Result<Event, Infallible>>;

/// Tells one watcher, until the run is over or the watcher has gone.
async fn tell(live: Arc<Live>, sender: Sender) {
    let mut changes = live.watch();
    changes.mark_unchanged();
    let view = live.view();
    let mut state = view.state;
    if sender.send(Ok(event("run", &view))).await.is_err() {
        return;
    }
    while !state.is_over() {
        let changed = tokio::select! {
            () = sender.closed() => return,
            changed = changes.changed() => changed,
        };
        if changed.is_err() {
            return;
        }
        let standing = changes.borrow_and_update().clone();
        let event = if standing.state == state {
            event("progress", &standing.progress)
        } else {
            let view = live.view();
            state = view.state;
            event("run", &view)
        };
        if sender.send(Ok(event)).await.is_err() {
            return;
        }
        tokio::time::sleep(PACE).await;
    }
}

fn event(name: &str, data: &impl Serialize) -> Event {
    // Numbers that JSON lacks become null, which our types never hold; so this cannot fail.
    Event::default().event(name).json_data(data).unwrap_or_default()
}
