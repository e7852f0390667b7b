//! Networks from files, written by this program and by others.

use proptest::prelude::*;
use shared::{
    compare::{FabricFigures, Market, figures, market::preset},
    demand::Demand,
    design::{Design, Names, table},
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
pub const NETWORKX: &str = r#"<?xml version='1.0' encoding='utf-8'?>
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
    assert_eq!(read(&directed.replace("  </graph>", "<edge source=\"s0\" target=\"h0\"/></graph>")), file);
    // Edges of an undirected graph, and edges that a directed graph repeats, are parallel links.
    let again = "<edge source=\"s0\" target=\"h0\"/></graph>";
    assert_eq!(read(&NETWORKX.replace("  </graph>", again)).fabric(SPEEDS).links.len(), 3);
    let forth = "<edge source=\"h0\" target=\"s0\"/><edge source=\"s0\" target=\"h0\"/>";
    assert_eq!(
        read(&directed.replace("  </graph>", &format!("{forth}{again}"))).fabric(SPEEDS).links.len(),
        3
    );
}

#[test]
fn two_directions_are_one_link() {
    let dot = "digraph G {\n node01 -> sw01; sw01 -> node01;\n node02 -> sw01; sw01 -> node02; node02 -> sw01; sw01 -> node02\n}";
    assert_eq!(shape(dot), ("node01 node02".into(), 1, 3));
    assert_eq!(shape(&dot.replace("digraph", "graph").replace("->", "--")).2, 6);
    let json = r#"{"directed": true, "nodes": [{"id": "a", "type": "host"}, {"id": "b", "type": "host"}, {"id": "s", "type": "switch"}],
        "edges": [{"source": "a", "target": "s"}, {"source": "s", "target": "a"}, {"source": "b", "target": "s"}]}"#;
    assert_eq!(shape(json), ("a b".into(), 1, 2));
    assert_eq!(shape(&json.replace("true", "false")), ("a b".into(), 1, 3));
}

#[test]
fn graphs_of_dot_are_read_as_people_write_them() {
    for text in [
        "/* made by x\n   on y */\ngraph G {\n node1 -- sw1\n node2 -- sw1\n}",
        "// made by x\ngraph topo\n{\n  node1 -- sw1;\n  node2 -- sw1;\n}\n",
        "graph {\n sw1 -- {node1 node2}\n}",
        "graph {\n subgraph cluster_a { label=a; node1 [type=host]; node2 }\n {node1; node2:eth0} -- sw1 [speed=100]\n}",
        "graph {\n {node1, node2} -- subgraph x {sw1}\n}",
    ] {
        assert_eq!(shape(text), ("node1 node2".into(), 1, 2), "{text}");
    }
    let air = "graph \"t\" {\n \"leaf01\":\"swp1\" -- \"server01\":\"eth1\"\n \"leaf01\":\"swp2\" -- \"server02\":\"eth1\"\n \
               \"leaf01\":\"eth0\" -- \"oob-mgmt-switch\":\"swp1\"\n \"server01\":\"eth0\" -- \"oob-mgmt-switch\":\"swp2\"\n}";
    assert_eq!(shape(air), ("server01 server02".into(), 1, 2));
    assert_eq!(
        warnings(air)[0],
        "net.txt line 4: is a link to oob-mgmt-switch for management, and is left out."
    );
    for (text, fault) in [
        (
            "graph {\n a -- {b {c}}\n}".to_owned(),
            "net.txt line 2: must be the name of a node, or names in braces, at both ends of a link, not `{`.",
        ),
        ("graph {\n a --\n}".into(), "line 2: must be the name of a node, or names in braces, "),
        (
            format!(
                "graph {{\n {{{0}}} -- {{{0}}}\n}}",
                (0..600).map(|i| format!("n{i} ")).collect::<String>()
            ),
            "net.txt line 2: has more than 262,144 links between groups in braces, which is the limit.",
        ),
    ] {
        assert!(faults(&text).contains(fault), "{}", faults(&text));
    }
}

