//! Request of a hardware search: its form, its faults, the spec of each cell.

use super::{
    Cell, FrontierRequest, Goal, HardwareRequest, MAX_CELL_NIS, MAX_CELLS,
    catalogue::{catalogue, mixable, widths},
    frontier::WITHIN,
};
use crate::{
    compare::market::chosen,
    demand::Demand,
    form::{Field, FieldKind, FormReader, Reader, form, plain_digits, remove, says, toml},
    resolve::form_of,
    search::{Budget, EFFORT, SECONDS, SEED, STUDIO_SECONDS, STUDIO_THREADS, THREADS, UNIT},
    spec::{
        Fault, Faults, MARKETS, MAX_NIS, MAX_SWITCHES, Objective, PeGroup, Spec, SwitchModel,
        ports::UplinkRoom,
    },
    text::{count, grouped},
};
use std::sync::Arc;

/// Settings of a hardware search.
#[derive(Clone, Debug, PartialEq)]
pub struct HardwareSettings {
    /// Min NICs per node.
    pub nis_from: u32,
    /// Max NICs per node.
    pub nis_to: u32,
    /// Switch widths instead of the spec's models, as typed; empty for its models.
    pub ports: String,
    /// The question.
    pub goal: Goal,
    /// Key or TOML text of a market; empty for the spec's own prices, or its market.
    pub market: String,
    /// Percent by which the cheapest network may be slower than the fastest.
    pub within: f64,
    /// Limit of one attempt at one cell.
    pub cell: Budget,
    /// Limit of the whole search.
    pub total: Budget,
    /// Seed.
    pub seed: u64,
    /// Islands to search on; the machine's cores if not given.
    pub threads: Option<u32>,
}

const NIS: Field = Field::whole("NICs per node", 1, MAX_NIS as u64);

form! {
    /// A hardware search as typed.
    pub struct BoardForm {
        /// Smallest number of NICs per node to try.
        nis_from: Field { label: "Min NICs", ..NIS.or("2") },
        /// Largest number of NICs per node to try.
        nis_to: Field { label: "Max NICs", ..NIS.or("5") },
        /// Switch widths such as 6-12, 16, 24. A width costs as much as the narrowest model of the spec with at least that
        /// many ports. Stock is unlimited. Empty: the spec's own models with their stock.
        ports: Field::new("Switch widths", FieldKind::Syntax("widths such as 6-12, 16, 24")).hint("the spec's models"),
        /// The question: the smallest and cheapest hardware that serves every pair, or the cheapest network for the job's step.
        goal: Field::new("Goal", FieldKind::Choice(Goal::CHOICES)).or("pairs"),
        /// Prices, speeds and latencies of the cheapest network. Empty: the spec's own prices, or its market.
        market: Field::new("Prices", FieldKind::Choice(MARKETS)).hint("the spec's"),
        /// Max slowdown, in percent of the fastest network, of the answer: the cheapest network within this limit.
        within: Field { label: "Within", ..Field::number("Within", 0.0, 1000.0).unit("%").or(WITHIN) },
        /// Only limits in this unit count. Seconds depend on the machine. Million moves give the same results for the same seed and
        /// threads.
        cell_unit as "cell.unit": Field { label: "Limits in", ..UNIT },
        /// Limit of the first attempt at a cell. Failed attempts are repeated, each time for twice as long.
        cell_seconds as "cell.seconds": Field { label: "First attempt", ..STUDIO_SECONDS.or("5") },
        /// Limit of the first attempt at a cell. Failed attempts are repeated, each time for twice as long.
        cell_effort as "cell.effort": Field { label: "Effort, first attempt", ..EFFORT.or("10") },
        /// Only limits in this unit count. Seconds depend on the machine. Million moves give the same results for the same seed and
        /// threads.
        total_unit as "total.unit": Field { label: "Total limit in", ..UNIT },
        /// Limit of the whole search. It ends earlier if nothing can be cheaper.
        total_seconds as "total.seconds": Field { label: "Total time", ..STUDIO_SECONDS.or("300") },
        /// Limit of the whole search. It ends earlier if nothing can be cheaper.
        total_effort as "total.effort": Field { label: "Total effort", ..EFFORT.or("1000") },
        /// Start of randomness. The same seed, effort and threads give the same results.
        seed: SEED,
        /// Islands to search on at once.
        threads: STUDIO_THREADS,
    }
}

