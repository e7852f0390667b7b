//! Tasks: the computations of requests, under one budget of threads and memory.
//!
//! A client has a share of the places for unfinished tasks, of the tasks that run, and of the memory, so that one more client always
//! finds room. Clients take turns.
//!
//! A task begins as short work on a thread of its own. Once it has used [`SHORT`] of CPU time, or needs more memory than short work
//! may have, it is long work: its thread gets a low priority, and it waits until one of few threads is free. So short tasks never
//! wait behind long ones, and nobody has to know beforehand which ones are long. Tasks of the [`Lane::Interactive`] get the low
//! priority and do not wait.
//!
//! When its request goes away, by a closed connection, a timeout or a shutdown, a task leaves the queue or stops at its next
//! [`check`](shared::cancel::check). A panic fails its task alone.
//!
//! Large values [`claim`] their memory before they are built. A claim waits for others to end, and fails if it can never fit.

mod budget;
pub mod priority;

pub use budget::{Budget, Claim, claim, claim_to_keep};

use crate::lock;
use shared::{
    cancel::{self, Token},
    text::grouped,
};
use std::{
    cell::RefCell,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, MutexGuard, Weak},
    time::{Duration, Instant},
};
use tokio::sync::oneshot;
use tracing::{Span, error};

/// Max time that a claim of a request waits.
const REQUEST_PATIENCE: Duration = Duration::from_secs(20);
/// Max time that a claim of a search or simulation waits. Two that wait for each other must end.
pub const WORK_PATIENCE: Duration = Duration::from_secs(600);
/// CPU time of short work.
pub const SHORT: Duration = Duration::from_millis(100);
/// Seconds after which a client may try again.
pub const RETRY_AFTER: u64 = 5;

/// The client of a task: clients take turns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Owner(pub String);

/// Max number of things that one client may have of `max`, while other clients have some: half of what others leave, and at least
/// one while any is left.
pub fn share(max: usize, others: usize) -> usize {
    max.saturating_sub(others).div_ceil(2)
}

/// The request that a task belongs to.
#[derive(Clone, Debug, Default)]
pub struct Caller {
    /// Client.
    pub owner: Owner,
    /// Route, such as `/api/exports/{format}`.
    pub route: String,
}

/// Rule for a task that turns out to be long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// It goes on at low priority: saving, opening, ticking and starting never wait for long work.
    Interactive,
    /// It waits for a thread of long work.
    Ordinary,
}

/// A running or waiting task.
pub struct ListedTask {
    /// Number of the task.
    pub number: u64,
    /// The request.
    pub caller: Caller,
    /// Time since it began to run, or to wait.
    pub age: Duration,
    /// Claimed memory in bytes; `None` while it waits.
    pub memory: Option<u64>,
}

/// Limits of all tasks together.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Max tasks of long work at a time.
    pub threads: usize,
    /// Max tasks of short work at a time.
    pub short: usize,
    /// Max unfinished tasks: running and waiting ones.
    pub tasks: usize,
    /// Max bytes of claimed memory, besides the reserve for short work.
    pub bytes: u64,
    /// Max bytes of temporary files.
    pub disk: u64,
    /// Max bytes of request bodies.
    pub bodies: u64,
}

impl Limits {
    /// Limits for a machine with `cores` cores: one thread more, so that a task of each core leaves one free, 2 GiB of memory,
    /// 4 GiB of temporary files and 256 MiB of request bodies.
    pub fn of(cores: usize) -> Limits {
        let (threads, short) = (cores + 1, (2 * cores).max(8));
        Limits { threads, short, tasks: 256, bytes: 2 << 30, disk: 4 << 30, bodies: 256 << 20 }
    }
}

