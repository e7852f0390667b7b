//! Hardware searches, in memory from start to end. They share the queue with runs.

use super::{
    CheckpointTimer, Jobs, RESUMES, StartError,
    queue::{Control, Job},
};
use crate::{
    VERSION,
    prepare::{Request, TextError, read_catalogue},
    store::{SearchKind, Store, StoreError, new_id},
};
use search::hardware::{self, BoardError};
use shared::{
    api::{BoardDesign, BoardView, MAX_SECONDS, RunState, StartBoard},
    design::{Design, table},
    hardware::{Board, BoardForm, BoardObserver, HardwareRequest, catalogue, cell_text},
    resolve::NoFiles,
    spec::{Fault, Faults, Spec},
};
use std::{
    any::Any,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::sync::watch;
use tracing::error;

/// Min time between two notifications of watchers: a board may be large.
const PACE: Duration = Duration::from_millis(100);
/// Time between two writes of a board to the store.
const SAVE_EVERY: Duration = Duration::from_secs(2);

/// A board that is queued, searches or has just ended.
pub struct LiveBoard {
    /// The board as first stored.
    start: BoardView,
    /// The board as it stands.
    status: watch::Sender<BoardView>,
    control: Control,
    /// Min time between two checkpoints.
    checkpoint_every: Duration,
}

impl LiveBoard {
    fn new(start: BoardView, checkpoint_every: Duration) -> LiveBoard {
        let status = watch::Sender::new(start.clone());
        LiveBoard { start, status, control: Control::default(), checkpoint_every }
    }

    /// The board as it stands.
    pub fn view(&self) -> BoardView {
        self.status.borrow().clone()
    }

    /// Receiver that is notified of each change.
    pub fn watch(&self) -> watch::Receiver<BoardView> {
        self.status.subscribe()
    }

    /// Runs the search, or returns the end of a board without one.
    fn search(&self, store: &Store) -> Result<(), (RunState, String)> {
        let failed = |error: &dyn std::fmt::Display| (RunState::Failed, error.to_string());
        let request = request(&self.start.asked).map_err(|faults| failed(&faults))?;
        self.status.send_modify(|s| s.state = RunState::Running);
        let saved = store.take_checkpoint(SearchKind::Board, self.id()).map_err(|error| failed(&error))?;
        let mut recorder = Recorder::new(store, self);
        let board = hardware::resume(&request, saved.as_deref(), &mut recorder, self.control.cancelled());
        let board = board.map_err(|error| match error {
            BoardError::Checkpoint { .. } => {
                super::cannot_resume(store, SearchKind::Board, self.id(), &error)
            }
            BoardError::Faults(_) => failed(&error),
        })?;
        self.status.send_modify(|s| s.board = board);
        Ok(())
    }
}

impl Job for LiveBoard {
    fn kind(&self) -> SearchKind {
        SearchKind::Board
    }

    fn id(&self) -> &str {
        &self.start.id
    }

    fn threads(&self) -> u32 {
        self.start.asked.threads.unwrap_or(1)
    }

    fn control(&self) -> &Control {
        &self.control
    }

    fn run(&self, store: &Store) -> (RunState, String) {
        if let Err(over) = self.search(store) {
            return over;
        }
        let (solved, elapsed) = {
            let status = self.status.borrow();
            (status.board.any_solved(), status.board.elapsed)
        };
        let cancelled = self.control.cancelled().load(std::sync::atomic::Ordering::Relaxed);
        match (cancelled, solved) {
            (true, _) if self.control.is_interrupted() => (RunState::Interrupted, RESUMES.into()),
            (true, _) if elapsed <= MAX_SECONDS => (RunState::Cancelled, String::new()),
            (_, true) => (RunState::Solved, String::new()),
            (_, false) => (RunState::Exhausted, String::new()),
        }
    }

    fn save(&self, store: &Store, state: RunState, message: &str) -> Result<(), StoreError> {
        let mut view = BoardView { state, message: message.into(), ..self.view() };
        if state.is_over() {
            view.board.settle();
        }
        store.update_board(&view)
    }

    fn end(&self, state: RunState, message: &str) {
        self.status.send_modify(|s| {
            (s.state, s.message) = (state, message.into());
            s.board.settle();
        });
    }

    fn any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

/// Publishes the progress of a board and saves it to the store.
struct Recorder<'a> {
    store: &'a Store,
    live: &'a LiveBoard,
    published: Option<Instant>,
    saved: Instant,
    /// `true` while the store has wirings of an earlier studio.
    has_old: bool,
    checkpoints: CheckpointTimer,
}

impl<'a> Recorder<'a> {
    fn new(store: &'a Store, live: &'a LiveBoard) -> Self {
        let now = Instant::now();
        let checkpoints = CheckpointTimer { next: Some(now), every: live.checkpoint_every };
        Recorder { store, live, published: None, saved: now, has_old: true, checkpoints }
    }

    /// Deletes the wirings of an earlier studio, once the engine has resumed and reports its own.
    fn clear(&mut self) {
        if std::mem::take(&mut self.has_old)
            && let Err(error) = self.store.clear_cells(self.live.id())
        {
            error!(%error, "cannot delete old wirings");
        }
    }
}

impl BoardObserver for Recorder<'_> {
    fn board(&mut self, board: &Board) {
        self.clear();
        if self.published.is_none_or(|at| at.elapsed() >= PACE) {
            self.live.status.send_modify(|s| s.board.clone_from(board));
            self.published = Some(Instant::now());
        }
        // An effort budget has no time limit of its own.
        if board.elapsed > MAX_SECONDS {
            self.live.control.cancel();
        }
        if self.saved.elapsed() >= SAVE_EVERY {
            if let Err(error) = self.live.save(self.store, RunState::Running, "") {
                error!(%error, "cannot save progress");
            }
            self.saved = Instant::now();
        }
    }

    fn design(&mut self, cell: usize, _spec: &Spec, design: &Design, uncovered: u64) {
        self.clear();
        let saved = self.store.save_cell(&self.live.start.id, cell, &table::write(design), uncovered);
        if let Err(error) = saved {
            error!(%error, "cannot save the wiring of a cell");
        }
    }

    fn keeps_checkpoints(&self) -> bool {
        self.checkpoints.is_on()
    }

    fn wants_checkpoint(&mut self) -> bool {
        self.checkpoints.is_due()
    }

    fn checkpoint(&mut self, bytes: Vec<u8>) {
        if self.checkpoints.accepts(&bytes) {
            self.checkpoints.write(|| self.store.save_board_checkpoint(self.live.id(), &bytes));
        }
    }
}

