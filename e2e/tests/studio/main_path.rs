//! From the gallery to labels in hand, at a desk, on a phone, and without a mouse.

use crate::steps::{download, figures, kasy0_wiring, map_colours, open, pick, solve, text_of, wiring};
use anyhow::{Result, ensure};
use e2e::{
    looks, paper,
    studio::crosspoint,
    tab::{A4, DESKTOP, LETTER, PHONE, Paper, Tab},
    to_look_at,
    visit::{Visit, visit},
};

#[test]
fn from_the_gallery_to_labels_in_hand() {
    visit("main-path", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        tab.shows("1,536 pairs").await?;
        tab.shows("The patterns list 2,872 pairs. A pair in several patterns counts once.").await?;
        solve(tab).await?;
        ensure!(text_of(tab, "uncovered").await? == "0", "something is left uncovered");
        tab.find("image", "Nodes across, switches down").await?;
        the_map_shows_the_design(tab).await?;
        visit.picture("solved").await?;
        let report = tab.download(".pdf", async || tab.click("#next-report").await).await?.bytes()?;
        ensure!(report.starts_with(b"%PDF"), "the report is no PDF");
        let rows = wiring(tab).await?;
        ensure!(rows.len() == 17, "{} switches", rows.len());
        the_figures_are_right(tab).await?;
        files_are_the_command_lines_own(tab).await?;
        labels_print_uncut(visit).await
    });
}

/// Requested pairs are black in one triangle; the other has the same in black and more in green; nothing is red.
async fn the_map_shows_the_design(tab: &Tab) -> Result<()> {
    // A picture of many squares is drawn over several frames.
    tab.until("the map is drawn", "document.getElementById('busy')?.hidden !== false").await?;
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    let [[asked, extra_asked, missing_asked], [served, extra, missing]] = map_colours(tab).await?;
    ensure!(asked > 1000 && extra_asked < asked / 20, "requested: {asked} black, {extra_asked} green");
    ensure!(served > 1000 && extra > 1000, "delivered: {served} black, {extra} green");
    ensure!(missing_asked + missing < 20, "{missing_asked} and {missing} red pixels");
    Ok(())
}

async fn the_figures_are_right(tab: &Tab) -> Result<()> {
    let figures = figures(tab).await?.join("\n").to_lowercase();
    for (word, value) in [("pairs", "1,536"), ("switches", "17")] {
        let told = figures.lines().any(|line| line.contains(word) && line.contains(value));
        ensure!(told, "no figure of {word} with {value} in\n{figures}");
    }
    Ok(())
}

/// Every file of the page has the bytes that the command line writes.
async fn files_are_the_command_lines_own(tab: &Tab) -> Result<()> {
    let spec = download(tab, "export-spec", ".toml").await?;
    let table = download(tab, "export-wiring", "wiring").await?;
    let cables = download(tab, "export-cables", "cables").await?;
    let script = download(tab, "export-one-script", "script").await?;
    let hosts = download(tab, "export-one-hosts", "hosts").await?;
    let labels = download(tab, "export-labels", "labels").await?;
    ensure!(String::from_utf8(spec.bytes()?)?.contains("KASY0"), "the spec has lost its name");
    let alone = [("cables", &cables), ("labels", &labels), ("wiring", &table), ("spec", &spec)];
    let of_pe_0 = [("script", &script), ("hosts", &hosts)];
    // The day may be another one in UTC, which the command line uses.
    let today = tab.evaluate("'--with=date=' + new Date().toLocaleDateString('sv')").await?;
    let all = alone.iter().map(|f| (f, None)).chain(of_pe_0.iter().map(|f| (f, Some("--pe=0"))));
    for ((format, file), pe) in all {
        let (spec, table) = (spec.path.display().to_string(), table.path.display().to_string());
        let mut arguments = vec!["export", &spec, &table, "--format", format];
        arguments.extend(pe);
        arguments.extend(today.as_str().filter(|_| *format == "labels"));
        let out = crosspoint(&arguments)?;
        ensure!(out.status.success(), "{format}: {}", String::from_utf8_lossy(&out.stderr));
        ensure!(out.stdout == file.bytes()?, "{format}: the page's file is not the command line's");
    }
    let verdict = crosspoint([&spec.path, &table.path].map(|p| p.as_os_str()).iter().fold(
        vec!["check".as_ref()],
        |mut all, p| {
            all.push(*p);
            all
        },
    ))?;
    ensure!(verdict.status.code() == Some(0), "check: {}", String::from_utf8_lossy(&verdict.stdout));
    Ok(())
}

/// The label page opens; printed on either paper, each label is on one page, and all are there.
async fn labels_print_uncut(visit: &Visit) -> Result<()> {
    open(&visit.tab, "Labels").await?;
    visit.tab.button("Save design").await?.click().await?;
    visit.tab.button("Open label page").await?.click().await?;
    let page = visit.browser.opened("/exports/labels").await?;
    page.until("the labels", "document.querySelectorAll('.qr').length === 128").await?;
    std::fs::write(to_look_at("labels-screen.png")?, page.picture().await?)?;
    for paper in [A4, LETTER] {
        labels_on(&page, paper).await?;
    }
    page.has_no_troubles()
}

