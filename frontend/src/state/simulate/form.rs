//! What to simulate, as it is typed; and what is wrong with it.

use super::entries::{Entry, Input, MAIN, RULES, entry};
use serde_json::Value;
use shared::{
    fabric::kinds,
    simulation::{SimulationForm, Traffic},
    spec::Fault,
    text::grouped,
};
use std::collections::BTreeMap;

/// The traffic of who has chosen none: a design is there for its demand.
const USUAL: &str = "demand";
const HOT_SPOT: &str = "hot-spot";
/// Its parts.
const OF_HOT_SPOT: [&str; 2] = ["node", "share"];

/// The form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SimulateForm {
    /// What was typed or chosen, by key; what is not there is the default.
    texts: BTreeMap<String, String>,
    /// Whether the network is typed instead of chosen.
    pub typed_network: bool,
    /// What the server found wrong, until something is changed.
    refused: Vec<Fault>,
}

impl SimulateForm {
    /// A simulation as it would be typed.
    pub fn of(asked: &SimulationForm) -> SimulateForm {
        let (given, usual) = (value(asked), value(&usual()));
        let mut form = SimulateForm::default();
        for entry in MAIN.iter().chain(RULES) {
            let (text, known) = (slot(&given, entry.key).map(typed), slot(&usual, entry.key).map(typed));
            if text != known {
                form.texts.extend(text.map(|text| (entry.key.into(), text)));
            }
        }
        if let Some((node, share)) = asked.traffic.strip_prefix("hot-spot:").and_then(|p| p.split_once(',')) {
            let texts = [("traffic", HOT_SPOT), ("node", node), ("share", share)];
            form.texts.extend(texts.map(|(key, text)| (key.into(), text.into())));
        }
        form
    }

    /// The text of a field; what holds where nothing was typed is [`SimulateForm::placeholder`].
    pub fn text(&self, key: &str) -> &str {
        self.texts.get(key).map_or("", String::as_str)
    }

    /// What a field of words shows.
    pub fn chosen(&self, key: &str) -> String {
        self.texts.get(key).cloned().unwrap_or_else(|| Self::placeholder(key))
    }

    /// What holds while a field is empty.
    pub fn placeholder(key: &str) -> String {
        match key {
            "loads" => "ten up to the most".into(),
            "trunk_speed" => "as hosts'".into(),
            "reference_speed" => "fastest link".into(),
            "node" => "0".into(),
            "share" => "0.1".into(),
            _ => slot(&value(&usual()), key).map(typed).unwrap_or_default(),
        }
    }

    /// Types into a field.
    pub fn set(&mut self, key: &str, text: String) {
        self.refused.clear();
        if text.is_empty() {
            self.texts.remove(key);
        } else {
            self.texts.insert(key.into(), text);
        }
    }

    /// The server has refused it.
    pub fn refuse(&mut self, faults: Vec<Fault>) {
        self.refused = faults;
    }

    /// Whether hosts wait for each other, instead of sending at a load.
    pub fn is_timed(&self) -> bool {
        matches!(Traffic::parse(&self.traffic()), Ok(Traffic::Closed(_)))
    }

    /// Whether many hosts send to one.
    pub fn is_hot_spot(&self) -> bool {
        self.chosen("traffic") == HOT_SPOT
    }

    /// What is wrong with a field: what would be accepted.
    pub fn fault(&self, key: &str) -> Option<String> {
        let own = self.read().err()?;
        own.get(key).map(|expected| format!("Expected {expected}."))
    }

    /// What the server has said of a field, or without a key what no field is to blame for.
    pub fn refusal(&self, key: Option<&str>) -> Option<String> {
        let of = |fault: &&Fault| {
            let field = fault.path.split(['[', '.']).next().unwrap_or_default();
            let field = match field {
                // What a name means depends on the network: it stands beside the traffic.
                "traffic" if self.is_hot_spot() => "node",
                field => field,
            };
            entry(field).map(|entry| entry.key) == key
        };
        let told = |fault: &Fault| match key {
            Some(_) if fault.value.is_empty() => format!("Expected {}.", fault.expected),
            Some(_) => format!("Got {}, expected {}.", fault.value, fault.expected),
            None => fault.to_string(),
        };
        let lines: Vec<String> = self.refused.iter().filter(of).map(told).collect();
        (!lines.is_empty()).then(|| lines.join(" "))
    }

