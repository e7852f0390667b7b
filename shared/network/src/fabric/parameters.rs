//! Parameters in text forms: numbers separated by commas, sides separated by `x`.

use crate::{spec::MAX_PES, text::grouped};

/// A number among the parameters.
pub(super) struct Parameter {
    pub name: &'static str,
    pub least: u32,
    pub most: u32,
    /// Value if it is left out.
    pub default: Option<u32>,
}

/// The first parameters of a text, and the rest.
pub(super) fn split(text: &str, count: usize) -> (&str, &str) {
    let end = text.match_indices(',').nth(count - 1);
    end.map_or((text, ""), |(end, _)| (&text[..end], &text[end + 1..]))
}

pub(super) struct Numbers;

impl Numbers {
    /// One number per parameter; trailing parameters with a default may be left out.
    pub fn read<const N: usize>(text: &str, parameters: [Parameter; N]) -> Result<[u32; N], String> {
        let text = Some(text).filter(|text| !text.trim().is_empty());
        let mut words = text.into_iter().flat_map(|text| text.split(',')).map(str::trim);
        let mut numbers = [0; N];
        for (number, parameter) in numbers.iter_mut().zip(&parameters) {
            *number = parameter.read(words.next())?;
        }
        match words.next() {
            Some(word) => Err(format!("nothing after the last parameter, not {word:?}")),
            None => Ok(numbers),
        }
    }

    /// Sides such as `8x8`, and the text after the first comma.
    pub fn sides(text: &str) -> Result<(Vec<u32>, &str), String> {
        let (sides, rest) = text.split_once(',').unwrap_or((text, ""));
        if text.ends_with(',') {
            return Err("a number after the comma, or no comma".into());
        }
        let read = |word: &str| word.trim().parse::<u32>().ok();
        let sides: Option<Vec<u32>> = sides.split(['x', 'X', '×']).map(read).collect();
        let expected =
            || format!("sides such as 8x8 or 4x4x4, at most {} positions in all", grouped(MAX_PES.into()));
        Ok((sides.ok_or_else(expected)?, rest))
    }
}

impl Parameter {
    pub const fn new(name: &'static str, least: u32, most: u32) -> Parameter {
        Parameter { name, least, most, default: None }
    }

    pub const fn or(self, default: u32) -> Parameter {
        Parameter { default: Some(default), ..self }
    }

    fn read(&self, word: Option<&str>) -> Result<u32, String> {
        let number = match (word, self.default) {
            (None, Some(default)) => return Ok(default),
            (word, _) => word.and_then(|word| word.parse().ok()),
        };
        number.filter(|number| (self.least..=self.most).contains(number)).ok_or_else(|| {
            match self.least == self.most {
                true => format!("{} {}", self.least, self.name),
                false => {
                    let [least, most] = [self.least, self.most].map(|number| grouped(number.into()));
                    format!("{} from {least} to {most}", self.name)
                }
            }
        })
    }
}
