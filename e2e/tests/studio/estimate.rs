//! The time of a training step, from a spec without a job to the better buy.

use crate::{
    compare::collisions,
    steps::{complaint, open, panel, pick, text_of},
};
use anyhow::{Result, ensure};
use e2e::{
    http,
    tab::{DESKTOP, PHONE},
    visit::{Visit, visit},
};
use serde_json::json;

const JOB: &str = "pes = 16\nnis_per_pe = 2\nobjective = \"sparse\"\n\n[[switch]]\nports = 16\n\n[job]\ntp = 8\ndp = 8\npp = 2\n\n\
    [model]\nparameters = 7e9\nlayers = 32\nhidden = 4096\nsequence = 4096\nglobal_batch = 64\n";

async fn with_job(visit: &Visit) -> Result<()> {
    let tab = &visit.tab;
    open(tab, "Design").await?;
    panel(tab, "Spec").await?;
    tab.button("TOML").await?.click().await?;
    tab.field("Spec as TOML").await?.fill(JOB).await?;
    open(tab, "Step time").await?;
    tab.until("the table", "document.querySelectorAll('#estimate-table tbody tr').length > 3").await
}

#[test]
fn a_step_is_timed_on_the_wiring_and_on_other_networks() {
    visit("estimate", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        open(tab, "Step time").await?;
        tab.shows("Step times need a training job").await?;
        with_job(visit).await?;
        tab.shows("16 nodes, 128 GPUs").await?;
        tab.shows("Lowest network price per step: 2 rails, one 16-port switch each; ").await?;
        tab.shows("Not counted: Tensor parallelism inside nodes (").await?;
        ensure!(
            collisions(tab, ".compare-plots svg").await?.is_empty(),
            "{:?}",
            collisions(tab, ".compare-plots svg").await?
        );
        visit.picture("baselines").await?;
        tab.field("Sustained rate per GPU").await?.fill("fast").await?;
        ensure!(complaint(tab, "Sustained rate per GPU").await?.contains("a number from"), "no complaint");
        tab.field("Sustained rate per GPU").await?.fill("100").await?;
        tab.until(
            "four times the computing",
            "document.getElementById('estimate-standing').innerText.includes('860')",
        )
        .await?;
        open(tab, "Design").await?;
        tab.button("Start").await?.click().await?;
        tab.until(
            "the pairs that NCCL connects",
            "document.querySelector('#connections summary')?.innerText.startsWith('NCCL connects all')",
        )
        .await?;
        open(tab, "Step time").await?;
        tab.until(
            "the wiring stands first",
            "document.querySelector('#estimate-table tbody tr')?.innerText.includes('This design')",
        )
        .await?;
        tab.shows("Busiest links: This design").await?;
        let said = text_of(tab, "estimate-verdict").await?;
        ensure!(
            said.starts_with(
                "This design has the same step time and price as the next network (2 rails, one"
            ),
            "{said}"
        );
        let code = "document.querySelector('#estimate-table [title=\"planes:2,switch:16\"]')?.innerText";
        ensure!(tab.evaluate(code).await? == "2 rails, one 16-port switch each", "a code instead of a name");
        ensure!(
            text_of(tab, "estimate-columns").await?.starts_with("8 of 11 columns"),
            "the choice of columns"
        );
        tab.shows("NCCL must be version 2.30.7 or later").await?;
        tab.evaluate("document.getElementById('estimate-table').scrollIntoView({ block: 'start' })").await?;
        visit.picture("design").await?;
        Ok(())
    });
}

#[test]
fn it_fits_a_dark_phone() {
    visit("estimate-phone", PHONE, async |visit| {
        visit.tab.prefers("dark").await?;
        pick(&visit.tab, "KASY0").await?;
        with_job(visit).await?;
        visit
            .tab
            .evaluate("document.getElementById('estimate-table').scrollIntoView({ block: 'start' })")
            .await?;
        visit.picture("phone").await
    });
}

#[test]
fn the_step_time_of_another_browser_is_watched_and_a_reload_stops_ones_own() {
    visit("estimate-long", DESKTOP, async |visit| {
        let (tab, studio) = (&visit.tab, &visit.studio);
        let spec = include_str!("../../../assets/specs/llama405b.toml");
        let body = json!({ "kind": "estimate", "spec": spec, "form": { "failures": "64" } });
        let id = http::start(studio, &body).await?;
        tab.goto(&studio.at(&format!("/work/{id}"))).await?;
        tab.shows("Another browser started this; only that browser can stop it.").await?;
        ensure!(tab.evaluate("document.getElementById('estimate-stop') === null").await? == true, "a Stop");
        visit.picture("of-others").await?;
        let stopped = http::ask(studio, 1, "POST", &format!("/api/work/{id}/stop"), "").await?;
        ensure!(stopped.status == 200, "{}", stopped.status);
        // One of its own, long enough to be kept.
        tab.field("Failures to try").await?.fill("63").await?;
        tab.until("it may be stopped", "document.getElementById('estimate-stop') !== null").await?;
        tab.until(
            "its networks",
            "/network \\d of/.test(document.getElementById('estimate-standing').innerText)",
        )
        .await?;
        tab.reload().await?;
        for _ in 0..200 {
            let work = http::ask(studio, 1, "GET", "/api/operator", "").await?.json()?;
            if work["work"].as_array().is_some_and(Vec::is_empty) {
                return Ok(());
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        anyhow::bail!("it goes on after a reload")
    });
}
