//! Simulations: started one after the other, followed, stopped, and found again after a reload.

use super::{
    Studio,
    follow::{Follower, Kind},
};
use crate::{
    api,
    state::{
        connection::{Connection, Event, Line},
        simulate::{Curve, Curves, SimulateForm, Stage},
        words::{problem_faults, problem_words},
    },
};
use leptos::{prelude::*, task::spawn_local};
use shared::{
    api::Problem,
    simulation::{GroupRule, OpenTraffic, SimulationForm, SimulationView, StartSimulation, Traffic},
};
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

/// The connection to the simulation that is running.
pub type Simulator = Follower<Simulations>;

/// Simulations.
#[derive(Clone, Copy)]
pub struct Simulations;

impl Kind for Simulations {
    type View = SimulationView;
    type Action = Event<SimulationView>;

    fn connection(studio: Studio, id: &str) -> Option<Connection> {
        studio.result.curves.with_untracked(|curves| match curves.of_id(id)?.stage {
            Stage::Followed(connection) => Some(connection),
            _ => None,
        })
    }

    fn update(studio: Studio, id: &str, event: Event<SimulationView>) {
        let number = studio.result.curves.with_untracked(|curves| Some(curves.of_id(id)?.number));
        if let Some(number) = number {
            change(studio, number, |curve| curve.apply(event));
        }
    }

    fn changed(simulator: Simulator, studio: Studio, id: &str) {
        if Self::connection(studio, id).is_some_and(|connection| connection.line == Line::Closed) {
            simulator.next(studio);
        }
    }
}

/// Changes a simulation, if it is on the list.
fn change(studio: Studio, number: u32, change: impl FnOnce(&mut Curve)) {
    studio.result.curves.update(|curves| curves.change(number, change));
}

/// The settings of a simulation, if it is on the list.
fn form_of(studio: Studio, number: u32) -> Option<SimulationForm> {
    studio.result.curves.with_untracked(|curves| Some(curves.get(number)?.form.clone()))
}

/// `true` if a simulation needs the spec: for its demand, its job or its wiring.
pub fn needs_spec(form: &SimulationForm) -> bool {
    let of_spec = |text: &str| {
        let traffic = Traffic::parse(text);
        matches!(traffic, Ok(Traffic::Open(OpenTraffic::Demand | OpenTraffic::Pattern(_))))
    };
    form.fabric.is_none()
        || of_spec(&form.traffic)
        || form.background.as_deref().is_some_and(of_spec)
        || matches!(GroupRule::parse(&form.groups), Some(GroupRule::Along(_)))
}

impl Simulator {
    /// Simulates what the form says, after the simulations in the queue.
    pub fn start(self, studio: Studio) {
        let Ok(form) = studio.session.simulate.with_untracked(SimulateForm::read) else { return };
        let Some(curve) = asked(studio, form) else { return };
        studio.result.curves.update(|curves| {
            curves.add(Curve { stage: Stage::Queued, ..curve });
        });
        self.next(studio);
    }

    /// Repeats a simulation, on the wiring that is on screen now.
    pub fn again(self, studio: Studio, number: u32) {
        let Some(form) = form_of(studio, number) else { return };
        let anew = asked(studio, form);
        change(studio, number, |curve| match anew {
            Some(anew) => *curve = Curve { number, stage: Stage::Queued, ..anew },
            None => curve.stage = Stage::Refused(vec!["no wiring, or the spec has faults".into()]),
        });
        self.next(studio);
    }

    /// Simulates everything on the list that has no result here.
    pub fn all(self, studio: Studio) {
        let listed = studio.result.curves.with_untracked(|curves| {
            let listed = curves.all().iter().filter(|c| c.stage == Stage::Listed && c.view.is_none());
            listed.map(|curve| curve.number).collect::<Vec<_>>()
        });
        listed.into_iter().for_each(|number| self.again(studio, number));
    }

    /// Stops the running simulation and empties the queue.
    pub fn stop(self, studio: Studio) {
        studio.result.curves.update(Curves::unqueue);
        let live = studio.result.curves.with_untracked(|curves| curves.get(curves.live()?)?.id.clone());
        if let Some(id) = live {
            self.stop_job(studio, id);
        }
    }

    /// Removes a simulation from the list, and stops it if it is running.
    pub fn remove(self, studio: Studio, number: u32) {
        let live = |curves: &Curves| curves.get(number).filter(|curve| curve.is_live())?.id.clone();
        let live = studio.result.curves.with_untracked(live);
        if let Some(id) = live {
            self.leave();
            discard(id);
        }
        studio.result.curves.update(|curves| curves.remove(number));
        self.next(studio);
    }