/// Reason why a task did not run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TaskRefusal {
    /// All places are taken by others.
    #[error("{0} requests are running or waiting already. Try again in {RETRY_AFTER} s.")]
    Full(usize),
    /// The client has its share of the places.
    #[error(
        "{own} of your requests are running or waiting already, the share of one client. Try again in {RETRY_AFTER} s."
    )]
    Share {
        /// Unfinished tasks of the client.
        own: usize,
    },
    /// The bytes are claimed by others, or the client has its share.
    #[error("This needs about {} MiB of {what}. {} of {} MiB are in use, {} MiB of them by you. Try again in {RETRY_AFTER} s.", mib(*.needs), mib(*.used), mib(*.max), mib(*.own))]
    Busy {
        /// What the bytes are.
        what: &'static str,
        /// Bytes of the claim.
        needs: u64,
        /// Bytes of all claims.
        used: u64,
        /// Bytes of the client's claims.
        own: u64,
        /// The limit in bytes.
        max: u64,
    },
    /// The claim exceeds the limit.
    #[error("This needs about {} MiB of {what}; the studio has {} MiB (flag {flag}).", mib(*.needs), mib(*.max))]
    TooLarge {
        /// What the bytes are.
        what: &'static str,
        /// The flag that sets the limit.
        flag: &'static str,
        /// Bytes of the claim.
        needs: u64,
        /// The limit in bytes.
        max: u64,
    },
}

fn mib(bytes: u64) -> String {
    grouped(bytes.div_ceil(1 << 20))
}

/// End of a task without a result.
#[derive(Debug)]
pub enum TaskError {
    /// It was not started, or found no memory.
    Refused(TaskRefusal),
    /// It was cancelled.
    Cancelled,
    /// It panicked.
    Panicked,
}

/// All tasks of a studio.
#[derive(Clone)]
pub struct Tasks {
    shared: Arc<SharedState>,
    /// Memory that tasks and searches claim.
    pub memory: Arc<Budget>,
    /// Temporary files of large responses.
    pub disk: Arc<Budget>,
    /// Bodies of requests that are being received or computed.
    pub bodies: Arc<Budget>,
}

struct SharedState {
    limits: Limits,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Unfinished tasks, oldest first.
    tasks: Vec<Task>,
    /// Number of the next task.
    next: u64,
    /// Ended tasks, by [`OUTCOMES`].
    ended: [u64; 3],
}

/// Outcomes of tasks.
const OUTCOMES: [&str; 3] = ["done", "cancelled", "panicked"];

/// Running and waiting jobs of a queue.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Running jobs.
    pub running: usize,
    /// Waiting jobs.
    pub waiting: usize,
    /// Age of the oldest one that waits.
    pub oldest: Duration,
}

struct Task {
    number: u64,
    caller: Caller,
    lane: Lane,
    /// Begin of its run, or of its wait.
    since: Instant,
    token: Token,
    stage: Stage,
}

/// Stages of a task, in their order.
enum Stage {
    /// It waits for its begin.
    Waiting(oneshot::Sender<Permit>),
    /// It runs as short work.
    Short,
    /// It waits for a thread of long work.
    Paused(oneshot::Sender<()>),
    /// It runs as long work.
    Long,
}

/// `true` for some stages.
type StageTest = fn(&Stage) -> bool;

impl Stage {
    fn is_waiting(&self) -> bool {
        matches!(self, Stage::Waiting(_))
    }

    fn is_short(&self) -> bool {
        matches!(self, Stage::Short)
    }

    fn is_paused(&self) -> bool {
        matches!(self, Stage::Paused(_))
    }

    fn is_long(&self) -> bool {
        matches!(self, Stage::Long)
    }

    fn runs(&self) -> bool {
        self.is_short() || self.is_long()
    }
}

/// A task that waits for its begin. Dropping it gives up its place.
pub struct WaitingTask {
    number: u64,
    granted: oneshot::Receiver<Permit>,
}

impl WaitingTask {
    /// Number of the task.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Waits for the begin.
    ///
    /// # Errors
    /// The task was stopped.
    pub async fn granted(self) -> Result<Permit, TaskError> {
        // The sender is only dropped by a stop, or with all tasks.
        self.granted.await.map_err(|_| TaskError::Cancelled)
    }
}

/// A place for a task that begins. Dropping it ends the task and lets the next one go on.
pub struct Permit {
    shared: Arc<SharedState>,
    number: u64,
    token: Token,
    owner: Owner,
}

