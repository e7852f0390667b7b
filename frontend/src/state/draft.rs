//! The spec being edited, as a form and as text, with undo and redo.

use super::job::job_of;
use shared::{
    analysis::bounds::quick_refusal,
    demand::Demand,
    estimate::EstimateForm,
    form::{Described, Form, Mend, toml},
    resolve::{self, NoFiles, resolve, resolve_catalogue},
    spec::{
        CollectiveForm, Fault, Faults, JobForm, KeepForm, ModelForm, NamesForm, PatternForm, PeGroupForm,
        PlacementForm, Rack, RackForm, Spec, SpecForm, StartForm, SwitchForm, UplinkForm,
        job::Dimension,
        patterns::{self, lattice::Layout},
    },
};
use std::sync::Arc;

/// Max steps to a value that meets all bounds.
const MAX_MENDS: usize = 16;
/// Max nodes of a spec whose bounds are computed again at once.
const MAX_MENDED: u32 = 1 << 10;
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
    /// The spec as TOML. If the text cannot be parsed, the form is from the last text that could.
    pub text: String,
    /// Reasons why the text cannot be parsed.
    pub unreadable: Vec<Fault>,
}

/// An action on a draft.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
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
    /// Sets several fields, as one step.
    Mend(Vec<Mend>),
    /// Adds an entry to a list.
    Add(List),
    /// Removes an entry of a list.
    Remove(List, usize),
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
        /// Pairs, a line each.
        pairs: String,
        /// A new number of nodes.
        pes: Option<u32>,
    },
    /// Sets the kind of the uplink switch, or removes it.
    Uplink(Option<String>),
    /// Adds names of parts, or removes them.
    Names(bool),
    /// Sets the table of the existing wiring, or removes it.
    Start(Option<String>),
    /// Sets all racks.
    Racks(Vec<Rack>),
    /// Takes the nodes, the job and its model from another spec's text.
    Preset(&'static str),
    /// Replaces the training job and its model by a small one on the nodes that there are.
    OwnJob,
    /// Adds a training job, or removes it with its model, assumptions and collectives.
    Job(bool),
    /// Adds a model to the training job, or removes it.
    Model(usize, bool),
    /// Adds a table of assumptions, or removes it.
    Assumptions(bool),
    /// Sets a field of the collective along a dimension of the job. Without any field it is the usual one.
    Collective {
        /// Number of the job.
        job: usize,
        /// The dimension.
        along: Dimension,
        /// Key of the field.
        key: &'static str,
        /// The new text.
        text: String,
    },
    /// Uses the usual collective along a dimension of the job.
    Usual(usize, Dimension),
    /// Asks for two links per pair in every pattern.
    Survive,
    /// Undoes the last step.
    Undo,
    /// Redoes the last undone step.
    Redo,
}

/// A list of entries with the same fields in a spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// PEs with the same number of NIs; a single group turns into the common NI count, and back.
    Group,
    /// Switch models.
    Switch,
    /// Reserved ports on one switch.
    Keep,
    /// PEs and switches in a rack.
    Rack,
    /// PEs that must or must not be on a switch.
    Placement,
}

impl List {
    /// Returns the list's key in the spec.
    pub fn key(self) -> &'static str {
        match self {
            List::Group => "node_group",
            List::Switch => "switch",
            List::Keep => "keep",
            List::Rack => "rack",
            List::Placement => "placement",
        }
    }
}

impl Draft {
    /// Opens a spec's text.
    pub fn open(text: &str) -> Draft {
        Draft { now: Arc::new(Document::default().with(text.into())), ..Draft::default() }
    }

