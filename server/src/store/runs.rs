//! Runs: their request, progress and best wiring.

use super::{INTERRUPTED, SearchKind, Store, StoreError, json, resumes, state_of, state_text};
use rusqlite::{Row, named_params};
use shared::{
    api::{RunState, RunView, Sample},
    search::Progress,
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

/// The part of a run that changes.
#[derive(Clone, Copy, Debug)]
pub struct RunResult<'a> {
    /// State.
    pub state: RunState,
    /// Latest progress.
    pub progress: &'a Progress,
    /// Points of the chart.
    pub history: &'a [Sample],
    /// Text table of the best wiring; `None` leaves the stored one.
    pub table: Option<&'a str>,
    /// Method that found the wiring.
    pub method: &'a str,
    /// Reason for the state, or empty.
    pub message: &'a str,
}

impl Store {
    /// Adds a run, with an empty checkpoint. Returns it with the time of its creation.
    ///
    /// # Errors
    /// The database fails.
    #[instrument(level = "debug", skip_all)]
    pub fn add_run(&self, view: &RunView) -> Result<RunView, StoreError> {
        let sql = "INSERT INTO run (id, state, spec, budget, seed, threads, progress, version)
             VALUES (:id, :state, :spec, :budget, :seed, :threads, :progress, :version) RETURNING created";
        let values = named_params! {
            ":id": view.id,
            ":state": state_text(view.state)?,
            ":spec": view.spec,
            ":budget": serde_json::to_string(&view.budget)?,
            ":seed": view.seed.to_string(),
            ":threads": view.threads,
            ":progress": serde_json::to_string(&view.progress)?,
            ":version": view.version,
        };
        let mut connection = self.connection();
        let transaction = connection.transaction()?;
        let created = transaction.query_row(sql, values, |row| row.get(0))?;
        transaction.execute("INSERT INTO checkpoint (run) VALUES (?1)", [&view.id])?;
        transaction.commit()?;
        Ok(RunView { created, ..view.clone() })
    }

    /// Updates a run. One that ends without being interrupted loses its checkpoint.
    ///
    /// # Errors
    /// The database fails.
    #[instrument(level = "debug", skip_all)]
    pub fn update_run(&self, id: &str, result: RunResult<'_>) -> Result<(), StoreError> {
        let sql = "UPDATE run SET state = :state, progress = :progress, history = :history,
             wiring = coalesce(:wiring, wiring), method = :method, message = :message WHERE id = :id";
        let values = named_params! {
            ":id": id,
            ":state": state_text(result.state)?,
            ":progress": serde_json::to_string(result.progress)?,
            ":history": serde_json::to_string(result.history)?,
            ":wiring": result.table,
            ":method": result.method,
            ":message": result.message,
        };
        self.connection().execute(sql, values)?;
        if resumes(result.state) { Ok(()) } else { self.delete_checkpoint(SearchKind::Run, id) }
    }

    /// The run with this id.
    ///
    /// # Errors
    /// The database fails, or a column holds unreadable JSON.
    #[instrument(level = "debug", skip_all)]
    pub fn run(&self, id: &str) -> Result<Option<RunRecord>, StoreError> {
        self.find("SELECT * FROM run WHERE id = ?1", id, read)
    }

    /// Marks unfinished runs as interrupted, as after a crash. Returns their number.
    ///
    /// # Errors
    /// The database fails.
    #[instrument(level = "debug", skip_all)]
    pub fn interrupt_runs(&self) -> Result<usize, StoreError> {
        let sql = "UPDATE run SET state = 'interrupted', message = ?1 WHERE state IN ('queued', 'running')";
        Ok(self.connection().execute(sql, [INTERRUPTED])?)
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
    };
    Ok(RunRecord { view, table: row.get("wiring")? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::search::Budget;

    fn queued(id: &str) -> RunView {
        RunView {
            id: id.into(),
            state: RunState::Queued,
            spec: "pes = 2".into(),
            budget: Budget::Seconds(2.5),
            seed: u64::MAX,
            threads: 2,
            progress: Progress { trying: "waiting".into(), ..Progress::default() },
            history: Vec::new(),
            method: String::new(),
            message: String::new(),
            created: String::new(),
            version: "1.2.3".into(),
        }
    }

    fn standing(state: RunState, table: Option<&'static str>) -> RunResult<'static> {
        const NONE: &Progress = &Progress {
            trying: String::new(),
            generation: 7,
            best: 3,
            median: 5,
            diversity: 0.25,
            covered: 0.5,
            individuals: 0,
            individuals_per_second: 0.0,
            moves: 0,
            moves_per_second: 0.0,
            elapsed: 0.5,
            revision: 1,
            restarts: 0,
            islands: Vec::new(),
        };
        const HISTORY: &[Sample] =
            &[Sample { elapsed: 0.5, best: 3, median: 5, restarts: 0, islands: Vec::new() }];
        RunResult { state, progress: NONE, history: HISTORY, table, method: "greedy", message: "" }
    }

    #[test]
    fn a_run_comes_back_as_it_was_kept() {
        let store = Store::in_memory().unwrap();
        let view = store.add_run(&queued("a")).unwrap();
        assert!(view.created.ends_with('Z'));
        assert_eq!(store.run("a").unwrap(), Some(RunRecord { view, table: None }));
        assert_eq!(store.run("b").unwrap(), None);
        store.update_run("a", standing(RunState::Running, Some("0: 0 1\n"))).unwrap();
        store.update_run("a", standing(RunState::Solved, None)).unwrap();
        let record = store.run("a").unwrap().unwrap();
        assert_eq!(record.table.as_deref(), Some("0: 0 1\n"));
        assert_eq!((record.view.state, record.view.progress.best), (RunState::Solved, 3));
        assert_eq!(record.view.history.len(), 1);
    }

    #[test]
    fn only_unfinished_runs_become_interrupted() {
        let store = Store::in_memory().unwrap();
        for (id, state) in [("q", RunState::Queued), ("r", RunState::Running), ("s", RunState::Solved)] {
            store.add_run(&queued(id)).unwrap();
            store.update_run(id, standing(state, Some("0: 0 1\n"))).unwrap();
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
