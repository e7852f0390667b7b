//! Links: to a saved design, and with a spec inside.

use crate::steps::{figures, map_colours, pick, solve, text_of, wiring};
use anyhow::{Result, ensure};
use e2e::{
    tab::{DESKTOP, Tab},
    visit::{Visit, visit},
};

async fn link(tab: &Tab, button: &str) -> Result<String> {
    tab.evaluate("document.getElementById('share').open = true").await?;
    tab.button(button).await?.click().await?;
    tab.until("a link", "document.getElementById('share-link').value !== ''").await?;
    let link = tab.evaluate("document.getElementById('share-link').value").await?;
    tab.evaluate("document.getElementById('share').open = false").await?;
    Ok(link.as_str().unwrap_or_default().to_owned())
}

#[test]
fn a_colleague_sees_exactly_this_design() {
    visit("share", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        solve(tab).await?;
        let mine = (wiring(tab).await?, figures(tab).await?);
        let map = map_colours(tab).await?;
        let link = link(tab, "Save design").await?;
        ensure!(link.contains("/d/"), "{link}");
        the_colleague(visit, &link, mine, map).await
    });
}

async fn the_colleague(
    visit: &Visit,
    link: &str,
    mine: (Vec<String>, Vec<String>),
    map: [[u64; 3]; 2],
) -> Result<()> {
    let browser = visit.colleague().await?;
    let tab = browser.open(link).await?;
    tab.shows("Checked: all 1,536").await?;
    ensure!(text_of(&tab, "session-name").await? == "KASY0", "another name");
    ensure!((wiring(&tab).await?, figures(&tab).await?) == mine, "the colleague sees another design");
    let close = |a: u64, b: u64| a.abs_diff(b) <= 50 + a / 4;
    let theirs = map_colours(&tab).await?;
    ensure!(close(map[1][0], theirs[1][0]) && theirs[1][1] > 1000, "another map: {theirs:?}, not {map:?}");
    let version = text_of(&tab, "design-version").await?;
    ensure!(version.starts_with(env!("CARGO_PKG_VERSION")), "made by version “{version}”");
    std::fs::write(e2e::to_look_at("share-colleague.png")?, tab.picture().await?)?;
    tab.evaluate("document.getElementById('share').open = true").await?;
    ensure!(
        tab.evaluate("document.getElementById('share-existing').value").await? == *link,
        "no link at once"
    );
    tab.evaluate("document.getElementById('share').open = false").await?;
    for (fold, id, title) in [("fold-left", "spec", "Spec"), ("fold-right", "about", "About")] {
        let shown = format!("document.getElementById({id:?}).checkVisibility()");
        tab.click(&format!("#{fold}")).await?;
        tab.until("it is folded", &format!("!{shown}")).await?;
        tab.button(title).await?.click().await?;
        tab.until("it is unfolded", &shown).await?;
    }
    tab.button("Edit a copy").await?.click().await?;
    tab.until("a session of one's own", "location.pathname === '/design'").await?;
    tab.field("Ports").await?.fill("20").await?;
    tab.shows("made for an earlier spec").await?;
    tab.goto(link).await?;
    tab.shows("Checked: all 1,536").await?;
    tab.has_no_troubles()?;
    browser.close().await
}

#[test]
fn a_spec_travels_in_a_link_alone() {
    visit("spec-link", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KLAT2").await?;
        tab.field("Name").await?.fill("Travels ☃ alone").await?;
        let link = link(tab, "Copy spec link").await?;
        ensure!(link.contains("/s#"), "{link}");
        let browser = visit.colleague().await?;
        let theirs = browser.open(&link).await?;
        theirs
            .until("the name", "document.getElementById('session-name').textContent === 'Travels ☃ alone'")
            .await?;
        ensure!(theirs.field("Nodes").await?.value().await? == "64", "another spec");
        // Only the fragment changes, so the browser does not load the page anew by itself.
        theirs.evaluate(&format!("location.href = {:?}", &link[..link.len() - 12])).await?;
        theirs.reload().await?;
        theirs.until("a complaint", "document.querySelector('[role=alert]') !== null").await?;
        theirs.has_no_troubles()?;
        browser.close().await
    });
}
