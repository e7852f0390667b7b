//! Searches over hardware: what was asked, what is known of each cell, the best wiring of each.

use super::{
    Store, StoreError,
    runs::{state_of, state_text},
};
use rusqlite::{OptionalExtension, Row, named_params, params};
use shared::{
    api::{BoardView, RunState, StartBoard},
    hardware::Board,
    search::Budget,
};

const COLUMNS: &str = "id, state, asked, board, message, created, version";

impl Store {
    /// Keeps a new board. Of `view`, the time of creation is the store's to say; the board comes back with it.
    ///
    /// # Errors
    /// The database refuses.
    pub fn add_board(&self, view: &BoardView) -> Result<BoardView, StoreError> {
        let sql = "INSERT INTO board (id, state, asked, board, version)
             VALUES (:id, :state, :asked, :board, :version) RETURNING created";
        let values = named_params! {
            ":id": view.id,
            ":state": state_text(view.state)?,
            ":asked": serde_json::to_string(&view.asked)?,
            ":board": serde_json::to_string(&view.board)?,
            ":version": view.version,
        };
        let mut connection = self.connection();
        let transaction = connection.transaction()?;
        let created = transaction.query_row(sql, values, |row| row.get(0))?;
        transaction.execute("INSERT INTO board_checkpoint (board) VALUES (?1)", [&view.id])?;
        transaction.commit()?;
        Ok(BoardView { created, ..view.clone() })
    }

    /// Keeps how a board stands. One that is over, unless it was interrupted, loses its checkpoint.
    ///
    /// # Errors
    /// The database refuses.
    pub fn update_board(
        &self,
        id: &str,
        state: RunState,
        board: &Board,
        message: &str,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE board SET state = ?2, board = ?3, message = ?4 WHERE id = ?1";
        let values = params![id, state_text(state)?, serde_json::to_string(board)?, message];
        self.connection().execute(sql, values)?;
        let goes_on = !state.is_over() || state == RunState::Interrupted;
        if goes_on { Ok(()) } else { self.drop_board_checkpoint(id) }
    }

    /// The board of that name, if there is one.
    ///
    /// # Errors
    /// The database refuses, or holds what nobody can read.
    pub fn board(&self, id: &str) -> Result<Option<BoardView>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM board WHERE id = ?1");
        let raw = self.connection().query_row(&sql, [id], RawBoard::read).optional()?;
        raw.map(RawBoard::understand).transpose()
    }

    /// Keeps the best wiring of a board's cell, in place of the one before.
    ///
    /// # Errors
    /// The database refuses.
    pub fn keep_cell(&self, id: &str, cell: usize, table: &str, uncovered: u64) -> Result<(), StoreError> {
        let sql = "INSERT INTO board_cell (board, cell, wiring, uncovered) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (board, cell) DO UPDATE SET wiring = excluded.wiring, uncovered = excluded.uncovered";
        self.connection().execute(sql, params![id, cell as i64, table, uncovered as i64])?;
        Ok(())
    }

    /// The best wiring of a board's cell, as its text table, with the pairs it leaves uncovered.
    ///
    /// # Errors
    /// The database refuses.
    pub fn cell(&self, id: &str, cell: usize) -> Result<Option<(String, u64)>, StoreError> {
        let Ok(cell) = i64::try_from(cell) else { return Ok(None) };
        let sql = "SELECT wiring, uncovered FROM board_cell WHERE board = ?1 AND cell = ?2";
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64));
        Ok(self.connection().query_row(sql, params![id, cell], read).optional()?)
    }

    /// Marks boards that a studio left behind unfinished, as after a crash. Returns how many.
    ///
    /// # Errors
    /// The database refuses, or holds what nobody can read.
    pub fn interrupt_boards(&self) -> Result<usize, StoreError> {
        let unfinished: Vec<String> = {
            let connection = self.connection();
            let mut found =
                connection.prepare("SELECT id FROM board WHERE state IN ('queued', 'running')")?;
            let ids = found.query_map([], |row| row.get(0))?;
            ids.collect::<Result<_, _>>()?
        };
        for id in &unfinished {
            let Some(mut view) = self.board(id)? else { continue };
            view.board.settle();
            let message = "the studio was stopped in the middle; what was found until then is kept";
            self.update_board(id, RunState::Interrupted, &view.board, message)?;
        }
        Ok(unfinished.len())
    }
}

