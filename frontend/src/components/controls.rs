//! Small controls: icons, buttons, dialogs.

use super::plots::Ink;
use leptos::{html, prelude::*};

macro_rules! icons {
    ($($name:literal)*) => {
        fn drawing(name: &str) -> &'static str {
            match name {
                $($name => include_str!(concat!("../../../assets/icons/", $name, ".svg")),)*
                _ => "",
            }
        }
    };
}

icons!("add" "close" "copy" "dark" "download" "export" "fit" "fork" "light" "lower" "open" "play" "print" "redo" "share" "stop" "system" "undo" "upper" "zoom-in" "zoom-out");

/// An icon in the colour of the text around it. It is hidden from screen readers.
#[component]
pub fn Icon(
    /// Its file name without the extension.
    #[prop(into)]
    name: Signal<&'static str>,
) -> impl IntoView {
    view! { <span class="icon" aria-hidden="true" inner_html=move || drawing(name.get())></span> }
}

/// `true` or `false`, as attributes take it.
pub fn pressed(yes: bool) -> &'static str {
    if yes { "true" } else { "false" }
}

/// Start and stop in one button, so that the keyboard's focus stays on it.
#[component]
pub fn StartStop(
    /// Its ids: for start and for stop.
    ids: (&'static str, &'static str),
    /// `true` if there is something to stop.
    #[prop(into)]
    live: Signal<bool>,
    /// `true` if nothing can be started.
    #[prop(into)]
    blocked: Signal<bool>,
    /// Id of the element with the reason why nothing can be started.
    reason: &'static str,
    /// `true` if stopping was requested already or is not possible.
    #[prop(into)]
    stopping: Signal<bool>,
    /// Starts.
    on_start: impl Fn() + 'static,
    /// Stops.
    on_stop: impl Fn() + 'static,
) -> impl IntoView {
    view! {
        <button type="button" class="primary" id=move || if live.get() { ids.1 } else { ids.0 }
            prop:disabled=move || !live.get() && blocked.get()
            aria-disabled=move || (live.get() && stopping.get()).then_some("true")
            aria-describedby=move || (!live.get()).then_some(reason)
            on:click=move |_| if live.get_untracked() { on_stop() } else { on_start() }>
            {move || if live.get() {
                view! { <Icon name="stop"/>"Stop" }.into_any()
            } else {
                view! { <Icon name="play"/>"Start" }.into_any()
            }}
        </button>
    }
}

/// Shows its children on top of the page while `open` is true. Escape closes it.
#[component]
pub fn Dialog(
    /// `true` while it is open.
    open: RwSignal<bool>,
    /// Its title.
    title: &'static str,
    /// Its id.
    id: &'static str,
    children: Children,
) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        match (open.get(), dialog.open()) {
            (true, false) => {
                let _ = dialog.show_modal();
            }
            (false, true) => dialog.close(),
            _ => {}
        }
    });
    let heading = format!("{id}-title");
    let named = heading.clone();
    view! {
        <dialog id=id node_ref=dialog aria-labelledby=named on:close=move |_| open.set(false)>
            <header>
                <h2 id=heading>{title}</h2>
                <button type="button" class="plain" aria-label="Close" on:click=move |_| open.set(false)>
                    <Icon name="close"/>
                </button>
            </header>
            {children()}
        </dialog>
    }
}

/// A piece of a numbered line, in the line's colour. It is hidden from screen readers.
#[component]
pub fn Swatch(
    /// The line's number, from 1 on.
    number: u32,
    /// `true` if the page is dark.
    #[prop(into)]
    dark: Signal<bool>,
) -> impl IntoView {
    let colour = move || {
        let plotters::style::RGBColor(red, green, blue) = Ink::of(dark.get()).line(number);
        format!("#{red:02x}{green:02x}{blue:02x}")
    };
    view! {
        <svg class="swatch" viewBox="0 0 24 16" width="24" height="16" aria-hidden="true">
            <path d="M1 8h22" stroke=colour stroke-width="3"/>
            <circle cx="12" cy="8" r="4" fill=colour/>
        </svg>
    }
}