/// The search that was asked for, or all faults of the spec and of the other fields.
fn request(asked: &StartBoard) -> Result<HardwareRequest, Faults> {
    let form = BoardForm::of(asked);
    match Request::read_catalogue(&asked.spec, &mut NoFiles) {
        Ok(Request { spec, demand, .. }) => form.request(&spec, &demand),
        Err(TextError::Spec(Faults(faults))) => {
            let fields = form.read("").err().map_or_else(Vec::new, |faults| faults.0);
            Err(Faults([faults, fields].concat()))
        }
        Err(error @ TextError::Table(_)) => Err(Fault::new("spec", error, "a spec").into()),
    }
}

impl Jobs {
    /// Queues a hardware search. Blocks while the demand is built and the board is stored.
    ///
    /// # Errors
    /// The spec or another field has faults, the queue is full, or the store fails.
    pub fn start_board(&self, start: &StartBoard) -> Result<BoardView, StartError> {
        let asked = StartBoard { threads: Some(self.threads(start.threads)), ..start.clone() };
        let request = request(&asked).map_err(TextError::Spec)?;
        let (cell, total, seed) = (Some(request.cell), Some(request.total), Some(request.seed));
        let asked = StartBoard { cell, total, seed, ..asked };
        let mut board = Board::blank(&request);
        board.trying = "waiting in the queue".into();
        let view = self.store.add_board(&BoardView {
            id: new_id()?,
            state: RunState::Queued,
            asked,
            board,
            message: String::new(),
            created: String::new(),
            version: VERSION.into(),
        })?;
        let live = Arc::new(LiveBoard::new(view, self.board_checkpoint_every()));
        self.queue.add(live.clone())?;
        Ok(live.view())
    }

    /// Queues a stored board, to resume from its checkpoint or from the start.
    pub(super) fn resume_board(&self, id: &str) -> Result<(), StoreError> {
        let Some(mut view) = self.store.board(id)? else { return Ok(()) };
        (view.state, view.message) = (RunState::Queued, String::new());
        view.board.trying = "waiting to resume".into();
        let live = Arc::new(LiveBoard::new(view, self.board_checkpoint_every()));
        live.save(&self.store, RunState::Queued, "")?;
        self.queue.restore(live);
        Ok(())
    }

    /// Time between two checkpoints: as between two saves, or less.
    fn board_checkpoint_every(&self) -> Duration {
        self.checkpoint_every.min(SAVE_EVERY)
    }

    /// The board with this id, if it is queued or running.
    pub fn live_board(&self, id: &str) -> Option<Arc<LiveBoard>> {
        self.queue.find(id)
    }

    /// The board with this id. Blocks.
    pub fn board(&self, id: &str) -> Result<Option<BoardView>, StoreError> {
        self.live_board(id).map_or_else(|| self.store.board(id), |live| Ok(Some(live.view())))
    }

    /// Stops a board and returns it. An ended board stays unchanged; a running one ends shortly after. Blocks.
    pub fn stop_board(&self, id: &str) -> Result<Option<BoardView>, StoreError> {
        let Some(live) = self.live_board(id) else { return self.board(id) };
        self.queue.stop(&*live);
        Ok(Some(live.view()))
    }

    /// The best wiring of a cell: outer `None` without such a board, inner without a wiring yet. Blocks.
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
