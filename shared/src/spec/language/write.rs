//! Forms as spec files: numbers bare, sizes and pairs as lists, everything else in quotes.

use super::{
    super::form::{Fields, Kind},
    SpecForm,
};
use std::fmt::Write;

/// Pairs on one line of a long list.
const PAIRS_A_LINE: usize = 8;
/// Longer lists are written as text, which takes less memory to read.
const MOST_LISTED_PAIRS: usize = 4096;

/// Writes a spec file that [`parse`](super::parse) reads back to an equal form. Empty fields are left out.
pub fn write(form: &SpecForm) -> String {
    let mut text = String::new();
    fields(&mut text, form);
    tables(&mut text, "[[pe_group]]", &form.pe_group);
    tables(&mut text, "[[switch]]", &form.switch);
    tables(&mut text, "[[keep]]", &form.keep);
    tables(&mut text, "[uplink]", form.uplink.as_slice());
    tables(&mut text, "[[rack]]", &form.rack);
    tables(&mut text, "[[placement]]", &form.placement);
    tables(&mut text, "[[pattern]]", &form.pattern);
    tables(&mut text, "[start]", form.start.as_slice());
    text
}

fn tables<F: Fields>(text: &mut String, heading: &str, forms: &[F]) {
    for form in forms {
        let gap = if text.is_empty() { "" } else { "\n" };
        let _ = writeln!(text, "{gap}{heading}");
        fields(text, form);
    }
}

fn fields<F: Fields>(text: &mut String, form: &F) {
    for key in F::KEYS {
        if let Some(value) = form.get(key).filter(|value| !value.is_empty()) {
            let _ = writeln!(text, "{key} = {}", written(F::kind(key), value));
        }
    }
}

fn written(kind: Kind, value: &str) -> String {
    let bare = match kind {
        Kind::Sizes => sizes(value),
        Kind::Pairs => pairs(value),
        Kind::Text => None,
        Kind::Number => Some(value.to_string()).filter(|_| is_number(value)),
        Kind::Set => Some(value.to_string()).filter(|_| is_whole(value)),
        Kind::Flag => Some(value.to_string()).filter(|_| matches!(value, "true" | "false")),
    };
    bare.unwrap_or_else(|| toml::Value::String(value.to_string()).to_string())
}

/// `16x8` as `[16, 8]`.
fn sizes(value: &str) -> Option<String> {
    let sizes: Vec<&str> = value.split('x').collect();
    sizes.iter().all(|size| is_whole(size)).then(|| format!("[{}]", sizes.join(", ")))
}

/// Lines of `a b` or `a b weight` as a list of lists.
fn pairs(value: &str) -> Option<String> {
    let pair = |line: &str| {
        let numbers: Vec<&str> = line.split(' ').collect();
        let fits = (2..=3).contains(&numbers.len()) && numbers.iter().all(|number| is_number(number));
        fits.then(|| format!("[{}]", numbers.join(", ")))
    };
    if value.split('\n').nth(MOST_LISTED_PAIRS).is_some() {
        return None;
    }
    let pairs: Vec<String> = value.split('\n').map(pair).collect::<Option<_>>()?;
    if pairs.len() <= PAIRS_A_LINE {
        return Some(format!("[{}]", pairs.join(", ")));
    }
    let lines: Vec<String> =
        pairs.chunks(PAIRS_A_LINE).map(|line| format!("    {},\n", line.join(", "))).collect();
    Some(format!("[\n{}]", lines.concat()))
}

/// Whether TOML gives this number back as it is written.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    match digits.split_once('.') {
        // A whole -0 would come back as 0.
        None => is_whole(digits) && text != "-0",
        Some((whole, fraction)) => {
            is_whole(whole) && !fraction.is_empty() && fraction.bytes().all(|b| b.is_ascii_digit())
        }
    }
}

fn is_whole(text: &str) -> bool {
    let digits = !text.is_empty() && text.len() <= 18 && text.bytes().all(|b| b.is_ascii_digit());
    digits && (text == "0" || !text.starts_with('0'))
}
