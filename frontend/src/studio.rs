//! The studio's signals, and the actions that change several of them.
//!
//! | part | holds |
//! | --- | --- |
//! | [`session`] | the spec being edited, the settings typed beside it, and the drafts in this browser |
//! | [`result`] | everything computed or fetched from those |
//! | [`view`] | the place, tab, map section and theme on screen, and the notice above them |
//!
//! The other modules keep these up to date: [`compute`] in the browser, [`searches`] and [`simulations`] on the server,
//! [`navigate`] with the address bar, [`networks`] for comparisons, [`quick`] while people type, `computed` for other work with one result, [`aside`] across reloads, [`replay`] at an earlier time of a search. What a first visit doesn't need is called through [`late`]. The
//! [`companion`] of a cabling has signals of its own.

pub mod aside;
pub mod companion;
pub mod compute;
mod computed;
pub mod follow;
pub mod improve;
mod judge;
pub mod late;
mod links;
pub mod navigate;
pub mod networks;
pub mod quick;
pub mod replay;
mod result;
pub mod searches;
mod session;
mod settings;
pub mod simulations;
mod view;

use result::MOVED;
pub use result::{Limits, OutdatedReason, Results, ShownWiring, ValidSpec, WiringVerdict, change};
pub use session::Session;
pub use view::{TrafficFiles, View};

use crate::{
    api, browser,
    state::{
        choices::{Choices, FAILED},
        draft::{Action, Draft},
        job::place_in_form,
        map,
        place::Place,
        recent::{KeptWiring, RecentDraft, RecentDrafts},
        run::Run,
        simulate::{Curves, SimulateForm},
        words::grouped,
    },
};
use leptos::prelude::*;
use shared::{
    api::{GalleryEntry, SaveDesign},
    design::Faults,
    spec::MAX_SPEC_BYTES,
};
use std::sync::Arc;

/// Number of faults that get a link to their field.
const MAX_FAULT_LINKS: usize = 8;

/// All signals.
#[derive(Clone, Copy)]
pub struct Studio {
    pub session: Session,
    pub result: Results,
    pub view: View,
}

impl Studio {
    /// Creates the signals; nothing is open yet.
    pub fn new() -> Studio {
        let (session, view) = (Session::new(), View::new());
        Studio { session, result: Results::new(session, view), view }
    }

    /// The studio of the surrounding page.
    pub fn here() -> Studio {
        expect_context()
    }

    /// Makes a draft of this browser from the saved design or the search on screen, and leaves the original as it is.
    pub fn fork(self) {
        let place = self.view.place.get_untracked();
        let base = match &place {
            Place::Design(id) | Place::Run(id) => Some(id.clone()),
            _ => None,
        };
        self.session.key.set(browser::now());
        self.session.base.set(base);
        self.session.board_id.set(None);
        self.result.run.set(None);
        self.result.board.set(None);
        change(self.result.held, |held| held.revision = None);
        self.view.go(if place.is_hardware() { Place::Hardware } else { Place::Draft });
        self.remember();
        self.view.notify("You are editing a copy. The original stays unchanged.");
    }

    /// `true` if the search on screen may only be watched. Then a notice says how to make a copy.
    fn refuses_edits(self) -> bool {
        let viewing = self.view.viewing.get_untracked();
        if viewing {
            let words = "You are viewing a shared search. Edit a copy to change something.";
            self.view.offer(words.into(), "Edit a copy".into(), move || self.fork());
        }
        viewing
    }

    /// Edits the spec and stores the draft. The wiring stays; the checker marks what no longer holds.
    pub fn edit(self, action: Action) {
        self.try_edit(action);
    }

    /// Does an action. Returns `false` on the page of a search that may only be watched.
    pub fn try_edit(self, action: Action) -> bool {
        if self.refuses_edits() {
            return false;
        }
        self.session.draft.update(|draft| draft.update(action));
        // A reload of the address would show the spec of the work again.
        if matches!(self.view.place.get_untracked(), Place::Work(_)) {
            self.view.go(Place::Draft);
        }
        self.remember();
        true
    }

    /// Replaces the spec by that of a file, as one step: another design, with default settings.
    pub fn open_file(self, text: String) {
        if self.refuses_edits() {
            return;
        }
        self.session.forget_settings();
        self.edit(Action::Replace(text));
    }

    /// Starts a session from a spec's text, with default settings, no undo steps and no wiring.
    pub fn open(self, text: &str) {
        self.session.forget_settings();
        self.view.forget_parts();
        self.load(text);
    }

    /// Opens a text beside the settings that there are.
    fn load(self, text: &str) {
        self.session.draft.set(Draft::open(text));
        self.session.key.set(browser::now());
        self.session.board_id.set(None);
        self.session.base.set(None);
        self.session.simulate.set(SimulateForm::default());
        self.session.saved_at.set(None);
        self.session.opened.set_value(None);
        self.result.quick.forget();
        self.result.held.set(None);
        self.result.run.set(None);
        self.result.board.set(None);
        self.result.curves.set(Curves::default());
        self.view.notice.set(None);
        self.view.map.update(|map| *map = map::View::all(map.pes));
    }

