use crate::studio::{Answer, Events, KASY0, KASY0_WIRING, Studio, TOKEN, json_from, json_with};
use serde_json::{Value, json};
use server::{api::Config, edit::TokenHash, store::Store};
use shared::{
    api::{CableState, CablingChange, CablingKey, CablingView, DesignView, MergedTicks, Tick, TickSource},
    design::table,
};

async fn saved(studio: &Studio) -> String {
    let body = json!({ "spec": KASY0, "table": KASY0_WIRING });
    let design: DesignView = studio.post("/api/designs", &body).await.json();
    format!("/api/designs/{}/cabling", design.id)
}

/// A cabling that has started, with its key.
async fn started(studio: &Studio) -> (String, String) {
    let path = saved(studio).await;
    let key = fresh_key(studio, &path).await;
    let view: CablingView = seen_with(studio, &key, &path).await;
    assert!(view.allowed && !view.may_edit && view.started.is_some() && view.ticks.is_empty());
    (path, key)
}

/// Starts cabling, or replaces its key, as who saved the design.
async fn fresh_key(studio: &Studio, path: &str) -> String {
    let answer = studio.post(path, &json!({})).await;
    assert_eq!((answer.status.as_u16(), answer.header("cache-control")), (201, "no-store"));
    answer.json::<CablingKey>().key
}

