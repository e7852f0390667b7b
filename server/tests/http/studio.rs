//! A studio without a socket, and what tests say to it.

use axum::{
    Router,
    body::{Body, Bytes, HttpBody},
    extract::ConnectInfo,
    http::{HeaderMap, Request, StatusCode, header},
};
use http_body_util::BodyExt;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use server::{
    api::{App, Config, router},
    store::Store,
    tasks::{Limits, Tasks},
    work::{Timing, Works},
};
use shared::{
    api::{ComputedReport, EDIT_HEADER, Problem, SearchReport, WorkState, WorkView},
    hardware::Board,
    simulation::SimulationReport,
};
use std::{fmt::Debug, net::SocketAddr, sync::Arc, time::Duration};
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

/// A search.
pub type Search = WorkView<SearchReport>;
/// A hardware search.
pub type Hardware = WorkView<Board>;
/// A simulation.
pub type Simulation = WorkView<SimulationReport>;

/// Request to start a search.
pub fn search(spec: &str, form: Value) -> Value {
    json!({ "kind": "search", "spec": spec, "form": form })
}

/// Request to start a hardware search.
pub fn hardware(spec: &str, form: Value) -> Value {
    json!({ "kind": "hardware", "spec": spec, "form": form })
}

/// Request to start a simulation without a spec.
pub fn simulation(form: Value) -> Value {
    json!({ "kind": "simulation", "form": form })
}

/// Form of a search that nobody waits for.
pub fn endless() -> Value {
    json!({ "budget.seconds": 600.0, "threads": 2 })
}

/// Form of a search of this many million moves, which always finds the same wiring.
pub fn by_effort(effort: u64) -> Value {
    json!({ "budget.unit": "effort", "budget.effort": effort, "seed": 3, "threads": 2 })
}

/// A request of each kind that is queued, which takes minutes.
pub fn long() -> [Value; 3] {
    [
        search(&hard(), json!({ "budget.seconds": 600.0 })),
        hardware(&hard(), json!({ "nis_from": 3, "nis_to": 3, "ports": "12", "total.seconds": 600.0 })),
        simulation(json!({ "fabric": "mesh:16x16", "loads": [0.3], "cycles": 20_000_000 })),
    ]
}

/// Edit token of the browser that [`Studio::send`] stands for.
pub const TOKEN: &str = "the-token-of-these-tests";

/// Marks a request that has no edit token of its own accord, as of curl.
#[derive(Clone)]
pub struct Bare;

