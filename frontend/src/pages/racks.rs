//! Racks on the floor with their bundles of cables, and what stands in each.

mod floor;

use crate::{
    api::Answer,
    browser,
    components::{Soon, part_at, pressed},
    state::{
        draft::Action,
        failed::Damage,
        place::Place,
        selection::DesignPart,
        words::{count, fixed, grouped},
    },
    studio::{OutdatedReason, ShownWiring, Studio},
    work::Work,
};
use floor::Floor;
use leptos::{html, prelude::*, task::spawn_local};
use shared::{
    analysis::racks::{RackLoad, RackPlan, even_racks, may_swap, with_swapped},
    api::{FormTexts, PlacedView, PlacementForm, StartWork, WorkKind},
    design::{Design, Names, table},
    exports::{Colour, Palette, rack_names},
    spec::{MAX_PES, Spec},
};
use std::{collections::BTreeSet, sync::Arc};

/// Nodes per rack, and max racks, where the spec has no racks and nothing is typed.
const PER_RACK: u32 = 16;
const ASSUMED_RACKS: u32 = 256;
/// Max nodes and switches that are drawn one by one; racks beyond them are only counted.
const MAX_UNITS: usize = 1280;
/// Max switches of a list to choose from.
const MAX_CHOICES: usize = 256;
/// Max racks with an elevation, and max bundles in the table.
const MAX_CARDS: usize = 128;
const MAX_BUNDLES: usize = 100;
/// Elevations that are drawn in one go.
const SLICE: usize = 4;

/// A wiring in racks.
#[derive(Clone)]
struct RackedWiring {
    held: ShownWiring,
    /// The spec of the wiring, with racks.
    spec: Arc<Spec>,
    plan: Arc<RackPlan>,
    names: Arc<Vec<String>>,
    /// `true` if the racks are the spec's own.
    own: bool,
}

impl RackedWiring {
    fn of(held: ShownWiring, per_rack: u32) -> Option<RackedWiring> {
        let own = !held.spec.racks.is_empty();
        let spec = if own {
            held.spec.clone()
        } else {
            let spec = held.spec.grown(held.design.used_switches());
            Arc::new(Spec { racks: even_racks(&spec, per_rack), ..spec.into_owned() })
        };
        let plan = Arc::new(RackPlan::of(&spec, &held.design)?);
        Some(RackedWiring { names: Arc::new(rack_names(&spec)), held, spec, plan, own })
    }

    /// Numbers of the racks that a part touches.
    fn racks_of(&self, part: DesignPart) -> BTreeSet<usize> {
        let design = &self.held.design;
        let in_range = |(first, end): (u32, u32), number: u32| (first..end).contains(&number);
        let rack = |holds: &dyn Fn(&RackLoad) -> bool| self.plan.racks.iter().position(holds);
        let of_node = |pe: u32| rack(&|load| in_range(load.nodes, pe));
        let of_switch = |switch: u32| rack(&|load| in_range(load.switches, switch));
        let nodes = part.nodes(Some(design));
        let switches = (0..design.switch_count()).filter(|&switch| part.has_switch(switch, design));
        nodes.into_iter().filter_map(of_node).chain(switches.filter_map(of_switch)).collect()
    }
}

/// Racks, with their cables.
#[component]
pub fn RacksView() -> impl IntoView {
    let studio = Studio::here();
    let per_rack = RwSignal::new(String::new());
    // A number typed for one design is none for the next.
    Effect::new(move |_| {
        studio.session.key.track();
        per_rack.set(studio.opened_form::<PlacementForm>().nodes_per_rack);
    });
    let assumed = Memo::new(move |_| {
        let pes = studio.result.of_held(|held| held.design.pes()).unwrap_or_default();
        PER_RACK.max(pes.div_ceil(ASSUMED_RACKS))
    });
    let number = Memo::new(move |_| {
        per_rack.with(|text| match text.trim() {
            "" => Some(assumed.get()),
            text => text.parse().ok().filter(|n| (1..=MAX_PES).contains(n)),
        })
    });
    let racked = Memo::new_with_compare(
        move |_| RackedWiring::of(studio.result.held.get()?, number.get().unwrap_or(assumed.get())),
        |_, _| true,
    );
    let lit = Memo::new(move |_| {
        let part = studio.view.active()?;
        racked.with(|racked| racked.as_ref().map(|racked| racked.racks_of(part)))
    });
    view! {
        {move || match racked.get() {
            None => view! { <p class="fault" id="racks-fault">"Some switches of this wiring are in no rack. Add racks for them to the spec."</p> }.into_any(),
            Some(racked) => {
                let (above, inside) = (racked.clone(), racked.clone());
                view! {
                    <Settings racked=racked.clone() per_rack=per_rack number=number assumed=assumed/>
                    <Totals racked=racked.clone()/>
                    <Soon><Floor spec=above.spec.clone() plan=above.plan.clone() names=above.names.clone() lit=lit/></Soon>
                    <Soon frames=2><Elevations racked=inside.clone() lit=lit/></Soon>
                    <Lists racked=racked/>
                }.into_any()
            }
        }}
    }
}

