//! The routes of two nodes by every scheme, and the effect of failed parts. The server computes both.

use crate::{
    api,
    components::Field,
    state::{
        choices::{self, sentence},
        words::{grouped, problem_words},
    },
    studio::{ShownWiring, Studio},
    work::latest,
};
use leptos::prelude::*;
use shared::{
    analysis::routing::{FaultReport, LostPair, Tally},
    api::{FailuresRequest, FailuresView, RouteView, RoutesRequest, RoutesView, SharedSwitchView},
    design::Names,
    exports::{DESIGNS, FileScope},
};

const DEAD: &str = choices::FAILED;

/// Answer of the server about a wiring; `None` if it was cancelled.
type ServerAnswer<T> = Option<(Names, Result<T, String>)>;

/// Routes and failures.
#[component]
pub fn Routes() -> impl IntoView {
    let studio = Studio::here();
    let dead = Memo::new(move |_| studio.failed());
    let fault = Memo::new(move |_| dead_fault(studio, dead));
    // The wiring with its failed parts; a field shows what is wrong with them.
    let wiring = move || {
        let held = studio.result.held.get()?;
        held.faults(&dead.get()).ok()?;
        Some((held.spec_text.to_string(), held.table.to_string(), held))
    };
    let ends = Memo::new(move |_| {
        let read = |text: &str| studio.result.of_held(|held| held.part(FileScope::Node, text).ok()).flatten();
        studio.view.ends.with(|e| read(&e.from).zip(read(&e.to)))
    });
    let found = latest(move |turn| {
        let (spec, table, held) = wiring()?;
        let (from, to) = ends.get()?;
        let request = RoutesRequest { spec, table, failed: dead.get(), from, to };
        Some(async move {
            let answer = api::routes(&request, &turn.abort_signal()?).await;
            named(&held, answer)
                .map(|(names, view)| (names, view.map(|view| (request.from, request.to, view))))
        })
    });
    let report = latest(move |turn| {
        let (spec, table, held) = wiring()?;
        let request = FailuresRequest { spec, table, failed: dead.get() };
        Some(async move {
            let answer = api::failures(&request, &turn.abort_signal()?).await;
            named(&held, answer).map(|(names, view)| (names, view.map(|view| (request.failed, view))))
        })
    });
    let standing = move || match (found.work.running.get(), fault.get(), report.work.running.get()) {
        (true, _, _) => Some("Computing routes"),
        (_, Some(_), _) => Some("Showing results for the previous failure set."),
        (_, _, true) => Some("Computing the effect of failures"),
        _ if ends.get().is_none() && found.found.with(Option::is_some) => {
            Some("Showing routes of the previous nodes.")
        }
        _ => None,
    };
    view! {
        <Asked dead=dead dead_fault=fault/>
        <p class="hint finding" role="status">{standing}</p>
        {move || match found.found.get().flatten() {
            None => ().into_any(),
            Some((_, Err(why))) => view! { <p class="fault" role="alert" id="routes-fault">{why}</p> }.into_any(),
            Some((names, Ok((from, to, view)))) => view! { <Ways names=names ends=(from, to) view=view/> }.into_any(),
        }}
        {move || match report.found.get().flatten() {
            None => ().into_any(),
            Some((_, Err(why))) => view! { <p class="fault" role="alert">{why}</p> }.into_any(),
            Some((names, Ok((failed, view)))) => view! { <FaultView names=names failed=failed view=view/> }.into_any(),
        }}
    }
}

fn named<T>(held: &ShownWiring, answer: api::Answer<Option<T>>) -> ServerAnswer<T> {
    let answer = answer.map_err(|problem| problem_words(&problem)).transpose()?;
    Some((held.names(), answer))
}

fn dead_fault(studio: Studio, dead: Memo<String>) -> Option<String> {
    let held = studio.result.held.get()?;
    held.faults(&dead.get()).err().map(|unknown| sentence(&unknown.to_string()))
}

