//! Searches while people type, and buttons that improve the design on screen.

use crate::steps::{pick, text_of, wiring};
use anyhow::{Result, ensure};
use e2e::{
    tab::{DESKTOP, Tab},
    visit::visit_with,
};

/// Quick searches with time enough for a loaded machine.
const QUICK: &[&str] = &["--quick", "2000"];

async fn solved(tab: &Tab) -> Result<()> {
    tab.until("a quick wiring", "document.getElementById('run-state')?.textContent === 'Solved'").await?;
    let checked = "document.getElementById('standing')?.textContent.includes('Checked: all')";
    tab.until("the checker agrees", checked).await?;
    tab.until("nothing is outdated", "document.querySelector('.outdated-note') === null").await
}

async fn outdated(tab: &Tab) -> Result<()> {
    tab.until("an outdated wiring", "document.querySelector('.outdated-note') !== null").await
}

#[test]
fn the_view_follows_the_spec_while_people_type() {
    visit_with(QUICK, "quick", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        solved(tab).await?;
        visit.picture("opened").await?;
        let three = wiring(tab).await?;
        let before = tab.evaluate("document.querySelector('#wiring-table').innerText").await?;
        let before = before.as_str().unwrap_or_default();
        let field = tab.field("NICs per node").await?;
        field.fill("4").await?;
        tab.until(
            "another wiring",
            &format!("document.querySelector('#wiring-table').innerText !== {before:?}"),
        )
        .await?;
        solved(tab).await?;
        let four = wiring(tab).await?;
        ensure!(four != three, "the wiring is that of three NICs");
        // Undo brings back the wiring of the spec that it restores, and redo the other one.
        tab.click("#undo").await?;
        solved(tab).await?;
        ensure!(wiring(tab).await? == three, "another wiring than before");
        tab.click("#redo").await?;
        solved(tab).await?;
        ensure!(wiring(tab).await? == four, "another wiring than before");
        ensure!(tab.evaluate("location.pathname").await? == "/design", "a search is kept");

        // A name changes no wiring.
        tab.field("Name").await?.fill("Mine").await?;
        solved(tab).await?;
        ensure!(wiring(tab).await? == four, "a name changes the wiring");

        // Without the switch, a change waits for Start; undo still restores.
        tab.click("#quick").await?;
        tab.field("NICs per node").await?.fill("5").await?;
        outdated(tab).await?;
        visit.picture("off").await?;
        tab.click("#undo").await?;
        solved(tab).await?;
        ensure!(wiring(tab).await? == four, "another wiring than before");
        tab.reload().await?;
        tab.until("the switch", "document.getElementById('quick')?.checked === false").await
    });
}

#[test]
fn a_wiring_of_ones_own_is_not_replaced() {
    visit_with(QUICK, "quick-own", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        solved(tab).await?;
        let own = e2e::root().join("assets/wirings/kasy0.txt");
        crate::steps::open(tab, "Wiring").await?;
        tab.evaluate("document.getElementById('import').open = true").await?;
        tab.find("button", "Open a wiring table").await?.attach(&own).await?;
        tab.until("the import", "document.getElementById('run-state').textContent === ''").await?;
        let before = wiring(tab).await?;
        tab.field("NICs per node").await?.fill("4").await?;
        outdated(tab).await?;
        ensure!(wiring(tab).await? == before, "a quick search has replaced it");
        Ok(())
    });
}

#[test]
fn fewer_switches_comes_with_the_difference_and_the_former_design() {
    visit_with(QUICK, "fewer", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        // The last step may take the whole limit.
        tab.field("Time limit").await?.fill("2").await?;
        solved(tab).await?;
        let before = text_of(tab, "switch-bound").await?;
        ensure!(before.starts_with("17 switches"), "{before}");
        tab.button("Fewer switches").await?.click().await?;
        tab.until(
            "the difference",
            "/^17 → 1[2-6] switches, max count 1[2-6], \\d+ NICs? without a cable, price −/.test(document.querySelector('.notice p')?.textContent ?? '')",
        )
        .await?;
        visit.picture("difference").await?;
        solved(tab).await?;
        let after = text_of(tab, "switch-bound").await?;
        ensure!(after.starts_with("1") && after != before, "{after}");
        ensure!(text_of(tab, "bare").await? != "0", "switches are fewer, so ports are");
        // Whatever is edited meanwhile, the former design comes back.
        tab.field("Name").await?.fill("Mine").await?;
        tab.button("Back to the former design").await?.click().await?;
        tab.until("its name", "document.getElementById('spec-name')?.value === 'KASY0'").await?;
        tab.until(
            "17 again",
            "document.getElementById('switch-bound')?.textContent.startsWith('17 switches')",
        )
        .await?;
        solved(tab).await?;
        // The trials are no searches of the person.
        tab.link("Library").await?.click().await?;
        tab.shows("Nothing here yet").await
    });
}

#[test]
fn an_improvement_that_is_stopped_leaves_nothing_behind() {
    visit_with(QUICK, "improve-stop", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        tab.field("Time limit").await?.fill("600").await?;
        solved(tab).await?;
        tab.button("Fewer switches").await?.click().await?;
        let browser = visit.colleague().await?;
        let operator = browser.open(&visit.studio.at("/operator")).await?;
        let trial = "[...document.querySelectorAll('#operator-jobs tbody tr')].some(row => row.innerText.startsWith('Search'))";
        operator.until("a trial", trial).await?;
        tab.click("#improve-stop").await?;
        operator.shows("No work at the moment").await?;
        tab.link("Library").await?.click().await?;
        tab.shows("Nothing here yet").await?;
        operator.has_no_troubles()?;
        browser.close().await
    });
}

#[test]
fn a_stopped_improvement_keeps_what_it_has_found() {
    visit_with(QUICK, "fewer-stopped", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        solved(tab).await?;
        tab.button("Fewer switches").await?.click().await?;
        let trying = "document.getElementById('improving')?.textContent.includes('uncovered so far')";
        tab.until("a long try", trying).await?;
        visit.picture("trying").await?;
        tab.click("#improve-stop").await?;
        tab.until(
            "the words",
            "/^Stopped. 17 → 1[2-6] switches/.test(document.querySelector('.notice p')?.textContent ?? '')",
        )
        .await?;
        solved(tab).await
    });
}

#[test]
fn surviving_a_switch_failure_takes_as_few_more_switches_as_possible() {
    visit_with(QUICK, "survive", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        solved(tab).await?;
        tab.field("Time limit").await?.fill("2").await?;
        tab.button("Survive a switch failure").await?.click().await?;
        tab.until("an answer", "document.querySelector('.notice p') !== null").await?;
        visit.picture("answer").await
    });
}