/// A studio.
pub struct Studio {
    pub works: Works,
    pub tasks: Tasks,
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
        Studio::with(Store::temporary().unwrap(), Config::default())
    }

    pub fn with(store: Store, config: Config) -> Studio {
        Studio::of(store, config, Timing::default(), Tasks::new(Limits::of(2)))
    }

    /// With checkpoints at another distance.
    pub fn keeping(store: Store, config: Config, checkpoint_every: Duration) -> Studio {
        let timing = Timing { checkpoint_every, ..Timing::default() };
        Studio::of(store, config, timing, Tasks::new(Limits::of(2)))
    }

    pub fn of(store: Store, config: Config, timing: Timing, tasks: Tasks) -> Studio {
        let store = Arc::new(store);
        let works = Works::new(store.clone(), &tasks, 2, timing, None).unwrap();
        Studio {
            works: works.clone(),
            tasks: tasks.clone(),
            router: router(App::new(store, works, tasks, config)),
        }
    }

    /// Sends a request as a browser on this machine would, and returns its answer unread.
    pub async fn send(&self, mut request: Request<Body>) -> axum::response::Response {
        if !request.headers().contains_key(header::HOST) {
            request.headers_mut().insert(header::HOST, "localhost:8080".parse().unwrap());
        }
        if request.extensions().get::<ConnectInfo<SocketAddr>>().is_none() {
            request.extensions_mut().insert(from([127, 0, 0, 1]));
        }
        let has_token = request.headers().contains_key(EDIT_HEADER);
        if !has_token && request.extensions().get::<Bare>().is_none() {
            request.headers_mut().insert(EDIT_HEADER, TOKEN.parse().unwrap());
        }
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

    /// Waits until what is there meets a condition, for a minute at most.
    pub async fn until<T: DeserializeOwned + Debug>(&self, path: &str, what: impl Fn(&T) -> bool) -> T {
        // As often as a client may ask for long.
        for _ in 0..3000 {
            let found = self.get(path).await.json();
            if what(&found) {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("it did not come to it: {:?}", self.get(path).await.json::<T>());
    }

    pub async fn post(&self, path: &str, body: &impl Serialize) -> Answer {
        self.answer(json(path, serde_json::to_vec(body).unwrap())).await
    }

    /// Shuts down as the program does, while the studio still answers.
    pub async fn shut_down(&self) {
        let works = self.works.clone();
        tokio::task::spawn_blocking(move || works.shut_down(Duration::from_secs(60))).await.unwrap();
    }

    /// Starts work.
    pub async fn start<R: DeserializeOwned>(&self, body: &Value) -> WorkView<R> {
        let answer = self.post("/api/work", body).await;
        assert_eq!(answer.status, 201, "{}", answer.text());
        let view: WorkView<R> = answer.json();
        assert_eq!(answer.header("location"), format!("/api/work/{}", view.id));
        view
    }

    pub async fn view<R: DeserializeOwned>(&self, id: &str) -> WorkView<R> {
        self.get(&format!("/api/work/{id}")).await.json()
    }

    /// Waits until work meets a condition, for a minute at most.
    pub async fn until_work<R: DeserializeOwned + Debug>(
        &self,
        id: &str,
        what: impl Fn(&WorkView<R>) -> bool,
    ) -> WorkView<R> {
        self.until(&format!("/api/work/{id}"), what).await
    }

    /// Waits until work is over, for a minute at most.
    pub async fn over<R: DeserializeOwned + Debug>(&self, id: &str) -> WorkView<R> {
        self.until_work(id, |view| view.state.is_over()).await
    }

    /// Waits until work is in a state, for a minute at most.
    pub async fn until_state(&self, id: &str, state: WorkState) -> WorkView<Value> {
        self.until_work(id, |view| view.state == state).await
    }

    /// Stops work with the right to it.
    pub async fn stop<R: DeserializeOwned>(&self, id: &str) -> WorkView<R> {
        self.post(&format!("/api/work/{id}/stop"), &json!({})).await.json()
    }

    pub async fn table(&self, id: &str) -> Answer {
        self.get(&format!("/api/work/{id}/table")).await
    }

    pub async fn part(&self, id: &str, number: usize) -> Answer {
        self.get(&format!("/api/work/{id}/parts/{number}")).await
    }

    pub async fn events(&self, id: &str) -> Events {
        Events::of(self, &format!("/api/work/{id}/events")).await
    }

    /// The answer to a request that waits for the end of its work.
    pub async fn wait(&self, kind: &str, body: Value) -> Answer {
        self.answer(waiting(kind, body)).await
    }

    /// The result of a computation.
    pub async fn computed<R: DeserializeOwned>(&self, kind: &str, body: Value) -> R {
        let view: WorkView<ComputedReport<R>> = self.wait(kind, body).await.json();
        assert_eq!((view.state, view.report.stage), (WorkState::Done, None), "{}", view.message);
        view.report.result.unwrap()
    }
}

/// A request that waits for the end of its work.
pub fn waiting(kind: &str, mut body: Value) -> Request<Body> {
    body["kind"] = kind.into();
    let mut request = json("/api/work", serde_json::to_vec(&body).unwrap());
    request.headers_mut().insert("prefer", "wait=20".parse().unwrap());
    request
}

/// A request with a JSON body from another client.
pub fn json_from(client: u8, path: &str, body: &impl Serialize) -> Request<Body> {
    let mut request = json(path, serde_json::to_vec(body).unwrap());
    request.extensions_mut().insert(from([10, 0, 0, client]));
    request
}

/// A request with a JSON body and this edit token, or none.
pub fn json_with(token: Option<&str>, path: &str, body: &impl Serialize) -> Request<Body> {
    let mut request = json(path, serde_json::to_vec(body).unwrap());
    match token {
        Some(token) => _ = request.headers_mut().insert(EDIT_HEADER, token.parse().unwrap()),
        None => _ = request.extensions_mut().insert(Bare),
    }
    request
}

/// The address of a client.
pub fn from(address: [u8; 4]) -> ConnectInfo<SocketAddr> {
    ConnectInfo((address, 9).into())
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

/// The stream's events so far, as (event, data).
pub struct Events {
    body: Body,
    text: String,
}

impl Events {
    pub async fn of(studio: &Studio, path: &str) -> Events {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let response = studio.send(request).await;
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert_eq!(response.headers()["cache-control"], "no-store");
        Events { body: response.into_body(), text: String::new() }
    }

    pub async fn next(&mut self) -> Option<(String, String)> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let field = |name: &str| event.lines().find_map(|l| l.strip_prefix(name)).map(str::to_owned);
                let found = field("event: ").zip(field("data: "));
                self.text = rest.to_owned();
                if found.is_some() {
                    return found;
                }
                continue;
            }
            let frame = tokio::time::timeout(Duration::from_secs(60), self.body.frame()).await.unwrap()?;
            if let Ok(data) = frame.unwrap().into_data() {
                self.text.push_str(std::str::from_utf8(&data).unwrap());
            }
        }
    }

    pub async fn rest(&mut self) -> Vec<(String, String)> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        assert!(self.body.is_end_stream() || self.text.is_empty());
        events
    }
}

/// The threads that searched let go of the store a little later than they say so.
pub async fn open_when_free(folder: &std::path::Path) -> Store {
    for _ in 0..600 {
        if let Ok(store) = Store::open(folder) {
            return store;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Store::open(folder).unwrap()
}
