//! Settings of exports as they are typed: one text a setting, for every format that heeds it.

use shared::{
    design::Design,
    exports::{Each, ExportError, Format, Setting, Settings, sheet_words},
};
use std::collections::BTreeMap;

/// What is typed, by the name of the setting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices(BTreeMap<&'static str, String>);

impl Choices {
    /// Types a text; an empty one stands for what holds unless anything is chosen.
    pub fn set(&mut self, setting: &'static Setting, text: String) {
        if text.trim().is_empty() {
            self.0.remove(setting.name);
        } else {
            self.0.insert(setting.name, text);
        }
    }

    /// What is typed.
    pub fn text(&self, name: &str) -> String {
        self.0.get(name).cloned().unwrap_or_default()
    }

    /// What would be accepted, if what is typed is not.
    pub fn fault(&self, setting: &Setting) -> Option<String> {
        let refused = self.0.get(setting.name).is_some_and(|text| !setting.takes(text));
        refused.then(|| format!("Expected {}.", setting.accepted))
    }

    /// What is chosen for a format, as `name=value`.
    pub fn of(&self, format: &Format) -> Vec<String> {
        let heeded = self.0.iter().filter(|(name, _)| format.has_setting(name));
        heeded.map(|(name, text)| format!("{name}={}", text.trim())).collect()
    }

    /// What is chosen that any of some formats heeds, as `name=value`.
    pub fn of_any(&self, formats: &[&Format]) -> Vec<String> {
        let heeded = self.0.iter().filter(|(name, _)| formats.iter().any(|format| format.has_setting(name)));
        heeded.map(|(name, text)| format!("{name}={}", text.trim())).collect()
    }

    /// The settings of a format.
    ///
    /// # Errors
    /// A text that cannot be used.
    pub fn settings(&self, format: &Format) -> Result<Settings, ExportError> {
        let chosen = self.of(format);
        Settings::read(format, chosen.iter().map(String::as_str))
    }

    /// The command that writes what the page writes.
    pub fn command(&self, format: &Format, pe: Option<u32>) -> String {
        let mut command = format!("crosspoint export SPEC DESIGN --format {}", format.name);
        if let Some(pe) = pe.filter(|_| format.each == Each::Node) {
            command += &format!(" --pe {pe}");
        }
        for choice in self.of(format) {
            command += &format!(" --with '{}'", choice.replace('\'', "'\\''"));
        }
        command
    }
}

/// What a setting is called on the page.
pub fn title(setting: &Setting) -> &'static str {
    match setting.name {
        "network" => "Network",
        "avoid" => "The site’s networks",
        "interface" => "Name of NIs",
        "port" => "Name of ports",
        "site" => "NetBox site",
        "interface-type" => "NetBox type of NIs",
        "cable-type" => "NetBox type of cables",
        "dead" => "Dead parts",
        "through" => "Reached through others",
        "macs" => "MAC addresses",
        "paths" => "Places of NIs",
        "root" => "Root PE",
        "group" => "Multicast group",
        "boot-ni" => "NI to boot over",
        "boot-file" => "Boot file",
        "sheet" => "Sheet or tape",
        "palette" => "Palette",
        "qr" => "QR code",
        "of" => "Labels for",
        other => other,
    }
}

/// What a word that a setting accepts is called on the page.
pub fn option_words(setting: &Setting, word: &'static str) -> &'static str {
    match (setting.name, word) {
        ("sheet", sheet) => sheet_words(sheet).unwrap_or(sheet),
        ("palette", "papers") => "20 colours, as in the LCPC paper",
        ("palette", "colour-blind") => "8 colours for the colour-blind",
        ("of", "pe") => "each PE",
        ("of", "cable") => "both ends of each cable",
        ("of", "calibration") => "nothing: a calibration page",
        _ => word,
    }
}

/// Why a file cannot be made as it is chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The setting that is to blame, if one is.
    pub setting: Option<String>,
    /// What is wrong, and what would be accepted.
    pub words: String,
}

