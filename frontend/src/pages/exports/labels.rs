//! The wiring labels: what they are printed on and of what, a look at the first ones, and the pages to print.

use super::{
    fetch::Fetch,
    fields::Fields,
    look::{Look, Looking},
};
use crate::{api, browser, components::Icon, studio::Studio};
use leptos::{prelude::*, task::spawn_local};
use shared::exports::{Format, LABELS, LABELS_PDF};

/// A look at the labels.
#[component]
pub fn Labels() -> impl IntoView {
    let (html, pdf): (&'static Format, &'static Format) = (&LABELS, &LABELS_PDF);
    let studio = Studio::here();
    let looking = Looking::at(html, Signal::derive(|| None));
    let refused = looking.refused();
    let wrong = Signal::derive(move || refused.with(Option::is_some));
    let open = move |_| {
        // Opened before the answer is there, or browsers take it for an advertisement.
        let tab = browser::window().open_with_url_and_target("about:blank", "_blank").ok().flatten();
        let choices = studio.session.choices.with_untracked(|c| c.of(html));
        spawn_local(async move {
            let address = studio.save_design().await.map(|id| api::export_address(&id, html.name, &choices));
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
        <div class="tools">
            <button type="button" class="primary" id="print-labels" prop:disabled=wrong on:click=open><Icon name="print"/>"Open label page"</button>
            <Fetch id="labels-pdf" words=Signal::derive(|| "Download as PDF".into()) name=Signal::derive(move || pdf.name.into())
                formats=Signal::derive(move || vec![pdf]) blocked=wrong/>
            <p class="hint">"Print at 100 %, with background colours. Use the calibration page to check the printer. Opening the page saves the design."</p>
        </div>
        <p class="on-paper">"To print labels, choose “Open label page” in the studio."</p>
        <div class="export-body">
            <div class="export-side"><Fields format=html refused=refused/></div>
            <Look looking=looking/>
        </div>
    }
}
