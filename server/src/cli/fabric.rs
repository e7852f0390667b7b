//! `crosspoint fabric`: files for networks that are no wirings found here: meshes and tori with VLANs, P-Meshes.

use super::{
    Answer,
    export::{Asked, list},
    output,
};
use anyhow::{Result, bail};
use clap::Args;
use shared::{
    exports::{Bundle, fabrics},
    fabric::kinds::{KINDS, parse},
    spec::Faults,
};
use std::{fmt::Write as _, path::PathBuf};

/// Write scripts, switch configurations and tables for meshes and tori with VLANs and for P-Meshes
///
/// `crosspoint fabric list` names the kinds of networks; `crosspoint fabric KIND --format list` names the formats that there
/// are for one, and their settings.
#[derive(Args)]
pub struct Fabric {
    /// The network, such as mesh:4x4, torus:8x8,2 or pmesh:24x24; `list` names the kinds
    kind: String,
    /// Which format; `list` names them
    #[arg(long, value_name = "NAME")]
    format: Option<String>,
    /// Where to: a file, or - for standard output; for a format that is one file a host or switch, a folder, or an archive if
    /// it ends in .tar
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Only the file of this host or switch, of a format that is one file for each
    #[arg(long, visible_alias = "pe", value_name = "N")]
    node: Option<u32>,
    /// A setting of the format, which `--format list` names; may be given several times
    #[arg(long, value_name = "SETTING=VALUE")]
    with: Vec<String>,
}

impl Fabric {
    /// Writes the files.
    pub fn run(self) -> Result<Answer> {
        if self.kind == "list" {
            output::print(&kinds())?;
            return Ok(Answer::Yes);
        }
        let kind = parse(&self.kind).map_err(Faults::from)?;
        let formats = fabrics(&*kind)?;
        let Some(name) = self.format.as_deref() else {
            bail!("--format NAME is needed; crosspoint fabric {} --format list names them", self.kind)
        };
        if name == "list" {
            output::print(&list(formats))?;
            return Ok(Answer::Yes);
        }
        let output = self.output.as_deref();
        let asked = Asked { formats, name, number: self.node, with: &self.with, output };
        asked.write(|| Ok(Bundle::fabric(&*kind)?))
    }
}

fn kinds() -> String {
    let mut text = String::new();
    for kind in KINDS {
        let has_files = parse(kind.example).is_ok_and(|kind| fabrics(&*kind).is_ok());
        let files = if has_files { "" } else { " (no files)" };
        let _ = writeln!(
            text,
            "{}{files}\n  {}: {} For example {}.",
            kind.form, kind.title, kind.explanation, kind.example
        );
    }
    text
}
