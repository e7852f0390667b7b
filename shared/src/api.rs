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
    hardware::StartBoard,
    search::{MAX_EFFORT, MAX_SECONDS, MAX_THREADS, StartRun, StepTime},
};
pub use cabling::{
    CableId, CableState, CablingChange, CablingKey, CablingView, MAX_TICK_NOTE, MAX_TICKS, MAX_WHO,
    MergedTicks, ReportAudit, SendTicks, Tick, TickSource, Ticks,
};
pub use fabrics::{FabricKindView, ParameterView};
pub use library::{
    AddItem, Base, DifferenceRow, DifferenceView, EditLink, LibraryItem, LibraryView, MAX_LISTED, MAX_NOTE,
    MAX_WORKSPACE_ITEMS, MAX_WORKSPACE_NAME, RemoveItem, SetNote, SideView, StartWorkspace, WatchersView,
    WorkspaceView,
};
pub use operator::{BudgetView, JobKind, JobView, OperatorView, StopJob};
pub use routes::{FailuresRequest, FailuresView, RouteView, RoutesRequest, RoutesView, SharedSwitchView};

use crate::{
    analysis::{
        FigureRow, Figures, bounds::Bounds, leftout::LeftOut, library::Connections, routing::FaultReport,
    },
    design::{Verdict, table::TableFault},
    estimate::EstimateForm,
    exports::{Each, Format, Formats, Setting},
    hardware::Board,
    search::{Budget, Progress, Weights},
    spec::Fault,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Header with the edit token: a secret of the browser that starts a search, needed to stop it.
pub const EDIT_HEADER: &str = "x-crosspoint-edit";

/// An error (RFC 9457, problem details).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Problem {
    /// Kind of problem, as a relative URI such as `/problems/spec`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Kind of problem, in words.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// Details of this problem.
    pub detail: String,
    /// Every fault of a spec, with path, value and accepted values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
    /// Every fault of a wiring table, with its line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub table_faults: Vec<TableFault>,
}

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

/// State of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum RunState {
    /// Waiting in the queue.
    Queued,
    /// Searching.
    Running,
    /// Ended: every requested pair is covered.
    Solved,
    /// Ended: the limit is reached.
    Exhausted,
    /// Ended: stopped by a client.
    Cancelled,
    /// Interrupted when the server stopped; the best wiring so far is kept.
    Interrupted,
    /// Failed; see the message.
    Failed,
}

impl RunState {
    /// `true` if the run is over.
    pub fn is_over(self) -> bool {
        !matches!(self, RunState::Queued | RunState::Running)
    }
}

/// One point of a run's chart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Sample {
    /// Seconds since the search began.
    pub elapsed: f64,
    /// Uncovered pairs of the best wiring.
    pub best: u64,
    /// Median of uncovered pairs over the population.
    pub median: u64,
    /// Restarts so far.
    #[serde(default)]
    pub restarts: u64,
    /// Uncovered pairs of the best wiring of each island.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub islands: Vec<u64>,
    /// Coverage by weight, for a fractional objective.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<Weights>,
    /// Times, in a search for time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<StepTime>,
}

impl From<&Progress> for Sample {
    fn from(progress: &Progress) -> Sample {
        Sample {
            elapsed: progress.elapsed,
            best: progress.best,
            median: progress.median,
            restarts: progress.restarts,
            islands: progress.islands.clone(),
            weight: progress.weight.clone(),
            time: progress.time,
        }
    }
}

/// A chart of half as many points: one of each two neighbours, the first, or the one at which wirings were made anew.
pub fn thinned(points: &[Sample]) -> Vec<Sample> {
    let mut restarts = points.first().map_or(0, |first| first.restarts);
    let mut kept = Vec::with_capacity(points.len() / 2 + 2);
    for pair in points.chunks(2) {
        let later =
            pair.last().filter(|last| last.restarts > pair[0].restarts && pair[0].restarts == restarts);
        let stays = later.unwrap_or(&pair[0]);
        restarts = stays.restarts;
        kept.push(stays.clone());
    }
    kept
}

