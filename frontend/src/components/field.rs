//! Labelled inputs, each with its unit and the fault of its value.

use super::controls::pressed;
use crate::{
    browser,
    state::{drawers::Drawer, library::id_in, mends},
};
use leptos::{prelude::*, task::spawn_local};
use shared::{
    form::{self, Described, Fault as FormFault, FieldKind, Mend, message},
    spec::SpecForm,
};

/// Frames in which a part of the form must have loaded for the focus to go there.
const MAX_FRAMES: u32 = 300;

/// The input of a field of a form. The field gives its label, unit, help and choices.
#[component]
pub fn FieldView(
    field: &'static form::Field,
    #[prop(into)] id: String,
    #[prop(into)] value: Signal<String>,
    on_input: impl Fn(String) + 'static,
    #[prop(into)] fault: Signal<Option<String>>,
    /// Words for an empty input, or the word of an empty choice, if they depend on other fields.
    #[prop(optional_no_strip)]
    placeholder: Option<Signal<String>>,
    #[prop(optional)] class: &'static str,
) -> AnyView {
    let form::Field { label, unit, kind, default, hint, help, .. } = *field;
    match kind {
        FieldKind::Choice(_) | FieldKind::Listed(_) => {
            let blank = default.is_empty().then_some(("", hint));
            let words = kind.choices().into_iter().map(|choice| (choice.word, choice.label));
            let options: Vec<_> = blank.into_iter().chain(words).collect();
            let empty = placeholder.unwrap_or_else(|| Signal::stored(default.to_owned()));
            let value = Signal::derive(move || {
                value.with(|v| if v.trim().is_empty() { empty.get() } else { v.clone() })
            });
            view! { <Choice id=id label=label value=value options=options on_choice=on_input fault=fault class=class help=help/> }
                .into_any()
        }
        FieldKind::Flag => {
            let described = described(&id, fault);
            view! {
                <div class="field check" class:wrong=move || fault.with(Option::is_some)>
                    <label for=id.clone() title=title(help)>
                        <input id=id.clone() type="checkbox" prop:checked=move || value.with(|v| v.trim() == "true")
                            aria-invalid=move || pressed(fault.with(Option::is_some)) aria-describedby=described
                            on:change=move |event| on_input(event_target_checked(&event).to_string())/>
                        {label}
                    </label>
                    {message_of(&id, label.to_owned(), fault)}
                </div>
            }
            .into_any()
        }
        FieldKind::Pairs | FieldKind::Lines => {
            let described = described(&id, fault);
            let input = view! {
                <textarea id=id.clone() rows="6" spellcheck="false" wrap="off" prop:value=value
                    aria-invalid=move || pressed(fault.with(Option::is_some)) aria-describedby=described
                    on:input=move |event| on_input(event_target_value(&event))></textarea>
            };
            frame(&id, "text", label.to_owned(), help, fault, input).into_any()
        }
        _ => {
            let mode = match kind {
                FieldKind::Whole { .. } => "numeric",
                FieldKind::Number { .. } => "decimal",
                _ => "text",
            };
            let placeholder = placeholder.unwrap_or_else(|| Signal::stored(field.placeholder().to_owned()));
            view! {
                <Field id=id label=label value=value on_input=on_input fault=fault unit=unit placeholder=placeholder
                    mode=mode class=class help=help/>
            }
            .into_any()
        }
    }
}

/// The input of a field of a form in a signal.
#[component]
pub fn FormField<F: Described + Send + Sync + 'static>(
    form: RwSignal<F>,
    /// Name of the form, the start of ids.
    name: &'static str,
    key: &'static str,
    #[prop(into)] faults: Signal<Vec<FormFault>>,
    /// Words for an empty input, or the word of an empty choice, if they depend on other fields.
    #[prop(optional, into)]
    placeholder: Option<Signal<String>>,
    #[prop(optional)] class: &'static str,
) -> impl IntoView {
    let value = Signal::derive(move || form.with(|form| form.get(key).unwrap_or_default().to_owned()));
    let fault = Signal::derive(move || faults.with(|faults| message(faults, key)));
    let set = move |text| {
        form.update(|form| {
            if let Some(place) = form.get_mut(key) {
                *place = text;
            }
        });
    };
    view! {
        <FieldView field=F::field(key) id=field_id(name, key) value=value on_input=set fault=fault placeholder=placeholder
            class=class/>
    }
}

