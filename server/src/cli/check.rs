//! `crosspoint check`: does a wiring keep its budget and serve every requested pair?

use super::{Answer, files, output, uncovered};
use anyhow::Result;
use clap::Args;
use shared::{analysis::bounds::advice, design::check};
use std::{fmt::Write, path::PathBuf};

/// Say whether a wiring serves every requested pair within budget (exit code 0) or not (1)
///
/// Names every limit that the wiring breaks and every pair that it leaves uncovered; where the objective is fractional, the
/// heaviest first and with the share of the weight that is served.
#[derive(Args)]
pub struct Check {
    /// The spec file, or - for standard input
    spec: PathBuf,
    /// The wiring table, or - for standard input
    design: PathBuf,
}

impl Check {
    /// Prints every broken limit and every uncovered pair.
    pub fn run(self) -> Result<Answer> {
        let (request, design) = files::read_both(&self.spec, &self.design)?;
        let verdict = check(&request.spec, &request.demand, &design);
        let mut text = String::new();
        if verdict.holds() {
            let _ = writeln!(text, "{}, within budget", uncovered::none(verdict.requested));
            text += &uncovered::besides(&verdict);
            output::print(&text)?;
            return Ok(Answer::Yes);
        }
        for breach in &verdict.breaches {
            let _ = writeln!(text, "over budget: {breach}");
        }
        if !verdict.uncovered.is_empty() {
            let advice = advice(&request.spec, &request.demand, &verdict.uncovered);
            text += &uncovered::told(&request, &verdict, usize::MAX, &advice);
        }
        output::print(&text)?;
        Ok(Answer::No)
    }
}