    /// Opens a draft of this browser, with its wiring. If its session is on screen, its settings stay.
    pub fn restore(self, kept: &RecentDraft) {
        self.view.begin();
        if self.session.key.get_untracked() == kept.key {
            self.load(&kept.text);
        } else {
            self.open(&kept.text);
        }
        self.session.key.set(kept.key);
        self.session.board_id.set(kept.board.clone());
        self.session.base.set(kept.base.clone());
        let held =
            kept.wiring.as_ref().and_then(|w| ShownWiring::read(&w.spec, &w.table, w.origin.clone()).ok());
        self.result.held.set(held);
    }

    /// Opens the draft that work was started from, or the spec of the work if this browser has no such draft.
    fn restore_or_open(
        self,
        find: impl FnOnce(&RecentDrafts, Option<u64>) -> Option<RecentDraft>,
        spec: &str,
    ) {
        self.session.read_recent();
        let own = Session::own_key();
        match self.session.recent.with_untracked(|recent| find(recent, own)) {
            Some(kept) => {
                self.restore(&kept);
                // The other tab continues its session; here it is a copy.
                if own != Some(kept.key) {
                    self.session.key.set(browser::now());
                }
            }
            None => self.open(spec),
        }
    }

    /// Opens an example spec; a reload of this tab opens it again.
    pub fn pick(self, entry: &GalleryEntry) {
        self.open(&entry.spec);
        Session::set_picked(&entry.id);
        self.view.begin();
    }

    /// Takes the wiring on screen as one for the spec on screen, which it may break.
    pub fn adopt_wiring(self) {
        let Some(held) = self.result.held.get_untracked() else { return };
        match ShownWiring::read(&self.session.text_now(), &held.table, held.origin) {
            Ok(held) => {
                self.take_wiring(held);
            }
            Err(lines) => self.view.show_error("This wiring does not fit the spec on screen.", lines),
        }
    }

    /// Shows a wiring that no search found. Returns `false` on the page of a search that may only be watched.
    pub fn take_wiring(self, held: ShownWiring) -> bool {
        if self.refuses_edits() {
            return false;
        }
        self.show_wiring(held, None);
        true
    }

    /// Shows a wiring and the search that found it, at the address of that search. Without a search, it leaves the address of work: a
    /// reload would show the wiring of the work again.
    fn show_wiring(self, held: ShownWiring, run: Option<Run>) {
        let id = run.as_ref().map(|run| run.view.id.clone());
        // The page of a search that goes on opens it again.
        self.result.run.set(run.filter(Run::is_over));
        self.result.held.set(Some(held));
        self.remember();
        match id {
            Some(id) => self.view.go(Place::Run(id)),
            None if matches!(self.view.place.get_untracked(), Place::Run(_) | Place::Work(_)) => {
                self.view.go(Place::Draft);
            }
            None => {}
        }
    }

    /// [`Studio::take_wiring`], with an offer to bring back the former wiring and its search.
    pub fn replace_wiring(self, held: ShownWiring, words: String, back: &str) {
        let before = self.result.held.get_untracked().zip(Some(self.result.run.get_untracked()));
        if !self.take_wiring(held) {
            return;
        }
        let Some((before, run)) = before else { return self.view.notify(words) };
        self.view.offer(words, back.into(), move || {
            if !self.refuses_edits() {
                self.show_wiring(before.clone(), run.clone());
            }
        });
    }

    /// Replaces the wiring on screen by one with other numbers of switches, and offers to undo that.
    pub fn renumber_switches(self, table: &str, words: String) {
        let Some(before) = self.result.held.get_untracked() else { return };
        let marked = before.origin.ends_with(MOVED);
        let origin = if marked { before.origin.clone() } else { before.origin.clone() + MOVED };
        match ShownWiring::read(&before.spec_text, table, origin) {
            Ok(held) => self.replace_wiring(held, words, "Undo"),
            Err(lines) => self.view.show_error("The switches cannot be moved.", lines),
        }
    }

    /// Copies the wiring on screen into the spec as its starting point.
    pub fn start_from_wiring(self) {
        let table = self.result.held.with_untracked(|h| h.as_ref().map(|h| h.table.to_string()));
        let Some(table) = table else { return };
        let limit = MAX_SPEC_BYTES / 2;
        if table.len() > limit {
            let (has, limit) = (grouped(table.len() as u64), grouped(limit as u64));
            let text =
                format!("The wiring table is too large for a spec: {has} bytes, the limit is {limit}.");
            return self.view.show_error(text, Vec::new());
        }
        if self.try_edit(Action::Start(Some(table))) {
            self.view
                .notify("The spec now starts from this wiring. See More hardware rules; Undo removes it.");
        }
    }

