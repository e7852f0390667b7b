//! When somebody wants the program to end.

use anyhow::{Context, Result};
use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// As shells count it: a program that ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// Ctrl-C and, where there are signals, SIGTERM. From the moment this exists, neither ends the program by itself.
pub struct Signals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(windows)]
    interrupt: tokio::signal::windows::CtrlC,
}

impl Signals {
    /// Starts to listen; only inside a runtime.
    ///
    /// # Errors
    /// The system does not let us.
    #[cfg(unix)]
    pub fn listen() -> io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Starts to listen; only inside a runtime.
    ///
    /// # Errors
    /// The system does not let us.
    #[cfg(windows)]
    pub fn listen() -> io::Result<Signals> {
        Ok(Signals { interrupt: tokio::signal::windows::ctrl_c()? })
    }

    /// Resolves when the next one comes, or has come since the last.
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

/// A flag that the first signal sets. The second ends the program at once, for who cannot wait.
///
/// # Errors
/// The system does not let us listen.
pub fn cancel() -> Result<Arc<AtomicBool>> {
    let cannot = "signals cannot be waited for";
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context(cannot)?;
    // Here and not in the thread, which may start late.
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
