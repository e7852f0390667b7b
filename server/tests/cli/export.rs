use crate::program::{folder, kasy0, kasy0_wiring, run};
use std::{ffi::OsString, path::Path};

fn export(folder: &Path, rest: &[&str]) -> crate::program::Ran {
    let mut arguments: Vec<OsString> = vec!["export".into(), kasy0().into(), kasy0_wiring().into()];
    arguments.extend(rest.iter().map(Into::into));
    run(folder, &arguments)
}

#[test]
fn formats_are_listed_without_a_spec() {
    let folder = folder(&[]);
    let ran = run(folder.path(), &["export", "--format", "list"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for name in ["wiring", "spec", "cables", "labels", "hosts", "script"] {
        assert!(ran.out.lines().any(|line| line.starts_with(name)), "{name}: {}", ran.out);
    }
}

#[test]
fn one_file_goes_to_standard_output_or_where_it_is_told() {
    let folder = folder(&[]);
    let ran = export(folder.path(), &["--format", "wiring"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let to_file = export(folder.path(), &["--format", "wiring", "-o", "out.txt"]);
    assert_eq!((to_file.code, to_file.out.as_str()), (0, ""), "{}", to_file.err);
    assert_eq!(std::fs::read_to_string(folder.path().join("out.txt")).unwrap(), ran.out);
    assert_eq!(ran.out.lines().count(), 17);
}

#[test]
fn files_of_all_pes_go_to_a_folder_or_an_archive() {
    let folder = folder(&[]);
    let ran = export(folder.path(), &["--format", "script", "-o", "scripts"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let scripts = folder.path().join("scripts");
    assert_eq!(std::fs::read_dir(&scripts).unwrap().count(), 128);
    assert_eq!(export(folder.path(), &["--format", "script", "-o", "scripts.tar"]).code, 0);
    let mut archive = tar::Archive::new(std::fs::File::open(folder.path().join("scripts.tar")).unwrap());
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        assert_eq!(entry.header().mode().unwrap(), 0o755);
        let name = entry.path().unwrap().file_name().unwrap().to_owned();
        let mut content = Vec::new();
        std::io::Read::read_to_end(&mut entry, &mut content).unwrap();
        assert!(content == std::fs::read(scripts.join(&name)).unwrap(), "{name:?}");
    }
    let one = export(folder.path(), &["--format", "script", "--pe", "7"]);
    assert_eq!(one.out, std::fs::read_to_string(scripts.join("kasy0-script-pe007.sh")).unwrap());
}

#[test]
fn what_cannot_be_exported_says_why() {
    let folder = folder(&[]);
    for (rest, told) in [
        (&["--format", "nonsense"][..], "labels"),
        (&["--format", "hosts"], "--pe N"),
        (&["--format", "hosts", "--pe", "128"], "127"),
        (&["--format", "wiring", "-o", "missing/out.txt"], "missing/out.txt"),
    ] {
        let ran = export(folder.path(), rest);
        assert_eq!(ran.code, 2, "{rest:?}");
        assert!(ran.err.contains(told), "{rest:?}: {}", ran.err);
    }
    assert_eq!(run(folder.path(), &["export", "--format", "wiring"]).code, 2);
}
