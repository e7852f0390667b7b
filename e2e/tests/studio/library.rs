//! The library, workspaces, edit links, and two designs side by side.

use crate::{
    rights::something_long,
    steps::{cannot_stop, looks_well, pick, solve, text_of},
};
use anyhow::{Result, ensure};
use e2e::{
    looks,
    tab::{DESKTOP, Tab},
    visit::visit,
};

/// Colours and widths of the library.
const SCREENS: [(&str, u32); 4] = [("dark", 1440), ("light", 1440), ("light", 390), ("light", 320)];

const ROWS: &str = "document.querySelectorAll('#library-items tbody tr').length";

/// Makes a link with a button of the Share menu, and returns it.
async fn share(tab: &Tab, button: &str) -> Result<String> {
    tab.evaluate("document.getElementById('share').open = true").await?;
    tab.evaluate("document.getElementById('share-link').value = ''").await?;
    tab.button(button).await?.click().await?;
    tab.until("a link", "document.getElementById('share-link').value !== ''").await?;
    let link = tab.evaluate("document.getElementById('share-link').value").await?;
    tab.evaluate("document.getElementById('share').open = false").await?;
    Ok(link.as_str().unwrap_or_default().to_owned())
}

/// Opens the library with this many rows.
async fn library(tab: &Tab, rows: usize) -> Result<()> {
    tab.link("Library").await?.click().await?;
    tab.until(&format!("{rows} rows"), &format!("{ROWS} === {rows}")).await
}

/// A saved design of a solved KASY0.
async fn saved(tab: &Tab) -> Result<String> {
    pick(tab, "KASY0").await?;
    solve(tab).await?;
    share(tab, "Save design").await
}

#[test]
fn designs_and_runs_are_found_annotated_and_deleted() {
    visit("library", DESKTOP, async |visit| {
        let tab = &visit.tab;
        let design = saved(tab).await?;
        library(tab, 2).await?;
        tab.find("textbox", "Note of KASY0").await?.fill("rack 7\n").await?;
        tab.press("Tab").await?;
        tab.until("a note", "[...document.querySelectorAll('.note')].some(note => note.value === 'rack 7')")
            .await?;
        // A search has the figures and the map of its wiring, as a design has.
        for kind in ["Design", "Search, solved"] {
            let row = format!(
                "[...document.querySelectorAll('#library-items tbody tr')].find(row => row.innerText.includes({kind:?}))"
            );
            let shown = tab.evaluate(&format!("{row}.innerText")).await?;
            for text in ["128", "17 × 24 ports", "7,5", "Sparse", "100 %"] {
                ensure!(shown.as_str().is_some_and(|shown| shown.contains(text)), "no {text} in {shown}");
            }
            tab.until("the map", &format!("{row}.querySelector('img')?.naturalWidth === 1200")).await?;
        }
        looks_well(visit, "list-", &SCREENS).await?;
        tab.reload().await?;
        tab.until("the list", &format!("{ROWS} === 2")).await?;
        let pages = "[...document.querySelectorAll('#rooms a')].map(link => link.innerText).join()";
        let all = "Design,Hardware,Compare,Step time,Simulate,Labels,Export";
        tab.until("all pages", &format!("{pages} === {all:?}")).await?;
        tab.find("searchbox", "Search").await?.fill("RACK 128").await?;
        tab.until("one is found", &format!("{ROWS} === 1")).await?;
        tab.find("searchbox", "Search").await?.fill("design").await?;
        tab.until("the design", &format!("{ROWS} === 1")).await?;
        tab.button("Delete KASY0").await?.click().await?;
        tab.button("Keep").await?.click().await?;
        tab.button("Delete KASY0").await?.click().await?;
        tab.button("Delete for ever").await?.click().await?;
        tab.until("none is left", &format!("{ROWS} === 0")).await?;
        let other = visit.colleague().await?;
        let theirs = other.open(&design).await?;
        theirs.shows("This design was deleted on").await?;
        theirs.forgive("410").await?;
        theirs.has_no_troubles()?;
        other.close().await
    });
}

