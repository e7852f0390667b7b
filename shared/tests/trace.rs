//! Measured traffic: each format's readers, their faults, and the way from ranks to pairs.

use proptest::{prelude::*, test_runner::TestRunner};
use prost::Message;
use shared::{
    demand::{
        Demand,
        trace::{
            self, FaultPlace, Import, LIST, Placement, Threshold, TraceFault, Traffic, Unit, format, read,
        },
    },
    resolve,
};
use std::collections::BTreeMap;

/// A stored input.
macro_rules! measured {
    ($name:literal) => {
        vec![($name.to_owned(), include_bytes!(concat!("measured/", $name)).to_vec())]
    };
}

/// Files of one import.
type Files = Vec<(String, Vec<u8>)>;

fn import(files: &Files) -> Result<Traffic, TraceFault> {
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (&**name, &**bytes)).collect();
    read(&files, None)
}

fn one(name: &str, text: &str) -> Result<Traffic, TraceFault> {
    read(&[(name, text.as_bytes())], None)
}

fn fault(name: &str, text: &str) -> String {
    one(name, text).unwrap_err().to_string()
}

/// A pickle of Python with values that its entries share: `pickle.dumps` of a dump with two entries of one list of frames.
fn shared_pickle() -> Vec<u8> {
    let entry = |get: &[u8]| {
        let texts = ["frames", "profiling_name", "process_group", "input_sizes", "input_dtypes"];
        let text = |at: usize| [&[0x8c, texts[at].len() as u8], texts[at].as_bytes()].concat();
        let sizes = b"](K\x03K\x04e".as_slice();
        [
            b"}(".to_vec(),
            text(0),
            get.to_vec(),
            text(1),
            b"\x8c\x0fnccl:all_reduce".to_vec(),
            text(2),
            b"\x8c\x010\x8c\x01d\x86".to_vec(),
            text(3),
            b"]".to_vec(),
            sizes.to_vec(),
            b"a".to_vec(),
            text(4),
            b"]\x8c\x05Floata".to_vec(),
            b"u".to_vec(),
        ]
        .concat()
    };
    // The frames contain themselves.
    let first = entry(b"]\x94(h\x00K\x01e");
    let config = b"\x8c\x09pg_config}\x8c\x010}\x8c\x05ranks\x8c\x06[0, 1]sss".as_slice();
    [b"\x80\x04}\x8c\x07entries](".as_slice(), &first, &entry(b"h\x00"), b"es", config, b"."].concat()
}

#[test]
fn pickles_may_share_values() {
    let files = (0..2).map(|rank| (format!("nccl_trace_rank_{rank}"), shared_pickle())).collect();
    let traffic = import(&files).unwrap();
    assert_eq!((traffic.ranks, traffic.collectives.len()), (2, 1));
    assert_eq!((&*traffic.collectives[0].members, traffic.collectives[0].bytes), ([0, 1].as_slice(), 96.0));
    let deep = [b"\x80\x02".as_slice(), &b"]".repeat(100_000), &b"a".repeat(99_999), b"."].concat();
    assert!(
        import(&vec![("rank_0".into(), deep)])
            .unwrap_err()
            .to_string()
            .contains("; the pickle has no `entries`.")
    );
    let object = b"\x80\x02cos\nsystem\n.".to_vec();
    let refused = import(&vec![("rank_0".into(), object)]).unwrap_err().to_string();
    assert!(
        refused.starts_with("rank_0: byte 2: opcode 0x63 is not accepted; a pickle of the flight recorder has only plain values."),
        "{refused}"
    );
}

/// Open MPI: rank r sends 100 (r + 1) bytes to the next of three, and the library 10.
fn profile(rank: u32) -> String {
    let next = (rank + 1) % 3;
    let sizes = "0,0,1,0";
    format!(
        "# POINT TO POINT\nE\t{rank}\t{next}\t{} bytes\t2 msgs sent\t{sizes}\nI\t{rank}\t{next}\t10 bytes\t1 msgs sent\n# OSC\n\
         S\t{rank}\t{next}\t5 bytes\t1 msgs sent\nR\t{rank}\t{next}\t7 bytes\t1 msgs sent\n\
         # COLLECTIVES\nC\t{rank}\t{next}\t999 bytes\t1 msgs sent\nD\tMPI_COMM_WORLD\tprocs: 0,1,2\n\
         O2A\t{rank}\t0 bytes\t0 msgs sent\nA2O\t{rank}\t0 bytes\t0 msgs sent\nA2A\t{rank}\t96 bytes\t5 msgs sent\n",
        100 * (rank + 1)
    )
}

fn profiles() -> Files {
    (0..3).map(|rank| (format!("out.{rank}.prof"), profile(rank).into_bytes())).collect()
}

/// NCCL: ranks 0 and 1 on one host, 2 and 3 on another, in a ring; a split of 1 and 3 has two channels.
fn nccl() -> String {
    let mut log = String::from("starting\n[0] NCCL INFO no line of a process\nNCCL version 2.21.5\n");
    let who = |rank: u32| format!("gpu-{}:10{rank}:20{rank} [{}]", rank / 2, rank % 2);
    for rank in 0..4 {
        log += &format!(
            "{} NCCL INFO ncclCommInitRank comm 0xa{rank} rank {rank} nranks 4 cudaDev {} nvmlDev 0 busId 1000 commId 0xfe - Init START\n",
            who(rank),
            rank % 2
        );
    }
    for rank in 0..4 {
        let (next, before) = ((rank + 1) % 4, (rank + 3) % 4);
        log += &format!("{} NCCL INFO Channel 00/02 :    0   1   2   3\n", who(rank));
        match rank % 2 {
            0 => {
                log += &format!(
                    "[1,{rank}]<stdout>:{} NCCL INFO Channel 00/0 : {before}[1] -> {rank}[0] [receive] via NET/IB/3/GDRDMA\n",
                    who(rank)
                );
                log +=
                    &format!("{} NCCL INFO Channel 00/0 : {rank}[0] -> {next}[1] via P2P/CUMEM\n", who(rank));
            }
            _ => {
                log += &format!(
                    "{} NCCL INFO Channel 00/0 : {rank}[1] -> {next}[0] [send] via NET/IB/3/GDRDMA\n",
                    who(rank)
                )
            }
        }
    }
    for (position, rank) in [1, 3].into_iter().enumerate() {
        let other = 1 - position;
        log += &format!(
            "{} NCCL INFO ncclCommSplit comm 0xb{rank} rank {position} nranks 2 cudaDev 1 nvmlDev 1 busId 2000 parent 0xa{rank} splitCount 1 color 7 key 0- Init START\r\n",
            who(rank)
        );
        for channel in 0..2 {
            log += &format!(
                "2026-01-01 {} NCCL INFO Channel 0{channel}/0 : {position}[1] -> {other}[1] [send] via NET/Socket/0\r\n",
                who(rank)
            );
        }
    }
    log
}

#[derive(Clone, PartialEq, Message)]
struct Metadata {
    #[prost(string, tag = "1")]
    version: String,
}

#[derive(Clone, PartialEq, Message)]
struct Node {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(string, tag = "2")]
    name: String,
    #[prost(int32, tag = "3")]
    kind: i32,
    #[prost(uint64, repeated, tag = "5")]
    data_deps: Vec<u64>,
    #[prost(message, optional, tag = "8")]
    inputs: Option<Inputs>,
    #[prost(message, repeated, tag = "10")]
    attr: Vec<Attribute>,
}

#[derive(Clone, PartialEq, Message)]
struct Inputs {
    #[prost(string, tag = "1")]
    values: String,
}

#[derive(Clone, PartialEq, Message)]
struct Attribute {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(int32, optional, tag = "7")]
    int32: Option<i32>,
    #[prost(int64, optional, tag = "9")]
    int64: Option<i64>,
    #[prost(string, optional, tag = "29")]
    string: Option<String>,
}

fn whole(name: &str, value: i64) -> Attribute {
    Attribute { name: name.into(), int64: Some(value), ..Attribute::default() }
}

fn text(name: &str, value: &str) -> Attribute {
    Attribute { name: name.into(), string: Some(value.into()), ..Attribute::default() }
}

