//! Splitting of the module into the one that starts the studio and the parts that it loads later (`frontend/src/parts.rs`).

use anyhow::{Context, Result, anyhow};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Writes the parts and their loader into `code`, and the first module, which wasm-bindgen completes, beside the whole one.
/// Returns the path of the first module.
///
/// # Errors
/// If the module has no relocations, or the parts cannot be written.
pub fn split(wasm: &Path, code: &Path, keep_names: bool) -> Result<PathBuf> {
    let whole = fs::read(wasm).with_context(|| wasm.display().to_string())?;
    let first = wasm.with_file_name("frontend-first.wasm");
    let mut options = wasm_split_cli_support::Options::new(&whole);
    options.output_dir = code;
    options.main_out_path = &first;
    options.main_module = "./app.js";
    options.link_name = "./parts.js";
    let parts = wasm_split_cli_support::transform(options).map_err(|error| anyhow!("{error:#}"))?;
    for part in parts.split_modules.iter().filter(|_| !keep_names) {
        let module = fs::read(part)?;
        let stripped = without_custom_sections(&module).with_context(|| part.display().to_string())?;
        fs::write(part, stripped)?;
    }
    Ok(first)
}

/// `true` for the module of a part, or its compressed sibling.
pub fn is_part(file: &Path) -> bool {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    ["split_", "chunk_"].iter().any(|start| name.starts_with(start))
}

/// The module without names and other sections for tools.
fn without_custom_sections(module: &[u8]) -> Result<Vec<u8>> {
    const HEADER: usize = 8;
    let mut kept = module.get(..HEADER).context("no header")?.to_vec();
    let mut at = HEADER;
    while at < module.len() {
        let (length, bytes) = leb128(&module[at + 1..]).context("no length")?;
        let end = at + 1 + bytes + length;
        let section = module.get(at..end).context("a section is cut short")?;
        if module[at] != 0 {
            kept.extend_from_slice(section);
        }
        at = end;
    }
    Ok(kept)
}

/// A number in the format LEB128, and how many bytes it takes.
fn leb128(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0;
    for (index, byte) in bytes.iter().take(5).enumerate() {
        value |= usize::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Some((value, index + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn custom_sections_go_and_the_others_stay() {
        let header = *b"\0asm\x01\0\0\0";
        let long = [&[10, 0x80, 1][..], &[7; 128]].concat();
        let module = [&header[..], &[0, 2, 1, b'n'], &long, &[0, 1, 0]].concat();
        assert_eq!(without_custom_sections(&module).unwrap(), [&header[..], &long].concat());
    }

    #[test]
    fn a_module_cut_short_is_an_error() {
        assert!(without_custom_sections(b"\0asm").is_err());
        assert!(without_custom_sections(b"\0asm\x01\0\0\0\x0a\x05\x01").is_err());
    }
}
