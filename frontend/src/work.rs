//! The one way to run work in the page: started by a signal or by hand, dropped when it is outdated, cancelled on request.

use crate::{
    api, browser,
    state::connection::{Event, Line, Report},
};
use leptos::{prelude::*, task::spawn_local};
use shared::api::Problem;
use web_sys::{AbortController, AbortSignal};

/// Milliseconds without a change before work starts: while somebody types, only the last text counts.
const PAUSE: u32 = 120;

/// Milliseconds between attempts to reach a server that has stopped.
const RETRY: u32 = 2000;

/// PEs of a slice of work on their pairs: some milliseconds.
pub const SLICE: u32 = 2048;

/// A place for one piece of work at a time: a later run makes the earlier one stop.
#[derive(Clone, Copy)]
pub struct Work {
    /// `true` while a run is waiting or in progress.
    pub running: RwSignal<bool>,
    turn: StoredValue<u64>,
    stopper: StoredValue<Option<AbortController>, LocalStorage>,
}

impl Work {
    /// Creates it with nothing running. It cancels its run when the component that created it is removed.
    pub fn new() -> Work {
        let work = Work {
            running: RwSignal::new(false),
            turn: StoredValue::new(0),
            stopper: StoredValue::new_local(None),
        };
        on_cleanup(move || work.cancel());
        work
    }

    /// Cancels the current run and starts what `ask` returns, if anything. Its result reaches `take` unless the run is outdated
    /// by then or gives up with `None`.
    pub fn run<T: 'static, F: Future<Output = Option<T>> + 'static>(
        self,
        ask: impl FnOnce(Turn) -> Option<F>,
        take: impl FnOnce(T) + 'static,
    ) {
        let turn = self.supersede();
        let Some(task) = ask(turn) else { return self.running.set(false) };
        self.running.set(true);
        spawn_local(async move {
            let found = task.await;
            if turn.is_current() {
                if let Some(found) = found {
                    take(found);
                }
                self.running.set(false);
            }
        });
    }

    /// Cancels the current run, if there is one.
    pub fn cancel(self) {
        self.supersede();
        let _ = self.running.try_set(false);
    }

    /// The turn of the current run; of what runs beside it, too.
    pub fn turn(self) -> Turn {
        Turn { work: self, number: self.turn.try_get_value().unwrap_or_default() }
    }

    /// Outdates the current run, and returns the turn of the next one.
    fn supersede(self) -> Turn {
        let _ = self.stopper.try_update_value(|stopper| stopper.take().inspect(AbortController::abort));
        let _ = self.turn.try_update_value(|turn| *turn += 1);
        self.turn()
    }
}

/// One run of a [`Work`].
#[derive(Clone, Copy)]
pub struct Turn {
    work: Work,
    number: u64,
}

impl Turn {
    /// `true` until the run is cancelled or another one starts.
    pub fn is_current(self) -> bool {
        self.work.turn.try_get_value() == Some(self.number)
    }

    /// Lets the page draw and take input. Returns `None` if the run is outdated.
    pub async fn pause(self) -> Option<()> {
        browser::breathe().await;
        self.is_current().then_some(())
    }

    /// Waits. Returns `None` if the run is outdated by then.
    pub async fn wait(self, milliseconds: u32) -> Option<()> {
        browser::sleep(milliseconds).await;
        self.is_current().then_some(())
    }

    /// A signal that aborts the run's requests when the run is cancelled or outdated; all of them share it.
    pub fn abort_signal(self) -> Option<AbortSignal> {
        self.is_current().then_some(())?;
        let signal = self.work.stopper.try_update_value(|stopper| {
            if stopper.is_none() {
                *stopper = AbortController::new().ok();
            }
            stopper.as_ref().map(AbortController::signal)
        });
        signal.flatten()
    }
}

/// Follows work on the server until it is over, also on the next server if this one stops. `act` applies an event and returns the
/// state of the connection, `None` if nobody wants the work any more.
///
/// # Errors
/// If the next server has no such work.
pub async fn follow<R: Report>(
    turn: Turn,
    id: String,
    act: impl Fn(Event<R>) -> Option<Line> + Clone + 'static,
) -> Result<(), Problem> {
    while let Some(stop) = turn.abort_signal() {
        let mut line = api::listen(&id, &stop, act.clone()).await;
        // A stream ends before its work if the server stops, or if the browser gives up the stream.
        while line != Some(Line::Connecting) {
            let is_over = matches!(line, None | Some(Line::Closed));
            if is_over || !turn.is_current() || turn.wait(RETRY).await.is_none() {
                return Ok(());
            }
            match api::work(&id).await {
                Ok(view) => line = act(Event::Fetched(view)),
                Err(problem) if problem.status == 404 => {
                    act(Event::Missing);
                    return Err(problem);
                }
                // Unreachable, or about to stop.
                Err(_) => {}
            }
        }
    }
    Ok(())
}

/// Runs work whenever a signal changes that `ask` reads; `ask` returns `None` if there is nothing to do. Results of outdated runs
/// never reach `take`.
pub fn keep_current<T, F>(
    ask: impl Fn(Turn) -> Option<F> + 'static,
    take: impl Fn(T) + Copy + 'static,
) -> Work
where
    T: 'static,
    F: Future<Output = Option<T>> + 'static,
{
    let work = Work::new();
    Effect::new(move |_| work.run(&ask, take));
    work
}

/// The last result of work that follows signals.
pub struct Latest<T: Send + Sync + 'static> {
    /// The result; stays while a newer one is being made.
    pub found: RwSignal<Option<T>>,
    pub work: Work,
}

impl<T: Send + Sync + 'static> Clone for Latest<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync + 'static> Copy for Latest<T> {}

impl<T: Send + Sync + 'static> Latest<T> {
    /// Cancels the current run, and takes this for its result.
    pub fn stop(self, instead: T) {
        self.work.cancel();
        self.found.set(Some(instead));
    }
}

/// Runs [`keep_current`] after a pause, with the last result in a signal.
pub fn latest<T, F>(ask: impl Fn(Turn) -> Option<F> + 'static) -> Latest<T>
where
    T: Send + Sync + 'static,
    F: Future<Output = T> + 'static,
{
    let found = RwSignal::new(None);
    let after_pause = move |turn: Turn| {
        let work = ask(turn)?;
        Some(async move {
            turn.wait(PAUSE).await?;
            Some(work.await)
        })
    };
    Latest { found, work: keep_current(after_pause, move |it| found.set(Some(it))) }
}
