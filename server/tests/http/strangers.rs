//! Strangers: every route that changes something belongs to a list here, and is called without the right to it.

use crate::studio::{Answer, KASY0, KASY0_WIRING, Studio, TOKEN, from, json_with, long};
use axum::{body::Body, http::Request};
use serde_json::{Value, json};
use server::{api::Config, edit::TokenHash, store::Store};
use std::collections::BTreeSet;

const ADMIN: &str = "the-token-of-the-operator";
const STRANGER: &str = "the-token-of-a-stranger";
const SECRET: &str = "the-secret-of-a-workspace";

/// Routes that compute from their request alone, and keep nothing.
const COMPUTE: [&str; 5] =
    ["/api/demand", "/api/quick", "/api/routes", "/api/failures", "/api/exports/{format}"];
/// Routes that add something new, which belongs to the client that adds it. Nothing of others changes.
const CREATE: [&str; 3] = ["/api/work", "/api/designs", "/api/workspaces"];

/// A route that changes what belongs to somebody.
struct Change {
    /// The route in the description.
    route: &'static str,
    /// Path of the request.
    path: String,
    body: Value,
    /// Token with the right.
    owner: String,
    /// The public link: an id that lets people look.
    view: String,
}

/// What the owner has.
struct Belongings {
    studio: Studio,
    run: String,
    board: String,
    simulation: String,
    design: String,
    workspace: String,
}

async fn post(studio: &Studio, token: Option<&str>, path: &str, body: &Value) -> Answer {
    let mut request = json_with(token, path, body);
    // On the studio's machine everybody is the operator.
    request.extensions_mut().insert(from([10, 0, 0, 9]));
    studio.answer(request).await
}

impl Belongings {
    async fn new() -> Belongings {
        let config = Config { admin_token: Some(TokenHash::of(ADMIN)), ..Config::default() };
        let studio = Studio::with(Store::temporary().unwrap(), config);
        let add = async |token: &str, noun: &str, body: Value| {
            let answer = post(&studio, Some(token), &format!("/api/{noun}"), &body).await;
            assert_eq!(answer.status, 201, "{noun}: {}", answer.text());
            answer.json::<Value>()["id"].as_str().unwrap().to_owned()
        };
        let [run, board, simulation] = long();
        let run = add(TOKEN, "work", run).await;
        let board = add(TOKEN, "work", board).await;
        let simulation = add(TOKEN, "work", simulation).await;
        let design = add(TOKEN, "designs", json!({ "spec": KASY0, "table": KASY0_WIRING })).await;
        let workspace = add(SECRET, "workspaces", json!({ "name": "Machine room" })).await;
        Belongings { studio, run, board, simulation, design, workspace }
    }

    /// All changes, in an order in which the owner can make them. The cabling's key is made by its first change.
    fn changes(&self, key: &str) -> Vec<Change> {
        let Belongings { run, board, simulation, design, workspace, .. } = self;
        let (nothing, item) = (json!({}), json!({ "item": design, "edit": TOKEN }));
        let tick = json!({ "ticks": [], "sent": 1 });
        let report = json!({ "host": "node000", "neighbours": "", "interface": "eth" });
        let task = json!({ "id": "none" });
        let of = |route: &'static str, id: &str, body: &Value, owner: &str| Change {
            route,
            path: route.replace("{id}", id),
            body: body.clone(),
            owner: owner.into(),
            view: id.into(),
        };
        vec![
            of("/api/designs/{id}/cabling", design, &nothing, TOKEN),
            of("/api/designs/{id}/cabling/ticks", design, &tick, key),
            of("/api/designs/{id}/cabling/audit", design, &report, key),
            of("/api/designs/{id}/cabling/key", design, &nothing, TOKEN),
            of("/api/library/{id}/note", design, &json!({ "note": "mine" }), TOKEN),
            of("/api/workspaces/{id}/name", workspace, &json!({ "name": "Mine" }), SECRET),
            of("/api/workspaces/{id}/items", workspace, &item, SECRET),
            of("/api/workspaces/{id}/remove", workspace, &json!({ "item": design }), SECRET),
            of("/api/workspaces/{id}/delete", workspace, &nothing, SECRET),
            of("/api/work/{id}/edit-link", run, &nothing, TOKEN),
            of("/api/work/{id}/stop", run, &nothing, TOKEN),
            of("/api/work/{id}/continue", run, &json!({ "form": { "budget.seconds": 900.0 } }), TOKEN),
            of("/api/work/{id}/stop", board, &nothing, TOKEN),
            of("/api/work/{id}/stop", simulation, &nothing, TOKEN),
            of("/api/library/{id}/delete", design, &nothing, TOKEN),
            of("/api/operator/stop", "", &task, ADMIN),
        ]
    }
}

/// Everything but reading in the description, as a set of routes.
async fn described(studio: &Studio) -> BTreeSet<String> {
    let description: Value = studio.get("/api/openapi.json").await.json();
    let mut routes = BTreeSet::new();
    for (route, item) in description["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys().filter(|method| *method != "get") {
            assert_eq!(method, "post", "{route}: the test below sends POST");
            routes.insert(route.clone());
        }
    }
    routes
}

