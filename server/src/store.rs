//! The store: designs, which never change, runs and boards with their wirings and checkpoints.
//!
//! It is one SQLite file in the data folder, with a write-ahead log. Every call blocks, and fails if the database does. One
//! connection behind a lock suffices, since a call takes well under a millisecond.

mod boards;
mod checkpoints;
mod designs;
mod migrations;
mod runs;

pub use checkpoints::SearchKind;
pub use designs::StoredDesign;
pub use runs::RunRecord;

use rusqlite::{Connection, Row};
use serde::de::DeserializeOwned;
use shared::api::RunState;
use std::{
    fs::{File, TryLockError},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// The embedded store.
pub struct Store {
    connection: Mutex<Connection>,
    /// Keeps a second studio from opening the store.
    _lock: Option<File>,
}

/// Error of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The data folder cannot be created or written.
    #[error("the data folder {folder} cannot be used: {error}")]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
    /// Another process has the store open.
    #[error("another studio uses the data folder {0}; stop it, or choose another folder with --data")]
    InUse(PathBuf),
    /// The store was written by a later version of Crosspoint.
    #[error("the store has version {found}; this Crosspoint reads versions up to {known}")]
    TooNew {
        /// Version of the store.
        found: i64,
        /// Latest version that this program reads.
        known: i64,
    },
    /// The database failed.
    #[error("the store failed: {0}")]
    Database(#[from] rusqlite::Error),
    /// A column holds unreadable JSON.
    #[error("the store holds unreadable JSON ({:?} error at line {}, column {})", .0.classify(), .0.line(), .0.column())]
    Content(#[from] serde_json::Error),
    /// The system has no random numbers.
    #[error("the system provides no random numbers: {0}")]
    Random(#[from] getrandom::Error),
}

impl Store {
    /// Opens the store in `folder`, creates both if missing, and migrates the store.
    ///
    /// # Errors
    /// The folder cannot be used, another studio uses it, or the store has a later version.
    pub fn open(folder: &Path) -> Result<Store, StoreError> {
        let unusable = |error| StoreError::Folder { folder: folder.into(), error };
        std::fs::create_dir_all(folder).map_err(unusable)?;
        let lock = File::create(folder.join("lock")).map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StoreError::InUse(folder.into())),
            Err(TryLockError::Error(error)) => return Err(unusable(error)),
        }
        let connection = Connection::open(folder.join("crosspoint.sqlite"))?;
        Self::prepare(connection, Some(lock))
    }

    /// A store in memory, for tests.
    pub fn in_memory() -> Result<Store, StoreError> {
        Self::prepare(Connection::open_in_memory()?, None)
    }

    fn prepare(mut connection: Connection, lock: Option<File>) -> Result<Store, StoreError> {
        connection.busy_timeout(Duration::from_secs(5))?;
        // The returned mode differs for a store in memory.
        connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
        connection.pragma_update(None, "synchronous", "normal")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        migrations::apply(&mut connection)?;
        Ok(Store { connection: Mutex::new(connection), _lock: lock })
    }

    /// The row that `sql` finds for this id.
    fn find<T>(
        &self,
        sql: &str,
        id: &str,
        read: impl Fn(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let connection = self.connection();
        let mut statement = connection.prepare(sql)?;
        statement.query_and_then([id], read)?.next().transpose()
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        // SQLite rolls back the transaction of a thread that panicked.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Message of a search that the studio's end interrupted.
pub const INTERRUPTED: &str = "The studio was stopped during this search. The results until then are saved.";

/// `true` if a search in this state can resume after a restart.
fn resumes(state: RunState) -> bool {
    !state.is_over() || state == RunState::Interrupted
}

/// A state as its column holds it.
fn state_text(state: RunState) -> Result<String, StoreError> {
    Ok(serde_json::to_string(&state)?.trim_matches('"').to_owned())
}

/// The state in a row's column `state`.
fn state_of(row: &Row<'_>) -> Result<RunState, StoreError> {
    Ok(serde_json::from_str(&format!("\"{}\"", row.get::<_, String>("state")?))?)
}

/// A value from its JSON in a column.
fn json<T: DeserializeOwned>(row: &Row<'_>, column: &str) -> Result<T, StoreError> {
    Ok(serde_json::from_str(&row.get::<_, String>(column)?)?)
}

/// Unambiguous letters and digits, safe in a URL.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// 26 letters of 5 bits each: 130 bits.
const ID_LENGTH: usize = 26;

/// A new secret id of 130 random bits.
pub fn new_id() -> Result<String, StoreError> {
    let mut bytes = [0u8; ID_LENGTH];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|b| char::from(ALPHABET[usize::from(b % 32)])).collect())
}
