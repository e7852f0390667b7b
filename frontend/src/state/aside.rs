//! The settings beside a spec, as a tab stores them across reloads.

use super::{
    choices::Choices,
    compare::Prices,
    simulate::{Curves, SimulateForm, StoredCurve},
};
use serde::{Deserialize, Serialize};
use shared::{api::FormTexts, search::SearchForm};

/// Number of sessions whose settings a tab stores.
const MAX_SESSIONS: usize = 8;

/// The settings beside the spec of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionSettings {
    session: String,
    prices: String,
    networks: String,
    form: FormTexts,
    curves: Vec<StoredCurve>,
    /// Texts of the search form.
    #[serde(default)]
    search: FormTexts,
    /// Texts of the settings of exports.
    #[serde(default)]
    choices: Vec<(String, String)>,
}

impl SessionSettings {
    /// Collects the settings of a session.
    pub fn new(
        session: String,
        prices: &Prices,
        networks: String,
        form: &SimulateForm,
        curves: &Curves,
        search: &SearchForm,
    ) -> SessionSettings {
        let (prices, choices) = (prices.text(), Vec::new());
        let (form, search) = (FormTexts::of(&[form.texts()]), FormTexts::of(&[search]));
        SessionSettings { session, prices, networks, form, curves: curves.stored(), search, choices }
    }

    /// Sets the settings of exports.
    #[must_use]
    pub fn with_choices(self, choices: &Choices) -> SessionSettings {
        SessionSettings { choices: choices.stored(), ..self }
    }

    /// Settings of exports, with the stored texts for those that have none.
    pub fn choices(&self, choices: Choices) -> Choices {
        choices.or_stored(&self.choices)
    }

    /// The search form again.
    pub fn search(&self) -> SearchForm {
        self.search.form()
    }

    /// The other settings again: prices, networks, simulation form and simulations.
    pub fn parts(self) -> (Prices, String, SimulateForm, Curves) {
        let form = SimulateForm::of(self.form.form());
        (Prices::of(&self.prices), self.networks, form, Curves::restored(self.curves))
    }
}

/// The settings of the last sessions, newest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SettingsHistory(Vec<SessionSettings>);

impl SettingsHistory {
    /// Parses what [`SettingsHistory::write`] wrote; empty for any other text.
    pub fn read(text: &str) -> SettingsHistory {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// Writes them as JSON.
    pub fn write(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The settings of a session.
    pub fn of(&self, session: &str) -> Option<SessionSettings> {
        self.0.iter().find(|aside| aside.session == session).cloned()
    }

    /// Stores settings in place of older ones of the same session.
    pub fn keep(&mut self, aside: SessionSettings) {
        self.0.retain(|kept| kept.session != aside.session);
        self.0.insert(0, aside);
        self.0.truncate(MAX_SESSIONS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::{exports::DESIGNS, simulation::SimulationForm};

    #[test]
    fn each_of_the_last_sessions_gets_its_settings_back() {
        let mut asides = SettingsHistory::default();
        let forms = [SimulationForm { fabric: "mesh:4x4".into(), ..SimulationForm::default() }];
        let curves = Curves::listed(forms);
        for number in 0..=MAX_SESSIONS {
            let (prices, form) = (Prices::default(), SimulateForm::default());
            let aside = |networks: &str, seconds: &str| {
                let search = SearchForm { seconds: seconds.into(), ..SearchForm::default() };
                SessionSettings::new(number.to_string(), &prices, networks.into(), &form, &curves, &search)
            };
            asides.keep(aside("", "1"));
            let mut choices = Choices::default();
            choices.set(DESIGNS.setting("root").unwrap(), number.to_string());
            asides.keep(aside("x", "no number").with_choices(&choices));
        }
        let read = SettingsHistory::read(&asides.write());
        assert_eq!(read.of("8").unwrap().search().seconds, "no number");
        assert_eq!(read.of("7").unwrap().choices(Choices::default()).text("root"), "7");
        assert_eq!((&read, read.0.len(), read.of("0")), (&asides, MAX_SESSIONS, None));
        let (prices, networks, form, found) = read.of("8").unwrap().parts();
        assert_eq!((networks.as_str(), form), ("x", SimulateForm::default()));
        assert_eq!((prices, found), (Prices::default(), curves));
        assert_eq!(SettingsHistory::read("{\"session\":1}"), SettingsHistory::default());
    }
}
