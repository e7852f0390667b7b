//! `crosspoint export`: the files a network is built from.

use super::{
    Answer, files,
    output::{self, to_stderr},
    uncovered,
};
use crate::{
    artifact::{self, ArtifactError, FormatArchive, SkippedFormat},
    prepare::Request,
};
use anyhow::{Result, anyhow, bail};
use clap::Args;
use shared::{
    design::{Design, check},
    exports::{Bundle, DESIGNS, ExportError, FileScope, FileTarget, Format, Formats, Settings, format},
    form::{Field, plain_digits},
    spec::Objective,
    text::grouped,
};
use std::{
    fmt::Write as _,
    io::{IsTerminal, stdout},
    path::{Path, PathBuf},
};

/// Max bytes of a setting: an inventory of the NICs of the largest machine.
const MAX_SETTING_BYTES: u64 = 64 << 20;
/// Types of archives that are not supported. A folder of such a name would be a mistake.
const OTHER_ARCHIVES: [&str; 14] =
    ["7z", "bz2", "cpio", "gz", "lz", "rar", "tbz", "tbz2", "tgz", "txz", "tzst", "xz", "zip", "zst"];

/// Write wiring tables, cable lists, labels, scripts and more
///
/// `crosspoint export --format list` lists the formats; it needs neither SPEC nor WIRING. `--format spec` needs no WIRING.
/// An export that fails leaves an existing file unchanged. With `--format all`, formats that don't apply to this design are
/// skipped; LEFT-OUT.txt lists them and why.
#[derive(Args)]
pub struct Export {
    /// The spec file, or - for standard input; not needed for --format list
    spec: Option<PathBuf>,
    /// The wiring table, or - for standard input; not needed for --format list and --format spec
    #[arg(value_name = "WIRING")]
    design: Option<PathBuf>,
    /// Format, several separated with commas, or `all`; `list` lists them
    #[arg(long, value_name = "NAME")]
    format: String,
    /// File, or - for standard output; for several files a folder, or an archive if it ends in .tar
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Write only the file of this node or switch (number or name)
    ///
    /// Formats with a single file are still written. A bare number means a node, unless all formats are per switch.
    #[arg(long, visible_alias = "pe", value_name = "N")]
    node: Option<String>,
    /// Format setting (see `--format list`); repeatable. `NAME=@FILE` reads the value from a file
    #[arg(long, value_name = "SETTING=VALUE")]
    with: Vec<String>,
    /// Font file for letters of PDF and PNG files that the built-in font lacks, such as Chinese; may be repeated
    #[arg(long = "font", value_name = "FILE")]
    fonts: Vec<PathBuf>,
}

impl Export {
    pub fn run(self) -> Result<Answer> {
        if self.format == "list" {
            output::print(&list(DESIGNS))?;
            return Ok(Answer::Yes);
        }
        let asked = ExportOptions {
            formats: DESIGNS,
            name: &self.format,
            part: self.node.as_deref(),
            with: &self.with,
            output: self.output.as_deref(),
        };
        output::apart(asked.output, self.spec.iter().chain(&self.design))?;
        asked.write(|| self.bundle())
    }

    fn bundle(&self) -> Result<Bundle> {
        let spec_alone = format(&self.format).is_ok_and(|format| !format.needs_wiring);
        let (request, design) = match (&self.spec, &self.design) {
            (Some(spec), Some(design)) => {
                let (request, design) = files::read_both(spec, design)?;
                warn_of_uncovered_pairs(&request, &design);
                (request, design)
            }
            (Some(spec), None) if spec_alone => {
                let request = files::read_spec(spec)?;
                let nothing = Design::from_switches(request.spec.pes, []);
                (request, nothing)
            }
            _ => {
                let (design, needs) =
                    if spec_alone { ("", "a spec") } else { (" WIRING", "a spec and a wiring") };
                bail!("export needs {needs}: crosspoint export SPEC{design} --format {}", self.format);
            }
        };
        Ok(request.bundle(design).with_fonts(files::read_fonts(&self.fonts)?))
    }
}

/// An export command: formats, settings and target, for a design or another network.
pub(super) struct ExportOptions<'a> {
    pub formats: Formats,
    pub name: &'a str,
    /// Number or name of a node or switch.
    pub part: Option<&'a str>,
    pub with: &'a [String],
    pub output: Option<&'a Path>,
}

