use crate::studio::{
    Answer, Events, KASY0, KASY0_WIRING, SMALL, SMALL_WIRING, Search, Studio, TOKEN, hard, hardware,
    json_from, json_with, search,
};
use serde_json::{Value, json};
use server::{api::Config, store::Store};
use shared::api::{
    DesignView, DifferenceView, EDIT_HEADER, EditLink, LibraryView, MAX_NOTE, SearchReport, WatchersView,
    WorkKind, WorkspaceView,
};

const OTHER: &str = "the-token-of-another-one";
const SECRET: &str = "the-secret-of-a-workspace";

async fn post(studio: &Studio, token: Option<&str>, path: &str, body: Value) -> Answer {
    studio.answer(json_with(token, path, &body)).await
}

async fn get(studio: &Studio, token: Option<&str>, path: &str) -> Answer {
    let mut request = json_with(token, path, &json!({}));
    *request.method_mut() = axum::http::Method::GET;
    studio.answer(request).await
}

async fn save(studio: &Studio, token: &str, based_on: &str) -> DesignView {
    let body = json!({ "spec": SMALL, "table": SMALL_WIRING, "origin": "imported", "based_on": based_on });
    post(studio, Some(token), "/api/designs", body).await.json()
}

/// Saves a design that leaves three pairs uncovered.
async fn save_short(studio: &Studio) -> DesignView {
    studio.post("/api/designs", &json!({ "spec": SMALL, "table": "0: 0 1 2\n" })).await.json()
}

async fn solved(studio: &Studio) -> Search {
    let run: Search = studio.start(&search(KASY0, json!({ "threads": 1 }))).await;
    studio.over(&run.id).await
}

async fn library(studio: &Studio, token: &str) -> LibraryView {
    get(studio, Some(token), "/api/library").await.json()
}

#[tokio::test]
async fn a_library_has_the_designs_and_runs_of_one_browser() {
    let studio = Studio::new();
    let run = solved(&studio).await;
    let design = save_short(&studio).await;
    save(&studio, OTHER, "").await;
    let own = library(&studio, TOKEN).await;
    assert_eq!((own.items.len(), own.total), (2, 2));
    let find = |id: &str| own.items.iter().find(|item| item.id == id).unwrap();
    let saved = find(&design.id);
    assert_eq!((saved.name.as_str(), saved.nodes, saved.uncovered), ("Small", 4, Some(3)));
    assert_eq!((saved.coverage, saved.state, saved.kind, saved.may_edit), (Some(0.5), None, None, true));
    let hardware = saved.hardware.as_ref().unwrap();
    assert_eq!((hardware.switches, hardware.objective.as_str()), (Some(1), "universal"));
    assert!(!hardware.ports.is_empty(), "{hardware:?}");
    let ran = find(&run.id);
    let hardware = ran.hardware.as_ref().unwrap();
    // The figures are those of a design with this wiring.
    let (spec, table) = (KASY0, studio.table(&run.id).await.text().to_owned());
    let same: DesignView = studio.post("/api/designs", &json!({ "spec": spec, "table": table })).await.json();
    let all = library(&studio, TOKEN).await.items;
    let same = all.iter().find(|item| item.id == same.id).unwrap();
    assert_eq!((hardware.switches, &hardware.ports[..]), (Some(17), &[24][..]));
    assert!(hardware.price.is_some() && ran.hardware == same.hardware, "{hardware:?}");
    assert_eq!(
        (ran.nodes, ran.state, ran.kind, ran.coverage),
        (128, Some(run.state), Some(WorkKind::Search), Some(1.0))
    );
    assert_eq!(library(&studio, "a-token-that-nobody-has-used").await, LibraryView::default());
    get(&studio, None, "/api/library").await.problem(403, "edit");
}

#[tokio::test]
async fn a_library_has_no_trials() {
    let studio = Studio::new();
    let trial = json!({ "kind": "search", "spec": KASY0, "form": { "threads": 1 }, "trial": true });
    let trial: Search = studio.start(&trial).await;
    studio.over::<SearchReport>(&trial.id).await;
    assert_eq!(library(&studio, TOKEN).await, LibraryView::default());
    assert_eq!(studio.table(&trial.id).await.status, 200);
}

