//! A search continues without its page: reload, a second tab, a stopped server.

use crate::steps::{open, start_something_hard_with, text_of, wiring};
use anyhow::{Context, Result, ensure};
use e2e::{
    tab::{DESKTOP, Tab},
    visit::{visit, visit_with},
};
use std::time::Duration;

/// Starts a search that is not solved soon and waits until it runs.
async fn something_hard(tab: &Tab) -> Result<()> {
    something_hard_with(tab, &[]).await
}

/// Starts a search with values of other fields.
async fn something_hard_with(tab: &Tab, fields: &[(&str, &str)]) -> Result<()> {
    start_something_hard_with(tab, fields).await?;
    tab.until("it searches", "document.getElementById('run-state')?.textContent === 'Searching'").await
}

async fn seconds(tab: &Tab) -> Result<u64> {
    let clock = text_of(tab, "elapsed").await?;
    Ok(clock.split(':').fold(0, |sum, part| 60 * sum + part.parse::<u64>().unwrap_or(0)))
}

/// Waits until the search is `later` seconds old.
async fn until_seconds(tab: &Tab, later: u64) -> Result<()> {
    let script = format!(
        "document.getElementById('elapsed')?.textContent.split(':').reduce((s, p) => 60 * s + Number(p), 0) >= {later}"
    );
    tab.until(&format!("the clock shows {later} s"), &script).await
}

#[test]
fn a_reload_in_the_middle_of_a_search_loses_nothing() {
    visit("reload", DESKTOP, async |visit| {
        let tab = &visit.tab;
        something_hard(tab).await?;
        until_seconds(tab, 3).await?;
        let address = tab.address().await;
        ensure!(address.contains("/r/"), "{address}");
        let points = "document.querySelectorAll('.chart polyline').length && \
            Math.max(...[...document.querySelectorAll('.chart polyline')].map(p => p.points.length))";
        let before = tab.evaluate(points).await?.as_u64().unwrap_or(0);
        tab.reload().await?;
        tab.until("it comes back", "document.getElementById('run-state')?.textContent === 'Searching'")
            .await?;
        until_seconds(tab, 4).await?;
        tab.until("the chart goes on", &format!("({points}) > {before}")).await?;
        visit.picture("after").await?;

        let second = visit.browser.open(&address).await?;
        second
            .until("the other tab", "document.getElementById('run-state')?.textContent === 'Searching'")
            .await?;
        ensure!(seconds(&second).await? >= 3, "the other tab begins anew");
        second.button("Stop").await?.click().await?;
        for tab in [&second, tab] {
            tab.until(
                "both tabs see it stopped",
                "document.getElementById('run-state')?.textContent === 'Stopped'",
            )
            .await?;
        }
        // Each checks the last wiring on its own.
        let agree = async {
            while text_of(tab, "uncovered").await? != text_of(&second, "uncovered").await? {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            Ok::<(), anyhow::Error>(())
        };
        tokio::time::timeout(Duration::from_secs(60), agree)
            .await
            .context("the tabs show different wirings")??;
        tab.shows("Suggestions").await?;
        tab.shows("uncovered").await?;
        second.has_no_troubles()
    });
}

#[test]
fn the_chart_shows_every_island() {
    visit("islands", DESKTOP, async |visit| {
        let tab = &visit.tab;
        something_hard_with(tab, &[("Threads", "24")]).await?;
        tab.until("a line for each", "document.querySelectorAll('.chart polyline').length >= 5").await?;
        tab.until(
            "they are named",
            "document.getElementById('chart-legend')?.innerText.includes('3 islands')",
        )
        .await?;
        tab.find("image", "the best of the 3 islands").await?;
        let heights = "[...document.querySelectorAll('#chart-legend .entry')].map(e => e.offsetHeight)";
        let heights: Vec<u64> = serde_json::from_value(tab.evaluate(heights).await?)?;
        ensure!(heights.len() >= 3 && heights.iter().all(|&h| h <= 24), "entries of two lines: {heights:?}");
        visit.picture("seen").await?;
        tab.button("Stop").await?.click().await
    });
}

#[test]
fn a_search_begins_again_with_the_server_and_keeps_its_best_wiring() {
    visit("restart", DESKTOP, async |visit| {
        something_hard(&visit.tab).await?;
        until_seconds(&visit.tab, 5).await?;
        let path = visit.tab.evaluate("location.pathname").await?;
        visit.studio.restart()?;
        let address = visit.studio.at(path.as_str().unwrap_or_default());
        visit.tab.goto(&address).await?;
        open(&visit.tab, "Wiring").await?;
        visit
            .tab
            .until("the wiring", "document.querySelectorAll('#wiring-table tbody tr').length > 0")
            .await?;
        // Its event stream broke when the server stopped, and so did parts that were on their way.
        visit.tab.forgive_any(&["net::ERR_", "Failed to fetch"])
    });
}

#[test]
fn a_page_follows_its_search_over_a_restart_of_the_server() {
    visit_with(&["--checkpoint-every", "1"], "gone", DESKTOP, async |visit| {
        let tab = &visit.tab;
        something_hard_with(tab, &[("Time limit", "12")]).await?;
        until_seconds(tab, 4).await?;
        visit.studio.terminate()?;
        let tab = &visit.tab;
        tab.shows("Server stopped; waiting for it to restart").await?;
        tab.shows("the work resumes when the studio starts again").await?;
        visit.picture("seen").await?;
        visit.studio.start_again()?;
        let tab = &visit.tab;
        tab.until("it searches again", "document.getElementById('run-state')?.textContent === 'Searching'")
            .await?;
        ensure!(seconds(tab).await? >= 2, "it begins anew");
        ensure!(!tab.text().await?.contains("when the studio starts again"), "the message stays");
        tab.until("it ends", "document.getElementById('run-state')?.textContent === 'Limit reached'").await?;
        ensure!(seconds(tab).await? >= 12, "it ends early: {} s", seconds(tab).await?);
        wiring(tab).await?;
        // Parts of the studio were on their way when the server stopped.
        tab.forgive_any(&["net::ERR_", "Failed to fetch"])
    });
}
