//! `crosspoint export`: the files a network is built from.

use super::{Answer, files, output};
use crate::artifact::{self, LeftOut, Several};
use anyhow::{Context, Result, bail};
use clap::Args;
use shared::{
    design::Design,
    exports::{Bundle, Format, Settings, format, formats, groups, settings},
};
use std::{
    fmt::Write as _,
    fs,
    io::{IsTerminal, stdout},
    path::{Path, PathBuf},
};

/// The format that is made from the spec alone.
const SPEC: &str = "spec";
/// A setting as long as an inventory of the largest machine's NIs.
const MOST_SETTING_BYTES: u64 = 64 << 20;
/// What archives are called that we do not write. A folder of such a name is a mistake.
const OTHER_ARCHIVES: [&str; 14] =
    ["7z", "bz2", "cpio", "gz", "lz", "rar", "tbz", "tbz2", "tgz", "txz", "tzst", "xz", "zip", "zst"];

/// Write the wiring table, cable lists, labels, scripts and more
///
/// `crosspoint export --format list` names the formats; it needs neither SPEC nor DESIGN. `--format spec` needs no DESIGN.
/// What cannot be written to its end leaves the file as it was before.
#[derive(Args)]
pub struct Export {
    /// The spec file, or - for standard input; not needed for --format list
    spec: Option<PathBuf>,
    /// The wiring table, or - for standard input; not needed for --format list and --format spec
    design: Option<PathBuf>,
    /// Which format, several with commas between them, or `all`; `list` names them
    #[arg(long, value_name = "NAME")]
    format: String,
    /// Where to: a file, or - for standard output; for a format that is several files, or one file a PE, a folder, or an
    /// archive if it ends in .tar
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Only this PE's file, of a format that is one file a PE
    #[arg(long, value_name = "N")]
    pe: Option<u32>,
    /// A setting of the format, which `--format list` names; may be given several times. A value that begins with @ is read
    /// from the file of that name
    #[arg(long, value_name = "SETTING=VALUE")]
    with: Vec<String>,
}

impl Export {
    /// Writes the export.
    pub fn run(self) -> Result<Answer> {
        if self.format == "list" {
            output::print(&list())?;
            return Ok(Answer::Yes);
        }
        let choices = self.with.iter().map(|choice| from_file(choice)).collect::<Result<Vec<_>>>()?;
        if let Some(several) = Several::read(&self.format, choices.clone(), self.pe)? {
            return self.several(&several);
        }
        let format = format(&self.format)?;
        let place = self.place(format)?;
        let settings = Settings::read(format, choices.iter().map(String::as_str))?;
        let bundle = self.bundle()?.with(settings);
        match place {
            Place::File(path) => output::to(path, |out| Ok(artifact::write(&bundle, format, self.pe, out)?))?,
            Place::Folder(path) => fill(&bundle, format, self.pe, path)?,
        }
        Ok(Answer::Yes)
    }

    /// Writes files of several formats.
    fn several(&self, several: &Several) -> Result<Answer> {
        let Some(path) = self.output.as_deref() else {
            bail!("{} is several files: name a folder or .tar archive for them with -o PATH", self.format);
        };
        let left_out = match archive(&self.format, path)? {
            Place::File(path) => {
                let bundle = self.bundle()?;
                let mut left_out = Vec::new();
                output::to(path, |out| {
                    left_out = several.write(bundle, out)?;
                    Ok(())
                })?;
                left_out
            }
            Place::Folder(folder) => {
                let bundle = self.bundle()?;
                let inside = format!("{}/", bundle.stem());
                several.for_each(bundle, |file, _, write| {
                    let path = folder.join(file.strip_prefix(&inside).unwrap_or(file));
                    path.parent().map_or(Ok(()), make)?;
                    output::to(Some(&path), |out| Ok(write(out)?))
                })?
            }
        };
        for LeftOut { format, why } in left_out {
            eprintln!("crosspoint: left out: {format}: {why}");
        }
        Ok(Answer::Yes)
    }

