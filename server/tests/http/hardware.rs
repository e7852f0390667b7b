use crate::studio::{
    Events, Hardware, KASY0, Search, Studio, endless, from, hard, hardware, open_when_free, search,
};
use axum::{body::Body, http};
use serde_json::{Value, json};
use server::{api::Config, prepare::Request, store::Store};
use shared::{
    analysis::figures,
    api::{PartView, WorkChange, WorkState},
    design::{check, table},
    hardware::{Board, Cell, CellState},
    resolve::NoFiles,
};
use std::time::Duration;

async fn start(studio: &Studio, spec: &str, form: Value) -> Hardware {
    studio.start(&hardware(spec, form)).await
}

async fn over(studio: &Studio, view: &Hardware) -> Hardware {
    studio.over(&view.id).await
}

/// The form of a board that takes longer than anybody waits: widths that nobody has solved, an hour for each.
fn hours() -> Value {
    json!({ "nis_from": 3, "nis_to": 4, "ports": "11-12", "cell.seconds": 3600.0, "total.seconds": 7200.0, "threads": 2 })
}

#[tokio::test]
async fn every_solved_cell_has_a_wiring_that_passes_the_checker() {
    let studio = Studio::new();
    let form = json!({ "nis_from": 2, "nis_to": 4, "ports": "5, 24, 48",
                       "cell.unit": "effort", "cell.effort": 2, "total.unit": "effort", "total.effort": 12, "seed": 3, "threads": 2 });
    let started = start(&studio, KASY0, form).await;
    assert_eq!((started.asked.form.0["seed"].as_str(), started.threads), ("3", 2));
    assert_eq!((started.report.cells.len(), started.report.ports.as_slice()), (9, &[48, 24, 5][..]));
    let over = over(&studio, &started).await;
    assert_eq!(over.state, WorkState::Solved, "{}", over.message);
    assert!(over.report.trying.is_empty() && !over.report.attempts.is_empty());
    let mut solved = 0;
    for (index, cell) in over.report.cells.iter().enumerate() {
        let answer = studio.part(&over.id, index).await;
        if cell.state == CellState::Refuted {
            assert!(!cell.note.is_empty());
            answer.problem(404, "not-found");
            continue;
        }
        let design: PartView = answer.json();
        let request = Request::read(&design.spec, &mut NoFiles).unwrap();
        assert_eq!((request.spec.pe_groups[0].nis, request.spec.switches[0].ports), (cell.nis, cell.ports));
        let wiring = table::parse(&design.table, 128).unwrap();
        let verdict = check(&request.spec, &request.demand, &wiring);
        assert_eq!(verdict.uncovered.len() as u64, design.uncovered);
        assert_eq!((verdict.holds(), Some(design.uncovered)), (cell.state.is_solved(), cell.uncovered));
        assert_eq!(design.method, cell.note);
        let figures = figures(&request.spec, &request.demand, &wiring);
        assert_eq!(figures.cables, cell.cables);
        match cell.cost {
            Some(cost) => assert_eq!(figures.cost, Some(cost), "the board's money is the design's"),
            None => assert!(figures.unpriced.contains(&format!("switches with {} ports", cell.ports))),
        }
        solved += usize::from(verdict.holds());
    }
    assert!(solved >= 2, "{:?}", over.report.cells);
    let cheapest = &over.report.cells[over.report.cheapest.unwrap()];
    assert!(cheapest.cost.is_some() && cheapest.state.is_solved());
}

#[tokio::test]
async fn events_tell_every_watcher_how_it_goes_and_how_it_ends() {
    let studio = Studio::new();
    let board = start(&studio, &hard(), hours()).await;
    let (mut one, mut two) = (studio.events(&board.id).await, studio.events(&board.id).await);
    let view = |event: &(String, String)| -> WorkChange<Board> {
        assert_eq!(event.0, "progress");
        assert!(!event.1.contains("nics_per_node"), "the spec is sent once");
        serde_json::from_str(&event.1).unwrap()
    };
    let complete = |event: &(String, String)| -> Hardware {
        assert_eq!(event.0, "work");
        serde_json::from_str(&event.1).unwrap()
    };
    for events in [&mut one, &mut two] {
        let first = complete(&events.next().await.unwrap());
        assert_eq!((first.id, first.asked), (board.id.clone(), board.asked.clone()));
    }
    let mut told = Vec::new();
    while told.len() < 3 {
        let event = one.next().await.unwrap();
        if event.0 != "progress" {
            continue;
        }
        let view = view(&event);
        if view.report.cells.iter().any(|cell| cell.state == CellState::Trying && cell.seconds > 0.0) {
            assert!(view.report.trying.contains("NICs, 12 ports: "), "{}", view.report.trying);
            told.push(view.report.revision);
        }
    }
    assert!(told.is_sorted());
    studio.stop::<Board>(&board.id).await;
    for events in [&mut one, &mut two] {
        let rest = events.rest().await;
        let last = complete(rest.last().unwrap());
        assert_eq!(last.state, WorkState::Cancelled, "{}", last.message);
        assert!(last.report.cells.iter().all(|cell| cell.state != CellState::Trying));
    }
    let after = studio.events(&board.id).await.rest().await;
    assert_eq!(after.len(), 1);
    assert_eq!(complete(&after[0]).state, WorkState::Cancelled);
}