impl BoardForm {
    /// The settings. Errors: every field that is not accepted.
    pub fn read(&self) -> Result<HardwareSettings, Faults> {
        let mut reader = Reader::default();
        let mut fields = reader.form(self, "");
        let nis_from: Option<u32> = fields.whole("nis_from");
        let typed = || plain_digits(fields.typed("nis_from"));
        let least: u32 = nis_from.or_else(typed).unwrap_or(1).clamp(1, MAX_NIS);
        let nis_to = fields.within("nis_to", least.into(), MAX_NIS.into()).whole("nis_to");
        let ports = fields.given("ports", |fields, key| match widths(fields.typed(key)) {
            Ok(_) => Some(fields.typed(key).to_owned()),
            Err(faults) => {
                fields.reader().faults.extend(faults);
                None
            }
        });
        let goal = fields.choice("goal", &[("pairs", Goal::Pairs), ("time", Goal::Time)]);
        let market = fields.typed("market").trim().to_owned();
        let within: Option<f64> = fields.number("within");
        let [cell, total] = ["cell", "total"].map(|key| Budget::read(&mut fields, key));
        let (seed, threads) = (fields.whole("seed"), fields.given("threads", FormReader::whole));
        let settings = || {
            Some(HardwareSettings {
                nis_from: nis_from?,
                nis_to: nis_to?,
                ports: ports?.unwrap_or_default(),
                goal: goal?,
                market,
                within: within?,
                cell: cell?,
                total: total?,
                seed: seed?,
                threads: threads?,
            })
        };
        let settings = settings();
        reader.finish(settings)
    }

    /// The search over the hardware of a spec.
    ///
    /// # Errors
    /// Every field that is not accepted, and parts of the spec that no board can have.
    pub fn request(&self, spec: &Arc<Spec>, demand: &Arc<Demand>) -> Result<HardwareRequest, Faults> {
        let (fields, catalogue) = (self.read(), catalogue(spec, &self.ports));
        let (asked, catalogue) = match (fields, catalogue) {
            (Ok(asked), Ok(catalogue)) => (asked, catalogue),
            (fields, catalogue) => {
                let faults =
                    [fields.err(), catalogue.err()].into_iter().flatten().flat_map(|faults| faults.0);
                let mut all = unsuited(spec);
                for fault in faults {
                    // Both report wrong widths.
                    if !all.contains(&fault) {
                        all.push(fault);
                    }
                }
                return Err(Faults(all));
            }
        };
        let HardwareSettings { nis_from, nis_to, cell, total, seed, threads, .. } = asked;
        let (spec, demand, threads) = (spec.clone(), demand.clone(), threads.unwrap_or(1));
        let request =
            HardwareRequest { spec, demand, nis_from, nis_to, catalogue, cell, total, seed, threads };
        Faults::of(request.faults()).map_or(Ok(request), Err)
    }
}

impl BoardForm {
    /// The search for the cheapest network for the job of a spec.
    ///
    /// # Errors
    /// Every field that is not accepted, a market in which nothing has a price, and a spec without traffic in bytes.
    pub fn frontier(&self, spec: &Arc<Spec>, demand: &Arc<Demand>) -> Result<FrontierRequest, Faults> {
        let market = chosen(spec, &self.market);
        let market = market.map_err(|Faults(faults)| {
            let at_field = |fault: Fault| match fault.path.strip_prefix("prices") {
                Some(rest) => Fault { path: format!("market{rest}"), ..fault },
                None => fault,
            };
            Faults(faults.into_iter().map(at_field).collect())
        });
        let (market, request) = match (market, self.request(spec, demand)) {
            (Ok(market), Ok(request)) => (market, request),
            (market, request) => {
                let faults = [market.err(), request.err()].into_iter().flatten().flat_map(|faults| faults.0);
                return Err(Faults(faults.collect()));
            }
        };
        let within = self.read()?.within;
        FrontierRequest::new(request, market, &self.ports, within)
    }
}

