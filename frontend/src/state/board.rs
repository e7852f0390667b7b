//! A search over hardware on the server, as it is followed from here: the board, and which of its cells one is at.

mod form;
mod tried;
mod words;

pub use form::{BoardForm, Field};
pub use tried::{Outcome, Tried, tried};
pub use words::{facts, money};

use words::label;

use super::tie::{Followed, Heard, Tie};
use shared::{
    api::{BoardView, RunState},
    hardware::{Board, Cell, CellState},
};

/// A board and the tie to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Watched {
    /// As the server last told it.
    pub view: BoardView,
    /// The tie to it.
    pub tie: Tie,
    /// The cell that one is at, by index: the one that the Tab key leads to.
    pub at: usize,
    /// Whether what is known of that cell is to be told.
    pub told: bool,
    /// The cell under the pointer, which is told of instead.
    pub over: Option<usize>,
}

/// What can happen to a board.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Something was heard of it.
    Heard(Box<Heard<BoardView>>),
    /// Goes to a cell, by index.
    At(usize),
    /// The pointer is over a cell, by index, or over none.
    Over(Option<usize>),
    /// Goes on from the cell that one is at.
    Go(Step),
}

/// A step on the board.
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
    /// What is known.
    pub state: CellState,
    /// What stands first in it.
    pub word: &'static str,
    /// What it costs, if that is known.
    pub cost: String,
    /// Whether no solved cell has fewer or equal NIs and ports.
    pub frontier: bool,
    /// Whether no solved cell costs less.
    pub cheapest: bool,
    /// All of that for those who do not see it.
    pub label: String,
    /// Whether a click opens its design. What is known of others is told first: their wirings leave pairs uncovered.
    pub opens: bool,
}

impl From<Heard<BoardView>> for Action {
    fn from(heard: Heard<BoardView>) -> Action {
        Action::Heard(Box::new(heard))
    }
}

impl Followed for Watched {
    type View = BoardView;
    type Action = Action;

    fn new(view: BoardView) -> Watched {
        Watched { tie: Tie::to(view.state), view, at: 0, told: false, over: None }
    }

    fn view(&self) -> &BoardView {
        &self.view
    }

    fn tie(&self) -> &Tie {
        &self.tie
    }

    fn update(&mut self, action: Action) {
        match action {
            Action::Heard(heard) => {
                self.tie.hear(&mut self.view, *heard);
                self.at = self.at.min(self.view.board.cells.len().saturating_sub(1));
            }
            Action::At(cell) => {
                if cell < self.view.board.cells.len() {
                    (self.at, self.told) = (cell, true);
                }
            }
            Action::Over(cell) => self.over = cell,
            Action::Go(step) => {
                self.at = step.from(self.at, self.view.board.ports.len(), self.view.board.cells.len());
                self.told = true;
            }
        }
    }
}

impl Watched {
    /// The search's state, in words.
    pub fn state_words(&self) -> String {
        let state = match self.view.state {
            RunState::Queued => "waits for its turn",
            RunState::Running if self.tie.stopping => "stopping",
            RunState::Running => "searching",
            RunState::Solved => "over, and some hardware is enough",
            RunState::Exhausted => "over, and no hardware was found to be enough",
            RunState::Cancelled => "stopped",
            RunState::Interrupted => "interrupted by the server; what was found is kept",
            RunState::Failed => "failed",
        };
        self.tie.words(self.view.state, state)
    }

    /// The cell to tell of, with its index.
    pub fn shown(&self) -> Option<(usize, &Cell)> {
        let index = self.over.or(self.told.then_some(self.at))?;
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

/// A cell as the table draws it; nothing for one that is not there.
pub fn drawn(board: &Board, index: usize) -> Drawn {
    let Some(cell) = board.cells.get(index) else { return Drawn::default() };
    let cheapest = board.cheapest == Some(index);
    Drawn {
        state: cell.state,
        word: if cheapest { "cheapest" } else { words::word(cell.state) },
        cost: cell.cost.map(words::rounded).unwrap_or_default(),
        frontier: board.frontier.contains(&index),
        cheapest,
        label: label(board, index),
        opens: cell.state.is_solved(),
    }
}

/// Whether a wiring was found for a cell, if only one that leaves pairs uncovered.
pub fn opens(cell: &Cell) -> bool {
    cell.state.is_solved() || (cell.uncovered.is_some() && cell.state != CellState::Refuted)
}

/// A board for tests: NIs from 2 on in rows of `word` for each state, one letter a cell: `s`olved, `i`mplied, `f`ailed,
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
    use shared::api::StartBoard;

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

    fn told(view: BoardView) -> Action {
        Heard::Told(view).into()
    }

    #[test]
    fn what_is_told_comes_on_the_board() {
        let mut watched = Watched::new(running(&["t.", ".."]));
        watched.update(told(running(&["fr", "sf"])));
        let board = &watched.view.board;
        assert_eq!(
            (0..4).map(|i| drawn(board, i).word).collect::<Vec<_>>(),
            ["failed", "ruled out", "cheapest", "failed"]
        );
        let solved = drawn(board, 2);
        assert!(solved.frontier && solved.cheapest && solved.opens);
        assert_eq!(solved.cost, "48");
        assert_eq!(solved.label, "3 NIs, 16 ports: solved, costs 48, cheapest, on the frontier");
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
        watched.update(told(running(&[".."])));
        assert_eq!(watched.at, 1);
        let mut empty = Watched::new(view(RunState::Queued, Board::default()));
        empty.update(Action::Go(Step::Last));
        assert_eq!((empty.at, empty.shown()), (0, None));
    }

    #[test]
    fn without_prices_there_are_no_costs() {
        let board = sketch(&[16, 8], &["sf"], false);
        assert_eq!((drawn(&board, 0).cost.as_str(), board.cheapest), ("", None));
        assert_eq!(drawn(&board, 0).label, "2 NIs, 16 ports: solved, on the frontier");
        assert_eq!(drawn(&board, 1).label, "2 NIs, 8 ports: failed, 14 pairs uncovered");
    }
}
