//! The worker's side: takes tasks from the queue and does them.

use super::{
    ACK_WAIT, ALIVE_EVERY, Address, Bus, BusError, HEADROOM, Reply, SearchObject, StudioMessage, Task, Work,
    read, write,
};
use crate::{
    VERSION, lock,
    prepare::Request,
    work::{Units, kind},
};
use async_nats::jetstream::{AckKind, Message, consumer::PullConsumer};
use search::{
    checkpoint::fingerprint,
    epoch::{EpochEnd, EpochProgress, Instances, PART, run},
    options::Options,
    request::memory,
};
use shared::{
    api::StartWork,
    resolve::NoFiles,
    search::{Budget, SearchRequest},
    text::grouped,
};
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    time::Duration,
};
use tokio::{
    sync::{OnceCell, mpsc::unbounded_channel},
    time::timeout,
};
use tokio_stream::StreamExt;
use tracing::{debug, info, warn};

/// Time for which one request for a task waits at the server.
const PULL_FOR: Duration = Duration::from_secs(2);
/// Pause while no studio or server answers.
const PAUSE: Duration = Duration::from_secs(1);
/// Max signs of life in a row that the studio leaves unanswered while a task runs.
const MAX_UNANSWERED: u32 = 20;
/// Attempts to hand in a result.
const MAX_HAND_INS: u32 = 10;
/// The next task, if one comes soon. Errors: the queue is gone.
async fn next(consumer: &PullConsumer) -> Result<Option<Message>, ()> {
    let mut messages = consumer.fetch().max_messages(1).expires(PULL_FOR).messages().await.map_err(drop)?;
    // The server may be gone without a word.
    match timeout(PULL_FOR * 2, messages.next()).await {
        Ok(next) => next.transpose().map_err(drop),
        Err(_) => Err(()),
    }
}

/// Settings of a worker.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Tasks at once.
    pub threads: u32,
    /// Max bytes of all problems together, by their estimates.
    pub memory: u64,
}

/// A worker that cannot work.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// No connection.
    #[error("{0}")]
    Bus(#[from] BusError),
    /// The studio has another version.
    #[error("this worker has version {VERSION}, the studio {0}. Install the same version on both")]
    Version(String),
}

/// A worker.
struct Worker {
    bus: Bus,
    id: String,
    limits: Limits,
    /// `true` once the worker ends.
    ending: AtomicBool,
    /// Flags of running tasks, by studio and number.
    running: Mutex<HashMap<(String, u64), Arc<AtomicBool>>>,
    /// Problems of the last tasks, the latest first.
    kept: Mutex<Vec<CachedProblem>>,
}

/// A problem that tasks have worked on here.
#[derive(Clone)]
struct CachedProblem {
    name: String,
    /// The problem and its bytes, once a task has read it.
    problem: Arc<OnceCell<LoadResult>>,
}

/// A problem and its bytes, or the reason why the worker cannot run it.
type LoadResult = Result<(Arc<Problem>, u64), String>;

/// Does tasks until `stop` ends, then gives unfinished ones back.
///
/// # Errors
/// The server cannot be used, or the studio has another version.
pub async fn work(
    address: &Address,
    limits: Limits,
    stop: impl Future<Output = ()>,
) -> Result<(), WorkerError> {
    let bus = Bus::connect(address, "crosspoint worker").await?;
    // A server without JetStream never has tasks.
    bus.objects().await?;
    let (ending, running, kept) = Default::default();
    let id = bus.unique();
    let worker = Arc::new(Worker { bus, id, limits, ending, running, kept });
    let stops = worker.bus.client.subscribe(worker.bus.subject("stop")).await;
    let stops = stops.map_err(|error| BusError::JetStream("refuses a subject", error.to_string()))?;
    info!(worker = worker.id, threads = limits.threads, "waiting for tasks");
    search::team::limit_cores(limits.threads);
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..limits.threads {
        tasks.spawn(worker.clone().take_tasks());
    }
    tasks.spawn(worker.clone().hear_stops(stops));
    let ended = tokio::select! {
        version = worker.say_hello() => Err(WorkerError::Version(version)),
        () = stop => Ok(()),
    };
    worker.ending.store(true, SeqCst);
    lock(&worker.running).values().for_each(|stop| stop.store(true, SeqCst));
    // Unfinished tasks go back to the queue.
    let _ =
        timeout(PULL_FOR + PAUSE, async { while tasks.len() > 1 && tasks.join_next().await.is_some() {} })
            .await;
    tasks.shutdown().await;
    let _ = timeout(PAUSE, worker.bus.client.flush()).await;
    ended
}

impl Worker {
    /// Says hello until the studio turns out to have another version.
    async fn say_hello(&self) -> String {
        let mut alone = false;
        loop {
            let hello = StudioMessage::Hello {
                version: VERSION.into(),
                id: self.id.clone(),
                threads: self.limits.threads,
            };
            match self.bus.ask("any", &hello).await {
                Some(Reply::Version(version)) if version != VERSION => return version,
                Some(_) if alone => {
                    info!("a studio answers");
                    alone = false;
                }
                Some(_) => {}
                None if !alone => {
                    info!("no studio answers; waiting for one");
                    alone = true;
                }
                None => {}
            }
            tokio::time::sleep(ALIVE_EVERY).await;
        }
    }

