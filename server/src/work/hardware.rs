//! Hardware searches.

use super::{
    Body, CheckpointTimer, Context, Detail, KindOfWork, Lane, Live, NewWork, RESUMES, StartError, Works,
    live::{End, raw},
    saver::Saver,
};
use crate::{
    frontier, lock,
    prepare::{Request, TextError, read_catalogue},
    problem::ApiError,
    store::{Store, StoreError, StoredPart, StoredView, WorkRecord},
    tasks,
};
use search::{
    epoch::Machines,
    hardware::{self, BoardError},
    request::memory,
};
use serde_json::value::RawValue;
use shared::{
    api::{MAX_SECONDS, PartView, StartWork, WorkKind, WorkState},
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
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, atomic::AtomicBool},
    time::{Duration, Instant},
};

/// Min time between two notifications of watchers: a board may be large.
const PACE: Duration = Duration::from_millis(100);
/// Max time between two checkpoints of a hardware search.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(2);

/// Hardware searches.
pub struct HardwareSearches;

impl KindOfWork for HardwareSearches {
    fn lane(&self) -> Lane {
        Lane::Searches
    }

    fn pace(&self) -> Duration {
        Duration::from_millis(200)
    }

    fn admit(&self, asked: &StartWork, works: &Works) -> Result<NewWork, StartError> {
        let threads =
            works.threads(asked.form.form::<BoardForm>().read().ok().and_then(|settings| settings.threads));
        let request = request(asked, threads)?;
        let mut board = request.blank().map_err(TextError::Spec)?;
        board.trying = "waiting in the queue".into();
        let body = Box::new(LiveBoard::new(board, request.hardware().total, works));
        Ok(NewWork { body, threads, foreseen: None })
    }

    fn resume(&self, record: WorkRecord, _: f64, works: &Works) -> Result<Box<dyn Body>, StartError> {
        let settings = record.view.asked.form.form::<BoardForm>().read()?;
        let mut board: Board = serde_json::from_str(record.view.report.get()).map_err(StoreError::from)?;
        board.trying = "waiting to resume".into();
        Ok(Box::new(LiveBoard::new(board, settings.total, works)))
    }

    fn settle(&self, report: &RawValue) -> Result<Box<RawValue>, serde_json::Error> {
        let mut board: Board = serde_json::from_str(report.get())?;
        board.settle();
        Ok(raw(&board))
    }
}

/// A hardware search that is queued, runs or has just ended.
pub struct LiveBoard {
    board: Mutex<Board>,
    unsaved: Mutex<UnsavedCells>,
    /// Limit of the whole search.
    total: Budget,
    /// Min time between two checkpoints.
    checkpoint_every: Duration,
}

/// Wirings of cells that are not in the store yet.
#[derive(Default)]
struct UnsavedCells {
    /// `true` if the store has wirings of an earlier studio, which the engine does not know.
    clear: bool,
    /// Wiring of each cell, and its uncovered pairs.
    cells: BTreeMap<usize, (Arc<Design>, u64)>,
}

impl LiveBoard {
    fn new(board: Board, total: Budget, works: &Works) -> LiveBoard {
        let checkpoint_every = works.timing.checkpoint_every.min(CHECKPOINT_EVERY);
        LiveBoard { board: Mutex::new(board), unsaved: Mutex::default(), total, checkpoint_every }
    }

    fn unsaved(&self) -> MutexGuard<'_, UnsavedCells> {
        lock(&self.unsaved)
    }

    /// Runs the search, or returns the end of one without results.
    fn search(&self, context: &Context<'_>) -> Result<(), End> {
        let Context { live, store, workers, ref saved } = *context;
        let asked = request(&live.asked, live.threads).map_err(|error| live.failed(error))?;
        let _claim = tasks::claim(asked.memory()).map_err(|error| live.failed(error))?;
        live.begin();
        let timer = CheckpointTimer { next: Some(Instant::now()), every: self.checkpoint_every };
        let machines = workers.map(|workers| workers as &dyn Machines);
        let cancel = live.token();
        let board = live.saved(store, timer, |saver| {
            let mut recorder = Recorder { search: self, live, saver, published: None, reported: false };
            tasks::priority::lower();
            asked.run(saved.as_deref(), machines, &mut recorder, cancel.flag())
        });
        let board = board.map_err(|error| match error {
            BoardError::Checkpoint(_) => live.cannot_resume(store, &error),
            BoardError::Faults(faults) => live.failed(TextError::Spec(faults)),
        })?;
        *lock(&self.board) = board;
        Ok(())
    }
}

