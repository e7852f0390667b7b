//! Settings of exports as typed: one text per setting, for every format that has it.

use super::words::capital;
use shared::{
    design::Design,
    exports::{DESIGNS, ExportError, FileScope, Format, Setting, Settings},
};
use std::collections::BTreeMap;

/// The setting of failed parts. It is not typed: it has those of the views, if exports are asked to route around them.
pub const FAILED: &str = "failed";
/// The setting of the colours of cables.
pub const PALETTE: &str = "palette";
/// Max bytes of a text that is stored.
const MAX_STORED: usize = 64 << 10;

/// Typed texts by the name of the setting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices(BTreeMap<&'static str, String>);

impl Choices {
    /// Sets a text; an empty one stands for the default.
    pub fn set(&mut self, setting: &'static Setting, text: String) {
        self.set_named(setting.field.key, text);
    }

    /// Sets all to their defaults but the colours of cables, which are the reader's.
    pub fn forget(&mut self) {
        self.0.retain(|name, _| *name == PALETTE);
    }

    /// The texts by the name of the setting, to store them. Very long ones are left out.
    pub fn stored(&self) -> Vec<(String, String)> {
        let kept = self.0.iter().filter(|(_, text)| text.len() <= MAX_STORED);
        kept.map(|(name, text)| ((*name).to_owned(), text.clone())).collect()
    }

    /// Fills settings that have no text with the result of [`Choices::stored`].
    #[must_use]
    pub fn or_stored(self, stored: &[(String, String)]) -> Choices {
        let known = |(name, text): &(String, String)| Some((DESIGNS.setting(name)?.field.key, text.clone()));
        self.or(stored.iter().filter_map(known))
    }

    fn set_named(&mut self, name: &'static str, text: String) {
        if text.trim().is_empty() {
            self.0.remove(name);
        } else {
            self.0.insert(name, text);
        }
    }

    /// Fills settings that have no text with these texts.
    #[must_use]
    pub fn or(mut self, known: impl IntoIterator<Item = (&'static str, String)>) -> Choices {
        for (name, text) in known {
            self.0.entry(name).or_insert(text);
        }
        self
    }

    /// The text of a setting.
    pub fn text(&self, name: &str) -> String {
        self.0.get(name).cloned().unwrap_or_default()
    }

    /// Accepted values, if the text is not accepted.
    pub fn fault(&self, setting: &Setting) -> Option<String> {
        Some(capital(&setting.check(self.0.get(setting.field.key)?).err()?))
    }

    /// The settings of a format, as `name=value`.
    pub fn of(&self, format: &Format) -> Vec<String> {
        self.of_any(&[format])
    }

    /// The settings of any of the formats, as `name=value`.
    pub fn of_any(&self, formats: &[&Format]) -> Vec<String> {
        let chosen = self.0.iter().filter(|(name, _)| formats.iter().any(|format| format.has_setting(name)));
        chosen.map(|(name, text)| format!("{name}={}", text.trim())).collect()
    }

    /// The settings of a format.
    ///
    /// # Errors
    /// A text that cannot be used.
    pub fn settings(&self, format: &Format) -> Result<Settings, ExportError> {
        let chosen = self.of(format);
        Settings::read(format, chosen.iter().map(String::as_str))
    }

    /// The command line for the same file.
    pub fn command(&self, format: &Format, number: Option<u32>) -> String {
        let mut command = format!("crosspoint export SPEC WIRING --format {}", format.name);
        let number = number.filter(|_| format.each != FileScope::Whole);
        if let Some(number) = number {
            command += &format!(" --node {number}");
        }
        for choice in self.of(format) {
            command += &format!(" --with '{}'", choice.replace('\'', "'\\''"));
        }
        if format.is_several() || (format.each != FileScope::Whole && number.is_none()) {
            command += " -o FOLDER";
        }
        command
    }
}

/// Reason why a file cannot be written with the chosen settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChoiceError {
    /// The setting at fault, if one is.
    pub setting: Option<&'static str>,
    /// The problem and the accepted values.
    pub words: String,
}

impl From<ExportError> for ChoiceError {
    fn from(error: ExportError) -> ChoiceError {
        // The page shows one at a time.
        let error = error.each().swap_remove(0);
        let (setting, words) = match &error {
            ExportError::Setting { choice, why } => (choice.split('=').next(), why.clone()),
            _ => (None, error.to_string()),
        };
        let setting = setting.and_then(|name| DESIGNS.setting(name)).map(|setting| setting.field.key);
        ChoiceError { setting, words: sentence(&words) }
    }
}

impl ChoiceError {
    /// The message for a setting.
    pub fn of(&self, setting: &Setting) -> Option<String> {
        (self.setting == Some(setting.field.key)).then(|| self.words.clone())
    }
}

/// Words as a sentence. A name at its beginning, of a part or of a format, stays as it is.
pub fn sentence(words: &str) -> String {
    let first = words.split(' ').next().unwrap_or_default();
    let is_name = first.ends_with(':')
        || first.contains(|c: char| c.is_ascii_digit())
        || first.contains('-') && DESIGNS.iter().any(|format| format.name == first);
    let words = words.trim_end_matches('.');
    if is_name { format!("{words}.") } else { format!("{}.", capital(words)) }
}

