//! Searches on workers, with a real NATS server and real processes: the same wiring, whatever happens.
//!
//! Each test takes seconds. `make chaos` also runs those of minutes, and prints their figures.

use anyhow::{Context, Result, bail, ensure};
use e2e::{
    cluster::{Nats, Worker, delayed},
    http::{self, HARD, ask, search},
    studio::{Studio, crosspoint},
};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use serde_json::{Value, json};
use std::{
    os::fd::AsFd,
    process::Command,
    time::{Duration, Instant},
};

/// A sparse demand that is solved after a while, by one of the islands.
const SPARSE: &str = "pes = 96\nnis_per_pe = 3\nobjective = \"sparse\"\n[[switch]]\nports = 8\n\
    [[pattern]]\nkind = \"torus\"\ndimensions = 2\nfactorizations = \"all\"\n";

/// Starts a search with an effort in million moves; its id.
async fn start(studio: &Studio, spec: &str, effort: u64, islands: u32) -> Result<String> {
    let form = json!({ "budget.unit": "effort", "budget.effort": effort, "threads": islands, "seed": 7 });
    http::start(studio, &search(spec, form)).await
}

async fn view(studio: &Studio, run: &str) -> Result<Value> {
    ask(studio, 1, "GET", &format!("/api/work/{run}"), "").await?.json()
}

