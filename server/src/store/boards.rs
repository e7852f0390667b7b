//! Hardware searches: the request, the state of each cell and its best wiring.

use super::{
    INTERRUPTED, SearchKind, Store, StoreError, checkpoints::drop_unless_it_resumes, json, state_of,
    state_text,
};
use crate::{edit::TokenHash, log::short, tasks::Owner};
use rusqlite::{OptionalExtension, Row, named_params, params};
use shared::api::{BoardView, RunState};
use tracing::{error, instrument};

impl Store {
    /// Adds a board of a client, with an empty checkpoint. Returns it with the time of its creation.
    #[instrument(level = "debug", skip_all)]
    pub fn add_board(
        &self,
        view: &BoardView,
        owner: &Owner,
        edit: Option<TokenHash>,
    ) -> Result<BoardView, StoreError> {
        let sql = "INSERT INTO board (id, state, asked, board, version, owner, edit)
             VALUES (:id, :state, :asked, :board, :version, :owner, :edit) RETURNING created";
        let values = named_params! {
            ":id": view.id,
            ":state": state_text(view.state)?,
            ":asked": serde_json::to_string(&view.asked)?,
            ":board": serde_json::to_string(&view.board)?,
            ":version": view.version,
            ":owner": owner.0,
            ":edit": edit.map(|hash| hash.bytes()),
        };
        let created = self.write(|transaction| {
            let created = transaction.query_row(sql, values, |row| row.get(0))?;
            transaction.execute("INSERT INTO board_checkpoint (board) VALUES (?1)", [&view.id])?;
            Ok(created)
        })?;
        Ok(BoardView { created, ..view.clone() })
    }

    /// Updates a board. One that ends without being interrupted loses its checkpoint.
    #[instrument(level = "debug", skip_all)]
    pub fn update_board(&self, view: &BoardView) -> Result<(), StoreError> {
        let sql = "UPDATE board SET state = ?2, board = ?3, message = ?4 WHERE id = ?1";
        let board = serde_json::to_string(&view.board)?;
        let state = state_text(view.state)?;
        self.write(|transaction| {
            transaction.execute(sql, params![view.id, state, board, view.message])?;
            drop_unless_it_resumes(transaction, SearchKind::Board, &view.id, view.state)
        })
    }

    /// The board with this id.
    #[instrument(level = "debug", skip_all)]
    pub fn board(&self, id: &str) -> Result<Option<BoardView>, StoreError> {
        self.find("SELECT * FROM board WHERE id = ?1", id, read)
    }

    /// Saves the best wiring of a cell in place of the one before.
    #[instrument(level = "debug", skip_all)]
    pub fn save_cell(&self, id: &str, cell: usize, table: &str, uncovered: u64) -> Result<(), StoreError> {
        let sql = "INSERT INTO board_cell (board, cell, wiring, uncovered) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (board, cell) DO UPDATE SET wiring = excluded.wiring, uncovered = excluded.uncovered";
        let values = params![id, cell as i64, table, uncovered as i64];
        self.write(|transaction| Ok(transaction.execute(sql, values)?)).map(drop)
    }

