//! Files of networks that are no wirings, as bytes.

use super::{ArtifactError, Sink, folder, header};
use shared::exports::{Each, ExportError, FabricBundle, FabricExportError, FabricFormat};
use std::io;

/// Whether [`write()`] writes an archive: of a format that is one file a host or switch, with none chosen.
pub fn is_archive(format: &FabricFormat, node: Option<u32>) -> bool {
    format.each != Each::Network && node.is_none()
}

/// The name of what [`write()`] writes.
pub fn file_name(bundle: &FabricBundle, format: &FabricFormat, node: Option<u32>) -> String {
    let name = bundle.file_name(format, node);
    if is_archive(format, node) { format!("{name}.tar") } else { name }
}

/// The media type of what [`write()`] writes.
pub fn media_type(format: &FabricFormat, node: Option<u32>) -> &'static str {
    if is_archive(format, node) { "application/x-tar" } else { format.media_type }
}

/// That a host or switch is chosen only where there is a file for each.
///
/// # Errors
/// One is chosen for a format that is one file for the whole network.
pub fn check(format: &FabricFormat, node: Option<u32>) -> Result<(), FabricExportError> {
    match node {
        Some(node) if format.each == Each::Network => {
            let why = format!("{} is one file for the whole network: leave it out", format.name);
            Err(ExportError::Setting { choice: format!("node={node}"), why }.into())
        }
        _ => Ok(()),
    }
}

/// Writes one file piece by piece, or an archive of those of all hosts or switches.
///
/// # Errors
/// It cannot be made, which shows before the first byte, or `out` takes no more.
pub fn write(
    bundle: &FabricBundle,
    format: &FabricFormat,
    node: Option<u32>,
    out: &mut dyn io::Write,
) -> Result<(), ArtifactError> {
    check(format, node)?;
    if is_archive(format, node) {
        return write_tar(bundle, format, out);
    }
    let mut sink = Sink { out, error: None };
    match (bundle.render(format, node.unwrap_or(0), &mut sink), sink.error) {
        (_, Some(error)) => Err(error.into()),
        (written, None) => Ok(written?),
    }
}

/// The archive holds one folder. Its bytes depend on nothing but the network: no times, no owners.
fn write_tar(
    bundle: &FabricBundle,
    format: &FabricFormat,
    out: &mut dyn io::Write,
) -> Result<(), ArtifactError> {
    let name = file_name(bundle, format, None);
    let mut archive = tar::Builder::new(out);
    let mut content = String::new();
    for node in 0..bundle.files(format) {
        content.clear();
        bundle.render(format, node, &mut content)?;
        let file = bundle.file_name(format, Some(node));
        let mut header = header(&file, content.len() as u64);
        archive.append_data(&mut header, format!("{}/{file}", folder(&name)), content.as_bytes())?;
    }
    Ok(archive.finish()?)
}