/// `true` if the wiring on screen may be changed here.
fn is_editable(studio: Studio) -> bool {
    let is_valid = studio.result.outdated() != Some(OutdatedReason::Faults);
    studio.view.place.with(Place::is_session) && !studio.result.is_searching() && is_valid
}

#[component]
fn Settings(
    racked: RackedWiring,
    per_rack: RwSignal<String>,
    number: Memo<Option<u32>>,
    assumed: Memo<u32>,
) -> impl IntoView {
    let studio = Studio::here();
    let placing = Work::new();
    let own = racked.own;
    let racks = racked.spec.racks.clone();
    let held = StoredValue::new(racked.held);
    let request = move || {
        let number = number.get_untracked().filter(|_| !own).map(|number| number.to_string());
        let form = PlacementForm { nodes_per_rack: number.unwrap_or_default() };
        StartWork {
            form: FormTexts::of(&[&form]),
            ..held.with_value(|held| held.request(WorkKind::Placement))
        }
    };
    let place = move |request: StartWork| {
        placing.run(
            move |turn| Some(studio.compute(turn, request, |_| ())),
            move |answer: Answer<PlacedView>| {
                studio.session.opened.set_value(None);
                match answer {
                    Ok(placed) if placed.metres < placed.metres_before => {
                        let saved = metres(placed.metres_before - placed.metres);
                        let all = metres(placed.metres);
                        let words = format!("Switches placed: {saved} m less cable, {all} m in all.");
                        studio.renumber_switches(&placed.table, words);
                    }
                    Ok(_) => studio.view.notify("The switches are already in the best places."),
                    Err(problem) => studio.view.show_problem(problem),
                }
            },
        );
    };
    let opened = untrack(request);
    if studio.has_opened(&opened) {
        place(opened);
    }
    let put = move |_| {
        if studio.try_edit(Action::Racks(racks.clone())) {
            studio.view.notify("The spec now has these racks. Undo removes them.");
        }
    };
    view! {
        <div class="tools racks-tools">
            {(!own).then(|| view! {
                <div class="field inline" class:wrong=move || number.get().is_none() id="per-rack-field">
                    <label for="per-rack">"Nodes per rack"</label>
                    <span class="entry"><input id="per-rack" inputmode="numeric" autocomplete="off" prop:value=per_rack placeholder=move || assumed.get().to_string()
                        on:change=move |event| per_rack.set(event_target_value(&event)) aria-invalid=move || pressed(number.get().is_none()) aria-describedby="per-rack-fault"/></span>
                    <p class="fault" id="per-rack-fault" hidden=move || number.get().is_some()>{format!("Expected 1–{}.", grouped(u64::from(MAX_PES)))}</p>
                </div>
            })}
            {move || is_editable(studio).then(|| {
                let put = put.clone();
                view! {
                    {move || if placing.running.get() {
                        view! { <button type="button" id="place-stop" on:click=move |_| placing.cancel()>"Cancel placement"</button> }.into_any()
                    } else {
                        view! { <button type="button" id="place-switches" title="Swap identical switches between racks to shorten cables"
                            on:click=move |_| place(request())>"Optimise placement"</button> }.into_any()
                    }}
                    {(!own).then(|| view! {
                        <button type="button" id="put-racks" title="Add these racks to the spec so that exports include cable lengths" on:click=put>"Add racks to the spec"</button>
                    })}
                }
            })}
        </div>
    }
}

#[component]
fn Totals(racked: RackedWiring) -> impl IntoView {
    let plan = &racked.plan;
    let names = Names::of(&racked.spec, &racked.held.design);
    let price = racked
        .spec
        .metre_price
        .map(|price| format!("; {} at {price} per metre", fixed(price * plan.metres, 2)));
    let longest = plan.longest.map(|((pe, switch), metres)| {
        format!(" Longest: {} to {}, {metres:.1} m.", names.pe(pe), names.switch(switch))
    });
    let words = format!(
        "{}, {} m in all{}.{}{}",
        count(plan.cables, "cable"),
        metres(plan.metres),
        price.unwrap_or_default(),
        longest.unwrap_or_default(),
        if racked.own { "" } else { " The spec has no racks: these are assumed." }
    );
    view! { <p class="hint" id="racks-total">{words}</p> }
}

