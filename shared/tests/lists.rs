//! Files that other programs read: what they hold, in those programs' own terms.

use crate::common::{sparse, spec, wiring};
use ipnet::Ipv4Net;
use shared::{
    design::Design,
    exports::{Bundle, ExportError, Settings, format, formats},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

const SPEC: &str = "name = \"Lab \\\"8\\\", north\"\npes = 8\nnis_per_pe = 3\nobjective = \"sparse\"\nmetre_price = 1.0\n\
    [[switch]]\nports = 5\nreserve = 1\ncount = 6\n[[pattern]]\nkind = \"ring\"\n\
    [[rack]]\npes = 6\nswitches = 2\n[[rack]]\npes = 2\nswitches = 4\n";
const TABLE: &str = "0: 0 1 2 3\n1: 4 5 6 7\n2: 0 1 4 5\n3: 2 3 6 7\n4: 0 2 7\n5: 1 3 5\n";

fn lab() -> Bundle {
    let (spec, demand) = spec(SPEC);
    Bundle::new(Arc::new(spec), SPEC, Arc::new(demand), Arc::new(wiring(TABLE, 8)))
}

/// PEs in a ring, two on a switch, and each PE on two switches.
fn ring(pes: u32) -> Bundle {
    let pairs: Vec<_> = (0..pes).map(|pe| (pe, (pe + 1) % pes)).collect();
    let (spec, demand) = sparse(pes, 2, 4, pes, &pairs);
    let design = Design::from_switches(pes, pairs.into_iter().map(|(a, b)| vec![a, b]));
    Bundle::new(Arc::new(spec), "", Arc::new(demand), Arc::new(design))
}

fn text(bundle: &Bundle, name: &str) -> String {
    let mut text = String::new();
    bundle.render(format(name).unwrap(), None, &mut text).unwrap();
    text
}

fn bytes(bundle: &Bundle, name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    bundle.write(format(name).unwrap(), None, &mut bytes).unwrap();
    bytes
}

/// The rows of a CSV file (RFC 4180) by column; every row is as long as the first.
fn csv(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut lines = text.lines().map(fields);
    let names = lines.next().expect("a line with the names of the columns");
    lines
        .map(|fields| {
            assert_eq!(fields.len(), names.len(), "{fields:?}");
            names.iter().cloned().zip(fields).collect()
        })
        .collect()
}

fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut quoted) = (vec![String::new()], false);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                fields.last_mut().unwrap().push(chars.next().unwrap())
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => fields.last_mut().unwrap().push(c),
        }
    }
    assert!(!quoted, "{line}");
    fields
}

/// Each file in the order of import with the columns of its form that NetBox requires and those that it takes besides
/// (`netbox/dcim/forms/bulk_import.py` of NetBox 4, the `Meta.fields` of each form).
const NETBOX: [(&str, &[&str], &[&str]); 10] = [
    ("netbox-sites", &["name", "slug", "status"], &["region", "group", "tenant", "facility", "description"]),
    ("netbox-manufacturers", &["name", "slug"], &["description", "tags"]),
    ("netbox-roles", &["name", "slug", "color"], &["vm_role", "config_template", "description", "tags"]),
    (
        "netbox-device-types",
        &["manufacturer", "model", "slug", "u_height"],
        &["part_number", "is_full_depth", "description"],
    ),
    (
        "netbox-racks",
        &["site", "name", "status", "width", "u_height"],
        &["location", "facility_id", "role", "desc_units"],
    ),
    (
        "netbox-devices",
        &["name", "role", "manufacturer", "device_type", "status", "site"],
        &["location", "rack", "position", "face", "serial", "description"],
    ),
    (
        "netbox-interfaces",
        &["device", "name", "type"],
        &["label", "speed", "enabled", "mtu", "mgmt_only", "description"],
    ),
    (
        "netbox-cables",
        &["side_a_device", "side_a_type", "side_a_name", "side_b_device", "side_b_type", "side_b_name"],
        &[
            "side_a_site",
            "side_b_site",
            "type",
            "status",
            "label",
            "color",
            "length",
            "length_unit",
            "description",
        ],
    ),
    ("netbox-prefixes", &["prefix", "status"], &["vrf", "tenant", "role", "is_pool", "description"]),
    (
        "netbox-addresses",
        &["address", "status"],
        &["device", "interface", "is_primary", "is_oob", "dns_name", "vrf", "role", "description"],
    ),
];

