//! Inputs that are bound to the fields of the spec, by their paths.

use crate::{
    components::{Choice, Field, field_id, pressed},
    state::{draft::Action, words::grouped},
    studio::Studio,
};
use leptos::prelude::*;
use shared::{form::Form, spec::Fault};

/// A field of the form, bound to its path.
#[component]
pub fn SpecField(
    /// As in `switch[0].ports`.
    #[prop(into)]
    path: String,
    /// What it is called.
    label: &'static str,
    /// Behind the input.
    #[prop(optional)]
    unit: &'static str,
    /// What holds while it is empty.
    #[prop(optional, into)]
    placeholder: Signal<String>,
    /// `numeric`, `decimal` or `text`.
    #[prop(default = "numeric")]
    mode: &'static str,
    /// More classes.
    #[prop(optional)]
    class: &'static str,
) -> impl IntoView {
    let studio = Studio::here();
    let fault = fault_at(&path);
    let id = field_id("spec", &path);
    let read = path.clone();
    let value = Signal::derive(move || text_at(studio, &read));
    let set = move |text| studio.edit(Action::Set { path: path.clone(), text });
    view! { <Field id=id label=label value=value on_input=set fault=fault unit=unit placeholder=placeholder mode=mode class=class/> }
}

/// A choice of the form, bound to its path. An empty field shows the default.
#[component]
pub fn SpecChoice(
    /// As in `pattern[0].neighbours`.
    #[prop(into)]
    path: String,
    /// What it is called.
    label: &'static str,
    /// Values with what they are called.
    options: Vec<(&'static str, &'static str)>,
    /// What holds while the field is empty.
    default: &'static str,
) -> impl IntoView {
    let studio = Studio::here();
    let fault = fault_at(&path);
    let id = field_id("spec", &path);
    let read = path.clone();
    let value = Signal::derive(move || match text_at(studio, &read) {
        text if text.trim().is_empty() => default.into(),
        text => text,
    });
    let set = move |text| studio.edit(Action::Set { path: path.clone(), text });
    view! { <Choice id=id label=label value=value options=options on_choice=set fault=fault/> }
}

/// Several lines of the form, bound to their path.
#[component]
pub fn SpecText(
    /// As in `pattern[0].pairs`.
    #[prop(into)]
    path: String,
    /// What they are called.
    label: &'static str,
    /// Lines that are seen at once.
    rows: &'static str,
) -> impl IntoView {
    let studio = Studio::here();
    let fault = fault_at(&path);
    let id = field_id("spec", &path);
    let message = format!("{id}-fault");
    let (labelled, described) = (id.clone(), message.clone());
    let read = path.clone();
    view! {
        <div class="field text" class:wrong=move || fault.with(Option::is_some)>
            <label for=labelled>{label}</label>
            <textarea id=id rows=rows spellcheck="false" wrap="off" prop:value=move || text_at(studio, &read)
                aria-invalid=move || pressed(fault.with(Option::is_some))
                aria-describedby=move || fault.with(Option::is_some).then(|| described.clone())
                on:input=move |event| studio.edit(Action::Set { path: path.clone(), text: event_target_value(&event) })></textarea>
            <p class="fault" id=message aria-live="polite" hidden=move || fault.with(Option::is_none)>{move || fault.get()}</p>
        </div>
    }
}

/// The text of the field at a path.
pub fn text_at(studio: Studio, path: &str) -> String {
    studio.session.draft.with(|s| s.document().form.text_at(path).unwrap_or_default().to_owned())
}

/// A signal of what would be accepted at a path, if what stands there is not.
pub fn fault_at(path: &str) -> Signal<Option<String>> {
    let studio = Studio::here();
    let path = path.to_owned();
    Signal::derive(move || {
        let told = |faults: &[Fault]| at_path(faults, &path);
        studio.result.resolved.with(|r| match r {
            Err(faults) => told(faults),
            Ok(_) => {
                studio.result.demand_faults.with(|faults| told(faults)).or_else(|| refused(studio, &path))
            }
        })
    })
}

/// Most faults of one field that are told; a table may have one in each line.
const MOST_AT_FIELD: usize = 4;

/// What is wrong at a path, in words.
fn at_path(faults: &[Fault], path: &str) -> Option<String> {
    let own: Vec<&Fault> = faults.iter().filter(|f| f.path == path).collect();
    match own[..] {
        [] => None,
        [only] if !only.value.contains("(line ") => Some(format!("Expected {}.", only.expected)),
        _ => {
            let more = own.len().saturating_sub(MOST_AT_FIELD) as u64;
            let lines =
                own.iter().take(MOST_AT_FIELD).map(|f| format!("{}: expected {}.", f.value, f.expected));
            let more = (more > 0).then(|| format!("And {} more.", grouped(more)));
            Some(lines.chain(more).collect::<Vec<_>>().join(" "))
        }
    }
}

/// What a proof says about the field at a path.
fn refused(studio: Studio, path: &str) -> Option<String> {
    studio.result.asked.with(|a| {
        let refusal = a.as_ref()?.refusal.as_ref()?;
        let fault = refusal.faults.iter().find(|f| f.path == path)?;
        Some(format!("Too little: {}.", fault.expected))
    })
}
