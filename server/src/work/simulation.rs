//! Simulations of a studio, each on a thread of its own, in memory until newer ones replace them.

use super::{Limits, Points, Simulation};
use crate::{
    cluster::studio::Workers,
    edit::TokenHash,
    lock,
    log::short,
    store::{StoreError, new_id},
    tasks::{self, Budget, Claim, Owner, RETRY_AFTER, Stopped, share},
};
use shared::{
    cancel::Token,
    simulation::{
        GroupTime, Point, SimulationForm, SimulationReport, SimulationState, SimulationView, StartSimulation,
    },
};
use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
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
#[derive(Clone)]
pub struct Simulations {
    all: Arc<Mutex<Vec<Arc<LiveSimulation>>>>,
    memory: Arc<Budget>,
    workers: Option<Arc<Workers>>,
}

/// Reason why a simulation was not started.
#[derive(Debug, thiserror::Error)]
pub enum RefusedSimulation {
    /// Too many are running.
    #[error("{MAX_RUNNING} simulations are running already. Stop one, or try again in {RETRY_AFTER} s.")]
    TooMany,
    /// The client has its share of the running ones.
    #[error(
        "{0} of your simulations are running already, the share of one client. Stop one, or try again when one has ended."
    )]
    Share(usize),
    /// The system cannot start more threads.
    #[error("The system cannot start more threads: {0}.")]
    Thread(#[from] std::io::Error),
    /// The system has no random numbers for an id.
    #[error("{0}")]
    Name(#[from] StoreError),
}

/// A running or ended simulation.
pub struct LiveSimulation {
    /// Id.
    pub id: String,
    /// The client that started it.
    pub owner: Owner,
    /// Hash of the edit token it was started with.
    pub edit: TokenHash,
    began: Instant,
    form: SimulationForm,
    foreseen_seconds: f64,
    cancel: Token,
    standing: Mutex<Standing>,
    /// Memory of the simulation; after its end, of the results.
    claim: Mutex<Option<Claim>>,
    changed: watch::Sender<()>,
}

impl Simulations {
    /// None yet. Each claims its memory here, and runs its loads on workers if there are any.
    pub fn new(memory: Arc<Budget>, workers: Option<Arc<Workers>>) -> Simulations {
        Simulations { all: Arc::default(), memory, workers }
    }

    /// Starts a simulation of a client on a thread of its own. It keeps the claim of its memory until its end, and then as much of it
    /// as its results take. At the limit of kept ones, it replaces the oldest ended one of the client with the most.
    pub fn start(
        &self,
        owner: Owner,
        edit: TokenHash,
        start: StartSimulation,
        simulation: Simulation,
        (foreseen_seconds, claim): (f64, Option<Claim>),
    ) -> Result<Arc<LiveSimulation>, RefusedSimulation> {
        let mut all = lock(&self.all);
        let running = all.iter().filter(|live| live.is_running()).count();
        let own = all.iter().filter(|live| live.is_running() && live.owner == owner).count();
        if own >= share(MAX_RUNNING, running - own) {
            return Err(if own == 0 { RefusedSimulation::TooMany } else { RefusedSimulation::Share(own) });
        }
        if all.len() >= MAX_KEPT {
            let of = |owner: &Owner| all.iter().filter(|live| live.owner == *owner).count();
            // One has ended, since MAX_RUNNING < MAX_KEPT. The first of several with as many.
            let ended = (0..all.len()).rev().filter(|&at| !all[at].is_running());
            let replaced = ended.max_by_key(|&at| of(&all[at].owner));
            replaced.map(|at| all.remove(at));
        }
        let live = Arc::new(LiveSimulation {
            id: new_id()?,
            owner,
            edit,
            began: Instant::now(),
            form: start.form.clone(),
            foreseen_seconds,
            cancel: Token::default(),
            standing: Mutex::default(),
            claim: Mutex::new(claim),
            changed: watch::channel(()).0,
        });
        let (conducted, memory, workers) = (live.clone(), self.memory.clone(), self.workers.clone());
        let thread = std::thread::Builder::new().name("simulation".into());
        thread.spawn(move || {
            let points = workers.as_deref().map(|workers| workers.simulation(&start));
            conducted.conduct(&simulation, points.as_ref().map(|points| points as &dyn Points), &memory);
        })?;
        all.push(live.clone());
        Ok(live)
    }

    /// Forgets the oldest results of a client whose results together need more than an eighth of the memory. The newest ones stay.
    pub fn forget_old(&self, owner: &Owner) {
        let mut all = lock(&self.all);
        let mut bytes = 0;
        let ended = |live: &LiveSimulation| live.owner == *owner && !live.is_running();
        let newest = all.iter().rposition(|live| ended(live));
        for at in (0..all.len()).rev() {
            if ended(&all[at]) {
                bytes += all[at].memory(&self.memory);
                if bytes > self.memory.max() / 8 && Some(at) != newest {
                    all.remove(at);
                }
            }
        }
    }

    /// The simulation with this id.
    pub fn get(&self, id: &str) -> Option<Arc<LiveSimulation>> {
        lock(&self.all).iter().find(|live| live.id == id).cloned()
    }

    /// The running simulations, oldest first.
    pub fn running(&self) -> Vec<Arc<LiveSimulation>> {
        lock(&self.all).iter().filter(|live| live.is_running()).cloned().collect()
    }

    /// Stops all simulations shortly after.
    pub fn shut_down(&self) {
        lock(&self.all).iter().for_each(|live| live.stop());
    }
}

impl LiveSimulation {
    /// Stops the simulation shortly after.
    pub fn stop(&self) {
        self.cancel.cancel();
    }

    /// Time since its start.
    pub fn age(&self) -> Duration {
        self.began.elapsed()
    }

    /// Claimed memory in bytes, with that of the results.
    pub fn memory(&self, budget: &Budget) -> u64 {
        budget.used_by(&self.cancel) + lock(&self.claim).as_ref().map_or(0, Claim::bytes)
    }

    /// Receiver that is notified of each change.
    pub fn watch(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// The simulation with its results; the loads of channels and the times of groups only if `full`.
    pub fn view(&self, full: bool) -> SimulationView {
        let standing = lock(&self.standing);
        let mut report = standing.report.clone();
        if full {
            for (point, load) in report.points.iter_mut().zip(&standing.loads) {
                point.load.clone_from(load);
            }
            if let Some(result) = &mut report.collective {
                result.load.clone_from(&standing.collective_load);
                result.groups.clone_from(&standing.groups);
            }
        }
        SimulationView {
            id: self.id.clone(),
            state: standing.state,
            message: standing.message.clone(),
            form: self.form.clone(),
            foreseen_seconds: self.foreseen_seconds,
            report,
        }
    }

    fn is_running(&self) -> bool {
        lock(&self.standing).state == SimulationState::Running
    }

    fn conduct(&self, simulation: &Simulation, elsewhere: Option<&dyn Points>, memory: &Arc<Budget>) {
        let _span = info_span!("job", kind = "Simulation", id = short(&self.id)).entered();
        info!("started");
        tasks::priority::lower();
        let ended = tasks::within(memory, &self.cancel, &self.owner, tasks::JOB_PATIENCE, || {
            let mut each = |report: &SimulationReport| self.report(report);
            simulation.run(1, elsewhere, self.cancel.flag(), &mut each)
        });
        match ended {
            Ok(Ok(report)) => {
                self.report(&report);
                let cancelled = report.cancelled;
                self.end(if cancelled { SimulationState::Cancelled } else { SimulationState::Done }, "");
            }
            Ok(Err(error)) => self.end(SimulationState::Failed, &error.to_string()),
            Err(Stopped::Cancelled) => self.end(SimulationState::Cancelled, ""),
            Err(Stopped::Refused(refused)) => self.end(SimulationState::Failed, &refused.to_string()),
            Err(Stopped::Panicked) => {
                self.end(SimulationState::Failed, "The simulation crashed. This is a bug in Crosspoint.");
            }
        }
        info!(state = ?lock(&self.standing).state, "ended");
    }

    fn report(&self, report: &SimulationReport) {
        lock(&self.standing).update(report);
        self.changed.send_replace(());
    }

    fn end(&self, state: SimulationState, message: &str) {
        {
            let mut standing = lock(&self.standing);
            (standing.state, standing.message) = (state, message.into());
            standing.report.progress = None;
            if let Some(claim) = lock(&self.claim).as_mut() {
                claim.shrink(standing.bytes());
            }
        }
        self.changed.send_replace(());
    }
}

/// State and results. The loads of all channels and the times of groups stand apart, since few clients ask for them.
#[derive(Default)]
struct Standing {
    state: SimulationState,
    message: String,
    /// Without loads and groups.
    report: SimulationReport,
    /// Loads of each point's channels.
    loads: Vec<Vec<f32>>,
    collective_load: Vec<f32>,
    groups: Vec<GroupTime>,
}

impl Standing {
    /// Bytes of the results in memory.
    fn bytes(&self) -> u64 {
        let loads: usize =
            self.loads.iter().map(Vec::capacity).sum::<usize>() + self.collective_load.capacity();
        let groups = self.groups.capacity() * size_of::<GroupTime>();
        let points = self.report.points.capacity() * size_of::<Point>();
        (loads * size_of::<f32>() + groups + points + size_of::<Standing>()) as u64
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
