//! The HTTP API under `/api`, one noun per file: JSON, errors as problem details, an OpenAPI description.
//!
//! | module | contents |
//! | --- | --- |
//! | `description` | the OpenAPI description |
//! | [`error`] | errors as responses |
//! | [`extract`] | bodies and parameters of requests |
//! | [`guard`] | checks of every request, headers of every response |
//! | [`health`] | health checks and metrics, outside `/api` |
//! | [`cabling`] | cabling of saved designs: its key and its ticks |
//! | [`quick`] | searches while people type |
//! | [`gallery`], [`help`], [`demand`], [`designs`], [`routes`](mod@routes), [`exports`], [`fabrics`] | nouns without state |
//! | [`library`], [`workspaces`], [`differences`] | designs and work in lists, their notes and deletion, two side by side |
//! | [`rights`] | the rights to stop work and to see all of it |
//! | [`work`], [`events`] | work of every kind, and its events |
//! | `paint`, [`preview`] | pages of designs and searches before the studio has loaded, and for programs that show links |
//! | [`operator`] | all work of the studio, for its operator |
//!
//! Nothing lists the ids of runs or designs to strangers: they are secret, and anyone who knows an id can open it. Stopping a
//! search takes the edit token of the browser that started it, or its edit link; so does changing a note or deleting.

pub mod cabling;
pub mod demand;
pub mod description;
pub mod designs;
pub mod differences;
pub mod error;
pub mod events;
pub mod exports;
pub mod extract;
pub mod fabrics;
pub mod gallery;
pub mod guard;
pub mod health;
pub mod help;
pub mod library;
pub mod operator;
mod paint;
pub mod preview;
pub mod quick;
pub mod rights;
pub mod routes;
pub mod work;
pub mod workspaces;

use cabling::Cablings;
pub use error::ApiError;
use events::Streams;
use health::Health;

use crate::{
    VERSION,
    edit::TokenHash,
    listener::{CONNECTIONS, Connections},
    store::{Store, StoreError},
    tasks::{Caller, Claim, Lane, Owner, Tasks},
    web,
    work::Works,
};
use axum::{
    Json, Router,
    body::Body,
    extract::{DefaultBodyLimit, MatchedPath, Request},
    http::{Extensions, HeaderMap, HeaderValue, StatusCode, Version, header},
    middleware,
    response::{IntoResponse, Response},
    routing::{any, get},
};
use governor::middleware::NoOpMiddleware;
use ipnet::IpNet;
use shared::{
    api::{PAGES, VersionView},
    exports::Fonts,
};
use std::{any::Any, cell::RefCell, sync::Arc, time::Duration};
use tower_governor::{
    GovernorError, GovernorLayer,
    governor::{GovernorConfig, GovernorConfigBuilder},
    key_extractor::KeyExtractor,
};
use tower_http::{
    catch_panic::CatchPanicLayer,
    compression::{CompressionLayer, Predicate, predicate::SizeAbove},
    request_id::{MakeRequestUuid, PropagateRequestIdLayer, RequestId, SetRequestIdLayer},
    set_header::SetResponseHeaderLayer,
    timeout::TimeoutLayer,
    trace::TraceLayer,
};
use tracing::{Span, debug, info_span, warn};
use utoipa_axum::{router::OpenApiRouter, routes};

/// Max bytes of a request body.
pub const MAX_BODY_BYTES: usize = 32 << 20;

/// Default of max open event streams.
pub const STREAMS: usize = 2000;

/// Default of the max time of a search while people type.
pub const QUICK: Duration = Duration::from_millis(100);

/// Default of max MiB that a client may save per day.
pub const SAVED_PER_DAY: u64 = 128;

/// Min bytes of a JSON response to compress.
const MIN_COMPRESSED_BYTES: u64 = 1 << 10;

/// Settings of a studio.
#[derive(Clone)]
pub struct Config {
    /// `true` if the studio listens on this machine only. It then answers under loopback names alone, else also under addresses.
    pub loopback_only: bool,
    /// Further names under which it answers, in lower case.
    pub hosts: Vec<String>,
    /// Networks of proxies whose `X-Forwarded-For` names the client.
    pub trusted_proxies: Vec<IpNet>,
    /// Max requests of one client at once.
    pub burst: u32,
    /// Milliseconds until the client may make one more.
    pub refill_milliseconds: u64,
    /// Max open event streams.
    pub streams: usize,
    /// Max open connections.
    pub connections: usize,
    /// Max time until a response begins.
    pub patience: Duration,
    /// Max bytes that a client may save per day.
    pub saved_per_day: u64,
    /// Max time of a search while people type; zero turns these searches off.
    pub quick: Duration,
    /// Further fonts of PDF files.
    pub fonts: Fonts,
    /// The operator's token.
    pub admin_token: Option<TokenHash>,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            loopback_only: true,
            hosts: Vec::new(),
            trusted_proxies: Vec::new(),
            burst: 400,
            refill_milliseconds: 20,
            streams: STREAMS,
            connections: CONNECTIONS,
            patience: Duration::from_secs(60),
            saved_per_day: SAVED_PER_DAY << 20,
            quick: QUICK,
            fonts: Fonts::default(),
            admin_token: None,
        }
    }
}

