//! Whole boards: verdicts against exhaustive search, wirings against the checker.

use crate::oracle::solvable;
use analysis::analysis::cost::{CableCounts, Price};
use proptest::prelude::*;
use search::hardware::{self as hardware, BoardError};
use spec::{
    demand::Demand,
    design::{Design, check},
    random::Rng,
    resolve::{self, NoFiles, resolve},
    spec::Spec,
};
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
};
use work::{
    hardware::{Board, BoardObserver, Cell, CellState, HardwareRequest, catalogue, cell_spec},
    search::Budget,
};

const KASY0: &str = include_str!("../../../../assets/specs/kasy0.toml");
/// Five PEs in a ring.
const RING: &str = "pes = 5\nnis_per_pe = 1\nobjective = \"sparse\"\nni_price = 1\ncable_price = 1\n\
    [[switch]]\nports = 5\nprice = 10\n[[pattern]]\nkind = \"ring\"\n";

fn request(text: &str, nis: (u32, u32), ports: &str, total: Budget) -> HardwareRequest {
    let spec = resolve::read_catalogue(text, &mut NoFiles).expect("a catalogue that resolves");
    let demand = Demand::build(&spec).expect("a demand");
    HardwareRequest {
        catalogue: catalogue(&spec, ports).expect("widths"),
        spec: Arc::new(spec),
        demand: Arc::new(demand),
        nis_from: nis.0,
        nis_to: nis.1,
        cell: Budget::Effort(1),
        total,
        seed: 1,
        threads: 2,
    }
}

/// Records all calls.
#[derive(Default)]
struct Log<'a> {
    boards: Vec<Board>,
    designs: BTreeMap<usize, (Spec, Design, u64)>,
    cancel: Option<&'a AtomicBool>,
    /// `true` if every request for a checkpoint is answered.
    keeps: bool,
    checkpoints: Vec<Vec<u8>>,
}

impl BoardObserver for Log<'_> {
    fn board(&mut self, board: &Board) {
        self.boards.push(board.clone());
        let deep = board.cells.iter().any(|cell| cell.state == CellState::Trying && cell.seconds > 0.05);
        if let Some(cancel) = self.cancel.filter(|_| deep) {
            cancel.store(true, SeqCst);
        }
    }

    fn design(&mut self, cell: usize, spec: &Spec, design: &Design, uncovered: u64) {
        let before = self.designs.insert(cell, (spec.clone(), design.clone(), uncovered));
        let value = |spec: &Spec, design: &Design, uncovered: u64| {
            let (bill, switches) = (Price::of(spec, &CableCounts::of(spec, design)), spec.switch_budget());
            (uncovered, bill.complete().unwrap_or(0.0), switches, design.cables())
        };
        let now = value(spec, design, uncovered);
        let is_better = |(spec, design, known): (Spec, Design, u64)| now < value(&spec, &design, known);
        assert!(before.is_none_or(is_better), "no better than before");
    }

    fn keeps_checkpoints(&self) -> bool {
        self.keeps
    }

    fn wants_checkpoint(&mut self) -> bool {
        true
    }

    fn checkpoint(&mut self, bytes: Vec<u8>) {
        self.checkpoints.push(bytes);
    }
}

/// The board, with all published wirings checked.
fn searched(request: &HardwareRequest) -> (Board, Log<'static>) {
    let mut log = Log::default();
    let board = hardware::run(request, &mut log, &AtomicBool::new(false)).expect("accepted");
    verify(request, &board, &log);
    (board, log)
}

