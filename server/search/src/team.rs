//! Judges the moves of one repair on several threads.
//!
//! A batch of moves is judged on one state of the wiring, in chunks with random numbers of their own. The accepted moves
//! are then applied in order; a move is judged again if the wiring has changed within the batch. Each helper has a copy of
//! the wiring and repeats all changes. So the wiring depends neither on the number of helpers nor on their speed: the leader
//! judges the moves of a helper that is late.
//!
//! Against a repair with one move at a time, batches of 64 need up to a tenth more moves until nothing is missing.

use crate::{
    moves::{DRAWS, gather, idle, judge_random, judge_serving, propose_idling, retry},
    options::Options,
    schedule::{Acceptance, Schedule},
    wiring::{Swap, Wiring},
};
use spec::{
    random::Rng,
    spec::{Objective, Spec},
};
use std::{
    hint::spin_loop,
    iter::repeat_with,
    ops::Range,
    sync::{
        LazyLock,
        atomic::{
            AtomicU32, AtomicU64,
            Ordering::{AcqRel, Acquire, Relaxed, Release},
        },
    },
    thread,
};

/// Moves with one stream of random numbers.
const CHUNK: u64 = 4;
/// Moves per batch, at most.
const MAX_BATCH: u64 = 64;
/// Moves that helpers repeat before they take new copies of the wiring.
const MAX_FOUND: usize = 1 << 16;
/// Batches after which helpers take new copies.
const MAX_ROUNDS: u64 = (1 << 24) - 2;
/// The batch at which helpers end.
const END: u64 = u64::MAX;
/// Checks of a helper for a new round before it gives up its core.
const SPINS: u32 = 1 << 8;
/// Checks of the leader, per move, for a late helper's moves.
const PATIENCE: u64 = 16;

/// Moves per batch for an instance with this many NIs: in small ones, moves of a batch get into each other's way.
pub fn batch_for(nis: u32) -> u64 {
    u64::from(nis / 32).clamp(CHUNK, MAX_BATCH) / CHUNK * CHUNK
}

/// Threads that judge such a batch in less time than one, at most: each has two chunks or more.
fn team_for(nis: u32) -> u32 {
    (batch_for(nis) / CHUNK / 2).max(1) as u32
}

/// Use of a search's threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads {
    /// Number of threads.
    pub all: u32,
    /// Number of islands. Seed, effort and islands determine the wiring.
    pub islands: u32,
}

impl Threads {
    /// A few threads repair the wirings of one island, if it is large enough. A search for time has an island per thread.
    pub fn of(spec: &Spec, all: u32, options: &Options) -> Threads {
        let is_single = spec.objective == Objective::Time || spec.renumbers();
        let nis = u32::try_from(spec.total_nis()).unwrap_or(u32::MAX);
        let team = if is_single { 1 } else { options.team.min(team_for(nis)) };
        Threads { all, islands: all.div_ceil(team) }
    }

    /// Number of threads of an island, besides its own.
    pub fn helpers(self, island: u32) -> u32 {
        let Threads { all, islands } = self;
        (all / islands + u32::from(island < all % islands)).saturating_sub(1)
    }
}

/// Threads of this process that repair wirings.
static REPAIRING: AtomicU32 = AtomicU32::new(0);
/// Cores for them, if they may not use all of the machine; 0 for all.
static CORES: AtomicU32 = AtomicU32::new(0);

/// Lets repairs of this process use so many cores of the machine.
pub fn limit_cores(cores: u32) {
    CORES.store(cores, Release);
}

fn cores() -> u32 {
    static ALL: LazyLock<u32> =
        LazyLock::new(|| thread::available_parallelism().map_or(1, |cores| cores.get() as u32));
    match CORES.load(Acquire) {
        0 => *ALL,
        some => some,
    }
}

/// A repair's claim on cores of the machine. Without idle cores, helpers would only delay other repairs.
pub struct Cores(u32);

impl Cores {
    /// Claims a core for the leader, and one for each of up to `helpers` helpers while cores are idle.
    pub fn claim(helpers: u32) -> Cores {
        let (cores, mut claimed) = (cores(), 1);
        let more = |running: u32| {
            claimed = 1 + helpers.min(cores.saturating_sub(running + 1));
            Some(running + claimed)
        };
        // The closure never refuses.
        let _ = REPAIRING.fetch_update(AcqRel, Acquire, more);
        Cores(claimed)
    }

