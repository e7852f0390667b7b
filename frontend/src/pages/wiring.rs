//! The wiring as a table.

use super::{audit::Audit, design::Import, results::NoWiring, spec::pressed, studio::Studio};
use crate::state::{
    place::Place,
    wiring::{Action, Page, Row},
    words::{count, grouped},
};
use leptos::prelude::*;

/// The table by switch or by PE, filtered.
#[component]
pub fn Wiring() -> impl IntoView {
    let studio = Studio::here();
    let page = Memo::new(move |_| {
        let held = studio.held.get();
        held.map(|h| studio.table.with(|t| (t.by_pe, t.wanted().unwrap_or_default(), t.page(&h.design))))
            .map_or((false, Vec::new(), Page::default()), |p| p)
    });
    let has = Memo::new(move |_| studio.held.with(Option::is_some));
    let editable = move || !matches!(studio.place.get(), Place::Design(_));
    view! {
        {move || if has.get() {
            view! { <Tools page=page/><Rows page=page/><Audit/> }.into_any()
        } else {
            view! { <NoWiring what="The wiring table"/> }.into_any()
        }}
        {move || editable().then(|| view! { <Import/> })}
    }
}

type Shown = (bool, Vec<u32>, Page);

#[component]
fn Tools(page: Memo<Shown>) -> impl IntoView {
    let studio = Studio::here();
    let act = move |action| studio.table.update(|t| t.update(action));
    let by_pe = Memo::new(move |_| studio.table.with(|t| t.by_pe));
    let fault = move || studio.table.with(|t| t.fault());
    let editable = move || !matches!(studio.place.get(), Place::Design(_));
    view! {
        <div class="tools">
            <div class="switcher" role="group" aria-label="Rows">
                <button type="button" id="by-switch" aria-pressed=move || pressed(!by_pe.get()) on:click=move |_| act(Action::ByPe(false))>"By switch"</button>
                <button type="button" id="by-pe" aria-pressed=move || pressed(by_pe.get()) on:click=move |_| act(Action::ByPe(true))>"By PE"</button>
            </div>
            <div class="field inline" class:wrong=move || fault().is_some()>
                <label for="wiring-filter">"Filter"</label>
                <span class="entry"><input id="wiring-filter" type="search" inputmode="numeric" autocomplete="off" placeholder="17 42"
                    prop:value=move || studio.table.with(|t| t.filter.clone())
                    aria-invalid=move || pressed(fault().is_some()) aria-describedby="wiring-filter-fault"
                    on:input=move |event| act(Action::Filter(event_target_value(&event)))/></span>
                <p class="fault" id="wiring-filter-fault" hidden=move || fault().is_none()>{move || fault().map(|f| format!("Expected {f}."))}</p>
            </div>
            <p class="hint" role="status" id="wiring-count">{move || page.with(|(by_pe, _, p)| {
                count(p.total as u64, if *by_pe { "PE" } else { "switch" })
            })}</p>
            {move || editable().then(|| view! {
                <button type="button" id="start-from" title="Puts this wiring into the spec, as the one that is there already"
                    on:click=move |_| super::rules::start_from(studio)>"Start from this wiring"</button>
            })}
            <Pages page=page/>
        </div>
    }
}

#[component]
fn Pages(page: Memo<Shown>) -> impl IntoView {
    let studio = Studio::here();
    let place = Memo::new(move |_| page.with(|(_, _, p)| (p.number, p.pages)));
    let go = move |to: usize| studio.table.update(|t| t.update(Action::Page(to)));
    view! {
        {move || (place.get().1 > 1).then(|| {
            let (number, pages) = place.get();
            view! {
                <nav class="pages" aria-label="Pages of the table">
                    <button type="button" id="page-back" prop:disabled=number == 0 on:click=move |_| go(number.saturating_sub(1))>"Back"</button>
                    <span>{format!("page {} of {}", grouped(number as u64 + 1), grouped(pages as u64))}</span>
                    <button type="button" id="page-next" prop:disabled={number + 1 >= pages} on:click=move |_| go(number + 1)>"Next"</button>
                </nav>
            }
        })}
    }
}

#[component]
fn Rows(page: Memo<Shown>) -> impl IntoView {
    view! {
        <div class="scroll" tabindex="0" role="region" aria-label="Wiring table">
        {move || page.with(|(by_pe, wanted, page)| {
            let heads = if *by_pe { ("PE", "switches, NI 0 first", "NIs") } else { ("Switch", "PEs", "PEs used") };
            view! {
                <table class="data wiring" id="wiring-table">
                    <thead><tr><th scope="col">{heads.0}</th><th scope="col" class="number">{heads.2}</th><th scope="col">{heads.1}</th></tr></thead>
                    <tbody>{page.rows.iter().map(|row| line(row, wanted)).collect_view()}</tbody>
                </table>
            }
        })}
        </div>
    }
}

fn line(row: &Row, wanted: &[u32]) -> impl IntoView + use<> {
    let members = row.members.iter().map(|m| {
        let hit = wanted.contains(m);
        if hit { view! { <mark>{*m}</mark>" " }.into_any() } else { format!("{m} ").into_any() }
    });
    view! {
        <tr>
            <th scope="row">{row.head}</th>
            <td class="number">{row.members.len()}</td>
            <td class="members">{members.collect_view()}</td>
        </tr>
    }
}
