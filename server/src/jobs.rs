//! Searches on the server: queued, run on threads of their own, watched, stopped and stored.
//!
//! | module | contents |
//! | --- | --- |
//! | `queue` | queued and running searches |
//! | [`runs`] | runs: searches for a wiring |
//! | [`boards`] | hardware searches |
//! | `history` | a run's chart, thinned as it grows |
//! | `previous` | what was known of a run before it resumes |
//! | `replay` | some of a run's wirings, for its replay |
//! | `saver` | writes to the store, beside the search |
//!
//! Searches do not depend on watchers. Every wiring passes the checker before anybody sees it. Simulations do not use this
//! queue; see [`crate::simulations`].

pub mod boards;
mod history;
mod previous;
mod queue;
pub mod replay;
pub mod runs;
mod saver;

pub use queue::{MAX_QUEUED, MAX_QUEUED_PER_OWNER, Refused};

use crate::{
    VERSION,
    cluster::studio::Workers,
    log::short,
    prepare::TextError,
    store::{INTERRUPTED, SearchKind, Store, StoreError},
    tasks::{Budget, Load},
};
use queue::{Listed, Queue};
use shared::{
    analysis::bounds::Refusal,
    api::{JobKind, JobView, MAX_THREADS, RunState},
};
use std::{
    fmt::Display,
    sync::Arc,
    time::{Duration, Instant},
};
use tracing::{error, warn};

/// Max bytes of a stored checkpoint. Writing one blocks all other access to the store.
const MAX_CHECKPOINT_BYTES: usize = 64 << 20;
/// Min pause after a checkpoint, as a multiple of the time it took to write.
const REST: u32 = 20;
/// Message of an interrupted search that can resume.
const RESUMES: &str = "The studio was stopped during this search. The results until then are saved, and the search resumes when the studio starts again.";

/// Message of a search that paused after these seconds of search.
fn paused(elapsed: f64) -> String {
    format!("Paused for others after {elapsed:.0} s. It resumes from its checkpoint.")
}

/// Times of the searches of a studio.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// Time between two checkpoints of a run. Shorter runs save none.
    pub checkpoint_every: Duration,
    /// Time that a search runs before it pauses for others.
    pub slice: Duration,
}

impl Default for Timing {
    fn default() -> Timing {
        Timing { checkpoint_every: Duration::from_secs(10), slice: Duration::from_secs(60) }
    }
}

/// All searches of a studio. Its methods fail if the store does, and those that read the store block.
#[derive(Clone)]
pub struct Jobs {
    store: Arc<Store>,
    queue: Arc<Queue>,
    checkpoint_every: Duration,
}

