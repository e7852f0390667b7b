//! Reads spec, wiring and matrix files up to their limits. `-` is standard input.

use super::output::{STANDARD, to_stderr};
use crate::prepare::Request;
use anyhow::{Context, Result, anyhow, bail};
use shared::{
    demand::matrix,
    design::{Design, Names, broken, table},
    exports::{Fonts, check_font},
    fabric::{MAX_FILE_BYTES, NetworkFile},
    resolve::{self, MatrixFiles},
    spec::{Faults, MAX_PES, MAX_SPEC_BYTES, Spec},
    text::{grouped, other_kind},
};
use std::{
    fmt::Display,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

/// Max bytes of a font. Collections for Chinese, Japanese and Korean have about 20 MB per weight.
const MAX_FONT_BYTES: u64 = 256 << 20;

/// Reads a spec file and builds its demand. Matrix files are relative to its folder.
pub fn read_spec(path: &Path) -> Result<Request> {
    parse_spec(path, &read_spec_text(path)?)
}

pub fn read_spec_text(path: &Path) -> Result<String> {
    read_text(path, MAX_SPEC_BYTES as u64)
}

/// Builds the demand of the spec that was read from `path`. Matrix files are relative to its folder.
pub fn parse_spec(path: &Path, text: &str) -> Result<Request> {
    let request = Request::read(text, &mut FilesBeside::of(path));
    request.map_err(|faults| refused(path, text, SPEC, &faults))
}

/// [`parse_spec`] for a search over hardware.
pub fn parse_catalogue(path: &Path, text: &str) -> Result<Request> {
    let request = Request::read_catalogue(text, &mut FilesBeside::of(path));
    request.map_err(|faults| refused(path, text, SPEC, &faults))
}

const SPEC: &str = "a spec";
const WIRING: &str = "a wiring table";
const EMPTY: &str = "empty";

/// Kind of a file that was given in the place of another: [`SPEC`], [`WIRING`] or [`EMPTY`]; `None` for other kinds, and if it has errors.
pub fn kind_of(text: &str) -> Option<&'static str> {
    let is_wiring = || table::parse(text, MAX_PES).is_ok();
    if text.trim().is_empty() {
        Some(EMPTY)
    } else if text.len() <= MAX_SPEC_BYTES && resolve::parse(text).is_ok() {
        Some(SPEC)
    } else {
        is_wiring().then_some(WIRING)
    }
}

/// The error for a file of the wrong kind, such as a wiring instead of a spec.
pub fn refused(path: &Path, text: &str, expected: &str, faults: &dyn Display) -> anyhow::Error {
    let name = name(path);
    match kind_of(text).filter(|kind| *kind != expected) {
        Some(EMPTY) => anyhow!("{name} is empty; give {expected}"),
        Some(kind) => anyhow!("{name} is {kind}, not {expected}"),
        None => anyhow!("{name} has errors:\n{faults}"),
    }
}

/// Error of a file in which nothing of the wanted kind was found, such as "LLDP neighbours".
pub fn without(path: &Path, text: &str, wanted: &str, faults: &dyn Display) -> anyhow::Error {
    let name = name(path);
    match kind_of(text) {
        Some(EMPTY) => anyhow!("{name} is empty; it has no {wanted}"),
        Some(kind) => anyhow!("{name} is {kind}; it has no {wanted}"),
        None => anyhow!("{name}: no {wanted}:\n{faults}"),
    }
}

/// Reads a spec file and a wiring table for its machine.
pub fn read_both(spec: &Path, design: &Path) -> Result<(Request, Design)> {
    if spec == design && spec == Path::new(STANDARD) {
        bail!("SPEC and WIRING cannot both be standard input");
    }
    let ordered = |error: anyhow::Error, text: &str, other: &str| match kind_of(text) {
        Some(kind) if kind == other => anyhow!("{error}; the order is SPEC WIRING"),
        _ => error,
    };
    let text = read_spec_text(spec)?;
    let request = parse_spec(spec, &text).map_err(|error| ordered(error, &text, WIRING))?;
    let text = read_text(design, max_table_bytes(&request.spec))?;
    let text = table_of(&name(design), text, &Names::sized(&request.spec, request.spec.pes, 0))
        .map_err(|faults| anyhow!("{faults}"))?;
    let wiring = request.wiring(&text);
    let wiring = wiring.map_err(|faults| ordered(refused(design, &text, WIRING, &faults), &text, SPEC))?;
    Ok((request, wiring))
}

