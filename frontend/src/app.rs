//! The studio's page, put together: the one place that knows all panels.

use crate::{
    browser,
    components::{Icon, Part, Soon, pressed},
    pages::{
        gallery::Gallery,
        header::Header,
        help,
        map::{MapPanel, OutdatedNote},
        search::SearchPanel,
        spec::SpecPanel,
        wiring::Wiring,
    },
    parts,
    state::{
        cabling::Spot,
        place::{Place, Scene, Tab},
    },
    studio::{
        Outdated, Studio, aside, compute,
        navigate::Navigator,
        searches::{BoardFollower, Boards, RunFollower, Runs},
        simulations::{Simulations, Simulator},
    },
};
use leptos::prelude::*;

/// Draws the studio into the page, or the companion of a cabling alone.
pub fn mount() {
    match Spot::of(&browser::address().0) {
        Some(_) => mount_to_body(CablingApp),
        None => mount_to_body(App),
    }
}

/// The companion of a cabling.
#[component]
fn CablingApp() -> impl IntoView {
    view! { <main id="main" tabindex="-1" class="companion"><Part of=parts::companion/></main> }
}

#[component]
fn App() -> impl IntoView {
    let studio = Studio::new();
    let runs = RunFollower::new(Runs::new());
    let boards = BoardFollower::new(Boards);
    let simulator = Simulator::new(Simulations::new());
    compute::follow(studio);
    aside::keep(studio, simulator);
    let navigator = Navigator::new(studio, runs, boards, simulator);
    provide_context(studio);
    provide_context(runs);
    provide_context(boards);
    provide_context(simulator);
    provide_context(navigator);
    Effect::new(move |_| {
        if let Some(root) = browser::document().document_element() {
            let _ = root.set_attribute("data-theme", studio.view.theme.get().name());
        }
    });
    Effect::new(move |_| {
        let name = match studio.view.place.with(Place::title) {
            Some(title) => title.into(),
            None => studio.session.name(),
        };
        let title = if name.is_empty() { "Crosspoint".into() } else { format!("{name} – Crosspoint") };
        browser::document().set_title(&title);
    });
    help::listen(studio, navigator);
    parts::prefetch();
    // Panels are rebuilt only where they differ: going from a draft to its search must not fold anything.
    let saved = Memo::new(move |_| matches!(studio.view.place.get(), Place::Design(_)));
    // A session with a wiring has begun: the gallery would push it off the screen.
    let begins = Memo::new(move |_| {
        studio.view.place.get() == Place::Home && studio.result.held.with(Option::is_none)
    });
    let hardware = Memo::new(move |_| studio.view.place.with(Place::is_hardware));
    let other = Memo::new(move |_| studio.view.place.with(|place| place.title().map(|_| place.clone())));
    // Help keeps its chapter when it is closed.
    let helped = Memo::new(move |before: Option<&bool>| before == Some(&true) || studio.view.help.get());
    let toured = Memo::new(move |before: Option<&bool>| {
        before == Some(&true) || studio.view.tour.with(Option::is_some)
    });
    let imports = Memo::new(move |_| studio.view.traffic.with(Option::is_some));
    let has_left =
        Memo::new(move |_| studio.result.of_judged(|j| !j.verdict.uncovered.is_empty()).unwrap_or_default());
    let left = move || has_left.get().then(|| view! { <Part of=parts::remaining/> });
    // The part that computes bounds draws them, too. The start page does not wait for it.
    let is_bounded = Memo::new(move |before: Option<&bool>| {
        before == Some(&true) || studio.result.of_asked(|asked| asked.limits.is_some()).unwrap_or_default()
    });
    let bounds = move || is_bounded.get().then(|| view! { <Part of=parts::bounds/> });
    view! {
        <a class="skip" href="#main">"Skip to the session"</a>
        <Header/>
        <main id="main" tabindex="-1" data-outdated=move || studio.result.outdated().map(Outdated::name)>
            <NoticeBar/>
            {move || begins.get().then(|| view! { <Gallery/> })}
            {move || if other.get().is_some() {
                view! { <Part of=parts::other/> }.into_any()
            } else if hardware.get() {
                view! { <div class="panels hardware"><SpecPanel><Part of=parts::job/></SpecPanel><Part of=parts::hardware/></div> }.into_any()
            } else {
                view! {
                    <div class="panels">
                        {move || if saved.get() { view! { <Part of=parts::kept_spec/> }.into_any() } else { view! { <SpecPanel><Part of=parts::job/></SpecPanel> }.into_any() }}
                        <MapPanel><Scenes/></MapPanel>
                        {move || if saved.get() {
                            view! { <Part of=parts::about/> }.into_any()
                        } else {
                            view! { <SearchPanel>{left}{bounds}</SearchPanel> }.into_any()
                        }}
                    </div>
                    <Results/>
                }.into_any()
            }}
        </main>
        {move || helped.get().then(|| view! { <Part of=parts::help/> })}
        {move || imports.get().then(|| view! { <Part of=parts::traffic/> })}
        {move || toured.get().then(|| view! { <Part of=parts::tour/> })}
    }
}