    /// Saves the wiring on screen on the server, with the spec it was made for, and returns the design's id. A saved design is not
    /// saved again.
    pub async fn save_design(self) -> Option<String> {
        let held = self.result.held.get_untracked()?;
        if let Some(kept) = &held.kept {
            return Some(kept.id.clone());
        }
        let request = SaveDesign {
            spec: held.spec_text.to_string(),
            table: held.table.to_string(),
            origin: held.origin.clone(),
            based_on: self.base_of(&held),
        };
        match api::save_design(&request).await {
            Ok(view) => {
                let id = view.id.clone();
                self.result.held.update(|now| {
                    if let Some(now) = now
                        && Arc::ptr_eq(&now.design, &held.design)
                    {
                        now.kept = Some(Arc::new(view));
                    }
                });
                // The next version is based on this one.
                self.session.base.set(Some(id.clone()));
                if self.view.place.with_untracked(Place::is_session) {
                    self.remember();
                }
                Some(id)
            }
            Err(problem) => {
                self.view.show_problem(problem);
                None
            }
        }
    }

    /// Link of the wiring on screen, if it is saved.
    pub fn design_link(self) -> Option<String> {
        let id = self.result.held.with(|held| held.as_ref()?.kept.as_ref().map(|kept| kept.id.clone()))?;
        Some(browser::absolute(&Place::Design(id).address()))
    }

    /// The settings of exports: those typed, today's date, the design's link, and the failed parts if they are asked for.
    pub fn choices(self) -> Choices {
        let link = self.design_link().map(|link| ("link", link));
        let failed = self.is_around().then(|| self.faults()).flatten().map(|(_, names)| (FAILED, names));
        self.session.choices.get().or([("date", browser::date())].into_iter().chain(link).chain(failed))
    }

    /// The failed parts of the wiring on screen, as typed.
    pub fn failed(self) -> String {
        let table = self.result.of_held(|held| held.table.clone()).unwrap_or_default();
        self.session.failed.with(|failed| failed.of(&table).to_owned())
    }

    /// Sets the failed parts of the wiring on screen.
    pub fn set_failed(self, words: String) {
        let table = self.result.held.with_untracked(|held| held.as_ref().map(|held| held.table.clone()));
        self.session.failed.update(|failed| failed.set(table.unwrap_or_default(), words));
    }

    /// `true` if exports route around the failed parts.
    pub fn is_around(self) -> bool {
        let table = self.result.of_held(|held| held.table.clone()).unwrap_or_default();
        self.session.failed.with(|failed| failed.is_around(&table))
    }

    /// The failed parts of the wiring on screen, with their names; `None` if there are none, or a word names no part.
    pub fn faults(self) -> Option<(Faults, String)> {
        let failed = self.failed();
        let (faults, names) =
            self.result.of_held(|held| Some((held.faults(&failed).ok()?, held.names()))).flatten()?;
        let named = faults.words(|part| names.word(part));
        (!faults.is_empty()).then_some((faults, named))
    }

    /// Id of the design that the session is based on, else of the run that found the wiring; empty for neither.
    fn base_of(self, held: &ShownWiring) -> String {
        let run = || self.result.run.with_untracked(|run| run.as_ref().map(|run| run.view.id.clone()));
        let found = held.revision.and_then(|_| run());
        self.session.base.get_untracked().or(found).unwrap_or_default()
    }

    /// The first fields of the spec's form with a fault, by path and by their place in the form, each once.
    pub fn fields_at_fault(self) -> Vec<(String, String)> {
        let faults = self.result.faults().into_iter();
        let mut paths: Vec<String> = faults.map(|f| f.path).filter(|p| self.session.has_field(p)).collect();
        paths.dedup();
        paths.truncate(MAX_FAULT_LINKS);
        let place = |path: &String| self.session.draft.with(|d| place_in_form(&d.document().form, path));
        paths.iter().map(|path| (path.clone(), place(path).unwrap_or_else(|| path.clone()))).collect()
    }

    /// Stores the session as a draft in this browser.
    pub fn remember(self) {
        self.view.begin();
        self.store_draft();
    }

    /// Stores the state of the search on screen in its draft, if this browser has one.
    pub fn note_state(self) {
        let key = self.session.key.get_untracked();
        let run = self.result.run.with_untracked(|r| r.as_ref().map(|r| r.view.id.clone()));
        if self.session.recent.with_untracked(|recent| recent.has(key, run.as_deref())) {
            self.store_draft();
        }
    }

    fn store_draft(self) {
        let run = self.result.run.with_untracked(|r| r.as_ref().map(|r| r.view.id.clone()));
        let wiring = self.result.held.get_untracked().filter(|_| run.is_none()).map(|held| KeptWiring {
            spec: held.spec_text.to_string(),
            table: held.table.to_string(),
            origin: held.origin.clone(),
        });
        let (text, name) = self
            .session
            .draft
            .with_untracked(|d| (d.document().text.clone(), d.document().form.name.clone()));
        self.session.store(RecentDraft {
            key: self.session.key.get_untracked(),
            text,
            name,
            run,
            board: self.session.board_id.get_untracked(),
            base: self.session.base.get_untracked(),
            wiring,
            state: untrack(|| {
                let outdated = self.result.is_run_outdated();
                self.result.of_run(|run| run.state_words_for(outdated)).unwrap_or_default()
            }),
            switches: self
                .result
                .held
                .with_untracked(|held| held.as_ref().map_or(0, |held| held.design.used_switches())),
            changed: browser::now(),
        });
    }
}