impl From<ExportError> for Refused {
    fn from(error: ExportError) -> Refused {
        let (setting, words) = match &error {
            ExportError::Dead(unknown) => (Some("dead"), unknown.to_string()),
            ExportError::Pe { setting, pe, why } => (Some(*setting), format!("PE {pe} {why}")),
            ExportError::Addresses { .. } => (Some("network"), error.to_string()),
            ExportError::Setting { choice, why } => (choice.split('=').next(), why.clone()),
            _ => (None, error.to_string()),
        };
        Refused { setting: setting.map(str::to_owned), words: sentence(&words) }
    }
}

impl Refused {
    /// What to say beside a setting.
    pub fn of(&self, setting: &Setting) -> Option<String> {
        (self.setting.as_deref() == Some(setting.name)).then(|| self.words.clone())
    }
}

/// Words as a sentence.
pub fn sentence(words: &str) -> String {
    let mut letters = words.trim_end_matches('.').chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

/// Most pairs that share switches on machines whose routes are all chosen in the browser, in a moment.
const MOST_PAIRS: u64 = 300_000;
/// Most PEs of machines whose files the browser writes itself: the ways through others, which scripts need, take longer
/// than others on larger ones.
const MOST_PES: u32 = 512;

/// Whether a machine is so large that its routes are better chosen elsewhere than in the browser.
pub fn is_too_large(design: &Design) -> bool {
    let pairs =
        design.switches().map(|members| members.len() as u64 * (members.len() as u64).saturating_sub(1) / 2);
    pairs.sum::<u64>() > MOST_PAIRS
}

/// Whether a machine is so large that its files are better written by the server than in the browser.
pub fn is_written_elsewhere(design: &Design) -> bool {
    design.pes() > MOST_PES || is_too_large(design)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::{
        design::Faults,
        exports::{DESIGNS, format},
    };

    fn setting(name: &str) -> &'static Setting {
        DESIGNS.setting(name).unwrap()
    }

    #[test]
    fn each_format_gets_what_it_heeds() {
        let mut choices = Choices::default();
        choices.set(setting("dead"), " sw3 pe7 ".into());
        choices.set(setting("palette"), "colour-blind".into());
        let (routes, spec) = (format("routes").unwrap(), format("spec").unwrap());
        assert_eq!(choices.of(routes), ["dead=sw3 pe7"]);
        assert!(choices.of(spec).is_empty());
        assert_eq!(choices.of_any(&[spec, routes]), ["dead=sw3 pe7"]);
        assert!(choices.command(routes, None).ends_with("--format routes --with 'dead=sw3 pe7'"));
        choices.set(setting("dead"), "  ".into());
        assert!(choices.of(routes).is_empty());
    }

    #[test]
    fn what_is_not_accepted_says_what_would_be() {
        let mut choices = Choices::default();
        choices.set(setting("dead"), "sw3 nonsense".into());
        let fault = choices.fault(setting("dead")).unwrap();
        assert!(fault.contains("sw3 pe7 pe5.ni1"), "{fault}");
        assert!(choices.settings(format("routes").unwrap()).is_err());
        assert_eq!(choices.fault(setting("network")), None);
    }

    #[test]
    fn every_setting_and_every_sheet_has_a_name_of_its_own() {
        for setting in DESIGNS.settings() {
            assert_ne!(title(setting), setting.name);
        }
        for sheet in setting("sheet").choices() {
            assert_ne!(option_words(setting("sheet"), sheet), sheet);
        }
        assert_eq!(option_words(setting("sheet"), "tape12"), "tape of 12 mm");
    }

    #[test]
    fn what_is_refused_is_said_beside_the_setting_that_is_to_blame() {
        let unknown = Faults::parse("sw99", &Design::from_switches(2, [vec![0, 1]])).unwrap_err();
        let refused = Refused::from(ExportError::Dead(unknown));
        let words = refused.of(setting("dead")).unwrap();
        assert!(words.starts_with("There is no switch 99") && words.ends_with('.'), "{words}");
        assert_eq!(refused.of(setting("network")), None);
        let other = Refused::from(ExportError::NoText("png"));
        assert!(DESIGNS.settings().all(|setting| other.of(setting).is_none()));
    }
}