#[test]
fn lists_of_links_are_read_as_programs_write_them() {
    for text in [
        "\"source\",\"target\"\n\"node 1\",\"sw1\"\n\"node,2\",\"sw1\"\n",
        "Source,Target,Type,Id,Label,Weight\nnode 1,sw1,Undirected,0,,100\n\"node,2\",sw1,Undirected,1,,100\n",
        "src;dst;speed\nnode 1;sw1;100\n\"node,2\";sw1;\n",
        "\"node 1\" \"sw1\"\n\"node,2\" sw1\n",
        "id,dst,src,link_speed\n1,sw1,node 1,100G\n2,sw1,\"node,2\",\n",
    ] {
        assert_eq!(shape(text), ("node 1 node,2".into(), 1, 2), "{text}");
    }
    let text = "node1 sw1 {}\nnode2 sw1 {'speed': '400G', 'x': 1}\nsw1 node3 {\"weight\": 25.0}\n";
    let speeds: Vec<u32> = read(text).fabric(SPEEDS).links.iter().map(|link| link.speed).collect();
    assert_eq!(speeds, [100, 400_000, 25_000]);
    assert!(
        faults("src,dst,speed\na,s,1\n,s,2\n").contains("net.txt line 3: must be two nodes and, if known, ")
    );
    assert!(faults("src,dst,speed\na,s,1\nb,s,fast\n").contains("net.txt line 3: must be a speed in Gb/s"));
}

/// A graph as yEd writes it, without drawing.
pub const YED: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="no"?>
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

#[test]
fn the_last_word_of_a_name_is_its_role() {
    for (switch, host) in
        [("gpu-leaf01", "node01"), ("storage-tor-1", "edge-node01"), ("compute-switch", "fabric-host2")]
    {
        let text = format!("graph g {{ \"{switch}\" -- \"{host}\"; \"{switch}\" -- \"server9\" }}");
        assert_eq!(NetworkFile::read("a.dot", &text).unwrap().hosts(), [host, "server9"], "{switch}");
    }
    let ca = |guid: u32, name: &str| {
        format!(
            "Ca 1 \"H-{guid:016x}\" # \"{name}\"\n[1](1) \"S-00000000000000aa\"[{guid}] # lid 1 lmc 0 \"sw\" lid 2 4xHDR\n"
        )
    };
    for (one, other, hosts) in [
        ("ibnode01 mlx5_0", "ibnode01 mlx5_1", 2),
        ("ibm-gpu01 rdma0", "ibm-gpu01 rdma1", 2),
        ("old01 HCA-1 (Mellanox HCA)", "old01 HCA-2 (Mellanox HCA)", 2),
    ] {
        let text = format!("{}{}{}", ca(1, one), ca(2, other), ca(3, "b mlx5_0"));
        assert_eq!(NetworkFile::read("a.txt", &text).unwrap().hosts().len(), hosts, "{one}");
    }
}

/// Names of the hosts, the number of switches, and the links by names of hosts and numbers of switches.
fn shape(text: &str) -> (String, usize, usize) {
    let file = read(text);
    let fabric = file.fabric(SPEEDS);
    (file.hosts().join(" "), fabric.switches.len(), fabric.links.len())
}

fn warnings(text: &str) -> Vec<String> {
    read(text).warnings().iter().map(ToString::to_string).collect()
}

pub const ANYNET: &str = "router 0 node 0 node 1 router 1 10 router 2 5\nrouter 1 node 3 node 2\nrouter 2 node 4 router 1 router 0\n";

#[test]
fn networks_of_booksim_are_read() {
    assert_eq!(shape(ANYNET), ("node0 node1 node2 node3 node4".into(), 3, 8));
    assert_eq!(links(&read(ANYNET).fabric(SPEEDS))[2].0, [2, 6]);
    assert_eq!(warnings(ANYNET), ["net.txt line 1: has latencies of links, which are not read."]);
    assert_eq!(shape("node 0 router 0\nnode 1 router 1\nrouter 0 router 1\n").2, 3);
    for (text, fault) in [
        (
            "router 0 node 0\nrouter 1 node 0\n",
            "net.txt line 2: links node 0 to router 1, but it has router 0; a node has one router.",
        ),
        (
            "router 0 node 0 hub 1\n",
            "net.txt line 1: must be `router N` or `node N`, with a latency after it or not, not `hub`.",
        ),
        (
            "router 0 node x\nrouter 0 node 0",
            "net.txt line 1: must be the number of a node, such as `node 0`, not `x`.",
        ),
        ("router 0 router 0", "net.txt line 1: links router 0 to itself; name two different routers."),
    ] {
        assert!(faults(text).contains(fault), "{}", faults(text));
    }
}

