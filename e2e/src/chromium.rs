//! A Chromium process and its protocol: JSON messages over a pipe, each with a zero byte at its end.

use crate::to_look_at;
use anyhow::{Context, Result, anyhow, bail, ensure};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Write},
    path::PathBuf,
    process::{ChildStdin, Command, Stdio},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::sync::oneshot;

/// Time limit of a call. Printing and evaluating take long on busy machines.
const PATIENCE: Duration = Duration::from_secs(120);

/// Runs the browser with its pipe as file descriptors 3 and 4, and removes its profile when it ends.
const SCRIPT: &str = r#"profile=$1; shift; "$@" --user-data-dir="$profile" 3<&0 4>&1 </dev/null >/dev/null; rm -rf "$profile""#;

/// Flags of the browser. The sandbox needs a user other than root.
const FLAGS: [&str; 19] = [
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-popup-blocking",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-component-update",
    "--disable-extensions",
    "--disable-sync",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--lang=en_US",
    "--no-first-run",
    "--no-startup-window",
];

/// Called with the method and the parameters of each event of a session.
type Listener = Arc<dyn Fn(&str, &Value) + Send + Sync>;

/// A running browser, which all tests of a program share. It ends with the program.
pub struct Chromium {
    calls: Mutex<ChildStdin>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    last: u64,
    waiting: HashMap<u64, oneshot::Sender<Value>>,
    listeners: HashMap<String, Listener>,
    has_ended: bool,
}

impl Chromium {
    /// The browser that runs, or a new one.
    ///
    /// # Errors
    /// If there is no Chromium or it does not start.
    pub fn shared() -> Result<Arc<Chromium>> {
        static RUNNING: Mutex<Option<Arc<Chromium>>> = Mutex::new(None);
        let mut running = lock(&RUNNING);
        if let Some(chromium) = running.as_ref().filter(|chromium| !lock(&chromium.state).has_ended) {
            return Ok(Arc::clone(chromium));
        }
        let chromium = Chromium::launch()?;
        *running = Some(Arc::clone(&chromium));
        Ok(chromium)
    }

    fn launch() -> Result<Arc<Chromium>> {
        let profile = to_look_at(&format!("profile-{}", std::process::id()))?;
        let mut command = Command::new("sh");
        command.args(["-c", SCRIPT, "sh"]).arg(&profile).arg(executable()?).args(FLAGS);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().context("starting Chromium")?;
        let (Some(calls), Some(messages)) = (child.stdin.take(), child.stdout.take()) else {
            bail!("Chromium has no pipe")
        };
        let chromium = Arc::new(Chromium { calls: Mutex::new(calls), state: Mutex::default() });
        let own = Arc::clone(&chromium);
        std::thread::spawn(move || {
            for message in BufReader::new(messages).split(0).map_while(Result::ok) {
                own.take(&message);
            }
            let mut state = lock(&own.state);
            state.has_ended = true;
            state.waiting.clear();
            drop(state);
            // The pipe reports the end of the process.
            let _ = child.wait();
        });
        Ok(chromium)
    }

    /// Takes an answer or an event.
    fn take(&self, message: &[u8]) {
        let Ok(mut message) = serde_json::from_slice::<Value>(message) else { return };
        if let Some(number) = message["id"].as_u64() {
            if let Some(asker) = lock(&self.state).waiting.remove(&number) {
                // Nobody waits any more after the end of a test.
                let _ = asker.send(message);
            }
            return;
        }
        let params = message["params"].take();
        if let (Some(session), Some(method)) = (message["sessionId"].as_str(), message["method"].as_str()) {
            let listener = lock(&self.state).listeners.get(session).cloned();
            if let Some(listener) = listener {
                listener(method, &params);
            }
        }
    }

    /// Calls a method of the browser, or of a tab by its session.
    ///
    /// # Errors
    /// If the browser refuses or has ended, or does not answer.
    pub async fn call(&self, session: Option<&str>, method: &str, params: Value) -> Result<Value> {
        let (asker, answer) = oneshot::channel();
        let number = {
            let mut state = lock(&self.state);
            ensure!(!state.has_ended, "{method}: the browser has ended");
            state.last += 1;
            let number = state.last;
            state.waiting.insert(number, asker);
            number
        };
        let mut call = json!({"id": number, "method": method, "params": params});
        if let Some(session) = session {
            call["sessionId"] = json!(session);
        }
        let mut text = call.to_string();
        text.push('\0');
        lock(&self.calls).write_all(text.as_bytes()).with_context(|| method.to_owned())?;
        let answer = tokio::time::timeout(PATIENCE, answer).await;
        let answer = answer.map_err(|_| anyhow!("{method}: no answer"))?;
        let mut answer = answer.map_err(|_| anyhow!("{method}: the browser has ended"))?;
        match answer.get("error") {
            Some(error) => bail!("{method}: {error}"),
            None => Ok(answer["result"].take()),
        }
    }

    /// Calls a method of the browser that answers with an id of this name.
    ///
    /// # Errors
    /// As [`Chromium::call`], or if there is no such id.
    pub async fn id(&self, name: &str, method: &str, params: Value) -> Result<String> {
        let answer = self.call(None, method, params).await?;
        let id = answer[name].as_str().with_context(|| format!("{method}: no {name} in {answer}"))?;
        Ok(id.to_owned())
    }

    /// Sends the events of a session to a listener.
    pub fn listen(&self, session: &str, listener: impl Fn(&str, &Value) + Send + Sync + 'static) {
        lock(&self.state).listeners.insert(session.into(), Arc::new(listener));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `$CHROME`, or the first Chromium in the usual places.
///
/// # Errors
/// If there is none.
pub fn executable() -> Result<PathBuf> {
    if let Some(path) = std::env::var_os("CHROME") {
        return Ok(path.into());
    }
    let places = ["chromium", "chromium-browser", "google-chrome"];
    for name in places {
        let path = PathBuf::from("/usr/bin").join(name);
        if path.exists() {
            return Ok(path);
        }
    }
    bail!("no Chromium in /usr/bin; e2e/setup.sh installs one, or name one in $CHROME")
}