    /// Starts the next simulation of the queue, unless one is running.
    fn next(self, studio: Studio) {
        let next = studio.result.curves.try_update(Curves::take_next).flatten();
        let Some(number) = next else { return };
        let request = studio.result.curves.with_untracked(|curves| curves.get(number)?.asked.clone());
        spawn_local(async move {
            let Some(request) = request else { return };
            match api::start_job::<SimulationView>(&request).await {
                Ok(view) => self.adopt(studio, number, view),
                Err(problem) => {
                    refuse(studio, number, problem);
                    self.next(studio);
                }
            }
        });
    }

    /// Takes a report into the list, and follows the simulation until it is over.
    fn adopt(self, studio: Studio, number: u32, view: SimulationView) {
        let id = view.id.clone();
        if studio.result.curves.with_untracked(|curves| curves.get(number).is_none()) {
            // It was removed while the server was asked.
            discard(id);
            return self.next(studio);
        }
        change(studio, number, |curve| curve.apply(Event::Fetched(view)));
        match Simulations::connection(studio, &id) {
            Some(connection) if connection.line != Line::Closed => self.follow(studio, &id),
            _ => self.next(studio),
        }
    }

    /// Asks the server for the simulations that this tab started before a reload.
    pub fn find_again(self, studio: Studio) {
        let key = studio.session.key.get_untracked();
        let ids = studio.result.curves.with_untracked(|curves| {
            let started = curves.all().iter().filter_map(|curve| Some((curve.number, curve.id.clone()?)));
            started.collect::<Vec<_>>()
        });
        spawn_local(async move {
            for (number, id) in ids {
                let answer = api::job::<SimulationView>(&id).await;
                if studio.session.key.get_untracked() != key {
                    return;
                }
                match answer {
                    Ok(view) => self.adopt(studio, number, view),
                    // Gone from the server: it can be repeated.
                    Err(problem) if problem.status == 404 => {}
                    Err(problem) => return studio.view.show_problem(problem),
                }
            }
        });
    }
}

/// Stops a simulation that is off the page; the server's answer does not matter.
fn discard(id: String) {
    spawn_local(async move {
        let _ = api::stop_job::<SimulationView>(&id).await;
    });
}

/// A simulation with everything the server needs for it; `None` without the wiring or valid spec that it needs.
fn asked(studio: Studio, form: SimulationForm) -> Option<Curve> {
    let (mut spec, mut table) = (None, None);
    if form.fabric.is_none() {
        table = Some(studio.result.held.get_untracked()?.table.to_string());
    }
    if needs_spec(&form) {
        studio.result.resolved.with_untracked(Result::is_ok).then_some(())?;
        spec = Some(studio.session.text_now());
    }
    let of = spec.as_ref().map(|spec| fingerprint(spec, table.as_deref()));
    let request = StartSimulation { spec, table, form: form.clone() };
    Some(Curve { form, asked: Some(Arc::new(request)), of, ..Curve::default() })
}

fn fingerprint(spec: &str, table: Option<&str>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (spec, table).hash(&mut hasher);
    hasher.finish()
}

/// `true` if a simulation is of a wiring or spec that is no longer on screen.
pub fn is_outdated(studio: Studio, curve: &Curve) -> bool {
    let Some(of) = curve.of else { return false };
    let table = studio.result.held.with(|held| held.as_ref().map(|held| held.table.clone()));
    let table = table.filter(|_| curve.form.fabric.is_none());
    studio.session.draft.with(|d| fingerprint(&d.document().text, table.as_deref())) != of
}

/// Shows a refusal beside the fields if the form is unchanged, else in the list.
fn refuse(studio: Studio, number: u32, problem: Problem) {
    let form = form_of(studio, number);
    let same = studio.session.simulate.with_untracked(|now| now.read().ok()) == form && form.is_some();
    if same && !problem.faults.is_empty() {
        studio.session.simulate.update(|form| form.refuse(problem.faults));
        return studio.result.curves.update(|curves| curves.withdraw(number));
    }
    let mut reasons = problem_faults(&problem);
    if reasons.is_empty() {
        reasons.push(problem_words(&problem));
    }
    change(studio, number, |curve| curve.stage = Stage::Refused(reasons));
}
