//! Files of several formats at once.

use crate::program::{Ran, SMALL, folder, kasy0, kasy0_wiring, run};
use std::{collections::BTreeMap, ffi::OsString, io::Read, path::Path};

fn export(folder: &Path, rest: &[&str]) -> Ran {
    let mut arguments: Vec<OsString> = vec!["export".into(), kasy0().into(), kasy0_wiring().into()];
    arguments.extend(rest.iter().map(Into::into));
    run(folder, &arguments)
}

/// Contents of an archive, by path.
fn unpacked(archive: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut archive = tar::Archive::new(std::fs::File::open(archive).unwrap());
    let mut found = BTreeMap::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = entry.path().unwrap().display().to_string();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        assert!(found.insert(path.clone(), content).is_none(), "{path} is there twice");
    }
    found
}

#[test]
fn all_formats_are_in_one_archive_each_as_it_is_alone() {
    let folder = folder(&[]);
    let ran = export(folder.path(), &["--format", "all", "--pe", "7", "-o", "all.tar"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""));
    assert!(ran.err.contains("netbox-racks: the spec has no racks"), "{}", ran.err);
    let found = unpacked(&folder.path().join("all.tar"));
    let left_out = String::from_utf8(found["kasy0/LEFT-OUT.txt"].clone()).unwrap();
    let of_jobs = shared::exports::formats()
        .filter(|format| format.needs == Some(shared::exports::Need::Job))
        .map(|format| format.name);
    let of_switches =
        shared::exports::formats().filter(|format| format.each == shared::exports::FileScope::Switch);
    for format in of_switches.clone() {
        let told = format!("{} is one file per switch; choose a switch, not a node", format.name);
        assert!(left_out.contains(&told), "{left_out}");
    }
    let others = of_jobs.clone().count() + of_switches.count();
    assert_eq!(left_out.lines().count(), 3 + others, "{left_out}");
    for name in ["netbox-prefixes", "netbox-addresses"] {
        assert!(left_out.contains(&format!("{name} has no addresses without settings")), "{left_out}");
    }
    for name in of_jobs {
        assert!(left_out.contains(&format!("{name} needs a training job")), "{left_out}");
    }
    for (format, pe, path) in [
        ("cables", &[][..], "kasy0-cables.csv"),
        ("labels-pdf", &[], "kasy0-labels-pdf.pdf"),
        ("script", &["--pe", "7"], "kasy0-script-node007.sh"),
    ] {
        let alone = export(folder.path(), &[&["--format", format, "-o", "alone"], pe].concat());
        assert_eq!(alone.code, 0, "{}", alone.err);
        assert!(
            std::fs::read(folder.path().join("alone")).unwrap() == found[&format!("kasy0/{path}")],
            "{path}"
        );
    }
    assert!(found.keys().any(|path| path.starts_with("kasy0/kasy0-networkd-node007/etc/")));
    let shared = shared::exports::formats().count();
    assert!(found.len() >= shared, "{} files of {shared} formats", found.len());
}

#[test]
fn chosen_formats_take_the_settings_that_each_heeds_in_folders_and_archives_alike() {
    let folder = folder(&[]);
    let chosen = ["--format", "spec,routes,hosts", "--with", "dead=sw3", "-o"];
    for place in ["out", "out.tar"] {
        let ran = export(folder.path(), &[&chosen[..], &[place]].concat());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    }
    let found = unpacked(&folder.path().join("out.tar"));
    assert_eq!(found.len(), 2 + 128);
    for (path, content) in &found {
        let file = folder.path().join("out").join(path.strip_prefix("kasy0-failed-sw03/").unwrap());
        assert!(std::fs::read(file).unwrap() == *content, "{path}");
    }
    let routes = "kasy0-failed-sw03/kasy0-failed-sw03-routes.csv";
    let routes = String::from_utf8(found[routes].clone()).unwrap();
    assert!(routes.lines().skip(1).all(|line| line.split(',').nth(4) != Some("3")));
    let whole = export(folder.path(), &["--format", "routes"]);
    assert!(whole.out.lines().skip(1).any(|line| line.split(',').nth(4) == Some("3")));
}

