//! Prices and speeds of a comparison: a preset, or edited ones.

use shared::{
    api::MAX_FABRICS,
    compare::market::{CableForm, GoodsForm, MarketChoice, MarketForm, OWN, PRESETS, chosen, default_key},
    fabric::{NetworkFile, kinds::parse},
    form::{Form, toml},
    spec::{Faults, Spec},
    text::capital,
};
use std::collections::BTreeMap;

/// Prices and hardware, as chosen or typed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prices {
    /// A preset's key or TOML text; empty for the default.
    text: String,
    /// The form, once edited.
    form: Option<MarketForm>,
}

/// Edits of prices.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Chooses a preset by its key, or the spec's own hardware by [`OWN`].
    Pick(String),
    /// Types into a field by its path: `ni`, `box[2].price`.
    Set(String, String),
    /// Adds a box.
    AddBox,
    /// Removes a box.
    RemoveBox(usize),
    /// Adds a kind of cable.
    AddCable,
    /// Removes a kind of cable.
    RemoveCable(usize),
}

impl Prices {
    /// Prices from a link: a key or a TOML text.
    pub fn of(text: &str) -> Prices {
        let typed = text.contains('=').then(|| MarketForm::parse(text).ok()).flatten();
        Prices { text: if typed.is_some() { String::new() } else { text.into() }, form: typed }
    }

    /// Text for a link: empty for the default, a key, or TOML text.
    pub fn text(&self) -> String {
        self.form.as_ref().map_or_else(|| self.text.clone(), |form| toml::write(form))
    }

    /// The market, if every field is valid.
    ///
    /// # Errors
    /// Every fault, at `prices.` and the field.
    pub fn market(&self, spec: &Spec) -> Result<MarketChoice, Faults> {
        chosen(spec, &self.text())
    }

    /// The chosen key; empty for edited fields.
    pub fn key(&self, spec: &Spec) -> String {
        match (&self.form, self.text.as_str()) {
            (Some(_), _) => String::new(),
            (None, "") => default_key(spec).into(),
            (None, key) => key.into(),
        }
    }

    /// The form as edited, or with the values of the chosen preset.
    pub fn form(&self, spec: &Spec) -> MarketForm {
        let ready = || self.market(spec).map(|chosen| MarketForm::of(&chosen.market)).unwrap_or_default();
        self.form.clone().unwrap_or_else(ready)
    }

    /// Text of a field; empty for unknown fields.
    pub fn field(&self, spec: &Spec, path: &str) -> String {
        self.form(spec).text_at(path).unwrap_or_default().to_owned()
    }

    /// Fault of a field.
    pub fn fault(&self, spec: &Spec, path: &str) -> Option<String> {
        let faults = self.market(spec).err()?;
        let path = format!("prices.{path}");
        let fault = faults.0.into_iter().find(|fault| fault.path == path)?;
        Some(capital(&fault.message))
    }

    /// Applies an action.
    pub fn update(&mut self, spec: &Spec, action: Action) {
        if let Action::Pick(key) = action {
            *self = Prices { text: key, form: None };
            return;
        }
        let mut form = self.form(spec);
        if self.form.is_none() {
            form.name = format!("{}, changed", form.name);
        }
        match action {
            Action::Set(path, text) => {
                let Some(place) = form.text_at_mut(&path) else { return };
                *place = text;
            }
            Action::AddBox => form.boxes.push(GoodsForm { ports: "24".into(), ..GoodsForm::default() }),
            Action::RemoveBox(number) if number < form.boxes.len() => {
                form.boxes.remove(number);
            }
            Action::AddCable => form.links.push(CableForm { reach: "3".into(), ..CableForm::default() }),
            Action::RemoveCable(number) if number < form.links.len() => {
                form.links.remove(number);
            }
            Action::RemoveBox(_) | Action::RemoveCable(_) | Action::Pick(_) => {}
        }
        *self = Prices { text: String::new(), form: Some(form) };
    }
}

/// Texts of chosen files, by name.
pub type Files = BTreeMap<String, String>;

/// Adds a file, and the network that it is to a text of networks.
pub fn add_file(files: &mut Files, networks: &mut String, name: &str, content: String) {
    // Spaces separate networks.
    let name = name.split_whitespace().collect::<Vec<_>>().join("-");
    add_network(networks, &format!("{}{name}", NetworkFile::PREFIX));
    files.insert(name, content);
}

