//! A board as text.

use shared::{
    hardware::{Board, Cell, CellState},
    text::{fixed, grouped},
};
use std::fmt::Write;

/// A board, what its marks mean, the frontier and the cheapest build.
pub fn board(board: &Board) -> String {
    let mut text = table(board);
    let marks: Vec<String> = LEGEND
        .iter()
        .filter(|(state, ..)| board.cells.iter().any(|cell| cell.state == *state))
        .map(|(_, mark, meaning)| format!("{mark}  {meaning}"))
        .collect();
    let _ = writeln!(text, "\n{}", marks.join("\n"));
    if board.frontier.is_empty() {
        text += "\nno hardware was found to be enough\n";
        return text;
    }
    text += "\nfrontier, where no build has fewer NIs and ports:\n";
    for &index in &board.frontier {
        let _ = writeln!(text, "  {}", build(&board.cells[index]));
    }
    if let Some(cheapest) = board.cheapest {
        let _ = writeln!(text, "cheapest:\n  {}", build(&board.cells[cheapest]));
    }
    text
}

/// What is told while the search goes on, the most important first.
pub fn progress(board: &Board) -> Vec<String> {
    let count =
        |is: fn(CellState) -> bool| grouped(board.cells.iter().filter(|cell| is(cell.state)).count() as u64);
    let cheapest = board.cheapest.and_then(|index| board.cells[index].cost);
    let mut fields = vec![
        format!("{:>7} s", fixed(board.elapsed, 1)),
        format!("{} of {} cells solved", count(CellState::is_solved), grouped(board.cells.len() as u64)),
        format!("{} failed", count(|state| state == CellState::Failed)),
    ];
    fields.extend(cheapest.map(|cost| format!("cheapest {}", fixed(cost, 2))));
    fields.push(board.trying.clone());
    fields
}

/// The name of a cell's files, without what comes after the dot.
pub fn file_name(board: &Board, index: usize) -> String {
    let cell = &board.cells[index];
    let alike = board.ports.iter().filter(|&&ports| ports == cell.ports).count();
    let which = if alike > 1 { format!("-model-{}", cell.model + 1) } else { String::new() };
    format!("{}-nis-{}-ports{which}", cell.nis, cell.ports)
}

const LEGEND: [(CellState, char, &str); 6] = [
    (CellState::Solved, '+', "solved, at this price"),
    (CellState::Implied, '=', "solved by another cell's wiring, at this price"),
    (CellState::Failed, 'x', "tried in vain; so many pairs were left uncovered"),
    (CellState::Refuted, '-', "provably impossible"),
    (CellState::Stock, '$', "more switches than are in stock"),
    (CellState::Unknown, '?', "not tried"),
];

fn table(board: &Board) -> String {
    let heads = board.ports.iter().map(|ports| format!("{ports} ports"));
    let mut rows: Vec<Vec<String>> = vec![std::iter::once(String::new()).chain(heads).collect()];
    for (row, nis) in board.cells.chunks(board.ports.len()).zip(board.nis_from..) {
        let head = format!("{nis} {}", if nis == 1 { "NI" } else { "NIs" });
        rows.push(std::iter::once(head).chain(row.iter().map(entry)).collect());
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..=board.ports.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let fields: Vec<String> =
            row.iter().zip(&widths).map(|(field, width)| format!("{field:<width$}")).collect();
        fields.join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

fn entry(cell: &Cell) -> String {
    let mark = LEGEND.iter().find(|(state, ..)| *state == cell.state).map_or('?', |(_, mark, _)| *mark);
    let figure = match cell.state {
        CellState::Solved | CellState::Implied => cell.cost.map(|cost| fixed(cost, 2)),
        CellState::Failed => cell.uncovered.map(grouped),
        _ => None,
    };
    figure.map_or_else(|| mark.to_string(), |figure| format!("{mark} {figure}"))
}

fn build(cell: &Cell) -> String {
    let mut text = format!(
        "{} {}, {} ports: {} {}, {} cables",
        cell.nis,
        if cell.nis == 1 { "NI" } else { "NIs" },
        cell.ports,
        grouped(cell.switches.into()),
        if cell.switches == 1 { "switch" } else { "switches" },
        grouped(cell.cables),
    );
    if let Some(cost) = cell.cost {
        let _ = write!(text, ", {}", fixed(cost, 2));
    }
    text + &format!(" ({})", cell.note)
}
