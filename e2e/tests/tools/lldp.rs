//! lldpd on every node and switch of a machine with two cables that changed places.

use crate::{Machine, SPEC, WIRING, lab_story};
use anyhow::{Context, Result, ensure};
use e2e::{
    lab::SwitchedLab,
    readers::{DESIGN, read_by, run, tool},
    root,
    studio::crosspoint,
};
use std::{
    fmt::Write as _,
    fs,
    path::Path,
    process::{Child, Stdio},
    time::{Duration, Instant},
};

#[test]
fn exactly_the_swapped_cables_are_found() {
    lab_story("lldpd", &["lldpd"], |dir| {
        let machine = Machine::wired(dir, &format!("{SPEC}\n[uplink]\n"), WIRING)?;
        let audit = machine.export("audit", "")?;
        let mut wired = String::from("a,a_port,b,b_port\n");
        for cable in machine.table("cables", "")? {
            if cable[0].is_empty() {
                let (switch, at): (u32, &str) = (cable[3].parse::<u32>()? - 1, &cable[3]);
                // The cable of switch 5 is not plugged in.
                if switch != 5 {
                    writeln!(wired, "sw{switch:02},swp5,uplink,swp{at}")?;
                }
                continue;
            }
            let (pe, ni): (u32, u32) = (cable[0].parse()?, cable[1].parse()?);
            // NIC 1 of node 1 belongs on switch 2, port 2, and NIC 2 of node 7 on switch 4, port 3.
            let (switch, port) = match (pe, ni) {
                (1, 1) => (4, 3),
                (7, 2) => (2, 2),
                _ => (cable[2].parse::<u32>()?, cable[3].parse::<u32>()?),
            };
            writeln!(wired, "node{pe:03},eth{ni},sw{switch:02},swp{port}")?;
        }
        let lab = SwitchedLab::up(&wired)?;
        let daemons = lab
            .nodes()
            .into_iter()
            .map(|node| Daemon::start(&lab, &node, dir))
            .collect::<Result<Vec<_>>>()?;
        let degree = |node: &str| lab.cables().iter().flatten().filter(|(name, _)| name == node).count();
        for daemon in &daemons {
            daemon.wait(degree(&daemon.name))?;
        }
        let check = |format: &str, part: &str| -> Result<(Option<i32>, String)> {
            let mut said = String::new();
            for daemon in daemons.iter().filter(|daemon| daemon.name.starts_with(part)) {
                writeln!(said, "{}:\n{}", daemon.name, daemon.neighbours(format)?)?;
            }
            let file = dir.join("lldp");
            fs::write(&file, said)?;
            let path = |name: &str| dir.join(name).display().to_string();
            let out = crosspoint(["check", &path("spec.toml"), &path("design"), "--lldp", &path("lldp")])?;
            Ok((out.status.code(), String::from_utf8(out.stdout)?))
        };
        // Nodes or switches alone tell it all, in each format.
        for (format, part) in [("keyvalue", "node"), ("plain", "node"), ("json", "sw"), ("json0", "")] {
            let (code, said) = check(format, part)?;
            let told = if part == "node" { uplinks_unheard() } else { uplinks_heard() };
            ensure!(code == Some(1) && said == told, "{format} {part}: {said}");
        }
        for daemon in daemons.iter().filter(|daemon| daemon.name.starts_with("node")) {
            let said = daemon.run(&format!("sh '{}' --lldp || :", audit.display()))?;
            let of_all = if daemon.name == "node004" || daemon.name == "node006" { 2 } else { 3 };
            let right = of_all - usize::from(["node001", "node007"].contains(&daemon.name.as_str()));
            let told = format!("{}: {right} of {of_all} cables are where the design says", daemon.name);
            ensure!(said.contains(&told), "{said}, and {told} was expected");
        }
        read_by("lldpd", DESIGN, &["audit"])
    });
}

const RIGHT: &str = "20 of 22 cables are where the design says\n";
const SWAPPED: &str = "swapped: node001 NIC1 is on sw04 port 3; it belongs on sw02 port 2, where node007 NIC2 is\n\
    swapped: node007 NIC2 is on sw02 port 2; it belongs on sw04 port 3, where node001 NIC1 is\n";

fn uplinks_heard() -> String {
    format!(
        "{RIGHT}5 of 6 cables to uplink switches join the right devices\n{SWAPPED}\
         missing: uplink cable of sw05 swp5: no neighbour seen; it belongs on uplink swp6\n"
    )
}

/// What is found where only nodes reported.
fn uplinks_unheard() -> String {
    format!(
        "{RIGHT}0 of 6 cables to uplink switches join the right devices\n{SWAPPED}\
         not checked, because neither end reported: uplink cables of sw00 sw01 sw02 sw03 sw04 sw05\n"
    )
}

/// lldpd on one node or switch; it ends with this value.
struct Daemon {
    name: String,
    socket: String,
    child: Child,
}

impl Daemon {
    fn start(lab: &SwitchedLab, name: &str, dir: &Path) -> Result<Daemon> {
        let mut command = lab.enter(name, Path::new("unshare"));
        command
            .args(["--mount", "--uts", "sh"])
            .arg(root().join("e2e/tests/tools/lldpd.sh"))
            .arg(name)
            .arg(dir);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let socket = dir.join(format!("{name}.socket")).display().to_string();
        Ok(Daemon { name: name.into(), socket, child })
    }

    fn neighbours(&self, format: &str) -> Result<String> {
        run(tool("lldpcli").args(["-u", &self.socket, "-f", format, "show", "neighbors"]))
    }

    /// Waits for so many neighbours.
    fn wait(&self, number: usize) -> Result<()> {
        let began = Instant::now();
        loop {
            // An error means that it has not started.
            let said = self.neighbours("keyvalue").unwrap_or_default();
            // A name comes after the port, in an announcement of its own.
            if said.lines().filter(|line| line.contains(".chassis.name=")).count() == number {
                return Ok(());
            }
            ensure!(began.elapsed() < Duration::from_secs(60), "{} sees {said}", self.name);
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// Runs a shell command where the daemon runs, as a user of the node would.
    fn run(&self, shell: &str) -> Result<String> {
        let shell = format!("ln -sf {} /run/lldpd.socket; {shell}", self.socket);
        let mut command = tool("nsenter");
        command.args(["--mount", "--uts", "--net", "--target"]).arg(self.child.id().to_string());
        run(command.args(["sh", "-c", &shell])).context(self.name.clone())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // It ends its own children; an error means that it has ended already.
        let _ = run(tool("kill").arg(self.child.id().to_string()));
        let _ = self.child.wait();
    }
}
