//! The time of a training step, from a spec without a job to the better buy.

use crate::steps::{complaint, open, pick};
use anyhow::{Result, ensure};
use e2e::{
    tab::{DESKTOP, PHONE},
    visit::{Visit, visit},
};

const JOB: &str = "pes = 16\nnis_per_pe = 2\nobjective = \"sparse\"\n\n[[switch]]\nports = 16\n\n[job]\ntp = 8\ndp = 8\npp = 2\n\n\
    [model]\nparameters = 7e9\nlayers = 32\nhidden = 4096\nsequence = 4096\nglobal_batch = 64\n";

async fn with_job(visit: &Visit) -> Result<()> {
    let tab = &visit.tab;
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
        tab.shows("Lowest network price per step").await?;
        visit.picture("baselines").await?;
        tab.field("Sustained rate per GPU").await?.fill("fast").await?;
        ensure!(complaint(tab, "Sustained rate per GPU").await?.contains("a number from"), "no complaint");
        tab.field("Sustained rate per GPU").await?.fill("100").await?;
        tab.until(
            "four times the computing",
            "document.getElementById('estimate-standing').innerText.includes('860')",
        )
        .await?;
        tab.button("Start").await?.click().await?;
        tab.until(
            "the wiring stands first",
            "document.querySelector('#estimate-table tbody tr')?.innerText.includes('This design')",
        )
        .await?;
        tab.shows("Busiest links: This design").await?;
        tab.shows("NCCL must be version 2.30.7 or later").await?;
        tab.until(
            "the pairs that NCCL connects",
            "document.querySelector('#connections summary')?.innerText.startsWith('NCCL connects all')",
        )
        .await?;
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