/// Reason why a search was not started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The spec or another field of the request has faults.
    #[error("{0}")]
    Text(#[from] TextError),
    /// The spec's hardware provably cannot serve the demand.
    #[error("{}", .0.proof)]
    Refused(Refusal),
    /// The queue is full, or the studio is shutting down.
    #[error("{0}")]
    Busy(#[from] Refused),
    /// The search could not be stored.
    #[error("{0}")]
    Store(#[from] StoreError),
}

impl Jobs {
    /// The searches of a studio on a machine with `cores` cores, and on its `workers` if it has any.
    ///
    /// Searches that an earlier studio of this version left unfinished resume from their checkpoints, or from the start.
    /// Those of other versions stay interrupted.
    ///
    /// # Errors
    /// The store fails.
    pub fn new(
        store: Arc<Store>,
        memory: Arc<Budget>,
        cores: u32,
        timing: Timing,
        workers: Option<Arc<Workers>>,
    ) -> Result<Jobs, StoreError> {
        store.interrupt_runs()?;
        store.interrupt_boards()?;
        let Timing { checkpoint_every, slice } = timing;
        let jobs =
            Jobs { queue: Queue::new(store.clone(), memory, cores, slice, workers), store, checkpoint_every };
        for kind in [SearchKind::Run, SearchKind::Board] {
            for (id, elapsed) in jobs.store.resumable(kind, VERSION)? {
                let resumed = match kind {
                    SearchKind::Run => jobs.resume(&id, elapsed),
                    SearchKind::Board => jobs.resume_board(&id),
                };
                // One unreadable search must not keep the others from resuming.
                if let Err(error) = resumed {
                    error!(?kind, id = short(&id), %error, "cannot resume");
                }
            }
        }
        Ok(jobs)
    }

    /// Islands of a search; by default as many as there are threads.
    fn threads(&self, asked: Option<u32>) -> u32 {
        asked.unwrap_or_else(|| self.queue.cores().min(MAX_THREADS))
    }

    /// The studio's workers on other machines, if it may have any.
    pub fn workers(&self) -> Option<&Arc<Workers>> {
        self.queue.workers.as_ref()
    }

    /// The searches as the operator sees them: running ones, then the waiting ones in the order of their turns.
    pub fn list(&self) -> Vec<JobView> {
        let view = |Listed { job, running, age, memory }: Listed| {
            let id = job.id();
            let (kind, standing) = match job.kind() {
                SearchKind::Run => (JobKind::Run, self.live(id).map(|run| run.standing())),
                SearchKind::Board => (JobKind::Board, self.live_board(id).map(|board| board.standing())),
            };
            let (elapsed, queue) = standing.unwrap_or_default();
            let left = job.seconds_left().filter(|left| elapsed + left > 0.0);
            JobView {
                kind,
                id: short(id),
                owner: short(&job.owner().0),
                running,
                seconds: age.as_secs_f64(),
                route: String::new(),
                threads: job.threads().min(self.queue.cores()),
                share: left.map(|left| elapsed / (elapsed + left)),
                queue,
                memory,
            }
        };
        self.queue.list().into_iter().map(view).collect()
    }

    /// Stops the search of a kind with this short hash; `false` if there is none. Blocks.
    pub fn stop_listed(&self, kind: SearchKind, hash: &str) -> bool {
        let found = self.queue.list().into_iter().find(|l| l.job.kind() == kind && short(l.job.id()) == hash);
        found.is_some_and(|listed| {
            self.queue.stop(&*listed.job);
            true
        })
    }

    /// Threads for searches.
    pub fn cores(&self) -> u32 {
        self.queue.cores()
    }

    /// Running and waiting searches.
    pub fn load(&self) -> Load {
        self.queue.load()
    }

    /// `true` once the studio shuts down. Interrupted searches may resume with the next one.
    pub fn is_shutting_down(&self) -> bool {
        self.queue.is_shutting_down()
    }

    /// Stops all searches and waits up to `patience` until their results are saved. Blocks.
    pub fn shut_down(&self, patience: Duration) {
        self.queue.shut_down(patience);
    }
}

/// Decides when a search writes its next checkpoint.
struct CheckpointTimer {
    /// `None` if the search writes no more checkpoints.
    next: Option<Instant>,
    every: Duration,
}

impl CheckpointTimer {
    fn is_on(&self) -> bool {
        self.next.is_some()
    }

    fn is_due(&self) -> bool {
        self.next.is_some_and(|next| Instant::now() >= next)
    }

    /// `false` if a checkpoint is too large. The search then writes no more.
    fn accepts(&mut self, checkpoint: &[u8]) -> bool {
        let fits = checkpoint.len() <= MAX_CHECKPOINT_BYTES;
        if !fits {
            let (size, max) = (checkpoint.len() >> 20, MAX_CHECKPOINT_BYTES >> 20);
            warn!(size, max, "no more checkpoints: they are too large (MiB)");
            self.next = None;
        }
        fits
    }

    /// Waits after a checkpoint that took this long to write.
    fn rest(&mut self, took: Duration) {
        self.next = self.next.map(|_| Instant::now() + self.every.max(took * REST));
    }
}

/// End of a search whose checkpoint the engine refuses: it stays interrupted.
fn cannot_resume(store: &Store, kind: SearchKind, id: &str, why: &dyn Display) -> (RunState, String) {
    if let Err(error) = store.delete_checkpoint(kind, id) {
        error!(%error, "cannot delete an unusable checkpoint");
    }
    (RunState::Interrupted, format!("{INTERRUPTED} The search cannot resume: {why}."))
}
