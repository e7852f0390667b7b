//! The wiring table, and importing one.

use crate::{
    components::{FilePicker, Part, PartCall, part_at, parts, pressed},
    state::{
        failed::Damage,
        place::Place,
        wiring::{Action, Page, Row},
        words::{count, grouped},
    },
    studio::{ShownWiring, Studio},
};
use leptos::{prelude::*, task::spawn_local};
use shared::{
    design::Names,
    spec::{MAX_SPEC_BYTES, names::NameScheme},
};

/// The table by switch or by PE, filtered.
#[component]
pub fn Wiring(children: ChildrenFn) -> impl IntoView {
    let studio = Studio::here();
    let has = Memo::new(move |_| studio.result.held.with(Option::is_some));
    let editable = move || !matches!(studio.view.place.get(), Place::Design(_));
    view! {
        {move || if has.get() {
            view! { <Part of=rows/>{children()} }.into_any()
        } else {
            view! { <p class="empty">"No wiring yet: start a search, or import a table."</p> }.into_any()
        }}
        {move || editable().then(|| view! { <Import/> })}
    }
}

parts! {
    results {
        /// The table.
        rows() -> AnyView { view! { <Table/> }.into_any() }
    }
}

#[component]
fn Table() -> impl IntoView {
    let studio = Studio::here();
    // Looking for a name makes a list of all, once per wiring.
    let names = Memo::new(move |_| studio.result.of_held(ShownWiring::names));
    let page = Memo::new(move |_| {
        let held = studio.result.held.get();
        held.zip(names.get())
            .map(|(held, names)| {
                let usual = NameScheme::default();
                let (by_pe, wanted, page, fault) = studio.view.table.with(|table| {
                    (table.by_pe, table.marked(&names), table.page(&held.design, &names), table.fault(&names))
                });
                let named =
                    held.spec.names.nodes != usual.nodes || held.spec.names.switches != usual.switches;
                ShownPage { by_pe, wanted, page, fault, names: named.then_some(names) }
            })
            .unwrap_or_default()
    });
    view! { <Tools page=page/><Rows page=page/> }
}

/// The page on screen.
#[derive(Clone, Default, PartialEq)]
struct ShownPage {
    by_pe: bool,
    /// Members that the filter names.
    wanted: Vec<u32>,
    page: Page,
    /// What the filter expects, if it has a fault.
    fault: Option<String>,
    /// The names that the spec gives; parts without have numbers, as in wiring tables.
    names: Option<Names>,
}

#[component]
fn Tools(page: Memo<ShownPage>) -> impl IntoView {
    let studio = Studio::here();
    let act = move |action| studio.view.table.update(|t| t.update(action));
    let by_pe = Memo::new(move |_| studio.view.table.with(|t| t.by_pe));
    let fault = move || page.with(|shown| shown.fault.clone());
    let editable = move || !matches!(studio.view.place.get(), Place::Design(_));
    view! {
        <div class="tools">
            <div class="switcher" role="group" aria-label="Rows">
                <button type="button" id="by-switch" aria-pressed=move || pressed(!by_pe.get()) on:click=move |_| act(Action::ByPe(false))>"By switch"</button>
                <button type="button" id="by-pe" aria-pressed=move || pressed(by_pe.get()) on:click=move |_| act(Action::ByPe(true))>"By node"</button>
            </div>
            <div class="field inline" class:wrong=move || fault().is_some()>
                <label for="wiring-filter">"Filter"</label>
                <span class="entry"><input id="wiring-filter" type="search" autocomplete="off" placeholder="17 42 sw3"
                    prop:value=move || studio.view.table.with(|t| t.filter.clone())
                    aria-invalid=move || pressed(fault().is_some()) aria-describedby="wiring-filter-fault"
                    on:input=move |event| act(Action::Filter(event_target_value(&event)))/></span>
                <p class="fault" id="wiring-filter-fault" hidden=move || fault().is_none()>{move || fault().map(|f| format!("Expected {f}."))}</p>
            </div>
            <p class="hint" role="status" id="wiring-count">{move || page.with(|shown| {
                count(shown.page.total as u64, if shown.by_pe { "node" } else { "switch" })
            })}</p>
            {move || editable().then(|| view! {
                <button type="button" id="start-from" title="Adds this wiring to the spec as the existing wiring"
                    on:click=move |_| studio.start_from_wiring()>"Start from this wiring"</button>
            })}
            <Pages page=page/>
        </div>
    }
}

