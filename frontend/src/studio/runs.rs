//! Searches, and fetching the best wiring while one improves.

use super::{
    Held, Studio,
    follow::{Follower, Kind, Paged},
};
use crate::{
    api::{self, Answer},
    browser,
    state::{
        connection::Connection,
        place::Place,
        run::{Action, Run},
    },
};
use leptos::{prelude::*, task::spawn_local};
use shared::api::RunView;

/// The connection to the search that is followed.
pub type RunFollower = Follower<Runs>;

/// Searches.
#[derive(Clone, Copy)]
pub struct Runs {
    /// `true` while the best wiring is being fetched.
    fetching: StoredValue<bool>,
    /// `true` for a moment after that.
    resting: StoredValue<bool>,
}

impl Kind for Runs {
    type View = RunView;
    type Action = Action;

    fn connection(studio: Studio, id: &str) -> Option<Connection> {
        studio.result.run.with_untracked(|run| Some(run.as_ref().filter(|run| run.view.id == id)?.connection))
    }

    fn update(studio: Studio, id: &str, action: Action) {
        if Self::connection(studio, id).is_some() {
            studio.result.run.update(|run| {
                if let Some(run) = run {
                    run.update(action);
                }
            });
        }
    }

    fn listen(id: &str, act: impl Fn(Action) + Clone + 'static) -> Option<api::Events> {
        let mut events = api::job_events(id, &act)?;
        events.listen("progress", &act, |data| serde_json::from_str(data).ok().map(Action::Progress));
        Some(events)
    }

    fn changed(follower: RunFollower, studio: Studio, id: &str) {
        follower.kind.fetch(studio, id);
    }
}

impl Paged for Runs {
    fn place(id: String) -> Place {
        Place::Run(id)
    }

    fn start(studio: Studio) -> Option<impl Future<Output = Answer<RunView>>> {
        let text = studio.session.draft.with_untracked(|d| d.document().text.clone());
        let request = studio.session.search.with_untracked(|form| form.read(&text)).ok()?;
        Some(async move { api::start_job(&request).await })
    }

    fn show(studio: Studio, view: RunView) {
        studio.result.run.set(Some(Run::new(view)));
    }

    /// Opens the session in any case, with the spec as it was left.
    fn reopen(studio: Studio, view: &RunView) {
        studio.restore_or_open(|recent, own| recent.of_run(&view.id, own).cloned(), &view.spec);
    }
}

impl Runs {
    /// Creates it with nothing to fetch.
    pub fn new() -> Runs {
        Runs { fetching: StoredValue::new(false), resting: StoredValue::new(false) }
    }

    /// Fetches the best wiring while the one on screen is older: one request at a time, with a pause in between.
    fn fetch(self, studio: Studio, id: &str) {
        let (wanted, over) = studio
            .result
            .run
            .with_untracked(|r| r.as_ref().map_or((false, false), |r| (r.has_better(), r.is_over())));
        if !wanted || self.fetching.get_value() || (self.resting.get_value() && !over) {
            return;
        }
        self.fetching.set_value(true);
        let id = id.to_owned();
        spawn_local(async move {
            let answered = self.fetch_once(studio, &id).await;
            self.fetching.set_value(false);
            self.resting.set_value(true);
            let pause = match studio.result.asked.with_untracked(|a| a.as_ref().map_or(0, |a| a.spec.pes)) {
                _ if !answered => 3000,
                0..4096 => 250,
                4096..32_768 => 1000,
                _ => 3000,
            };
            browser::sleep(pause).await;
            self.resting.set_value(false);
            if Self::connection(studio, &id).is_some() {
                self.fetch(studio, &id);
            }
        });
    }

    /// Returns `false` if the server could not be reached.
    async fn fetch_once(self, studio: Studio, id: &str) -> bool {
        let Some(run) = studio.result.run.get_untracked().filter(|r| r.view.id == id) else { return true };
        let revision = run.view.progress.revision;
        let answer = api::run_table(id).await;
        if Self::connection(studio, id).is_none() {
            return true;
        }
        // Otherwise tried again after a pause.
        let Ok(table) = answer else { return false };
        if let Some(table) = table {
            match Held::read(&run.view.spec, &table, format!("search, seed {}", run.view.seed)) {
                Ok(held) => studio.result.held.set(Some(held)),
                Err(lines) => studio.view.show_error("The search sent a wiring that cannot be read.", lines),
            }
        }
        Self::update(studio, id, Action::Shown(revision));
        true
    }
}

impl RunFollower {
    /// Stops the search that is followed.
    pub fn stop(self, studio: Studio) {
        let id = studio.result.run.with_untracked(|run| run.as_ref().map(|run| run.view.id.clone()));
        if let Some(id) = id {
            self.stop_job(studio, id);
        }
    }
}
