//! The time of a training step on the design and on other networks.
//!
//! The server computes it, at the prices and with the further networks of the comparison.

use crate::{
    browser,
    components::{FormField, Mark, Plot, Progress, Standing},
    state::{
        drawers::Drawer,
        place::{Pane, Room},
    },
    studio::{
        Studio,
        networks::{OnNetworks, on_networks},
    },
};
use leptos::prelude::*;
use shared::{
    api::WorkKind,
    estimate::{
        COLUMNS, EstimateForm, EstimateReport, EstimateSettings, JOB_COLUMNS, JobStep, NetworkStep, duration,
        timing,
    },
    form::{Described, Field, Form},
    text::{bytes, grouped},
};

/// Milliseconds without a change before an estimate begins.
const PAUSE: u32 = 400;

/// Fields of the form that are always visible. The others are assumptions.
const PLAIN: usize = 2;

/// Step times side by side.
#[component]
pub fn StepTime() -> impl IntoView {
    let studio = Studio::here();
    let has_traffic = Memo::new(move |_| {
        studio.result.asked.with(|asked| asked.as_ref().is_some_and(|asked| timing::has_traffic(&asked.spec)))
    });
    let to_job = move |_| {
        studio.view.pane.set(Pane::Spec);
        studio.view.show(Room::Design);
        studio.view.drawer.set(Some(Drawer::Job));
    };
    view! {
        {move || match has_traffic.get() {
            true => view! { <Estimate/> }.into_any(),
            false => view! {
                <p class="empty">"Step times need a training job in the spec, or measured traffic alone. "
                    <button type="button" id="estimate-job" on:click=to_job>"Go to training job"</button></p>
            }.into_any(),
        }}
    }
}

#[component]
fn Estimate() -> impl IntoView {
    let studio = Studio::here();
    let form = studio.session.estimate;
    let of_spec = Memo::new(move |_| {
        studio.result.asked.with(|asked| {
            asked.as_ref().map_or_else(EstimateSettings::default, |asked| asked.spec.assumptions)
        })
    });
    let faults = Memo::new(move |_| {
        form.with(|form| form.read(&of_spec.get()).err().map_or(Vec::new(), |faults| faults.0))
    });
    let of_fields = move || {
        let form = form.get();
        form.read(&of_spec.get()).is_ok().then_some(form)
    };
    let OnNetworks { result: report, progress, work } =
        on_networks::<EstimateReport, _>(studio, WorkKind::Estimate, PAUSE, of_fields);
    let to_compare = move |_| {
        studio.view.show(Room::Compare);
        browser::focus(&Room::Compare.id());
    };
    let fields = move |fields: &'static [Field]| {
        let view = |field: &'static Field| {
            let own = Signal::derive(move || {
                let own = of_spec.get().form();
                let text = own.get(field.key).filter(|text| !text.is_empty());
                text.unwrap_or(field.placeholder()).to_owned()
            });
            view! { <FormField form=form name="estimate" key=field.key faults=faults placeholder=own/> }
        };
        fields.iter().map(view).collect_view()
    };
    view! {
        <div class="tools estimate-form">
            {fields(&EstimateForm::SCHEMA.fields[..PLAIN])}
            <p class="hint">"Prices, speeds and more networks are those of the comparison. "
                <button type="button" class="plain" on:click=to_compare>"Open Compare"</button></p>
        </div>
        <details class="compare-prices" id="estimate-settings"><summary>"Assumptions"</summary>
            <p class="hint">"The spec's values apply unless you change them here."</p>
            <div class="price-fields">{fields(&EstimateForm::SCHEMA.fields[PLAIN..])}</div>
        </details>
        <Standing id="estimate" going="Computing transfers, frames and failures on all networks…" stage="Estimating network" progress=progress work=work
            done=move || report.with(|report| report.as_ref().map(scope)).unwrap_or_default()/>
        <div class:outdated=move || progress.with(|p| *p != Progress::Done)>
            {move || report.get().map(|report| view! { <Report report=report/> })}
        </div>
    }
}

fn scope(report: &EstimateReport) -> String {
    let (hosts, load) = (grouped(report.hosts.into()), report.load());
    let computing = match (report.compute, report.bubble) {
        (Some(compute), Some(bubble)) => {
            format!("Computing takes {}, the pipeline bubble {}.", duration(compute), duration(bubble))
        }
        _ => report.what_a_step_is().into(),
    };
    let speed = grouped(report.speed.into());
    format!("{hosts} nodes, {load}. {}, links {speed} Mb/s. {computing}", report.market)
}