/// State that all handlers share.
#[derive(Clone)]
pub struct App {
    /// Designs and work on disk.
    pub store: Arc<Store>,
    /// Work.
    pub works: Works,
    /// Settings.
    pub config: Config,
    /// Computations of requests.
    pub tasks: Tasks,
    /// Open event streams.
    pub streams: Arc<Streams>,
    /// Open connections.
    pub connections: Arc<Connections>,
    /// Watched cablings.
    pub cablings: Arc<Cablings>,
    /// Health of the studio.
    health: Arc<Health>,
    /// Pictures of saved designs and ended searches.
    pictures: Arc<preview::Pictures>,
}

tokio::task_local! {
    /// Scope of the running request.
    static SCOPE: Scope;
}

/// What belongs to a request until its response begins.
struct Scope {
    caller: Caller,
    /// Bytes of its body.
    body: RefCell<Option<Claim>>,
}

impl App {
    /// State over a store and its work.
    pub fn new(store: Arc<Store>, works: Works, tasks: Tasks, config: Config) -> App {
        let streams = Streams::new(config.streams);
        let connections = Connections::new(config.connections);
        let health = Arc::default();
        App {
            store,
            works,
            config,
            tasks,
            streams,
            connections,
            cablings: Arc::default(),
            health,
            pictures: Arc::default(),
        }
    }

    /// Forgets the picture of a deleted design, or of a search that changes.
    fn forget_picture(&self, id: &str) {
        self.pictures.forget(id);
    }

    /// Client of the running request.
    fn client() -> Owner {
        App::caller().owner
    }

    /// Client and route of the running request.
    fn caller() -> Caller {
        SCOPE.try_with(|scope| scope.caller.clone()).unwrap_or_default()
    }

    /// Runs a computation as a task. It ends early if the request goes away.
    pub async fn compute<T: Send + 'static, E: Into<ApiError> + Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, E> + Send + 'static,
    ) -> Result<T, ApiError> {
        self.tasks.run(App::caller(), Lane::Ordinary, work).await?.map_err(Into::into)
    }

    /// Runs the computation of a request that never waits for long work: saving, opening, ticking or starting.
    pub async fn compute_now<T: Send + 'static, E: Into<ApiError> + Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, E> + Send + 'static,
    ) -> Result<T, ApiError> {
        self.tasks.run(App::caller(), Lane::Interactive, work).await?.map_err(Into::into)
    }

    /// Runs work of milliseconds on a blocking thread.
    pub async fn block<T: Send + 'static, E: Into<ApiError> + Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, E> + Send + 'static,
    ) -> Result<T, ApiError> {
        self.tasks.block(App::caller(), work).await?.map_err(Into::into)
    }

    /// Saves something of the client, which counts with these bytes in what it may save per day.
    pub async fn saved<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let quota = self.quota(bytes);
        self.stored(move |store| {
            quota(store)?;
            work(store)
        })
        .await
    }

    /// Counts these bytes in what the client of the running request may save per day.
    fn quota(&self, bytes: usize) -> impl FnOnce(&Store) -> Result<(), StoreError> + Send + 'static {
        let (client, max) = (App::client(), self.config.saved_per_day);
        move |store| store.charge(&client, bytes as u64, max)
    }

    /// Uses the store on a blocking thread.
    pub async fn stored<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let store = self.store.clone();
        self.block(move || work(&store)).await
    }
}

