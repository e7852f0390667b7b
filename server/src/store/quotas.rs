//! Quotas: bytes that each client may save per day.

use super::{Store, StoreError};
use crate::tasks::Owner;
use rusqlite::params;
use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds of a day.
const DAY: u64 = 24 * 3600;
/// Bytes of a saved thing besides its texts: rows, ids and indexes.
const OVERHEAD: u64 = 512;

/// A client has saved as much as it may on this day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotaExceeded {
    /// Bytes that it saved.
    pub used: u64,
    /// Bytes of the refused thing.
    pub needs: u64,
    /// Max bytes per day.
    pub max: u64,
    /// Seconds until the next day.
    pub seconds: u64,
}

impl Store {
    /// Counts a thing with these bytes of text in what a client has saved today.
    ///
    /// # Errors
    /// The client would have saved more than `max` bytes, or the store fails.
    pub fn charge(&self, owner: &Owner, bytes: u64, max: u64) -> Result<(), StoreError> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        self.charge_at(now, owner, bytes, max)
    }

    /// [`charge`](Store::charge) at a time in seconds since 1970.
    fn charge_at(&self, now: u64, owner: &Owner, bytes: u64, max: u64) -> Result<(), StoreError> {
        let (day, needs) = ((now / DAY) as i64, bytes + OVERHEAD);
        let add = "INSERT INTO quota (owner, day, bytes) VALUES (?1, ?2, ?3)
             ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes RETURNING bytes";
        self.write_soon(|transaction| {
            // A clock may have been wrong in either direction.
            transaction.execute("DELETE FROM quota WHERE day != ?1", [day])?;
            let all: i64 = transaction
                .prepare_cached(add)?
                .query_row(params![owner.0, day, needs as i64], |row| row.get(0))?;
            let all = all as u64;
            if all > max {
                let (used, seconds) = (all - needs, DAY - now % DAY);
                return Err(StoreError::Quota(QuotaExceeded { used, needs, max, seconds }));
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_saves_so_much_per_day_also_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let [a, b] = ["a", "b"].map(|name| Owner(name.into()));
        let (noon, max) = (100 * DAY + DAY / 2, 10_000);
        store.charge_at(noon, &a, 4000, max).unwrap();
        store.charge_at(noon, &a, 4000, max).unwrap();
        store.settle().unwrap();
        drop(store);
        let store = Store::open(folder.path()).unwrap();
        let refused = store.charge_at(noon + 60, &a, 1000, max).unwrap_err();
        let StoreError::Quota(spent) = &refused else { panic!("{refused}") };
        assert_eq!(*spent, QuotaExceeded { used: 9024, needs: 1512, max, seconds: DAY / 2 - 60 });
        store.charge_at(noon, &a, 400, max).unwrap();
        store.charge_at(noon, &b, 9000, max).unwrap();
        store.charge_at(noon + DAY, &a, 9000, max).unwrap();
        // The clock was a year ahead.
        store.charge_at(noon + 366 * DAY, &a, 9000, max).unwrap();
        store.charge_at(noon + DAY, &a, 9000, max).unwrap();
    }
}
