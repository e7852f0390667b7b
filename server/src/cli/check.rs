//! `crosspoint check`: does a wiring keep its budget and serve every requested pair, and is the machine wired so?

use super::{Answer, files, output, uncovered};
use crate::counts::advise;
use anyhow::{Result, anyhow, bail};
use clap::Args;
use shared::{
    analysis::audit,
    design::{Design, check},
};
use std::{
    fmt::Write,
    path::{Path, PathBuf},
};

/// What nodes say of a neighbour is below this: lldpctl takes about 1 kB in its longest form.
const LLDP_BYTES_A_CABLE: u64 = 8 << 10;
const LLDP_BYTES: u64 = 16 << 20;

/// Say whether a wiring serves every requested pair within budget (exit code 0) or not (1)
///
/// Names every limit that the wiring breaks and every pair that it leaves uncovered; where the objective is fractional, the
/// heaviest first and with the share of the weight that is served.
///
/// With --lldp it is about the machine instead: which cables are where the wiring says (exit code 0: all of them), which
/// are swapped, elsewhere or missing. What nodes print may stand in one file, one after another, each after a line with
/// the node's name, as `pdsh` and `ansible` write it.
#[derive(Args)]
pub struct Check {
    /// The spec file, or - for standard input
    spec: PathBuf,
    /// The wiring table, or - for standard input
    design: PathBuf,
    /// What nodes say of their neighbours: the output of lldpctl (plain, keyvalue or json) or of a switch's `show lldp
    /// neighbors`; - for standard input
    #[arg(long, value_name = "FILE")]
    lldp: Option<PathBuf>,
    /// With --lldp: what nodes call NIs, without their number
    #[arg(long, value_name = "NAME", default_value = "eth", requires = "lldp")]
    interface: String,
}

impl Check {
    /// Prints every broken limit and every uncovered pair.
    pub fn run(self) -> Result<Answer> {
        let standard = Path::new(files::STANDARD);
        if self.lldp.as_deref() == Some(standard) && (self.spec == standard || self.design == standard) {
            bail!("--lldp and SPEC or DESIGN are both standard input; one of them has to be a file");
        }
        let (request, design) = files::read_both(&self.spec, &self.design)?;
        if let Some(lldp) = &self.lldp {
            return self.machine(&design, lldp);
        }
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
            let advice = advise(&request.spec, &request.demand, &verdict);
            text += &uncovered::told(&request, &verdict, usize::MAX, &advice);
        }
        output::print(&text)?;
        Ok(Answer::No)
    }
    /// Prints which cables of the machine are not where the wiring says.
    fn machine(&self, design: &Design, lldp: &Path) -> Result<Answer> {
        let text = files::read_text(lldp, LLDP_BYTES + LLDP_BYTES_A_CABLE * design.cables() as u64)?;
        let audit = audit::audit(design, &text, &self.interface).map_err(|faults| {
            let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
            anyhow!("{} tells of no neighbours:\n{}", files::name(lldp), lines.join("\n"))
        })?;
        let mut told = String::new();
        let _ = audit.tell(design, &mut told);
        output::print(&told)?;
        Ok(if audit.holds() { Answer::Yes } else { Answer::No })
    }
}
