//! `crosspoint fabric`: files for networks that are no wirings found here: meshes and tori with VLANs, P-Meshes.

use super::{
    Answer,
    export::{Place, archive, make},
    output,
};
use crate::artifact;
use anyhow::{Result, bail};
use clap::Args;
use shared::{
    exports::{
        Each, FabricBundle, FabricFormat, FabricSettings, fabric_format, fabric_formats, fabric_settings,
    },
    fabric::{
        Kind,
        kinds::{KINDS, parse},
    },
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
    #[arg(long, value_name = "N")]
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
        match self.format.as_deref() {
            Some("list") => output::print(&formats(&*kind)?)?,
            Some(format) => self.write(&*kind, fabric_format(&*kind, format)?)?,
            None => {
                bail!("--format NAME is needed; crosspoint fabric {} --format list names them", self.kind)
            }
        }
        Ok(Answer::Yes)
    }

    fn write(&self, kind: &dyn Kind, format: &FabricFormat) -> Result<()> {
        let place = self.place(format)?;
        let settings = FabricSettings::read(format, self.with.iter().map(String::as_str))?;
        let bundle = FabricBundle::new(kind, settings)?;
        match place {
            Place::File(path) => {
                output::to(path, |out| Ok(artifact::fabric::write(&bundle, format, self.node, out)?))
            }
            Place::Folder(folder) => (0..bundle.files(format)).try_for_each(|node| {
                make(folder)?;
                let path = folder.join(bundle.file_name(format, Some(node)));
                output::to(Some(&path), |out| Ok(artifact::fabric::write(&bundle, format, Some(node), out)?))
            }),
        }
    }

    fn place(&self, format: &FabricFormat) -> Result<Place<'_>> {
        artifact::fabric::check(format, self.node)?;
        let (name, path) = (format.name, self.output.as_deref());
        if !artifact::fabric::is_archive(format, self.node) {
            return Ok(Place::File(path));
        }
        let each = if format.each == Each::Host { "host" } else { "switch" };
        let Some(path) = path else {
            bail!(
                "{name} is one file a {each}: name one with --node N, or a folder or .tar archive with -o PATH"
            );
        };
        archive(name, path)
    }
}

fn kinds() -> String {
    let mut text = String::new();
    for kind in KINDS {
        let has_files = parse(kind.example).is_ok_and(|kind| fabric_formats(&*kind).is_ok());
        let files = if has_files { "" } else { " (no files)" };
        let _ = writeln!(
            text,
            "{}{files}\n  {}: {} For example {}.",
            kind.form, kind.title, kind.explanation, kind.example
        );
    }
    text
}

fn formats(kind: &dyn Kind) -> Result<String> {
    let formats = fabric_formats(kind)?;
    let width = formats.iter().map(|format| format.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for format in formats {
        let each = match format.each {
            Each::Network => "",
            Each::Host => " (one file a host)",
            Each::Switch => " (one file a switch)",
        };
        let _ = writeln!(text, "{:width$}  {}{each}", format.name, format.purpose);
        if !format.settings.is_empty() {
            let _ = writeln!(text, "{:width$}  settings: {}", "", format.settings.join(", "));
        }
    }
    text.push_str("\nSettings, by --with SETTING=VALUE:\n");
    let heeded = |name: &str| formats.iter().any(|format| format.settings.contains(&name));
    let settings: Vec<_> = fabric_settings().filter(|setting| heeded(setting.name)).collect();
    let width = settings.iter().map(|setting| setting.name.len()).max().unwrap_or(0);
    for setting in settings {
        let _ = writeln!(text, "{:width$}  {}: {}", setting.name, setting.purpose, setting.accepted);
        if !setting.default.is_empty() {
            let _ = writeln!(text, "{:width$}  unless chosen: {}", "", setting.default);
        }
    }
    Ok(text)
}
