//! Simulated traffic on the wiring and on other networks: form, plots, list of simulations.

mod form;
mod list;

use crate::{
    components::{CurveLine, CurvePlot},
    state::simulate::{Curves, MAX_CURVES},
    studio::{
        Studio,
        simulations::{Simulator, needs_spec},
    },
};
use form::Form;
use leptos::prelude::*;
use list::List;
use shared::simulation::Point;

/// Form, controls, plots, list.
#[component]
pub fn Simulate() -> impl IntoView {
    view! {
        <Form/>
        <Controls/>
        <Plots/>
        <List/>
    }
}

/// Start, stop and progress.
#[component]
fn Controls() -> impl IntoView {
    let (studio, simulator) = (Studio::here(), Simulator::here());
    let busy = Memo::new(move |_| studio.result.curves.with(Curves::is_busy));
    let blocked = Memo::new(move |_| blocked_reason(studio));
    let refusal = move || studio.session.simulate.with(|form| form.refusal());
    let progress = move || {
        studio.result.curves.with(|curves| {
            let live = curves.live().and_then(|number| curves.get(number));
            live.map_or(String::new(), |curve| format!("{}: {}.", curve.number, curve.words()))
        })
    };
    // Progress changes too often to be read out; start and result do not.
    let announced = Memo::new(move |_| {
        studio.result.curves.with(|curves| match (curves.live(), curves.all().last()) {
            (Some(live), _) => format!("Simulation {live} is running."),
            (None, Some(last)) if last.view.is_some() => {
                format!("Simulation {}: {}.", last.number, last.words())
            }
            _ => String::new(),
        })
    });
    view! {
        <div class="tools simulate-controls">
            <button type="button" class="primary" id="simulate-start" prop:disabled=move || blocked.with(Option::is_some)
                aria-describedby="simulate-reason" on:click=move |_| simulator.start(studio)>"Simulate"</button>
            <button type="button" id="simulate-stop" prop:disabled=move || !busy.get()
                on:click=move |_| simulator.stop(studio)>"Stop"</button>
            <p class="hint" id="simulate-standing">{progress}</p>
            <p class="unseen" role="status">{move || announced.get()}</p>
        </div>
        <p class="fault" id="simulate-reason" hidden=move || blocked.with(Option::is_none)>{move || blocked.get()}</p>
        <p class="fault" id="simulate-refusal" role="alert" hidden=move || refusal().is_none()>{refusal}</p>
    }
}

/// Reason why no simulation can start; `None` if one can.
fn blocked_reason(studio: Studio) -> Option<String> {
    if !studio.result.curves.with(Curves::has_room) {
        return Some(format!("The list is full ({MAX_CURVES} simulations). Remove one first."));
    }
    let Ok(form) = studio.session.simulate.with(|form| form.read()) else {
        return Some("Fix the fields above.".into());
    };
    if form.fabric.is_none() && studio.result.held.with(Option::is_none) {
        let other = "start a search, import a table in the Wiring tab, or choose another network";
        return Some(format!("No wiring yet: {other}."));
    }
    if needs_spec(&form) && studio.result.resolved.with(Result::is_err) {
        return Some("Fix the spec first.".into());
    }
    if form.fabric.is_none() {
        let breaks =
            studio.result.judged.with(|j| j.as_ref().is_some_and(|j| !j.verdict.breaches.is_empty()));
        return breaks.then(|| "The wiring breaks rules of the spec; see below the map.".into());
    }
    None
}

/// A point of a curve.
type Read = fn(&Point) -> Option<(f64, f64)>;

#[component]
fn Plots() -> impl IntoView {
    let studio = Studio::here();
    let lines = move |read: Read| {
        Memo::new(move |_| {
            studio.result.curves.with(|curves| {
                let line = |curve: &crate::state::simulate::Curve| CurveLine {
                    number: curve.number,
                    points: curve.points().iter().filter_map(read).collect(),
                };
                curves.all().iter().map(line).filter(|line| !line.points.is_empty()).collect::<Vec<_>>()
            })
        })
    };
    let accepted = lines(|point| Some((point.offered, point.accepted)));
    let latency = lines(|point| (point.latency.frames > 0).then_some((point.offered, point.latency.mean)));
    view! {
        {move || (!accepted.with(Vec::is_empty)).then(|| view! {
            <div class="compare-plots simulate-plots" id="simulate-plots">
                <figure><CurvePlot lines=accepted axes=["Offered, flits per cycle and host", "Accepted"] dark=studio.view.dark/>
                    <figcaption class="hint">"Accepted traffic. A network saturates where its curve leaves the diagonal."</figcaption></figure>
                <figure><CurvePlot lines=latency axes=["Offered, flits per cycle and host", "Mean latency, cycles"] dark=studio.view.dark/>
                    <figcaption class="hint">"From a frame's creation to the arrival of its last flit. Numbers refer to the list below."</figcaption></figure>
            </div>
        })}
    }
}