    /// The simulation that the form asks for.
    ///
    /// # Errors
    /// What would be accepted, by the keys of the fields that are wrong.
    pub fn read(&self) -> Result<SimulationForm, BTreeMap<&'static str, String>> {
        let mut faults = BTreeMap::new();
        let mut asked = value(&usual());
        let hot_spot = self.is_hot_spot();
        let on_screen = |entry: &&Entry| hot_spot || !OF_HOT_SPOT.contains(&entry.key);
        for entry in MAIN.iter().chain(RULES).filter(on_screen) {
            let text = self.text(entry.key).trim();
            if text.is_empty() {
                continue;
            }
            match parsed(entry, text) {
                Ok(parsed) => {
                    slot_mut(&mut asked, entry.key).into_iter().for_each(|place| *place = parsed.clone())
                }
                Err(expected) => {
                    faults.insert(entry.key, expected);
                }
            }
        }
        // The others can be judged without the parts of a hot spot.
        let wrong = OF_HOT_SPOT.iter().any(|key| faults.contains_key(key));
        asked["traffic"] = if wrong { USUAL.into() } else { self.traffic().into() };
        // Fields that are wrong are still those of the default, so that the others can be judged.
        let Ok(form) = serde_json::from_value::<SimulationForm>(asked) else { return Err(faults) };
        judge(&form, &mut faults);
        if faults.is_empty() { Ok(form) } else { Err(faults) }
    }

    fn traffic(&self) -> String {
        let part = |key| match self.text(key).trim() {
            "" => Self::placeholder(key),
            text => text.into(),
        };
        if self.is_hot_spot() {
            format!("{HOT_SPOT}:{},{}", part("node"), part("share"))
        } else {
            self.chosen("traffic").trim().into()
        }
    }
}

/// A simulation without anything typed.
fn usual() -> SimulationForm {
    SimulationForm { traffic: USUAL.into(), ..SimulationForm::default() }
}

fn value(form: &SimulationForm) -> Value {
    serde_json::to_value(form).unwrap_or_default()
}

/// Where a key stands: among the settings, or before them.
fn slot<'a>(form: &'a Value, key: &str) -> Option<&'a Value> {
    form["settings"].get(key).or_else(|| form.get(key))
}

fn slot_mut<'a>(form: &'a mut Value, key: &str) -> Option<&'a mut Value> {
    if form["settings"].get(key).is_some() { form["settings"].get_mut(key) } else { form.get_mut(key) }
}

