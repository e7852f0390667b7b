//! Simulations on the server: one after the other is asked for, followed and stopped; and found again after a reload.

use crate::{
    api::{self, Events},
    browser,
    pages::{
        aside::identity,
        studio::{Studio, faults_of, in_words},
    },
    state::{
        simulate::{Curve, Curves, SimulateForm, Stage},
        tie::{Heard, Line},
    },
};
use leptos::{prelude::*, task::spawn_local};
use serde::{Deserialize, Serialize};
use shared::{
    api::Problem,
    simulation::{OpenTraffic, SimulationForm, SimulationView, StartSimulation, Traffic},
};
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

/// Where this tab stores its simulations.
const STORED: &str = "crosspoint.simulations";
/// How long a server that has gone is left alone before it is looked for again.
const LOOK_AGAIN: u32 = 2000;

/// The line to the simulation that goes on.
#[derive(Clone, Copy)]
pub struct Simulator {
    events: StoredValue<Option<Events>, LocalStorage>,
}

/// Simulations of a session, as this tab stores them.
#[derive(Serialize, Deserialize)]
struct Stored {
    session: String,
    curves: Vec<StoredCurve>,
}

#[derive(Serialize, Deserialize)]
struct StoredCurve {
    form: SimulationForm,
    of: Option<u64>,
    id: Option<String>,
}

/// Whether the spec's demand is needed for a simulation, or its wiring.
pub fn is_of_spec(form: &SimulationForm) -> bool {
    let along = matches!(
        Traffic::parse(&form.traffic),
        Ok(Traffic::Open(OpenTraffic::Demand | OpenTraffic::Pattern(_)))
    );
    along || form.fabric.is_none()
}

impl Simulator {
    /// Follows nothing yet, but what this tab has stored for the session that is opened.
    pub fn new(studio: Studio) -> Simulator {
        let simulator = Simulator { events: StoredValue::new_local(None) };
        Effect::new(move |_| {
            studio.key.track();
            let session = identity(studio);
            // A copy to edit goes on with what goes on.
            if studio.curves.with_untracked(|curves| curves.live().is_none()) {
                simulator.events.set_value(None);
            }
            if let Some(stored) = stored().filter(|stored| stored.session == session) {
                spawn_local(simulator.find_again(studio, stored));
            }
        });
        let kept = Memo::new(move |_| studio.curves.with(to_store));
        Effect::new(move |_| {
            // A session that is kept from now on has another identity.
            studio.stored.track();
            let (curves, session) = (kept.get(), identity(studio));
            let own = || stored().is_some_and(|stored| stored.session == session);
            if !curves.is_empty() || own() {
                let curves = serde_json::from_str(&curves).unwrap_or_default();
                let text = serde_json::to_string(&Stored { session, curves }).unwrap_or_default();
                browser::store_for_tab(STORED, &text);
            }
        });
        simulator
    }

    /// The one that the page provides.
    pub fn here() -> Simulator {
        expect_context()
    }

    /// Simulates what the form says, after those that wait already.
    pub fn start(self, studio: Studio) {
        let Ok(form) = studio.simulate.with_untracked(SimulateForm::read) else { return };
        let Some(curve) = asked(studio, form) else { return };
        studio.curves.update(|curves| {
            curves.add(Curve { stage: Stage::Queued, ..curve });
        });
        self.next(studio);
    }

    /// Simulates again what is listed, on the wiring that is on screen now.
    pub fn again(self, studio: Studio, number: u32) {
        let form = studio.curves.with_untracked(|curves| curves.get(number).map(|curve| curve.form.clone()));
        let Some(form) = form else { return };
        let anew = asked(studio, form);
        studio.curves.update(|curves| {
            curves.change(number, |curve| match anew {
                Some(anew) => *curve = Curve { number, stage: Stage::Queued, ..anew },
                None => {
                    curve.stage = Stage::Refused(vec!["there is no wiring, or no spec without faults".into()])
                }
            });
        });
        self.next(studio);
    }

