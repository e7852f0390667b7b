//! Hardware searches, in memory from start to end. They share the queue with runs.

use super::{
    CheckpointTimer, Jobs, RESUMES, StartError,
    queue::{Control, Job},
    saver::{Saver, Writer},
};
use crate::{
    VERSION,
    edit::TokenHash,
    frontier, lock,
    prepare::{Request, TextError, read_catalogue},
    store::{SearchKind, Store, StoreError, new_id},
    tasks::{self, Owner},
};
use search::{
    epoch::Machines,
    hardware::{self, BoardError},
    request::memory,
};
use shared::{
    api::{BoardDesign, BoardView, MAX_SECONDS, QueueView, RunState, StartBoard},
    design::{Design, table},
    hardware::{
        Board, BoardForm, BoardObserver, FrontierRequest, Goal, HardwareRequest, catalogue, cell_spec,
        cell_text,
    },
    resolve::NoFiles,
    search::Budget,
    spec::{Faults, Spec},
};
use std::{
    any::Any,
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, atomic::AtomicBool},
    time::{Duration, Instant},
};
use tokio::sync::watch;

/// Min time between two notifications of watchers: a board may be large.
const PACE: Duration = Duration::from_millis(100);
/// Max time between two checkpoints of a board.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(2);

/// A board that is queued, searches or has just ended.
pub struct LiveBoard {
    /// The board as first stored.
    start: BoardView,
    owner: Owner,
    /// The board as it stands.
    status: watch::Sender<BoardView>,
    control: Control,
    unsaved: Mutex<Unsaved>,
    /// Min time between two checkpoints.
    checkpoint_every: Duration,
}

/// Wirings of cells that are not in the store yet.
#[derive(Default)]
struct Unsaved {
    /// `true` if the store has wirings of an earlier studio, which the engine does not know.
    clear: bool,
    /// Wiring of each cell, and its uncovered pairs.
    cells: BTreeMap<usize, (Arc<Design>, u64)>,
}

impl LiveBoard {
    fn new(start: BoardView, owner: Owner, checkpoint_every: Duration) -> LiveBoard {
        let status = watch::Sender::new(start.clone());
        let (control, unsaved) = (Control::default(), Mutex::default());
        LiveBoard { start, owner, status, control, unsaved, checkpoint_every }
    }

    /// The board as it stands.
    pub fn view(&self) -> BoardView {
        self.status.borrow().clone()
    }

    /// Receiver that is notified of each change.
    pub fn watch(&self) -> watch::Receiver<BoardView> {
        self.status.subscribe()
    }

    /// Seconds of search, and the place in the queue.
    pub fn standing(&self) -> (f64, Option<QueueView>) {
        let status = self.status.borrow();
        (status.board.elapsed, status.queue)
    }

