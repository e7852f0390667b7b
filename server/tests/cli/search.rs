use crate::program::{SMALL, folder, kasy0, names, program, run, run_interrupted, run_on_full_disk};
use std::{
    io::Write,
    process::{Command, Stdio},
};

/// KASY0 with narrower switches than anybody has solved it with, though no bound forbids them.
pub fn hard() -> String {
    let text = std::fs::read_to_string(kasy0()).unwrap();
    text.replace("ports = 24", "ports = 12").replace("reserve = 1", "reserve = 0")
}

#[test]
fn a_wiring_that_is_found_checks() {
    let folder = folder(&[]);
    let ran = run(folder.path(), &["search".into(), kasy0(), "-o".into(), "kasy0.txt".into()]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
    assert!(ran.err.contains("all 1,536 requested pairs are covered"), "{}", ran.err);
    assert_eq!(run(folder.path(), &["check".into(), kasy0(), "kasy0.txt".into()]).code, 0);
}

#[test]
fn the_table_goes_to_standard_output() {
    let folder = folder(&[("spec.toml", SMALL.as_bytes())]);
    let ran = run(folder.path(), &["search", "spec.toml", "--seconds", "5"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "0: 0 1 2 3\n"), "{}", ran.err);
}

#[test]
fn every_bad_flag_is_named_with_its_range() {
    let folder = folder(&[("spec.toml", SMALL.as_bytes())]);
    let search = |more: &[&str]| run(folder.path(), &[&["search", "spec.toml"], more].concat());
    let ran = search(&["--seconds", "2e9", "--seed", "-1", "--threads", "257"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
    for told in [
        "--seconds: must be a number from 0.001 to 1,000,000,000, not 2e9.\n",
        "--seed: must be a whole number from 0 to 18,446,744,073,709,551,615, not -1.\n",
        "--threads: must be a whole number from 1 to 256, not 257.\n",
    ] {
        assert!(ran.err.contains(told), "{told}: {}", ran.err);
    }
    let empty = search(&["--effort", ""]);
    assert!(
        empty.code == 2 && empty.err.contains("--effort: missing; it must be a whole number"),
        "{}",
        empty.err
    );
    // More than a studio accepts.
    let wide = search(&["--seconds", "1e9", "--threads", "256"]);
    assert_eq!((wide.code, wide.out.as_str()), (0, "0: 0 1 2 3\n"), "{}", wide.err);
}

#[test]
fn a_wiring_that_meets_its_bounds_is_called_optimal() {
    let folder = folder(&[("spec.toml", SMALL.as_bytes())]);
    let ran = run(folder.path(), &["search", "spec.toml", "--effort", "1"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("fullest switch: 4 ports; at least 4: optimal (node 0 has "), "{}", ran.err);
    assert!(ran.err.contains("switches: 1 switch; at least 1: optimal ("), "{}", ran.err);
}

/// Two switches for a circle of six: two pairs must go, and the light ones do.
#[test]
fn a_fractional_wiring_is_an_answer_with_what_it_leaves_out() {
    let text = "pes = 6\nnis_per_pe = 1\nobjective = \"fractional\"\n[[switch]]\nports = 3\n\
                [[pattern]]\nkind = \"matrix\"\npairs = [[0, 1, 4], [1, 2, 4], [2, 3, 1], [3, 4, 4], [4, 5, 4], [0, 5, 0.5]]\n";
    let folder = folder(&[("spec.toml", text.as_bytes())]);
    let ran = run(folder.path(), &["search", "spec.toml", "--effort", "1", "-o", "wiring.txt"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for told in [
        "covers 91.43 % of the traffic weight: 16 of 17.5\n",
        "2 of 6 requested pairs are uncovered, heaviest first:\n  2 3  weight 1: matrix of 6 pairs\n  0 5  weight 0.5: ",
    ] {
        assert!(ran.err.contains(told), "{told}: {}", ran.err);
    }
    assert!(!ran.err.contains("advice: "), "{}", ran.err);
    assert_eq!(run(folder.path(), &["check", "spec.toml", "wiring.txt"]).code, 1);
}

#[test]
fn what_is_left_uncovered_is_told_and_the_best_written() {
    let folder = folder(&[("hard.toml", hard().as_bytes())]);
    let arguments = ["search", "hard.toml", "--effort", "2", "--seed", "5", "--threads", "2"];
    let first = run(folder.path(), &arguments);
    assert_eq!(first.code, 1, "{}", first.err);
    assert!(first.err.contains("of 1,536 requested pairs are uncovered"), "{}", first.err);
    assert!(first.err.contains("advice: "), "{}", first.err);
    assert!(first.err.contains("\nfound by "), "{}", first.err);
    let bounds: Vec<&str> = first.err.lines().filter(|line| line.contains("; at least ")).collect();
    assert_eq!(bounds.len(), 2, "{}", first.err);
    assert!(
        bounds[0].starts_with(
            "fullest switch: 12 ports; at least 10 to serve every pair, which this wiring does not"
        ),
        "{bounds:?}"
    );
    assert!(bounds[1].starts_with("switches: 32 switches; at least "), "{bounds:?}");
    let listed =
        first.err.lines().filter(|l| l.starts_with("  ") && !l.contains('s') && !l.contains('e')).count();
    assert!(listed <= 20, "{listed}: {}", first.err);
    assert_eq!(first.out.lines().count(), 32);
    assert_eq!(run(folder.path(), &arguments).out, first.out, "same seed, effort and threads");
    std::fs::write(folder.path().join("best.txt"), &first.out).unwrap();
    let checked = run(folder.path(), &["check", "hard.toml", "best.txt"]);
    assert_eq!(checked.code, 1);
    assert!(!checked.out.contains("broken rule"), "{}", checked.out);
}

#[test]
fn the_impossible_is_refused_with_its_bound() {
    let text = std::fs::read_to_string(kasy0()).unwrap().replace("ports = 24", "ports = 5");
    let folder = folder(&[("narrow.toml", text.as_bytes())]);
    let ran = run(folder.path(), &["search", "narrow.toml", "-o", "never.txt"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("this hardware cannot serve the demand"), "{}", ran.err);
    assert!(!folder.path().join("never.txt").exists());
}

#[test]
fn a_place_that_cannot_be_written_is_told_before_the_search() {
    let folder = folder(&[("hard.toml", hard().as_bytes())]);
    let ran = run(folder.path(), &["search", "hard.toml", "--seconds", "600", "-o", "missing/out.txt"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("missing/out.txt"), "{}", ran.err);
    let ran = run(folder.path(), &["search", "hard.toml", "--seconds", "600", "-o", "."]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("is a folder"), "{}", ran.err);
    assert_eq!(names(folder.path()), ["hard.toml"]);
}

#[cfg(unix)]
#[test]
fn a_full_disk_loses_no_wiring() {
    let folder = folder(&[("old.txt", b"old")]);
    let arguments = ["search".into(), kasy0(), "--seed".into(), "3".into(), "-o".into(), "old.txt".into()];
    let ran = run_on_full_disk(folder.path(), &arguments);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("old.txt cannot be written: "), "{}", ran.err);
    assert!(ran.err.contains("writing the wiring to standard output instead"), "{}", ran.err);
    assert!(
        ran.err.contains(" cannot be written: File too large") && !ran.err.contains("os error"),
        "{}",
        ran.err
    );
    assert_eq!(names(folder.path()), ["old.txt"]);
    assert_eq!(std::fs::read(folder.path().join("old.txt")).unwrap(), b"old");
    std::fs::write(folder.path().join("old.txt"), &ran.out).unwrap();
    assert_eq!(run(folder.path(), &["check".into(), kasy0(), "old.txt".into()]).code, 0);
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_best_so_far() {
    let folder = folder(&[("hard.toml", hard().as_bytes())]);
    let mut command = program(folder.path());
    command.args(["search", "hard.toml", "--seconds", "600"]);
    let ran = run_interrupted(command, "uncovered");
    assert_eq!((ran.code, ran.out.lines().count()), (1, 32));
}

/// The matrix is a pipe, so that the program waits in the middle of reading its input.
#[cfg(unix)]
#[test]
fn ctrl_c_before_the_search_starts_is_no_end_either() {
    let spec = SMALL.replace("universal", "sparse") + "[[pattern]]\nkind = \"matrix\"\nfile = \"pairs\"\n";
    let folder = folder(&[("spec.toml", spec.as_bytes())]);
    let pipe = folder.path().join("pairs");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut command = program(folder.path());
    command.args(["search", "spec.toml"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let mut matrix = std::fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    matrix.write_all(b"0 1 1\n2 3 1\n").unwrap();
    drop(matrix);
    let output = child.wait_with_output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    assert!(output.stdout.starts_with(b"0:"), "{output:?}");
}
