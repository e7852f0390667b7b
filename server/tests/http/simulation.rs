use crate::studio::{Events, KASY0, KASY0_WIRING, Studio, json_from};
use serde_json::json;
use shared::simulation::{SimulationState, SimulationView};

async fn start(studio: &Studio, body: serde_json::Value) -> SimulationView {
    let answer = studio.post("/api/simulations", &body).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    let view: SimulationView = answer.json();
    assert_eq!(answer.header("location"), path(&view));
    view
}

fn path(view: &SimulationView) -> String {
    format!("/api/simulations/{}", view.id)
}

async fn over(studio: &Studio, view: &SimulationView) -> SimulationView {
    studio.until(&path(view), |view: &SimulationView| view.state != SimulationState::Running).await
}

/// It takes minutes.
fn long() -> serde_json::Value {
    json!({ "form": { "fabric": "mesh:16x16", "loads": [0.01, 0.02, 0.03], "settings": { "cycles": 20_000_000 } } })
}

#[tokio::test]
async fn points_of_a_wiring_are_there_with_the_loads_of_its_channels() {
    let studio = Studio::new();
    let form = json!({ "traffic": "pattern:0", "loads": [0.3, 0.1], "settings": { "cycles": 20_000 } });
    let view = start(&studio, json!({ "spec": KASY0, "table": KASY0_WIRING, "form": form })).await;
    assert!(view.foreseen_seconds > 0.0);
    let view = over(&studio, &view).await;
    assert_eq!(
        (view.state, view.report.fabric.as_str()),
        (SimulationState::Done, "design"),
        "{}",
        view.message
    );
    let loads: Vec<f64> = view.report.points.iter().map(|point| point.offered).collect();
    assert_eq!(loads, [0.1, 0.3]);
    for point in &view.report.points {
        assert!(point.load.iter().any(|load| *load > 0.0));
        assert!((point.accepted / point.generated - 1.0).abs() < 0.05, "{point:?}");
    }
}

#[tokio::test]
async fn events_tell_points_as_they_finish() {
    let studio = Studio::new();
    let form = json!({ "fabric": "mesh:4x4", "saturate": true, "settings": { "cycles": 200_000 } });
    let view = start(&studio, json!({ "form": form })).await;
    let mut events = Events::of(&studio, &format!("{}/events", path(&view))).await;
    let (mut last, mut counts) = (SimulationView::default(), Vec::new());
    while let Some((name, data)) = events.next().await {
        assert_eq!(name, "simulation");
        last = serde_json::from_str(&data).unwrap();
        counts.push(last.report.points.len());
        assert!(last.report.points.iter().all(|point| point.load.is_empty()));
    }
    assert!(counts.is_sorted() && last.state == SimulationState::Done, "{counts:?}");
    let throughput = last.report.saturation.unwrap().throughput;
    assert!((0.4..0.8).contains(&throughput), "{throughput}");
}

#[tokio::test]
async fn events_tell_how_far_loads_and_operations_are() {
    let studio = Studio::new();
    let long_operation = json!({ "form": { "fabric": "mesh:16x16", "traffic": "all-to-all", "rounds": 1000, "message": 512 } });
    for body in [long(), long_operation] {
        let view = start(&studio, body).await;
        let mut events = Events::of(&studio, &format!("{}/events", path(&view))).await;
        let (mut shares, mut last) = (Vec::new(), SimulationView::default());
        while let Some((_, data)) = events.next().await {
            last = serde_json::from_str(&data).unwrap();
            if let Some(progress) = &last.report.progress {
                shares.push(progress.share.unwrap());
                let of_load = progress.loads.len() == 1 && progress.cycles == 0;
                assert!(of_load || progress.loads.is_empty() && progress.cycles > 0, "{progress:?}");
            }
            if shares.len() == 3 {
                studio.post(&format!("{}/stop", path(&view)), &json!({})).await;
            }
        }
        assert!(shares.len() >= 3 && shares.is_sorted() && shares[2] > 0.0, "{shares:?}");
        assert!(last.state == SimulationState::Cancelled && last.report.progress.is_none());
    }
}

#[tokio::test]
async fn groups_have_their_times_beside_background_traffic() {
    let studio = Studio::new();
    let form = json!({
        "fabric": "switch:16", "traffic": "all-reduce-hierarchical:2", "groups": "4x4", "rounds": 3,
        "background": "uniform", "background_load": 0.2,
    });
    let view = start(&studio, json!({ "form": form })).await;
    let mut events = Events::of(&studio, &format!("{}/events", path(&view))).await;
    let mut last = SimulationView::default();
    while let Some((_, data)) = events.next().await {
        last = serde_json::from_str(&data).unwrap();
    }
    let told = last.report.collective.unwrap();
    assert!(told.complete && told.groups.is_empty() && told.load.is_empty());
    let completion = told.completion.unwrap();
    assert_eq!((completion.groups, completion.slowest), (4, told.cycles));
    assert!(told.bus_bandwidth > told.algorithm_bandwidth && told.algorithm_bandwidth > Some(0.0));
    let background = told.background.unwrap();
    assert!(background.offered == 0.2 && background.delivered > 0.8, "{background:?}");

    let result = over(&studio, &view).await.report.collective.unwrap();
    let firsts: Vec<u32> = result.groups.iter().map(|group| group.first).collect();
    assert_eq!(firsts, [0, 1, 2, 3]);
    assert_eq!(result.groups.iter().filter_map(|group| group.cycles).max(), Some(result.cycles));
}

