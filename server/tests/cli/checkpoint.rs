use crate::{
    program::{SMALL, folder, kill_once, names, program, run, run_interrupted, run_on_full_disk},
    search::hard,
};
use std::{path::Path, process::Stdio};
use tempfile::TempDir;

/// Long enough to be killed in the middle.
const LONG: &[&str] = &["search", "hard.toml", "--effort", "24", "--seed", "5", "--threads", "2"];
/// Ends with a checkpoint.
const SHORT: &[&str] = &["search", "hard.toml", "--effort", "8", "--seed", "5", "--threads", "2"];
const KEPT: &[&str] = &["--checkpoint", "it.checkpoint", "--checkpoint-every", "0.05"];

fn with_hard() -> TempDir {
    folder(&[("hard.toml", hard().as_bytes())])
}

fn and<'a>(first: &[&'a str], second: &[&'a str]) -> Vec<&'a str> {
    [first, second].concat()
}

/// A folder with a checkpoint in it, made by the short search.
fn with_checkpoint() -> TempDir {
    let folder = with_hard();
    let ran = run(folder.path(), &and(SHORT, KEPT));
    assert_eq!(ran.code, 1, "{}", ran.err);
    let told = "it.checkpoint: the same command with a larger --seconds or --effort resumes after ";
    assert!(ran.err.contains(told), "{}", ran.err);
    folder
}

/// Starts the long search and kills it without warning once there is a checkpoint.
fn kill_after_a_checkpoint(folder: &Path) {
    let mut command = program(folder);
    command.args(and(LONG, KEPT));
    kill_once(command, || folder.join("it.checkpoint").exists());
}

#[cfg(unix)]
#[test]
fn a_search_that_was_killed_comes_to_the_same_wiring() {
    let folder = with_hard();
    let whole = run(folder.path(), LONG);
    assert_eq!(whole.code, 1, "{}", whole.err);
    kill_after_a_checkpoint(folder.path());
    let rest = run(folder.path(), &and(LONG, KEPT));
    assert_eq!(rest.code, 1, "{}", rest.err);
    assert!(rest.err.contains("it.checkpoint: resuming after "), "{}", rest.err);
    assert_eq!(rest.out, whole.out);
    assert_eq!(names(folder.path()), ["hard.toml", "it.checkpoint"]);
}

#[test]
fn a_larger_effort_goes_on_with_what_has_ended() {
    let folder = with_checkpoint();
    let more = run(folder.path(), &and(LONG, KEPT));
    assert!(more.err.contains("it.checkpoint: resuming after "), "{}", more.err);
    assert_eq!(more.out, run(folder.path(), LONG).out);
}

#[test]
fn a_checkpoint_of_another_search_is_told_and_left() {
    let folder = with_checkpoint();
    let before = std::fs::read(folder.path().join("it.checkpoint")).unwrap();
    std::fs::write(folder.path().join("other.toml"), hard().replace("ports = 12", "ports = 13")).unwrap();
    let other = |what: &[&str]| {
        let ran = run(folder.path(), &and(what, &["--effort", "6", "--checkpoint", "it.checkpoint"]));
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
        assert!(ran.err.contains("it.checkpoint ") && ran.err.contains("to start again"), "{}", ran.err);
        assert!(!ran.err.contains("resuming"), "{}", ran.err);
        ran.err
    };
    let told = other(&["search", "hard.toml", "--seed", "6", "--threads", "2"]);
    assert!(told.contains("belongs to a search with seed 5, not 6; --seed 5 resumes it"), "{told}");
    let told = other(&["search", "hard.toml", "--seed", "5", "--threads", "3"]);
    assert!(told.contains("belongs to a search on 2 threads, not 3; --threads 2 resumes it"), "{told}");
    let told = other(&["search", "other.toml", "--seed", "5", "--threads", "2"]);
    assert!(
        told.contains("cannot be used for other.toml: the checkpoint belongs to another search"),
        "{told}"
    );
    let at = before.iter().position(|&b| b == b'\n').unwrap();
    let head = String::from_utf8(before[..at].to_vec()).unwrap().replace("int\":\"", "int\":\"9");
    std::fs::write(folder.path().join("it.checkpoint"), [head.as_bytes(), &before[at..]].concat()).unwrap();
    let told = other(&["search", "hard.toml", "--seed", "5", "--threads", "2"]);
    assert!(told.contains("was written by Crosspoint 9"), "{told}");
}

#[test]
fn a_damaged_checkpoint_is_told_and_left() {
    let folder = with_checkpoint();
    let path = folder.path().join("it.checkpoint");
    let whole = std::fs::read(&path).unwrap();
    let mut flipped = whole.clone();
    *flipped.last_mut().unwrap() ^= 1;
    let cases: [(&[u8], &str); 5] = [
        (&flipped, "it.checkpoint is damaged: its checksum does not match"),
        (&whole[..whole.len() - 1], "it.checkpoint is damaged: "),
        (&[&whole[..], b"!"].concat(), "it.checkpoint is damaged: "),
        (b"", "it.checkpoint is not a checkpoint, or its first line is damaged"),
        (b"0: 0 1 2 3\n", "it.checkpoint is not a checkpoint, or its first line is damaged"),
    ];
    for (bytes, told) in cases {
        std::fs::write(&path, bytes).unwrap();
        let ran = run(folder.path(), &and(SHORT, KEPT));
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
        assert!(ran.err.contains(told) && ran.err.contains("to start again"), "{}", ran.err);
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }
}

#[test]
fn a_place_for_checkpoints_is_looked_at_before_the_search() {
    let folder = with_hard();
    let cases = [
        ("missing/it", "missing/it cannot be written: "),
        (".", ". is not a plain file"),
        ("-", "--checkpoint -: not a file"),
        ("hard.toml", "--checkpoint hard.toml: the file is also the spec"),
        ("out.txt", "--checkpoint out.txt: the file is also the output"),
    ];
    for (place, told) in cases {
        let arguments = ["search", "hard.toml", "--seconds", "600", "-o", "out.txt", "--checkpoint", place];
        let ran = run(folder.path(), &arguments);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
        assert!(ran.err.contains(told), "{}", ran.err);
    }
    assert_eq!(names(folder.path()), ["hard.toml"]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_the_checkpoint() {
    let folder = with_checkpoint();
    let mut command = program(folder.path());
    command.args(["search", "hard.toml", "--seconds", "600", "--seed", "5", "--threads", "2"]).args(KEPT);
    let ran = run_interrupted(command, "uncovered");
    assert_eq!(ran.code, 1);
    assert_eq!(names(folder.path()), ["hard.toml", "it.checkpoint"]);
}

#[test]
fn what_is_solved_leaves_no_checkpoint() {
    // Five million moves or so, with no closed form to be had.
    let tori = "pes = 1024\nnis_per_pe = 4\nobjective = \"sparse\"\n[[switch]]\nports = 10\n\
        [[pattern]]\nkind = \"torus\"\ndimensions = 3\nfactorizations = \"all\"\n";
    let folder = folder(&[("small.toml", SMALL.as_bytes()), ("tori.toml", tori.as_bytes())]);
    let ran = run(folder.path(), &and(&["search", "small.toml"], KEPT));
    assert_eq!((ran.code, ran.out.as_str()), (0, "0: 0 1 2 3\n"), "{}", ran.err);
    let ran = run(
        folder.path(),
        &and(&["search", "tori.toml", "--effort", "200", "--threads", "2", "-o", "tori.txt"], KEPT),
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("it.checkpoint: removed, "), "{}", ran.err);
    assert_eq!(names(folder.path()), ["small.toml", "tori.toml", "tori.txt"]);
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_told_once_and_the_search_goes_on() {
    let folder = with_hard();
    let ran =
        run_on_full_disk(folder.path(), &and(SHORT, &["--checkpoint", "it", "--checkpoint-every", "0.01"]));
    assert_eq!((ran.code, ran.out.lines().count()), (1, 32), "{}", ran.err);
    assert_eq!(ran.err.matches("it cannot be written: ").count(), 1, "{}", ran.err);
    assert!(ran.err.contains("the search continues and tries again"), "{}", ran.err);
    assert!(ran.err.ends_with("\nit: no checkpoint\n"), "{}", ran.err);
    assert_eq!(names(folder.path()), ["hard.toml"]);
}

#[cfg(unix)]
#[test]
fn a_folder_that_vanishes_is_told_once_and_the_search_goes_on() {
    let folder = with_hard();
    let sub = folder.path().join("sub");
    std::fs::create_dir(&sub).unwrap();
    let mut command = program(folder.path());
    command.args(and(LONG, &["--checkpoint", "sub/it", "--checkpoint-every", "0.05"]));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while !sub.join("it").exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    // Whatever is being written meanwhile.
    while std::fs::remove_dir_all(&sub).is_err() {}
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert_eq!(told.matches("sub/it cannot be written: ").count(), 1, "{told}");
    assert!(told.contains("the search continues and tries again, the file holds no checkpoint\n"), "{told}");
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 32);
}

#[test]
fn a_search_that_ends_before_its_first_checkpoint_says_so() {
    let folder = with_hard();
    let ran = run(folder.path(), &and(SHORT, &["--checkpoint", "it", "--checkpoint-every", "6000"]));
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(
        ran.err.ends_with("\nit: no checkpoint: the search ended before the first was due\n"),
        "{}",
        ran.err
    );
    assert_eq!(names(folder.path()), ["hard.toml"]);
}
