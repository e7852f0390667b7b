//! The routes of two nodes by every scheme, and the effect of failed parts.

use crate::{
    browser,
    components::Field,
    state::{
        choices::{is_too_large, sentence},
        routes::{self, Schemes, Way},
        words::grouped,
    },
    studio::{Held, Studio},
    work::latest,
};
use leptos::prelude::*;
use shared::{
    analysis::routing::{FaultReport, LostPair, Tally, fault_report, singles},
    demand::Demand,
    design::{Design, Faults, Names, Path},
    exports::{Bundle, DESIGNS, Settings, format},
};
use std::sync::Arc;

/// The scheme whose settings are the page's fields.
const FORMAT: &str = "multipath";
/// The setting of failed parts, as in the routing exports.
const DEAD: &str = "failed";

/// Results for a design and its failed parts.
#[derive(Clone)]
struct Computed {
    held: Held,
    demand: Arc<Demand>,
    schemes: Arc<Schemes>,
    bundle: Arc<Bundle>,
}

/// Routes and failures.
#[component]
pub fn Routes() -> impl IntoView {
    let studio = Studio::here();
    let dead = Memo::new(move |_| studio.session.choices.with(|c| c.text(DEAD)));
    let routes = latest(move |_| {
        let held = studio.result.held.get()?;
        let (demand, dead) = (studio.result.demand_of(&held), dead.get());
        // The field shows its fault.
        Faults::parse(&dead, &held.design).ok()?;
        Some(async move { compute(held, demand, &dead) })
    });
    let report = latest(move |_| {
        let computed = routes.found.get()?.ok()?;
        Some(async move { Reported::of(&computed.held.design, &computed.demand, &computed.schemes).await })
    });
    let standing =
        move || match (routes.work.running.get(), dead_fault(studio, dead), report.work.running.get()) {
            (true, _, _) => Some("Computing routes"),
            (_, Some(_), _) => Some("Showing results for the previous failure set."),
            (_, _, true) => Some("Computing the effect of failures"),
            _ => None,
        };
    view! {
        <Asked dead=dead/>
        <p class="hint finding" role="status">{standing}</p>
        {move || match routes.found.get() {
            None => ().into_any(),
            Some(Err(why)) => view! { <p class="fault" role="alert" id="routes-fault">{why}</p> }.into_any(),
            Some(Ok(computed)) => view! { <Ways computed=computed/> }.into_any(),
        }}
        {move || report.found.get().map(|report| view! { <FaultView report=report/> })}
    }
}

fn compute(held: Held, demand: Option<Arc<Demand>>, dead: &str) -> Result<Computed, String> {
    let large = is_too_large(&held.design);
    let faults = Faults::parse(dead, &held.design).map_err(|unknown| sentence(&unknown.to_string()))?;
    let demand = demand.or_else(|| Demand::build(&held.spec).ok().map(Arc::new));
    let demand = demand.ok_or("The demand of the spec cannot be built.")?;
    let schemes = Schemes::of(&held.spec, &demand, &held.design, &faults, !large);
    let schemes = schemes.map_err(|e| sentence(&e.to_string()))?;
    let settings = with_dead(dead)?;
    let bundle =
        held.bundle(Some(demand.clone()), settings).ok_or("The demand of the spec cannot be built.")?;
    Ok(Computed { held, demand, schemes: Arc::new(schemes), bundle: Arc::new(bundle) })
}

fn with_dead(dead: &str) -> Result<Settings, String> {
    let choice = format!("{DEAD}={dead}");
    let chosen = (!dead.trim().is_empty()).then_some(choice.as_str());
    let format = format(FORMAT).map_err(|e| e.to_string())?;
    Settings::read(format, chosen).map_err(|e| e.to_string())
}

fn dead_fault(studio: Studio, dead: Memo<String>) -> Option<String> {
    let held = studio.result.held.get()?;
    Faults::parse(&dead.get(), &held.design).err().map(|unknown| sentence(&unknown.to_string()))
}

/// The two nodes and the failed parts.
#[component]
fn Asked(dead: Memo<String>) -> impl IntoView {
    let studio = Studio::here();
    let pes = move || studio.result.of_held(|h| h.design.pes()).unwrap_or_default();
    let from = Signal::derive(move || studio.view.ends.with(|e| e.from.clone()));
    let to = Signal::derive(move || studio.view.ends.with(|e| e.to.clone()));
    let fault = move |text: Signal<String>| Signal::derive(move || text.with(|t| routes::pe(t, pes()).err()));
    let wrong = Signal::derive(move || dead_fault(studio, dead));
    let take = move |text| {
        if let Some(setting) = DESIGNS.setting(DEAD) {
            studio.session.choices.update(|c| c.set(setting, text));
        }
    };
    view! {
        <div class="tools routes-asked">
            <Field id="route-from" label="From node" value=from on_input=move |text| studio.view.ends.update(|e| e.from = text) fault=fault(from)/>
            <Field id="route-to" label="To node" value=to on_input=move |text| studio.view.ends.update(|e| e.to = text) fault=fault(to)/>
            <Field id="route-dead" class="wide" label=DESIGNS.setting(DEAD).map_or(DEAD, |setting| setting.field.label) mode="text" value=dead
                placeholder="none, or parts such as sw3 pe7 pe5.ni1" on_input=take fault=wrong/>
        </div>
    }
}

