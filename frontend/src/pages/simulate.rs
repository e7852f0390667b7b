//! Simulated traffic on the wiring and on other networks: form, plots, list of simulations.

use crate::{
    browser,
    components::{Choice, CurveLine, Field, FieldView, Icon, Plot, Swatch, field_id},
    rights,
    state::{
        compare::Prices,
        simulate::{Curve, Curves, MAX_CURVES, SimulateForm, Stage},
        words::{fixed, grouped, percent},
    },
    studio::{
        Studio,
        simulations::{Simulator, is_outdated, needs_spec},
    },
};
use leptos::prelude::*;
use shared::{
    compare::Market,
    demand,
    fabric::{
        NetworkKind, fit,
        kinds::{KINDS, title},
    },
    form::Described,
    simulation::{
        self, BusyChannel, CURRENT_SWITCHES, ClosedResult, Point, SimulationForm, SimulationRequest,
        TRAFFICS, TrafficEntry, time,
    },
};

/// Form, controls, plots, list.
#[component]
pub fn Simulate() -> impl IntoView {
    view! {
        <Form/>
        <Controls/>
        <Plots/>
        <List/>
    }
}

#[component]
fn Controls() -> impl IntoView {
    let (studio, simulator) = (Studio::here(), Simulator::here());
    let unfinished = Memo::new(move |_| {
        let ids = |curves: &Curves| curves.unfinished().map(|curve| curve.id.clone()).collect::<Vec<_>>();
        studio.result.curves.with(ids)
    });
    // Others may run without the right to stop them.
    let busy = Memo::new(move |_| {
        unfinished.with(|ids| ids.iter().any(|id| id.as_ref().is_none_or(|id| rights::may_stop(id))))
    });
    let blocked = Memo::new(move |_| blocked_reason(studio));
    let warnings = move || studio.session.simulate.with(|form| form.warnings());
    let refusal = move || studio.session.simulate.with(|form| form.refusal());
    let progress = move || {
        studio.result.curves.with(|curves| {
            curves.current().map_or(String::new(), |curve| format!("{}: {}.", curve.number, curve.words()))
        })
    };
    // Progress changes too often to be read out; start and result do not.
    let announced = Memo::new(move |_| {
        studio.result.curves.with(|curves| match (curves.current(), curves.all().last()) {
            (Some(curve), _) if curve.is_running() => format!("Simulation {} is running.", curve.number),
            (Some(curve), _) => format!("Simulation {} is queued.", curve.number),
            (None, Some(last)) if last.view.is_some() => {
                format!("Simulation {}: {}.", last.number, last.words())
            }
            _ => String::new(),
        })
    });
    view! {
        <div class="tools simulate-controls">
            <button type="button" class="primary" id="simulate-start" prop:disabled=move || blocked.with(Option::is_some)
                aria-describedby="simulate-reason" on:click=move |_| simulator.start(studio)>"Simulate"</button>
            <button type="button" id="simulate-stop" prop:disabled=move || !busy.get()
                on:click=move |_| simulator.stop(studio)>"Stop"</button>
            <p class="hint" id="simulate-standing">{progress}</p>
            <p class="unseen" role="status">{move || announced.get()}</p>
        </div>
        <p class="fault" id="simulate-reason" hidden=move || blocked.with(Option::is_none)>{move || blocked.get()}</p>
        <p class="hint" id="simulate-warning" hidden=move || warnings().is_empty()>{warnings}</p>
        <p class="fault" id="simulate-refusal" role="alert" hidden=move || refusal().is_none()>{refusal}</p>
    }
}

/// Reason why no simulation can start; `None` if one can.
fn blocked_reason(studio: Studio) -> Option<String> {
    if !studio.result.curves.with(Curves::has_room) {
        return Some(format!("The list is full ({MAX_CURVES} simulations). Remove one first."));
    }
    let Ok(form) = studio.session.simulate.with(|form| form.read()) else {
        return Some("Fix the fields above.".into());
    };
    if form.fabric.is_none() && studio.result.held.with(Option::is_none) {
        let other = "start a search, import a table in the Wiring view, or choose another network";
        return Some(format!("No wiring yet: {other}."));
    }
    if needs_spec(&form) && studio.result.resolved.with(Result::is_err) {
        return Some("Fix the spec first.".into());
    }
    if form.fabric.is_none() {
        let breaks = studio.result.of_judged(|j| !j.verdict.breaches.is_empty()).unwrap_or_default();
        return breaks.then(|| "The wiring breaks rules of the spec; see below the map.".into());
    }
    None
}

