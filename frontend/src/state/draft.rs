//! The spec being edited, as a form and as text, with undo and redo.

mod parts;

pub use parts::{Action, Layout, Rule};

use shared::{
    form::{Form, toml},
    resolve::{self, NoFiles, resolve, resolve_catalogue},
    spec::{Fault, Faults, Spec, SpecForm},
};
use std::sync::Arc;

/// Max number of undo steps.
const MAX_STEPS: usize = 200;
/// Max size of all undo steps in bytes: a spec with a matrix is large.
const MAX_BYTES: usize = 32 << 20;

/// A spec with its undo steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    now: Arc<Document>,
    past: Vec<Arc<Document>>,
    future: Vec<Arc<Document>>,
    /// The field of the last step: further typing there extends that step.
    typing: Option<String>,
}

/// A spec as a form and as text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// Field by field.
    pub form: SpecForm,
    /// As TOML. If it cannot be parsed, the form is that of the last text that could.
    pub text: String,
    /// Reasons why the text cannot be parsed.
    pub unreadable: Vec<Fault>,
}

impl Draft {
    /// Opens a spec's text.
    pub fn open(text: &str) -> Draft {
        let mut session = Draft::default();
        session.update(Action::Open(text.into()));
        session
    }

    /// The current spec.
    pub fn document(&self) -> &Document {
        &self.now
    }

    /// `true` if there is a step to undo.
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// `true` if there is a step to redo.
    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }

    /// The valid spec, or every fault: of the text if it cannot be parsed, else of the form.
    ///
    /// # Errors
    /// All faults, each with its path.
    pub fn resolve(&self) -> Result<Spec, Faults> {
        self.resolve_by(|form| resolve(form, &mut NoFiles))
    }

    /// The same for a hardware search, where several switch models may be without a count.
    ///
    /// # Errors
    /// All faults, each with its path.
    pub fn resolve_catalogue(&self) -> Result<Spec, Faults> {
        self.resolve_by(|form| resolve_catalogue(form, &mut NoFiles))
    }

    fn resolve_by(&self, resolved: impl Fn(&SpecForm) -> Result<Spec, Faults>) -> Result<Spec, Faults> {
        match self.now.unreadable.is_empty() {
            true => resolved(&self.now.form),
            false => Err(Faults(self.now.unreadable.clone())),
        }
    }

    /// Carries out an action.
    pub fn update(&mut self, action: Action) {
        match action {
            Action::Open(text) => {
                let fresh = Document { text, ..Document::default() }.read();
                *self = Draft { now: Arc::new(fresh), ..Draft::default() };
            }
            Action::Text(text) => {
                let next = Document { text, form: self.now.form.clone(), unreadable: Vec::new() }.read();
                self.step(next, Some("text".into()));
            }
            Action::Replace(text) => {
                let next = Document { text, form: self.now.form.clone(), unreadable: Vec::new() }.read();
                self.step(next, None);
            }
            Action::Undo => self.travel(true),
            Action::Redo => self.travel(false),
            Action::Set { path, text } => {
                let typing = Some(path.clone());
                self.edit(typing, |form| {
                    if let Some(field) = form.text_at_mut(&path) {
                        *field = text;
                    }
                });
            }
            other => self.edit(None, |form| parts::restructure(form, other)),
        }
    }

    fn edit(&mut self, typing: Option<String>, change: impl FnOnce(&mut SpecForm)) {
        let mut form = self.now.form.clone();
        change(&mut form);
        if form == self.now.form && self.now.unreadable.is_empty() {
            return;
        }
        let text = toml::write(&form);
        self.step(Document { form, text, unreadable: Vec::new() }, typing);
    }

    fn step(&mut self, next: Document, typing: Option<String>) {
        let before = std::mem::replace(&mut self.now, Arc::new(next));
        if typing.is_none() || typing != self.typing || self.past.is_empty() {
            self.past.push(before);
        }
        self.typing = typing;
        self.future.clear();
        let mut bytes = 0;
        let kept = self.past.iter().rev().take(MAX_STEPS).take_while(|step| {
            bytes += 2 * step.text.len();
            bytes <= MAX_BYTES
        });
        let surplus = self.past.len() - kept.count();
        self.past.drain(..surplus);
    }

    fn travel(&mut self, back: bool) {
        let (from, to) =
            if back { (&mut self.past, &mut self.future) } else { (&mut self.future, &mut self.past) };
        if let Some(document) = from.pop() {
            to.push(std::mem::replace(&mut self.now, document));
            self.typing = None;
        }
    }
}

/// The valid spec of a text.
///
/// # Errors
/// Every fault, in words.
pub fn read_spec(text: &str) -> Result<Spec, Vec<String>> {
    resolve::read(text, &mut NoFiles).map_err(|faults| faults.0.iter().map(ToString::to_string).collect())
}

