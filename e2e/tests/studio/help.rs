//! Help opens on the chapter of the page, and every shortcut that it lists works.

use crate::steps::{looks_well, open, pick, solve, text_of};
use anyhow::{Result, bail, ensure};
use e2e::{
    looks,
    tab::{DESKTOP, Tab},
    visit::visit,
};

/// Opens help by its button and returns the title of the chapter.
async fn chapter(tab: &Tab) -> Result<String> {
    tab.click("#help-open").await?;
    let title = "(document.querySelector('#help article h3')?.innerText ?? '')";
    tab.until("a chapter", &format!("{title} !== ''")).await?;
    Ok(tab.evaluate(title).await?.as_str().unwrap_or_default().to_owned())
}

#[test]
fn help_opens_on_the_chapter_of_the_page() {
    visit("help", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        solve(tab).await?;
        for (page, title) in [
            ("Library", "The library"),
            ("Map", "Search"),
            ("Compare", "Compare"),
            ("Labels", "labels"),
            ("Export", "Export"),
        ] {
            open(tab, page).await?;
            tab.click("#help-open").await?;
            let shown = format!("document.querySelector('#help article h3')?.innerText.includes({title:?})");
            tab.until(&format!("the chapter of {page}"), &shown).await?;
            if page != "Export" {
                tab.press("Escape").await?;
            }
        }
        looks_well(visit, "", &[("light", 1440), ("dark", 1024), ("light", 390), ("dark", 320)]).await?;
        let topics = "document.querySelector('#help .topics').offsetWidth / document.getElementById('help').offsetWidth";
        let share = tab.evaluate(topics).await?.as_f64().unwrap_or(1.0);
        ensure!(share < 0.3, "topics take {share} of the help");
        // Nothing is wider than the part of the sheet that shows it.
        let cut = "[...document.querySelectorAll('#help .topics button, #help article > div > :not(table)')].filter(e => e.scrollWidth > e.clientWidth + 1).length";
        ensure!(tab.evaluate(cut).await? == 0, "text is cut off");

        // A chapter that somebody turned to stays until the page is another one.
        tab.button("Glossary").await?.click().await?;
        let glossary = "document.querySelector('#help article h3')?.innerText === 'Glossary'";
        tab.until("the glossary", glossary).await?;
        tab.press("Escape").await?;
        ensure!(chapter(tab).await? == "Glossary");
        tab.press("Escape").await
    });
}

#[test]
fn sources_lead_to_the_references_and_terms_to_the_glossary() {
    visit("help-links", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        solve(tab).await?;
        open(tab, "Figures").await?;
        let opens = async |title: &str| {
            let shown = format!("document.querySelector('#help article h3')?.innerText === {title:?}");
            tab.until(title, &shown).await?;
            tab.press("Escape").await
        };
        tab.click("#figure-degree summary").await?;
        tab.click("#figure-degree cite button").await?;
        opens("References").await?;
        tab.click(".bounds .term").await?;
        tab.until("the word in the glossary", "document.querySelector('#help article').scrollTop > 0")
            .await?;
        opens("Glossary").await?;
        // A link replaces the chapter that is open.
        tab.click("#figure-degree cite button").await?;
        opens("References").await
    });
}

/// Checks that a condition becomes true after a key.
async fn leads_to(tab: &Tab, key: &str, condition: &str) -> Result<()> {
    let (name, modifiers) = match key.rsplit_once('+').filter(|(before, _)| !before.is_empty()) {
        Some((before, name)) => {
            (name, 2 * u32::from(before.contains("Ctrl")) + 8 * u32::from(before.contains("Shift")))
        }
        None => (key, 0),
    };
    let name = match name {
        "←" => "ArrowLeft",
        "→" => "ArrowRight",
        "↑" => "ArrowUp",
        "↓" => "ArrowDown",
        name => name,
    };
    tab.press_with(name, modifiers).await?;
    tab.until(&format!("{key}: {condition}"), condition).await
}

