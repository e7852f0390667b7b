//! Uncovered pairs of the wiring on screen: all of them, or by weight for a fractional objective.

use crate::{
    state::{
        map::Action,
        words::{count, grouped, weight},
    },
    studio::{Studio, WiringVerdict},
};
use leptos::prelude::*;

/// Number of uncovered pairs listed at first.
const LISTED: usize = 24;
/// Number of pairs added by each click.
const MORE: usize = 500;

/// Uncovered pairs and, once the search is over, suggestions.
#[component]
pub fn Remaining() -> impl IntoView {
    let studio = Studio::here();
    let listed = RwSignal::new(LISTED);
    let is_behind = Memo::new(move |_| studio.result.coverage().is_some_and(|coverage| coverage.is_ahead));
    view! {
        {move || studio.result.judged.get().filter(|j| !j.verdict.uncovered.is_empty()).map(|judged| {
            let total = judged.verdict.uncovered.len();
            let weighted = studio.result.is_fractional();
            let of_weight = weighted.then(|| format!(", weight {}", weight(judged.verdict.uncovered_weight)));
            let all = format!("{}{}", count(total as u64, "uncovered pair"), of_weight.unwrap_or_default());
            let title = move || if is_behind.get() { "Uncovered pairs of the wiring on the map".into() } else { all.clone() };
            view! {
                <details class="remaining" id="remaining" open=true>
                    <summary>{title}</summary>
                    {if weighted {
                        view! { <ByWeight judged=judged.clone() listed=listed/> }.into_any()
                    } else {
                        view! { <Pairs judged=judged.clone() listed=listed/> }.into_any()
                    }}
                </details>
                {move || (!studio.result.is_searching() && !studio.result.is_replaying()).then(|| view! { <Advice judged=judged.clone()/> })}
            }
        })}
    }
}

fn show(studio: Studio, (a, b): (u32, u32)) {
    studio.view.map.update(|v| v.update(Action::Show { column: b, row: a }));
}

#[component]
fn Pairs(judged: WiringVerdict, listed: RwSignal<usize>) -> impl IntoView {
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

/// The heaviest first, with the patterns that request them.
#[component]
fn ByWeight(judged: WiringVerdict, listed: RwSignal<usize>) -> impl IntoView {
    let studio = Studio::here();
    let (total, known) = (judged.verdict.uncovered.len(), judged.left_out.len());
    let pairs = move || judged.left_out.iter().take(listed.get()).cloned().collect::<Vec<_>>();
    view! {
        <div class="scroll left-out" tabindex="0" role="region" aria-label="Uncovered pairs, by weight">
        <table class="data" id="left-out">
            <thead><tr><th scope="col">"Pair"</th><th scope="col" class="number">"Weight"</th><th scope="col">"Requested by"</th></tr></thead>
            <tbody>{move || pairs().into_iter().map(|pair| view! {
                <tr>
                    <td><button type="button" class="link" title="Show on the map" on:click=move |_| show(studio, (pair.a, pair.b))>{format!("{}–{}", pair.a, pair.b)}</button></td>
                    <td class="number">{weight(pair.weight.into())}</td>
                    <td>{pair.patterns.join(", ")}</td>
                </tr>
            }).collect_view()}</tbody>
        </table>
        <More total=known listed=listed/>
        {(known < total).then(|| view! { <p class="hint">{format!("Showing the {} heaviest.", grouped(known as u64))}</p> })}
        </div>
    }
}

/// The button that lists more pairs.
#[component]
fn More(total: usize, listed: RwSignal<usize>) -> impl IntoView {
    move || {
        let more = total.saturating_sub(listed.get());
        (more > 0).then(|| view! {
            <button type="button" class="link" id="remaining-more" title=format!("List {} more", grouped(more.min(MORE) as u64))
                on:click=move |_| listed.update(|l| *l += MORE)>{format!("and {} more", grouped(more as u64))}</button>
        })
    }
}

#[component]
fn Advice(judged: WiringVerdict) -> impl IntoView {
    let lines = judged.advice.as_ref().clone();
    view! {
        {(!lines.is_empty()).then(|| view! {
            <div class="advice" id="advice">
                <h3>"Suggestions"</h3>
                <ul>{lines.into_iter().map(|line| view! { <li>{line}</li> }).collect_view()}</ul>
            </div>
        })}
    }
}