#[test]
fn topologies_of_ns3_are_read() {
    let star =
        "5 1 4\n4\n4 0 400Gbps 0.0005ms 0\n4 1 50GBps 500ns 0\n4 2 0.4Tbps 500ns 0\n4 3 25Gb/s 500ns 0\n";
    let file = read(star);
    assert_eq!(
        links(&file.fabric(SPEEDS)),
        [([0, 4], 400_000), ([1, 4], 400_000), ([2, 4], 400_000), ([3, 4], 25_000)]
    );
    let ring =
        "4 0 4\n\n0 1 25Gbps 0.005ms 0\n1 2 25Gbps 0.005ms 0\n2 3 25Gbps 0.005ms 0\n3 0 25Gbps 0.005ms 0\n";
    assert_eq!(shape(ring), ("host0 host1 host2 host3".into(), 0, 4));
    // HPCC's files go on with an explanation.
    let help = format!(
        "{star}\n\nFirst line: total node #, switch node #, link #\nsrc0 dst0 rate delay error_rate\n...\n"
    );
    assert_eq!((read(&help), warnings(&help)), (read(star), Vec::<String>::new()));
    // GPUs of one server are hosts. A link that comes again replaces the first.
    let server = "4 3 1 0 5 A800\n3\n0 3 202Gbps 0.00173ms 0\n1 3 202Gbps 0.0017ms 0\n2 0 147Gbps 0.00225ms 0\n\
                  1 2 147Gbps 0.00225ms 0\n2 1 148Gbps 0.00225ms 0\n";
    assert_eq!(shape(server), ("host0 host1 host2".into(), 1, 4));
    assert_eq!(links(&read(server).fabric(SPEEDS))[3], ([1, 2], 148_000));
    assert_eq!(warnings(server).len(), 2, "{:?}", warnings(server));
    // Servers are hosts if there is a network beyond them.
    let two = "7 2 2 1 8 H100\n4 5 6\n0 4 900Gbps 1ns 0\n1 4 900Gbps 1ns 0\n2 5 900Gbps 1ns 0\n3 5 900Gbps 1ns 0\n\
               0 6 400Gbps 1ns 0\n1 6 400Gbps 1ns 0\n2 6 400Gbps 1ns 0\n3 6 400Gbps 1ns 0\n";
    assert_eq!(shape(two), ("host0 host1".into(), 1, 4));
    for (text, fault) in [
        (
            "3 1 2\n2\n0 2 fast 1ns 0\n1 2 1Gbps 1ns 0\n",
            "net.txt line 3: must be a rate such as 400Gbps, 25Gbps or 1Tbps, not `fast`.",
        ),
        (
            "3 1 2\n2\n0 2 1Gbps 1ns 0\n1 3 1Gbps 1ns 0\n",
            "net.txt line 4: must be a number below 3, the count of nodes, not 3.",
        ),
        (
            "3 1 2\n7\n0 2 1Gbps 1ns 0\n",
            "net.txt line 2: must be the number of another switch, below 3, not 7.",
        ),
        (
            "3 1 2\n2\n0 2 1Gbps 1ns 0\n1 2\n",
            "net.txt line 4: must be `from to rate delay error_rate`, such as 0 8 400Gbps 500ns 0, not 1 2.",
        ),
    ] {
        assert!(faults(text).contains(fault), "{}", faults(text));
    }
}

