//! The studio's side: hands out tasks and takes their results.

use super::{
    ACK_WAIT, ALIVE_EVERY, Address, Bus, BusError, CONSUMER, Payload, Reply, SearchObject, StudioMessage,
    Task, Work, hash, read, write,
};
use crate::{VERSION, lock, simulations::Points};
use search::{
    checkpoint::fingerprint,
    epoch::{Epoch, EpochEnd, EpochRunner, Epochs, Machines, Watch},
    options::Options,
};
use serde::{Deserialize, de::DeserializeOwned};
use shared::{
    api::StartWork,
    form::toml,
    resolve::form_of,
    search::SearchRequest,
    simulation::{LoadProgress, Point},
};
use simulate::SimulateError;
use std::{
    collections::HashMap,
    pin::pin,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};
use tokio::{
    runtime::Handle,
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    sync::{OwnedSemaphorePermit, Semaphore},
    task::JoinHandle,
};
use tokio_stream::StreamExt;
use tracing::{info, warn};

/// Time after which a silent worker counts as gone.
const GONE_AFTER: Duration = Duration::from_secs(6);
/// Time between two questions whether the island shall continue.
const WATCH_EVERY: Duration = Duration::from_millis(100);
/// Time without any worker, or without the server, after which a part goes on here.
const PATIENCE: Duration = Duration::from_secs(10);
/// Time for which a search or simulation stays on this machine after a worker or NATS has rejected a part.
const REST: Duration = Duration::from_secs(60);
/// Time of silence after which a task is looked for in the queue.
const SILENCE: Duration = Duration::from_secs(3 * ACK_WAIT.as_secs());

/// The workers of a studio.
pub struct Workers {
    shared: Arc<SharedState>,
    /// Runtime of the connection. Islands wait for it on threads of their own.
    runtime: Handle,
    /// Listens to workers until dropped.
    listeners: Vec<JoinHandle<()>>,
    /// Threads for epochs that run here.
    turns: Arc<Semaphore>,
}

struct SharedState {
    bus: Bus,
    /// Id of this studio in subjects.
    id: String,
    seen: Mutex<HashMap<String, LastHello>>,
    /// Where the events of each open task go.
    open: Mutex<HashMap<u64, UnboundedSender<Event>>>,
    next: AtomicU64,
    /// Objects of open jobs; the flag is `true` if the object is stored.
    objects: Mutex<HashMap<String, Arc<tokio::sync::Mutex<bool>>>>,
    ended: Counts,
}

/// A worker when it last said hello.
struct LastHello {
    at: Instant,
    threads: u32,
}

/// Tasks by how they ended.
#[derive(Default)]
struct Counts {
    done: AtomicU64,
    stopped: AtomicU64,
    brought_back: AtomicU64,
}

/// What happens to a task.
enum Event {
    Working,
    News(Vec<u8>),
    End(Vec<u8>),
    /// No worker can do it.
    Refused(String),
}

/// Figures for `/metrics`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    /// Live workers.
    pub workers: usize,
    /// Threads of all workers.
    pub threads: u32,
    /// Tasks that workers finished.
    pub done: u64,
    /// Tasks stopped by a cancel, a limit or a better island.
    pub stopped: u64,
    /// Tasks that had to run in this process.
    pub brought_back: u64,
}

/// End of a task; `None` if it was stopped.
type TaskEnd = Option<Vec<u8>>;
/// Takes the news of a task as bytes, and is asked several times per second whether it shall go on.
type WatchBytes<'a> = &'a mut dyn FnMut(Option<Vec<u8>>) -> bool;

/// Reason why a task has to run here.
struct RemoteFailure(String);

