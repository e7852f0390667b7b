//! Numbers and quoted words as people read them, the same at the command line and in the browser.

use std::fmt::Write;

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

/// A count with its noun: 1 pair, 1,536 pairs.
pub fn count(number: u64, one: &str) -> String {
    format!("{} {}", grouped(number), noun(number, one))
}

/// The noun of a count: "pair" of 1, "pairs" of all others.
pub fn noun(number: u64, one: &str) -> String {
    let stem = one.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o']));
    match (number, stem) {
        (1, _) => one.into(),
        (_, Some(stem)) => format!("{stem}ies"),
        _ if one.ends_with(['h', 's', 'x']) => format!("{one}es"),
        _ => format!("{one}s"),
    }
}

/// Words with a capital letter first.
pub fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A bound of a range: thousands are separated, and only small bounds have decimals.
pub fn bound(bound: f64) -> String {
    if bound.abs() < 1000.0 { number(bound) } else { fixed(bound, 0) }
}

/// A number with that many decimals, thousands separated: 1,615.00.
pub fn fixed(number: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", number.abs());
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let sign = if number < 0.0 && text.bytes().any(|b| (b'1'..=b'9').contains(&b)) { "-" } else { "" };
    let whole = whole.parse::<u64>().map_or_else(|_| whole.to_string(), grouped);
    format!("{sign}{whole}{rest}")
}

/// A number with up to that many decimals, thousands separated: 1,615, 1,615.5.
pub fn rounded(number: f64, decimals: usize) -> String {
    trimmed(&fixed(number, decimals)).into()
}

/// A share as a number of percent with two decimals; never rounded up to 100 or down to 0.
pub fn percents(share: f64) -> String {
    let text = format!("{:.2}", share * 100.0);
    match text.as_str() {
        "100.00" if share < 1.0 => "99.99".into(),
        "0.00" if share > 0.0 => "0.01".into(),
        "100.00" => "100".into(),
        _ => text,
    }
}

/// Decimal digits without zeros at the end of their fraction: 12.5 for 12.500, 120 for 120.0.
pub fn trimmed(digits: &str) -> &str {
    match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.'),
        false => digits,
    }
}

/// Bytes in three digits with a decimal prefix: 820 B, 13.4 GB.
pub fn bytes(count: f64) -> String {
    const UNITS: [&str; 7] = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
    let (mut scaled, mut unit) = (count, 0);
    while scaled >= 999.5 && unit + 1 < UNITS.len() {
        (scaled, unit) = (scaled / 1000.0, unit + 1);
    }
    let decimals = match scaled {
        _ if unit == 0 && count.fract() == 0.0 => 0,
        n if n < 9.995 => 2,
        n if n < 99.95 => 1,
        _ => 0,
    };
    format!("{} {}", fixed(scaled, decimals), UNITS[unit])
}

/// A speed in Mb/s, or from 1,000 on in Gb/s: 100 Mb/s, 400 Gb/s.
pub fn speed(megabits: u32) -> String {
    match megabits {
        slow if slow < 1000 => format!("{slow} Mb/s"),
        fast => format!("{} Gb/s", rounded(f64::from(fast) / 1000.0, 3)),
    }
}

/// Memory and disk space in MiB: 0 MiB, 0.4 MiB, 12 MiB, 1,536 MiB. Little is shown as 0.1 MiB.
pub fn mebibytes(bytes: u64) -> String {
    let mib = bytes as f64 / f64::from(1 << 20);
    match bytes {
        0 => "0 MiB".into(),
        _ if mib < 0.1 => "0.1 MiB".into(),
        _ => format!("{} MiB", fixed(mib, if mib < 9.95 { 1 } else { 0 })),
    }
}