/// The wiring table of a file. A network in the format of another program becomes a table.
fn table_of(name: &str, text: String, nodes: &Names) -> Result<String, Faults> {
    let Some(read) = NetworkFile::wiring_table(name, &text, nodes) else { return Ok(text) };
    let (table, warnings) = read?;
    warn(&warnings);
    Ok(table)
}

/// Prints the warnings of a file on standard error.
pub fn warn(warnings: &[impl Display]) {
    warnings.iter().for_each(|warning| to_stderr(&format!("warning: {warning}\n")));
}

/// As [`read_both`], and checks that the wiring fits the spec.
pub fn read_fitting(spec: &Path, design: &Path) -> Result<(Request, Design)> {
    let (request, wiring) = read_both(spec, design)?;
    match broken(&request.spec, &request.demand, &wiring) {
        Some(broken) => bail!(
            "{} does not fit the spec: {broken}. Change the wiring or the spec; `crosspoint check` lists every broken rule.",
            name(design)
        ),
        None => Ok((request, wiring)),
    }
}

/// Name of a file in messages.
pub fn name(path: &Path) -> String {
    if path == Path::new(STANDARD) { "standard input".into() } else { path.display().to_string() }
}

/// Max bytes of a table: a PE number and a blank per NI, the switch numbers, as much again for comments, and room for tables
/// that break limits.
fn max_table_bytes(spec: &Spec) -> u64 {
    let digits = u64::from(spec.pes.max(10).ilog10()) + 2;
    let switches = u64::from(spec.switch_budget()) * 12;
    (16 << 20) + 4 * (spec.total_nis() * digits + switches)
}

pub fn read_text(path: &Path, limit: u64) -> Result<String> {
    let bytes = read_bytes(path, limit).with_context(|| format!("{} cannot be read", name(path)))?;
    if let Some(kind) = other_kind(&bytes) {
        bail!("{} is {kind}, not UTF-8 text", name(path));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|&&b| b == b'\n').count() + 1;
        anyhow!("{} is not UTF-8 text (line {line})", name(path))
    })
}

/// Reads the file of a network.
///
/// # Errors
/// Why it cannot be read.
pub fn read_network(path: &str) -> Result<String, String> {
    read_text(Path::new(path), MAX_FILE_BYTES as u64).map_err(|error| format!("{error:#}"))
}

/// Reads fonts to embed in PDF files.
///
/// # Errors
/// A file cannot be read or is no font that can be embedded; the error names it.
pub fn read_fonts(paths: &[PathBuf]) -> Result<Fonts> {
    let read = |path: &PathBuf| {
        let font = read_bytes(path, MAX_FONT_BYTES);
        let font = font.with_context(|| format!("{} cannot be read", name(path)))?;
        let checked = check_font(&font);
        checked.map_err(|why| anyhow!("{} is not a TrueType or OpenType font: {why}", name(path)))?;
        Ok(font)
    };
    paths.iter().map(read).collect()
}

fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut size = 0;
    // Only plain files have a size; others may never end.
    if path == Path::new(STANDARD) {
        io::stdin().lock().take(limit + 1).read_to_end(&mut bytes)?;
    } else {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            bail!("it is a folder, not a file");
        }
        size = metadata.len();
        if size <= limit {
            file.take(limit + 1).read_to_end(&mut bytes)?;
        }
    }
    if size.max(bytes.len() as u64) > limit {
        bail!("it is too large (max {} bytes)", grouped(limit));
    }
    Ok(bytes)
}

/// Matrix and wiring files, by paths relative to the spec's folder.
struct FilesBeside {
    folder: PathBuf,
}

impl FilesBeside {
    fn of(path: &Path) -> FilesBeside {
        FilesBeside { folder: path.parent().unwrap_or(Path::new("")).to_owned() }
    }

    fn text(&self, path: &str) -> Result<String, String> {
        let read = read_text(&self.folder.join(path), matrix::MAX_BYTES as u64);
        read.map_err(|error| format!("cannot read {path}: {}", error.root_cause()))
    }
}

impl MatrixFiles for FilesBeside {
    fn read(&mut self, path: &str) -> Result<String, String> {
        self.text(path)
    }

    fn read_wiring(&mut self, path: &str, nodes: &Names) -> Result<String, String> {
        let first = |faults: Faults| faults.0.first().map_or_else(String::new, |fault| fault.to_string());
        table_of(path, self.text(path)?, nodes).map_err(first)
    }
}
