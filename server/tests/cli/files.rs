//! Accepted and rejected input files.

use crate::program::{SMALL, folder, run, run_with};

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = folder(&[("spec.toml", SMALL.as_bytes()), ("binary", b"pes = 4\n\xff\xfe\n")]);
    let big = std::fs::File::create(folder.path().join("big")).unwrap();
    big.set_len(1 << 40).unwrap();
    for (path, told) in [
        ("missing.toml", "missing.toml cannot be read"),
        (".", "is a folder"),
        ("binary", "line 2"),
        ("big", "too large"),
        ("/dev/zero", "too large"),
    ] {
        for arguments in
            [["demand", path, "--pairs"], ["check", path, "spec.toml"], ["check", "spec.toml", path]]
        {
            if arguments[1] == "spec.toml" && path == "binary" {
                continue;
            }
            let ran = run(folder.path(), &arguments);
            assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{arguments:?}");
            assert!(ran.err.contains(path) && ran.err.contains(told), "{arguments:?}: {}", ran.err);
        }
    }
}

#[test]
fn every_fault_of_a_spec_is_named_at_once() {
    let spec = SMALL.replace("pes = 4", "pes = 0").replace("ports = 4", "ports = 1");
    let folder = folder(&[("spec.toml", spec.as_bytes())]);
    let ran = run(folder.path(), &["search", "spec.toml"]);
    assert_eq!(ran.code, 2);
    for told in ["spec.toml has errors", "pes: must be", "not 0. (line ", "switch[0].ports: must be"] {
        assert!(ran.err.contains(told), "{told}: {}", ran.err);
    }
}

#[test]
fn every_faulty_line_of_a_table_is_named() {
    let folder = folder(&[("spec.toml", SMALL.as_bytes()), ("wiring.txt", b"0: 9\n\nnonsense\n")]);
    let ran = run(folder.path(), &["check", "spec.toml", "wiring.txt"]);
    assert_eq!(ran.code, 2);
    for told in ["wiring.txt has errors", "line 1", "line 3"] {
        assert!(ran.err.contains(told), "{told}: {}", ran.err);
    }
}

#[test]
fn a_file_of_another_kind_is_named() {
    let folder =
        folder(&[("spec.toml", SMALL.as_bytes()), ("wiring.txt", b"0: 0 1 2 3\n"), ("text", b"a\nb c\n")]);
    for (arguments, told) in [
        (
            &["check", "wiring.txt", "spec.toml"][..],
            "wiring.txt is a wiring table, not a spec; the order is SPEC WIRING\n",
        ),
        (
            &["check", "spec.toml", "spec.toml"],
            "spec.toml is a spec, not a wiring table; the order is SPEC WIRING\n",
        ),
        (
            &["check", "spec.toml", "text"],
            "text has errors:\nline 1: is not a wiring table, whose lines are ",
        ),
        (&["compare", "spec.toml", "--prices", "spec.toml"], "spec.toml is a spec, not a market file\n"),
        (
            &["compare", "spec.toml", "--prices", "wiring.txt"],
            "wiring.txt is a wiring table, not a market file\n",
        ),
        (&["search", "wiring.txt"], "wiring.txt is a wiring table, not a spec\n"),
        (&["import", "wiring.txt"], "wiring.txt is a wiring table; it has no traffic\n"),
        (&["import", "spec.toml"], "spec.toml is a spec; it has no traffic\n"),
    ] {
        let ran = run(folder.path(), arguments);
        assert_eq!(ran.code, 2, "{arguments:?}");
        assert!(ran.err.starts_with(&format!("crosspoint: {told}")), "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn a_hyphen_is_standard_input_and_standard_output() {
    let folder = folder(&[("spec.toml", SMALL.as_bytes()), ("wiring.txt", b"0: 0 1 2 3\n")]);
    let found = run_with(SMALL, folder.path(), &["search", "-", "-o", "-"]);
    assert_eq!((found.code, found.out.as_str()), (0, "0: 0 1 2 3\n"), "{}", found.err);
    for arguments in [
        &["check", "spec.toml", "-"][..],
        &["analyze", "spec.toml", "-"],
        &["export", "spec.toml", "-", "--format", "cables", "-o", "-"],
    ] {
        let ran = run_with(&found.out, folder.path(), arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.err);
        let by_name: Vec<_> = arguments.iter().map(|&a| if a == "-" { "wiring.txt" } else { a }).collect();
        if arguments[0] != "export" {
            assert_eq!(ran.out, run(folder.path(), &by_name).out);
        }
        assert!(!ran.out.is_empty());
    }
    let pairs = run_with(SMALL, folder.path(), &["demand", "-", "--pairs"]);
    assert_eq!(pairs.out.lines().count(), 6);
    let faulty = run_with("pes = 0\n", folder.path(), &["demand", "-"]);
    assert!(faulty.err.contains("standard input has errors"), "{}", faulty.err);
    let twice = run_with(SMALL, folder.path(), &["check", "-", "-"]);
    assert_eq!(twice.code, 2);
    assert!(twice.err.contains("cannot both be standard input"), "{}", twice.err);
    assert_eq!(crate::program::names(folder.path()), ["spec.toml", "wiring.txt"]);
}

#[test]
fn an_output_never_replaces_an_input() {
    let wiring = "0: 0 1 2 3\n";
    let files =
        [("spec.toml", SMALL.as_bytes()), ("wiring.txt", wiring.as_bytes()), ("pairs.csv", b"0 1 5\n")];
    let folder = folder(&files);
    for arguments in [
        &["search", "spec.toml", "-o", "spec.toml"][..],
        &["search", "spec.toml", "-o", "./spec.toml"],
        &["export", "spec.toml", "wiring.txt", "--format", "svg", "-o", "wiring.txt"],
        &["export", "spec.toml", "wiring.txt", "--format", "wiring", "-o", "spec.toml"],
        &["import", "pairs.csv", "-o", "pairs.csv"],
        &["simulate", "spec.toml", "wiring.txt", "--traffic", "uniform", "-o", "wiring.txt"],
    ] {
        let ran = run(folder.path(), arguments);
        assert_eq!(ran.code, 2, "{arguments:?}");
        assert!(ran.err.ends_with(": this file is read; name another file\n"), "{arguments:?}: {}", ran.err);
    }
    for (name, content) in files {
        assert!(std::fs::read(folder.path().join(name)).unwrap() == content, "{name}");
    }
}

#[test]
fn an_empty_file_is_called_empty() {
    let folder = folder(&[("spec.toml", SMALL.as_bytes()), ("empty", b"\n")]);
    for (arguments, told) in [
        (["check", "spec.toml", "empty"], "empty is empty; give a wiring table"),
        (["check", "empty", "empty"], "empty is empty; give a spec"),
    ] {
        let ran = run(folder.path(), &arguments);
        assert!(ran.code == 2 && ran.err.contains(told), "{arguments:?}: {}", ran.err);
    }
}