#[tokio::test]
async fn every_route_that_changes_something_needs_the_right_to_it() {
    let owner = Belongings::new().await;
    let studio = &owner.studio;
    let changes = owner.changes("");
    let listed = changes.iter().map(|change| change.route).chain(COMPUTE).chain(CREATE);
    let listed: BTreeSet<String> = listed.map(str::to_owned).collect();
    assert_eq!(described(studio).await, listed, "a new route belongs to a list of this test");
    let start = changes.into_iter().next().unwrap();
    strangers_fail(studio, &start).await;
    let key: Value = post(studio, Some(TOKEN), &start.path, &start.body).await.json();
    for change in owner.changes(key["key"].as_str().unwrap()).into_iter().skip(1) {
        strangers_fail(studio, &change).await;
        // The same request with the right, so that the answers above were about the right.
        let answer = settled(studio, &change).await;
        let code = answer.status.as_u16();
        let is_over = change.route == "/api/operator/stop" && code == 404;
        assert!(answer.status.is_success() || is_over, "{}: {code} {}", change.route, answer.text());
    }
    studio.works.stop(&owner.run).unwrap();
}

/// Sends a change without a token, with that of a stranger and with the public link as token.
async fn strangers_fail(studio: &Studio, change: &Change) {
    for token in [None, Some(STRANGER), Some(change.view.as_str()).filter(|view| !view.is_empty())] {
        let answer = post(studio, token, &change.path, &change.body).await;
        let code = answer.status.as_u16();
        assert_eq!(code, 403, "{} with {token:?}: {}", change.route, answer.text());
    }
}

/// The answer to a change with the right, once what it follows has ended.
async fn settled(studio: &Studio, change: &Change) -> Answer {
    for _ in 0..6000 {
        let answer = post(studio, Some(&change.owner), &change.path, &change.body).await;
        // A stopped run ends shortly after, and goes on only then.
        if change.route != "/api/work/{id}/continue" || answer.status != 422 {
            return answer;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("{} never settles", change.route);
}

#[tokio::test]
async fn a_new_thing_belongs_to_the_client_that_adds_it() {
    let studio = Studio::new();
    for (noun, body) in [
        ("designs", json!({ "spec": KASY0, "table": KASY0_WIRING })),
        ("workspaces", json!({ "name": "Machine room" })),
    ] {
        let path = format!("/api/{noun}");
        let first = post(&studio, Some(TOKEN), &path, &body).await;
        let second = post(&studio, Some(STRANGER), &path, &body).await;
        let id = |answer: &Answer| answer.json::<Value>()["id"].clone();
        assert_ne!(id(&first), id(&second), "{noun}");
    }
}

#[tokio::test]
async fn routes_change_things_by_post_alone() {
    let studio = Studio::new();
    let description: Value = studio.get("/api/openapi.json").await.json();
    for route in description["paths"].as_object().unwrap().keys() {
        for method in ["PUT", "PATCH", "DELETE"] {
            let path = route.replace(['{', '}'], "");
            let request = Request::builder().method(method).uri(path).body(Body::empty()).unwrap();
            assert_eq!(studio.answer(request).await.status, 405, "{method} {route}");
        }
    }
}

#[tokio::test]
async fn no_shared_cache_keeps_what_an_id_opens() {
    let owner = Belongings::new().await;
    let description: Value = owner.studio.get("/api/openapi.json").await.json();
    let mut seen = 0;
    for (route, item) in description["paths"].as_object().unwrap() {
        if !item.as_object().unwrap().contains_key("get") || route.ends_with("/events") {
            continue;
        }
        let noun = route.split('/').nth(2).unwrap();
        let id = match noun {
            "work" if route.contains("/parts/") => &owner.board,
            "work" => &owner.run,
            "workspaces" => &owner.workspace,
            _ => &owner.design,
        };
        let path = route.replace("{id}", id).replace("{a}", id).replace("{b}", id);
        let path = path
            .replace("{format}", "wiring")
            .replace("{number}", "0")
            .replace("{topic}", "share")
            .replace("{kind}", "mesh:4");
        let answer = owner.studio.get(&path).await;
        let caching = answer.header("cache-control");
        assert!(caching == "no-store" || caching == "private, max-age=300", "{path}: {caching}");
        seen += usize::from(answer.status == 200 && path.contains(id.as_str()));
    }
    assert!(seen >= 8, "{seen} answers with something in it");
    for page in [format!("/d/{}", owner.design), format!("/d/{}/node/0", owner.design)] {
        let page = owner.studio.get(&page).await;
        // A design's name is in its page.
        assert_eq!(page.header("cache-control"), "no-store");
    }
    owner.studio.works.stop(&owner.run).unwrap();
    owner.studio.works.stop(&owner.board).unwrap();
}
