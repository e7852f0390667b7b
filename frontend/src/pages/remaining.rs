//! Pairs that the wiring on screen leaves uncovered: all of them, or by weight where as much as fits is wanted.

use crate::{
    state::{
        map::Action,
        words::{count, grouped, weight},
    },
    studio::{Judged, Studio},
};
use leptos::prelude::*;

/// How many uncovered pairs are listed at first.
const LISTED: usize = 24;
/// How many more at each request.
const MORE: usize = 500;

/// Pairs that are still uncovered, and, once the search is over, what to relax.
#[component]
pub fn Remaining() -> impl IntoView {
    let studio = Studio::here();
    let listed = RwSignal::new(LISTED);
    view! {
        {move || studio.result.judged.get().filter(|j| !j.verdict.uncovered.is_empty()).map(|judged| {
            let total = judged.verdict.uncovered.len();
            let weighted = studio.result.is_fractional();
            let what = if weighted { "left out" } else { "uncovered" };
            let of_weight = weighted.then(|| format!(", weight {}", weight(judged.verdict.uncovered_weight)));
            view! {
                <details class="remaining" id="remaining" open=true>
                    <summary>{count(total as u64, "pair")}" "{what}{of_weight}</summary>
                    {if weighted {
                        view! { <ByWeight judged=judged.clone() listed=listed/> }.into_any()
                    } else {
                        view! { <Pairs judged=judged.clone() listed=listed/> }.into_any()
                    }}
                </details>
                {move || (!studio.result.is_searching()).then(|| view! { <Advice judged=judged.clone()/> })}
            }
        })}
    }
}

fn show(studio: Studio, (a, b): (u32, u32)) {
    studio.view.map.update(|v| v.update(Action::Show { column: b, row: a }));
}

#[component]
fn Pairs(judged: Judged, listed: RwSignal<usize>) -> impl IntoView {
    let studio = Studio::here();
    let total = judged.verdict.uncovered.len();
    let pairs = move || judged.verdict.uncovered.iter().take(listed.get()).copied().collect::<Vec<_>>();
    view! {
        <ul class="pairs">
            {move || pairs().into_iter().map(|(a, b)| view! {
                <li><button type="button" class="link" title="Show on the map" on:click=move |_| show(studio, (a, b))>{format!("{a}–{b}")}</button></li>
            }).collect_view()}
            <li><More total=total listed=listed/></li>
        </ul>
    }
}

/// The heaviest first, with who asks for them.
#[component]
fn ByWeight(judged: Judged, listed: RwSignal<usize>) -> impl IntoView {
    let studio = Studio::here();
    let (total, known) = (judged.verdict.uncovered.len(), judged.left_out.len());
    let pairs = move || judged.left_out.iter().take(listed.get()).cloned().collect::<Vec<_>>();
    view! {
        <div class="scroll left-out" tabindex="0" role="region" aria-label="Pairs left out, by weight">
        <table class="data" id="left-out">
            <thead><tr><th scope="col">"Pair"</th><th scope="col" class="number">"Weight"</th><th scope="col">"Asked for by"</th></tr></thead>
            <tbody>{move || pairs().into_iter().map(|pair| view! {
                <tr>
                    <td><button type="button" class="link" title="Show on the map" on:click=move |_| show(studio, (pair.a, pair.b))>{format!("{}–{}", pair.a, pair.b)}</button></td>
                    <td class="number">{weight(pair.weight.into())}</td>
                    <td>{pair.patterns.join(", ")}</td>
                </tr>
            }).collect_view()}</tbody>
        </table>
        <More total=known listed=listed/>
        {(known < total).then(|| view! { <p class="hint">{format!("The {} heaviest are listed.", grouped(known as u64))}</p> })}
        </div>
    }
}

/// The button for more of them.
#[component]
fn More(total: usize, listed: RwSignal<usize>) -> impl IntoView {
    move || {
        let more = total.saturating_sub(listed.get());
        (more > 0).then(|| view! {
            <button type="button" class="link" id="remaining-more" title=format!("List {} of them", grouped(more.min(MORE) as u64))
                on:click=move |_| listed.update(|l| *l += MORE)>{format!("and {} more", grouped(more as u64))}</button>
        })
    }
}

#[component]
fn Advice(judged: Judged) -> impl IntoView {
    let lines = judged.advice.as_ref().clone();
    view! {
        {(!lines.is_empty()).then(|| view! {
            <div class="advice" id="advice">
                <h3>"What to relax"</h3>
                <ul>{lines.into_iter().map(|line| view! { <li>{line}</li> }).collect_view()}</ul>
            </div>
        })}
    }
}
