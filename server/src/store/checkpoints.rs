//! Checkpoints, from which runs and boards resume after the studio was stopped.
//!
//! An unfinished or interrupted search has one row. Without a state in it, the search starts again. A run that was stopped or
//! reached its limit keeps a state, to be continued with more time. Other searches that have ended have no row.

use super::{Store, StoreError};
use rusqlite::{OptionalExtension, Transaction, params};
use shared::api::RunState;
use tracing::instrument;

/// Max attempts to resume from the same checkpoint: a search that never gets past it may be what stops the studio.
const MAX_TRIES: u32 = 3;

/// Kind of search that a checkpoint belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchKind {
    /// A run.
    Run,
    /// A hardware search.
    Board,
}

impl SearchKind {
    /// The table of the searches, which is also the checkpoints' key column, and the table of the checkpoints.
    pub(super) fn tables(self) -> (&'static str, &'static str) {
        match self {
            SearchKind::Run => ("run", "checkpoint"),
            SearchKind::Board => ("board", "board_checkpoint"),
        }
    }
}

impl Store {
    /// Saves a run's checkpoint, taken after `elapsed` seconds of search, in place of the one before.
    #[instrument(level = "debug", skip_all)]
    pub fn save_checkpoint(&self, run: &str, elapsed: f64, state: &[u8]) -> Result<(), StoreError> {
        let sql = "INSERT INTO checkpoint (run, elapsed, state) VALUES (?1, ?2, ?3)
             ON CONFLICT (run) DO UPDATE SET elapsed = excluded.elapsed, state = excluded.state, tries = 0";
        self.write(|transaction| Ok(transaction.execute(sql, params![run, elapsed, state])?)).map(drop)
    }

    /// Saves a board's checkpoint in place of the one before.
    #[instrument(level = "debug", skip_all)]
    pub fn save_board_checkpoint(&self, board: &str, state: &[u8]) -> Result<(), StoreError> {
        let sql = "INSERT INTO board_checkpoint (board, state) VALUES (?1, ?2)
             ON CONFLICT (board) DO UPDATE SET state = excluded.state, tries = 0";
        self.write(|transaction| Ok(transaction.execute(sql, params![board, state])?)).map(drop)
    }

    /// State to resume a search from, and one more try counted; `None` if the search starts again.
    #[instrument(level = "debug", skip_all)]
    pub fn take_checkpoint(&self, kind: SearchKind, id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let (key, table) = kind.tables();
        let sql = format!("UPDATE {table} SET tries = tries + 1 WHERE {key} = ?1 RETURNING state");
        self.write(|transaction| {
            Ok(transaction.query_row(&sql, [id], |row| row.get(0)).optional()?.flatten())
        })
    }

    /// Deletes a search's checkpoint: the search does not resume any more.
    #[instrument(level = "debug", skip_all)]
    pub fn delete_checkpoint(&self, kind: SearchKind, id: &str) -> Result<(), StoreError> {
        self.write(|transaction| delete(transaction, kind, id))
    }

    /// Forgets the attempts to resume a search, since the studio stops in an orderly way.
    #[instrument(level = "debug", skip_all)]
    pub fn forgive(&self, kind: SearchKind, id: &str) -> Result<(), StoreError> {
        let (key, table) = kind.tables();
        let sql = format!("UPDATE {table} SET tries = 0 WHERE {key} = ?1");
        self.write(|transaction| Ok(transaction.execute(&sql, [id])?)).map(drop)
    }

