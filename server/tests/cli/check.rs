use crate::program::{SMALL, folder, kasy0, kasy0_wiring, run, run_with};

#[test]
fn kasy0s_published_wiring_holds() {
    let folder = folder(&[]);
    let ran = run(folder.path(), &["check".into(), kasy0(), kasy0_wiring()]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("1,536"), "{}", ran.out);
}

#[test]
fn every_uncovered_pair_and_broken_limit_is_named() {
    let wiring = b"0: 0 1\n1: 0 2 3\n";
    let spec = SMALL.replace("ports = 4", "ports = 4\ncount = 1");
    let folder = folder(&[("spec.toml", spec.as_bytes()), ("wiring.txt", wiring)]);
    let ran = run(folder.path(), &["check", "spec.toml", "wiring.txt"]);
    assert_eq!(ran.code, 1);
    for told in ["2 of 6", "  1 2\n", "  1 3\n", "node 0 is on 2 switches", "2 switches; the spec allows 1"] {
        assert!(ran.out.contains(told), "{told}: {}", ran.out);
    }
}

#[test]
fn none_of_many_uncovered_pairs_is_left_out() {
    let spec = SMALL.replace("pes = 4", "pes = 40").replace("ports = 4", "ports = 40");
    let wiring: String = (0..40).map(|node| format!("{node}: {node}\n")).collect();
    let folder = folder(&[("spec.toml", spec.as_bytes())]);
    let ran = run_with(&wiring, folder.path(), &["check", "spec.toml", "-"]);
    assert_eq!(ran.code, 1);
    assert_eq!(ran.out.lines().filter(|line| line.starts_with("  ")).count(), 780);
}

#[test]
fn a_wiring_of_another_spec_is_named_before_a_few_pairs() {
    let folder = folder(&[("wiring.txt", b"0: 0 1 2 3\n1: 4 5 6 7\n")]);
    let ran = run(folder.path(), &["check".into(), kasy0(), "wiring.txt".into()]);
    assert_eq!(ran.code, 1);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines[0], "the wiring has 8 of the spec's 128 nodes; is it for another spec?");
    assert!(lines[1].ends_with(" of 1,536 requested pairs are uncovered:"), "{}", ran.out);
    assert!(lines.len() == 13 && lines[12].starts_with("  and "), "{}", ran.out);
}

/// Eight nodes on three 6-port switches, of which the last node lacks a cable.
#[test]
fn a_free_nic_and_a_free_port_are_named_instead_of_more_hardware() {
    let spec = "nodes = 8\nnics_per_node = 2\nobjective = \"universal\"\n[[switch]]\nports = 6\n";
    let folder = folder(&[("spec.toml", spec.as_bytes())]);
    let wiring = "0: 0 1 2 3 4 5\n1: 0 1 2 6 7\n2: 3 4 5 6\n";
    let ran = run_with(wiring, folder.path(), &["check", "spec.toml", "-"]);
    let pairs = "3 of 28 requested pairs are uncovered:\n  3 7\n  4 7\n  5 7\n";
    let told = format!("{pairs}advice: Node 7 has 1 free NIC, and switch 2 has 2 free ports.\n");
    assert_eq!((ran.code, ran.out), (1, told), "{}", ran.err);
}

#[test]
fn one_pair_is_told_in_the_singular() {
    let spec = SMALL.replace("universal", "sparse") + "[[pattern]]\nkind = \"matrix\"\npairs = ";
    let (one, two) = (spec.clone() + "[[0, 1]]\n", spec + "[[0, 1], [2, 3]]\n");
    let folder = folder(&[("one.toml", one.as_bytes()), ("two.toml", two.as_bytes())]);
    for (spec, wiring, told) in [
        ("one.toml", "0: 0 1\n", "the one requested pair is covered; all limits of the spec hold\n"),
        ("one.toml", "0: 0\n", "the one requested pair is uncovered:\n  0 1\n"),
        ("two.toml", "0: 0 1\n", "1 of 2 requested pairs is uncovered:\n  2 3\n"),
        ("two.toml", "0: 0\n", "2 of 2 requested pairs are uncovered:\n"),
    ] {
        let ran = run_with(wiring, folder.path(), &["check", spec, "-"]);
        assert!(ran.out.starts_with(told), "{ran:?}");
    }
}

