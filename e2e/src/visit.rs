//! One test: a studio, a browser, and a picture if it fails.

use crate::{
    browser::Browser,
    studio::Studio,
    tab::{Screen, Tab},
    to_look_at,
};
use anyhow::{Context, Result, anyhow};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Context of a test.
pub struct Visit {
    /// The studio it visits.
    pub studio: Studio,
    /// The browser it visits it with.
    pub browser: Browser,
    /// The first tab, at a new session.
    pub tab: Tab,
    name: &'static str,
    screen: Screen,
}

impl Visit {
    async fn begin(name: &'static str, screen: Screen, flags: &'static [&'static str]) -> Result<Visit> {
        // Of an earlier run, if there is one.
        let _ = std::fs::remove_file(to_look_at(&failure(name))?);
        // A search that starts by itself ends before or after a step of the story.
        let quick: &[&str] = if flags.contains(&"--quick") { &[] } else { &["--quick", "0"] };
        let studio = Studio::start(&[flags, quick].concat())?;
        let browser = Browser::launch(screen).await?;
        let tab = browser.open(&studio.at("/design")).await?;
        Ok(Visit { studio, browser, tab, name, screen })
    }

    /// Another person's browser: a profile that has never seen this studio.
    ///
    /// # Errors
    /// If it does not start.
    pub async fn colleague(&self) -> Result<Browser> {
        Browser::launch(self.screen).await
    }

    /// Leaves a picture of the first tab as it is seen, `target/e2e/TEST-MOMENT.png`.
    ///
    /// # Errors
    /// If it cannot be taken or written.
    pub async fn picture(&self, moment: &str) -> Result<()> {
        let path = to_look_at(&format!("{}-{moment}.png", self.name))?;
        std::fs::write(path, self.tab.picture().await?).context("saving a picture")
    }
}

/// Runs one test with a studio and a browser of its own. A story that fails or panics leaves
/// `target/e2e/NAME-failed.png`; one that succeeds must have left no error in the browser's console.
///
/// # Panics
/// If the story fails: this is the boundary to the test runner.
pub fn visit<F>(name: &'static str, screen: Screen, story: F)
where
    F: AsyncFnOnce(&mut Visit) -> Result<()>,
{
    visit_with(&[], name, screen, story);
}

/// Visits a studio with more flags of `crosspoint serve`.
///
/// # Panics
/// If the story fails.
pub fn visit_with<F>(flags: &'static [&'static str], name: &'static str, screen: Screen, story: F)
where
    F: AsyncFnOnce(&mut Visit) -> Result<()>,
{
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let outcome = runtime.map_err(anyhow::Error::from).and_then(|runtime| {
        let mut visit = runtime.block_on(Visit::begin(name, screen, flags))?;
        let told = catch_unwind(AssertUnwindSafe(|| runtime.block_on(story(&mut visit))));
        runtime.block_on(end(visit, told.unwrap_or_else(|_| Err(anyhow!("panicked; see above")))))
    });
    if let Err(error) = outcome {
        panic!("{name}: {error:#}");
    }
}

/// The picture of a failed test.
fn failure(name: &str) -> String {
    format!("{name}-failed.png")
}

async fn end(visit: Visit, outcome: Result<()>) -> Result<()> {
    let outcome = match outcome {
        Ok(()) => visit.tab.has_no_troubles(),
        Err(error) => {
            let seen = visit
                .picture("failed")
                .await
                .map_or(String::new(), |()| format!("; see target/e2e/{}-failed.png", visit.name));
            let console = visit.tab.troubles().join("\n");
            Err(error.context(format!("{}{seen}\nconsole: {console}", visit.tab.where_it_is().await)))
        }
    };
    // The test's result matters more than the browser's end.
    let _ = visit.browser.close().await;
    outcome
}
