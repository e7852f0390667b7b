use crate::{
    program::{SMALL, attempts_in, folder, kasy0, kill_once, names, program, run, run_interrupted},
    search::hard,
};
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
        ["        4 ports  2 ports  mixed", "1 NIC   + 52.00  -        ?", "2 NICs  = 60.00  + 28.00  ?"],
        "{}",
        ran.out
    );
    assert!(ran.out.contains("\n-  provably impossible\n"), "{}", ran.out);
    assert!(!ran.out.contains("failed, with"), "a mark that does not occur: {}", ran.out);
    assert!(ran.out.contains("\n  1 NIC, 4 ports: 1 switch, 4 cables, 52.00 ("), "{}", ran.out);
    assert!(ran.out.contains("\ncheapest:\n  2 NICs, 2 ports: 4 switches, 8 cables, 28.00 ("), "{}", ran.out);
    assert!(!ran.out.contains("so far"), "everything was tried: {}", ran.out);
    assert!(ran.err.contains("3 of 6 cells solved"), "{}", ran.err);
    assert_eq!(ring(&[]).out, ran.out, "same seed, effort and threads");
}

#[test]
fn hardware_that_is_all_impossible_names_a_bound() {
    let folder = folder(&[("ring.toml", RING.as_bytes())]);
    let ran = run(
        folder.path(),
        &[&["hardware", "ring.toml", "--nics", "1", "--ports", "2"][..], &EFFORT].concat(),
    );
    assert_eq!(ran.code, 1, "{}", ran.err);
    let told =
        "\nno sufficient hardware found: all of it is provably impossible, such as 1 NIC, 2 ports. Node ";
    assert!(ran.out.contains(told) && ran.out.ends_with("wider switches with --ports.\n"), "{}", ran.out);
}

#[test]
fn the_same_as_json() {
    let ran = ring(&["--json"]);
    let board: Board = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (board.ports.as_slice(), board.frontier.as_slice(), board.cheapest),
        (&[4, 2, 0][..], &[0, 4][..], Some(4))
    );
    assert!(board.complete && board.is_proven());
    assert_eq!(board.cells[1].state, CellState::Refuted);
}

