//! Modules use only those above them in the table of `lib.rs`, and no files use each other in a circle.

#![expect(clippy::disallowed_methods, reason = "the source files are the subject of this test")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

#[test]
fn modules_use_only_those_above_them() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let library = fs::read_to_string(source.join("lib.rs")).unwrap();
    let listed = |line: &str| Some(line.strip_prefix("//! | [`")?.split_once("`]")?.0.to_string());
    let order: Vec<String> = library.lines().filter_map(listed).collect();
    let declared = |line: &str| Some(line.strip_prefix("pub mod ")?.strip_suffix(';')?.to_string());
    let mut modules: Vec<String> = library.lines().filter_map(declared).collect();
    let mut sorted = order.clone();
    modules.sort();
    sorted.sort();
    assert_eq!(modules, sorted, "the table lists every module once");

    let place: BTreeMap<&str, usize> = order.iter().map(String::as_str).zip(0..).collect();
    let mut wrong = Vec::new();
    for file in rust_files(&source) {
        let inside = file.strip_prefix(&source).unwrap();
        let module = inside.components().next().unwrap().as_os_str().to_str().unwrap();
        let Some(&own) = place.get(module.trim_end_matches(".rs")) else { continue };
        let depth = inside.components().count() - usize::from(inside.ends_with("mod.rs"));
        let code = without_comments(&fs::read_to_string(&file).unwrap());
        for prefix in ["crate::".to_string(), "super::".repeat(depth)] {
            for used in names_after(&code, &prefix) {
                if place.get(used.as_str()).is_some_and(|&used| used > own) {
                    wrong.push(format!("{} uses {used}", inside.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.extend(rust_files(&path)),
            false if path.extension().is_some_and(|end| end == "rs") => files.push(path),
            false => {}
        }
    }
    files.sort();
    files
}

fn without_comments(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

/// The names that follow a prefix: one, or each first name of a list in braces.
fn names_after(code: &str, prefix: &str) -> Vec<String> {
    let first = |text: &str| {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>()
    };
    let mut names = Vec::new();
    for (at, _) in code.match_indices(prefix) {
        let rest = &code[at + prefix.len()..];
        let Some(list) = rest.strip_prefix('{') else {
            names.push(first(rest));
            continue;
        };
        let (mut depth, mut start) = (0, 0);
        for (i, c) in list.char_indices() {
            match c {
                '{' => depth += 1,
                ',' if depth == 0 => {
                    names.push(first(&list[start..i]));
                    start = i + 1;
                }
                '}' if depth == 0 => {
                    names.push(first(&list[start..i]));
                    break;
                }
                '}' => depth -= 1,
                _ => {}
            }
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// Files may name values of the folder above through `super`; other uses must not lead back.
#[test]
fn no_files_use_each_other_in_a_circle() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let modules: BTreeMap<Vec<String>, String> = rust_files(&source)
        .into_iter()
        .map(|file| {
            let inside = file.strip_prefix(&source).unwrap().with_extension("");
            let path = inside.iter().map(|part| part.to_str().unwrap().to_string()).collect();
            (path, without_comments(&fs::read_to_string(&file).unwrap()))
        })
        .collect();
    let uses = |(module, code): (&Vec<String>, &String)| {
        let used = used_paths(code, module).into_iter().filter_map(|path| {
            let known = (1..=path.len()).rev().map(|end| path[..end].to_vec());
            known.into_iter().find(|path| modules.contains_key(path))
        });
        let apart = used.filter(|used| !used.starts_with(module) && !module.starts_with(used)).collect();
        (module.clone(), apart)
    };
    let mut left: BTreeMap<Vec<String>, BTreeSet<Vec<String>>> = modules.iter().map(uses).collect();
    // Files that use none of those left are in no circle, and nor are files that none of those left use.
    loop {
        let used: BTreeSet<_> = left.values().flatten().cloned().collect();
        let before = left.len();
        let names: BTreeSet<_> = left.keys().cloned().collect();
        left.retain(|module, uses| used.contains(module) && uses.iter().any(|used| names.contains(used)));
        if left.len() == before {
            break;
        }
    }
    let circles: Vec<String> = left
        .iter()
        .map(|(module, uses)| {
            let uses = uses.iter().filter(|used| left.contains_key(*used)).map(|used| used.join("/"));
            format!("{} uses {}", module.join("/"), uses.collect::<Vec<_>>().join(", "))
        })
        .collect();
    assert!(circles.is_empty(), "{}", circles.join("\n"));
}

/// Paths from the crate's root of everything that a module's `use` lines name.
fn used_paths(code: &str, module: &[String]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("use ") {
        let Some((tree, _)) = code[at + 4..].split_once(';') else { continue };
        for path in expanded(&tree.split_whitespace().collect::<String>()) {
            let mut parts = path.split("::").map(String::from).peekable();
            let mut from: Vec<String> = match parts.peek().map(String::as_str) {
                Some("crate") => Vec::new(),
                Some("super" | "self") => module.to_vec(),
                _ => continue,
            };
            for part in parts {
                match part.as_str() {
                    "crate" | "self" => {}
                    "super" => _ = from.pop(),
                    _ => from.push(part),
                }
            }
            found.push(from);
        }
    }
    found
}

/// The paths of a `use` tree, without its braces.
fn expanded(tree: &str) -> Vec<String> {
    let Some((prefix, list)) = tree.split_once('{') else { return vec![tree.to_string()] };
    let (mut depth, mut start, mut paths) = (0, 0, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            ',' | '}' if depth == 0 => {
                paths.extend(expanded(&list[start..at]).into_iter().map(|path| format!("{prefix}{path}")));
                start = at + 1;
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    paths
}

#[test]
fn uses_are_found_in_every_notation() {
    let code = "use crate::{\n    a::{b, c},\n    d,\n};\nlet x = crate::e::f; use super::super::g;";
    assert_eq!(names_after(code, "crate::"), ["a", "d", "e"]);
    assert_eq!(names_after(code, &"super::".repeat(2)), ["g"]);
    let module = ["e".to_string(), "f".to_string()];
    let paths =
        used_paths("pub use super::{g::{self, H}, super::i};\nuse crate::j as k; use std::fmt;", &module);
    let paths: Vec<String> = paths.iter().map(|path| path.join("::")).collect();
    assert_eq!(paths, ["e::g", "e::g::H", "i", "jask"]);
}