/// Metres, without digits that mean nothing.
fn metres(metres: f64) -> String {
    fixed(metres, if metres < 10_000.0 { 1 } else { 0 })
}

/// What stands in each rack: switches, which can be dragged onto others, above nodes.
#[component]
fn Elevations(racked: RackedWiring, lit: Memo<Option<BTreeSet<usize>>>) -> impl IntoView {
    let studio = Studio::here();
    let held = racked.held.clone();
    let dragged = StoredValue::new(None::<u32>);
    let swap = {
        let (spec, design) = (racked.spec.clone(), held.design.clone());
        move |a: u32, b: u32| {
            if !may_swap(&spec, a, b) {
                let names = Names::of(&spec, &design);
                let words = format!(
                    "Can't swap {} and {}: they differ in model, ports or plane, or the spec refers to them by number.",
                    names.switch(a),
                    names.switch(b)
                );
                return studio.view.show_error(words, Vec::new());
            }
            let names = Names::of(&spec, &design);
            let (a_name, b_name) = (names.switch(a), names.switch(b));
            let words = format!("{a_name} and {b_name} exchanged their cables. Names stay with the rack.");
            studio.renumber_switches(&table::write(&with_swapped(&design, a, b)), words);
            studio.view.select(Some(DesignPart::Switch(b)));
        }
    };
    let drop_on = {
        let swap = swap.clone();
        move |event: web_sys::DragEvent| {
            event.prevent_default();
            if let (Some(a), Some(DesignPart::Switch(b))) = (dragged.get_value(), part_at(&event)) {
                swap(a, b);
            }
            dragged.set_value(None);
        }
    };
    let shown = cards(&racked.plan, &held.design);
    let more = racked.plan.racks.len() - shown;
    let container = NodeRef::<html::Div>::new();
    let design = held.design;
    Effect::new(move |_| {
        let wanted = studio.view.active().map(|part| lit_units(part, &design)).unwrap_or_default();
        if let Some(container) = container.get() {
            browser::light(&container, "lit", ".unit.lit", &wanted);
        }
    });
    Effect::new(move |_| {
        let wanted = studio.result.of_damage(failed_units).unwrap_or_default();
        if let Some(container) = container.get() {
            browser::light(&container, "failed", ".unit.failed", &wanted);
        }
    });
    view! {
        <div class="elevations" id="elevations" node_ref=container tabindex="0" role="region" aria-label="Racks and what stands in them"
            on:pointerover=move |event| studio.view.hovered.set(part_at(&event))
            on:pointerleave=move |_| studio.view.hovered.set(None)
            on:click=move |event| {
                let part = part_at(&event);
                let again = part == studio.view.selected.get_untracked();
                studio.view.select(part.filter(|_| !again));
            }
            on:dragstart=move |event| dragged.set_value(match part_at(&event) {
                Some(DesignPart::Switch(switch)) if is_editable(studio) => Some(switch),
                _ => None,
            })
            on:dragover=move |event| if dragged.with_value(Option::is_some) { event.prevent_default() }
            on:drop=drop_on>{slices(studio, &racked, shown, lit)}</div>
        {(more > 0).then(|| view! { <p class="hint">{format!("and {} more", count(more as u64, "rack"))}</p> })}
        <SwapWith racked=racked swap=swap/>
    }
}

/// Number of racks whose switches, and nodes if they are drawn, are few enough; at least one.
fn cards(plan: &RackPlan, design: &Design) -> usize {
    let one_by_one = is_one_by_one(design);
    let units = plan.racks.iter().scan(0, |units, load| {
        let nodes = if one_by_one { load.nodes.1 - load.nodes.0 } else { 0 };
        *units += (load.switches.1 - load.switches.0 + nodes) as usize;
        Some(*units)
    });
    units.take(MAX_CARDS).take_while(|&units| units <= MAX_UNITS).count().max(1).min(plan.racks.len())
}

/// `true` if nodes are drawn one by one.
fn is_one_by_one(design: &Design) -> bool {
    (design.pes() + design.switch_count()) as usize <= MAX_UNITS
}

