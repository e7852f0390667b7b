//! The tabs below the panels.

use super::{
    compare::Compare,
    exports::Exports,
    figures::FigureTable,
    labels::Labels,
    routes::Routes,
    simulate::Simulate,
    studio::{Studio, Tab},
    wiring::Wiring,
};
use crate::browser;
use leptos::prelude::*;

const TABS: [(Tab, &str, &str); 7] = [
    (Tab::Wiring, "wiring", "Wiring"),
    (Tab::Figures, "figures", "Figures"),
    (Tab::Routes, "routes", "Routes"),
    (Tab::Labels, "labels", "Labels"),
    (Tab::Compare, "compare", "Compare"),
    (Tab::Simulate, "simulate", "Simulate"),
    (Tab::Export, "export", "Export"),
];

/// What a tab is called where it is stored.
pub fn tab_name(tab: Tab) -> &'static str {
    TABS.iter().find(|known| known.0 == tab).map_or("", |known| known.1)
}

/// The tab of that name, else the first.
pub fn tab_named(name: &str) -> Tab {
    TABS.iter().find(|known| known.1 == name).map_or(TABS[0].0, |known| known.0)
}

/// The id of a tab's button.
pub fn tab_id(tab: Tab) -> &'static str {
    match tab {
        Tab::Wiring => "tab-wiring",
        Tab::Figures => "tab-figures",
        Tab::Routes => "tab-routes",
        Tab::Labels => "tab-labels",
        Tab::Compare => "tab-compare",
        Tab::Simulate => "tab-simulate",
        Tab::Export => "tab-export",
    }
}

/// What comes out: wiring, figures, routes, labels, other networks, traffic, files.
#[component]
pub fn Results() -> impl IntoView {
    let studio = Studio::here();
    let step = move |event: web_sys::KeyboardEvent| {
        let now = TABS.iter().position(|t| t.0 == studio.tab.get_untracked()).unwrap_or(0);
        let next = match event.key().as_str() {
            "ArrowRight" => (now + 1) % TABS.len(),
            "ArrowLeft" => (now + TABS.len() - 1) % TABS.len(),
            "Home" => 0,
            "End" => TABS.len() - 1,
            _ => return,
        };
        event.prevent_default();
        studio.tab.set(TABS[next].0);
        if let Some(button) = browser::element(tab_id(TABS[next].0)) {
            let _ = button.focus();
        }
    };
    view! {
        <section class="results" aria-label="Results">
            <div class="tabs" role="tablist" aria-label="Results" on:keydown=step>
                {TABS.map(|(tab, name, words)| view! {
                    <button type="button" role="tab" id=tab_id(tab) aria-controls=format!("panel-{name}")
                        aria-selected=move || super::spec::pressed(studio.tab.get() == tab)
                        tabindex=move || if studio.tab.get() == tab { "0" } else { "-1" }
                        on:click=move |_| studio.tab.set(tab)>{words}</button>
                }).collect_view()}
            </div>
            {move || {
                let tab = studio.tab.get();
                let (_, name, _) = TABS.iter().find(|t| t.0 == tab).copied().unwrap_or(TABS[0]);
                let content = match tab {
                    Tab::Wiring => view! { <Wiring/> }.into_any(),
                    Tab::Figures => view! { <FigureTable/> }.into_any(),
                    Tab::Routes => view! { <Routes/> }.into_any(),
                    Tab::Labels => view! { <Labels/> }.into_any(),
                    Tab::Compare => view! { <Compare/> }.into_any(),
                    Tab::Simulate => view! { <Simulate/> }.into_any(),
                    Tab::Export => view! { <Exports/> }.into_any(),
                };
                view! {
                    <div class=format!("tab {name}") role="tabpanel" id=format!("panel-{name}") aria-labelledby=tab_id(tab)>{content}</div>
                }
            }}
        </section>
    }
}

/// What a tab shows while there is no wiring.
#[component]
pub fn NoWiring(
    /// What it would show.
    what: &'static str,
) -> impl IntoView {
    view! { <p class="empty">{what}" will be here once there is a wiring: start a search, or import a table in the Wiring tab."</p> }
}

/// Tells, where it matters, that the spec on screen has faults, and that something is of the last one without.
#[component]
pub fn Behind() -> impl IntoView {
    let studio = Studio::here();
    let behind = Memo::new(move |_| studio.resolved.with(Result::is_err));
    view! {
        <p class="fault behind" role="status" hidden=move || !behind.get()>
            "The spec has faults; what is here is of the last one without."
        </p>
    }
}
