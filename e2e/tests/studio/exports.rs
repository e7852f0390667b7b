//! Exports with their settings: the download equals the preview.

use crate::steps::{complaint, download, kasy0, looks_well, open, pick, solve, text_of, unfold};
use anyhow::{Result, ensure};
use e2e::{
    tab::{DESKTOP, Tab},
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
        open(tab, "Routes").await?;
        let field = tab.field("Failed parts").await?;
        field.fill("sw3 nonsense").await?;
        ensure!(
            complaint(tab, "Failed parts")
                .await?
                .contains("(such as sw03), node (node007) or NIC (node005.nic1)"),
            "no word of what is accepted"
        );
        the_wirings_own_range_is_told(visit).await?;
        tab.field("Failed parts").await?.fill("sw3").await?;
        unfold(tab, "routes").await?;
        tab.click("#around-failed").await?;
        let command = "document.querySelector('.command').innerText.includes(\"--with 'failed=sw03'\")";
        tab.until("the command says so", command).await?;
        let file = download(tab, "export-routes", "routes").await?;
        ensure!(file.name == "kasy0-failed-sw03-routes.csv", "{}", file.name);
        let file = String::from_utf8(file.bytes()?)?;
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

/// A fault that depends on the wiring also shows beside its field, and exports have nothing to route around.
async fn the_wirings_own_range_is_told(visit: &Visit) -> Result<()> {
    let tab = &visit.tab;
    tab.field("Failed parts").await?.fill("sw99").await?;
    let told = "document.getElementById('route-dead-fault').innerText";
    tab.until("the range", &format!("{told}.includes('switches are 0 to 16')")).await?;
    ensure!(complaint(tab, "Failed parts").await?.contains("There is no switch 99"), "not beside the field");
    visit.picture("refused").await?;
    unfold(tab, "routes").await?;
    ensure!(tab.evaluate("document.getElementById('around-failed')").await?.is_null(), "there is a tick");
    open(tab, "Routes").await
}

/// Downloads all formats and returns the archive's name and bytes. The file is removed, or the next one would get another name.
async fn all(tab: &Tab) -> Result<(String, Vec<u8>)> {
    open(tab, "Export").await?;
    tab.until("the button", "document.getElementById('export-all') !== null").await?;
    let file = tab.download(".tar", async || tab.click("#export-all").await).await?;
    let bytes = file.bytes()?;
    std::fs::remove_file(&file.path)?;
    Ok((file.name, bytes))
}

fn has(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

const AROUND: &str = "document.getElementById('around-failed')";

#[test]
fn failed_parts_are_in_files_only_if_that_is_ticked() {
    visit("failed-parts", DESKTOP, async |visit| {
        let tab = &visit.tab;
        kasy0(tab).await?;
        let intact = all(tab).await?;
        ensure!(intact.0 == "kasy0.tar" && tab.evaluate(AROUND).await?.is_null(), "{}", intact.0);
        fail_sw03(visit).await?;
        ensure!(all(tab).await? == intact, "files are other ones with a failed switch in the views");
        visit.picture("export").await?;

        tab.click("#around-failed").await?;
        tab.shows("The names of these files contain").await?;
        let (name, bytes) = all(tab).await?;
        ensure!(name == "kasy0-failed-sw03.tar", "{name}");
        for text in [
            "kasy0-failed-sw03/kasy0-failed-sw03-script/kasy0-failed-sw03-script-node000.sh",
            "kasy0-failed-sw03/kasy0-cables.csv",
            "# Failed, routed around: sw03.",
        ] {
            ensure!(has(&bytes, text), "no {text}");
        }
        visit.picture("export-around").await?;

        // The same parts of another design work.
        open(tab, "Design").await?;
        let klat2 = e2e::root().join("assets/specs/klat2.toml");
        tab.find("button", "Open a spec file").await?.attach(&klat2).await?;
        tab.until("its name", "document.getElementById('session-name').textContent.includes('KLAT2')")
            .await?;
        solve(tab).await?;
        ensure!(text_of(tab, "headline-failed").await?.is_empty(), "a switch of KLAT2 has failed");
        let (name, bytes) = all(tab).await?;
        ensure!(tab.evaluate(AROUND).await?.is_null(), "there is a tick");
        ensure!(name == "klat2.tar" && !has(&bytes, "outed around"), "{name}");

        // The headline of a search has both states.
        open(tab, "Wiring").await?;
        tab.click("#wiring-table th[data-part=sw2]").await?;
        tab.button("Fail sw02").await?.click().await?;
        tab.shows("With sw02 failed:").await?;
        tab.button("Reset").await?.click().await?;
        tab.until("an intact headline", "document.getElementById('headline-failed').innerText === ''").await
    });
}

/// Fails a switch in the views. Map and verdict show that beside the intact wiring, and the link is the same as before.
async fn fail_sw03(visit: &Visit) -> Result<()> {
    let tab = &visit.tab;
    open(tab, "Wiring").await?;
    let before = spec_link(tab).await?;
    tab.click("#wiring-table th[data-part=sw3]").await?;
    tab.button("Fail sw03").await?.click().await?;
    tab.shows("Checked: all 1,536 requested pairs covered (intact). With sw03 failed: 59 uncovered.").await?;
    for scene in ["cables", "racks", "map"] {
        tab.click(&format!("#scene-{scene}")).await?;
        tab.shows("What if: sw03 failed · 59 requested pairs lose their last shared switch").await?;
        visit.picture(scene).await?;
    }
    tab.shows("uncovered only with sw03 failed (59)").await?;
    let marked = "[...document.getElementById('map').getContext('2d').getImageData(0, 0, map.width, map.height).data]\
        .some((red, at, all) => at % 4 === 0 && red === 0xd0 && all[at + 1] === 0x10 && all[at + 2] === 0x20)";
    tab.until("marks on the map", marked).await?;
    ensure!(spec_link(tab).await? == before, "the link is another one");
    Ok(())
}

async fn spec_link(tab: &Tab) -> Result<String> {
    tab.evaluate("document.getElementById('share').open = true").await?;
    tab.button("Copy spec link").await?.click().await?;
    tab.until("a link", "document.getElementById('share-link').value !== ''").await?;
    let link = tab.evaluate("document.getElementById('share-link').value").await?;
    tab.evaluate("document.getElementById('share').open = false").await?;
    Ok(link.as_str().unwrap_or_default().to_owned())
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
    let names = |name: &str| has(&bytes, name);
    ensure!(names("kasy0/kasy0-cables.csv") && names("kasy0/kasy0.toml"), "not both are there");
    ensure!(!names("kasy0/kasy0-routes.csv"), "what was not chosen is there");
    Ok(())
}

/// Ids of the lines on screen, in their order.
async fn lines(tab: &Tab) -> Result<Vec<String>> {
    let shown = "[...document.querySelectorAll('.export-entry')].filter(line => line.checkVisibility()) \
        .map(line => line.querySelector('[id^=show-]').id.slice(5))";
    Ok(serde_json::from_value(tab.evaluate(shown).await?)?)
}

#[test]
fn a_format_is_found_and_downloaded_without_opening_it() {
    visit("exports-list", DESKTOP, async |visit| {
        let tab = &visit.tab;
        kasy0(tab).await?;
        open(tab, "Export").await?;
        tab.until("the list", "document.getElementById('show-cables') !== null").await?;
        let all = lines(tab).await?;
        ensure!(all.len() > 60 && all[0] == "report", "the recommended format is not the first: {all:?}");
        looks_well(visit, "", &[("light", 1440), ("dark", 1024), ("light", 390), ("dark", 390)]).await?;

        // What does not apply is folded, with the reason.
        ensure!(!all.iter().any(|name| name == "rankfile"), "KASY0 has no training job");
        let folded = "document.getElementById('refused-rankfile').checkVisibility()";
        ensure!(tab.evaluate(folded).await? == false, "it is not folded");
        tab.click("#export-refused > summary").await?;
        tab.until("the reason", folded).await?;
        let why = text_of(tab, "refused-rankfile").await?;
        ensure!(why.contains("Open MPI rankfile") && why.contains("Needs a training job"), "{why}");
        visit.picture("refused").await?;

        tab.find("searchbox", "Filter").await?.fill("cable LIST").await?;
        tab.until("one is found", "document.getElementById('export-found').innerText === '1 format'").await?;
        ensure!(lines(tab).await? == ["cables"], "{:?}", lines(tab).await?);
        let file = tab.download("cables", async || tab.click("#export-cables").await).await?;
        let text = String::from_utf8(file.bytes()?)?;
        ensure!(file.name == "kasy0-cables.csv" && text.lines().count() == 385, "{}", file.name);
        ensure!(tab.evaluate("document.querySelector('.export-body')").await?.is_null(), "it was opened");
        tab.find("searchbox", "Filter").await?.fill("training job").await?;
        tab.until("those that do not apply", folded).await
    });
}
