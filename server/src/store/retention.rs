//! Removal of ended runs and hardware searches, oldest first. Designs and searches that can still go on stay.

use super::{SearchKind, Store, StoreError};
use crate::{VERSION, lock};
use rusqlite::{Transaction, params};
use tracing::instrument;

/// Searches removed in one transaction, so that other writes wait only shortly.
const BATCH: usize = 16;
/// Pages of free space given back in one step.
const PAGES: u32 = 1000;

/// Limits of what the store keeps of ended searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Max days since the end of a search.
    pub days: u32,
    /// Max MiB of all ended searches together.
    pub mib: u64,
}

impl Default for Retention {
    fn default() -> Retention {
        Retention { days: 30, mib: 1024 }
    }
}

/// Figures of a removal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Removed runs.
    pub runs: u64,
    /// Removed hardware searches.
    pub boards: u64,
    /// Bytes of both, with their wirings and checkpoints.
    pub bytes: u64,
    /// Bytes of the ended searches that stay.
    pub kept: u64,
}

struct Ended {
    kind: SearchKind,
    id: String,
    bytes: u64,
    is_old: bool,
}

/// Condition for a search that never goes on: it has ended, and no studio of this version (`?1`) resumes it.
fn is_over(kind: SearchKind) -> String {
    let (table, checkpoints) = kind.tables();
    format!(
        "state NOT IN ('queued', 'running')
         AND NOT (state = 'interrupted' AND version = ?1 AND id IN (SELECT {table} FROM {checkpoints}))"
    )
}

impl Store {
    /// Removes the ended searches beyond the limits, or counts them in a `dry_run`. Gives free space back to the disk.
    #[instrument(level = "debug", skip_all)]
    pub fn prune(&self, keep: Retention, dry_run: bool) -> Result<Pruned, StoreError> {
        let ended = self.ended(keep)?;
        let max = keep.mib.saturating_mul(1 << 20);
        let mut pruned = Pruned { kept: ended.iter().map(|ended| ended.bytes).sum(), ..Pruned::default() };
        let beyond = ended.into_iter().filter(|ended| {
            let removed = ended.is_old || pruned.kept > max;
            if removed {
                pruned.kept -= ended.bytes;
                pruned.bytes += ended.bytes;
                match ended.kind {
                    SearchKind::Run => pruned.runs += 1,
                    SearchKind::Board => pruned.boards += 1,
                }
            }
            removed
        });
        let beyond: Vec<Ended> = beyond.collect();
        if dry_run {
            return Ok(pruned);
        }
        for batch in beyond.chunks(BATCH) {
            self.write(|transaction| {
                batch.iter().try_for_each(|ended| remove(transaction, ended.kind, &ended.id))
            })?;
        }
        while !beyond.is_empty() && self.shrink()? {}
        Ok(pruned)
    }

    /// Rewrites the database file without free space. For a store that no studio uses.
    ///
    /// # Errors
    /// The disk has no room for a copy, or the database fails.
    pub fn compact(&self) -> Result<(), StoreError> {
        // Stores of earlier versions get the setting with this rewrite.
        lock(&self.writer).execute_batch("PRAGMA auto_vacuum = incremental; VACUUM")?;
        self.settle()
    }

