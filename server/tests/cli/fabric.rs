use crate::program::{folder, program, run};
use std::{
    io::{BufRead, BufReader},
    process::Stdio,
};

fn fabric(folder: &std::path::Path, rest: &[&str]) -> crate::program::Ran {
    run(folder, &[&["fabric"], rest].concat())
}

#[test]
fn kinds_and_their_formats_are_listed() {
    let folder = folder(&[]);
    let kinds = fabric(folder.path(), &["list"]);
    assert_eq!(kinds.code, 0, "{}", kinds.err);
    for line in ["pmesh:SIDES[,ROWS PER SWITCH]", "mesh:SIDES[,HOSTS PER SWITCH]", "hub:HOSTS", "file:PATH"] {
        assert!(kinds.out.lines().any(|own| own == line), "{line}: {}", kinds.out);
    }
    let formats = fabric(folder.path(), &["mesh:4x4", "--format", "list"]);
    assert_eq!(formats.code, 0, "{}", formats.err);
    for name in ["script", "bridge", "ios", "method", "first-vlan"] {
        assert!(formats.out.lines().any(|line| line.starts_with(name)), "{name}: {}", formats.out);
    }
    assert!(!formats.out.contains("room"), "a mesh has no such setting: {}", formats.out);
}

#[test]
fn files_go_to_a_folder_an_archive_or_standard_output() {
    let folder = folder(&[]);
    let ran = fabric(folder.path(), &["torus:3x3,2", "--format", "script", "-o", "scripts"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
    let scripts = folder.path().join("scripts");
    assert_eq!(std::fs::read_dir(&scripts).unwrap().count(), 18);
    assert_eq!(fabric(folder.path(), &["torus:3x3,2", "--format", "script", "-o", "scripts.tar"]).code, 0);
    let mut archive = tar::Archive::new(std::fs::File::open(folder.path().join("scripts.tar")).unwrap());
    let mut files = 0;
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().file_name().unwrap().to_owned();
        let mut content = Vec::new();
        std::io::Read::read_to_end(&mut entry, &mut content).unwrap();
        assert!(content == std::fs::read(scripts.join(&name)).unwrap(), "{name:?}");
        files += 1;
    }
    assert_eq!(files, 18);
    let one = fabric(folder.path(), &["torus:3x3,2", "--format", "script", "--node", "17"]);
    assert_eq!(one.out, std::fs::read_to_string(scripts.join("torus-3x3-2-script-node017.sh")).unwrap());
    let table = fabric(folder.path(), &["pmesh:4x4", "--format", "routes"]);
    assert_eq!(table.out.lines().count(), 1 + 16 * 8, "{}", table.err);
}

#[test]
fn all_formats_go_to_one_folder_with_a_list_of_those_left_out() {
    let folder = folder(&[]);
    let ran = fabric(folder.path(), &["rail:2x8", "--format", "all", "-o", "rail"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let found = std::fs::read_dir(folder.path().join("rail")).unwrap();
    let mut names: Vec<_> = found.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["LEFT-OUT.txt", "rail-2x8-links.txt", "rail-2x8.graphml"]);
    let left_out = std::fs::read_to_string(folder.path().join("rail/LEFT-OUT.txt")).unwrap();
    assert!(left_out.contains("astra-sim: in rail:2x8, hosts") && ran.err.contains("left out: simai"));
    let ran = fabric(folder.path(), &["mesh:4x4", "--format", "all", "-o", "mesh.tar"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
}

#[test]
fn bad_input_is_told_with_what_would_do() {
    let folder = folder(&[]);
    for (words, told) in [
        (&["mash:4x4", "--format", "list"][..], "Did you mean `mesh:SIDES"),
        (&["mesh:4x1", "--format", "list"], "sides of at least 2"),
        (&["mesh:4x4"], "--format list lists the formats"),
        (&["hub:8", "--format", "script"], "there is no format \"script\". Formats are `links`, `graphml`"),
        (&["file:none.txt", "--format", "links"], "none.txt cannot be read: "),
        (&["mesh:4x4", "--format", "script"], "one file per node"),
        (&["mesh:4x4", "--format", "script", "--node", "16"], "there is no node 16; nodes are 0 to 15"),
        (
            &["mesh:4x4", "--format", "vlans", "--node", "1"],
            "`vlans` is a single file for the whole network; leave out the node or switch",
        ),
        (&["torus:8x8", "--format", "vlans", "--with", "most-vlans=9"], "8x8 by dor needs 16 VLANs"),
        (&["pmesh:4x4,9", "--format", "cables"], "1 to 4 rows per switch in dimension 0, not 9"),
    ] {
        let ran = fabric(folder.path(), words);
        assert_eq!(ran.code, 2, "{words:?}: {}", ran.out);
        assert!(ran.err.contains(told), "{words:?}: {}", ran.err);
    }
}

/// A table of 131,072 hosts is far more than a pipe holds.
#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let folder = folder(&[]);
    let mut command = program(folder.path());
    command.args(["fabric", "mesh:4x4,8192", "--format", "paths"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert_eq!(first, "from,to,vlan,switches\n");
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]));
}

/// Every format that fits is there, as it is alone; the others are listed with the reason.
#[test]
fn all_formats_go_to_one_archive() {
    let folder = folder(&[]);
    let ran = fabric(folder.path(), &["mesh:3x3", "--format", "all", "--with", "first-vlan=1", "-o", "all"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let all = folder.path().join("all");
    let left_out = std::fs::read_to_string(all.join("LEFT-OUT.txt")).unwrap();
    assert!(left_out.starts_with("ios: ") && left_out.contains("VLAN 1"), "{left_out}");
    assert_eq!(std::fs::read_dir(all.join("mesh-3x3-bridge")).unwrap().count(), 9);
    let alone = fabric(folder.path(), &["mesh:3x3", "--format", "vlans", "--with", "first-vlan=1"]);
    assert_eq!(std::fs::read_to_string(all.join("mesh-3x3-vlans.csv")).unwrap(), alone.out);
    let some =
        fabric(folder.path(), &["pmesh:3x3", "--format", "script,cables", "--node", "4", "-o", "some.tar"]);
    assert_eq!(some.code, 0, "{}", some.err);
    let mut archive = tar::Archive::new(std::fs::File::open(folder.path().join("some.tar")).unwrap());
    let names: Vec<_> = archive
        .entries()
        .unwrap()
        .map(|entry| entry.unwrap().path().unwrap().display().to_string())
        .collect();
    assert_eq!(names, ["pmesh-3x3/pmesh-3x3-script-node004.sh", "pmesh-3x3/pmesh-3x3-cables.csv"]);
}

/// The links of a network are read back, whatever the format.
#[test]
fn a_network_goes_through_a_file() {
    let folder = folder(&[("own.csv", b"source,target\na,s\nb,s\n"), ("bad.txt", b"a s\nb s fast\n")]);
    let written = fabric(folder.path(), &["dragonfly:4,2", "--format", "links", "-o", "net.txt"]);
    assert_eq!(written.code, 0, "{}", written.err);
    let again = fabric(folder.path(), &["file:net.txt", "--format", "graphml", "-o", "net.graphml"]);
    assert_eq!(again.code, 0, "{}", again.err);
    let links = |file: &str| {
        let ran = fabric(folder.path(), &[file, "--format", "links"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.out.split_once('\n').unwrap().1.to_owned()
    };
    let text = std::fs::read_to_string(folder.path().join("net.txt")).unwrap();
    assert!(text.starts_with("# dragonfly:4,2: 72 hosts, 36 switches, "), "{text}");
    assert_eq!(links("file:net.txt"), text.split_once('\n').unwrap().1);
    assert_eq!(links("file:net.graphml"), links("file:net.txt"));
    assert_eq!(links("file:own.csv"), "host node000 node001\nswitch sw00\nnode000 sw00\nnode001 sw00\n");
    let bad = fabric(folder.path(), &["file:bad.txt", "--format", "links"]);
    assert!(bad.code == 2 && bad.err.contains("bad.txt line 2: must be a speed in Gb/s"), "{}", bad.err);
    let simulate = ["simulate", "--fabric", "file:net.txt", "--traffic", "uniform", "--load", "0.1"];
    let ran = run(folder.path(), &[&simulate[..], &["--cycles", "12000"]].concat());
    assert!(ran.code == 0 && ran.out.contains("file:net.txt"), "{}{}", ran.out, ran.err);
    let both = run(folder.path(), &["simulate", "--fabric", "file:bad.txt", "--traffic", "rumour"]);
    assert!(
        both.err.contains("bad.txt line 2") && both.err.contains("traffic: must be one of"),
        "{}",
        both.err
    );
}
