//! Example specs, embedded in the binary.

use axum::Json;
use rust_embed::RustEmbed;
use shared::{api::GalleryEntry, resolve};
use std::sync::OnceLock;

/// All example specs with their texts.
#[utoipa::path(get, path = "/api/gallery", tag = "gallery", responses((status = 200, body = [GalleryEntry])))]
pub async fn list() -> Json<&'static [GalleryEntry]> {
    Json(entries())
}

#[derive(RustEmbed)]
#[folder = "../assets/specs"]
struct Specs;

/// Order in the gallery; specs not listed here come last.
const ORDER: [&str; 14] = [
    "kasy0",
    "klat2",
    "lab16",
    "cables4",
    "cables3",
    "stencil64",
    "shuffles4096",
    "mixtral64",
    "gpt3-175b",
    "deepseek-v3",
    "llama405b",
    "llama405b-long",
    "cube1024",
    "bluegene65536",
];

fn entries() -> &'static [GalleryEntry] {
    static ENTRIES: OnceLock<Vec<GalleryEntry>> = OnceLock::new();
    ENTRIES.get_or_init(|| {
        let mut names: Vec<_> = Specs::iter().filter(|name| name.ends_with(".toml")).collect();
        let place = |name: &str| {
            ORDER.iter().position(|id| name.strip_suffix(".toml") == Some(id)).unwrap_or(ORDER.len())
        };
        names.sort_by(|a, b| (place(a), a).cmp(&(place(b), b)));
        names.iter().filter_map(|name| entry(name)).collect()
    })
}

fn entry(file: &str) -> Option<GalleryEntry> {
    let spec = String::from_utf8(Specs::get(file)?.data.into_owned()).ok()?;
    let id = file.strip_suffix(".toml")?.to_owned();
    let title = resolve::parse(&spec).ok().map(|form| form.name).filter(|name| !name.is_empty());
    let summary = spec.lines().find_map(|line| line.strip_prefix('#')).unwrap_or("").trim().to_owned();
    Some(GalleryEntry { title: title.unwrap_or_else(|| id.clone()), id, summary, spec })
}