    /// All ended searches, oldest first.
    fn ended(&self, keep: Retention) -> Result<Vec<Ended>, StoreError> {
        let sql = format!(
            "SELECT 0 AS kind, id, coalesce(ended, created) AS at,
                 octet_length(spec) + octet_length(history) + octet_length(progress) + coalesce(octet_length(wiring), 0)
                 + coalesce((SELECT octet_length(state) FROM checkpoint WHERE checkpoint.run = id), 0)
                 + coalesce((SELECT sum(octet_length(frame.progress) + octet_length(frame.wiring)) FROM frame WHERE frame.run = id), 0) AS bytes
                 FROM run WHERE {}
             UNION ALL SELECT 1, id, coalesce(ended, created),
                 octet_length(asked) + octet_length(board)
                 + coalesce((SELECT sum(octet_length(wiring)) FROM board_cell WHERE board_cell.board = id), 0)
                 + coalesce((SELECT octet_length(state) FROM board_checkpoint WHERE board_checkpoint.board = id), 0)
                 FROM board WHERE {}
             ORDER BY at",
            is_over(SearchKind::Run),
            is_over(SearchKind::Board)
        );
        let old = "SELECT strftime('%Y-%m-%dT%H:%M:%SZ', 'now', ?1)";
        self.read(|connection| {
            let days = format!("-{} days", keep.days);
            let limit: String = connection.query_row(old, [days], |row| row.get(0))?;
            let mut statement = connection.prepare(&sql)?;
            let found = statement.query_map([VERSION], |row| {
                let kind = if row.get::<_, i64>(0)? == 0 { SearchKind::Run } else { SearchKind::Board };
                let is_old = row.get::<_, String>(2)? <= limit;
                Ok(Ended { kind, id: row.get(1)?, bytes: row.get::<_, i64>(3)? as u64, is_old })
            })?;
            Ok(found.collect::<Result<_, _>>()?)
        })
    }

    /// Gives some free pages back to the disk. `false` if there are no more, or the store was created without this feature.
    fn shrink(&self) -> Result<bool, StoreError> {
        let writer = lock(&self.writer);
        let free = || writer.query_row("PRAGMA freelist_count", [], |row| row.get::<_, u32>(0));
        let before = free()?;
        writer.execute_batch(&format!("PRAGMA incremental_vacuum({PAGES})"))?;
        Ok(free()? < before)
    }
}

/// Removes a search, unless it goes on by now.
fn remove(transaction: &Transaction<'_>, kind: SearchKind, id: &str) -> Result<(), StoreError> {
    let (table, _) = kind.tables();
    let is_over = format!("SELECT 1 FROM {table} WHERE id = ?2 AND {}", is_over(kind));
    if !transaction.prepare_cached(&is_over)?.exists(params![VERSION, id])? {
        return Ok(());
    }
    delete(transaction, kind, id)
}

