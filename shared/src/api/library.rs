//! The library: saved designs and runs of a browser, workspaces that colleagues share, and two designs side by side.

use super::{WorkKind, WorkState};
use serde::{Deserialize, Serialize};

/// Max characters of a note.
pub const MAX_NOTE: usize = 2000;
/// Max characters of a workspace's name.
pub const MAX_WORKSPACE_NAME: usize = 100;
/// Max items of a workspace.
pub const MAX_WORKSPACE_ITEMS: usize = 500;
/// Max designs, and max runs, that a library lists, newest first.
pub const MAX_LISTED: usize = 500;

/// Saved designs and runs of a browser, newest first: `GET /api/library`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LibraryView {
    /// Designs and runs, up to 500 of each.
    pub items: Vec<LibraryItem>,
    /// Total number of designs and runs.
    pub total: u64,
}

/// A saved design or a run, in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LibraryItem {
    /// Unguessable id of the design or run.
    pub id: String,
    /// Kind of work; `None` for a design.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<WorkKind>,
    /// State of work; `None` for a design.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<WorkState>,
    /// Name in the spec.
    pub name: String,
    /// Number of nodes.
    pub nodes: u32,
    /// Uncovered pairs; `None` without a wiring.
    pub uncovered: Option<u64>,
    /// Share of the requested pairs that are covered, 0 to 1; `None` without a wiring.
    pub coverage: Option<f64>,
    /// Share of the requested weight that is covered, 0 to 1, for a fractional objective; `None` for other objectives, without a
    /// wiring, and for items of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// Hardware and objective; `None` for designs of earlier versions, and for work without a spec.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hardware: Option<ListedHardware>,
    /// Note.
    pub note: String,
    /// Origin of a design, in words.
    pub origin: String,
    /// Time of saving or starting, RFC 3339 in UTC.
    pub created: String,
    /// Number of designs in its line of descent, itself included: 1 for a design that is based on no other.
    pub generation: u32,
    /// The design or run that it is based on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub based_on: Option<Base>,
    /// `true` if the request may change the note and delete it.
    pub may_edit: bool,
}

/// Hardware and objective of a design or of work, in a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ListedHardware {
    /// Switches of the wiring; `None` without one.
    pub switches: Option<u32>,
    /// Ports per switch, one entry per model.
    pub ports: Vec<u32>,
    /// Price of a design; `None` for work, and if no part has a price.
    pub price: Option<f64>,
    /// Parts that the price leaves out, because they have no price of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unpriced: Vec<String>,
    /// Objective, as in specs.
    pub objective: String,
}

/// The design or run that a design is based on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Base {
    /// Id; empty for clients that may not know it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// Name in the spec.
    pub name: String,
    /// `true` for a run.
    #[serde(default)]
    pub is_run: bool,
    /// Time of saving or starting, RFC 3339 in UTC.
    pub created: String,
}

impl Base {
    /// Removes the id, which opens the work.
    #[must_use]
    pub fn without_id(self) -> Base {
        Base { id: String::new(), ..self }
    }
}

/// Changes a note: `POST /api/library/{id}/note`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SetNote {
    /// The note, up to 2,000 characters.
    pub note: String,
}

/// Creates a workspace: `POST /api/workspaces`. The edit token of the request becomes the workspace's edit token. Also renames a
/// workspace: `POST /api/workspaces/{id}/name`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StartWorkspace {
    /// Name, up to 100 characters.
    pub name: String,
}

/// A workspace: `GET /api/workspaces/{id}`; its page is `/w/{id}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WorkspaceView {
    /// Unguessable id.
    pub id: String,
    /// Name.
    pub name: String,
    /// Time of creation, RFC 3339 in UTC.
    pub created: String,
    /// Designs and runs, last added first.
    pub items: Vec<LibraryItem>,
    /// `true` if the request has the workspace's edit token.
    pub may_edit: bool,
}

/// Adds a design or run to a workspace: `POST /api/workspaces/{id}/items`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AddItem {
    /// Id of the design or run.
    pub item: String,
    /// Edit token with which the design or run was saved or started. With it, editors of the workspace may change its note and delete it.
    #[serde(default)]
    pub edit: String,
}

/// Takes a design or run out of a workspace: `POST /api/workspaces/{id}/remove`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RemoveItem {
    /// Id of the design or run.
    pub item: String,
}

/// A secret that gives the right to stop this work alone: `POST /api/work/{id}/edit-link`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EditLink {
    /// The secret, as the edit token of a request and in `/r/{id}#edit=SECRET`.
    pub edit: String,
}

/// Number of open event streams of work: the `watchers` events of `GET /api/work/{id}/events`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WatchersView {
    /// Open streams.
    pub count: u32,
}

/// Two designs or runs side by side: `GET /api/differences/{a}/{b}`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DifferenceView {
    /// The two designs or runs, the old one first.
    pub sides: [SideView; 2],
    /// Figures of the two designs or runs.
    pub rows: Vec<DifferenceRow>,
    /// Cables that stay.
    pub kept: u64,
    /// Cables to move.
    pub moved: u64,
    /// Cables to add.
    pub added: u64,
    /// Cables to remove.
    pub removed: u64,
    /// `true` if there is a difference map: `GET /api/differences/{a}/{b}/map.png`.
    #[serde(default)]
    pub has_map: bool,
    /// The first 200 lines of the work list as text.
    pub steps: Vec<String>,
    /// Number of steps.
    pub total_steps: u64,
}

/// One of two designs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SideView {
    /// Id of the design or run.
    pub id: String,
    /// `true` for a run.
    pub is_run: bool,
    /// Name in the spec.
    pub name: String,
    /// Time of saving or starting, RFC 3339 in UTC.
    pub created: String,
}

/// A figure of two designs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DifferenceRow {
    /// Title.
    pub title: String,
    /// Unit; empty for plain numbers.
    pub unit: String,
    /// Values for the two designs or runs.
    pub values: [String; 2],
    /// Explanation, one line.
    pub explanation: String,
}