    /// Where it goes, which is known before anything is read.
    fn place(&self, format: &Format) -> Result<Place<'_>> {
        let path = self.output.as_deref();
        if !artifact::is_archive(format, self.pe) {
            return Ok(Place::File(path));
        }
        let Some(path) = path else {
            let name = format.name;
            if format.is_several() {
                bail!("{name} is several files: name a folder or .tar archive for them with -o PATH");
            }
            bail!("{name} is one file a PE: name one with --pe N, or a folder or .tar archive with -o PATH");
        };
        archive(format.name, path)
    }

    fn bundle(&self) -> Result<Bundle> {
        let (request, design) = match (&self.spec, &self.design) {
            (Some(spec), Some(design)) => files::read_both(spec, design)?,
            (Some(spec), None) if self.format == SPEC => {
                let request = files::read_spec(spec)?;
                let nothing = Design::from_switches(request.spec.pes, []);
                (request, nothing)
            }
            _ => {
                let design = if self.format == SPEC { "" } else { " DESIGN" };
                let needs = if self.format == SPEC { "a spec" } else { "a spec and a wiring" };
                bail!("export needs {needs}: crosspoint export SPEC{design} --format {}", self.format);
            }
        };
        Ok(request.bundle(design))
    }
}

/// Where several files go.
pub(super) fn archive<'a>(what: &str, path: &'a Path) -> Result<Place<'a>> {
    if output::is_standard(path) {
        if stdout().is_terminal() {
            bail!("{what} is an archive on standard output, which terminals cannot show");
        }
        return Ok(Place::File(Some(path)));
    }
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    if OTHER_ARCHIVES.contains(&extension.as_str()) && !path.is_dir() {
        bail!(
            "{}: archives of that kind are not written; name a folder, or an archive that ends in .tar",
            path.display()
        );
    }
    // Devices and pipes take an archive, since they cannot hold files.
    let archive = extension == "tar" || path.metadata().is_ok_and(|m| !m.is_dir() && !m.is_file());
    Ok(if archive { Place::File(Some(path)) } else { Place::Folder(path) })
}

/// Where files go.
pub(super) enum Place<'a> {
    /// A file or standard output.
    File(Option<&'a Path>),
    /// A file for each PE.
    Folder(&'a Path),
}

fn list() -> String {
    let mut text = String::new();
    let width = formats().map(|f| f.name.len()).max().unwrap_or(0);
    for group in groups() {
        let _ = writeln!(text, "{}: {}", group.name, group.purpose);
        for format in group.formats {
            line(&mut text, format, width);
        }
        text.push('\n');
    }
    text.push_str("Settings, by --with SETTING=VALUE:\n");
    let width = settings().iter().map(|s| s.name.len()).max().unwrap_or(0);
    for setting in settings() {
        let _ = writeln!(text, "{:width$}  {}: {}", setting.name, setting.purpose, setting.accepted);
        if !setting.default.is_empty() {
            let _ = writeln!(text, "{:width$}  unless chosen: {}", "", setting.default);
        }
    }
    text
}

/// A format on the list.
fn line(text: &mut String, format: &Format, width: usize) {
    let each = match (format.per_pe, format.is_several()) {
        (true, true) => " (several files a PE)",
        (true, false) => " (one file a PE)",
        (false, true) => " (several files)",
        (false, false) => "",
    };
    let _ = writeln!(text, "{:width$}  {}{each}", format.name, format.purpose);
    if !format.settings.is_empty() {
        let _ = writeln!(text, "{:width$}  settings: {}", "", format.settings.join(", "));
    }
}

/// A choice, its value from a file where it says so.
fn from_file(choice: &str) -> Result<String> {
    match choice.split_once("=@") {
        Some((name, path)) if !name.contains('=') => {
            let value = files::read_text(Path::new(path), MOST_SETTING_BYTES)?;
            Ok(format!("{name}={value}"))
        }
        _ => Ok(choice.to_owned()),
    }
}

/// Writes all files into a folder, which is made if it is missing.
fn fill(bundle: &Bundle, format: &Format, pe: Option<u32>, folder: &Path) -> Result<()> {
    let mut done = 0;
    let filled = artifact::for_each_file(bundle, format, pe, |file, content| {
        let path = folder.join(file);
        path.parent().map_or(Ok(()), make)?;
        output::to(Some(&path), |out| Ok(out.write_all(content)?))?;
        done += 1;
        anyhow::Ok(())
    });
    let of = if format.is_several() { String::new() } else { format!(" of {}", bundle.pes()) };
    filled.with_context(|| format!("{} has got {done}{of} files", folder.display()))
}

/// Makes a folder unless it is there.
pub(super) fn make(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))
}
