//! The fingerprint of the bundle's inputs: over contents, not times, so that a fresh checkout of the same state needs no build.

use crate::files_under;
use anyhow::Result;
use sha2::{Digest, Sha256};
use std::{fs, path::Path};

/// The inputs: files and whole folders.
const INPUTS: [&str; 15] = [
    "Cargo.lock",
    "Cargo.toml",
    "assets/icons",
    "assets/specs",
    "assets/styles",
    "frontend/Cargo.toml",
    "frontend/bundle",
    "frontend/src",
    "shared/Cargo.toml",
    "shared/analysis",
    "shared/exports",
    "shared/network",
    "shared/spec",
    "shared/src",
    "shared/work",
];

/// A hash over all inputs and over choices such as compiler and profile.
pub fn fingerprint(root: &Path, choices: &[&str]) -> Result<String> {
    let mut hash = Sha256::new();
    for choice in choices {
        hash.update(choice);
        hash.update([0]);
    }
    for input in INPUTS {
        let path = root.join(input);
        if path.is_dir() {
            for file in files_under(&path)? {
                add(&mut hash, root, &file)?;
            }
        } else if path.exists() {
            add(&mut hash, root, &path)?;
        }
    }
    Ok(hex(&hash.finalize()))
}

/// Adds a file's name and content, each with its length, so that different trees never hash alike.
fn add(hash: &mut Sha256, root: &Path, file: &Path) -> Result<()> {
    let name = file.strip_prefix(root)?.to_string_lossy().into_owned();
    let content = fs::read(file)?;
    hash.update(name.len().to_le_bytes());
    hash.update(name);
    hash.update(content.len().to_le_bytes());
    hash.update(content);
    Ok(())
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(name: &str, files: &[(&str, &str)]) -> std::path::PathBuf {
        let root = std::env::temp_dir().join(format!("crosspoint-inputs-{}-{name}", std::process::id()));
        for (path, content) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        root
    }

    #[test]
    fn changes_with_content_name_and_choice_and_with_nothing_else() {
        let one = tree("one", &[("frontend/src/a.rs", "x"), ("elsewhere", "1")]);
        let same = tree("same", &[("frontend/src/a.rs", "x"), ("elsewhere", "2")]);
        let content = tree("content", &[("frontend/src/a.rs", "y")]);
        let renamed = tree("renamed", &[("frontend/src/b.rs", "x")]);
        let of = |root: &Path, choice| fingerprint(root, &[choice]).unwrap();
        assert_eq!(of(&one, "web"), of(&same, "web"));
        assert_ne!(of(&one, "web"), of(&one, "web-dev"));
        assert_ne!(of(&one, "web"), of(&content, "web"));
        assert_ne!(of(&one, "web"), of(&renamed, "web"));
        for root in [one, same, content, renamed] {
            fs::remove_dir_all(root).unwrap();
        }
    }
}