#[test]
fn a_workspace_has_a_view_link_and_an_edit_link() {
    visit("workspace", DESKTOP, async |visit| {
        let tab = &visit.tab;
        let design = saved(tab).await?;
        library(tab, 2).await?;
        tab.field("New workspace").await?.fill("Machine room").await?;
        tab.button("Create").await?.click().await?;
        tab.shows("You have the edit link").await?;
        tab.field("Link of a design or work").await?.fill(&design).await?;
        tab.button("Add").await?.click().await?;
        tab.until("the design", &format!("{ROWS} === 1")).await?;
        looks_well(visit, "owner-", &SCREENS).await?;
        let address = tab.address().await;
        ensure!(address.contains("/w/") && !address.contains('#'), "{address}");
        let secret = tab.evaluate("JSON.parse(localStorage.getItem('crosspoint.links')).at(-1)[1]").await?;
        let edit = format!("{address}#edit={}", secret.as_str().unwrap_or_default());

        let reader = visit.colleague().await?;
        let theirs = reader.open(&address).await?;
        theirs.shows("You have the view link").await?;
        theirs.until("the design", &format!("{ROWS} === 1")).await?;
        let controls =
            "document.querySelectorAll('#library-items .act button, .note, #copy-edit, #add-link').length";
        ensure!(theirs.evaluate(controls).await? == 0, "a reader may change something");
        theirs.has_no_troubles()?;
        reader.close().await?;

        let editor = visit.colleague().await?;
        let theirs = editor.open(&edit).await?;
        theirs.shows("You have the edit link").await?;
        ensure!(theirs.address().await == address, "the secret stays in the address bar");
        theirs.find("textbox", "Note of KASY0").await?.fill("from a colleague").await?;
        theirs.press("Tab").await?;
        theirs.until("it is saved", "document.querySelector('.note')?.value === 'from a colleague'").await?;
        tab.reload().await?;
        tab.until("the note", "document.querySelector('.note')?.value === 'from a colleague'").await?;
        theirs.button("Remove KASY0").await?.click().await?;
        theirs.shows("Nothing here yet").await?;
        theirs.field("Name").await?.fill("Second floor").await?;
        theirs.button("Rename").await?.click().await?;
        tab.reload().await?;
        tab.shows("Second floor").await?;
        theirs.button("Delete workspace").await?.click().await?;
        theirs.button("Delete for ever").await?.click().await?;
        theirs.until("the library", "document.getElementById('library') !== null").await?;
        ensure!(!theirs.text().await?.contains("Second floor"), "the workspace is still listed");
        tab.goto(&design).await?;
        tab.until("its note", "document.getElementById('design-note')?.textContent === 'from a colleague'")
            .await?;
        theirs.has_no_troubles()?;
        editor.close().await
    });
}

#[test]
fn a_copy_says_what_it_is_based_on() {
    visit("lineage", DESKTOP, async |visit| {
        let tab = &visit.tab;
        let design = saved(tab).await?;
        let other = visit.colleague().await?;
        let theirs = other.open(&design).await?;
        theirs
            .until(
                "the run",
                "document.getElementById('design-base')?.textContent.startsWith('the search of KASY0')",
            )
            .await?;
        theirs.button("Edit a copy").await?.click().await?;
        theirs.field("Name").await?.fill("Fork").await?;
        let unsaved = "!document.querySelector('header.bar').textContent.includes('Saved on the server')";
        theirs.until("an own draft", unsaved).await?;
        let fork = share(&theirs, "Save design").await?;
        ensure!(fork != design && fork.contains("/d/"), "{fork}");
        theirs.goto(&fork).await?;
        theirs
            .until(
                "the design",
                "document.getElementById('design-base')?.textContent.startsWith('KASY0 of 20')",
            )
            .await?;
        ensure!(text_of(&theirs, "design-generation").await? == "2");
        library(&theirs, 1).await?;
        theirs.shows("Version 2, based on KASY0 of 20").await?;
        theirs.has_no_troubles()?;
        other.close().await
    });
}