/// `true` if a character does not belong in a name, a comment or a title: control characters, characters that draw nothing, and those that
/// turn the direction of the text around them. YAML ends lines, and with them comments, at U+2028 and U+2029, too, and reads no text
/// with a byte order mark or a noncharacter inside.
pub fn is_hidden(c: char) -> bool {
    let ends_line = matches!(c, '\u{2028}' | '\u{2029}');
    let turns_text =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let has_no_width =
        matches!(c, '\u{ad}' | '\u{34f}' | '\u{180e}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}');
    let is_filler = matches!(c, '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}');
    let is_tag = matches!(c, '\u{e0000}'..='\u{e0fff}');
    let is_no_character = matches!(c, '\u{feff}' | '\u{fffe}' | '\u{ffff}');
    let draws_nothing = has_no_width || is_filler || is_tag;
    c.is_control() || ends_line || turns_text || draws_nothing || is_no_character
}

/// Kind of a file that is no text, by its first bytes; `None` for one that may be.
pub fn other_kind(head: &[u8]) -> Option<&'static str> {
    const KINDS: [(&[u8], &str); 14] = [
        (b"\x89PNG", "a PNG picture"),
        (b"\xff\xd8\xff", "a JPEG picture"),
        (b"GIF8", "a GIF picture"),
        (b"RIFF", "a picture, sound or video"),
        (b"%PDF", "a PDF document"),
        (b"PK\x03\x04", "a ZIP archive or an office document"),
        (b"\x1f\x8b", "a gzip archive"),
        (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
        (b"7z\xbc\xaf", "a 7z archive"),
        (b"\xfd7zXZ", "an XZ archive"),
        (b"\x7fELF", "a program"),
        (b"SQLite format 3", "a database"),
        (b"\xff\xfe", "text in UTF-16"),
        (b"\xfe\xff", "text in UTF-16"),
    ];
    let known = KINDS.iter().find(|(start, _)| head.starts_with(start)).map(|(_, kind)| *kind);
    known.or_else(|| memchr::memchr(0, head).map(|_| "a binary file"))
}

/// A quoted text; if it has more than `most` characters, its first `kept` and an ellipsis.
pub fn shorten(text: &str, most: usize, kept: usize) -> String {
    match (text.char_indices().nth(most), text.char_indices().nth(kept)) {
        (Some(_), Some((end, _))) => format!("{}...", &text[..end]),
        _ => text.into(),
    }
}

/// A number in the fewest digits that give it back, very large and very small ones with an exponent.
pub fn number(value: f64) -> String {
    if value == 0.0 || (1e-6..1e15).contains(&value.abs()) { value.to_string() } else { format!("{value:e}") }
}

/// An ascending set as numbers and ranges: `0-7, 12`.
pub fn ranges(numbers: &[u32]) -> String {
    let mut text = String::new();
    for run in numbers.chunk_by(|a, b| a + 1 == *b) {
        let gap = if text.is_empty() { "" } else { ", " };
        let _ = match run {
            [one] => write!(text, "{gap}{one}"),
            [first, .., last] => write!(text, "{gap}{first}-{last}"),
            [] => Ok(()),
        };
    }
    text
}

/// Names in words: "`a`, `b`, `c`".
pub fn listed<'k>(names: impl Iterator<Item = &'k str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The name that is closest to what was written, if one is close.
pub fn closest<'k>(written: &str, names: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let written = written.trim().chars().take(40).collect::<String>().to_lowercase().replace('_', "-");
    let closeness = |name: &str| strsim::jaro_winkler(&written, &name.to_lowercase().replace('_', "-"));
    // Another number is no slip: 500g is neither 100g nor 800g.
    let letters = |word: &str| word.to_lowercase().replace(|c: char| c.is_ascii_digit(), "");
    let own = letters(&written);
    let is_other = |name: &str| {
        let differs = name.contains(|c: char| c.is_ascii_digit()) && !name.eq_ignore_ascii_case(&written);
        differs && letters(name) == own
    };
    let best = names
        .filter(|name| !is_other(name))
        .map(|name| (closeness(name), name))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    best.filter(|(closeness, _)| *closeness > 0.8).map(|(_, name)| name)
}

