//! A spec inside a URL: deflated, in letters that URLs leave alone. The first letter is the version of this encoding.

use super::{Fault, MAX_SPEC_BYTES};
use crate::form::says;
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
    let refused = |sentence: &str| Fault::new("link", link, says(sentence));
    let whole = "it is incomplete or altered.";
    let Some(letters) = link.strip_prefix(VERSION) else {
        return Err(match link.chars().next() {
            Some(version) => refused(&format!("it is of version {version}; this studio reads version 1.")),
            None => refused("it is empty."),
        });
    };
    let too_long = || format!("its spec is larger than {} bytes.", grouped(MAX_SPEC_BYTES as u64));
    if letters.len() > 2 * MAX_SPEC_BYTES {
        return Err(refused(&too_long()));
    }
    let packed = URL_SAFE_NO_PAD.decode(letters).map_err(|_| refused(whole))?;
    let bytes =
        decompress_to_vec_with_limit(&packed, MAX_SPEC_BYTES).map_err(|error| match error.status {
            miniz_oxide::inflate::TINFLStatus::HasMoreOutput => refused(&too_long()),
            _ => refused(whole),
        })?;
    String::from_utf8(bytes).map_err(|_| refused(whole))
}
