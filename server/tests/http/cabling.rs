use crate::studio::{Answer, Events, KASY0, KASY0_WIRING, Studio, json_with};
use serde_json::{Value, json};
use server::{api::Config, edit::TokenHash, store::Store};
use shared::{
    api::{CableState, CablingChange, CablingView, DesignView, EDIT_HEADER, Tick, TickSource},
    design::table,
};

const KEY: &str = "the-cabling-key-of-these-tests";

async fn saved(studio: &Studio) -> String {
    let body = json!({ "spec": KASY0, "table": KASY0_WIRING });
    let design: DesignView = studio.post("/api/designs", &body).await.json();
    format!("/api/designs/{}/cabling", design.id)
}

async fn started(studio: &Studio) -> String {
    let path = saved(studio).await;
    let view: CablingView = studio.answer(json_with(Some(KEY), &path, &json!({}))).await.json();
    assert!(view.allowed && view.started.is_some() && view.ticks.is_empty());
    path
}

/// The first cable of a node.
fn cable(node: u32) -> Value {
    let nis = table::parse(KASY0_WIRING, 128).unwrap().nis();
    json!({ "node": node, "nic": 0, "switch": nis.of(node)[0], "state": "plugged", "who": "Ann", "at": 1000 })
}

fn with(mut tick: Value, field: &str, value: impl Into<Value>) -> Value {
    tick[field] = value.into();
    tick
}

async fn send(studio: &Studio, key: Option<&str>, path: &str, ticks: &[Value]) -> Answer {
    studio.answer(json_with(key, &format!("{path}/ticks"), &json!({ "ticks": ticks }))).await
}

async fn ticks(studio: &Studio, path: &str) -> Vec<Tick> {
    studio.get(path).await.json::<CablingView>().ticks
}

#[tokio::test]
async fn a_tick_is_there_for_others() {
    let studio = Studio::new();
    let path = started(&studio).await;
    let answer: CablingChange = send(&studio, Some(KEY), &path, &[cable(17)]).await.json();
    let view: CablingView = studio.get(&path).await.json();
    assert_eq!(view.ticks, answer.ticks);
    let [tick] = &view.ticks[..] else { panic!("{view:?}") };
    assert_eq!((tick.node, tick.state, tick.source), (17, CableState::Plugged, TickSource::Person));
    assert_eq!((tick.who.as_str(), tick.at, view.allowed), ("Ann", 1000, false));
}

#[tokio::test]
async fn without_the_key_nothing_changes() {
    let studio = Studio::new();
    let path = saved(&studio).await;
    let problem = send(&studio, Some(KEY), &path, &[cable(0)]).await.problem(403, "edit");
    assert!(problem.detail.contains("has not started"), "{}", problem.detail);
    studio.answer(json_with(Some(KEY), &path, &json!({}))).await.json::<CablingView>();
    for key in [None, Some("another-key-of-a-technician"), Some("x")] {
        let problem = send(&studio, key, &path, &[cable(0)]).await.problem(403, "edit");
        assert!(problem.detail.contains("join link"), "{}", problem.detail);
        let report = json!({ "host": "pe000", "neighbours": "", "interface": "eth" });
        studio.answer(json_with(key, &format!("{path}/audit"), &report)).await.problem(403, "edit");
    }
    assert!(ticks(&studio, &path).await.is_empty());
    for more in ["", "/ticks", "/audit"] {
        let nowhere = format!("/api/designs/nobody/cabling{more}");
        let body = json!({ "ticks": [], "host": "", "neighbours": "", "interface": "" });
        let body = match more {
            "/ticks" => json!({ "ticks": [] }),
            "/audit" => json!({ "host": "", "neighbours": "", "interface": "" }),
            _ => body,
        };
        studio.answer(json_with(Some(KEY), &nowhere, &body)).await.problem(404, "not-found");
    }
}

