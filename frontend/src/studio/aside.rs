//! Keeps the settings beside the spec in this tab, also across reloads.

use super::{
    Studio, late,
    settings::{STORED, SettingsStore, identity},
    simulations::Simulator,
};
use crate::browser;
use leptos::{prelude::*, task::spawn_local};

/// Stores and restores them for as long as the page lives.
pub fn keep(studio: Studio, simulator: Simulator) {
    let Studio { session, result, .. } = studio;
    let stored = SettingsStore::new(None);
    // The start page shows the state of each draft.
    let state = Memo::new(move |_| {
        let run = result.of_run(|run| (run.view.id.clone(), run.view.state));
        run.map(|run| (run, result.of_held(|held| held.design.used_switches())))
    });
    Effect::new(move |_| {
        if state.get().is_some() {
            studio.note_state();
        }
    });
    Effect::new(move |before: Option<Option<u64>>| {
        let key = session.key.get();
        // A session that is stored as a draft from now on has another identity.
        session.saved_at.track();
        session.prices.track();
        session.networks.track();
        session.simulate.track();
        session.search.track();
        session.choices.track();
        result.curves.track();
        if session.is_blank() {
            return None;
        }
        let identity = identity(studio);
        if before.flatten() == Some(key) {
            let storing = late::store_settings(studio, stored, identity);
            // If that cannot load, the next change tries again.
            spawn_local(async {
                let _ = storing.call().await;
            });
            return Some(key);
        }
        // A copy to edit continues the simulations in progress.
        if result.curves.with_untracked(|curves| curves.all().is_empty()) {
            simulator.leave_all();
        }
        if stored.with_value(Option::is_some) || browser::stored_for_tab(STORED).is_some() {
            studio.act(move || late::restore_settings(studio, simulator, stored, identity.clone()));
        }
        Some(key)
    });
}