impl Permit {
    /// Token that stops the task.
    pub fn token(&self) -> Token {
        self.token.clone()
    }
}

impl Tasks {
    /// No tasks yet.
    pub fn new(limits: Limits) -> Tasks {
        let limits = Limits { threads: limits.threads.max(1), short: limits.short.max(1), ..limits };
        let shared = Arc::new(SharedState { limits, state: Mutex::default() });
        let memory = Budget::undivided("memory", "--memory", limits.bytes);
        let disk = Budget::new("temporary files", "--temporary", limits.disk);
        let bodies = Budget::new("request bodies", "--bodies", limits.bodies);
        Tasks { shared, memory, disk, bodies }
    }

    /// Runs `work` on a thread of its own when there is a place. Dropping the future cancels it.
    ///
    /// # Errors
    /// The client or all clients have too many tasks, or the work was cancelled or panicked.
    pub async fn run<T: Send + 'static>(
        &self,
        caller: Caller,
        lane: Lane,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, TaskError> {
        let permit = self.permit(caller, lane).await?;
        let (result, _cancel) = self.start(permit, work);
        result.await.unwrap_or(Err(TaskError::Cancelled))
    }

    /// Runs a use of the store, or other work that is short for certain, when there is a place. It is not cancelled.
    ///
    /// # Errors
    /// The client or all clients have too many tasks, or the work panicked.
    pub async fn block<T: Send + 'static>(
        &self,
        caller: Caller,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, TaskError> {
        let permit = self.permit(caller, Lane::Interactive).await?;
        let span = Span::current();
        let done = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            span.in_scope(work)
        });
        done.await.map_err(|_| TaskError::Panicked)
    }

    /// Waits for a place.
    ///
    /// # Errors
    /// The client or all clients have too many tasks.
    pub async fn permit(&self, caller: Caller, lane: Lane) -> Result<Permit, TaskError> {
        self.admit(caller, lane).map_err(TaskError::Refused)?.granted().await
    }

    /// Takes a place among the waiting tasks.
    ///
    /// # Errors
    /// The client or all clients have too many tasks.
    pub fn admit(&self, caller: Caller, lane: Lane) -> Result<WaitingTask, TaskRefusal> {
        let (begin, granted) = oneshot::channel();
        let number = self.shared.admit(caller, lane, begin)?;
        self.shared.grant();
        Ok(WaitingTask { number, granted })
    }

    /// Starts work on a thread of its own. Dropping the guard cancels it.
    pub fn start<T: Send + 'static>(
        &self,
        permit: Permit,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> (oneshot::Receiver<Result<T, TaskError>>, CancelOnDrop) {
        let (shared, number) = (self.shared.clone(), permit.number);
        let guard = CancelOnDrop { shared: shared.clone(), number };
        tokio::spawn(async move {
            tokio::time::sleep(SHORT).await;
            while shared.request_pause(number) {
                tokio::time::sleep(SHORT).await;
            }
        });
        let (sender, receiver) = oneshot::channel();
        let (memory, span) = (self.memory.clone(), Span::current());
        let run = move || {
            let turn = Turn { shared: permit.shared.clone(), number };
            let (token, owner) = (permit.token.clone(), permit.owner.clone());
            let context = Context { memory, token, owner, patience: REQUEST_PATIENCE, turn: Some(turn) };
            let ended = span.in_scope(|| context.run(work));
            let outcome = match &ended {
                Err(TaskError::Cancelled) => 1,
                Err(TaskError::Panicked) => 2,
                Ok(_) | Err(TaskError::Refused(_)) => 0,
            };
            permit.shared.lock().ended[outcome] += 1;
            drop(permit);
            // Nobody may wait any more.
            let _ = sender.send(ended);
        };
        // A thread of the pool would keep the low priority for its next task. Without a thread, the sender is dropped.
        if let Err(error) = std::thread::Builder::new().name("task".into()).spawn(run) {
            error!(%error, "cannot start a thread for a task");
        }
        (receiver, guard)
    }

    /// Running and waiting tasks.
    pub fn load(&self) -> Load {
        let mut state = self.shared.lock();
        state.forget_left();
        let running = state.tasks.iter().filter(|task| task.stage.runs()).count();
        let waiting = state.tasks.iter().filter(|task| !task.stage.runs());
        let oldest = waiting.map(|waiting| waiting.since.elapsed()).max().unwrap_or_default();
        Load { running, waiting: state.tasks.len() - running, oldest }
    }

    /// Running tasks, then the waiting ones, each in the order of their begin.
    pub fn list(&self) -> Vec<ListedTask> {
        let mut state = self.shared.lock();
        state.forget_left();
        let listed = |task: &Task| ListedTask {
            number: task.number,
            caller: task.caller.clone(),
            age: task.since.elapsed(),
            memory: task.stage.runs().then(|| self.memory.used_by(&task.token)),
        };
        let (running, waiting): (Vec<_>, Vec<_>) = state.tasks.iter().partition(|task| task.stage.runs());
        running.into_iter().chain(waiting).map(listed).collect()
    }

    /// Stops a task; `false` if it has ended. A running one ends at its next check.
    pub fn stop(&self, number: u64) -> bool {
        let mut state = self.shared.lock();
        let Some(at) = state.tasks.iter().position(|task| task.number == number) else { return false };
        if state.tasks[at].stage.is_waiting() {
            state.tasks.remove(at);
        } else {
            state.tasks[at].cancel();
        }
        true
    }

    /// Max running tasks.
    pub fn threads(&self) -> usize {
        self.shared.limits.threads + self.shared.limits.short
    }

    /// Numbers of ended tasks by outcome. A task that reports a problem is done.
    pub fn outcomes(&self) -> Vec<(&'static str, u64)> {
        OUTCOMES.into_iter().zip(self.shared.lock().ended).collect()
    }

    /// Numbers of running and of waiting tasks.
    #[cfg(test)]
    pub fn counts(&self) -> (usize, usize) {
        let load = self.load();
        (load.running, load.waiting)
    }
}