/// A file of NetBox with those of the settings that its format has.
fn netbox(name: &str, choices: &[&str]) -> Vec<BTreeMap<String, String>> {
    let format = format(name).unwrap();
    let own = choices.iter().copied().filter(|choice| format.has_setting(choice.split_once('=').unwrap().0));
    csv(&text(&lab().with(Settings::read(format, own).unwrap()), name))
}

#[test]
fn netbox_files_have_the_columns_of_its_forms() {
    for (name, required, besides) in NETBOX {
        let rows = netbox(name, &["addresses=routed"]);
        let columns: Vec<String> = rows[0].keys().cloned().collect();
        let distinct: BTreeSet<&str> = columns.iter().map(String::as_str).collect();
        assert_eq!(distinct.len(), columns.len(), "{name}: {columns:?}");
        let known = |column: &&str| required.contains(column) || besides.contains(column);
        assert!(required.iter().all(|column| distinct.contains(column)), "{name}: {columns:?}");
        assert!(distinct.iter().all(known), "{name}: {columns:?}");
    }
    let tables = formats().filter(|format| format.extension == "csv").map(|format| format.name);
    let listed: Vec<&str> = tables.filter(|name| name.starts_with("netbox-")).collect();
    assert_eq!(listed, NETBOX.map(|file| file.0), "in the order of import");
}

/// What NetBox checks when it imports: choices, slugs, colours, and that what is referred to has been imported.
#[test]
fn netbox_finds_everything_that_its_files_refer_to() {
    let rows = |name: &str| csv(&text(&lab(), name));
    let column = |name: &str, column: &str| -> BTreeSet<String> {
        rows(name).iter().map(|row| row[column].clone()).collect()
    };
    let slugs = ["netbox-sites", "netbox-manufacturers", "netbox-roles", "netbox-device-types"];
    for slug in slugs.iter().flat_map(|name| column(name, "slug")) {
        let plain = slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        assert!(plain && !slug.is_empty() && slug.len() <= 100, "{slug}");
    }
    let types: BTreeSet<(String, String)> = rows("netbox-device-types")
        .iter()
        .map(|row| (row["manufacturer"].clone(), row["model"].clone()))
        .collect();
    let (sites, roles) = (column("netbox-sites", "name"), column("netbox-roles", "name"));
    assert_eq!(sites, BTreeSet::from(["Lab \"8\", north".into()]));
    assert!(types.iter().all(|(maker, _)| column("netbox-manufacturers", "name").contains(maker)));
    let racks: BTreeMap<String, u32> = rows("netbox-racks")
        .iter()
        .map(|row| (row["name"].clone(), row["u_height"].parse().unwrap()))
        .collect();
    assert_eq!(racks.keys().collect::<Vec<_>>(), ["A01", "A02"]);
    let (mut devices, mut places) = (BTreeSet::new(), BTreeSet::new());
    for row in rows("netbox-devices") {
        assert!(devices.insert(row["name"].clone()), "{row:?}");
        assert!(sites.contains(&row["site"]) && roles.contains(&row["role"]) && row["status"] == "planned");
        assert!(types.contains(&(row["manufacturer"].clone(), row["device_type"].clone())), "{row:?}");
        let unit: u32 = row["position"].parse().unwrap();
        assert!((1..=racks[&row["rack"]]).contains(&unit) && row["face"] == "front", "{row:?}");
        assert!(places.insert((row["rack"].clone(), unit)), "two devices in one place: {row:?}");
    }
    assert_eq!(devices.len(), 8 + 6);
    let mut interfaces = BTreeSet::new();
    for row in rows("netbox-interfaces") {
        assert!(devices.contains(&row["device"]) && row["type"] == "other", "{row:?}");
        assert!(interfaces.insert((row["device"].clone(), row["name"].clone())), "{row:?}");
    }
    assert_eq!(interfaces.len(), 22 + 6 * 5);
    let mut ends = BTreeSet::new();
    for row in rows("netbox-cables") {
        for side in ["a", "b"] {
            let end =
                (row[&format!("side_{side}_device")].clone(), row[&format!("side_{side}_name")].clone());
            assert!(
                interfaces.contains(&end) && row[&format!("side_{side}_type")] == "dcim.interface",
                "{row:?}"
            );
            assert!(sites.contains(&row[&format!("side_{side}_site")]));
            assert!(ends.insert(end), "an end with two cables: {row:?}");
        }
        let hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
        assert!(row["color"].len() == 6 && row["color"].chars().all(hex), "{row:?}");
        assert!(
            row["label"].len() <= 100 && row["length_unit"] == "m" && row["length"].parse::<f64>().is_ok()
        );
    }
    assert_eq!(ends.len(), 2 * 22);
}

