//! Edit tokens: secrets that give the right to stop a search. The studio keeps their hashes only.

use sha2::{Digest, Sha256};
use std::ops::RangeInclusive;
use subtle::ConstantTimeEq;

/// Characters of a token. At least 128 bits in base64.
const LENGTH: RangeInclusive<usize> = 22..=200;
/// Accepted tokens, in words.
pub const EXPECTED: &str = "22 to 200 ASCII characters without spaces";

/// SHA-256 of an edit token. A token is random, so it needs no salt.
#[derive(Clone, Copy)]
pub struct TokenHash([u8; 32]);

impl TokenHash {
    /// Hash of any text, to be compared with others.
    pub fn of(text: &str) -> TokenHash {
        TokenHash(Sha256::digest(text).into())
    }

    /// Hash of a token that is to be kept.
    ///
    /// # Errors
    /// Length or kind of the token's characters; never the token.
    pub fn checked(token: &str) -> Result<TokenHash, String> {
        if !LENGTH.contains(&token.chars().count()) {
            return Err(format!("{} characters", token.chars().count()));
        }
        match token.bytes().all(|byte| byte.is_ascii_graphic()) {
            true => Ok(TokenHash::of(token)),
            false => Err("spaces or characters outside ASCII".into()),
        }
    }

    /// The hash itself.
    pub fn bytes(&self) -> [u8; 32] {
        self.0
    }
}

impl From<[u8; 32]> for TokenHash {
    fn from(hash: [u8; 32]) -> TokenHash {
        TokenHash(hash)
    }
}

/// Takes the same time for all values.
impl PartialEq for TokenHash {
    fn eq(&self, other: &TokenHash) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_128_bits_and_fits_a_header() {
        let checked = |token: &str| TokenHash::checked(token).map(drop);
        assert_eq!(checked("0123456789abcdefghijk"), Err("21 characters".into()));
        assert_eq!(checked(&"a".repeat(201)), Err("201 characters".into()));
        assert_eq!(checked("0123456789 abcdefghijklm"), Err("spaces or characters outside ASCII".into()));
        assert_eq!(checked("AbC+/=_-.~0123456789abc"), Ok(()));
    }

    #[test]
    fn hashes_of_different_tokens_differ() {
        assert!(TokenHash::of("a") == TokenHash::of("a") && TokenHash::of("a") != TokenHash::of("b"));
    }
}
