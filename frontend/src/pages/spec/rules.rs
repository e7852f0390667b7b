//! Hardware rules that few specs have: uplink, ports kept free, placements, racks, a wiring to start from.

use super::bound::{SpecChoice, SpecField, SpecText, fault_at, text_at};
use crate::{
    components::{Choice, Icon, field_id},
    state::draft::{Action, Rule},
    studio::Studio,
};
use leptos::prelude::*;
use shared::spec::SpecForm;

/// Where the faults of these rules are.
const PATHS: [&str; 7] = ["metre_price", "cable_slack", "uplink", "keep", "placement", "rack", "start"];

/// Whether a path names a table of these rules as a whole, beside which its fault stands.
pub fn is_rule(path: &str) -> bool {
    let table =
        path.split_once('[').map_or(path, |(list, rest)| if rest.ends_with(']') { list } else { path });
    PATHS[2..].contains(&table)
}

/// All of them, folded away while there are none.
#[component]
pub fn Rules() -> impl IntoView {
    let studio = Studio::here();
    let wanted = Memo::new(move |_| {
        let faulty = |path: &str| PATHS.iter().any(|p| path.starts_with(p));
        studio.session.draft.with(|s| is_given(&s.document().form))
            || studio.result.faults().iter().any(|fault| faulty(&fault.path))
    });
    view! {
        <details class="rules" id="hardware-rules" open=move || wanted.get()>
            <summary>"More hardware rules"</summary>
            <div class="rules-form">
                <div class="row pair">
                    <SpecField path="metre_price" label="Price of a metre of cable" mode="decimal" placeholder="–"/>
                    <SpecField path="cable_slack" label="Metres added to each" mode="decimal" placeholder="2"/>
                </div>
                <Uplink/>
                <Keeps/>
                <Placements/>
                <Racks/>
                <Start/>
            </div>
        </details>
    }
}

fn is_given(form: &SpecForm) -> bool {
    let lists = [form.keep.len(), form.placement.len(), form.rack.len()];
    let fields = [&form.metre_price, &form.cable_slack];
    form.uplink.is_some()
        || form.start.is_some()
        || lists.iter().any(|&n| n > 0)
        || fields.iter().any(|text| !text.trim().is_empty())
}

/// What is wrong with a table as a whole.
#[component]
fn TableFault(#[prop(into)] path: String) -> impl IntoView {
    let fault = fault_at(&path);
    view! { <p class="fault" aria-live="polite" hidden=move || fault.with(Option::is_none)>{move || fault.get()}</p> }
}

#[component]
fn Uplink() -> impl IntoView {
    let studio = Studio::here();
    let has = Memo::new(move |_| studio.session.draft.with(|s| s.document().form.uplink.is_some()));
    let value =
        Signal::derive(move || if has.get() { text_at(studio, "uplink.kind") } else { String::new() });
    let kinds = vec![
        ("", "none"),
        ("separate", "a switch of its own"),
        ("folded", "folded into the last of the widest"),
    ];
    let set = move |kind: String| studio.edit(Action::Uplink(Some(kind).filter(|k| !k.is_empty())));
    view! {
        <div class="list" id="spec-uplink">
            <Choice id=field_id("spec", "uplink.kind") label="Uplink switch, which joins all others" value=value options=kinds
                on_choice=set fault=fault_at("uplink.kind")/>
            {move || has.get().then(|| view! {
                <div class="row pair">
                    <SpecField path="uplink.spares" label="Hot spares on it" placeholder="0"/>
                    <SpecField path="uplink.price" label="Its price" mode="decimal" placeholder="–"/>
                </div>
            })}
            <TableFault path="uplink"/>
        </div>
    }
}

