//! Work from its start to its end: its state, its watchers, its place in the store.

use super::{
    CheckpointTimer,
    queue::{self, Control, QueueJob, span},
    saver::{Saver, Writer},
};
use crate::{
    cluster::studio::Workers,
    edit::TokenHash,
    lock,
    log::short,
    problem::ApiError,
    store::{INTERRUPTED, Store, StoreError, StoredView, WorkUpdate},
    tasks::{Owner, TaskError, Tasks, WaitingTask},
};
use serde::Serialize;
use serde_json::value::RawValue;
use shared::{
    api::{ListedHardware, ListedWork, Problem, QueueView, StartWork, WorkChange, WorkState},
    cancel::Token,
};
use std::{
    any::Any,
    fmt::Display,
    sync::{Arc, Mutex, OnceLock},
    time::{Duration, Instant},
};
use tokio::sync::{Notify, watch};
use tracing::{Instrument, error};

/// Amount of detail of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Everything.
    Full,
    /// What a new watcher needs.
    Start,
    /// What a watcher needs after a change.
    Change,
}

/// What work uses while it runs.
pub struct Context<'a> {
    /// The work.
    pub live: &'a Live,
    /// The store.
    pub store: &'a Store,
    /// Other machines, if the studio may have any.
    pub workers: Option<&'a Workers>,
    /// Checkpoint to resume from.
    pub saved: Option<Vec<u8>>,
}

/// State and message of work that has ended, or pauses if the state is `QueueJob`.
pub type End = (WorkState, String);

/// The part of work that is particular to its kind: what it does, and its report.
pub trait Body: Any + Send + Sync {
    /// The report so far.
    fn report(&self, detail: Detail) -> Box<RawValue>;
    /// Runs the work on the calling thread. Changes of the report are told by [`Live::changed`].
    fn run(&self, context: &Context<'_>) -> End;
    /// Saves parts of the work; returns the wiring to save with it, if it is new.
    ///
    /// # Errors
    /// The store fails.
    fn save(&self, _live: &Live, _store: &Store) -> Result<Option<Arc<str>>, StoreError> {
        Ok(None)
    }
    /// Hardware, price and objective of the wiring that was saved last, if it has some.
    fn hardware(&self) -> Option<ListedHardware> {
        None
    }
    /// Claimed memory in bytes, besides what it claims while it runs.
    fn bytes(&self) -> u64 {
        0
    }
    /// Max threads that it can use on the machines that run it.
    fn max_threads(&self) -> u32 {
        u32::MAX
    }
    /// Expected seconds until it ends, if known.
    fn seconds_left(&self) -> Option<f64>;
    /// Seconds of work so far, without those in the queue.
    fn elapsed(&self) -> f64;
    /// Prepares the next slice of work that paused.
    fn pause(&self, _live: &Live) {}
    /// Settles the report of work that has ended.
    fn end(&self, _live: &Live, _state: WorkState) {}
}

/// State of work without its report.
#[derive(Clone, Debug, Default)]
pub struct Status {
    /// State.
    pub state: WorkState,
    message: String,
    problem: Option<Problem>,
    queue: Option<QueueView>,
}

/// Work that is queued, runs or has just ended.
pub struct Live {
    /// Id.
    pub id: String,
    /// The client that started it.
    pub owner: Owner,
    /// The request.
    pub asked: StartWork,
    /// Threads that it was started with.
    pub threads: u32,
    /// The work as first stored, without request and report.
    start: StoredView,
    /// Hash of the edit token of a computation that is not in the store.
    pub edit: Option<TokenHash>,
    status: watch::Sender<Status>,
    pub(super) control: Control,
    stopped: Notify,
    body: Box<dyn Body>,
    since: Instant,
    /// Number of its task.
    task: OnceLock<u64>,
    /// `true` if the work is in the store.
    is_kept: Mutex<bool>,
    /// Error that a waiting request answers with.
    error: Mutex<Option<ApiError>>,
}

impl Live {
    /// Queued work.
    pub fn new(view: StoredView, owner: Owner, edit: Option<TokenHash>, body: Box<dyn Body>) -> Live {
        let mut start = view;
        let asked = std::mem::take(&mut start.asked);
        let (is_kept, error, stopped) = Default::default();
        Live {
            id: start.id.clone(),
            owner,
            asked,
            threads: start.threads,
            start,
            edit,
            status: watch::Sender::default(),
            control: Control::default(),
            stopped,
            body,
            since: Instant::now(),
            task: OnceLock::new(),
            is_kept,
            error,
        }
    }

