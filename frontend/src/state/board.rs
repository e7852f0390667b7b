//! A hardware search on the server, as this page follows it: the results by cell, and the current cell.

mod form;
mod tried;
mod words;

pub use form::faults;
pub use tried::{Outcome, Tried, tried};
pub use words::{facts, money};

use super::connection::{Connection, Event};
use shared::{
    api::BoardView,
    hardware::{Board, Cell, CellState},
};

/// A hardware search and the connection to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Watched {
    /// The server's last report.
    pub view: BoardView,
    /// The connection.
    pub connection: Connection,
    /// Index of the current cell: the Tab key leads to it.
    pub at: usize,
    /// `true` if the current cell was chosen, so that its details show.
    pub chosen: bool,
    /// Index of the cell under the pointer, whose details show first.
    pub over: Option<usize>,
}

/// An update of a hardware search.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// An event.
    Event(Box<Event<BoardView>>),
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
pub struct Drawn {
    /// Its state.
    pub state: CellState,
    /// Its first line.
    pub word: &'static str,
    /// Its cost, if known.
    pub cost: String,
    /// `true` if no other solved cell has as few NIs and as few ports.
    pub frontier: bool,
    /// `true` if no solved cell costs less.
    pub cheapest: bool,
    /// NICs per node and ports per switch, for screen readers.
    pub place: String,
    /// All other details, for screen readers.
    pub details: String,
    /// `true` if a click opens its design. A click on another cell shows its details.
    pub opens: bool,
}

impl From<Event<BoardView>> for Action {
    fn from(event: Event<BoardView>) -> Action {
        Action::Event(Box::new(event))
    }
}

impl Watched {
    /// A hardware search that is not followed yet.
    pub fn new(view: BoardView) -> Watched {
        Watched { connection: Connection::to(view.state), view, at: 0, chosen: false, over: None }
    }

    /// Carries out an update.
    pub fn update(&mut self, action: Action) {
        match action {
            Action::Event(event) => {
                self.connection.apply(&mut self.view, *event);
                self.at = self.at.min(self.view.board.cells.len().saturating_sub(1));
            }
            Action::At(cell) => {
                if cell < self.view.board.cells.len() {
                    (self.at, self.chosen) = (cell, true);
                }
            }
            Action::Over(cell) => self.over = cell,
            Action::Go(step) => {
                self.at = step.from(self.at, self.view.board.ports.len(), self.view.board.cells.len());
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
        self.connection.search_words(self.view.state, ends)
    }

    /// The cell whose details show, with its index.
    pub fn shown(&self) -> Option<(usize, &Cell)> {
        let index = self.over.or(self.chosen.then_some(self.at))?;
        Some((index, self.view.board.cells.get(index)?))
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
pub fn drawn(board: &Board, index: usize) -> Drawn {
    let Some(cell) = board.cells.get(index) else { return Drawn::default() };
    let cheapest = board.cheapest == Some(index);
    Drawn {
        state: cell.state,
        word: if cheapest { "cheapest" } else { words::word(cell.state) },
        cost: cell.cost.map(words::rounded).unwrap_or_default(),
        frontier: board.frontier.contains(&index),
        cheapest,
        place: words::place(cell),
        details: words::details(board, index, cell),
        opens: cell.state.is_solved(),
    }
}

/// `true` if a wiring was found for a cell, even one that leaves pairs uncovered.
pub fn opens(cell: &Cell) -> bool {
    cell.state.is_solved() || (cell.uncovered.is_some() && cell.state != CellState::Refuted)
}

/// Results for tests: NIs from 2 on in rows of `word` for each state, one letter a cell: `s`olved, `i`mplied, `f`ailed,
/// `t`rying, `r`efuted, `o`ut of stock, `.` unknown. A port costs 1, if `priced`.
#[cfg(test)]
fn sketch(ports: &[u32], rows: &[&str], priced: bool) -> Board {
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
    use shared::api::{RunState, StartBoard};

    fn view(state: RunState, board: Board) -> BoardView {
        let asked = StartBoard {
            spec: String::new(),
            nis_from: 2,
            nis_to: 3,
            ports: String::new(),
            cell: None,
            total: None,
            seed: None,
            threads: None,
        };
        let (id, message, created, version) = ("b".into(), String::new(), String::new(), String::new());
        BoardView { id, state, asked, board, message, created, version }
    }

    fn running(rows: &[&str]) -> BoardView {
        view(RunState::Running, sketch(&[16, 8], rows, true))
    }

    fn reported(view: BoardView) -> Action {
        Event::Reported(view).into()
    }

    #[test]
    fn reports_reach_the_cells() {
        let mut watched = Watched::new(running(&["t.", ".."]));
        watched.update(reported(running(&["fr", "sf"])));
        let board = &watched.view.board;
        assert_eq!(
            (0..4).map(|i| drawn(board, i).word).collect::<Vec<_>>(),
            ["failed", "ruled out", "cheapest", "failed"]
        );
        let solved = drawn(board, 2);
        assert!(solved.frontier && solved.cheapest && solved.opens);
        assert_eq!(solved.cost, "48");
        assert_eq!(solved.place, "3 NICs, 16 ports");
        assert_eq!(solved.details, ", solved, on the frontier");
        assert!(!drawn(board, 0).opens && opens(&board.cells[0]) && !opens(&board.cells[1]));
        assert_eq!(drawn(board, 99), Drawn::default());
    }

    #[test]
    fn steps_stay_on_the_board() {
        let mut watched = Watched::new(running(&["..", "..", ".."]));
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
        watched.update(reported(running(&[".."])));
        assert_eq!(watched.at, 1);
        let mut empty = Watched::new(view(RunState::Queued, Board::default()));
        empty.update(Action::Go(Step::Last));
        assert_eq!((empty.at, empty.shown()), (0, None));
    }

    #[test]
    fn without_prices_there_are_no_costs() {
        let board = sketch(&[16, 8], &["sf"], false);
        assert_eq!((drawn(&board, 0).cost.as_str(), board.cheapest), ("", None));
        assert_eq!(drawn(&board, 0).details, ", on the frontier");
        assert_eq!(drawn(&board, 1).details, ", 14 uncovered pairs");
    }
}