#[component]
fn Report(report: EstimateReport) -> impl IntoView {
    let studio = Studio::here();
    let networks: Vec<(usize, NetworkStep)> =
        report.networks.iter().filter(|network| network.missing.is_none()).cloned().enumerate().collect();
    let missing: Vec<String> = report
        .networks
        .iter()
        .filter_map(|network| Some(format!("{} ({})", network.name(), network.missing.as_ref()?)))
        .collect();
    let doubts: Vec<String> = networks.iter().filter_map(|(_, network)| network.doubt()).collect();
    let mark = |(number, network): &(usize, NetworkStep)| {
        let (x, y) = (network.price()?, report.seconds(network)?);
        Some(Mark { name: (number + 1).to_string(), x, y, own: network.kind == "design" })
    };
    let marks: Vec<Mark> = networks.iter().filter_map(mark).collect();
    let first = networks.first().map(|(_, network)| network.clone());
    let head =
        first.iter().flat_map(|network| &network.dimensions).map(|d| format!("{} ({})", d.label, d.name));
    let dimensions = head.collect::<Vec<_>>();
    view! {
        <p id="estimate-verdict"><strong>{report.verdict.clone()}</strong></p>
        <p class="hint" id="estimate-assumptions">{report.assumptions.join(" ")}</p>
        {report.orders.as_ref().map(|orders| view! {
            <p class="hint" id="estimate-orders">{orders.lines().join(" ")}</p>
        })}
        <div class="scroll" tabindex="0" role="region" aria-label="Step times">
            <table class="data compare" id="estimate-table">
                <thead><tr>
                    <th scope="col" class="number">"No."</th>
                    <th scope="col">"Network"</th>
                    {COLUMNS.iter().map(|column| view! {
                        <th scope="col" class="number" title=column.explanation>{column.title}</th>
                    }).collect_view()}
                    {dimensions.into_iter().map(|name| view! { <th scope="col" class="number">{name}</th> }).collect_view()}
                </tr></thead>
                <tbody>{networks.iter().map(|row| line(&report, row)).collect_view()}</tbody>
            </table>
        </div>
        {jobs(&networks)}
        {(!doubts.is_empty()).then(|| view! {
            <div class="note" id="estimate-doubts"><p>"The two means differ:"</p>
                <ul>{doubts.into_iter().map(|doubt| view! { <li>{doubt}</li> }).collect_view()}</ul></div>
        })}
        {(!missing.is_empty()).then(|| view! { <p class="hint compare-elsewhere">"No estimate: "{missing.join(", ")}"."</p> })}
        <div class="compare-plots">
            <figure><Plot items=Signal::stored(marks) axes=["Price", "Step, s"] dark=studio.view.dark/>
                <figcaption class="hint">"Numbers refer to the table. Lower and further left is better."</figcaption></figure>
            {first.map(busiest)}
        </div>
        <details class="compare-columns">
            <summary>"How this is computed"</summary>
            <p class="hint">"Each dimension of the job becomes transfers between nodes, spread evenly over all shortest paths, with the best \
                share of detours where that is faster. Any NIC of a node serves any of its GPUs. Dimensions follow one another."</p>
            <dl>{COLUMNS.iter().map(|column| view! { <dt>{column.title}</dt><dd>{column.explanation}</dd> }).collect_view()}</dl>
        </details>
    }
}

fn line(report: &EstimateReport, (number, network): &(usize, NetworkStep)) -> impl IntoView + use<> {
    let own = network.kind == "design";
    view! {
        <tr class:own=own>
            <td class="number">{number + 1}</td>
            <th scope="row"><div>{network.title.clone()}</div><code>{(!own).then(|| network.text.clone())}</code>
                {network.unlike.clone().map(|unlike| view! { <span class="hint unlike">{unlike}</span> })}</th>
            {COLUMNS.iter().map(|column| view! { <td class="number">{column.cell(report, network)}</td> }).collect_view()}
            {network.dimensions.iter().map(|d| view! {
                <td class="number">{NetworkStep::dimension_text(d)}</td>
            }).collect_view()}
        </tr>
    }
}

/// A row for each job on each network; nothing for a single job.
fn jobs(networks: &[(usize, NetworkStep)]) -> Option<impl IntoView + use<>> {
    let row = |network: &NetworkStep, (number, job): (usize, &JobStep)| {
        let cells = job.cells(number).map(|cell| view! { <td class="number">{cell}</td> });
        view! { <tr><th scope="row">{network.title.clone()}</th>{cells}</tr> }
    };
    let rows: Vec<_> = networks
        .iter()
        .flat_map(|(_, network)| network.jobs.iter().enumerate().map(move |job| row(network, job)))
        .collect();
    (!rows.is_empty()).then(|| view! {
        <table class="data" id="estimate-jobs">
            <caption>"Step of each job"</caption>
            <thead><tr><th scope="col">"Network"</th>
                {JOB_COLUMNS.map(|title| view! { <th scope="col" class="number">{title}</th> })}</tr></thead>
            <tbody>{rows}</tbody>
        </table>
    })
}

/// The busiest links of the first network, and its worst failure.
fn busiest(network: NetworkStep) -> impl IntoView {
    let links = network.busiest.iter().map(|link| {
        let row = [link.name.clone(), bytes(link.bytes), duration(link.seconds)];
        view! { <tr>{row.map(|cell| view! { <td>{cell}</td> })}</tr> }
    });
    view! {
        <div>
            <h4>"Busiest links: "{network.title.clone()}</h4>
            <table class="data"><thead><tr>
                <th scope="col">"Link"</th><th scope="col">"Bytes per step"</th><th scope="col">"At full speed"</th>
            </tr></thead><tbody>{links.collect_view()}</tbody></table>
            <p class="hint" id="estimate-failure">{network.failure_text()}</p>
        </div>
    }
}