impl ExportOptions<'_> {
    /// Writes the files. Errors of a setting name the flag.
    pub fn write(&self, source: impl FnOnce() -> Result<Bundle>) -> Result<Answer> {
        let written = match self.part.map(|part| (part, plain_digits::<u32>(part))) {
            None => self.try_write(None, source),
            Some((_, Some(number))) => self.try_write(Some(number.into()), source),
            // Only the wiring knows its names.
            Some((name, None)) => source().and_then(|bundle| {
                let part = match self.formats.get(self.name).map(|format| format.each) {
                    Ok(each @ (FileScope::Node | FileScope::Switch)) => bundle.number_of(each, name)?.into(),
                    _ => bundle.part_of(name)?,
                };
                self.try_write(Some(part), || Ok(bundle))
            }),
        };
        written.map_err(|error| {
            let export = match error.downcast_ref() {
                Some(ArtifactError::Export(export)) => Some(export),
                _ => error.downcast_ref(),
            };
            match export {
                Some(export @ (ExportError::Setting { .. } | ExportError::Settings(_))) => {
                    let text = export.to_string();
                    anyhow!(text.lines().map(|line| format!("--with {line}")).collect::<Vec<_>>().join("\n"))
                }
                Some(ExportError::Unknown { near: None, .. }) => {
                    anyhow!("{error} `--format list` lists all.")
                }
                _ => error,
            }
        })
    }

    /// Writes the files. Checks the target first, then reads the source.
    fn try_write(&self, part: Option<FileTarget>, source: impl FnOnce() -> Result<Bundle>) -> Result<Answer> {
        let choices = self.with.iter().map(|choice| from_file(choice)).collect::<Result<Vec<_>>>()?;
        let choices = artifact::with_today(self.formats, self.name, choices);
        if let Some(several) = FormatArchive::read(self.formats, self.name, choices.clone(), part)? {
            return self.several(&several, source);
        }
        let format = self.formats.get(self.name)?;
        let number = part.map(|part| part.number);
        let place = self.place(format, number)?;
        let settings = Settings::read(format, choices.iter().map(String::as_str))?;
        let bundle = source()?.with(settings);
        bundle.check(format, number)?;
        if format.has_fonts {
            warn_of_missing_fonts(&bundle);
        }
        match place {
            Place::File(path) => {
                output::to(path, |out| Ok(artifact::write(&bundle, format, number, out)?))?;
            }
            Place::Folder(path) => fill(&bundle, format, number, path)?,
        }
        Ok(Answer::Yes)
    }

    fn several(&self, several: &FormatArchive, source: impl FnOnce() -> Result<Bundle>) -> Result<Answer> {
        let Some(path) = self.output else {
            bail!("{} is several files: name a folder or .tar archive with -o PATH", self.name);
        };
        let place = archive(self.name, path)?;
        let bundle = source()?;
        if several.formats().any(|format| format.has_fonts) {
            warn_of_missing_fonts(&bundle);
        }
        let left_out = match place {
            Place::File(path) => {
                let mut left_out = Vec::new();
                output::to(path, |out| {
                    left_out = several.write(bundle, out)?;
                    Ok(())
                })?;
                left_out
            }
            Place::Folder(folder) => {
                let inside = format!("{}/", several.stem(&bundle));
                several.for_each(bundle, |file, _, write| {
                    let path = folder.join(file.strip_prefix(&inside).unwrap_or(file));
                    path.parent().map_or(Ok(()), output::folder)?;
                    output::file(&path, artifact::is_private(file), |out| Ok(write(out)?))
                })?
            }
        };
        for SkippedFormat { format, why } in left_out {
            to_stderr(&format!("crosspoint: left out: {format}: {why}\n"));
        }
        Ok(Answer::Yes)
    }

    /// The place of the files, which is known before anything is read.
    fn place(&self, format: &Format, number: Option<u32>) -> Result<Place<'_>> {
        if !artifact::is_archive(format, number) {
            return Ok(Place::File(self.output));
        }
        let (name, each) = (format.name, format.each.word());
        match self.output {
            Some(path) => archive(name, path),
            None if format.is_several() => {
                bail!("{name} is several files: name a folder or .tar archive with -o PATH")
            }
            None => bail!(
                "{name} is one file per {each}: choose one with --node N, or a folder or .tar archive with -o PATH"
            ),
        }
    }
}

