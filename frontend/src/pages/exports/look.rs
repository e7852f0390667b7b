//! A look at a file before it is fetched: made in the browser, or for large machines by the server, which writes its beginning.

use crate::{
    api, browser,
    components::Sheet,
    state::{
        choices::{Choices, Refused, is_written_elsewhere, sentence},
        preview::{Beginning, Preview, preview, unseen},
    },
    studio::{Held, Studio},
    work::{Latest, latest},
};
use leptos::prelude::*;
use shared::{
    api::{ExportRequest, Problem},
    demand::Demand,
    exports::{Each, Format},
};
use std::sync::Arc;

/// Preview of a file; `None` if it was stopped.
type Seen = Result<Option<Preview>, Refused>;

/// A look that is taken whenever the wiring, the settings or the PE change.
#[derive(Clone, Copy)]
pub struct Looking {
    format: &'static Format,
    seen: Latest<Seen>,
}

impl Looking {
    /// Looks at a format, or at the file of one PE.
    pub fn at(format: &'static Format, pe: Signal<Option<u32>>) -> Looking {
        let studio = Studio::here();
        let seen = latest(move |turn| {
            let (held, choices, pe) = (studio.result.held.get()?, studio.session.choices.get(), pe.get());
            let demand = studio.result.demand_of(&held);
            let signal = turn.abort_signal()?;
            Some(async move { look(&held, demand, (format, pe), &choices, &signal).await })
        });
        Looking { format, seen }
    }

    /// Reason why the file cannot be made, if any.
    pub fn refused(self) -> Signal<Option<Refused>> {
        Signal::derive(move || {
            self.seen.found.with(|seen| seen.as_ref().and_then(|s| s.as_ref().err().cloned()))
        })
    }
}

/// The beginning of a file.
#[component]
pub fn Look(looking: Looking) -> impl IntoView {
    let Looking { format, seen } = looking;
    let studio = Studio::here();
    let far = Memo::new(move |_| {
        studio.result.held.with(|h| h.as_ref().is_some_and(|h| is_written_elsewhere(&h.design)))
    });
    view! {
        <div class="look" id=format!("look-{}", format.name) aria-busy=move || seen.work.running.get().then_some("true")>
            <p class="hint writing">
                <span role="status">{move || seen.work.running.get().then_some("Writing")}</span>
                {move || (far.get() && seen.work.running.get()).then(|| view! {
                    <button type="button" class="plain" on:click=move |_| seen.stop(Ok(None))>"Stop"</button>
                })}
            </p>
            {move || match seen.found.get() {
                None => ().into_any(),
                Some(Err(Refused { setting: Some(_), .. })) => view! { <p class="hint">"No preview: fix the setting first."</p> }.into_any(),
                Some(Err(Refused { words, .. })) => view! { <p class="fault" role="alert">{words}</p> }.into_any(),
                Some(Ok(None)) => view! { <p class="hint">"Preview stopped. Change a setting to start again, or download the file."</p> }.into_any(),
                Some(Ok(Some(preview))) => shown(format, preview),
            }}
        </div>
    }
}

async fn look(
    held: &Held,
    demand: Option<Arc<Demand>>,
    (format, pe): (&'static Format, Option<u32>),
    choices: &Choices,
    stop: &web_sys::AbortSignal,
) -> Seen {
    if format.each != Each::Whole && pe.is_none() {
        return Ok(Some(Preview::Not("Choose a node to preview its file.".into())));
    }
    let settings = choices.settings(format)?;
    if is_written_elsewhere(&held.design) {
        return written_elsewhere(held, (format, pe), choices, stop).await;
    }
    let Some(bundle) = held.bundle(demand, settings) else {
        return Err(Refused { setting: None, words: "The pairs of the spec cannot be computed.".into() });
    };
    Ok(Some(preview(&bundle, format, pe)?))
}

/// A look at a file that the server writes, as far as it is shown.
async fn written_elsewhere(
    held: &Held,
    (format, pe): (&'static Format, Option<u32>),
    choices: &Choices,
    stop: &web_sys::AbortSignal,
) -> Seen {
    if let Some(why) = unseen(format) {
        return Ok(Some(Preview::Not(why)));
    }
    if format.is_several() {
        let told = "This machine is too large for a preview of several files; download them instead.";
        return Ok(Some(Preview::Not(told.into())));
    }
    let (spec, table) = (held.spec_text.to_string(), held.table.to_string());
    let what = ExportRequest { spec, table, with: choices.of(format) };
    let mut beginning = Beginning::of(format);
    match api::beginning(format.name, pe, &what, stop, |bytes| beginning.take(bytes)).await {
        Ok(true) => Ok(Some(beginning.shown())),
        Ok(false) => Ok(None),
        Err(Problem { detail, .. }) => Err(Refused { setting: None, words: sentence(&detail) }),
    }
}

fn shown(format: &'static Format, preview: Preview) -> AnyView {
    let so_on = |more: bool| more.then(|| view! { <p class="hint">"…"</p> });
    match preview {
        Preview::Text { text, more } => view! {
            <pre tabindex="0" role="region" aria-label=format!("First lines of {}", format.name)>{text}</pre>
            {so_on(more)}
        }
        .into_any(),
        Preview::Page { html, more } => view! {
            <Sheet html=Signal::derive(move || html.clone()) label="Start of the page"/>
            {so_on(more)}
        }
        .into_any(),
        Preview::Picture(bytes) => match browser::address_of(&bytes, format.media_type) {
            Some(address) => {
                let shown = address.clone();
                on_cleanup(move || browser::forget_address(&address));
                view! { <img src=shown alt=format!("Picture {}", format.name)/> }.into_any()
            }
            None => view! { <p class="hint">"This browser cannot show the picture."</p> }.into_any(),
        },
        Preview::Files { files, more } => view! {
            {files.into_iter().map(|(path, text)| view! { <h4>{path.clone()}</h4><pre tabindex="0" role="region" aria-label=path>{text}</pre> }).collect_view()}
            {more.then(|| view! { <p class="hint">"… and more files"</p> })}
        }
        .into_any(),
        Preview::Not(why) => view! { <p class="hint">{why}</p> }.into_any(),
    }
}
