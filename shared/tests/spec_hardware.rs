//! Tests of reserved ports, uplinks, placements, racks and existing wirings: accepted specs and faults.

use proptest::prelude::*;
use shared::{
    design::{Names, Node},
    form::toml,
    resolve::{self, MatrixFiles, NoFiles, form_of, resolve},
    spec::{self, Placement, Rack, ReservedPorts, Spec, Start, Uplink, link},
};

const RING: &str = "[[pattern]]\nkind = \"ring\"\n";

/// 16 PEs with 3 NIs, 6 switches of 8 ports, or as the text says.
fn machine(text: &str) -> String {
    format!("pes = 16\nnis_per_pe = 3\n[[switch]]\nports = 8\ncount = 6\n{RING}{text}")
}

fn read(text: &str) -> Result<Spec, spec::Faults> {
    resolve::read(text, &mut NoFiles)
}

fn valid(text: &str) -> Spec {
    read(text).unwrap_or_else(|faults| panic!("{faults}\n{text}"))
}

/// Every fault of what is added to [`machine`].
fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let told = read(&machine(text)).err().map_or_else(String::new, |faults| faults.to_string());
        assert_eq!(told, *expected, "{text}");
    }
}

#[test]
fn names_are_templates_that_tell_parts_apart() {
    let text = "[names]\nnodes = \"gpu{rack}-{slot:02}\"\nport = \"Ethernet{port*4-4}\"\n\
                [[rack]]\npes = 16\nswitches = 6\n";
    let spec = valid(&machine(text));
    let names = Names::sized(&spec, 16, 6);
    assert_eq!(
        (names.pe(9), names.switch(0), names.port(3)),
        ("gpuA01-10".into(), "sw00".into(), "Ethernet8".into())
    );
    assert_eq!(names.find("GPUa01-16.example.org"), Some(Node::Pe(15)));
    assert_eq!((names.find("sw5"), names.find("gpuA01-17")), (None, None));
    assert_eq!(read(&toml::write(&form_of(&spec))), Ok(spec));
    let usual = valid(&machine("[names]\nport = \"swp\"\n"));
    let names = Names::sized(&usual, 16, 6);
    assert_eq!((names.has_own_ports(), names.port(3)), (true, "swp3".into()));
    assert_eq!(read(&toml::write(&form_of(&usual))), Ok(usual));
    assert!(!Names::sized(&valid(&machine("[names]\nnodes = \"n\"\n")), 16, 6).has_own_ports());
    let apart = "gives two of them one name. Use {number}, or {rack} and {slot}, or {number/8} and {number%8}, with text \
                 between placeholders.";
    check(&[
        ("[names]\n", ""),
        (
            "[names]\nnodes = \"{rack}x{slot}\"\n",
            "names.nodes: {rack} and {slot} need racks: remove them, or add [[rack]].",
        ),
        (
            "[names]\nswitches = \"p{plane}-{number}\"\n",
            "names.switches: {plane} needs planes: remove it, or set `rail = true`.",
        ),
        ("[names]\nnodes = \"n{number/4}\"\n", &format!("names.nodes: {apart}")),
        (
            "[names]\nnodes = \"n_\"\n",
            "names.nodes: \"n_\" has other characters than letters, digits and hyphens.",
        ),
        (
            "[names]\nnodes = \"{number}n\"\n",
            "names.nodes: must be names that start with a letter and do not end with a hyphen, not `{number}n`.",
        ),
        (
            "[names]\nnodes = \"sw\"\n",
            "names.switches: these could be names of `nodes`, too (\"sw\"); choose another prefix.",
        ),
        (
            "[names]\ninterface = \"eth0 eth1\"\n",
            "names.interface: lists 2 names; a node has 3 NICs. List as many.",
        ),
        ("[names]\nracks = \"R\"\n[[rack]]\npes = 16\nswitches = 6\n", ""),
        (
            "[names]\nracks = \"R{row}\"\n[[rack]]\npes = 8\nswitches = 6\n[[rack]]\npes = 8\n",
            "names.racks: racks 0 and 1 are both named RA; give each rack its own name.",
        ),
    ]);
}

