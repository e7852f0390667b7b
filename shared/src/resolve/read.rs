//! Single fields: text to number or choice, or a fault that says which would do.

use crate::{
    spec::Fault,
    text::{self, did_you_mean, listed},
};

/// The largest price that is taken.
const MAX_PRICE: f64 = 1e12;

/// Collects what is wrong while fields are read.
#[derive(Default)]
pub(super) struct Reader {
    pub(super) faults: Vec<Fault>,
}

impl Reader {
    /// Notes a fault; there is no value then.
    pub(super) fn fault<T>(&mut self, path: &str, value: &str, expected: String) -> Option<T> {
        self.faults.push(Fault::new(path, value, expected));
        None
    }

    /// A whole number that must be given.
    pub(super) fn whole(&mut self, path: &str, text: &str, least: u32, most: u32) -> Option<u32> {
        let text = text.trim();
        let number = plain_digits(text).filter(|number| (least..=most).contains(number));
        number.or_else(|| {
            self.fault(path, text, format!("a whole number from {least} to {most}, in plain digits"))
        })
    }

    /// A whole number, `missing` if it is not given.
    pub(super) fn whole_or(
        &mut self,
        path: &str,
        text: &str,
        least: u32,
        most: u32,
        missing: u32,
    ) -> Option<u32> {
        if text.trim().is_empty() { Some(missing) } else { self.whole(path, text, least, most) }
    }

    /// A number, `missing` if it is not given.
    pub(super) fn number_or(
        &mut self,
        path: &str,
        text: &str,
        (least, most): (f64, f64),
        missing: f64,
    ) -> Option<f64> {
        let text = text.trim();
        if text.is_empty() {
            return Some(missing);
        }
        let decimal = text.bytes().all(|b| b.is_ascii_digit() || b".eE+-".contains(&b));
        let number = text.parse().ok().filter(|number| decimal && (least..=most).contains(number));
        // Adding 0 makes a positive zero of -0.
        number.map(|number: f64| number + 0.0).or_else(|| {
            let expected =
                format!("a number from {} to {}, in plain digits", text::number(least), text::number(most));
            self.fault(path, text, expected)
        })
    }

    /// A price, if one is given.
    pub(super) fn price(&mut self, path: &str, text: &str) -> Option<f64> {
        if text.trim().is_empty() {
            return None;
        }
        self.number_or(path, text, (0.0, MAX_PRICE), 0.0)
    }

    /// One of a few words, the first if none is given.
    pub(super) fn choice<T: Copy>(&mut self, path: &str, text: &str, known: &[(&str, T)]) -> Option<T> {
        let text = text.trim();
        if text.is_empty() {
            return Some(known[0].1);
        }
        if let Some(&(_, value)) = known.iter().find(|(word, _)| *word == text) {
            return Some(value);
        }
        let words = || known.iter().map(|&(word, _)| word);
        self.fault(path, text, format!("one of {}{}", listed(words()), did_you_mean(text, words())))
    }
}

/// A number of digits only, without sign, point or separators.
pub(super) fn plain_digits(text: &str) -> Option<u32> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?
}
