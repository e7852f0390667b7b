//! Simulations.

use super::{
    Body, Context, Detail, KindOfWork, Lane, Live, NewWork, RESUMES, StartError, Units, Works,
    live::{End, raw},
};
use crate::{
    cluster::{read, write},
    lock,
    simulations::{LIMITS, Points, Simulation},
    store::{StoreError, WorkRecord},
    tasks::{self, Claim},
};
use serde_json::value::RawValue;
use shared::{
    api::{StartWork, WorkState},
    simulation::{GroupTime, LoadProgress, SimulationReport},
};
use std::{
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    time::{Duration, Instant},
};
use tracing::error;

/// Max running simulations.
pub const MAX_RUNNING: u32 = 4;
/// Min time between two saves of a simulation.
const SAVE_EVERY: Duration = Duration::from_secs(2);

/// Simulations.
pub struct Simulations;

impl KindOfWork for Simulations {
    fn lane(&self) -> Lane {
        Lane::Beside
    }

    fn admit(&self, asked: &StartWork, _: &Works) -> Result<NewWork, StartError> {
        let (simulation, estimate) = Simulation::prepare(asked, LIMITS)?;
        let body = Box::new(LiveSimulation::new(SimulationReport::default(), estimate.seconds));
        *lock(&body.claim) = tasks::claim_to_keep(estimate.bytes)?;
        *lock(&body.prepared) = Some(simulation);
        Ok(NewWork { body, threads: 1, foreseen: Some(estimate.seconds) })
    }

    fn units(&self, asked: StartWork) -> Result<(Box<dyn Units>, u64), StartError> {
        let (simulation, estimate) = Simulation::prepare(&asked, LIMITS)?;
        Ok((Box::new(simulation), estimate.bytes))
    }

    fn resume(&self, record: WorkRecord, _: f64, _: &Works) -> Result<Box<dyn Body>, StartError> {
        let report = serde_json::from_str(record.view.report.get()).map_err(StoreError::from)?;
        Ok(Box::new(LiveSimulation::new(report, record.view.foreseen.unwrap_or_default())))
    }
}

impl Units for Simulation {
    fn unit(
        &self,
        unit: &[u8],
        stop: &AtomicBool,
        report: &(dyn Fn(Vec<u8>) + Sync),
    ) -> Result<Option<Vec<u8>>, String> {
        let load = read(unit).ok_or("this version cannot read the load")?;
        let report = |progress: &LoadProgress| report(write(progress));
        let point = self.point(load, stop, &report).map_err(|error| error.to_string())?;
        Ok(point.filter(|_| !stop.load(SeqCst)).map(|point| write(&point)))
    }
}

/// A simulation that is queued, runs or has just ended.
struct LiveSimulation {
    standing: Mutex<ReportState>,
    /// The simulation until it runs; `None` after a restart of the studio.
    prepared: Mutex<Option<Simulation>>,
    /// Memory claimed until the simulation ends.
    claim: Mutex<Option<Claim>>,
    foreseen: f64,
    began: Mutex<Option<Instant>>,
}

impl LiveSimulation {
    fn new(report: SimulationReport, foreseen: f64) -> LiveSimulation {
        let mut standing = ReportState::default();
        standing.update(&report);
        let (prepared, claim, began) = Default::default();
        LiveSimulation { standing: Mutex::new(standing), prepared, claim, foreseen, began }
    }

