//! The settings of a format as fields, made from the list of settings.

use crate::{
    components::{Choice, Field},
    state::choices::{Refused, option_words, sentence, title},
    studio::Studio,
};
use leptos::prelude::*;
use shared::exports::{Format, Setting};

/// A field for each setting that the format heeds. What is typed holds for all formats that heed the same.
#[component]
pub fn Fields(
    /// The format.
    format: &'static Format,
    /// Why its file cannot be made, if it cannot.
    refused: Signal<Option<Refused>>,
) -> impl IntoView {
    format.settings().map(|setting| one(format.name, setting, refused)).collect_view()
}

fn one(format: &'static str, setting: &'static Setting, refused: Signal<Option<Refused>>) -> impl IntoView {
    let studio = Studio::here();
    let id = format!("with-{format}-{}", setting.name);
    let fault = Signal::derive(move || {
        let typed = studio.session.choices.with(|c| c.fault(setting));
        typed.or_else(|| refused.with(|r| r.as_ref().and_then(|r| r.of(setting))))
    });
    let take = move |text: String| studio.session.choices.update(|c| c.set(setting, text));
    let text = Signal::derive(move || studio.session.choices.with(|c| c.text(setting.name)));
    let words = setting.choices();
    let field = if words.is_empty() {
        view! { <Field id=id label=title(setting) value=text on_input=take fault=fault mode="text" placeholder=Signal::derive(move || setting.default.to_owned())/> }
            .into_any()
    } else {
        // Without a default there is a word for that nothing is chosen.
        let mut options: Vec<(&'static str, &'static str)> =
            words.into_iter().map(|word| (word, option_words(setting, word))).collect();
        if setting.default.is_empty() {
            options.insert(0, ("", "not chosen"));
        }
        let value = Signal::derive(move || {
            let text = text.get();
            if text.is_empty() { setting.default.to_owned() } else { text }
        });
        let take = move |text: String| take(if text == setting.default { String::new() } else { text });
        view! { <Choice id=id label=title(setting) value=value options=options on_choice=take fault=fault/> }
            .into_any()
    };
    view! { <div class="setting">{field}<p class="hint">{sentence(setting.purpose)}</p></div> }
}
