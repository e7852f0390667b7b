//! What is kept: designs, which never change, runs with the best wiring each has found and where it can go on, and boards
//! with the wirings of their cells.
//!
//! One SQLite file under the data folder, with a write-ahead log. Every call blocks and so belongs off the threads that
//! serve requests; one connection behind a lock is enough, since each call takes well under a millisecond.

mod boards;
mod checkpoints;
mod designs;
mod migrations;
mod runs;

pub use checkpoints::SearchKind;
pub use designs::{NewDesign, StoredDesign};
pub use runs::{RunRecord, RunResult};

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
    /// Held as long as the store is open, so that no second studio takes its runs for abandoned.
    _lock: Option<File>,
}

/// Why the store cannot do what it was asked to.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The data folder cannot be made or written.
    #[error("the data folder {folder} cannot be used: {error}")]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// Somebody else has the store open.
    #[error("another studio uses the data folder {0}; stop it or give --data another folder")]
    InUse(PathBuf),
    /// The store was written by a later version of Crosspoint.
    #[error("the store is of version {found}; this Crosspoint knows versions up to {known}")]
    TooNew {
        /// The store's version.
        found: i64,
        /// The latest version known here.
        known: i64,
    },
    /// The database refused.
    #[error("the store failed: {0}")]
    Database(#[from] rusqlite::Error),
    /// What was stored cannot be understood.
    #[error("the store holds unreadable JSON ({:?} error at line {}, column {})", .0.classify(), .0.line(), .0.column())]
    Content(#[from] serde_json::Error),
    /// The system gave no random numbers.
    #[error("the system gives no random numbers: {0}")]
    Random(#[from] getrandom::Error),
}

impl Store {
    /// Opens the store under `folder`, making both where they are missing, and brings it to the newest version.
    ///
    /// # Errors
    /// The folder cannot be used, another studio uses it, or the store is of a later version.
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

    /// A store that lives as long as it is open, for tests.
    ///
    /// # Errors
    /// The database cannot be set up.
    pub fn in_memory() -> Result<Store, StoreError> {
        Self::prepare(Connection::open_in_memory()?, None)
    }

    fn prepare(mut connection: Connection, lock: Option<File>) -> Result<Store, StoreError> {
        connection.busy_timeout(Duration::from_secs(5))?;
        // In memory there is no log to write ahead; the answer then says so and is of no interest.
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
        // A panic elsewhere leaves no half transaction behind: SQLite rolls it back.
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

/// Letters and digits that are not mistaken for each other, all of them safe in a URL.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// 26 letters of 5 bits: 130 bits.
const LENGTH: usize = 26;

/// A new name of 130 random bits from the operating system.
///
/// # Errors
/// The system has no random numbers to give.
pub fn new_id() -> Result<String, StoreError> {
    let mut bytes = [0u8; LENGTH];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|b| char::from(ALPHABET[usize::from(b % 32)])).collect())
}
