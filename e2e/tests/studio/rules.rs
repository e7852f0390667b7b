//! Hardware rules, a wiring to start from, and the uncovered pairs of a fractional network.

use crate::steps::{open, pick, solve, text_of};
use anyhow::{Result, ensure};
use e2e::{
    tab::{DESKTOP, Tab},
    visit::visit,
};

async fn unfold(tab: &Tab) -> Result<()> {
    tab.click("#open-rules").await?;
    tab.until("the rules", "document.getElementById('spec-rack') !== null").await
}

#[test]
fn a_rule_complains_beside_its_field() {
    visit("rules", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        unfold(tab).await?;
        for button in ["Add a switch", "Add a placement", "Add a rack"] {
            // The first is also the start of another button's name.
            let buttons = tab.all("button").await?;
            let button = buttons.iter().find(|b| b.name.trim() == button);
            button.ok_or_else(|| anyhow::anyhow!("no such button"))?.click().await?;
        }
        tab.until("it may be searched for", "document.getElementById('start')?.disabled === false").await?;
        let fill = async |id: &str, text: &str| {
            let script = format!(
                "(() => {{ const e = document.getElementById({id:?}); e.value = {text:?}; \
                 e.dispatchEvent(new Event('input', {{bubbles: true}})); }})()"
            );
            tab.evaluate(&script).await.map(drop)
        };
        fill("spec-placement-0-nodes", "0-3, x").await?;
        tab.until("a message", "document.getElementById('spec-placement-0-nodes-fault')?.hidden === false")
            .await?;
        fill("spec-placement-0-nodes", "0-3").await?;
        fill("spec-rack-0-nodes", "100").await?;
        tab.until(
            "beside the racks",
            "document.querySelector('#spec-rack')?.innerText.includes('but the spec has 128')",
        )
        .await?;
        visit.picture("message").await?;
        tab.press("Escape").await?;
        tab.until("the line says which", "document.querySelector('#open-rules .summary')?.textContent === 'Port reservation · Placement · Rack'").await?;
        tab.until(
            "and that one is wrong",
            "document.querySelector('#open-rules .fault')?.textContent === '1 fault'",
        )
        .await?;
        unfold(tab).await?;
        fill("spec-rack-0-nodes", "128").await?;
        solve(tab).await?;
        tab.button("TOML").await?.click().await?;
        let text = tab.field("Spec as TOML").await?.value().await?;
        for table in ["[[keep]]", "[[placement]]", "[[rack]]"] {
            ensure!(text.contains(table), "no {table} in\n{text}");
        }
        Ok(())
    });
}

#[test]
fn a_search_goes_on_from_the_wiring_on_screen() {
    visit("start-from", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        solve(tab).await?;
        open(tab, "Wiring").await?;
        let buttons = tab.all("button").await?;
        let start = buttons.iter().rfind(|b| b.name.trim() == "Start from this wiring");
        start.ok_or_else(|| anyhow::anyhow!("no such button"))?.click().await?;
        unfold(tab).await?;
        tab.until(
            "the table is in the spec",
            "document.getElementById('spec-start-table')?.value.startsWith('0: ')",
        )
        .await?;
        tab.field("Max moved cables").await?.fill("0").await?;
        visit.picture("seen").await?;
        solve(tab).await
    });
}

#[test]
fn what_a_fractional_network_leaves_out_is_listed_by_weight() {
    visit("fractional", DESKTOP, async |visit| {
        let tab = &visit.tab;
        tab.button("TOML").await?.click().await?;
        let spec = "name = \"Fraction\"\npes = 16\nnis_per_pe = 1\nobjective = \"fractional\"\n[[switch]]\nports = 4\n\
                    [[pattern]]\nkind = \"ring\"\nweight = 5\n[[pattern]]\nkind = \"hypercube\"\n";
        tab.field("Spec as TOML").await?.fill(spec).await?;
        tab.until("the spec is read", "document.getElementById('session-name').textContent === 'Fraction'")
            .await?;
        open(tab, "Wiring").await?;
        tab.click("#import > summary").await?;
        let table = "0: 0 1 2 3\n1: 4 5 6 7\n2: 8 9 10 11\n3: 12 13 14 15\n";
        tab.field("One line per switch").await?.fill(table).await?;
        tab.button("Use this table").await?.click().await?;
        tab.until("the list", "document.querySelectorAll('#left-out tbody tr').length > 3").await?;
        let weights = tab
            .evaluate(
                "[...document.querySelectorAll('#left-out tbody td.number')].map(e => Number(e.textContent))",
            )
            .await?;
        let weights: Vec<f64> = serde_json::from_value(weights)?;
        ensure!(weights.is_sorted_by(|a, b| a >= b), "{weights:?}");
        ensure!(
            text_of(tab, "standing").await?.contains("of the weight covered, 20 of 40"),
            "another verdict"
        );
        let covered = text_of(tab, "weight-covered").await?;
        ensure!(covered.contains('%') && covered.contains(" of "), "{covered}");
        visit.picture("seen").await?;

        tab.field("Time limit").await?.fill("1").await?;
        tab.button("Start").await?.click().await?;
        tab.until("it ends", "document.getElementById('run-state')?.textContent === 'Limit reached'").await?;
        tab.until(
            "the weight beside the count",
            "document.getElementById('headline-weight')?.textContent.includes('of the weight covered')",
        )
        .await
    });
}

#[test]
fn rails_keep_each_nic_on_its_plane() {
    visit("rails", DESKTOP, async |visit| {
        let tab = &visit.tab;
        tab.button("TOML").await?.click().await?;
        let spec = "name = \"Rails\"\npes = 16\nnis_per_pe = 4\n[[switch]]\nports = 8\n[[pattern]]\nkind = \"hypercube\"\n\
                    [[pattern]]\nkind = \"ring\"\n";
        tab.field("Spec as TOML").await?.fill(spec).await?;
        tab.until("the spec is read", "document.getElementById('session-name').textContent === 'Rails'")
            .await?;
        tab.button("Form").await?.click().await?;
        unfold(tab).await?;
        tab.until("the box", "document.getElementById('spec-rail') !== null").await?;
        tab.click("#spec-rail").await?;
        solve(tab).await?;
        ensure!(text_of(tab, "standing").await?.starts_with("Checked: all"), "not valid");
        visit.picture("solved").await?;
        tab.press("Escape").await?;
        open(tab, "Wiring").await?;
        let buttons = tab.all("button").await?;
        let start = buttons.iter().rfind(|b| b.name.trim() == "Start from this wiring");
        start.ok_or_else(|| anyhow::anyhow!("no such button"))?.click().await?;
        unfold(tab).await?;
        let table = "document.getElementById('spec-start-table')?.value";
        tab.until("the table is in the spec", &format!("{table}?.startsWith('0: ')")).await?;
        let table = tab.evaluate(table).await?;
        // Two switches of 8 ports hold the 16 nodes of a plane.
        let mut planes = [0; 4];
        let mut on = [[false; 16]; 4];
        for line in table.as_str().unwrap_or_default().lines() {
            let (switch, nodes) = line.split_once(": ").ok_or_else(|| anyhow::anyhow!("{line}"))?;
            let plane = switch.parse::<usize>()? / 2;
            for node in nodes.split_whitespace() {
                planes[plane] += 1;
                on[plane][node.parse::<usize>()?] = true;
            }
        }
        ensure!(planes == [16; 4] && on == [[true; 16]; 4], "{table}");
        Ok(())
    });
}