    fn unsaved(&self) -> MutexGuard<'_, Unsaved> {
        lock(&self.unsaved)
    }

    /// Saves the wirings of cells.
    fn save_cells(&self, store: &Store) -> Result<(), StoreError> {
        if self.unsaved().clear {
            store.clear_cells(self.id())?;
            self.unsaved().clear = false;
        }
        let cells = self.unsaved().cells.clone();
        for (cell, (design, uncovered)) in cells {
            store.save_cell(self.id(), cell, &table::write(&design), uncovered)?;
            // Unless the cell has a better one by now.
            let mut unsaved = self.unsaved();
            if unsaved.cells.get(&cell).is_some_and(|(latest, _)| Arc::ptr_eq(latest, &design)) {
                unsaved.cells.remove(&cell);
            }
        }
        Ok(())
    }

    /// Runs the search, or returns the end of a board without one.
    fn search(&self, store: &Store, machines: Option<&dyn Machines>) -> Result<(), (RunState, String)> {
        let failed = |error: &dyn std::fmt::Display| (RunState::Failed, error.to_string());
        let asked = request(&self.start.asked).map_err(|faults| failed(&faults))?;
        let needs = asked.memory();
        let _claim = tasks::claim(needs).map_err(|error| failed(&error))?;
        self.status.send_modify(|s| (s.state, s.message) = (RunState::Running, String::new()));
        let saved = store.take_checkpoint(SearchKind::Board, self.id()).map_err(|error| failed(&error))?;
        let timer = CheckpointTimer { next: Some(Instant::now()), every: self.checkpoint_every };
        let cancel = self.control.token();
        let board = Saver::run(timer, BoardWriter { store, live: self }, |saver| {
            let mut recorder = Recorder { live: self, saver, published: None, reported: false };
            tasks::priority::lower();
            asked.run(saved.as_deref(), machines, &mut recorder, cancel.flag())
        });
        let board = board.map_err(|error| match error {
            BoardError::Checkpoint(_) => super::cannot_resume(store, SearchKind::Board, self.id(), &error),
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

    fn owner(&self) -> &Owner {
        &self.owner
    }

    fn threads(&self) -> u32 {
        self.start.asked.threads.unwrap_or(1)
    }

    fn control(&self) -> &Control {
        &self.control
    }

    fn run(&self, store: &Store, machines: Option<&dyn Machines>) -> (RunState, String) {
        if let Err(over) = self.search(store, machines) {
            return over;
        }
        let (solved, elapsed) = {
            let status = self.status.borrow();
            (status.board.any_solved(), status.board.elapsed)
        };
        let cancelled = self.control.token().is_cancelled();
        match (cancelled, solved) {
            (true, _) if self.control.is_interrupted() => (RunState::Interrupted, RESUMES.into()),
            (true, _) if self.control.is_paused() => (RunState::Queued, super::paused(elapsed)),
            (true, _) if elapsed <= MAX_SECONDS => (RunState::Cancelled, String::new()),
            (_, true) => (RunState::Solved, String::new()),
            (_, false) => (RunState::Exhausted, String::new()),
        }
    }

    fn save(&self, store: &Store, state: RunState, message: &str) -> Result<(), StoreError> {
        self.save_cells(store)?;
        let mut view = BoardView { state, message: message.into(), ..self.view() };
        if state.is_over() {
            view.board.settle();
        }
        store.update_board(&view)
    }

    fn seconds_left(&self) -> Option<f64> {
        match self.start.asked.total {
            Some(Budget::Seconds(seconds)) => Some((seconds - self.status.borrow().board.elapsed).max(0.0)),
            _ => None,
        }
    }

    fn set_place(&self, place: Option<QueueView>) {
        self.status.send_if_modified(|s| std::mem::replace(&mut s.queue, place) != place);
    }

    fn pause(&self, message: &str) {
        self.status.send_modify(|s| {
            (s.state, s.message) = (RunState::Queued, message.into());
            s.board.settle();
            s.board.trying = "waiting to resume".into();
        });
    }

    fn end(&self, state: RunState, message: &str) {
        self.status.send_modify(|s| {
            (s.state, s.message, s.queue) = (state, message.into(), None);
            s.board.settle();
        });
    }

    fn any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

/// Publishes the progress of a board, and has it saved.
struct Recorder<'a> {
    live: &'a LiveBoard,
    saver: &'a Saver,
    published: Option<Instant>,
    /// `true` once the engine has reported.
    reported: bool,
}

impl Recorder<'_> {
    /// Has the wirings of an earlier studio deleted, once the engine has resumed and reports its own.
    fn report(&mut self) {
        if !std::mem::replace(&mut self.reported, true) {
            self.live.unsaved().clear = true;
        }
    }
}

impl BoardObserver for Recorder<'_> {
    fn board(&mut self, board: &Board) {
        self.report();
        if self.published.is_none_or(|at| at.elapsed() >= PACE) {
            self.live.status.send_modify(|s| s.board.clone_from(board));
            self.published = Some(Instant::now());
        }
        // An effort budget has no time limit of its own.
        if board.elapsed > MAX_SECONDS {
            self.live.control.cancel();
        }
        self.saver.save_if_due();
    }

    fn design(&mut self, cell: usize, _spec: &Spec, design: &Design, uncovered: u64) {
        self.report();
        self.live.unsaved().cells.insert(cell, (Arc::new(design.clone()), uncovered));
        self.saver.save();
    }

    fn keeps_checkpoints(&self) -> bool {
        self.saver.keeps_checkpoints()
    }

    fn wants_checkpoint(&mut self) -> bool {
        self.saver.wants_checkpoint(self.live.control.wants_pause())
    }

    fn checkpoint(&mut self, bytes: Vec<u8>) {
        let control = &self.live.control;
        if !self.saver.checkpoint(0.0, bytes) {
            control.forbid_pause();
        } else if control.wants_pause() {
            control.pause();
        }
    }
}

/// Writes a board to the store.
struct BoardWriter<'a> {
    store: &'a Store,
    live: &'a LiveBoard,
}

impl Writer for BoardWriter<'_> {
    fn save(&mut self) -> Result<(), StoreError> {
        self.live.save(self.store, RunState::Running, "")
    }

    fn save_checkpoint(&mut self, _elapsed: f64, bytes: &[u8]) -> Result<(), StoreError> {
        self.store.save_board_checkpoint(self.live.id(), bytes)
    }

    fn resumes(&self) -> bool {
        self.live.control.resumes()
    }
}

/// A search with one of the goals.
enum Asked {
    Pairs(Box<HardwareRequest>),
    Time(Box<FrontierRequest>),
}

impl Asked {
    fn hardware(&self) -> &HardwareRequest {
        match self {
            Asked::Pairs(request) => request,
            Asked::Time(request) => &request.hardware,
        }
    }

    /// Upper bound of its memory in bytes.
    fn memory(&self) -> u64 {
        let request = self.hardware();
        let largest = request.catalogue.iter().map(|model| cell_spec(&request.spec, request.nis_to, model));
        let search = largest.map(|spec| memory(&spec, &request.demand, request.threads)).max().unwrap_or(0);
        match self {
            Asked::Pairs(_) => search,
            Asked::Time(request) => search.max(frontier::memory(request)),
        }
    }