    /// The mend with a value that no bound refuses, as far as that is quick to find.
    pub fn lasting(&self, mut mend: Mend) -> Mend {
        for _ in 0..MAX_MENDS {
            let mut mended = self.clone();
            mended.update(Action::Mend(vec![mend.clone()]));
            let spec = mended.resolve().ok().filter(|spec| spec.pes <= MAX_MENDED);
            let Some(refusal) = spec.and_then(|spec| quick_refusal(&spec, &Demand::build(&spec).ok()?))
            else {
                break;
            };
            let next = refusal.faults.into_iter().flat_map(|fault| fault.mends);
            match next.into_iter().find(|next| next.path == mend.path && *next != mend) {
                Some(next) => mend = next,
                None => break,
            }
        }
        mend
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

    /// Resolves the spec for a hardware search, where several switch models may be without a count.
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
            Action::Text(text) => self.step(self.now.with(text), Some("text".into())),
            Action::Replace(text) => self.step(self.now.with(text), None),
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
            Action::Collective { job, along, key, ref text } => {
                let typing = Some(format!("collective {job} {} {key}", along.name()));
                self.edit(typing, |form| set_collective(form, job, along, key, text));
            }
            other => self.edit(None, |form| restructure(form, other)),
        }
    }

    /// Ends the step in progress: further typing in the same field is another one.
    pub fn end_step(&mut self) {
        self.typing = None;
    }

    fn edit(&mut self, typing: Option<String>, change: impl FnOnce(&mut SpecForm)) {
        let mut form = self.now.form.clone();
        change(&mut form);
        if form == self.now.form && self.now.unreadable.is_empty() {
            return;
        }
        let text = toml::rewrite(&self.now.text, &form);
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
    /// The document of another text.
    fn with(&self, text: String) -> Document {
        match resolve::parse(&text) {
            Ok(form) => Document { form, text, unreadable: Vec::new() },
            Err(faults) => Document { form: self.form.clone(), text, unreadable: faults.0 },
        }
    }
}

/// Carries out an action that adds, removes or changes parts.
fn restructure(form: &mut SpecForm, action: Action) {
    match action {
        Action::Add(list) => add(form, list),
        Action::Remove(List::Switch, index) => remove(&mut form.switch, index),
        Action::Remove(List::Keep, index) => remove(&mut form.keep, index),
        Action::Remove(List::Placement, index) => remove(&mut form.placement, index),
        Action::Remove(List::Rack, index) => remove_rack(form, index),
        Action::Remove(List::Group, index) => {
            remove(&mut form.pe_group, index);
            if let [only] = &form.pe_group[..] {
                form.nis_per_pe.clone_from(&only.nis);
                form.pe_group.clear();
            }
        }
        Action::Racks(racks) => {
            let number = |metres: f64| format!("{metres:.2}");
            let rack = |rack: Rack| RackForm { x: number(rack.x), y: number(rack.y), ..RackForm::of(&rack) };
            form.rack = racks.into_iter().map(rack).collect();
        }
        Action::Mend(mends) => {
            for mend in mends {
                if let Some(field) = form.text_at_mut(&mend.path) {
                    *field = mend.text;
                }
            }
        }
        Action::Survive => form.pattern.iter_mut().for_each(|pattern| pattern["links"] = "2".into()),
        Action::AddPattern(kind) => form.pattern.push(fresh_pattern(&kind, &form.pes)),
        Action::RemovePattern(index) => remove(&mut form.pattern, index),
        Action::Layout { pattern, layout } => {
            let pes = form.pes.clone();
            if let Some(pattern) = form.pattern.get_mut(pattern) {
                layout.set(pattern, number(&pes));
            }
        }
        Action::Matrix { pattern, pairs, pes } => {
            if let Some(pes) = pes {
                form.pes = pes.to_string();
            }
            if pattern.is_none() {
                form.pattern.push(fresh_pattern("matrix", &form.pes));
            }
            let index = pattern.unwrap_or(form.pattern.len() - 1);
            if let Some(pattern) = form.pattern.get_mut(index) {
                pattern["pairs"] = pairs;
                pattern["file"].clear();
            }
        }
        Action::Uplink(kind) => {
            let before = form.uplink.take().unwrap_or_default();
            form.uplink = kind.map(|kind| UplinkForm { kind, ..before });
        }
        Action::Names(given) => form.names = given.then(NamesForm::default),
        Action::Start(table) => {
            let before = form.start.take().unwrap_or_default();
            form.start = table.map(|table| StartForm { table, file: String::new(), ..before });
        }
        Action::Preset(text) => {
            let Ok(preset) = resolve::parse(text) else { return };
            (form.pes, form.nis_per_pe) = (preset.pes, preset.nis_per_pe);
            form.objective = "time".into();
            form.pe_group.clear();
            (form.job, form.model, form.collective) = (preset.job, preset.model, preset.collective);
        }
        Action::OwnJob => {
            leave_time(form);
            form.job = [fresh_job()].into_iter().collect();
            form.collective.clear();
            form.model.clear();
            let fresh = fresh_model(form, 0);
            form.model.push(fresh);
        }
        Action::Job(true) => form.job = [fresh_job()].into_iter().collect(),
        Action::Job(false) => {
            leave_time(form);
            form.job.clear();
            form.model.clear();
            form.collective.clear();
            form.assumptions = None;
        }
        Action::Model(job, given) => {
            form.model.retain(|model| job_of(&model.job) != job);
            if given {
                let fresh = fresh_model(form, job);
                form.model.push(fresh);
            }
        }
        Action::Assumptions(given) => form.assumptions = given.then(EstimateForm::default),
        Action::Usual(job, along) => form.collective.retain(|collective| !is_of(collective, job, along)),
        // Actions that leave no structure to change.
        Action::Set { .. }
        | Action::Collective { .. }
        | Action::Text(_)
        | Action::Replace(_)
        | Action::Undo
        | Action::Redo => {}
    }
}

