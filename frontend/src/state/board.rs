//! A hardware search on the server, as this page follows it: the results by cell, the current cell, and the settings' faults.

use super::{
    connection::{Connection, Event},
    words::{count, fixed, grouped, short},
};
use shared::{
    api::WorkView,
    demand::Demand,
    form::Fault,
    hardware::{Board, BoardForm, Cell, CellState, HardwareSettings},
    spec::{Faults, Spec},
};
use std::sync::Arc;

/// A hardware search and the connection to it.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchedBoard {
    /// The server's last report.
    pub view: WorkView<Board>,
    /// The connection.
    pub connection: Connection,
    /// Index of the current cell: the Tab key leads to it.
    pub at: usize,
    /// `true` if the current cell was chosen, so that its details show.
    pub chosen: bool,
    /// Index of the cell under the pointer, whose details show first.
    pub over: Option<usize>,
}

/// An update of the current cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Goes to a cell, by index.
    At(usize),
    /// The pointer is over a cell, by index, or over none.
    Over(Option<usize>),
    /// Goes on from the current cell.
    Go(Step),
}

/// A step from cell to cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the cell on the left.
    Left,
    /// To the cell on the right.
    Right,
    /// To the cell above.
    Up,
    /// To the cell below.
    Down,
    /// To the first cell of the row.
    First,
    /// To the last cell of the row.
    Last,
}

/// A cell as the table draws it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellView {
    /// State.
    pub state: CellState,
    /// First line of the cell.
    pub word: &'static str,
    /// Cost, if known.
    pub cost: String,
    /// `true` if no other solved cell has as few NIs and as few ports.
    pub frontier: bool,
    /// `true` if no other solved cell is known to cost less.
    pub cheapest: bool,
    /// NICs per node and ports per switch, for screen readers.
    pub place: String,
    /// All other details, for screen readers.
    pub details: String,
    /// `true` if a click opens its design. A click on another cell shows its details.
    pub opens: bool,
}

impl WatchedBoard {
    /// A hardware search that is not followed yet.
    pub fn new(view: WorkView<Board>) -> WatchedBoard {
        WatchedBoard { connection: Connection::to(view.state), view, at: 0, chosen: false, over: None }
    }

    /// Updates the search.
    pub fn apply(&mut self, event: Event<Board>) {
        self.connection.apply(&mut self.view, event);
        self.at = self.at.min(self.board().cells.len().saturating_sub(1));
    }

    /// The results so far.
    pub fn board(&self) -> &Board {
        &self.view.report
    }

    /// The settings, unless another version of Crosspoint accepted them.
    pub fn settings(&self) -> Option<HardwareSettings> {
        self.view.asked.form.form::<BoardForm>().read().ok()
    }

    /// Carries out an update.
    pub fn update(&mut self, action: Action) {
        match action {
            Action::At(cell) => {
                if cell < self.board().cells.len() {
                    (self.at, self.chosen) = (cell, true);
                }
            }
            Action::Over(cell) => self.over = cell,
            Action::Go(step) => {
                self.at = step.from(self.at, self.board().ports.len(), self.board().cells.len());
                self.chosen = true;
            }
        }
    }

    /// `true` if the search is over.
    pub fn is_over(&self) -> bool {
        self.connection.is_over()
    }

    /// The search's state, in words.
    pub fn state_words(&self) -> String {
        let ends = [
            "Finished: solutions found",
            "Finished: no solution found",
            "Interrupted; results so far are kept",
        ];
        self.connection.search_words(&self.view, ends)
    }

    /// The cell whose details show, with its index.
    pub fn shown(&self) -> Option<(usize, &Cell)> {
        let index = self.over.or(self.chosen.then_some(self.at))?;
        Some((index, self.board().cells.get(index)?))
    }
}

impl Step {
    fn from(self, at: usize, columns: usize, cells: usize) -> usize {
        let columns = columns.max(1);
        let row = at - at % columns;
        match self {
            Step::Left if at > row => at - 1,
            Step::Right if at + 1 < (row + columns).min(cells) => at + 1,
            Step::Up if at >= columns => at - columns,
            Step::Down if at + columns < cells => at + columns,
            Step::First => row,
            Step::Last => (row + columns).min(cells).saturating_sub(1),
            _ => at,
        }
    }
}

