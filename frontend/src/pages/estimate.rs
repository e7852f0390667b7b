//! The time of a training step on the design and on other networks.
//!
//! The server computes it, at the prices and with the further networks of the comparison.

use crate::{
    browser,
    components::{
        Bar, Bars, ColumnChoice, ColumnHead, FormField, Legend, LegendLine, Mark, Plot, Progress, Standing,
    },
    state::{
        columns::Choosable,
        compare::in_currency,
        drawers::Drawer,
        place::{Pane, Room},
        words::time_unit,
    },
    studio::{
        Studio,
        networks::{NetworkResult, on_networks, prices_currency},
    },
};
use leptos::prelude::*;
use shared::{
    api::WorkKind,
    estimate::{
        COLUMNS, EstimateForm, EstimateReport, EstimateSettings, JOB_COLUMNS, JobStep, NetworkStep, SAME,
        duration, timing,
    },
    form::{Described, Field, Form},
    text::{bytes, grouped, speed},
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
    let NetworkResult { result: report, progress, work } =
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
    let is_outdated = move || progress.with(|p| *p != Progress::Done);
    view! {
        <div class="conclusion" id="estimate-verdict" class:outdated=is_outdated>
            {move || report.with(|report| report.as_ref().map(verdict))}
        </div>
        <Standing id="estimate" going="Computing transfers, frames and failures on all networks…" stage="Estimating network" progress=progress work=work
            done=move || report.with(|report| report.as_ref().map(scope)).unwrap_or_default()/>
        <div class="tools estimate-form">
            {fields(&EstimateForm::SCHEMA.fields[..PLAIN])}
            <p class="hint">"Prices, speeds and extra networks come from Compare. "
                <button type="button" class="plain" on:click=to_compare>"Open Compare"</button></p>
        </div>
        <details class="compare-prices" id="estimate-settings"><summary>"Assumptions"</summary>
            <p class="hint">"The spec's values apply unless you change them here."</p>
            <div class="price-fields">{fields(&EstimateForm::SCHEMA.fields[PLAIN..])}</div>
        </details>
        <div class:outdated=is_outdated>
            {move || report.get().map(|report| view! { <Report report=report/> })}
        </div>
    }
}

/// The conclusion, which is the first sentence, and what it depends on.
fn verdict(report: &EstimateReport) -> impl IntoView + use<> {
    let (first, rest) = report.verdict.split_once(". ").unwrap_or((report.verdict.trim_end_matches('.'), ""));
    // Every second part stands between backticks.
    let parts = rest.split('`').enumerate().map(|(number, part)| match number % 2 {
        0 => part.to_owned().into_any(),
        _ => view! { <code>{part.to_owned()}</code> }.into_any(),
    });
    view! { <p>{format!("{first}.")}</p>" "<p class="rest">{parts.collect_view()}</p> }
}