/// Chakra: four ranks; an all-reduce of 4,000 bytes by all, an all-gather of 500 bytes in each half, a message of 70 from 0 to 3.
fn nodes(rank: u32) -> Vec<Node> {
    let half = if rank < 2 { "[0, 1]" } else { "[2, 3]" };
    let groups =
        format!("['[{{\"pg_name\": \"0\", \"ranks\": []}}, {{\"pg_name\": \"1\", \"ranks\": {half}}}]']");
    let mut nodes = vec![
        Node {
            name: "## process_group:init ##".into(),
            kind: 1,
            inputs: Some(Inputs { values: groups }),
            ..Node::default()
        },
        Node { id: 1, name: "gemm".into(), kind: 4, ..Node::default() },
        Node {
            id: 2,
            kind: 7,
            data_deps: vec![1],
            attr: vec![whole("comm_type", 0), whole("comm_size", 4000), text("pg_name", "0")],
            ..Node::default()
        },
        Node {
            id: 3,
            kind: 7,
            attr: vec![whole("comm_type", 2), whole("comm_size", 500), text("pg_name", "1")],
            ..Node::default()
        },
        Node { id: 4, kind: 7, attr: vec![whole("comm_type", 9)], ..Node::default() },
    ];
    let message = |kind| Node {
        id: 5,
        kind,
        attr: vec![
            whole("comm_src", 0),
            whole("comm_dst", 3),
            Attribute { name: "comm_size".into(), int32: Some(70), ..Attribute::default() },
        ],
        ..Node::default()
    };
    match rank {
        0 => nodes.push(message(5)),
        3 => nodes.push(message(6)),
        _ => {}
    }
    nodes
}

fn chakra() -> Files {
    let file = |rank| {
        let mut bytes = Metadata { version: "0.0.4".into() }.encode_length_delimited_to_vec();
        nodes(rank).iter().for_each(|node| bytes.extend(node.encode_length_delimited_to_vec()));
        (format!("run2/trace.{rank}.et"), bytes)
    };
    (0..4).map(file).collect()
}

/// Returns the Chakra trace as JSON.
fn chakra_json() -> Files {
    let file = |rank| {
        let mut text = String::from("{\n  \"version\": \"0.0.4\"\n}");
        for node in nodes(rank) {
            let attributes = node.attr.iter().map(|attribute| {
                match (&attribute.string, attribute.int64, attribute.int32) {
                    (Some(text), ..) => serde_json::json!({ "name": attribute.name, "stringVal": text }),
                    (_, Some(number), _) => {
                        serde_json::json!({ "name": attribute.name, "int64Val": number.to_string() })
                    }
                    (.., number) => serde_json::json!({ "name": attribute.name, "int32Val": number }),
                }
            });
            let kinds = [
                (1, "METADATA_NODE"),
                (4, "COMP_NODE"),
                (5, "COMM_SEND_NODE"),
                (6, "COMM_RECV_NODE"),
                (7, "COMM_COLL_NODE"),
            ];
            let kind = kinds.iter().find(|(kind, _)| *kind == node.kind).unwrap().1;
            let inputs = node.inputs.as_ref().map(|inputs| serde_json::json!({ "values": inputs.values }));
            let node = serde_json::json!({ "id": node.id.to_string(), "name": node.name, "type": kind, "inputs": inputs, "attr": attributes.collect::<Vec<_>>() });
            text += &serde_json::to_string_pretty(&node).unwrap();
        }
        (format!("trace_{rank}.json"), text.into_bytes())
    };
    (0..4).map(file).collect()
}

/// A dump of the flight recorder with the traffic of [`nodes`], and a gather of 30 bytes at rank 1 of its half.
fn dump(rank: u32) -> serde_json::Value {
    let entry = |name: &str, group: &str, inputs: &[&[u64]], outputs: &[&[u64]]| {
        let types = |sizes: &[&[u64]]| sizes.iter().map(|_| "Half").collect::<Vec<_>>();
        serde_json::json!({
            "frames": [{ "name": "a \"b\" }{ [", "filename": "x.py", "line": 3 }],
            "process_group": [group, "some"], "profiling_name": name, "is_p2p": false,
            "input_sizes": inputs, "input_dtypes": types(inputs), "output_sizes": outputs, "output_dtypes": types(outputs),
            "state": "completed", "time_discovered_started_ns": null
        })
    };
    let mut entries = vec![
        entry("nccl:all_reduce", "0", &[&[20, 100]], &[&[20, 100]]),
        entry("nccl:_all_gather_base", "1", &[&[250]], &[&[2, 250]]),
        entry("nccl:coalesced", "0", &[], &[]),
    ];
    match rank {
        0 => entries.push(entry("nccl:send 0->3", "0", &[&[35]], &[&[35]])),
        3 => entries.push(entry("nccl:recv 3<-0", "0", &[&[35]], &[&[35]])),
        _ => {}
    }
    if rank < 2 {
        let received: &[&[u64]] = if rank == 1 { &[&[15], &[15]] } else { &[] };
        entries.push(entry("nccl:gather", "1", &[&[15]], received));
    }
    let half = if rank < 2 { "[0, 1]" } else { "[2, 3]" };
    serde_json::json!({
        "version": "2.10",
        "entries": entries,
        "pg_config": { "0": { "name": "0", "desc": "default_pg", "ranks": "[0, 1, 2, 3]" }, "1": { "name": "1", "desc": "half", "ranks": half } },
        "pg_status": { "0": { "last_enqueued_collective": 2 } }
    })
}

fn dumps(is_pickle: bool) -> Files {
    let file = |rank| match is_pickle {
        true => {
            let options = serde_pickle::SerOptions::new().proto_v2();
            (format!("nccl_trace_rank_{rank}"), serde_pickle::to_vec(&dump(rank), options).unwrap())
        }
        false => (format!("nccl_trace_rank_{rank}.json"), serde_json::to_vec(&dump(rank)).unwrap()),
    };
    (0..4).map(file).collect()
}

const GOAL: &str = "num_ranks 3\n\nrank 0 {\nl1: calc 100 cpu 1\nl2: send 100b to 1 tag 4 cpu 0 nic 0\nl2 requires l1\nsend 7b to 2\n}\n\
    rank 1 {\nl1: recv 100b from 0 tag 4\n/* two\nlines */ l2: send 30b to 0 // back\nl2 irequires l1\n}\n\
    rank 2 {\nl1: recv 7b from -1 tag -1\n}\n";
const HTSIM: &str = "Nodes 4\nConnections 3\nTriggers 1\n# warm-up\n0->1 id 1 start 0 size 2000000 send_done_trigger 1\n\
    1->3 id 2 trigger 1 size 500\n0->1 id 3 start 1.5 size 10 prio 2\ntrigger id 1 oneshot\n";

/// A log of IPM of two ranks on two hosts: rank 0 sends 3 x 100 bytes, rank 1 exchanges 8 bytes once.
fn ipm() -> String {
    let task = |rank: u32, calls: &str| {
        format!(
            "<task ipm_version=\"2.0.6\" cookie=\"c\" mpi_rank=\"{rank}\" mpi_size=\"2\" pid=\"1\" >\n\
             <host mach_name=\"m\" mach_info=\"x\" >n{rank}</host>\n<hash nlog=\"3\" nkey=\"2\" >\n{calls}</hash>\n</task>\n"
        )
    };
    let hent = |call: &str, bytes: u32, peer: u32, count: u32| {
        format!(
            "<hent key=\"1\" call=\"{call}\" bytes=\"{bytes}\" orank=\"{peer}\" region=\"1\" callsite=\"1\" count=\"{count}\" \
             tid=\"0\" >1.0e-3 1.0e-4 1.0e-3</hent>\n"
        )
    };
    let first = hent("MPI_Isend", 100, 1, 3) + &hent("MPI_Irecv", 4096, 0, 9);
    let second = hent("MPI_Sendrecv", 8, 0, 1) + &hent("MPI_Allreduce", 8, 0, 5);
    let tasks = task(0, &first) + &task(1, &second);
    format!("<?xml version=\"1.0\" encoding=\"iso-8859-1\"?>\n<ipm_job_profile>\n{tasks}</ipm_job_profile>\n")
}

