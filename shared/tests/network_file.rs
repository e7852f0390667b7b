//! Networks from files: lists of links and GraphML graphs, written by this program and by others.

use shared::{
    compare::{FabricFigures, Market, figures, market::preset},
    demand::Demand,
    design::{Design, table},
    exports::{Bundle, DESIGNS, fabrics},
    fabric::{Fabric, NetworkFile, NetworkKind, Speeds, Wiring, kinds},
    resolve::{self, NoFiles},
    spec::Spec,
};
use std::{collections::BTreeMap, sync::Arc};

const SPEEDS: Speeds = Speeds { hosts: 100, trunks: 250 };

fn read(text: &str) -> NetworkFile {
    NetworkFile::read("net.txt", text).unwrap_or_else(|faults| panic!("{faults}\n{text}"))
}

fn faults(text: &str) -> String {
    NetworkFile::read("net.txt", text).expect_err(text).to_string()
}

fn exported(kind: &str, format: &str) -> String {
    let kind = kinds::parse(kind).unwrap();
    let format = fabrics(&*kind).get(format).unwrap();
    let mut text = String::new();
    Bundle::fabric(kind.into()).render(format, None, &mut text).unwrap();
    text
}

/// Both ends of each link in ascending order, and its speed.
fn links(fabric: &Fabric) -> Vec<([u32; 2], u32)> {
    let sorted = |mut ends: [u32; 2]| {
        ends.sort_unstable();
        ends
    };
    fabric.links.iter().map(|link| (sorted(link.ends), link.speed)).collect()
}

/// Switches by their ports of both speeds.
fn widths(kind: &dyn NetworkKind) -> BTreeMap<(u32, u32), u32> {
    let mut widths = BTreeMap::new();
    for part in kind.parts().switches {
        *widths.entry((part.ports, part.trunks)).or_default() += part.count;
    }
    widths
}

#[test]
fn a_full_mesh_of_hosts_is_the_kind_of_that_name() {
    let mut text = "host a b c d e\n".to_owned();
    let names = ["a", "b", "c", "d", "e"];
    for (number, from) in names.iter().enumerate() {
        names[number + 1..].iter().for_each(|to| text += &format!("{from} {to}\n"));
    }
    let (file, full) = (read(&text), kinds::parse("full:5").unwrap());
    assert_eq!(file.parts(), full.parts());
    assert_eq!(links(&file.fabric(SPEEDS)), links(&full.fabric(SPEEDS)));
    let market = preset("400g").unwrap().market();
    let [file, full] = [&file as &dyn NetworkKind, &*full].map(|kind| figures(kind, None, &market));
    assert_eq!((file.bill, file.worst, file.survival), (full.bill, full.worst, full.survival));
    assert_eq!((file.bisection.links, file.bisection.exact), (full.bisection.links, true));
}

#[test]
fn exports_are_read_back_as_the_same_network() {
    for text in [
        "dragonfly:4,2",
        "tree:48,12,4",
        "fat-tree:32,8,2",
        "rail-clos:8,4,8,2",
        "rail:2x4",
        "torus:3x4,2",
        "pmesh:3x3",
        "host-torus:4x4",
        "planes:2,hyperx:3x3",
    ] {
        let kind = kinds::parse(text).unwrap_or_else(|fault| panic!("{fault}"));
        for format in ["links", "graphml"] {
            let file = read(&exported(text, format));
            assert_eq!(links(&file.fabric(SPEEDS)), links(&kind.fabric(SPEEDS)), "{text} {format}");
            let (own, other) = (file.parts(), kind.parts());
            assert_eq!((own.hosts, own.cables, own.between), (other.hosts, other.cables, other.between));
            assert_eq!((own.nis, own.trunk_nis), (other.nis, other.trunk_nis), "{text} {format}");
            assert_eq!(widths(&file), widths(&*kind), "{text} {format}");
        }
    }
}

