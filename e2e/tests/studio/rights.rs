//! A link shows a search; only the browser that started it stops it.

use crate::steps::{cannot_stop, kasy0_wiring, open, panel, pick, text_of};
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
        tab.button("Start").await?;
        ensure!(theirs.evaluate("document.getElementById('start')").await?.is_null(), "a viewer can start");
        let kept = tab.evaluate("localStorage.getItem('crosspoint.edit')").await?;
        let kept = kept.as_str().unwrap_or_default();
        ensure!(kept.len() == 40 && !address.contains(kept), "a token in the link, or none: {kept}");
        theirs.has_no_troubles()?;
        browser.close().await
    });
}

/// A viewer reads the spec and changes nothing; a copy is a draft of their own.
#[test]
fn a_viewer_edits_a_copy_only() {
    visit("viewing", DESKTOP, async |visit| {
        let tab = &visit.tab;
        something_long(tab).await?;
        let address = tab.address().await;
        let browser = visit.colleague().await?;
        let theirs = browser.open(&address).await?;
        state(&theirs, "Searching").await?;
        theirs.shows("Viewing a shared search").await?;
        for (scheme, width) in [("light", 1440), ("dark", 1024), ("light", 390)] {
            theirs.prefers(scheme).await?;
            theirs.resize(width, 900).await?;
            looks::all_is_well(&theirs).await?;
            looks::fits_the_width(&theirs).await?;
            std::fs::write(
                e2e::to_look_at(&format!("viewing-{scheme}-{width}.png"))?,
                theirs.picture().await?,
            )?;
        }
        theirs.resize(1440, 900).await?;
        let fields = "[...document.querySelectorAll('#spec :is(input, select, textarea), #search :is(input, select)')].filter(field => !field.disabled).length";
        ensure!(theirs.evaluate(fields).await? == 0, "there is a field to edit");
        ensure!(!theirs.button("Undo").await?.is_enabled().await?, "there is something to undo");

        // An import would hide what is watched.
        open(&theirs, "Wiring").await?;
        theirs.click("#import > summary").await?;
        theirs.field("One line per switch").await?.fill(&kasy0_wiring()?).await?;
        theirs.button("Use this table").await?.click().await?;
        theirs.shows("You are viewing a shared search.").await?;
        state(&theirs, "Searching").await?;
        ensure!(theirs.address().await == address, "the search is gone");

        theirs.click("#edit-copy").await?;
        theirs
            .until(
                "a draft",
                "location.pathname === '/design' && document.getElementById('viewing') === null",
            )
            .await?;
        theirs.field("Ports").await?.fill("20").await?;
        theirs.field("Name").await?.fill("Ours").await?;
        theirs.evaluate("history.back()").await?;
        theirs.shows("Viewing a shared search").await?;
        state(&theirs, "Searching").await?;
        ensure!(text_of(&theirs, "session-name").await? == "KASY0", "the copy hides the original");
        ensure!(
            theirs.evaluate("document.querySelector('[data-outdated]')").await?.is_null(),
            "it is outdated"
        );
        // The link to what is on screen is there without a click on anything.
        theirs.evaluate("document.getElementById('share').open = true").await?;
        let link = theirs.evaluate("document.getElementById('share-existing').value").await?;
        ensure!(link == address, "{link}");

        ensure!(tab.evaluate("document.getElementById('viewing')").await?.is_null(), "the owner only views");
        tab.field("Name").await?.fill("Mine").await?;
        state(tab, "Searching").await?;
        theirs.has_no_troubles()?;
        browser.close().await
    });
}