/// Every switch that two nodes share, and the route of each scheme.
#[component]
fn Ways(computed: Computed) -> impl IntoView {
    let studio = Studio::here();
    let pes = computed.held.design.pes();
    let ends = Memo::new(move |_| {
        studio.view.ends.with(|e| routes::pe(&e.from, pes).ok().zip(routes::pe(&e.to, pes).ok()))
    });
    view! {
        {move || ends.get().map(|(from, to)| {
            let names = Names::of(&computed.held.design);
            if from == to {
                return view! { <p class="hint">{format!("{} needs no route to itself.", names.pe(from))}</p> }.into_any();
            }
            let shared = computed.schemes.shared(from, to);
            let basic = computed.schemes.basic(from, to);
            let ways = computed.schemes.ways(&computed.bundle, &computed.held.design, from, to);
            view! {
                <h3>{format!("From {} to {}", names.pe(from), names.pe(to))}</h3>
                {switches(&computed, (from, to), &shared, basic)}
                <div class="scroll" tabindex="0" role="region" aria-label="Schemes">
                <table class="data" id="ways-table">
                    <thead><tr><th scope="col">"Scheme"</th><th scope="col">"Route"</th><th scope="col">"Lines in the exported file"</th></tr></thead>
                    <tbody>{ways.into_iter().map(|way| scheme(way, &names.pe(from))).collect_view()}</tbody>
                </table>
                </div>
                {(!computed.schemes.has_basic()).then(|| elsewhere("The basic scheme chooses a path for every pair, which takes too long here on a machine \
                    of this size. To export the routes of one node: ", format!("crosspoint export SPEC DESIGN --format script --node {from}")))}
            }.into_any()
        })}
    }
}

fn switches(
    computed: &Computed,
    (from, to): (u32, u32),
    shared: &[(Path, bool)],
    basic: Option<u32>,
) -> impl IntoView + use<> {
    let names = Names::of(&computed.held.design);
    if shared.is_empty() {
        let (from, to) = (names.pe(from), names.pe(to));
        let words = format!("{from} and {to} share no switch: packets go through other nodes.");
        return view! { <p class="hint" id="shared-none">{words}</p> }.into_any();
    }
    let port = |pe: u32, switch: u32| {
        let members = computed.held.design.members(switch);
        members.binary_search(&pe).map_or(0, |at| at + 1)
    };
    let lines = shared.iter().map(|&(path, works)| {
        let state = match (works, basic == Some(path.switch)) {
            (false, _) => "failed",
            (true, true) => "basic route",
            (true, false) => "works",
        };
        view! {
            <tr>
                <th scope="row">{names.switch(path.switch)}</th>
                <td class="number">{path.ni}</td><td class="number">{port(from, path.switch)}</td>
                <td class="number">{path.other_ni}</td><td class="number">{port(to, path.switch)}</td>
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

fn scheme(way: Way, pe: &str) -> impl IntoView + use<> {
    let (file, lines) = way.file;
    let none = lines.is_empty();
    let text = lines.iter().map(|(at, line)| format!("{at:>4}  {line}\n")).collect::<String>();
    view! {
        <tr>
            <th scope="row">{way.scheme}</th>
            <td>{way.words}</td>
            <td>
                <p class="hint"><code>{file}</code>{format!(" of {pe}")}{none.then_some(": no line, so nothing is sent to this node")}</p>
                {(!none).then(|| view! { <pre>{text}</pre> })}
            </td>
        </tr>
    }
}

const MAX_LOST: usize = 200;

/// Effect of failures on a design.
#[derive(Clone)]
struct Reported {
    names: Names,
    requested: u64,
    /// `None` for designs too large for the browser.
    report: Option<FaultReport>,
}

impl Reported {
    /// Computes it, with a pause in which the page draws and takes input.
    async fn of(design: &Design, demand: &Demand, schemes: &Schemes) -> Reported {
        let (names, requested) = (Names::of(design), demand.len() as u64);
        if is_too_large(design) {
            return Reported { names, requested, report: None };
        }
        let ranks = singles(demand, schemes.through().working());
        browser::breathe().await;
        let report = fault_report(demand, design, schemes.through(), &ranks, MAX_LOST);
        Reported { names, requested, report: Some(report) }
    }
}

/// A result that the browser does not compute, and the command that does.
fn elsewhere(what: &'static str, command: String) -> impl IntoView {
    view! { <p class="hint elsewhere">{what}<code>{command}</code></p> }
}

/// The damage, the pairs that lose paths, and the worst single parts.
#[component]
fn FaultView(report: Reported) -> impl IntoView {
    let Reported { names, requested, report } = report;
    let Some(report) = report else {
        return view! {
            <section class="faults-view" aria-label="Failures" id="faults-view">
                <h3>"Failures"</h3>
                {elsewhere("The effect of failures takes too long to compute in the browser for this size. Run: ",
                    "crosspoint analyze SPEC DESIGN --failed 'sw3 pe7'".into())}
            </section>
        }
        .into_any();
    };
    let next = if report.dead.is_empty() { "" } else { " next" };
    let worst = [("switch", report.worst_switch.clone()), ("node", report.worst_pe.clone())];
    let worst = worst.into_iter().filter_map(|(part, words)| {
        words.map(|words| view! { <li>{format!("Worst {part} to fail{next}: {words}.")}</li> })
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
