//! Two designs or runs side by side: figures, and the work list of the cables to move.

use crate::{
    api,
    components::Icon,
    state::{
        library::{address, conclusion, difference, headings},
        place::Place,
        words::{count, grouped, moment, problem_words},
    },
    studio::navigate::Navigator,
    work::latest,
};
use leptos::prelude::*;
use shared::api::{DifferenceView, SideView, WorkKind};

/// The whole page.
#[component]
pub fn Difference(a: String, b: String) -> impl IntoView {
    let navigator = Navigator::here();
    let swapped = Place::Difference(b.clone(), a.clone());
    let map = api::difference_map_address(&a, &b);
    let files = [("txt", "Work list as text"), ("csv", "Work list as CSV")]
        .map(|(ending, words)| (api::recabling_address(&a, &b, ending), words));
    let answer = latest(move |turn| {
        let stop = turn.abort_signal()?;
        let (a, b) = (a.clone(), b.clone());
        Some(async move { api::difference(&a, &b, &stop).await.transpose() })
    });
    let found = move || answer.found.get().flatten();
    view! {
        <section class="library" id="difference" aria-labelledby="difference-title">
            <div class="heading">
                <h2 id="difference-title">"Two designs"</h2>
                <p class="hint">"From the first to the second. Nodes keep their numbers."</p>
            </div>
            {move || match found() {
                None => view! { <p class="empty" role="status">"Comparing …"</p> }.into_any(),
                Some(Err(problem)) => view! {
                    <p class="fault" role="alert" id="difference-problem">{problem_words(&problem)}</p>
                    <p><a href="/library">"Choose from the library"</a></p>
                }.into_any(),
                Some(Ok(view)) => {
                    let swapped = swapped.clone();
                    view! {
                        <p class="conclusion" id="difference-conclusion">{conclusion(&view)}</p>
                        <Figures view=view.clone()/>
                        {view.has_map.then(|| view! { <Map address=map.clone()/> })}
                        <h3>"Work list"</h3>
                        <p id="recabling">{summary(&view)}</p>
                        <div class="tools">
                            {files.clone().map(|(address, words)| view! {
                                <a class="button" href=address download="">{words}</a>
                            }).collect_view()}
                            <button type="button" id="swap" on:click=move |_| navigator.go(swapped.clone())>"Swap both"</button>
                        </div>
                        <Steps view=view/>
                    }.into_any()
                }
            }}
        </section>
    }
}

/// The cables to move, in a sentence.
fn summary(view: &DifferenceView) -> String {
    let changed = view.moved + view.added + view.removed;
    match changed {
        0 => format!("No cable moves; {} stay.", grouped(view.kept)),
        _ => format!(
            "{} to move, {} to add, {} to remove. {} stay.",
            count(view.moved, "cable"),
            grouped(view.added),
            grouped(view.removed),
            grouped(view.kept)
        ),
    }
}

#[component]
fn Figures(view: DifferenceView) -> impl IntoView {
    let names = headings(&view);
    let head = |(side, name): (&SideView, String)| {
        let kind = if side.is_run { "Run" } else { "Design" };
        view! {
            <th scope="col" class="number">
                <a href=address(&side.id, side.is_run.then_some(WorkKind::Search))>{name}</a>
                <span class="base">{kind}", "{moment(&side.created)}</span>
            </th>
        }
    };
    view! {
        <table class="data difference" id="difference-table">
            <thead><tr><th scope="col">"Figure"</th>{view.sides.iter().zip(names).map(head).collect_view()}<th scope="col" class="number">"Difference"</th></tr></thead>
            <tbody>
                {view.rows.into_iter().map(|row| {
                    let differs = row.values[0] != row.values[1];
                    let change = difference(&row);
                    let unit = if row.unit.is_empty() { String::new() } else { format!(" ({})", row.unit) };
                    view! {
                        <tr class:differs=differs title=row.explanation>
                            <th scope="row">{row.title}{unit}</th>
                            {row.values.into_iter().map(|value| view! { <td class="number">{value}</td> }).collect_view()}
                            <td class="number">{change}</td>
                        </tr>
                    }
                }).collect_view()}
            </tbody>
        </table>
    }
}

/// The difference map.
#[component]
fn Map(address: String) -> impl IntoView {
    view! {
        <h3>"Pairs that share a switch"</h3>
        <figure class="difference-map">
            <img id="difference-map" src=address width="1024" height="1024"
                alt="Map of node pairs: the first design below the diagonal, the second above"/>
            <figcaption class="hint">
                "Below the diagonal the first design, above it the second. Green pairs share a switch only in the second, red ones only in the first."
            </figcaption>
        </figure>
    }
}

#[component]
fn Steps(view: DifferenceView) -> impl IntoView {
    let rest = view.total_steps.saturating_sub(view.steps.len() as u64);
    (!view.steps.is_empty()).then(|| view! {
        <pre class="steps" id="steps" tabindex="0">{view.steps.join("\n")}</pre>
        {(rest > 0).then(|| view! { <p class="hint"><Icon name="download"/>" "{grouped(rest)}" more lines are in the files."</p> })}
    })
}
