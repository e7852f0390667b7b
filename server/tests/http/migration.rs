//! The data folder of a studio of an earlier version that was killed: nothing in it is lost.

use crate::studio::{Hardware, Search, Studio};
use rusqlite::Connection;
use serde_json::Value;
use server::{VERSION, api::Config};
use shared::{
    api::{
        CableState, CablingView, DesignView, PartView, ReplayView, SearchReport, WorkKind, WorkState,
        WorkspaceView,
    },
    design::{check, table},
    hardware::{Board, BoardForm, CellState},
    search::{Budget, SearchForm},
};
use std::{path::Path, process::Command};

const DESIGN: &str = "pgqadhzgjk5hsfm3ztshb1e128";
const SOLVED: &str = "yj8ksm6p9gkjvhm139hse7egm4";
const LONG: &str = "zerxpqbssggnrexqq7t9s57apv";
const BOARD: &str = "qyaga8s7h33dk0jwfe5tn8dvrh";
const WORKSPACE: &str = "464ze3g7nknvy1jdf4axmvd68r";

/// Copies of the long search and of the board as a killed studio leaves them, of this version and of the old one; ticks, and items of the
/// workspace.
const MORE: &str = "
    CREATE TEMP TABLE copy AS SELECT * FROM run WHERE id = 'zerxpqbssggnrexqq7t9s57apv';
    UPDATE copy SET id = 'running', state = 'running', ended = NULL, version = 'VERSION';
    INSERT INTO run SELECT * FROM copy;
    UPDATE copy SET id = 'queued', state = 'queued', budget = '{\"effort\":3}', seed = '18446744073709551615',
        wiring = NULL, version = 'VERSION';
    INSERT INTO run SELECT * FROM copy;
    UPDATE copy SET id = 'foreign', state = 'running', version = '0.1.0+9e37f3a';
    INSERT INTO run SELECT * FROM copy;
    INSERT INTO checkpoint (run) VALUES ('running'), ('queued'), ('foreign');
    CREATE TEMP TABLE copy_of_board AS SELECT * FROM board;
    UPDATE copy_of_board SET id = 'searching', state = 'running', ended = NULL, version = 'VERSION';
    INSERT INTO board SELECT * FROM copy_of_board;
    INSERT INTO board_checkpoint (board) VALUES ('searching');
    INSERT INTO workspace_item VALUES ('464ze3g7nknvy1jdf4axmvd68r', 'pgqadhzgjk5hsfm3ztshb1e128', 1),
        ('464ze3g7nknvy1jdf4axmvd68r', 'yj8ksm6p9gkjvhm139hse7egm4', 0);
    INSERT INTO tick VALUES ('pgqadhzgjk5hsfm3ztshb1e128', 0, 1, 1, 'plugged', 'person', 'Ann', 1000, ''),
        ('pgqadhzgjk5hsfm3ztshb1e128', 3, 0, 1, 'wrong', 'audit', 'node003', 2000, 'no link');
";

/// Unpacks the archive into a folder, and adds what it lacks.
fn unpack(folder: &Path) {
    let archive = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/data-folder-9e37f3a.tar.gz");
    let tar =
        Command::new("tar").args(["xzf", archive, "--strip-components", "1", "-C"]).arg(folder).status();
    assert!(tar.unwrap().success());
    let store = Connection::open(folder.join("crosspoint.sqlite")).unwrap();
    assert_eq!(store.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0)).unwrap(), 11);
    store.execute_batch(&MORE.replace("VERSION", VERSION)).unwrap();
}

async fn opened(folder: &Path) -> Studio {
    Studio::with(crate::studio::open_when_free(folder).await, Config::default())
}

#[tokio::test]
async fn an_old_data_folder_keeps_everything() {
    let folder = tempfile::tempdir().unwrap();
    unpack(folder.path());
    let studio = opened(folder.path()).await;
    everything_is_there(&studio).await;
    let SearchForm { seed, effort, .. } = studio.view::<Value>("queued").await.asked.form.form();
    assert_eq!((seed.as_str(), effort.as_str()), ("18446744073709551615", "3"));
    let searching: Hardware = studio.view("searching").await;
    assert_eq!((searching.asked.kind, searching.threads), (WorkKind::Hardware, 2));
    // What can go on comes to its end.
    for id in ["running", "queued"] {
        let over: Search = studio.over(id).await;
        assert_eq!(
            (over.state, over.report.progress.best, over.message.as_str()),
            (WorkState::Solved, 0, ""),
            "{id}"
        );
        assert_eq!(studio.table(id).await.text().lines().count(), 128);
    }
    let over: Hardware = studio.over("searching").await;
    assert_eq!(over.state, WorkState::Solved, "{}", over.message);
    assert_eq!(studio.part("searching", 3).await.json::<PartView>().uncovered, 0);
    studio.shut_down().await;
    drop(studio);
    // The second time there is nothing to migrate.
    everything_is_there(&opened(folder.path()).await).await;
}

