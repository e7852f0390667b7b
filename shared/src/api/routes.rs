//! Routes of two nodes, and the effect of failed parts.

use serde::{Deserialize, Serialize};

use crate::analysis::routing::FaultReport;

/// Two nodes of a wiring: `POST /api/routes`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RoutesRequest {
    /// The spec's TOML text.
    pub spec: String,
    /// The wiring's text table.
    pub table: String,
    /// Failed parts, such as `sw03 node007 node005.nic1`.
    #[serde(default)]
    pub failed: String,
    /// Start of the routes.
    pub from: u32,
    /// End of the routes.
    pub to: u32,
}

/// The routes of two nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RoutesView {
    /// Every switch that the two nodes share, failed switches included, ascending.
    pub shared: Vec<SharedSwitchView>,
    /// The route of each scheme.
    pub routes: Vec<RouteView>,
    /// `false` if choosing the basic routes of all pairs would take too long; schemes that need them are left out.
    pub has_basic: bool,
}

/// A switch that two nodes share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SharedSwitchView {
    /// The switch.
    pub switch: u32,
    /// NICs at the start and at the end.
    pub nis: (u32, u32),
    /// Ports of the start and of the end, from 1.
    pub ports: (u32, u32),
    /// `true` if a route may lead over it.
    pub works: bool,
    /// `true` if the basic route leads over it.
    pub basic: bool,
}

/// A route of a scheme.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RouteView {
    /// The scheme.
    pub scheme: String,
    /// The route in words.
    pub words: String,
    /// The export with the route.
    pub file: String,
    /// Lines with the route, each with its number.
    pub lines: Vec<(usize, String)>,
}

/// A wiring with failed parts: `POST /api/failures`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FailuresRequest {
    /// The spec's TOML text.
    pub spec: String,
    /// The wiring's text table.
    pub table: String,
    /// Failed parts, such as `sw03 node007 node005.nic1`.
    #[serde(default)]
    pub failed: String,
}

/// The effect of failed parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FailuresView {
    /// Number of requested pairs.
    pub requested: u64,
    /// The effect; missing for wirings where that takes too long.
    pub report: Option<FaultReport>,
}
