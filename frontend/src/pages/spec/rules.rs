//! The less common hardware rules of a spec.

use super::{Entries, SpecField, TableFault, fault_at, rows, rows_with, text_at};
use crate::{
    components::{Choice, field_id},
    state::draft::{Action, List},
    studio::Studio,
};
use leptos::prelude::*;
use shared::{
    design::Names,
    form::Described,
    spec::{self, NamesForm, Spec, SpecForm, StartForm, UplinkForm},
};

/// All rules.
#[component]
pub fn RulesPage() -> impl IntoView {
    view! {
        <div class="rules-form">
            <div class="form">{rows_with(input, "", SpecForm::SCHEMA, |field| field.folded)}</div>
            <Uplink/>
            <Entries list=List::Keep legend="Reserved ports of single switches" add="Add a switch"/>
            <Entries list=List::Placement legend="Placements" add="Add a placement"/>
            <Entries list=List::Rack legend="Racks, in order of node and switch numbers" add="Add a rack"/>
            <PartNames/>
            <Start/>
        </div>
    }
}

fn input(path: String) -> AnyView {
    match &*path {
        "forwarding" => view! { <Forwarding/> }.into_any(),
        _ => view! { <SpecField path=path/> }.into_any(),
    }
}

/// Forwarding by nodes: yes, no, or as the job's library does.
#[component]
fn Forwarding() -> impl IntoView {
    let studio = Studio::here();
    let set = move |text: String| studio.edit(Action::Set { path: "forwarding".into(), text });
    view! {
        <Choice id=field_id("spec", "forwarding") label="Forwarding by nodes" value=Signal::derive(move || text_at(studio, "forwarding"))
            options=vec![("", "Unless the job uses NCCL or MPI"), ("true", "Yes"), ("false", "No")]
            on_choice=set fault=fault_at("forwarding")/>
    }
}

#[component]
fn Uplink() -> impl IntoView {
    let studio = Studio::here();
    let has = Memo::new(move |_| studio.session.draft.with(|s| s.document().form.uplink.is_some()));
    let value =
        Signal::derive(move || if has.get() { text_at(studio, "uplink.kind") } else { String::new() });
    let separate = Memo::new(move |_| value.get() == "separate");
    let kinds = SpecForm::SCHEMA.field_at("uplink.kind").map_or_else(Vec::new, |field| field.kind.choices());
    let kinds: Vec<_> =
        std::iter::once(("", "None")).chain(kinds.iter().map(|kind| (kind.word, kind.label))).collect();
    let set = move |kind: String| studio.edit(Action::Uplink(Some(kind).filter(|k| !k.is_empty())));
    view! {
        <div class="list" id="spec-uplink">
            <Choice id=field_id("spec", "uplink.kind") label="Uplink switches" value=value options=kinds
                on_choice=set fault=fault_at("uplink.kind")/>
            {move || has.get().then(|| {
                let other = separate.get();
                rows("uplink", UplinkForm::SCHEMA, |field| {
                    field.key != "kind" && (other || !spec::Uplink::SEPARATE.contains(&field.key))
                })
            })}
            <TableFault path="uplink"/>
        </div>
    }
}

/// Templates of names, with the names that they give.
#[component]
fn PartNames() -> impl IntoView {
    let studio = Studio::here();
    let has = Memo::new(move |_| studio.session.draft.with(|s| s.document().form.names.is_some()));
    let samples = move || studio.result.resolved.get().ok().map(|spec| name_samples(&spec));
    view! {
        <fieldset class="list" id="spec-names">
            <legend>"Names"</legend>
            <p class="hint" id="name-samples">{samples}</p>
            {move || has.get().then(|| rows("names", NamesForm::SCHEMA, |_| true))}
            <TableFault path="names"/>
            <div class="actions">
                {move || match has.get() {
                    true => view! {
                        <button type="button" class="link" id="remove-names" on:click=move |_| studio.edit(Action::Names(false))>"Remove"</button>
                    }.into_any(),
                    false => view! {
                        <button type="button" class="link" id="add-names" on:click=move |_| studio.edit(Action::Names(true))>"Change names"</button>
                    }.into_any(),
                }}
            </div>
        </fieldset>
    }
}

/// Names of the first and last parts of a machine.
fn name_samples(spec: &Spec) -> String {
    let names = Names::sized(spec, spec.pes, spec.switch_budget());
    let nics = spec.pe_groups.iter().map(|group| group.nis).max().unwrap_or(1);
    let ports = spec.switches.iter().map(|model| model.ports).max().unwrap_or(1);
    let span = |first: String, last: String| if first == last { first } else { format!("{first} to {last}") };
    let switches = spec.switch_budget().max(1);
    [
        span(names.pe(0), names.pe(spec.pes - 1)),
        span(names.switch(0), names.switch(switches - 1)),
        span(names.interface(0), names.interface(nics.max(1) - 1)),
        span(names.port(1), names.port(ports)),
    ]
    .join(" · ")
}

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
                {rows("start", StartForm::SCHEMA, |field| !["file", "table"].contains(&field.key))}
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
