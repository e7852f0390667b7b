//! Saved designs.

use super::{Store, StoreError, new_id};
use crate::VERSION;
use rusqlite::{Row, params};
use tracing::instrument;

/// A saved design.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredDesign {
    /// Secret id.
    pub id: String,
    /// TOML text of the spec.
    pub spec: String,
    /// Text table of the wiring.
    pub table: String,
    /// Where the design comes from, as text.
    pub origin: String,
    /// Time of the save, RFC 3339 in UTC.
    pub created: String,
    /// Version of Crosspoint that saved it.
    pub version: String,
}

impl Store {
    /// Saves a design under a new id.
    #[instrument(level = "debug", skip_all)]
    pub fn save_design(&self, spec: &str, table: &str, origin: &str) -> Result<StoredDesign, StoreError> {
        let id = new_id()?;
        let sql =
            "INSERT INTO design (id, spec, wiring, origin, version) VALUES (?1, ?2, ?3, ?4, ?5) RETURNING *";
        let values = params![id, spec, table, origin, VERSION];
        self.write(|transaction| Ok(transaction.query_row(sql, values, read)?))
    }

    /// The design with this id.
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
        store.save_design("pes = 2", "0: 0 1\n", "imported").unwrap()
    }

    #[test]
    fn a_design_comes_back_as_it_was_kept() {
        let store = Store::temporary().unwrap();
        let design = kept(&store);
        assert_eq!(store.design(&design.id).unwrap(), Some(design.clone()));
        assert_eq!((design.table.as_str(), design.origin.as_str()), ("0: 0 1\n", "imported"));
        assert!(design.created.ends_with('Z'), "{}", design.created);
        assert_eq!(store.design("nobody").unwrap(), None);
    }

    #[test]
    fn the_same_design_kept_twice_has_two_names_of_enough_bits() {
        let store = Store::temporary().unwrap();
        let (first, second) = (kept(&store).id, kept(&store).id);
        assert_ne!(first, second);
        assert_eq!(first.len() * 5, 130);
        assert!(first.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()));
    }

    #[test]
    fn the_database_itself_refuses_to_change_a_design() {
        let store = Store::temporary().unwrap();
        let design = kept(&store);
        for sql in [
            "UPDATE design SET wiring = ''",
            "DELETE FROM design",
            "INSERT OR REPLACE INTO design (id, spec, wiring, origin, version) SELECT id, '', '', '', '' FROM design",
        ] {
            let error = store.write(|transaction| Ok(transaction.execute(sql, [])?)).unwrap_err();
            assert!(error.to_string().contains("a saved design"), "{sql}: {error}");
        }
        assert_eq!(store.design(&design.id).unwrap(), Some(design));
    }
}