#[test]
fn topologies_of_slurm_are_read() {
    let tree = "# Trees\nSwitchName=root Switches=grp[0-1] LinkSpeed=8\nswitchname=grp0 switches=leaf[00-01]\n\
                SwitchName=grp1 Switches=leaf02\nSwitchName=leaf00 Nodes=r[0-1]n[08-10],x\nSwitchName=leaf01 \\\n  Nodes=b7\n\
                SwitchName=leaf02 Nodes=\"c1,c2\" # end\n";
    let hosts = "r0n08 r1n08 r0n09 r1n09 r0n10 r1n10 x b7 c1 c2";
    let (found, switches, links) = shape(tree);
    let sorted = |names: &str| names.split(' ').map(str::to_owned).collect::<std::collections::BTreeSet<_>>();
    assert_eq!((sorted(&found), switches, links), (sorted(hosts), 6, 15));
    assert_eq!(warnings(tree), ["net.txt line 2: has a LinkSpeed, which has no unit and is not read."]);
    let spaced = "SwitchName = s0  Nodes = \"n[0-1]\"\nSwitchName=s1 Nodes= n[2-3] Switches=\nSwitchName = s2  Switches = \"s[0-1]\"\n";
    assert_eq!(shape(spaced), ("n0 n1 n2 n3".into(), 3, 6));
    let shown = "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[0-1]\nSwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[2-3] Switches=\n\
                 SwitchName=s2 Level=1 LinkSpeed=1 Nodes=n[0-3] Switches=s[0-1]\n";
    assert_eq!(shape(shown), ("n0 n1 n2 n3".into(), 3, 6));
    let shown = "BlockName=b1 BlockIndex=0 Nodes=n[1-4] BlockSize=4\nBlockName=b2 BlockIndex=1 Nodes=n[5-8] BlockSize=4\n\
                 AggregatedBlock=b[1-2] BlockIndex=2 Nodes=n[1-8] BlockSize=8\n";
    assert_eq!(shape(shown), ("n1 n2 n3 n4 n5 n6 n7 n8".into(), 3, 10));
    let blocks = "BlockName=b1 Nodes=n[01-04]\nBlockName=b2 Nodes=n[05-08]\nBlockSizes=4,8\n";
    assert_eq!(shape(blocks), ("n01 n02 n03 n04 n05 n06 n07 n08".into(), 3, 10));
    assert!(warnings(blocks)[0].contains("one switch joins all blocks here."));
    let yaml = "---\n- topology: t1\n  cluster_default: true\n  tree:\n    switches:\n    - switch: root\n      children: s[1-2]\n\
                \x20   - switch: s1\n      nodes: n[1-2]\n    - switch: s2\n      nodes: n3\n- topology: t2\n  block:\n    block_sizes: [2]\n\
                \x20   blocks:\n    - block: b1\n      nodes: n[1-2]\n    - {block: b2, nodes: 'n[3-4]'}\n";
    assert_eq!(shape(yaml), ("n1 n2 n3".into(), 3, 5));
    assert_eq!(
        shape(
            &yaml.replace("cluster_default: true", "cluster_default: false").replace("  tree:", "  trees:")
        )
        .1,
        3
    );
    assert_eq!(warnings(yaml), ["net.txt line 2: starts the topology t1; the others are not read."]);
    for (text, fault) in [
        (
            "SwitchName=a Nodes=n[3-1]\n",
            "net.txt line 1: must be names such as node[01-04,07] or a,b, with the lower number first, not n[3-1].",
        ),
        (
            "SwitchName=a Nodes=n[0-99999999]\n",
            "net.txt line 1: must be at most 262,144 names in the file, not n[0-99999999].",
        ),
        (
            "SwitchName=a Node=n1\n",
            "net.txt line 1: must be `SwitchName`, `Nodes`, `Switches`, `LinkSpeed`, `BlockName` or `BlockSizes`, not `Node`.",
        ),
        ("SwitchName=a Nodes=n1,n2\nNodes=n3\n", "net.txt line 2: "),
        (
            "SwitchName=a Nodes=n1,n2\ninclude /etc/slurm/more.conf\n",
            "net.txt line 2: includes /etc/slurm/more.conf, which is not read; put the lines of that file here.",
        ),
        (
            "NodeName=n[1-2] CPUs=4\n",
            "net.txt: is a slurm.conf, which has no network; give topology.conf or topology.yaml.",
        ),
        (
            "- topology: t\n  flat: true\n",
            "net.txt line 1: has only flat topologies, which name no switches; give one with `tree` or `block`.",
        ),
    ] {
        assert!(faults(text).contains(fault), "{}", faults(text));
    }
}

/// Two switches with a cable to themselves and between them, the second without a record of its own; a NIC that only the switch lists.
pub const SUBNET: &str = "src/query_smp.c:195; umad bad status 110; Connection timed out\n#\n# Topology file\n#\n\n\
switchguid=0x9854730f3be0f970(9854730f3be0f970)\nSwitch 36 \"S-9854730f3be0f970\" # \"SwitchIB\" base port 0 lid 268 lmc 0\n\
[1] \"S-9854730f3be0f970\"[2] # \"SwitchIB\" lid 268 4xEDR\n[2] \"S-9854730f3be0f970\"[1] # \"SwitchIB\" lid 268 4xEDR\n\
[3]\t\"S-98a43869c64a5fb0\"[1]\t\t# \"MF0;sw2:SX6012/U1\" lid 174 4xFDR\n\
[34] \"H-9369194c957fc557\"[1](9369194c957fc557) # \"n10 HCA-2\" lid 2 4xEDR\n\
[35] \"H-0002c731079aecb0\"[2](2c731079aecb2) # \"n9 mlx5_0\" lid 3 4xHDR\n\
[36] \"H-0002c731079aecb1\"[2](2c731079aecb3) # \"n9 mlx5_1\" lid 3 2xHDR\n\
[37] \"H-0002c731079aecd1\"[1](2c731079aecd2) # \"Mellanox Technologies Aggregation Node\" lid 9 4xHDR\n\n\
caguid=0x9369194c957fc557\nCa 1 \"H-9369194c957fc557\" # \"n10 HCA-2\"\n\
[1](9369194c957fc557) \"S-9854730f3be0f970\"[34] # lid 2 lmc 0 \"SwitchIB\" lid 268 4xEDR\n\n\
caguid=0x9e9c0cba7edeb438\nCa 1 \"H-9e9c0cba7edeb438\" # \"n8 HCA-1\"\n";