#[tokio::test]
async fn streams_have_a_limit() {
    let config = Config { streams: 3, ..Config::default() };
    let studio = Studio::with(Store::temporary().unwrap(), config);
    let board = start(&studio, &hard(), hours()).await;
    let events = format!("/api/work/{}/events", board.id);
    let (one, _two) = (Events::of(&studio, &events).await, Events::of(&studio, &events).await);
    let refused = studio.get(&events).await;
    assert!(refused.problem(503, "busy").detail.contains("--streams"));
    assert!(!refused.header("retry-after").is_empty());
    let other = http::Request::get(&events).extension(from([10, 0, 0, 1])).body(Body::empty()).unwrap();
    assert_eq!(studio.send(other).await.status(), 200, "another client finds room");
    drop(one);
    let again = async || studio.send(http::Request::get(&events).body(Body::empty()).unwrap()).await.status();
    while again().await != 200 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    studio.shut_down().await;
}

#[tokio::test]
async fn a_board_waits_for_searches_and_can_be_stopped_before_it_starts() {
    let studio = Studio::new();
    let run: Search = studio.start(&search(&hard(), endless())).await;
    let board = start(&studio, &hard(), hours()).await;
    assert_eq!(board.state, WorkState::Queued);
    assert!(board.report.trying.contains("waiting"));
    studio.part(&run.id, 0).await.problem(404, "not-found");
    for more in ["table", "replay"] {
        studio.get(&format!("/api/work/{}/{more}", board.id)).await.problem(404, "not-found");
    }
    assert_eq!(studio.stop::<Board>(&board.id).await.state, WorkState::Cancelled);
    assert_eq!(studio.stop::<Board>(&board.id).await.state, WorkState::Cancelled);
    studio.shut_down().await;
}

#[tokio::test]
async fn boards_go_on_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let studio = Studio::with(Store::open(folder.path()).unwrap(), Config::default());
    let mut form = hours();
    form["ports"] = json!("12, 24");
    let (running, queued) = (start(&studio, &hard(), form).await, start(&studio, &hard(), hours()).await);
    let deep = |view: &Hardware| {
        view.report.cells[0].state == CellState::Solved && view.report.cells[1].state == CellState::Trying
    };
    studio.until_work(&running.id, deep).await;
    studio.shut_down().await;
    studio.get(&format!("/api/work/{}", running.id)).await.problem(503, "busy");
    drop(studio);

    let stopped = store_of(folder.path(), &running);
    assert_eq!(stopped.state, WorkState::Interrupted);
    assert!(stopped.message.contains("the work resumes when the studio starts again"), "{}", stopped.message);

    let next = Studio::with(open_when_free(folder.path()).await, Config::default());
    studio_goes_on(&next, &running, &queued).await;
    let design: PartView = next.part(&running.id, 0).await.json();
    assert_eq!(design.uncovered, 0);
    next.works.stop(&running.id).unwrap();
    assert_eq!(over(&next, &running).await.state, WorkState::Cancelled);
    next.shut_down().await;
}