/// The view of the design in the middle panel, other than the map.
#[component]
fn Scenes() -> impl IntoView {
    let studio = Studio::here();
    let has_wiring = Memo::new(move |_| studio.result.held.with(Option::is_some));
    // The view on screen, chosen again, stays as it is.
    let scene = Memo::new(move |_| studio.view.scene.get());
    view! {
        {move || match scene.get() {
            _ if !has_wiring.get() => view! {
                <p class="empty square" id="no-wiring">"No wiring yet: start a search, or import a table in the Wiring tab."</p>
            }.into_any(),
            Scene::Cables => view! { <Part of=parts::cables/> }.into_any(),
            Scene::Racks => view! { <Part of=parts::racks/> }.into_any(),
            Scene::Map => ().into_any(),
        }}
    }
}

/// The notice above the panels.
#[component]
fn NoticeBar() -> impl IntoView {
    let studio = Studio::here();
    view! {
        <div class="notices" aria-live="polite">
            {move || studio.view.notice.get().map(|notice| view! {
                <div class="notice" class:bad=notice.bad role=if notice.bad { "alert" } else { "status" }>
                    <div>
                        <p>{notice.text}</p>
                        {(!notice.lines.is_empty()).then(|| view! {
                            <ul>{notice.lines.into_iter().map(|line| view! { <li>{line}</li> }).collect_view()}</ul>
                        })}
                        {notice.offer.map(|(words, mend)| view! {
                            <button type="button" id="notice-offer" on:click=move |_| mend.run()>{words}</button>
                        })}
                    </div>
                    <button type="button" class="plain" aria-label="Dismiss" on:click=move |_| studio.view.notice.set(None)>
                        <Icon name="close"/>
                    </button>
                </div>
            })}
        </div>
    }
}

/// The tabs below the panels.
#[component]
fn Results() -> impl IntoView {
    let studio = Studio::here();
    let step = move |event: web_sys::KeyboardEvent| {
        let tabs = Tab::ALL.len();
        let now = Tab::ALL.iter().position(|tab| *tab == studio.view.tab.get_untracked()).unwrap_or(0);
        let next = match event.key().as_str() {
            "ArrowRight" => (now + 1) % tabs,
            "ArrowLeft" => (now + tabs - 1) % tabs,
            "Home" => 0,
            "End" => tabs - 1,
            _ => return,
        };
        event.prevent_default();
        studio.view.tab.set(Tab::ALL[next]);
        if let Some(button) = browser::element(&Tab::ALL[next].id()) {
            let _ = button.focus();
        }
    };
    // The tab on screen, chosen again, stays as it is.
    let shown = Memo::new(move |_| studio.view.tab.get());
    view! {
        <section class="results" id="results" aria-label="Results">
            <div class="tabs" role="tablist" aria-label="Results" on:keydown=step>
                {Tab::ALL.map(|tab| view! {
                    <button type="button" role="tab" id=tab.id() aria-controls=format!("panel-{}", tab.name())
                        aria-selected=move || pressed(studio.view.tab.get() == tab)
                        tabindex=move || if studio.view.tab.get() == tab { "0" } else { "-1" }
                        on:click=move |_| studio.view.tab.set(tab)>{tab.title()}</button>
                }).collect_view()}
            </div>
            <Soon>{move || {
                let tab = shown.get();
                view! {
                    <div class=format!("tab {}", tab.name()) role="tabpanel" id=format!("panel-{}", tab.name()) aria-labelledby=tab.id()>
                        <Content tab=tab/>
                    </div>
                }
            }}</Soon>
        </section>
    }
}

/// The page of a tab, or how to get the wiring that it needs.
#[component]
fn Content(tab: Tab) -> impl IntoView {
    let studio = Studio::here();
    let has_wiring = Memo::new(move |_| studio.result.held.with(Option::is_some));
    let empty = move |what: &'static str| {
        view! { <p class="empty">{what}" need a wiring: start a search, or import a table in the Wiring tab."</p> }.into_any()
    };
    view! {
        <OutdatedNote/>
        {move || match tab {
            Tab::Wiring => view! { <Wiring><Part of=parts::audit/></Wiring> }.into_any(),
            Tab::Compare => view! { <Part of=parts::compare/> }.into_any(),
            Tab::Step => view! { <Part of=parts::estimate/> }.into_any(),
            Tab::Simulate => view! { <Part of=parts::simulate/> }.into_any(),
            Tab::Figures if has_wiring.get() => view! { <Part of=parts::figures/> }.into_any(),
            Tab::Routes if has_wiring.get() => view! { <Part of=parts::routes/> }.into_any(),
            Tab::Labels if has_wiring.get() => view! { <Part of=parts::labels/> }.into_any(),
            Tab::Export if has_wiring.get() => view! { <Part of=parts::exports/> }.into_any(),
            Tab::Figures | Tab::Routes | Tab::Labels => empty(tab.title()),
            Tab::Export => empty("Files"),
        }}
    }
}
