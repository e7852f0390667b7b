//! The list of simulations; each is a curve.

use super::units::Units;
use crate::state::{
    connection::{Connection, Event, Line, place_words},
    words::{count, fixed, grouped, percent},
};
use serde::{Deserialize, Serialize};
use shared::{
    api::{FormTexts, WorkState, WorkView},
    fabric::kinds::name_of,
    form::{Described, Field, FieldKind, Form},
    simulation::{Deadlock, Point, SimulationForm, SimulationProgress, SimulationReport},
};

/// Max number of simulations on the list.
pub const MAX_CURVES: usize = 12;
/// Fields that [`Curve::about`] leaves out: they show elsewhere.
const APART: [&str; 7] = ["fabric", "traffic", "node", "share", "subgroup", "loads", "saturate"];

/// The stage of a simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Stage {
    /// Not started here: it came with a link, or is no longer on the server.
    #[default]
    Listed,
    /// The request is on its way to the server.
    Asking,
    /// On the server: queued, running or done.
    Followed(Connection),
    /// Refused by the server, with the reasons.
    Refused(Vec<String>),
}

/// A simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Number on this page. A number is never used again.
    pub number: u32,
    /// Settings as typed.
    pub form: SimulationForm,
    /// Fingerprint of its wiring and spec; `None` if it uses neither.
    pub of: Option<u64>,
    /// Progress.
    pub stage: Stage,
    /// Id on the server, once the simulation was started.
    pub id: Option<String>,
    /// The server's last report.
    pub view: Option<WorkView<SimulationReport>>,
}

/// A simulation as a tab stores it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredCurve {
    form: FormTexts,
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
            curves.add(Curve { form: form.form(), of, id, ..Curve::default() });
        }
        curves
    }

    /// The simulations as a tab stores them.
    pub fn stored(&self) -> Vec<StoredCurve> {
        let form = |curve: &Curve| FormTexts::of(&[&curve.form]);
        let stored = |curve: &Curve| StoredCurve { form: form(curve), of: curve.of, id: curve.id.clone() };
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

    /// Adds a simulation without texts of hidden fields, and returns its number.
    pub fn add(&mut self, curve: Curve) -> u32 {
        self.last += 1;
        let form = curve.form.without_unused();
        self.all.push(Curve { number: self.last, form, ..curve });
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

    /// The simulations that are not over: being started, queued or running.
    pub fn unfinished(&self) -> impl Iterator<Item = &Curve> {
        self.all.iter().filter(|curve| curve.is_live())
    }

    /// The first one that runs, else the first one that is not over.
    pub fn current(&self) -> Option<&Curve> {
        self.unfinished().find(|curve| curve.is_running()).or_else(|| self.unfinished().next())
    }

    /// Takes those off the server's way that it has not answered yet.
    pub fn unask(&mut self) {
        let asking = self.all.iter_mut().filter(|curve| curve.stage == Stage::Asking);
        asking.for_each(|curve| curve.stage = Stage::Listed);
    }
}

impl Curve {
    /// Applies an event.
    pub fn apply(&mut self, event: Event<SimulationReport>) {
        if let (Event::Reported(view) | Event::Fetched(view), None) = (&event, &self.view) {
            self.view = Some((**view).clone());
        }
        let Some(view) = &mut self.view else { return };
        self.id = Some(view.id.clone());
        let mut connection = match self.stage {
            Stage::Followed(connection) => connection,
            _ => Connection::to(view.state),
        };
        connection.apply(view, event);
        self.stage = Stage::Followed(connection);
    }

    /// Takes the news that the server no longer has it.
    pub fn forget(&mut self) {
        self.apply(Event::Missing);
        self.id = None;
    }

    /// `true` if it is being started, queued or running.
    pub fn is_live(&self) -> bool {
        match self.stage {
            Stage::Asking => true,
            Stage::Followed(connection) => connection.line != Line::Closed,
            Stage::Listed | Stage::Refused(_) => false,
        }
    }

    /// `true` if it runs on the server.
    pub fn is_running(&self) -> bool {
        self.view.as_ref().is_some_and(|view| view.state == WorkState::Running)
    }

    /// The network in the middle of a sentence.
    pub fn network(&self) -> String {
        match self.form.fabric.trim() {
            "" => "this design".into(),
            text => name_of(text),
        }
    }

    /// Returns the units: speeds of links give seconds and bits. A result of an earlier version has no units.
    pub fn units(&self) -> Units {
        let cycle_ns = self.view.as_ref().map_or(0.0, |view| view.report.cycle_ns);
        let flit_bytes = self.form.read().map_or(0, |form| form.settings.flit_bytes);
        Units { cycle_ns, flit_bytes }
    }

    /// The traffic and every setting that differs from its default, in words.
    pub fn about(&self) -> String {
        let mut form = self.form.clone();
        form.clear_defaults();
        let words = |field: &Field| {
            let text = form.get(field.key).filter(|text| !text.is_empty() && !APART.contains(&field.key))?;
            let choices = field.kind.choices();
            let choice = choices.iter().find(|choice| choice.word == text).map(|choice| choice.label);
            Some(match (field.kind, choice) {
                (FieldKind::Flag, _) => field.label.to_owned(),
                (_, Some(label)) => label.to_owned(),
                _ => format!("{} {text} {}", field.label, field.unit).trim_end().to_owned(),
            })
        };
        let settings = SimulationForm::SCHEMA.fields.iter().filter_map(words);
        std::iter::once(self.form.traffic()).chain(settings).collect::<Vec<_>>().join("; ")
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
            (Stage::Asking, _) => "Starting".into(),
            (Stage::Refused(reasons), _) => format!("Refused: {}", reasons.join("; ")),
            (Stage::Followed(connection), Some(view)) => {
                connection.words(view.state, &status(view, self.units(), connection.stopping))
            }
            (_, Some(view)) => status(view, self.units(), false),
            (Stage::Followed(_), None) => String::new(),
        }
    }
}

