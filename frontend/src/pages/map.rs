//! The panel in the middle: views of the design, the part that is lit up in words, and the checker's verdict.

use crate::{
    browser,
    components::{Icon, MapCanvas, Part, PartCall, parts, pressed},
    state::{
        failed::Damage,
        map::{self, Action},
        place::{Room, Scene},
        routes::Ends,
        selection::{DesignPart, PartContext, toggled},
        words::{count, grouped, percent},
    },
    studio::{OutdatedReason, Studio, WiringVerdict},
};
use leptos::prelude::*;
use shared::{
    analysis::leftout::weight_served,
    design::{Breach, Verdict},
};

const BREACHES: usize = 5;

/// The panel in the middle; the children are the views other than the map.
#[component]
pub fn DesignPanel(children: ChildrenFn) -> impl IntoView {
    let studio = Studio::here();
    // The view on screen, chosen again, stays as it is.
    let scene = Memo::new(move |_| studio.view.scene.get());
    view! {
        <section class="panel map-panel" id="design" aria-labelledby="map-title">
            <div class="heading" id="view-heading">
                <h2 id="map-title" class="sr">{move || scene.get().title()}</h2>
                <div class="switcher" role="group" aria-label="View of the design">
                    {Scene::ALL.map(|one| view! {
                        <button type="button" id=one.id() aria-pressed=move || pressed(scene.get() == one)
                            on:click=move |_| studio.view.show_scene(one)>{one.title()}</button>
                    }).collect_view()}
                </div>
                {move || (scene.get() == Scene::Map).then(|| view! { <MapTools/> })}
            </div>
            <div class=move || format!("scene of-{}", scene.get().title().to_lowercase())>
                {move || if scene.get() == Scene::Map { view! { <Map/> }.into_any() } else { children().into_any() }}
            </div>
            // The foot has a fixed height, so that the view above does not jump. The verdict stands above the lines that come and
            // go.
            <div class="foot"><Part of=foot/></div>
        </section>
    }
}

parts! {
    results {
        /// What is below the view: the part that is lit up, the verdict, the key, and what is outdated or failed.
        foot() -> AnyView { view! { <Foot/> }.into_any() }
        /// The failed parts, on pages without a view.
        what_if() -> AnyView { view! { <WhatIf/> }.into_any() }
        /// What is outdated, on these pages.
        outdated_note() -> AnyView { view! { <OutdatedNote/> }.into_any() }
    }
}

#[component]
fn Foot() -> impl IntoView {
    let studio = Studio::here();
    let is_map = Memo::new(move |_| studio.view.scene.get() == Scene::Map);
    view! {
        <PartLine/>
        <Standing/>
        {move || is_map.get().then(|| view! { <Key/> })}
        <OutdatedNote/>
        <WhatIf/>
    }
}

#[component]
fn MapTools() -> impl IntoView {
    let studio = Studio::here();
    let zoom = move |factor| studio.view.map.update(|v| v.update(Action::Zoom { factor, at: (0.5, 0.5) }));
    let is_fit = Memo::new(move |_| studio.view.map.with(|v| v.is_fit()));
    view! {
        <p class="hint" id="map-part">{move || (!is_fit.get()).then(|| part(studio))}</p>
        <div class="tools">
            <button type="button" class="plain" id="zoom-out" aria-label="Zoom out" title="Zoom out (-)" on:click=move |_| zoom(0.5)><Icon name="zoom-out"/></button>
            <button type="button" class="plain" id="zoom-in" aria-label="Zoom in" title="Zoom in (+)" on:click=move |_| zoom(2.0)><Icon name="zoom-in"/></button>
            <button type="button" class="plain" id="zoom-fit" aria-label="Fit the whole map" title="Fit (0)"
                prop:disabled=is_fit on:click=move |_| studio.view.map.update(|v| v.update(Action::Fit))><Icon name="fit"/></button>
        </div>
    }
}

