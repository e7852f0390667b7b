//! A spec inside a URL: deflated, in letters that URLs leave alone. The first letter is the version of this encoding.

use super::{Fault, MAX_SPEC_BYTES};
use crate::text::grouped;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use miniz_oxide::{deflate::compress_to_vec, inflate::decompress_to_vec_with_limit};

const VERSION: char = '1';
/// Deflate's levels go to 10; the last ones cost much and gain nothing on texts of a spec's size.
const LEVEL: u8 = 9;

/// A spec's text as part of a URL: letters, digits, `-` and `_` only.
pub fn encode(text: &str) -> String {
    let mut link = String::from(VERSION);
    URL_SAFE_NO_PAD.encode_string(compress_to_vec(text.as_bytes(), LEVEL), &mut link);
    link
}

/// The text that [`encode`] was given.
///
/// # Errors
/// The link is cut short, altered, of a later version, or holds more than [`MAX_SPEC_BYTES`], which is never unpacked.
pub fn decode(link: &str) -> Result<String, Fault> {
    let refused = |found: &str, expected: &str| Fault::new("link", found, expected);
    let whole = "a complete link to a spec";
    let Some(letters) = link.strip_prefix(VERSION) else {
        let found = link.chars().next().map_or_else(|| "nothing".into(), |c| format!("version {c}"));
        return Err(refused(&found, "a link of version 1"));
    };
    if letters.len() > 2 * MAX_SPEC_BYTES {
        return Err(refused(&format!("{} letters", letters.len()), "a shorter link"));
    }
    let packed = URL_SAFE_NO_PAD.decode(letters).map_err(|_| refused(letters, whole))?;
    let bytes =
        decompress_to_vec_with_limit(&packed, MAX_SPEC_BYTES).map_err(|error| match error.status {
            miniz_oxide::inflate::TINFLStatus::HasMoreOutput => refused(
                "a larger spec",
                &format!("a spec of at most {} bytes", grouped(MAX_SPEC_BYTES as u64)),
            ),
            _ => refused(letters, whole),
        })?;
    String::from_utf8(bytes).map_err(|_| refused(letters, whole))
}