    /// Simulates all that is listed and was not simulated here yet.
    pub fn all(self, studio: Studio) {
        let listed = studio.curves.with_untracked(|curves| {
            let listed = curves.all().iter().filter(|c| c.stage == Stage::Listed && c.view.is_none());
            listed.map(|curve| curve.number).collect::<Vec<_>>()
        });
        listed.into_iter().for_each(|number| self.again(studio, number));
    }

    /// Ends what goes on, and what waits does not begin.
    pub fn stop(self, studio: Studio) {
        studio.curves.update(Curves::unqueue);
        let Some((number, id)) = studio.curves.with_untracked(|curves| {
            let curve = curves.get(curves.live()?)?;
            Some((curve.number, curve.view.as_ref()?.id.clone()))
        }) else {
            return;
        };
        hear(studio, number, Heard::Stop);
        spawn_local(async move {
            if let Err(problem) = api::stop_simulation(&id).await {
                studio.problem(problem);
            }
        });
    }

    /// Takes one off the list; the server need not go on with it.
    pub fn remove(self, studio: Studio, number: u32) {
        let live = studio.curves.with_untracked(|curves| {
            let curve = curves.get(number).filter(|curve| curve.is_live())?;
            Some(curve.view.as_ref()?.id.clone())
        });
        if let Some(id) = live {
            self.events.set_value(None);
            // It is off the page; what the server says of it is of no interest.
            spawn_local(async move {
                let _ = api::stop_simulation(&id).await;
            });
        }
        studio.curves.update(|curves| curves.remove(number));
        self.next(studio);
    }

    /// Asks for the next one, unless one goes on.
    fn next(self, studio: Studio) {
        let next = studio.curves.try_update(Curves::take_next).flatten();
        let Some(number) = next else { return };
        let what = studio.curves.with_untracked(|curves| curves.get(number)?.asked.clone());
        spawn_local(async move {
            let Some(what) = what else { return };
            match api::start_simulation(&what).await {
                Ok(view) => self.follow(studio, number, view),
                Err(problem) => {
                    refuse(studio, number, problem);
                    self.next(studio);
                }
            }
        });
    }

    /// Follows a simulation until it is over.
    fn follow(self, studio: Studio, number: u32, view: SimulationView) {
        let id = view.id.clone();
        if studio.curves.with_untracked(|curves| curves.get(number).is_none()) {
            // It was taken off the list while the server was asked.
            spawn_local(async move {
                let _ = api::stop_simulation(&id).await;
            });
            return self.next(studio);
        }
        hear(studio, number, Heard::Found(view));
        if is_over(studio, number) {
            return self.next(studio);
        }
        let heard = id.clone();
        let events = api::follow_simulation(&id, move |told| {
            hear(studio, number, told);
            let given_up = self.events.with_value(|e| e.as_ref().is_some_and(Events::is_closed));
            // Not inside the stream's own callback, which would be freed while it runs.
            if is_over(studio, number) {
                spawn_local(async move {
                    self.events.set_value(None);
                    self.next(studio);
                });
            } else if given_up {
                spawn_local(self.look_again(studio, number, heard.clone()));
            }
        });
        self.events.set_value(events);
    }

    /// Looks for a server that has gone until there is one again.
    async fn look_again(self, studio: Studio, number: u32, id: String) {
        // Several events may have told the same.
        if self.events.with_value(Option::is_none) {
            return;
        }
        self.events.set_value(None);
        loop {
            browser::sleep(LOOK_AGAIN).await;
            let is_live = |curves: &Curves| curves.get(number).is_some_and(Curve::is_live);
            if !studio.curves.with_untracked(is_live) || self.events.with_value(Option::is_some) {
                return;
            }
            match api::simulation(&id).await {
                Ok(view) => return self.follow(studio, number, view),
                Err(problem) if problem.status == 404 => {
                    hear(studio, number, Heard::Missing);
                    return self.next(studio);
                }
                Err(_) => {}
            }
        }
    }

