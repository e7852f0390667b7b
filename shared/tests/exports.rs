//! Every format against its golden file, and what the formats promise each other.
//!
//! `UPDATE_GOLDEN=1 cargo test -p shared --test all exports::` writes the golden files anew.

use crate::common::{sparse, spec, wiring};
use shared::{
    cancel::{Token, scope},
    demand::Demand,
    design::{Design, Moves, check, table},
    exports::{Bundle, ExportError, FileScope, Format, Need, Settings, address::mac, format, formats},
    spec::Spec,
};
use std::{
    collections::BTreeSet,
    path::Path,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

const SPEC: &str = "\
name = \"Lab <8> & 'co', \\\"quoted\\\" $(x)\"
pes = 8
nis_per_pe = 3

[[switch]]
ports = 5
reserve = 1

[[pattern]]
kind = \"ring\"
weight = 2.0

[[pattern]]
kind = \"hypercube\"
";
const TABLE: &str = "0: 0 1 2 3\n1: 4 5 6 7\n2: 0 1 4 5\n3: 2 3 6 7\n4: 0 2 7\n5: 1 3 5\n";

fn lab() -> Bundle {
    let (spec, demand) = spec(SPEC);
    bundle(spec, SPEC, demand, wiring(TABLE, 8))
}

const JOB_TABLE: &str = "0: 0 2 4 6\n1: 1 3 5 7\n2: 0 2 4 1\n3: 5 3 6 7\n4: 0 6\n";

/// One data-parallel ring over all GPUs, in an order that is not that of the switches.
fn lab_with_job() -> Bundle {
    let text =
        SPEC.to_owned() + "[job]\nranks_per_pe = 2\ndp = 16\n[[collective]]\nalong = 'dp'\nbytes = 1e9\n";
    let (spec, demand) = spec(&text);
    bundle(spec, &text, demand, wiring(JOB_TABLE, 8))
}

fn bundle(spec: Spec, text: &str, demand: Demand, design: Design) -> Bundle {
    Bundle::new(Arc::new(spec), text, Arc::new(demand), Arc::new(design))
}

/// Formats that are empty without settings.
const WITH_SETTINGS: [&str; 2] = ["netbox-prefixes", "netbox-addresses"];

/// The format of designs with uplink switches.
const WITH_UPLINK: &str = "frr-switch";

/// `true` if a format applies to a design without racks and uplink switches.
fn is_rackless(format: &Format) -> bool {
    !["netbox-racks", WITH_UPLINK].contains(&format.name) && !WITH_SETTINGS.contains(&format.name)
}

/// Every format that applies to a design without racks and without a job.
fn rackless() -> impl Iterator<Item = &'static Format> {
    formats().filter(|format| is_rackless(format) && format.needs != Some(Need::Job))
}

fn render(bundle: &Bundle, name: &str, pe: Option<u32>) -> String {
    let mut text = String::new();
    bundle.render(format(name).unwrap(), pe, &mut text).unwrap();
    text
}

#[test]
#[expect(clippy::disallowed_methods, reason = "golden files are files")]
fn every_format_writes_its_golden_file() {
    let (plain, job) = (lab(), lab_with_job());
    for format in formats().filter(|format| is_rackless(format)) {
        let bundle = if format.needs == Some(Need::Job) { &job } else { &plain };
        let pe = (format.each != FileScope::Whole).then_some(5);
        for (name, content) in files(bundle, format, pe) {
            let path = format!("{}/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"));
            if std::env::var_os("UPDATE_GOLDEN").is_some() {
                std::fs::create_dir_all(Path::new(&path).parent().unwrap()).unwrap();
                std::fs::write(&path, &content).unwrap();
            }
            let golden = std::fs::read(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
            let text = String::from_utf8_lossy(&content);
            assert!(content == golden, "{} differs from {path}:\n{text}", format.name);
        }
    }
}

/// The files of a format with their names; those of a format that is several are in a folder.
fn files(bundle: &Bundle, format: &Format, pe: Option<u32>) -> Vec<(String, Vec<u8>)> {
    let name = bundle.file_name(format, pe);
    let mut files = Vec::new();
    if format.is_several() {
        let folder = name.strip_suffix(".tar").unwrap();
        let each = |path: &str, content: &[u8]| {
            files.push((format!("{folder}/{path}"), content.to_vec()));
            Ok::<_, ExportError>(())
        };
        bundle.files(format, pe, each).unwrap();
    } else {
        let mut content = Vec::new();
        bundle.write(format, pe, &mut content).unwrap();
        files.push((name, content));
    }
    files
}

#[test]
fn what_is_exported_reads_back() {
    let bundle = lab();
    let design = table::parse(&render(&bundle, "wiring", None), 8).unwrap();
    assert_eq!(table::write(&design), TABLE);
    let again = render(&bundle, "spec", None);
    assert_eq!(spec(&again), spec(SPEC));
}

#[test]
fn the_cable_list_numbers_nis_and_ports_as_promised() {
    let csv = render(&lab(), "cables", None);
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 1 + 22);
    assert!(
        lines.contains(&"7,2,4,3,white,node007 NIC2,sw04 port 3,node007:NIC2,sw04:03,,node,eth2,swp3"),
        "{csv}"
    );
    let ports: BTreeSet<String> =
        lines[1..].iter().map(|l| l.split(',').skip(2).take(2).collect::<Vec<_>>().join(":")).collect();
    assert_eq!(ports.len(), 22, "no port twice");
}

/// PE 1 has changed its switch, PE 2 has lost a cable, PE 3 has got one.
#[test]
fn the_cable_list_marks_what_has_changed() {
    let text = "pes = 4\nnis_per_pe = 2\nobjective = \"sparse\"\n[[switch]]\nports = 4\ncount = 3\n\
        [[pattern]]\nkind = \"ring\"\n[start]\nmoves = 5\ntable = \"\"\"\n0: 0 1 2\n1: 0 2\n\"\"\"\n";
    let (spec, demand) = spec(text);
    let design = wiring("0: 0 2\n1: 0\n2: 1 3\n", 4);
    assert_eq!(check(&spec, &demand, &design).moves, Some(Moves { has: 2, allowed: Some(5) }));
    let csv = render(&bundle(spec, text, demand, design), "cables", None);
    let changes: Vec<(&str, &str)> =
        csv.lines().map(|line| (line.rsplit_once(',').unwrap().1, line.split_once(',').unwrap().0)).collect();
    let expected = [
        ("change", "pe"),
        ("stays", "0"),
        ("stays", "0"),
        ("moves from sw00", "1"),
        ("stays", "2"),
        ("is unplugged", "2"),
        ("new", "3"),
    ];
    assert_eq!(changes, expected, "{csv}");
    assert!(csv.contains("\n2,,1,,"), "{csv}");
}