#[test]
fn schedules_and_profiles_list_messages() {
    let flows = |name: &str, text: &str| one(name, text).map(|traffic| (traffic.ranks, traffic.flows));
    // Both ends of a message count once.
    assert_eq!(flows("a.goal", GOAL).unwrap(), (3, vec![(0, 1, 100.0), (0, 2, 7.0), (1, 0, 30.0)]));
    assert_eq!(flows("a.cm", HTSIM).unwrap(), (4, vec![(0, 1, 2_000_010.0), (1, 3, 500.0)]));
    let traffic = one("log.xml", &ipm()).unwrap();
    assert_eq!((traffic.ranks, &traffic.flows), (2, &vec![(0, 1, 300.0), (1, 0, 8.0)]));
    assert_eq!(traffic.hosts, ["n0", "n1"]);
    assert!(
        warned(&traffic).contains("Collectives (`allreduce`) have no list of members"),
        "{}",
        warned(&traffic)
    );
    let latin: Vec<u8> = ipm().replace("x86", "caf").into_bytes();
    let at = latin.windows(8).position(|part| part == b"</host>\n").unwrap();
    let latin = [&latin[..at], b"\xe9", &latin[at..]].concat();
    assert_eq!(read(&[("log.xml", &latin)], None).unwrap().hosts, ["n0\u{e9}", "n1"]);
    let table = "# region irank jrank data_tot data_tx data_rx nmsg_tx nmsg_rx\nipm_main 1 0 308 8 300 1 3\n";
    assert_eq!(flows("map_data.txt", table).unwrap(), (2, vec![(0, 1, 300.0), (1, 0, 8.0)]));

    let cut = one("a.goal", &GOAL[..GOAL.len() - 2]).unwrap();
    assert!(warned(&cut).contains("ends inside the block of rank 2"), "{}", warned(&cut));
    let cut = one("a.cm", &HTSIM.replace("Connections 3", "Connections 5")).unwrap();
    assert!(warned(&cut).contains("has 3 connections, and its head says 5"), "{}", warned(&cut));
    for (name, text, expected) in [
        (
            "a.goal",
            "num_ranks 2\nrank 0 {\nsend 8b to 2\n}\n",
            "a.goal: line 3: must be a rank, 0 to 1, not 2.",
        ),
        ("a.goal", "num_ranks 2\nrank 0 {\nput 8b to 1\n}\n", "a.goal: line 3: must be `send 8b to 1`, "),
        (
            "a.cm",
            "Nodes 2\nConnections 1\n0->2 start 0 size 1\n",
            "a.cm: line 3: must be a rank, 0 to 1, not 2.",
        ),
        ("a.mpiP", "@ mpiP\n@ Version: 3.5.0\n", "a.mpiP: is an mpiP report, which sums messages by size "),
    ] {
        let found = fault(name, text);
        assert!(found.starts_with(expected), "{found}");
    }
}

fn single(name: &str, text: impl Into<String>) -> Files {
    vec![(name.into(), text.into().into_bytes())]
}

/// An import per reader, by the name of the format that it must be detected as.
fn samples() -> Vec<(&'static str, Files)> {
    let market =
        "%%MatrixMarket matrix coordinate real general\n% made by hand\n3 3 3\n1 2 5\n2 1 1e3\n3 3 9\n";
    let array = "%%MatrixMarket matrix array integer symmetric\n3 3\n0\n1\n2\n0\n3\n0\n";
    vec![
        ("open-mpi", profiles()),
        ("nccl", single("run.log", nccl())),
        ("chakra", chakra()),
        ("chakra", chakra_json()),
        ("pytorch", measured!("kineto.json.gz")),
        ("pytorch", measured!("execution-0.json.gz")),
        ("flight-recorder", dumps(true)),
        ("flight-recorder", (0..2).map(|rank| (format!("rank_{rank}"), shared_pickle())).collect()),
        ("flight-recorder", dumps(false)),
        ("matrix-market", single("a.mtx", market)),
        ("matrix-market", single("b.mtx", array)),
        ("table", single("pairs.csv", "from,to,bytes\n0,1,10\n0,1,5\n1,0,1\n2,0,7\n")),
        (
            "table",
            single(
                "matrix.tsv",
                "\tn0\tn1\tn2\tn3\nn0\t0\t2\t0\t1\nn1\t3\t0\t0\t0\nn2\t0\t0\t9\t0\nn3\t0\t0\t4\t0\n",
            ),
        ),
        ("goal", single("a.goal", GOAL)),
        ("htsim", single("a.cm", HTSIM)),
        ("ipm", single("ipm.xml", ipm())),
        ("nccl", pods()),
        (
            "nccl",
            single("run.log.gz", "").into_iter().map(|(name, _)| (name, gzip(nccl().as_bytes()))).collect(),
        ),
        ("pytorch", [2, 6].map(|rank| (format!("host_{rank}.json"), pipeline(rank).into_bytes())).to_vec()),
        ("nccl", measured!("nccl-2.11-cut.log")),
        ("nccl", measured!("nccl-2.27-pxn.log")),
        ("nccl", measured!("nccl-plugin.log")),
        ("nccl", measured!("nccl-rank-0.log")),
        ("nccl", measured!("nccl-2.28.log.gz")),
    ]
}

#[test]
fn every_format_is_detected_and_named() {
    for (name, files) in samples() {
        let mut import = Import::new(None);
        for (file, bytes) in &files {
            import.begin(file);
            import.feed(bytes).unwrap();
            import.end().unwrap_or_else(|fault| panic!("{name}: {fault}"));
        }
        assert_eq!(import.format().unwrap().name, name);
        import.finish().unwrap_or_else(|fault| panic!("{name}: {fault}"));
    }
    for entry in LIST {
        assert!(samples().iter().any(|(name, _)| *name == entry.name), "{}", entry.name);
        assert_eq!(format(entry.name).unwrap().label, entry.label);
    }
    let unknown = fault("a.txt", "Dear diary\ntoday\n");
    assert!(
        unknown.starts_with("a.txt: unknown format; if it is one of these, choose it: `nccl`, "),
        "{unknown}"
    );
}

#[test]
fn files_of_another_kind_are_no_matrix() {
    assert_eq!(
        fault("notes.csv", "hello;world\n1;2\n"),
        "notes.csv: line 1: \"hello\" is not a node number (0 to 1048575; a first line may name the columns, such as `from,to` or `from,to,bytes`)."
    );
    for text in ["name,price\n1,2\n", "x y\n0 1\n1 2\n", "to,from\n0,1\n", "id,node,rack\n0,1,2\n1,2,3\n"] {
        assert!(fault("a.csv", text).starts_with("a.csv: line 1: \""), "{text}");
    }
    assert!(
        fault("a.csv", "from,to,bytes\n0,1,2\n0,1,many\n")
            .starts_with("a.csv: line 3: weight \"many\" is not a number ")
    );
    for heading in
        ["src_rank,dst_rank,bytes", "Source;Target;Weight", "a b", "sender\treceiver", "rank from,rank to"]
    {
        let blank = if heading == "a b" { " " } else { "," };
        let traffic = one(
            "a.csv",
            &format!(
                "{heading}\n0{blank}1{}\n",
                if heading.split([',', ';']).count() == 3 { ",5" } else { "" }
            ),
        );
        assert_eq!(traffic.unwrap().ranks, 2, "{heading}");
    }
    let picture = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    let found = read(&[("logo.png", picture)], None).unwrap_err().to_string();
    assert!(found.starts_with("logo.png: is a PNG picture; it has no traffic."), "{found}");
}

#[test]
fn open_mpi_counts_messages_and_one_sided_transfers() {
    let traffic = import(&profiles()).unwrap();
    // A one-sided read moves bytes from the peer.
    let expected = [(0, 1, 115.0), (0, 2, 7.0), (1, 0, 7.0), (1, 2, 215.0), (2, 0, 315.0), (2, 1, 7.0)];
    assert_eq!((traffic.ranks, traffic.unit), (3, Unit::Bytes));
    assert_eq!(traffic.flows, expected);
    let joined: String = (0..3).map(profile).collect();
    assert_eq!(one("all.prof", &joined).unwrap(), traffic);
    let linear: String = joined
        .lines()
        .filter(|line| !line.starts_with(['I', 'E', 'S', 'R']))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(one("all.prof", &linear).unwrap().flows, [(0, 1, 999.0), (1, 2, 999.0), (2, 0, 999.0)]);
}