    /// Number of helpers with a core.
    pub fn helpers(&self) -> u32 {
        self.0 - 1
    }
}

impl Drop for Cores {
    fn drop(&mut self) {
        REPAIRING.fetch_sub(self.0, AcqRel);
    }
}

/// Judges and repeats moves of a kind of instance.
#[derive(Clone, Copy)]
pub struct Kernel<'p> {
    judge: fn(&Wiring<'p>, i32, u32, &mut Rng) -> Option<Swap>,
    retry: fn(&mut Wiring<'p>, &Swap, i32),
    apply: fn(&mut Wiring<'p>, &Swap),
}

impl<'p> Kernel<'p> {
    /// The one for every instance.
    pub const PLAIN: Kernel<'p> = Kernel { judge: judge_serving, retry, apply: Wiring::apply };

    /// Serves an uncovered pair at a loss of at most `limit`, if a move for that is found.
    pub fn serve(&self, wiring: &mut Wiring<'p>, limit: i32, candidates: u32, rng: &mut Rng) {
        if let Some(swap) = (self.judge)(wiring, limit, candidates, rng) {
            (self.apply)(wiring, &swap);
        }
    }

    /// The fastest one for a wiring.
    pub fn of(wiring: &Wiring<'p>) -> Kernel<'p> {
        match wiring.fast_nis() {
            Some(2) => Kernel::fast::<2>(),
            Some(3) => Kernel::fast::<3>(),
            Some(4) => Kernel::fast::<4>(),
            Some(5) => Kernel::fast::<5>(),
            Some(6) => Kernel::fast::<6>(),
            Some(8) => Kernel::fast::<8>(),
            _ => Kernel::PLAIN,
        }
    }

    fn fast<const NIS: usize>() -> Kernel<'p> {
        let (judge, retry) = (Wiring::judge_fast::<NIS>, Wiring::retry_fast::<NIS>);
        Kernel { judge, retry, apply: Wiring::apply_fast::<NIS> }
    }
}

/// An accepted move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// A swap and the loss accepted.
    Swap(Swap, i32),
    /// An NI that may go idle, and the loss accepted.
    Idle(u32, i32),
    /// A seed for [`gather`], which has to be tried to be judged, and the loss accepted.
    Gather(u32, i32),
}

impl Found {
    /// Marks of other moves, in the place of a switch: no switch has so high a number.
    const IDLE: u32 = u32::MAX;
    const GATHER: u32 = u32::MAX - 1;

    /// As two words.
    fn words(self) -> [u64; 2] {
        let pack = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
        match self {
            Found::Swap(swap, limit) => [pack(swap.ni, swap.port), pack(swap.switch, limit as u32)],
            Found::Idle(ni, limit) => [pack(ni, 0), pack(Found::IDLE, limit as u32)],
            Found::Gather(seed, limit) => [pack(seed, 0), pack(Found::GATHER, limit as u32)],
        }
    }

    fn of([first, second]: [u64; 2]) -> Found {
        let (ni, port, switch, limit) =
            ((first >> 32) as u32, first as u32, (second >> 32) as u32, second as u32 as i32);
        match switch {
            Found::IDLE => Found::Idle(ni, limit),
            Found::GATHER => Found::Gather(ni, limit),
            _ => Found::Swap(Swap { ni, switch, port }, limit),
        }
    }
}

/// A batch to judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Batch {
    /// Number of the batch in its team, from 1.
    round: u64,
    /// Moves found in earlier batches.
    known: u64,
    /// Temperature, as a step of the schedule.
    step: u64,
    moves: u64,
}

impl Batch {
    /// As one word, which helpers read at once.
    fn word(self) -> u64 {
        self.round << 40 | self.known << 20 | self.step << 8 | self.moves
    }

    fn of(word: u64) -> Batch {
        let part = |from: u32, bits: u32| word >> from & ((1 << bits) - 1);
        Batch { round: part(40, 24), known: part(20, 20), step: part(8, 12), moves: part(0, 8) }
    }

    /// Chunks that a member judges: the leader is the first of `members`.
    fn share(&self, member: u64, members: u64) -> Range<u64> {
        let chunks = self.moves.div_ceil(CHUNK);
        member * chunks / members..(member + 1) * chunks / members
    }
}

