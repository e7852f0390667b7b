//! One page: find by role and accessible name, click, type, read, print.
//!
//! Every expectation waits up to [`PATIENCE`].

mod element;
mod keys;

pub use element::Element;

use crate::chromium::Chromium;
use anyhow::{Context, Result, anyhow, bail, ensure};
use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Value, json};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

/// The size of a window, in CSS pixels.
#[derive(Clone, Copy)]
pub struct Screen {
    /// Width in CSS pixels.
    pub width: u32,
    /// Height in CSS pixels.
    pub height: u32,
    /// `true` for a phone: touch, and a viewport of its own.
    pub phone: bool,
}

/// A laptop.
pub const DESKTOP: Screen = Screen { width: 1440, height: 900, phone: false };
/// A common phone.
pub const PHONE: Screen = Screen { width: 390, height: 844, phone: true };

/// Time limit of an expectation; generous, for busy machines.
pub const PATIENCE: Duration = Duration::from_secs(30);

const PAUSE: Duration = Duration::from_millis(40);

/// One page in a browser.
pub struct Tab {
    chromium: Arc<Chromium>,
    session: String,
    screen: Screen,
    downloads: PathBuf,
    troubles: Arc<Mutex<Vec<String>>>,
}

/// A sheet of paper, in inches.
#[derive(Clone, Copy)]
pub struct Paper {
    /// Name for files.
    pub name: &'static str,
    /// Width in inches.
    pub width: f64,
    /// Height in inches.
    pub height: f64,
}

/// ISO A4.
pub const A4: Paper = Paper { name: "a4", width: 8.27, height: 11.69 };
/// US Letter.
pub const LETTER: Paper = Paper { name: "letter", width: 8.5, height: 11.0 };

impl Tab {
    pub(crate) async fn new(
        chromium: Arc<Chromium>,
        session: String,
        screen: Screen,
        downloads: PathBuf,
    ) -> Result<Tab> {
        let tab = Tab { chromium, session, screen, downloads, troubles: Arc::default() };
        let troubles = Arc::clone(&tab.troubles);
        tab.chromium.listen(&tab.session, move |method, params| {
            troubles.lock().unwrap_or_else(PoisonError::into_inner).extend(trouble(method, params));
        });
        for domain in ["Page.enable", "Runtime.enable", "Log.enable"] {
            tab.call(domain, json!({})).await?;
        }
        // Acts as if this were the only window.
        tab.call("Emulation.setFocusEmulationEnabled", json!({"enabled": true})).await?;
        tab.resize(screen.width, screen.height).await?;
        if screen.phone {
            tab.call("Emulation.setTouchEmulationEnabled", json!({"enabled": true})).await?;
        }
        Ok(tab)
    }

