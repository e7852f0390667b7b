//! A studio without a socket, and what tests say to it.

use axum::{
    Router,
    body::{Body, Bytes},
    extract::ConnectInfo,
    http::{HeaderMap, Request, StatusCode, header},
};
use http_body_util::BodyExt;
use serde::{Serialize, de::DeserializeOwned};
use server::{
    api::{App, Config, router},
    jobs::Jobs,
    store::Store,
};
use shared::api::Problem;
use std::{net::SocketAddr, sync::Arc};
use tower::ServiceExt;

/// Solved in milliseconds.
pub const KASY0: &str = include_str!("../../../assets/specs/kasy0.toml");
/// KASY0's published wiring.
pub const KASY0_WIRING: &str = include_str!("../../../assets/wirings/kasy0.txt");
/// Four PEs on one switch.
pub const SMALL: &str =
    "name = \"Small\"\npes = 4\nnis_per_pe = 1\nobjective = \"universal\"\n\n[[switch]]\nports = 4\n";
/// The wiring that serves it.
pub const SMALL_WIRING: &str = "0: 0 1 2 3\n";

/// KASY0 with narrower switches than anybody has solved it with, though no bound forbids them.
pub fn hard() -> String {
    let hard = KASY0.replace("ports = 24", "ports = 12").replace("reserve = 1", "reserve = 0");
    assert_ne!(hard, KASY0);
    hard
}

/// A studio.
pub struct Studio {
    pub jobs: Jobs,
    router: Router,
}

/// An answer, read to its end.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Studio {
    /// With a store in memory. Call it inside a runtime.
    pub fn new() -> Studio {
        Studio::with(Store::in_memory().unwrap(), Config::default())
    }

    pub fn with(store: Store, config: Config) -> Studio {
        let store = Arc::new(store);
        let jobs = Jobs::new(store.clone(), 2).unwrap();
        Studio { jobs: jobs.clone(), router: router(App::new(store, jobs, config)) }
    }

    /// Sends a request as a browser on this machine would, and returns its answer unread.
    pub async fn send(&self, mut request: Request<Body>) -> axum::response::Response {
        if !request.headers().contains_key(header::HOST) {
            request.headers_mut().insert(header::HOST, "localhost:8080".parse().unwrap());
        }
        request.extensions_mut().insert(ConnectInfo(SocketAddr::from(([127, 0, 0, 1], 9))));
        self.router.clone().oneshot(request).await.unwrap()
    }

    pub async fn answer(&self, request: Request<Body>) -> Answer {
        let response = self.send(request).await;
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        Answer { status: parts.status, headers: parts.headers, body }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.answer(Request::get(path).body(Body::empty()).unwrap()).await
    }

    pub async fn post(&self, path: &str, body: &impl Serialize) -> Answer {
        self.answer(json(path, serde_json::to_vec(body).unwrap())).await
    }
}

/// A request with a JSON body.
pub fn json(path: &str, body: impl Into<Body>) -> Request<Body> {
    Request::post(path).header(header::CONTENT_TYPE, "application/json").body(body.into()).unwrap()
}

impl Answer {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// The body of a good answer.
    pub fn json<T: DeserializeOwned>(&self) -> T {
        assert!(self.status.is_success(), "{} {}", self.status, self.text());
        serde_json::from_slice(&self.body).unwrap()
    }

    /// The problem, after its form was looked at.
    pub fn problem(&self, status: u16, kind: &str) -> Problem {
        assert_eq!(self.status.as_u16(), status, "{}", self.text());
        assert_eq!(self.header("content-type"), "application/problem+json");
        let problem: Problem = serde_json::from_slice(&self.body).unwrap();
        assert_eq!((problem.status, problem.kind.as_str()), (status, format!("/problems/{kind}").as_str()));
        assert!(!problem.title.is_empty() && !problem.detail.is_empty(), "{problem:?}");
        problem
    }
}