impl Workers {
    /// Connects to NATS and listens to workers. Up to `threads` epochs at a time run here.
    ///
    /// # Errors
    /// The server cannot be used.
    pub async fn connect(address: &Address, threads: u32) -> Result<Arc<Workers>, BusError> {
        let bus = Bus::connect(address, "crosspoint studio").await?;
        if bus.ask("any", &StudioMessage::Working(0)).await.is_some() {
            return Err(BusError::Taken(bus.prefix));
        }
        let queue = bus.queue().await?;
        bus.objects().await?;
        // Tasks of an earlier studio: its islands have gone.
        let purged = queue.purge().await;
        purged.map_err(|error| BusError::JetStream("cannot empty the task queue", error.to_string()))?;
        let shared = Arc::new(SharedState {
            bus: bus.clone(),
            id: bus.unique(),
            seen: Mutex::default(),
            open: Mutex::default(),
            next: AtomicU64::new(0),
            objects: Mutex::default(),
            ended: Counts::default(),
        });
        let listen = async |subject: String| {
            let subscribed = bus.client.subscribe(subject).await;
            subscribed.map_err(|error| BusError::JetStream("refuses a subject", error.to_string()))
        };
        let hellos = listen(bus.subject("studio.any")).await?;
        let messages = listen(bus.subject(&format!("studio.{}", shared.id))).await?;
        let dead = format!("$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.{}.{CONSUMER}", bus.queue_name());
        let dead = listen(dead).await?;
        let listeners = vec![
            tokio::spawn(answer(shared.clone(), hellos)),
            tokio::spawn(answer(shared.clone(), messages)),
            tokio::spawn(bury(shared.clone(), dead)),
        ];
        info!(server = bus.client.server_info().server_name, "connected to NATS");
        // Searches that resume at once shall find the workers that are there.
        let _ = tokio::time::timeout(2 * ALIVE_EVERY, async {
            while shared.live().is_empty() {
                tokio::time::sleep(WATCH_EVERY).await;
            }
        })
        .await;
        let turns = Arc::new(Semaphore::new(threads.max(1) as usize));
        Ok(Arc::new(Workers { shared, runtime: Handle::current(), listeners, turns }))
    }

    /// Threads of all live workers.
    pub fn threads(&self) -> u32 {
        self.shared.live().iter().sum()
    }

    /// Threads of each live worker.
    pub fn machines(&self) -> Vec<u32> {
        self.shared.live()
    }

    /// Figures for `/metrics`.
    pub fn figures(&self) -> Figures {
        let (machines, ended) = (self.shared.live(), &self.shared.ended);
        let (workers, threads) = (machines.len(), machines.iter().sum());
        let [done, stopped, brought_back] =
            [&ended.done, &ended.stopped, &ended.brought_back].map(|count| count.load(Relaxed));
        Figures { workers, threads, done, stopped, brought_back }
    }

    /// Work whose units may run on workers; one at a time runs here.
    pub fn units<'a>(&'a self, start: &'a StartWork) -> OpenWork<'a> {
        // A form is text, which only JSON keeps.
        self.open(Arc::new(Semaphore::new(1)), || serde_json::to_vec(start).unwrap_or_default())
    }

    fn open<'a>(&'a self, turns: Arc<Semaphore>, write: impl Fn() -> Vec<u8> + Sync + 'a) -> OpenWork<'a> {
        let (object, rests_until) = Default::default();
        OpenWork { workers: self, write: Box::new(write), object, rests_until, turns }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.listeners.iter().for_each(JoinHandle::abort);
    }
}

impl Machines for Workers {
    fn open<'a>(&'a self, search: &'a SearchRequest) -> Box<dyn Epochs + 'a> {
        Box::new(self.open(self.turns.clone(), || {
            let fingerprint = fingerprint(search, &Options::default());
            let spec = toml::write(&form_of(&search.spec));
            write(&SearchObject { spec, seed: search.seed, islands: search.threads, fingerprint })
        }))
    }
}

impl Epochs for OpenWork<'_> {
    fn run(&self, epoch: &Epoch, here: EpochRunner, watch: Watch) -> EpochEnd {
        let part = WorkPart::Epoch(write(epoch));
        match self.place(&part, &mut |news| watch(news.and_then(|news| read(&news)))) {
            PartPlace::Elsewhere(end) => end,
            PartPlace::Here(_turn) => here(watch),
            PartPlace::Nowhere => EpochEnd::Stopped,
        }
    }
}

impl OpenWork<'_> {
    /// Has a unit done by a worker, or with `here` in this process. Calls `watch` several times per second with news of the unit, if
    /// there are any. Stops once that returns `false`, with `None`.
    pub fn unit<T: DeserializeOwned>(
        &self,
        unit: Vec<u8>,
        here: impl FnOnce() -> Option<T>,
        watch: WatchBytes<'_>,
    ) -> Option<T> {
        match self.place(&WorkPart::Unit(unit), watch) {
            PartPlace::Elsewhere(done) => Some(done),
            PartPlace::Here(_turn) => here(),
            PartPlace::Nowhere => None,
        }
    }
}

impl Points for OpenWork<'_> {
    fn run(
        &self,
        load: f64,
        here: &mut dyn FnMut() -> Result<Point, SimulateError>,
        watch: &mut dyn FnMut(Option<LoadProgress>) -> bool,
    ) -> Option<Result<Point, SimulateError>> {
        let mut failed = None;
        let mut here = || here().map_err(|error| failed = Some(error)).ok();
        let point = self.unit(write(&load), &mut here, &mut |news| watch(news.and_then(|news| read(&news))));
        failed.map(Err).or(point.map(Ok))
    }
}

