//! The page and its files, embedded in the binary.
//!
//! The page is served at several paths (`/`, `/design`, `/b`, `/s`, `/library`, `/operator`, and those of [`preview`](crate::api)) and reads its own
//! address. Names under `assets/` have a hash of their content, so that browsers may cache them for ever; everything else is revalidated. Files
//! with a `.br` or `.gz` twin are sent compressed to clients that accept it.

use axum::{
    Router,
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, Uri, header},
    response::{IntoResponse, Response},
    routing::get,
};
use rust_embed::{EmbeddedFile, RustEmbed};
use shared::{api::PAGES, exports::markup};

#[derive(RustEmbed)]
#[folder = "../frontend/dist"]
struct Bundle;

const PAGE: &str = "index.html";
/// Page of a binary without the web bundle.
const UNBUILT: &str = include_str!("web/unbuilt.html");
/// Page for unknown paths.
const NOWHERE: &str = include_str!("web/nowhere.html");

/// Routes of the page and of the bundle's files.
pub fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    let pages = PAGES.iter().flat_map(|page| [format!("/{page}"), format!("/s/{page}")]);
    let own = ["/", "/design", "/b", "/s", "/library", "/operator"].map(str::to_owned);
    let routes =
        own.into_iter().chain(pages).fold(Router::new(), |routes, path| routes.route(&path, get(found)));
    routes.fallback(get(file))
}

/// `true` if the binary contains the web bundle.
pub fn is_built() -> bool {
    Bundle::get(PAGE).is_some()
}

async fn found(headers: HeaderMap) -> Response {
    page(StatusCode::OK, &headers)
}

/// The page, with a status.
pub fn page(status: StatusCode, headers: &HeaderMap) -> Response {
    let Some(mut response) = send(PAGE, headers) else {
        return html(StatusCode::SERVICE_UNAVAILABLE, UNBUILT.into());
    };
    if status != StatusCode::OK {
        *response.status_mut() = status;
        response.headers_mut().remove(header::ETAG);
    }
    response
}

/// A linked page: words and picture by which other programs show it, and its content until the studio has loaded.
pub struct LinkPreview {
    /// Title of the page.
    pub title: String,
    /// A sentence.
    pub description: String,
    /// Address of the page.
    pub address: String,
    /// Address of a picture of 1200 by 630 pixels.
    pub picture: Option<String>,
    /// HTML that the page shows until the studio has loaded.
    pub first: String,
}

/// Marks of what the page shows until the studio has loaded.
const FIRST: [&str; 2] = ["<!--first-->\n", "<!--/first-->"];

/// The page with a title, description, picture and content of its own.
pub fn page_about(about: &LinkPreview) -> Response {
    let file = Bundle::get(PAGE);
    let page = file.as_ref().and_then(|file| std::str::from_utf8(&file.data).ok());
    match page.and_then(|page| page.split_once("</title>")) {
        Some((start, end)) => html(StatusCode::OK, described(start, &with_first(end, &about.first), about)),
        None => html(StatusCode::SERVICE_UNAVAILABLE, UNBUILT.into()),
    }
}

fn with_first(page: &str, first: &str) -> String {
    let [begin, end] = FIRST.map(|mark| page.find(mark));
    match (begin, end) {
        (Some(begin), Some(end)) => format!("{}{first}{}", &page[..begin], &page[end..]),
        _ => page.to_owned(),
    }
}

/// The page between the end of its title and the rest.
fn described(start: &str, end: &str, about: &LinkPreview) -> String {
    let head = start.rsplit_once("<title>").map_or(start, |(head, _)| head);
    // The page's own description is general.
    let head: String =
        head.split_inclusive('\n').filter(|line| !line.starts_with("<meta name=\"description\"")).collect();
    let [title, description, address] =
        [&about.title, &about.description, &about.address].map(|text| markup(text));
    let picture = about.picture.as_ref().map_or_else(String::new, |address| {
        let address = markup(address);
        format!(
            "<meta property=\"og:image\" content=\"{address}\">\n\
             <meta property=\"og:image:width\" content=\"1200\">\n\
             <meta property=\"og:image:height\" content=\"630\">\n\
             <meta name=\"twitter:card\" content=\"summary_large_image\">\n\
             <meta name=\"twitter:image\" content=\"{address}\">\n"
        )
    });
    format!(
        "{head}<title>{title}</title>\n\
         <meta name=\"description\" content=\"{description}\">\n\
         <meta property=\"og:type\" content=\"website\">\n\
         <meta property=\"og:site_name\" content=\"Crosspoint\">\n\
         <meta property=\"og:title\" content=\"{title}\">\n\
         <meta property=\"og:description\" content=\"{description}\">\n\
         <meta property=\"og:url\" content=\"{address}\">\n\
         {picture}\
         <meta name=\"twitter:title\" content=\"{title}\">\n\
         <meta name=\"twitter:description\" content=\"{description}\">{end}"
    )
}

