//! The map: what is under the pointer, zoom and pan, and 65,536 PEs.

use crate::steps::{pick, solve, text_of};
use anyhow::{Result, ensure};
use e2e::{
    tab::{DESKTOP, Tab},
    visit::visit,
};

const UNDER: &str = "document.getElementById('under').textContent";
const ZOOMED: &str = "!document.getElementById('zoom-fit').disabled";

#[test]
fn pointer_wheel_drag_and_keys() {
    visit("map", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        solve(tab).await?;
        let map = tab.find("application", "Map of 128 nodes").await?;
        let (x, y) = map.middle().await?;
        // One of the pairs that the 16x8 torus asks for, near the middle of the map.
        tab.mouse("mouseMoved", (x - 4.0, y + 4.0), 0.0).await?;
        tab.until("what is under the pointer", &format!("/Nodes \\d+–\\d+: .*sw\\d+/.test({UNDER})")).await?;
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
        let tab = &visit.tab;
        pick(tab, "65,536").await?;
        tab.shows("622,592 pairs").await?;
        tab.find("application", "Map of 65,536 nodes").await?;
        let sparse = has_ink(0.002, 0.2);
        tab.until("a summed map of thin lines", &sparse).await?;
        visit.picture("map").await?;
        for _ in 0..12 {
            tab.button("Zoom in").await?.click().await?;
        }
        // Summed at first, the middle of the map shows single pairs by now, which are larger than a pixel.
        tab.until("it refines", &format!("({}) && {}", has_ink(0.002, 0.5), has_black(200))).await?;
        visit.picture("refined").await
    });
}

/// Expression: the share of pixels with ink is between two bounds.
fn has_ink(least: f64, most: f64) -> String {
    format!("(share => share > {least} && share < {most})({})", count("r < 230 || g < 230"))
}

/// Expression: there are more than `least` black pixels per million.
fn has_black(least: u32) -> String {
    format!("{} * 1e6 > {least}", count("r < 60 && g < 60 && b < 60"))
}

/// Expression: the share of pixels that satisfy a condition, without the diagonal.
fn count(condition: &str) -> String {
    format!(
        "(() => {{
            const map = document.getElementById('map');
            const [w, h] = [map.width, map.height];
            const p = map.getContext('2d').getImageData(0, 0, w, h).data;
            let n = 0;
            for (let y = 0; y < h; y++) for (let x = 0; x < w; x++) {{
                const [r, g, b, a] = p.subarray(4 * (y * w + x));
                if (a > 0 && Math.abs(x - y) > 3 && ({condition})) n++;
            }}
            return n / (w * h);
        }})()"
    )
}
