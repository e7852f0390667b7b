//! Opens and locks the database files. Detects loss or replacement.

use super::StoreError;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::{
    fs::{DirBuilder, File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
};

/// Name of the database in the data folder.
pub const DATABASE: &str = "crosspoint.sqlite";

/// The database file and its write-ahead log.
pub struct Files {
    database: PathBuf,
    log: PathBuf,
    /// Locked while the store is open. Must outlive every connection: SQLite's own locks end when the process closes any
    /// handle of the file.
    _lock: File,
    /// Device and inode of both files.
    identities: [Option<(u64, u64)>; 2],
}

impl Files {
    /// Creates folder and database file if missing, and locks the file.
    pub fn open(folder: &Path) -> Result<Files, StoreError> {
        let unusable = |error| StoreError::Folder { folder: folder.into(), error };
        if folder.is_file() {
            return Err(StoreError::NoFolder(folder.into()));
        }
        create_folder(folder).map_err(unusable)?;
        let database = folder.join(DATABASE);
        let log = folder.join(format!("{DATABASE}-wal"));
        let damaged = |what: &str| StoreError::Damaged { file: database.clone(), what: what.into() };
        let is_new = !database.exists();
        if is_new && log.exists() {
            return Err(damaged("the database file is missing, and only its log is there"));
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true);
        let lock = private(&mut options).open(&database).map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StoreError::InUse(folder.into())),
            Err(TryLockError::Error(error)) => return Err(unusable(error)),
        }
        if !is_new && lock.metadata().map_err(unusable)?.len() == 0 {
            return Err(damaged(
                "the file is empty; without a backup, delete it to start with an empty database",
            ));
        }
        make_private(&lock).map_err(unusable)?;
        Ok(Files { database, log, _lock: lock, identities: [None; 2] })
    }

    /// The database file.
    pub fn database(&self) -> &Path {
        &self.database
    }

    /// Bytes of the files.
    pub fn bytes(&self) -> u64 {
        [&self.database, &self.log].into_iter().filter_map(|file| Some(file.metadata().ok()?.len())).sum()
    }

    /// Remembers which files are open.
    pub fn identify(&mut self) -> Result<(), StoreError> {
        self.identities = [identity(&self.database)?, identity(&self.log)?];
        Ok(())
    }

    /// Fails if one of the files was deleted or replaced since.
    pub fn check(&self) -> Result<(), StoreError> {
        if [identity(&self.database)?, identity(&self.log)?] == self.identities {
            Ok(())
        } else {
            Err(StoreError::Gone(self.database.clone()))
        }
    }

    /// An error of the first access, which damage explains if the file is no intact database.
    pub fn damage(&self, error: StoreError) -> StoreError {
        match &error {
            StoreError::Database(cause)
                if matches!(
                    cause.sqlite_error_code(),
                    Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt)
                ) =>
            {
                StoreError::Damaged { file: self.database.clone(), what: cause.to_string() }
            }
            _ => error,
        }
    }
}

/// Device and inode of a file, if it is there. Not every system has them.
fn identity(path: &Path) -> Result<Option<(u64, u64)>, StoreError> {
    match path.metadata() {
        #[cfg(unix)]
        Ok(found) => {
            use std::os::unix::fs::MetadataExt;
            Ok(Some((found.dev(), found.ino())))
        }
        #[cfg(not(unix))]
        Ok(_) => Ok(Some((0, 0))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::Folder { folder: path.into(), error }),
    }
}

/// Creates the folder for its owner alone, and makes its entry durable.
fn create_folder(folder: &Path) -> io::Result<()> {
    if folder.exists() {
        return Ok(());
    }
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)?;
    #[cfg(unix)]
    folder
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .map_or(Ok(()), |parent| File::open(parent)?.sync_all())?;
    Ok(())
}