async fn labels_on(page: &Tab, sheet: Paper) -> Result<()> {
    let name = format!("labels-{}", sheet.name);
    let printed = paper::look_at(&name, &page.print(sheet).await?)?;
    let size = paper::size(&to_look_at(&format!("{name}.pdf"))?)?;
    let expected = if sheet.name == "a4" { "A4" } else { "letter" };
    ensure!(size.contains(expected), "{name}: the paper is {size}");
    // Words of neighbouring patches may be so close that they are read as one.
    let is_ni = |word: &str| ["NIC0", "NIC1", "NIC2"].iter().any(|name| word.contains(name));
    let is_pe = |word: &str| {
        let number = word.strip_prefix("node").unwrap_or_default();
        !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
    };
    let mut labels = 0;
    for number in 0..printed.pages.len() {
        let (pes, nis) = (printed.count(number, is_pe), printed.count(number, is_ni));
        ensure!(nis == 3 * pes, "{name}: page {} has {pes} names and {nis} patches", number + 1);
        labels += pes;
    }
    ensure!(labels == 128, "{name}: {labels} of 128 labels");
    ensure!(printed.pages.len() <= 12, "{name}: {} pages", printed.pages.len());
    Ok(())
}

#[test]
fn on_a_phone() {
    visit("phone", PHONE, async |visit| {
        let tab = &visit.tab;
        looks::fits_the_width(tab).await?;
        visit.picture("gallery").await?;
        pick(tab, "KASY0").await?;
        solve(tab).await?;
        for below in ["Wiring", "Figures", "Routes", "Labels", "Export"] {
            open(tab, below).await?;
            looks::fits_the_width(tab).await?;
            visit.picture(&below.to_lowercase()).await?;
        }
        download(tab, "export-one-script", "script").await?;
        the_map_shows_the_design(tab).await?;
        visit.picture("map").await
    });
}

#[test]
fn without_a_mouse() {
    visit("keyboard", DESKTOP, async |visit| {
        let tab = &visit.tab;
        tab.goto(&visit.studio.at("/")).await?;
        tab.button("KASY0").await?;
        let stops = looks::walk_by_keyboard(tab, 40).await?;
        for name in ["KASY0", "Library"] {
            ensure!(stops.iter().any(|stop| stop.contains(name)), "no stop at {name} in {stops:?}");
        }
        tab.reload().await?;
        reach(tab, "KASY0").await?;
        tab.press("Enter").await?;
        tab.evaluate("document.activeElement.blur()").await?;
        tab.press("s").await?;
        tab.until("the search ends", "document.getElementById('run-state')?.textContent === 'Solved'")
            .await?;
        tab.press("m").await?;
        tab.press("ArrowRight").await?;
        tab.shows("Nodes").await?;
        tab.press("Escape").await?;
        tab.evaluate("document.activeElement.blur()").await?;
        for (key, page) in [("3", "compare"), ("6", "labels"), ("2", "hardware"), ("1", "design")] {
            tab.press(key).await?;
            let shown = format!("document.querySelector('#to-{page}[aria-current=page]') !== null");
            tab.until(page, &shown).await?;
        }
        tab.press_with("?", 8).await?;
        tab.until("the list of shortcuts", "document.querySelector('dialog[open]') !== null").await?;
        tab.press("Escape").await?;
        tab.until("it closes", "document.querySelector('dialog[open]') === null").await
    });
}

/// Presses Tab until the focus is on something whose text contains `name`.
async fn reach(tab: &Tab, name: &str) -> Result<()> {
    for _ in 0..60 {
        tab.press("Tab").await?;
        let text = tab.evaluate("document.activeElement.innerText ?? ''").await?;
        if text.as_str().is_some_and(|text| text.contains(name)) {
            return Ok(());
        }
    }
    anyhow::bail!("the Tab key does not lead to {name}")
}

/// A wiring table from elsewhere gives everything that a found design has.
#[test]
fn with_a_table_from_elsewhere() {
    visit("import", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        open(tab, "Wiring").await?;
        tab.shows("Import a wiring table").await?;
        tab.click("#import > summary").await?;
        let field = tab.field("One line per switch").await?;
        field.fill("0: 1 2 900\n1: x").await?;
        tab.button("Use this table").await?.click().await?;
        tab.until("the faults", "document.querySelectorAll('#import-faults li').length >= 2").await?;
        ensure!(text_of(tab, "import-faults").await?.contains("line 1"), "no line number");
        field.fill(&kasy0_wiring()?).await?;
        tab.button("Use this table").await?.click().await?;
        tab.shows("Checked: all 1,536 requested pairs covered").await?;
        ensure!(wiring(tab).await?.len() == 17, "not 17 switches");
        the_map_shows_the_design(tab).await?;
        the_figures_are_right(tab).await?;

        // The way back from an import leads to the wiring and to its search.
        solve(tab).await?;
        let (found, address) = (wiring(tab).await?, tab.address().await);
        tab.evaluate("document.getElementById('import').open = true").await?;
        tab.field("One line per switch").await?.fill(&kasy0_wiring()?).await?;
        tab.button("Use this table").await?.click().await?;
        tab.until("no search", "document.getElementById('run-state').textContent === ''").await?;
        ensure!(wiring(tab).await? != found, "the table is not on screen");
        tab.button("Back to the former wiring").await?.click().await?;
        tab.until("the search", "document.getElementById('run-state').textContent === 'Solved'").await?;
        ensure!(wiring(tab).await? == found, "another wiring");
        ensure!(tab.address().await == address, "at {}", tab.address().await);
        Ok(())
    });
}