#[tokio::test]
async fn work_without_a_wiring_is_listed_with_the_objective_of_its_spec() {
    let studio = Studio::new();
    let job = "pes = 4\nnis_per_pe = 2\n[[switch]]\nports = 4\n[job]\nranks_per_pe = 1\ndp = 4\n";
    let silent: Value = json!({ "kind": "compare", "spec": job });
    let known = format!("{job}[[collective]]\nalong = 'dp'\nbytes = 8e9\n");
    for (body, objective) in [(silent, "sparse"), (json!({ "kind": "compare", "spec": known }), "time")] {
        let id = studio.start::<Value>(&body).await.id;
        let items = library(&studio, TOKEN).await.items;
        let hardware = items.into_iter().find(|item| item.id == id).unwrap().hardware.unwrap();
        assert_eq!((hardware.objective.as_str(), hardware.switches), (objective, None));
    }
}

#[tokio::test]
async fn a_fractional_design_is_listed_and_compared_by_weight() {
    let studio = Studio::new();
    let spec = "pes = 4\nnis_per_pe = 1\nobjective = 'fractional'\n[[switch]]\nports = 2\ncount = 2\n[[pattern]]\nkind = 'matrix'\n\
        pairs = \"\"\"\n0 1 90\n1 2 5\n2 3 5\n\"\"\"\n";
    let save = async |table: &str| -> DesignView {
        studio.post("/api/designs", &json!({ "spec": spec, "table": table })).await.json()
    };
    let heavy = save("0: 0 1\n1: 2 3\n").await;
    let light = save("0: 1 2\n1: 0 3\n").await;
    let items = library(&studio, TOKEN).await.items;
    let weight = |id: &str| items.iter().find(|item| item.id == id).unwrap().weight.unwrap();
    assert!((weight(&heavy.id) - 0.95).abs() < 1e-9 && (weight(&light.id) - 0.05).abs() < 1e-9, "{items:?}");
    let both = get(&studio, Some(TOKEN), &format!("/api/differences/{}/{}", heavy.id, light.id)).await;
    let rows = both.json::<DifferenceView>().rows;
    let row = rows.iter().find(|row| row.title == "Weight covered").unwrap();
    assert_eq!((row.unit.as_str(), row.values.each_ref().map(String::as_str)), ("%", ["95.00", "5.00"]));
    let sparse = save_short(&studio).await;
    let item = library(&studio, TOKEN).await.items.into_iter().find(|item| item.id == sparse.id).unwrap();
    assert_eq!((item.weight, item.coverage), (None, Some(0.5)));
}

#[tokio::test]
async fn only_who_saved_a_design_changes_its_note_or_deletes_it() {
    let studio = Studio::new();
    let id = save(&studio, TOKEN, "").await.id;
    let (note, delete) = (format!("/api/library/{id}/note"), format!("/api/library/{id}/delete"));
    for token in [None, Some(OTHER)] {
        post(&studio, token, &note, json!({ "note": "mine" })).await.problem(403, "edit");
        post(&studio, token, &delete, json!({})).await.problem(403, "edit");
    }
    assert_eq!(studio.post(&note, &json!({ "note": "bought in May" })).await.status, 204);
    let design: DesignView = studio.get(&format!("/api/designs/{id}")).await.json();
    assert_eq!(design.note, "bought in May");
    let long = json!({ "note": "x".repeat(MAX_NOTE + 1) });
    assert_eq!(studio.post(&note, &long).await.problem(422, "spec").faults[0].path, "note");
    for missing in ["/api/library/nobody/note", "/api/library/nobody/delete"] {
        studio.post(missing, &json!({ "note": "" })).await.problem(404, "not-found");
    }
}

