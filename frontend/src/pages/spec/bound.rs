//! Inputs bound to the fields of the spec by their paths.

use crate::{
    components::{FieldView, field_id},
    state::draft::Action,
    studio::Studio,
};
use leptos::prelude::*;
use shared::{
    form::{Described, Fault, Form, message},
    spec::SpecForm,
};

/// The input of the field at a path, such as `switch[0].ports`.
#[component]
pub fn SpecField(
    /// The path.
    #[prop(into)]
    path: String,
    /// Words for an empty input, if they depend on other fields.
    #[prop(optional, into)]
    placeholder: Option<Signal<String>>,
    /// More classes.
    #[prop(optional)]
    class: &'static str,
) -> impl IntoView {
    let studio = Studio::here();
    let field = SpecForm::SCHEMA.field_at(&path).unwrap_or_else(|| panic!("no field {path}"));
    let (id, fault) = (field_id("spec", &path), fault_at(&path));
    let read = path.clone();
    let value = Signal::derive(move || text_at(studio, &read));
    let set = move |text| studio.edit(Action::Set { path: path.clone(), text });
    let placeholder = placeholder.unwrap_or_else(|| Signal::stored(field.placeholder().to_owned()));
    view! { <FieldView field=field id=id value=value on_input=set fault=fault placeholder=placeholder class=class/> }
}

/// The text of the field at a path.
pub fn text_at(studio: Studio, path: &str) -> String {
    studio.session.draft.with(|s| s.document().form.text_at(path).unwrap_or_default().to_owned())
}

/// Message beside the field at a path.
pub fn fault_at(path: &str) -> Signal<Option<String>> {
    let studio = Studio::here();
    let path = path.to_owned();
    Signal::derive(move || {
        let typed = text_at(studio, &path);
        let message = |faults: &Vec<Fault>| message(faults, &path, &typed);
        studio.result.resolved.with(|resolved| match resolved {
            Err(faults) => message(faults),
            Ok(_) => studio.result.demand_faults.with(message).or_else(|| refused(studio, &path)),
        })
    })
}

/// Message of a proof about the field at a path.
fn refused(studio: Studio, path: &str) -> Option<String> {
    studio.result.asked.with(|a| {
        let refusal = a.as_ref()?.refusal.as_ref()?;
        let fault = refusal.faults.iter().find(|f| f.path == path)?;
        Some(format!("Too little: {}.", fault.expected))
    })
}
