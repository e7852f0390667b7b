//! A browser of its own for a person: a fresh context of the shared Chromium, without cookies, storage or cache.

use crate::{
    chromium::Chromium,
    tab::{PATIENCE, Screen, Tab},
};
use anyhow::{Result, bail};
use serde_json::json;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// A browser context.
pub struct Browser {
    chromium: Arc<Chromium>,
    context: String,
    downloads: TempDir,
    screen: Screen,
}

impl Browser {
    /// Makes a fresh one.
    ///
    /// # Errors
    /// If there is no Chromium or it does not start.
    pub async fn launch(screen: Screen) -> Result<Browser> {
        let chromium = Chromium::shared()?;
        let downloads = TempDir::with_prefix("crosspoint-downloads-")?;
        let context = chromium.id("browserContextId", "Target.createBrowserContext", json!({})).await?;
        let accept =
            json!({"behavior": "allow", "browserContextId": context, "downloadPath": downloads.path()});
        chromium.call(None, "Browser.setDownloadBehavior", accept).await?;
        Ok(Browser { chromium, context, downloads, screen })
    }

    /// Opens a page in a new tab.
    ///
    /// # Errors
    /// If the browser is gone.
    pub async fn open(&self, url: &str) -> Result<Tab> {
        let Screen { width, height, .. } = self.screen;
        let asked = json!({
            "url": "about:blank", "browserContextId": self.context, "newWindow": true, "width": width, "height": height,
        });
        let tab = self.attach(&self.chromium.id("targetId", "Target.createTarget", asked).await?).await?;
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
            let all = self.chromium.call(None, "Target.getTargets", json!({})).await?;
            let own = all["targetInfos"].as_array().into_iter().flatten().find(|target| {
                target["type"] == "page"
                    && target["browserContextId"] == self.context.as_str()
                    && target["url"].as_str().is_some_and(|url| url.contains(part))
            });
            if let Some(target) = own.and_then(|target| target["targetId"].as_str()) {
                return self.attach(target).await;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        bail!("no page with “{part}” in its address was opened")
    }

    async fn attach(&self, target: &str) -> Result<Tab> {
        let asked = json!({"targetId": target, "flatten": true});
        let session = self.chromium.id("sessionId", "Target.attachToTarget", asked).await?;
        Tab::new(Arc::clone(&self.chromium), session, self.screen, self.downloads.path().into()).await
    }

    /// Closes its tabs and forgets what they stored.
    ///
    /// # Errors
    /// If the browser is gone.
    pub async fn close(self) -> Result<()> {
        let own = json!({"browserContextId": self.context});
        self.chromium.call(None, "Target.disposeBrowserContext", own).await.map(drop)
    }
}
