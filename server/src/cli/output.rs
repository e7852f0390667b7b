//! Where results go: standard output or a file.
//!
//! A file is there whole or as it was before: it is written beside its place and moved there at the end. What cannot be
//! replaced so, such as a device or a pipe, is written directly.

use super::files::STANDARD;
use anyhow::{Context, Result, anyhow, bail};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, ErrorKind, Write},
    path::{Path, PathBuf},
};
use tempfile::TempPath;

/// Writes a result to the file, or to standard output where there is none or it is called `-`. A reader of our output who
/// has seen enough, as `head` has, is no error.
///
/// # Errors
/// It cannot be written; the file is named.
pub fn to(path: Option<&Path>, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let Some(path) = path.filter(|path| !is_standard(path)) else {
        return unless_closed(through(io::stdout().lock(), write));
    };
    let name = || format!("{} cannot be written", path.display());
    match Staged::beside(path).with_context(name)? {
        Some(staged) => staged.write(write),
        None => File::create(path).map_err(Into::into).and_then(|file| unless_closed(through(file, write))),
    }
    .with_context(name)
}

/// Writes text to standard output.
///
/// # Errors
/// It cannot be written.
pub fn print(text: &str) -> Result<()> {
    to(None, |out| Ok(out.write_all(text.as_bytes())?))
}

/// Makes sure that [`to`] will find a place for the file, without touching what is there.
///
/// # Errors
/// It will not; the file is named.
pub fn ready(path: &Path) -> Result<()> {
    if is_standard(path) {
        return Ok(());
    }
    Staged::beside(path).map(drop).with_context(|| format!("{} cannot be written", path.display()))
}

/// Replaces a file by what is written, or makes it. It is there whole, old or new, even if the machine stops in the middle.
///
/// # Errors
/// It cannot be replaced or written; it is named.
pub fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let replaced =
        Staged::beside(path).and_then(|staged| staged.ok_or_else(irreplaceable)?.write_durably(write));
    replaced.with_context(|| format!("{} cannot be written", path.display()))
}

/// Makes sure that [`replace`] will find a place for the file, without touching what is there.
///
/// # Errors
/// It will not; the file is named.
pub fn replaceable(path: &Path) -> Result<()> {
    let staged = Staged::beside(path).and_then(|staged| staged.map(drop).ok_or_else(irreplaceable));
    staged.with_context(|| format!("{} cannot be written", path.display()))
}

fn irreplaceable() -> anyhow::Error {
    anyhow!("no new file can take its place; a plain file in a folder that takes new ones was expected")
}

/// Whether a path stands for standard output.
pub fn is_standard(path: &Path) -> bool {
    path == Path::new(STANDARD) || path == Path::new("/dev/stdout")
}

/// Writes through a buffer.
fn through(sink: impl Write, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, sink);
    let written = write(&mut out).and_then(|()| Ok(out.flush()?));
    // What is still in the buffer has nowhere to go after an error.
    drop(out.into_parts());
    written
}

fn unless_closed(written: Result<()>) -> Result<()> {
    written.or_else(|error| if is_closed_pipe(&error) { Ok(()) } else { Err(error) })
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let causes = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes.map(io::Error::kind).any(|kind| kind == ErrorKind::BrokenPipe)
}

/// A file beside its place. Unless it is moved there, it goes away.
struct Staged {
    file: File,
    path: TempPath,
    target: PathBuf,
}

impl Staged {
    /// `None` if the place is to be written directly.
    fn beside(path: &Path) -> Result<Option<Staged>> {
        let (target, permissions) = match fs::metadata(path) {
            Ok(found) if found.is_dir() => bail!("it is a folder"),
            // A name for an open file, which would go on under no name at all.
            Ok(_) if path.starts_with("/dev/fd") || path.starts_with("/proc") => return Ok(None),
            Ok(found) if found.is_file() => {
                // Who may not write a file is not to replace it, either.
                OpenOptions::new().append(true).open(path)?;
                (path.canonicalize()?, Some(found.permissions()))
            }
            Ok(_) => return Ok(None),
            // A link to what is not there yet.
            Err(error) if error.kind() == ErrorKind::NotFound && path.is_symlink() => return Ok(None),
            Err(error) if error.kind() == ErrorKind::NotFound => (path.to_owned(), None),
            Err(error) => return Err(error.into()),
        };
        match new_file(folder_of(&target)) {
            Ok((file, path)) => {
                permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions))?;
                Ok(Some(Staged { file, path, target }))
            }
            // The folder takes no new files, but the old one can be written.
            Err(error) if error.kind() == ErrorKind::PermissionDenied && permissions.is_some() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn write(self, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
        through(&self.file, write)?;
        self.path.persist(&self.target).map_err(|error| error.error)?;
        Ok(())
    }

    /// The same, and waits until the disk has it.
    fn write_durably(self, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
        through(&self.file, write)?;
        self.file.sync_all()?;
        self.path.persist(&self.target).map_err(|error| error.error)?;
        // Where folders cannot be opened, their entries are the system's to keep.
        #[cfg(unix)]
        File::open(folder_of(&self.target))?.sync_all()?;
        Ok(())
    }
}

fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}

fn new_file(folder: &Path) -> io::Result<(File, TempPath)> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".crosspoint-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let made = builder.tempfile_in(folder).map_err(|error| {
        // Without the name that nobody has given.
        let cause = error.get_ref().and_then(std::error::Error::source);
        let cause = cause.and_then(|cause| cause.downcast_ref::<io::Error>()?.raw_os_error());
        cause.map_or(error, io::Error::from_raw_os_error)
    })?;
    Ok(made.into_parts())
}
