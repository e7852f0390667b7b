//! The map of requested and delivered pairs, the pair under the pointer, and the checker's verdict.

use crate::{
    browser,
    components::{Icon, MapCanvas},
    state::{
        map::Action,
        place::Tab,
        routes::Ends,
        words::{count, grouped, percent},
    },
    studio::{Judged, Outdated, Studio},
};
use leptos::prelude::*;
use shared::{
    analysis::{leftout::weight_served, map::under},
    design::Breach,
};

const BREACHES: usize = 5;

/// The panel in the middle.
#[component]
pub fn MapPanel() -> impl IntoView {
    let studio = Studio::here();
    let cell = RwSignal::new(None::<(u32, u32)>);
    let missing = Signal::derive(move || studio.result.of_judged(|j| j.verdict.clone()));
    let zoom = move |factor| studio.view.map.update(|v| v.update(Action::Zoom { factor, at: (0.5, 0.5) }));
    let is_fit = Memo::new(move |_| studio.view.map.with(|v| v.is_fit()));
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
                        prop:disabled=is_fit on:click=move |_| studio.view.map.update(|v| v.update(Action::Fit))><Icon name="fit"/></button>
                </div>
            </div>
            <OutdatedNote/>
            <div class="square">
                <MapCanvas index=studio.result.index view=studio.view.map missing=missing dark=studio.view.dark
                    label=Signal::derive(move || words(studio)) on_cell=move |c| cell.set(c)/>
                <p class="busy" role="status" id="busy" hidden=move || studio.result.busy.with(Option::is_none)>
                    {move || studio.result.busy.get().map(|b| format!("{b} …"))}
                </p>
            </div>
            <p class="under"><span id="under" aria-live="polite">{move || cell_words(studio, cell.get())}</span>
                {move || pinned(studio).map(|(a, b)| view! {
                    <button type="button" class="link" id="pinned-routes" on:click=move |_| {
                        studio.view.ends.set(Ends { from: a.to_string(), to: b.to_string() });
                        studio.view.tab.set(Tab::Routes);
                        browser::focus(&Tab::Routes.id());
                    }>{format!("Routes of {a}–{b}")}</button>
                })}
            </p>
            <p class="sr" id="map-keys">
                "Arrow keys move the cursor, plus and minus zoom, 0 fits the whole map, Escape leaves."
            </p>
            <Key/>
            <Standing/>
        </section>
    }
}

/// Says that the results beside it are not those of the spec on screen, and offers the mend.
#[component]
pub fn OutdatedNote() -> impl IntoView {
    let studio = Studio::here();
    let outdated = Memo::new(move |_| studio.result.outdated());
    view! {
        {move || outdated.get().map(|outdated| view! {
            <p class="outdated-note" role="status">
                <strong>"Outdated"</strong>{outdated.words()}
                {(outdated == Outdated::Wiring).then(|| view! {
                    <button type="button" class="link adopt" title="Takes the wiring as one for the spec on screen and checks it again"
                        on:click=move |_| studio.adopt_wiring()>"Use it for this spec"</button>
                })}
            </p>
        })}
    }
}

/// The pair under the cursor, which a click sets, if it has routes.
fn pinned(studio: Studio) -> Option<(u32, u32)> {
    let (column, row) = studio.view.map.with(|map| map.cursor)?;
    let (a, b) = (column.min(row), column.max(row));
    let pes = studio.result.of_held(|held| held.design.pes())?;
    (a < b && b < pes).then_some((a, b))
}

/// The visible nodes: across, then down.
fn part(studio: Studio) -> String {
    studio.view.map.with(|v| {
        let range = |from: f64| {
            let last = ((from + v.span).ceil() as u64).min(u64::from(v.pes)).saturating_sub(1);
            format!("{}–{}", grouped(from.max(0.0) as u64), grouped(last))
        };
        format!("Nodes {} × {}", range(v.x), range(v.y))
    })
}

#[component]
fn Key() -> impl IntoView {
    let studio = Studio::here();
    let missing = move || studio.result.of_judged(|j| j.verdict.uncovered.len()).unwrap_or_default();
    view! {
        <ul class="key" aria-label="Colours of the map">
            <li><span class="swatch requested"></span>"requested"</li>
            <li><span class="swatch extra"></span>"extra, darker with more paths"</li>
            <li><span class="swatch missing"></span>"uncovered"
                {move || (missing() > 0).then(|| format!(" ({})", grouped(missing() as u64)))}</li>
        </ul>
    }
}

