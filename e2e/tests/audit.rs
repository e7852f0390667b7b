//! The exported audit script on real network stacks: cables that were plugged in elsewhere are found by ARP.

use anyhow::{Result, ensure};
use e2e::{
    lab::{self, Cable, Lab},
    readers::{DESIGN, read_by},
    studio::crosspoint,
};
use std::{fs, io::Write, path::Path, process::Command};

#[test]
fn the_audit_finds_cables_that_are_elsewhere() {
    let arping = Command::new("sh").args(["-c", "PATH=$PATH:/usr/sbin:/sbin command -v arping"]).output();
    let no_arping = !arping.is_ok_and(|out| out.status.success());
    let missing = no_arping.then(|| "there is no arping; e2e/setup.sh installs it".to_owned());
    if let Some(obstacle) = lab::obstacle().or(missing) {
        // Straight to the stream: the output of a passing test is hidden otherwise.
        let _ =
            writeln!(std::io::stderr(), "SKIPPED: no machine was audited in a laboratory, since {obstacle}");
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    if let Err(error) = story(dir.path()) {
        panic!("{error:#}");
    }
}

/// Six PEs in two rings; PE 1's first and PE 4's second cable change places, and PE 5's second is not plugged in.
fn story(dir: &Path) -> Result<()> {
    fs::write(dir.join("spec.toml"), SPEC)?;
    fs::write(dir.join("wiring"), "0: 0 1 2\n1: 3 4 5\n2: 0 1 5\n3: 2 3 4\n")?;
    let spec = dir.join("spec.toml").display().to_string();
    let design = dir.join("wiring").display().to_string();
    for format in ["cables", "script", "audit"] {
        let path = dir.join(format).display().to_string();
        run(&["export", &spec, &design, "--format", format, "-o", &path])?;
    }
    let planned = lab::cables(&fs::read_to_string(dir.join("cables"))?)?;
    let wired = planned.iter().filter(|c| (c.pe, c.ni) != (5, 1)).map(|&cable| match (cable.pe, cable.ni) {
        (1, 0) => Cable { switch: 3, ..cable },
        (4, 1) => Cable { switch: 0, ..cable },
        _ => cable,
    });
    let lab = Lab::up(wired.collect())?;
    // PE 5's script would miss its second NI, and is not run; its address is not needed.
    for pe in 0..5 {
        let script = dir.join(format!("script/rings-script-node00{pe}.sh"));
        lab.on(pe, &format!("sh '{}' apply --force", script.display()), &[("CROSSPOINT_STATE", dir)])?;
    }
    // PE, exit code, message.
    let expected = [
        (0, 0, "node000: 2 of 2 cables are where the design says\n"),
        (
            1,
            1,
            "node001: NIC0 (eth0) is on sw03; it belongs on sw00 port 2\nnode001: 1 of 2 cables are where the design says\n",
        ),
        (
            4,
            1,
            "node004: NIC1 (eth1) is on sw00; it belongs on sw03 port 3\nnode004: 1 of 2 cables are where the design says\n",
        ),
        (
            5,
            1,
            "node005: NIC1 (eth1) has no neighbour; it belongs on sw02 port 3\nnode005: 1 of 2 cables are where the design says\n",
        ),
    ];
    for (pe, code, told) in expected {
        let script = dir.join("audit").display().to_string();
        let said = lab.on(pe, &format!("sh '{script}' --arp --host node00{pe} 2>&1; echo $?"), &[])?;
        ensure!(said == format!("{told}{code}\n"), "PE {pe} said {said:?}, and {told:?} was expected");
    }
    read_by("iputils", DESIGN, &["audit"])
}

const SPEC: &str = "name = \"Rings\"\npes = 6\nnis_per_pe = 2\nobjective = \"sparse\"\n\n[[switch]]\nports = 4\n\
    count = 4\n\n[[pattern]]\nkind = \"matrix\"\npairs = [[0, 1], [3, 4]]\n";

fn run(arguments: &[&str]) -> Result<()> {
    let out = crosspoint(arguments)?;
    ensure!(out.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
    Ok(())
}
