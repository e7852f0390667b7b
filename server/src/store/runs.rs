//! Runs: their request, progress and best wiring.

use super::{
    INTERRUPTED, SearchKind, Store, StoreError, checkpoints::drop_unless_it_resumes, json, state_of,
    state_text,
};
use crate::{edit::TokenHash, tasks::Owner};
use rusqlite::{Row, named_params, params};
use shared::{
    api::{ReplayFrame, RunView},
    search::Budget,
};
use tracing::instrument;

/// A stored run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRecord {
    /// The run without its wiring.
    pub view: RunView,
    /// Text table of the best wiring, once there is one.
    pub table: Option<String>,
}

impl Store {
    /// Adds a run of a client, with an empty checkpoint. Returns it with the time of its creation.
    #[instrument(level = "debug", skip_all)]
    pub fn add_run(
        &self,
        view: &RunView,
        owner: &Owner,
        edit: Option<TokenHash>,
    ) -> Result<RunView, StoreError> {
        let sql = "INSERT INTO run (id, state, spec, budget, seed, threads, progress, version, owner, edit)
             VALUES (:id, :state, :spec, :budget, :seed, :threads, :progress, :version, :owner, :edit)
             RETURNING created";
        let values = named_params! {
            ":id": view.id,
            ":state": state_text(view.state)?,
            ":spec": view.spec,
            ":budget": serde_json::to_string(&view.budget)?,
            ":seed": view.seed.to_string(),
            ":threads": view.threads,
            ":progress": serde_json::to_string(&view.progress)?,
            ":version": view.version,
            ":owner": owner.0,
            ":edit": edit.map(|hash| hash.bytes()),
        };
        let created = self.write(|transaction| {
            let created = transaction.query_row(sql, values, |row| row.get(0))?;
            transaction.execute("INSERT INTO checkpoint (run) VALUES (?1)", [&view.id])?;
            Ok(created)
        })?;
        Ok(RunView { created, ..view.clone() })
    }

    /// Updates a run, and its wiring if there is a table. A run that ends without being interrupted loses its checkpoint.
    #[instrument(level = "debug", skip_all)]
    pub fn update_run(&self, run: &RunView, table: Option<&str>) -> Result<(), StoreError> {
        let sql = "UPDATE run SET state = :state, progress = :progress, history = :history,
             wiring = coalesce(:wiring, wiring), method = :method, message = :message WHERE id = :id";
        let values = named_params! {
            ":id": run.id,
            ":state": state_text(run.state)?,
            ":progress": serde_json::to_string(&run.progress)?,
            ":history": serde_json::to_string(&run.history)?,
            ":wiring": table,
            ":method": run.method,
            ":message": run.message,
        };
        self.write(|transaction| {
            transaction.execute(sql, values)?;
            drop_unless_it_resumes(transaction, SearchKind::Run, &run.id, run.state)
        })
    }

    /// Gives an ended run a new budget. Returns the seconds of search at its checkpoint; 0 if it starts again, as after a run of
    /// another version.
    #[instrument(level = "debug", skip_all)]
    pub fn extend_run(&self, id: &str, budget: Budget, version: &str) -> Result<f64, StoreError> {
        let budget = serde_json::to_string(&budget)?;
        self.write(|transaction| {
            let old = "DELETE FROM checkpoint WHERE run IN (SELECT id FROM run WHERE id = ?1 AND version != ?2)";
            transaction.execute(old, [id, version])?;
            let sql = "UPDATE run SET budget = ?2, version = ?3 WHERE id = ?1";
            transaction.execute(sql, params![id, budget, version])?;
            let sql = "INSERT INTO checkpoint (run) VALUES (?1) ON CONFLICT (run) DO UPDATE SET tries = 0 RETURNING elapsed";
            Ok(transaction.query_row(sql, [id], |row| row.get(0))?)
        })
    }

    /// The run with this id.
    #[instrument(level = "debug", skip_all)]
    pub fn run(&self, id: &str) -> Result<Option<RunRecord>, StoreError> {
        self.find("SELECT * FROM run WHERE id = ?1", id, read)
    }

    /// Saves the frames of a run's replay in place of those before. Revisions name the same frame before and now.
    #[instrument(level = "debug", skip_all)]
    pub fn save_frames(&self, id: &str, frames: &[ReplayFrame]) -> Result<(), StoreError> {
        let revisions: Vec<u64> = frames.iter().map(|frame| frame.progress.revision).collect();
        let revisions = serde_json::to_string(&revisions)?;
        self.write(|transaction| {
            let thinned =
                "DELETE FROM frame WHERE run = ?1 AND revision NOT IN (SELECT value FROM json_each(?2))";
            transaction.execute(thinned, [id, &revisions])?;
            let sql = "INSERT OR IGNORE INTO frame (run, revision, elapsed, progress, wiring) VALUES (?1, ?2, ?3, ?4, ?5)";
            let mut insert = transaction.prepare_cached(sql)?;
            for ReplayFrame { progress, table } in frames {
                let text = serde_json::to_string(progress)?;
                insert.execute(params![id, progress.revision as i64, progress.elapsed, text, table])?;
            }
            Ok(())
        })
    }

