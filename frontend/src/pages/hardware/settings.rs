//! What a search over hardware is started with: fields, and the button.

use crate::{
    components::{Choice, FaultLinks, Field as Input, StartStop},
    state::board::Field,
    studio::{Asked, Studio, boards::BoardFollower},
};
use leptos::prelude::*;

/// Everything that is wrong with the form, each with its field.
type Faults = Memo<Vec<(Option<Field>, String)>>;

/// The fields, start and stop.
#[component]
pub fn Settings() -> impl IntoView {
    let studio = Studio::here();
    let follower = BoardFollower::here();
    let faults: Faults = Memo::new(move |_| {
        let asked = studio.result.asked.get();
        let asked = asked.as_ref().map(|Asked { spec, demand, .. }| (spec, demand));
        studio.session.board_form.with(|form| form.faults(asked))
    });
    let reason = Memo::new(move |_| blocked(studio, faults));
    let live = Memo::new(move |_| studio.result.board.with(|b| b.as_ref().is_some_and(|b| !b.is_over())));
    let stopping = move || studio.result.board.with(|b| b.as_ref().is_some_and(|b| !b.connection.can_stop()));
    let own = Signal::derive(move || own_models(studio));
    let by_effort = Memo::new(move |_| studio.session.board_form.with(|f| f.by_effort));
    let kinds = vec![("seconds", "seconds"), ("effort", "million moves")];
    let kind =
        Signal::derive(move || if by_effort.get() { "effort".to_owned() } else { "seconds".to_owned() });
    view! {
        <div class="board-settings">
            <Setting id="nis-from" label="NIs a PE, from" field=Field::NisFrom faults=faults/>
            <Setting id="nis-to" label="to" field=Field::NisTo faults=faults/>
            <Setting id="ports" label="Switch widths" field=Field::Ports faults=faults mode="text" placeholder=own/>
            {move || if by_effort.get() {
                view! {
                    <Setting id="cell-effort" label="Million moves a cell" field=Field::CellEffort faults=faults/>
                    <Setting id="total-effort" label="Million moves in all" field=Field::TotalEffort faults=faults/>
                }.into_any()
            } else {
                view! {
                    <Setting id="cell" label="Seconds a cell" field=Field::Cell faults=faults mode="decimal"/>
                    <Setting id="total" label="Seconds in all" field=Field::Total faults=faults mode="decimal"/>
                }.into_any()
            }}
            <Choice id="board-budget-kind" label="counted in" value=kind options=kinds fault=Signal::derive(|| None::<String>)
                on_choice=move |kind| studio.session.board_form.update(|f| f.by_effort = kind == "effort")/>
            <Setting id="seed" label="Seed" field=Field::Seed faults=faults/>
            <Setting id="threads" label="Threads" field=Field::Threads faults=faults placeholder="all"/>
        </div>
        <p class="hint">
            "Widths such as 6-12, 16, 24, each at the price of the narrowest model of the spec that is at least as wide, \
             and as many of each as it takes. \
             Left empty: the spec’s own models, with their stock. \
             Counted in million moves, the board is the same again for the same seed and threads."
        </p>
        <div class="controls">
            <StartStop ids=("board-start", "board-stop") live=live blocked=Signal::derive(move || !reason.with(Vec::is_empty)) reason="board-reason"
                stopping=Signal::derive(stopping) on_start=move || follower.start(studio) on_stop=move || follower.stop(studio)/>
            <div class="fault" id="board-reason" aria-live="polite" hidden=move || live.get() || reason.with(Vec::is_empty)>
                {move || reason.get().into_iter().map(|line| view! { <p>{line}</p> }).collect_view()}
                <FaultLinks paths=Signal::derive(move || studio.fields_at_fault())/>
            </div>
        </div>
    }
}

/// Why no search can start; nothing if it can.
fn blocked(studio: Studio, faults: Faults) -> Vec<String> {
    if !studio.result.faults().is_empty() {
        return vec!["The spec has faults.".into()];
    }
    faults.with(|faults| {
        let mut lines: Vec<String> =
            faults.iter().filter(|(field, _)| field.is_none()).map(|(_, words)| words.clone()).collect();
        if faults.iter().any(|(field, _)| field.is_some()) {
            lines.push("A field above has a fault.".into());
        }
        lines
    })
}

/// The widths of the spec's models.
fn own_models(studio: Studio) -> String {
    studio.result.resolved.with(|r| match r {
        Ok(spec) => {
            let mut widths: Vec<u32> = spec.switches.iter().map(|m| m.ports).collect();
            widths.sort_unstable();
            widths.dedup();
            let shown: Vec<String> = widths.iter().take(6).map(u32::to_string).collect();
            let more = if widths.len() > shown.len() { ", …" } else { "" };
            format!("the spec’s: {}{more}", shown.join(", "))
        }
        Err(_) => String::new(),
    })
}

#[component]
fn Setting(
    id: &'static str,
    label: &'static str,
    field: Field,
    faults: Faults,
    #[prop(default = "numeric")] mode: &'static str,
    #[prop(optional, into)] placeholder: Signal<String>,
) -> impl IntoView {
    let studio = Studio::here();
    let value = Signal::derive(move || studio.session.board_form.with(|f| f.get(field).to_owned()));
    let fault = Signal::derive(move || {
        faults.with(|faults| {
            let own: Vec<&str> =
                faults.iter().filter(|(at, _)| *at == Some(field)).map(|(_, words)| words.as_str()).collect();
            (!own.is_empty()).then(|| own.join(" "))
        })
    });
    view! {
        <Input id=format!("board-{id}") label=label value=value fault=fault placeholder=placeholder mode=mode
            class=if field == Field::Ports { "widths" } else { "" }
            on_input=move |text| studio.session.board_form.update(|f| f.set(field, text))/>
    }
}
