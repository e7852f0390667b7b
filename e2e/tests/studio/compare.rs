//! The wiring beside other networks: at its own prices, at those of a paper, and at prices typed in place.

use crate::steps::{complaint, kasy0, open, panel, pick, solve, text_of};
use anyhow::{Context, Result, ensure};
use e2e::{
    tab::{DESKTOP, Tab},
    visit::visit,
};
use std::collections::BTreeMap;

/// The cells of each network by the heads of their columns; networks by their code, which is a tooltip, the wiring by its title.
async fn networks(tab: &Tab) -> Result<BTreeMap<String, BTreeMap<String, String>>> {
    let script = "(() => {
        const heads = [...document.querySelectorAll('#compare-table thead th')].map(th => th.firstChild.textContent.trim());
        return Object.fromEntries([...document.querySelectorAll('#compare-table tbody tr')].map(row => [
            row.querySelector('summary').title || row.querySelector('summary').innerText,
            Object.fromEntries([...row.cells].map((cell, i) => [heads[i], cell.innerText.trim()]))]));
        })()";
    Ok(serde_json::from_value(tab.evaluate(script).await?)?)
}

/// Shows columns that the table leaves out at first.
async fn show(tab: &Tab, columns: &[&str]) -> Result<()> {
    tab.until("the table", "document.querySelectorAll('#compare-table tbody tr').length > 5").await?;
    let script = format!(
        "[...document.querySelectorAll('#compare-columns label')].filter(label => {columns:?}.includes(label.textContent.trim()))
            .map(label => label.querySelector('input')).filter(box => !box.checked).forEach(box => box.click())"
    );
    tab.evaluate(&script).await?;
    Ok(())
}

/// Pairs of labels of a plot that overlap.
pub async fn collisions(tab: &Tab, plots: &str) -> Result<Vec<String>> {
    let script = format!(
        "[...document.querySelectorAll({plots:?})].flatMap(svg => {{
            const all = [...svg.querySelectorAll('text')].map(text => [text.textContent.trim(), text.getBoundingClientRect()]);
            const hit = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
            const whole = svg.getBoundingClientRect();
            const cut = all.filter(([, a]) => a.left < whole.left - 1 || a.right > whole.right + 1 || a.top < whole.top - 1 || a.bottom > whole.bottom + 1);
            return all.flatMap(([name, a], i) => all.slice(i + 1).filter(([, b]) => hit(a, b)).map(([other]) => `${{name}} and ${{other}}`))
                .concat(cut.map(([name]) => `${{name}} is cut off`));
        }})"
    );
    Ok(serde_json::from_value(tab.evaluate(&script).await?)?)
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

