//! Stores the settings beside the spec in this tab, and restores them after a reload.

use super::{Session, Studio, simulations::Simulator};
use crate::{
    browser,
    state::{
        aside::{Aside, Asides},
        place::Place,
    },
};
use leptos::prelude::*;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Storage key, per tab.
const STORED: &str = "crosspoint.aside";

/// Identifies a session in this tab across reloads: by saved design, draft, link or example spec.
fn identity(studio: Studio) -> String {
    let key = studio.session.key.get_untracked();
    match studio.view.place.get_untracked() {
        Place::Design(id) => format!("design {id}"),
        _ if Session::own_key() == Some(key) => key.to_string(),
        Place::Link(link) => {
            let mut hasher = DefaultHasher::new();
            link.hash(&mut hasher);
            format!("link {:x}", hasher.finish())
        }
        Place::Home | Place::Hardware => {
            Session::picked().map_or_else(|| key.to_string(), |id| format!("ready {id}"))
        }
        _ => key.to_string(),
    }
}

/// Stores and restores them for as long as the page lives.
pub fn keep(studio: Studio, simulator: Simulator) {
    let Studio { session, result, view } = studio;
    let stored = StoredValue::new(Asides::read(&browser::stored_for_tab(STORED).unwrap_or_default()));
    Effect::new(move |before: Option<Option<u64>>| {
        let key = session.key.get();
        // A session that is stored as a draft from now on has another identity.
        session.saved_at.track();
        let identity = identity(studio);
        let aside = session.prices.with(|prices| {
            session.simulate.with(|form| {
                result.curves.with(|curves| {
                    let (tab, networks) = (view.tab.get(), session.networks.get());
                    session.search.with(|search| {
                        Aside::new(identity.clone(), tab, prices, networks, form, curves, search)
                    })
                })
            })
        });
        if session.is_blank() {
            return None;
        }
        if before.flatten() == Some(key) {
            stored.update_value(|stored| stored.keep(aside));
            browser::store_for_tab(STORED, &stored.with_value(Asides::write));
            return Some(key);
        }
        // A copy to edit continues the simulations in progress.
        if result.curves.with_untracked(|curves| curves.live().is_none()) {
            simulator.leave();
        }
        if let Some(aside) = stored.with_value(|stored| stored.of(&identity)) {
            session.search.set(aside.search());
            let (tab, prices, networks, form, curves) = aside.parts();
            view.tab.set(tab);
            session.prices.set(prices);
            session.networks.set(networks);
            session.simulate.set(form);
            result.curves.set(curves);
            simulator.find_again(studio);
        }
        Some(key)
    });
}
