//! Checks of every screen, light and dark, wide and narrow.

use crate::steps::{hardware, open, pick, solve, start_page};
use anyhow::Result;
use e2e::{
    looks,
    tab::{DESKTOP, PHONE, Screen},
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
    for below in ["Wiring", "Figures", "Routes", "Labels", "Compare", "Simulate", "Export"] {
        open(tab, below).await?;
        match below {
            "Compare" => tab.until("its table", "document.getElementById('compare-table') !== null").await?,
            "Simulate" => {
                tab.button("Simulate").await?.click().await?;
                tab.until("curves", "document.querySelectorAll('#simulate-plots circle').length === 20")
                    .await?;
            }
            _ => {}
        }
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        looks::all_is_well(tab).await?;
        visit.picture(&below.to_lowercase()).await?;
    }
    tab.press_with("?", 8).await?;
    looks::all_is_well(tab).await?;
    visit.picture("help").await?;
    tab.press("Escape").await?;
    the_board(visit).await
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
            for below in ["Wiring", "Compare", "Export"] {
                open(tab, below).await?;
                looks::fits_the_width(tab).await?;
                visit.picture(&format!("{below}-{scheme}")).await?;
            }
        }
        Ok(())
    });
}