/// A key by which `node2` comes before `node10`.
pub fn natural(name: &str) -> Vec<(String, u64)> {
    let mut key = vec![(String::new(), 0u64)];
    let mut is_number = false;
    for c in name.chars() {
        let digit = c.to_digit(10);
        if digit.is_none() && is_number {
            key.push((String::new(), 0));
        }
        is_number = digit.is_some();
        if let Some(last) = key.last_mut() {
            match digit {
                Some(digit) => last.1 = last.1.saturating_mul(10).saturating_add(digit.into()),
                None => last.0.push(c),
            }
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_agree_with_their_number() {
        let cases = [
            (1, "pair", "1 pair"),
            (0, "pair", "0 pairs"),
            (1536, "switch", "1,536 switches"),
            (2, "entry", "2 entries"),
            (2, "way", "2 ways"),
            (2, "box", "2 boxes"),
        ];
        cases.iter().for_each(|&(number, noun, text)| assert_eq!(count(number, noun), text));
    }

    #[test]
    fn thousands_are_separated() {
        let cases = [(0, "0"), (999, "999"), (1000, "1,000"), (622_592, "622,592"), (7_529_833, "7,529,833")];
        cases.iter().for_each(|&(number, text)| assert_eq!(grouped(number), text));
        assert_eq!(fixed(1615.0, 2), "1,615.00");
        assert_eq!(fixed(-0.001, 2), "0.00");
        assert_eq!(fixed(-1234.5, 0), "-1,234");
    }

    #[test]
    fn the_closest_name_has_any_case() {
        assert_eq!(closest("h100", ["A100", "H100"].into_iter()), Some("H100"));
        assert_eq!(closest("Fat_tree", ["tree", "fat-tree"].into_iter()), Some("fat-tree"));
        assert_eq!(closest("500g", ["100g", "800g"].into_iter()), None);
        assert_eq!(closest("x", ["tree", "fat-tree"].into_iter()), None);
    }

    #[test]
    fn fractions_do_not_end_with_zeros() {
        let cases =
            [("12.500", "12.5"), ("120.0", "120"), ("120", "120"), ("0.00", "0"), ("-0.050", "-0.05")];
        cases.iter().for_each(|&(digits, text)| assert_eq!(trimmed(digits), text));
        assert_eq!([0, 1, 2].map(|decimals| rounded(1600.26, decimals)), ["1,600", "1,600.3", "1,600.26"]);
        assert_eq!(rounded(0.04, 1), "0");
    }

    #[test]
    fn bytes_have_three_digits_and_a_unit() {
        let cases = [(0.0, "0 B"), (820.0, "820 B"), (0.5, "0.50 B"), (999.4, "999 B"), (999.5, "1.00 kB")];
        cases.iter().for_each(|&(count, text)| assert_eq!(bytes(count), text));
        let cases = [(13.42e9, "13.4 GB"), (99.96e12, "100 TB"), (1.5e15, "1.50 PB"), (2.5e18, "2.50 EB")];
        cases.iter().for_each(|&(count, text)| assert_eq!(bytes(count), text));
        assert_eq!(bytes(1.2e22), "12,000 EB");
    }

    #[test]
    fn speeds_are_in_gigabits_from_one_on() {
        assert_eq!([100, 1000, 2500, 400_000].map(speed), ["100 Mb/s", "1 Gb/s", "2.5 Gb/s", "400 Gb/s"]);
    }

    #[test]
    fn memory_is_in_mebibytes() {
        let mib = 1 << 20;
        let cases = [
            (0, "0 MiB"),
            (1, "0.1 MiB"),
            (mib * 3, "3.0 MiB"),
            (mib * 10, "10 MiB"),
            (mib * 1536, "1,536 MiB"),
        ];
        cases.iter().for_each(|&(count, text)| assert_eq!(mebibytes(count), text));
    }

    #[test]
    fn long_words_are_cut_between_characters() {
        assert_eq!(shorten("äöü", 3, 2), "äöü");
        assert_eq!(shorten("äöüß", 3, 2), "äö...");
        assert_eq!(shorten("äöüß", 3, 3), "äöü...");
        assert_eq!(shorten("", 0, 0), "");
    }
}