fn spec(text: &str) -> (Spec, Demand) {
    let spec = resolve::read(text, &mut NoFiles).unwrap_or_else(|faults| panic!("{faults}"));
    let demand = Demand::build(&spec).unwrap_or_else(|refused| panic!("{refused}"));
    (spec, demand)
}

/// Figures of a network for all pairs of its hosts.
fn for_all_pairs(kind: &dyn NetworkKind, market: &Market) -> FabricFigures {
    let text = format!(
        "pes = {}\nnis_per_pe = 1\n[[switch]]\nports = 4\n[[pattern]]\nkind = 'all-pairs'\n",
        kind.parts().hosts
    );
    figures(kind, Some(&spec(&text).1), market)
}

#[test]
fn an_exported_dragonfly_has_the_figures_of_the_kind() {
    for market in ["400g", "1998"].map(|key| preset(key).unwrap().market()) {
        let kind = kinds::parse("dragonfly:4,2").unwrap();
        let kind = for_all_pairs(&*kind, &market);
        let file = for_all_pairs(&read(&exported("dragonfly:4,2", "links")), &market);
        assert_eq!(kind.diameter_switches, Some(4));
        assert!(kind.demand.unwrap().latency.is_some() && kind.bill.total.is_some());
        assert_eq!(file, kind);
    }
}

#[test]
fn links_may_have_speeds_and_comments_and_be_parallel() {
    let file = read(
        "source,target,speed\n# a comment\na, s, 400\nb;s;25000M # slow\nc s 1.6Tb/s\n\nd\ts\t400G\ne s\nf s trunk\n\
         s t 0.5\ns t 100Gbps\nt g\n",
    );
    let fabric = file.fabric(SPEEDS);
    let speeds: Vec<u32> = fabric.links.iter().map(|link| link.speed).collect();
    assert_eq!(speeds, [400_000, 25_000, 1_600_000, 400_000, 100, 250, 500, 100_000, 100]);
    assert_eq!((fabric.hosts, fabric.switches.len()), (7, 2));
    assert_eq!(widths(&file), BTreeMap::from([((7, 1), 1), ((3, 0), 1)]));
    let parts = file.parts();
    assert_eq!((parts.nis, parts.trunk_nis, parts.between), (6, 1, 2));
    let again = Bundle::fabric(Arc::new(file.clone()));
    let mut text = String::new();
    again.render(again.formats().get("links").unwrap(), None, &mut text).unwrap();
    assert!(text.contains("\nnode000 sw00 400\n") && text.contains("\nnode005 sw00 trunk\n"), "{text}");
    assert_eq!(links(&read(&text).fabric(SPEEDS)), links(&fabric));
}

#[test]
fn hosts_are_named_or_have_a_single_link() {
    let links = "x y\na x\nb y\nb x\nc y\n";
    let hosts = |more: &str| {
        let fabric = read(&format!("{more}{links}")).fabric(SPEEDS);
        (fabric.hosts, fabric.switches.len())
    };
    assert_eq!(hosts(""), (2, 3));
    assert_eq!(hosts("host b, a, c\n"), (3, 2));
    assert_eq!(hosts("switch x y\n"), (3, 2));
    assert_eq!(hosts("switch x y\nhost a b\nhost c\n"), (3, 2));
    // Hosts have numbers in the order in which they are first named.
    let file = read(&format!("host c a b\n{links}"));
    assert_eq!(file.fabric(SPEEDS).links[1].ends, [1, 3]);
    let fault = faults(&format!("switch x\nhost a\n{links}"));
    assert!(
        fault.contains("net.txt line 3: y is not named as a host or a switch, but other nodes are; name it."),
        "{fault}"
    );
}

/// A graph as networkx 3.6 writes it.
const NETWORKX: &str = r#"<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
  <key id="d1" for="edge" attr.name="speed" attr.type="double" />
  <key id="d0" for="node" attr.name="type" attr.type="string" />
  <graph edgedefault="undirected">
    <node id="h0">
      <data key="d0">host</data>
    </node>
    <node id="h1">
      <data key="d0">host</data>
    </node>
    <node id="s0">
      <data key="d0">switch</data>
    </node>
    <edge source="h0" target="s0">
      <data key="d1">400.0</data>
    </edge>
    <edge source="h1" target="s0">
      <data key="d1">100.0</data>
    </edge>
  </graph>
