//! One island's search: constructions, repairs, and the papers' operators.
//!
//! An island first climbs a *ladder*: constructions, each repaired for longer than the last. Then come *tournaments*.
//! The right temperature of a repair differs by a factor of two between instances. So several wirings (new ones,
//! crossovers and mutants of the best) are annealed at a temperature each, in heats. After a heat, quenching judges
//! each wiring, the worse half leaves, and the rest continue for twice as long. The next tournament takes place
//! closer to the winning temperature, with more work.
//!
//! [`State`] can be saved between two stretches of a repair, and a resumed run finds the same wirings.

mod ladder;
pub mod operators;
pub mod population;
mod tournament;

use crate::{
    closed::with_more,
    fill,
    graph::Aim,
    greedy,
    ledger::{Account, Elite, Ledger, Score, Stage},
    options::Options,
    problem::{NONE, Problem, genome},
    repair::{Context, Repair, repair},
    scaled,
    schedule::Schedule,
    time::clock::Clock,
    wiring::{Snapshot, Wiring},
};
use ladder::Ladder;
use operators::{Dna, exchange_connections};
use population::{Individual, Population};
use serde::{Deserialize, Serialize};
use spec::{demand::Demand, random::Rng, spec::Spec};
use tournament::{Focus, Tournament};

/// Maximum number of pairs for which individuals carry DNA.
pub const MAX_DNA_PAIRS: u64 = 1 << 22;
/// Moves of a repair between two checks for a checkpoint request.
const STRETCH: u64 = 1 << 20;

/// Inputs of an island.
pub struct Setup<'a> {
    /// Instances, searched in order until one is solved; see [`Problem::pending_aims`].
    pub problems: &'a [Problem],
    /// The spec and its demand, for a construction with further switches.
    pub spec: &'a Spec,
    /// See `spec`.
    pub demand: &'a Demand,
    /// The start wiring, if there is one.
    pub start: Option<&'a [u32]>,
    /// The traffic, in a search for time.
    pub clock: Option<&'a Clock>,
    /// Size of the population.
    pub size: usize,
    /// The tunables.
    pub options: &'a Options,
    /// Number of further threads for each repair.
    pub helpers: u32,
    /// Number of the island. The first one also tries openings without randomness.
    pub number: u32,
}

/// The complete state of an island.
#[derive(Serialize, Deserialize)]
pub struct State {
    phase: usize,
    /// Best score at the end of a phase with its number of switches, and that phase.
    favourite: (Score, usize),
    /// `true` once every number of switches has been tried: the favourite phase goes on without a limit.
    settled: bool,
    /// `true` once a construction with further switches has been tried.
    constructed: bool,
    epoch: u64,
    next_epoch_at: u64,
    phase_began: u64,
    /// The island's random numbers.
    pub rng: Rng,
    opened: u32,
    rung: u32,
    ladder: Ladder,
    population: Population,
    tournament: Option<Tournament>,
    round: u32,
    focus: Focus,
    /// `true` if an exchange with another island comes next.
    exchanging: bool,
    job: Option<OpenRepair>,
    /// Progress of a search for time.
    pub time: Rounds,
}

/// Progress of a search for time.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Rounds {
    /// Rounds so far, the constructions included.
    pub round: u32,
    /// Rounds since the last better wiring.
    pub idle: u32,
}

/// A repair under way.
#[derive(Clone, Serialize, Deserialize)]
struct OpenRepair {
    repair: Repair,
    stage: Stage,
    method: Method,
    dna: Option<Dna>,
    blame: Option<usize>,
    purpose: Purpose,
    /// The wiring; in a checkpoint only.
    wiring: Option<Snapshot>,
}

/// Purpose of a repair.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Purpose {
    /// A member of the population.
    Member,
    /// A temperature of a rung, which ends in a member.
    Rung,
    Heat(usize),
    Quench(usize),
    LongQuench(usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Method {
    Scaled,
    Scattered,
    Greedy,
    BredDna,
    Crossover,
    Mutation,
    Start,
    Best,
}

impl Method {
    fn words(self) -> &'static str {
        match self {
            Method::Scaled => "scaled-down design",
            Method::Scattered => "random wiring, then repair",
            Method::Greedy => "greedy, then repair",
            Method::BredDna => "greedy by bred DNA, then repair",
            Method::Crossover => "crossover, then repair",
            Method::Mutation => "mutation, then repair",
            Method::Start => "start wiring, then repair",
            Method::Best => "best wiring so far, then repair",
        }
    }
}

