//! Simulations in a link and in the browser's storage: of each only what is not the default.

use super::curves::MOST_CURVES;
use serde_json::{Map, Value};
use shared::simulation::SimulationForm;

/// The simulations as JSON, without what holds anyway; empty for none.
pub fn pack(forms: &[SimulationForm]) -> String {
    if forms.is_empty() {
        return String::new();
    }
    let usual = value(&SimulationForm::default());
    Value::from_iter(forms.iter().map(|form| without(value(form), &usual))).to_string()
}

/// The simulations of a JSON text; `None` if it is not one of these, or holds more than can be listed.
pub fn unpack(text: &str) -> Option<Vec<SimulationForm>> {
    let forms: Vec<SimulationForm> = serde_json::from_str(text).ok()?;
    (forms.len() <= MOST_CURVES + 1).then_some(forms)
}

fn value(form: &SimulationForm) -> Value {
    serde_json::to_value(form).unwrap_or_default()
}

/// What differs, object by object.
fn without(value: Value, usual: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let differs = |(key, field): (String, Value)| {
                let known = usual.get(&key)?;
                (field != *known).then(|| (key, without(field, known)))
            };
            Value::Object(fields.into_iter().filter_map(differs).collect::<Map<_, _>>())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::simulation::Settings;

    #[test]
    fn only_what_differs_is_packed() {
        let other = SimulationForm {
            fabric: Some("mesh:4x4".into()),
            settings: Settings { buffer: 8, ..Settings::default() },
            ..SimulationForm::default()
        };
        let forms = [SimulationForm::default(), other];
        let text = pack(&forms);
        assert_eq!(text, r#"[{},{"fabric":"mesh:4x4","settings":{"buffer":8}}]"#);
        assert_eq!(unpack(&text).as_deref(), Some(&forms[..]));
        assert_eq!(pack(&[]), "");
    }

    #[test]
    fn what_is_no_list_of_simulations_is_none() {
        let many = format!("[{}{{}}]", "{},".repeat(MOST_CURVES + 1));
        for text in ["", "{}", "[1]", r#"[{"fabric":3}]"#, r#"[{"colour":"red"}]"#, &many] {
            assert_eq!(unpack(text), None, "{text}");
        }
    }
}
