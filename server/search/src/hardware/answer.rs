//! Results of an attempt, by the checker, and the cells that a wiring answers.

use super::{
    BoardSearch, cell_name,
    trim::{TrimResult, members, pack, trim},
};
use crate::closed::{max_switches, with_more};
use analysis::analysis::{
    bounds::quick_refusal,
    cost::{CableCounts, Price},
};
use spec::{
    cancel::scope,
    demand::Demand,
    design::{Design, check},
    spec::Spec,
};
use std::{
    cmp::Reverse,
    sync::atomic::Ordering::SeqCst,
    time::{Duration, Instant},
};
use work::{
    hardware::{Attempt, CellState, build_spec, cell_spec, crowded, is_no_less},
    search::Outcome,
};

/// Time between two reports while a wiring is trimmed.
const TICK: Duration = Duration::from_millis(100);

impl BoardSearch<'_> {
    /// Records the outcome of a search. After a cancel, the cell returns to state `before`.
    pub(super) fn record_outcome(
        &mut self,
        index: usize,
        before: CellState,
        spec: &Spec,
        outcome: Outcome,
        seed: u64,
    ) {
        let checked = scope(self.stop, || check(spec, &self.request.demand, &outcome.design));
        let Ok(verdict) = checked else {
            self.board.cells[index].state = before;
            return;
        };
        if let Some(breach) = verdict.breaches.first() {
            self.records[index].refused = true;
            self.record_failure(index, format!("the search made a wiring that breaks a limit: {breach}"));
            return;
        }
        let crash = outcome.crash().map_or_else(String::new, |crash| format!(". {crash}"));
        let note = format!("{}; seed {seed}{crash}", outcome.method);
        if verdict.holds() {
            self.record_found(index, note, spec, outcome.design);
            return;
        }
        let uncovered = verdict.uncovered.len() as u64;
        if self.records[index].best.is_none_or(|best| uncovered < best) {
            self.records[index].best = Some(uncovered);
            self.board.cells[index].uncovered = Some(uncovered);
            let cell = &mut self.board.cells[index];
            cell.note.clone_from(&note);
            cell.switches = spec.switch_budget();
            self.publish(index, spec, outcome.design, uncovered);
        }
        if self.cancel.load(SeqCst) {
            self.board.cells[index].state = before;
        } else {
            let note = std::mem::take(&mut self.board.cells[index].note);
            self.record_failure(index, note);
            self.log_attempt(index, CellState::Failed, uncovered, spec);
        }
    }

    /// Records the wiring of an attempt, then wherever else it answers a cell.
    pub(super) fn record_found(&mut self, index: usize, note: String, spec: &Spec, design: Design) {
        self.board.cells[index].attempts += 1;
        let found = self.record_solution(index, CellState::Solved, note, spec, design);
        self.log_attempt(index, CellState::Solved, 0, &self.spec_of(index));
        found.iter().for_each(|found| self.record_implied(index, found));
    }

    /// Records a failed attempt.
    pub(super) fn record_failure(&mut self, index: usize, note: String) {
        let cell = &mut self.board.cells[index];
        (cell.state, cell.note) = (CellState::Failed, note);
        cell.attempts += 1;
    }

    /// Adds an attempt to the chart: at the cost of its cell once solved, else of the hardware tried.
    fn log_attempt(&mut self, index: usize, state: CellState, uncovered: u64, spec: &Spec) {
        let cell = &self.board.cells[index];
        let (nis, model, switches) = (cell.nis, cell.model, spec.switch_budget());
        let cost = match state.is_solved() {
            true => cell.cost,
            false => Price::of(spec, &CableCounts::whole(spec)).complete(),
        };
        let elapsed = self.elapsed();
        self.board.attempts.push(Attempt { elapsed, nis, model, state, uncovered, switches, cost });
    }

    /// Adds an attempt with these switches of each model to the chart.
    pub(super) fn log_stock(&mut self, index: usize, state: CellState, uncovered: u64, counts: &[u32]) {
        let cell = &mut self.board.cells[index];
        cell.attempts += 1;
        let (nis, model, switches) = (cell.nis, cell.model, counts.iter().sum());
        let cost = self.cost_of(nis, counts, self.stocked(nis, counts).total_nis());
        let elapsed = self.elapsed();
        self.board.attempts.push(Attempt { elapsed, nis, model, state, uncovered, switches, cost });
    }

    /// Records a wiring that serves every pair, without unneeded cables. `None` if the cell has a wiring that is as good.
    pub(super) fn record_solution(
        &mut self,
        index: usize,
        state: CellState,
        note: String,
        spec: &Spec,
        design: Design,
    ) -> Option<Design> {
        let spec = &*spec.grown(design.used_switches());
        let TrimResult { spec, design } = self
            .trimmed(index, |demand, go_on| trim(spec, demand, &design, go_on))
            .unwrap_or_else(|| TrimResult { spec: build_spec(spec, spec.switch_budget()), design });
        self.keep(index, state, note, &spec, design)
    }

    /// Records a wiring on mixed models: each switch of the cheapest model that holds its cables. `None` if it needs one model
    /// only, if stock does not allow it, or if the cell has a wiring that is as good.
    pub(super) fn record_mix(
        &mut self,
        index: usize,
        state: CellState,
        note: String,
        design: &Design,
    ) -> Option<Design> {
        let nis = self.board.cells[index].nis;
        let mut left = self.trimmed(index, |demand, go_on| members(demand, design, go_on))?;
        left.retain(|members| !members.is_empty());
        left.sort_by_key(|members| Reverse(members.len()));
        let mut models: Vec<(f64, usize)> = self
            .mixable
            .iter()
            .filter_map(|&model| Some((self.request.catalogue[model].price?, model)))
            .collect();
        models.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        let mut counts = self.counts(0, 0);
        let mut by_model: Vec<Vec<Vec<u32>>> = vec![Vec::new(); counts.len()];
        for members in left {
            let fits = |&&(_, model): &&(f64, usize)| {
                self.board.cells[model].usable as usize >= members.len()
                    && self.request.catalogue[model].count.is_none_or(|stock| counts[model] < stock)
            };
            let (_, model) = *models.iter().find(fits)?;
            counts[model] += 1;
            by_model[model].push(members);
        }
        if counts.iter().filter(|count| **count > 0).count() < 2 {
            return None;
        }
        let spec = self.stocked(nis, &counts);
        let design = Design::from_switches(spec.pes, by_model.into_iter().flatten());
        let holds = scope(self.stop, || check(&spec, &self.request.demand, &design).holds()) == Ok(true);
        if !holds || crowded(&spec).is_some() {
            return None;
        }
        let before = std::mem::replace(&mut self.board.cells[index].mix, counts);
        let kept = self.keep(index, state, note, &spec, design);
        if kept.is_none() {
            self.board.cells[index].mix = before;
        }
        kept
    }

    /// Removes unneeded cables while it reports. `None` after a cancel.
    fn trimmed<T>(
        &mut self,
        index: usize,
        trim: impl FnOnce(&Demand, &mut dyn FnMut() -> bool) -> Option<T>,
    ) -> Option<T> {
        self.board.trying = format!("{}: removing unneeded cables", cell_name(&self.board.cells[index]));
        let (demand, stop) = (self.request.demand.clone(), self.stop);
        let mut reported = None;
        let mut go_on = || {
            if reported.is_none_or(|reported: Instant| reported.elapsed() >= TICK) {
                self.report();
                reported = Some(Instant::now());
            }
            !self.cancel.load(SeqCst)
        };
        scope(stop, || trim(&demand, &mut go_on)).ok().flatten()
    }

    /// Records a wiring of a cell, unless the cell has one that is as good.
    fn keep(
        &mut self,
        index: usize,
        state: CellState,
        note: String,
        spec: &Spec,
        design: Design,
    ) -> Option<Design> {
        let cell = &mut self.board.cells[index];
        if cell.state.is_solved() {
            let cabled = CableCounts::of(spec, &design);
            let better = match (Price::of(spec, &cabled).complete(), cell.cost) {
                (Some(cost), Some(before)) => !is_no_less(cost, before),
                _ => (spec.switch_budget(), cabled.cables) < (cell.switches, cell.cables),
            };
            if !better {
                return None;
            }
        }
        (cell.state, cell.note, cell.uncovered) = (state, note, Some(0));
        cell.switches = spec.switch_budget();
        if self.board.cheapest.is_none() {
            // Mixes are now chosen by their cost.
            self.records.iter_mut().for_each(|record| record.settled = false);
        }
        let record = &mut self.records[index];
        (record.best, record.tries, record.settled) = (Some(0), 0, false);
        self.publish(index, spec, design.clone(), 0);
        self.rank();
        self.report();
        Some(design)
    }

    /// Publishes a cell's wiring with its exact price.
    fn publish(&mut self, index: usize, spec: &Spec, design: Design, uncovered: u64) {
        let spec = &*spec.grown(design.used_switches());
        let cabled = CableCounts::of(spec, &design);
        let cell = &mut self.board.cells[index];
        cell.cables = cabled.cables;
        cell.bill(&Price::of(spec, &cabled));
        if self.observer.keeps_checkpoints() {
            self.records[index].wiring = Some(design.switches().map(<[u32]>::to_vec).collect());
        }
        self.observer.design(index, spec, &design, uncovered);
    }

    /// Records the wiring for every other cell that it answers, or makes cheaper.
    pub(super) fn record_implied(&mut self, source: usize, found: &Design) {
        let (nis, model, from) = {
            let cell = &self.board.cells[source];
            (cell.nis, cell.model, cell_name(cell))
        };
        for index in 0..self.board.cells.len() {
            if self.cancel.load(SeqCst) {
                return;
            }
            let cell = &self.board.cells[index];
            let is_out = matches!(cell.state, CellState::Refuted | CellState::Stock | CellState::Trying);
            if index == source || cell.nis < nis || is_out {
                continue;
            }
            if cell.is_mix() {
                self.record_mix(index, CellState::Implied, format!("wiring of {from}"), found);
                continue;
            }
            let spec = self.spec_of(index);
            let (design, how) = if cell.model == model {
                (Some(found.clone()), "wiring")
            } else {
                (pack(spec.pes, found.switches(), &spec.usable_ports()), "combined from the wiring")
            };
            let used =
                |design: &Design| design.switches().filter(|members| !members.is_empty()).count() as u32;
            let is_new = |design: &Design| {
                !cell.state.is_solved()
                    || (used(design), design.cables() as u64) < (cell.switches, cell.cables)
            };
            let demand = &self.request.demand;
            let holds =
                |design: &Design| scope(self.stop, || check(&spec, demand, design).holds()) == Ok(true);
            if let Some(design) = design.filter(is_new).filter(holds) {
                self.record_solution(index, CellState::Implied, format!("{how} of {from}"), &spec, design);
            }
        }
    }
}

