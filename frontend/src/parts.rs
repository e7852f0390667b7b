//! The pages and views that load after the start page, and the order in which an idle page fetches them.
//!
//! To split off another page or view: a line here, and `<Part of=parts::name/>` in [`app`](crate::app).

use crate::{
    browser,
    components::{PartCall, parts, ready},
    pages::{
        about::{About, KeptSpec},
        audit::Audit,
        bounds::Bounds,
        cables::CablesView,
        cabling::CablingPage,
        compare::Compare,
        difference::Difference,
        estimate::StepTime,
        exports::{Exports, Labels},
        figures::FigureTable,
        hardware::Hardware,
        help::Help,
        join::{Join, TopBar},
        library::{Library, Workspace},
        node::NodePage,
        operator::Operator,
        racks::RacksView,
        recent::RecentDesigns,
        remaining::Remaining,
        routes::Routes,
        simulate::Simulate,
        spec::{job::JobPage, rules::RulesPage, text::SpecText},
        tour::Tour,
        traffic::ImportTraffic,
    },
    state::{cabling::Spot, place::Place},
    studio::{Studio, companion::Companion},
};
use leptos::{prelude::*, task::spawn_local};

// Functions of the same module load together.
parts! {
    results {
        figures() -> AnyView { view! { <FigureTable/> }.into_any() }
        remaining() -> AnyView { view! { <Remaining/> }.into_any() }
        bounds() -> AnyView { view! { <Bounds/> }.into_any() }
    }
    files {
        audit() -> AnyView { view! { <Audit/> }.into_any() }
        labels() -> AnyView { view! { <Labels/> }.into_any() }
        routes() -> AnyView { view! { <Routes/> }.into_any() }
        exports() -> AnyView { view! { <Exports/> }.into_any() }
    }
    studies {
        compare() -> AnyView { view! { <Compare/> }.into_any() }
        simulate() -> AnyView { view! { <Simulate/> }.into_any() }
        estimate() -> AnyView { view! { <StepTime/> }.into_any() }
    }
    places {
        kept_spec() -> AnyView { view! { <KeptSpec/> }.into_any() }
        about() -> AnyView { view! { <About><Remaining/><Bounds/></About> }.into_any() }
        hardware() -> AnyView { view! { <Hardware/> }.into_any() }
        other() -> AnyView { view! { <Other/> }.into_any() }
        help() -> AnyView { view! { <Help/> }.into_any() }
        tour() -> AnyView { view! { <Tour/> }.into_any() }
    }
    views {
        cables() -> AnyView { view! { <CablesView/> }.into_any() }
        racks() -> AnyView { view! { <RacksView/> }.into_any() }
    }
    editors {
        job() -> AnyView { view! { <JobPage/> }.into_any() }
        rules() -> AnyView { view! { <RulesPage/> }.into_any() }
        spec_text() -> AnyView { view! { <SpecText/> }.into_any() }
    }
    starts {
        recent() -> AnyView { view! { <RecentDesigns/> }.into_any() }
    }
    imports {
        traffic() -> AnyView { view! { <ImportTraffic/> }.into_any() }
    }
    rack {
        companion() -> AnyView { view! { <Cabling/> }.into_any() }
    }
}

/// A page without a session.
#[component]
fn Other() -> impl IntoView {
    match Studio::here().view.place.get_untracked() {
        Place::Library => view! { <Library/> }.into_any(),
        Place::Workspace(id) => view! { <Workspace id=id/> }.into_any(),
        Place::Difference(a, b) => view! { <Difference a=a b=b/> }.into_any(),
        _ => view! { <Operator/> }.into_any(),
    }
}

/// The companion of a cabling: the page of a node, or the overview.
#[component]
fn Cabling() -> impl IntoView {
    let Some(spot) = Spot::of(&browser::address().0) else { return ().into_any() };
    let companion = Companion::new(spot);
    provide_context(companion);
    let node = Memo::new(move |_| companion.spot.with(|spot| spot.node));
    let is_loaded = Memo::new(move |_| companion.cabling.with(Option::is_some));
    Effect::new(move |_| {
        if is_loaded.get() || companion.problem.with(Option::is_some) {
            ready();
        }
    });
    // The service worker stores what has loaded by now.
    browser::announce("cabling");
    view! {
        <TopBar/>
        <Join/>
        {move || match (is_loaded.get(), node.get()) {
            (false, _) => ().into_any(),
            (true, Some(node)) => view! { <NodePage node=node/> }.into_any(),
            (true, None) => view! { <CablingPage/> }.into_any(),
        }}
    }
    .into_any()
}

/// Milliseconds after which a page fetches the parts that nobody has asked for yet.
const IDLE: u32 = 6000;

/// Loads every module while the page is idle: later clicks are instant, and an update of the server leaves this page complete.
pub fn prefetch() {
    spawn_local(async {
        browser::sleep(IDLE).await;
        for module in [figures, spec_text, cables, labels, compare, help, traffic] {
            // A part that cannot load says so when it is drawn.
            let _ = module().load().await;
        }
    });
}
