//! A tour of five steps, from the start page to a design. It can be left and opened again.

use crate::{
    browser,
    state::place::{Pane, Place},
    studio::{Studio, navigate::Navigator},
};
use leptos::{prelude::*, task::spawn_local};

/// A step: the id of the element that it is about, its title and its text.
type Step = (&'static str, &'static str, &'static str);

const STEPS: [Step; 5] = [
    (
        "gallery",
        "Choose a start",
        "Pick an example, choose communication patterns, or open measured traffic. The tour continues with KASY0.",
    ),
    (
        "spec",
        "Describe the machine",
        "Enter nodes, NICs per node and the switches that you can buy. Patterns say which pairs of nodes must share a switch.",
    ),
    (
        "search",
        "Search for a wiring",
        "The Start button begins a search on the server. The number of uncovered pairs falls to 0 when every requested pair shares a \
         switch. Next starts this search.",
    ),
    (
        "design",
        "Look at the design",
        "The map compares requested and delivered pairs. Cables and Racks show the same wiring; point at a part to follow it.",
    ),
    (
        "rooms",
        "Build it",
        "The other pages compare the design with other networks, simulate traffic, print labels, and export cable lists and configuration.",
    ),
];

/// The open step, beside the part of the page that it explains.
#[component]
pub fn Tour() -> impl IntoView {
    let studio = Studio::here();
    let (step, navigator) = (studio.view.tour, Navigator::here());
    Effect::new(move |_| {
        // The examples are on the start page.
        if step.get() == Some(0) && studio.view.place.get_untracked() != Place::Home {
            step.set(Some(1));
        }
        let panes = [(1, Pane::Spec), (2, Pane::Search), (3, Pane::View)];
        let pane = panes.into_iter().find(|(at, _)| step.get_untracked() == Some(*at));
        pane.into_iter().for_each(|(_, pane)| studio.view.pane.set(pane));
    });
    Effect::new(move |before: Option<Option<usize>>| {
        let now = step.get();
        let mark = |step: Option<usize>, on: bool| {
            if let Some(part) = step.and_then(|step| browser::element(STEPS[step].0)) {
                let _ =
                    if on { part.class_list().add_1("toured") } else { part.class_list().remove_1("toured") };
                if on {
                    part.scroll_into_view();
                }
            }
        };
        mark(before.flatten(), false);
        mark(now, true);
        if now.is_some() {
            browser::focus("tour-next");
        }
        now
    });
    let go = move |to: usize| step.set((to < STEPS.len()).then_some(to));
    let next = move |now: usize| {
        match now {
            0 => navigator.open_first(),
            2 => {
                // A search that runs has no such button.
                if let Some(start) =
                    browser::element("start").filter(|_| studio.result.held.with_untracked(Option::is_none))
                {
                    start.click();
                }
            }
            _ => {}
        }
        spawn_local(async move {
            // The page is drawn first.
            browser::breathe().await;
            go(now + 1);
        });
    };
    let leave = move || {
        step.set(None);
        browser::focus("tour-open");
    };
    view! {
        {move || step.get().map(|now| {
            let (_, title, text) = STEPS[now];
            let last = now + 1 == STEPS.len();
            view! {
                <section class="tour" id="tour" role="dialog" aria-labelledby="tour-title" aria-describedby="tour-text"
                    on:keydown=move |event| if event.key() == "Escape" { leave() }>
                    <h2 id="tour-title">{format!("{} of {}: {title}", now + 1, STEPS.len())}</h2>
                    <p id="tour-text">{text}</p>
                    <div class="actions">
                        <button type="button" id="tour-next" class="primary" on:click=move |_| if last { leave() } else { next(now) }>{if last { "Finish" } else { "Next" }}</button>
                        {(now > 0).then(|| view! { <button type="button" id="tour-back" on:click=move |_| go(now - 1)>"Back"</button> })}
                        {(!last).then(|| view! { <button type="button" class="plain" id="tour-leave" on:click=move |_| leave()>"Leave the tour"</button> })}
                    </div>
                </section>
            }
        })}
    }
}
