//! A Chromium with a fresh profile.

use crate::tab::{PATIENCE, Tab};
use anyhow::{Context, Result, bail};
use chromiumoxide::{Browser as Chromium, BrowserConfig};
use futures::StreamExt;
use std::{
    path::PathBuf,
    time::{Duration, Instant},
};
use tempfile::TempDir;
use tokio::task::JoinHandle;

/// The size of a window, in CSS pixels.
#[derive(Clone, Copy)]
pub struct Screen {
    /// Its width.
    pub width: u32,
    /// Its height.
    pub height: u32,
    /// `true` for a phone: touch, and a viewport of its own.
    pub phone: bool,
}

/// A laptop.
pub const DESKTOP: Screen = Screen { width: 1440, height: 900, phone: false };
/// A common phone.
pub const PHONE: Screen = Screen { width: 390, height: 844, phone: true };

/// A running browser with one profile.
pub struct Browser {
    chromium: Chromium,
    handler: JoinHandle<()>,
    profile: TempDir,
    screen: Screen,
}

impl Browser {
    /// Launches one with a fresh profile.
    ///
    /// # Errors
    /// If there is no Chromium or it does not start.
    pub async fn launch(screen: Screen) -> Result<Browser> {
        let profile = TempDir::with_prefix("crosspoint-chromium-")?;
        // Names without leading dashes: chromiumoxide adds them. The sandbox needs a user other than root.
        let flags = [
            "disable-gpu",
            "disable-quic",
            "no-first-run",
            "disable-background-networking",
            "disable-component-update",
            "disable-sync",
            "hide-scrollbars",
        ];
        let config = BrowserConfig::builder()
            .chrome_executable(executable()?)
            .no_sandbox()
            .new_headless_mode()
            .window_size(screen.width, screen.height)
            .viewport(None)
            .user_data_dir(profile.path().join("profile"))
            .args(flags)
            .build()
            .map_err(anyhow::Error::msg)?;
        let (chromium, mut events) = Chromium::launch(config).await.context("launching Chromium")?;
        // The library does not know all messages of newer protocols.
        let handler = tokio::spawn(async move { while events.next().await.is_some() {} });
        Ok(Browser { chromium, handler, profile, screen })
    }

    /// Opens a page in a new tab.
    ///
    /// # Errors
    /// If the browser is gone.
    pub async fn open(&self, url: &str) -> Result<Tab> {
        let page = self.chromium.new_page("about:blank").await?;
        let downloads = self.profile.path().join("downloads");
        let tab = Tab::new(page, self.screen, downloads).await?;
        tab.goto(url).await?;
        Ok(tab)
    }

    /// The tab that a page has opened, at an address that contains `part`.
    ///
    /// # Errors
    /// If none is opened in time.
    pub async fn opened(&self, part: &str) -> Result<Tab> {
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            for page in self.chromium.pages().await? {
                if page.url().await.ok().flatten().is_some_and(|url| url.contains(part)) {
                    return Tab::new(page, self.screen, self.profile.path().join("downloads")).await;
                }
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        bail!("no page with “{part}” in its address was opened")
    }

    /// Ends it and removes its profile.
    ///
    /// # Errors
    /// If it does not end.
    pub async fn close(mut self) -> Result<()> {
        self.chromium.close().await?;
        self.chromium.wait().await?;
        self.handler.abort();
        Ok(())
    }
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
