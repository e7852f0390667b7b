//! Exports as bytes: one file, or a tar archive of the files of all nodes or switches, or of several formats. Files are
//! rendered and written one at a time, so that the files of a large machine are never all in memory.

mod defaults;
mod several;

pub use defaults::{with_default, with_today};
pub use several::{ALL, FormatArchive, SkippedFormat, WriteFile, archive_size};

use shared::{
    design::{Design, table},
    exports::{Bundle, ExportError, FileScope, Format, permissions},
    text::grouped,
};
use std::{fmt, io};

/// Reason why an export failed or is incomplete.
#[derive(Debug, thiserror::Error)]
pub enum ArtifactError {
    /// It cannot be made.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// It is larger than its destination can hold.
    #[error("larger than {} GiB; export it alone", .most.div_ceil(1 << 30))]
    TooLarge {
        /// The limit in bytes.
        most: u64,
    },
    /// Files of a format for all nodes are too large for an archive of all formats.
    #[error("about {} GiB for all nodes; export it alone", .bytes.div_ceil(1 << 30))]
    TooMuch {
        /// Estimated bytes.
        bytes: u64,
    },
    /// It walks too many pairs of nodes for an archive of all formats.
    #[error("about {} pairs of nodes; export it alone", grouped(*.pairs))]
    Pairs {
        /// Pairs of nodes.
        pairs: u64,
    },
    /// The sizes of its files take too long to learn.
    #[error("its size is still unknown after a long time")]
    Unplanned,
    /// The output failed. The cause tells a closed pipe from a full disk.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// `true` if [`write()`] writes an archive.
pub fn is_archive(format: &Format, number: Option<u32>) -> bool {
    format.is_several() || format.each != FileScope::Whole && number.is_none()
}

/// The name of the file that [`write()`] writes.
pub fn file_name(bundle: &Bundle, format: &Format, number: Option<u32>) -> String {
    let name = bundle.file_name(format, number);
    if is_archive(format, number) { format!("{}.tar", folder(&name)) } else { name }
}

/// The media type of the file that [`write()`] writes.
pub fn media_type(format: &Format, number: Option<u32>) -> &'static str {
    if is_archive(format, number) { "application/x-tar" } else { format.media_type }
}

/// The folder inside an archive of that name.
fn folder(name: &str) -> &str {
    name.strip_suffix(".tar").unwrap_or(name)
}

/// Writes one file, or an archive of a format that is several files, or one file per node or switch with none chosen.
///
/// # Errors
/// The export cannot be made, which shows before the first byte, or `out` takes no more.
pub fn write(
    bundle: &Bundle,
    format: &Format,
    number: Option<u32>,
    out: &mut dyn io::Write,
) -> Result<(), ArtifactError> {
    if is_archive(format, number) {
        return write_tar(bundle, format, number, out);
    }
    into_sink(out, |sink| bundle.write(format, number, sink))
}

/// Writes a wiring's table piece by piece, as the export of that name does.
///
/// # Errors
/// `out` takes no more.
pub fn write_table(design: &Design, out: &mut dyn io::Write) -> Result<(), ArtifactError> {
    into_sink(out, |sink| Ok(table::write_to(design, sink)?))
}

/// Writes and returns the error of the output itself, if it failed.
fn into_sink(
    out: &mut dyn io::Write,
    write: impl FnOnce(&mut Sink) -> Result<(), ExportError>,
) -> Result<(), ArtifactError> {
    let mut sink = Sink { out, error: None };
    match (write(&mut sink), sink.error) {
        (_, Some(error)) => Err(error.into()),
        (written, None) => Ok(written?),
    }
}

/// The archive holds one folder. Its bytes depend on nothing but the design: no times, no owners.
fn write_tar(
    bundle: &Bundle,
    format: &Format,
    number: Option<u32>,
    out: &mut dyn io::Write,
) -> Result<(), ArtifactError> {
    let name = file_name(bundle, format, number);
    let mut archive = tar::Builder::new(out);
    for_each_file(bundle, format, number, |path, content| {
        let path = format!("{}/{path}", folder(&name));
        let header = begin(&mut archive, &path, content.len() as u64)?;
        Ok::<_, ArtifactError>(archive.append(&header, content)?)
    })?;
    Ok(archive.finish()?)
}

/// Begins a file of an archive and returns its header, without times and owners.
fn begin<W: io::Write>(archive: &mut tar::Builder<W>, path: &str, size: u64) -> io::Result<tar::Header> {
    let mut header = tar::Header::new_ustar();
    let fits = header.set_path(path).is_ok();
    if !fits || !path.is_ascii() {
        // The extended header has room for any path, and its letters are UTF-8 whatever the code page.
        archive.append_pax_extensions([("path", path.as_bytes())])?;
    }
    if !fits {
        header.set_path("long-path")?;
    }
    header.set_size(size);
    header.set_mode(permissions(path));
    header.set_mtime(0);
    header.set_uid(0);
    header.set_gid(0);
    header.set_cksum();
    Ok(header)
}

/// `true` if only its owner may read a file.
pub fn is_private(path: &str) -> bool {
    permissions(path) == 0o600
}

/// Renders the files of an archive, one after another. Files of a format that is several files per node are in a folder of
/// the node's name, unless one node is chosen.
///
/// # Errors
/// A file cannot be made, or `each` fails.
pub fn for_each_file<E: From<ExportError>>(
    bundle: &Bundle,
    format: &Format,
    number: Option<u32>,
    mut each: impl FnMut(&str, &[u8]) -> Result<(), E>,
) -> Result<(), E> {
    if number.is_some() || format.each == FileScope::Whole {
        return bundle.files(format, number, each);
    }
    let mut content = Vec::new();
    for number in bundle.numbers(format) {
        if format.is_several() {
            let folder = bundle.name(format.each, number);
            bundle.files(format, Some(number), |path, content| each(&format!("{folder}/{path}"), content))?;
            continue;
        }
        content.clear();
        bundle.write(format, Some(number), &mut content)?;
        each(&bundle.file_name(format, Some(number)), &content)?;
    }
    Ok(())
}

/// Keeps the I/O error, which neither [`fmt::Error`] nor [`ExportError`] carries.
struct Sink<'a> {
    out: &'a mut dyn io::Write,
    error: Option<io::Error>,
}

impl io::Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes).map_err(|error| {
            let kind = error.kind();
            self.error = Some(error);
            kind.into()
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl fmt::Write for Sink<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        io::Write::write_all(self, text.as_bytes()).map_err(|_| fmt::Error)
    }
}
