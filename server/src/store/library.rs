//! The library: notes and origins of saved designs, who may change them, and their deletion.

use super::{Store, StoreError, kind_of, retention, state_of};
use crate::edit::TokenHash;
use rusqlite::{Connection, OptionalExtension, Row, params};
use shared::{
    api::{Base, LibraryItem, LibraryView, ListedHardware, MAX_LISTED, WorkKind},
    resolve::{self, NoFiles},
    search::Progress,
    spec::SpecForm,
};
use tracing::instrument;

/// What the library says of a saved design.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Card {
    /// Note.
    pub note: String,
    /// Name in the spec.
    pub name: String,
    /// Number of nodes.
    pub nodes: u32,
    /// Requested pairs.
    pub requested: u64,
    /// Uncovered pairs.
    pub uncovered: u64,
    /// Share of the requested weight that is covered, for a fractional objective.
    pub weight: Option<f64>,
    /// Hardware and objective; `None` for designs of earlier versions.
    pub hardware: Option<ListedHardware>,
    /// Number of designs in its line of descent, itself included.
    pub generation: u32,
    /// The design or run that it is based on.
    pub based_on: Option<Base>,
}

/// Result of a deletion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deletion {
    /// It is deleted.
    Done,
    /// The run has not ended.
    Unfinished,
    /// There is no such design or run.
    Missing,
}

impl Store {
    /// Saves what the library says of a design, unless it is there.
    pub fn add_card(&self, design: &str, edit: Option<TokenHash>, card: &Card) -> Result<(), StoreError> {
        let sql =
            "INSERT INTO card (design, edit, note, name, nodes, requested, uncovered, generation, based_on, weight, hardware)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT DO NOTHING";
        let base = card.based_on.as_ref().map(serde_json::to_string).transpose()?;
        let hardware = card.hardware.as_ref().map(serde_json::to_string).transpose()?;
        let values = params![
            design,
            edit.map(|hash| hash.bytes()),
            card.note,
            card.name,
            card.nodes,
            card.requested as i64,
            card.uncovered as i64,
            card.generation,
            base,
            card.weight,
            hardware,
        ];
        self.write(|transaction| Ok(transaction.execute(sql, values)?)).map(drop)
    }

    /// What the library says of a design; `None` for designs of earlier versions.
    pub fn card(&self, design: &str) -> Result<Option<Card>, StoreError> {
        self.find("SELECT * FROM card WHERE design = ?1", design, read_card)
    }

    /// The base that a new design names, and the generation that follows from it.
    pub fn base(&self, id: &str) -> Result<(Option<Base>, u32), StoreError> {
        let named = |name, is_run, created| Some(Base { id: id.into(), name, is_run, created });
        if let Some(design) = self.design(id)? {
            let card = self.card(id)?;
            let name = card.as_ref().map_or_else(|| name_of(&design.spec).0, |card| card.name.clone());
            return Ok((named(name, false, design.created), card.map_or(1, |card| card.generation) + 1));
        }
        let read = |row: &Row<'_>| Ok((row.get::<_, String>(0)?, row.get(1)?));
        let run = self.find(
            "SELECT json_extract(asked, '$.spec'), created FROM work WHERE id = ?1 AND kind = 'search'",
            id,
            read,
        )?;
        Ok((run.and_then(|(spec, created)| named(name_of(&spec).0, true, created)), 1))
    }

    /// Designs saved and runs started with the token of this hash, newest first.
    #[instrument(level = "debug", skip_all)]
    pub fn library(&self, edit: TokenHash) -> Result<LibraryView, StoreError> {
        self.read(|connection| {
            let count = "SELECT (SELECT count(*) FROM card WHERE edit = ?1)
                 + (SELECT count(*) FROM work WHERE edit = ?1 AND NOT trial)";
            let hash = edit.bytes();
            let total: i64 = connection.query_row(count, [hash], |row| row.get(0))?;
            let designs = format!("{DESIGNS} WHERE card.edit = ?1 ORDER BY created DESC LIMIT {MAX_LISTED}");
            let mut items = listed(connection, &designs, params![hash], read_design)?;
            let runs =
                format!("{WORK} WHERE edit = ?1 AND NOT trial ORDER BY created DESC LIMIT {MAX_LISTED}");
            items.extend(listed(connection, &runs, params![hash], read_work)?);
            for item in &mut items {
                item.may_edit = true;
            }
            items.sort_by(|a, b| b.created.cmp(&a.created));
            Ok(LibraryView { items, total: total as u64 })
        })
    }

