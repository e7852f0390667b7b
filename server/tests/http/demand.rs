use crate::studio::{KASY0, Studio};
use serde_json::json;
use shared::api::DemandView;

#[tokio::test]
async fn kasy0_asks_for_its_published_pairs() {
    let counted: DemandView = Studio::new().post("/api/demand", &json!({ "spec": KASY0 })).await.json();
    assert_eq!((counted.pes, counted.pairs), (128, 1536));
    assert_eq!(counted.patterns.len(), 5);
    let hypercube = counted.patterns.iter().find(|p| p.label == "hypercube").unwrap();
    assert_eq!(hypercube.pairs, 448);
    for (row, pattern) in counted.patterns.iter().enumerate() {
        assert!((pattern.synergy[row] - 1.0).abs() < 1e-12, "a pattern covers itself");
    }
    assert!(counted.refusal.is_empty());
    // Three NICs per node and 23 usable ports.
    assert!(
        counted.bounds.ports.ports <= 23 && counted.bounds.switches.switches <= 17,
        "{:?}",
        counted.bounds
    );
}

#[tokio::test]
async fn every_fault_of_a_spec_is_told_at_once() {
    let spec = KASY0.replace("nodes = 128", "nodes = 0").replace("ports = 24", "ports = 1");
    let problem = Studio::new().post("/api/demand", &json!({ "spec": spec })).await.problem(422, "spec");
    let paths: Vec<_> = problem.faults.iter().map(|fault| fault.path.as_str()).collect();
    assert!(paths.contains(&"nodes") && paths.contains(&"switch[0].ports"), "{paths:?}");
}

#[tokio::test]
async fn hardware_that_cannot_do_it_is_counted_and_refused() {
    let spec = KASY0.replace("ports = 24", "ports = 5");
    let counted: DemandView = Studio::new().post("/api/demand", &json!({ "spec": spec })).await.json();
    assert!(!counted.refusal.is_empty() && !counted.proof.is_empty());
}

#[tokio::test]
async fn matrix_files_are_not_read_for_others() {
    let spec = "pes = 4\nnis_per_pe = 1\nobjective = \"sparse\"\n[[switch]]\nports = 4\n\
                [[pattern]]\nkind = \"matrix\"\nfile = \"/etc/passwd\"\n";
    let problem = Studio::new().post("/api/demand", &json!({ "spec": spec })).await.problem(422, "spec");
    assert!(!format!("{problem:?}").contains("root"), "{problem:?}");
}