/// The spec of one cell: `nis` NICs per node, and as many switches of one model as the NIs need, at most those in stock.
pub fn cell_spec(spec: &Spec, nis: u32, model: &SwitchModel) -> Spec {
    let cell = Spec {
        pe_groups: vec![PeGroup::of(spec.pes, nis)],
        switches: vec![SwitchModel { count: None, ..*model }],
        further: 0,
        ..spec.clone()
    };
    match model.count {
        Some(stock) => build_spec(&cell, stock.min(cell.switch_budget())),
        None => cell,
    }
}

/// A cell's spec as a file.
pub fn cell_text(cell: &Spec) -> String {
    toml::write(&form_of(cell))
}

/// The spec of a cell with exactly this number of switches.
pub fn build_spec(cell: &Spec, switches: u32) -> Spec {
    let bought = |model: &SwitchModel| SwitchModel { count: Some(switches), ..*model };
    Spec { switches: cell.switches.iter().map(bought).collect(), further: 0, ..cell.clone() }
}

/// The spec with `nis` NICs per node and these switches of each model of a catalogue. Models without switches are left out.
pub fn stock_spec(spec: &Spec, nis: u32, catalogue: &[SwitchModel], counts: &[u32]) -> Spec {
    let bought = |(model, count): (&SwitchModel, &u32)| SwitchModel { count: Some(*count), ..*model };
    let switches = catalogue.iter().zip(counts).filter(|(_, count)| **count > 0).map(bought).collect();
    Spec { pe_groups: vec![PeGroup::of(spec.pes, nis)], switches, further: 0, ..spec.clone() }
}

impl Cell {
    /// The spec that comes with the cell's wiring: a solved cell has the switches of its wiring, another at least as it needs.
    /// `catalogue` are the models of the board.
    pub fn spec(&self, spec: &Spec, catalogue: &[SwitchModel]) -> Spec {
        let Some(model) = catalogue.get(self.model) else {
            return stock_spec(spec, self.nis, catalogue, &self.mix);
        };
        let cell = cell_spec(spec, self.nis, model);
        let takes_more = model.count.is_none() && self.switches > cell.switch_budget();
        if self.state.is_solved() || takes_more { build_spec(&cell, self.switches) } else { cell }
    }
}

/// Reason why the uplink switch of a cell has too few ports for its switches and spares, if so.
pub fn crowded(cell: &Spec) -> Option<String> {
    let uplink = cell.uplink.as_ref()?;
    let UplinkRoom { others, most, .. } = cell.uplink_room(uplink);
    (!cell.fits_uplink()).then(|| {
        format!(
            "{others} switches need ports on an uplink switch, which has room for {most} beside {} spares",
            uplink.spares
        )
    })
}

/// Faults of a spec that no hardware search accepts, since switches differ from cell to cell.
pub fn unsuited(spec: &Spec) -> Vec<Fault> {
    let mut faults = Vec::new();
    if spec.objective == Objective::Fractional {
        let sentence = "must be sparse, universal or time: a hardware search covers every pair.";
        faults.push(Fault::new("objective", "fractional", says(sentence)));
    }
    if spec.rail {
        let sentence =
            "hardware searches don't support rails: they leave out switches, which would break up planes.";
        faults.push(Fault::new("rail", "true", says(sentence)));
    }
    if spec.pe_groups.iter().any(|group| group.nis != spec.pe_groups[0].nis) {
        let found = count(spec.pe_groups.len() as u64, "group");
        let sentence = "groups differ in `nics`, and a hardware search gives all nodes the same NIC count; use `nics_per_node`.";
        faults.push(Fault::new("node_group", found, says(sentence)));
    }
    let given = [
        ("keep", spec.kept.len()),
        ("placement", spec.placements.len()),
        ("rack", spec.racks.len()),
        ("start", usize::from(spec.start.is_some())),
    ];
    for (path, number) in given.into_iter().filter(|(_, number)| *number > 0) {
        let reason = "the cells of a hardware search have different switches";
        faults.push(Fault::new(path, format!("a list of {number}"), remove(reason)));
    }
    faults
}

