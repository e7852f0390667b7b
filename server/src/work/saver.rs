//! Writes of a running search, on a thread of their own: neither the checker nor a slow disk delays the search.
//!
//! The search leaves requests, of which the latest counts, and never waits. Before a checkpoint the thread saves the
//! wirings left until then, so a checkpoint is never newer than them.

use super::CheckpointTimer;
use crate::{lock, store::StoreError};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};
use tracing::{Span, error};

/// Time between two saves.
const SAVE_EVERY: Duration = Duration::from_secs(2);

/// Writes a search to the store.
pub trait Writer: Send {
    /// Saves the search as it stands.
    ///
    /// # Errors
    /// The store fails.
    fn save(&mut self) -> Result<(), StoreError>;
    /// Saves a checkpoint, taken after `elapsed` seconds of search.
    ///
    /// # Errors
    /// The store fails.
    fn save_checkpoint(&mut self, elapsed: f64, bytes: &[u8]) -> Result<(), StoreError>;
    /// `true` if the last checkpoint is still wanted after the search: it resumes later.
    fn resumes(&self) -> bool;
}

/// Requests of a search to its writer.
pub struct Saver {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// `true` if a save is requested.
    due: bool,
    /// The latest checkpoint, and the seconds of search at it.
    checkpoint: Option<(f64, Vec<u8>)>,
    /// `true` while the thread writes.
    busy: bool,
    /// End of the last save.
    saved: Option<Instant>,
    timer: CheckpointTimer,
    ended: bool,
}

/// Notifies the thread of the end of the search, also after a panic.
struct End<'a>(&'a Saver);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.lock().ended = true;
        self.0.changed.notify_all();
    }
}

impl Saver {
    /// Runs `work` beside a thread that does what it requests. Returns when both have ended.
    pub fn run<T>(timer: CheckpointTimer, mut writer: impl Writer, work: impl FnOnce(&Saver) -> T) -> T {
        let state = State { due: false, checkpoint: None, busy: false, saved: None, timer, ended: false };
        let (saver, span) = (Saver { state: Mutex::new(state), changed: Condvar::new() }, Span::current());
        thread::scope(|threads| {
            threads.spawn(|| span.in_scope(|| saver.write_all(&mut writer)));
            let _end = End(&saver);
            work(&saver)
        })
    }

    /// Requests a save if the last one is some time ago.
    pub fn save_if_due(&self) {
        let mut state = self.lock();
        if !state.busy && state.saved.is_none_or(|at| at.elapsed() >= SAVE_EVERY) {
            state.due = true;
            self.changed.notify_all();
        }
    }

    /// Requests a save.
    pub fn save(&self) {
        self.lock().due = true;
        self.changed.notify_all();
    }

    /// `true` if checkpoints are kept.
    pub fn keeps_checkpoints(&self) -> bool {
        self.lock().timer.is_on()
    }

    /// `true` if the next checkpoint is due, or needed for a pause, and the last one is written.
    pub fn wants_checkpoint(&self, for_pause: bool) -> bool {
        let state = self.lock();
        let is_due = state.timer.is_due() || for_pause && state.timer.is_on();
        !state.busy && state.checkpoint.is_none() && is_due
    }

    /// Requests that a checkpoint be saved. `false` if it is too large.
    pub fn checkpoint(&self, elapsed: f64, bytes: Vec<u8>) -> bool {
        let mut state = self.lock();
        let fits = state.timer.accepts(&bytes);
        if fits {
            state.checkpoint = Some((elapsed, bytes));
            self.changed.notify_all();
        }
        fits
    }

    fn write_all(&self, writer: &mut impl Writer) {
        let mut state = self.lock();
        loop {
            if state.ended && !writer.resumes() {
                return;
            }
            if !state.due && state.checkpoint.is_none() {
                if state.ended {
                    return;
                }
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            (state.due, state.busy) = (false, true);
            let checkpoint = state.checkpoint.take();
            drop(state);
            let saved = attempt("progress", || writer.save());
            let began = Instant::now();
            if let Some((elapsed, bytes)) = checkpoint.as_ref().filter(|_| saved) {
                attempt("a checkpoint", || writer.save_checkpoint(*elapsed, bytes));
            }
            state = self.lock();
            if checkpoint.is_some() {
                state.timer.rest(began.elapsed());
            }
            (state.busy, state.saved) = (false, Some(Instant::now()));
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

/// `true` if the write succeeds. A failure or a panic is logged, and the search goes on.
fn attempt(what: &str, write: impl FnOnce() -> Result<(), StoreError>) -> bool {
    match catch_unwind(AssertUnwindSafe(write)) {
        Ok(Ok(())) => return true,
        Ok(Err(error)) => error!(%error, "cannot save {what}"),
        Err(_) => error!("saving {what} crashed"),
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, Sender, channel};

    /// Writes when it is permitted to, and names its writes.
    struct Slow {
        permits: Receiver<()>,
        done: Sender<String>,
        resumes: bool,
    }

    impl Writer for Slow {
        fn save(&mut self) -> Result<(), StoreError> {
            let _ = self.done.send("begin".into());
            let _ = self.permits.recv();
            let _ = self.done.send("save".into());
            Ok(())
        }

        fn save_checkpoint(&mut self, elapsed: f64, bytes: &[u8]) -> Result<(), StoreError> {
            let _ = self.done.send(format!("checkpoint {elapsed} {bytes:?}"));
            Ok(())
        }

        fn resumes(&self) -> bool {
            self.resumes
        }
    }

    fn timer() -> CheckpointTimer {
        CheckpointTimer { next: Some(Instant::now()), every: Duration::ZERO }
    }

    #[test]
    fn a_search_never_waits_and_the_latest_checkpoint_follows_a_save() {
        let ((permit, permits), (done, writes)) = (channel(), channel());
        Saver::run(timer(), Slow { permits, done, resumes: true }, |saver| {
            saver.save();
            assert_eq!(writes.recv().as_deref(), Ok("begin"));
            assert!(!saver.wants_checkpoint(false), "a write is under way");
            for byte in [1, 2, 3] {
                saver.checkpoint(f64::from(byte), vec![byte]);
                saver.save_if_due();
            }
            (0..2).for_each(|_| permit.send(()).expect("a writer"));
        });
        let writes: Vec<String> = writes.try_iter().collect();
        assert_eq!(writes, ["save", "begin", "save", "checkpoint 3 [3]"]);
    }

    #[test]
    fn a_search_that_is_over_leaves_no_checkpoint() {
        let ((_, permits), (done, writes)) = (channel(), channel());
        let checkpoint = Some((1.0, vec![1]));
        let state = State { due: true, checkpoint, busy: false, saved: None, timer: timer(), ended: true };
        let saver = Saver { state: Mutex::new(state), changed: Condvar::new() };
        saver.write_all(&mut Slow { permits, done, resumes: false });
        assert_eq!(writes.try_iter().count(), 0);
    }
}
