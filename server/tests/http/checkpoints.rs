use crate::studio::{
    Hardware, Search, Studio, by_effort, endless, hard, hardware, json_from, open_when_free, search,
};
use serde_json::{Value, json};
use server::{
    api::Config,
    store::Store,
    tasks::{Limits, Tasks},
    work::Timing,
};
use shared::{
    api::{SearchReport, WorkState},
    hardware::Board,
};
use std::{path::Path, time::Duration};

/// Far enough from each other for a search to come to one.
const OFTEN: Duration = Duration::from_millis(200);

fn studio(store: Store) -> Studio {
    Studio::keeping(store, Config::default(), OFTEN)
}

async fn start(studio: &Studio, body: &Value) -> Search {
    studio.start(body).await
}

async fn until(studio: &Studio, run: &Search, what: impl Fn(&Search) -> bool) -> Search {
    studio.until_work(&run.id, what).await
}

async fn over(studio: &Studio, run: &Search) -> Search {
    studio.over(&run.id).await
}

async fn wiring(studio: &Studio, run: &Search) -> String {
    studio.table(&run.id).await.text().to_owned()
}

/// The report of a stopped studio's search.
fn stopped(studio: &Studio, run: &Search) -> Search {
    let view = studio.works.view(&run.id).unwrap().unwrap();
    serde_json::from_value(serde_json::to_value(view).unwrap()).unwrap()
}

/// Runs with a checkpoint.
fn kept(folder: &Path) -> Vec<String> {
    let store = rusqlite::Connection::open(folder.join("crosspoint.sqlite")).unwrap();
    let mut found = store.prepare("SELECT work FROM checkpoint WHERE state IS NOT NULL").unwrap();
    let runs = found.query_map([], |row| row.get(0)).unwrap();
    runs.map(Result::unwrap).collect()
}

async fn until_kept(folder: &Path, run: &Search) {
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
    let body = search(&hard(), by_effort(12));
    let (run, queued) = (start(&first, &body).await, start(&first, &body).await);
    until_kept(folder.path(), &run).await;
    first.shut_down().await;
    // Whoever asks now is told to ask the next one.
    let refused = first.get(&format!("/api/work/{}", run.id)).await.problem(503, "busy");
    assert!(refused.detail.contains("whether this work resumes"), "{}", refused.detail);
    let stopped = stopped(&first, &run);
    assert_eq!(stopped.state, WorkState::Interrupted);
    assert!(stopped.message.contains("the work resumes when the studio starts again"), "{}", stopped.message);
    let best = stopped.report.progress.best;
    drop(first);

    let next = studio(open_when_free(folder.path()).await);
    let known = until(&next, &run, |_| true).await;
    assert!(
        !known.state.is_over() && known.message.is_empty() && !known.report.history.is_empty(),
        "{known:?}"
    );
    next.works.stop(&queued.id).unwrap();
    until(&next, &queued, |view| view.state == WorkState::Cancelled).await;
    assert!(wiring(&next, &run).await.starts_with("0:"));
    assert!(known.report.progress.best <= best);
    let over = over(&next, &run).await;
    assert_eq!(over.state, WorkState::Exhausted, "{}", over.message);
    assert!(
        over.report.progress.best <= best && over.report.progress.elapsed >= known.report.history[0].elapsed
    );
    assert!(over.report.history.is_sorted_by(|a, b| a.elapsed <= b.elapsed), "{:?}", over.report.history);
    assert_eq!(over.report.history[0], known.report.history[0]);
    assert!(!kept(folder.path()).is_empty(), "it may be continued");
    let whole = start(&next, &body).await;
    next.over::<SearchReport>(&whole.id).await;
    assert_eq!(wiring(&next, &run).await, wiring(&next, &whole).await);
}