    /// The browser's errors so far.
    pub fn troubles(&self) -> Vec<String> {
        self.troubles.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits for the error that the test provoked, and removes it; all errors must contain `about`.
    ///
    /// # Errors
    /// If it does not come, or if there is another.
    pub async fn forgive(&self, about: &str) -> Result<()> {
        let came = async || Ok((!self.troubles().is_empty()).then_some(()));
        self.wait(|| format!("timed out waiting for an error with {about}"), came).await?;
        self.forgive_any(&[about])
    }

    /// Removes errors that the test may have provoked, such as those of a lost connection; each must contain one of `about`.
    ///
    /// # Errors
    /// If there is another error.
    pub fn forgive_any(&self, about: &[&str]) -> Result<()> {
        let mut troubles = self.troubles.lock().unwrap_or_else(PoisonError::into_inner);
        let is_other = |trouble: &&String| !about.iter().any(|about| trouble.contains(about));
        let other: Vec<_> = troubles.iter().filter(is_other).cloned().collect();
        ensure!(other.is_empty(), "the console complains: {}", other.join("\n"));
        troubles.clear();
        Ok(())
    }

    /// Checks that there are no errors.
    ///
    /// # Errors
    /// If there are some.
    pub fn has_no_troubles(&self) -> Result<()> {
        let troubles = self.troubles();
        ensure!(troubles.is_empty(), "the console complains: {}", troubles.join("\n"));
        Ok(())
    }

    /// Calls the browser's protocol.
    pub(crate) async fn call(&self, method: &str, params: Value) -> Result<Value> {
        self.chromium.call(Some(&self.session), method, params).await
    }

    /// Goes to an address and waits until the studio is there.
    ///
    /// # Errors
    /// If it does not come up.
    pub async fn goto(&self, url: &str) -> Result<()> {
        let answer = self.call("Page.navigate", json!({"url": url})).await?;
        ensure!(answer.get("errorText").is_none(), "{url}: {}", answer["errorText"]);
        self.is_up().await
    }

    /// Reloads, as with F5.
    ///
    /// # Errors
    /// If the studio does not come up again.
    pub async fn reload(&self) -> Result<()> {
        self.evaluate("window.isOld = true").await?;
        self.call("Page.reload", json!({})).await?;
        self.until("the page is left", "window.isOld === undefined").await?;
        self.is_up().await
    }

    /// Runs a script in every page that the tab opens from now on, before the page's own.
    ///
    /// # Errors
    /// If the browser refuses.
    pub async fn run_first(&self, script: &str) -> Result<()> {
        self.call("Page.addScriptToEvaluateOnNewDocument", json!({"source": script})).await?;
        Ok(())
    }

    async fn is_up(&self) -> Result<()> {
        self.until(
            "the studio is up",
            "document.readyState === 'complete' && !document.getElementById('boot')",
        )
        .await
    }

    /// The address, as in the address bar.
    pub async fn address(&self) -> String {
        let history = self.call("Page.getNavigationHistory", json!({})).await.unwrap_or_default();
        let current = history["currentIndex"].as_u64().unwrap_or_default() as usize;
        history["entries"][current]["url"].as_str().unwrap_or_default().to_owned()
    }

    /// The address, for messages.
    pub async fn where_it_is(&self) -> String {
        format!("at {}", self.address().await)
    }

    /// The value of a JavaScript expression.
    ///
    /// # Errors
    /// If it throws.
    pub async fn evaluate(&self, expression: &str) -> Result<Value> {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.call("Runtime.evaluate", params).await?;
        if let Some(exception) = answer.get("exceptionDetails") {
            bail!("{expression}: {exception}");
        }
        Ok(answer["result"]["value"].clone())
    }

    /// Waits until a JavaScript expression is true.
    ///
    /// # Errors
    /// If it stays false.
    pub async fn until(&self, what: &str, expression: &str) -> Result<()> {
        self.wait(
            || format!("timed out waiting: {what}"),
            async || {
                // A page in the middle of navigation has no context to evaluate in.
                Ok(self
                    .evaluate(expression)
                    .await
                    .ok()
                    .and_then(|value| value.as_bool())
                    .unwrap_or(false)
                    .then_some(()))
            },
        )
        .await
    }

    /// Clicks the first element that a CSS selector finds, as soon as there is one that is not disabled.
    ///
    /// # Errors
    /// If there is none.
    pub async fn click(&self, selector: &str) -> Result<()> {
        self.act(selector, "click").await
    }

    /// Focuses the first element that a CSS selector finds, as soon as there is one that is not disabled.
    ///
    /// # Errors
    /// If there is none.
    pub async fn focus(&self, selector: &str) -> Result<()> {
        self.act(selector, "focus").await
    }

    async fn act(&self, selector: &str, action: &str) -> Result<()> {
        let selector = json!(selector);
        let script = format!(
            "(found => {{
                if (!found || found.disabled) return false;
                found.{action}();
                return true;
            }})(document.querySelector({selector}))"
        );
        self.until(&format!("{action} {selector}"), &script).await
    }

    /// Repeats a query until it has an answer.
    pub(crate) async fn wait<T>(
        &self,
        complaint: impl Fn() -> String,
        mut ask: impl AsyncFnMut() -> Result<Option<T>>,
    ) -> Result<T> {
        let began = Instant::now();
        loop {
            if let Some(answer) = ask().await? {
                return Ok(answer);
            }
            if began.elapsed() > PATIENCE {
                return Err(anyhow!(complaint()));
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Waits until the page shows a text, ignoring case.
    ///
    /// # Errors
    /// If it does not.
    pub async fn shows(&self, text: &str) -> Result<()> {
        let wanted = json!(text.to_lowercase());
        let script =
            format!("document.body.innerText.replace(/\\s+/g, ' ').toLowerCase().includes({wanted})");
        self.until(&format!("the page shows “{text}”"), &script).await
    }

    /// Everything the page shows.
    ///
    /// # Errors
    /// If it cannot be read.
    pub async fn text(&self) -> Result<String> {
        Ok(self.evaluate("document.body.innerText").await?.as_str().unwrap_or_default().to_owned())
    }

    /// The viewport's size, in CSS pixels.
    ///
    /// # Errors
    /// If the browser refuses.
    pub async fn resize(&self, width: u32, height: u32) -> Result<()> {
        let scale = if self.screen.phone { 2 } else { 1 };
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": scale, "mobile": self.screen.phone});
        self.call("Emulation.setDeviceMetricsOverride", metrics).await?;
        Ok(())
    }

    /// Emulates a system theme, `dark` or `light`.
    ///
    /// # Errors
    /// If the browser refuses.
    pub async fn prefers(&self, scheme: &str) -> Result<()> {
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.call("Emulation.setEmulatedMedia", features).await?;
        Ok(())
    }

    /// Emulates a system that forces its colours on pages, in the theme `dark` or `light`.
    ///
    /// # Errors
    /// If the browser refuses.
    pub async fn forces_colours(&self, scheme: &str) -> Result<()> {
        let features = [("prefers-color-scheme", scheme), ("forced-colors", "active")];
        let features = features.map(|(name, value)| json!({"name": name, "value": value}));
        self.call("Emulation.setEmulatedMedia", json!({"features": features})).await?;
        Ok(())
    }

    /// Emulates a system with less motion.
    ///
    /// # Errors
    /// If the browser refuses.
    pub async fn prefers_less_motion(&self) -> Result<()> {
        let features = json!({"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]});
        self.call("Emulation.setEmulatedMedia", features).await?;
        Ok(())
    }

    /// Presses a key, named as in `KeyboardEvent.key`.
    ///
    /// # Errors
    /// If the browser refuses.
    pub async fn press(&self, key: &str) -> Result<()> {
        self.press_with(key, 0).await
    }

    /// Presses a key with modifiers: 1 Alt, 2 Ctrl, 4 Meta, 8 Shift, added up.
    ///
    /// # Errors
    /// If the browser refuses.
    pub async fn press_with(&self, key: &str, modifiers: u32) -> Result<()> {
        for params in keys::events(key, modifiers) {
            self.call("Input.dispatchKeyEvent", params).await?;
        }
        Ok(())
    }

    /// Moves, presses, releases (`mouseMoved`, `mousePressed`, `mouseReleased`) or turns the wheel (`mouseWheel`, by
    /// `turned` pixels) at a place of the viewport.
    ///
    /// # Errors
    /// If the browser refuses.
    pub async fn mouse(&self, kind: &str, (x, y): (f64, f64), turned: f64) -> Result<()> {
        let pressing = matches!(kind, "mousePressed" | "mouseReleased");
        let event = json!({
            "type": kind, "x": x, "y": y, "button": if pressing { "left" } else { "none" },
            "clickCount": u32::from(pressing), "deltaX": 0.0, "deltaY": turned,
        });
        self.call("Input.dispatchMouseEvent", event).await?;
        Ok(())
    }

    /// A screenshot of the page, as PNG.
    ///
    /// # Errors
    /// If it cannot be taken.
    pub async fn picture(&self) -> Result<Vec<u8>> {
        self.data("Page.captureScreenshot", json!({"format": "png"})).await
    }

    /// The page as it prints on a paper, as PDF.
    ///
    /// # Errors
    /// If it cannot be printed.
    pub async fn print(&self, paper: Paper) -> Result<Vec<u8>> {
        let params = json!({
            "paperWidth": paper.width, "paperHeight": paper.height, "printBackground": true, "preferCSSPageSize": false,
        });
        self.data("Page.printToPDF", params).await
    }

    /// The bytes that a call answers with.
    async fn data(&self, method: &str, params: Value) -> Result<Vec<u8>> {
        let answer = self.call(method, params).await?;
        BASE64_STANDARD.decode(answer["data"].as_str().unwrap_or_default()).context("the browser's data")
    }

    /// Starts a download, and waits for the file whose name contains `name`.
    ///
    /// # Errors
    /// If none arrives.
    pub async fn download(
        &self,
        name: &str,
        start: impl AsyncFnOnce() -> Result<()>,
    ) -> Result<DownloadedFile> {
        start().await?;
        self.wait(
            || format!("no download with “{name}” in its name; there are {:?}", finished(&self.downloads)),
            async || Ok(finished(&self.downloads).into_iter().find(|file| file.name.contains(name))),
        )
        .await
    }
}

/// A downloaded file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DownloadedFile {
    /// File name.
    pub name: String,
    /// Path of the file.
    pub path: PathBuf,
}

impl DownloadedFile {
    /// Reads the file.
    ///
    /// # Errors
    /// If it is gone.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        std::fs::read(&self.path).with_context(|| self.path.display().to_string())
    }
}

/// The complete downloads so far; a folder that does not exist yet has none.
fn finished(dir: &Path) -> Vec<DownloadedFile> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let files = entries.map(|entry| DownloadedFile {
        name: entry.file_name().to_string_lossy().into_owned(),
        path: entry.path(),
    });
    let partial =
        |file: &DownloadedFile| file.name.ends_with(".crdownload") || file.name.starts_with(".org.chromium");
    let mut files: Vec<_> = files.filter(|file| !partial(file)).collect();
    files.sort_by(|a, b| a.name.cmp(&b.name));
    files
}

/// The error that an event tells of.
fn trouble(method: &str, params: &Value) -> Option<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match method {
        "Runtime.consoleAPICalled" if matches!(params["type"].as_str(), Some("error" | "assert")) => {
            let word = |arg: &Value| match arg.get("value") {
                Some(value) => value.to_string(),
                None => text(&arg["description"]),
            };
            let words: Vec<String> = params["args"].as_array().into_iter().flatten().map(word).collect();
            Some(format!("console: {}", words.join(" ")))
        }
        "Runtime.exceptionThrown" => Some(format!("exception: {}", params["exceptionDetails"])),
        "Log.entryAdded" if params["entry"]["level"] == "error" => {
            Some(format!("log: {} {}", text(&params["entry"]["text"]), text(&params["entry"]["url"])))
        }
        _ => None,
    }
}
