//! Less common hardware rules: uplink, reserved ports, placements, racks, existing wiring.

use super::bound::{SpecField, fault_at, text_at};
use crate::{
    components::{Choice, Icon, field_id},
    state::draft::{Action, Rule},
    studio::Studio,
};
use leptos::prelude::*;
use shared::{form::Described, spec::SpecForm};

/// Starts of the paths of these rules.
const PATHS: [&str; 7] = ["metre_price", "cable_slack", "uplink", "keep", "placement", "rack", "start"];

/// `true` if a path names a whole table of these rules, which shows its own faults.
pub fn is_rule(path: &str) -> bool {
    let table =
        path.split_once('[').map_or(path, |(list, rest)| if rest.ends_with(']') { list } else { path });
    PATHS[2..].contains(&table)
}

/// All rules, folded while none is given.
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
                    <SpecField path="metre_price"/>
                    <SpecField path="cable_slack"/>
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

/// Message about a whole table.
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
    let kinds = SpecForm::SCHEMA.field_at("uplink.kind").map_or_else(Vec::new, |field| field.kind.choices());
    let kinds: Vec<_> =
        std::iter::once(("", "None")).chain(kinds.iter().map(|kind| (kind.word, kind.label))).collect();
    let set = move |kind: String| studio.edit(Action::Uplink(Some(kind).filter(|k| !k.is_empty())));
    view! {
        <div class="list" id="spec-uplink">
            <Choice id=field_id("spec", "uplink.kind") label="Uplink switch" value=value options=kinds
                on_choice=set fault=fault_at("uplink.kind")/>
            {move || has.get().then(|| view! {
                <div class="row pair">
                    <SpecField path="uplink.spares"/>
                    <SpecField path="uplink.price"/>
                </div>
            })}
            <TableFault path="uplink"/>
        </div>
    }
}

/// A list of rules of one kind, with a button to add one.
#[component]
fn RuleList<V: IntoView + 'static>(
    rule: Rule,
    /// Name in the spec.
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
                    <button type="button" class="plain" aria-label=format!("Remove entry {}: {legend}", i + 1)
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
            <SpecField path=format!("keep[{i}].switch")/>
            <SpecField path=format!("keep[{i}].ports")/>
        }
    };
    view! {
        <RuleList rule=Rule::Keep name="keep" legend="Reserved ports of single switches" add="Add a switch"
            row=row length=|form| form.keep.len()/>
    }
}

#[component]
fn Placements() -> impl IntoView {
    let row = |i: usize| {
        view! {
            <SpecField path=format!("placement[{i}].pes")/>
            <SpecField path=format!("placement[{i}].kind")/>
            <SpecField path=format!("placement[{i}].switches")/>
        }
    };
    view! {
        <RuleList rule=Rule::Placement name="placement" legend="Placements" add="Add a placement"
            row=row length=|form| form.placement.len()/>
    }
}

#[component]
fn Racks() -> impl IntoView {
    let row = |i: usize| {
        view! {
            <SpecField path=format!("rack[{i}].pes")/>
            <SpecField path=format!("rack[{i}].switches")/>
            <SpecField path=format!("rack[{i}].x")
                placeholder=format!("{:.1}", shared::spec::RACK_PITCH * i as f64)/>
            <SpecField path=format!("rack[{i}].y")/>
        }
    };
    view! {
        <RuleList rule=Rule::Rack name="rack" legend="Racks, in order of node and switch numbers" add="Add a rack"
            row=row length=|form| form.rack.len()/>
    }
}

/// The existing wiring.
#[component]
fn Start() -> impl IntoView {
    let studio = Studio::here();
    let has = Memo::new(move |_| studio.session.draft.with(|s| s.document().form.start.is_some()));
    let held = Memo::new(move |_| studio.result.held.with(Option::is_some));
    view! {
        <fieldset class="list" id="spec-start">
            <legend>"Existing wiring"</legend>
            {move || has.get().then(|| view! {
                <SpecField path="start.table"/>
                <div class="row pair">
                    <SpecField path="start.moves"/>
                    <SpecField path="start.renumber"/>
                </div>
            })}
            <TableFault path="start"/>
            <div class="actions">
                <button type="button" id="start-from-design" prop:disabled=move || !held.get()
                    title="Use the wiring on screen as the existing wiring" on:click=move |_| studio.start_from_wiring()>
                    "Start from this wiring"
                </button>
                {move || match has.get() {
                    true => view! {
                        <button type="button" class="link" id="remove-start" on:click=move |_| studio.edit(Action::Start(None))>"Remove"</button>
                    }.into_any(),
                    false => view! {
                        <button type="button" class="link" id="add-start" on:click=move |_| studio.edit(Action::Start(Some(String::new())))>"Type a table"</button>
                    }.into_any(),
                }}
            </div>
        </fieldset>
    }
}