/// Makes a key's effect visible, presses it, and looks for the effect.
async fn works(tab: &Tab, key: &str) -> Result<()> {
    let on = |room: &str| format!("document.querySelector('#to-{room}[aria-current=page]') !== null");
    let nodes = |value: &str| format!("document.querySelector('#spec-nodes')?.value === {value:?}");
    let part = "document.getElementById('map-part').innerText";
    let rooms = ["design", "hardware", "compare", "step-time", "simulate", "labels", "export"];
    match key {
        "?" => {
            leads_to(tab, key, "document.getElementById('help').open").await?;
            leads_to(tab, "Escape", "!document.getElementById('help').open").await
        }
        "S" => leads_to(tab, key, "document.getElementById('run-state')?.textContent === 'Solved'").await,
        "M" => leads_to(tab, key, "document.activeElement.id === 'map'").await,
        "H" => {
            leads_to(tab, key, &on("hardware")).await?;
            leads_to(tab, key, &on("design")).await
        }
        "/" => {
            leads_to(tab, key, "document.activeElement.id === 'wiring-filter'").await?;
            open(tab, "Map").await
        }
        "Ctrl+Z" | "Ctrl+Shift+Z" | "Ctrl+Y" => {
            tab.field("Nodes").await?.fill("100").await?;
            tab.focus("#main").await?;
            if key == "Ctrl+Z" {
                return leads_to(tab, key, &nodes("128")).await;
            }
            leads_to(tab, "Ctrl+Z", &nodes("128")).await?;
            leads_to(tab, key, &nodes("100")).await?;
            leads_to(tab, "Ctrl+Z", &nodes("128")).await
        }
        "T" => {
            let before = tab.evaluate("document.getElementById('theme').ariaLabel").await?;
            leads_to(tab, key, &format!("document.getElementById('theme').ariaLabel !== {before}")).await
        }
        "←" | "→" | "↑" | "↓" => {
            tab.focus("#map").await?;
            // In the middle, so that every direction leads somewhere.
            for other in ["→", "→", "↓", "↓"] {
                leads_to(tab, other, "true").await?;
            }
            let before = text_of(tab, "under").await?;
            leads_to(tab, key, &format!("document.getElementById('under').textContent.trim() !== {before:?}"))
                .await
        }
        "+" | "-" | "0" => {
            tab.focus("#map").await?;
            let all = tab.evaluate(part).await?;
            leads_to(tab, "+", &format!("{part} !== {all}")).await?;
            match key {
                "+" => leads_to(tab, "0", &format!("{part} === {all}")).await,
                key => leads_to(tab, key, &format!("{part} === {all}")).await,
            }
        }
        "Escape" => {
            tab.focus("#main").await?;
            tab.evaluate("document.getElementById('share').open = true").await?;
            leads_to(tab, key, "!document.getElementById('share').open").await
        }
        digit => match digit.parse::<usize>().ok().and_then(|digit| rooms.get(digit - 1)) {
            Some(room) => {
                leads_to(tab, key, &on(room)).await?;
                open(tab, "Map").await
            }
            None => bail!("the story does not know {key}"),
        },
    }
}

#[test]
fn every_shortcut_that_help_lists_works() {
    visit("help-keys", DESKTOP, async |visit| {
        let tab = &visit.tab;
        pick(tab, "KASY0").await?;
        tab.until("it may be tried", "document.getElementById('start')?.disabled === false").await?;
        tab.click("#help-open").await?;
        tab.button("Keyboard shortcuts").await?.click().await?;
        tab.until("the list", "document.querySelectorAll('#help-keys kbd').length > 0").await?;
        looks::all_is_well(tab).await?;
        visit.picture("list").await?;
        let keys = tab
            .evaluate("[...document.querySelectorAll('#help-keys kbd')].map(key => key.innerText)")
            .await?;
        let keys: Vec<String> = serde_json::from_value(keys)?;
        tab.press("Escape").await?;
        ensure!(keys.len() > 20, "{keys:?}");
        for key in keys {
            works(tab, &key).await?;
        }
        Ok(())
    });
}
