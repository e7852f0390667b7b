//! Traffic on the wiring and on other networks: curves, refusals, a stop, a reload, and the link that carries all of it.

use crate::{
    compare::collisions,
    steps::{complaint, kasy0, open, pick, text_of},
};
use anyhow::{Context, Result, ensure};
use e2e::{
    http,
    tab::{DESKTOP, Tab},
    visit::visit,
};
use serde_json::json;

/// The status line of a simulation.
async fn standing(tab: &Tab, number: u32) -> Result<String> {
    let script = format!("document.querySelector('#simulation-{number} .standing')?.innerText ?? ''");
    Ok(tab.evaluate(&script).await?.as_str().unwrap_or_default().to_owned())
}

/// Waits until no simulation is running.
async fn is_idle(tab: &Tab) -> Result<()> {
    tab.until("it ends", "document.getElementById('simulate-stop')?.disabled === true").await
}

/// The cells of a simulation's figures, row by row.
async fn figures(tab: &Tab, number: u32) -> Result<Vec<Vec<String>>> {
    let script = format!(
        "[...document.querySelectorAll('#simulation-{number} tbody tr')].map(row => [...row.cells].map(c => c.textContent.trim()))"
    );
    Ok(serde_json::from_value(tab.evaluate(&script).await?)?)
}

async fn fill(tab: &Tab, texts: &[(&str, &str)]) -> Result<()> {
    for (label, text) in texts {
        tab.field(label).await?.fill(text).await?;
    }
    Ok(())
}

/// The number of points on the first plot.
async fn dots(tab: &Tab) -> Result<u64> {
    let dots =
        tab.evaluate("document.querySelectorAll('#simulate-plots figure:first-child circle').length").await?;
    dots.as_u64().context("a number of points")
}

#[test]
fn curves_of_the_wiring_and_of_a_mesh_stand_in_one_picture() {
    visit("simulate", DESKTOP, async |visit| {
        let tab = &visit.tab;
        kasy0(tab).await?;
        open(tab, "Simulate").await?;
        tab.button("Simulate").await?.click().await?;
        is_idle(tab).await?;
        let own = figures(tab, 1).await?;
        ensure!(own.len() == 10 && dots(tab).await? == 10, "ten loads: {own:?}");
        let number = |cell: &str| cell.trim_end_matches(" Gb/s").parse::<f64>();
        let micros = |cell: &str| {
            let (number, unit) = cell.split_once(' ').unwrap_or_default();
            number.parse::<f64>().map(|number| if unit == "ms" { 1000.0 * number } else { number })
        };
        // Three NIs send up to three flits per cycle; at a tenth of that, nothing is lost or delayed.
        // Links have the speed of the comparison: 100 Mb/s in 1998.
        ensure!(own[0][0] == "0.03 Gb/s" && own[9][0] == "0.3 Gb/s", "{own:?}");
        ensure!((number(&own[0][1])? - 0.03).abs() < 0.0015, "{own:?}");
        ensure!(micros(&own[9][3])? > micros(&own[0][3])?, "latency grows: {own:?}");
        what_is_wrong_is_told(tab).await?;
        fill(tab, &[("Kind and sizes", "mesh:4x4"), ("Offered loads", "0.1, 0.2")]).await?;
        tab.find("combobox", "Traffic").await?.choose("uniform").await?;
        tab.button("Simulate").await?.click().await?;
        is_idle(tab).await?;
        let mesh = figures(tab, 2).await?;
        ensure!(mesh.len() == 2 && dots(tab).await? == 12, "{mesh:?}");
        ensure!(
            standing(tab, 2).await?.starts_with("Done; accepted up to 0.")
                && standing(tab, 2).await?.ends_with(" Gb/s per host"),
            "{}",
            standing(tab, 2).await?
        );
        let said = text_of(tab, "simulate-conclusion").await?;
        ensure!(said.starts_with("2D mesh, 4x4 switches, 1 host each, accepts "), "{said}");
        ensure!(said.ends_with(" Simulations with other settings are not compared."), "{said}");
        units_and_diagonal(tab).await?;
        visit.picture("curves").await?;
        tab.evaluate("document.getElementById('simulate-plots').scrollIntoView()").await?;
        for (width, height) in [(390, 844), (1024, 768), (1440, 900)] {
            tab.resize(width, height).await?;
            for theme in ["dark", "light"] {
                tab.prefers(theme).await?;
                let hit = collisions(tab, "#simulate-plots svg").await?;
                ensure!(hit.is_empty(), "{width}: {hit:?}");
                visit.picture(&format!("{width}-{theme}")).await?;
            }
        }

        tab.reload().await?;
        tab.until(
            "its page",
            "document.getElementById('to-simulate')?.getAttribute('aria-current') === 'page'",
        )
        .await?;
        ensure!(
            tab.field("Kind and sizes").await?.value().await? == "mesh:4x4",
            "the form is lost by a reload"
        );
        tab.until("its points", "document.querySelectorAll('#simulation-2 tbody tr').length === 2").await?;
        ensure!(figures(tab, 1).await? == own && figures(tab, 2).await? == mesh, "lost by a reload");
        the_link_carries_them(visit, &mesh).await
    });
}