/// Selector of the switches and nodes that belong to a part.
fn lit_units(part: DesignPart, design: &Design) -> String {
    let nodes = if is_one_by_one(design) { part.nodes(Some(design)) } else { Vec::new() };
    let nodes = nodes.into_iter().map(|pe| format!(".unit[data-part=pe{pe}]"));
    let switches = (0..design.switch_count()).filter(|&switch| part.has_switch(switch, design));
    let switches = switches.map(|switch| format!(".unit[data-part=sw{switch}]"));
    switches.chain(nodes).collect::<Vec<_>>().join(",")
}

/// Selector of the switches and nodes that have failed.
fn failed_units(damage: &Damage) -> String {
    let switches = damage.faults.switches.iter().map(|switch| format!(".unit[data-part=sw{switch}]"));
    let nodes = damage.faults.pes.iter().map(|pe| format!(".unit[data-part=pe{pe}]"));
    switches.chain(nodes).collect::<Vec<_>>().join(",")
}

/// The first `shown` elevations, some of them now and the others one slice after the other.
fn slices(
    studio: Studio,
    racked: &RackedWiring,
    shown: usize,
    lit: Memo<Option<BTreeSet<usize>>>,
) -> AnyView {
    let palette = Memo::new(move |_| studio.session.palette());
    let (drawn, all) = (RwSignal::new(1), shown.div_ceil(SLICE));
    spawn_local(async move {
        for slices in 2..=all {
            browser::next_frame().await;
            // The component may be gone by now.
            if drawn.try_set(slices).is_some() {
                return;
            }
        }
    });
    let slice = |slice: usize| {
        let racked = racked.clone();
        let is_drawn = Memo::new(move |_| slice < drawn.get());
        move || {
            let racks = slice * SLICE..shown.min((slice + 1) * SLICE);
            let palette = palette.get();
            let card = |rack| card(studio, &racked, rack, palette, lit);
            is_drawn.get().then(|| racks.map(card).collect_view())
        }
    };
    (0..all).map(slice).collect_view().into_any()
}

fn card(
    studio: Studio,
    racked: &RackedWiring,
    rack: usize,
    palette: Palette,
    lit: Memo<Option<BTreeSet<usize>>>,
) -> impl IntoView + use<> {
    let load = racked.plan.racks[rack].clone();
    let design = racked.held.design.clone();
    let names = Names::of(&racked.spec, &design);
    let one_by_one = is_one_by_one(&design);
    // What is lit from now on is marked all at once: as many units would each compute it.
    let active = untrack(|| studio.view.active());
    let faults = untrack(|| studio.result.of_damage(|damage| damage.faults.clone())).unwrap_or_default();
    let switches = (load.switches.0..load.switches.1)
        .map(|switch| {
            let used = switch < design.switch_count() && !design.members(switch).is_empty();
            let Colour { paint, .. } = palette.of(switch);
            let text = palette.of(switch).text();
            let style = used.then_some((paint, text));
            let is_lit = active.is_some_and(|active| active.has_switch(switch, &design));
            view! {
                <button type="button" class="unit switch" class:free=!used data-part=format!("sw{switch}") draggable="true"
                    style:background=style.map(|style| style.0) style:color=style.map(|style| style.1)
                    class:lit=is_lit class:failed=faults.switches.binary_search(&switch).is_ok()>{names.switch(switch)}{(!used).then_some(" free")}</button>
            }
        })
        .collect_view();
    let nodes = if one_by_one {
        (load.nodes.0..load.nodes.1)
            .map(|pe| {
                let is_lit = active.is_some_and(|active| active.has_node(pe, &design));
                view! { <span class="unit node" data-part=format!("pe{pe}") class:lit=is_lit class:failed=faults.is_dead(pe)>{pe}</span> }
            })
            .collect_view()
            .into_any()
    } else if load.nodes.0 < load.nodes.1 {
        view! { <span class="unit node">{format!("{}–{}", load.nodes.0, load.nodes.1 - 1)}</span> }.into_any()
    } else {
        ().into_any()
    };
    view! {
        <div class="rack-card" class:lit=move || lit.with(|lit| lit.as_ref().is_some_and(|lit| lit.contains(&rack)))>
            <h3>{racked.names[rack].clone()}</h3>
            <div class="switches">{switches}</div>
            <div class="nodes">{nodes}</div>
        </div>
    }
}