#[test]
fn netbox_files_heed_their_settings() {
    let choose = |name: &str, choices: &[&str]| {
        let settings = Settings::read(format(name).unwrap(), choices.iter().copied())?;
        Ok::<_, shared::exports::ExportError>(csv(&text(&lab().with(settings), name)))
    };
    let cables =
        choose("netbox-cables", &["site=Hall 3", "cable-type=cat6", "interface=enp", "port=Ethernet1/"])
            .unwrap();
    let first = &cables[0];
    let got = ["side_a_site", "type", "side_a_name", "side_b_name"].map(|column| first[column].as_str());
    assert_eq!(got, ["Hall 3", "cat6", "enp0", "Ethernet1/1"]);
    let kinds = choose("netbox-interfaces", &["interface-type=1000base-t"]).unwrap();
    assert!(kinds.iter().all(|row| row["type"] == "1000base-t"));
    for wrong in ["port=swp1", "port=", "cable-type=CAT 6", "site=", "palette=x"] {
        assert!(choose("netbox-cables", &[wrong]).is_err(), "{wrong}");
    }
}

/// Addresses of interfaces in the files of a format whose paths end so, each with the number of its node.
fn lines_of(name: &str, end: &str) -> BTreeSet<(u32, String)> {
    let (bundle, mut found) = (lab(), BTreeSet::new());
    for pe in 0..8 {
        let each = |path: &str, content: &[u8]| {
            let address =
                |line: &str| line.strip_prefix("Address=").filter(|net| net.contains('/')).map(str::to_owned);
            if path.ends_with(end) {
                found.extend(
                    String::from_utf8_lossy(content).lines().filter_map(address).map(|net| (pe, net)),
                );
            }
            Ok::<_, ExportError>(())
        };
        bundle.files(format(name).unwrap(), Some(pe), each).unwrap();
    }
    found
}

/// NetBox has the addresses of hosts and switches as their own files have them, all of them in its prefixes.
#[test]
fn netbox_has_the_addresses_of_the_host_formats() {
    let of_nodes = |choices: &[&str], interface: &str| -> BTreeSet<(u32, String)> {
        let rows = netbox("netbox-addresses", choices);
        let own = rows.iter().filter(|row| row["interface"] == interface);
        own.map(|row| (row["device"].strip_prefix("node").unwrap().parse().unwrap(), row["address"].clone()))
            .collect()
    };
    let routed = of_nodes(&["addresses=routed"], "lo");
    assert_eq!((routed.len(), &routed), (8, &lines_of("networkd", "-lo.network")));
    for nic in ["eth0", "eth1", "eth2"] {
        let rdma = of_nodes(&["addresses=rdma"], nic);
        assert!(rdma.len() >= 6);
        assert_eq!(rdma, lines_of("rdma-networkd", &format!("-{nic}.network")));
    }
    let managed = ["management=192.168.0.0/28", "management-port=Management1"];
    for row in netbox("netbox-addresses", &managed) {
        let switch: u32 = row["device"].strip_prefix("sw").unwrap().parse().unwrap();
        let settings = Settings::read(format("eos").unwrap(), [managed[0]]).unwrap();
        let mut config = String::new();
        lab().with(settings).render(format("eos").unwrap(), Some(switch), &mut config).unwrap();
        let lines = format!("interface {}\n   ip address {}\n", row["interface"], row["address"]);
        assert!(config.contains(&lines) && row["is_primary"] == "true", "{lines}\n{config}");
    }
    for form in ["addresses=routed", "addresses=rdma"] {
        let choices = [form, "network=10.9.0.0/16", "avoid=10.9.0.0/25", managed[0], managed[1]];
        let prefixes = netbox("netbox-prefixes", &choices);
        let with = |status: &str| -> Vec<Ipv4Net> {
            let rows = prefixes.iter().filter(|row| row["status"] == status);
            rows.map(|row| row["prefix"].parse().unwrap()).collect()
        };
        assert_eq!(with("container"), ["10.9.0.0/16".parse().unwrap()]);
        let interfaces: BTreeSet<(String, String)> = netbox("netbox-interfaces", &choices)
            .into_iter()
            .map(|row| (row["device"].clone(), row["name"].clone()))
            .collect();
        let rows = netbox("netbox-addresses", &choices);
        assert_eq!(rows.len(), 6 + if form == "addresses=rdma" { 22 } else { 8 });
        let mut seen = BTreeSet::new();
        for row in rows {
            let address: Ipv4Net = row["address"].parse().unwrap();
            assert!(with("reserved").iter().any(|net| net.contains(&address.addr())), "{row:?} {prefixes:?}");
            assert!(interfaces.contains(&(row["device"].clone(), row["interface"].clone())), "{row:?}");
            assert!(seen.insert(address.addr()) && row["status"] == "reserved", "{row:?}");
        }
    }
}

