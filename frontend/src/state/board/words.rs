//! A board in words.

use crate::state::words::{count, fixed, grouped, short};
use shared::hardware::{Board, Cell, CellState};

/// What stands in a cell.
pub(super) fn word(state: CellState) -> &'static str {
    match state {
        CellState::Unknown => "–",
        CellState::Trying => "trying",
        CellState::Solved => "solved",
        CellState::Implied => "implied",
        CellState::Failed => "failed",
        CellState::Refuted => "ruled out",
        CellState::Stock => "no stock",
    }
}

/// What a state means, in a sentence without its end.
fn meaning(state: CellState) -> &'static str {
    match state {
        CellState::Unknown => "not tried",
        CellState::Trying => "being tried",
        CellState::Solved => "solved: a wiring was found that the checker accepts",
        CellState::Implied => "implied: a wiring of a smaller machine does here too",
        CellState::Failed => "failed: tried without success, which proves nothing",
        CellState::Refuted => "ruled out: no wiring can exist",
        CellState::Stock => "no stock: it takes more switches than there are",
    }
}

/// A price in few characters: 1,615 or 1,615.50, 12.3 M.
pub fn money(price: f64) -> String {
    match price {
        p if p.abs() >= 1e7 => short(p),
        p if p.fract() == 0.0 => fixed(p, 0),
        p => fixed(p, 2),
    }
}

/// A price in the few characters that a cell has room for.
pub(super) fn rounded(price: f64) -> String {
    if price.abs() >= 1000.0 { money(price.round()) } else { money(price) }
}

/// A cell in one line, for those who do not see it.
pub fn label(board: &Board, index: usize) -> String {
    let Some(cell) = board.cells.get(index) else { return String::new() };
    let mut words = format!(
        "{}: {}",
        place(cell),
        if cell.state == CellState::Unknown { "not tried" } else { word(cell.state) }
    );
    if let Some(left) = left(cell) {
        words += &format!(", {left}");
    }
    if let Some(cost) = cell.cost {
        words += &format!(", costs {}", money(cost));
    }
    if board.cheapest == Some(index) {
        words += ", cheapest";
    }
    if board.frontier.contains(&index) {
        words += ", on the frontier";
    }
    words
}

fn place(cell: &Cell) -> String {
    format!("{}, {}", count(cell.nis.into(), "NI"), count(cell.ports.into(), "port"))
}

fn left(cell: &Cell) -> Option<String> {
    let left = cell.uncovered.filter(|&left| left > 0 && !cell.state.is_solved())?;
    Some(format!("{} uncovered", count(left, "pair")))
}

/// A cell in full: where it is, what is known, and figures with their names.
pub fn facts(board: &Board, cell: &Cell) -> (String, Vec<(&'static str, String)>) {
    let switches = match cell.ports - cell.usable.min(cell.ports) {
        0 => grouped(cell.switches.into()),
        kept => {
            format!("{}, each with {} kept free", grouped(cell.switches.into()), count(kept.into(), "port"))
        }
    };
    let mut facts = vec![
        ("state", meaning(cell.state).to_owned()),
        ("switches", switches),
        ("cables", grouped(cell.cables)),
    ];
    match cell.cost {
        Some(cost) => facts.push(("cost", fixed(cost, 2))),
        None if board.cells.iter().any(|c| c.cost.is_some()) => {
            facts.push(("cost", "unknown: no model of the spec is as wide and has a price".into()));
        }
        None => {}
    }
    facts.extend(left(cell).map(|left| ("best wiring", left)));
    if cell.attempts > 0 {
        let tried = match cell.attempts {
            1 => "once".to_owned(),
            2 => "twice".to_owned(),
            n => format!("{n} times"),
        };
        facts.push(("tried", format!("{tried}, {} s", fixed(cell.seconds, 1))));
    }
    if !cell.note.is_empty() {
        facts.push(("note", cell.note.clone()));
    }
    (place(cell), facts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_take_few_characters() {
        let prices = [(1615.0, "1,615"), (0.5, "0.50"), (1615.25, "1,615.25"), (12_345_678.0, "12.3 M")];
        prices.iter().for_each(|&(price, text)| assert_eq!(money(price), text));
        assert_eq!((rounded(1615.75), rounded(0.5)), ("1,616".into(), "0.50".into()));
    }

    #[test]
    fn a_cell_tells_what_is_known_and_no_more() {
        let cell = Cell { nis: 1, ports: 24, usable: 23, switches: 17, cables: 384, ..Cell::default() };
        let board = Board::default();
        let (place, known) = facts(&board, &cell);
        assert_eq!(place, "1 NI, 24 ports");
        assert_eq!(known.iter().map(|f| f.0).collect::<Vec<_>>(), ["state", "switches", "cables"]);
        assert_eq!(known[1].1, "17, each with 1 port kept free");
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
        assert_eq!(of("best wiring"), Some("1 pair uncovered"));
        assert_eq!((of("cost"), of("tried")), (Some("1,615.50"), Some("twice, 7.2 s")));
        assert_eq!(of("note"), Some("greedy, then repair"));
        // Beside cells with a price, one without is told of.
        let priced = Board { cells: vec![tried.clone()], ..Board::default() };
        let unpriced = facts(&priced, &Cell { cost: None, ..tried }).1;
        assert!(unpriced.iter().any(|(name, words)| *name == "cost" && words.contains("no model")));
    }
}