async fn file(uri: Uri, headers: HeaderMap) -> Response {
    let name = uri.path().trim_start_matches('/');
    let hidden = name == PAGE || ENCODINGS.iter().any(|(_, ending)| name.ends_with(ending));
    let sent = if hidden { None } else { send(name, &headers) };
    sent.unwrap_or_else(|| html(StatusCode::NOT_FOUND, NOWHERE.into()))
}

fn html(status: StatusCode, text: String) -> Response {
    let headers = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CACHE_CONTROL, "no-store")];
    (status, headers, text).into_response()
}

/// Encodings with their file extensions, best first.
const ENCODINGS: [(&str, &str); 2] = [("br", ".br"), ("gzip", ".gz")];

fn send(name: &str, headers: &HeaderMap) -> Option<Response> {
    let plain = Bundle::get(name)?;
    let packed = ENCODINGS.iter().filter(|(encoding, _)| takes(headers, encoding));
    let packed =
        packed.filter_map(|&(encoding, ending)| Some((encoding, Bundle::get(&format!("{name}{ending}"))?)));
    let (encoding, file) = packed.take(1).next().map_or((None, plain), |(e, file)| (Some(e), file));
    let tag = tag(&file);
    let mut response = if headers.get_all(header::IF_NONE_MATCH).iter().any(|known| names(known, &tag)) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        Body::from(file.data.into_owned()).into_response()
    };
    let caching =
        if name.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    let out = response.headers_mut();
    out.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type(name)));
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    out.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        out.insert(header::ETAG, tag);
    }
    if let Some(encoding) = encoding {
        out.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    Some(response)
}

/// `true` if `Accept-Encoding` names the encoding with a quality above 0.
fn takes(headers: &HeaderMap, encoding: &str) -> bool {
    let offers = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    offers.flat_map(|value| value.split(',')).any(|offer| {
        let mut parts = offer.split(';').map(str::trim);
        let named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(encoding));
        let quality = parts.find_map(|part| part.strip_prefix("q=")).map_or(Ok(1.0), str::parse::<f32>);
        named && quality.is_ok_and(|q| q > 0.0)
    })
}

/// `true` if the `If-None-Match` header names the tag.
fn names(header: &HeaderValue, tag: &str) -> bool {
    let Ok(header) = header.to_str() else { return false };
    header
        .split(',')
        .map(|known| known.trim().trim_start_matches("W/"))
        .any(|known| known == tag || known == "*")
}

fn tag(file: &EmbeddedFile) -> String {
    let hex: String = file.metadata.sha256_hash()[..16].iter().map(|b| format!("{b:02x}")).collect();
    format!("\"{hex}\"")
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or("") {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "txt" => "text/plain; charset=utf-8",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepting(value: &'static str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(value));
        headers
    }

    #[test]
    fn an_encoding_is_taken_when_named_and_not_refused() {
        assert!(takes(&accepting("gzip, deflate, br, zstd"), "br"));
        assert!(takes(&accepting("BR;q=0.1"), "br"));
        assert!(!takes(&accepting("gzip, br;q=0"), "br"));
        assert!(!takes(&HeaderMap::new(), "gzip"));
    }

    #[test]
    fn tags_match_in_lists_and_weakly() {
        let header = HeaderValue::from_static("\"a\", W/\"b\"");
        assert!(names(&header, "\"a\"") && names(&header, "\"b\"") && !names(&header, "\"c\""));
        assert!(names(&HeaderValue::from_static("*"), "\"c\""));
    }
}