#[test]
fn infiniband_subnets_are_read() {
    assert_eq!(shape(SUBNET), ("n9 n10".into(), 2, 4));
    let speeds: Vec<u32> = read(SUBNET).fabric(SPEEDS).links.iter().map(|link| link.speed).collect();
    assert_eq!(speeds, [56_000, 100_000, 200_000, 100_000]);
    let found = warnings(SUBNET);
    for told in [
        "line 8: joins two ports",
        "\"Mellanox Technologies Aggregation Node\" is inside a switch",
        "n8 has no link and is left out.",
    ] {
        assert!(found.iter().any(|warning| warning.contains(told)), "{told}: {found:?}");
    }
    let ibsim = "Switch\t8 \"Switch1\"\n[1]\t\"Hca1\"[1]\n[3]\t\"Switch2\"[3]\n[5]\t\"Switch2\" [5]\n\nSwitch 8 \"Switch2\"\n[1]\t\"Hca2\"[1]\n\
                 [3]\t\"Switch1\"[3]\n[5]\t\"Switch1\"[5]\n\nHca\t2 \"Hca1\"\n[1]\t\"Switch1\"[1]\n\nHca\t2 \"Hca2\"\n[1]\t\"Switch2\"[1]\n";
    assert_eq!(shape(ibsim), ("Hca1 Hca2".into(), 2, 4));
    let lonely = faults("caguid=0x9e\nCa\t1 \"H-9e9c0cba7edeb438\"\t\t# \"n1 HCA-1\"\n");
    assert!(lonely.contains("n1 has no link and is left out."), "{lonely}");
    // Ports, as `ibnetdiscover -p` prints them.
    let ports = "SW     1  1 0x0000000000000010 4x HDR - CA     2  1 0x0000000000000001 ( 'MF0;sw01:MQM8700/U1' - 'node01 mlx5_0' )\n\
                 SW     1  2 0x0000000000000010 4x EDR - CA     3  1 0x0000000000000003 ( 'MF0;sw01:MQM8700/U1' - 'node02 mlx5_0' )\n\
                 SW     1  3 0x0000000000000010 4x SDR 'MF0;sw01:MQM8700/U1'\n\
                 CA     2  1 0x0000000000000001 4x HDR - SW     1  1 0x0000000000000010 ( 'node01 mlx5_0' - 'MF0;sw01:MQM8700/U1' )\n\
                 CA     3  1 0x0000000000000003 4x EDR - SW     1  2 0x0000000000000010 ( 'node02 mlx5_0' - 'MF0;sw01:MQM8700/U1' )\n";
    assert_eq!(shape(ports), ("node01 node02".into(), 1, 2));
    assert_eq!(links(&read(ports).fabric(SPEEDS)), [([0, 2], 200_000), ([1, 2], 100_000)]);
    for before in ["mgmt01: ", "ib.txt:", "[1,0]<stdout>:", "2025-06-01 10:00:00 ", "0: "] {
        for text in [SUBNET, ports] {
            let prefixed: String = text.lines().map(|line| format!("{before}{line}\n")).collect();
            assert_eq!(shape(&prefixed), shape(text), "{before}");
        }
    }
    // Two adapters back to back.
    let pair = "Ca 1 \"H-0000000000000001\" # \"a HCA-1\"\n[1](1) \"H-0000000000000002\"[1] # lid 1 lmc 0 \"b HCA-1\" lid 2 4xQDR\n";
    assert_eq!(shape(pair), ("a b".into(), 0, 1));
    let rows =
        "CA: a HCA-1:\n  0x01  1  1[  ] ==( 4X  10.0 Gbps Active/  LinkUp)==>  2  1[  ] \"b HCA-1\" ( )\n";
    assert!(faults(rows).contains("is the output of iblinkinfo; "), "{}", faults(rows));
}

pub const LAB: &str = "# A lab\nname: lab\ntopology:\n  defaults: {kind: nokia_srlinux}\n  kinds:\n    linux: {image: x/network-multitool}\n  nodes:\n\
\x20   leaf1: &leaf\n      type: ixrd3\n    leaf2: *leaf\n    spine1:\n      kind: linux\n      image: frrouting/frr:v8\n\
\x20   client1:\n      kind: linux\n    client2: {kind: linux}\n  links:\n    - endpoints: [\"leaf1:e1-1\", \"spine1:eth1\"]\n\
\x20   - type: veth\n      endpoints:\n        - node: leaf2\n          interface: e1-1\n        - {node: spine1, interface: eth2}\n\
\x20   - endpoints:\n      - client1:eth1\n      - leaf1:e1-3\n    - endpoints: [\"client2:eth1\", \"leaf2:e1-3\"]\n\
\x20   - endpoints: [\"leaf1:e1-9\", \"host:veth0\"]\n    - {type: mgmt-net, endpoint: {node: leaf1, interface: e1-8}}\n";

