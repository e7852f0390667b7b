//! An ended search is played back: map, headline, list and chart follow, and the final wiring returns.

use crate::steps::{map_colours, panel, pick, text_of};
use anyhow::{Result, ensure};
use e2e::{
    looks,
    tab::{DESKTOP, PHONE, Tab},
    visit::visit,
};

/// Solved in seconds, by way of some worse wirings.
const SPEC: &str = r#"name = "Replayed"
pes = 120
nis_per_pe = 3
objective = "sparse"

[[switch]]
ports = 11

[[pattern]]
kind = "torus"
dims = [12, 10]

[[pattern]]
kind = "torus"
dims = [6, 5, 4]
neighbours = "axis"
"#;

/// Headline, list of missing pairs, verdict and the replay's own words agree on this number of uncovered pairs.
async fn all_agree(tab: &Tab) -> Result<u64> {
    let agree = "(() => {
        const digits = id => (document.getElementById(id)?.textContent ?? '').replace(/,/g, '');
        const [headline, list, verdict, replay] = ['uncovered', 'remaining', 'standing', 'replay-now'].map(digits);
        return list.startsWith(headline + ' uncovered') && verdict.includes('So far: ' + headline + ' of ')
            && replay.includes(': ' + headline + ' of 788 uncovered');
    })()";
    tab.until("headline, list, verdict and replay agree", agree).await?;
    Ok(text_of(tab, "uncovered").await?.replace(',', "").parse()?)
}

/// The search is over on screen, with everything covered.
async fn is_final(tab: &Tab) -> Result<()> {
    tab.until(
        "the final wiring",
        "document.getElementById('run-state')?.textContent === 'Solved'
            && document.getElementById('uncovered')?.textContent === '0'
            && document.getElementById('standing')?.textContent.includes('Checked: all 788')
            && document.getElementById('next') !== null && document.getElementById('replay-at') === null",
    )
    .await
}

async fn solve_the_spec(tab: &Tab) -> Result<()> {
    pick(tab, "KASY0").await?;
    panel(tab, "Spec").await?;
    tab.button("TOML").await?.click().await?;
    tab.field("Spec as TOML").await?.fill(SPEC).await?;
    tab.button("Form").await?.click().await?;
    tab.until("the form follows", "document.getElementById('session-name')?.textContent === 'Replayed'")
        .await?;
    panel(tab, "Search").await?;
    tab.field("Threads").await?.fill("2").await?;
    tab.button("Start").await?.click().await?;
    is_final(tab).await
}

/// Moves the slider, as a finger does.
async fn slide_to(tab: &Tab, at: &str) -> Result<()> {
    let script = format!(
        "(() => {{ const slider = document.getElementById('replay-at'); slider.value = {at}; \
            slider.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()"
    );
    tab.evaluate(&script).await.map(drop)
}

#[test]
fn a_search_is_played_back() {
    visit("replay", DESKTOP, async |visit| {
        let tab = &visit.tab;
        solve_the_spec(tab).await?;
        let chart = "document.querySelector('.chart')?.getAttribute('aria-label')";
        let whole = tab.evaluate(chart).await?;
        let [_, [_, _, red]] = map_colours(tab).await?;
        tab.button("Replay").await?.click().await?;
        tab.until("it begins", "document.getElementById('run-state')?.textContent === 'Replay'").await?;
        slide_to(tab, "0").await?;
        ensure!(tab.has("button", "Play").await?, "the slider does not pause");
        let first = all_agree(tab).await?;
        ensure!(first > 0, "the first wiring covers everything");
        ensure!(tab.evaluate(chart).await? != whole, "the chart is that of the end");
        ensure!(text_of(tab, "headline-which").await?.starts_with("Replay, improvement"));
        ensure!(tab.evaluate("document.getElementById('next') === null").await? == true, "what to do next");
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        let [_, [_, _, missing]] = map_colours(tab).await?;
        ensure!(missing > red + 20, "{missing} red pixels, {red} at the end");
        visit.picture("first").await?;
        looks::all_is_well(tab).await?;

        tab.focus("#replay-at").await?;
        tab.press("ArrowRight").await?;
        tab.until("the next frame", "document.getElementById('replay-at').value === '1'").await?;
        all_agree(tab).await?;
        tab.press("End").await?;
        tab.until(
            "the last frame",
            "document.getElementById('replay-at').value === document.getElementById('replay-at').max",
        )
        .await?;
        tab.shows(": 0 of 788 uncovered").await?;
        tab.press("Escape").await?;
        is_final(tab).await?;
        ensure!(tab.evaluate(chart).await? == whole, "another chart than before");
        tab.until("the focus returns", "document.activeElement.id === 'replay'").await?;

        // Played to its end, it returns by itself.
        tab.press("Enter").await?;
        tab.until("it plays", "document.getElementById('replay-play')?.textContent === 'Pause'").await?;
        is_final(tab).await?;

        // A change of the spec ends it.
        tab.button("Replay").await?.click().await?;
        tab.until("it plays", "document.getElementById('replay-play')?.textContent === 'Pause'").await?;
        tab.field("Ports").await?.fill("12").await?;
        tab.until("it is closed", "document.getElementById('replay-at') === null").await?;
        // The wiring may need more switches than the wider ones that the spec now allows.
        tab.shows("valid for the current spec").await
    });
}

#[test]
fn less_motion_means_no_play_and_another_page_ends_the_replay() {
    visit("replay-phone", PHONE, async |visit| {
        let tab = &visit.tab;
        tab.prefers_less_motion().await?;
        solve_the_spec(tab).await?;
        tab.button("Replay").await?.click().await?;
        tab.until("the slider", "document.getElementById('replay-at') !== null").await?;
        tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
        ensure!(tab.evaluate("document.getElementById('replay-at').value").await? == "0", "it plays");
        all_agree(tab).await?;
        looks::fits_the_width(tab).await?;
        visit.picture("first").await?;
        tab.prefers("dark").await?;
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        looks::all_is_well(tab).await?;
        visit.picture("dark").await?;
        tab.link("Hardware").await?.click().await?;
        tab.until("another page", "document.getElementById('board-start') !== null").await?;
        tab.evaluate("history.back()").await?;
        is_final(tab).await
    });
}