/// The two nodes and the failed parts.
#[component]
fn Asked(dead: Memo<String>, dead_fault: Memo<Option<String>>) -> impl IntoView {
    let studio = Studio::here();
    let read =
        move |text: &str| studio.result.of_held(|held| held.part(FileScope::Node, text).err()).flatten();
    let from = Signal::derive(move || studio.view.ends.with(|e| e.from.clone()));
    let to = Signal::derive(move || studio.view.ends.with(|e| e.to.clone()));
    let fault = move |text: Signal<String>| Signal::derive(move || text.with(|t| read(t)));
    view! {
        <div class="tools routes-asked">
            <Field id="route-from" label="From node" value=from on_input=move |text| studio.view.ends.update(|e| e.from = text) fault=fault(from)/>
            <Field id="route-to" label="To node" value=to on_input=move |text| studio.view.ends.update(|e| e.to = text) fault=fault(to)/>
            <Field id="route-dead" class="wide" label=DESIGNS.setting(DEAD).map_or(DEAD, |setting| setting.field.label) mode="text" value=dead
                placeholder="none, or parts such as sw03 node007 node005.nic1" on_input=move |text| studio.set_failed(text) fault=dead_fault/>
        </div>
    }
}

/// Every switch that two nodes share, and the route of each scheme.
#[component]
fn Ways(names: Names, ends: (u32, u32), view: RoutesView) -> impl IntoView {
    let (from, to) = ends;
    if from == to {
        return view! { <p class="hint">{format!("{} needs no route to itself.", names.pe(from))}</p> }
            .into_any();
    }
    let has_basic = view.has_basic;
    view! {
        <h3>{format!("From {} to {}", names.pe(from), names.pe(to))}</h3>
        {switches(&names, ends, &view.shared)}
        <div class="scroll" tabindex="0" role="region" aria-label="Methods">
        <table class="data" id="ways-table">
            <thead><tr><th scope="col">"Method"</th><th scope="col">"Route"</th><th scope="col">"Lines in the exported file"</th></tr></thead>
            <tbody>{view.routes.into_iter().map(|way| scheme(way, &names.pe(from))).collect_view()}</tbody>
        </table>
        </div>
        {(!has_basic).then(|| elsewhere("The basic routes take too long to compute here for a machine of this size. To export the \
            routes of one node: ", format!("crosspoint export SPEC WIRING --format script --node {from}")))}
    }
    .into_any()
}

fn switches(names: &Names, (from, to): (u32, u32), shared: &[SharedSwitchView]) -> impl IntoView + use<> {
    if shared.is_empty() {
        let (from, to) = (names.pe(from), names.pe(to));
        let words = format!("{from} and {to} share no switch: packets go through other nodes.");
        return view! { <p class="hint" id="shared-none">{words}</p> }.into_any();
    }
    let lines = shared.iter().map(|&SharedSwitchView { switch, nis, ports, works, basic }| {
        let state = match (works, basic) {
            (false, _) => "failed",
            (true, true) => "basic route",
            (true, false) => "works",
        };
        view! {
            <tr>
                <th scope="row">{names.switch(switch)}</th>
                <td class="number">{nis.0}</td><td class="number">{ports.0}</td>
                <td class="number">{nis.1}</td><td class="number">{ports.1}</td>
                <td class:fault={!works}>{state}</td>
            </tr>
        }
    });
    view! {
        <div class="scroll" tabindex="0" role="region" aria-label="Shared switches">
        <table class="data" id="shared-table">
            <thead><tr>
                <th scope="col">"Shared switch"</th>
                <th scope="col" class="number">{format!("NIC of {}", names.pe(from))}</th><th scope="col" class="number">"port"</th>
                <th scope="col" class="number">{format!("NIC of {}", names.pe(to))}</th><th scope="col" class="number">"port"</th>
                <th scope="col">"State"</th>
            </tr></thead>
            <tbody>{lines.collect_view()}</tbody>
        </table>
        </div>
    }
    .into_any()
}

fn scheme(way: RouteView, pe: &str) -> impl IntoView + use<> {
    let RouteView { file, lines, .. } = way;
    let none = lines.is_empty();
    let text = lines.iter().map(|(at, line)| format!("{at:>4}  {line}\n")).collect::<String>();
    view! {
        <tr>
            <th scope="row">{way.scheme}</th>
            <td>{way.words}</td>
            <td>
                <p class="hint"><code>{file}</code>{format!(" of {pe}")}{none.then_some(": no route to this node")}</p>
                {(!none).then(|| view! { <pre>{text}</pre> })}
            </td>
        </tr>
    }
}