impl Body for LiveBoard {
    fn report(&self, _: Detail) -> Box<RawValue> {
        raw(&*lock(&self.board))
    }

    fn run(&self, context: &Context<'_>) -> End {
        if let Err(end) = self.search(context) {
            return end;
        }
        let (solved, elapsed) = {
            let board = lock(&self.board);
            (board.any_solved(), board.elapsed)
        };
        let control = &context.live.control;
        let cancelled = control.token().is_cancelled();
        match (cancelled, solved) {
            (true, _) if control.is_interrupted() => (WorkState::Interrupted, RESUMES.into()),
            (true, _) if control.is_paused() => (WorkState::Queued, super::paused(elapsed)),
            (true, _) if elapsed <= MAX_SECONDS => (WorkState::Cancelled, String::new()),
            (_, true) => (WorkState::Solved, String::new()),
            (_, false) => (WorkState::Exhausted, String::new()),
        }
    }

    /// Saves the wirings of cells.
    fn save(&self, live: &Live, store: &Store) -> Result<Option<Arc<str>>, StoreError> {
        if self.unsaved().clear {
            store.rewind_parts(&live.id, None)?;
            self.unsaved().clear = false;
        }
        let cells = self.unsaved().cells.clone();
        for (cell, (design, uncovered)) in cells {
            let (number, wiring) = (cell as u64, table::write(&design));
            store.save_part(
                &live.id,
                &StoredPart { number, elapsed: 0.0, note: uncovered.to_string(), wiring },
            )?;
            // Unless the cell has a better one by now.
            let mut unsaved = self.unsaved();
            if unsaved.cells.get(&cell).is_some_and(|(latest, _)| Arc::ptr_eq(latest, &design)) {
                unsaved.cells.remove(&cell);
            }
        }
        Ok(None)
    }

    fn seconds_left(&self) -> Option<f64> {
        match self.total {
            Budget::Seconds(seconds) => Some((seconds - self.elapsed()).max(0.0)),
            Budget::Effort(_) => None,
        }
    }

    fn elapsed(&self) -> f64 {
        lock(&self.board).elapsed
    }

    fn pause(&self, _live: &Live) {
        let mut board = lock(&self.board);
        board.settle();
        board.trying = "waiting to resume".into();
    }

    fn end(&self, _live: &Live, _state: WorkState) {
        lock(&self.board).settle();
    }
}

/// Publishes the progress of a hardware search, and has it saved.
struct Recorder<'a> {
    search: &'a LiveBoard,
    live: &'a Live,
    saver: &'a Saver,
    published: Option<Instant>,
    /// `true` once the engine has reported.
    reported: bool,
}

impl Recorder<'_> {
    /// Has the wirings of an earlier studio deleted, once the engine has resumed and reports its own.
    fn report(&mut self) {
        if !std::mem::replace(&mut self.reported, true) {
            self.search.unsaved().clear = true;
        }
    }
}

