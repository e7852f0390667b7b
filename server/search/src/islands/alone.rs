//! An island without others: what is searched before or after the islands live, or in a test.

use crate::ledger::{Elite, Mainland, Score, Tally};
use std::{
    sync::atomic::{AtomicBool, Ordering::SeqCst},
    time::{Duration, Instant},
};

/// Where nobody else is. Says stop after a cancel or at a time, if there are any; nothing that it hears goes further.
#[derive(Clone, Copy, Debug)]
pub struct Alone<'a> {
    cancel: Option<&'a AtomicBool>,
    until: Option<Instant>,
}

impl<'a> Alone<'a> {
    /// Never says stop.
    pub const ENDLESS: Alone<'static> = Alone { cancel: None, until: None };

    /// Says stop after a cancel, and after this time from now on if one is given.
    pub fn within(cancel: &'a AtomicBool, time: Option<Duration>) -> Alone<'a> {
        Alone { cancel: Some(cancel), until: time.and_then(|time| Instant::now().checked_add(time)) }
    }
}

impl Mainland for Alone<'_> {
    fn heeds(&self, _island: u32, _work: u64) -> bool {
        !self.cancel.is_some_and(|cancel| cancel.load(SeqCst))
            && self.until.is_none_or(|until| Instant::now() < until)
    }

    fn hears(&self, _island: u32, _tally: &Tally) {}

    fn counts(&self, _island: u32, _population: &[u64], _diversity: f64) {}

    fn wants(&self, _score: Score) -> bool {
        false
    }

    fn sees(&self, _score: Score, _genome: &[u32]) {}

    fn solved(&self, _island: u32, _work: u64) {}

    fn trades(&self, _island: u32, _epoch: u64, _elite: Elite) -> Option<Elite> {
        None
    }
}