/// The cabling as a client with this token sees it.
async fn seen_with(studio: &Studio, token: &str, path: &str) -> CablingView {
    let mut request = json_with(Some(token), path, &json!({}));
    *request.method_mut() = axum::http::Method::GET;
    studio.answer(request).await.json()
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

/// Sends ticks at 2 s of the phone's clock.
async fn send(studio: &Studio, key: Option<&str>, path: &str, ticks: &[Value]) -> Answer {
    send_at(2000, studio, key, path, ticks).await
}

async fn send_at(sent: u64, studio: &Studio, key: Option<&str>, path: &str, ticks: &[Value]) -> Answer {
    let body = json!({ "ticks": ticks, "sent": sent });
    studio.answer(json_with(key, &format!("{path}/ticks"), &body)).await
}

/// Milliseconds since 1970.
fn now() -> u64 {
    std::time::UNIX_EPOCH.elapsed().unwrap().as_millis() as u64
}

async fn ticks(studio: &Studio, path: &str) -> Vec<Tick> {
    studio.get(path).await.json::<CablingView>().ticks
}

#[tokio::test]
async fn a_tick_is_there_for_others() {
    let studio = Studio::new();
    let (path, key) = started(&studio).await;
    let before = now();
    let answer: MergedTicks = send(&studio, Some(&key), &path, &[cable(17)]).await.json();
    let view: CablingView = studio.get(&path).await.json();
    assert_eq!(view.ticks, answer.ticks);
    let [tick] = &view.ticks[..] else { panic!("{view:?}") };
    assert_eq!((tick.node, tick.state, tick.source), (17, CableState::Plugged, TickSource::Person));
    assert_eq!((tick.who.as_str(), view.allowed, answer.rejected.len()), ("Ann", false, 0));
    // The tick was 1 s old.
    assert!((before - 1000..=now() - 1000).contains(&tick.at), "{}", tick.at);
}

#[tokio::test]
async fn without_the_key_nothing_changes() {
    let studio = Studio::new();
    let path = saved(&studio).await;
    let problem = send(&studio, Some(TOKEN), &path, &[cable(0)]).await.problem(403, "edit");
    assert!(problem.detail.contains("has not started"), "{}", problem.detail);
    let key = fresh_key(&studio, &path).await;
    for other in [None, Some("another-key-of-a-technician"), Some("x")] {
        let problem = send(&studio, other, &path, &[cable(0)]).await.problem(403, "edit");
        assert!(problem.detail.contains("join link"), "{}", problem.detail);
        let report = json!({ "host": "node000", "neighbours": "", "interface": "eth" });
        studio.answer(json_with(other, &format!("{path}/audit"), &report)).await.problem(403, "edit");
    }
    assert!(ticks(&studio, &path).await.is_empty());
    for more in ["", "/key", "/ticks", "/audit"] {
        let nowhere = format!("/api/designs/nobody/cabling{more}");
        let body = match more {
            "/ticks" => json!({ "ticks": [], "sent": 0 }),
            "/audit" => json!({ "host": "", "neighbours": "", "interface": "" }),
            _ => json!({}),
        };
        studio.answer(json_with(Some(&key), &nowhere, &body)).await.problem(404, "not-found");
    }
}

#[tokio::test]
async fn who_saved_the_design_starts_cabling_and_nobody_else() {
    let admin = "the-token-of-the-operator";
    let config = Config { admin_token: Some(TokenHash::of(admin)), ..Config::default() };
    let studio = Studio::with(Store::temporary().unwrap(), config);
    let path = saved(&studio).await;
    for stranger in [None, Some("the-token-of-another-one")] {
        let problem = studio.answer(json_with(stranger, &path, &json!({}))).await.problem(403, "edit");
        assert!(problem.detail.contains("Only the browser that saved this"), "{}", problem.detail);
    }
    let view: CablingView = studio.get(&path).await.json();
    assert!(view.may_edit && !view.allowed && view.started.is_none(), "the owner's right is still there");
    let key = fresh_key(&studio, &path).await;
    studio.post(&path, &json!({})).await.problem(409, "conflict");
    for key in [key.as_str(), admin] {
        assert_eq!(send(&studio, Some(key), &path, &[cable(3)]).await.status, 200);
    }
    // The key ticks, and gives no right to the design.
    studio.answer(json_with(Some(&key), &format!("{path}/key"), &json!({}))).await.problem(403, "edit");
}

#[tokio::test]
async fn a_replaced_key_ends_and_ticks_stay() {
    let studio = Studio::new();
    let path = saved(&studio).await;
    studio.post(&format!("{path}/key"), &json!({})).await.problem(409, "conflict");
    let first = fresh_key(&studio, &path).await;
    send(&studio, Some(&first), &path, &[cable(3)]).await.json::<MergedTicks>();
    let second = fresh_key(&studio, &format!("{path}/key")).await;
    let problem = send(&studio, Some(&first), &path, &[cable(4)]).await.problem(403, "edit");
    assert!(problem.detail.contains("replaced") && problem.detail.contains("current join link"));
    assert!(!seen_with(&studio, &first, &path).await.allowed);
    assert_eq!(send(&studio, Some(&second), &path, &[cable(5)]).await.status, 200);
    assert_eq!(ticks(&studio, &path).await.iter().map(|tick| tick.node).collect::<Vec<_>>(), [3, 5]);
}

#[tokio::test]
async fn the_edit_link_of_a_workspace_starts_cabling_of_its_designs() {
    let studio = Studio::new();
    let secret = "the-secret-of-a-workspace";
    let path = saved(&studio).await;
    let workspace = json!({ "name": "Machine room" });
    let workspace: Value = studio.answer(json_with(Some(secret), "/api/workspaces", &workspace)).await.json();
    let items = format!("/api/workspaces/{}/items", workspace["id"].as_str().unwrap());
    let item = path.split('/').nth(3).unwrap();
    let add = async |edit: &str| {
        let body = json!({ "item": item, "edit": edit });
        assert_eq!(studio.answer(json_with(Some(secret), &items, &body)).await.status, 204);
    };
    add("").await;
    studio.answer(json_with(Some(secret), &path, &json!({}))).await.problem(403, "edit");
    add(TOKEN).await;
    assert_eq!(studio.answer(json_with(Some(secret), &path, &json!({}))).await.status, 201);
}

#[tokio::test]
async fn a_design_of_an_earlier_version_is_cabled_from_the_studios_machine() {
    let store = Store::temporary().unwrap();
    let design = store.save_design(KASY0, KASY0_WIRING, "imported").unwrap().id;
    let studio = Studio::with(store, Config::default());
    let path = format!("/api/designs/{design}/cabling");
    studio.answer(json_from(7, &path, &json!({}))).await.problem(403, "edit");
    fresh_key(&studio, &path).await;
}

#[tokio::test]
async fn the_newest_tick_wins_and_a_batch_may_be_sent_twice() {
    let studio = Studio::new();
    let (path, key) = started(&studio).await;
    let late = with(with(cable(5), "at", 2000), "who", "Bob");
    let batches = [vec![late.clone()], vec![with(cable(5), "state", "unplugged"), cable(6)]];
    let mut at = None;
    for (batch, rejected) in [(0, 0), (1, 1), (1, 1), (0, 0)] {
        let answer: MergedTicks = send(&studio, Some(&key), &path, &batches[batch]).await.json();
        let of_5 = answer.ticks.iter().find(|tick| tick.node == 5).unwrap();
        assert_eq!((of_5.who.as_str(), of_5.state), ("Bob", CableState::Plugged));
        assert_eq!(*at.get_or_insert(of_5.at), of_5.at, "batch {batch}");
        assert_eq!(answer.rejected.len(), rejected, "batch {batch}");
    }
    assert_eq!(ticks(&studio, &path).await.iter().map(|tick| tick.node).collect::<Vec<_>>(), [5, 6]);
}

const HOUR: u64 = 3_600_000;

#[tokio::test]
async fn the_clock_of_a_phone_does_not_decide() {
    let studio = Studio::new();
    let (path, key) = started(&studio).await;
    let send = async |clock: u64, state: &str| -> MergedTicks {
        let tick = with(with(cable(5), "at", clock), "state", state);
        send_at(clock + 50, &studio, Some(&key), &path, &[tick]).await.json()
    };
    let fast = send(now() + 400 * 24 * HOUR, "plugged").await;
    assert!(fast.ticks[0].at <= now(), "{fast:?}");
    // Longer than the age of the second tick.
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    let slow = send(now() - HOUR, "wrong").await;
    assert_eq!((slow.ticks[0].state, slow.rejected.len()), (CableState::Wrong, 0));
    assert_eq!(ticks(&studio, &path).await, slow.ticks);
}

#[tokio::test]
async fn a_tick_made_without_a_connection_is_merged_by_its_age_or_rejected() {
    let studio = Studio::new();
    let (path, key) = started(&studio).await;
    send(&studio, Some(&key), &path, &[with(cable(5), "at", 2000)]).await.json::<MergedTicks>();
    let known = ticks(&studio, &path).await.remove(0);
    // Ten minutes on a phone whose clock says 1970.
    let old = |node, seen: u64| with(with(with(cable(node), "at", 1), "state", "wrong"), "seen", seen);
    let late = async |batch: &[Value]| -> MergedTicks {
        send_at(1 + HOUR / 6, &studio, Some(&key), &path, batch).await.json()
    };
    let answer = late(&[old(5, 0), old(6, 0)]).await;
    assert_eq!(answer.rejected.iter().map(|tick| tick.node).collect::<Vec<_>>(), [5]);
    assert_eq!(answer.ticks[0], known);
    assert_eq!((answer.ticks[1].state, answer.ticks[1].node), (CableState::Wrong, 6));
    assert!(answer.ticks[1].at + HOUR / 6 <= now(), "{answer:?}");
    // A person who had seen the newest tick replaces it, whatever the clocks say.
    let answer = late(&[old(5, known.at)]).await;
    assert_eq!((answer.rejected.len(), answer.ticks[0].state), (0, CableState::Wrong));
    assert_eq!(answer.ticks[0].at, known.at + 1);
}

#[tokio::test]
async fn faults_name_the_tick_and_nothing_is_kept() {
    let studio = Studio::new();
    let (path, key) = started(&studio).await;
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
        let problem = send(&studio, Some(&key), &path, &[cable(4), tick]).await.problem(422, "spec");
        assert_eq!((problem.faults.len(), problem.faults[0].path.as_str()), (1, at));
    }
    let many = vec![cable(4); 2001];
    let problem = send(&studio, Some(&key), &path, &many).await.problem(422, "spec");
    assert_eq!(problem.faults[0].to_string(), "ticks: must be up to 2,000 per request, not 2,001 ticks.");
    assert!(ticks(&studio, &path).await.is_empty());
}