/// Twenty-five pairs of different weights, none of them served.
#[test]
fn a_fractional_wiring_is_judged_by_weight() {
    let pairs: String = (1..26).map(|b| format!("0 {b} {b}\n")).collect();
    let spec = format!(
        "pes = 26\nnis_per_pe = 1\nobjective = \"fractional\"\n[[switch]]\nports = 4\n\
         [[pattern]]\nkind = \"matrix\"\npairs = \"\"\"\n{pairs}\"\"\"\n"
    );
    let folder = folder(&[("spec.toml", spec.as_bytes())]);
    let ran = run_with("0: 0 25\n", folder.path(), &["check", "spec.toml", "-"]);
    assert_eq!(ran.code, 1);
    let told = "covers 7.69 % of the traffic weight: 25 of 325\n24 of 25 requested pairs are uncovered, heaviest first:\n  \
                0 24  weight 24: matrix of 25 pairs\n  0 23  weight 23";
    assert!(ran.out.starts_with(told), "{}", ran.out);
    assert_eq!(ran.out.lines().filter(|line| line.starts_with("  ")).count(), 24);
    let ran = run_with("0: 0 25\n", folder.path(), &["analyze", "spec.toml", "-"]);
    assert!(
        ran.out.contains("  0 5  weight 5: matrix of 25 pairs\n  and 4 more with a total weight of 10\n"),
        "{}",
        ran.out
    );
}

