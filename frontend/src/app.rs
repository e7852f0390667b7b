//! The studio's page, put together: the one place that knows all panels.

use crate::{
    browser,
    components::{Icon, InTurn, Part, pressed, ready},
    pages::{
        gallery::Gallery,
        header::Header,
        help,
        map::{self, DesignPanel},
        search::SearchPanel,
        spec::{DrawerPanel, SpecPanel},
        wiring::Wiring,
    },
    parts,
    state::{
        cabling::Spot,
        drawers::Drawer,
        place::{Pane, Place, Room, Scene, Side},
    },
    studio::{
        OutdatedReason, Studio, aside, compute,
        navigate::Navigator,
        quick,
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
    quick::follow(studio);
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
    // The server's picture of a saved design stays until the studio has the design, or says why it has not.
    Effect::new(move |_| {
        let is_saved = studio.view.place.with(|place| matches!(place, Place::Design(_)));
        let is_open = studio.result.held.with(Option::is_some) || studio.view.notice.with(Option::is_some);
        if !is_saved || is_open {
            ready();
        }
    });
    help::listen(studio, navigator);
    parts::prefetch();
    // Panels are rebuilt only where they differ: going from a draft to its search must not fold anything.
    let saved = Memo::new(move |_| matches!(studio.view.place.get(), Place::Design(_)));
    let viewing = studio.view.viewing;
    // Nobody edits the spec of a saved design or of a search of others.
    let spec = move || match saved.get() || viewing.get() {
        true => view! { <Part of=parts::kept_spec/> }.into_any(),
        false => view! { <SpecPanel><Part of=parts::spec_text/></SpecPanel> }.into_any(),
    };
    let is_start = Memo::new(move |_| matches!(studio.view.place.get(), Place::Home | Place::Unknown));
    let room = Memo::new(move |_| studio.view.room());
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
        <InTurn><Header/></InTurn>
        <main id="main" tabindex="-1" data-outdated=move || studio.result.outdated().map(OutdatedReason::name)>
            <NoticeBar/>
            {move || viewing.get().then(|| view! {
                <p class="viewing" id="viewing">"Viewing a shared search"
                    <button type="button" id="edit-copy" on:click=move |_| studio.fork()><Icon name="fork"/>"Edit a copy"</button>
                </p>
            })}
            {move || match (other.get(), room.get()) {
                (Some(_), _) => view! { <div class="page" tabindex="0"><Part of=parts::other/></div> }.into_any(),
                _ if is_start.get() => view! { <div class="page"><InTurn><Gallery><Part of=parts::recent/></Gallery></InTurn></div> }.into_any(),
                (None, Room::Hardware) => view! {
                    <div class="panels hardware" data-pane=move || studio.view.pane.get().title().to_lowercase()>
                        <InTurn>{spec}</InTurn><InTurn><Part of=parts::hardware/></InTurn><Drawers/>
                    </div>
                    <PageFoot/>
                    <Panes titles=["Spec", "Results", ""]/>
                }.into_any(),
                (None, Room::Design) => view! {
                    <div class="panels" data-pane=move || studio.view.pane.get().title().to_lowercase()
                        class:no-left=move || studio.view.is_folded(Side::Left) class:no-right=move || studio.view.is_folded(Side::Right)>
                        <Rail side=Side::Left title="Spec">
                            {spec}
                        </Rail>
                        <InTurn><DesignPanel><Views/></DesignPanel></InTurn>
                        <Rail side=Side::Right title=if saved.get() { "About" } else { "Search" }>
                            {move || if saved.get() {
                                view! { <Part of=parts::about/> }.into_any()
                            } else {
                                view! { <SearchPanel>{left}{bounds}</SearchPanel> }.into_any()
                            }}
                        </Rail>
                        {move || (!saved.get()).then(|| view! { <Drawers/> })}
                    </div>
                    <Panes titles=if saved.get() { ["Spec", "View", "About"] } else { ["Spec", "View", "Search"] }/>
                }.into_any(),
                (None, room) => view! { <InTurn><Page room=room/></InTurn> }.into_any(),
            }}
        </main>
        {move || helped.get().then(|| view! { <Part of=parts::help/> })}
        {move || imports.get().then(|| view! { <Part of=parts::traffic/> })}
        {move || toured.get().then(|| view! { <Part of=parts::tour/> })}
    }
}