fn verify(request: &HardwareRequest, board: &Board, log: &Log) {
    assert_eq!(log.boards.last(), Some(board));
    assert!(log.boards.windows(2).all(|two| two[0].revision < two[1].revision));
    for (index, cell) in board.cells.iter().enumerate() {
        assert_eq!(board.index(cell.nis, cell.model), Some(index));
        assert_ne!(cell.state, CellState::Trying);
        let held = log.designs.get(&index);
        assert_eq!(cell.uncovered, held.map(|(_, _, uncovered)| *uncovered), "cell {index}");
        if cell.state.is_solved() {
            assert_eq!(cell.uncovered, Some(0));
        }
        let Some((spec, design, uncovered)) = held else { continue };
        assert_eq!(*spec, cell.spec(&request.spec, &request.catalogue));
        let bill = Price::of(spec, &CableCounts::of(spec, design));
        assert_eq!((cell.cables, cell.cost), (design.cables() as u64, bill.complete()), "cell {index}");
        let verdict = check(spec, &request.demand, design);
        assert_eq!((verdict.breaches.as_slice(), verdict.uncovered.len() as u64), (&[][..], *uncovered));
        if cell.state.is_solved() {
            let used = design.switches().filter(|members| !members.is_empty()).count();
            assert_eq!((cell.switches as usize, spec.switch_budget()), (used, cell.switches));
        }
    }
}

/// Eight nodes that request fourteen pairs.
const PAIRS_14: &str = "pes = 8\nnis_per_pe = 2\nobjective = \"sparse\"\nni_price = 20\ncable_price = 10\n\
    [[switch]]\nports = 3\nprice = 120\n[[switch]]\nports = 6\nprice = 360\ncount = 40\n\
    [[pattern]]\nkind = \"matrix\"\npairs = \"\"\"\n0 3\n0 5\n0 6\n0 7\n1 4\n1 6\n2 3\n2 5\n3 6\n3 7\n4 5\n4 7\n5 6\n5 7\n\"\"\"\n";
/// Eight nodes that request nineteen pairs.
const PAIRS_19: &str = "pes = 8\nnis_per_pe = 2\nobjective = \"sparse\"\nni_price = 20\ncable_price = 0\n\
    [[switch]]\nports = 3\nprice = 400\n[[switch]]\nports = 4\nprice = 400\ncount = 2\n\
    [[switch]]\nports = 5\nprice = 500\ncount = 2\n[[pattern]]\nkind = \"matrix\"\npairs = \"\"\"\n\
    0 1\n0 2\n0 3\n0 4\n1 2\n1 6\n1 7\n2 4\n2 5\n2 6\n2 7\n3 4\n3 5\n3 6\n3 7\n4 5\n5 6\n5 7\n6 7\n\"\"\"\n";
/// Eight nodes that all meet.
const EIGHT: &str = "pes = 8\nnis_per_pe = 2\nobjective = \"universal\"\nni_price = 20\ncable_price = 0\n\
    [[switch]]\nports = 5\nprice = 400\ncount = 5\n";
/// A ring and a torus of 48 nodes.
const RING_48: &str = "pes = 48\nnis_per_pe = 2\nobjective = \"sparse\"\nni_price = 40\ncable_price = 5\n\
    [[switch]]\nports = 24\nprice = 400\n[[switch]]\nports = 8\nprice = 90\n\
    [[pattern]]\nkind = \"ring\"\n[[pattern]]\nkind = \"torus\"\ndims = [8, 6]\n";

/// Cost of the cheapest cell, and the cheapest of one model.
fn costs(board: &Board) -> (Option<f64>, Option<f64>) {
    let cost = |cell: &Cell| cell.cost.filter(|_| cell.state.is_solved());
    let plain = board.cells.iter().filter(|cell| !cell.is_mix()).filter_map(cost).reduce(f64::min);
    (board.cheapest.and_then(|index| board.cells[index].cost), plain)
}

/// The true costs of [`PAIRS_14`], [`PAIRS_19`] and [`EIGHT`] are those of a program that tries all wirings.
#[test]
fn the_cheapest_of_small_hardware_is_found_and_proven() {
    let cases = [
        (PAIRS_14, (1, 3), 1040.0, 1150.0),
        (PAIRS_19, (1, 3), 1720.0, 3680.0),
        (EIGHT, (3, 3), 2080.0, 2080.0),
    ];
    for (text, nis, cheapest, plain) in cases {
        let (board, _) = searched(&request(text, nis, "", Budget::Effort(200)));
        let found = costs(&board);
        assert_eq!(found.0, Some(cheapest), "{board:?}");
        assert!(found.1.is_some_and(|cost| cost <= plain), "{found:?}");
        assert!(board.is_proven() && board.complete, "{board:?}");
    }
}