    /// The frames of a run's replay, in the order of time, without the best wiring.
    #[instrument(level = "debug", skip_all)]
    pub fn frames(&self, id: &str) -> Result<Vec<ReplayFrame>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT progress, wiring FROM frame WHERE run = ?1 ORDER BY revision";
            let mut statement = connection.prepare_cached(sql)?;
            let read = |row: &Row<'_>| {
                Ok(ReplayFrame { progress: json(row, "progress")?, table: row.get("wiring")? })
            };
            statement.query_and_then([id], read)?.collect()
        })
    }

    /// Deletes the frames of a run after `until` seconds of search, or all, and returns the others.
    #[instrument(level = "debug", skip_all)]
    pub fn rewind_frames(&self, id: &str, until: Option<f64>) -> Result<Vec<ReplayFrame>, StoreError> {
        let sql = "DELETE FROM frame WHERE run = ?1 AND (?2 IS NULL OR elapsed > ?2)";
        self.write(|transaction| Ok(transaction.execute(sql, params![id, until])?))?;
        self.frames(id)
    }

    /// Marks unfinished runs as interrupted, as after a crash. Returns their number.
    #[instrument(level = "debug", skip_all)]
    pub fn interrupt_runs(&self) -> Result<usize, StoreError> {
        let sql = "UPDATE run SET state = 'interrupted', message = ?1 WHERE state IN ('queued', 'running')";
        self.write(|transaction| Ok(transaction.execute(sql, [INTERRUPTED])?))
    }
}

fn read(row: &Row<'_>) -> Result<RunRecord, StoreError> {
    let view = RunView {
        id: row.get("id")?,
        state: state_of(row)?,
        spec: row.get("spec")?,
        budget: json(row, "budget")?,
        seed: json(row, "seed")?,
        threads: row.get("threads")?,
        progress: json(row, "progress")?,
        history: json(row, "history")?,
        method: row.get("method")?,
        message: row.get("message")?,
        created: row.get("created")?,
        version: row.get("version")?,
        queue: None,
    };
    Ok(RunRecord { view, table: row.get("wiring")? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::{
        api::{RunState, Sample},
        search::{Budget, Progress},
    };

    fn queued(id: &str) -> RunView {
        RunView {
            progress: Progress { trying: "waiting".into(), ..Progress::default() },
            version: "1.2.3".into(),
            ..RunView::queued(id.into(), "pes = 2".into(), Budget::Seconds(2.5), u64::MAX, 2)
        }
    }

    fn in_state(id: &str, state: RunState) -> RunView {
        let progress = Progress { generation: 7, best: 3, revision: 1, ..Progress::default() };
        let history = vec![Sample::from(&progress)];
        RunView { state, progress, history, method: "greedy".into(), ..queued(id) }
    }

    #[test]
    fn a_run_comes_back_as_it_was_kept() {
        let store = Store::temporary().unwrap();
        let view = store.add_run(&queued("a"), &Owner("x".into()), None).unwrap();
        assert!(view.created.ends_with('Z'));
        assert_eq!(store.owner(SearchKind::Run, "a").unwrap(), Some(Owner("x".into())));
        assert_eq!(store.run("a").unwrap(), Some(RunRecord { view, table: None }));
        assert_eq!(store.run("b").unwrap(), None);
        store.update_run(&in_state("a", RunState::Running), Some("0: 0 1\n")).unwrap();
        store.update_run(&in_state("a", RunState::Solved), None).unwrap();
        let record = store.run("a").unwrap().unwrap();
        assert_eq!(record.table.as_deref(), Some("0: 0 1\n"));
        assert_eq!((record.view.state, record.view.progress.best), (RunState::Solved, 3));
        assert_eq!(record.view.history.len(), 1);
    }

    #[test]
    fn a_run_keeps_the_hash_of_its_edit_token() {
        let store = Store::temporary().unwrap();
        let kept = TokenHash::of("secret");
        store.add_run(&queued("a"), &Owner::default(), Some(kept)).unwrap();
        store.add_run(&queued("b"), &Owner::default(), None).unwrap();
        let found = |id: &str| store.edit_token(SearchKind::Run, id).unwrap();
        assert!(found("a") == Some(Some(kept)) && found("b") == Some(None) && found("c").is_none());
    }

    #[test]
    fn frames_are_replaced_rewound_and_deleted_with_their_run() {
        let store = Store::temporary().unwrap();
        store.add_run(&queued("a"), &Owner::default(), None).unwrap();
        store.update_run(&in_state("a", RunState::Solved), None).unwrap();
        let frame = |revision: u64| {
            let progress = Progress { revision, elapsed: revision as f64, ..Progress::default() };
            ReplayFrame { progress, table: format!("0: {revision}\n") }
        };
        store.save_frames("a", &[1, 2, 3, 4].map(frame)).unwrap();
        let thinned = [1, 3, 5].map(frame);
        store.save_frames("a", &thinned).unwrap();
        assert_eq!(store.frames("a").unwrap(), thinned);
        assert_eq!(store.rewind_frames("a", Some(3.0)).unwrap(), thinned[..2]);
        assert_eq!(store.rewind_frames("a", None).unwrap(), []);
        store.save_frames("a", &thinned).unwrap();
        store.delete_item("a").unwrap();
        assert_eq!(store.frames("a").unwrap(), []);
    }

    #[test]
    fn only_unfinished_runs_become_interrupted() {
        let store = Store::temporary().unwrap();
        for (id, state) in [("q", RunState::Queued), ("r", RunState::Running), ("s", RunState::Solved)] {
            store.add_run(&queued(id), &Owner::default(), None).unwrap();
            store.update_run(&in_state(id, state), Some("0: 0 1\n")).unwrap();
        }
        assert_eq!(store.interrupt_runs().unwrap(), 2);
        let state = |id: &str| store.run(id).unwrap().unwrap().view.state;
        assert_eq!(
            [state("q"), state("r"), state("s")],
            [RunState::Interrupted, RunState::Interrupted, RunState::Solved]
        );
        assert_eq!(store.run("r").unwrap().unwrap().table.as_deref(), Some("0: 0 1\n"));
    }
}
