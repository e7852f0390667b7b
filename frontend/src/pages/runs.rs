//! Searches for a wiring, and fetching the best wiring while one improves.

use super::{
    follow::{self, Kind},
    studio::{Held, Studio},
};
use crate::{
    api::{self, Answer},
    browser,
    state::{
        place::Place,
        recent::{Kept, Recent},
        run::{Action, Run},
        tie::Followed,
    },
};
use leptos::{prelude::*, task::spawn_local};
use shared::{
    api::{RunView, SaveDesign},
    design::table,
    resolve::{self, NoFiles},
    spec::Spec,
};
use std::sync::Arc;

/// The line to the run that is followed.
pub type Follower = follow::Follower<Runs>;

/// Searches for a wiring.
#[derive(Clone, Copy)]
pub struct Runs {
    /// A request for the best wiring is on its way.
    fetching: StoredValue<bool>,
    /// The last one was answered a moment ago.
    resting: StoredValue<bool>,
}

impl Kind for Runs {
    type Search = Run;

    const MISSING: &'static str = "There is no such search here.";

    fn signal(studio: Studio) -> RwSignal<Option<Run>> {
        studio.run
    }

    fn place(id: String) -> Place {
        Place::Run(id)
    }

    fn ask(studio: Studio) -> Option<impl Future<Output = Answer<RunView>>> {
        let text = studio.session.with_untracked(|s| s.document().text.clone());
        let request = studio.search.with_untracked(|s| s.request(&text))?;
        Some(async move { api::start_run(&request).await })
    }

    fn get(id: &str) -> impl Future<Output = Answer<RunView>> {
        api::run(id)
    }

    fn stop(id: &str) -> impl Future<Output = Answer<()>> {
        api::stop_run(id)
    }

    fn listen(id: &str, act: impl Fn(Action) + Clone + 'static) -> Option<api::Events> {
        api::follow(id, act)
    }

    /// Its session is opened again in any case, with the spec as it was left.
    fn is_on_screen(_studio: Studio, _id: &str) -> bool {
        false
    }

    fn kept<'a>(recent: &'a Recent, id: &str, own: Option<u64>) -> Option<&'a Kept> {
        recent.of_run(id, own)
    }

    fn spec(view: &RunView) -> &str {
        &view.spec
    }

    fn changed(self, studio: Studio, id: &str) {
        self.fetch(studio, id);
    }
}

impl Runs {
    /// Fetches nothing yet.
    pub fn new() -> Runs {
        Runs { fetching: StoredValue::new(false), resting: StoredValue::new(false) }
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
    follow::followed::<Runs>(studio).as_deref() == Some(id)
}

fn act(studio: Studio, id: &str, action: Action) {
    follow::act::<Runs>(studio, id, action);
}

/// The valid spec of a text.
///
/// # Errors
/// Every fault, in words.
pub fn read_spec(text: &str) -> Result<Arc<Spec>, Vec<String>> {
    let spec = resolve::read(text, &mut NoFiles);
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
