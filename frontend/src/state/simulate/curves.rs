//! The list of simulations. They run one after the other; each is a curve.

use crate::state::{
    connection::{Connection, Event, Line, View},
    words::{count, fixed, grouped, percent},
};
use serde::{Deserialize, Serialize};
use shared::{
    api::RunState,
    fabric::kinds::KINDS,
    form::{Described, Field, Form, Kind},
    simulation::{
        Deadlock, Point, SimulationForm, SimulationProgress, SimulationState, SimulationView,
        StartSimulation, TypedSimulation,
    },
};
use std::sync::Arc;

/// Max number of simulations on the list.
pub const MAX_CURVES: usize = 12;
/// Fields that [`Curve::about`] leaves out: they show elsewhere.
const APART: [&str; 7] = ["fabric", "traffic", "node", "share", "subgroup", "loads", "saturate"];

impl View for SimulationView {
    const NOUN: &'static str = "simulation";

    fn id(&self) -> &str {
        &self.id
    }

    fn state(&self) -> RunState {
        match self.state {
            SimulationState::Running => RunState::Running,
            SimulationState::Done => RunState::Solved,
            SimulationState::Cancelled => RunState::Cancelled,
            SimulationState::Failed => RunState::Failed,
        }
    }
}

/// The stage of a simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Stage {
    /// Not started here: it came with a link, or is no longer on the server.
    #[default]
    Listed,
    /// In the queue.
    Queued,
    /// The request is on its way to the server.
    Asking,
    /// Running on the server, or done.
    Followed(Connection),
    /// Refused by the server, with the reasons.
    Refused(Vec<String>),
}

/// A simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Its number on this page. A number is never used again.
    pub number: u32,
    /// Its settings.
    pub form: SimulationForm,
    /// The request, once it was started.
    pub asked: Option<Arc<StartSimulation>>,
    /// Fingerprint of its wiring and spec; `None` if it uses neither.
    pub of: Option<u64>,
    /// Its progress.
    pub stage: Stage,
    /// Its id on the server, once it was started.
    pub id: Option<String>,
    /// The server's last report.
    pub view: Option<SimulationView>,
}

/// A simulation as a tab stores it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredCurve {
    form: SimulationForm,
    of: Option<u64>,
    id: Option<String>,
}

/// The simulations, by number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curves {
    all: Vec<Curve>,
    last: u32,
}

impl Curves {
    /// Simulations that are not started yet.
    pub fn listed(forms: impl IntoIterator<Item = SimulationForm>) -> Curves {
        let mut curves = Curves::default();
        forms.into_iter().take(MAX_CURVES).for_each(|form| {
            curves.add(Curve { form, ..Curve::default() });
        });
        curves
    }

    /// Simulations that a tab has stored. Those with an id may still be on the server.
    pub fn restored(stored: Vec<StoredCurve>) -> Curves {
        let mut curves = Curves::default();
        for StoredCurve { form, of, id } in stored {
            curves.add(Curve { form, of, id, ..Curve::default() });
        }
        curves
    }

    /// The simulations as a tab stores them.
    pub fn stored(&self) -> Vec<StoredCurve> {
        let stored =
            |curve: &Curve| StoredCurve { form: curve.form.clone(), of: curve.of, id: curve.id.clone() };
        self.all.iter().map(stored).collect()
    }

    /// All simulations.
    pub fn all(&self) -> &[Curve] {
        &self.all
    }

    /// The simulation of an id on the server.
    pub fn of_id(&self, id: &str) -> Option<&Curve> {
        self.all.iter().find(|curve| curve.id.as_deref() == Some(id))
    }

    /// The simulation of a number.
    pub fn get(&self, number: u32) -> Option<&Curve> {
        self.all.iter().find(|curve| curve.number == number)
    }

    /// `true` if the list has room for another.
    pub fn has_room(&self) -> bool {
        self.all.len() < MAX_CURVES
    }

    /// Adds a simulation, and returns its number.
    pub fn add(&mut self, curve: Curve) -> u32 {
        self.last += 1;
        self.all.push(Curve { number: self.last, ..curve });
        self.last
    }

