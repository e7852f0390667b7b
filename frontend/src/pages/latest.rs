//! What follows from signals and takes a moment: found anew in turns, of which only the last counts.

use crate::browser;
use leptos::{prelude::*, task::spawn_local};

/// How long nothing may change before the work begins: while somebody types, only the last text counts.
const PAUSE: u32 = 120;

/// What was found last.
pub struct Latest<T: Send + Sync + 'static> {
    /// What was found, perhaps from what was there before; nothing yet if `None`.
    pub found: RwSignal<Option<T>>,
    /// Whether it is about to be found anew.
    pub finding: RwSignal<bool>,
}

impl<T: Send + Sync + 'static> Clone for Latest<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync + 'static> Copy for Latest<T> {}

/// Finds something whenever a signal changes that `ask` reads. `ask` gives the work, or nothing where there is none to be
/// done: then what was found stays. The page draws, and takes input, before the work begins; what becomes stale while it
/// is found is let go.
pub fn latest<T, F>(ask: impl Fn() -> Option<F> + 'static) -> Latest<T>
where
    T: Send + Sync + 'static,
    F: Future<Output = T> + 'static,
{
    let latest = Latest { found: RwSignal::new(None), finding: RwSignal::new(false) };
    let turn = StoredValue::new(0u64);
    Effect::new(move |_| {
        turn.update_value(|n| *n += 1);
        let now = turn.get_value();
        let work = ask();
        latest.finding.set(work.is_some());
        let Some(work) = work else { return };
        spawn_local(async move {
            // Nothing is there any more once the page has been left.
            let is_last = || turn.try_get_value() == Some(now);
            browser::sleep(PAUSE).await;
            if !is_last() {
                return;
            }
            let it = work.await;
            if is_last() {
                latest.found.set(Some(it));
                latest.finding.set(false);
            }
        });
    });
    latest
}