#[tokio::test]
async fn a_deleted_design_says_so_under_its_link() {
    let folder = tempfile::tempdir().unwrap();
    let studio = Studio::with(Store::open(folder.path()).unwrap(), Config::default());
    let id = save(&studio, TOKEN, "").await.id;
    let picture = format!("/api/designs/{id}/preview.png");
    assert_eq!(studio.get(&picture).await.status, 200);
    assert_eq!(studio.post(&format!("/api/library/{id}/delete"), &json!({})).await.status, 204);
    for path in ["", "/preview.png", "/exports/wiring"] {
        let problem = studio.get(&format!("/api/designs/{id}{path}")).await.problem(410, "gone");
        assert!(problem.detail.starts_with("This design was deleted on 20"), "{}", problem.detail);
    }
    studio.post(&format!("/api/library/{id}/delete"), &json!({})).await.problem(410, "gone");
    let page = studio.get(&format!("/d/{id}")).await.status;
    assert!(page == 410 || page == 503, "{page}");
    assert!(library(&studio, TOKEN).await.items.is_empty());
}

#[tokio::test]
async fn a_client_saves_so_much_per_day() {
    let config = Config { saved_per_day: 1 << 20, ..Config::default() };
    let studio = Studio::with(Store::temporary().unwrap(), config);
    let spec = format!("{SMALL}# {}\n", "x".repeat(500_000));
    let saved = json!({ "spec": spec, "table": SMALL_WIRING, "origin": "" });
    let mut id = String::new();
    for _ in 0..2 {
        id = studio.post("/api/designs", &saved).await.json::<shared::api::DesignView>().id;
    }
    let answer = studio.post("/api/designs", &saved).await;
    let problem = answer.problem(429, "quota");
    assert!(problem.detail.starts_with("This needs 0.5 MiB. You have saved 1.0 MiB of 1 MiB"), "{problem:?}");
    let seconds: u64 = answer.header("retry-after").parse().unwrap();
    assert!((1..=24 * 3600).contains(&seconds), "{seconds}");
    // Small things still fit, and after a while they do not either.
    let note = format!("/api/library/{id}/note");
    assert_eq!(studio.post(&note, &json!({ "note": "n" })).await.status, 204);
    studio.post("/api/work", &search(&spec, json!({}))).await.problem(429, "quota");
    let form = json!({ "nis_from": 1, "nis_to": 1 });
    studio.post("/api/work", &hardware(&spec, form)).await.problem(429, "quota");
    let kept = json!({ "kind": "analysis", "spec": spec, "table": SMALL_WIRING });
    studio.post("/api/work", &kept).await.problem(429, "quota");
    assert_eq!(studio.answer(json_from(9, "/api/designs", &saved)).await.status, 201, "another client");
    let mut statuses = Vec::new();
    while statuses.last() != Some(&429) {
        statuses
            .push(studio.post("/api/workspaces", &json!({ "name": "w".repeat(100) })).await.status.as_u16());
        assert!(statuses.len() < 200, "{statuses:?}");
    }
    studio.post(&note, &json!({ "note": "n".repeat(100) })).await.problem(429, "quota");
}