/// Gb/s and times on the axes, flits and cycles as tooltips, and a line where all that is offered is accepted.
async fn units_and_diagonal(tab: &Tab) -> Result<()> {
    let axes = "[...document.querySelectorAll('#simulate-plots text')].map(text => text.textContent.trim()).join('|')";
    let axes = tab.evaluate(axes).await?;
    let axes = axes.as_str().unwrap_or_default();
    for title in ["Offered, Gb/s per host", "Accepted, Gb/s per host", "Mean latency, ms"] {
        ensure!(axes.contains(title), "{title}: {axes}");
    }
    let exact = "document.querySelector('#simulation-2 tbody td').title";
    ensure!(tab.evaluate(exact).await? == "0.100 flits per cycle and host", "the tooltip");
    // Two curves and the diagonal, which rises from the lower left corner.
    let lines = "[...document.querySelectorAll('#simulate-plots figure:first-child polyline')].filter(line => {
        const points = line.getAttribute('points').trim().split(/\\s+/).map(point => point.split(',').map(Number));
        return points.length === 2 && points[0][0] < points[1][0] && points[0][1] > points[1][1];
    }).length";
    ensure!(tab.evaluate(lines).await?.as_u64().is_some_and(|lines| lines >= 1), "no diagonal");
    let legend = "document.querySelector('.plot-legend').innerText";
    let legend = tab.evaluate(legend).await?;
    ensure!(legend.as_str().is_some_and(|legend| legend.contains("2D mesh, 4x4 switches")), "{legend}");
    Ok(())
}

/// Beside the fields, before anything is simulated.
async fn what_is_wrong_is_told(tab: &Tab) -> Result<()> {
    tab.find("combobox", "Network").await?.choose("…").await?;
    fill(tab, &[("Kind and sizes", "mesh:0x4")]).await?;
    let said = complaint(tab, "Kind and sizes").await?;
    ensure!(said.contains("mesh:"), "{said}");
    ensure!(!tab.button("Simulate").await?.is_enabled().await?, "a form with a fault can be sent");
    fill(tab, &[("Kind and sizes", "mesh:4x4"), ("Offered loads", "7")]).await?;
    tab.find("combobox", "Traffic").await?.choose("uniform").await?;
    tab.button("Simulate").await?.click().await?;
    let said = complaint(tab, "Offered loads").await?;
    ensure!(said.contains("at most 1,"), "{said}");
    fill(tab, &[("Offered loads", "1")]).await?;
    tab.click(".simulate-rules > summary").await?;
    fill(tab, &[("Simulated cycles", "1000000000000")]).await?;
    tab.button("Simulate").await?.click().await?;
    tab.shows("this takes about").await?;
    tab.shows("and at most 3,600 s are allowed; use fewer hosts, cycles or loads.").await?;
    ensure!(figures(tab, 2).await?.is_empty(), "what was refused is listed");
    fill(tab, &[("Simulated cycles", "")]).await?;
    // Browsers log refusals as errors.
    tab.forgive("422").await
}

async fn the_link_carries_them(visit: &e2e::visit::Visit, mesh: &[Vec<String>]) -> Result<()> {
    let tab = &visit.tab;
    tab.evaluate("document.getElementById('share').open = true").await?;
    tab.button("Copy spec link").await?.click().await?;
    tab.until("a link", "document.getElementById('share-link').value !== ''").await?;
    let link = tab.evaluate("document.getElementById('share-link').value").await?;
    let browser = visit.colleague().await?;
    let theirs = browser.open(link.as_str().context("a link")?).await?;
    theirs.shows("These simulations came with a link").await?;
    ensure!(standing(&theirs, 2).await? == "Not simulated here yet", "{}", standing(&theirs, 2).await?);
    theirs.button("Simulate all").await?.click().await?;
    theirs.until("the mesh", "document.querySelectorAll('#simulation-2 tbody tr').length === 2").await?;
    ensure!(figures(&theirs, 2).await? == mesh, "another result from the same seed");
    // The link contains only the spec.
    let wiring = standing(&theirs, 1).await?;
    ensure!(wiring.contains("Refused: no wiring"), "{wiring}");
    theirs.has_no_troubles()?;
    browser.close().await
}