fn status(view: &WorkView<SimulationReport>, units: Units, stopping: bool) -> String {
    let found = found(view, units);
    match view.state {
        WorkState::Queued | WorkState::Running if stopping => "Stopping".into(),
        WorkState::Queued => place_words(view.queue),
        WorkState::Running => format!("{}{}{found}", done(view, units), foreseen(view)),
        WorkState::Done | WorkState::Solved | WorkState::Exhausted => format!("Done{found}"),
        WorkState::Cancelled => format!("Stopped{found}"),
        WorkState::Interrupted => format!("Interrupted{found}"),
        WorkState::Failed => format!("Failed: {}", view.message),
    }
}

/// The share that is done.
fn done(view: &WorkView<SimulationReport>, units: Units) -> String {
    let loads = |number: usize| count(number as u64, "load") + " done";
    match (&view.report.progress, view.report.points.len()) {
        (Some(SimulationProgress { share: Some(share), .. }), _) => format!("{} done", percent(*share)),
        (Some(SimulationProgress { loads: running, .. }), done) if !running.is_empty() => {
            let running =
                running.iter().map(|load| format!("{} at {}", units.rate(load.offered), percent(load.share)));
            format!("{}, load {}", loads(done), running.collect::<Vec<_>>().join(", "))
        }
        (_, done) => loads(done),
    }
}

