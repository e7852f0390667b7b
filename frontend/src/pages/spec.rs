//! The spec: as a form and as text, in step.

mod bound;
mod patterns;
mod rules;

use crate::{
    browser,
    components::{Icon, pressed},
    state::{
        draft::Action,
        place::Place,
        words::{count, grouped},
    },
    studio::Studio,
};
use bound::{SpecField, fault_at};
use leptos::{prelude::*, task::spawn_local};
use patterns::Patterns;
use rules::{Rules, is_rule};
use shared::{
    form::{Described, Fault},
    spec::{MAX_SPEC_BYTES, SpecForm},
};

/// The panel on the left of a session.
#[component]
pub fn SpecPanel() -> impl IntoView {
    let as_text = RwSignal::new(false);
    view! {
        <section class="panel spec" id="spec" aria-labelledby="spec-title">
            <div class="heading">
                <h2 id="spec-title">"Spec"</h2>
                <div class="switcher" role="group" aria-label="Edit the spec as">
                    <button type="button" id="spec-as-form" aria-pressed=move || pressed(!as_text.get())
                        on:click=move |_| as_text.set(false)>"Form"</button>
                    <button type="button" id="spec-as-text" aria-pressed=move || pressed(as_text.get())
                        on:click=move |_| as_text.set(true)>"TOML"</button>
                </div>
                <OpenSpec/>
            </div>
            {move || if as_text.get() { view! { <Text/> }.into_any() } else { view! { <Form/> }.into_any() }}
        </section>
    }
}

/// All faults beside the text; beside the form only those of no field, so that nothing moves while somebody types.
#[component]
fn Faults(as_text: bool) -> impl IntoView {
    let studio = Studio::here();
    // Paths are names in the text; the form has labels.
    let words = move |fault: &Fault| {
        if as_text { fault.to_string() } else { fault.labelled(SpecForm::SCHEMA).to_string() }
    };
    let shown = move || {
        let faults = studio.result.faults().into_iter();
        faults
            .filter(|f| as_text || !(studio.session.has_field(&f.path) || is_rule(&f.path)))
            .collect::<Vec<_>>()
    };
    view! {
        <div class="fault-summary" id="spec-faults" aria-live="polite">
            {move || {
                let faults = shown();
                (!faults.is_empty()).then(|| view! {
                    <p>{count(faults.len() as u64, "fault")}". Form and map show the last valid spec."</p>
                    <ul>{faults.iter().take(50).map(|f| view! { <li>{words(f)}</li> }).collect_view()}</ul>
                })
            }}
        </div>
    }
}

#[component]
fn Form() -> impl IntoView {
    view! {
        <Faults as_text=false/>
        <div class="form">
            <SpecField path="name" class="wide"/>
            <SpecField path="pes"/>
            <Groups/>
            <SpecField path="objective"/>
            <Switches/>
            <Prices/>
            <Rules/>
            <Patterns/>
        </div>
    }
}

#[component]
fn Groups() -> impl IntoView {
    let studio = Studio::here();
    let groups = Memo::new(move |_| studio.session.draft.with(|s| s.document().form.pe_group.len()));
    let fault = fault_at("pe_group");
    view! {
        {move || match groups.get() {
            0 => view! { <SpecField path="nis_per_pe"/> }.into_any(),
            n => view! {
                <fieldset class="list" id="spec-pe-group">
                    <legend>"Node groups"</legend>
                    {(0..n).map(|i| view! {
                        <div class="row">
                            <SpecField path=format!("pe_group[{i}].count")/>
                            <SpecField path=format!("pe_group[{i}].nis")/>
                            <button type="button" class="plain" aria-label=format!("Remove node group {}", i + 1)
                                on:click=move |_| studio.edit(Action::RemoveGroup(i))><Icon name="close"/></button>
                        </div>
                    }).collect_view()}
                    <p class="fault" hidden=move || fault.with(Option::is_none)>{move || fault.get()}</p>
                </fieldset>
            }.into_any(),
        }}
        <button type="button" class="link add" id="add-group" on:click=move |_| studio.edit(Action::AddGroup)>
            {move || if groups.get() == 0 { "Different NIC counts" } else { "Add a group" }}
        </button>
    }
}

#[component]
fn Switches() -> impl IntoView {
    let studio = Studio::here();
    let models = Memo::new(move |_| studio.session.draft.with(|s| s.document().form.switch.len()));
    let fault = fault_at("switch");
    let allowed = move |i: usize| {
        if studio.view.place.with(Place::is_hardware) {
            return "any".to_owned();
        }
        let counts = studio.result.resolved.with(|r| r.as_ref().ok().map(|s| s.switch_counts()));
        counts.and_then(|c| c.get(i).copied()).map(|n| grouped(u64::from(n))).unwrap_or_default()
    };
    view! {
        <fieldset class="list" id="spec-switch">
            <legend>"Switches"</legend>
            {move || (0..models.get()).map(|i| view! {
                <div class="row switch">
                    <SpecField path=format!("switch[{i}].ports")/>
                    <SpecField path=format!("switch[{i}].reserve")/>
                    <SpecField path=format!("switch[{i}].count") placeholder=Signal::derive(move || allowed(i))/>
                    <SpecField path=format!("switch[{i}].price")/>
                    <button type="button" class="plain" aria-label=format!("Remove switch model {}", i + 1)
                        prop:disabled=move || models.get() < 2
                        on:click=move |_| studio.edit(Action::RemoveSwitch(i))><Icon name="close"/></button>
                </div>
            }).collect_view()}
            <p class="fault" hidden=move || fault.with(Option::is_none)>{move || fault.get()}</p>
            <button type="button" class="link add" id="add-switch" on:click=move |_| studio.edit(Action::AddSwitch)>
                "Add a switch model"
            </button>
        </fieldset>
    }
}

#[component]
fn Prices() -> impl IntoView {
    view! {
        <div class="row pair">
            <SpecField path="ni_price"/>
            <SpecField path="cable_price"/>
        </div>
    }
}

/// The same document as text.
#[component]
fn Text() -> impl IntoView {
    let studio = Studio::here();
    let wrong = Signal::derive(move || studio.session.draft.with(|s| !s.document().unreadable.is_empty()));
    view! {
        <div class="field text" class:wrong=move || wrong.get()>
            <label for="spec-text">"Spec as TOML"</label>
            <textarea id="spec-text" spellcheck="false" rows="28" wrap="off"
                aria-invalid=move || pressed(wrong.get()) aria-describedby="spec-faults"
                prop:value=move || studio.session.text()
                on:input=move |event| studio.edit(Action::Text(event_target_value(&event)))></textarea>
        </div>
        <Faults as_text=true/>
    }
}

/// Reads a spec file from disk.
#[component]
fn OpenSpec() -> impl IntoView {
    let studio = Studio::here();
    let read = move |event: web_sys::Event| {
        let input: web_sys::HtmlInputElement = event_target(&event);
        let Some(file) = input.files().and_then(|f| f.get(0)) else { return };
        spawn_local(async move {
            match browser::read_file(&file, MAX_SPEC_BYTES).await {
                Ok(text) => studio.edit(Action::Text(text)),
                Err(reason) => studio.view.show_error(reason, Vec::new()),
            }
            input.set_value("");
        });
    };
    view! {
        <label class="button file" title="Open a spec file">
            <Icon name="open"/><span>"Open"</span>
            <input type="file" id="open-spec" accept=".toml,text/plain" aria-label="Open a spec file" on:change=read/>
        </label>
    }
}