#[test]
fn times_losses_and_warnings_stand_beside_the_figures_and_current_switches_fill_the_form() {
    visit("simulate-switches", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        open(tab, "Simulate").await?;
        tab.find("combobox", "Network").await?.choose("…").await?;
        fill(tab, &[("Kind and sizes", "torus:4x4"), ("Offered loads", "1")]).await?;
        tab.find("combobox", "Traffic").await?.choose("uniform").await?;
        tab.click(".simulate-rules > summary").await?;
        tab.shows("320 ns per cycle; delays: link 1.6 µs, routing 3.2 µs").await?;
        fill(tab, &[("Switch buffer", "1"), ("Virtual channels", "2")]).await?;
        tab.shows("A switch buffer holds one frame.").await?;
        tab.button("Simulate").await?.click().await?;
        is_idle(tab).await?;
        let held = figures(tab, 1).await?;
        ensure!(held[0][2] == "0.00 %" && held[0][3].ends_with("ms"), "{held:?}");
        ensure!(tab.evaluate("document.querySelector('#simulation-1 .deadlock').hidden").await? == true);
        tab.find("combobox", "Full buffer").await?.choose("drop").await?;
        tab.button("Simulate").await?.click().await?;
        is_idle(tab).await?;
        let lost = standing(tab, 2).await?;
        ensure!(lost.contains(" % of the frames lost"), "{lost}");
        tab.evaluate("document.querySelectorAll('.simulate-line details').forEach(one => one.open = true)")
            .await?;
        tab.evaluate("document.getElementById('simulate-list').scrollIntoView()").await?;
        visit.picture("figures").await?;
        tab.button("Fill in current switches").await?.click().await?;
        ensure!(tab.field("Shared memory").await?.value().await? == "4096");
        ensure!(tab.find("combobox", "Traffic").await?.value().await? == "uniform", "the traffic stays");
        ensure!(tab.field("Virtual channels").await?.value().await?.is_empty(), "one, the default");
        visit.picture("current").await?;
        tab.button("Simulate").await?.click().await?;
        is_idle(tab).await?;
        let current = standing(tab, 3).await?;
        ensure!(current.starts_with("Done; accepted up to"), "{current}");
        Ok(())
    });
}

#[test]
fn groups_run_a_collective_operation_beside_background_traffic() {
    visit("simulate-groups", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        open(tab, "Simulate").await?;
        tab.find("combobox", "Network").await?.choose("…").await?;
        fill(tab, &[("Kind and sizes", "tree:16,4,4")]).await?;
        tab.find("combobox", "Traffic").await?.choose("all-reduce-ring").await?;
        fill(tab, &[("Groups", "some")]).await?;
        let said = complaint(tab, "Groups").await?;
        ensure!(said.contains("a number of nodes such as 8"), "{said}");
        fill(tab, &[("Groups", "4x4"), ("Message size", "65536")]).await?;
        tab.find("combobox", "Background traffic").await?.choose("uniform").await?;
        fill(tab, &[("Background load", "0.2")]).await?;
        tab.button("Simulate").await?.click().await?;
        is_idle(tab).await?;
        let figures = text_of(tab, "simulation-1").await?;
        ensure!(figures.contains("Gb/s in total"), "{figures}");
        tab.evaluate("document.querySelectorAll('.simulate-line details').forEach(one => one.open = true)")
            .await?;
        tab.shows("4: fastest ").await?;
        tab.shows("Gb/s per host offered").await?;
        tab.shows("Bus bandwidth").await?;
        tab.evaluate("document.getElementById('simulate-list').scrollIntoView()").await?;
        visit.picture("groups").await
    });
}

