//! The simulations that are listed: one after the other they are carried out, and each is a curve.

use super::{
    entries::{Entry, Input, MAIN, RULES},
    form::SimulateForm,
};
use crate::state::{
    tie::{Heard, Line, Tie, View},
    words::{count, fixed, grouped, percent},
};
use serde::{Deserialize, Serialize};
use shared::{
    api::RunState,
    fabric::kinds::KINDS,
    simulation::{
        Deadlock, Point, SimulationForm, SimulationProgress, SimulationState, SimulationView, StartSimulation,
    },
};
use std::sync::Arc;

/// Most simulations that are listed at once.
pub const MOST_CURVES: usize = 12;
/// Fields that are told apart from the others, or by what came of them.
const APART: [&str; 6] = ["fabric", "traffic", "node", "share", "loads", "saturate"];

impl View for SimulationView {
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

/// How far a simulation is.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Stage {
    /// Nobody has asked for it here: it came with a link, or the server has forgotten it.
    #[default]
    Listed,
    /// Waits for those before it.
    Queued,
    /// The server is being asked.
    Asking,
    /// The server does it, or has done it.
    Followed(Tie),
    /// The server has refused it, with these reasons.
    Refused(Vec<String>),
}

/// A simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Its number on this page, which no other one on the list has had.
    pub number: u32,
    /// What it simulates.
    pub form: SimulationForm,
    /// What the server is asked, once somebody has asked for it.
    pub asked: Option<Arc<StartSimulation>>,
    /// Tells the wiring and the spec that it is of from others; none where it is of neither.
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

/// All of them, in the order of their numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curves {
    all: Vec<Curve>,
    last: u32,
}

