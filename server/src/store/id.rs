//! Names that nobody can guess, since whoever knows a link may open it.

use super::StoreError;

/// Letters and digits that are not mistaken for each other, all of them safe in a URL.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// 26 letters of 5 bits: 130 bits.
const LENGTH: usize = 26;

/// A new name of 130 random bits from the operating system.
///
/// # Errors
/// The system has no random numbers to give.
pub fn new_id() -> Result<String, StoreError> {
    let mut bytes = [0u8; LENGTH];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|b| char::from(ALPHABET[usize::from(b % 32)])).collect())
}
