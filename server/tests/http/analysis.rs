use crate::studio::{KASY0, KASY0_WIRING, SMALL, Studio};
use serde_json::json;
use shared::{
    analysis::library::Devices,
    api::{AnalysisView, FailuresView, MAX_UNCOVERED, PlacedView, RoutesView},
};

#[tokio::test]
async fn kasy0s_published_wiring_holds_and_connects_its_published_pairs() {
    let body = json!({ "spec": KASY0, "table": KASY0_WIRING });
    let view: AnalysisView = Studio::new().computed("analysis", body).await;
    assert!(view.verdict.holds() && view.uncovered == 0 && view.advice.is_empty());
    assert_eq!((view.figures.connected, view.figures.switches_used), (3457, 17));
    assert!(view.rows.iter().any(|row| row.key == "connected" && row.value == "3,457"));
}

#[tokio::test]
async fn uncovered_pairs_and_broken_limits_are_named_with_advice() {
    let spec = SMALL.replace("ports = 4", "ports = 4\ncount = 1");
    let body = json!({ "spec": spec, "table": "0: 0 1\n1: 0 2 3\n" });
    let view: AnalysisView = Studio::new().computed("analysis", body).await;
    assert_eq!(view.verdict.uncovered, [(1, 2), (1, 3)]);
    assert_eq!(view.verdict.breaches.len(), 2, "PE 0 has one NI, and one switch is allowed");
    assert!(!view.advice.is_empty());
}

#[tokio::test]
async fn connections_of_a_jobs_library_are_counted() {
    let spec =
        "pes = 3\nnis_per_pe = 2\n[[switch]]\nports = 4\n[job]\nranks_per_pe = 2\nlibrary = \"nccl\"\n";
    let analyse = async |spec: &str, table: &str| -> AnalysisView {
        Studio::new().computed("analysis", json!({ "spec": spec, "table": table })).await
    };
    let triangle = "0: 0 1\n1: 1 2\n2: 0 2\n";
    let found = analyse(spec, triangle).await.connections.expect("connections");
    assert_eq!((found.pairs, found.connected, found.devices), (3, 3, Devices::Pairs));
    let short = "0: 0 1\n1: 1 2\n";
    let found = analyse(spec, short).await.connections.expect("connections");
    assert_eq!((found.connected, found.apart, found.broken[0].nodes), (2, 1, [0, 2]));
    assert_eq!(analyse(SMALL, triangle).await.connections, None);
}

#[tokio::test]
async fn a_node_twice_on_a_plane_breaks_rails() {
    let spec = "pes = 4\nnis_per_pe = 2\nrail = true\n[[switch]]\nports = 2\n[[pattern]]\nkind = \"ring\"\n";
    let body = json!({ "spec": spec, "table": "0: 0 1\n1: 1 2\n2: 3 0\n" });
    let view: AnalysisView = Studio::new().computed("analysis", body).await;
    let told = serde_json::to_value(&view.verdict.breaches).unwrap();
    let rail = json!({ "breach": "rail", "pe": 1, "plane": 0, "has": 2, "allowed": 1 });
    assert_eq!(told, json!([rail, { "breach": "skipped", "pe": 3, "plane": 0, "later": 1 }]));
    let uneven = json!({ "spec": spec.replace("ports = 2", "ports = 2\ncount = 5"), "table": "0: 0 1\n" });
    let problem = Studio::new().wait("analysis", uneven).await.problem(422, "spec");
    assert_eq!(problem.faults[0].path, "switch[0].count");
}

#[tokio::test]
async fn a_long_list_of_uncovered_pairs_is_cut_but_counted() {
    let spec = SMALL.replace("pes = 4", "pes = 400").replace("ports = 4", "ports = 400");
    let view: AnalysisView =
        Studio::new().computed("analysis", json!({ "spec": spec, "table": "0: 0 1" })).await;
    assert_eq!(view.uncovered, 400 * 399 / 2 - 1);
    assert_eq!(view.verdict.uncovered.len(), MAX_UNCOVERED);
}

