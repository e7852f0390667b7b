//! Parameters in text: numbers after commas, sides with an x between them.

use crate::{spec::MAX_PES, text::grouped};

/// A number among the parameters.
pub(super) struct Parameter {
    /// What it is, in words.
    pub name: &'static str,
    /// The least that is accepted.
    pub least: u32,
    /// The most that is accepted.
    pub most: u32,
    /// What stands where it is left out.
    pub default: Option<u32>,
}

/// Reads parameters.
pub(super) struct Numbers;

impl Numbers {
    /// One number for each parameter; those at the end that have a default may be left out.
    pub fn read<const N: usize>(text: &str, parameters: [Parameter; N]) -> Result<[u32; N], String> {
        let text = Some(text).filter(|text| !text.trim().is_empty());
        let mut words = text.into_iter().flat_map(|text| text.split(',')).map(str::trim);
        let mut numbers = [0; N];
        for (number, parameter) in numbers.iter_mut().zip(&parameters) {
            *number = parameter.read(words.next())?;
        }
        match words.next() {
            Some(word) => Err(format!("nothing more, where {word:?} stands")),
            None => Ok(numbers),
        }
    }

    /// Sides such as `8x8`, and what stands after the first comma.
    pub fn sides(text: &str) -> Result<(Vec<u32>, &str), String> {
        let (sides, rest) = text.split_once(',').unwrap_or((text, ""));
        if text.ends_with(',') {
            return Err("a number after the comma, or no comma".into());
        }
        let read = |word: &str| word.trim().parse::<u32>().ok();
        let sides: Option<Vec<u32>> = sides.split(['x', 'X', '×']).map(read).collect();
        let expected = || format!("sides such as 8x8 or 4x4x4, at most {} in all", grouped(MAX_PES.into()));
        Ok((sides.ok_or_else(expected)?, rest))
    }
}

impl Parameter {
    /// A number that has to be there.
    pub const fn new(name: &'static str, least: u32, most: u32) -> Parameter {
        Parameter { name, least, most, default: None }
    }

    /// The same with what stands where it is left out.
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
