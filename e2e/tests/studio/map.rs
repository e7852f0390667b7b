//! The map: what is under the pointer, zoom and pan, and 65,536 PEs.

use crate::steps::{map_colours, pick, solve, text_of};
use anyhow::{Result, ensure};
use e2e::{
    browser::DESKTOP,
    tab::Tab,
    visit::{Visit, visit},
};

const UNDER: &str = "document.getElementById('under').textContent";
const ZOOMED: &str = "!document.getElementById('zoom-fit').disabled";

#[test]
fn pointer_wheel_drag_and_keys() {
    visit("map", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        solve(tab).await?;
        let map = tab.find("application", "Map of 128 PEs").await?;
        let (x, y) = map.middle().await?;
        // One of the pairs that the 16x8 torus asks for, near the middle of the map.
        tab.mouse("mouseMoved", (x - 4.0, y + 4.0), 0.0).await?;
        tab.until("what is under the pointer", &format!("/PEs \\d+–\\d+: .*(switch|share)/.test({UNDER})"))
            .await?;
        ensure!(!tab.evaluate(ZOOMED).await?.as_bool().unwrap_or(true), "zoomed from the start");
        tab.mouse("mouseWheel", (x, y), -400.0).await?;
        tab.until("it is zoomed", ZOOMED).await?;
        visit.picture("zoomed").await?;
        drag(tab, (x, y)).await?;
        map.call("function () { this.focus() }", &[]).await?;
        tab.press("0").await?;
        tab.until("all of it fits", &format!("!({ZOOMED})")).await?;
        let before = text_of(tab, "under").await?;
        tab.press("ArrowRight").await?;
        tab.press("ArrowDown").await?;
        tab.until("the cursor moves", &format!("{UNDER} !== {before:?}")).await
    });
}

/// A drag shows another part of the map.
async fn drag(tab: &Tab, (x, y): (f64, f64)) -> Result<()> {
    tab.mouse("mouseMoved", (x, y), 0.0).await?;
    let before = text_of(tab, "under").await?;
    tab.mouse("mousePressed", (x, y), 0.0).await?;
    for step in 1..=5 {
        tab.mouse("mouseMoved", (x + 12.0 * f64::from(step), y), 0.0).await?;
    }
    tab.mouse("mouseReleased", (x + 60.0, y), 0.0).await?;
    tab.mouse("mouseMoved", (x + 1.0, y), 0.0).await?;
    tab.until("another pair is under the pointer", &format!("{UNDER} !== {before:?}")).await
}

#[test]
fn sixty_five_thousand_pes() {
    visit("large", DESKTOP, async |visit| {
        pick(&visit.tab, "65,536").await?;
        visit.tab.shows("622,592 pairs").await?;
        the_map_has_ink(visit).await?;
        visit.picture("map").await
    });
}

async fn the_map_has_ink(visit: &Visit) -> Result<()> {
    for _ in 0..100 {
        if map_colours(&visit.tab).await?[0][0] > 200 {
            return Ok(());
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    anyhow::bail!("the map stays empty")
}