impl State {
    /// A state before any work.
    pub fn new(rng: Rng, options: &Options) -> State {
        State {
            phase: 0,
            favourite: (Score::NONE, 0),
            settled: false,
            constructed: false,
            epoch: 0,
            next_epoch_at: u64::from(options.epoch) * 1000,
            phase_began: 0,
            rng,
            opened: 0,
            rung: 0,
            ladder: Ladder::default(),
            population: Population::default(),
            tournament: None,
            round: 0,
            focus: Focus::new(options.centre, options.ratio),
            exchanging: false,
            job: None,
            time: Rounds::default(),
        }
    }

    /// The state as its part of a checkpoint.
    pub fn save(&self, ledger: &Ledger) -> Vec<u8> {
        // Numbers and lists only: this cannot fail.
        postcard::to_stdvec(&(self, ledger.account())).unwrap_or_default()
    }

    /// A state from its part of a checkpoint.
    pub fn restore(bytes: &[u8]) -> Option<(State, Account)> {
        postcard::from_bytes(bytes).ok()
    }

    /// The epoch whose exchange comes next, if one does.
    pub fn exchanging(&self) -> Option<u64> {
        self.exchanging.then_some(self.epoch)
    }
}

/// Searches until the ledger stops or nothing is left to do. Returns the instance that only a search for time improves, once it
/// comes next.
pub fn evolve<'a>(setup: &Setup<'a>, state: &mut State, ledger: &mut Ledger) -> Option<&'a Problem> {
    while let Some(problem) = setup.problems.get(state.phase) {
        if setup.clock.is_some() && problem.timed {
            return Some(problem);
        }
        let job = state.job.take();
        ledger.pace(problem);
        let mut island = Island { setup, problem, wiring: Wiring::empty(problem), state, ledger };
        if let Some(mut job) = job
            && let Some(snapshot) = job.wiring.take()
        {
            island.wiring.restore(&snapshot);
            island.ledger.enter(job.stage, job.repair.schedule.moves);
            island.state.job = Some(job);
        }
        if island.state.exchanging {
            island.exchange();
        }
        while island.should_continue() && island.step() {}
        if !island.ledger.should_continue() || !island.enter_next_phase() {
            // After a cancel, the last checkpoint stays valid.
            if island.ledger.keeps_checkpoints() && island.ledger.ends_by_itself() {
                island.keep_state(true);
            }
            return None;
        }
    }
    None
}

struct Island<'a, 's, 'l> {
    setup: &'a Setup<'a>,
    problem: &'a Problem,
    wiring: Wiring<'a>,
    state: &'s mut State,
    ledger: &'s mut Ledger<'l>,
}

