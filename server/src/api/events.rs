//! Runs and boards as they go, as server-sent events.
//!
//! Whoever comes late is told how the run stands and then what changes, so that nobody needs to know what they missed.

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
    api::{BoardView, Problem, RunView},
    simulation::{SimulationState, SimulationView},
};
use std::{convert::Infallible, sync::Arc, time::Duration};
use tokio::sync::{mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;

/// Least time between two events of a run: faster than this nobody can see.
const PACE: Duration = Duration::from_millis(50);
/// The same of a board, which is larger.
const BOARD_PACE: Duration = Duration::from_millis(200);
/// Most bytes that one watcher is sent in a second, by larger pauses after larger events.
const BYTES_A_SECOND: f64 = 2e6;
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
        tokio::spawn(follow_live(live, sender));
    } else {
        let jobs = app.jobs.clone();
        last("run", app.block(move || jobs.view(&id)).await?, &sender)?;
    }
    Ok(stream(receiver))
}

/// Events `board` with the whole board at the start and whenever it changes, the last one when it is over. The stream then
/// ends.
#[utoipa::path(get, path = "/api/boards/{id}/events", tag = "boards", params(("id" = String, Path)), responses(
    (status = 200, description = "Events `board`", body = BoardView, content_type = "text/event-stream"),
    (status = 404, description = "No such board", body = Problem, content_type = "application/problem+json"),
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

/// Events `simulation` with all points so far, at the start and whenever there is another one; the last one when it is over.
/// The stream then ends.
#[utoipa::path(get, path = "/api/simulations/{id}/events", tag = "simulations", params(("id" = String, Path)), responses(
    (status = 200, description = "Events `simulation`", body = SimulationView, content_type = "text/event-stream"),
    (status = 404, description = "No such simulation", body = Problem, content_type = "application/problem+json"),
))]
pub async fn follow_simulation(
    State(app): State<App>,
    Names(id): Names<String>,
) -> Result<Response, ApiError> {
    let (sender, receiver) = mpsc::channel(16);
    let live = app.simulations.get(&id).ok_or_else(|| ApiError::not_found("such simulation"))?;
    let changes = live.watch();
    let next = move || {
        let view = live.view(false);
        (event("simulation", &view), view.state != SimulationState::Running)
    };
    tokio::spawn(relay(changes, PACE, sender, next));
    Ok(stream(receiver))
}

/// Of what is over already, how it ended.
fn last(name: &str, view: Option<impl Serialize>, sender: &Sender) -> Result<(), ApiError> {
    let view = view.ok_or_else(|| ApiError::not_found(format!("such {name}")))?;
    // The channel has room for it.
    let _ = sender.try_send(Ok(event(name, &view).0));
    Ok(())
}

fn stream(receiver: mpsc::Receiver<Result<Event, Infallible>>) -> Response {
    let stream = Sse::new(ReceiverStream::new(receiver)).keep_alive(KeepAlive::new().interval(ALIVE));
    let headers = [
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        // Proxies that collect a response before they pass it on would stop the stream.
        (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")),
    ];
    (headers, stream).into_response()
}

type Sender = mpsc::Sender<Result<Event, Infallible>>;

/// Tells one watcher of a run, until the run is over or the watcher has gone.
async fn follow_live(live: Arc<LiveRun>, sender: Sender) {
    let changes = live.watch();
    let mut state = None;
    let next = move || {
        let status = live.status();
        if state == Some(status.state) {
            return (event("progress", &status.progress), false);
        }
        let view = live.view();
        state = Some(view.state);
        (event("run", &view), view.state.is_over())
    };
    relay(changes, PACE, sender, next).await;
}

/// Sends what `next` tells at first and after each change, until it says that this was the last or the watcher has gone.
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
        tokio::time::sleep(pace.max(Duration::from_secs_f64(bytes as f64 / BYTES_A_SECOND))).await;
        let changed = tokio::select! {
            () = sender.closed() => return,
            changed = changes.changed() => changed,
        };
        if changed.is_err() {
            return;
        }
    }
}

/// An event, and its bytes.
fn event(name: &str, data: &impl Serialize) -> (Event, usize) {
    // Numbers that JSON lacks become null, which our types never hold; so this cannot fail.
    let data = serde_json::to_string(data).unwrap_or_default();
    (Event::default().event(name).data(&data), data.len())
}
