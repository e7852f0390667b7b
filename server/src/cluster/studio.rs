//! The studio's side: hands out tasks and takes their results.

use super::{
    ACK_WAIT, ALIVE_EVERY, Address, Bus, BusError, CONSUMER, Reply, SearchObject, Task, ToStudio, Work, hash,
    read, write,
};
use crate::{VERSION, lock, simulations::Points};
use search::{
    checkpoint::fingerprint,
    epoch::{Epoch, EpochEnd, Epochs, News},
    options::Options,
};
use serde::{Deserialize, Serialize};
use shared::{
    form::toml,
    resolve::form_of,
    search::SearchRequest,
    simulation::{LoadProgress, Point, StartSimulation},
};
use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};
use tokio::{
    runtime::Handle,
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task::JoinHandle,
};
use tokio_stream::StreamExt;
use tracing::{info, warn};

/// Time after which a silent worker counts as gone.
const GONE_AFTER: Duration = Duration::from_secs(6);
/// Time between two questions whether the island shall continue.
const WATCH_EVERY: Duration = Duration::from_millis(100);
/// Time without any worker, or without the server, after which an island goes on here.
const PATIENCE: Duration = Duration::from_secs(20);
/// Time of silence after which a task is looked for in the queue.
const SILENCE: Duration = Duration::from_secs(3 * ACK_WAIT.as_secs());
/// Max objects that are remembered.
const MAX_STORED: usize = 256;

/// The workers of a studio.
pub struct Workers {
    shared: Arc<Shared>,
    /// Runtime of the connection. Islands wait for it on threads of their own.
    runtime: Handle,
    /// Listens to workers until dropped.
    listeners: Vec<JoinHandle<()>>,
}

struct Shared {
    bus: Bus,
    /// Id of this studio in subjects.
    id: String,
    seen: Mutex<HashMap<String, Seen>>,
    /// Where the events of each open task go.
    open: Mutex<HashMap<u64, UnboundedSender<Event>>>,
    next: AtomicU64,
    /// Objects in the store.
    stored: Mutex<HashSet<String>>,
    ended: Counts,
}

/// A worker when it last said hello.
struct Seen {
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
    /// Their threads.
    pub threads: u32,
    /// Tasks that workers finished.
    pub done: u64,
    /// Tasks stopped by a cancel, a limit or a better island.
    pub stopped: u64,
    /// Tasks that had to run in this process.
    pub brought_back: u64,
}

/// End of a task; `None` if it was stopped.
type Done = Option<Vec<u8>>;
/// Takes the news of a task, and is asked several times per second whether it shall go on.
type Watch<'a> = &'a mut dyn FnMut(Option<Vec<u8>>) -> bool;

/// Reason why a task has to run here.
struct Failed(String);

impl Workers {
    /// Connects to NATS and listens to workers.
    ///
    /// # Errors
    /// The server cannot be used.
    pub async fn connect(address: &Address) -> Result<Arc<Workers>, BusError> {
        let bus = Bus::connect(address, "crosspoint studio").await?;
        let queue = bus.queue().await?;
        bus.objects().await?;
        // Tasks of an earlier studio: its islands have gone.
        let purged = queue.purge().await;
        purged.map_err(|error| BusError::JetStream("cannot empty the task queue", error.to_string()))?;
        let shared = Arc::new(Shared {
            bus: bus.clone(),
            id: bus.unique(),
            seen: Mutex::default(),
            open: Mutex::default(),
            next: AtomicU64::new(0),
            stored: Mutex::default(),
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
            while shared.live().1 == 0 {
                tokio::time::sleep(WATCH_EVERY).await;
            }
        })
        .await;
        Ok(Arc::new(Workers { shared, runtime: Handle::current(), listeners }))
    }

    /// Threads of all live workers.
    pub fn threads(&self) -> u32 {
        self.shared.live().1
    }

    /// Figures for `/metrics`.
    pub fn figures(&self) -> Figures {
        let ((workers, threads), ended) = (self.shared.live(), &self.shared.ended);
        let [done, stopped, brought_back] =
            [&ended.done, &ended.stopped, &ended.brought_back].map(|count| count.load(Relaxed));
        Figures { workers, threads, done, stopped, brought_back }
    }

    /// Has work done elsewhere. `None` if it was stopped.
    ///
    /// # Errors
    /// It must be done here.
    fn have_done(
        &self,
        work: impl Future<Output = Result<Work, Failed>>,
        watch: Watch,
    ) -> Result<Done, Failed> {
        let ended = &self.shared.ended;
        let done = self.runtime.block_on(async { self.shared.run(work.await?, watch).await });
        let count = match &done {
            Ok(Some(_)) => &ended.done,
            Ok(None) => &ended.stopped,
            Err(Failed(why)) => {
                warn!(why, "a part goes on in this process");
                &ended.brought_back
            }
        };
        count.fetch_add(1, Relaxed);
        done
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.listeners.iter().for_each(JoinHandle::abort);
    }
}

impl Epochs for Workers {
    fn run(
        &self,
        search: &SearchRequest,
        epoch: &Epoch,
        watch: &mut dyn FnMut(Option<News>) -> bool,
    ) -> Option<EpochEnd> {
        let work = async {
            let fingerprint = fingerprint(search, &Options::default());
            let spec = toml::write(&form_of(&search.spec));
            let object = SearchObject { spec, seed: search.seed, islands: search.threads, fingerprint };
            let search = self.shared.store(&object).await?;
            Ok(Work::Epoch { search, epoch: self.shared.bus.pack(write(epoch)).await? })
        };
        let done = self.have_done(work, &mut |news| watch(news.and_then(|news| read(&news))));
        match done.ok()? {
            Some(end) => read(&end),
            None => Some(EpochEnd::Stopped),
        }
    }
}