/// Contents of a stopped studio's store.
fn store_of(folder: &std::path::Path, board: &Hardware) -> Hardware {
    let store = rusqlite::Connection::open(folder.join("crosspoint.sqlite")).unwrap();
    let sql = "SELECT state, message FROM work WHERE id = ?1";
    let (state, message): (String, String) =
        store.query_row(sql, [&board.id], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let state = serde_json::from_value(json!(state)).unwrap();
    Hardware { state, message, ..board.clone() }
}

async fn studio_goes_on(next: &Studio, running: &Hardware, queued: &Hardware) {
    let deep = |view: &Hardware| {
        view.report.cells[0].state == CellState::Solved && view.report.cells[1].state == CellState::Trying
    };
    let kept = next.until_work(&running.id, deep).await;
    assert_eq!((kept.state, kept.message.as_str()), (WorkState::Running, ""));
    assert_eq!(kept.asked, running.asked);
    assert_eq!(kept.report.attempts.len(), 1, "what was finished is not tried again");
    let waits: Hardware = next.view(&queued.id).await;
    assert_eq!((waits.state, &waits.asked), (WorkState::Queued, &queued.asked));
}

#[tokio::test]
async fn a_board_that_goes_on_comes_to_the_same_end() {
    let folder = tempfile::tempdir().unwrap();
    let studio = Studio::with(Store::open(folder.path()).unwrap(), Config::default());
    let form = json!({ "nis_from": 2, "nis_to": 3, "ports": "9, 12, 24",
                       "cell.unit": "effort", "cell.effort": 3, "total.unit": "effort", "total.effort": 24, "seed": 3, "threads": 2 });
    let board = start(&studio, KASY0, form.clone()).await;
    let deep = |view: &Hardware| {
        view.report.attempts.len() > 2 && view.report.cells.iter().any(|cell| cell.state == CellState::Trying)
    };
    let cut = studio.until_work(&board.id, deep).await;
    studio.shut_down().await;
    drop(studio);

    let next = Studio::with(open_when_free(folder.path()).await, Config::default());
    let rest = over(&next, &board).await;
    assert!(
        rest.report.attempts.len() > cut.report.attempts.len() && rest.report.elapsed >= cut.report.elapsed
    );
    let whole = start(&next, KASY0, form).await;
    let whole = over(&next, &whole).await;
    assert_eq!(rest.state, whole.state);
    for index in 0..whole.report.cells.len() {
        let [one, two] = [&rest, &whole].map(|view| view.report.cells[index].clone());
        assert_eq!(timeless(one), timeless(two));
        let (one, two) = (next.part(&rest.id, index).await, next.part(&whole.id, index).await);
        assert_eq!(one.text(), two.text(), "cell {index}");
    }
}

/// A cell but for the seconds spent on it.
fn timeless(cell: Cell) -> Cell {
    Cell { seconds: 0.0, ..cell }
}

#[tokio::test]
async fn what_no_board_can_have_is_told_by_field() {
    let studio = Studio::new();
    let faults = async |spec: &str, change: &[(&str, Value)]| {
        let mut form = hours();
        change.iter().for_each(|(field, value)| form[*field] = value.clone());
        let problem = studio.post("/api/work", &hardware(spec, form)).await.problem(422, "spec");
        problem.faults.into_iter().map(|fault| fault.path).collect::<Vec<_>>()
    };
    for (change, paths) in [
        (vec![("nis_from", json!(0)), ("nis_to", json!(65))], vec!["nis_from", "nis_to"]),
        (vec![("ports", json!("8-6, x"))], vec!["ports"]),
        (
            vec![("cell.unit", json!("effort")), ("cell.effort", json!(0)), ("threads", json!(65))],
            vec!["cell.effort", "threads"],
        ),
        (vec![("total.seconds", json!(1e9))], vec!["total.seconds"]),
        (vec![("nis_to", json!(64)), ("ports", json!("2-4096"))], vec!["ports"]),
    ] {
        assert_eq!(faults(&hard(), &change).await, paths);
    }
    let fractional = KASY0.replace("\"sparse\"", "\"fractional\"");
    assert_eq!(faults(&fractional, &[]).await, ["objective"]);
    let groups = "[[node_group]]\ncount = 120\nnis = 3\n[[node_group]]\ncount = 8\nnis = 4\n\n[[switch]]";
    let grouped = KASY0.replace("nics_per_node = 3", "").replacen("[[switch]]", groups, 1);
    assert_eq!(faults(&grouped, &[]).await, ["node_group"]);
    let equal = grouped.replace("nis = 4", "nis = 3");
    assert_eq!(faults(&equal, &[("threads", json!(65))]).await, ["threads"]);
}

#[tokio::test]
async fn all_that_is_wrong_is_told_at_once() {
    let studio = Studio::new();
    let spec = KASY0.replace("nodes = 128", "nodes = 0").replace("ports = 24", "ports = 1");
    let form = json!({ "nis_from": 70, "nis_to": 3, "ports": "x, 8", "cell.seconds": -1.0,
                       "total.unit": "effort", "total.effort": 0, "threads": 99 });
    let problem = studio.post("/api/work", &hardware(&spec, form)).await.problem(422, "spec");
    let mut paths: Vec<_> = problem.faults.iter().map(|fault| fault.path.as_str()).collect();
    paths.sort_unstable();
    let own = [
        "cell.seconds",
        "nis_from",
        "nis_to",
        "nodes",
        "ports",
        "switch[0].ports",
        "threads",
        "total.effort",
    ];
    assert_eq!(paths, own);
    let spec = KASY0.replace("\"sparse\"", "\"fractional\"");
    let form = json!({ "nis_from": 1, "nis_to": 65, "ports": "8,," });
    let problem = studio.post("/api/work", &hardware(&spec, form)).await.problem(422, "spec");
    let paths: Vec<_> = problem.faults.iter().map(|fault| fault.path.as_str()).collect();
    assert_eq!(paths, ["objective", "nis_to", "ports"]);
}

#[tokio::test]
async fn a_price_list_without_stock_is_a_catalogue() {
    let studio = Studio::new();
    let spec = "pes = 24\nnis_per_pe = 2\nni_price = 0\ncable_price = 0\nobjective = \"universal\"\n[[switch]]\nports = 5\nprice = 10.0\n\
                [[switch]]\nports = 24\nprice = 300.0\n[[switch]]\nports = 6\nprice = 13.0\ncount = 3\n";
    let form = json!({ "nis_from": 6, "nis_to": 6, "cell.unit": "effort", "cell.effort": 1, "total.unit": "effort", "total.effort": 4 });
    let started = start(&studio, spec, form).await;
    assert_eq!(started.report.ports, [24, 6, 5, 0], "the last column mixes models");
    let over = over(&studio, &started).await;
    assert_eq!(over.state, WorkState::Solved, "{}", over.message);
    let told: Vec<_> = over.report.cells.iter().map(|cell| (cell.state, cell.switches, cell.cost)).collect();
    assert_eq!((told[0].1, told[0].2), (1, Some(300.0)), "one switch for all: {told:?}");
    assert_eq!(told[1].0, CellState::Stock, "{told:?}");
    assert_eq!(told[2], (CellState::Solved, 30, Some(300.0)), "a plane without a point");
    let design: PartView = studio.part(&over.id, 2).await.json();
    let request = Request::read(&design.spec, &mut NoFiles).unwrap();
    let wiring = table::parse(&design.table, 24).unwrap();
    assert!(check(&request.spec, &request.demand, &wiring).holds());
    // A wiring uses the widest of two models without a count.
    let found = studio.post("/api/demand", &json!({ "spec": spec })).await;
    assert_eq!(found.status.as_u16(), 200, "{}", found.text());
}

#[tokio::test]
async fn unknown_cells_are_not_found() {
    let studio = Studio::new();
    studio.part("nobody", 0).await.problem(404, "not-found");
    let board = start(&studio, &hard(), hours()).await;
    let beyond = studio.part(&board.id, 99).await.problem(404, "not-found");
    assert!(
        beyond.detail.starts_with("This hardware search has no part 99. Its parts are 0 to "),
        "{}",
        beyond.detail
    );
    let first = studio.get(&format!("/api/work/{}/parts/first", board.id)).await.problem(400, "request");
    assert_eq!(first.detail, "number: must be a whole number from 0, not `first`.");
    studio.shut_down().await;
}

/// Sixteen nodes of a training job, with switches too narrow for all of them.
const JOB: &str = "pes = 16\nnis_per_pe = 2\nobjective = \"time\"\n[[switch]]\nports = 8\n[job]\ndp = 8\npp = 2\nranks_per_pe = 1\n\
    [model]\nparameters = 1e9\nlayers = 8\nhidden = 1024\nsequence = 1024\nglobal_batch = 64\n";

#[tokio::test]
async fn the_goal_time_ranks_networks_and_opens_designs() {
    let studio = Studio::new();
    let form = json!({ "nis_from": 2, "nis_to": 2, "ports": "8", "goal": "time", "within": 5.0,
                       "cell.unit": "effort", "cell.effort": 1, "total.unit": "effort", "total.effort": 8, "threads": 1 });
    let started = start(&studio, JOB, form).await;
    assert!(started.report.networks.as_ref().is_some_and(|networks| !networks.offers.is_empty()));
    let over = over(&studio, &started).await;
    assert_eq!(over.state, WorkState::Solved, "{}", over.message);
    let networks = over.report.networks.clone().unwrap();
    assert!(networks.chosen.is_some() && !networks.answer.is_empty() && over.report.cells.is_empty());
    for (index, offer) in networks.offers.iter().enumerate() {
        let answer = studio.part(&over.id, index).await;
        if !offer.is_design() || offer.seconds.is_none() {
            continue;
        }
        let design: PartView = answer.json();
        let request = Request::read(&design.spec, &mut NoFiles).unwrap();
        let wiring = table::parse(&design.table, 16).unwrap();
        assert!(check(&request.spec, &request.demand, &wiring).holds());
    }
    let last = networks.offers.len();
    studio.part(&over.id, last).await.problem(404, "not-found");
    let without = JOB.split("[job]").next().unwrap().to_owned() + "[[pattern]]\nkind = \"ring\"\n";
    let form = json!({ "nis_from": 1, "nis_to": 2, "goal": "time" });
    let answer = studio.post("/api/work", &hardware(&without.replace("time", "sparse"), form)).await;
    assert!(answer.status != 201 && answer.text().contains("goal"), "{}", answer.text());
}
