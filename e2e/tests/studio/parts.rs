//! The modules that load after the first one.

use crate::steps::{open, pick};
use anyhow::{Result, ensure};
use e2e::{
    tab::{DESKTOP, Tab},
    visit::{Visit, visit},
};

/// Stops the requests for parts while `cut` is true, and notes whether the start page was complete at each.
const CUT: &str = r"
    window.cut = true;
    window.asked = [];
    const real = window.fetch;
    window.fetch = (address, ...more) => {
        if (!/\/(split|chunk)_\w+\.wasm$/.test(address)) return real(address, ...more);
        window.asked.push(document.querySelectorAll('#gallery .cards li').length > 0);
        return window.cut ? Promise.reject(new TypeError('the network is cut')) : real(address, ...more);
    };
";

/// Opens the start page without a network for parts.
async fn cut(visit: &Visit) -> Result<&Tab> {
    visit.tab.run_first(CUT).await?;
    visit.tab.goto(&visit.studio.at("/")).await?;
    visit.tab.shows("Example specs").await?;
    Ok(&visit.tab)
}

#[test]
fn a_first_visit_loads_one_module() {
    visit("parts-first", DESKTOP, async |visit| {
        let tab = cut(visit).await?;
        tab.shows("1,536 pairs").await?;
        tab.until("an idle page asks for the others", "window.asked.length > 0").await?;
        ensure!(tab.evaluate("window.asked.every(complete => complete)").await? == true, "asked too early");
        tab.forgive("the network is cut").await
    });
}

#[test]
fn a_part_that_cannot_load_offers_to_try_again() {
    visit("parts-retry", DESKTOP, async |visit| {
        let tab = cut(visit).await?;
        pick(tab, "KASY0").await?;
        open(tab, "Compare").await?;
        tab.shows("This part of the studio cannot be loaded.").await?;
        visit.picture("failed-to-load").await?;
        tab.evaluate("window.cut = false").await?;
        tab.button("Retry").await?.click().await?;
        tab.until("it has loaded", "document.getElementById('compare-networks') !== null").await?;
        open(tab, "Simulate").await?;
        tab.until("the others too", "document.getElementById('simulate-start') !== null").await?;
        tab.forgive("the network is cut").await
    });
}