/// PEs 1 and 3 have changed places; 0 and 2, cabled alike, have kept theirs.
#[test]
fn the_cable_list_tells_the_old_numbers_of_pes() {
    let text = "pes = 4\nnis_per_pe = 2\nobjective = \"sparse\"\n[[switch]]\nports = 4\ncount = 2\n\
        [[pattern]]\nkind = \"ring\"\n[start]\nrenumber = true\ntable = \"\"\"\n0: 0 1 2\n1: 0 2 3\n\"\"\"\n";
    let (spec, demand) = spec(text);
    let design = wiring("0: 0 2 3\n1: 0 1 2\n", 4);
    assert_eq!(check(&spec, &demand, &design).breaches, []);
    let csv = render(&bundle(spec, text, demand, design), "cables", None);
    let numbers: Vec<(&str, &str)> =
        csv.lines().map(|line| (line.split_once(',').unwrap().0, line.rsplit_once(',').unwrap().1)).collect();
    let expected = [("pe", "was_pe"), ("0", "0"), ("0", "0"), ("1", "3"), ("2", "2"), ("2", "2"), ("3", "1")];
    assert_eq!(numbers, expected, "{csv}");
}

#[test]
fn names_cannot_break_out_of_any_format() {
    let html = render(&lab(), "labels", None);
    assert!(
        !html.contains("<script")
            && html.contains("Lab &lt;8&gt; &amp; &#39;co&#39;, &quot;quoted&quot; $(x)")
    );
    assert!(!html.contains("http-equiv") && !html.contains("src=") && !html.contains("href="));
    let (mut hostile, demand) = spec(SPEC);
    hostile.name = "a\nrm -rf /\r\n'$(reboot)`".into();
    let bundle = bundle(hostile, SPEC, demand, wiring(TABLE, 8));
    for name in ["script", "hosts"] {
        let text = render(&bundle, name, Some(0));
        let bad =
            text.lines().find(|l| !l.starts_with('#') && (l.contains("reboot") || l.contains("rm -rf /")));
        assert_eq!(bad, None);
    }
    assert_eq!(bundle.file_name(format("labels").unwrap(), None), "a-rm-rf-reboot-labels.html");
}

/// YAML ends lines at characters that others take for text, and spreadsheets compute what begins with a sign.
#[test]
fn names_are_neither_lines_of_yaml_nor_formulas() {
    let (mut hostile, demand) = spec(SPEC);
    hostile.name =
        "=1+2\u{2028}injected: true\u{2029}injected: true\u{85}injected: true\u{feff}\u{ffff}".into();
    let bundle = bundle(hostile, SPEC, demand, wiring(TABLE, 8));
    let ends = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];
    for format in rackless() {
        let pe = (format.each != FileScope::Whole).then_some(0);
        for (path, content) in files(&bundle, format, pe) {
            let Ok(text) = String::from_utf8(content) else { continue };
            // JSON and the spec keep the name as it is, in quotes.
            if !matches!(format.extension, "json" | "toml") {
                let bad = text.split(ends).find(|line| line.starts_with("injected"));
                assert_eq!(bad, None, "{path}");
                assert!(!text.contains(['\u{feff}', '\u{ffff}']), "{path}");
            }
            if format.extension == "csv" {
                let formula =
                    text.split(['\n', ',']).find(|field| field.starts_with(['=', '"', '+', '-', '@']));
                assert_eq!(formula, None, "{path}");
            }
        }
    }
    assert!(
        render(&bundle, "netbox-sites", None).contains("\n1+2 injected: true injected: true injected: true,")
    );
    let refused = |site: &str| Settings::read(format("netbox-sites").unwrap(), [site]).is_err();
    assert!(refused("site==1+2") && refused("site=@x") && !refused("site=Hall 1"));
    for hidden in ["a\u{202e}b", "a\u{200b}b", "a\u{2028}b", "\u{feff}a"] {
        assert!(refused(&format!("site={hidden}")), "{hidden:?}");
    }
}

const NAMED: &str = "[names]\nnodes = \"gpu{rack}-{slot:02}\"\nswitches = \"{rack}-leafswitch{number}\"\nracks = \"h2{row}{place:02}\"\n\
    interface = \"ens{nic+1}f0\"\nport = \"Ethernet{port*4-4}\"\n[[rack]]\npes = 5\nswitches = 3\n[[rack]]\npes = 3\nswitches = 3\n\
    [job]\nranks_per_pe = 2\ndp = 16\n";