#[tokio::test]
async fn the_first_key_stays_and_the_operators_token_is_accepted() {
    let admin = "the-token-of-the-operator";
    let config = Config { admin_token: Some(TokenHash::of(admin)), ..Config::default() };
    let studio = Studio::with(Store::temporary().unwrap(), config);
    let path = saved(&studio).await;
    let fresh = studio.answer(json_with(None, &path, &json!({}))).await;
    assert_eq!(fresh.status, 201);
    let key = fresh.header(EDIT_HEADER).to_owned();
    assert!(key.len() >= 26 && !fresh.text().contains(&key));
    let problem = studio.answer(json_with(Some(KEY), &path, &json!({}))).await.problem(403, "edit");
    assert!(problem.detail.contains("already started"), "{}", problem.detail);
    assert_eq!(studio.answer(json_with(Some(&key), &path, &json!({}))).await.status, 200);
    for key in [key.as_str(), admin] {
        assert_eq!(send(&studio, Some(key), &path, &[cable(3)]).await.status, 200);
    }
    studio.answer(json_with(Some("short"), &path, &json!({}))).await.problem(400, "request");
}

#[tokio::test]
async fn the_newest_tick_wins_and_a_batch_may_be_sent_twice() {
    let studio = Studio::new();
    let path = started(&studio).await;
    let late = with(with(cable(5), "at", 2000), "who", "Bob");
    let batches = [vec![late.clone()], vec![with(cable(5), "state", "unplugged"), cable(6)]];
    for batch in [&batches[0], &batches[1], &batches[1], &batches[0]] {
        let answer: CablingChange = send(&studio, Some(KEY), &path, batch).await.json();
        let of_5 = answer.ticks.iter().find(|tick| tick.node == 5).unwrap();
        assert_eq!((of_5.who.as_str(), of_5.at, of_5.state), ("Bob", 2000, CableState::Plugged));
    }
    assert_eq!(ticks(&studio, &path).await.iter().map(|tick| tick.node).collect::<Vec<_>>(), [5, 6]);
}

#[tokio::test]
async fn a_clock_that_is_fast_does_not_win_for_ever() {
    let studio = Studio::new();
    let path = started(&studio).await;
    let fast = with(cable(5), "at", 32_503_680_000_000_u64);
    let answer: CablingChange = send(&studio, Some(KEY), &path, &[fast]).await.json();
    let at = answer.ticks[0].at;
    assert!((1_600_000_000_000..32_503_680_000_000).contains(&at), "{at}");
    let later = with(with(cable(5), "at", at + 1), "state", "wrong");
    let answer: CablingChange = send(&studio, Some(KEY), &path, &[later]).await.json();
    assert_eq!(answer.ticks[0].state, CableState::Wrong);
}

#[tokio::test]
async fn faults_name_the_tick_and_nothing_is_kept() {
    let studio = Studio::new();
    let path = started(&studio).await;
    for (tick, at) in [
        (with(cable(5), "switch", 99), "ticks[1]"),
        (with(cable(5), "node", 128), "ticks[1]"),
        (with(cable(5), "nic", 3), "ticks[1]"),
        (with(cable(5), "who", ""), "ticks[1].who"),
        (with(cable(5), "who", "x".repeat(41)), "ticks[1].who"),
        (with(cable(5), "note", "x".repeat(201)), "ticks[1].note"),
        (with(cable(5), "who", "A\u{202e}nn"), "ticks[1].who"),
        (with(cable(5), "who", "A\nnn"), "ticks[1].who"),
        (with(cable(5), "note", "a\0b"), "ticks[1].note"),
    ] {
        let problem = send(&studio, Some(KEY), &path, &[cable(4), tick]).await.problem(422, "spec");
        assert_eq!((problem.faults.len(), problem.faults[0].path.as_str()), (1, at));
    }
    let many = vec![cable(4); 2001];
    let problem = send(&studio, Some(KEY), &path, &many).await.problem(422, "spec");
    assert_eq!(problem.faults[0].to_string(), "ticks: got 2,001 ticks, expected up to 2,000 per request");
    assert!(ticks(&studio, &path).await.is_empty());
}

#[tokio::test]
async fn others_see_a_tick_as_an_event() {
    let studio = Studio::new();
    let path = started(&studio).await;
    let mut events = Events::of(&studio, &format!("{path}/events")).await;
    let next = async |events: &mut Events| {
        let (name, data) = events.next().await.unwrap();
        assert_eq!(name, "ticks");
        serde_json::from_str::<CablingChange>(&data).unwrap()
    };
    assert_eq!(next(&mut events).await, CablingChange::default());
    for node in 0..70 {
        send(&studio, Some(KEY), &path, &[cable(node)]).await;
    }
    // A tick that changes nothing is no event.
    send(&studio, Some(KEY), &path, &[cable(3)]).await;
    let mut change = next(&mut events).await;
    while change.revision < 70 {
        change = next(&mut events).await;
    }
    let nodes: Vec<u32> = change.ticks.iter().map(|tick| tick.node).collect();
    assert_eq!((change.revision, nodes), (70, (6..70).collect()));
    assert_eq!(studio.get(&path).await.json::<CablingView>().revision, 70);
    studio.get("/api/designs/nobody/cabling/events").await.problem(404, "not-found");
}