/// A value as it is typed.
fn typed(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(typed).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// What is typed as a value, or what would be accepted.
fn parsed(entry: &Entry, text: &str) -> Result<Value, String> {
    match entry.input {
        Input::Text => Ok(text.into()),
        Input::Words(words) if words.iter().any(|(word, _)| *word == text) => {
            Ok(text.parse::<bool>().map_or_else(|_| text.into(), Value::from))
        }
        Input::Words(words) => Err(words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ")),
        Input::Whole(most) => {
            let number = text.replace(',', "").parse::<u64>().ok().filter(|number| *number <= most);
            number.map(Value::from).ok_or_else(|| format!("a whole number, at most {}", grouped(most)))
        }
        Input::Share => {
            let share = text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
            share.map(Value::from).ok_or_else(|| "a share from 0 to 1, such as 0.1".into())
        }
        Input::Loads => {
            let load = |part: &str| part.trim().parse::<f64>().ok().filter(|l| l.is_finite() && *l > 0.0);
            let loads: Option<Vec<f64>> = text.trim_end_matches(',').split(',').map(load).collect();
            loads
                .map(Value::from)
                .ok_or_else(|| "numbers above 0 with commas between them, such as 0.1, 0.5".into())
        }
    }
}

/// What is wrong with fields together, or by what they name.
fn judge(form: &SimulationForm, faults: &mut BTreeMap<&'static str, String>) {
    let mut wrong = |key: &str, expected: String| {
        if let Some(entry) = entry(key) {
            faults.entry(entry.key).or_insert(expected);
        }
    };
    for fault in form.settings.check().err().unwrap_or_default() {
        wrong(fault.field, fault.accepted);
    }
    if let Some(Err(fault)) = form.fabric.as_deref().map(kinds::parse) {
        wrong("fabric", fault.expected);
    }
    match Traffic::parse(&form.traffic) {
        Err(fault) => wrong("traffic", fault.accepted),
        Ok(Traffic::Closed(_)) => {
            if form.message == 0 {
                wrong("message", "bytes, at least 1".into());
            }
            if form.rounds == 0 {
                wrong("rounds", "at least 1".into());
            }
        }
        Ok(Traffic::Open(_)) => {}
    }
    if form.speed == 0 {
        wrong("speed", "Mb/s, at least 1".into());
    }
    if form.trunk_speed == Some(0) {
        wrong("trunk_speed", "Mb/s, at least 1".into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::simulation::TRAFFICS;

    fn typed_in(texts: &[(&str, &str)]) -> SimulateForm {
        let mut form = SimulateForm::default();
        texts.iter().for_each(|(key, text)| form.set(key, (*text).into()));
        form
    }

    #[test]
    fn nothing_typed_is_the_demand_over_the_wiring() {
        assert_eq!(SimulateForm::default().read(), Ok(usual()));
        assert_eq!(SimulateForm::of(&usual()), SimulateForm::default());
        assert_eq!(SimulateForm::placeholder("cycles"), "100000");
    }

    #[test]
    fn every_field_is_one_of_the_form() {
        let form = value(&usual());
        for entry in MAIN.iter().chain(RULES).filter(|entry| !["node", "share"].contains(&entry.key)) {
            assert!(slot(&form, entry.key).is_some(), "{}", entry.key);
            if let Input::Words(words) = entry.input {
                for (word, _) in words {
                    assert!(typed_in(&[(entry.key, word)]).read().is_ok(), "{}: {word}", entry.key);
                }
            }
        }
        let known = |object: &Value| object.as_object().map(|o| o.keys().cloned().collect::<Vec<_>>());
        let keys =
            known(&form).unwrap_or_default().into_iter().chain(known(&form["settings"]).unwrap_or_default());
        for key in keys.filter(|key| key != "settings") {
            assert!(entry(&key).is_some(), "{key} cannot be typed");
        }
        for traffic in TRAFFICS.iter().filter(|traffic| traffic.name != "pattern") {
            assert!(typed_in(&[("traffic", traffic.name)]).read().is_ok(), "{}", traffic.name);
        }
    }

    #[test]
    fn what_is_typed_comes_back() {
        let texts = [
            ("fabric", "torus:4x4"),
            ("traffic", "hot-spot"),
            ("node", "3"),
            ("share", "0.25"),
            ("loads", "0.1, 0.5"),
            ("saturate", "true"),
            ("cycles", "5,000"),
            ("ignored", "100"),
            ("full", "drop"),
            ("trunk_speed", "10000"),
            ("seed", "18446744073709551615"),
        ];
        let asked = typed_in(&texts).read().unwrap();
        assert_eq!((asked.traffic.as_str(), asked.loads.as_slice()), ("hot-spot:3,0.25", &[0.1, 0.5][..]));
        assert_eq!((asked.settings.cycles, asked.trunk_speed, asked.seed), (5000, Some(10_000), u64::MAX));
        assert_eq!(SimulateForm::of(&asked).read(), Ok(asked));
    }

    #[test]
    fn what_is_wrong_is_told_beside_its_field() {
        let wrong = [
            ("cycles", "many", "a whole number, at most"),
            ("buffer", "0", "a whole number from 1"),
            ("header", "4294967296", "a whole number, at most 4,294,967,295"),
            ("loads", "0.1;0.2", "numbers above 0"),
            ("loads", "-1", "numbers above 0"),
            ("fabric", "tree", "tree:"),
            ("fabric", "ring:9", "mesh:"),
            ("traffic", "lots", "one of uniform"),
            ("speed", "0", "at least 1"),
            ("ignored", "100000", "below the 100000 cycles"),
        ];
        for (key, text, told) in wrong {
            let form = typed_in(&[(key, text), ("seed", "x")]);
            let said = form.fault(key).unwrap_or_default();
            assert!(said.starts_with("Expected ") && said.contains(told), "{key} {text}: {said}");
            assert!(form.fault("seed").is_some() && form.fault("payload").is_none());
        }
        let share = typed_in(&[("traffic", "hot-spot"), ("share", "2")]);
        assert!(share.fault("share").is_some_and(|said| said.contains("from 0 to 1")));
        let node = typed_in(&[("traffic", "hot-spot"), ("node", "-1")]);
        assert!(node.fault("node").is_some_and(|said| said.contains("a whole number")));
        assert_eq!((node.fault("share"), node.fault("traffic")), (None, None));
        assert!(typed_in(&[("node", "-1")]).read().is_ok(), "a field that is not on screen");
        let rounds = typed_in(&[("traffic", "exchange"), ("rounds", "0")]);
        assert!(rounds.is_timed() && rounds.fault("rounds").is_some());
    }

    #[test]
    fn what_the_server_refuses_stays_until_something_changes() {
        let mut form = SimulateForm::default();
        form.refuse(vec![
            Fault::new("loads[1]", 3, "at most 1"),
            Fault::new("time", "about 9,000 s", "at most 3600 s"),
        ]);
        assert_eq!(form.refusal(Some("loads")).as_deref(), Some("Got 3, expected at most 1."));
        assert!(form.refusal(None).is_some_and(|said| said.contains("about 9,000 s")));
        assert_eq!(form.refusal(Some("seed")), None);
        form.set("seed", "2".into());
        assert_eq!((form.refusal(Some("loads")), form.refusal(None)), (None, None));
    }
}
