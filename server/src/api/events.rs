//! Progress of work and cablings as server-sent events.
//!
//! Each stream starts with the complete state, so that a client needs no earlier events.

use super::{ApiError, App, designs, extract::Names};
use crate::{
    lock,
    tasks::{Owner, RETRY_AFTER, share},
    work::{self, Detail, Live},
};
use axum::{
    body::{Body, Bytes},
    extract::State,
    http::{HeaderName, HeaderValue, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use shared::{api::WatchersView, text::grouped};
use std::{
    collections::HashMap,
    convert::Infallible,
    sync::{Arc, Mutex, MutexGuard},
    time::{Duration, Instant},
};
use tokio::sync::{mpsc, watch};
use tokio_stream::{StreamExt, wrappers::ReceiverStream};

/// Min time between two events of a cabling.
const PACE: Duration = Duration::from_millis(50);
/// Max bytes per second and watcher; larger events are followed by longer pauses.
const MAX_BYTES_PER_SECOND: f64 = 2e6;
/// Interval of keep-alive messages.
const KEEP_ALIVE: Duration = Duration::from_secs(10);
/// Max age of an encoded complete state that a new watcher gets.
const MAX_AGE: Duration = Duration::from_secs(1);
/// Events that wait for a watcher. What it misses meanwhile is in the next event.
const MAX_WAITING: usize = 1;

/// Follows work until its end.
pub(super) fn follow_work(app: &App, live: &Arc<Live>) -> Result<Response, ApiError> {
    let (status, of, mut state) = (live.watch(), live.clone(), None);
    let next = move || {
        let now = status.borrow().state;
        let is_new = state.replace(now) != Some(now);
        let change = || event("progress", &of.change());
        JobChange { change: (!is_new).then(change), is_last: now.is_over() }
    };
    let (of, pace) = (live.clone(), work::kind(live.asked.kind).pace());
    let complete = move || event("work", &of.view(Detail::Start));
    app.streams.clone().follow(live.id.clone(), live.watch(), (pace, true), complete, next)
}

/// Events of a cabling: `ticks` with the latest changes, at the start and after each change.
#[utoipa::path(get, path = "/api/designs/{id}/cabling/events", tag = "cabling", params(("id" = String, Path)), responses(
    (status = 200, description = "Events `ticks` (CablingChange) with their data as JSON", body = String, content_type = "text/event-stream"),
))]
pub async fn follow_cabling(State(app): State<App>, Names(id): Names<String>) -> Result<Response, ApiError> {
    let design = designs::stored(&app, id).await?.id;
    let changes = app.cablings.watch(&design);
    let (whole, latest) = (changes.clone(), changes.clone());
    let encode = move || event("ticks", &whole.borrow().change);
    let next = move || {
        let latest = latest.borrow();
        JobChange { change: Some(event("ticks", &latest.change)), is_last: latest.is_last }
    };
    app.streams.clone().follow(format!("cabling of {design}"), changes, (PACE, false), encode, next)
}

/// The only event of ended work.
pub(super) fn last(name: &str, view: &impl Serialize) -> Result<Response, ApiError> {
    Ok(stream(event(name, view).into()))
}

fn stream(events: Body) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        // Asks proxies not to buffer the stream.
        (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")),
    ];
    (headers, events).into_response()
}

/// An encoded event.
fn event(name: &str, data: &impl Serialize) -> Bytes {
    // Serializing these types does not fail. JSON has no line breaks.
    let data = serde_json::to_string(data).unwrap_or_default();
    format!("event: {name}\ndata: {data}\n\n").into()
}

/// Open event streams. Each event is encoded once for all watchers of a job.
pub struct Streams {
    max: usize,
    /// Open streams of each client that has any.
    open: Mutex<HashMap<Owner, usize>>,
    /// Relays of jobs with watchers, by id.
    relays: Mutex<HashMap<String, Arc<Relay>>>,
}

/// An open stream, until dropped.
struct OpenStream {
    streams: Arc<Streams>,
    owner: Owner,
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let mut open = lock(&self.streams.open);
        if let Some(own) = open.get_mut(&self.owner) {
            *own -= 1;
            if *own == 0 {
                open.remove(&self.owner);
            }
        }
    }
}

/// Encodes the events of a job.
struct Relay {
    frames: watch::Sender<Frame>,
    complete: Mutex<Option<Complete>>,
    encode: Box<dyn Fn() -> Bytes + Send + Sync>,
    /// Number of watchers.
    watchers: watch::Sender<u32>,
    /// `true` if watchers are told how many they are.
    shows_watchers: bool,
}

/// A watcher of a relay, until dropped.
struct Watching(Arc<Relay>);

impl Watching {
    fn new(relay: &Arc<Relay>) -> Watching {
        relay.watchers.send_modify(|count| *count += 1);
        Watching(relay.clone())
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.0.watchers.send_modify(|count| *count -= 1);
    }
}

/// The latest change of a job.
#[derive(Clone, Default)]
struct Frame {
    /// Number of changes that only a complete state shows.
    epoch: u64,
    /// Number of changes.
    number: u64,
    change: Bytes,
    is_last: bool,
}

/// An encoded complete state.
#[derive(Clone)]
struct Complete {
    epoch: u64,
    /// Changes that it has at least.
    number: u64,
    at: Instant,
    event: Bytes,
}

/// A change of a job.
struct JobChange {
    /// `None` if only the complete state shows it.
    change: Option<Bytes>,
    /// `true` if the job is over.
    is_last: bool,
}

impl Streams {
    /// None yet.
    pub fn new(max: usize) -> Arc<Streams> {
        Arc::new(Streams { max, open: Mutex::default(), relays: Mutex::default() })
    }