#[test]
fn every_table_means_what_it_says() {
    let text = "[uplink]\nkind = \"folded\"\nspares = 1\n[[keep]]\nswitch = 2\nports = 3\n[[keep]]\nswitch = 0\nports = 5\n\
                [[placement]]\npes = \"0 - 3, 5,4 ; 12\"\nswitches = [1, \"3-4\"]\n\
                [[placement]]\npes = 7\nswitches = 0\nkind = \"off\"\n\
                [[rack]]\npes = 10\nswitches = 6\n[[rack]]\npes = 6\ny = -1.5\n\
                [start]\nmoves = 20\ntable = '''\n# before\n1: 4 3\n0: 0 1 2\n2:\n'''\n";
    let spec = valid(&format!("metre_price = 0.8\ncable_slack = 3\n{}", machine(text)));
    assert_eq!((spec.metre_price, spec.cable_slack), (Some(0.8), 3.0));
    assert_eq!(spec.uplink, Some(Uplink { folded: true, links: 1, ports: None, spares: 1, price: None }));
    assert_eq!(spec.kept, [ReservedPorts { switch: 0, ports: 5 }, ReservedPorts { switch: 2, ports: 3 }]);
    let on = Placement { pes: vec![0, 1, 2, 3, 4, 5, 12], switches: vec![1, 3, 4], on: true };
    assert_eq!(spec.placements, [on, Placement { pes: vec![7], switches: vec![0], on: false }]);
    assert_eq!(spec.racks[0], Rack { pes: 10, switches: 6, x: 0.0, y: 0.0 });
    assert_eq!(spec.racks[1], Rack { pes: 6, switches: 0, x: 0.6, y: -1.5 });
    let switches = vec![vec![0, 1, 2], vec![3, 4]].into();
    assert_eq!(spec.start, Some(Start { switches, moves: Some(20), renumber: false }));
    let plain = valid(&machine(""));
    assert_eq!((plain.metre_price, plain.cable_slack, plain.uplink), (None, 2.0, None));
    assert!(plain.kept.is_empty() && plain.placements.is_empty() && plain.racks.is_empty());
    let usual = Uplink { folded: false, links: 1, ports: None, spares: 0, price: None };
    assert_eq!(valid(&machine("[uplink]\n")).uplink, Some(usual));
}

/// KLAT2 (Dietz and Mattox 2000): 64 PCs, two spares, a folded uplink; eight switches of 32 ports give 31, the ninth is wide
/// enough.
#[test]
fn an_uplink_takes_a_port_of_each_switch() {
    let klat2 = "pes = 64\nnis_per_pe = 4\nobjective = \"universal\"\n[[switch]]\nports = 32\n";
    let folded = valid(&format!("{klat2}[uplink]\nkind = \"folded\"\nspares = 2\n"));
    assert_eq!(folded.usable_ports(), [31, 31, 31, 31, 31, 31, 31, 31, 22]);
    assert_eq!(
        (folded.uplink_switch(), folded.ports_kept(8), folded.ports_kept(0)),
        (Some(8), Some(10), Some(1))
    );
    let further = (folded.usable_of(9), folded.ports_kept(9));
    assert_eq!((folded.usable_of(8), further), (Some(22), (Some(31), Some(1))), "stock is unlimited");
    assert_eq!(
        folded.grown(10).usable_ports(),
        [31, 31, 31, 31, 31, 31, 31, 31, 21, 31],
        "its cable takes a port"
    );
    let separate = valid(&format!("{klat2}[uplink]\nspares = 2\nprice = 500\n"));
    assert_eq!((separate.usable_ports(), separate.uplink_switch()), (vec![31; 9], None));
    assert_eq!(valid(klat2).usable_ports(), [32; 8]);
}

