//! `crosspoint serve`: the studio.

use super::{Answer, output, search::seconds, signals::Signals};
use crate::{
    api::{App, Config, router},
    jobs::{CHECKPOINT_EVERY, Jobs},
    store::Store,
};
use anyhow::{Context, Result, anyhow};
use clap::Args;
use std::{
    net::{SocketAddr, ToSocketAddrs},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};
use tokio::net::TcpListener;

/// How long running searches may take to hand over what they have when the studio is stopped.
const HAND_OVER: Duration = Duration::from_secs(10);
/// How long open connections may take to end after that.
const FAREWELL: Duration = Duration::from_secs(3);

/// Start the studio; open the address it prints in a browser
///
/// Ctrl-C ends it. Searches that still run hand over the best wirings they have, which are there after the next start. Those
/// that have run for more than 10 s go on then, from a few seconds before; so they do after the machine has failed.
#[derive(Args)]
pub struct Serve {
    /// Where to listen; port 0 takes any free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: String,
    /// Where the store is [default: crosspoint in the user's data folder]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Seconds between two checkpoints of a run
    #[arg(long, value_name = "S", value_parser = seconds, default_value_t = CHECKPOINT_EVERY.as_secs_f64(), hide = true)]
    checkpoint_every: f64,
}

impl Serve {
    /// Serves until ctrl-C or SIGTERM.
    pub fn run(self) -> Result<Answer> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.context("the studio cannot start its threads")?;
        let served = runtime.block_on(self.serve());
        // A computation that still goes on is of use to nobody.
        runtime.shutdown_background();
        served.map(|()| Answer::Yes)
    }

    async fn serve(self) -> Result<()> {
        let signals = Signals::listen().context("signals cannot be waited for")?;
        let address = address(&self.listen)?;
        let listener = TcpListener::bind(address)
            .await
            .with_context(|| format!("cannot listen on {address}; --listen takes another address"))?;
        let address = listener.local_addr().context("the address listened on is unknown")?;
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
        output::print(&format!("Crosspoint studio: http://{address}\n"))?;
        serve_until_stopped(listener, app, jobs, signals).await
    }
}

/// Searches are stopped first: their last events end the streams that watch them.
async fn serve_until_stopped(
    listener: TcpListener,
    app: axum::Router,
    jobs: Jobs,
    mut signals: Signals,
) -> Result<()> {
    let (ended, end) = tokio::sync::oneshot::channel::<()>();
    let service = app.into_make_service_with_connect_info::<SocketAddr>();
    let server = axum::serve(listener, service).with_graceful_shutdown(async {
        // Also when the sender is gone.
        let _ = end.await;
    });
    let server = tokio::spawn(async move { server.await });
    signals.next().await;
    let handed_over = tokio::task::spawn_blocking(move || jobs.shut_down(HAND_OVER)).await;
    drop(ended);
    handed_over.context("searches could not be handed over")?;
    match tokio::time::timeout(FAREWELL, server).await {
        Ok(served) => Ok(served.context("the studio broke down")??),
        // Somebody holds a connection open, and has been told everything there was to tell.
        Err(_) => Ok(()),
    }
}

fn address(listen: &str) -> Result<SocketAddr> {
    let expected = || anyhow!("--listen {listen}: an address and port such as 127.0.0.1:8080 was expected");
    listen.to_socket_addrs().map_err(|_| expected())?.next().ok_or_else(expected)
}

/// The user's data folder, as the XDG base directory specification has it.
fn default_folder() -> Result<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = absolute("XDG_DATA_HOME").or_else(|| Some(absolute("HOME")?.join(".local/share")));
    let data = data.ok_or_else(|| anyhow!("no HOME to keep designs under; --data names a folder"))?;
    Ok(data.join("crosspoint"))
}
