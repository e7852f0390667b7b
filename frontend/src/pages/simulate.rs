//! Simulated traffic on the wiring and on other networks: form, plots, list of simulations.

use crate::{
    browser,
    components::{
        Choice, ColumnChoice, CurveLine, Field, FieldView, Icon, Legend, LegendLine, Plot, Swatch, field_id,
    },
    rights,
    state::{
        columns::{Choosable, Columns},
        compare::Prices,
        simulate::{Curve, Curves, MAX_CURVES, SimulateForm, Stage, Units, conclusion},
        words::{capital, fixed, grouped, percent, time_unit},
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
        self, BusyChannel, CURRENT_SWITCHES, ClosedResult, Latency, Point, SimulationForm, SimulationRequest,
        TRAFFICS, TrafficEntry,
    },
    text,
};

/// Form, controls, plots, list.
#[component]
pub fn Simulate() -> impl IntoView {
    let studio = Studio::here();
    let said = Memo::new(move |_| {
        let counts = |curve: &Curve| !is_outdated(studio, curve);
        studio.result.curves.with(|curves| conclusion(curves, counts))
    });
    let market = Memo::new(move |_| {
        let spec = studio.result.of_asked(|asked| asked.spec.clone())?;
        studio.session.prices.with(|prices| prices.market(&spec).ok()).map(|chosen| chosen.market)
    });
    Effect::new(move |_| {
        if let Some(market) = market.get() {
            studio.session.simulate.update(|form| form.follow(&market));
        }
    });
    view! {
        <p class="conclusion" id="simulate-conclusion" aria-live="polite">
            {move || if said.with(String::is_empty) { "Nothing is simulated yet.".to_owned() } else { said.get() }}</p>
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

/// Gb/s of a flit per cycle, or 1.
fn rates(units: Units) -> f64 {
    units.flit().unwrap_or(1.0)
}

#[component]
fn Plots() -> impl IntoView {
    let studio = Studio::here();
    let curves = studio.result.curves;
    // Flits and cycles if a result lacks the speed of links.
    let is_known = Memo::new(move |_| {
        curves.with(|curves| {
            curves
                .all()
                .iter()
                .filter(|curve| !curve.points().is_empty())
                .all(|curve| curve.units().flit().is_some())
        })
    });
    let lines = move |read: fn(&Point) -> Option<(f64, f64)>, scale: fn(Units, (f64, f64)) -> (f64, f64)| {
        Memo::new(move |_| {
            let is_known = is_known.get();
            curves.with(|curves| {
                let line = |curve: &Curve| {
                    let units = curve.units();
                    let scaled = |point| if is_known { scale(units, point) } else { point };
                    CurveLine {
                        number: curve.number,
                        points: curve.points().iter().filter_map(read).map(scaled).collect(),
                    }
                };
                curves.all().iter().map(line).filter(|line| !line.points.is_empty()).collect::<Vec<_>>()
            })
        })
    };
    let accepted = lines(
        |point| Some((point.offered, point.accepted)),
        |units, (x, y)| (x * rates(units), y * rates(units)),
    );
    let latency = lines(
        |point| (point.latency.frames > 0).then_some((point.offered, point.latency.mean)),
        |units, (x, y)| (x * rates(units), y * units.cycle_ns / 1e9),
    );
    let most = move |lines: Memo<Vec<CurveLine>>, read: fn(&(f64, f64)) -> f64| {
        lines.with(|lines| lines.iter().flat_map(|line| &line.points).map(read).fold(0.0, f64::max))
    };
    let with_diagonal = Signal::derive(move || {
        let end = most(accepted, |point| point.0);
        let mut lines = accepted.get();
        lines.push(CurveLine { number: 0, points: vec![(0.0, 0.0), (end, end)] });
        lines
    });
    let unit =
        Memo::new(
            move |_| if is_known.get() { time_unit(most(latency, |point| point.1)) } else { ("cycles", 1.0) },
        );
    let timed = Signal::derive(move || {
        let factor = unit.get().1;
        let mut lines = latency.get();
        lines.iter_mut().flat_map(|line| &mut line.points).for_each(|point| point.1 *= factor);
        lines
    });
    let rate = move || if is_known.get() { "Gb/s per host" } else { "flits per cycle and host" };
    let of_accepted =
        Signal::derive(move || [format!("Offered, {}", rate()), format!("Accepted, {}", rate())]);
    let of_latency =
        Signal::derive(move || [format!("Offered, {}", rate()), format!("Mean latency, {}", unit.get().0)]);
    let legend = Signal::derive(move || {
        let line = |curve: &Curve| LegendLine {
            number: curve.number,
            name: format!("{}: {}", capital(&curve.network()), curve.form.traffic()),
            code: curve.form.fabric.clone(),
            own: false,
        };
        curves.with(|curves| {
            curves.all().iter().filter(|curve| !curve.points().is_empty()).map(line).collect::<Vec<_>>()
        })
    });
    view! {
        {move || (!accepted.with(Vec::is_empty)).then(|| view! {
            <div class="compare-plots simulate-plots" id="simulate-plots">
                <figure><Plot items=with_diagonal axes=of_accepted dark=studio.view.dark/>
                    <figcaption class="hint">"Accepted traffic. A network saturates where its curve leaves the grey diagonal, on which all that is offered is accepted."</figcaption></figure>
                <figure><Plot items=timed axes=of_latency dark=studio.view.dark/>
                    <figcaption class="hint">"From a frame's creation to the arrival of its last flit."</figcaption></figure>
            </div>
            <Legend lines=legend curves=true dark=studio.view.dark/>
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
        <p class="hint" id="simulate-unit">{move || studio.session.simulate.with(SimulateForm::load_unit)}</p>
        <details class="simulate-rules">
            <summary>"Times and rules"</summary>
            <p class="hint">"The defaults are from Otsuka et al. 2005, section 4.1. "{delays}</p>
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
        <div title=move || text.with(|text| (!text.is_empty()).then(|| text.clone()))>
            <Choice id="simulate-network" label="Network" value=value options=options on_choice=choose fault=beside/>
        </div>
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
    let named = |kind: Box<dyn NetworkKind>| (kind.text(), title(&*kind));
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
    let has_points = Memo::new(move |_| {
        studio.result.curves.with(|curves| curves.all().iter().any(|curve| !curve.points().is_empty()))
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
        {move || has_points.get().then(|| view! { <ColumnChoice table=TABLE all=choosable() columns=studio.view.columns/> })}
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
                    <p title=move || curve.with(|curve| curve.form.fabric.clone())><strong>{number}". "{of(|curve| capital(&curve.network()))}</strong>" "<span class="about">{of(Curve::about)}</span></p>
                    <p class="on-paper">{of(on_paper)}</p>
                    <p><span class="standing" class:fault=bad>{of(Curve::words)}</span>" "
                        <span class="stale" hidden=move || !stale.get()>"Outdated: the wiring or the spec has changed."</span></p>
                    <p class="hint" hidden=move || curve.with(|curve| warnings(curve).is_empty())>{of(warnings)}</p>
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
                        {move || curve.with(|curve| studio.view.columns.with(|columns| figures(curve, columns)))}
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
    format!("Seed {seed}; host links {}; {} cycles", text::speed(speed), grouped(settings.cycles))
}

fn warnings(curve: &Curve) -> String {
    curve.view.as_ref().map_or(String::new(), |view| view.report.warnings.join(" "))
}

fn deadlock(curve: &Curve) -> Option<String> {
    let (load, deadlock) = curve.deadlock()?;
    let at = load.map(|load| format!(" at a load of {}", curve.units().rate(load))).unwrap_or_default();
    let names = deadlock.names.join(", ");
    Some(format!(
        "Deadlock{at} in cycle {}: these full buffers form a cycle: {names}. \
         To drop frames instead, set “Full buffer” to “Drop the frame” (Times and rules).",
        grouped(deadlock.cycle)
    ))
}

fn figures(curve: &Curve, columns: &Columns) -> Option<AnyView> {
    let report = &curve.view.as_ref()?.report;
    Some(match &report.collective {
        Some(timed) => timed_figures(timed, curve.units()).into_any(),
        None => points(&report.points, curve.units(), columns).into_any(),
    })
}

fn busy_words(busy: &BusyChannel) -> String {
    format!("{} {} %", busy.name, fixed(100.0 * f64::from(busy.load), 0))
}

/// The table among those whose columns are chosen.
const TABLE: &str = "simulation";

/// Columns: head, unit, `true` if shown without a choice. Rates are per host.
const HEADS: [(&str, &str, bool); 12] = [
    ("Offered", "per host", true),
    ("Accepted", "per host", true),
    ("Lost", "of the frames", true),
    ("Mean latency", "", true),
    ("Median", "", true),
    ("90 %", "", false),
    ("99 %", "", true),
    ("Maximum", "", true),
    ("Received", "frames", false),
    ("Lost frames", "", false),
    ("In transit", "frames", false),
    ("Busiest link", "of the time", true),
];

fn choosable() -> Vec<Choosable> {
    let column =
        |(head, _, decides): (&str, &str, bool)| Choosable { key: head.into(), title: head.into(), decides };
    HEADS.map(column).into()
}

fn points(points: &[Point], units: Units, columns: &Columns) -> impl IntoView + use<> {
    let shown = choosable().iter().map(|column| columns.shows(TABLE, column)).collect::<Vec<_>>();
    let heads = HEADS.into_iter().zip(&shown).filter(|(_, is_shown)| **is_shown);
    let head = |((head, unit, _), _): ((&'static str, &'static str, bool), _)| view! { <th scope="col" class="number">{head}<span class="unit">{unit}</span></th> };
    let row = |point: &Point| {
        let cells = cells(point, units).into_iter().zip(&shown).filter(|(_, is_shown)| **is_shown);
        let cell = |((cell, exact), _): ((String, String), _)| view! { <td class="number" title=(!exact.is_empty()).then_some(exact)>{cell}</td> };
        view! { <tr class:deadlock=point.deadlock.is_some()>{cells.map(cell).collect_view()}</tr> }
    };
    view! {
        <table class="data simulate-points">
            <thead><tr>{heads.map(head).collect_view()}</tr></thead>
            <tbody>{points.iter().map(row).collect_view()}</tbody>
        </table>
    }
}

/// Cells of a load, each with flits or cycles for its tooltip.
fn cells(point: &Point, units: Units) -> [(String, String); 12] {
    let rate = |flits: f64| (units.rate(flits), format!("{} flits per cycle and host", fixed(flits, 3)));
    let time = |read: fn(&Latency) -> f64| {
        let cycles = point.latency.figure(|latency| fixed(read(latency), 1) + " cycles");
        (point.latency.figure(|latency| units.time(read(latency))), cycles)
    };
    let plain = |text: String| (text, String::new());
    [
        rate(point.offered),
        rate(point.accepted),
        plain(percent(point.lost_share)),
        time(|latency| latency.mean),
        time(|latency| latency.median as f64),
        time(|latency| latency.p90 as f64),
        time(|latency| latency.p99 as f64),
        time(|latency| latency.most as f64),
        plain(grouped(point.received)),
        plain(grouped(point.lost)),
        plain(grouped(point.left)),
        plain(point.busiest.first().map(busy_words).unwrap_or_default()),
    ]
}

fn timed_figures(timed: &ClosedResult, units: Units) -> impl IntoView + use<> {
    let busiest = timed.busiest.iter().map(busy_words);
    let cycles = |cycles: u64| units.time(cycles as f64);
    let mut lines = vec![
        ("Total bandwidth", timed.total()),
        ("Time", format!("{} ({} cycles)", cycles(timed.cycles), grouped(timed.cycles))),
        ("Messages", format!("{} bytes, {} times", grouped(timed.message), grouped(timed.rounds.into()))),
        ("Frames received", grouped(timed.received)),
        (
            "Frame latency",
            format!("{} on average, up to {}", units.time(timed.latency.mean), cycles(timed.latency.most)),
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
        let (offered, accepted) = (units.rate(beside.offered), units.rate(beside.accepted));
        let (share, frames) = (percent(beside.delivered), grouped(beside.frames));
        let loads = format!("{offered} per host offered, {accepted} accepted");
        lines.push(("Background", format!("{loads}; {share} of {frames} frames delivered")));
    }
    view! {
        <table class="data simulate-points"><tbody>
            {lines.into_iter().map(|(head, text)| view! { <tr><th scope="row">{head}</th><td>{text}</td></tr> }).collect_view()}
        </tbody></table>
    }
}