/// A result that the browser does not compute, and the command that does.
fn elsewhere(what: &'static str, command: String) -> impl IntoView {
    view! { <p class="hint elsewhere">{what}<code>{command}</code></p> }
}

/// The damage, the pairs that lose paths, and the worst single parts.
#[component]
fn FaultView(names: Names, failed: String, view: FailuresView) -> impl IntoView {
    let FailuresView { requested, report } = view;
    let Some(report) = report else {
        let failed = failed.split_whitespace().collect::<Vec<_>>().join(" ");
        let body = match failed.as_str() {
            "" => view! { <p class="hint">"No failed parts. Enter some above to see their effect."</p> }
                .into_any(),
            parts => elsewhere(
                "The effect of failures takes too long to compute here for this size. Run: ",
                format!("crosspoint analyze SPEC WIRING --failed '{parts}'"),
            )
            .into_any(),
        };
        return view! {
            <section class="faults-view" aria-label="Failures" id="faults-view">
                <h3>"Failures"</h3>
                {body}
            </section>
        }
        .into_any();
    };
    let next = if report.dead.is_empty() { "" } else { " next" };
    let worst = [("switch", report.worst_switch.clone()), ("node", report.worst_pe.clone())];
    let worst = worst.into_iter().filter_map(|(part, words)| {
        words.map(|words| view! { <li>{format!("Worst single {part} failure{next}: {words}.")}</li> })
    });
    let damage = (!report.dead.is_empty()).then(|| taken(&report, requested));
    let pairs = (!report.pairs.is_empty()).then(|| lost(names, &report.pairs, report.damage.requested));
    view! {
        <section class="faults-view" aria-label="Failures" id="faults-view">
            <h3>"Failures"</h3>
            {report.dead.is_empty().then(|| view! { <p class="hint">"No failed parts. Enter some above to see their effect."</p> })}
            {damage}
            <ul class="worst">{worst.collect_view()}</ul>
            {pairs}
        </section>
    }
    .into_any()
}

fn taken(report: &FaultReport, requested: u64) -> impl IntoView + use<> {
    let damage = report.damage;
    let row = |whose: String, tally: Tally| {
        let cells = [tally.fewer, tally.through, tally.nothing, tally.dead];
        view! {
            <tr>
                <th scope="row">{whose}</th>
                {cells.map(|cell| view! { <td class="number">{grouped(cell)}</td> }).collect_view()}
            </tr>
        }
    };
    let unreachable = match damage.unreachable {
        0 => "All working nodes reach each other.".to_owned(),
        pairs => format!("Pairs of working nodes that cannot reach each other: {}.", grouped(pairs)),
    };
    view! {
        <div class="scroll" tabindex="0" role="region" aria-label="Effect of failures">
        <table class="data" id="damage-table">
            <thead><tr>
                <th scope="col">"Pairs that lose paths"</th>
                <th scope="col" class="number">"still share a switch"</th><th scope="col" class="number">"through other nodes"</th>
                <th scope="col" class="number">"no route"</th><th scope="col" class="number">"failed node"</th>
            </tr></thead>
            <tbody>
                {row(format!("of {} requested", grouped(requested)), damage.requested)}
                {row("of all".into(), damage.all)}
            </tbody>
        </table>
        </div>
        <p class="hint">{unreachable}</p>
    }
}

fn lost(names: Names, pairs: &[LostPair], requested: Tally) -> impl IntoView + use<> {
    let all = requested.fewer + requested.lost();
    let more = all.saturating_sub(pairs.len() as u64);
    let line = |pair: &LostPair| {
        view! {
            <tr>
                <th scope="row">{names.pe(pair.a)}" – "{names.pe(pair.b)}</th>
                <td class="number">{format!("{} of {}", pair.has, pair.had)}</td><td>{pair.instead.clone()}</td>
            </tr>
        }
    };
    view! {
        <div class="scroll lost" tabindex="0" role="region" aria-label="Requested pairs that lose paths">
        <table class="data" id="lost-table">
            <thead><tr><th scope="col">"Requested pair"</th><th scope="col" class="number">"shared switches left"</th><th scope="col">"new route"</th></tr></thead>
            <tbody>{pairs.iter().map(line).collect_view()}</tbody>
        </table>
        </div>
        {(more > 0).then(|| view! { <p class="hint">{format!("and {} more; the export `losses` lists all", grouped(more))}</p> })}
    }
}