/// The default names are in no file of a design that has its own.
#[test]
fn names_of_the_spec_are_in_every_format() {
    let text = format!("{SPEC}{NAMED}");
    let (spec, demand) = spec(&text);
    let bundle = bundle(spec, &text, demand, wiring(JOB_TABLE, 8));
    let is_default = |word: &str| {
        ["pe", "sw", "eth", "swp"].into_iter().any(|prefix| {
            let number = word.strip_prefix(prefix);
            number.is_some_and(|n| !n.is_empty() && n.bytes().all(|byte| byte.is_ascii_digit()))
        })
    };
    let mut named = 0;
    let left_out =
        [&["json-schema", "containerlab", "nvue", "nxos", WITH_UPLINK], &WITH_SETTINGS[..]].concat();
    for format in formats().filter(|format| !left_out.contains(&format.name)) {
        let part = (format.each != FileScope::Whole).then_some(0);
        for (name, content) in files(&bundle, format, part) {
            let Ok(text) = String::from_utf8(content) else { continue };
            let words = |text: &str| -> Vec<String> {
                text.split(|c: char| !c.is_ascii_alphanumeric()).map(String::from).collect()
            };
            let wrong: Vec<String> =
                words(&text).into_iter().chain(words(&name)).filter(|w| is_default(w)).collect();
            // Settings of failed parts and examples of scripts name parts by number.
            assert!(wrong.is_empty(), "{name}: {wrong:?}");
            named += usize::from(
                text.to_lowercase().contains("gpuh2a01-01") || text.contains("h2A01-leafswitch0"),
            );
        }
    }
    assert!(named > 40, "{named} files have the names of the spec");
    let fault = |format_name: &str, part| {
        let mut text = String::new();
        bundle.render(format(format_name).unwrap(), part, &mut text).unwrap_err().to_string()
    };
    assert_eq!(
        fault("containerlab", None),
        "containerlab cannot use the name \"h2A01-leafswitch0\": switches are bridges here, and h2A01-leafswitch0p1 has more than \
         the 15 characters of an interface; change [names] in the spec"
    );
    // The number of a port is on the switch, its name in the configuration: people need both.
    let list = render(&bundle, "cables", None);
    assert!(
        list.contains("h2A01-leafswitch0 port 2,") && list.contains(",node,ens1f0,Ethernet4\n"),
        "{list}"
    );
    for name in ["worklist", "worklist-text"] {
        assert!(render(&bundle, name, None).contains("h2A01-leafswitch0 port 2, Ethernet4"), "{name}");
    }
    let why = fault("nvue", Some(0));
    assert_eq!(
        why,
        "port=Ethernet{port*4-4}: Ethernet0, as [names] in the spec has it: names of ports begin with swp, such as swp{port}"
    );
}

/// 8 nodes on 5 switches and two spares; `folded` for the last switch to join the others.
fn joined(folded: bool) -> Bundle {
    let kind = if folded { "folded" } else { "separate" };
    let text = format!(
        "pes = 8\nnis_per_pe = 2\n[[switch]]\nports = 6\ncount = 4\n[[switch]]\nports = 10\ncount = 1\n[uplink]\n\
         kind = \"{kind}\"\nspares = 2\n[[pattern]]\nkind = \"ring\"\n[[rack]]\npes = 8\nswitches = 5\n"
    );
    let (spec, demand) = spec(&text);
    bundle(spec, &text, demand, wiring("0: 0 1 2 3 4\n1: 3 4 5 6 7\n2: 0 7\n3: 1 2\n4: 5 6\n", 8))
}

/// Ends of cables are taken once each, and every export of the wiring has the same cables.
#[test]
fn cables_to_the_uplink_switch_are_in_all_wiring_exports() {
    for folded in [true, false] {
        let bundle = joined(folded);
        let uplinks = if folded { 4 } else { 5 };
        let cables = render(&bundle, "cables", None);
        let rows: Vec<Vec<&str>> = cables.lines().skip(1).map(|line| line.split(',').collect()).collect();
        let kind = |kind: &str| rows.iter().filter(|row| row[10] == kind).count();
        assert_eq!([kind("node"), kind("uplink"), kind("spare")], [16, uplinks, 2], "{cables}");
        let ends: BTreeSet<&str> = rows.iter().flat_map(|row| [row[5], row[6]]).collect();
        assert_eq!(ends.len(), 2 * rows.len(), "no port twice: {cables}");
        let name = if folded { "sw04" } else { "uplink" };
        let first = if folded { 5 } else { 1 };
        assert!(cables.contains(&format!("sw00 port 6,{name} port {first},A01-09:06,")), "{cables}");
        assert!(cables.contains(&format!("spare01 NIC0,{name} port {},spare01:NIC0,", first + uplinks + 1)));

        let links = &files(&bundle, format("prometheus").unwrap(), None);
        let (_, links) = links.iter().find(|(name, _)| name.ends_with("links.prom")).unwrap();
        let links = String::from_utf8_lossy(links);
        assert_eq!(links.matches("crosspoint_link_expected{").count(), 16, "{links}");
        assert_eq!(links.matches("crosspoint_uplink_expected{").count(), uplinks + 2, "{links}");

        let list = render(&bundle, "worklist-csv", None);
        let ends_of = |text: &str, at: usize| -> BTreeSet<(String, String)> {
            let row = |line: &str| {
                let cells: Vec<&str> = line.split(',').collect();
                (cells[at].to_owned(), cells[at + 1].to_owned())
            };
            text.lines().skip(1).map(row).collect()
        };
        assert_eq!(ends_of(&list, 6), ends_of(&cables, 5));
        for format in ["worklist-text", "worklist"] {
            assert!(render(&bundle, format, None).contains("spare01 NIC0"), "{format}");
        }
        let json: serde_json::Value = serde_json::from_str(&render(&bundle, "json", None)).unwrap();
        assert_eq!(json["uplink"]["cables"].as_array().unwrap().len(), uplinks + 2);
        assert_eq!(json["uplink"]["spares"], serde_json::json!(["spare00", "spare01"]));
        assert_eq!(json["uplink"]["switches"][0]["switch"].as_u64(), folded.then_some(4));
        assert!(render(&bundle, "svg", None).contains(">spare01</text>"));
        let of_cables = Settings::read(format("labels").unwrap(), ["of=cable"]).unwrap();
        let labels = render(&joined(folded).with(of_cables), "labels", None);
        for cell in ["spare01:NIC0", "A01-09:06"] {
            assert!(
                labels.contains(&format!(">{cell}<")) && labels.contains(&format!(">to {cell}<")),
                "{cell}"
            );
        }
        let all = 16 + uplinks + 2;
        assert_eq!(render(&bundle, "dot", None).matches(" -- ").count(), all);
        assert_eq!(render(&bundle, "graphml", None).matches("<edge ").count(), all);

        let [devices, interfaces, netbox] =
            ["devices", "interfaces", "cables"].map(|part| render(&bundle, &format!("netbox-{part}"), None));
        assert_eq!(netbox.lines().count(), 1 + all);
        assert_eq!(devices.lines().count(), 1 + 8 + 5 + 2 + usize::from(!folded));
        let known: BTreeSet<(&str, &str)> = interfaces
            .lines()
            .skip(1)
            .map(|line| line.split(',').collect::<Vec<_>>())
            .map(|cells| (cells[0], cells[1]))
            .collect();
        let mut used = BTreeSet::new();
        for line in netbox.lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            for end in [(cells[1], cells[3]), (cells[5], cells[7])] {
                assert!(known.contains(&end) && used.insert(end), "{end:?}: {line}");
            }
        }
        let reserved = interfaces.lines().filter(|line| line.ends_with(",uplink,false")).count();
        assert_eq!(reserved, if folded { uplinks + all - 16 } else { uplinks });
    }
}

