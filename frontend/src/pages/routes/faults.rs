//! The effect of failed parts, and the worst parts to lose.

use crate::{
    browser,
    state::{choices::is_too_large, routes::Schemes, words::grouped},
};
use leptos::prelude::*;
use shared::{
    analysis::routing::{FaultReport, LostPair, Tally, fault_report, singles},
    demand::Demand,
    design::{Design, Names},
};

/// Max lost pairs that are listed.
const MAX_LOST: usize = 200;

/// Effect of failures on a design.
#[derive(Clone)]
pub struct Reported {
    names: Names,
    requested: u64,
    /// `None` for designs too large for the browser.
    report: Option<FaultReport>,
}

impl Reported {
    /// Computes it, with a pause in which the page draws and takes input.
    pub async fn of(design: &Design, demand: &Demand, schemes: &Schemes) -> Reported {
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
pub fn elsewhere(what: &'static str, command: String) -> impl IntoView {
    view! { <p class="hint elsewhere">{what}<code>{command}</code></p> }
}

/// The damage, the pairs that lose paths, and the worst single parts.
#[component]
pub fn FaultView(report: Reported) -> impl IntoView {
    let Reported { names, requested, report } = report;
    let Some(report) = report else {
        let command = "crosspoint analyze SPEC DESIGN --failed 'sw3 pe7'".to_owned();
        let told = elsewhere(
            "The effect of failures takes too long to compute in the browser for this size. Run: ",
            command,
        );
        return view! { <section class="faults-view" aria-label="Failures" id="faults-view"><h3>"Failures"</h3>{told}</section> }.into_any();
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
    let lines: Vec<_> = pairs
        .iter()
        .map(|pair| {
            let (a, b) = (names.pe(pair.a), names.pe(pair.b));
            view! {
                <tr><th scope="row">{a}" – "{b}</th><td class="number">{format!("{} of {}", pair.has, pair.had)}</td><td>{pair.instead.clone()}</td></tr>
            }
        })
        .collect();
    view! {
        <div class="scroll lost" tabindex="0" role="region" aria-label="Requested pairs that lose paths">
        <table class="data" id="lost-table">
            <thead><tr><th scope="col">"Requested pair"</th><th scope="col" class="number">"shared switches left"</th><th scope="col">"new route"</th></tr></thead>
            <tbody>{lines}</tbody>
        </table>
        </div>
        {(more > 0).then(|| view! { <p class="hint">{format!("and {} more; the export `losses` lists all", grouped(more))}</p> })}
    }
}