impl Document {
    fn read(mut self) -> Document {
        match resolve::parse(&self.text) {
            Ok(form) => self.form = form,
            Err(faults) => self.unreadable = faults.0,
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = "name = \"lab\"\npes = 16\nnis_per_pe = 2\nobjective = \"sparse\"\n\n[[switch]]\nports = 8\n\n\
                        [[pattern]]\nkind = \"ring\"\n";

    fn set(session: &mut Draft, path: &str, text: &str) {
        session.update(Action::Set { path: path.into(), text: text.into() });
    }

    #[test]
    fn form_and_text_say_the_same() {
        let mut session = Draft::open(SPEC);
        set(&mut session, "switch[0].ports", "24");
        assert!(session.document().text.contains("ports = 24"));
        let text = session.document().text.replace("24", "48");
        session.update(Action::Text(text));
        assert_eq!(session.document().form.switch[0].ports, "48");
        assert_eq!(session.resolve().unwrap().switches[0].ports, 48);
    }

    #[test]
    fn a_catalogue_may_lack_counts_that_a_machine_may_not() {
        let session = Draft::open(&SPEC.replace("[[pattern]]", "[[switch]]\nports = 12\n\n[[pattern]]"));
        assert_eq!(session.resolve().unwrap_err().0[0].path, "switch[1].count");
        assert_eq!(session.resolve_catalogue().unwrap().switches.len(), 2);
    }

    #[test]
    fn typing_is_one_step_and_steps_go_both_ways() {
        let mut session = Draft::open(SPEC);
        ["3", "32"].iter().for_each(|t| set(&mut session, "pes", t));
        set(&mut session, "nis_per_pe", "4");
        session.update(Action::Undo);
        assert_eq!(session.document().form.nis_per_pe, "2");
        session.update(Action::Undo);
        assert_eq!((session.document().form.pes.as_str(), session.can_undo()), ("16", false));
        assert_eq!(session.document().text, SPEC);
        session.update(Action::Redo);
        assert_eq!((session.document().form.pes.as_str(), session.can_redo()), ("32", true));
        set(&mut session, "pes", "64");
        assert!(!session.can_redo());
    }

    #[test]
    fn an_unreadable_text_leaves_the_form_alone() {
        let mut session = Draft::open(SPEC);
        session.update(Action::Text("pes = \n".into()));
        assert_eq!(session.document().form.pes, "16");
        assert!(session.resolve().unwrap_err().0[0].path.contains("line 1"));
        set(&mut session, "pes", "8");
        assert!(session.resolve().is_ok());
    }

    #[test]
    fn a_wrong_field_leaves_the_others_alone() {
        let mut session = Draft::open(SPEC);
        set(&mut session, "switch[0].ports", "many");
        let faults = session.resolve().unwrap_err().0;
        assert_eq!(faults.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(), ["switch[0].ports"]);
        assert_eq!(session.document().form.nis_per_pe, "2");
    }

    #[test]
    fn groups_always_add_up() {
        let mut session = Draft::open(SPEC);
        session.update(Action::AddGroup);
        session.update(Action::AddGroup);
        let spec = session.resolve().unwrap();
        assert_eq!(spec.pe_groups.iter().map(|g| g.count).collect::<Vec<_>>(), [8, 4, 4]);
        session.update(Action::RemoveGroup(0));
        session.update(Action::RemoveGroup(0));
        assert_eq!(session.document().form.nis_per_pe, "2");
    }

    #[test]
    fn another_text_is_a_step_of_its_own() {
        let mut session = Draft::open(SPEC);
        session.update(Action::Text(SPEC.replace("16", "32")));
        session.update(Action::Replace(SPEC.replace("16", "64")));
        assert_eq!(session.resolve().unwrap().pes, 64);
        session.update(Action::Undo);
        assert_eq!(session.resolve().unwrap().pes, 32);
    }

    #[test]
    fn added_parts_are_valid_at_once() {
        let mut session = Draft::open(SPEC);
        session.update(Action::AddPattern("torus".into()));
        session.update(Action::AddSwitch);
        session.update(Action::Matrix { pattern: None, pairs: "0 1\n2 3 5\n".into() });
        assert_eq!(session.resolve().unwrap().patterns.len(), 3);
        let layouts =
            [(Layout::Sizes, "4x4"), (Layout::All, ""), (Layout::Sizes, "4x4"), (Layout::Balanced, "")];
        for (layout, dims) in layouts {
            session.update(Action::Layout { pattern: 1, layout });
            let pattern = &session.document().form.pattern[1];
            assert_eq!((pattern.dims.as_str(), Layout::of(pattern)), (dims, layout));
            assert!(session.resolve().is_ok(), "{layout:?}");
        }
        session.update(Action::RemovePattern(9));
        session.update(Action::RemovePattern(0));
        assert_eq!(session.document().form.pattern[0].kind, "torus");
    }
}