    /// Removes a simulation.
    pub fn remove(&mut self, number: u32) {
        self.all.retain(|curve| curve.number != number);
    }

    /// Removes a refused simulation. If it was the last, the next one gets its number.
    pub fn withdraw(&mut self, number: u32) {
        self.remove(number);
        if number == self.last {
            self.last -= 1;
        }
    }

    /// Changes a simulation, if it is on the list.
    pub fn change(&mut self, number: u32, change: impl FnOnce(&mut Curve)) {
        if let Some(curve) = self.all.iter_mut().find(|curve| curve.number == number) {
            change(curve);
        }
    }

    /// The simulation that is running or being started.
    pub fn live(&self) -> Option<u32> {
        self.all.iter().find(|curve| curve.is_live()).map(|curve| curve.number)
    }

    /// `true` if a simulation is running or queued.
    pub fn is_busy(&self) -> bool {
        self.all.iter().any(|curve| curve.is_live() || curve.stage == Stage::Queued)
    }

    /// Takes the next simulation off the queue, unless one is running.
    pub fn take_next(&mut self) -> Option<u32> {
        if self.live().is_some() {
            return None;
        }
        let next = self.all.iter_mut().find(|curve| curve.stage == Stage::Queued)?;
        next.stage = Stage::Asking;
        Some(next.number)
    }

    /// Empties the queue.
    pub fn unqueue(&mut self) {
        let queued = self.all.iter_mut().filter(|curve| curve.stage == Stage::Queued);
        queued.for_each(|curve| curve.stage = Stage::Listed);
    }
}

impl Curve {
    /// Applies an event.
    pub fn apply(&mut self, event: Event<SimulationView>) {
        if let (Event::Reported(view) | Event::Fetched(view), None) = (&event, &self.view) {
            self.view = Some(view.clone());
        }
        let Some(view) = &mut self.view else { return };
        self.id = Some(view.id.clone());
        let mut connection = match self.stage {
            Stage::Followed(connection) => connection,
            _ => Connection::to(view.state()),
        };
        connection.apply(view, event);
        self.stage = Stage::Followed(connection);
    }

    /// `true` if it is running or being started.
    pub fn is_live(&self) -> bool {
        match self.stage {
            Stage::Asking => true,
            Stage::Followed(connection) => connection.line != Line::Closed,
            Stage::Listed | Stage::Queued | Stage::Refused(_) => false,
        }
    }

    /// The network, in words.
    pub fn network(&self) -> String {
        let Some(text) = &self.form.fabric else { return "Wiring".into() };
        let name = text.split(':').next().unwrap_or_default();
        match KINDS.iter().find(|kind| kind.name == name) {
            Some(kind) => format!("{} {text}", kind.title),
            None => text.clone(),
        }
    }

    /// The traffic and every setting that differs from its default, in words.
    pub fn about(&self) -> String {
        let mut form = TypedSimulation::of(&self.form);
        form.clear_defaults();
        let words = |field: &Field| {
            let text = form.get(field.key).filter(|text| !text.is_empty() && !APART.contains(&field.key))?;
            let choices = field.kind.choices();
            let choice = choices.iter().find(|choice| choice.word == text).map(|choice| choice.label);
            Some(match (field.kind, choice) {
                (Kind::Flag, _) => field.label.to_owned(),
                (_, Some(label)) => label.to_owned(),
                _ => format!("{} {text} {}", field.label, field.unit).trim_end().to_owned(),
            })
        };
        let settings = TypedSimulation::SCHEMA.fields.iter().filter_map(words);
        std::iter::once(self.form.traffic.clone()).chain(settings).collect::<Vec<_>>().join("; ")
    }

    /// Results so far, a point per load.
    pub fn points(&self) -> &[Point] {
        self.view.as_ref().map_or(&[], |view| &view.report.points)
    }

    /// The first deadlock, with its load unless it was in a timed operation.
    pub fn deadlock(&self) -> Option<(Option<f64>, &Deadlock)> {
        let mut open = self.points().iter().filter_map(|p| Some((Some(p.offered), p.deadlock.as_ref()?)));
        let timed = || self.view.as_ref()?.report.collective.as_ref()?.deadlock.as_ref();
        open.next().or_else(|| timed().map(|deadlock| (None, deadlock)))
    }

