use crate::studio::{
    KASY0, KASY0_WIRING, Simulation, Studio, hard, json_from, open_when_free, search, simulation,
};
use serde_json::{Value, json};
use server::{
    api::Config,
    store::Store,
    work::{MAX_QUEUED_PER_OWNER, simulation::MAX_RUNNING},
};
use shared::{
    api::{WorkChange, WorkState},
    simulation::SimulationReport,
};
use std::time::Duration;

/// State and report of an event; `None` for one with the number of watchers.
fn told((name, data): (String, String)) -> Option<WorkChange<SimulationReport>> {
    assert!(["work", "progress", "watchers"].contains(&name.as_str()), "{name}");
    (name != "watchers").then(|| serde_json::from_str(&data).unwrap())
}

/// It takes minutes.
fn long() -> Value {
    simulation(json!({ "fabric": "mesh:16x16", "loads": [0.01, 0.02, 0.03], "cycles": 20_000_000 }))
}

/// It takes milliseconds.
fn short() -> Value {
    simulation(json!({ "fabric": "mesh:2x2", "loads": [0.1], "cycles": 20_000 }))
}

#[tokio::test]
async fn points_of_a_wiring_are_there_with_the_loads_of_its_channels() {
    let studio = Studio::new();
    let mut body = simulation(json!({ "traffic": "pattern:0", "loads": [0.3, 0.1], "cycles": 20_000 }));
    (body["spec"], body["table"]) = (KASY0.into(), KASY0_WIRING.into());
    let view: Simulation = studio.start(&body).await;
    assert!(view.foreseen.unwrap() > 0.0);
    let view: Simulation = studio.over(&view.id).await;
    assert_eq!((view.state, view.report.fabric.as_str()), (WorkState::Done, "design"), "{}", view.message);
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
    let form = json!({ "fabric": "mesh:4x4", "saturate": true, "cycles": 200_000 });
    let view: Simulation = studio.start(&simulation(form)).await;
    let mut events = studio.events(&view.id).await;
    let (mut last, mut counts) = (None, Vec::new());
    while let Some(event) = events.next().await {
        let Some(change) = told(event) else { continue };
        counts.push(change.report.points.len());
        assert!(change.report.points.iter().all(|point| point.load.is_empty()));
        last = Some(change);
    }
    let last = last.unwrap();
    assert!(counts.is_sorted() && last.state == WorkState::Done, "{counts:?}");
    let throughput = last.report.saturation.unwrap().throughput;
    assert!((0.4..0.8).contains(&throughput), "{throughput}");
}

#[tokio::test]
async fn events_tell_how_far_loads_and_operations_are() {
    let studio = Studio::new();
    let long_operation = simulation(
        json!({ "fabric": "mesh:16x16", "traffic": "all-to-all", "rounds": 1000, "message": 512 }),
    );
    for body in [long(), long_operation] {
        let view: Simulation = studio.start(&body).await;
        let mut events = studio.events(&view.id).await;
        let (mut shares, mut last) = (Vec::new(), None);
        while let Some(event) = events.next().await {
            let Some(change) = told(event) else { continue };
            if let Some(progress) = &change.report.progress {
                shares.push(progress.share.unwrap());
                let of_load = progress.loads.len() == 1 && progress.cycles == 0;
                assert!(of_load || progress.loads.is_empty() && progress.cycles > 0, "{progress:?}");
            }
            if shares.len() == 3 {
                studio.stop::<Value>(&view.id).await;
            }
            last = Some(change);
        }
        let last = last.unwrap();
        assert!(shares.len() >= 3 && shares.is_sorted() && shares[2] > 0.0, "{shares:?}");
        assert!(last.state == WorkState::Cancelled && last.report.progress.is_none());
    }
}

#[tokio::test]
async fn groups_have_their_times_beside_background_traffic() {
    let studio = Studio::new();
    let form = json!({
        "fabric": "switch:16", "traffic": "all-reduce-hierarchical:2", "groups": "4x4", "rounds": 3,
        "background": "uniform", "background_load": 0.2,
    });
    let view: Simulation = studio.start(&simulation(form)).await;
    let events = studio.events(&view.id).await.rest().await;
    let last = events.into_iter().filter_map(told).next_back().unwrap();
    let told = last.report.collective.unwrap();
    assert!(told.complete && told.groups.is_empty() && told.load.is_empty());
    let completion = told.completion.unwrap();
    assert_eq!((completion.groups, completion.slowest), (4, told.cycles));
    assert!(told.bus_bandwidth > told.algorithm_bandwidth && told.algorithm_bandwidth > Some(0.0));
    let background = told.background.unwrap();
    assert!(background.offered == 0.2 && background.delivered > 0.8, "{background:?}");

    let over: Simulation = studio.over(&view.id).await;
    let result = over.report.collective.unwrap();
    let firsts: Vec<u32> = result.groups.iter().map(|group| group.first).collect();
    assert_eq!(firsts, [0, 1, 2, 3]);
    assert_eq!(result.groups.iter().filter_map(|group| group.cycles).max(), Some(result.cycles));
}

