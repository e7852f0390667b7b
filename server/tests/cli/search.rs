use crate::program::{
    SMALL, attempts_in, folder, kasy0, kill_once, names, program, run, run_interrupted, run_on_full_disk,
    run_with,
};
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

/// The gallery's machines without switches, and a machine that lacks a NIC per node.
#[test]
fn nodes_are_cabled_to_each_other() {
    let folder = folder(&[]);
    let gallery = |name: &str| kasy0().with_file_name(name);
    for (spec, pairs, table) in
        [("cables4.toml", 4, None), ("cables3.toml", 3, Some("0: 0 1\n1: 0 2\n2: 1 2\n"))]
    {
        let ran = run(folder.path(), &["search".into(), gallery(spec), "--seconds".into(), "5".into()]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(ran.err.contains(&format!("all {pairs} requested pairs are covered")), "{}", ran.err);
        assert!(
            ran.err.contains(&format!("cables: {pairs} cables; at least {pairs}: optimal")),
            "{}",
            ran.err
        );
        assert!(table.is_none_or(|table| ran.out == table), "{}", ran.out);
    }
    let all = std::fs::read_to_string(gallery("cables4.toml")).unwrap().replace("\"ring\"", "\"all-pairs\"");
    let ran = run_with(&all, folder.path(), &["demand", "-"]);
    assert!(ran.out.contains("at least 6: given their degrees, the nodes need 12 ports"), "{}", ran.out);
    let ran = run_with(&all, folder.path(), &["search", "-"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("nics_per_node: 2 is not enough; use at least 3"), "{}", ran.err);
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

/// Twelve nodes in a ring, with two switch models. A switch of four ports covers three pairs of the ring, one of eight ports seven.
const STOCK: &str = "nodes = 12\nnics_per_node = 3\nobjective = \"sparse\"\nnic_price = 2\ncable_price = 1\n\
    [[switch]]\nports = 4\nprice = 5\ncount = 9\n[[switch]]\nports = 8\nprice = 50\ncount = 5\n[[pattern]]\nkind = \"ring\"\n";

/// The nodes of each used switch, by its number, of a wiring with the least of a figure. It checks, and the program says this about it.
fn minimised(spec: &str, figure: &str, told: &str) -> Vec<(u32, Vec<u32>)> {
    let folder = folder(&[("spec.toml", spec.as_bytes())]);
    let arguments = ["search", "spec.toml", "--minimise", figure, "--effort", "5", "--threads", "1"];
    let ran = run(folder.path(), &[&arguments[..], &["-o", "wiring.txt"]].concat());
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
    assert!(ran.err.contains(&format!("\nminimised {told}\n")), "{}", ran.err);
    let checked = run(folder.path(), &["check", "spec.toml", "wiring.txt"]);
    assert_eq!(checked.code, 0, "{}", checked.out);
    let table = std::fs::read_to_string(folder.path().join("wiring.txt")).unwrap();
    let switches = table.lines().map(|line| line.split_once(':').unwrap());
    let nodes = |text: &str| text.split_whitespace().map(|node| node.parse().unwrap()).collect::<Vec<u32>>();
    let all = switches.map(|(switch, text)| (switch.parse().unwrap(), nodes(text)));
    all.filter(|(_, nodes)| !nodes.is_empty()).collect()
}

#[test]
fn the_fewest_switches_are_found_and_called_so() {
    let narrow = STOCK.replace("[[switch]]\nports = 8\nprice = 50\ncount = 5\n", "");
    assert_eq!(minimised(&narrow, "switches", "switches: 4, the fewest possible").len(), 4, "of nine");
    let wide = minimised(STOCK, "switches", "switches: 2, the fewest possible");
    assert!(wide.len() == 2 && wide.iter().all(|(switch, _)| *switch >= 9), "the wide ones: {wide:?}");
    // One wide switch is left: it covers seven pairs, and two narrow ones the other five.
    let mixed =
        minimised(&STOCK.replace("count = 5", "count = 1"), "switches", "switches: 3, the fewest possible");
    assert_eq!(mixed.iter().filter(|(switch, _)| *switch < 9).count(), 2, "{mixed:?}");
}

#[test]
fn the_fewest_nics_per_node_leave_the_others_unplugged() {
    let wiring = minimised(STOCK, "nis", "NICs per node: 2, the fewest possible");
    let plugged = |node: u32| wiring.iter().filter(|(_, nodes)| nodes.contains(&node)).count();
    assert_eq!((0..12).map(plugged).max(), Some(2), "{wiring:?}");
    let single = STOCK.replace("ports = 8", "ports = 12");
    let wiring = minimised(&single, "nis", "NICs per node: 1, the fewest possible");
    assert_eq!(wiring, [(9, (0..12).collect())]);
    // Only both models together do with one NIC: groups of six and of three.
    let mixed = "nodes = 9\nnics_per_node = 4\n[[switch]]\nports = 6\ncount = 1\n[[switch]]\nports = 3\n\
                 [[pattern]]\nkind = \"matrix\"\npairs = \"\"\"\n0 1\n0 2\n0 3\n0 4\n0 5\n1 2\n1 3\n1 4\n1 5\n\
                 2 3\n2 4\n2 5\n3 4\n3 5\n4 5\n6 7\n6 8\n7 8\n\"\"\"\n";
    assert_eq!(minimised(mixed, "nis", "NICs per node: 1, the fewest possible").len(), 2);
}

#[test]
fn the_least_cost_is_on_the_cheaper_model() {
    // Of 36 NICs at 2, and switches and cables in use.
    let narrow = minimised(STOCK, "cost", "cost: 108.00, the least possible");
    assert!(narrow.len() == 4 && narrow.iter().all(|(switch, _)| *switch < 9), "{narrow:?}");
    let wide =
        minimised(&STOCK.replace("price = 5\n", "price = 30\n"), "cost", "cost: 186.00, the least possible");
    assert!(wide.len() == 2 && wide.iter().all(|(switch, _)| *switch >= 9), "{wide:?}");
}

#[test]
fn a_figure_that_cannot_be_minimised_is_told_with_its_field() {
    let told = |spec: &str, figure: &str| {
        let folder = folder(&[("spec.toml", spec.as_bytes())]);
        let ran = run(folder.path(), &["search", "spec.toml", "--minimise", figure, "-o", "never.txt"]);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
        assert_eq!(names(folder.path()), ["spec.toml"]);
        ran.err
    };
    let unpriced = STOCK.replace("nic_price = 2\n", "").replace("price = 50\n", "");
    assert_eq!(
        told(&unpriced, "cost"),
        "crosspoint: spec.toml: --minimise cost needs changes:\nswitch[1].price: give a price to rank by cost.\n\
         nic_price: give a price to rank by cost.\n"
    );
    let open = STOCK.replace("count = 9\n", "").replace("count = 5\n", "");
    assert!(told(&open, "cost").contains("\nswitch[0].count: missing; without `count`, "));
    let objective = "\nobjective: must be sparse or universal, ";
    assert!(told(&STOCK.replace("sparse", "fractional"), "switches").contains(objective));
    let job = "nodes = 8\nnics_per_node = 2\nobjective = \"time\"\n[[switch]]\nports = 8\n[[pattern]]\nkind = \"matrix\"\n\
               pairs = [[0, 1, 4]]\n";
    assert!(told(job, "nis").contains(objective));
    let groups = "[[node_group]]\ncount = 4\nnics = 3\n[[node_group]]\ncount = 8\nnics = 2\n[[switch]]";
    let groups = STOCK.replace("nics_per_node = 3\n", "").replacen("[[switch]]", groups, 1);
    assert!(told(&groups, "switches").contains("\nnode_group: groups differ in `nics`"));
    let rails =
        "nodes = 12\nnics_per_node = 4\nobjective = \"universal\"\nrail = true\n[[switch]]\nports = 6\n";
    assert_eq!(told(rails, "switches").lines().count(), 2, "rails and nothing else");
    assert!(told(STOCK, "weight").contains("'weight' for '--minimise"));
}

#[test]
fn without_full_coverage_nothing_is_minimised_and_the_best_is_written() {
    let folder = folder(&[("hard.toml", hard().as_bytes())]);
    let arguments = ["search", "hard.toml", "--minimise", "switches", "--threads", "1", "--effort", "2"];
    let ran = run(folder.path(), &arguments);
    assert_eq!((ran.code, ran.out.lines().count()), (1, 32), "{}", ran.err);
    assert!(ran.err.contains("of 1,536 requested pairs are uncovered"), "{}", ran.err);
    assert!(!ran.err.contains("\nminimised "), "{}", ran.err);
    // No model alone has enough ports, and no mix of both is found.
    let stock =
        hard().replace("ports = 12", "ports = 12\ncount = 16") + "[[switch]]\nports = 13\ncount = 16\n";
    std::fs::write(folder.path().join("hard.toml"), stock).unwrap();
    let ran = run(folder.path(), &[&arguments[..], &["--checkpoint", "it"]].concat());
    assert_eq!((ran.code, ran.out.lines().count()), (1, 32), "{}", ran.err);
    let more = run(folder.path(), &[&arguments[..7], &["3", "--checkpoint", "it"]].concat());
    assert!(more.code == 1 && more.err.contains("it: resuming after "), "{} {}", ran.err, more.err);
}

/// KASY0 with fewer switches, for as much work.
fn fewer(folder: &std::path::Path, more: &[&str]) -> crate::program::Ran {
    let arguments = [&["--minimise", "switches", "--threads", "2"], more].concat();
    let arguments = arguments.into_iter().map(std::ffi::OsString::from);
    run(folder, &["search".into(), kasy0().into_os_string()].into_iter().chain(arguments).collect::<Vec<_>>())
}

#[test]
fn a_search_for_the_fewest_switches_resumes_with_a_larger_limit() {
    let folder = folder(&[]);
    let first = fewer(folder.path(), &["--effort", "2", "--checkpoint", "it"]);
    assert_eq!(first.code, 0, "{}", first.err);
    let told = "it: the same command with a larger --seconds or --effort resumes after ";
    assert!(first.err.contains(told), "{}", first.err);
    let plain =
        ["search".into(), kasy0(), "--checkpoint".into(), "it".into(), "--threads".into(), "2".into()];
    let plain = run(folder.path(), &plain);
    assert!(plain.code == 2 && plain.err.contains("it cannot be used for "), "{}", plain.err);
    let rest = fewer(folder.path(), &["--effort", "12", "--checkpoint", "it"]);
    assert!(rest.code == 0 && rest.err.contains("it: resuming after "), "{}", rest.err);
    let used = |table: &str| table.lines().filter(|line| line.contains(": ")).count();
    assert!(used(&rest.out) <= used(&first.out), "{} {}", first.err, rest.err);
}

#[cfg(unix)]
#[test]
fn a_search_for_the_fewest_switches_that_was_killed_ends_the_same() {
    let folder = folder(&[]);
    let kept = ["--effort", "12", "--checkpoint", "it", "--checkpoint-every", "0.1"];
    let mut command = program(folder.path());
    command.arg("search").arg(kasy0()).args(["--minimise", "switches", "--threads", "2"]).args(kept);
    kill_once(command, || attempts_in(&folder.path().join("it")) >= 2);
    let rest = fewer(folder.path(), &kept);
    assert!(rest.code == 0 && rest.err.contains("it: resuming after "), "{}", rest.err);
    assert_eq!(rest.out, fewer(folder.path(), &["--effort", "12"]).out);
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_fewest_switches_so_far() {
    let folder = folder(&[]);
    let mut command = program(folder.path());
    command.arg("search").arg(kasy0()).args(["--minimise", "switches", "--seconds", "600", "-o", "best.txt"]);
    let ran = run_interrupted(command, "switches: ");
    assert_eq!(ran.code, 0);
    assert_eq!(run(folder.path(), &["check".into(), kasy0(), "best.txt".into()]).code, 0);
}
