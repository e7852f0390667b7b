//! The ways of two PEs by every scheme, and what faults take.

mod faults;

use super::{
    exports::look::bundle,
    results::NoWiring,
    studio::{Held, Studio},
};
use crate::{
    browser,
    components::Field,
    state::{
        choices::is_too_large,
        routes::{self, Schemes, Way},
    },
};
use faults::FaultView;
use leptos::{prelude::*, task::spawn_local};
use shared::{
    analysis::routing::{FaultReport, Faults, Path, fault_report, singles},
    demand::Demand,
    design::Names,
    exports::{Bundle, Setting, Settings, format, settings},
};
use std::sync::Arc;

/// The scheme whose settings the page's fields are.
const FORMAT: &str = "multipath";
/// The setting that names dead parts, as the routing exports have it.
const DEAD: &str = "dead";
/// Most lost pairs that are listed.
const MOST_LOST: usize = 200;

/// What is computed once for a wiring and its faults.
#[derive(Clone)]
struct Computed {
    held: Held,
    schemes: Arc<Schemes>,
    bundle: Arc<Bundle>,
    report: Arc<FaultReport>,
    requested: u64,
}

/// Ways and faults.
#[component]
pub fn Routes() -> impl IntoView {
    let studio = Studio::here();
    let has = Memo::new(move |_| studio.held.with(Option::is_some));
    let found = RwSignal::new(None::<Result<Computed, String>>);
    let finding = RwSignal::new(false);
    let turn = StoredValue::new(0u64);
    Effect::new(move |_| {
        let Some(held) = studio.held.get() else { return };
        let dead = studio.choices.with(|c| c.text(DEAD));
        let demand = studio.demand_of(&held);
        turn.update_value(|n| *n += 1);
        let now = turn.get_value();
        spawn_local(async move {
            browser::sleep(120).await;
            if turn.try_get_value() != Some(now) {
                return;
            }
            let _ = finding.try_set(true);
            browser::breathe().await;
            let _ = found.try_set(Some(compute(held, demand, &dead)));
            let _ = finding.try_set(false);
        });
    });
    view! {
        {move || if has.get() {
            view! {
                <Asked/>
                <p class="hint finding" role="status">{move || finding.get().then_some("Finding routes")}</p>
                {move || match found.get() {
                    None => ().into_any(),
                    Some(Err(why)) => view! { <p class="fault" role="alert" id="routes-fault">{why}</p> }.into_any(),
                    Some(Ok(computed)) => view! { <Ways computed=computed.clone()/><FaultView computed=computed/> }.into_any(),
                }}
            }.into_any()
        } else {
            view! { <NoWiring what="The way of every pair"/> }.into_any()
        }}
    }
}

fn compute(held: Held, demand: Option<Arc<Demand>>, dead: &str) -> Result<Computed, String> {
    if is_too_large(&held.design) {
        return Err("This machine is too large for routes in the browser. `crosspoint analyze SPEC DESIGN --dead 'sw3 pe7'` tells \
                    what faults take, and `crosspoint export SPEC DESIGN --format multipath --pe 0` writes the routes of a PE."
            .into());
    }
    let faults = Faults::parse(dead, &held.design).map_err(|unknown| unknown.to_string())?;
    let demand = demand.or_else(|| Demand::build(&held.spec).ok().map(Arc::new));
    let demand = demand.ok_or("the pairs of the spec cannot be made")?;
    let schemes = Schemes::of(&held.spec, &demand, &held.design, &faults).map_err(|e| e.to_string())?;
    let through = schemes.through();
    let ranks = singles(&demand, through.working());
    let report = fault_report(&demand, &held.design, through, &ranks, MOST_LOST);
    let settings = with_dead(dead)?;
    let bundle =
        bundle(&held, Some(demand.clone()), settings).ok_or("the pairs of the spec cannot be made")?;
    Ok(Computed {
        requested: demand.len() as u64,
        schemes: Arc::new(schemes),
        bundle: Arc::new(bundle),
        report: Arc::new(report),
        held,
    })
}