#[test]
fn wished_links_are_counted() {
    let spec = SMALL.replace("universal", "sparse").replace("nis_per_pe = 1", "nis_per_pe = 2")
        + "[[pattern]]\nkind = \"ring\"\nextra = 1\n";
    let folder = folder(&[("spec.toml", spec.as_bytes())]);
    let ran = run_with("0: 0 1 2 3\n1: 0 1 2\n", folder.path(), &["check", "spec.toml", "-"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(
        ran.out,
        "all 4 requested pairs are covered; all limits of the spec hold\nextra links: 2 of 4 provided\n"
    );
}

/// Three PEs on two switches, and what PE 1 and a switch say.
#[test]
fn a_machine_is_held_against_its_wiring() {
    let spec = "pes = 3\nnis_per_pe = 2\nobjective = \"sparse\"\n[[switch]]\nports = 4\ncount = 2\n\
        [[pattern]]\nkind = \"matrix\"\npairs = [[0, 1], [1, 2]]\n";
    let right = "sw00# show lldp neighbors\nPort    Neighbor Device ID    Neighbor Port ID    TTL\n\
        Et1     node000                 eth0                120\nEt2     node001                 eth0                120\n\n\
        root@node001:~# lldpctl -f keyvalue\nlldp.eth1.via=LLDP\nlldp.eth1.chassis.name=sw01\n\
        lldp.eth1.port.ifname=swp1\n\nnode002: lldp.eth0.via=LLDP\nnode002: lldp.eth0.chassis.name=sw01\n";
    let wrong = right.replace("node002: lldp.eth0.chassis.name=sw01", "node002: lldp.eth0.chassis.name=sw00");
    let folder = folder(&[
        ("spec.toml", spec.as_bytes()),
        ("wiring.txt", b"0: 0 1\n1: 1 2\n"),
        ("right", right.as_bytes()),
        ("wrong", wrong.as_bytes()),
        ("nothing", b"hello\n"),
        ("nameless", b"lldp.eth0.via=LLDP\n"),
    ]);
    let check = |lldp: &str| run(folder.path(), &["check", "spec.toml", "wiring.txt", "--lldp", lldp]);
    let ran = check("right");
    assert_eq!((ran.code, ran.out.as_str()), (0, "4 of 4 cables are where the design says\n"), "{ran:?}");
    let ran = check("wrong");
    let told = "3 of 4 cables are where the design says\nwrong: node002 NIC0 is on sw00; it belongs on sw01 port 2\n";
    assert_eq!((ran.code, ran.out.as_str()), (1, told), "{ran:?}");
    for (file, told) in [
        ("nothing", "nothing: no LLDP neighbours:\nline 1: has no neighbour; give the output of lldpctl"),
        ("nameless", "line 1: a neighbour on \"eth0\" of an unnamed node"),
        ("missing", "missing cannot be read"),
        ("spec.toml", "spec.toml is a spec; it has no LLDP neighbours\n"),
    ] {
        let ran = check(file);
        assert!(ran.code == 2 && ran.err.contains(told), "{ran:?}");
    }
    let ran = run(folder.path(), &["check", "spec.toml", "-", "--lldp", "-"]);
    assert!(ran.code == 2 && ran.err.contains("can be standard input"), "{ran:?}");
}

/// Six nodes with two NICs; every two share a switch.
const TRIANGLE: &str = "0: 0 1 2 3\n1: 0 1 4 5\n2: 2 3 4 5\n";

/// Wiring with two more NICs per node, which only nodes 0 and 1, 2 and 3, 4 and 5 share.
const HALF: &str = "0: 0 1 2 3\n1: 0 1 4 5\n2: 2 3 4 5\n3: 0 1\n4: 0 1\n5: 2 3\n6: 2 3\n7: 4 5\n8: 4 5\n";

/// NCCL's log of a ring over six nodes with two NICs, of which it uses that device at both ends.
fn ring_log(device: u32, named: &str, set: &str) -> String {
    let of_rank = |rank: u32| {
        let (next, last) = ((rank + 1) % 6, (rank + 5) % 6);
        let line = |message: &str| format!("gpu:10{rank}:11{rank} [0] NCCL INFO {message}\n");
        [
            format!("NCCL_HOSTID set by environment to node00{rank}."),
            set.into(),
            "NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE [RO]; OOB ctl:10.0.0.1<0>".into(),
            named.into(),
            format!("ncclCommInitRank comm 0x5{rank} rank {rank} nranks 6 cudaDev 0 nvmlDev 0 busId 1000 commId 0xaa - Init START"),
            format!("Channel 00/0 : {last}[0] -> {rank}[0] [receive] via NET/IB/{device}/GDRDMA"),
            format!("Channel 00/0 : {rank}[0] -> {next}[0] [send] via NET/IB/{device}/GDRDMA"),
        ]
        .iter()
        .map(|message| line(message))
        .collect::<String>()
    };
    (0..6).map(of_rank).collect()
}

/// The ring 0 1 2 3 4 5 of the first NICs cannot connect between nodes 3 and 4, and 5 and 0 (seen with NCCL 2.28.9).
#[test]
fn the_nics_of_a_job_are_held_against_the_wiring() {
    let made = "NET/IB : Made virtual device [2] name=mlx5_0+mlx5_1 speed=400000 ndevs=2 rail=-1 plane=-1";
    let (subnets, one) = (
        "NCCL_IB_SUBNET_AWARE_ROUTING set by environment to 1.",
        "NCCL_IB_MERGE_NICS set by environment to 0.",
    );
    let first = ring_log(0, "", one);
    let (half, _) = first.split_once("gpu:105").unwrap();
    let folder = folder(&[
        ("spec.toml", with_job(2).as_bytes()),
        ("wiring.txt", TRIANGLE.as_bytes()),
        ("first", first.as_bytes()),
        ("subnets", ring_log(0, "", subnets).as_bytes()),
        ("merged", ring_log(2, made, subnets).as_bytes()),
        ("fixed", ring_log(2, made, one).as_bytes()),
        ("nameless", ring_log(2, "", subnets).as_bytes()),
        ("second", ring_log(1, "", one).replace("mlx5_1:1", "mlx5_0:2").as_bytes()),
        ("half", half.as_bytes()),
        ("hosts", first.replace("NCCL_HOSTID", "ID").as_bytes()),
    ]);
    let check = |log: &str| run(folder.path(), &["check", "spec.toml", "wiring.txt", "--nccl", log]);
    let two = "4 of 6 connections between nodes: both NICs are on a common switch\n\
        \u{20} node003 mlx5_0 -> node004 mlx5_0 (1 channel): sw00 and sw01\n\
        \u{20} node005 mlx5_0 -> node000 mlx5_0 (1 channel): sw01 and sw00\n";
    for log in ["first", "subnets"] {
        let ran = check(log);
        assert_eq!((ran.code, ran.out.as_str()), (1, two), "{ran:?}");
    }
    let ran = check("merged");
    let all = "6 of 6 connections between nodes: both NICs are on a common switch\n";
    assert_eq!((ran.code, ran.out.as_str()), (0, all), "{ran:?}");
    for (log, told) in [
        ("fixed", "With NCCL_IB_SUBNET_AWARE_ROUTING=1 it may use any that reaches it.\n"),
        ("second", "unknown NICs: mlx5_0:2."),
        ("fixed", "3 of 6"),
        ("fixed", "  node001 mlx5_0+mlx5_1 -> node002 mlx5_0+mlx5_1 (1 channel): sw00+sw01 and sw00+sw02\n"),
        (
            "nameless",
            "unknown NICs: device 2. --hca and --interface set the names; NCCL_DEBUG_SUBSYS=INIT,NET,ENV logs",
        ),
        ("hosts", "not in the wiring: gpu/0, gpu/1, gpu/2, gpu/3, gpu/4, gpu/5. NCCL_HOSTID sets"),
        ("half", "3 of 4 connections"),
        ("half", "2 connections with the log of one end only. Give the logs of all processes.\n"),
    ] {
        let ran = check(log);
        assert!(ran.code == 1 && ran.out.contains(told), "{told}: {ran:?}");
    }
    let hca = ["check", "spec.toml", "wiring.txt", "--nccl", "first", "--hca", "ib{nic}"];
    let ran = run(folder.path(), &hca);
    assert!(ran.code == 1 && ran.out.contains("unknown NICs: mlx5_0."), "{ran:?}");
}

fn with_job(nics: u32) -> String {
    format!(
        "pes = 6\nnis_per_pe = {nics}\n[[switch]]\nports = 8\n[job]\nranks_per_pe = 2\n\
         [[collective]]\nalong = \"dp\"\nalgorithm = \"all-pairs\"\n"
    )
}

#[test]
fn pairs_that_nccl_does_not_connect_are_listed() {
    let (two, four) = (with_job(2), with_job(4));
    let folder = folder(&[("two.toml", two.as_bytes()), ("four.toml", four.as_bytes())]);
    let check = |spec: &str, wiring: &str, library: &str| {
        run_with(wiring, folder.path(), &["check", spec, "-", "--library", library])
    };
    let whole = check("two.toml", TRIANGLE, "nccl");
    assert_eq!(whole.code, 0, "{whole:?}");
    assert!(whole.out.starts_with(
        "NCCL connects all 15 pairs of nodes that the job's groups use.\nNCCL must be version 2.30.7"
    ));
    let half = check("four.toml", HALF, "nccl");
    assert_eq!(half.code, 1, "{half:?}");
    for part in [
        "NCCL connects 3 of 15 pairs of nodes that the job's groups use: 12 connect on some devices only.\n",
        "\n  node000 node002: 2 of 4 devices\n",
        "\n  and 2 more\n",
        "NICs merged in pairs (NCCL_NET_FORCE_MERGE)",
        "`rail = true`",
    ] {
        assert!(half.out.contains(part), "{part}: {}", half.out);
    }
    assert_eq!(half.out.lines().filter(|line| line.starts_with("  node")).count(), 10);
    let any = check("four.toml", HALF, "any");
    assert_eq!(any.code, 0, "{any:?}");
    let apart = check("two.toml", "0: 0 1 2 3 4\n1: 4 5\n", "mpi");
    assert_eq!(apart.code, 1);
    assert!(
        apart.out.contains("MPI (UCX) connects 11 of 15 pairs")
            && apart.out.contains("  node000 node005: no shared switch\n")
    );
}

#[test]
fn a_library_needs_a_job_and_a_known_name() {
    let folder = folder(&[("spec.toml", SMALL.as_bytes())]);
    let run =
        |library| run_with("0: 0 1 2 3\n", folder.path(), &["check", "spec.toml", "-", "--library", library]);
    let without = run("nccl");
    assert_eq!(without.code, 2);
    assert!(
        without.err.contains("--library nccl: the spec has no training job; add a `[job]` table"),
        "{without:?}"
    );
    let unknown = run("gloo");
    assert_eq!(unknown.code, 2);
    assert!(unknown.err.contains("must be nccl, mpi or any"), "{unknown:?}");
}