/// Every dialect names each port once, describes both ends of each cable and shuts the other ports.
#[test]
fn switches_are_configured_as_they_are_cabled() {
    let text = |folded, name: &str, switch, choices: &[&str]| {
        let format = format(name).unwrap();
        let settings = Settings::read(format, choices.iter().copied()).unwrap();
        render(&joined(folded).with(settings), name, Some(switch))
    };
    for (name, port, last, shut) in [
        ("eos", "sw03 Ethernet6 to uplink Ethernet4", "interface Ethernet6\n   description", 3),
        ("nxos", "interface Ethernet1/3\n  shutdown", "interface Ethernet1/6\n  description", 3),
        (
            "nvue",
            "swp3:\n        type: swp\n        link:\n          state:\n            down: {}",
            "swp6:\n",
            3,
        ),
        ("linux-switch", "ip link set dev swp3 down", "routed swp6 'sw03 swp6 to uplink swp4'", 3),
    ] {
        let config = text(false, name, 3, &[]);
        let downs = ["   shutdown\n", "\n  shutdown\n", "down: {}", " down\n"];
        let found = downs.iter().map(|down| config.matches(down).count()).max().unwrap();
        assert_eq!(found, shut, "{name}: {config}");
        assert!(config.contains(port), "{name}: {config}");
        assert!(config.contains(last) && config.contains("sw03 "), "{name}: {config}");
        assert!(config.contains("to node001 eth1") && config.contains("to node002 eth1"), "{name}: {config}");
    }
    let sonic: serde_json::Value =
        serde_json::from_str(&text(true, "sonic", 4, &["management=192.168.7.0/24", "mtu=4096"])).unwrap();
    let ports = sonic["PORT"].as_object().unwrap();
    assert_eq!(ports.len(), 10);
    assert_eq!(ports["Ethernet0"]["description"], "sw04 Ethernet0 to node005 eth1");
    assert_eq!(ports["Ethernet16"]["description"], "sw04 Ethernet16 to sw00 Ethernet20");
    assert_eq!(
        (&ports["Ethernet16"]["mtu"], &ports["Ethernet8"]["admin_status"]),
        (&"4096".into(), &"down".into())
    );
    assert_eq!(sonic["MGMT_INTERFACE"]["eth0|192.168.7.5/24"]["gwaddr"], "192.168.7.254");
    // Two nodes and two spares; the other four cables are links to switches.
    assert_eq!(sonic["VLAN_MEMBER"].as_object().unwrap().len(), 4);
    assert_eq!(sonic["BGP_NEIGHBOR"].as_object().unwrap().len(), 4);
    assert_eq!(sonic["PORT_QOS_MAP"]["Ethernet0"]["pfc_enable"], "3");
    assert!(sonic["MGMT_PORT"]["eth0"].is_object(), "{sonic}");
    // A separate uplink switch comes last; it has a port per cable.
    let eos = text(false, "eos", 5, &[]);
    for port in ["sw00 Ethernet6", "spare00 eth0"] {
        assert!(eos.contains("hostname uplink\n") && eos.contains(&format!(" to {port}\n")), "{eos}");
    }
    let all = eos.matches("\ninterface Ethernet").count();
    assert_eq!((all, eos.matches("   shutdown").count()), (eos.matches("   description uplink ").count(), 0));
    let format = format("eos").unwrap();
    assert_eq!([true, false].map(|folded| joined(folded).count(format)), [5, 6]);
    assert!(joined(false).file_name(format, Some(5)).ends_with("-eos-uplink.cfg"));
    assert!(Settings::read(format, ["mtu=4096"]).is_err());
    // Port names that are given replace the maker's, even if they are the usual ones.
    let own = text(false, "eos", 3, &["port=Ethernet{port}/1"]);
    assert!(own.contains("interface Ethernet6/1\n") && !own.contains("interface Ethernet6\n"), "{own}");
    let nxos = text(false, "nxos", 3, &["mtu=4096"]);
    assert!(nxos.contains("9216 holds frames of 4096") && nxos.contains("\n  mtu 9216\n"), "{nxos}");
    for (name, gateway) in [
        ("nvue", "          gateway:\n            192.168.7.254: {}\n"),
        ("eos", "\nip route 0.0.0.0/0 192.168.7.254\n"),
        ("nxos", "vrf context management\n  ip route 0.0.0.0/0 192.168.7.254\n"),
        ("linux-switch", "\nip route replace default via 192.168.7.254 dev eth0\n"),
    ] {
        let config = text(false, name, 3, &["management=192.168.7.0/24"]);
        assert!(config.contains("192.168.7.4/24") && config.contains(gateway), "{name}: {config}");
    }
    let fault = |name: &str, choices: &str| {
        let format = self::format(name).unwrap();
        let bundle = joined(true).with(Settings::read(format, choices.split(' ')).unwrap());
        bundle.render(format, Some(4), &mut String::new()).unwrap_err().to_string()
    };
    assert!(fault("sonic", "flow-control=pause").contains("choose pfc or none"));
    let why = fault("eos", "management=192.168.0.0/30");
    assert!(why.contains("5 switches and a gateway need a prefix of /29 or shorter"), "{why}");
    let why = fault("sonic", "management=10.200.0.0/24");
    assert!(why.contains("overlaps 10.0.0.0/8") && why.contains("avoid=10.200.0.0/24"), "{why}");
    assert!(
        fault("nvue", "management=192.168.0.0/16 network=192.168.4.0/22").contains("overlaps 192.168.4.0/22")
    );
    let clear = text(false, "eos", 0, &["management=10.200.0.0/24", "avoid=10.192.0.0/10"]);
    assert!(clear.contains("ip address 10.200.0.1/24"), "{clear}");
    assert!(fault("linux-switch", "port=et-0/0/{index}").contains("et-0/0/0: interfaces have"));
    for name in ["sonic", "nvue", "linux-switch"] {
        let why = fault(name, "port=eth{index} management=192.168.7.0/24");
        assert!(
            why.contains("eth{index}") && why.contains("eth0: that is the management port"),
            "{name}: {why}"
        );
    }
    // Names of ports that a dialect does not know or that the switch has already.
    for (name, choice, expected) in [
        ("eos", "port=swp", "names of ports begin with Ethernet"),
        ("sonic", "port=swp", "names of ports begin with Ethernet"),
        ("nvue", "port=Ethernet1/{port}", "names of ports begin with swp, such as swp{port}"),
        ("nxos", "port=Ethernet{port}", "Ethernet1: names of ports have a slot, such as Ethernet1/{port}"),
        ("linux-switch", "port=br{index}", "br0: that is the bridge"),
    ] {
        let why = fault(name, choice);
        assert!(why.contains(choice) && why.contains(expected), "{name}: {why}");
    }
}