/// Chooses prices by their key.
async fn prices(tab: &Tab, key: &str) -> Result<()> {
    let script = format!(
        "(list => {{ list.value = {key:?}; list.dispatchEvent(new Event('change', {{ bubbles: true }})) }})(document.getElementById('compare-prices'))"
    );
    tab.evaluate(&script).await.map(drop)
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
        show(tab, &["Price per host", "Hosts", "Bisection"]).await?;
        let found = networks(tab).await?;
        let own = found.get("This design").with_context(|| format!("{found:?}"))?;
        ensure!(own["Single-switch pairs"] == "100.0" && own["Bisection"] == "77", "{own:?}");
        ensure!(found["pmesh:16x8"]["Bisection"] == "56", "{found:?}");
        tab.shows("Myrinet cluster (16 or 18 only)").await?;
        tab.shows("speeds and latencies of Fast Ethernet, Spring 1998").await?;
        visit.picture("own").await?;
        prices(tab, "1998").await?;
        // 2 * (30 + 150) and 4 * 30, as Nitzberg et al. 1999 have them.
        costs(tab, "pmesh:16x8", "360+").await?;
        costs(tab, "host-torus:16x8", "120+").await?;
        tab.click(".compare-prices > summary").await?;
        price(tab, "nic", "cheap").await?;
        let fault = "document.getElementById('price-nic-fault').innerText.includes('a number from 0')";
        tab.until("a message beside the price", fault).await?;
        ensure!(networks(tab).await?.contains_key("pmesh:16x8"), "the table goes away while somebody types");
        price(tab, "nic", "20").await?;
        price(tab, "cable", "5").await?;
        costs(tab, "pmesh:16x8", "350").await?;
        visit.picture("prices").await?;
        tab.field("More networks").await?.fill("mesh:4x8x4 ring:9").await?;
        let said = complaint(tab, "More networks").await?;
        ensure!(said.starts_with("Unknown network `ring:9`. The networks are "), "{said}");
        tab.field("More networks").await?.fill("mesh:4x8x4").await?;
        tab.until(
            "it stands among them",
            "document.querySelector('#compare-table [title=\"mesh:4x8x4\"]') !== null",
        )
        .await?;
        the_link_carries_all_of_it(visit).await?;
        tab.reload().await?;
        tab.until(
            "it stands there again",
            "document.querySelector('#compare-table [title=\"mesh:4x8x4\"]') !== null",
        )
        .await?;
        show(tab, &["Price per host"]).await?;
        costs(tab, "pmesh:16x8", "350").await?;
        let click = "[...document.querySelectorAll('#compare-table tr')].find(row => row.querySelector('[title=\"mesh:4x8x4\"]')) \
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
    show(&theirs, &["Price per host", "Hosts"]).await?;
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
        let shown = "document.querySelector('#compare-table [title=\"file:own-net.txt\"]') !== null";
        tab.until("it stands among them", shown).await?;
        show(tab, &["Hosts", "Bisection"]).await?;
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

/// 64 nodes with eight NICs: two switches per rail, or a tree, at the prices of 400 Gb/s.
const RAILS: &str =
    "pes = 64\nnis_per_pe = 8\n\n[[switch]]\nports = 64\n\n[[pattern]]\nkind = \"all-pairs\"\n";

#[test]
fn the_conclusion_comes_first_and_eight_columns_with_names_follow() {
    visit("compare-conclusion", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        panel(tab, "Spec").await?;
        tab.button("TOML").await?.click().await?;
        tab.field("Spec as TOML").await?.fill(RAILS).await?;
        tab.until("it may be tried", "document.getElementById('start')?.disabled === false").await?;
        solve(tab).await?;
        open(tab, "Compare").await?;
        tab.until("the table", "document.querySelectorAll('#compare-table tbody tr').length > 5").await?;
        let said = text_of(tab, "compare-conclusion").await?;
        let same = "This design costs as much as the cheapest other network (8 rails, one 64-port switch each), with the same latency";
        ensure!(said.starts_with(same), "{said}");
        let first = "document.getElementById('page').querySelector('p').id";
        ensure!(tab.evaluate(first).await? == "compare-conclusion", "something else comes first");
        let order = "['compare-conclusion', 'compare-basis'].concat().map(id => document.getElementById(id))
            .concat(document.querySelector('.compare-plots'), document.getElementById('compare-table'))
            .map(part => part.getBoundingClientRect().top).every((top, i, all) => i === 0 || top > all[i - 1])";
        ensure!(tab.evaluate(order).await? == true, "conclusion, picture, table");
        let names = "[...document.querySelectorAll('#compare-table summary')].map(name => `${name.innerText}=${name.title}`).join('\\n')";
        let names = tab.evaluate(names).await?;
        let names = names.as_str().unwrap_or_default();
        for name in [
            "8 rails, one 64-port switch each=planes:8,switch:64",
            "Tree, 48 hosts and 16 uplinks per leaf, 1 root, 8 planes=planes:8,tree:64,48,16,1",
        ] {
            ensure!(names.contains(name), "{name}: {names}");
        }
        ensure!(
            !names.lines().any(|line| line.split('=').next().unwrap_or_default().contains("planes:")),
            "codes: {names}"
        );

        let heads = "document.querySelectorAll('#compare-table thead th').length";
        ensure!(tab.evaluate(heads).await? == 10, "number, network and eight columns");
        ensure!(text_of(tab, "compare-columns").await?.starts_with("8 of 23 columns"), "the choice");
        show(tab, &["Cables", "Diameter", "Bandwidth"]).await?;
        ensure!(tab.evaluate(heads).await? == 13, "three more");
        open(tab, "Step time").await?;
        open(tab, "Compare").await?;
        tab.until("the table with them", &format!("{heads} === 13")).await?;
        the_head_stays_in_sight(visit).await?;
        for (width, height) in [(1440, 900), (1024, 768), (390, 844)] {
            tab.resize(width, height).await?;
            for theme in ["light", "dark"] {
                tab.prefers(theme).await?;
                tab.evaluate("document.getElementById('page').scrollTop = 0").await?;
                let hit = collisions(tab, ".compare-plots svg").await?;
                ensure!(hit.is_empty(), "{width}: {hit:?}");
                visit.picture(&format!("{width}-{theme}")).await?;
            }
            tab.evaluate("document.getElementById('compare-columns').scrollIntoView()").await?;
            visit.picture(&format!("{width}-table")).await?;
        }
        Ok(())
    });
}

