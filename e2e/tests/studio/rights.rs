//! A link shows a search; only the browser that started it stops it.

use crate::steps::{cannot_stop, panel, pick};
use anyhow::{Result, ensure};
use e2e::{
    looks,
    tab::{DESKTOP, Tab},
    visit::visit,
};

/// Starts a search of minutes.
pub async fn something_long(tab: &Tab) -> Result<()> {
    pick(tab, "KASY0").await?;
    panel(tab, "Spec").await?;
    tab.field("Ports").await?.fill("12").await?;
    panel(tab, "Search").await?;
    tab.field("Time").await?.fill("600").await?;
    tab.button("Start").await?.click().await?;
    state(tab, "Searching").await
}

async fn state(tab: &Tab, words: &str) -> Result<()> {
    tab.until(words, &format!("document.getElementById('run-state')?.textContent === {words:?}")).await
}

#[test]
fn a_colleague_watches_a_search_and_cannot_stop_it() {
    visit("rights", DESKTOP, async |visit| {
        let tab = &visit.tab;
        something_long(tab).await?;
        let address = tab.address().await;
        ensure!(address.contains("/r/"), "{address}");
        let browser = visit.colleague().await?;
        let theirs = browser.open(&address).await?;
        state(&theirs, "Searching").await?;
        cannot_stop(&theirs, "stop").await?;
        looks::all_is_well(&theirs).await?;
        std::fs::write(e2e::to_look_at("rights-colleague.png")?, theirs.picture().await?)?;
        // Without the page's help, the server refuses too.
        let forged = "fetch(location.pathname.replace('/r/', '/api/work/') + '/stop', {method: 'POST'}).then(a => a.status)";
        ensure!(theirs.evaluate(forged).await? == 403, "the server lets a colleague stop it");
        theirs.forgive("403").await?;

        tab.reload().await?;
        state(tab, "Searching").await?;
        tab.button("Stop").await?.click().await?;
        state(tab, "Stopped").await?;
        state(&theirs, "Stopped").await?;
        theirs.button("Start").await?;
        let kept = tab.evaluate("localStorage.getItem('crosspoint.edit')").await?;
        let kept = kept.as_str().unwrap_or_default();
        ensure!(kept.len() == 40 && !address.contains(kept), "a token in the link, or none: {kept}");
        theirs.has_no_troubles()?;
        browser.close().await
    });
}
