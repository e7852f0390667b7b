//! The `.br` and `.gz` siblings, which the server sends as they are.

use crate::files_under;
use anyhow::{Context, Result};
use brotli::enc::{BrotliEncoderParams, backward_references::BrotliEncoderMode};
use std::{
    ffi::OsString,
    fs,
    io::Write,
    path::{Path, PathBuf},
};

/// Compression effort.
#[derive(Clone, Copy)]
pub enum Effort {
    /// For development.
    Light,
    /// For a release.
    Full,
}

/// Extensions of files that gain from compression.
const TEXTUAL: [&str; 8] = ["css", "html", "js", "json", "svg", "wasm", "webmanifest", "txt"];

/// Writes the siblings of every such file under `dir`.
///
/// # Errors
/// If a file cannot be read or written.
pub fn tree(dir: &Path, effort: Effort) -> Result<()> {
    for file in files_under(dir)? {
        let textual = file.extension().and_then(|e| e.to_str()).is_some_and(|e| TEXTUAL.contains(&e));
        if !textual {
            continue;
        }
        let data = fs::read(&file)?;
        fs::write(sibling(&file, "br"), brotli(&data, effort)?)
            .with_context(|| file.display().to_string())?;
        fs::write(sibling(&file, "gz"), gzip(&data, effort)?).with_context(|| file.display().to_string())?;
    }
    Ok(())
}

/// `app.js` and `br` give `app.js.br`.
fn sibling(file: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(".");
    name.push(ending);
    PathBuf::from(name)
}

fn brotli(data: &[u8], effort: Effort) -> Result<Vec<u8>> {
    let quality = match effort {
        Effort::Light => 4,
        Effort::Full => 11,
    };
    // WebAssembly is no text: this mode and one large block take one per cent less.
    let params = BrotliEncoderParams {
        quality,
        lgwin: 24,
        lgblock: 24,
        mode: BrotliEncoderMode::BROTLI_FORCE_SIGNED_PRIOR,
        size_hint: data.len(),
        ..BrotliEncoderParams::default()
    };
    let mut packed = Vec::new();
    brotli::BrotliCompress(&mut &data[..], &mut packed, &params)?;
    Ok(packed)
}

fn gzip(data: &[u8], effort: Effort) -> Result<Vec<u8>> {
    let level = match effort {
        Effort::Light => flate2::Compression::fast(),
        Effort::Full => flate2::Compression::best(),
    };
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), level);
    writer.write_all(data)?;
    Ok(writer.finish()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn both_forms_unpack_to_the_same_bytes() {
        let data = b"switch: pe pe pe\n".repeat(500);
        for effort in [Effort::Light, Effort::Full] {
            let (mut from_brotli, mut from_gzip) = (Vec::new(), Vec::new());
            let packed = brotli(&data, effort).unwrap();
            brotli::Decompressor::new(packed.as_slice(), 4096).read_to_end(&mut from_brotli).unwrap();
            let packed = gzip(&data, effort).unwrap();
            flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut from_gzip).unwrap();
            assert!(from_brotli == data && from_gzip == data);
        }
    }

    #[test]
    fn siblings_keep_the_whole_name() {
        assert_eq!(sibling(Path::new("a/app_bg.wasm"), "br"), Path::new("a/app_bg.wasm.br"));
    }
}