impl HardwareRequest {
    /// Every reason not to search, with paths as in [`BoardForm`]: values out of range, parts of the spec that no board has.
    pub fn faults(&self) -> Vec<Fault> {
        let budget = |path: &str, budget| match budget {
            Budget::Seconds(seconds) => beyond(format!("{path}.seconds"), seconds, SECONDS),
            Budget::Effort(effort) => beyond(format!("{path}.effort"), effort, EFFORT),
        };
        let least = self.nis_from.clamp(1, MAX_NIS).into();
        let to = Field { kind: FieldKind::Whole { min: least, max: MAX_NIS.into() }, ..NIS };
        let nis = [beyond("nis_from", self.nis_from, NIS), beyond("nis_to", self.nis_to, to)];
        let in_range = nis.iter().all(Option::is_none);
        let mut faults = unsuited(&self.spec);
        faults.extend(nis.into_iter().flatten());
        faults.extend(Some(in_range).filter(|is| *is).and_then(|_| self.size()));
        let others = [
            budget("cell", self.cell),
            budget("total", self.total),
            beyond("threads", self.threads, THREADS),
        ];
        faults.extend(others.into_iter().flatten());
        if self.demand.pes() != self.spec.pes {
            let (demand, spec) = (self.demand.pes(), self.spec.pes);
            let sentence = format!("the demand is for {demand} nodes, and the spec has {spec}.");
            faults.push(Fault::new("spec", demand, says(sentence)));
        }
        faults
    }

    /// Fault of a request that takes too much memory.
    fn size(&self) -> Option<Fault> {
        let rows = u64::from(self.nis_to - self.nis_from + 1);
        if self.catalogue.is_empty() {
            return Some(Fault::new("ports", "", "at least one switch model"));
        }
        let mixes = !mixable(&self.spec, &self.catalogue).is_empty();
        let columns = self.catalogue.len() as u64 + u64::from(mixes);
        if rows * columns > MAX_CELLS as u64 {
            let (cells, most) = (grouped(rows * columns), grouped(MAX_CELLS as u64));
            let sentence = format!(
                "{columns} widths times {rows} NIC counts are {cells} cells; at most {most} are supported."
            );
            return Some(Fault::new("ports", cells, says(sentence)));
        }
        let nis: u64 = (self.nis_from..=self.nis_to).map(u64::from).sum();
        let all = nis * columns * u64::from(self.spec.pes);
        if all > MAX_CELL_NIS {
            let (all, most) = (grouped(all), grouped(MAX_CELL_NIS));
            let sentence = format!(
                "all cells together have {all} NICs; at most {most} are supported. Use fewer widths, or fewer NICs."
            );
            return Some(Fault::new("nis_to", all, says(sentence)));
        }
        let most = |model| cell_spec(&self.spec, self.nis_to, model).switch_budget();
        let switches = self.catalogue.iter().map(most).max().unwrap_or(0);
        (switches > MAX_SWITCHES).then(|| {
            let (switches, most) = (grouped(switches.into()), grouped(MAX_SWITCHES.into()));
            let sentence = format!(
                "the narrowest model needs {switches} switches; at most {most} are supported. Use wider ones."
            );
            Fault::new("ports", switches, says(sentence))
        })
    }
}

/// The fault of a value outside the range of a field.
fn beyond(path: impl Into<String>, value: impl ToString, field: Field) -> Option<Fault> {
    field.check(&value.to_string()).err().map(|expected| Fault::new(path, value, expected))
}
