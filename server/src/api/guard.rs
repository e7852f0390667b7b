//! Host and origin checks of every request, security headers of every response.

use super::{ApiError, App, Config, SCOPE, Scope};
use crate::tasks::{Caller, Owner};
use axum::{
    extract::{ConnectInfo, MatchedPath, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
};
use std::{
    cell::RefCell,
    net::{IpAddr, Ipv6Addr, SocketAddr},
};
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
/// this machine (DNS rebinding), the requests have its `Host`; so only known names are accepted. An address as `Host` is no
/// such name. A link on another site opens what it points to if a person follows it.
pub async fn admit(State(app): State<App>, request: Request, next: Next) -> Response {
    let host = host_of(request.headers(), request.uri());
    if !host.as_deref().is_some_and(|host| is_accepted(&app.config, host)) {
        let names =
            if app.config.loopback_only { "localhost or 127.0.0.1" } else { "localhost or its address" };
        let why = format!("Open this studio as {names}, or start it with `--host NAME` for another name.");
        return ApiError::Host(why).into_response();
    }
    let reading = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    if !reading && is_foreign(request.headers(), host.as_deref()) {
        let why = "Pages of other sites cannot change anything here.".to_owned();
        return ApiError::Origin(why).into_response();
    }
    if request.uri().path().starts_with("/api/") && is_cross_site(request.headers()) && !is_followed(&request)
    {
        return ApiError::Origin("Pages of other sites cannot load anything from here.".into())
            .into_response();
    }
    let route = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str).to_owned();
    let owner = app.store.pseudonym(&client_of(&app.config, &request));
    let caller = Caller { owner, route };
    let scope = Scope { caller, body: RefCell::default() };
    SCOPE.scope(scope, next.run(request)).await
}

/// The client of a request: the address of its peer, or the one that a trusted proxy adds to `X-Forwarded-For`.
fn client_of(config: &Config, request: &Request) -> Owner {
    let Some(ConnectInfo(peer)) = request.extensions().get::<ConnectInfo<SocketAddr>>() else {
        return Owner(String::new());
    };
    let peer = peer.ip().to_canonical();
    let is_trusted = config.trusted_proxies.iter().any(|network| network.contains(&peer));
    let forwarded = is_trusted.then(|| forwarded(request.headers())).flatten();
    Owner(match forwarded.unwrap_or(peer) {
        IpAddr::V4(address) => address.to_string(),
        // A client usually has a network of 2^64 addresses.
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).to_string(),
    })
}

/// Headers that proxies add.
const FORWARDED: [&str; 6] =
    ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"];

/// `true` for a client on this machine, under a loopback name and not through a proxy: a proxy brings others from its own
/// loopback address.
pub fn is_local(config: &Config, request: &Parts) -> bool {
    let Some(ConnectInfo(peer)) = request.extensions.get::<ConnectInfo<SocketAddr>>() else { return false };
    let peer = peer.ip().to_canonical();
    let host = host_of(&request.headers, &request.uri);
    peer.is_loopback()
        && !config.trusted_proxies.iter().any(|network| network.contains(&peer))
        && !FORWARDED.iter().any(|name| request.headers.contains_key(*name))
        && host.is_some_and(|host| is_accepted(&Config::default(), &host))
}

/// Last address of `X-Forwarded-For`. The ones before may be forged.
fn forwarded(headers: &HeaderMap) -> Option<IpAddr> {
    let last =
        headers.get_all("x-forwarded-for").iter().next_back()?.to_str().ok()?.rsplit(',').next()?.trim();
    let address = last.parse::<IpAddr>().or_else(|_| last.parse::<SocketAddr>().map(|address| address.ip()));
    Some(address.ok()?.to_canonical())
}

/// Scheme, host and port under which the client reaches the studio; `None` if the request names no host.
pub fn origin(config: &Config, headers: &HeaderMap, uri: &Uri) -> Option<String> {
    let secure = headers.get("x-forwarded-proto").is_some_and(|scheme| scheme == "https");
    let scheme = if secure && !config.trusted_proxies.is_empty() { "https" } else { "http" };
    Some(format!("{scheme}://{}", host_of(headers, uri)?))
}

/// Host and port that the request names.
fn host_of(headers: &HeaderMap, uri: &Uri) -> Option<String> {
    let named = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    named.or_else(|| uri.authority().map(|a| a.as_str())).map(str::to_ascii_lowercase)
}

/// `true` if the studio answers under this host, given in lower case with or without a port.
fn is_accepted(config: &Config, host: &str) -> bool {
    let Ok(authority) = host.parse::<axum::http::uri::Authority>() else { return false };
    let name = authority.host().trim_start_matches('[').trim_end_matches(']');
    match name.parse::<IpAddr>() {
        Ok(address) => {
            address.is_loopback() || !config.loopback_only || config.hosts.iter().any(|h| h == name)
        }
        Err(_) => {
            name == "localhost"
                || name.ends_with(".localhost")
                || config.hosts.iter().any(|host| host == name)
        }
    }
}

fn is_cross_site(headers: &HeaderMap) -> bool {
    headers.get("sec-fetch-site").is_some_and(|site| site == "cross-site")
}

/// `true` for a link that a person followed.
fn is_followed(request: &Request) -> bool {
    let has = |name: &str, value: &str| request.headers().get(name).is_some_and(|found| found == value);
    request.method() == Method::GET && has("sec-fetch-mode", "navigate") && has("sec-fetch-user", "?1")
}

fn is_foreign(headers: &HeaderMap, host: Option<&str>) -> bool {
    if is_cross_site(headers) {
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
            assert!(is_accepted(&Config::default(), host), "{host}");
        }
        for host in ["", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "10.0.0.1"] {
            assert!(!is_accepted(&Config::default(), host), "{host}");
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