    /// Lists what was stored, and asks the server what became of it.
    async fn find_again(self, studio: Studio, stored: Stored) {
        let mut curves = Curves::default();
        let mut ids = Vec::new();
        for StoredCurve { form, of, id } in stored.curves {
            let number = curves.add(Curve { form, of, ..Curve::default() });
            ids.extend(id.map(|id| (number, id)));
        }
        studio.curves.set(curves);
        for (number, id) in ids {
            let answer = api::simulation(&id).await;
            if identity(studio) != stored.session {
                return;
            }
            match answer {
                Ok(view) => self.follow(studio, number, view),
                // Forgotten: it can be simulated again.
                Err(problem) if problem.status == 404 => {}
                Err(problem) => return studio.problem(problem),
            }
        }
    }
}

fn stored() -> Option<Stored> {
    serde_json::from_str(&browser::stored_for_tab(STORED)?).ok()
}

/// The list of simulations as it is stored; empty for none.
fn to_store(curves: &Curves) -> String {
    let stored = |curve: &Curve| StoredCurve {
        form: curve.form.clone(),
        of: curve.of,
        id: curve.view.as_ref().map(|view| view.id.clone()),
    };
    let all: Vec<StoredCurve> = curves.all().iter().map(stored).collect();
    if all.is_empty() { String::new() } else { serde_json::to_string(&all).unwrap_or_default() }
}

/// A simulation with what the server needs for it; `None` while there is no wiring or spec to simulate.
fn asked(studio: Studio, form: SimulationForm) -> Option<Curve> {
    let (mut spec, mut table) = (None, None);
    if form.fabric.is_none() {
        table = Some(studio.held.get_untracked()?.table.to_string());
    }
    if is_of_spec(&form) {
        studio.resolved.with_untracked(Result::is_ok).then_some(())?;
        spec = Some(studio.session.with_untracked(|session| session.document().text.clone()));
    }
    let of = spec.as_ref().map(|spec| print_of(spec, table.as_deref()));
    let what = StartSimulation { spec, table, form: form.clone() };
    Some(Curve { form, asked: Some(Arc::new(what)), of, ..Curve::default() })
}

/// Tells a spec and a wiring from others.
fn print_of(spec: &str, table: Option<&str>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (spec, table).hash(&mut hasher);
    hasher.finish()
}

/// Whether a simulation is of a wiring or a spec that is not on screen any more.
pub fn is_stale(studio: Studio, curve: &Curve) -> bool {
    let Some(of) = curve.of else { return false };
    let table = studio.held.with(|held| held.as_ref().map(|held| held.table.clone()));
    let table = table.filter(|_| curve.form.fabric.is_none());
    studio.session.with(|session| print_of(&session.document().text, table.as_deref())) != of
}

fn hear(studio: Studio, number: u32, heard: Heard<SimulationView>) {
    studio.curves.update(|curves| curves.change(number, |curve| curve.hear(heard)));
}

fn is_over(studio: Studio, number: u32) -> bool {
    studio.curves.with_untracked(|curves| match curves.get(number).map(|curve| &curve.stage) {
        Some(Stage::Followed(tie)) => tie.line == Line::Closed,
        _ => true,
    })
}

/// What the server refuses is told beside the fields, if the form still says the same; else in the list.
fn refuse(studio: Studio, number: u32, problem: Problem) {
    let form = studio.curves.with_untracked(|curves| curves.get(number).map(|curve| curve.form.clone()));
    let same = studio.simulate.with_untracked(|now| now.read().ok()) == form && form.is_some();
    if same && !problem.faults.is_empty() {
        studio.simulate.update(|form| form.refuse(problem.faults));
        return studio.curves.update(|curves| curves.withdraw(number));
    }
    let mut reasons = faults_of(&problem);
    if reasons.is_empty() {
        reasons.push(in_words(&problem));
    }
    studio.curves.update(|curves| curves.change(number, |curve| curve.stage = Stage::Refused(reasons)));
}
