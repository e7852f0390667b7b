use crate::program::{folder, run};

/// Eight PEs in a ring, two NIs each, on switches of four ports.
const SPEC: &str =
    "pes = 8\nnis_per_pe = 2\nobjective = \"sparse\"\n[[switch]]\nports = 4\n[[pattern]]\nkind = \"ring\"\n";
const WIRING: &str = "0: 0 1 2 7\n1: 2 3 4 5\n2: 5 6 7\n";

fn simulate(arguments: &[&str]) -> crate::program::Ran {
    let folder = folder(&[("spec.toml", SPEC.as_bytes()), ("wiring.txt", WIRING.as_bytes())]);
    run(folder.path(), &[&["simulate"], arguments].concat())
}

#[test]
fn a_wiring_carries_its_pattern() {
    let ran = simulate(&["spec.toml", "wiring.txt", "--traffic", "pattern:0", "--load", "0.2,0.1", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let told: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((told["fabric"].as_str(), told["senders"].as_u64()), (Some("design"), Some(8)));
    let loads: Vec<f64> =
        told["points"].as_array().unwrap().iter().map(|p| p["offered"].as_f64().unwrap()).collect();
    assert_eq!(loads, [0.1, 0.2]);
    for point in told["points"].as_array().unwrap() {
        let (accepted, offered) = (point["accepted"].as_f64().unwrap(), point["offered"].as_f64().unwrap());
        assert!((accepted / offered - 1.0).abs() < 0.1, "{point}");
        // Two links, a switch, 134 flits: nobody is faster.
        assert!(point["latency"]["median"].as_u64().unwrap() >= 153, "{point}");
    }
}

#[test]
fn the_same_seed_prints_the_same_on_any_number_of_threads() {
    let on = |threads| {
        let network =
            ["--fabric", "mesh:3x3", "--traffic", "uniform", "--cycles", "20000", "--threads", threads];
        let ran = simulate(&network);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.out
    };
    assert_eq!(on("1"), on("3"));
}

#[test]
fn a_load_named_twice_is_one_load() {
    let ran = simulate(&["--fabric", "mesh:2x2", "--traffic", "uniform", "--load", "0.2,0.1,0.2"]);
    assert!(ran.code == 0 && ran.err.contains("2 of 2 loads"), "{ran:?}");
}

#[test]
fn long_simulations_of_few_frames_under_way_are_not_refused() {
    // A billion cycles make 47 million frames, of which some dozens are there at a time.
    let network = ["--fabric", "mesh:8x8", "--traffic", "uniform", "--load", "0.1", "--cycles", "1000000000"];
    let ran = simulate(&[&network[..], &["--limit-seconds", "1"]].concat());
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("time: got about") && !ran.err.contains("memory"), "{}", ran.err);
}

#[test]
fn a_deadlock_is_an_answer_and_names_its_switches() {
    let ran = simulate(&[
        "--fabric",
        "torus:4x4",
        "--traffic",
        "uniform",
        "--load",
        "1",
        "--buffer",
        "1",
        "--seed",
        "3",
    ]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.out.contains("deadlock, found in cycle") && ran.out.contains("switch"), "{}", ran.out);
}

#[test]
fn collectives_print_bandwidth() {
    let ran =
        simulate(&["--fabric", "switch:4", "--traffic", "exchange", "--message", "512", "--rounds", "1"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    // 4 times 4,096 bits in 154 cycles of 32 ns.
    assert!(ran.out.contains("in 154 cycles: 3.325 Gb/s in all"), "{}", ran.out);
}

#[test]
fn bad_input_names_field_value_and_what_would_do() {
    for (arguments, told) in [
        (&["--fabric", "mesh:3x3", "--traffic", "unifrom"][..], "traffic: got unifrom, expected one of"),
        (&["--fabric", "mesh:3x3", "--traffic", "bit-reversal"], "power of 2; there are 9"),
        (&["--fabric", "mash:3x3", "--traffic", "uniform"], "fabric: got mash:3x3"),
        (&["--fabric", "mesh:3x3", "--traffic", "demand"], "expected a spec"),
        (
            &["spec.toml", "wiring.txt", "--traffic", "pattern:1"],
            "expected pattern:0, since the spec has one pattern",
        ),
        (&["--fabric", "mesh:3x3", "--traffic", "uniform", "--load", "0.5,7"], "loads[1]: got 7"),
        (&["--fabric", "mesh:3x3", "--traffic", "uniform", "--ignored", "100000"], "ignored: got 100000"),
        (&["--fabric", "tree:64,8,1", "--traffic", "uniform", "--routing", "dor"], "routing: got dor"),
        (&["--fabric", "switch:4", "--traffic", "exchange", "--message", "0"], "message: got 0"),
        (&["--fabric", "mesh:8x8", "--traffic", "uniform", "--cycles", "10000000000"], "time: got about"),
        (&["--fabric", "mesh:64x64", "--traffic", "uniform", "--limit-memory", "1"], "memory: got about"),
        (&["--traffic", "uniform"], "fabric: missing"),
        (
            &["spec.toml", "--fabric", "switch:4", "--traffic", "pattern:0"],
            "fabric: got switch:4, expected a network of at least 8 hosts",
        ),
        (
            &[
                "--fabric",
                "switch:2",
                "--traffic",
                "all-to-all",
                "--rounds",
                "4294967295",
                "--message",
                "18446744073709551615",
            ],
            "message: got 18446744073709551615",
        ),
        (&["--fabric", "switch:1", "--traffic", "all-to-all"], "traffic: got all-to-all"),
        (
            &["--fabric", "mesh:3x3", "--traffic", "uniform", "--reference-speed", "1"],
            "reference_speed: got 1",
        ),
        (&["--fabric", "mesh:3x3", "--traffic", "uniform", "--trunk-speed", "0"], "trunk_speed: got 0"),
        (&["--fabric", "mesh:3x3", "--traffic", "all-to-all", "--load", "0.5"], "is a collective operation"),
        (&["--fabric", "full:5000", "--traffic", "uniform"], "within an hour"),
        (&["--fabric", "switch:100000", "--traffic", "uniform"], "fabric: got switch:100000"),
    ] {
        let ran = simulate(arguments);
        assert_eq!(ran.code, 2, "{arguments:?} {ran:?}");
        assert!(ran.err.contains(told), "{told}: {}", ran.err);
    }
}

/// The topology and the configuration written for BookSim.
fn booksim(arguments: &[&str]) -> (String, String) {
    let folder = folder(&[]);
    let ran = run(folder.path(), &[&["simulate", "--booksim", "4x.cfg"], arguments].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    (read("4x.cfg.anynet"), read("4x.cfg"))
}

#[test]
fn booksims_files_tell_the_same_network() {
    let (network, config) = booksim(&["--fabric", "mesh:2x2", "--traffic", "uniform", "--load", "1"]);
    // Each way of a link has its own cycles, and those of hosts are told where they are not misread.
    let told = "node 0 router 0 5\nnode 1 router 1 5\nnode 2 router 2 5\nnode 3 router 3 5\n\
        router 0 router 1 5 router 2 5\nrouter 1 router 0 5 router 3 5\n\
        router 2 router 0 5 router 3 5\nrouter 3 router 1 5 router 2 5\n";
    let sorted = |text: &str| {
        let links = |line: &str| {
            let mut words: Vec<String> = line.split(" router").map(str::to_string).collect();
            words[1..].sort();
            words.join(" router")
        };
        text.lines().map(links).collect::<Vec<_>>()
    };
    assert_eq!(sorted(&network), sorted(told));
    for told in [
        "network_file = ./4x.cfg.anynet;",
        "injection_rate = 1.0;",
        "packet_size = 134;",
        "vc_buf_size = 536;",
        "routing_delay = 7;",
        "credit_delay = 0;",
        "sample_period = 10000;",
        "max_samples = 10;",
    ] {
        assert!(config.contains(told), "{told}: {config}");
    }
    let (network, _) = booksim(&["--fabric", "tree:8,4,1", "--traffic", "neighbour", "--load", "0.5"]);
    assert!(network.starts_with("router 0 node 0\nrouter 0 node 1\n"), "{network}");
}

#[test]
fn what_booksim_cannot_do_is_refused() {
    for (arguments, told) in [
        (
            &["spec.toml", "wiring.txt", "--traffic", "uniform"][..],
            "exactly one link per host (host 2 has 2)",
        ),
        (&["--fabric", "mesh:4x4", "--traffic", "hot-spot:0,0.5"], "the traffic \"hot-spot:0,0.5\""),
        (&["--fabric", "mesh:6x6", "--traffic", "transpose"], "an even power of 2"),
        (&["--fabric", "mesh:4x4", "--traffic", "uniform", "--full", "drop"], "full = drop"),
        (&["--fabric", "mesh:4x4", "--traffic", "uniform", "--reference-speed", "2000"], "reference_speed"),
        (&["--fabric", "mesh:4x4", "--traffic", "uniform", "--cycles", "3000000000"], "cycles = 3000000000"),
        (&["--fabric", "mesh:4x4", "--traffic", "all-to-all"], "no collective operations"),
        (&["--fabric", "mesh:4x4", "--traffic", "uniform", "--routing", "dor"], "its own minimal paths"),
    ] {
        let ran = simulate(&[&["--booksim", "x"], arguments].concat());
        assert_eq!(ran.code, 2, "{arguments:?} {ran:?}");
        assert!(ran.err.contains(told), "{told}: {}", ran.err);
    }
}

#[test]
fn names_are_listed() {
    assert!(
        simulate(&["--traffic", "list"]).out.contains("all-to-all-phases     All-to-all in phases, timed\n")
    );
    assert!(simulate(&["--routing", "list"]).out.contains("partial-dor"));
    for (arguments, told) in [
        (&["--fabric", "full:9"][..], "--traffic is missing"),
        (&["--traffic", "uniform"], "fabric: missing"),
    ] {
        let ran = simulate(arguments);
        assert!(ran.code == 2 && ran.err.contains(told), "{arguments:?} {ran:?}");
    }
}
