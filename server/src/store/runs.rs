//! Searches: what was asked, how far they are, the best wiring so far.

use super::{Store, StoreError};
use rusqlite::{OptionalExtension, Row, named_params};
use shared::{
    api::{RunState, RunView, Sample},
    search::Progress,
};

/// A run as the store knows it, with its wiring.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRecord {
    /// All but the wiring.
    pub view: RunView,
    /// The best wiring's text table, once there is one.
    pub table: Option<String>,
}

/// How a run stands, to be kept.
#[derive(Clone, Copy, Debug)]
pub struct RunResult<'a> {
    /// How far it is.
    pub state: RunState,
    /// Its last progress.
    pub progress: &'a Progress,
    /// Its chart.
    pub history: &'a [Sample],
    /// The best wiring's text table; none leaves the one that is kept.
    pub table: Option<&'a str>,
    /// How the wiring was found.
    pub method: &'a str,
    /// Why it failed, if it did.
    pub message: &'a str,
}

const COLUMNS: &str =
    "id, state, spec, budget, seed, threads, progress, history, method, message, created, version, wiring";

impl Store {
    /// Keeps a new run, which begins again should the studio stop before its first checkpoint. Of `view`, the time of
    /// creation is the store's to say; the run comes back with it.
    ///
    /// # Errors
    /// The database refuses.
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

    /// Keeps how a run stands. One that is over, but for the studio's end, loses its checkpoint.
    ///
    /// # Errors
    /// The database refuses.
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
        let goes_on = !result.state.is_over() || result.state == RunState::Interrupted;
        if goes_on { Ok(()) } else { self.drop_checkpoint(id) }
    }

    /// The run of that name, if there is one.
    ///
    /// # Errors
    /// The database refuses, or holds what nobody can read.
    pub fn run(&self, id: &str) -> Result<Option<RunRecord>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM run WHERE id = ?1");
        let raw = self.connection().query_row(&sql, [id], RawRun::read).optional()?;
        raw.map(RawRun::understand).transpose()
    }

    /// Marks runs that a studio left behind unfinished, as after a crash. Returns how many.
    ///
    /// # Errors
    /// The database refuses.
    pub fn interrupt_runs(&self) -> Result<usize, StoreError> {
        let sql = "UPDATE run SET state = 'interrupted',
             message = 'the studio was stopped in the middle; the best wiring until then is kept'
             WHERE state IN ('queued', 'running')";
        Ok(self.connection().execute(sql, [])?)
    }
}

/// A state as a column holds it.
pub(super) fn state_text(state: RunState) -> Result<String, StoreError> {
    Ok(serde_json::to_string(&state)?.trim_matches('"').to_owned())
}

/// A state from its column.
pub(super) fn state_of(text: &str) -> Result<RunState, StoreError> {
    Ok(serde_json::from_str(&format!("\"{text}\""))?)
}

/// A row as it is; understanding its JSON may fail in another way than reading it.
struct RawRun {
    view: RunView,
    state: String,
    budget: String,
    seed: String,
    progress: String,
    history: String,
    table: Option<String>,
}

impl RawRun {
    fn read(row: &Row<'_>) -> rusqlite::Result<RawRun> {
        Ok(RawRun {
            view: RunView {
                id: row.get(0)?,
                state: RunState::Failed,
                spec: row.get(2)?,
                budget: shared::search::Budget::Effort(0),
                seed: 0,
                threads: row.get(5)?,
                progress: Progress::default(),
                history: Vec::new(),
                method: row.get(8)?,
                message: row.get(9)?,
                created: row.get(10)?,
                version: row.get(11)?,
            },
            state: row.get(1)?,
            budget: row.get(3)?,
            seed: row.get(4)?,
            progress: row.get(6)?,
            history: row.get(7)?,
            table: row.get(12)?,
        })
    }

    fn understand(self) -> Result<RunRecord, StoreError> {
        let mut view = self.view;
        view.state = state_of(&self.state)?;
        view.budget = serde_json::from_str(&self.budget)?;
        view.seed = serde_json::from_str(&self.seed)?;
        view.progress = serde_json::from_str(&self.progress)?;
        view.history = serde_json::from_str(&self.history)?;
        Ok(RunRecord { view, table: self.table })
    }
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
