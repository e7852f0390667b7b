//! Simulations of a studio, each on a thread of its own, in memory until newer ones replace them.

use super::{Limits, Simulation};
use crate::{
    log::short,
    store::{StoreError, new_id},
};
use shared::simulation::{SimulationForm, SimulationReport, SimulationState, SimulationView};
use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};
use tokio::sync::watch;
use tracing::{info, info_span};

/// Max running simulations.
pub const MAX_RUNNING: usize = 4;
/// Max simulations in memory.
pub const MAX_KEPT: usize = 64;
/// Limits of a simulation in a studio.
pub const LIMITS: Limits = Limits { bytes: 512 << 20, seconds: 3600.0 };

/// All simulations of a studio.
#[derive(Clone, Default)]
pub struct Simulations(Arc<Mutex<Vec<Arc<LiveSimulation>>>>);

/// Reason why a simulation was not started.
#[derive(Debug, thiserror::Error)]
pub enum RefusedSimulation {
    /// Too many are running.
    #[error("{MAX_RUNNING} simulations are running already; stop one or try again later")]
    TooMany,
    /// The system has no random numbers for an id.
    #[error("{0}")]
    Name(#[from] StoreError),
}

/// A running or ended simulation.
pub struct LiveSimulation {
    id: String,
    form: SimulationForm,
    foreseen_seconds: f64,
    cancel: AtomicBool,
    standing: Mutex<(SimulationState, String, SimulationReport)>,
    changed: watch::Sender<()>,
}

impl Simulations {
    /// Starts a simulation on a thread of its own.
    pub fn start(
        &self,
        form: SimulationForm,
        simulation: Simulation,
        foreseen_seconds: f64,
    ) -> Result<Arc<LiveSimulation>, RefusedSimulation> {
        let mut all = locked(&self.0);
        if all.iter().filter(|live| live.is_running()).count() >= MAX_RUNNING {
            return Err(RefusedSimulation::TooMany);
        }
        if all.len() >= MAX_KEPT {
            // One has ended, since MAX_RUNNING < MAX_KEPT.
            let oldest = all.iter().position(|live| !live.is_running());
            oldest.map(|oldest| all.remove(oldest));
        }
        let live = Arc::new(LiveSimulation {
            id: new_id()?,
            form,
            foreseen_seconds,
            cancel: AtomicBool::new(false),
            standing: Mutex::default(),
            changed: watch::channel(()).0,
        });
        all.push(live.clone());
        let conducted = live.clone();
        std::thread::spawn(move || conducted.conduct(&simulation));
        Ok(live)
    }

    /// The simulation with this id.
    pub fn get(&self, id: &str) -> Option<Arc<LiveSimulation>> {
        locked(&self.0).iter().find(|live| live.id == id).cloned()
    }
}

impl LiveSimulation {
    /// Stops the simulation shortly after.
    pub fn stop(&self) {
        self.cancel.store(true, Ordering::Relaxed);
    }

    /// Receiver that is notified of each change.
    pub fn watch(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// The simulation with its results; the loads of channels only if `full`.
    pub fn view(&self, full: bool) -> SimulationView {
        let (state, message, mut report) = locked(&self.standing).clone();
        if !full {
            report.points.iter_mut().for_each(|point| point.load = Vec::new());
            report.collective.iter_mut().for_each(|collective| collective.load = Vec::new());
        }
        SimulationView {
            id: self.id.clone(),
            state,
            message,
            form: self.form.clone(),
            foreseen_seconds: self.foreseen_seconds,
            report,
        }
    }

    fn is_running(&self) -> bool {
        locked(&self.standing).0 == SimulationState::Running
    }

    fn conduct(&self, simulation: &Simulation) {
        let _span = info_span!("job", kind = "Simulation", id = short(&self.id)).entered();
        info!("started");
        let run = || {
            simulation.run(1, &self.cancel, &mut |report| self.report(SimulationState::Running, "", report))
        };
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        let known = || locked(&self.standing).2.clone();
        match ended {
            Ok(Ok(report)) if report.cancelled => self.report(SimulationState::Cancelled, "", &report),
            Ok(Ok(report)) => self.report(SimulationState::Done, "", &report),
            Ok(Err(error)) => self.report(SimulationState::Failed, &error.to_string(), &known()),
            Err(_) => self.report(
                SimulationState::Failed,
                "The simulation crashed. This is a bug in Crosspoint.",
                &known(),
            ),
        }
        info!(state = ?locked(&self.standing).0, "ended");
    }

    fn report(&self, state: SimulationState, message: &str, report: &SimulationReport) {
        *locked(&self.standing) = (state, message.into(), report.clone());
        self.changed.send_replace(());
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
