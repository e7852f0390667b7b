//! Bodies and parameters of requests, with problem details for those that cannot be read.

use super::{ApiError, App, MAX_BODY_BYTES, SCOPE};
use axum::{
    Json,
    body::HttpBody,
    extract::{
        FromRequest, FromRequestParts, Path, Query, RawPathParams, Request,
        path::ErrorKind,
        rejection::{JsonRejection, PathRejection},
    },
    http::request::Parts,
};
use serde::de::DeserializeOwned;
use shared::{
    form::{no_such, says},
    spec::Fault,
    text::{closest, grouped},
};
use std::error::Error;
use tokio::runtime::Handle;
use tokio_stream::StreamExt;

/// Bytes of a body that is parsed on a blocking thread: it takes milliseconds.
const LARGE: usize = 256 << 10;
/// Min bytes by which the buffer of a body grows.
const STEP: usize = 16 << 10;

/// Max values of a body, where the key of an object counts as one. A value takes up to 100 bytes of memory.
const MAX_VALUES: usize = 1 << 18;

/// A JSON body. Requires the JSON content type, which a form of another site cannot send.
pub struct Body<T>(pub T);

impl<T: DeserializeOwned + Send + 'static> FromRequest<App> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<Self, ApiError> {
        let (parts, body) = request.into_parts();
        let bytes = receive(body, app).await?;
        let large = bytes.len() > LARGE;
        let bytes = match large {
            true => app.block(move || bounded(bytes)).await?,
            false => bounded(bytes)?,
        };
        let request = Request::from_parts(parts, bytes.into());
        let read = async |app: &App| {
            let read = Json::<T>::from_request(request, app).await;
            read.map(|Json(value)| Body(value)).map_err(|rejection| refused_body(&rejection))
        };
        if !large {
            return read(app).await;
        }
        let (runtime, owned) = (Handle::current(), app.clone());
        app.block(move || runtime.block_on(read(&owned))).await
    }
}

/// Accepts a body of up to [`MAX_VALUES`].
fn bounded(bytes: Vec<u8>) -> Result<Vec<u8>, ApiError> {
    if values(&bytes) <= MAX_VALUES {
        return Ok(bytes);
    }
    let max = grouped(MAX_VALUES as u64);
    Err(ApiError::TooLarge(format!("A request body may have up to {max} values.")))
}

/// Number of values of JSON by its signs outside of texts, without parsing it: at least as many as there are.
fn values(json: &[u8]) -> usize {
    let (mut values, mut is_text, mut is_escaped) = (0, false, false);
    for &byte in json {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b'{' | b'[' | b',' | b':' if !is_text => values += 1,
            _ => {}
        }
    }
    values
}

fn refused_body(rejection: &JsonRejection) -> ApiError {
    match rejection {
        JsonRejection::MissingJsonContentType(_) => {
            ApiError::MediaType("Send JSON with `Content-Type: application/json`.".into())
        }
        JsonRejection::JsonSyntaxError(_) => {
            ApiError::Request(format!("The request body is not JSON: {}.", reason(rejection)))
        }
        _ => refused(&reason(rejection), "body", |_| None),
    }
}

/// Receives a body. Its buffer counts in the budget of request bodies until the request ends, since the parsed body is as large.
async fn receive(body: axum::body::Body, app: &App) -> Result<Vec<u8>, ApiError> {
    let too_large = || {
        let max = grouped(MAX_BODY_BYTES as u64);
        ApiError::TooLarge(format!("A request body may have up to {max} bytes."))
    };
    if body.size_hint().lower() > MAX_BODY_BYTES as u64 {
        return Err(too_large());
    }
    let mut claim = app.tasks.bodies.empty_claim(App::client());
    let (mut chunks, mut bytes) = (body.into_data_stream(), Vec::new());
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| ApiError::Request("The request body is incomplete.".into()))?;
        let needed = bytes.len() + chunk.len();
        if needed > MAX_BODY_BYTES {
            return Err(too_large());
        }
        if needed > bytes.capacity() {
            let capacity = needed.max(2 * bytes.capacity()).clamp(STEP, MAX_BODY_BYTES);
            claim.grow_now((capacity - bytes.capacity()) as u64)?;
            bytes.reserve_exact(capacity - bytes.len());
        }
        bytes.extend_from_slice(&chunk);
    }
    let _ = SCOPE.try_with(|scope| scope.body.replace(Some(claim)));
    Ok(bytes)
}

