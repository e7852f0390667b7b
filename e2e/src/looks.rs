//! Checks of every screen: what axe knows, accessible names, contrast, no overflow, visible focus.

use crate::{tab::Tab, target_dir};
use anyhow::{Context, Result, ensure};

/// What axe finds, a line each.
const AXE: &str =
    "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap(rule =>
    rule.nodes.slice(0, 3).map(node => `axe, ${rule.id}: ${rule.help}: ${node.html.slice(0, 110)}`)))";

/// Problems of the current page, one per line; empty if there are none.
///
/// # Errors
/// If the page cannot be read, or axe is not installed.
pub async fn faults(tab: &Tab) -> Result<Vec<String>> {
    let own = tab.evaluate(include_str!("looks.js")).await?;
    if tab.evaluate("typeof axe").await? == "undefined" {
        let path = target_dir().join("e2e/node/node_modules/axe-core/axe.min.js");
        let script = std::fs::read_to_string(&path)
            .with_context(|| format!("{}; e2e/setup.sh installs it", path.display()))?;
        tab.evaluate(&format!("{{ {script} }} 0")).await?;
    }
    let axe = tab.evaluate(AXE).await?;
    let lines = [own, axe].into_iter().flat_map(|found| found.as_array().cloned().unwrap_or_default());
    Ok(lines.filter_map(|line| line.as_str().map(str::to_owned)).collect())
}

/// Checks that nothing is wrong with the page as it stands.
///
/// # Errors
/// If something is.
pub async fn all_is_well(tab: &Tab) -> Result<()> {
    let faults = faults(tab).await?;
    ensure!(faults.is_empty(), "{} faults to the eye and the ear:\n{}", faults.len(), faults.join("\n"));
    Ok(())
}

/// Checks that nothing makes the page wider than the screen.
///
/// # Errors
/// If something does, with what it is.
pub async fn fits_the_width(tab: &Tab) -> Result<()> {
    let wide = tab
        .evaluate(
            "(() => {
                const width = document.documentElement.clientWidth;
                if (document.documentElement.scrollWidth <= width) return [];
                return [...document.querySelectorAll('body *')]
                    .filter(e => e.getBoundingClientRect().right > width + 1)
                    .map(e => e.outerHTML.slice(0, 100)).slice(0, 5);
            })()",
        )
        .await?;
    let wide = wide.as_array().cloned().unwrap_or_default();
    ensure!(wide.is_empty(), "wider than the screen: {wide:?}");
    Ok(())
}

/// Walks the page with the Tab key, and that every stop shows that it has the focus.
///
/// Returns the names of the stops.
///
/// # Errors
/// If a stop looks the same with focus and without.
pub async fn walk_by_keyboard(tab: &Tab, stops: usize) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for _ in 0..stops {
        tab.press("Tab").await?;
        let stop = tab
            .evaluate(
                "(() => {
                    const e = document.activeElement;
                    if (!e || e === document.body) return null;
                    const look = s => [s.outlineStyle !== 'none' && s.outlineWidth, s.outlineColor, s.boxShadow, s.borderColor, s.backgroundColor].join();
                    const focused = look(getComputedStyle(e));
                    e.blur();
                    const plain = look(getComputedStyle(e));
                    e.focus({focusVisible: true});
                    const name = (e.ariaLabel || e.labels?.[0]?.innerText || e.innerText || e.title || e.tagName).trim().slice(0, 60);
                    return {name, visible: focused !== plain, html: e.outerHTML.slice(0, 120)};
                })()",
            )
            .await?;
        if stop.is_null() {
            continue;
        }
        ensure!(stop["visible"] == serde_json::json!(true), "focus cannot be seen on {}", stop["html"]);
        names.push(stop["name"].as_str().unwrap_or_default().to_owned());
    }
    Ok(names)
}
