//! `crosspoint export`: the files a network is built from.

use super::{Answer, files, output};
use crate::{artifact, prepare::Request};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use shared::exports::{Bundle, Format, format, formats};
use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

/// Write the wiring table, cable lists, labels, scripts and more
#[derive(Args)]
pub struct Export {
    /// The spec file
    spec: Option<PathBuf>,
    /// The wiring table
    design: Option<PathBuf>,
    /// Which format; `list` names them
    #[arg(long, value_name = "NAME")]
    format: String,
    /// Where to: a file; for a format that is one file a PE, a folder, or an archive if it ends in .tar
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Only this PE's file, of a format that is one file a PE
    #[arg(long, value_name = "N")]
    pe: Option<u32>,
}

impl Export {
    /// Writes the export.
    pub fn run(self) -> Result<Answer> {
        if self.format == "list" {
            output::print(&list())?;
            return Ok(Answer::Yes);
        }
        let format = format(&self.format)?;
        let (Some(spec), Some(design)) = (&self.spec, &self.design) else {
            bail!("export needs a spec and a wiring: crosspoint export SPEC DESIGN --format {}", self.format);
        };
        let request: Request = files::read_spec(spec)?;
        let design = files::read_wiring(&request, design)?;
        let bundle = request.bundle(design);
        let path = self.output.as_deref();
        if !format.per_pe || self.pe.is_some() {
            write(&bundle, format, self.pe, path)?;
        } else {
            let path = path.ok_or_else(|| {
                anyhow!(
                    "{} is one file a PE: name one with --pe N, or a folder or .tar archive with -o PATH",
                    format.name
                )
            })?;
            if path.extension().is_some_and(|e| e == "tar") {
                write(&bundle, format, None, Some(path))?;
            } else {
                fill(&bundle, format, path)?;
            }
        }
        Ok(Answer::Yes)
    }
}

fn list() -> String {
    let mut text = String::new();
    let width = formats().iter().map(|f| f.name.len()).max().unwrap_or(0);
    for format in formats() {
        let each = if format.per_pe { " (one file a PE)" } else { "" };
        let _ = writeln!(text, "{:width$}  {}{each}", format.name, format.purpose);
    }
    text
}

fn write(bundle: &Bundle, format: &Format, pe: Option<u32>, path: Option<&Path>) -> Result<()> {
    output::to(path, |out| Ok(artifact::write(bundle, format, pe, out)?))
}

/// Writes every PE's file into a folder, which is made if it is missing.
fn fill(bundle: &Bundle, format: &Format, folder: &Path) -> Result<()> {
    let name = || format!("{} cannot be written", folder.display());
    fs::create_dir_all(folder).with_context(name)?;
    artifact::for_each_pe(bundle, format, |file, content| fs::write(folder.join(file), content))
        .with_context(name)
}
