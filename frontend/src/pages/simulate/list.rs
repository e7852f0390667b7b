//! The list of simulations: network, settings, progress and figures of each.

use crate::{
    browser,
    components::{Icon, Swatch},
    state::{
        simulate::{Curve, Stage},
        words::{fixed, grouped},
    },
    studio::{
        Studio,
        simulations::{Simulator, is_outdated},
    },
};
use leptos::prelude::*;
use shared::simulation::{BusyChannel, ClosedResult, Point, SimulationForm};

/// All of them.
#[component]
pub fn List() -> impl IntoView {
    let (studio, simulator) = (Studio::here(), Simulator::here());
    let numbers = Memo::new(move |_| {
        studio.result.curves.with(|curves| curves.all().iter().map(|curve| curve.number).collect::<Vec<_>>())
    });
    let listed = Memo::new(move |_| {
        let waits = |curve: &Curve| curve.stage == Stage::Listed && curve.view.is_none();
        studio.result.curves.with(|curves| curves.all().iter().filter(|curve| waits(curve)).count())
    });
    view! {
        {move || (listed.get() > 0).then(|| view! {
            <div class="tools">
                <button type="button" id="simulate-all" on:click=move |_| simulator.all(studio)>"Simulate all"</button>
                <p class="hint">"These simulations came with a link, or are no longer on the server. The same seed gives the same results."</p>
            </div>
        })}
        <ol class="simulate-list" id="simulate-list" tabindex="-1">
            <For each=move || numbers.get() key=|number| *number let:number><Line number=number/></For>
        </ol>
        {move || numbers.with(Vec::is_empty).then(|| view! {
            <p class="empty">"Each simulation adds a curve. Several networks can share one plot."</p>
        })}
    }
}

#[component]
fn Line(number: u32) -> impl IntoView {
    let (studio, simulator) = (Studio::here(), Simulator::here());
    let curve = Memo::new(move |_| {
        studio.result.curves.with(|curves| curves.get(number).cloned()).unwrap_or_default()
    });
    let of = move |read: fn(&Curve) -> String| move || curve.with(read);
    let bad = move || curve.with(|curve| matches!(curve.stage, Stage::Refused(_)));
    let stale = Memo::new(move |_| curve.with(|curve| is_outdated(studio, curve)));
    let idle = move || curve.with(|curve| !curve.is_live() && curve.stage != Stage::Queued);
    let deadlock = move || curve.with(deadlock);
    let has_figures = Memo::new(move |_| {
        curve.with(|curve| {
            curve
                .view
                .as_ref()
                .is_some_and(|view| !view.report.points.is_empty() || view.report.collective.is_some())
        })
    });
    view! {
        <li class="simulate-line" id=format!("simulation-{number}")>
            <div class="heading">
                <Swatch number=number dark=studio.view.dark/>
                <div class="what">
                    <p><strong>{number}". "{of(Curve::network)}</strong>" "<span class="about">{of(Curve::about)}</span></p>
                    <p class="on-paper">{of(on_paper)}</p>
                    <p class="standing" class:fault=bad>{of(Curve::words)}</p>
                    <p class="stale" hidden=move || !stale.get()>"Outdated: the wiring or the spec has changed."</p>
                    <p class="fault deadlock" hidden=move || deadlock().is_none()>{deadlock}</p>
                </div>
                <button type="button" class="again" hidden=move || !idle() on:click=move |_| simulator.again(studio, number)>"Repeat"</button>
                <button type="button" class="plain" aria-label=format!("Remove simulation {number}")
                    on:click=move |_| {
                        simulator.remove(studio, number);
                        if let Some(list) = browser::element("simulate-list") {
                            let _ = list.focus();
                        }
                    }><Icon name="close"/></button>
            </div>
            {move || has_figures.get().then(|| view! {
                <details>
                    <summary>"Figures"</summary>
                    <div class="scroll" tabindex="0" role="region" aria-label=format!("Figures of simulation {number}")>
                        {move || curve.with(figures)}
                    </div>
                </details>
            })}
        </li>
    }
}

