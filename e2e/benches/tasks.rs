//! Tasks of the page's main thread that take longer than 50 ms, on every page and view, for 65,536 nodes and for 1,024.
//!
//! `cargo bench --locked --package e2e --profile dev --bench tasks -- runs=3 nodes=65536 only=Cables`. Each figure is the
//! minimum of the runs: other work on the machine only makes tasks longer.

use anyhow::{Context, Result, ensure};
use e2e::{
    browser::Browser,
    meter::{Meter, Step},
    studio::Studio,
    tab::{DESKTOP, Tab},
};
use serde_json::json;

/// The machines: nodes, and the name of the example spec.
const MACHINES: [(u32, &str); 2] = [(1024, "Hypercube and all tori"), (65_536, "65,536")];

fn main() -> Result<()> {
    let given =
        |name: &str| std::env::args().find_map(|a| Some(a.strip_prefix(name)?.strip_prefix('=')?.to_owned()));
    let runs: usize = given("runs").map_or(Ok(3), |runs| runs.parse()).context("runs")?;
    let nodes: Option<u32> = given("nodes").map(|nodes| nodes.parse()).transpose().context("nodes")?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    for (nodes, name) in MACHINES.into_iter().filter(|machine| nodes.is_none_or(|nodes| nodes == machine.0)) {
        let mut best: Vec<Step> = Vec::new();
        for _ in 0..runs.max(1) {
            let steps = runtime.block_on(measure(name))?;
            best = if best.is_empty() { steps } else { best.into_iter().zip(steps).map(least).collect() };
        }
        print(nodes, &best);
    }
    Ok(())
}

/// The smaller figures of two runs.
fn least((one, other): (Step, Step)) -> Step {
    let tasks = one.tasks.min(other.tasks);
    let shorter = if one.longest <= other.longest { one } else { other };
    Step { tasks, ..shorter }
}

fn print(nodes: u32, steps: &[Step]) {
    println!(
        "\n| {nodes} nodes | tasks over 50 ms | longest, ms | script of the longest frame, ms |\n| --- | --- | --- | --- |"
    );
    for step in steps {
        println!("| {} | {} | {:.0} | {} |", step.name, step.tasks, step.longest, step.by);
    }
}

async fn measure(name: &str) -> Result<Vec<Step>> {
    let studio = Studio::start(&[])?;
    let browser = Browser::launch(DESKTOP).await?;
    let tab = browser.open(&studio.at("/")).await?;
    let mut meter = Meter::new(&tab).await?;
    let told = story(&mut meter, &studio, name).await;
    let steps = std::mem::take(&mut meter.steps);
    if told.is_err() {
        print(0, &steps);
        std::fs::write(e2e::to_look_at("tasks-failed.png")?, tab.picture().await?)?;
    }
    told?;
    browser.close().await?;
    Ok(steps)
}

async fn story(meter: &mut Meter<'_>, studio: &Studio, name: &str) -> Result<()> {
    spec(meter, name).await?;
    let run = search(meter).await?;
    map(meter).await?;
    views(meter).await?;
    failures(meter).await?;
    tables(meter).await?;
    files(meter).await?;
    server(meter).await?;
    pages(meter, studio, &run).await
}

/// Clicks an element by its id.
async fn click(tab: &Tab, id: &str) -> Result<()> {
    tab.click(&format!("#{id}")).await
}

async fn is(tab: &Tab, script: &str) -> Result<()> {
    tab.until(script, script).await
}

/// Types into a field by its id.
async fn fill(tab: &Tab, id: &str, text: &str, event: &str) -> Result<()> {
    is(tab, &format!("document.getElementById('{id}') !== null")).await?;
    let script = format!(
        "(() => {{ const e = document.getElementById('{id}'); e.value = {}; e.dispatchEvent(new Event('{event}', {{bubbles: true}})) }})()",
        json!(text)
    );
    tab.evaluate(&script).await.map(drop)
}

/// A place of an element, in shares of its width and height.
async fn place(tab: &Tab, id: &str, (x, y): (f64, f64)) -> Result<(f64, f64)> {
    let script = format!(
        "(() => {{ const e = document.getElementById('{id}'); e.scrollIntoView({{block: 'center'}}); const r = e.getBoundingClientRect(); return [r.left, r.top, r.width, r.height] }})()"
    );
    let area = tab.evaluate(&script).await?;
    let at = |i: usize| area[i].as_f64().unwrap_or_default();
    Ok((at(0) + x * at(2), at(1) + y * at(3)))
}

