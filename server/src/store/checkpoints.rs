//! Checkpoints: where runs go on after the studio was stopped. Before the first one a run begins again. One that is over,
//! unless by the studio's end, has none.

use super::{Store, StoreError};
use rusqlite::{OptionalExtension, params};

/// Searches that have gone on from the same place so often, and come to no other, may be what stops the studio.
pub(super) const MOST_TRIES: u32 = 3;

/// A checkpoint as it is taken up.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Seconds the search had taken.
    pub elapsed: f64,
    /// What the engine handed over.
    pub state: Vec<u8>,
}

impl Store {
    /// Keeps a run's checkpoint in place of the one before.
    ///
    /// # Errors
    /// The database refuses.
    pub fn keep_checkpoint(&self, run: &str, elapsed: f64, state: &[u8]) -> Result<(), StoreError> {
        let sql = "INSERT INTO checkpoint (run, elapsed, state) VALUES (?1, ?2, ?3)
             ON CONFLICT (run) DO UPDATE SET elapsed = excluded.elapsed, state = excluded.state, tries = 0";
        self.connection().execute(sql, params![run, elapsed, state])?;
        Ok(())
    }

    /// What a run goes on from; `None` if it is to begin. Counts that it was tried once more.
    ///
    /// # Errors
    /// The database refuses.
    pub fn take_up_checkpoint(&self, run: &str) -> Result<Option<Checkpoint>, StoreError> {
        let sql = "UPDATE checkpoint SET tries = tries + 1 WHERE run = ?1 RETURNING elapsed, state";
        let read = |row: &rusqlite::Row<'_>| {
            let (elapsed, state): (f64, Option<Vec<u8>>) = (row.get(0)?, row.get(1)?);
            Ok(state.map(|state| Checkpoint { elapsed, state }))
        };
        Ok(self.connection().query_row(sql, [run], read).optional()?.flatten())
    }

    /// Forgets a run's checkpoint.
    ///
    /// # Errors
    /// The database refuses.
    pub fn drop_checkpoint(&self, run: &str) -> Result<(), StoreError> {
        self.connection().execute("DELETE FROM checkpoint WHERE run = ?1", [run])?;
        Ok(())
    }

    /// Runs that were stopped with the studio and can go on, oldest first, each with the seconds that its checkpoint is at;
    /// those without one begin again.
    /// Forgets checkpoints that nothing goes on from: of another version than this, or tried in vain.
    ///
    /// # Errors
    /// The database refuses.
    pub fn resumable_runs(&self, version: &str) -> Result<Vec<(String, f64)>, StoreError> {
        let connection = self.connection();
        let sql = "DELETE FROM checkpoint WHERE tries >= ?2
             OR run IN (SELECT id FROM run WHERE state != 'interrupted' OR version != ?1)";
        connection.execute(sql, params![version, MOST_TRIES])?;
        let sql = "SELECT id, elapsed FROM run JOIN checkpoint ON run = id ORDER BY created, run.rowid";
        let mut found = connection.prepare(sql)?;
        let runs = found.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(runs.collect::<Result<_, _>>()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::RunResult;
    use shared::{
        api::{RunState, RunView},
        search::{Budget, Progress},
    };

    fn with_run(store: &Store, id: &str, state: RunState, version: &str) {
        let view = RunView {
            id: id.into(),
            state,
            spec: String::new(),
            budget: Budget::Effort(1),
            seed: 1,
            threads: 1,
            progress: Progress::default(),
            history: Vec::new(),
            method: String::new(),
            message: String::new(),
            created: String::new(),
            version: version.into(),
        };
        store.add_run(&view).unwrap();
        store.keep_checkpoint(id, 1.5, &[1, 2]).unwrap();
    }

    fn become_of(store: &Store, id: &str, state: RunState) {
        let progress = &Progress::default();
        let result = RunResult { state, progress, history: &[], table: None, method: "", message: "" };
        store.update_run(id, result).unwrap();
    }

    #[test]
    fn the_last_checkpoint_of_a_run_is_kept_until_it_is_over() {
        let store = Store::in_memory().unwrap();
        with_run(&store, "a", RunState::Running, "1");
        store.keep_checkpoint("a", 2.5, &[3]).unwrap();
        let kept = Some(Checkpoint { elapsed: 2.5, state: vec![3] });
        become_of(&store, "a", RunState::Running);
        assert_eq!(store.take_up_checkpoint("a").unwrap(), kept);
        become_of(&store, "a", RunState::Interrupted);
        assert_eq!(store.take_up_checkpoint("a").unwrap(), kept);
        become_of(&store, "a", RunState::Exhausted);
        assert_eq!(store.take_up_checkpoint("a").unwrap(), None);
    }

    #[test]
    fn interrupted_runs_of_this_version_are_resumable() {
        let store = Store::in_memory().unwrap();
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
        assert_eq!(store.resumable_runs("1").unwrap(), runs);
        for gone in ["old", "failed"] {
            assert_eq!(store.take_up_checkpoint(gone).unwrap(), None, "{gone}");
        }
    }

    #[test]
    fn a_run_without_a_checkpoint_begins_again_but_not_for_ever() {
        let store = Store::in_memory().unwrap();
        with_run(&store, "a", RunState::Running, "1");
        store.connection().execute("UPDATE checkpoint SET elapsed = 0, state = NULL", []).unwrap();
        store.interrupt_runs().unwrap();
        for _ in 0..MOST_TRIES {
            assert_eq!(store.resumable_runs("1").unwrap(), [("a".to_owned(), 0.0)]);
            assert_eq!(store.take_up_checkpoint("a").unwrap(), None);
        }
        assert!(store.resumable_runs("1").unwrap().is_empty());
    }

    #[test]
    fn what_is_tried_in_vain_is_left() {
        let store = Store::in_memory().unwrap();
        with_run(&store, "a", RunState::Interrupted, "1");
        for _ in 0..MOST_TRIES {
            assert_eq!(store.resumable_runs("1").unwrap().len(), 1);
            store.take_up_checkpoint("a").unwrap();
        }
        assert!(store.resumable_runs("1").unwrap().is_empty());
        with_run(&store, "b", RunState::Interrupted, "1");
        (0..MOST_TRIES).for_each(|_| drop(store.take_up_checkpoint("b").unwrap()));
        store.keep_checkpoint("b", 2.0, &[1]).unwrap();
        assert_eq!(store.resumable_runs("1").unwrap().len(), 1);
    }
}