    /// The status line.
    pub fn words(&self) -> String {
        match (&self.stage, &self.view) {
            (Stage::Listed, None) => "Not simulated here yet".into(),
            (Stage::Queued, _) => "Queued".into(),
            (Stage::Asking, _) => "Starting".into(),
            (Stage::Refused(reasons), _) => format!("Refused: {}", reasons.join("; ")),
            (Stage::Followed(connection), Some(view)) => {
                connection.words(view.state(), &status(view, connection.stopping))
            }
            (_, Some(view)) => status(view, false),
            (Stage::Followed(_), None) => String::new(),
        }
    }
}

fn status(view: &SimulationView, stopping: bool) -> String {
    let found = found(view);
    match view.state {
        SimulationState::Running if stopping => "Stopping".into(),
        SimulationState::Running => {
            format!("{}{}{found}", done(view), foreseen(view))
        }
        SimulationState::Done => format!("Done{found}"),
        SimulationState::Cancelled => format!("Stopped{found}"),
        SimulationState::Failed => format!("Failed: {}", view.message),
    }
}

/// The share that is done.
fn done(view: &SimulationView) -> String {
    let loads = |number: usize| count(number as u64, "load") + " done";
    match (&view.report.progress, view.report.points.len()) {
        (Some(SimulationProgress { share: Some(share), .. }), _) => format!("{} done", percent(*share)),
        (Some(SimulationProgress { loads: running, .. }), done) if !running.is_empty() => {
            let running =
                running.iter().map(|load| format!("{} at {}", fixed(load.offered, 3), percent(load.share)));
            format!("{}, load {}", loads(done), running.collect::<Vec<_>>().join(", "))
        }
        (_, done) => loads(done),
    }
}

/// The estimated time, until the share done says more.
fn foreseen(view: &SimulationView) -> String {
    let share = view.report.progress.as_ref().and_then(|progress| progress.share);
    match share.is_none_or(|share| share < 0.1) {
        true => format!("; about {} in total", span(view.foreseen_seconds)),
        false => String::new(),
    }
}

/// An estimate in seconds or minutes.
fn span(seconds: f64) -> String {
    match seconds {
        s if s < 1.5 => "1 s".into(),
        s if s < 120.0 => format!("{s:.0} s"),
        s => format!("{:.0} min", s / 60.0),
    }
}

/// The results so far, after a semicolon; empty if there are none.
fn found(view: &SimulationView) -> String {
    let report = &view.report;
    if let Some(timed) = &report.collective {
        let (done, bandwidth) = (if timed.complete { "" } else { ", incomplete" }, timed.bandwidth / 1000.0);
        let groups = timed.completion.filter(|completion| completion.groups > 1);
        let fastest = groups.map_or(String::new(), |groups| {
            format!(", {} groups from {} cycles on", grouped(groups.groups.into()), grouped(groups.fastest))
        });
        let (bandwidth, cycles) = (fixed(bandwidth, 3), grouped(timed.cycles));
        return format!("; {bandwidth} Gb/s in total, {cycles} cycles{fastest}{done}");
    }
    if let Some(found) = &report.saturation {
        let (most, at, whole) =
            (fixed(found.throughput, 3), fixed(found.offered, 3), fixed(found.sustained, 3));
        let lost = lost(found.lost_share);
        return format!("; throughput {most}{lost} at a load of {at}; at least 98 % accepted up to {whole}");
    }
    let most = report.points.iter().max_by(|a, b| a.accepted.total_cmp(&b.accepted));
    match most.filter(|point| point.accepted > 0.0) {
        Some(point) => format!("; accepted up to {}{}", fixed(point.accepted, 3), lost(point.lost_share)),
        None => String::new(),
    }
}