impl Curves {
    /// Simulations that nobody has asked for yet.
    pub fn listed(forms: impl IntoIterator<Item = SimulationForm>) -> Curves {
        let mut curves = Curves::default();
        forms.into_iter().take(MOST_CURVES).for_each(|form| {
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

    /// All.
    pub fn all(&self) -> &[Curve] {
        &self.all
    }

    /// The simulation of an id on the server.
    pub fn of_id(&self, id: &str) -> Option<&Curve> {
        self.all.iter().find(|curve| curve.id.as_deref() == Some(id))
    }

    /// One by its number.
    pub fn get(&self, number: u32) -> Option<&Curve> {
        self.all.iter().find(|curve| curve.number == number)
    }

    /// Whether there is room for another.
    pub fn has_room(&self) -> bool {
        self.all.len() < MOST_CURVES
    }

    /// One more, with a number of its own.
    pub fn add(&mut self, curve: Curve) -> u32 {
        self.last += 1;
        self.all.push(Curve { number: self.last, ..curve });
        self.last
    }

    /// Without one.
    pub fn remove(&mut self, number: u32) {
        self.all.retain(|curve| curve.number != number);
    }

    /// Without one that came to nothing; the next gets its number, if it was the last.
    pub fn withdraw(&mut self, number: u32) {
        self.remove(number);
        if number == self.last {
            self.last -= 1;
        }
    }

    /// Changes one; nothing happens if it is gone.
    pub fn change(&mut self, number: u32, change: impl FnOnce(&mut Curve)) {
        if let Some(curve) = self.all.iter_mut().find(|curve| curve.number == number) {
            change(curve);
        }
    }

    /// The one that the server is at, or is being asked for.
    pub fn live(&self) -> Option<u32> {
        self.all.iter().find(|curve| curve.is_live()).map(|curve| curve.number)
    }

    /// Whether something goes on or waits.
    pub fn is_busy(&self) -> bool {
        self.all.iter().any(|curve| curve.is_live() || curve.stage == Stage::Queued)
    }

    /// The next one to ask for, unless one goes on; it counts as being asked for from now on.
    pub fn take_next(&mut self) -> Option<u32> {
        if self.live().is_some() {
            return None;
        }
        let next = self.all.iter_mut().find(|curve| curve.stage == Stage::Queued)?;
        next.stage = Stage::Asking;
        Some(next.number)
    }

    /// None waits any more.
    pub fn unqueue(&mut self) {
        let queued = self.all.iter_mut().filter(|curve| curve.stage == Stage::Queued);
        queued.for_each(|curve| curve.stage = Stage::Listed);
    }
}

impl Curve {
    /// Takes note of what was heard of it.
    pub fn hear(&mut self, heard: Heard<SimulationView>) {
        if let (Heard::Told(view) | Heard::Found(view), None) = (&heard, &self.view) {
            self.view = Some(view.clone());
        }
        let Some(view) = &mut self.view else { return };
        self.id = Some(view.id.clone());
        let mut tie = match self.stage {
            Stage::Followed(tie) => tie,
            _ => Tie::to(view.state()),
        };
        tie.hear(view, heard);
        self.stage = Stage::Followed(tie);
    }

    /// Whether the server is at it, or is being asked.
    pub fn is_live(&self) -> bool {
        match self.stage {
            Stage::Asking => true,
            Stage::Followed(tie) => tie.line != Line::Closed,
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

    /// What is simulated on it, in words; what is as usual is left out.
    pub fn about(&self) -> String {
        let form = SimulateForm::of(&self.form);
        let told = |entry: &&Entry| !APART.contains(&entry.key) && !form.text(entry.key).is_empty();
        let words = |entry: &Entry| match (entry.input, form.text(entry.key)) {
            (Input::Words(words), text) => {
                words.iter().find(|(word, _)| *word == text).map_or(text, |(_, title)| title).to_owned()
            }
            (_, text) => format!("{} {text} {}", entry.title, entry.unit).trim_end().to_owned(),
        };
        let besides = MAIN.iter().chain(RULES).filter(told).map(words);
        std::iter::once(self.form.traffic.clone()).chain(besides).collect::<Vec<_>>().join("; ")
    }

    /// Loads that are simulated so far.
    pub fn points(&self) -> &[Point] {
        self.view.as_ref().map_or(&[], |view| &view.report.points)
    }

    /// The first deadlock that was found, with its load unless it was in a timed operation.
    pub fn deadlock(&self) -> Option<(Option<f64>, &Deadlock)> {
        let mut open = self.points().iter().filter_map(|p| Some((Some(p.offered), p.deadlock.as_ref()?)));
        let timed = || self.view.as_ref()?.report.collective.as_ref()?.deadlock.as_ref();
        open.next().or_else(|| timed().map(|deadlock| (None, deadlock)))
    }

    /// How far it is, and what came of it, in words.
    pub fn words(&self) -> String {
        match (&self.stage, &self.view) {
            (Stage::Listed, None) => "not simulated here yet".into(),
            (Stage::Queued, _) => "waits for its turn".into(),
            (Stage::Asking, _) => "the server looks at it".into(),
            (Stage::Refused(reasons), _) => format!("refused: {}", reasons.join("; ")),
            (Stage::Followed(tie), Some(view)) => tie.words(view.state(), &told(view, tie.stopping)),
            (_, Some(view)) => told(view, false),
            (Stage::Followed(_), None) => String::new(),
        }
    }
}

fn told(view: &SimulationView, stopping: bool) -> String {
    let found = found(view);
    match view.state {
        SimulationState::Running if stopping => "stopping".into(),
        SimulationState::Running => {
            format!("{}{}{found}", done(view), foreseen(view))
        }
        SimulationState::Done => found.trim_start_matches("; ").into(),
        SimulationState::Cancelled => format!("stopped{found}"),
        SimulationState::Failed => format!("failed: {}", view.message),
    }
}

/// How much of it is done.
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

/// How long it was foreseen to take, while nothing better is known.
fn foreseen(view: &SimulationView) -> String {
    let share = view.report.progress.as_ref().and_then(|progress| progress.share);
    match share.is_none_or(|share| share < 0.1) {
        true => format!("; about {} in all", span(view.foreseen_seconds)),
        false => String::new(),
    }
}

/// Seconds that somebody will have to wait.
fn span(seconds: f64) -> String {
    match seconds {
        s if s < 1.5 => "a second".into(),
        s if s < 120.0 => format!("{s:.0} s"),
        s => format!("{:.0} min", s / 60.0),
    }
}

/// What is known by now, after a semicolon; empty for nothing.
fn found(view: &SimulationView) -> String {
    let report = &view.report;
    if let Some(timed) = &report.collective {
        let (done, bandwidth) =
            (if timed.complete { "" } else { ", not all of it done" }, timed.bandwidth / 1000.0);
        return format!("; {} Gb/s in all, {} cycles{done}", fixed(bandwidth, 3), grouped(timed.cycles));
    }
    if let Some(found) = &report.saturation {
        let (most, at, whole) =
            (fixed(found.throughput, 3), fixed(found.offered, 3), fixed(found.sustained, 3));
        return format!("; throughput {most} at a load of {at}; 98 % or more is accepted up to {whole}");
    }
    let accepted = report.points.iter().map(|point| point.accepted).fold(0.0, f64::max);
    match accepted > 0.0 {
        true => format!("; accepted up to {}", fixed(accepted, 3)),
        false => String::new(),
    }
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
    fn one_after_the_other_is_asked_for() {
        let mut curves = Curves::listed([form("mesh:4x4"), form("torus:4x4"), form("full:9")]);
        assert_eq!((curves.take_next(), curves.is_busy()), (None, false));
        curves.change(1, |curve| curve.stage = Stage::Queued);
        curves.change(3, |curve| curve.stage = Stage::Queued);
        assert_eq!((curves.take_next(), curves.take_next(), curves.live()), (Some(1), None, Some(1)));
        curves.change(1, |curve| curve.hear(Heard::Found(view(SimulationState::Running, &[]))));
        assert_eq!(curves.take_next(), None);
        curves.change(1, |curve| curve.hear(Heard::Told(view(SimulationState::Done, &[0.5]))));
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
    fn there_is_an_end_to_how_many_are_listed() {
        let curves = Curves::listed((0..30).map(|_| form("full:9")));
        assert_eq!((curves.all().len(), curves.has_room()), (MOST_CURVES, false));
    }

    #[test]
    fn a_curve_tells_what_it_is_of_and_how_far_it_is() {
        let settings = Settings { buffer: 8, random_placement: true, ..Settings::default() };
        let asked = SimulationForm { settings, routing: Some("dor".into()), ..form("mesh:4x4") };
        let mut curve = Curve { form: asked, ..Curve::default() };
        assert_eq!(curve.network(), "Mesh of switches mesh:4x4");
        let about = "uniform; VLANs, dimension order (DOR); Placed at random; Buffer of a port 8 frames";
        assert_eq!(curve.about(), about);
        assert_eq!(curve.words(), "not simulated here yet");
        curve.hear(Heard::Found(view(SimulationState::Running, &[0.2])));
        curve.hear(Heard::Opened);
        assert_eq!(curve.words(), "1 load done; about 40 s in all; accepted up to 0.100");
        curve.hear(Heard::Lost);
        assert!(curve.words().ends_with("the server cannot be reached, trying again"), "{}", curve.words());
        curve.hear(Heard::Opened);
        curve.hear(Heard::Stop);
        assert_eq!(curve.words(), "stopping");
        curve.hear(Heard::Told(view(SimulationState::Cancelled, &[0.2])));
        assert_eq!((curve.words().as_str(), curve.is_live()), ("stopped; accepted up to 0.100", false));
    }

    #[test]
    fn what_was_found_is_told_in_figures() {
        let mut found = view(SimulationState::Done, &[0.4, 0.8]);
        found.report.saturation =
            Some(Saturation { throughput: 0.4, offered: 0.8, sustained: 0.3, deadlock_from: None });
        found.report.points[1].deadlock = Some(Deadlock { cycle: 9, ..Deadlock::default() });
        let curve = Curve { view: Some(found), ..Curve::default() };
        assert_eq!(
            curve.words(),
            "throughput 0.400 at a load of 0.800; 98 % or more is accepted up to 0.300"
        );
        assert_eq!(curve.deadlock().map(|(load, deadlock)| (load, deadlock.cycle)), Some((Some(0.8), 9)));
    }
}
