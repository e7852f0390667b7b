//! The tabs and pages that load after the start page, and the order in which an idle page fetches them.
//!
//! To split off another tab or page: a line here, and `<Part of=parts::name/>` in [`app`](crate::app).

use crate::{
    browser,
    components::parts,
    pages::{
        about::{About, KeptSpec},
        audit::Audit,
        bounds::Bounds,
        compare::Compare,
        exports::{Exports, Labels},
        figures::FigureTable,
        hardware::Hardware,
        help::Help,
        operator::Operator,
        remaining::Remaining,
        routes::Routes,
        simulate::Simulate,
    },
};
use leptos::{prelude::*, task::spawn_local};

// Functions of the same module load together.
parts! {
    results {
        figures() -> AnyView { view! { <FigureTable/> }.into_any() }
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
    }
    places {
        kept_spec() -> AnyView { view! { <KeptSpec/> }.into_any() }
        about() -> AnyView { view! { <About><Remaining/><Bounds/></About> }.into_any() }
        hardware() -> AnyView { view! { <Hardware/> }.into_any() }
        operator() -> AnyView { view! { <Operator/> }.into_any() }
        help() -> AnyView { view! { <Help/> }.into_any() }
    }
}

/// Milliseconds after which a page fetches the parts that nobody has asked for yet.
const IDLE: u32 = 2000;

/// Loads every module while the page is idle: later clicks are instant, and an update of the server leaves this page complete.
pub fn prefetch() {
    spawn_local(async {
        browser::sleep(IDLE).await;
        for module in [figures, labels, compare, help] {
            // A part that cannot load says so when it is drawn.
            let _ = module().load().await;
        }
    });
}
