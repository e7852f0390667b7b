//! 6. A spec as written to one that is valid by construction, or every fault.
//!
//! All fields are read before anything is refused; nothing that depends on a faulty field is checked. If there are
//! faults, contradictory placements are listed with them.

pub mod conflicts;
mod hardware;
mod job;
mod names;
mod pattern;
mod start;

use crate::spec::{
    Fault, Faults, MAX_ENTRIES, MAX_PATTERNS, MAX_PORTS, MAX_SWITCHES, Objective, Parameters, Pattern,
    PeGroup, Spec, SpecForm, SwitchForm, SwitchModel, assumptions::EstimateSettings, job::Job, patterns,
};
use crate::{
    demand::{self, MAX_UNIVERSAL_PES},
    design::Names,
    form::{Described, Form, Reader, Record, known, says, toml},
    text::grouped,
};
use std::borrow::Cow;

/// Reader of the `file` of a matrix or an existing wiring. Only the program's edge knows files.
pub trait MatrixFiles {
    /// The text of the file, or a sentence that says why it cannot be read and what to do.
    fn read(&mut self, path: &str) -> Result<String, String>;

    /// Reads the file of a wiring of nodes with these names.
    fn read_wiring(&mut self, path: &str, _nodes: &Names) -> Result<String, String> {
        self.read(path)
    }
}

/// For places that have no files, such as the browser.
pub struct NoFiles;

impl MatrixFiles for NoFiles {
    fn read(&mut self, _path: &str) -> Result<String, String> {
        Err("only the command line reads files; give `pairs` instead.".into())
    }

    fn read_wiring(&mut self, _path: &str, _nodes: &Names) -> Result<String, String> {
        Err("only the command line reads files; give `table` instead.".into())
    }
}

/// Parses a spec file. If the syntax is valid, the errors also list faults of values. Errors: as of [`toml::parse`].
pub fn parse(text: &str) -> Result<SpecForm, Faults> {
    toml::parse(text, "spec", |form| faults(resolve(form, &mut NoFiles)))
}

/// [`parse()`] for a search over hardware: as [`resolve_catalogue()`] takes it. Errors: as of [`parse()`].
pub fn parse_catalogue(text: &str) -> Result<SpecForm, Faults> {
    toml::parse(text, "spec", |form| faults(resolve_catalogue(form, &mut NoFiles)))
}

fn faults(resolved: Result<Spec, Faults>) -> Vec<Fault> {
    resolved.err().map_or_else(Vec::new, |faults| faults.0)
}

/// Parses and resolves a spec file. Errors: as of [`parse()`] and [`resolve()`].
pub fn read(text: &str, files: &mut dyn MatrixFiles) -> Result<Spec, Faults> {
    resolve(&parse(text)?, files)
}

/// Parses and resolves a spec file for a search over hardware.
///
/// # Errors
/// Errors of [`parse_catalogue()`] and [`resolve_catalogue()`].
pub fn read_catalogue(text: &str, files: &mut dyn MatrixFiles) -> Result<Spec, Faults> {
    resolve_catalogue(&parse_catalogue(text)?, files)
}

/// Checks every rule. Errors: all broken rules, each with its path, value and what would do.
pub fn resolve(form: &SpecForm, files: &mut dyn MatrixFiles) -> Result<Spec, Faults> {
    resolve_for(Purpose::Machine, form, files)
}

/// [`resolve()`] for a hardware search, whose switches are a catalogue: any number of models may have no count.
///
/// # Errors
/// All broken rules, as of [`resolve()`].
pub fn resolve_catalogue(form: &SpecForm, files: &mut dyn MatrixFiles) -> Result<Spec, Faults> {
    resolve_for(Purpose::Catalogue, form, files)
}

/// The normal form of a spec, which stands alone: plain digits, no defaults, a matrix's pairs and a wiring's table inline.
pub fn form_of(spec: &Spec) -> SpecForm {
    let mut form = SpecForm::short_of(spec);
    // Written even if it is the default.
    spec.objective.write(&mut form, "objective");
    write_groups(spec, &mut form);
    form.switch = forms(&spec.switches);
    form.pattern = spec.own_patterns().iter().map(patterns::form).collect();
    hardware::write(spec, &mut form);
    names::write(spec, &mut form);
    start::write(spec, &mut form);
    job::write(spec, &mut form);
    form
}