/// Everything that judging moves needs, apart from the wiring.
#[derive(Clone, Copy)]
struct Judge<'p> {
    kernel: Kernel<'p>,
    scale: f64,
    setup: Setup,
}

impl<'p> Judge<'p> {
    /// Judges chunks of a batch, into `found`.
    fn judge(
        &self,
        wiring: &Wiring<'p>,
        batch: Batch,
        chunks: Range<u64>,
        acceptance: &Acceptance,
        found: &mut Vec<Found>,
    ) {
        for chunk in chunks {
            let mut rng = Rng::new(self.setup.seed + batch.round, chunk);
            for _ in 0..CHUNK.min(batch.moves - chunk * CHUNK) {
                let draw = rng.bits();
                let limit = acceptance.accepted(draw, &mut rng);
                found.extend(match draw % DRAWS {
                    0 | 1 => judge_random(wiring, limit, &mut rng).map(|swap| Found::Swap(swap, limit)),
                    2 => propose_idling(wiring, limit.into(), &mut rng).map(|ni| Found::Idle(ni, limit)),
                    3 => Some(Found::Gather(rng.bits(), limit)),
                    _ => (self.kernel.judge)(wiring, limit, self.setup.candidates, &mut rng)
                        .map(|swap| Found::Swap(swap, limit)),
                });
            }
        }
    }

    /// Applies moves of one batch in order.
    fn apply(&self, wiring: &mut Wiring<'p>, found: &[Found]) {
        wiring.begin_batch();
        for (place, found) in found.iter().enumerate() {
            if wiring.cost() == 0 {
                return;
            }
            match *found {
                Found::Swap(swap, _) if place == 0 => (self.kernel.apply)(wiring, &swap),
                Found::Swap(swap, limit) => (self.kernel.retry)(wiring, &swap, limit),
                Found::Idle(ni, limit) => idle(wiring, ni, limit.into()),
                Found::Gather(seed, limit) => {
                    gather(wiring, limit, self.setup.candidates, &mut Rng::seeded(seed.into()));
                }
            }
        }
    }

    fn acceptance(&self, step: u64) -> Acceptance {
        Acceptance::at(self.setup.schedule.temperature(step), self.scale)
    }
}

/// A value on cache lines of its own.
#[repr(align(128))]
struct Line<T>(T);

/// Moves found by a helper.
struct Desk {
    /// Round and number of moves found, as `round << 8 | number`.
    done: AtomicU64,
    found: [[AtomicU64; 2]; MAX_BATCH as usize],
}

fn read(words: &[AtomicU64; 2]) -> Found {
    Found::of(words.each_ref().map(|word| word.load(Relaxed)))
}

fn write(words: &[AtomicU64; 2], found: Found) {
    for (word, value) in words.iter().zip(found.words()) {
        word.store(value, Relaxed);
    }
}

/// State shared by leader and helpers.
struct Board {
    batch: Line<AtomicU64>,
    /// Moves found so far.
    found: Vec<[AtomicU64; 2]>,
    desks: Vec<Line<Desk>>,
}

impl Board {
    fn new(helpers: u32) -> Board {
        let words = || [const { AtomicU64::new(0) }; 2];
        let desk = || Line(Desk { done: AtomicU64::new(0), found: std::array::from_fn(|_| words()) });
        Board {
            batch: Line(AtomicU64::new(0)),
            found: repeat_with(words).take(MAX_FOUND).collect(),
            desks: repeat_with(desk).take(helpers as usize).collect(),
        }
    }

    /// Judges moves until the leader ends.
    fn help<'p>(&self, helper: usize, mut wiring: Wiring<'p>, judge: &Judge<'p>) {
        let (mut seen, mut repeated, mut spins) = (0, 0, 0);
        let mut acceptance = (0, judge.acceptance(0));
        let mut found = Vec::new();
        let Line(desk) = &self.desks[helper];
        loop {
            let word = self.batch.0.load(Acquire);
            if word == END {
                return;
            }
            if word == seen {
                spins += 1;
                if spins < SPINS {
                    spin_loop()
                } else {
                    thread::yield_now()
                }
                continue;
            }
            (seen, spins) = (word, 0);
            let batch = Batch::of(word);
            // Moves of several batches, if it was late: all but the first are judged again, with the same result.
            found.clear();
            found.extend(self.found[repeated..batch.known as usize].iter().map(read));
            judge.apply(&mut wiring, &found);
            repeated = batch.known as usize;
            if acceptance.0 != batch.step {
                acceptance = (batch.step, judge.acceptance(batch.step));
            }
            found.clear();
            let share = batch.share(helper as u64 + 1, self.desks.len() as u64 + 1);
            judge.judge(&wiring, batch, share, &acceptance.1, &mut found);
            for (words, &found) in desk.found.iter().zip(&found) {
                write(words, found);
            }
            desk.done.store(batch.round << 8 | found.len() as u64, Release);
        }
    }
}

