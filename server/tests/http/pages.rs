use crate::studio::{Answer, KASY0, KASY0_WIRING, Search, Studio, search};
use axum::{body::Body, http::Request};
use serde_json::json;
use shared::api::{DesignView, PAGES, SearchReport};

/// `false` for the page of a binary without the web bundle, which says how to build it.
fn is_built(page: &Answer) -> bool {
    assert!(page.status == 200 || page.text().contains("make build"));
    page.status == 200
}

/// Saves a design with this name; its id.
async fn saved(studio: &Studio, name: &str) -> String {
    let spec = KASY0.lines().filter(|line| !line.starts_with("name")).collect::<Vec<_>>().join("\n");
    let spec = format!("name = {}\n{spec}\n", json!(name));
    let answer = studio.post("/api/designs", &json!({ "spec": spec, "table": KASY0_WIRING })).await;
    answer.json::<DesignView>().id
}

#[tokio::test]
async fn a_link_to_a_design_has_a_title_a_description_and_a_picture() {
    let studio = Studio::new();
    let id = saved(&studio, "A <b>\"&\" rack").await;
    let request =
        Request::get(format!("/d/{id}")).header("host", "localhost:8080").body(Body::empty()).unwrap();
    let page = studio.answer(request).await;
    if !is_built(&page) {
        return;
    }
    let page = page.text();
    let tags = |name: &str| page.matches(name).count();
    assert!(page.contains("<title>A &lt;b&gt;&quot;&amp;&quot; rack – Crosspoint</title>"), "{page}");
    assert_eq!(
        (tags("<title>"), tags("name=\"description\""), tags("og:title"), tags("twitter:card")),
        (1, 1, 1, 1)
    );
    assert!(page.contains("128 nodes, 3 NICs each"), "{page}");
    let picture = format!("http://localhost:8080/api/designs/{id}/preview.png");
    assert_eq!(tags(&format!("content=\"{picture}\"")), 2, "{page}");
    assert!(page.contains("boot.js") && page.trim_end().ends_with("</html>"), "the studio is missing");
    let labels = studio.get(&format!("/d/{id}/labels")).await;
    assert!(labels.status == 200 && labels.text().contains("rack – Crosspoint</title>"), "{}", labels.text());
}

#[tokio::test]
async fn links_show_their_design_or_node_before_the_studio_has_loaded() {
    let studio = Studio::new();
    let id = saved(&studio, "A <b>\"&\" rack").await;
    let page = studio.get(&format!("/d/{id}")).await;
    if !is_built(&page) {
        return;
    }
    // The address is a secret.
    assert_eq!(page.header("cache-control"), "no-store");
    let picture = format!("<img src=\"/api/designs/{id}/preview.png\"");
    for words in [
        "<h1>A &lt;b&gt;&quot;&amp;&quot; rack</h1>",
        "<p>128 nodes, 3 NICs each.</p>",
        "<p>17 switches, 384 cables</p>",
        "<p>All 1,536 requested pairs share a switch.</p>",
        &picture,
    ] {
        assert!(page.text().contains(words), "no {words} in {}", page.text());
    }
    assert!(!page.text().contains("class=\"claim\""), "{}", page.text());
    let node = studio.get(&format!("/d/{id}/node/17")).await;
    assert_eq!(node.header("cache-control"), "no-store");
    for words in ["<title>node017 – A &lt;b&gt;", "<h1>node017</h1>", "<strong>NIC 0 → sw05 port "] {
        assert!(node.text().contains(words), "no {words} in {}", node.text());
    }
    assert!(!node.text().contains(" style="), "the policy rejects inline styles");
    assert_eq!(studio.get(&format!("/d/{id}/node/128")).await.status, 404);
}

#[tokio::test]
async fn the_picture_of_a_design_is_a_png_of_its_map() {
    let studio = Studio::new();
    let id = saved(&studio, "KASY0").await;
    let path = format!("/api/designs/{id}/preview.png");
    let picture = studio.get(&path).await;
    assert_eq!((picture.status.as_u16(), picture.header("content-type")), (200, "image/png"));
    assert_eq!(picture.header("cache-control"), "private, max-age=300");
    assert_eq!(picture.body[..8], *b"\x89PNG\r\n\x1a\n");
    // Width and height.
    assert_eq!(picture.body[16..24], [0, 0, 4, 176, 0, 0, 2, 118]);
    assert_eq!(studio.get(&path).await.body, picture.body);
    if let Some(folder) = std::env::var_os("LOOK") {
        std::fs::write(std::path::Path::new(&folder).join("preview.png"), &picture.body).unwrap();
    }
    studio.get("/api/designs/nobody/preview.png").await.problem(404, "not-found");
}

