//! The design/solution map, what is under the pointer, and what the map stands for.

use super::{design::Standing, studio::Studio};
use crate::{
    components::{Icon, MapCanvas},
    state::{
        map::Action,
        words::{count, grouped},
    },
};
use leptos::prelude::*;
use shared::analysis::map::under;

/// The panel in the middle.
#[component]
pub fn MapPanel() -> impl IntoView {
    let studio = Studio::here();
    let cell = RwSignal::new(None::<(u32, u32)>);
    let missing = Signal::derive(move || studio.judged.with(|j| j.as_ref().map(|j| j.verdict.clone())));
    let zoom = move |factor| studio.view.update(|v| v.update(Action::Zoom { factor, at: (0.5, 0.5) }));
    let is_fit = Memo::new(move |_| studio.view.with(|v| v.is_fit()));
    view! {
        <section class="panel map-panel" aria-labelledby="map-title">
            <div class="heading">
                <h2 id="map-title">"Map"</h2>
                <p class="hint legend">
                    "requested "<Icon name="lower"/>" · delivered "<Icon name="upper"/>
                </p>
                <p class="hint" id="map-part">{move || (!is_fit.get()).then(|| part(studio))}</p>
                <div class="tools">
                    <button type="button" class="plain" id="zoom-out" aria-label="Zoom out" title="Zoom out (-)" on:click=move |_| zoom(0.5)><Icon name="zoom-out"/></button>
                    <button type="button" class="plain" id="zoom-in" aria-label="Zoom in" title="Zoom in (+)" on:click=move |_| zoom(2.0)><Icon name="zoom-in"/></button>
                    <button type="button" class="plain" id="zoom-fit" aria-label="Fit the whole map" title="Fit (0)"
                        prop:disabled=is_fit on:click=move |_| studio.view.update(|v| v.update(Action::Fit))><Icon name="fit"/></button>
                </div>
            </div>
            <div class="square">
                <MapCanvas index=studio.index view=studio.view missing=missing dark=studio.dark
                    label=Signal::derive(move || words(studio)) on_cell=move |c| cell.set(c)/>
                <p class="busy" role="status" id="busy" hidden=move || studio.busy.with(Option::is_none)>
                    {move || studio.busy.get().map(|b| format!("{b} …"))}
                </p>
            </div>
            <p class="under" id="under" aria-live="polite">{move || tell(studio, cell.get())}</p>
            <p class="sr" id="map-keys">
                "Arrow keys move the cursor, plus and minus zoom, 0 fits the whole map, Escape leaves."
            </p>
            <Key/>
            <Standing/>
        </section>
    }
}

/// Which PEs are seen: across, then down.
fn part(studio: Studio) -> String {
    studio.view.with(|v| {
        let range = |from: f64| {
            let last = ((from + v.span).ceil() as u64).min(u64::from(v.pes)).saturating_sub(1);
            format!("{}–{}", grouped(from.max(0.0) as u64), grouped(last))
        };
        format!("PEs {} × {}", range(v.x), range(v.y))
    })
}

/// What the colours mean.
#[component]
fn Key() -> impl IntoView {
    let studio = Studio::here();
    let missing = move || studio.judged.with(|j| j.as_ref().map_or(0, |j| j.verdict.uncovered.len()));
    view! {
        <ul class="key" aria-label="Colours of the map">
            <li><span class="swatch requested"></span>"requested"</li>
            <li><span class="swatch extra"></span>"extra, deeper with more paths"</li>
            <li><span class="swatch missing"></span>"missing"
                {move || (missing() > 0).then(|| format!(" ({})", grouped(missing() as u64)))}</li>
        </ul>
    }
}

/// The map in words.
fn words(studio: Studio) -> String {
    let requested = studio.asked.with(|a| a.as_ref().map(|a| (a.spec.pes, a.demand.len() as u64)));
    let Some((pes, requested)) = requested else { return "Map: no spec yet".into() };
    let delivered = studio.judged.with(|j| match j {
        Some(j) => format!("{} of them missing", grouped(j.verdict.uncovered.len() as u64)),
        None => "no wiring yet".into(),
    });
    format!("Map of {} PEs: {} requested, {delivered}", grouped(u64::from(pes)), count(requested, "pair"))
}

/// What is under the pointer or the cursor.
fn tell(studio: Studio, cell: Option<(u32, u32)>) -> String {
    let Some((column, row)) = cell else { return "Point at the map, or press the arrow keys on it.".into() };
    let (a, b) = (column.min(row), column.max(row));
    studio.asked.with(|asked| {
        let Some(asked) = asked else { return String::new() };
        if b >= asked.spec.pes {
            return String::new();
        }
        if a == b {
            return format!("PE {a}");
        }
        let held = studio.held.with(|h| h.as_ref().map(|h| h.design.clone()));
        let held = held.filter(|d| d.pes() == asked.spec.pes);
        let found = under(&asked.spec, &asked.demand, held.as_deref(), a, b);
        let asking = match found.requested_by.as_slice() {
            [] => "not requested".into(),
            by => format!("requested by {}", by.join(", ")),
        };
        let serving = match (&held, found.switches.as_slice()) {
            (None, _) => "no wiring yet".into(),
            (_, []) if found.links > 0 => "missing: they share no switch".into(),
            (_, []) => "they share no switch".into(),
            (_, [one]) => format!("switch {one}; 1 path"),
            (_, many) => {
                let names: Vec<_> = many.iter().map(u32::to_string).collect();
                format!("switches {}; {} paths", names.join(", "), many.len())
            }
        };
        format!("PEs {a}–{b}: {asking}; {serving}")
    })
}