/// Nine switches of 32 ports: two uplinks each leave 30 ports for nodes.
#[test]
fn uplinks_are_shared_evenly_by_as_few_uplink_switches_as_their_ports_allow() {
    let spine = |uplink: &str| {
        let text =
            "pes = 64\nnis_per_pe = 4\n[[switch]]\nports = 32\n[[pattern]]\nkind = \"ring\"\n[uplink]\n";
        let spec = valid(&format!("{text}{uplink}"));
        let spine = spec.spine().expect("uplink switches");
        let targets: Vec<u32> = spine.targets(1).collect();
        (spec.usable_ports()[0], spec.switch_budget(), spine.switches(), spine.parallel(), targets)
    };
    assert_eq!(spine("links = 2"), (30, 9, 1, 2, vec![0, 0]));
    assert_eq!(spine("links = 2\nports = 16"), (30, 9, 2, 1, vec![0, 1]), "18 cables, 16 ports");
    assert_eq!(spine("links = 4\nports = 32"), (28, 10, 2, 2, vec![0, 0, 1, 1]), "40 cables, 32 ports");
    assert_eq!(spine("links = 4\nports = 12"), (28, 10, 4, 1, vec![0, 1, 2, 3]));
    assert_eq!(spine("links = 2\nports = 20\nspares = 3"), (30, 9, 2, 1, vec![0, 1]));
    assert_eq!(spine("kind = 'folded'\nlinks = 2"), (30, 9, 1, 2, vec![0, 0]));
}

#[test]
fn under_rail_each_plane_has_uplink_switches_of_its_own() {
    let text = "pes = 40\nnis_per_pe = 2\nrail = true\n[[switch]]\nports = 16\n[[pattern]]\nkind = \"ring\"\n\
                [uplink]\nlinks = 4\nports = 8\n";
    let spec = valid(text);
    let spine = spec.spine().expect("uplink switches");
    assert_eq!(
        (spec.switch_budget(), spine.switches(), spine.parallel()),
        (8, 4, 2),
        "4 switches with 16 cables in a plane"
    );
    assert_eq!(spine.targets(5).collect::<Vec<u32>>(), [2, 2, 3, 3]);
    assert!(spine.joins(0, 3) && !spine.joins(0, 4) && !spine.joins(2, 2));
    check_text(
        &text.replace("ports = 8", "ports = 3"),
        "uplink.ports: must be at least 4 ports, not 3: an uplink switch has one for each of the 4 switches of a plane.",
    );
}

fn check_text(text: &str, expected: &str) {
    let faults =
        resolve::read(text, &mut NoFiles).err().map_or_else(String::new, |faults| faults.to_string());
    assert_eq!(faults, expected);
}

#[test]
fn ports_kept_take_the_place_of_the_reserve_and_ask_for_more_switches() {
    let text = "pes = 16\nnis_per_pe = 3\nobjective = \"universal\"\n[[switch]]\nports = 9\nreserve = 1\n";
    assert_eq!(valid(text).usable_ports(), [8; 6]);
    let kept = |keep: &str| valid(&format!("{text}{keep}"));
    let one = kept("[[keep]]\nswitch = 2\nports = 8\n");
    assert_eq!(one.usable_ports(), [8, 8, 1, 8, 8, 8, 8]);
    assert_eq!((one.switch_budget(), one.ports_kept(2), one.usable_of(2)), (7, Some(8), Some(1)));
    assert_eq!(kept("[[keep]]\nswitch = 5\nports = 0\n").usable_ports(), [8, 8, 8, 8, 8, 9]);
    let linked = kept("[[keep]]\nswitch = 5\nports = 0\n[uplink]\n");
    assert_eq!(linked.ports_kept(5), Some(1), "the uplink's cable takes a port");
}

#[test]
fn the_widest_models_last_switch_is_the_uplink_switch() {
    let text = "pes = 16\nnis_per_pe = 2\nobjective = \"universal\"\n[[switch]]\nports = 16\ncount = 2\n\
                [[switch]]\nports = 8\n[uplink]\nkind = \"folded\"\n";
    let spec = valid(text);
    // 15 + u + 7 n must hold 32 NIs, where the folded switch keeps a port for each of the n + 1 others.
    assert_eq!(spec.usable_ports(), [15, 14, 7]);
    assert_eq!((spec.uplink_switch(), spec.model_of(1).map(|m| m.ports)), (Some(1), Some(16)));
}

