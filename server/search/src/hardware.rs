//! Hardware search: which NI counts and switch models suffice (Mattox 2006, section 3.4.5).
//!
//! Bounds and stock limits rule out cells first. Then each width is tried from the fewest NIs upward until a wiring
//! is found, widest switches first. A wiring also answers cells with more NIs, and with wider switches that its own
//! can be combined on. Where ceil(Nη/ρ) switches of a model without a stock limit are too few, the search uses as many
//! as no bound rules out, or a closed form.
//!
//! Until the budget ends or a bound is met, solved cells are tried with fewer switches, models are mixed, and failed cells
//! beside the frontier are retried, with more switches if stock allows it. A failed attempt is repeated for twice as long.
//! Attempts that can change which cell is the cheapest come first. Small hardware is decided by trying all wirings.
//!
//! Unlike in Mattox 2006, a cell is not skipped because a wider switch failed with as many NIs: wider switches are
//! fewer.

mod answer;
mod attempt;
mod checkpoint;
mod exact;
pub mod minimise;
mod reduce;
mod stock;
mod trim;

pub use checkpoint::{BoardError, fingerprint};

use crate::{SearchError, closed::max_switches, epoch::Machines, limit::Limit, options::Options};
use analysis::analysis::bounds::quick_refusal;
use attempt::{AttemptObserver, Clock};
use checkpoint::{CellRecord, CheckpointContent, Context, OpenAttempt};
use reduce::Task;
use spec::{
    cancel::{Token, scope},
    design::Design,
    random::Rng,
    spec::{Faults, Objective, Spec, SwitchModel},
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    time::Instant,
};
use work::{
    hardware::{
        Board, BoardObserver, Cell, CellState, HardwareRequest, build_spec, cell_spec, crowded, is_no_less,
        mixable,
    },
    search::{Budget, Outcome, SearchRequest},
};

/// Searches over hardware.
///
/// Calls the observer on every change and about ten times per second, always from the calling thread. Notices a
/// cancel within milliseconds while a search runs. With budgets counted in work, seed and threads determine the
/// board, apart from seconds.
///
/// # Errors
/// The request is not valid: see [`HardwareRequest::faults`].
pub fn run(
    request: &HardwareRequest,
    observer: &mut dyn BoardObserver,
    cancel: &AtomicBool,
) -> Result<Board, BoardError> {
    resume(request, None, None, observer, cancel)
}

/// [`run`], from a checkpoint if one is given; its wirings are published again first. The total budget counts from
/// the first start and may have grown; everything else must match. `machines` as in [`request::resume`](crate::request::resume).
///
/// # Errors
/// As [`run`], and a checkpoint that is damaged or of another search.
pub fn resume(
    request: &HardwareRequest,
    saved: Option<&[u8]>,
    machines: Option<&dyn Machines>,
    observer: &mut dyn BoardObserver,
    cancel: &AtomicBool,
) -> Result<Board, BoardError> {
    Faults::of(request.faults()).map_or(Ok(()), |faults| Err(BoardError::Faults(faults)))?;
    let board = |stop: &Token| searched(request, saved, machines, observer, cancel, stop);
    // A cancelled scope of the caller would take the results along.
    let board = scope(&Token::default(), || Limit::new(cancel, Instant::now(), None).watch(board));
    board.unwrap_or_else(|_| unreachable!("a scope that nobody cancels"))
}

fn searched(
    request: &HardwareRequest,
    saved: Option<&[u8]>,
    machines: Option<&dyn Machines>,
    observer: &mut dyn BoardObserver,
    cancel: &AtomicBool,
    stop: &Token,
) -> Result<Board, BoardError> {
    let mut search = BoardSearch::new(request, machines, observer, cancel, stop);
    match saved {
        Some(bytes) => search.resume(checkpoint::read(bytes, request)?),
        None => {
            search.rule_out();
            search.save_if_due();
        }
    }
    for column in 0..request.catalogue.len() {
        for nis in request.nis_from..=request.nis_to {
            let Some(index) = search.board.index(nis, column) else { break };
            let cell = &search.board.cells[index];
            match cell.state {
                state if state.is_solved() => break,
                CellState::Refuted | CellState::Stock => {}
                // Tried before the checkpoint.
                _ if cell.attempts > 0 => {}
                _ => search.attempt(index, search.spec_of(index)),
            }
        }
    }
    search.bound_cables();
    search.rank();
    loop {
        match search.next_task() {
            Some(Task::Retry(index)) => search.retry(index),
            Some(Task::Reduce(index, counts, tries)) => search.reduce(index, &counts, tries),
            None => break,
        }
    }
    Ok(search.finish())
}

