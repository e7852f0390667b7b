//! Cabling of saved designs: its key, and the newest tick of each cable.

use super::{Store, StoreError};
use crate::edit::TokenHash;
use rusqlite::{Row, params};
use serde::{Serialize, de::DeserializeOwned};
use shared::api::{Tick, TickSource};
use std::collections::BTreeSet;
use tracing::instrument;

/// A cabling that has started.
pub struct StoredCabling {
    /// Hash of the key that may tick.
    pub key: TokenHash,
    /// Time of the start, RFC 3339 in UTC.
    pub started: String,
}

impl Store {
    /// Starts the cabling of a saved design with a key. Returns `false` if it has started before.
    #[instrument(level = "debug", skip_all)]
    pub fn start_cabling(&self, design: &str, key: TokenHash) -> Result<bool, StoreError> {
        let insert = "INSERT INTO cabling (design, key) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        self.write(|transaction| Ok(transaction.execute(insert, params![design, key.bytes()])? > 0))
    }

    /// Replaces the key of a cabling. Returns `false` if it has not started.
    #[instrument(level = "debug", skip_all)]
    pub fn replace_cabling_key(&self, design: &str, key: TokenHash) -> Result<bool, StoreError> {
        let update = "UPDATE cabling SET key = ?2 WHERE design = ?1";
        self.write(|transaction| Ok(transaction.execute(update, params![design, key.bytes()])? > 0))
    }

    /// The cabling of a design, if it has started.
    #[instrument(level = "debug", skip_all)]
    pub fn cabling(&self, design: &str) -> Result<Option<StoredCabling>, StoreError> {
        self.find(CABLING, design, |row| Ok(read(row)?))
    }

    /// The newest tick of each cable that has one, by node.
    #[instrument(level = "debug", skip_all)]
    pub fn ticks(&self, design: &str) -> Result<Vec<Tick>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT * FROM tick WHERE design = ?1")?;
            statement.query_and_then([design], read_tick)?.collect()
        })
    }

    /// Merges ticks of a cabling that has started, in the order in which one client made them. A tick replaces the one that the client
    /// had seen, and an earlier one; its time is then later.
    #[instrument(level = "debug", skip_all)]
    pub fn merge_ticks(&self, design: &str, ticks: &[Tick]) -> Result<MergeResult, StoreError> {
        let find = "SELECT * FROM tick WHERE design = ?1 AND node = ?2 AND nic = ?3 AND switch = ?4";
        let replace = "INSERT OR REPLACE INTO tick (design, node, nic, switch, state, source, who, at, note)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        self.write(|transaction| {
            let mut merged = MergeResult::default();
            let mut own = BTreeSet::new();
            let (mut find, mut replace) =
                (transaction.prepare_cached(find)?, transaction.prepare_cached(replace)?);
            for tick in ticks {
                let Tick { node, nic, switch, who, note, .. } = tick;
                let known =
                    find.query_and_then(params![design, node, nic, switch], read_tick)?.next().transpose()?;
                let at = match &known {
                    Some(known) if tick.seen >= known.at || own.contains(&tick.cable()) => {
                        tick.at.max(known.at + 1)
                    }
                    _ => tick.at,
                };
                let tick = Tick { at, seen: 0, ..tick.clone() };
                let is_again =
                    |known: &Tick| tick.source == TickSource::Person && tick.says_the_same_as(known);
                if let Some(known) = known.filter(|known| is_again(known) || !tick.is_newer_than(known)) {
                    match tick.says_the_same_as(&known) {
                        true => _ = own.insert(tick.cable()),
                        false => merged.rejected.push(tick),
                    }
                    merged.newest.push(known);
                    continue;
                }
                own.insert(tick.cable());
                let (state, source) = (word(&tick.state)?, word(&tick.source)?);
                let at = i64::try_from(at).unwrap_or(i64::MAX);
                replace.execute(params![design, node, nic, switch, state, source, who, at, note])?;
                merged.newest.push(tick.clone());
                merged.changed.push(tick);
            }
            Ok(merged)
        })
    }
}

/// Result of merging ticks.
#[derive(Debug, Default, PartialEq)]
pub struct MergeResult {
    /// Ticks that changed anything.
    pub changed: Vec<Tick>,
    /// The newest tick of the cable of each.
    pub newest: Vec<Tick>,
    /// Ticks that changed nothing, because a newer one says something else.
    pub rejected: Vec<Tick>,
}

const CABLING: &str = "SELECT key, started FROM cabling WHERE design = ?1";