#[tokio::test]
async fn a_search_has_the_picture_of_a_design_with_its_wiring() {
    let studio = Studio::new();
    let run: Search = studio.start(&search(KASY0, json!({ "threads": 1 }))).await;
    studio.over::<SearchReport>(&run.id).await;
    let table = studio.table(&run.id).await;
    let design: DesignView =
        studio.post("/api/designs", &json!({ "spec": KASY0, "table": table.text() })).await.json();
    let path = format!("/api/work/{}/preview.png", run.id);
    let [picture, same] = [path.clone(), format!("/api/designs/{}/preview.png", design.id)];
    let (picture, same) = (studio.get(&picture).await, studio.get(&same).await);
    assert_eq!((picture.status.as_u16(), &picture.body), (200, &same.body));
    assert_eq!(picture.header("cache-control"), "private, max-age=300");
    assert_eq!(studio.post(&format!("/api/library/{}/delete", run.id), &json!({})).await.status, 204);
    for path in [path, "/api/work/nobody/preview.png".into()] {
        studio.get(&path).await.problem(404, "not-found");
    }
}

#[tokio::test]
async fn the_page_is_at_all_its_paths() {
    let studio = Studio::new();
    let first = studio.get("/").await;
    assert!(first.header("content-type").starts_with("text/html"));
    let built = is_built(&first);
    let own = [("/design", 200), ("/s", 200), ("/b", 200), ("/d/abc", 404), ("/r/abc", 404), ("/b/abc", 404)];
    let own = own.map(|(path, status)| (path.to_owned(), status));
    let pages = PAGES.iter().flat_map(|page| {
        [("", 200), ("/s", 200), ("/d/abc", 404), ("/r/abc", 404), ("/work/abc", 404)]
            .map(|(place, status)| (format!("{place}/{page}"), status))
    });
    for (path, status) in own.into_iter().chain(pages) {
        let page = studio.get(&path).await;
        assert_eq!(page.body, first.body, "{path}");
        assert_eq!(page.status, if built { status } else { 503 }, "{path}");
    }
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
    if !is_built(&page) {
        return;
    }
    assert_eq!(page.header("cache-control"), "no-cache");
    let tag = page.header("etag").to_owned();
    let known = Request::get("/").header("if-none-match", &tag).body(Body::empty()).unwrap();
    let known = studio.answer(known).await;
    assert_eq!((known.status.as_u16(), known.body.len()), (304, 0));
}

/// Bytes over the wire that a first visit may take, compressed.
const FIRST_VISIT: usize = 500_000;

#[tokio::test]
async fn a_first_visit_stays_within_its_budget() {
    let studio = Studio::new();
    let page = studio.get("/").await;
    if !is_built(&page) {
        return;
    }
    let named = |part: &&str| part.starts_with("/assets/") || part.starts_with("/icons/");
    let text = page.text();
    let paths: Vec<&str> = text.split('"').filter(named).collect();
    let mut bytes = 0;
    for path in ["/"].into_iter().chain(paths.iter().copied()) {
        let request = Request::get(path).header("accept-encoding", "br").body(Body::empty()).unwrap();
        bytes += studio.answer(request).await.body.len();
        if path.ends_with(".js") {
            // The page names the modules that its scripts import.
            let script = studio.get(path).await;
            for import in script.text().split(" from \"./").skip(1).filter_map(|rest| rest.split('"').next())
            {
                assert!(paths.iter().any(|path| path.ends_with(import)), "{path} imports {import}");
            }
        }
    }
    println!("first visit: {bytes} bytes");
    assert!((100_000..FIRST_VISIT).contains(&bytes), "{bytes} bytes");
}

#[tokio::test]
async fn what_the_page_names_is_there_packed_and_kept_for_ever() {
    let studio = Studio::new();
    let page = studio.get("/").await;
    if !is_built(&page) {
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
