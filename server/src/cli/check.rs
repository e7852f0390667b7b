//! `crosspoint check`: does a wiring keep its budget and serve every requested pair?

use super::{Answer, files, output, uncovered};
use anyhow::Result;
use clap::Args;
use shared::{analysis::bounds::advice, design::check, text::grouped};
use std::{fmt::Write, path::PathBuf};

/// Say whether every requested pair is served within budget (exit code 0) or not (1)
#[derive(Args)]
pub struct Check {
    /// The spec file
    spec: PathBuf,
    /// The wiring table
    design: PathBuf,
}

impl Check {
    /// Prints every broken limit and every uncovered pair.
    pub fn run(self) -> Result<Answer> {
        let request = files::read_spec(&self.spec)?;
        let design = files::read_wiring(&request, &self.design)?;
        let verdict = check(&request.spec, &request.demand, &design);
        if verdict.holds() {
            let pairs = grouped(verdict.requested);
            output::print(&format!("every one of {pairs} requested pairs is covered, within budget\n"))?;
            return Ok(Answer::Yes);
        }
        let mut text = String::new();
        for breach in &verdict.breaches {
            let _ = writeln!(text, "over budget: {breach}");
        }
        if !verdict.uncovered.is_empty() {
            let advice = advice(&request.spec, &request.demand, &verdict.uncovered);
            text += &uncovered::report(&verdict.uncovered, verdict.requested, usize::MAX, &advice);
        }
        output::print(&text)?;
        Ok(Answer::No)
    }
}
