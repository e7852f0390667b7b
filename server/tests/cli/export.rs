use crate::program::{folder, kasy0, kasy0_wiring, names, program, run};
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
    assert_eq!(export(folder.path(), &["--format", "script", "-o", "SCRIPTS.TAR"]).code, 0);
    let archive = std::fs::read(folder.path().join("scripts.tar")).unwrap();
    assert!(archive == std::fs::read(folder.path().join("SCRIPTS.TAR")).unwrap());
    let piped = program(folder.path())
        .args(["export", "--format", "script", "-o", "-"])
        .args([kasy0(), kasy0_wiring()])
        .output();
    assert!(archive == piped.unwrap().stdout);
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
        (&["--format", "wiring", "-o", "."], "is a folder"),
        (&["--format", "script", "-o", "x.tar.gz"], "ends in .tar"),
        (&["--format", "script", "-o", "x.TGZ"], "ends in .tar"),
        (&["--format", "script", "-o", "x.zip"], "ends in .tar"),
    ] {
        let ran = export(folder.path(), rest);
        assert_eq!(ran.code, 2, "{rest:?}");
        assert!(ran.err.contains(told), "{rest:?}: {}", ran.err);
        assert_eq!(names(folder.path()), [""; 0], "{rest:?}");
        assert_eq!(ran.err.matches("there is no").count(), usize::from(ran.err.contains("there is no")));
    }
    assert_eq!(run(folder.path(), &["export", "--format", "wiring"]).code, 2);
    assert_eq!(run(folder.path(), &["export", "--format", "spec"]).code, 2);
}

#[test]
fn a_spec_is_exported_without_a_wiring() {
    let folder = folder(&[]);
    let alone = run(folder.path(), &["export".into(), kasy0(), "--format".into(), "spec".into()]);
    assert_eq!(alone.code, 0, "{}", alone.err);
    assert_eq!(alone.out, export(folder.path(), &["--format", "spec"]).out);
    let ran = run(folder.path(), &["export".into(), kasy0(), "--format".into(), "cables".into()]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("SPEC DESIGN --format cables"), "{}", ran.err);
}

#[cfg(unix)]
#[test]
fn what_is_cut_short_leaves_the_file_as_it_was() {
    use crate::program::run_on_full_disk;
    let folder = folder(&[("old.csv", b"old")]);
    let arguments = |format: &str, place: &str| -> Vec<OsString> {
        let rest = ["--format", format, "-o", place].map(Into::into);
        ["export".into(), kasy0().into(), kasy0_wiring().into()].into_iter().chain(rest).collect()
    };
    for (format, place) in [("cables", "old.csv"), ("cables", "new.csv"), ("script", "new.tar")] {
        let ran = run_on_full_disk(folder.path(), &arguments(format, place));
        assert_eq!(ran.code, 2);
        assert!(ran.err.contains(&format!("{place} cannot be written: ")), "{}", ran.err);
        assert_eq!(ran.err.matches("os error").count(), 1, "{}", ran.err);
    }
    assert_eq!(names(folder.path()), ["old.csv"]);
    assert_eq!(std::fs::read(folder.path().join("old.csv")).unwrap(), b"old");
    let ran = run_on_full_disk(folder.path(), &arguments("script", "scripts"));
    assert!(ran.err.contains("scripts has got 0 of 128 files: "), "{}", ran.err);
    assert_eq!(names(&folder.path().join("scripts")), [""; 0]);
}

#[cfg(unix)]
#[test]
fn a_file_keeps_its_permissions_and_a_link_its_target() {
    use std::{fs, os::unix::fs::PermissionsExt};
    let folder = folder(&[("real.txt", b"old")]);
    let (real, link) = (folder.path().join("real.txt"), folder.path().join("link.txt"));
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("real.txt", &link).unwrap();
    assert_eq!(export(folder.path(), &["--format", "wiring", "-o", "link.txt"]).code, 0);
    assert!(link.is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap().lines().count(), 17);
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    for device in ["/dev/null", "/dev/stdout"] {
        assert_eq!(export(folder.path(), &["--format", "wiring", "-o", device]).code, 0, "{device}");
    }
}