#[test]
fn an_edit_link_may_stop_and_a_view_link_watches() {
    visit("links", DESKTOP, async |visit| {
        let tab = &visit.tab;
        something_long(tab).await?;
        let view = share(tab, "View link").await?;
        let edit = share(tab, "Edit link").await?;
        let own = tab.evaluate("localStorage.getItem('crosspoint.edit')").await?;
        ensure!(
            edit.starts_with(&format!("{view}#edit=")) && !edit.contains(own.as_str().unwrap_or("?")),
            "{edit}"
        );
        let reader = visit.colleague().await?;
        let watching = reader.open(&view).await?;
        cannot_stop(&watching, "stop").await?;
        watching
            .until("two watch", "document.getElementById('watchers')?.textContent === '2 watching'")
            .await?;
        watching.button("Notify me").await?;
        std::fs::write(e2e::to_look_at("links-watching.png")?, watching.picture().await?)?;
        looks::all_is_well(&watching).await?;

        let editor = visit.colleague().await?;
        let theirs = editor.open(&edit).await?;
        theirs
            .until("it searches", "document.getElementById('run-state')?.textContent === 'Searching'")
            .await?;
        ensure!(theirs.address().await == view, "the secret stays in the address bar");
        watching
            .until("three watch", "document.getElementById('watchers')?.textContent === '3 watching'")
            .await?;
        theirs.button("Stop").await?.click().await?;
        watching.shows("Stopped.").await?;
        tab.until("it stops", "document.getElementById('run-state')?.textContent === 'Stopped'").await?;
        for tab in [&watching, &theirs] {
            tab.has_no_troubles()?;
        }
        reader.close().await?;
        editor.close().await
    });
}

#[test]
fn two_designs_are_compared_with_a_work_list() {
    visit("difference", DESKTOP, async |visit| {
        let tab = &visit.tab;
        let design = saved(tab).await?;
        tab.button("Try next seed").await?.click().await?;
        tab.until("seed 2", "document.querySelector('.budget')?.textContent.includes('seed 2')").await?;
        tab.until("it is solved", "document.getElementById('run-state')?.textContent === 'Solved'").await?;
        library(tab, 3).await?;
        ensure!(tab.evaluate("document.getElementById('compare-two').disabled").await? == true);
        for row in [1, 2] {
            tab.evaluate(&format!(
                "document.querySelectorAll('#library-items .pick input')[{row} - 1].click()"
            ))
            .await?;
        }
        tab.button("Compare two").await?.click().await?;
        tab.until("the table", "document.querySelectorAll('#difference-table tbody tr').length > 8").await?;
        ensure!(tab.address().await.contains("/compare/"));
        let heads = tab
            .evaluate("[...document.querySelectorAll('#difference-table thead a')].map(a => a.innerText)")
            .await?;
        let heads: [String; 2] = serde_json::from_value(heads)?;
        ensure!(heads[0] != heads[1] && heads.iter().all(|head| head.starts_with("KASY0, ")), "{heads:?}");
        let cells = "[...document.querySelectorAll('#difference-table tr')].map(row => [...row.cells].map(cell => cell.innerText))";
        let cells: Vec<[String; 4]> = serde_json::from_value(tab.evaluate(cells).await?)?;
        let row = |title: &str| {
            cells.iter().find(|row| row[0] == title).map(|row| row.each_ref().map(String::as_str))
        };
        ensure!(row("Figure").is_some_and(|head| head[3] == "Difference"), "{cells:?}");
        ensure!(row("Switches") == Some(["Switches", "17", "17", "0"]), "{cells:?}");
        let conclusion = text_of(tab, "difference-conclusion").await?;
        ensure!(conclusion == "Both cost the same; both cover every requested pair.", "{conclusion}");
        tab.until("the map", "document.getElementById('difference-map')?.naturalWidth === 1024").await?;
        let summary = text_of(tab, "recabling").await?;
        ensure!(summary.contains("to move") || summary.contains("No cable moves"), "{summary}");
        looks_well(visit, "page-", &SCREENS).await?;
        let list = tab
            .download("recabling.txt", async || tab.link("Work list as text").await?.click().await)
            .await?;
        let text = String::from_utf8(list.bytes()?)?;
        ensure!(text.starts_with("From KASY0 to KASY0\nCables: "), "{text}");
        tab.goto(&design).await?;
        tab.field("Compare with").await?.fill(&design).await?;
        tab.button("Compare").await?.click().await?;
        tab.shows("No cable moves").await
    });
}