/// A cell as the table draws it; empty for an index out of range.
pub fn drawn(board: &Board, index: usize) -> CellView {
    let Some(cell) = board.cells.get(index) else { return CellView::default() };
    let cheapest = board.cheapest == Some(index);
    CellView {
        state: cell.state,
        word: match (cheapest, board.is_proven(), board.fewest == Some(index)) {
            (true, true, _) => "cheapest",
            (true, false, _) => "cheapest so far",
            (_, _, true) => "fewest switches",
            _ => shown(cell.state).word,
        },
        cost: cell.cost.map(rounded).unwrap_or_default(),
        frontier: board.frontier.contains(&index),
        cheapest,
        place: place(board, cell),
        details: details(board, index, cell),
        opens: cell.state.is_solved(),
    }
}

/// `true` if a wiring was found for a cell, even one that leaves pairs uncovered.
pub fn opens(cell: &Cell) -> bool {
    cell.state.is_solved() || (cell.uncovered.is_some() && cell.state != CellState::Refuted)
}

/// Every fault: of each field by itself, and of all fields together for this spec and its pairs.
pub fn faults(form: &BoardForm, asked: Option<(&Arc<Spec>, &Arc<Demand>)>) -> Vec<Fault> {
    let faults = match asked {
        Some((spec, demand)) if form.goal == "time" => form.frontier(spec, demand).err(),
        Some((spec, demand)) => form.request(spec, demand).err(),
        None => form.read().err(),
    };
    faults.map_or_else(Vec::new, |Faults(faults)| faults)
}

/// A state of a cell as people see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateLabel {
    /// CSS class.
    pub class: &'static str,
    /// The word in the cell.
    pub word: &'static str,
    /// Explanation of the state.
    pub meaning: &'static str,
}

/// A state as people see it.
pub fn shown(state: CellState) -> StateLabel {
    let (class, word, meaning) = match state {
        CellState::Unknown => ("unknown", "–", "not tried"),
        CellState::Trying => ("trying", "trying", "in progress"),
        CellState::Solved => ("solved", "solved", "the checker accepts a wiring"),
        CellState::Implied => ("implied", "implied", "the wiring of another solved cell fits"),
        CellState::Failed => ("failed", "failed", "no wiring found, but not proven impossible"),
        CellState::Refuted => ("refuted", "ruled out", "no wiring can exist"),
        CellState::Stock => ("stock", "out of stock", "needs more switches than the stock has"),
    };
    StateLabel { class, word, meaning }
}

/// A price in few characters: 1,615 or 1,615.50, 12.3 M.
pub fn money(price: f64) -> String {
    match price {
        p if p.abs() >= 1e7 => short(p),
        p if p.fract() == 0.0 => fixed(p, 0),
        p => fixed(p, 2),
    }
}

/// A price short enough for a cell.
fn rounded(price: f64) -> String {
    if price.abs() >= 1000.0 { money(price.round()) } else { money(price) }
}

/// The state and other details of a cell that its two visible words leave out, for screen readers.
fn details(board: &Board, index: usize, cell: &Cell) -> String {
    let state = match (cell.state, board.best().is_some_and(|(best, _)| best == index)) {
        (CellState::Unknown, _) => Some(shown(cell.state).meaning.to_owned()),
        (state, true) => Some(shown(state).word.to_owned()),
        _ => None,
    };
    let frontier = board.frontier.contains(&index).then(|| "on the frontier".to_owned());
    let all = [state, left(cell), frontier].into_iter().flatten();
    all.map(|words| format!(", {words}")).collect()
}

/// The place of a cell: NICs per node and ports per switch.
fn place(board: &Board, cell: &Cell) -> String {
    let nics = count(cell.nis.into(), "NIC");
    match cell.is_mix() {
        true => format!("{nics}, {}", cell.widths(&board.ports)),
        false => format!("{nics}, {}", count(cell.ports.into(), "port")),
    }
}

fn left(cell: &Cell) -> Option<String> {
    let left = cell.uncovered.filter(|&left| left > 0 && !cell.state.is_solved())?;
    Some(count(left, "uncovered pair"))
}

