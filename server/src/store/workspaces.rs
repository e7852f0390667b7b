//! Workspaces: lists of designs and runs under a link.

use super::{
    Store, StoreError,
    library::{DESIGNS, WORK, listed, read_design, read_work},
    new_id,
};
use crate::edit::TokenHash;
use rusqlite::params;
use shared::api::{MAX_WORKSPACE_ITEMS, WorkspaceView};
use tracing::instrument;

/// Result of adding an item to a workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addition {
    /// It is in the workspace.
    Done,
    /// The workspace is full.
    Full,
}

impl Store {
    /// Creates a workspace whose edit secret has this hash. Returns its id.
    #[instrument(level = "debug", skip_all)]
    pub fn add_workspace(&self, name: &str, edit: TokenHash) -> Result<String, StoreError> {
        let id = new_id()?;
        let sql = "INSERT INTO workspace (id, name, edit) VALUES (?1, ?2, ?3)";
        self.write(|transaction| Ok(transaction.execute(sql, params![id, name, edit.bytes()])?))?;
        Ok(id)
    }

    /// Hash of the edit secret of a workspace.
    pub fn workspace_token(&self, id: &str) -> Result<Option<TokenHash>, StoreError> {
        let sql = "SELECT edit FROM workspace WHERE id = ?1";
        self.find(sql, id, |row| Ok(TokenHash::from(row.get::<_, [u8; 32]>(0)?)))
    }

    /// A workspace with its items, last added first. With `may_edit`, those may be edited that their owners added.
    #[instrument(level = "debug", skip_all)]
    pub fn workspace(&self, id: &str, may_edit: bool) -> Result<Option<WorkspaceView>, StoreError> {
        let head = "SELECT name, created FROM workspace WHERE id = ?1";
        let head = self.find(head, id, |row| Ok((row.get(0)?, row.get(1)?)))?;
        let Some((name, created)) = head else { return Ok(None) };
        self.read(|connection| {
            let of = "WHERE id IN (SELECT item FROM workspace_item WHERE workspace = ?1)";
            let mut items = listed(connection, &format!("{DESIGNS} {of}"), [id], read_design)?;
            items.extend(listed(connection, &format!("{WORK} {of}"), [id], read_work)?);
            let sql = "SELECT item, shared FROM workspace_item WHERE workspace = ?1 ORDER BY rowid DESC";
            let mut statement = connection.prepare_cached(sql)?;
            let order = statement.query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let order: Vec<(String, bool)> = order.collect::<Result<_, _>>()?;
            for item in &mut items {
                item.may_edit = may_edit && order.iter().any(|(id, shared)| *shared && *id == item.id);
                // An id opens a design: readers only learn those of this workspace.
                item.based_on = item.based_on.take().map(|base| {
                    if order.iter().any(|(id, _)| *id == base.id) { base } else { base.without_id() }
                });
            }
            items.sort_by_key(|item| order.iter().position(|(id, _)| *id == item.id));
            Ok(Some(WorkspaceView { id: id.into(), name, created, items, may_edit }))
        })
    }

    /// Adds a design or run to a workspace. `shared` gives its editors the rights of the owner.
    #[instrument(level = "debug", skip_all)]
    pub fn add_item(&self, workspace: &str, item: &str, shared: bool) -> Result<Addition, StoreError> {
        let count = "SELECT count(*) FROM workspace_item WHERE workspace = ?1 AND item != ?2";
        let sql = "INSERT INTO workspace_item (workspace, item, shared) VALUES (?1, ?2, ?3)
             ON CONFLICT DO UPDATE SET shared = max(shared, excluded.shared)";
        self.write(|transaction| {
            let others: i64 = transaction.query_row(count, [workspace, item], |row| row.get(0))?;
            if others >= MAX_WORKSPACE_ITEMS as i64 {
                return Ok(Addition::Full);
            }
            transaction.execute(sql, params![workspace, item, shared])?;
            Ok(Addition::Done)
        })
    }

    /// Renames a workspace.
    #[instrument(level = "debug", skip_all)]
    pub fn rename_workspace(&self, id: &str, name: &str) -> Result<(), StoreError> {
        let sql = "UPDATE workspace SET name = ?2 WHERE id = ?1";
        self.write(|transaction| Ok(transaction.execute(sql, [id, name])?)).map(drop)
    }

    /// Deletes a workspace. Its designs and runs stay.
    #[instrument(level = "debug", skip_all)]
    pub fn delete_workspace(&self, id: &str) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.execute("DELETE FROM workspace_item WHERE workspace = ?1", [id])?;
            transaction.execute("DELETE FROM workspace WHERE id = ?1", [id])?;
            Ok(())
        })
    }

    /// Takes a design or run out of a workspace.
    #[instrument(level = "debug", skip_all)]
    pub fn remove_item(&self, workspace: &str, item: &str) -> Result<(), StoreError> {
        let sql = "DELETE FROM workspace_item WHERE workspace = ?1 AND item = ?2";
        self.write(|transaction| Ok(transaction.execute(sql, [workspace, item])?)).map(drop)
    }
}
