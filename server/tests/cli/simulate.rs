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
    assert!(
        ran.err.contains("--limit-seconds: this takes about") && !ran.err.contains("memory"),
        "{}",
        ran.err
    );
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
fn two_virtual_channels_keep_a_torus_from_deadlock() {
    let network =
        ["--fabric", "torus:4x4", "--traffic", "uniform", "--load", "1", "--buffer", "1", "--seed", "3"];
    let ran = simulate(&[&network[..], &["--virtual-channels", "2"]].concat());
    assert!(ran.code == 0 && !ran.out.contains("deadlock"), "{ran:?}");
}

#[test]
fn the_share_of_lost_frames_stands_beside_the_throughput() {
    let network = ["--fabric", "mesh:3x3", "--traffic", "uniform", "--cycles", "20000", "--saturate"];
    let dropped = simulate(&[&network[..], &["--full", "drop", "--buffer", "1"]].concat());
    let line = dropped.out.lines().find(|line| line.starts_with("saturation:")).unwrap();
    assert!(line.contains(" % of frames lost, at an offered load of "), "{line}");
    let held = simulate(&network);
    assert!(held.out.contains("flits per cycle and host, at an offered load of "), "{}", held.out);
}

#[test]
fn small_buffers_are_warned_of() {
    let network = ["--fabric", "mesh:2x2", "--traffic", "uniform", "--load", "0.1", "--buffer"];
    let text = simulate(&[&network[..], &["1"]].concat()).out;
    assert!(text.contains("\nwarning: A switch buffer holds one frame."), "{text}");
    for (buffer, warnings) in [("1", 1), ("2", 0)] {
        let ran = simulate(&[&network[..], &[buffer, "--json"]].concat());
        let told: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(told["warnings"].as_array().unwrap().len(), warnings);
        assert_eq!(told["cycle_ns"].as_f64(), Some(32.0));
    }
}

#[test]
fn current_switches_take_the_delays_of_a_market() {
    let network =
        ["--fabric", "switch:4", "--traffic", "uniform", "--load", "0.5", "--current-switches", "100g"];
    let ran = simulate(&network);
    assert_eq!(ran.code, 0, "{ran:?}");
    // 64 bytes at 100 Gb/s, 30 m of cable, and 0.6 us per switch.
    assert!(ran.out.contains("\n5.1 ns per cycle; delays: link 148.5 ns, routing 599 ns,"), "{}", ran.out);
    let other = simulate(&[&network[..], &["--routing-delay", "0"]].concat());
    let input = simulate(&[&network[..], &["--queue", "input"]].concat());
    assert!(input.code == 0 && !input.out.contains("Memory shared"), "{input:?}");
    assert!(other.out.contains("link 148.5 ns, routing 0,"), "{}", other.out);
}