/// Without a job whose bytes are known, there is no time to search for.
fn leave_time(form: &mut SpecForm) {
    if form.objective == "time" {
        form.objective = "sparse".into();
    }
}

fn remove<T>(list: &mut Vec<T>, index: usize) {
    if index < list.len() {
        list.remove(index);
    }
}

/// Tensor parallelism inside nodes of 8 ranks, and data parallelism between them, which fits any number of nodes above 1.
fn fresh_job() -> JobForm {
    JobForm { ranks_per_pe: "8".into(), tp: "8".into(), ..JobForm::default() }
}

/// A model of 7e9 parameters, whose batch fits the replicas of the job of that number, with experts if the job spreads them.
fn fresh_model(form: &SpecForm, number: usize) -> ModelForm {
    let resolved = resolve(form, &mut NoFiles).ok();
    let job = resolved.as_ref().and_then(|spec| spec.jobs.get(number));
    let (dp, ep) = job.map_or((1, 1), |job| (job.dp, job.ep));
    let dense = ModelForm {
        job: written_job(number),
        parameters: "7e9".into(),
        layers: "32".into(),
        hidden: "4096".into(),
        sequence: "4096".into(),
        global_batch: (4 * dp).to_string(),
        ..ModelForm::default()
    };
    match ep {
        1 => dense,
        ep => ModelForm {
            active_parameters: "3.5e9".into(),
            experts: ep.max(8).to_string(),
            top_k: "2".into(),
            ..dense
        },
    }
}

/// The number of a job as a collective or a model has it: empty for the first.
fn written_job(number: usize) -> String {
    if number == 0 { String::new() } else { number.to_string() }
}

/// `true` if the collective belongs to `job` and goes along `along`.
pub fn is_of(collective: &CollectiveForm, job: usize, along: Dimension) -> bool {
    job_of(&collective.job) == job && collective.along.trim() == along.name()
}

fn set_collective(form: &mut SpecForm, job: usize, along: Dimension, key: &str, text: &str) {
    let found = form.collective.iter().position(|collective| is_of(collective, job, along));
    let at = found.unwrap_or_else(|| {
        let (along, job) = (along.name().into(), written_job(job));
        form.collective.push(CollectiveForm { job, along, ..CollectiveForm::default() });
        form.collective.len() - 1
    });
    let collective = &mut form.collective[at];
    if let Some(field) = collective.get_mut(key) {
        text.clone_into(field);
    }
    if key == "operation" {
        // An algorithm of the operation before may not do this one.
        collective.algorithm.clear();
    }
    let of_which = ["job", "along"];
    let mut others = CollectiveForm::SCHEMA.fields.iter().filter(|field| !of_which.contains(&field.key));
    if others.all(|field| collective.get(field.key).is_none_or(|text| text.trim().is_empty())) {
        form.collective.remove(at);
    }
}

