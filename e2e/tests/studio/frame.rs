//! The frame does not scroll: panels do, pages have addresses, and what matters stays in sight.

use crate::steps::{complaint, open, panel, pick, solve};
use anyhow::{Result, ensure};
use e2e::{
    paper,
    tab::{A4, DESKTOP, PHONE, Tab},
    visit::{visit, visit_with},
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

/// Checks that nothing has moved the page itself.
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

/// Screens of a desk, a tablet and a phone.
const SCREENS: [(u32, u32); 3] = [(1440, 900), (1024, 768), (390, 844)];

/// Checks that the notice on screen lies over no verdict.
async fn hides_no_verdict(tab: &Tab, place: &str) -> Result<()> {
    let hidden = "(() => {
        const notice = document.querySelector('.notice').getBoundingClientRect();
        const covers = area => area.left < notice.right && area.right > notice.left && area.top < notice.bottom && area.bottom > notice.top;
        const verdicts = [...document.querySelectorAll('#standing > div, .headline, .conclusion, #broken, .bar, .panes')];
        return verdicts.filter(e => e.checkVisibility() && covers(e.getBoundingClientRect())).map(e => e.outerHTML.slice(0, 80));
    })()";
    let hidden = tab.evaluate(hidden).await?;
    ensure!(hidden == serde_json::json!([]), "{place}: the notice covers {hidden}");
    Ok(())
}

#[test]
fn a_notice_covers_no_verdict() {
    visit("frame-notice", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        solve(tab).await?;
        open(tab, "Wiring").await?;
        tab.click("#wiring-table th[data-part=sw3]").await?;
        tab.button("Fail sw03").await?.click().await?;
        // An error stays on screen.
        let folder = tempfile::tempdir()?;
        let logo = folder.path().join("logo.png");
        std::fs::write(&logo, "\u{89}PNG\r\n\u{1a}\n\0\0\0\rIHDR")?;
        let reject = async || -> Result<()> {
            tab.find("button", "Open a spec file").await?.attach(&logo).await?;
            tab.until("an error", "document.querySelector('.notice') !== null").await
        };
        reject().await?;
        tab.button("Map").await?.click().await?;
        for folded in [false, true] {
            if folded {
                tab.click("#fold-left").await?;
            }
            for (width, height) in SCREENS {
                tab.resize(width, height).await?;
                for name in ["View", "Search"] {
                    panel(tab, name).await?;
                    hides_no_verdict(tab, &format!("{width}, {name}, folded: {folded}")).await?;
                }
                panel(tab, "View").await?;
                visit.picture(&format!("{width}-{folded}")).await?;
            }
            tab.resize(DESKTOP.width, DESKTOP.height).await?;
        }
        for page in ["Compare", "Simulate", "Hardware"] {
            open(tab, page).await?;
            tab.until("its address", "location.pathname !== '/'").await?;
            ensure!(
                tab.evaluate("document.querySelector('.notice') !== null").await? == true,
                "{page}: no notice"
            );
            for (width, height) in SCREENS {
                tab.resize(width, height).await?;
                hides_no_verdict(tab, &format!("{page}, {width}")).await?;
            }
            tab.resize(DESKTOP.width, DESKTOP.height).await?;
        }
        Ok(())
    });
}

/// Edges of elements that must not move.
async fn edges(tab: &Tab, ids: &[&str]) -> Result<String> {
    let script = format!(
        "{ids:?}.map(query => {{
            const area = document.querySelector(query).getBoundingClientRect();
            return `${{query}} ${{[area.left, area.top, area.width].map(Math.round)}}`;
        }}).join('; ')"
    );
    Ok(tab.evaluate(&script).await?.as_str().unwrap_or_default().to_owned())
}

#[test]
fn a_failed_part_moves_nothing() {
    visit("frame-failed", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        solve(tab).await?;
        open(tab, "Wiring").await?;
        tab.click("#wiring-table th[data-part=sw3]").await?;
        let parts = [".scene", "#under", "#standing > div"];
        for (width, height) in SCREENS {
            tab.resize(width, height).await?;
            panel(tab, "View").await?;
            for view in ["Cables", "Racks", "Map"] {
                tab.button(view).await?.click().await?;
                let before = edges(tab, &parts).await?;
                let button = tab.button("Fail sw03").await?;
                let place = button.middle().await?;
                button.click().await?;
                tab.shows("(intact). With sw03 failed:").await?;
                ensure!(
                    seen(tab, &["broken", "standing"]).await?.len() == 2,
                    "{width}, {view}: out of sight"
                );
                let after = edges(tab, &parts).await?;
                ensure!(before == after, "{width}, {view}: {before} became {after}");
                visit.picture(&format!("{width}-{}", view.to_lowercase())).await?;
                // The same place repairs it.
                tab.mouse("mousePressed", place, 0.0).await?;
                tab.mouse("mouseReleased", place, 0.0).await?;
                tab.until("nothing failed", "document.getElementById('broken').hidden").await?;
                ensure!(edges(tab, &parts).await? == before, "{width}, {view}: not as before");
            }
        }
        tab.resize(DESKTOP.width, DESKTOP.height).await?;
        let height = "document.getElementById('page').getBoundingClientRect().height";
        open(tab, "Compare").await?;
        tab.until("the page", "document.getElementById('page') !== null").await?;
        let whole = tab.evaluate(height).await?;
        open(tab, "Map").await?;
        tab.button("Fail sw03").await?.click().await?;
        open(tab, "Compare").await?;
        tab.until("the bar", "document.getElementById('broken')?.checkVisibility()").await?;
        ensure!(tab.evaluate(height).await? == whole, "the bar makes the page smaller");
        Ok(())
    });
}

#[test]
fn a_message_moves_no_field() {
    visit("frame-messages", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        solve(tab).await?;
        let fields = [
            "#spec-nodes",
            "#spec-nics-per-node",
            "#spec-objective",
            "#spec-switch-0-ports",
            "#add-switch",
            "#spec-market",
        ];
        for (width, height) in SCREENS {
            tab.resize(width, height).await?;
            panel(tab, "Spec").await?;
            let before = edges(tab, &fields).await?;
            tab.field("Ports").await?.fill("8").await?;
            complaint(tab, "NICs per node").await?;
            let after = edges(tab, &fields).await?;
            ensure!(before == after, "{width}: {before} became {after}");
            visit.picture(&width.to_string()).await?;
            tab.field("Ports").await?.fill("24").await?;
            tab.until("no message", "document.querySelector('#spec .field.wrong') === null").await?;
        }
        Ok(())
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
    visit_with(&["--quick", "2000"], "readme", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        tab.until("solved", "document.getElementById('run-state')?.textContent === 'Solved'").await?;
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