/// The message of the error below a rejection.
fn reason(rejection: &(impl Error + 'static)) -> String {
    rejection.source().map_or_else(|| rejection.to_string(), ToString::to_string)
}

/// The error for a message of the deserializer. `whole` names the value that has the fields, and `given` returns the text of a
/// field that was given as text.
fn refused(message: &str, whole: &str, given: impl Fn(&str) -> Option<String>) -> ApiError {
    fault(message, whole, given).map_or_else(|| ApiError::Request(format!("{message}.")), ApiError::Field)
}

/// A message of the deserializer, such as ``seed: invalid value: integer `-3`, expected u64 at line 1 column 9``, as a fault.
fn fault(message: &str, whole: &str, given: impl Fn(&str) -> Option<String>) -> Option<Fault> {
    let message = message.rsplit_once(" at line ").map_or(message, |(message, _)| message);
    let (path, message) = match message.split_once(": ") {
        Some((path, message)) if !path.contains(' ') => (path, message),
        _ => ("", message),
    };
    let field = |name: &str| match path {
        "" => name.to_owned(),
        path if path.rsplit('.').next() == Some(name) => path.to_owned(),
        path => format!("{path}.{name}"),
    };
    let named = |prefix| message.strip_prefix(prefix)?.split_once('`');
    let at = if path.is_empty() { whole } else { path };
    if let Some((name, _)) = named("missing field `") {
        return Some(Fault::new(field(name), "", "a value"));
    }
    if let Some((name, _)) = named("duplicate field `") {
        return Some(Fault::new(field(name), "two values", says("is given twice; give it once.")));
    }
    if let Some((name, names)) = named("unknown field `") {
        let names = names.trim_start_matches(", expected ").replace(" or ", ", ");
        let names: Vec<&str> = names.strip_prefix("one of ").unwrap_or(&names).split(", ").collect();
        let names: Vec<&str> = names.iter().map(|name| name.trim_matches('`')).collect();
        let names = || names.iter().copied();
        return Some(Fault::new(field(name), name, no_such("field", name, closest(name, names()), names())));
    }
    if let Some((word, words)) = named("unknown variant `") {
        return Some(Fault::new(at, word, words.strip_prefix(", expected ")?));
    }
    if message == "invalid digit found in string" {
        return Some(Fault::new(at, given(path)?, accepted("u64")));
    }
    if message == "number too large to fit in target type" {
        return Some(Fault::new(at, given(path)?, accepted("u32")));
    }
    let (got, expected) = message.strip_prefix("invalid ")?.rsplit_once(", expected ")?;
    let got = match got.strip_prefix("type: ").or_else(|| got.strip_prefix("value: ")).unwrap_or("sequence") {
        "null" | "unit value" | "Option value" => "null",
        "map" => "an object",
        "sequence" => "a list",
        got => got.strip_prefix("string ").or_else(|| got.split('`').nth(1)).unwrap_or(got),
    };
    Some(Fault::new(at, got, accepted(expected)))
}

/// The values of a type, as a noun phrase.
fn accepted(kind: &str) -> &str {
    match kind {
        "u32" => "a whole number from 0 to 4,294,967,295",
        "u64" | "usize" => "a whole number from 0",
        "i32" | "i64" => "a whole number",
        "f32" | "f64" => "a number",
        "a string" | "string" | "str" => "text",
        "a boolean" => "`true` or `false`",
        "a sequence" => "a list",
        kind if ["struct ", "a map", "map", "internally tagged"]
            .iter()
            .any(|start| kind.starts_with(start)) =>
        {
            "an object"
        }
        kind if kind.starts_with("enum ") || kind == "string or map" => "text or an object",
        kind => kind,
    }
}

/// Query parameters.
pub struct Params<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let query = Query::<T>::from_request_parts(parts, state).await;
        query.map(|Query(value)| Params(value)).map_err(|rejection| {
            let given = |name: &str| {
                let Query(all) = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri).ok()?;
                all.into_iter().find_map(|(key, value)| (key == name).then_some(value))
            };
            refused(&reason(&rejection), "query", given)
        })
    }
}