async fn everything_is_there(studio: &Studio) {
    let design: DesignView = studio.get(&format!("/api/designs/{DESIGN}")).await.json();
    assert_eq!((design.note.as_str(), design.uncovered), ("Rack A is wired", 0));
    assert!(design.verdict.holds() && design.spec.contains("name = \"KASY0\""));
    let cabling: CablingView = studio.get(&format!("/api/designs/{DESIGN}/cabling")).await.json();
    let ticks: Vec<_> =
        cabling.ticks.iter().map(|tick| (tick.node, tick.nic, tick.state, tick.who.as_str())).collect();
    assert_eq!(ticks, [(0, 1, CableState::Plugged, "Ann"), (3, 0, CableState::Wrong, "node003")]);

    let solved: Search = studio.view(SOLVED).await;
    assert_eq!((solved.state, solved.threads, solved.asked.kind), (WorkState::Solved, 2, WorkKind::Search));
    assert_eq!(solved.asked.spec(), design.spec);
    let form: SearchForm = solved.asked.form.form();
    assert_eq!((form.seed.as_str(), form.seconds.as_str()), ("1", "5"));
    assert_eq!(form.read().unwrap().budget, Budget::Seconds(5.0));
    let SearchReport { progress, history, method } = &solved.report;
    assert_eq!(
        (progress.best, progress.moves, history.len(), method.as_str()),
        (0, 596, 2, "greedy, then repair")
    );
    assert_eq!((solved.created.as_str(), solved.version.as_str()), ("2026-11-26T07:15:57Z", "0.1.0+9e37f3a"));
    let wiring = studio.table(SOLVED).await;
    let request = server::prepare::Request::read(solved.asked.spec(), &mut shared::resolve::NoFiles).unwrap();
    let parsed = table::parse(wiring.text(), 128).unwrap();
    assert!(check(&request.spec, &request.demand, &parsed).holds());
    let replay: ReplayView = studio.get(&format!("/api/work/{SOLVED}/replay")).await.json();
    assert_eq!((replay.frames.len(), replay.frames[0].table.as_str()), (1, wiring.text()));
    assert_eq!(&replay.frames[0].progress, progress);
    let long: Search = studio.view(LONG).await;
    assert_eq!(long.asked.form.form::<SearchForm>().read().unwrap().budget, Budget::Seconds(600.0));
    let foreign: Search = studio.view("foreign").await;
    assert_eq!((foreign.state, foreign.threads), (WorkState::Interrupted, 1), "{}", foreign.message);

    let board: Hardware = studio.view(BOARD).await;
    assert_eq!((board.state, board.threads), (WorkState::Solved, 2));
    let form: BoardForm = board.asked.form.form();
    let settings = form.read().unwrap();
    assert_eq!((settings.nis_from, settings.nis_to, settings.ports.as_str()), (2, 4, "8,16"));
    assert_eq!((settings.cell, settings.total), (Budget::Seconds(2.0), Budget::Seconds(10.0)));
    let Board { cells, cheapest, ports, .. } = &board.report;
    assert_eq!((cells.len(), *cheapest, ports.as_slice()), (6, Some(3), &[16, 8][..]));
    for (number, cell) in cells.iter().enumerate() {
        let part = studio.part(BOARD, number).await;
        if cell.state == CellState::Refuted {
            part.problem(404, "not-found");
            continue;
        }
        let part: PartView = part.json();
        let request = server::prepare::Request::read(&part.spec, &mut shared::resolve::NoFiles).unwrap();
        let wiring = table::parse(&part.table, 16).unwrap();
        assert!(part.uncovered == 0 && check(&request.spec, &request.demand, &wiring).holds(), "{number}");
        assert_eq!((request.spec.pe_groups[0].nis, part.method.as_str()), (cell.nis, cell.note.as_str()));
    }

    let workspace: WorkspaceView = studio.get(&format!("/api/workspaces/{WORKSPACE}")).await.json();
    let mut items: Vec<_> =
        workspace.items.iter().map(|item| (item.id.as_str(), item.kind, item.coverage)).collect();
    items.sort_unstable_by_key(|item| item.0);
    assert_eq!(workspace.name, "Lab");
    assert_eq!(items, [(DESIGN, None, Some(1.0)), (SOLVED, Some(WorkKind::Search), Some(1.0))]);
    for page in
        [format!("/d/{DESIGN}"), format!("/r/{SOLVED}"), format!("/b/{BOARD}"), format!("/w/{WORKSPACE}")]
    {
        let answer = studio.get(&page).await;
        // Without the web bundle, the page says how to build it.
        assert!(answer.status == 200 || answer.text().contains("make build"), "{page}: {}", answer.status);
    }
    for (noun, id) in [("runs", SOLVED), ("boards", BOARD)] {
        let moved = studio.get(&format!("/api/{noun}/{id}")).await;
        assert_eq!((moved.status.as_u16(), moved.header("location")), (308, &*format!("/api/work/{id}")));
    }
}