/// Adds a network to the text of networks, unless it is there.
pub fn add_network(networks: &mut String, network: &str) {
    if !networks.split_whitespace().any(|word| word == network) {
        *networks = format!("{} {network}", networks.trim_end()).trim_start().to_owned();
    }
}

/// The files that networks need.
pub fn needed(files: &Files, networks: &[String]) -> Files {
    let is_needed = |name: &String| networks.iter().any(|text| file_of(text) == Some(name));
    files
        .iter()
        .filter(|(name, _)| is_needed(name))
        .map(|(name, text)| (name.clone(), text.clone()))
        .collect()
}

/// The name of the file of a network that has one.
pub fn file_of(network: &str) -> Option<&str> {
    network.split_once(NetworkFile::PREFIX).map(|(_, name)| name)
}

/// The networks of a text, separated by spaces, and the faults of the others in words. The server reads the files.
pub fn networks(text: &str, files: &Files) -> (Vec<String>, Option<String>) {
    let (mut found, mut faults) = (Vec::new(), Vec::new());
    for word in text.split_whitespace() {
        let read = match file_of(word) {
            Some(name) if files.contains_key(name) => Ok(word.to_owned()),
            Some(name) => Err(format!("{word}: choose the file {name} again, links leave it out.")),
            None => parse(word).map(|network| network.text()).map_err(|fault| fault.message),
        };
        match read {
            Ok(_) if found.len() == MAX_FABRICS => {
                faults.push(format!("At most {MAX_FABRICS} networks can be compared."));
                break;
            }
            Ok(network) => found.push(network),
            Err(fault) => faults.push(fault),
        }
    }
    (found, (!faults.is_empty()).then(|| faults.join(" ")))
}

/// Currency of the chosen prices; empty if it is not given.
pub fn currency(prices: &Prices, spec: &Spec) -> String {
    prices.market(spec).map_or_else(|_| String::new(), |chosen| chosen.market.currency)
}

/// A title of prices with their currency, if it is known.
pub fn in_currency(title: &str, currency: &str) -> String {
    if currency.is_empty() { title.into() } else { format!("{title}, {currency}") }
}