fn scope(report: &EstimateReport) -> String {
    let (hosts, load) = (grouped(report.hosts.into()), report.load());
    let computing = match (report.compute, report.bubble) {
        (Some(compute), Some(bubble)) => {
            format!("Computing takes {}, the pipeline bubble {}.", duration(compute), duration(bubble))
        }
        _ => report.what_a_step_is().into(),
    };
    format!("{hosts} nodes, {load}. {}, links {}. {computing}", report.market, speed(report.speed))
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
    let timed = || {
        networks.iter().filter_map(|(number, network)| Some((number + 1, network, report.seconds(network)?)))
    };
    let priced = || {
        timed().filter_map(|(number, network, seconds)| Some((number, network, seconds, network.price()?)))
    };
    let picture = picture(studio, &priced().collect::<Vec<_>>());
    let first = networks.first().map(|(_, network)| network.clone());
    let all = columns(first.as_ref());
    let shown = {
        let all = all.clone();
        Memo::new(move |_| studio.view.columns.with(|columns| columns.shown(TABLE, &all)))
    };
    let titles: Vec<(String, &'static str)> = {
        let explanations = COLUMNS.iter().map(|column| column.explanation).chain(std::iter::repeat(""));
        all.iter().map(|column| column.title.clone()).zip(explanations).collect()
    };
    let unit = move |title: &str| if title == "Price" { prices_currency(studio) } else { String::new() };
    let head = move || {
        let shown = titles.iter().zip(shown.get()).filter(|(_, is_shown)| *is_shown);
        let column = |((title, explanation), _): (&(String, &'static str), bool)| {
            view! { <ColumnHead title=title.clone() about=explanation unit=unit(title)/> }
        };
        shown.map(column).collect_view()
    };
    let lines: Vec<Line> = networks.iter().map(|row| Line::of(&report, row)).collect();
    view! {
        {picture}
        <ColumnChoice table=TABLE all=all columns=studio.view.columns/>
        <div class="scroll pinning" tabindex="0" role="region" aria-label="Step times">
            <table class="data compare" id="estimate-table">
                <thead><tr>
                    <th scope="col" class="number">"No."</th>
                    <th scope="col">"Network"</th>
                    {head}
                </tr></thead>
                <tbody>{move || lines.iter().map(|line| line.view(&shown.get())).collect_view()}</tbody>
            </table>
        </div>
        {jobs(&networks)}
        {(!doubts.is_empty()).then(|| view! {
            <div class="note" id="estimate-doubts"><p>"The two models disagree:"</p>
                <ul>{doubts.into_iter().map(|doubt| view! { <li>{doubt}</li> }).collect_view()}</ul></div>
        })}
        {(!missing.is_empty()).then(|| view! { <p class="hint compare-elsewhere">"No estimate: "{missing.join(", ")}"."</p> })}
        {first.map(busiest)}
        <p class="hint" id="estimate-assumptions">{report.assumptions.join(" ")}</p>
        {report.orders.as_ref().map(|orders| view! {
            <p class="hint" id="estimate-orders">{orders.lines().join(" ")}</p>
        })}
        <details class="compare-columns">
            <summary>"How this is computed"</summary>
            <p class="hint">"Each dimension of the job becomes transfers between nodes, spread evenly over all shortest paths, with the best \
                share of detours where that is faster. Any NIC of a node serves any of its GPUs. Dimensions follow one another."</p>
            <dl>{COLUMNS.iter().map(|column| view! { <dt>{column.title}</dt><dd>{column.explanation}</dd> }).collect_view()}</dl>
        </details>
    }
}

/// The table among those whose columns are chosen.
const TABLE: &str = "estimate";

/// The columns, and one for each dimension.
fn columns(first: Option<&NetworkStep>) -> Vec<Choosable> {
    let own = COLUMNS.iter().map(|column| (column.title.to_owned(), column.title.to_owned(), column.decides));
    let dimensions = first.iter().flat_map(|network| &network.dimensions);
    let dimensions =
        dimensions.map(|d| (format!("dimension {}", d.name), format!("{} ({})", d.label, d.name), false));
    own.chain(dimensions).map(|(key, title, decides)| Choosable { key, title, decides }).collect()
}

/// Price against step time; bars of the price if all networks take the same time.
fn picture(studio: Studio, priced: &[(usize, &NetworkStep, f64, f64)]) -> Option<AnyView> {
    let own = |network: &NetworkStep| network.kind == "design";
    let seconds = || priced.iter().map(|(_, _, seconds, _)| *seconds);
    let (least, most) = (seconds().fold(f64::MAX, f64::min), seconds().fold(0.0, f64::max));
    if priced.is_empty() {
        return None;
    }
    let title = move |title: &str| in_currency(title, &prices_currency(studio));
    if most <= least * (1.0 + SAME) {
        let bar = |(number, network, _, price): &(usize, &NetworkStep, f64, f64)| Bar {
            number: *number as u32,
            name: network.title.clone(),
            value: *price,
            words: grouped(price.round() as u64),
            own: own(network),
        };
        let mut bars: Vec<Bar> = priced.iter().map(bar).collect();
        bars.sort_by(|a, b| a.value.total_cmp(&b.value));
        let title = untrack(|| title("Price"));
        let title = format!("{title}. A step takes {} on every network with a price.", duration(most));
        return Some(view! { <div id="estimate-picture"><Bars title=title bars=bars/></div> }.into_any());
    }
    let (unit, factor) = time_unit(most);
    let mark = |(number, network, seconds, price): &(usize, &NetworkStep, f64, f64)| Mark {
        name: number.to_string(),
        x: *price,
        y: seconds * factor,
        own: own(network),
    };
    let line = |(number, network, ..): &(usize, &NetworkStep, f64, f64)| LegendLine {
        number: *number as u32,
        name: network.title.clone(),
        code: if own(network) { String::new() } else { network.text.clone() },
        own: own(network),
    };
    let marks: Vec<Mark> = priced.iter().map(mark).collect();
    let legend: Vec<LegendLine> = priced.iter().map(line).collect();
    let axes = Signal::derive(move || [title("Price"), format!("Step, {unit}")]);
    Some(
        view! {
            <div class="compare-plots" id="estimate-picture">
                <figure><Plot items=Signal::stored(marks) axes=axes dark=studio.view.dark/>
                    <figcaption class="hint">"Lower and further left is better. Networks without a price are not drawn."</figcaption></figure>
                <Legend lines=Signal::stored(legend) dark=studio.view.dark/>
            </div>
        }
        .into_any(),
    )
}

/// A line of the table: all cells, shown or not.
struct Line {
    number: usize,
    title: String,
    code: Option<String>,
    unlike: Option<String>,
    cells: Vec<String>,
}

impl Line {
    fn of(report: &EstimateReport, (number, network): &(usize, NetworkStep)) -> Line {
        let own = COLUMNS.iter().map(|column| column.cell(report, network));
        Line {
            number: number + 1,
            title: network.title.clone(),
            code: (network.kind != "design").then(|| network.text.clone()),
            unlike: network.unlike.clone(),
            cells: own.chain(network.dimensions.iter().map(NetworkStep::dimension_text)).collect(),
        }
    }

    fn view(&self, shown: &[bool]) -> impl IntoView + use<> {
        let cells = self.cells.iter().zip(shown).filter(|(_, is_shown)| **is_shown);
        view! {
            <tr class:own=self.code.is_none()>
                <td class="number">{self.number}</td>
                <th scope="row"><div title=self.code.clone()>{self.title.clone()}</div>
                    {self.unlike.clone().map(|unlike| view! { <span class="hint unlike">{unlike}</span> })}</th>
                {cells.map(|(cell, _)| view! { <td class="number">{cell.clone()}</td> }).collect_view()}
            </tr>
        }
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