#[test]
fn topologies_of_labs_are_read() {
    assert_eq!(shape(LAB), ("client1 client2".into(), 3, 4));
    assert_eq!(
        warnings(LAB),
        [
            "net.txt line 28: has the endpoint `host`, outside the lab, and is left out.",
            "net.txt line 29: is a link of type `mgmt-net`, which leaves the lab, and is left out.",
        ]
    );
    let frr = "topology:\n  nodes:\n    r1: {kind: linux, image: frrouting/frr:v8.4.1}\n    h1: {kind: linux, image: alpine}\n    h2: {kind: linux}\n\
               \x20 links:\n    - endpoints: [\"r1:eth1\", \"h1:eth1\"]\n    - endpoints: [\"r1:eth2\", \"h2:eth1\"]\n";
    assert_eq!(shape(frr), ("h1 h2".into(), 1, 2));
    let data = r#"{"name":"x","type":"clab","nodes":{"leaf1":{"kind":"nokia_srlinux","image":"x"},"h1":{"kind":"linux"},"h2":{"kind":"linux"}},
        "links":[{"endpoints":{"a":{"node":"leaf1","interface":"e1-1"},"z":{"node":"h1","interface":"eth1"}}},
        {"a":{"node":"leaf1","interface":"e1-2"},"z":{"node":"h2","interface":"eth1"}}]}"#;
    assert_eq!(shape(data), ("h1 h2".into(), 1, 2));
    let d3 = r#"{"nodes":[{"name":"node01","type":"host"},{"name":"sw01","type":"switch"},{"name":"node02","type":"host"}],
        "links":[{"source":0,"target":1},{"source":2,"target":1}]}"#;
    assert_eq!(shape(d3), ("node01 node02".into(), 1, 2));
    let air = "{\n\t\"format\": \"JSON\", \"content\": {\"nodes\": {\"a\": {\"os\": \"cumulus-vx-5.16.1\"}, \"b\": {\"os\": \"generic/ubuntu2404\"},\n\
               \t\"c\": {\"os\": \"generic/ubuntu2404\"}, \"oob-mgmt-switch\": {}},\n\"links\": [\n\
               [{\"interface\": \"swp1\", \"node\": \"a\"}, {\"interface\": \"eth1\", \"node\": \"b\"}],\n\
               [{\"interface\": \"swp2\", \"node\": \"a\"}, {\"interface\": \"eth1\", \"node\": \"c\"}],\n\
               [{\"interface\": \"eth0\", \"node\": \"c\"}, {\"interface\": \"swp1\", \"node\": \"oob-mgmt-switch\"}],\n\
               [{\"interface\": \"swp9\", \"node\": \"a\"}, \"unconnected\"]]}}";
    assert_eq!(shape(air), ("b c".into(), 1, 2));
    assert_eq!(warnings(air).len(), 2, "{:?}", warnings(air));
    let dot = "graph \"Demo\" {\n  rankdir=LR\n  \"spine01\" [ function=\"spine\" os=\"sonic-vs-202305\" ]\n  \"leaf01\" [function=leaf]\n  leaf02\n\
               \"server01\" [ function=\"server\" ]; \"server02\" [os=\"generic/ubuntu2404\"]\n  \"leaf01\":\"eth1\" -- \"server01\":\"eth1\"\n\
               leaf02:swp1 -- server02:eth1 [left_mac=\"44:38:39:00:00:01\", speed=100G]\n  // Up\n  leaf01 -- spine01 -- leaf02\n}\n";
    assert_eq!(shape(dot), ("server01 server02".into(), 3, 4));
    assert_eq!(links(&read(dot).fabric(SPEEDS))[1].1, 100_000);
    let graph = "{\"nodes\": [{\"id\": 0, \"type\": \"host\"}, {\"id\": 1, \"type\": \"host\"}, {\"id\": 2, \"type\": \"switch\"}],\n\
                 \"links\": [{\"source\": 0, \"target\": 2}, {\"source\": 1, \"target\": 2, \"speed\": 25}]}";
    assert_eq!(links(&read(graph).fabric(SPEEDS)), [([0, 2], 100), ([1, 2], 25_000)]);
    let deep = format!("topology:\n{}", "[".repeat(100_000));
    for (text, fault) in [
        (
            LAB.replace("client2:eth1", "client3:eth1"),
            "net.txt line 27: must be the name of one of the `nodes`, not client3.",
        ),
        (LAB.replace("\"client2:eth1\", ", ""), "net.txt line 27: has no two endpoints; "),
        ("{\"a\": 1}".into(), "net.txt: is YAML or JSON, but no topology of containerlab, "),
        ("{\"a\": [1,".into(), "net.txt line 1: is not well-formed YAML or JSON: "),
        (
            "topology:\n  nodes: &a\n    x: *a\n".into(),
            "net.txt line 3: has an alias inside its own anchor; write the value.",
        ),
        (deep, "net.txt line 2: "),
        ("graph {\n a -- \"b\n}".into(), "net.txt line 2: starts a quoted word that does not end; close it."),
        (
            "<system version=\"1\"><cpu/></system>".into(),
            "net.txt: is an NCCL topology of one node, which has no network.",
        ),
    ] {
        assert!(faults(&text).contains(fault), "{}", faults(&text));
    }
}

