//! The results of a hardware search, in words.

use crate::state::words::{count, fixed, grouped, short};
use shared::hardware::{Board, Cell, CellState};

/// The word in a cell.
pub(super) fn word(state: CellState) -> &'static str {
    match state {
        CellState::Unknown => "–",
        CellState::Trying => "trying",
        CellState::Solved => "solved",
        CellState::Implied => "implied",
        CellState::Failed => "failed",
        CellState::Refuted => "ruled out",
        CellState::Stock => "out of stock",
    }
}

/// The meaning of a state.
fn meaning(state: CellState) -> &'static str {
    match state {
        CellState::Unknown => "not tried",
        CellState::Trying => "being tried",
        CellState::Solved => "solved: the checker accepts a wiring",
        CellState::Implied => "implied: the wiring of another solved cell fits",
        CellState::Failed => "failed: no wiring found, but not proven impossible",
        CellState::Refuted => "ruled out: no wiring can exist",
        CellState::Stock => "out of stock: needs more switches than the stock has",
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

/// A price short enough for a cell.
pub(super) fn rounded(price: f64) -> String {
    if price.abs() >= 1000.0 { money(price.round()) } else { money(price) }
}

/// The state and other details of a cell that its two visible words leave out, for screen readers.
pub(super) fn details(board: &Board, index: usize, cell: &Cell) -> String {
    let state = match (cell.state, board.cheapest == Some(index)) {
        (CellState::Unknown, _) => Some("not tried".to_owned()),
        (state, true) => Some(word(state).to_owned()),
        _ => None,
    };
    let frontier = board.frontier.contains(&index).then(|| "on the frontier".to_owned());
    let all = [state, left(cell), frontier].into_iter().flatten();
    all.map(|words| format!(", {words}")).collect()
}

/// The place of a cell: NICs per node and ports per switch.
pub(super) fn place(cell: &Cell) -> String {
    format!("{}, {}", count(cell.nis.into(), "NIC"), count(cell.ports.into(), "port"))
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
    let mut facts = vec![
        ("state", meaning(cell.state).to_owned()),
        ("switches", switches),
        ("cables", grouped(cell.cables)),
    ];
    match cell.cost {
        Some(cost) => facts.push(("cost", fixed(cost, 2))),
        None if board.cells.iter().any(|c| c.cost.is_some()) => {
            facts.push(("cost", "unknown: no model of the spec with this width has a price".into()));
        }
        None => {}
    }
    facts.extend(left(cell).map(|left| ("best wiring", left)));
    if cell.attempts > 0 {
        let tried = count(cell.attempts.into(), "attempt");
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
        // Beside cells with a price, one without says why.
        let priced = Board { cells: vec![tried.clone()], ..Board::default() };
        let unpriced = facts(&priced, &Cell { cost: None, ..tried }).1;
        assert!(unpriced.iter().any(|(name, words)| *name == "cost" && words.contains("no model")));
    }
}