/// A row as it is; understanding its JSON may fail in another way than reading it.
struct RawBoard {
    view: BoardView,
    state: String,
    asked: String,
    board: String,
}

impl RawBoard {
    fn read(row: &Row<'_>) -> rusqlite::Result<RawBoard> {
        let view = BoardView {
            id: row.get(0)?,
            state: RunState::Failed,
            asked: nothing(),
            board: Board::default(),
            message: row.get(4)?,
            created: row.get(5)?,
            version: row.get(6)?,
        };
        Ok(RawBoard { view, state: row.get(1)?, asked: row.get(2)?, board: row.get(3)? })
    }

    fn understand(self) -> Result<BoardView, StoreError> {
        Ok(BoardView {
            state: state_of(&self.state)?,
            asked: serde_json::from_str(&self.asked)?,
            board: serde_json::from_str(&self.board)?,
            ..self.view
        })
    }
}

/// What stands in place of what is still to be understood.
fn nothing() -> StartBoard {
    StartBoard {
        spec: String::new(),
        nis_from: 1,
        nis_to: 1,
        ports: String::new(),
        cell: None,
        total: None::<Budget>,
        seed: None,
        threads: None,
    }
}

/// A board for tests, of version 1.2.3.
#[cfg(test)]
pub(super) fn queued(id: &str) -> BoardView {
    use shared::hardware::{Cell, CellState};
    let cells = [(CellState::Trying, 1), (CellState::Trying, 0), (CellState::Solved, 1)];
    let cell = |(state, attempts)| Cell { state, attempts, cost: Some(12.5), ..Cell::default() };
    BoardView {
        id: id.into(),
        state: RunState::Queued,
        asked: StartBoard { seed: Some(u64::MAX), total: Some(Budget::Effort(7)), ..nothing() },
        board: Board { cells: cells.map(cell).to_vec(), trying: "waiting".into(), ..Board::default() },
        message: String::new(),
        created: String::new(),
        version: "1.2.3".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::hardware::CellState;

    #[test]
    fn a_board_comes_back_as_it_was_kept() {
        let store = Store::in_memory().unwrap();
        let view = store.add_board(&queued("a")).unwrap();
        assert!(view.created.ends_with('Z'));
        assert_eq!(store.board("a").unwrap(), Some(view.clone()));
        assert_eq!(store.board("b").unwrap(), None);
        let later = Board { revision: 3, ..view.board.clone() };
        store.update_board("a", RunState::Solved, &later, "told").unwrap();
        let kept = store.board("a").unwrap().unwrap();
        assert_eq!((kept.state, kept.board.revision, kept.message.as_str()), (RunState::Solved, 3, "told"));
    }

    #[test]
    fn a_cell_keeps_its_latest_wiring() {
        let store = Store::in_memory().unwrap();
        store.add_board(&queued("a")).unwrap();
        store.keep_cell("a", 2, "0: 0\n", 4).unwrap();
        store.keep_cell("a", 2, "0: 0 1\n", 0).unwrap();
        assert_eq!(store.cell("a", 2).unwrap(), Some(("0: 0 1\n".into(), 0)));
        assert_eq!(store.cell("a", 1).unwrap(), None);
        assert_eq!(store.cell("a", usize::MAX).unwrap(), None);
        assert!(store.keep_cell("nobody", 0, "", 0).is_err(), "a cell of no board");
    }

    #[test]
    fn what_was_tried_when_the_studio_stopped_is_tried_no_more() {
        let store = Store::in_memory().unwrap();
        store.add_board(&queued("q")).unwrap();
        store.add_board(&queued("s")).unwrap();
        store.update_board("s", RunState::Solved, &Board::default(), "").unwrap();
        assert_eq!(store.interrupt_boards().unwrap(), 1);
        let kept = store.board("q").unwrap().unwrap();
        assert_eq!((kept.state, kept.board.trying.as_str()), (RunState::Interrupted, ""));
        let states: Vec<_> = kept.board.cells.iter().map(|cell| cell.state).collect();
        assert_eq!(states, [CellState::Failed, CellState::Unknown, CellState::Solved]);
        assert_eq!(store.board("s").unwrap().unwrap().state, RunState::Solved);
    }
}
