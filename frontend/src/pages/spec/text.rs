//! The spec as text: an editor with a mark at each line that has a fault.

use crate::{
    components::pressed,
    state::{
        draft::Action,
        lines::{self, Mark},
        words::count,
    },
    studio::Studio,
};
use leptos::{html, prelude::*};

/// Max number of faults that are listed.
const MAX_FAULTS: usize = 50;
/// Height of a line in pixels, as in the styles.
const LINE: i32 = 16;
/// Lines that stay in sight above the one with the cursor.
const ABOVE: i32 = 4;

/// The spec as TOML.
#[component]
pub fn SpecText() -> impl IntoView {
    let studio = Studio::here();
    let area = NodeRef::<html::Textarea>::new();
    let scrolled = RwSignal::new(0);
    let is_wrong = Memo::new(move |_| studio.session.draft.with(|s| !s.document().unreadable.is_empty()));
    let faults = Memo::new(move |_| studio.result.faults());
    let marks = Memo::new(move |_| {
        let first: Vec<_> = faults.get().into_iter().take(MAX_FAULTS).collect();
        studio.session.draft.with(|s| lines::marks(&s.document().text, &first))
    });
    let go = move |line: usize| {
        let Some(area) = area.get_untracked() else { return };
        let (start, end) = lines::span(&area.value(), line);
        let _ = area.focus();
        let _ = area.set_selection_range(start, end);
        area.set_scroll_top((line as i32 - 1 - ABOVE).max(0) * LINE);
    };
    let mark = move |Mark { line, words }: Mark| {
        view! {
            <button type="button" class="mark" tabindex="-1" style:top=format!("{}px", (line as i32 - 1) * LINE) title=words
                aria-label=format!("Go to line {line}") on:click=move |_| go(line)>{line}</button>
        }
    };
    let entry = move |Mark { line, words }: Mark| {
        view! { <li><button type="button" class="link" on:click=move |_| go(line)>{format!("Line {line}")}</button>" "{words}</li> }
    };
    view! {
        <div class="field text" class:wrong=is_wrong>
            <label for="spec-text">"Spec as TOML"</label>
            <div class="editor">
                <div class="gutter" aria-hidden="true">
                    <div style:transform=move || format!("translateY(-{}px)", scrolled.get())>{move || marks.get().into_iter().map(mark).collect_view()}</div>
                </div>
                <textarea id="spec-text" node_ref=area spellcheck="false" wrap="off"
                    aria-invalid=move || pressed(is_wrong.get()) aria-describedby="spec-faults"
                    prop:value=move || studio.session.text() on:scroll=move |event| scrolled.set(event_target::<web_sys::Element>(&event).scroll_top())
                    on:input=move |event| studio.edit(Action::Text(event_target_value(&event)))></textarea>
            </div>
        </div>
        <div class="fault-summary" id="spec-faults" aria-live="polite">
            {move || {
                let all = faults.with(Vec::len) as u64;
                (all > 0).then(|| view! {
                    <p>{count(all, "fault")}". Form and map show the last valid spec."</p>
                    <ul>{marks.get().into_iter().map(entry).collect_view()}</ul>
                })
            }}
        </div>
    }
}