#[tokio::test]
async fn others_see_a_tick_as_an_event() {
    let studio = Studio::new();
    let (path, key) = started(&studio).await;
    let mut events = Events::of(&studio, &format!("{path}/events")).await;
    let next = async |events: &mut Events| {
        let (name, data) = events.next().await.unwrap();
        assert_eq!(name, "ticks");
        serde_json::from_str::<CablingChange>(&data).unwrap()
    };
    assert_eq!(next(&mut events).await, CablingChange::default());
    for node in 0..70 {
        send(&studio, Some(&key), &path, &[cable(node)]).await;
    }
    // A tick that changes nothing is no event.
    send(&studio, Some(&key), &path, &[cable(3)]).await;
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
    let (path, key) = started(&studio).await;
    let design = table::parse(KASY0_WIRING, 128).unwrap();
    let nis = design.nis();
    let port = |node: u32, switch: u32| design.members(switch).partition_point(|&pe| pe < node) as u32 + 1;
    let report = async |host: &str, neighbours: String| {
        let body = json!({ "host": host, "neighbours": neighbours, "interface": "eth" });
        studio.answer(json_with(Some(&key), &format!("{path}/audit"), &body)).await
    };
    let of_7 = nis.of(7);
    let right: String =
        (0..).zip(of_7).map(|(nic, &switch)| neighbour(nic, switch, port(7, switch))).collect();
    let answer: CablingChange = report("node007.example.org", right).await.json();
    let states: Vec<CableState> = answer.ticks.iter().map(|tick| tick.state).collect();
    assert_eq!(states, [CableState::Verified; 3]);
    assert!(answer.ticks.iter().all(|tick| tick.source == TickSource::Audit && tick.who == "node007"));

    // The first two cables are swapped, and the third, which was seen before, is gone.
    let swapped = neighbour(0, of_7[1], port(7, of_7[1])) + &neighbour(1, of_7[0], port(7, of_7[0]));
    let answer: CablingChange = report("node007", swapped).await.json();
    let notes: Vec<&str> = answer.ticks.iter().map(|tick| tick.note.as_str()).collect();
    assert!(answer.ticks.iter().all(|tick| tick.state == CableState::Wrong), "{answer:?}");
    assert!(notes[0].starts_with("Swap with node007 NIC 1. This cable is on sw"), "{notes:?}");
    assert!(notes[1].starts_with("Swap with node007 NIC 0. "), "{notes:?}");
    assert_eq!(notes[2], "LLDP sees no neighbour on this NIC.");

    // A cable in the place of another node's, on a node with nothing else plugged in.
    let elsewhere = (0..17).find(|switch| !nis.of(9).contains(switch)).unwrap();
    let owner = design.members(elsewhere)[4];
    let answer: CablingChange = report("node009", neighbour(0, elsewhere, 5)).await.json();
    assert_eq!(answer.ticks.len(), 1, "{answer:?}");
    assert!(answer.ticks[0].note.starts_with(&format!("Swap with node{owner:03} NIC ")), "{answer:?}");

    let problem = report("node128", neighbour(0, 0, 1)).await.problem(422, "spec");
    assert_eq!(problem.faults[0].path, "host");
    report("node001", "{ \"lldp\"".into()).await.problem(422, "table");
    assert!(report("node001", String::new()).await.json::<CablingChange>().ticks.is_empty());
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
