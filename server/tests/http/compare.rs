use crate::studio::Studio;
use serde_json::{Value, json};
use shared::compare::Comparison;

const SPEC: &str = "pes = 4\nnis_per_pe = 2\n[[switch]]\nports = 4\n[[pattern]]\nkind = 'ring'\n";

#[tokio::test]
async fn networks_are_put_side_by_side() {
    let body = json!({ "spec": SPEC, "table": "0: 0 1 3\n1: 1 2 3\n", "prices": "1998", "fabrics": ["tree:48,24,2"] });
    let found: Comparison = Studio::new().post("/api/compare", &body).await.json();
    assert_eq!((found.hosts, found.pairs), (4, 4));
    assert_eq!(found.rows[0].kind, "design");
    assert_eq!(
        (found.rows[1].text.as_str(), found.rows[1].figures.as_ref().unwrap().hosts),
        ("tree:48,24,2", 48)
    );
    let hub = found.rows.iter().find(|row| row.kind == "hub").unwrap();
    assert_eq!(hub.figures.as_ref().unwrap().bill.total, Some(4.0 * 80.0));
}

#[tokio::test]
async fn faults_of_prices_and_networks_are_told() {
    async fn paths(more: Value) -> Vec<String> {
        let mut body = json!({ "spec": SPEC });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let problem = Studio::new().post("/api/compare", &body).await.problem(422, "spec");
        problem.faults.into_iter().map(|fault| fault.path).collect()
    }
    assert_eq!(paths(json!({ "prices": "ni = -1\nport = 'x'" })).await, ["prices.ni", "prices.port"]);
    assert_eq!(paths(json!({ "prices": "3g" })).await, ["prices"]);
    assert_eq!(
        paths(json!({ "fabrics": ["ring:4", "hub:4", "mesh:1"] })).await,
        ["fabrics[0]", "fabrics[2]"]
    );
    assert_eq!(paths(json!({ "fabrics": vec!["direct"; 17] })).await, ["fabrics"]);
}