/// State, method and wiring of a search once it has ended.
async fn ended(studio: &Studio, run: &str) -> Result<(String, String, String)> {
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(300) {
        let view = view(studio, run).await?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let state = text(&view["state"]);
        if !["queued", "running"].contains(&state.as_str()) {
            let table = ask(studio, 1, "GET", &format!("/api/work/{run}/table"), "").await?.body;
            return Ok((state, text(&view["report"]["method"]), table));
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    bail!("the search does not end: {}", view(studio, run).await?)
}

/// A figure of `/metrics`.
async fn figure(studio: &Studio, name: &str) -> Result<f64> {
    let metrics = ask(studio, 1, "GET", "/metrics", "").await?.body;
    let line = metrics.lines().find_map(|line| line.strip_prefix(&format!("crosspoint_{name} ")));
    Ok(line.with_context(|| format!("{name}: {metrics}"))?.parse()?)
}

async fn until_workers(studio: &Studio, threads: f64) -> Result<()> {
    for _ in 0..300 {
        if figure(studio, "workers_threads").await? == threads {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    bail!("{} threads, expected {threads}", figure(studio, "workers_threads").await?)
}

/// A NATS server, its studio, and a worker with two threads.
async fn together() -> Result<(Nats, Studio, Worker)> {
    together_on(Nats::start("127.0.0.1")?).await
}

async fn together_on(nats: Nats) -> Result<(Nats, Studio, Worker)> {
    let studio = Studio::start(&["--nats", &nats.url()])?;
    let worker = Worker::start(&nats.url(), &["--threads", "2"])?;
    until_workers(&studio, 2.0).await?;
    Ok((nats, studio, worker))
}

/// Epochs and loads that workers have finished.
async fn done(studio: &Studio) -> Result<f64> {
    figure(studio, "tasks_elsewhere_total{outcome=\"done\"}").await
}

/// Waits until workers have finished this many epochs of a studio.
async fn until_epochs(studio: &Studio, epochs: f64) -> Result<()> {
    for _ in 0..1200 {
        if done(studio).await? >= epochs {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    bail!("workers finish no epochs")
}

/// Starts searches until workers have finished an epoch of one; its id. After a lost queue, a search may end on the studio
/// before workers come back.
async fn start_elsewhere(studio: &Studio, spec: &str, effort: u64, islands: u32) -> Result<String> {
    for _ in 0..20 {
        let before = done(studio).await?;
        let run = start(studio, spec, effort, islands).await?;
        while ["queued", "running"].contains(&view(studio, &run).await?["state"].as_str().unwrap_or_default())
        {
            if done(studio).await? > before {
                return Ok(run);
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    bail!("workers finish no epochs")
}

/// The end of a search on one machine.
async fn alone(spec: &str, effort: u64, islands: u32) -> Result<(String, String, String)> {
    let studio = Studio::start(&[])?;
    let run = start(&studio, spec, effort, islands).await?;
    ended(&studio, &run).await
}

#[tokio::test]
async fn workers_find_the_wirings_of_one_machine() -> Result<()> {
    let nats = Nats::start("127.0.0.1")?;
    let studio = Studio::start(&["--nats", &nats.url()])?;
    let _workers =
        [Worker::start(&nats.url(), &["--threads", "1"])?, Worker::start(&nats.url(), &["--threads", "2"])?];
    until_workers(&studio, 3.0).await?;
    for (spec, effort, islands) in [(HARD, 24, 4), (SPARSE, 40, 3)] {
        let run = start(&studio, spec, effort, islands).await?;
        let there = ended(&studio, &run).await?;
        ensure!(there == alone(spec, effort, islands).await?, "another wiring: {there:?}");
    }
    ensure!(done(&studio).await? >= 8.0);
    ensure!(figure(&studio, "tasks_elsewhere_total{outcome=\"brought_back\"}").await? == 0.0);
    Ok(())
}

/// The reports of work with a worker and without one, and the units that the worker has done.
async fn with_and_without(body: Value) -> Result<([Value; 2], f64)> {
    let (_nats, with, _worker) = together().await?;
    let without = Studio::start(&[])?;
    let mut reports = [Value::Null, Value::Null];
    for (studio, report) in [&with, &without].into_iter().zip(&mut reports) {
        let id = http::start(studio, &body).await?;
        let mut work = view(studio, &id).await?;
        while ["queued", "running"].contains(&work["state"].as_str().unwrap_or_default()) {
            tokio::time::sleep(Duration::from_millis(50)).await;
            work = view(studio, &id).await?;
        }
        ensure!(work["state"] == "done", "{work}");
        *report = work["report"].clone();
    }
    Ok((reports, done(&with).await?))
}

#[tokio::test]
async fn workers_simulate_the_points_of_one_machine() -> Result<()> {
    let form = json!({ "fabric": "mesh:6x6", "loads": [0.05, 0.1, 0.2, 0.3], "seed": 9 });
    let ([with, without], done) = with_and_without(json!({ "kind": "simulation", "form": form })).await?;
    ensure!(with["points"].as_array().is_some_and(|points| points.len() == 4));
    ensure!(with == without, "other points");
    ensure!(done == 4.0, "{done}");
    Ok(())
}

#[tokio::test]
async fn workers_estimate_the_steps_of_one_machine() -> Result<()> {
    let spec = include_str!("../../assets/specs/gpt3-175b.toml");
    let ([with, without], done) = with_and_without(json!({ "kind": "estimate", "spec": spec })).await?;
    let networks = with["result"]["networks"].as_array().map_or(0, Vec::len);
    ensure!(networks > 3 && with == without, "other steps of {networks} networks");
    ensure!(done >= 2.0, "{done}");
    Ok(())
}

#[tokio::test]
async fn killed_paused_and_new_workers_change_nothing() -> Result<()> {
    let nats = Nats::start("127.0.0.1")?;
    let studio = Studio::start(&["--nats", &nats.url()])?;
    let one = || Worker::start(&nats.url(), &["--threads", "1"]);
    let mut workers = vec![one()?, one()?];
    until_workers(&studio, 2.0).await?;
    let run = start(&studio, HARD, 60, 3).await?;
    until_epochs(&studio, 1.0).await?;
    // Dropping a worker kills it.
    workers.remove(0);
    workers.push(one()?);
    until_epochs(&studio, 3.0).await?;
    workers[0].signal("-STOP")?;
    workers.push(one()?);
    until_epochs(&studio, 6.0).await?;
    workers[0].signal("-CONT")?;
    workers[1].signal("-TERM")?;
    let there = ended(&studio, &run).await?;
    ensure!(there == alone(HARD, 60, 3).await?, "another wiring: {there:?}");
    Ok(())
}

#[tokio::test]
async fn a_search_moves_to_workers_whenever_there_are_any() -> Result<()> {
    let nats = Nats::start("127.0.0.1")?;
    let studio = Studio::start(&["--nats", &nats.url()])?;
    let worker = || Worker::start(&nats.url(), &["--threads", "2"]);
    let run = start(&studio, HARD, 80, 3).await?;
    let moves =
        async || Ok::<_, anyhow::Error>(view(&studio, &run).await?["report"]["progress"]["moves"].as_f64());
    while moves().await?.is_none_or(|moves| moves < 1e6) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    ensure!(done(&studio).await? == 0.0);
    let first = worker()?;
    until_epochs(&studio, 3.0).await?;
    drop(first);
    until_workers(&studio, 0.0).await?;
    let (before, already) = (done(&studio).await?, moves().await?);
    while moves().await? == already {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let _second = worker()?;
    until_epochs(&studio, before + 3.0).await?;
    let there = ended(&studio, &run).await?;
    ensure!(there == alone(HARD, 80, 3).await?, "another wiring: {there:?}");
    Ok(())
}

#[tokio::test]
async fn a_restart_of_nats_and_an_emptied_queue_change_nothing() -> Result<()> {
    let (mut nats, studio, _worker) = together().await?;
    let run = start(&studio, HARD, 48, 3).await?;
    until_epochs(&studio, 2.0).await?;
    nats.restart()?;
    until_epochs(&studio, 5.0).await?;
    nats.connect()?.publish("$JS.API.STREAM.PURGE.crosspoint-tasks", b"")?;
    let there = ended(&studio, &run).await?;
    ensure!(there == alone(HARD, 48, 3).await?, "another wiring: {there:?}");
    Ok(())
}

#[tokio::test]
async fn a_search_goes_on_without_its_queue_and_without_nats() -> Result<()> {
    let (mut nats, studio, _worker) = together().await?;
    let expected = alone(HARD, 24, 2).await?;
    let run = start_elsewhere(&studio, HARD, 24, 2).await?;
    nats.connect()?.publish("$JS.API.STREAM.DELETE.crosspoint-tasks", b"")?;
    ensure!(ended(&studio, &run).await? == expected, "another wiring without the queue");
    let run = start_elsewhere(&studio, HARD, 24, 2).await?;
    nats.kill();
    ensure!(ended(&studio, &run).await? == expected, "another wiring without NATS");
    ensure!(figure(&studio, "tasks_elsewhere_total{outcome=\"brought_back\"}").await? >= 1.0);
    Ok(())
}

#[tokio::test]
async fn states_larger_than_a_message_go_through_the_object_store() -> Result<()> {
    let (nats, studio, _worker) = together_on(Nats::with("127.0.0.1", "max_payload: 12288", "")?).await?;
    let mut talk = nats.connect()?;
    // Objects whose bytes are there.
    let mut stored = || -> Result<usize> {
        let chunks = r#"{"subjects_filter":"$O.crosspoint-objects.C.>"}"#;
        let info: Value =
            serde_json::from_slice(&talk.request("$JS.API.STREAM.INFO.OBJ_crosspoint-objects", chunks)?)?;
        ensure!(info["state"]["bytes"].is_u64(), "{info}");
        Ok(info["state"]["subjects"].as_object().map_or(0, |objects| objects.len()))
    };
    // The search and a state.
    let run = start(&studio, HARD, 24, 2).await?;
    while stored()? < 2 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    ensure!(ended(&studio, &run).await? == alone(HARD, 24, 2).await?, "another wiring");
    // The studio removes objects in the background; a note of each stays for a day.
    while stored()? > 0 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    ensure!(done(&studio).await? >= 4.0);
    ensure!(figure(&studio, "tasks_elsewhere_total{outcome=\"brought_back\"}").await? == 0.0);
    Ok(())
}

#[tokio::test]
async fn a_search_goes_on_here_when_nats_is_full() -> Result<()> {
    let (nats, studio, _worker) = together_on(Nats::with("127.0.0.1", "", "max_file_store: 2MB")?).await?;
    let mut talk = nats.connect()?;
    let stream = r#"{"name":"junk","subjects":["junk"],"retention":"limits","storage":"file","discard":"new",
        "max_consumers":-1,"max_msgs":-1,"max_bytes":-1,"num_replicas":1}"#;
    talk.publish("$JS.API.STREAM.CREATE.junk", stream.as_bytes())?;
    tokio::time::sleep(Duration::from_millis(500)).await;
    for size in [100_000, 1000, 10] {
        for _ in 0..30 {
            talk.publish("junk", &vec![b'x'; size])?;
        }
    }
    let run = start(&studio, HARD, 24, 2).await?;
    ensure!(ended(&studio, &run).await? == alone(HARD, 24, 2).await?, "another wiring");
    ensure!(figure(&studio, "tasks_elsewhere_total{outcome=\"brought_back\"}").await? >= 1.0);
    Ok(())
}

#[tokio::test]
async fn a_cancel_reaches_workers() -> Result<()> {
    let (_nats, studio, _worker) = together().await?;
    let run = start(&studio, HARD, 100_000, 2).await?;
    until_epochs(&studio, 2.0).await?;
    ask(&studio, 1, "POST", &format!("/api/work/{run}/stop"), "").await?;
    let (state, _, table) = ended(&studio, &run).await?;
    ensure!(state == "cancelled" && table.lines().count() > 10, "{state}: {table}");
    // The worker is free for the next search.
    let run = start(&studio, SPARSE, 1, 2).await?;
    ended(&studio, &run).await?;
    Ok(())
}

#[tokio::test]
async fn a_worker_of_another_version_is_told_so() -> Result<()> {
    let nats = Nats::start("127.0.0.1")?;
    let mut talk = nats.connect()?;
    talk.say(b"SUB crosspoint.studio.any 1\r\nPING\r\n")?;
    let url = nats.url();
    let worker = std::thread::spawn(move || Worker::run(&url, &["--threads", "1"]));
    let (reply, hello) = talk.message()?;
    ensure!(hello.starts_with(&[0]) && hello.windows(4).any(|part| part == b"0.1."), "{hello:?}");
    // A studio of another version answers.
    talk.publish(&reply, b"\x00\x059.9.9")?;
    let output = worker.join().map_err(|_| anyhow::anyhow!("a panic"))??;
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(!output.status.success() && words.contains("9.9.9") && words.contains("version"), "{words}");
    Ok(())
}

#[tokio::test]
async fn a_second_studio_needs_a_prefix_of_its_own() -> Result<()> {
    let nats = Nats::start("127.0.0.1")?;
    let first = Studio::start(&["--nats", &nats.url()])?;
    let folder = tempfile::tempdir()?;
    let data = folder.path().to_str().context("a path")?;
    let output = crosspoint(["serve", "--listen", "127.0.0.1:0", "--data", data, "--nats", &nats.url()])?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.code() == Some(2) && said.contains("--nats-prefix"), "{said}");
    let second = Studio::start(&["--nats", &nats.url(), "--nats-prefix", "second"])?;
    let _worker = Worker::start(&nats.url(), &["--threads", "1", "--nats-prefix", "second"])?;
    until_workers(&second, 1.0).await?;
    ensure!(figure(&first, "workers").await? == 0.0, "the worker of another studio");
    Ok(())
}

#[tokio::test]
async fn studio_and_workers_log_in() -> Result<()> {
    let nats = Nats::with("127.0.0.1", "authorization { user: me, password: \"a@b c\" }", "")?;
    let url = nats.url_as("me:a%40b%20c");
    let studio = Studio::start(&["--nats", &url])?;
    let _worker = Worker::start(&url, &["--threads", "1"])?;
    until_workers(&studio, 1.0).await?;
    let run = start(&studio, HARD, 4, 2).await?;
    ended(&studio, &run).await?;
    ensure!(done(&studio).await? >= 2.0);
    for login in ["me:wrong", "me"] {
        let output = Worker::run(&nats.url_as(login), &[])?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(
            output.status.code() == Some(2) && said.contains("the login was rejected"),
            "{login}: {said}"
        );
    }
    Ok(())
}

#[tokio::test]
async fn studio_and_workers_speak_tls() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let [key, certificate] = ["key.pem", "certificate.pem"].map(|name| folder.path().join(name));
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=nats"])
        .args(["-addext", "subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE"])
        .arg("-keyout")
        .arg(&key)
        .arg("-out")
        .arg(&certificate)
        .output()
        .context("starting openssl")?;
    ensure!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let tls = format!("tls {{ cert_file: {certificate:?}, key_file: {key:?} }}");
    let nats = Nats::with("127.0.0.1", &tls, "")?;
    let url = nats.url().replace("nats://", "tls://");
    let authority = certificate.to_str().context("a path")?;
    let studio = Studio::start(&["--nats", &url, "--nats-authority", authority])?;
    let _worker = Worker::start(&url, &["--nats-authority", authority, "--threads", "1"])?;
    until_workers(&studio, 1.0).await?;
    let run = start(&studio, HARD, 4, 2).await?;
    ended(&studio, &run).await?;
    ensure!(done(&studio).await? >= 2.0);
    // Without its certificate, the server is a stranger.
    let output = Worker::run(&url, &[])?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.code() == Some(2) && said.contains("--nats-authority"), "{said}");
    Ok(())
}

#[tokio::test]
async fn wrong_servers_are_refused_in_words() -> Result<()> {
    let silent = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string();
    for (url, words) in [
        ("nats://10.99.0.1:4222", "--nats-credentials"),
        ("nats://:x:y", "is not an address"),
        ("", "is not an address"),
        (&*format!("nats://{silent}"), "cannot connect to NATS"),
    ] {
        for command in ["worker", "serve"] {
            let output = crosspoint([command, "--nats", url])?;
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            ensure!(output.status.code() == Some(2) && said.contains(words), "{command} {url}: {said}");
        }
    }
    let plain = Nats::without_jetstream("127.0.0.1")?;
    for (flags, words) in [
        (&["--nats", &*plain.url()][..], "nats-server -js"),
        (&["--nats", &plain.url().replace("nats:", "tls:")], "nats:// address"),
        (&["--nats", "tls://127.0.0.1", "--nats-authority", "/none"], "--nats-authority: cannot read /none"),
    ] {
        for command in ["worker", "serve"] {
            let output = crosspoint([command].into_iter().chain(flags.iter().copied()))?;
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            ensure!(output.status.code() == Some(2) && said.contains(words), "{command} {flags:?}: {said}");
        }
    }
    let output = crosspoint(["worker", "--nats", "nats://127.0.0.1", "--nats-prefix", "a.b"])?;
    ensure!(String::from_utf8_lossy(&output.stderr).contains("letters, digits"));
    Ok(())
}

/// Two network namespaces and a cable between them, cut and mended by hand. Neither has a link to the machine, whose
/// firewall has no say here.
struct Rooms {
    near: String,
    far: String,
}

const CABLE: &str = "cable";

impl Rooms {
    fn new() -> Result<Rooms> {
        let name = |side: &str| format!("cp-{side}-{}", std::process::id());
        let rooms = Rooms { near: name("near"), far: name("far") };
        let (near, far) = (&*rooms.near, &*rooms.far);
        ip(&["netns", "add", near])?;
        ip(&["netns", "add", far])?;
        ip(&["-n", near, "link", "add", CABLE, "type", "veth", "peer", "name", CABLE, "netns", far])?;
        for (room, address) in [(near, "10.213.77.1/30"), (far, "10.213.77.2/30")] {
            ip(&["-n", room, "addr", "add", address, "dev", CABLE])?;
            ip(&["-n", room, "link", "set", CABLE, "up"])?;
            ip(&["-n", room, "link", "set", "lo", "up"])?;
        }
        Ok(rooms)
    }

    /// Moves this thread, and the processes that it starts, to the near side.
    fn enter(&self) -> Result<()> {
        let name = std::fs::File::open(format!("/run/netns/{}", self.near))?;
        move_into_link_name_space(name.as_fd(), Some(LinkNameSpaceType::Network)).context("setns")
    }

    fn cut(&self, cut: bool) -> Result<()> {
        ip(&["-n", &self.near, "link", "set", CABLE, if cut { "down" } else { "up" }])
    }
}

impl Drop for Rooms {
    fn drop(&mut self) {
        for room in [&self.near, &self.far] {
            // An error means that it was not created.
            let _ = ip(&["netns", "del", room]);
        }
    }
}

fn ip(arguments: &[&str]) -> Result<()> {
    let output = Command::new("ip").args(arguments).output().context("starting ip")?;
    ensure!(output.status.success(), "ip {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

#[tokio::test]
async fn a_partition_changes_nothing() -> Result<()> {
    let rooms = match Rooms::new() {
        Ok(rooms) => rooms,
        Err(error) => {
            use std::io::Write;
            let _ =
                writeln!(std::io::stderr(), "SKIPPED: a partition, since there are no namespaces: {error:#}");
            return Ok(());
        }
    };
    let expected = alone(HARD, 48, 2).await?;
    rooms.enter()?;
    let nats = Nats::start("10.213.77.1")?;
    let studio = Studio::start(&["--nats", &nats.url(), "--nats-open"])?;
    let flags = ["--threads", "1", "--nats-open"];
    let _near = Worker::start(&nats.url(), &flags)?;
    let _far = Worker::within(&["ip", "netns", "exec", &rooms.far], &nats.url(), &flags)?;
    until_workers(&studio, 2.0).await?;
    let run = start(&studio, HARD, 48, 2).await?;
    until_epochs(&studio, 2.0).await?;
    rooms.cut(true)?;
    until_epochs(&studio, 6.0).await?;
    rooms.cut(false)?;
    let there = ended(&studio, &run).await?;
    ensure!(there == expected, "another wiring: {there:?}");
    Ok(())
}

#[tokio::test]
#[ignore = "minutes: make chaos"]
async fn fifty_kills_change_nothing() -> Result<()> {
    const KILLS: usize = 50;
    let nats = Nats::start("127.0.0.1")?;
    let studio = Studio::start(&["--nats", &nats.url()])?;
    let one = || Worker::start(&nats.url(), &["--threads", "1"]);
    let mut workers = vec![one()?, one()?, one()?];
    until_workers(&studio, 3.0).await?;
    let (mut searches, mut kills) = (0, 0);
    let expected = alone(HARD, 80, 4).await?;
    while kills < KILLS {
        let run = start(&studio, HARD, 80, 4).await?;
        while kills < KILLS && view(&studio, &run).await?["state"] == "running" {
            tokio::time::sleep(Duration::from_millis(200 + 137 * (kills as u64 % 11))).await;
            workers.remove(0);
            workers.push(one()?);
            kills += 1;
        }
        ensure!(ended(&studio, &run).await? == expected, "another wiring after {kills} kills");
        searches += 1;
    }
    let here = figure(&studio, "tasks_elsewhere_total{outcome=\"brought_back\"}").await?;
    println!(
        "kills: {kills} workers in {searches} searches, 0 differences, {here} epochs went on in the studio"
    );
    Ok(())
}

/// 1,024 nodes whose demand nobody serves on so few ports.
const LARGE: &str = "pes = 1024\nnis_per_pe = 4\nobjective = \"sparse\"\n[[switch]]\nports = 8\n\
    [[pattern]]\nkind = \"torus\"\ndimensions = 3\nfactorizations = \"all\"\n";

/// Million moves per second of a search with two islands.
async fn speed(studio: &Studio, effort: u64) -> Result<(f64, String)> {
    // Two islands of eight threads each: on two cores, each has one.
    let run = start(studio, LARGE, effort, 16).await?;
    let (state, _, table) = ended(studio, &run).await?;
    ensure!(state == "exhausted", "{state}");
    let progress = &view(studio, &run).await?["progress"];
    let [moves, elapsed] = ["moves", "elapsed"].map(|key| progress[key].as_f64().unwrap_or(0.0));
    Ok((moves / elapsed / 1e6, table))
}

/// Seconds of CPU that a studio has used.
fn cpu(studio: &Studio) -> Result<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", studio.process()))?;
    let (_, fields) = stat.rsplit_once(')').context("a name in parentheses")?;
    let ticks = fields.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse::<f64>());
    Ok(ticks.sum::<Result<f64, _>>()? / 100.0)
}

#[tokio::test]
#[ignore = "minutes: make chaos"]
async fn two_workers_are_as_fast_as_two_threads() -> Result<()> {
    const EFFORT: u64 = 120;
    let one = Studio::start(&[])?;
    let (alone, wiring) = speed(&one, EFFORT).await?;
    drop(one);
    println!("1,024 nodes, two islands, one process: {alone:.2} million moves/s");
    for latency in [0, 1, 10, 50] {
        let nats = Nats::start("127.0.0.1")?;
        let delay = Duration::from_millis(latency);
        let url =
            if latency == 0 { nats.url() } else { format!("nats://{}", delayed(&nats.address, delay)?) };
        let studio = Studio::start(&["--nats", &url])?;
        let worker = || Worker::start(&url, &["--threads", "1"]);
        let _workers = [worker()?, worker()?];
        until_workers(&studio, 2.0).await?;
        let before = cpu(&studio)?;
        let (speed, same) = speed(&studio, EFFORT).await?;
        let parts = done(&studio).await?;
        println!(
            "two workers, {latency} ms from and to NATS: {speed:.2} million moves/s ({:.2} of one process), {parts} parts, {:.0} ms of the studio's CPU each",
            speed / alone,
            (cpu(&studio)? - before) * 1e3 / parts
        );
        ensure!(same == wiring, "another wiring");
    }
    Ok(())
}
