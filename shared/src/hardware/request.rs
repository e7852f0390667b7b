//! What a board asks for: whether it can be searched at all, and the spec of each cell.

use super::{Cell, HardwareRequest, MAX_CELL_NIS, MAX_CELLS, catalogue::widths};
use crate::{
    form::toml,
    resolve::form_of,
    search::Budget,
    spec::{Fault, MAX_NIS, MAX_PORTS, MAX_SWITCHES, Objective, PeGroup, Spec, SwitchModel},
    text::grouped,
};

/// Most islands that a search has.
const MAX_ISLANDS: u32 = 256;

/// The spec of one cell: the same PEs, patterns and prices, with so many NIs a PE and as many switches of one model as give
/// each NI a port, or all in stock where those are fewer.
pub fn cell_spec(spec: &Spec, nis: u32, model: &SwitchModel) -> Spec {
    let cell = Spec {
        pe_groups: vec![PeGroup { count: spec.pes, nis }],
        switches: vec![SwitchModel { count: None, ..*model }],
        ..spec.clone()
    };
    match model.count.filter(|stock| *stock < cell.switch_budget()) {
        Some(stock) => build_spec(&cell, stock),
        None => cell,
    }
}

/// A cell's spec as a file.
pub fn cell_text(cell: &Spec) -> String {
    toml::write(&form_of(cell))
}

/// The spec of a cell whose wiring needs so many switches: no more are bought.
pub fn build_spec(cell: &Spec, switches: u32) -> Spec {
    let bought = |model: &SwitchModel| SwitchModel { count: Some(switches), ..*model };
    Spec { switches: cell.switches.iter().map(bought).collect(), ..cell.clone() }
}

impl Cell {
    /// The spec of this cell of a board, which its wiring is handed out with: of one that is solved, with the switches that
    /// the wiring needs and no more; of another with as many as it is known to need, where those are more than give each
    /// NI a port.
    pub fn spec(&self, spec: &Spec, model: &SwitchModel) -> Spec {
        let cell = cell_spec(spec, self.nis, model);
        let takes_more = model.count.is_none() && self.switches > cell.switch_budget();
        if self.state.is_solved() || takes_more { build_spec(&cell, self.switches) } else { cell }
    }
}

/// Why the switches of a cell and the spares do not find a port each on its uplink switch, if they do not.
pub fn crowded(cell: &Spec) -> Option<String> {
    let (uplink, budget) = (cell.uplink?, cell.switch_budget());
    let folded = cell.uplink_switch().and_then(|switch| cell.model_of(switch));
    let (others, most) = folded.map_or((budget, MAX_PORTS), |model| (budget - 1, model.ports - 1));
    (u64::from(others) + u64::from(uplink.spares) > u64::from(most)).then(|| {
        let spares = uplink.spares;
        format!("{others} switches and {spares} spares are to be on the uplink switch, which takes {most}")
    })
}

/// What is wrong with the fields of a board whatever its spec is: numbers of NIs, widths, budgets, islands. Paths are those
/// of [`StartBoard`](crate::api::StartBoard).
pub fn field_faults(nis: (u32, u32), ports: &str, budgets: [(&str, Budget); 2], threads: u32) -> Vec<Fault> {
    let mut faults = nis_faults(nis);
    if !ports.trim().is_empty() {
        faults.extend(widths(ports).err().into_iter().flatten());
    }
    faults.extend(budgets.into_iter().filter_map(unlimited));
    faults.extend(island_fault(threads));
    faults
}

fn nis_faults((from, to): (u32, u32)) -> Vec<Fault> {
    let mut faults = Vec::new();
    if !(1..=MAX_NIS).contains(&from) {
        faults.push(Fault::new("nis_from", from, format!("1 to {MAX_NIS}")));
    }
    if !(1..=MAX_NIS).contains(&to) || to < from {
        faults.push(Fault::new("nis_to", to, format!("{} to {MAX_NIS}", from.clamp(1, MAX_NIS))));
    }
    faults
}

