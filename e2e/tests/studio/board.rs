//! The hardware search: start, progress, stop, opened designs, shared link.

use crate::steps::{cannot_stop, hardware, open, pick, text_of, wiring};
use anyhow::{Result, ensure};
use e2e::{
    tab::{DESKTOP, Tab},
    visit::visit,
};

/// A hardware search of minutes: one cell is solved at once, the others hardly ever.
async fn something_long(tab: &Tab) -> Result<()> {
    pick(tab, "KASY0").await?;
    hardware(tab).await?;
    for (label, text) in [
        ("Max NICs", "3"),
        ("Switch widths", "10-12, 24"),
        ("First attempt", "2"),
        ("Total time", "600"),
        ("Threads", "2"),
    ] {
        tab.field(label).await?.fill(text).await?;
    }
    tab.button("Start").await?.click().await?;
    tab.until("it searches", "document.getElementById('board-state')?.textContent === 'Searching'").await?;
    tab.until("a cell is solved", "document.querySelector('.cell.cheapest') !== null").await
}

/// The names of all cells, as a screen reader reads them.
async fn cells(tab: &Tab) -> Result<Vec<String>> {
    let names = tab.evaluate("[...document.querySelectorAll('.cell')].map(e => e.textContent)").await?;
    Ok(serde_json::from_value(names)?)
}

async fn stop(tab: &Tab) -> Result<()> {
    tab.button("Stop").await?.click().await?;
    tab.until("it stops", "document.getElementById('board-state')?.textContent === 'Stopped'").await
}

#[test]
fn a_board_fills_stops_and_opens_a_design() {
    visit("board", DESKTOP, async |visit| {
        let tab = &visit.tab;
        something_long(tab).await?;
        let before = cells(tab).await?;
        ensure!(before.len() == 8, "{before:?}");
        let seen = serde_json::to_string(&before)?;
        tab.until(
            "cells change",
            &format!(
                "JSON.stringify([...document.querySelectorAll('.cell')].map(e => e.textContent)) !== {seen:?}"
            ),
        )
        .await?;
        visit.picture("running").await?;
        stop(tab).await?;
        let stopped = cells(tab).await?;
        ensure!(!stopped.iter().any(|name| name.contains("trying")), "still trying: {stopped:?}");
        visit.picture("stopped").await?;

        tab.button("3 NICs, 24 ports: cheapest so far").await?.click().await?;
        tab.shows("Checked: all 1,536").await?;
        ensure!(tab.field("Ports").await?.value().await? == "24", "another switch");
        ensure!(!wiring(tab).await?.is_empty(), "no wiring");
        tab.link("Hardware").await?.click().await?;
        ensure!(cells(tab).await? == stopped, "the board is another one");
        tab.reload().await?;
        tab.until("it comes back", "document.querySelector('.cell.cheapest') !== null").await?;
        ensure!(cells(tab).await? == stopped, "the board has changed: {:?}", cells(tab).await?);
        ensure!(text_of(tab, "board-state").await? == "Stopped", "another state");
        ensure!(tab.field("Switch widths").await?.value().await? == "10-12, 24", "the form is another one");
        Ok(())
    });
}

#[test]
fn an_opened_design_leaves_the_way_back_to_the_own_spec() {
    visit("board-undo", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        tab.field("NICs per node").await?.fill("5").await?;
        hardware(tab).await?;
        tab.field("Min NICs").await?.fill("3").await?;
        tab.field("Max NICs").await?.fill("3").await?;
        tab.button("Start").await?.click().await?;
        tab.until("a solved cell", "document.querySelector('.cell.cheapest') !== null").await?;
        visit.picture("so-far").await?;
        tab.button("Stop").await?.click().await?;
        tab.until("it stops", "document.getElementById('board-state')?.textContent === 'Stopped'").await?;
        tab.click(".cell.cheapest").await?;
        tab.shows("Checked: all 1,536").await?;
        tab.until("the cell's NIs", "document.getElementById('spec-nics-per-node').value === '3'").await?;
        tab.button("Undo").await?.click().await?;
        tab.until("one's own NIs", "document.getElementById('spec-nics-per-node').value === '5'").await?;
        tab.shows("made for an earlier spec").await
    });
}

