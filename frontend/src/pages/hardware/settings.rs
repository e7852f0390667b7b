//! Settings of a hardware search, and the start button.

use crate::{
    components::{FaultLinks, FieldView, FormField, StartStop},
    state::board::faults as faults_of,
    studio::{Asked, Studio, boards::BoardFollower},
};
use leptos::prelude::*;
use shared::{
    form::{Described, Fault},
    hardware::BoardForm,
    spec::SpecForm,
};

/// The fields, start and stop.
#[component]
pub fn Settings() -> impl IntoView {
    let studio = Studio::here();
    let follower = BoardFollower::here();
    let faults = Memo::new(move |_| {
        let asked = studio.result.asked.get();
        let asked = asked.as_ref().map(|Asked { spec, demand, .. }| (spec, demand));
        studio.session.board_form.with(|form| faults_of(form, asked))
    });
    let reason = Memo::new(move |_| blocked(studio, faults));
    let live = Memo::new(move |_| studio.result.board.with(|b| b.as_ref().is_some_and(|b| !b.is_over())));
    let stopping = move || studio.result.board.with(|b| b.as_ref().is_some_and(|b| !b.connection.can_stop()));
    let own = Signal::derive(move || own_models(studio));
    let by_effort = Memo::new(move |_| studio.session.board_form.with(|form| form.total_unit == "effort"));
    let form = studio.session.board_form;
    let unit = Signal::derive(move || form.with(|form| form.total_unit.clone()));
    // Both limits are counted in the same unit here.
    let set_unit =
        move |unit: String| form.update(|form| (form.cell_unit, form.total_unit) = (unit.clone(), unit));
    let field = move |key| view! { <FormField form=form name="board" key=key faults=faults/> };
    view! {
        <div class="board-settings">
            {["nis_from", "nis_to"].map(field)}
            <FormField form=form name="board" key="ports" faults=faults placeholder=own class="widths"/>
            {move || match by_effort.get() {
                true => ["cell.effort", "total.effort"],
                false => ["cell.seconds", "total.seconds"],
            }.map(field)}
            <FieldView field=BoardForm::field("cell.unit") id="board-unit" value=unit fault=Signal::derive(|| None::<String>)
                on_input=set_unit/>
            {["seed", "threads"].map(field)}
        </div>
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

/// Reasons why no search can start; empty if it can.
fn blocked(studio: Studio, faults: Memo<Vec<Fault>>) -> Vec<String> {
    if !studio.result.faults().is_empty() {
        return vec!["Fix the spec first.".into()];
    }
    let of_form = |fault: &&Fault| BoardForm::SCHEMA.field(&fault.path).is_some();
    faults.with(|faults| {
        // The others are about the spec.
        let mut lines: Vec<String> = faults
            .iter()
            .filter(|fault| !of_form(fault))
            .map(|fault| fault.labelled(SpecForm::SCHEMA).to_string())
            .collect();
        if faults.iter().any(|fault| of_form(&fault)) {
            lines.push("Fix the fields above.".into());
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
