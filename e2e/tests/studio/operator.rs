//! The operator's page: it lists all work, stops it, and opens nothing.

use crate::rights::something_long;
use anyhow::{Result, ensure};
use e2e::{
    looks,
    tab::{DESKTOP, PHONE, Screen},
    visit::{Visit, visit, visit_with},
};

const ROWS: &str = "document.querySelectorAll('#operator-jobs tbody tr').length";

#[test]
fn the_operator_sees_a_search_and_stops_it() {
    visit("operator", DESKTOP, async |visit| {
        let tab = &visit.tab;
        something_long(tab).await?;
        let id = tab.address().await.rsplit('/').next().unwrap_or_default().to_owned();
        let browser = visit.colleague().await?;
        let operator = browser.open(&visit.studio.at("/operator")).await?;
        operator.until("the search", &format!("{ROWS} === 1")).await?;
        let page = operator.evaluate("document.documentElement.outerHTML").await?;
        let page = page.as_str().unwrap_or_default();
        ensure!(page.contains("Search") && !page.contains(&id) && !page.contains("KASY0"), "{page}");
        operator.shows("Event streams").await?;
        // The figures change, the row and the focus stay.
        operator.focus("#operator-jobs button").await?;
        let seen = operator.evaluate("document.querySelector('[data-label=Time]').textContent").await?;
        operator
            .until(
                "newer figures",
                &format!("document.querySelector('[data-label=Time]').textContent !== {seen}"),
            )
            .await?;
        let focus = operator.evaluate("document.activeElement.ariaLabel").await?;
        ensure!(
            focus.as_str().is_some_and(|name| name.starts_with("Stop search")),
            "the focus is at {focus}"
        );
        looks::all_is_well(&operator).await?;
        operator.find("button", "Stop search").await?.click().await?;
        operator.shows("No work at the moment").await?;
        tab.until("it stops", "document.getElementById('run-state')?.textContent === 'Stopped'").await?;
        operator.has_no_troubles()?;
        browser.close().await
    });
}

#[test]
fn elsewhere_the_operators_token_opens_the_page() {
    let file = e2e::to_look_at("operator.token").expect("a folder");
    std::fs::write(&file, "the-token-of-the-operator\n").expect("a file");
    // A client from a proxy's address is no client of this machine.
    let flags = ["--trusted-proxy", "127.0.0.1", "--admin-token-file", file.to_str().expect("a path")];
    let flags: Vec<&'static str> = flags.map(|flag| &*flag.to_owned().leak()).into();
    visit_with(flags.leak(), "operator-token", DESKTOP, async |visit| {
        let tab = &visit.tab;
        tab.goto(&visit.studio.at("/operator")).await?;
        let field = tab.field("Operator’s token").await?;
        looks::all_is_well(tab).await?;
        field.fill("the-token-of-somebody-else").await?;
        tab.button("Open").await?.click().await?;
        tab.shows("The studio does not accept this token.").await?;
        ensure!(!tab.text().await?.contains("Budgets"), "figures without the token");
        looks::all_is_well(tab).await?;
        visit.picture("refused").await?;
        tab.forgive("403").await?;
        tab.field("Operator’s token").await?.fill("the-token-of-the-operator").await?;
        tab.focus("#operator-token").await?;
        tab.press("Enter").await?;
        tab.shows("No work at the moment.").await?;
        tab.reload().await?;
        tab.shows("No work at the moment.").await?;
        let kept =
            "JSON.stringify(localStorage).includes('the-token-of') || location.href.includes('the-token-of')";
        ensure!(tab.evaluate(kept).await? == false, "the token outlives the tab");
        Ok(())
    });
}

/// Starts work of every other kind, each for minutes.
const MORE: &str = r#"(() => {
    const post = (noun, body) => fetch(`/api/${noun}`, {
        method: 'POST', headers: {'content-type': 'application/json'}, body: JSON.stringify(body),
    }).catch(() => {});
    const switches = '[[switch]]\nports = 12\n';
    const spec = `pes = 64\nnis_per_pe = 3\nobjective = "universal"\n${switches}`;
    const board = {nis_from: '3', nis_to: '3', ports: '12', 'total.seconds': '600'};
    post('work', {kind: 'hardware', spec, form: board});
    post('work', {kind: 'simulation', form: {fabric: 'mesh:16x16', loads: '0.3', cycles: '20000000'}});
    const pattern = '[[pattern]]\nkind = "all-pairs"\n'.repeat(30);
    post('demand', {spec: `pes = 8192\nnis_per_pe = 8\nobjective = "fractional"\n${switches}${pattern}`});
})()"#;

async fn every_look(visit: &Visit) -> Result<()> {
    let tab = &visit.tab;
    something_long(tab).await?;
    tab.goto(&visit.studio.at("/operator")).await?;
    for scheme in ["light", "dark"] {
        tab.prefers(scheme).await?;
        tab.evaluate(MORE).await?;
        for kind in ["Search", "Hardware search", "Simulation", "Task /api/demand"] {
            tab.shows(kind).await?;
        }
        looks::all_is_well(tab).await?;
        looks::fits_the_width(tab).await?;
        visit.picture(scheme).await?;
    }
    Ok(())
}

fn look(name: &'static str, screen: Screen) {
    visit(name, screen, async |visit| every_look(visit).await);
}

#[test]
fn on_a_laptop() {
    look("operator-laptop", DESKTOP);
}

#[test]
fn on_a_phone() {
    look("operator-phone", PHONE);
}