#[test]
fn without_a_mouse_every_cell_is_reached() {
    visit("board-keys", DESKTOP, async |visit| {
        let tab = &visit.tab;
        something_long(tab).await?;
        tab.focus("#board-stop").await?;
        tab.press("Enter").await?;
        tab.until("it stops", "document.getElementById('board-state')?.textContent === 'Stopped'").await?;
        let at = tab.evaluate("document.activeElement.id").await?;
        ensure!(at == "board-start", "the focus went to {at}");
        tab.focus(".cell[tabindex=\"0\"]").await?;
        for key in ["ArrowRight", "ArrowDown", "End", "ArrowLeft"] {
            tab.press(key).await?;
        }
        let at = tab.evaluate("document.activeElement.textContent").await?;
        ensure!(at.as_str().is_some_and(|name| name.starts_with("3 NICs, 11 ports")), "{at}");
        ensure!(text_of(tab, "cell-facts").await?.contains("3 NICs, 11 ports"), "nothing is told of it");
        tab.press("Home").await?;
        tab.press("Enter").await?;
        tab.shows("Checked: all 1,536").await?;
        tab.evaluate("document.activeElement.blur()").await?;
        tab.press("h").await?;
        tab.until("the board", "document.getElementById('board') !== null").await
    });
}

#[test]
fn a_colleague_sees_the_board_behind_its_link() {
    visit("board-link", DESKTOP, async |visit| {
        let tab = &visit.tab;
        something_long(tab).await?;
        let address = tab.address().await;
        ensure!(address.contains("/b/"), "{address}");
        let browser = visit.colleague().await?;
        let theirs = browser.open(&address).await?;
        theirs.until("the board", "document.querySelector('.cell.cheapest') !== null").await?;
        ensure!(text_of(&theirs, "session-name").await? == "KASY0", "another spec");
        cannot_stop(&theirs, "board-stop").await?;
        stop(tab).await?;
        theirs
            .until(
                "the colleague sees it stop",
                "document.getElementById('board-state')?.textContent === 'Stopped'",
            )
            .await?;
        ensure!(cells(&theirs).await? == cells(tab).await?, "two boards");
        let fields = "[...document.querySelectorAll('#board-ports, #spec input')].filter(field => !field.matches(':disabled')).length";
        ensure!(theirs.evaluate(fields).await? == 0, "there is a field to edit");
        theirs.click("#edit-copy").await?;
        theirs.until("a search of one's own", "location.pathname === '/b'").await?;
        theirs.button("Start").await?;
        theirs.has_no_troubles()?;
        browser.close().await
    });
}

#[test]
fn wrong_widths_are_told_beside_their_field() {
    visit("board-faults", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        hardware(tab).await?;
        let field = tab.field("Switch widths").await?;
        field.fill("6-12, many").await?;
        let beside = "(() => {
            const field = document.getElementById('board-ports');
            const told = document.getElementById(field.getAttribute('aria-describedby'));
            const near = told && told.getBoundingClientRect().top - field.getBoundingClientRect().bottom < 40;
            return !!near && told.innerText.includes('many') && told.innerText.includes('6-12, 16, 24');
        })()";
        tab.until("a message beside the field", beside).await?;
        visit.picture("message").await?;
        ensure!(!tab.button("Start").await?.is_enabled().await?, "it may be started with a fault");
        field.fill("6-12, 24").await?;
        tab.until("it may be started", "document.getElementById('board-start')?.disabled === false").await?;
        tab.field("Max NICs").await?.fill("1").await?;
        tab.until("from is more than to", "document.getElementById('board-nis-to-fault')?.hidden === false")
            .await?;
        tab.link("Design").await?.click().await?;
        tab.find("combobox", "Objective").await?.choose("fractional").await?;
        tab.link("Hardware").await?.click().await?;
        tab.field("Max NICs").await?.fill("4").await?;
        tab.shows("a hardware search covers every pair").await
    });
}

