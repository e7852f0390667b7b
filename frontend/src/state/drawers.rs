//! Long parts of the spec's form, which open as panels of their own width.

use super::{job, words::count};
use shared::{
    form::{Described, Form},
    spec::{Spec, SpecForm},
};

/// A part of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawer {
    /// The training job.
    Job,
    /// The less common hardware rules.
    Rules,
}

/// Tables of the training job.
pub const JOB_TABLES: [&str; 4] = ["job", "model", "assumptions", "collective"];
/// Tables of the rules, in the order of the page.
pub const RULE_TABLES: [&str; 6] = ["uplink", "keep", "placement", "rack", "names", "start"];

/// Keys of the rules: their fields and tables.
fn rules() -> impl Iterator<Item = &'static str> {
    let fields = SpecForm::SCHEMA.fields.iter().filter(|field| field.folded).map(|field| field.key);
    fields.chain(RULE_TABLES)
}

impl Drawer {
    /// Returns the title.
    pub fn title(self) -> &'static str {
        match self {
            Drawer::Job => "Training job",
            Drawer::Rules => "More hardware rules",
        }
    }

    /// Id of the button that opens it.
    pub fn button(self) -> &'static str {
        match self {
            Drawer::Job => "open-job",
            Drawer::Rules => "open-rules",
        }
    }

    /// The part with the field or table of a path such as `rack[0].pes`.
    pub fn of(path: &str) -> Option<Drawer> {
        let key = path.split(['.', '[']).next().unwrap_or(path);
        match key {
            _ if JOB_TABLES.contains(&key) => Some(Drawer::Job),
            _ if rules().any(|rule| rule == key) => Some(Drawer::Rules),
            _ => None,
        }
    }

    /// What it holds, in a line.
    pub fn words(self, form: &SpecForm, spec: Option<&Spec>) -> String {
        match self {
            Drawer::Job => job::summary(form, spec),
            Drawer::Rules => given(form),
        }
    }
}

/// The rules that are given.
fn given(form: &SpecForm) -> String {
    let words = |key: &'static str| {
        if let Some(rows) = form.rows(key) {
            let label = SpecForm::SCHEMA.tables.iter().find(|table| table.key == key)?.label;
            return match rows.count() {
                0 => None,
                1 => Some(label.to_owned()),
                several => Some(count(several as u64, &label.to_lowercase())),
            };
        }
        let text = form.get(key)?.trim();
        (!text.is_empty() && text != "false").then(|| SpecForm::SCHEMA.label(key))
    };
    let all: Vec<String> = rules().filter_map(words).collect();
    if all.is_empty() { "None".into() } else { all.join(" · ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::draft::{Action, Draft, List};

    #[test]
    fn paths_lead_to_their_part() {
        for (path, part) in [
            ("job.tp", Some(Drawer::Job)),
            ("collective[1].bytes", Some(Drawer::Job)),
            ("rack[0].nodes", Some(Drawer::Rules)),
            ("uplink", Some(Drawer::Rules)),
            ("rail", Some(Drawer::Rules)),
            ("nodes", None),
            ("switch[0].ports", None),
        ] {
            assert_eq!(Drawer::of(path), part, "{path}");
        }
    }

    #[test]
    fn a_line_says_which_rules_are_given() {
        let mut draft = Draft::open(include_str!("../../../assets/specs/kasy0.toml"));
        let words = |draft: &Draft| Drawer::Rules.words(&draft.document().form, None);
        assert_eq!(words(&draft), "None");
        draft.update(Action::Set { path: "rail".into(), text: "true".into() });
        for list in [List::Rack, List::Rack, List::Keep] {
            draft.update(Action::Add(list));
        }
        assert_eq!(words(&draft), "Rails · Port reservation · 2 racks");
    }
}