/// A run: `GET /api/runs/{id}`, and the events `run` of `GET /api/runs/{id}/events`, sent at the start and at each
/// change of state. Events `progress` between them carry the latest progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RunView {
    /// Unguessable id.
    pub id: String,
    /// State.
    pub state: RunState,
    /// The spec's TOML text, as it was posted.
    pub spec: String,
    /// Time or effort limit.
    pub budget: Budget,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Number of islands.
    pub threads: u32,
    /// Latest progress.
    pub progress: Progress,
    /// The run's chart so far, at most 600 points, thinned evenly in time as it grows.
    pub history: Vec<Sample>,
    /// Method that found the wiring, once the run is over.
    pub method: String,
    /// Error message, if it failed; reason of a pause, if it paused.
    pub message: String,
    /// Start time, RFC 3339 in UTC.
    pub created: String,
    /// Version of Crosspoint that ran it.
    pub version: String,
    /// Place in the queue, while it is queued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueView>,
}

impl RunView {
    /// A run in the queue, with no progress yet.
    pub fn queued(id: String, spec: String, budget: Budget, seed: u64, threads: u32) -> RunView {
        RunView {
            id,
            state: RunState::Queued,
            spec,
            budget,
            seed,
            threads,
            progress: Progress::default(),
            history: Vec::new(),
            method: String::new(),
            message: String::new(),
            created: String::new(),
            version: String::new(),
            queue: None,
        }
    }
}

/// A wiring that a run found on its way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReplayFrame {
    /// Progress at that time. Its `best` and `revision` are those of this wiring, and its other counts of uncovered pairs are not
    /// less.
    pub progress: Progress,
    /// The wiring's text table.
    pub table: String,
}

/// The wirings that a run found on its way: `GET /api/runs/{id}/replay`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReplayView {
    /// At most 61 wirings in the order of time, thinned as they grow in number. The last one is the best so far.
    pub frames: Vec<ReplayFrame>,
}

/// Continues a run: `POST /api/runs/{id}/continue`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ContinueRun {
    /// Time or effort in addition to what the run has used.
    pub budget: Budget,
}

/// Place of a search in the queue, also the data of the `queue` events of `GET /api/runs/{id}/events`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QueueView {
    /// Number of searches that start before it.
    pub ahead: u32,
    /// Expected seconds until it starts, rounded up; `None` if unknown.
    pub seconds: Option<f64>,
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
    /// Id of the design or run that it is based on. Ignored if the studio no longer has that.
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

/// A spec with a wiring, for calls that store nothing: `POST /api/analysis`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SpecAndTable {
    /// The spec's TOML text.
    pub spec: String,
    /// The wiring's text table.
    pub table: String,
}

/// A wiring whose switches are to be placed: `POST /api/placement`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PlaceSwitches {
    /// The spec's TOML text.
    pub spec: String,
    /// The wiring's text table.
    pub table: String,
    /// Nodes per rack, for a spec without racks.
    #[serde(default)]
    pub nodes_per_rack: Option<u32>,
}

/// The wiring with its switches placed: cables are shortest, nodes keep their places.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PlacedView {
    /// The wiring's text table, with other numbers of switches.
    pub table: String,
    /// Metres of all cables before.
    pub metres_before: f64,
    /// Metres of all cables now.
    pub metres: f64,
}

/// A spec, with networks to compare its wiring with: `POST /api/compare`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CompareRequest {
    /// The spec's TOML text.
    pub spec: String,
    /// The wiring's text table, if there is one.
    #[serde(default)]
    pub table: Option<String>,
    /// Market: `spec` for the spec's own prices, the name of another market, such as `400g`, or the TOML text of a market.
    /// Default: the spec's own if it has prices, else its `market`.
    #[serde(default)]
    pub prices: String,
    /// More networks, in addition to those fitted to the number of nodes, such as `tree:768,24,2`, or `file:NAME` for one of the
    /// files.
    #[serde(default)]
    pub fabrics: Vec<String>,
    /// Texts of files by name, each a network: lines `a b [speed]`, one per link, or GraphML.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}

