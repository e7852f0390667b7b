//! One page: find by role and accessible name, click, type, read, print.
//!
//! Every expectation waits up to [`PATIENCE`]. The browser's protocol is plain JSON here: the library's types reject messages of
//! a newer Chromium.

mod element;
mod protocol;

pub use element::Element;

use crate::browser::Screen;
use anyhow::{Context, Result, anyhow, bail, ensure};
use chromiumoxide::{
    Page,
    cdp::{
        browser_protocol::log::EventEntryAdded,
        js_protocol::runtime::{EventConsoleApiCalled, EventExceptionThrown},
    },
};
use futures::StreamExt;
use protocol::Call;
use serde_json::{Value, json};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Time limit of an expectation; generous, for busy machines.
pub const PATIENCE: Duration = Duration::from_secs(30);

const PAUSE: Duration = Duration::from_millis(40);

/// One page in a browser.
pub struct Tab {
    page: Page,
    screen: Screen,
    downloads: PathBuf,
    troubles: Arc<Mutex<Vec<String>>>,
}

/// A sheet of paper, in inches.
#[derive(Clone, Copy)]
pub struct Paper {
    /// Its name, for files.
    pub name: &'static str,
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
}

/// ISO A4.
pub const A4: Paper = Paper { name: "a4", width: 8.27, height: 11.69 };
/// US Letter.
pub const LETTER: Paper = Paper { name: "letter", width: 8.5, height: 11.0 };

impl Tab {
    pub(crate) async fn new(page: Page, screen: Screen, downloads: PathBuf) -> Result<Tab> {
        let tab = Tab { page, screen, downloads, troubles: Arc::default() };
        tab.listen().await?;
        tab.let_workers_run().await?;
        tab.resize(screen.width, screen.height).await?;
        if screen.phone {
            tab.call("Emulation.setTouchEmulationEnabled", json!({"enabled": true})).await?;
        }
        let accept = json!({"behavior": "allow", "downloadPath": tab.downloads});
        tab.call("Browser.setDownloadBehavior", accept).await?;
        Ok(tab)
    }

    /// Leaves service workers alone: the library stops them at their start, and does not always let them go on.
    async fn let_workers_run(&self) -> Result<()> {
        let attach = json!({"autoAttach": false, "waitForDebuggerOnStart": false, "flatten": true});
        self.call("Target.setAutoAttach", attach).await.map(drop)
    }

    /// Collects the browser's errors: console, exceptions, refused content, failed requests.
    async fn listen(&self) -> Result<()> {
        let mut said = self.page.event_listener::<EventConsoleApiCalled>().await?;
        let mut thrown = self.page.event_listener::<EventExceptionThrown>().await?;
        let mut logged = self.page.event_listener::<EventEntryAdded>().await?;
        self.page.enable_log().await?;
        self.page.enable_runtime().await?;
        let troubles = Arc::clone(&self.troubles);
        tokio::spawn(async move {
            loop {
                let trouble = tokio::select! {
                    Some(event) = said.next() => console_error(&event),
                    Some(event) = thrown.next() => Some(format!("exception: {:?}", event.exception_details)),
                    Some(event) = logged.next() => log_error(&event),
                    else => break,
                };
                troubles.lock().unwrap_or_else(PoisonError::into_inner).extend(trouble);
            }
        });
        Ok(())
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
        self.forgive_any(about)
    }

    /// Removes errors that the test may have provoked, such as those of a lost connection; all must contain `about`.
    ///
    /// # Errors
    /// If there is another error.
    pub fn forgive_any(&self, about: &str) -> Result<()> {
        let mut troubles = self.troubles.lock().unwrap_or_else(PoisonError::into_inner);
        let other: Vec<_> = troubles.iter().filter(|trouble| !trouble.contains(about)).cloned().collect();
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
    pub(crate) async fn call(&self, method: &'static str, params: Value) -> Result<Value> {
        let answer = self.page.execute(Call { method, params }).await.with_context(|| method.to_owned())?;
        Ok(answer.result)
    }

    /// Goes to an address and waits until the studio is there.
    ///
    /// # Errors
    /// If it does not come up.
    pub async fn goto(&self, url: &str) -> Result<()> {
        self.page.goto(url).await.with_context(|| url.to_owned())?;
        self.is_up().await
    }

    /// Reloads, as with F5.
    ///
    /// # Errors
    /// If the studio does not come up again.
    pub async fn reload(&self) -> Result<()> {
        self.page.reload().await?;
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
        self.page.url().await.ok().flatten().unwrap_or_default()
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
        for params in protocol::key_events(key, modifiers) {
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
        Ok(self.page.screenshot(chromiumoxide::page::ScreenshotParams::builder().build()).await?)
    }

    /// The page as it prints on a paper, as PDF.
    ///
    /// # Errors
    /// If it cannot be printed.
    pub async fn print(&self, paper: Paper) -> Result<Vec<u8>> {
        let params = chromiumoxide::cdp::browser_protocol::page::PrintToPdfParams {
            paper_width: Some(paper.width),
            paper_height: Some(paper.height),
            print_background: Some(true),
            prefer_css_page_size: Some(false),
            ..Default::default()
        };
        Ok(self.page.pdf(params).await?)
    }

    /// Starts a download, and waits for the file whose name contains `name`.
    ///
    /// # Errors
    /// If none arrives.
    pub async fn download(&self, name: &str, start: impl AsyncFnOnce() -> Result<()>) -> Result<Downloaded> {
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
pub struct Downloaded {
    /// Its name.
    pub name: String,
    /// Its path.
    pub path: PathBuf,
}

impl Downloaded {
    /// Its bytes.
    ///
    /// # Errors
    /// If it is gone.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        std::fs::read(&self.path).with_context(|| self.path.display().to_string())
    }
}

/// The complete downloads so far; a folder that does not exist yet has none.
fn finished(dir: &Path) -> Vec<Downloaded> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let files = entries.map(|entry| Downloaded {
        name: entry.file_name().to_string_lossy().into_owned(),
        path: entry.path(),
    });
    let partial =
        |file: &Downloaded| file.name.ends_with(".crdownload") || file.name.starts_with(".org.chromium");
    let mut files: Vec<_> = files.filter(|file| !partial(file)).collect();
    files.sort_by(|a, b| a.name.cmp(&b.name));
    files
}

fn console_error(event: &EventConsoleApiCalled) -> Option<String> {
    let kind = format!("{:?}", event.r#type).to_lowercase();
    let words = event.args.iter().map(|arg| {
        let text = arg.value.as_ref().map(ToString::to_string);
        text.or_else(|| arg.description.clone()).unwrap_or_default()
    });
    matches!(kind.as_str(), "error" | "assert")
        .then(|| format!("console: {}", words.collect::<Vec<_>>().join(" ")))
}

fn log_error(event: &EventEntryAdded) -> Option<String> {
    let entry = &event.entry;
    let severe = format!("{:?}", entry.level).eq_ignore_ascii_case("error");
    severe.then(|| format!("log: {} {}", entry.text, entry.url.as_deref().unwrap_or_default()))
}
