//! Results on standard output or in a file.
//!
//! A file is written beside its target and moved there at the end, so that it is never incomplete. Devices and pipes, which
//! cannot be replaced, are written directly.

use anyhow::{Context, Result, anyhow, bail};
use serde::Serialize;
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;
use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, ErrorKind, Write},
    path::{Path, PathBuf},
};
use tempfile::TempPath;

/// Name of standard input and of standard output.
pub const STANDARD: &str = "-";

/// Writes a result to the file, or to standard output if there is none or it is `-`. A closed pipe, as by `head`, is no error.
pub fn to(path: Option<&Path>, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    match path.filter(|path| !is_standard(path)) {
        Some(path) => file(path, false, write),
        None => unless_closed(through(io::stdout().lock(), write)),
    }
}

/// Writes a result to the file. Of a private one, which is a plain file, only its owner gets to read and write it, as far as the
/// system knows owners.
pub fn file(path: &Path, private: bool, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let name = || format!("{} cannot be written", path.display());
    match StagedFile::beside(path).with_context(name)? {
        Some(staged) => {
            #[cfg(unix)]
            if private {
                staged.file.set_permissions(PermissionsExt::from_mode(0o600)).with_context(name)?;
            }
            staged.write(false, write)
        }
        None => File::create(path).map_err(Into::into).and_then(|file| unless_closed(through(file, write))),
    }
    .with_context(name)
}

/// Writes a value as JSON to standard output.
pub fn print_json(value: &impl Serialize) -> Result<()> {
    to(None, |out| {
        serde_json::to_writer_pretty(&mut *out, value).map_err(io::Error::from)?;
        Ok(out.write_all(b"\n")?)
    })
}

/// Writes text to standard output.
pub fn print(text: &str) -> Result<()> {
    to(None, |out| Ok(out.write_all(text.as_bytes())?))
}

/// Writes text to standard error, which may be closed.
pub fn to_stderr(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Makes sure that [`to`] can write the file, without changing it, and that it is none of the files that are read.
pub fn ready<'a>(path: Option<&Path>, inputs: impl IntoIterator<Item = &'a PathBuf>) -> Result<()> {
    apart(path, inputs)?;
    let Some(path) = path.filter(|path| !is_standard(path)) else { return Ok(()) };
    StagedFile::beside(path).map(drop).with_context(|| format!("{} cannot be written", path.display()))
}

/// Makes sure that an output file is none of the files that are read.
pub fn apart<'a>(path: Option<&Path>, inputs: impl IntoIterator<Item = &'a PathBuf>) -> Result<()> {
    let Some(path) = path.filter(|path| !is_standard(path)) else { return Ok(()) };
    match inputs.into_iter().any(|input| same(path, input)) {
        true => bail!("-o {}: this file is read; name another file", path.display()),
        false => Ok(()),
    }
}

/// `true` if two paths lead to one file.
pub fn same(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path));
    place(one) == place(other)
}

/// Creates a folder if it is missing.
pub fn folder(path: &Path) -> Result<()> {
    if path.is_file() {
        bail!("{} is a file; name a folder", path.display());
    }
    fs::create_dir_all(path).with_context(|| format!("{} cannot be created", path.display()))
}

/// Creates or replaces a file. The file is complete, old or new, even if the machine stops meanwhile.
pub fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let replaced =
        StagedFile::beside(path).and_then(|staged| staged.ok_or_else(irreplaceable)?.write(true, write));
    replaced.with_context(|| format!("{} cannot be written", path.display()))
}

/// Makes sure that [`replace`] can write the file, without changing it.
pub fn replaceable(path: &Path) -> Result<()> {
    let staged = StagedFile::beside(path).and_then(|staged| staged.map(drop).ok_or_else(irreplaceable));
    staged.with_context(|| format!("{} cannot be written", path.display()))
}

fn irreplaceable() -> anyhow::Error {
    anyhow!("it cannot be replaced; name a plain file in a writable folder")
}

/// `true` if the path stands for standard output.
pub fn is_standard(path: &Path) -> bool {
    path == Path::new(STANDARD) || path == Path::new("/dev/stdout")
}

fn through(sink: impl Write, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, sink);
    let written = write(&mut out).and_then(|()| Ok(out.flush()?));
    // Discards the rest of the buffer after an error.
    drop(out.into_parts());
    written
}

fn unless_closed(written: Result<()>) -> Result<()> {
    written.or_else(|error| {
        let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
        if causes.any(|cause| cause.kind() == ErrorKind::BrokenPipe) { Ok(()) } else { Err(error) }
    })
}

/// A temporary file beside its target, deleted unless it is moved there.
struct StagedFile {
    file: File,
    path: TempPath,
    target: PathBuf,
}

impl StagedFile {
    /// `None` if the target is to be written directly.
    fn beside(path: &Path) -> Result<Option<StagedFile>> {
        let (target, permissions) = match fs::metadata(path) {
            Ok(found) if found.is_dir() => bail!("it is a folder"),
            // A name for an open file, which a replacement would detach.
            Ok(_) if path.starts_with("/dev/fd") || path.starts_with("/proc") => return Ok(None),
            Ok(found) if found.is_file() => {
                // A file that cannot be written must not be replaced either.
                OpenOptions::new().append(true).open(path)?;
                (path.canonicalize()?, Some(found.permissions()))
            }
            Ok(_) => return Ok(None),
            // A link to a missing file.
            Err(error) if error.kind() == ErrorKind::NotFound && path.is_symlink() => return Ok(None),
            Err(error) if error.kind() == ErrorKind::NotFound => (path.to_owned(), None),
            Err(error) => return Err(error.into()),
        };
        match new_file(folder_of(&target)) {
            Ok((file, path)) => {
                permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions))?;
                Ok(Some(StagedFile { file, path, target }))
            }
            // The folder is read-only, but the file can be written.
            Err(error) if error.kind() == ErrorKind::PermissionDenied && permissions.is_some() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes the file; a `durable` write waits until the disk has it.
    fn write(self, durable: bool, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
        through(&self.file, write)?;
        if durable {
            self.file.sync_all()?;
        }
        self.path.persist(&self.target).map_err(|error| error.error)?;
        // Only on Unix can a folder be opened to be synced.
        #[cfg(unix)]
        if durable {
            File::open(folder_of(&self.target))?.sync_all()?;
        }
        Ok(())
    }
}

fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}

fn new_file(folder: &Path) -> io::Result<(File, TempPath)> {
    // Opened here, since an error of `tempfile_in` names the temporary file.
    let open = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
    let made = tempfile::Builder::new().prefix(".crosspoint-").make_in(folder, open)?;
    Ok(made.into_parts())
}

/// Lines of cells as columns: the first to the left, the others to the right.
pub fn table(lines: &[Vec<String>]) -> String {
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..lines.first().map_or(0, Vec::len)).map(width).collect();
    let text = |line: &Vec<String>| {
        let mut text = format!("{:1$}", line[0], widths[0]);
        for (cell, width) in line.iter().zip(&widths).skip(1) {
            text += &format!("  {cell:>width$}");
        }
        format!("{}\n", text.trim_end())
    };
    lines.iter().map(text).collect()
}