/// Work whose parts may run on workers.
pub struct OpenWork<'a> {
    workers: &'a Workers,
    /// Writes the object that all parts share.
    write: Box<dyn Fn() -> Vec<u8> + Sync + 'a>,
    /// The object, once a part has needed it.
    object: OnceLock<Object>,
    rests_until: Mutex<Option<Instant>>,
    /// A part that runs here takes one.
    turns: Arc<Semaphore>,
}

/// An object in the store.
struct Object {
    name: String,
    /// `true` once it is there.
    stored: Arc<tokio::sync::Mutex<bool>>,
}

/// A part of work.
enum WorkPart {
    /// An epoch as bytes.
    Epoch(Vec<u8>),
    /// A unit of other work as bytes.
    Unit(Vec<u8>),
}

/// Place where a part runs.
enum PartPlace<T> {
    /// A worker has finished it.
    Elsewhere(T),
    /// This process, while the turn is held.
    Here(OwnedSemaphorePermit),
    /// It was stopped.
    Nowhere,
}

impl OpenWork<'_> {
    /// Has a part done by a worker, or takes a turn for it here.
    fn place<T: DeserializeOwned>(&self, part: &WorkPart, watch: WatchBytes) -> PartPlace<T> {
        let shared = &self.workers.shared;
        self.workers.runtime.block_on(async {
            loop {
                if self.may_leave() {
                    match self.leave(part, watch).await {
                        Ok(Some(end)) => {
                            shared.ended.done.fetch_add(1, Relaxed);
                            return PartPlace::Elsewhere(end);
                        }
                        Ok(None) => {
                            shared.ended.stopped.fetch_add(1, Relaxed);
                            return PartPlace::Nowhere;
                        }
                        Err(RemoteFailure(why)) => {
                            warn!(why, "a part continues in this process");
                            shared.ended.brought_back.fetch_add(1, Relaxed);
                            if shared.is_reachable() {
                                *lock(&self.rests_until) = Some(Instant::now() + REST);
                            }
                        }
                    }
                }
                if let Some(place) = self.turn(watch).await {
                    return place;
                }
            }
        })
    }

    /// `true` if workers may take a part.
    fn may_leave(&self) -> bool {
        let rests = lock(&self.rests_until).is_some_and(|until| Instant::now() < until);
        !rests && self.workers.shared.is_reachable()
    }

    /// Runs a part on a worker. Returns `None` if the work was stopped.
    async fn leave<T: DeserializeOwned>(
        &self,
        part: &WorkPart,
        watch: WatchBytes<'_>,
    ) -> Result<Option<T>, RemoteFailure> {
        let shared = &self.workers.shared;
        let name = self.stored().await?;
        let work = match part {
            WorkPart::Epoch(bytes) => {
                Work::Epoch { search: name, epoch: shared.bus.pack(bytes.clone()).await? }
            }
            WorkPart::Unit(bytes) => Work::Unit { work: name, unit: bytes.clone() },
        };
        let done = shared.run(work, watch).await;
        if let (Err(_), Some(object)) = (&done, self.object.get()) {
            // It may be lost; the next task stores it again.
            *object.stored.lock().await = false;
        }
        let Some(end) = done? else { return Ok(None) };
        read(&end).map(Some).ok_or_else(|| RemoteFailure("the result of a worker cannot be read".into()))
    }

    /// Name of the object, which is stored for the first task.
    async fn stored(&self) -> Result<String, RemoteFailure> {
        let shared = &self.workers.shared;
        let mut written = None;
        let object = self.object.get_or_init(|| {
            let bytes = written.insert((self.write)());
            let name = hash(bytes);
            let stored = lock(&shared.objects).entry(name.clone()).or_default().clone();
            Object { name, stored }
        });
        let mut stored = object.stored.lock().await;
        if !*stored {
            let bytes = written.unwrap_or_else(|| (self.write)());
            shared.bus.put(&object.name, &bytes).await?;
            *stored = true;
        }
        Ok(object.name.clone())
    }

    /// Waits for free threads on this machine; `None` if workers become available first.
    async fn turn<T>(&self, watch: WatchBytes<'_>) -> Option<PartPlace<T>> {
        let mut turn = pin!(self.turns.clone().acquire_owned());
        loop {
            match tokio::time::timeout(WATCH_EVERY, &mut turn).await {
                Ok(turn) => return Some(turn.map_or(PartPlace::Nowhere, PartPlace::Here)),
                Err(_) if !watch(None) => return Some(PartPlace::Nowhere),
                Err(_) if self.may_leave() => return None,
                Err(_) => {}
            }
        }
    }
}