    async fn hear_stops(self: Arc<Self>, mut stops: async_nats::Subscriber) {
        while let Some(message) = stops.next().await {
            if let Some(task) = read::<(String, u64)>(&message.payload)
                && let Some(stop) = lock(&self.running).get(&task)
            {
                stop.store(true, SeqCst);
            }
        }
    }

    /// Takes one task after another.
    async fn take_tasks(self: Arc<Self>) {
        let mut consumer = None;
        while !self.ending.load(SeqCst) {
            if consumer.is_none() {
                consumer = self.bus.consumer().await;
            }
            let next = match &consumer {
                Some(consumer) => next(consumer).await,
                None => Err(()),
            };
            let message = match next {
                Ok(Some(message)) => message,
                Ok(None) => continue,
                Err(()) => {
                    // No studio has been here yet, or the server is gone.
                    consumer = None;
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
            };
            let answer = match read::<Task>(&message.payload).filter(|task| task.version == VERSION) {
                Some(task) => self.finish(&message, &task).await,
                // Another version's.
                None => AckKind::Nak(Some(ACK_WAIT)),
            };
            if let Err(error) = message.ack_with(answer).await {
                // It will be delivered again, and gives the same result.
                debug!(%error, "an acknowledgement was lost");
            }
        }
    }

    /// Runs a task and hands in its result; what to tell the queue.
    async fn finish(&self, message: &Message, task: &Task) -> AckKind {
        let key = (task.studio.clone(), task.number);
        let stop = Arc::new(AtomicBool::new(false));
        lock(&self.running).insert(key.clone(), stop.clone());
        if self.ending.load(SeqCst) {
            stop.store(true, SeqCst);
        }
        let answer = tokio::select! {
            answer = self.run(message, task, stop.clone()) => answer,
            () = self.keep_alive(message, task, &stop) => AckKind::Nak(None),
        };
        lock(&self.running).remove(&key);
        answer
    }

    /// Sends heartbeats for a task and cancels it when it is no longer needed. Never returns.
    async fn keep_alive(&self, message: &Message, task: &Task, stop: &AtomicBool) {
        let (mut life, mut unanswered) = (tokio::time::interval(ALIVE_EVERY), 0);
        loop {
            life.tick().await;
            if let Err(error) = message.ack_with(AckKind::Progress).await {
                debug!(%error, "a heartbeat was lost");
            }
            unanswered = match self.bus.ask(&task.studio, &StudioMessage::Working(task.number)).await {
                Some(Reply::No) => MAX_UNANSWERED,
                Some(_) => 0,
                None => unanswered + 1,
            };
            if unanswered >= MAX_UNANSWERED {
                stop.store(true, SeqCst);
            }
        }
    }

    async fn run(&self, message: &Message, task: &Task, stop: Arc<AtomicBool>) -> AckKind {
        let prepared = async {
            let bytes = match &task.work {
                Work::Epoch { epoch, .. } => {
                    self.bus.unpack(epoch.clone()).await.map_err(|e| e.to_string())?
                }
                Work::Unit { .. } => Vec::new(),
            };
            Ok::<_, String>((bytes, self.problem(&task.work).await?))
        };
        let refused = |why: String| {
            warn!(why, "rejected a task");
            StudioMessage::Refused(task.number, why)
        };
        let (epoch, problem) = match prepared.await {
            Ok(prepared) => prepared,
            Err(why) => return self.hand_in(message, task, &refused(why)).await,
        };
        let (sender, mut news) = unbounded_channel();
        let (work, room) = (task.work.clone(), self.bus.client.max_payload().saturating_sub(HEADROOM));
        let computed = tokio::task::spawn_blocking(move || {
            // The task may have been given up.
            let report = |news: Vec<u8>| _ = sender.send(news);
            problem.compute(&work, &epoch, &stop, (room, &report))
        });
        // The computation's end closes the channel.
        while let Some(news) = news.recv().await {
            self.send_news(task, news).await;
        }
        let result = match computed.await.unwrap_or_else(|_| Err("a worker crashed".into())) {
            Ok(Some(end)) => match self.bus.pack(end).await {
                Ok(packed) => StudioMessage::End(task.number, packed),
                Err(error) => refused(error.to_string()),
            },
            // Somebody else finishes it, if it is still wanted.
            Ok(None) => {
                let wanted = self.bus.ask(&task.studio, &StudioMessage::Working(task.number)).await;
                return if wanted == Some(Reply::No) { AckKind::Ack } else { AckKind::Nak(None) };
            }
            Err(why) => refused(why),
        };
        self.hand_in(message, task, &result).await
    }

    async fn send_news(&self, task: &Task, news: Vec<u8>) {
        let bytes = write(&StudioMessage::News(task.number, news));
        let subject = self.bus.subject(&format!("studio.{}", task.studio));
        if let Err(error) = self.bus.client.publish(subject, bytes.into()).await {
            debug!(%error, "an update was lost");
        }
    }

    /// Hands in a result until the studio has it or does not want it.
    async fn hand_in(&self, message: &Message, task: &Task, result: &StudioMessage) -> AckKind {
        for _ in 0..MAX_HAND_INS {
            if self.bus.ask(&task.studio, result).await.is_some() {
                return AckKind::Ack;
            }
            let _ = message.ack_with(AckKind::Progress).await;
            tokio::time::sleep(PAUSE / 2).await;
        }
        AckKind::Nak(None)
    }

    /// The problem of a task, read once for all tasks at hand.
    async fn problem(&self, work: &Work) -> Result<Arc<Problem>, String> {
        let name = work.object();
        let kept = {
            let mut kept = lock(&self.kept);
            let at = kept.iter().position(|kept| kept.name == name);
            let this = at.map(|at| kept.remove(at));
            let this = this.unwrap_or_else(|| CachedProblem { name: name.into(), problem: Arc::default() });
            kept.insert(0, this.clone());
            // Older ones make room for this one.
            let mut bytes = 0;
            kept.retain(|kept| {
                bytes += kept.problem.get().map_or(0, |read| read.as_ref().map_or(0, |(_, bytes)| *bytes));
                kept.name == name || bytes <= self.limits.memory / 2
            });
            this
        };
        let read = kept.problem.get_or_init(|| self.read_problem(work)).await.clone();
        if read.is_err() {
            lock(&self.kept).retain(|kept| kept.name != name);
        }
        read.map(|(problem, _)| problem)
    }

    async fn read_problem(&self, work: &Work) -> LoadResult {
        let bytes = self.bus.get(work.object()).await.map_err(|error| error.to_string())?;
        let (limits, is_search) = (self.limits, matches!(work, Work::Epoch { .. }));
        let read = tokio::task::spawn_blocking(move || {
            let read = if is_search { read_search(&bytes, limits) } else { read_units(&bytes, limits) };
            read.map(|(problem, bytes)| (Arc::new(problem), bytes))
        });
        read.await.unwrap_or_else(|_| Err("reading the problem crashed".into()))
    }
}

/// Problem data shared by several tasks.
enum Problem {
    Search(Instances),
    Units(Box<dyn Units>),
}

impl Problem {
    /// Does a task; `None` if it was stopped. Reports news of up to `room` bytes.
    ///
    /// # Errors
    /// It cannot be done here.
    fn compute(
        &self,
        work: &Work,
        epoch: &[u8],
        stop: &AtomicBool,
        (room, report): (usize, &(dyn Fn(Vec<u8>) + Sync)),
    ) -> Result<Option<Vec<u8>>, String> {
        match (self, work) {
            (Problem::Search(instances), Work::Epoch { .. }) => {
                let epoch = read(epoch).ok_or("this version cannot read the epoch")?;
                let report = |news: EpochProgress| {
                    let whole = write(&news);
                    // A wiring that is too long for a message comes with the end of its epoch.
                    let fits = whole.len() < room;
                    report(if fits { whole } else { write(&EpochProgress { best: None, ..news }) });
                };
                let end = run(instances, &Options::default(), &epoch, PART, stop, &report);
                Ok(if end == EpochEnd::Stopped { None } else { Some(write(&end)) })
            }
            (Problem::Units(work), Work::Unit { unit, .. }) => work.unit(unit, stop, report),
            _ => Err("the task is of another kind".into()),
        }
    }
}

/// Errors: more than the memory of this worker.
fn check_memory(needs: u64, limits: Limits) -> Result<(), String> {
    if needs <= limits.memory {
        return Ok(());
    }
    let [needs, most] = [needs, limits.memory].map(|bytes| grouped(bytes >> 20));
    Err(format!("this needs about {needs} MiB; a worker has {most} MiB (--memory)"))
}

fn read_search(bytes: &[u8], limits: Limits) -> Result<(Problem, u64), String> {
    let SearchObject { spec, seed, islands, fingerprint: expected } =
        read(bytes).ok_or("this version cannot read the search")?;
    let Request { spec, demand, .. } =
        Request::read(&spec, &mut NoFiles).map_err(|error| error.to_string())?;
    let needs = memory(&spec, &demand, limits.threads);
    check_memory(needs, limits)?;
    // Epochs have limits of their own.
    let budget = Budget::Effort(1);
    let request = SearchRequest { spec, demand, budget, seed, threads: islands };
    let options = Options::default();
    if fingerprint(&request, &options) != expected {
        return Err("the worker reads the search differently".into());
    }
    let instances = Instances::read(&request, &options, &mut || true);
    instances
        .map(|instances| (Problem::Search(instances), needs))
        .ok_or_else(|| "the search was not read".into())
}

fn read_units(bytes: &[u8], limits: Limits) -> Result<(Problem, u64), String> {
    let start: StartWork =
        serde_json::from_slice(bytes).map_err(|_| "this version cannot read the work".to_owned())?;
    let (units, bytes) = kind(start.kind).units(start).map_err(|error| error.to_string())?;
    let needs = bytes.saturating_mul(limits.threads.into());
    check_memory(needs, limits)?;
    Ok((Problem::Units(units), needs))
}
