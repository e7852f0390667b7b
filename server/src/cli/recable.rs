//! `crosspoint recable`: the cables to move from one design to another.

use super::{Answer, files, output};
use anyhow::{Result, bail};
use clap::Args;
use shared::{
    compare::{SpecWiring, recabling},
    text::count,
};
use std::path::PathBuf;

/// List the cables to move from one wiring to another
///
/// Nodes keep their numbers. Switches are matched so that as few cables as possible move; the list ends with the switches to
/// relabel. Work through the steps in order; each target port is free when you reach it.
#[derive(Args)]
pub struct Recable {
    /// Spec file of both designs
    spec: PathBuf,
    /// Wiring table as it is now
    old: PathBuf,
    /// Wiring table as it should be
    new: PathBuf,
    /// Spec file of the new design, if it has other switches
    #[arg(long, value_name = "FILE")]
    new_spec: Option<PathBuf>,
    /// Print CSV
    #[arg(long)]
    csv: bool,
}

impl Recable {
    /// Prints the list.
    pub fn run(self) -> Result<Answer> {
        let new_spec = self.new_spec.as_ref().unwrap_or(&self.spec);
        if [&self.old, &self.new].iter().all(|path| path.as_os_str() == output::STANDARD) {
            bail!("the wirings cannot both be standard input");
        }
        let (old_request, old) = files::read_fitting(&self.spec, &self.old)?;
        let (new_request, new) = files::read_fitting(new_spec, &self.new)?;
        let [before, after] = [&old_request, &new_request].map(|request| request.spec.pes);
        if before != after {
            let [before, after] = [before, after].map(|nodes| count(nodes.into(), "node"));
            let [spec, new_spec] = [&self.spec, new_spec].map(|path| files::name(path));
            bail!("--new-spec {new_spec} has {after}, and {spec} has {before}; both need the same nodes");
        }
        let list = recabling(
            SpecWiring { spec: &old_request.spec, design: &old },
            SpecWiring { spec: &new_request.spec, design: &new },
        );
        output::print(&if self.csv { list.csv() } else { list.text() })?;
        Ok(Answer::Yes)
    }
}
