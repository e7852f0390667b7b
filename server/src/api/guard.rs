//! Host and origin checks of every request, security headers of every response.

use super::{ApiError, App};
use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use std::net::IpAddr;
use tower_http::set_header::response::SetMultipleResponseHeadersLayer;

/// Policy of the page: it may run its WebAssembly and talk to its own server.
pub const PAGE_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
     img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'none'";
/// Policy of an HTML export: it may have its own styles and runs no scripts.
pub const EXPORT_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'; sandbox allow-modals";

const HEADERS: [(HeaderName, &str); 7] = [
    (header::CONTENT_SECURITY_POLICY, PAGE_POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    // A link to a design is a secret, which other sites must not see.
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    ),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Adds the security headers that a response does not set itself.
pub fn headers() -> SetMultipleResponseHeadersLayer<Response> {
    let headers = HEADERS.map(|(name, value)| (name, HeaderValue::from_static(value)).into());
    SetMultipleResponseHeadersLayer::if_not_present(headers.into())
}

/// Refuses requests for another host or from another site.
///
/// A page of another site can make a browser send requests here with its own `Origin`. If the name of that site resolves to
/// this machine (DNS rebinding), the requests have its `Host`; so a loopback listener accepts loopback names only.
pub async fn admit(State(app): State<App>, request: Request, next: Next) -> Response {
    let host = host_of(request.headers(), request.uri());
    if app.config.loopback_only && !host.as_deref().is_some_and(is_loopback) {
        let why = "This studio listens on this machine only. Open it as localhost or 127.0.0.1.".to_owned();
        return ApiError::Host(why).into_response();
    }
    let reading = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    if !reading && is_foreign(request.headers(), host.as_deref()) {
        let why = "Pages of other sites cannot change anything here.".to_owned();
        return ApiError::Origin(why).into_response();
    }
    next.run(request).await
}

/// Host and port that the request names.
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