impl Drop for OpenWork<'_> {
    fn drop(&mut self) {
        let Some(Object { name, stored }) = self.object.take() else { return };
        let shared = self.workers.shared.clone();
        {
            let mut objects = lock(&shared.objects);
            drop(stored);
            if objects.get(&name).is_some_and(|stored| Arc::strong_count(stored) > 1) {
                return;
            }
            objects.remove(&name);
        }
        self.workers.runtime.spawn(async move { shared.bus.forget(&Payload::Stored(name)).await });
    }
}

impl From<BusError> for RemoteFailure {
    fn from(error: BusError) -> RemoteFailure {
        RemoteFailure(error.to_string())
    }
}

impl SharedState {
    /// Threads of each live worker.
    fn live(&self) -> Vec<u32> {
        let mut seen = lock(&self.seen);
        seen.retain(|id, seen| {
            let here = seen.at.elapsed() < GONE_AFTER;
            if !here {
                info!(worker = id, "a worker disconnected");
            }
            here
        });
        seen.values().map(|seen| seen.threads).collect()
    }

    /// `true` if the server and at least one worker answer.
    fn is_reachable(&self) -> bool {
        self.bus.is_connected() && !self.live().is_empty()
    }

    /// Has work done by a worker. `None` if it was stopped.
    ///
    /// # Errors
    /// It must be done here.
    async fn run(&self, work: Work, watch: WatchBytes<'_>) -> Result<TaskEnd, RemoteFailure> {
        let number = self.next.fetch_add(1, Relaxed);
        let task = Task { version: VERSION.into(), studio: self.id.clone(), number, work };
        let (sender, events) = unbounded_channel();
        lock(&self.open).insert(number, sender);
        let mut open = OpenTask { shared: self, task, events, place: 0 };
        let done = open.finish(watch).await;
        if !matches!(done, Ok(Some(_))) {
            self.withdraw(number, open.place).await;
        }
        if let Work::Epoch { epoch, .. } = &open.task.work {
            self.bus.forget(epoch).await;
        }
        done
    }

    /// Publishes a task; its place in the queue.
    async fn publish(&self, task: &Task) -> Result<u64, RemoteFailure> {
        let failed = |error: &dyn std::fmt::Display| RemoteFailure(format!("NATS accepts no tasks: {error}"));
        let subject = self.bus.subject("tasks");
        let sent = self.bus.context.publish(subject, write(task).into()).await.map_err(|e| failed(&e))?;
        Ok(sent.await.map_err(|error| failed(&error))?.sequence)
    }

    /// Stops a task and takes it from the queue.
    async fn withdraw(&self, number: u64, place: u64) {
        let stop = write(&(&self.id, number));
        // Without a connection, workers notice when they ask.
        if self.bus.is_connected() {
            let _ = self.bus.client.publish(self.bus.subject("stop"), stop.into()).await;
            if let Some(queue) = self.bus.known_queue().await {
                let _ = queue.delete_message(place).await;
            }
        }
    }

    /// `true` if a task waits in the queue or is with a worker.
    async fn is_queued(&self, place: u64) -> bool {
        match self.bus.known_queue().await {
            Some(queue) => queue.get_raw_message(place).await.is_ok(),
            None => false,
        }
    }
}

/// A task whose result is awaited.
struct OpenTask<'a> {
    shared: &'a SharedState,
    task: Task,
    events: UnboundedReceiver<Event>,
    /// Place in the queue.
    place: u64,
}

impl Drop for OpenTask<'_> {
    fn drop(&mut self) {
        lock(&self.shared.open).remove(&self.task.number);
    }
}

