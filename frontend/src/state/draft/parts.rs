//! Actions on a draft, and the defaults of added parts, which keep the spec valid.

use shared::{
    resolve::{NoFiles, resolve},
    spec::{
        KeepForm, PatternForm, PeGroupForm, PlacementForm, RackForm, SpecForm, StartForm, SwitchForm,
        UplinkForm,
    },
};

/// An action on a draft.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Opens a text, with nothing to undo.
    Open(String),
    /// Types into the field at a path.
    Set {
        /// The path, as in faults.
        path: String,
        /// The new text.
        text: String,
    },
    /// Types into the TOML text.
    Text(String),
    /// Replaces the text, as a step of its own.
    Replace(String),
    /// Adds a switch model.
    AddSwitch,
    /// Removes a switch model.
    RemoveSwitch(usize),
    /// Adds a group of PEs; the first one turns the common NI count into a group.
    AddGroup,
    /// Removes a group; the last one turns into the common NI count.
    RemoveGroup(usize),
    /// Adds a pattern of a kind.
    AddPattern(String),
    /// Removes a pattern.
    RemovePattern(usize),
    /// Sets how a torus or grid gives its sizes.
    Layout {
        /// Index of the pattern.
        pattern: usize,
        /// The new layout.
        layout: Layout,
    },
    /// Sets the pairs of a matrix pattern, or adds one.
    Matrix {
        /// Index of the pattern; `None` adds one.
        pattern: Option<usize>,
        /// Its pairs, a line each.
        pairs: String,
    },
    /// Adds a hardware rule of a kind.
    AddRule(Rule),
    /// Removes a hardware rule.
    RemoveRule(Rule, usize),
    /// Sets the kind of the uplink switch, or removes it.
    Uplink(Option<String>),
    /// Sets the table of the existing wiring, or removes it.
    Start(Option<String>),
    /// Undoes the last step.
    Undo,
    /// Redoes the last undone step.
    Redo,
}

/// A kind of hardware rule of which a spec may have several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Reserved ports on one switch.
    Keep,
    /// PEs and switches in a rack.
    Rack,
    /// PEs that must or must not be on a switch.
    Placement,
}

/// The way a torus or grid gives its sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// By `dims`.
    Sizes,
    /// The most cube-like factorisation into a number of dimensions.
    Balanced,
    /// All factorisations into a number of dimensions.
    All,
}

impl Layout {
    /// The layout of a pattern as written.
    pub fn of(pattern: &PatternForm) -> Layout {
        if !pattern.dims.trim().is_empty() {
            Layout::Sizes
        } else if pattern.factorizations.trim() == "all" {
            Layout::All
        } else if pattern.dimensions.trim().is_empty() && pattern.factorizations.trim().is_empty() {
            Layout::Sizes
        } else {
            Layout::Balanced
        }
    }
}

/// Carries out an action that adds, removes or changes parts.
pub(super) fn restructure(form: &mut SpecForm, action: Action) {
    match action {
        Action::AddSwitch => {
            let count = if form.switch.iter().any(|s| s.count.is_empty()) { "1" } else { "" };
            form.switch.push(SwitchForm { ports: "24".into(), count: count.into(), ..SwitchForm::default() });
        }
        Action::RemoveSwitch(index) => remove(&mut form.switch, index),
        Action::AddGroup => add_group(form),
        Action::RemoveGroup(index) => {
            remove(&mut form.pe_group, index);
            if let [only] = &form.pe_group[..] {
                form.nis_per_pe.clone_from(&only.nis);
                form.pe_group.clear();
            }
        }
        Action::AddPattern(kind) => form.pattern.push(fresh_pattern(kind)),
        Action::RemovePattern(index) => remove(&mut form.pattern, index),
        Action::Layout { pattern, layout } => {
            let pes = form.pes.clone();
            if let Some(pattern) = form.pattern.get_mut(pattern) {
                lay_out(pattern, layout, &pes);
            }
        }
        Action::Matrix { pattern, pairs } => {
            if pattern.is_none() {
                form.pattern.push(fresh_pattern("matrix".into()));
            }
            let index = pattern.unwrap_or(form.pattern.len() - 1);
            if let Some(pattern) = form.pattern.get_mut(index) {
                (pattern.pairs, pattern.file) = (pairs, String::new());
            }
        }
        Action::AddRule(rule) => add_rule(form, rule),
        Action::RemoveRule(Rule::Keep, index) => remove(&mut form.keep, index),
        Action::RemoveRule(Rule::Placement, index) => remove(&mut form.placement, index),
        Action::RemoveRule(Rule::Rack, index) => remove_rack(form, index),
        Action::Uplink(kind) => {
            let before = form.uplink.take().unwrap_or_default();
            form.uplink = kind.map(|kind| UplinkForm { kind, ..before });
        }
        Action::Start(table) => {
            let before = form.start.take().unwrap_or_default();
            form.start = table.map(|table| StartForm { table, file: String::new(), ..before });
        }
        Action::Open(_)
        | Action::Set { .. }
        | Action::Text(_)
        | Action::Replace(_)
        | Action::Undo
        | Action::Redo => {}
    }
}

