//! The way in: the start page, the patterns, and how many clicks lead to labels.

use crate::steps::{pick, solve, start_page, text_of};
use anyhow::{Result, ensure};
use e2e::{
    looks,
    tab::{DESKTOP, Tab},
    visit::visit,
};

/// Counts the clicks of a person.
struct Clicks<'a> {
    tab: &'a Tab,
    made: u32,
}

impl Clicks<'_> {
    /// Clicks an element that can be seen, as soon as it is there and enabled.
    async fn on(&mut self, selector: &str) -> Result<()> {
        let seen =
            format!("(e => e?.checkVisibility() && !e.disabled)(document.querySelector({selector:?}))");
        self.tab.until(selector, &seen).await?;
        self.tab.click(selector).await?;
        self.made += 1;
        Ok(())
    }
}

#[test]
fn eight_clicks_lead_to_printed_labels_of_ones_own_spec() {
    visit("clicks", DESKTOP, async |visit| {
        let tab = &visit.tab;
        tab.goto(&visit.studio.at("/")).await?;
        let mut clicks = Clicks { tab, made: 0 };
        clicks.on("#door-patterns").await?;
        // Typing is no click: the keyboard reaches the field.
        tab.until("the picker", "document.getElementById('picker') !== null").await?;
        tab.field("Nodes").await?.fill("48").await?;
        clicks.on("#pick-ring").await?;
        tab.until("sizes for 48 nodes", "document.getElementById('pick-torus').textContent.includes('8x6')")
            .await?;
        clicks.on("#pick-torus").await?;
        tab.until("both patterns", "document.querySelectorAll('details.pattern').length === 2").await?;
        visit.picture("spec").await?;
        clicks.on("#start").await?;
        clicks.on("#next-labels").await?;
        clicks.on("#save-labels").await?;
        clicks.on("#print-labels").await?;
        let page = visit.browser.opened("/exports/labels").await?;
        page.until("a label per node", "document.querySelectorAll('.qr').length === 48").await?;
        ensure!(clicks.made <= 8, "{} clicks", clicks.made);
        page.has_no_troubles()
    });
}

#[test]
fn the_first_door_greets_without_an_error() {
    visit("greeting", DESKTOP, async |visit| {
        let tab = &visit.tab;
        start_page(tab).await?;
        tab.click("#door-patterns").await?;
        tab.until("the picker", "document.querySelectorAll('#picker .picture').length > 5").await?;
        tab.shows("Add patterns, measured traffic or a training job").await?;
        let faults = "[...document.querySelectorAll('.fault, .fault-summary p')].filter(e => e.checkVisibility() && e.innerText.trim()).map(e => e.innerText)";
        ensure!(tab.evaluate(faults).await? == serde_json::json!([]), "{}", tab.evaluate(faults).await?);
        ensure!(text_of(tab, "start-reason").await? == "Add a pattern first.", "another reason");
        let whole = "(b => b.top >= 0 && b.bottom <= innerHeight)(document.getElementById('pick-ring').getBoundingClientRect())";
        ensure!(tab.evaluate(whole).await? == true, "the patterns are out of sight");
        visit.picture("seen").await?;
        // A field that was touched complains.
        tab.field("Nodes").await?.fill("0").await?;
        tab.until("a fault", &format!("{faults}.some(words => words.includes('a whole number'))")).await
    });
}

#[test]
fn the_picker_stays_open_and_says_what_fits() {
    visit("picker", DESKTOP, async |visit| {
        let tab = &visit.tab;
        start_page(tab).await?;
        tab.click("#door-patterns").await?;
        let card = |name: &str| format!("document.getElementById('pick-{name}')?.innerText");
        tab.until("sizes", &format!("{}?.includes('8x8')", card("torus"))).await?;
        tab.until("pairs", &format!("{}?.includes('128 pairs')", card("torus"))).await?;
        for kind in ["ring", "torus", "torus"] {
            tab.click(&format!("#pick-{kind}")).await?;
        }
        tab.until("twice", &format!("{}?.includes('added 2 times')", card("torus"))).await?;
        tab.shows("torus 2D, balanced: 8x8").await?;
        visit.picture("seen").await?;
        tab.field("Nodes").await?.fill("47").await?;
        tab.until(
            "what does not fit is disabled, with the reason",
            &format!(
                "document.getElementById('pick-torus')?.disabled && {}.includes('needs a node count')",
                card("torus")
            ),
        )
        .await?;
        tab.focus("#pick-ring").await?;
        tab.press("Escape").await?;
        tab.until(
            "it closes",
            "document.getElementById('picker') === null && document.activeElement.id === 'add-pattern'",
        )
        .await
    });
}

#[test]
fn sizes_that_no_longer_fit_are_mended_by_one_click() {
    visit("sizes", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        tab.field("Nodes").await?.fill("64").await?;
        for sizes in ["8x8", "16x4", "4x4x4"] {
            tab.button(sizes).await?;
        }
        visit.picture("offers").await?;
        tab.button("16x4").await?.click().await?;
        tab.shows("torus 16x4").await?;
        tab.button("Undo").await?.click().await?;
        tab.click("#fit-sizes").await?;
        tab.shows("torus 8x8, axis").await?;
        tab.shows("torus 4x4x4, axis").await?;
        solve(tab).await?;
        tab.button("Undo").await?.click().await?;
        tab.until("one step", "document.getElementById('fit-sizes') !== null").await
    });
}

#[test]
fn the_start_page_shows_recent_designs() {
    visit("start-page", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        tab.field("Name").await?.fill("Machine room").await?;
        solve(tab).await?;
        start_page(tab).await?;
        let card = "document.querySelector('.recent .card')?.innerText";
        for words in ["Machine room", "128 nodes · 3 NICs each · 17 switches", "Solved"] {
            tab.until(words, &format!("{card}?.includes({words:?})")).await?;
        }
        let drawn = "(c => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(byte => byte > 0))(document.querySelector('.recent canvas'))";
        tab.until("a picture", drawn).await?;
        for scheme in ["light", "dark"] {
            tab.prefers(scheme).await?;
            for (width, height) in [(1440, 900), (1024, 768), (390, 844), (320, 700)] {
                tab.resize(width, height).await?;
                looks::fits_the_width(tab).await?;
                looks::all_is_well(tab).await?;
                let cut = "[...document.querySelectorAll('.cards .words *')].filter(e => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflow !== 'visible' || e.scrollHeight > e.clientHeight + 2 && getComputedStyle(e).overflow !== 'visible').map(e => e.textContent)";
                let cut = tab.evaluate(cut).await?;
                ensure!(cut == serde_json::json!([]), "{width}: {cut}");
                visit.picture(&format!("{scheme}-{width}")).await?;
            }
        }
        tab.click(".recent .card").await?;
        tab.until("it goes on", "/^\\/r\\//.test(location.pathname) && document.getElementById('session-name')?.textContent === 'Machine room'").await
    });
}
