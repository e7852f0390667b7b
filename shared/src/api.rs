//! Values that travel between server and browser, as JSON. The OpenAPI description is generated from these types
//! (feature `openapi`).
//!
//! A spec travels as its TOML text and a wiring as its text table, so downloads, requests and the store hold the same
//! bytes.

mod cabling;
mod fabrics;
mod library;
mod operator;
mod routes;

pub use crate::{
    search::{MAX_EFFORT, MAX_SECONDS, MAX_THREADS, StepTime},
    work::*,
};
pub use cabling::{
    CableId, CableState, CablingChange, CablingKey, CablingView, MAX_TICK_NOTE, MAX_TICKS, MAX_WHO,
    MergedTicks, ReportAudit, SendTicks, Tick, TickSource, Ticks,
};
pub use fabrics::{FabricKindView, ParameterView};
pub use library::{
    AddItem, Base, DifferenceRow, DifferenceView, EditLink, LibraryItem, LibraryView, ListedHardware,
    MAX_LISTED, MAX_NOTE, MAX_WORKSPACE_ITEMS, MAX_WORKSPACE_NAME, RemoveItem, SetNote, SideView,
    StartWorkspace, WatchersView, WorkspaceView,
};
pub use operator::{BudgetView, ListedWork, OperatorView, StopWork};
pub use routes::{FailuresRequest, FailuresView, RouteView, RoutesRequest, RoutesView, SharedSwitchView};

use crate::{
    analysis::{
        FigureRow, Figures, bounds::Bounds, leftout::UncoveredPair, library::Connections,
        routing::FaultReport,
    },
    design::Verdict,
    exports::{FileScope, Format, Formats, Setting},
    spec::Fault,
};
use serde::{Deserialize, Serialize};

/// Last words of the addresses of a design's pages, such as `/d/ID/labels`, in their order on screen.
pub const PAGES: [&str; 5] = ["compare", "step-time", "simulate", "labels", "export"];

/// Header with the edit token: a secret of the browser that starts a search, needed to stop it.
pub const EDIT_HEADER: &str = "x-crosspoint-edit";

/// A topic of the help: `GET /api/help`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HelpTopic {
    /// Name, as in `crosspoint help TOPIC`.
    pub topic: String,
    /// Title of the chapter.
    pub title: String,
}

/// A chapter of the help: `GET /api/help/{topic}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HelpChapter {
    /// Text as HTML. Its first heading is an `h3`.
    pub html: String,
}

/// Saves a design permanently: `POST /api/designs`. Also imports a wiring table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SaveDesign {
    /// The spec's TOML text.
    pub spec: String,
    /// The wiring's text table.
    pub table: String,
    /// Origin, in words: "search, seed 1", "imported".
    #[serde(default)]
    pub origin: String,
    /// Id of the design or run that it is based on. Ignored if the studio no longer has that design or run.
    #[serde(default)]
    pub based_on: String,
}

/// A saved design: `GET /api/designs/{id}`; its page is `/d/{id}`. Only its note changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DesignView {
    /// Unguessable id.
    pub id: String,
    /// The spec's TOML text.
    pub spec: String,
    /// The wiring's text table, in its normal form.
    pub table: String,
    /// Origin, in words.
    pub origin: String,
    /// Result of the checker, with at most 10,000 uncovered pairs.
    pub verdict: Verdict,
    /// Total number of uncovered pairs.
    #[serde(default)]
    pub uncovered: u64,
    /// Time of saving, RFC 3339 in UTC.
    pub created: String,
    /// Version of Crosspoint that saved it.
    pub version: String,
    /// Note.
    #[serde(default)]
    pub note: String,
    /// Number of designs in its line of descent, itself included.
    #[serde(default)]
    pub generation: u32,
    /// The design or run that it is based on, without its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub based_on: Option<Base>,
}

/// A spec with a wiring and settings, for `POST /api/exports/{format}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ExportRequest {
    /// The spec's TOML text.
    pub spec: String,
    /// The wiring's text table.
    pub table: String,
    /// Settings as `name=value`, in addition to those of the query.
    #[serde(default)]
    pub with: Vec<String>,
}

/// An example spec of the gallery: `GET /api/gallery`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct GalleryEntry {
    /// File name without `.toml`, such as `kasy0`.
    pub id: String,
    /// Name.
    pub title: String,
    /// Summary: the first comment of the file.
    pub summary: String,
    /// The TOML text.
    pub spec: String,
}

