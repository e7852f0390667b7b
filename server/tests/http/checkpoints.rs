use crate::studio::{Events, Studio, hard, json_from, open_when_free};
use serde_json::json;
use server::{
    jobs::Timing,
    store::Store,
    tasks::{Limits, Tasks},
};
use shared::api::{BoardView, RunState, RunView};
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
    assert!(!kept(folder.path()).is_empty(), "it may be continued");
    let whole = start(&next, &body).await;
    until(&next, &whole, |view| view.state.is_over()).await;
    assert_eq!(wiring(&next, &run).await, wiring(&next, &whole).await);
}

#[tokio::test]
async fn a_run_without_a_checkpoint_begins_again_and_comes_to_the_same_wiring() {
    let folder = tempfile::tempdir().unwrap();
    let never = Duration::from_secs(1_000_000);
    let first = Studio::keeping(Store::open(folder.path()).unwrap(), server::api::Config::default(), never);
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

    let next = Studio::keeping(open_when_free(folder.path()).await, server::api::Config::default(), never);
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
    assert!(!kept(folder.path()).is_empty(), "it may be continued");
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

#[tokio::test]
async fn orderly_restarts_never_give_a_search_up() {
    let folder = tempfile::tempdir().unwrap();
    let body = json!({ "spec": hard(), "budget": { "seconds": 600.0 }, "seed": 3, "threads": 1 });
    let never = Duration::from_secs(1_000_000);
    let start = |store| Studio::keeping(store, server::api::Config::default(), never);
    let first = start(Store::open(folder.path()).unwrap());
    let run: RunView = first.post("/api/runs", &body).await.json();
    let mut studio = first;
    for restart in 0..6 {
        until(&studio, &run, |view| view.progress.moves > 0).await;
        studio.jobs.shut_down(Duration::from_secs(60));
        drop(studio);
        studio = start(open_when_free(folder.path()).await);
        let view = until(&studio, &run, |_| true).await;
        assert!(!view.state.is_over(), "restart {restart}: {}", view.message);
    }
    studio.jobs.stop(&run.id).unwrap();
}

/// A studio in which searches take turns often.
fn in_slices() -> Studio {
    let timing = Timing { checkpoint_every: OFTEN, slice: Duration::from_millis(300) };
    Studio::of(Store::temporary().unwrap(), server::api::Config::default(), timing, Tasks::new(Limits::of(2)))
}

#[tokio::test]
async fn a_run_that_pauses_for_others_comes_to_the_same_wiring() {
    let studio = in_slices();
    let body = json!({ "spec": hard(), "budget": { "effort": 12 }, "seed": 3, "threads": 2 });
    let whole = start(&studio, &body).await;
    until(&studio, &whole, |view| view.state.is_over()).await;

    let run = start(&studio, &body).await;
    let mut events = Events::of(&studio, &format!("/api/runs/{}/events", run.id)).await;
    let events = tokio::spawn(async move { events.rest().await });
    until(&studio, &run, |view| view.state == RunState::Running).await;
    let endless = json!({ "spec": hard(), "budget": { "seconds": 600.0 }, "threads": 2 });
    let other: RunView = studio.answer(json_from(1, "/api/runs", &endless)).await.json();
    let queued = studio.post("/api/runs", &endless).await.json::<RunView>().queue.unwrap();
    assert!(queued.ahead <= 2);
    // Its place in the queue follows the message.
    let is_paused =
        |view: &RunView| view.message.starts_with("Paused for others after") && view.queue.is_some();
    assert_eq!(until(&studio, &run, is_paused).await.state, RunState::Queued);
    assert!(wiring(&studio, &run).await.starts_with("0:"), "its wiring is there meanwhile");
    until(&studio, &run, |view| view.state == RunState::Running && view.message.is_empty()).await;
    until(&studio, &other, |view| view.state == RunState::Queued).await;
    studio.jobs.stop(&other.id).unwrap();
    let over = until(&studio, &run, |view| view.state.is_over()).await;
    assert_eq!(over.state, RunState::Exhausted, "{}", over.message);
    assert!(over.history.is_sorted_by(|a, b| a.elapsed <= b.elapsed), "{:?}", over.history);
    assert_eq!(wiring(&studio, &run).await, wiring(&studio, &whole).await);

    // One stream goes through all of it.
    let events = events.await.unwrap();
    let states = events.iter().filter(|(event, _)| event == "run");
    let states: Vec<_> =
        states.map(|(_, data)| serde_json::from_str::<RunView>(data).unwrap().state).collect();
    assert!(states.windows(2).any(|two| two == [RunState::Running, RunState::Queued]), "{states:?}");
    assert!(states.windows(2).any(|two| two == [RunState::Queued, RunState::Running]), "{states:?}");
    assert_eq!(states.last(), Some(&RunState::Exhausted));
    studio.jobs.shut_down(Duration::from_secs(60));
}

#[tokio::test]
async fn only_its_own_time_counts_for_a_run_that_pauses() {
    let studio = in_slices();
    let body = json!({ "spec": hard(), "budget": { "seconds": 3.0 }, "threads": 2 });
    let runs = [start(&studio, &body).await, studio.answer(json_from(1, "/api/runs", &body)).await.json()];
    for run in &runs {
        let over = until(&studio, run, |view| view.state.is_over()).await;
        assert_eq!(over.state, RunState::Exhausted, "{}", over.message);
        assert!((2.5..6.0).contains(&over.progress.elapsed), "{}", over.progress.elapsed);
    }
}

#[tokio::test]
async fn a_hardware_search_that_pauses_for_others_comes_to_the_same_end() {
    let studio = in_slices();
    let body = json!({ "spec": hard(), "nis_from": 3, "nis_to": 4, "ports": "11-12", "seed": 3, "threads": 2,
                       "cell": { "effort": 3 }, "total": { "effort": 14 } });
    let cells = |view: &BoardView| -> Vec<_> {
        let cells = view.board.cells.iter();
        cells.map(|cell| (cell.state, cell.uncovered, cell.attempts, cell.note.clone())).collect()
    };
    let mut ends = Vec::new();
    for pauses in [false, true] {
        let board: BoardView = studio.post("/api/boards", &body).await.json();
        let path = format!("/api/boards/{}", board.id);
        if pauses {
            let long = json!({ "spec": hard(), "budget": { "seconds": 600.0 }, "threads": 2 });
            let other: RunView = studio.answer(json_from(1, "/api/runs", &long)).await.json();
            studio.until(&path, |view: &BoardView| view.message.starts_with("Paused for others")).await;
            studio.until(&path, |view: &BoardView| view.state == RunState::Running).await;
            studio.jobs.stop(&other.id).unwrap();
        }
        let over = studio.until(&path, |view: &BoardView| view.state.is_over()).await;
        ends.push((over.state, cells(&over)));
    }
    assert_eq!(ends[0], ends[1]);
}

#[tokio::test]
async fn a_refused_search_leaves_nothing_in_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let studio = studio(Store::open(folder.path()).unwrap());
    let body = json!({ "spec": hard(), "budget": { "seconds": 600.0 }, "threads": 2 });
    let rows = || {
        let store = rusqlite::Connection::open(folder.path().join("crosspoint.sqlite")).unwrap();
        store.query_row("SELECT count(*) FROM run", [], |row| row.get::<_, i64>(0)).unwrap()
    };
    let mut stored = 0;
    while studio.post("/api/runs", &body).await.status == 201 {
        stored += 1;
        assert!(stored < 1000, "the queue has no end");
    }
    studio.post("/api/runs", &body).await.problem(429, "share");
    assert_eq!(rows(), stored);
    studio.jobs.shut_down(Duration::from_secs(60));
}