#[test]
fn every_rule_of_what_is_kept() {
    check(&[
        (
            "[[keep]]\nports = 3\n[[keep]]\nswitch = 6\nports = 8\n[[keep]]\nswitch = 1\nports = 4096\n",
            "keep[0].switch: missing; it must be a whole number from 0 to 16,777,215.\n\
             keep[2].ports: must be a whole number from 0 to 4,095, not 4096.",
        ),
        (
            "[[keep]]\nswitch = 6\nports = 2\n[[keep]]\nswitch = 1\nports = 8\n",
            "keep[0].switch: must be a switch number from 0 to 5, not 6: the spec allows 6.\n\
             keep[1].ports: must be less than 8, the ports of switch 1, not 8.",
        ),
        (
            "[[keep]]\nswitch = 1\nports = 2\n[[keep]]\nswitch = 1\nports = 3\n",
            "keep[1].switch: switch 1 already has a reservation (keep[0]); keep one of them.",
        ),
        (
            "[uplink]\nports = 5\nspares = 2\n",
            "uplink.ports: must be at least 8 ports, not 5: an uplink switch has one for each of the 6 switches and 2 spares; or `rail = true`, where they join the 2 of a plane.",
        ),
        ("[uplink]\nlinks = 8\n", "uplink.links: must be fewer than 8, the ports of `switch[0]`, not 8."),
        (
            "[uplink]\nkind = \"folded\"\nports = 9\n",
            "uplink.ports: a folded uplink switch has its ports in [[switch]]; remove it.",
        ),
        (
            "[uplink]\nkind = \"fold\"\nspares = -1\n",
            "uplink.kind: Unknown `fold`. Did you mean `folded`?\nuplink.spares: must be a whole number from 0 to 4,096, not -1.",
        ),
        (
            "[uplink]\nkind = \"folded\"\nspares = 3\nprice = 9\n",
            "uplink.price: a folded uplink switch has its price in [[switch]]; remove it.",
        ),
        (
            "[uplink]\nkind = \"folded\"\nspares = 3\n",
            "uplink: must be at most 7 in all, since switch 5, the uplink switch with 8 ports, needs one for a node, not 5 other switches and 3 spares: `spares` of at most 2, or `switch[0].ports` of at least 9, or \
             `switch[0].count` of at most 5, or `kind = \"separate\"`.",
        ),
        (
            "[uplink]\nspares = 4095\n",
            "uplink: must be at most 4,096 in all, the max ports per switch, not 6 switches and 4095 spares: \
             `spares` of at most 4090, or `switch[0].count` of at most 1.",
        ),
    ]);
}

#[test]
fn every_rule_of_a_placement() {
    let set =
        |what: &str, last: &str| format!("{what} numbers and ranges such as `0-7, 12`, from 0 to {last}");
    check(&[
        (
            "[[placement]]\nkind = \"in\"\n",
            &format!(
                "placement[0].kind: must be one of `on`, `off`, not `in`.\n\
                 placement[0].nodes: missing; it must be {}.\n\
                 placement[0].switches: missing; it must be {}.",
                set("node", "15"),
                set("switch", "16,777,215")
            ),
        ),
        (
            "[[placement]]\npes = \"0-7, 9-16, 3-2, x\"\nswitches = \"0\"\n",
            &format!(
                "placement[0].nodes: must be {}, in plain digits, the lower number first, not 9-16, 3-2, x.",
                set("node", "15")
            ),
        ),
        (
            "[[placement]]\npes = [1, 2]\nswitches = \"0-6\"\n",
            "placement[0].switches: must be a switch number from 0 to 5, not 6: the spec allows 6.",
        ),
        (
            "[[placement]]\npes = \",\"\nswitches = [[1]]\n",
            "placement[0].switches: must be numbers and ranges such as \"0-7, 12\", or a list of them, not [[1]]. (line 10)\nplacement[0].nodes: must be node numbers and ranges such as `0-7, 12`, from 0 to 15, in plain digits, the lower number first, not `,`.",
        ),
    ]);
    let wide = "pes = 1048576\nnis_per_pe = 2\n[[switch]]\nports = 4096\n[[pattern]]\nkind = \"ring\"\n";
    let huge =
        format!("{wide}[[placement]]\npes = \"{}\"\nswitches = \"0-511\"\n", "0-1048575,".repeat(9999));
    assert_eq!(
        read(&huge).unwrap_err().to_string(),
        "placement[0]: must be at most 4,194,304 nodes, switches and node-switch pairs in all placements, not 537919999 with earlier placements."
            .replace("537919999", &(1_048_576u64 + 512 + 1_048_576 * 512).to_string())
    );
}