/// A search leaves a folded uplink switch out of the table if no node needs it; exports have it nevertheless.
#[test]
fn a_folded_uplink_switch_without_nodes_is_in_all_exports() {
    let text = "pes = 4\nnis_per_pe = 1\n[[switch]]\nports = 6\ncount = 2\n[uplink]\nkind = \"folded\"\nspares = 1\n\
                [[pattern]]\nkind = \"ring\"\n";
    let (spec, demand) = spec(text);
    let bundle = bundle(spec, text, demand, wiring("0: 0 1 2 3\n", 4));
    let applies = |format: &&Format| is_rackless(format) && format.needs != Some(Need::Job);
    for format in formats().filter(applies) {
        let part = (format.each != FileScope::Whole).then_some(0);
        assert!(!files(&bundle, format, part).is_empty(), "{}", format.name);
    }
    let devices = render(&bundle, "netbox-devices", None);
    assert!(devices.contains("\nsw01,FNN switch,"), "{devices}");
    let cables = render(&bundle, "cables", None);
    assert!(cables.contains(",,1,5,yellow,sw00 port 6,sw01 port 5,"), "{cables}");
}

#[test]
fn a_name_comes_before_a_number() {
    let text = "pes = 4\nnis_per_pe = 2\n[[switch]]\nports = 4\ncount = 2\n[names]\nnodes = \"node{number+1}\"\n\
                switches = \"sw{number+1}\"\n[[pattern]]\nkind = \"ring\"\n";
    let with = |name: &str, choice: &str| {
        let (spec, demand) = spec(text);
        let bundle = bundle(spec, text, demand, wiring("0: 0 1 2 3\n1: 0 1 2 3\n", 4));
        let settings = Settings::read(format(name).unwrap(), [choice]).unwrap();
        let mut written = Vec::new();
        let bundle = bundle.with(settings);
        let number = (format(name).unwrap().each != FileScope::Whole).then_some(0);
        bundle
            .write(format(name).unwrap(), number, &mut written)
            .map(|()| String::from_utf8(written).unwrap())
    };
    let topology =
        with("ibnetdiscover", "guids=node1.nic0=0x00000000000000a1 sw1=0x00000000000000b1").unwrap();
    assert!(
        topology.contains("S-00000000000000b1\"\t\t# \"sw1\"") && topology.contains("\"node1 "),
        "{topology}"
    );
    let other = with("ibnetdiscover", "guids=node5.nic0=0x1").unwrap_err().to_string();
    assert!(other.contains("5"), "{other}");
    let topo = with("topo", "system-type=MQM9700").unwrap();
    assert!(topo.contains("\nMQM9700 sw2\n   P1 -> HCA_mlx5_2 node1 mlx5_1/P1\n"), "{topo}");
    let named = with("topo", "hca=rocep{nic}s0").unwrap();
    assert!(named.contains("   P4 -> HCA_2 node4 rocep1s0/P1\n"), "{named}");
    let unknown =
        "# SWITCH_4: no type of NVIDIA with 4 ports is known. Give the type with the setting `system-type`.";
    assert!(named.contains(unknown) && !topo.contains("SWITCH_"), "{named}");
    let table = with("p2p", "port=sw1p{port}").unwrap();
    assert!(table.starts_with("Rack,U,Name,HCA/Port,Rack,U,Name,Port\n,,node1,1,,,sw1,sw1p1\n"), "{table}");
    let maas = with("maas", "macs=node1.nic0=00:1b:21:3c:4d:5e").unwrap();
    let line = maas.lines().find(|line| line.contains("00:1b:21:3c:4d:5e")).unwrap();
    assert!(line.starts_with("node1 "), "{line}");
    let taken = with("maas", "macs=node1.nic0=02:0a:00:00:01:01").unwrap_err().to_string();
    assert!(taken.contains("computed address of node2."), "{taken}");
}

/// GUIDs are in the configurations, and no manager is on a failed part.
#[test]
fn subnet_managers_are_on_working_ports() {
    let text = |choices: &[&str]| {
        let settings = Settings::read(format("opensm").unwrap(), choices.iter().copied()).unwrap();
        files(&lab().with(settings), format("opensm").unwrap(), None)
    };
    let all =
        text(&["guids=node1.nic1=0x08c0eb0300f2a3c4 sw2=0x08c0eb0300a1b2c0", "failed=node7 node2.nic2"]);
    let file = |end: &str| {
        let (_, content) =
            all.iter().find(|(name, _)| name.ends_with(end)).unwrap_or_else(|| panic!("{end}"));
        String::from_utf8(content.clone()).unwrap()
    };
    let table = file("subnets.csv");
    assert!(
        table.contains("\nsw04,0xfec0000000000005,1,node000,2,mlx5_2,,,,,,no standby: one node only\n"),
        "{table}"
    );
    assert!(!table.contains("node007") && table.contains(",node001,1,mlx5_1,0x08c0eb0300f2a3c4,"), "{table}");
    assert!(file("node001/etc/opensm/crosspoint/sw02.conf").contains("\nguid 0x08c0eb0300f2a3c4\n"));
    assert!(file("node001/etc/systemd/system/crosspoint-opensm-sw02.service").contains("=/usr/sbin/opensm "));
    assert!(
        file("node-name-map")
            .ends_with("0x08c0eb0300a1b2c0 \"sw02\"\n0x08c0eb0300f2a3c4 \"node001 mlx5_1\"\n")
    );
    let settings = Settings::read(format("opensm").unwrap(), ["guids=node5.nic3=0x1"]).unwrap();
    let each = |_: &str, _: &[u8]| Ok::<_, ExportError>(());
    let refused = lab().with(settings).files(format("opensm").unwrap(), None, each).unwrap_err().to_string();
    assert_eq!(refused, "guids: node 5 has no NIC 3; its NICs are 0 to 2");
}