/// Ends the helpers, also if the leader panics.
struct End<'b>(&'b Board);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.batch.0.store(END, Release);
    }
}

/// A leader and its helpers, if there are any.
pub struct Team<'b, 'p> {
    judge: Judge<'p>,
    board: Option<&'b Board>,
    round: u64,
    /// Moves found so far.
    known: usize,
    found: Vec<Found>,
    /// Temperature and moves of the batch that helpers have begun, if they have.
    begun: Option<(u64, u64)>,
}

/// Inputs of a team: schedule of the repair, first seed of the batches, occupants to compare, and number of helpers.
#[derive(Clone, Copy)]
pub struct Setup {
    /// The schedule.
    pub schedule: Schedule,
    /// Seed of the first batch; each further one has the next number.
    pub seed: u64,
    /// Occupants of a switch compared to find the cheapest.
    pub candidates: u32,
    /// Number of helpers.
    pub helpers: u32,
}

/// Runs `work` with a team.
pub fn with_team<'p, T>(
    wiring: &mut Wiring<'p>,
    setup: Setup,
    work: impl FnOnce(&mut Wiring<'p>, &mut Team<'_, 'p>) -> T,
) -> T {
    let judge = Judge { kernel: Kernel::of(wiring), scale: wiring.problem.graph.scale, setup };
    let mut team = Team { judge, board: None, round: 0, known: 0, found: Vec::new(), begun: None };
    if setup.helpers == 0 {
        return work(wiring, &mut team);
    }
    let board = &Board::new(setup.helpers);
    thread::scope(|threads| {
        let _end = End(board);
        for helper in 0..setup.helpers as usize {
            let copy = wiring.clone();
            threads.spawn(move || board.help(helper, copy, &judge));
        }
        work(wiring, &mut Team { board: Some(board), ..team })
    })
}

