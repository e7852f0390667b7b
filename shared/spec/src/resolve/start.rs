//! The existing wiring: its table, its fit to the hardware, and its writing.

use super::MatrixFiles;
use crate::{
    design::{
        Design, Names,
        table::{self, MAX_FAULTS},
    },
    form::{Described, LineFault, Reader, Record, known, says},
    spec::{Spec, SpecForm, Start, StartForm},
    text::count,
};

/// A wiring as read, with what it takes to tell where something stands in it.
pub(super) struct StartWiring {
    start: Start,
    lines: Vec<usize>,
    path: &'static str,
}

pub(super) fn read(
    form: &SpecForm,
    pes: Option<u32>,
    nodes: &Names,
    files: &mut dyn MatrixFiles,
    reader: &mut Reader,
) -> Option<Option<StartWiring>> {
    let Some(start) = &form.start else { return Some(None) };
    let mut fields = reader.form(start, "start.");
    let own = Start::read(&mut fields, "");
    let renumbers = known(start, "renumber") == Some(true);
    if renumbers && fields.is_given("moves") {
        fields.unwanted::<()>("moves", "with `renumber`, no cable moves");
    }
    if renumbers && !form.placement.is_empty() {
        fields.unwanted::<()>("renumber", "renumbering would permute the nodes of each [[placement]]");
    }
    let (file, inline) = (start.file.trim(), start.table.trim());
    let read;
    let (path, text) = match (file.is_empty(), inline.is_empty()) {
        (true, true) => {
            return fields.fault("table", "lines of `switch: node node node`, or a `file` of them");
        }
        (false, false) => return fields.besides("file", "table"),
        (true, false) => ("start.table", &start.table),
        (false, true) => match files.read_wiring(file, nodes) {
            Ok(text) => {
                read = text;
                ("start.file", &read)
            }
            Err(sentence) => return fields.fault("file", says(sentence)),
        },
    };
    let switches = wiring(path, text, pes?, reader)?;
    let lines = lines(text, switches.len());
    Some(Some(StartWiring { start: Start { switches: switches.into(), ..own? }, lines, path }))
}

pub(super) fn write(spec: &Spec, form: &mut SpecForm) {
    let table =
        |start: &Start| table::write(&Design::from_switches(spec.pes, start.switches.iter().cloned()));
    form.start =
        spec.start.as_ref().map(|start| StartForm { table: table(start), ..StartForm::short_of(start) });
}

/// The PEs of each switch, up to the last switch that has any.
fn wiring(path: &str, text: &str, pes: u32, reader: &mut Reader) -> Option<Vec<Vec<u32>>> {
    let design = match table::parse(text, pes) {
        Ok(design) => design,
        Err(faults) => {
            reader.faults.extend(faults.into_iter().map(|fault| fault.at(path)));
            return None;
        }
    };
    let mut switches: Vec<Vec<u32>> = design.switches().map(<[u32]>::to_vec).collect();
    switches.truncate(switches.iter().rposition(|members| !members.is_empty()).map_or(0, |last| last + 1));
    if switches.is_empty() {
        return reader.fault(path, "", says("has no cables; put at least one node on a switch."));
    }
    Some(switches)
}

/// The line of each switch of a table that is whole.
fn lines(text: &str, switches: usize) -> Vec<usize> {
    let mut lines = vec![0; switches];
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let head = line.split('#').next().and_then(|content| content.split_once(':'));
        if let Some(switch) = head.and_then(|(head, _)| head.trim().parse::<usize>().ok())
            && let Some(place) = lines.get_mut(switch)
        {
            *place = index + 1;
        }
    }
    lines
}

impl StartWiring {
    /// Number of switches, up to the last that has a node.
    pub(super) fn switches(&self) -> u32 {
        u32::try_from(self.start.switches.len()).unwrap_or(u32::MAX)
    }
}

/// Checks a wiring against ports and NIs.
pub(super) fn fit(old: StartWiring, spec: &Spec, reader: &mut Reader) -> Start {
    let mut faults: Vec<LineFault> = Vec::new();
    let usable = spec.usable_ports();
    for (switch, members) in old.start.switches.iter().enumerate() {
        let (line, has) = (old.lines[switch], members.len());
        let sentence = match usable.get(switch) {
            None if has > 0 => format!(
                "there is no switch {switch}; the spec allows {} (0 to {}).",
                usable.len(),
                usable.len().max(1) - 1
            ),
            Some(&ports) if has > ports as usize => {
                format!("switch {switch} has {has} nodes but only {ports} usable ports.")
            }
            _ => continue,
        };
        faults.push(LineFault::new(line, "", says(sentence)));
    }
    faults.extend(crowded(&old, spec));
    faults.extend(off_rails(&old, spec));
    faults.sort_by_key(|fault| fault.line);
    faults.truncate(MAX_FAULTS);
    reader.faults.extend(faults.into_iter().map(|fault| fault.at(old.path)));
    old.start
}

/// Under `rail`, PEs twice on one plane or on a plane for which they have no NI, each at the line that is one too many.
fn off_rails(old: &StartWiring, spec: &Spec) -> Vec<LineFault> {
    let Some(each) = spec.switches_per_plane() else { return Vec::new() };
    let nis: Vec<u32> = spec.nis_per_pe().collect();
    // The last switch of each PE: switches of one plane follow each other.
    let mut last: Vec<Option<u32>> = vec![None; nis.len()];
    let mut faults = Vec::new();
    for (switch, (&line, members)) in (0..).zip(old.lines.iter().zip(old.start.switches.iter())) {
        let plane = switch / each;
        for &pe in members {
            let before = last[pe as usize].replace(switch).filter(|before| before / each == plane);
            if faults.len() == MAX_FAULTS || plane >= spec.planes() {
                return faults;
            }
            let has = nis[pe as usize];
            if let Some(before) = before {
                let sentence = format!(
                    "node {pe} is on switches {before} and {switch} of plane {plane}; with `rail`, it can be on one."
                );
                faults.push(LineFault::new(line, "", says(sentence)));
            } else if plane >= has {
                let sentence = format!(
                    "node {pe} cannot be on switch {switch}; with `rail` and {}, it can use switches 0 to {}.",
                    count(u64::from(has), "NIC"),
                    has * each - 1
                );
                faults.push(LineFault::new(line, "", says(sentence)));
            }
        }
    }
    faults
}

/// PEs on more switches than they have NIs, each at the line that is one too many.
fn crowded(old: &StartWiring, spec: &Spec) -> Vec<LineFault> {
    let nis: Vec<u32> = spec.nis_per_pe().collect();
    let mut used = vec![0u32; nis.len()];
    let mut faults = Vec::new();
    for (&line, members) in old.lines.iter().zip(old.start.switches.iter()) {
        for &pe in members {
            used[pe as usize] += 1;
            if used[pe as usize] == nis[pe as usize] + 1 && faults.len() < MAX_FAULTS {
                let (on, has) = (used[pe as usize], nis[pe as usize]);
                let sentence = format!("node {pe} is on {on} switches but has {}.", count(has as u64, "NIC"));
                faults.push(LineFault::new(line, "", says(sentence)));
            }
        }
    }
    faults
}