#[test]
fn cables_of_netbox_are_read() {
    let import = "side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name,type,status\n\
                  SRV0708,interface,port3,SW6520,interface,XGE1/0/2,Multimode Fiber (OM3),Planned\n\
                  SRV0709,dcim.interface,port3,SW6520,dcim.interface,XGE1/0/3,,connected\n\
                  \"SRV 10\",dcim.interface,port3,SW6520,dcim.interface,XGE1/0/4,,connected\n\
                  PP1,dcim.frontport,Port 2,PP2,dcim.frontport,\"11,12\",,connected\n\
                  SRV0708,dcim.powerport,p,PDU1,dcim.poweroutlet,o,,connected\n";
    assert_eq!(shape(import), ("SRV0708 SRV0709 SRV 10".into(), 1, 3));
    assert_eq!(
        warnings(import)[0],
        "net.txt line 5: has an end of type `frontport`, not `interface`, and is left out."
    );
    let power = "ID,Label,Device A,Termination A,Device B,Termination B,Status\n1,,leaf01,Ethernet1,node01,eth0,Connected\n\
                 2,,leaf01,Ethernet2,node02,eth0,Connected\n3,,node01,PSU1,pdu1,Outlet 1,Connected\n4,,node02,PSU1,pdu1,Outlet 2,Connected\n\
                 5,,leaf01,Console,ts01,Port 1,Connected\n";
    assert_eq!(shape(power), ("node01 node02".into(), 1, 2));
    assert_eq!(
        warnings(power),
        ["net.txt line 4: is the first of 3 cables for power or consoles; all are left out."]
    );
    let fanned = "ID,Label,Device A,Termination A,Device B,Termination B,Status,Type\n\
                  1,,leaf01,Ethernet1/1,\"node01,node02\",\"eth0,eth0\",Connected,DAC\n2,,leaf01,Ethernet1/2,node03,eth0,Connected,DAC\n\
                  3,,leaf01,Ethernet1/3,node03,\"eth1,eth2\",Connected,DAC\n4,,\"leaf01,leaf02\",Ethernet1/4,\"node01,node02\",eth9,Connected,DAC\n";
    assert_eq!(shape(fanned), ("node01 node02 node03".into(), 1, 5));
    assert_eq!(
        warnings(fanned)[0],
        "net.txt line 5: has several devices at both ends, which are not paired, and is left out."
    );
    let table = "ID;Label;Device A;Termination A;Device B;Termination B\n1;;x-1;eth0;y;Ethernet1/1\n2;;x-2;eth0;y;Ethernet1/2\n";
    assert_eq!(shape(table), ("x-1 x-2".into(), 1, 2));
    for (text, fault) in [
        (
            "id,termination_a_type,termination_a_id,termination_b_type,termination_b_id\n1,dcim.interface,41,dcim.interface,97\n",
            "net.txt line 1: has no columns with the devices of cables, such as side_a_device and side_b_device",
        ),
        (
            "side_a_device,side_a_name,side_b_device,side_b_name\nsrv1,eth0,sw1,swp1\n",
            "net.txt: has 1 host, and needs at least 2",
        ),
    ] {
        assert!(faults(text).contains(fault), "{}", faults(text));
    }
}

/// Formats of a wiring that state all its cables.
const WIRINGS: [&str; 8] =
    ["graphml", "dot", "containerlab", "netbox-cables", "cables", "json", "wiring", "slurm"];