/// A line of text or a number.
#[component]
pub fn Field(
    #[prop(into)] id: String,
    #[prop(into)] label: String,
    #[prop(into)] value: Signal<String>,
    on_input: impl Fn(String) + 'static,
    #[prop(into)] fault: Signal<Option<String>>,
    #[prop(optional)] unit: &'static str,
    #[prop(optional, into)] placeholder: Signal<String>,
    /// `numeric`, `decimal` or `text`.
    #[prop(default = "numeric")]
    mode: &'static str,
    #[prop(optional)] class: &'static str,
    #[prop(optional)] help: &'static str,
) -> impl IntoView {
    let described = described(&id, fault);
    let input = view! {
        <span class="entry">
            <input id=id.clone() type="text" inputmode=mode autocomplete="off" spellcheck="false" placeholder=placeholder prop:value=value
                aria-invalid=move || pressed(fault.with(Option::is_some)) aria-describedby=described
                on:input=move |event| on_input(event_target_value(&event))/>
            {(!unit.is_empty()).then(|| view! { <span class="unit">{unit}</span> })}
        </span>
    };
    frame(&id, class, label, help, fault, input)
}

/// Values to choose from, with their labels; they may change.
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
    #[prop(into)] id: String,
    #[prop(into)] label: String,
    #[prop(into)] value: Signal<String>,
    #[prop(into)] options: Options,
    on_choice: impl Fn(String) + 'static,
    #[prop(into)] fault: Signal<Option<String>>,
    #[prop(optional)] class: &'static str,
    #[prop(optional)] help: &'static str,
) -> impl IntoView {
    let Options(options) = options;
    // A word from a file that is none of the options is shown as it is.
    let stranger = move || {
        let word = value.get();
        options.with(|o| o.iter().all(|(known, _)| *known != word)).then_some(word)
    };
    let described = described(&id, fault);
    let input = view! {
        <span class="entry">
            <select id=id.clone() aria-invalid=move || pressed(fault.with(Option::is_some)) aria-describedby=described
                on:change=move |event| on_choice(event_target_value(&event))>
                {move || stranger().map(|word| view! { <option value=word.clone() selected=true>{word.clone()}</option> })}
                {move || options.get().into_iter().map(|(name, words)| {
                    let known = name.clone();
                    view! { <option value=name prop:selected=move || value.with(|v| *v == known)>{words}</option> }
                }).collect_view()}
            </select>
        </span>
    };
    frame(&id, class, label, help, fault, input)
}

