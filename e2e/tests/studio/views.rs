//! Views of one design: map, cables and racks, with one selection.

use crate::steps::{open, pick, solve, text_of};
use anyhow::{Result, ensure};
use e2e::{
    looks,
    tab::{DESKTOP, PHONE, Tab},
    visit::visit,
};

const UNDER: &str = "document.getElementById('under').textContent";

/// Shows a view of the design.
async fn show(tab: &Tab, view: &str) -> Result<()> {
    let id = format!("scene-{}", view.to_lowercase());
    tab.until("the views", &format!("document.getElementById('{id}') !== null")).await?;
    tab.click(&format!("#{id}")).await?;
    tab.until(view, &format!("document.getElementById('{id}').getAttribute('aria-pressed') === 'true'")).await
}

/// A place of the picture of cables on screen, in shares of it.
async fn place(tab: &Tab, x: f64, y: f64) -> Result<(f64, f64)> {
    tab.until("the picture", "document.getElementById('cables')?.width > 300").await?;
    let script = "(() => { const r = document.getElementById('cables').getBoundingClientRect(); return [r.left, r.top, r.width, r.height] })()";
    let area = tab.evaluate(script).await?;
    let at = |i: usize| area[i].as_f64().unwrap_or_default();
    Ok((at(0) + x * at(2), at(1) + y * at(3)))
}

async fn click(tab: &Tab, at: (f64, f64)) -> Result<()> {
    for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
        tab.mouse(kind, at, 0.0).await?;
    }
    Ok(())
}

#[test]
fn cables_follow_the_pointer_and_a_failed_switch_shows_what_breaks() {
    visit("views-cables", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        show(tab, "Cables").await?;
        tab.shows("No wiring yet").await?;
        solve(tab).await?;
        let switch = place(tab, 0.5, 0.5).await?;
        tab.mouse("mouseMoved", switch, 0.0).await?;
        tab.until("a switch", &format!("/^sw\\d\\d \\(.*usable ports; serves/.test({UNDER})")).await?;
        visit.picture("hovered").await?;
        tab.mouse("mouseMoved", place(tab, 0.01, 0.3).await?, 0.0).await?;
        tab.until(
            "a node",
            &format!("/^Node \\d+: \\d+ requested partners; NICs in order: sw/.test({UNDER})"),
        )
        .await?;
        tab.mouse("mouseMoved", place(tab, 0.20, 0.3).await?, 0.0).await?;
        visit.picture("cable").await?;

        click(tab, switch).await?;
        let name = tab.evaluate(&format!("{UNDER}.slice(0, 4)")).await?;
        let name = name.as_str().unwrap_or_default().to_owned();
        tab.button(&format!("Fail {name}")).await?.click().await?;
        tab.until("what breaks", "/requested pairs lose their last shared switch/.test(document.getElementById('broken').textContent)")
            .await?;
        visit.picture("failed").await?;
        // The same failed parts are those of the routes.
        open(tab, "Routes").await?;
        tab.until("the failed switch", &format!("document.getElementById('route-dead')?.value === '{name}'"))
            .await?;
        tab.button("Reset").await?.click().await?;
        tab.until("nothing breaks", "document.getElementById('broken').hidden").await?;

        // A row of the table lights the same cables, and its row is lit by them.
        open(tab, "Wiring").await?;
        tab.until("the table", "document.querySelector('#wiring-table [data-part=sw3]') !== null").await?;
        tab.click("#wiring-table th[data-part=sw3]").await?;
        tab.until("the picked switch", &format!("{UNDER}.startsWith('sw03')")).await?;
        let lit = "[...document.querySelectorAll('#wiring-table tr.lit th')].map(e => e.innerText).join()";
        ensure!(tab.evaluate(lit).await? == "3", "another row is lit");

        // The keyboard goes from part to part, and the map shows the same one.
        show(tab, "Cables").await?;
        let canvas = tab.find("application", "Cables: 128 nodes").await?;
        canvas.call("function () { this.focus() }", &[]).await?;
        tab.press("Escape").await?;
        tab.press("ArrowDown").await?;
        tab.until("the first node", &format!("{UNDER}.startsWith('Node 0:')")).await?;
        tab.press("ArrowDown").await?;
        tab.press("ArrowRight").await?;
        tab.until("its first switch", &format!("{UNDER}.startsWith('sw')")).await?;
        tab.press("ArrowLeft").await?;
        tab.press("+").await?;
        tab.until("it is zoomed", "!document.getElementById('cables-fit').disabled").await?;
        show(tab, "Map").await?;
        ensure!(text_of(tab, "under").await?.starts_with("Node "), "the selection is lost");
        visit.picture("map").await?;
        tab.prefers("dark").await?;
        show(tab, "Cables").await?;
        visit.picture("dark").await?;
        looks::all_is_well(tab).await
    });
}