/// The share of frames lost, unless none is.
fn lost(share: f64) -> String {
    if share > 0.0 { format!(" with {} of the frames lost", percent(share)) } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::simulation::{Saturation, Settings, SimulationReport};

    fn view(state: SimulationState, loads: &[f64]) -> SimulationView {
        let point = |&load: &f64| Point { offered: load, accepted: load / 2.0, ..Point::default() };
        let points = loads.iter().map(point).collect();
        let report = SimulationReport { points, ..SimulationReport::default() };
        SimulationView { id: "a".into(), state, report, foreseen_seconds: 40.0, ..SimulationView::default() }
    }

    fn form(fabric: &str) -> SimulationForm {
        SimulationForm { fabric: Some(fabric.into()), ..SimulationForm::default() }
    }

    #[test]
    fn simulations_start_one_after_the_other() {
        let mut curves = Curves::listed([form("mesh:4x4"), form("torus:4x4"), form("full:9")]);
        assert_eq!((curves.take_next(), curves.is_busy()), (None, false));
        curves.change(1, |curve| curve.stage = Stage::Queued);
        curves.change(3, |curve| curve.stage = Stage::Queued);
        assert_eq!((curves.take_next(), curves.take_next(), curves.live()), (Some(1), None, Some(1)));
        curves.change(1, |curve| curve.apply(Event::Fetched(view(SimulationState::Running, &[]))));
        assert_eq!(curves.take_next(), None);
        curves.change(1, |curve| curve.apply(Event::Reported(view(SimulationState::Done, &[0.5]))));
        assert_eq!((curves.take_next(), curves.live()), (Some(3), Some(3)));
        curves.change(3, |curve| curve.stage = Stage::Refused(vec!["no".into()]));
        curves.change(2, |curve| curve.stage = Stage::Queued);
        curves.unqueue();
        assert_eq!((curves.take_next(), curves.is_busy()), (None, false));
        curves.remove(2);
        assert_eq!((curves.add(Curve::default()), curves.all().len()), (4, 3));
        curves.withdraw(4);
        curves.withdraw(1);
        assert_eq!((curves.add(Curve::default()), curves.all().len()), (4, 2));
    }

    #[test]
    fn the_list_has_a_limit() {
        let curves = Curves::listed((0..30).map(|_| form("full:9")));
        assert_eq!((curves.all().len(), curves.has_room()), (MAX_CURVES, false));
    }

    #[test]
    fn a_curve_describes_its_settings_and_progress() {
        let settings = Settings { buffer: 8, random_placement: true, ..Settings::default() };
        let asked = SimulationForm { settings, routing: Some("dor".into()), ..form("mesh:4x4") };
        let mut curve = Curve { form: asked, ..Curve::default() };
        assert_eq!(curve.network(), "Mesh of switches mesh:4x4");
        let about = "uniform; VLANs, dimension order (DOR); Random placement; Switch buffer 8 frames";
        assert_eq!(curve.about(), about);
        assert_eq!(curve.words(), "Not simulated here yet");
        curve.apply(Event::Fetched(view(SimulationState::Running, &[0.2])));
        curve.apply(Event::Opened);
        assert_eq!(curve.words(), "1 load done; about 40 s in total; accepted up to 0.100");
        curve.apply(Event::Disconnected);
        assert!(curve.words().ends_with("server unreachable, reconnecting"), "{}", curve.words());
        curve.apply(Event::Opened);
        curve.apply(Event::Stop);
        assert_eq!(curve.words(), "Stopping");
        curve.apply(Event::Reported(view(SimulationState::Cancelled, &[0.2])));
        assert_eq!((curve.words().as_str(), curve.is_live()), ("Stopped; accepted up to 0.100", false));
    }

    #[test]
    fn results_are_given_in_figures() {
        let mut found = view(SimulationState::Done, &[0.4, 0.8]);
        found.report.saturation = Some(Saturation {
            throughput: 0.4,
            offered: 0.8,
            lost_share: 0.25,
            sustained: 0.3,
            deadlock_from: None,
        });
        found.report.points[1].deadlock = Some(Deadlock { cycle: 9, ..Deadlock::default() });
        let curve = Curve { view: Some(found), ..Curve::default() };
        assert_eq!(
            curve.words(),
            "Done; throughput 0.400 with 25.00 % of the frames lost at a load of 0.800; at least 98 % accepted up to 0.300"
        );
        assert_eq!(curve.deadlock().map(|(load, deadlock)| (load, deadlock.cycle)), Some((Some(0.8), 9)));
    }
}