    /// Runs what is left of the simulation, or returns its end without a report.
    fn simulate(&self, context: &Context<'_>) -> Result<SimulationReport, End> {
        let Context { live, store, workers, .. } = *context;
        let prepared = lock(&self.prepared).take();
        let simulation = match prepared {
            Some(simulation) => simulation,
            None => {
                let prepared = Simulation::prepare(&live.asked, LIMITS);
                let (simulation, estimate) = prepared.map_err(|error| live.failed(error))?;
                *lock(&self.claim) =
                    tasks::claim_to_keep(estimate.bytes).map_err(|error| live.failed(error))?;
                simulation
            }
        };
        // Simulations don't pause: finished loads are saved instead.
        live.control.forbid_pause();
        *lock(&self.began) = Some(Instant::now());
        live.begin();
        tasks::priority::lower();
        let known = lock(&self.standing).full().points;
        let points = workers.map(|workers| workers.units(&live.asked));
        let points = points.as_ref().map(|points| points as &dyn Points);
        let (mut saved, mut count) = (Instant::now(), known.len());
        let mut each = |report: &SimulationReport| {
            lock(&self.standing).update(report);
            live.changed();
            if report.points.len() > count && saved.elapsed() >= SAVE_EVERY {
                if let Err(error) = live.save_as(store, WorkState::Running, "") {
                    error!(%error, "cannot save a simulation");
                }
                (saved, count) = (Instant::now(), report.points.len());
            }
        };
        let report = simulation.run(1, points, known, live.token().flag(), &mut each);
        report.map_err(|error| (WorkState::Failed, error.to_string()))
    }
}

impl Body for LiveSimulation {
    fn report(&self, detail: Detail) -> Box<RawValue> {
        let standing = lock(&self.standing);
        if detail == Detail::Full { raw(&standing.full()) } else { raw(&standing.report) }
    }

    fn run(&self, context: &Context<'_>) -> End {
        let report = match self.simulate(context) {
            Ok(report) => report,
            Err(end) => return end,
        };
        lock(&self.standing).update(&report);
        match report.cancelled {
            true if context.live.control.is_interrupted() => (WorkState::Interrupted, RESUMES.into()),
            true => (WorkState::Cancelled, String::new()),
            false => (WorkState::Done, String::new()),
        }
    }

    fn bytes(&self) -> u64 {
        lock(&self.claim).as_ref().map_or(0, Claim::bytes)
    }

    fn seconds_left(&self) -> Option<f64> {
        let share = lock(&self.standing).report.progress.as_ref().and_then(|progress| progress.share);
        Some((1.0 - share.unwrap_or(0.0)) * self.foreseen)
    }

    fn elapsed(&self) -> f64 {
        lock(&self.began).map_or(0.0, |began| began.elapsed().as_secs_f64())
    }

    fn end(&self, _: &Live, _: WorkState) {
        lock(&self.standing).report.progress = None;
        *lock(&self.prepared) = None;
        *lock(&self.claim) = None;
    }
}

/// The report. The loads of all channels and the times of groups stand apart, since few clients ask for them.
#[derive(Default)]
struct ReportState {
    /// Without loads and groups.
    report: SimulationReport,
    /// Loads of each point's channels.
    loads: Vec<Vec<f32>>,
    collective_load: Vec<f32>,
    groups: Vec<GroupTime>,
}

impl ReportState {
    /// The report with loads and groups.
    fn full(&self) -> SimulationReport {
        let mut report = self.report.clone();
        for (point, load) in report.points.iter_mut().zip(&self.loads) {
            point.load.clone_from(load);
        }
        if let Some(result) = &mut report.collective {
            result.load.clone_from(&self.collective_load);
            result.groups.clone_from(&self.groups);
        }
        report
    }

    /// Takes what is new in a report that only ever grows.
    fn update(&mut self, new: &SimulationReport) {
        for (at, point) in new.points.iter().enumerate() {
            let is_known = self.report.points.get(at).is_some_and(|known| known.offered == point.offered);
            if !is_known {
                let mut light = point.clone();
                self.loads.insert(at, std::mem::take(&mut light.load));
                self.report.points.insert(at, light);
            }
        }
        if self.report.collective.is_none()
            && let Some(mut result) = new.collective.clone()
        {
            self.collective_load = std::mem::take(&mut result.load);
            self.groups = std::mem::take(&mut result.groups);
            self.report.collective = Some(result);
        }
        let (points, collective) = (std::mem::take(&mut self.report.points), self.report.collective.take());
        self.report = SimulationReport {
            points,
            collective,
            fabric: new.fabric.clone(),
            routing: new.routing.clone(),
            traffic: new.traffic.clone(),
            warnings: new.warnings.clone(),
            saturation: new.saturation.clone(),
            progress: new.progress.clone(),
            ..*new
        };
    }
}
