//! What requests bring with them, with problem details where it cannot be read.

use super::{ApiError, MAX_BODY_BYTES};
use axum::{
    Json,
    extract::{
        FromRequest, FromRequestParts, Path, Query, Request,
        rejection::{BytesRejection, JsonRejection},
    },
    http::{StatusCode, request::Parts},
};
use serde::de::DeserializeOwned;

/// A JSON body. It must be declared as JSON, so that no form of another site can send it.
pub struct Body<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        match Json::<T>::from_request(request, state).await {
            Ok(Json(value)) => Ok(Body(value)),
            Err(rejection) => Err(refused_body(&rejection)),
        }
    }
}

fn refused_body(rejection: &JsonRejection) -> ApiError {
    match rejection {
        JsonRejection::MissingJsonContentType(_) => {
            ApiError::MediaType("send JSON, with `Content-Type: application/json`".into())
        }
        JsonRejection::BytesRejection(BytesRejection::FailedToBufferBody(_))
            if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE =>
        {
            ApiError::TooLarge(format!("a request may have at most {MAX_BODY_BYTES} bytes"))
        }
        _ => ApiError::Request(rejection.body_text()),
    }
}

/// The parameters after `?`.
pub struct Params<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let query = Query::<T>::from_request_parts(parts, state).await;
        query.map(|Query(value)| Params(value)).map_err(|rejection| ApiError::Request(rejection.body_text()))
    }
}

/// The names in a path.
pub struct Names<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Names<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let path = Path::<T>::from_request_parts(parts, state).await;
        path.map(|Path(value)| Names(value)).map_err(|rejection| ApiError::Request(rejection.body_text()))
    }
}