/// Moves the pointer over an element: both sides and the middle.
async fn hover(tab: &Tab, id: &str) -> Result<()> {
    for step in 0..24 {
        let share = f64::from(step) / 24.0;
        tab.mouse("mouseMoved", place(tab, id, (0.01 + 0.98 * share, 0.1 + 0.8 * share)).await?, 0.0).await?;
        tokio::time::sleep(std::time::Duration::from_millis(30)).await;
    }
    Ok(())
}

async fn press_at(tab: &Tab, id: &str, share: (f64, f64)) -> Result<()> {
    let at = place(tab, id, share).await?;
    for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
        tab.mouse(kind, at, 0.0).await?;
    }
    Ok(())
}

const HAS_PAIRS: &str = "/pair/.test(document.getElementById('total-pairs')?.textContent)";
const IS_CHECKED: &str = "document.getElementById('standing')?.textContent.includes('Checked: all')";

async fn spec(meter: &mut Meter<'_>, name: &str) -> Result<()> {
    let open = format!(
        "[...document.querySelectorAll('#gallery button')].find(b => b.textContent.includes({name:?})).click()"
    );
    meter
        .step("Open the example spec", async |tab| {
            is(tab, &format!("[...document.querySelectorAll('#gallery button')].some(b => b.textContent.includes({name:?}))")).await?;
            tab.evaluate(&open).await?;
            is(tab, &format!("document.getElementById('session-name')?.textContent.includes({name:?})")).await
        })
        .await?;
    let ports = meter.tab.evaluate("document.getElementById('spec-switch-0-ports')?.value ?? document.querySelector('[id^=spec-switch][id*=ports]').value").await?;
    let ports: u32 = ports.as_str().unwrap_or_default().parse().context("ports")?;
    let field = meter.tab.evaluate("document.querySelector('input[id^=spec-switch][id*=ports]').id").await?;
    let field = field.as_str().unwrap_or_default().to_owned();
    meter
        .step("Type in the form", async |tab| {
            fill(tab, &field, &(ports - 1).to_string(), "input").await?;
            is(tab, HAS_PAIRS).await
        })
        .await?;
    meter
        .step("Type in the TOML", async |tab| {
            click(tab, "spec-as-text").await?;
            is(tab, "document.getElementById('spec-text') !== null").await?;
            let text = tab.evaluate("document.getElementById('spec-text').value").await?;
            let text = text
                .as_str()
                .unwrap_or_default()
                .replace(&format!("ports = {}", ports - 1), &format!("ports = {ports}"));
            fill(tab, "spec-text", &text, "input").await?;
            click(tab, "spec-as-form").await
        })
        .await
}

/// Returns the path of the search.
async fn search(meter: &mut Meter<'_>) -> Result<String> {
    meter
        .step("Search", async |tab| {
            click(tab, "start").await?;
            is(tab, "document.getElementById('run-state')?.textContent === 'Solved'").await?;
            is(tab, IS_CHECKED).await
        })
        .await?;
    let run = meter.tab.evaluate("location.pathname").await?;
    let table = meter
        .tab
        .evaluate("fetch(`/api/work/${location.pathname.split('/')[2]}/table`).then(answer => answer.text())")
        .await?;
    let table = table.as_str().context("a table")?.to_owned();
    ensure!(table.contains(':'), "no table: {table:.80}");
    meter
        .step("Import the wiring table", async |tab| {
            let dir = tempfile::tempdir()?;
            let file = dir.path().join("table.txt");
            std::fs::write(&file, &table)?;
            click(tab, "scene-wiring").await?;
            is(tab, "document.getElementById('import') !== null").await?;
            tab.evaluate("document.getElementById('import').open = true").await?;
            tab.find("button", "Open a wiring table").await?.attach(&file).await?;
            is(tab, "/imported/.test(document.querySelector('.notice')?.textContent)").await?;
            is(tab, IS_CHECKED).await
        })
        .await?;
    Ok(run.as_str().unwrap_or_default().to_owned())
}

async fn map(meter: &mut Meter<'_>) -> Result<()> {
    meter
        .step("Map", async |tab| {
            click(tab, "scene-map").await?;
            is(tab, "document.getElementById('map')?.width > 300").await
        })
        .await?;
    meter.step("Map: hover", async |tab| hover(tab, "map").await).await?;
    meter.step("Map: click", async |tab| press_at(tab, "map", (0.4, 0.6)).await).await?;
    meter
        .step("Map: zoom and pan", async |tab| {
            for _ in 0..8 {
                click(tab, "zoom-in").await?;
            }
            let (from, to) = (place(tab, "map", (0.5, 0.5)).await?, place(tab, "map", (0.3, 0.6)).await?);
            tab.mouse("mouseMoved", from, 0.0).await?;
            tab.mouse("mousePressed", from, 0.0).await?;
            tab.mouse("mouseMoved", to, 0.0).await?;
            tab.mouse("mouseReleased", to, 0.0).await
        })
        .await?;
    meter.step("Map: fit", async |tab| click(tab, "zoom-fit").await).await?;
    meter.step("Other theme", async |tab| click(tab, "theme").await).await
}