/// Every part of the spec is bought once, cables in lengths that are sold, and spares on top.
#[test]
fn the_bill_has_every_part_and_spares() {
    let text = |folded, choices: &[&str]| {
        let settings = Settings::read(format("bill").unwrap(), choices.iter().copied()).unwrap();
        render(&joined(folded).with(settings), "bill", None)
    };
    let bill = text(false, &["spare-share=10", "lengths=1 3"]);
    assert_eq!(
        bill,
        "part,kind,rack,quantity,unit_price,price\n\
         switch,6 ports,A01,4,,\nswitch,10 ports,A01,1,,\nuplink switch,7 ports,,1,,\nNIC,,,2,,\nNIC,,A01,16,,\n\
         cable,length unknown,,7,,\ncable,3 m,A01,16,,\n\
         switch,6 ports,spare,1,,\nswitch,10 ports,spare,1,,\nuplink switch,7 ports,spare,1,,\nNIC,,spare,2,,\n\
         cable,length unknown,spare,1,,\ncable,3 m,spare,2,,\n"
    );
    let none = text(true, &["spare-share=0"]);
    assert!(!none.contains("spare") && none.contains("cable,2 m,,4,,\n"), "{none}");
    let fault = Settings::read(format("bill").unwrap(), ["lengths=1 x"]).unwrap_err().to_string();
    assert!(
        fault.contains("lengths such as 0.5 1 2.5 in metres") && fault.ends_with(", not `x`."),
        "{fault}"
    );
}

/// Things that NetBox has already are used under their names, and are in none of the files that create some.
#[test]
fn netbox_reuses_what_it_has() {
    let choices = [
        "manufacturer=ACME, Inc.",
        "node-role=Server",
        "switch-role=Leaf",
        "node-type=DGX",
        "switch-type=SN5600",
        "uplink-type=SN2201",
        "site=DC1",
    ];
    let text = |name: &str| {
        let format = format(name).unwrap();
        let own = choices.into_iter().filter(|choice| format.has_setting(choice.split_once('=').unwrap().0));
        let settings = Settings::read(format, own).unwrap();
        render(&joined(false).with(settings), name, None)
    };
    assert_eq!(text("netbox-manufacturers"), "name,slug\n");
    assert_eq!(text("netbox-roles"), "name,slug,color\n");
    assert_eq!(text("netbox-device-types"), "manufacturer,model,slug,u_height\n");
    let devices = text("netbox-devices");
    assert!(devices.contains("node000,Server,\"ACME, Inc.\",DGX,planned,DC1,A01,1,front\n"), "{devices}");
    assert!(devices.contains("uplink,Leaf,\"ACME, Inc.\",SN2201,planned,DC1,,,\n"), "{devices}");
    let fault = |choice| Settings::read(format("netbox-cables").unwrap(), [choice]).unwrap_err().to_string();
    assert_eq!(
        fault("cable-type=cat9"),
        "cable-type: must be a cable type of NetBox such as cat6, dac-passive, aoc or mmf-om4, not cat9."
    );
}

#[test]
fn a_list_of_racks_needs_racks() {
    let refused = lab().render(format("netbox-racks").unwrap(), None, &mut String::new());
    assert_eq!(refused, Err(ExportError::NoRacks));
}

#[test]
fn addresses_of_netbox_need_settings() {
    for name in ["netbox-prefixes", "netbox-addresses"] {
        let refused = lab().render(format(name).unwrap(), None, &mut String::new());
        assert_eq!(refused, Err(ExportError::NoAddresses(name)));
    }
}

#[test]
fn files_of_ranks_need_a_job() {
    for format in formats().filter(|format| format.needs == Some(Need::Job)) {
        let refused =
            lab().render(format, (format.each != FileScope::Whole).then_some(0), &mut String::new());
        let why = refused.unwrap_err().to_string();
        assert_eq!(why, format!("{} needs a training job; add a [job] table to the spec", format.name));
    }
}

/// The node of each rank, as `rank-hosts` lists them.
fn rank_hosts(bundle: &Bundle) -> Vec<String> {
    let text = render(bundle, "rank-hosts", None);
    text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

#[test]
fn both_files_of_ranks_place_them_alike() {
    let hosts = rank_hosts(&lab_with_job());
    let settings = Settings::read(format("rankfile").unwrap(), ["cores=3"]).unwrap();
    let text = render(&lab_with_job().with(settings), "rankfile", None);
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("rank ")).collect();
    assert_eq!((lines.len(), hosts.len()), (16, 16));
    for (rank, (line, host)) in lines.into_iter().zip(&hosts).enumerate() {
        let slots = ["0-2", "3-5"][rank % 2];
        assert_eq!(line, format!("rank {rank}={host} slot={slots}"));
    }
}

/// Every channel leaves a node by a NIC on a switch that the next node's channel enters by.
#[test]
fn channels_of_nccl_stay_on_shared_switches() {
    let bundle = lab_with_job();
    let mut order = rank_hosts(&bundle);
    order.dedup();
    assert_eq!(order.len(), 8);
    let pe = |name: &String| name[4..].parse::<u32>().unwrap();
    let nis = wiring(JOB_TABLE, 8).nis();
    let hex = |node: roxmltree::Node| u32::from_str_radix(node.attribute("dev").unwrap(), 16).unwrap();
    let channels = |pe: u32| -> Vec<[u32; 2]> {
        let text = render(&bundle, "nccl-graph", Some(pe));
        let document = roxmltree::Document::parse(&text).unwrap();
        let graph =
            document.root_element().children().find(|node| node.attribute("id") == Some("0")).unwrap();
        assert_eq!(graph.attribute("pattern"), Some("4"));
        let channels = graph.children().filter(|node| node.has_tag_name("channel")).map(|channel| {
            let of = |tag: &str| {
                channel.children().filter(|node| node.has_tag_name(tag)).map(hex).collect::<Vec<_>>()
            };
            let mut gpus = of("gpu");
            gpus.sort_unstable();
            assert_eq!(gpus, [0, 1]);
            [of("net")[0], of("net")[1]].map(|nic| nis.of(pe)[nic as usize])
        });
        let channels: Vec<_> = channels.collect();
        assert_eq!(graph.attribute("nchannels"), Some(&*channels.len().to_string()));
        channels
    };
    let next = order.iter().cycle().skip(1);
    for (from, to) in order.iter().zip(next) {
        let (leaving, entering) = (channels(pe(from)), channels(pe(to)));
        assert!(leaving.len() > 1 && leaving.len() == entering.len());
        for (leaving, entering) in leaving.iter().zip(entering) {
            assert_eq!(leaving[1], entering[0], "{from} to {to}");
        }
    }
}

