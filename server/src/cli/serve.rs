//! `crosspoint serve`: the studio.

use super::{
    Answer, cores, default_memory, files,
    flags::{COUNT, MEMORY, log_level, number, parser, whole},
    output,
    signals::Signals,
    worker::Nats,
};
use crate::{
    api::{App, Config, QUICK, SAVED_PER_DAY, STREAMS, router},
    cluster::studio::Workers,
    edit::{EXPECTED, TokenHash},
    listener::Connections,
    log::{self, Format},
    store::{Retention, Store},
    tasks::{Limits, Tasks},
    web,
    work::{Timing, Works},
};
use anyhow::{Context, Result, anyhow};
use clap::Args;
use directories::ProjectDirs;
use ipnet::IpNet;
use shared::{form::Field, search::SECONDS};
use std::{
    net::{IpAddr, SocketAddr, ToSocketAddrs},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use tokio::net::TcpListener;
use tracing::{info, warn};

/// Max time for running searches to save their results when the studio stops.
const SAVE_RESULTS: Duration = Duration::from_secs(10);
/// Time between two removals of ended searches.
const PRUNE_EVERY: Duration = Duration::from_secs(3600);
/// Max bytes of the file with the operator's token.
const MAX_TOKEN_FILE: u64 = 4096;
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
    /// Data folder, with the database [default: crosspoint in the user's data folder, such as ~/.local/share/crosspoint]
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// Font file for letters of PDF labels that the built-in font lacks, such as Chinese; can be repeated
    #[arg(long = "font", value_name = "FILE")]
    fonts: Vec<PathBuf>,
    /// Max memory for searches, simulations and other computations in MiB [default: half of the machine's]
    #[arg(long, value_name = "MIB", value_parser = whole::<u64>(MEMORY))]
    memory: Option<u64>,
    /// Max memory for request bodies in MiB
    #[arg(long, value_name = "MIB", value_parser = whole::<u64>(Field::whole("Bodies", 128, 1 << 20)), default_value_t = 256)]
    bodies: u64,
    /// Max disk space for temporary files of large exports in MiB; one client gets up to half
    #[arg(long, value_name = "MIB", value_parser = whole::<u64>(MEMORY), default_value_t = 4096)]
    temporary: u64,
    /// Max MiB that one client may save per day: designs, notes, ticks and the specs of searches
    #[arg(long, value_name = "MIB", value_parser = whole::<u64>(Field::whole("Saved", 1, 1 << 24)), default_value_t = SAVED_PER_DAY)]
    saved_per_day: u64,
    /// Max milliseconds of the search that runs while people type; 0 turns it off
    #[arg(long, value_name = "MS", value_parser = whole::<u64>(Field::whole("Quick", 0, 10_000)), default_value_t = QUICK.as_millis() as u64)]
    quick: u64,
    /// Name under which browsers can open the studio, such as studio.example; can be repeated. The name localhost always works, and so
    /// do IP addresses unless --listen is a loopback address
    #[arg(long = "host", value_name = "NAME", value_parser = parser(host))]
    hosts: Vec<String>,
    /// Network of proxies, such as 10.0.0.0/24, whose X-Forwarded-For names the client; can be repeated
    #[arg(long = "trusted-proxy", value_name = "NET", value_parser = parser(network))]
    trusted_proxies: Vec<IpNet>,
    /// File with the operator's token, 22 to 200 ASCII characters without spaces. Clients that send it can stop all work and open
    /// the page /operator
    #[arg(long, value_name = "FILE")]
    admin_token_file: Option<PathBuf>,
    /// Max open event streams, one for each page that watches a search or simulation
    #[arg(long, value_name = "N", value_parser = whole::<u32>(COUNT), default_value_t = STREAMS as u32)]
    streams: u32,
    /// Max open connections; at the limit, idle ones are closed [default: from the limit of open files, up to 10000]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(COUNT))]
    connections: Option<u32>,
    #[command(flatten)]
    keep: RetentionFlags,
    #[command(flatten)]
    nats: Nats,
    /// Log level: error, warn, info, debug (with requests) or trace
    #[arg(long, value_name = "LEVEL", default_value = "info", value_parser = parser(log_level))]
    log: tracing::Level,
    /// Format of the log lines on standard error
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text, hide_possible_values = true)]
    log_format: Format,
    /// Time between two checkpoints of a run in seconds
    #[arg(long, value_name = "S", value_parser = number(SECONDS), default_value_t = Timing::default().checkpoint_every.as_secs_f64(), hide = true)]
    checkpoint_every: f64,
    /// Time that a search runs before it pauses for others, in seconds
    #[arg(long, value_name = "S", value_parser = number(SECONDS), default_value_t = Timing::default().slice.as_secs_f64(), hide = true)]
    slice: f64,
}

/// Limits of ended work that stays.
#[derive(Args)]
pub struct RetentionFlags {
    /// Days after which ended searches and simulations are removed; other work goes after one day, and designs stay
    #[arg(long, value_name = "N", default_value_t = Retention::default().days, value_parser = whole::<u32>(Field::whole("Days", 0, 36_500)))]
    keep_days: u32,
    /// Max MiB of ended work; the oldest is removed first
    #[arg(long, value_name = "N", default_value_t = Retention::default().mib, value_parser = whole::<u64>(Field::whole("Size", 0, 1 << 24)))]
    keep_mib: u64,
}