/// The map in words, for screen readers.
fn words(studio: Studio) -> String {
    let requested = studio.result.of_asked(|a| (a.spec.pes, a.demand.len() as u64));
    let Some((pes, requested)) = requested else { return "Map: no spec yet".into() };
    let delivered = studio.result.judged.with(|j| match j {
        Some(j) => format!("{} uncovered", grouped(j.verdict.uncovered.len() as u64)),
        None => "no wiring yet".into(),
    });
    format!("Map of {} nodes: {} requested, {delivered}", grouped(u64::from(pes)), count(requested, "pair"))
}

/// The cell under the pointer or the cursor, in words.
fn cell_words(studio: Studio, cell: Option<(u32, u32)>) -> String {
    let Some((column, row)) = cell else { return "Point at the map or use the arrow keys.".into() };
    let (a, b) = (column.min(row), column.max(row));
    studio.result.asked.with(|asked| {
        let Some(asked) = asked else { return String::new() };
        if b >= asked.spec.pes {
            return String::new();
        }
        if a == b {
            return format!("Node {a}");
        }
        let held = studio.result.of_held(|h| h.design.clone());
        let held = held.filter(|d| d.pes() == asked.spec.pes);
        let found = under(&asked.spec, &asked.demand, held.as_deref(), a, b);
        let asking = match found.requested_by.as_slice() {
            [] => "not requested".into(),
            by => format!("requested by {}", by.join(", ")),
        };
        let serving = match (&held, found.switches.as_slice()) {
            (None, _) => "no wiring yet".into(),
            (_, []) if found.links > 0 => "uncovered: no shared switch".into(),
            (_, []) => "no shared switch".into(),
            (_, [one]) => format!("switch {one}, 1 path"),
            (_, many) => {
                let names: Vec<_> = many.iter().map(u32::to_string).collect();
                format!("switches {}, {} paths", names.join(", "), many.len())
            }
        };
        format!("Nodes {a}–{b}: {asking}; {serving}")
    })
}

/// The verdict on the wiring, with the rules that it breaks.
#[component]
fn Standing() -> impl IntoView {
    let studio = Studio::here();
    view! {
        <div class="standing" id="standing" role="status">
            {move || studio.result.judged.get().map(|judged| {
                let live = studio.result.is_searching();
                let (class, words) = stand(&judged, live, studio.result.is_fractional());
                let breaches = judged.verdict.breaches.iter().filter(|b| !matches!(b, Breach::Pes { .. }));
                let more = breaches.clone().count().saturating_sub(BREACHES);
                let mut breaches: Vec<String> = breaches.take(BREACHES).map(ToString::to_string).collect();
                breaches.extend((more > 0).then(|| format!("and {} more", grouped(more as u64))));
                view! {
                    <div class=class>
                        <p>{words}</p>
                        {(!breaches.is_empty()).then(|| view! {
                            <ul>{breaches.into_iter().map(|b| view! { <li>{b}</li> }).collect_view()}</ul>
                        })}
                    </div>
                }
            })}
        </div>
    }
}

/// `live`: a search is in progress. `fractional`: pairs may stay uncovered.
fn stand(judged: &Judged, live: bool, fractional: bool) -> (&'static str, String) {
    let verdict = &judged.verdict;
    if let [Breach::Pes { has, allowed }] = verdict.breaches[..] {
        let (has, allowed) = (grouped(u64::from(has)), grouped(u64::from(allowed)));
        let words = format!("This design is for {has} nodes, but the spec has {allowed}");
        return ("stale", words + ". The map shows only the spec.");
    }
    let left = verdict.uncovered.len() as u64;
    let requested = count(verdict.requested, "requested pair");
    let uncovered = format!("{} of {requested} uncovered", grouped(left));
    let state = match (verdict.breaches.len() as u64, left) {
        (0, 1..) if fractional => {
            format!("{} of the weight covered, {uncovered}", percent(weight_served(verdict)))
        }
        (0, 0) => format!("all {requested} covered"),
        (0, _) => uncovered,
        (b, 0) => format!("all pairs covered, but the hardware limits are exceeded in {}", count(b, "place")),
        (b, _) => format!("{uncovered}, and the hardware limits are exceeded in {}", count(b, "place")),
    };
    let enough = verdict.holds() || (fractional && !live && verdict.breaches.is_empty());
    match (judged.spec_changed, enough) {
        (true, true) => ("stale", format!("It would serve this spec, too: {state}.")),
        (true, false) => ("stale", format!("It would not serve this spec: {state}.")),
        (false, true) => ("good", format!("Checked: {state}.")),
        (false, false) if live => ("live", format!("So far: {state}.")),
        (false, false) => ("bad", format!("Checked: {state}.")),
    }
}