/// The database file in `folder`, which must be there.
pub fn existing(folder: &Path) -> Result<PathBuf, StoreError> {
    let database = folder.join(DATABASE);
    match database.metadata() {
        Ok(_) => Ok(database),
        Err(_) if folder.is_file() => Err(StoreError::NoFolder(folder.into())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(StoreError::NoDatabase(folder.into())),
        Err(error) => Err(StoreError::Folder { folder: database, error }),
    }
}

/// Copies the database in `folder` to a new file.
pub fn back_up(folder: &Path, file: &Path) -> Result<u64, StoreError> {
    let database = existing(folder)?;
    let connection = super::connect(&database, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let unusable = |error| StoreError::Backup { file: file.into(), error };
    let created = private(OpenOptions::new().write(true).create_new(true)).open(file).map_err(unusable)?;
    let name = file.to_str().ok_or_else(|| unusable(io::ErrorKind::InvalidFilename.into()))?;
    let copied = copy(&connection, name);
    if copied.is_err() {
        // An incomplete copy must not pass for a backup.
        let _ = std::fs::remove_file(file);
    }
    created.sync_all().map_err(unusable)?;
    copied
}

/// Copies the database and returns the number of designs in the copy, which proves that it can be read.
fn copy(connection: &Connection, file: &str) -> Result<u64, StoreError> {
    connection.execute("VACUUM INTO ?1", [file])?;
    let copy = super::connect(Path::new(file), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let designs = copy.query_row("SELECT count(*) FROM design", [], |row| row.get::<_, i64>(0))?;
    Ok(designs as u64)
}

/// Options that create a file for its owner alone.
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Takes away everybody else's permissions: a store of an earlier version may have them.
#[cfg(unix)]
fn make_private(file: &File) -> io::Result<()> {
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))
}

#[cfg(not(unix))]
fn make_private(_: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;
    use std::fs;

    fn open(folder: &Path) -> Result<Store, StoreError> {
        Store::open(folder)
    }

    fn save(store: &Store) -> Result<String, StoreError> {
        store.save_design("pes = 2", "0: 0 1\n", "imported").map(|design| design.id)
    }

    #[test]
    fn only_one_studio_opens_a_store_even_without_other_files() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path()).unwrap();
        for entry in fs::read_dir(folder.path()).unwrap().map(Result::unwrap) {
            if !entry.file_name().to_str().unwrap().starts_with(DATABASE) {
                fs::remove_file(entry.path()).unwrap();
            }
        }
        assert!(matches!(open(folder.path()), Err(StoreError::InUse(_))));
        drop(store);
        open(folder.path()).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn files_belong_to_their_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("data");
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        let store = open(&folder).unwrap();
        save(&store).unwrap();
        assert_eq!(mode(&folder), 0o700);
        for name in [DATABASE, "crosspoint.sqlite-wal", "crosspoint.sqlite-shm"] {
            assert_eq!(mode(&folder.join(name)), 0o600, "{name}");
        }
        drop(store);
        fs::set_permissions(folder.join(DATABASE), fs::Permissions::from_mode(0o644)).unwrap();
        let _store = open(&folder).unwrap();
        assert_eq!(mode(&folder.join(DATABASE)), 0o600, "a store of an earlier version");
        let backup = top.path().join("backup");
        Store::back_up(&folder, &backup).unwrap();
        assert_eq!(mode(&backup), 0o600);
    }

    #[test]
    fn a_damaged_database_is_refused_with_a_way_out() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(DATABASE);
        let store = open(folder.path()).unwrap();
        (0..50).for_each(|_| drop(save(&store).unwrap()));
        store.settle().unwrap();
        drop(store);
        let whole = fs::read(&file).unwrap();
        let mut torn = whole.clone();
        let middle = torn.len() / 2;
        torn[middle..middle + 4096].fill(0xa5);
        for damage in [&b""[..], b"not a database, but long enough to have a header", &torn, &whole[..5000]] {
            fs::write(&file, damage).unwrap();
            let error = open(folder.path()).map(drop).unwrap_err();
            assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
            assert!(error.to_string().contains("backup"), "{error}");
            assert_eq!(fs::read(&file).unwrap(), damage, "nothing is changed");
        }
        fs::write(&file, &whole).unwrap();
        open(folder.path()).unwrap();
    }

    #[test]
    fn a_log_without_its_database_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("crosspoint.sqlite-wal"), b"log").unwrap();
        assert!(matches!(open(folder.path()), Err(StoreError::Damaged { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_acknowledged_once_the_files_are_gone() {
        for name in [DATABASE, "crosspoint.sqlite-wal"] {
            let folder = tempfile::tempdir().unwrap();
            let store = open(folder.path()).unwrap();
            save(&store).unwrap();
            fs::remove_file(folder.path().join(name)).unwrap();
            assert!(matches!(save(&store), Err(StoreError::Gone(_))), "{name}");
        }
    }

    #[test]
    fn a_settled_store_is_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path()).unwrap();
        let id = save(&store).unwrap();
        store.settle().unwrap();
        let other = tempfile::tempdir().unwrap();
        fs::copy(folder.path().join(DATABASE), other.path().join(DATABASE)).unwrap();
        assert!(open(other.path()).unwrap().design(&id).unwrap().is_some());
    }

    #[test]
    fn a_backup_of_a_running_store_has_every_design_until_then() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path()).unwrap();
        let id = save(&store).unwrap();
        let other = tempfile::tempdir().unwrap();
        let file = other.path().join(DATABASE);
        assert_eq!(Store::back_up(folder.path(), &file).unwrap(), 1);
        save(&store).unwrap();
        assert!(Store::back_up(folder.path(), &file).is_err(), "an older backup is never replaced");
        let restored = open(other.path()).unwrap();
        assert!(restored.design(&id).unwrap().is_some());
        let nothing = tempfile::tempdir().unwrap();
        assert!(Store::back_up(nothing.path(), &nothing.path().join("copy")).is_err());
        assert!(!nothing.path().join("copy").exists() && !nothing.path().join(DATABASE).exists());
    }
}