/// The entries of a table, defaults left out.
fn forms<F: Described>(records: &[impl Record]) -> Vec<F> {
    records.iter().map(|record| F::short_of(record)).collect()
}

#[derive(Clone, Copy, PartialEq)]
enum Purpose {
    /// Models of one machine.
    Machine,
    /// Models of a catalogue: the search chooses one.
    Catalogue,
}

fn resolve_for(purpose: Purpose, form: &SpecForm, files: &mut dyn MatrixFiles) -> Result<Spec, Faults> {
    let mut reader = Reader::default();
    let own = reader.sound(form, "");
    let (pes, mut objective) = (known(form, "nodes"), known(form, "objective"));
    let pe_groups = groups(form, pes, &mut reader);
    let switches = switches(form, &mut reader);
    let nis = pe_groups.as_deref().and_then(|groups| groups.iter().map(|group| group.nis).max());
    let machine = machine(purpose, form, own, pe_groups, switches, &mut reader);
    let jobs = job::jobs(form, pes, files, &mut reader);
    let assumptions = assumptions(form, &mut reader);
    let patterns = patterns(form, objective, pes, nis, files, &mut reader)
        .and_then(|patterns| with_jobs(patterns, jobs.as_ref()?, objective, &mut reader));
    if let (Some(jobs), Some(patterns)) = (&jobs, &patterns) {
        objective = timed(form, objective, jobs, patterns, &mut reader);
    }
    if let (Some(pes), Some(Objective::Universal)) = (pes, objective)
        && pes > MAX_UNIVERSAL_PES
    {
        let expected =
            format!("at most {} nodes for the universal objective", grouped(MAX_UNIVERSAL_PES.into()));
        reader.form(form, "").fault::<()>("nodes", expected);
    }
    let nodes = machine.as_ref().map_or_else(
        || Names::new(pes.unwrap_or(0), 0),
        |machine| Names::sized(&machine.spec, machine.spec.pes, 0),
    );
    let old = start::read(form, pes, &nodes, files, &mut reader);
    let whole = machine.as_ref().filter(|machine| machine.whole).map(|machine| &machine.spec);
    // An existing wiring may use further switches of a model without a count.
    let grown = old.as_ref().zip(whole).map(|(old, whole)| match old {
        Some(old) => whole.grown(old.switches()),
        None => Cow::Borrowed(whole),
    });
    let further = grown.as_ref().map_or(0, |spec| spec.further);
    let start =
        old.map(|old| old.zip(grown.as_deref()).map(|(old, spec)| start::fit(old, spec, &mut reader)));
    if let Some(machine) = machine.as_ref().filter(|_| !reader.faults.is_empty()) {
        // A spec without faults is asked for these when its bounds are.
        reader.faults.extend(conflicts::contradictions(&hardware::sound(&machine.spec)));
    }
    if let Some(faults) = Faults::of(reader.faults) {
        return Err(faults);
    }
    match (machine, start, objective, patterns, jobs, assumptions) {
        (Some(machine), Some(start), Some(objective), Some(patterns), Some(jobs), Some(assumptions)) => {
            Ok(Spec { objective, patterns, start, jobs, assumptions, further, ..machine.spec })
        }
        _ => unreachable!("a missing part has a fault"),
    }
}

/// A spec that has its hardware, and nothing to do with it yet.
struct Machine {
    spec: Spec,
    /// `true` if all of it could be read; defaults replace the rest.
    whole: bool,
}

