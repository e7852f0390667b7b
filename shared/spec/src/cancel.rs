//! Cancellation and progress of a long computation, without a parameter in every function.
//!
//! A caller runs a computation in a [`scope`]. Loops that may take long call [`check`], which leaves the scope once its
//! [`Token`] is cancelled. Loops over [`counted`] items also report how far they are. Outside a scope, as in the browser and
//! mostly on the command line, both do nothing.
//!
//! A token may have a pause function: the computation calls it at the check after [`Token::request_pause`], and may wait there.

use std::{
    cell::RefCell,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
};

/// Request to stop a computation, and its progress. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Token(Arc<State>);

#[derive(Default)]
struct State {
    cancelled: AtomicBool,
    /// Bits of the share of the last counted loop that is done.
    share: AtomicU32,
    /// `true` if the computation shall call `pause` at its next check.
    pauses: AtomicBool,
    pause: Option<Box<dyn Fn() + Send + Sync>>,
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("cancelled", &self.cancelled).finish_non_exhaustive()
    }
}

/// The computation was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

thread_local! {
    static CURRENT: RefCell<Option<Token>> = const { RefCell::new(None) };
}

impl Token {
    /// A token whose computation calls `pause` on its thread after each request for a pause.
    pub fn with_pause(pause: impl Fn() + Send + Sync + 'static) -> Token {
        Token(Arc::new(State { pause: Some(Box::new(pause)), ..State::default() }))
    }

    /// Requests that the computation call its pause function at its next [`check`].
    pub fn request_pause(&self) {
        self.0.pauses.store(true, Ordering::Relaxed);
    }

    /// Asks the computation to stop.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }

    /// `true` once the computation shall stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Relaxed)
    }

    /// Share of the last [`counted`] loop that is done, 0 to 1; 0 before the first.
    pub fn share(&self) -> f32 {
        f32::from_bits(self.0.share.load(Ordering::Relaxed))
    }

    /// The flag itself, for code that polls one.
    pub fn flag(&self) -> &AtomicBool {
        &self.0.cancelled
    }
}

/// Runs `work` on this thread until it ends or `token` is cancelled. Scopes nest; the inner token counts.
///
/// # Errors
/// The work was cancelled and met a [`check`].
///
/// # Panics
/// As `work` does.
pub fn scope<T>(token: &Token, work: impl FnOnce() -> T) -> Result<T, Cancelled> {
    let outer = CURRENT.replace(Some(token.clone()));
    // A cancelled computation leaves nothing behind: its values are dropped while its frames unwind.
    let ended = catch_unwind(AssertUnwindSafe(work));
    CURRENT.set(outer);
    ended.or_else(|payload| if payload.is::<Cancelled>() { Err(Cancelled) } else { resume_unwind(payload) })
}

/// Leaves the innermost [`scope`] of this thread if its token is cancelled, and calls its pause function if a pause is requested.
/// Costs about a nanosecond.
pub fn check() {
    let is_requested =
        |state: &State| state.cancelled.load(Ordering::Relaxed) || state.pauses.load(Ordering::Relaxed);
    let requested = CURRENT.with_borrow(|token| token.as_ref().is_some_and(|token| is_requested(&token.0)));
    // A value that is dropped on the way out must neither leave again nor wait.
    if requested && !std::thread::panicking() {
        respond();
    }
}

/// Pauses or leaves the innermost scope, as its token requests.
#[cold]
fn respond() {
    let Some(token) = CURRENT.with_borrow(Clone::clone) else { return };
    if !token.is_cancelled()
        && token.0.pauses.swap(false, Ordering::Relaxed)
        && let Some(pause) = &token.0.pause
    {
        pause();
    }
    if token.is_cancelled() {
        // No panic hook runs, since this is no failure.
        resume_unwind(Box::new(Cancelled));
    }
}

/// The items of an iterator, with a [`check`] before each.
pub fn checked<I: IntoIterator>(items: I) -> impl Iterator<Item = I::Item> {
    items.into_iter().inspect(|_| check())
}

/// The items of a long loop, with a [`check`] before each, and [`Token::share`] set to the share before it.
pub fn counted<I: IntoIterator<IntoIter: ExactSizeIterator>>(items: I) -> impl Iterator<Item = I::Item> {
    let items = items.into_iter();
    let count = items.len();
    checked(items).enumerate().map(move |(at, item)| {
        let share = (at as f32 / count as f32).to_bits();
        CURRENT.with_borrow(|token| {
            token.iter().for_each(|token| token.0.share.store(share, Ordering::Relaxed));
        });
        item
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancelled_scope_ends_at_its_next_check() {
        let token = Token::default();
        let mut steps = 0;
        let ended = scope(&token, || {
            for step in checked(0..10) {
                steps = step;
                if step == 3 {
                    token.cancel();
                }
            }
        });
        assert_eq!((ended, steps), (Err(Cancelled), 3));
        check();
    }

    #[test]
    fn a_requested_pause_comes_once_at_the_next_check() {
        let pauses = Arc::new(AtomicU32::new(0));
        let counted = pauses.clone();
        let token = Token::with_pause(move || _ = counted.fetch_add(1, Ordering::Relaxed));
        let ended = scope(&token, || {
            check();
            token.request_pause();
            assert_eq!(pauses.load(Ordering::Relaxed), 0);
            check();
            check();
            assert_eq!(pauses.load(Ordering::Relaxed), 1);
            token.request_pause();
            token.cancel();
            check();
        });
        assert_eq!(
            (ended, pauses.load(Ordering::Relaxed)),
            (Err(Cancelled), 1),
            "a cancelled one leaves at once"
        );
    }

    #[test]
    fn counted_items_report_their_share() {
        let token = Token::default();
        let shares = scope(&token, || counted([1, 2, 3, 4]).map(|_| token.share()).collect::<Vec<_>>());
        assert_eq!(shares, Ok(vec![0.0, 0.25, 0.5, 0.75]));
    }

    #[test]
    fn an_inner_scope_hides_the_outer_one() {
        let (outer, inner) = (Token::default(), Token::default());
        let ended = scope(&outer, || {
            outer.cancel();
            let within = scope(&inner, || {
                check();
                1
            });
            assert_eq!(within, Ok(1));
            check();
        });
        assert_eq!(ended, Err(Cancelled));
    }

    #[test]
    fn a_value_dropped_on_the_way_out_may_check() {
        struct Checks;
        impl Drop for Checks {
            fn drop(&mut self) {
                check();
            }
        }
        let token = Token::default();
        let ended = scope(&token, || {
            let _checks = Checks;
            token.cancel();
            check();
        });
        assert_eq!(ended, Err(Cancelled));
    }

    #[test]
    #[should_panic(expected = "another reason")]
    fn other_panics_pass() {
        let _ = scope(&Token::default(), || panic!("another reason"));
    }
}
