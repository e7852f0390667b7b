//! What a search is to be started with, as typed.

use shared::{
    api::{MAX_EFFORT, MAX_SECONDS, MAX_THREADS, StartRun},
    search::Budget,
};

/// The fields beside the start button.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchForm {
    /// Whether the budget counts work instead of seconds.
    pub by_effort: bool,
    /// Seconds, as typed.
    pub seconds: String,
    /// Million moves, as typed.
    pub effort: String,
    /// Where randomness starts, as typed.
    pub seed: String,
    /// Islands, as typed; empty for the server's cores.
    pub threads: String,
}

impl Default for SearchForm {
    fn default() -> Self {
        SearchForm {
            by_effort: false,
            seconds: "60".into(),
            effort: "1000".into(),
            seed: "1".into(),
            threads: String::new(),
        }
    }
}

/// A field of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Wall-clock seconds.
    Seconds,
    /// Million moves.
    Effort,
    /// Where randomness starts.
    Seed,
    /// Islands.
    Threads,
}

impl SearchForm {
    /// The text of a field.
    pub fn get(&self, field: Field) -> &str {
        match field {
            Field::Seconds => &self.seconds,
            Field::Effort => &self.effort,
            Field::Seed => &self.seed,
            Field::Threads => &self.threads,
        }
    }

    /// Types into a field.
    pub fn set(&mut self, field: Field, text: String) {
        *match field {
            Field::Seconds => &mut self.seconds,
            Field::Effort => &mut self.effort,
            Field::Seed => &mut self.seed,
            Field::Threads => &mut self.threads,
        } = text;
    }

    /// What is wrong with a field: what would be accepted.
    pub fn fault(&self, field: Field) -> Option<String> {
        match field {
            Field::Seconds if !self.by_effort => seconds(&self.seconds).err(),
            Field::Effort if self.by_effort => effort(&self.effort).err(),
            Field::Seed => seed(&self.seed).err(),
            Field::Threads => threads(&self.threads).err(),
            Field::Seconds | Field::Effort => None,
        }
    }

    /// The request to start with this form, on a spec's text; `None` if a field is wrong.
    pub fn request(&self, spec: &str) -> Option<StartRun> {
        let budget = match self.by_effort {
            true => Budget::Effort(effort(&self.effort).ok()?),
            false => Budget::Seconds(seconds(&self.seconds).ok()?),
        };
        Some(StartRun {
            spec: spec.into(),
            budget: Some(budget),
            seed: Some(seed(&self.seed).ok()?),
            threads: threads(&self.threads).ok()?,
        })
    }
}

/// Wall-clock seconds as typed, or what would be accepted.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.trim().parse::<f64>().ok();
    let inside = seconds.filter(|s| (0.1..=MAX_SECONDS).contains(s));
    inside.ok_or_else(|| format!("a number of seconds from 0.1 to {MAX_SECONDS}"))
}

/// Million moves as typed, or what would be accepted.
pub(super) fn effort(text: &str) -> Result<u64, String> {
    let effort = text.trim().parse().ok().filter(|e| (1..=MAX_EFFORT).contains(e));
    effort.ok_or_else(|| format!("a whole number of million moves from 1 to {MAX_EFFORT}"))
}

/// A seed as typed, or what would be accepted.
pub(super) fn seed(text: &str) -> Result<u64, String> {
    text.trim().parse().map_err(|_| format!("a whole number from 0 to {}", u64::MAX))
}

/// A number of islands as typed, none for the server's cores, or what would be accepted.
pub(super) fn threads(text: &str) -> Result<Option<u32>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let threads = text.parse().ok().filter(|t| (1..=MAX_THREADS).contains(t));
    threads.map(Some).ok_or_else(|| format!("a whole number from 1 to {MAX_THREADS}, or nothing"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_right_form_makes_a_request() {
        let mut form = SearchForm::default();
        let request = form.request("pes = 8").unwrap();
        assert_eq!(
            (request.budget, request.seed, request.threads),
            (Some(Budget::Seconds(60.0)), Some(1), None)
        );
        form.by_effort = true;
        form.set(Field::Threads, " 4 ".into());
        form.set(Field::Seconds, "soon".into());
        let request = form.request("").unwrap();
        assert_eq!((request.budget, request.threads), (Some(Budget::Effort(1000)), Some(4)));
    }

    #[test]
    fn a_wrong_field_says_what_would_do() {
        let wrong = [
            (Field::Seconds, "0"),
            (Field::Seconds, "NaN"),
            (Field::Seed, "-1"),
            (Field::Threads, "257"),
            (Field::Threads, "65"),
        ];
        for (field, text) in wrong {
            let mut form = SearchForm::default();
            form.set(field, text.into());
            assert!(form.fault(field).unwrap().contains("from"), "{text}");
            assert_eq!(form.request(""), None);
        }
    }
}