/// Max pairs with a shared switch of machines whose routes are chosen in the browser.
const MAX_PAIRS: u64 = 300_000;
/// Max nodes of machines whose files the browser writes itself. Forwarding routes take too long on larger ones.
const MAX_PES: u32 = 512;

/// `true` if the server writes the files of a format instead of the browser.
pub fn is_written_elsewhere(format: &Format, design: &Design) -> bool {
    format.needs_server || design.pes() > MAX_PES || design.switch_pairs() > MAX_PAIRS
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::exports::format;

    fn setting(name: &str) -> &'static Setting {
        DESIGNS.setting(name).unwrap()
    }

    #[test]
    fn each_format_gets_its_own_settings() {
        let mut choices = Choices::default();
        choices.set(setting("failed"), " sw3 node7 ".into());
        choices.set(setting("palette"), "colour-blind".into());
        let (routes, spec) = (format("routes").unwrap(), format("spec").unwrap());
        assert_eq!(choices.of(routes), ["failed=sw3 node7"]);
        assert!(choices.of(spec).is_empty());
        assert_eq!(choices.of_any(&[spec, routes]), ["failed=sw3 node7"]);
        assert!(choices.command(routes, None).ends_with("--format routes --with 'failed=sw3 node7'"));
        let script = format("script").unwrap();
        let command = |node| choices.command(script, node);
        assert!(
            command(Some(3)).contains("--format script --node 3 --with ")
                && !command(Some(3)).contains(" -o ")
        );
        assert!(command(None).ends_with(" -o FOLDER"));
        assert!(choices.command(format("networkd").unwrap(), Some(3)).ends_with(" -o FOLDER"));
        assert!(choices.command(format("eos").unwrap(), Some(3)).ends_with("--format eos --node 3"));
        choices.set(setting("dead"), "  ".into());
        assert!(choices.of(routes).is_empty());
    }

    #[test]
    fn sentences_keep_names() {
        for (words, said) in [
            ("expected a network.", "Expected a network."),
            ("swp1: names of ports begin with Ethernet", "swp1: names of ports begin with Ethernet."),
            ("gpuR1-01 has failed", "gpuR1-01 has failed."),
            ("rank-hosts needs a training job", "rank-hosts needs a training job."),
            ("die-cut sheets", "Die-cut sheets."),
        ] {
            assert_eq!(sentence(words), said);
        }
    }

    #[test]
    fn what_is_typed_comes_before_what_is_known() {
        let known =
            || [("date", "2026-11-22".to_owned()), ("link", "https://studio.example.org/d/1".to_owned())];
        let labels = format("labels").unwrap();
        let mut choices = Choices::default();
        choices.set(setting("date"), "2027-01-31".into());
        assert_eq!(
            choices.clone().or(known()).of(labels),
            ["date=2027-01-31", "link=https://studio.example.org/d/1"]
        );
        assert!(choices.or(known()).settings(labels).is_ok());
        assert!(Choices::default().or(known()).of(format("routes").unwrap()).is_empty());
    }

    #[test]
    fn another_design_gets_the_colours_alone() {
        let mut choices = Choices::default();
        for (name, text) in
            [("macs", "node0.nic0=02:00:00:00:00:01"), ("palette", "colour-blind"), ("root", "node7")]
        {
            choices.set(setting(name), text.into());
        }
        assert_eq!(Choices::default().or_stored(&choices.stored()), choices);
        choices.set(setting("macs"), "x".repeat(MAX_STORED + 1));
        assert_eq!(choices.stored().len(), 2, "too long to store");
        choices.forget();
        assert_eq!((choices.text("palette").as_str(), choices.stored().len()), ("colour-blind", 1));
    }

    #[test]
    fn what_is_not_accepted_says_what_would_be() {
        let mut choices = Choices::default();
        choices.set(setting("root"), "node 3".into());
        let fault = choices.fault(setting("root")).unwrap();
        assert!(fault.contains("such as 0 or node7"), "{fault}");
        assert!(choices.settings(format("broadcast").unwrap()).is_err());
        assert_eq!(choices.fault(setting("network")), None);
    }

    #[test]
    fn refusals_stand_beside_the_setting_at_fault() {
        let why = "there is no switch 99; switches are 0 to 1".to_owned();
        let refused = ChoiceError::from(ExportError::Setting { choice: "failed=sw99".into(), why });
        let words = refused.of(setting("dead")).unwrap();
        assert!(words.starts_with("There is no switch 99") && words.ends_with('.'), "{words}");
        assert_eq!(refused.of(setting("network")), None);
        let several = Settings::read(format("labels").unwrap(), ["sheet=a5", "diameter=x"]).unwrap_err();
        assert_eq!(ChoiceError::from(several).setting, Some("sheet"));
        let other = ChoiceError::from(ExportError::NoText("png"));
        assert!(DESIGNS.settings().into_iter().all(|setting| other.of(setting).is_none()));
    }
}
