//! Numbers and quoted words as people read them, the same at the command line and in the browser.

/// A whole number, thousands separated by commas: 1,536.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with so many decimals, thousands separated: 1,615.00.
pub fn fixed(number: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", number.abs());
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let sign = if number < 0.0 && text.bytes().any(|b| (b'1'..=b'9').contains(&b)) { "-" } else { "" };
    let whole = whole.parse::<u64>().map_or_else(|_| whole.to_string(), grouped);
    format!("{sign}{whole}{rest}")
}

/// What was found, as a message quotes it: if it has more than `most` characters, its first `kept` and an ellipsis.
pub(crate) fn shorten(text: &str, most: usize, kept: usize) -> String {
    match (text.char_indices().nth(most), text.char_indices().nth(kept)) {
        (Some(_), Some((end, _))) => format!("{}...", &text[..end]),
        _ => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        let cases = [(0, "0"), (999, "999"), (1000, "1,000"), (622_592, "622,592"), (7_529_833, "7,529,833")];
        cases.iter().for_each(|&(number, text)| assert_eq!(grouped(number), text));
        assert_eq!(fixed(1615.0, 2), "1,615.00");
        assert_eq!(fixed(-0.001, 2), "0.00");
        assert_eq!(fixed(-1234.5, 0), "-1,234");
    }

    #[test]
    fn long_words_are_cut_between_characters() {
        assert_eq!(shorten("äöü", 3, 2), "äöü");
        assert_eq!(shorten("äöüß", 3, 2), "äö...");
        assert_eq!(shorten("äöüß", 3, 3), "äöü...");
        assert_eq!(shorten("", 0, 0), "");
    }
}
