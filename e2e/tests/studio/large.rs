//! 65,536 PEs: the server writes the previews that are too large for a browser.

use crate::steps::{open, pick, text_of, unfold};
use anyhow::{Result, ensure};
use e2e::{
    tab::{DESKTOP, Tab},
    visit::visit,
};
use std::fmt::Write as _;

const PES: u32 = 65_536;

/// A wiring by hand for hypercube and 64x32x32 torus, from four NIs and 32-port switches: a switch for each half row, for
/// each half of a row and of the row's other half that are next to each other, and for each column in both other directions.
fn wiring() -> String {
    let (x, y, z) = (|pe: u32| pe % 64, |pe: u32| pe / 64 % 32, |pe: u32| pe / 2048);
    let groups: [&dyn Fn(u32) -> u32; 4] =
        [&|pe| pe / 32, &|pe| 2 * (pe / 64) + (x(pe) + 4) % 32 / 16, &|pe| x(pe) + 64 * z(pe), &|pe| {
            x(pe) + 64 * y(pe)
        }];
    let mut switches = vec![Vec::new(); 4 * 2048];
    for pe in 0..PES {
        for (first, group) in (0..).step_by(2048).zip(groups) {
            switches[first + group(pe) as usize].push(pe);
        }
    }
    let mut table = String::new();
    for (switch, members) in switches.iter().enumerate() {
        let _ = write!(table, "{switch}:");
        for pe in members {
            let _ = write!(table, " {pe}");
        }
        table.push('\n');
    }
    table
}

async fn import(tab: &Tab) -> Result<()> {
    pick(tab, "65,536").await?;
    tab.field("NICs per node").await?.fill("4").await?;
    tab.field("Ports").await?.fill("32").await?;
    open(tab, "Wiring").await?;
    tab.until("the import", "document.getElementById('import') !== null").await?;
    tab.click("#import > summary").await?;
    let dir = tempfile::tempdir()?;
    let file = dir.path().join("table.txt");
    std::fs::write(&file, wiring())?;
    tab.find("button", "Open a wiring table").await?.attach(&file).await?;
    tab.shows("Checked: all 622,592 requested pairs covered").await
}

#[test]
fn routes_labels_and_files_of_65536_pes_can_be_looked_at() {
    visit("large-files", DESKTOP, async |visit| {
        let tab = &visit.tab;
        import(tab).await?;
        open(tab, "Routes").await?;
        tab.shows("From node00000 to node00001").await?;
        tab.until("two shared switches", "document.querySelectorAll('#shared-table tbody tr').length === 2")
            .await?;
        ensure!(text_of(tab, "ways-table").await?.contains("10.0.0.2"), "no line makes it so");
        tab.field("To node").await?.fill("65535").await?;
        tab.shows("node00000 and node65535 share no switch").await?;
        tab.until(
            "a way through others",
            "document.getElementById('ways-table').innerText.includes('through node')",
        )
        .await?;
        tab.shows("No failed parts.").await?;
        tab.field("Failed parts").await?.fill("sw3").await?;
        tab.shows("crosspoint analyze SPEC WIRING --failed 'sw3'").await?;
        tab.field("Failed parts").await?.fill("").await?;
        visit.picture("routes").await?;

        open(tab, "Labels").await?;
        let labels = "[...document.querySelector('#look-labels .sheet-of-labels')?.shadowRoot.querySelectorAll('text') ?? []]\
            .filter(text => /^node\\d+$/.test(text.textContent)).length";
        tab.until("the first labels", &format!("{labels} > 10 && {labels} < 500")).await?;
        visit.picture("labels").await?;

        for (format, text) in
            [("cables", "node00000"), ("multipath", "HOST=node00000"), ("paths", "a,b,paths")]
        {
            unfold(tab, format).await?;
            let look = format!("document.querySelector('#look-{format} pre')?.innerText");
            let shown = format!("(look => !!look && look.includes({text:?}) && look.length < 5000)({look})");
            tab.until(&format!("a look at {format}"), &shown).await?;
        }
        visit.picture("files").await?;
        the_server_compares_and_simulates(tab).await
    });
}

/// The server does the work that would block the page, and refuses work that would not fit in memory.
async fn the_server_compares_and_simulates(tab: &Tab) -> Result<()> {
    open(tab, "Compare").await?;
    tab.until("the networks", "document.querySelectorAll('#compare-table tbody tr').length > 4").await?;
    tab.shows("For 65,536 hosts and 622,592 requested pairs").await?;
    open(tab, "Simulate").await?;
    tab.field("Offered loads").await?.fill("0.1").await?;
    tab.button("Simulate").await?.click().await?;
    tab.shows("use a smaller network or another routing.").await?;
    tab.forgive("422").await
}

#[test]
fn bounds_that_the_server_could_not_compute_can_be_asked_for_again() {
    visit("large-bounds", DESKTOP, async |visit| {
        let bound = "/port/.test(document.getElementById('port-bound')?.textContent)";
        pick(&visit.tab, "65,536").await?;
        visit.tab.until("the bounds", bound).await?;
        // The part that an idle page fetches last.
        let last = "performance.getEntriesByType('resource').some(it => /\\/split_imports/.test(it.name))";
        visit.tab.until("all parts", last).await?;
        visit.studio.terminate()?;
        visit.tab.field("Ports").await?.fill("47").await?;
        visit.tab.shows("No bounds. The server cannot be reached").await?;
        ensure!(text_of(&visit.tab, "port-bound").await? == "–", "the page made up bounds");
        visit.tab.shows("622,592 pairs").await?;
        visit.picture("missing").await?;
        visit.studio.start_again()?;
        let tab = &visit.tab;
        tab.button("Retry").await?.click().await?;
        tab.until("the bounds are back", bound).await?;
        ensure!(text_of(tab, "bounds-missing").await?.is_empty(), "the error stays");
        tab.forgive_any(&["net::ERR_"])
    });
}
