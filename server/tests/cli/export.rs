use crate::program::{SMALL, folder, kasy0, kasy0_wiring, names, program, run};
use std::{ffi::OsString, path::Path};

fn export(folder: &Path, rest: &[&str]) -> crate::program::Ran {
    let mut arguments: Vec<OsString> = vec!["export".into(), kasy0().into(), kasy0_wiring().into()];
    arguments.extend(rest.iter().map(Into::into));
    run(folder, &arguments)
}

#[test]
fn formats_are_listed_without_a_spec() {
    let folder = folder(&[]);
    let ran = run(folder.path(), &["export", "--format", "list"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for name in ["wiring", "spec", "cables", "labels", "hosts", "script"] {
        assert!(ran.out.lines().any(|line| line.starts_with(name)), "{name}: {}", ran.out);
    }
    for format in shared::exports::formats() {
        assert!(ran.out.contains(&format.readers()), "{}: {}", format.name, ran.out);
    }
}

#[test]
fn one_file_goes_to_standard_output_or_where_it_is_told() {
    let folder = folder(&[]);
    let ran = export(folder.path(), &["--format", "wiring"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let to_file = export(folder.path(), &["--format", "wiring", "-o", "out.txt"]);
    assert_eq!((to_file.code, to_file.out.as_str()), (0, ""), "{}", to_file.err);
    assert_eq!(std::fs::read_to_string(folder.path().join("out.txt")).unwrap(), ran.out);
    assert_eq!(ran.out.lines().count(), 17);
}

#[test]
fn files_of_all_pes_go_to_a_folder_or_an_archive() {
    let folder = folder(&[]);
    let ran = export(folder.path(), &["--format", "script", "-o", "scripts"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let scripts = folder.path().join("scripts");
    assert_eq!(std::fs::read_dir(&scripts).unwrap().count(), 128);
    assert_eq!(export(folder.path(), &["--format", "script", "-o", "scripts.tar"]).code, 0);
    let mut archive = tar::Archive::new(std::fs::File::open(folder.path().join("scripts.tar")).unwrap());
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        assert_eq!(entry.header().mode().unwrap(), 0o755);
        let name = entry.path().unwrap().file_name().unwrap().to_owned();
        let mut content = Vec::new();
        std::io::Read::read_to_end(&mut entry, &mut content).unwrap();
        assert!(content == std::fs::read(scripts.join(&name)).unwrap(), "{name:?}");
    }
    assert_eq!(export(folder.path(), &["--format", "script", "-o", "SCRIPTS.TAR"]).code, 0);
    let archive = std::fs::read(folder.path().join("scripts.tar")).unwrap();
    assert!(archive == std::fs::read(folder.path().join("SCRIPTS.TAR")).unwrap());
    let piped = program(folder.path())
        .args(["export", "--format", "script", "-o", "-"])
        .args([kasy0(), kasy0_wiring()])
        .output();
    assert!(archive == piped.unwrap().stdout);
    let one = export(folder.path(), &["--format", "script", "--pe", "7"]);
    assert_eq!(one.out, std::fs::read_to_string(scripts.join("kasy0-script-node007.sh")).unwrap());
}

#[test]
fn a_file_is_that_of_a_number_or_a_name() {
    let spec = "pes = 4\nnis_per_pe = 1\n[names]\nnodes = \"gpu{number+1}\"\nswitches = \"leaf{number+1}\"\n\
        [uplink]\nkind = \"separate\"\n[[switch]]\nports = 3\n[[pattern]]\nkind = \"ring\"\n";
    let folder = folder(&[("spec.toml", spec.as_bytes()), ("wiring.txt", b"0: 0 1\n1: 2 3\n")]);
    let export = |format: &str, node: &str| {
        let ran =
            run(folder.path(), &["export", "spec.toml", "wiring.txt", "--format", format, "--node", node]);
        assert_eq!(ran.code, 0, "{format} {node}: {}", ran.err);
        ran.out
    };
    assert_eq!(export("eos", "leaf2"), export("eos", "1"));
    assert_eq!(export("eos", "Leaf2"), export("eos", "sw1"));
    assert!(export("eos", "uplink").contains("hostname uplink\n"));
    // A name comes before a number.
    assert_eq!(export("rdma-env", "gpu3"), export("rdma-env", "2"));
}

#[test]
fn several_files_need_a_folder() {
    let folder = folder(&[("file.toml", b"")]);
    for format in ["script", "script,labels"] {
        let ran = export(folder.path(), &["--format", format, "-o", "file.toml"]);
        let told = format!("crosspoint: file.toml is a file; {format} is several files: name a folder, or");
        assert!(ran.code == 2 && ran.err.starts_with(&told), "{}", ran.err);
    }
}

#[test]
fn uncovered_pairs_are_warned_of() {
    let folder = folder(&[("spec.toml", SMALL.as_bytes()), ("wiring.txt", b"0: 0 1 2\n1: 3\n")]);
    let ran = run(folder.path(), &["export", "spec.toml", "wiring.txt", "--format", "cables"]);
    let told = "crosspoint: 3 of 6 requested pairs are uncovered; `crosspoint check` lists them\n";
    assert_eq!((ran.code, &*ran.err), (0, told));
    assert!(ran.out.contains("node003"), "{}", ran.out);
}

#[test]
fn what_cannot_be_exported_says_why() {
    let folder = folder(&[]);
    for (rest, told) in [
        (&["--format", "nonsense"][..], "labels"),
        (&["--format", "hosts"], "--node N"),
        (&["--format", "hosts", "--pe", "128"], "127"),
        (
            &["--format", "hosts", "--node", "sw03"],
            "sw03 is no node; give the name of one, or a number from 0 to 127",
        ),
        (
            &["--format", "eos", "--node", "node3"],
            "node3 is no switch; give the name of one, or a number from 0 to 16",
        ),
        (
            &["--format", "labels", "--pe", "3"],
            "`labels` is a single file for the whole network; leave out the node or switch",
        ),
        (&["--format", "labels,cables", "--pe", "3", "-o", "x"], "is a single file for the whole network"),
        (
            &["--format", "script", "--with", "failed=sw99", "-o", "x"],
            "--with failed=sw99: there is no switch 99; ",
        ),
        (
            &["--format", "cables,script", "--with", "failed=sw99", "-o", "x"],
            "--with failed=sw99: there is no switch 99",
        ),
        (&["--format", "labels", "--with", "sheet=a5", "-o", "x"], "--with sheet: "),
        (
            &["--format", "wiring", "-o", "missing/out.txt"],
            "crosspoint: missing/out.txt cannot be written: No such file or directory\n",
        ),
        (&["--format", "hosts", "--pe", "-3"], "no node \"-3\"; give a name, or a number from 0 to 127"),
        (&["--format", "wiring", "-o", "."], "is a folder"),
        (&["--format", "script", "-o", "x.tar.gz"], "ends in .tar"),
        (&["--format", "script", "-o", "x.TGZ"], "ends in .tar"),
        (&["--format", "script", "-o", "x.zip"], "ends in .tar"),
    ] {
        let ran = export(folder.path(), rest);
        assert_eq!(ran.code, 2, "{rest:?}");
        assert!(ran.err.contains(told), "{rest:?}: {}", ran.err);
        assert_eq!(names(folder.path()), [""; 0], "{rest:?}");
        assert_eq!(ran.err.matches("there is no").count(), usize::from(ran.err.contains("there is no")));
        assert!(!ran.err.contains("files written"), "{}", ran.err);
    }
    assert_eq!(run(folder.path(), &["export", "--format", "wiring"]).code, 2);
    assert_eq!(run(folder.path(), &["export", "--format", "spec"]).code, 2);
}

#[test]
fn every_setting_at_fault_is_named() {
    let folder = folder(&[]);
    let with = ["sheet=a5", "colour", "diameter=x"];
    for format in ["labels", "labels,labels-pdf,hosts"] {
        let flags = ["--format", format, "-o", "x", "--with", "of=cable"];
        let flags = flags.into_iter().chain(with.iter().flat_map(|with| ["--with", with]));
        let ran = export(folder.path(), &flags.collect::<Vec<_>>());
        assert_eq!((ran.code, ran.err.lines().count()), (2, with.len()), "{}", ran.err);
        for with in with {
            let name = with.split('=').next().unwrap();
            assert_eq!(ran.err.matches(&format!("--with {name}: ")).count(), 1, "{}", ran.err);
        }
    }
    let ran = export(folder.path(), &["--format", "wiring", "--with", "a=1", "--with", "b=2"]);
    let told = "crosspoint: --with a: wiring has no settings.\n--with b: wiring has no settings.\n";
    assert_eq!((ran.code, ran.err.as_str()), (2, told));
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn failed_parts_are_in_files_and_their_names_only_if_they_are_asked_for() {
    let folder = folder(&[]);
    let scripts = |with: &[&str], place: &str| {
        let ran = export(folder.path(), &[&["--format", "script", "-o", place], with].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        names(&folder.path().join(place))
    };
    for (number, word) in ["sw3,node5", "sw03 node005"].into_iter().enumerate() {
        let place = format!("failed{number}");
        let files = scripts(&["--with", &format!("failed={word}")], &place);
        assert_eq!((files.len(), files[0].as_str()), (128, "kasy0-failed-sw03-node005-script-node000.sh"));
        let text = std::fs::read_to_string(folder.path().join(place).join(&files[0])).unwrap();
        assert!(text.contains("\n# Failed, routed around: sw03 node005.\n"), "{text}");
    }
    let files = scripts(&[], "intact");
    assert_eq!(files[0], "kasy0-script-node000.sh");
    let text = std::fs::read_to_string(folder.path().join("intact").join(&files[0])).unwrap();
    assert!(!text.to_lowercase().contains("failed, routed"), "{text}");
    // Files that routes don't change keep their names.
    let both = ["--format", "cables,routes", "--with", "failed=sw3", "-o", "both"];
    assert_eq!(export(folder.path(), &both).code, 0);
    assert_eq!(names(&folder.path().join("both")), ["kasy0-cables.csv", "kasy0-failed-sw03-routes.csv"]);
}

#[test]
fn a_spec_is_exported_without_a_wiring() {
    let folder = folder(&[]);
    let alone = run(folder.path(), &["export".into(), kasy0(), "--format".into(), "spec".into()]);
    assert_eq!(alone.code, 0, "{}", alone.err);
    assert_eq!(alone.out, export(folder.path(), &["--format", "spec"]).out);
    let ran = run(folder.path(), &["export".into(), kasy0(), "--format".into(), "cables".into()]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("SPEC WIRING --format cables"), "{}", ran.err);
}

#[cfg(unix)]
#[test]
fn what_is_cut_short_leaves_the_file_as_it_was() {
    use crate::program::run_on_full_disk;
    let folder = folder(&[("old.csv", b"old")]);
    let arguments = |format: &str, place: &str| -> Vec<OsString> {
        let rest = ["--format", format, "-o", place].map(Into::into);
        ["export".into(), kasy0().into(), kasy0_wiring().into()].into_iter().chain(rest).collect()
    };
    for (format, place) in [("cables", "old.csv"), ("cables", "new.csv"), ("script", "new.tar")] {
        let ran = run_on_full_disk(folder.path(), &arguments(format, place));
        assert_eq!(ran.code, 2);
        assert!(ran.err.contains(&format!("{place} cannot be written: ")), "{}", ran.err);
        assert!(
            ran.err.contains(" cannot be written: File too large") && !ran.err.contains("os error"),
            "{}",
            ran.err
        );
    }
    assert_eq!(names(folder.path()), ["old.csv"]);
    assert_eq!(std::fs::read(folder.path().join("old.csv")).unwrap(), b"old");
    let ran = run_on_full_disk(folder.path(), &arguments("script", "scripts"));
    assert!(
        ran.err.contains("crosspoint: scripts/kasy0-script-node000.sh cannot be written: "),
        "{}",
        ran.err
    );
    assert_eq!(names(&folder.path().join("scripts")), [""; 0]);
}

#[test]
fn what_cannot_be_made_at_all_leaves_no_folder() {
    let folder = folder(&[]);
    let ran =
        export(folder.path(), &["--format", "script", "--with", "network=10.0.0.0/24", "-o", "scripts"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("--with network=10.0.0.0/24: 17 switches"), "{}", ran.err);
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn what_breaks_the_spec_is_described_but_not_built() {
    let spec = SMALL.replace("ports = 4", "ports = 4\ncount = 1");
    let folder = folder(&[("spec.toml", spec.as_bytes()), ("over.txt", b"0: 0 1 2 3\n1: 0 1 2\n")]);
    let export = |format: &str| {
        run(folder.path(), &["export", "spec.toml", "over.txt", "--format", format, "-o", "out"])
    };
    for format in ["cables", "labels-pdf", "hosts", "sonic", "netbox-api", "json"] {
        let ran = export(format);
        let told = format!("{format} needs a wiring that fits the spec: 2 switches; the spec allows 1");
        assert!(ran.code == 2 && ran.err.contains(&told), "{}", ran.err);
        assert!(ran.err.contains("(and 3 more); change the spec or the wiring\n"), "{}", ran.err);
        assert!(!folder.path().join("out").exists());
    }
    for format in ["wiring", "spec", "report", "svg", "graphml"] {
        let ran = export(format);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{format}");
    }
}

#[cfg(unix)]
#[test]
fn a_file_keeps_its_permissions_and_a_link_its_target() {
    use std::{fs, os::unix::fs::PermissionsExt};
    let folder = folder(&[("real.txt", b"old")]);
    let (real, link) = (folder.path().join("real.txt"), folder.path().join("link.txt"));
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("real.txt", &link).unwrap();
    assert_eq!(export(folder.path(), &["--format", "wiring", "-o", "link.txt"]).code, 0);
    assert!(link.is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap().lines().count(), 17);
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    for device in ["/dev/null", "/dev/stdout"] {
        assert_eq!(export(folder.path(), &["--format", "wiring", "-o", device]).code, 0, "{device}");
    }
}

/// Every file below a folder by its path, ascending.
fn tree(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut left = vec![folder.to_owned()];
    while let Some(next) = left.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                left.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().display().to_string();
                found.push((name, std::fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// Contents of an archive, without its top folder.
fn unpacked(archive: &Path, folder: &str) -> Vec<(String, Vec<u8>)> {
    let mut archive = tar::Archive::new(std::fs::File::open(archive).unwrap());
    let mut found = Vec::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().strip_prefix(folder).unwrap().display().to_string();
        let mut content = Vec::new();
        std::io::Read::read_to_end(&mut entry, &mut content).unwrap();
        found.push((name, content));
    }
    found.sort();
    found
}

#[test]
fn formats_of_several_files_go_to_folders_and_archives_alike() {
    let folder = folder(&[]);
    for (format, pe, inside) in [
        ("networkd", None, "kasy0-networkd"),
        ("networkd", Some("7"), "kasy0-networkd-node007"),
        ("ansible", None, "kasy0-ansible"),
    ] {
        let (to, archive) = (folder.path().join(inside), folder.path().join("out.tar"));
        let pe = pe.map_or(vec![], |pe| vec!["--pe", pe]);
        for path in [&to, &archive] {
            let path = path.to_str().unwrap();
            let ran = export(folder.path(), &[&["--format", format, "-o", path], &pe[..]].concat());
            assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
        }
        let files = tree(&to);
        assert!(files.len() >= 3 && files == unpacked(&archive, inside), "{inside}");
    }
    let all = tree(&folder.path().join("kasy0-networkd"));
    let of_pe: Vec<_> =
        all.iter().filter_map(|(name, content)| Some((name.strip_prefix("node007/")?, content))).collect();
    let alone = tree(&folder.path().join("kasy0-networkd-node007"));
    assert!(of_pe.into_iter().eq(alone.iter().map(|(name, content)| (name.as_str(), content))));
    let ran = export(folder.path(), &["--format", "ansible"]);
    assert!(ran.code == 2 && ran.err.contains("several files: name a folder or .tar archive"), "{}", ran.err);
    let ran = export(folder.path(), &["--format", "networkd", "--pe", "7"]);
    assert!(ran.code == 2 && ran.err.contains("several files: name a folder or .tar archive"), "{}", ran.err);
}

#[test]
fn a_setting_may_be_read_from_a_file() {
    let folder =
        folder(&[("macs.txt", "node7.nic0=00:1b:21:3c:4d:5e\nnode7.ni1=00:1b:21:3c:4d:5f\n".as_bytes())]);
    let rest = [
        "--format",
        "networkd",
        "--pe",
        "7",
        "-o",
        "out",
        "--with",
        "interface=ni",
        "--with",
        "macs=@macs.txt",
    ];
    let ran = export(folder.path(), &rest);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let link = folder.path().join("out/etc/systemd/network/10-crosspoint-ni1.link");
    let link = std::fs::read_to_string(link).unwrap();
    assert!(link.contains("PermanentMACAddress=00:1b:21:3c:4d:5f\n"), "{link}");
    for (choice, told) in [("macs=@missing.txt", "missing.txt cannot be read"), ("macs=@.", "it is a folder")]
    {
        let ran = export(folder.path(), &["--format", "networkd", "-o", "other", "--with", choice]);
        assert!(ran.code == 2 && ran.err.contains(told), "{choice}: {}", ran.err);
    }
}

#[test]
fn addresses_of_the_site_are_refused_with_what_is_free() {
    let folder = folder(&[]);
    let rest = ["--format", "multipath", "--pe", "7", "--with", "avoid=10.0.0.0/8"];
    let ran = export(folder.path(), &rest);
    assert!(ran.code == 2 && ran.out.is_empty(), "{}", ran.out);
    let told = "and no address is free outside 10.0.0.0/8; use network=172.16.0.0/12 or";
    assert!(ran.err.contains(told), "{}", ran.err);
    let ran = export(folder.path(), &[&rest[..], &["--with", "network=192.168.0.0/16"]].concat());
    assert!(ran.code == 0 && ran.out.contains("\nADDRESS=192.168.0.8\n"), "{}{}", ran.out, ran.err);
}

#[test]
fn labels_and_pictures_take_further_fonts() {
    let font = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/tests/fonts/east-asian.otf");
    let spec = SMALL.replace("Small", "東京");
    let folder = folder(&[("spec.toml", spec.as_bytes()), ("wiring.txt", b"0: 0 1 2 3\n")]);
    let labels =
        ["export", "spec.toml", "wiring.txt", "--format", "labels-pdf", "-o", "labels.pdf", "--font"];
    let ran = run(folder.path(), &[&labels[..], &["spec.toml"]].concat());
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("spec.toml is not a TrueType or OpenType font"), "{}", ran.err);
    let ran = run(folder.path(), &[&labels[..7]].concat());
    let warning = "crosspoint: 2 characters have no font and are printed as codes; --font FILE adds one\n";
    assert_eq!((ran.code, ran.err.as_str()), (0, warning));
    let ran = run(folder.path(), &[&labels[..], &[font.to_str().unwrap()]].concat());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let file = std::fs::read(folder.path().join("labels.pdf")).unwrap();
    assert!(String::from_utf8_lossy(&file).contains("+CrosspointTest"));
    let picture = ["export", "spec.toml", "wiring.txt", "--format", "png", "-o", "picture.png"];
    let ran = run(folder.path(), &picture);
    assert_eq!((ran.code, ran.err.as_str()), (0, warning));
    let codes = std::fs::read(folder.path().join("picture.png")).unwrap();
    let ran = run(folder.path(), &[&picture[..], &["--font", font.to_str().unwrap()]].concat());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(std::fs::read(folder.path().join("picture.png")).unwrap() != codes);
}
