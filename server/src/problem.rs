//! Errors as problem details (RFC 9457).

use crate::{
    prepare::TextError,
    store::{QuotaExceeded, StoreError},
    tasks::{TaskError, TaskRefusal},
};
use axum::http::StatusCode;
use shared::{
    analysis::bounds::Refusal,
    api::{Problem, WorkKind},
    form::LineFault,
    spec::{Fault, Faults},
    text::{fixed, grouped},
};

/// Reason why a request fails.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    /// The spec or another field has faults.
    #[error("{0}")]
    Spec(Faults),
    /// A field of the body, the query or the path cannot be read.
    #[error("{0}")]
    Field(Fault),
    /// The wiring table has faults.
    #[error("The wiring table cannot be read.")]
    Table(Vec<LineFault>),
    /// The spec's hardware provably cannot serve the demand.
    #[error("{}", .0.proof)]
    Impossible(Refusal),
    /// The export is not possible with this wiring or these settings.
    #[error("{0}")]
    Export(String),
    /// The request cannot be read.
    #[error("{0}")]
    Request(String),
    /// Not found.
    #[error("{0}")]
    NotFound(String),
    /// It was there and is deleted.
    #[error("{0}")]
    Gone(String),
    /// Not possible in this state.
    #[error("{0}")]
    Conflict(String),
    /// The route does not accept the method.
    #[error("{0}")]
    Method(String),
    /// The request comes from another site.
    #[error("{0}")]
    Origin(String),
    /// The request lacks the edit token of what it would change.
    #[error("{0}")]
    Edit(String),
    /// The request lacks the operator's token.
    #[error("{0}")]
    Operator(String),
    /// The request is for another host.
    #[error("{0}")]
    Host(String),
    /// The body is too large.
    #[error("{0}")]
    TooLarge(String),
    /// The body is not JSON.
    #[error("{0}")]
    MediaType(String),
    /// Too many requests of one address; seconds until the next.
    #[error("Too many requests. Try again in {0} s.")]
    TooMany(u64),
    /// The client has its share of something.
    #[error("{0}")]
    Share(String),
    /// The client has saved as much as it may on this day.
    #[error("{}", quota(.0))]
    Quota(QuotaExceeded),
    /// The studio is too busy.
    #[error("{0}")]
    Busy(String),
    /// Nothing was saved: the disk is full or cannot be written.
    #[error("{0}")]
    Storage(String),
    /// The computation needs more memory than the studio has.
    #[error("{0}")]
    Memory(String),
    /// An internal error. Its text goes to the log, not to the client.
    #[error("{0}")]
    Internal(String),
}

/// The answer to a client that has saved as much as it may.
fn quota(spent: &QuotaExceeded) -> String {
    let [used, needs] = [spent.used, spent.needs].map(|bytes| fixed(bytes as f64 / f64::from(1 << 20), 1));
    let (max, hours) = (grouped(spent.max >> 20), spent.seconds.div_ceil(3600));
    format!(
        "This needs {needs} MiB. You have saved {used} MiB of {max} MiB per day (flag --saved-per-day). Nothing was saved. Try again after midnight UTC, in {hours} h."
    )
}

impl ApiError {
    /// The error for a missing `what`, which names the kind of thing.
    pub fn not_found(what: impl std::fmt::Display) -> ApiError {
        ApiError::NotFound(format!("There is no {what} here."))
    }

    /// The error for missing work, which the studio may have removed.
    pub fn no_work() -> ApiError {
        ApiError::NotFound(
            "There is no work with this id here. The studio removes ended work after some time; saved designs stay.".into(),
        )
    }

    /// The error if work of a kind has no `what`, such as a table.
    pub fn lacks(kind: WorkKind, what: &str) -> ApiError {
        ApiError::NotFound(format!("Work of the kind `{}` has no {what}.", kind.entry().name))
    }