/// What lldpctl writes for an interface.
fn neighbour(interface: u32, switch: u32, port: u32) -> String {
    format!("lldp.eth{interface}.chassis.name=sw{switch:02}\nlldp.eth{interface}.port.ifname=swp{port}\n")
}

#[tokio::test]
async fn an_audit_verifies_cables_and_says_what_to_swap() {
    let studio = Studio::new();
    let path = started(&studio).await;
    let design = table::parse(KASY0_WIRING, 128).unwrap();
    let nis = design.nis();
    let port = |node: u32, switch: u32| design.members(switch).partition_point(|&pe| pe < node) as u32 + 1;
    let report = async |host: &str, neighbours: String| {
        let body = json!({ "host": host, "neighbours": neighbours, "interface": "eth" });
        studio.answer(json_with(Some(KEY), &format!("{path}/audit"), &body)).await
    };
    let of_7 = nis.of(7);
    let right: String =
        (0..).zip(of_7).map(|(nic, &switch)| neighbour(nic, switch, port(7, switch))).collect();
    let answer: CablingChange = report("pe007.example.org", right).await.json();
    let states: Vec<CableState> = answer.ticks.iter().map(|tick| tick.state).collect();
    assert_eq!(states, [CableState::Verified; 3]);
    assert!(answer.ticks.iter().all(|tick| tick.source == TickSource::Audit && tick.who == "pe007"));

    // The first two cables are swapped, and the third, which was seen before, is gone.
    let swapped = neighbour(0, of_7[1], port(7, of_7[1])) + &neighbour(1, of_7[0], port(7, of_7[0]));
    let answer: CablingChange = report("pe007", swapped).await.json();
    let notes: Vec<&str> = answer.ticks.iter().map(|tick| tick.note.as_str()).collect();
    assert!(answer.ticks.iter().all(|tick| tick.state == CableState::Wrong), "{answer:?}");
    assert!(notes[0].starts_with("Swap with pe007 NIC 1. This cable is on sw"), "{notes:?}");
    assert!(notes[1].starts_with("Swap with pe007 NIC 0. "), "{notes:?}");
    assert_eq!(notes[2], "LLDP sees no neighbour on this NIC.");

    // A cable in the place of another node's, on a node with nothing else plugged in.
    let elsewhere = (0..17).find(|switch| !nis.of(9).contains(switch)).unwrap();
    let owner = design.members(elsewhere)[4];
    let answer: CablingChange = report("pe009", neighbour(0, elsewhere, 5)).await.json();
    assert_eq!(answer.ticks.len(), 1, "{answer:?}");
    assert!(answer.ticks[0].note.starts_with(&format!("Swap with pe{owner:03} NIC ")), "{answer:?}");

    let problem = report("pe128", neighbour(0, 0, 1)).await.problem(422, "spec");
    assert_eq!(problem.faults[0].path, "host");
    report("pe001", "{ \"lldp\"".into()).await.problem(422, "table");
    assert!(report("pe001", String::new()).await.json::<CablingChange>().ticks.is_empty());
}

#[tokio::test]
async fn the_pages_of_a_cabling_are_there_and_those_of_no_node_are_not() {
    let studio = Studio::new();
    let api = saved(&studio).await;
    let id = api.split('/').nth(3).unwrap();
    if studio.get("/").await.status != 200 {
        return;
    }
    for (path, status) in
        [("cabling", 200), ("node/0", 200), ("node/127", 200), ("node/128", 404), ("node/x", 404)]
    {
        assert_eq!(studio.get(&format!("/d/{id}/{path}")).await.status, status, "{path}");
    }
    for path in ["/d/nobody/cabling", "/d/nobody/node/0"] {
        assert_eq!(studio.get(path).await.status, 404, "{path}");
    }
}