/// A side of the Design page; folded, a rail with its title. What is folded stays as it is.
#[component]
fn Rail(side: Side, title: &'static str, children: Children) -> impl IntoView {
    let studio = Studio::here();
    let folded = Memo::new(move |_| studio.view.is_folded(side));
    view! {
        <div class="side">
            {move || folded.get().then(|| view! {
                <div class="rail"><button type="button" class="plain" title=format!("Show {title}") on:click=move |_| studio.view.fold(side)>{title}</button></div>
            })}
            <div class="folding" hidden=folded><InTurn>{children()}</InTurn></div>
        </div>
    }
}

/// The long part of the form that is open.
#[component]
fn Drawers() -> impl IntoView {
    let studio = Studio::here();
    let open = Memo::new(move |_| studio.view.drawer.get());
    move || {
        open.get().map(|drawer| {
            let page = if drawer == Drawer::Job { parts::job } else { parts::rules };
            view! { <DrawerPanel drawer=drawer><Part of=page/></DrawerPanel> }
        })
    }
}

/// The bar of a narrow screen, which shows one panel at a time.
#[component]
fn Panes(
    /// Titles of the panels; empty for one that the page lacks.
    titles: [&'static str; 3],
) -> impl IntoView {
    let pane = Studio::here().view.pane;
    let button = move |(one, title): (Pane, &'static str)| {
        view! {
            <button type="button" id=format!("pane-{}", one.title().to_lowercase()) aria-pressed=move || pressed(pane.get() == one)
                on:click=move |_| pane.set(one)>{title}</button>
        }
    };
    let buttons = Pane::ALL.into_iter().zip(titles).filter(|(_, title)| !title.is_empty()).map(button);
    view! { <nav class="panes" aria-label="Panel">{buttons.collect_view()}</nav> }
}

/// The view of the design in the middle panel, other than the map.
#[component]
fn Views() -> impl IntoView {
    let studio = Studio::here();
    let has_wiring = Memo::new(move |_| studio.result.held.with(Option::is_some));
    // The view on screen, chosen again, stays as it is.
    let scene = Memo::new(move |_| studio.view.scene.get());
    view! {
        {move || match scene.get() {
            Scene::Wiring => view! { <Wiring><Part of=parts::audit/></Wiring> }.into_any(),
            _ if !has_wiring.get() => view! {
                <p class="empty square" id="no-wiring">"No wiring yet: start a search, or import a table under Wiring."</p>
            }.into_any(),
            Scene::Cables => view! { <Part of=parts::cables/> }.into_any(),
            Scene::Racks => view! { <Part of=parts::racks/> }.into_any(),
            Scene::Figures => view! { <Part of=parts::figures/> }.into_any(),
            Scene::Routes => view! { <Part of=parts::routes/> }.into_any(),
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

/// The failed parts, over the end of a page.
#[component]
fn PageFoot() -> impl IntoView {
    let studio = Studio::here();
    let is_damaged = Memo::new(move |_| studio.result.damage.with(Option::is_some));
    view! { <div class="page-foot">{move || is_damaged.get().then(|| view! { <Part of=map::what_if/> })}</div> }
}

/// A page of the design with the whole width, or how to get the wiring that it needs.
#[component]
fn Page(room: Room) -> impl IntoView {
    let studio = Studio::here();
    let is_outdated = Memo::new(move |_| studio.result.outdated().is_some());
    let has_wiring = Memo::new(move |_| studio.result.held.with(Option::is_some));
    let empty = move |what: &'static str| {
        view! { <p class="empty">{what}" need a wiring: start a search on the Design page, or import a table there."</p> }.into_any()
    };
    view! {
        <section class=format!("page {}", room.word().unwrap_or_default()) id="page" aria-labelledby="page-title">
            <h2 id="page-title" class="sr">{room.title()}</h2>
            {move || is_outdated.get().then(|| view! { <Part of=map::outdated_note/> })}
            {move || match room {
                Room::Compare => view! { <Part of=parts::compare/> }.into_any(),
                Room::StepTime => view! { <Part of=parts::estimate/> }.into_any(),
                Room::Simulate => view! { <Part of=parts::simulate/> }.into_any(),
                Room::Labels if has_wiring.get() => view! { <Part of=parts::labels/> }.into_any(),
                Room::Export if has_wiring.get() => view! { <Part of=parts::exports/> }.into_any(),
                Room::Labels => empty("Labels"),
                Room::Export => empty("Files"),
                Room::Design | Room::Hardware => ().into_any(),
            }}
        </section>
        <PageFoot/>
    }
}