/// Head and first column of the table, after it has scrolled both ways.
async fn the_head_stays_in_sight(visit: &e2e::visit::Visit) -> Result<()> {
    let tab = &visit.tab;
    tab.resize(1024, 600).await?;
    let script = "(() => {
        const area = document.querySelector('.pinning');
        area.scrollIntoView();
        area.scrollTo(400, 400);
        const frame = area.getBoundingClientRect();
        const head = area.querySelector('thead th:nth-child(2)').getBoundingClientRect();
        const rows = [...area.querySelectorAll('tbody tr')].filter(row => row.getBoundingClientRect().top > head.bottom);
        const name = rows[0].children[1].getBoundingClientRect();
        const at = (box) => document.elementFromPoint(box.left + 8, box.top + 8)?.closest('th');
        return [area.scrollTop > 100, area.scrollLeft > 50, Math.abs(head.top - frame.top) < 2, Math.abs(head.left - frame.left) < 2,
            Math.abs(name.left - frame.left) < 2, at(head) === area.querySelector('thead th:nth-child(2)'), at(name) === rows[0].children[1]];
    })()";
    let found = tab.evaluate(script).await?;
    ensure!(found == serde_json::json!(vec![true; 7]), "{found}");
    visit.picture("scrolled").await
}

#[test]
fn a_currency_stands_beside_prices_and_an_unknown_price_ranks_nothing() {
    visit("compare-currency", DESKTOP, async |visit| {
        let tab = &visit.tab;
        kasy0(tab).await?;
        open(tab, "Compare").await?;
        tab.until("the table", "document.querySelectorAll('#compare-table tbody tr').length > 5").await?;
        tab.shows("their currency is not given").await?;
        // The prices of 1998 have none for cables.
        prices(tab, "1998").await?;
        let start = "Prices are incomplete, so no network is ranked by price; ";
        let ranked = format!("document.getElementById('compare-conclusion').innerText.startsWith({start:?})");
        tab.until("a conclusion without prices", &ranked).await?;
        prices(tab, "1g").await?;
        let ranked = "/ than the next network \\(|cheaper than this design|costs as much as/.test(document.getElementById('compare-conclusion').innerText)";
        tab.until("a conclusion on prices", ranked).await?;
        tab.click(".compare-prices > summary").await?;
        price(tab, "currency", "EUR").await?;
        tab.shows("changed; in EUR. Links 1 Gb/s, trunks 10 Gb/s.").await?;
        let unit = "[...document.querySelectorAll('#compare-table thead th')].some(head => head.innerText.includes('Price') && head.innerText.includes('EUR'))";
        tab.until("the unit of the column", unit).await?;
        tab.until(
            "the axis",
            "[...document.querySelectorAll('.compare-plots text')].some(text => text.textContent.includes('Price per host, EUR'))",
        )
        .await?;
        the_note_moves_nothing(tab).await
    });
}

/// An outdated wiring is said without a shift of the page.
async fn the_note_moves_nothing(tab: &Tab) -> Result<()> {
    let top = "document.getElementById('compare-basis').getBoundingClientRect().top";
    // Prices are folded again.
    open(tab, "Design").await?;
    open(tab, "Compare").await?;
    tab.until("the basis", "document.getElementById('compare-basis')?.innerText.includes('EUR')").await?;
    let before = tab.evaluate(top).await?;
    open(tab, "Design").await?;
    tab.field("NICs per node").await?.fill("4").await?;
    open(tab, "Compare").await?;
    tab.until("the note", "document.querySelector('.outdated-note')?.checkVisibility() === true").await?;
    tab.until("the basis", "document.getElementById('compare-basis')?.innerText.includes('EUR')").await?;
    tab.until("the same place", &format!("Math.abs({top} - {before}) < 1")).await
}
