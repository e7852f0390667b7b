//! Simulations: started, followed, stopped, and found again after a reload. The server queues them.

use super::{
    Studio,
    follow::{FollowedWork, Follower},
};
use crate::{
    api, rights,
    state::{
        connection::{Connection, Event},
        simulate::{Curve, Curves, Stage},
        words::{problem_faults, problem_words},
    },
    work::{Turn, Work},
};
use leptos::{prelude::*, task::spawn_local};
use shared::{
    api::{FormTexts, Problem, StartWork, WorkKind},
    simulation::{GroupRule, OpenTraffic, SimulationForm, SimulationReport, SimulationRequest, Traffic},
};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Max number of simulations with an event stream: browsers open few connections to a server.
const MAX_STREAMS: usize = 2;
/// Milliseconds between requests for the others.
const PACE: u32 = 2000;

/// The connections to the simulations of this page.
pub type Simulator = Follower<Simulations>;

/// Simulations.
#[derive(Clone, Copy)]
pub struct Simulations {
    /// Ids of those with an event stream.
    followed: StoredValue<Vec<String>>,
    /// Asks for the others.
    rest: Work,
}

impl FollowedWork for Simulations {
    type Report = SimulationReport;

    fn connection(studio: Studio, id: &str) -> Option<Connection> {
        studio.result.curves.with_untracked(|curves| match curves.of_id(id)?.stage {
            Stage::Followed(connection) => Some(connection),
            _ => None,
        })
    }

    fn update(studio: Studio, id: &str, event: Event<SimulationReport>) {
        let number = studio.result.curves.with_untracked(|curves| Some(curves.of_id(id)?.number));
        if let Some(number) = number {
            change(studio, number, |curve| curve.apply(event));
        }
    }
}

impl Simulations {
    /// Creates it with nothing to follow.
    pub fn new() -> Simulations {
        Simulations { followed: StoredValue::new(Vec::new()), rest: Work::new() }
    }
}

/// Changes a simulation, if it is on the list.
fn change(studio: Studio, number: u32, change: impl FnOnce(&mut Curve)) {
    studio.result.curves.update(|curves| curves.change(number, change));
}

/// `true` if a simulation needs the spec: for its demand, its job or its wiring.
pub fn needs_spec(form: &SimulationRequest) -> bool {
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
    /// Simulates what the form says.
    pub fn start(self, studio: Studio) {
        let form = studio.session.simulate.with_untracked(|form| form.texts().clone());
        let number = studio.result.curves.try_update(|curves| curves.add(Curve { form, ..Curve::default() }));
        self.ask(studio, number.into_iter().collect());
    }

    /// Simulates everything on the list that has no result here.
    pub fn all(self, studio: Studio) {
        let listed = |curve: &&Curve| curve.stage == Stage::Listed && curve.view.is_none();
        let listed = |curves: &Curves| curves.all().iter().filter(listed).map(|curve| curve.number).collect();
        self.ask(studio, studio.result.curves.with_untracked(listed));
    }

    /// Stops all simulations of this page.
    pub fn stop(self, studio: Studio) {
        studio.result.curves.update(Curves::unask);
        let own = unfinished(studio).into_iter().filter(|id| rights::may_stop(id));
        own.for_each(|id| self.stop_work(studio, id));
    }

    /// Removes a simulation from the list, and stops it if it is not over.
    pub fn remove(self, studio: Studio, number: u32) {
        let live = |curves: &Curves| curves.get(number).filter(|curve| curve.is_live())?.id.clone();
        if let Some(id) = studio.result.curves.with_untracked(live) {
            discard(id);
        }
        studio.result.curves.update(|curves| curves.remove(number));
    }

    /// Simulates entries of the list in this order, on the wiring that is on screen now.
    pub fn ask(self, studio: Studio, numbers: Vec<u32>) {
        let prepared = numbers.into_iter().filter_map(|number| Some((number, prepare(studio, number)?)));
        let prepared: Vec<(u32, StartWork)> = prepared.collect();
        spawn_local(async move {
            for (number, request) in prepared {
                // It may be removed or stopped meanwhile.
                let is_asking =
                    |curves: &Curves| curves.get(number).is_some_and(|c| c.stage == Stage::Asking);
                let is_wanted = || studio.result.curves.with_untracked(is_asking);
                if !is_wanted() {
                    continue;
                }
                match api::start(&request, None).await {
                    Ok(view) if is_wanted() => {
                        change(studio, number, |curve| curve.apply(Event::Fetched(Box::new(view))));
                        self.find_again(studio);
                    }
                    Ok(view) => discard(view.id),
                    Err(problem) => refuse(studio, number, problem),
                }
            }
        });
    }

    /// Follows the first unfinished simulations.
    fn follow_first(self, studio: Studio) {
        let followed = self.kind.followed;
        for id in unfinished(studio) {
            if followed.with_value(|ids| ids.len() == MAX_STREAMS || ids.contains(&id)) {
                continue;
            }
            followed.update_value(|ids| ids.push(id.clone()));
            spawn_local(async move {
                if self.follow(studio, id.clone()).await {
                    followed.update_value(|ids| ids.retain(|known| *known != id));
                    self.find_again(studio);
                }
            });
        }
    }

    /// Follows no simulation any more.
    pub fn leave_all(self) {
        self.leave();
        self.kind.rest.cancel();
        self.kind.followed.set_value(Vec::new());
    }

    /// Follows the first unfinished simulations, and asks the server for the others, and for those that this tab has started before
    /// a reload.
    pub fn find_again(self, studio: Studio) {
        let rest = move || -> Vec<(u32, String)> {
            let is_wanted = |curve: &&Curve| curve.is_live() || curve.view.is_none();
            let named = |curve: &Curve| Some((curve.number, curve.id.clone()?));
            let rest = |curves: &Curves| curves.all().iter().filter(is_wanted).filter_map(named).collect();
            let mut rest: Vec<(u32, String)> = studio.result.curves.with_untracked(rest);
            self.kind.followed.with_value(|ids| rest.retain(|(_, id)| !ids.contains(id)));
            rest
        };
        let ask = move |turn: Turn| async move {
            loop {
                self.follow_first(studio);
                for (number, id) in rest() {
                    let answer = api::work(&id).await;
                    turn.is_current().then_some(())?;
                    match answer {
                        Ok(view) => change(studio, number, |curve| curve.apply(Event::Fetched(view))),
                        // Gone from the server: it can be repeated.
                        Err(problem) if problem.status == 404 => change(studio, number, Curve::forget),
                        // Asked again.
                        Err(_) => {}
                    }
                }
                self.follow_first(studio);
                if rest().is_empty() {
                    return Some(());
                }
                turn.wait(PACE).await?;
            }
        };
        self.kind.rest.run(move |turn| Some(ask(turn)), |()| ());
    }
}

