use crate::program::{SMALL, folder, kasy0, kasy0_wiring, run};
use shared::compare::Comparison;

#[test]
fn a_wiring_stands_beside_other_networks() {
    let folder = folder(&[]);
    let ran = run(folder.path(), &["compare".into(), kasy0(), kasy0_wiring()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("128 hosts, 1,536 requested pairs; prices: "), "{}", ran.out);
    for name in ["This design", "full:128", "host-torus:16x8", "pmesh:16x8"] {
        assert!(ran.out.lines().any(|line| line.starts_with(name)), "{name}: {}", ran.out);
    }
    assert!(
        ran.out.contains("Not available for 128 hosts; accepted numbers of hosts:\n")
            && ran.out.contains("  Myrinet cluster: 16 or 18 only\n"),
        "{}",
        ran.out
    );
    let ran = run(folder.path(), &["compare".into(), kasy0(), kasy0_wiring(), "--json".into()]);
    let found: Comparison = serde_json::from_str(&ran.out).unwrap();
    let own = found.rows[0].figures.as_ref().unwrap();
    assert_eq!((own.hosts, own.switches, own.cables), (128, 17, 384));
    assert_eq!(own.demand.unwrap().single_switch, Some(1.0));
    assert_eq!(own.demand.unwrap().latency, Some(180.0));
    assert!(own.bisection.exact, "{:?}", own.bisection);
}

#[test]
fn prices_are_the_specs_a_preset_or_a_file() {
    let market = b"speed = 100\nni = 1\nport = 2\nports = 48\nbackplane = 0.5\n";
    let good = b"name = 'Ours'\nspeed = 100\nni = 1\nport = 2\nports = 48\n";
    let files =
        [("spec.toml", SMALL.as_bytes()), ("bad.toml", market.as_slice()), ("good.toml", good.as_slice())];
    let folder = folder(&files);
    let compare = |more: &[&str]| run(folder.path(), &[&["compare", "spec.toml"], more].concat());
    let listed = compare(&["--prices", "list"]);
    assert!(
        listed.out.contains("1998  Fast Ethernet, Spring 1998: Nitzberg et al. 1999, table 1"),
        "{}",
        listed.out
    );
    assert!(compare(&[]).out.contains("prices: 400G RDMA (assumed prices)"));
    assert!(compare(&["--prices", "spec"]).out.contains("prices: The spec's own hardware"));
    let ours = compare(&["--prices", "good.toml", "--fabric", "switch:4"]);
    assert_eq!(ours.code, 0, "{}", ours.err);
    let line = ours.out.lines().find(|line| line.starts_with("switch:4")).unwrap();
    assert!(line.contains("12+"), "4 NIs and 4 ports; cables have no price: {line}");
    let bad = compare(&["--prices", "bad.toml"]);
    assert_eq!(bad.code, 2);
    assert!(
        bad.err.contains("bad.toml") && bad.err.contains("\nbackplane: must be a whole number"),
        "{}",
        bad.err
    );
    let none = compare(&["--prices", "2g"]);
    assert!(
        none.code == 2
            && none
                .err
                .contains("give spec, 1g, 10g, 25g, 100g, 200g, 400g, 800g, 1998, 1999 or a TOML file"),
        "{}",
        none.err
    );
    let kind = compare(&["--fabric", "ring:4"]);
    assert!(kind.code == 2 && kind.err.contains("--fabric: Unknown network `ring:4`"), "{}", kind.err);
    assert!(kind.err.ends_with("`planes`, `file:PATH`.\n"), "{}", kind.err);
    let kinds = compare(&["--fabric", "ring:4", "--fabric", "hub:4", "--fabric", "mesh:1x3"]);
    assert!(
        kinds.err.contains("`ring:4`") && kinds.err.contains("--fabric: `mesh:1x3`: write "),
        "{}",
        kinds.err
    );
    // Names of markets need no spec; anything else does.
    let listed = run(folder.path(), &["compare", "--prices", "list"]);
    assert!(listed.code == 0 && listed.out.contains("1998  Fast Ethernet"), "{}{}", listed.out, listed.err);
    let missing = run(folder.path(), &["compare", "--prices", "1998"]);
    assert!(missing.code == 2 && missing.err.contains("SPEC is missing"), "{}", missing.err);
    assert_eq!(run(folder.path(), &["compare"]).code, 2);
}

#[test]
fn what_figures_rest_on_is_said() {
    let old_spec = format!("market = '1998'\n{SMALL}");
    let folder = folder(&[("spec.toml", SMALL.as_bytes()), ("old.toml", old_spec.as_bytes())]);
    let compare = |more: &[&str]| run(folder.path(), &[&["compare", "spec.toml"], more].concat()).out;
    let own = compare(&["--prices", "spec"]);
    assert!(own.contains("Links 400,000 Mb/s, trunks 400,000 Mb/s."), "{own}");
    let of_old = |more: &[&str]| run(folder.path(), &[&["compare", "old.toml"], more].concat()).out;
    let speeds = "Links 100 Mb/s, trunks 100 Mb/s. Direct connection: 175 µs, 8.5 MB/s.";
    let own_old = of_old(&["--prices", "spec"]);
    assert!(own_old.contains(speeds), "{own_old}");
    assert!(of_old(&[]).contains("prices: Fast Ethernet, Spring 1998\n"), "{}", of_old(&[]));
    assert!(
        of_old(&["--prices", "100g"]).contains("Links 100,000 Mb/s"),
        "{}",
        of_old(&["--prices", "100g"])
    );
    assert!(own.contains("Speeds and times are those of the spec's `market`"), "{own}");
    let old = compare(&["--prices", "1998", "--fabric", "tree:768,24,2"]);
    assert!(old.contains("Total rate of a switch without trunks: 1,200 Mb/s."), "{old}");
    assert!(!old.contains("Speeds and times are"), "{old}");
    // What all lack is said once.
    assert!(old.contains("  every network: cables\n") && old.matches(": cables").count() == 1, "{old}");
    assert!(old.contains("  tree:768,24,2: 768 hosts instead of 4\n"), "{old}");
    let help = run(folder.path(), &["compare", "--help"]).out;
    assert!(
        help.contains("Link failures survived (through other hosts): Number of links that may fail at once"),
        "{help}"
    );
}

#[test]
fn pairs_without_a_path_are_counted() {
    let spec = "pes = 4\nnis_per_pe = 1\n[[switch]]\nports = 4\ncount = 2\n[[pattern]]\nkind = 'ring'\n";
    let folder = folder(&[("spec.toml", spec.as_bytes()), ("design.txt", b"0: 0 1\n1: 2 3\n".as_slice())]);
    let ran = run(folder.path(), &["compare", "spec.toml", "design.txt"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let line = ran.out.lines().filter(|line| line.starts_with("This design")).nth(1).unwrap();
    // Two of the ring's four pairs share a switch; the others are on switches that nothing joins.
    let cells: Vec<_> = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    assert_eq!(cells[cells.len() - 2..], ["50.0", "2"], "{line}");
}

#[test]
fn table_3_of_the_p_mesh_paper_is_printed_by_the_command_of_the_help() {
    let spec = "pes = 16\nnis_per_pe = 4\nobjective = 'universal'\n[[switch]]\nports = 8\n";
    let folder = folder(&[("spec.toml", spec.as_bytes())]);
    let asked = ["direct", "hub:16", "switch:16", "tree:768,24,2", "pmesh:4x4,4"];
    let asked = asked.map(|fabric| ["--fabric", fabric]).concat();
    let ran = run(folder.path(), &[&["compare", "spec.toml", "--prices", "1998"], &asked[..]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    // Of each network: dollars a host, latency, bandwidth, bisection bandwidth a host.
    let rows = [
        ("direct", "30+", "175", "8.5", "12.5"),
        ("hub:16", "80+", "175", "8.5", "1.6"),
        ("switch:16", "180+", "180", "8", "9.4"),
        ("host-torus:4x4", "120+", "175 – 295", "8.5 – 4", "12.5"),
        ("tree:768,24,2", "597+", "180 – 190", "8 – 7", "10.4"),
        ("pmesh:4x4,4", "360+", "180 – 225", "8 – 6", "9.4"),
    ];
    for (name, price, latency, bandwidth, bisection) in rows {
        let lines: Vec<_> = ran.out.lines().filter(|line| line.split("  ").next() == Some(name)).collect();
        let cells = |line: &str| line.split("  ").map(|cell| cell.trim().to_string()).collect::<Vec<_>>();
        let [parts, speeds, cuts] = [0, 1, 2].map(|table| cells(lines[table]));
        assert!(parts.contains(&price.to_string()), "{name}: {parts:?}");
        assert!(
            [latency, bandwidth].iter().all(|cell| speeds.contains(&cell.to_string())),
            "{name}: {speeds:?}"
        );
        assert!(cuts.contains(&bisection.to_string()), "{name}: {cuts:?}");
    }
}

#[test]
fn a_network_from_a_file_stands_beside_its_kind() {
    let star = b"a s\nb s\nc s\nd s\n";
    let files =
        [("spec.toml", SMALL.as_bytes()), ("star.txt", star.as_slice()), ("pair.txt", b"a s 100\nb s\n")];
    let folder = folder(&files);
    let compare = |more: &[&str]| run(folder.path(), &[&["compare", "spec.toml"], more].concat());
    let ran = compare(&["--fabric", "file:star.txt", "--fabric", "switch:4", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let found: Comparison = serde_json::from_str(&ran.out).unwrap();
    let row = |text: &str| found.rows.iter().find(|row| row.text == text).unwrap();
    let (file, switch) = (row("file:star.txt"), row("switch:4"));
    assert_eq!((&file.unlike, &switch.unlike), (&None, &None));
    let [file, switch] = [file, switch].map(|row| row.figures.as_ref().unwrap());
    assert!(file.bill.total.is_some() && file.bill == switch.bill);
    assert_eq!((file.demand, file.survival), (switch.demand, switch.survival));
    assert_eq!(file.bisection.bandwidth, switch.bisection.bandwidth);
    let ran = compare(&["--fabric", "file:pair.txt"]);
    assert!(ran.out.contains("  file:pair.txt: 2 hosts instead of 4\n"), "{}{}", ran.out, ran.err);
    let none = compare(&["--fabric", "file:none.txt", "--fabric", "ring:4"]);
    assert!(
        none.err.contains("--fabric: none.txt cannot be read: ")
            && none.err.contains("--fabric: Unknown network `ring:4`. The networks are `direct`, "),
        "{}",
        none.err
    );
}
