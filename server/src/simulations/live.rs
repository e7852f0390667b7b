//! Simulations of a studio: each on a thread of its own, one core, kept in memory until many others have come after it.

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

/// Most simulations that go on at once.
pub const MAX_RUNNING: usize = 4;
/// Most simulations that are kept, running ones among them.
pub const MAX_KEPT: usize = 64;
/// What one simulation of a studio may take.
pub const LIMITS: Limits = Limits { bytes: 512 << 20, seconds: 3600.0 };

/// All simulations of a studio.
#[derive(Clone, Default)]
pub struct Simulations(Arc<Mutex<Vec<Arc<LiveSimulation>>>>);

/// Why a simulation was not started.
#[derive(Debug, thiserror::Error)]
pub enum RefusedSimulation {
    /// Too many go on already.
    #[error("{MAX_RUNNING} simulations go on already; stop one or try again later")]
    TooMany,
    /// The system gives no name that cannot be guessed.
    #[error("{0}")]
    Name(#[from] StoreError),
}

/// A simulation that goes on or is over.
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
    ///
    /// # Errors
    /// Too many go on, or there is no name for it.
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
            // The oldest that is over; there is one, since fewer than that go on.
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

    /// The simulation of that name, if it is kept.
    pub fn get(&self, id: &str) -> Option<Arc<LiveSimulation>> {
        locked(&self.0).iter().find(|live| live.id == id).cloned()
    }
}

impl LiveSimulation {
    /// Has it end soon; one that is over stays as it is.
    pub fn stop(&self) {
        self.cancel.store(true, Ordering::Relaxed);
    }

    /// Tells whoever waits of changes.
    pub fn watch(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// How it stands; without the loads of channels unless it is to be `full`.
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
            Err(_) => self.report(SimulationState::Failed, "the simulation broke down", &known()),
        }
        info!(state = ?locked(&self.standing).0, "ended");
    }

    fn report(&self, state: SimulationState, message: &str, report: &SimulationReport) {
        *locked(&self.standing) = (state, message.into(), report.clone());
        self.changed.send_replace(());
    }
}

/// What a lock holds is whole even if somebody broke down while holding it.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
