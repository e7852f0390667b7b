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
        (
            &["--fabric", "mesh:3x3", "--traffic", "unifrom"][..],
            "traffic: unifrom is not accepted; expected one of",
        ),
        (&["--fabric", "mesh:3x3", "--traffic", "bit-reversal"], "power of 2 (there are 9)"),
        (&["--fabric", "mash:3x3", "--traffic", "uniform"], "fabric: mash:3x3 is not accepted"),
        (&["--fabric", "mesh:3x3", "--traffic", "demand"], "a spec, whose demand it is"),
        (&["spec.toml", "wiring.txt", "--traffic", "pattern:1"], "a number below 1"),
        (&["--fabric", "mesh:3x3", "--traffic", "uniform", "--load", "0.5,7"], "loads[1]: 7 is not accepted"),
        (&["--fabric", "mesh:3x3", "--traffic", "uniform", "--ignored", "100000"], "ignored: 100000"),
        (
            &["--fabric", "tree:64,8,1", "--traffic", "uniform", "--routing", "dor"],
            "routing: dor is not accepted",
        ),
        (&["--fabric", "switch:4", "--traffic", "exchange", "--message", "0"], "message: 0"),
        (&["--fabric", "mesh:8x8", "--traffic", "uniform", "--cycles", "10000000000"], "time: about"),
        (&["--fabric", "mesh:64x64", "--traffic", "uniform", "--limit-memory", "1"], "memory: about"),
        (&["--traffic", "uniform"], "required"),
    ] {
        let ran = simulate(arguments);
        assert_eq!(ran.code, 2, "{arguments:?} {ran:?}");
        assert!(ran.err.contains(told), "{told}: {}", ran.err);
    }
}

#[test]
fn booksims_files_tell_the_same_network() {
    let folder = folder(&[]);
    let arguments = [
        "simulate",
        "--fabric",
        "mesh:2x2",
        "--traffic",
        "uniform",
        "--load",
        "0.25",
        "--booksim",
        "mesh.cfg",
    ];
    let ran = run(folder.path(), &arguments);
    assert_eq!(ran.code, 0, "{ran:?}");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let mut links = 0;
    for (switch, line) in read("mesh.cfg.anynet").lines().enumerate() {
        assert!(line.starts_with(&format!("router {switch} node {switch} 5")), "{line}");
        links += line.matches("router").count() - 1;
    }
    assert_eq!(links, 4);
    let config = read("mesh.cfg");
    for told in ["network_file = mesh.cfg.anynet;", "injection_rate = 0.25;", "packet_size = 134;"] {
        assert!(config.contains(told), "{told}: {config}");
    }
}

#[test]
fn names_are_listed() {
    assert!(simulate(&["--fabric", "x", "--traffic", "list"]).out.contains("all-to-all-phases\n"));
    assert!(
        simulate(&["--fabric", "x", "--traffic", "uniform", "--routing", "list"]).out.contains("partial-dor")
    );
}