fn island_fault(threads: u32) -> Option<Fault> {
    let is_right = (1..=MAX_ISLANDS).contains(&threads);
    (!is_right).then(|| Fault::new("threads", threads, format!("1 to {MAX_ISLANDS}")))
}

/// What a spec asks for that means nothing where switches differ from cell to cell: each with what would do instead.
pub fn unsuited(spec: &Spec) -> Vec<Fault> {
    let mut faults = Vec::new();
    if spec.objective == Objective::Fractional {
        let expected = "sparse or universal: a search over hardware asks what is enough for every pair";
        faults.push(Fault::new("objective", "fractional", expected));
    }
    if spec.pe_groups.iter().any(|group| group.nis != spec.pe_groups[0].nis) {
        let found = format!("a list of {} with different `nis`", spec.pe_groups.len());
        let expected = "groups of equal `nis`, or `nis_per_pe`: a search over hardware gives all PEs as many NIs as its row has";
        faults.push(Fault::new("pe_group", found, expected));
    }
    let given = [
        ("keep", spec.kept.len()),
        ("placement", spec.placements.len()),
        ("rack", spec.racks.len()),
        ("start", usize::from(spec.start.is_some())),
    ];
    for (path, number) in given.into_iter().filter(|(_, number)| *number > 0) {
        let expected = "nothing in a search over hardware, where switches differ from cell to cell";
        faults.push(Fault::new(path, format!("a list of {number}"), expected));
    }
    faults
}

impl HardwareRequest {
    /// Every reason not to search: fields out of their range, and what the spec asks for that no board can have. Paths are
    /// those of [`StartBoard`](crate::api::StartBoard).
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults = unsuited(&self.spec);
        let nis = nis_faults((self.nis_from, self.nis_to));
        let in_range = nis.is_empty();
        faults.extend(nis);
        if in_range {
            faults.extend(self.size());
        }
        faults.extend([("cell", self.cell), ("total", self.total)].into_iter().filter_map(unlimited));
        faults.extend(island_fault(self.threads));
        if self.demand.pes() != self.spec.pes {
            let found = format!("a demand of {} PEs", self.demand.pes());
            faults.push(Fault::new("spec", found, format!("one of {} PEs", self.spec.pes)));
        }
        faults
    }

    /// What would take too much memory.
    fn size(&self) -> Option<Fault> {
        let rows = u64::from(self.nis_to - self.nis_from + 1);
        let columns = self.catalogue.len() as u64;
        if columns == 0 {
            return Some(Fault::new("ports", "", "at least one switch model"));
        }
        if rows * columns > MAX_CELLS as u64 {
            let found = format!("{columns} widths with {rows} numbers of NIs");
            return Some(Fault::new("ports", found, format!("at most {MAX_CELLS} cells in all")));
        }
        let nis: u64 = (self.nis_from..=self.nis_to).map(u64::from).sum();
        let all = nis * columns * u64::from(self.spec.pes);
        if all > MAX_CELL_NIS {
            let found = format!("{} NIs in all cells together", grouped(all));
            let expected = format!("at most {}: fewer widths, or fewer NIs", grouped(MAX_CELL_NIS));
            return Some(Fault::new("nis_to", found, expected));
        }
        let most = |model| cell_spec(&self.spec, self.nis_to, model).switch_budget();
        let switches = self.catalogue.iter().map(most).max().unwrap_or(0);
        (switches > MAX_SWITCHES).then(|| {
            let found = format!("{} switches of the narrowest model", grouped(switches.into()));
            Fault::new(
                "ports",
                found,
                format!("wider ones, of which {} are enough", grouped(MAX_SWITCHES.into())),
            )
        })
    }
}

/// A budget that would never end, or end before it begins.
fn unlimited((path, budget): (&str, Budget)) -> Option<Fault> {
    match budget {
        Budget::Seconds(seconds) if !(seconds > 0.0 && seconds <= 1e9) => {
            Some(Fault::new(format!("{path}.seconds"), seconds, "more than 0, at most 1000000000 seconds"))
        }
        Budget::Effort(0) => Some(Fault::new(format!("{path}.effort"), 0, "at least 1 million moves")),
        _ => None,
    }
}
