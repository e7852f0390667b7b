//! Modules use only those above them in the table of `lib.rs`.

#![expect(clippy::disallowed_methods, reason = "the source files are the subject of this test")]

use std::{
    collections::BTreeMap,
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

#[test]
fn uses_are_found_in_every_notation() {
    let code = "use crate::{\n    a::{b, c},\n    d,\n};\nlet x = crate::e::f; use super::super::g;";
    assert_eq!(names_after(code, "crate::"), ["a", "d", "e"]);
    assert_eq!(names_after(code, &"super::".repeat(2)), ["g"]);
}
