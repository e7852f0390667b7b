//! The spec being edited, the settings typed beside it, and the drafts in this browser.

use crate::{
    browser,
    state::{
        choices::{Choices, PALETTE},
        compare::{Files, Prices},
        draft::Draft,
        failed::FailedParts,
        recent::{RecentDraft, RecentDrafts},
        simulate::SimulateForm,
    },
};
use leptos::prelude::*;
use shared::{
    api::{GalleryEntry, StartWork},
    estimate::EstimateForm,
    exports::Palette,
    form::Form,
    hardware::BoardForm,
    search::SearchForm,
};

/// Storage key of the drafts.
const RECENT: &str = "crosspoint.recent";
/// Storage key, per tab, of the draft or example spec that the tab shows.
const SESSION: &str = "crosspoint.session";
/// Precedes an example spec's id there.
const READY: &str = "ready:";

/// The work that a session was opened from.
#[derive(Clone)]
pub struct OpenedWork {
    pub id: String,
    pub asked: StartWork,
}

/// A session's signals.
#[derive(Clone, Copy)]
pub struct Session {
    pub draft: RwSignal<Draft>,
    /// Time at which the session began, in milliseconds since 1970: its key among the drafts.
    pub key: RwSignal<u64>,
    pub recent: RwSignal<RecentDrafts>,
    /// Time of day at which the draft was last stored.
    pub saved_at: RwSignal<Option<String>>,
    pub gallery: RwSignal<Vec<GalleryEntry>>,
    pub search: RwSignal<SearchForm>,
    pub board_form: RwSignal<BoardForm>,
    pub board_id: RwSignal<Option<String>>,
    /// Id of the saved design that the session is based on.
    pub base: RwSignal<Option<String>>,
    pub choices: RwSignal<Choices>,
    /// A what-if of the views, in no file and no link.
    pub failed: RwSignal<FailedParts>,
    pub prices: RwSignal<Prices>,
    pub networks: RwSignal<String>,
    pub estimate: RwSignal<EstimateForm>,
    /// Files of these networks, for this visit only.
    pub network_files: RwSignal<Files>,
    pub simulate: RwSignal<SimulateForm>,
    /// Until its result is no longer wanted.
    pub opened: StoredValue<Option<OpenedWork>>,
}

impl Session {
    pub(super) fn new() -> Session {
        Session {
            draft: RwSignal::new(Draft::default()),
            key: RwSignal::new(browser::now()),
            recent: RwSignal::new(RecentDrafts::read(&browser::stored(RECENT).unwrap_or_default())),
            saved_at: RwSignal::new(None),
            gallery: RwSignal::new(Vec::new()),
            search: RwSignal::new(SearchForm::default()),
            board_form: RwSignal::new(BoardForm::default()),
            board_id: RwSignal::new(None),
            base: RwSignal::new(None),
            choices: RwSignal::new(Choices::default()),
            failed: RwSignal::new(FailedParts::default()),
            prices: RwSignal::new(Prices::default()),
            networks: RwSignal::new(String::new()),
            estimate: RwSignal::new(EstimateForm::default()),
            network_files: RwSignal::new(Files::new()),
            simulate: RwSignal::new(SimulateForm::default()),
            opened: StoredValue::new(None),
        }
    }

    /// Sets what is typed beside the spec to its defaults: it belongs to one design.
    pub(super) fn forget_settings(self) {
        self.failed.set(FailedParts::default());
        self.choices.update(Choices::forget);
        self.search.set(SearchForm::default());
        self.board_form.set(BoardForm::default());
        self.prices.set(Prices::default());
        self.networks.set(String::new());
        self.estimate.set(EstimateForm::default());
    }

    /// The spec's TOML text.
    pub fn text(self) -> String {
        self.draft.with(|draft| draft.document().text.clone())
    }

    /// Returns the text without tracking it.
    pub fn text_now(self) -> String {
        self.draft.with_untracked(|draft| draft.document().text.clone())
    }

    /// The spec's name.
    pub fn name(self) -> String {
        self.draft.with(|draft| draft.document().form.name.clone())
    }

    /// The chosen colours of cables.
    pub fn palette(self) -> Palette {
        self.choices.with(|choices| Palette::named(&choices.text(PALETTE)))
    }

    /// Returns the name without tracking it.
    pub fn name_now(self) -> String {
        self.draft.with_untracked(|draft| draft.document().form.name.clone())
    }

    /// `true` if the spec's form has an input for a path.
    pub fn has_field(self, path: &str) -> bool {
        let fileless = !path.ends_with("file");
        fileless && self.draft.with(|draft| draft.document().form.text_at(path).is_some())
    }

    /// `true` before the first spec is opened.
    pub fn is_blank(self) -> bool {
        self.draft.with_untracked(|draft| draft.document().text.is_empty())
    }

    /// Stores a draft, dropping the oldest ones if the browser's storage is full.
    pub(super) fn store(self, kept: RecentDraft) {
        browser::store_for_tab(SESSION, &kept.key.to_string());
        // Other tabs store theirs in the same place.
        self.read_recent();
        self.recent.update(|recent| recent.keep(kept));
        let write = || self.recent.with_untracked(|recent| browser::store(RECENT, &recent.write()));
        let mut stored = write();
        while !stored && self.recent.try_update(RecentDrafts::forget_oldest) == Some(true) {
            stored = write();
        }
        self.saved_at.set(stored.then(browser::time_of_day));
    }

    /// Reads the drafts again: other tabs store theirs in the same place.
    pub fn read_recent(self) {
        if let Some(text) = browser::stored(RECENT) {
            self.recent.set(RecentDrafts::read(&text));
        }
    }

    /// The draft that this tab shows.
    pub fn own(self) -> Option<RecentDraft> {
        self.read_recent();
        let own = Session::own_key()?;
        self.recent.with_untracked(|recent| recent.0.iter().find(|kept| kept.key == own).cloned())
    }

    /// Key of the draft that this tab shows.
    pub fn own_key() -> Option<u64> {
        browser::stored_for_tab(SESSION)?.parse().ok()
    }

    /// Id of the example spec that this tab shows unchanged.
    pub fn picked() -> Option<String> {
        Some(browser::stored_for_tab(SESSION)?.strip_prefix(READY)?.to_owned())
    }

    /// Makes a reload of this tab open an example spec.
    pub(super) fn set_picked(id: &str) {
        browser::store_for_tab(SESSION, &format!("{READY}{id}"));
    }

    /// Makes a reload of this tab open the first example spec.
    pub fn forget() {
        browser::forget_for_tab(SESSION);
    }
}
