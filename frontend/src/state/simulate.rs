//! Simulations of traffic: the form as typed, the list of simulations, and their form in a link.

mod conclusion;
mod curves;
mod form;
mod units;

pub use conclusion::conclusion;
pub use curves::{Curve, Curves, MAX_CURVES, Stage, StoredCurve};
pub use form::SimulateForm;
pub use units::Units;

use serde_json::Value;
use shared::{
    api::FormTexts,
    form::{Described, Form},
    simulation::SimulationForm,
};

/// The simulations as typed, as JSON for links; empty if there are none.
pub fn pack(forms: &[SimulationForm]) -> String {
    let forms: Vec<FormTexts> = forms.iter().map(|form| FormTexts::of(&[form])).collect();
    if forms.is_empty() { String::new() } else { serde_json::to_string(&forms).unwrap_or_default() }
}

/// The simulations of such a text; `None` for any other text, or for more than fit on the list. In links of earlier versions, some
/// fields are in `settings`.
pub fn unpack(text: &str) -> Option<Vec<SimulationForm>> {
    let all: Vec<Value> = serde_json::from_str(text).ok()?;
    let known = |key: &String| key == "settings" || SimulationForm::SCHEMA.field(key).is_some();
    let read = |values: &Value| {
        let mut form = SimulationForm::default();
        form.fill(values);
        form.fill(&values["settings"]);
        values.as_object()?.keys().all(known).then_some(form)
    };
    let forms: Option<Vec<SimulationForm>> = all.iter().map(read).collect();
    forms.filter(|forms| forms.len() <= MAX_CURVES + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simulations_are_packed_as_typed() {
        let other =
            SimulationForm { fabric: "mesh:4x4".into(), buffer: "8".into(), ..SimulationForm::default() };
        let forms = [SimulationForm::default(), other];
        let text = pack(&forms);
        assert_eq!(text, r#"[{},{"buffer":"8","fabric":"mesh:4x4"}]"#);
        assert_eq!(unpack(&text).as_deref(), Some(&forms[..]));
        assert_eq!(pack(&[]), "");
    }

    #[test]
    fn links_of_earlier_versions_are_read() {
        let text = r#"[{},{"fabric":"mesh:4x4","loads":[0.1,0.5],"saturate":true,"settings":{"buffer":8}}]"#;
        let [usual, other] = &unpack(text).unwrap()[..] else { panic!("two simulations") };
        assert_eq!(usual, &SimulationForm::default());
        let asked = other.read().unwrap();
        assert_eq!((asked.fabric.as_deref(), asked.settings.buffer), (Some("mesh:4x4"), 8));
        assert_eq!((asked.loads, asked.saturate), (vec![0.1, 0.5], true));
    }

    #[test]
    fn other_texts_give_no_simulations() {
        let many = format!("[{}{{}}]", "{},".repeat(MAX_CURVES + 1));
        for text in ["", "{}", "[1]", r#"[{"colour":"red"}]"#, &many] {
            assert_eq!(unpack(text), None, "{text}");
        }
    }
}
