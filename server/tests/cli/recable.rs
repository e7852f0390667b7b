use crate::program::{folder, run};

const SPEC: &[u8] =
    b"pes = 4\nnis_per_pe = 1\n[[switch]]\nports = 3\ncount = 2\n[[pattern]]\nkind = \"ring\"\n";

#[test]
fn the_cables_to_move_are_listed() {
    let files: [(&str, &[u8]); 3] =
        [("spec.toml", SPEC), ("a.txt", b"0: 0 1 2\n1: 3\n"), ("b.txt", b"0: 0 1\n1: 2 3\n")];
    let folder = folder(&files);
    let ran = run(folder.path(), &["recable", "spec.toml", "a.txt", "b.txt"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.out.contains("1 [ ] node002 NIC0: unplug from sw00 port 3, plug into sw01 port 2\n"),
        "{}",
        ran.out
    );
    let ran = run(folder.path(), &["recable", "spec.toml", "a.txt", "b.txt", "--csv"]);
    assert_eq!(ran.out.lines().nth(1), Some("1,move,node002,0,sw00,3,sw01,2,sw01,"));
    let ran = run(folder.path(), &["recable", "spec.toml", "a.txt", "missing.txt"]);
    assert!(ran.code == 2 && ran.err.contains("missing.txt"), "{}", ran.err);
}

#[test]
fn a_wiring_that_breaks_its_spec_has_no_work_list() {
    let larger = String::from_utf8_lossy(SPEC).replace("pes = 4", "pes = 5");
    let files: [(&str, &[u8]); 5] = [
        ("spec.toml", SPEC),
        ("larger.toml", larger.as_bytes()),
        ("a.txt", b"0: 0 1 2\n1: 3\n"),
        ("full.txt", b"0: 0 1 2 3\n"),
        ("b.txt", b"0: 0 1\n1: 2 3\n"),
    ];
    let folder = folder(&files);
    let ran = run(folder.path(), &["recable", "spec.toml", "a.txt", "full.txt"]);
    assert_eq!((ran.code, &*ran.out), (2, ""));
    assert!(
        ran.err.contains("full.txt does not fit the spec: switch 0 has 4 nodes; 3 of its ports are usable."),
        "{}",
        ran.err
    );
    let ran = run(folder.path(), &["recable", "spec.toml", "a.txt", "b.txt", "--new-spec", "larger.toml"]);
    assert_eq!((ran.code, &*ran.out), (2, ""));
    let told = "--new-spec larger.toml has 5 nodes, and spec.toml has 4 nodes; both need the same nodes\n";
    assert!(ran.err.ends_with(told), "{}", ran.err);
}