/// Runs work of a client on this thread, until it ends or is cancelled. Its claims of memory wait up to `patience`. A panic is an
/// error of this work.
pub fn within<T>(
    memory: &Arc<Budget>,
    token: &Token,
    owner: &Owner,
    patience: Duration,
    work: impl FnOnce() -> T,
) -> Result<T, TaskError> {
    let (memory, token, owner) = (memory.clone(), token.clone(), owner.clone());
    Context { memory, token, owner, patience, turn: None }.run(work)
}

/// Cancels a task when its client goes away.
pub struct CancelOnDrop {
    shared: Arc<SharedState>,
    number: u64,
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let Some(task) = self.shared.lock().find(self.number) {
            task.cancel();
        }
    }
}

impl Task {
    /// Asks a task that has begun to stop.
    fn cancel(&mut self) {
        self.token.cancel();
        // Dropping the sender wakes the task, which then leaves.
        if self.stage.is_paused() {
            self.stage = Stage::Short;
        }
    }
}

impl State {
    fn find(&mut self, number: u64) -> Option<&mut Task> {
        self.tasks.iter_mut().find(|task| task.number == number)
    }

    /// Removes waiting tasks whose clients have gone.
    fn forget_left(&mut self) {
        self.tasks.retain(|task| !matches!(&task.stage, Stage::Waiting(begin) if begin.is_closed()));
    }

    /// Position of the task that goes on from one stage to the next, which `max` tasks may be in: the oldest one of the client with
    /// the fewest tasks there. `share` is the max of a client, from the number of the other clients' tasks.
    fn next(
        &self,
        (from, to): (StageTest, StageTest),
        max: usize,
        share: impl Fn(usize) -> usize,
    ) -> Option<usize> {
        let all = self.tasks.iter().filter(|task| to(&task.stage)).count();
        if all >= max {
            return None;
        }
        let of = |owner: &Owner| {
            self.tasks.iter().filter(|task| to(&task.stage) && task.caller.owner == *owner).count()
        };
        let waiting = self.tasks.iter().enumerate().filter(|(_, task)| from(&task.stage));
        let (own, at) = waiting.map(|(at, task)| (of(&task.caller.owner), at)).min()?;
        (own < share(all - own)).then_some(at)
    }
}

