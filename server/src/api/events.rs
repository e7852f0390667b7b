//! Progress of runs, boards and simulations as server-sent events.
//!
//! Each stream starts with the complete state, so that a client needs no earlier events.

use super::{ApiError, App, extract::Names};
use crate::jobs::runs::LiveRun;
use axum::{
    extract::State,
    http::{HeaderName, HeaderValue, header},
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use serde::Serialize;
use shared::{
    api::{BoardView, RunView},
    simulation::{SimulationState, SimulationView},
};
use std::{convert::Infallible, sync::Arc, time::Duration};
use tokio::sync::{mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;

/// Min time between two events of a run or simulation.
const PACE: Duration = Duration::from_millis(50);
/// Min time between two events of a board, which are larger.
const BOARD_PACE: Duration = Duration::from_millis(200);
/// Max bytes per second and watcher; larger events are followed by longer pauses.
const MAX_BYTES_PER_SECOND: f64 = 2e6;
/// Interval of keep-alive messages.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

/// Events of a run: `run` with the complete run at the start and after each change of state, `progress` in between. The stream
/// ends with the run.
#[utoipa::path(get, path = "/api/runs/{id}/events", tag = "runs", params(("id" = String, Path)), responses(
    (status = 200, description = "Events `run` (RunView) and `progress` (Progress)", body = RunView,
     content_type = "text/event-stream"),
))]
pub async fn follow(State(app): State<App>, Names(id): Names<String>) -> Result<Response, ApiError> {
    let (sender, receiver) = mpsc::channel(16);
    if let Some(live) = app.jobs.live(&id) {
        tokio::spawn(follow_live(live, sender));
    } else {
        let jobs = app.jobs.clone();
        last("run", app.block(move || jobs.view(&id)).await?, &sender)?;
    }
    Ok(stream(receiver))
}

/// Events of a hardware search: `board` with all results at the start and after each change. The stream ends with the search.
#[utoipa::path(get, path = "/api/boards/{id}/events", tag = "boards", params(("id" = String, Path)), responses(
    (status = 200, description = "Events `board`", body = BoardView, content_type = "text/event-stream"),
))]
pub async fn follow_board(State(app): State<App>, Names(id): Names<String>) -> Result<Response, ApiError> {
    let (sender, receiver) = mpsc::channel(16);
    if let Some(live) = app.jobs.live_board(&id) {
        let changes = live.watch();
        let next = move || {
            let view = live.view();
            (event("board", &view), view.state.is_over())
        };
        tokio::spawn(relay(changes, BOARD_PACE, sender, next));
    } else {
        let jobs = app.jobs.clone();
        last("board", app.block(move || jobs.board(&id)).await?, &sender)?;
    }
    Ok(stream(receiver))
}

/// Events of a simulation: `simulation` with all points so far, at the start and after each change. The stream ends with the
/// simulation.
#[utoipa::path(get, path = "/api/simulations/{id}/events", tag = "simulations", params(("id" = String, Path)), responses(
    (status = 200, description = "Events `simulation`", body = SimulationView, content_type = "text/event-stream"),
))]
pub async fn follow_simulation(
    State(app): State<App>,
    Names(id): Names<String>,
) -> Result<Response, ApiError> {
    let (sender, receiver) = mpsc::channel(16);
    let live = app.simulations.get(&id).ok_or_else(|| ApiError::not_found("simulation with this id"))?;
    let changes = live.watch();
    let next = move || {
        let view = live.view(false);
        (event("simulation", &view), view.state != SimulationState::Running)
    };
    tokio::spawn(relay(changes, PACE, sender, next));
    Ok(stream(receiver))
}

/// Sends the only event of an ended search.
fn last(name: &str, view: Option<impl Serialize>, sender: &Sender) -> Result<(), ApiError> {
    let view = view.ok_or_else(|| ApiError::not_found(format!("{name} with this id")))?;
    // The channel is empty, so this does not fail.
    let _ = sender.try_send(Ok(event(name, &view).0));
    Ok(())
}

fn stream(receiver: mpsc::Receiver<Result<Event, Infallible>>) -> Response {
    let stream = Sse::new(ReceiverStream::new(receiver)).keep_alive(KeepAlive::new().interval(KEEP_ALIVE));
    let headers = [
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        // Asks proxies not to buffer the stream.
        (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")),
    ];
    (headers, stream).into_response()
}

type Sender = mpsc::Sender<Result<Event, Infallible>>;

/// Sends the events of a run until the run ends or the client leaves.
async fn follow_live(live: Arc<LiveRun>, sender: Sender) {
    let changes = live.watch();
    let mut state = None;
    let next = move || {
        let status = live.watch();
        if state == Some(status.borrow().state) {
            return (event("progress", &status.borrow().progress), false);
        }
        let view = live.view();
        state = Some(view.state);
        (event("run", &view), view.state.is_over())
    };
    relay(changes, PACE, sender, next).await;
}

/// Sends the event from `next` at once and after each change, until it is the last or the client leaves.
async fn relay<T: Send + Sync>(
    mut changes: watch::Receiver<T>,
    pace: Duration,
    sender: Sender,
    mut next: impl FnMut() -> ((Event, usize), bool) + Send,
) {
    loop {
        changes.mark_unchanged();
        let ((event, bytes), is_last) = next();
        if sender.send(Ok(event)).await.is_err() || is_last {
            return;
        }
        tokio::time::sleep(pace.max(Duration::from_secs_f64(bytes as f64 / MAX_BYTES_PER_SECOND))).await;
        let changed = tokio::select! {
            () = sender.closed() => return,
            changed = changes.changed() => changed,
        };
        if changed.is_err() {
            return;
        }
    }
}

/// An event and its size in bytes.
fn event(name: &str, data: &impl Serialize) -> (Event, usize) {
    // Serializing these types does not fail.
    let data = serde_json::to_string(data).unwrap_or_default();
    (Event::default().event(name).data(&data), data.len())
}
