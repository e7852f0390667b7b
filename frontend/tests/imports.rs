//! Imports between the source files: they follow the order in `lib.rs`, no files import each other in a circle, and pages do not
//! import other pages.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// A module by its path below the crate, such as `["state", "board"]`.
type Module = Vec<String>;

/// The imports of every source file but `lib.rs` and `main.rs`.
fn imports() -> BTreeMap<Module, BTreeSet<Module>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    collect(&root, &mut files);
    let module = |file: &PathBuf| {
        let path = file.strip_prefix(&root).unwrap().with_extension("");
        path.iter().map(|part| part.to_str().unwrap().to_owned()).collect::<Module>()
    };
    let sources: BTreeMap<Module, String> = files
        .iter()
        .map(|file| (module(file), fs::read_to_string(file).unwrap()))
        .filter(|(module, _)| !matches!(module[..], [ref only] if only == "lib" || only == "main"))
        .collect();
    let used = |(module, source): (&Module, &String)| {
        let paths = paths(source, module, &sources).into_iter();
        let files = paths.filter_map(|path| {
            (1..=path.len()).rev().map(|n| path[..n].to_vec()).find(|prefix| sources.contains_key(prefix))
        });
        (module.clone(), files.filter(|file| file != module).collect())
    };
    sources.iter().map(used).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}

/// All paths in a source that begin at the crate, at a parent or at a child, as paths from the crate on. Tests do not count.
fn paths(source: &str, module: &Module, sources: &BTreeMap<Module, String>) -> Vec<Module> {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    let code: String = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let children = sources.keys().filter(|m| m.len() == module.len() + 1 && m.starts_with(module));
    let children: Vec<&str> = children.map(|m| m[module.len()].as_str()).collect();
    let starts = ["crate", "super"].into_iter().chain(children);
    let mut found = Vec::new();
    for start in starts {
        for (at, _) in code.match_indices(&format!("{start}::")) {
            let before = code[..at].chars().next_back();
            let inside = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
            if !before.is_some_and(inside) {
                tree(&code[at..], &mut Vec::new(), &mut found);
            }
        }
    }
    found.into_iter().map(|path| absolute(path, module)).collect()
}

/// Reads a path or a tree of paths in braces; returns the rest of the text.
fn tree<'a>(mut text: &'a str, prefix: &mut Module, found: &mut Vec<Module>) -> &'a str {
    let depth = prefix.len();
    loop {
        text = text.trim_start();
        if let Some(inner) = text.strip_prefix('{') {
            text = inner;
            loop {
                text = tree(text, prefix, found).trim_start();
                match text.strip_prefix(',') {
                    Some(rest) if !rest.trim_start().starts_with('}') => text = rest,
                    Some(rest) => text = rest.trim_start(),
                    None => break,
                }
                if text.starts_with('}') {
                    break;
                }
            }
            text = text.strip_prefix('}').unwrap_or(text);
            break;
        }
        let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
        if end == 0 {
            found.push(prefix.clone());
            break;
        }
        prefix.push(text[..end].into());
        text = &text[end..];
        match text.strip_prefix("::") {
            Some(rest) => text = rest,
            None => {
                found.push(prefix.clone());
                break;
            }
        }
    }
    prefix.truncate(depth);
    text
}

fn absolute(path: Module, module: &Module) -> Module {
    let mut base = module.clone();
    let mut rest = path.into_iter().peekable();
    if rest.next_if(|part| part == "crate").is_some() {
        base.clear();
    }
    while rest.next_if(|part| part == "super").is_some() {
        base.pop();
    }
    base.into_iter().chain(rest).collect()
}

/// The first circle that is reached from a module, if there is one.
fn circle(
    at: &Module,
    imports: &BTreeMap<Module, BTreeSet<Module>>,
    way: &mut Vec<Module>,
    done: &mut BTreeSet<Module>,
) -> Option<String> {
    if let Some(start) = way.iter().position(|module| module == at) {
        let names = way[start..].iter().chain([at]).map(|module| module.join("/"));
        return Some(names.collect::<Vec<_>>().join(" → "));
    }
    if !done.insert(at.clone()) {
        return None;
    }
    way.push(at.clone());
    let found = imports[at].iter().find_map(|next| circle(next, imports, way, done));
    way.pop();
    found
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let imports = imports();
    let mut done = BTreeSet::new();
    let circles: Vec<String> =
        imports.keys().filter_map(|module| circle(module, &imports, &mut Vec::new(), &mut done)).collect();
    assert!(circles.is_empty(), "{circles:#?}");
}

#[test]
fn pages_do_not_import_other_pages() {
    let page = |module: &Module| (module[0] == "pages").then(|| module.get(1).cloned());
    for (module, used) in imports() {
        let Some(own) = page(&module) else { continue };
        let others: Vec<_> =
            used.iter().filter(|used| page(used).is_some_and(|other| other != own)).collect();
        assert!(others.is_empty(), "{} imports {others:?}", module.join("/"));
    }
}

#[test]
fn modules_use_those_above_them_in_the_order_of_lib() {
    let lib = include_str!("../src/lib.rs");
    let rows = lib.lines().filter_map(|line| line.strip_prefix("//! | ")?.split('`').nth(1));
    let order: Vec<&str> = rows.collect();
    let place = |module: &Module| {
        let found = order.iter().position(|name| *name == module[0]);
        found.unwrap_or_else(|| panic!("lib.rs does not list {}", module[0]))
    };
    for (module, used) in imports() {
        for used in used {
            assert!(place(&used) <= place(&module), "{} uses {}", module.join("/"), used.join("/"));
        }
    }
}