#[tokio::test]
async fn every_faulty_line_of_a_table_is_told() {
    let body = json!({ "spec": SMALL, "table": "0: 0 9\nnonsense\n" });
    let problem = Studio::new().wait("analysis", body).await.problem(422, "table");
    let lines: Vec<_> = problem.table_faults.iter().map(|fault| fault.line).collect();
    assert_eq!(lines, [1, 2]);
}

#[tokio::test]
async fn switches_are_placed_where_cables_are_shortest() {
    let studio = Studio::new();
    // Two racks of four nodes; each switch stands in the other's best place.
    let spec =
        format!("{}[[rack]]\npes = 4\nswitches = 1\n[[rack]]\npes = 4\nswitches = 1\nx = 5.0\n", RACKED);
    let table = "0: 3 4 5 6 7\n1: 0 1 2 3 4\n";
    let placed: PlacedView = studio.computed("placement", json!({ "spec": spec, "table": table })).await;
    assert_eq!(placed.table, "0: 0 1 2 3 4\n1: 3 4 5 6 7\n");
    assert_eq!((placed.metres_before, placed.metres), (60.0, 30.0));
    let again: PlacedView =
        studio.computed("placement", json!({ "spec": spec, "table": placed.table })).await;
    assert_eq!((again.table, again.metres), (placed.table, placed.metres));

    let body = |nodes| json!({ "spec": RACKED, "table": table, "form": { "nodes_per_rack": nodes } });
    let assumed: PlacedView = studio.computed("placement", body(Some(4))).await;
    assert!(assumed.metres < assumed.metres_before, "{assumed:?}");
    for nodes in [None, Some(0)] {
        let refused = studio.wait("placement", body(nodes)).await.problem(422, "spec");
        assert_eq!(refused.faults[0].path, "nodes_per_rack");
    }
    let wide = json!({ "spec": spec, "table": "0: 0 1 2 3 4 5 6\n1: 7\n" });
    let refused = studio.wait("placement", wide).await.problem(422, "spec");
    assert_eq!(refused.faults[0].path, "table");
}

/// Eight nodes in a row on two switches with five ports.
const RACKED: &str = "pes = 8\nnis_per_pe = 2\nobjective = \"sparse\"\n[[switch]]\nports = 5\ncount = 2\n[[pattern]]\nkind = \"grid\"\ndims = [8]\n";

#[tokio::test]
async fn routes_and_failures_are_those_of_the_exports() {
    let studio = Studio::new();
    let table = "0: 0 1 2 3 4\n1: 3 4 5 6 7\n";
    let body = |failed: &str, from: u32, to: u32| json!({ "spec": RACKED, "table": table, "failed": failed, "from": from, "to": to });
    let view: RoutesView = studio.post("/api/routes", &body("", 3, 4)).await.json();
    assert_eq!(
        view.shared.iter().map(|s| (s.switch, s.nis, s.ports, s.works)).collect::<Vec<_>>(),
        [(0, (0, 0), (4, 5), true), (1, (1, 1), (1, 2), true)]
    );
    assert!(view.has_basic && view.routes.len() == 3, "{view:?}");
    for route in &view.routes {
        let export = json!({ "spec": RACKED, "table": table });
        let file = studio.post(&format!("/api/exports/{}?pe=3", route.file), &export).await;
        for (number, line) in &route.lines {
            assert_eq!(file.text().lines().nth(number - 1), Some(line.as_str()), "{}", route.file);
        }
    }
    let failed: RoutesView = studio.post("/api/routes", &body("sw0", 0, 1)).await.json();
    assert!(!failed.shared[0].works);
    let failures: FailuresView = studio
        .post("/api/failures", &json!({ "spec": RACKED, "table": table, "failed": "sw0" }))
        .await
        .json();
    let report = failures.report.unwrap();
    assert_eq!(
        (failures.requested, report.damage.requested.lost(), report.damage.requested.fewer),
        (7, 3, 1)
    );
    for (body, field) in [(body("sw9", 0, 1), "failed"), (body("", 0, 8), "to"), (body("", 8, 0), "from")] {
        let refused = studio.post("/api/routes", &body).await.problem(422, "spec");
        assert_eq!(refused.faults[0].path, field);
    }
}