</graphml>
"#;

#[test]
fn graphs_of_networkx_are_read() {
    let file = read(NETWORKX);
    assert_eq!(links(&file.fabric(SPEEDS)), [([0, 2], 400_000), ([1, 2], 100_000)]);
    // A directed graph has both directions of each link.
    let back = "<edge source=\"s0\" target=\"h0\"/><edge source=\"s0\" target=\"h1\"/>\n  </graph>";
    let directed = NETWORKX.replace("\"undirected\"", "\"directed\"");
    assert_eq!(read(&directed.replace("  </graph>", back)), file);
    assert_eq!(read(&directed), file);
    let one = directed.replace("  </graph>", "<edge source=\"s0\" target=\"h0\"/></graph>");
    assert!(
        faults(&one).contains("net.txt line 18: <edge> has no opposite edge, but other edges do; "),
        "{}",
        faults(&one)
    );
}

/// A graph as yEd writes it, without drawing.
const YED: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml" xmlns:yed="http://www.yworks.com/xml/yed/3">
  <key for="node" id="d5" attr.name="Kind" attr.type="string"><default>host</default></key>
  <key for="node" id="d6" yfiles.type="nodegraphics"/>
  <key for="edge" id="d8" attr.name="Kind" attr.type="string"><default>copper</default></key>
  <key for="edge" id="d9" attr.name="Bandwidth" attr.type="string"/>
  <graph edgedefault="directed" id="G">
    <node id="n0"><data key="d5">Switch</data><data key="d6"><y:ShapeNode><y:NodeLabel>leaf</y:NodeLabel></y:ShapeNode></data></node>
    <node id="n1" yfiles.foldertype="group">
      <graph edgedefault="directed" id="n1:">
        <node id="n1::n0"/>
        <node id="n1::n1"/>
      </graph>
    </node>
    <edge id="e0" source="n1::n0" target="n0"><data key="d9">100G</data></edge>
    <edge id="e1" source="n0" target="n1::n1"/>
    <edge id="e2" source="n0" target="n1::n1"/>
  </graph>
</graphml>
"#;

#[test]
fn graphs_of_yed_are_read() {
    let file = read(YED);
    assert_eq!(links(&file.fabric(SPEEDS)), [([0, 2], 100_000), ([1, 2], 100), ([1, 2], 100)]);
    assert_eq!(widths(&file), BTreeMap::from([((3, 0), 1)]));
}

#[test]
fn a_designs_graph_is_read_back_as_the_design() {
    let text = "pes = 4\nnis_per_pe = 2\n[[switch]]\nports = 2\n[[pattern]]\nkind = 'ring'\n";
    let (spec, demand) = spec(text);
    let design: Design = table::parse("0: 0 1\n1: 1 2\n2: 2 3\n3: 0 3\n", spec.pes).unwrap();
    let wiring = Wiring::of(&spec, &design).fabric(SPEEDS);
    let bundle = Bundle::new(Arc::new(spec), text, Arc::new(demand), Arc::new(design));
    let mut graph = String::new();
    bundle.render(DESIGNS.get("graphml").unwrap(), None, &mut graph).unwrap();
    let mut own = links(&read(&graph).fabric(SPEEDS));
    let mut expected = links(&wiring);
    own.sort_unstable();
    expected.sort_unstable();
    assert_eq!(own, expected);
}

