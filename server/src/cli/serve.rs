//! `crosspoint serve`: the studio.

use super::{Answer, output, search::seconds, signals::Signals};
use crate::{
    api::{App, Config, router},
    jobs::{CHECKPOINT_EVERY, Jobs},
    log::{self, Format},
    store::Store,
};
use anyhow::{Context, Result, anyhow};
use clap::Args;
use directories::ProjectDirs;
use std::{
    net::{SocketAddr, ToSocketAddrs},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};
use tokio::net::TcpListener;
use tracing::info;

/// Max time for running searches to save their results when the studio stops.
const SAVE_RESULTS: Duration = Duration::from_secs(10);
/// Max time for open connections to close after that.
const CLOSE_CONNECTIONS: Duration = Duration::from_secs(3);

/// Start the studio; open the address it prints in a browser
///
/// Ctrl-C stops the studio. Running searches save their best wirings and resume at the next start, from a checkpoint of the
/// last 10 seconds or from the start. They also resume after a crash.
#[derive(Args)]
pub struct Serve {
    /// Address and port to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: String,
    /// Folder of the store [default: crosspoint in the user's data folder, such as ~/.local/share/crosspoint]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Log level: error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    log: tracing::Level,
    /// Format of the log on standard error
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text, hide_possible_values = true)]
    log_format: Format,
    /// Time between two checkpoints of a run in seconds
    #[arg(long, value_name = "S", value_parser = seconds, default_value_t = CHECKPOINT_EVERY.as_secs_f64(), hide = true)]
    checkpoint_every: f64,
}

impl Serve {
    /// Serves until Ctrl-C or SIGTERM.
    pub fn run(self) -> Result<Answer> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.context("the studio cannot start its threads")?;
        let served = runtime.block_on(self.serve());
        // Does not wait for computations that nobody needs any more.
        runtime.shutdown_background();
        served.map(|()| Answer::Yes)
    }

    async fn serve(self) -> Result<()> {
        log::start(self.log_format, self.log);
        let signals = Signals::listen().context("cannot listen for signals")?;
        let address = address(&self.listen)?;
        let listener = TcpListener::bind(address)
            .await
            .with_context(|| format!("cannot listen on {address}; choose another address with --listen"))?;
        let address = listener.local_addr().context("cannot read the address of the listener")?;
        let folder = self.data.map_or_else(default_folder, Ok)?;
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
        let store = Arc::new(Store::open(&folder)?);
        let jobs = Jobs::new(store.clone(), cores, Duration::from_secs_f64(self.checkpoint_every))?;
        let config = Config {
            loopback_only: address.ip().is_loopback(),
            computations: cores as usize,
            ..Config::default()
        };
        let app = router(App::new(store, jobs.clone(), config));
        output::print(&format!("Crosspoint studio: http://{address}\nData folder: {}\n", folder.display()))?;
        serve_until_stopped(listener, app, jobs, signals).await
    }
}

/// Serves until a signal. Searches stop before the server: their last events end the streams that watch them.
async fn serve_until_stopped(
    listener: TcpListener,
    app: axum::Router,
    jobs: Jobs,
    mut signals: Signals,
) -> Result<()> {
    let (ended, end) = tokio::sync::oneshot::channel::<()>();
    let service = app.into_make_service_with_connect_info::<SocketAddr>();
    let server = axum::serve(listener, service).with_graceful_shutdown(async {
        let _ = end.await;
    });
    let server = tokio::spawn(async move { server.await });
    signals.next().await;
    info!("stopping");
    let saved = tokio::task::spawn_blocking(move || jobs.shut_down(SAVE_RESULTS)).await;
    drop(ended);
    saved.context("cannot save the running searches")?;
    match tokio::time::timeout(CLOSE_CONNECTIONS, server).await {
        Ok(served) => Ok(served.context("the server crashed")??),
        // A client holds its connection open.
        Err(_) => Ok(()),
    }
}

fn address(listen: &str) -> Result<SocketAddr> {
    let expected = || anyhow!("--listen {listen}: expected an address and port such as 127.0.0.1:8080");
    listen.to_socket_addrs().map_err(|_| expected())?.next().ok_or_else(expected)
}

/// Crosspoint's folder in the user's data folder.
fn default_folder() -> Result<PathBuf> {
    let folders = ProjectDirs::from("", "", "crosspoint");
    let folders = folders.ok_or_else(|| anyhow!("no home folder found; choose a data folder with --data"))?;
    Ok(folders.data_dir().into())
}
