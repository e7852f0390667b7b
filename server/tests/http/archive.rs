//! Files of several formats in one archive.

use crate::studio::{KASY0, KASY0_WIRING, Studio};
use serde_json::json;
use shared::api::DesignView;

fn paths(body: &[u8]) -> Vec<String> {
    let mut archive = tar::Archive::new(body);
    archive.entries().unwrap().map(|entry| entry.unwrap().path().unwrap().display().to_string()).collect()
}

#[tokio::test]
async fn all_or_chosen_formats_come_as_one_archive_by_both_routes() {
    let studio = Studio::new();
    let body = json!({ "spec": KASY0, "table": KASY0_WIRING });
    let design: DesignView = studio.post("/api/designs", &body).await.json();
    for (what, files) in
        [("all?pe=7", shared::exports::formats().count()), ("cables,hosts", 129), ("cables,", 1)]
    {
        let kept = studio.get(&format!("/api/designs/{}/exports/{what}", design.id)).await;
        // A saved design knows its link.
        let link = format!("link=http://localhost:8080/d/{}", design.id);
        let with = if what.starts_with("all") { vec![link] } else { Vec::new() };
        let body = json!({ "spec": KASY0, "table": KASY0_WIRING, "with": with });
        let posted = studio.post(&format!("/api/exports/{what}"), &body).await;
        assert!(kept.status.is_success(), "{what}: {}", kept.text());
        assert!(kept.body == posted.body, "{what}: two routes, two archives");
        assert_eq!(kept.header("content-type"), "application/x-tar");
        assert!(kept.header("content-disposition").contains("filename=\"kasy0"));
        let found = paths(&kept.body);
        assert!(
            found.len() >= files && found.iter().all(|path| path.starts_with("kasy0/")),
            "{what}: {found:?}"
        );
    }
}

#[tokio::test]
async fn settings_come_in_the_query_or_the_body() {
    let studio = Studio::new();
    let body = |with: &[&str]| json!({ "spec": KASY0, "table": KASY0_WIRING, "with": with });
    let asked = studio.post("/api/exports/routes?with=dead=sw3", &body(&[])).await;
    let told = studio.post("/api/exports/routes", &body(&["dead=sw3"])).await;
    let whole = studio.post("/api/exports/routes", &body(&[])).await;
    assert!(asked.status.is_success() && asked.body == told.body && asked.body != whole.body);
    let name = |found: &crate::studio::Answer| found.header("content-disposition").to_owned();
    assert!(name(&told).ends_with("\"kasy0-failed-sw03-routes.csv\""), "{}", name(&told));
    assert!(name(&whole).ends_with("\"kasy0-routes.csv\""), "{}", name(&whole));
    let both = studio.post("/api/exports/cables,routes", &body(&["failed=sw3"])).await;
    assert!(name(&both).ends_with("\"kasy0-failed-sw03.tar\""), "{}", name(&both));
    let found = ["kasy0-failed-sw03/kasy0-cables.csv", "kasy0-failed-sw03/kasy0-failed-sw03-routes.csv"];
    assert_eq!(paths(&both.body), found);
    let twice = studio.post("/api/exports/routes?with=dead=sw3", &body(&["dead=sw4"])).await;
    assert!(twice.problem(422, "export").detail.contains("given twice"));
    studio.post("/api/exports/cables,nonsense", &body(&[])).await.problem(404, "not-found");
    studio.post("/api/exports/all?pe=128", &body(&[])).await.problem(404, "not-found");
    let problem = studio.post("/api/exports/all", &body(&["dead=nonsense"])).await.problem(422, "export");
    assert!(problem.detail.contains("\"nonsense\" is not a switch"), "{}", problem.detail);
}