type Read = fn(&Point) -> Option<(f64, f64)>;

#[component]
fn Plots() -> impl IntoView {
    let studio = Studio::here();
    let lines = move |read: Read| {
        Memo::new(move |_| {
            studio.result.curves.with(|curves| {
                let line = |curve: &Curve| CurveLine {
                    number: curve.number,
                    points: curve.points().iter().filter_map(read).collect(),
                };
                curves.all().iter().map(line).filter(|line| !line.points.is_empty()).collect::<Vec<_>>()
            })
        })
    };
    let accepted = lines(|point| Some((point.offered, point.accepted)));
    let latency = lines(|point| (point.latency.frames > 0).then_some((point.offered, point.latency.mean)));
    view! {
        {move || (!accepted.with(Vec::is_empty)).then(|| view! {
            <div class="compare-plots simulate-plots" id="simulate-plots">
                <figure><Plot items=accepted.into() axes=["Offered, flits per cycle and host", "Accepted"] dark=studio.view.dark/>
                    <figcaption class="hint">"Accepted traffic. A network saturates where its curve leaves the diagonal."</figcaption></figure>
                <figure><Plot items=latency.into() axes=["Offered, flits per cycle and host", "Mean latency, cycles"] dark=studio.view.dark/>
                    <figcaption class="hint">"From a frame's creation to the arrival of its last flit. Numbers refer to the list below."</figcaption></figure>
            </div>
        })}
    }
}

/// The choice of a network that is typed.
const TYPED: &str = "…";
/// First text of a typed network.
const EXAMPLE: &str = "mesh:4x4";

/// The traffic that each pattern of the spec is an option of.
const PATTERN: &str = "pattern";

/// Fields before the folded ones.
const IN_SIGHT: [&str; 15] = [
    "fabric",
    "traffic",
    "node",
    "share",
    "subgroup",
    "loads",
    "saturate",
    "message",
    "rounds",
    "groups",
    "background",
    "background_load",
    "routing",
    "paths",
    "random_placement",
];

#[component]
fn Form() -> impl IntoView {
    let studio = Studio::here();
    let timed = Memo::new(move |_| studio.session.simulate.with(SimulateForm::is_timed));
    let parameters = Memo::new(move |_| studio.session.simulate.with(SimulateForm::traffic_fields));
    let loaded =
        Memo::new(move |_| timed.get() && studio.session.simulate.with(SimulateForm::has_background));
    let rules = SimulationForm::SCHEMA.fields.iter().filter(|field| !IN_SIGHT.contains(&field.key));
    let delays = move || studio.session.simulate.with(SimulateForm::delays);
    let market = Memo::new(move |_| market(studio));
    let fill = move |_| {
        if let Some(market) = market.get_untracked() {
            studio.session.simulate.update(|form| form.set_current_switches(&market));
        }
    };
    view! {
        <div class="simulate-form">
            <Network/>
            <Traffic/>
            {move || parameters.get().iter().map(|key| input(studio, key)).collect_view()}
            {move || {
                let keys: &[&str] = if timed.get() { &["message", "rounds", "groups"] } else { &["loads", "saturate"] };
                keys.iter().map(|key| input(studio, key)).collect_view()
            }}
            {move || timed.get().then(|| view! { <Background/> })}
            {move || loaded.get().then(|| input(studio, "background_load"))}
            {["routing", "paths", "random_placement"].map(|key| input(studio, key))}
        </div>
        <details class="simulate-rules">
            <summary>"Times and rules"</summary>
            <p class="hint">"Defaults are those of the VLAN paper, section 4.1. "{delays}</p>
            <div class="tools">
                <button type="button" id="simulate-current" prop:disabled=move || market.with(Option::is_none) on:click=fill>
                    "Fill in current switches"</button>
                <p class="hint">{CURRENT_SWITCHES}", with the speeds and latencies of the prices in Compare."</p>
            </div>
            <div class="simulate-form">{rules.map(|field| input(studio, field.key)).collect_view()}</div>
        </details>
    }
}