#[test]
fn every_rule_of_a_rack() {
    check(&[
        (
            "[[rack]]\npes = 9\nswitches = 3\n[[rack]]\npes = 9\nx = 1e9\n[[rack]]\n",
            "rack[1].x: must be a number from -10,000 to 10,000, not 1e9.\n\
             rack[2].nodes: missing; it must be the nodes in this rack, or its `switches`.",
        ),
        (
            "[[rack]]\npes = 9\nswitches = 6\n[[rack]]\npes = 9\n",
            "rack: the racks hold 18 nodes in all, but the spec has 16; change `nodes` of the racks.",
        ),
        (
            "[[rack]]\npes = 16\nswitches = 4\n",
            "rack: the racks hold 4 switches in all, but the spec has 6; add 2.",
        ),
    ]);
    assert_eq!(
        read(&format!("cable_slack = -2\nmetre_price = \"cheap\"\n{}", machine(""))).unwrap_err().to_string(),
        "metre_price: must be a number from 0 to 1,000,000,000,000, not `cheap`.\n\
         cable_slack: must be a number from 0 to 1,000, not -2."
    );
}

#[test]
fn every_rule_of_a_start() {
    check(&[
        (
            "[start]\n",
            "start.table: missing; it must be lines of `switch: node node node`, or a `file` of them.",
        ),
        (
            "[start]\nfile = \"old.txt\"\n",
            "start.file: only the command line reads files; give `table` instead.",
        ),
        (
            "[start]\nfile = \"old.txt\"\ntable = \"0: 1\"\nmoves = 1\nrenumber = true\n[[placement]]\npes = 1\nswitches = 0\n",
            "start.moves: with `renumber`, no cable moves; remove it.\nstart.renumber: renumbering would permute the nodes of each [[placement]]; remove it.\nstart.file: cannot be given with `table`; remove one of them.",
        ),
        (
            "[start]\nrenumber = \"yes\"\ntable = '''\n\n0: 1 16\n1 2\n'''\n",
            "start.renumber: must be one of `false`, `true`, not `yes`.\nstart.table: line 2: \"16\" is not a node number (0 to 15).\nstart.table: line 3: \"1 2\" has no colon; write `switch: node node node`.",
        ),
        (
            "[start]\ntable = '''\n6: 1\n0: 0 1 2 3 4 5 6 7 8 # old\n1: 0\n2:\n3:\n4:0\n5: 0\n'''\n",
            "start.table: line 1: there is no switch 6; the spec allows 6 (0 to 5).\nstart.table: line 2: switch 0 has 9 nodes but only 8 usable ports.\nstart.table: line 7: node 0 is on 4 switches but has 3 NICs.",
        ),
        ("[start]\ntable = '''\n0:\n'''\n", "start.table: has no cables; put at least one node on a switch."),
    ]);
    assert!(
        read(&machine("[start]\ntable = '''\n0: 1\n1:\n2:\n3:\n4:\n5:\n6:\n7:\n'''\n")).is_ok(),
        "empty lines"
    );
}