async fn views(meter: &mut Meter<'_>) -> Result<()> {
    meter
        .step("Cables", async |tab| {
            click(tab, "scene-cables").await?;
            is(tab, "document.getElementById('cables')?.width > 300").await
        })
        .await?;
    meter.step("Cables: hover", async |tab| hover(tab, "cables").await).await?;
    meter.step("Cables: click", async |tab| press_at(tab, "cables", (0.5, 0.5)).await).await?;
    meter
        .step("Cables: zoom", async |tab| {
            for button in ["cables-in", "cables-in", "cables-fit"] {
                click(tab, button).await?;
            }
            Ok(())
        })
        .await?;
    meter
        .step("Racks", async |tab| {
            click(tab, "scene-racks").await?;
            is(tab, "document.getElementById('racks-total') !== null").await
        })
        .await?;
    meter.step("Racks: hover", async |tab| hover(tab, "floor").await).await?;
    meter.step("Racks: lists", async |tab| tab.click(".rack-lists > summary").await).await
}

async fn failures(meter: &mut Meter<'_>) -> Result<()> {
    for (view, words) in [
        ("scene-racks", "Fail a switch, Racks"),
        ("scene-cables", "Fail a switch, Cables"),
        ("scene-map", "Fail a switch, Map"),
    ] {
        meter
            .step(&format!("{words}: select"), async |tab| {
                click(tab, "scene-wiring").await?;
                is(tab, "document.querySelector('#wiring-table th[data-part=sw3]') !== null").await?;
                tab.click("#wiring-table th[data-part=sw3]").await?;
                click(tab, view).await
            })
            .await?;
        meter.step(words, async |tab| click(tab, "fail-part").await).await?;
        meter
            .step(&format!("{words}: repair"), async |tab| {
                click(tab, "repair-all").await?;
                click(tab, "scene-wiring").await?;
                tab.click("#wiring-table th[data-part=sw3]").await
            })
            .await?;
    }
    Ok(())
}

async fn tables(meter: &mut Meter<'_>) -> Result<()> {
    let scroll = "(async () => { const e = document.querySelector('#wiring-table').parentElement; \
        for (let y = 0; y < e.scrollHeight; y += 200) { e.scrollTop = y; await new Promise(requestAnimationFrame) } })()";
    meter.step("Wiring: scroll", async |tab| tab.evaluate(scroll).await.map(drop)).await?;
    meter.step("Wiring: next page", async |tab| click(tab, "page-next").await).await?;
    meter.step("Wiring: by node", async |tab| click(tab, "by-pe").await).await?;
    meter.step("Wiring: filter", async |tab| fill(tab, "wiring-filter", "sw7", "input").await).await?;
    meter
        .step("Wiring: by switch", async |tab| {
            fill(tab, "wiring-filter", "", "input").await?;
            click(tab, "by-switch").await
        })
        .await?;
    meter
        .step("Audit", async |tab| {
            let text: String = (0..200)
                .map(|pe| {
                    format!(
                        "node{pe:05}\nInterface: eth0, via: LLDP\n  SysName: sw{pe}\n  PortID: ifname port1\n"
                    )
                })
                .collect();
            tab.evaluate("document.getElementById('audit').open = true").await?;
            fill(tab, "audit-text", &text, "input").await?;
            click(tab, "audit-compare").await?;
            is(tab, "document.getElementById('audit-found').textContent !== ''").await
        })
        .await?;
    meter
        .step("Figures", async |tab| {
            click(tab, "scene-figures").await?;
            is(tab, "document.querySelectorAll('.scene table tbody tr').length > 5").await
        })
        .await?;
    meter
        .step("Routes", async |tab| {
            click(tab, "scene-routes").await?;
            is(tab, "document.querySelectorAll('#ways-table tbody tr').length > 0").await
        })
        .await?;
    meter
        .step("Routes: fail a switch", async |tab| {
            fill(tab, "route-dead", "sw3", "input").await?;
            is(tab, "document.getElementById('damage-table') !== null || /analyze/.test(document.querySelector('.scene.of-routes').textContent)").await
        })
        .await?;
    meter.step("Routes: repair", async |tab| fill(tab, "route-dead", "", "input").await).await
}

