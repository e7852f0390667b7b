//! The Labels tab: settings change the preview, and the print equals the preview.

use crate::steps::{complaint, kasy0, open};
use anyhow::{Result, ensure};
use e2e::{
    paper,
    tab::{A4, DESKTOP, Tab},
    visit::{Visit, visit},
};
use serde_json::Value;

/// The root of the preview; empty while it is being written.
const LOOK: &str = "document.querySelector('#look-labels:not([aria-busy]) .sheet-of-labels')?.shadowRoot";

/// Chooses from one of the lists.
async fn choose(tab: &Tab, label: &str, option: &str) -> Result<()> {
    tab.find("combobox", label).await?.choose(option).await
}

/// Waits until an expression about the preview, `look`, is true.
async fn seen(tab: &Tab, what: &str, expression: &str) -> Result<()> {
    tab.until(what, &format!("(look => !!look && ({expression}))({LOOK})")).await
}

async fn of_look(tab: &Tab, expression: &str) -> Result<Value> {
    tab.evaluate(&format!("(look => {expression})({LOOK})")).await
}

#[test]
fn sheet_tape_palette_and_what_is_labelled_show_at_once() {
    visit("labels", DESKTOP, async |visit| {
        let tab = &visit.tab;
        kasy0(tab).await?;
        open(tab, "Labels").await?;
        let named = |name: &str| {
            format!("[...look.querySelectorAll('text')].some(text => text.textContent === {name:?})")
        };
        seen(tab, "the first label", &format!("{} && {}", named("node000"), named("NIC2"))).await?;
        let colours = "new Set([...look.querySelectorAll('rect')].map(rect => rect.getAttribute('fill'))\
            .filter(fill => fill !== 'none')).size";
        ensure!(
            of_look(tab, colours).await?.as_u64() > Some(8),
            "no more colours than the other palette has"
        );
        choose(tab, "Palette", "8 colours").await?;
        // Bars are white or black.
        let is_other = format!("{colours} <= 10 && look.querySelector('[fill=\"#0072b2\"]') !== null");
        seen(tab, "the colours of the other palette", &is_other).await?;

        choose(tab, "Sheet or tape", "Avery L7159").await?;
        seen(tab, "a sheet of A4", "look.querySelector('svg')?.getAttribute('width') === '210mm'").await?;
        let labels = "[...look.querySelectorAll('.sheet')].flatMap(sheet => [...sheet.querySelectorAll('text')]\
            .filter(text => /^node\\d+$/.test(text.textContent))).length";
        ensure!(of_look(tab, labels).await?.as_u64() >= Some(23), "not a full sheet of labels");
        visit.picture("sheet").await?;
        choose(tab, "Sheet or tape", "tape of 12 mm").await?;
        seen(tab, "a strip of tape", "look.querySelector('svg')?.getAttribute('height') === '12mm'").await?;
        visit.picture("tape").await?;

        choose(tab, "Sheet or tape", "plain A4 paper").await?;
        let texts = "[...look.querySelectorAll('text')].map(text => text.textContent).join(' ')";
        choose(tab, "Labels for", "calibration").await?;
        seen(tab, "rulers", &format!("{texts}.includes('100 mm')")).await?;
        visit.picture("calibration").await?;
        choose(tab, "Labels for", "both ends of each cable").await?;
        seen(tab, "cable labels", &format!("(t => t.includes('node000') && t.includes('sw00'))({texts})"))
            .await?;
        visit.picture("cables").await?;
        what_is_seen_is_what_opens(visit).await
    });
}

/// The first sheet of the opened page is the previewed one, and it fills a page of paper.
async fn what_is_seen_is_what_opens(visit: &Visit) -> Result<()> {
    save(&visit.tab).await?;
    let sheet = of_look(&visit.tab, "look.querySelector('.sheet').outerHTML").await?;
    visit.tab.button("Open label page").await?.click().await?;
    let page = visit.browser.opened("/exports/labels").await?;
    // The page arrives in pieces.
    let all = "document.readyState === 'complete' && document.querySelectorAll('.sheet').length > 3";
    page.until("the sheets", all).await?;
    let opened = page.evaluate("document.querySelector('.sheet').outerHTML").await?;
    ensure!(opened == sheet, "another sheet opens than the one that was looked at");
    let sheets = page.evaluate("document.querySelectorAll('.sheet').length").await?.as_u64();
    let printed = paper::look_at("cable-labels", &page.print(A4).await?)?;
    ensure!(
        Some(printed.pages.len() as u64) == sheets,
        "{} pages for {sheets:?} sheets",
        printed.pages.len()
    );
    page.has_no_troubles()
}

