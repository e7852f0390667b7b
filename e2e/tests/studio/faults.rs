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
        tab.shows("Values that meet this bound").await?;
        ensure!(!tab.button("Start").await?.is_enabled().await?, "it may be searched for all the same");
        visit.picture("proof").await?;
        // A button sets a value that no bound refuses, and one undo takes it back.
        tab.evaluate(
            "[...document.querySelectorAll('#refusal button')].find(b => b.innerText.startsWith('Set ports to')).click()",
        )
        .await?;
        tab.until("more ports", "document.getElementById('spec-switch-0-ports').value !== '8'").await?;
        tab.until("no proof", "document.getElementById('refusal') === null").await?;
        tab.until("it may be tried", "document.getElementById('start').disabled === false").await?;
        tab.button("Undo").await?.click().await?;
        tab.until("as before", "document.getElementById('spec-switch-0-ports').value === '8'").await
    });
}

#[test]
fn an_unreadable_spec_names_its_line() {
    visit("toml", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        tab.button("TOML").await?.click().await?;
        let text = tab.field("Spec as TOML").await?;
        ensure!(text.value().await?.contains("nics_per_node = 3"), "the text is not the form's");
        text.fill("name = \"x\"\npes = = 12").await?;
        tab.shows("Line 2").await?;
        // The form leads back to the line.
        tab.button("Form").await?.click().await?;
        tab.button("Show them in the text").await?.click().await?;
        tab.shows("Line 2").await?;
        let text = tab.field("Spec as TOML").await?;
        text.fill(&e2e::gallery_spec("lab16")?).await?;
        tab.button("Form").await?.click().await?;
        tab.until("the form follows", "document.getElementById('session-name').textContent === 'Lab of 16'")
            .await?;
        ensure!(tab.field("Nodes").await?.value().await? == "16", "the form does not follow the text");
        ensure!(text_of(tab, "session-name").await? == "Lab of 16", "another name");
        Ok(())
    });
}

#[test]
fn a_mark_leads_to_the_line_of_a_fault() {
    visit("toml-marks", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        tab.button("TOML").await?.click().await?;
        let area = tab.field("Spec as TOML").await?;
        let text = area
            .value()
            .await?
            .replace("dims = [8, 4, 4]", "dims = [8, 4, 5]")
            .replace("ports = 24", "ports = 0");
        area.fill(&text).await?;
        tab.until("two marks", "document.querySelectorAll('.mark').length === 2").await?;
        let line = |part: &str| text.lines().position(|line| line.contains(part)).unwrap_or_default() + 1;
        let marks =
            tab.evaluate("[...document.querySelectorAll('.mark')].map(e => Number(e.textContent))").await?;
        ensure!(marks == serde_json::json!([line("ports = 0"), line("8, 4, 5")]), "{marks}");
        let chosen =
            "(area => area.value.slice(area.selectionStart, area.selectionEnd))(document.activeElement)";
        tab.click(".mark:last-of-type").await?;
        tab.until("its line", &format!("{chosen} === 'dims = [8, 4, 5]'")).await?;
        tab.click("#spec-faults button").await?;
        tab.until("the other line", &format!("{chosen} === 'ports = 0'")).await?;
        // Text and faults are in sight together.
        for (width, height) in [(1440, 900), (1024, 768), (390, 844)] {
            tab.resize(width, height).await?;
            crate::steps::panel(tab, "Spec").await?;
            let seen = "['spec-text', 'spec-faults'].every(id => (b => b.top >= 0 && b.bottom <= innerHeight && b.height > 40)(document.getElementById(id).getBoundingClientRect()))";
            ensure!(tab.evaluate(seen).await? == true, "{width}: text or faults are out of sight");
            e2e::looks::fits_the_width(tab).await?;
            visit.picture(&width.to_string()).await?;
        }
        Ok(())
    });
}
