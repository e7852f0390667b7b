//! Heavy work at the command line: its progress, its end at Ctrl-C, and its checkpoints.

use super::{checkpoint::Checkpoints, progress::ProgressLine, signals};
use crate::lock;
use anyhow::Result;
use shared::{
    cancel::{self, Token},
    design::Design,
    hardware::{Board, BoardObserver},
    spec::Spec,
    text::fixed,
};
use std::{
    collections::BTreeMap,
    panic::resume_unwind,
    sync::{
        Arc, Mutex,
        atomic::AtomicBool,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

/// Time after which progress is shown, and between two looks at it.
const PACE: Duration = Duration::from_millis(200);

/// Watcher of one search or simulation.
pub struct Watch {
    /// Set by Ctrl-C. The work then ends and keeps its results.
    pub cancel: Arc<AtomicBool>,
    /// The line that shows the progress.
    pub line: ProgressLine,
    /// Checkpoints of a search.
    pub checkpoints: Checkpoints,
}

impl Watch {
    /// Starts to listen for Ctrl-C, which no longer ends the program by itself.
    pub fn start() -> Result<Watch> {
        let (line, checkpoints) = (ProgressLine::new(), Checkpoints::default());
        Ok(Watch { cancel: signals::cancel()?, line, checkpoints })
    }

    /// Keeps checkpoints from now on. Returns the one to resume from, if there is one.
    pub fn resume(&mut self, checkpoints: Checkpoints) -> Result<Option<Vec<u8>>> {
        self.checkpoints = checkpoints;
        self.checkpoints.open()
    }

    /// Shows the progress of a search, `fields` with the most important first, and notes the seconds and numbers of its next
    /// checkpoint.
    pub fn show<const N: usize>(
        &mut self,
        fields: impl FnOnce() -> Vec<String>,
        seconds: f64,
        numbers: [(&str, u64); N],
    ) {
        self.checkpoints.accepted(&mut self.line);
        self.checkpoints.reached = (seconds, numbers.map(|(what, number)| (what.to_owned(), number)).into());
        self.line.write(fields);
    }

    /// Writes a checkpoint.
    pub fn save(&mut self, bytes: &[u8]) {
        self.checkpoints.save(&mut self.line, bytes);
    }
}

/// Watches a search over hardware and collects its builds. Calls `on_board` with every change.
pub struct BoardWatch<'w, F> {
    watch: &'w mut Watch,
    on_board: F,
    /// The wiring of each cell, with its uncovered pairs and its spec.
    pub builds: BTreeMap<usize, (u64, Spec, Design)>,
}

impl<'w, F> BoardWatch<'w, F> {
    pub fn new(watch: &'w mut Watch, on_board: F) -> BoardWatch<'w, F> {
        BoardWatch { watch, on_board, builds: BTreeMap::new() }
    }
}

impl<F: FnMut(&mut Watch, &Board) + Send> BoardObserver for BoardWatch<'_, F> {
    fn board(&mut self, board: &Board) {
        (self.on_board)(self.watch, board);
    }

    fn design(&mut self, cell: usize, spec: &Spec, design: &Design, uncovered: u64) {
        self.builds.insert(cell, (uncovered, spec.clone(), design.clone()));
    }

    fn keeps_checkpoints(&self) -> bool {
        self.watch.checkpoints.is_on()
    }

    fn wants_checkpoint(&mut self) -> bool {
        self.watch.checkpoints.is_due()
    }

    fn checkpoint(&mut self, bytes: Vec<u8>) {
        self.watch.save(&bytes);
    }
}

/// Runs work that keeps nothing, so that Ctrl-C ends the program. After 200 ms, its progress is shown: `what`, until the work
/// says otherwise, and the share that is done.
pub fn aside<T: Send>(what: &str, work: impl FnOnce(&dyn Fn(String)) -> T + Send) -> T {
    let (token, what, began) = (Token::default(), Mutex::new(what.to_owned()), Instant::now());
    let seconds = || fixed(began.elapsed().as_secs_f64(), 1);
    let mut line = None;
    let (running, ended) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let (token, what) = (&token, &what);
        let worker = scope.spawn(move || {
            let _running = running;
            let work = || work(&|text| *lock(what) = text);
            cancel::scope(token, work).expect("never cancelled: a signal ends the program")
        });
        while ended.recv_timeout(PACE) == Err(RecvTimeoutError::Timeout) {
            line.get_or_insert_with(ProgressLine::new).write(|| {
                let share = Some(token.share()).filter(|&share| share > 0.0);
                let share = share.map(|share| percent(share.into()));
                [format!("{}, {} s", lock(what), seconds())].into_iter().chain(share).collect()
            });
        }
        line.iter_mut().for_each(|line| line.end(&[format!("Done in {} s", seconds())]));
        worker.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// A share as a percentage.
pub fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}
