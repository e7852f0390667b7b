//! The one place where errors become responses: problem details (RFC 9457).

use crate::{artifact::ArtifactError, jobs::StartError, prepare::TextError, store::StoreError};
use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use shared::{
    analysis::bounds::Refusal,
    api::Problem,
    design::table::TableFault,
    exports::ExportError,
    spec::{Fault, Faults},
};

/// Why a request is not answered as it hoped.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    /// The spec, or another part of the request, breaks rules.
    #[error("{0}")]
    Spec(Faults),
    /// The wiring table cannot be read.
    #[error("the wiring table cannot be read")]
    Table(Vec<TableFault>),
    /// The spec's hardware provably cannot do it.
    #[error("{}", .0.proof)]
    Impossible(Refusal),
    /// The export cannot be made from this wiring.
    #[error("{0}")]
    Export(String),
    /// The request itself cannot be read.
    #[error("{0}")]
    Request(String),
    /// There is no such thing.
    #[error("{0}")]
    NotFound(String),
    /// Not with this method.
    #[error("{0}")]
    Method(String),
    /// Another site asks.
    #[error("{0}")]
    Origin(String),
    /// Asked by a name that is not the studio's.
    #[error("{0}")]
    Host(String),
    /// More than the studio takes.
    #[error("{0}")]
    TooLarge(String),
    /// Not in a form the studio reads.
    #[error("{0}")]
    MediaType(String),
    /// Too often.
    #[error("too many requests; try again in {0} s")]
    TooMany(u64),
    /// Too much going on.
    #[error("{0}")]
    Busy(String),
    /// A fault of the studio's. What it is goes to the log, not to whoever asked.
    #[error("{0}")]
    Internal(String),
}

impl ApiError {
    /// There is no such thing.
    pub fn not_found(what: impl std::fmt::Display) -> ApiError {
        ApiError::NotFound(format!("there is no {what} here"))
    }

    /// The kind of problem, its title and its status.
    fn kind(&self) -> (&'static str, &'static str, StatusCode) {
        use StatusCode as S;
        match self {
            ApiError::Spec(_) => ("spec", "The spec has faults", S::UNPROCESSABLE_ENTITY),
            ApiError::Table(_) => ("table", "The wiring table has faults", S::UNPROCESSABLE_ENTITY),
            ApiError::Impossible(_) => {
                ("impossible", "No wiring of this hardware can serve the demand", S::UNPROCESSABLE_ENTITY)
            }
            ApiError::Export(_) => ("export", "The export cannot be made", S::UNPROCESSABLE_ENTITY),
            ApiError::Request(_) => ("request", "The request cannot be read", S::BAD_REQUEST),
            ApiError::NotFound(_) => ("not-found", "Not found", S::NOT_FOUND),
            ApiError::Method(_) => ("method", "Not with this method", S::METHOD_NOT_ALLOWED),
            ApiError::Origin(_) => ("origin", "Asked from another site", S::FORBIDDEN),
            ApiError::Host(_) => ("host", "Asked by another name", S::MISDIRECTED_REQUEST),
            ApiError::TooLarge(_) => ("too-large", "Too large", S::PAYLOAD_TOO_LARGE),
            ApiError::MediaType(_) => ("media-type", "Not in a form that is read", S::UNSUPPORTED_MEDIA_TYPE),
            ApiError::TooMany(_) => ("too-many", "Too many requests", S::TOO_MANY_REQUESTS),
            ApiError::Busy(_) => ("busy", "Too much going on", S::SERVICE_UNAVAILABLE),
            ApiError::Internal(_) => ("internal", "A fault of the studio's", S::INTERNAL_SERVER_ERROR),
        }
    }

    /// What travels.
    pub fn problem(&self) -> Problem {
        let (kind, title, status) = self.kind();
        let mut problem = Problem {
            kind: format!("/problems/{kind}"),
            title: title.into(),
            status: status.as_u16(),
            detail: self.to_string(),
            ..Problem::default()
        };
        match self {
            ApiError::Spec(faults) => problem.faults.clone_from(&faults.0),
            ApiError::Impossible(refusal) => problem.faults.clone_from(&refusal.faults),
            ApiError::Table(faults) => problem.table_faults.clone_from(faults),
            ApiError::Internal(_) => problem.detail = "it is in the studio's log".into(),
            _ => {}
        }
        problem
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        if let ApiError::Internal(what) = &self {
            eprintln!("crosspoint: {what}");
        }
        let (_, _, status) = self.kind();
        let mut response = (status, Json(self.problem())).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let ApiError::TooMany(seconds) = self {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

impl From<TextError> for ApiError {
    fn from(error: TextError) -> ApiError {
        match error {
            TextError::Spec(faults) => ApiError::Spec(faults),
            TextError::Table(faults) => ApiError::Table(faults),
        }
    }
}

impl From<Fault> for ApiError {
    fn from(fault: Fault) -> ApiError {
        ApiError::Spec(fault.into())
    }
}

impl From<StartError> for ApiError {
    fn from(error: StartError) -> ApiError {
        match error {
            StartError::Text(error) => error.into(),
            StartError::Refused(refusal) => ApiError::Impossible(refusal),
            StartError::Full | StartError::ShuttingDown => ApiError::Busy(error.to_string()),
            StartError::Store(error) => error.into(),
        }
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> ApiError {
        ApiError::Internal(error.to_string())
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

impl From<ArtifactError> for ApiError {
    fn from(error: ArtifactError) -> ApiError {
        match error {
            ArtifactError::Export(error) => error.into(),
            ArtifactError::TooLarge { .. } | ArtifactError::TooMuch { .. } | ArtifactError::Pairs { .. } => {
                ApiError::Export(error.to_string())
            }
            ArtifactError::Io(error) => ApiError::Internal(format!("an export broke off: {error}")),
        }
    }
}
