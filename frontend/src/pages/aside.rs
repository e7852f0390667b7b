//! What stands beside the spec, kept in this tab for a reload: the open tab, prices, networks besides, what to simulate.

use super::{
    results::{tab_name, tab_named},
    studio::{READY, SESSION, Studio},
};
use crate::{
    browser,
    state::{compare::Prices, place::Place, simulate::SimulateForm},
};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use shared::simulation::SimulationForm;

/// Where it is stored.
const STORED: &str = "crosspoint.aside";

#[derive(Serialize, Deserialize)]
struct Aside {
    session: String,
    tab: String,
    prices: String,
    besides: String,
    form: Option<SimulationForm>,
}

/// What tells a session of this tab from others, even after a reload: a kept design, a ready spec, or the session's key.
pub fn identity(studio: Studio) -> String {
    match studio.place.get_untracked() {
        Place::Design(id) => format!("design {id}"),
        _ => {
            let ready = browser::stored_for_tab(SESSION).filter(|session| session.starts_with(READY));
            ready.unwrap_or_else(|| studio.key.get_untracked().to_string())
        }
    }
}

/// Keeps it for as long as the page lives, and has it back once the session is on screen that it was of.
pub fn keep(studio: Studio) {
    let before: Option<Aside> =
        browser::stored_for_tab(STORED).and_then(|text| serde_json::from_str(&text).ok());
    let before = StoredValue::new(before);
    Effect::new(move |_| {
        studio.key.track();
        let session = identity(studio);
        let found =
            before.try_update_value(|before| before.take_if(|before| before.session == session)).flatten();
        if let Some(aside) = found {
            studio.tab.set(tab_named(&aside.tab));
            studio.prices.set(Prices::of(&aside.prices));
            studio.besides.set(aside.besides);
            studio.simulate.set(aside.form.as_ref().map(SimulateForm::of).unwrap_or_default());
        }
    });
    Effect::new(move |first: Option<()>| {
        // A session that is kept from now on has another identity.
        studio.stored.track();
        let aside = Aside {
            tab: tab_name(studio.tab.get()).into(),
            prices: studio.prices.with(Prices::text),
            besides: studio.besides.get(),
            form: studio.simulate.with(|form| form.read().ok()),
            session: identity(studio),
        };
        // Nothing has happened yet.
        if first.is_some() {
            browser::store_for_tab(STORED, &serde_json::to_string(&aside).unwrap_or_default());
        }
    });
}