/// The map of requested and delivered pairs.
#[component]
fn Map() -> impl IntoView {
    let studio = Studio::here();
    let missing = Signal::derive(move || studio.result.of_judged(|j| j.verdict.clone()));
    let lost =
        Signal::derive(move || studio.result.of_damage(|damage| damage.lost.clone()).unwrap_or_default());
    // The cursor is the picked pair.
    Effect::new(move |_| {
        let cursor = match studio.view.selected.get() {
            Some(DesignPart::Pair(a, b)) => Some((b, a)),
            Some(DesignPart::Node(pe)) => Some((pe, pe)),
            _ => None,
        };
        let same = |map: &map::View| map.cursor.map(DesignPart::of_cell) == cursor.map(DesignPart::of_cell);
        if !studio.view.map.with_untracked(same) {
            studio.view.map.update(|map| match cursor {
                Some((column, row)) => map.update(Action::Show { column, row }),
                None => map.update(Action::Leave),
            });
        }
    });
    let on_cursor = move |cell: Option<(u32, u32)>| {
        let part = cell.map(DesignPart::of_cell);
        // The pointer may rest on another part while keys move the cursor.
        studio.view.hovered.set(None);
        if part.is_some()
            || matches!(
                studio.view.selected.get_untracked(),
                Some(DesignPart::Pair(..) | DesignPart::Node(_))
            )
        {
            studio.view.select(part);
        }
    };
    let on_hover = move |cell: Option<(u32, u32)>| studio.view.hovered.set(cell.map(DesignPart::of_cell));
    let lit = Signal::derive(move || match studio.view.active() {
        Some(DesignPart::Pair(a, b)) => (vec![b], vec![a]),
        Some(part) => {
            let nodes = studio.result.held.with(|held| part.nodes(held.as_ref().map(|held| &*held.design)));
            (nodes.clone(), nodes)
        }
        None => Default::default(),
    });
    view! {
        <div class="square">
            <MapCanvas index=studio.result.index view=studio.view.map missing=missing lost=lost dark=studio.view.dark lit=lit
                label=Signal::derive(move || words(studio)) on_cursor=on_cursor
                on_hover=on_hover/>
            <p class="busy" role="status" id="busy" hidden=move || studio.result.busy.with(Option::is_none)>
                {move || studio.result.busy.get().map(|b| format!("{b} …"))}
            </p>
        </div>
        <p class="sr" id="map-keys">
            "Arrow keys move the cursor, plus and minus zoom, 0 fits the whole map, Escape leaves."
        </p>
    }
}

/// The part that is lit up, in words, and actions on the picked one.
#[component]
fn PartLine() -> impl IntoView {
    let studio = Studio::here();
    let words = Memo::new(move |_| match (studio.view.summed.get(), studio.view.active()) {
        (Some(words), _) => words,
        (None, Some(part)) => part_words(studio, part),
        (None, None) => "Select a part to see its details.".into(),
    });
    let routes = move |a: u32, b: u32| {
        studio.view.ends.set(Ends { from: a.to_string(), to: b.to_string() });
        studio.view.show_scene(Scene::Routes);
        browser::focus(&Scene::Routes.id());
    };
    view! {
        <p class="under"><span id="under" aria-live="polite">{words}</span>
            {move || {
                let part = studio.view.selected.get()?;
                let (design, names) = studio.result.of_held(|held| (held.design.clone(), held.names()))?;
                Some(match part {
                    DesignPart::Pair(a, b) => (b < design.pes()).then(|| view! {
                        <button type="button" class="link" id="pinned-routes" on:click=move |_| routes(a, b)>{format!("Routes of {a}–{b}")}</button>
                    }).into_any(),
                    _ => part.failure(&design).map(|failing| {
                        let failed = studio.failed();
                        let next = toggled(&failed, failing, &names).ok();
                        let verb = if next.as_ref().is_some_and(|(_, added)| !added) { "Repair" } else { "Fail" };
                        let name = part.name(&names);
                        let words = format!("{verb} {name}");
                        view! {
                            <button type="button" class="link" id="fail-part" data-longest=format!("Repair {name}") prop:disabled=next.is_none()
                                on:click=move |_| studio.set_failed(next.clone().unwrap_or_default().0)>{words}</button>
                        }
                    }).into_any(),
                })
            }}
        </p>
    }
}