/// Removes an ended search with all that belongs to it.
pub(super) fn delete(transaction: &Transaction<'_>, kind: SearchKind, id: &str) -> Result<(), StoreError> {
    let (table, checkpoints) = kind.tables();
    transaction.execute(&format!("DELETE FROM {checkpoints} WHERE {table} = ?1"), [id])?;
    let parts = match kind {
        SearchKind::Run => "DELETE FROM frame WHERE run = ?1",
        SearchKind::Board => "DELETE FROM board_cell WHERE board = ?1",
    };
    transaction.execute(parts, [id])?;
    transaction.execute(&format!("DELETE FROM {table} WHERE id = ?1"), [id])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{store::boards::queued, tasks::Owner};
    use shared::{
        api::{BoardView, RunState, RunView},
        search::Budget,
    };

    const FOREVER: Retention = Retention { days: 36_500, mib: u64::MAX };
    /// Bytes of a run's spec here.
    const LARGE: usize = 1 << 20;

    fn run(store: &Store, id: &str, state: RunState, days: u32) {
        let view = RunView::queued(id.into(), " ".repeat(LARGE), Budget::Effort(1), 1, 1);
        let view = RunView { version: VERSION.into(), ..view };
        store.add_run(&view, &Owner::default(), None).unwrap();
        store.update_run(&RunView { state, ..view }, Some("0: 0 1\n")).unwrap();
        age(store, "run", id, days);
    }

    fn board(store: &Store, id: &str, state: RunState, days: u32) {
        let view = BoardView { version: VERSION.into(), ..queued(id) };
        store.add_board(&view, &Owner::default(), None).unwrap();
        store.save_cell(id, 0, "0: 0 1\n", 0).unwrap();
        store.update_board(&BoardView { state, ..view }).unwrap();
        age(store, "board", id, days);
    }

    fn age(store: &Store, table: &str, id: &str, days: u32) {
        let sql = format!(
            "UPDATE {table} SET ended = strftime('%Y-%m-%dT%H:%M:%SZ', ended, '-{days} days') WHERE id = ?1"
        );
        store.write(|transaction| Ok(transaction.execute(&sql, [id])?)).unwrap();
    }

    fn left(store: &Store, ids: &[&'static str]) -> Vec<&'static str> {
        let is_there = |id: &&&str| store.run(id).unwrap().is_some() || store.board(id).unwrap().is_some();
        ids.iter().filter(is_there).copied().collect()
    }

    #[test]
    fn old_searches_go_and_designs_and_unfinished_ones_stay() {
        let store = Store::temporary().unwrap();
        let design = store.save_design("pes = 2", "0: 0 1\n", "imported").unwrap();
        run(&store, "old", RunState::Solved, 31);
        run(&store, "new", RunState::Solved, 29);
        run(&store, "running", RunState::Running, 99);
        run(&store, "resumes", RunState::Interrupted, 99);
        store.save_checkpoint("resumes", 1.0, &[1]).unwrap();
        board(&store, "old board", RunState::Cancelled, 31);
        board(&store, "queued board", RunState::Queued, 99);
        let keep = Retention { days: 30, ..FOREVER };
        let counted = store.prune(keep, true).unwrap();
        assert_eq!((counted.runs, counted.boards), (1, 1));
        let all = ["old", "new", "running", "resumes", "old board", "queued board"];
        assert_eq!(left(&store, &all), all);
        assert_eq!(store.prune(keep, false).unwrap(), counted);
        assert_eq!(left(&store, &all), ["new", "running", "resumes", "queued board"]);
        assert_eq!(store.cell("old board", 0).unwrap(), None);
        assert!(store.cell("queued board", 0).unwrap().is_some());
        assert!(store.design(&design.id).unwrap().is_some());
        let nothing = Pruned { kept: counted.kept, ..Pruned::default() };
        assert_eq!(store.prune(keep, false).unwrap(), nothing);
    }

    #[test]
    fn the_oldest_go_first_until_the_rest_fits_and_the_file_shrinks() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let ids = ["a", "b", "c", "d"];
        for (id, days) in ids.into_iter().zip([2, 4, 1, 3]) {
            run(&store, id, RunState::Solved, days);
        }
        let size = || {
            store.settle().unwrap();
            folder.path().join("crosspoint.sqlite").metadata().unwrap().len()
        };
        let before = size();
        let pruned = store.prune(Retention { mib: 2, ..FOREVER }, false).unwrap();
        assert_eq!(left(&store, &ids), ["c"], "two would be a little more than 2 MiB");
        assert_eq!((pruned.runs, pruned.kept >> 20), (3, 1));
        assert!(size() + pruned.bytes / 2 < before);
        let pruned = store.prune(Retention { mib: 0, ..FOREVER }, false).unwrap();
        store.compact().unwrap();
        assert_eq!((pruned.runs, pruned.kept), (1, 0));
        assert!(size() < LARGE as u64);
    }

    #[test]
    fn searches_of_another_version_do_not_resume_and_go() {
        let store = Store::temporary().unwrap();
        run(&store, "a", RunState::Interrupted, 31);
        store.save_checkpoint("a", 1.0, &[1]).unwrap();
        store.write(|transaction| Ok(transaction.execute("UPDATE run SET version = 'x'", [])?)).unwrap();
        assert_eq!(store.prune(Retention::default(), false).unwrap().runs, 1);
        assert_eq!(left(&store, &["a"]), Vec::<&str>::new());
        assert_eq!(store.take_checkpoint(SearchKind::Run, "a").unwrap(), None);
    }
}
