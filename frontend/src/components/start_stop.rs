//! The button that starts something long, and stops it while it runs.

use super::icon::Icon;
use leptos::prelude::*;

/// One button for both, so that the keyboard's focus stays on it.
#[component]
pub fn StartStop(
    /// Its ids: while it starts, and while it stops.
    ids: (&'static str, &'static str),
    /// Whether there is something to stop.
    #[prop(into)]
    live: Signal<bool>,
    /// Whether nothing can be started; why stands in the element that `reason` names.
    #[prop(into)]
    barred: Signal<bool>,
    /// The id of the element that tells why nothing can be started.
    reason: &'static str,
    /// Whether it was asked to stop already, or cannot be.
    #[prop(into)]
    stopping: Signal<bool>,
    /// Starts.
    on_start: impl Fn() + 'static,
    /// Stops.
    on_stop: impl Fn() + 'static,
) -> impl IntoView {
    view! {
        <button type="button" class="primary" id=move || if live.get() { ids.1 } else { ids.0 }
            prop:disabled=move || !live.get() && barred.get()
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
