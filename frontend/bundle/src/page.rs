//! The page, boot script, service worker, manifest, style sheet and icons.
//!
//! The content security policy forbids inline scripts and styles, so the boot script is a file. Styles and code share a folder named
//! by the hash of their contents: names inside it need no rewriting, and a browser never mixes two builds.

use crate::{files_under, inputs};
use anyhow::{Context, Result};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::{fs, path::Path};

/// Completes a bundle whose `assets/code` holds the output of wasm-bindgen.
///
/// # Errors
/// If a style sheet or icon cannot be read, or the bundle not written.
pub fn write(root: &Path, dist: &Path) -> Result<()> {
    let code = dist.join("assets/code");
    fs::write(code.join("theme.js"), include_str!("theme.js"))?;
    fs::write(code.join("boot.js"), include_str!("boot.js"))?;
    fs::write(code.join("studio.css"), styles(&root.join("assets/styles"))?)?;
    let hash = content_hash(&code)?;
    fs::rename(&code, dist.join("assets").join(&hash))?;
    fs::write(dist.join("worker.js"), include_str!("worker.js"))?;
    let icons = copy_icons(&root.join("assets/icons"), &dist.join("icons"))?;
    fs::write(dist.join("manifest.webmanifest"), manifest(&icons))?;
    fs::write(dist.join("index.html"), html(&hash, &icons))?;
    Ok(())
}

/// All style sheets in the order of their names.
fn styles(dir: &Path) -> Result<String> {
    let mut all = String::new();
    for file in existing(dir)? {
        if file.extension().is_some_and(|e| e == "css") {
            all += &fs::read_to_string(&file).with_context(|| file.display().to_string())?;
            all.push('\n');
        }
    }
    Ok(all)
}

fn existing(dir: &Path) -> Result<Vec<std::path::PathBuf>> {
    if dir.exists() { files_under(dir) } else { Ok(Vec::new()) }
}

/// The first 16 digits of a hash over names and contents.
fn content_hash(dir: &Path) -> Result<String> {
    let mut hash = Sha256::new();
    for file in files_under(dir)? {
        hash.update(file.strip_prefix(dir)?.to_string_lossy().as_bytes());
        hash.update([0]);
        hash.update(Sha256::digest(fs::read(&file)?));
    }
    Ok(inputs::hex(&hash.finalize()[..8]))
}

/// Prefixes of the application's own icons.
const APPLICATION: [&str; 2] = ["favicon", "app-"];

/// Copies the application's own icons and returns their names, sorted. The front end contains those on buttons.
fn copy_icons(from: &Path, to: &Path) -> Result<Vec<String>> {
    fs::create_dir_all(to)?;
    let mut names = Vec::new();
    for file in existing(from)? {
        let name = file.strip_prefix(from)?.to_string_lossy().into_owned();
        if !APPLICATION.iter().any(|start| name.starts_with(start)) {
            continue;
        }
        let target = to.join(&name);
        fs::create_dir_all(target.parent().context("an icon has a folder")?)?;
        fs::copy(&file, target)?;
        names.push(name);
    }
    Ok(names)
}

/// The manifest, which makes the studio installable.
fn manifest(icons: &[String]) -> String {
    let icons: Vec<_> = icons
        .iter()
        .filter_map(|name| {
            icon_type(name).map(|kind| json!({"src": format!("/icons/{name}"), "type": kind, "sizes": "any"}))
        })
        .collect();
    json!({
        "name": "Crosspoint", "short_name": "Crosspoint", "start_url": "/", "display": "standalone",
        "description": "The wiring of cluster interconnects", "icons": icons,
    })
    .to_string()
}

fn icon_type(name: &str) -> Option<&'static str> {
    match Path::new(name).extension()?.to_str()? {
        "svg" => Some("image/svg+xml"),
        "png" => Some("image/png"),
        _ => None,
    }
}

/// Files that the boot script loads once the page has been painted. The page names them for caches.
const LOADS: [(&str, &str); 3] = [("app", "app.js"), ("parts", "parts.js"), ("code", "app_bg.wasm")];

/// The page. Its links are absolute: it is served at every path of the studio. For a link to a design, the server replaces what is
/// between the marks. The studio removes all of it (`browser::uncover`).
fn html(hash: &str, icons: &[String]) -> String {
    let icon = icons
        .iter()
        .find(|name| name.starts_with("favicon"))
        .or_else(|| icons.iter().find(|name| icon_type(name).is_some()))
        .map_or("data:,".to_owned(), |name| format!("/icons/{name}"));
    let assets = format!("/assets/{hash}");
    let loads: String =
        LOADS.iter().map(|(name, file)| format!(" data-{name}=\"{assets}/{file}\"")).collect();
    format!(
        r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="Crosspoint: the wiring of cluster interconnects">
<title>Crosspoint</title>
<link rel="icon" href="{icon}">
<link rel="manifest" href="/manifest.webmanifest">
<script src="{assets}/theme.js"></script>
<link rel="stylesheet" href="{assets}/studio.css">
<script type="module" src="{assets}/boot.js"{loads}></script>
</head>
<body>
<div id="boot">
<!--first-->
<header class="bar"><p class="brand"><a href="/">Crosspoint</a></p></header>
<main class="page first gallery">
<p class="claim">Cable your cluster so that any two nodes that talk share a switch.</p>
</main>
<!--/first-->
<p id="boot-state" role="status">Loading the studio …</p>
<noscript><p>The studio needs JavaScript and WebAssembly.
The command line works without them: <code>crosspoint --help</code>.</p></noscript>
</div>
</body>
</html>
"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_no_inline_script_or_style() {
        let page = html("abc", &["favicon.svg".to_owned()]);
        assert!(page.contains(r#"src="/assets/abc/boot.js""#), "{page}");
        assert!(!page.contains("<style") && !page.contains(" style=") && !page.contains(" on"), "{page}");
        assert!(page.contains(r#"href="/icons/favicon.svg""#));
    }

    #[test]
    fn the_manifest_lists_only_pictures() {
        let text = manifest(&["a.svg".to_owned(), "LICENSE".to_owned()]);
        assert!(text.contains("/icons/a.svg") && !text.contains("LICENSE"), "{text}");
    }
}
