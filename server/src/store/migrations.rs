//! Migrations of the store, in order; `user_version` is the number of those applied.

use super::StoreError;
use rusqlite::{Connection, Row, Transaction, params};
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};
use shared::{
    api::{FormTexts, StartWork, WorkKind},
    form::Form,
    hardware::BoardForm,
    search::{Budget, SearchForm},
};

/// A step: statements, or a function.
enum Step {
    Sql(&'static str),
    Code(fn(&Transaction<'_>) -> Result<(), StoreError>),
}

/// New steps are added at the end only.
const STEPS: &[Step] = &[
    Step::Sql(include_str!("migrations/1_designs_and_runs.sql")),
    Step::Sql(include_str!("migrations/2_boards.sql")),
    Step::Sql(include_str!("migrations/3_checkpoints.sql")),
    Step::Sql(include_str!("migrations/4_board_checkpoints.sql")),
    Step::Sql(include_str!("migrations/5_runs_begin_again.sql")),
    Step::Sql(include_str!("migrations/6_owners.sql")),
    Step::Sql(include_str!("migrations/7_ends.sql")),
    Step::Sql(include_str!("migrations/8_edit_tokens.sql")),
    Step::Sql(include_str!("migrations/9_cabling.sql")),
    Step::Sql(include_str!("migrations/10_library.sql")),
    Step::Sql(include_str!("migrations/11_replays.sql")),
    Step::Sql(include_str!("migrations/12_quotas.sql")),
    Step::Sql(include_str!("migrations/13_clock.sql")),
    Step::Sql(include_str!("migrations/14_weights.sql")),
    Step::Code(searches_become_work),
    Step::Sql(include_str!("migrations/16_hardware.sql")),
    Step::Sql(include_str!("migrations/17_listed_work.sql")),
];

/// Applies the missing steps, each in a transaction.
pub fn apply(connection: &mut Connection) -> Result<(), StoreError> {
    let taken: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let known = STEPS.len() as i64;
    if taken > known {
        return Err(StoreError::TooNew { found: taken, known });
    }
    for (step, number) in STEPS.iter().zip(1..).skip(usize::try_from(taken).unwrap_or(0)) {
        let transaction = connection.transaction()?;
        match step {
            Step::Sql(statements) => transaction.execute_batch(statements)?,
            Step::Code(work) => work(&transaction)?,
        }
        transaction.pragma_update(None, "user_version", number)?;
        transaction.commit()?;
    }
    Ok(())
}

/// Moves runs and hardware searches into the one table of work, each request as the form that people would have typed.
fn searches_become_work(transaction: &Transaction<'_>) -> Result<(), StoreError> {
    transaction.execute_batch(include_str!("migrations/15_work.sql"))?;
    let mut runs = transaction.prepare("SELECT * FROM run ORDER BY rowid")?;
    let mut rows = runs.query([])?;
    while let Some(row) = rows.next()? {
        let budget: Budget = serde_json::from_str(&row.get::<_, String>("budget")?)?;
        let form = SearchForm { seed: row.get("seed")?, ..SearchForm::default() }.within(budget);
        let raw = |column: &str| -> Result<Box<RawValue>, StoreError> {
            Ok(RawValue::from_string(row.get::<_, String>(column)?)?)
        };
        let report = json!({
            "progress": raw("progress")?, "history": raw("history")?, "method": row.get::<_, String>("method")?,
        });
        let old = OldWork {
            kind: WorkKind::Search,
            spec: row.get("spec")?,
            form: FormTexts::of(&[&form]),
            threads: row.get("threads")?,
            report: report.to_string(),
            wiring: row.get("wiring")?,
            note: row.get("note")?,
        };
        old.insert(transaction, row)?;
    }
    let mut boards = transaction.prepare("SELECT * FROM board ORDER BY rowid")?;
    let mut rows = boards.query([])?;
    while let Some(row) = rows.next()? {
        let asked: OldBoard = serde_json::from_str(&row.get::<_, String>("asked")?)?;
        let mut form = BoardForm::default();
        form.fill(&asked.rest);
        (form.cell_unit, form.cell_seconds, form.cell_effort) = limit(asked.cell);
        (form.total_unit, form.total_seconds, form.total_effort) = limit(asked.total);
        form.threads = String::new();
        let old = OldWork {
            kind: WorkKind::Hardware,
            spec: asked.spec,
            form: FormTexts::of(&[&form]),
            threads: asked.threads.unwrap_or(1),
            report: row.get("board")?,
            wiring: None,
            note: String::new(),
        };
        old.insert(transaction, row)?;
    }
    transaction.execute_batch(include_str!("migrations/15_work_moved.sql"))?;
    Ok(())
}

/// A run or hardware search of an earlier version.
struct OldWork {
    kind: WorkKind,
    spec: String,
    form: FormTexts,
    threads: u32,
    report: String,
    wiring: Option<String>,
    note: String,
}

/// Request of a hardware search of an earlier version.
#[derive(Deserialize)]
struct OldBoard {
    spec: String,
    cell: Option<Budget>,
    total: Option<Budget>,
    threads: Option<u32>,
    #[serde(flatten)]
    rest: Value,
}

/// Unit, seconds and million moves of a limit as texts.
fn limit(budget: Option<Budget>) -> (String, String, String) {
    let form = budget.map_or_else(SearchForm::default, |budget| SearchForm::default().within(budget));
    (form.unit, form.seconds, form.effort)
}

impl OldWork {
    /// Adds it to the table of work, with the columns of both old tables from `row`.
    fn insert(self, transaction: &Transaction<'_>, row: &Row<'_>) -> Result<(), StoreError> {
        let OldWork { kind, spec, form, threads, report, wiring, note } = self;
        let asked = StartWork { kind, spec: Some(spec), form, ..StartWork::default() };
        let sql = "INSERT INTO work (id, kind, state, asked, threads, report, wiring, message, note, created, ended, version, owner, edit, link)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
        let text = |column: &str| row.get::<_, String>(column);
        let values = params![
            text("id")?,
            kind.entry().name,
            text("state")?,
            serde_json::to_string(&asked)?,
            threads,
            report,
            wiring,
            text("message")?,
            note,
            text("created")?,
            row.get::<_, Option<String>>("ended")?,
            text("version")?,
            text("owner")?,
            row.get::<_, Option<Vec<u8>>>("edit")?,
            row.get::<_, Option<Vec<u8>>>("link")?,
        ];
        transaction.prepare_cached(sql)?.execute(values)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_time_changes_nothing() {
        let mut connection = Connection::open_in_memory().unwrap();
        apply(&mut connection).unwrap();
        apply(&mut connection).unwrap();
    }

    #[test]
    fn a_later_version_is_left_alone() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.pragma_update(None, "user_version", 99).unwrap();
        assert!(matches!(apply(&mut connection), Err(StoreError::TooNew { found: 99, .. })));
    }
}