    /// Searches that can resume, oldest first, each with the seconds of search at its checkpoint (0 for boards).
    ///
    /// Deletes checkpoints of other versions and those that were tried [`MAX_TRIES`] times, whose searches then say so.
    #[instrument(level = "debug", skip_all)]
    pub fn resumable(&self, kind: SearchKind, version: &str) -> Result<Vec<(String, f64)>, StoreError> {
        let (key, table) = kind.tables();
        let elapsed = if kind == SearchKind::Run { "elapsed" } else { "0.0" };
        let given_up = format!(
            "UPDATE {key} SET message = ?2 WHERE id IN (SELECT {key} FROM {table} WHERE tries >= ?1)"
        );
        let useless = format!(
            "DELETE FROM {table} WHERE tries >= ?2
             OR {key} IN (SELECT id FROM {key} WHERE state NOT IN ('interrupted', 'exhausted', 'cancelled') OR version != ?1)"
        );
        let left = format!(
            "SELECT id, {elapsed} FROM {key} JOIN {table} ON {table}.{key} = id
             WHERE {key}.state = 'interrupted' ORDER BY created, {key}.rowid"
        );
        self.write(|transaction| {
            transaction.execute(&given_up, params![MAX_TRIES, GIVEN_UP])?;
            transaction.execute(&useless, params![version, MAX_TRIES])?;
            let mut found = transaction.prepare(&left)?;
            let searches = found.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(searches.collect::<Result<_, _>>()?)
        })
    }
}

/// Message of a search that is not tried again.
const GIVEN_UP: &str = "The studio crashed three times during this search, so it does not resume. The results until then are saved.";

/// Deletes the checkpoint of a search in this state, unless the search can resume or be continued.
pub(super) fn drop_unless_it_resumes(
    transaction: &Transaction<'_>,
    kind: SearchKind,
    id: &str,
    state: RunState,
) -> Result<(), StoreError> {
    let (key, table) = kind.tables();
    match state {
        RunState::Queued | RunState::Running | RunState::Interrupted => Ok(()),
        RunState::Exhausted | RunState::Cancelled if kind == SearchKind::Run => {
            let useless = format!("DELETE FROM {table} WHERE {key} = ?1 AND state IS NULL");
            transaction.execute(&useless, [id])?;
            Ok(())
        }
        _ => delete(transaction, kind, id),
    }
}

