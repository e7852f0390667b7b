//! Every file there is to have: by what it is for, with its settings, a look at it, and all of them as one archive.

mod entry;
mod fetch;
mod fields;
pub mod look;

pub use fetch::Fetch;
pub use fields::Fields;

use super::{results::NoWiring, studio::Studio};
use crate::state::{choices::sentence, words::count};
use entry::Entry;
use leptos::prelude::*;
use shared::exports::{Group, formats, groups};
use std::collections::BTreeSet;

/// Formats that are ticked, by name.
type Ticked = RwSignal<BTreeSet<&'static str>>;

/// The formats, by what they are for.
#[component]
pub fn Exports() -> impl IntoView {
    let studio = Studio::here();
    let pe = RwSignal::new(String::from("0"));
    let ticked: Ticked = RwSignal::new(BTreeSet::new());
    let has = Memo::new(move |_| studio.held.with(Option::is_some));
    view! {
        {move || if has.get() {
            view! {
                <Together ticked=ticked/>
                {groups().iter().map(|group| view! { <Family group=group pe=pe ticked=ticked/> }).collect_view()}
            }.into_any()
        } else {
            view! { <NoWiring what="Every file to build from"/> }.into_any()
        }}
    }
}

/// Several formats as one archive.
#[component]
fn Together(ticked: Ticked) -> impl IntoView {
    let number = move || ticked.with(BTreeSet::len);
    // A single name would be that format alone, which is not an archive.
    let names = move || ticked.with(|t| format!("{},", t.iter().copied().collect::<Vec<_>>().join(",")));
    let chosen = move || ticked.with(|t| formats().filter(|f| t.contains(f.name)).collect::<Vec<_>>());
    view! {
        <div class="tools">
            <Fetch id="export-all" words=Signal::derive(|| "Everything as one .tar".into()) name=Signal::derive(|| "all".into())
                formats=Signal::derive(|| formats().collect::<Vec<_>>())/>
            <Fetch id="export-chosen" words=Signal::derive(move || format!("{} as one .tar", count(number() as u64, "chosen format")))
                name=Signal::derive(names) formats=Signal::derive(chosen) blocked=Signal::derive(move || number() == 0)/>
            <p class="hint">"The same bytes come from the command line: "<code>"crosspoint export SPEC DESIGN --format all -o FILE.tar"</code>
                ". What of everything this wiring cannot have is told in the archive."</p>
        </div>
    }
}

#[component]
fn Family(group: &'static Group, pe: RwSignal<String>, ticked: Ticked) -> impl IntoView {
    view! {
        <section class="export-group" aria-label=group.name>
            <h3>{group.name}</h3>
            <p class="hint">{sentence(group.purpose)}</p>
            <ul>{group.formats.iter().map(|format| view! { <Entry format=format pe=pe ticked=ticked/> }).collect_view()}</ul>
        </section>
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
