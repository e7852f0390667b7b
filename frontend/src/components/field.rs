//! A labelled input with its unit and, beside it, what is wrong with it.

use leptos::prelude::*;

/// A line of text or a number.
#[component]
pub fn Field(
    /// Its id, unique on the page.
    #[prop(into)]
    id: String,
    /// What it is called.
    #[prop(into)]
    label: String,
    /// The text in it.
    #[prop(into)]
    value: Signal<String>,
    /// Takes what is typed.
    on_input: impl Fn(String) + 'static,
    /// What would be accepted, if what is in it is not.
    #[prop(into)]
    fault: Signal<Option<String>>,
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
    let message = format!("{id}-fault");
    let described = message.clone();
    let name = label.clone();
    view! {
        <div class=format!("field {class}") class:wrong=move || fault.with(Option::is_some)>
            <label for=id.clone()>{label}</label>
            <span class="entry">
                <input
                    id=id
                    type="text"
                    inputmode=mode
                    autocomplete="off"
                    spellcheck="false"
                    placeholder=placeholder
                    prop:value=value
                    aria-invalid=move || if fault.with(Option::is_some) { "true" } else { "false" }
                    aria-describedby=move || fault.with(Option::is_some).then(|| described.clone())
                    on:input=move |event| on_input(event_target_value(&event))
                />
                {(!unit.is_empty()).then(|| view! { <span class="unit">{unit}</span> })}
            </span>
            <Fault id=message name=name fault=fault/>
        </div>
    }
}

/// Values to choose from, with what they are called; they may change.
#[derive(Clone, Copy)]
pub struct Options(Signal<Vec<(String, String)>>);

impl From<Vec<(&'static str, &'static str)>> for Options {
    fn from(options: Vec<(&'static str, &'static str)>) -> Options {
        let owned = |(value, words): &(&str, &str)| (String::from(*value), String::from(*words));
        Options(Signal::stored(options.iter().map(owned).collect()))
    }
}

impl From<Memo<Vec<(String, String)>>> for Options {
    fn from(options: Memo<Vec<(String, String)>>) -> Options {
        Options(options.into())
    }
}

/// One of a few words.
#[component]
pub fn Choice(
    /// Its id, unique on the page.
    #[prop(into)]
    id: String,
    /// What it is called.
    #[prop(into)]
    label: String,
    /// The chosen value.
    #[prop(into)]
    value: Signal<String>,
    /// Values with what they are called.
    #[prop(into)]
    options: Options,
    /// Takes the chosen value.
    on_choice: impl Fn(String) + 'static,
    /// What would be accepted, if what is chosen is not.
    #[prop(into)]
    fault: Signal<Option<String>>,
    /// More classes.
    #[prop(optional)]
    class: &'static str,
) -> impl IntoView {
    let message = format!("{id}-fault");
    let described = message.clone();
    let name = label.clone();
    let Options(options) = options;
    // A word that is none of the options, as a file may have it, is shown as it is.
    let stranger = move || {
        let word = value.get();
        options.with(|o| o.iter().all(|(known, _)| *known != word)).then_some(word)
    };
    view! {
        <div class=format!("field {class}") class:wrong=move || fault.with(Option::is_some)>
            <label for=id.clone()>{label}</label>
            <span class="entry">
                <select
                    id=id
                    aria-invalid=move || if fault.with(Option::is_some) { "true" } else { "false" }
                    aria-describedby=move || fault.with(Option::is_some).then(|| described.clone())
                    on:change=move |event| on_choice(event_target_value(&event))
                >
                    {move || stranger().map(|word| view! { <option value=word.clone() selected=true>{word.clone()}</option> })}
                    {move || options.get().into_iter().map(|(name, words)| {
                        let known = name.clone();
                        view! { <option value=name prop:selected=move || value.with(|v| *v == known)>{words}</option> }
                    }).collect_view()}
                </select>
            </span>
            <Fault id=message name=name fault=fault/>
        </div>
    }
}

/// What is wrong. The name is for rows whose messages do not stand right below their fields.
#[component]
fn Fault(id: String, name: String, fault: Signal<Option<String>>) -> impl IntoView {
    view! {
        <p class="fault" id=id aria-live="polite" hidden=move || fault.with(Option::is_none)>
            <span class="fault-name">{name}": "</span>{move || fault.get()}
        </p>
    }
}

/// A path as the id of an element: `switch[0].ports` in the form `spec` gives `spec-switch-0-ports`.
pub fn field_id(form: &str, path: &str) -> String {
    let words = path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.fold(form.to_owned(), |id, word| id + "-" + word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_plain_words() {
        assert_eq!(field_id("spec", "switch[0].ports"), "spec-switch-0-ports");
        assert_eq!(field_id("spec", "nis_per_pe"), "spec-nis-per-pe");
        assert_eq!(field_id("price", "box[2].price"), "price-box-2-price");
    }
}
