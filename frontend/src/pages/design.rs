//! How the wiring on screen stands to the spec on screen, and wirings from elsewhere.

use super::{
    runs,
    studio::{Judged, Studio},
};
use crate::{
    browser,
    components::Icon,
    state::{
        place::Place,
        tie::Followed,
        words::{count, grouped, percent},
    },
};
use leptos::{prelude::*, task::spawn_local};
use shared::{analysis::leftout::weight_served, design::Breach, spec::MAX_SPEC_BYTES};

/// How many breaches are listed.
const BREACHES: usize = 5;

/// What no longer holds, or that everything does.
#[component]
pub fn Standing() -> impl IntoView {
    let studio = Studio::here();
    view! {
        <div class="standing" id="standing" role="status">
            {move || studio.judged.get().map(|judged| {
                let live = studio.run.with(|r| r.as_ref().is_some_and(|r| !r.is_over()));
                let (class, words) = stand(&judged, live, studio.is_fractional());
                let breaches = judged.verdict.breaches.iter().filter(|b| !matches!(b, Breach::Pes { .. }));
                let more = breaches.clone().count().saturating_sub(BREACHES);
                let mut breaches: Vec<String> = breaches.take(BREACHES).map(ToString::to_string).collect();
                breaches.extend((more > 0).then(|| format!("and {} more", grouped(more as u64))));
                view! {
                    <div class=class>
                        <p>{words}</p>
                        {(!breaches.is_empty()).then(|| view! {
                            <ul>{breaches.into_iter().map(|b| view! { <li>{b}</li> }).collect_view()}</ul>
                        })}
                    </div>
                }
            })}
        </div>
    }
}

/// `live`: whether a search is still at it. `fractional`: whether pairs may be left out.
fn stand(judged: &Judged, live: bool, fractional: bool) -> (&'static str, String) {
    let verdict = &judged.verdict;
    if let [Breach::Pes { has, allowed }] = verdict.breaches[..] {
        let (has, allowed) = (grouped(u64::from(has)), grouped(u64::from(allowed)));
        return (
            "stale",
            format!(
                "This design is for {has} PEs; the spec now has {allowed}. The map shows the spec alone."
            ),
        );
    }
    let uncovered = verdict.uncovered.len() as u64;
    let state = match (verdict.breaches.len() as u64, uncovered) {
        (0, 1..) if fractional => format!(
            "{} of the weight is served; {} of {} left out",
            percent(weight_served(verdict)),
            grouped(uncovered),
            count(verdict.requested, "requested pair")
        ),
        (0, 0) => format!("every one of {} is served", count(verdict.requested, "requested pair")),
        (0, _) => {
            format!("{} of {} uncovered", grouped(uncovered), count(verdict.requested, "requested pair"))
        }
        (b, 0) => format!("the hardware budget is broken in {}", count(b, "place")),
        (b, _) => format!(
            "{} of {} uncovered, and the hardware budget is broken in {}",
            grouped(uncovered),
            count(verdict.requested, "requested pair"),
            count(b, "place")
        ),
    };
    let enough = verdict.holds() || (fractional && !live && verdict.breaches.is_empty());
    match (judged.spec_changed, enough) {
        (true, true) => {
            ("good", format!("This design is for the spec before your change, and it still holds: {state}."))
        }
        (true, false) => ("stale", format!("This design is for the spec before your change: now {state}.")),
        (false, true) => ("good", format!("Checked: {state}.")),
        (false, false) if live => ("live", format!("So far: {state}.")),
        (false, false) => ("bad", format!("Checked: {state}.")),
    }
}

/// Takes a wiring table from a file or out of the clipboard.
#[component]
pub fn Import() -> impl IntoView {
    let studio = Studio::here();
    let text = RwSignal::new(String::new());
    let faults = RwSignal::new(Vec::<String>::new());
    let take = move |table: String, origin: &str| {
        let (spec, origin) = (studio.text(), origin.to_owned());
        match runs::hold(&spec, &table, origin) {
            Ok(held) => {
                faults.set(Vec::new());
                studio.run.set(None);
                studio.held.set(Some(held));
                studio.remember();
                // A search's address would bring the search's wiring back.
                if matches!(studio.place.get_untracked(), Place::Run(_)) {
                    super::Follower::here().leave();
                    studio.go(Place::Home);
                }
                studio.tell("The table is read; the map shows it.");
            }
            Err(found) => faults.set(found),
        }
    };
    let read = move |event: web_sys::Event| {
        let input: web_sys::HtmlInputElement = event_target(&event);
        let Some(file) = input.files().and_then(|f| f.get(0)) else { return };
        spawn_local(async move {
            match browser::read_file(&file, 4 * MAX_SPEC_BYTES).await {
                Ok(table) => take(table, "imported"),
                Err(reason) => faults.set(vec![reason]),
            }
            input.set_value("");
        });
    };
    view! {
        <details class="import" id="import">
            <summary>"Import a wiring table"</summary>
            <div class="field text" class:wrong=move || !faults.with(Vec::is_empty)>
                <label for="import-text">"One line a switch: "<code>"switch: pe pe pe"</code></label>
                <textarea id="import-text" rows="6" spellcheck="false" wrap="off" prop:value=text
                    aria-invalid=move || super::spec::pressed(!faults.with(Vec::is_empty)) aria-describedby="import-faults"
                    on:input=move |event| text.set(event_target_value(&event))></textarea>
            </div>
            <div class="actions">
                <button type="button" id="import-take" prop:disabled=move || text.with(|t| t.trim().is_empty())
                    on:click=move |_| take(text.get_untracked(), "imported")>"Use this table"</button>
                <label class="button file">
                    <Icon name="open"/><span>"From a file"</span>
                    <input type="file" id="import-file" accept=".txt,text/plain" aria-label="Open a wiring table" on:change=read/>
                </label>
            </div>
            <ul class="fault" id="import-faults" aria-live="polite">
                {move || faults.get().into_iter().map(|f| view! { <li>{f}</li> }).collect_view()}
            </ul>
        </details>
    }
}
