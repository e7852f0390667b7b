//! Work: its request, state, report, parts and checkpoint.
//!
//! Unfinished or interrupted work has one row of checkpoints. Without a state in it, the work starts again. A search that was stopped
//! or reached its limit keeps a state, to be continued with more time. Other work that has ended has no row.

use super::{INTERRUPTED, Store, StoreError, json, state_of, state_text};
use crate::{edit::TokenHash, log::short, tasks::Owner};
use rusqlite::{OptionalExtension, Row, Transaction, named_params, params};
use serde_json::value::RawValue;
use shared::api::{ListedHardware, Problem, StartWork, WorkKind, WorkState, WorkView};
use tracing::{error, instrument};

/// Max attempts to resume from the same checkpoint: work that never gets past it may be what stops the studio.
const MAX_TRIES: u32 = 3;
/// Message of work that is not tried again.
const GIVEN_UP: &str = "The studio crashed three times during this work, so it does not resume. The results until then are saved.";

/// Work as JSON holds its report.
pub type StoredView = WorkView<Box<RawValue>>;

/// Changes of work to store.
#[derive(Clone, Copy, Debug)]
pub struct WorkUpdate<'a> {
    /// Id.
    pub id: &'a str,
    /// Kind of work.
    pub kind: WorkKind,
    /// State.
    pub state: WorkState,
    /// Error message or reason of a pause.
    pub message: &'a str,
    /// Details of a failure.
    pub problem: Option<&'a Problem>,
    /// The report.
    pub report: &'a RawValue,
    /// Hardware, price and objective of the wiring, if they are new.
    pub hardware: Option<&'a ListedHardware>,
}

impl<'a> From<&'a StoredView> for WorkUpdate<'a> {
    fn from(view: &'a StoredView) -> WorkUpdate<'a> {
        let StoredView { id, asked, state, message, problem, report, .. } = view;
        let (kind, state, problem) = (asked.kind, *state, problem.as_ref());
        WorkUpdate { id, kind, state, message, problem, report, hardware: None }
    }
}

/// Stored work.
#[derive(Clone, Debug)]
pub struct WorkRecord {
    /// The work with its report.
    pub view: StoredView,
    /// Text table of the best wiring of a search, once there is one.
    pub wiring: Option<String>,
    /// The client that started it, by its pseudonym.
    pub owner: Owner,
}

/// A part of work with a wiring: a cell of a hardware search, or a frame of a search's replay.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredPart {
    /// Number of the cell; revision of the frame.
    pub number: u64,
    /// Seconds of search at the frame; 0 for a cell.
    pub elapsed: f64,
    /// JSON: the progress at a frame, the uncovered pairs of a cell.
    pub note: String,
    /// Text table of the wiring.
    pub wiring: String,
}

impl Store {
    /// Adds work of a client, with an empty checkpoint. Returns the time of its creation.
    #[instrument(level = "debug", skip_all)]
    pub fn add_work(
        &self,
        view: &StoredView,
        owner: &Owner,
        edit: Option<TokenHash>,
    ) -> Result<String, StoreError> {
        self.write(|transaction| insert(transaction, view, owner, edit))
    }