#[test]
fn flags_without_effect_are_refused() {
    let open = ["--fabric", "switch:4", "--traffic", "uniform"];
    let timed = ["--fabric", "switch:4", "--traffic", "all-to-all"];
    for (network, flags, said) in [
        (open, &["--alpha", "2"][..], "--alpha has no effect without --shared-buffer"),
        (
            open,
            &["--current-switches", "100g", "--buffer", "8"],
            "--buffer has no effect with a shared buffer",
        ),
        (open, &["--message", "64"], "--message has no effect without a collective operation"),
        (open, &["--rounds", "2"], "--rounds has no effect"),
        (timed, &["--saturate"], "--saturate has no effect with all-to-all, a collective operation"),
        (timed, &["--cycles", "100000"], "--cycles has no effect"),
        (open, &["--booksim", "x", "--saturate"], "--saturate has no effect with --booksim"),
        (open, &["--booksim", "x", "--json"], "--json has no effect with --booksim"),
        (open, &["--booksim", "x", "--load", "0.1,0.2"], "--booksim writes a single load; --load has 2"),
    ] {
        let ran = simulate(&[&network[..], flags].concat());
        assert_eq!(ran.code, 2, "{flags:?} {ran:?}");
        assert!(ran.err.contains(said), "{said}: {}", ran.err);
    }
    // A preset is no flag, and a flag may change what it sets.
    let ran = simulate(&[&open[..], &["--current-switches", "100g", "--alpha", "2"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn a_trunk_speed_without_trunks_is_warned_of() {
    let warning = "\nwarning: The network has no trunks, so the trunk speed has no effect.\n";
    for (network, warns) in [("mesh:2x2", true), ("tree:8,4,2", false)] {
        let ran = simulate(&["--fabric", network, "--traffic", "uniform", "--trunk-speed", "2000"]);
        assert_eq!((ran.code, ran.out.contains(warning)), (0, warns), "{ran:?}");
    }
}

#[test]
fn few_frames_are_warned_of() {
    for (cycles, warns) in [("20000", true), ("1000000", false)] {
        let ran = simulate(&[
            "--fabric",
            "switch:4",
            "--traffic",
            "uniform",
            "--load",
            "0.5,0.1",
            "--cycles",
            cycles,
        ]);
        let said =
            ran.out.contains("frames counted at an offered load of 0.1000. Below 100, the 99 % latency");
        assert_eq!((ran.code, said), (0, warns), "{ran:?}");
    }
}

#[test]
fn hosts_that_forward_need_no_table() {
    for network in ["host-torus:16x16x64", "hamming-mesh:2x2,64x64"] {
        let ran = simulate(&[
            "--fabric",
            network,
            "--traffic",
            "neighbour",
            "--load",
            "0.1",
            "--cycles",
            "2000",
            "--ignored",
            "500",
        ]);
        assert!(ran.code == 0 && ran.out.contains("routing its own"), "{ran:?}");
    }
}

#[test]
fn collectives_print_bandwidth() {
    let ran =
        simulate(&["--fabric", "switch:4", "--traffic", "exchange", "--message", "512", "--rounds", "1"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    // 4 times 4,096 bits in 154 cycles of 32 ns.
    assert!(ran.out.contains("in 154 cycles (4.9 µs): total bandwidth 3.325 Gb/s"), "{}", ran.out);
}

/// Sixteen ranks on eight nodes: 0–3 and 4–7 have the ranks of a dp group each, twice.
const JOB: &str =
    "pes = 8\nnis_per_pe = 1\n[[switch]]\nports = 8\n[job]\nranks_per_pe = 2\ntp = 2\ndp = 4\npp = 2\n";

fn simulate_job(arguments: &[&str]) -> crate::program::Ran {
    let folder = folder(&[("job.toml", JOB.as_bytes())]);
    run(folder.path(), &[&["simulate", "job.toml", "--fabric", "switch:8"], arguments].concat())
}

#[test]
fn groups_have_their_times_and_bandwidths() {
    let ring = ["--traffic", "all-reduce-ring", "--message", "2048", "--rounds", "1"];
    for (groups, firsts) in
        [("dp", &[0, 4][..]), ("pp", &[0, 1, 2, 3]), ("4", &[0, 4]), ("2x4", &[0, 1, 2, 3])]
    {
        let ran = simulate_job(&[&ring[..], &["--groups", groups, "--json"]].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        let told: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        let result = &told["collective"];
        let of = |key: &str| -> Vec<u64> {
            result["groups"].as_array().unwrap().iter().map(|group| group[key].as_u64().unwrap()).collect()
        };
        assert_eq!(of("first"), firsts.iter().map(|first| *first as u64).collect::<Vec<_>>());
        assert!(of("nodes").iter().all(|nodes| *nodes == 8 / firsts.len() as u64));
        assert_eq!(of("cycles").into_iter().max(), result["cycles"].as_u64());
        assert_eq!(told["senders"].as_u64(), Some(8));
    }
    // Six steps of a frame of 512 bytes, each 153 cycles.
    let text = simulate_job(&[&ring[..], &["--groups", "dp"]].concat()).out;
    let times =
        "2 groups: fastest 919 cycles (29.4 µs), median 919 cycles (29.4 µs), slowest 919 cycles (29.4 µs)";
    assert!(text.contains(times), "{text}");
    // 2,048 bytes in 29.4 us, and 6/4 of that.
    assert!(text.contains("algorithm bandwidth 0.070 GB/s, bus bandwidth 0.104 GB/s"), "{text}");
}

#[test]
fn background_traffic_has_a_line_of_its_own() {
    let ring = ["--fabric", "switch:8", "--traffic", "all-reduce-tree", "--groups", "4", "--rounds", "2"];
    let alone = simulate(&ring);
    assert!(alone.code == 0 && !alone.out.contains("background"), "{alone:?}");
    let beside =
        simulate(&[&ring[..], &["--background", "hot-spot:0,0.2", "--background-load", "0.2"]].concat());
    assert_eq!(beside.code, 0, "{beside:?}");
    assert!(beside.out.contains("\nbackground: 0.2000 flits per cycle and host offered, "), "{}", beside.out);
    assert!(beside.out.contains(" frames delivered\n"), "{}", beside.out);
}

#[test]
fn bad_groups_and_backgrounds_name_what_would_do() {
    let ring = ["--traffic", "all-reduce-ring"];
    for (arguments, told) in [
        (
            &["--groups", "tp"][..],
            "--groups: every group of tp is inside a node; use a dimension whose groups span nodes.",
        ),
        (&["--groups", "ep"], "--groups: ep has one rank in each job; use a dimension with several."),
        (&["--groups", "3"], "--groups: 8 nodes can't be divided into groups of 3."),
        (&["--groups", "1"], "--groups: must be all, a number of nodes such as 8,"),
        (&["--message", "7"], "--message: must be at least 8 bytes, one per node of a group, not 7."),
        (
            &["--background", "all-to-all"],
            "--background: must be traffic at an offered load, such as uniform",
        ),
        (
            &["--background", "transpose"],
            "--background: transpose needs a number of nodes that is a square; there are 8.",
        ),
        (
            &["--background", "uniform", "--background-load", "1.5"],
            "--background-load: must be above 0 and at most",
        ),
        (&["--background", "uniform", "--full", "drop"], "--full: must be hold:"),
    ] {
        let ran = simulate_job(&[&ring[..], arguments].concat());
        assert_eq!(ran.code, 2, "{arguments:?} {ran:?}");
        assert!(ran.err.contains(told), "{told}: {}", ran.err);
    }
    let network = ["--fabric", "switch:8", "--traffic"];
    for (arguments, told) in [
        (&["all-to-all", "--groups", "dp"][..], "--groups: dp needs a spec with a [job];"),
        (&["uniform", "--groups", "4"], "--groups has no effect without a collective operation"),
        (
            &["uniform", "--background", "uniform"],
            "--background has no effect without a collective operation",
        ),
        (&["all-reduce-hierarchical:3"], "needs subgroups of 2 or more nodes that divide the nodes"),
        (&["all-reduce-hierarchical:1"], "--traffic: must be `all-reduce-hierarchical:SIZE`"),
    ] {
        let ran = simulate(&[&network[..], arguments].concat());
        assert_eq!(ran.code, 2, "{arguments:?} {ran:?}");
        assert!(ran.err.contains(told), "{told}: {}", ran.err);
    }
}

#[test]
fn bad_input_names_field_value_and_what_would_do() {
    for (arguments, told) in [
        (
            &["--fabric", "mesh:3x3", "--traffic", "unifrom"][..],
            "--traffic: Unknown traffic `unifrom`. Did you mean `uniform`?",
        ),
        (
            &["--fabric", "mesh:3x3", "--traffic", "bit-reversal"],
            "bit-reversal needs a number of nodes that is a power of 2; there are 9.",
        ),
        (
            &["--fabric", "mash:3x3", "--traffic", "uniform"],
            "--fabric: Unknown network `mash`. Did you mean `mesh:",
        ),
        (
            &["--fabric", "mesh:3x3", "--traffic", "demand"],
            "demand needs a spec, whose requested pairs it sends between",
        ),
        (
            &["spec.toml", "wiring.txt", "--traffic", "pattern:1"],
            "the spec has one pattern, so there is no pattern:",
        ),
        (
            &["--fabric", "mesh:3x3", "--traffic", "uniform", "--load", "0.5,7"],
            "--load: must be above 0 and at most 1, the flits per cycle that a host can send, not 7.",
        ),
        (
            &["--fabric", "mesh:3x3", "--traffic", "uniform", "--ignored", "100000"],
            "--ignored: must be a whole number below the 100,000 cycles, not 100000.",
        ),
        (
            &["--fabric", "mesh:3x3", "--traffic", "uniform", "--cycles", "10"],
            "--ignored: its default, 10,000, is not below the 10 cycles; set a smaller number.",
        ),
        (&["--fabric", "tree:64,8,1", "--traffic", "uniform", "--routing", "dor"], "--routing: must be "),
        (
            &["--fabric", "switch:4", "--traffic", "exchange", "--message", "0"],
            "--message: must be a whole number from 1 to ",
        ),
        (
            &["--fabric", "mesh:8x8", "--traffic", "uniform", "--cycles", "10000000000"],
            "use fewer hosts, cycles or loads, or raise the limit.",
        ),
        (
            &["--fabric", "mesh:64x64", "--traffic", "uniform", "--limit-memory", "1"],
            "--limit-memory: this takes about",
        ),
        (&["--traffic", "uniform"], "--fabric: missing"),
        (
            &["spec.toml", "--fabric", "switch:4", "--traffic", "pattern:0"],
            "--fabric: switch:4 has 4 hosts, and the traffic has 8 nodes;",
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
            "--message: must be at least 1 byte",
        ),
        (
            &["--fabric", "switch:1", "--traffic", "all-to-all"],
            "--traffic: all-to-all needs two or more nodes",
        ),
        (
            &["--fabric", "mesh:3x3", "--traffic", "uniform", "--reference-speed", "1"],
            "--reference-speed: must be at least",
        ),
        (
            &["--fabric", "mesh:3x3", "--traffic", "uniform", "--trunk-speed", "0"],
            "--trunk-speed: must be a whole number from 1 to ",
        ),
        (
            &["--fabric", "mesh:3x3", "--traffic", "all-to-all", "--load", "0.5"],
            "--load has no effect with all-to-all, a collective operation",
        ),
        (&["--fabric", "full:5000", "--traffic", "uniform", "--routing", "minimal"], "takes over an hour"),
        (
            &["--fabric", "mesh:3x3", "--traffic", "uniform", "--virtual-channels", "9"],
            "--virtual-channels: must be a whole number from 1 to 8, not 9.",
        ),
        (
            &["--fabric", "mesh:3x3", "--traffic", "uniform", "--shared-buffer", "8"],
            "--shared-buffer has no effect without --queue shared",
        ),
        (&["--fabric", "host-torus:64x64x8", "--traffic", "uniform", "--routing", "ecmp"], "--fabric: "),
    ] {
        let ran = simulate(arguments);
        assert_eq!(ran.code, 2, "{arguments:?} {ran:?}");
        assert!(ran.err.contains(told), "{told}: {}", ran.err);
    }
}

/// The network and the configuration written for BookSim.
fn booksim(arguments: &[&str]) -> (String, String) {
    let folder = folder(&[("spec.toml", SPEC.as_bytes()), ("wiring.txt", WIRING.as_bytes())]);
    let ran = run(folder.path(), &[&["simulate", "--booksim", "4x.cfg"], arguments].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(read("4x.cfg.patch").contains("diff --git a/src/networks/flows.cpp"));
    (read("4x.cfg.network"), read("4x.cfg"))
}

/// Flows of a file: source, destination, rate and channels.
fn flows(network: &str) -> Vec<(u32, u32, f64, Vec<usize>)> {
    let of = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |at: usize| words[at].parse::<u32>().unwrap();
        let channels = words[4..].iter().map(|word| word.parse().unwrap()).collect();
        (number(1), number(2), words[3].parse().unwrap(), channels)
    };
    network.lines().filter(|line| line.starts_with("flow ")).map(of).collect()
}

#[test]
fn booksims_files_tell_the_same_network_and_paths() {
    let (network, config) = booksim(&["--fabric", "mesh:2x2", "--traffic", "uniform", "--load", "1"]);
    assert!(network.starts_with("routers 4\n"), "{network}");
    assert_eq!(network.matches("\nchannel ").count(), 8);
    assert_eq!(flows(&network).len(), 12);
    for told in [
        "network_file = ./4x.cfg.network;",
        "injection_rate = 1.0;",
        "packet_size = 134;",
        "vc_buf_size = 536;",
        "routing_delay = 7;",
        "credit_delay = 0;",
        "sim_type = throughput;",
        "sample_period = 10000;",
        "max_samples = 10;",
    ] {
        assert!(config.contains(told), "{told}: {config}");
    }

    // All frames of a host together are its offered load, over whichever path, and every path is one of channels in a row.
    let arguments = ["--fabric", "fat-tree:16,4,3", "--traffic", "hot-spot:3,0.5", "--paths", "random"];
    let (network, _) = booksim(&arguments);
    let ends = |kind: &str| -> Vec<Vec<u32>> {
        let words = |line: &str| line.split(' ').skip(1).map(|word| word.parse().unwrap()).collect();
        network.lines().filter(|line| line.starts_with(kind)).map(words).collect()
    };
    let (nodes, channels) = (ends("node "), ends("channel "));
    let mut sent = vec![0.0; nodes.len()];
    for (source, destination, rate, path) in flows(&network) {
        sent[source as usize] += rate;
        let last = path.iter().fold(nodes[source as usize][0], |at, &channel| {
            assert_eq!(channels[channel][0], at, "channels in a row");
            channels[channel][1]
        });
        assert_eq!(last, nodes[destination as usize][0], "{source} to {destination}");
    }
    assert_eq!(nodes.len(), 16);
    assert!(sent.iter().all(|sent| (sent - 1.0).abs() < 1e-9), "{sent:?}");
    let hot: f64 = flows(&network).iter().filter(|flow| flow.1 == 3).map(|flow| flow.2).sum();
    assert!((hot - 15.0 * (0.5 + 0.5 / 15.0)).abs() < 1e-9, "{hot}");

    // Dimension order on a ring gives each frame one of two classes of virtual channels, other paths take any.
    for (fabric, classes) in [("torus:4x4", true), ("mesh:4x4", false)] {
        let (network, config) =
            booksim(&["--fabric", fabric, "--traffic", "uniform", "--virtual-channels", "4"]);
        assert!(config.contains("num_vcs = 4;"), "{config}");
        for class in [":0-1", ":2-3"] {
            assert_eq!(network.contains(class), classes, "{fabric}: {network}");
        }
    }

    // A host of several NICs is several nodes, and each flow starts at the NIC that its path takes.
    let (network, config) = booksim(&["spec.toml", "wiring.txt", "--traffic", "demand"]);
    assert!(flows(&network).iter().all(|flow| flow.3.is_empty()), "one switch per path: {network}");
    assert!(config.contains("nodes / "), "{config}");
}

#[test]
fn what_booksim_cannot_do_is_refused() {
    for (arguments, told) in [
        (&["--fabric", "pmesh:4x4", "--traffic", "uniform"][..], "hosts that forward"),
        (&["--fabric", "mesh:4x4", "--traffic", "uniform", "--full", "drop"], "full = drop"),
        (&["--fabric", "mesh:4x4", "--traffic", "uniform", "--reference-speed", "2000"], "reference_speed"),
        (&["--fabric", "mesh:4x4", "--traffic", "uniform", "--cycles", "3000000000"], "cycles = 3000000000"),
        (&["--fabric", "mesh:4x4", "--traffic", "all-to-all"], "no collective operations"),
        (
            &["--fabric", "mesh:4x4", "--traffic", "uniform", "--paths", "random-intermediate"],
            "paths = random-intermediate",
        ),
    ] {
        let ran = simulate(&[&["--booksim", "x"], arguments].concat());
        assert_eq!(ran.code, 2, "{arguments:?} {ran:?}");
        assert!(ran.err.contains(told), "{told}: {}", ran.err);
    }
}

#[test]
fn an_output_that_cannot_be_written_stops_a_simulation_before_it_starts() {
    let ran = simulate(&["--fabric", "switch:4", "--traffic", "uniform", "-o", "missing/x"]);
    assert_eq!(
        (ran.code, &*ran.err),
        (2, "crosspoint: missing/x cannot be written: No such file or directory\n")
    );
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