impl RetentionFlags {
    /// The limits.
    pub fn retention(&self) -> Retention {
        Retention { days: self.keep_days, mib: self.keep_mib }
    }
}

impl Serve {
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
        let admin_token = self.admin_token_file.as_deref().map(admin_token).transpose()?;
        let folder = self.data.map_or_else(default_folder, Ok)?;
        let store = Arc::new(Store::open(&folder)?);
        let memory = self.memory.unwrap_or_else(default_memory);
        let tasks = Tasks::new(Limits {
            bytes: memory << 20,
            bodies: self.bodies << 20,
            disk: self.temporary << 20,
            ..Limits::of(cores() as usize)
        });
        let [checkpoint_every, slice] = [self.checkpoint_every, self.slice].map(Duration::from_secs_f64);
        let timing = Timing { checkpoint_every, slice };
        let workers = match self.nats.address() {
            Some(address) => Some(Workers::connect(&address, cores()).await?),
            None => None,
        };
        let works = Works::new(store.clone(), &tasks, cores(), timing, workers)?;
        let default_connections = Connections::default_max();
        tokio::spawn(prune_hourly(store.clone(), self.keep.retention()));
        let config = Config {
            loopback_only: address.ip().is_loopback(),
            hosts: self.hosts,
            trusted_proxies: self.trusted_proxies,
            streams: self.streams as usize,
            connections: self.connections.map_or(default_connections, |max| max as usize),
            saved_per_day: self.saved_per_day << 20,
            quick: Duration::from_millis(self.quick),
            fonts: files::read_fonts(&self.fonts)?,
            admin_token,
            ..Config::default()
        };
        let app = App::new(store.clone(), works, tasks, config);
        output::print(&format!("Crosspoint studio: http://{address}\nData folder: {}\n", folder.display()))?;
        if !web::is_built() {
            warn!("this program has no web pages: run `make bundle` in the source tree and build it again");
        }
        let served = serve_until_stopped(listener, app, signals).await;
        if let Err(error) = store.settle() {
            warn!(%error, "the database file needs its -wal file beside it");
        }
        served
    }
}

/// Removes ended work beyond the limits, now and once an hour.
async fn prune_hourly(store: Arc<Store>, keep: Retention) {
    let mut hour = tokio::time::interval(PRUNE_EVERY);
    loop {
        hour.tick().await;
        let store = store.clone();
        match tokio::task::spawn_blocking(move || store.prune(keep, false)).await {
            Ok(Ok(pruned)) if pruned.count() == 0 => {}
            Ok(Ok(pruned)) => info!(removed = pruned.words(), bytes = pruned.bytes, "removed old work"),
            Ok(Err(error)) => warn!(%error, "cannot remove old work"),
            Err(error) => warn!(%error, "removing old work crashed"),
        }
    }
}

/// Serves until a signal. Work stops before the server: their last events end the streams that watch them.
async fn serve_until_stopped(listener: TcpListener, app: App, mut signals: Signals) -> Result<()> {
    let (ended, end) = tokio::sync::oneshot::channel::<()>();
    let stop = async {
        let _ = end.await;
    };
    let server = tokio::spawn(app.connections.clone().serve(listener, router(app.clone()), stop));
    signals.next().await;
    info!("stopping");
    app.cablings.shut_down();
    let saved = tokio::task::spawn_blocking(move || app.works.shut_down(SAVE_RESULTS)).await;
    drop(ended);
    saved.context("cannot save the running work")?;
    match tokio::time::timeout(CLOSE_CONNECTIONS, server).await {
        Ok(served) => served.context("the server crashed"),
        // A client holds its connection open.
        Err(_) => Ok(()),
    }
}

/// Hash of the token in a file.
fn admin_token(file: &Path) -> Result<TokenHash> {
    let text = files::read_text(file, MAX_TOKEN_FILE)?;
    let hash = TokenHash::checked(text.trim());
    hash.map_err(|found| anyhow!("--admin-token-file {}: must have {EXPECTED}, not {found}.", file.display()))
}

/// Name of a host as browsers send it, without scheme and port, or an address.
fn host(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let fits = !text.is_empty() && text.chars().all(plain) || text.parse::<IpAddr>().is_ok();
    let expected = "a name such as studio.example, without http:// and port";
    if fits { Ok(text.to_ascii_lowercase()) } else { Err(expected.into()) }
}

/// A network, or an address alone.
fn network(text: &str) -> Result<IpNet, String> {
    let network = text.parse().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
    network.map_err(|_| "a network such as 10.0.0.0/24, or an address".into())
}

fn address(listen: &str) -> Result<SocketAddr> {
    let expected = || anyhow!("--listen: must be an address and port such as 127.0.0.1:8080, not {listen}.");
    listen.to_socket_addrs().map_err(|_| expected())?.next().ok_or_else(expected)
}

/// Crosspoint's folder in the user's data folder.
pub fn default_folder() -> Result<PathBuf> {
    let folders = ProjectDirs::from("", "", "crosspoint");
    let folders = folders.ok_or_else(|| anyhow!("no home folder found; choose a data folder with --data"))?;
    Ok(folders.data_dir().into())
}