impl SharedState {
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Adds a waiting task.
    fn admit(
        self: &Arc<Self>,
        caller: Caller,
        lane: Lane,
        begin: oneshot::Sender<Permit>,
    ) -> Result<u64, TaskRefusal> {
        let mut state = self.lock();
        state.forget_left();
        let (all, max) = (state.tasks.len(), self.limits.tasks);
        let own = state.tasks.iter().filter(|task| task.caller.owner == caller.owner).count();
        if own >= share(max, all - own) {
            return Err(if own == 0 { TaskRefusal::Full(all) } else { TaskRefusal::Share { own } });
        }
        let number = state.next;
        state.next += 1;
        let this: Weak<SharedState> = Arc::downgrade(self);
        let token = Token::with_pause(move || {
            if let Some(shared) = this.upgrade().filter(|_| priority::cpu_time() >= SHORT) {
                shared.lengthen(number);
            }
        });
        state.tasks.push(Task {
            number,
            caller,
            lane,
            since: Instant::now(),
            token,
            stage: Stage::Waiting(begin),
        });
        Ok(number)
    }

    /// Requests that a task of short work look at its CPU time; `false` if it is none.
    fn request_pause(&self, number: u64) -> bool {
        let mut state = self.lock();
        let short = state.find(number).filter(|task| task.stage.is_short());
        short.is_some_and(|task| {
            task.token.request_pause();
            true
        })
    }

    /// Makes the task of this thread long work, if it was short. An ordinary one waits for a thread.
    fn lengthen(self: &Arc<Self>, number: u64) {
        let granted = {
            let mut state = self.lock();
            let Some(task) = state.find(number).filter(|task| task.stage.is_short()) else { return };
            if task.token.is_cancelled() {
                return;
            }
            match task.lane {
                Lane::Interactive => None,
                Lane::Ordinary => {
                    let (thread, granted) = oneshot::channel();
                    (task.stage, task.since) = (Stage::Paused(thread), Instant::now());
                    Some(granted)
                }
            }
        };
        if let Some(granted) = granted {
            self.grant();
            // The sender is only dropped by a stop, which the next check shows.
            let _ = granted.blocking_recv();
        }
        priority::lower();
    }

    /// Lets waiting tasks begin, and paused ones go on: of the client with the fewest running ones first.
    fn grant(self: &Arc<Self>) {
        let Limits { threads, short, .. } = self.limits;
        loop {
            let (begin, permit) = {
                let mut state = self.lock();
                state.forget_left();
                // One thread stays free for others.
                let long: (StageTest, StageTest) = (Stage::is_paused, Stage::is_long);
                while let Some(at) = state.next(long, threads, |_| (threads - 1).max(1)) {
                    let task = &mut state.tasks[at];
                    task.since = Instant::now();
                    if let Stage::Paused(thread) = std::mem::replace(&mut task.stage, Stage::Long) {
                        // The thread waits for nothing else.
                        let _ = thread.send(());
                    }
                }
                let begins: (StageTest, StageTest) = (Stage::is_waiting, Stage::is_short);
                let Some(at) = state.next(begins, short, |others| share(short, others)) else { return };
                let task = &mut state.tasks[at];
                task.since = Instant::now();
                let (number, token, owner) = (task.number, task.token.clone(), task.caller.owner.clone());
                let Stage::Waiting(begin) = std::mem::replace(&mut task.stage, Stage::Short) else { return };
                (begin, Permit { shared: self.clone(), number, token, owner })
            };
            // A client that has just gone drops the permit, which frees the place again.
            let _ = begin.send(permit);
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.shared.lock().tasks.retain(|task| task.number != self.number);
        self.shared.grant();
    }
}

/// What running work may use.
#[derive(Clone)]
struct Context {
    memory: Arc<Budget>,
    token: Token,
    owner: Owner,
    /// Max time that a claim waits.
    patience: Duration,
    /// `None` for searches and simulations.
    turn: Option<Turn>,
}

/// A running task.
#[derive(Clone)]
struct Turn {
    shared: Arc<SharedState>,
    number: u64,
}

impl Turn {
    /// `true` while the task is short work.
    fn is_short(&self) -> bool {
        self.shared.lock().find(self.number).is_some_and(|task| task.stage.is_short())
    }

