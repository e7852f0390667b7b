//! The least hardware for a spec, on the spec's own switches: a board with one column per model, whose prices count the figure that is
//! minimised. So the bounds, the reductions and the mixes of a hardware search serve each figure.

use analysis::analysis::cost::{CableCounts, Price};
use spec::{
    design::Design,
    form::{Choice, says},
    spec::{Fault, Faults, Objective, Spec, SwitchModel, Uplink},
    text::{fixed, grouped},
};
use std::sync::Arc;
use work::{
    hardware::{Board, HardwareRequest, catalogue, is_no_less, unranked},
    search::{Budget, SearchRequest},
};

/// Limits of the first attempts at all cells together: seconds, million moves.
const FIRST_SECONDS: f64 = 2.0;
const FIRST_EFFORT: u64 = 10;
/// Shortest first attempt in seconds.
const MIN_FIRST_SECONDS: f64 = 0.05;
/// Difference of a sum of prices from a whole number that counts as none.
const ROUNDING: f64 = 1e-6;

/// A figure to minimise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// Switches with a node on them.
    Switches,
    /// NICs per node with a cable.
    Nis,
    /// Price of the used switches and cables, and of all NICs.
    Cost,
}

impl Figure {
    /// The words of a form.
    pub const CHOICES: &[Choice] = &[
        Choice::new("switches", "the fewest switches"),
        Choice::new("nis", "the fewest NICs per node"),
        Choice::new("cost", "the lowest price"),
    ];