fn warn_of_uncovered_pairs(request: &Request, design: &Design) {
    if request.spec.objective == Objective::Fractional {
        return;
    }
    let verdict = check(&request.spec, &request.demand, design);
    if !verdict.uncovered.is_empty() {
        let counted = uncovered::counted(verdict.uncovered.len() as u64, verdict.requested);
        to_stderr(&format!("crosspoint: {counted}; `crosspoint check` lists them\n"));
    }
}

fn warn_of_missing_fonts(bundle: &Bundle) {
    let characters = match bundle.missing_characters() {
        0 => return,
        1 => "1 character has no font and is printed as a code".to_owned(),
        many => format!("{} characters have no font and are printed as codes", grouped(many as u64)),
    };
    to_stderr(&format!("crosspoint: {characters}; --font FILE adds one\n"));
}

fn archive<'a>(what: &str, path: &'a Path) -> Result<Place<'a>> {
    if output::is_standard(path) {
        if stdout().is_terminal() {
            bail!("{what} is an archive: redirect standard output to a file");
        }
        return Ok(Place::File(Some(path)));
    }
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    if OTHER_ARCHIVES.contains(&extension.as_str()) && !path.is_dir() {
        bail!(
            "{}: unsupported type of archive; name a folder, or an archive that ends in .tar",
            path.display()
        );
    }
    // Devices and pipes take an archive, since they cannot hold files.
    let archive = extension == "tar" || path.metadata().is_ok_and(|m| !m.is_dir() && !m.is_file());
    if !archive && path.is_file() {
        bail!(
            "{} is a file; {what} is several files: name a folder, or an archive that ends in .tar",
            path.display()
        );
    }
    Ok(if archive { Place::File(Some(path)) } else { Place::Folder(path) })
}

enum Place<'a> {
    File(Option<&'a Path>),
    Folder(&'a Path),
}

pub(super) fn list(formats: Formats) -> String {
    let mut text = String::new();
    let width = formats.iter().map(|format| format.name.len()).max().unwrap_or(0);
    for (group, formats) in formats.groups() {
        let (name, purpose) = group.words();
        let _ = writeln!(text, "{name}: {purpose}");
        for format in formats {
            line(&mut text, format, width);
        }
        text.push('\n');
    }
    text.push_str("Settings, by --with SETTING=VALUE:\n");
    let settings = formats.settings();
    let width = settings.iter().map(|setting| setting.field.key.len()).max().unwrap_or(0);
    for Field { key, help, kind, default, .. } in settings.into_iter().map(|setting| setting.field) {
        let _ = writeln!(text, "{key:width$}  {help}: {}", kind.expected());
        if !default.is_empty() {
            let _ = writeln!(text, "{:width$}  default: {default}", "");
        }
    }
    text
}

fn line(text: &mut String, format: &Format, width: usize) {
    let files = match (format.each, format.is_several()) {
        (FileScope::Whole, false) => String::new(),
        (FileScope::Whole, true) => " (several files)".into(),
        (each, false) => format!(" (one file per {})", each.word()),
        (each, true) => format!(" (several files per {})", each.word()),
    };
    let _ = writeln!(text, "{:width$}  {}{files}", format.name, format.purpose);
    let settings: Vec<_> = format.settings.iter().map(|setting| setting.field.key).collect();
    if !settings.is_empty() {
        let _ = writeln!(text, "{:width$}  settings: {}", "", settings.join(", "));
    }
    let _ = writeln!(text, "{:width$}  {}", "", format.readers());
}

/// A choice, its value from a file where it says so.
fn from_file(choice: &str) -> Result<String> {
    match choice.split_once("=@") {
        Some((name, path)) if !name.contains('=') => {
            let value = files::read_text(Path::new(path), MAX_SETTING_BYTES)?;
            Ok(format!("{name}={value}"))
        }
        _ => Ok(choice.to_owned()),
    }
}

/// Writes all files into a folder, which is created if missing.
fn fill(bundle: &Bundle, format: &Format, number: Option<u32>, folder: &Path) -> Result<()> {
    let mut done: u32 = 0;
    let filled = artifact::for_each_file(bundle, format, number, |file, content| {
        let path = folder.join(file);
        path.parent().map_or(Ok(()), output::folder)?;
        output::file(&path, artifact::is_private(file), |out| Ok(out.write_all(content)?))?;
        done += 1;
        anyhow::Ok(())
    });
    let of =
        if format.is_several() { String::new() } else { format!(" of {}", bundle.numbers(format).count()) };
    match filled {
        Err(error) if done > 0 => {
            Err(error.context(format!("{done}{of} files written to {}", folder.display())))
        }
        filled => filled,
    }
}
