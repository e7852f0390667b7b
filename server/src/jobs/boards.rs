//! Searches over hardware: started, followed, stopped, kept. They wait in the same queue as runs.

use super::{
    Jobs, StartError, budget_fault,
    queue::{Job, Orders},
    threads_fault,
};
use crate::{
    prepare::{Request, TextError, read_catalogue},
    store::{Store, StoreError, new_id},
    version,
};
use search::hardware::{self, BoardError};
use shared::{
    api::{BoardDesign, BoardView, MAX_SECONDS, RunState, StartBoard},
    design::{Design, table},
    hardware::{Board, BoardObserver, HardwareRequest, catalogue, cell_text, field_faults, unsuited},
    resolve::NoFiles,
    search::Budget,
    spec::{Fault, Faults, Spec},
};
use std::{
    any::Any,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::sync::watch;

/// Seconds of the first attempt at a cell, if nothing else is said.
pub const CELL_SECONDS: f64 = 5.0;
/// Seconds of a whole board, if nothing else is said.
pub const TOTAL_SECONDS: f64 = 300.0;
/// Least time between two boards that watchers are told of: a board may be large.
const PACE: Duration = Duration::from_millis(100);
/// How often a board is kept, so that a crash loses little.
const KEEP_EVERY: Duration = Duration::from_secs(2);

/// Most bytes of a checkpoint that is kept: the store has one writer, and whoever else writes waits.
const MOST_CHECKPOINT: usize = 64 << 20;
/// Least pause after a checkpoint, in times that keeping it took.
const REST: u32 = 20;
/// Why a board is over when the studio was stopped.
const GOES_ON: &str = "the studio was stopped in the middle; what was found until then is kept, and the search goes on after the next start";

/// A board that waits, is searched or has just ended.
pub struct LiveBoard {
    /// As it was kept at first; what changes is in `standing`.
    start: BoardView,
    standing: watch::Sender<BoardStanding>,
    orders: Orders,
    /// Least time between two checkpoints.
    checkpoint_every: Duration,
}

/// How a board stands, as its watchers are told.
#[derive(Clone, Debug)]
pub struct BoardStanding {
    /// How far it is.
    pub state: RunState,
    /// What is known.
    pub board: Board,
    /// Why it failed, if it did.
    pub message: String,
}

impl LiveBoard {
    fn new(start: BoardView, checkpoint_every: Duration) -> LiveBoard {
        let (state, board) = (start.state, start.board.clone());
        let standing = watch::Sender::new(BoardStanding { state, board, message: String::new() });
        LiveBoard { start, standing, orders: Orders::default(), checkpoint_every }
    }

    /// How it stands.
    pub fn view(&self) -> BoardView {
        let BoardStanding { state, board, message } = self.standing.borrow().clone();
        BoardView { state, board, message, ..self.start.clone() }
    }

    /// Told of every change from now on.
    pub fn watch(&self) -> watch::Receiver<BoardStanding> {
        self.standing.subscribe()
    }

    /// Searches; or how the board ended without that.
    fn search(&self, store: &Store) -> Result<(), (RunState, String)> {
        let failed = |error: &dyn std::fmt::Display| (RunState::Failed, error.to_string());
        let request = request(&self.start.asked).map_err(|faults| failed(&faults))?;
        self.standing.send_modify(|s| s.state = RunState::Running);
        let saved = store.take_up_board(self.id()).map_err(|error| failed(&error))?;
        let mut watcher = Watcher::new(store, self);
        let board = hardware::resume(&request, saved.as_deref(), &mut watcher, self.orders.cancelled());
        let board = board.map_err(|error| match error {
            BoardError::Checkpoint { .. } => self.unusable(store, &error),
            BoardError::Faults(_) => failed(&error),
        })?;
        self.standing.send_modify(|s| s.board = board);
        Ok(())
    }

    /// A board whose checkpoint the engine refuses stays as it was, for good.
    fn unusable(&self, store: &Store, why: &BoardError) -> (RunState, String) {
        if let Err(error) = store.drop_board_checkpoint(self.id()) {
            eprintln!("crosspoint: a checkpoint of no use could not be removed: {error}");
        }
        let kept = "the studio was stopped in the middle; what was found until then is kept";
        (RunState::Interrupted, format!("{kept}; it cannot go on: {why}"))
    }
}

impl Job for LiveBoard {
    fn id(&self) -> &str {
        &self.start.id
    }

    fn threads(&self) -> u32 {
        self.start.asked.threads.unwrap_or(1)
    }

    fn orders(&self) -> &Orders {
        &self.orders
    }

    fn conduct(&self, store: &Store) -> (RunState, String) {
        if let Err(over) = self.search(store) {
            return over;
        }
        let (solved, elapsed) = {
            let standing = self.standing.borrow();
            (standing.board.any_solved(), standing.board.elapsed)
        };
        let cancelled = self.orders.cancelled().load(std::sync::atomic::Ordering::Relaxed);
        match (cancelled, solved) {
            (true, _) if self.orders.is_interrupted() => (RunState::Interrupted, GOES_ON.into()),
            (true, _) if elapsed <= MAX_SECONDS => (RunState::Cancelled, String::new()),
            (_, true) => (RunState::Solved, String::new()),
            (_, false) => (RunState::Exhausted, String::new()),
        }
    }

    fn interrupted(&self) -> &'static str {
        GOES_ON
    }

    fn keep(&self, store: &Store, state: RunState, message: &str) -> Result<(), StoreError> {
        let mut board = self.standing.borrow().board.clone();
        if state.is_over() {
            board.settle();
        }
        store.update_board(&self.start.id, state, &board, message)
    }

    fn end(&self, state: RunState, message: &str) {
        self.standing.send_modify(|s| {
            (s.state, s.message) = (state, message.into());
            s.board.settle();
        });
    }

    fn any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

struct Watcher<'a> {
    store: &'a Store,
    live: &'a LiveBoard,
    told: Option<Instant>,
    kept: Instant,
    /// Whether the wirings of an earlier studio are still there.
    has_old: bool,
    /// When the next checkpoint is wanted; never if they are too large.
    next: Option<Instant>,
}