    /// Returns the body if it is of type `B`.
    pub fn body<B: Body>(&self) -> Option<&B> {
        (&*self.body as &dyn Any).downcast_ref()
    }

    /// State.
    pub fn state(&self) -> WorkState {
        self.status.borrow().state
    }

    /// The work as it stands.
    pub fn view(&self, detail: Detail) -> StoredView {
        let Status { state, message, problem, queue } = self.status.borrow().clone();
        let report = self.body.report(detail);
        StoredView { state, asked: self.asked.clone(), message, problem, queue, report, ..self.start.clone() }
    }

    /// The latest change.
    pub fn change(&self) -> WorkChange<Box<RawValue>> {
        let Status { state, message, queue, .. } = self.status.borrow().clone();
        WorkChange { state, message, queue, report: self.body.report(Detail::Change) }
    }

    /// Receiver that is notified of each change.
    pub fn watch(&self) -> watch::Receiver<Status> {
        self.status.subscribe()
    }

    /// Tells watchers that the report has changed.
    pub fn changed(&self) {
        self.status.send_modify(|_| ());
    }

    /// Marks the work as running.
    pub fn begin(&self) {
        self.status
            .send_modify(|status| (status.state, status.message) = (WorkState::Running, String::new()));
    }

    /// Sets the message of running work.
    pub fn note(&self, message: String) {
        self.status.send_if_modified(|status| {
            let is_new = status.state == WorkState::Running && status.message != message;
            if is_new {
                status.message = message;
            }
            is_new
        });
    }

    /// The end of work that failed.
    pub fn failed(&self, error: impl Into<ApiError>) -> End {
        let error = error.into();
        let problem = error.problem();
        let message = problem.detail.clone();
        if let ApiError::Internal(what) = &error {
            error!("{what}");
        }
        *lock(&self.error) = Some(error);
        self.status.send_modify(|status| status.problem = Some(problem));
        (WorkState::Failed, message)
    }

    /// The error that the work failed with, once.
    pub fn take_error(&self) -> Option<ApiError> {
        lock(&self.error).take()
    }

    /// The end of work whose checkpoint the engine refuses: it stays interrupted.
    pub fn cannot_resume(&self, store: &Store, why: &dyn Display) -> End {
        if let Err(error) = store.delete_checkpoint(&self.id) {
            error!(%error, "cannot delete an unusable checkpoint");
        }
        (WorkState::Interrupted, format!("{INTERRUPTED} The work cannot resume: {why}."))
    }

    /// The token that stops the work.
    pub fn token(&self) -> Token {
        self.control.token()
    }

    /// Stops the work shortly after.
    pub fn cancel(&self) {
        self.control.cancel();
        self.stopped.notify_one();
    }

    /// Stops the work because the studio shuts down.
    pub fn interrupt(&self) {
        self.control.interrupt();
        self.stopped.notify_one();
    }

    /// Time of its start in this studio.
    pub fn since(&self) -> Instant {
        self.since
    }

    /// Number of its task, once it has one.
    pub fn task(&self) -> Option<u64> {
        self.task.get().copied()
    }

    /// The work as the operator sees it.
    pub fn listed(&self, running: bool, age: Duration, threads: u32, memory: u64) -> ListedWork {
        let elapsed = self.body.elapsed();
        let left = self.body.seconds_left().filter(|left| elapsed + left > 0.0);
        ListedWork {
            kind: Some(self.asked.kind),
            id: short(&self.id),
            owner: short(&self.owner.0),
            running,
            seconds: age.as_secs_f64(),
            route: String::new(),
            threads,
            share: left.map(|left| elapsed / (elapsed + left)),
            queue: self.status.borrow().queue,
            memory: memory + self.body.bytes(),
        }
    }

    /// Waits until the work is over.
    pub async fn over(&self) {
        // The sender is here.
        let _ = self.status.subscribe().wait_for(|status| status.state.is_over()).await;
    }

    /// Declares that the work is in the store.
    pub(super) fn keep(&self) {
        *lock(&self.is_kept) = true;
    }

    /// Adds the work to the store, unless it has ended.
    pub(super) fn keep_in(&self, store: &Store) -> Result<(), StoreError> {
        let mut is_kept = lock(&self.is_kept);
        if !*is_kept && !self.state().is_over() {
            store.add_work(&self.view(Detail::Full), &self.owner, self.edit)?;
            *is_kept = true;
        }
        Ok(())
    }