    /// Hash of the edit token of a design or run: outer `None` without such a thing, inner for one of an earlier version.
    pub fn item_token(&self, id: &str) -> Result<Option<Option<TokenHash>>, StoreError> {
        let sql = "SELECT edit FROM design LEFT JOIN card ON design = id WHERE id = ?1
             UNION ALL SELECT edit FROM work WHERE id = ?1";
        self.find(sql, id, |row| Ok(row.get::<_, Option<[u8; 32]>>(0)?.map(TokenHash::from)))
    }

    /// `true` if this hash is that of a workspace's edit secret to which the owner added the design or run.
    pub fn is_shared_with(&self, id: &str, edit: TokenHash) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM workspace_item JOIN workspace ON workspace.id = workspace
             WHERE item = ?1 AND shared AND edit = ?2";
        self.read(|connection| Ok(connection.prepare_cached(sql)?.exists(params![id, edit.bytes()])?))
    }

    /// Changes the note of a design or run.
    #[instrument(level = "debug", skip_all)]
    pub fn set_note(&self, id: &str, note: &str) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.execute("UPDATE card SET note = ?2 WHERE design = ?1", params![id, note])?;
            transaction.execute("UPDATE work SET note = ?2 WHERE id = ?1", params![id, note])?;
            Ok(())
        })
    }

    /// Deletes a design, or a run that has ended.
    #[instrument(level = "debug", skip_all)]
    pub fn delete_item(&self, id: &str) -> Result<Deletion, StoreError> {
        self.write(|transaction| {
            let state = "SELECT state FROM work WHERE id = ?1";
            let state =
                transaction.query_row(state, [id], |row| Ok(state_of(row))).optional()?.transpose()?;
            if let Some(state) = state {
                if !state.is_over() {
                    return Ok(Deletion::Unfinished);
                }
                retention::delete(transaction, id)?;
            } else {
                let sql = "INSERT INTO deleted_design (id) SELECT id FROM design WHERE id = ?1";
                if transaction.execute(sql, [id])? == 0 {
                    return Ok(Deletion::Missing);
                }
                for table in ["tick", "cabling", "card"] {
                    transaction.execute(&format!("DELETE FROM {table} WHERE design = ?1"), [id])?;
                }
                transaction.execute("DELETE FROM design WHERE id = ?1", [id])?;
            }
            transaction.execute("DELETE FROM workspace_item WHERE item = ?1", [id])?;
            Ok(Deletion::Done)
        })
    }

    /// Time at which a design was deleted, RFC 3339 in UTC.
    pub fn deletion_of(&self, design: &str) -> Result<Option<String>, StoreError> {
        self.find("SELECT deleted FROM deleted_design WHERE id = ?1", design, |row| Ok(row.get(0)?))
    }
}

/// Columns of designs with their cards.
pub(super) const DESIGNS: &str = "SELECT id, origin, created, card.* FROM card JOIN design ON id = design";
/// Columns of work.
pub(super) const WORK: &str =
    "SELECT id, kind, state, json_extract(asked, '$.spec') AS spec, json_extract(asked, '$.form.seed') AS seed,
         iif(kind = 'search', json_extract(report, '$.progress'), NULL) AS progress, note, created, hardware, wiring IS NOT NULL AS has_wiring,
         length(wiring) - length(replace(wiring, char(10), '')) AS lines
     FROM work";

/// The items that `sql` finds.
pub(super) fn listed(
    connection: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
    read: impl Fn(&Row<'_>) -> Result<LibraryItem, StoreError>,
) -> Result<Vec<LibraryItem>, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_and_then(values, read)?.collect()
}