fn input(studio: Studio, key: &'static str) -> impl IntoView {
    let form = studio.session.simulate;
    let value = Signal::derive(move || form.with(|form| form.text(key).to_owned()));
    view! {
        <FieldView field=SimulationForm::field(key) id=field_id("simulate", key) value=value fault=fault_of(studio, key)
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

/// The chosen market, or the spec's own if the chosen one has faults.
fn market(studio: Studio) -> Option<Market> {
    let spec = studio.result.of_asked(|asked| asked.spec.clone())?;
    let market = studio.session.prices.with(|prices| prices.market(&spec));
    Some(market.or_else(|_| Prices::default().market(&spec)).ok()?.market)
}

/// Networks for the hosts of the spec, with the switches of the chosen market.
fn networks(studio: Studio) -> Vec<(String, String)> {
    let Some((spec, market)) = studio.result.of_asked(|asked| asked.spec.clone()).zip(market(studio)) else {
        return Vec::new();
    };
    let all = fit(spec.pes, &market.limits(spec.mean_nis())).into_iter();
    let named = |kind: Box<dyn NetworkKind>| (kind.text(), format!("{}, {}", title(&*kind), kind.text()));
    all.filter_map(|fit| fit.kind.ok()).map(named).collect()
}

/// Traffic that satisfies `fits`, by name, the patterns of the spec among it.
fn traffics(studio: Studio, fits: impl Fn(&TrafficEntry) -> bool) -> Vec<(String, String)> {
    let options = TRAFFICS.iter().filter(|traffic| fits(traffic)).map(|traffic| match traffic.name {
        PATTERN => patterns(studio),
        name => vec![(name.to_owned(), traffic.label.to_owned())],
    });
    options.flatten().collect()
}

/// Traffic at a load beside a timed operation; one with parameters comes from a link only.
#[component]
fn Background() -> impl IntoView {
    let studio = Studio::here();
    let value =
        Signal::derive(move || studio.session.simulate.with(|form| form.text("background").to_owned()));
    let options = Memo::new(move |_| {
        let is_open = |traffic: &TrafficEntry| {
            traffic.name == PATTERN
                || matches!(simulation::Traffic::parse(traffic.name), Ok(simulation::Traffic::Open(_)))
        };
        let mut options = vec![(String::new(), "None".to_owned())];
        options.extend(traffics(studio, is_open));
        options
    });
    view! {
        <Choice id="simulate-background" label="Background traffic" value=value options=options
            fault=fault_of(studio, "background")
            on_choice=move |name| studio.session.simulate.update(|form| form.set("background", name))/>
    }
}

/// Traffic by name.
#[component]
fn Traffic() -> impl IntoView {
    let studio = Studio::here();
    let options = Memo::new(move |_| traffics(studio, |_| true));
    let value = Signal::derive(move || studio.session.simulate.with(|form| form.text("traffic").to_owned()));
    view! {
        <Choice id="simulate-traffic" label="Traffic" value=value options=options fault=fault_of(studio, "traffic")
            on_choice=move |name| studio.session.simulate.update(|form| form.set("traffic", name))/>
    }
}

/// The patterns of the spec that traffic would be of.
fn patterns(studio: Studio) -> Vec<(String, String)> {
    let spec = studio.result.of_asked(|asked| asked.spec.clone());
    let Some(spec) = spec else { return Vec::new() };
    let named = |(number, pattern): (usize, &shared::spec::Pattern)| {
        let word = format!("pattern:{number}");
        let label = format!("{} ({word})", demand::patterns::label(pattern));
        (word, label)
    };
    spec.patterns.iter().enumerate().map(named).collect()
}

#[component]
fn List() -> impl IntoView {
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
    let idle = move || curve.with(|curve| !curve.is_live());
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
                    <p class="hint" hidden=move || curve.with(|curve| warnings(curve).is_empty())>{of(warnings)}</p>
                    <p class="stale" hidden=move || !stale.get()>"Outdated: the wiring or the spec has changed."</p>
                    <p class="fault deadlock" hidden=move || deadlock().is_none()>{deadlock}</p>
                </div>
                <button type="button" class="again" hidden=move || !idle() on:click=move |_| simulator.ask(studio, vec![number])>"Repeat"</button>
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
    let Ok(SimulationRequest { seed, speed, settings, .. }) = curve.form.read() else {
        return String::new();
    };
    format!("Seed {seed}; host links {} Mb/s; {} cycles", grouped(speed.into()), grouped(settings.cycles))
}

fn warnings(curve: &Curve) -> String {
    curve.view.as_ref().map_or(String::new(), |view| view.report.warnings.join(" "))
}

fn deadlock(curve: &Curve) -> Option<String> {
    let (load, deadlock) = curve.deadlock()?;
    let at = load.map(|load| format!(" at a load of {}", fixed(load, 3))).unwrap_or_default();
    let names = deadlock.names.join(", ");
    Some(format!(
        "Deadlock{at} in cycle {}: these full buffers wait for each other in a circle: {names}. \
         If “Full buffer” is “Drop the frame” (Times and rules), frames are dropped instead.",
        grouped(deadlock.cycle)
    ))
}

fn figures(curve: &Curve) -> Option<AnyView> {
    let report = &curve.view.as_ref()?.report;
    Some(match &report.collective {
        Some(timed) => timed_figures(timed, report.cycle_ns).into_any(),
        None => points(&report.points, report.cycle_ns).into_any(),
    })
}

fn busy_words(busy: &BusyChannel) -> String {
    format!("{} {} %", busy.name, fixed(100.0 * f64::from(busy.load), 0))
}

const HEADS: [(&str, &str); 13] = [
    ("Offered", "flits per cycle and host"),
    ("Accepted", "flits per cycle and host"),
    ("Lost", "of the frames"),
    ("Mean latency", "cycles"),
    ("Mean latency", "time"),
    ("Median", "cycles"),
    ("90 %", "cycles"),
    ("99 %", "cycles"),
    ("Maximum", "cycles"),
    ("Received", "frames"),
    ("Lost", "frames"),
    ("In transit", "frames"),
    ("Busiest link", "of the time"),
];

fn points(points: &[Point], cycle_ns: f64) -> impl IntoView + use<> {
    view! {
        <table class="data simulate-points">
            <thead><tr>{HEADS.map(|(head, unit)| view! { <th scope="col" class="number">{head}<span class="unit">{unit}</span></th> })}</tr></thead>
            <tbody>{points.iter().map(|point| view! {
                <tr class:deadlock=point.deadlock.is_some()>{cells(point, cycle_ns).map(|cell| view! { <td class="number">{cell}</td> })}</tr>
            }).collect_view()}</tbody>
        </table>
    }
}

fn cells(point: &Point, cycle_ns: f64) -> [String; 13] {
    let Point { latency, .. } = point;
    [
        fixed(point.offered, 3),
        fixed(point.accepted, 3),
        percent(point.lost_share),
        latency.figure(|latency| fixed(latency.mean, 1)),
        latency.figure(|latency| time(latency.mean, cycle_ns)),
        latency.figure(|latency| grouped(latency.median)),
        latency.figure(|latency| grouped(latency.p90)),
        latency.figure(|latency| grouped(latency.p99)),
        latency.figure(|latency| grouped(latency.most)),
        grouped(point.received),
        grouped(point.lost),
        grouped(point.left),
        point.busiest.first().map(busy_words).unwrap_or_default(),
    ]
}

fn timed_figures(timed: &ClosedResult, cycle_ns: f64) -> impl IntoView + use<> {
    let busiest = timed.busiest.iter().map(busy_words);
    let cycles = |cycles: u64| format!("{} cycles ({})", grouped(cycles), time(cycles as f64, cycle_ns));
    let mut lines = vec![
        ("Total bandwidth", timed.total()),
        ("Time", cycles(timed.cycles)),
        ("Messages", format!("{} bytes, {} times", grouped(timed.message), grouped(timed.rounds.into()))),
        ("Frames received", grouped(timed.received)),
        (
            "Frame latency",
            format!(
                "{} cycles ({}) on average, up to {}",
                fixed(timed.latency.mean, 1),
                time(timed.latency.mean, cycle_ns),
                cycles(timed.latency.most)
            ),
        ),
        ("Busiest links", busiest.collect::<Vec<_>>().join(", ")),
    ];
    if let Some(groups) = timed.completion.filter(|completion| completion.groups > 1) {
        let [fastest, median, slowest] = [groups.fastest, groups.median, groups.slowest].map(cycles);
        let number = grouped(groups.groups.into());
        lines.push(("Groups", format!("{number}: fastest {fastest}, median {median}, slowest {slowest}")));
    }
    for (head, speed) in
        [("Algorithm bandwidth", timed.algorithm_bandwidth), ("Bus bandwidth", timed.bus_bandwidth)]
    {
        lines.extend(speed.map(|speed| (head, format!("{} GB/s", fixed(speed / 8000.0, 3)))));
    }
    if let Some(beside) = &timed.background {
        let (offered, accepted) = (fixed(beside.offered, 3), fixed(beside.accepted, 3));
        let (share, frames) = (percent(beside.delivered), grouped(beside.frames));
        let loads = format!("{offered} flits per cycle and host offered, {accepted} accepted");
        lines.push(("Background", format!("{loads}; {share} of {frames} frames delivered")));
    }
    view! {
        <table class="data simulate-points"><tbody>
            {lines.into_iter().map(|(head, text)| view! { <tr><th scope="row">{head}</th><td>{text}</td></tr> }).collect_view()}
        </tbody></table>
    }
}
