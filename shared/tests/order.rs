//! Modules of a crate use only those above them in the table of its `lib.rs`, and no files of any crate use each other in a circle.

#![expect(clippy::disallowed_methods, reason = "the source files are the subject of this test")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Names of the modules that lead to a file from the root of its crate; none for the root.
type Module = Vec<String>;

#[test]
fn modules_use_only_those_above_them() {
    // The compiler keeps the order of the crates.
    for room in ["spec", "network", "work"] {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(room).join("src");
        let library = fs::read_to_string(source.join("lib.rs")).unwrap();
        let listed = |line: &str| Some(line.strip_prefix("//! | [`")?.split_once("`]")?.0.to_string());
        let order: Vec<String> = library.lines().filter_map(listed).collect();
        let declared = |line: &str| Some(line.strip_prefix("pub mod ")?.strip_suffix(';')?.to_string());
        let mut modules: Vec<String> = library.lines().filter_map(declared).collect();
        let mut sorted = order.clone();
        modules.sort();
        sorted.sort();
        assert_eq!(modules, sorted, "the table of {room} lists every module once");

        let place: BTreeMap<&String, usize> = order.iter().zip(0..).collect();
        let place_of = |path: &Module| path.first().and_then(|module| place.get(module));
        let files = modules_of(&source, &rust_files(&source));
        let known = files.keys().cloned().collect();
        let mut wrong = Vec::new();
        for (file, code) in &files {
            let Some(own) = place_of(file) else { continue };
            let used = paths(code, file, &known).into_iter().filter(|used| place_of(used) > Some(own));
            wrong.extend(used.map(|used| format!("{} uses {}", file.join("/"), used.join("::"))));
        }
        assert!(wrong.is_empty(), "{room}: {}", wrong.join("\n"));
    }
}

/// A file uses another if a `use` or a path in its code leads there. Two uses do not count: of a folder above or below, since
/// a parent declares and re-exports its children and they share its values through `super`; and in the tests of a file.
#[test]
fn no_files_use_each_other_in_a_circle() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut crates: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    let files = rust_files(top);
    let roots: BTreeSet<&Path> =
        files.iter().filter(|file| is_root(file)).filter_map(|file| file.parent()).collect();
    for file in &files {
        if let Some(root) = file.ancestors().find(|folder| roots.contains(folder)) {
            crates.entry(root.to_path_buf()).or_default().push(file.clone());
        }
    }
    for room in [
        "shared/src",
        "shared/spec/src",
        "shared/exports/src",
        "server/src",
        "server/search/src",
        "server/simulate/src",
        "frontend/src",
        "e2e/src",
    ] {
        assert!(crates.contains_key(&top.join(room)), "{room}");
    }
    let found: Vec<String> = crates
        .iter()
        .flat_map(|(root, files)| {
            let name = root.strip_prefix(top).unwrap().display();
            circles(&modules_of(root, files)).into_iter().map(move |files| format!("{name}: {files}"))
        })
        .collect();
    assert_eq!(found, Vec::<String>::new());
}

/// `true` for the first file of a crate.
fn is_root(file: &Path) -> bool {
    ["lib.rs", "main.rs", "all.rs"].iter().any(|name| file.ends_with(name))
}

/// The files of each circle.
fn circles(files: &BTreeMap<Module, String>) -> Vec<String> {
    let known: BTreeSet<Module> = files.keys().cloned().collect();
    let uses = |(file, code): (&Module, &String)| {
        let used = paths(code, file, &known).into_iter().filter_map(|path| file_of(&path, &known));
        let apart: BTreeSet<Module> =
            used.filter(|used| !used.starts_with(file) && !file.starts_with(used)).collect();
        (file.clone(), apart)
    };
    let uses: BTreeMap<Module, BTreeSet<Module>> = files.iter().map(uses).collect();
    let reach = |from: &Module| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(file) = next.pop() {
            next.extend(uses[file].iter().filter(|used| seen.insert((*used).clone())));
        }
        seen
    };
    let reach: BTreeMap<&Module, BTreeSet<Module>> = uses.keys().map(|file| (file, reach(file))).collect();
    let circle = |file: &&Module| {
        let circle: BTreeSet<String> =
            reach[*file].iter().filter(|other| reach[other].contains(*file)).map(|f| f.join("/")).collect();
        circle.into_iter().collect::<Vec<_>>().join(", ")
    };
    let circles: BTreeSet<String> = uses.keys().collect::<Vec<_>>().iter().map(circle).collect();
    circles.into_iter().filter(|files| !files.is_empty()).collect()
}