#[test]
fn netbox_refuses_addresses_and_ports_that_are_taken() {
    let refused = |name: &str, choices: &[&str]| {
        let format = format(name).unwrap();
        let settings = Settings::read(format, choices.iter().copied())?;
        lab().with(settings).render(format, None, &mut String::new())
    };
    let why = |name, choices: &[&str]| refused(name, choices).unwrap_err().to_string();
    assert_eq!(
        why("netbox-addresses", &["addresses=routed", "management=10.0.0.0/24"]),
        "management=10.0.0.0/24: this overlaps 10.0.0.0/8, where nodes have their addresses; choose another network, \
         or give avoid=10.0.0.0/24 here and to the exports of nodes"
    );
    let apart = ["addresses=routed", "management=10.0.0.0/24", "avoid=10.0.0.0/24"];
    assert_eq!(refused("netbox-addresses", &apart), Ok(()));
    assert_eq!(
        why("netbox-interfaces", &["management=192.168.0.0/24", "management-port=swp5"]),
        "management-port=swp5: a port of a switch has that name"
    );
    assert_eq!(refused("netbox-interfaces", &["management=192.168.0.0/24", "management-port=swp6"]), Ok(()));
    assert!(why("netbox-addresses", &["addresses=all"]).contains("one of `none`, `routed`, `rdma`"));
    assert!(why("netbox-addresses", &["management-port=a,b"]).contains("such as eth0, mgmt0 or Management1"));
}

#[test]
fn devices_of_a_rack_with_more_than_its_units_have_no_place() {
    let text_of = SPEC.replace("pes = 8\n", "pes = 120\n").replace("pes = 6\n", "pes = 118\n");
    let (spec, demand) = spec(&text_of.replace("ports = 5", "ports = 70"));
    let bundle = Bundle::new(Arc::new(spec), "", Arc::new(demand), Arc::new(wiring("0: 0 1\n1: 118\n", 120)));
    assert_eq!(csv(&text(&bundle, "netbox-racks"))[0]["u_height"], "42");
    let devices = csv(&text(&bundle, "netbox-devices"));
    let place = |at: usize| ["rack", "position", "face"].map(|column| devices[at][column].clone());
    assert_eq!(
        (place(0), place(118)),
        (["A01", "", ""].map(String::from), ["A02", "1", "front"].map(String::from))
    );
}

#[test]
fn the_cable_list_has_identifiers_and_lengths() {
    let list = text(&lab(), "cables");
    let rows = csv(&list);
    assert_eq!(rows.len(), 22);
    let last = rows.last().unwrap();
    let got =
        ["pe", "ni", "switch", "port", "pe_id", "switch_id", "length_m"].map(|column| last[column].as_str());
    assert_eq!(got, ["7", "2", "4", "3", "A02-02:NIC2", "A02-05:03", "2.00"]);
    assert_eq!((rows[2]["switch_id"].as_str(), rows[2]["length_m"].as_str()), ("A02-05:01", "2.60"));
}

