//! Tasks: the computations of requests, under one budget of threads and memory.
//!
//! A task waits for a thread in a queue in which clients take turns, then runs on a blocking thread. When its request goes
//! away, by a closed connection, a timeout or a shutdown, the task leaves the queue or stops at its next
//! [`check`](shared::cancel::check). A panic fails its task alone.
//!
//! Large values [`claim`] their memory before they are built. A claim waits for others to end, and fails if it can never fit.

use crate::lock;
use shared::{
    cancel::{self, Token},
    text::grouped,
};
use std::{
    cell::RefCell,
    collections::HashMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::sync::oneshot;
use tracing::Span;

/// Max time that a claim of a request waits.
const REQUEST_PATIENCE: Duration = Duration::from_secs(20);
/// Max time that a claim of a search or simulation waits. Two that wait for each other must end.
pub const JOB_PATIENCE: Duration = Duration::from_secs(600);
/// Time between two looks at the cancellation of a waiting claim.
const CLAIM_STEP: Duration = Duration::from_millis(100);
/// Seconds after which a client may try again.
pub const RETRY_AFTER: u64 = 5;

/// The client of a task: clients take turns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Owner(pub String);

/// The request that a task belongs to.
#[derive(Clone, Debug, Default)]
pub struct Caller {
    /// Its client.
    pub owner: Owner,
    /// Its route, such as `/api/exports/{format}`.
    pub route: String,
}

/// A running or waiting task.
pub struct Listed {
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
    /// Max tasks at a time.
    pub threads: usize,
    /// Max waiting tasks.
    pub waiting: usize,
    /// Max bytes of claimed memory.
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
        Limits { threads: cores + 1, waiting: 256, bytes: 2 << 30, disk: 4 << 30, bodies: 256 << 20 }
    }
}

