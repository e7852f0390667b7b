use crate::studio::Studio;
use axum::{body::Body, http::Request};

#[tokio::test]
async fn the_page_is_at_all_its_paths() {
    let studio = Studio::new();
    let first = studio.get("/").await;
    assert!(first.header("content-type").starts_with("text/html"));
    for path in ["/d/abc", "/r/abc", "/s"] {
        let page = studio.get(path).await;
        assert_eq!((page.status, &page.body), (first.status, &first.body), "{path}");
    }
    // Without the web bundle the page says how to build it.
    assert!(first.status == 200 || first.text().contains("make build"));
}

#[tokio::test]
async fn where_there_is_no_page_there_is_a_page_that_says_so() {
    let studio = Studio::new();
    for path in
        ["/nothing", "/d", "/d/a/b", "/index.html", "/../Cargo.toml", "/%2e%2e/Cargo.toml", "/assets/"]
    {
        let page = studio.get(path).await;
        assert_eq!(page.status, 404, "{path}");
        assert!(page.header("content-type").starts_with("text/html"), "{path}");
    }
}

#[tokio::test]
async fn a_page_that_is_known_is_not_sent_again() {
    let studio = Studio::new();
    let page = studio.get("/").await;
    if page.status != 200 {
        assert!(page.text().contains("make build"));
        return;
    }
    assert_eq!(page.header("cache-control"), "no-cache");
    let tag = page.header("etag").to_owned();
    let known = Request::get("/").header("if-none-match", &tag).body(Body::empty()).unwrap();
    let known = studio.answer(known).await;
    assert_eq!((known.status.as_u16(), known.body.len()), (304, 0));
}

#[tokio::test]
async fn what_the_page_names_is_there_packed_and_kept_for_ever() {
    let studio = Studio::new();
    let page = studio.get("/").await;
    if page.status != 200 {
        assert!(page.text().contains("make build"));
        return;
    }
    let paths: Vec<&str> = page.text().split('"').filter(|part| part.starts_with("/assets/")).collect();
    assert!(paths.iter().any(|path| path.ends_with(".wasm")), "{paths:?}");
    for path in paths {
        let plain = studio.get(path).await;
        assert_eq!(plain.status, 200, "{path}");
        assert!(plain.header("cache-control").contains("immutable"), "{path}");
        let packed = Request::get(path).header("accept-encoding", "gzip, br").body(Body::empty()).unwrap();
        let packed = studio.answer(packed).await;
        assert_eq!(packed.header("content-encoding"), "br", "{path}");
        assert_eq!(packed.header("vary"), "accept-encoding");
        assert_eq!(packed.header("content-type"), plain.header("content-type"));
        if path.ends_with(".wasm") {
            assert_eq!(plain.header("content-type"), "application/wasm");
        }
    }
}