    /// Number of open streams.
    pub fn count(&self) -> usize {
        lock(&self.open).values().sum()
    }

    /// Opens a stream of a client. One may open up to half of what others leave, so that one more client always finds some.
    fn open(self: &Arc<Self>, owner: Owner) -> Result<OpenStream, ApiError> {
        let mut open = lock(&self.open);
        let (all, own) = (open.values().sum::<usize>(), open.get(&owner).copied().unwrap_or(0));
        if own >= share(self.max, all - own) {
            let [own, all, max] = [own, all, self.max].map(|count| grouped(count as u64));
            return Err(ApiError::Busy(format!(
                "{own} of {all} open event streams are yours, and the studio has {max} (flag --streams). Close some pages, or try again in {RETRY_AFTER} s."
            )));
        }
        open.insert(owner.clone(), own + 1);
        Ok(OpenStream { streams: self.clone(), owner })
    }

    /// Follows a job: its complete state, then its changes, until the last one. With `shows_watchers`, also the number of watchers.
    fn follow<T: Send + Sync + 'static>(
        self: Arc<Self>,
        id: String,
        changes: watch::Receiver<T>,
        (pace, shows_watchers): (Duration, bool),
        encode: impl Fn() -> Bytes + Send + Sync + 'static,
        next: impl FnMut() -> JobChange + Send + 'static,
    ) -> Result<Response, ApiError> {
        let open = self.open(App::client())?;
        let mut relays = self.lock();
        let known = relays.get(&id).cloned();
        let (relay, frames) = known.map_or_else(
            || {
                let (frames, receiver) = watch::channel(Frame::default());
                let (watchers, _) = watch::channel(0);
                let (complete, encode) = (Mutex::default(), Box::new(encode));
                let relay = Arc::new(Relay { frames, complete, encode, watchers, shows_watchers });
                relays.insert(id.clone(), relay.clone());
                tokio::spawn(self.clone().publish(id, relay.clone(), changes, pace, next));
                (relay, receiver)
            },
            |relay| {
                let receiver = relay.frames.subscribe();
                (relay, receiver)
            },
        );
        drop(relays);
        let (sender, receiver) = mpsc::channel(MAX_WAITING);
        tokio::spawn(watch(relay, frames, pace, sender, open));
        Ok(stream(Body::from_stream(ReceiverStream::new(receiver).map(Ok::<_, Infallible>))))
    }

    /// Publishes the changes of a job, until it is over or nobody watches.
    async fn publish<T: Send + Sync>(
        self: Arc<Self>,
        id: String,
        relay: Arc<Relay>,
        mut changes: watch::Receiver<T>,
        pace: Duration,
        mut next: impl FnMut() -> JobChange + Send,
    ) {
        loop {
            changes.mark_unchanged();
            let JobChange { change, is_last } = next();
            relay.frames.send_modify(|frame| {
                frame.number += 1;
                match change {
                    Some(change) => frame.change = change,
                    None => frame.epoch += 1,
                }
                frame.is_last = is_last;
            });
            tokio::time::sleep(pace).await;
            let changed = tokio::select! {
                changed = changes.changed() => changed.is_ok(),
                () = relay.frames.closed() => true,
            };
            let mut relays = self.lock();
            // Nobody joins meanwhile.
            if is_last || !changed || relay.frames.is_closed() {
                relays.remove(&id);
                return;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Relay>>> {
        lock(&self.relays)
    }
}

impl Relay {
    /// The complete state, with everything of a frame.
    fn complete(&self, frame: &Frame) -> Complete {
        let mut complete = lock(&self.complete);
        let known =
            complete.as_ref().filter(|known| known.epoch == frame.epoch && known.at.elapsed() < MAX_AGE);
        if let Some(known) = known {
            return known.clone();
        }
        let Frame { epoch, number, .. } = *frame;
        complete.insert(Complete { epoch, number, at: Instant::now(), event: (self.encode)() }).clone()
    }
}

/// Sends the events of a job to a watcher, until the last one or until the watcher leaves.
async fn watch(
    relay: Arc<Relay>,
    mut frames: watch::Receiver<Frame>,
    pace: Duration,
    sender: mpsc::Sender<Bytes>,
    _open: OpenStream,
) {
    let _watching = Watching::new(&relay);
    let mut watchers = relay.watchers.subscribe();
    let (mut epoch, mut number, mut shown) = (None, 0, None);
    loop {
        let frame = frames.borrow_and_update().clone();
        let mut bytes = 0;
        if epoch != Some(frame.epoch) {
            let complete = relay.complete(&frame);
            (epoch, number, bytes) = (Some(frame.epoch), complete.number, complete.event.len());
            if sender.send(complete.event).await.is_err() {
                return;
            }
        }
        if frame.number > number {
            (number, bytes) = (frame.number, bytes + frame.change.len());
            if sender.send(frame.change).await.is_err() {
                return;
            }
        }
        if frame.is_last {
            return;
        }
        let count = *watchers.borrow_and_update();
        if relay.shows_watchers && shown.replace(count) != Some(count) {
            let watchers = event("watchers", &WatchersView { count });
            if sender.send(watchers).await.is_err() {
                return;
            }
        }
        tokio::time::sleep(pace.max(Duration::from_secs_f64(bytes as f64 / MAX_BYTES_PER_SECOND))).await;
        loop {
            let changed = tokio::select! {
                () = sender.closed() => return,
                _ = watchers.changed(), if relay.shows_watchers => break,
                changed = tokio::time::timeout(KEEP_ALIVE, frames.changed()) => changed,
            };
            match changed {
                Ok(Ok(())) => break,
                Ok(Err(_)) => return,
                Err(_) if sender.send(Bytes::from_static(b":\n\n")).await.is_err() => return,
                Err(_) => {}
            }
        }
    }
}