/// The hardware, held against itself where it is whole. `None` if the number of switches is unknown.
fn machine(
    purpose: Purpose,
    form: &SpecForm,
    own: Option<Spec>,
    pe_groups: Option<Vec<PeGroup>>,
    switches: Option<Vec<SwitchModel>>,
    reader: &mut Reader,
) -> Option<Machine> {
    let pes = own.as_ref().map(|own| own.pes);
    let kept = hardware::kept(form, reader);
    let uplink = hardware::uplink(form, reader);
    let racks = hardware::racks(form, pes, reader);
    let placements = hardware::placements(form, pes, reader);
    let names = names::read(form, &mut *reader);
    let whole = kept.is_some() && uplink.is_some() && known::<bool>(form, "rail").is_some();
    let spec = Spec {
        pe_groups: pe_groups?,
        switches: switches?,
        uplink: uplink.flatten(),
        kept: kept.unwrap_or_default(),
        placements: placements.unwrap_or_default(),
        racks: racks.unwrap_or_default(),
        names: names.unwrap_or_default(),
        ..own?
    };
    names::fit(form, &spec, reader);
    bound_switches(&spec, reader)?;
    if whole && purpose == Purpose::Machine {
        hardware::fit(form, &spec, reader);
    }
    Some(Machine { spec, whole })
}

/// The assumptions; the defaults without a table.
fn assumptions(form: &SpecForm, reader: &mut Reader) -> Option<EstimateSettings> {
    // Without a job, the whole table is the fault.
    let Some(written) = form.assumptions.as_ref().filter(|_| !form.job.is_empty()) else {
        return Some(EstimateSettings::default());
    };
    EstimateSettings::read(&mut reader.form(written, "assumptions."), "")
}

/// The objective once the traffic is known: time for a job with known bytes that has none, and a fault for time without bytes.
fn timed(
    form: &SpecForm,
    objective: Option<Objective>,
    jobs: &[Job],
    patterns: &[Pattern],
    reader: &mut Reader,
) -> Option<Objective> {
    let silent = jobs.iter().enumerate().find_map(|(at, job)| Some((at, demand::job::without_bytes(job)?)));
    if objective != Some(Objective::Time) {
        let is_timed = form.objective.trim().is_empty()
            && !jobs.is_empty()
            && silent.is_none()
            && patterns.iter().all(|pattern| pattern.extra == 0);
        return if is_timed { Some(Objective::Time) } else { objective };
    }
    let is_measured = |pattern: &Pattern| matches!(pattern.kind.parameters, Parameters::Matrix(_));
    let sentence = match (jobs, silent) {
        ([_, ..], None) => return objective,
        ([_], Some((_, dimension))) => format!(
            "needs the bytes of `{0}`; give the model's shape in [model], or `bytes` in a [[collective]] along `{0}`.",
            dimension.name()
        ),
        ([_, ..], Some((job, dimension))) => format!(
            "needs the bytes of `{0}` of job {job}; give a [[model]] or a [[collective]] along `{0}` with `bytes`, each with `job = {job}`.",
            dimension.name()
        ),
        ([], _) if patterns.iter().all(is_measured) => return objective,
        ([], _) => {
            "`time` needs a [job] with known bytes, or measured traffic alone (patterns of kind `matrix`); else use `sparse`.".into()
        }
    };
    reader.fault("objective", "time", says(sentence))
}

fn groups(form: &SpecForm, pes: Option<u32>, reader: &mut Reader) -> Option<Vec<PeGroup>> {
    if form.pe_group.is_empty() {
        let nis = reader.form(form, "").whole("nics_per_node");
        return Some(vec![PeGroup::of(pes?, nis?)]);
    }
    if !form.nis_per_pe.trim().is_empty() {
        reader.form(form, "").besides::<()>("nics_per_node", "node_group");
    }
    if form.pe_group.len() > MAX_ENTRIES {
        let expected = format!("at most {} groups", grouped(MAX_ENTRIES as u64));
        return reader.fault("node_group", form.pe_group.len(), expected);
    }
    let numbered = form.pe_group.iter().enumerate();
    let groups: Vec<Option<PeGroup>> = numbered
        .map(|(index, group)| PeGroup::read(&mut reader.form(group, format!("node_group[{index}].")), ""))
        .collect();
    let groups: Vec<PeGroup> = groups.into_iter().collect::<Option<_>>()?;
    let total: u64 = groups.iter().map(|group| u64::from(group.count)).sum();
    if total != u64::from(pes?) {
        let sentence = format!("the counts add up to {total} nodes, but the spec has {}.", pes?);
        return reader.fault("node_group", total, says(sentence));
    }
    Some(groups)
}