/// The file that a path leads to: the longest part of it that is a file.
fn file_of(path: &Module, known: &BTreeSet<Module>) -> Option<Module> {
    (0..=path.len()).rev().map(|end| path[..end].to_vec()).find(|path| known.contains(path))
}

/// All Rust files below a folder, without what is built.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        match path.is_dir() {
            true if name == "target" || name.starts_with('.') => {}
            true => files.extend(rust_files(&path)),
            false if name.ends_with(".rs") => files.push(path),
            false => {}
        }
    }
    files
}

/// The code of each file without comments and tests.
fn modules_of(root: &Path, files: &[PathBuf]) -> BTreeMap<Module, String> {
    let mut modules = BTreeMap::<Module, String>::new();
    for file in files {
        let inside = file.strip_prefix(root).unwrap().with_extension("");
        let mut module: Module = inside.iter().map(|part| part.to_str().unwrap().to_string()).collect();
        if is_root(file) || file.ends_with("mod.rs") {
            module.pop();
        }
        let text = fs::read_to_string(file).unwrap();
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
        modules.entry(module).or_default().extend(code.flat_map(|line| [line, "\n"]));
    }
    modules
}

/// Paths from the root of a crate that the `use` lines and the code of a file name.
fn paths(code: &str, file: &Module, known: &BTreeSet<Module>) -> BTreeSet<Module> {
    let (mut found, mut rest, mut imported) = (BTreeSet::new(), String::new(), BTreeMap::new());
    let mut pieces = code.split("use ");
    rest.extend(pieces.next());
    for piece in pieces {
        let starts = rest.rsplit('\n').next().is_some_and(|before| {
            let before = before.trim();
            before.is_empty() || before.starts_with("pub")
        });
        let (tree, after) = piece.split_once(';').filter(|_| starts).unwrap_or(("", piece));
        for path in expanded(&tree.replace(" as ", "@").split_whitespace().collect::<String>()) {
            let (path, name) = path.split_once('@').unwrap_or((&path, ""));
            let Some(path) = absolute(path, file, &imported) else { continue };
            if let Some(last) = path.last().filter(|_| known.contains(&path)) {
                let name = if name.is_empty() { last } else { name };
                imported.insert(name.to_string(), path.clone());
            }
            found.insert(path);
        }
        rest.push_str(after);
    }
    let words = rest.split(|c: char| !c.is_alphanumeric() && !"_:".contains(c));
    let inline = words.map(|word| word.trim_end_matches(':')).filter(|word| word.contains("::"));
    found.extend(inline.filter_map(|path| absolute(path, file, &imported)));
    found
}

/// A path from the root of the crate; `None` if it begins in another crate.
fn absolute(path: &str, file: &Module, imported: &BTreeMap<String, Module>) -> Option<Module> {
    let mut parts = path.split("::").peekable();
    let mut from = match *parts.peek()? {
        "crate" => Module::new(),
        "self" | "super" => file.clone(),
        name => {
            let module = imported.get(name)?.clone();
            parts.next();
            module
        }
    };
    for part in parts {
        match part {
            "crate" | "self" => {}
            "super" => _ = from.pop(),
            _ => from.push(part.to_string()),
        }
    }
    Some(from)
}

/// The paths of a `use` tree, without its braces.
fn expanded(tree: &str) -> Vec<String> {
    let Some((prefix, list)) = tree.split_once('{') else {
        // A list may end with a comma.
        return if tree.is_empty() { Vec::new() } else { vec![tree.to_string()] };
    };
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
    let module = |path: &str| path.split('/').map(String::from).collect::<Module>();
    let known: BTreeSet<Module> = ["e/f", "e/g", "j", "l"].map(module).into();
    let code = "pub use super::{g::{self, H}, super::i};\nuse crate::j as k;\nuse crate::{\n    l,\n    m,\n};\n\
                use std::fmt;\nlet x = crate::n::o(k::p(l::Q::new(fmt::r)), super::s::<T>);";
    let paths: Vec<String> = paths(code, &module("e/f"), &known).iter().map(|path| path.join("::")).collect();
    let expected = ["e::g", "e::g::H", "e::s", "i", "j", "j::p", "l", "l::Q::new", "m", "n::o"];
    assert_eq!(paths, expected);
    let files = [("a", "use crate::b;"), ("b", "fn f() { super::a::g() }"), ("c", "use crate::{a, b};")];
    let files = files.map(|(file, code)| (module(file), code.to_string())).into();
    assert_eq!(circles(&files), ["a, b"]);
}
