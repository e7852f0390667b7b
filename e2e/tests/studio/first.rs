//! What linked pages show before the studio has loaded, and that nothing moves when it has.

use anyhow::{Context, Result, ensure};
use e2e::{
    looks,
    tab::{DESKTOP, PHONE, Screen, Tab},
    visit::{Visit, visit},
};
use serde_json::json;

const SPEC: &str = include_str!("../../../assets/specs/kasy0.toml");
const WIRING: &str = include_str!("../../../assets/wirings/kasy0.txt");

/// Saves KASY0 and returns its path.
async fn save(tab: &Tab) -> Result<String> {
    let body = json!({ "spec": SPEC, "table": WIRING }).to_string();
    let script = format!(
        "fetch('/api/designs', {{ method: 'POST', body: {}, headers: {{ 'content-type': 'application/json' }} }})
            .then(answer => answer.json()).then(design => `/d/${{design.id}}`)",
        json!(body)
    );
    Ok(tab.evaluate(&script).await?.as_str().context("a path")?.to_owned())
}

/// Goes to a page whose studio never loads.
async fn leave_unloaded(tab: &Tab, path: &str) -> Result<()> {
    tab.evaluate(&format!("location.href = {path:?}")).await?;
    tab.until(path, &format!("location.pathname === {path:?} && document.readyState === 'complete'")).await
}

#[test]
fn a_link_shows_a_design_and_a_label_its_cables_before_the_studio_has_loaded() {
    visit("first-paint", PHONE, async |visit| {
        let tab = &visit.tab;
        let claim = "document.querySelector('.claim')?.textContent";
        tab.goto(&visit.studio.at("/")).await?;
        let final_claim = tab.evaluate(claim).await?;
        let design = save(tab).await?;
        tab.run_first("WebAssembly.compileStreaming = () => new Promise(() => {})").await?;
        leave_unloaded(tab, "/").await?;
        ensure!(tab.evaluate(claim).await? == final_claim, "the start page begins with other words");
        for (path, words, name) in [
            (design.clone(), ["KASY0", "All 1,536 requested pairs share a switch."], "design"),
            (format!("{design}/node/17"), ["node017", "NIC 0 → sw05 port"], "node"),
        ] {
            leave_unloaded(tab, &path).await?;
            for words in words {
                tab.shows(words).await?;
            }
            tab.until(
                "pictures",
                "[...document.images].every(image => image.complete && image.naturalWidth > 0)",
            )
            .await?;
            for scheme in ["light", "dark"] {
                tab.prefers(scheme).await?;
                looks::all_is_well(tab).await?;
                visit.picture(&format!("{name}-{scheme}")).await?;
            }
            tab.resize(320, 640).await?;
            looks::fits_the_width(tab).await?;
            tab.resize(PHONE.width, PHONE.height).await?;
        }
        Ok(())
    });
}

/// Sums how far things move without a reason, as browsers count it.
const WATCH: &str = "
    window.shifted = 0;
    window.shifts = [];
    new PerformanceObserver(list => list.getEntries().filter(entry => !entry.hadRecentInput).forEach(entry => {
        window.shifted += entry.value;
        window.shifts.push(...entry.sources.map(source => `${entry.value.toFixed(3)} ${source.node?.outerHTML?.slice(0, 90)}`));
    })).observe({ type: 'layout-shift', buffered: true });
";

/// The layout shift up to which a page is good.
const MAX_SHIFT: f64 = 0.05;

async fn nothing_moves(visit: &Visit) -> Result<()> {
    let tab = &visit.tab;
    let design = save(tab).await?;
    tab.run_first(WATCH).await?;
    for (path, complete) in [
        ("/".to_owned(), "document.querySelectorAll('#gallery .cards li').length > 0"),
        ("/design".to_owned(), "/pair/.test(document.getElementById('total-pairs')?.textContent)"),
        (design.clone(), "document.getElementById('standing')?.textContent.includes('Checked: all')"),
        (format!("{design}/node/17"), "document.getElementById('not-started') !== null"),
        (format!("{design}/labels"), "document.querySelector('#look-labels .sheet-of-labels') !== null"),
        ("/library".to_owned(), "document.getElementById('library') !== null"),
    ] {
        tab.goto(&visit.studio.at(&path)).await?;
        tab.until(&path, complete).await?;
        tab.evaluate("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
            .await?;
        let shifted = tab.evaluate("window.shifted").await?.as_f64().unwrap_or_default();
        ensure!(shifted < MAX_SHIFT, "{path}: {shifted}: {}", tab.evaluate("window.shifts").await?);
    }
    Ok(())
}

fn still(name: &'static str, screen: Screen) {
    visit(name, screen, async |visit| nothing_moves(visit).await);
}

#[test]
fn nothing_moves_while_a_page_loads() {
    still("still", DESKTOP);
}

#[test]
fn nothing_moves_while_a_page_loads_on_a_phone() {
    still("still-phone", PHONE);
}