    /// The board before anything is tried.
    fn blank(&self) -> Result<Board, Faults> {
        match self {
            Asked::Pairs(request) => Ok(Board::blank(request)),
            Asked::Time(request) => Ok(frontier::blank(request, &frontier::timing(request)?)),
        }
    }

    fn run(
        &self,
        saved: Option<&[u8]>,
        machines: Option<&dyn Machines>,
        observer: &mut dyn BoardObserver,
        cancel: &AtomicBool,
    ) -> Result<Board, BoardError> {
        match self {
            Asked::Pairs(request) => hardware::resume(request, saved, machines, observer, cancel),
            Asked::Time(request) => frontier::run(request, saved, machines, observer, cancel),
        }
    }
}

/// The search that was asked for, or all faults of the spec and of the other fields.
fn request(asked: &StartBoard) -> Result<Asked, TextError> {
    let form = BoardForm::of(asked);
    match Request::read_catalogue(&asked.spec, &mut NoFiles) {
        Ok(Request { spec, demand, .. }) => Ok(match asked.goal {
            Goal::Pairs => Asked::Pairs(form.request(&spec, &demand)?.into()),
            Goal::Time => Asked::Time(form.frontier(&spec, &demand)?.into()),
        }),
        Err(TextError::Spec(Faults(faults))) => {
            let fields = form.read("").err().map_or_else(Vec::new, |faults| faults.0);
            Err(Faults([faults, fields].concat()).into())
        }
        Err(error) => Err(error),
    }
}

impl Jobs {
    /// Queues a hardware search of a client, who may stop it with the edit token of this hash. Blocks while
    /// the demand is built and the board is stored.
    ///
    /// # Errors
    /// The spec or another field has faults, the queue is full, or the store fails.
    pub fn start_board(
        &self,
        client: &Owner,
        edit: TokenHash,
        start: &StartBoard,
    ) -> Result<BoardView, StartError> {
        let asked = StartBoard { threads: Some(self.threads(start.threads)), ..start.clone() };
        let request = request(&asked)?;
        let HardwareRequest { cell, total, seed, .. } = *request.hardware();
        let asked = StartBoard { cell: Some(cell), total: Some(total), seed: Some(seed), ..asked };
        let mut board = request.blank().map_err(TextError::Spec)?;
        board.trying = "waiting in the queue".into();
        let owner = client.clone();
        let place = self.queue.reserve(&owner)?;
        let view = BoardView {
            id: new_id()?,
            state: RunState::Queued,
            asked,
            board,
            message: String::new(),
            created: String::new(),
            version: VERSION.into(),
            queue: None,
        };
        let view = self.store.add_board(&view, &owner, Some(edit))?;
        let live = Arc::new(LiveBoard::new(view, owner, self.board_checkpoint_every()));
        place.fill(live.clone());
        Ok(live.view())
    }

    /// Queues a stored board, to resume from its checkpoint or from the start.
    pub(super) fn resume_board(&self, id: &str) -> Result<(), StoreError> {
        let Some(mut view) = self.store.board(id)? else { return Ok(()) };
        (view.state, view.message) = (RunState::Queued, String::new());
        view.board.trying = "waiting to resume".into();
        let owner = self.store.owner(SearchKind::Board, id)?.unwrap_or_default();
        let live = Arc::new(LiveBoard::new(view, owner, self.board_checkpoint_every()));
        live.save(&self.store, RunState::Queued, "")?;
        self.queue.restore(live);
        Ok(())
    }

    /// Time between two checkpoints.
    fn board_checkpoint_every(&self) -> Duration {
        self.checkpoint_every.min(CHECKPOINT_EVERY)
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
        let unsaved = self.live_board(id).and_then(|live| live.unsaved().cells.get(&cell).cloned());
        let stored = match unsaved {
            Some((design, uncovered)) => Some((table::write(&design), uncovered)),
            None => self.store.cell(id, cell)?,
        };
        let Some((table, uncovered)) = stored else { return Ok(Some(None)) };
        if let Some(networks) = &view.board.networks {
            let Some(offer) = networks.offers.get(cell) else { return Ok(Some(None)) };
            let method = offer.name();
            return Ok(Some(Some(BoardDesign { spec: offer.text.clone(), table, uncovered, method })));
        }
        let Some(cell) = view.board.cells.get(cell) else { return Ok(Some(None)) };
        let spec = read_catalogue(&view.asked.spec, &mut NoFiles).map_err(TextError::Spec)?;
        let models = catalogue(&spec, &view.asked.ports).map_err(TextError::Spec)?;
        let spec = cell_text(&cell.spec(&spec, &models));
        Ok(Some(Some(BoardDesign { spec, table, uncovered, method: cell.note.clone() })))
    }
}
