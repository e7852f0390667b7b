//! Results of an attempt, by the checker, and the cells that a wiring answers.

use super::{
    BoardSearch, cell_name,
    trim::{Trimmed, pack, trim},
};
use crate::closed::{max_switches, with_more};
use shared::{
    analysis::{
        bounds::refuse,
        cost::{Cabled, Price},
    },
    cancel::scope,
    design::{Design, check},
    hardware::{Attempt, CellState, build_spec, cell_spec, crowded},
    search::Outcome,
    spec::Spec,
};
use std::{
    sync::atomic::Ordering::SeqCst,
    time::{Duration, Instant},
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
            self.board.cells[index].attempts += 1;
            self.log_attempt(index, CellState::Solved, 0);
            let found = self.record_solution(index, CellState::Solved, note, spec, outcome.design);
            self.record_implied(index, &found);
            return;
        }
        let uncovered = verdict.uncovered.len() as u64;
        if self.records[index].best.is_none_or(|best| uncovered < best) {
            self.records[index].best = Some(uncovered);
            self.board.cells[index].uncovered = Some(uncovered);
            self.board.cells[index].note.clone_from(&note);
            self.publish(index, spec, outcome.design, uncovered);
        }
        if self.cancel.load(SeqCst) {
            self.board.cells[index].state = before;
        } else {
            let note = std::mem::take(&mut self.board.cells[index].note);
            self.record_failure(index, note);
            self.log_attempt(index, CellState::Failed, uncovered);
        }
    }

    /// Records a failed attempt.
    pub(super) fn record_failure(&mut self, index: usize, note: String) {
        let spec = self.spec_of(index);
        let (usable, pes) = (spec.switches[0].usable(), spec.pes.saturating_sub(1));
        // By degree: cables that each PE needs to reach its partners, with a port each.
        let reach = usable.saturating_sub(1).min(pes).max(1);
        let degrees = self.request.demand.degrees().into_iter();
        let cables: u64 = degrees.map(|degree| u64::from(degree.div_ceil(reach))).sum();
        let switches = u32::try_from(cables.div_ceil(u64::from(usable.max(1)))).unwrap_or(u32::MAX);
        let cell = &mut self.board.cells[index];
        (cell.state, cell.note) = (CellState::Failed, note);
        cell.attempts += 1;
        // Nothing can be said about a cell without a price.
        let least = build_spec(&spec, switches);
        let cabled = Cabled { cables, ..Cabled::whole(&least) };
        self.records[index].least_cost = cell.cost.and_then(|_| Price::of(&least, &cabled).total);
    }

    pub(super) fn log_attempt(&mut self, index: usize, state: CellState, uncovered: u64) {
        let cell = &self.board.cells[index];
        let (nis, model) = (cell.nis, cell.model);
        self.board.attempts.push(Attempt { elapsed: self.elapsed(), nis, model, state, uncovered });
    }

    /// Records a wiring that serves every pair, without unneeded cables.
    pub(super) fn record_solution(
        &mut self,
        index: usize,
        state: CellState,
        note: String,
        spec: &Spec,
        design: Design,
    ) -> Design {
        self.board.trying = format!("{}: removing unneeded cables", cell_name(&self.board.cells[index]));
        let spec = &*spec.grown(design.used_switches());
        let Trimmed { spec, design } = {
            let (demand, stop) = (&self.request.demand, self.stop);
            let mut reported = None;
            let mut go_on = || {
                if reported.is_none_or(|reported: Instant| reported.elapsed() >= TICK) {
                    self.report();
                    reported = Some(Instant::now());
                }
                !self.cancel.load(SeqCst)
            };
            let trimmed = scope(stop, || trim(spec, demand, &design, &mut go_on)).ok().flatten();
            trimmed.unwrap_or_else(|| Trimmed { spec: build_spec(spec, spec.switch_budget()), design })
        };
        let cell = &mut self.board.cells[index];
        (cell.state, cell.note, cell.uncovered) = (state, note, Some(0));
        cell.switches = spec.switch_budget();
        self.records[index].best = Some(0);
        self.publish(index, &spec, design.clone(), 0);
        self.board.rank();
        self.report();
        design
    }

    /// Publishes a cell's wiring with its exact price.
    fn publish(&mut self, index: usize, spec: &Spec, design: Design, uncovered: u64) {
        let spec = &*spec.grown(design.used_switches());
        let cabled = Cabled::of(spec, &design);
        let cell = &mut self.board.cells[index];
        cell.cables = cabled.cables;
        cell.cost = cell.cost.and_then(|_| Price::of(spec, &cabled).total);
        if self.observer.keeps_checkpoints() {
            self.records[index].wiring = Some(design.switches().map(<[u32]>::to_vec).collect());
        }
        self.observer.design(index, spec, &design, uncovered);
    }

    /// Records the wiring for every other cell that it answers.
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
            if cell.nis < nis || !matches!(cell.state, CellState::Unknown | CellState::Failed) {
                continue;
            }
            let spec = self.spec_of(index);
            let (design, how) = if cell.model == model {
                (Some(found.clone()), "wiring")
            } else {
                (pack(spec.pes, found.switches(), &spec.usable_ports()), "combined from the wiring")
            };
            let demand = &self.request.demand;
            let holds =
                |design: &Design| scope(self.stop, || check(&spec, demand, design).holds()) == Ok(true);
            if let Some(design) = design.filter(holds) {
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
        cell.cost = cell.cost.and_then(|_| Price::of(&spec, &Cabled::whole(&spec)).total);
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
        self.board.cells[index].attempts += 1;
        self.log_attempt(index, CellState::Solved, 0);
        let note = format!("by construction: {}", more.name);
        let found = self.record_solution(index, CellState::Solved, note, &more.spec, more.design);
        self.record_implied(index, &found);
        true
    }

    /// The fewest switches, beyond one port per NI, that no bound rules out.
    fn enough(&self, spec: &Spec) -> Option<u32> {
        let passes = |count: u32| {
            let spec = build_spec(spec, count);
            crowded(&spec).is_none() && refuse(&spec, &self.request.demand).is_none()
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
    use shared::{
        cancel::Token,
        demand::Demand,
        design::table,
        hardware::{Board, BoardObserver, HardwareRequest, catalogue},
        resolve::{self, NoFiles},
        search::{Budget, Ended, Progress},
    };
    use std::sync::{Arc, atomic::AtomicBool};

    /// Eight PEs in two groups, 0 to 3 and 4 to 7, that request all pairs inside.
    const HALVES: &str = "pes = 8\nnis_per_pe = 1\nobjective = \"sparse\"\nni_price = 1\n[[switch]]\nports = 4\nprice = 10\n\
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
            ended: Ended::Solved,
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