/// The failed parts and their effect, in every view and on every page.
#[component]
fn WhatIf() -> impl IntoView {
    let studio = Studio::here();
    let parts = move || studio.result.of_damage(|damage| format!("{} failed", damage.parts));
    let effect = move || studio.result.of_damage(|damage| format!(" · {}", damage.effect()));
    // The map has a key; other views mark the parts themselves.
    let marks = move || {
        let hurts = studio.result.of_damage(|damage| !damage.lost.is_empty()).unwrap_or_default();
        match (studio.view.room(), studio.view.scene.get()) {
            (Room::Design, Scene::Cables) => hurts.then_some(" (their nodes have a red outline)"),
            (Room::Design, Scene::Figures) => Some(" · the figures are of the intact design"),
            (Room::Design | Room::Export, _) => None,
            _ => Some(" · this page shows the intact design"),
        }
    };
    view! {
        <p class="broken" role="status" id="broken" hidden=move || studio.result.damage.with(Option::is_none)>
            <strong>"What if: "</strong>{parts}<span class="effect">{effect}{marks}</span>" · "
            {move || studio.result.of_damage(|_| view! {
                <button type="button" class="link" id="repair-all" title="Show the intact wiring again" on:click=move |_| studio.set_failed(String::new())>"Reset"</button>
            })}
        </p>
    }
}

fn part_words(studio: Studio, part: DesignPart) -> String {
    let held = studio.result.of_held(|held| held.design.clone());
    let palette = studio.session.palette();
    let mut words = studio
        .result
        .of_asked(|asked| {
            let design = held.as_deref().filter(|design| design.pes() == asked.spec.pes);
            PartContext { spec: &asked.spec, demand: &asked.demand, design, palette }.words(part)
        })
        .unwrap_or_default();
    if let DesignPart::Pair(a, b) = part {
        let is_lost = |damage: &Damage| damage.lost.binary_search(&(a, b)).is_ok();
        let lost = studio.result.of_damage(|damage| is_lost(damage).then(|| damage.parts.clone()));
        words.extend(lost.flatten().map(|parts| format!("; none works with {parts} failed")));
    }
    words
}

/// Says that the results beside it are not those of the spec on screen, and offers the mend.
#[component]
fn OutdatedNote() -> impl IntoView {
    let studio = Studio::here();
    let outdated = Memo::new(move |_| studio.result.outdated());
    let serves = Memo::new(move |_| {
        let fractional = studio.result.is_fractional();
        studio.result.of_judged(|judged| serves(&judged.verdict, fractional)).unwrap_or_default()
    });
    view! {
        {move || outdated.get().map(|outdated| view! {
            <p class="outdated-note" role="status">
                <strong>"Outdated"</strong>{outdated.words()}
                {(outdated == OutdatedReason::Wiring).then(|| view! {
                    <button type="button" class="link adopt" title="Check this wiring against the current spec"
                        on:click=move |_| studio.adopt_wiring()>{move || if serves.get() { "Use it for this spec" } else { "Use it anyway" }}</button>
                })}
            </p>
        })}
    }
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
    let coverage =
        Memo::new(move |_| studio.result.coverage_of_map().filter(|coverage| coverage.uncovered > 0));
    let missing = move || {
        coverage.get().map(|coverage| match coverage.weight {
            Some(share) => format!(" ({} of the weight)", percent(1.0 - share)),
            None => format!(" ({})", grouped(coverage.uncovered)),
        })
    };
    let by_weight = move || studio.result.is_fractional().then_some(", stronger with more weight");
    view! {
        <ul class="key" aria-label="Key of the map">
            <li>"requested "<Icon name="lower"/>" · delivered "<Icon name="upper"/></li>
            <li><span class="swatch requested"></span>"requested"{by_weight}</li>
            <li><span class="swatch extra"></span>"extra, stronger with more paths"</li>
            <li><span class="swatch missing"></span>"uncovered"{missing}</li>
            {move || studio.result.of_damage(|damage| view! {
                <li id="key-lost"><span class="swatch lost"></span>
                    {format!("uncovered only with {} failed ({})", damage.parts, grouped(damage.lost.len() as u64))}</li>
            })}
        </ul>
    }
}

