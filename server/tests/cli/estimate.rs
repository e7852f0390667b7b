use crate::program::{folder, kasy0, run};
use shared::estimate::EstimateReport;

const JOB: &str = "pes = 4\nnis_per_pe = 2\n[[switch]]\nports = 4\ncount = 3\n[job]\nlibrary = 'any'\nranks_per_pe = 1\ndp = 4\n\
    [[collective]]\nalong = 'dp'\nbytes = 8e9\n";

#[test]
fn a_step_is_timed_and_the_better_buy_named() {
    let files = [("spec.toml", JOB.as_bytes()), ("wiring.txt", b"0: 0 1\n1: 0 1 2 3\n2: 2 3\n")];
    let folder = folder(&files);
    let estimate =
        |more: &[&str]| run(folder.path(), &[&["estimate", "spec.toml", "wiring.txt"], more].concat());
    let ran = estimate(&["--fabric", "host-torus:2x2"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("4 nodes, 4 GPUs; 400G RDMA"), "{}", ran.out);
    // 1.5 times 8 GB at 48,500 MB/s, on half of the NICs.
    let line = ran.out.lines().find(|line| line.starts_with("This design")).unwrap();
    assert!(line.contains("247.4 ms"), "{line}");
    assert!(ran.out.lines().any(|line| line.starts_with("host-torus:2x2")), "{}", ran.out);
    assert!(ran.out.contains(" better buy"), "{}", ran.out);
    // Without a model, only the assumptions on traffic are listed, under the verdict.
    assert!(
        ran.out.contains("\n\nAssumptions:\n  Any NIC of a node serves any of its GPUs.\n"),
        "{}",
        ran.out
    );
    let off = estimate(&["--host-cable", "20"]);
    assert!(off.out.contains("  Cables between nodes and switches are 20 m long.\n"), "{}", off.out);
    assert!(
        ran.out.contains(
            "\nRing orders: 1 of 1 groups stay on shared switches (rings and trees: 1); communication "
        ),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("\nRank order: every transfer stays on a shared switch.\n"), "{}", ran.out);
    let found: EstimateReport = serde_json::from_str(&estimate(&["--json"]).out).unwrap();
    assert_eq!((found.networks[0].kind.as_str(), found.compute), ("design", None));
}

#[test]
fn a_long_estimate_shows_its_progress() {
    let spec = kasy0().with_file_name("deepseek-v3.toml");
    let ran = run(folder(&[]).path(), &["estimate".as_ref(), spec.as_os_str()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.starts_with("Estimating ") && ran.err.contains(" of 6, "), "{}", ran.err);
    assert!(ran.err.lines().last().unwrap().starts_with("Done in "), "{}", ran.err);
}

#[test]
fn each_of_several_jobs_has_a_line() {
    let spec = "pes = 4\nnis_per_pe = 2\n[[switch]]\nports = 4\n[[job]]\nshare = 0.5\nlibrary = 'any'\nranks_per_pe = 1\n\
        [[job]]\nlibrary = 'any'\nranks_per_pe = 1\n[[collective]]\nalong = 'dp'\nbytes = 8e9\n\
        [[collective]]\njob = 1\nalong = 'dp'\nbytes = 16e9\n";
    let folder =
        folder(&[("spec.toml", spec.as_bytes()), ("wiring.txt", b"0: 0 1\n1: 0 1\n2: 2 3\n3: 2 3\n")]);
    let ran = run(folder.path(), &["estimate", "spec.toml", "wiring.txt"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    // 8 GB and 16 GB at 48,500 MB/s over two NICs.
    let jobs: Vec<&str> =
        ran.out.lines().filter(|line| line.contains("0–1 ") || line.contains("2–3 ")).collect();
    assert!(jobs[0].starts_with("This design") && jobs[0].matches("82.48 ms").count() == 2, "{}", ran.out);
    assert!(jobs[1].starts_with("This design") && jobs[1].matches("165.0 ms").count() == 2, "{}", ran.out);
    assert!(ran.out.contains("This design: no job slows another."), "{}", ran.out);
    let ranks = run(folder.path(), &["export", "spec.toml", "wiring.txt", "--format", "rank-hosts"]);
    assert!(
        ranks.code == 2 && ranks.err.contains("for a single training job"),
        "{} {}",
        ranks.code,
        ranks.err
    );
    let hosts = run(folder.path(), &["check", "spec.toml", "wiring.txt", "--library", "nccl"]);
    assert!(hosts.out.contains("NCCL connects all 2 pairs of nodes"), "{}", hosts.out);
}

#[test]
fn bad_input_names_the_flag_or_what_the_spec_lacks() {
    let plain = "pes = 4\nnis_per_pe = 1\n[[switch]]\nports = 4\n[[pattern]]\nkind = 'ring'\n";
    let folder = folder(&[("spec.toml", JOB.as_bytes()), ("plain.toml", plain.as_bytes())]);
    let none = run(folder.path(), &["estimate", "plain.toml"]);
    assert!(
        none.code == 2
            && none.err.contains("job: missing; step time needs a training job ([job] and [model])"),
        "{}",
        none.err
    );
    let given = ["--teraflops", "fast", "--failures", "65", "--expert-overlap", "2"];
    let flags = run(folder.path(), &[&["estimate", "spec.toml"][..], &given].concat());
    assert_eq!(flags.code, 2);
    for part in [
        "--teraflops: must be a number",
        "--failures: must be a whole number from 0 to 64, not 65.",
        "--expert-overlap: must be a number from 0 to 1, not 2.",
    ] {
        assert!(flags.err.contains(part), "{}", flags.err);
    }
}

#[test]
fn a_wiring_that_breaks_the_spec_has_no_figures() {
    let wirings = [
        (
            "ports.txt",
            "0: 0 1 2 3\n1: 0 1 2 3\n",
            "switch 0 has 4 nodes; 3 of its ports are usable (and 1 more)",
        ),
        ("nics.txt", "0: 0 1\n1: 0 1 2\n2: 2 3 0\n", "node 0 is on 3 switches; it has 2 NICs"),
        ("switches.txt", "0: 0 1\n1: 1 2\n2: 2 3\n3: 3 0\n", "4 switches; the spec allows 3"),
    ];
    let spec = JOB.replace("ports = 4", "ports = 3");
    let mut files = vec![("spec.toml", spec.as_bytes())];
    files.extend(wirings.iter().map(|(name, table, _)| (*name, table.as_bytes())));
    let folder = folder(&files);
    for (name, _, why) in wirings {
        let simulate = ["simulate", "spec.toml", name, "--traffic", "uniform", "--load", "0.1"];
        let commands = [&["estimate", "spec.toml", name][..], &["compare", "spec.toml", name], &simulate];
        for command in commands {
            let ran = run(folder.path(), command);
            let expected = format!("{name} does not fit the spec: {why}. Change the wiring or the spec");
            assert!(ran.code == 2 && ran.err.contains(&expected), "{command:?}: {}", ran.err);
        }
    }
}

#[test]
fn assumptions_come_from_a_flag_or_the_spec() {
    let plain = "pes = 4\nnis_per_pe = 2\n[[switch]]\nports = 4\n[job]\ntp = 8\n\
        [model]\nparameters = 1e9\nlayers = 16\nhidden = 1024\nsequence = 1024\nglobal_batch = 64\n\
        gradient_bytes = 0.1\n";
    let slow = format!("{plain}[assumptions]\nteraflops = 100\n");
    let wrong = format!("{plain}[assumptions]\nrate = 'nett'\n");
    let folder = folder(&[
        ("plain.toml", plain.as_bytes()),
        ("slow.toml", slow.as_bytes()),
        ("wrong.toml", wrong.as_bytes()),
    ]);
    let ran = |words: &[&str]| {
        let ran = run(folder.path(), words);
        assert_eq!(ran.code, 0, "{words:?}: {}", ran.err);
        ran
    };
    let estimate = |words: &[&str]| -> EstimateReport {
        serde_json::from_str(&ran(&[&["estimate", "--json", "--failures", "0"], words].concat()).out).unwrap()
    };
    // 6 operations for 1e9 parameters and 65,536 tokens, on 32 GPUs.
    let computing = |teraflops: f64| 6.0 * 1e9 * 65536.0 / 32.0 / (teraflops * 1e12);
    let near = |found: &EstimateReport, teraflops: f64| {
        let (found, expected) = (found.compute.unwrap(), computing(teraflops));
        assert!((found / expected - 1.0).abs() < 1e-9, "{found} instead of {expected}");
    };
    near(&estimate(&["plain.toml"]), 400.0);
    let of_spec = estimate(&["slow.toml"]);
    near(&of_spec, 100.0);
    assert!(of_spec.assumptions.iter().any(|line| line == "Nodes do not forward traffic for others."));
    // A flag replaces a single value, also by a default.
    let with_flag = estimate(&["slow.toml", "--teraflops", "400"]);
    near(&with_flag, 400.0);
    assert!(with_flag.assumptions.iter().any(|line| line == "Nodes do not forward traffic for others."));
    // A search counts with the same ones. Gradients hide behind the last micro-batch.
    let step = |words: &[&str]| {
        let ran = ran(words);
        let text = ran.out + &ran.err;
        let line = text.lines().find(|line| line.starts_with("step ")).map(str::to_owned);
        line.unwrap_or_else(|| panic!("{text}"))
    };
    for (spec, least) in [("plain.toml", "30.72 ms"), ("slow.toml", "122.9 ms")] {
        let bound = step(&["demand", spec]);
        assert!(bound.starts_with("step     at least "), "{bound}");
        assert!(bound.contains(least), "{bound}");
        let found = step(&["search", spec, "--effort", "1", "--threads", "1", "-o", "wiring.txt"]);
        assert!(found.contains(least), "{found}");
    }
    let refused = run(folder.path(), &["estimate", "wrong.toml"]);
    let expected = "assumptions.rate: Unknown `nett`. Did you mean `net`?";
    assert!(refused.code == 2 && refused.err.contains(expected), "{}", refused.err);
}