#[test]
fn a_graph_of_nccl_is_refused_where_it_would_fail() {
    let refused = |job: &str, table: &str| {
        let text = SPEC.to_owned() + "[job]\nranks_per_pe = 2\n" + job;
        let (spec, demand) = spec(&text);
        let bundle = bundle(spec, &text, demand, wiring(table, 8));
        bundle.render(format("nccl-graph").unwrap(), Some(0), &mut String::new()).unwrap_err().to_string()
    };
    let cases = [
        ("tp = 2\ndp = 8", JOB_TABLE, "groups along dp have some GPUs of a node"),
        ("cp = 4\ndp = 4", JOB_TABLE, "groups along cp and dp have different neighbours"),
        (
            "tp = 2\npp = 1\ndp = 8\n[[collective]]\nalong = 'dp'\nalgorithm = 'rail'",
            JOB_TABLE,
            "along dp have some",
        ),
        ("dp = 16", "0: 0 1 2 3\n1: 4 5 6 7\n", "follow each other in a ring and share no switch"),
    ];
    for (job, table, why) in cases {
        let text = refused(job, table);
        assert!(text.starts_with("nccl-graph: ") && text.contains(why), "{job}: {text}");
    }
}

/// The NICs by which NCCL enters and leaves a node, per channel of a graph file's rings (`ncclTopoGetNetDev`): the first GPU of a
/// channel takes the first `<net>`, any other GPU the second. The ring enters at the first GPU and leaves from the last.
fn nccl_nics(text: &str) -> Vec<[u32; 2]> {
    let document = roxmltree::Document::parse(text).unwrap();
    let graph =
        document.root_element().children().find(|node| node.attribute("pattern") == Some("4")).unwrap();
    let channels = graph.children().filter(|node| node.has_tag_name("channel"));
    let nics = channels.map(|channel| {
        let of = |tag: &str| -> Vec<u32> {
            let nodes = channel.children().filter(|node| node.has_tag_name(tag));
            nodes.map(|node| u32::from_str_radix(node.attribute("dev").unwrap(), 16).unwrap()).collect()
        };
        let (nets, gpus) = (of("net"), of("gpu"));
        let net = |gpu: u32| nets[usize::from(gpu != gpus[0])];
        [net(gpus[0]), net(gpus[gpus.len() - 1])]
    });
    nics.collect()
}

/// One ring over all nodes, with that wiring.
fn ring_of(nodes: u32, nics: u32, gpus: u32, table: &str) -> Bundle {
    let text = format!(
        "pes = {nodes}\nnis_per_pe = {nics}\nobjective = \"sparse\"\n[[switch]]\nports = {nodes}\ncount = 4\n\
         [job]\nranks_per_pe = {gpus}\ndp = {}\n[[collective]]\nalong = 'dp'\nbytes = 1e9\n",
        nodes * gpus
    );
    let (spec, demand) = spec(&text);
    bundle(spec, &text, demand, wiring(table, nodes))
}

#[test]
fn nccl_connects_every_hop_of_its_channels() {
    let common = "0: 0 1 2 3 4 5\n1: 0 1 2\n2: 3 4 5\n3: 0 1 2 3 4 5\n";
    for (gpus, table) in [(1, common), (2, common), (2, "0: 0 1 2 3\n1: 0 1 4 5\n2: 2 3 4 5\n")] {
        let bundle = ring_of(6, 3, gpus, table);
        let nis = wiring(table, 6).nis();
        let mut order = rank_hosts(&bundle);
        order.dedup();
        let switches: Vec<Vec<[u32; 2]>> = order
            .iter()
            .map(|name| {
                let pe = name[4..].parse().unwrap();
                let nics = nccl_nics(&render(&bundle, "nccl-graph", Some(pe)));
                nics.into_iter().map(|nics| nics.map(|nic| nis.of(pe)[nic as usize])).collect()
            })
            .collect();
        let next = switches.iter().cycle().skip(1);
        for (from, to) in switches.iter().zip(next) {
            assert_eq!(from.len(), to.len());
            assert!(from.len() == 2 || gpus > 1, "{from:?}");
            for (channel, (from, to)) in from.iter().zip(to).enumerate() {
                assert_eq!(from[1], to[0], "channel {channel} with {gpus} GPUs per node");
            }
        }
    }
}

/// NCCL 2.28.9 sends from the first NIC of a channel, too, so that nodes 3 and 4 cannot connect in the given order.
#[test]
fn a_ring_of_nodes_with_one_gpu_needs_a_common_switch() {
    let bundle = ring_of(6, 2, 1, "0: 0 1 2 3\n1: 0 1 4 5\n2: 2 3 4 5\n");
    let refused = bundle.render(format("nccl-graph").unwrap(), Some(3), &mut String::new()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "nccl-graph: with one GPU per node, NCCL uses one NIC of a node for both directions. A ring then needs a switch that all \
         of its nodes share. sw00 has the most of them, but not node004, node005. Use NCCL_NET=Socket with the export `nccl`, or \
         groups on one switch"
    );
}

