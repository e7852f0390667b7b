//! Every export by purpose, with its settings and a preview, and all of them as one archive.

mod entry;
mod fetch;
mod fields;
mod labels;
mod look;

pub use labels::Labels;

use crate::state::{choices::sentence, words::count};
use entry::{Entry, Ticked};
use fetch::Fetch;
use leptos::prelude::*;
use shared::exports::{DESIGNS, Group, formats};
use std::collections::BTreeSet;

/// The formats, by what they are for.
#[component]
pub fn Exports() -> impl IntoView {
    let pe = RwSignal::new(String::from("0"));
    let ticked: Ticked = RwSignal::new(BTreeSet::new());
    view! {
        <Together ticked=ticked/>
        {DESIGNS.groups().iter().map(|group| view! { <Family group=group pe=pe ticked=ticked/> }).collect_view()}
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
            <Fetch id="export-all" words=Signal::derive(|| "Download all as .tar".into()) name=Signal::derive(|| "all".into())
                formats=Signal::derive(|| formats().collect::<Vec<_>>())/>
            <Fetch id="export-chosen" words=Signal::derive(move || format!("Download {} as .tar", count(number() as u64, "chosen format")))
                name=Signal::derive(names) formats=Signal::derive(chosen) blocked=Signal::derive(move || number() == 0)/>
            <p class="hint">"Or on the command line: "<code>"crosspoint export SPEC DESIGN --format all -o FILE.tar"</code>
                ". Formats that don’t apply to this design are skipped; LEFT-OUT.txt lists them and why."</p>
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
