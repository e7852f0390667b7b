//! Ctrl-C and SIGTERM.

use anyhow::{Context, Result};
use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// Exit code of a program that Ctrl-C ended, as shells have it.
const INTERRUPTED: i32 = 130;

/// Ctrl-C and, on Unix, SIGTERM. Once this exists, neither ends the program by itself.
pub struct Signals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(windows)]
    interrupt: tokio::signal::windows::CtrlC,
}

impl Signals {
    /// Starts to listen. Needs a runtime.
    #[cfg(unix)]
    pub fn listen() -> io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Starts to listen. Needs a runtime.
    #[cfg(windows)]
    pub fn listen() -> io::Result<Signals> {
        Ok(Signals { interrupt: tokio::signal::windows::ctrl_c()? })
    }

    pub async fn next(&mut self) {
        #[cfg(unix)]
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
        #[cfg(windows)]
        self.interrupt.recv().await;
    }
}

/// A flag that the first signal sets. The second signal ends the program at once.
pub fn cancel() -> Result<Arc<AtomicBool>> {
    let cannot = "cannot listen for signals";
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context(cannot)?;
    // Not in the thread, which may start late.
    let mut signals = runtime.block_on(async { Signals::listen() }).context(cannot)?;
    let cancel = Arc::new(AtomicBool::new(false));
    let flag = cancel.clone();
    std::thread::spawn(move || {
        runtime.block_on(signals.next());
        flag.store(true, Ordering::Relaxed);
        runtime.block_on(signals.next());
        std::process::exit(INTERRUPTED);
    });
    Ok(cancel)
}
