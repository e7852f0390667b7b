//! Faults as links to their fields.

use super::field_id;
use crate::browser;
use leptos::prelude::*;

/// A link to each field with a fault.
#[component]
pub fn FaultLinks(
    /// Paths of the fields, such as `switch[0].ports`.
    #[prop(into)]
    paths: Signal<Vec<String>>,
) -> impl IntoView {
    view! {
        <ul class="fault-links">
            {move || paths.get().into_iter().map(|path| {
                let id = field_id("spec", &path);
                view! { <li><button type="button" class="link" on:click=move |_| reach(&id)>{path}</button></li> }
            }).collect_view()}
        </ul>
    }
}

/// Focuses a field, also one inside a folded pattern.
fn reach(id: &str) {
    if let Some(folded) = browser::element(id).and_then(|e| e.closest("details").ok().flatten()) {
        // An error means that it cannot be unfolded; the focus still goes there.
        let _ = folded.set_attribute("open", "");
    }
    browser::focus(id);
}