async fn files(meter: &mut Meter<'_>) -> Result<()> {
    meter
        .step("Labels", async |tab| {
            click(tab, "to-labels").await?;
            is(tab, "document.querySelector('#look-labels .sheet-of-labels') !== null").await
        })
        .await?;
    for format in ["cables", "report", "svg", "script", "multipath", "paths"] {
        meter
            .step(&format!("Export: {format}"), async |tab| {
                click(tab, "to-export").await?;
                is(tab, "document.querySelectorAll('[id^=show-]').length > 5").await?;
                if tab.evaluate(&format!("document.getElementById('show-{format}') === null")).await? == true
                {
                    return Ok(());
                }
                click(tab, &format!("show-{format}")).await?;
                is(tab, &format!("document.getElementById('look-{format}') !== null")).await
            })
            .await?;
    }
    Ok(())
}

async fn server(meter: &mut Meter<'_>) -> Result<()> {
    meter
        .step("Compare", async |tab| {
            click(tab, "to-compare").await?;
            is(tab, "document.querySelectorAll('#compare-table tbody tr').length > 4").await
        })
        .await?;
    meter.step("Step time", async |tab| click(tab, "to-step-time").await).await?;
    meter.step("Simulate", async |tab| click(tab, "to-simulate").await).await?;
    meter.step("Help", async |tab| click(tab, "help-open").await).await?;
    meter.step("Help: close", async |tab| tab.press("Escape").await).await?;
    meter
        .step("Share: spec link", async |tab| {
            tab.evaluate("document.getElementById('share').open = true").await?;
            click(tab, "share-spec").await?;
            is(tab, "document.getElementById('share-link').value !== ''").await
        })
        .await?;
    meter.step("Hardware", async |tab| click(tab, "to-hardware").await).await?;
    meter
        .step("Back to the wiring", async |tab| {
            click(tab, "to-design").await?;
            is(tab, IS_CHECKED).await
        })
        .await
}

async fn pages(meter: &mut Meter<'_>, studio: &Studio, run: &str) -> Result<()> {
    let link = "document.getElementById('share-link').value";
    meter
        .step("Share: save the design", async |tab| {
            tab.evaluate("document.getElementById('share').open = true").await?;
            click(tab, "share-design").await?;
            is(tab, &format!("{link}.includes('/d/')")).await
        })
        .await?;
    let design = meter.tab.evaluate(&format!("{link}.split('#')[0]")).await?;
    let design = design.as_str().context("a link")?.to_owned();
    meter
        .step("Open the saved design", async |tab| {
            tab.goto(&design).await?;
            is(tab, IS_CHECKED).await
        })
        .await?;
    meter
        .step("Reload", async |tab| {
            tab.reload().await?;
            is(tab, IS_CHECKED).await
        })
        .await?;
    meter
        .step("Open the search", async |tab| {
            tab.goto(&studio.at(run)).await?;
            is(tab, IS_CHECKED).await
        })
        .await?;
    meter.tab.goto(&design).await?;
    meter
        .step("Start cabling", async |tab| {
            click(tab, "start-cabling").await?;
            is(
                tab,
                "location.pathname.endsWith('/cabling') && document.getElementById('cabling-total') !== null",
            )
            .await
        })
        .await?;
    meter
        .step("Cabling: a node", async |tab| {
            tab.goto(&format!("{design}/node/17")).await?;
            is(tab, "document.getElementById('node-name') !== null").await
        })
        .await?;
    meter
        .step("Library", async |tab| {
            tab.goto(&studio.at("/library")).await?;
            is(tab, "document.getElementById('library') !== null").await
        })
        .await?;
    traffic(meter, studio).await
}

/// Imports a matrix in which each of 1,024 ranks sends to every other.
async fn traffic(meter: &mut Meter<'_>, studio: &Studio) -> Result<()> {
    let dir = tempfile::tempdir()?;
    let path = dir.path().join("traffic.csv");
    let row =
        |from: u32| (0..1024).map(|to| (1 + (31 * from + 17 * to) % 997).to_string()).collect::<Vec<_>>();
    let rows: Vec<String> = (0..1024).map(|from| row(from).join(",")).collect();
    std::fs::write(&path, rows.join("\n"))?;
    meter.tab.goto(&studio.at("/")).await?;
    let can_be_used = "document.getElementById('traffic-use')?.disabled === false";
    meter
        .step("Traffic: 1,024 ranks", async |tab| {
            tab.find("button", "Start from measured traffic").await?.attach_all(&[path]).await?;
            is(tab, can_be_used).await
        })
        .await?;
    meter
        .step("Traffic: a share", async |tab| {
            tab.find("combobox", "Keep").await?.choose("Fewest pairs").await?;
            tab.field("Share of the traffic").await?.fill("90").await?;
            is(tab, can_be_used).await
        })
        .await
}
