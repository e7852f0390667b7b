//! Nodes, switches and the cables between them, and what breaks when parts fail.

use crate::{
    browser,
    components::{CablesCanvas, Drawing, Icon},
    state::{
        cables::{Cables, Hit, Lens},
        choices::Choices,
        words::{count, grouped},
    },
    studio::{Held, Studio},
    work::latest,
};
use leptos::prelude::*;
use shared::{
    analysis::routing::{Left, losses, through},
    demand::Demand,
    design::Faults,
};
use std::{collections::BTreeSet, sync::Arc};

/// What failed parts take from requested pairs.
#[derive(Clone, Default)]
struct Broken {
    faults: Arc<Faults>,
    /// Nodes of pairs that lose their last shared switch.
    hurt: Arc<BTreeSet<u32>>,
    words: String,
}

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
    let broken = latest(move |_| {
        let held = held.get()?;
        let failed = studio.session.choices.with(Choices::failed);
        let summed = cables.with(|cables| cables.as_ref().is_some_and(|cables| cables.is_summed()));
        let demand = studio.result.demand_of(&held);
        Some(async move { break_parts(&held, demand, &failed, summed).await })
    });
    let drawing = move |_: Option<&Option<Drawing>>| {
        let held = held.get()?;
        let Broken { faults, hurt, .. } = broken.found.get().unwrap_or_default();
        let cables = cables.get()?;
        // A summed picture shows no failed parts, and they may still be those of another wiring.
        let shows = !cables.is_summed() && faults.fit(&held.design).is_ok();
        let faults = if shows { faults } else { Arc::default() };
        let names = held.names();
        let longest = match cables.is_summed() {
            true => [0, 0],
            false => [
                (0..held.design.pes()).map(|pe| names.pe(pe).len()).max().unwrap_or(0),
                (0..held.design.switch_count()).map(|switch| names.switch(switch).len()).max().unwrap_or(0),
            ],
        };
        Some(Drawing {
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
        <div class="below">
            <p class="hint" id="cables-note">{move || cables.with(|cables| note(cables.as_deref()))}</p>
            <Zoom lens=lens cables=cables/>
        </div>
        <p class="sr" id="cables-keys">
            "Up and down go to the next node or switch, left and right across the picture, plus and minus zoom, 0 fits, Escape leaves."
        </p>
        <p class="broken" role="status" id="broken" hidden=move || broken.found.with(|b| b.as_ref().is_none_or(|b| b.words.is_empty()))>
            {move || broken.found.with(|broken| broken.as_ref().map(|broken| broken.words.clone()))}
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
fn label(held: Memo<Option<Held>>) -> String {
    held.with(|held| {
        let Some(held) = held else { return String::new() };
        let design = &held.design;
        format!(
            "Cables: {}, {}, {}",
            count(u64::from(design.pes()), "node"),
            count(u64::from(design.switch_count()), "switch"),
            count(design.cables() as u64, "cable")
        )
    })
}

/// Explains a summed picture.
fn note(cables: Option<&Cables>) -> String {
    match cables {
        Some(cables) if cables.is_summed() => format!(
            "Each row stands for {}, each box for {}. Darker lines are more cables.",
            count(u64::from(cables.nodes_per), "node"),
            count(u64::from(cables.switches_per), "switch")
        ),
        _ => String::new(),
    }
}

/// The effect of failed parts; the Routes tab has it in full.
async fn break_parts(held: &Held, demand: Option<Arc<Demand>>, failed: &str, summed: bool) -> Broken {
    let Ok(faults) = held.faults(failed) else { return Broken::default() };
    if faults.is_empty() {
        return Broken::default();
    }
    let faults = Arc::new(faults);
    if summed {
        let words = "The Routes tab shows what these failures break.".to_owned();
        return Broken { faults, words, ..Broken::default() };
    }
    let Some(demand) = demand.or_else(|| Demand::build(&held.spec).ok().map(Arc::new)) else {
        return Broken::default();
    };
    browser::breathe().await;
    let routes = through(&held.design, &faults);
    let (mut hurt, mut lost, mut fewer) = (BTreeSet::new(), 0, 0);
    losses(&demand, &held.design, &routes, |loss| match (loss.requested, loss.left) {
        (None, _) => {}
        (Some(_), Left::Fewer) => fewer += 1,
        (Some(_), _) => {
            lost += 1;
            hurt.extend([loss.pair.0, loss.pair.1]);
        }
    });
    let words = match (lost, fewer) {
        (0, 0) => format!("{faults} failed: no requested pair loses a path."),
        (0, _) => format!(
            "{faults} failed: every requested pair still shares a switch; {} have fewer paths.",
            grouped(fewer)
        ),
        _ => format!(
            "{faults} failed: {} their last shared switch (nodes outlined in red); {} fewer paths.",
            lose(lost),
            if fewer == 1 { "1 other has".into() } else { format!("{} others have", grouped(fewer)) }
        ),
    };
    Broken { faults, hurt: Arc::new(hurt), words }
}

fn lose(pairs: u64) -> String {
    let verb = if pairs == 1 { "loses" } else { "lose" };
    format!("{} {verb}", count(pairs, "requested pair"))
}
