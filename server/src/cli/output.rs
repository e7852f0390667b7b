//! Where results go: standard output or a file.

use anyhow::{Context, Result};
use std::{
    fs::{File, OpenOptions},
    io::{self, BufWriter, ErrorKind, Write},
    path::Path,
};

/// Writes a result to the file, or to standard output where there is none. A reader of our output who has seen enough,
/// as `head` has, is no error.
///
/// # Errors
/// It cannot be written; the file is named.
pub fn to(path: Option<&Path>, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let Some(path) = path else {
        let mut out = BufWriter::new(io::stdout().lock());
        let written = write(&mut out).and_then(|()| Ok(out.flush()?));
        // What is still in the buffer has nowhere to go after an error.
        drop(out.into_parts());
        return written.or_else(|error| if is_closed_pipe(&error) { Ok(()) } else { Err(error) });
    };
    let name = || format!("{} cannot be written", path.display());
    let mut out = BufWriter::new(File::create(path).with_context(name)?);
    write(&mut out).with_context(name)?;
    out.flush().with_context(name)
}

/// Writes text to standard output.
///
/// # Errors
/// It cannot be written.
pub fn print(text: &str) -> Result<()> {
    to(None, |out| Ok(out.write_all(text.as_bytes())?))
}

/// Makes sure that the file can be written later on, without touching what is in it.
///
/// # Errors
/// It cannot; the file is named.
pub fn writable(path: &Path) -> Result<()> {
    let opened = OpenOptions::new().create(true).append(true).open(path);
    opened.map(drop).with_context(|| format!("{} cannot be written", path.display()))
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let causes = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes.map(io::Error::kind).any(|kind| kind == ErrorKind::BrokenPipe)
}
