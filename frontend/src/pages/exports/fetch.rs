//! A button that fetches files from the server, tells how much has come, and stops on request.

use crate::{
    api, browser,
    components::Icon,
    state::words::{problem_words, short},
    studio::Studio,
};
use leptos::{prelude::*, task::spawn_local};
use shared::{api::ExportRequest, exports::Format};
use web_sys::AbortController;

/// Fetches one format, several or all, with the settings that are chosen for them.
#[component]
pub fn Fetch(
    /// The button's id; that of the one that stops has `-stop` behind it.
    #[prop(into)]
    id: String,
    /// Label of the button.
    words: Signal<String>,
    /// The formats as the server takes them: a name, names with commas between them, or `all`.
    name: Signal<String>,
    /// The formats, for their settings.
    formats: Signal<Vec<&'static Format>>,
    /// The PE whose files are wanted; none for all.
    #[prop(optional, into)]
    pe: Signal<Option<u32>>,
    /// `true` if there is nothing to fetch.
    #[prop(optional, into)]
    blocked: Signal<bool>,
) -> impl IntoView {
    let studio = Studio::here();
    // Bytes that have come, while a file is being fetched.
    let fetched = RwSignal::new(None::<u64>);
    let fetching = move || fetched.with(Option::is_some);
    let failed = RwSignal::new(None::<String>);
    let stopper = StoredValue::new_local(None::<AbortController>);
    let get = move |_| {
        let (Some(held), Ok(controller)) = (studio.result.held.get_untracked(), AbortController::new())
        else {
            return;
        };
        let with = studio.session.choices.with_untracked(|c| c.of_any(&formats.get_untracked()));
        let what = ExportRequest { spec: held.spec_text.to_string(), table: held.table.to_string(), with };
        let (name, pe, stop) = (name.get_untracked(), pe.get_untracked(), controller.signal());
        stopper.set_value(Some(controller));
        fetched.set(Some(0));
        failed.set(None);
        spawn_local(async move {
            let progress = move |bytes| {
                let _ = fetched.try_set(Some(bytes));
            };
            match api::export(&name, pe, &what, &stop, progress).await {
                Ok(Some(file)) => browser::download(&file.name, &file.blob),
                Ok(None) => {}
                Err(problem) => {
                    let _ = failed.try_set(Some(problem_words(&problem)));
                }
            }
            let _ = fetched.try_set(None);
        });
    };
    let stop = format!("{id}-stop");
    view! {
        <span class="fetch">
            <button type="button" id=id prop:disabled=move || blocked.get() || fetching() on:click=get><Icon name="download"/>{words}</button>
            <span class="so-far" hidden=move || !fetching()>
                <span role="status">{move || fetched.get().map(so_far)}</span>
                <button type="button" id=stop on:click=move |_| stopper.with_value(|s| if let Some(s) = s { s.abort() })>"Stop"</button>
            </span>
            <span class="fault" role="alert" hidden=move || failed.with(Option::is_none)>{move || failed.get()}</span>
        </span>
    }
}

/// Received bytes in words.
fn so_far(bytes: u64) -> String {
    if bytes < 1000 { "Writing".into() } else { format!("{}B so far", short(bytes as f64)) }
}
