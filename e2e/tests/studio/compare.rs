//! The wiring beside other networks: at its own prices, at those of a paper, and at prices typed in place.

use crate::steps::{complaint, kasy0, open, text_of};
use anyhow::{Context, Result, ensure};
use e2e::{
    tab::{DESKTOP, Tab},
    visit::visit,
};
use std::collections::BTreeMap;

/// The cells of each network by the heads of their columns; networks by their text form, the wiring by its title.
async fn networks(tab: &Tab) -> Result<BTreeMap<String, BTreeMap<String, String>>> {
    let script = "(() => {
        const heads = [...document.querySelectorAll('#compare-table thead th')].map(th => th.firstChild.textContent.trim());
        return Object.fromEntries([...document.querySelectorAll('#compare-table tbody tr')].map(row => [
            row.querySelector('code').innerText || row.querySelector('summary').innerText,
            Object.fromEntries([...row.cells].map((cell, i) => [heads[i], cell.innerText.trim()]))]));
        })()";
    Ok(serde_json::from_value(tab.evaluate(script).await?)?)
}

/// Waits until a network has a cost per host.
async fn costs(tab: &Tab, network: &str, each: &str) -> Result<()> {
    let mut last = String::new();
    for _ in 0..200 {
        let found = networks(tab).await?;
        if let Some(price) = found.get(network).and_then(|cells| cells.get("Price per host")) {
            if price == each {
                return Ok(());
            }
            last.clone_from(price);
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    anyhow::bail!("{network} costs {last:?} a host, not {each}: {:?}", networks(tab).await?)
}

/// Types a price of the comparison. The spec has fields of the same names.
async fn price(tab: &Tab, key: &str, text: &str) -> Result<()> {
    let field = format!("document.getElementById('price-{key}')");
    tab.evaluate(&format!(
        "(field => {{ field.value = '{text}'; field.dispatchEvent(new Event('input', {{ bubbles: true }})) }})({field})"
    ))
    .await?;
    Ok(())
}

#[test]
fn networks_stand_side_by_side_at_prices_typed_in_place() {
    visit("compare", DESKTOP, async |visit| {
        let tab = &visit.tab;
        kasy0(tab).await?;
        open(tab, "Compare").await?;
        tab.shows("For 128 hosts and 1,536 requested pairs").await?;
        tab.until("the table", "document.querySelectorAll('#compare-table tbody tr').length > 5").await?;
        let found = networks(tab).await?;
        let own = found.get("This design").with_context(|| format!("{found:?}"))?;
        ensure!(own["Single-switch pairs"] == "100.0" && own["Bisection"] == "77", "{own:?}");
        ensure!(found["pmesh:16x8"]["Bisection"] == "56", "{found:?}");
        tab.shows("Myrinet cluster (16 or 18 only)").await?;
        tab.shows("speeds and latencies of Fast Ethernet, Spring 1998").await?;
        visit.picture("own").await?;
        let pick = "const list = document.getElementById('compare-prices'); list.value = '1998'; \
            list.dispatchEvent(new Event('change', { bubbles: true }))";
        tab.evaluate(pick).await?;
        // 2 * (30 + 150) and 4 * 30, as the P-Mesh paper has them.
        costs(tab, "pmesh:16x8", "360+").await?;
        costs(tab, "host-torus:16x8", "120+").await?;
        tab.click(".compare-prices > summary").await?;
        price(tab, "ni", "cheap").await?;
        let fault = "document.getElementById('price-ni-fault').innerText.includes('a number from 0')";
        tab.until("a message beside the price", fault).await?;
        ensure!(networks(tab).await?.contains_key("pmesh:16x8"), "the table goes away while somebody types");
        price(tab, "ni", "20").await?;
        price(tab, "cable", "5").await?;
        costs(tab, "pmesh:16x8", "350").await?;
        visit.picture("prices").await?;
        tab.field("More networks").await?.fill("mesh:4x8x4 ring:9").await?;
        let said = complaint(tab, "More networks").await?;
        ensure!(said.starts_with("ring:9: expected "), "{said}");
        tab.field("More networks").await?.fill("mesh:4x8x4").await?;
        tab.until(
            "it stands among them",
            "document.getElementById('compare-table').innerText.includes('mesh:4x8x4')",
        )
        .await?;
        the_link_carries_all_of_it(visit).await?;
        tab.reload().await?;
        tab.until(
            "it stands there again",
            "document.getElementById('compare-table')?.innerText.includes('mesh:4x8x4')",
        )
        .await?;
        costs(tab, "pmesh:16x8", "350").await?;
        let click = "[...document.querySelectorAll('#compare-table tr')].find(row => row.innerText.includes('mesh:4x8x4')) \
            .querySelector('details button').click()";
        tab.evaluate(click).await?;
        tab.until("its traffic", "document.getElementById('simulate-fabric')?.value === 'mesh:4x8x4'").await
    });
}

async fn the_link_carries_all_of_it(visit: &e2e::visit::Visit) -> Result<()> {
    let tab = &visit.tab;
    tab.evaluate("document.getElementById('share').open = true").await?;
    tab.button("Copy spec link").await?.click().await?;
    tab.until("a link", "document.getElementById('share-link').value !== ''").await?;
    let link = tab.evaluate("document.getElementById('share-link').value").await?;
    let link = link.as_str().context("a link")?;
    let browser = visit.colleague().await?;
    let theirs = browser.open(link).await?;
    theirs.shows("For 128 hosts and 1,536 requested pairs").await?;
    costs(&theirs, "pmesh:16x8", "350").await?;
    ensure!(networks(&theirs).await?["mesh:4x8x4"]["Hosts"] == "128", "the link has lost a network");
    ensure!(text_of(&theirs, "session-name").await? == "KASY0", "another spec");
    ensure!(!networks(&theirs).await?.contains_key("This design"), "the link holds the spec alone");
    theirs.has_no_troubles()?;
    browser.close().await
}

#[test]
fn a_network_from_a_file_stands_beside_the_wiring() {
    visit("compare-file", DESKTOP, async |visit| {
        let tab = &visit.tab;
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("own net.txt");
        let star: String = (0..128).map(|host| format!("h{host} s\n")).collect();
        std::fs::write(&path, format!("{star}s t fast\n"))?;
        kasy0(tab).await?;
        open(tab, "Compare").await?;
        tab.until("the table", "document.querySelectorAll('#compare-table tbody tr').length > 5").await?;
        tab.find("button", "Open a network from a file").await?.attach(&path).await?;
        tab.shows("own-net.txt line 129").await?;
        visit.picture("fault").await?;
        tab.forgive("422").await?;
        std::fs::write(&path, star)?;
        tab.find("button", "Open a network from a file").await?.attach(&path).await?;
        let shown = "document.getElementById('compare-table').innerText.includes('file:own-net.txt')";
        tab.until("it stands among them", shown).await?;
        let found = networks(tab).await?;
        let own = &found["file:own-net.txt"];
        ensure!(own["Hosts"] == "128" && own["Switches"] == "1" && own["Bisection"] == "64", "{own:?}");
        ensure!(tab.field("More networks").await?.value().await? == "file:own-net.txt");
        visit.picture("file").await?;
        tab.resize(390, 844).await?;
        tab.prefers("dark").await?;
        tab.evaluate("document.getElementById('compare-networks').scrollIntoView()").await?;
        visit.picture("phone").await?;
        tab.resize(1440, 900).await?;
        tab.reload().await?;
        let said = complaint(tab, "More networks").await?;
        ensure!(said.starts_with("file:own-net.txt: choose the file own-net.txt again"), "{said}");
        Ok(())
    });
}