#[test]
fn a_solved_cell_is_tried_with_fewer_switches() {
    let (board, _) = searched(&request(RING_48, (2, 2), "", Budget::Effort(12)));
    let cell = &board.cells[1];
    assert!(cell.ports == 8 && cell.switches <= 11 && cell.cost <= Some(5270.0), "{cell:?}");
    assert!(cell.least.is_some_and(|least| least <= cell.switches));
    let cheapest = board.cheapest.and_then(|index| board.cells[index].cost);
    assert!(cheapest <= Some(5270.0) && board.least_cost <= cheapest, "{:?}", board.least_cost);
}

#[test]
fn nothing_is_ranked_by_an_unknown_price() {
    let unpriced = RING_48.replace("price = 90\n", "").replace("price = 400\n", "");
    let (board, _) = searched(&request(&unpriced, (2, 2), "", Budget::Effort(6)));
    assert_eq!((board.cheapest, board.ports.as_slice()), (None, &[24, 8][..]));
    assert!(board.cells.iter().all(|cell| cell.cost.is_none()));
    let narrow = &board.cells[1];
    assert_eq!(narrow.known_cost, Some(96.0 * 40.0 + narrow.cables as f64 * 5.0));
    assert_eq!(board.unranked.len(), 2, "{:?}", board.unranked);
    assert!(board.unranked.iter().all(|missing| missing.starts_with("switch[")), "{:?}", board.unranked);
    assert!(narrow.switches <= 11, "reduced all the same: {narrow:?}");
    assert!(board.best().is_some_and(|(index, words)| index == 0 && words == "fewest switches found so far"));
    let half = RING_48.replace("price = 400\n", "");
    let (board, _) = searched(&request(&half, (2, 2), "", Budget::Effort(6)));
    assert_eq!((board.cheapest, board.best().map(|best| best.1)), (Some(1), Some("cheapest found so far")));
    assert_eq!(board.least_cost, None, "a switch of an unknown price may be cheaper than any bound");
}

