use crate::program::{folder, program, run, run_with};

/// Open MPI's file of one rank of three, which sends to the next.
pub fn profile(rank: u32) -> String {
    format!("E\t{rank}\t{}\t{} bytes\t1 msgs sent\n", (rank + 1) % 3, 1000 * (rank + 1))
}

/// NCCL's log of two ranks on two hosts.
pub const NCCL: &str = "\
a:10:10 [0] NCCL INFO ncclCommInitRank comm 0x1 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 1000 commId 0x7 - Init START
b:11:11 [0] NCCL INFO ncclCommInitRank comm 0x1 rank 1 nranks 2 cudaDev 0 nvmlDev 0 busId 1000 commId 0x7 - Init START
a:10:10 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0
b:11:11 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [receive] via NET/IB/0
b:11:11 [0] NCCL INFO Channel 00/0 : 1[0] -> 0[0] [send] via NET/IB/0
";

#[test]
fn files_of_all_ranks_become_pairs_and_a_summary() {
    let files: Vec<String> = (0..3).map(profile).collect();
    let folder = folder(&[
        ("out.0.prof", files[0].as_bytes()),
        ("out.1.prof", files[1].as_bytes()),
        ("out.2.prof", files[2].as_bytes()),
    ]);
    let names = ["out.0.prof", "out.1.prof", "out.2.prof"];
    let ran = run(folder.path(), &[&["import"], &names[..]].concat());
    assert_eq!((ran.code, ran.out.as_str()), (0, "0 1 1000\n0 2 3000\n1 2 2000\n"), "{}", ran.err);
    let summary = "format   Open MPI monitoring, 3 files\nranks    3 on 3 nodes\nkept     3 of 3 pairs\n\
                   dropped  0 pairs with 0 of 6,000 bytes (0.00%)\n";
    assert_eq!(ran.err, summary);
    let ran = run(folder.path(), &[&["import"], &names[..], &["--share", "80", "-o", "pairs.txt"]].concat());
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
    assert_eq!(std::fs::read_to_string(folder.path().join("pairs.txt")).unwrap(), "0 2 3000\n1 2 2000\n");
    assert!(ran.err.ends_with("dropped  1 pairs with 1,000 of 6,000 bytes (16.67%)\n"), "{}", ran.err);
    let ran = run(folder.path(), &[&["import"], &names[..], &["--curve"]].concat());
    assert_eq!(ran.out, "pairs,percent\n0,0.0000\n1,50.0000\n2,83.3333\n3,100.0000\n");
    let ran = run(folder.path(), &[&["import"], &names[..], &["--nodes", "2"]].concat());
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("rank 2 of 3 is on node 2; with 2 nodes, the last one is 1. Allow 3 nodes"),
        "{}",
        ran.err
    );
}

#[test]
fn a_spec_has_the_pairs_and_can_be_used() {
    let folder = folder(&[]);
    let ran = run_with(NCCL, folder.path(), &["import", "-", "--spec"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("ranks    2 on 2 nodes") && ran.err.contains("of 2 connections"), "{}", ran.err);
    std::fs::write(folder.path().join("measured.toml"), &ran.out).unwrap();
    let ran = run(folder.path(), &["demand", "measured.toml", "--pairs"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "0 1\n"), "{}", ran.err);
}

#[test]
fn faults_name_the_file_the_place_and_what_is_accepted() {
    let folder = folder(&[("a.csv", b"0 1 5\n1 2 x\n"), ("b.txt", b"hello\n"), ("c.csv", b"0 1 5\n")]);
    let cases: [(&[&str], &str); 10] = [
        (&["a.csv"], "a.csv: line 2: weight \"x\" is not a number from 0 to 1e18."),
        (&["b.txt"], "b.txt: unknown format"),
        (&["c.csv", "--format", "ncl"], "--format: unknown format \"ncl\". Did you mean `nccl`?"),
        (&["c.csv", "--ranks-per-node", "2"], "all traffic is inside nodes: 2 ranks on 1 node"),
        (&["c.csv", "--rank-file", "a.csv"], "a.csv: line 1: must be `rank node`, not \"0 1 5\"."),
        (&["c.csv", "--share", "0"], "--share: must be a number above 0, at most 100, not 0."),
        (&["none.csv"], "none.csv cannot be read"),
        (
            &["c.csv", "--format", "nccl"],
            "c.csv: the log has no connection and no call of two ranks; run with NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,COLL.",
        ),
        (
            &["c.csv", "--format", "chakra"],
            "c.csv: looks like a Chakra trace, whose file name must end with the rank",
        ),
        (&[], "FILE"),
    ];
    for (arguments, expected) in cases {
        let ran = run(folder.path(), &[&["import"], arguments].concat());
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{arguments:?}");
        assert!(ran.err.contains(expected), "{arguments:?}: {}", ran.err);
    }
    let list = run(folder.path(), &["import", "--format", "list"]);
    assert_eq!(list.out.lines().count(), shared::demand::trace::LIST.len());
}

/// A log of 300 MB takes less memory than its size: it is read as a stream.
#[cfg(target_os = "linux")]
#[test]
fn a_large_log_takes_little_memory() {
    use std::{io::Write as _, process::Stdio};
    let folder = folder(&[]);
    let mut command = program(folder.path());
    command.args(["import", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut log = child.stdin.take().unwrap();
    log.write_all(NCCL.as_bytes()).unwrap();
    let noise =
        "a:10:10 [0] NCCL INFO AllReduce: opCount 1a sendbuff 0x7f recvbuff 0x7f count 4096\nstep 17\n"
            .repeat(10_000);
    (0..330).for_each(|_| log.write_all(noise.as_bytes()).unwrap());
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    drop(log);
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "0 1 2\n");
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    assert!(peak.unwrap() < 100 << 10, "{peak:?} kB");
}
