//! The files of `server/deploy`: limits, rights and flags.

use crate::program::{folder, program};

const CONTAINERFILE: &str = include_str!("../../deploy/Containerfile");
const COMPOSE: &str = include_str!("../../deploy/compose.yaml");
const UNITS: [(&str, &str); 2] = [
    ("serve", include_str!("../../deploy/crosspoint.service")),
    ("worker", include_str!("../../deploy/crosspoint-worker.service")),
];

#[test]
fn units_have_limits_and_few_rights() {
    for (name, unit) in UNITS {
        for line in [
            "MemoryMax=",
            "LimitNOFILE=",
            "TasksMax=",
            "CapabilityBoundingSet=\n",
            "SystemCallFilter=@system-service\n",
            "ProtectKernelTunables=yes\n",
            "ProtectKernelModules=yes\n",
            "ProtectKernelLogs=yes\n",
            "PrivateDevices=yes\n",
            "NoNewPrivileges=yes\n",
            "ProtectSystem=strict\n",
            "DynamicUser=yes\n",
        ] {
            assert!(unit.contains(&format!("\n{line}")), "{name}: {line}");
        }
    }
}

#[test]
fn units_use_flags_that_the_program_has() {
    let folder = folder(&[]);
    for (command, unit) in UNITS {
        let help = program(folder.path()).args([command, "--help"]).output().unwrap();
        let help = String::from_utf8(help.stdout).unwrap();
        let start = unit.lines().find_map(|line| line.strip_prefix("ExecStart=")).unwrap();
        let words: Vec<&str> = start.split(' ').collect();
        assert_eq!(words[1], command);
        for flag in words.iter().filter(|word| word.starts_with("--")) {
            assert!(help.contains(&format!("{flag} <")), "{flag}");
        }
    }
}

/// The last stage has the program alone: a user without rights, one volume, and flags that the program has.
#[test]
fn the_image_has_one_volume_and_no_rights() {
    let (_, image) = CONTAINERFILE.rsplit_once("\nFROM ").unwrap();
    let of = |word: &str| -> Vec<&str> { image.lines().filter_map(|line| line.strip_prefix(word)).collect() };
    assert_eq!(image.lines().next(), Some("scratch"));
    assert_eq!(
        (of("USER "), of("VOLUME "), of("ENV ")),
        (vec!["10001:10001"], vec!["/data"], vec!["TMPDIR=/data"])
    );
    let command: Vec<String> = serde_json::from_str(of("CMD ")[0]).unwrap();
    let help = program(folder(&[]).path()).args([&command[0], "--help"]).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    for flag in command.iter().filter(|word| word.starts_with("--")) {
        assert!(help.contains(&format!("{flag} <")), "{flag}");
    }
}

#[test]
fn containers_have_limits_and_few_rights() {
    let (_, services) = COMPOSE.split_once("\nservices:\n").unwrap();
    let (services, _) = services.split_once("\nvolumes:\n").unwrap();
    let services: Vec<&str> = services.split("\n\n").collect();
    assert_eq!(services.len(), 3);
    for service in services {
        for key in ["<<: *hardened", "mem_limit:", "cpus:", "pids_limit:", "ulimits:"] {
            assert!(service.contains(&format!("\n    {key}")), "{key} of {service}");
        }
        let command = service.split_once("command:").unwrap().1.split_once("environment:").unwrap().0;
        assert!(!command.to_lowercase().contains("pass"), "a password in a command line: {command}");
        if let Some((_, image)) = service.split_once("image: ") {
            let version = image.lines().next().unwrap().rsplit_once(':').unwrap().1;
            assert_eq!(version.split('.').filter(|part| part.parse::<u32>().is_ok()).count(), 3, "{version}");
        }
    }
    let (hardened, _) = COMPOSE.split_once("\nservices:\n").unwrap();
    for line in ["cap_drop: [ALL]", "no-new-privileges:true", "read_only: true"] {
        assert!(hardened.contains(line), "{line}");
    }
}