#[test]
fn topology_dot_has_an_edge_for_each_cable_between_ports_that_are_there() {
    let dot = text(&lab(), "dot");
    let mut ports = BTreeSet::new();
    for line in dot.lines().filter(|line| line.contains("[label=")) {
        let name = line.split('"').nth(1).unwrap();
        let label = line.split('"').nth(3).unwrap();
        ports.extend(
            label
                .split("|<")
                .skip(1)
                .map(|port| format!("\"{name}\":\"{}\"", port.split('>').next().unwrap())),
        );
    }
    let edges: Vec<&str> = dot.lines().filter(|line| line.contains(" -- ")).map(str::trim).collect();
    assert_eq!(edges.len(), 22);
    assert!(edges[21].starts_with("\"node007\":\"eth2\" -- \"sw04\":\"swp3\" ["), "{}", edges[21]);
    for edge in edges {
        let (a, rest) = edge.split_once(" -- ").unwrap();
        assert!(ports.remove(a) && ports.remove(rest.split(' ').next().unwrap()), "{edge}");
    }
    assert!(ports.is_empty(), "{ports:?}");
}

#[test]
fn containerlab_names_interfaces_that_linux_takes_once_each() {
    let topology = text(&lab(), "containerlab");
    assert!(topology.contains("\nname: lab-8-north\n"), "{topology}");
    let kinds = |kind: &str| topology.matches(&format!("\n      kind: {kind}\n")).count();
    assert_eq!((kinds("bridge"), kinds("linux")), (6, 8));
    let mut ends = BTreeSet::new();
    for line in topology.lines().filter(|line| line.starts_with("    - endpoints: ")) {
        let end = |at: usize| line.split('"').nth(at).unwrap();
        assert!(ends.insert(end(1)) && ends.insert(end(3).split(':').nth(1).unwrap()), "{line}");
        assert!(
            end(1).split(':').nth(1).unwrap().len() <= 15 && end(3).split(':').nth(1).unwrap().len() <= 15
        );
    }
    assert_eq!(ends.len(), 44);
    assert_eq!(bundle_without_cables("containerlab").matches("\n  links: []\n").count(), 1);
}

fn bundle_without_cables(name: &str) -> String {
    let (spec, demand) = sparse(2, 1, 2, 1, &[(0, 1)]);
    text(&Bundle::new(Arc::new(spec), "", Arc::new(demand), Arc::new(Design::from_switches(2, []))), name)
}

#[test]
fn graphml_nests_and_refers_to_nodes_and_keys_that_are_there() {
    let xml = text(&lab(), "graphml");
    let mut open: Vec<&str> = Vec::new();
    for tag in xml.split('<').skip(1).map(|rest| rest.split('>').next().unwrap()) {
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
        match () {
            () if tag.starts_with('?') || tag.ends_with('/') => {}
            () if tag.starts_with('/') => assert_eq!(open.pop(), Some(name)),
            () => open.push(name),
        }
    }
    assert!(open.is_empty(), "{open:?}");
    let values = |attribute: &str| -> Vec<&str> {
        xml.split(&format!(" {attribute}=\"")).skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
    };
    let ids: BTreeSet<&str> = values("id").into_iter().collect();
    assert!(
        values("key").iter().chain(&values("source")).chain(&values("target")).all(|id| ids.contains(id))
    );
    assert_eq!((values("source").len(), xml.matches("<node ").count()), (22, 14));
    assert!(xml.contains("Lab &quot;8&quot;, north"));
}

#[test]
fn json_holds_what_its_schema_says() {
    let value: serde_json::Value = serde_json::from_str(&text(&lab(), "json")).unwrap();
    let schema: serde_json::Value = serde_json::from_str(&text(&lab(), "json-schema")).unwrap();
    fits(&value, &schema, &schema, "the document");
    let count = |name: &str| value[name].as_array().unwrap().len();
    assert_eq!((count("pes"), count("switches"), count("cables")), (8, 6, 22));
    assert_eq!((&value["name"], &value["uncovered_pairs"]), (&"Lab \"8\", north".into(), &1.into()));
    assert_eq!(value["cables"][21]["switch_end"], "A02-05:03");
    let empty: serde_json::Value = serde_json::from_str(&bundle_without_cables("json")).unwrap();
    fits(&empty, &schema, &schema, "the document");
}

