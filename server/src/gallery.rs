//! The ready specs, carried inside the binary.

use rust_embed::RustEmbed;
use shared::{api::GalleryEntry, spec::language};
use std::sync::OnceLock;

#[derive(RustEmbed)]
#[folder = "../assets/specs"]
struct Specs;

/// Every ready spec, by file name.
pub fn entries() -> &'static [GalleryEntry] {
    static ENTRIES: OnceLock<Vec<GalleryEntry>> = OnceLock::new();
    ENTRIES.get_or_init(|| {
        let mut names: Vec<_> = Specs::iter().filter(|name| name.ends_with(".toml")).collect();
        names.sort();
        names.iter().filter_map(|name| entry(name)).collect()
    })
}

fn entry(file: &str) -> Option<GalleryEntry> {
    let spec = String::from_utf8(Specs::get(file)?.data.into_owned()).ok()?;
    let id = file.strip_suffix(".toml")?.to_owned();
    let title = language::parse(&spec).ok().map(|form| form.name).filter(|name| !name.is_empty());
    let summary = spec.lines().find_map(|line| line.strip_prefix('#')).unwrap_or("").trim().to_owned();
    Some(GalleryEntry { title: title.unwrap_or_else(|| id.clone()), id, summary, spec })
}
