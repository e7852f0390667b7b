//! Files made to exhaust memory or time: every reader of structured text ends in a fault that says where, or when it is cancelled.

use shared::{
    analysis::audit::audit,
    cancel::{Cancelled, Token, scope},
    demand::{matrix, trace},
    design::{Design, Names, table},
    fabric::{MAX_FILE_BYTES, NetworkFile},
    form::toml,
    resolve,
};
use std::fmt::Write;

fn network(text: &str) -> String {
    let faults = NetworkFile::read("net.txt", text).expect_err("a hostile file");
    assert!(faults.0.len() <= 101);
    faults.to_string()
}

fn graph(inside: &str) -> String {
    format!("<graphml>\n<key id='t' for='node' attr.name='type'/>\n<graph>{inside}</graph>\n</graphml>\n")
}

/// The fault of a file of measured traffic.
fn traffic(name: &str, bytes: &[u8]) -> String {
    trace::read(&[(name, bytes)], None).expect_err("a hostile file").to_string()
}

#[test]
fn graphs_define_no_entities() {
    let entity = "x".repeat(2_000_000);
    let nodes: String = (0..4000).map(|number| format!("<node id=\"&a;{number}\"/>\n")).collect();
    let text =
        format!("<?xml version=\"1.0\"?>\n<!DOCTYPE graphml [<!ENTITY a \"{entity}\">]>\n{}", graph(&nodes));
    let expected =
        "net.txt line 2: has a document type, <!DOCTYPE>; remove it, and write the text of its entities.";
    assert_eq!(network(&text), expected);
    for inside in ["<node id='&a;'/>", "<node id='a'><data key='t'>&a;</data></node>", "<desc>&a;</desc>"] {
        assert_eq!(
            network(&graph(&format!("\n{inside}"))),
            "net.txt line 4: must be one of `&amp;`, `&lt;`, `&gt;`, `&quot;` and `&apos;`, or the number of a character, not `&a;`."
        );
    }
    let text = graph(
        "<node id='a&amp;b'/><node id='c&#x41;'/><node id='s'><data key='t'><![CDATA[sw]]>&#105;tch</data></node>\
         <edge source='a&#38;b' target='s'/><edge source='cA' target='s'/>",
    );
    NetworkFile::read("net.txt", &text).unwrap_or_else(|faults| panic!("{faults}"));
}

#[test]
fn graphs_have_limits_of_depth_and_attributes() {
    let mut nested = String::new();
    (0..6000).for_each(|level| write!(nested, "<a xmlns:n{level}=\"u{level}\">").unwrap());
    let deep = network(&graph(&(nested + &"</a>".repeat(6000))));
    assert_eq!(deep, "net.txt line 3: has more than 100 elements inside each other, which is the limit.");
    let attributes: String = (0..80_000).map(|number| format!(" a{number}=''")).collect();
    let wide = network(&graph(&format!("\n<node id='a'{attributes}/>")));
    assert_eq!(wide, "net.txt line 4: an element has more than 64 attributes, which is the limit.");
    let long = network(&graph(&format!("\n<node id='{}'/>", "a".repeat(2_000_000))));
    assert_eq!(long, "net.txt line 4: a tag has 2,000,013 bytes; the limit is 1,048,576.");
}

#[test]
fn broken_graphs_name_the_line() {
    for (text, found) in [
        (
            "<graphml>\n<graph>\n".to_owned(),
            "net.txt line 3: the file ends before the graph does; give the whole file.",
        ),
        (graph("\n<node>"), "net.txt line 4: is not well-formed XML: "),
        (
            graph("") + "\n<graphml/>",
            "net.txt line 6: <graphml> is a second outer element; keep one <graphml>.",
        ),
        (graph("") + "\nmore", "net.txt line 4: text stands outside of <graphml>; remove it."),
        (graph("") + "\n&amp;", "net.txt line 6: text stands outside of <graphml>; remove it."),
        (graph("\n<node id='a' id='b'/>"), "net.txt line 4: is not well-formed XML: "),
        (graph("\n<node id=a/>"), "net.txt line 4: is not well-formed XML: "),
        (
            "<graphml><graph/>\n<key id='t' attr.name='type'/></graphml>".into(),
            "net.txt line 2: <key> stands after <graph>; put every <key> before it.",
        ),
        (
            "<graphml><graph/><graph/></graphml>".into(),
            "net.txt: must be <graphml> with one <graph>, not <graphml> with 2 graphs.",
        ),
        ("<a".repeat(300_000), "net.txt line 1: is not well-formed XML: "),
        ("<".into(), "net.txt line 1: is not well-formed XML: "),
        ("<!--".into(), "net.txt line 1: is not well-formed XML: "),
        (
            "<graphml>& </graphml>".into(),
            "net.txt line 1: must be one of `&amp;`, `&lt;`, `&gt;`, `&quot;` and `&apos;`, or the number of a character, not `&` without `;`.",
        ),
    ] {
        let fault = network(&text);
        assert!(fault.starts_with(found), "{text:.60}: {fault}");
    }
}