/// The map in words, for screen readers.
fn words(studio: Studio) -> String {
    let requested = studio.result.of_asked(|a| (a.spec.pes, a.demand.len() as u64));
    let Some((pes, requested)) = requested else { return "Map: no spec yet".into() };
    let delivered = match (studio.result.judged.with(Option::is_some), studio.result.coverage_of_map()) {
        (false, _) => "no wiring yet".into(),
        (true, Some(coverage)) => format!("{} uncovered", grouped(coverage.uncovered)),
        (true, None) => "an earlier wiring".into(),
    };
    let lost = studio.result.of_damage(|damage| {
        format!(", {} more with {} failed", grouped(damage.lost.len() as u64), damage.parts)
    });
    let (pes, pairs) = (grouped(u64::from(pes)), count(requested, "pair"));
    format!("Map of {pes} nodes: {pairs} requested, {delivered}{}", lost.unwrap_or_default())
}

/// The verdict on the wiring, with the rules that it breaks.
#[component]
fn Standing() -> impl IntoView {
    let studio = Studio::here();
    let ahead = Memo::new(move |_| studio.result.coverage().filter(|coverage| coverage.is_ahead));
    view! {
        <div class="standing" id="standing" role="status">
            {move || studio.result.judged.get().map(|judged| {
                let live = studio.result.is_searching() || studio.result.is_replaying();
                let (class, words) = match ahead.get() {
                    Some(best) => {
                        let best = best.words(judged.verdict.requested);
                        ("live", format!("So far: {best}. The map shows an earlier wiring."))
                    }
                    None => {
                        let (class, mut words) = stand(&judged, live, studio.result.is_fractional());
                        let failed = studio.result.of_damage(|damage| {
                            let left = damage.uncovered(&judged.verdict.uncovered);
                            format!(" With {} failed: {} uncovered.", damage.parts, grouped(left))
                        });
                        if let Some(failed) = failed.filter(|_| words.ends_with('.')) {
                            words.insert_str(words.len() - 1, " (intact)");
                            words.push_str(&failed);
                        }
                        (class, words)
                    }
                };
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

/// `true` if nothing is left to do: with a fractional objective, pairs may stay uncovered.
fn serves(verdict: &Verdict, fractional: bool) -> bool {
    verdict.holds() || (fractional && verdict.breaches.is_empty())
}

/// `live`: a search is in progress. `fractional`: pairs may stay uncovered.
fn stand(judged: &WiringVerdict, live: bool, fractional: bool) -> (&'static str, String) {
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
        (0, 0) if verdict.over_uplinks > 0 => {
            format!("all {requested} covered, {} over uplinks", grouped(verdict.over_uplinks))
        }
        (0, 0) => format!("all {requested} covered"),
        (0, _) => uncovered,
        (b, 0) => format!("all pairs covered, but the spec's rules are broken in {}", count(b, "place")),
        (b, _) => format!("{uncovered}, and the spec's rules are broken in {}", count(b, "place")),
    };
    let enough = if live { verdict.holds() } else { serves(verdict, fractional) };
    match (judged.spec_changed, enough) {
        (true, true) => ("stale", format!("Also valid for the current spec: {state}.")),
        (true, false) => ("stale", format!("Not valid for the current spec: {state}.")),
        (false, true) => ("good", format!("Checked: {state}.")),
        (false, false) if live => ("live", format!("So far: {state}.")),
        (false, false) => ("bad", format!("Checked: {state}.")),
    }
}