/// Exchanges the picked switch with another one, without dragging.
#[component]
fn SwapWith(racked: RackedWiring, swap: impl Fn(u32, u32) + Clone + Send + Sync + 'static) -> impl IntoView {
    let studio = Studio::here();
    let spec = racked.spec.clone();
    let names = Names::of(&racked.spec, &racked.held.design);
    let last = racked.plan.racks.last().map_or(0, |load| load.switches.1);
    view! {
        {move || {
            let names = names.clone();
            let Some(DesignPart::Switch(switch)) = studio.view.selected.get().filter(|_| is_editable(studio)) else { return ().into_any() };
            let others: Vec<u32> = (0..last).filter(|&other| may_swap(&spec, switch, other)).collect();
            if others.is_empty() {
                return view! { <p class="hint">{format!("{} can't be swapped: the spec refers to it by number, or no identical switch exists.", names.switch(switch))}</p> }.into_any();
            }
            let (swap, spec, own) = (swap.clone(), spec.clone(), names.clone());
            let change = move |event| match own.switch_of(event_target_value(&event).trim()) {
                // The first line of the list.
                None if event_target_value(&event).is_empty() => {}
                Some(other) if other < last && may_swap(&spec, switch, other) => swap(switch, other),
                _ => {
                    let here = own.switch(switch);
                    let words = format!("Expected the name or number (0–{}) of a switch like {here}.", last.saturating_sub(1));
                    studio.view.show_error(words, Vec::new());
                }
            };
            view! {
                <div class="field inline">
                    <label for="swap-with">{format!("Swap {} with", names.switch(switch))}</label>
                    <span class="entry">{if others.len() > MAX_CHOICES {
                        view! { <input id="swap-with" autocomplete="off" placeholder="name or number" on:change=change/> }.into_any()
                    } else {
                        view! {
                            <select id="swap-with" on:change=change>
                                <option value="">"choose"</option>
                                {others.into_iter().map(|other| view! { <option value=other.to_string()>{names.switch(other)}</option> }).collect_view()}
                            </select>
                        }.into_any()
                    }}</span>
                </div>
            }.into_any()
        }}
    }
}

/// Bundles and racks as tables, drawn once they are opened.
#[component]
fn Lists(racked: RackedWiring) -> impl IntoView {
    let opened = RwSignal::new(false);
    view! {
        <details class="rack-lists" on:toggle=move |_| opened.set(true)>
            <summary>"Racks and bundles"</summary>
            {move || opened.get().then(|| lists(&racked))}
        </details>
    }
}

fn lists(RackedWiring { plan, names, .. }: &RackedWiring) -> AnyView {
    let range = |(first, end): (u32, u32)| match end.saturating_sub(first) {
        0 => "–".to_owned(),
        1 => first.to_string(),
        _ => format!("{first}–{}", end - 1),
    };
    let rows = plan.racks.iter().zip(names.iter()).map(|(load, name)| {
        view! {
            <tr>
                <th scope="row">{name.clone()}</th><td>{range(load.nodes)}</td><td>{range(load.switches)}</td>
                <td class="number">{grouped(load.inside)}</td><td class="number">{grouped(load.outside)}</td>
            </tr>
        }
    });
    let mut heaviest = plan.bundles.clone();
    heaviest.sort_by(|a, b| (b.cables as f64 * b.metres).total_cmp(&(a.cables as f64 * a.metres)));
    let more = heaviest.len().saturating_sub(MAX_BUNDLES);
    let bundles = heaviest.iter().take(MAX_BUNDLES).map(|bundle| {
        view! {
            <tr>
                <th scope="row">{names[bundle.from].clone()}</th><td>{names[bundle.to].clone()}</td>
                <td class="number">{grouped(bundle.cables)}</td><td class="number">{format!("{:.1}", bundle.metres)}</td>
                <td class="number">{fixed(bundle.cables as f64 * bundle.metres, 1)}</td>
            </tr>
        }
    });
    let body = view! {
            <div class="scroll" tabindex="0" role="region" aria-label="Racks"><table class="data" id="rack-table">
                <thead><tr><th scope="col">"Rack"</th><th scope="col">"Nodes"</th><th scope="col">"Switches"</th>
                    <th scope="col" class="number">"Cables inside"</th><th scope="col" class="number">"to others"</th></tr></thead>
                <tbody>{rows.collect_view()}</tbody>
            </table></div>
            <div class="scroll" tabindex="0" role="region" aria-label="Bundles"><table class="data" id="bundle-table">
                <thead><tr><th scope="col">"Nodes in"</th><th scope="col">"Switches in"</th>
                    <th scope="col" class="number">"Cables"</th><th scope="col" class="number">"m each"</th><th scope="col" class="number">"m in all"</th></tr></thead>
                <tbody>{bundles.collect_view()}</tbody>
            </table></div>
            {(more > 0).then(|| view! { <p class="hint">{format!("and {} more", count(more as u64, "bundle"))}</p> })}
    };
    body.into_any()
}
