//! The store: designs, which never change until their owner deletes them, their cabling, work with its wirings and
//! checkpoints, notes and workspaces.
//!
//! It is one SQLite file in the data folder, with a write-ahead log. Every call blocks, and fails if the database does. One
//! connection writes, each time in a transaction that is on disk when the call returns. Others read beside it.

mod cabling;
mod designs;
mod files;
mod library;
mod migrations;
mod quotas;
mod retention;
mod work;
mod workspaces;

pub use cabling::{MergeResult, StoredCabling};
pub use designs::StoredDesign;
pub use library::{Card, Deletion};
pub use quotas::QuotaExceeded;
pub use retention::{PruneReport, Retention, counted};
pub use work::{StoredPart, StoredView, WorkRecord, WorkUpdate};
pub use workspaces::Addition;

use crate::{lock, tasks::Owner};
use files::Files;
use rusqlite::{Connection, ErrorCode, OpenFlags, Row, Transaction, TransactionBehavior};
use serde::de::DeserializeOwned;
use shared::{
    api::{WorkKind, WorkState},
    random::fnv1a,
};
use std::{
    path::{Path, PathBuf},
    sync::Mutex,
    time::Duration,
};
use tempfile::TempDir;

/// The embedded store.
pub struct Store {
    writer: Mutex<Connection>,
    /// Idle connections for reading.
    readers: Mutex<Vec<Connection>>,
    files: Files,
    salt: Vec<u8>,
    _temporary: Option<TempDir>,
}

/// Error of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The data folder cannot be created or written.
    #[error("cannot open {folder}: {error}")]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
    /// The data folder is a file.
    #[error("{0} is a file; choose a folder with --data")]
    NoFolder(PathBuf),
    /// The data folder has no database.
    #[error("{} has no {}; give the studio's data folder with --data", .0.display(), files::DATABASE)]
    NoDatabase(PathBuf),
    /// Another process has the store open.
    #[error("another studio uses the data folder {0}; stop it, or choose another folder with --data")]
    InUse(PathBuf),
    /// The store was written by a later version of Crosspoint.
    #[error("the database has version {found}; this Crosspoint reads versions up to {known}")]
    TooNew {
        /// Version of the store.
        found: i64,
        /// Latest version that this program reads.
        known: i64,
    },
    /// A backup cannot be written.
    #[error("the backup {file} cannot be written: {error}")]
    Backup {
        /// The file.
        file: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
    /// The file is not a database, or a part of it is damaged or missing.
    #[error(
        "the database {file} is damaged: {what}. Stop the studio, move the file away, and put a backup in its place; the help topic `deploy` says how"
    )]
    Damaged {
        /// The database file.
        file: PathBuf,
        /// The damage.
        what: String,
    },
    /// The database was deleted or replaced while the studio had it open.
    #[error(
        "{0} was deleted or replaced while the studio ran, so nothing can be saved; stop the studio and restore the file"
    )]
    Gone(PathBuf),
    /// The disk is full.
    #[error("the disk of the data folder is full; nothing was saved")]
    Full,
    /// The disk or the file cannot be written.
    #[error("the data folder cannot be written; nothing was saved")]
    ReadOnly,
    /// A client has saved as much as it may on this day.
    #[error("the client has reached its limit of saved data for today")]
    Quota(QuotaExceeded),
    /// The database failed.
    #[error("the database failed: {0}")]
    Database(rusqlite::Error),
    /// A column holds unreadable JSON.
    #[error("the database has unreadable JSON ({:?} error at line {}, column {})", .0.classify(), .0.line(), .0.column())]
    Content(#[from] serde_json::Error),
    /// The system has no random numbers.
    #[error("the system provides no random numbers: {0}")]
    Random(#[from] getrandom::Error),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> StoreError {
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => StoreError::Full,
            Some(ErrorCode::ReadOnly) => StoreError::ReadOnly,
            _ => StoreError::Database(error),
        }
    }
}