fn delete(transaction: &Transaction<'_>, kind: SearchKind, id: &str) -> Result<(), StoreError> {
    let (key, table) = kind.tables();
    transaction.execute(&format!("DELETE FROM {table} WHERE {key} = ?1"), [id])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{
        SearchKind::{Board, Run},
        *,
    };
    use crate::{store::boards::queued, tasks::Owner};
    use shared::{
        api::{BoardView, RunView},
        search::Budget,
    };

    fn run(id: &str, state: RunState, version: &str) -> RunView {
        let queued = RunView::queued(id.into(), String::new(), Budget::Effort(1), 1, 1);
        RunView { state, version: version.into(), ..queued }
    }

    fn with_run(store: &Store, id: &str, state: RunState, version: &str) {
        store.add_run(&run(id, state, version), &Owner::default(), None).unwrap();
        store.save_checkpoint(id, 1.5, &[1, 2]).unwrap();
    }

    fn become_of(store: &Store, id: &str, state: RunState) {
        store.update_run(&run(id, state, ""), None).unwrap();
    }

    #[test]
    fn the_last_checkpoint_of_a_run_is_kept_until_it_is_over() {
        let store = Store::temporary().unwrap();
        with_run(&store, "a", RunState::Running, "1");
        store.save_checkpoint("a", 2.5, &[3]).unwrap();
        let kept = Some(vec![3]);
        become_of(&store, "a", RunState::Running);
        assert_eq!(store.take_checkpoint(Run, "a").unwrap(), kept);
        become_of(&store, "a", RunState::Interrupted);
        assert_eq!(store.take_checkpoint(Run, "a").unwrap(), kept);
        for state in [RunState::Exhausted, RunState::Cancelled] {
            become_of(&store, "a", state);
            assert_eq!(store.take_checkpoint(Run, "a").unwrap(), kept, "it may be continued");
        }
        become_of(&store, "a", RunState::Solved);
        assert_eq!(store.take_checkpoint(Run, "a").unwrap(), None);
    }

    #[test]
    fn interrupted_runs_of_this_version_are_resumable() {
        let store = Store::temporary().unwrap();
        for (id, state, version) in [
            ("later", RunState::Running, "1"),
            ("queued", RunState::Queued, "1"),
            ("old", RunState::Running, "0"),
            ("failed", RunState::Failed, "1"),
        ] {
            with_run(&store, id, state, version);
        }
        store.interrupt_runs().unwrap();
        let runs = [("later".to_owned(), 1.5), ("queued".to_owned(), 1.5)];
        assert_eq!(store.resumable(Run, "1").unwrap(), runs);
        for gone in ["old", "failed"] {
            assert_eq!(store.take_checkpoint(Run, gone).unwrap(), None, "{gone}");
        }
    }

    #[test]
    fn a_run_without_a_checkpoint_begins_again_but_not_for_ever() {
        let store = Store::temporary().unwrap();
        with_run(&store, "a", RunState::Running, "1");
        let sql = "UPDATE checkpoint SET elapsed = 0, state = NULL";
        store.write(|transaction| Ok(transaction.execute(sql, [])?)).unwrap();
        store.interrupt_runs().unwrap();
        for _ in 0..MAX_TRIES {
            assert_eq!(store.resumable(Run, "1").unwrap(), [("a".to_owned(), 0.0)]);
            assert_eq!(store.take_checkpoint(Run, "a").unwrap(), None);
        }
        assert!(store.resumable(Run, "1").unwrap().is_empty());
    }

    #[test]
    fn what_is_tried_in_vain_is_left() {
        let store = Store::temporary().unwrap();
        with_run(&store, "a", RunState::Interrupted, "1");
        for _ in 0..MAX_TRIES {
            assert_eq!(store.resumable(Run, "1").unwrap().len(), 1);
            store.take_checkpoint(Run, "a").unwrap();
        }
        assert!(store.resumable(Run, "1").unwrap().is_empty());
        with_run(&store, "b", RunState::Interrupted, "1");
        (0..MAX_TRIES).for_each(|_| drop(store.take_checkpoint(Run, "b").unwrap()));
        store.save_checkpoint("b", 2.0, &[1]).unwrap();
        assert_eq!(store.resumable(Run, "1").unwrap().len(), 1);
    }

    #[test]
    fn a_board_goes_on_from_its_last_checkpoint_until_it_is_over() {
        let store = Store::temporary().unwrap();
        store.add_board(&queued("a"), &Owner::default(), None).unwrap();
        assert_eq!(store.take_checkpoint(Board, "a").unwrap(), None);
        store.save_board_checkpoint("a", &[1]).unwrap();
        store.save_board_checkpoint("a", &[2]).unwrap();
        for state in [RunState::Running, RunState::Interrupted] {
            store.update_board(&BoardView { state, ..queued("a") }).unwrap();
            assert_eq!(store.take_checkpoint(Board, "a").unwrap(), Some(vec![2]));
        }
        store.update_board(&BoardView { state: RunState::Solved, ..queued("a") }).unwrap();
        assert_eq!(store.take_checkpoint(Board, "a").unwrap(), None);
    }

    #[test]
    fn boards_of_this_version_go_on_but_not_for_ever() {
        let store = Store::temporary().unwrap();
        let version = queued("").version;
        let boards = |version: &str| -> Vec<String> {
            store.resumable(Board, version).unwrap().into_iter().map(|(id, _)| id).collect()
        };
        for id in ["waits", "searched", "over"] {
            store.add_board(&queued(id), &Owner::default(), None).unwrap();
        }
        store.save_board_checkpoint("searched", &[1]).unwrap();
        store.update_board(&BoardView { state: RunState::Cancelled, ..queued("over") }).unwrap();
        store.interrupt_boards().unwrap();
        for _ in 0..MAX_TRIES {
            assert_eq!(boards(&version), ["waits", "searched"]);
            store.take_checkpoint(Board, "searched").unwrap();
        }
        assert_eq!(boards(&version), ["waits"]);
        assert!(boards("another").is_empty());
    }
}
