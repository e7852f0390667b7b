//! Prices and speeds of a comparison: a preset, or edited ones.

use shared::{
    api::MAX_FABRICS,
    compare::market::{Chosen, GoodsForm, MarketForm, OWN, PRESETS, chosen},
    fabric::{Kind, kinds::parse},
    form::{Form, toml},
    spec::{Faults, Spec},
};

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
    pub fn market(&self, spec: &Spec) -> Result<Chosen, Faults> {
        chosen(spec, &self.text())
    }

    /// The chosen key; empty for edited fields.
    pub fn key(&self, spec: &Spec) -> String {
        match (&self.form, self.text.as_str()) {
            (Some(_), _) => String::new(),
            (None, "") if shared::compare::market::has_prices(spec) => OWN.into(),
            (None, "") => shared::compare::market::COMMON.key.into(),
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
        Some(format!("Expected {}.", fault.expected))
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
            Action::RemoveBox(_) | Action::Pick(_) => {}
        }
        *self = Prices { text: String::new(), form: Some(form) };
    }
}

/// The networks of a text, separated by spaces, and the faults of the others in words.
pub fn networks(text: &str) -> (Vec<Box<dyn Kind>>, Option<String>) {
    let (mut found, mut faults) = (Vec::new(), Vec::new());
    for word in text.split_whitespace() {
        match parse(word) {
            Ok(_) if found.len() == MAX_FABRICS => {
                faults.push(format!("Expected at most {MAX_FABRICS} networks."));
                break;
            }
            Ok(network) => found.push(network),
            Err(fault) => faults.push(format!("{word}: expected {}.", fault.expected)),
        }
    }
    (found, (!faults.is_empty()).then(|| faults.join(" ")))
}

/// The markets to choose from: key and label.
pub fn markets() -> Vec<(&'static str, &'static str)> {
    let ready = PRESETS.iter().map(|preset| (preset.key, preset.title));
    std::iter::once((OWN, "The spec's prices; speeds of 1998")).chain(ready).collect()
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
        assert_eq!(Prices::default().field(&spec("ni_price = 5\n"), "ni"), "5");
        assert_eq!(Prices::default().key(&spec("")), "1g");
        assert!(Prices::default().market(&spec("ni_price = 5\n")).unwrap().own);
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
            Some("Expected a number from 0 to 1,000,000,000.")
        );
        assert_eq!((prices.fault(&spec, "ni"), prices.field(&spec, "ni").as_str()), (None, "30"));
        prices.update(&spec, Action::Set("port".into(), "100".into()));
        assert_eq!(prices.market(&spec).unwrap().market.port, Some(100.0));
        prices.update(&spec, Action::Set("port".into(), String::new()));
        assert_eq!(prices.market(&spec).unwrap().market.port, None);
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
    fn networks_are_read_or_the_fault_says_what_they_could_be() {
        let texts = |text: &str| {
            let (found, faults) = networks(text);
            (found.iter().map(|kind| kind.text()).collect::<Vec<_>>(), faults.unwrap_or_default())
        };
        let two = vec!["mesh:4x4,2".to_owned(), "tree:96,24,2".into()];
        assert_eq!(texts(" mesh:4x4,2\ttree:96,24,2 "), (two, String::new()));
        assert_eq!(texts(""), (Vec::new(), String::new()));
        let (found, said) = texts("mesh:0x4 ring:9 mesh:4x4");
        assert_eq!(found.len(), 1);
        assert!(said.starts_with("mesh:0x4: expected mesh:") && said.contains("ring:9: expected"), "{said}");
        let (found, said) = texts(&"full:9 ".repeat(17));
        assert!(found.len() == 16 && said.contains("at most 16"), "{said}");
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
