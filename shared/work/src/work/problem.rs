//! Errors of requests and of work.

use crate::{form::LineFault, spec::Fault};
use serde::{Deserialize, Serialize};

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
    /// Every error of a spec, with path, value and accepted values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
    /// Every error of a wiring table, with its line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub table_faults: Vec<LineFault>,
}
