//! `crosspoint fabric`: exports of networks that are no designs.

use super::{
    Answer,
    export::{ExportOptions, list},
    files, output,
};
use anyhow::{Result, anyhow, bail};
use clap::Args;
use shared::{
    exports::{Bundle, fabrics},
    fabric::{
        NetworkFile,
        kinds::{KINDS, parse_with},
    },
};
use std::{fmt::Write as _, path::PathBuf};

/// Write the links of any network, and scripts and tables for meshes and tori with VLANs and for P-Meshes
///
/// `crosspoint fabric list` lists the kinds of networks; `crosspoint fabric KIND --format list` lists the formats of one,
/// with their settings.
#[derive(Args)]
pub struct Fabric {
    /// Network such as mesh:4x4, torus:8x8,2, pmesh:24x24 or file:PATH; `list` lists the kinds
    kind: String,
    /// Format, several separated with commas, or `all`; `list` lists them
    #[arg(long, value_name = "NAME")]
    format: Option<String>,
    /// File, or - for standard output; for several files a folder, or an archive if it ends in .tar
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Write the file of this node or switch only, by number or name, of a format with one file per node or switch
    #[arg(long, visible_alias = "pe", value_name = "N")]
    node: Option<String>,
    /// Format setting (see `--format list`); repeatable. `NAME=@FILE` reads the value from a file
    #[arg(long, value_name = "SETTING=VALUE")]
    with: Vec<String>,
}

impl Fabric {
    pub fn run(self) -> Result<Answer> {
        if self.kind == "list" {
            output::print(&kinds())?;
            return Ok(Answer::Yes);
        }
        let kind = parse_with(&self.kind, &files::read_network);
        let kind =
            kind.map_err(|faults| anyhow!("{faults}\n`crosspoint fabric list` explains the kinds."))?;
        files::warn(kind.warnings());
        let formats = fabrics(&*kind);
        let Some(name) = self.format.as_deref() else {
            bail!("--format NAME is missing; crosspoint fabric {} --format list lists the formats", self.kind)
        };
        if name == "list" {
            output::print(&list(formats))?;
            return Ok(Answer::Yes);
        }
        let output = self.output.as_deref();
        let asked = ExportOptions { formats, name, part: self.node.as_deref(), with: &self.with, output };
        asked.write(|| Ok(Bundle::fabric(kind.into())))
    }
}

fn kinds() -> String {
    let mut text = String::new();
    for kind in KINDS {
        let _ = writeln!(
            text,
            "{}\n  {}: {} For example {}.",
            kind.form, kind.title, kind.explanation, kind.example
        );
    }
    let _ = writeln!(text, "{}\n  {}", NetworkFile::FORM, NetworkFile::EXPLANATION);
    text
}