/// Splits the last group, or all PEs, in two halves, so that the counts still add up.
fn add_group(form: &mut SpecForm) {
    if form.pe_group.is_empty() {
        let nis = std::mem::take(&mut form.nis_per_pe);
        form.pe_group.push(PeGroupForm::with([("count", &*form.pes), ("nics", &*nis)]));
    }
    let Some(last) = form.pe_group.last_mut() else { return };
    let count: u32 = last.count.trim().parse().unwrap_or(0);
    last.count = count.div_ceil(2).to_string();
    let mut next = last.clone();
    next.count = (count / 2).to_string();
    form.pe_group.push(next);
}

fn fresh_pattern(kind: &str, pes: &str) -> PatternForm {
    patterns::entry(kind).map_or_else(PatternForm::default, |entry| entry.form(number(pes)))
}

/// A number of nodes as typed; 0 for no number.
fn number(pes: &str) -> u32 {
    pes.trim().parse().unwrap_or(0)
}

/// A switch model without a limit.
fn add_switch(form: &mut SpecForm) {
    form.switch.push(SwitchForm { ports: "24".into(), ..SwitchForm::default() });
}

fn add(form: &mut SpecForm, list: List) {
    match list {
        List::Group => add_group(form),
        List::Switch => add_switch(form),
        List::Keep => {
            let taken: Vec<u32> = form.keep.iter().filter_map(|k| k.switch.trim().parse().ok()).collect();
            let next = (0..).find(|switch| !taken.contains(switch)).unwrap_or(0);
            form.keep.push(KeepForm::with([("switch", &*next.to_string()), ("ports", "1")]));
        }
        List::Placement => {
            form.placement.push(PlacementForm::with([("nodes", "0"), ("switches", "0"), ("kind", "on")]));
        }
        List::Rack => add_rack(form),
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
        let number = |text: &str| text.trim().parse::<u32>().unwrap_or(0);
        let sum = |a: &str, b: &str| number(a).saturating_add(number(b)).to_string();
        neighbour.pes = sum(&neighbour.pes, &gone.pes);
        neighbour.switches = sum(&neighbour.switches, &gone.switches);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::spec::job::Algorithm;

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
    fn several_models_may_lack_a_count() {
        let session = Draft::open(&SPEC.replace("[[pattern]]", "[[switch]]\nports = 12\n\n[[pattern]]"));
        assert_eq!(session.resolve().unwrap().switch_counts(), [0, 3]);
        assert_eq!(session.resolve_catalogue().unwrap().switches.len(), 2);
    }

    #[test]
    fn a_state_with_a_wiring_of_its_own_is_a_step() {
        let mut session = Draft::open(SPEC);
        for ports in ["9", "10"] {
            session.update(Action::Set { path: "switch[0].ports".into(), text: ports.into() });
            session.end_step();
        }
        session.update(Action::Undo);
        assert_eq!(session.document().form.text_at("switch[0].ports"), Some("9"));
    }

    #[test]
    fn typing_is_one_step_and_steps_go_both_ways() {
        let mut session = Draft::open(SPEC);
        ["3", "32"].iter().for_each(|t| set(&mut session, "nodes", t));
        set(&mut session, "nics_per_node", "4");
        session.update(Action::Undo);
        assert_eq!(session.document().form.nis_per_pe, "2");
        session.update(Action::Undo);
        assert_eq!((session.document().form.pes.as_str(), session.can_undo()), ("16", false));
        assert_eq!(session.document().text, SPEC);
        session.update(Action::Redo);
        assert_eq!((session.document().form.pes.as_str(), session.can_redo()), ("32", true));
        set(&mut session, "nodes", "64");
        assert!(!session.can_redo());
    }

    #[test]
    fn an_unreadable_text_leaves_the_form_alone() {
        let mut session = Draft::open(SPEC);
        session.update(Action::Text("pes = \n".into()));
        assert_eq!(session.document().form.pes, "16");
        assert!(session.resolve().unwrap_err().0[0].path.contains("line 1"));
        set(&mut session, "nodes", "8");
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
        session.update(Action::Add(List::Group));
        session.update(Action::Add(List::Group));
        let spec = session.resolve().unwrap();
        assert_eq!(spec.pe_groups.iter().map(|g| g.count).collect::<Vec<_>>(), [8, 4, 4]);
        session.update(Action::Remove(List::Group, 0));
        session.update(Action::Remove(List::Group, 0));
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
    fn a_new_switch_model_has_no_limit() {
        let counts = |draft: &Draft| -> Vec<String> {
            draft.document().form.switch.iter().map(|switch| switch.count.clone()).collect()
        };
        let mut machine = Draft::open(SPEC);
        machine.update(Action::Add(List::Switch));
        assert_eq!(counts(&machine), ["", ""], "neither stock has a limit");
        assert!(machine.resolve().is_ok());
    }

    #[test]
    fn added_parts_are_valid_at_once() {
        let mut session = Draft::open(SPEC);
        session.update(Action::AddPattern("torus".into()));
        session.update(Action::Add(List::Switch));
        session.update(Action::Matrix { pattern: None, pairs: "0 1\n2 3 5\n".into(), pes: None });
        assert_eq!(session.resolve().unwrap().patterns.len(), 3);
        let layouts =
            [(Layout::Sizes, "4x4"), (Layout::All, ""), (Layout::Sizes, "4x4"), (Layout::Balanced, "")];
        for (layout, dims) in layouts {
            session.update(Action::Layout { pattern: 1, layout });
            let pattern = &session.document().form.pattern[1];
            assert_eq!((pattern["dims"].as_str(), Layout::of(pattern)), (dims, layout));
            assert!(session.resolve().is_ok(), "{layout:?}");
        }
        session.update(Action::RemovePattern(9));
        session.update(Action::RemovePattern(0));
        assert_eq!(session.document().form.pattern[0]["kind"], "torus");
    }

    #[test]
    fn added_rules_are_valid_at_once() {
        let mut session = Draft::open(SPEC);
        let rules = [List::Keep, List::Rack, List::Rack, List::Rack, List::Placement];
        for action in rules.map(Action::Add).into_iter().chain([Action::Uplink(Some("separate".into()))]) {
            session.update(action.clone());
            assert!(session.resolve().is_ok(), "{action:?}: {:?}", session.resolve());
        }
        let spec = session.resolve().unwrap();
        assert_eq!(spec.racks.iter().map(|r| r.pes).collect::<Vec<_>>(), [8, 4, 4]);
        assert_eq!((spec.kept.len(), spec.placements.len(), spec.uplink.is_some()), (1, 1, true));
        for index in [1, 0, 0] {
            session.update(Action::Remove(List::Rack, index));
            assert!(session.resolve().is_ok(), "{index}");
        }
        session.update(Action::Remove(List::Keep, 0));
        session.update(Action::Remove(List::Placement, 0));
        session.update(Action::Remove(List::Placement, 9));
        session.update(Action::Uplink(None));
        assert_eq!(session.resolve().unwrap(), Draft::open(SPEC).resolve().unwrap());
    }

    #[test]
    fn added_jobs_and_models_are_valid_at_once() {
        let mut session = Draft::open(SPEC);
        session.update(Action::AddPattern("groups".into()));
        let pattern = &session.document().form.pattern[1];
        assert_eq!((pattern["dims"].as_str(), pattern["along"].as_str()), ("4x4", "1"));
        assert!(session.resolve().is_ok());
        session.update(Action::Job(true));
        session.update(Action::Model(0, true));
        assert_eq!(session.resolve().unwrap().patterns.len(), 3, "rings of data parallelism are added");
        set(&mut session, "job.ep", "4");
        session.update(Action::Model(0, true));
        assert_eq!(session.resolve().unwrap().jobs[0].model.as_ref().unwrap().experts, 8);
        session.update(Action::Assumptions(true));
        set(&mut session, "assumptions.teraflops", "100");
        assert_eq!(session.resolve().unwrap().assumptions.teraflops, 100.0);
        session.update(Action::Job(false));
        assert_eq!(session.resolve().unwrap().patterns.len(), 2);
        for pes in [2, 3, 7, 1009] {
            let text = SPEC.replace("pes = 16", &format!("pes = {pes}")).replace("ports = 8", "ports = 24");
            let mut session = Draft::open(&text);
            [Action::Job(true), Action::Model(0, true), Action::AddPattern("groups".into())]
                .into_iter()
                .for_each(|action| session.update(action));
            assert!(session.resolve().is_ok(), "{pes}: {:?}", session.resolve());
        }
    }

    #[test]
    fn a_collective_is_written_while_it_is_not_the_usual_one() {
        let mut session = Draft::open(SPEC);
        session.update(Action::Job(true));
        let collective = |key: &'static str, text: &str| Action::Collective {
            job: 0,
            along: Dimension::Dp,
            key,
            text: text.into(),
        };
        session.update(collective("algorithm", "tree"));
        assert!(session.document().text.contains("[[collective]]"));
        assert_eq!(session.resolve().unwrap().jobs[0].collectives[0].algorithm, Algorithm::Tree);
        // A tree gathers nothing.
        session.update(collective("operation", "gather-scatter"));
        assert_eq!(session.resolve().unwrap().jobs[0].collectives[0].algorithm, Algorithm::Ring);
        session.update(collective("operation", ""));
        assert!(!session.document().text.contains("collective"));
        session.update(collective("bytes", "1"));
        session.update(collective("bytes", "1e9"));
        session.update(Action::Undo);
        assert!(!session.document().text.contains("collective"), "typing is one step");
        session.update(Action::Redo);
        session.update(Action::Usual(0, Dimension::Dp));
        assert!(session.document().form.collective.is_empty());
    }

    #[test]
    fn each_new_rule_takes_another_switch() {
        let mut session = Draft::open(SPEC);
        (0..3).for_each(|_| session.update(Action::Add(List::Keep)));
        session.update(Action::Remove(List::Keep, 1));
        session.update(Action::Add(List::Keep));
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

    #[test]
    fn an_edit_of_one_job_keeps_the_others() {
        let text = "pes = 8\nnis_per_pe = 2\n\n[[switch]]\nports = 8\n\n# large\n[[job]]\nshare = 0.75\nranks_per_pe = 2\n\n\
                    # small\n[[job]]\nranks_per_pe = 2\n";
        let mut session = Draft::open(text);
        set(&mut session, "job[1].ranks_per_node", "1");
        assert_eq!(
            session.document().text,
            "nodes = 8\nnics_per_node = 2\n\n[[switch]]\nports = 8\n\n# large\n[[job]]\nshare = 0.75\nranks_per_node = 2\n\n\
             # small\n[[job]]\nranks_per_node = 1\n"
        );
        session.update(Action::Model(1, true));
        let bytes = |job, text: &str| Action::Collective {
            job,
            along: Dimension::Dp,
            key: "bytes",
            text: text.into(),
        };
        session.update(bytes(1, "8e9"));
        session.update(bytes(0, "4e9"));
        let spec = session.resolve().unwrap();
        assert_eq!((spec.jobs[0].model.is_none(), spec.jobs[1].model.is_some()), (true, true));
        let found: Vec<_> = spec.jobs.iter().map(|job| job.collectives[0].bytes).collect();
        assert_eq!(found, [Some(4e9), Some(8e9)]);
        let form = &session.document().form;
        assert_eq!(crate::state::job::product(form, 0).unwrap(), "1 × 1 × 12 × 1 = 12 of 12 ranks");
        assert_eq!(crate::state::job::product(form, 1).unwrap(), "1 × 1 × 2 × 1 = 2 of 2 ranks");
        session.update(Action::Usual(1, Dimension::Dp));
        session.update(Action::Model(1, false));
        let left = session.resolve().unwrap();
        assert_eq!((left.jobs[0].collectives.len(), left.jobs[1].collectives.len()), (1, 0));
        session.update(Action::Job(false));
        assert!(session.document().form.job.is_empty() && session.document().form.collective.is_empty());
    }
}
