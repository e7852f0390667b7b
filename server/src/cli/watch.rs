//! Progress of heavy work at the command line.

use super::progress::ProgressLine;
use crate::lock;
use shared::{
    cancel::{self, Token},
    text::fixed,
};
use std::{
    panic::resume_unwind,
    sync::{
        Mutex,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

/// Time after which progress is shown, and between two looks at it.
const PACE: Duration = Duration::from_millis(200);

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
fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}
