//! A dialog, the browser's own.

use super::icon::Icon;
use leptos::{html, prelude::*};

/// Shows its children on top of the page while `open` is true. Escape closes it.
#[component]
pub fn Dialog(
    /// Whether it is open.
    open: RwSignal<bool>,
    /// What it is called.
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
