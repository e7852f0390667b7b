//! Searches: starting, following, stopping, and fetching the best wiring while one improves.

use super::studio::{Held, Studio};
use crate::{
    api, browser,
    state::{
        place::Place,
        recent::Kept,
        run::{Action, Run},
    },
};
use leptos::{prelude::*, task::spawn_local};
use shared::{
    api::{RunView, SaveDesign},
    design::table,
    spec::{NoFiles, Spec, language, resolve},
};
use std::sync::Arc;

/// The line to the run that is followed.
#[derive(Clone, Copy)]
pub struct Follower {
    events: StoredValue<Option<api::Events>, LocalStorage>,
    /// A search is being asked for: a second click asks for no second one.
    starting: StoredValue<bool>,
    /// A request for the best wiring is on its way.
    fetching: StoredValue<bool>,
    /// The last one was answered a moment ago.
    resting: StoredValue<bool>,
}

impl Follower {
    /// Follows nothing yet.
    pub fn new() -> Follower {
        Follower {
            events: StoredValue::new_local(None),
            starting: StoredValue::new(false),
            fetching: StoredValue::new(false),
            resting: StoredValue::new(false),
        }
    }

    /// The follower that the surrounding page provides.
    pub fn here() -> Follower {
        expect_context()
    }

    /// Starts a search for the spec on screen.
    pub fn start(self, studio: Studio) {
        let text = studio.session.with_untracked(|s| s.document().text.clone());
        let Some(request) = studio.search.with_untracked(|s| s.request(&text)) else { return };
        if self.starting.get_value() {
            return;
        }
        self.starting.set_value(true);
        studio.notice.set(None);
        spawn_local(async move {
            let answer = api::start_run(&request).await;
            self.starting.set_value(false);
            match answer {
                Ok(view) => {
                    studio.go(Place::Run(view.id.clone()));
                    self.follow(studio, view);
                    studio.remember();
                }
                Err(problem) => studio.problem(problem),
            }
        });
    }

    /// Asks the search to stop.
    pub fn stop(self, studio: Studio) {
        let id = studio.run.with_untracked(|r| r.as_ref().map(|r| r.view.id.clone()));
        let Some(id) = id else { return };
        act(studio, &id, Action::Stop);
        spawn_local(async move {
            if let Err(problem) = api::stop_run(&id).await {
                studio.problem(problem);
            }
        });
    }

    /// Comes back to a run by its number: the session is the one it was started from.
    pub async fn come_back(self, studio: Studio, id: String) {
        let answer = api::run(&id).await;
        if studio.place.get_untracked() != Place::Run(id.clone()) {
            return;
        }
        match answer {
            Ok(view) => {
                studio.read_recent();
                let own = Studio::own_key();
                let edited = studio.recent.with_untracked(|r| r.of_run(&id, own).cloned());
                match edited {
                    Some(kept) => {
                        restore(studio, &kept);
                        // The session of another tab goes on there; here it is a copy.
                        if own != Some(kept.key) {
                            studio.key.set(browser::now());
                        }
                    }
                    None => studio.open(&view.spec),
                }
                self.follow(studio, view);
            }
            Err(problem) if problem.status == 404 => {
                super::begin_anew(studio, "There is no such search here.");
            }
            Err(problem) => studio.problem(problem),
        }
    }

    /// Follows a run until it is over.
    pub fn follow(self, studio: Studio, view: RunView) {
        let id = view.id.clone();
        let over = view.state.is_over();
        studio.run.set(Some(Run::new(view)));
        self.leave();
        self.fetch(studio, &id);
        if !over {
            self.listen(studio, id);
        }
    }

    /// Follows nothing any more.
    pub fn leave(self) {
        self.events.set_value(None);
    }

    fn listen(self, studio: Studio, id: String) {
        let heard = id.clone();
        let events = api::follow(&id, move |action| {
            act(studio, &heard, action);
            let over = studio.run.with_untracked(|r| r.as_ref().is_none_or(Run::is_over));
            if over {
                // Not inside the stream's own callback, which would be freed while it runs.
                spawn_local(async move { self.leave() });
            } else if self.events.with_value(|e| e.as_ref().is_some_and(api::Events::is_closed)) {
                spawn_local(self.again(studio, heard.clone()));
            }
            self.fetch(studio, &heard);
        });
        self.events.set_value(events);
    }

    /// Makes a line again that the browser has given up.
    async fn again(self, studio: Studio, id: String) {
        self.leave();
        browser::sleep(2000).await;
        if !is_followed(studio, &id) {
            return;
        }
        if let Ok(view) = api::run(&id).await {
            act(studio, &id, Action::Told(view));
        }
        if studio.run.with_untracked(|r| r.as_ref().is_some_and(|r| !r.is_over())) {
            self.listen(studio, id);
        } else {
            self.fetch(studio, &id);
        }
    }

