//! The machine's cables compared with the design.

use crate::steps::{complaint, kasy0, kasy0_wiring};
use anyhow::{Context, Result, ensure};
use e2e::{
    tab::{DESKTOP, Tab},
    visit::visit,
};

/// Every cable as (PE, NI, switch): the NIs of a PE are numbered by ascending switch.
fn cables() -> Result<Vec<(u32, usize, u32)>> {
    let mut ends = Vec::new();
    for line in kasy0_wiring()?.lines() {
        let (switch, members) = line.split_once(':').context("a line of the table")?;
        let switch: u32 = switch.trim().parse()?;
        for member in members.split_whitespace() {
            ends.push((member.parse::<u32>()?, switch));
        }
    }
    ends.sort_unstable();
    let of_pe = ends.chunk_by(|a, b| a.0 == b.0);
    Ok(of_pe.flat_map(|ends| ends.iter().enumerate().map(|(ni, &(pe, switch))| (pe, ni, switch))).collect())
}

/// Output of `lldpctl -f keyvalue` on every PE, each after a line with the PE's name.
fn neighbours(cables: &[(u32, usize, u32)]) -> String {
    let of_pe = cables.chunk_by(|a, b| a.0 == b.0);
    let told = of_pe.map(|cables| {
        let lines = cables.iter().map(|(_, ni, switch)| {
            format!("lldp.eth{ni}.via=LLDP\nlldp.eth{ni}.chassis.name=sw{switch:02}\n")
        });
        format!("node{:03}\n{}", cables[0].0, lines.collect::<String>())
    });
    told.collect()
}

async fn compare(tab: &Tab, text: &str) -> Result<()> {
    tab.field("Output of lldpctl").await?.fill(text).await?;
    tab.button("Compare").await?.click().await
}

/// Waits until a kind of cables has a number.
async fn has(tab: &Tab, kind: &str, number: usize) -> Result<()> {
    let row = format!(
        "[...document.querySelectorAll('#audit-table tbody tr')].find(row => row.cells[0].innerText.trim() === '{kind}')"
    );
    tab.until(&format!("{number} {kind}"), &format!("({row})?.cells[1].innerText.trim() === '{number}'"))
        .await
}

#[test]
fn right_swapped_and_unreadable_neighbours_each_get_their_words() {
    visit("cables", DESKTOP, async |visit| {
        let tab = &visit.tab;
        kasy0(tab).await?;
        tab.click("#audit > summary").await?;
        let mut all = cables()?;
        ensure!(all.len() == 128 * 3, "{} cables", all.len());
        compare(tab, &neighbours(&all)).await?;
        has(tab, "right", 384).await?;
        tab.shows("384 of 384 cables are where the design says").await?;
        visit.picture("right").await?;

        // NI 1 of PE 0 and NI 1 of PE 2 change places; NI 2 of PE 5 is not plugged in.
        let at = |pe: u32, ni: usize| all.iter().position(|&cable| (cable.0, cable.1) == (pe, ni));
        let (a, b, gone) = (at(0, 1).context("a")?, at(2, 1).context("b")?, at(5, 2).context("gone")?);
        ensure!(all[a].2 != all[b].2, "the two cables are on one switch");
        (all[a].2, all[b].2) = (all[b].2, all[a].2);
        all.remove(gone);
        compare(tab, &neighbours(&all)).await?;
        has(tab, "swapped", 2).await?;
        has(tab, "right", 384 - 3).await?;
        has(tab, "missing", 1).await?;
        tab.shows("381 of 384 cables are where the design says").await?;
        tab.shows(&format!("node000 NIC1 is on sw{:02}", all[a].2)).await?;
        visit.picture("swapped").await?;

        compare(tab, "nothing that any node would print").await?;
        tab.until("the fault", "document.querySelector('#audit-found .fault') !== null").await?;
        tab.shows("the output of lldpctl").await?;
        ensure!(
            tab.evaluate("document.getElementById('audit-table')").await?.is_null(),
            "an old table stays"
        );
        visit.picture("garbage").await?;
        tab.field("NIC names on the nodes").await?.fill("0x").await?;
        ensure!(
            complaint(tab, "NIC names on the nodes").await?.contains("ASCII letters"),
            "no word of names"
        );
        ensure!(!tab.button("Compare").await?.is_enabled().await?, "it may be compared with a fault");
        Ok(())
    });
}
