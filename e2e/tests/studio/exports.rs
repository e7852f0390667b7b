//! Exports with their settings: the download equals the preview.

use crate::steps::{complaint, download, pick, solve, text_of, unfold};
use anyhow::{Result, ensure};
use e2e::{
    browser::DESKTOP,
    tab::Tab,
    visit::{Visit, visit},
};

#[test]
fn a_setting_shows_in_the_look_at_the_file_and_in_the_file() {
    visit("exports", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        solve(tab).await?;
        unfold(tab, "routes").await?;
        looks_like(tab, "routes", "pe,to,ni,to_ni,switch,requested").await?;
        let field = tab.field("Failed parts").await?;
        field.fill("sw3 nonsense").await?;
        ensure!(
            complaint(tab, "Failed parts").await?.contains("(such as sw3), node (pe7) or NIC (pe5.ni1)"),
            "no word of what is accepted"
        );
        the_wirings_own_range_is_told(visit).await?;
        field.fill("sw3").await?;
        let command = "document.querySelector('.command').innerText.includes(\"--with 'failed=sw3'\")";
        tab.until("the command says so", command).await?;
        let file = String::from_utf8(download(tab, "export-routes", "routes").await?.bytes()?)?;
        ensure!(file.lines().skip(1).all(|line| line.split(',').nth(4) != Some("3")), "a route over sw3");
        tab.until("a new look", "document.querySelector('#look-routes:not([aria-busy]) pre') !== null")
            .await?;
        let look = text_of(tab, "look-routes").await?;
        let shown = look.lines().filter(|line| line.contains(',')).count();
        ensure!(
            shown > 20 && look.lines().zip(file.lines()).take(shown - 1).all(|(a, b)| a.trim() == b),
            "{look}"
        );
        archive(visit).await
    });
}

#[test]
fn each_switch_has_a_file_by_its_number_or_its_name() {
    visit("a file per switch", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        solve(tab).await?;
        unfold(tab, "eos").await?;
        looks_like(tab, "eos", "hostname sw00").await?;
        let switch = tab.field("Switch").await?;
        switch.fill("17").await?;
        ensure!(
            complaint(tab, "Switch").await?.contains("a switch from 0 to 16"),
            "no word of what is accepted"
        );
        switch.fill("sw16").await?;
        looks_like(tab, "eos", "hostname sw16").await?;
        tab.field("Management network").await?.fill("10.1.0.0/24").await?;
        ensure!(
            complaint(tab, "Management network").await?.contains("overlaps 10.0.0.0/8"),
            "nodes are there, too"
        );
        tab.field("Management network").await?.fill("192.168.0.0/24").await?;
        looks_like(tab, "eos", "hostname sw16").await?;
        visit.picture("switch").await?;
        let file = String::from_utf8(download(tab, "export-one-eos", "eos").await?.bytes()?)?;
        ensure!(file.contains("hostname sw16\n") && file.contains("ip address 192.168.0.17/24"), "{file}");
        Ok(())
    });
}

/// A fault that depends on the wiring also shows beside its field, and the download is disabled.
async fn the_wirings_own_range_is_told(visit: &Visit) -> Result<()> {
    let tab = &visit.tab;
    tab.field("Failed parts").await?.fill("sw99").await?;
    let told = "document.getElementById('with-routes-failed-fault').innerText";
    tab.until("the range", &format!("{told}.includes('switches are 0 to 16')")).await?;
    ensure!(complaint(tab, "Failed parts").await?.contains("There is no switch 99"), "not beside the field");
    tab.until("nothing is fetched", "document.getElementById('export-routes').disabled").await?;
    visit.picture("refused").await
}

async fn looks_like(tab: &Tab, format: &str, text: &str) -> Result<()> {
    let holds = format!("document.getElementById('look-{format}')?.innerText.includes({text:?})");
    tab.until(&format!("a look at {format}"), &holds).await
}

/// A picture has a preview, and two chosen formats come in one archive.
async fn archive(visit: &Visit) -> Result<()> {
    let tab = &visit.tab;
    unfold(tab, "svg").await?;
    tab.until("the picture", "document.querySelector('#look-svg img')?.naturalWidth > 0").await?;
    visit.picture("picture").await?;
    for format in ["cables", "spec"] {
        tab.click(&format!("#tick-{format}")).await?;
    }
    let click = async || tab.click("#export-chosen").await;
    let bytes = tab.download(".tar", click).await?.bytes()?;
    let names = |name: &str| bytes.windows(name.len()).any(|part| part == name.as_bytes());
    ensure!(names("kasy0/kasy0-cables.csv") && names("kasy0/kasy0.toml"), "not both are there");
    ensure!(!names("kasy0/kasy0-routes.csv"), "what was not chosen is there");
    Ok(())
}