#[tokio::test]
async fn a_run_without_a_checkpoint_begins_again_and_comes_to_the_same_wiring() {
    let folder = tempfile::tempdir().unwrap();
    let never = Duration::from_secs(1_000_000);
    let first = Studio::keeping(Store::open(folder.path()).unwrap(), Config::default(), never);
    let body = search(&hard(), by_effort(6));
    let run = start(&first, &body).await;
    until(&first, &run, |view| view.report.progress.moves > 0).await;
    first.shut_down().await;
    let stopped = stopped(&first, &run);
    assert_eq!(stopped.state, WorkState::Interrupted);
    assert!(stopped.message.contains("the work resumes when the studio starts again"), "{}", stopped.message);
    drop(first);

    let next = Studio::keeping(open_when_free(folder.path()).await, Config::default(), never);
    let over = over(&next, &run).await;
    assert_eq!(over.state, WorkState::Exhausted, "{}", over.message);
    assert!(over.report.progress.best <= stopped.report.progress.best);
    let whole = start(&next, &body).await;
    let whole_over: Search = next.over(&whole.id).await;
    assert_eq!(over.report.progress.best, whole_over.report.progress.best);
    assert_eq!(wiring(&next, &run).await, wiring(&next, &whole).await);
}

#[tokio::test]
async fn a_run_that_is_stopped_does_not_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let first = studio(Store::open(folder.path()).unwrap());
    let body = search(&hard(), json!({ "budget.seconds": 600.0, "seed": 3, "threads": 2 }));
    let run = start(&first, &body).await;
    until_kept(folder.path(), &run).await;
    first.shut_down().await;
    drop(first);
    let next = studio(open_when_free(folder.path()).await);
    until(&next, &run, |view| view.state == WorkState::Running).await;
    next.works.stop(&run.id).unwrap();
    until(&next, &run, |view| view.state == WorkState::Cancelled).await;
    assert!(!kept(folder.path()).is_empty(), "it may be continued");
    drop(next);
    let last = studio(open_when_free(folder.path()).await);
    assert_eq!(until(&last, &run, |_| true).await.state, WorkState::Cancelled);
}

#[tokio::test]
async fn a_checkpoint_that_cannot_be_read_leaves_the_run_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let first = studio(Store::open(folder.path()).unwrap());
    let body = search(&hard(), json!({ "budget.seconds": 600.0, "seed": 3, "threads": 2 }));
    let run = start(&first, &body).await;
    until_kept(folder.path(), &run).await;
    first.shut_down().await;
    drop(first);
    let store = open_when_free(folder.path()).await;
    store.save_checkpoint(&run.id, 1.0, b"nothing").unwrap();
    let next = studio(store);
    let over = over(&next, &run).await;
    assert_eq!(over.state, WorkState::Interrupted);
    assert!(over.message.contains("The work cannot resume: the checkpoint is damaged"), "{}", over.message);
    assert!(wiring(&next, &run).await.starts_with("0:"));
    assert!(kept(folder.path()).is_empty());
}

#[tokio::test]
async fn orderly_restarts_never_give_a_search_up() {
    let folder = tempfile::tempdir().unwrap();
    let body = search(&hard(), json!({ "budget.seconds": 600.0, "seed": 3, "threads": 1 }));
    let never = Duration::from_secs(1_000_000);
    let start = |store| Studio::keeping(store, Config::default(), never);
    let first = start(Store::open(folder.path()).unwrap());
    let run: Search = first.start(&body).await;
    let mut studio = first;
    for restart in 0..6 {
        until(&studio, &run, |view| view.report.progress.moves > 0).await;
        studio.shut_down().await;
        drop(studio);
        studio = start(open_when_free(folder.path()).await);
        let view = until(&studio, &run, |_| true).await;
        assert!(!view.state.is_over(), "restart {restart}: {}", view.message);
    }
    studio.works.stop(&run.id).unwrap();
}

/// A studio in which searches take turns often.
fn in_slices() -> Studio {
    let timing = Timing { checkpoint_every: OFTEN, slice: Duration::from_millis(300) };
    Studio::of(Store::temporary().unwrap(), Config::default(), timing, Tasks::new(Limits::of(2)))
}