/// Saves the design from the Labels tab, and waits for the codes on the previewed sheet.
async fn save(tab: &Tab) -> Result<()> {
    tab.button("Save design").await?.click().await?;
    seen(tab, "QR codes", "look.querySelectorAll('.qr').length > 8").await
}

#[test]
fn qr_codes_come_with_the_link_and_go_with_a_setting() {
    visit("labels-codes", DESKTOP, async |visit| {
        let tab = &visit.tab;
        kasy0(tab).await?;
        open(tab, "Labels").await?;
        let texts = "[...look.querySelectorAll('text')].map(text => text.textContent).join('\\n')";
        let missing = format!("{texts}.includes('no QR codes: this design has no link yet')");
        seen(tab, "why there are no codes", &format!("{missing} && !look.querySelector('.qr')")).await?;
        ensure!(!tab.has("button", "Open label page").await?, "a page without codes may be opened");
        visit.picture("before").await?;
        save(tab).await?;
        let link = tab.evaluate("location.origin + '/d/'").await?;
        let date = tab.evaluate("new Date().toLocaleDateString('sv')").await?;
        let shown = of_look(tab, texts).await?;
        for words in [&link, &date, &Value::from("sheet 1 of 3"), &Value::from("wiring ")] {
            let words = words.as_str().unwrap_or_default();
            ensure!(
                !words.is_empty() && shown.as_str().unwrap_or_default().contains(words),
                "no {words}: {shown}"
            );
        }
        ensure!(tab.evaluate("document.querySelectorAll('main').length").await? == 1, "a second main");
        ensure!(
            of_look(tab, "look.querySelectorAll('main').length").await? == 0,
            "a main inside the preview"
        );
        visit.picture("after").await?;
        let file =
            tab.download("labels-pdf", async || tab.button("Download as PDF").await?.click().await).await?;
        let printed = paper::look_at("labels-codes", &file.bytes()?)?;
        ensure!(printed.pages.len() == 3, "{} pages", printed.pages.len());
        for node in ["node000", "node051"] {
            ensure!(printed.count(0, |word| word == node) == 1, "{node} is not on the first page");
        }
        let link = link.as_str().unwrap_or_default();
        for (node, code) in paper::codes("labels-codes", 1, (4, 13))?.iter().enumerate() {
            ensure!(code.starts_with(link) && code.ends_with(&format!("/node/{node}")), "{node}: {code}");
        }
        choose(tab, "QR code", "no QR code").await?;
        seen(tab, "no codes", &format!("!look.querySelector('.qr') && !{missing}")).await
    });
}

#[test]
fn what_cannot_be_printed_is_said_and_nothing_is_opened() {
    visit("labels-faults", DESKTOP, async |visit| {
        let tab = &visit.tab;
        kasy0(tab).await?;
        open(tab, "Labels").await?;
        seen(tab, "the labels", "look.querySelector('.sheet') !== null").await?;
        save(tab).await?;
        tab.field("Link of the design").await?.fill("no address").await?;
        ensure!(
            complaint(tab, "Link of the design").await?.contains("https://studio.example.org/d/ID"),
            "no word of what is accepted"
        );
        tab.until("nothing is opened", "document.getElementById('print-labels').disabled").await?;
        tab.field("Link of the design").await?.fill("").await?;
        choose(tab, "Sheet or tape", "tape of 9 mm").await?;
        let told = "document.getElementById('with-labels-sheet-fault').innerText";
        tab.until(
            "a refusal that says what would do",
            &format!("{told}.includes('these sheets fit: paper')"),
        )
        .await?;
        ensure!(!tab.button("Open label page").await?.is_enabled().await?, "a page of nothing may be opened");
        ensure!(
            !tab.button("Download as PDF").await?.is_enabled().await?,
            "a file of nothing may be fetched"
        );
        visit.picture("refused").await?;
        choose(tab, "QR code", "no QR code").await?;
        seen(tab, "strips of tape", "look.querySelectorAll('.sheet').length > 5").await?;
        tab.until("it may be opened", "!document.getElementById('print-labels').disabled").await
    });
}
