//! Bodies and parameters of requests, with problem details for those that cannot be read.

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

/// A JSON body. Requires the JSON content type, which a form of another site cannot send.
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
            ApiError::MediaType("Send JSON with `Content-Type: application/json`.".into())
        }
        JsonRejection::BytesRejection(BytesRejection::FailedToBufferBody(_))
            if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE =>
        {
            ApiError::TooLarge(format!("A request body may have up to {MAX_BODY_BYTES} bytes."))
        }
        _ => ApiError::Request(rejection.body_text()),
    }
}

/// Query parameters.
pub struct Params<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let query = Query::<T>::from_request_parts(parts, state).await;
        query.map(|Query(value)| Params(value)).map_err(|rejection| ApiError::Request(rejection.body_text()))
    }
}

/// Path parameters.
pub struct Names<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Names<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let path = Path::<T>::from_request_parts(parts, state).await;
        path.map(|Path(value)| Names(value)).map_err(|rejection| ApiError::Request(rejection.body_text()))
    }
}
