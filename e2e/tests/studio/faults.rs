//! Bad input: a message beside the field, and an unchanged session.

use crate::steps::{complaint, pick, solve, text_of, wiring};
use anyhow::ensure;
use e2e::{tab::DESKTOP, visit::visit};

#[test]
fn a_field_out_of_range_complains_beside_itself_and_harms_nothing() {
    visit("faults", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        solve(tab).await?;
        let before = wiring(tab).await?;
        let field = tab.field("NICs per node").await?;
        field.fill("99").await?;
        let told = complaint(tab, "NICs per node").await?;
        ensure!(told.contains("64"), "beside the field: {told}");
        visit.picture("message").await?;
        ensure!(!tab.button("Start").await?.is_enabled().await?, "a search may start with a fault");
        ensure!(tab.field("Nodes").await?.value().await? == "128", "another field changed");
        ensure!(wiring(tab).await? == before, "the wiring is gone");
        field.fill("3").await?;
        tab.shows("Checked: all 1,536").await
    });
}

#[test]
fn a_spec_that_no_hardware_satisfies_is_refused_with_its_bound() {
    visit("refused", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        tab.field("Ports").await?.fill("8").await?;
        tab.shows("No wiring can exist").await?;
        tab.shows("Sufficient values").await?;
        ensure!(!tab.button("Start").await?.is_enabled().await?, "it may be searched for all the same");
        visit.picture("proof").await
    });
}

#[test]
fn an_unreadable_spec_names_its_line() {
    visit("toml", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        tab.button("TOML").await?.click().await?;
        let text = tab.field("Spec as TOML").await?;
        ensure!(text.value().await?.contains("nis_per_pe = 3"), "the text is not the form's");
        text.fill("name = \"x\"\npes = = 12").await?;
        tab.shows("line 2").await?;
        text.fill(&e2e::gallery_spec("lab16")?).await?;
        tab.button("Form").await?.click().await?;
        tab.until("the form follows", "document.getElementById('session-name').textContent === 'Lab of 16'")
            .await?;
        ensure!(tab.field("Nodes").await?.value().await? == "16", "the form does not follow the text");
        ensure!(text_of(tab, "session-name").await? == "Lab of 16", "another name");
        Ok(())
    });
}
