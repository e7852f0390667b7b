//! Removal of ended work, oldest first. Designs and work that can still go on stay.
//!
//! Work ages while a studio runs. The studio looks at the clock once an hour. If the clock is more than a day later than at
//! the last look, it was wrong then, is wrong now, or no studio ran; nothing ages by this gap. So a wrong clock removes nothing, and
//! once it goes back, its gap is forgotten.

use super::{Store, StoreError, kind_of};
use crate::{VERSION, lock};
use rusqlite::{Transaction, params};
use shared::{api::WorkKind, text::grouped};
use std::collections::BTreeMap;
use tracing::{instrument, warn};

/// Works removed in one transaction, so that other writes wait only shortly.
const BATCH: usize = 16;
/// Pages of free space given back in one step.
const PAGES: u32 = 1000;

/// Max seconds between two looks at the clock that count as time.
const MAX_STEP: i64 = 24 * 3600;

/// Limits of what the store keeps of ended work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Max days since the end; some kinds stay for less.
    pub days: u32,
    /// Max MiB of all ended work together.
    pub mib: u64,
}

impl Default for Retention {
    fn default() -> Retention {
        Retention { days: 30, mib: 1024 }
    }
}

/// Figures of a removal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PruneReport {
    /// Number of removed works of each kind.
    pub removed: BTreeMap<WorkKind, u64>,
    /// Bytes of them, with their wirings and checkpoints.
    pub bytes: u64,
    /// Bytes of the ended work that stays.
    pub kept: u64,
    /// Works that are too old by the clock alone and stay, because gaps of the clock do not count.
    pub spared: u64,
}

impl PruneReport {
    /// Number of removed works.
    pub fn count(&self) -> u64 {
        self.removed.values().sum()
    }

    /// Numbers of removed works in words.
    pub fn words(&self) -> String {
        counted(&self.removed)
    }
}

