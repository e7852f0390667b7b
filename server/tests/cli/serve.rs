use crate::program::{SMALL, folder, program, run};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// A studio on a free port; ended when it goes out of sight.
pub struct Studio {
    child: Child,
    pub address: String,
}

impl Studio {
    pub fn start(data: &Path) -> Studio {
        Studio::start_with(data, &[])
    }

    fn start_with(data: &Path, more: &[&str]) -> Studio {
        let mut command = program(data);
        command.arg("serve").arg("--data").arg(data).args(more);
        Studio::of(command)
    }

    fn of(mut command: Command) -> Studio {
        command.args(["--listen", "127.0.0.1:0"]).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address =
            line.trim().strip_prefix("Crosspoint studio: http://").unwrap_or_else(|| panic!("{line:?}"));
        Studio { address: address.to_owned(), child }
    }

    fn say(&self, head: &str, body: &str) -> String {
        self.say_with(head, "", body)
    }

    /// Sends a request with further headers, a line each.
    fn say_with(&self, head: &str, headers: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        write!(
            stream,
            "{head} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\n{headers}\r\n{body}",
            self.address
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Creates something and returns its id.
    fn create(&self, path: &str, body: &serde_json::Value) -> String {
        let answer = self.say(&format!("POST {path}"), &body.to_string());
        answer
            .split("\"id\":\"")
            .nth(1)
            .unwrap_or_else(|| panic!("{answer}"))
            .split('"')
            .next()
            .unwrap()
            .to_owned()
    }

    /// Starts work and returns its id.
    fn work(&self, body: &serde_json::Value) -> String {
        self.create("/api/work", body)
    }

    /// Waits until work is over, and returns its view.
    fn ended(&self, id: &str) -> String {
        let running =
            |view: &str| view.contains("\"state\":\"queued\"") || view.contains("\"state\":\"running\"");
        let mut view = self.say(&format!("GET /api/work/{id}"), "");
        while running(&view) {
            std::thread::sleep(std::time::Duration::from_millis(50));
            view = self.say(&format!("GET /api/work/{id}"), "");
        }
        view
    }

    /// Waits until a search is over, and returns its best wiring.
    fn wiring(&self, id: &str) -> String {
        let view = self.ended(id);
        assert!(view.contains("\"state\":\"exhausted\""), "{view}");
        let table = self.say(&format!("GET /api/work/{id}/table"), "");
        table.split_once("\r\n\r\n").unwrap().1.to_owned()
    }

    /// Ends it as a service manager does, and returns its exit code.
    fn terminate(&mut self) -> Option<i32> {
        let killed = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn it_prints_its_address_once_it_listens() {
    let folder = folder(&[]);
    let studio = Studio::start(folder.path());
    let answer = studio.say("GET /api/version", "");
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("Crosspoint"), "{answer}");
    assert!(folder.path().join("crosspoint.sqlite").exists());
}

/// A program that was built without the web bundle says what to do, in its log and on its page.
#[cfg(unix)]
#[test]
fn a_program_without_pages_names_the_command_that_builds_them() {
    let folder = folder(&[]);
    let log = folder.path().join("log");
    let mut command = program(folder.path());
    command.arg("serve").arg("--data").arg(folder.path());
    command.stderr(std::fs::File::create(&log).unwrap());
    let mut studio = Studio::of(command);
    let page = studio.say("GET /", "");
    assert_eq!(studio.terminate(), Some(0));
    let log = std::fs::read_to_string(log).unwrap();
    let is_missing = page.starts_with("HTTP/1.1 503");
    assert_eq!(
        [page.contains("<code>make bundle</code>"), log.contains("`make bundle`")],
        [is_missing; 2],
        "{log}{page}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn without_a_data_folder_it_uses_the_users() {
    let folder = folder(&[]);
    let mut command = program(folder.path());
    command.arg("serve").env("XDG_DATA_HOME", folder.path());
    let _studio = Studio::of(command);
    assert!(folder.path().join("crosspoint/crosspoint.sqlite").exists());
}

/// A session through the API, logged in full.
#[cfg(unix)]
#[test]
fn no_log_line_holds_an_id_or_a_spec() {
    use serde_json::json;
    let spec = crate::program::SMALL.replace("Small", "Secretive");
    let table = "0: 0 1 2 3\n";
    for format in ["text", "json"] {
        let folder = folder(&[]);
        let log = folder.path().join("log");
        let mut command = program(folder.path());
        command.args(["serve", "--log", "trace", "--log-format", format, "--data"]).arg(folder.path());
        command.stderr(std::fs::File::create(&log).unwrap());
        let mut studio = Studio::of(command);
        let design =
            studio.create("/api/designs", &json!({ "spec": spec, "table": table, "origin": "Secretive" }));
        let run = studio.work(&search(&spec, json!({})));
        let form = json!({ "nis_from": 1, "nis_to": 2, "ports": "4" });
        let board = studio.work(&json!({ "kind": "hardware", "spec": spec, "form": form }));
        let form = json!({ "traffic": "uniform", "loads": [0.1] });
        let simulation =
            studio.work(&json!({ "kind": "simulation", "spec": spec, "table": table, "form": form }));
        let analysis = studio.work(&json!({ "kind": "analysis", "spec": spec, "table": table }));
        let unknown = "secretivesecretivesecretiv".to_owned();
        for (noun, id) in [
            ("designs", &design),
            ("designs", &unknown),
            ("work", &run),
            ("work", &board),
            ("work", &analysis),
        ] {
            studio.say(&format!("GET /api/{noun}/{id}"), "");
        }
        for path in [
            format!("/d/{design}"),
            format!("/api/designs/{design}/exports/table"),
            format!("/api/work/{run}/events"),
            format!("/api/work/{board}/events"),
            format!("/api/work/{simulation}/events"),
            format!("/api/work/{analysis}/events"),
            format!("/{unknown}?{run}"),
        ] {
            studio.say(&format!("GET {path}"), "");
        }
        let token = "x-crosspoint-edit: Secretive-and-long-enough\r\n";
        let started = studio.say_with("POST /api/work", token, &search(&spec, json!({})).to_string());
        assert!(started.starts_with("HTTP/1.1 201"), "{started}");
        studio.say_with(&format!("POST /api/work/{run}/stop"), token, "");
        studio.say_with("GET /api/operator", token, "");
        let faulty = search(&spec.replace("pes = 4", "pes = Secretive"), json!({}));
        studio.say("POST /api/work", &faulty.to_string());
        assert_eq!(studio.terminate(), Some(0));
        let log = std::fs::read_to_string(log).unwrap();
        for event in ["/api/designs/{id}", "queued", "started", "ended", "answered", "save_design"] {
            assert!(log.contains(event), "{event}: {log}");
        }
        let lower = log.to_lowercase();
        for secret in [design.as_str(), &run, &board, &simulation, &analysis, "secretive", "nics_per_node"] {
            assert!(!lower.contains(secret), "{secret}: {log}");
        }
        if format == "json" {
            for line in log.lines() {
                let line: serde_json::Value = serde_json::from_str(line).unwrap();
                assert!(line["level"].is_string() && line["timestamp"].is_string(), "{line}");
            }
        }
    }
}

#[test]
fn a_port_or_a_folder_in_use_is_told() {
    let (folder, other) = (folder(&[]), folder(&[]));
    let studio = Studio::start(folder.path());
    let data = other.path().to_str().unwrap();
    let ran = run(other.path(), &["serve", "--listen", &studio.address, "--data", data]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains(&studio.address) && ran.err.contains("--listen"), "{}", ran.err);
    let data = folder.path().to_str().unwrap();
    let ran = run(other.path(), &["serve", "--listen", "127.0.0.1:0", "--data", data]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("another studio"), "{}", ran.err);
    let ran = run(other.path(), &["serve", "--listen", "nowhere"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("127.0.0.1:8080"), "{}", ran.err);
}

#[test]
fn the_operators_token_is_read_from_its_file() {
    let token = "abcdefghijklmnopqrstuvwxyz";
    let folder = folder(&[("token", format!("{token}\n").as_bytes()), ("short", b"abc\n")]);
    let file = folder.path().join("token");
    let studio = Studio::start_with(folder.path(), &["--admin-token-file", file.to_str().unwrap()]);
    let elsewhere = "Via: 1.1 proxy\r\n".to_owned();
    let refused = studio.say_with("GET /api/operator", &elsewhere, "");
    assert!(refused.starts_with("HTTP/1.1 403") && refused.contains("/problems/operator"), "{refused}");
    let headers = elsewhere + &format!("x-crosspoint-edit: {token}\r\n");
    let list = studio.say_with("GET /api/operator", &headers, "");
    assert!(list.starts_with("HTTP/1.1 200") && list.contains("\"work\":[]"), "{list}");

    let ran = run(
        folder.path(),
        &["serve", "--listen", "127.0.0.1:0", "--data", ".", "--admin-token-file", "short"],
    );
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("short: must have 22 to 200 ASCII characters without spaces, not 3 characters."),
        "{}",
        ran.err
    );
    let ran = run(
        folder.path(),
        &["serve", "--listen", "127.0.0.1:0", "--data", ".", "--admin-token-file", "none"],
    );
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("none cannot be read"), "{}", ran.err);
}

#[test]
fn a_folder_that_cannot_be_used_is_told() {
    let folder = folder(&[("file", b"")]);
    let ran = run(folder.path(), &["serve", "--listen", "127.0.0.1:0", "--data", "file/data"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("file/data"), "{}", ran.err);
}

#[cfg(unix)]
#[test]
fn stopping_it_keeps_running_searches_and_ends_their_streams() {
    let folder = folder(&[]);
    let mut studio = Studio::start(folder.path());
    let spec = std::fs::read_to_string(crate::program::kasy0()).unwrap();
    let spec = spec.replace("ports = 24", "ports = 12").replace("reserve = 1", "reserve = 0");
    let id = studio.work(&endless_search(&spec));
    let mut stream = TcpStream::connect(&studio.address).unwrap();
    write!(stream, "GET /api/work/{id}/events HTTP/1.1\r\nHost: {}\r\n\r\n", studio.address).unwrap();
    let mut events = BufReader::new(stream);
    let mut line = String::new();
    while !line.contains("\"revision\":") || line.contains("\"revision\":0") {
        line.clear();
        assert_ne!(events.read_line(&mut line).unwrap(), 0, "the stream ended");
    }
    assert_eq!(studio.terminate(), Some(0));
    let mut rest = String::new();
    events.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("\"state\":\"interrupted\""), "{rest}");

    let studio = Studio::start(folder.path());
    let answer = studio.say(&format!("GET /api/work/{id}"), "");
    assert!(goes_on(&answer), "{answer}");
    let answer = studio.say(&format!("GET /api/work/{id}/table"), "");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

/// Reads a stream up to an event.
fn first_event(stream: TcpStream) -> BufReader<TcpStream> {
    let mut events = BufReader::new(stream);
    let mut line = String::new();
    while !line.starts_with("event:") {
        line.clear();
        assert_ne!(events.read_line(&mut line).unwrap(), 0, "the stream ended");
    }
    events
}

#[test]
fn idle_connections_make_room_for_new_ones() {
    let folder = folder(&[]);
    let log = folder.path().join("log");
    let mut command = program(folder.path());
    command.args(["serve", "--connections", "100", "--data"]).arg(folder.path());
    command.stderr(std::fs::File::create(&log).unwrap());
    let studio = Studio::of(command);
    let mut idle: Vec<TcpStream> = (0..300)
        .map(|number| {
            let mut stream = TcpStream::connect(&studio.address).unwrap();
            if number % 3 == 0 {
                stream.write_all(b"GET /api/version HTTP/1.1\r\nHost: loc").unwrap();
            }
            stream
        })
        .collect();
    let began = Instant::now();
    assert!(studio.say("GET /api/version", "").starts_with("HTTP/1.1 200"));
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert!(matches!(idle[0].read(&mut [0; 1]), Ok(0) | Err(_)), "the oldest is closed");
    let last = &mut idle[299];
    last.write_all(format!("GET /api/version HTTP/1.1\r\nHost: {}\r\n\r\n", studio.address).as_bytes())
        .unwrap();
    let mut status = [0; 12];
    last.read_exact(&mut status).unwrap();
    assert_eq!(&status, b"HTTP/1.1 200", "the newest is open");
    let log = std::fs::read_to_string(log).unwrap();
    let warnings = log.lines().filter(|line| line.contains("too many connections")).count();
    assert!((1..20).contains(&warnings) && log.contains("--connections"), "{log}");
}

#[test]
fn busy_connections_stay_and_new_ones_hear_when_to_come_back() {
    let folder = folder(&[]);
    let studio = Studio::start_with(folder.path(), &["--connections", "2"]);
    let id = studio.work(&endless());
    let watch = || {
        let mut stream = TcpStream::connect(&studio.address).unwrap();
        let path = format!("/api/work/{id}/events");
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", studio.address).unwrap();
        first_event(stream)
    };
    let watchers = [watch(), watch()];
    let refused = studio.say("GET /api/version", "");
    assert!(refused.starts_with("HTTP/1.1 503") && refused.contains("\r\nRetry-After: "), "{refused}");
    drop(watchers);
    let began = Instant::now();
    while !studio.say("GET /api/version", "").starts_with("HTTP/1.1 200") {
        assert!(began.elapsed() < Duration::from_secs(30));
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A simulation of many minutes.
fn endless() -> serde_json::Value {
    let form = serde_json::json!({ "fabric": "mesh:16x16", "traffic": "uniform", "loads": [0.1], "cycles": 20_000_000 });
    serde_json::json!({ "kind": "simulation", "form": form })
}

/// Request to start a search.
fn search(spec: &str, form: serde_json::Value) -> serde_json::Value {
    serde_json::json!({ "kind": "search", "spec": spec, "form": form })
}

/// A search of many minutes.
#[cfg(unix)]
fn endless_search(spec: &str) -> serde_json::Value {
    search(spec, serde_json::json!({ "budget.seconds": 600.0 }))
}

#[cfg(unix)]
#[test]
fn stopping_does_not_wait_for_clients() {
    let folder = folder(&[]);
    let mut studio = Studio::start(folder.path());
    let spec = std::fs::read_to_string(crate::program::kasy0()).unwrap().replace("ports = 24", "ports = 12");
    let run = studio.work(&endless_search(&spec));
    let simulation = studio.work(&endless());
    let open = |request: String| {
        let mut stream = TcpStream::connect(&studio.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    };
    let host = format!("Host: {}\r\n", studio.address);
    let json = "Content-Type: application/json\r\nContent-Length: 1000\r\n";
    let _slow = [
        open(String::new()),
        open("GET / HTTP/1.1\r\nHo".into()),
        open(format!("POST /api/demand HTTP/1.1\r\n{host}{json}\r\n{{")),
    ];
    let watching = [run, simulation]
        .map(|id| first_event(open(format!("GET /api/work/{id}/events HTTP/1.1\r\n{host}\r\n"))));
    let began = Instant::now();
    assert_eq!(studio.terminate(), Some(0));
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    for mut events in watching {
        let mut rest = String::new();
        events.read_to_string(&mut rest).unwrap();
        assert!(rest.contains("\"state\":\"interrupted\""), "{rest}");
    }
}

#[cfg(unix)]
#[test]
fn after_a_crash_unfinished_searches_begin_again() {
    let folder = folder(&[]);
    let mut studio = Studio::start(folder.path());
    let spec = std::fs::read_to_string(crate::program::kasy0()).unwrap().replace("ports = 24", "ports = 12");
    let id = studio.work(&endless_search(&spec));
    let form = serde_json::json!({ "fabric": "mesh:16x16", "loads": [0.3], "cycles": 20_000_000 });
    studio.work(&serde_json::json!({ "kind": "simulation", "form": form }));
    studio.work(&endless_search(&spec));
    studio.child.kill().unwrap();
    studio.child.wait().unwrap();
    let log = folder.path().join("log");
    let mut command = program(folder.path());
    command.arg("serve").arg("--data").arg(folder.path()).stderr(std::fs::File::create(&log).unwrap());
    let studio = Studio::of(command);
    let answer = studio.say(&format!("GET /api/work/{id}"), "");
    assert!(goes_on(&answer), "{answer}");
    let log = std::fs::read_to_string(log).unwrap();
    let resumed: Vec<&str> = log.lines().filter(|line| line.contains("resumed work")).collect();
    assert!(resumed.len() == 1 && resumed[0].contains("2 searches and 1 simulation"), "{log}");
}

#[cfg(unix)]
#[test]
fn after_a_crash_a_run_goes_on_to_the_same_wiring() {
    let (folder, every) = (folder(&[]), &["--checkpoint-every", "0.2"]);
    let mut studio = Studio::start_with(folder.path(), every);
    let form = serde_json::json!({ "budget.unit": "effort", "budget.effort": 12, "seed": 4, "threads": 2 });
    let body = search(&crate::search::hard(), form);
    let id = studio.work(&body);
    let store = rusqlite::Connection::open(folder.path().join("crosspoint.sqlite")).unwrap();
    let kept = || {
        store
            .query_row("SELECT count(*) FROM checkpoint WHERE state IS NOT NULL", [], |row| {
                row.get::<_, u32>(0)
            })
            .unwrap()
    };
    while kept() == 0 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    studio.child.kill().unwrap();
    studio.child.wait().unwrap();
    let told: String = store.query_row("SELECT state FROM work", [], |row| row.get(0)).unwrap();
    assert_eq!(told, "running", "it ended before it was killed");

    let studio = Studio::start_with(folder.path(), every);
    assert!(
        studio.say(&format!("GET /api/work/{id}/table"), "").starts_with("HTTP/1.1 200"),
        "the best stays"
    );
    let resumed = studio.wiring(&id);
    assert_eq!(kept(), 1, "it may be continued");
    assert_eq!(resumed, studio.wiring(&studio.work(&body)));
}

/// `true` if a run waits or searches.
#[cfg(unix)]
fn goes_on(answer: &str) -> bool {
    ["queued", "running"].iter().any(|state| answer.contains(&format!("\"state\":\"{state}\"")))
}

/// Max bytes of memory of a studio with `--memory 512` in KiB: the claims, what a request takes before its claim, and the program.
#[cfg(target_os = "linux")]
const MAX_PEAK: u64 = 900 << 10;

#[cfg(target_os = "linux")]
#[test]
fn hostile_files_of_every_reader_end_in_an_answer_and_bounded_memory() {
    let folder = folder(&[]);
    let studio = Studio::start_with(folder.path(), &["--memory", "512"]);
    let compare = |form: serde_json::Value, files: serde_json::Value| {
        let body = serde_json::json!({ "kind": "compare", "spec": SMALL, "form": form, "files": files });
        ("work", body.to_string())
    };
    let network =
        |text: String| compare(serde_json::json!({ "fabrics": "file:n" }), serde_json::json!({ "n": text }));
    let spec = |text: String| ("demand", serde_json::json!({ "spec": text }).to_string());
    let graph = |inside: &str| format!("<graphml><graph>{inside}</graph></graphml>");
    let entities: String = (0..4000).map(|number| format!("<node id=\"&a;{number}\"/>")).collect();
    let entity = format!("<!DOCTYPE graphml [<!ENTITY a \"{}\">]>", "x".repeat(2_000_000));
    let nested: String = (0..6000).map(|level| format!("<a xmlns:n{level}=\"u{level}\">")).collect();
    let attributes: String = (0..120_000).map(|number| format!(" a{number}=''")).collect();
    let edges = "<edge source='a' target='b'/>".repeat(400_000);
    let table = |table: String| {
        ("work", serde_json::json!({ "kind": "analysis", "spec": SMALL, "table": table }).to_string())
    };
    let pairs =
        |text: String| format!("{SMALL}[[pattern]]\nkind = \"matrix\"\npairs = \"\"\"\n{text}\"\"\"\n");
    for (case, (route, body)) in [
        ("entities", network(entity + &graph(&entities))),
        ("namespaces", network(graph(&(nested + &"</a>".repeat(6000))))),
        ("attributes", network(graph(&format!("<node id='a'{attributes}/>")))),
        ("edges", network(graph(&edges))),
        ("links", network("a\n".repeat(4_000_000))),
        ("names", network("host ".to_owned() + &"a ".repeat(4_000_000))),
        ("too large for the memory", network((0..3_000_000).map(|node| format!("{node} s\n")).collect())),
        ("tables", spec(format!("pes = [{}]", "{a=1},".repeat(600_000)))),
        ("lists", spec(format!("pes = [{}]", "1,".repeat(390_000)))),
        ("keys", spec((0..97_000).map(|key| format!("a{key}=1\n")).collect())),
        ("dotted keys", spec(format!("{}a = 1", "a.".repeat(390_000)))),
        ("brackets", spec("pes = ".to_owned() + &"[".repeat(390_000))),
        ("pairs", spec(pairs("x y\n".repeat(900_000)))),
        ("a wide line", spec(pairs("1 ".repeat(1_900_000)))),
        (
            "prices",
            compare(
                serde_json::json!({ "prices": format!("a = [{}]", "1,".repeat(390_000)) }),
                serde_json::json!({}),
            ),
        ),
        ("switches", table("0:\n".repeat(4_000_000))),
        ("members", table("0: ".to_owned() + &"0 ".repeat(8_000_000))),
        (
            "values of JSON",
            (
                "work",
                format!(
                    "{{\"kind\": \"compare\", \"form\": {{\"fabrics\": [{}\"\"]}}}}",
                    "\"\",".repeat(8_000_000)
                ),
            ),
        ),
        (
            "files of JSON",
            (
                "work",
                format!(
                    "{{\"kind\": \"compare\", \"files\": {{{}\"\": \"\"}}}}",
                    "\"a\":\"\",".repeat(3_000_000)
                ),
            ),
        ),
        (
            "texts of JSON",
            (
                "work",
                format!(
                    "{{\"kind\": \"compare\", \"form\": {{{}\"a\": \"\"}}}}",
                    (0..2_000_000).map(|key| format!("\"{key}\":1,")).collect::<String>()
                ),
            ),
        ),
        ("depth of JSON", ("work", "{\"files\":".repeat(1_000_000))),
        ("depth of a form", ("work", "{\"form\":".to_owned() + &"[".repeat(1_000_000))),
    ] {
        let answer = studio.say_with(&format!("POST /api/{route}"), "Prefer: wait=20\r\n", &body);
        if answer.starts_with("HTTP/1.1 201") {
            // It takes longer on a slow machine.
            let id = answer.split("\"id\":\"").nth(1).unwrap().split('"').next().unwrap();
            let failed = studio.ended(id);
            assert!(
                failed.contains("\"state\":\"failed\"") && failed.contains("\"status\":4"),
                "{case}: {failed:.500}"
            );
            continue;
        }
        assert!(answer.starts_with("HTTP/1.1 4"), "{case}: {answer:.500}");
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", studio.child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak < MAX_PEAK, "{peak} KiB");
    assert!(studio.say("GET /api/version", "").starts_with("HTTP/1.1 200"));
}