impl Island<'_, '_, '_> {
    /// `true` if this phase continues. The last instance of the last aim has no limit; a reached aim ends its phase.
    fn should_continue(&mut self) -> bool {
        let limit = self.limit();
        let within =
            limit.is_none_or(|limit| self.ledger.work < self.state.phase_began.saturating_add(limit));
        let best = self.ledger.best_score();
        let reached =
            self.problem.pending_aims > 0 && best.pending_aims <= self.problem.pending_aims && best.cost == 0;
        within && !reached && self.ledger.should_continue()
    }

    /// Work limit of this phase, if it has one.
    fn limit(&self) -> Option<u64> {
        let (problem, options) = (self.problem, self.setup.options);
        let next = self.setup.problems.get(self.state.phase + 1);
        if problem.grows {
            let all_open = self.setup.spec.switches.len() == 1;
            let moves = if problem.further == 0 && all_open { options.planned } else { options.further };
            return (!self.state.settled).then(|| u64::from(moves) * u64::from(problem.nis()));
        }
        // Pairs that share no switch are served over uplink switches: as many as may be share one to begin with.
        let is_opening = next.is_some_and(|next| next.timed)
            && self.setup.clock.is_some_and(|clock| clock.serves_over_uplinks);
        if is_opening {
            return Some(u64::from(options.further) * u64::from(problem.nis()));
        }
        next.filter(|next| next.pending_aims >= problem.pending_aims)
            .map(|_| options.concentrated_for(problem.nis()))
    }

    /// Enters the next phase; `false` if there is none. A reached aim makes other instances of that aim needless. If no number
    /// of switches has reached it, the number with the best wiring goes on, the lowest of equally good ones.
    fn enter_next_phase(&mut self) -> bool {
        let best = self.ledger.best_score();
        let reached = best.cost == 0;
        let (phase, left) = (self.state.phase, self.problem.pending_aims);
        if self.problem.grows && best < self.state.favourite.0 {
            self.state.favourite = (best, phase);
        }
        if self.state.settled && !reached {
            return false;
        }
        let problems = self.setup.problems;
        let mut next =
            (phase + 1..problems.len()).find(|&next| !reached || problems[next].pending_aims < left);
        if !reached && self.problem.grows && next.is_none_or(|next| !problems[next].grows) {
            next = Some(self.state.favourite.1);
            self.state.settled = true;
        }
        // Extra links are added with the planned switches only.
        let best = self.ledger.best.as_ref();
        let is_fit = |&next: &usize| {
            problems[next].pending_aims == left
                || problems[next].timed
                || best.is_none_or(|best| fits(&problems[next], &best.genome))
        };
        let Some(next) = next.filter(is_fit) else { return false };
        self.state.phase = next;
        self.state.phase_began = self.ledger.work;
        (self.state.opened, self.state.rung, self.state.round) = (0, 0, 0);
        self.state.ladder = Ladder::default();
        self.state.population = Population::default();
        (self.state.tournament, self.state.job) = (None, None);
        self.state.focus = Focus::new(self.setup.options.centre, self.setup.options.ratio);
        true
    }

    /// On the first island, takes a construction with further switches once the planned ones have had some time.
    fn construct_further(&mut self) {
        let work = u64::from(self.setup.options.further) * u64::from(self.problem.nis());
        let is_due = self.problem.grows && self.ledger.work >= self.state.phase_began + work;
        if self.state.constructed || self.setup.number > 0 || !is_due {
            return;
        }
        self.state.constructed = true;
        let (spec, demand, ledger) = (self.setup.spec, self.setup.demand, &mut *self.ledger);
        let Some(more) = with_more(spec, demand, &mut || ledger.should_continue()) else { return };
        let (genome, whole) = genome(spec, more.design_for(spec).switches());
        if whole {
            let score = Score { pending_aims: self.problem.pending_aims, ..Score::uncovered(0) };
            self.ledger.consider(score, &genome, &format!("by construction: {}", more.name));
        }
    }

    /// Continues or starts a repair; `false` if nothing is left.
    fn step(&mut self) -> bool {
        if self.ledger.wants_state() {
            self.keep_state(false);
        }
        self.construct_further();
        if self.state.job.is_some() {
            self.stretch();
            return true;
        }
        if self.state.population.members().is_empty() && self.state.opened > MAX_OPENINGS {
            return false;
        }
        if self.next_opening() {
            return true;
        }
        match &self.state.tournament {
            None if self.climbs() => self.climb_ladder(),
            _ => self.step_tournament(),
        }
        true
    }

    /// Runs the next opening; `false` if none is left.
    fn next_opening(&mut self) -> bool {
        let opening = OPENINGS.get(self.state.opened as usize);
        self.state.opened += 1;
        opening.map(|open| open(self)).is_some()
    }

    /// `true` if every wiring must derive from the start wiring.
    fn must_keep_start(&self) -> bool {
        self.problem.rules().is_some_and(|rules| rules.max_moved.is_some())
    }

    fn add_unrepaired(&mut self, genome: &[u32], method: &str) {
        self.ledger.tally.individuals += 1;
        if self.load(genome) {
            let score = Score::of(&self.wiring);
            self.ledger.consider(score, self.wiring.genome(), method);
            let genome = self.wiring.genome().clone();
            self.state.population.add(Individual { genome, score, dna: None, blame: None });
            self.report_population();
        }
    }

    /// Adds a scaled-down design, scaled up. If every port is needed, connects all NIs and then repairs.
    fn add_scaled(&mut self) {
        let options = self.setup.options;
        let scaled = scaled::scaled(self.problem, options, &mut self.state.rng, self.ledger);
        let Some(mut genome) = scaled else { return };
        if self.problem.ports() <= self.problem.nis() {
            fill::seat_rest(self.problem, &mut genome);
        }
        if self.load(&genome) {
            let patience = options.patience_for(self.problem.nis());
            let schedule = self.schedule(options.warm, patience);
            self.begin(schedule, Stage::Repair, WiringOrigin::of(Method::Scaled), Purpose::Member);
        }
    }

    fn construct(&mut self, plain: bool) -> Option<WiringOrigin> {
        if self.state.rung > 1 || self.state.round > 0 {
            self.ledger.tally.restarts += 1;
        }
        if self.must_keep_start() {
            let start = self.setup.start?;
            return self.load(start).then_some(WiringOrigin::of(Method::Start));
        }
        if self.problem.graph.aim == Aim::Extra {
            // Extra links are added to the best wiring and to a new one in turn: pairs of a good wiring block each
            // other.
            if self.ledger.tally.restarts % 2 == 1 {
                return self.without_extra_links();
            }
            let best = self.ledger.best.as_ref()?.genome.clone();
            return self.load(&best).then_some(WiringOrigin::of(Method::Best));
        }
        if self.problem.graph.complete {
            let genome = fill::fill(self.problem);
            if !self.load(&genome) {
                return None;
            }
            exchange_connections(&mut self.wiring, 2 * self.problem.nis(), &mut self.state.rng);
            return Some(WiringOrigin::of(Method::Scattered));
        }
        let with_dna = !plain && self.problem.graph.pairs <= MAX_DNA_PAIRS;
        let pairs = self.problem.graph.pairs as usize;
        let dna = with_dna.then(|| Dna::random(pairs, &mut self.state.rng));
        self.greedy(dna, Method::Greedy)
    }

    /// Loads a random wiring, repaired as if there were no extra links.
    fn without_extra_links(&mut self) -> Option<WiringOrigin> {
        let (options, rng) = (self.setup.options, &mut self.state.rng);
        let before = &self.setup.problems[..self.state.phase];
        let mut wiring = Wiring::empty(before.iter().rfind(|before| before.further == 0)?);
        let ledger = &mut *self.ledger;
        if !wiring.load(&fill::fill(wiring.problem), &mut || ledger.should_continue()) {
            return None;
        }
        exchange_connections(&mut wiring, 2 * self.problem.nis(), rng);
        let schedule = self.schedule(options.hot, 16 * u64::from(options.brief));
        repair(&mut wiring, &schedule, options, None, &mut self.state.rng, self.ledger);
        self.load(wiring.genome()).then_some(WiringOrigin::of(Method::Scattered))
    }

    fn greedy(&mut self, dna: Option<Dna>, method: Method) -> Option<WiringOrigin> {
        let stage = if dna.is_some() { Stage::GreedyByDna } else { Stage::Greedy };
        self.ledger.enter(stage, u64::from(self.problem.nis()));
        let columns = self.setup.options.columns as usize;
        let built = greedy::greedy(self.problem, dna.as_ref(), columns, self.ledger);
        if let Some(uncovered) = built.stopped_at {
            // A partial design is judged by its pairs alone, which is enough where they all count the same.
            if self.problem.counts_pairs() {
                let score = Score { pending_aims: self.problem.pending_aims, ..Score::uncovered(uncovered) };
                self.ledger.consider(score, &built.genome, "greedy, stopped early");
            }
            return None;
        }
        if !self.load(&built.genome) {
            return None;
        }
        self.ledger.consider(Score::of(&self.wiring), self.wiring.genome(), "greedy");
        Some(WiringOrigin { method, dna, blame: built.blame })
    }

    fn load(&mut self, genome: &[u32]) -> bool {
        let ledger = &mut *self.ledger;
        self.wiring.load(genome, &mut || ledger.should_continue())
    }

    fn schedule(&self, hot: u32, patience: u64) -> Schedule {
        let options = self.setup.options;
        let moves = patience * u64::from(self.problem.nis());
        Schedule { hot, cool: options.cool.min(hot), steps: options.steps, moves }
    }

    fn begin(&mut self, schedule: Schedule, stage: Stage, built: WiringOrigin, purpose: Purpose) {
        self.ledger.enter(stage, schedule.moves);
        let (repair, WiringOrigin { method, dna, blame }) = (Repair::new(schedule), built);
        self.state.job = Some(OpenRepair { repair, stage, method, dna, blame, purpose, wiring: None });
    }

    fn stretch(&mut self) {
        let Some(job) = &mut self.state.job else { return };
        let method = Some(job.method.words());
        let mut context = Context {
            options: self.setup.options,
            rng: &mut self.state.rng,
            ledger: self.ledger,
            method,
            helpers: self.setup.helpers,
        };
        if job.repair.advance(&mut self.wiring, &mut context, STRETCH) {
            return;
        }
        if let Some(job) = self.state.job.take().filter(|_| self.ledger.should_continue()) {
            self.finish(job);
        }
    }

    fn finish(&mut self, job: OpenRepair) {
        let OpenRepair { repair, method, dna, blame, .. } = job;
        let built = WiringOrigin { method, dna, blame };
        match job.purpose {
            Purpose::Rung if self.rung_goes_on(&repair) => self.anneal_rung(built),
            Purpose::Member | Purpose::Rung => self.add_member(built),
            Purpose::Heat(entrant) => self.end_heat(entrant, method),
            Purpose::Quench(entrant) => self.end_quench(entrant, method, false),
            Purpose::LongQuench(entrant) => self.end_quench(entrant, method, true),
        }
    }

    fn add_member(&mut self, built: WiringOrigin) {
        self.ledger.tally.individuals += 1;
        let genome = self.wiring.genome().clone();
        let score = Score::of(&self.wiring);
        self.state.population.add(Individual { genome, score, dna: built.dna, blame: built.blame });
        self.report_population();
        self.exchange_when_due();
    }

    fn report_population(&mut self) {
        let diversity = self.state.population.diversity(self.problem, &mut self.state.rng.clone());
        self.ledger.report_population(&self.state.population.scores(), diversity);
    }

    fn exchange_when_due(&mut self) {
        if self.ledger.work < self.state.next_epoch_at || !self.ledger.should_continue() {
            return;
        }
        self.state.next_epoch_at = self.ledger.work + u64::from(self.setup.options.epoch) * 1000;
        self.state.exchanging = true;
        if self.ledger.keeps_checkpoints() {
            self.keep_state(false);
        }
        self.exchange();
    }

    fn exchange(&mut self) {
        if let Some(Elite { genome, score, .. }) = self.ledger.exchange(self.state.epoch)
            && score.pending_aims == self.problem.pending_aims
            && fits(self.problem, &genome)
        {
            self.state.population.replace_worst(Individual { genome, score, dna: None, blame: None });
        }
        self.state.epoch += 1;
        self.state.exchanging = false;
    }

    fn keep_state(&mut self, last: bool) {
        if let Some(job) = &mut self.state.job {
            job.wiring = Some(self.wiring.snapshot());
        }
        self.ledger.hand_over(self.state.save(self.ledger), last);
        if let Some(job) = &mut self.state.job {
            job.wiring = None;
        }
    }
}