#[tokio::test]
async fn a_run_is_deleted_once_it_has_ended() {
    let studio = Studio::new();
    let body = search(&hard(), json!({ "budget.seconds": 600.0 }));
    let run: Search = studio.start(&body).await;
    let delete = format!("/api/library/{}/delete", run.id);
    studio.post(&delete, &json!({})).await.problem(409, "conflict");
    studio.stop::<SearchReport>(&run.id).await;
    studio.over::<SearchReport>(&run.id).await;
    // The last write follows the end.
    for _ in 0..600 {
        if library(&studio, TOKEN).await.items[0].state.is_some_and(|state| state.is_over()) {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert_eq!(
        studio.post(&format!("/api/library/{}/note", run.id), &json!({ "note": "n" })).await.status,
        204
    );
    assert_eq!(library(&studio, TOKEN).await.items[0].note, "n");
    assert_eq!(studio.post(&delete, &json!({})).await.status, 204);
    studio.get(&format!("/api/work/{}", run.id)).await.problem(404, "not-found");
}

#[tokio::test]
async fn a_fork_says_what_it_is_based_on_and_only_its_owner_learns_the_id() {
    let studio = Studio::new();
    let run = solved(&studio).await;
    let first = save(&studio, TOKEN, &run.id).await;
    let second = save(&studio, OTHER, &first.id).await;
    assert_eq!((first.generation, second.generation), (1, 2));
    let base = first.based_on.unwrap();
    assert_eq!((base.name.as_str(), base.is_run, base.id.as_str()), ("KASY0", true, ""));
    let answer = studio.get(&format!("/api/designs/{}", second.id)).await;
    assert!(answer.text().contains("\"based_on\"") && !answer.text().contains(&first.id));
    let items = library(&studio, OTHER).await.items;
    assert_eq!(items[0].based_on.as_ref().map(|base| &base.id), Some(&first.id));
    assert_eq!(save(&studio, TOKEN, "nobody").await.based_on, None);
}

async fn workspace(studio: &Studio) -> String {
    let answer = post(studio, Some(SECRET), "/api/workspaces", json!({ "name": "Machine room" })).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    assert_eq!(answer.header(EDIT_HEADER), "");
    answer.json::<WorkspaceView>().id
}

async fn shown(studio: &Studio, token: Option<&str>, id: &str) -> WorkspaceView {
    get(studio, token, &format!("/api/workspaces/{id}")).await.json()
}

#[tokio::test]
async fn a_view_link_shows_a_workspace_and_an_edit_link_changes_it() {
    let studio = Studio::new();
    let id = workspace(&studio).await;
    let design = save(&studio, TOKEN, "").await.id;
    let add = format!("/api/workspaces/{id}/items");
    let item = json!({ "item": design, "edit": TOKEN });
    for token in [None, Some(OTHER), Some(TOKEN), Some(id.as_str())] {
        post(&studio, token, &add, item.clone()).await.problem(403, "edit");
    }
    assert_eq!(post(&studio, Some(SECRET), &add, item.clone()).await.status, 204);
    assert_eq!(post(&studio, Some(SECRET), &add, item).await.status, 204);
    let theirs = shown(&studio, None, &id).await;
    assert_eq!((theirs.name.as_str(), theirs.items.len(), theirs.may_edit), ("Machine room", 1, false));
    assert!(!theirs.items[0].may_edit);
    let ours = shown(&studio, Some(SECRET), &id).await;
    assert!(ours.may_edit && ours.items[0].may_edit);
    let note = format!("/api/library/{design}/note");
    assert_eq!(post(&studio, Some(SECRET), &note, json!({ "note": "ours" })).await.status, 204);
    let remove = format!("/api/workspaces/{id}/remove");
    let item = json!({ "item": design });
    post(&studio, None, &remove, item.clone()).await.problem(403, "edit");
    assert_eq!(post(&studio, Some(SECRET), &remove, item).await.status, 204);
    post(&studio, Some(SECRET), &note, json!({ "note": "no" })).await.problem(403, "edit");
    assert_eq!(studio.get(&format!("/api/designs/{design}")).await.json::<DesignView>().note, "ours");
}

#[tokio::test]
async fn an_edit_link_renames_a_workspace_and_deletes_it() {
    let studio = Studio::new();
    let id = workspace(&studio).await;
    let design = save(&studio, TOKEN, "").await.id;
    let path = |verb: &str| format!("/api/workspaces/{id}/{verb}");
    post(&studio, Some(SECRET), &path("items"), json!({ "item": design, "edit": TOKEN })).await;
    for verb in ["name", "delete"] {
        post(&studio, Some(OTHER), &path(verb), json!({ "name": "Mine" })).await.problem(403, "edit");
    }
    let blank =
        post(&studio, Some(SECRET), &path("name"), json!({ "name": "  " })).await.problem(422, "spec");
    assert_eq!(blank.faults[0].path, "name");
    let name = json!({ "name": " Second floor " });
    assert_eq!(post(&studio, Some(SECRET), &path("name"), name).await.status, 204);
    assert_eq!(shown(&studio, None, &id).await.name, "Second floor");
    assert_eq!(post(&studio, Some(SECRET), &path("delete"), json!({})).await.status, 204);
    get(&studio, Some(SECRET), &format!("/api/workspaces/{id}")).await.problem(404, "not-found");
    assert_eq!(studio.get(&format!("/api/designs/{design}")).await.status, 200);
    let note = format!("/api/library/{design}/note");
    post(&studio, Some(SECRET), &note, json!({ "note": "no" })).await.problem(403, "edit");
}

#[tokio::test]
async fn a_workspace_gives_no_rights_over_the_designs_of_others() {
    let studio = Studio::new();
    let id = workspace(&studio).await;
    let design = save(&studio, TOKEN, "").await.id;
    for edit in ["", OTHER, SECRET] {
        let item = json!({ "item": design, "edit": edit });
        assert_eq!(
            post(&studio, Some(SECRET), &format!("/api/workspaces/{id}/items"), item).await.status,
            204
        );
    }
    assert!(!shown(&studio, Some(SECRET), &id).await.items[0].may_edit);
    let delete = format!("/api/library/{design}/delete");
    post(&studio, Some(SECRET), &delete, json!({})).await.problem(403, "edit");
    assert_eq!(post(&studio, Some(TOKEN), &delete, json!({})).await.status, 204);
    assert!(shown(&studio, None, &id).await.items.is_empty());
}

#[tokio::test]
async fn a_workspace_hides_ids_that_are_not_in_it() {
    let studio = Studio::new();
    let id = workspace(&studio).await;
    let first = save(&studio, TOKEN, "").await.id;
    let second = save(&studio, TOKEN, &first).await.id;
    let add = format!("/api/workspaces/{id}/items");
    post(&studio, Some(SECRET), &add, json!({ "item": second })).await;
    let path = format!("/api/workspaces/{id}");
    assert!(!get(&studio, Some(SECRET), &path).await.text().contains(&first));
    post(&studio, Some(SECRET), &add, json!({ "item": first })).await;
    let items = shown(&studio, None, &id).await.items;
    assert_eq!([&items[0].id, &items[1].id], [&first, &second]);
    assert_eq!(items[1].based_on.as_ref().map(|base| &base.id), Some(&first));
}

#[tokio::test]
async fn faults_of_a_workspace_are_named() {
    let studio = Studio::new();
    for (name, found) in [("  ", "nothing"), (&*"x".repeat(101), "101 characters")] {
        let problem = studio.post("/api/workspaces", &json!({ "name": name })).await.problem(422, "spec");
        assert!(problem.faults[0].path == "name" && problem.detail.contains(found), "{}", problem.detail);
    }
    let id = workspace(&studio).await;
    let add = format!("/api/workspaces/{id}/items");
    post(&studio, Some(SECRET), &add, json!({ "item": "nobody" })).await.problem(404, "not-found");
    studio.post("/api/workspaces/nobody/items", &json!({ "item": "x" })).await.problem(404, "not-found");
    studio.get("/api/workspaces/nobody").await.problem(404, "not-found");
    studio.get("/api/workspaces").await.problem(405, "method");
    let page = studio.get("/w/nobody").await.status;
    assert!(page == 404 || page == 503, "{page}");
}

#[tokio::test]
async fn an_edit_link_stops_its_run_and_no_other() {
    let studio = Studio::new();
    let body = search(&hard(), json!({ "budget.seconds": 600.0 }));
    let run: Search = studio.start(&body).await;
    let other: Search = studio.start(&body).await;
    let link = format!("/api/work/{}/edit-link", run.id);
    post(&studio, Some(OTHER), &link, json!({})).await.problem(403, "edit");
    let first: EditLink = studio.post(&link, &json!({})).await.json();
    let second: EditLink = studio.post(&link, &json!({})).await.json();
    assert!(first.edit.len() >= 26 && first.edit != second.edit && first.edit != TOKEN);
    let (stop, stop_other) = (format!("/api/work/{}/stop", run.id), format!("/api/work/{}/stop", other.id));
    for (secret, path) in [(&first.edit, &stop), (&second.edit, &stop_other), (&second.edit, &link)] {
        post(&studio, Some(secret), path, json!({})).await.problem(403, "edit");
    }
    let delete = format!("/api/library/{}/delete", run.id);
    post(&studio, Some(&second.edit), &delete, json!({})).await.problem(403, "edit");
    assert_eq!(post(&studio, Some(&second.edit), &stop, json!({})).await.status, 200);
    studio.over::<SearchReport>(&run.id).await;
    studio.post(&stop_other, &json!({})).await;
    studio.post("/api/work/nobody/edit-link", &json!({})).await.problem(404, "not-found");
}

/// The next number of watchers.
async fn watchers(events: &mut Events) -> u32 {
    loop {
        let (event, data) = events.next().await.unwrap();
        if event == "watchers" {
            return serde_json::from_str::<WatchersView>(&data).unwrap().count;
        }
    }
}

#[tokio::test]
async fn the_events_of_a_run_count_who_watches() {
    let studio = Studio::new();
    let body = search(&hard(), json!({ "budget.seconds": 600.0 }));
    let run: Search = studio.start(&body).await;
    let mut one = studio.events(&run.id).await;
    assert_eq!(watchers(&mut one).await, 1);
    let mut two = studio.events(&run.id).await;
    assert_eq!((watchers(&mut one).await, watchers(&mut two).await), (2, 2));
    drop(two);
    assert_eq!(watchers(&mut one).await, 1);
    studio.works.stop(&run.id).unwrap();
    assert_eq!(one.rest().await.last().unwrap().0, "work");
}

#[tokio::test]
async fn two_designs_stand_side_by_side_with_the_cables_to_move() {
    let studio = Studio::new();
    let run = solved(&studio).await.id;
    let saved: DesignView =
        studio.post("/api/designs", &json!({ "spec": KASY0, "table": KASY0_WIRING })).await.json();
    let short = save_short(&studio).await.id;
    let whole = save(&studio, TOKEN, "").await.id;
    let view: Value = studio.get(&format!("/api/differences/{short}/{whole}")).await.json();
    assert_eq!((&view["kept"], &view["added"], &view["moved"]), (&json!(3), &json!(1), &json!(0)));
    let row = |title: &str| {
        view["rows"].as_array().unwrap().iter().find(|row| row["title"] == title).unwrap()["values"].clone()
    };
    assert_eq!((row("Coverage"), row("Uncovered pairs")), (json!(["50.00", "100"]), json!(["3", "0"])));
    assert_eq!(view["steps"], json!(["1 [ ] node003 NIC0: new cable, plug into sw00 port 4"]));
    let path = format!("/api/differences/{run}/{}", saved.id);
    let view: Value = studio.get(&path).await.json();
    assert_eq!(view["sides"][0]["is_run"], json!(true));
    assert!(view["moved"].as_u64().unwrap() + view["kept"].as_u64().unwrap() > 300, "{view}");
    assert_eq!(view["has_map"], json!(true));
    let map = studio.get(&format!("{path}/map.png")).await;
    assert_eq!((map.header("content-type"), &map.body[..8]), ("image/png", &b"\x89PNG\r\n\x1a\n"[..]));
    studio.get(&format!("/api/differences/{run}/{short}/map.png")).await.problem(404, "not-found");
    let csv = studio.get(&format!("{path}/recabling.csv")).await;
    assert!(
        csv.text().starts_with("step,action,pe,ni,") && csv.header("content-type").starts_with("text/csv")
    );
    let text = studio.get(&format!("{path}/recabling.txt")).await;
    assert!(text.header("content-disposition").contains("recabling.txt"));
    assert!(text.text().contains("Ports count from 1."), "{}", text.text());
    studio.get(&format!("/api/differences/{run}/nobody")).await.problem(404, "not-found");
    studio.post(&format!("/api/library/{short}/delete"), &json!({})).await;
    studio.get(&format!("/api/differences/{short}/{whole}")).await.problem(410, "gone");
}
