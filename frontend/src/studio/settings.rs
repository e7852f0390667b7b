//! Stores and restores the settings beside the spec of a session.

use super::{Session, Studio, simulations::Simulator};
use crate::{
    browser,
    state::{
        aside::{SessionSettings, SettingsHistory},
        place::Place,
    },
};
use leptos::prelude::*;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Storage key, per tab.
pub(super) const STORED: &str = "crosspoint.aside";

/// Identifies a session in this tab across reloads: by saved design, draft, link or example spec.
pub(super) fn identity(studio: Studio) -> String {
    let key = studio.session.key.get_untracked();
    match studio.view.place.get_untracked() {
        Place::Design(id) => format!("design {id}"),
        _ if Session::own_key() == Some(key) => key.to_string(),
        Place::Run(id) | Place::Board(id) | Place::Work(id) => format!("work {id}"),
        Place::Link(link) => {
            let mut hasher = DefaultHasher::new();
            link.hash(&mut hasher);
            format!("link {:x}", hasher.finish())
        }
        Place::Draft | Place::Hardware => {
            Session::picked().map_or_else(|| key.to_string(), |id| format!("ready {id}"))
        }
        _ => key.to_string(),
    }
}

/// The settings of the last sessions; `None` until they are read.
pub type SettingsStore = StoredValue<Option<SettingsHistory>>;

/// Restores the settings of a session, if it is still on screen.
pub(super) fn restore(studio: Studio, simulator: Simulator, stored: SettingsStore, identity: &str) {
    let Studio { session, result, .. } = studio;
    read(stored);
    let aside = stored.with_value(|stored| stored.as_ref()?.of(identity));
    let Some(aside) = aside.filter(|_| self::identity(studio) == identity) else { return };
    session.search.set(aside.search());
    session.choices.update(|choices| *choices = aside.choices(std::mem::take(choices)));
    let (prices, networks, form, curves) = aside.parts();
    session.prices.set(prices);
    session.networks.set(networks);
    session.simulate.set(form);
    result.curves.set(curves);
    simulator.find_again(studio);
}

/// Stores the settings of a session, if it is still on screen.
pub(super) fn store(studio: Studio, stored: SettingsStore, identity: String) {
    let Studio { session, result, .. } = studio;
    if self::identity(studio) != identity {
        return;
    }
    let aside = SessionSettings::new(
        identity,
        &session.prices.read_untracked(),
        session.networks.get_untracked(),
        &session.simulate.read_untracked(),
        &result.curves.read_untracked(),
        &session.search.read_untracked(),
    )
    .with_choices(&session.choices.read_untracked());
    read(stored);
    stored.update_value(|stored| {
        let stored = stored.get_or_insert_default();
        stored.keep(aside);
        browser::store_for_tab(STORED, &stored.write());
    });
}

fn read(stored: SettingsStore) {
    stored.update_value(|stored| {
        stored.get_or_insert_with(|| {
            SettingsHistory::read(&browser::stored_for_tab(STORED).unwrap_or_default())
        });
    });
}