/// The markets to choose from: key and label.
pub fn markets() -> Vec<(&'static str, &'static str)> {
    let ready = PRESETS.iter().map(|preset| (preset.key, preset.title()));
    std::iter::once((OWN, "The spec's prices; speeds of its market")).chain(ready).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::resolve::{self, NoFiles};

    fn spec(more: &str) -> Spec {
        let text =
            format!("pes = 4\nnis_per_pe = 2\n{more}[[switch]]\nports = 4\n[[pattern]]\nkind = 'ring'\n");
        resolve::read(&text, &mut NoFiles).unwrap()
    }

    #[test]
    fn prices_are_the_specs_own_where_it_has_some() {
        assert_eq!(Prices::default().key(&spec("ni_price = 5\n")), OWN);
        assert_eq!(Prices::default().field(&spec("ni_price = 5\n"), "nic"), "5");
        assert_eq!(Prices::default().key(&spec("")), "400g");
        assert!(Prices::default().market(&spec("ni_price = 5\n")).unwrap().own);
        assert_eq!(Prices::default().key(&spec("market = '25g'\n")), "25g");
        assert_eq!(Prices::default().field(&spec("market = '25g'\nni_price = 5\n"), "speed"), "25000");
        assert_eq!(Prices::of("800g").key(&spec("market = '25g'\n")), "800g");
    }

    #[test]
    fn typing_begins_from_what_was_chosen_and_faults_stand_beside_the_field() {
        let spec = spec("");
        let mut prices = Prices::default();
        prices.update(&spec, Action::Pick("1998".into()));
        assert_eq!((prices.text().as_str(), prices.field(&spec, "port").as_str()), ("1998", "150"));
        prices.update(&spec, Action::Set("port".into(), "dear".into()));
        assert_eq!(prices.key(&spec), "");
        assert_eq!(
            prices.fault(&spec, "port").as_deref(),
            Some("Must be a number from 0 to 1,000,000,000, not `dear`.")
        );
        assert_eq!((prices.fault(&spec, "nic"), prices.field(&spec, "nic").as_str()), (None, "30"));
        prices.update(&spec, Action::Set("port".into(), "100".into()));
        assert_eq!(prices.market(&spec).unwrap().market.port, Some(100.0));
        prices.update(&spec, Action::Set("port".into(), String::new()));
        assert_eq!(prices.market(&spec).unwrap().market.port, None);
    }

    #[test]
    fn prices_have_the_currency_that_is_typed() {
        let spec = spec("");
        let mut prices = Prices::default();
        assert_eq!(in_currency("Price", &currency(&prices, &spec)), "Price");
        prices.update(&spec, Action::Set("currency".into(), "EUR".into()));
        assert_eq!(in_currency("Price", &currency(&prices, &spec)), "Price, EUR");
        assert_eq!(currency(&Prices::of(&prices.text()), &spec), "EUR");
    }

    #[test]
    fn boxes_come_and_go() {
        let spec = spec("");
        let mut prices = Prices::of("1g");
        let boxes = prices.form(&spec).boxes.len();
        prices.update(&spec, Action::AddBox);
        let path = format!("box[{boxes}].price");
        prices.update(&spec, Action::Set(path.clone(), "7".into()));
        assert_eq!(prices.field(&spec, &path), "7");
        assert_eq!(prices.market(&spec).unwrap().market.boxes[boxes].price, Some(7.0));
        prices.update(&spec, Action::RemoveBox(boxes));
        assert_eq!((prices.form(&spec).boxes.len(), prices.field(&spec, &path).as_str()), (boxes, ""));
    }

    #[test]
    fn kinds_of_cable_come_and_go() {
        let spec = spec("");
        let mut prices = Prices::of("400g");
        let kinds = prices.form(&spec).links.len();
        prices.update(&spec, Action::AddCable);
        let path = format!("link[{kinds}].price");
        prices.update(&spec, Action::Set(path.clone(), "7".into()));
        assert_eq!(prices.market(&spec).unwrap().market.cable_for(1.0).unwrap().price, Some(7.0));
        prices.update(&spec, Action::RemoveCable(kinds));
        assert_eq!((prices.form(&spec).links.len(), prices.field(&spec, &path).as_str()), (kinds, ""));
    }

    #[test]
    fn networks_are_read_or_the_fault_says_what_they_could_be() {
        let texts = |text: &str| {
            let (found, faults) = networks(text, &Files::new());
            (found, faults.unwrap_or_default())
        };
        let two = vec!["mesh:4x4,2".to_owned(), "tree:96,24,2".into()];
        assert_eq!(texts(" mesh:4x4,2\ttree:96,24,2 "), (two, String::new()));
        assert_eq!(texts(""), (Vec::new(), String::new()));
        let (found, said) = texts("mesh:0x4 ring:9 mesh:4x4");
        assert_eq!(found.len(), 1);
        assert!(
            said.starts_with("`mesh:0x4`: write `mesh:") && said.contains("Unknown network `ring:9`"),
            "{said}"
        );
        let (found, said) = texts(&"full:9 ".repeat(17));
        assert!(found.len() == 16 && said.contains("At most 16"), "{said}");
    }

    #[test]
    fn files_are_networks_until_they_are_missing() {
        let (mut files, mut text) = (Files::new(), "full:4 ".to_owned());
        add_file(&mut files, &mut text, "own net.txt", "a s".into());
        add_file(&mut files, &mut text, "own net.txt", "a s\nb s".into());
        add_file(&mut files, &mut text, "more.txt", String::new());
        assert_eq!(text, "full:4 file:own-net.txt file:more.txt");
        assert_eq!(files["own-net.txt"], "a s\nb s");
        let (found, faults) = networks(&text, &files);
        assert_eq!((found.len(), faults), (3, None));
        assert_eq!(needed(&files, &found[..2]).into_keys().collect::<Vec<_>>(), ["own-net.txt"]);
        let (found, faults) = networks(&text, &Files::new());
        assert_eq!(found, ["full:4"]);
        assert!(faults.unwrap().starts_with("file:own-net.txt: choose the file own-net.txt again"));
    }

    #[test]
    fn a_link_carries_a_key_or_all_of_it() {
        let spec = spec("");
        assert_eq!(Prices::of("25g").text(), "25g");
        let mut prices = Prices::of("25g");
        prices.update(&spec, Action::Set("cable".into(), "x 1".into()));
        assert_eq!(Prices::of(&prices.text()), prices);
    }
}
