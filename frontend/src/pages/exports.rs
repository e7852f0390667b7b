//! Every file there is to have.

use super::{results::NoWiring, studio::Studio};
use crate::{
    api, browser,
    components::Icon,
    state::words::{count, short},
};
use leptos::{prelude::*, task::spawn_local};
use shared::{
    api::{ExportView, SpecAndTable},
    exports,
};
use web_sys::AbortController;

/// The formats, each with what it is for.
#[component]
pub fn Exports() -> impl IntoView {
    let studio = Studio::here();
    let formats: Vec<ExportView> = exports::formats().iter().map(ExportView::from).collect();
    let pe = RwSignal::new(String::from("0"));
    let has = Memo::new(move |_| studio.held.with(Option::is_some));
    view! {
        {move || if has.get() {
            let formats = formats.clone();
            view! {
                <div class="scroll" tabindex="0" role="region" aria-label="Export">
                <table class="data exports" id="export-table">
                    <thead><tr><th scope="col">"Format"</th><th scope="col">"What it is for"</th><th scope="col">"Download"</th></tr></thead>
                    <tbody>{formats.into_iter().map(|f| view! { <Line view=f pe=pe/> }).collect_view()}</tbody>
                </table>
                </div>
                <p class="hint">"The same bytes come from the command line, by "<code>"crosspoint export SPEC DESIGN --format NAME"</code>"."</p>
            }.into_any()
        } else {
            view! { <NoWiring what="Every file to build from"/> }.into_any()
        }}
    }
}

#[component]
fn Line(view: ExportView, pe: RwSignal<String>) -> impl IntoView {
    let studio = Studio::here();
    // Bytes that have come, while a file is being fetched.
    let fetched = RwSignal::new(None::<u64>);
    let fetching = move || fetched.with(Option::is_some);
    let stopper = StoredValue::new_local(None::<AbortController>);
    let name = view.name.clone();
    let get = move |of: Option<u32>| {
        let Some(held) = studio.held.get_untracked() else { return };
        let what = SpecAndTable { spec: held.spec_text.to_string(), table: held.table.to_string() };
        let format = name.clone();
        let Ok(controller) = AbortController::new() else { return };
        let stop = controller.signal();
        stopper.set_value(Some(controller));
        fetched.set(Some(0));
        spawn_local(async move {
            let progress = move |bytes| {
                let _ = fetched.try_set(Some(bytes));
            };
            match api::export(&format, of, &what, &stop, progress).await {
                Ok(Some(file)) => browser::download(&file.name, &file.blob),
                Ok(None) => {}
                Err(problem) => studio.problem(problem),
            }
            let _ = fetched.try_set(None);
        });
    };
    let all = get.clone();
    let pes = move || studio.held.with(|h| h.as_ref().map_or(0, |h| h.design.pes()));
    let chosen = move || pe.with(|p| p.trim().parse::<u32>().ok()).filter(|&p| p < pes());
    let id = view.name.clone();
    view! {
        <tr>
            <th scope="row"><code>{view.name.clone()}</code></th>
            <td class="purpose">{in_code(&view.purpose)}</td>
            <td><div class="actions">
                <button type="button" id=format!("export-{id}") prop:disabled=fetching on:click=move |_| all(None)>
                    <Icon name="download"/>
                    {move || if view.per_pe { format!("All {} as .tar", count(u64::from(pes()), "PE")) } else { "Download".into() }}
                </button>
                {view.per_pe.then(|| view! {
                    <span class="one-pe" hidden=fetching class:wrong=move || chosen().is_none()>
                        <label for=format!("export-pe-{id}")>"or PE"</label>
                        <input id=format!("export-pe-{id}") type="text" inputmode="numeric" prop:value=pe
                            aria-invalid=move || super::spec::pressed(chosen().is_none())
                            on:input=move |event| pe.set(event_target_value(&event))/>
                        <button type="button" id=format!("export-one-{id}") prop:disabled=move || chosen().is_none() || fetching()
                            on:click=move |_| if let Some(pe) = chosen() { get(Some(pe)) }>"Download"</button>
                        <span class="fault" hidden=move || chosen().is_some()>{move || format!("Expected 0 to {}.", pes().saturating_sub(1))}</span>
                    </span>
                })}
                <span class="one-pe" hidden=move || !fetching()>
                    <span role="status">{move || fetched.get().map(so_far)}</span>
                    <button type="button" id=format!("export-stop-{id}")
                        on:click=move |_| stopper.with_value(|s| if let Some(s) = s { s.abort() })>"Stop"</button>
                </span>
            </div></td>
        </tr>
    }
}

/// How much of a file has come.
fn so_far(bytes: u64) -> String {
    if bytes < 1000 { "being written".into() } else { format!("{}B so far", short(bytes as f64)) }
}

/// Words between backticks as code.
fn in_code(text: &str) -> impl IntoView + use<> {
    let parts = text.split('`').enumerate();
    parts
        .map(|(i, part)| match i % 2 {
            1 => view! { <code>{part.to_owned()}</code> }.into_any(),
            _ => part.to_owned().into_any(),
        })
        .collect_view()
}
