use crate::program::{folder, program, run};
use server::store::StoredView;
use shared::api::{StartWork, WorkState};
use std::{path::Path, process::Output};

fn prune(data: &Path, more: &[&str]) -> Output {
    program(data).arg("prune").arg("--data").arg(data).args(more).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn ended_runs_are_counted_and_removed() {
    let folder = folder(&[]);
    let store = server::store::Store::open(folder.path()).unwrap();
    let spec = " ".repeat(3 << 20);
    for id in ["a", "b"] {
        let asked = StartWork { spec: Some(spec.clone()), ..StartWork::default() };
        let run = StoredView { id: id.into(), asked, version: "1".into(), ..StoredView::default() };
        store.add_work(&run, &Default::default(), None).unwrap();
        store.update_work(&StoredView { state: WorkState::Solved, ..run }, None).unwrap();
    }
    let in_use = prune(folder.path(), &[]);
    assert_eq!(in_use.status.code(), Some(2));
    assert!(text(&in_use.stderr).contains("another studio uses the data folder"), "{}", text(&in_use.stderr));
    drop(store);

    // A program that another test starts at this moment holds the folder until it runs.
    let free = || {
        let counted = prune(folder.path(), &["--keep-mib", "4", "--dry-run"]);
        (counted.status.code() == Some(0)).then_some(counted)
    };
    let counted = (0..50).find_map(|_| free()).expect("a free folder");
    let expected = "Would remove 1 search (3.0 MiB). 3.0 MiB of ended work stay.\n";
    assert_eq!(text(&counted.stdout), expected);
    let removed = prune(folder.path(), &["--keep-days", "0"]);
    assert_eq!(removed.status.code(), Some(0), "{}", text(&removed.stderr));
    let out = text(&removed.stdout);
    assert!(out.starts_with("Removed 2 searches (6.0 MiB)."), "{out}");
    assert!(out.ends_with(" MiB before, 0.1 MiB now\n"), "{out}");
}

#[test]
fn without_a_store_nothing_is_created() {
    let folder = folder(&[]);
    std::fs::write(folder.path().join("file"), "").unwrap();
    for arguments in [&["prune"][..], &["backup", "copy"]] {
        for (data, told) in [
            (
                "none",
                "crosspoint: none has no crosspoint.sqlite; give the studio's data folder with --data\n",
            ),
            ("file", "crosspoint: file is a file; choose a folder with --data\n"),
        ] {
            let ran = run(folder.path(), &[arguments, &["--data", data]].concat());
            assert_eq!((ran.code, &*ran.err), (2, told), "{arguments:?}");
        }
    }
    assert!(!folder.path().join("none").exists() && !folder.path().join("copy").exists());
}
