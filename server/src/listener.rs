//! Connections of the studio: HTTP/1.1 with limits of time and number.
//!
//! A client gets a limited time for the head of a request, also of the next one, and for reading its response. At the limit of
//! connections, the one that has been idle longest makes room for a new one. If all are busy, the new one gets a 503.

use crate::{lock, tasks::RETRY_AFTER};
use axum::{
    Router,
    body::{Body, Bytes, HttpBody},
    extract::ConnectInfo,
    http::Request,
};
use hyper::{
    body::{Frame, Incoming, SizeHint},
    server::conn::http1,
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use std::{
    collections::HashMap,
    convert::Infallible,
    io::{self, ErrorKind},
    net::SocketAddr,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard},
    task::{Context, Poll},
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    task::AbortHandle,
};
use tokio_io_timeout::TimeoutStream;
use tower::ServiceExt;
use tracing::warn;

/// Default of max open connections, where the system permits as many open files.
pub const CONNECTIONS: usize = 10_000;
/// Max time until the head of a request is complete, from the connection or the end of the last response.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// Max time until a client reads more of its response.
const READ_TIMEOUT: Duration = Duration::from_secs(60);
/// Max bytes of the head of a request.
const MAX_HEAD_BYTES: usize = 64 << 10;
/// Min time between two warnings of a kind.
const WARN_EVERY: Duration = Duration::from_secs(10);
/// Max refusals at a time; further connections are closed without a word.
const MAX_REFUSALS: usize = 64;
/// Max time of a refusal.
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(1);
/// Pause after a connection could not be accepted.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Default where the system names no limit of open files.
const FALLBACK: u64 = 768;

/// Open connections.
pub struct Connections {
    max: usize,
    open: Mutex<OpenConnections>,
    refusals: Arc<Semaphore>,
}

#[derive(Default)]
struct OpenConnections {
    /// Number of the next connection.
    next: u64,
    all: HashMap<u64, Connection>,
    /// Idle connections closed because of the limit, and new ones refused.
    closed: u64,
    refused: u64,
    /// Time and figures of the last warning.
    warned: Option<(Instant, [u64; 2])>,
}

/// Figures of connections.
pub struct Figures {
    /// Open connections.
    pub open: usize,
    /// Idle connections closed because of the limit.
    pub closed: u64,
    /// Connections refused because of the limit.
    pub refused: u64,
}

struct Connection {
    /// Begin of its idle time; `None` while it has a request.
    idle: Option<Instant>,
    task: Option<AbortHandle>,
}

impl Connections {
    /// None yet.
    pub fn new(max: usize) -> Arc<Connections> {
        let refusals = Arc::new(Semaphore::new(MAX_REFUSALS));
        Arc::new(Connections { max, open: Mutex::default(), refusals })
    }

    /// Raises the limit of open files as far as the system permits, and derives the number of connections from it.
    pub fn default_max() -> usize {
        let files = rlimit::increase_nofile_limit(u64::MAX).unwrap_or(FALLBACK);
        // The store and temporary files of exports need some too.
        (files - (files / 4).min(512)).clamp(1, CONNECTIONS as u64) as usize
    }

    /// Figures of now.
    pub fn figures(&self) -> Figures {
        let open = self.lock();
        Figures { open: open.all.len(), closed: open.closed, refused: open.refused }
    }