fn with_dead(dead: &str) -> Result<Settings, String> {
    let choice = format!("{DEAD}={dead}");
    let chosen = (!dead.trim().is_empty()).then_some(choice.as_str());
    let format = format(FORMAT).map_err(|e| e.to_string())?;
    Settings::read(format, chosen).map_err(|e| e.to_string())
}

fn dead_setting() -> Option<&'static Setting> {
    settings().iter().find(|setting| setting.name == DEAD)
}

/// Which two PEs, and what is dead.
#[component]
fn Asked() -> impl IntoView {
    let studio = Studio::here();
    let pes = move || studio.held.with(|h| h.as_ref().map_or(0, |h| h.design.pes()));
    let from = Signal::derive(move || studio.ends.with(|e| e.from.clone()));
    let to = Signal::derive(move || studio.ends.with(|e| e.to.clone()));
    let dead = Signal::derive(move || studio.choices.with(|c| c.text(DEAD)));
    let fault = move |text: Signal<String>| Signal::derive(move || text.with(|t| routes::pe(t, pes()).err()));
    let dead_fault = Signal::derive(move || {
        let held = studio.held.get()?;
        Faults::parse(&dead.get(), &held.design).err().map(|unknown| format!("{unknown}."))
    });
    let take = move |text| {
        if let Some(setting) = dead_setting() {
            studio.choices.update(|c| c.set(setting, text));
        }
    };
    view! {
        <div class="tools routes-asked">
            <Field id="route-from" label="From PE" value=from on_input=move |text| studio.ends.update(|e| e.from = text) fault=fault(from)/>
            <Field id="route-to" label="To PE" value=to on_input=move |text| studio.ends.update(|e| e.to = text) fault=fault(to)/>
            <Field id="route-dead" class="wide" label="Dead parts" mode="text" value=dead placeholder=Signal::derive(|| "none; such as sw3 pe7 pe5.ni1".to_owned())
                on_input=take fault=dead_fault/>
        </div>
    }
}

/// Every switch that two PEs share, and what each scheme makes of them.
#[component]
fn Ways(computed: Computed) -> impl IntoView {
    let studio = Studio::here();
    let pes = computed.held.design.pes();
    let ends = Memo::new(move |_| {
        studio.ends.with(|e| routes::pe(&e.from, pes).ok().zip(routes::pe(&e.to, pes).ok()))
    });
    view! {
        {move || ends.get().map(|(from, to)| {
            let names = Names::of(&computed.held.design);
            if from == to {
                return view! { <p class="hint">{format!("{} needs no way to itself.", names.pe(from))}</p> }.into_any();
            }
            let shared = computed.schemes.shared(from, to);
            let basic = computed.schemes.basic(from, to);
            let ways = computed.schemes.ways(&computed.bundle, &computed.held.design, from, to);
            view! {
                <h3>{format!("From {} to {}", names.pe(from), names.pe(to))}</h3>
                {switches(&computed, (from, to), &shared, basic)}
                <div class="scroll" tabindex="0" role="region" aria-label="Schemes">
                <table class="data" id="ways-table">
                    <thead><tr><th scope="col">"Scheme"</th><th scope="col">"Way"</th><th scope="col">"Lines that make it so"</th></tr></thead>
                    <tbody>{ways.into_iter().map(|way| scheme(way, &names.pe(from))).collect_view()}</tbody>
                </table>
                </div>
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
        let told =
            format!("{} and {} share no switch: packets go through other PEs.", names.pe(from), names.pe(to));
        return view! { <p class="hint" id="shared-none">{told}</p> }.into_any();
    }
    let port = |pe: u32, switch: u32| computed.bundle.port(switch, pe);
    let lines = shared.iter().map(|&(path, works)| {
        let state = match (works, basic == Some(path.switch)) {
            (false, _) => "dead",
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
                <th scope="col" class="number">{format!("NI of {}", names.pe(from))}</th><th scope="col" class="number">"port"</th>
                <th scope="col" class="number">{format!("NI of {}", names.pe(to))}</th><th scope="col" class="number">"port"</th>
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
                <p class="hint"><code>{file}</code>{format!(" of {pe}")}{none.then_some(": no line, so that nothing is sent")}</p>
                {(!none).then(|| view! { <pre>{text}</pre> })}
            </td>
        </tr>
    }
}