impl BoardSearch<'_> {
    /// The spec of a cell with as many switches as give each NI a port; `None` if stock limits the model.
    fn endless(&self, index: usize) -> Option<Spec> {
        let cell = &self.board.cells[index];
        let model = &self.request.catalogue[cell.model];
        model.count.is_none().then(|| cell_spec(&self.request.spec, cell.nis, model))
    }

    /// `true` if a cell with provably too few switches can have more, or is solved by construction.
    pub(super) fn allow_more(&mut self, index: usize) -> bool {
        if self.construct(index) {
            return true;
        }
        let enough = scope(self.stop, || self.enough(&self.endless(index)?));
        let Ok(Some(switches)) = enough else { return false };
        let cell = &mut self.board.cells[index];
        (cell.state, cell.switches) = (CellState::Unknown, switches);
        let spec = self.spec_of(index);
        let cell = &mut self.board.cells[index];
        cell.bill(&Price::of(&spec, &CableCounts::whole(&spec)));
        self.report();
        true
    }

    /// Solves a cell by a closed form with more switches, if there is one.
    pub(super) fn construct(&mut self, index: usize) -> bool {
        let Some(spec) = self.endless(index) else { return false };
        let cancel = self.cancel;
        let mut go_on = || !cancel.load(SeqCst);
        let more = scope(self.stop, || with_more(&spec, &self.request.demand, &mut go_on));
        let Ok(Some(more)) = more else { return false };
        self.record_found(index, format!("by construction: {}", more.name), &more.spec, more.design);
        true
    }

    /// The fewest switches, beyond one port per NI, that no bound rules out.
    fn enough(&self, spec: &Spec) -> Option<u32> {
        let passes = |count: u32| {
            let spec = build_spec(spec, count);
            crowded(&spec).is_none() && quick_refusal(&spec, &self.request.demand).is_none()
        };
        let (mut low, mut high) = (spec.switch_budget(), max_switches(spec.switch_budget()));
        if !passes(high) {
            return None;
        }
        while low + 1 < high && !self.cancel.load(SeqCst) {
            let middle = low + (high - low) / 2;
            if passes(middle) { high = middle } else { low = middle }
        }
        Some(high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spec::{
        cancel::Token,
        design::table,
        resolve::{self, NoFiles},
    };
    use std::sync::{Arc, atomic::AtomicBool};
    use work::{
        hardware::{Board, BoardObserver, HardwareRequest, catalogue},
        search::{Budget, EndReason, Progress},
    };

    /// Eight PEs in two groups, 0 to 3 and 4 to 7, that request all pairs inside.
    const HALVES: &str = "pes = 8\nnis_per_pe = 1\nobjective = \"sparse\"\nni_price = 1\ncable_price = 0\n[[switch]]\nports = 4\nprice = 10\n\
        [[pattern]]\nkind = \"matrix\"\npairs = \"0 1\\n0 2\\n0 3\\n1 2\\n1 3\\n2 3\\n4 5\\n4 6\\n4 7\\n5 6\\n5 7\\n6 7\"\n";

    #[derive(Default)]
    struct Designs(Vec<(usize, Design)>);

    impl BoardObserver for Designs {
        fn board(&mut self, _: &Board) {}

        fn design(&mut self, cell: usize, spec: &Spec, design: &Design, _: u64) {
            let demand = Demand::build(spec).unwrap();
            assert!(check(spec, &demand, design).holds(), "cell {cell}");
            self.0.push((cell, design.clone()));
        }
    }

    /// The board after every cell has failed and a search then found this wiring.
    fn after(nis: u32, model: usize, wiring: &str) -> (Board, Vec<(usize, Design)>) {
        let spec = resolve::read(HALVES, &mut NoFiles).unwrap();
        let request = HardwareRequest {
            catalogue: catalogue(&spec, "4, 5, 8, 12").unwrap(),
            demand: Arc::new(Demand::build(&spec).unwrap()),
            spec: Arc::new(spec),
            nis_from: 1,
            nis_to: 2,
            cell: Budget::Effort(1),
            total: Budget::Effort(1),
            seed: 1,
            threads: 1,
        };
        let (mut designs, cancel) = (Designs::default(), AtomicBool::new(false));
        let stop = Token::default();
        let mut search = BoardSearch::new(&request, None, &mut designs, &cancel, &stop);
        (0..search.board.cells.len()).for_each(|index| search.record_failure(index, String::new()));
        let index = search.board.index(nis, model).unwrap();
        let outcome = Outcome {
            design: table::parse(wiring, 8).unwrap(),
            uncovered: 0,
            moved: None,
            ended: EndReason::Solved,
            method: "by hand".into(),
            progress: Progress::default(),
            crashed: 0,
        };
        let spec = search.spec_of(index);
        search.record_outcome(index, CellState::Failed, &spec, outcome, 1);
        (search.finish(), designs.0)
    }

    fn states(board: &Board) -> Vec<CellState> {
        board.cells.iter().map(|cell| cell.state).collect()
    }

    #[test]
    fn a_wiring_answers_more_nis_and_switches_that_its_own_fit_on() {
        use CellState::{Implied, Solved};
        // Columns have 12, 8, 5 and 4 ports. Two switches of four fit on one of eight, and each on one of five.
        let (board, designs) = after(1, 3, "0: 0 1 2 3\n1: 4 5 6 7\n");
        assert_eq!(states(&board), [Implied, Implied, Implied, Solved, Implied, Implied, Implied, Implied]);
        assert_eq!(designs.len(), 8);
        assert_eq!(
            board.cells.iter().map(|cell| cell.switches).collect::<Vec<_>>(),
            [1, 1, 2, 2, 1, 1, 2, 2]
        );
        assert_eq!(board.frontier, [3]);
        assert_eq!(board.cells[1].note, "combined from the wiring of 1 NIC, 4 ports");
    }

    #[test]
    fn it_answers_nothing_narrower_that_it_does_not_fit_on() {
        use CellState::{Failed, Implied, Solved};
        let (board, _) = after(1, 1, "0: 0 1 2 3 4 5 6 7\n");
        assert_eq!(states(&board), [Implied, Solved, Failed, Failed, Implied, Implied, Failed, Failed]);
    }

    #[test]
    fn what_no_pair_needs_is_not_counted() {
        // With two NIs and four ports there may be four switches; two of them serve nobody.
        let (board, designs) = after(2, 3, "0: 0 1 2 3\n1: 4 5 6 7\n2: 0 5 6\n3: 1 2\n");
        let cell = &board.cells[7];
        assert_eq!((cell.switches, cell.cables, cell.cost), (2, 8, Some(36.0)), "16 NIs and 2 switches");
        let kept = &designs.iter().find(|(index, _)| *index == 7).unwrap().1;
        assert_eq!(table::write(kept), "0: 0 1 2 3\n1: 4 5 6 7\n");
    }

    #[test]
    fn a_wiring_that_breaks_a_limit_solves_nothing() {
        let (board, designs) = after(1, 3, "0: 0 1 2 3 4 5 6 7\n");
        assert!(states(&board).iter().all(|state| *state == CellState::Failed));
        assert!(board.cells[3].note.contains("breaks a limit: switch 0"), "{}", board.cells[3].note);
        assert_eq!(designs.len(), 0);
    }
}
