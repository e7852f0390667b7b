//! Inputs that are bound to the fields of the spec, by their paths.

use super::{fault_at, pressed};
use crate::{
    components::{Choice, Field},
    pages::studio::Studio,
    state::{field, session::Action},
};
use leptos::prelude::*;

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
    let id = field::id(&path);
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
    let id = field::id(&path);
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
    let id = field::id(&path);
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
    studio.session.with(|s| field::get(&s.document().form, path).unwrap_or_default().to_owned())
}