#[test]
fn open_mpi_faults_name_the_file_and_the_line() {
    let mut files = profiles();
    files.remove(1);
    assert_eq!(
        import(&files).unwrap_err().to_string(),
        "no file of rank 1 among 2 files, but MPI_COMM_WORLD has 3; give the files of all 3 ranks."
    );
    assert_eq!(
        fault("out.1.prof", &profile(0)),
        "out.1.prof: line 2: a line of rank 0, but the file name says rank 1."
    );
    let twice =
        vec![("a.prof".to_owned(), profile(0).into_bytes()), ("b.prof".to_owned(), profile(0).into_bytes())];
    assert_eq!(
        import(&twice).unwrap_err().to_string(),
        "b.prof: line 2: is of rank 0, and so is a.prof; give one file per rank."
    );
    let cut = profile(0);
    let cut = &cut[..cut.len() - 5];
    assert_eq!(
        fault("a.prof", cut).split(", exp").next().unwrap(),
        "a.prof: line 12: the file is cut off in a line."
    );
    let mixed = profile(0).replace("E\t0\t1\t100 bytes", "E\t0\t1 hello");
    assert!(
        fault("a.prof", &mixed).starts_with("a.prof: line 2: must be a line of pml_monitoring, such as "),
        "{}",
        fault("a.prof", &mixed)
    );
}

#[test]
fn nccl_counts_connections_of_all_communicators() {
    let traffic = one("run.log", &nccl()).unwrap();
    assert_eq!((traffic.ranks, traffic.unit), (4, Unit::Connections));
    assert_eq!(traffic.hosts, ["gpu-0", "gpu-0", "gpu-1", "gpu-1"]);
    assert_eq!(traffic.flows, [(0, 1, 1.0), (1, 2, 1.0), (1, 3, 2.0), (2, 3, 1.0), (3, 0, 1.0), (3, 1, 2.0)]);
    let nodes = traffic.nodes(&Placement::Hosts, None).unwrap();
    assert_eq!(
        (nodes.names.as_slice(), nodes.pairs.as_slice()),
        (["gpu-0", "gpu-1"].map(String::from).as_slice(), [(0, 1, 6.0)].as_slice())
    );
    assert_eq!(nodes.inside, 2.0);
}

fn warned(traffic: &Traffic) -> String {
    traffic.warnings.iter().map(|warning| format!("{warning}\n")).collect()
}

/// Pairs of hosts.
fn by_host(traffic: &Traffic) -> (u32, Vec<(u32, u32, f64)>, f64) {
    let nodes = traffic.nodes(&Placement::Hosts, None).unwrap();
    (nodes.nodes, nodes.pairs, nodes.inside)
}

#[test]
fn nccl_logs_of_one_host_or_with_broken_lines_are_read() {
    let half: String =
        nccl().lines().filter(|line| !line.contains("gpu-1")).map(|line| format!("{line}\n")).collect();
    let traffic = one("run.log", &half).unwrap();
    assert_eq!(traffic.flows, [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0), (3, 0, 1.0)]);
    assert_eq!(traffic.hosts, ["gpu-0", "gpu-0", "node of rank 2", "node of rank 2"]);
    assert!(warned(&traffic).contains("The log has 2 of 4 ranks."), "{}", warned(&traffic));
    let cut = nccl().replace("0[0] -> 1[1] via P2P/CUMEM", "0[0] -> 1[");
    let traffic = one("run.log", &cut).unwrap();
    assert_eq!(traffic.flows, one("run.log", &nccl()).unwrap().flows);
    assert_eq!(
        warned(&traffic),
        "run.log: line 10: must be a connection, such as `Channel 00/0 : 3[3] -> 11[3] [send] via NET/IB/3`, not \"Channel 00/0 : 0[0] -> 1[\". The line is skipped.\n"
    );
    // Connections before the start of their communicator, as old versions write them, count when it completes.
    let log = nccl();
    let (starts, rest): (Vec<&str>, Vec<&str>) = log.lines().partition(|line| line.contains("commId"));
    let split = rest.iter().position(|line| line.contains("ncclCommSplit")).unwrap();
    let old = [&rest[..split], &starts[..], &rest[split..]].concat().join("\n").replace("START", "COMPLETE");
    assert_eq!(one("run.log", &old).unwrap().flows, one("run.log", &nccl()).unwrap().flows);
}

#[test]
fn nccl_calls_count_for_the_gpu_that_started_their_communicator() {
    let start = |node: u32, gpu: u32| {
        let (rank, address) = (2 * node + gpu, 0x500 + 0x10 * (2 * node + gpu));
        format!(
            "\u{feff}node{node}:10{node}:150 [{gpu}] NCCL INFO ncclCommInitRank comm {address:#x} rank {rank} nranks 4 cudaDev {gpu} \
             nvmlDev {gpu} busId 1000 commId 0xab - Init START\n"
        )
    };
    // A thread that starts the calls of all GPUs of its process has one of them before each line.
    let call = |node: u32, gpu: u32| {
        format!(
            "node{node}:10{node}:150 [1] NCCL INFO AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x2 count 1000 datatype 7 op 0 root 0 \
             comm {:#x} [nranks=4] stream 0x5\n",
            0x500 + 0x10 * (2 * node + gpu)
        )
    };
    let all = [(0, 0), (0, 1), (1, 0), (1, 1)];
    let log: String = all.iter().map(|&(node, gpu)| start(node, gpu)).collect();
    // Only the first line of a file has a byte order mark.
    let log = format!("\u{feff}{}", log.replace('\u{feff}', ""));
    let log = log + &all.iter().map(|&(node, gpu)| call(node, gpu)).collect::<String>();
    let traffic = one("run.log", &log).unwrap();
    assert_eq!((traffic.ranks, by_host(&traffic).1), (4, vec![(0, 1, 12_000.0)]), "{}", warned(&traffic));
}

#[test]
fn cut_nccl_rings_replace_no_connections() {
    let line = |text: &str| format!("n0:10:60 [0] NCCL INFO {text}\n");
    let begin =
        line("ncclCommInitRank comm 0x50 rank 0 nranks 4 cudaDev 0 busId 1000 commId 0xab - Init START")
            + &line("comm 0x50 rank 0 nRanks 4 nNodes 4 localRanks 1 localRank 0 MNNVL 0");
    let connections = line("Channel 00/0 : 3[0] -> 0[0] [receive] via NET/IB/0")
        + &line("Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0");
    let of = |ring: &str| one("a.log", &(begin.clone() + &line(ring) + &connections)).unwrap();
    let whole = [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0), (3, 0, 1.0)];
    for ring in [
        "Channel 00/01 : 0 1 2 3",
        "Channel 00/01 : 0 1 2 3\u{1b}[0m",
        "Channel 00/01 :   0   1   2   3\\n\"}",
    ] {
        assert_eq!(of(ring).flows, whole, "{ring}");
    }
    for ring in ["Channel 00/01 : 0 1 2", "Channel 00/01 : 0 1 2..."] {
        let traffic = of(ring);
        assert_eq!(traffic.flows, [(0, 1, 1.0), (1, 2, 1.0), (3, 0, 1.0)], "{ring}");
        assert!(warned(&traffic).contains("are cut off, so connections are missing"), "{}", warned(&traffic));
    }
}

#[test]
fn nccl_excerpts_without_a_start_are_one_communicator() {
    let traffic = import(&measured!("nccl-2.11-cut.log")).unwrap();
    assert_eq!(by_host(&traffic), (2, vec![(0, 1, 4.0)], 8.0));
    assert!(warned(&traffic).contains("nodes of ranks 2, 6 follow"), "{}", warned(&traffic));
    assert_eq!(by_host(&import(&measured!("nccl-2.27-rails.log")).unwrap()), (2, vec![(0, 1, 8.0)], 5.0));
    let traffic = import(&measured!("nccl-2.27-pxn.log")).unwrap();
    assert_eq!(by_host(&traffic), (2, vec![(0, 1, 7.0)], 8.0));
    assert!(warned(&traffic).contains("nccl-2.27-pxn.log: line 1: "), "{}", warned(&traffic));
    assert_eq!(by_host(&import(&measured!("nccl-plugin.log")).unwrap()), (2, vec![(0, 1, 8.0)], 7.0));
    assert_eq!(by_host(&import(&measured!("nccl-one-host.log")).unwrap()), (1, vec![], 6.0));
    let old = "a:1:2 [0] NCCL INFO Ring 00 : 1 -> 0 [receive] via NET/IB/0\na:1:2 [0] NCCL INFO Ring 00 : 0 -> 1 [send] via NET/IB/0\n\
               b:1:2 [0] NCCL INFO Ring 00 : 0 -> 1 [receive] via NET/IB/0\nb:1:2 [0] NCCL INFO Ring 00 : 1 -> 0 [send] via NET/IB/0\n";
    assert_eq!(one("old.log", old).unwrap().flows, [(0, 1, 1.0), (1, 0, 1.0)]);
    let graphs = fault("a.log", "a:1:2 [1] NCCL INFO  0 : NET/1 GPU/4 GPU/5 NET/1\n");
    assert!(graphs.contains("NCCL_DEBUG_SUBSYS=INIT,COLL"), "{graphs}");
}

