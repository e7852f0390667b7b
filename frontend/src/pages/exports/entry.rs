//! One format on the list: what it is for; opened, its settings, a look at it, and its files.

use super::{
    fetch::Fetch,
    fields::Fields,
    look::{Look, Looking},
};
use crate::{
    components::pressed,
    state::{routes, words::count},
    studio::Studio,
};
use leptos::prelude::*;
use shared::exports::{Each, Format};
use std::collections::BTreeSet;
use wasm_bindgen::JsCast;

/// Formats that are ticked, by name.
pub type Ticked = RwSignal<BTreeSet<&'static str>>;

/// The format's line.
#[component]
pub fn Entry(format: &'static Format, pe: RwSignal<String>, ticked: Ticked) -> impl IntoView {
    let open = RwSignal::new(false);
    let name = format.name;
    let tick = move |_| {
        ticked.update(|ticked| {
            if !ticked.remove(name) {
                ticked.insert(name);
            }
        });
    };
    let toggled = move |event: web_sys::Event| {
        if let Some(details) = event.target().and_then(|t| t.dyn_into::<web_sys::HtmlDetailsElement>().ok()) {
            open.set(details.open());
        }
    };
    view! {
        <li class="export-entry">
            <label class="choose"><input type="checkbox" id=format!("tick-{name}") prop:checked=move || ticked.with(|t| t.contains(name)) on:change=tick/>
                <span class="sr">{format!("Add {name} to the archive")}</span></label>
            <details on:toggle=toggled>
                <summary id=format!("show-{name}")><code>{name}</code>" "<span class="purpose">{in_code(format.purpose)}</span></summary>
                {move || open.get().then(|| view! { <Opened format=format pe=pe/> })}
            </details>
        </li>
    }
}

#[component]
fn Opened(format: &'static Format, pe: RwSignal<String>) -> impl IntoView {
    let studio = Studio::here();
    let per_node = format.each == Each::Node;
    let pes = move || studio.result.held.with(|h| h.as_ref().map_or(0, |h| h.design.pes()));
    let read = Memo::new(move |_| pe.with(|text| routes::pe(text, pes())));
    let chosen = Signal::derive(move || read.with(|r| r.as_ref().ok().copied()).filter(|_| per_node));
    let looking = Looking::at(format, chosen);
    let refused = looking.refused();
    let cannot = Signal::derive(move || refused.with(Option::is_some));
    let fault = move || read.with(|r| r.as_ref().err().cloned());
    let name = format.name;
    let only = Signal::derive(move || vec![format]);
    let whole = Signal::derive(move || match (per_node, format.is_several()) {
        (true, _) => format!("Download all {} as .tar", count(u64::from(pes()), "node")),
        (false, true) => "Download as .tar".into(),
        (false, false) => "Download".into(),
    });
    view! {
        <div class="export-body">
            <div class="export-side">
                <Fields format=format refused=refused/>
                {per_node.then(|| view! {
                    <div class="field" class:wrong=move || fault().is_some()>
                        <label for=format!("export-pe-{name}")>"Node"</label>
                        <span class="entry"><input id=format!("export-pe-{name}") type="text" inputmode="numeric" prop:value=pe
                            aria-invalid=move || pressed(fault().is_some()) aria-describedby=format!("export-pe-{name}-fault")
                            on:input=move |event| pe.set(event_target_value(&event))/></span>
                        <p class="fault" id=format!("export-pe-{name}-fault") hidden=move || fault().is_none()>{fault}</p>
                    </div>
                })}
                <div class="actions">
                    {per_node.then(|| view! {
                        <Fetch id=format!("export-one-{name}") words=Signal::derive(|| "Download this node".into()) name=Signal::derive(move || name.into())
                            formats=only pe=chosen blocked=Signal::derive(move || chosen.get().is_none() || cannot.get())/>
                    })}
                    <Fetch id=format!("export-{name}") words=whole name=Signal::derive(move || name.into()) formats=only blocked=cannot/>
                </div>
                <p class="hint command"><code>{move || studio.session.choices.with(|c| c.command(format, chosen.get()))}</code></p>
            </div>
            <Look looking=looking/>
        </div>
    }
}

/// Words between backticks as code.
fn in_code(text: &str) -> impl IntoView + use<> {
    let parts = text.split('`').enumerate();
    parts
        .map(|(i, part)| match i % 2 {
            1 => view! { <code>{part.to_owned()}</code> }.into_any(),
            _ => part.to_owned().into_any(),
        })
        .collect_view()
}
