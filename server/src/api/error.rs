//! Errors as responses.

use super::health::ProblemKind;
pub use crate::problem::ApiError;
use crate::{
    artifact::ArtifactError,
    tasks::{RETRY_AFTER, TaskRefusal},
};
use axum::{
    Extension, Json,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use shared::{
    exports::ExportError,
    form::{Layout, check_visible},
    spec::Fault,
    text::grouped,
};

/// An export that has grown beyond this limit of bytes.
#[derive(Debug, thiserror::Error)]
#[error("the export has more than {0} bytes")]
pub(super) struct ExportTooLarge(pub u64);

/// The error for an export beyond the limit.
pub(super) fn too_large_export(bytes: u64, max: u64) -> ApiError {
    let [bytes, max] = [bytes.div_ceil(1 << 20), max >> 20].map(grouped);
    ApiError::Memory(format!(
        "This export has at least {bytes} MiB; the studio makes exports of up to {max} MiB (half of its flag --temporary). Choose fewer formats or one node, or use `crosspoint export` on the command line."
    ))
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        if let ApiError::Internal(what) | ApiError::Storage(what) = &self {
            tracing::error!("{what}");
        }
        let (kind, _, status) = self.kind();
        let mut response = (status, Extension(ProblemKind(kind)), Json(self.problem())).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        match self {
            ApiError::Quota(spent) => _ = headers.insert(header::RETRY_AFTER, spent.seconds.into()),
            ApiError::TooMany(seconds) => _ = headers.insert(header::RETRY_AFTER, seconds.into()),
            ApiError::Busy(_) | ApiError::Share(_) => {
                _ = headers.insert(header::RETRY_AFTER, RETRY_AFTER.into())
            }
            _ => {}
        }
        response
    }
}

impl From<ExportError> for ApiError {
    fn from(error: ExportError) -> ApiError {
        match error {
            ExportError::Unknown { .. } | ExportError::NoSuch { .. } => ApiError::NotFound(error.to_string()),
            _ => ApiError::Export(error.to_string()),
        }
    }
}

/// Words for a request that is not answered in time.
pub const NO_ANSWER: &str = "No answer in time. Try again later.";
/// Words for an export whose first byte takes too long.
pub const SLOW_EXPORT: &str = "The studio takes too long to prepare this export, and its size is still unknown. Choose fewer formats or one node, or use `crosspoint export` on the command line.";

impl From<ArtifactError> for ApiError {
    fn from(error: ArtifactError) -> ApiError {
        match error {
            ArtifactError::Export(error) => error.into(),
            ArtifactError::TooLarge { .. } | ArtifactError::TooMuch { .. } | ArtifactError::Pairs { .. } => {
                ApiError::Export(error.to_string())
            }
            ArtifactError::Unplanned => ApiError::Memory(SLOW_EXPORT.into()),
            ArtifactError::Io(error) => {
                let cause = error.get_ref();
                if let Some(refused) = cause.and_then(|cause| cause.downcast_ref::<TaskRefusal>()) {
                    return refused.clone().into();
                }
                match cause.and_then(|cause| cause.downcast_ref::<ExportTooLarge>()) {
                    Some(ExportTooLarge(max)) => too_large_export(max + 1, *max),
                    None => ApiError::Internal(format!("an export failed: {error}")),
                }
            }
        }
    }
}

/// The error for a design that was deleted at this time.
pub(super) fn gone(deleted: &str) -> ApiError {
    let day = deleted.split('T').next().unwrap_or(deleted);
    ApiError::Gone(format!(
        "This design was deleted on {day}. Ask the person who sent the link for another one."
    ))
}

/// The error for an id of neither a design nor a run.
pub(super) fn no_item() -> ApiError {
    ApiError::NotFound(
        "There is no design or run with this id here. The studio removes ended runs after some time; saved designs stay.".into(),
    )
}

/// Checks the length and the characters of a text.
pub(super) fn limited(field: &str, text: &str, max: usize, layout: Layout) -> Result<(), ApiError> {
    let length = text.chars().count();
    if length <= max {
        return Ok(check_visible(field, text, layout)?);
    }
    Err(Fault::new(field, format!("{length} characters"), format!("up to {max} characters")).into())
}