#[test]
fn lists_of_links_keep_few_faults_and_no_lists_of_words() {
    for text in [
        "a\n".repeat(500_000),
        "a s fast\n".repeat(100_000),
        format!("host {}", "a ".repeat(1_000_000)),
        "a ".repeat(1_000_000),
    ] {
        network(&text);
    }
    let names: String = (0..300_000).map(|number| format!("n{number}\n")).collect();
    assert!(network(&names).lines().last().unwrap().contains("this and 299900 more errors."));
    let long = network(&format!("a s\n{}", "a ".repeat(5_000_000)));
    assert_eq!(long, "net.txt line 2: must be at most 8,388,608 bytes, not a line of 10,000,000 bytes.");
    let huge = "#".repeat(MAX_FILE_BYTES + 1);
    assert_eq!(network(&huge), "net.txt: must be at most 67,108,864 bytes, not 67,108,865 bytes.");
}

#[test]
fn values_of_a_pickle_take_a_limited_multiple_of_its_bytes() {
    let expected = "which is the limit; write the dump as JSON.";
    for opcode in [&b"]"[..], b"}", b"N", b"]Na", b"N\x94", b"(NNs"] {
        let mut bytes = b"\x80\x02".to_vec();
        while bytes.len() < 4 << 20 {
            bytes.extend_from_slice(opcode);
        }
        let fault = traffic("rank_0", &bytes);
        assert!(
            fault.contains("bytes of memory") && fault.ends_with(expected)
                || fault.contains("an opcode has no values"),
            "{opcode:?}: {fault}"
        );
    }
    // `entries` has one entry, whose sizes are 200 times the same list of 200 lists of 200 numbers.
    let text = |word: &str| [b"X", &(word.len() as u32).to_le_bytes()[..], word.as_bytes()].concat();
    let list = |items: Vec<u8>| [b"](".to_vec(), items, b"e".to_vec()].concat();
    let mut bytes = b"\x80\x02".to_vec();
    for place in 0..3u8 {
        let item = if place == 0 { vec![b'K', 1] } else { vec![b'h', place - 1] };
        bytes.extend([list(item.repeat(200)), vec![b'q', place, b'0']].concat());
    }
    let entry = [b"}(".to_vec(), text("input_sizes"), vec![b'h', 2], b"u".to_vec()].concat();
    bytes.extend([b"}(".to_vec(), text("entries"), list(entry), b"u.".to_vec()].concat());
    let fault = traffic("rank_0", &bytes);
    assert!(
        fault.contains("values that repeat too often; a flight recorder does not write such a pickle."),
        "{fault}"
    );
}

#[test]
fn messages_and_objects_have_a_limit_of_values() {
    let message = |body: &[u8]| {
        let mut length = body.len();
        let mut bytes = vec![0];
        while length >= 0x80 {
            bytes.push(length as u8 | 0x80);
            length >>= 7;
        }
        bytes.push(length as u8);
        [&bytes, body].concat()
    };
    let many = message(&[&[8, 1][..], &[0x52, 0].repeat(1_000_000)].concat());
    assert_eq!(
        traffic("trace.0.et", &many),
        "trace.0.et: byte 1: a node has 1,000,000 attributes, and the limit is 4,096."
    );
    let deep = message(&[&[8, 1][..], &[0x0b].repeat(100_000)].concat());
    assert!(traffic("trace.0.et", &deep).contains("a message must be a node of a Chakra trace: "));
    let objects = format!("{{\"id\": 1, \"attr\": [{}]}}", "{\"\":0},".repeat(100_000));
    assert_eq!(
        traffic("trace.0.json", objects.as_bytes()),
        "trace.0.json: byte 0: an object of more than 1,048,576 values, which is the limit."
    );
    let nulls = format!("{{\"pg_config\": {{}}, \"entries\": [{}null]}}", "null,".repeat(2_000_000));
    assert!(traffic("rank_0", nulls.as_bytes()).contains("an object of more than 1,048,576 values"));
    let deep = format!("{{\"pg_config\": {}", "[".repeat(1000));
    assert!(
        traffic("rank_0", deep.as_bytes())
            .contains("more than 63 brackets around each other, which is the limit.")
    );
    let names = format!("{{\"0\": [0, 1], \"{}\": [0]}}", "n".repeat(5000));
    assert!(
        traffic("groups_0.json", names.as_bytes())
            .contains("must be the name of a group, at most 1024 bytes, not ")
    );
    let ranks = r#"{"0": [0, 4294967295]}"#;
    assert!(
        traffic("groups_0.json", ranks.as_bytes())
            .contains("must be a rank, 0 to 1048575, not 4294967295 in group ")
    );
}

