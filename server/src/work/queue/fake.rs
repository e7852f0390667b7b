//! A job for tests of the queue.

use super::{Control, QueueJob, state::State};
use crate::{
    cluster::studio::Workers,
    store::{Store, StoreError},
    tasks::Owner,
};
use shared::api::{QueueView, WorkState};
use std::{
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, RecvTimeoutError},
    },
    time::Duration,
};

/// A job that runs until its sender is dropped or sends.
pub struct Fake {
    pub id: String,
    owner: Owner,
    threads: u32,
    pub control: Control,
    release: Mutex<Receiver<()>>,
    /// Method that panics.
    panics: &'static str,
    pub ended: Mutex<Option<WorkState>>,
    pub place: Mutex<Option<QueueView>>,
    pub pauses: Mutex<u32>,
}

impl Fake {
    /// A job named after its owner and a number.
    pub fn new(id: &str, threads: u32, release: Receiver<()>, panics: &'static str) -> Arc<Fake> {
        let (control, ended, place, pauses) = Default::default();
        let (id, owner, release) = (id.to_owned(), Owner(id[..1].into()), Mutex::new(release));
        Arc::new(Fake { id, owner, threads, control, release, panics, ended, place, pauses })
    }

    fn panic_in(&self, place: &str) {
        assert_ne!(self.panics, place, "for this test");
    }
}

impl QueueJob for Fake {
    fn kind(&self) -> &'static str {
        "fake"
    }
    fn id(&self) -> &str {
        &self.id
    }
    fn owner(&self) -> &Owner {
        &self.owner
    }
    fn threads(&self) -> u32 {
        self.threads
    }
    fn control(&self) -> &Control {
        &self.control
    }
    fn seconds_left(&self) -> Option<f64> {
        (self.threads > 1).then_some(100.0)
    }
    fn set_place(&self, place: Option<QueueView>) {
        *self.place.lock().unwrap() = place;
    }
    fn run(&self, _: &Store, _: Option<&Workers>) -> (WorkState, String) {
        self.panic_in("run");
        let release = self.release.lock().unwrap();
        while release.recv_timeout(Duration::from_millis(1)) == Err(RecvTimeoutError::Timeout) {
            if self.control.wants_pause() {
                self.control.pause();
                return (WorkState::Queued, String::new());
            }
            if self.control.token().is_cancelled() {
                return (WorkState::Cancelled, String::new());
            }
        }
        (WorkState::Exhausted, String::new())
    }
    fn pause(&self, _: &str) {
        *self.pauses.lock().unwrap() += 1;
        self.panic_in("pause");
    }
    fn save(&self, _: &Store, _: WorkState, _: &str) -> Result<(), StoreError> {
        self.panic_in("save");
        Ok(())
    }
    fn end(&self, state: WorkState, _: &str) {
        *self.ended.lock().unwrap() = Some(state);
        self.panic_in("end");
    }
}

/// Ids of the running jobs, ascending.
pub fn running(state: &State<Fake>) -> Vec<String> {
    let mut running: Vec<String> = state.running.iter().map(|running| running.job.id.clone()).collect();
    running.sort();
    running
}