pub(super) fn read_design(row: &Row<'_>) -> Result<LibraryItem, StoreError> {
    let card = read_card(row)?;
    let share = (card.requested - card.uncovered) as f64 / card.requested.max(1) as f64;
    Ok(LibraryItem {
        id: row.get("id")?,
        kind: None,
        state: None,
        name: card.name,
        nodes: card.nodes,
        uncovered: Some(card.uncovered),
        coverage: Some(if card.requested == 0 { 1.0 } else { share }),
        weight: card.weight,
        hardware: card.hardware,
        note: card.note,
        origin: row.get("origin")?,
        created: row.get("created")?,
        generation: card.generation,
        based_on: card.based_on,
        may_edit: false,
    })
}

pub(super) fn read_work(row: &Row<'_>) -> Result<LibraryItem, StoreError> {
    let spec: Option<String> = row.get("spec")?;
    let form = spec.and_then(|spec| resolve::parse(&spec).ok());
    let (name, nodes) = form.as_ref().map(named).unwrap_or_default();
    let progress: Option<String> = row.get("progress")?;
    let progress: Option<Progress> = progress.map(|progress| serde_json::from_str(&progress)).transpose()?;
    let progress = if row.get("has_wiring")? { progress } else { None };
    let (kind, seed): (WorkKind, Option<String>) = (kind_of(row)?, row.get("seed")?);
    // A table has a line per switch.
    let lines: Option<u32> = row.get("lines")?;
    let hardware = hardware_in(row)?;
    let is_search = matches!(kind, WorkKind::Search | WorkKind::Hardware);
    Ok(LibraryItem {
        id: row.get("id")?,
        kind: Some(kind),
        state: Some(state_of(row)?),
        name,
        nodes,
        uncovered: progress.as_ref().map(|progress| progress.best),
        coverage: progress.as_ref().map(|progress| progress.covered),
        weight: progress.and_then(|progress| Some(progress.weight?.best)),
        // A hardware search is for many.
        hardware: hardware
            .or_else(|| form.filter(|_| kind != WorkKind::Hardware).map(|form| hardware_of(&form, lines))),
        note: row.get("note")?,
        origin: if is_search { format!("seed {}", seed.as_deref().unwrap_or("1")) } else { String::new() },
        created: row.get("created")?,
        generation: 1,
        based_on: None,
        may_edit: false,
    })
}

fn read_card(row: &Row<'_>) -> Result<Card, StoreError> {
    let base: Option<String> = row.get("based_on")?;
    Ok(Card {
        note: row.get("note")?,
        name: row.get("name")?,
        nodes: row.get("nodes")?,
        requested: row.get::<_, i64>("requested")? as u64,
        uncovered: row.get::<_, i64>("uncovered")? as u64,
        weight: row.get("weight")?,
        hardware: hardware_in(row)?,
        generation: row.get("generation")?,
        based_on: base.map(|base| serde_json::from_str(&base)).transpose()?,
    })
}

fn hardware_in(row: &Row<'_>) -> Result<Option<ListedHardware>, StoreError> {
    let hardware: Option<String> = row.get("hardware")?;
    Ok(hardware.map(|hardware| serde_json::from_str(&hardware)).transpose()?)
}

/// Name and number of nodes in a spec's text.
fn name_of(spec: &str) -> (String, u32) {
    named(&resolve::parse(spec).unwrap_or_default())
}

fn named(form: &SpecForm) -> (String, u32) {
    (form.name.clone(), form.pes.parse().unwrap_or(0))
}

/// Hardware and objective of a spec without the figures of a wiring, with the switches of its wiring.
fn hardware_of(form: &SpecForm, switches: Option<u32>) -> ListedHardware {
    let spec = resolve::resolve(form, &mut NoFiles);
    ListedHardware {
        switches,
        ports: form.switch.iter().filter_map(|model| model.ports.parse().ok()).collect(),
        objective: spec.map_or_else(|_| form.objective.clone(), |spec| spec.objective.name().into()),
        ..ListedHardware::default()
    }
}
