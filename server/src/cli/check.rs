//! `crosspoint check`: checks that a design serves every requested pair within budget, or that a machine is wired accordingly.

use super::{Answer, files, output, uncovered};
use crate::counts::advise;
use anyhow::{Result, anyhow, bail};
use clap::Args;
use shared::{
    analysis::audit,
    design::{Design, Names, check},
    spec::{Spec, names::Interfaces},
};
use std::{
    fmt::Write,
    path::{Path, PathBuf},
};

/// Max bytes of LLDP output per cable; lldpctl prints about 1 kB in its longest form.
const LLDP_BYTES_PER_CABLE: u64 = 8 << 10;
const LLDP_BYTES: u64 = 16 << 20;

/// Check that a design serves every requested pair within budget
///
/// Lists every broken limit and every uncovered pair. If the objective is fractional, the heaviest pairs come first, with the
/// share of the weight that is served.
///
/// With --lldp it checks the machine instead: it lists cables that are swapped, missing or on the wrong switch. One file may
/// hold the output of many nodes, each after a line with the node's name, as `pdsh` and `ansible` print it.
///
/// Exit codes: 0 no errors, 1 errors found, 2 bad input.
#[derive(Args)]
pub struct Check {
    /// Spec file, or - for standard input
    spec: PathBuf,
    /// Wiring table, or - for standard input
    design: PathBuf,
    /// LLDP neighbours: the output of lldpctl (plain, keyvalue or json) or of a switch's `show lldp neighbors`; - for
    /// standard input
    #[arg(long, value_name = "FILE")]
    lldp: Option<PathBuf>,
    /// With --lldp: NIC names on the nodes, instead of the spec's: a prefix, a template or all names
    #[arg(long, value_name = "NAMES", requires = "lldp", value_parser = Interfaces::parse)]
    interface: Option<Interfaces>,
}

impl Check {
    /// Prints every broken limit and every uncovered pair.
    pub fn run(self) -> Result<Answer> {
        let standard = Path::new(files::STANDARD);
        if self.lldp.as_deref() == Some(standard) && (self.spec == standard || self.design == standard) {
            bail!("only one of SPEC, DESIGN and --lldp can be standard input");
        }
        let (request, design) = files::read_both(&self.spec, &self.design)?;
        if let Some(lldp) = &self.lldp {
            return self.machine(&request.spec, &design, lldp);
        }
        let verdict = check(&request.spec, &request.demand, &design);
        let mut text = String::new();
        if verdict.holds() {
            let _ = writeln!(text, "{}, within budget", uncovered::none(verdict.requested));
            text += &uncovered::extras(&verdict);
            output::print(&text)?;
            return Ok(Answer::Yes);
        }
        for breach in &verdict.breaches {
            let _ = writeln!(text, "broken rule: {breach}");
        }
        if !verdict.uncovered.is_empty() {
            let advice = advise(&request.spec, &request.demand, &verdict);
            text += &uncovered::coverage(&request, &verdict, usize::MAX, &advice);
        }
        output::print(&text)?;
        Ok(Answer::No)
    }

    fn machine(&self, spec: &Spec, design: &Design, lldp: &Path) -> Result<Answer> {
        let text = files::read_text(lldp, LLDP_BYTES + LLDP_BYTES_PER_CABLE * design.cables() as u64)?;
        let names = Names::of(spec, design).with(self.interface.as_ref(), None);
        let audit = audit::audit(design, &names, &text).map_err(|faults| {
            let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
            anyhow!("{}: no LLDP neighbours:\n{}", files::name(lldp), lines.join("\n"))
        })?;
        let mut text = String::new();
        let _ = audit.write(&names, &mut text);
        output::print(&text)?;
        Ok(if audit.holds() { Answer::Yes } else { Answer::No })
    }
}
