//! Results on standard output or in a file.
//!
//! A file is written beside its target and moved there at the end, so that it is never incomplete. Devices and pipes, which
//! cannot be replaced, are written directly.

use super::files::STANDARD;
use anyhow::{Context, Result, anyhow, bail};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, ErrorKind, Write},
    path::{Path, PathBuf},
};
use tempfile::TempPath;

/// Writes a result to the file, or to standard output if there is none or it is `-`. A closed pipe, as by `head`, is no error.
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
pub fn print(text: &str) -> Result<()> {
    to(None, |out| Ok(out.write_all(text.as_bytes())?))
}

/// Writes text to standard error, which may be closed.
pub fn to_stderr(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Makes sure that [`to`] can write the file, without changing it.
pub fn ready(path: &Path) -> Result<()> {
    if is_standard(path) {
        return Ok(());
    }
    Staged::beside(path).map(drop).with_context(|| format!("{} cannot be written", path.display()))
}

/// Creates or replaces a file. The file is complete, old or new, even if the machine stops meanwhile.
pub fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let replaced =
        Staged::beside(path).and_then(|staged| staged.ok_or_else(irreplaceable)?.write_durably(write));
    replaced.with_context(|| format!("{} cannot be written", path.display()))
}

/// Makes sure that [`replace`] can write the file, without changing it.
pub fn replaceable(path: &Path) -> Result<()> {
    let staged = Staged::beside(path).and_then(|staged| staged.map(drop).ok_or_else(irreplaceable));
    staged.with_context(|| format!("{} cannot be written", path.display()))
}

fn irreplaceable() -> anyhow::Error {
    anyhow!("it cannot be replaced; name a plain file in a writable folder")
}

/// `true` if the path stands for standard output.
pub fn is_standard(path: &Path) -> bool {
    path == Path::new(STANDARD) || path == Path::new("/dev/stdout")
}

/// Writes through a buffer.
fn through(sink: impl Write, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, sink);
    let written = write(&mut out).and_then(|()| Ok(out.flush()?));
    // Discards the rest of the buffer after an error.
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

/// A temporary file beside its target, deleted unless it is moved there.
struct Staged {
    file: File,
    path: TempPath,
    target: PathBuf,
}

impl Staged {
    /// `None` if the target is to be written directly.
    fn beside(path: &Path) -> Result<Option<Staged>> {
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
                Ok(Some(Staged { file, path, target }))
            }
            // The folder is read-only, but the file can be written.
            Err(error) if error.kind() == ErrorKind::PermissionDenied && permissions.is_some() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn write(self, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
        through(&self.file, write)?;
        self.path.persist(&self.target).map_err(|error| error.error)?;
        Ok(())
    }

    /// [`Staged::write`] that waits until the disk has the file.
    fn write_durably(self, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
        through(&self.file, write)?;
        self.file.sync_all()?;
        self.path.persist(&self.target).map_err(|error| error.error)?;
        // Only on Unix can a folder be opened to be synced.
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
        // The message without the name of the temporary file.
        let cause = error.get_ref().and_then(std::error::Error::source);
        let cause = cause.and_then(|cause| cause.downcast_ref::<io::Error>()?.raw_os_error());
        cause.map_or(error, io::Error::from_raw_os_error)
    })?;
    Ok(made.into_parts())
}