    /// Kind of problem, title and status.
    pub fn kind(&self) -> (&'static str, &'static str, StatusCode) {
        use StatusCode as S;
        match self {
            ApiError::Spec(_) => ("spec", "The input has errors", S::UNPROCESSABLE_ENTITY),
            ApiError::Table(_) => ("table", "The wiring table has errors", S::UNPROCESSABLE_ENTITY),
            ApiError::Impossible(_) => {
                ("impossible", "This hardware cannot serve the demand", S::UNPROCESSABLE_ENTITY)
            }
            ApiError::Export(_) => ("export", "The export is not possible", S::UNPROCESSABLE_ENTITY),
            ApiError::Request(_) | ApiError::Field(_) => {
                ("request", "The request cannot be read", S::BAD_REQUEST)
            }
            ApiError::NotFound(_) => ("not-found", "Not found", S::NOT_FOUND),
            ApiError::Gone(_) => ("gone", "Deleted", S::GONE),
            ApiError::Conflict(_) => ("conflict", "Not possible now", S::CONFLICT),
            ApiError::Method(_) => ("method", "Method not allowed", S::METHOD_NOT_ALLOWED),
            ApiError::Origin(_) => ("origin", "Request from another site", S::FORBIDDEN),
            ApiError::Edit(_) => ("edit", "Edit token needed", S::FORBIDDEN),
            ApiError::Operator(_) => ("operator", "For the operator only", S::FORBIDDEN),
            ApiError::Host(_) => ("host", "Request for another host", S::MISDIRECTED_REQUEST),
            ApiError::TooLarge(_) => ("too-large", "Too large", S::PAYLOAD_TOO_LARGE),
            ApiError::MediaType(_) => ("media-type", "Unsupported media type", S::UNSUPPORTED_MEDIA_TYPE),
            ApiError::TooMany(_) => ("too-many", "Too many requests", S::TOO_MANY_REQUESTS),
            ApiError::Share(_) => ("share", "Your share is used up", S::TOO_MANY_REQUESTS),
            ApiError::Quota(_) => ("quota", "Quota of saved data is used up", S::TOO_MANY_REQUESTS),
            ApiError::Busy(_) => ("busy", "Studio is busy", S::SERVICE_UNAVAILABLE),
            ApiError::Memory(_) => ("memory", "Too large for this studio", S::UNPROCESSABLE_ENTITY),
            ApiError::Storage(_) => ("storage", "Not saved", S::INSUFFICIENT_STORAGE),
            ApiError::Internal(_) => ("internal", "Internal error", S::INTERNAL_SERVER_ERROR),
        }
    }

    /// The problem details.
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
            ApiError::Field(fault) => problem.faults.push(fault.clone()),
            ApiError::Impossible(refusal) => problem.faults.clone_from(&refusal.faults),
            ApiError::Table(faults) => problem.table_faults.clone_from(faults),
            ApiError::Internal(_) => problem.detail = "See the studio's log.".into(),
            _ => {}
        }
        problem
    }
}

impl From<TextError> for ApiError {
    fn from(error: TextError) -> ApiError {
        match error {
            TextError::Spec(faults) => ApiError::Spec(faults),
            TextError::Table(faults) => ApiError::Table(faults),
            TextError::Memory(refused) => refused.into(),
        }
    }
}

impl From<TaskRefusal> for ApiError {
    fn from(refused: TaskRefusal) -> ApiError {
        match refused {
            TaskRefusal::TooLarge { .. } => ApiError::Memory(refused.to_string()),
            TaskRefusal::Share { .. } => ApiError::Share(refused.to_string()),
            TaskRefusal::Full(_) | TaskRefusal::Busy { .. } => ApiError::Busy(refused.to_string()),
        }
    }
}

impl From<TaskError> for ApiError {
    fn from(stopped: TaskError) -> ApiError {
        match stopped {
            TaskError::Refused(refused) => refused.into(),
            TaskError::Cancelled => ApiError::Busy("The studio stopped this computation.".into()),
            TaskError::Panicked => ApiError::Internal("a computation panicked".into()),
        }
    }
}

impl From<Fault> for ApiError {
    fn from(fault: Fault) -> ApiError {
        ApiError::Spec(fault.into())
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> ApiError {
        match error {
            StoreError::Full => ApiError::Storage("The studio's disk is full. Nothing was saved.".into()),
            StoreError::ReadOnly => {
                ApiError::Storage("The studio's data folder cannot be written. Nothing was saved.".into())
            }
            StoreError::Gone(_) => ApiError::Storage(
                "The studio's database was deleted or replaced. Nothing can be saved until the studio is restarted.".into(),
            ),
            StoreError::Quota(spent) => ApiError::Quota(spent),
            error => ApiError::Internal(error.to_string()),
        }
    }
}
