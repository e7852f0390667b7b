//! The two nodes whose routes are shown.

/// The two nodes, as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ends {
    /// Start of the route.
    pub from: String,
    /// End of the route.
    pub to: String,
}

impl Default for Ends {
    fn default() -> Ends {
        Ends { from: "0".into(), to: "1".into() }
    }
}

/// A node by its number or name.
///
/// # Errors
/// The accepted nodes.
pub fn pe(text: &str, pes: u32) -> Result<u32, String> {
    let lower = text.trim().to_ascii_lowercase();
    let digits = lower.strip_prefix("pe").unwrap_or(&lower);
    let number = digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse::<u32>().ok()).flatten();
    let last = pes.saturating_sub(1);
    number.filter(|&pe| pe < pes).ok_or_else(|| format!("Expected a node from 0 to {last}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pe_is_a_number_or_a_name_of_the_machine() {
        assert_eq!((pe("7", 8), pe(" PE007 ", 8)), (Ok(7), Ok(7)));
        for text in ["8", "", "sw1", "-1", "pe", "99999999999"] {
            assert!(pe(text, 8).is_err_and(|fault| fault.contains("0 to 7")), "{text}");
        }
    }
}