#[test]
fn without_a_price_nothing_is_ranked_by_cost() {
    let spec = RING.replacen("ni_price = 2\n", "", 1).replacen("price = 3\n", "price = 3\ncount = 9\n", 1);
    let folder = folder(&[("ring.toml", spec.as_bytes())]);
    let ran = run(folder.path(), &[&["hardware", "ring.toml", "--nics", "1-2"][..], &EFFORT].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(!ran.out.contains("cheapest"), "{}", ran.out);
    assert!(ran.out.contains("\nfewest switches found so far:\n  1 NIC, 4 ports: 1 switch"), "{}", ran.out);
    assert!(ran.out.contains("at least 44.00"), "{}", ran.out);
    assert!(ran.out.contains("\n  nic_price: give a price to rank by cost.\n"), "{}", ran.out);
}

#[test]
fn builds_of_the_frontier_are_written_and_check() {
    let folder = folder(&[]);
    let arguments =
        ["--nics", "2-3", "--ports", "24,48", "--cell-effort", "2", "--effort", "8", "-o", "new/builds"];
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
    let ran =
        run(folder.path(), &["hardware", "small.toml", "--nics", "1", "--ports", "2-3", "-o", "builds"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.out.contains("no sufficient hardware found"), "{}", ran.out);
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
    assert!(told(&[]).contains("--nics"));
    for flag in [["--market", "100g"], ["--within", "5"]] {
        let expected = format!("crosspoint: {} has no effect without --goal time\n", flag[0]);
        assert_eq!(told(&[&["--nics", "2"][..], &flag].concat()), expected);
    }
    assert_eq!(
        told(&["--nics", "2", "-o", "small.toml"]),
        "crosspoint: small.toml is a file; name a folder\n"
    );
    for range in ["", "0-3", "2-65", "2-", "-3", "two", "1-2-3"] {
        assert!(told(&[&format!("--nics={range}")]).contains("a range such as 2-8"), "{range}");
    }
    let err = told(&["--nics", "2", "--ports", "6-4, 8, 9999"]);
    assert!(err.contains("ports: must be widths") && err.contains("not 6-4, 9999."), "{err}");
    let err = told(&["--nics", "3-2", "--ports", "8,,9"]);
    assert!(
        err.contains("nics: put the smaller number first, such as 2-3.")
            && err.contains("ports: has an empty entry between commas: \"8,,9\"."),
        "{err}"
    );
    let err = told(&["--nics", "2", "--cell-effort", "0.5"]);
    assert!(err.contains("--cell-effort: must be a whole number from 1 to 100,000,000, not 0.5."), "{err}");
    let err = told(&["--nics", "1-64", "--ports", "2-4096"]);
    assert!(err.contains("--ports: ") && err.contains("at most 4,096 are supported"), "{err}");
    let err = told(&["--nics", "2", "--goal", "time"]);
    assert!(err.contains("--goal: time needs a spec with a training job"), "{err}");
    assert!(told(&["--nics", "2", "--goal", "nonsense"]).contains("'nonsense' for '--goal"));
    assert!(told(&["--nics", "2", "--effort", "1", "--seconds", "1"]).contains("cannot be used with"));
    let broken = SMALL.replace("pes = 4", "pes = 0");
    std::fs::write(folder.path().join("broken.toml"), broken).unwrap();
    let ran = run(folder.path(), &["hardware", "broken.toml", "--nics", "0-3", "--ports", "x"]);
    for field in ["pes: ", "nics: must be", "ports: must be"] {
        assert!(ran.code == 2 && ran.err.contains(field), "{}", ran.err);
    }
    let fractional = SMALL.replace("universal", "fractional") + "[[pattern]]\nkind = \"ring\"\n";
    std::fs::write(folder.path().join("small.toml"), fractional).unwrap();
    assert!(told(&["--nics", "2"]).contains("objective: must be sparse"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_board_so_far() {
    let folder = folder(&[]);
    let mut command = program(folder.path());
    command.arg("hardware").arg(kasy0()).args(["--nics", "3", "--ports", "13,24", "--cell-seconds", "600"]);
    let ran = run_interrupted(command, "3 NICs, 13 ports: ");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("\n3 NICs  + ") && ran.out.contains("  ?\n"), "{}", ran.out);
}

/// KASY0 on boards that take seconds, the same on every machine.
const LONG: [&str; 12] = [
    "--nics",
    "2-3",
    "--ports",
    "9,12,24",
    "--cell-effort",
    "3",
    "--effort",
    "24",
    "--seed",
    "5",
    "--threads",
    "2",
];

fn long(more: &[&str]) -> Vec<std::ffi::OsString> {
    let start = ["hardware".into(), kasy0().into()];
    start.into_iter().chain(LONG.iter().chain(more).map(Into::into)).collect()
}

#[cfg(unix)]
#[test]
fn a_board_that_was_killed_comes_to_the_same_builds() {
    let folder = folder(&[]);
    let whole = run(folder.path(), &long(&["-o", "whole"]));
    assert_eq!(whole.code, 0, "{}", whole.err);
    let kept = ["--checkpoint", "it", "--checkpoint-every", "0.1"];
    let mut command = program(folder.path());
    command.args(long(&kept));
    kill_once(command, || attempts_in(&folder.path().join("it")) >= 3);
    let rest = run(folder.path(), &long(&[&kept[..], &["-o", "rest"]].concat()));
    assert_eq!(rest.code, 0, "{}", rest.err);
    assert!(rest.err.contains("it: resuming after "), "{}", rest.err);
    assert_eq!(rest.out, whole.out);
    let [one, two] = ["whole", "rest"].map(|name| folder.path().join(name));
    assert_eq!(names(&one), names(&two));
    for name in names(&one) {
        assert_eq!(
            std::fs::read(one.join(&name)).unwrap(),
            std::fs::read(two.join(&name)).unwrap(),
            "{name}"
        );
    }
}

#[test]
fn a_checkpoint_of_another_board_is_told_and_left() {
    let folder = folder(&[("small.toml", SMALL.as_bytes())]);
    let base = ["hardware", "small.toml", "--nics", "1", "--ports", "2-3", "--threads", "1", "--checkpoint"];
    let asked = |more: &[&str]| run(folder.path(), &[&base, more].concat());
    std::fs::write(folder.path().join("table"), "0: 0 1 2 3\n").unwrap();
    let cases: [(&[&str], &str); 3] = [
        (&["table"], "table is not a checkpoint, or its first line is damaged"),
        (&["small.toml"], "--checkpoint small.toml: the file is also the spec"),
        (&["missing/it"], "missing/it cannot be written: "),
    ];
    for (more, told) in cases {
        let ran = asked(more);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
        assert!(ran.err.contains(told), "{}", ran.err);
    }
    let effort = ["hardware", "hard.toml", "--nics", "3", "--cell-effort", "1", "--threads", "1"];
    std::fs::write(folder.path().join("hard.toml"), hard()).unwrap();
    let ran = run(folder.path(), &[&effort[..], &["--effort", "1", "--checkpoint", "it"]].concat());
    assert_eq!(ran.code, 1, "{}", ran.err);
    let told = "it: the same command with a larger --seconds or --effort resumes after ";
    assert!(ran.err.contains(told), "{}", ran.err);
    let other =
        run(folder.path(), &[&effort[..], &["--effort", "3", "--seed", "2", "--checkpoint", "it"]].concat());
    assert!(
        other.err.contains("belongs to a search with seed 1, not 2; --seed 1 resumes it"),
        "{}",
        other.err
    );
    let other = run(
        folder.path(),
        &[&effort[..], &["--effort", "3", "--ports", "13", "--checkpoint", "it"]].concat(),
    );
    assert!(
        other.err.contains("cannot be used for hard.toml: the checkpoint belongs to another hardware search"),
        "{}",
        other.err
    );
    let more = run(folder.path(), &[&effort[..], &["--effort", "3", "--checkpoint", "it"]].concat());
    assert!(more.err.contains("it: resuming after "), "{}", more.err);
    assert_eq!(more.out, run(folder.path(), &[&effort[..], &["--effort", "3"]].concat()).out);
}

#[test]
fn a_build_costs_what_the_board_says() {
    let folder = folder(&[]);
    let ran = run(folder.path(), &long(&["-o", "builds", "--json"]));
    let board: Board = serde_json::from_str(&ran.out).unwrap();
    let builds = folder.path().join("builds");
    let listed = board.frontier.iter().copied().chain(board.cheapest);
    for cell in listed.map(|index| &board.cells[index]) {
        let name = format!("{}-nics-{}-ports", cell.nis, cell.ports);
        let told = run(&builds, &["analyze", &format!("{name}.toml"), &format!("{name}.txt"), "--json"]);
        assert_eq!(told.code, 0, "{}", told.err);
        let told: serde_json::Value = serde_json::from_str(&told.out).unwrap();
        let figures = &told["figures"];
        assert_eq!(figures["cost"].as_f64(), cell.cost, "{name}");
        assert_eq!(figures["cables"].as_u64(), Some(cell.cables), "{name}");
        assert_eq!(figures["switches_allowed"].as_u64(), Some(cell.switches.into()), "{name}");
        let cables =
            run(&builds, &["export", &format!("{name}.toml"), &format!("{name}.txt"), "--format", "cables"]);
        assert_eq!(cables.out.lines().count() as u64, cell.cables + 1, "{name}: a line each, and the head");
    }
}

/// Sixteen nodes of a training job, with switches too narrow for all of them.
const JOB: &str = "name = \"Job\"\npes = 16\nnis_per_pe = 2\nobjective = \"time\"\n[[switch]]\nports = 8\n[job]\ndp = 8\npp = 2\n\
    ranks_per_pe = 1\n[model]\nparameters = 1e9\nlayers = 8\nhidden = 1024\nsequence = 1024\nglobal_batch = 64\n";

fn of_time(spec: &str, more: &[&str]) -> crate::program::Ran {
    let folder = folder(&[("job.toml", spec.as_bytes())]);
    let start =
        ["hardware", "job.toml", "--goal", "time", "--ports", "8", "--cell-effort", "1", "--effort", "12"];
    run(folder.path(), &[&start[..], &["--threads", "2"], more].concat())
}

#[test]
fn the_goal_time_answers_in_a_sentence_before_the_frontier() {
    let ran = of_time(JOB, &[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert!(lines[0].contains(" less money than ") || lines[0].contains(" costs "), "{}", ran.out);
    assert!(
        lines[2].starts_with("Frontier: ") && lines[2].ends_with("400G RDMA (assumed prices)"),
        "{}",
        ran.out
    );
    assert!(
        lines[3].starts_with("Network ") && lines[3].contains("Price") && lines[3].contains("At least"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains(" * "), "the answer has a mark: {}", ran.out);
    assert_eq!(of_time(JOB, &[]).out, ran.out, "same seed, effort and threads");
}

#[test]
fn the_goal_time_counts_with_the_mean_of_several_jobs() {
    let tables = "[[job]]\nshare = 0.5\nranks_per_pe = 1\n[[job]]\nranks_per_pe = 1\n[[collective]]\nalong = \"dp\"\n\
                  bytes = 8e9\n[[collective]]\njob = 1\nalong = \"dp\"\nbytes = 16e9\n";
    let spec = format!("{}{tables}", JOB.split("[job]").next().unwrap());
    let ran = of_time(&spec, &[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.lines().next().unwrap().ends_with(" A step is the mean of 2 jobs."), "{}", ran.out);
    assert!(ran.out.contains(" ms (jobs: "), "{}", ran.out);
    let board: Board = serde_json::from_str(&of_time(&spec, &["--json"]).out).unwrap();
    let networks = board.networks.unwrap();
    let chosen = &networks.offers[networks.chosen.unwrap()];
    let [one, two] = chosen.jobs[..] else { panic!("{chosen:?}") };
    assert!((chosen.seconds.unwrap() - (one + two) / 2.0).abs() < 1e-9 && two > 1.9 * one, "{chosen:?}");
}

#[test]
fn the_goal_time_as_json_ranks_wirings_and_other_networks() {
    let ran = of_time(JOB, &["--json", "--nics", "1-2"]);
    let board: Board = serde_json::from_str(&ran.out).unwrap();
    let networks = board.networks.unwrap();
    let chosen = &networks.offers[networks.chosen.unwrap()];
    assert!(
        networks.frontier.len() > 1 && chosen.price.unwrap() > 0.0 && chosen.seconds.unwrap() >= chosen.bound
    );
    for kind in ["design", "tree", "torus"] {
        assert!(networks.offers.iter().any(|offer| offer.kind == kind), "{kind}: {}", ran.out);
    }
    let limit = networks.limit().unwrap();
    assert!(chosen.seconds.unwrap() <= limit);
    let wide = of_time(JOB, &["--json", "--nics", "1-2", "--within", "1000%"]);
    let wide: Board = serde_json::from_str(&wide.out).unwrap();
    let cheapest = wide.networks.unwrap();
    assert!(cheapest.offers[cheapest.chosen.unwrap()].price <= chosen.price);
}

#[test]
fn designs_of_the_goal_time_are_written_and_check() {
    let folder = folder(&[("job.toml", JOB.as_bytes())]);
    let start = [
        "hardware", "job.toml", "--goal", "time", "--ports", "8", "--nics", "2", "--within", "100", "-o",
        "out",
    ];
    let ran = run(
        folder.path(),
        &[&start[..], &["--cell-effort", "1", "--effort", "8", "--threads", "1"]].concat(),
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
    let out = folder.path().join("out");
    for spec in names(&out).iter().filter(|name| name.ends_with(".toml")) {
        let checked = run(&out, &["check", spec, &spec.replace(".toml", ".txt")]);
        assert_eq!(checked.code, 0, "{}", checked.out);
    }
}

#[test]
fn bad_input_of_the_goal_time_is_told_by_field() {
    let told = |spec: &str, more: &[&str]| {
        let ran = of_time(spec, more);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
        ran.err
    };
    let ring = RING.replacen("price = 3\n", "price = 3\ncount = 9\n", 1);
    assert!(told(&ring, &[]).contains("goal: time needs a spec with a training job"));
    assert!(told(JOB, &["--market", "5g"]).contains("--market: there is no file 5g"));
    let err = told(JOB, &["--market", "spec"]);
    assert!(err.contains("nic_price: ") && err.contains("a price for cables"), "{err}");
    assert!(told(JOB, &["--within", "much"]).contains("--within"));
}
