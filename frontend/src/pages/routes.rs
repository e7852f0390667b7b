//! The routes of two nodes by every scheme, and the effect of failed parts.

mod faults;

use crate::{
    components::Field,
    state::{
        choices::{is_too_large, sentence},
        routes::{self, Schemes, Way},
    },
    studio::{Held, Studio},
    work::latest,
};
use faults::{FaultView, Reported, elsewhere};
use leptos::prelude::*;
use shared::{
    demand::Demand,
    design::{Faults, Names, Path},
    exports::{Bundle, DESIGNS, Setting, Settings, format},
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
    let told = move || match (routes.work.running.get(), dead_fault(studio, dead), report.work.running.get())
    {
        (true, _, _) => Some("Computing routes"),
        (_, Some(_), _) => Some("Showing results for the previous failure set."),
        (_, _, true) => Some("Computing the effect of failures"),
        _ => None,
    };
    view! {
        <Asked dead=dead/>
        <p class="hint finding" role="status">{told}</p>
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

fn dead_setting() -> Option<&'static Setting> {
    DESIGNS.setting(DEAD)
}

/// The fault of the failed parts.
fn dead_fault(studio: Studio, dead: Memo<String>) -> Option<String> {
    let held = studio.result.held.get()?;
    Faults::parse(&dead.get(), &held.design).err().map(|unknown| sentence(&unknown.to_string()))
}

/// The two nodes and the failed parts.
#[component]
fn Asked(dead: Memo<String>) -> impl IntoView {
    let studio = Studio::here();
    let pes = move || studio.result.held.with(|h| h.as_ref().map_or(0, |h| h.design.pes()));
    let from = Signal::derive(move || studio.view.ends.with(|e| e.from.clone()));
    let to = Signal::derive(move || studio.view.ends.with(|e| e.to.clone()));
    let fault = move |text: Signal<String>| Signal::derive(move || text.with(|t| routes::pe(t, pes()).err()));
    let wrong = Signal::derive(move || dead_fault(studio, dead));
    let take = move |text| {
        if let Some(setting) = dead_setting() {
            studio.session.choices.update(|c| c.set(setting, text));
        }
    };
    view! {
        <div class="tools routes-asked">
            <Field id="route-from" label="From node" value=from on_input=move |text| studio.view.ends.update(|e| e.from = text) fault=fault(from)/>
            <Field id="route-to" label="To node" value=to on_input=move |text| studio.view.ends.update(|e| e.to = text) fault=fault(to)/>
            <Field id="route-dead" class="wide" label=dead_setting().map_or(DEAD, |setting| setting.field.label) mode="text" value=dead placeholder=Signal::derive(|| "none, or parts such as sw3 pe7 pe5.ni1".to_owned())
                on_input=take fault=wrong/>
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
        let told = format!(
            "{} and {} share no switch: packets go through other nodes.",
            names.pe(from),
            names.pe(to)
        );
        return view! { <p class="hint" id="shared-none">{told}</p> }.into_any();
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