async fn start_as(studio: &Studio, client: u8, body: &Value) -> Simulation {
    studio.answer(json_from(client, "/api/work", body)).await.json()
}

#[tokio::test]
async fn so_many_run_and_others_wait_with_fair_turns() {
    let studio = Studio::new();
    // Searches have threads of their own.
    let run = studio.start::<Value>(&search(&hard(), json!({ "budget.seconds": 600.0, "threads": 2 }))).await;
    studio.until_state(&run.id, WorkState::Running).await;
    let mut running = Vec::new();
    // A client has half of the threads that others leave.
    for _ in 0..MAX_RUNNING / 2 {
        running.push(start_as(&studio, 1, &long()).await.id);
    }
    for id in &running {
        studio.until_state(id, WorkState::Running).await;
    }
    let mut own = Vec::new();
    for place in 0..MAX_QUEUED_PER_OWNER {
        let view = start_as(&studio, 1, &long()).await;
        assert_eq!((view.state, view.queue.unwrap().ahead), (WorkState::Queued, place as u32));
        own.push(view.id);
    }
    let answer = studio.answer(json_from(1, "/api/work", &long())).await;
    let problem = answer.problem(429, "share");
    assert!(problem.detail.contains("16 of your computations"), "{}", problem.detail);
    assert!(!answer.header("retry-after").is_empty());

    // Another client begins at once, whatever waits before it.
    let other = start_as(&studio, 2, &long()).await;
    studio.until_state(&other.id, WorkState::Running).await;
    assert_eq!(studio.view::<Value>(&own[0]).await.state, WorkState::Queued);
    studio.stop::<Value>(&running[0]).await;
    studio.until_state(&own[0], WorkState::Running).await;
    let waits = studio.view::<Value>(&own[1]).await;
    assert_eq!((waits.state, waits.queue.unwrap().ahead), (WorkState::Queued, 0));
    for id in own[1..].iter().rev() {
        assert_eq!(studio.post(&format!("/api/work/{id}/stop"), &json!({})).await.status, 200);
        studio.until_state(id, WorkState::Cancelled).await;
    }
    // On a busy machine, those that run may end meanwhile.
    for id in running.iter().chain([&own[0], &other.id]) {
        assert_eq!(studio.post(&format!("/api/work/{id}/stop"), &json!({})).await.status, 200);
        assert!(studio.over::<Value>(id).await.state.is_over());
    }
    let view: Simulation = studio.start(&short()).await;
    assert_eq!(studio.over::<Value>(&view.id).await.state, WorkState::Done);
    studio.stop::<Value>(&run.id).await;
}