#[test]
fn what_of_all_cannot_be_made_is_told_and_what_was_named_must_be_there() {
    let folder = folder(&[]);
    let site = ["--with", "avoid=10.0.0.0/8", "-o", "out"];
    let ran = export(folder.path(), &[&["--format", "all", "--pe", "0"], &site[..]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let told = std::fs::read_to_string(folder.path().join("out/LEFT-OUT.txt")).unwrap();
    for text in [&told, &ran.err] {
        assert!(text.contains("multipath: ") && text.contains("10.0.0.0/8"), "{text}");
    }
    assert!(folder.path().join("out/kasy0-cables.csv").exists());
    let ran = export(folder.path(), &[&["--format", "cables,multipath", "--pe", "0"], &site[..]].concat());
    assert!(ran.code == 2 && ran.err.contains("10.0.0.0/8"), "{}", ran.err);
}

#[test]
fn a_part_is_one_node_or_one_switch_in_all_formats() {
    let folder = folder(&[]);
    let paths = |rest: &[&str]| {
        let ran = export(folder.path(), &[rest, &["-o", "part.tar"]].concat());
        assert_eq!(ran.code, 0, "{rest:?}: {}", ran.err);
        unpacked(&folder.path().join("part.tar")).into_keys().collect::<Vec<_>>()
    };
    let of_switch = ["kasy0/kasy0-eos-sw03.cfg", "kasy0/kasy0-sonic-sw03.json"];
    for part in ["sw03", "SW3", "3"] {
        assert_eq!(paths(&["--format", "sonic,eos", "--node", part]), of_switch, "{part}");
    }
    let all = paths(&["--format", "all", "--node", "sw03"]);
    assert!(of_switch.iter().all(|path| all.iter().any(|one| one == path)), "{all:?}");
    assert!(!all.iter().any(|path| path.contains("-node0") && path.ends_with(".hosts")), "{all:?}");
    let all = paths(&["--format", "all", "--node", "3"]);
    assert!(all.iter().any(|path| path == "kasy0/kasy0-node003.hosts"), "{all:?}");
    assert!(!all.iter().any(|path| path.contains("kasy0-eos-")), "{all:?}");
    for (formats, part, told) in [
        ("hosts,sonic", "sw03", "hosts is one file per node; choose a node, not a switch"),
        ("hosts,sonic", "node003", "sonic is one file per switch; choose a switch, not a node"),
        ("hosts,sonic", "3", "sonic is one file per switch; choose a switch, not a node"),
        ("sonic,eos", "17", "there is no switch 17; switches are 0 to 16"),
        ("hosts,script", "rack1", "there is no node or switch \"rack1\"; give a name or a number"),
    ] {
        let ran = export(folder.path(), &["--format", formats, "--node", part, "-o", "x"]);
        assert!(ran.code == 2 && ran.err.contains(told), "{formats} {part}: {}", ran.err);
        assert!(!folder.path().join("x").exists());
    }
}

#[test]
fn names_settings_and_places_that_are_wrong_are_told() {
    let folder = folder(&[]);
    for (rest, told) in [
        (
            &["--format", "cables,nonsense", "-o", "x"][..],
            "there is no format \"nonsense\". Formats are `wiring`, `spec`,",
        ),
        (&["--format", "eoss", "-o", "x"], "there is no format \"eoss\". Did you mean `eos`?"),
        (&["--format", "cables,spec", "--with", "dead=sw3", "-o", "x"], "none of the formats"),
        (
            &["--format", "all", "--with", "dead=nonsense", "-o", "x"],
            "\"nonsense\" is not a switch (such as sw03)",
        ),
        (&["--format", "all", "--pe", "128", "-o", "x"], "there is no node 128"),
        (&["--format", "all"], "several files: name a folder or .tar archive"),
        (&["--format", "all", "-o", "x.zip"], "unsupported type of archive"),
    ] {
        let ran = export(folder.path(), rest);
        assert!(ran.code == 2 && ran.err.contains(told), "{rest:?}: {}", ran.err);
        assert!(!folder.path().join("x").exists());
    }
}

#[cfg(unix)]
#[test]
fn only_root_reads_files_of_netplan() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder(&[]);
    let rest = ["--format", "netplan", "--pe", "7", "-o"];
    for place in ["alone", "alone.tar"] {
        let ran = export(folder.path(), &[&rest[..], &[place]].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    for place in ["both", "both.tar"] {
        let ran = export(folder.path(), &["--format", "netplan,hosts", "--pe", "7", "-o", place]);
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    let yaml = "etc/netplan/60-crosspoint.yaml";
    for (path, is_private) in [
        (format!("alone/{yaml}"), true),
        ("alone/etc/sysctl.d/90-crosspoint.conf".into(), false),
        (format!("both/kasy0-netplan-node007/{yaml}"), true),
        ("both/kasy0-node007.hosts".into(), false),
    ] {
        let mode = std::fs::metadata(folder.path().join(&path)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode == 0o600, is_private, "{path}: {mode:o}");
    }
    for name in ["alone.tar", "both.tar"] {
        let mut archive = tar::Archive::new(std::fs::File::open(folder.path().join(name)).unwrap());
        let modes: BTreeMap<String, u32> = archive
            .entries()
            .unwrap()
            .map(|entry| entry.unwrap())
            .map(|entry| (entry.path().unwrap().display().to_string(), entry.header().mode().unwrap()))
            .collect();
        assert_eq!(modes.values().filter(|mode| **mode == 0o600).count(), 1, "{modes:?}");
        assert!(modes.iter().all(|(path, mode)| path.ends_with(yaml) == (*mode == 0o600)), "{modes:?}");
    }
}

#[test]
fn files_keep_the_letters_of_the_name() {
    let spec = SMALL.replace("Small", "実験 «Łab» ü");
    let folder = folder(&[("spec.toml", spec.as_bytes()), ("wiring.txt", b"0: 0 1 2 3\n")]);
    for (formats, file) in [
        ("script", "実験-łab-ü-script/実験-łab-ü-script-node000.sh"),
        ("cables,containerlab", "実験-łab-ü/実験-łab-ü-containerlab.clab.yml"),
    ] {
        let ran =
            run(folder.path(), &["export", "spec.toml", "wiring.txt", "--format", formats, "-o", "out.tar"]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        let found = unpacked(&folder.path().join("out.tar"));
        assert!(found.contains_key(file), "{:?}", found.keys());
        // In the extended header, whose letters are UTF-8 everywhere.
        let bytes = std::fs::read(folder.path().join("out.tar")).unwrap();
        let path = format!(" path={file}\n");
        assert!(bytes.windows(path.len()).any(|window| window == path.as_bytes()));
    }
    let found = unpacked(&folder.path().join("out.tar"));
    let topology = String::from_utf8(found["実験-łab-ü/実験-łab-ü-containerlab.clab.yml"].clone()).unwrap();
    let name = topology.lines().find_map(|line| line.strip_prefix("name: ")).unwrap();
    assert!(name.starts_with("ab-") && name.len() == 9 && name.is_ascii(), "{name}");
}

#[test]
fn long_names_fit_into_archives() {
    let spec = SMALL.replace("Small", &"Long".repeat(20))
        + "\n[names]\nnodes = \"node-of-the-machine-in-the-second-hall-of-the-east-wing-{number:04}\"\n";
    let folder = folder(&[("spec.toml", spec.as_bytes()), ("wiring.txt", b"0: 0 1 2 3\n")]);
    for formats in ["netplan", "netplan,cables"] {
        let ran =
            run(folder.path(), &["export", "spec.toml", "wiring.txt", "--format", formats, "-o", "out.tar"]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        let found = unpacked(&folder.path().join("out.tar"));
        let yaml = "-netplan/node-of-the-machine-in-the-second-hall-of-the-east-wing-0003/etc/netplan/60-crosspoint.yaml";
        assert!(found.keys().any(|path| path.ends_with(yaml)), "{:?}", found.keys());
    }
}
