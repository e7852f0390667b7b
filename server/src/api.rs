//! HTTP, one noun a file: routes under `/api`, JSON, errors as problem details, described by OpenAPI.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `description` | the OpenAPI description |
//! | [`error`] | the one place where errors become responses |
//! | [`extract`] | what requests bring with them |
//! | [`guard`] | what every request passes, what every response carries |
//! | [`gallery`], [`help`], [`demand`], [`designs`], [`analysis`], [`compare`], [`exports`], [`fabrics`] | nouns that are looked at |
//! | [`runs`], [`boards`], [`simulations`], [`events`] | searches and simulations, and how they go on |
//!
//! There is no list of runs or designs: whoever knows a name may open what it names, and names cannot be guessed.

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
    extract::{DefaultBodyLimit, Request},
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
use tower_http::catch_panic::CatchPanicLayer;
use utoipa_axum::{router::OpenApiRouter, routes};

/// Most bytes of a request's body.
pub const MAX_BODY_BYTES: usize = 32 << 20;

/// What may differ between studios.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Whether only this machine's own names are answered to, since the studio listens on this machine only.
    pub loopback_only: bool,
    /// Requests that one address may make at once.
    pub burst: u32,
    /// Milliseconds until it may make one more.
    pub refill_milliseconds: u64,
    /// How long an answer may take to begin.
    pub patience: Duration,
    /// Computations at a time; others wait.
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

/// What all handlers share.
#[derive(Clone)]
pub struct App {
    /// What is kept.
    pub store: Arc<Store>,
    /// Searches.
    pub jobs: Jobs,
    /// Simulations.
    pub simulations: Simulations,
    /// What may differ.
    pub config: Config,
    computations: Arc<Semaphore>,
}

impl App {
    /// What all handlers share.
    pub fn new(store: Arc<Store>, jobs: Jobs, config: Config) -> App {
        let computations = Arc::new(Semaphore::new(config.computations.max(1)));
        App { store, jobs, simulations: Simulations::default(), config, computations }
    }

    /// Computes off the threads that serve, only so much at a time.
    ///
    /// # Errors
    /// The work's own, or that it broke down.
    pub async fn compute<T, E>(
        &self,
        work: impl FnOnce() -> Result<T, E> + Send + 'static,
    ) -> Result<T, ApiError>
    where
        T: Send + 'static,
        E: Into<ApiError> + Send + 'static,
    {
        let permit = self.computations.clone().acquire_owned().await;
        let permit = permit.map_err(|_| ApiError::Busy("the studio is being stopped".into()))?;
        self.block(move || {
            let _permit = permit;
            work()
        })
        .await
    }

    /// Waits for the store off the threads that serve.
    ///
    /// # Errors
    /// The work's own, or that it broke down.
    pub async fn block<T, E>(
        &self,
        work: impl FnOnce() -> Result<T, E> + Send + 'static,
    ) -> Result<T, ApiError>
    where
        T: Send + 'static,
        E: Into<ApiError> + Send + 'static,
    {
        match tokio::task::spawn_blocking(work).await {
            Ok(result) => result.map_err(Into::into),
            Err(error) => Err(ApiError::Internal(format!("a computation broke down: {error}"))),
        }
    }

    /// The store, off the threads that serve.
    ///
    /// # Errors
    /// The store's.
    pub async fn stored<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let store = self.store.clone();
        self.block(move || work(&store)).await
    }
}

/// Everything the studio answers.
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
        .layer(CatchPanicLayer::custom(panicked))
        .layer(middleware::from_fn(guard::protect))
        .with_state(app)
}

/// Name and version.
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

/// Per address. An address that is proxied for others is limited as one, for a header that tells others apart can be
/// made up by anybody.
fn rate_limit(config: &Config) -> GovernorLayer<PeerIpKeyExtractor, NoOpMiddleware, Body> {
    let limit = GovernorConfigBuilder::default()
        .per_millisecond(config.refill_milliseconds.max(1))
        .burst_size(config.burst.max(1))
        .finish();
    let limit: Arc<GovernorConfig<_, _>> = Arc::new(limit.unwrap_or_default());
    let limiter = Arc::downgrade(limit.limiter());
    // Addresses that stayed away are forgotten, or the table of them grows for ever.
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
        other => ApiError::Internal(format!("requests cannot be counted: {other}")).into_response(),
    })
}

async fn no_route(request: Request) -> ApiError {
    ApiError::not_found(format!("route {}", request.uri().path()))
}

async fn wrong_method(request: Request) -> ApiError {
    ApiError::Method(format!("{} is not a method of {}", request.method(), request.uri().path()))
}

fn panicked(_: Box<dyn Any + Send + 'static>) -> Response {
    ApiError::Internal("a request broke down".into()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tower::ServiceExt;

    #[tokio::test]
    async fn a_request_that_breaks_down_is_a_problem_and_tells_nothing_of_the_inside() {
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
