//! Files made to exhaust memory or time: every reader of structured text ends in a fault that says where, or when it is cancelled.

use shared::{
    cancel::{Cancelled, Token, scope},
    fabric::{MAX_FILE_BYTES, NetworkFile},
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

#[test]
fn graphs_define_no_entities() {
    let entity = "x".repeat(2_000_000);
    let nodes: String = (0..4000).map(|number| format!("<node id=\"&a;{number}\"/>\n")).collect();
    let text =
        format!("<?xml version=\"1.0\"?>\n<!DOCTYPE graphml [<!ENTITY a \"{entity}\">]>\n{}", graph(&nodes));
    let expected = "net.txt line 2: got <!DOCTYPE>, expected a file without a document type: remove it, and write the text of its entities";
    assert_eq!(network(&text), expected);
    for inside in ["<node id='&a;'/>", "<node id='a'><data key='t'>&a;</data></node>", "<desc>&a;</desc>"] {
        assert_eq!(
            network(&graph(&format!("\n{inside}"))).split(", expected one of `&amp;`").next(),
            Some("net.txt line 4: got &a;")
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
    assert_eq!(deep, "net.txt line 3: got 101 elements inside each other, expected at most 100");
    let attributes: String = (0..120_000).map(|number| format!(" a{number}=''")).collect();
    let wide = network(&graph(&format!("\n<node id='a'{attributes}/>")));
    assert_eq!(wide, "net.txt line 4: got an element with more than 64 attributes, expected at most 64");
}

#[test]
fn broken_graphs_name_the_line() {
    for (text, found) in [
        ("<graphml>\n<graph>\n".to_owned(), "net.txt line 3: got the end of the file"),
        (graph("\n<node>"), "net.txt line 4: got "),
        (graph("") + "\n<graphml/>", "net.txt line 6: got a second outer element <graphml>"),
        (graph("") + "\nmore", "net.txt line 4: got text outside of <graphml>"),
        (graph("") + "\n&amp;", "net.txt line 6: got text outside of <graphml>"),
        (graph("\n<node id='a' id='b'/>"), "net.txt line 4: got "),
        (graph("\n<node id=a/>"), "net.txt line 4: got "),
        (
            "<graphml><graph/>\n<key id='t' attr.name='type'/></graphml>".into(),
            "net.txt line 2: got <key> after <graph>",
        ),
        ("<graphml><graph/><graph/></graphml>".into(), "net.txt: got <graphml> with 2 graphs"),
        ("<a".repeat(300_000), "net.txt line 1: got "),
        ("<".into(), "net.txt line 1: got "),
        ("<!--".into(), "net.txt line 1: got "),
        ("<graphml>& </graphml>".into(), "net.txt line 1: got `&` without `;`"),
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
    assert!(network(&names).lines().last().unwrap().contains("this and 299900 more faults"));
    let huge = "#".repeat(MAX_FILE_BYTES + 1);
    assert_eq!(network(&huge), "net.txt: got 67,108,865 bytes, expected at most 67,108,864 bytes");
}

#[test]
fn every_reader_stops_when_it_is_cancelled() {
    let graph = graph(&"<node id='a'/>".repeat(3));
    let readers: Vec<(&str, Box<dyn FnOnce()>)> = vec![
        ("graph", Box::new(move || drop(NetworkFile::read("net.txt", &graph)))),
        ("links", Box::new(|| drop(NetworkFile::read("net.txt", "a s\nb s\n")))),
        ("names", Box::new(|| drop(NetworkFile::read("net.txt", "host a b c")))),
    ];
    for (name, read) in readers {
        let token = Token::default();
        token.cancel();
        assert_eq!(scope(&token, read), Err(Cancelled), "{name}");
    }
}