    /// Returns the word in a form.
    pub fn word(self) -> &'static str {
        match self {
            Figure::Switches => "switches",
            Figure::Nis => "nis",
            Figure::Cost => "cost",
        }
    }

    /// The board whose cheapest cell has the least of the figure. [`placed`] turns a wiring of a cell into one of the spec.
    ///
    /// # Errors
    /// Parts of the spec that have no such board, and missing prices.
    pub fn board(self, asked: &SearchRequest) -> Result<HardwareRequest, Faults> {
        let spec = &asked.spec;
        let priced = self.priced(spec);
        let in_stock = |(index, model): &(usize, &SwitchModel)| match model.count {
            Some(count) => count > 0,
            // Planes refuse the board for themselves.
            None => spec.rail || spec.unlimited() == Some(*index),
        };
        let stock = priced.switches.iter().enumerate().filter(in_stock).map(|(_, model)| *model).collect();
        let catalogue = catalogue(&Spec { switches: stock, ..priced.clone() }, "")?;
        let (nis_from, nis_to) = match (self, priced.planes()) {
            (Figure::Nis, most) => (1, most),
            (_, own) => (own, own),
        };
        let cells = catalogue.len() as u64 * u64::from(nis_to - nis_from + 1);
        let cell = match asked.budget {
            Budget::Seconds(_) => {
                Budget::Seconds((FIRST_SECONDS / cells.max(1) as f64).max(MIN_FIRST_SECONDS))
            }
            Budget::Effort(_) => Budget::Effort((FIRST_EFFORT / cells.max(1)).max(1)),
        };
        let request = HardwareRequest {
            spec: Arc::new(priced),
            demand: asked.demand.clone(),
            nis_from,
            nis_to,
            catalogue,
            cell,
            total: asked.budget,
            seed: asked.seed,
            threads: asked.threads,
        };
        let mut faults = self.unsuited(spec);
        // The sentence about the objective is ours: a board takes `time`, too.
        faults.extend(request.faults().into_iter().filter(|fault| fault.path != "objective"));
        if self == Figure::Cost {
            let missing = unranked(spec, &request.catalogue).into_iter();
            faults.extend(missing.map(|sentence| match sentence.split_once(": ") {
                Some((path, advice)) => Fault::new(path, "", says(advice)),
                None => Fault::new("price", "", says(sentence)),
            }));
        }
        Faults::of(faults).map_or(Ok(request), Err)
    }

    /// Faults of a spec that only this board has.
    fn unsuited(self, spec: &Spec) -> Vec<Fault> {
        let mut faults = Vec::new();
        if matches!(spec.objective, Objective::Fractional | Objective::Time) {
            let sentence =
                "must be sparse or universal, since the least hardware is asked for that covers every pair.";
            faults.push(Fault::new("objective", spec.objective.name(), says(sentence)));
        }
        if spec.uplink.is_some_and(|uplink| uplink.folded) {
            let sentence = "must be separate: the free ports of a folded uplink switch depend on the number of switches.";
            faults.push(Fault::new("uplink.kind", "folded", says(sentence)));
        }
        let open = || (0..spec.switches.len()).filter(|&model| spec.switches[model].count.is_none());
        if self == Figure::Cost && open().count() > 1 {
            let sentence = "missing; without `count`, a wiring uses only the widest of these models, which may not be the cheapest.";
            let others = open().filter(|&model| spec.open_model() != Some(model));
            faults
                .extend(others.map(|model| Fault::new(format!("switch[{model}].count"), "", says(sentence))));
        }
        faults
    }

    /// The spec with prices whose sum is the figure: 1 for each switch, or for each NIC. Its own prices for the cost.
    pub fn priced(self, spec: &Spec) -> Spec {
        let (switch, nic) = match self {
            Figure::Switches => (1.0, 0.0),
            Figure::Nis => (0.0, 1.0),
            Figure::Cost => return spec.clone(),
        };
        let switches = spec.switches.iter().map(|model| SwitchModel { price: Some(switch), ..*model });
        Spec {
            switches: switches.collect(),
            ni_price: Some(nic),
            cable_price: Some(0.0),
            metre_price: None,
            uplink: spec.uplink.map(|uplink| Uplink { price: Some(0.0), ..uplink }),
            ..spec.clone()
        }
    }

    /// The figure of a wiring; `None` if the price of a part is unknown.
    pub fn of(self, spec: &Spec, design: &Design) -> Option<f64> {
        match self {
            Figure::Switches => Some(design.switches().filter(|members| !members.is_empty()).count() as f64),
            Figure::Nis => {
                let nis = design.nis();
                Some((0..design.pes()).map(|pe| nis.of(pe).len()).max().unwrap_or(0) as f64)
            }
            Figure::Cost => {
                let grown = spec.grown(design.used_switches());
                let mut used = Spec { further: 0, ..spec.clone() };
                used.switches.iter_mut().for_each(|model| model.count = Some(0));
                for (model, members) in grown.models().zip(design.switches()) {
                    let count = u32::from(!members.is_empty());
                    used.switches[model].count = used.switches[model].count.map(|used| used + count);
                }
                Price::of(&used, &CableCounts::of(spec, design)).complete()
            }
        }
    }

    /// The least of the figure found so far, and the most that is known to be needed.
    pub fn progress(self, request: &HardwareRequest, board: &Board) -> (Option<f64>, Option<f64>) {
        let found = board.cheapest.and_then(|index| board.cells[index].cost);
        let each = if self == Figure::Nis { f64::from(request.spec.pes.max(1)) } else { 1.0 };
        let whole = |least: f64| if self == Figure::Cost { least } else { (least - ROUNDING).ceil() };
        let least = board.least_cost.filter(|least| least.is_finite());
        (found.map(|cost| cost / each), least.map(|least| whole(least / each)))
    }

    /// The figure in words, with the proof that nothing is less, or with the bound.
    pub fn words(self, value: f64, least: Option<f64>) -> String {
        let (what, best) = match self {
            Figure::Switches => ("switches", "the fewest possible"),
            Figure::Nis => ("NICs per node", "the fewest possible"),
            Figure::Cost => ("cost", "the least possible"),
        };
        let number = |value: f64| match self {
            Figure::Cost => fixed(value, 2),
            _ => grouped(value as u64),
        };
        let end = match least {
            Some(least) if is_no_less(least, value) => format!(", {best}"),
            Some(least) => format!("; at least {}", number(least)),
            None => String::new(),
        };
        format!("{what}: {}{end}", number(value))
    }
}