fn states(board: &Board) -> String {
    let letter = |state| match state {
        CellState::Unknown => '?',
        CellState::Trying => '!',
        CellState::Solved => 'S',
        CellState::Implied => 'i',
        // Which of the two depends on the bounds.
        CellState::Failed | CellState::Refuted => 'x',
        CellState::Stock => '$',
    };
    let rows = board.cells.chunks(board.ports.len());
    rows.map(|row| row.iter().map(|cell| letter(cell.state)).collect::<String>())
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn a_ring_of_five_has_the_board_that_it_must_have() {
    let (board, _) = searched(&request(RING, (1, 3), "2-5", Budget::Effort(12)));
    assert_eq!(board.ports, [5, 4, 3, 2]);
    // One NI needs one switch for all. With two NIs, a circle of cables suffices, and any switches it fits on.
    assert_eq!(states(&board), "Sxxx iSSS iiii");
    assert_eq!(board.frontier, [0, 7]);
    let cheapest = &board.cells[board.cheapest.expect("prices")];
    assert_eq!((cheapest.nis, cheapest.ports, cheapest.cost), (1, 5, Some(20.0)), "with 5 NIs and 5 cables");
}

#[test]
fn every_width_is_judged_by_itself() {
    // Seven PEs on a Fano plane need three NIs and seven switches of three ports. With four ports there are only six
    // switches.
    let fano = "pes = 7\nnis_per_pe = 3\nobjective = \"universal\"\n[[switch]]\nports = 3\n";
    let ask = request(fano, (3, 3), "3-4", Budget::Effort(4));
    let (board, _) = searched(&ask);
    for cell in &board.cells {
        let own = cell_spec(&ask.spec, cell.nis, &ask.catalogue[cell.model]);
        assert_eq!(Some(cell.state.is_solved()), solvable(&own, &ask.demand), "{} ports", cell.ports);
    }
}

/// Without a stock limit, a plane that leaves ports free is an answer, at the price of all its switches.
#[test]
fn a_construction_that_takes_more_switches_answers_a_cell_without_stock() {
    let plane = |count: &str| {
        format!(
            "pes = 24\nnis_per_pe = 6\nobjective = \"universal\"\nni_price = 1\ncable_price = 1\n\
             [[switch]]\nports = 5\nprice = 10\n{count}"
        )
    };
    let (board, _) = searched(&request(&plane(""), (6, 6), "", Budget::Effort(2)));
    let cell = &board.cells[0];
    assert_eq!((cell.state, cell.switches), (CellState::Solved, 30), "{}", cell.note);
    assert!(cell.note.starts_with("by construction: affine plane of order 5"), "{}", cell.note);
    // 30 switches, 24 PEs with 6 NIs, a cable in each.
    assert_eq!((cell.cables, cell.cost), (144, Some(588.0)));
    let (board, _) = searched(&request(&plane("count = 29\n"), (6, 6), "", Budget::Effort(2)));
    assert!(!board.cells[0].state.is_solved());
}

/// Two links per pair need two switches, though one has a port for every NI.
#[test]
fn what_bounds_rule_out_for_want_of_switches_is_tried_with_more() {
    let twice = |count: &str| {
        format!(
            "pes = 4\nnis_per_pe = 2\nni_price = 0\ncable_price = 0\n[[switch]]\nports = 8\nprice = 10\n{count}[[pattern]]\nkind = \"ring\"\nlinks = 2\n"
        )
    };
    let (board, _) = searched(&request(&twice(""), (1, 2), "", Budget::Effort(2)));
    let found: Vec<_> = board.cells.iter().map(|cell| (cell.state, cell.switches, cell.cost)).collect();
    assert_eq!(found[0].0, CellState::Refuted, "no PE has two NIs");
    assert_eq!(found[1], (CellState::Solved, 2, Some(20.0)));
    let (board, _) = searched(&request(&twice("count = 1\n"), (2, 2), "", Budget::Effort(2)));
    assert!(!board.cells[0].state.is_solved());
}

#[test]
fn the_same_seed_and_effort_give_the_same_board() {
    for threads in [1, 2] {
        let mut ask = request(KASY0, (2, 3), "12, 16, 24", Budget::Effort(9));
        ask.threads = threads;
        let [one, two] = [0, 1].map(|_| {
            let (board, log) = searched(&ask);
            (timeless(board), log.designs)
        });
        assert_eq!(one, two);
    }
}

/// A board without times.
fn timeless(mut board: Board) -> Board {
    board.cells.iter_mut().for_each(|cell| cell.seconds = 0.0);
    board.attempts.iter_mut().for_each(|attempt| attempt.elapsed = 0.0);
    (board.elapsed, board.revision) = (0.0, 0);
    board
}

#[test]
fn every_checkpoint_leads_to_the_same_board() {
    for threads in [1, 2] {
        let mut ask = request(KASY0, (2, 3), "12, 16, 24", Budget::Effort(9));
        ask.threads = threads;
        let (whole, log) = searched(&ask);
        let mut keeper = Log { keeps: true, ..Log::default() };
        let kept = hardware::run(&ask, &mut keeper, &AtomicBool::new(false)).expect("accepted");
        assert_eq!(timeless(kept), timeless(whole.clone()), "whether checkpoints are kept changes nothing");
        assert!(keeper.checkpoints.len() > whole.attempts.len(), "one after each attempt at least");
        let last = keeper.checkpoints.len() - 1;
        for at in [0, last / 2, last] {
            let mut rest = Log::default();
            let saved = Some(&*keeper.checkpoints[at]);
            let board =
                hardware::resume(&ask, saved, None, &mut rest, &AtomicBool::new(false)).expect("accepted");
            verify(&ask, &board, &rest);
            assert_eq!(
                (timeless(board), rest.designs),
                (timeless(whole.clone()), log.designs.clone()),
                "{at}"
            );
        }
    }
}

#[test]
fn a_board_stopped_in_the_middle_goes_on_from_its_last_checkpoint() {
    let ask = request(KASY0, (2, 3), "9, 12, 24", Budget::Effort(16));
    let (whole, _) = searched(&ask);
    let cancel = AtomicBool::new(false);
    let mut log = Log { cancel: Some(&cancel), keeps: true, ..Log::default() };
    let cut = hardware::run(&ask, &mut log, &cancel).expect("accepted");
    assert!(cut.attempts.len() < whole.attempts.len(), "it ended before it was stopped");
    let saved = log.checkpoints.last().map(Vec::as_slice);
    let board =
        hardware::resume(&ask, saved, None, &mut Log::default(), &AtomicBool::new(false)).expect("accepted");
    assert_eq!(timeless(board), timeless(whole));
}

#[test]
fn a_checkpoint_of_another_board_is_refused_and_more_time_is_not() {
    let ask = request(RING, (1, 3), "2-5", Budget::Effort(2));
    let mut log = Log { keeps: true, ..Log::default() };
    hardware::run(&ask, &mut log, &AtomicBool::new(false)).expect("accepted");
    let saved = log.checkpoints.pop().expect("a checkpoint");
    let refusal = |ask: &HardwareRequest, saved: &[u8]| {
        let refused = hardware::resume(ask, Some(saved), None, &mut Log::default(), &AtomicBool::new(false));
        refused.err().map(|why| why.to_string())
    };
    for change in [
        |ask: &mut HardwareRequest| ask.seed = 2,
        |ask: &mut HardwareRequest| ask.nis_to = 2,
        |ask: &mut HardwareRequest| ask.cell = Budget::Effort(2),
        |ask: &mut HardwareRequest| ask.catalogue[0].price = None,
    ] {
        let mut other = ask.clone();
        change(&mut other);
        assert!(
            refusal(&other, &saved).is_some_and(|why| why.contains("belongs to another hardware search"))
        );
    }
    let mut broken = saved.clone();
    broken[9] ^= 1;
    assert!(refusal(&ask, &broken).is_some_and(|why| why.contains("is damaged")));
    assert!(refusal(&ask, b"").is_some_and(|why| why.contains("is damaged")));
    let more = HardwareRequest { total: Budget::Effort(12), ..ask };
    assert_eq!(refusal(&more, &saved), None);
}

#[test]
fn failed_cells_beside_the_frontier_are_tried_again_for_twice_as_long() {
    let (board, _) = searched(&request(KASY0, (2, 3), "9, 24", Budget::Effort(16)));
    let tried: Vec<_> = board.cells.iter().map(|cell| (cell.nis, cell.ports, cell.attempts)).collect();
    let again = board.cells.iter().filter(|cell| cell.attempts > 1).count();
    assert!(
        again > 0 && board.cells.iter().all(|c| c.attempts < 2 || c.state != CellState::Refuted),
        "{tried:?}"
    );
    let most = board.attempts.iter().map(|attempt| (attempt.nis, attempt.model)).collect::<Vec<_>>();
    assert_eq!(most.len() as u32, board.cells.iter().map(|cell| cell.attempts).sum::<u32>());
}

#[test]
fn a_cancel_in_the_middle_keeps_what_is_known() {
    let mut ask = request(KASY0, (3, 4), "9, 12, 24", Budget::Seconds(600.0));
    for cell in [Budget::Seconds(600.0), Budget::Effort(1_000_000)] {
        ask.cell = cell;
        let cancel = AtomicBool::new(false);
        let mut log = Log { cancel: Some(&cancel), ..Log::default() };
        let board = hardware::run(&ask, &mut log, &cancel).expect("accepted");
        verify(&ask, &board, &log);
        assert!(cancel.load(SeqCst), "it ended before it was stopped");
        assert!(states(&board).contains('?'), "{}", states(&board));
        assert!(board.trying.is_empty());
    }
    let board = hardware::run(&ask, &mut Log::default(), &AtomicBool::new(true)).expect("accepted");
    assert!(board.cells.iter().all(|cell| cell.state == CellState::Unknown));
}

#[test]
fn attempts_counted_in_work_end_with_the_boards_time() {
    let mut ask = request(KASY0, (3, 3), "13", Budget::Seconds(0.3));
    ask.cell = Budget::Effort(1_000_000);
    let (board, _) = searched(&ask);
    assert_eq!((board.cells[0].state, board.cells[0].attempts), (CellState::Failed, 1));
}

#[test]
fn what_no_board_can_have_is_refused_by_field() {
    let mut ask = request(RING, (1, 3), "", Budget::Effort(1));
    (ask.nis_to, ask.threads, ask.cell) = (0, 0, Budget::Seconds(f64::NAN));
    Arc::make_mut(&mut ask.spec).objective = spec::spec::Objective::Fractional;
    let refused = hardware::run(&ask, &mut Log::default(), &AtomicBool::new(false)).expect_err("refused");
    let BoardError::Faults(faults) = refused else { panic!("{refused}") };
    let paths: Vec<&str> = faults.0.iter().map(|fault| fault.path.as_str()).collect();
    assert_eq!(paths, ["objective", "nis_to", "cell.seconds", "threads"]);
}

/// Tiny demands with catalogues, in which one model has a small stock.
fn tiny(seed: u64) -> String {
    let mut rng = Rng::new(seed, 11);
    let pes = 2 + rng.below(4);
    let universal = rng.chance(300);
    let mut text = format!(
        "pes = {pes}\nnis_per_pe = 1\nobjective = \"{}\"\n",
        ["sparse", "universal"][usize::from(universal)]
    );
    if rng.chance(500) {
        text += "ni_price = 3\ncable_price = 1\n";
    }
    text += &format!("[[switch]]\nports = {}\nprice = 9\n", 2 + rng.below(4));
    text += &format!("[[switch]]\nports = {}\nprice = 5\ncount = {}\n", 2 + rng.below(4), 1 + rng.below(3));
    text += &format!("[[pattern]]\nkind = \"{}\"\n", ["ring", "all-pairs"][rng.below(2) as usize]);
    text
}

/// Every verdict agrees with exhaustive search, every published wiring is valid, and the frontier is one.
fn assert_board(text: &str) {
    let form = resolve::parse(text).expect("a form");
    let Ok(read) = resolve(&form, &mut NoFiles) else { return };
    let Ok(demand) = Demand::build(&read) else { return };
    let ask = request(text, (1, 3), "", Budget::Effort(8));
    let (board, _) = searched(&ask);
    for cell in &board.cells {
        if cell.is_mix() {
            continue;
        }
        let own = cell.spec(&ask.spec, &ask.catalogue);
        let answer = solvable(&own, &demand);
        match cell.state {
            CellState::Solved | CellState::Implied => assert_ne!(answer, Some(false), "{text}"),
            CellState::Refuted | CellState::Failed | CellState::Stock => {
                assert_ne!(answer, Some(true), "{text}{cell:?}")
            }
            CellState::Unknown | CellState::Trying => panic!("{text}{cell:?}"),
        }
    }
    let is_solved = |cell: &Cell| cell.state.is_solved() && !cell.is_mix();
    for (index, cell) in board.cells.iter().enumerate().filter(|(_, cell)| is_solved(cell)) {
        let beaten = board.cells.iter().any(|other| {
            is_solved(other)
                && (other.nis <= cell.nis && other.ports <= cell.ports)
                && (other.nis < cell.nis || other.ports < cell.ports)
        });
        assert_eq!(board.frontier.contains(&index), !beaten, "{text}");
        if let Some(cheapest) = board.cheapest {
            assert!(board.cells[cheapest].cost <= cell.cost, "{text}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_tiny_board_says_what_trying_everything_says(seed in any::<u64>()) {
        assert_board(&tiny(seed));
    }
}