    /// Fetches the best wiring while the one on screen is older; one request at a time, and not too often while better
    /// ones keep coming.
    fn fetch(self, studio: Studio, id: &str) {
        let wanted = studio.run.with_untracked(|r| r.as_ref().is_some_and(Run::has_better));
        let over = studio.run.with_untracked(|r| r.as_ref().is_some_and(Run::is_over));
        if !wanted || self.fetching.get_value() || (self.resting.get_value() && !over) {
            return;
        }
        self.fetching.set_value(true);
        let id = id.to_owned();
        spawn_local(async move {
            let answered = self.fetch_once(studio, &id).await;
            self.fetching.set_value(false);
            self.resting.set_value(true);
            let pause = match studio.asked.with_untracked(|a| a.as_ref().map_or(0, |a| a.spec.pes)) {
                _ if !answered => 3000,
                0..4096 => 250,
                4096..32_768 => 1000,
                _ => 3000,
            };
            browser::sleep(pause).await;
            self.resting.set_value(false);
            if is_followed(studio, &id) {
                self.fetch(studio, &id);
            }
        });
    }

    /// False if the server could not be asked.
    async fn fetch_once(self, studio: Studio, id: &str) -> bool {
        let Some(run) = studio.run.get_untracked().filter(|r| r.view.id == id) else { return true };
        let revision = run.view.progress.revision;
        let answer = api::run_table(id).await;
        if !is_followed(studio, id) {
            return true;
        }
        let answered = answer.is_ok();
        match answer {
            Ok(Some(text)) => {
                let origin = format!("search, seed {}", run.view.seed);
                match hold(&run.view.spec, &text, origin) {
                    Ok(held) => studio.held.set(Some(held)),
                    Err(lines) => studio.complain("The wiring on its way cannot be read", lines),
                }
                act(studio, id, Action::Shown(revision));
            }
            Ok(None) => act(studio, id, Action::Shown(revision)),
            // Tried again after a pause.
            Err(_) => {}
        }
        answered
    }
}

fn is_followed(studio: Studio, id: &str) -> bool {
    studio.run.with_untracked(|r| r.as_ref().is_some_and(|r| r.view.id == id))
}

fn act(studio: Studio, id: &str, action: Action) {
    if is_followed(studio, id) {
        studio.run.update(|run| {
            if let Some(run) = run {
                run.update(action);
            }
        });
    }
}

/// The valid spec of a text.
///
/// # Errors
/// Every fault, in words.
pub fn read_spec(text: &str) -> Result<Arc<Spec>, Vec<String>> {
    let spec = language::parse(text).and_then(|form| resolve(&form, &mut NoFiles));
    spec.map(Arc::new).map_err(|faults| faults.0.iter().map(ToString::to_string).collect())
}

/// A wiring table with the spec it is for.
///
/// # Errors
/// Every fault of the spec or the table, in words.
pub fn hold(spec_text: &str, text: &str, origin: String) -> Result<Held, Vec<String>> {
    let spec = read_spec(spec_text)?;
    let words = |faults: Vec<table::TableFault>| faults.iter().map(ToString::to_string).collect::<Vec<_>>();
    let design = table::parse(text, spec.pes).map_err(words)?;
    Ok(Held {
        table: text.into(),
        design: Arc::new(design),
        spec_text: spec_text.into(),
        spec,
        origin,
        kept: None,
    })
}

/// Goes on with a session that this browser has kept, with the wiring it had.
pub fn restore(studio: Studio, kept: &Kept) {
    studio.open(&kept.text);
    studio.key.set(kept.key);
    let held = kept.wiring.as_ref().and_then(|w| hold(&w.spec, &w.table, w.origin.clone()).ok());
    studio.held.set(held);
    studio.board_id.set(kept.board.clone());
}

/// Keeps the wiring on screen with the spec it was made for, and gives its number. One that is kept already is not kept twice.
pub async fn keep(studio: Studio) -> Option<String> {
    let held = studio.held.get_untracked()?;
    if let Some(kept) = &held.kept {
        return Some(kept.id.clone());
    }
    let what = SaveDesign {
        spec: held.spec_text.to_string(),
        table: held.table.to_string(),
        origin: held.origin.clone(),
    };
    match api::save_design(&what).await {
        Ok(view) => {
            let id = view.id.clone();
            let view = Arc::new(view);
            studio.held.update(|now| {
                if let Some(now) = now
                    && Arc::ptr_eq(&now.design, &held.design)
                {
                    now.kept = Some(view);
                }
            });
            Some(id)
        }
        Err(problem) => {
            studio.problem(problem);
            None
        }
    }
}