#[test]
fn a_setting_under_two_names_is_given_twice() {
    let read = |choices: &[&str]| {
        let read = Settings::read(format("routes").unwrap(), choices.iter().copied());
        read.err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert!(read(&["dead=sw3", "failed=sw3"]).contains("dead and failed are the same setting"));
    assert!(read(&["dead=sw3", "dead=sw4"]).contains("dead: is given twice"));
    assert_eq!(read(&["dead=sw3"]), "");
}

#[test]
fn hosts_and_scripts_follow_the_same_routes() {
    let bundle = lab();
    for pe in 0..8 {
        let addresses = |text: String, column: usize| -> BTreeSet<String> {
            let field = |l: &str| l.split_whitespace().nth(column).map(str::to_string);
            text.lines()
                .filter(|l| l.contains("10."))
                .filter_map(field)
                .filter(|f| f.starts_with("10."))
                .collect()
        };
        let script = addresses(render(&bundle, "script", Some(pe)), 1);
        let hosts = addresses(render(&bundle, "hosts", Some(pe)), 0);
        let neighbours: BTreeSet<String> = script.iter().filter(|a| !a.contains('/')).cloned().collect();
        let own: BTreeSet<String> =
            script.iter().filter_map(|a| a.strip_suffix("/16").map(str::to_string)).collect();
        assert!(!neighbours.is_empty() && own.len() >= 2);
        assert_eq!(hosts, &neighbours | &own, "PE {pe}");
    }
}

#[test]
fn errors_say_what_would_do() {
    let bundle = lab();
    let mut text = String::new();
    let message = |result: Result<(), ExportError>| result.unwrap_err().to_string();
    let script = format("script").unwrap();
    assert_eq!(message(bundle.render(script, None, &mut text)), "script is one file per node: choose a node");
    assert_eq!(message(bundle.render(script, Some(8), &mut text)), "there is no node 8; nodes are 0 to 7");
    let unknown = format("pdf").err().unwrap().to_string();
    assert!(
        unknown.starts_with("there is no format \"pdf\". Formats are `wiring`, `spec`, `report`, `cables`, "),
        "{unknown}"
    );
    let more = format!(", and {} more.", formats().count() - unknown.matches('`').count() / 2);
    assert!(unknown.ends_with(&more), "{unknown}");
}

#[test]
fn computed_mac_addresses_are_distinct_and_locally_administered() {
    // Algorithm 11 itself, for the address 10.0.1.2 and NI 3.
    assert_eq!(mac(0x0102, 3).to_string(), "02:0a:00:01:02:63");
    let step = 4099;
    let mut all: Vec<_> = (0..1u32 << 20)
        .filter(|pe| pe % step < 5 || *pe < 700)
        .flat_map(|pe| (0..64).map(move |ni| mac(pe, ni)))
        .collect();
    let count = all.len();
    assert!(all.iter().all(|m| m.0[0] == 2));
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), count);
    // And by taking one apart: nothing of PE or NI is lost.
    for (pe, ni) in [(0, 0), (1_048_575, 63), (65_535, 8), (524_288, 37)] {
        let m = mac(pe, ni).0;
        let back = u32::from_be_bytes([0, m[2], m[3], m[4]]);
        let low = (m[5] ^ m[3].wrapping_add(m[4])) >> 5;
        assert_eq!((back, u32::from(m[1] >> 4) << 3 | u32::from(low)), (pe, ni));
    }
}

#[test]
fn labels_mark_transparent_and_repeated_colours() {
    let (spec, demand) = sparse(50, 2, 4, 25, &[(0, 1)]);
    let design = Design::from_switches(50, (0..25).map(|s| vec![2 * s, 2 * s + 1]));
    let html = render(&bundle(spec, "", demand, design), "labels", None);
    assert_eq!((0..50).filter(|pe| html.contains(&format!(">node{pe:03}</text>"))).count(), 50);
    // Switches 12 to 19 have two nodes each, and a mark is two triangles.
    assert_eq!(html.matches("z\" fill=").count(), 8 * 2 * 2);
    assert!(html.contains("two triangles mark transparent cables"), "{html}");
    assert!(html.contains(">blue ×2</text>") && html.contains("25 switches share 20 colours"), "{html}");
}

#[test]
fn a_wiring_that_leaves_pairs_out_says_so_where_people_read() {
    let text = "pes = 4\nnis_per_pe = 1\n[[switch]]\nports = 2\n[[pattern]]\nkind = \"ring\"\n";
    let (spec, demand) = spec(text);
    let bundle = bundle(spec, text, demand, wiring("0: 0 1\n1: 2 3\n", 4));
    let labels = render(&bundle, "labels", None);
    assert!(labels.contains("leaves 2 of 4 requested pairs uncovered"), "{labels}");
    let hosts = render(&bundle, "hosts", Some(0));
    assert!(hosts.ends_with("# Requested, but without a path: node003\n"), "{hosts}");
    let script = render(&bundle, "script", Some(2));
    assert!(script.contains("\n# Requested, but without a path: node001.\n"), "{script}");
    assert!(!render(&lab(), "hosts", Some(0)).contains("not served"));
}

/// Number of places at which a computation could be cancelled.
fn checks(work: impl FnOnce()) -> usize {
    let (count, again) = (Arc::new(AtomicUsize::new(0)), Arc::new(OnceLock::<Token>::new()));
    let (seen, own) = (count.clone(), again.clone());
    let token = Token::with_pause(move || {
        seen.fetch_add(1, Relaxed);
        own.get().into_iter().for_each(Token::request_pause);
    });
    again.set(token.clone()).unwrap();
    token.request_pause();
    scope(&token, work).unwrap();
    count.load(Relaxed)
}

#[test]
fn routes_through_others_can_be_cancelled_at_each_destination() {
    let text = "pes = 64\nnis_per_pe = 2\n[[switch]]\nports = 2\n[[pattern]]\nkind = 'hypercube'\n";
    let chain: String = (0..63).map(|node| format!("{node}: {node} {}\n", node + 1)).collect();
    let of = |through: &str| {
        let (spec, demand) = spec(text);
        let settings = Settings::read(format("multipath").unwrap(), [through]).unwrap();
        let bundle = bundle(spec, text, demand, wiring(&chain, 64)).with(settings);
        checks(|| drop(render(&bundle, "multipath", Some(0))))
    };
    let (direct, requested) = (of("through=none"), of("through=requested"));
    assert!(requested >= direct + 64, "{requested} checks, {direct} without such routes");
}
