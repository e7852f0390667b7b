//! Fields for the settings of a format.

use crate::{
    components::{Choice, Field},
    state::choices::{Refused, sentence},
    studio::Studio,
};
use leptos::prelude::*;
use shared::exports::{Format, Setting};

/// A field for each setting of the format. All formats with a setting share its text.
#[component]
pub fn Fields(
    /// The format.
    format: &'static Format,
    /// Reason why its file cannot be written, if any.
    refused: Signal<Option<Refused>>,
) -> impl IntoView {
    format.settings().map(|setting| one(format.name, setting, refused)).collect_view()
}

fn one(format: &'static str, setting: &'static Setting, refused: Signal<Option<Refused>>) -> impl IntoView {
    let (studio, spec) = (Studio::here(), &setting.field);
    let id = format!("with-{format}-{}", spec.key);
    let fault = Signal::derive(move || {
        let typed = studio.session.choices.with(|c| c.fault(setting));
        typed.or_else(|| refused.with(|r| r.as_ref().and_then(|r| r.of(setting))))
    });
    let take = move |text: String| studio.session.choices.update(|c| c.set(setting, text));
    let text = Signal::derive(move || studio.session.choices.with(|c| c.text(spec.key)));
    let words = spec.kind.choices();
    let field = if words.is_empty() {
        view! { <Field id=id label=spec.label value=text on_input=take fault=fault mode="text" placeholder=Signal::derive(move || spec.placeholder().to_owned())/> }
            .into_any()
    } else {
        let mut options: Vec<_> = words.iter().map(|choice| (choice.word, choice.label)).collect();
        if spec.default.is_empty() {
            options.insert(0, ("", "default"));
        }
        let value = Signal::derive(move || {
            let text = text.get();
            if text.is_empty() { spec.default.to_owned() } else { text }
        });
        let take = move |text: String| take(if text == spec.default { String::new() } else { text });
        view! { <Choice id=id label=spec.label value=value options=options on_choice=take fault=fault/> }
            .into_any()
    };
    view! { <div class="setting">{field}<p class="hint">{sentence(spec.help)}</p></div> }
}
