use crate::studio::{KASY0, Studio};
use shared::api::{GalleryEntry, HelpChapter, HelpTopic, VersionView};

#[tokio::test]
async fn the_specs_of_the_gallery_can_be_counted() {
    let studio = Studio::new();
    let entries: Vec<GalleryEntry> = studio.get("/api/gallery").await.json();
    let ids: Vec<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
    let mut expected = vec![
        "kasy0",
        "klat2",
        "lab16",
        "cables4",
        "cables3",
        "stencil64",
        "shuffles4096",
        "mixtral64",
        "gpt3-175b",
    ];
    expected.extend(["deepseek-v3", "llama405b", "llama405b-long", "cube1024", "bluegene65536"]);
    assert_eq!(ids, expected);
    let kasy0 = entries.iter().find(|entry| entry.id == "kasy0").unwrap();
    assert_eq!((kasy0.title.as_str(), kasy0.spec.as_str()), ("KASY0", KASY0));
    for entry in &entries {
        assert!(!entry.summary.is_empty() && !entry.summary.starts_with('#'), "{}", entry.id);
        let counted = studio.post("/api/demand", &serde_json::json!({ "spec": entry.spec })).await;
        assert!(counted.status.is_success(), "{}: {}", entry.id, counted.text());
    }
}

#[tokio::test]
async fn the_version_is_told() {
    let version: VersionView = Studio::new().get("/api/version").await.json();
    assert_eq!(version.name, "Crosspoint");
    assert!(version.version.starts_with(env!("CARGO_PKG_VERSION")));
}

#[tokio::test]
async fn every_topic_of_the_help_has_a_chapter() {
    let studio = Studio::new();
    let topics: Vec<HelpTopic> = studio.get("/api/help").await.json();
    assert!(topics.len() >= 15);
    for HelpTopic { topic, title } in topics {
        let chapter: HelpChapter = studio.get(&format!("/api/help/{topic}")).await.json();
        assert!(
            chapter.html.contains("<h3>") && chapter.html.contains("</p>") || topic == "glossary",
            "{topic}: {title}"
        );
    }
    assert_eq!(studio.get("/api/help/none").await.status, 404);
}
