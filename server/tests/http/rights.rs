use crate::studio::{Answer, KASY0, Studio, TOKEN, from, hard, json_with, long, open_when_free, search};
use serde_json::{Value, json};
use server::{api::Config, edit::TokenHash, store::Store, tasks::Owner};
use shared::api::{EDIT_HEADER, StartWork, WorkState, WorkView};

const ADMIN: &str = "the-token-of-the-operator";

fn is_over(view: &Value) -> bool {
    !["queued", "running"].contains(&view["state"].as_str().unwrap())
}

async fn post(studio: &Studio, token: Option<&str>, path: &str, body: &Value) -> Answer {
    studio.answer(json_with(token, path, body)).await
}

/// Starts something and returns its path.
async fn start(studio: &Studio, token: Option<&str>, body: &Value) -> (String, Answer) {
    let answer = post(studio, token, "/api/work", body).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    (format!("/api/work/{}", answer.json::<Value>()["id"].as_str().unwrap()), answer)
}

async fn stop(studio: &Studio, token: Option<&str>, path: &str) -> Answer {
    post(studio, token, &format!("{path}/stop"), &json!({})).await
}

#[tokio::test]
async fn only_the_browser_that_starts_something_stops_it() {
    let studio = Studio::new();
    for body in long() {
        let (path, _) = start(&studio, Some(TOKEN), &body).await;
        for other in [None, Some("the-token-of-another-one"), Some("x"), Some(ADMIN)] {
            let problem = stop(&studio, other, &path).await.problem(403, "edit");
            assert!(problem.detail.contains("Only the browser that started this"), "{}", problem.detail);
        }
        assert!(!is_over(&studio.get(&path).await.json()), "{path}");
        assert_eq!(stop(&studio, Some(TOKEN), &path).await.status, 200);
        studio.until(&path, is_over).await;
        stop(&studio, None, &path).await.problem(403, "edit");
    }
}

#[tokio::test]
async fn the_operator_stops_everything() {
    let config = Config { admin_token: Some(TokenHash::of(ADMIN)), ..Config::default() };
    let studio = Studio::with(Store::temporary().unwrap(), config);
    for body in long() {
        let (path, _) = start(&studio, Some(TOKEN), &body).await;
        stop(&studio, Some("the-token-of-the-operatoR"), &path).await.problem(403, "edit");
        let mut request = json_with(Some(ADMIN), &format!("{path}/stop"), &json!({}));
        request.extensions_mut().insert(from([10, 0, 0, 1]));
        assert_eq!(studio.answer(request).await.status, 200);
        studio.until(&path, is_over).await;
    }
}

#[tokio::test]
async fn a_client_without_a_token_gets_a_fresh_one() {
    let studio = Studio::new();
    for body in long() {
        let (path, answer) = start(&studio, None, &body).await;
        let (other, another) = start(&studio, None, &body).await;
        let (token, second) = (answer.header(EDIT_HEADER), another.header(EDIT_HEADER));
        assert!(token.len() >= 26 && token != second, "{token}");
        stop(&studio, Some(second), &path).await.problem(403, "edit");
        assert_eq!(stop(&studio, Some(token), &path).await.status, 200);
        assert_eq!(stop(&studio, Some(second), &other).await.status, 200);
        assert!(!answer.text().contains(token) && !studio.get(&path).await.text().contains(token));
        let (path, answer) = start(&studio, Some(TOKEN), &body).await;
        assert_eq!(answer.header(EDIT_HEADER), "", "it has one already");
        stop(&studio, Some(TOKEN), &path).await;
    }
}

#[tokio::test]
async fn a_weak_token_is_refused_and_not_repeated() {
    let studio = Studio::new();
    for (token, found) in [("short", "5 characters"), ("with spaces, but long enough", "spaces")] {
        for body in long() {
            let problem = post(&studio, Some(token), "/api/work", &body).await.problem(400, "request");
            assert_eq!(problem.faults[0].path, EDIT_HEADER);
            assert!(
                problem.detail.contains(found) && problem.detail.contains("22 to 200"),
                "{}",
                problem.detail
            );
            assert!(!problem.detail.contains(token), "{}", problem.detail);
        }
    }
    assert_eq!(studio.works.loads().map(|load| load.running + load.waiting), [0, 0]);
}

#[tokio::test]
async fn the_right_outlives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let studio = Studio::with(Store::open(folder.path()).unwrap(), Config::default());
    let [body, ..] = long();
    let (path, answer) = start(&studio, None, &body).await;
    studio.shut_down().await;
    drop(studio);
    let next = Studio::with(open_when_free(folder.path()).await, Config::default());
    stop(&next, Some(TOKEN), &path).await.problem(403, "edit");
    assert_eq!(stop(&next, Some(answer.header(EDIT_HEADER)), &path).await.status, 200);
    next.until(&path, is_over).await;
    assert!(
        !String::from_utf8_lossy(&std::fs::read(folder.path().join("crosspoint.sqlite-wal")).unwrap())
            .contains(answer.header(EDIT_HEADER))
    );
}

#[tokio::test]
async fn a_search_of_an_earlier_version_is_stopped_from_the_studios_machine() {
    let store = Store::temporary().unwrap();
    let asked: StartWork =
        serde_json::from_value(search(&hard(), json!({ "budget.seconds": 600.0 }))).unwrap();
    let report = serde_json::value::to_raw_value(&json!({})).unwrap();
    let view = WorkView {
        id: "old".into(),
        asked,
        report,
        threads: 1,
        version: server::VERSION.into(),
        ..WorkView::default()
    };
    store.add_work(&view, &Owner("somebody".into()), None).unwrap();
    let studio = Studio::with(store, Config::default());
    let asking = |address: [u8; 4], header: Option<(&'static str, &'static str)>| {
        let mut request = json_with(Some(TOKEN), "/api/work/old/stop", &json!({}));
        request.extensions_mut().insert(from(address));
        if let Some((name, value)) = header {
            request.headers_mut().insert(name, value.parse().unwrap());
        }
        studio.answer(request)
    };
    asking([10, 0, 0, 1], None).await.problem(403, "edit");
    asking([127, 0, 0, 1], Some(("x-forwarded-for", "10.0.0.1"))).await.problem(403, "edit");
    let running: WorkView<Value> = studio.view("old").await;
    assert!(!running.state.is_over());
    assert_eq!(asking([127, 0, 0, 1], None).await.status, 200);
    studio.until_state("old", WorkState::Cancelled).await;
}

#[tokio::test]
async fn looking_needs_no_token() {
    let studio = Studio::new();
    let (path, _) = start(&studio, Some(TOKEN), &search(KASY0, json!({}))).await;
    studio.until(&path, is_over).await;
    for more in ["", "/table", "/events"] {
        let mut request = axum::http::Request::get(format!("{path}{more}"));
        request.extensions_mut().unwrap().insert(crate::studio::Bare);
        assert_eq!(studio.answer(request.body(axum::body::Body::empty()).unwrap()).await.status, 200);
    }
}