#[test]
fn the_nccl_log_of_rank_0_has_every_ring() {
    let traffic = import(&measured!("nccl-rank-0.log")).unwrap();
    assert_eq!(traffic.flows, [(0, 1, 4.0), (1, 2, 4.0), (2, 3, 4.0), (3, 0, 4.0)]);
    assert_eq!(by_host(&traffic).0, 4);
}

/// Lines of an NCCL log of one process with one GPU.
fn process(host: &str, pid: u32, gpu: u32, messages: &[String]) -> String {
    messages.iter().map(|message| format!("{host}:{pid}:{pid} [{gpu}] NCCL INFO {message}\n")).collect()
}

/// Start of a communicator, and the connections of a rank in a ring of so many with one GPU per node.
fn in_ring(rank: u32, ranks: u32) -> [String; 4] {
    let (next, before) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
    [
        format!(
            "ncclCommInitRank comm 0x50 rank {rank} nranks {ranks} cudaDev 0 nvmlDev 0 busId 1000 commId 0xab - Init START"
        ),
        format!("comm 0x50 rank {rank} nRanks {ranks} nNodes {ranks} localRanks 1 localRank 0 MNNVL 0"),
        format!("Channel 00/0 : {before}[0] -> {rank}[0] [receive] via NET/IB/0"),
        format!("Channel 00/0 : {rank}[0] -> {next}[0] [send] via NET/IB/0"),
    ]
}

#[test]
fn nccl_messages_that_share_a_line_count() {
    let log = nccl();
    let lines: Vec<&str> = log.lines().skip(3).collect();
    let joined: String = lines.chunks(2).map(|pair| pair.concat() + "\n").collect();
    // Not the NICs: a date joins the number of the last device of a line.
    let traffic = |log: &str| Traffic { hops: trace::Hops::default(), ..one("run.log", log).unwrap() };
    assert_eq!(traffic(&joined), traffic(&log));
    // A half of a line before a whole one.
    let cut = log.replace("0[0] -> 1[1] via P2P/CUMEM\n", "0[0] -> 1[");
    let traffic = one("run.log", &cut).unwrap();
    assert_eq!(traffic.flows, one("run.log", &log).unwrap().flows);
    assert!(warned(&traffic).starts_with("run.log: line 10: must be a connection"), "{}", warned(&traffic));
    let strange = "a:1:1 [0] NCCL INFO comm 0x5 rank 0 nranks 2 - Init STARTb:2:2 [0] NCCL INFO comm 0x6 rank 1 nranks 2 - Init START\n";
    let warnings = fault("run.log", strange);
    assert!(
        warnings.contains("line 1: A second message shares the line, and its host is not clear."),
        "{warnings}"
    );
}

/// Logs of four containers with equal names, numbers of processes and GPUs.
fn pods() -> Files {
    let file = |rank: u32| {
        let call = format!(
            "Send: opCount 0 sendbuff 0x1 recvbuff 0x2 count 10 datatype 7 op 0 root {} comm 0x50 [nranks=4] stream 0x5",
            (rank + 1) % 4
        );
        let messages = in_ring(rank, 4).into_iter().chain([call]).collect::<Vec<_>>();
        (format!("pod{rank}.log"), process("localhost", 1, 0, &messages).into_bytes())
    };
    (0..4).map(file).collect()
}

#[test]
fn nccl_processes_of_containers_may_look_alike() {
    let traffic = import(&pods()).unwrap();
    assert_eq!(traffic.flows, [(0, 1, 40.0), (1, 2, 40.0), (2, 3, 40.0), (3, 0, 40.0)]);
    assert_eq!((by_host(&traffic).0, &*warned(&traffic)), (4, ""));
    // The log of one process in two files.
    let log = nccl();
    let (first, second) = log.split_at(log.find("ncclCommSplit").unwrap() - 30);
    let parts = [single("a.log", first), single("b.log", second)].concat();
    assert_eq!(import(&parts).unwrap().flows, one("run.log", &log).unwrap().flows);
    // `NCCL_HOSTID` differs.
    let file = |rank: u32| {
        let id = format!("NCCL_HOSTID set by environment to node{rank}.");
        let messages = [id].into_iter().chain(in_ring(rank, 2)).collect::<Vec<_>>();
        (format!("pod{rank}.log"), process("localhost", 1, 0, &messages).into_bytes())
    };
    assert_eq!(import(&(0..2).map(file).collect()).unwrap().hosts, ["node0", "node1"]);
}

#[test]
fn nccl_nodes_follow_from_the_numbers_of_gpus() {
    let start = |ranks: u32| format!("comm 0x50 rank 0 nranks {ranks} cudaDev 0 busId 1000 - Init START");
    let nodes = |ranks: u32, connections: &[&str]| {
        let ring: String = (0..ranks).map(|rank| format!(" {rank}")).collect();
        let lines = connections.iter().map(|line| format!("Channel 00/0 : {line}"));
        let messages =
            [start(ranks), format!("Channel 00/01 :{ring}")].into_iter().chain(lines).collect::<Vec<_>>();
        one("run.log", &process("n0", 10, 0, &messages)).unwrap().hosts
    };
    let named = |each: usize, ranks: usize| -> Vec<String> {
        let name = |rank: usize| {
            if rank < each { "n0".into() } else { format!("node of rank {}", rank / each * each) }
        };
        (0..ranks).map(name).collect()
    };
    let far = ["3[0] -> 0[0] [receive] via NET/IB/0", "0[0] -> 1[0] [send] via NET/IB/0"];
    assert_eq!(nodes(4, &far), named(1, 4));
    let eight = ["15[7] -> 0[0] [receive] via NET/IB/0", "0[0] -> 1[1] via P2P/IPC"];
    assert_eq!(nodes(16, &eight), named(8, 16));
    let buses = ["7[90000] -> 0[1000] [receive] via NET/IB/0", "0[1000] -> 1[24000] via P2P/IPC"];
    assert_eq!(nodes(8, &buses), named(4, 8));
    // NVLink between nodes: NCCL counts one node, and the lines do not tell which ranks are on it.
    let rank = |rank: u32| {
        let (host, gpu, next) = (format!("tray{}", rank / 2), rank % 2, (rank + 1) % 8);
        let messages = [
            format!(
                "ncclCommInitRank comm 0x5{rank} rank {rank} nranks 8 cudaDev {gpu} nvmlDev {gpu} busId 1000 commId 0xab - Init START"
            ),
            format!("comm 0x5{rank} rank {rank} nRanks 8 nNodes 1 localRanks 8 localRank {rank} MNNVL 1"),
            format!("Channel 00/0 : {rank}[{gpu}] -> {next}[{}] via P2P/MNNVL", next % 2),
        ];
        process(&host, 10 + rank, gpu, &messages)
    };
    let half = one("run.log", &[0, 1, 4, 5].map(rank).concat()).unwrap();
    let (two, six) = ("node of rank 2", "node of rank 6");
    assert_eq!(half.hosts, ["tray0", "tray0", two, two, "tray2", "tray2", six, six]);
    assert_eq!(by_host(&half).1, [(0, 1, 1.0), (2, 3, 1.0)]);
}