#[test]
fn stock_without_a_count_is_unlimited() {
    let text = |count: &str, more: &str| {
        format!("pes = 16\nnis_per_pe = 3\n[[switch]]\nports = 4\n[[switch]]\nports = 8\n{count}{RING}{more}")
    };
    // The counted switches have a port for each NIC; further ones of the other model come after them.
    let spec = valid(&text("count = 6\n", ""));
    assert_eq!((spec.switch_counts(), spec.unlimited(), spec.switch_limit()), (vec![0, 6], Some(0), None));
    let grown = spec.grown(8);
    assert_eq!((grown.usable_ports(), grown.switch_counts()), (vec![8, 8, 8, 8, 8, 8, 4, 4], vec![2, 6]));
    assert_eq!((spec.model_index(5), spec.model_index(6), spec.usable_of(7)), (Some(1), Some(0), Some(4)));
    // Of several such models, wirings use the one with the most usable ports.
    let several = valid(&text("", "[[switch]]\nports = 8\n[[switch]]\nports = 9\nreserve = 3\n"));
    assert_eq!((several.unlimited(), several.switch_counts()), (Some(1), vec![0, 6, 0, 0]));
    assert_eq!(several.grown(8).switch_counts(), [0, 8, 0, 0]);
    // Racks and the ports of an uplink switch limit their number.
    let racked = valid(&text("count = 6\n", "[[rack]]\npes = 16\nswitches = 7\n"));
    assert_eq!((racked.switch_limit(), racked.grown(9).switch_budget()), (Some(7), 7));
    let told = read(&text("count = 6\n", "[[keep]]\nswitch = 6\nports = 1\n")).unwrap_err().to_string();
    assert_eq!(
        told,
        "keep[0].switch: must be a switch number from 0 to 5, not 6: 6 switches have a port for each NIC; to name more, set `switch[0].count`."
    );
}

#[test]
fn wished_links() {
    let pattern = |objective: &str, rest: &str| {
        format!("pes = 16\nnis_per_pe = 3\nobjective = \"{objective}\"\n[[switch]]\nports = 8\n{RING}{rest}")
    };
    assert_eq!(valid(&pattern("universal", "links = 2\nextra = 1\n")).patterns[0].extra, 1);
    let told = |objective: &str, rest: &str| read(&pattern(objective, rest)).unwrap_err().to_string();
    assert_eq!(
        told("sparse", "links = 2\nextra = 2\n"),
        "pattern[0].extra: must be at most 1: `links` (2) and `extra` share the 3 NICs of a node."
    );
    assert_eq!(
        told("sparse", "links = 3\nextra = 2\n"),
        "pattern[0].extra: `links` already uses all 3 NICs of a node; remove it."
    );
    assert_eq!(
        told("fractional", "extra = 1\n"),
        "pattern[0].extra: the fractional objective uses `links` and `weight`; remove it."
    );
}

/// One file, `old.txt`.
struct OneFile;

impl MatrixFiles for OneFile {
    fn read(&mut self, path: &str) -> Result<String, String> {
        if path == "old.txt" {
            Ok("0: 2 1\r\n1: 99\r\n".into())
        } else {
            Err("there is no such file.".into())
        }
    }
}

#[test]
fn a_start_from_a_file_is_told_and_exported_with_its_lines() {
    let form = |pes: u32, file: &str| {
        let text =
            format!("pes = {pes}\nnis_per_pe = 3\n[[switch]]\nports = 80\n{RING}[start]\nfile = '{file}'\n");
        resolve::parse(&text).unwrap()
    };
    let spec = resolve(&form(100, "old.txt"), &mut OneFile).unwrap();
    let start = form_of(&spec).start.unwrap();
    assert_eq!((start.file.as_str(), start.table.as_str()), ("", "0: 1 2\n1: 99\n"));
    let told = |pes: u32, file: &str| resolve(&form(pes, file), &mut OneFile).unwrap_err().to_string();
    assert_eq!(told(99, "old.txt"), "start.file: line 2: \"99\" is not a node number (0 to 98).");
    assert_eq!(told(99, "x"), "start.file: there is no such file.");
}