fn remove<T>(list: &mut Vec<T>, index: usize) {
    if index < list.len() {
        list.remove(index);
    }
}

/// Splits the last group, or all PEs, in two halves, so that the counts still add up.
fn add_group(form: &mut SpecForm) {
    if form.pe_group.is_empty() {
        let nis = std::mem::take(&mut form.nis_per_pe);
        form.pe_group.push(PeGroupForm { count: form.pes.clone(), nis });
    }
    let Some(last) = form.pe_group.last_mut() else { return };
    let count: u32 = last.count.trim().parse().unwrap_or(0);
    last.count = count.div_ceil(2).to_string();
    let next = PeGroupForm { count: (count / 2).to_string(), nis: last.nis.clone() };
    form.pe_group.push(next);
}

fn fresh_pattern(kind: String) -> PatternForm {
    let laid_out = matches!(kind.as_str(), "torus" | "grid");
    let or_none = |text: &str| if laid_out { text.into() } else { String::new() };
    PatternForm {
        dimensions: or_none("2"),
        factorizations: or_none("balanced"),
        kind,
        ..PatternForm::default()
    }
}

fn lay_out(pattern: &mut PatternForm, layout: Layout, pes: &str) {
    let dimensions = match pattern.dims.split('x').count() {
        parts @ 1..=4 if !pattern.dims.trim().is_empty() => parts.to_string(),
        _ if pattern.dimensions.trim().is_empty() => "2".into(),
        _ => pattern.dimensions.clone(),
    };
    if layout == Layout::Sizes {
        let wanted = dimensions.trim().parse().unwrap_or(2);
        pattern.dims = balanced(pes.trim().parse().unwrap_or(0), wanted);
        pattern.dimensions.clear();
        pattern.factorizations.clear();
    } else {
        pattern.dims.clear();
        pattern.dimensions = dimensions;
        pattern.factorizations = if layout == Layout::All { "all" } else { "balanced" }.into();
    }
}

/// Default sizes: the balanced factorisation, or one dimension if there is none.
fn balanced(pes: u32, dimensions: u32) -> String {
    use shared::demand::patterns::factorization;
    let sizes = factorization::balanced(pes, dimensions).unwrap_or_else(|| vec![pes]);
    sizes.iter().map(u32::to_string).collect::<Vec<_>>().join("x")
}

fn add_rule(form: &mut SpecForm, rule: Rule) {
    match rule {
        Rule::Keep => {
            let taken: Vec<u32> = form.keep.iter().filter_map(|k| k.switch.trim().parse().ok()).collect();
            let next = (0..).find(|switch| !taken.contains(switch)).unwrap_or(0);
            form.keep.push(KeepForm { switch: next.to_string(), ports: "1".into() });
        }
        Rule::Placement => {
            let (pes, switches, kind) = ("0".into(), "0".into(), "on".into());
            form.placement.push(PlacementForm { pes, switches, kind });
        }
        Rule::Rack => add_rack(form),
    }
}