impl OpenTask<'_> {
    /// Puts the task into the queue, which is made again if somebody has deleted it. `false` if the task was stopped meanwhile.
    async fn publish(&mut self, watch: WatchBytes<'_>) -> Result<bool, RemoteFailure> {
        let began = Instant::now();
        loop {
            match self.shared.publish(&self.task).await {
                Ok(place) => {
                    self.place = place;
                    return Ok(true);
                }
                Err(failed) if began.elapsed() > PATIENCE => return Err(failed),
                Err(RemoteFailure(why)) => {
                    warn!(why, "trying again");
                    if self.shared.bus.is_connected() {
                        // An error shows at the next attempt.
                        let _ = self.shared.bus.queue().await;
                    }
                }
            }
            if !watch(None) {
                return Ok(false);
            }
            tokio::time::sleep(WATCH_EVERY).await;
        }
    }

    async fn finish(&mut self, watch: WatchBytes<'_>) -> Result<TaskEnd, RemoteFailure> {
        if !self.publish(watch).await? {
            return Ok(None);
        }
        let (mut heard, mut reachable) = (Instant::now(), Instant::now());
        loop {
            let event = tokio::time::timeout(WATCH_EVERY, self.events.recv()).await;
            if event.is_ok() {
                heard = Instant::now();
            }
            let news = match event.ok().flatten() {
                Some(Event::End(end)) => return Ok(Some(end)),
                Some(Event::Refused(why)) => return Err(RemoteFailure(why)),
                Some(Event::News(news)) => Some(news),
                Some(Event::Working) | None => None,
            };
            if !watch(news) {
                return Ok(None);
            }
            if self.shared.is_reachable() {
                reachable = Instant::now();
            }
            if reachable.elapsed() > PATIENCE {
                let why = if self.shared.bus.is_connected() {
                    "no workers are left"
                } else {
                    "NATS is unreachable"
                };
                return Err(RemoteFailure(why.into()));
            }
            if heard.elapsed() > SILENCE {
                // Somebody has emptied the queue, or the server has lost it.
                if !self.shared.is_queued(self.place).await && !self.publish(watch).await? {
                    return Ok(None);
                }
                heard = Instant::now();
            }
        }
    }
}

/// Answers workers.
async fn answer(shared: Arc<SharedState>, mut messages: async_nats::Subscriber) {
    while let Some(message) = messages.next().await {
        let shared = shared.clone();
        // Reading a large result from the object store holds nobody up.
        tokio::spawn(async move {
            let Some(reply) = reply(&shared, &message.payload).await else { return };
            if let Some(to) = message.reply {
                let _ = shared.bus.client.publish(to, write(&reply).into()).await;
            }
        });
    }
}

async fn reply(shared: &SharedState, payload: &[u8]) -> Option<Reply> {
    let open = |number: u64| lock(&shared.open).get(&number).cloned();
    // One that has just gone.
    let sent = |number: u64, event: Event| match open(number).map(|task| task.send(event)) {
        Some(Ok(())) => Reply::Yes,
        _ => Reply::No,
    };
    // Other versions may know other messages.
    Some(match read(payload)? {
        StudioMessage::Hello { version, id, threads } => {
            let known = lock(&shared.seen).contains_key(&id);
            if version == VERSION {
                if !known {
                    info!(worker = id, threads, "a worker connected");
                }
                lock(&shared.seen).insert(id, LastHello { at: Instant::now(), threads });
            } else {
                warn!(worker = id, version, "a worker of another version was rejected");
            }
            Reply::Version(VERSION.into())
        }
        StudioMessage::Working(number) => sent(number, Event::Working),
        StudioMessage::News(number, news) => sent(number, Event::News(news)),
        StudioMessage::Refused(number, why) => sent(number, Event::Refused(why)),
        StudioMessage::End(number, packed) if open(number).is_none() => {
            shared.bus.forget(&packed).await;
            Reply::No
        }
        StudioMessage::End(number, packed) => {
            let bytes = shared.bus.unpack(packed.clone()).await.ok()?;
            let reply = sent(number, Event::End(bytes));
            shared.bus.forget(&packed).await;
            reply
        }
    })
}

/// A note that a task was delivered too often.
#[derive(Deserialize)]
struct Advisory {
    stream_seq: u64,
    deliveries: u64,
}

/// Takes tasks that no worker finishes from the queue, sends them to the subject of dead tasks, and lets their islands go on
/// here.
async fn bury(shared: Arc<SharedState>, mut advisories: async_nats::Subscriber) {
    while let Some(message) = advisories.next().await {
        let Ok(advisory) = serde_json::from_slice::<Advisory>(&message.payload) else { continue };
        let Some(queue) = shared.bus.known_queue().await else { continue };
        let Ok(dead) = queue.get_raw_message(advisory.stream_seq).await else { continue };
        let Some(task) = read::<Task>(&dead.payload) else { continue };
        let why = format!("{} workers did not finish it", advisory.deliveries);
        let _ = shared.bus.client.publish(shared.bus.subject("dead"), dead.payload).await;
        let _ = queue.delete_message(advisory.stream_seq).await;
        if let Some(open) = lock(&shared.open).get(&task.number).filter(|_| task.studio == shared.id) {
            let _ = open.send(Event::Refused(why));
        }
    }
}
