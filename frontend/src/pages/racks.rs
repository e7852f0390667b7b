//! Racks on the floor with their bundles of cables, and what stands in each.

use crate::{
    api,
    components::{part_at, pressed},
    state::{
        draft::Action,
        place::Place,
        selection::Part,
        words::{count, fixed, grouped, problem_faults, problem_words},
    },
    studio::{Held, Outdated, Studio},
    work::Work,
};
use leptos::prelude::*;
use shared::{
    analysis::racks::{CableBundle, RackLoad, RackPlan, even_racks, may_swap, with_swapped},
    api::PlaceSwitches,
    design::{Design, Names, table},
    exports::{Colour, rack_names},
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
/// Max racks on the floor plan, bundles drawn there, racks with an elevation, and bundles in the table.
const MAX_FLOOR: usize = 1024;
const MAX_LINES: usize = 400;
/// More lines than this are drawn fainter.
const MANY_LINES: usize = 120;
const MAX_CARDS: usize = 128;
const MAX_BUNDLES: usize = 100;
/// Pixels per metre of the floor plan, and a rack's size in metres.
const SCALE: f64 = 40.0;
const RACK: (f64, f64) = (0.56, 1.0);

/// A wiring in racks.
#[derive(Clone)]
struct Racked {
    held: Held,
    /// The spec of the wiring, with racks.
    spec: Arc<Spec>,
    plan: Arc<RackPlan>,
    names: Arc<Vec<String>>,
    /// `true` if the racks are the spec's own.
    own: bool,
}

impl Racked {
    fn of(held: Held, per_rack: u32) -> Option<Racked> {
        let own = !held.spec.racks.is_empty();
        let spec = if own {
            held.spec.clone()
        } else {
            Arc::new(Spec { racks: even_racks(&held.spec, per_rack), ..(*held.spec).clone() })
        };
        let plan = Arc::new(RackPlan::of(&spec, &held.design)?);
        Some(Racked { names: Arc::new(rack_names(&spec)), held, spec, plan, own })
    }

    /// Numbers of the racks that a part touches.
    fn racks_of(&self, part: Part) -> BTreeSet<usize> {
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
        move |_| Racked::of(studio.result.held.get()?, number.get().unwrap_or(assumed.get())),
        |_, _| true,
    );
    let lit = Memo::new(move |_| {
        let part = studio.view.active()?;
        racked.with(|racked| racked.as_ref().map(|racked| racked.racks_of(part)))
    });
    view! {
        {move || match racked.get() {
            None => view! { <p class="fault" id="racks-fault">"Some switches of this wiring are in no rack. Add racks for them to the spec."</p> }.into_any(),
            Some(racked) => view! {
                <Settings racked=racked.clone() per_rack=per_rack number=number assumed=assumed/>
                <Totals racked=racked.clone()/>
                <Floor racked=racked.clone() lit=lit/>
                <Elevations racked=racked.clone() lit=lit/>
                <Lists racked=racked/>
            }.into_any(),
        }}
    }
}

/// `true` if the wiring on screen may be changed here.
fn is_editable(studio: Studio) -> bool {
    let is_valid = studio.result.outdated() != Some(Outdated::Faults);
    studio.view.place.with(Place::is_session) && !studio.result.is_searching() && is_valid
}

#[component]
fn Settings(
    racked: Racked,
    per_rack: RwSignal<String>,
    number: Memo<Option<u32>>,
    assumed: Memo<u32>,
) -> impl IntoView {
    let studio = Studio::here();
    let placing = Work::new();
    let own = racked.own;
    let racks = racked.spec.racks.clone();
    let place = move || {
        let request = PlaceSwitches {
            spec: racked.held.spec_text.to_string(),
            table: racked.held.table.to_string(),
            nodes_per_rack: number.get_untracked().filter(|_| !own),
        };
        placing.run(
            |turn| {
                let stop = turn.abort_signal()?;
                Some(async move { api::place_switches(&request, &stop).await.transpose() })
            },
            move |answer| match answer {
                Ok(placed) if placed.metres < placed.metres_before => {
                    let saved = placed.metres_before - placed.metres;
                    let words = format!(
                        "Switches placed: {} m less cable, {} m in all.",
                        metres(saved),
                        metres(placed.metres)
                    );
                    studio.renumber_switches(&placed.table, words);
                }
                Ok(_) => studio.view.notify("The switches are already in the best places."),
                Err(problem) => studio.view.show_error(problem_words(&problem), problem_faults(&problem)),
            },
        );
    };
    let put = move |_| {
        studio.edit(Action::Racks(racks.clone()));
        studio.view.notify("The spec now has these racks. Undo removes them.");
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
                let (place, put) = (place.clone(), put.clone());
                view! {
                    {move || if placing.running.get() {
                        view! { <button type="button" id="place-stop" on:click=move |_| placing.cancel()>"Cancel placement"</button> }.into_any()
                    } else {
                        let place = place.clone();
                        view! { <button type="button" id="place-switches" title="Exchanges identical switches between racks until cables are shortest"
                            on:click=move |_| place()>"Optimise placement"</button> }.into_any()
                    }}
                    {(!own).then(|| view! {
                        <button type="button" id="put-racks" title="Adds these racks to the spec, so that exports know lengths" on:click=put>"Add racks to the spec"</button>
                    })}
                }
            })}
        </div>
    }
}