#[tokio::test]
async fn an_ended_one_claims_no_memory() {
    let studio = Studio::new();
    let view: Simulation = studio.start(&long()).await;
    let claimed = studio.tasks.memory.used();
    assert!(claimed > 100 << 10, "{claimed}");
    studio.stop::<Value>(&view.id).await;
    studio.over::<Value>(&view.id).await;
    for _ in 0..600 {
        if studio.tasks.memory.used() == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{} of {claimed}", studio.tasks.memory.used());
}

#[tokio::test]
async fn many_of_one_client_do_not_replace_the_results_of_another() {
    let studio = Studio::new();
    let view = start_as(&studio, 1, &short()).await;
    studio.over::<Value>(&view.id).await;
    let mut last = None;
    for _ in 0..80 {
        let one = start_as(&studio, 2, &short()).await;
        studio.over::<Value>(&one.id).await;
        last = Some(one);
    }
    for id in [view.id, last.unwrap().id] {
        let kept: Simulation = studio.view(&id).await;
        assert_eq!((kept.state, kept.report.points.len()), (WorkState::Done, 1));
    }
}

#[tokio::test]
async fn a_simulation_goes_on_after_a_restart_with_the_points_that_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let body =
        simulation(json!({ "fabric": "mesh:8x8", "loads": [0.05, 0.1, 0.15, 0.2], "cycles": 400_000 }));
    let studio = Studio::with(Store::open(folder.path()).unwrap(), Config::default());
    let view: Simulation = studio.start(&body).await;
    studio.until_work(&view.id, |view: &Simulation| !view.report.points.is_empty()).await;
    studio.shut_down().await;
    let refused = studio.get(&format!("/api/work/{}", view.id)).await.problem(503, "busy");
    assert!(refused.detail.contains("whether this work resumes"), "{}", refused.detail);
    let stopped = studio.works.view(&view.id).unwrap().unwrap();
    assert_eq!(stopped.state, WorkState::Interrupted);
    assert!(stopped.message.contains("the work resumes when the studio starts again"), "{}", stopped.message);
    let before: SimulationReport = serde_json::from_str(stopped.report.get()).unwrap();
    assert!((1..4).contains(&before.points.len()) && before.progress.is_none(), "{before:?}");
    drop(studio);

    let next = Studio::with(open_when_free(folder.path()).await, Config::default());
    let known: Simulation = next.view(&view.id).await;
    assert!(!known.state.is_over() && known.message.is_empty(), "{known:?}");
    assert_eq!(known.asked, view.asked);
    assert!(known.report.points.starts_with(&before.points));
    let over: Simulation = next.over(&view.id).await;
    assert_eq!((over.state, over.report.points.len()), (WorkState::Done, 4), "{}", over.message);
    let whole: Simulation = next.start(&body).await;
    let whole: Simulation = next.over(&whole.id).await;
    assert_eq!(over.report, whole.report);
}

#[tokio::test]
async fn what_cannot_be_names_its_field() {
    let studio = Studio::new();
    for (form, field) in [
        (json!({ "fabric": "mesh:0x4" }), "fabric"),
        (json!({}), "fabric"),
        (json!({ "fabric": "mesh:3x3", "traffic": "transposed" }), "traffic"),
        (json!({ "fabric": "mesh:3x3", "loads": [0.5, -1.0] }), "loads"),
        (json!({ "fabric": "mesh:3x3", "routing": "fastest" }), "routing"),
        (json!({ "fabric": "mesh:3x3", "traffic": "all-to-all", "groups": "2" }), "groups"),
        (json!({ "fabric": "mesh:3x3", "traffic": "all-to-all", "groups": "dp" }), "groups"),
        (json!({ "fabric": "mesh:3x3", "traffic": "all-to-all", "background": "exchange" }), "background"),
        (
            json!({ "fabric": "mesh:3x3", "traffic": "all-to-all", "background": "uniform", "background_load": 9 }),
            "background_load",
        ),
        (json!({ "fabric": "mesh:3x3", "traffic": "all-gather", "message": 8 }), "message"),
        (json!({ "fabric": "mesh:3x3", "buffer": 0 }), "buffer"),
        (json!({ "fabric": "mesh:3x3", "loads": [0.1], "cycles": 1_000_000_000_000u64 }), "time"),
    ] {
        let answer = studio.post("/api/work", &simulation(form)).await;
        let problem = answer.problem(422, "spec");
        assert_eq!(problem.faults[0].path, field, "{problem:?}");
    }
}

#[tokio::test]
async fn a_field_without_effect_on_the_traffic_is_a_fault() {
    let studio = Studio::new();
    let timed = "has no effect without a collective operation such as all-to-all; remove it.";
    let open = "has no effect with all-to-all, a collective operation; remove it.";
    for (traffic, field, value, expected) in [
        ("uniform", "groups", "3", timed),
        ("uniform", "background", "uniform", timed),
        ("hot-spot", "background_load", "0.5", timed),
        ("uniform", "message", "64", timed),
        ("uniform", "rounds", "x", timed),
        ("all-to-all", "loads", "0.1", open),
        ("all-to-all", "saturate", "true", open),
        ("all-to-all", "cycles", "20000", open),
        ("all-to-all", "background_load", "0.5", "has no effect without background traffic; remove it."),
    ] {
        let form = json!({ "fabric": "mesh:3x3", "traffic": traffic, field: value });
        let problem = studio.post("/api/work", &simulation(form)).await.problem(422, "spec");
        let [fault] = &problem.faults[..] else { panic!("{problem:?}") };
        assert_eq!((fault.path.as_str(), fault.value.as_str()), (field, value));
        assert_eq!(fault.message, expected);
        assert_eq!((fault.mends[0].path.as_str(), fault.mends[0].text.as_str()), (field, ""));
    }
    let form = json!({ "fabric": "mesh:3x3", "traffic": "all-to-all", "rounds": 1, "saturate": false });
    studio.start::<Value>(&simulation(form)).await;
}