/// Settings that the page shows only in print.
fn on_paper(curve: &Curve) -> String {
    let SimulationForm { seed, speed, ref settings, .. } = curve.form;
    format!("Seed {seed}; host links {} Mb/s; {} cycles", grouped(speed.into()), grouped(settings.cycles))
}

fn deadlock(curve: &Curve) -> Option<String> {
    let (load, deadlock) = curve.deadlock()?;
    let at = load.map(|load| format!(" at a load of {}", fixed(load, 3))).unwrap_or_default();
    let names = deadlock.names.join(", ");
    Some(format!(
        "Deadlock{at} in cycle {}: these full buffers wait for each other in a circle: {names}. \
         Without backpressure (Times and rules), frames are lost instead.",
        grouped(deadlock.cycle)
    ))
}

fn figures(curve: &Curve) -> Option<AnyView> {
    let report = &curve.view.as_ref()?.report;
    Some(match &report.collective {
        Some(timed) => timed_figures(timed).into_any(),
        None => points(&report.points).into_any(),
    })
}

fn busy_words(busy: &BusyChannel) -> String {
    format!("{} {} %", busy.name, fixed(100.0 * f64::from(busy.load), 0))
}

const HEADS: [(&str, &str); 11] = [
    ("Offered", "flits per cycle and host"),
    ("Accepted", "flits per cycle and host"),
    ("Mean latency", "cycles"),
    ("Median", "cycles"),
    ("90 %", "cycles"),
    ("99 %", "cycles"),
    ("Maximum", "cycles"),
    ("Received", "frames"),
    ("Lost", "frames"),
    ("In transit", "frames"),
    ("Busiest link", "of the time"),
];

fn points(points: &[Point]) -> impl IntoView + use<> {
    view! {
        <table class="data simulate-points">
            <thead><tr>{HEADS.map(|(head, unit)| view! { <th scope="col" class="number">{head}<span class="unit">{unit}</span></th> })}</tr></thead>
            <tbody>{points.iter().map(|point| view! {
                <tr class:deadlock=point.deadlock.is_some()>{cells(point).map(|cell| view! { <td class="number">{cell}</td> })}</tr>
            }).collect_view()}</tbody>
        </table>
    }
}

fn cells(point: &Point) -> [String; 11] {
    let Point { latency, .. } = point;
    [
        fixed(point.offered, 3),
        fixed(point.accepted, 3),
        fixed(latency.mean, 1),
        grouped(latency.median),
        grouped(latency.p90),
        grouped(latency.p99),
        grouped(latency.most),
        grouped(point.received),
        grouped(point.lost),
        grouped(point.left),
        point.busiest.first().map(busy_words).unwrap_or_default(),
    ]
}

fn timed_figures(timed: &ClosedResult) -> impl IntoView + use<> {
    let busiest = timed.busiest.iter().map(busy_words);
    let lines = [
        ("Total bandwidth", format!("{} Gb/s", fixed(timed.bandwidth / 1000.0, 3))),
        ("Time", format!("{} cycles", grouped(timed.cycles))),
        ("Messages", format!("{} bytes, {} times", grouped(timed.message), grouped(timed.rounds.into()))),
        ("Frames received", grouped(timed.received)),
        (
            "Frame latency",
            format!(
                "{} cycles on average, up to {}",
                fixed(timed.latency.mean, 1),
                grouped(timed.latency.most)
            ),
        ),
        ("Busiest links", busiest.collect::<Vec<_>>().join(", ")),
    ];
    view! {
        <table class="data simulate-points"><tbody>
            {lines.map(|(head, text)| view! { <tr><th scope="row">{head}</th><td>{text}</td></tr> })}
        </tbody></table>
    }
}