/// The exported file of a design.
fn design_export(text: &str, design: &Design, format: &str) -> String {
    let (spec, demand) = spec(text);
    let bundle = Bundle::new(Arc::new(spec), text, Arc::new(demand), Arc::new(design.clone()));
    let mut out = String::new();
    bundle.render(DESIGNS.get(format).unwrap(), None, &mut out).unwrap();
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn every_format_of_a_wiring_is_read_back(members in prop::collection::vec(prop::collection::btree_set(1u32..12, 0..11), 0..8)) {
        // A switch with all nodes, so that the network is joined and no node is without a cable.
        let switches = std::iter::once((0..12).collect()).chain(members.iter().map(|one| one.iter().copied().chain([0]).collect()));
        let design = Design::from_switches(12, switches);
        let text = "nodes = 12\nnics_per_node = 9\n[[switch]]\nports = 12\n[[pattern]]\nkind = 'ring'\n";
        let table = table::write(&design);
        for format in WIRINGS {
            let exported = design_export(text, &design, format);
            let read = NetworkFile::wiring_table("net.txt", &exported, &Names::new(12, 0)).map_or(Ok(exported.clone()), |read| {
                read.map(|(table, _)| table)
            });
            prop_assert_eq!(&read.unwrap_or_else(|faults| panic!("{format}: {faults}\n{exported}")), &table, "{}", format);
        }
        for format in ["astra-sim", "simai"] {
            let network = NetworkFile::read("net.txt", &design_export(text, &design, format)).unwrap();
            let mut found = links(&network.fabric(SPEEDS));
            let mut expected = links(&Wiring::of(&spec(text).0, &design).fabric(Speeds { hosts: 400_000, trunks: 400_000 }));
            found.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(found, expected, "{}", format);
        }
    }
}

#[test]
fn simulator_files_of_networks_are_read_back() {
    for text in ["tree:48,12,4", "fat-tree:32,8,2", "dragonfly:4,2", "torus:3x4,2"] {
        let kind = kinds::parse(text).unwrap();
        let mut expected: BTreeMap<[u32; 2], u32> = BTreeMap::new();
        for (ends, speed) in links(&kind.fabric(preset("400g").unwrap().market().speeds())) {
            *expected.entry(ends).or_default() += speed;
        }
        for format in ["astra-sim", "simai"] {
            let found = links(&read(&exported(text, format)).fabric(SPEEDS));
            let mut merged: BTreeMap<[u32; 2], u32> = BTreeMap::new();
            found.into_iter().for_each(|(ends, speed)| *merged.entry(ends).or_default() += speed);
            assert_eq!(merged, expected, "{text} {format}");
        }
    }
}

#[test]
fn a_network_without_links_between_switches_is_a_wiring() {
    let (three, four) = (Names::new(3, 0), Names::new(4, 0));
    let read = |text: &str, nodes| NetworkFile::wiring_table("net.txt", text, nodes);
    let table = |text: &str| read(text, &three).unwrap().map(|(table, _)| table);
    let cables = "side_a_device,side_a_name,side_b_device,side_b_name\nnode2,eth0,sw1,swp1\nnode1,eth0,sw1,swp2\nnode1,eth1,sw2,swp1\n\
                  node10,eth0,sw2,swp2\nnode2,eth1,sw1,swp3\n";
    assert_eq!(table(cables).unwrap(), "0: 0 1\n1: 0 2\n");
    // A cable between two hosts is a switch with two ports.
    let ring = "3 0 3\n\n0 1 25Gbps 1ns 0\n1 2 25Gbps 1ns 0\n2 0 25Gbps 1ns 0\n";
    assert_eq!(table(ring).unwrap(), "0: 0 1\n1: 1 2\n2: 0 2\n");
    assert!(table(ANYNET).unwrap_err().to_string().contains("has 3 links between switches; "));
    // A wiring table and a list of links stay what they are, and a spec is none.
    for text in ["0: 0 1\n", "a s\nb s\n", "[[switch]]\nports = 4\n", "nodes = 4\n[start]\n"] {
        assert!(read(text, &three).is_none(), "{text}");
    }
    // A node without a cable keeps its number if the others have the names of the spec.
    let named =
        "graph g {\n  node000:eth0 -- sw00:p1\n  node003:eth0 -- sw00:p2\n  node001:eth0 -- sw00:p3\n}\n";
    let (found, _) = read(named, &four).unwrap().unwrap();
    assert_eq!(found, "0: 0 1 3\n");
    let fault = read(&named.replace("node", "gpu"), &four).unwrap().unwrap_err().to_string();
    assert!(fault.contains("has 3 nodes, and the spec 4. Give a cable of every node, or the nodes the names of the spec, such as `node000`."), "{fault}");
    let cut = read(named.trim_end().trim_end_matches('}'), &four).unwrap().unwrap_err().to_string();
    assert!(cut.contains("is cut off: braces are open at its end."), "{cut}");
}