    /// Updates work, and its wiring if there is a table. Work that ends without being interrupted loses its checkpoint.
    #[instrument(level = "debug", skip_all)]
    pub fn update_work<'a>(
        &self,
        update: impl Into<WorkUpdate<'a>>,
        wiring: Option<&str>,
    ) -> Result<(), StoreError> {
        let WorkUpdate { id, kind, state, message, problem, report, hardware } = update.into();
        let sql = "UPDATE work SET state = :state, report = :report, wiring = coalesce(:wiring, wiring),
             hardware = coalesce(:hardware, hardware), message = :message, problem = :problem WHERE id = :id";
        let values = named_params! {
            ":id": id,
            ":state": state_text(state)?,
            ":report": report.get(),
            ":wiring": wiring,
            ":hardware": hardware.map(serde_json::to_string).transpose()?,
            ":message": message,
            ":problem": problem.map(serde_json::to_string).transpose()?,
        };
        self.write(|transaction| {
            transaction.execute(sql, values)?;
            drop_unless_it_resumes(transaction, kind, id, state)
        })
    }

    /// Gives ended work a new request. Returns the seconds of search at its checkpoint; 0 if it starts again, as after a run of
    /// another version.
    #[instrument(level = "debug", skip_all)]
    pub fn extend_work(&self, id: &str, asked: &StartWork, version: &str) -> Result<f64, StoreError> {
        let asked = serde_json::to_string(asked)?;
        self.write(|transaction| {
            let old =
                "DELETE FROM checkpoint WHERE work IN (SELECT id FROM work WHERE id = ?1 AND version != ?2)";
            transaction.execute(old, [id, version])?;
            let sql = "UPDATE work SET asked = ?2, version = ?3 WHERE id = ?1";
            transaction.execute(sql, params![id, asked, version])?;
            let sql = "INSERT INTO checkpoint (work) VALUES (?1) ON CONFLICT (work) DO UPDATE SET tries = 0 RETURNING elapsed";
            Ok(transaction.query_row(sql, [id], |row| row.get(0))?)
        })
    }

    /// The work with this id.
    #[instrument(level = "debug", skip_all)]
    pub fn work(&self, id: &str) -> Result<Option<WorkRecord>, StoreError> {
        self.find("SELECT * FROM work WHERE id = ?1", id, read)
    }

    /// Hash of the edit token of work. The outer `None`: no such work; the inner `None`: work of an earlier version,
    /// without a token.
    pub fn edit_token(&self, id: &str) -> Result<Option<Option<TokenHash>>, StoreError> {
        let read = |row: &Row<'_>| Ok(row.get::<_, Option<[u8; 32]>>(0)?.map(TokenHash::from));
        self.find("SELECT edit FROM work WHERE id = ?1", id, read)
    }

    /// Replaces the secret in the edit link of work. Returns `false` without such work.
    pub fn set_edit_link(&self, id: &str, link: TokenHash) -> Result<bool, StoreError> {
        let sql = "UPDATE work SET link = ?2 WHERE id = ?1";
        self.write(|transaction| Ok(transaction.execute(sql, params![id, link.bytes()])? > 0))
    }

    /// `true` if the edit link of the work has a secret with this hash.
    pub fn has_edit_link(&self, id: &str, link: TokenHash) -> Result<bool, StoreError> {
        let sql = "SELECT link FROM work WHERE id = ?1";
        let found = self.find(sql, id, |row| Ok(row.get::<_, Option<[u8; 32]>>(0)?))?.flatten();
        Ok(found.is_some_and(|hash| TokenHash::from(hash) == link))
    }

    /// Saves a part in place of the one before.
    #[instrument(level = "debug", skip_all)]
    pub fn save_part(&self, work: &str, part: &StoredPart) -> Result<(), StoreError> {
        let sql = "INSERT INTO part (work, number, elapsed, note, wiring) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (work, number) DO UPDATE SET elapsed = excluded.elapsed, note = excluded.note, wiring = excluded.wiring";
        let StoredPart { number, elapsed, note, wiring } = part;
        let values = params![work, *number as i64, elapsed, note, wiring];
        self.write(|transaction| Ok(transaction.execute(sql, values)?)).map(drop)
    }

    /// Saves parts in place of all those before. Numbers name the same part before and now.
    #[instrument(level = "debug", skip_all)]
    pub fn save_parts(&self, work: &str, parts: &[StoredPart]) -> Result<(), StoreError> {
        let numbers: Vec<u64> = parts.iter().map(|part| part.number).collect();
        let numbers = serde_json::to_string(&numbers)?;
        self.write(|transaction| {
            let thinned =
                "DELETE FROM part WHERE work = ?1 AND number NOT IN (SELECT value FROM json_each(?2))";
            transaction.execute(thinned, [work, &numbers])?;
            let sql =
                "INSERT OR IGNORE INTO part (work, number, elapsed, note, wiring) VALUES (?1, ?2, ?3, ?4, ?5)";
            let mut insert = transaction.prepare_cached(sql)?;
            for StoredPart { number, elapsed, note, wiring } in parts {
                insert.execute(params![work, *number as i64, elapsed, note, wiring])?;
            }
            Ok(())
        })
    }

    /// The parts of work, in the order of their numbers.
    #[instrument(level = "debug", skip_all)]
    pub fn parts(&self, work: &str) -> Result<Vec<StoredPart>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT * FROM part WHERE work = ?1 ORDER BY number";
            let mut statement = connection.prepare_cached(sql)?;
            statement.query_and_then([work], read_part)?.collect()
        })
    }

    /// A part of work.
    #[instrument(level = "debug", skip_all)]
    pub fn part(&self, work: &str, number: usize) -> Result<Option<StoredPart>, StoreError> {
        let Ok(number) = i64::try_from(number) else { return Ok(None) };
        self.read(|connection| {
            let sql = "SELECT * FROM part WHERE work = ?1 AND number = ?2";
            let mut statement = connection.prepare_cached(sql)?;
            statement.query_and_then(params![work, number], read_part)?.next().transpose()
        })
    }

    /// Deletes the parts of work after `until` seconds of search, or all, and returns the others.
    #[instrument(level = "debug", skip_all)]
    pub fn rewind_parts(&self, work: &str, until: Option<f64>) -> Result<Vec<StoredPart>, StoreError> {
        let sql = "DELETE FROM part WHERE work = ?1 AND (?2 IS NULL OR elapsed > ?2)";
        self.write(|transaction| Ok(transaction.execute(sql, params![work, until])?))?;
        self.parts(work)
    }

    /// Marks unfinished work as interrupted, as after a crash, with its report as `settle` returns it. Unreadable work is set aside as
    /// failed. Returns its number.
    #[instrument(level = "debug", skip_all)]
    pub fn interrupt_work(
        &self,
        settle: impl Fn(WorkKind, &RawValue) -> Result<Box<RawValue>, serde_json::Error>,
    ) -> Result<usize, StoreError> {
        let unfinished: Vec<String> = self.read(|connection| {
            let mut found = connection.prepare("SELECT id FROM work WHERE state IN ('queued', 'running')")?;
            let ids = found.query_map([], |row| row.get(0))?;
            Ok(ids.collect::<Result<_, _>>()?)
        })?;
        for id in &unfinished {
            let settled = self.work(id).and_then(|record| {
                let Some(WorkRecord { mut view, .. }) = record else { return Ok(None) };
                view.report = settle(view.asked.kind, &view.report)?;
                (view.state, view.message) = (WorkState::Interrupted, INTERRUPTED.into());
                Ok(Some(view))
            });
            match settled {
                Ok(view) => view.map_or(Ok(()), |view| self.update_work(&view, None))?,
                Err(error @ StoreError::Content(_)) => {
                    error!(id = short(id), %error, "set aside unreadable work");
                    self.set_aside(id)?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(unfinished.len())
    }

    fn set_aside(&self, id: &str) -> Result<(), StoreError> {
        self.write(|transaction| {
            let sql = "UPDATE work SET state = 'failed', message = 'unreadable' WHERE id = ?1";
            transaction.execute(sql, [id])?;
            Ok(delete_checkpoint(transaction, id)?)
        })
    }

    /// Saves a checkpoint, taken after `elapsed` seconds of search, in place of the one before.
    #[instrument(level = "debug", skip_all)]
    pub fn save_checkpoint(&self, work: &str, elapsed: f64, state: &[u8]) -> Result<(), StoreError> {
        let sql = "INSERT INTO checkpoint (work, elapsed, state) VALUES (?1, ?2, ?3)
             ON CONFLICT (work) DO UPDATE SET elapsed = excluded.elapsed, state = excluded.state, tries = 0";
        self.write(|transaction| Ok(transaction.execute(sql, params![work, elapsed, state])?)).map(drop)
    }

    /// State to resume work from, and one more try counted; `None` if the work starts again.
    #[instrument(level = "debug", skip_all)]
    pub fn take_checkpoint(&self, work: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let sql = "UPDATE checkpoint SET tries = tries + 1 WHERE work = ?1 RETURNING state";
        self.write(|transaction| {
            Ok(transaction.query_row(sql, [work], |row| row.get(0)).optional()?.flatten())
        })
    }

    /// Deletes the checkpoint of work: it does not resume any more.
    #[instrument(level = "debug", skip_all)]
    pub fn delete_checkpoint(&self, work: &str) -> Result<(), StoreError> {
        self.write(|transaction| Ok(delete_checkpoint(transaction, work)?))
    }

    /// Forgets the attempts to resume work, since the studio stops in an orderly way.
    #[instrument(level = "debug", skip_all)]
    pub fn forgive(&self, work: &str) -> Result<(), StoreError> {
        let sql = "UPDATE checkpoint SET tries = 0 WHERE work = ?1";
        self.write(|transaction| Ok(transaction.execute(sql, [work])?)).map(drop)
    }

    /// Work that can resume, oldest first, with the seconds of search at its checkpoint.
    ///
    /// Deletes checkpoints of other versions and those that were tried [`MAX_TRIES`] times, whose work then says so.
    #[instrument(level = "debug", skip_all)]
    pub fn resumable(&self, version: &str) -> Result<Vec<(String, f64)>, StoreError> {
        // Work that has resumed already keeps its checkpoint.
        let given_up = "UPDATE work SET message = ?2 WHERE state NOT IN ('queued', 'running')
             AND id IN (SELECT work FROM checkpoint WHERE tries >= ?1)";
        let useless = "DELETE FROM checkpoint WHERE work IN (SELECT id FROM work WHERE state NOT IN ('queued', 'running')
             AND (tries >= ?2 OR state NOT IN ('interrupted', 'exhausted', 'cancelled') OR version != ?1))";
        let left = "SELECT id, elapsed FROM work JOIN checkpoint ON checkpoint.work = id
             WHERE work.state = 'interrupted' ORDER BY created, work.rowid";
        self.write(|transaction| {
            transaction.execute(given_up, params![MAX_TRIES, GIVEN_UP])?;
            transaction.execute(useless, params![version, MAX_TRIES])?;
            let mut found = transaction.prepare(left)?;
            let work = found.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(work.collect::<Result<_, _>>()?)
        })
    }
}

/// Adds work with an empty checkpoint. Returns the time of its creation.
pub(super) fn insert(
    transaction: &Transaction<'_>,
    view: &StoredView,
    owner: &Owner,
    edit: Option<TokenHash>,
) -> Result<String, StoreError> {
    let sql =
        "INSERT INTO work (id, kind, state, asked, threads, foreseen, report, message, version, owner, edit, trial)
         VALUES (:id, :kind, :state, :asked, :threads, :foreseen, :report, :message, :version, :owner, :edit, :trial)
         RETURNING created";
    let values = named_params! {
        ":id": view.id,
        ":kind": view.asked.kind.entry().name,
        ":state": state_text(view.state)?,
        ":asked": serde_json::to_string(&view.asked)?,
        ":threads": view.threads,
        ":foreseen": view.foreseen,
        ":report": view.report.get(),
        ":message": view.message,
        ":version": view.version,
        ":owner": owner.0,
        ":edit": edit.map(|hash| hash.bytes()),
        ":trial": view.asked.trial,
    };
    let created = transaction.query_row(sql, values, |row| row.get(0))?;
    transaction.execute("INSERT INTO checkpoint (work) VALUES (?1)", [&view.id])?;
    Ok(created)
}

/// Deletes the checkpoint of work in this state, unless it can resume or be continued.
fn drop_unless_it_resumes(
    transaction: &Transaction<'_>,
    kind: WorkKind,
    id: &str,
    state: WorkState,
) -> Result<(), StoreError> {
    match state {
        WorkState::Queued | WorkState::Running | WorkState::Interrupted => {}
        WorkState::Exhausted | WorkState::Cancelled if kind == WorkKind::Search => {
            transaction.execute("DELETE FROM checkpoint WHERE work = ?1 AND state IS NULL", [id])?;
        }
        _ => delete_checkpoint(transaction, id)?,
    }
    Ok(())
}

fn delete_checkpoint(transaction: &Transaction<'_>, work: &str) -> rusqlite::Result<()> {
    transaction.execute("DELETE FROM checkpoint WHERE work = ?1", [work]).map(drop)
}

fn read(row: &Row<'_>) -> Result<WorkRecord, StoreError> {
    let problem: Option<String> = row.get("problem")?;
    let view = WorkView {
        id: row.get("id")?,
        state: state_of(row)?,
        asked: json(row, "asked")?,
        threads: row.get("threads")?,
        message: row.get("message")?,
        problem: problem.map(|problem| serde_json::from_str(&problem)).transpose()?,
        created: row.get("created")?,
        version: row.get("version")?,
        queue: None,
        foreseen: row.get("foreseen")?,
        report: RawValue::from_string(row.get("report")?)?,
    };
    Ok(WorkRecord { view, wiring: row.get("wiring")?, owner: Owner(row.get("owner")?) })
}

fn read_part(row: &Row<'_>) -> Result<StoredPart, StoreError> {
    Ok(StoredPart {
        number: row.get::<_, i64>("number")? as u64,
        elapsed: row.get("elapsed")?,
        note: row.get("note")?,
        wiring: row.get("wiring")?,
    })
}

/// Queued work of a kind for tests, of version 1.2.3.
#[cfg(test)]
pub(super) fn queued(kind: WorkKind, id: &str) -> StoredView {
    let asked = StartWork { kind, spec: Some("pes = 2".into()), ..StartWork::default() };
    WorkView { id: id.into(), asked, version: "1.2.3".into(), threads: 2, ..WorkView::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use WorkKind::{Hardware, Search};

    fn add(store: &Store, view: &StoredView) {
        store.add_work(view, &Owner::default(), None).unwrap();
    }

    fn in_state(kind: WorkKind, id: &str, state: WorkState) -> StoredView {
        StoredView { state, ..queued(kind, id) }
    }

    fn interrupt(store: &Store) -> usize {
        store.interrupt_work(|_, report| Ok(report.to_owned())).unwrap()
    }

    fn state(store: &Store, id: &str) -> WorkState {
        store.work(id).unwrap().unwrap().view.state
    }

    #[test]
    fn work_comes_back_as_it_was_kept() {
        let store = Store::temporary().unwrap();
        let kept = TokenHash::of("secret");
        let created = store.add_work(&queued(Search, "a"), &Owner("x".into()), Some(kept)).unwrap();
        assert!(created.ends_with('Z'));
        let record = store.work("a").unwrap().unwrap();
        assert_eq!((record.view.created, record.owner, record.wiring), (created, Owner("x".into()), None));
        assert_eq!(record.view.asked, queued(Search, "a").asked);
        assert!(store.work("b").unwrap().is_none());
        add(&store, &queued(Hardware, "b"));
        let found = |id: &str| store.edit_token(id).unwrap();
        assert!(found("a") == Some(Some(kept)) && found("b") == Some(None) && found("c").is_none());
        let report = RawValue::from_string("{\"seed\":18446744073709551615}".into()).unwrap();
        let view = StoredView { report, message: "told".into(), ..in_state(Search, "a", WorkState::Solved) };
        store.update_work(&view, Some("0: 0 1\n")).unwrap();
        store.update_work(&view, None).unwrap();
        let record = store.work("a").unwrap().unwrap();
        assert_eq!(record.wiring.as_deref(), Some("0: 0 1\n"));
        assert_eq!((record.view.state, record.view.message.as_str()), (WorkState::Solved, "told"));
        assert_eq!(record.view.report.get(), view.report.get());
    }

    #[test]
    fn parts_are_replaced_rewound_and_deleted_with_their_work() {
        let store = Store::temporary().unwrap();
        add(&store, &in_state(Search, "a", WorkState::Solved));
        let part = |number: u64| StoredPart {
            number,
            elapsed: number as f64,
            note: "{}".into(),
            wiring: format!("0: {number}\n"),
        };
        store.save_parts("a", &[1, 2, 3, 4].map(part)).unwrap();
        let thinned = [1, 3, 5].map(part);
        store.save_parts("a", &thinned).unwrap();
        assert_eq!(store.parts("a").unwrap(), thinned);
        assert_eq!(store.rewind_parts("a", Some(3.0)).unwrap(), thinned[..2]);
        store.save_part("a", &StoredPart { wiring: "0: 9\n".into(), ..part(3) }).unwrap();
        assert_eq!(store.part("a", 3).unwrap().unwrap().wiring, "0: 9\n");
        assert_eq!(store.part("a", 2).unwrap(), None);
        assert_eq!(store.part("a", usize::MAX).unwrap(), None);
        assert!(store.save_part("nobody", &part(0)).is_err(), "a part of no work");
        store.delete_item("a").unwrap();
        assert_eq!(store.parts("a").unwrap(), []);
    }

    #[test]
    fn only_unfinished_work_becomes_interrupted() {
        let store = Store::temporary().unwrap();
        for (id, state) in [("q", WorkState::Queued), ("r", WorkState::Running), ("s", WorkState::Solved)] {
            add(&store, &queued(Search, id));
            store.update_work(&in_state(Search, id, state), Some("0: 0 1\n")).unwrap();
        }
        assert_eq!(interrupt(&store), 2);
        let states = ["q", "r", "s"].map(|id| state(&store, id));
        assert_eq!(states, [WorkState::Interrupted, WorkState::Interrupted, WorkState::Solved]);
        assert_eq!(store.work("r").unwrap().unwrap().wiring.as_deref(), Some("0: 0 1\n"));
    }

    #[test]
    fn unreadable_work_is_set_aside_and_the_others_resume() {
        let store = Store::temporary().unwrap();
        add(&store, &queued(Hardware, "torn"));
        add(&store, &queued(Hardware, "strange"));
        add(&store, &queued(Hardware, "whole"));
        let sql = "UPDATE work SET asked = '{' WHERE id = 'torn'";
        store.write(|transaction| Ok(transaction.execute(sql, [])?)).unwrap();
        let sql = "UPDATE work SET report = '7' WHERE id = 'strange'";
        store.write(|transaction| Ok(transaction.execute(sql, [])?)).unwrap();
        let settle = |_: WorkKind, report: &RawValue| match report.get() {
            "7" => serde_json::from_str("{").map(|()| report.to_owned()),
            _ => Ok(report.to_owned()),
        };
        assert_eq!(store.interrupt_work(settle).unwrap(), 3);
        assert_eq!(
            (state(&store, "whole"), state(&store, "strange")),
            (WorkState::Interrupted, WorkState::Failed)
        );
        assert!(matches!(store.work("torn"), Err(StoreError::Content(_))));
        assert_eq!(store.resumable("1.2.3").unwrap(), [("whole".to_owned(), 0.0)]);
    }

    #[test]
    fn the_last_checkpoint_is_kept_until_the_work_is_over() {
        let store = Store::temporary().unwrap();
        for (kind, id) in [(Search, "a"), (Hardware, "b")] {
            add(&store, &in_state(kind, id, WorkState::Running));
            assert_eq!(store.take_checkpoint(id).unwrap(), None);
            store.save_checkpoint(id, 1.5, &[1, 2]).unwrap();
            store.save_checkpoint(id, 2.5, &[3]).unwrap();
            let become_of = |state| store.update_work(&in_state(kind, id, state), None).unwrap();
            for state in [WorkState::Running, WorkState::Interrupted] {
                become_of(state);
                assert_eq!(store.take_checkpoint(id).unwrap(), Some(vec![3]));
            }
            become_of(WorkState::Cancelled);
            let continued = (kind == Search).then(|| vec![3]);
            assert_eq!(store.take_checkpoint(id).unwrap(), continued, "a search may be continued");
            become_of(WorkState::Solved);
            assert_eq!(store.take_checkpoint(id).unwrap(), None);
        }
    }

    #[test]
    fn interrupted_work_of_this_version_is_resumable() {
        let store = Store::temporary().unwrap();
        for (id, kind, state, version) in [
            ("later", Search, WorkState::Running, "1"),
            ("queued", Hardware, WorkState::Queued, "1"),
            ("old", Search, WorkState::Running, "0"),
            ("failed", Search, WorkState::Failed, "1"),
        ] {
            add(&store, &StoredView { version: version.into(), ..in_state(kind, id, state) });
            store.save_checkpoint(id, 1.5, &[1]).unwrap();
        }
        interrupt(&store);
        let work = [("later".to_owned(), 1.5), ("queued".to_owned(), 1.5)];
        assert_eq!(store.resumable("1").unwrap(), work);
        for gone in ["old", "failed"] {
            assert_eq!(store.take_checkpoint(gone).unwrap(), None, "{gone}");
        }
    }

    #[test]
    fn work_begins_again_but_not_for_ever() {
        let store = Store::temporary().unwrap();
        for id in ["waits", "a", "over"] {
            add(&store, &queued(Hardware, id));
        }
        store.update_work(&in_state(Hardware, "over", WorkState::Cancelled), None).unwrap();
        interrupt(&store);
        let ids = || store.resumable("1.2.3").unwrap().into_iter().map(|(id, _)| id).collect::<Vec<_>>();
        for _ in 0..MAX_TRIES {
            assert_eq!(ids(), ["waits", "a"]);
            assert_eq!(store.take_checkpoint("a").unwrap(), None);
        }
        assert_eq!(ids(), ["waits"]);
        assert!(store.work("a").unwrap().unwrap().view.message.contains("three times"));
        add(&store, &in_state(Search, "b", WorkState::Interrupted));
        (0..MAX_TRIES).for_each(|_| drop(store.take_checkpoint("b").unwrap()));
        store.save_checkpoint("b", 2.0, &[1]).unwrap();
        assert_eq!(ids(), ["waits", "b"]);
    }
}
