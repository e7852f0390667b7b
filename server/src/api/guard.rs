//! What every request passes: by which name it came, from which site, for how long; and what every response carries.

use super::{ApiError, App};
use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use std::net::IpAddr;

/// The page may run its WebAssembly and talk to its own server, and nothing else.
pub const PAGE_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
     img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'none'";
/// An export that is a page may carry its own styles, and runs nothing.
pub const EXPORT_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'; sandbox allow-modals";

const HEADERS: [(HeaderName, &str); 7] = [
    (header::CONTENT_SECURITY_POLICY, PAGE_POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    // A link to a design is a secret: it must not travel to other sites.
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    ),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Adds the headers that protect, where a response has none of its own.
pub async fn protect(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// Refuses what comes by a name or from a site that is not the studio's, and what takes too long to answer.
///
/// A page of another site can make a browser send requests here: with its own `Origin`, or, where that site's name was
/// made to point to this machine, with its own `Host`. On a machine's own address only the machine's own names will do.
pub async fn admit(State(app): State<App>, request: Request, next: Next) -> Response {
    let host = host_of(request.headers(), request.uri());
    if app.config.loopback_only && !host.as_deref().is_some_and(is_loopback) {
        let told = "this studio listens on this machine only: call it localhost or 127.0.0.1".to_owned();
        return ApiError::Host(told).into_response();
    }
    let reading = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    if !reading && is_foreign(request.headers(), host.as_deref()) {
        let told = "another site's page may not change anything here".to_owned();
        return ApiError::Origin(told).into_response();
    }
    match tokio::time::timeout(app.config.patience, next.run(request)).await {
        Ok(response) => response,
        Err(_) => {
            let seconds = app.config.patience.as_secs();
            ApiError::Busy(format!("no answer within {seconds} s; try again later")).into_response()
        }
    }
}

/// Host and port, as the browser was told them.
fn host_of(headers: &HeaderMap, uri: &Uri) -> Option<String> {
    let named = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    named.or_else(|| uri.authority().map(|a| a.as_str())).map(str::to_ascii_lowercase)
}

fn is_loopback(host: &str) -> bool {
    let Ok(authority) = host.parse::<axum::http::uri::Authority>() else { return false };
    let name = authority.host().trim_start_matches('[').trim_end_matches(']');
    name == "localhost"
        || name.ends_with(".localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn is_foreign(headers: &HeaderMap, host: Option<&str>) -> bool {
    if headers.get("sec-fetch-site").is_some_and(|site| site == "cross-site") {
        return true;
    }
    let Some(origin) = headers.get(header::ORIGIN) else { return false };
    let origin = origin.to_str().unwrap_or("").to_ascii_lowercase();
    let site = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    site.is_none() || site != host
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machines_names_are_loopback() {
        for host in
            ["localhost", "localhost:8080", "127.0.0.1:1", "127.8.9.1", "[::1]:80", "studio.localhost"]
        {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "10.0.0.1"] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn another_origin_is_foreign() {
        let with = |origin: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ORIGIN, HeaderValue::from_static(origin));
            is_foreign(&headers, Some("localhost:8080"))
        };
        assert!(!is_foreign(&HeaderMap::new(), Some("localhost:8080")));
        assert!(!with("http://localhost:8080") && !with("https://LOCALHOST:8080"));
        assert!(with("null") && with("http://localhost:8081") && with("http://evil.example"));
    }
}