/// The wiring of a cell on the switches of the spec, whose other switches stay free. `build` is the cell's spec, and `spec` has its prices.
/// `None` if the spec has too few switches.
pub fn placed(spec: &Spec, build: &Spec, design: &Design) -> Option<Design> {
    let budget = spec.switch_budget();
    let mut free: Vec<Vec<u32>> = vec![Vec::new(); spec.switches.len()];
    (0..budget).zip(spec.models()).for_each(|(switch, model)| free[model].push(switch));
    if let Some(open) = spec.unlimited() {
        free[open].extend(budget..spec.max_switches().min(budget.saturating_add(design.switch_count())));
    }
    free.iter_mut().for_each(|switches| switches.reverse());
    let kind = |model: &SwitchModel| SwitchModel { count: None, ..*model };
    let mut switches: Vec<Vec<u32>> = Vec::new();
    for (model, members) in build.models().zip(design.switches()) {
        if members.is_empty() {
            continue;
        }
        let is_same = |own: &usize| kind(&spec.switches[*own]) == kind(&build.switches[model]);
        let switch = (0..free.len()).filter(is_same).find_map(|own| free[own].pop())? as usize;
        switches.resize(switches.len().max(switch + 1), Vec::new());
        switches[switch] = members.to_vec();
    }
    Some(Design::from_switches(spec.pes, switches))
}

#[cfg(test)]
mod tests {
    use super::*;
    use spec::{
        demand::Demand,
        design::{check, table},
        resolve::{self, NoFiles},
    };

    fn spec(text: &str) -> Spec {
        resolve::read(text, &mut NoFiles).unwrap()
    }

    /// Two models, the narrow one twice in the list, and a ring of six.
    const MODELS: &str = "pes = 6\nnis_per_pe = 2\nobjective = \"sparse\"\nnic_price = 2\ncable_price = 1\n\
        [[switch]]\nports = 3\nprice = 5\ncount = 1\n[[switch]]\nports = 6\nprice = 20\n\
        [[switch]]\nports = 3\nprice = 5\ncount = 3\n[[pattern]]\nkind = \"ring\"\n";

    #[test]
    fn a_wiring_moves_to_switches_of_the_same_model() {
        let spec = spec(MODELS);
        let build = Spec {
            switches: vec![
                SwitchModel { count: Some(1), ..spec.switches[1] },
                SwitchModel { count: Some(2), ..spec.switches[0] },
            ],
            ..spec.clone()
        };
        let found = table::parse("0: 0 1 2 3\n1: 3 4\n2: 4 5 0\n", 6).unwrap();
        let placed = placed(&spec, &build, &found).unwrap();
        // Switch 0 is narrow, the next ones are of the open model, narrow ones follow.
        assert_eq!(placed.members(0), [3, 4]);
        assert!(check(&spec, &Demand::build(&spec).unwrap(), &placed).holds());
        let of = |figure: Figure| figure.of(&spec, &placed);
        assert_eq!(of(Figure::Switches), Some(3.0));
        assert_eq!(of(Figure::Nis), Some(2.0));
        assert_eq!(of(Figure::Cost), Some(20.0 + 2.0 * 5.0 + 12.0 * 2.0 + 9.0));
    }

    #[test]
    fn a_wiring_with_too_many_switches_of_a_model_has_no_place() {
        let spec = spec(MODELS);
        let build =
            Spec { switches: vec![SwitchModel { count: Some(5), ..spec.switches[0] }], ..spec.clone() };
        let found = table::parse("0: 0 1\n1: 1 2\n2: 2 3\n3: 3 4\n4: 4 5\n", 6).unwrap();
        assert_eq!(placed(&spec, &build, &found), None);
    }

    #[test]
    fn words_call_a_figure_optimal_only_at_its_bound() {
        assert_eq!(Figure::Switches.words(43.0, Some(43.0)), "switches: 43, the fewest possible");
        assert_eq!(Figure::Nis.words(3.0, Some(2.0)), "NICs per node: 3; at least 2");
        assert_eq!(Figure::Cost.words(1234.5, None), "cost: 1,234.50");
    }
}