    /// Saves the work in a state.
    pub(super) fn save_as(&self, store: &Store, state: WorkState, message: &str) -> Result<(), StoreError> {
        let (kind, report) = (self.asked.kind, self.body.report(Detail::Full));
        let problem = self.status.borrow().problem.clone();
        // Parts and wiring are at least as new as the report.
        let wiring = self.body.save(self, store)?;
        let hardware = wiring.as_ref().and_then(|_| self.body.hardware());
        let (problem, hardware) = (problem.as_ref(), hardware.as_ref());
        let update = WorkUpdate { id: &self.id, kind, state, message, problem, report: &report, hardware };
        store.update_work(update, wiring.as_deref())
    }

    /// Runs `work` beside a thread that saves this work.
    pub(super) fn saved<T>(
        &self,
        store: &Store,
        timer: CheckpointTimer,
        work: impl FnOnce(&Saver) -> T,
    ) -> T {
        Saver::run(timer, LiveWriter { live: self, store }, work)
    }

    /// Runs a computation as a task that was admitted.
    pub(super) async fn compute(
        self: &Arc<Self>,
        works: &super::Works,
        tasks: &Tasks,
        waiting: WaitingTask,
    ) -> End {
        // Only once.
        let _ = self.task.set(waiting.number());
        let permit = tokio::select! {
            permit = waiting.granted() => permit,
            () = self.stopped.notified() => return self.control.end(),
        };
        let Ok(permit) = permit else { return self.control.end() };
        self.control.adopt(permit.token());
        self.begin();
        let (live, store, workers) = (self.clone(), works.store.clone(), works.workers().cloned());
        let work = move || live.run(&store, workers.as_deref());
        let (result, _cancel) = tasks.start(permit, work);
        match result.instrument(span(&**self)).await.unwrap_or(Err(TaskError::Cancelled)) {
            Ok(end) => end,
            Err(TaskError::Cancelled) => self.control.end(),
            Err(stopped) => self.failed(stopped),
        }
    }

    /// Saves work that has ended if it is in the store, and notifies watchers.
    pub(super) fn retire(&self, store: &Store, state: WorkState, message: &str) {
        let _span = span(self).entered();
        let is_kept = lock(&self.is_kept);
        queue::retire(self, is_kept.then_some(store), state, message);
    }
}

impl QueueJob for Live {
    fn kind(&self) -> &'static str {
        self.asked.kind.entry().name
    }

    fn id(&self) -> &str {
        &self.id
    }

    fn owner(&self) -> &Owner {
        &self.owner
    }

    fn threads(&self) -> u32 {
        self.threads.min(self.body.max_threads())
    }

    fn control(&self) -> &Control {
        &self.control
    }

    fn seconds_left(&self) -> Option<f64> {
        self.body.seconds_left()
    }

    fn set_place(&self, place: Option<QueueView>) {
        self.status.send_if_modified(|status| std::mem::replace(&mut status.queue, place) != place);
    }

    fn run(&self, store: &Store, workers: Option<&Workers>) -> End {
        let saved = match *lock(&self.is_kept) {
            true => store.take_checkpoint(&self.id),
            false => Ok(None),
        };
        match saved {
            Ok(saved) => self.body.run(&Context { live: self, store, workers, saved }),
            Err(error) => self.failed(error),
        }
    }

    fn settle(&self, state: WorkState) {
        self.body.end(self, state);
    }

    fn save(&self, store: &Store, state: WorkState, message: &str) -> Result<(), StoreError> {
        self.save_as(store, state, message)
    }

    fn pause(&self, message: &str) {
        self.body.pause(self);
        self.status
            .send_modify(|status| (status.state, status.message) = (WorkState::Queued, message.into()));
    }

    fn end(&self, state: WorkState, message: &str) {
        self.status.send_modify(|status| {
            (status.state, status.message, status.queue) = (state, message.into(), None);
        });
    }
}

/// Writes work to the store while it runs.
struct LiveWriter<'a> {
    live: &'a Live,
    store: &'a Store,
}

impl Writer for LiveWriter<'_> {
    fn save(&mut self) -> Result<(), StoreError> {
        self.live.save_as(self.store, WorkState::Running, "")
    }

    fn save_checkpoint(&mut self, elapsed: f64, bytes: &[u8]) -> Result<(), StoreError> {
        self.store.save_checkpoint(&self.live.id, elapsed, bytes)
    }

    fn resumes(&self) -> bool {
        self.live.control.resumes()
    }
}

/// JSON of a value that always has one.
pub(super) fn raw(value: &impl Serialize) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).unwrap_or_default()
}