    /// Text table of a cell's best wiring and its number of uncovered pairs.
    #[instrument(level = "debug", skip_all)]
    pub fn cell(&self, id: &str, cell: usize) -> Result<Option<(String, u64)>, StoreError> {
        let Ok(cell) = i64::try_from(cell) else { return Ok(None) };
        let sql = "SELECT wiring, uncovered FROM board_cell WHERE board = ?1 AND cell = ?2";
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64));
        self.read(|connection| Ok(connection.query_row(sql, params![id, cell], read).optional()?))
    }

    /// Deletes the wirings of a board's cells; a resumed search reports them again.
    #[instrument(level = "debug", skip_all)]
    pub fn clear_cells(&self, board: &str) -> Result<(), StoreError> {
        let sql = "DELETE FROM board_cell WHERE board = ?1";
        self.write(|transaction| Ok(transaction.execute(sql, [board])?)).map(drop)
    }

    /// Marks unfinished boards as interrupted, as after a crash. An unreadable one is set aside as failed. Returns their number.
    #[instrument(level = "debug", skip_all)]
    pub fn interrupt_boards(&self) -> Result<usize, StoreError> {
        let unfinished: Vec<String> = self.read(|connection| {
            let mut found =
                connection.prepare("SELECT id FROM board WHERE state IN ('queued', 'running')")?;
            let ids = found.query_map([], |row| row.get(0))?;
            Ok(ids.collect::<Result<_, _>>()?)
        })?;
        for id in &unfinished {
            match self.board(id) {
                Ok(Some(mut view)) => {
                    view.board.settle();
                    (view.state, view.message) = (RunState::Interrupted, INTERRUPTED.into());
                    self.update_board(&view)?;
                }
                Ok(None) => {}
                Err(error @ StoreError::Content(_)) => {
                    error!(id = short(id), %error, "set aside a hardware search");
                    self.set_board_aside(id)?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(unfinished.len())
    }

    fn set_board_aside(&self, id: &str) -> Result<(), StoreError> {
        let sql = "UPDATE board SET state = ?2, message = 'unreadable' WHERE id = ?1";
        let state = state_text(RunState::Failed)?;
        self.write(|transaction| {
            transaction.execute(sql, [id, &state])?;
            drop_unless_it_resumes(transaction, SearchKind::Board, id, RunState::Failed)
        })
    }
}

fn read(row: &Row<'_>) -> Result<BoardView, StoreError> {
    Ok(BoardView {
        id: row.get("id")?,
        state: state_of(row)?,
        asked: json(row, "asked")?,
        board: json(row, "board")?,
        message: row.get("message")?,
        created: row.get("created")?,
        version: row.get("version")?,
        queue: None,
    })
}

/// A board for tests, of version 1.2.3.
#[cfg(test)]
pub(super) fn queued(id: &str) -> BoardView {
    use shared::{
        api::StartBoard,
        hardware::{Board, Cell, CellState, Goal},
        search::Budget,
    };
    let cells = [(CellState::Trying, 1), (CellState::Trying, 0), (CellState::Solved, 1)];
    let cell = |(state, attempts)| Cell { state, attempts, cost: Some(12.5), ..Cell::default() };
    BoardView {
        id: id.into(),
        state: RunState::Queued,
        asked: StartBoard {
            spec: String::new(),
            nis_from: 1,
            nis_to: 1,
            ports: String::new(),
            goal: Goal::Pairs,
            market: String::new(),
            within: None,
            cell: None,
            total: Some(Budget::Effort(7)),
            seed: Some(u64::MAX),
            threads: None,
        },
        board: Board { cells: cells.map(cell).to_vec(), trying: "waiting".into(), ..Board::default() },
        message: String::new(),
        created: String::new(),
        version: "1.2.3".into(),
        queue: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::hardware::{Board, CellState};

    #[test]
    fn a_board_comes_back_as_it_was_kept() {
        let store = Store::temporary().unwrap();
        let view = store.add_board(&queued("a"), &Owner::default(), None).unwrap();
        assert!(view.created.ends_with('Z'));
        assert_eq!(store.board("a").unwrap(), Some(view.clone()));
        assert_eq!(store.board("b").unwrap(), None);
        let board = Board { revision: 3, ..view.board.clone() };
        store
            .update_board(&BoardView { state: RunState::Solved, board, message: "told".into(), ..view })
            .unwrap();
        let kept = store.board("a").unwrap().unwrap();
        assert_eq!((kept.state, kept.board.revision, kept.message.as_str()), (RunState::Solved, 3, "told"));
    }

    #[test]
    fn a_cell_keeps_its_latest_wiring() {
        let store = Store::temporary().unwrap();
        store.add_board(&queued("a"), &Owner::default(), None).unwrap();
        store.save_cell("a", 2, "0: 0\n", 4).unwrap();
        store.save_cell("a", 2, "0: 0 1\n", 0).unwrap();
        assert_eq!(store.cell("a", 2).unwrap(), Some(("0: 0 1\n".into(), 0)));
        assert_eq!(store.cell("a", 1).unwrap(), None);
        assert_eq!(store.cell("a", usize::MAX).unwrap(), None);
        assert!(store.save_cell("nobody", 0, "", 0).is_err(), "a cell of no board");
    }

    #[test]
    fn what_was_tried_when_the_studio_stopped_is_tried_no_more() {
        let store = Store::temporary().unwrap();
        store.add_board(&queued("q"), &Owner::default(), None).unwrap();
        store.add_board(&queued("s"), &Owner::default(), None).unwrap();
        store.update_board(&BoardView { state: RunState::Solved, ..queued("s") }).unwrap();
        assert_eq!(store.interrupt_boards().unwrap(), 1);
        let kept = store.board("q").unwrap().unwrap();
        assert_eq!((kept.state, kept.board.trying.as_str()), (RunState::Interrupted, ""));
        let states: Vec<_> = kept.board.cells.iter().map(|cell| cell.state).collect();
        assert_eq!(states, [CellState::Failed, CellState::Unknown, CellState::Solved]);
        assert_eq!(store.board("s").unwrap().unwrap().state, RunState::Solved);
    }

    #[test]
    fn an_unreadable_board_is_set_aside_and_the_others_resume() {
        let store = Store::temporary().unwrap();
        store.add_board(&queued("torn"), &Owner::default(), None).unwrap();
        store.add_board(&queued("whole"), &Owner::default(), None).unwrap();
        let sql = "UPDATE board SET board = '{' WHERE id = 'torn'";
        store.write(|transaction| Ok(transaction.execute(sql, [])?)).unwrap();
        assert_eq!(store.interrupt_boards().unwrap(), 2);
        assert_eq!(store.board("whole").unwrap().unwrap().state, RunState::Interrupted);
        assert!(matches!(store.board("torn"), Err(StoreError::Content(_))));
        let resumable = store.resumable(SearchKind::Board, "1.2.3").unwrap();
        assert_eq!(resumable, [("whole".to_owned(), 0.0)]);
    }
}