/// A list of rules of one kind, and the button for one more.
#[component]
fn RuleList<V: IntoView + 'static>(
    rule: Rule,
    /// Its name in the spec.
    name: &'static str,
    legend: &'static str,
    add: &'static str,
    row: fn(usize) -> V,
    length: fn(&SpecForm) -> usize,
) -> impl IntoView {
    let studio = Studio::here();
    let length = Memo::new(move |_| studio.session.draft.with(|s| length(&s.document().form)));
    view! {
        <fieldset class="list" id=format!("spec-{name}")>
            <legend>{legend}</legend>
            {move || (0..length.get()).map(|i| view! {
                <div class=format!("row entries {name}")>
                    {row(i)}
                    <button type="button" class="plain" aria-label=format!("Remove entry {} of: {legend}", i + 1)
                        on:click=move |_| studio.edit(Action::RemoveRule(rule, i))><Icon name="close"/></button>
                </div>
                <TableFault path=format!("{name}[{i}]")/>
            }).collect_view()}
            <TableFault path=name/>
            <button type="button" class="link add" id=format!("add-{name}") on:click=move |_| studio.edit(Action::AddRule(rule))>{add}</button>
        </fieldset>
    }
}

#[component]
fn Keeps() -> impl IntoView {
    let row = |i: usize| {
        view! {
            <SpecField path=format!("keep[{i}].switch") label="Switch"/>
            <SpecField path=format!("keep[{i}].ports") label="Ports kept free"/>
        }
    };
    view! {
        <RuleList rule=Rule::Keep name="keep" legend="Ports kept free on single switches" add="Add a switch"
            row=row length=|form| form.keep.len()/>
    }
}

#[component]
fn Placements() -> impl IntoView {
    let row = |i: usize| {
        let kinds = vec![("on", "on"), ("off", "not on")];
        view! {
            <SpecField path=format!("placement[{i}].pes") label="PEs" mode="text" placeholder="0-7, 12"/>
            <SpecChoice path=format!("placement[{i}].kind") label="must be" options=kinds default="on"/>
            <SpecField path=format!("placement[{i}].switches") label="switches" mode="text" placeholder="0, 3"/>
        }
    };
    view! {
        <RuleList rule=Rule::Placement name="placement" legend="PEs on and off switches" add="Add a placement"
            row=row length=|form| form.placement.len()/>
    }
}

#[component]
fn Racks() -> impl IntoView {
    let row = |i: usize| {
        view! {
            <SpecField path=format!("rack[{i}].pes") label="PEs" placeholder="0"/>
            <SpecField path=format!("rack[{i}].switches") label="Switches" placeholder="0"/>
            <SpecField path=format!("rack[{i}].x") label="Along, m" mode="decimal"
                placeholder=format!("{:.1}", shared::spec::RACK_PITCH * i as f64)/>
            <SpecField path=format!("rack[{i}].y") label="Across, m" mode="decimal" placeholder="0"/>
        }
    };
    view! {
        <RuleList rule=Rule::Rack name="rack" legend="Racks, in the order of PE and switch numbers" add="Add a rack"
            row=row length=|form| form.rack.len()/>
    }
}

/// The wiring that is there already.
#[component]
fn Start() -> impl IntoView {
    let studio = Studio::here();
    let has = Memo::new(move |_| studio.session.draft.with(|s| s.document().form.start.is_some()));
    let held = Memo::new(move |_| studio.result.held.with(Option::is_some));
    let renumbering = vec![("false", "cables"), ("true", "PE numbers")];
    view! {
        <fieldset class="list" id="spec-start">
            <legend>"A wiring that is there already"</legend>
            {move || has.get().then(|| view! {
                <SpecText path="start.table" label="One line a switch: pe pe pe" rows="5"/>
                <div class="row pair">
                    <SpecField path="start.moves" label="Cables that may move" placeholder="any number"/>
                    <SpecChoice path="start.renumber" label="What changes" options=renumbering.clone() default="false"/>
                </div>
            })}
            <TableFault path="start"/>
            <div class="actions">
                <button type="button" id="start-from-design" prop:disabled=move || !held.get()
                    title="Takes the wiring on screen as the one that is there already" on:click=move |_| studio.start_from_wiring()>
                    "Start from this wiring"
                </button>
                {move || match has.get() {
                    true => view! {
                        <button type="button" class="link" id="remove-start" on:click=move |_| studio.edit(Action::Start(None))>"Remove it"</button>
                    }.into_any(),
                    false => view! {
                        <button type="button" class="link" id="add-start" on:click=move |_| studio.edit(Action::Start(Some(String::new())))>"Type a table"</button>
                    }.into_any(),
                }}
            </div>
        </fieldset>
    }
}