/// The first rack holds everything; each later one takes half of the last, so that the numbers still add up.
fn add_rack(form: &mut SpecForm) {
    let Some(last) = form.rack.last_mut() else {
        let switches = resolve(form, &mut NoFiles).map_or(0, |spec| spec.switch_budget());
        let rack = RackForm { pes: form.pes.clone(), switches: switches.to_string(), ..RackForm::default() };
        form.rack.push(rack);
        return;
    };
    let next =
        RackForm { pes: halve(&mut last.pes), switches: halve(&mut last.switches), ..RackForm::default() };
    form.rack.push(next);
}

/// Keeps the larger half of a number and returns the other.
fn halve(text: &mut String) -> String {
    let number: u32 = text.trim().parse().unwrap_or(0);
    *text = number.div_ceil(2).to_string();
    (number / 2).to_string()
}

/// Removes a rack; its neighbour takes over its PEs and switches.
fn remove_rack(form: &mut SpecForm, index: usize) {
    if index >= form.rack.len() {
        return;
    }
    let gone = form.rack.remove(index);
    if let Some(neighbour) = form.rack.get_mut(index.saturating_sub(1)) {
        add(&mut neighbour.pes, &gone.pes);
        add(&mut neighbour.switches, &gone.switches);
    }
}

fn add(text: &mut String, more: &str) {
    let number = |text: &str| text.trim().parse::<u32>().unwrap_or(0);
    *text = number(text).saturating_add(number(more)).to_string();
}

#[cfg(test)]
mod tests {
    use super::{super::Draft, *};

    const SPEC: &str = "pes = 16\nnis_per_pe = 2\nobjective = \"sparse\"\n\n[[switch]]\nports = 8\n\n\
                        [[pattern]]\nkind = \"ring\"\n";

    #[test]
    fn added_rules_are_valid_at_once() {
        let mut session = Draft::open(SPEC);
        let rules = [Rule::Keep, Rule::Rack, Rule::Rack, Rule::Rack, Rule::Placement];
        for action in rules.map(Action::AddRule).into_iter().chain([Action::Uplink(Some("separate".into()))])
        {
            session.update(action.clone());
            assert!(session.resolve().is_ok(), "{action:?}: {:?}", session.resolve());
        }
        let spec = session.resolve().unwrap();
        assert_eq!(spec.racks.iter().map(|r| r.pes).collect::<Vec<_>>(), [8, 4, 4]);
        assert_eq!((spec.kept.len(), spec.placements.len(), spec.uplink.is_some()), (1, 1, true));
        for index in [1, 0, 0] {
            session.update(Action::RemoveRule(Rule::Rack, index));
            assert!(session.resolve().is_ok(), "{index}");
        }
        session.update(Action::RemoveRule(Rule::Keep, 0));
        session.update(Action::RemoveRule(Rule::Placement, 0));
        session.update(Action::RemoveRule(Rule::Placement, 9));
        session.update(Action::Uplink(None));
        assert_eq!(session.resolve().unwrap(), Draft::open(SPEC).resolve().unwrap());
    }

    #[test]
    fn each_new_rule_takes_another_switch() {
        let mut session = Draft::open(SPEC);
        (0..3).for_each(|_| session.update(Action::AddRule(Rule::Keep)));
        session.update(Action::RemoveRule(Rule::Keep, 1));
        session.update(Action::AddRule(Rule::Keep));
        let switches: Vec<String> = session.document().form.keep.iter().map(|k| k.switch.clone()).collect();
        assert_eq!(switches, ["0", "2", "1"]);
    }

    #[test]
    fn a_new_starting_wiring_keeps_its_settings() {
        let mut session = Draft::open(SPEC);
        session.update(Action::Start(Some("0: 0 1 2\n".into())));
        session.update(Action::Set { path: "start.moves".into(), text: "3".into() });
        session.update(Action::Start(Some("0: 0 1\n1: 2 3\n".into())));
        let start = session.resolve().unwrap().start.unwrap();
        assert_eq!((start.switches.len(), start.moves), (2, Some(3)));
        session.update(Action::Start(None));
        assert_eq!(session.resolve().unwrap().start, None);
    }
}