#[test]
fn lines_of_traffic_have_a_limit() {
    let long = format!("0 1\n{}", "1 ".repeat(3_000_000));
    assert!(
        traffic("a.txt", long.as_bytes())
            .starts_with("a.txt: line 2: a line of more than 4,194,304 bytes, which is the limit.")
    );
    let faults = matrix::parse(&format!("0 1\n{}", "1 ".repeat(3_000_000)), 4, None).unwrap_err();
    assert!(faults[0].to_string().starts_with("line 2: has more than 2,097,152 values; "), "{}", faults[0]);
}

#[test]
fn specs_have_a_limit_of_values() {
    for text in [
        format!("pes = [{}]", "{a=1},".repeat(200_000)),
        "[[a.b]]\n[a.b.c]\n".repeat(200_000),
        "a = 1\n".repeat(300_000),
        format!("{}a = 1", "a.".repeat(1_500_000)),
        "\n".repeat(4_000_000),
        "#\r\n".repeat(1_000_000),
    ] {
        let fault = resolve::parse(&text).unwrap_err().to_string();
        assert!(fault.contains("; the limit is 400,000. Write long `pairs` as text"), "{fault:.200}");
    }
    assert!(toml::max_bytes(&format!("pes = [{}]", "1,".repeat(390_000))) > 75 << 20);
    assert!(toml::max_bytes("pes = 8\n") < 2000);
}

#[test]
fn tables_and_audits_keep_few_faults() {
    let faults = table::parse(&format!("0: 1\n{}", "x\n".repeat(500_000)), 4).unwrap_err();
    assert_eq!(faults.len(), table::MAX_FAULTS + 1);
    let design = Design::from_switches(4, [vec![0, 1, 2, 3]]);
    let faults = audit(&design, &Names::new(1, 4), &[], &"{}\n".repeat(300_000)).unwrap_err();
    assert_eq!(faults.len(), 201);
    assert!(faults[200].to_string().contains("this and 299800 more errors."), "{}", faults[200]);
}

/// One reading of a file.
type Read = Box<dyn FnOnce()>;

#[test]
fn every_reader_stops_when_it_is_cancelled() {
    let graph = graph(&"<node id='a'/>".repeat(3));
    let pickle = b"\x80\x02]]]".to_vec();
    let message = [&[0, 4, 8, 1, 0x52, 0][..], &[0]].concat();
    let json = br#"{"id": 1, "attr": []}"#;
    let read = |name: &'static str, bytes: &[u8]| {
        let bytes = bytes.to_vec();
        Box::new(move || drop(trace::read(&[(name, &bytes)], None))) as Read
    };
    let readers: Vec<(&str, Read)> = vec![
        ("graph", Box::new(move || drop(NetworkFile::read("net.txt", &graph)))),
        ("links", Box::new(|| drop(NetworkFile::read("net.txt", "a s\nb s\n")))),
        ("names", Box::new(|| drop(NetworkFile::read("net.txt", "host a b c")))),
        ("pickle", read("rank_0", &pickle)),
        ("protobuf", read("trace.0.et", &message)),
        ("JSON", read("trace.0.json", json)),
        ("log", read("run.log", b"h:1:1 [0] NCCL INFO x\n")),
        ("MatrixMarket", read("a.mtx", b"%%MatrixMarket matrix coordinate real general\n3 3 3\n")),
        ("list", read("a.txt", b"0 1\n1 2\n")),
        ("matrix", Box::new(|| drop(matrix::parse("0 1\n1 0\n", 4, None)))),
        ("table", Box::new(|| drop(table::parse("0: 0 1\n", 4)))),
        ("spec", Box::new(|| drop(resolve::parse("pes = 8\n")))),
    ];
    for (name, read) in readers {
        let token = Token::default();
        token.cancel();
        assert_eq!(scope(&token, read), Err(Cancelled), "{name}");
    }
}