/// An export format: of designs in `GET /api/exports`, of other networks in `GET /api/fabrics`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ExportView {
    /// Name, as `--format` accepts it.
    pub name: String,
    /// Name for people.
    #[serde(default)]
    pub title: String,
    /// Use, in one line.
    pub purpose: String,
    /// The group of formats that it belongs to.
    pub group: String,
    /// Media type.
    pub media_type: String,
    /// Scope of one file: `network`, `host` or `switch`. Without a number, all files come as a tar archive.
    pub each: FileScope,
    /// `true` if it is one file per node (`?pe=7`).
    pub per_pe: bool,
    /// Programs that read it in a test, with versions; empty for none.
    pub read_by: Vec<String>,
    /// Settings.
    pub settings: Vec<SettingView>,
}

/// A setting of an export.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SettingView {
    /// Name, as in `--with name=value` and `?with=name=value`.
    pub name: String,
    /// Use, in one line.
    pub purpose: String,
    /// Accepted values, in words.
    pub accepted: String,
    /// The default; empty for none.
    pub default: String,
    /// Accepted values, if they are a fixed list; otherwise empty.
    pub choices: Vec<String>,
}

impl From<&Setting> for SettingView {
    fn from(setting: &Setting) -> SettingView {
        let field = &setting.field;
        SettingView {
            name: field.key.into(),
            purpose: field.help.into(),
            accepted: field.kind.expected(),
            default: field.default.into(),
            choices: field.kind.choices().iter().map(|choice| choice.word.into()).collect(),
        }
    }
}

impl ExportView {
    /// Every format of one kind of source.
    pub fn all(formats: Formats) -> Vec<ExportView> {
        let of = |format: &Format| ExportView {
            name: format.name.into(),
            title: format.title.into(),
            purpose: format.purpose.into(),
            group: format.group.words().0.into(),
            media_type: format.media_type.into(),
            each: format.each,
            per_pe: format.each == FileScope::Node,
            read_by: format.read_by.iter().map(|&program| program.into()).collect(),
            settings: format.settings.iter().copied().map(SettingView::from).collect(),
        };
        formats.groups().flat_map(|(_, formats)| formats).map(of).collect()
    }
}

/// Max uncovered pairs that a response lists; their number is always given.
pub const MAX_UNCOVERED: usize = 10_000;

/// Max uncovered pairs that a response lists by weight.
pub const MAX_LEFT_OUT: usize = 1000;

/// A spec alone, for `POST /api/demand`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SpecText {
    /// The spec's TOML text.
    pub spec: String,
}

/// Counts of a demand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DemandView {
    /// Number of nodes.
    pub pes: u32,
    /// Requested pairs; a pair requested by several patterns counts once.
    pub pairs: u64,
    /// Max partners of a node.
    pub degree_max: u32,
    /// Mean number of partners of a node.
    pub degree_mean: f64,
    /// Min partners of a node.
    pub degree_min: u32,
    /// Each pattern, in the spec's order.
    pub patterns: Vec<PatternView>,
    /// Bounds that the spec's hardware provably breaks; empty if none is known to be broken.
    pub refusal: Vec<Fault>,
    /// Proof of the refusal, as text.
    pub proof: String,
    /// Lower bounds on the hardware.
    pub bounds: Bounds,
}

/// A pattern of a spec, counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PatternView {
    /// Label, such as `torus 16x8, axis`.
    pub label: String,
    /// Pairs of the pattern.
    pub pairs: u64,
    /// Share of its pairs, 0 to 1, that each pattern of the spec also requests (Mattox 2006, section 2.3.4).
    pub synergy: Vec<f64>,
}

/// Analysis of a wiring: the result of work of the kind `analysis`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AnalysisView {
    /// Result of the checker, with at most 10,000 uncovered pairs.
    pub verdict: Verdict,
    /// Total number of uncovered pairs.
    pub uncovered: u64,
    /// All figures, as numbers.
    pub figures: Figures,
    /// The figures as text, one row each.
    pub rows: Vec<FigureRow>,
    /// Advice if pairs are uncovered.
    pub advice: Vec<String>,
    /// At most 1,000 uncovered pairs, heaviest first.
    #[serde(default)]
    pub left_out: Vec<UncoveredPair>,
    /// Effect of failed parts; command line only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub faults: Option<FaultReport>,
    /// Pairs of nodes that the library of the training job connects; absent without a job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<Connections>,
}

/// Outcome of a quick search: `POST /api/quick`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QuickView {
    /// The wiring's text table. Null if the search needs longer than the limit to begin, or if no wiring can exist.
    pub table: Option<String>,
    /// How it was found, in words.
    pub method: String,
    /// Seconds that the search took.
    pub seconds: f64,
    /// `true` if the wiring serves every requested pair.
    pub solved: bool,
    /// Limit in seconds; 0 if the studio has turned quick searches off.
    pub limit: f64,
}

/// Version of the server: `GET /api/version`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct VersionView {
    /// `Crosspoint`.
    pub name: String,
    /// Version, such as `0.1.0+2ae3870`.
    pub version: String,
}
