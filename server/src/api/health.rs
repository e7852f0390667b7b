//! `/healthz`, `/readyz` and `/metrics`: for load balancers and Prometheus. They name no ids, designs or specs.

use super::{ApiError, App};
use crate::{lock, store::StoreError, tasks::TaskError};
use axum::{
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use prometheus_client::{
    encoding::text::encode,
    metrics::{counter::Counter, family::Family, gauge::Gauge},
    registry::{Registry, Unit},
};
use shared::api::BudgetView;
use std::{
    collections::BTreeMap,
    sync::Mutex,
    time::{Duration, Instant},
};

/// Time for which the result of a test write counts.
const PROBE_EVERY: Duration = Duration::from_secs(1);
/// Media type of the metrics.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Counts and probes of a studio.
#[derive(Default)]
pub struct Health {
    problems: Mutex<BTreeMap<&'static str, u64>>,
    /// The last test write, and the problem it found.
    probe: tokio::sync::Mutex<Option<(Instant, Option<String>)>>,
}

/// Kind of the problem that a response reports.
#[derive(Clone, Copy)]
pub struct ProblemKind(pub &'static str);

/// The process answers.
pub async fn live() -> &'static str {
    "ok\n"
}

/// The studio accepts work: its store can be written, and it is not shutting down.
pub async fn ready(State(app): State<App>) -> Result<&'static str, ApiError> {
    if app.works.is_shutting_down() {
        return Err(ApiError::Busy("The studio is shutting down.".into()));
    }
    let mut probe = app.health.probe.lock().await;
    if probe.as_ref().is_none_or(|(at, _)| at.elapsed() >= PROBE_EVERY) {
        let store = app.store.clone();
        let found = outside(move || store.probe()).await.err().map(|error| error.to_string());
        *probe = Some((Instant::now(), found));
    }
    let found = probe.as_ref().and_then(|(_, found)| found.clone());
    found.map_or(Ok("ok\n"), |problem| Err(ApiError::Busy(problem)))
}

/// Uses the store beside the tasks, which may be too many: health shows that.
async fn outside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, ApiError> {
    let done = tokio::task::spawn_blocking(work).await;
    Ok(done.map_err(|_| TaskError::Panicked)??)
}

/// Counts the problems of responses.
pub async fn count(State(app): State<App>, response: Response) -> Response {
    if let Some(ProblemKind(kind)) = response.extensions().get() {
        let mut problems = lock(&app.health.problems);
        *problems.entry(kind).or_default() += 1;
    }
    response
}

/// The limits of the studio, and the size of its store.
pub async fn budgets(app: &App) -> Result<Vec<BudgetView>, ApiError> {
    let store = app.store.clone();
    let store = outside(move || Ok(store.bytes())).await?;
    let (memory, disk, bodies) = (&app.tasks.memory, &app.tasks.disk, &app.tasks.bodies);
    let (open, streams) = (app.connections.figures().open as u64, app.streams.count() as u64);
    let budgets = [
        ("memory", "Memory", memory.used(), Some(memory.max()), true),
        ("disk", "Temporary files", disk.used(), Some(disk.max()), true),
        ("bodies", "Request bodies", bodies.used(), Some(bodies.max()), true),
        ("store", "Database", store, None, true),
        ("streams", "Event streams", streams, Some(app.config.streams as u64), false),
        ("connections", "Connections", open, Some(app.config.connections as u64), false),
    ];
    let view = |(name, label, used, max, bytes): (&str, &str, _, _, _)| BudgetView {
        name: name.into(),
        label: label.into(),
        used,
        max,
        bytes,
    };
    Ok(budgets.map(view).into())
}

/// All figures in the text format of OpenMetrics, which Prometheus reads.
pub async fn metrics(State(app): State<App>) -> Result<Response, ApiError> {
    let budgets = budgets(&app).await?;
    let mut registry = Registry::with_prefix("crosspoint");
    let mut gauge = |name: &str, unit: Option<Unit>, help: &str, value: f64| {
        let gauge = Gauge::<f64, std::sync::atomic::AtomicU64>::default();
        gauge.set(value);
        match unit {
            Some(unit) => registry.register_with_unit(name, help, unit, gauge),
            None => registry.register(name, help, gauge),
        }
    };
    let [searches, simulations] = app.works.loads();
    for (name, queue) in [("tasks", app.tasks.load()), ("searches", searches), ("simulations", simulations)] {
        gauge(&format!("{name}_running"), None, "Running now", queue.running as f64);
        gauge(&format!("{name}_waiting"), None, "Waiting for a thread", queue.waiting as f64);
        let oldest = queue.oldest.as_secs_f64();
        gauge(
            &format!("{name}_oldest_wait"),
            Some(Unit::Seconds),
            "Age of the oldest one that waits",
            oldest,
        );
    }
    for BudgetView { name, used, max, bytes, .. } in budgets {
        let (suffix, help) = match (bytes, max) {
            (true, Some(_)) => ("_claimed", "Claimed by tasks and requests"),
            (true, None) => ("", "Size of the database files"),
            (false, _) => ("_open", "Open now"),
        };
        let unit = || bytes.then_some(Unit::Bytes);
        gauge(&format!("{name}{suffix}"), unit(), help, used as f64);
        if let Some(max) = max {
            gauge(&format!("{name}_limit"), unit(), "Limit", max as f64);
        }
    }
    let connections = app.connections.figures();
    let workers = app.works.workers().map(|workers| workers.figures());
    if let Some(workers) = workers {
        gauge("workers", None, "Workers on other machines", workers.workers as f64);
        gauge("workers_threads", None, "Threads of these workers", f64::from(workers.threads));
    }
    let mut counters = |name: &str, help: &str, label: &'static str, values: Vec<(&'static str, u64)>| {
        let family = Family::<[(&str, &str); 1], Counter>::default();
        for (value, count) in values {
            family.get_or_create(&[(label, value)]).inc_by(count);
        }
        registry.register(name, help, family);
    };
    counters("tasks_ended", "Tasks by outcome", "outcome", app.tasks.outcomes());
    let closed = vec![("idle", connections.closed), ("refused", connections.refused)];
    counters("connections_closed", "Connections closed because of the limit", "reason", closed);
    if let Some(workers) = workers {
        let parts =
            [("done", workers.done), ("stopped", workers.stopped), ("brought_back", workers.brought_back)];
        counters(
            "tasks_elsewhere",
            "Parts of searches and simulations on workers, by outcome",
            "outcome",
            parts.into(),
        );
    }
    let problems = lock(&app.health.problems).clone();
    counters("problems", "Requests answered with a problem, by kind", "kind", problems.into_iter().collect());
    let mut text = String::new();
    encode(&mut text, &registry)
        .map_err(|error| ApiError::Internal(format!("cannot write metrics: {error}")))?;
    Ok(([(header::CONTENT_TYPE, OPEN_METRICS), (header::CACHE_CONTROL, "no-store")], text).into_response())
}
