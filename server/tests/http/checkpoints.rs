use crate::studio::{Studio, hard, open_when_free};
use serde_json::json;
use server::store::Store;
use shared::api::{RunState, RunView};
use std::{path::Path, time::Duration};

/// Far enough from each other for a search to come to one.
const OFTEN: Duration = Duration::from_millis(200);

fn studio(store: Store) -> Studio {
    Studio::keeping(store, server::api::Config::default(), OFTEN)
}

async fn start(studio: &Studio, body: &serde_json::Value) -> RunView {
    studio.post("/api/runs", body).await.json()
}

async fn until(studio: &Studio, run: &RunView, what: impl Fn(&RunView) -> bool) -> RunView {
    studio.until(&format!("/api/runs/{}", run.id), what).await
}

async fn wiring(studio: &Studio, run: &RunView) -> String {
    studio.get(&format!("/api/runs/{}/table", run.id)).await.text().to_owned()
}

/// Runs with a checkpoint.
fn kept(folder: &Path) -> Vec<String> {
    let store = rusqlite::Connection::open(folder.join("crosspoint.sqlite")).unwrap();
    let mut found = store.prepare("SELECT run FROM checkpoint WHERE state IS NOT NULL").unwrap();
    let runs = found.query_map([], |row| row.get(0)).unwrap();
    runs.map(Result::unwrap).collect()
}

async fn until_kept(folder: &Path, run: &RunView) {
    for _ in 0..6000 {
        if kept(folder).contains(&run.id) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("no checkpoint");
}

#[tokio::test]
async fn a_run_goes_on_when_the_studio_starts_again_and_comes_to_the_same_wiring() {
    let folder = tempfile::tempdir().unwrap();
    let first = studio(Store::open(folder.path()).unwrap());
    let body = json!({ "spec": hard(), "budget": { "effort": 12 }, "seed": 3, "threads": 2 });
    let (run, queued) = (start(&first, &body).await, start(&first, &body).await);
    until_kept(folder.path(), &run).await;
    first.jobs.shut_down(Duration::from_secs(60));
    // Whoever asks now is told to ask the next one.
    let refused = first.get(&format!("/api/runs/{}", run.id)).await.problem(503, "busy");
    assert!(refused.detail.contains("whether this search resumes"), "{}", refused.detail);
    let stopped = first.jobs.view(&run.id).unwrap().unwrap();
    assert_eq!(stopped.state, RunState::Interrupted);
    assert!(
        stopped.message.contains("the search resumes when the studio starts again"),
        "{}",
        stopped.message
    );
    let best = stopped.progress.best;
    drop(first);

    let next = studio(open_when_free(folder.path()).await);
    let known = until(&next, &run, |_| true).await;
    assert!(!known.state.is_over() && known.message.is_empty() && !known.history.is_empty(), "{known:?}");
    next.jobs.stop(&queued.id).unwrap();
    until(&next, &queued, |view| view.state == RunState::Cancelled).await;
    assert!(wiring(&next, &run).await.starts_with("0:"));
    assert!(known.progress.best <= best);
    let over = until(&next, &run, |view| view.state.is_over()).await;
    assert_eq!(over.state, RunState::Exhausted, "{}", over.message);
    assert!(over.progress.best <= best && over.progress.elapsed >= known.history[0].elapsed);
    assert!(over.history.is_sorted_by(|a, b| a.elapsed <= b.elapsed), "{:?}", over.history);
    assert_eq!(over.history[0], known.history[0]);
    assert!(kept(folder.path()).is_empty());
    let whole = start(&next, &body).await;
    until(&next, &whole, |view| view.state.is_over()).await;
    assert_eq!(wiring(&next, &run).await, wiring(&next, &whole).await);
}

#[tokio::test]
async fn a_run_without_a_checkpoint_begins_again_and_comes_to_the_same_wiring() {
    let folder = tempfile::tempdir().unwrap();
    let config = server::api::Config::default();
    let never = Duration::from_secs(1_000_000);
    let first = Studio::keeping(Store::open(folder.path()).unwrap(), config, never);
    let body = json!({ "spec": hard(), "budget": { "effort": 6 }, "seed": 3, "threads": 2 });
    let run = start(&first, &body).await;
    until(&first, &run, |view| view.progress.moves > 0).await;
    first.jobs.shut_down(Duration::from_secs(60));
    let stopped = first.jobs.view(&run.id).unwrap().unwrap();
    assert_eq!(stopped.state, RunState::Interrupted);
    assert!(
        stopped.message.contains("the search resumes when the studio starts again"),
        "{}",
        stopped.message
    );
    drop(first);

    let next = Studio::keeping(open_when_free(folder.path()).await, config, never);
    let over = until(&next, &run, |view| view.state.is_over()).await;
    assert_eq!(over.state, RunState::Exhausted, "{}", over.message);
    assert!(over.progress.best <= stopped.progress.best);
    let whole = start(&next, &body).await;
    let whole_over = until(&next, &whole, |view| view.state.is_over()).await;
    assert_eq!(over.progress.best, whole_over.progress.best);
    assert_eq!(wiring(&next, &run).await, wiring(&next, &whole).await);
}

#[tokio::test]
async fn a_run_that_is_stopped_does_not_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let first = studio(Store::open(folder.path()).unwrap());
    let body = json!({ "spec": hard(), "budget": { "seconds": 600.0 }, "seed": 3, "threads": 2 });
    let run = start(&first, &body).await;
    until_kept(folder.path(), &run).await;
    first.jobs.shut_down(Duration::from_secs(60));
    drop(first);
    let next = studio(open_when_free(folder.path()).await);
    until(&next, &run, |view| view.state == RunState::Running).await;
    next.jobs.stop(&run.id).unwrap();
    until(&next, &run, |view| view.state == RunState::Cancelled).await;
    assert!(kept(folder.path()).is_empty());
    drop(next);
    let last = studio(open_when_free(folder.path()).await);
    assert_eq!(until(&last, &run, |_| true).await.state, RunState::Cancelled);
}

#[tokio::test]
async fn a_checkpoint_that_cannot_be_read_leaves_the_run_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let first = studio(Store::open(folder.path()).unwrap());
    let body = json!({ "spec": hard(), "budget": { "seconds": 600.0 }, "seed": 3, "threads": 2 });
    let run = start(&first, &body).await;
    until_kept(folder.path(), &run).await;
    first.jobs.shut_down(Duration::from_secs(60));
    drop(first);
    let store = open_when_free(folder.path()).await;
    store.save_checkpoint(&run.id, 1.0, b"nothing").unwrap();
    let next = studio(store);
    let over = until(&next, &run, |view| view.state.is_over()).await;
    assert_eq!(over.state, RunState::Interrupted);
    assert!(over.message.contains("The search cannot resume: the checkpoint is damaged"), "{}", over.message);
    assert!(wiring(&next, &run).await.starts_with("0:"));
    assert!(kept(folder.path()).is_empty());
}