/// All routes of the studio.
pub fn router(app: App) -> Router {
    let (api, description) = routes().split_for_parts();
    let description = description::complete(description);
    let api = api
        .route("/api/openapi.json", get(move || std::future::ready(Json(description.clone()))))
        .route("/api/runs/{id}", get(work::moved))
        .route("/api/boards/{id}", get(work::moved))
        .route("/api", any(no_route))
        .route("/api/", any(no_route))
        .route("/api/{*rest}", any(no_route))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        // Ids are secrets, and what they open may be deleted: no cache keeps an answer unless its handler permits that.
        .layer(SetResponseHeaderLayer::if_not_present(
            header::CACHE_CONTROL,
            HeaderValue::from_static("no-store"),
        ))
        .layer(rate_limit(&app.config));
    let health = Router::new()
        .route("/healthz", get(health::live))
        .route("/readyz", get(health::ready))
        .route("/metrics", get(health::metrics));
    // The pages of a session or a saved design have a word more.
    let pages = PAGES.iter().fold(Router::new(), |pages, page| {
        pages
            .route(&format!("/d/{{id}}/{page}"), get(preview::design_page))
            .route(&format!("/r/{{id}}/{page}"), get(preview::work_page))
            .route(&format!("/work/{{id}}/{page}"), get(preview::work_page))
    });
    let pages = pages
        .route("/w/{id}", get(preview::workspace_page))
        .route("/compare/{a}/{b}", get(preview::difference_page))
        .route("/d/{id}", get(preview::design_page))
        .route("/d/{id}/cabling", get(preview::design_page))
        .route("/d/{id}/node/{node}", get(preview::node_page))
        .route("/r/{id}", get(preview::work_page))
        .route("/b/{id}", get(preview::work_page))
        .route("/work/{id}", get(preview::work_page));
    api.merge(web::routes())
        .merge(pages)
        .merge(health)
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn_with_state(app.clone(), guard::admit))
        .layer(TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, app.config.patience))
        .layer(middleware::map_response(slow))
        .layer(CompressionLayer::new().compress_when(SizeAbove::new(MIN_COMPRESSED_BYTES).and(is_json)))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(middleware::map_response_with_state(app.clone(), health::count))
        .layer(guard::headers())
        .layer(PropagateRequestIdLayer::x_request_id())
        .layer(
            TraceLayer::new_for_http()
                .make_span_with(span)
                .on_request(())
                .on_response(answered)
                .on_failure(()),
        )
        .layer(SetRequestIdLayer::x_request_id(MakeRequestUuid))
        .with_state(app)
}

/// Name and version of the studio.
#[utoipa::path(get, path = "/api/version", tag = "version", responses((status = 200, body = VersionView)))]
async fn version() -> Json<VersionView> {
    Json(VersionView { name: "Crosspoint".into(), version: VERSION.into() })
}

/// All routes under `/api` that the description has, for people.
pub fn listed() -> Vec<description::Route> {
    description::listed(routes().get_openapi())
}

fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(description::start())
        .routes(routes!(version))
        .routes(routes!(gallery::list))
        .routes(routes!(help::list))
        .routes(routes!(help::get))
        .routes(routes!(demand::count))
        .routes(routes!(quick::find))
        .routes(routes!(routes::routes))
        .routes(routes!(routes::failures))
        .routes(routes!(work::start))
        .routes(routes!(work::get))
        .routes(routes!(work::follow))
        .routes(routes!(work::stop))
        .routes(routes!(work::extend))
        .routes(routes!(work::edit_link))
        .routes(routes!(work::table))
        .routes(routes!(work::replay))
        .routes(routes!(work::part))
        .routes(routes!(designs::save))
        .routes(routes!(designs::get))
        .routes(routes!(designs::export))
        .routes(routes!(preview::picture))
        .routes(routes!(preview::search_picture))
        .routes(routes!(cabling::get))
        .routes(routes!(cabling::start))
        .routes(routes!(cabling::replace_key))
        .routes(routes!(events::follow_cabling))
        .routes(routes!(cabling::tick))
        .routes(routes!(cabling::report))
        .routes(routes!(exports::list))
        .routes(routes!(exports::export))
        .routes(routes!(fabrics::list))
        .routes(routes!(fabrics::export))
        .routes(routes!(library::list))
        .routes(routes!(library::note))
        .routes(routes!(library::delete))
        .routes(routes!(workspaces::start))
        .routes(routes!(workspaces::get))
        .routes(routes!(workspaces::rename))
        .routes(routes!(workspaces::delete))
        .routes(routes!(workspaces::add))
        .routes(routes!(workspaces::remove))
        .routes(routes!(differences::get))
        .routes(routes!(differences::map))
        .routes(routes!(differences::text))
        .routes(routes!(differences::csv))
        .routes(routes!(operator::list))
        .routes(routes!(operator::stop))
}

