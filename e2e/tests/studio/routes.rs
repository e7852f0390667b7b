//! The routes of a pair, without failures and with a failed switch.

use crate::steps::{complaint, kasy0, kasy0_wiring, open, text_of};
use anyhow::{Context, Result, ensure};
use e2e::{
    gallery_spec,
    studio::crosspoint,
    tab::{DESKTOP, Tab},
    visit::visit,
};
use std::collections::BTreeSet;

/// The text of each row of a table, its cells with a bar between them.
async fn rows(tab: &Tab, table: &str) -> Result<Vec<String>> {
    let script = format!(
        "[...document.querySelectorAll('#{table} tbody tr')].map(row => \
         [...row.cells].map(cell => cell.innerText.trim()).join(' | '))"
    );
    Ok(serde_json::from_value(tab.evaluate(&script).await?)?)
}

/// The switches of each PE, by the table.
fn switches_of(pe: u32) -> Result<BTreeSet<u32>> {
    let mut switches = BTreeSet::new();
    for line in kasy0_wiring()?.lines() {
        let (switch, members) = line.split_once(':').context("a line of the table")?;
        if members.split_whitespace().any(|member| member == pe.to_string()) {
            switches.insert(switch.trim().parse()?);
        }
    }
    Ok(switches)
}

/// The first PE that shares exactly one switch with PE 0, and that switch.
fn a_pair() -> Result<(u32, u32)> {
    let own = switches_of(0)?;
    for pe in 1..128 {
        let both = switches_of(pe)?;
        let shared: Vec<&u32> = own.intersection(&both).collect();
        if let [&switch] = shared[..] {
            return Ok((pe, switch));
        }
    }
    anyhow::bail!("no PE shares a single switch with PE 0")
}

#[test]
fn two_pes_find_another_way_when_their_switch_dies() {
    visit("routes", DESKTOP, async |visit| {
        let tab = &visit.tab;
        let (other, switch) = a_pair()?;
        kasy0(tab).await?;
        open(tab, "Routes").await?;
        tab.field("To node").await?.fill(&other.to_string()).await?;
        tab.shows(&format!("From node000 to node{other:03}")).await?;
        let name = format!("sw{switch:02}");
        let shared = rows(tab, "shared-table").await?;
        ensure!(
            matches!(&shared[..], [row] if row.starts_with(&name) && row.ends_with("basic route")),
            "{shared:?}"
        );
        let ways = rows(tab, "ways-table").await?;
        ensure!(ways.len() == 3 && ways.iter().all(|way| way.contains(&name)), "{ways:?}");
        lines_are_the_files_own(tab, "").await?;
        tab.shows("No failed parts").await?;
        visit.picture("alive").await?;

        tab.field("Failed parts").await?.fill(&name).await?;
        tab.until("the damage", "document.getElementById('damage-table') !== null").await?;
        tab.until("the new routes", "document.getElementById('shared-table').innerText.includes('failed')")
            .await?;
        let shared = rows(tab, "shared-table").await?;
        ensure!(shared.len() == 1 && shared[0].ends_with("failed"), "{shared:?}");
        let ways = rows(tab, "ways-table").await?;
        ensure!(ways[0].contains("no route") && ways[0].contains("no route to this node"), "{ways:?}");
        ensure!(ways[1..].iter().all(|way| way.contains("through node")), "{ways:?}");
        lines_are_the_files_own(tab, &name).await?;
        as_many_are_lost_as_the_command_line_says(tab, &name).await?;
        visit.picture("dead").await
    });
}

/// A file as the command line writes it, with failed parts.
fn exported(format: &str, dead: &str, pe: Option<u32>) -> Result<String> {
    let dir = tempfile::tempdir()?;
    let (spec, table) = (dir.path().join("spec.toml"), dir.path().join("table"));
    std::fs::write(&spec, gallery_spec("kasy0")?)?;
    std::fs::write(&table, kasy0_wiring()?)?;
    let mut arguments = vec!["export".to_owned(), spec.display().to_string(), table.display().to_string()];
    arguments.push(format!("--format={format}"));
    arguments.extend(pe.map(|pe| format!("--pe={pe}")));
    arguments.extend((!dead.is_empty()).then(|| format!("--with=dead={dead}")));
    let out = crosspoint(&arguments)?;
    ensure!(out.status.success(), "{format}: {}", String::from_utf8_lossy(&out.stderr));
    Ok(String::from_utf8(out.stdout)?)
}

/// The lines that the page shows are those of the files that the command line writes, by number and text.
async fn lines_are_the_files_own(tab: &Tab, dead: &str) -> Result<()> {
    for format in ["script", "multipath", "preload"] {
        let script = format!(
            "[...document.querySelectorAll('#ways-table tr')].find(row => row.querySelector('code')?.innerText === '{format}')\
             ?.querySelector('pre')?.innerText ?? ''"
        );
        let shown = tab.evaluate(&script).await?;
        let shown = shown.as_str().unwrap_or_default();
        ensure!(shown.is_empty() == (format == "script" && !dead.is_empty()), "{format}: {shown:?}");
        let file = exported(format, dead, Some(0))?;
        for line in shown.lines().filter(|line| !line.trim().is_empty()) {
            let (number, text) = line.trim_start().split_once("  ").context("a number before a line")?;
            let at: usize = number.parse()?;
            ensure!(file.lines().nth(at - 1) == Some(text), "{format}, line {at}: {text:?}");
        }
    }
    Ok(())
}

/// The number of requested pairs that lose paths is that of the command line's list.
async fn as_many_are_lost_as_the_command_line_says(tab: &Tab, dead: &str) -> Result<()> {
    let list = exported("losses", dead, None)?;
    let requested = list.lines().filter(|line| line.split(',').nth(2) == Some("yes")).count();
    let damage = rows(tab, "damage-table").await?;
    let numbers = damage[0].split(" | ").skip(1).map(|cell| cell.replace(',', "").parse::<usize>());
    let shown: usize = numbers.collect::<Result<Vec<_>, _>>()?.iter().sum();
    ensure!(shown == requested && shown > 0, "the page counts {shown}, the list {requested}");
    Ok(())
}

#[test]
fn what_is_no_part_of_the_machine_is_said_beside_its_field() {
    visit("routes-faults", DESKTOP, async |visit| {
        let tab = &visit.tab;
        kasy0(tab).await?;
        open(tab, "Routes").await?;
        tab.until("the ways", "document.getElementById('ways-table') !== null").await?;
        tab.field("Failed parts").await?.fill("sw99 lamp").await?;
        let told = complaint(tab, "Failed parts").await?;
        ensure!(told.contains("lamp") && told.contains("node005.nic1"), "{told}");
        tab.field("Failed parts").await?.fill("sw99").await?;
        tab.until(
            "the range",
            "document.getElementById('route-dead-fault').innerText.includes('switches are 0 to 16')",
        )
        .await?;
        tab.field("To node").await?.fill("128").await?;
        ensure!(complaint(tab, "To node").await?.contains("0 to 127"), "no range of PEs");
        visit.picture("refused").await?;
        tab.field("Failed parts").await?.fill("").await?;
        tab.field("To node").await?.fill("node001").await?;
        tab.shows("From node000 to node001").await?;
        ensure!(text_of(tab, "route-dead-fault").await?.trim_end_matches(':').len() < 15, "a fault is left");
        Ok(())
    });
}