/// The estimated time, until the share done says more.
fn foreseen(view: &WorkView<SimulationReport>) -> String {
    let share = view.report.progress.as_ref().and_then(|progress| progress.share);
    match view.foreseen.filter(|_| share.is_none_or(|share| share < 0.1)) {
        Some(seconds) => format!("; about {} in total", span(seconds)),
        None => String::new(),
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
fn found(view: &WorkView<SimulationReport>, units: Units) -> String {
    let report = &view.report;
    if let Some(timed) = &report.collective {
        let (done, bandwidth) = (if timed.complete { "" } else { ", incomplete" }, timed.bandwidth / 1000.0);
        let groups = timed.completion.filter(|completion| completion.groups > 1);
        let fastest = groups.map_or(String::new(), |groups| {
            format!(
                ", {} groups from {} on",
                grouped(groups.groups.into()),
                units.time(groups.fastest as f64)
            )
        });
        let (bandwidth, time) = (fixed(bandwidth, 3), units.time(timed.cycles as f64));
        return format!("; {bandwidth} Gb/s in total, {time}{fastest}{done}");
    }
    if let Some(found) = &report.saturation {
        let [most, at, whole] =
            [found.throughput, found.offered, found.sustained].map(|rate| units.rate(rate));
        let lost = lost(found.lost_share);
        return format!("; throughput {most}{lost} at a load of {at}; at least 98 % accepted up to {whole}");
    }
    let most = report.points.iter().max_by(|a, b| a.accepted.total_cmp(&b.accepted));
    match most.filter(|point| point.accepted > 0.0) {
        Some(point) => {
            format!("; accepted up to {} per host{}", units.rate(point.accepted), lost(point.lost_share))
        }
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
    use shared::{api::QueueView, simulation::Saturation};

    fn view(state: WorkState, loads: &[f64]) -> WorkView<SimulationReport> {
        let point = |&load: &f64| Point { offered: load, accepted: load / 2.0, ..Point::default() };
        let points = loads.iter().map(point).collect();
        let report = SimulationReport { points, ..SimulationReport::default() };
        WorkView { id: "a".into(), state, report, foreseen: Some(40.0), ..WorkView::default() }
    }

    fn fetched(state: WorkState, loads: &[f64]) -> Event<SimulationReport> {
        Event::Fetched(Box::new(view(state, loads)))
    }

    fn form(fabric: &str) -> SimulationForm {
        SimulationForm { fabric: fabric.into(), ..SimulationForm::default() }
    }

    #[test]
    fn several_simulations_wait_for_their_ends() {
        let mut curves = Curves::listed([form("mesh:4x4"), form("torus:4x4"), form("full:9")]);
        assert!(curves.current().is_none());
        let unfinished = |curves: &Curves| curves.unfinished().map(|curve| curve.number).collect::<Vec<_>>();
        curves.change(1, |curve| curve.apply(fetched(WorkState::Queued, &[])));
        curves.change(2, |curve| curve.apply(fetched(WorkState::Running, &[])));
        curves.change(3, |curve| curve.stage = Stage::Asking);
        assert_eq!(unfinished(&curves), [1, 2, 3]);
        assert_eq!(curves.current().map(|curve| curve.number), Some(2));
        curves.change(2, |curve| curve.apply(fetched(WorkState::Done, &[0.5])));
        assert_eq!(curves.current().map(|curve| curve.number), Some(1));
        curves.unask();
        assert_eq!(unfinished(&curves), [1]);
        curves.change(1, Curve::forget);
        assert_eq!(curves.get(1).map(|curve| curve.words()).as_deref(), Some("No longer on the server"));
        curves.change(1, |curve| curve.stage = Stage::Refused(vec!["no".into()]));
        assert_eq!(unfinished(&curves), [0; 0]);
        curves.remove(2);
        assert_eq!((curves.add(Curve::default()), curves.all().len()), (4, 3));
        curves.withdraw(4);
        curves.withdraw(1);
        assert_eq!((curves.add(Curve::default()), curves.all().len()), (4, 2));
    }

    #[test]
    fn the_server_reports_the_place_in_its_queue() {
        let mut curve = Curve::default();
        curve.apply(fetched(WorkState::Queued, &[]));
        assert_eq!(curve.words(), "Queued");
        let queue = Some(QueueView { ahead: 1, seconds: Some(40.0) });
        let waiting = WorkView { queue, ..view(WorkState::Queued, &[]) };
        curve.apply(Event::Reported(Box::new(waiting)));
        assert_eq!(curve.words(), "Queued, 1 ahead, about 40 s");
        curve.apply(Event::Stop);
        assert_eq!(curve.words(), "Stopping");
    }

    #[test]
    fn the_list_has_a_limit() {
        let curves = Curves::listed((0..30).map(|_| form("full:9")));
        assert_eq!((curves.all().len(), curves.has_room()), (MAX_CURVES, false));
    }

    #[test]
    fn a_listed_simulation_has_no_texts_of_hidden_fields() {
        let (groups, seed) = ("8".to_owned(), "7".to_owned());
        let curves = Curves::listed([SimulationForm { groups, seed: seed.clone(), ..form("full:9") }]);
        assert_eq!(curves.all()[0].form, SimulationForm { seed, ..form("full:9") });
    }

    #[test]
    fn a_curve_describes_its_settings_and_progress() {
        let [buffer, random_placement, routing] = ["8", "true", "dor"].map(str::to_owned);
        let asked = SimulationForm { buffer, random_placement, routing, ..form("mesh:4x4") };
        let mut curve = Curve { form: asked, ..Curve::default() };
        assert_eq!(curve.network(), "2D mesh, 4x4 switches, 1 host each");
        let about = "uniform; VLANs, dimension order (DOR); Random placement; Switch buffer 8 frames";
        assert_eq!(curve.about(), about);
        assert_eq!(curve.words(), "Not simulated here yet");
        curve.apply(fetched(WorkState::Running, &[0.2]));
        curve.apply(Event::Opened);
        assert_eq!(
            curve.words(),
            "1 load done; about 40 s in total; accepted up to 0.100 flits per cycle per host"
        );
        curve.apply(Event::Disconnected);
        assert!(curve.words().ends_with("server unreachable, reconnecting"), "{}", curve.words());
        curve.apply(Event::Opened);
        curve.apply(Event::Stop);
        assert_eq!(curve.words(), "Stopping");
        curve.apply(Event::Reported(Box::new(view(WorkState::Cancelled, &[0.2]))));
        assert_eq!(
            (curve.words().as_str(), curve.is_live()),
            ("Stopped; accepted up to 0.100 flits per cycle per host", false)
        );
    }

    #[test]
    fn results_are_given_in_figures() {
        let mut found = view(WorkState::Done, &[0.4, 0.8]);
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
            "Done; throughput 0.400 flits per cycle with 25.00 % of the frames lost at a load of 0.800 flits per cycle; at least 98 % \
             accepted up to 0.300 flits per cycle"
        );
        let mut known = curve.clone();
        // Flits of 4 bytes at 100 Gb/s.
        known.view.as_mut().unwrap().report.cycle_ns = 0.32;
        assert_eq!(
            known.words(),
            "Done; throughput 40 Gb/s with 25.00 % of the frames lost at a load of 80 Gb/s; at least 98 % accepted up to 30 Gb/s"
        );
        assert_eq!(curve.deadlock().map(|(load, deadlock)| (load, deadlock.cycle)), Some((Some(0.8), 9)));
    }
}
