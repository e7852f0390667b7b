use crate::studio::Studio;
use serde_json::{Value, json};
use shared::{compare::Comparison, estimate::EstimateReport};

const SPEC: &str = "pes = 4\nnis_per_pe = 2\n[[switch]]\nports = 4\n[[pattern]]\nkind = 'ring'\n";

#[tokio::test]
async fn networks_are_put_side_by_side() {
    let body = json!({ "spec": SPEC, "table": "0: 0 1 3\n1: 1 2 3\n", "form": { "prices": "1998", "fabrics": "tree:48,24,2" } });
    let found: Comparison = Studio::new().computed("compare", body).await;
    assert_eq!((found.hosts, found.pairs), (4, 4));
    assert_eq!(found.rows[0].kind, "design");
    assert_eq!(
        (found.rows[1].text.as_str(), found.rows[1].figures.as_ref().unwrap().hosts),
        ("tree:48,24,2", 48)
    );
    let hubs = found.rows.iter().find(|row| row.text == "planes:2,hub:4").unwrap();
    assert_eq!(hubs.figures.as_ref().unwrap().bill.total, Some(2.0 * 4.0 * 80.0));
}

#[tokio::test]
async fn faults_of_prices_and_networks_are_told() {
    async fn paths(more: Value) -> Vec<String> {
        let mut body = json!({ "spec": SPEC });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let problem = Studio::new().wait("compare", body).await.problem(422, "spec");
        problem.faults.into_iter().map(|fault| fault.path).collect()
    }
    assert_eq!(
        paths(json!({ "form": { "prices": "ni = -1\nport = 'x'" } })).await,
        ["prices.nic", "prices.port"]
    );
    assert_eq!(paths(json!({ "form": { "prices": "3g" } })).await, ["prices"]);
    assert_eq!(
        paths(json!({ "form": { "fabrics": ["ring:4", "hub:4", "mesh:1"] } })).await,
        ["fabrics[0]", "fabrics[2]"]
    );
    assert_eq!(paths(json!({ "form": { "fabrics": vec!["direct"; 17] } })).await, ["fabrics"]);
    assert_eq!(paths(json!({ "form": { "fabrics": ["file:net"] } })).await, ["fabrics[0]"]);
    let files = json!({ "net": "a s\nb s fast\nc s\nc s\nd d\n" });
    let found = paths(json!({ "form": { "fabrics": ["file:net", "ring:4"] }, "files": files })).await;
    assert_eq!(found, ["net line 2", "net line 5", "fabrics[1]"]);
}

#[tokio::test]
async fn a_network_may_be_the_text_of_a_file() {
    let files = json!({ "net": "a s\nb s\nc s\nd s\n" });
    let body =
        json!({ "spec": SPEC, "form": { "fabrics": ["file:net", "planes:2,file:net"] }, "files": files });
    let found: Comparison = Studio::new().computed("compare", body).await;
    let [net, planes] = &found.rows[..2] else { panic!("{:?}", found.rows) };
    assert!(found.rows.iter().all(|row| row.warnings.is_empty()));
    assert_eq!((net.text.as_str(), net.unlike.as_deref()), ("file:net", Some("1 NIC per host instead of 2")));
    assert_eq!((planes.text.as_str(), &planes.unlike), ("planes:2,file:net", &None));
    let switch = found.rows.iter().find(|row| row.text == "planes:2,switch:4").unwrap();
    let [planes, switch] = [planes, switch].map(|row| row.figures.as_ref().unwrap());
    assert!(planes.bill.total.is_some() && planes.bill == switch.bill);
    assert_eq!(planes.bisection.bandwidth, switch.bisection.bandwidth);
}

#[tokio::test]
async fn parts_of_a_file_that_are_left_out_are_in_the_row() {
    let cables = "Device A,Termination A,Device B,Termination B\nnode1,eth0,sw1,swp1\nnode2,eth0,sw1,swp2\nnode3,eth0,sw1,swp3\n\
                  node4,eth0,sw1,swp4\nsw1,PSU1,pdu1,Outlet 1\n";
    let body =
        json!({ "spec": SPEC, "form": { "fabrics": ["file:net.csv"] }, "files": { "net.csv": cables } });
    let found: Comparison = Studio::new().computed("compare", body).await;
    assert_eq!(
        found.rows[0].warnings,
        ["net.csv line 6: is a cable for power or a console, and is left out."]
    );
    assert!(found.rows[1..].iter().all(|row| row.warnings.is_empty()));
}

#[tokio::test]
async fn a_step_is_timed_on_the_wiring_and_on_other_networks() {
    let job = "[job]\nranks_per_pe = 1\ndp = 4\n[[collective]]\nalong = 'dp'\nbytes = 8e9\n";
    let spec = format!("pes = 4\nnis_per_pe = 2\n[[switch]]\nports = 4\n{job}");
    let table = "0: 0 1 2 3\n1: 0 1 2 3\n";
    let body = json!({
        "spec": spec, "table": table, "form": { "fabrics": ["host-torus:2x2"], "failures": "0" },
    });
    let found: EstimateReport = Studio::new().computed("estimate", body).await;
    assert_eq!((found.hosts, found.ranks, found.networks[0].kind.as_str()), (4, Some(4), "design"));
    assert_eq!(
        (found.networks[0].failure.as_ref(), found.networks[1].text.as_str()),
        (None, "host-torus:2x2")
    );
    assert!(found.networks.iter().any(|network| network.text == "planes:2,switch:4"));
    // The spec's assumptions count, unless the form has its own.
    let spec_with = format!("forwarding = false\n{spec}[assumptions]\nfailures = 0\n");
    let body = json!({ "spec": spec_with, "table": table, "form": { "failures": "1" } });
    let found: EstimateReport = Studio::new().computed("estimate", body).await;
    assert!(found.networks[0].failure.is_some());
    assert!(found.assumptions.iter().any(|line| line == "Nodes do not forward traffic for others."));
    let refused =
        |body: Value| async move { Studio::new().wait("estimate", body).await.problem(422, "spec").faults };
    let faults = refused(json!({ "spec": SPEC })).await;
    assert_eq!(faults[0].path, "job");
    let faults = refused(json!({ "spec": spec, "form": { "failures": "65" } })).await;
    assert_eq!((faults[0].path.as_str(), faults[0].value.as_str()), ("failures", "65"));
    // Node 0 has two NICs.
    let broken = json!({ "spec": spec, "table": "0: 0 1\n1: 0 2\n2: 0 3\n" });
    for faults in [
        refused(broken.clone()).await,
        Studio::new().wait("compare", broken).await.problem(422, "spec").faults,
    ] {
        assert_eq!(faults[0].path, "table");
        assert!(faults[0].message.starts_with("does not fit the spec: "), "{faults:?}");
    }
}