impl Points for Workers {
    fn threads(&self) -> u32 {
        Workers::threads(self)
    }

    fn run(
        &self,
        simulation: &StartSimulation,
        load: f64,
        watch: &mut dyn FnMut(Option<LoadProgress>) -> bool,
    ) -> Option<Point> {
        let work = async { Ok(Work::Point { simulation: self.shared.store(simulation).await?, load }) };
        let done = self.have_done(work, &mut |news| watch(news.and_then(|news| read(&news))));
        read(&done.ok()??)
    }
}

impl From<BusError> for Failed {
    fn from(error: BusError) -> Failed {
        Failed(error.to_string())
    }
}

impl Shared {
    /// Number of live workers, and of their threads.
    fn live(&self) -> (usize, u32) {
        let mut seen = lock(&self.seen);
        seen.retain(|_, seen| seen.at.elapsed() < GONE_AFTER);
        (seen.len(), seen.values().map(|seen| seen.threads).sum())
    }

    /// Name of an object, which is stored for the first task that needs it.
    async fn store(&self, object: &impl Serialize) -> Result<String, Failed> {
        let bytes = write(object);
        let name = hash(&bytes);
        if lock(&self.stored).contains(&name) {
            return Ok(name);
        }
        self.bus.put(&name, &bytes).await?;
        let mut stored = lock(&self.stored);
        if stored.len() >= MAX_STORED {
            stored.clear();
        }
        stored.insert(name.clone());
        Ok(name)
    }

    async fn run(&self, work: Work, watch: Watch<'_>) -> Result<Done, Failed> {
        let number = self.next.fetch_add(1, Relaxed);
        let task = Task { version: VERSION.into(), studio: self.id.clone(), number, work };
        let (sender, events) = unbounded_channel();
        lock(&self.open).insert(number, sender);
        let mut open = Open { shared: self, task, events, place: 0 };
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
    async fn publish(&self, task: &Task) -> Result<u64, Failed> {
        let failed = |error: &dyn std::fmt::Display| Failed(format!("NATS takes no tasks: {error}"));
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
struct Open<'a> {
    shared: &'a Shared,
    task: Task,
    events: UnboundedReceiver<Event>,
    /// Place in the queue.
    place: u64,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        lock(&self.shared.open).remove(&self.task.number);
    }
}

impl Open<'_> {
    /// Puts the task into the queue, which is made again if somebody has deleted it. `false` if the task was stopped meanwhile.
    async fn publish(&mut self, watch: Watch<'_>) -> Result<bool, Failed> {
        let began = Instant::now();
        loop {
            match self.shared.publish(&self.task).await {
                Ok(place) => {
                    self.place = place;
                    return Ok(true);
                }
                Err(failed) if began.elapsed() > PATIENCE => return Err(failed),
                Err(Failed(why)) => {
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

    async fn finish(&mut self, watch: Watch<'_>) -> Result<Done, Failed> {
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
                Some(Event::Refused(why)) => {
                    // Its object may be lost; the next task stores it again.
                    lock(&self.shared.stored).remove(self.task.work.object());
                    return Err(Failed(why));
                }
                Some(Event::News(news)) => Some(news),
                Some(Event::Working) | None => None,
            };
            if !watch(news) {
                return Ok(None);
            }
            if self.shared.bus.is_connected() && self.shared.live().1 > 0 {
                reachable = Instant::now();
            }
            if reachable.elapsed() > PATIENCE {
                let why = if self.shared.bus.is_connected() { "no workers are left" } else { "NATS is gone" };
                return Err(Failed(why.into()));
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
async fn answer(shared: Arc<Shared>, mut messages: async_nats::Subscriber) {
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

async fn reply(shared: &Shared, payload: &[u8]) -> Option<Reply> {
    let open = |number: u64| lock(&shared.open).get(&number).cloned();
    // One that has just gone.
    let sent = |number: u64, event: Event| match open(number).map(|task| task.send(event)) {
        Some(Ok(())) => Reply::Yes,
        _ => Reply::No,
    };
    // Other versions may know other messages.
    Some(match read(payload)? {
        ToStudio::Hello { version, id, threads } => {
            let known = lock(&shared.seen).contains_key(&id);
            if version == VERSION {
                if !known {
                    info!(worker = id, threads, "a worker has come");
                }
                lock(&shared.seen).insert(id, Seen { at: Instant::now(), threads });
            } else {
                warn!(worker = id, version, "a worker of another version was sent away");
            }
            Reply::Version(VERSION.into())
        }
        ToStudio::Working(number) => sent(number, Event::Working),
        ToStudio::News(number, news) => sent(number, Event::News(news)),
        ToStudio::Refused(number, why) => sent(number, Event::Refused(why)),
        ToStudio::End(number, packed) if open(number).is_none() => {
            shared.bus.forget(&packed).await;
            Reply::No
        }
        ToStudio::End(number, packed) => {
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
async fn bury(shared: Arc<Shared>, mut advisories: async_nats::Subscriber) {
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