impl<'a> Watcher<'a> {
    fn new(store: &'a Store, live: &'a LiveBoard) -> Self {
        let now = Instant::now();
        Watcher { store, live, told: None, kept: now, has_old: true, next: Some(now) }
    }

    /// The engine has taken up where it goes on: from now on it says what is known.
    fn clear(&mut self) {
        if std::mem::take(&mut self.has_old)
            && let Err(error) = self.store.clear_cells(self.live.id())
        {
            eprintln!("crosspoint: the wirings of a board could not be cleared: {error}");
        }
    }
}

impl BoardObserver for Watcher<'_> {
    fn board(&mut self, board: &Board) {
        self.clear();
        if self.told.is_none_or(|told| told.elapsed() >= PACE) {
            self.live.standing.send_modify(|s| s.board.clone_from(board));
            self.told = Some(Instant::now());
        }
        // Budgets of effort know no time; a day is the most that a studio gives.
        if board.elapsed > MAX_SECONDS {
            self.live.orders.cancel();
        }
        if self.kept.elapsed() >= KEEP_EVERY {
            if let Err(error) = self.live.keep(self.store, RunState::Running, "") {
                eprintln!("crosspoint: a board could not be kept: {error}");
            }
            self.kept = Instant::now();
        }
    }

    fn design(&mut self, cell: usize, _spec: &Spec, design: &Design, uncovered: u64) {
        self.clear();
        let kept = self.store.keep_cell(&self.live.start.id, cell, &table::write(design), uncovered);
        if let Err(error) = kept {
            eprintln!("crosspoint: the wiring of a board's cell could not be kept: {error}");
        }
    }

    fn keeps_checkpoints(&self) -> bool {
        self.next.is_some()
    }

    fn wants_checkpoint(&mut self) -> bool {
        self.next.is_some_and(|next| Instant::now() >= next)
    }

    fn checkpoint(&mut self, bytes: Vec<u8>) {
        let (id, began) = (self.live.id(), Instant::now());
        if bytes.len() > MOST_CHECKPOINT {
            let (has, most) = (bytes.len() >> 20, MOST_CHECKPOINT >> 20);
            eprintln!(
                "crosspoint: checkpoints of board {id} take {has} MiB and are not kept; {most} MiB are"
            );
            self.next = None;
            return;
        }
        if let Err(error) = self.store.keep_board_checkpoint(id, &bytes) {
            eprintln!("crosspoint: a board's checkpoint could not be kept: {error}");
        }
        self.next = Some(Instant::now() + self.live.checkpoint_every.max(began.elapsed() * REST));
    }
}

/// What to search, from what was asked; or everything that is wrong with it, of the spec and of the other fields.
fn request(asked: &StartBoard) -> Result<HardwareRequest, Faults> {
    let cell = asked.cell.unwrap_or(Budget::Seconds(CELL_SECONDS));
    let total = asked.total.unwrap_or(Budget::Seconds(TOTAL_SECONDS));
    let threads = asked.threads.unwrap_or(1);
    let fields = || {
        let budgets = [("cell", cell), ("total", total)];
        field_faults((asked.nis_from, asked.nis_to), &asked.ports, budgets, threads)
    };
    let Request { spec, demand, .. } = match Request::read_catalogue(&asked.spec, &mut NoFiles) {
        Ok(read) => read,
        Err(TextError::Spec(faults)) => return Err(Faults([faults.0, fields()].concat())),
        Err(error @ TextError::Table(_)) => return Err(Fault::new("spec", error, "a spec").into()),
    };
    let catalogue = match catalogue(&spec, &asked.ports) {
        Ok(catalogue) => catalogue,
        Err(faults) => return Err(distinct([unsuited(&spec), fields(), faults.0].concat())),
    };
    let (nis_from, nis_to, seed) = (asked.nis_from, asked.nis_to, asked.seed.unwrap_or(1));
    let request = HardwareRequest { spec, demand, nis_from, nis_to, catalogue, cell, total, seed, threads };
    Faults::of(request.faults()).map_or(Ok(request), Err)
}

