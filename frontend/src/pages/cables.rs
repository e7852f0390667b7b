//! Nodes, switches and the cables between them, with failed parts.

use crate::{
    browser,
    components::{CablesCanvas, Drawing, Icon},
    state::{
        cables::{Cables, Hit, Lens},
        words::count,
    },
    studio::{ShownWiring, Studio},
};
use leptos::{portal::Portal, prelude::*};
use std::sync::Arc;

/// The picture of cables.
#[component]
pub fn CablesView() -> impl IntoView {
    let studio = Studio::here();
    let held = Memo::new_with_compare(
        move |_| studio.result.held.get(),
        |before, now| match (before.and_then(Option::as_ref), now.and_then(Option::as_ref)) {
            (Some(before), Some(now)) => !Arc::ptr_eq(&before.design, &now.design),
            _ => true,
        },
    );
    let cables = Memo::new_with_compare(
        move |_| held.with(|held| held.as_ref().map(|held| Arc::new(Cables::of(&held.design)))),
        |_, _| true,
    );
    let drawing = move |_: Option<&Option<Drawing>>| {
        let held = held.get()?;
        let cables = cables.get()?;
        // A summed picture shows no failed parts, and they may still be those of the wiring before.
        let damage = studio.result.damage.get();
        let damage = damage.filter(|d| !cables.is_summed() && Arc::ptr_eq(&d.design, &held.design));
        let (faults, hurt) = damage.map(|d| (d.faults, d.hurt)).unwrap_or_default();
        let names = held.names();
        let longest = match cables.is_summed() {
            true => [0, 0],
            false => [
                (0..held.design.pes()).map(|pe| names.pe(pe).len()).max().unwrap_or(0),
                (0..held.design.switch_count()).map(|switch| names.switch(switch).len()).max().unwrap_or(0),
            ],
        };
        Some(Drawing {
            uplinks: cables.uplinks(&held.spec, &held.design),
            cables,
            design: held.design,
            names,
            longest,
            faults,
            hurt,
            palette: studio.session.palette(),
        })
    };
    let drawing = Memo::new(drawing);
    let lens = RwSignal::new(Lens::default());
    // It is in the page once the view is.
    let heading = RwSignal::new_local(None);
    Effect::new(move |_| heading.set(browser::element("view-heading")));
    let part_of = move |hit: Option<Hit>| cables.with_untracked(|cables| cables.as_ref()?.part(hit?));
    let on_hover = move |hit: Option<Hit>| {
        studio.view.hovered.set(part_of(hit));
        studio.view.summed.set(cables.with_untracked(|cables| {
            let cables = cables.as_ref()?;
            hit.filter(|_| cables.is_summed()).map(|hit| cables.words(hit))
        }));
    };
    let on_pick = move |hit: Option<Hit>| {
        let part = part_of(hit);
        studio.view.hovered.set(None);
        let again = part.is_some() && part == studio.view.selected.get_untracked();
        studio.view.select(part.filter(|_| !again));
    };
    view! {
        <div class="square">
            <CablesCanvas drawing=drawing lens=lens active=Signal::derive(move || studio.view.active()) dark=studio.view.dark
                label=Signal::derive(move || label(held)) on_hover=on_hover on_pick=on_pick/>
        </div>
        {move || note(cables, held).map(|words| view! { <p class="hint" id="cables-note">{words}</p> })}
        // Beside the views, so that the picture has all the height.
        {move || heading.get().map(|heading| view! { <Portal mount=heading><Zoom lens=lens cables=cables/></Portal> })}
        <p class="sr" id="cables-keys">
            "Up and down go to the next node or switch, left and right across the picture, plus and minus zoom, 0 fits, Escape leaves."
        </p>
    }
}

#[component]
fn Zoom(lens: RwSignal<Lens>, cables: Memo<Option<Arc<Cables>>>) -> impl IntoView {
    let zoom = move |factor| {
        cables.with_untracked(|cables| {
            if let Some(cables) = cables {
                lens.update(|lens| lens.zoom(factor, 0.5, cables));
            }
        });
    };
    view! {
        <div class="tools">
            <button type="button" class="plain" id="cables-out" aria-label="Zoom out" title="Zoom out (-)" on:click=move |_| zoom(0.5)><Icon name="zoom-out"/></button>
            <button type="button" class="plain" id="cables-in" aria-label="Zoom in" title="Zoom in (+)" on:click=move |_| zoom(2.0)><Icon name="zoom-in"/></button>
            <button type="button" class="plain" id="cables-fit" aria-label="Fit all cables" title="Fit (0)"
                prop:disabled=move || lens.with(Lens::is_fit) on:click=move |_| lens.set(Lens::default())><Icon name="fit"/></button>
        </div>
    }
}

/// The picture in words, for screen readers.
fn label(held: Memo<Option<ShownWiring>>) -> String {
    held.with(|held| {
        let Some(held) = held else { return String::new() };
        let design = &held.design;
        let nodes = count(u64::from(design.pes()), "node");
        let switches = count(u64::from(design.switch_count()), held.spec.switch_noun());
        match held.spec.has_only_cables() {
            true => format!("Cables: {nodes}, {switches}"),
            false => format!("Cables: {nodes}, {switches}, {}", count(design.cables() as u64, "cable")),
        }
    })
}

/// The cables to uplink switches in words; `None` without any.
fn uplinks(held: &ShownWiring) -> Option<String> {
    let spine = held.spec.spine()?;
    let names = held.names();
    let name = |target: u32| match spine.folded {
        Some(folded) => names.switch(folded),
        None => names.uplink(target),
    };
    let cables = count(u64::from(spine.links), "cable");
    Some(match (spine.sets, spine.each) {
        (1, 1) => format!("Each switch has {cables} to {}, the line behind the boxes.", name(0)),
        (1, _) => {
            let last = name(spine.switches() - 1);
            format!("Each switch has {cables} to {} to {last}, the lines behind the boxes.", name(0))
        }
        (sets, each) => format!(
            "Each switch has {cables} to the {} of its plane, {} planes in all; lines behind the boxes show them.",
            count(u64::from(each), "uplink switch"),
            sets
        ),
    })
}

/// Explains a summed picture and lines to uplink switches, if there are any.
fn note(cables: Memo<Option<Arc<Cables>>>, held: Memo<Option<ShownWiring>>) -> Option<String> {
    let summed = |cables: &Cables| {
        format!(
            "One row is {}, one box is {}. Darker lines carry more cables.",
            count(u64::from(cables.nodes_per), "node"),
            count(u64::from(cables.switches_per), "switch")
        )
    };
    let summed = cables.with(|cables| cables.as_deref().filter(|cables| cables.is_summed()).map(summed));
    let words: Vec<String> =
        summed.into_iter().chain(held.with(|held| held.as_ref().and_then(uplinks))).collect();
    (!words.is_empty()).then(|| words.join(" "))
}