#[tokio::test]
async fn a_stopped_one_ends_and_only_so_many_go_on() {
    let studio = Studio::new();
    let mut all = Vec::new();
    // Half of what others leave, and one while any is left.
    for (client, share) in [(1, 2), (2, 1), (3, 1)] {
        for _ in 0..share {
            let answer = studio.answer(json_from(client, "/api/simulations", &long())).await;
            all.push(answer.json::<SimulationView>());
        }
        let answer = studio.answer(json_from(client, "/api/simulations", &long())).await;
        answer.problem(429, "share");
        assert!(!answer.header("retry-after").is_empty());
    }
    assert_eq!(all.len(), server::simulations::MAX_RUNNING);
    studio.post("/api/simulations", &long()).await.problem(503, "busy");
    for view in &all {
        let answer = studio.post(&format!("{}/stop", path(view)), &json!({})).await;
        assert_eq!(answer.status, 200);
        assert_eq!(over(&studio, view).await.state, SimulationState::Cancelled);
    }
    let short = json!({ "form": { "fabric": "mesh:2x2", "loads": [0.1], "settings": { "cycles": 20_000 } } });
    let view = start(&studio, short).await;
    assert_eq!(over(&studio, &view).await.state, SimulationState::Done);
}

/// It takes milliseconds.
fn short() -> serde_json::Value {
    json!({ "form": { "fabric": "mesh:2x2", "loads": [0.1], "settings": { "cycles": 20_000 } } })
}

#[tokio::test]
async fn an_ended_one_claims_what_its_results_take() {
    let studio = Studio::new();
    let view = start(&studio, long()).await;
    let claimed = studio.tasks.memory.used();
    assert!(claimed > 100 << 10, "{claimed}");
    studio.post(&format!("{}/stop", path(&view)), &json!({})).await;
    over(&studio, &view).await;
    let kept = studio.tasks.memory.used();
    assert!((1..20 << 10).contains(&kept), "{kept} of {claimed}");
}

#[tokio::test]
async fn many_of_one_client_do_not_replace_the_results_of_another() {
    let studio = Studio::new();
    let view: SimulationView = studio.answer(json_from(1, "/api/simulations", &short())).await.json();
    over(&studio, &view).await;
    let mut last = None;
    for _ in 0..80 {
        let one: SimulationView = studio.answer(json_from(2, "/api/simulations", &short())).await.json();
        over(&studio, &one).await;
        last = Some(one);
    }
    assert_eq!(over(&studio, &view).await.state, SimulationState::Done);
    assert_eq!(over(&studio, &last.unwrap()).await.state, SimulationState::Done);
}

#[tokio::test]
async fn what_cannot_be_names_its_field() {
    let studio = Studio::new();
    for (form, field) in [
        (json!({ "fabric": "mesh:0x4" }), "fabric"),
        (json!({}), "fabric"),
        (json!({ "fabric": "mesh:3x3", "traffic": "transposed" }), "traffic"),
        (json!({ "fabric": "mesh:3x3", "loads": [0.5, -1.0] }), "loads[1]"),
        (json!({ "fabric": "mesh:3x3", "routing": "fastest" }), "routing"),
        (json!({ "fabric": "mesh:3x3", "traffic": "all-to-all", "groups": "2" }), "groups"),
        (json!({ "fabric": "mesh:3x3", "traffic": "all-to-all", "groups": "dp" }), "groups"),
        (json!({ "fabric": "mesh:3x3", "traffic": "uniform", "groups": "3" }), "groups"),
        (json!({ "fabric": "mesh:3x3", "traffic": "uniform", "background": "uniform" }), "background"),
        (json!({ "fabric": "mesh:3x3", "traffic": "all-to-all", "background": "exchange" }), "background"),
        (
            json!({ "fabric": "mesh:3x3", "traffic": "all-to-all", "background": "uniform", "background_load": 9 }),
            "background_load",
        ),
        (json!({ "fabric": "mesh:3x3", "traffic": "all-gather", "message": 8 }), "message"),
        (json!({ "fabric": "mesh:3x3", "settings": { "buffer": 0 } }), "buffer"),
        (
            json!({ "fabric": "mesh:3x3", "loads": [0.1], "settings": { "cycles": 1_000_000_000_000u64 } }),
            "time",
        ),
    ] {
        let answer = studio.post("/api/simulations", &json!({ "form": form })).await;
        let problem = answer.problem(422, "spec");
        assert_eq!(problem.faults[0].path, field, "{problem:?}");
    }
    studio.get("/api/simulations/none").await.problem(404, "not-found");
    studio.get("/api/simulations/none/events").await.problem(404, "not-found");
}