/// Each fault once, and of a field that is beyond two limits the closer one, which comes first.
fn distinct(faults: Vec<Fault>) -> Faults {
    let mut told: Vec<Fault> = Vec::with_capacity(faults.len());
    for fault in faults {
        if !told.iter().any(|t| t.path == fault.path && t.value == fault.value) {
            told.push(fault);
        }
    }
    Faults(told)
}

impl Jobs {
    /// Queues a search over hardware. Blocks while the demand is built and the board is kept.
    ///
    /// # Errors
    /// The spec or what was asked besides is faulty, too many wait, or the store refuses.
    pub fn start_board(&self, start: &StartBoard) -> Result<BoardView, StartError> {
        let limits = [budget_fault("cell", start.cell), budget_fault("total", start.total)];
        let limits: Vec<Fault> = limits.into_iter().flatten().chain(threads_fault(start.threads)).collect();
        let mut asked = StartBoard { threads: Some(self.threads(start.threads)), ..start.clone() };
        let request = match (request(&asked), limits.is_empty()) {
            (Ok(request), true) => request,
            (Ok(_), false) => return Err(TextError::Spec(Faults(limits)).into()),
            (Err(faults), _) => {
                return Err(TextError::Spec(distinct([limits, faults.0].concat())).into());
            }
        };
        (asked.cell, asked.total, asked.seed) = (Some(request.cell), Some(request.total), Some(request.seed));
        let mut board = Board::blank(&request);
        board.trying = "waiting for its turn".into();
        let view = self.store.add_board(&BoardView {
            id: new_id()?,
            state: RunState::Queued,
            asked,
            board,
            message: String::new(),
            created: String::new(),
            version: version::VERSION.into(),
        })?;
        let live = Arc::new(LiveBoard::new(view, self.board_checkpoint_every()));
        self.enqueue(live.clone())?;
        Ok(live.view())
    }

    /// Queues a board of an earlier studio, to go on from its checkpoint or to begin.
    pub(super) fn resume_board(&self, id: &str) -> Result<(), StoreError> {
        let Some(mut view) = self.store.board(id)? else { return Ok(()) };
        (view.state, view.message) = (RunState::Queued, String::new());
        view.board.trying = "waiting for its turn to go on".into();
        let live = Arc::new(LiveBoard::new(view, self.board_checkpoint_every()));
        live.keep(&self.store, RunState::Queued, "")?;
        self.queue.restore(live);
        Ok(())
    }

    /// As often as boards are kept, unless the studio says more often.
    fn board_checkpoint_every(&self) -> Duration {
        self.checkpoint_every.min(KEEP_EVERY)
    }

    /// The board, if it waits or is searched.
    pub fn live_board(&self, id: &str) -> Option<Arc<LiveBoard>> {
        self.queue.find(id)
    }

    /// A board as it stands or stood. Blocks.
    ///
    /// # Errors
    /// The store refuses.
    pub fn board(&self, id: &str) -> Result<Option<BoardView>, StoreError> {
        self.live_board(id).map_or_else(|| self.store.board(id), |live| Ok(Some(live.view())))
    }

    /// Stops a board; one that is over stays as it is. Blocks. Returns how it stands, if there is such a board: one that is
    /// searched stops a little later.
    ///
    /// # Errors
    /// The store refuses.
    pub fn stop_board(&self, id: &str) -> Result<Option<BoardView>, StoreError> {
        let Some(live) = self.live_board(id) else { return self.board(id) };
        self.queue.stop(&*live);
        Ok(Some(live.view()))
    }

    /// The best wiring of a cell: outer `None` if there is no such board, inner if the cell has none yet. Blocks.
    ///
    /// # Errors
    /// The store refuses, or holds a spec that this version does not read.
    pub fn board_cell(&self, id: &str, cell: usize) -> Result<Option<Option<BoardDesign>>, StartError> {
        let Some(view) = self.board(id)? else { return Ok(None) };
        let Some((table, uncovered)) = self.store.cell(id, cell)? else { return Ok(Some(None)) };
        let Some(cell) = view.board.cells.get(cell) else { return Ok(Some(None)) };
        let spec = read_catalogue(&view.asked.spec, &mut NoFiles).map_err(TextError::Spec)?;
        let models = catalogue(&spec, &view.asked.ports).map_err(TextError::Spec)?;
        let Some(model) = models.get(cell.model) else { return Ok(Some(None)) };
        let spec = cell_text(&cell.spec(&spec, model));
        Ok(Some(Some(BoardDesign { spec, table, uncovered, method: cell.note.clone() })))
    }
}
