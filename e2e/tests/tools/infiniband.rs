//! OpenSM and infiniband-diags on simulated subnets, one per switch, right and with two cables that changed places.

use crate::small;
use anyhow::{Context, Result, ensure};
use e2e::{
    lab::machine::Machine,
    readers::{DESIGN, missing, read_by, run, tool},
    root, story,
    studio::crosspoint,
};
use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

/// GUID of the device of a NIC in the exported topology without the setting `guids`. Its simulated port has the next one.
fn device(pe: u32, ni: u32) -> u64 {
    0x0200 << 48 | u64::from(pe) << 8 | u64::from(ni)
}

/// The switch whose master dies.
const TAKEN: &str = "sw02";

#[test]
fn each_switch_is_a_subnet_with_its_managers() {
    story("InfiniBand", missing(&["OpenSM", "infiniband-diags", "ibsim"]), |dir| {
        let machine = small(dir)?;
        let mut guids = String::new();
        for cable in machine.table("cables", "")? {
            let (pe, ni) = (cable[0].parse()?, cable[1].parse()?);
            writeln!(guids, "node{pe}.nic{ni}=0x{:016x}", device(pe, ni) + 1)?;
        }
        let right = simulated(&machine, dir, "right", &guids, |_, text| text)?;
        let table = fs::read_to_string(right.join("opensm/subnets.csv"))?;
        let mut lines = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let head = lines.next().context("a header")?;
        let column = |name: &str| head.iter().position(|cell| *cell == name).context(name.to_owned());
        let (master, standby) = (column("master_guid")?, column("standby_guid")?);
        for subnet in lines {
            let seen = |file: &str| fs::read_to_string(right.join(format!("seen/{}.{file}", subnet[0])));
            let guid = |column: usize| format!("sm guid {},", subnet[column].replace("0x0", "0x"));
            let is_master = seen("sminfo")?.contains(&guid(master)) && subnet[standby] != subnet[master];
            ensure!(is_master, "{subnet:?}: {}", seen("sminfo")?);
            if subnet[0] == TAKEN {
                let successor = seen("successor")?;
                ensure!(successor.contains(&guid(standby)), "{subnet:?}: {successor}");
            }
        }
        ensure!(check(dir, &right, "ibnetdiscover")? == (Some(0), RIGHT.into()));
        ensure!(check(dir, &right, "iblinkinfo")? == (Some(0), RIGHT.into()));

        // NIC 0 of node 3 belongs on switch 0, port 4, and NIC 0 of node 5 on switch 1, port 2. Neither runs a manager there.
        let (a, b) = ((device(3, 0), "node003 mlx5_0"), (device(5, 0), "node005 mlx5_0"));
        let swapped = simulated(&machine, dir, "swapped", &guids, |name, text| {
            let (from, to) = match name {
                "sw00" => (a, b),
                "sw01" => (b, a),
                _ => return text,
            };
            let guid = |(guid, _): (u64, &str)| (format!("{guid:016x}"), format!("{guid:x}"));
            let ((long, short), (new_long, new_short)) = (guid(from), guid(to));
            text.replace(&long, &new_long).replace(&short, &new_short).replace(from.1, to.1)
        })?;
        for file in ["ibnetdiscover", "iblinkinfo"] {
            let (code, said) = check(dir, &swapped, file)?;
            ensure!(code == Some(1) && said == SWAPPED, "{file}: {said}");
        }
        read_by("OpenSM", DESIGN, &["opensm"])?;
        read_by("ibsim", DESIGN, &["ibnetdiscover"])
    });
}

const RIGHT: &str = "22 of 22 cables are where the design says\n";
const SWAPPED: &str = "20 of 22 cables are where the design says\n\
    swapped: node003 NIC0 is on sw01 port 2; it belongs on sw00 port 4, where node005 NIC0 is\n\
    swapped: node005 NIC0 is on sw00 port 4; it belongs on sw01 port 2, where node003 NIC0 is\n";

/// Runs the managers of all subnets on their topologies as changed, and what looks at them; returned is the folder.
fn simulated(
    machine: &Machine,
    dir: &Path,
    what: &str,
    guids: &str,
    change: impl Fn(&str, String) -> String,
) -> Result<PathBuf> {
    let folder = dir.join(what);
    let topologies = folder.join("topo");
    machine.export_to(&folder.join("exported"), "ibnetdiscover", &[])?;
    machine.export_to(&folder.join("opensm"), "opensm", &[&format!("guids={guids}")])?;
    fs::create_dir_all(&topologies)?;
    for file in fs::read_dir(folder.join("exported"))? {
        let file = file?.path();
        let stem = file.file_stem().context("a name")?.to_string_lossy().into_owned();
        let name = stem.rsplit('-').next().unwrap_or_default();
        fs::write(topologies.join(format!("{name}.topo")), change(name, fs::read_to_string(&file)?))?;
    }
    let taken = if what == "right" { TAKEN } else { "none" };
    run(tool("sh").arg(root().join("e2e/tests/tools/infiniband.sh")).arg(&folder).arg(taken))?;
    Ok(folder)
}

/// Exit code and output of the check of what a tool has seen in all subnets.
fn check(dir: &Path, folder: &Path, tool: &str) -> Result<(Option<i32>, String)> {
    let mut all = String::new();
    for file in fs::read_dir(folder.join("seen"))? {
        let file = file?.path();
        if file.extension().is_some_and(|end| end == tool) {
            all += &fs::read_to_string(file)?;
        }
    }
    let seen = folder.join(tool).display().to_string();
    fs::write(&seen, all)?;
    let path = |name: &str| dir.join(name).display().to_string();
    let out = crosspoint(["check", &path("spec.toml"), &path("design"), "--ib", &seen])?;
    // Every simulated port could be wider.
    let said = String::from_utf8(out.stdout)?;
    let cables: Vec<&str> =
        said.split_inclusive('\n').filter(|line| !line.starts_with("degraded: ")).collect();
    ensure!((cables.len() < said.lines().count()) == (tool == "iblinkinfo"), "{tool}: {said}");
    Ok((out.status.code(), cables.concat()))
}