/// Path parameters.
pub struct Names<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Names<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let rejection = match Path::<T>::from_request_parts(parts, state).await {
            Ok(Path(value)) => return Ok(Names(value)),
            Err(rejection) => rejection,
        };
        let PathRejection::FailedToDeserializePathParams(failed) = &rejection else {
            return Err(ApiError::Internal(rejection.to_string()));
        };
        let names = RawPathParams::from_request_parts(parts, state).await;
        let names: Vec<_> = names.iter().flat_map(|names| names.iter()).map(|(name, _)| name).collect();
        let name = |index: usize| names.get(index).copied().unwrap_or("path");
        let (name, value, expected) = match failed.kind() {
            ErrorKind::ParseErrorAtKey { key, value, expected_type } => (key.as_str(), value, *expected_type),
            ErrorKind::ParseErrorAtIndex { index, value, expected_type } => {
                (name(*index), value, *expected_type)
            }
            ErrorKind::ParseError { value, expected_type } => (name(0), value, *expected_type),
            _ => return Err(ApiError::Request("The path is not UTF-8 text.".into())),
        };
        Err(ApiError::Field(Fault::new(name, value, accepted(expected))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Body {
        seed: u64,
        #[serde(default)]
        threads: u32,
        #[serde(default)]
        names: Vec<String>,
        #[serde(default)]
        inner: Option<Inner>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "lowercase")]
    enum Inner {
        Hold,
        Load { from: f64 },
    }

    #[test]
    fn values_are_counted_outside_of_texts() {
        for (json, count) in [("3", 0), ("[1, 2]", 2), ("{\"a\": {\"b\": []}}", 5), ("\"[,\\\"{\"", 0)] {
            assert_eq!(values(json.as_bytes()), count, "{json}");
        }
    }

    #[test]
    fn faults_name_field_value_and_accepted_values() {
        for (body, expected) in [
            ("{\"seed\": -3}", "seed: must be a whole number from 0, not -3."),
            ("{\"seed\": 1.5}", "seed: must be a whole number from 0, not 1.5."),
            ("{\"seed\": \"a, expected b\"}", "seed: must be a whole number from 0, not \"a, expected b\"."),
            ("{\"seed\": null}", "seed: must be a whole number from 0, not `null`."),
            (
                "{\"seed\": 1, \"threads\": 5000000000}",
                "threads: must be a whole number from 0 to 4,294,967,295, not 5000000000.",
            ),
            ("{\"seed\": 1, \"names\": [\"a\", {}]}", "names[1]: must be text, not an object."),
            ("{\"seed\": 1, \"inner\": \"drop\"}", "inner: must be `hold` or `load`, not `drop`."),
            (
                "{\"seed\": 1, \"inner\": {\"load\": {\"from\": true}}}",
                "inner.load.from: must be a number, not `true`.",
            ),
            ("{\"names\": []}", "seed: missing; it must be a value."),
            ("{\"seed\": 1, \"seed\": 2}", "seed: is given twice; give it once."),
            ("{\"sede\": 1}", "sede: Unknown field `sede`. Did you mean `seed`?"),
            ("[]", "body: must be an object, not a list."),
            ("3", "body: must be an object, not 3."),
        ] {
            let rejection = Json::<Body>::from_bytes(body.as_bytes()).unwrap_err();
            let ApiError::Field(fault) = refused_body(&rejection) else { panic!("{rejection}") };
            assert_eq!(fault.to_string(), expected, "{body}");
        }
        let rejection = Json::<Body>::from_bytes(b"{").unwrap_err();
        let text = refused_body(&rejection).to_string();
        assert_eq!(text, "The request body is not JSON: EOF while parsing an object at line 1 column 1.");
    }
}
