//! Simulations of traffic: the form as typed, the list of simulations, and their form in a link.

mod curves;
mod form;

pub use curves::{Curve, Curves, MAX_CURVES, Stage, StoredCurve};
pub use form::SimulateForm;

use serde_json::{Map, Value};
use shared::simulation::SimulationForm;

/// The simulations as JSON without default values, for links; empty if there are none.
pub fn pack(forms: &[SimulationForm]) -> String {
    if forms.is_empty() {
        return String::new();
    }
    let usual = value(&SimulationForm::default());
    Value::from_iter(forms.iter().map(|form| without(value(form), &usual))).to_string()
}

/// The simulations of such a text; `None` for any other text, or for more than fit on the list.
pub fn unpack(text: &str) -> Option<Vec<SimulationForm>> {
    let forms: Vec<SimulationForm> = serde_json::from_str(text).ok()?;
    (forms.len() <= MAX_CURVES + 1).then_some(forms)
}

fn value(form: &SimulationForm) -> Value {
    serde_json::to_value(form).unwrap_or_default()
}

/// The fields that differ, object by object.
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
    fn only_differences_are_packed() {
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
    fn other_texts_give_no_simulations() {
        let many = format!("[{}{{}}]", "{},".repeat(MAX_CURVES + 1));
        for text in ["", "{}", "[1]", r#"[{"fabric":3}]"#, r#"[{"colour":"red"}]"#, &many] {
            assert_eq!(unpack(text), None, "{text}");
        }
    }
}
