//! Reading spec, wiring and matrix files, none of them past its limit.

use crate::prepare::Request;
use anyhow::{Context, Result, anyhow, bail};
use shared::{
    demand::matrix,
    design::Design,
    spec::{MAX_SPEC_BYTES, MatrixFiles, Spec},
};
use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

/// Reads a spec file and builds its demand. Matrix files are looked for beside it.
///
/// # Errors
/// The file cannot be read, or every fault in it; the file is named.
pub fn read_spec(path: &Path) -> Result<Request> {
    let text = read_text(path, MAX_SPEC_BYTES as u64)?;
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let request = Request::read(&text, &mut FilesBeside { folder });
    request.map_err(|faults| anyhow!("{} is not a spec:\n{faults}", path.display()))
}

/// Reads a wiring table for the spec's machine.
///
/// # Errors
/// The file cannot be read, or every faulty line; the file is named.
pub fn read_wiring(request: &Request, path: &Path) -> Result<Design> {
    let text = read_text(path, most_table_bytes(&request.spec))?;
    request.wiring(&text).map_err(|faults| anyhow!("{} is not a wiring table:\n{faults}", path.display()))
}

/// A table that fits the machine is below this: a PE's number with a blank for each NI, the numbers of switches, and as
/// much again for comments. Tables that break limits are to be read, too, so that there is room for those.
fn most_table_bytes(spec: &Spec) -> u64 {
    let digits = u64::from(spec.pes.max(10).ilog10()) + 2;
    let switches = u64::from(spec.switch_budget()) * 12;
    (16 << 20) + 4 * (spec.total_nis() * digits + switches)
}

fn read_text(path: &Path, limit: u64) -> Result<String> {
    let name = || format!("{} cannot be read", path.display());
    let file = File::open(path).with_context(name)?;
    let metadata = file.metadata().with_context(name)?;
    if metadata.is_dir() {
        bail!("{} is a folder; a file was expected", path.display());
    }
    // What is no plain file tells no size, and may never end.
    let mut bytes = Vec::new();
    if metadata.len() <= limit {
        file.take(limit + 1).read_to_end(&mut bytes).with_context(name)?;
    }
    if metadata.len().max(bytes.len() as u64) > limit {
        bail!("{} is too large; at most {limit} bytes are read", path.display());
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|&&b| b == b'\n').count() + 1;
        anyhow!("{} is not UTF-8 text: line {line} holds bytes that are no letters", path.display())
    })
}

/// Matrix files, by paths relative to the spec's folder.
struct FilesBeside {
    folder: PathBuf,
}

impl MatrixFiles for FilesBeside {
    fn read(&mut self, path: &str) -> Result<String, String> {
        let path = self.folder.join(path);
        read_text(&path, matrix::MAX_BYTES as u64)
            .map_err(|error| format!("a matrix file that can be read ({error:#})"))
    }
}