#[component]
fn Totals(racked: Racked) -> impl IntoView {
    let plan = &racked.plan;
    let names = Names::of(&racked.held.design);
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

/// The floor from above: racks, and a line for each bundle between two of them.
#[component]
fn Floor(racked: Racked, lit: Memo<Option<BTreeSet<usize>>>) -> impl IntoView {
    let studio = Studio::here();
    let Racked { spec, plan, names, .. } = racked;
    if spec.racks.len() > MAX_FLOOR {
        let words = format!(
            "{} are too many to draw. Put more nodes into each.",
            count(spec.racks.len() as u64, "rack")
        );
        return view! { <p class="hint">{words}</p> }.into_any();
    }
    let least =
        |read: fn(&shared::spec::Rack) -> f64| spec.racks.iter().map(read).fold(f64::INFINITY, f64::min);
    let most =
        |read: fn(&shared::spec::Rack) -> f64| spec.racks.iter().map(read).fold(f64::NEG_INFINITY, f64::max);
    let (x0, y0) = (least(|rack| rack.x), least(|rack| rack.y));
    // Lines within a row rise above it.
    let head = 0.9;
    let place = |rack: usize| ((spec.racks[rack].x - x0) * SCALE, (spec.racks[rack].y - y0 + head) * SCALE);
    let (width, height) =
        ((most(|rack| rack.x) - x0 + RACK.0) * SCALE, (most(|rack| rack.y) - y0 + RACK.1 + head) * SCALE);
    let heaviest = plan.bundles.iter().filter(|b| b.from != b.to).map(|b| b.cables).max().unwrap_or(1) as f64;
    let line = |bundle: &CableBundle| {
        let ((ax, ay), (bx, by)) = (place(bundle.from), place(bundle.to));
        let (ax, bx) = (ax + RACK.0 * SCALE / 2.0, bx + RACK.0 * SCALE / 2.0);
        let (ay, by) = (ay + 4.0, by + 4.0);
        let lift = if spec.racks[bundle.from].y == spec.racks[bundle.to].y {
            (ax - bx).abs().min(2.0 * head * SCALE)
        } else {
            0.0
        };
        let path =
            format!("M{ax:.1} {ay:.1}Q{:.1} {:.1} {bx:.1} {by:.1}", (ax + bx) / 2.0, (ay + by) / 2.0 - lift);
        let words = format!(
            "{} to {}: {} of {:.1} m",
            names[bundle.from],
            names[bundle.to],
            count(bundle.cables, "cable"),
            bundle.metres
        );
        let (from, to) = (bundle.from, bundle.to);
        view! {
            <path d=path fill="none" class="bundle" class:lit=move || lit.with(|lit| lit.as_ref().is_some_and(|lit| lit.contains(&from) && lit.contains(&to)))
                stroke-width=format!("{:.1}", 0.75 + 4.0 * bundle.cables as f64 / heaviest)><title>{words}</title></path>
        }
    };
    let mut between: Vec<&CableBundle> = plan.bundles.iter().filter(|b| b.from != b.to).collect();
    let hidden = between.len().saturating_sub(MAX_LINES);
    if hidden > 0 {
        between.select_nth_unstable_by_key(MAX_LINES, |bundle| std::cmp::Reverse(bundle.cables));
        between.truncate(MAX_LINES);
    }
    let many = between.len() > MANY_LINES;
    let lines = between.into_iter().map(line).collect_view();
    let squares = (0..spec.racks.len())
        .map(|rack| {
            let (x, y) = place(rack);
            let load = &plan.racks[rack];
            let words = format!("{}: {}, {}", names[rack], count(u64::from(load.nodes.1 - load.nodes.0), "node"), count(u64::from(load.switches.1 - load.switches.0), "switch"));
            view! {
                <g class="rack" class:lit=move || lit.with(|lit| lit.as_ref().is_some_and(|lit| lit.contains(&rack)))>
                    <rect x=format!("{x:.1}") y=format!("{y:.1}") width=RACK.0 * SCALE height=RACK.1 * SCALE><title>{words}</title></rect>
                    <text x=format!("{:.1}", x + RACK.0 * SCALE / 2.0) y=format!("{:.1}", y + RACK.1 * SCALE / 2.0 + 3.0)>{names[rack].clone()}</text>
                </g>
            }
        })
        .collect_view();
    let label = format!("Floor plan: {}", count(spec.racks.len() as u64, "rack"));
    view! {
        <div class="scroll floor" tabindex="0" role="region" aria-label="Floor plan" class:faint=move || studio.view.active().is_some() class:many=many>
            <svg id="floor" viewBox=format!("-2 -2 {:.1} {:.1}", width + 4.0, height + 4.0) role="img" aria-label=label
                style:min-width=format!("{:.0}px", (width * 0.5).min(900.0)) style:max-width=format!("{:.0}px", (width * 2.0).max(320.0))>{lines}{squares}</svg>
        </div>
        {(hidden > 0).then(|| view! { <p class="hint">{format!("Without the {} with the fewest cables.", count(hidden as u64, "bundle"))}</p> })}
    }
    .into_any()
}

/// What stands in each rack: switches, which can be dragged onto others, above nodes.
#[component]
fn Elevations(racked: Racked, lit: Memo<Option<BTreeSet<usize>>>) -> impl IntoView {
    let studio = Studio::here();
    let held = racked.held.clone();
    let dragged = StoredValue::new(None::<u32>);
    let swap = {
        let (spec, design) = (racked.spec.clone(), held.design.clone());
        move |a: u32, b: u32| {
            if !may_swap(&spec, a, b) {
                let names = Names::of(&design);
                let words = format!(
                    "{} and {} cannot change places: the spec names switches, or they differ in model, ports or plane.",
                    names.switch(a),
                    names.switch(b)
                );
                return studio.view.show_error(words, Vec::new());
            }
            let names = Names::of(&design);
            let (a_name, b_name) = (names.switch(a), names.switch(b));
            let words = format!("{a_name} and {b_name} exchanged their cables. Names stay with the rack.");
            studio.renumber_switches(&table::write(&with_swapped(&design, a, b)), words);
            studio.view.select(Some(Part::Switch(b)));
        }
    };
    let drop_on = {
        let swap = swap.clone();
        move |event: web_sys::DragEvent| {
            event.prevent_default();
            if let (Some(a), Some(Part::Switch(b))) = (dragged.get_value(), part_at(&event)) {
                swap(a, b);
            }
            dragged.set_value(None);
        }
    };
    let shown = cards(&racked.plan, &held.design);
    let drawn = (0..shown).map(|rack| card(studio, &racked, rack, lit)).collect_view();
    let more = racked.plan.racks.len() - shown;
    view! {
        <div class="elevations" id="elevations" tabindex="0" role="region" aria-label="Racks and what stands in them"
            on:pointerover=move |event| studio.view.hovered.set(part_at(&event))
            on:pointerleave=move |_| studio.view.hovered.set(None)
            on:click=move |event| {
                let part = part_at(&event);
                let again = part == studio.view.selected.get_untracked();
                studio.view.select(part.filter(|_| !again));
            }
            on:dragstart=move |event| dragged.set_value(match part_at(&event) {
                Some(Part::Switch(switch)) if is_editable(studio) => Some(switch),
                _ => None,
            })
            on:dragover=move |event| if dragged.with_value(Option::is_some) { event.prevent_default() }
            on:drop=drop_on>{drawn}</div>
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

fn card(
    studio: Studio,
    racked: &Racked,
    rack: usize,
    lit: Memo<Option<BTreeSet<usize>>>,
) -> impl IntoView + use<> {
    let load = racked.plan.racks[rack].clone();
    let design = racked.held.design.clone();
    let palette = studio.session.palette();
    let names = Names::of(&design);
    let one_by_one = is_one_by_one(&design);
    let is_lit = {
        let design = design.clone();
        move |part: Part| {
            let active = studio.view.active();
            active.is_some_and(|active| match part {
                Part::Node(pe) => active.has_node(pe, &design),
                Part::Switch(switch) => active.has_switch(switch, &design),
                _ => active == part,
            })
        }
    };
    let switches = (load.switches.0..load.switches.1)
        .map(|switch| {
            let used = switch < design.switch_count() && !design.members(switch).is_empty();
            let Colour { paint, .. } = palette.of(switch);
            let text = palette.of(switch).text();
            let style = used.then_some((paint, text));
            let is_lit = is_lit.clone();
            view! {
                <button type="button" class="unit switch" class:free=!used data-part=format!("sw{switch}") draggable="true"
                    style:background=style.map(|style| style.0) style:color=style.map(|style| style.1)
                    class:lit=move || is_lit(Part::Switch(switch))>{names.switch(switch)}{(!used).then_some(" free")}</button>
            }
        })
        .collect_view();
    let nodes = if one_by_one {
        (load.nodes.0..load.nodes.1)
            .map(|pe| {
                let is_lit = is_lit.clone();
                view! { <span class="unit node" data-part=format!("pe{pe}") class:lit=move || is_lit(Part::Node(pe))>{pe}</span> }
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
            <h4>{racked.names[rack].clone()}</h4>
            <div class="switches">{switches}</div>
            <div class="nodes">{nodes}</div>
        </div>
    }
}

/// Exchanges the picked switch with another one, without dragging.
#[component]
fn SwapWith(racked: Racked, swap: impl Fn(u32, u32) + Clone + Send + Sync + 'static) -> impl IntoView {
    let studio = Studio::here();
    let spec = racked.spec.clone();
    let names = Names::of(&racked.held.design);
    let last = racked.plan.racks.last().map_or(0, |load| load.switches.1);
    view! {
        {move || {
            let Some(Part::Switch(switch)) = studio.view.selected.get().filter(|_| is_editable(studio)) else { return ().into_any() };
            let others: Vec<u32> = (0..last).filter(|&other| may_swap(&spec, switch, other)).collect();
            if others.is_empty() {
                return view! { <p class="hint">{format!("{} stays where it is: the spec names switches, or no other is alike.", names.switch(switch))}</p> }.into_any();
            }
            let (swap, spec) = (swap.clone(), spec.clone());
            let change = move |event| match event_target_value(&event).trim().parse() {
                // The first line of the list.
                Err(_) if event_target_value(&event).is_empty() => {}
                Ok(other) if may_swap(&spec, switch, other) => swap(switch, other),
                _ => {
                    let words = format!("Expected the number of a switch like {} (0–{}).", names.switch(switch), last.saturating_sub(1));
                    studio.view.show_error(words, Vec::new());
                }
            };
            view! {
                <div class="field inline">
                    <label for="swap-with">{format!("Exchange {} with", names.switch(switch))}</label>
                    <span class="entry">{if others.len() > MAX_CHOICES {
                        view! { <input id="swap-with" inputmode="numeric" autocomplete="off" placeholder="number of a switch" on:change=change/> }.into_any()
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
fn Lists(racked: Racked) -> impl IntoView {
    let opened = RwSignal::new(false);
    view! {
        <details class="rack-lists" on:toggle=move |_| opened.set(true)>
            <summary>"Racks and bundles"</summary>
            {move || opened.get().then(|| lists(&racked))}
        </details>
    }
}

fn lists(Racked { plan, names, .. }: &Racked) -> AnyView {
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
