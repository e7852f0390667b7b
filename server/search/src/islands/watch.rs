//! What the calling thread does while islands search: it shows progress and better wirings, and gathers checkpoints.

use super::{End, Resumed, Strait, Terms, lock, scribe::Scribe};
use crate::{
    ledger::{Score, Stage, Tally},
    report::{Census, Standing, progress},
};
use shared::search::{Observer, Progress};
use std::{
    sync::{
        atomic::Ordering::SeqCst,
        mpsc::{Receiver, RecvTimeoutError},
    },
    time::Instant,
};

/// The watcher.
pub struct Watch<'a, 'o> {
    strait: &'a Strait<'a>,
    observer: &'o mut dyn Observer,
    terms: &'a Terms<'a>,
    /// How good the best wiring shown is.
    best: Option<Score>,
    revision: u64,
    /// Whether islands have been asked for their states.
    saving: bool,
}

impl<'a, 'o> Watch<'a, 'o> {
    /// A watcher that has shown nothing yet but what was shown before the search was gone on with.
    pub fn new(strait: &'a Strait<'a>, observer: &'o mut dyn Observer, terms: &'a Terms<'a>) -> Self {
        let (best, revision) = terms.resumed.as_ref().map_or((None, 0), |resumed| resumed.shown);
        Watch { strait, observer, terms, best, revision, saving: false }
    }

    /// Shows what is to be shown until every island has ended.
    pub fn until_all_end(&mut self, finished: &Receiver<End>, mut scribe: Scribe) -> Vec<End> {
        let mut ends = Vec::new();
        self.report();
        let tick = self.terms.tick;
        let mut next = Instant::now() + tick;
        while ends.len() < self.terms.limits.len() {
            match finished.recv_timeout(next.saturating_duration_since(Instant::now())) {
                Ok(end) => ends.push(end),
                Err(RecvTimeoutError::Timeout) => {
                    self.look(&mut scribe);
                    self.save();
                    self.report();
                    next = Instant::now() + tick;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        ends
    }

    /// Hands on a better wiring that the scribe has finished, and gives it the next one.
    fn look(&mut self, scribe: &mut Scribe) {
        if let Some((score, design)) = scribe.finished() {
            self.best = Some(score);
            self.revision += 1;
            self.observer.better(&design, score.uncovered);
        }
        if !scribe.is_free() {
            return;
        }
        if let Some((score, genome)) = lock(&self.strait.fresh).take() {
            self.strait.shown.store(score.key(), SeqCst);
            scribe.start((score, genome));
        }
        self.strait.ready.store(true, SeqCst);
    }

    /// Asks all islands for their states, and hands them over once all have come. An island that waits for others has left
    /// its own before, and so has one that has ended; so none is more than an exchange ahead, and what it gave in the last two
    /// is kept with it.
    fn save(&mut self) {
        let slots = &self.strait.slots;
        if !self.saving {
            if !self.strait.keeps || !self.observer.wants_checkpoint() {
                return;
            }
            slots.iter().for_each(|slot| slot.wanted.store(true, SeqCst));
            self.saving = true;
            return;
        }
        // Nobody comes back from an exchange meanwhile, so that what was given fits the states.
        let harbour = lock(&self.strait.harbour);
        let rests = |island: usize| {
            slots[island].last.load(SeqCst) || lock(&self.strait.tallies[island]).stage == Stage::Waiting
        };
        if (0..slots.len()).any(|island| slots[island].wanted.load(SeqCst) && !rests(island)) {
            return;
        }
        let states: Option<Vec<Vec<u8>>> = slots.iter().map(|slot| lock(&slot.state).clone()).collect();
        let Some(islands) = states else { return };
        self.saving = false;
        let resumed = Resumed {
            print: self.terms.print,
            elapsed: self.strait.before + self.strait.began.elapsed().as_secs_f64(),
            shown: (self.best, self.revision),
            islands,
            berths: harbour.berths.clone(),
        };
        drop(harbour);
        if let Some(bytes) = resumed.sealed() {
            self.observer.checkpoint(bytes);
        }
    }

    /// Tells how far the islands are.
    pub fn report(&mut self) -> Progress {
        let tallies: Vec<Tally> = self.strait.tallies.iter().map(|t| *lock(t)).collect();
        let censuses: Vec<Census> = self.strait.censuses.iter().map(|c| lock(c).clone()).collect();
        let elapsed = self.strait.before + self.strait.began.elapsed().as_secs_f64();
        let (best, revision) = (self.best, self.revision);
        let standing = Standing { requested: self.terms.requested, best, revision, elapsed };
        let progress = progress(&standing, &tallies, &censuses);
        self.observer.progress(&progress);
        progress
    }
}
