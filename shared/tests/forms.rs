//! Every form: its fields have labels, accept their own defaults, and come back from a file.

use shared::{
    compare::market::MarketForm,
    demand::trace::TrafficForm,
    form::{Described, Field, FieldKind, Form, Schema, message, toml},
    hardware::BoardForm,
    search::{Budget, SearchForm},
    simulation::SimulationForm,
    spec::SpecForm,
};
use std::collections::BTreeSet;

#[test]
fn every_form_is_sound() {
    walk::<SpecForm>();
    walk::<MarketForm>();
    walk::<SearchForm>();
    walk::<BoardForm>();
    walk::<TrafficForm>();
    walk::<SimulationForm>();
}

fn walk<F: Described + PartialEq + std::fmt::Debug>() {
    check(F::SCHEMA);
    let mut form = F::default();
    fill(&mut form);
    let text = toml::write(&form);
    let again = toml::parse(&text, "text", |_: &F| Vec::new());
    assert_eq!(again.as_ref(), Ok(&form), "{text}");
}

fn check(schema: &'static Schema) {
    let mut labels = BTreeSet::new();
    for field in schema.fields {
        let Field { key, label, help, default, .. } = field;
        assert!(!label.is_empty() && labels.insert(label), "{key}: the label {label:?}");
        assert!(help.ends_with('.') && help.starts_with(char::is_uppercase), "{key}: {help}");
        assert_eq!(schema.label(key), *label);
        if !default.is_empty() {
            assert_eq!(field.check(default), Ok(()), "{key}");
        }
    }
    let mut on_page: Vec<_> = schema.rows().into_iter().flatten().map(|field| field.key).collect();
    let mut keys: Vec<_> = schema.fields.iter().map(|field| field.key).collect();
    on_page.sort_unstable();
    keys.sort_unstable();
    assert_eq!(on_page, keys, "each field stands in one row");
    let mut tables = BTreeSet::new();
    for table in schema.tables {
        assert!(!table.label.is_empty() && tables.insert(table.label), "{}", table.key);
        check(table.schema);
    }
}

/// Types a text into every field, and two entries into every list.
fn fill(form: &mut dyn Form) {
    let Schema { fields, tables } = form.schema();
    for field in fields.iter() {
        let text = sample(field);
        *form.get_mut(field.key).unwrap() = text;
    }
    for table in tables.iter() {
        for _ in 0..if table.several { 2 } else { 1 } {
            fill(form.rows_mut(table.key).unwrap().add());
        }
    }
}

fn sample(field: &Field) -> String {
    match field.kind {
        FieldKind::Whole { min, .. } => min.to_string(),
        FieldKind::Number { max, .. } => max.to_string(),
        FieldKind::Text { .. } | FieldKind::Syntax(_) => "a \"quoted\" word".into(),
        FieldKind::Lines => "0: 1 2\n1: 0 2\n".into(),
        FieldKind::Flag => "true".into(),
        FieldKind::Choice(_) | FieldKind::Listed(_) => field.kind.choices()[0].word.into(),
        FieldKind::Sizes => "16x8".into(),
        FieldKind::Pairs => "0 1\n2 3 0.5".into(),
        FieldKind::Set => "0-7, 12".into(),
    }
}

#[test]
fn paths_lead_to_texts_and_labels() {
    let mut form = SpecForm::default();
    fill(&mut form);
    let paths =
        ["name", "metre_price", "node_group[0].nics", "switch[1].reserve", "uplink.spares", "start.table"];
    for path in paths {
        *form.text_at_mut(path).unwrap() = path.into();
        assert_eq!(form.text_at(path), Some(path));
        assert!(SpecForm::SCHEMA.field_at(path).is_some(), "{path}");
    }
    assert_eq!(form.switch[1].reserve, "switch[1].reserve");
    let strangers = ["", "switch[2].ports", "switch", "switch[0].colour", "line 7", "switch[x].ports"];
    for path in strangers.into_iter().chain(["uplink", "uplink[0].kind", "rack.pes", "start.", "keep[9]"]) {
        assert_eq!(form.text_at(path), None, "{path}");
        assert!(form.text_at_mut(path).is_none(), "{path}");
    }
    let labels = [
        ("nodes", "Nodes"),
        ("pattern[0].kind", "Pattern 1, kind"),
        ("node_group[1].nics", "Node group 2, NICs per node"),
        ("uplink.spares", "Uplink switch, hot spares"),
        ("switch", "Switch model"),
        ("rack[2]", "Rack 3"),
        ("line 7", "line 7"),
        ("switch[0].colour", "switch[0].colour"),
    ];
    for (path, label) in labels {
        assert_eq!(SpecForm::SCHEMA.label(path), label);
    }
}

#[test]
fn a_search_as_typed_becomes_a_request() {
    let mut form = SearchForm::default();
    let request = form.read().unwrap();
    assert_eq!((request.budget, request.seed, request.threads), (Budget::Seconds(60.0), 1, None));
    (form.unit, form.threads, form.seconds) = ("effort".into(), " 4 ".into(), "soon".into());
    let request = form.read().unwrap();
    assert_eq!((request.budget, request.threads), (Budget::Effort(1000), Some(4)));
    assert_eq!(form.within(Budget::Seconds(2.5)).read().unwrap().budget, Budget::Seconds(2.5));
    let wrong = [
        ("budget.seconds", "0"),
        ("budget.seconds", "NaN"),
        ("seed", "-1"),
        ("threads", "257"),
        ("threads", "65"),
    ];
    for (key, text) in wrong {
        let mut form = SearchForm::default();
        *form.get_mut(key).unwrap() = text.into();
        let faults = form.read().unwrap_err();
        assert_eq!(faults.0[0].path, key);
        assert!(message(&faults.0, key).unwrap().contains("from"), "{faults}");
    }
}