#[test]
fn wrong_files_are_refused_with_the_line_the_value_and_what_is_accepted() {
    let graph = |inside: &str| {
        format!("<graphml>\n<key id='t' for='node' attr.name='type'/>\n<graph>{inside}</graph></graphml>")
    };
    for (text, told) in [
        (
            "a s\nb s fast\n".to_owned(),
            "net.txt line 2: must be a speed in Gb/s from 0.001 to 4,000,000, such as 400, 400G or 1.6T, or `trunk`, not `fast`.",
        ),
        (
            "a s 0\nb s\n".into(),
            "net.txt line 1: must be a speed in Gb/s from 0.001 to 4,000,000, such as 400, 400G or 1.6T, or `trunk`, not 0.",
        ),
        ("a s -4G\nb s\n".into(), "or `trunk`, not -4G."),
        (
            "a s 400 500\nb s\n".into(),
            "line 1: must be two nodes and, if known, the speed of their link, `host NAME...` or `switch NAME...`, not a s 400 500.",
        ),
        (
            "a\nb s\n".into(),
            "line 1: must be two nodes and, if known, the speed of their link, `host NAME...` or `switch NAME...`, not `a`.",
        ),
        (
            "a,,400\n".into(),
            "line 1: must be two nodes and, if known, the speed of their link, `host NAME...` or `switch NAME...`, not a,,400.",
        ),
        (
            "host\na s\n".into(),
            "line 1: must be two nodes and, if known, the speed of their link, `host NAME...` or `switch NAME...`, not `host`.",
        ),
        ("a a\n".into(), "line 1: links a to itself; name two different nodes."),
        ("host a\nswitch a\na s\n".into(), "line 2: a is both a host and a switch; name it once."),
        ("host a b c\na s\nb s\n".into(), "line 1: c has no link."),
        ("a s\nb s\nc t\nd t\n".into(), "net.txt: has no path from a to c; connect all hosts."),
        (
            "a b\nb c\nc a\n".into(),
            "net.txt: has no hosts: no node has a single link. Name the hosts by lines such as ",
        ),
        (String::new(), "net.txt: has no hosts: "),
        ("host a\na s\nb s\n".into(), "net.txt: has 1 host, and needs at least 2, named by lines such as "),
        ("<graphml>".into(), "net.txt line 1: the file ends before the graph does; give the whole file."),
        ("<gexf/>".into(), "must be <graphml> with one <graph>, not <gexf> with 0 graphs."),
        (graph("<node/>"), "net.txt line 3: must be <node id=...>, not <node> without id."),
        (graph("<node id='a'/><node id='a'/>"), "must be an id that no other node has, not `a`."),
        (
            graph("<node id='a'><data key='t'>spine</data></node>"),
            "net.txt line 3: must be host or switch, not type \"spine\" of node a.",
        ),
        (
            graph("<node id='a'/>\n<edge source='a' target='b'/>"),
            "line 4: must be the id of a node, not target \"b\".",
        ),
        (graph("<hyperedge/>"), "must be <edge source=... target=...>, not `<hyperedge>`."),
    ] {
        let found = faults(&text);
        assert!(found.contains(told), "{text}: {found}");
    }
    // Every fault is reported.
    assert_eq!(faults("a s x\nb s y\n").lines().count(), 2);
    let none = |_: &str| Err("it does not exist".to_owned());
    let fault = kinds::parse_with("file:none.txt", &none).unwrap_err().to_string();
    assert_eq!(fault, "fabric: it does not exist.");
    assert!(kinds::parse("file:x").unwrap_err().to_string().contains("command line"));
}

#[test]
fn a_file_may_be_each_of_several_planes() {
    let read = |name: &str| match name {
        "plane.txt" => Ok("a s\nb s\nc s\n".to_owned()),
        name => Err(format!("{name} is missing")),
    };
    let one = kinds::parse_with("planes:1,file:plane.txt", &read).unwrap_err().to_string();
    assert!(one.contains("planes from 2 to 64"), "{one}");
    let planes = kinds::parse_with("planes:2,file:plane.txt", &read).unwrap();
    let parts = planes.parts();
    assert_eq!((planes.text().as_str(), parts.hosts, parts.nis), ("planes:2,file:plane.txt", 3, 6));
}
