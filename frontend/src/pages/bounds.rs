//! Bounds that no design can beat, beside the values of the design on screen.

use crate::{
    components::{Term, cited},
    state::{
        terms::explanation,
        words::{count, grouped, percent, weight},
    },
    studio::{Limits, Studio, ValidSpec, WiringVerdict},
};
use leptos::prelude::*;
use shared::{
    analysis::{
        bounds::Mark,
        cost::{CableCounts, Price, cost},
        leftout::weight_served,
    },
    estimate::duration,
    spec::{Objective, Spec},
};

/// Weight served, both bounds with their reasons, and the price of the hardware.
#[component]
pub fn Bounds() -> impl IntoView {
    let studio = Studio::here();
    view! {
        {move || studio.result.asked.get().map(|asked| {
            let judged = studio.result.judged.get();
            // Values of an outdated wiring say nothing about this spec.
            let judged = judged.filter(|judged| !judged.spec_changed);
            let served = served(&asked, judged.as_ref());
            view! {
                <dl class="bounds">
                    {served.into_iter().map(|(id, name, value)| view! { <div><dt>{name}</dt><dd id=id>{value}</dd></div> }).collect_view()}
                    {hardware(&asked, judged.as_ref())}
                    {(!asked.spec.has_only_cables()).then(|| view! {
                        <div><dt>{term("switches allowed")}</dt><dd>{asked.spec.switch_limit().map_or("no limit".to_owned(), |most| grouped(most.into()))}</dd></div>
                    })}
                    {price(&asked, judged.as_ref()).map(|(name, price)| view! { <div><dt>{term(name)}</dt><dd id="price">{price}</dd></div> })}
                </dl>
                <details class="source" id="bounds-why"><summary>"Why these bounds"</summary>{asked.limits().map(reasons)}</details>
                {judged.as_ref().and_then(|judged| judged.connections.clone()).map(|found| view! {
                    <details class="source" id="connections"><summary>{found.counts.to_string()}</summary><p>{found.settings.to_string()}</p></details>
                })}
                {asked.limits.and_then(Result::err).map(|why| view! {
                    <p class="fault" id="bounds-missing" role="status">{format!("No bounds. {why} ")}
                        <button type="button" class="link" id="bounds-again" on:click=move |_| studio.result.recount.notify()>"Retry"</button>
                    </p>
                })}
            }
        })}
    }
}

/// Served weight and extra links of a design, and the least time of a step.
fn served(asked: &ValidSpec, judged: Option<&WiringVerdict>) -> Vec<(&'static str, &'static str, String)> {
    let mut rows = Vec::new();
    let verdict = judged.map(|judged| &judged.verdict);
    if let Some(verdict) = verdict.filter(|_| asked.spec.objective == Objective::Fractional) {
        let (share, of) = (percent(weight_served(verdict)), weight(verdict.requested_weight));
        rows.push(("weight-covered", "weight covered", format!("{share} of {of}")));
    }
    if let Some(verdict) = verdict.filter(|verdict| verdict.wished > 0) {
        let (granted, wished) = (grouped(verdict.granted), grouped(verdict.wished));
        rows.push(("wished", "extra links provided", format!("{granted} of {wished}")));
    }
    let bare =
        judged.map_or(0, |judged| asked.spec.total_nis().saturating_sub(judged.design.cables() as u64));
    if bare > 0 {
        rows.push(("bare", "NICs without a cable", grouped(bare)));
    }
    if let Some(bound) = asked.limits().and_then(|limits| limits.bounds.time.as_ref()) {
        rows.push(("time-bound", "least time of a step", duration(bound.step)));
    }
    rows
}

/// Both bounds of the hardware, with the values of the design on screen if it covers all pairs.
fn hardware(asked: &ValidSpec, judged: Option<&WiringVerdict>) -> AnyView {
    let bounds = asked.limits().map(|limits| &limits.bounds);
    let only_cables = asked.spec.has_only_cables();
    let [switches, least] = if only_cables { ["cables", "min cables"] } else { ["switches", "min switches"] };
    // Values of a design with uncovered pairs say nothing about the bounds.
    match judged.filter(|j| j.verdict.holds()).and_then(|j| j.standing.as_ref()) {
        // A cable has two ends, whatever the wiring.
        Some(standing) => view! {
            {(!only_cables).then(|| view! {
                <div><dt>{term("fullest switch")}</dt><dd id="port-bound">{words(&standing.ports)}</dd></div>
            })}
            <div><dt>{term(switches)}</dt><dd id="switch-bound">{words(&standing.switches)}</dd></div>
        }
        .into_any(),
        None => {
            let goal = if asked.spec.objective == Objective::Fractional { " to serve all" } else { "" };
            view! {
                <div><dt>{term("min switch width")}{goal}</dt><dd id="port-bound">{bounds.map_or_else(unknown, |bounds| width(&asked.spec, bounds.ports.ports))}</dd></div>
                <div><dt>{term(least)}{goal}</dt><dd id="switch-bound">{bounds.map_or_else(unknown, |bounds| grouped(u64::from(bounds.switches.switches)))}</dd></div>
            }
            .into_any()
        }
    }
}

/// Ports that a switch needs, with those that all models reserve beside them.
fn width(spec: &Spec, ports: u32) -> String {
    let reserved = spec.switches.iter().map(|model| model.reserve).min().unwrap_or(0);
    let ports = count(ports.into(), "port");
    if reserved > 0 { format!("{ports} and {} reserved", grouped(reserved.into())) } else { ports }
}

/// Shown until the bounds are known.
fn unknown() -> String {
    "–".into()
}

/// Highlights "optimal" where a bound is met.
fn words(mark: &Mark) -> impl IntoView + use<> {
    let start = mark.optimal.then(|| mark.words.strip_suffix("optimal").map(str::to_owned)).flatten();
    match start {
        Some(start) => view! { {start}<strong class="optimal">"optimal"</strong> }.into_any(),
        None => mark.words.clone().into_any(),
    }
}

fn reasons(limits: &Limits) -> impl IntoView + use<> {
    let shown = Studio::here().view;
    let (ports, switches) = (&limits.bounds.ports, &limits.bounds.switches);
    let time = limits.bounds.time.as_ref();
    let time = time.map(|bound| ("Time: ", bound.reason.clone(), bound.source.clone()));
    let all = [
        Some(("Width: ", ports.reason.clone(), ports.source.clone())),
        Some(("Number: ", switches.reason.clone(), switches.source.clone())),
        time,
    ];
    view! {
        {all.into_iter().flatten().map(|(side, reason, source)| {
            let source = (!source.is_empty()).then(|| cited(&source, move || shown.read("references")));
            view! { <p>{side}{reason}{source.map(|source| view! { " ("{source}")" })}"."</p> }
        }).collect_view()}
        <p>"Smaller values are proven impossible. Even these minimums may not suffice."</p>
    }
}

/// The price of the design on screen, or of the spec with a cable in every NIC; `None` without any price, or if no wiring can exist.
fn price(asked: &ValidSpec, judged: Option<&WiringVerdict>) -> Option<(&'static str, String)> {
    let spec = &asked.spec;
    let (name, price) = match judged {
        Some(judged) => ("price of this design", cost(spec, &judged.design).0),
        None if asked.refusal().is_some() => return None,
        None => ("price with all NICs cabled", Price::of(spec, &CableCounts::whole(spec))),
    };
    Some((name, price.text()?))
}

/// A word with its explanation.
fn term(word: &'static str) -> impl IntoView {
    let view = Studio::here().view;
    view! { <Term word=word about=explanation(word) on_open=move || view.explain(word)/> }
}
