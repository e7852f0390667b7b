//! Checkpoints of boards: where they go on after the studio was stopped. A board that is over, unless by that, has none.

use super::{Store, StoreError, checkpoints::MOST_TRIES};
use rusqlite::{OptionalExtension, params};

impl Store {
    /// Keeps a board's checkpoint in place of the one before.
    ///
    /// # Errors
    /// The database refuses.
    pub fn keep_board_checkpoint(&self, board: &str, state: &[u8]) -> Result<(), StoreError> {
        let sql = "INSERT INTO board_checkpoint (board, state) VALUES (?1, ?2)
             ON CONFLICT (board) DO UPDATE SET state = excluded.state, tries = 0";
        self.connection().execute(sql, params![board, state])?;
        Ok(())
    }

    /// What a board goes on from; `None` if it is to begin. Counts that it was tried once more.
    ///
    /// # Errors
    /// The database refuses.
    pub fn take_up_board(&self, board: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let sql = "UPDATE board_checkpoint SET tries = tries + 1 WHERE board = ?1 RETURNING state";
        let state = self.connection().query_row(sql, [board], |row| row.get(0)).optional()?;
        Ok(state.flatten())
    }

    /// Forgets a board's checkpoint: it does not go on any more.
    ///
    /// # Errors
    /// The database refuses.
    pub fn drop_board_checkpoint(&self, board: &str) -> Result<(), StoreError> {
        self.connection().execute("DELETE FROM board_checkpoint WHERE board = ?1", [board])?;
        Ok(())
    }

    /// Forgets the wirings of a board's cells, since the search hands them over again.
    ///
    /// # Errors
    /// The database refuses.
    pub fn clear_cells(&self, board: &str) -> Result<(), StoreError> {
        self.connection().execute("DELETE FROM board_cell WHERE board = ?1", [board])?;
        Ok(())
    }

    /// Boards that were stopped with the studio and can go on, oldest first. Forgets checkpoints that nothing goes on from:
    /// of another version than this, or tried in vain.
    ///
    /// # Errors
    /// The database refuses.
    pub fn resumable_boards(&self, version: &str) -> Result<Vec<String>, StoreError> {
        let connection = self.connection();
        let sql = "DELETE FROM board_checkpoint WHERE tries >= ?2
             OR board IN (SELECT id FROM board WHERE state != 'interrupted' OR version != ?1)";
        connection.execute(sql, params![version, MOST_TRIES])?;
        let sql = "SELECT id FROM board JOIN board_checkpoint ON board_checkpoint.board = id ORDER BY created, board.rowid";
        let mut found = connection.prepare(sql)?;
        let boards = found.query_map([], |row| row.get(0))?;
        Ok(boards.collect::<Result<_, _>>()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::boards::queued;
    use shared::{api::RunState, hardware::Board};

    #[test]
    fn a_board_goes_on_from_its_last_checkpoint_until_it_is_over() {
        let store = Store::in_memory().unwrap();
        store.add_board(&queued("a")).unwrap();
        assert_eq!(store.take_up_board("a").unwrap(), None);
        store.keep_board_checkpoint("a", &[1]).unwrap();
        store.keep_board_checkpoint("a", &[2]).unwrap();
        for state in [RunState::Running, RunState::Interrupted] {
            store.update_board("a", state, &Board::default(), "").unwrap();
            assert_eq!(store.take_up_board("a").unwrap(), Some(vec![2]));
        }
        store.update_board("a", RunState::Solved, &Board::default(), "").unwrap();
        assert_eq!(store.take_up_board("a").unwrap(), None);
    }

    #[test]
    fn boards_of_this_version_go_on_but_not_for_ever() {
        let store = Store::in_memory().unwrap();
        let version = queued("").version;
        for id in ["waits", "searched", "over"] {
            store.add_board(&queued(id)).unwrap();
        }
        store.keep_board_checkpoint("searched", &[1]).unwrap();
        store.update_board("over", RunState::Cancelled, &Board::default(), "").unwrap();
        store.interrupt_boards().unwrap();
        for _ in 0..MOST_TRIES {
            assert_eq!(store.resumable_boards(&version).unwrap(), ["waits", "searched"]);
            store.take_up_board("searched").unwrap();
        }
        assert_eq!(store.resumable_boards(&version).unwrap(), ["waits"]);
        assert_eq!(store.resumable_boards("another").unwrap(), Vec::<String>::new());
    }
}