#[tokio::test]
async fn a_run_that_pauses_for_others_comes_to_the_same_wiring() {
    let studio = in_slices();
    let body = search(&hard(), by_effort(12));
    let whole = start(&studio, &body).await;
    over(&studio, &whole).await;

    let run = start(&studio, &body).await;
    let mut events = studio.events(&run.id).await;
    let events = tokio::spawn(async move { events.rest().await });
    until(&studio, &run, |view| view.state == WorkState::Running).await;
    let endless = search(&hard(), endless());
    let other: Search = studio.answer(json_from(1, "/api/work", &endless)).await.json();
    let queued = studio.post("/api/work", &endless).await.json::<Search>().queue.unwrap();
    assert!(queued.ahead <= 2);
    // Its place in the queue follows the message.
    let is_paused =
        |view: &Search| view.message.starts_with("Paused for others after") && view.queue.is_some();
    assert_eq!(until(&studio, &run, is_paused).await.state, WorkState::Queued);
    assert!(wiring(&studio, &run).await.starts_with("0:"), "its wiring is there meanwhile");
    until(&studio, &run, |view| view.state == WorkState::Running && view.message.is_empty()).await;
    until(&studio, &other, |view| view.state == WorkState::Queued).await;
    studio.works.stop(&other.id).unwrap();
    let over = over(&studio, &run).await;
    assert_eq!(over.state, WorkState::Exhausted, "{}", over.message);
    assert!(over.report.history.is_sorted_by(|a, b| a.elapsed <= b.elapsed), "{:?}", over.report.history);
    assert_eq!(wiring(&studio, &run).await, wiring(&studio, &whole).await);

    // One stream goes through all of it.
    let events = events.await.unwrap();
    let states = events.iter().filter(|(event, _)| event == "work");
    let states: Vec<_> =
        states.map(|(_, data)| serde_json::from_str::<Search>(data).unwrap().state).collect();
    assert!(states.windows(2).any(|two| two == [WorkState::Running, WorkState::Queued]), "{states:?}");
    assert!(states.windows(2).any(|two| two == [WorkState::Queued, WorkState::Running]), "{states:?}");
    assert_eq!(states.last(), Some(&WorkState::Exhausted));
    studio.shut_down().await;
}

#[tokio::test]
async fn only_its_own_time_counts_for_a_run_that_pauses() {
    let studio = in_slices();
    let body = search(&hard(), json!({ "budget.seconds": 3.0, "threads": 2 }));
    let runs = [start(&studio, &body).await, studio.answer(json_from(1, "/api/work", &body)).await.json()];
    for run in &runs {
        let over = over(&studio, run).await;
        assert_eq!(over.state, WorkState::Exhausted, "{}", over.message);
        assert!((2.5..6.0).contains(&over.report.progress.elapsed), "{}", over.report.progress.elapsed);
    }
}

#[tokio::test]
async fn a_hardware_search_that_pauses_for_others_comes_to_the_same_end() {
    let studio = in_slices();
    let form = json!({ "nis_from": 3, "nis_to": 4, "ports": "11-12", "seed": 3, "threads": 2,
                       "cell.unit": "effort", "cell.effort": 3, "total.unit": "effort", "total.effort": 14 });
    let body = hardware(&hard(), form);
    let cells = |view: &Hardware| -> Vec<_> {
        let cells = view.report.cells.iter();
        cells.map(|cell| (cell.state, cell.uncovered, cell.attempts, cell.note.clone())).collect()
    };
    let mut ends = Vec::new();
    for pauses in [false, true] {
        let board: Hardware = studio.start(&body).await;
        if pauses {
            let long = search(&hard(), endless());
            let other: Search = studio.answer(json_from(1, "/api/work", &long)).await.json();
            studio
                .until_work(&board.id, |view: &Hardware| view.message.starts_with("Paused for others"))
                .await;
            studio.until_work(&board.id, |view: &Hardware| view.state == WorkState::Running).await;
            studio.works.stop(&other.id).unwrap();
        }
        let over = studio.over::<Board>(&board.id).await;
        ends.push((over.state, cells(&over)));
    }
    assert_eq!(ends[0], ends[1]);
}

#[tokio::test]
async fn a_refused_search_leaves_nothing_in_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let studio = studio(Store::open(folder.path()).unwrap());
    let body = search(&hard(), endless());
    let rows = || {
        let store = rusqlite::Connection::open(folder.path().join("crosspoint.sqlite")).unwrap();
        store.query_row("SELECT count(*) FROM work", [], |row| row.get::<_, i64>(0)).unwrap()
    };
    let mut stored = 0;
    while studio.post("/api/work", &body).await.status == 201 {
        stored += 1;
        assert!(stored < 1000, "the queue has no end");
    }
    studio.post("/api/work", &body).await.problem(429, "share");
    assert_eq!(rows(), stored);
    studio.shut_down().await;
}