#[test]
fn slips_in_the_names_of_tables_and_keys() {
    let told = |text: &str| read(&machine(text)).unwrap_err().to_string();
    for (text, path, meant) in [
        ("[[placements]]\npes = 1\n", "placements", "placement"),
        ("[[racks]]\npes = 16\n", "racks", "rack"),
        ("[[keeps]]\nswitch = 1\n", "keeps", "keep"),
        ("[uplinks]\n", "uplinks", "uplink"),
        ("[starts]\n", "starts", "start"),
        ("[[placement]]\nswitch = 1\n", "placement[0].switch", "switches"),
        ("[[keep]]\nport = 1\n", "keep[0].port", "ports"),
        ("[uplink]\nspare = 1\n", "uplink.spare", "spares"),
        ("[[rack]]\npe = 1\n", "rack[0].pe", "nodes"),
        ("[start]\nmove = 1\n", "start.move", "moves"),
        ("[start]\nrenumbering = true\n", "start.renumbering", "renumber"),
    ] {
        let told = told(text);
        let first = told.lines().next().unwrap_or("");
        let (place, key) = path.split_once('.').map_or(("", path), |(table, key)| (table, key));
        let place = if place.is_empty() { String::new() } else { format!("{place}.{key}: ") };
        let expected = format!("{place}Unknown key `{key}`. Did you mean `{meant}`? (line ");
        assert!(first.starts_with(&expected), "{text}\n{told}");
    }
    assert!(
        told("[[uplink]]\nspares = 1\n")
            .starts_with("uplink: must be one table with single brackets, [uplink], not [[uplink]]."),
    );
    assert!(
        told("[placement]\npes = 1\n")
            .starts_with("placement: must be tables with two brackets, [[placement]], not [placement].")
    );
    assert!(told("[start]\ntable = [1]\n").starts_with("start.table: must be text in quotes, not [1]."));
    assert!(told("[start]\nrenumber = [1]\n").contains("start.renumber: must be true or false, not [1]."));
}

