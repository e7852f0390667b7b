use crate::program::{SMALL, folder, kasy0, names, program, run, run_interrupted};
use shared::hardware::{Board, CellState};
/// Four PEs in a ring.
const RING: &str = "name = \"Ring\"\npes = 4\nnis_per_pe = 1\nobjective = \"sparse\"\nni_price = 2\ncable_price = 1\n\
    [[switch]]\nports = 2\nprice = 3\n[[switch]]\nports = 4\nprice = 40\n[[pattern]]\nkind = \"ring\"\n";
/// Budgets that count work: the same board on every machine.
const EFFORT: [&str; 6] = ["--cell-effort", "1", "--effort", "6", "--threads", "1"];

fn ring(more: &[&str]) -> crate::program::Ran {
    // Both models want a count but for one; here the catalogue has no stock.
    let spec = RING.replacen("price = 3\n", "price = 3\ncount = 9\n", 1);
    let folder = folder(&[("ring.toml", spec.as_bytes())]);
    let arguments: Vec<&str> = ["hardware", "ring.toml", "--nis", "1-2"]
        .into_iter()
        .chain(EFFORT)
        .chain(more.iter().copied())
        .collect();
    run(folder.path(), &arguments)
}

#[test]
fn the_board_is_printed_with_frontier_and_cheapest() {
    let ran = ring(&[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(
        lines[..3],
        ["       4 ports  2 ports", "1 NI   + 52.00  -", "2 NIs  = 60.00  + 36.00"],
        "{}",
        ran.out
    );
    assert!(ran.out.contains("\n-  provably impossible\n"), "{}", ran.out);
    assert!(!ran.out.contains("not tried"), "a mark that does not occur: {}", ran.out);
    assert!(ran.out.contains("\n  1 NI, 4 ports: 1 switch, 4 cables, 52.00 ("), "{}", ran.out);
    assert!(ran.out.contains("\ncheapest:\n  2 NIs, 2 ports: 4 switches, 8 cables, 36.00 ("), "{}", ran.out);
    assert!(ran.err.contains("3 of 4 cells solved"), "{}", ran.err);
    assert_eq!(ring(&[]).out, ran.out, "same seed, effort and threads");
}

#[test]
fn the_same_as_json() {
    let ran = ring(&["--json"]);
    let board: Board = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (board.ports.as_slice(), board.frontier.as_slice(), board.cheapest),
        (&[4, 2][..], &[0, 3][..], Some(3))
    );
    assert_eq!(board.cells[1].state, CellState::Refuted);
}

#[test]
fn builds_of_the_frontier_are_written_and_check() {
    let folder = folder(&[]);
    let arguments =
        ["--nis", "2-3", "--ports", "24,48", "--cell-effort", "2", "--effort", "8", "-o", "new/builds"];
    let arguments: Vec<_> =
        ["hardware".into(), kasy0()].into_iter().chain(arguments.map(Into::into)).collect();
    let ran = run(folder.path(), &arguments);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let builds = folder.path().join("new/builds");
    let written = names(&builds);
    assert!(written.len() >= 2 && written.len().is_multiple_of(2), "{written:?}");
    for spec in written.iter().filter(|name| name.ends_with(".toml")) {
        let checked = run(&builds, &["check", spec, &spec.replace(".toml", ".txt")]);
        assert_eq!(checked.code, 0, "{}", checked.out);
        assert!(ran.err.contains(spec), "{}", ran.err);
    }
}

#[test]
fn no_hardware_that_is_enough_is_the_answer_no() {
    let folder = folder(&[("small.toml", SMALL.as_bytes())]);
    let ran = run(folder.path(), &["hardware", "small.toml", "--nis", "1", "--ports", "2-3", "-o", "builds"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.out.contains("no hardware was found to be enough"), "{}", ran.out);
    assert_eq!(names(&folder.path().join("builds")), Vec::<String>::new());
}

#[test]
fn bad_input_is_told_by_field() {
    let folder = folder(&[("small.toml", SMALL.as_bytes())]);
    let told = |arguments: &[&str]| {
        let ran = run(folder.path(), &[&["hardware", "small.toml"], arguments].concat());
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{arguments:?} {}", ran.err);
        ran.err
    };
    assert!(told(&[]).contains("--nis"));
    for range in ["", "0-3", "3-2", "2-65", "2-", "-3", "two", "1-2-3"] {
        assert!(told(&[&format!("--nis={range}")]).contains("a range such as 2-8"), "{range}");
    }
    let err = told(&["--nis", "2", "--ports", "6-4, 8, 9999"]);
    assert!(err.contains("ports: 6-4 is not accepted") && err.contains("ports: 9999"), "{err}");
    assert!(told(&["--nis", "1-64", "--ports", "2-4096"]).contains("at most 4096 cells"));
    assert!(told(&["--nis", "2", "--effort", "1", "--seconds", "1"]).contains("cannot be used with"));
    let fractional = SMALL.replace("universal", "fractional") + "[[pattern]]\nkind = \"ring\"\n";
    std::fs::write(folder.path().join("small.toml"), fractional).unwrap();
    assert!(told(&["--nis", "2"]).contains("objective: fractional is not accepted"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_board_so_far() {
    let folder = folder(&[]);
    let mut command = program(folder.path());
    command.arg("hardware").arg(kasy0()).args(["--nis", "3", "--ports", "13,24", "--cell-seconds", "600"]);
    let ran = run_interrupted(command, "3 NIs, 13 ports: ");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("\n3 NIs  + ") && ran.out.contains("  ?\n"), "{}", ran.out);
}