/// Holds a value against the words of JSON Schema that ours uses; a member that the schema does not know is a fault here.
fn fits(value: &serde_json::Value, schema: &serde_json::Value, root: &serde_json::Value, path: &str) {
    if let Some(reference) = schema["$ref"].as_str() {
        return fits(value, root.pointer(&reference[1..]).expect(reference), root, path);
    }
    if !schema["const"].is_null() {
        assert_eq!(value, &schema["const"], "{path}");
    }
    match schema["type"].as_str() {
        Some("object") => {
            for name in schema["required"].as_array().unwrap() {
                assert!(!value[name.as_str().unwrap()].is_null(), "{path} has no {name}");
            }
            for (name, inner) in value.as_object().expect(path) {
                let known =
                    schema["properties"].get(name).unwrap_or_else(|| panic!("{path}.{name} is unknown"));
                fits(inner, known, root, &format!("{path}.{name}"));
            }
        }
        Some("array") => {
            value.as_array().expect(path).iter().for_each(|item| fits(item, &schema["items"], root, path));
        }
        Some("integer") => {
            let number = value.as_u64().unwrap_or_else(|| panic!("{path}: {value}"));
            assert!(number >= schema["minimum"].as_u64().unwrap_or(0), "{path}: {value}");
        }
        Some("number") => assert!(value.is_number(), "{path}: {value}"),
        Some("string") => assert!(value.is_string(), "{path}: {value}"),
        _ => assert!(!schema["const"].is_null(), "{path}: nothing is known of {schema}"),
    }
}

#[test]
fn the_picture_has_a_patch_for_each_cable_and_a_path_for_each_switch() {
    let svg = text(&lab(), "svg");
    assert_eq!(svg.matches("</title></path>").count(), 6);
    let curves: usize = svg
        .split("<path d=\"")
        .skip(1)
        .map(|path| path.split('"').next().unwrap().matches('M').count())
        .sum();
    // White and yellow cables have an outline, which is a curve of its own.
    assert_eq!(curves, 22 + 4 + 3);
    assert_eq!(svg.matches("font-size=\"9\"").count(), 22);
    assert!(svg.contains("<title>Wiring of Lab &quot;8&quot;, north</title>"));
}

#[test]
fn a_large_machine_is_a_matrix() {
    assert!(text(&ring(256), "svg").contains("<path "));
    // 257 switches are too many for lines.
    let svg = text(&ring(257), "svg");
    assert!(
        !svg.contains("<path ") && svg.contains("Each dot is a cable.") && svg.contains("base64,"),
        "{svg:.600}"
    );
    let svg = text(&ring(5000), "svg");
    assert!(svg.contains("Each dot is 3 nodes by 5 switches"), "{svg:.600}");
}

/// Width, height and pixels of a PNG file of 8-bit RGB without filters.
fn pixels(png: &[u8]) -> (usize, usize, Vec<[u8; 3]>) {
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!(
        (&png[..8], &png[12..16], &png[24..29]),
        (&b"\x89PNG\r\n\x1a\n"[..], &b"IHDR"[..], &[8, 2, 0, 0, 0][..])
    );
    let (width, height) = (number(16), number(20));
    assert_eq!(&png[37..41], b"IDAT");
    let rows = miniz_oxide::inflate::decompress_to_vec_zlib(&png[41..41 + number(33)]).unwrap();
    assert_eq!(rows.len(), (width * 3 + 1) * height);
    let pixels = rows.chunks(width * 3 + 1).flat_map(|row| row[1..].chunks(3).map(|p| [p[0], p[1], p[2]]));
    (width, height, pixels.collect())
}

#[test]
fn the_picture_in_pixels_shows_every_colour_of_the_labels() {
    let (width, height, all) = pixels(&bytes(&lab(), "png"));
    assert!(width > 1000 && height > 400, "{width}x{height}");
    let count = |colour: [u8; 3]| all.iter().filter(|&&pixel| pixel == colour).count();
    // The boxes of six switches alone are thousands of pixels each.
    let blue_yellow_red_green =
        [[0x10, 0x55, 0xea], [0xff, 0xc9, 0x07], [0xc6, 0x2f, 0x32], [0x1b, 0x87, 0x57]];
    for colour in blue_yellow_red_green.into_iter().chain([[255; 3], [0x12, 0x13, 0x12]]) {
        assert!(count(colour) > 2000, "{colour:?}: {}", count(colour));
    }
}

/// Every value of an attribute in a text of SVG.
fn numbers(svg: &str, before: &str) -> Vec<f64> {
    svg.split(before)
        .skip(1)
        .map(|rest| rest.split(|c: char| c != '.' && !c.is_ascii_digit()).next().unwrap().parse().unwrap())
        .collect()
}