#[component]
fn Pages(page: Memo<ShownPage>) -> impl IntoView {
    let studio = Studio::here();
    let place = Memo::new(move |_| page.with(|shown| (shown.page.number, shown.page.pages)));
    let go = move |to: usize| studio.view.table.update(|t| t.update(Action::Page(to)));
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
fn Rows(page: Memo<ShownPage>) -> impl IntoView {
    let view = Studio::here().view;
    view! {
        <div class="scroll" tabindex="0" role="region" aria-label="Wiring table"
            on:pointerover=move |event| view.hovered.set(part_at(&event))
            on:pointerleave=move |_| view.hovered.set(None)
            on:click=move |event| if let Some(part) = part_at(&event) {
                view.select((view.selected.get_untracked() != Some(part)).then_some(part));
            }>
        {move || page.with(|shown| {
            let heads = if shown.by_pe { ("Node", "Switches, NIC 0 first", "NICs") } else { ("Switch", "Nodes", "Ports used") };
            view! {
                <table class="data wiring" id="wiring-table">
                    <thead><tr><th scope="col">{heads.0}</th><th scope="col" class="number">{heads.2}</th><th scope="col">{heads.1}</th></tr></thead>
                    <tbody>{shown.page.rows.iter().map(|row| line(row, shown)).collect_view()}</tbody>
                </table>
            }
        })}
        </div>
    }
}

fn line(row: &Row, shown: &ShownPage) -> impl IntoView + use<> {
    let studio = Studio::here();
    let ShownPage { by_pe, wanted, names, .. } = shown;
    let by_pe = *by_pe;
    let word = |number: u32, is_pe: bool| match names {
        Some(names) if is_pe => names.pe(number),
        Some(names) => names.switch(number),
        None => number.to_string(),
    };
    let (head, (own, other)) = (row.head, if by_pe { ("pe", "sw") } else { ("sw", "pe") });
    // A page may have thousands of numbers: one text is drawn many times faster than as many views.
    let member = |m: &u32| {
        let tag = if wanted.contains(m) { "mark" } else { "span" };
        format!("<{tag} data-part={other}{m}>{}</{tag}> ", word(*m, !by_pe))
    };
    let members: String = row.members.iter().map(member).collect();
    let is_lit = move || {
        let active = studio.view.active();
        studio.result.held.with(|held| {
            let Some((part, held)) = active.zip(held.as_ref()) else { return false };
            match by_pe {
                true => part.has_node(head, &held.design),
                false => part.has_switch(head, &held.design),
            }
        })
    };
    let is_failed = move || {
        let failed = |damage: &Damage| match by_pe {
            true => damage.faults.pes.binary_search(&head).is_ok(),
            false => damage.faults.switches.binary_search(&head).is_ok(),
        };
        studio.result.of_damage(failed).unwrap_or_default()
    };
    view! {
        <tr class:lit=is_lit class:failed=is_failed>
            <th scope="row" data-part=format!("{own}{head}")>{move || is_failed().then_some("× ")}{word(head, by_pe)}</th>
            <td class="number">{row.members.len()}</td>
            <td class="members" inner_html=members></td>
        </tr>
    }
}

/// Imports a wiring table from a file or from pasted text.
#[component]
fn Import() -> impl IntoView {
    let studio = Studio::here();
    let text = RwSignal::new(String::new());
    let faults = RwSignal::new(Vec::<String>::new());
    let take = move |table: String| {
        spawn_local(async move {
            let held = ShownWiring::load(&studio.session.text_now(), &table, "imported".into()).await;
            // The component may be gone by now.
            let _ = faults.try_set(held.as_ref().err().cloned().unwrap_or_default());
            if let Ok(held) = held {
                studio.replace_wiring(held, "Wiring table imported.".into(), "Back to the former wiring");
            }
        });
    };
    let read = move |_, file| match file {
        Ok(table) => take(table),
        Err(reason) => faults.set(vec![reason]),
    };
    view! {
        <details class="import" id="import">
            <summary>"Import a wiring table"</summary>
            <div class="field text" class:wrong=move || !faults.with(Vec::is_empty)>
                <label for="import-text">"One line per switch: "<code>"switch: pe pe pe"</code></label>
                <textarea id="import-text" rows="6" spellcheck="false" wrap="off" prop:value=text
                    aria-invalid=move || pressed(!faults.with(Vec::is_empty)) aria-describedby="import-faults"
                    on:input=move |event| text.set(event_target_value(&event))></textarea>
            </div>
            <div class="actions">
                <button type="button" id="import-take" prop:disabled=move || text.with(|t| t.trim().is_empty())
                    on:click=move |_| take(text.get_untracked())>"Use this table"</button>
                <FilePicker id="import-file" words="Open file" label="Open a wiring table" accept=".txt,text/plain"
                    max=4 * MAX_SPEC_BYTES wanted="a wiring table, with a line `switch: pe pe pe` per switch" on_file=read/>
            </div>
            <ul class="fault" id="import-faults" aria-live="polite">
                {move || faults.get().into_iter().map(|f| view! { <li>{f}</li> }).collect_view()}
            </ul>
        </details>
    }
}
