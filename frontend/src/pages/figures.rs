//! The figures of the design, each with explanation and source.

use crate::{components::cited, studio::Studio};
use leptos::prelude::*;
use shared::analysis::figures::FigureRow;

/// All figures.
#[component]
pub fn FigureTable() -> impl IntoView {
    let studio = Studio::here();
    view! {
        {move || match studio.result.figures.get() {
            None => view! { <p class="empty" role="status">"Computing the figures …"</p> }.into_any(),
            Some(rows) => view! {
                <div class="scroll" tabindex="0" role="region" aria-label="Table of figures">
                <table class="data figures" id="figures-table">
                    <thead><tr><th scope="col">"Figure"</th><th scope="col" class="number">"Value"</th><th scope="col">"Unit"</th></tr></thead>
                    <tbody>{rows.iter().map(line).collect_view()}</tbody>
                </table>
                </div>
            }.into_any(),
        }}
    }
}

fn line(row: &FigureRow) -> impl IntoView + use<> {
    let shown = Studio::here().view;
    let source = cited(&row.source, move || shown.read("references"));
    let source = (!row.source.is_empty()).then(|| view! { "Source: "{source}"." });
    view! {
        <tr id=format!("figure-{}", row.key)>
            <th scope="row">
                <details><summary>{row.title.clone()}</summary><p>{row.explanation.clone()}" "<cite>{source}</cite></p></details>
            </th>
            <td class="number">{row.value.clone()}</td>
            <td>{row.unit.clone()}</td>
        </tr>
    }
}