#[test]
fn nccl_calls_have_bytes_and_a_host_id_is_a_node() {
    let traffic = import(&measured!("nccl-2.28.log.gz")).unwrap();
    assert_eq!((traffic.ranks, traffic.unit, traffic.collectives.len()), (8, Unit::Bytes, 11));
    assert_eq!(traffic.hosts[7], "node07");
    let mib = f64::from(1 << 20);
    assert_eq!(traffic.flows, (0..7).map(|rank| (rank, rank + 1, mib)).collect::<Vec<_>>());
    assert_eq!(warned(&traffic), "");
    // With the subsystem COLL alone, ranks follow the order of hosts.
    let call = |host: &str| {
        format!(
            "{host}:1:1 [0] NCCL INFO AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x2 count 100 datatype 7 op 0 root 0 comm 0x5 [nranks=2] stream 0x3\n"
        )
    };
    let traffic = one("coll.log", &(call("a") + &call("b"))).unwrap();
    assert_eq!((traffic.collectives[0].bytes, &*traffic.collectives[0].members), (400.0, &[0, 1][..]));
}

#[test]
fn nccl_ranks_of_one_host_name_are_on_the_nodes_that_the_log_counts() {
    let log: String = (0..4)
        .map(|rank| {
            format!(
                "vm:{rank}1:1 [0] NCCL INFO ncclCommInitRank comm 0x{rank}1 rank {rank} nranks 4 cudaDev 0 busId 60 commId 0x7 - Init START\n\
                 vm:{rank}1:1 [0] NCCL INFO comm 0x{rank}1 rank {rank} nRanks 4 nNodes 2 localRanks 2 localRank {} MNNVL 0\n\
                 vm:{rank}1:1 [0] NCCL INFO Channel 00/0 : {rank}[{}] -> {}[{}] [send] via NET/Socket/0\n",
                rank % 2,
                rank % 2,
                (rank + 1) % 4,
                (rank + 1) % 2
            )
        })
        .collect();
    assert_eq!(one("run.log", &log).unwrap().hosts, ["vm/0", "vm/0", "vm/1", "vm/1"]);
}

#[test]
fn traces_of_pytorch_have_sizes_and_groups() {
    let bytes = |traffic: &Traffic| -> Vec<_> {
        traffic.collectives.iter().map(|c| (c.members.clone(), c.bytes)).collect()
    };
    let files = [measured!("execution-0.json.gz"), measured!("execution-1.json.gz")].concat();
    let traffic = import(&files).unwrap();
    assert_eq!((traffic.ranks, traffic.collectives.len()), (4, 8));
    assert_eq!(traffic.flows, [(0, 1, 1_048_576.0), (1, 2, 1_048_576.0)]);
    assert!(warned(&traffic).contains("There is no file of ranks 2-3"), "{}", warned(&traffic));
    let alone = import(&measured!("execution-0.json.gz")).unwrap();
    let kineto = import(&measured!("kineto.json.gz")).unwrap();
    assert_eq!((bytes(&kineto), &kineto.flows), (bytes(&alone), &alone.flows));
}

/// A Kineto trace of a rank of a group of ranks 2 and 6, in which the first operation is a broadcast of rank 2.
fn pipeline(rank: u32) -> String {
    let event = |name: &str, rank: u32, elements: u32| {
        serde_json::json!({ "ph": "X", "cat": "cpu_op", "name": "record_param_comms", "args": {
            "Collective name": name, "Rank": rank, "Process Group Name": "7", "Process Group Ranks": "[2, 6]", "Group size": 2,
            "Dst Rank": 6, "In msg nelems": elements, "Out msg nelems": elements, "dtype": "Float"
        } })
    };
    let own = u32::from(rank == 6);
    let mut events = vec![event("broadcast", 0, 10), event("allreduce", own, 100)];
    if rank == 2 {
        events.push(event("send", 1, 5));
    }
    serde_json::json!({ "schemaVersion": 1, "traceEvents": events, "traceName": "t" }).to_string()
}

#[test]
fn kineto_traces_without_a_rank_have_it_in_their_events() {
    let trace = |rank: u32| single(&format!("host_{}.pt.trace.json", 4000 + rank), pipeline(rank)).remove(0);
    let traffic = import(&vec![trace(2), trace(6)]).unwrap();
    // The position of the other end counts in the group.
    assert_eq!(traffic.flows, [(2, 6, 20.0)]);
    let bytes: Vec<_> = traffic.collectives.iter().map(|c| (&*c.members, c.bytes)).collect();
    assert_eq!(bytes, [(&[2, 6][..], 400.0), (&[2, 6], 40.0)]);
    // A killed process leaves a cut file.
    let whole = pipeline(2);
    for cut in [whole.len() - 1, whole.len() - 20, whole.rfind("Process Group Ranks").unwrap()] {
        let traffic = one("t.json", &whole[..cut]).unwrap();
        assert_eq!(traffic.collectives.len(), 2, "{cut}");
        assert!(warned(&traffic).starts_with("t.json: The JSON is cut off. Its beginning is read."), "{cut}");
    }
    assert_eq!(fault("t.json", &whole[..34]), "t.json: byte 34: the JSON is cut off.");
}

#[test]
fn flight_recorders_leave_out_what_they_do_not_explain() {
    let import = |entries: serde_json::Value, config: &serde_json::Value| {
        let dump = serde_json::json!({ "entries": entries, "pg_config": config });
        let file = |rank| (format!("rank_{rank}"), dump.to_string().into_bytes());
        self::import(&(0..2).map(file).collect())
    };
    let entry = |name: &str, group: serde_json::Value, id: u64, bytes: u64| {
        serde_json::json!({
            "profiling_name": name, "process_group": group, "pg_id": id,
            "input_sizes": [[bytes]], "input_dtypes": ["Byte"], "output_sizes": [[bytes]], "output_dtypes": ["Byte"]
        })
    };
    let (none, null) = (serde_json::json!({}), serde_json::Value::Null);
    // A process counts its groups: the first is that of all ranks.
    let ids = serde_json::json!([
        entry("nccl:all_reduce", null.clone(), 0, 8),
        entry("nccl:all_reduce", null.clone(), 3, 16)
    ]);
    let traffic = import(ids, &none).unwrap();
    assert_eq!((traffic.collectives.len(), traffic.collectives[0].bytes), (1, 8.0));
    assert!(
        warned(&traffic)
            .starts_with("rank_0: 1 operation is left out. The first: group 3 has no list of members.\n"),
        "{}",
        warned(&traffic)
    );
    let all = serde_json::json!(["0", "default_pg"]);
    let named = serde_json::json!([
        entry("nccl:all_reduce", all.clone(), 0, 8),
        entry("nccl:new_operation", all.clone(), 0, 8),
        entry("gloo:monitored_barrier", all, 0, 8),
        entry("nccl:other", null, 0, 8),
        entry("nccl:all_reduce", serde_json::json!(["5", "half"]), 1, 8),
    ]);
    let traffic = import(named, &none).unwrap();
    assert_eq!((traffic.collectives.len(), traffic.collectives[0].bytes), (1, 8.0));
    let warnings = warned(&traffic);
    assert!(
        warnings
            .contains("rank_1: 2 operations are left out. The first: \"nccl:new_operation\" is not known."),
        "{warnings}"
    );
    assert!(
        warnings
            .contains("rank_1: The members of group \"5\" are not in the dump. Its operations are left out."),
        "{warnings}"
    );
}

#[test]
fn chakra_collectives_without_a_root_or_members_are_left_out() {
    let file = |rank: u32| {
        let node = |id: u64, kind: u32, more: &str| {
            format!(
                "{{\"id\": {id}, \"type\": \"COMM_COLL_NODE\", \"attr\": [{{\"name\": \"comm_type\", \"int64Val\": \"{kind}\"}}, \
                 {{\"name\": \"comm_size\", \"int64Val\": \"100\"}}{more}]}}\n"
            )
        };
        let dimensions = |values: &str| {
            format!(", {{\"name\": \"involved_dim\", \"boolList\": {{\"values\": [{values}]}}}}")
        };
        let text = node(0, 0, &dimensions("true, true"))
            + &node(1, 3, "")
            + &node(2, 4, "")
            + &node(3, 0, &dimensions("true, false"));
        (format!("trace.{rank}.json"), text.into_bytes())
    };
    let traffic = import(&(0..2).map(file).collect()).unwrap();
    assert_eq!((traffic.collectives.len(), traffic.collectives[0].bytes), (1, 100.0));
    let warnings = warned(&traffic);
    assert!(
        warnings
            .contains("trace.1.json: Left out: 2 collectives with a root, which the nodes do not name.\n"),
        "{warnings}"
    );
    assert!(
        warnings.contains("trace.1.json: Left out: 1 collective with some dimensions in `involved_dim`, "),
        "{warnings}"
    );
}

