//! Scores of Lighthouse for each page, on a desktop and on a phone.
//!
//! `cargo bench --locked --package e2e --profile dev --bench lighthouse -- runs=3 only=node`. Each line is the best
//! run: other work on the machine only makes pages slower.

use anyhow::{Context, Result, ensure};
use e2e::{chromium::executable, http::ask, studio::Studio, target_dir, to_look_at};
use serde_json::{Value, json};
use std::process::Command;

const SPEC: &str = include_str!("../../assets/specs/kasy0.toml");
const WIRING: &str = include_str!("../../assets/wirings/kasy0.txt");

/// Max recordings of one page.
const ATTEMPTS: usize = 3;

fn main() -> Result<()> {
    let given =
        |name: &str| std::env::args().find_map(|a| Some(a.strip_prefix(name)?.strip_prefix('=')?.to_owned()));
    let runs: usize = given("runs").map_or(Ok(1), |runs| runs.parse()).context("runs")?;
    let only = given("only").unwrap_or_default();
    let studio = Studio::start(&[])?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let design = runtime.block_on(saved(&studio))?;
    let pages = [
        ("Start page", "/".to_owned()),
        ("Shared design", design.clone()),
        ("Shared node", format!("{design}/node/17")),
        ("Design", "/design".to_owned()),
        ("Labels", format!("{design}/labels")),
        ("Library", "/library".to_owned()),
    ];
    println!(
        "| page | on a | performance | accessibility | best practices | SEO | layout shift | first paint, s | largest paint, s | blocked, ms |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    for (name, path) in pages.iter().filter(|(name, _)| name.to_lowercase().contains(&only)) {
        for screen in ["desktop", "phone"] {
            let file = format!("lighthouse-{}-{screen}.json", name.to_lowercase().replace(' ', "-"));
            let reports = (0..runs.max(1)).map(|_| report(&studio.at(path), screen, &file));
            let reports = reports.collect::<Result<Vec<Value>>>()?;
            let best =
                reports.iter().max_by(|a, b| score(a, "performance").total_cmp(&score(b, "performance")));
            println!("{}", line(name, screen, best.context("a run")?));
        }
    }
    Ok(())
}

/// Saves KASY0 and starts its cabling. Returns its path.
async fn saved(studio: &Studio) -> Result<String> {
    let body = json!({ "spec": SPEC, "table": WIRING }).to_string();
    let saved = ask(studio, 1, "POST", "/api/designs", &body).await?.json()?;
    let id = saved["id"].as_str().with_context(|| saved.to_string())?;
    let started = ask(studio, 1, "POST", &format!("/api/designs/{id}/cabling"), "").await?;
    ensure!(started.status < 300, "cabling: {}", started.body);
    Ok(format!("/d/{id}"))
}

/// Runs Lighthouse, whose report stays in `target/e2e`.
fn report(url: &str, screen: &str, file: &str) -> Result<Value> {
    let program = target_dir().join("e2e/node/node_modules/.bin/lighthouse");
    ensure!(program.exists(), "there is no {}; e2e/setup.sh installs it", program.display());
    let path = to_look_at(file)?;
    let mut command = Command::new(program);
    command.arg(url).args(["--quiet", "--output=json", "--output-path"]).arg(&path);
    command.args(["--chrome-flags=--headless=new --no-sandbox --disable-gpu", "--max-wait-for-load=60000"]);
    if screen == "desktop" {
        command.arg("--preset=desktop");
    }
    command.env("CHROME_PATH", executable()?);
    for attempt in 1.. {
        let out = command.output().context("starting Lighthouse")?;
        if out.status.success() {
            break;
        }
        // Now and then it loses the start of its own recording, and asks for another run.
        let said = String::from_utf8_lossy(&out.stderr);
        ensure!(attempt < ATTEMPTS && said.contains("Please run Lighthouse again"), "{url}: {said}");
    }
    let report: Value = serde_json::from_slice(&std::fs::read(path)?)?;
    // A studio that does not start has the best figures.
    let errors = &report["audits"]["errors-in-console"];
    ensure!(errors["score"] == 1, "{url}: {}", errors["details"]["items"]);
    Ok(report)
}

/// The score of a category, in percent.
fn score(report: &Value, category: &str) -> f64 {
    100.0 * report["categories"][category]["score"].as_f64().unwrap_or_default()
}

fn line(page: &str, screen: &str, report: &Value) -> String {
    let scores = ["performance", "accessibility", "best-practices", "seo"];
    let scores = scores.map(|category| format!("{:.0}", score(report, category))).join(" | ");
    let value = |audit: &str| report["audits"][audit]["numericValue"].as_f64().unwrap_or_default();
    format!(
        "| {page} | {screen} | {scores} | {:.3} | {:.1} | {:.1} | {:.0} |",
        value("cumulative-layout-shift"),
        value("first-contentful-paint") / 1000.0,
        value("largest-contentful-paint") / 1000.0,
        value("total-blocking-time")
    )
}