#[test]
fn nothing_solved_and_no_prices_are_told() {
    visit("board-empty", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        for price in ["Price", "NIC price", "Cable price"] {
            tab.field(price).await?.fill("").await?;
        }
        hardware(tab).await?;
        for (label, text) in
            [("Max NICs", "2"), ("Switch widths", "8, 16"), ("First attempt", "1"), ("Total time", "2")]
        {
            tab.field(label).await?.fill(text).await?;
        }
        tab.button("Start").await?.click().await?;
        tab.until(
            "it ends",
            "document.getElementById('board-state')?.textContent === 'Finished: no solution found'",
        )
        .await?;
        tab.shows("No cell was solved").await?;
        let costs = "[...document.querySelectorAll('.cell .cost')].map(e => e.textContent).join('')";
        ensure!(tab.evaluate(costs).await?.as_str() == Some(""), "a cost without a price");
        visit.picture("seen").await?;
        open_attempts(tab).await
    });
}

async fn open_attempts(tab: &Tab) -> Result<()> {
    tab.click("#attempts > summary").await?;
    tab.until("what was tried", "document.querySelectorAll('#attempts-table tbody tr').length > 0").await?;
    ensure!(tab.find("image", "Attempts over time").await?.name.contains("none solved yet"), "a chart");
    tab.link("Design").await?.click().await?;
    open(tab, "Figures").await
}

#[test]
fn a_board_tells_that_its_server_has_gone_and_what_became_of_it() {
    visit("board-gone", DESKTOP, async |visit| {
        something_long(&visit.tab).await?;
        visit.studio.terminate()?;
        visit.tab.shows("Server stopped; waiting for it to restart").await?;
        visit.studio.start_again()?;
        let tab = &visit.tab;
        tab.until(
            "what became of it",
            "document.getElementById('board-state')?.textContent !== \
             'Server stopped; waiting for it to restart'",
        )
        .await?;
        ensure!(!text_of(tab, "board-state").await?.contains("reconnecting"), "the server is there");
        tab.button("3 NICs, 24 ports: cheapest so far").await?.click().await?;
        tab.shows("Checked: all 1,536").await?;
        tab.forgive_any(&["net::ERR_", "Failed to fetch"])
    });
}

#[test]
fn the_cheapest_network_for_a_job_is_a_sentence_a_plot_and_a_table() {
    visit("board-networks", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "Mixtral-like").await?;
        hardware(tab).await?;
        tab.find("combobox", "Goal").await?.choose("time").await?;
        for (label, text) in [("Min NICs", "7"), ("Max NICs", "8"), ("Total time", "60"), ("Threads", "2")] {
            tab.field(label).await?.fill(text).await?;
        }
        tab.button("Start").await?.click().await?;
        tab.until(
            "an answer",
            "/ costs? [\\d,]+/.test(document.getElementById('board-answer')?.textContent)",
        )
        .await?;
        tab.until("it ends", "/^Finished/.test(document.getElementById('board-state')?.textContent)").await?;
        let answer = text_of(tab, "board-answer").await?;
        ensure!(!answer.starts_with("So far"), "{answer}");
        visit.picture("networks").await?;
        let points = tab.evaluate("document.querySelectorAll('.offer-plot [role=button]').length").await?;
        let rows = tab.evaluate("document.querySelectorAll('#offers-table tbody tr').length").await?;
        ensure!(points == rows && points.as_u64() > Some(2), "{points} points, {rows} rows");
        // A network opens beside the others on the Compare tab, by keys as well.
        tab.focus(".offer-plot [role=button]").await?;
        tab.press("Enter").await?;
        tab.until(
            "the network is compared",
            "/[78] rails, one 64-port switch each/.test(document.body.textContent)",
        )
        .await
    });
}
