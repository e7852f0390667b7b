//! The form: network, traffic and loads in sight, times and rules folded away.

use crate::{
    components::{Choice, Field, FieldView, field_id},
    state::simulate::SimulateForm,
    studio::Studio,
};
use leptos::prelude::*;
use shared::{
    demand,
    fabric::{fit, kinds::KINDS},
    form::Described,
    simulation::{TRAFFICS, TypedSimulation},
};

/// The choice of a network that is typed.
const TYPED: &str = "…";
/// First text of a typed network.
const EXAMPLE: &str = "mesh:4x4";

/// The traffic that each pattern of the spec is an option of.
const PATTERN: &str = "pattern";

/// Fields before the folded ones.
const IN_SIGHT: [&str; 11] = [
    "fabric",
    "traffic",
    "node",
    "share",
    "loads",
    "saturate",
    "message",
    "rounds",
    "routing",
    "paths",
    "random_placement",
];

/// All fields.
#[component]
pub fn Form() -> impl IntoView {
    let studio = Studio::here();
    let timed = Memo::new(move |_| studio.session.simulate.with(SimulateForm::is_timed));
    let hot_spot = Memo::new(move |_| studio.session.simulate.with(SimulateForm::is_hot_spot));
    let rules = TypedSimulation::SCHEMA.fields.iter().filter(|field| !IN_SIGHT.contains(&field.key));
    view! {
        <div class="simulate-form">
            <Network/>
            <Traffic/>
            {move || hot_spot.get().then(|| ["node", "share"].map(|key| input(studio, key)))}
            {move || if timed.get() { ["message", "rounds"] } else { ["loads", "saturate"] }.map(|key| input(studio, key))}
            {["routing", "paths", "random_placement"].map(|key| input(studio, key))}
        </div>
        <details class="simulate-rules">
            <summary>"Times and rules"</summary>
            <p class="hint">"Defaults are those of the VLAN paper, section 4.1. A cycle is the time of a flit on the fastest link."</p>
            <div class="simulate-form">{rules.map(|field| input(studio, field.key)).collect_view()}</div>
        </details>
    }
}

/// The input of a field.
fn input(studio: Studio, key: &'static str) -> impl IntoView {
    let form = studio.session.simulate;
    let value = Signal::derive(move || form.with(|form| form.text(key).to_owned()));
    view! {
        <FieldView field=TypedSimulation::field(key) id=field_id("simulate", key) value=value fault=fault_of(studio, key)
            on_input=move |text| form.update(|form| form.set(key, text))/>
    }
}

fn fault_of(studio: Studio, key: &'static str) -> Signal<Option<String>> {
    Signal::derive(move || studio.session.simulate.with(|form| form.fault(key)))
}

/// The design, a network of each kind for the same hosts, or a typed one.
#[component]
fn Network() -> impl IntoView {
    let studio = Studio::here();
    let options = Memo::new(move |_| {
        let mut options = vec![(String::new(), "This design".to_owned())];
        options.extend(networks(studio));
        options.push((TYPED.into(), "Another network …".into()));
        options
    });
    let value = Memo::new(move |_| {
        studio.session.simulate.with(|form| {
            let text = form.text("fabric");
            let known = options.with(|options| options.iter().any(|(known, _)| known == text));
            if form.typed_network || !known { TYPED.to_owned() } else { text.to_owned() }
        })
    });
    let choose = move |choice: String| {
        studio.session.simulate.update(|form| {
            form.typed_network = choice == TYPED;
            if choice != TYPED {
                form.set("fabric", choice);
            } else if form.text("fabric").is_empty() {
                form.set("fabric", EXAMPLE.into());
            }
        });
    };
    let typed = Memo::new(move |_| value.with(|value| value == TYPED));
    let fault = fault_of(studio, "fabric");
    let beside = Signal::derive(move || fault.get().filter(|_| !typed.get()));
    let text = Signal::derive(move || studio.session.simulate.with(|form| form.text("fabric").to_owned()));
    view! {
        <Choice id="simulate-network" label="Network" value=value options=options on_choice=choose fault=beside/>
        {move || typed.get().then(|| view! {
            <div class="simulate-typed">
                <Field id="simulate-fabric" label="Kind and sizes" mode="text" value=text fault=fault
                    on_input=move |text| studio.session.simulate.update(|form| form.set("fabric", text))/>
                <details><summary>"Network kinds"</summary>
                    <ul>{KINDS.iter().map(|kind| view! {
                        <li><code>{kind.form}</code>" "{kind.explanation}" Such as "<code>{kind.example}</code>"."</li>
                    }).collect_view()}</ul>
                </details>
            </div>
        })}
    }
}

/// Networks for the hosts of the spec, with the switches of the chosen market.
fn networks(studio: Studio) -> Vec<(String, String)> {
    let Some(spec) = studio.result.asked.with(|asked| asked.as_ref().map(|asked| asked.spec.clone())) else {
        return Vec::new();
    };
    let market = studio.session.prices.with(|prices| prices.market(&spec));
    let market = market.or_else(|_| crate::state::compare::Prices::default().market(&spec));
    let Ok(chosen) = market else { return Vec::new() };
    let all = fit(spec.pes, &chosen.market.limits()).into_iter();
    all.filter_map(|fit| Some((fit.kind.ok()?.text(), fit.entry.title)))
        .map(|(text, title)| (text.clone(), format!("{title}, {text}")))
        .collect()
}

/// Traffic by name, the patterns of the spec among them.
#[component]
fn Traffic() -> impl IntoView {
    let studio = Studio::here();
    let options = Memo::new(move |_| {
        let options = TRAFFICS.iter().map(|traffic| match traffic.name {
            PATTERN => patterns(studio),
            name => vec![(name.to_owned(), traffic.label.to_owned())],
        });
        options.flatten().collect::<Vec<_>>()
    });
    let value = Signal::derive(move || studio.session.simulate.with(|form| form.text("traffic").to_owned()));
    view! {
        <Choice id="simulate-traffic" label="Traffic" value=value options=options fault=fault_of(studio, "traffic")
            on_choice=move |name| studio.session.simulate.update(|form| form.set("traffic", name))/>
    }
}

/// The patterns of the spec that traffic would be of.
fn patterns(studio: Studio) -> Vec<(String, String)> {
    let spec = studio.result.asked.with(|asked| asked.as_ref().map(|asked| asked.spec.clone()));
    let Some(spec) = spec else { return Vec::new() };
    let named = |(number, pattern): (usize, &shared::spec::Pattern)| {
        (format!("pattern:{number}"), format!("Pattern {}: {}", number + 1, demand::patterns::label(pattern)))
    };
    spec.patterns.iter().enumerate().map(named).collect()
}