fn read(row: &Row<'_>) -> rusqlite::Result<StoredCabling> {
    Ok(StoredCabling { key: row.get::<_, [u8; 32]>("key")?.into(), started: row.get("started")? })
}

fn read_tick(row: &Row<'_>) -> Result<Tick, StoreError> {
    Ok(Tick {
        node: row.get("node")?,
        nic: row.get("nic")?,
        switch: row.get("switch")?,
        state: of_word(&row.get::<_, String>("state")?)?,
        source: of_word(&row.get::<_, String>("source")?)?,
        who: row.get("who")?,
        at: row.get::<_, i64>("at")? as u64,
        seen: 0,
        note: row.get("note")?,
    })
}

/// A value without fields as its column holds it.
fn word(value: &impl Serialize) -> Result<String, StoreError> {
    Ok(serde_json::to_string(value)?.trim_matches('"').to_owned())
}

fn of_word<T: DeserializeOwned>(word: &str) -> Result<T, StoreError> {
    Ok(serde_json::from_str(&format!("\"{word}\""))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::api::CableState;

    fn tick(nic: u32, at: u64, state: CableState) -> Tick {
        let source = TickSource::Person;
        Tick {
            node: 1,
            nic,
            switch: 4 + nic,
            state,
            source,
            who: "Ann".into(),
            at,
            seen: 0,
            note: "a \"note\"".into(),
        }
    }

    #[test]
    fn ticks_come_back_and_a_second_time_changes_nothing() {
        let store = Store::temporary().unwrap();
        let id = store.save_design("pes = 2", "0: 0 1\n", "imported").unwrap().id;
        store.start_cabling(&id, TokenHash::of("a")).unwrap();
        let first = [tick(0, 5, CableState::Plugged), tick(1, 5, CableState::Wrong)];
        let merged = store.merge_ticks(&id, &first).unwrap();
        assert_eq!((merged.changed.as_slice(), merged.newest.as_slice()), (&first[..], &first[..]));
        let second = [tick(0, 4, CableState::Unplugged), tick(1, 6, CableState::Verified)];
        let merged = store.merge_ticks(&id, &second).unwrap();
        assert_eq!(merged.changed, [second[1].clone()]);
        let newest = [first[0].clone(), second[1].clone()];
        assert_eq!(merged.newest, newest);
        assert_eq!(merged.rejected, [second[0].clone()]);
        assert!(store.merge_ticks(&id, &second).unwrap().changed.is_empty());
        assert_eq!(store.ticks(&id).unwrap(), newest);
    }

    #[test]
    fn a_tick_replaces_the_one_that_its_client_had_seen_or_made() {
        let store = Store::temporary().unwrap();
        let id = store.save_design("pes = 2", "0: 0 1\n", "imported").unwrap().id;
        store.start_cabling(&id, TokenHash::of("a")).unwrap();
        store.merge_ticks(&id, &[tick(0, 50, CableState::Plugged)]).unwrap();
        let unseen = tick(0, 40, CableState::Wrong);
        let merged = store.merge_ticks(&id, &[Tick { seen: 49, ..unseen.clone() }]).unwrap();
        assert_eq!((merged.changed.len(), merged.rejected.len()), (0, 1));
        let seen = [Tick { seen: 50, ..unseen }, tick(0, 40, CableState::Unplugged)];
        let merged = store.merge_ticks(&id, &seen).unwrap();
        let dated: Vec<_> = merged.changed.iter().map(|tick| (tick.at, tick.seen, tick.state)).collect();
        assert_eq!(dated, [(51, 0, CableState::Wrong), (52, 0, CableState::Unplugged)]);
        assert!(merged.rejected.is_empty());
    }

    #[test]
    fn the_first_key_stays_until_it_is_replaced() {
        let store = Store::temporary().unwrap();
        let id = store.save_design("pes = 2", "0: 0 1\n", "imported").unwrap().id;
        assert!(store.cabling(&id).unwrap().is_none());
        let hash = TokenHash::of;
        assert!(!store.replace_cabling_key(&id, hash("a")).unwrap());
        assert!(store.start_cabling(&id, hash("a")).unwrap());
        assert!(!store.start_cabling(&id, hash("b")).unwrap());
        assert!(store.cabling(&id).unwrap().unwrap().key == hash("a"));
        assert!(store.replace_cabling_key(&id, hash("b")).unwrap());
        assert!(store.cabling(&id).unwrap().unwrap().key == hash("b"));
    }
}