#[test]
fn the_matrix_in_pixels_has_its_cables_where_they_are() {
    let bundle = ring(300);
    let (width, _, all) = pixels(&bytes(&bundle, "png"));
    // Dots of 7 by 4 pixels; SVG says where. A cable's colour is its switch's, and no cable is white.
    let svg = text(&bundle, "svg");
    let image = &svg[svg.find("<image").unwrap()..];
    let (left, top) = (numbers(image, " x=\"")[0] as usize, numbers(image, " y=\"")[0] as usize);
    assert_eq!((numbers(image, " width=\"")[0], numbers(image, " height=\"")[0]), (2100.0, 1200.0));
    let dot = |pe: usize, switch: usize| all[(top + 4 * switch + 2) * width + left + 7 * pe + 3];
    for switch in 0..300 {
        let next = (switch + 1) % 300;
        let empty = dot((switch + 2) % 300, switch);
        // Rows of which every second one is tinted.
        assert!(empty == [255; 3] || switch % 2 == 1 && empty[0] > 230);
        assert!(switch % 20 == 4 || dot(switch, switch) != empty);
        assert_eq!(dot(switch, switch), dot(next, switch));
    }
}

/// At most as large as two screens, with a name for each switch and for nodes at equal distances.
#[test]
fn a_picture_of_1024_nodes_in_pixels_is_legible() {
    let switches = (0..64u32).map(|switch| (0..48).map(|port| (switch * 48 + port) % 1024).collect());
    let (spec, demand) = sparse(1024, 3, 48, 64, &[(0, 1)]);
    let bundle =
        Bundle::new(Arc::new(spec), "", Arc::new(demand), Arc::new(Design::from_switches(1024, switches)));
    let (width, height, _) = pixels(&bytes(&bundle, "png"));
    assert!((1200..=2500).contains(&width) && (800..=1800).contains(&height), "{width}x{height}");
    // 257 nodes are too many for lines in pixels, and few enough for lines in SVG.
    let picture = |pes| pixels(&bytes(&ring(pes), "png"));
    assert!(picture(256).1 > 4000 && picture(257).1 < 2000);
    assert!(text(&bundle, "svg").contains("<path "));
}

/// Nodes with few NICs beside nodes with many.
#[test]
fn cables_of_unequal_nodes_begin_at_their_patches() {
    let (spec, demand) = sparse(8, 4, 8, 4, &[(0, 1)]);
    let bundle = Bundle::new(
        Arc::new(spec),
        "",
        Arc::new(demand),
        Arc::new(wiring("0: 0 1 2 3 4 5 6 7\n1: 0 7\n2: 0 7\n3: 0 7\n", 8)),
    );
    let svg = text(&bundle, "svg");
    let patches: Vec<f64> = numbers(&svg.replace("stroke-width=\".5\"", ""), "<rect x=\"");
    let ends: Vec<f64> = patches.iter().flat_map(|left| [*left, left + 22.0]).map(f64::round).collect();
    let starts: Vec<f64> = svg
        .split("<path d=\"")
        .skip(1)
        .flat_map(|path| path.split('"').next().unwrap().split('M').skip(1).map(|curve| curve.to_owned()))
        .map(|curve| curve.split(' ').next().unwrap().parse().unwrap())
        .collect();
    assert!(starts.len() >= 14, "{}", starts.len());
    let distinct: BTreeSet<i64> = starts.iter().map(|&x| x as i64).collect();
    // Nodes with one NIC and with four, on either side.
    assert_eq!(distinct.len(), 4, "{distinct:?}");
    assert!(starts.iter().all(|start| ends.contains(start)), "{starts:?} {ends:?}");
}

/// Names of any length stand between the edge and the patches.
#[test]
fn long_names_have_room_in_the_picture() {
    let text_of_spec = SPEC.to_owned() + "[names]\nnodes = \"gpu-of-the-east-wing-{number:03}\"\n";
    let (spec, demand) = spec(&text_of_spec);
    let bundle = Bundle::new(Arc::new(spec), text_of_spec, Arc::new(demand), Arc::new(wiring(TABLE, 8)));
    let svg = text(&bundle, "svg");
    assert!(svg.contains(">gpu-of-the-east-wing-007</text>"), "{svg:.600}");
    let first = numbers(&svg, "\" stroke=\"#30363c\" stroke-width=\".5\"/><text x=\"")[0];
    let patch = numbers(&svg, "<rect x=\"").into_iter().fold(f64::INFINITY, f64::min);
    // 24 letters of half the font size at least.
    assert!(patch > 24.0 + 24.0 * 5.5 && first > patch, "{patch}, {first}");
}