/// Seed of an attempt: differs between cells and attempts. Short, so that people can type it.
fn seed_of(board: u64, nis: u32, usable: u32, attempt: u32) -> u64 {
    let cell = u64::from(nis) << 48 | u64::from(usable) << 32 | u64::from(attempt);
    Rng::new(board, cell).bits().into()
}

struct BoardSearch<'a> {
    request: &'a HardwareRequest,
    machines: Option<&'a dyn Machines>,
    observer: &'a mut dyn BoardObserver,
    cancel: &'a AtomicBool,
    /// Ends long steps shortly after a cancel.
    stop: &'a Token,
    board: Board,
    clock: Clock,
    spent: u64,
    records: Vec<CellRecord>,
    fingerprint: u64,
    /// The attempt to resume from a checkpoint.
    open: Option<OpenAttempt>,
    /// `true` if results are not in a checkpoint yet.
    unsaved: bool,
    /// The models that mix, by index.
    mixable: Vec<usize>,
    /// Fewest cables of each column, by bounds; empty before they are known.
    cables: Vec<u64>,
    /// The spec without its patterns, for prices.
    bare: Spec,
}

impl<'a> BoardSearch<'a> {
    fn new(
        request: &'a HardwareRequest,
        machines: Option<&'a dyn Machines>,
        observer: &'a mut dyn BoardObserver,
        cancel: &'a AtomicBool,
        stop: &'a Token,
    ) -> BoardSearch<'a> {
        let board = Board::blank(request);
        let records = vec![CellRecord::default(); board.cells.len()];
        let clock = Clock { began: Instant::now(), before: 0.0 };
        let (open, fingerprint) = (None, fingerprint(request));
        BoardSearch {
            request,
            machines,
            observer,
            cancel,
            stop,
            board,
            clock,
            spent: 0,
            records,
            fingerprint,
            open,
            unsaved: false,
            mixable: mixable(&request.spec, &request.catalogue),
            cables: Vec::new(),
            bare: Spec { patterns: Vec::new(), ..(*request.spec).clone() },
        }
    }

    /// Resumes from a checkpoint and publishes its wirings.
    fn resume(&mut self, saved: CheckpointContent<'static>) {
        let CheckpointContent { elapsed, spent, board, records, open, .. } = saved;
        self.clock.before = elapsed;
        (self.spent, self.open) = (spent, open);
        (self.board, self.records) = (board.into_owned(), records.into_owned());
        for index in 0..self.records.len() {
            let record = &self.records[index];
            let (Some(wiring), Some(uncovered)) = (&record.wiring, record.best) else { continue };
            let design = Design::from_switches(self.request.spec.pes, wiring.iter().cloned());
            let cell = &self.board.cells[index];
            let spec = cell.spec(&self.request.spec, &self.request.catalogue);
            self.observer.design(index, &spec, &design, uncovered);
        }
        self.report();
    }

    /// Writes a checkpoint of new results once one is due, unless the search was cancelled.
    fn save_if_due(&mut self) {
        if self.cancel.load(SeqCst) || !self.observer.keeps_checkpoints() {
            return;
        }
        self.unsaved = true;
        if self.observer.wants_checkpoint() {
            self.write(None);
        }
    }

    /// Writes a checkpoint. `tried` is the present cell before its attempt, and the start of that in seconds.
    fn write(&mut self, tried: Option<(usize, &Cell, f64)>) {
        let context = Context { fingerprint: self.fingerprint, spent: self.spent, records: &self.records };
        let elapsed = tried.map_or_else(|| self.elapsed(), |(.., began)| began);
        let bytes = context.seal(&self.board, tried.map(|(index, cell, _)| (index, cell)), elapsed, None);
        bytes.into_iter().for_each(|bytes| self.observer.checkpoint(bytes));
        self.unsaved = false;
    }

    /// Marks the cells that bounds or stock limits rule out.
    fn rule_out(&mut self) {
        for index in 0..self.board.cells.len() {
            if self.cancel.load(SeqCst) {
                return;
            }
            let cell = &self.board.cells[index];
            // Solved by the wiring of an earlier cell, or without a model of its own.
            if cell.state.is_solved() || cell.is_mix() {
                continue;
            }
            self.board.trying = format!("{}: checking bounds", cell_name(cell));
            let model = self.request.catalogue[cell.model];
            let spec = self.spec_of(index);
            let endless = cell_spec(&self.request.spec, cell.nis, &SwitchModel { count: None, ..model });
            let is_short = endless.switch_budget() > spec.switch_budget();
            let (state, note) = if let Some(crowd) = crowded(&spec) {
                (CellState::Refuted, crowd)
            } else {
                let refused = |spec: &Spec| scope(self.stop, || quick_refusal(spec, &self.request.demand));
                let Ok(refusal) = refused(&spec) else { return };
                match refusal {
                    Some(_) if self.allow_more(index) => continue,
                    Some(refusal) => {
                        let by_stock = is_short && refused(&endless) == Ok(None);
                        (if by_stock { CellState::Stock } else { CellState::Refuted }, refusal.proof)
                    }
                    None => (CellState::Unknown, String::new()),
                }
            };
            let cell = &mut self.board.cells[index];
            (cell.state, cell.note) = (state, note);
            self.report();
        }
    }

    /// Tries a failed cell again. All wirings of a small one are tried; a model without a stock limit gets more switches.
    fn retry(&mut self, index: usize) {
        let resumes = self.open.as_ref().is_some_and(|open| open.cell == index);
        if self.board.cells[index].attempts == 1 && !resumes && self.decide_failed(index) {
            self.rank();
            self.report();
            self.save_if_due();
            return;
        }
        let cell = &self.board.cells[index];
        let model = &self.request.catalogue[cell.model];
        let few = cell_spec(&self.request.spec, cell.nis, model).switch_budget();
        let more =
            few.saturating_add((few / 8).max(1).saturating_mul(cell.attempts - 1)).min(max_switches(few));
        let own = self.spec_of(index);
        let wide = build_spec(&own, more);
        let grows = model.count.is_none() && more > own.switch_budget() && crowded(&wide).is_none();
        self.attempt(index, if grows { wide } else { own });
    }

    fn attempt(&mut self, index: usize, spec: Spec) {
        let attempts = self.board.cells[index].attempts;
        let Some(budget) = self.budget_for(attempts) else { return };
        let spec = Arc::new(spec);
        let (before, searched) = self.search(index, &spec, budget, &[]);
        self.board.cells[index].uncovered = self.records[index].best;
        match searched {
            Ok((outcome, seed)) => {
                self.spent += effort_spent(budget, outcome.uncovered == 0, outcome.progress.moves);
                self.record_outcome(index, before.state, &spec, outcome, seed);
                if before.attempts == 0 && self.board.cells[index].state == CellState::Failed {
                    self.construct(index);
                }
            }
            Err(error) => {
                self.records[index].refused = true;
                self.record_failure(index, error.to_string());
            }
        }
        self.rank();
        self.report();
        self.save_if_due();
    }

    /// Searches a cell, with the switches of `target` if it is to become cheaper. Returns the cell before, and the outcome
    /// with its seed.
    fn search(
        &mut self,
        index: usize,
        spec: &Arc<Spec>,
        budget: Budget,
        target: &[u32],
    ) -> (Cell, Result<(Outcome, u64), SearchError>) {
        let open = self.open.take().filter(|open| open.cell == index && open.target == target);
        let budget = open.as_ref().map_or(budget, |open| open.budget);
        let (before, from) = (self.board.cells[index].clone(), self.elapsed());
        if target.is_empty() {
            self.board.cells[index].state = CellState::Trying;
        }
        let cell = &self.board.cells[index];
        let seed = seed_of(self.request.seed, cell.nis, cell.usable, cell.attempts);
        // An attempt asks whether the hardware can serve every pair, not how fast.
        let spec = match spec.objective {
            Objective::Time => Arc::new(Spec { objective: Objective::Sparse, ..(**spec).clone() }),
            _ => spec.clone(),
        };
        let asked = SearchRequest {
            spec,
            demand: self.request.demand.clone(),
            budget,
            seed,
            threads: self.request.threads,
        };
        // Where the total is a time and the attempt's budget is work, the observer ends the attempt.
        let over = AtomicBool::new(false);
        let cut = match (budget, self.request.total) {
            (Budget::Effort(_), Budget::Seconds(total)) => Some(total),
            _ => None,
        };
        let cancel = self.cancel;
        let stop = if cut.is_some() { &over } else { cancel };
        let context = Context { fingerprint: self.fingerprint, spent: self.spent, records: &self.records };
        let mut observer = AttemptObserver {
            board: &mut self.board,
            observer: &mut *self.observer,
            index,
            before: &before,
            from,
            clock: self.clock,
            cancel,
            context,
            budget,
            target,
            unsaved: self.unsaved,
            cut: cut.map(|seconds| (seconds, &over)),
        };
        let state = open.as_ref().map(|open| open.state.as_slice());
        let outcome =
            crate::request::resume(&asked, &Options::default(), state, self.machines, &mut observer, stop);
        self.unsaved = observer.unsaved;
        if self.unsaved && cancel.load(SeqCst) {
            self.write(Some((index, &before, from)));
        }
        (before, outcome.map(|outcome| (outcome, seed)))
    }

    /// The failed cell to retry, if one could improve the board: in each width the one with most NIs, which is the
    /// easiest.
    fn next_retry(&self) -> Option<usize> {
        let columns = 0..self.board.ports.len();
        let failed = |index: &usize| {
            self.board.cells[*index].state == CellState::Failed && !self.records[*index].refused
        };
        let last = |column: usize| {
            let rows = (self.board.nis_from..=self.board.nis_to).rev();
            rows.filter_map(|nis| self.board.index(nis, column)).find(failed)
        };
        let worth = columns.filter_map(last).filter(|&index| self.would_improve(index));
        worth.min_by(|&a, &b| {
            let (one, two) = (&self.board.cells[a], &self.board.cells[b]);
            let cost = |cell: &Cell| cell.cost.unwrap_or(f64::INFINITY);
            one.attempts
                .cmp(&two.attempts)
                .then(self.would_save(b).cmp(&self.would_save(a)))
                .then(cost(one).total_cmp(&cost(two)))
                .then(one.uncovered.cmp(&two.uncovered))
                .then(a.cmp(&b))
        })
    }

    fn finish(mut self) -> Board {
        if self.unsaved && !self.cancel.load(SeqCst) {
            self.write(None);
        }
        self.board.settle();
        self.rank();
        self.board.complete = !self.cancel.load(SeqCst) && self.has_budget();
        self.report();
        self.board
    }

    /// Ranks the cells anew.
    fn rank(&mut self) {
        self.board.rank();
        self.board.least_cost = self.least_cost_of_all();
    }

    fn spec_of(&self, index: usize) -> Spec {
        let cell = &self.board.cells[index];
        cell.spec(&self.request.spec, &self.request.catalogue)
    }

    fn elapsed(&self) -> f64 {
        self.clock.elapsed()
    }

    /// `true` if a wiring of a failed cell would be on the frontier or might be the cheapest.
    fn would_improve(&self, index: usize) -> bool {
        let cell = &self.board.cells[index];
        let beaten = self
            .board
            .cells
            .iter()
            .any(|other| other.state.is_solved() && other.nis <= cell.nis && other.ports <= cell.ports);
        !beaten || self.would_save(index)
    }

    /// `true` if a wiring of a failed cell might be cheaper than the cheapest.
    fn would_save(&self, index: usize) -> bool {
        match (self.least_cost(index), self.cheapest_cost()) {
            (Some(least), Some(cheapest)) => !is_no_less(least, cheapest),
            (least, _) => least.is_some(),
        }
    }

    fn has_budget(&self) -> bool {
        match self.request.total {
            Budget::Seconds(total) => self.elapsed() < total,
            Budget::Effort(total) => self.spent < total,
        }
    }

    /// Budget of an attempt after that many failed ones: doubles each time, within what is left. `None` if nothing is, or
    /// after a cancel.
    fn budget_for(&self, failed: u32) -> Option<Budget> {
        let times = 2u64.saturating_pow(failed);
        let (seconds, millions) = (self.elapsed(), self.spent);
        let budget = match (self.request.cell, self.request.total) {
            (Budget::Seconds(one), Budget::Seconds(total)) => {
                Budget::Seconds((one * times as f64).min(total - seconds))
            }
            (Budget::Seconds(one), Budget::Effort(_)) => Budget::Seconds(one * times as f64),
            (Budget::Effort(one), Budget::Effort(total)) => {
                Budget::Effort(one.saturating_mul(times).min(total.saturating_sub(millions)))
            }
            (Budget::Effort(one), Budget::Seconds(_)) => Budget::Effort(one.saturating_mul(times)),
        };
        (self.has_budget() && !self.cancel.load(SeqCst)).then_some(budget)
    }

    fn report(&mut self) {
        self.board.elapsed = self.elapsed();
        self.board.revision += 1;
        self.observer.board(&self.board);
    }
}

/// Effort of an attempt in million moves. A success counts 1, since the work of the other islands depends on the
/// machine.
fn effort_spent(budget: Budget, solved: bool, moves: u64) -> u64 {
    match budget {
        Budget::Effort(_) if solved => 1,
        Budget::Effort(millions) => millions,
        Budget::Seconds(_) => moves.div_ceil(1_000_000).max(1),
    }
}

/// Name of a cell for people.
fn cell_name(cell: &Cell) -> String {
    let nics = if cell.nis == 1 { "NIC" } else { "NICs" };
    match cell.is_mix() {
        true => format!("{} {nics}, mixed models", cell.nis),
        false => format!("{} {nics}, {} ports", cell.nis, cell.ports),
    }
}