/// `true` if an instance has every switch that a wiring uses: another island may be ahead, with further switches.
fn fits(problem: &Problem, genome: &[u32]) -> bool {
    genome.iter().all(|&switch| switch == NONE || switch < problem.switches())
}

/// First wirings of a phase that need no randomness, in order. Each may do nothing.
const OPENINGS: [fn(&mut Island); 4] = [best_of_last_phase, start_of_spec, lowest_switch_fill, scaled_down];

fn best_of_last_phase(island: &mut Island) {
    if let Some(Elite { genome, method, .. }) = island.ledger.best.clone() {
        island.add_unrepaired(&genome, &method);
    }
}

fn start_of_spec(island: &mut Island) {
    if let Some(start) = island.setup.start {
        island.add_unrepaired(start, "start wiring");
    }
}

fn lowest_switch_fill(island: &mut Island) {
    if island.setup.number == 0 && !island.must_keep_start() {
        let genome = fill::fill(island.problem);
        island.add_unrepaired(&genome, "lowest-numbered-switch fill");
    }
}

fn scaled_down(island: &mut Island) {
    if island.problem.graph.complete && !island.must_keep_start() {
        island.add_scaled();
    }
}

/// A phase without a wiring ends after this many openings and rungs.
const MAX_OPENINGS: u32 = 64;

struct WiringOrigin {
    method: Method,
    dna: Option<Dna>,
    blame: Option<usize>,
}

impl WiringOrigin {
    fn of(method: Method) -> WiringOrigin {
        WiringOrigin { method, dna: None, blame: None }
    }
}