#[test]
fn cables_of_a_large_machine_are_summed() {
    visit("views-large", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "65,536").await?;
        tab.shows("622,592 pairs").await?;
        solve(tab).await?;
        show(tab, "Cables").await?;
        tab.until(
            "it is summed",
            "/One row is 512 nodes/.test(document.getElementById('cables-note')?.textContent)",
        )
        .await?;
        tab.mouse("mouseMoved", place(tab, 0.02, 0.5).await?, 0.0).await?;
        tab.until("a row", &format!("/^Nodes [\\d,]+–[\\d,]+: [\\d,]+ cables/.test({UNDER})")).await?;
        visit.picture("summed").await?;
        show(tab, "Racks").await?;
        tab.until("its racks", "/327,680 cables/.test(document.getElementById('racks-total')?.textContent)")
            .await?;
        visit.picture("racks").await
    });
}

#[test]
fn switches_move_between_racks() {
    visit("views-racks", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        solve(tab).await?;
        show(tab, "Racks").await?;
        tab.until(
            "the totals",
            "/384 cables, .* m in all/.test(document.getElementById('racks-total')?.textContent)",
        )
        .await?;
        let total = async || -> Result<f64> {
            let metres = tab.evaluate("Number(/([\\d.,]+) m in all/.exec(document.getElementById('racks-total').textContent)[1].replace(',', ''))").await?;
            Ok(metres.as_f64().unwrap_or_default())
        };
        let before = total().await?;
        visit.picture("racks").await?;
        tab.click("[data-part=sw0]").await?;
        tab.until("others to choose", "document.querySelectorAll('#swap-with option').length > 10").await?;
        tab.evaluate("(() => { const s = document.getElementById('swap-with'); s.value = '16'; s.dispatchEvent(new Event('change')) })()")
            .await?;
        tab.shows("sw00 and sw16 exchanged their cables.").await?;
        let moved = total().await?;
        ensure!((moved - before).abs() > 1e-9, "{before} m before and after");
        ensure!(
            tab.evaluate("document.getElementById('gallery')").await?.is_null(),
            "the gallery comes back"
        );
        // Coverage is that of the same wiring.
        tab.until(
            "the checker",
            "/all 1,536 requested pairs covered/.test(document.getElementById('standing').textContent)",
        )
        .await?;
        tab.click("#notice-offer").await?;
        tab.until("the old places", &format!("document.getElementById('racks-total').textContent.replaceAll(',', '').includes('{before:.1} m in all')"))
            .await?;
        tab.until("its search", "document.getElementById('run-state').textContent === 'Solved'").await?;
        ensure!(tab.address().await.contains("/r/"), "the search is lost: {}", tab.address().await);
        tab.button("Optimise placement").await?.click().await?;
        tab.shows("m less cable").await?;
        let best = total().await?;
        ensure!(best < before.min(moved), "{best} m after {before} and {moved}");
        tab.until(
            "the checker",
            "/all 1,536 requested pairs covered/.test(document.getElementById('standing').textContent)",
        )
        .await?;
        tab.button("Add racks to the spec").await?.click().await?;
        tab.until("the spec has them", "document.getElementById('put-racks') === null").await?;
        ensure!((total().await? - best).abs() < 0.05, "other lengths");
        visit.picture("optimised").await?;
        // Racks change no pair: the wiring stays that of the spec, also without them.
        ensure!(
            tab.evaluate("document.getElementById('main').getAttribute('data-outdated')").await?.is_null(),
            "outdated by racks"
        );
        tab.button("Undo").await?.click().await?;
        tab.until("racks are assumed again", "document.getElementById('put-racks') !== null").await?;
        ensure!(
            tab.evaluate("document.getElementById('main').getAttribute('data-outdated')").await?.is_null(),
            "outdated by racks"
        );
        let field = tab.field("Nodes per rack").await?;
        field.fill("0").await?;
        tab.press("Tab").await?;
        tab.until(
            "a message beside the field",
            "document.getElementById('per-rack-fault')?.checkVisibility()",
        )
        .await?;
        looks::all_is_well(tab).await
    });
}

#[test]
fn views_fit_a_phone() {
    visit("views-phone", PHONE, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        solve(tab).await?;
        for view in ["Cables", "Racks"] {
            show(tab, view).await?;
            looks::fits_the_width(tab).await?;
            tab.evaluate("document.getElementById('scene-map').scrollIntoView()").await?;
            visit.picture(&view.to_lowercase()).await?;
        }
        looks::all_is_well(tab).await
    });
}