impl<'p> Team<'_, 'p> {
    /// Number of batches tried.
    pub fn rounds(&self) -> u64 {
        self.round
    }

    /// `true` once the helpers need new copies.
    pub fn is_spent(&self) -> bool {
        self.board.is_some() && (self.known + MAX_BATCH as usize > MAX_FOUND || self.round == MAX_ROUNDS)
    }

    /// Tries a batch of moves at a temperature of the schedule.
    pub fn batch(&mut self, wiring: &mut Wiring<'p>, (step, acceptance): (u64, &Acceptance), moves: u64) {
        self.round += 1;
        let batch = Batch { round: self.round, known: self.known as u64, step, moves };
        self.found.clear();
        match self.board {
            None => self.judge.judge(wiring, batch, batch.share(0, 1), acceptance, &mut self.found),
            Some(board) => self.share(board, wiring, batch, acceptance),
        }
        self.judge.apply(wiring, &self.found);
    }

    /// Judges a batch with the helpers, if they have begun it or nothing yet.
    fn share(&mut self, board: &Board, wiring: &Wiring<'p>, batch: Batch, acceptance: &Acceptance) {
        let next = (batch.step, batch.moves);
        if *self.begun.get_or_insert(next) == next {
            self.judge_with_helpers(board, wiring, batch, acceptance);
        } else {
            self.judge.judge(wiring, batch, batch.share(0, 1), acceptance, &mut self.found);
        }
        for (words, &found) in board.found[self.known..].iter().zip(&self.found) {
            write(words, found);
        }
        self.known += self.found.len();
        // Helpers apply the moves while the leader does, and begin the next batch, which is mostly like this one.
        let next = Batch { round: batch.round + 1, known: self.known as u64, ..batch };
        board.batch.0.store(next.word(), Release);
        self.begun = Some((next.step, next.moves));
    }

    fn judge_with_helpers(
        &mut self,
        board: &Board,
        wiring: &Wiring<'p>,
        batch: Batch,
        acceptance: &Acceptance,
    ) {
        let members = board.desks.len() as u64 + 1;
        if batch.round == 1 {
            board.batch.0.store(batch.word(), Release);
        }
        self.judge.judge(wiring, batch, batch.share(0, members), acceptance, &mut self.found);
        for (Line(desk), member) in board.desks.iter().zip(1..) {
            let share = batch.share(member, members);
            if share.is_empty() {
                continue;
            }
            // A helper that has judged the last batch is there for this one.
            let mut done = desk.done.load(Acquire);
            let mut checks = if done >> 8 >= batch.round - 1 { PATIENCE * batch.moves } else { 0 };
            while done >> 8 != batch.round && checks > 0 {
                spin_loop();
                done = desk.done.load(Acquire);
                checks -= 1;
            }
            if done >> 8 == batch.round {
                self.found.extend(desk.found[..(done & 0xFF) as usize].iter().map(read));
            } else {
                self.judge.judge(wiring, batch, share, acceptance, &mut self.found);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        fill::fill,
        genetic::operators::exchange_connections,
        graph::Graph,
        ledger::Ledger,
        limit::Limit,
        problem::{Problem, nis_per_pe, useful_ports},
        repair::{Context, Repair},
    };
    use spec::{demand::Demand, resolve};
    use std::sync::Arc;

    const TORI: &str = "pes = 1024\nnis_per_pe = 4\nobjective = \"sparse\"\n[[switch]]\nports = 8\n\
        [[pattern]]\nkind = \"torus\"\ndimensions = 2\nfactorizations = \"all\"\n";

    #[test]
    fn helpers_change_nothing() {
        let linked = TORI.replace("= 8", "= 13").replace("\"all\"", "\"all\"\nlinks = 2");
        for text in [TORI, &linked] {
            let spec = resolve::read(text, &mut resolve::NoFiles).expect("a spec");
            let demand = Demand::build(&spec).expect("a demand");
            let graph = Graph::new(&demand, &mut || true).expect("not stopped");
            let problem = Problem::new(Arc::new(graph), nis_per_pe(&spec), &useful_ports(&spec));
            // More helpers than cores: many are late.
            let runs = [0, 1, 3, 7].map(|helpers| {
                let (mut wiring, mut rng) = (Wiring::empty(&problem), Rng::new(1, 0));
                wiring.load(&fill(&problem), &mut || true);
                exchange_connections(&mut wiring, problem.nis(), &mut rng);
                let schedule = Schedule { hot: 900, cool: 300, steps: 16, moves: 400_000 };
                let mut setup = Setup { schedule, seed: 5, candidates: 14, helpers };
                let mut ledger = Ledger::new(&Limit::NONE, 0, u64::MAX);
                let options = &Options::default();
                let (rng, ledger) = (&mut rng, &mut ledger);
                let mut repair = Repair::new(schedule);
                while repair.done < schedule.moves && wiring.cost() > 0 {
                    let context = &mut Context { options, rng, ledger, method: None, helpers };
                    repair.advance_with(&mut wiring, context, &mut setup, schedule.moves);
                }
                assert!(wiring.cost() < 2000, "{} left", wiring.cost());
                wiring.genome().clone()
            });
            assert!(runs.iter().all(|run| *run == runs[0]), "{text}");
        }
    }

    #[test]
    fn helpers_get_idle_cores_only() {
        let all = Cores::claim(u32::MAX - 1);
        assert_eq!(Cores::claim(5).helpers(), 0);
        drop(all);
    }

    #[test]
    fn words_keep_moves_and_batches() {
        for found in [
            Found::Swap(Swap { ni: 7, switch: 9, port: u32::MAX - 1 }, -3),
            Found::Idle(12, i32::MAX),
            Found::Gather(u32::MAX, 0),
        ] {
            assert_eq!(Found::of(found.words()), found);
        }
        let batch = Batch { round: MAX_ROUNDS, known: MAX_FOUND as u64, step: 4095, moves: MAX_BATCH };
        assert_eq!(Batch::of(batch.word()), batch);
        assert_ne!(batch.word(), END);
    }
}