    fn lock(&self) -> MutexGuard<'_, OpenConnections> {
        lock(&self.open)
    }

    /// Serves connections until `stop`, then ends them: idle ones at once, others after their response.
    pub async fn serve(self: Arc<Self>, listener: TcpListener, app: Router, stop: impl Future<Output = ()>) {
        let graceful = GracefulShutdown::new();
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).max_buf_size(MAX_HEAD_BYTES);
        tokio::pin!(stop);
        let mut warned = None;
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = &mut stop => break,
            };
            match accepted {
                Ok((stream, peer)) => self.clone().start(stream, peer, &http, &app, &graceful),
                // The client left before it was accepted.
                Err(error) if is_of_client(&error) => {}
                Err(error) => {
                    if warned.is_none_or(|at: Instant| at.elapsed() >= WARN_EVERY) {
                        warn!(%error, "cannot accept connections");
                        warned = Some(Instant::now());
                    }
                    self.lock().close_longest_idle();
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
        drop(listener);
        graceful.shutdown().await;
    }

    fn start(
        self: Arc<Self>,
        stream: TcpStream,
        peer: SocketAddr,
        http: &http1::Builder,
        app: &Router,
        graceful: &GracefulShutdown,
    ) {
        let Some(place) = ConnectionPlace::take(&self) else {
            if let Ok(permit) = self.refusals.clone().try_acquire_owned() {
                tokio::spawn(async move {
                    // The client may be gone.
                    let _ = tokio::time::timeout(REFUSAL_TIMEOUT, refuse(stream)).await;
                    drop(permit);
                });
            }
            return;
        };
        // Events are small and should not wait for each other. A failure only costs time.
        let _ = stream.set_nodelay(true);
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(READ_TIMEOUT));
        let (app, number, busy) = (app.clone(), place.number, self.clone());
        let service = hyper::service::service_fn(move |request: Request<Incoming>| {
            let busy = BusyGuard::new(&busy, number);
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(ConnectInfo(peer));
            let response = app.clone().oneshot(request);
            async move { Ok::<_, Infallible>(response.await?.map(|body| BusyBody { body, _busy: busy })) }
        });
        let connection = graceful.watch(http.serve_connection(TokioIo::new(Box::pin(stream)), service));
        let task = tokio::spawn(async move {
            let _place = place;
            // An error is of this client: it left, was too slow or did not speak HTTP.
            let _ = connection.await;
        });
        if let Some(connection) = self.lock().all.get_mut(&number) {
            connection.task = Some(task.abort_handle());
        }
    }
}

impl OpenConnections {
    /// Closes the connection that has been idle longest; `false` if none is idle.
    fn close_longest_idle(&mut self) -> bool {
        let idle = self.all.iter().filter(|(_, connection)| connection.task.is_some());
        let idle = idle.filter_map(|(number, connection)| Some((connection.idle?, *number)));
        let Some((_, number)) = idle.min() else { return false };
        let closed = self.all.remove(&number);
        closed.and_then(|connection| connection.task).inspect(AbortHandle::abort).is_some()
    }

    fn warn(&mut self, max: usize) {
        if self.warned.is_none_or(|(at, _)| at.elapsed() >= WARN_EVERY) {
            let [closed, refused] = self.warned.map_or([0; 2], |(_, known)| known);
            let (closed, refused) = (self.closed - closed, self.refused - refused);
            warn!(
                max,
                closed, refused, "too many connections; raise --connections or the limit of open files"
            );
            self.warned = Some((Instant::now(), [self.closed, self.refused]));
        }
    }
}

fn is_of_client(error: &io::Error) -> bool {
    use ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Sends a 503, and reads on for a moment: closing a socket with unread bytes discards the response.
async fn refuse(mut stream: TcpStream) -> io::Result<()> {
    let text = "The studio has too many connections. Try again later.\n";
    let response = format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n\
         Retry-After: {RETRY_AFTER}\r\nConnection: close\r\n\r\n{text}",
        text.len()
    );
    stream.write_all(response.as_bytes()).await?;
    stream.shutdown().await?;
    let mut rest = [0; 1024];
    while stream.read(&mut rest).await? > 0 {}
    Ok(())
}

/// The place of an open connection. Dropping it frees the place.
struct ConnectionPlace {
    connections: Arc<Connections>,
    number: u64,
}

impl ConnectionPlace {
    /// A place, or `None` if all are taken by busy connections.
    fn take(connections: &Arc<Connections>) -> Option<ConnectionPlace> {
        let mut open = connections.lock();
        if open.all.len() >= connections.max {
            let closed = open.close_longest_idle();
            *(if closed { &mut open.closed } else { &mut open.refused }) += 1;
            open.warn(connections.max);
            if !closed {
                return None;
            }
        }
        let number = open.next;
        open.next += 1;
        open.all.insert(number, Connection { idle: Some(Instant::now()), task: None });
        Some(ConnectionPlace { connections: connections.clone(), number })
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        self.connections.lock().all.remove(&self.number);
    }
}

/// Marks a connection as busy, from the head of a request to the end of its response.
struct BusyGuard {
    connections: Arc<Connections>,
    number: u64,
}

impl BusyGuard {
    fn new(connections: &Arc<Connections>, number: u64) -> BusyGuard {
        let busy = BusyGuard { connections: connections.clone(), number };
        busy.set(None);
        busy
    }

    fn set(&self, idle: Option<Instant>) {
        if let Some(connection) = self.connections.lock().all.get_mut(&self.number) {
            connection.idle = idle;
        }
    }
}

impl Drop for BusyGuard {
    fn drop(&mut self) {
        self.set(Some(Instant::now()));
    }
}

/// A response body whose connection is busy until its end.
struct BusyBody {
    body: Body,
    _busy: BusyGuard,
}

impl HttpBody for BusyBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
