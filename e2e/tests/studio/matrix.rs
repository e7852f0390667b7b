//! Demand from a measured matrix.

use crate::steps::{pick, start_page, text_of};
use anyhow::ensure;
use e2e::{tab::DESKTOP, visit::visit};

#[test]
fn a_measured_matrix_becomes_demand_and_a_broken_one_names_its_line() {
    visit("matrix", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        tab.field("Nodes").await?.fill("16").await?;
        let dir = tempfile::tempdir()?;
        let broken = dir.path().join("broken.csv");
        std::fs::write(&broken, "0 1 5\n1 2 five\n")?;
        tab.find("button", "Open measured traffic").await?.attach(&broken).await?;
        tab.shows("broken.csv: line 2: weight \"five\" is not a number").await?;
        visit.picture("broken").await?;
        tab.press("Escape").await?;

        tab.button("TOML").await?.click().await?;
        let bare = "name = \"Measured\"\npes = 16\nnis_per_pe = 2\n[[switch]]\nports = 8\n[[pattern]]\nkind = \"ring\"\n";
        tab.field("Spec as TOML").await?.fill(bare).await?;
        tab.button("Form").await?.click().await?;
        tab.until("a ring", "document.getElementById('total-pairs')?.textContent.startsWith('16 ')").await?;
        let good = dir.path().join("good.txt");
        std::fs::write(&good, "0 8 5\n1 9 5\n2 3 1\n")?;
        tab.find("button", "Open measured traffic").await?.attach(&good).await?;
        tab.shows("Keeps 3 of 3 pairs with 100 % of the weight.").await?;
        tab.button("Use in this spec").await?.click().await?;
        tab.until("two more", "document.getElementById('total-pairs')?.textContent.startsWith('18 ')")
            .await?;
        ensure!(text_of(tab, "session-name").await? == "Measured", "the session was replaced");
        Ok(())
    });
}

#[test]
fn the_doors_of_the_start_page_lead_to_patterns_and_traffic() {
    visit("doors", DESKTOP, async |visit| {
        let tab = &visit.tab;
        start_page(tab).await?;
        tab.shows("Cable your cluster so that any two nodes that talk share a switch").await?;
        visit.picture("start").await?;
        let dir = tempfile::tempdir()?;
        let list = dir.path().join("traffic.txt");
        std::fs::write(&list, "0 8 5\n1 9 5\n2 23 1\n")?;
        start_page(tab).await?;
        tab.find("button", "Start from measured traffic").await?.attach(&list).await?;
        tab.shows("Keeps 3 of 3 pairs").await?;
        tab.button("Open as a new session").await?.click().await?;
        tab.until("its nodes", "document.getElementById('spec-nodes')?.value === '24'").await?;
        tab.until("its pairs", "document.getElementById('total-pairs')?.textContent.startsWith('3 ')")
            .await?;
        let broken = dir.path().join("broken.txt");
        std::fs::write(&broken, "0 8 5\n1 nine 5\n")?;
        start_page(tab).await?;
        tab.find("button", "Start from measured traffic").await?.attach(&broken).await?;
        tab.shows("broken.txt: line 2: \"nine\" is not a node number").await?;
        tab.press("Escape").await?;
        tab.evaluate("history.back()").await?;
        tab.until(
            "the session is there",
            "document.getElementById('total-pairs')?.textContent.startsWith('3 ')",
        )
        .await?;

        start_page(tab).await?;
        tab.button("Choose communication patterns").await?.click().await?;
        tab.until("the patterns", "document.querySelector('#pick-hypercube:not([disabled])') !== null")
            .await?;
        visit.picture("patterns").await?;
        ensure!(!tab.text().await?.contains("Outdated"), "results of another session");
        tab.click("#pick-hypercube").await?;
        tab.until("its pairs", "document.getElementById('total-pairs')?.textContent.startsWith('192 ')").await
    });
}
