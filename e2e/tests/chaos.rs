//! The store and the server under faults and load, with the real program on real file systems.
//!
//! Faults of seconds run with every test. `make chaos` also runs those of minutes, and prints their figures.

use anyhow::{Context, Result, bail, ensure};
use e2e::{
    http::{HARD, ask, connect, search, send, send_and_wait, start},
    studio::Studio,
};
use serde_json::{Value, json};
use std::{
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// A small spec and its wiring.
const SPEC: &str = "pes = 2\nnis_per_pe = 1\nobjective = \"universal\"\n[[switch]]\nports = 4\n";
const TABLE: &str = "0: 0 1\n";

/// A file system of its own, unmounted at the end.
struct Mounted(PathBuf);

impl Mounted {
    fn new(at: &Path, arguments: &[&str]) -> Result<Mounted> {
        std::fs::create_dir_all(at)?;
        run("mount", &[arguments, &[at.to_str().context("a name in UTF-8")?]].concat())?;
        Ok(Mounted(at.into()))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // Lazily: the studio on it may still be ending.
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

fn run(program: &str, arguments: &[&str]) -> Result<()> {
    let output = Command::new(program).args(arguments).output().with_context(|| program.to_owned())?;
    ensure!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// Reason why no file system can be mounted; `None` if one can.
fn obstacle(loops: bool) -> Option<String> {
    let dir = tempfile::tempdir().ok()?;
    if let Err(error) = Mounted::new(dir.path(), &["-t", "tmpfs", "tmpfs"]) {
        return Some(format!("no file system can be mounted: {error:#}"));
    }
    let found = |program: &str| Command::new(program).arg("-V").output().is_ok();
    if loops && !(found("mkfs.ext4") && Command::new("losetup").arg("-f").status().is_ok_and(|s| s.success()))
    {
        return Some("mkfs.ext4 or loop devices are missing".into());
    }
    None
}

/// `false` if no file system can be mounted; then says on the terminal that the test of `what` is left out.
fn can_mount(what: &str, loops: bool) -> bool {
    use std::io::Write;
    let obstacle = obstacle(loops);
    if let Some(obstacle) = &obstacle {
        let _ = writeln!(std::io::stderr(), "SKIPPED: {what}, since {obstacle}");
    }
    obstacle.is_none()
}

/// Starts a search that runs for an hour; its id.
async fn start_long(studio: &Studio, threads: u32, seed: u64) -> Result<String> {
    let form = json!({ "budget.seconds": 3600.0, "threads": threads, "seed": seed });
    start(studio, &search(HARD, form)).await
}

/// Saves a design with this much comment; `None` if it is refused.
async fn save(studio: &Studio, client: u8, padding: usize) -> Result<Option<String>> {
    let spec = format!("{SPEC}# {}\n", "x".repeat(padding));
    let body = json!({ "spec": spec, "table": TABLE, "origin": "imported" }).to_string();
    let answer = ask(studio, client, "POST", "/api/designs", &body).await?;
    match answer.status {
        201 => Ok(Some(answer.json()?["id"].as_str().context("an id")?.to_owned())),
        429 | 503 | 507 => Ok(None),
        other => bail!("{other}: {}", answer.body),
    }
}

/// Number of designs that cannot be read.
async fn lost(studio: &Studio, ids: &[String]) -> Result<usize> {
    let mut lost = 0;
    for (number, id) in ids.iter().enumerate() {
        // Clients enough that none asks too often.
        let client = (number / 300 % 250) as u8;
        let answer = ask(studio, client, "GET", &format!("/api/designs/{id}"), "").await?;
        ensure!(answer.status != 429, "too many requests");
        lost += usize::from(answer.status != 200);
    }
    Ok(lost)
}

#[tokio::test]
async fn a_full_disk_acknowledges_nothing_that_is_not_stored() -> Result<()> {
    if !can_mount("a full disk", false) {
        return Ok(());
    }
    let dir = tempfile::tempdir()?;
    let disk = Mounted::new(&dir.path().join("disk"), &["-t", "tmpfs", "-o", "size=3m", "tmpfs"])?;
    let mut studio = Studio::on(&disk.0.join("data"), &[])?;
    let (mut saved, mut refused) = (Vec::new(), 0);
    for _ in 0..200 {
        match save(&studio, 1, 20_000).await? {
            Some(id) => saved.push(id),
            None => refused += 1,
        }
    }
    ensure!(saved.len() > 20 && refused > 20, "{} saved, {refused} refused", saved.len());
    ensure!(lost(&studio, &saved).await? == 0, "designs are lost while the studio runs");
    let body = search(&format!("{HARD}# {}", "x".repeat(30_000)), json!({})).to_string();
    let run = ask(&studio, 2, "POST", "/api/work", &body).await?;
    ensure!(run.status == 507 && run.body.contains("disk is full"), "{}: {}", run.status, run.body);
    studio.restart()?;
    ensure!(lost(&studio, &saved).await? == 0, "designs are lost after a crash");
    studio.terminate()
}

#[tokio::test]
async fn a_power_cut_takes_no_acknowledged_design() -> Result<()> {
    if !can_mount("a power cut", true) {
        return Ok(());
    }
    let dir = tempfile::tempdir()?;
    let [image, copy] = ["disk", "copy"].map(|name| dir.path().join(name));
    let [image_name, copy_name] = [&image, &copy].map(|path| path.to_str().unwrap_or_default());
    std::fs::File::create(&image)?.set_len(64 << 20)?;
    run("mkfs.ext4", &["-q", "-F", image_name])?;
    let disk = Mounted::new(&dir.path().join("before"), &["-o", "loop", image_name])?;
    let mut studio = Studio::on(&disk.0.join("data"), &[])?;
    let mut saved = Vec::new();
    for _ in 0..100 {
        saved.extend(save(&studio, 1, 100).await?);
    }
    // The state of the disk at this moment, without what only memory knows.
    std::fs::copy(&image, &copy)?;
    studio.stop();
    drop(studio);
    drop(disk);
    let disk = Mounted::new(&dir.path().join("after"), &["-o", "loop", copy_name])?;
    let mut studio = Studio::on(&disk.0.join("data"), &[])?;
    let lost = lost(&studio, &saved).await?;
    ensure!(saved.len() == 100 && lost == 0, "{lost} of {} designs are lost", saved.len());
    studio.terminate()
}

#[tokio::test]
async fn a_read_only_disk_is_told_in_words_and_loses_nothing() -> Result<()> {
    if !can_mount("a read-only disk", false) {
        return Ok(());
    }
    let dir = tempfile::tempdir()?;
    let disk = Mounted::new(&dir.path().join("disk"), &["-t", "tmpfs", "tmpfs"])?;
    let data = disk.0.join("data");
    let mut studio = Studio::on(&data, &[])?;
    let id = save(&studio, 1, 10).await?.context("a design")?;
    studio.terminate()?;
    let at = disk.0.to_str().context("a name in UTF-8")?;
    run("mount", &["-o", "remount,ro", at])?;
    let output = e2e::studio::crosspoint([
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--data",
        data.to_str().unwrap_or_default(),
    ])?;
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(!output.status.success() && words.contains("data"), "{words}");
    run("mount", &["-o", "remount,rw", at])?;
    let mut studio = Studio::on(&data, &[])?;
    ensure!(lost(&studio, &[id]).await? == 0, "the design is lost");
    studio.terminate()
}

#[tokio::test]
async fn a_backup_of_a_running_studio_restores_every_design() -> Result<()> {
    let dir = tempfile::tempdir()?;
    let [data, restored] = ["data", "restored"].map(|name| dir.path().join(name));
    let backup = dir.path().join("backup.sqlite");
    let mut studio = Studio::on(&data, &[])?;
    let mut saved = Vec::new();
    for _ in 0..20 {
        saved.extend(save(&studio, 1, 100).await?);
    }
    let [data, file] = [&data, &backup].map(|path| path.to_str().unwrap_or_default());
    let output = e2e::studio::crosspoint(["backup", file, "--data", data])?;
    let words = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(words.starts_with("Saved 20 designs"), "{words}{}", String::from_utf8_lossy(&output.stderr));
    studio.terminate()?;
    std::fs::create_dir(&restored)?;
    std::fs::copy(&backup, restored.join("crosspoint.sqlite"))?;
    let mut studio = Studio::on(&restored, &[])?;
    ensure!(lost(&studio, &saved).await? == 0, "designs are lost");
    studio.terminate()
}

/// A rough generator of moments.
fn moments() -> impl Iterator<Item = Duration> {
    (1u64..).map(|n| Duration::from_millis(n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56))
}

#[tokio::test]
#[ignore = "minutes: make chaos"]
async fn kills_at_random_moments_lose_no_acknowledged_design() -> Result<()> {
    const KILLS: usize = 200;
    let mut studio = Studio::start(&[])?;
    let run = start_long(&studio, 1, 1).await?;
    let mut saved = Vec::new();
    for (round, moment) in moments().take(KILLS).enumerate() {
        let client = (round % 250) as u8;
        let saves = async {
            loop {
                match save(&studio, client, 2000).await {
                    Ok(id) => saved.extend(id),
                    // The kill cuts an answer off.
                    Err(_) => return,
                }
                let export = format!("/api/designs/{}/exports/labels-pdf", saved[saved.len() - 1]);
                let _ = ask(&studio, client, "GET", &export, "").await;
            }
        };
        let _ = tokio::time::timeout(Duration::from_millis(20) + moment, saves).await;
        studio.restart()?;
    }
    let lost = lost(&studio, &saved).await?;
    let view = ask(&studio, 1, "GET", &format!("/api/work/{run}"), "").await?.json()?;
    println!(
        "kill -9: {KILLS} kills, {} acknowledged designs, {lost} lost, the search is {}",
        saved.len(),
        view["state"]
    );
    ensure!(lost == 0, "{lost} of {} designs are lost", saved.len());
    Ok(())
}

/// Value below which a share of the measurements lies, in milliseconds.
fn quantile(times: &mut [Duration], share: f64) -> f64 {
    times.sort_unstable();
    times
        .get(((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1)))
        .map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
}

/// Asks for a path again and again for some time; how long each answer took.
async fn probe(studio: &Studio, path: &str, lasting: Duration) -> Result<Vec<Duration>> {
    let (began, mut times) = (Instant::now(), Vec::new());
    while began.elapsed() < lasting {
        let at = Instant::now();
        let answer = ask(studio, (times.len() / 100 % 200) as u8, "GET", path, "").await?;
        ensure!(answer.status == 200, "{}: {}", answer.status, answer.body);
        times.push(at.elapsed());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(times)
}

/// Resident MiB of the studio, now and at its peak.
fn memory(studio: &Studio) -> Result<(u64, u64)> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", studio.process()))?;
    let of = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name))?;
        line.split_whitespace().nth(1)?.parse::<u64>().ok()
    };
    Ok((of("VmRSS").context("VmRSS")? >> 10, of("VmHWM").context("VmHWM")? >> 10))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "minutes: make chaos"]
async fn a_thousand_watchers_do_not_slow_the_page() -> Result<()> {
    let studio = Studio::start(&[])?;
    let mut runs = Vec::new();
    for seed in 0..2 {
        runs.push(start_long(&studio, 1, seed).await?);
    }
    let mut watchers = Vec::new();
    for number in 0..1000u32 {
        let events = format!("/api/work/{}/events", runs[0]);
        let mut stream = send(&studio, 10 + (number % 200) as u8, "GET", &events, "").await?;
        watchers.push(tokio::spawn(async move {
            let (mut bytes, mut buffer) = (0u64, vec![0; 1 << 16]);
            let _ = tokio::time::timeout(Duration::from_secs(20), async {
                while let Ok(read @ 1..) = stream.read(&mut buffer).await {
                    bytes += read as u64;
                }
            })
            .await;
            bytes
        }));
    }
    let mut times = probe(&studio, "/", Duration::from_secs(15)).await?;
    let (_, peak) = memory(&studio)?;
    let mut least = u64::MAX;
    for watcher in watchers {
        least = least.min(watcher.await?);
    }
    let p99 = quantile(&mut times, 0.99);
    println!(
        "1,000 watchers, 2 searches: page p99 {p99:.0} ms of {} requests, peak {peak} MiB, quietest stream {least} bytes",
        times.len()
    );
    ensure!(p99 < 200.0 && least > 1000, "p99 {p99} ms, quietest stream {least} bytes");
    Ok(())
}

/// Requests that cost the most there is.
fn expensive() -> Vec<(&'static str, Value)> {
    let spec = |objective: &str| {
        format!("pes = 8192\nnis_per_pe = 8\nobjective = \"{objective}\"\n[[switch]]\nports = 256\n")
    };
    let all_pairs = spec("fractional") + &"[[pattern]]\nkind = \"all-pairs\"\n".repeat(30);
    let members = |first: u32| (first..first + 256).map(|pe| format!(" {pe}")).collect::<String>();
    let table: String =
        (0..256u32).map(|switch| format!("{switch}:{}\n", members(switch % 32 * 256))).collect();
    let design = json!({ "spec": spec("universal"), "table": table });
    let work = |kind: &str| json!({ "kind": kind, "spec": spec("universal"), "table": table });
    vec![
        ("/api/work", json!({ "kind": "simulation", "form": { "fabric": "full:4000" } })),
        ("/api/demand", json!({ "spec": all_pairs })),
        ("/api/work", work("analysis")),
        ("/api/work", work("compare")),
        ("/api/exports/losses", design.clone()),
        ("/api/exports/relays", design.clone()),
        ("/api/exports/all", design),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "minutes: make chaos"]
async fn sixty_four_greedy_clients_leave_room_for_others() -> Result<()> {
    let studio = Studio::start(&["--memory", "4096"])?;
    let mut clients = tokio::task::JoinSet::new();
    let requests = expensive();
    for number in 0..64u8 {
        let (path, body) = requests[usize::from(number) % requests.len()].clone();
        let mut stream = send_and_wait(&studio, 10 + number, path, &body.to_string()).await?;
        clients.spawn(async move {
            let mut sink = [0; 1 << 16];
            while stream.read(&mut sink).await? > 0 {}
            Ok::<_, std::io::Error>(())
        });
    }
    let mut times = probe(&studio, "/healthz", Duration::from_secs(30)).await?;
    clients.abort_all();
    while clients.join_next().await.is_some() {}
    let left = Instant::now();
    let small = ask(&studio, 200, "POST", "/api/demand", &json!({ "spec": SPEC }).to_string()).await?;
    let (p99, (_, peak)) = (quantile(&mut times, 0.99), memory(&studio)?);
    println!(
        "64 greedy clients: p99 of /healthz {p99:.0} ms, peak {peak} MiB of 4,096, a small demand after they left {:.0} ms",
        left.elapsed().as_secs_f64() * 1e3
    );
    ensure!(small.status == 200 && p99 < 100.0 && peak < 4096 + 1024, "p99 {p99} ms, peak {peak} MiB");
    Ok(())
}

/// A step estimate of minutes.
fn estimate() -> String {
    json!({ "kind": "estimate", "spec": include_str!("../../assets/specs/llama405b.toml") }).to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "minutes: make chaos"]
async fn six_clients_with_estimates_do_not_delay_saves() -> Result<()> {
    let studio = std::sync::Arc::new(Studio::start(&["--memory", "8192"])?);
    let mut clients = tokio::task::JoinSet::new();
    for number in 0..6u8 {
        let studio = studio.clone();
        clients.spawn(async move {
            let mut sink = Vec::new();
            while let Ok(mut stream) = send_and_wait(&studio, 10 + number, "/api/work", &estimate()).await {
                // A refusal ends it as well.
                let _ = stream.read_to_end(&mut sink).await;
            }
        });
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    let design = json!({ "spec": SPEC, "table": TABLE, "origin": "imported" }).to_string();
    let run = search(SPEC, json!({})).to_string();
    let demand = json!({ "spec": include_str!("../../assets/specs/kasy0.toml") }).to_string();
    let names = ["save", "start", "small demand", "open"];
    let (began, mut times) = (Instant::now(), names.map(|_| Vec::new()));
    let mut open = String::new();
    while began.elapsed() < Duration::from_secs(30) {
        let client = 100 + (times[0].len() / 40 % 100) as u8;
        for (which, times) in times.iter_mut().enumerate() {
            let (method, path, body) = match which {
                0 => ("POST", "/api/designs", design.as_str()),
                1 => ("POST", "/api/work", run.as_str()),
                2 => ("POST", "/api/demand", demand.as_str()),
                _ => ("GET", open.as_str(), ""),
            };
            let at = Instant::now();
            let answer = ask(&studio, client, method, path, body).await?;
            times.push(at.elapsed());
            ensure!([200, 201].contains(&answer.status), "{path}: {}: {}", answer.status, answer.body);
            if which == 0 {
                open = format!("/api/designs/{}", answer.json()?["id"].as_str().context("an id")?);
            }
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let metrics = ask(&studio, 1, "GET", "/metrics", "").await?.body;
    let figure = |name: &str| {
        let line = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.context("a figure")?.parse::<f64>().context("a number")
    };
    let busy = figure("crosspoint_tasks_running")? + figure("crosspoint_tasks_waiting")?;
    clients.abort_all();
    let count = times[0].len();
    let p99 = times.map(|mut times| quantile(&mut times, 0.99));
    let words: Vec<_> = names.iter().zip(p99).map(|(name, p99)| format!("{name} {p99:.0} ms")).collect();
    println!(
        "6 clients with step estimates: p99 of {count} each: {}; {busy} estimates go on",
        words.join(", ")
    );
    ensure!(busy >= 4.0, "the estimates were quick: {busy}");
    ensure!(p99[0] < 200.0 && p99[1] < 200.0 && p99[3] < 200.0 && p99[2] < 1000.0, "{words:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "minutes: make chaos"]
async fn two_thousand_idle_connections_leave_room_for_others() -> Result<()> {
    let studio = Studio::start(&["--connections", "1000"])?;
    let mut idle = Vec::new();
    for number in 0..2000u32 {
        let mut stream = connect(&studio, 10 + (number % 200) as u8).await?;
        // Half of them send headers that never end.
        if number % 2 == 0 {
            let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ").await;
        }
        idle.push(stream);
    }
    let mut times = probe(&studio, "/healthz", Duration::from_secs(15)).await?;
    let metrics = ask(&studio, 1, "GET", "/metrics", "").await?.body;
    let open = metrics.lines().find_map(|line| line.strip_prefix("crosspoint_connections_open "));
    let open: f64 = open.context("a figure")?.parse()?;
    let p99 = quantile(&mut times, 0.99);
    println!("2,000 idle connections, limit 1,000: {open} open, p99 of /healthz {p99:.0} ms");
    ensure!(p99 < 100.0 && open <= 1000.0, "p99 {p99} ms, {open} open");
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "minutes: make chaos"]
async fn sigterm_ends_a_busy_studio_within_five_seconds() -> Result<()> {
    let mut studio = Studio::start(&[])?;
    start_long(&studio, 2, 1).await?;
    let mut clients = Vec::new();
    for (number, (path, body)) in (10u8..).zip(expensive()) {
        clients.push(send_and_wait(&studio, number, path, &body.to_string()).await?);
    }
    tokio::time::sleep(Duration::from_secs(3)).await;
    let began = Instant::now();
    let ended = tokio::task::spawn_blocking(move || studio.terminate()).await?;
    let took = began.elapsed();
    println!(
        "SIGTERM with a search and {} expensive requests: ended in {:.1} s",
        clients.len(),
        took.as_secs_f64()
    );
    ensure!(took < Duration::from_secs(5), "{took:?}");
    ended
}