#[test]
fn a_long_simulation_tells_how_far_it_is_and_stops() {
    visit("simulate-stop", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        open(tab, "Simulate").await?;
        tab.shows("No wiring yet").await?;
        tab.find("combobox", "Network").await?.choose("pmesh:16x8").await?;
        tab.find("combobox", "Traffic").await?.choose("uniform").await?;
        tab.click(".simulate-rules > summary").await?;
        fill(tab, &[("Simulated cycles", "2000000"), ("Offered loads", "0.5, 0.51, 0.52, 0.53, 0.54, 0.55")])
            .await?;
        let start = tab.button("Simulate").await?;
        start.click().await?;
        // A client has two of the server's four simulations.
        tab.find("combobox", "Network").await?.choose("Tree, 18 hosts and 6 uplinks").await?;
        for loads in ["0.5, 0.51, 0.52, 0.53", "0.5, 0.51"] {
            fill(tab, &[("Offered loads", loads)]).await?;
            start.click().await?;
        }
        tab.until(
            "it tells",
            "/\\d % done; about \\d/.test(document.getElementById('simulate-standing').innerText)",
        )
        .await?;
        // The server queues it, and says at which place.
        let waits = "document.querySelector('#simulation-3 .standing')?.innerText.startsWith('Queued, next')";
        tab.until("the next one waits", waits).await?;
        visit.picture("running").await?;
        tab.button("Stop").await?.click().await?;
        is_idle(tab).await?;
        ensure!(standing(tab, 1).await?.starts_with("Stopped"), "{}", standing(tab, 1).await?);
        ensure!(standing(tab, 2).await?.starts_with("Stopped"), "{}", standing(tab, 2).await?);
        ensure!(standing(tab, 3).await? == "Stopped", "{}", standing(tab, 3).await?);
        ensure!(text_of(tab, "simulate-standing").await?.is_empty(), "it says that something goes on");
        tab.click("#simulation-2 [aria-label^=Remove]").await?;
        tab.until("it is gone", "document.getElementById('simulation-2') === null").await?;
        tab.find("combobox", "Traffic").await?.choose("exchange").await?;
        fill(tab, &[("Message size", "6144")]).await?;
        start.click().await?;
        tab.until(
            "a bandwidth",
            "/Gb\\/s in total/.test(document.querySelector('#simulation-4 .standing')?.innerText)",
        )
        .await
    });
}

#[test]
fn a_simulation_has_a_page_of_its_own() {
    visit("simulate-page", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        open(tab, "Simulate").await?;
        tab.find("combobox", "Network").await?.choose("…").await?;
        fill(tab, &[("Kind and sizes", "mesh:4x4"), ("Offered loads", "0.1, 0.2")]).await?;
        tab.find("combobox", "Traffic").await?.choose("uniform").await?;
        tab.button("Simulate").await?.click().await?;
        is_idle(tab).await?;
        let own = figures(tab, 1).await?;
        tab.goto(&visit.studio.at("/library")).await?;
        tab.shows("Simulation, done").await?;
        let link = tab.evaluate("document.querySelector('#library-items a[href^=\"/work/\"]').href").await?;
        let browser = visit.colleague().await?;
        let theirs = browser.open(link.as_str().context("a link")?).await?;
        theirs
            .until("its points", "document.querySelectorAll('#simulation-1 tbody tr').length === 2")
            .await?;
        ensure!(figures(&theirs, 1).await? == own, "other figures");
        ensure!(theirs.field("Kind and sizes").await?.value().await? == "mesh:4x4", "its form is not shown");
        theirs.has_no_troubles()?;
        browser.close().await
    });
}

#[test]
fn a_reload_of_anothers_search_keeps_the_simulations() {
    visit("simulate-reload", DESKTOP, async |visit| {
        let (tab, studio) = (&visit.tab, &visit.studio);
        let search = http::search(include_str!("../../../assets/specs/lab16.toml"), json!({}));
        let id = http::start(studio, &search).await?;
        tab.goto(&studio.at(&format!("/r/{id}"))).await?;
        tab.shows("all 120 requested pairs covered").await?;
        open(tab, "Simulate").await?;
        tab.click(".simulate-rules > summary").await?;
        fill(tab, &[("Simulated cycles", "20000000"), ("Offered loads", "0.5, 0.6")]).await?;
        tab.button("Simulate").await?.click().await?;
        tab.until("it runs", "/% done/.test(document.querySelector('#simulation-1 .standing')?.innerText)")
            .await?;
        tab.reload().await?;
        // The tab that was open is open again.
        tab.until(
            "it runs on",
            "/% done/.test(document.querySelector('#simulation-1 .standing')?.innerText)",
        )
        .await?;
        tab.button("Stop").await?.click().await?;
        is_idle(tab).await?;
        ensure!(standing(tab, 1).await?.starts_with("Stopped"), "{}", standing(tab, 1).await?);
        Ok(())
    });
}