/// A tooltip, if there is a text.
fn title(help: &'static str) -> Option<&'static str> {
    Some(help).filter(|help| !help.is_empty())
}

/// A field: label, input and message.
fn frame<V: IntoView>(
    id: &str,
    class: &str,
    label: String,
    help: &'static str,
    fault: Signal<Option<String>>,
    input: V,
) -> impl IntoView + use<V> {
    view! {
        <div class=format!("field {class}") class:wrong=move || fault.with(Option::is_some)>
            <label for=id.to_owned() title=title(help)>{label.clone()}</label>
            {input}
            {message_of(id, label, fault)}
        </div>
    }
}

/// The message of a field. The name is for rows whose messages do not stand right below their fields.
fn message_of(id: &str, name: String, fault: Signal<Option<String>>) -> impl IntoView + use<> {
    view! {
        <p class="fault" id=format!("{id}-fault") aria-live="polite" hidden=move || fault.with(Option::is_none)>
            <span class="fault-name">{name}": "</span>{move || fault.get()}
        </p>
    }
}

/// Id of the message of a field, while there is one.
fn described(id: &str, fault: Signal<Option<String>>) -> impl Fn() -> Option<String> + Clone + use<> {
    let message = format!("{id}-fault");
    move || fault.with(Option::is_some).then(|| message.clone())
}

/// A link to each field with a fault.
#[component]
pub fn FaultLinks(
    /// Paths of the fields, such as `switch[0].ports`, and their places in the form, as for [`field_id`].
    #[prop(into)]
    fields: Signal<Vec<(String, String)>>,
) -> impl IntoView {
    view! {
        <ul class="fault-links">
            {move || fields.get().into_iter().map(|(path, place)| {
                let id = field_id("spec", &place);
                view! { <li><button type="button" class="link" on:click={let path = path.clone(); move |_| reach(&path, id.clone())}>{SpecForm::SCHEMA.label(&path)}</button></li> }
            }).collect_view()}
        </ul>
    }
}

/// Buttons with values that mend a fault.
#[component]
pub fn Mends(
    /// Name of the group.
    label: String,
    mends: Vec<Mend>,
    on_mend: impl Fn(Mend) + Copy + 'static,
) -> impl IntoView {
    let button = move |mend: Mend| {
        let (words, title) =
            (mends::words(&mend), format!("{}: {}", SpecForm::SCHEMA.label(&mend.path), mend.text));
        view! { <button type="button" title=title on:click=move |_| on_mend(mend.clone())>{words}</button> }
    };
    (!mends.is_empty())
        .then(|| view! { <div class="mends" role="group" aria-label=label>{mends.into_iter().map(button).collect_view()}</div> })
}

/// Focuses a field, also one inside a folded pattern or in a part of the form that is not open.
fn reach(path: &str, id: String) {
    let drawer = Drawer::of(path).filter(|_| browser::element(&id).is_none());
    if let Some(button) = drawer.and_then(|drawer| browser::element(drawer.button())) {
        button.click();
    }
    spawn_local(async move {
        for _ in 0..MAX_FRAMES {
            if let Some(field) = browser::element(&id) {
                if let Some(folded) = field.closest("details").ok().flatten() {
                    // If it cannot be unfolded, the focus still goes there.
                    let _ = folded.set_attribute("open", "");
                }
                return browser::focus(&id);
            }
            browser::next_frame().await;
        }
    });
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
        assert_eq!(field_id("spec", "nics_per_node"), "spec-nics-per-node");
        assert_eq!(field_id("price", "box[2].price"), "price-box-2-price");
    }
}

/// A form for the pasted link of a design or run.
#[component]
pub fn ItemForm(
    id: &'static str,
    label: &'static str,
    /// Words of the button.
    verb: &'static str,
    /// Called with the id in the link.
    on_item: impl Fn(String) + 'static,
) -> impl IntoView {
    let typed = RwSignal::new(String::new());
    let wrong = RwSignal::new(false);
    let submit = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        let item = typed.with_untracked(|link| id_in(link));
        wrong.set(item.is_none());
        if let Some(item) = item {
            typed.set(String::new());
            on_item(item);
        }
    };
    let about = format!("{id}-fault");
    view! {
        <form class="tools" on:submit=submit>
            <div class="field" class:wrong=wrong>
                <label for=id>{label}</label>
                <span class="entry">
                    <input id=id type="text" autocomplete="off" spellcheck="false" prop:value=typed aria-describedby=about.clone()
                        aria-invalid=move || pressed(wrong.get()) on:input=move |event| typed.set(event_target_value(&event))/>
                    <button type="submit" prop:disabled=move || typed.with(|link| link.trim().is_empty())>{verb}</button>
                </span>
                <p class="fault" role="alert" id=about hidden=move || !wrong.get()>"Paste a link that contains /d/ or /r/ and an id."</p>
            </div>
        </form>
    }
}
