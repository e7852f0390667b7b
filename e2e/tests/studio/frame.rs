//! The frame does not scroll: panels do, pages have addresses, and what matters stays in sight.

use crate::steps::{open, panel, pick, solve};
use anyhow::{Result, ensure};
use e2e::{
    paper,
    tab::{A4, DESKTOP, PHONE, Tab},
    visit::visit,
};

/// Ids of those elements that can be seen whole.
async fn seen(tab: &Tab, ids: &[&str]) -> Result<Vec<String>> {
    let script = format!(
        "{ids:?}.filter(id => {{
            const element = document.getElementById(id), area = element?.getBoundingClientRect();
            return element?.checkVisibility() && area.width > 0 && area.top >= 0 && area.bottom <= innerHeight + 1 && area.right <= innerWidth + 1;
        }})"
    );
    Ok(serde_json::from_value(tab.evaluate(&script).await?)?)
}

/// That nothing has moved the page itself.
async fn stands_still(tab: &Tab) -> Result<()> {
    let moved = "[scrollX, scrollY, document.documentElement.scrollTop, document.body.scrollTop].some(by => by !== 0)";
    ensure!(tab.evaluate(moved).await? == false, "the page has scrolled");
    Ok(())
}

#[test]
fn start_state_and_headline_stay_in_sight() {
    visit("frame", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        solve(tab).await?;
        let pinned = ["start", "run-state", "uncovered", "standing", "rooms"];
        for (width, height) in [(1440, 900), (1024, 768), (1280, 640)] {
            tab.resize(width, height).await?;
            for side in ["spec", "search"] {
                let down = format!("document.getElementById({side:?}).lastElementChild.scrollIntoView()");
                tab.evaluate(&down).await?;
                ensure!(
                    seen(tab, &pinned).await? == pinned,
                    "{width} x {height}: {:?}",
                    seen(tab, &pinned).await?
                );
                stands_still(tab).await?;
            }
            visit.picture(&format!("{width}")).await?;
        }
        Ok(())
    });
}

#[test]
fn pages_have_addresses_and_folded_sides_stay_folded() {
    visit("frame-pages", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        solve(tab).await?;
        for (page, word) in [("Labels", "/labels"), ("Step time", "/step-time"), ("Design", "")] {
            open(tab, page).await?;
            let here = format!("/\\/r\\/\\w+{}$/.test(location.pathname)", word.replace('/', "\\/"));
            tab.until(page, &here).await?;
        }
        tab.evaluate("history.go(-2)").await?;
        let labels = "document.querySelector('#to-labels[aria-current=page]') !== null && document.getElementById('look-labels') !== null";
        tab.until("the labels", labels).await?;
        tab.reload().await?;
        tab.until("the labels again", labels).await?;

        open(tab, "Design").await?;
        tab.click("#fold-left").await?;
        tab.until("no spec", "!document.getElementById('spec').checkVisibility()").await?;
        tab.reload().await?;
        tab.until("still none", "document.getElementById('spec')?.checkVisibility() === false").await?;
        visit.picture("folded").await?;
        tab.button("Spec").await?.click().await?;
        tab.until("the spec", "document.getElementById('spec').checkVisibility()").await
    });
}

#[test]
fn a_printed_design_has_its_verdict() {
    visit("frame-print", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        solve(tab).await?;
        let printed = paper::look_at("frame-print", &tab.print(A4).await?)?;
        let words = printed.pages.concat().join(" ");
        ensure!(words.contains("Checked: all 1,536 requested pairs covered."), "{words}");
        ensure!(!words.contains("Select a part"), "{words}");
        Ok(())
    });
}

/// `make picture` runs it.
#[test]
#[ignore = "writes a file of the repository"]
fn the_picture_of_the_readme() {
    visit("readme", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        solve(tab).await?;
        open(tab, "Cables").await?;
        tab.until("the cables", "document.getElementById('cables')?.width > 300").await?;
        tab.evaluate("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
            .await?;
        std::fs::write(e2e::root().join("assets/readme/studio.png"), tab.picture().await?)?;
        Ok(())
    });
}

#[test]
fn a_phone_shows_one_panel_at_a_time() {
    visit("frame-phone", PHONE, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        solve(tab).await?;
        for (name, id) in [("Spec", "spec"), ("View", "design"), ("Search", "search")] {
            panel(tab, name).await?;
            let shown = "['spec', 'design', 'search'].filter(id => document.getElementById(id).checkVisibility()).join()";
            tab.until(name, &format!("{shown} === {id:?}")).await?;
            stands_still(tab).await?;
            visit.picture(id).await?;
        }
        Ok(())
    });
}