/// Placements, racks, what is kept and a start that all fit 24 PEs with 4 NIs and 9 switches of 12 ports.
fn hardware() -> impl Strategy<Value = String> {
    let uplink = prop_oneof![
        Just(String::new()),
        Just("[uplink]\n".into()),
        (0u32..99).prop_map(|spares| format!("[uplink]\nspares = {spares}\nprice = 1.5\n")),
        (0u32..3).prop_map(|spares| format!("[uplink]\nkind = 'folded'\nspares = {spares}\n")),
    ];
    let keep = prop::collection::btree_map(0u32..9, 0u32..12, 0..4);
    let numbers = |end: u32| prop::collection::vec(0..end, 1..9);
    let placement = (numbers(24), numbers(9), any::<bool>());
    let rack = (-50.0..50.0f64, prop::option::of(0.0..9.0f64));
    let start = prop::collection::vec(prop::sample::subsequence((0u32..24).collect::<Vec<_>>(), 0..4), 1..4);
    let start = (start, prop::option::of(0u32..9));
    (uplink, keep, prop::collection::vec(placement, 0..4), prop::option::of(rack), prop::option::of(start))
        .prop_map(|(uplink, keep, placements, rack, start)| {
            let mut text: String = uplink;
            // A start needs room on the first three switches.
            let keep = keep.into_iter().filter(|&(switch, ports)| start.is_none() || switch > 2 || ports < 9);
            for (switch, ports) in keep {
                text += &format!("[[keep]]\nswitch = {switch}\nports = {ports}\n");
            }
            for (pes, switches, on) in placements {
                let kind = if on { "on" } else { "off" };
                text += &format!("[[placement]]\npes = {pes:?}\nswitches = {switches:?}\nkind = '{kind}'\n");
            }
            if let Some((x, y)) = rack {
                let y = y.map_or(String::new(), |y| format!("y = {y}\n"));
                text += &format!("[[rack]]\npes = 20\nswitches = 9\n[[rack]]\npes = 4\nx = {x}\n{y}");
            }
            if let Some((switches, moves)) = start {
                text += &format!(
                    "[start]\n{}table = '''\n",
                    moves.map_or(String::new(), |m| format!("moves = {m}\n"))
                );
                for (switch, pes) in switches.iter().enumerate() {
                    let pes: String = pes.iter().map(|pe| format!(" {pe}")).collect();
                    text += &format!("{switch}:{pes}\n");
                }
                // One cable at least.
                text += &format!("{}: 23\n'''\n", switches.len());
            }
            text
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn the_normal_form_resolves_to_an_equal_spec(
        hardware in hardware(),
        extra in 0u32..3,
        metre in prop::option::of(0.0..1e6f64),
        slack in prop::option::of(0.0..1e3f64),
        open in any::<bool>(),
    ) {
        let mut text = String::from("pes = 24\nnis_per_pe = 4\n");
        if let Some(metre) = metre {
            text += &format!("metre_price = {metre:?}\n");
        }
        if let Some(slack) = slack {
            text += &format!("cable_slack = '{slack}'\n");
        }
        text += "[[switch]]\nports = 12\nreserve = 1\n";
        text += if open { "[[switch]]\nports = 4\ncount = 1\n" } else { "count = 9\n" };
        text += &format!("{RING}links = 2\nextra = {extra}\n{hardware}");
        // With an open count there may be too few racks or switches; what is told then is told elsewhere.
        if let Ok(spec) = read(&text) {
            let written = toml::write(&form_of(&spec));
            prop_assert_eq!(valid(&written), spec.clone(), "{}", written);
            prop_assert_eq!(toml::write(&form_of(&valid(&written))), written.clone());
            prop_assert_eq!(link::decode(&link::encode(&written)).unwrap(), written);
            let usable = spec.usable_ports();
            prop_assert_eq!(usable.len() as u32, spec.switch_budget());
            for (switch, &ports) in (0u32..).zip(&usable) {
                prop_assert!(ports > 0);
                prop_assert_eq!(spec.usable_of(switch), Some(ports));
                let all = spec.model_of(switch).unwrap().ports;
                prop_assert_eq!(spec.ports_kept(switch), Some(all - ports));
            }
            if open {
                prop_assert!(usable.iter().sum::<u32>() >= 96, "{:?}", usable);
            }
        } else {
            prop_assert!(open, "{}\n{}", read(&text).unwrap_err(), text);
        }
    }

    #[test]
    fn no_table_makes_resolution_panic(words in prop::collection::vec("[-0-9, .:\n]{0,8}|on|off|folded|true|0-9|1e9|é", 18)) {
        let mut form = spec::SpecForm::default();
        (form.pes, form.nis_per_pe) = ("16".into(), "3".into());
        form.switch = vec![spec::SwitchForm { ports: "8".into(), ..Default::default() }];
        form.pattern = vec![spec::PatternForm::of([("kind", "ring"), ("extra", &words[0])])];
        let [keep, uplink, rack] = [&words[1..3], &words[3..6], &words[6..10]];
        form.keep = vec![spec::KeepForm { switch: keep[0].clone(), ports: keep[1].clone() }];
        form.uplink = Some(spec::UplinkForm { kind: uplink[0].clone(), links: words[16].clone(), ports: words[17].clone(), spares: uplink[1].clone(), price: uplink[2].clone() });
        form.rack = vec![spec::RackForm { pes: rack[0].clone(), switches: rack[1].clone(), x: rack[2].clone(), y: rack[3].clone() }];
        form.placement = vec![spec::PlacementForm { pes: words[10].clone(), switches: words[11].clone(), kind: words[12].clone() }];
        form.start = Some(spec::StartForm { moves: words[13].clone(), renumber: words[14].clone(), file: String::new(), table: words[15].clone() });
        let _ = resolve(&form, &mut NoFiles);
    }
}
