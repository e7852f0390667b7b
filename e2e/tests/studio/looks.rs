//! Checks of every screen, light and dark, wide and narrow.

use crate::steps::{hardware, open, pick, solve, start_page};
use anyhow::{Result, ensure};
use e2e::{
    looks,
    tab::{DESKTOP, PHONE, Screen, Tab},
    visit::{Visit, visit},
};

async fn every_screen(visit: &Visit, scheme: &str) -> Result<()> {
    let tab = &visit.tab;
    tab.prefers(scheme).await?;
    start_page(tab).await?;
    tab.until(
        "the gallery is drawn",
        "(all => all.length > 6 && all.every(e => e.innerText))([...document.querySelectorAll('.card .figures')])",
    )
    .await?;
    looks::all_is_well(tab).await?;
    visit.picture("gallery").await?;
    pick(tab, "KASY0").await?;
    solve(tab).await?;
    for page in PAGES {
        show(tab, page).await?;
        if page == "Simulate" {
            tab.button("Simulate").await?.click().await?;
            tab.until("curves", "document.querySelectorAll('#simulate-plots circle').length === 20").await?;
        }
        looks::all_is_well(tab).await?;
        visit.picture(&page.to_lowercase()).await?;
    }
    the_dialogs(visit).await?;
    the_board(visit).await
}

/// Views of the design, then pages.
const PAGES: [&str; 12] = [
    "Map",
    "Cables",
    "Racks",
    "Wiring",
    "Figures",
    "Routes",
    "Labels",
    "Compare",
    "Step time",
    "Simulate",
    "Export",
    "Library",
];

/// Opens a view or a page, and waits until it is drawn.
async fn show(tab: &Tab, page: &str) -> Result<()> {
    open(tab, page).await?;
    let drawn = match page {
        "Map" | "Cables" => format!("document.getElementById('{}')?.width > 200", page.to_lowercase()),
        "Racks" => "document.getElementById('racks-total') !== null".into(),
        "Wiring" => "document.querySelectorAll('#wiring-table tbody tr').length > 0".into(),
        "Figures" => "document.querySelectorAll('.scene table tbody tr').length > 5".into(),
        "Routes" => "document.querySelectorAll('#ways-table tbody tr').length > 0".into(),
        "Labels" => "document.querySelector('#look-labels .sheet-of-labels') !== null".into(),
        "Compare" => "document.getElementById('compare-table') !== null".into(),
        "Simulate" => "document.getElementById('simulate-start') !== null".into(),
        "Export" => "document.querySelectorAll('[id^=show-]').length > 5".into(),
        "Library" => "document.getElementById('library') !== null".into(),
        _ => "document.querySelector('#page :is(form, button)') !== null".into(),
    };
    tab.until(page, &format!("{drawn} && !document.querySelector('main [aria-busy=true]')")).await
}

/// Help, the tour and the menu of links.
async fn the_dialogs(visit: &Visit) -> Result<()> {
    let tab = &visit.tab;
    open(tab, "Design").await?;
    tab.evaluate("document.activeElement.blur()").await?;
    tab.press_with("?", 8).await?;
    tab.until("help", "document.querySelector('dialog[open]') !== null").await?;
    looks::all_is_well(tab).await?;
    visit.picture("help").await?;
    tab.press("Escape").await?;
    tab.click("#share > summary").await?;
    looks::all_is_well(tab).await?;
    visit.picture("share").await?;
    tab.press("Escape").await?;
    start_page(tab).await?;
    tab.button("Take the tour").await?.click().await?;
    tab.until("the tour", "document.querySelector('.tour, dialog[open]') !== null").await?;
    looks::all_is_well(tab).await?;
    visit.picture("tour").await?;
    tab.press("Escape").await?;
    pick(tab, "KASY0").await?;
    solve(tab).await
}

/// Each page on the smallest phone, at 200 % on a laptop, and without motion.
#[test]
fn narrow_and_zoomed() {
    visit("narrow", PHONE, async |visit| {
        let tab = &visit.tab;
        tab.prefers_less_motion().await?;
        pick(tab, "KASY0").await?;
        solve(tab).await?;
        for (width, height) in [(320, 640), (720, 450)] {
            tab.resize(width, height).await?;
            for page in PAGES {
                show(tab, page).await?;
                looks::fits_the_width(tab).await?;
                looks::all_is_well(tab).await?;
                visit.picture(&format!("{}-{width}", page.to_lowercase())).await?;
                let moving = tab.evaluate("document.getAnimations().length").await?;
                ensure!(moving == 0, "{page}: {moving} animations");
            }
            hardware(tab).await?;
            looks::fits_the_width(tab).await?;
            looks::all_is_well(tab).await?;
        }
        Ok(())
    });
}

/// A hardware search with cells of most states, before and after.
async fn the_board(visit: &Visit) -> Result<()> {
    let tab = &visit.tab;
    hardware(tab).await?;
    looks::all_is_well(tab).await?;
    for (label, text) in
        [("Switch widths", "8, 11, 16, 24, 48"), ("First attempt", "0.2"), ("Total time", "3")]
    {
        tab.field(label).await?.fill(text).await?;
    }
    tab.button("Start").await?.click().await?;
    tab.until("it ends", "document.getElementById('board-state')?.textContent.startsWith('Finished')")
        .await?;
    tab.focus(".cell.failed").await?;
    looks::all_is_well(tab).await?;
    looks::fits_the_width(tab).await?;
    visit.picture("board").await
}

fn look(name: &'static str, screen: Screen, scheme: &'static str) {
    visit(name, screen, async |visit| every_screen(visit, scheme).await);
}

#[test]
fn light() {
    look("light", DESKTOP, "light");
}

#[test]
fn dark() {
    look("dark", DESKTOP, "dark");
}

#[test]
fn phone_dark() {
    look("phone-dark", PHONE, "dark");
}

/// Where the system sets all colours, the chosen button, tab and page still differ from the others, and nothing is too wide.
#[test]
fn forced_colours() {
    visit("forced", PHONE, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        solve(tab).await?;
        for (scheme, width) in [("dark", 1024), ("light", 320)] {
            tab.forces_colours(scheme).await?;
            tab.resize(width, 900).await?;
            open(tab, "Map").await?;
            let paper = |value: &str| {
                format!(
                    "getComputedStyle(document.querySelector('.switcher [aria-pressed={value}]')).backgroundColor"
                )
            };
            tab.until("the view", &format!("{} !== {}", paper("true"), paper("false"))).await?;
            for page in PAGES {
                show(tab, page).await?;
                looks::fits_the_width(tab).await?;
                visit.picture(&format!("{page}-{scheme}")).await?;
            }
            open(tab, "Design").await?;
        }
        Ok(())
    });
}