/// Ids of the simulations that are not over.
fn unfinished(studio: Studio) -> Vec<String> {
    let ids = |curves: &Curves| curves.unfinished().filter_map(|curve| curve.id.clone()).collect();
    studio.result.curves.with_untracked(ids)
}

/// Stops a simulation that is off the page; the server's answer does not matter.
fn discard(id: String) {
    spawn_local(async move {
        let _ = api::stop(&id).await;
    });
}

/// The request for a simulation of the list, which is then being started; `None` with faults, or without the wiring or valid spec
/// that it needs.
fn prepare(studio: Studio, number: u32) -> Option<StartWork> {
    let form = studio.result.curves.with_untracked(|curves| Some(curves.get(number)?.form.clone()))?;
    let request = request(studio, &form);
    change(studio, number, |curve| match &request {
        Some(request) => {
            let of = fingerprint_of(request);
            *curve = Curve { number, form, of, stage: Stage::Asking, ..Curve::default() };
        }
        None => curve.stage = Stage::Refused(vec!["no wiring, or the spec or a field has errors".into()]),
    });
    request
}

fn request(studio: Studio, form: &SimulationForm) -> Option<StartWork> {
    let asked = form.read().ok()?;
    let held = || Some(studio.result.held.get_untracked()?.table.to_string());
    let table = if asked.fabric.is_none() { Some(held()?) } else { None };
    let needs_spec = needs_spec(&asked);
    if needs_spec && studio.result.resolved.with_untracked(Result::is_err) {
        return None;
    }
    let (kind, spec) = (WorkKind::Simulation, needs_spec.then(|| studio.session.text_now()));
    Some(StartWork { kind, spec, table, form: FormTexts::of(&[form]), ..StartWork::default() })
}

/// Fingerprint of the wiring and spec of a request; `None` if it has neither.
pub fn fingerprint_of(asked: &StartWork) -> Option<u64> {
    asked.spec.as_ref().map(|spec| fingerprint(spec, asked.table.as_deref()))
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
    let table = table.filter(|_| curve.form.fabric.trim().is_empty());
    studio.session.draft.with(|d| fingerprint(&d.document().text, table.as_deref())) != of
}

/// Shows a refusal beside the fields if the form is unchanged, else in the list.
fn refuse(studio: Studio, number: u32, problem: Problem) {
    let same = studio.result.curves.with_untracked(|curves| {
        let now = studio.session.simulate.with_untracked(|form| form.texts().clone().without_unused());
        curves.get(number).is_some_and(|curve| curve.form == now)
    });
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