/// Numbers of works in words, such as `2 searches and 1 estimate`.
pub fn counted(works: &BTreeMap<WorkKind, u64>) -> String {
    let count = |(kind, &number): (&WorkKind, &u64)| {
        let entry = kind.entry();
        format!("{} {}", grouped(number), if number == 1 { entry.noun } else { entry.plural })
    };
    let counts: Vec<String> = works.iter().map(count).collect();
    match counts.split_last() {
        None => "nothing".into(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

struct EndedWork {
    kind: WorkKind,
    id: String,
    bytes: u64,
    /// Seconds since its end, by the clock.
    by_clock: i64,
    /// Seconds of `by_clock` that lie in gaps of the clock.
    in_gaps: i64,
}

/// Condition for work that never goes on: it has ended, and no studio of this version (`?1`) resumes it.
const IS_OVER: &str = "state NOT IN ('queued', 'running')
     AND NOT (state = 'interrupted' AND version = ?1 AND id IN (SELECT work FROM checkpoint))";

impl Store {
    /// Removes the ended work beyond the limits, or counts them in a `dry_run`. Gives free space back to the disk.
    #[instrument(level = "debug", skip_all)]
    pub fn prune(&self, keep: Retention, dry_run: bool) -> Result<PruneReport, StoreError> {
        let now =
            self.read(|connection| Ok(connection.query_row("SELECT unixepoch()", [], |row| row.get(0))?))?;
        self.prune_at(now, keep, dry_run)
    }

    /// [`Store::prune`] at a time in seconds since 1970.
    fn prune_at(&self, now: i64, keep: Retention, dry_run: bool) -> Result<PruneReport, StoreError> {
        self.look_at_clock(now)?;
        let ended = self.ended(now)?;
        let max = keep.mib.saturating_mul(1 << 20);
        let days = |kind: WorkKind| {
            i64::from(kind.entry().days.map_or(keep.days, |days| days.min(keep.days))) * 24 * 3600
        };
        let mut pruned =
            PruneReport { kept: ended.iter().map(|ended| ended.bytes).sum(), ..PruneReport::default() };
        let beyond = ended.into_iter().filter(|ended| {
            let days = days(ended.kind);
            let removed = ended.by_clock - ended.in_gaps >= days || pruned.kept > max;
            pruned.spared += u64::from(!removed && ended.by_clock >= days);
            if removed {
                pruned.kept -= ended.bytes;
                pruned.bytes += ended.bytes;
                *pruned.removed.entry(ended.kind).or_default() += 1;
            }
            removed
        });
        let beyond: Vec<EndedWork> = beyond.collect();
        if dry_run {
            return Ok(pruned);
        }
        for batch in beyond.chunks(BATCH) {
            self.write(|transaction| batch.iter().try_for_each(|ended| remove(transaction, &ended.id)))?;
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

    /// Remembers the time, and a gap since the last look.
    fn look_at_clock(&self, now: i64) -> Result<(), StoreError> {
        self.write(|transaction| {
            let seen: i64 = transaction.query_row("SELECT seen FROM clock", [], |row| row.get(0))?;
            if now - seen > MAX_STEP {
                let days = (now - seen) / (24 * 3600);
                warn!(days, "the clock is days later than when a studio last used this database; these days don't count toward the age \
                    of ended work");
                transaction.execute("INSERT INTO gap (since, until) VALUES (?1, ?2)", [seen, now])?;
            }
            if now < seen {
                transaction.execute("DELETE FROM gap WHERE until > ?1", [now])?;
                let ended = "strftime('%Y-%m-%dT%H:%M:%SZ', ?1, 'unixepoch')";
                let sql = format!("UPDATE work SET ended = {ended} WHERE ended > {ended}");
                transaction.execute(&sql, [now])?;
            }
            transaction.execute("UPDATE clock SET seen = ?1", [now])?;
            Ok(())
        })
    }

    /// All ended work, oldest first.
    fn ended(&self, now: i64) -> Result<Vec<EndedWork>, StoreError> {
        let sql = format!(
            "SELECT kind, id, bytes, ?2 - unixepoch(at) AS by_clock,
                 coalesce((SELECT sum(until - max(since, unixepoch(at))) FROM gap WHERE until > unixepoch(at)), 0) AS in_gaps
             FROM (SELECT kind, id, coalesce(ended, created) AS at,
                 octet_length(asked) + octet_length(report) + coalesce(octet_length(wiring), 0)
                 + coalesce((SELECT octet_length(state) FROM checkpoint WHERE checkpoint.work = id), 0)
                 + coalesce((SELECT sum(octet_length(note) + octet_length(part.wiring)) FROM part WHERE part.work = id), 0) AS bytes
                 FROM work WHERE {IS_OVER})
             ORDER BY at"
        );
        self.read(|connection| {
            let mut statement = connection.prepare(&sql)?;
            let found = statement.query_and_then(params![VERSION, now], |row| {
                let bytes = row.get::<_, i64>("bytes")? as u64;
                let (by_clock, in_gaps) = (row.get("by_clock")?, row.get("in_gaps")?);
                Ok(EndedWork { kind: kind_of(row)?, id: row.get("id")?, bytes, by_clock, in_gaps })
            })?;
            found.collect()
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

/// Removes work, unless it goes on by now.
fn remove(transaction: &Transaction<'_>, id: &str) -> Result<(), StoreError> {
    let is_over = format!("SELECT 1 FROM work WHERE id = ?2 AND {IS_OVER}");
    if !transaction.prepare_cached(&is_over)?.exists(params![VERSION, id])? {
        return Ok(());
    }
    delete(transaction, id)
}

/// Removes ended work with all that belongs to it.
pub(super) fn delete(transaction: &Transaction<'_>, id: &str) -> Result<(), StoreError> {
    for table in ["checkpoint", "part"] {
        transaction.execute(&format!("DELETE FROM {table} WHERE work = ?1"), [id])?;
    }
    transaction.execute("DELETE FROM work WHERE id = ?1", [id])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        store::work::{StoredPart, StoredView, queued},
        tasks::Owner,
    };
    use shared::api::WorkState;

    const FOREVER: Retention = Retention { days: 36_500, mib: u64::MAX };
    /// Bytes of a run's spec here.
    const LARGE: usize = 1 << 20;

    fn run(store: &Store, id: &str, state: WorkState, days: i64) {
        let mut view = StoredView { version: VERSION.into(), ..queued(WorkKind::Search, id) };
        view.asked.spec = Some(" ".repeat(LARGE));
        store.add_work(&view, &Owner::default(), None).unwrap();
        store.update_work(&StoredView { state, ..view }, Some("0: 0 1\n")).unwrap();
        age(store, id, days);
    }

    fn board(store: &Store, id: &str, state: WorkState, days: i64) {
        let view = StoredView { version: VERSION.into(), ..queued(WorkKind::Hardware, id) };
        store.add_work(&view, &Owner::default(), None).unwrap();
        let part = StoredPart { number: 0, elapsed: 0.0, note: "0".into(), wiring: "0: 0 1\n".into() };
        store.save_part(id, &part).unwrap();
        store.update_work(&StoredView { state, ..view }, None).unwrap();
        age(store, id, days);
    }

    fn age(store: &Store, id: &str, days: i64) {
        let sql = format!(
            "UPDATE work SET ended = strftime('%Y-%m-%dT%H:%M:%SZ', ended, '{} days') WHERE id = ?1",
            -days
        );
        store.write(|transaction| Ok(transaction.execute(&sql, [id])?)).unwrap();
    }

    fn left(store: &Store, ids: &[&'static str]) -> Vec<&'static str> {
        let is_there = |id: &&&str| store.work(id).unwrap().is_some();
        ids.iter().filter(is_there).copied().collect()
    }

    #[test]
    fn old_searches_go_and_designs_and_unfinished_ones_stay() {
        let store = Store::temporary().unwrap();
        let design = store.save_design("pes = 2", "0: 0 1\n", "imported").unwrap();
        run(&store, "old", WorkState::Solved, 31);
        run(&store, "new", WorkState::Solved, 29);
        run(&store, "running", WorkState::Running, 99);
        run(&store, "resumes", WorkState::Interrupted, 99);
        store.save_checkpoint("resumes", 1.0, &[1]).unwrap();
        board(&store, "old board", WorkState::Cancelled, 31);
        board(&store, "queued board", WorkState::Queued, 99);
        let keep = Retention { days: 30, ..FOREVER };
        let counted = store.prune(keep, true).unwrap();
        assert_eq!(counted.removed, BTreeMap::from([(WorkKind::Search, 1), (WorkKind::Hardware, 1)]));
        let all = ["old", "new", "running", "resumes", "old board", "queued board"];
        assert_eq!(left(&store, &all), all);
        assert_eq!(store.prune(keep, false).unwrap(), counted);
        assert_eq!(left(&store, &all), ["new", "running", "resumes", "queued board"]);
        assert_eq!(store.part("old board", 0).unwrap(), None);
        assert!(store.part("queued board", 0).unwrap().is_some());
        assert!(store.design(&design.id).unwrap().is_some());
        let nothing = PruneReport { kept: counted.kept, ..PruneReport::default() };
        assert_eq!(store.prune(keep, false).unwrap(), nothing);
    }

    #[test]
    fn the_oldest_go_first_until_the_rest_fits_and_the_file_shrinks() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let ids = ["a", "b", "c", "d"];
        for (id, days) in ids.into_iter().zip([2, 4, 1, 3]) {
            run(&store, id, WorkState::Solved, days);
        }
        let size = || {
            store.settle().unwrap();
            folder.path().join("crosspoint.sqlite").metadata().unwrap().len()
        };
        let before = size();
        let pruned = store.prune(Retention { mib: 2, ..FOREVER }, false).unwrap();
        assert_eq!(left(&store, &ids), ["c"], "two would be a little more than 2 MiB");
        assert_eq!((pruned.count(), pruned.kept >> 20), (3, 1));
        assert!(size() + pruned.bytes / 2 < before);
        let pruned = store.prune(Retention { mib: 0, ..FOREVER }, false).unwrap();
        store.compact().unwrap();
        assert_eq!((pruned.count(), pruned.kept), (1, 0));
        assert!(size() < LARGE as u64);
    }

    const DAY: i64 = 24 * 3600;
    const MONTH: Retention = Retention { days: 30, ..FOREVER };

    fn system_time(store: &Store) -> i64 {
        store
            .read(|connection| Ok(connection.query_row("SELECT unixepoch()", [], |row| row.get(0))?))
            .unwrap()
    }

    #[test]
    fn a_clock_that_jumps_removes_nothing() {
        let store = Store::temporary().unwrap();
        let now = system_time(&store);
        // Both ended after the last look, before the studio stopped.
        run(&store, "a", WorkState::Solved, 1);
        board(&store, "b", WorkState::Cancelled, 29);
        let seen =
            |at: i64| store.write(|transaction| Ok(transaction.execute("UPDATE clock SET seen = ?1", [at])?));
        seen(now - 29 * DAY - 1800).unwrap();
        let all = ["a", "b", "c"];
        for hours in [0, 12] {
            let pruned = store.prune_at(now + 400 * DAY + hours * 3600, MONTH, false).unwrap();
            assert_eq!((pruned.count(), pruned.spared), (0, 2), "{hours}");
        }
        run(&store, "c", WorkState::Solved, -400);
        // The clock is right again: ages are as if it had never been wrong.
        let mut at = now + DAY / 2;
        for (day, expected) in [(0, &all[..]), (2, &["a", "c"]), (28, &["a", "c"]), (29, &["c"]), (31, &[])] {
            while at < now + day * DAY + DAY / 2 {
                at += DAY / 2;
                store.prune_at(at, MONTH, false).unwrap();
            }
            assert_eq!(store.prune_at(at, MONTH, false).unwrap().spared, 0);
            assert_eq!(left(&store, &all), expected, "day {day}");
        }
    }

    #[test]
    fn computations_stay_for_a_day() {
        let store = Store::temporary().unwrap();
        for (id, hours) in [("yesterday", 1), ("today", 0)] {
            let view = StoredView { version: VERSION.into(), ..queued(WorkKind::Estimate, id) };
            store.add_work(&view, &Owner::default(), None).unwrap();
            store.update_work(&StoredView { state: WorkState::Done, ..view }, None).unwrap();
            age(&store, id, hours);
        }
        let pruned = store.prune(FOREVER, false).unwrap();
        assert_eq!(pruned.removed, BTreeMap::from([(WorkKind::Estimate, 1)]));
        assert_eq!(left(&store, &["yesterday", "today"]), ["today"]);
    }

    #[test]
    fn days_without_a_studio_do_not_count() {
        let store = Store::temporary().unwrap();
        let now = system_time(&store);
        run(&store, "a", WorkState::Solved, 10);
        assert_eq!(store.prune_at(now + 60 * DAY, MONTH, false).unwrap().spared, 1);
        for day in 61..90 {
            store.prune_at(now + day * DAY, MONTH, false).unwrap();
        }
        assert_eq!(left(&store, &["a"]), Vec::<&str>::new());
    }

    #[test]
    fn searches_of_another_version_do_not_resume_and_go() {
        let store = Store::temporary().unwrap();
        run(&store, "a", WorkState::Interrupted, 31);
        store.save_checkpoint("a", 1.0, &[1]).unwrap();
        store.write(|transaction| Ok(transaction.execute("UPDATE work SET version = 'x'", [])?)).unwrap();
        assert_eq!(store.prune(Retention::default(), false).unwrap().count(), 1);
        assert_eq!(left(&store, &["a"]), Vec::<&str>::new());
        assert_eq!(store.take_checkpoint("a").unwrap(), None);
    }
}
