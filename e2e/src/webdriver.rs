//! Firefox and WebKit, which the stories of Chromium's protocol do not reach: a window, scripts, clicks and pictures by WebDriver.
//!
//! Firefox speaks it over a socket of its own (Marionette), WebKit by HTTP through WebKitWebDriver, on a virtual screen.

use anyhow::{Context, Result, bail, ensure};
use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// Time limit of an expectation, and of the start of a browser.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(100);
/// The key of an element's id in answers.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";
/// Size of the window.
const SIZE: (u32, u32) = (1280, 800);

/// A browser with one window. It ends with this value.
pub struct Window {
    driver: Driver,
    processes: Vec<Child>,
    _profile: TempDir,
}

enum Driver {
    Marionette(BufReader<TcpStream>),
    Http { address: String, session: String },
}

impl Drop for Window {
    fn drop(&mut self) {
        // WebKit's driver ends its browser with the session.
        if let Driver::Http { address, session } = &self.driver {
            let _ = http(address, "DELETE", &format!("/session/{session}"), &json!({}));
        }
        for process in self.processes.iter_mut().rev() {
            // An error means that it has ended already.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

impl Window {
    /// Starts Firefox.
    ///
    /// # Errors
    /// If it is not installed or does not start.
    pub fn firefox() -> Result<Window> {
        let profile = TempDir::with_prefix("crosspoint-firefox-")?;
        std::fs::write(profile.path().join("user.js"), "user_pref(\"marionette.port\", 0);\n")?;
        let mut command = Command::new(firefox_path().context("no Firefox; e2e/setup.sh installs it")?);
        command.args(["--headless", "--marionette", "--no-remote", "--profile"]).arg(profile.path());
        command.args([format!("--width={}", SIZE.0), format!("--height={}", SIZE.1)]);
        let process = quiet(command.env("HOME", profile.path())).spawn().context("starting Firefox")?;
        let port = profile.path().join("MarionetteActivePort");
        let stream = wait("Firefox’s port", || {
            let port: u16 = std::fs::read_to_string(&port).ok()?.trim().parse().ok()?;
            TcpStream::connect(("127.0.0.1", port)).ok()
        });
        let mut window = Window {
            driver: Driver::Marionette(BufReader::new(stream.inspect_err(|_| drop(end(&process)))?)),
            processes: vec![process],
            _profile: profile,
        };
        if let Driver::Marionette(stream) = &mut window.driver {
            // The greeting.
            message(stream)?;
        }
        window.call("WebDriver:NewSession", "", &json!({}))?;
        Ok(window)
    }

    /// Starts WebKit's MiniBrowser.
    ///
    /// # Errors
    /// If it is not installed or does not start.
    pub fn webkit() -> Result<Window> {
        let browser = webkit_path().context("no MiniBrowser of WebKit; e2e/setup.sh installs it")?;
        let profile = TempDir::with_prefix("crosspoint-webkit-")?;
        let mut screen = Command::new("Xvfb");
        screen.args(["-displayfd", "1", "-nolisten", "tcp", "-screen", "0", "1600x1000x24"]);
        let mut screen = quiet(&mut screen).stdout(Stdio::piped()).spawn().context("starting Xvfb")?;
        let mut display = String::new();
        let printed = screen.stdout.take().context("Xvfb’s output")?;
        BufReader::new(printed).read_line(&mut display)?;
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut driver = Command::new("WebKitWebDriver");
        driver.arg(format!("--port={port}")).env("DISPLAY", format!(":{}", display.trim()));
        driver.env("HOME", profile.path()).env("XDG_CACHE_HOME", profile.path());
        let process = quiet(&mut driver).spawn().context("starting WebKitWebDriver")?;
        let address = format!("127.0.0.1:{port}");
        let mut window = Window {
            driver: Driver::Http { address: address.clone(), session: String::new() },
            processes: vec![screen, process],
            _profile: profile,
        };
        wait("WebKitWebDriver", || http(&address, "GET", "/status", &Value::Null).ok())?;
        let options = json!({"webkitgtk:browserOptions": {"binary": browser, "args": ["--automation"]}});
        let asked = json!({"capabilities": {"alwaysMatch": options}});
        let answer = http(&address, "POST", "/session", &asked)?;
        let session = answer["sessionId"].as_str().with_context(|| answer.to_string())?.to_owned();
        window.driver = Driver::Http { address, session };
        let size = json!({"width": SIZE.0, "height": SIZE.1});
        window.call("WebDriver:SetWindowRect", "/window/rect", &size)?;
        Ok(window)
    }

    /// Calls a command by its name in Marionette, or by its path in WebDriver.
    fn call(&mut self, name: &str, path: &str, params: &Value) -> Result<Value> {
        match &mut self.driver {
            Driver::Marionette(stream) => {
                let text = json!([0, 1, name, params]).to_string();
                write!(stream.get_mut(), "{}:{text}", text.len())?;
                let mut answer = message(stream)?;
                ensure!(answer[2].is_null(), "{name}: {}", answer[2]);
                let mut result = answer[3].take();
                Ok(if result.get("value").is_some() { result["value"].take() } else { result })
            }
            Driver::Http { address, session } => {
                http(address, "POST", &format!("/session/{session}{path}"), params)
            }
        }
    }

    /// Goes to an address.
    ///
    /// # Errors
    /// If it cannot be loaded.
    pub fn goto(&mut self, url: &str) -> Result<()> {
        self.call("WebDriver:Navigate", "/url", &json!({"url": url})).map(drop)
    }

    /// The value of an expression on the page.
    ///
    /// # Errors
    /// If it throws.
    pub fn evaluate(&mut self, expression: &str) -> Result<Value> {
        let params = json!({"script": format!("return {expression}"), "args": []});
        self.call("WebDriver:ExecuteScript", "/execute/sync", &params)
    }

    /// Waits until an expression on the page is true.
    ///
    /// # Errors
    /// If it never is.
    pub fn until(&mut self, what: &str, expression: &str) -> Result<()> {
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            if self.evaluate(expression)? == true {
                return Ok(());
            }
            std::thread::sleep(PAUSE);
        }
        bail!("timed out waiting for {what}")
    }

    /// Clicks an element as a person does, once it is there and can be used.
    ///
    /// # Errors
    /// If there is none, or something covers it.
    pub fn click(&mut self, selector: &str) -> Result<()> {
        let usable = format!("(e => e !== null && !e.disabled)(document.querySelector({}))", json!(selector));
        self.until(selector, &usable)?;
        let asked = json!({"using": "css selector", "value": selector});
        let found = self.call("WebDriver:FindElement", "/element", &asked)?;
        let id = found[ELEMENT].as_str().with_context(|| found.to_string())?;
        self.call("WebDriver:ElementClick", &format!("/element/{id}/click"), &json!({"id": id})).map(drop)
    }

    /// A screenshot, as PNG.
    ///
    /// # Errors
    /// If it cannot be taken.
    pub fn picture(&mut self) -> Result<Vec<u8>> {
        let picture = match &self.driver {
            Driver::Marionette(_) => self.call("WebDriver:TakeScreenshot", "", &json!({"full": false}))?,
            Driver::Http { address, session } => {
                http(address, "GET", &format!("/session/{session}/screenshot"), &Value::Null)?
            }
        };
        BASE64_STANDARD.decode(picture.as_str().unwrap_or_default()).context("a picture")
    }
}

/// The Firefox of this machine.
fn firefox_path() -> Option<PathBuf> {
    ["/usr/bin/firefox-esr", "/usr/bin/firefox"].map(PathBuf::from).into_iter().find(|path| path.exists())
}

/// The MiniBrowser of this machine.
fn webkit_path() -> Option<PathBuf> {
    let libraries = std::fs::read_dir("/usr/lib").ok()?.flatten().map(|entry| entry.path());
    let inside = |folder: PathBuf| {
        ["webkit2gtk-4.1", "webkitgtk-6.0", "webkit2gtk-4.0"]
            .map(|name| folder.join(name).join("MiniBrowser"))
    };
    libraries.chain([Path::new("/usr/lib").into()]).flat_map(inside).find(|path| path.exists())
}

fn quiet(command: &mut Command) -> &mut Command {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null())
}

/// Ends a process that is not needed.
fn end(process: &Child) -> Result<()> {
    Command::new("kill").arg(process.id().to_string()).status().map(drop).context("starting kill")
}

fn wait<T>(what: &str, mut act: impl FnMut() -> Option<T>) -> Result<T> {
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        if let Some(found) = act() {
            return Ok(found);
        }
        std::thread::sleep(PAUSE);
    }
    bail!("timed out waiting for {what}")
}

/// Reads a message of Marionette: its length, a colon, and JSON.
fn message(stream: &mut BufReader<TcpStream>) -> Result<Value> {
    let mut length = Vec::new();
    stream.read_until(b':', &mut length)?;
    let length: usize = String::from_utf8_lossy(&length).trim_end_matches(':').parse().context("a length")?;
    let mut text = vec![0; length];
    stream.read_exact(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}

/// Sends a request of WebDriver. Returns the value of the answer.
fn http(address: &str, method: &str, path: &str, params: &Value) -> Result<Value> {
    let mut stream = TcpStream::connect(address)?;
    let body = if params.is_null() { String::new() } else { params.to_string() };
    let length = body.len();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let (head, body) = answer.split_once("\r\n\r\n").with_context(|| format!("no answer: {answer:?}"))?;
    let mut body: Value = serde_json::from_str(body).with_context(|| format!("{head}\n{body}"))?;
    ensure!(head.split(' ').nth(1) == Some("200"), "{method} {path}: {}", body["value"]);
    Ok(body["value"].take())
}