fn write_groups(spec: &Spec, form: &mut SpecForm) {
    match spec.pe_groups[..] {
        [all] => form.put("nics_per_node", all.nis),
        _ => form.pe_group = forms(&spec.pe_groups),
    }
}

fn switches(form: &SpecForm, reader: &mut Reader) -> Option<Vec<SwitchModel>> {
    if form.switch.is_empty() {
        return reader.fault("switch", "", says("missing; add at least one [[switch]] with its `ports`."));
    }
    if form.switch.len() > MAX_ENTRIES {
        let expected = format!("at most {} models", grouped(MAX_ENTRIES as u64));
        return reader.fault("switch", form.switch.len(), expected);
    }
    // All are read before one without a value ends it, so that each has its faults.
    let numbered = form.switch.iter().enumerate();
    let models: Vec<_> =
        numbered.map(|(index, switch)| model(switch, &format!("switch[{index}]."), reader)).collect();
    models.into_iter().collect()
}

fn model(form: &SwitchForm, prefix: &str, reader: &mut Reader) -> Option<SwitchModel> {
    // With unknown ports any reserve is taken that some switch could have.
    let most = known(form, "ports").unwrap_or(MAX_PORTS) - 1;
    SwitchModel::read(reader.form(form, prefix).within("reserve", 0, most.into()), "")
}

fn patterns(
    form: &SpecForm,
    objective: Option<Objective>,
    pes: Option<u32>,
    nis: Option<u32>,
    files: &mut dyn MatrixFiles,
    reader: &mut Reader,
) -> Option<Vec<Pattern>> {
    // Tables of a job that is missing have faults of their own.
    let wants_job = !form.model.is_empty() || !form.collective.is_empty();
    let is_empty = form.pattern.is_empty() && form.job.is_empty() && !wants_job;
    if is_empty && objective.is_some_and(|o| o != Objective::Universal) {
        let sentence = "missing; add a [[pattern]] or a [job], or set `objective = \"universal\"`.";
        return reader.fault("pattern", "", says(sentence));
    }
    if form.pattern.len() > MAX_PATTERNS {
        return reader.fault("pattern", form.pattern.len(), format!("at most {MAX_PATTERNS} patterns"));
    }
    let mut patterns = Vec::with_capacity(form.pattern.len());
    for (index, written) in form.pattern.iter().enumerate() {
        let mut fields = reader.form(written, format!("pattern[{index}]."));
        patterns.push(pattern::Rules { pes, nis, objective }.resolve(written, &mut fields, files));
    }
    patterns.into_iter().collect()
}

/// The patterns and, after them, those of the jobs.
fn with_jobs(
    mut patterns: Vec<Pattern>,
    jobs: &[Job],
    objective: Option<Objective>,
    reader: &mut Reader,
) -> Option<Vec<Pattern>> {
    if jobs.is_empty() {
        return Some(patterns);
    }
    patterns.extend(jobs.iter().flat_map(demand::job::patterns));
    if patterns.is_empty() && objective != Some(Objective::Universal) {
        return reader.fault(
            "job",
            "",
            says("every group is inside one node; add a group that spans nodes, or a pattern."),
        );
    }
    if patterns.len() > MAX_PATTERNS {
        let expected = format!("at most {MAX_PATTERNS} patterns, with the patterns of jobs");
        return reader.fault("pattern", patterns.len(), expected);
    }
    Some(patterns)
}

/// Refuses what would exhaust memory: a switch takes a few bytes even if nothing is on it.
fn bound_switches(spec: &Spec, reader: &mut Reader) -> Option<()> {
    let all: u64 = spec.counts().iter().sum();
    if all <= u64::from(MAX_SWITCHES) {
        return Some(());
    }
    let expected = format!("at most {} switches in all", grouped(MAX_SWITCHES.into()));
    reader.fault("switch", grouped(all), expected)
}