/// A spec with a training job, for `POST /api/estimate`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EstimateRequest {
    /// Spec with a training job, wiring, market, and networks in addition to the baselines.
    pub networks: CompareRequest,
    /// Settings.
    #[serde(default)]
    pub form: EstimateForm,
}

/// Max number of more networks.
pub const MAX_FABRICS: usize = 16;

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
    /// Its file name without `.toml`, such as `kasy0`.
    pub id: String,
    /// Its name.
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
    /// Its use, in one line.
    pub purpose: String,
    /// The group of formats that it belongs to.
    pub group: String,
    /// Its media type.
    pub media_type: String,
    /// Scope of one file: `network`, `host` or `switch`. Without a number, all files come as a tar archive.
    pub each: Each,
    /// `true` if it is one file per node (`?pe=7`).
    pub per_pe: bool,
    /// Programs that read it in a test, with versions; empty for none.
    pub read_by: Vec<String>,
    /// Its settings.
    pub settings: Vec<SettingView>,
}

/// A setting of an export.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SettingView {
    /// Name, as in `--with name=value` and `?with=name=value`.
    pub name: String,
    /// Its use, in one line.
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
        let of = |group: &'static str, format: &Format| ExportView {
            name: format.name.into(),
            purpose: format.purpose.into(),
            group: group.into(),
            media_type: format.media_type.into(),
            each: format.each,
            per_pe: format.each == Each::Node,
            read_by: format.read_by.iter().map(|&program| program.into()).collect(),
            settings: format.settings.iter().copied().map(SettingView::from).collect(),
        };
        let groups = formats.groups().iter();
        groups.flat_map(|group| group.formats.iter().map(move |format| of(group.name, format))).collect()
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
    /// Its pairs.
    pub pairs: u64,
    /// Share of its pairs, 0 to 1, that each pattern of the spec also requests (dissertation, section 2.3.4).
    pub synergy: Vec<f64>,
}

/// Analysis of a wiring: the response of `POST /api/analysis`.
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
    pub left_out: Vec<LeftOut>,
    /// Effect of failed parts; command line only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub faults: Option<FaultReport>,
    /// Pairs of nodes that the library of the training job connects; absent without a job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<Connections>,
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

/// A hardware search: `GET /api/boards/{id}`, and the data of the `board` event at the start of
/// `GET /api/boards/{id}/events`. The design of a cell is `GET /api/boards/{id}/cells/{cell}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BoardView {
    /// Unguessable id.
    pub id: String,
    /// State; `solved` if at least one cell is.
    pub state: RunState,
    /// The request.
    pub asked: StartBoard,
    /// Results so far.
    pub board: Board,
    /// Error message, if it failed; reason of a pause, if it paused.
    pub message: String,
    /// Start time, RFC 3339 in UTC.
    pub created: String,
    /// Version of Crosspoint that ran it.
    pub version: String,
    /// Place in the queue, while it is queued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueView>,
}

/// Results of a hardware search: the `progress` events of `GET /api/boards/{id}/events`, one per change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BoardProgress {
    /// State; `solved` if at least one cell is.
    pub state: RunState,
    /// Results so far.
    pub board: Board,
    /// Error message, if it failed; reason of a pause, if it paused.
    pub message: String,
    /// Place in the queue, while it is queued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueView>,
}

/// Best wiring found for a cell of a hardware search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BoardDesign {
    /// The spec with the cell's hardware, as TOML text.
    pub spec: String,
    /// The wiring's text table.
    pub table: String,
    /// Number of uncovered pairs.
    pub uncovered: u64,
    /// Method.
    pub method: String,
}
