//! The end of a search from outside: a cancel, or the time limit.
//!
//! Loops of short steps ask [`Limit::is_reached`] and stop with what they have. Long steps call
//! [`check`](spec::cancel::check): a thread that is still inside one [`GRACE`] after the limit leaves it, and its
//! wiring in work is lost.

use crate::ledger::Coordinator;
use spec::cancel::{Cancelled, Token, scope};
use std::{
    sync::{
        atomic::{AtomicBool, Ordering::SeqCst},
        mpsc::{RecvTimeoutError::Timeout, channel},
    },
    thread,
    time::{Duration, Instant},
};

/// Time in which loops stop by themselves.
const GRACE: Duration = Duration::from_millis(60);
/// Time between two checks of the limit while a token waits for it.
const STEP: Duration = Duration::from_millis(10);

/// A cancel flag and a time limit. As a coordinator: a single island without checkpoints.
#[derive(Clone, Copy, Debug)]
pub struct Limit<'a> {
    cancel: Option<&'a AtomicBool>,
    until: Option<Instant>,
}

impl<'a> Limit<'a> {
    /// Is never reached.
    pub const NONE: Limit<'static> = Limit { cancel: None, until: None };

    /// Is reached after a cancel, or after `time` from `began` if given.
    pub fn new(cancel: &'a AtomicBool, began: Instant, time: Option<Duration>) -> Limit<'a> {
        Limit { cancel: Some(cancel), until: time.and_then(|time| began.checked_add(time)) }
    }

    /// `true` once the work shall end.
    pub fn is_reached(&self) -> bool {
        self.cancel.is_some_and(|cancel| cancel.load(SeqCst))
            || self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Runs `work` with a token that is cancelled [`GRACE`] after the limit.
    pub fn watch<T>(&self, work: impl FnOnce(&Token) -> T) -> T {
        let token = &Token::default();
        let (working, ended) = channel::<()>();
        thread::scope(|threads| {
            threads.spawn(move || {
                let mut grace = GRACE;
                while ended.recv_timeout(STEP) == Err(Timeout) {
                    if self.is_reached() {
                        grace = grace.saturating_sub(STEP);
                    }
                    if grace.is_zero() {
                        return token.cancel();
                    }
                }
            });
            // Dropped after the work, also if it panics.
            let _working = working;
            work(token)
        })
    }

    /// Runs `work` on this thread.
    ///
    /// # Errors
    /// It was inside a long step [`GRACE`] after the limit.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> Result<T, Cancelled> {
        self.watch(|token| scope(token, work))
    }
}

impl Coordinator for Limit<'_> {
    fn should_continue(&self, _island: u32, _work: u64) -> bool {
        !self.is_reached()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spec::cancel::check;

    #[test]
    fn a_long_step_ends_after_a_cancel_and_after_the_time_limit() {
        let cancel = AtomicBool::new(false);
        let forever = || loop {
            check();
        };
        let timed = Limit::new(&cancel, Instant::now(), Some(Duration::from_millis(30)));
        assert_eq!(timed.run(forever), Err::<(), _>(Cancelled));
        let endless = Limit::new(&cancel, Instant::now(), None);
        let ended = thread::scope(|threads| {
            threads.spawn(|| {
                thread::sleep(Duration::from_millis(30));
                cancel.store(true, SeqCst);
            });
            endless.run(forever)
        });
        assert_eq!(ended, Err::<(), _>(Cancelled));
    }

    #[test]
    fn work_within_the_limit_and_its_panics_pass() {
        assert_eq!(Limit::NONE.run(|| 7), Ok(7));
        let panics = std::panic::catch_unwind(|| Limit::NONE.run(|| panic!("within")));
        assert!(panics.is_err());
    }
}
