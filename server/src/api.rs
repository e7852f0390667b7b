//! The HTTP API under `/api`, one noun per file: JSON, errors as problem details, an OpenAPI description.
//!
//! | module | contents |
//! | --- | --- |
//! | `description` | the OpenAPI description |
//! | [`error`] | errors as responses |
//! | [`extract`] | bodies and parameters of requests |
//! | [`guard`] | checks of every request, headers of every response |
//! | [`gallery`], [`help`], [`demand`], [`designs`], [`analysis`], [`compare`], [`exports`], [`fabrics`] | nouns without state |
//! | [`runs`], [`boards`], [`simulations`], [`events`] | searches, simulations and their events |
//!
//! Nothing lists runs or designs: their ids are secret, and anyone who knows an id can open it.

pub mod analysis;
pub mod boards;
pub mod compare;
pub mod demand;
mod description;
pub mod designs;
pub mod error;
pub mod events;
pub mod exports;
pub mod extract;
pub mod fabrics;
pub mod gallery;
pub mod guard;
pub mod help;
pub mod runs;
pub mod simulations;

pub use error::ApiError;

use crate::{
    VERSION,
    jobs::Jobs,
    simulations::Simulations,
    store::{Store, StoreError},
    web,
};
use axum::{
    Json, Router,
    body::Body,
    extract::{DefaultBodyLimit, MatchedPath, Request},
    http::{Extensions, HeaderMap, StatusCode, Version, header},
    middleware,
    response::{IntoResponse, Response},
    routing::{any, get},
};
use governor::middleware::NoOpMiddleware;
use shared::api::VersionView;
use std::{any::Any, sync::Arc, time::Duration};
use tokio::sync::Semaphore;
use tower_governor::{
    GovernorError, GovernorLayer,
    governor::{GovernorConfig, GovernorConfigBuilder},
    key_extractor::PeerIpKeyExtractor,
};
use tower_http::{
    catch_panic::CatchPanicLayer,
    compression::{CompressionLayer, Predicate, predicate::SizeAbove},
    request_id::{MakeRequestUuid, PropagateRequestIdLayer, RequestId, SetRequestIdLayer},
    timeout::TimeoutLayer,
    trace::TraceLayer,
};
use tracing::{Span, debug, info_span, warn};
use utoipa_axum::{router::OpenApiRouter, routes};

/// Max bytes of a request body.
pub const MAX_BODY_BYTES: usize = 32 << 20;

/// Min bytes of a JSON response to compress.
const MIN_COMPRESSED_BYTES: u64 = 1 << 10;

/// Settings of a studio.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// `true` if the studio listens on this machine only. Requests must then use one of its loopback names.
    pub loopback_only: bool,
    /// Max requests of one address at once.
    pub burst: u32,
    /// Milliseconds until the address may make one more.
    pub refill_milliseconds: u64,
    /// Max time until a response begins.
    pub patience: Duration,
    /// Max computations at a time; others wait.
    pub computations: usize,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            loopback_only: true,
            burst: 400,
            refill_milliseconds: 20,
            patience: Duration::from_secs(60),
            computations: 2,
        }
    }
}

/// State that all handlers share.
#[derive(Clone)]
pub struct App {
    /// Designs, runs and boards on disk.
    pub store: Arc<Store>,
    /// Searches.
    pub jobs: Jobs,
    /// Simulations.
    pub simulations: Simulations,
    /// Settings.
    pub config: Config,
    computations: Arc<Semaphore>,
}

impl App {
    /// State over a store and its searches.
    pub fn new(store: Arc<Store>, jobs: Jobs, config: Config) -> App {
        let computations = Arc::new(Semaphore::new(config.computations.max(1)));
        App { store, jobs, simulations: Simulations::default(), config, computations }
    }

    /// Runs a computation on a blocking thread, up to [`Config::computations`] at a time.
    pub async fn compute<T: Send + 'static, E: Into<ApiError> + Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, E> + Send + 'static,
    ) -> Result<T, ApiError> {
        let permit = self.computations.clone().acquire_owned().await;
        let permit = permit.map_err(|_| ApiError::Busy("The studio is shutting down.".into()))?;
        self.block(move || {
            let _permit = permit;
            work()
        })
        .await
    }

    /// Runs work on a blocking thread.
    pub async fn block<T: Send + 'static, E: Into<ApiError> + Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, E> + Send + 'static,
    ) -> Result<T, ApiError> {
        let span = Span::current();
        match tokio::task::spawn_blocking(move || span.in_scope(work)).await {
            Ok(result) => result.map_err(Into::into),
            // Without the message of the panic, which may quote the request.
            Err(_) => Err(ApiError::Internal("a computation panicked".into())),
        }
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
    let (api, mut description) = routes().split_for_parts();
    description::complete(&mut description);
    let api = api
        .route("/api/openapi.json", get(move || std::future::ready(Json(description.clone()))))
        .route("/api", any(no_route))
        .route("/api/", any(no_route))
        .route("/api/{*rest}", any(no_route))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .layer(rate_limit(&app.config));
    api.merge(web::routes())
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn_with_state(app.clone(), guard::admit))
        .layer(TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, app.config.patience))
        .layer(middleware::map_response(slow))
        .layer(CompressionLayer::new().compress_when(SizeAbove::new(MIN_COMPRESSED_BYTES).and(is_json)))
        .layer(CatchPanicLayer::custom(panicked))
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

fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(description::start())
        .routes(routes!(version))
        .routes(routes!(gallery::list))
        .routes(routes!(help::list))
        .routes(routes!(help::get))
        .routes(routes!(demand::count))
        .routes(routes!(analysis::analyse))
        .routes(routes!(compare::compare))
        .routes(routes!(runs::start))
        .routes(routes!(runs::get))
        .routes(routes!(events::follow))
        .routes(routes!(runs::stop))
        .routes(routes!(runs::table))
        .routes(routes!(boards::start))
        .routes(routes!(boards::get))
        .routes(routes!(events::follow_board))
        .routes(routes!(boards::stop))
        .routes(routes!(boards::cell))
        .routes(routes!(simulations::start))
        .routes(routes!(simulations::get))
        .routes(routes!(events::follow_simulation))
        .routes(routes!(simulations::stop))
        .routes(routes!(designs::save))
        .routes(routes!(designs::get))
        .routes(routes!(designs::export))
        .routes(routes!(exports::list))
        .routes(routes!(exports::export))
        .routes(routes!(fabrics::list))
        .routes(routes!(fabrics::export))
}

/// Limits requests per address. Clients behind a proxy share its limit, since anybody can forge a forwarding header.
fn rate_limit(config: &Config) -> GovernorLayer<PeerIpKeyExtractor, NoOpMiddleware, Body> {
    let limit = GovernorConfigBuilder::default()
        .per_millisecond(config.refill_milliseconds.max(1))
        .burst_size(config.burst.max(1))
        .finish();
    let limit: Arc<GovernorConfig<_, _>> = Arc::new(limit.unwrap_or_default());
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
    if timed_out {
        ApiError::Busy("No answer in time. Try again later.".into()).into_response()
    } else {
        response
    }
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
    use tower::ServiceExt;

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
