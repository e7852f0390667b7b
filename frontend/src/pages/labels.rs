//! The wiring labels: a look at the first ones, and the page to print.

use super::{
    results::NoWiring,
    runs,
    studio::{Held, Studio},
};
use crate::{
    api, browser,
    components::{Icon, Sheet},
    state::words::grouped,
};
use leptos::{prelude::*, task::spawn_local};
use shared::{
    demand::Demand,
    exports::{Bundle, format},
};
use std::{fmt, sync::Arc};

/// How much of a label page is shown, in bytes: a large machine's page has megabytes.
const SHOWN: usize = 24 << 10;

/// A look at the labels.
#[component]
pub fn Labels() -> impl IntoView {
    let studio = Studio::here();
    let has = Memo::new(move |_| studio.held.with(Option::is_some));
    let page = Memo::new(move |_| {
        let asked = studio.asked.get();
        let held = studio.held.get()?;
        let demand = asked.filter(|a| *a.spec == *held.spec).map(|a| a.demand);
        preview(&held, demand)
    });
    let open = move |_| {
        // Opened before the answer is there, or browsers take it for an advertisement.
        let tab = browser::window().open_with_url_and_target("about:blank", "_blank").ok().flatten();
        spawn_local(async move {
            let address = runs::keep(studio).await.map(|id| api::export_address(&id, "labels", None));
            match (address, tab) {
                (Some(address), Some(tab)) => {
                    let _ = tab.location().set_href(&browser::absolute(&address));
                }
                (Some(address), None) => {
                    let _ = browser::window().location().set_href(&address);
                }
                (None, Some(tab)) => {
                    let _ = tab.close();
                }
                (None, None) => {}
            }
        });
    };
    view! {
        {move || if has.get() {
            view! {
                <div class="tools">
                    <button type="button" class="primary" id="print-labels" on:click=open><Icon name="print"/>"Open the label page"</button>
                    <p class="hint">"One label a PE, for A4 and Letter. Print at 100 %, with background colours. The design is saved first, so that the page has a link to keep."</p>
                </div>
                <p class="hint">{move || studio.held.with(|h| h.as_ref().map(|h| format!("The first of {} labels:", grouped(u64::from(h.design.pes())))))}</p>
                <p class="on-paper">"Labels are printed from a page of their own: choose “Open the label page” in the studio."</p>
                <Sheet html=Signal::derive(move || page.get().unwrap_or_default()) label="The first labels"/>
            }.into_any()
        } else {
            view! { <NoWiring what="Wiring labels"/> }.into_any()
        }}
    }
}

/// The beginning of the label page.
fn preview(held: &Held, demand: Option<Arc<Demand>>) -> Option<String> {
    let demand = demand.or_else(|| Demand::build(&held.spec).ok().map(Arc::new))?;
    let bundle = Bundle::new(held.spec.clone(), held.spec_text.as_ref(), demand, held.design.clone());
    let mut page = Beginning(String::new());
    // A full sheet ends the writing, which is no error here.
    let _ = bundle.render(format("labels").ok()?, None, &mut page);
    Some(page.0)
}

/// Takes the beginning of a text and refuses the rest.
struct Beginning(String);

impl fmt::Write for Beginning {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() > SHOWN {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}