/// Bytes as a gzip file of one stored block.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let crc = shared::checksum::crc32(0, bytes);
    let packed = miniz_oxide::deflate::compress_to_vec(bytes, 6);
    [b"\x1f\x8b\x08\0\0\0\0\0\0\x03", &*packed, &crc.to_le_bytes(), &(bytes.len() as u32).to_le_bytes()]
        .concat()
}

#[test]
fn damaged_gzip_is_refused_and_cut_gzip_is_read() {
    let log = nccl();
    let packed = gzip(log.as_bytes());
    let import = |bytes: &[u8]| read(&[("run.log.gz", bytes)], None);
    assert_eq!(import(&packed).unwrap(), one("run.log", &log).unwrap());
    for at in [packed.len() - 1, packed.len() - 8] {
        let mut wrong = packed.clone();
        wrong[at] ^= 1;
        assert_eq!(import(&wrong).unwrap_err().to_string(), "run.log.gz: is damaged gzip; pack it again.");
    }
    for length in [packed.len() - 1, packed.len() - 30] {
        let cut = import(&packed[..length]).unwrap();
        assert!(
            warned(&cut).starts_with("run.log.gz: The gzip file is cut off. Its beginning is read."),
            "{length}"
        );
    }
}

#[test]
fn chakra_and_the_flight_recorder_agree() {
    let chakra = import(&chakra()).unwrap();
    assert_eq!(chakra.flows, [(0, 3, 70.0)]);
    let sizes: BTreeMap<_, _> = chakra.collectives.iter().map(|c| (c.members.clone(), c.bytes)).collect();
    assert_eq!(sizes, BTreeMap::from([(vec![0, 1, 2, 3], 4000.0), (vec![0, 1], 500.0), (vec![2, 3], 500.0)]));
    assert_eq!(import(&chakra_json()).unwrap(), chakra);
    let recorded = import(&dumps(true)).unwrap();
    assert_eq!(import(&dumps(false)).unwrap(), recorded);
    assert_eq!(recorded.flows, [(0, 1, 30.0), (0, 3, 70.0)]);
    assert_eq!(recorded.collectives.len(), 3);
    // A ring of four with 2 * 3/4 of 4,000 bytes per link; two of 500 bytes each way are 500 in two links of a ring of two.
    let nodes = chakra.nodes(&Placement::Hosts, None).unwrap();
    assert_eq!(nodes.pairs, [(0, 1, 7000.0), (0, 3, 6070.0), (1, 2, 6000.0), (2, 3, 7000.0)]);
    // On two nodes only the ring between them is left: both of its links, and the message.
    let nodes = chakra.nodes(&Placement::PerNode(2), None).unwrap();
    assert_eq!(nodes.pairs, [(0, 1, 12070.0)]);
}

#[test]
fn ranks_of_traces_must_be_complete() {
    let mut files = chakra();
    files.remove(2);
    let traffic = import(&files).unwrap();
    assert!(
        warned(&traffic).starts_with("There is no file of ranks 2 among 3 files."),
        "{}",
        warned(&traffic)
    );
    let mut files = chakra();
    files[1].0 = "trace.et".into();
    assert!(import(&files).unwrap_err().to_string().starts_with(
        "trace.et: looks like a Chakra trace, whose file name must end with the rank, such as trace.3.et;"
    ));
    let mut files = chakra();
    files[1].0 = "other/trace.0.et".into();
    assert!(
        import(&files)
            .unwrap_err()
            .to_string()
            .contains("is of rank 0, and so is run2/trace.0.et; give one file per rank.")
    );
    let mut files = chakra();
    let length = files[3].1.len();
    files[3].1.truncate(length - 3);
    let cut = import(&files).unwrap_err();
    assert!(matches!(cut.place, FaultPlace::Byte(byte) if byte > 0 && byte < length as u64), "{cut}");
    let mut files = chakra();
    files[0] = single("groups.json", "{\"9\": [0, 1]}").remove(0);
    files.rotate_left(1);
    let mixed = import(&files).unwrap();
    assert!(warned(&mixed).contains("no file of ranks 0 "), "{}", warned(&mixed));
}

#[test]
fn matrices_have_a_direction_and_both_ends() {
    let samples = samples();
    let flows = |at: usize| import(&samples[at].1).unwrap().flows;
    assert_eq!(flows(9), [(0, 1, 5.0), (1, 0, 1000.0)]);
    assert_eq!(flows(10), [(0, 1, 1.0), (0, 2, 2.0), (1, 0, 1.0), (1, 2, 3.0), (2, 0, 2.0), (2, 1, 3.0)]);
    assert_eq!(flows(11), [(0, 1, 15.0), (1, 0, 1.0), (2, 0, 7.0)]);
    assert_eq!(flows(12), [(0, 1, 2.0), (0, 3, 1.0), (1, 0, 3.0), (3, 2, 4.0)]);
    let pattern = "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 2\n2 1\n4 4\n";
    assert_eq!(one("p.mtx", pattern).unwrap().flows, [(0, 1, 1.0), (1, 0, 1.0)]);
    let faults = [
        (
            "%%MatrixMarket matrix coordinate complex general\n1 1 1\n",
            "line 1: must be `real`, `integer`, `pattern`, not \"complex\".",
        ),
        (
            "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n",
            "line 2: must be a square matrix of 1 to 1,048,576 ranks, not 2 x 3.",
        ),
        (
            "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1\n",
            "line 4: the file ends after 1 entry; it must have 2.",
        ),
        (
            "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 1\n",
            "line 3: must be a row or column, 1 to 2, not \"3\".",
        ),
        (
            "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n",
            "line 3: row 1 and column 2 are above the diagonal; a symmetric file has only entries below.",
        ),
        (
            "0 1 2 3\n1 0 1 1\n1 1 0\n1 1 1 0\n",
            "line 3: has 3 values, and the other lines have 4; a matrix has a line of weights per node, such as `0,2,1`; every line of a list is `a b` or `a b weight`.",
        ),
        ("0 1 2 3\n1 0 1 1\n1 1 0 9\n", "line 3: the matrix ends after 3 rows, but has 4 columns."),
        ("0 1 2\n1 2 x\n", "line 2: weight \"x\" is not a number from 0 to 1e18."),
    ];
    for (text, expected) in faults {
        assert_eq!(fault("f", text), format!("f: {expected}"));
    }
    let large: String =
        (0..3000).map(|a| format!("{a} {} 2.5\n", (a + 1) % 3000)).collect::<String>().repeat(4);
    let flows = one("f", &large).unwrap().flows;
    assert!(flows.len() == 3000 && flows.iter().all(|flow| flow.2 == 10.0));
}

#[test]
fn ranks_go_to_nodes_and_light_pairs_are_dropped() {
    let line: String = (0..16).map(|rank| format!("{rank} {} {}\n", rank + 1, 1 << rank)).collect();
    let traffic = one("f", &line).unwrap();
    assert_eq!(traffic.ranks, 17);
    let too_many = traffic.nodes(&Placement::Hosts, Some(16)).unwrap_err();
    assert_eq!(
        too_many.to_string(),
        "rank 16 of 17 is on node 16; with 16 nodes, the last one is 15. Allow 17 nodes, or more ranks per node."
    );
    let nodes = traffic.nodes(&Placement::PerNode(4), None).unwrap();
    assert_eq!(
        (nodes.nodes, nodes.pairs.as_slice()),
        (5, [(0, 1, 8.0), (1, 2, 128.0), (2, 3, 2048.0), (3, 4, 32768.0)].as_slice())
    );
    let listed = Placement::parse("# by rack\n0 1\n1,0\n", "ranks.txt").unwrap();
    assert_eq!(
        traffic.nodes(&listed, None).unwrap_err().to_string(),
        "rank 2 has no node; list a node for each of 17 ranks."
    );
    let wrong = Placement::parse("0 1\n0 2\n", "ranks.txt").unwrap_err();
    assert_eq!(wrong.to_string(), "ranks.txt: line 2: rank 0 is listed twice; list each rank once.");

    let all = traffic.nodes(&Placement::Hosts, None).unwrap();
    let kept = all.keep(Threshold::Share(99.0));
    assert_eq!((kept.pairs.len(), kept.dropped, kept.dropped_amount), (7, 9, 511.0));
    assert_eq!(all.keep(Threshold::Share(100.0)).pairs, all.pairs);
    assert_eq!(all.keep(Threshold::Amount(512.0)).pairs.len(), 7);
    let curve = all.curve(5);
    assert_eq!((curve[0], curve[curve.len() - 1]), ((0, 0.0), (16, 100.0)));
    assert!(curve.len() <= 6 && curve.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1), "{curve:?}");
    // Equal pairs: the fewest that carry the share.
    let equal = one("f", "0 1 5\n2 3 5\n4 5 5\n6 7 5\n").unwrap().nodes(&Placement::Hosts, None).unwrap();
    assert_eq!(equal.keep(Threshold::Share(50.0)).pairs, [(0, 1, 5.0), (2, 3, 5.0)]);
}