    fn lengthen(&self) {
        self.shared.lengthen(self.number);
    }
}

thread_local! {
    static CONTEXT: RefCell<Option<Context>> = const { RefCell::new(None) };
}

impl Context {
    /// Context of the work on this thread.
    fn current() -> Option<Context> {
        CONTEXT.with_borrow(Clone::clone)
    }

    fn run<T>(self, work: impl FnOnce() -> T) -> Result<T, TaskError> {
        let token = self.token.clone();
        let outer = CONTEXT.replace(Some(self));
        let ended = catch_unwind(AssertUnwindSafe(|| cancel::scope(&token, work)));
        CONTEXT.set(outer);
        match ended {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(_)) => Err(TaskError::Cancelled),
            // Without the message of the panic, which may quote the request. The panic hook has logged its place.
            Err(_) => Err(TaskError::Panicked),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn tasks(threads: usize) -> Tasks {
        Tasks::new(Limits { threads, short: 4, tasks: 8, bytes: 100, disk: 100, bodies: 100 })
    }

    fn owner(name: &str) -> Caller {
        Caller { owner: Owner(name.into()), route: String::new() }
    }

    /// Waits until a condition holds.
    async fn until(mut holds: impl FnMut() -> bool) {
        for _ in 0..10_000 {
            if holds() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        panic!("never");
    }

    /// Needs more memory than short work may have, and ends when it is stopped.
    fn long() {
        let _claim = claim(20);
        loop {
            cancel::check();
        }
    }

    /// Stages of all tasks: waiting, short, paused and long ones.
    fn stages(tasks: &Tasks) -> [usize; 4] {
        let state = tasks.shared.lock();
        let of = |is: fn(&Stage) -> bool| state.tasks.iter().filter(|task| is(&task.stage)).count();
        [of(Stage::is_waiting), of(Stage::is_short), of(Stage::is_paused), of(Stage::is_long)]
    }

    fn spawn<T: Send + 'static>(
        tasks: &Tasks,
        name: &'static str,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> tokio::task::JoinHandle<Result<T, TaskError>> {
        let tasks = tasks.clone();
        tokio::spawn(async move { tasks.run(owner(name), Lane::Ordinary, work).await })
    }

    #[tokio::test]
    async fn dropping_a_request_stops_its_task_and_frees_its_thread() {
        let tasks = tasks(1);
        let running = spawn(&tasks, "a", long);
        until(|| stages(&tasks) == [0, 0, 0, 1]).await;
        let waiting = spawn(&tasks, "b", long);
        until(|| stages(&tasks) == [0, 0, 1, 1]).await;
        waiting.abort();
        until(|| tasks.counts() == (1, 0)).await;
        running.abort();
        until(|| tasks.counts() == (0, 0)).await;
        assert_eq!(tasks.run(owner("c"), Lane::Ordinary, || 3).await.unwrap(), 3);
        assert_eq!(tasks.memory.used(), 0);
    }

    #[tokio::test]
    async fn a_listed_task_shows_its_memory_and_can_be_stopped() {
        let tasks = tasks(1);
        let running = spawn(&tasks, "a", long);
        until(|| tasks.list().first().is_some_and(|task| task.memory == Some(20))).await;
        let waiting = spawn(&tasks, "a", long);
        until(|| stages(&tasks) == [0, 0, 1, 1]).await;
        let listed = tasks.list();
        assert_eq!((listed[1].memory, &*listed[1].caller.owner.0), (None, "a"));
        assert!(tasks.stop(listed[1].number) && !tasks.stop(99));
        assert!(matches!(waiting.await.unwrap(), Err(TaskError::Cancelled)));
        assert!(!tasks.stop(listed[1].number) && tasks.stop(listed[0].number));
        assert!(matches!(running.await.unwrap(), Err(TaskError::Cancelled)));
        assert_eq!((tasks.memory.used(), tasks.list().len()), (0, 0));
    }

    #[tokio::test]
    async fn a_panic_is_an_error_of_its_task_alone() {
        let tasks = tasks(1);
        let ended = tasks.run(owner("a"), Lane::Ordinary, || panic!("for this test")).await;
        assert!(matches!(ended, Err::<(), _>(TaskError::Panicked)));
        assert!(matches!(
            tasks.block(owner("a"), || panic!("again")).await,
            Err::<(), _>(TaskError::Panicked)
        ));
        assert_eq!(tasks.run(owner("a"), Lane::Ordinary, || 3).await.unwrap(), 3);
    }

    #[tokio::test]
    async fn clients_take_turns_and_leave_a_place_free() {
        let tasks = tasks(3);
        let (release, held) = mpsc::channel::<()>();
        let held = Arc::new(Mutex::new(held));
        let mut all = Vec::new();
        for _ in 0..4 {
            let held = held.clone();
            all.push(spawn(&tasks, "greedy", move || _ = held.lock().unwrap().recv()));
        }
        until(|| tasks.counts() == (2, 2)).await;
        for lane in [Lane::Ordinary, Lane::Interactive] {
            tasks.run(owner("modest"), lane, || ()).await.unwrap();
        }
        tasks.block(owner("modest"), || ()).await.unwrap();
        assert_eq!(tasks.counts(), (2, 2), "the others of the greedy client still wait");
        drop(release);
        for task in all {
            task.await.unwrap().unwrap();
        }
    }

    #[tokio::test]
    async fn short_and_interactive_tasks_pass_long_ones() {
        let tasks = tasks(2);
        let all = ["a", "b", "c", "d", "e", "f"].map(|name| spawn(&tasks, name, long));
        until(|| stages(&tasks) == [0, 0, 4, 2]).await;
        assert_eq!(tasks.run(owner("g"), Lane::Ordinary, || 3).await.unwrap(), 3);
        // An interactive task does not wait for a thread, even if it needs much memory.
        assert!(tasks.run(owner("g"), Lane::Interactive, || claim(20)).await.unwrap().is_ok());
        assert_eq!(stages(&tasks), [0, 0, 4, 2]);
        all.iter().for_each(tokio::task::JoinHandle::abort);
        until(|| tasks.counts() == (0, 0)).await;
    }

    #[tokio::test]
    async fn a_task_is_long_after_its_cpu_time() {
        let tasks = tasks(1);
        let endless = || -> () {
            loop {
                cancel::check();
            }
        };
        let all = ["a", "b"].map(|name| spawn(&tasks, name, endless));
        until(|| stages(&tasks) == [0, 0, 1, 1]).await;
        let sleeps = spawn(&tasks, "c", || {
            for _ in 0..40 {
                std::thread::sleep(Duration::from_millis(10));
                cancel::check();
            }
        });
        sleeps.await.unwrap().unwrap();
        all.iter().for_each(tokio::task::JoinHandle::abort);
        until(|| tasks.counts() == (0, 0)).await;
    }

    #[tokio::test]
    async fn a_client_has_a_share_of_the_places() {
        let tasks = tasks(1);
        let mut held = Vec::new();
        for (name, places) in [("a", 4), ("b", 2), ("c", 1), ("d", 1)] {
            for _ in 0..places {
                held.push(Box::pin(tasks.permit(owner(name), Lane::Ordinary)));
                let begun = tokio::time::timeout(Duration::from_millis(1), held.last_mut().unwrap()).await;
                if let Ok(permit) = begun {
                    // It keeps its place.
                    std::mem::forget(permit.unwrap());
                }
            }
            let refused = tasks.permit(owner(name), Lane::Interactive).await.err();
            assert!(
                matches!(&refused, Some(TaskError::Refused(TaskRefusal::Share { own })) if *own == places),
                "{name}: {refused:?}"
            );
        }
        let refused = tasks.permit(owner("e"), Lane::Ordinary).await.err();
        assert!(matches!(refused, Some(TaskError::Refused(TaskRefusal::Full(8)))), "{refused:?}");
    }
}