impl Store {
    /// Opens the store in `folder`, creates both if missing, and migrates the store.
    ///
    /// # Errors
    /// The folder cannot be used, another studio uses it, the store is damaged, or it has a later version.
    pub fn open(folder: &Path) -> Result<Store, StoreError> {
        let mut files = Files::open(folder)?;
        let damaged = |error: StoreError| files.damage(error);
        let mut writer = connect(files.database(), OpenFlags::default()).map_err(damaged)?;
        migrations::apply(&mut writer).map_err(damaged)?;
        let check = || Ok(writer.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0))?);
        let found = check().map_err(damaged)?;
        if found != "ok" {
            return Err(StoreError::Damaged { file: files.database().into(), what: found });
        }
        files.identify()?;
        let salt = writer.query_row("SELECT bytes FROM salt", [], |row| row.get(0))?;
        Ok(Store { writer: Mutex::new(writer), readers: Mutex::default(), files, salt, _temporary: None })
    }

    /// Opens the store in `folder`, which must be there.
    ///
    /// # Errors
    /// As [`Store::open`], or there is none.
    pub fn open_existing(folder: &Path) -> Result<Store, StoreError> {
        files::existing(folder)?;
        Store::open(folder)
    }

    /// Bytes of the database file.
    pub fn file_bytes(&self) -> u64 {
        self.files.database().metadata().map_or(0, |file| file.len())
    }

    /// A store in a folder that is deleted with it, for tests.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn temporary() -> Result<Store, StoreError> {
        let unusable = |error| StoreError::Folder { folder: std::env::temp_dir(), error };
        let folder = tempfile::tempdir().map_err(unusable)?;
        let store = Store::open(folder.path())?;
        Ok(Store { _temporary: Some(folder), ..store })
    }

    /// Lets all writes wait until the guard is dropped.
    #[cfg(test)]
    pub fn delay_writes(&self) -> std::sync::MutexGuard<'_, Connection> {
        lock(&self.writer)
    }

    /// Runs `work` in a transaction. Its changes are on disk when this returns.
    fn write<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut writer = lock(&self.writer);
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let value = work(&transaction)?;
        transaction.commit()?;
        drop(writer);
        self.files.check()?;
        Ok(value)
    }

    /// [`write`](Store::write) without a wait for the disk: a power cut may undo the changes, unless a later write is on disk.
    fn write_soon<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut writer = lock(&self.writer);
        writer.pragma_update(None, "synchronous", "normal")?;
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate);
        let done = transaction.map_err(StoreError::from).and_then(|transaction| {
            let value = work(&transaction)?;
            transaction.commit()?;
            Ok(value)
        });
        writer.pragma_update(None, "synchronous", "full")?;
        done
    }

    /// Runs `work` on a connection of its own, beside writers and other readers.
    fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let idle = lock(&self.readers).pop();
        let reader = match idle {
            Some(reader) => reader,
            None => connect(self.files.database(), OpenFlags::SQLITE_OPEN_READ_ONLY)?,
        };
        let value = work(&reader);
        let mut readers = lock(&self.readers);
        if readers.len() < MAX_READERS {
            readers.push(reader);
        }
        value
    }

    /// The row that `sql` finds for this id.
    fn find<T>(
        &self,
        sql: &str,
        id: &str,
        read: impl Fn(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            statement.query_and_then([id], read)?.next().transpose()
        })
    }

    /// The name under which the store keeps a client: a hash instead of an address.
    pub fn pseudonym(&self, client: &Owner) -> Owner {
        Owner(format!("{:016x}", fnv1a(&[&self.salt, client.0.as_bytes()].concat())))
    }

    /// Copies the store in `folder` to a new file, also while a studio uses it. Returns the number of designs in the copy.
    ///
    /// # Errors
    /// There is no store, or the file exists or cannot be written.
    pub fn back_up(folder: &Path, file: &Path) -> Result<u64, StoreError> {
        files::back_up(folder, file)
    }

    /// Writes what is there already, to learn if the store can be written.
    ///
    /// # Errors
    /// It cannot.
    pub fn probe(&self) -> Result<(), StoreError> {
        self.write(|transaction| {
            let version: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
            Ok(transaction.pragma_update(None, "user_version", version)?)
        })
    }

    /// Bytes of the database files.
    pub fn bytes(&self) -> u64 {
        self.files.bytes()
    }

    /// Moves the write-ahead log into the database file, so that this file alone holds everything. For the end of a studio.
    ///
    /// # Errors
    /// The database fails.
    pub fn settle(&self) -> Result<(), StoreError> {
        lock(&self.readers).clear();
        Ok(lock(&self.writer).query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?)
    }
}

/// Max idle connections for reading.
const MAX_READERS: usize = 8;

fn connect(file: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    if !flags.contains(OpenFlags::SQLITE_OPEN_READ_ONLY) {
        // Removed rows give their space back. Only before the first table, since it writes.
        if file.metadata().is_ok_and(|file| file.len() == 0) {
            connection.pragma_update(None, "auto_vacuum", "incremental")?;
        }
        connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
        // A commit waits for the disk: what was acknowledged survives a power cut.
        connection.pragma_update(None, "synchronous", "full")?;
        connection.pragma_update(None, "foreign_keys", true)?;
    }
    Ok(connection)
}

/// Message of work that the studio's end interrupted.
pub const INTERRUPTED: &str = "The studio was stopped during this work. The results until then are saved.";

/// A state as its column holds it.
fn state_text(state: WorkState) -> Result<String, StoreError> {
    Ok(serde_json::to_string(&state)?.trim_matches('"').to_owned())
}

/// The state in a row's column `state`.
fn state_of(row: &Row<'_>) -> Result<WorkState, StoreError> {
    Ok(serde_json::from_str(&format!("\"{}\"", row.get::<_, String>("state")?))?)
}

/// The kind of work in a row's column `kind`.
fn kind_of(row: &Row<'_>) -> Result<WorkKind, StoreError> {
    Ok(serde_json::from_str(&format!("\"{}\"", row.get::<_, String>("kind")?))?)
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