/// `measured/stencil64.mat` is what `profile2mat` made of the run that the spec describes.
#[test]
fn the_stencil_of_the_gallery_is_as_measured() {
    let spec =
        resolve::read(include_str!("../../assets/specs/stencil64.toml"), &mut resolve::NoFiles).unwrap();
    let demand = Demand::build(&spec).unwrap();
    let weighted = |(a, b)| (a, b, f64::from(demand.weight(demand.index_of(a, b).unwrap())));
    let asked: Vec<_> = demand.pairs().map(weighted).collect();
    let measured = one("stencil64.mat", include_str!("measured/stencil64.mat")).unwrap();
    assert_eq!(measured.nodes(&Placement::Hosts, None).unwrap().pairs, asked);
}

#[test]
fn files_of_different_formats_do_not_mix() {
    let mut files = profiles();
    files[1] = single("run.log", nccl()).remove(0);
    assert_eq!(
        import(&files).unwrap_err().to_string(),
        "run.log: has the format NCCL log, but the files before have Open MPI monitoring; import one format at a time."
    );
    let twice = vec![profiles().remove(0), profiles().remove(0)];
    assert_eq!(
        import(&twice).unwrap_err().to_string(),
        "out.0.prof: the same file twice; give each file once."
    );
}

#[test]
fn empty_files_are_skipped_and_files_of_two_folders_may_have_one_name() {
    let log = nccl();
    let (empty, whole) = (single("empty.log", "\n"), single("run.log", &*log));
    let traffic = import(&[empty.clone(), whole].concat()).unwrap();
    assert_eq!(traffic.flows, one("run.log", &log).unwrap().flows);
    assert_eq!(warned(&traffic), "empty.log: The file is empty.\n");
    assert_eq!(import(&empty).unwrap_err().to_string(), "empty.log: is empty.");
    assert_eq!(
        import(&[empty, single("b.log", "")].concat()).unwrap_err().to_string(),
        "all files are empty."
    );
    let of = |host: &str| {
        let lines = log.lines().filter(|line| line.contains(host)).map(|line| format!("{line}\n"));
        single("nccl.log", lines.collect::<String>()).remove(0)
    };
    let (first, second) = (of("gpu-0"), of("gpu-1"));
    assert_eq!(import(&vec![first.clone(), second]).unwrap().flows, one("run.log", &log).unwrap().flows);
    let broken = log.replace("0[0] -> 1[1] via P2P/CUMEM", "0[0] -> 1[");
    let broken = single("nccl.log", broken);
    let warnings = warned(&import(&[vec![of("gpu-1")], broken].concat()).unwrap());
    assert!(warnings.starts_with("#2/nccl.log: line "), "{warnings}");
    let profile = |rank: u32| ("out.prof".to_owned(), profile(rank).into_bytes());
    assert_eq!(import(&(0..3).map(profile).collect()).unwrap(), import(&profiles()).unwrap());
}

#[test]
fn formats_are_detected_behind_other_output() {
    let log = "step\n".repeat(200_000) + &nccl();
    let cut = log.replace("0[0] -> 1[1] via P2P/CUMEM", "0[0] -> 1[");
    assert_eq!(one("run.log", &log).unwrap(), one("run.log", &nccl()).unwrap());
    assert!(warned(&one("run.log", &cut).unwrap()).starts_with("run.log: line 200010: "));
    assert_eq!(in_pieces(&single("run.log", &*cut), &[70_000, 1]), one("run.log", &cut));
    assert!(fault("noise.txt", &"step\n".repeat(4_000_000)).contains("unknown format"));
}

/// Feeds files in pieces of these sizes, in turn.
fn in_pieces(files: &Files, sizes: &[usize]) -> Result<Traffic, TraceFault> {
    let mut import = Import::new(None);
    let mut sizes = sizes.iter().cycle();
    for (name, bytes) in files {
        import.begin(name);
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let (piece, later) = rest.split_at(rest.len().min(*sizes.next().unwrap()));
            import.feed(piece)?;
            rest = later;
        }
        import.end()?;
    }
    import.finish()
}

/// What happens to a file of a sample.
#[derive(Clone, Debug)]
enum Harm {
    None,
    Cut(prop::sample::Index),
    Set(prop::sample::Index, u8),
    Repeat(prop::sample::Index, prop::sample::Index),
    Remove(prop::sample::Index, prop::sample::Index),
}

fn harm(bytes: &mut Vec<u8>, harm: &Harm) {
    let range = |a: &prop::sample::Index, b: &prop::sample::Index, length: usize| {
        let (a, b) = (a.index(length), b.index(length));
        a.min(b)..a.max(b).min(a.min(b) + 300)
    };
    match harm {
        _ if bytes.is_empty() => {}
        Harm::None => {}
        Harm::Cut(at) => bytes.truncate(at.index(bytes.len())),
        Harm::Set(at, byte) => {
            let at = at.index(bytes.len());
            bytes[at] = *byte;
        }
        Harm::Repeat(a, b) => {
            let range = range(a, b, bytes.len());
            let part = bytes[range.clone()].to_vec();
            bytes.splice(range.end..range.end, part);
        }
        Harm::Remove(a, b) => drop(bytes.drain(range(a, b, bytes.len()))),
    }
}

/// Harmed files in any pieces give the same as in one, without a panic; faults of a file name it.
fn any_harm_is_a_fault_or_another_result(cases: u32) {
    let harms = prop_oneof![
        1 => Just(Harm::None),
        2 => any::<prop::sample::Index>().prop_map(Harm::Cut),
        4 => (any::<prop::sample::Index>(), any::<u8>()).prop_map(|(at, byte)| Harm::Set(at, byte)),
        2 => any::<(prop::sample::Index, prop::sample::Index)>().prop_map(|(a, b)| Harm::Repeat(a, b)),
        2 => any::<(prop::sample::Index, prop::sample::Index)>().prop_map(|(a, b)| Harm::Remove(a, b)),
    ];
    let samples = samples();
    let given = (
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        prop::collection::vec(harms, 1..4),
        prop::collection::vec(1usize..400, 1..6),
    );
    let mut runner =
        TestRunner::new(ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() });
    let tried = runner.run(&given, |(sample, file, harms, sizes)| {
        let mut files = samples[sample.index(samples.len())].1.clone();
        let file = file.index(files.len());
        harms.iter().for_each(|one| harm(&mut files[file].1, one));
        let (whole, pieces) = (import(&files), in_pieces(&files, &sizes));
        prop_assert_eq!(&whole, &pieces);
        if let Err(fault) = &whole {
            prop_assert!(fault.place == FaultPlace::File || !fault.file.is_empty(), "{}", fault);
            prop_assert!(fault.message.ends_with(".") && fault.message.len() > 1, "{:?}", fault);
        }
        Ok(())
    });
    tried.unwrap();
}

#[test]
fn harmed_files_never_panic() {
    any_harm_is_a_fault_or_another_result(1000);
}

#[test]
#[ignore = "minutes: cargo test --release -p shared --test all trace:: -- --ignored"]
fn harmed_files_never_panic_in_a_long_run() {
    any_harm_is_a_fault_or_another_result(300_000);
}

#[test]
fn the_list_has_distinct_names() {
    let mut names: Vec<&str> = trace::LIST.iter().map(|format| format.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), LIST.len());
}