impl BoardObserver for Recorder<'_> {
    fn board(&mut self, board: &Board) {
        self.report();
        if self.published.is_none_or(|at| at.elapsed() >= PACE) {
            lock(&self.search.board).clone_from(board);
            self.live.changed();
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
        self.search.unsaved().cells.insert(cell, (Arc::new(design.clone()), uncovered));
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

/// A search with one of the goals.
enum GoalRequest {
    Pairs(Box<HardwareRequest>),
    Time(Box<FrontierRequest>),
}

impl GoalRequest {
    fn hardware(&self) -> &HardwareRequest {
        match self {
            GoalRequest::Pairs(request) => request,
            GoalRequest::Time(request) => &request.hardware,
        }
    }

    /// Upper bound of its memory in bytes.
    fn memory(&self) -> u64 {
        let request = self.hardware();
        let largest = request.catalogue.iter().map(|model| cell_spec(&request.spec, request.nis_to, model));
        let search = largest.map(|spec| memory(&spec, &request.demand, request.threads)).max().unwrap_or(0);
        match self {
            GoalRequest::Pairs(_) => search,
            GoalRequest::Time(request) => search.max(frontier::memory(request)),
        }
    }

    /// The board before anything is tried.
    fn blank(&self) -> Result<Board, Faults> {
        match self {
            GoalRequest::Pairs(request) => Ok(Board::blank(request)),
            GoalRequest::Time(request) => Ok(frontier::blank(request, &frontier::timing(request)?)),
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
            GoalRequest::Pairs(request) => hardware::resume(request, saved, machines, observer, cancel),
            GoalRequest::Time(request) => frontier::run(request, saved, machines, observer, cancel),
        }
    }
}

/// The search that was asked for, or all faults of the spec and of the other fields.
fn request(asked: &StartWork, threads: u32) -> Result<GoalRequest, TextError> {
    let form: BoardForm = asked.form.form();
    match Request::read_catalogue(asked.spec(), &mut NoFiles) {
        Ok(Request { spec, demand, .. }) if form.goal.trim() == Goal::Time.word() => {
            let mut request = form.frontier(&spec, &demand)?;
            request.hardware.threads = threads;
            Ok(GoalRequest::Time(request.into()))
        }
        Ok(Request { spec, demand, .. }) => {
            Ok(GoalRequest::Pairs(HardwareRequest { threads, ..form.request(&spec, &demand)? }.into()))
        }
        Err(TextError::Spec(Faults(faults))) => {
            let fields = form.read().err().map_or_else(Vec::new, |faults| faults.0);
            Err(Faults([faults, fields].concat()).into())
        }
        Err(error) => Err(error),
    }
}

impl Works {
    /// The best wiring of a cell or offer of a hardware search. Blocks.
    ///
    /// # Errors
    /// There is no such search, part or wiring, or the store fails.
    pub fn part(&self, id: &str, number: usize) -> Result<PartView, ApiError> {
        let view = self.view(id)?.ok_or_else(ApiError::no_work)?;
        if view.asked.kind != WorkKind::Hardware {
            return Err(ApiError::lacks(view.asked.kind, "parts"));
        }
        let board: Board = serde_json::from_str(view.report.get()).map_err(StoreError::from)?;
        let count = board.networks.as_ref().map_or(board.cells.len(), |networks| networks.offers.len());
        if number >= count {
            let last = count.saturating_sub(1);
            let told = format!("This hardware search has no part {number}. Its parts are 0 to {last}.");
            return Err(ApiError::NotFound(told));
        }
        let part = self.part_of(&view, &board, number)?;
        part.ok_or_else(|| ApiError::NotFound("This part has no wiring.".into()))
    }

    fn part_of(
        &self,
        view: &StoredView,
        board: &Board,
        number: usize,
    ) -> Result<Option<PartView>, StartError> {
        let id = &view.id;
        let live = self.find(id);
        let unsaved =
            live.as_ref().and_then(|live| live.body::<LiveBoard>()?.unsaved().cells.get(&number).cloned());
        let stored = match unsaved {
            Some((design, uncovered)) => Some((table::write(&design), uncovered)),
            None => self.store.part(id, number)?.map(|part| (part.wiring, part.note.parse().unwrap_or(0))),
        };
        let Some((table, uncovered)) = stored else { return Ok(None) };
        if let Some(networks) = &board.networks {
            let offer = &networks.offers[number];
            let method = offer.name();
            return Ok(Some(PartView { spec: offer.text.clone(), table, uncovered, method }));
        }
        let cell = &board.cells[number];
        let spec = read_catalogue(view.asked.spec(), &mut NoFiles)?;
        let models = catalogue(&spec, &view.asked.form.form::<BoardForm>().ports)?;
        let spec = cell_text(&cell.spec(&spec, &models));
        Ok(Some(PartView { spec, table, uncovered, method: cell.note.clone() }))
    }
}