/// Reason why a task did not run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refused {
    /// The queue is full.
    #[error("{0} requests are waiting already. Try again in {RETRY_AFTER} s.")]
    Full(usize),
    /// The bytes are claimed by others.
    #[error("This needs about {} MiB of {what}, and {} MiB of {} MiB are in use. Try again in {RETRY_AFTER} s.", mib(*.needs), mib(*.used), mib(*.max))]
    Busy {
        /// What the bytes are.
        what: &'static str,
        /// Bytes of the claim.
        needs: u64,
        /// Bytes of other claims.
        used: u64,
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
pub enum Stopped {
    /// It was not started, or found no memory.
    Refused(Refused),
    /// It was cancelled.
    Cancelled,
    /// It panicked.
    Panicked,
}

/// All tasks of a studio.
#[derive(Clone)]
pub struct Tasks {
    shared: Arc<Shared>,
    /// Memory that tasks and searches claim.
    pub memory: Arc<Budget>,
    /// Temporary files of large responses.
    pub disk: Arc<Budget>,
    /// Bodies of requests that are being received or computed.
    pub bodies: Arc<Shares>,
}

struct Shared {
    limits: Limits,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    running: Vec<Running>,
    waiting: Vec<Waiting>,
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

struct Running {
    number: u64,
    caller: Caller,
    since: Instant,
    token: Token,
}

struct Waiting {
    number: u64,
    caller: Caller,
    since: Instant,
    thread: oneshot::Sender<Permit>,
}

/// A thread for a task. Dropping it starts the next task.
pub struct Permit {
    shared: Arc<Shared>,
    number: u64,
    token: Token,
}

impl Tasks {
    /// No tasks yet.
    pub fn new(limits: Limits) -> Tasks {
        let limits = Limits { threads: limits.threads.max(1), ..limits };
        let shared = Arc::new(Shared { limits, state: Mutex::default() });
        let memory = Arc::new(Budget::new("memory", "--memory", limits.bytes));
        let disk = Arc::new(Budget::new("temporary files", "--temporary", limits.disk));
        let bodies = Arc::new(Shares {
            budget: Arc::new(Budget::new("request bodies", "--bodies", limits.bodies)),
            of: Mutex::default(),
        });
        Tasks { shared, memory, disk, bodies }
    }

    /// Runs `work` when a thread is free. Dropping the future cancels it.
    ///
    /// # Errors
    /// The queue is full, or the work was cancelled or panicked.
    pub async fn run<T: Send + 'static>(
        &self,
        caller: Caller,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Stopped> {
        let permit = self.permit(caller).await?;
        let (result, _cancel) = self.start(permit, work);
        result.await.unwrap_or(Err(Stopped::Panicked))
    }

    /// Waits for a thread.
    ///
    /// # Errors
    /// The queue is full.
    pub async fn permit(&self, caller: Caller) -> Result<Permit, Stopped> {
        let (thread, granted) = oneshot::channel();
        {
            let mut state = self.shared.lock();
            state.waiting.retain(|waiting| !waiting.thread.is_closed());
            if state.waiting.len() >= self.shared.limits.waiting {
                return Err(Stopped::Refused(Refused::Full(state.waiting.len())));
            }
            let number = state.next;
            state.next += 1;
            state.waiting.push(Waiting { number, caller, since: Instant::now(), thread });
        }
        self.shared.grant();
        // The sender is only dropped by a stop, or with all tasks.
        granted.await.map_err(|_| Stopped::Cancelled)
    }

    /// Starts work on a blocking thread. Dropping the guard cancels it.
    pub fn start<T: Send + 'static>(
        &self,
        permit: Permit,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> (oneshot::Receiver<Result<T, Stopped>>, CancelOnDrop) {
        let token = permit.token.clone();
        let guard = CancelOnDrop(token.clone());
        let (sender, receiver) = oneshot::channel();
        let (memory, span) = (self.memory.clone(), Span::current());
        tokio::task::spawn_blocking(move || {
            let ended = span.in_scope(|| within(&memory, &token, REQUEST_PATIENCE, work));
            let outcome = match &ended {
                Err(Stopped::Cancelled) => 1,
                Err(Stopped::Panicked) => 2,
                Ok(_) | Err(Stopped::Refused(_)) => 0,
            };
            permit.shared.lock().ended[outcome] += 1;
            drop(permit);
            // Nobody may wait any more.
            let _ = sender.send(ended);
        });
        (receiver, guard)
    }

    /// Running and waiting tasks.
    pub fn load(&self) -> Load {
        let state = self.shared.lock();
        let waiting = state.waiting.iter().filter(|waiting| !waiting.thread.is_closed());
        let oldest = waiting.clone().map(|waiting| waiting.since.elapsed()).max();
        Load { running: state.running.len(), waiting: waiting.count(), oldest: oldest.unwrap_or_default() }
    }

    /// Running tasks, then the waiting ones, each in the order of their begin.
    pub fn list(&self) -> Vec<Listed> {
        let state = self.shared.lock();
        let listed = |number, caller: &Caller, since: &Instant, memory| Listed {
            number,
            caller: caller.clone(),
            age: since.elapsed(),
            memory,
        };
        let running = state.running.iter().map(|Running { number, caller, since, token }| {
            listed(*number, caller, since, Some(self.memory.used_by(token)))
        });
        let waiting = state.waiting.iter().filter(|task| !task.thread.is_closed());
        let waiting = waiting.map(|task| listed(task.number, &task.caller, &task.since, None));
        running.chain(waiting).collect()
    }

    /// Stops a task; `false` if it has ended. A running one ends at its next check.
    pub fn stop(&self, number: u64) -> bool {
        let mut state = self.shared.lock();
        if let Some(task) = state.running.iter().find(|task| task.number == number) {
            task.token.cancel();
            return true;
        }
        let waiting = state.waiting.len();
        state.waiting.retain(|task| task.number != number);
        state.waiting.len() < waiting
    }

    /// Max tasks at a time.
    pub fn threads(&self) -> usize {
        self.shared.limits.threads
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

/// Runs work on this thread, until it ends or is cancelled. Its claims of memory wait up to `patience`. A panic is an error of
/// this work.
pub fn within<T>(
    memory: &Arc<Budget>,
    token: &Token,
    patience: Duration,
    work: impl FnOnce() -> T,
) -> Result<T, Stopped> {
    let context = Context { memory: memory.clone(), token: token.clone(), patience };
    let outer = CONTEXT.replace(Some(context));
    let ended = catch_unwind(AssertUnwindSafe(|| cancel::scope(token, work)));
    CONTEXT.set(outer);
    match ended {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(_)) => Err(Stopped::Cancelled),
        // Without the message of the panic, which may quote the request. The panic hook has logged its place.
        Err(_) => Err(Stopped::Panicked),
    }
}

/// Cancels a task when its client goes away.
pub struct CancelOnDrop(Token);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Tasks that one client may run at a time: one thread stays free for others.
    fn share(&self) -> usize {
        (self.limits.threads - 1).max(1)
    }

    /// Gives free threads to waiting tasks: to the client with the fewest running ones first.
    fn grant(self: &Arc<Self>) {
        loop {
            let next = {
                let mut state = self.lock();
                state.waiting.retain(|waiting| !waiting.thread.is_closed());
                if state.running.len() >= self.limits.threads {
                    return;
                }
                let of =
                    |owner: &Owner| state.running.iter().filter(|task| task.caller.owner == *owner).count();
                let next = state.waiting.iter().enumerate();
                let next = next.map(|(at, waiting)| (of(&waiting.caller.owner), at)).min();
                let Some((_, at)) = next.filter(|(running, _)| *running < self.share()) else { return };
                let Waiting { number, caller, thread, .. } = state.waiting.remove(at);
                let token = Token::default();
                state.running.push(Running { number, caller, since: Instant::now(), token: token.clone() });
                (thread, Permit { shared: self.clone(), number, token })
            };
            // A client that has just gone drops the permit, which frees the thread again.
            let (thread, permit) = next;
            let _ = thread.send(permit);
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.shared.lock().running.retain(|task| task.number != self.number);
        self.shared.grant();
    }
}

/// Bytes that tasks share.
pub struct Budget {
    /// Words for what the bytes are.
    what: &'static str,
    /// Flag that sets the limit.
    flag: &'static str,
    max: u64,
    used: Mutex<Used>,
    freed: Condvar,
}

#[derive(Default)]
struct Used {
    bytes: u64,
    /// Bytes of each work that has claimed any, by the address of its token.
    of: HashMap<usize, u64>,
}

impl Used {
    fn add(&mut self, token: &Token, bytes: u64) {
        self.bytes += bytes;
        *self.of.entry(address(token)).or_default() += bytes;
    }

    fn subtract(&mut self, token: &Token, bytes: u64) {
        self.bytes -= bytes;
        if let Some(own) = self.of.get_mut(&address(token)) {
            *own -= bytes;
            if *own == 0 {
                self.of.remove(&address(token));
            }
        }
    }
}

/// Address of a token, which no other one has while a claim holds it.
fn address(token: &Token) -> usize {
    std::ptr::from_ref(token.flag()).addr()
}

/// Claimed memory, free again when dropped.
pub struct Claim {
    budget: Arc<Budget>,
    /// Cancels the work that made the claim.
    token: Token,
    bytes: u64,
}

impl Claim {
    /// Claims more bytes of the same budget, for the running task.
    ///
    /// # Errors
    /// More than the limit, or others keep the bytes for too long.
    pub fn grow(&mut self, bytes: u64) -> Result<(), Refused> {
        self.grow_within(bytes, REQUEST_PATIENCE)
    }

    /// Number of claimed bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    fn grow_within(&mut self, bytes: u64, patience: Duration) -> Result<(), Refused> {
        self.budget.take(&self.token, self.bytes, bytes, patience)?;
        self.bytes += bytes;
        Ok(())
    }
}

/// A budget in which a client may claim up to half of what others leave, so that one more client always finds some.
pub struct Shares {
    budget: Arc<Budget>,
    /// Bytes of each client that has claimed any.
    of: Mutex<HashMap<Owner, u64>>,
}

/// Bytes of a client, free again when dropped.
pub struct Share {
    shares: Arc<Shares>,
    owner: Owner,
    claim: Claim,
}

impl Shares {
    /// A share of nothing, to grow.
    pub fn of(self: &Arc<Self>, owner: Owner) -> Share {
        Share { shares: self.clone(), owner, claim: self.budget.empty_claim() }
    }

    /// Limit of all clients in bytes.
    pub fn max(&self) -> u64 {
        self.budget.max
    }

    /// Claimed bytes of all clients.
    pub fn used(&self) -> u64 {
        self.budget.used()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Owner, u64>> {
        lock(&self.of)
    }
}

impl Share {
    /// Claims more bytes. Does not wait.
    ///
    /// # Errors
    /// The client, or all clients together, have too many.
    pub fn grow(&mut self, bytes: u64) -> Result<(), Refused> {
        let Budget { what, max, .. } = *self.shares.budget;
        let mut of = self.shares.lock();
        // All claims of this budget are made under this lock.
        let used = self.shares.used();
        let own = of.get(&self.owner).copied().unwrap_or(0);
        if own + bytes > (max - (used - own)) / 2 {
            return Err(Refused::Busy { what, needs: bytes, used, max });
        }
        self.claim.grow_within(bytes, Duration::ZERO)?;
        of.insert(self.owner.clone(), own + bytes);
        Ok(())
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut of = self.shares.lock();
        if let Some(own) = of.get_mut(&self.owner) {
            *own -= self.claim.bytes;
            if *own == 0 {
                of.remove(&self.owner);
            }
        }
        // The claim is freed after this; until then, the budget only seems fuller.
    }
}

/// What a running task may use.
#[derive(Clone)]
struct Context {
    memory: Arc<Budget>,
    token: Token,
    /// Max time that a claim waits.
    patience: Duration,
}

thread_local! {
    static CONTEXT: RefCell<Option<Context>> = const { RefCell::new(None) };
}

/// Claims memory for a value of the running task. Waits while others use it. Outside tasks, as on the command line, there is
/// no limit and no claim.
///
/// # Errors
/// More than the limit, or others keep the memory for too long.
pub fn claim(bytes: u64) -> Result<Option<Claim>, Refused> {
    let Some(context) = CONTEXT.with_borrow(Clone::clone) else { return Ok(None) };
    let mut claim = context.memory.empty_claim();
    claim.token = context.token;
    claim.grow_within(bytes, context.patience)?;
    Ok(Some(claim))
}

impl Budget {
    fn new(what: &'static str, flag: &'static str, max: u64) -> Budget {
        Budget { what, flag, max, used: Mutex::default(), freed: Condvar::new() }
    }

    /// A claim of nothing, to grow.
    pub fn empty_claim(self: &Arc<Self>) -> Claim {
        Claim { budget: self.clone(), token: Token::default(), bytes: 0 }
    }

    /// Limit in bytes.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// Claimed bytes.
    pub fn used(&self) -> u64 {
        lock(&self.used).bytes
    }

    /// Bytes claimed by the work that this token cancels.
    pub fn used_by(&self, token: &Token) -> u64 {
        lock(&self.used).of.get(&address(token)).copied().unwrap_or(0)
    }

    /// Takes `bytes` for a claim of the work of `token` that has `held` already. Waits up to `patience`, or until the task is
    /// cancelled, while others use them.
    ///
    /// # Errors
    /// More than the limit, or others keep the bytes for too long.
    fn take(&self, token: &Token, held: u64, bytes: u64, patience: Duration) -> Result<(), Refused> {
        let (max, what) = (self.max, self.what);
        // The limit counts for the whole claim.
        if held + bytes > max {
            return Err(Refused::TooLarge { what, flag: self.flag, needs: held + bytes, max });
        }
        let began = Instant::now();
        let mut used = lock(&self.used);
        while used.bytes + bytes > max {
            cancel::check();
            if began.elapsed() >= patience {
                return Err(Refused::Busy { what, needs: bytes, used: used.bytes, max });
            }
            let waited = self.freed.wait_timeout(used, CLAIM_STEP);
            used = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        used.add(token, bytes);
        Ok(())
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        lock(&self.budget.used).subtract(&self.token, self.bytes);
        self.budget.freed.notify_all();
    }
}

impl std::fmt::Debug for Claim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes", self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn tasks(threads: usize) -> Tasks {
        Tasks::new(Limits { threads, waiting: 8, bytes: 100, disk: 100, bodies: 100 })
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

    #[tokio::test]
    async fn dropping_a_request_stops_its_task_and_frees_its_thread() {
        let tasks = tasks(1);
        let endless = || loop {
            cancel::check();
        };
        let running = tokio::spawn({
            let tasks = tasks.clone();
            async move { tasks.run(owner("a"), endless).await }
        });
        until(|| tasks.counts() == (1, 0)).await;
        let waiting = tokio::spawn({
            let tasks = tasks.clone();
            async move { tasks.run(owner("b"), endless).await }
        });
        until(|| tasks.counts() == (1, 1)).await;
        waiting.abort();
        until(|| tasks.counts() == (1, 0)).await;
        running.abort();
        until(|| tasks.counts() == (0, 0)).await;
        assert_eq!(tasks.run(owner("c"), || 3).await.unwrap(), 3);
    }

    #[tokio::test]
    async fn a_listed_task_shows_its_memory_and_can_be_stopped() {
        let tasks = tasks(1);
        let start = || {
            let tasks = tasks.clone();
            tokio::spawn(async move {
                let work = || {
                    let _claim = claim(60);
                    loop {
                        cancel::check();
                    }
                };
                tasks.run::<()>(owner("a"), work).await
            })
        };
        let running = start();
        until(|| tasks.list().first().is_some_and(|task| task.memory == Some(60))).await;
        let waiting = start();
        until(|| tasks.list().len() == 2).await;
        let listed = tasks.list();
        assert_eq!((listed[1].memory, &*listed[1].caller.owner.0), (None, "a"));
        assert!(tasks.stop(listed[1].number) && !tasks.stop(listed[1].number) && !tasks.stop(99));
        assert!(matches!(waiting.await.unwrap(), Err(Stopped::Cancelled)));
        assert!(tasks.stop(listed[0].number));
        assert!(matches!(running.await.unwrap(), Err(Stopped::Cancelled)));
        assert_eq!((tasks.memory.used(), tasks.list().len()), (0, 0));
    }

    #[tokio::test]
    async fn a_panic_is_an_error_of_its_task_alone() {
        let tasks = tasks(1);
        let ended = tasks.run(owner("a"), || panic!("for this test")).await;
        assert!(matches!(ended, Err::<(), _>(Stopped::Panicked)));
        assert_eq!(tasks.run(owner("a"), || 3).await.unwrap(), 3);
    }

    #[tokio::test]
    async fn clients_take_turns_and_leave_a_thread_free() {
        let tasks = tasks(3);
        let (release, held) = mpsc::channel::<()>();
        let held = Arc::new(Mutex::new(held));
        let order = Arc::new(Mutex::new(Vec::new()));
        let mut all = Vec::new();
        let mut start = |name: &'static str, waits: bool| {
            let (tasks, held, order) = (tasks.clone(), held.clone(), order.clone());
            all.push(tokio::spawn(async move {
                let work = move || {
                    order.lock().unwrap().push(name);
                    if waits {
                        let _ = held.lock().unwrap().recv();
                    }
                };
                tasks.run(owner(name), work).await.unwrap();
            }));
        };
        for _ in 0..4 {
            start("greedy", true);
        }
        until(|| tasks.counts() == (2, 2)).await;
        start("modest", false);
        until(|| order.lock().unwrap().contains(&"modest")).await;
        assert_eq!(tasks.counts().1, 2, "the others of the greedy client still wait");
        drop(release);
        for task in all {
            task.await.unwrap();
        }
    }

    #[tokio::test]
    async fn a_full_queue_refuses() {
        let tasks = tasks(1);
        let permit = tasks.permit(owner("a")).await.unwrap();
        let mut waiting: Vec<_> = (0..8).map(|_| Box::pin(tasks.permit(owner("b")))).collect();
        for each in &mut waiting {
            assert!(tokio::time::timeout(Duration::from_millis(1), each).await.is_err());
        }
        assert!(matches!(tasks.permit(owner("c")).await, Err(Stopped::Refused(Refused::Full(8)))));
        drop(waiting);
        drop(permit);
        drop(tasks.permit(owner("c")).await.unwrap());
    }

    #[test]
    fn memory_is_claimed_refused_and_free_again() {
        let memory = Arc::new(Budget::new("memory", "--memory", 100));
        let token = Token::default();
        let claimed = within(&memory, &token, Duration::from_secs(1), || claim(60)).unwrap().unwrap();
        let refused = within(&memory, &token, Duration::from_secs(1), || claim(101)).unwrap().unwrap_err();
        assert!(matches!(refused, Refused::TooLarge { needs: 101, max: 100, .. }));
        token.cancel();
        assert!(matches!(
            within(&memory, &token, Duration::from_secs(1), || claim(50)),
            Err(Stopped::Cancelled)
        ));
        drop(claimed);
        assert_eq!(memory.used(), 0);
        let waits = Token::default();
        assert!(within(&memory, &waits, Duration::from_secs(1), || claim(100)).unwrap().unwrap().is_some());
        assert!(claim(1000).unwrap().is_none(), "no limit outside tasks");
    }
}
