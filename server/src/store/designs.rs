//! Designs that were saved or imported.

use super::{Store, StoreError, new_id};
use rusqlite::{Row, params};
use tracing::instrument;

/// A design to keep.
#[derive(Clone, Copy, Debug)]
pub struct NewDesign<'a> {
    /// The spec's TOML text.
    pub spec: &'a str,
    /// The wiring's text table.
    pub table: &'a str,
    /// Where it comes from, in words.
    pub origin: &'a str,
    /// The version of Crosspoint that keeps it.
    pub version: &'a str,
}

/// A kept design.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredDesign {
    /// Unguessable.
    pub id: String,
    /// The spec's TOML text.
    pub spec: String,
    /// The wiring's text table.
    pub table: String,
    /// Where it came from, in words.
    pub origin: String,
    /// When it was kept, RFC 3339 in UTC.
    pub created: String,
    /// The version of Crosspoint that kept it.
    pub version: String,
}

impl Store {
    /// Keeps a design for good, under a new name.
    ///
    /// # Errors
    /// The database refuses.
    #[instrument(level = "debug", skip_all)]
    pub fn save_design(&self, new: NewDesign<'_>) -> Result<StoredDesign, StoreError> {
        let id = new_id()?;
        let sql =
            "INSERT INTO design (id, spec, wiring, origin, version) VALUES (?1, ?2, ?3, ?4, ?5) RETURNING *";
        let values = params![id, new.spec, new.table, new.origin, new.version];
        Ok(self.connection().query_row(sql, values, read)?)
    }

    /// The design of that name, if there is one.
    ///
    /// # Errors
    /// The database refuses.
    #[instrument(level = "debug", skip_all)]
    pub fn design(&self, id: &str) -> Result<Option<StoredDesign>, StoreError> {
        self.find("SELECT * FROM design WHERE id = ?1", id, |row| Ok(read(row)?))
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<StoredDesign> {
    Ok(StoredDesign {
        id: row.get("id")?,
        spec: row.get("spec")?,
        table: row.get("wiring")?,
        origin: row.get("origin")?,
        created: row.get("created")?,
        version: row.get("version")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(store: &Store) -> StoredDesign {
        let new = NewDesign { spec: "pes = 2", table: "0: 0 1\n", origin: "imported", version: "1.2.3" };
        store.save_design(new).unwrap()
    }

    #[test]
    fn a_design_comes_back_as_it_was_kept() {
        let store = Store::in_memory().unwrap();
        let design = kept(&store);
        assert_eq!(store.design(&design.id).unwrap(), Some(design.clone()));
        assert_eq!((design.table.as_str(), design.origin.as_str()), ("0: 0 1\n", "imported"));
        assert!(design.created.ends_with('Z'), "{}", design.created);
        assert_eq!(store.design("nobody").unwrap(), None);
    }

    #[test]
    fn the_same_design_kept_twice_has_two_names_of_enough_bits() {
        let store = Store::in_memory().unwrap();
        let (first, second) = (kept(&store).id, kept(&store).id);
        assert_ne!(first, second);
        assert_eq!(first.len() * 5, 130);
        assert!(first.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()));
    }

    #[test]
    fn the_database_itself_refuses_to_change_a_design() {
        let store = Store::in_memory().unwrap();
        let design = kept(&store);
        for sql in [
            "UPDATE design SET wiring = ''",
            "DELETE FROM design",
            "INSERT OR REPLACE INTO design (id, spec, wiring, origin, version) SELECT id, '', '', '', '' FROM design",
        ] {
            let error = store.connection().execute(sql, []).unwrap_err();
            assert!(error.to_string().contains("a saved design"), "{sql}: {error}");
        }
        assert_eq!(store.design(&design.id).unwrap(), Some(design));
    }
}