/// Limits requests per client.
fn rate_limit(config: &Config) -> GovernorLayer<Client, NoOpMiddleware, Body> {
    let limit = GovernorConfigBuilder::default()
        .key_extractor(Client)
        .per_millisecond(config.refill_milliseconds.max(1))
        .burst_size(config.burst.max(1))
        .finish();
    let limit: Arc<GovernorConfig<_, _>> = Arc::new(limit.expect("a period and a burst above 0"));
    let limiter = Arc::downgrade(limit.limiter());
    // Removes idle addresses, so that the table does not grow for ever.
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        runtime.spawn(async move {
            let mut minute = tokio::time::interval(Duration::from_secs(60));
            loop {
                minute.tick().await;
                let Some(limiter) = limiter.upgrade() else { return };
                limiter.retain_recent();
            }
        });
    }
    GovernorLayer::new(limit).error_handler(|error| match error {
        GovernorError::TooManyRequests { wait_time, .. } => {
            ApiError::TooMany(wait_time.max(1)).into_response()
        }
        other => ApiError::Internal(format!("cannot count requests: {other}")).into_response(),
    })
}

/// Counts the requests of a client.
#[derive(Clone)]
struct Client;

impl KeyExtractor for Client {
    type Key = Owner;

    fn extract<T>(&self, _: &axum::http::Request<T>) -> Result<Owner, GovernorError> {
        Ok(App::client())
    }
}

async fn no_route(request: Request) -> ApiError {
    ApiError::not_found(format!("route {}", request.uri().path()))
}

async fn wrong_method(request: Request) -> ApiError {
    ApiError::Method(format!("{} does not accept {}.", request.uri().path(), request.method()))
}

/// Span of a request. It names the route, since the path of a request may be a link.
fn span(request: &Request) -> Span {
    let route = request.extensions().get::<MatchedPath>().map_or("static", MatchedPath::as_str);
    let id = request.extensions().get::<RequestId>().and_then(|id| id.header_value().to_str().ok());
    info_span!("request", method = %request.method(), route, id)
}

fn answered(response: &Response, latency: Duration, _: &Span) {
    let (status, ms) = (response.status(), latency.as_millis() as u64);
    if status.is_server_error() {
        warn!(status = status.as_u16(), ms, "answered");
    } else {
        debug!(status = status.as_u16(), ms, "answered");
    }
}

/// Turns the timeout's empty response into a problem.
async fn slow(response: Response) -> Response {
    let timed_out = response.status() == StatusCode::SERVICE_UNAVAILABLE
        && !response.headers().contains_key(header::CONTENT_TYPE);
    if timed_out { ApiError::Busy(error::NO_ANSWER.into()).into_response() } else { response }
}

/// `true` for JSON responses. Event streams and exports keep their chunks, and pages are compressed already.
fn is_json(_: StatusCode, _: Version, headers: &HeaderMap, _: &Extensions) -> bool {
    headers.get(header::CONTENT_TYPE).is_some_and(|media| media == "application/json")
        && !headers.contains_key(header::CONTENT_DISPOSITION)
}

fn panicked(_: Box<dyn Any + Send + 'static>) -> Response {
    ApiError::Internal("a request panicked".into()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use tower::ServiceExt;

    /// Routes that answer without being for clients: the description, redirects of earlier versions, and errors.
    const UNLISTED: [&str; 6] =
        ["/api/openapi.json", "/api/runs/{id}", "/api/boards/{id}", "/api", "/api/", "/api/{*rest}"];

    #[tokio::test]
    async fn the_router_has_the_listed_routes() {
        let store = Arc::new(Store::temporary().unwrap());
        let tasks = Tasks::new(crate::tasks::Limits::of(1));
        let works = Works::new(store.clone(), &tasks, 1, crate::work::Timing::default(), None).unwrap();
        let router = format!("{:?}", router(App::new(store, works, tasks, Config::default())));
        let routed: BTreeSet<&str> = router.split('"').filter(|path| path.starts_with("/api")).collect();
        let listed = listed();
        let expected = listed.iter().map(|route| route.path.as_str()).chain(UNLISTED).collect();
        assert_eq!(routed, expected);
        let bare: Vec<&str> =
            listed.iter().filter(|route| route.about.is_empty()).map(|route| route.path.as_str()).collect();
        assert_eq!(bare, [""; 0], "routes without an explanation");
    }

    #[tokio::test]
    async fn a_panic_becomes_a_problem_without_its_message() {
        let broken = || async {
            if true {
                panic!("the secret inside")
            }
        };
        let router: Router = Router::new().route("/", get(broken)).layer(CatchPanicLayer::custom(panicked));
        let request = Request::get("/").body(Body::empty()).unwrap();
        let response = router.oneshot(request).await.unwrap();
        assert_eq!(response.status(), 500);
        assert_eq!(response.headers()["content-type"], "application/problem+json");
        let body = axum::body::to_bytes(response.into_body(), 10_000).await.unwrap();
        assert!(!String::from_utf8_lossy(&body).contains("secret"));
    }
}