/// A cell in full: its place, and its figures by name.
pub fn facts(board: &Board, cell: &Cell) -> (String, Vec<(&'static str, String)>) {
    let switches = match cell.ports - cell.usable.min(cell.ports) {
        0 => grouped(cell.switches.into()),
        kept => {
            format!("{}, each with {}", grouped(cell.switches.into()), count(kept.into(), "reserved port"))
        }
    };
    let StateLabel { word, meaning, .. } = shown(cell.state);
    let state =
        if cell.state == CellState::Unknown { meaning.to_owned() } else { format!("{word}: {meaning}") };
    let mut facts = vec![("state", state), ("switches", switches), ("cables", grouped(cell.cables))];
    match (cell.cost, cell.known_cost) {
        (Some(cost), _) => facts.push(("cost", fixed(cost, 2))),
        (None, Some(known)) => {
            facts.push(("cost", format!("at least {}; a price is missing", fixed(known, 2))));
        }
        (None, None) => {}
    }
    if let Some(least) = cell.least.filter(|_| cell.state.is_solved()) {
        let words = match least >= cell.switches {
            true => "fewer are proven impossible".into(),
            false => format!("at least {} needed", grouped(least.into())),
        };
        facts.push(("bound", words));
    }
    facts.extend(left(cell).map(|left| ("best wiring", left)));
    if cell.attempts > 0 {
        let tried = count(cell.attempts.into(), "attempt");
        facts.push(("tried", format!("{tried}, {} s", fixed(cell.seconds, 1))));
    }
    if !cell.note.is_empty() {
        facts.push(("note", cell.note.clone()));
    }
    (place(board, cell), facts)
}

/// The lower bound on the cost beside the cheapest cell, and the missing prices.
pub fn ranking(board: &Board) -> Vec<String> {
    let cost = board.cheapest.and_then(|index| board.cells[index].cost);
    let mut lines = Vec::new();
    match (cost, board.least_cost) {
        (Some(cost), _) if board.is_proven() => {
            lines.push(format!("Nothing here is cheaper than {}: proven.", money(cost)));
        }
        (Some(cost), Some(least)) => {
            lines.push(format!(
                "Cheapest found so far: {}. Proven lower bound: {}.",
                money(cost),
                money(least)
            ));
        }
        (Some(cost), None) => lines.push(format!("Cheapest found so far: {}.", money(cost))),
        (None, _) => {}
    }
    lines.extend(board.unranked.iter().cloned());
    lines
}

/// Results for tests: NIs from 2 on in rows of `word` for each state, one letter a cell: `s`olved, `i`mplied, `f`ailed,
/// `t`rying, `r`efuted, `o`ut of stock, `.` unknown. A port costs 1, if `priced`.
#[cfg(test)]
pub(super) fn sketch(ports: &[u32], rows: &[&str], priced: bool) -> Board {
    let state = |letter| match letter {
        's' => CellState::Solved,
        'i' => CellState::Implied,
        'f' => CellState::Failed,
        't' => CellState::Trying,
        'r' => CellState::Refuted,
        'o' => CellState::Stock,
        _ => CellState::Unknown,
    };
    let cell = |nis: u32, (model, letter): (usize, char)| Cell {
        nis,
        model,
        ports: ports[model],
        usable: ports[model],
        switches: nis,
        cables: 8 * u64::from(nis),
        cost: priced.then(|| f64::from(nis * ports[model])),
        state: state(letter),
        uncovered: (letter == 'f').then_some(14).or((letter == 's').then_some(0)),
        ..Cell::default()
    };
    let cells = (2..).zip(rows).flat_map(|(nis, row)| row.chars().enumerate().map(move |at| cell(nis, at)));
    let mut board = Board {
        nis_from: 2,
        nis_to: 1 + rows.len() as u32,
        ports: ports.to_vec(),
        cells: cells.collect(),
        elapsed: 12.0,
        ..Board::default()
    };
    board.rank();
    board
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::{
        api::{FormTexts, WorkState},
        form::{Form, message},
        resolve::{self, NoFiles},
        search::Budget,
        spec::MAX_NIS,
    };

    fn view(state: WorkState, report: Board) -> WorkView<Board> {
        WorkView { state, report, ..WorkView::default() }
    }

    fn running(rows: &[&str]) -> WorkView<Board> {
        view(WorkState::Running, sketch(&[16, 8], rows, true))
    }

    fn reported(view: WorkView<Board>) -> Event<Board> {
        Event::Reported(Box::new(view))
    }

    #[test]
    fn reports_reach_the_cells() {
        let mut watched = WatchedBoard::new(running(&["t.", ".."]));
        watched.apply(reported(running(&["fr", "sf"])));
        let board = watched.board();
        assert_eq!(
            (0..4).map(|i| drawn(board, i).word).collect::<Vec<_>>(),
            ["failed", "ruled out", "cheapest so far", "failed"]
        );
        let solved = drawn(board, 2);
        assert!(solved.frontier && solved.cheapest && solved.opens);
        assert_eq!(solved.cost, "48");
        assert_eq!(solved.place, "3 NICs, 16 ports");
        assert_eq!(solved.details, ", solved, on the frontier");
        assert!(!drawn(board, 0).opens && opens(&board.cells[0]) && !opens(&board.cells[1]));
        assert_eq!(drawn(board, 99), CellView::default());
    }

    #[test]
    fn steps_stay_on_the_board() {
        let mut watched = WatchedBoard::new(running(&["..", "..", ".."]));
        assert_eq!(watched.shown(), None);
        let steps = [Step::Left, Step::Up, Step::Right, Step::Right, Step::Down, Step::Down, Step::Down];
        let mut places = Vec::new();
        for step in steps.into_iter().chain([Step::First, Step::Last]) {
            watched.update(Action::Go(step));
            places.push(watched.at);
        }
        assert_eq!(places, [0, 0, 1, 1, 3, 5, 5, 4, 5]);
        assert_eq!(watched.shown().map(|(_, c)| (c.nis, c.ports)), Some((4, 8)));
        watched.update(Action::Over(Some(0)));
        assert_eq!((watched.shown().map(|(index, _)| index), watched.at), (Some(0), 5));
        watched.update(Action::Over(None));
        watched.update(Action::At(17));
        assert_eq!(watched.at, 5);
        watched.apply(reported(running(&[".."])));
        assert_eq!(watched.at, 1);
        let mut empty = WatchedBoard::new(view(WorkState::Queued, Board::default()));
        empty.update(Action::Go(Step::Last));
        assert_eq!((empty.at, empty.shown()), (0, None));
    }

    #[test]
    fn without_prices_there_are_no_costs() {
        let board = sketch(&[16, 8], &["sf"], false);
        assert_eq!((drawn(&board, 0).cost.as_str(), board.cheapest), ("", None));
        assert_eq!((drawn(&board, 0).word, drawn(&board, 0).cheapest), ("fewest switches", false));
        assert_eq!(drawn(&board, 0).details, ", solved, on the frontier");
        assert_eq!(drawn(&board, 1).details, ", 14 uncovered pairs");
    }

    fn spec_text(more: &str) -> String {
        format!(
            "pes = 16\nnis_per_pe = 2\nobjective = \"sparse\"\n{more}\n[[switch]]\nports = 8\nprice = 20.0\n\n\
             [[pattern]]\nkind = \"hypercube\"\n"
        )
    }

    fn spec_of(text: &str) -> (Arc<Spec>, Arc<Demand>) {
        let spec = resolve::read(text, &mut NoFiles).unwrap();
        let demand = Demand::build(&spec).unwrap();
        (Arc::new(spec), Arc::new(demand))
    }

    fn typed(texts: &[(&str, &str)]) -> BoardForm {
        let mut form = BoardForm::default();
        texts.iter().for_each(|(key, text)| *form.get_mut(key).unwrap() = (*text).into());
        form
    }

    fn found(form: &BoardForm) -> Vec<Fault> {
        let (spec, demand) = spec_of(&spec_text(""));
        faults(form, Some((&spec, &demand)))
    }

    /// The message beside a field.
    fn beside(form: &BoardForm, key: &str) -> Option<String> {
        message(&found(form), key)
    }

    #[test]
    fn a_right_form_has_its_settings_and_comes_back_as_typed() {
        let form = typed(&[("ports", "6-12, 16, 24"), ("threads", "2")]);
        assert_eq!(found(&form), []);
        let settings = form.read().unwrap();
        assert_eq!((settings.nis_from, settings.nis_to, settings.threads), (2, 5, Some(2)));
        assert_eq!((settings.cell, settings.total), (Budget::Seconds(5.0), Budget::Seconds(300.0)));
        let mut watched = WatchedBoard::new(running(&["t."]));
        watched.view.asked.form = FormTexts::of(&[&form]);
        assert_eq!(watched.view.asked.form.form::<BoardForm>(), form);
        assert_eq!(watched.settings(), Some(settings));
    }

    #[test]
    fn budgets_of_work_are_read_in_their_unit() {
        let form = typed(&[
            ("cell.unit", "effort"),
            ("total.unit", "effort"),
            ("cell.effort", "3"),
            ("total.effort", "40"),
            // What is not on screen is not judged.
            ("cell.seconds", "soon"),
        ]);
        assert_eq!(found(&form), []);
        let settings = form.read().unwrap();
        assert_eq!((settings.cell, settings.total), (Budget::Effort(3), Budget::Effort(40)));
        assert_eq!(FormTexts::of(&[&form]).form::<BoardForm>().read(), Ok(settings));
        for (key, text) in [("cell.effort", "0"), ("cell.effort", "0.5"), ("total.effort", "much")] {
            let mut form = form.clone();
            *form.get_mut(key).unwrap() = text.into();
            let [fault] = &found(&form)[..] else { panic!("one fault of {text}") };
            assert_eq!((fault.path.as_str(), form.read().is_err()), (key, true));
            let words = beside(&form, key).unwrap();
            assert!(words.starts_with("Must be a whole number from 1 to "), "{words}");
        }
    }

    #[test]
    fn a_wrong_field_says_what_would_do() {
        let wrong = [
            ("nis_from", "0"),
            ("nis_to", "65"),
            ("nis_to", "1"),
            ("ports", "6-12, many"),
            ("ports", "12-6"),
            ("cell.seconds", "0"),
            ("total.seconds", "soon"),
            ("seed", "-1"),
            ("threads", "65"),
        ];
        for (key, text) in wrong {
            let words = beside(&typed(&[(key, text)]), key);
            assert!(
                words
                    .as_ref()
                    .is_some_and(|words| words.starts_with("Must be ") || words.starts_with("Put ")),
                "{text}: {words:?}"
            );
        }
    }

    #[test]
    fn two_parts_of_the_widths_give_one_sentence() {
        let words = "Must be widths from 2 to 4,096, such as 6-12, 16, 24, not x, 1.";
        assert_eq!(beside(&typed(&[("ports", "x, 8, 1")]), "ports").as_deref(), Some(words));
    }

    #[test]
    fn every_wrong_field_is_reported_at_once() {
        let form = typed(&[("nis_to", "1"), ("ports", "x"), ("cell.seconds", "0"), ("seed", "x")]);
        let found = found(&form);
        let paths: Vec<_> = found.iter().map(|fault| fault.path.as_str()).collect();
        assert_eq!(paths, ["nis_to", "ports", "cell.seconds", "seed"]);
        assert_eq!(
            beside(&form, "nis_to").unwrap(),
            format!("Must be a whole number from 2 to {MAX_NIS}, not 1.")
        );
    }

    #[test]
    fn every_message_is_one_sentence() {
        for (key, text) in [("nis_to", "1"), ("ports", "8, 8, x, x"), ("ports", "2-4096")] {
            let words = beside(&typed(&[(key, text)]), key).unwrap();
            assert!(words.ends_with('.') && words.matches(". ").count() <= 1, "{words}");
        }
    }

    #[test]
    fn a_spec_that_no_hardware_search_can_have_is_the_fault_of_no_field() {
        let (spec, demand) = spec_of(&spec_text("[[placement]]\npes = [0]\nswitches = [0]\nkind = \"on\"\n"));
        let found = faults(&BoardForm::default(), Some((&spec, &demand)));
        assert!(matches!(&found[..], [fault] if fault.path == "placement"), "{found:?}");
    }

    #[test]
    fn groups_with_different_nis_are_reported_with_other_faults() {
        let groups = "[[pe_group]]\ncount = 8\nnis = 2\n[[pe_group]]\ncount = 8\nnis = 3\n";
        let (spec, demand) = spec_of(&spec_text(groups).replace("nis_per_pe = 2\n", ""));
        for (seed, count) in [("1", 1), ("-1", 2)] {
            let found = faults(&typed(&[("seed", seed)]), Some((&spec, &demand)));
            assert_eq!(found.len(), count, "{found:?}");
            let own = found.iter().find(|fault| fault.path == "node_group").expect("of the spec");
            assert!(own.message.contains("`nics_per_node`"), "{own:?}");
        }
    }

    #[test]
    fn a_table_too_large_is_reported_beside_its_widths() {
        let words = beside(&typed(&[("ports", "2-4096")]), "ports");
        assert!(words.as_ref().is_some_and(|words| words.replace(',', "").contains("4096")), "{words:?}");
    }

    #[test]
    fn prices_take_few_characters() {
        let prices = [(1615.0, "1,615"), (0.5, "0.50"), (1615.25, "1,615.25"), (12_345_678.0, "12.3 M")];
        prices.iter().for_each(|&(price, text)| assert_eq!(money(price), text));
        assert_eq!((rounded(1615.75), rounded(0.5)), ("1,616".into(), "0.50".into()));
    }

    #[test]
    fn a_cell_shows_only_known_figures() {
        let cell = Cell { nis: 1, ports: 24, usable: 23, switches: 17, cables: 384, ..Cell::default() };
        let board = Board::default();
        let (place, known) = facts(&board, &cell);
        assert_eq!(place, "1 NIC, 24 ports");
        assert_eq!(known.iter().map(|f| f.0).collect::<Vec<_>>(), ["state", "switches", "cables"]);
        assert_eq!(known[1].1, "17, each with 1 reserved port");
        let tried = Cell {
            state: CellState::Failed,
            uncovered: Some(1),
            cost: Some(1615.5),
            note: "greedy, then repair".into(),
            seconds: 7.25,
            attempts: 2,
            ..cell
        };
        let known = facts(&board, &tried).1;
        let of = |name| known.iter().find(|f| f.0 == name).map(|f| f.1.as_str());
        assert_eq!(of("best wiring"), Some("1 uncovered pair"));
        assert_eq!((of("cost"), of("tried")), (Some("1,615.50"), Some("2 attempts, 7.2 s")));
        assert_eq!(of("note"), Some("greedy, then repair"));
        // The known part of an unknown cost is a lower bound.
        let unpriced = facts(&board, &Cell { cost: None, known_cost: Some(4220.0), ..tried }).1;
        assert!(unpriced.contains(&("cost", "at least 4,220.00; a price is missing".into())), "{unpriced:?}");
    }

    #[test]
    fn cheapest_is_said_only_of_what_is_proven() {
        let mut board = sketch(&[16, 8], &["ss"], true);
        board.least_cost = Some(12.0);
        assert_eq!(drawn(&board, 1).word, "cheapest so far");
        assert_eq!(ranking(&board), ["Cheapest found so far: 16. Proven lower bound: 12."]);
        board.least_cost = Some(16.0);
        assert_eq!(drawn(&board, 1).word, "cheapest");
        assert_eq!(ranking(&board), ["Nothing here is cheaper than 16: proven."]);
        board.unranked = vec!["switch[0].price: give a price to rank by cost.".into()];
        assert_eq!(drawn(&board, 1).word, "cheapest so far", "a model without a price may be cheaper");
        assert_eq!(ranking(&board)[1], board.unranked[0]);
    }

    #[test]
    fn a_mix_of_models_names_its_switches() {
        let mut board = sketch(&[16, 8, 0], &["ss."], true);
        assert_eq!(drawn(&board, 2).place, "2 NICs, mixed models");
        board.cells[2].mix = vec![1, 3];
        assert_eq!(drawn(&board, 2).place, "2 NICs, 1 x 16 and 3 x 8 ports");
    }
}
